"""Chapter 7: the theorem by enumeration, groups, the figures' numbers, the lab, claims."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven

import sigbook as sb
from sigbook.chapters import clusters as chapter
from sigbook.worlds import aspects, detectors

LAWS = [(m, K, law) for m, K, parts in ((2, 2, 4), (2, 3, 3), (3, 2, 3))
        for law in chapter.exchangeable_laws(m, parts)]


# Theorem 3 ----------------------------------------------------------------------------------------

@pytest.mark.proves("thm-clusters")
def test_the_theorem_s_identities_hold_for_every_small_law():
    for m, K, law in LAWS:
        found = chapter.exact(law, K)
        n, D = K * m, 1 + (m - 1) * found.rho
        assert found.variance == found.sigma2 * D / n
        assert found.segment == found.sigma2 / n * (1 - D / n)
        assert found.cluster == Fraction(K - 1, K) * found.variance
        assert found.rho >= Fraction(-1, m - 1)
        same_sum = len({sum(x) for x, chance in law.items() if chance}) == 1
        assert same_sum == (found.rho == Fraction(-1, m - 1))
    assert len(LAWS) > 30


@pytest.mark.proves("thm-clusters")
def test_the_identities_need_no_exchangeable_law():
    """Equal marginals and one covariance in three scores, but a law that minds the order."""
    quarter = Fraction(1, 4)
    law = {(0, 0, 0): quarter, (0, 1, 1): quarter, (1, 0, 1): quarter, (1, 1, 0): quarter}
    found = chapter.exact(law, 2)
    assert found.rho == 0 and found.variance == found.sigma2 / 6
    lopsided = {(0, 0, 2): Fraction(1, 3), (1, 2, 1): Fraction(1, 3), (2, 1, 0): Fraction(1, 3)}
    with pytest.raises(ValueError, match="one mean, one variance"):
        chapter.exact(lopsided, 2)
    with pytest.raises(ValueError, match="one mean, one variance"):
        chapter.exact({(1, 1): Fraction(1)}, 2)


@pytest.mark.proves("thm-clusters")
def test_bootstrap_variances_are_those_of_all_resamples():
    rng = np.random.default_rng(3)
    for groups in ([(0, 1), (1, 1)], [(0, 3), (5, 1)], [(2,), (0,), (7,)],
                   [tuple(rng.integers(0, 4, 2).tolist()) for _ in range(2)]):
        x = [score for group in groups for score in group]
        means = [Fraction(sum(d), len(d)) for d in product(x, repeat=len(x))]
        assert variance(means) == chapter.segment_variance(groups)
        assert variance([mean for _, mean in chapter.cluster_resamples(groups)]) == (
            chapter.cluster_variance(groups))


@pytest.mark.proves("thm-clusters")
def test_the_cluster_bootstrap_of_unequal_clusters_nears_its_limit():
    """The conditional law's sd against the root of sum (T_k - mean m_k)^2 / (K mean m)^2."""
    rng = np.random.default_rng(5)
    off = []
    for K in (10, 1_000):
        sizes = rng.integers(1, 6, K)
        sums = rng.binomial(sizes, rng.beta(2, 2, K))
        mean = sums.sum() / sizes.sum()
        limit = math.sqrt(((sums - mean * sizes) ** 2).sum()) / sizes.sum()
        drawn = rng.multinomial(K, np.full(K, 1 / K), size=20_000)
        gaps = np.sqrt(K) * (drawn @ sums / (drawn @ sizes) - mean)
        off.append(abs(gaps.std() / (np.sqrt(K) * limit) - 1))
        tail = np.mean(np.abs(gaps) > 1.96 * np.sqrt(K) * limit)
    assert off[1] < 0.03
    assert tail == pytest.approx(0.05, abs=0.01)


def variance(values):
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


@pytest.mark.proves("thm-clusters")
def test_the_package_s_quantities_are_the_theorem_s():
    rng = np.random.default_rng(8)
    for groups in ([(0, 1, 1), (1, 0, 1)], [(0, 1), (1, 1), (0, 0)],
                   [tuple(rng.integers(0, 3, 4).tolist()) for _ in range(3)]):
        x = np.array([score for group in groups for score in group])
        labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        K = len(groups)
        assert sb.cluster_sd(x, labels) ** 2 * (K - 1) / K == pytest.approx(
            float(chapter.cluster_variance(groups)), abs=1e-15)
        assert sb.icc(x, labels) == pytest.approx(float(chapter.exact_icc(groups)), abs=1e-12)


def test_every_configuration_keeps_the_bound_of_the_correlation():
    for m in (2, 3):
        for groups in product(product((0, 1), repeat=m), repeat=3):
            rho = chapter.exact_icc(groups)
            if rho is None:
                assert len({x for group in groups for x in group}) == 1
                continue
            assert Fraction(-1, m - 1) <= rho <= 1
            assert (rho == Fraction(-1, m - 1)) == (len(set(map(sum, groups))) == 1)


@pytest.mark.proves("prop-unequal")
def test_unequal_clusters_by_enumeration_of_the_scores_of_a_larger_one():
    """A cluster of m_k scores is the first m_k of an exchangeable one: same variance, same rho."""
    for sizes in ((1, 2, 3), (3, 1), (2, 3), (1, 1, 3)):
        for law in chapter.exchangeable_laws(3, 3):
            full = chapter.exact(law, 1)
            n, means = sum(sizes), []
            for drawn in product(law.items(), repeat=len(sizes)):
                chance = math.prod(probability for _, probability in drawn)
                total = sum(sum(x[:size]) for (x, _), size in zip(drawn, sizes))
                means.append((Fraction(total, n), chance))
            average = sum(value * chance for value, chance in means)
            exact = sum(chance * (value - average) ** 2 for value, chance in means)
            assert exact == full.sigma2 / n * chapter.unequal_effect(sizes, full.rho)
            assert full.rho >= Fraction(-1, max(sizes) - 1)
            mean, spread = np.mean(sizes), np.std(sizes) / np.mean(sizes)
            factor = 1 + float(full.rho) * ((1 + spread**2) * mean - 1)
            assert factor == pytest.approx(float(chapter.unequal_effect(sizes, full.rho)))


def test_sizes_with_mean_four_and_variation_one_half_at_a_fifth_have_effect_1_8():
    assert chapter.unequal_effect([2, 6] * 10, Fraction(1, 5)) == Fraction(9, 5)
    assert chapter.unequal_effect([1] * 7, Fraction(1, 2)) == 1
    assert chapter.unequal_effect([5] * 3, Fraction(-1, 4)) == 0


def test_unequal_sizes_raise_the_effect_above_rho_0_and_lower_it_below():
    for sizes in ((1, 3), (2, 6, 4), (1, 1, 4)):
        equal = [Fraction(sum(sizes), len(sizes))] * len(sizes)
        for rho in (Fraction(1, 5), Fraction(-1, 6), Fraction(0)):
            gain = chapter.unequal_effect(sizes, rho) - (1 + rho * (equal[0] - 1))
            assert (gain > 0) == (rho > 0) and (gain < 0) == (rho < 0)


def test_with_unequal_sizes_the_estimated_correlation_may_leave_its_range():
    assert sb.icc([0, 0, 0, 1, -1], [0, 1, 2, 3, 3]) == pytest.approx(-2.5)
    assert chapter.exact_icc([(0,), (0,), (0,), (1, -1)]) == Fraction(-5, 2)
    assert sb.icc([1, 1] + 98 * [0], [0, 0] + list(range(1, 99))) > 1


def test_two_documents_of_two_have_an_effect_of_three_by_the_small_sample_factors():
    x, labels = [1, 1, 0, 0], ["a", "a", "b", "b"]
    assert sb.design_effect(x, labels) == pytest.approx(3)
    K, n, m = 2, 4, 2
    assert 3 == pytest.approx((1 + (m - 1) * sb.icc(x, labels)) * K / (K - 1) * (n - 1) / n)


@pytest.mark.proves("prop-floor")
def test_no_metric_and_no_data_go_below_the_floor():
    rng = np.random.default_rng(6)

    def lopsided(pooled):
        return pooled[..., 0] ** 2 / (pooled[..., 1] * pooled[..., 2] + 1e-9)

    for G, metric in product(range(1, 7), ("mean", "f1", lopsided)):
        n = 3 * G
        labels = np.arange(n) % G
        for _ in range(4):
            if metric == "mean":
                a, b = rng.integers(0, 4, (2, n))
            else:
                a, b = rng.integers(1, 6, (2, n, 3))
                a[:, 0], b[:, 0] = np.minimum(a[:, 0], a[:, 1]), np.minimum(b[:, 0], b[:, 1])
            pairs = sb.PairedSet(a, b, metric, clusters=labels)
            differ = int((pairs.unit_a != pairs.unit_b).any(axis=1).sum())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sb.SignificanceWarning)
                p = sb.p_randomization(sb.randomize(pairs, "all"))
            assert p >= min(1.0, 2 / 2**differ) - 1e-12
    sure = sb.PairedSet(np.ones(6, dtype=int), np.zeros(6, dtype=int), "mean",
                        clusters=[0, 0, 1, 1, 2, 2])
    with pytest.warns(sb.SignificanceWarning, match="3 clusters.*0.25"):
        assert sb.p_randomization(sb.randomize(sure, "all")) == 2 / 2**3


# Real documents -----------------------------------------------------------------------------------

@pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")
def test_p_values_by_segment_and_by_document():
    """0.0242 and 0.0666 are from 400,000 draws each; four standard errors of 49,999 draws."""
    p = [sb.p_randomization(sb.randomize(pairs, draws=49_999, seed=4))
         for pairs in (chapter.real_pair("wmt23").segments, chapter.real_pair("wmt23").documents)]
    assert p[0] == pytest.approx(0.0242, abs=0.0028) and p[1] == pytest.approx(0.0666, abs=0.0045)
    ted = chapter.real_pair("ted")
    assert sb.p_randomization(sb.randomize(ted.documents, "all")) == 4 / 32
    assert sb.p_randomization(sb.randomize(ted.segments, draws=9_999, seed=4)) == 1 / 10_000


def test_the_design_effect_of_influences_is_the_ratio_of_delta_method_variances():
    for name in ("wmt23", "ted"):
        r = chapter.real_pair(name)
        K, n = r.documents.units, r.segments.n
        ratio = (sb.delta_sd(r.documents) / sb.delta_sd(r.segments)) ** 2
        assert r.effect.design_effect == pytest.approx(ratio * K / (K - 1) * (n - 1) / n)
        assert r.effect.design_effect > 1.3
    with pytest.raises(ValueError, match="test_set must be"):
        chapter.real_pair("wmt17")


def test_effects_of_the_aspects_are_the_package_s():
    world = aspects.load()
    effects = chapter.aspect_effects(world)
    assert len(effects) == 8
    by = {(e.what, e.clusters): e for e in effects}
    e = by["lexicon", "filing"]
    assert e.design_effect == sb.design_effect(world.right["lexicon"], world.filing)
    assert e.cluster_se == sb.cluster_sd(world.right["lexicon"], world.filing)
    assert (e.cluster_se / e.plain_se) ** 2 == pytest.approx(e.design_effect)
    assert by["lexicon − specialist", "filing"].mean == pytest.approx(
        aspects.pair("lexicon", "specialist").gap)


def test_by_aspect_the_specialist_wins_and_within_filings_lexicon_and_blind_err_together():
    right = aspects.load().right
    d = right["lexicon"] - right["specialist"]
    assert sb.mcnemar(int((d > 0).sum()), int((d < 0).sum())) == pytest.approx(0.03624, abs=1e-5)
    by = {(e.what, e.clusters): e for e in chapter.aspect_effects()}
    assert abs(by["lexicon − blind", "filing"].icc) < 0.01 < by["lexicon", "filing"].icc
    single = max(by["lexicon", "filing"].design_effect,
                 sb.design_effect(right["specialist"], aspects.load().filing))
    assert by["lexicon − specialist", "filing"].design_effect > single


# Error rates --------------------------------------------------------------------------------------

def test_pairing_the_detectors_removes_nothing_because_their_sources_differ():
    spectral, neural = (chapter.rates(name).each for name in ("spectral", "neural"))
    assert np.corrcoef(spectral, neural)[0, 1] < 0
    assert np.var(spectral - neural) > np.var(spectral) + np.var(neural)


def test_the_toy_s_gaps_are_minus_one_zero_zero_and_one():
    toy = chapter.toy()
    for kind in ("macro", "pooled"):
        gaps = [rates[kind][0] - rates[kind][1] for rates in map(toy.rates, chapter.all_draws(2))]
        assert gaps == [-1, 0, 0, 1]
        cloud = sb.bootstrap_eer(toy.labels, toy.a, toy.b, toy.groups, kind, draws=4_000, seed=2)
        values, counts = np.unique(cloud.gaps, return_counts=True)
        assert values.tolist() == [-1, 0, 1]
        assert np.abs(counts / 4_000 - [0.25, 0.5, 0.25]).max() < 0.03
    assert toy.rates([0, 1]) == {"macro": (0.5, 0.5), "pooled": (0.5, 0.5)}
    assert sb.percentile_interval(sb.Cloud([-1.0, 0, 0, 1], 0.0, "bootstrap")) == (-1, 1)


def test_dropping_repeats_changes_the_law_from_three_groups_on():
    assert chapter.macro_law([-1, 1]) == chapter.macro_law([-1, 1], keep_repeats=False)
    kept, dropped = (chapter.macro_law([-1, 1, 0], keep_repeats=k) for k in (True, False))
    assert sum(kept.values()) == sum(dropped.values()) == 27
    assert chapter.law_sd(kept) == pytest.approx(math.sqrt(2 / 9))
    assert chapter.law_sd(dropped) == pytest.approx(math.sqrt(5 / 27))


def test_an_eighth_of_four_draws_from_two_and_two_lacks_a_class():
    labels = np.array([1, 1, 0, 0])
    lacking = [d for d in chapter.all_draws(4) if len(set(labels[list(d)].tolist())) == 1]
    assert Fraction(len(lacking), 256) == Fraction(1, 8)
    with pytest.warns(sb.SignificanceWarning, match="have no EER"):
        cloud = sb.bootstrap_eer(labels, [3, 1, 2, 0], [3, 2, 1, 0], np.arange(4), draws=8_000)
    assert abs(cloud.invalid / 8_000 - 1 / 8) < 4 * math.sqrt(7 / 64 / 8_000)
    assert cloud.draws + cloud.invalid == 8_000


def test_costs_are_errors_at_every_cut_under_weights():
    rng = np.random.default_rng(9)
    labels, scores = rng.integers(0, 2, 30), rng.integers(0, 8, 30)
    weights = rng.integers(0, 3, (5, 30))
    found, cuts = chapter.costs(labels, scores, weights)
    assert cuts.tolist() == [np.inf, *sorted(set(scores.tolist()), reverse=True)]
    for row, w in zip(found, weights):
        for value, cut in zip(row, cuts):
            accepted = scores >= cut
            far = w[accepted & (labels == 0)].sum() / w[labels == 0].sum()
            frr = w[~accepted & (labels == 1)].sum() / w[labels == 1].sum()
            assert value == pytest.approx((far + frr) / 2)


def test_a_search_in_each_draw_never_costs_more_than_a_kept_threshold():
    for name in ("spectral", "neural"):
        found = chapter.thresholds(name, draws=100, seed=1)
        assert found.stuck[0] == found.swept[0] <= found.fixed[0]
        assert found.swept[1] < found.stuck[1] and found.swept[1] < found.fixed[1]
        world = detectors.load()
        test = world.of_sources(range(10, 40))
        accepted = test.scores[name] >= found.threshold
        errors = (accepted[test.labels == 0].mean() + 1 - accepted[test.labels == 1].mean()) / 2
        assert found.fixed[0] == pytest.approx(errors)


# Figures: the arrays behind them ------------------------------------------------------------------

def test_the_influence_figure_draws_points_and_their_sums():
    x, labels = np.array([1.0, 2.0, -4.0, 0.5]), np.array(["a", "a", "b", "c"])
    axis = chapter.draw_influences(x, labels).axes[0]
    assert sorted(bar.get_height() for bar in axis.patches) == [-4, 0.5, 3]
    places = axis.lines[0].get_xdata()
    np.testing.assert_array_equal(places, [2, 2, 0, 1])
    np.testing.assert_array_equal(axis.lines[0].get_ydata(), x)


def test_the_clouds_figure_draws_shares_and_both_lines():
    toy = chapter.toy()
    clouds = [sb.bootstrap_eer(toy.labels, toy.a, toy.b, toy.groups, draws=200, seed=s)
              for s in (1, 2)]
    axis = chapter.draw_clouds(*clouds, ("one", "two"), "gap").axes[0]
    for patch in axis.patches:
        assert patch.get_data().values.sum() == pytest.approx(1)
    assert [line.get_xdata()[0] for line in axis.lines] == [clouds[1].observed, 0]


def test_the_ratio_figure_draws_the_curve_and_the_measured_ratios():
    runs = [chapter.simulated(10, 5, rho, 50, seed=1) for rho in (0.0, 0.5)]
    axis = chapter.draw_ratios(runs).axes[0]
    curve = axis.lines[0]
    np.testing.assert_allclose(curve.get_ydata(), 1 / (1 + 4 * curve.get_xdata()))
    for container, which in zip(axis.containers, ("segment", "cluster")):
        np.testing.assert_allclose(container[0].get_ydata(), [s.ratio(which)[0] for s in runs])


def test_the_effects_figure_draws_each_design_effect():
    effects = chapter.aspect_effects()
    axis = chapter.draw_effects(effects).axes[0]
    drawn = [line.get_xdata()[0] for line in axis.lines if len(line.get_xdata()) == 1]
    np.testing.assert_allclose(drawn, [e.design_effect for e in effects])
    labels = [text.get_text() for text in axis.get_yticklabels()]
    assert labels == [f"{e.what}, by {e.clusters}" for e in effects]


def test_the_swaps_figure_marks_what_is_counted():
    cloud = sb.Cloud([-3.0, -1, 1, 3, 2, -2, 0, 0], 2.0, "randomization", True)
    axis = chapter.draw_swaps(cloud).axes[0]
    assert sorted(axis.lines[1].get_ydata()) == [-3, -2, 2, 3]
    assert len(axis.lines[0].get_ydata()) + len(axis.lines[1].get_ydata()) == 8


def test_the_offsets_figure_draws_the_scores_of_the_first_sources():
    world = detectors.load()
    axis = chapter.draw_offsets(world, "uncalibrated", sources=3).axes[0]
    for line, label in zip(axis.lines, (1, 0)):
        chosen = (world.labels == label) & (world.sources < 3)
        np.testing.assert_allclose(line.get_ydata(), world.scores["uncalibrated"][chosen] / 1_000)


def test_the_between_figure_draws_both_coverages():
    found = [chapter.between(tau, 60, seed=1) for tau in (0.0, 0.2)]
    axis = chapter.draw_between([0.0, 0.2], found).axes[0]
    for which, container in enumerate(axis.containers):
        expected = [pair[which].coverage("cluster", t=True).value for pair in found]
        np.testing.assert_allclose(np.array(container[0].get_ydata(), dtype=float), expected)


# Simulation ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("m, rho", [(2, -1.0), (3, -0.5), (4, -0.2), (5, 0.0), (5, 0.4), (3, 1.0)])
def test_scores_have_the_correlation_that_was_asked_for(m, rho):
    x = chapter.correlated(np.random.default_rng(2), 1, 40_000, m, rho)[0]
    assert x.var() == pytest.approx(1, abs=0.03)
    for i, j in combinations(range(m), 2):
        assert np.mean(x[:, i] * x[:, j]) == pytest.approx(rho, abs=0.03)


def test_a_correlation_beyond_the_bounds_is_refused():
    for rho in (-0.26, 1.1):
        with pytest.raises(ValueError, match="rho must lie between"):
            chapter.simulated(10, 5, rho)


def test_a_correlation_of_clusters_of_one_is_refused():
    with pytest.raises(ValueError, match="m must be an integer >= 2"):
        chapter.simulated(10, 1, 0.0)


def test_simulated_variances_are_those_of_the_package():
    x = chapter.correlated(np.random.default_rng(7), 3, 6, 4, 0.3)
    means, segment, cluster = chapter.variances(x)
    labels = np.repeat(np.arange(6), 4)
    for scores, mean, one, two in zip(x.reshape(3, -1), means, segment, cluster):
        assert mean == pytest.approx(scores.mean())
        assert one == pytest.approx(scores.var() / 24)
        assert two * 6 / 5 == pytest.approx(sb.cluster_sd(scores, labels) ** 2)


def test_the_two_stage_variance_is_that_of_all_two_stage_resamples():
    x = np.array([[0.0, 1.0], [3.0, 1.0]])
    means = [np.mean([[x[k][i] for i in inner] for k, inner in zip(outer, inners)])
             for outer in product(range(2), repeat=2)
             for inners in product(product(range(2), repeat=2), repeat=2)]
    assert np.var(means) == pytest.approx(chapter.two_stage_variances(x[None])[0])


# The lab ------------------------------------------------------------------------------------------

def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.cluster_lab()
    assert [control.value for control in lab.children[0].children] == [50, 10, 0.1, 0]
    rng = np.random.default_rng(8)
    settings = [(50, 10, 0.1, 0), (5, 2, -0.5, 0), (100, 20, 0.9, 50), (5, 20, -0.5, 3),
                (100, 2, 0.9, 1)]
    settings += [(int(rng.choice(chapter.LAB_CLUSTERS)), int(rng.choice(chapter.LAB_SIZES)),
                  round(float(rng.integers(-10, 19)) * 0.05, 2), int(rng.integers(51)))
                 for _ in range(6)]
    for (K, m, rho, seed), cells, shown in driven(lab, settings):
        possible = max(rho, -1 / (m - 1))
        x = chapter.correlated(np.random.default_rng(seed), chapter.LAB_SETS, K, m, possible)
        labels = np.repeat(np.arange(K), m)
        cluster = np.mean([sb.cluster_sd(scores, labels) for scores in x.reshape(len(x), -1)])
        segment = np.mean(x.reshape(len(x), -1).std(axis=1, ddof=1)) / math.sqrt(K * m)
        assert [cells[i] for i in (0, 4, 8)] == ["true", "segment", "cluster"]
        truth = math.sqrt(max(0.0, 1 + (m - 1) * possible) / (K * m))
        assert float(cells[1]) == pytest.approx(truth, abs=6e-5)
        assert float(cells[5]) == pytest.approx(segment, abs=6e-5)
        assert float(cells[9]) == pytest.approx(cluster, abs=6e-5)
        assert ("raised to the least possible" in shown) == (rho < possible)
        if truth > 1e-6:
            covers = np.mean(np.abs(x.mean(axis=(1, 2))) <= 1.959964 * np.array(
                [sb.cluster_sd(scores, labels) for scores in x.reshape(len(x), -1)]))
            assert float(cells[11][:5]) == pytest.approx(covers, abs=6e-4)
        else:
            assert cells[6] == cells[10] == "the truth is 0"
            assert cells[7] == cells[11] == ""


# Claims of the text, on ten other seeds -----------------------------------------------------------

def test_the_segment_bootstrap_is_off_by_the_design_effect():
    def claim(seed):
        for rho in (-0.2, 0.2, 0.8):
            s = chapter.simulated(40, 5, rho, 500, seed)
            ratio, error = s.ratio("segment")
            if abs(ratio * s.effect / (1 - s.effect / 200) - 1) > 4 * error * s.effect:
                return False
            ratio, error = s.ratio("cluster")
            if abs(ratio - 39 / 40) > 4 * error:
                return False
        return True
    holds_on_other_seeds(claim, label="segment and cluster variance over the truth")


def test_the_segment_interval_covers_too_little_or_too_much_and_the_cluster_interval_does_not():
    def claim(seed):
        low, high = (chapter.simulated(40, 5, rho, 500, seed) for rho in (-0.2, 0.4))
        return (high.coverage("segment").value < 0.85 and low.coverage("segment").value > 0.99
                and all(0.9 < s.coverage("cluster").value < 0.98 for s in (low, high)))
    holds_on_other_seeds(claim, label="coverage by segment and by cluster")


def test_documents_that_share_topics_lose_coverage_and_topics_keep_it():
    def claim(seed):
        documents, topics = chapter.between(0.2, 500, seed)
        none, _ = chapter.between(0.0, 500, seed)
        return (documents.coverage("cluster", t=True).value < 0.85
                and topics.coverage("cluster", t=True).value > 0.92
                and none.coverage("cluster", t=True).value > 0.92)
    holds_on_other_seeds(claim, label="dependence between clusters")


def test_few_clusters_need_student_s_quantile():
    def claim(seed):
        s = chapter.simulated(5, 5, 0.2, 1_000, seed)
        normal, student = s.coverage("cluster"), s.coverage("cluster", t=True)
        return (normal.value + 3 * normal.error < 0.95
                and abs(student.value - 0.95) < 4 * student.error)
    holds_on_other_seeds(claim, label="five clusters, normal and Student's quantile")


def test_the_percentile_interval_of_five_clusters_is_shorter_still():
    """Over all 5^5 cluster resamples, beside the normal interval with K/(K - 1)."""
    drawn = np.array([np.bincount(d, minlength=5) for d in product(range(5), repeat=5)])

    def claim(seed):
        x = chapter.correlated(np.random.default_rng(seed), 600, 5, 5, 0.2)
        means = np.sort(x.mean(axis=2) @ drawn.T / 5, axis=1)
        cut = len(drawn) // 40
        inside = (means[:, cut] <= 0) & (0 <= means[:, -1 - cut])
        normal = chapter.Simulated(5, 5, 0.2, *chapter.variances(x)).coverage("cluster")
        return inside.mean() <= normal.value < 0.92
    holds_on_other_seeds(claim, label="five clusters, percentile interval over all resamples")


def test_a_second_stage_adds_variance():
    def claim(seed):
        found = [chapter.two_stage(40, 5, rho, 300, seed) for rho in (0.0, 0.1, 0.5)]
        for (ratio, error), rho in zip(found, (0.0, 0.1, 0.5)):
            if abs(ratio - (39 / 40 + (1 - rho) * 4 / 5 / (1 + 4 * rho))) > 4 * error:
                return False
        return (all(ratio - 3 * error > 1 for ratio, error in found[:2])
                and found[0][0] > found[1][0] > found[2][0] > 1)
    holds_on_other_seeds(claim, label="two-stage bootstrap")


def test_a_trial_bootstrap_calls_the_detectors_apart_and_a_source_bootstrap_does_not():
    def claim(seed):
        trial, source = (sb.percentile_interval(chapter.gap_cloud(g, draws=300, seed=seed))
                         for g in ("trial", "source"))
        return trial[0] > 0 and source[0] < 0
    holds_on_other_seeds(claim, label="EER gap by trial and by source")


def test_dropping_repeats_narrows_the_cloud_of_the_detectors():
    def claim(seed):
        kept, dropped = chapter.without_repeats(500, seed)
        return 0.65 < dropped / kept < 0.85
    holds_on_other_seeds(claim, label="repeats dropped, sd ratio")


def test_lexicon_and_specialist_part_by_aspect_and_not_by_filing():
    def claim(seed):
        p = [sb.p_randomization(sb.randomize(aspects.pair("lexicon", "specialist", c), 2_999, seed))
             for c in (None, "filing")]
        return p[0] <= 0.05 < p[1]
    holds_on_other_seeds(claim, label="lexicon against specialist, filings leave it open")


def test_a_search_in_each_draw_is_optimistic():
    def claim(seed):
        found = chapter.thresholds("neural", 200, seed)
        return found.swept[1] < found.swept[0]
    holds_on_other_seeds(claim, label="least cost searched in each draw")


def test_segments_reject_and_documents_do_not():
    r = chapter.real_pair("wmt23")

    def claim(seed):
        p = [sb.p_randomization(sb.randomize(pairs, 4_999, seed))
             for pairs in (r.segments, r.documents)]
        return p[0] <= 0.05 < p[1]
    holds_on_other_seeds(claim, label="WMT23, by segment and by document")
