"""Chapter 10: the union bound, Holm, BH, min-p, the anytime test counted; figures, lab, claims."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from enumeration import min_p
from labs import driven
from scipy import stats

import sigbook as sb
from sigbook.chapters import shopping as chapter
from sigbook.worlds import trigram

pytestmark = pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")


@pytest.fixture(scope="module")
def aa():
    return chapter.shopping(10, experiments=400)


# Statements ---------------------------------------------------------------------------------------

@pytest.mark.proves("prop-shopping")
def test_the_union_is_bounded_and_each_kind_of_dependence_has_its_size():
    for k, grid in ((1, 20), (2, 20), (3, 12), (4, 8)):
        for level in range(1, grid // k + 1):
            alpha = Fraction(level, grid)
            sizes = {kind: chapter.exact_any(chapter.grid_law(kind, k, grid), level)
                     for kind in ("independent", "identical", "disjoint")}
            assert sizes["independent"] == 1 - (1 - alpha) ** k
            assert sizes["identical"] == alpha
            assert sizes["disjoint"] == k * alpha
            assert all(alpha <= size <= k * alpha for size in sizes.values())


@pytest.mark.proves("prop-shopping")
def test_any_finite_joint_law_obeys_the_bounds_and_independent_ones_the_product():
    rng = np.random.default_rng(4)
    for _ in range(200):
        k, cells = int(rng.integers(2, 5)), int(rng.integers(5, 40))
        events = rng.random((cells, k)) < rng.random(k)
        sizes = [Fraction(int(column.sum()), cells) for column in events.T]
        some = Fraction(int(events.any(axis=1).sum()), cells)
        assert max(sizes) <= some <= k * max(sizes)
        assert Fraction(int(events.sum()), cells) == sum(sizes) <= k * max(sizes)
        grids = [int(g) for g in rng.integers(2, 7, k)]
        cuts = [int(rng.integers(0, g)) for g in grids]
        outcomes = list(product(*[range(g) for g in grids]))
        hit = sum(any(x < c for x, c in zip(outcome, cuts)) for outcome in outcomes)
        none = math.prod(1 - Fraction(c, g) for c, g in zip(cuts, grids))
        assert Fraction(hit, len(outcomes)) == 1 - none
        assert 1 - none <= 1 - (1 - max(Fraction(c, g) for c, g in zip(cuts, grids))) ** k


def test_the_independent_formula_fails_for_discrete_tests():
    assert chapter.mcnemar_size(5) == 0
    for n in range(1, 31):
        law = [Fraction(math.comb(n, w), 2**n) for w in range(n + 1)]
        for alpha in (0.05, 0.5, 1.0):
            exact = sum(law[w] for w in range(n + 1) if sb.mcnemar(w, n - w) <= alpha)
            assert chapter.mcnemar_size(n, alpha) == exact <= alpha
        assert chapter.mcnemar_size(n) < Fraction(1, 20)


def test_the_middle_is_rejected_at_level_1_only():
    assert [chapter.critical(n, 1.0) for n in (0, 1, 2, 6, 7)] == [0, 0, 1, 3, 3]
    assert [chapter.critical(n, 0.999) for n in (0, 2, 6)] == [-1, 0, 2]


def test_looks_given_as_numpy_integers_do_not_overflow():
    looks = np.arange(100, 501, 100)
    np.testing.assert_array_equal(chapter.peeking(looks), chapter.peeking(looks.tolist()))
    np.testing.assert_array_equal(chapter.anytime(looks), chapter.anytime(looks.tolist()))
    assert chapter.peeking(looks)[-1] > chapter.peeking([500])[0] > 0.04


@pytest.mark.proves("thm-holm")
def test_wherever_holm_errs_a_true_null_is_below_alpha_over_their_number():
    for k, grid, level in ((1, 10, 3), (2, 20, 6), (3, 20, 6), (3, 12, 5), (4, 8, 4)):
        found = chapter.check_holm(k, grid, level)
        assert found["failures"] == 0 < found["errors"]


@pytest.mark.proves("thm-holm")
def test_no_joint_law_breaks_holm_s_level_and_some_break_the_others():
    for k in (2, 3):
        for alpha in (0.05, 0.3):
            for nulls in range(1, k + 1):
                for name, worst in (("Holm", alpha), ("Bonferroni", nulls * alpha / k),
                                    ("each alone", nulls * alpha)):
                    found = chapter.worst_case(name, k, nulls, alpha)
                    assert found == pytest.approx(worst, abs=1e-9)
            harmonic = sum(1 / j for j in range(1, k + 1))
            found = chapter.worst_case("Benjamini-Hochberg", k, k, alpha)
            assert found == pytest.approx(harmonic * alpha, abs=1e-9)


@pytest.mark.proves("thm-holm")
def test_holm_rejects_what_bonferroni_rejects():
    for p in product(range(1, 13), repeat=3):
        assert chapter.stepwise(p, "Bonferroni", 5) <= chapter.stepwise(p, "Holm", 5)


@pytest.mark.proves("thm-bh")
def test_the_false_discovery_rate_of_independent_tests_is_k0_alpha_over_k():
    for k, grid, level in ((1, 10, 3), (2, 20, 4), (3, 12, 3), (4, 8, 4)):
        for nulls in range(1, k + 1):
            for real in ((1,), (1, 1, 2, 5), (grid,), tuple(range(1, grid + 1))):
                rate = chapter.exact_fdr(k, nulls, grid, level, real)
                assert rate == Fraction(nulls, k) * Fraction(level, grid)


@pytest.mark.proves("thm-bh")
def test_off_the_grid_the_rate_is_an_inequality_and_dependent_real_gaps_change_nothing():
    for level in range(1, 12):
        assert chapter.exact_fdr(3, 2, 12, level, (1, 3)) <= Fraction(2, 3) * Fraction(level, 12)
    total, cases = Fraction(0), 0  # the two real gaps' p-values are one variable twice
    for null, other in product(range(1, 13), (1, 2, 6)):
        found = chapter.stepwise((null, other, other), "Benjamini-Hochberg", 3)
        total += Fraction(0 in found, max(len(found), 1))
        cases += 1
    assert total / cases == Fraction(1, 3) * Fraction(3, 12)


@pytest.mark.proves("thm-bh")
def test_replacing_a_small_p_value_by_zero_keeps_the_number_of_rejections():
    met = 0
    for p in product(range(1, 13), repeat=3):
        for level in (3, 5):
            found = chapter.stepwise(p, "Benjamini-Hochberg", level)
            for j in range(3):
                zero = len(chapter.stepwise((*p[:j], 0, *p[j + 1:]), "Benjamini-Hochberg", level))
                for r in (1, 2, 3):
                    if 3 * p[j] <= level * r:
                        assert (len(found) == r) == (zero == r)
                        met += 1
    assert met > 500


@pytest.mark.proves("lem-adjusted")
def test_adjusted_p_values_give_the_steps_verdicts_at_every_level():
    rng = np.random.default_rng(9)
    for _ in range(150):
        grid = 64  # a power of two: the levels are exact in floating point
        p = rng.integers(0, grid + 1, int(rng.integers(1, 7)))
        k = len(p)
        ranked = sorted(p.tolist())
        holm = [max((k - m) * ranked[m] for m in range(i + 1)) for i in range(k)]
        bh = [min(Fraction(k, m + 1) * ranked[m] for m in range(i, k)) for i in range(k)]
        for level in range(grid + 1):
            for name, adjusted in (("Holm", holm), ("Benjamini-Hochberg", bh)):
                rejected = chapter.stepwise(p.tolist(), name, level)
                assert sum(value <= level for value in adjusted) == len(rejected)
        order = np.argsort(p, kind="stable")
        np.testing.assert_allclose(sb.holm(p / grid)[order], np.minimum(1, np.array(holm) / grid))
        np.testing.assert_allclose(sb.benjamini_hochberg(p / grid)[order],
                                   [float(x) / grid for x in bh])


def test_a_stack_of_families_is_judged_as_the_package_judges_one():
    rng = np.random.default_rng(5)
    for k in (1, 2, 7, 20):
        p = rng.random((200, k)) ** 3
        p[:, 0] = np.round(p[:, 0], 2)
        for alpha in (0.05, 0.2):
            for name, adjust in (("Holm", sb.holm), ("Benjamini-Hochberg", sb.benjamini_hochberg),
                                 ("Bonferroni", lambda row: k * row),
                                 ("each alone", lambda row: row)):
                expected = np.array([adjust(row) <= alpha for row in p])
                np.testing.assert_array_equal(chapter.rejections(p, name, alpha), expected)


@pytest.mark.proves("prop-min-p")
def test_the_smallest_p_is_valid_on_every_orbit_and_at_least_as_sharp_as_bonferroni():
    rng = np.random.default_rng(6)
    for n in (1, 2, 3, 4):
        for k in (1, 2, 3, 5):
            for values in (rng.normal(size=(k, 2**n)), rng.integers(0, 3, (k, 2**n)),
                           np.zeros((k, 2**n))):
                counts, smallest = min_p(values)
                np.testing.assert_array_equal(counts, chapter.reaching(values.astype(float)))
                for level in range(2**n + 1):
                    assert (smallest <= level).sum() <= level
                assert (smallest <= k * counts.min(axis=0)).all()


@pytest.mark.proves("prop-min-p")
def test_the_p_values_of_swapped_data_are_those_of_the_orbit():
    """q_j(e) on the data is q_j(0) on the data swapped by e, for two means of four segments."""
    rng = np.random.default_rng(2)
    d = rng.integers(-3, 4, (2, 4))
    signs = np.array(list(product((1, -1), repeat=4)))
    counts, smallest = min_p(np.abs(signs @ d.T).T)
    for place, sign in enumerate(signs):
        swapped, again = min_p(np.abs(signs @ (d * sign).T).T)
        np.testing.assert_array_equal(swapped[:, 0], counts[:, place])
        assert again[0] == smallest[place]


@pytest.mark.proves("prop-anytime")
def test_the_evidence_is_fair_on_average_and_its_crossing_rare():
    for n in range(40):
        for w in range(n + 1):
            after = chapter.evidence(n + 1, w) + chapter.evidence(n + 1, w + 1)
            assert after / 2 == chapter.evidence(n, w)
    for alpha in (0.01, 0.05, 0.2, 0.5, 1.0):
        exact = chapter.anytime(range(1, 41), alpha, Fraction(1, 2))[-1]
        assert exact <= Fraction(repr(alpha))
    paths = [np.cumsum(path) for path in product((0, 1), repeat=12)]
    ever = sum(any(chapter.evidence(n, int(path[n - 1])) >= 5 for n in range(1, 13))
               for path in paths)
    assert Fraction(ever, len(paths)) == chapter.anytime(range(1, 13), 0.2, Fraction(1, 2))[-1] > 0


# Experiments --------------------------------------------------------------------------------------

def test_p_values_of_an_experiment_are_the_package_s_for_all_seven_metrics(aa):
    a, b = trigram.experiments(10)
    scores = trigram.load_scores()
    for e in (0, 7, 390):
        pairs = [sb.PairedSet(a[e], b[e], "bleu")]
        for name in chapter.METRICS:
            sides = trigram.paired(scores[name], 10)
            pairs.append(sb.PairedSet(sides[0][e], sides[1][e], "mean"))
        for row, pair in zip(aa.p, pairs):
            assert row[e] == pytest.approx(sb.p_randomization(sb.randomize(pair, "all")), abs=1e-12)


def test_half_of_the_swaps_give_the_min_p_of_all(aa):
    scores = trigram.load_scores()
    values = np.stack([scores[name] for name in chapter.METRICS], axis=-1)
    a, b = trigram.paired(values, 10)
    signs = np.array(list(product((1, -1), repeat=10)))
    bleu_a, bleu_b = trigram.experiments(10)
    for e in (3, 250):
        gaps = np.abs(signs @ (a[e] - b[e])).T.astype(float)
        keep = (signs == 1)[:, :, None]
        pooled_a = np.where(keep, bleu_a[e], bleu_b[e]).sum(axis=1)
        pooled_b = np.where(keep, bleu_b[e], bleu_a[e]).sum(axis=1)
        bleu = np.abs(chapter.metrics.bleu(pooled_a) - chapter.metrics.bleu(pooled_b))
        _, smallest = min_p(np.vstack([bleu, gaps]))
        assert smallest[0] / 1024 == aa.min_p[e]


def test_the_path_adds_experiments_and_ends_at_the_same_place_in_any_order(aa):
    path, back = chapter.size_path(aa.p), chapter.size_path(aa.p[::-1])
    assert [s.value for s in path] == sorted(s.value for s in path)
    assert path[-1] == back[-1]
    assert path[-1].value == (aa.p <= 0.05).any(axis=0).mean()
    assert path[0].value == (aa.p[0] <= 0.05).mean()


def test_seed_shopping_agrees_with_drawing():
    p, rng = np.linspace(0.01, 0.12, 40), np.random.default_rng(1)
    hits = rng.binomial(99, p, (4_000, 5, 40))
    drawn = (((1 + hits) / 100 <= 0.05).any(axis=1)).mean()
    assert chapter.seed_shopping(p, 99, 5).value == pytest.approx(drawn, abs=0.006)


def test_correlated_sizes_agree_with_simulation_and_the_known_ends():
    assert chapter.correlated_size(20, 0.0) == pytest.approx(0.641514, abs=1e-6)
    assert chapter.correlated_size(1, 0.7) == pytest.approx(0.05, abs=1e-9)
    assert chapter.correlated_size(20, 0.9999) == pytest.approx(0.05, abs=0.01)
    for k, correlation in ((5, 0.3), (20, 0.5), (20, 0.95)):
        p = chapter.correlated_p(k, correlation, 20_000, 3)
        share = chapter.rejected(p.min(axis=1))
        assert abs(share.value - chapter.correlated_size(k, correlation)) < 4 * share.error
    z = stats.norm.isf(chapter.correlated_p(2, 0.0, 5_000, 3, real=1, effect=40.0) / 2)
    assert z[:, 0].min() > 30 and np.median(z[:, 1]) < 1


def test_peeking_agrees_with_all_sequences_and_the_package_s_test():
    looks = (6, 9, 12)
    stopped = np.zeros(3)
    for path in product((0, 1), repeat=12):
        for place, n in enumerate(looks):
            w = sum(path[:n])
            if sb.mcnemar(w, n - w) <= 0.05:
                stopped[place:] += 1
                break
    np.testing.assert_allclose(chapter.peeking(looks), stopped / 2**12, atol=1e-15)
    for n in (3, 6, 17, 100, 500):
        most = chapter.critical(n, 0.05)
        assert most < 0 or sb.mcnemar(most, n - most) <= 0.05
        assert sb.mcnemar(most + 1, n - most - 1) > 0.05
    assert chapter.peeking([20], theta=0.7)[-1] == pytest.approx(
        stats.binom.cdf(5, 20, 0.7) + stats.binom.sf(14, 20, 0.7), abs=1e-12)


def test_the_board_s_p_values_are_mcnemar_s():
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 6, 30)) < 0.5
    expected = [sb.mcnemar(int((x & ~y).sum()), int((y & ~x).sum())) for x, y in zip(a, b)]
    np.testing.assert_allclose(chapter._mcnemar(a, b), expected, rtol=1e-12)
    same = chapter._mcnemar(a, a)
    np.testing.assert_array_equal(same, np.ones(6))


def test_planned_looks_keep_the_level_and_unplanned_ones_lose_it():
    looks = list(range(10, 201, 10))
    assert chapter.peeking(looks)[-1] > 3 * 0.05
    assert chapter.peeking(looks, 0.05 / 20)[-1] <= 0.05
    assert (np.diff(chapter.peeking(looks)) >= 0).all()


# Claims of the text, on other seeds ---------------------------------------------------------------

@cache
def paired_anew(seed):
    return chapter.shopping(10, seed=seed, experiments=768)


def test_seven_metrics_more_than_double_the_size_and_stay_below_independence():
    def claim(seed):
        other = paired_anew(seed)
        path = chapter.size_path(other.p)
        held = chapter.rejections(other.p.T, "Holm").any(axis=1).mean()
        return bool(0.09 < path[-1].value < 0.22 and path[-1].value > 1.8 * path[0].value
                    and held < chapter.rejected(other.min_p).value < 0.05 + 3 * path[0].error)
    holds_on_other_seeds(claim, label="seven metrics on pairs made anew")


def test_chrf_mostly_stays_silent_where_bleu_rejects_and_bh_keeps_the_level_on_the_seven():
    def claim(seed):
        p = paired_anew(seed).p
        bleu, chrf = p[0] <= 0.05, p[4] <= 0.05
        false = chapter.rejections(p.T, "Benjamini-Hochberg").any(axis=1).mean()
        return bool(0 < (bleu & chrf).sum() < 0.45 * bleu.sum() and false < 0.05)
    holds_on_other_seeds(claim, label="BLEU and chrF, and BH on the seven metrics")


def test_a_climbed_board_is_significant_after_any_correction_and_worth_nothing_afresh():
    def claim(seed):
        board = chapter.leaderboard(500, 10, seed)
        return bool((500 * board.p_test <= 0.05).all() and board.test[:, -1].mean() > 0.7
                    and abs(board.fresh[:, -1].mean() - 0.5) < 0.03)
    holds_on_other_seeds(claim, label="leaderboard climbed by noise")


def test_a_list_fixed_in_advance_is_repaired_by_bonferroni():
    def claim(seed):
        board = chapter.leaderboard(100, 40, seed, climbing=False, change=0.2)
        alone, corrected = ((factor * board.p_test <= 0.05).mean() for factor in (1, 100))
        return bool(alone > 0.3 and corrected <= 0.15)
    holds_on_other_seeds(claim, label="fixed list corrected")


def test_correlated_false_discoveries_come_in_company():
    def claim(seed):
        p = chapter.correlated_p(20, 0.8, 2_000, seed, real=2)
        wrong = chapter.rejections(p, "Benjamini-Hochberg")
        share = wrong[:, 2:].sum(axis=1) / np.maximum(wrong.sum(axis=1), 1)
        return bool(share.mean() < 0.05 and share[share > 0.05].mean() > 0.5)
    holds_on_other_seeds(claim, label="lists are clean or bad")


# Figures: the arrays behind them ------------------------------------------------------------------

def test_figures_draw_what_was_computed(aa):
    path = chapter.size_path(aa.p)
    axis = chapter.draw_path(path, chapter.size_path(aa.p[::-1])).axes[0]
    drawn = {c.get_label(): c.lines[0].get_ydata().astype(float) for c in axis.containers}
    np.testing.assert_allclose(drawn["measured, BLEU first"], [s.value for s in path])
    lines = {line.get_label(): line.get_ydata() for line in axis.lines}
    np.testing.assert_allclose(lines["independent tests"], [1 - 0.95**k for k in range(1, 8)])

    axis = chapter.draw_lines(chapter.FIFTEEN, 7).axes[0]
    lines = {line.get_label(): line.get_ydata() for line in axis.lines}
    p = lines["p-value"]
    np.testing.assert_allclose(p, chapter.FIFTEEN[:7])
    assert (p <= lines["Benjamini-Hochberg"]).sum() == 4
    assert np.argmax(p > lines["Holm"]) == 3 and (p <= lines["Bonferroni"]).sum() == 3

    looks, curve = [10, 20], chapter.peeking([10, 20])
    axis = chapter.draw_peeking(looks, {"a": curve}).axes[0]
    np.testing.assert_allclose(axis.lines[0].get_ydata(), curve)

    board = chapter.leaderboard(20, 5, 1)
    axis = chapter.draw_board(board).axes[0]
    for line, curves in zip(axis.lines, (board.test, board.fresh)):
        np.testing.assert_allclose(line.get_ydata(), curves.mean(axis=0))

    result = chapter.lab_result(5, 0.5, 2, 0)
    axis = chapter.draw_lab(result).axes[0]
    np.testing.assert_allclose(axis.lines[1].get_ydata(), result.grown)
    assert len(result.grown) == 3
    for k, real in ((1, 0), (2, 0), (5, 2), (40, 0), (5, 10)):
        axis = chapter.draw_lab(chapter.lab_result(k, 0.5, real, 0)).axes[0]
        ticks = axis.get_xticks()
        np.testing.assert_array_equal(ticks, np.round(ticks))
        assert all(line.get_marker() not in ("None", None) for line in axis.lines[:2])


# The lab ------------------------------------------------------------------------------------------

def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.shopping_lab()
    rng = np.random.default_rng(8)
    settings = [(20, 0.5, 0, 0), (1, 0.0, 0, 0), (40, 0.95, 10, 50), (1, 0.0, 10, 0),
                (10, 0.2, 10, 3)]
    settings += [(int(rng.integers(1, 41)), round(0.05 * int(rng.integers(20)), 2),
                  int(rng.integers(11)), int(rng.integers(51))) for _ in range(4)]
    for (k, correlation, real, seed), shown, _ in driven(lab, settings):
        real = min(real, k)
        p = chapter.correlated_p(k, correlation, chapter.LAB_FAMILIES, seed, real=real)
        cells = np.reshape(shown, (4, 5))
        assert cells[:, 0].tolist() == list(chapter.PROCEDURES)
        adjusted = {"each alone": p, "Bonferroni": k * p}
        for name, adjust in (("Holm", sb.holm), ("Benjamini-Hochberg", sb.benjamini_hochberg)):
            adjusted[name] = np.array([adjust(row) for row in p[:300]])
        for row in cells:
            chosen = adjusted[row[0]] <= 0.05
            whole = chapter.rejections(p, row[0])
            np.testing.assert_array_equal(whole[:len(chosen)], chosen)
            false, right = whole[:, real:].sum(axis=1), whole[:, :real].sum(axis=1)
            assert row[1] == f"{(false > 0).mean():.3f}"
            assert row[3] == f"{np.mean(false / np.maximum(false + right, 1)):.3f}"
            assert row[4] == f"{right.mean():.2f}"


def test_sets_of_true_nulls_are_all_gone_through():
    found = chapter.check_holm(2, 4, 2)
    assert found["cases"] == 16 * sum(1 for size in (1, 2) for _ in combinations(range(2), size))
