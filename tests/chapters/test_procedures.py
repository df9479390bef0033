"""Chapter 8: the theorem by enumeration, the bursty world, seeds, runs, figures, lab, claims."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven
from scipy import stats

import sigbook as sb
from sigbook import data
from sigbook.chapters import procedures as chapter
from sigbook.worlds import bursty

pytestmark = pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")


def sets(*triples):
    return tuple(chapter.TrainingSet(*map(Fraction, triple)) for triple in triples)


CASES = (
    chapter.TOY,
    sets(("1/3", "1/2", "0"), ("2/3", "1/10", "7/20")),
    sets(("1", "1/5", "1/5")),
    sets(("1/7", "0", "0"), ("2/7", "1", "0"), ("4/7", "1/9", "3/9")),
)


# The theorem --------------------------------------------------------------------------------------

@pytest.mark.proves("thm-procedures")
@pytest.mark.parametrize("trainings", CASES)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_total_variance_splits_and_a_test_set_estimates_the_first_term(trainings, n):
    split = chapter.enumerated_split(trainings, n)
    assert split.total == split.within + split.between
    assert split.estimated == split.within


@pytest.mark.proves("thm-procedures")
def test_the_terms_are_what_their_names_say():
    split = chapter.enumerated_split(chapter.TOY, 3)
    # p_d = 2/5 always; the squared gaps are 1/25, 1/25, 0.
    assert split.within == (Fraction(2, 5) - Fraction(1, 50)) / 3
    assert split.between == Fraction(1, 50)
    one = chapter.enumerated_split(CASES[2], 3)
    assert one.between == 0 and one.total == one.within == Fraction(2, 15)


@pytest.mark.proves("thm-procedures")
@pytest.mark.parametrize("trainings", CASES)
def test_rejections_end_between_the_two_bounds(trainings):
    share = float(chapter.null_share(trainings))
    for alpha in (0.01, 0.05, 0.2):
        found = chapter.rejection(trainings, 50_000, alpha)
        assert 1 - share - 1e-6 <= found <= 1 - share + share * alpha + 1e-12
        # The upper bound holds for every number of segments.
        for n in (1, 5, 40):
            assert chapter.rejection(trainings, n, alpha) <= 1 - share + share * alpha + 1e-12


def test_rejection_is_the_mean_over_all_outcomes():
    n, alpha, total = 6, 0.2, Fraction(0)
    for t in chapter.TOY:
        law = {1: t.p10, -1: t.p01, 0: 1 - t.p10 - t.p01}
        for d in product(law, repeat=n):
            if sb.mcnemar(d.count(1), d.count(-1)) <= alpha:
                total += t.weight * math.prod((law[x] for x in d), start=Fraction(1))
    assert total > 0
    assert chapter.rejection(chapter.TOY, n, alpha) == pytest.approx(float(total), rel=1e-9)


@pytest.mark.proves("lem-consistent")
def test_mcnemars_p_is_below_its_exponential_bound():
    for n in (1, 7, 40):
        for n10 in range(n + 1):
            for n01 in range(n + 1 - n10):
                gap = (n10 - n01) / n
                assert sb.mcnemar(n10, n01) <= 2 * math.exp(-n * gap**2 / 2) + 1e-12


@pytest.mark.proves("lem-consistent")
def test_power_goes_to_one_for_a_fixed_small_gap():
    powers = [sb.mcnemar_power(n, 0.11, 0.10) for n in (1_000, 10_000, 100_000)]
    assert powers[0] < powers[1] < powers[2] and powers[2] > 0.999


# The bursty world ---------------------------------------------------------------------------------

def test_draws_hold_the_frozen_counts():
    table, fresh = bursty.load(), chapter.crossing()
    rows = table["stage"] == bursty.MEASURING
    assert fresh.size == bursty.crossing(table) and len(fresh.gaps) == bursty.DRAWS
    np.testing.assert_allclose(fresh.gaps, (table["nb"] - table["lr"])[rows] / bursty.POOL)
    np.testing.assert_allclose(fresh.nb - fresh.lr, fresh.gaps, atol=1e-12)
    assert [d.size for d in chapter.curve()] == list(bursty.SIZES)
    assert all(len(d.gaps) == bursty.DRAWS for d in chapter.curve())


def test_the_variance_within_is_that_of_drawn_test_sets():
    fresh, rng, n = chapter.crossing(), np.random.default_rng(4), 3_000
    cells = np.stack([fresh.p10, fresh.p01, 1 - fresh.p10 - fresh.p01], axis=1)
    counts = rng.multinomial(n, cells, size=(4_000, len(cells)))
    gaps = (counts[..., 0] - counts[..., 1]) / n
    assert gaps.var(axis=0).mean() == pytest.approx(fresh.within(n), rel=0.02)
    assert gaps.var() == pytest.approx(fresh.within(n) + fresh.gaps.var(), rel=0.03)


@pytest.mark.proves("thm-procedures")
def test_the_rejections_at_the_crossing_end_where_the_theorem_says():
    """One training set of the forty has equally good models, so the mean cannot reach 1."""
    fresh = chapter.crossing()
    share = (fresh.gaps == 0).mean()
    assert share == 1 / bursty.DRAWS
    apart = chapter.Draws(fresh.size, *(x[fresh.gaps != 0] for x in (
        fresh.gaps, fresh.p10, fresh.p01, fresh.nb, fresh.lr)))
    assert fresh.power(300_000)[fresh.gaps == 0] <= 0.05
    assert fresh.power(300_000).mean() <= 1 - share + share * 0.05
    assert apart.power(300_000).mean() > apart.power(20_000).mean() > 0.6


def test_one_test_set_each_counts_both_directions():
    ahead, behind = np.array([0.3, 0.1]), np.array([0.1, 0.3])
    draws = chapter.Draws(1, ahead - behind, ahead, behind, ahead, behind)
    found = chapter.one_test_set_each(draws, 5_000, seed=1)
    assert (found.nb, found.lr, found.draws, found.share.value) == (1, 1, 2, 1.0)


# Seeds and runs -----------------------------------------------------------------------------------

def test_the_seed_toy_has_its_published_interval():
    low, high = chapter.t_interval([6, 8, 10])
    assert (round(low, 2), round(high, 2)) == (3.03, 12.97)
    reference = stats.t.interval(0.9, 3, loc=2.5, scale=stats.sem([1, 2, 3, 4]))
    assert chapter.t_interval([1, 2, 3, 4], 0.9) == pytest.approx(reference)
    low, high = chapter.t_interval([6, 8, 10], new_run=True)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 2) * 2 * math.sqrt(4 / 3))
    with pytest.raises(ValueError, match="values must hold at least 2 runs"):
        chapter.t_interval([6])


def test_all_resamples_of_three_runs_have_the_range_as_interval():
    law = chapter.resampled_means([6, 8, 10])
    assert sum(law.values()) == 1 and law[Fraction(6)] == law[Fraction(10)] == Fraction(1, 27)
    assert law[Fraction(6)] > Fraction(1, 40)


def test_coverage_of_three_runs_is_computed_from_student_s_law():
    exact, t = chapter.three_seed_exact(), stats.t(2)
    q = t.ppf(0.975)
    expected = [2 * t.cdf(math.sqrt(3)) - 1, 0.75, 0.95, 2 * t.cdf(q / 2) - 1, 0.95]
    np.testing.assert_allclose(list(exact.values()), expected)


def test_ranges_of_three_part_in_one_case_of_ten():
    assert [chapter.ranges_apart(runs) for runs in (1, 2, 3)] == [
        1, Fraction(1, 3), Fraction(1, 10)]


def test_the_optimizer_runs_have_their_known_p_values():
    systems, scores = data.optimizer_runs(), chapter.run_scores()
    a, b = systems["sys1"], systems["baseline"]
    np.testing.assert_allclose(100 * scores["baseline"], [18.5389, 18.4645, 18.5771], atol=5e-5)
    np.testing.assert_allclose(100 * scores["sys1"], [18.9869, 18.4740, 18.9795], atol=5e-5)
    assert chapter.welch_p(scores["sys1"], scores["baseline"]) == pytest.approx(0.230, abs=5e-4)
    assert chapter.fixed_runs_p(a, b, False, 9_999, seed=1) <= 0.001
    assert 0.008 < chapter.fixed_runs_p(a, b, True, 9_999, seed=1) < 0.017


def test_both_layouts_of_the_runs_have_the_mean_of_the_run_scores():
    systems, scores = data.optimizer_runs(), chapter.run_scores()
    a, b = systems["sys1"], systems["baseline"]
    for layout, rows in ((chapter._beside, a.shape[1]), (chapter._apart, a.shape[0] * a.shape[1])):
        pairs = sb.PairedSet(layout(a), layout(b), chapter.mean_of_runs)
        assert pairs.n == rows
        assert pairs.score_a == pytest.approx(scores["sys1"].mean(), abs=1e-12)
        assert pairs.score_b == pytest.approx(scores["baseline"].mean(), abs=1e-12)


def test_variances_over_segments_and_runs_nearly_add_up():
    systems = data.optimizer_runs()
    sds = chapter.bootstrap_sds(systems["sys1"], systems["baseline"], 4_000, seed=3)
    x, y = (chapter.run_scores()[name] for name in ("sys1", "baseline"))
    assert sds["runs"] == pytest.approx(math.sqrt((x.var() + y.var()) / 3), rel=0.04)
    assert sds["both"] > max(sds["segments"], sds["runs"])
    assert sds["both"] == pytest.approx(math.hypot(sds["segments"], sds["runs"]), rel=0.15)


# Halvings -----------------------------------------------------------------------------------------

def test_5x2cv_follows_its_formula():
    x = np.arange(10.0)[None, :] ** 2
    variances = [((x[0, 2 * j] - x[0, 2 * j + 1]) ** 2) / 2 for j in range(5)]
    for first in (0, 3):
        t = x[0, first] / math.sqrt(sum(variances) / 5)
        assert chapter.five_by_two_p(x, first)[0] == pytest.approx(2 * stats.t.sf(t, 5))
    assert chapter.five_by_two_p(np.ones((1, 10)))[0] == 1


def test_ten_folds_taken_as_independent_are_a_t_test():
    x = np.random.default_rng(1).normal(1, 2, size=(4, 10))
    np.testing.assert_allclose(chapter.ten_folds_p(x), stats.ttest_1samp(x, 0, axis=1).pvalue)


def test_5x2cv_keeps_its_level_and_ten_folds_do_not():
    x = chapter.halvings()
    assert x.shape == (bursty.EXPERIMENTS, 10)
    kept, lost = (chapter.rejected(p) for p in (chapter.five_by_two_p(x), chapter.ten_folds_p(x)))
    assert kept.value <= 0.05 + 2 * kept.error and lost.value - 3 * lost.error > 0.05


# Figures: the arrays behind them ------------------------------------------------------------------

def test_the_curve_figure_draws_every_draw_and_the_means():
    draws = chapter.curve()
    axis = chapter.draw_curve(draws).axes[0]
    dots = np.asarray(axis.lines[0].get_ydata(), dtype=float)
    np.testing.assert_allclose(dots, np.concatenate([d.gaps for d in draws]))
    means = axis.containers[0].lines[0]
    assert list(means.get_xdata()) == list(bursty.SIZES)
    heights = np.asarray(means.get_ydata(), dtype=float)
    np.testing.assert_allclose(heights, [d.gaps.mean() for d in draws])


def test_the_rejections_figure_draws_each_draw_and_the_mean():
    powers = np.array([[0.1, 0.2, 0.0], [0.5, 0.9, 0.1]])
    lines = chapter.draw_rejections([10, 100], powers).axes[0].lines
    for line, column in zip(lines, powers.T):
        np.testing.assert_allclose(line.get_ydata(), column)
    np.testing.assert_allclose(lines[4].get_ydata(), [0.1, 0.5])


def test_the_retest_figure_draws_the_gap_and_the_other_training_sets():
    result = chapter.retest(64, 500, 3)
    curve, gap, others, _ = chapter.draw_retest(result).axes[0].lines
    assert curve.get_xdata()[np.argmax(curve.get_ydata())] == pytest.approx(result.truth)
    assert gap.get_xdata()[0] == result.gap
    np.testing.assert_allclose(others.get_xdata(), result.others)


# The lab ------------------------------------------------------------------------------------------

def test_a_retest_trains_and_counts_with_the_package():
    of, everything = chapter.population()
    learning, testing = np.random.default_rng(9).spawn(2)
    rules = bursty.train(*bursty.documents(of, 128, learning))
    found = bursty.cells(rules, *everything)
    result = chapter.retest(128, 500, 9)
    assert result.truth == pytest.approx((found[1] - found[2]) / bursty.POOL)
    p = [found[1] / bursty.POOL, found[2] / bursty.POOL]
    n10, n01, _ = testing.multinomial(500, [*p, 1 - sum(p)])
    assert (result.n10, result.n01) == (n10, n01)
    assert result.p == sb.mcnemar(int(n10), int(n01))
    with pytest.raises(ValueError, match="size must be one of .* got 100"):
        chapter.retest(100, 500, 9)


def test_the_lab_s_models_are_judged_in_the_population_of_the_frozen_draws():
    """The frozen draws of the first size, trained again and counted on the lab's pool."""
    stream = np.random.default_rng(bursty.SEED).spawn(4)[2].spawn(bursty.DRAWS)[0]
    of, everything = chapter.population()
    again = bursty._draw(of, bursty.SIZES[0], stream, everything)
    frozen = [bursty.load()[name][0] for name in bursty.COLUMNS[2:]]
    assert np.abs(np.subtract(again, frozen)).max() <= bursty.TOLERANCE


def test_what_the_chapter_prints_of_live_training_does_not_hang_on_the_optimizer(monkeypatch):
    """Newton's method ends elsewhere than L-BFGS in the sixth digit; the counts stay."""
    import sklearn.linear_model

    size = chapter.crossing().size
    settings = [(size, n, seed) for seed in (4, 5, 6, 7, 8) for n in chapter.TEST_SIZES]

    def printed():
        cells = [chapter.retest_cells(chapter.retest(*setting)) for setting in settings]
        own, true = chapter.tested_on_training(size, 20, seed=3)
        means = [chapter.Mean.of(gaps) for gaps in (own, true)]
        return cells, [f"{mean.value:+.3f} {mean.error:.3f}" for mean in means], own.tolist()

    usual = printed()
    regression = sklearn.linear_model.LogisticRegression

    def newton(**options):
        return regression(**options, solver="newton-cholesky")

    monkeypatch.setattr(sklearn.linear_model, "LogisticRegression", newton)
    assert printed() == usual


def test_the_lab_shows_the_package_s_numbers_at_default_ends_and_random_settings():
    lab = chapter.procedures_lab()
    assert [c.value for c in lab.children[0].children] == [chapter.crossing().size, 20_000, 4]
    rng = np.random.default_rng(3)
    sizes, tests = chapter.lab_sizes(), chapter.LAB_TESTS
    settings = [(chapter.crossing().size, 20_000, 4), (sizes[0], tests[0], 1),
                (sizes[-1], tests[-1], 100)]
    settings += [(int(rng.choice(sizes)), int(rng.choice(tests)), int(rng.integers(1, 101)))
                 for _ in range(4)]
    for setting, cells, _ in driven(lab, settings):
        assert cells == chapter.retest_cells(chapter.retest(*setting))


# Claims of the text, on other seeds ---------------------------------------------------------------

def test_two_training_sets_can_settle_it_either_way():
    def claim(seed):
        found = [chapter.retest(chapter.crossing().size, 20_000, 1_000 * seed + k)
                 for k in range(12)]
        winners = {r.gap > 0 for r in found if r.p < 0.05}
        return len(winners) == 2
    holds_on_other_seeds(claim, label="twelve training sets settle it in both directions")


def test_test_sets_drawn_once_reject_more_when_they_are_larger():
    def claim(seed):
        few, many = (chapter.one_test_set_each(chapter.crossing(), n, seed)
                     for n in chapter.TEST_SIZES)
        return bool(many.share.value > 0.5 > few.share.value and min(many.nb, many.lr) > 0)
    holds_on_other_seeds(claim, label="one test set for each training set")


def test_three_seeds_cover_as_printed():
    def claim(seed):
        shares = [s.value for s in chapter.three_seed_coverage(5_000, seed).values()]
        exact = list(chapter.three_seed_exact().values())
        return bool(np.abs(np.subtract(shares, exact)).max() < 0.02)
    holds_on_other_seeds(claim, label="intervals of three runs")


def test_segments_swapped_in_all_runs_give_a_larger_p_than_rows_swapped_singly():
    systems = data.optimizer_runs()

    def claim(seed):
        single, whole = (chapter.fixed_runs_p(systems["sys1"], systems["baseline"], t, 1_999, seed)
                         for t in (False, True))
        return bool(single < 0.003 and 0.005 < whole < 0.02)
    holds_on_other_seeds(claim, label="optimizer runs, two ways of swapping")


def test_testing_on_the_training_documents_favours_logistic_regression():
    def claim(seed):
        own, true = chapter.tested_on_training(chapter.crossing().size, 5, seed)
        return bool(own.mean() < -0.04 < true.mean() and (own < true).all())
    holds_on_other_seeds(claim, label="tested on the training documents")
