"""Chapter 11: the family, damage and subsets counted; experiments, figures, lab, claims on other seeds."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from enumeration import f1, swapped_gaps
from labs import driven

import sigbook as sb
from sigbook import clouds, metrics
from sigbook.chapters import case_study as chapter
from sigbook.worlds import filings, tone

pytestmark = pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")


@pytest.fixture(scope="module")
def everything():
    return chapter.family()


@pytest.fixture(scope="module")
def verdict(everything):
    return chapter.verdicts(everything)


def tables(world):
    """metric -> system -> statistics of a world."""
    return {metric: {name: filings.statistics(name, metric, world) for name in filings.SYSTEMS}
            for metric in chapter.METRICS}


# Statements ---------------------------------------------------------------------------------------


@pytest.mark.proves("cor-family")
def test_holm_on_shared_swaps_keeps_its_level_whichever_nulls_are_true():
    reached = 0
    for seed in (3, 4):
        scores = np.random.default_rng(seed).integers(0, 1000, (3, 3))
        for equal in (True, False):
            for draws, alpha in ((1, Fraction(1, 2)), (2, Fraction(1)), (3, Fraction(3, 4)),
                                 (3, Fraction(1, 2)), (4, Fraction(3, 5)), (4, Fraction(9, 10))):
                error = chapter.exact_family(scores, draws, alpha, equal)
                assert error <= alpha
                reached += error > 0
    assert reached >= 8


def test_the_exact_family_is_counted_as_the_package_would_test():
    """Three alike systems on two segments, by plain loops and with `sb.holm`."""
    scores, draws, alpha = np.array([[5, 1], [2, 9], [4, 4]]), 2, Fraction(9, 10)
    patterns = list(product((1, -1), repeat=2))
    wrong = total = 0
    for first, second in product(permutations(range(3)), repeat=2):
        data = np.stack([scores[list(first), 0], scores[list(second), 1]], axis=1)
        for drawn in product(patterns, repeat=draws):
            p = []
            for i, j in combinations(range(3), 2):
                d = data[i] - data[j]
                hits = sum(abs(np.dot(e, d)) >= abs(d.sum()) for e in drawn)
                p.append((1 + hits) / (draws + 1))
            wrong += bool((sb.holm(p) <= float(alpha) + 1e-12).any())
            total += 1
    assert chapter.exact_family(scores, draws, alpha, equal=True) == Fraction(wrong, total)


@pytest.mark.proves("cor-family")
def test_with_too_few_draws_holm_rejects_nothing_and_with_enough_it_can():
    for k, alpha in ((3, Fraction(1, 4)), (45, Fraction(1, 20)), (90, Fraction(1, 20))):
        least = int(k / alpha) - 1
        for draws in (1, least // 2, least - 1):
            assert k * Fraction(1, draws + 1) > alpha
            assert (sb.holm(np.full(k, 1 / (draws + 1))) > float(alpha)).all()
        assert k * Fraction(1, least + 1) <= alpha
    assert (sb.holm(chapter.family(draws=1_798).p.ravel()) > 0.05).all()
    assert (sb.holm(chapter.family(draws=1_799).p.ravel()) <= 0.05).any()


@pytest.mark.proves("prop-certificate")
def test_p_depends_on_the_statistics_alone():
    """Filings whose outputs differ and whose statistics agree are exchanged: p stays the same."""
    a, b = (filings.fresh("bleu")[name] for name in ("writer", "noisy-0.3"))
    facts = filings.fresh("fact-f1")["noisy-0.3"]
    kinds, place = np.unique(np.hstack([a, b]), axis=0, return_inverse=True)
    place = place.ravel()
    twins = [np.flatnonzero(place == k)[:2] for k in range(len(kinds))]
    twins = np.array([two for two in twins if len(two) == 2])
    assert (facts[twins[:, 0]] != facts[twins[:, 1]]).any(axis=1).sum() > 20
    p = [sb.p_randomization(sb.randomize(sb.PairedSet(a[rows], b[rows]), 999, seed=4))
         for rows in twins.T]
    assert p[0] == p[1]


@pytest.mark.proves("prop-certificate")
def test_a_metric_with_exchangeable_statistics_keeps_its_level_whatever_the_outputs_do():
    """Outputs carry two numbers; the first is exchangeable, the second always larger for A."""
    first = np.array([[3, 1], [7, 2], [4, 4], [9, 5]])
    second = (10, 0)
    for draws in (1, 2, 3):
        sizes, other = np.zeros(draws + 2, dtype=int), set()
        for order in product((False, True), repeat=4):
            outputs = [((x, second[0]), (y, second[1])) if not turned else
                       ((y, second[0]), (x, second[1]))
                       for turned, (x, y) in zip(order, first.tolist())]
            d = np.array([a[0] - b[0] for a, b in outputs])
            sure = np.array([a[1] - b[1] for a, b in outputs])
            signs = np.array(list(product((1, -1), repeat=4)))
            reached = np.abs(signs @ d) >= abs(d.sum())
            for drawn in product(range(16), repeat=draws):
                sizes[1 + reached[list(drawn)].sum()] += 1
            other.add(int((np.abs(signs @ sure) >= abs(sure.sum())).sum()))
        share = [Fraction(int(sizes[:k + 1].sum()), int(sizes.sum())) for k in range(draws + 2)]
        assert all(share[k] <= Fraction(k, draws + 1) for k in range(draws + 2))
        assert other == {2}  # the other metric has the smallest p there is, on all data


@pytest.mark.proves("prop-certificate")
def test_equal_statistics_give_p_one_for_every_number_of_segments_and_draws():
    x = {"bleu": filings.statistics("writer"), "f1": filings.statistics("terse", "fact-f1"),
         "mean": filings.statistics("writer", "chrf")}
    for metric, values in x.items():
        for n in (1, 2, 90):
            pairs = sb.PairedSet(values[:n], values[:n].copy(), metric)
            for draws in (1, 20, 999, "all"):
                assert sb.p_randomization(sb.randomize(pairs, draws)) == 1.0


def test_neither_null_implies_the_other():
    facts = [filings.statistics(name, "fact-f1") for name in ("writer", "extract")]
    assert np.array_equal(*facts)
    assert sb.p_randomization(sb.randomize(filings.pair("writer", "extract"), 9_999)) < 0.001
    same = (filings.statistics("writer") == filings.statistics("flipped")).all(axis=1)
    rows = np.flatnonzero(same)
    bleu = filings.pair("writer", "flipped", filings=rows)
    assert sb.p_randomization(sb.randomize(bleu, "all")) == 1.0
    fact = filings.pair("writer", "flipped", "fact-f1", filings=rows)
    assert sb.p_randomization(sb.randomize(fact, "all")) == 2 / 2 ** len(rows)
    world = filings.load()
    for i in rows:
        assert filings.claims(world.summaries["writer"][i]) != filings.claims(
            world.summaries["flipped"][i])


def random_damage(metric, n, shown, rng):
    """Statistics of A, and of B with damage on some segments, for one case of the lemma."""
    if metric == "f1":
        return chapter.damaged(n, shown, rng)
    places = rng.permutation(n)[:shown]
    if metric == "mean":
        a = rng.integers(5, 12, n)
        b = a.copy()
        b[places] -= rng.integers(1, 5, shown)
        return a, b
    c = rng.integers(9, 14, n)
    totals = c[:, None] - np.arange(4)
    matches = np.stack([rng.integers(2, t + 1) for t in totals.T], axis=1)
    a = np.column_stack([c, rng.integers(8, 16, n), matches, totals])
    b = a.copy()
    for place in places:
        b[place, 2 + rng.integers(4)] -= 1
        b[place, 2:6] -= rng.integers(0, 2, 4) * (b[place, 2:6] > 1)
    return a, b


@pytest.mark.proves("lem-damage")
def test_each_case_of_the_lemma_falls_where_it_shows_and_stays_where_not():
    rng = np.random.default_rng(8)
    for metric in ("f1", "bleu", "mean"):
        for _ in range(6):
            n, shown = 5, int(rng.integers(1, 6))
            a, b = random_damage(metric, n, shown, rng)
            pairs = sb.PairedSet(a, b, metric)
            differ = (pairs.unit_a != pairs.unit_b).any(axis=1)
            assert differ.sum() == shown and (metric != "bleu" or pairs.score_b > 0)
            score = {}
            for pattern in product((0, 1), repeat=n):
                mixed = np.where(np.array(pattern)[:, None] == 1, pairs.unit_b, pairs.unit_a)
                score[pattern] = float(pairs.rule.score(mixed.sum(axis=0)))
            for pattern, i in product(score, range(n)):
                if pattern[i] == 0:
                    fallen = score[(*pattern[:i], 1, *pattern[i + 1:])]
                    if differ[i]:
                        assert fallen < score[pattern] - 1e-12
                    else:
                        assert fallen == score[pattern]


@pytest.mark.proves("prop-damage")
def test_the_p_value_of_damage_is_two_over_two_to_the_k():
    rng = np.random.default_rng(9)
    for shown in range(1, 8):
        for _ in range(3):
            a, b = chapter.damaged(7, shown, rng)
            assert chapter.exact_p(a, b, chapter.exact_f1) == Fraction(2, 2**shown)
            gaps = swapped_gaps(a.tolist(), b.tolist(), f1)
            first = max(gaps)
            assert Fraction(sum(abs(x) >= first for x in gaps), len(gaps)) == Fraction(2, 2**shown)
            for metric in ("f1", "bleu", "mean"):
                pairs = sb.PairedSet(*random_damage(metric, 9, shown, rng), metric)
                assert sb.p_randomization(sb.randomize(pairs, "all")) == 2 / 2**shown


@pytest.mark.proves("prop-damage")
def test_no_data_on_k_differing_segments_have_a_smaller_p():
    rng = np.random.default_rng(10)
    for _ in range(200):
        n, metric = int(rng.integers(2, 8)), ("f1", "mean")[int(rng.integers(2))]
        a, b = (rng.integers(0, 4, (n, 3)) + [0, 4, 4] for _ in range(2))
        pairs = sb.PairedSet(*((a, b) if metric == "f1" else (a[:, 0], b[:, 0])), metric)
        k = int((pairs.unit_a != pairs.unit_b).any(axis=1).sum())
        assert sb.p_randomization(sb.randomize(pairs, "all")) >= min(1, 2 / 2**k)


@pytest.mark.proves("prop-damage")
def test_power_against_damage_is_the_chance_that_enough_segments_show_it():
    for n, chance, alpha in ((6, Fraction(1, 3), 0.3), (9, Fraction(2, 5), 0.05),
                             (5, Fraction(1, 2), 0.05), (8, Fraction(9, 10), 0.1)):
        power = Fraction(0)
        for pattern in product((0, 1), repeat=n):
            k = sum(pattern)
            p = Fraction(2, 2**k) if k else Fraction(1)
            if p <= Fraction(repr(alpha)):
                power += chance**k * (1 - chance) ** (n - k)
        assert chapter.damage_power(n, float(chance), alpha) == pytest.approx(float(power), abs=1e-12)
    assert [chapter.least_shown(alpha) for alpha in (0.5, 0.25, 0.1, 0.05, 0.01, 0.001)] == [
        2, 3, 5, 6, 8, 11]
    for nu in (0.3, 0.1334, 0.9):
        n = chapter.filings_needed(nu)
        assert chapter.damage_power(n, nu) >= 0.8 > chapter.damage_power(n - 1, nu)


@pytest.mark.proves("prop-subsets")
def test_shares_of_subsets_have_the_stated_mean_and_variance():
    for n, m, chance, least, drawn in ((4, 2, Fraction(1, 3), 1, 2), (5, 2, Fraction(1, 2), 2, 2),
                                       (6, 3, Fraction(1, 3), 2, 2), (6, 4, Fraction(3, 4), 3, 1),
                                       (4, 1, Fraction(1, 5), 1, 3), (5, 5, Fraction(2, 3), 3, 3)):
        power, mean, var, drawn_mean, drawn_var = chapter.exact_subsets(n, m, chance, least, drawn)
        assert mean == drawn_mean == power
        assert drawn_var == var + (power * (1 - power) - var) / drawn
        assert 0 < var <= power * (1 - power) / (n // m)
        if m == n:
            assert var == power * (1 - power)


@pytest.mark.proves("prop-subsets")
def test_the_mean_and_the_bound_hold_for_a_test_that_is_not_a_count():
    """Segments take three values; the sign test on their sums is replaced by an odd verdict."""
    values, chances = (-1, 0, 2), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))

    def rejects(rows):
        return int(sum(rows) ** 2 > 2 * sum(x * x for x in rows) or max(rows) - min(rows) == 3)

    n, m = 4, 2
    power = sum(np.prod([chances[i] for i in chosen]) * rejects([values[i] for i in chosen])
                for chosen in product(range(3), repeat=m))
    mean = square = Fraction(0)
    for chosen in product(range(3), repeat=n):
        weight = np.prod([chances[i] for i in chosen])
        hits = [rejects([values[i] for i in subset]) for subset in combinations(chosen, m)]
        share = Fraction(sum(hits), len(hits))
        mean, square = mean + weight * share, square + weight * share**2
    assert 0 < power < 1 and mean == power
    assert square - mean**2 <= power * (1 - power) / (n // m)


def test_the_moments_of_all_subsets_agree_with_enumeration():
    for n, m, chance in ((6, 3, Fraction(1, 3)), (7, 4, Fraction(1, 2))):
        _, mean, var, _, _ = chapter.exact_subsets(n, m, chance, chapter.least_shown(0.5), 1)
        found = chapter.subset_moments(n, m, float(chance), 0.5)
        assert found == pytest.approx((float(mean), float(var) ** 0.5), abs=1e-12)


# Experiments --------------------------------------------------------------------------------------


def test_the_family_is_tested_as_the_package_tests_each_pair(everything):
    exact = 0
    for pair, (i, j) in enumerate(everything.pairs):
        for row, metric in enumerate(chapter.METRICS):
            pairs = filings.pair(everything.systems[i], everything.systems[j], metric)
            assert everything.gaps[row, pair] == pytest.approx(pairs.gap, abs=1e-15)
            if (pairs.unit_a != pairs.unit_b).any(axis=1).all():
                cloud = sb.randomize(pairs, chapter.DRAWS, seed=chapter.SEED)
                assert everything.p[row, pair] == sb.p_randomization(cloud)
                np.testing.assert_allclose(everything.swapped[row, pair], cloud.gaps, atol=1e-12)
                exact += 1
    assert exact >= 20


def test_both_metrics_read_the_same_swaps(everything):
    """The swapped gaps of both metrics, computed again from one explicit list of patterns."""
    kept = clouds._bits(np.random.default_rng(chapter.SEED), 50, 90).astype(bool)
    pair = everything.place("noisy-0.3", "lead")
    for row, (metric, rule) in enumerate((("bleu", metrics.bleu), ("fact-f1", metrics.f1))):
        a, b = (filings.statistics(name, metric) for name in ("noisy-0.3", "lead"))
        for draw, stays in enumerate(kept):
            first, second = np.where(stays[:, None], a, b), np.where(stays[:, None], b, a)
            gap = rule(first.sum(axis=0)) - rule(second.sum(axis=0))
            assert everything.swapped[row, pair, draw] == pytest.approx(gap, abs=1e-12)


def test_a_metric_that_sees_fewer_differences_reads_the_same_swaps():
    a, b = np.random.default_rng(3).random((2, 12))
    close = np.where(np.arange(12) < 9, a, b)
    found = chapter.family({"chrf": {"A": a, "B": b}, "rouge1": {"A": a, "B": close}}, draws=64)
    kept = clouds._bits(np.random.default_rng(chapter.SEED), 64, 12).astype(bool)
    for row, other in enumerate((b, close)):
        expected = [np.where(stays, a - other, other - a).mean() for stays in kept]
        np.testing.assert_allclose(found.swapped[row, 0], expected, atol=1e-12)


def test_the_matrix_of_the_book(everything, verdict):
    assert chapter.tally(verdict) == (39, 41, 4, 10, 14)
    assert chapter.tally(chapter.verdicts(everything, sb.holm)) == (38, 41, 5, 10, 15)
    assert chapter.tally(chapter.verdicts(everything, sb.benjamini_hochberg)) == (39, 41, 4, 10, 14)
    for names in (("flipped", "extract"), ("flipped", "lead"), ("noisy-0.5", "terse")):
        assert verdict[:, everything.place(*names)].tolist() == [1, -1]
    assert everything.title(everything.place("writer", "terse")) == "writer − terse"


def test_verdicts_and_kinds_on_made_up_gaps():
    gaps = np.array([[1.0, -1.0, 2.0, 0.5], [1.0, 1.0, -2.0, 0.0]])
    p = np.array([[0.01, 0.05, 0.02, 0.3], [0.04, 0.2, 0.001, 1.0]])
    made = chapter.Family(("x", "y"), ("a", "b", "c"), ((0, 1), (0, 2), (1, 2), (0, 1)),
                          np.zeros((2, 3)), gaps, np.zeros((2, 4, 1)), p)
    verdict = chapter.verdicts(made)
    assert verdict.tolist() == [[1, -1, 1, 0], [1, 0, -1, 0]]
    assert chapter.kinds(verdict).tolist() == [0, 1, 2, 0]
    assert chapter.tally(verdict) == (3, 2, 1, 1, 2)
    assert chapter.verdicts(made, sb.holm).tolist() == [[1, 0, 0, 0], [0, 0, -1, 0]]


def test_chains_of_verdicts_that_break(everything, verdict):
    chains = chapter.intransitive(verdict[0], everything)
    assert ("extract", "textrank", "lead") in chains
    for a, b, c in chains:
        settled = []
        for x, y in ((a, b), (b, c), (a, c)):
            ordered = sorted((x, y), key=everything.systems.index)
            settled.append(everything.p[0, everything.place(*ordered)] <= 0.05)
        assert settled == [False, False, True]


def test_orbit_p_values_are_ranks_and_choosing_is_their_share():
    rng = np.random.default_rng(4)
    gaps, observed = rng.integers(-4, 5, 60) / 7, 3 / 7
    p = chapter.orbit_p(gaps, observed)
    every = np.append(observed, gaps)
    by_hand = [np.mean(np.abs(every) >= abs(x) - 1e-12) for x in every]
    np.testing.assert_allclose(p, by_hand)
    assert p[0] == sb.p_randomization(sb.Cloud(gaps, observed, "randomization", score_scale=1.0))

    swapped = rng.normal(size=(2, 1, 400))
    made = chapter.Family(("x", "y"), ("a", "b"), ((0, 1),), np.zeros((2, 2)),
                          np.array([[0.1], [2.0]]), swapped, np.ones((2, 1)))
    found = chapter.choosing(made, 0)
    p = np.stack([chapter.orbit_p(swapped[m, 0], made.gaps[m, 0]) for m in range(2)])
    assert found.either == (p <= 0.05).any(axis=0).mean() > max(found.each)
    least = p.min(axis=0)
    assert found.smallest == np.mean([np.mean(least <= x) <= 0.05 for x in least])


def test_choosing_costs_between_once_and_twice_the_level(everything):
    for pair in range(45):
        cost = chapter.choosing(everything, pair)
        assert max(cost.each) <= 0.05 and cost.smallest <= 0.05
        assert max(cost.each) <= cost.either <= sum(cost.each) + 1e-12


def test_power_is_the_package_s_test_on_each_block():
    for metric, rule in (("bleu", "bleu"), ("fact-f1", "f1"), ("chrf", "mean")):
        found = chapter.power("noisy-0.3", metric, 45, draws=999, seed=3)
        assert len(found.p) == 200
        for block in (0, 57, 199):
            rows = slice(45 * block, 45 * block + 45)
            pairs = sb.PairedSet(*(filings.fresh(metric)[name][rows]
                                   for name in ("writer", "noisy-0.3")), rule)
            p = sb.p_randomization(sb.randomize(pairs, 4_999))
            assert abs(found.p[block] - p) < 0.02 + 4 * np.sqrt(p * (1 - p) / 999)
            assert found.shown[block] == (pairs.unit_a != pairs.unit_b).any(axis=1).sum()


def test_bleu_and_fact_f1_reject_exactly_where_six_filings_show_the_damage():
    for metric, size in (("bleu", 45), ("fact-f1", 20)):
        found = chapter.power("noisy-0.1", metric, size)
        assert ((found.p <= 0.05) == (found.shown >= 6)).all()
        formula = chapter.damage_power(size, chapter.visibility("noisy-0.1", metric))
        assert abs(found.share.value - formula) < 4 * found.share.error
    assert chapter.visibility("noisy-0.1", "bleu") == pytest.approx(2 / 15)
    assert chapter.visibility("noisy-0.1", "fact-f1") == pytest.approx(3 / 10)


def test_subsets_have_their_size_and_are_tested_on_the_frozen_filings():
    assert chapter.overlapping("noisy-0.1", "bleu", 90, subsets=3, draws=999).value == 1.0
    share = chapter.overlapping("noisy-0.1", "fact-f1", 20, subsets=400, draws=999, seed=2)
    exact = chapter.subset_share(27, 90, 20)
    assert abs(share.value - exact) < 4 * share.error
    assert chapter.subset_share(5, 90, 45) == 0.0 and chapter.subset_share(6, 90, 90) == 1.0


def test_counts_on_one_tone_are_those_of_the_classifier():
    from sklearn.metrics import f1_score

    world = tone.load()
    for name in tone.CLASSIFIERS:
        named = np.where(world.right[name] == 1, world.tones, 1 - world.tones)
        for which in (0, 1):
            pooled = chapter.tone_f1(name, which).sum(axis=0)
            assert metrics.f1(pooled) == pytest.approx(
                f1_score(world.tones, named, pos_label=which), abs=1e-12)


# Claims of the text, on other seeds ---------------------------------------------------------------


def test_the_verdicts_do_not_hang_on_the_draws():
    def claim(seed):
        other = chapter.family(draws=1_999, seed=seed)
        counts = chapter.tally(chapter.verdicts(other))
        held = chapter.tally(chapter.verdicts(other, sb.holm))
        return counts == (39, 41, 4, 10, 14) and held == (38, 41, 5, 10, 15)
    holds_on_other_seeds(claim, label="the verdict matrix with other swaps")


def test_other_worlds_show_the_same_kinds_of_pairs():
    def claim(seed):
        other = chapter.family(tables(filings.generate(seed)), draws=1_999, seed=seed)
        bleu, fact, one, opposite, _ = chapter.tally(chapter.verdicts(other))
        held = chapter.tally(chapter.verdicts(other, sb.holm))
        verdict = chapter.verdicts(other)
        return bool(37 <= bleu <= 41 and 40 <= fact <= 45 and 5 <= one <= 7 and opposite == 10
                    and bleu - held[0] <= 2 and fact - held[1] <= 2
                    and verdict[:, other.place("writer", "extract")].tolist() == [1, 0]
                    and verdict[:, other.place("flipped", "terse")].tolist() == [0, -1]
                    and verdict[:, other.place("flipped", "extract")].tolist() == [1, -1])
    holds_on_other_seeds(claim, label="pairs that part by metric, in other worlds")


def test_fact_f1_finds_the_fault_first_and_chrf_before_bleu_on_few_filings():
    def claim(seed):
        rows = np.random.default_rng(seed).permutation(filings.FRESH)[:300 * 20].reshape(300, 20)
        share = {}
        for metric in ("bleu", "fact-f1", "chrf"):
            a, b = (filings.fresh(metric)[name][rows] for name in ("writer", "noisy-0.1"))
            cloud = clouds.randomize_stack(a, b, chapter.RULES.get(metric, "mean"), 999, seed)
            share[metric] = (sb.p_randomization(cloud) <= 0.05).mean()
        return bool(share["fact-f1"] > 0.5 > 0.25 > share["chrf"] > share["bleu"] + 0.04)
    holds_on_other_seeds(claim, label="power by metric on test sets cut anew")


def test_estimates_by_swaps_test_each_subset_of_its_own_set():
    found = chapter.estimates("noisy-0.1", "chrf", 90, subsets=2)
    alone = chapter.power("noisy-0.1", "chrf", 90, draws=9_999)
    sure = np.abs(alone.p - 0.05) > 0.02
    np.testing.assert_array_equal(found.values[sure], (alone.p <= 0.05)[sure])
    assert found.truth == chapter.power("noisy-0.1", "chrf", 90).share.value


def test_estimates_from_overlapping_subsets_miss_by_far_more_than_they_claim():
    def claim(seed):
        half = chapter.estimates("noisy-0.1", "bleu", 45, seed=seed)
        few = chapter.estimates("noisy-0.1", "fact-f1", 20, seed=seed)
        return bool(half.values.std() > 5 * half.claimed.mean() and half.covering.value < 0.3
                    and few.values.std() > 3 * few.claimed.mean() and few.covering.value < 0.5
                    and abs(half.values.mean() - half.truth) < 0.1
                    and (half.values >= 0.84).sum() >= 10)
    holds_on_other_seeds(claim, label="overlapping subsets")


def test_chrf_on_overlapping_subsets_misses_the_power_by_several_claimed_errors():
    truth = chapter.power("noisy-0.1", "chrf", 20).share

    def claim(seed):
        share = chapter.overlapping("noisy-0.1", "chrf", 20, draws=1_999, seed=seed)
        return bool(truth.value - share.value > 3 * share.error)
    holds_on_other_seeds(claim, label="chrF on overlapping subsets of 20")


def test_opposite_verdicts_come_again_on_fresh_filings():
    def claim(seed):
        world = filings.generate(seed, 45, ("flipped", "extract"))
        pairs = [filings.pair("flipped", "extract", metric, world=world)
                 for metric in chapter.METRICS]
        p = [sb.p_randomization(sb.randomize(pair, 1_999, seed)) for pair in pairs]
        return bool(max(p) < 0.001 and pairs[0].gap > 0 > pairs[1].gap)
    holds_on_other_seeds(claim, label="opposite verdicts on fresh filings")


# Figures: the arrays behind them ------------------------------------------------------------------


def test_the_matrix_draws_each_verdict_once(everything, verdict):
    axis = chapter.draw_verdicts(everything, verdict).axes[0]
    drawn = {(round(float(line.get_xdata()[0]), 2), int(line.get_ydata()[0])): line.get_marker()
             for line in axis.lines}
    assert len(drawn) == 90
    for (i, j), (bleu, fact) in zip(everything.pairs, verdict.T):
        assert drawn[round(i - 0.22, 2), j] == {1: "^", -1: "v", 0: "_"}[int(bleu)]
        assert drawn[round(i + 0.22, 2), j] == {1: "^", -1: "v", 0: "_"}[int(fact)]
    hatches = [patch.get_hatch() for patch in axis.patches]
    assert [hatches.count(hatch) for hatch in (None, "....", "////")] == [31, 4, 10]
    labels = [text.get_text() for text in axis.get_yticklabels()]
    assert labels == list(everything.systems[1:])


def test_figures_draw_what_was_computed(everything):
    pairs = [everything.place("flipped", "terse"), everything.place("flipped", "extract")]
    for axis, pair in zip(chapter.draw_joint(everything, pairs, points=100).axes, pairs):
        lines = {line.get_label(): line.get_xydata() for line in axis.lines}
        np.testing.assert_array_equal(lines["swapped"].T, everything.swapped[:, pair, :100])
        np.testing.assert_array_equal(lines["observed"][0], everything.gaps[:, pair])

    rows = [chapter.power("noisy-0.1", metric, 20, draws=99) for metric in ("bleu", "chrf")]
    sizes = np.arange(6, 20)
    curve = chapter.damage_power(sizes, 0.2)
    axis = chapter.draw_power(rows, {"bleu": curve}, sizes).axes[0]
    lines = {line.get_label(): line.get_ydata() for line in axis.lines}
    np.testing.assert_array_equal(lines["corpus BLEU, formula"], curve)
    bars = {c.get_label(): c.lines[0].get_ydata() for c in axis.containers}
    assert bars["chrF, measured"][0] == rows[1].share.value
    assert bars["corpus BLEU, measured"][0] == rows[0].share.value

    study = chapter.estimates("noisy-0.1", "bleu", 45, subsets=20)
    axis = chapter.draw_estimates([study]).axes[0]
    heights = next(p for p in axis.patches if p.get_label() == "estimates").get_data().values
    assert heights.sum() == 100
    np.testing.assert_array_equal(heights, np.histogram(study.values, np.linspace(0, 1, 26))[0])

    results = [chapter.judged(("flipped", "terse"), metric, 45, 1) for metric in chapter.METRICS]
    for axis, result in zip(chapter.draw_lab(results).axes, results):
        counted = next(p for p in axis.patches if p.get_label() == "counted by p").get_data()
        assert counted.values.sum() + 1 == round(result.p * (chapter.DRAWS + 1))
        everywhere = next(p for p in axis.patches if p.get_label() == "swapped gaps").get_data()
        assert everywhere.values.sum() == chapter.DRAWS


# The lab ------------------------------------------------------------------------------------------


def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.case_lab()
    opening = [control.value for control in lab.children[0].children]
    assert opening == [("flipped", "extract"), "bleu", "fact-f1", 45, 1]
    rng = np.random.default_rng(8)
    pairs = list(combinations(filings.SYSTEMS, 2))
    settings = [(("flipped", "extract"), "bleu", "fact-f1", 45, 1),
                (("writer", "extract"), "fact-f1", "bleu", 10, 0),
                (("lead", "random"), "token-f1", "token-f1", 90, 50)]
    settings += [(pairs[rng.integers(45)], *rng.choice(chapter.LAB_METRICS, 2).tolist(),
                  int(rng.choice(chapter.LAB_SIZES)), int(rng.integers(51))) for _ in range(5)]
    for (names, first, second, size, seed), cells, shown in driven(lab, settings):
        rows = np.random.default_rng([seed, size]).permutation(90)[:size]
        signs = []
        for row, metric in zip(np.reshape(cells, (2, 6)), (first, second)):
            pair = filings.pair(*names, metric, filings=np.sort(rows))
            p = sb.p_randomization(sb.randomize(pair, 9_999, seed))
            ahead = names[0 if pair.gap > 0 else 1]
            differ = (pair.unit_a != pair.unit_b).any(axis=1).sum()
            assert row.tolist() == [
                chapter.LABELS[metric], f"{pair.score_a:.4f}, {pair.score_b:.4f}",
                f"{pair.gap:+.4f}", str(differ), f"{p:.4f}",
                f"{ahead} ahead" if p <= 0.05 else "not significant"]
            signs.append(np.sign(pair.gap) if p <= 0.05 else 0)
        kind = 0 if signs[0] == signs[1] else 1 if 0 in signs else 2
        assert chapter.KINDS[kind] in shown
