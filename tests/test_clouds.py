"""The two clouds against loops, SciPy and sacreBLEU; what may and may not change them; their cost."""

from __future__ import annotations

import gc
import itertools
import random
import tracemalloc
from collections import Counter

import numpy as np
import pytest
import sacrebleu.significance
from enumeration import f1, grouped, mean, p_values, resampled_gaps, rows, sums, swapped_gaps
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from scipy import stats
from strategies import near_the_kink, paired_sets, quietly, said, statistics, text

import sigbook as sb
from sigbook import clouds, data
from sigbook.clouds import bootstrap_stack, randomize_stack

EXACT = ("mean", "real", "weighted", "f1")
ALTERNATIVES = ("two-sided", "greater", "less")
FEWER = settings(max_examples=max(20, settings().max_examples // 4))


def oracle(pairs):
    """The exact score of the metric, and the rows of a and b in fractions, per unit."""
    score = f1 if pairs.rule.name == "f1" else mean
    units = [rows(x, score) for x in (pairs.a, pairs.b)]
    if pairs.clusters is not None:
        units = [grouped(x, list(pairs.clusters)) for x in units]
    return score, *units


def exact_p_values(pairs):
    """Two-sided, greater, less, by a loop over all swaps in fractions."""
    score, a, b = oracle(pairs)
    observed = score(sums(a)) - score(sums(b))
    return [float(p) for p in p_values(swapped_gaps(a, b, score), observed)]


def unequal_pairs(seed=0, n=12, metric="mean", **options):
    """Two systems that differ on each of n segments."""
    rng = np.random.default_rng(seed)
    a = rng.integers(1, 50, n)
    b = a + rng.choice([-3, -2, -1, 1, 2, 3, 4], n)
    return sb.PairedSet(a, b, metric, **options)


def wmt17(first="LIUM-NMT.4900", second="online-B.0", metric="bleu", n=3004):
    systems = data.wmt17()
    return sb.PairedSet(systems[first][:n], systems[second][:n], metric)


# Randomization ----------------------------------------------------------------------------------


@pytest.mark.parametrize("clusters", [False, True])
def test_enumerated_p_values_are_those_of_a_loop_over_all_swaps(clusters):
    @given(paired_sets(EXACT, clusters=clusters))
    def check(pairs):
        cloud = quietly(sb.randomize, pairs, "all")
        assert cloud.enumerated
        assert rules(cloud) == exact_p_values(pairs)
        score, a, b = oracle(pairs)
        gaps = swapped_gaps(a, b, score)
        repeats = len(gaps) // cloud.draws
        assert np.repeat(np.sort(cloud.gaps), repeats) == pytest.approx(
            sorted(map(float, gaps)), rel=1e-13, abs=1e-13
        )

    check()


@FEWER
@given(statistics(("bleu", "bleu-exp"), most=5))
def test_enumerated_bleu_gaps_are_those_of_a_loop_with_sacrebleu(drawn):
    a, b, metric = drawn
    smooth = "exp" if metric == "bleu-exp" else "none"

    def score(pooled):
        p = [int(x) for x in pooled]
        return BLEU.compute_bleu(p[2:6], p[6:], p[0], p[1], smooth_method=smooth).score / 100

    cloud = quietly(sb.randomize, sb.PairedSet(a, b, metric), "all")
    loop = np.array(swapped_gaps(a.tolist(), b.tolist(), score))
    repeats = len(loop) // cloud.draws
    assert np.repeat(np.sort(cloud.gaps), repeats) == pytest.approx(np.sort(loop), abs=1e-13)
    observed = score(a.sum(axis=0)) - score(b.sum(axis=0))
    expected = np.mean(np.abs(loop) >= abs(observed) - 1e-11)
    assert sb.p_randomization(cloud) == expected


def test_every_swap_occurs_once_in_an_enumeration():
    for g in range(7):
        patterns = clouds._patterns(0, 2**g, g)
        assert sorted(map(tuple, patterns.tolist())) == list(itertools.product((0, 1), repeat=g))


def test_sampled_swaps_follow_the_uniform_law():
    # Powers of two: each of the 32 swaps has its own gap.
    pairs = sb.PairedSet([1, 2, 4, 8, 16], [0] * 5, "mean")
    cloud = quietly(sb.randomize, pairs, 32_000, seed=1)
    counts = Counter(cloud.gaps.tolist())
    assert len(counts) == 32
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


@pytest.mark.parametrize("n", [1, 7, 8, 9, 63, 64, 65, 130])
def test_random_bits_are_fair_and_uncorrelated_along_rows_and_across_them(n):
    bits = clouds._bits(np.random.default_rng(2), 20_000, n).astype(np.float64)
    assert bits.shape == (20_000, n) and set(np.unique(bits)) == {0.0, 1.0}
    centred = 2 * bits - 1
    assert np.abs(centred.mean(axis=0)).max() < 5 / np.sqrt(20_000)
    products = centred.T @ centred / 20_000 - np.eye(n)
    later = (centred[1:] * centred[:-1]).mean(axis=0)
    assert max(np.abs(products).max(), np.abs(later).max()) < 5 / np.sqrt(20_000)


@pytest.mark.parametrize("n", [1, 8, 63, 64, 65, 130])
def test_random_bits_are_those_of_the_generators_own_words_lowest_first(n):
    words = np.random.default_rng(4).bit_generator.random_raw(5 * -(-n // 64)).tolist()
    expected = [[words[row * -(-n // 64) + k // 64] >> k % 64 & 1 for k in range(n)] for row in range(5)]
    assert clouds._bits(np.random.default_rng(4), 5, n).tolist() == expected


def test_sampled_p_values_approach_the_enumerated_ones():
    for seed, metric in enumerate(["mean", "f1"] * 3):
        rng = np.random.default_rng(seed)
        if metric == "f1":
            a, b = (np.column_stack([rng.integers(0, 4, 10), rng.integers(4, 9, (10, 2))]) for _ in "ab")
        else:
            a, b = rng.normal(size=(2, 10))
        pairs = sb.PairedSet(a, b, metric)
        exact, sampled = sb.randomize(pairs, "all"), sb.randomize(pairs, 20_000, seed)
        for alternative in ALTERNATIVES:
            p = sb.p_randomization(exact, alternative)
            error = np.sqrt(p * (1 - p) / 20_000)
            assert abs(sb.p_randomization(sampled, alternative) - p) < 4 * error + 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_randomization_of_a_mean_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, (2, 9)).astype(float)
    cloud = quietly(sb.randomize, sb.PairedSet(a, b, "mean"), "all")
    for alternative in ALTERNATIVES:
        theirs = stats.permutation_test(
            (a, b), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples",
            vectorized=True, n_resamples=np.inf, alternative=alternative,
        )  # fmt: skip
        assert sb.p_randomization(cloud, alternative) == pytest.approx(theirs.pvalue, rel=1e-12)


def test_segments_on_which_the_systems_agree_change_no_p_value():
    pairs = unequal_pairs(n=9)
    more_a, more_b = np.append([5, 7, 7], pairs.a), np.append([5, 7, 7], pairs.b)
    longer = sb.PairedSet(more_a, more_b, "mean")
    for draws in ("all", 5_000):
        few, many = sb.randomize(pairs, draws), sb.randomize(longer, draws)
        assert few.draws == many.draws
        for alternative in ALTERNATIVES:
            assert sb.p_randomization(few, alternative) == sb.p_randomization(many, alternative)


def test_units_that_differ_may_be_enumerated_up_to_20():
    a = np.arange(1, 31)
    pairs = sb.PairedSet(a, np.where(np.arange(30) < 20, 0, a), "mean")
    cloud = sb.randomize(pairs, "all")
    assert cloud.draws == 2**20 and cloud.enumerated
    assert sb.p_randomization(cloud) == 2 / 2**20
    pairs = sb.PairedSet(a, np.where(np.arange(30) < 21, 0, a), "mean")
    with pytest.raises(ValueError, match="at most 2.20 swaps, but the systems differ on 21 units"):
        sb.randomize(pairs, "all")
    grouped_pairs = sb.PairedSet(a, np.zeros(30), "mean", np.arange(30) // 2)
    assert sb.randomize(grouped_pairs, "all").draws == 2**15


def test_clusters_are_swapped_whole():
    pairs = sb.PairedSet([9, 1, 1, 1], [0, 0, 0, 0], "mean", ["d", "d", "d", "e"])
    cloud = quietly(sb.randomize, pairs, "all")
    assert sorted(cloud.gaps.tolist()) == [-3, -2.5, 2.5, 3]


# Bootstrap --------------------------------------------------------------------------------------


def test_resamples_are_counts_that_sum_to_n_with_the_multinomial_law():
    counts = clouds._resamples(np.random.default_rng(3), 30_000, 4)
    assert (counts.sum(axis=1) == 4).all()
    seen = Counter(map(tuple, counts.tolist()))
    law = stats.multinomial(4, [0.25] * 4)
    outcomes = [x for x in itertools.product(range(5), repeat=4) if sum(x) == 4]
    assert set(seen) <= set(outcomes)
    observed = [seen[x] for x in outcomes]
    assert stats.chisquare(observed, [30_000 * law.pmf(x) for x in outcomes]).pvalue > 1e-3


@given(st.integers(2, 40), st.integers(1, 30), st.integers(0, 2**32))
def test_a_resample_of_n_units_has_n_members(units, draws, seed):
    counts = clouds._resamples(np.random.default_rng(seed), draws, units)
    assert counts.shape == (draws, units) and counts.min() >= 0
    assert (counts.sum(axis=1) == units).all()


@pytest.mark.parametrize("clusters", [False, True])
def test_sampled_gaps_follow_the_exact_law_of_all_resamples(clusters):
    labels = [0, 1, 1, 2, 3, 3, 3] if clusters else None
    a, b = ([5, 1, 2, 8, 3, 0, 1], [1, 4, 2, 2, 3, 1, 1]) if clusters else ([5, 1, 2, 8], [1, 4, 2, 2])
    pairs = sb.PairedSet(a, b, "mean", labels)
    score, first, second = oracle(pairs)
    exact = Counter(resampled_gaps(first, second, score))
    cloud = sb.bootstrap(pairs, 40_000, seed=5)
    values = sorted(exact)
    seen = Counter(cloud.gaps.tolist())
    assert set(seen) <= set(map(float, values))
    observed = [seen[float(v)] for v in values]
    expected = [40_000 * exact[v] / sum(exact.values()) for v in values]
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_the_bootstrap_of_a_mean_agrees_with_scipy():
    rng = np.random.default_rng(6)
    a, b = rng.gamma(2, size=(2, 60))
    theirs = stats.bootstrap(
        (a, b), lambda x, y, axis: (x - y).mean(axis=axis), paired=True, vectorized=True,
        n_resamples=20_000, method="percentile", random_state=rng,  # SciPy 1.14 knows no rng
    )  # fmt: skip
    cloud = sb.bootstrap(sb.PairedSet(a, b, "mean"), 20_000)
    assert cloud.sd == pytest.approx(theirs.standard_error, rel=0.03)
    assert sb.percentile_interval(cloud) == pytest.approx(tuple(theirs.confidence_interval), abs=0.1 * cloud.sd)
    assert cloud.sd == pytest.approx(np.std(a - b) / np.sqrt(60), rel=0.02)


def test_a_resample_has_n_segments_and_not_half_of_them():
    # Half-size resamples would make the cloud wider by the root of 2.
    pairs = unequal_pairs(n=400)
    d = (pairs.a - pairs.b).astype(float)
    cloud = sb.bootstrap(pairs, 20_000)
    half = d[np.random.default_rng(0).integers(400, size=(20_000, 200))].mean(axis=1).std()
    assert cloud.sd == pytest.approx(d.std() / 20, rel=0.02)
    assert half / cloud.sd == pytest.approx(np.sqrt(2), rel=0.03)


def test_both_systems_get_the_same_resamples():
    rng = np.random.default_rng(7)
    b = rng.normal(0, 10, 40)
    cloud = quietly(sb.bootstrap, sb.PairedSet(b + 1, b, "mean"), 2_000)
    assert cloud.gaps == pytest.approx(1, abs=1e-12)
    assert sb.p_koehn(cloud) == 0 and sb.p_shifted(cloud) == 1 / 2_001
    apart = [sb.bootstrap(sb.PairedSet(x, np.zeros(40), "mean"), 2_000, seed) for x, seed in ((b + 1, 1), (b, 2))]
    assert 0.2 < np.mean(apart[0].gaps - apart[1].gaps <= 0) < 0.45


def test_clusters_are_resampled_whole():
    pairs = sb.PairedSet([9, 1, 1, 1], [0, 0, 0, 0], "mean", ["d", "d", "d", "e"])
    assert set(sb.bootstrap(pairs, 500).gaps) == {11 / 3, 3.0, 1.0}


@pytest.mark.parametrize("labels", [None, [1, 1]])
def test_one_unit_is_refused_by_the_bootstrap(labels):
    pairs = sb.PairedSet([1, 2] if labels else [1], [0, 0] if labels else [0], "mean", labels)
    with pytest.raises(ValueError, match=f"pairs has 1 {'cluster' if labels else 'segment'}; .* at least 2"):
        sb.bootstrap(pairs)


# What changes nothing ---------------------------------------------------------------------------


def rules(cloud):
    """Every p-value that a cloud gives, sacreBLEU's apart."""
    if cloud.kind == "randomization":
        return [sb.p_randomization(cloud, alternative) for alternative in ALTERNATIVES]
    sides = ("greater", "less")
    return [f(cloud, s) for f in (sb.p_koehn, sb.p_recentered) for s in sides] + [sb.p_shifted(cloud)]


def both_clouds(pairs, draws=300, seed=0, order="fast"):
    made = [quietly(sb.randomize, pairs, draws, seed, order)]
    return made + ([quietly(sb.bootstrap, pairs, draws, seed, order)] if pairs.units > 1 else [])


@FEWER
@given(paired_sets(clusters=True), st.integers(0, 2**40))
def test_exchanging_the_systems_negates_the_gaps_and_turns_the_rules(pairs, seed):
    turned = quietly(sb.PairedSet, pairs.b, pairs.a, pairs.metric, pairs.clusters)
    assert turned.gap == -pairs.gap
    whole = pairs.a.dtype.kind == pairs.b.dtype.kind == "i"
    for one, other in zip(both_clouds(pairs, seed=seed), both_clouds(turned, seed=seed)):
        assert np.array_equal(one.gaps, -other.gaps) if whole else one.gaps == pytest.approx(-other.gaps, abs=1e-12)
        p, q = rules(one), rules(other)
        if one.kind == "randomization":
            assert p == [q[0], q[2], q[1]]
        else:
            assert p == [q[1], q[0], q[3], q[2], q[4]]


@FEWER
@given(paired_sets(most=5), st.randoms(use_true_random=False))
def test_the_order_of_segments_does_not_matter(pairs, shuffled):
    order = list(range(pairs.n))
    shuffled.shuffle(order)
    other = quietly(sb.PairedSet, pairs.a[order], pairs.b[order], pairs.metric)
    one, two = (quietly(sb.randomize, x, "all") for x in (pairs, other))
    assert rules(one) == rules(two)
    assert np.sort(one.gaps) == pytest.approx(np.sort(two.gaps), abs=1e-13)


def test_the_order_of_segments_leaves_the_law_of_sampled_clouds_alone():
    pairs = wmt17("online-F.0", "online-G.0", n=500)
    turned = sb.PairedSet(pairs.a[::-1], pairs.b[::-1])
    for make in (sb.randomize, sb.bootstrap):
        one, two = quietly(make, pairs, 4_000, 1), quietly(make, turned, 4_000, 2)
        assert stats.ks_2samp(one.gaps, two.gaps).pvalue > 1e-3


@pytest.mark.parametrize("factor", [1e-6, 0.1, 3, 1e6, 1 / 3, 1e-30])
def test_the_scale_of_a_metric_changes_no_p_value(factor):
    @FEWER
    @given(paired_sets(("mean", "real"), clusters=True))
    def check(pairs):
        scaled = sb.PairedSet(pairs.a * factor, pairs.b * factor, "mean", pairs.clusters)
        for draws in ("all", 200):
            assert rules(quietly(sb.randomize, pairs, draws)) == rules(quietly(sb.randomize, scaled, draws))
        assert [rules(x) for x in both_clouds(pairs)] == [rules(x) for x in both_clouds(scaled)]

    check()


@pytest.mark.parametrize("entries", [1, 100, 3_333])
@pytest.mark.parametrize("order", ["fast", "sacrebleu"])
def test_the_size_of_chunks_changes_nothing(monkeypatch, entries, order):
    rng = np.random.default_rng(8)
    sets = [unequal_pairs(n=n) for n in (2, 31, 64, 65)]
    sets += [wmt17(n=70), sb.PairedSet(*rng.normal(size=(2, 70)), "mean")]
    weighted = np.stack([rng.normal(size=(2, 40)), rng.integers(1, 3, (2, 40))], axis=-1)
    sets.append(sb.PairedSet(*weighted, "mean"))
    before = [both_clouds(pairs, 500, 3, order) for pairs in sets]
    monkeypatch.setattr(clouds, "CHUNK_ENTRIES", entries)
    for pairs, made in zip(sets, before):
        for one, two in zip(made, both_clouds(pairs, 500, 3, order)):
            if pairs.a.dtype.kind == "i":
                assert np.array_equal(one.gaps, two.gaps)
            assert one.gaps == pytest.approx(two.gaps, rel=1e-12, abs=1e-14)
            assert rules(one) == rules(two)


def test_a_generator_is_read_on_alike_whatever_the_size_of_chunks(monkeypatch):
    states = []
    for entries in (2**19, 50):
        monkeypatch.setattr(clouds, "CHUNK_ENTRIES", entries)
        rng = np.random.default_rng(9)
        sb.bootstrap(unequal_pairs(), 33, rng)
        sb.randomize(unequal_pairs(), 33, rng)
        states.append(rng.integers(2**60))
    assert states[0] == states[1]


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
def test_the_same_seed_gives_the_same_cloud(make):
    pairs = unequal_pairs(n=30)
    seeds = (7, np.int64(7), np.random.SeedSequence(7), np.random.default_rng(7))
    first, *others = (make(pairs, 300, seed).gaps for seed in seeds)
    for other in others:
        assert np.array_equal(first, other)
    sequence = np.random.SeedSequence(7)
    assert np.array_equal(make(pairs, 300, sequence).gaps, make(pairs, 300, sequence).gaps)
    rng = np.random.default_rng(7)
    assert not np.array_equal(make(pairs, 300, rng).gaps, make(pairs, 300, rng).gaps)


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
def test_seed_0_is_a_seed_and_the_default(make):
    pairs = unequal_pairs(n=30)
    assert np.array_equal(make(pairs, 300).gaps, make(pairs, 300, 0).gaps)
    assert not np.array_equal(make(pairs, 300, 0).gaps, make(pairs, 300, 1).gaps)


def test_more_draws_begin_with_the_fewer_ones():
    pairs = unequal_pairs(n=30)
    for make in (sb.bootstrap, sb.randomize):
        assert np.array_equal(make(pairs, 50).gaps, make(pairs, 500).gaps[:50])


# Ties -------------------------------------------------------------------------------------------


def test_means_of_integers_are_compared_exactly():
    # Scores near 1e9 that differ by 1: a slack relative to the scores would tie everything.
    a = 10**9 + np.array([1, 0, 0, 0, 0, 0, 0, 1])
    b = 10**9 + np.array([0, 0, 0, 0, 0, 0, 1, 0])
    cloud = quietly(sb.randomize, sb.PairedSet(a, b, "mean"), "all")
    assert cloud.slack == 0
    assert sorted(set(cloud.gaps)) == [-3 / 8, -1 / 8, 1 / 8, 3 / 8]
    assert sb.p_randomization(cloud) == 1
    n = 3_000
    a, b = np.full(n, 10**12), np.full(n, 10**12)
    a[:7] += 1
    b[7:9] += 1
    assert sb.p_randomization(sb.randomize(sb.PairedSet(a, b, "mean"), "all")) == float(
        stats.binomtest(7, 9).pvalue
    )


@pytest.mark.parametrize("offset", [2**31 - 5, 2**31, 2**40])
def test_large_integers_are_compared_exactly(offset):
    rng = np.random.default_rng(10)
    a, b = offset + rng.integers(0, 3, (2, 8))
    pairs = sb.PairedSet(a, b, "mean")
    assert rules(quietly(sb.randomize, pairs, "all")) == exact_p_values(pairs)


def test_integers_beyond_exact_sums_get_the_slack_of_real_scores():
    big = np.array([2**60, 2**60, 2**60, 2**60])
    cloud = quietly(sb.randomize, sb.PairedSet(big + 2**25, big, "mean"), "all")
    assert cloud.slack > 0
    assert sb.p_randomization(cloud) == 2 / 16


def test_unequal_clusters_of_large_integers_are_not_called_exact():
    # A resample may hold the large cluster many times: its sums can pass 2^53 though those of the data do not.
    labels = np.where(np.arange(600) < 300, 0, np.arange(600))
    pairs = sb.PairedSet(np.full(600, 2**42), np.full(600, 2**42 - 1), "mean", labels)
    assert pairs.a.dtype == np.int64
    assert quietly(sb.bootstrap, pairs, 10).score_scale > 0
    assert quietly(sb.bootstrap, sb.PairedSet(pairs.a, pairs.b, "mean"), 10).score_scale == 0
    for largest, exact in ((2**51, False), (2**51 - 1, True)):
        pairs = sb.PairedSet([largest] * 3, [largest - 1, largest, largest], "mean", [0, 0, 1])
        assert (quietly(sb.bootstrap, pairs, 10).score_scale == 0) == exact
    stack = bootstrap_stack(np.full((5, 2), 2**51), np.full((5, 2), 2**51 - 1), "mean", 10)
    assert stack.score_scale.tolist() == [0] * 5


def test_means_over_unequal_counts_get_the_slack_of_real_scores():
    # Quotients of whole numbers, but their gaps over unequal counts are rounded.
    a = np.array([[3, 1], [1, 2], [5, 2]])
    longer, higher, real = a + [[0, 0], [0, 1], [0, 0]], a + [1, 0], a + [0.5, 0]
    expected = [(a, higher, 0), (a, longer, 9 / 5), (longer, a, 9 / 5), (real, longer, 10.5 / 5), (real, a, 10.5 / 5)]
    for x, y, scale in expected:
        assert quietly(sb.bootstrap, sb.PairedSet(x, y, "mean"), 10).score_scale == pytest.approx(scale)
    stack = bootstrap_stack(np.array([a, a, longer]), np.array([longer, higher, a]), "mean", 10)
    assert stack.score_scale == pytest.approx([9 / 5, 0, 9 / 5])


def test_ties_by_rounding_are_ties():
    cloud = quietly(sb.randomize, sb.PairedSet([-0.2, -0.1, 0.1, 0.1], [0, 0, 0, 0], "mean"), "all")
    assert sb.p_randomization(cloud) == 1
    assert np.mean(np.abs(cloud.gaps) >= abs(cloud.observed)) < 1  # what a plain >= would say


def test_ties_by_rounding_are_ties_when_one_system_has_whole_scores():
    for pairs in (
        sb.PairedSet([0, 0, 0, 0], [-0.2, -0.1, 0.1, 0.1], "mean"),
        sb.PairedSet([-0.2, -0.1, 0.1, 0.1], [0, 0, 0, 0], "mean"),
    ):
        assert sb.p_randomization(quietly(sb.randomize, pairs, "all")) == 1


def test_the_slack_is_relative_to_the_scores_and_not_to_their_gap():
    # 1000.1 - 1000.0 is off by 1e-14 relative to the scores, 1e-10 relative to the gap.
    d = np.array([0.1, 0.1, 0.2, 0.2, 0.1, 0.3])
    plain = sb.PairedSet(np.array([1, -1, 1, -1, 1, 1]) * np.round(10 * d).astype(int), np.zeros(6), "mean")
    shifted = sb.PairedSet(1000 + np.array([1, -1, 1, -1, 1, 1]) * d, np.full(6, 1000.0), "mean")
    for draws in ("all", 400):
        assert rules(sb.randomize(plain, draws)) == rules(sb.randomize(shifted, draws))
    assert rules(sb.bootstrap(plain)) == rules(sb.bootstrap(shifted))
    # Gaps of 1e-6 of such scores are still told apart.
    d = np.array([3, -1, 1, -1, 1, 1])
    whole, fine = sb.PairedSet(d, 0 * d, "mean"), sb.PairedSet(1000 + 1e-6 * d, np.full(6, 1000.0), "mean")
    assert rules(sb.randomize(fine, "all")) == rules(sb.randomize(whole, "all")) == exact_p_values(whole)


def test_the_slack_of_clusters_is_relative_to_the_scores_of_segments():
    # Within each cluster large scores cancel and leave small sums with large rounding.
    d = [-0.2, -0.1, 0.1, 0.1]
    a = np.ravel([[1e6 + x, -1e6] for x in d])
    pairs = sb.PairedSet(a, np.zeros(8), "mean", np.arange(8) // 2)
    assert sb.p_randomization(quietly(sb.randomize, pairs, "all")) == 1


def test_f1_gaps_that_are_equal_by_algebra_are_ties():
    # 3/10 - 1/10 against 2/10 - 0: equal on paper, apart in floating point.
    a, b = [[1, 1, 2], [2, 2, 5]], [[1, 5, 2], [0, 3, 5]]
    pairs = sb.PairedSet(a, b, "f1")
    cloud = quietly(sb.randomize, pairs, "all")
    assert rules(cloud) == exact_p_values(pairs)
    tied = sb.Cloud([0.3 - 0.1, 0.2 - 0.0], 0.2, "randomization", True, 0.3)
    assert 0.3 - 0.1 < 0.2 and sb.p_randomization(tied) == 1


def test_bleu_gaps_that_are_equal_by_algebra_are_ties():
    # Exchanging segments that are permuted copies of each other leaves BLEU alone.
    a = data.wmt17()["online-A.0"][:6]
    b = a[[1, 0, 3, 2, 5, 4]]
    for metric in ("bleu", "bleu-exp"):
        cloud = quietly(sb.randomize, sb.PairedSet(a, b, metric), "all")
        assert cloud.observed == 0 and sb.p_randomization(cloud) == 1
    first, second = data.wmt17()["online-F.0"][20:30], data.wmt17()["online-G.0"][20:30]
    doubled = sb.PairedSet(np.concatenate([first] * 2), np.concatenate([second] * 2))
    cloud = quietly(sb.randomize, doubled, "all")
    loops = np.round(cloud.gaps, 12)
    assert sb.p_randomization(cloud) == np.mean(np.abs(loops) >= abs(round(doubled.gap, 12)))


# One product in float32 or float64 -----------------------------------------------------------------


class Recorder:
    """Stands for an array of bits or counts and notes the type that it is turned into."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, None

    def astype(self, dtype):
        self.dtype = np.dtype(dtype)
        return self.array.astype(dtype)


def swap_type(a, b):
    bits = Recorder(np.ones((1, len(a)), dtype=np.uint8))
    clouds._swapper(np.array(a), np.array(b), slice(None))(bits)
    return bits.dtype


def resample_type(a, b):
    counts = Recorder(np.ones((1, np.shape(a)[-2]), dtype=np.int64))
    clouds._resampler(np.array(a), np.array(b))(counts)
    return counts.dtype


def test_float32_is_used_for_integers_below_2_to_the_24_only():
    border = 2**24
    assert swap_type([[border // 2 - 1, 0]], [[border // 2, 1]]) == np.float32
    assert swap_type([[border // 2, 0]], [[-border // 2, 1]]) == np.float64
    assert swap_type([[border // 2, 0], [1, border - 1]], [[0, 0], [0, 1]]) == np.float64
    assert swap_type([[border, 0]], [[1, 1]]) == np.float64
    assert swap_type([[1.0, 0.5]], [[0.0, 1.0]]) == swap_type([[1, 5]], [[0.0, 1.0]]) == np.float64
    assert resample_type([[border // 4 - 1, 0]] * 4, [[0, 1]] * 4) == np.float32
    assert resample_type([[0, 0]] * 4, [[0, -border // 4]] * 4) == np.float64
    assert resample_type([[0, -border // 4]] * 4, [[0, 0]] * 4) == np.float64
    assert resample_type([[border // 4, 0]] * 4, [[0, 1]] * 4) == np.float64
    assert resample_type([[1, 2]] * 4, [[0.5, 1]] * 4) == np.float64
    assert resample_type([[[border // 4, 0]] * 4], [[[0, 1]] * 4]) == np.float64
    assert resample_type([[[border // 4 - 1, 0]] * 4] * 5, [[[0, 1]] * 4] * 5) == np.float32


@pytest.mark.parametrize("largest", [200, 2**24 // 120 - 1, 2**24 // 120, 2**24 // 60, 2**24])
def test_float32_and_float64_give_the_same_gaps_on_integers(monkeypatch, largest):
    rng = np.random.default_rng(11)
    sets = [sb.PairedSet(*(largest - rng.integers(0, 100, (2, 60))), "mean")]
    tp = largest - rng.integers(0, 100, (2, 60, 1))
    sets.append(sb.PairedSet(*np.concatenate([tp, tp + 3, tp + rng.integers(0, 50, (2, 60, 1))], axis=2), "f1"))
    before = [both_clouds(pairs, 500) for pairs in sets]
    monkeypatch.setattr(clouds, "FLOAT32_EXACT", 0)
    for pairs, made in zip(sets, before):
        for one, two in zip(made, both_clouds(pairs, 500)):
            assert np.array_equal(one.gaps, two.gaps)


def test_float32_beyond_its_border_would_be_wrong(monkeypatch):
    rng = np.random.default_rng(12)
    pairs = sb.PairedSet(*(2**22 + 1 - rng.integers(0, 100, (2, 60))), "mean")
    before = both_clouds(pairs, 500)
    monkeypatch.setattr(clouds, "FLOAT32_EXACT", 2**60)
    assert any(not np.array_equal(x.gaps, y.gaps) for x, y in zip(before, both_clouds(pairs, 500)))


# sacreBLEU's own draws ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 8, 31, 32, 33, 64, 65, 100])
@pytest.mark.parametrize("entries", [1, 1_000, 2**19])
def test_sacrebleu_order_draws_what_one_call_would_draw(monkeypatch, n, entries):
    monkeypatch.setattr(clouds, "CHUNK_ENTRIES", entries)
    pairs = unequal_pairs(n=n)
    d = pairs.a - pairs.b
    for draws in (1, 31, 32, 33, 100):
        kept = np.random.default_rng(12345).integers(2, size=(draws, n), dtype=bool)
        cloud = quietly(sb.randomize, pairs, draws, 12345, "sacrebleu")
        assert np.array_equal(cloud.gaps, np.where(kept, d, -d).sum(axis=1) / n)
        if n > 1:
            chosen = np.random.default_rng(12345).choice(n, size=(draws, n), replace=True)
            cloud = quietly(sb.bootstrap, pairs, draws, 12345, "sacrebleu")
            assert np.array_equal(cloud.gaps, d[chosen].sum(axis=1) / n)


def test_sacrebleu_order_also_draws_for_units_that_do_not_differ():
    pairs = sb.PairedSet([1, 5, 2, 5, 3], [0, 5, 0, 5, 0], "mean")
    kept = np.random.default_rng(3).integers(2, size=(50, 5), dtype=bool)
    d = pairs.a - pairs.b
    cloud = quietly(sb.randomize, pairs, 50, 3, "sacrebleu")
    assert np.array_equal(cloud.gaps, np.where(kept, d, -d).sum(axis=1) / 5)


def sacrebleu_p(monkeypatch, kind, hypotheses, references, draws, seed, smooth_method):
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    test = sacrebleu.significance.PairedTest(
        list(zip("AB", hypotheses)), {"BLEU": BLEU(smooth_method=smooth_method)}, [references],
        test_type=kind, n_samples=draws,
    )  # fmt: skip
    return test()[1]["BLEU"][1].p_value


@pytest.mark.parametrize(("metric", "smooth_method"), [("bleu", "none"), ("bleu-exp", "exp")])
@pytest.mark.parametrize("n", [31, 32, 50])
@pytest.mark.parametrize("seed", [12345, 7])
def test_sacrebleus_p_values_come_out_of_its_own_draws(monkeypatch, metric, smooth_method, n, seed):
    rng = random.Random(n + seed)
    references = text(rng, n, least=8)
    hypotheses = []
    for noise in (0.15, 0.2):
        words = [[w if rng.random() > noise else "x" for w in line.split(" ")] for line in references]
        hypotheses.append([" ".join(line) for line in words])
    pairs = sb.PairedSet(*(sb.bleu_statistics(h, references) for h in hypotheses), metric)
    cloud = quietly(sb.bootstrap, pairs, 200, seed, "sacrebleu")
    theirs = sacrebleu_p(monkeypatch, "bs", hypotheses, references, 200, seed, smooth_method)
    assert sb.p_sacrebleu(cloud) == theirs
    cloud = quietly(sb.randomize, pairs, 200, seed, "sacrebleu")
    theirs = sacrebleu_p(monkeypatch, "ar", hypotheses, references, 200, seed, smooth_method)
    assert (1 + np.sum(np.abs(cloud.gaps) > abs(cloud.observed))) / 201 == theirs
    assert sb.p_randomization(cloud) >= theirs


def test_sacrebleus_published_p_values_on_wmt17():
    pairs = wmt17()
    resampled = quietly(sb.bootstrap, pairs, 1_000, 12345, "sacrebleu")
    assert round(sb.p_sacrebleu(resampled), 7) == 0.3076923
    swapped = quietly(sb.randomize, pairs, 10_000, 12345, "sacrebleu")
    assert round(sb.p_randomization(swapped), 7) == 0.8066193
    for second in ("online-A.0", "online-F.0", "online-G.0"):
        pairs = wmt17(second=second)
        assert sb.p_sacrebleu(quietly(sb.bootstrap, pairs, 1_000, 12345, "sacrebleu")) == 1 / 1_001
        assert sb.p_randomization(quietly(sb.randomize, pairs, 1_000, 12345, "sacrebleu")) == 1 / 1_001


def test_documents_as_units_on_two_real_test_sets():
    rated = data.wmt23()
    a, b = rated.bleu["ONLINE-W"], rated.bleu["ONLINE-M"]
    by_segment = sb.p_randomization(quietly(sb.randomize, sb.PairedSet(a, b)))
    by_document = sb.p_randomization(quietly(sb.randomize, sb.PairedSet(a, b, clusters=rated.documents)))
    assert by_segment == pytest.approx(0.026, abs=0.006)
    assert by_document == pytest.approx(0.068, abs=0.009)
    talks = data.wmt21_ted()
    a, b = talks.bleu["Facebook-AI"], talks.bleu["UEdin"]
    assert sb.p_randomization(quietly(sb.randomize, sb.PairedSet(a, b))) == pytest.approx(1e-4, abs=2e-4)
    exact = quietly(sb.randomize, sb.PairedSet(a, b, clusters=talks.documents), "all")
    assert exact.draws == 32 and sb.p_randomization(exact) == 0.125


def test_sacrebleu_order_knows_no_clusters():
    pairs = unequal_pairs(clusters=np.arange(12) // 2)
    for make in (sb.bootstrap, sb.randomize):
        with pytest.raises(ValueError, match="order='sacrebleu' draws segments, but pairs has clusters"):
            make(pairs, 10, 0, "sacrebleu")


# Doubts -------------------------------------------------------------------------------------------


def clean(n=200):
    """Two systems without any doubt: long outputs, many matches, lengths far from the references."""
    rng = np.random.default_rng(13)
    t = np.full((n, 1), 20) - np.arange(4)
    a, b = (np.hstack([np.full((n, 1), 20), np.full((n, 1), 25),
                       t - rng.integers(4, 9, (n, 1)) - [0, 2, 4, 6], t]) for _ in "ab")  # fmt: skip
    return sb.PairedSet(np.maximum(a, 0), np.maximum(b, 0))


def test_a_clean_pair_raises_no_doubt():
    pairs = clean()
    assert pairs.gap != 0
    for function in (sb.bootstrap, sb.randomize, sb.influence, sb.delta_sd):
        assert said(function, pairs) == []
    for cloud in (sb.bootstrap(pairs), sb.randomize(pairs)):
        assert said(rules, cloud) == []
    assert said(sb.p_sacrebleu, sb.bootstrap(pairs)) == []


@pytest.mark.parametrize(("differing", "floor"), [(0, "1"), (1, "1"), (2, "0.5"), (4, "0.125"), (5, "0.0625")])
@pytest.mark.parametrize("draws", ["all", 100])
def test_too_few_differing_segments_for_a_p_below_005_are_said_with_the_floor(differing, floor, draws):
    a = np.arange(1, 11)
    pairs = sb.PairedSet(a, np.where(np.arange(10) < differing, 0, a), "mean")
    (sentence,) = said(sb.randomize, pairs, draws)
    noun = "segment" if differing == 1 else "segments"
    assert f"the systems differ on {differing} {noun}, so the smallest two-sided p-value is {floor}:" in sentence
    if draws == "all":
        assert sb.p_randomization(quietly(sb.randomize, pairs, "all")) == float(floor)


@pytest.mark.parametrize("differing", [4, 5, 7, 2_000])
def test_too_few_are_those_whose_smallest_p_is_above_alpha(differing):
    assert clouds.too_few(differing, "segment", 2 / 2**differing) == ()
    (sentence,) = clouds.too_few(5, "document", 0.01)
    assert sentence == ("the systems differ on 5 documents, so the smallest two-sided p-value is 0.0625: "
                        "no p below 0.01 is possible")


def test_six_differing_segments_can_give_a_p_below_005():
    a = np.arange(1, 11)
    pairs = sb.PairedSet(a, np.where(np.arange(10) < 6, 0, a), "mean")
    assert said(sb.randomize, pairs, "all") == []
    assert sb.p_randomization(sb.randomize(pairs, "all")) == 2 / 2**6


@pytest.mark.parametrize(("clusters", "floor"), [(5, 0.0625), (6, 0.03125), (8, 0.0078125)])
def test_the_floor_counts_clusters(clusters, floor):
    n = 5 * clusters
    pairs = sb.PairedSet(np.ones(n), np.zeros(n), "mean", np.arange(n) % clusters)
    sentences = said(sb.randomize, pairs, "all")
    assert sb.p_randomization(quietly(sb.randomize, pairs, "all")) == floor
    assert [f"differ on {clusters} clusters" in x for x in sentences] == ([True] if clusters < 6 else [])


def test_a_degenerate_bootstrap_cloud_is_said():
    for a, b in (([7] * 5, [0] * 5), ([1.1, 2.2, 3.3], [1.0, 2.1, 3.2]), ([1, 2, 3], [1, 2, 3])):
        (sentence,) = said(sb.bootstrap, sb.PairedSet(a, b, "mean"), 50)
        assert "the bootstrap cloud is degenerate: every resample gives the gap" in sentence
    assert said(sb.bootstrap, sb.PairedSet([7, 7, 7, 8], [0] * 4, "mean"), 50) == []


def test_doubts_about_bleu_are_said_by_the_cloud_that_they_concern():
    near = wmt17("online-A.0", "online-F.0", n=15)
    assert any("fewer than 50" in x for x in said(sb.bootstrap, near, 50))
    assert said(sb.randomize, near, 50) == []
    lost = np.array(near.b)
    lost[:, 5] = 0
    zero = sb.PairedSet(near.a, lost)
    for make in (sb.bootstrap, sb.randomize):
        assert any("B: BLEU is 0" in x for x in said(make, zero, 50))
    (sentence,) = said(sb.bootstrap, near_the_kink(0.01), 50)
    assert "the brevity penalty's kink" in sentence
    assert said(sb.randomize, near_the_kink(0.01), 50) == []


def test_warnings_point_at_the_line_that_caused_them():
    for make in (sb.bootstrap, sb.randomize):
        with pytest.warns(sb.SignificanceWarning) as caught:
            make(sb.PairedSet([1, 2], [1, 2], "mean"), 10)
        assert caught[0].filename == __file__


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
@pytest.mark.parametrize("draws", [0, -1, 1.5, 100.0, True, None, [10], np.nan, "ALL", "100"])
def test_draws_must_be_a_positive_integer(make, draws):
    with pytest.raises(ValueError, match=r"draws must be an integer >= 1"):
        make(unequal_pairs(), draws)


def test_only_swaps_can_be_enumerated():
    with pytest.raises(ValueError, match="draws must be an integer >= 1; got 'all'"):
        sb.bootstrap(unequal_pairs(), "all")


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
@pytest.mark.parametrize("seed", [None, -1, 1.0, True, "0", [1], np.random.RandomState(0)])
def test_a_seed_is_needed(make, seed):
    with pytest.raises(ValueError, match="seed must be an integer >= 0, a SeedSequence or a Generator; got"):
        make(unequal_pairs(), 10, seed)


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
@pytest.mark.parametrize("order", ["slow", "", None, 1, ["fast"]])
def test_the_order_is_fast_or_sacrebleu(make, order):
    with pytest.raises(ValueError, match="order must be one of 'fast', 'sacrebleu'; got"):
        make(unequal_pairs(), 10, 0, order)


@pytest.mark.parametrize("function", [sb.bootstrap, sb.randomize, sb.influence, sb.delta_sd])
@pytest.mark.parametrize("pairs", [None, [1, 2], np.ones((3, 10)), "pairs", sb.PairedSet])
def test_a_paired_set_is_needed(function, pairs):
    with pytest.raises(ValueError, match="pairs must be a PairedSet; got"):
        function(pairs)


def test_a_function_without_a_score_on_some_draw_is_refused():
    pairs = sb.PairedSet([[1, 0], [1, 3]], [[1, 2], [1, 0]], lambda p: p[..., 0] / p[..., 1])
    for make in (sb.bootstrap, sb.randomize):
        with pytest.raises(ValueError, match="metric '<lambda>' must give finite scores; .* of 100 draws gave none"):
            quietly(make, pairs, 100)


def test_a_function_that_fails_on_some_draw_is_refused():
    def fussy(pooled):
        if (pooled[..., 0] == 0).any():
            raise ZeroDivisionError("no predictions")
        return pooled[..., 1] / pooled[..., 0]

    pairs = sb.PairedSet([[1, 0], [0, 3]], [[1, 2], [0, 1]], fussy)
    with pytest.raises(ValueError, match="metric 'fussy' must map .* it raised ZeroDivisionError: no predictions"):
        sb.bootstrap(pairs, 100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], 0.0, "jackknife"), "kind must be one of 'bootstrap', 'randomization'; got 'jackknife'"),
        (([], 0.0, "bootstrap"), r"gaps must not be empty"),
        ((3.0, 0.0, "bootstrap"), "gaps must have 1 or 2 or 3 axes"),
        (([1.0, np.nan], 0.0, "bootstrap"), r"gaps must be finite; got gaps\[1\] = nan"),
        (([1.0], np.inf, "bootstrap"), "observed must be finite"),
        (([1.0], None, "bootstrap"), "observed must hold numbers"),
        (([1.0], [0.0], "bootstrap"), r"observed must have the shape of gaps without its last axis, \(\); got"),
        (([[1.0], [2.0]], 0.0, "bootstrap"), r"without its last axis, \(2,\); got \(\)"),
        (([1.0], 0.0, "bootstrap", 1), "enumerated must be True or False"),
        (([1.0], 0.0, "bootstrap", False, -1.0), "score_scale must be >= 0"),
        (([1.0], 0.0, "bootstrap", False, [1.0]), "score_scale must be >= 0, one number or of shape"),
        (([1.0], 0.0, "bootstrap", False, 0.0, -1), "invalid must be an integer >= 0"),
    ],
)
def test_a_cloud_is_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        sb.Cloud(*arguments)


def test_a_cloud_keeps_a_copy_that_cannot_be_written():
    gaps = np.array([1.0, 2.0, 4.0])
    cloud = sb.Cloud(gaps, np.float64(2), "bootstrap")
    gaps[0] = 9
    assert cloud.gaps.tolist() == [1, 2, 4] and cloud.draws == 3
    assert type(cloud.observed) is float and type(cloud.sd) is float
    assert cloud.sd == pytest.approx(np.sqrt(14 / 9))
    with pytest.raises(ValueError, match="read-only"):
        cloud.gaps[0] = 0
    with pytest.raises(AttributeError):
        cloud.observed = 0.0
    assert cloud != sb.Cloud(cloud.gaps, 2.0, "bootstrap") and len({cloud, cloud}) == 1  # itself alone
    assert repr(cloud) == "Cloud(bootstrap, 3 draws: observed +2, sd 1.247)"


def test_a_cloud_may_have_one_or_two_axes_of_experiments():
    gaps = np.arange(24.0).reshape(2, 3, 4)
    for cloud in (sb.Cloud(gaps, gaps[..., 0], "bootstrap"), sb.Cloud(gaps[0], gaps[0, :, 0], "bootstrap")):
        assert (cloud.draws, cloud.enumerated, cloud.invalid) == (4, False, 0)
        assert cloud.sd.shape == cloud.observed.shape and cloud.sd == pytest.approx(np.sqrt(1.25))
        assert cloud.slack == 0
        assert not cloud.gaps.flags.writeable and not cloud.observed.flags.writeable
    assert repr(cloud) == "Cloud(bootstrap, 3 experiments of 4 draws)"
    scaled = sb.Cloud(gaps, gaps[..., 0], "bootstrap", score_scale=np.full((2, 3), 2.0))
    assert scaled.slack == pytest.approx(np.full((2, 3), 2e-12))
    with pytest.raises(ValueError, match="gaps must have 1 or 2 or 3 axes; got an array of shape"):
        sb.Cloud(gaps[None], gaps[None, ..., 0], "bootstrap")


def test_numbers_of_up_to_1e300_make_a_cloud():
    cloud = sb.Cloud([1e300, -1e300], -1e300, "bootstrap", score_scale=1e300)
    assert cloud.sd == pytest.approx(1e300)


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
def test_a_cloud_is_of_10_000_draws_by_default(make):
    pairs = unequal_pairs(n=7)
    assert np.array_equal(make(pairs).gaps, make(pairs, 10_000).gaps)
    assert not make(pairs).enumerated


# Many experiments at once -------------------------------------------------------------------------

STACKS = [(bootstrap_stack, sb.bootstrap), (randomize_stack, sb.randomize)]


@pytest.mark.parametrize(("stacked", "single"), STACKS)
def test_a_stack_of_one_is_the_single_experiment(stacked, single):
    whole, real = unequal_pairs(n=70), np.random.default_rng(14).normal(size=(2, 70))
    bleu = wmt17("online-A.0", "online-F.0", n=300)
    differ = (bleu.a != bleu.b).any(axis=1)
    bleu = sb.PairedSet(bleu.a[differ], bleu.b[differ])
    for pairs in (whole, sb.PairedSet(*real, "mean"), bleu):
        one = quietly(single, pairs, 200, 5)
        cloud = stacked(pairs.a[None], pairs.b[None], pairs.metric, 200, 5)
        assert cloud.gaps.shape == (1, 200) and cloud.observed.shape == (1,)
        assert (cloud.kind, cloud.enumerated) == (one.kind, False)
        assert cloud.observed[0] == pytest.approx(one.observed, abs=1e-15)
        assert cloud.gaps[0] == pytest.approx(one.gaps, abs=1e-14)
        assert cloud.score_scale[0] == pytest.approx(one.score_scale)
        assert [p[0] for p in rules(cloud)] == rules(one)


@pytest.mark.parametrize(("stacked", "single"), STACKS)
def test_each_experiment_of_a_stack_follows_the_law_of_a_single_one(stacked, single):
    systems = data.wmt17()
    a, b = (systems[name][:400].reshape(10, 40, 10) for name in ("online-F.0", "online-G.0"))
    cloud = stacked(a, b, "bleu", 2_000, 1)
    assert cloud.gaps.shape == (10, 2_000)
    for e in range(10):
        pairs = sb.PairedSet(a[e], b[e])
        one = quietly(single, pairs, 2_000, 2)
        assert cloud.observed[e] == pytest.approx(pairs.gap, abs=1e-15)
        assert stats.ks_2samp(cloud.gaps[e], one.gaps).pvalue > 1e-4


def test_a_stack_is_of_1000_draws_from_seed_0_by_default():
    a, b = np.random.default_rng(20).normal(size=(2, 2, 9))
    for stacked, _ in STACKS:
        assert np.array_equal(stacked(a, b, "mean").gaps, stacked(a, b, "mean", 1_000, 0).gaps)


@pytest.mark.parametrize(("stacked", "single"), STACKS)
def test_experiments_of_a_stack_have_their_own_draws(stacked, single):
    a, b = np.tile(unequal_pairs().a, (3, 1)), np.tile(unequal_pairs().b, (3, 1))
    gaps = stacked(a, b, "mean", 500).gaps
    assert len({row.tobytes() for row in gaps}) == 3
    assert np.abs(np.corrcoef(gaps)[np.triu_indices(3, 1)]).max() < 5 / np.sqrt(500)


@pytest.mark.parametrize(("stacked", "single"), STACKS)
@pytest.mark.parametrize("entries", [1, 150, 5_000])
def test_a_stack_does_not_depend_on_the_size_of_chunks(monkeypatch, stacked, single, entries):
    rng = np.random.default_rng(15)
    sets = [(rng.integers(0, 9, (2, 7, 13)), "mean"), (rng.normal(size=(2, 5, 67)), "mean")]
    sets.append((rng.integers(1, 9, (2, 6, 10, 3)), "f1"))
    before = [stacked(*ab, metric, 90, 2) for ab, metric in sets]
    monkeypatch.setattr(clouds, "CHUNK_ENTRIES", entries)
    for (ab, metric), one in zip(sets, before):
        two = stacked(*ab, metric, 90, 2)
        assert one.gaps == pytest.approx(two.gaps, abs=0 if ab.dtype.kind == "i" else 1e-14)
        assert [p.tolist() for p in rules(one)] == [p.tolist() for p in rules(two)]


@pytest.mark.parametrize(("stacked", "single"), STACKS)
def test_a_stack_ties_as_a_single_experiment_does(stacked, single):
    n = 2_000
    a, b = np.full((2, n), 10**12), np.full((2, n), 10**12)
    a[0, :7] += 1
    b[0, 7:9] += 1
    whole = stacked(a, b, "mean", 200)
    assert whole.slack.tolist() == [0, 0]
    assert whole.observed.tolist() == [5 / n, 0]
    assert len(set(whole.gaps[0])) > 3 and not whole.gaps[1].any()
    real = np.array([[-0.2, -0.1, 0.1, 0.1]] * 2) + [[0], [1e3]]
    tied = randomize_stack(real, np.array([[0.0] * 4, [1e3] * 4]), "mean", 400)
    assert sb.p_randomization(tied).tolist() == [1, 1]
    assert tied.score_scale == pytest.approx([0.125, 1e3], rel=1e-3)


def test_equal_systems_get_gaps_of_0_whatever_the_rounding():
    rng = np.random.default_rng(16)
    for columns in (3, 5, 7):
        z = rng.random((1_000, columns))

        def score(p, k=columns):
            return p[..., 0] / p[..., 1] + (p[..., k - 1] / p[..., 1]) ** 2

        for cloud in both_clouds(sb.PairedSet(z, z, score)):
            assert not cloud.gaps.any()
        for stacked, _ in STACKS:
            assert not stacked(z[None], z[None], score, 100).gaps.any()


def test_rules_read_a_stack_row_by_row():
    rng = np.random.default_rng(17)
    a, b = rng.normal(size=(2, 4, 20))
    for stacked, single in STACKS:
        cloud = stacked(a, b, "mean", 300)
        parts = [
            sb.Cloud(cloud.gaps[e], cloud.observed[e], cloud.kind, False, cloud.score_scale[e]) for e in range(4)
        ]
        functions = [rules]
        if cloud.kind == "bootstrap":
            functions += [lambda c: [sb.p_sacrebleu(c)], sb.percentile_interval, sb.basic_interval]
        for function in functions:
            together = np.array(function(cloud))
            assert together.T.tolist() == [list(function(part)) for part in parts]
        assert cloud.sd == pytest.approx([part.sd for part in parts])


def test_a_stack_says_nothing_aloud():
    for stacked, _ in STACKS:
        assert said(stacked, np.ones((3, 4)), np.ones((3, 4)), "mean", 20) == []
        assert said(stacked, np.zeros((2, 4, 10)), np.zeros((2, 4, 10)), "bleu", 20) == []


@pytest.mark.parametrize(("stacked", "single"), STACKS)
def test_what_a_stack_does_not_say_is_collected_experiment_by_experiment(stacked, single):
    rng = np.random.default_rng(23)
    kink, safe, scores = near_the_kink(0.0), near_the_kink(0.1), rng.normal(size=(2, 30))
    nothing = np.zeros_like(kink.a)
    stacks = {
        "bleu": [(kink.a, kink.b), (safe.a, safe.b), (nothing, safe.b), (kink.a // 1000, kink.b)],
        "f1": [(np.ones((9, 3)), np.zeros((9, 3))), (np.ones((9, 3)), rng.integers(1, 3, (9, 3)) ** [0, 1, 1])],
        "mean": [tuple(scores), (scores[0], scores[0]), (scores[0], np.append(scores[0][:-2], [7.0, 9.0]))],
    }
    words = set()
    for metric, experiments in stacks.items():
        a, b = (np.array(side) for side in zip(*experiments))
        found = clouds.stack_doubts(stacked(a, b, metric, 60, 4), a, b, metric)
        for x, y, texts in zip(a, b, found, strict=True):
            assert list(texts) == said(single, quietly(sb.PairedSet, x, y, metric), 60, 4)
            words |= set(texts)
        assert any(found)
    assert found[0] == ()
    parts = ["BLEU is 0", "F1 is set to 0"]
    parts += {"bootstrap": ["4-grams", "kink", "degenerate"], "randomize": ["on 0 segments", "on 2 segments"]}[single.__name__]
    assert all(any(part in text for text in words) for part in parts)


def test_doubts_are_collected_for_the_experiments_that_made_the_cloud():
    a, b = np.random.default_rng(24).normal(size=(2, 3, 8))
    stack, one = bootstrap_stack(a, b, "mean", 20), sb.bootstrap(sb.PairedSet(a[0], b[0], "mean"), 20)
    few, cube = bootstrap_stack(a[:2], b[:2], "mean", 20), sb.Cloud(np.ones((3, 2, 9)), np.ones((3, 2)), "bootstrap")
    three = sb.Cloud([1.0, 2.0, 3.0], 2.0, "bootstrap")
    wrong = [(one, a, b), (three, a, b), (cube, a, b), ("stack", a, b)]
    wrong += [(stack, a[:2], b[:2]), (stack, a, b[:2]), (few, a, b), (few, a[:2], b), (few, a, b[:2])]
    for cloud, x, y in wrong:
        with pytest.raises(ValueError, match="cloud must be the stack made from a and b"):
            clouds.stack_doubts(cloud, x, y, "mean")


@pytest.mark.parametrize(("stacked", "single"), STACKS)
@pytest.mark.parametrize(
    ("a", "b", "metric", "message"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), "mean", "a and b must have the same shape"),
        (np.ones((2, 4)), np.ones((2, 3)), "mean", "a and b must have the same shape"),
        (np.ones((2, 3)), np.ones((2, 3)), "bleu", "a must have 3 axes"),
        (np.ones((2, 3, 4)), np.ones((2, 3, 4)), "bleu", "a must have 10 columns"),
        (np.ones((2, 3, 3)), -np.ones((2, 3, 3)), "f1", r"b must hold counts >= 0; got b\[0, 0, 0\] \(tp\)"),
        (np.full((2, 3), np.nan), np.ones((2, 3)), "mean", r"a must be finite; got a\[0, 0\] = nan"),
        (np.ones((2, 3, 2)), np.zeros((2, 3, 2)), "mean", r"b must hold counts > 0 .* got b\[0, 0, 1\] = 0"),
        (np.ones(3), np.ones(3), "mean", "a must have 2 or 3 axes"),
        (np.ones((0, 3)), np.ones((0, 3)), "mean", "a must not be empty"),
        (np.ones((2, 3, 2)), np.ones((2, 3, 2)), lambda p: p[..., 0], "must be homogeneous"),
        (np.arange(12).reshape(2, 3, 2), np.ones((2, 3, 2)), lambda p: p[..., 0], "the sums of a gave 6, twice the"),
        (np.ones((2, 3)), np.ones((2, 3)), "chrf", "metric is 'chrf'; allowed are"),
    ],
)
def test_a_stack_refuses_what_a_paired_set_refuses(stacked, single, a, b, metric, message):
    with pytest.raises(ValueError, match=message):
        stacked(a, b, metric, 10)


def test_the_bootstrap_of_a_stack_needs_two_segments():
    with pytest.raises(ValueError, match="1 segment per experiment"):
        bootstrap_stack(np.ones((3, 1)), np.zeros((3, 1)), "mean", 10)
    assert bootstrap_stack(np.ones((3, 2)), np.zeros((3, 2)), "mean", 10).draws == 10
    assert randomize_stack(np.ones((3, 1)), np.zeros((3, 1)), "mean", 10).draws == 10


# Memory -------------------------------------------------------------------------------------------


def peak_memory(function, *arguments):
    """The most that a call holds at once beyond what was there before, in MB."""
    gc.collect()
    tracemalloc.start()
    quietly(function, *arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
@pytest.mark.parametrize("factor", [1, 40])
def test_extra_memory_stays_below_32_mb_at_100_000_segments(make, factor):
    rows = np.resize(data.wmt17()["online-A.0"], (100_000, 10))
    pairs = sb.PairedSet(factor * rows, factor * np.roll(rows, 1, axis=0))
    assert peak_memory(make, pairs, 200) < 32


@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
def test_memory_does_not_grow_with_the_number_of_draws(make):
    pairs = unequal_pairs(n=3_000)
    few, many = (peak_memory(make, pairs, draws) for draws in (500, 4_000))
    assert many < few + 0.3


@pytest.mark.parametrize("make", [bootstrap_stack, randomize_stack])
def test_memory_of_a_stack_does_not_grow_with_its_size(make):
    a, b = np.random.default_rng(18).integers(0, 9, (2, 40, 500))
    small, large = (peak_memory(make, a[:e], b[:e], "mean", draws) for e, draws in ((2, 1_500), (40, 6_000)))
    assert large < small + 40 * 6_000 * 8 * 3 / 1e6 + 1


def test_a_million_segments_take_memory_in_proportion():
    rng = np.random.default_rng(19)
    pairs = sb.PairedSet(rng.integers(0, 9, 10**6), rng.integers(0, 9, 10**6), "mean")
    for make in (sb.bootstrap, sb.randomize):
        assert peak_memory(make, pairs, 4) < 100


@pytest.mark.parametrize("numbers", [([1e301, 0], 0, 1), ([1, 0], -1e301, 1), ([1, 0], 0, 1e301)])
def test_a_cloud_refuses_numbers_whose_sums_would_not_end(numbers):
    gaps, observed, scale = numbers
    with pytest.raises(ValueError, match=r"must be at most 1e\+300 in size; got 1e\+301"):
        sb.Cloud(gaps, observed, "bootstrap", score_scale=scale)
