"""Chapter 9: power by enumeration, equivalence as an interval, figures, lab, other seeds."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven
from scipy.stats import binom, norm, t

import sigbook as sb
from sigbook.chapters import power as chapter
from sigbook.worlds import tone

LEVEL = Fraction(1, 20)
SOURCE_PAIRS = ((295, 88, 103, 0.759), (82, 33, 562, 0.773), (108, 101, 50_215, 0.797),
                (119, 33, 240, 0.766))  # fmt: skip


# Statements ------------------------------------------------------------------------------------


@pytest.mark.proves("prop-power")
def test_the_sum_is_the_probability_of_rejection_over_all_test_sets():
    cells = [Fraction(k, 6) for k in range(6)]
    checked = 0
    for n, alpha in ((1, Fraction(1, 2)), (3, Fraction(1, 4)), (6, LEVEL), (7, LEVEL)):
        for p10, p01 in product(cells[1::2], cells[::2]):
            if p10 + p01 <= 1:
                every = chapter.power_by_segments(n, p10, p01, alpha)
                assert every == chapter.power_by_counts(n, p10, p01, alpha)
                assert every == chapter.power_by_formula(n, p10, p01, alpha)
                found = sb.mcnemar_power(n, float(p10), float(p01), float(alpha))
                assert found == pytest.approx(float(every), abs=1e-12)
                checked += 1
    assert checked > 15


@pytest.mark.proves("prop-power")
def test_the_sum_holds_without_segments_and_where_the_systems_part_on_all_of_them():
    for n, p10 in product((0, 1, 2, 6), (Fraction(1), Fraction(1, 2), Fraction(3, 5), Fraction(0))):
        for alpha in (LEVEL, Fraction(1, 2), Fraction(1, 32)):
            every = chapter.power_by_segments(n, p10, 1 - p10, alpha)
            assert every == chapter.power_by_formula(n, p10, 1 - p10, alpha)
            found = sb.mcnemar_power(n, float(p10), float(1 - p10), float(alpha))
            assert found == pytest.approx(float(every), abs=1e-12)
    assert sb.mcnemar_power(5, 1, 0) == 0 and sb.mcnemar_power(6, 1, 0) == 1


@pytest.mark.proves("prop-power")
def test_all_counts_of_twenty_five_segments_give_the_package_s_power():
    for p10, p01 in ((Fraction(1, 2), Fraction(1, 5)), (Fraction(1, 3), Fraction(1, 3))):
        for alpha in (Fraction(1, 100), LEVEL, Fraction(1, 10)):
            every = chapter.power_by_counts(25, p10, p01, alpha)
            assert every == chapter.power_by_formula(25, p10, p01, alpha)
            found = sb.mcnemar_power(25, float(p10), float(p01), float(alpha))
            assert found == pytest.approx(float(every), abs=1e-12)


@pytest.mark.proves("prop-power")
def test_connor_s_n_solves_the_normal_approximation_exactly():
    for p10, p01 in ((0.45, 0.05), (0.30, 0.15), (0.072, 0.067), (0.02, 0.01)):
        for power in (0.5, 0.8, 0.95):
            for alpha in (0.01, 0.05):
                n = sb.mcnemar_sample_size(p10, p01, power, alpha)
                assert chapter.normal_power(n, p10, p01, alpha) >= power - 1e-12
                assert chapter.normal_power(n - 1, p10, p01, alpha) < power
                # The power is that of a normal sum beyond the edge.
                p_d, gap = p10 + p01, p10 - p01
                law = norm(n * gap, math.sqrt(n * (p_d - gap**2)))
                edge = norm.isf(alpha / 2) * math.sqrt(n * p_d)
                found = chapter.normal_power(n, p10, p01, alpha)
                assert found == pytest.approx(law.sf(edge), abs=1e-12)


def test_critical_counts_are_those_of_the_exact_test():
    counts = chapter.critical_counts(150)
    for k in range(151):
        assert counts[k] == chapter.most_losses(k, LEVEL)
        for a in range(k // 2 + 1):
            assert (a <= counts[k]) == (sb.mcnemar(k - a, a) <= 0.05)


@pytest.mark.proves("lem-reach")
def test_power_rises_with_the_gap_and_the_detectable_gap_is_where_it_crosses():
    for k, alpha in product(range(1, 13), (LEVEL, Fraction(1, 4))):
        a = chapter.most_losses(k, alpha)
        chances = [Fraction(half, 40) for half in range(20, 41)]
        tails = [sum(math.comb(k, j) * (x ** (k - j) * (1 - x) ** j + x**j * (1 - x) ** (k - j))
                     for j in range(a + 1)) for x in chances]  # fmt: skip
        assert tails == sorted(tails)
        for x, value in zip(chances, tails):  # the same from the other side
            assert value == sum(math.comb(k, j) * ((1 - x) ** (k - j) * x**j
                                                   + (1 - x) ** j * x ** (k - j))
                                for j in range(a + 1))  # fmt: skip
    for n, p_d in ((300, 0.14), (1_500, 0.05), (5_000, 0.3)):
        gap = chapter.detectable_gap(n, p_d)
        assert sb.mcnemar_power(n, *chapter.split(p_d, gap)) >= 0.8
        assert sb.mcnemar_power(n, *chapter.split(p_d, gap - 1.1e-5)) < 0.8
    assert math.isnan(chapter.detectable_gap(20, 0.1))


@pytest.mark.proves("lem-reach")
def test_the_slope_of_both_tails_is_the_lemma_s_formula():
    def tails(x, k, a):
        return sum(math.comb(k, j) * (x ** (k - j) * (1 - x) ** j + x**j * (1 - x) ** (k - j))
                   for j in range(a + 1))  # fmt: skip

    for k, a, x in ((9, 1, 0.7), (12, 2, 0.55), (20, 5, 0.6)):
        step = 1e-6
        measured = (tails(x + step, k, a) - tails(x - step, k, a)) / (2 * step)
        e = k - 2 * a - 1
        slope = k * math.comb(k - 1, a) * (x * (1 - x)) ** a * (x**e - (1 - x) ** e)
        assert measured == pytest.approx(slope, rel=1e-6)


@pytest.mark.proves("prop-observed-power")
def test_observed_power_falls_with_p_and_is_half_at_the_level():
    p = np.linspace(1e-6, 1, 2_001)
    for alpha in (0.01, 0.05, 0.1):
        values = chapter.power_from_p(p, alpha)
        assert (np.diff(values) < 0).all()
        assert values[-1] == pytest.approx(alpha)
        at_level = chapter.power_from_p(alpha, alpha)
        assert at_level == pytest.approx(0.5 + norm.cdf(-2 * norm.isf(alpha / 2)))
        assert (values[p > alpha] < at_level).all()
    assert round(float(chapter.power_from_p(0.05)), 4) == 0.5
    # A failure to reject can have an observed power above a half, by next to nothing.
    assert 0.5 < chapter.power_from_p(0.0500001) < 0.50005
    # By the definition: the power at delta = the observed gap, in units of sigma.
    z = 1.3
    direct = norm.sf(norm.isf(0.025), loc=z) + norm.cdf(-norm.isf(0.025), loc=z)
    assert chapter.power_from_p(2 * norm.sf(z)) == pytest.approx(direct)


def test_mcnemar_s_exact_power_at_the_observed_shares_is_nearly_that_function():
    found = chapter.observed_power(1_500, 0.08, 0.06, 80, seed=6)
    assert np.abs(found.power - chapter.power_from_p(found.p)).max() < 0.012


@pytest.mark.proves("prop-tost")
def test_equivalence_is_the_interval_within_the_margins():
    rng = np.random.default_rng(3)
    verdicts = set()
    for _ in range(300):
        n, alpha = int(rng.integers(2, 40)), float(rng.choice([0.01, 0.05, 0.2]))
        x = rng.normal(rng.normal(0, 0.5), 1, n)
        low, high = -rng.uniform(0.1, 2), rng.uniform(0.1, 2)
        result = sb.tost(low, high, x, alpha)
        se = x.std(ddof=1) / math.sqrt(n)
        p_lower = t.sf((x.mean() - low) / se, n - 1)
        p_upper = t.cdf((x.mean() - high) / se, n - 1)
        assert result.p == pytest.approx(max(p_lower, p_upper), rel=1e-9)
        ends = t.interval(1 - 2 * alpha, n - 1, x.mean(), se)
        inside = low <= ends[0] and ends[1] <= high
        assert result.equivalent == inside == (max(p_lower, p_upper) <= alpha)
        verdicts.add(inside)
    assert verdicts == {True, False}


@pytest.mark.proves("prop-tost")
def test_tost_keeps_its_level_at_and_beyond_the_margins():
    for n, place in ((10, 1.0), (50, 1.0), (300, 1.0), (300, -1.0), (50, 1.3)):
        found = chapter.tost_share(n, place * 0.3, 0.3, 10_000, seed=n)
        assert found.value <= 0.05 + 3.5 * math.sqrt(0.05 * 0.95 / 10_000)
    for place in (-1.0, 1.0):
        exact = chapter.tost_power(300, place * 0.3, 0.3)
        assert exact == pytest.approx(0.05, abs=1e-9)


def test_the_tost_formula_is_the_share_of_simulated_declarations():
    for n, place in ((400, 0.0), (400, 0.5), (1_000, 0.8)):
        found = chapter.tost_share(n, place * 0.1, 0.1, 10_000, seed=n)
        formula = chapter.tost_power(n, place * 0.1, 0.1)
        assert abs(found.value - formula) < 0.01 + 3 * found.error


def test_simulated_declarations_are_the_package_s_verdicts():
    x = np.random.default_rng(8).normal(0.1, 1.0, size=(60, 40))
    verdicts = [sb.tost(-0.3, 0.3, row).equivalent for row in x]
    assert chapter.tost_share(40, 0.1, 0.3, 60, seed=8).value == np.mean(verdicts)
    n = chapter.equivalence_sample_size(0.14, 0.02)
    sd = 0.14**0.5
    assert chapter.tost_power(n - 1, 0, 0.02, sd) < 0.8 <= chapter.tost_power(n, 0, 0.02, sd)


# Published numbers -------------------------------------------------------------------------------


def test_the_saw_teeth_stand_where_they_are():
    sizes = np.arange(150, 260)
    power = chapter.power_over(sizes, 0.6, 0.4)
    assert sizes[power >= 0.8][0] == 199
    assert list(sizes[(sizes > 199) & (power < 0.8)]) == [200, 202, 205, 207, 209]
    assert sb.mcnemar_sample_size(0.6, 0.4, method="exact") == 210
    power = chapter.power_over(sizes, 0.30, 0.15)
    assert sizes[power >= 0.8][0] == 166
    assert (power[sizes >= 166] >= 0.8).all()
    assert (np.diff(power) > 0).all()  # no tooth at all
    assert round(float(power[sizes == 155][0]), 4) == 0.7738


def test_the_source_s_table_has_the_powers_that_its_claim_leaves_out():
    for a, b, size, power in SOURCE_PAIRS:
        assert sb.mcnemar_sample_size(a / 1_500, b / 1_500) == size
        assert round(sb.mcnemar_power(size, a / 1_500, b / 1_500), 3) == power
    outside = [power for *_, power in SOURCE_PAIRS if not 0.776 <= power <= 0.787]
    assert len(outside) == 4


def midp_power(n, p10, p01, alpha=0.05):
    """Power of McNemar's mid-p test: by the sum over n_d, with its own critical counts."""
    k = np.arange(n + 1)
    weights = binom.pmf(k, n, p10 + p01)
    power, lean = 0.0, p10 / (p10 + p01)
    for size in k[weights > 1e-12]:
        fewer = np.arange(size // 2 + 1)
        p = 2 * binom.cdf(fewer, size, 0.5) - binom.pmf(fewer, size, 0.5)
        a = int((p <= alpha).sum()) - 1
        power += weights[size] * (binom.cdf(a, size, lean) + binom.cdf(a, size, 1 - lean))
    return power


def test_connor_s_number_is_short_at_power_four_fifths_because_the_exact_test_is_conservative():
    pairs = [(0.45, 0.05), (0.30, 0.15), (0.10, 0.05), (0.0225, 0.0025)]
    pairs += [(a / 1_500, b / 1_500) for a, b, *_ in SOURCE_PAIRS if a + b != 209]
    for p10, p01 in pairs:
        size = sb.mcnemar_sample_size(p10, p01)
        exact = sb.mcnemar_sample_size(p10, p01, method="exact")
        assert 1.02 < exact / size < 1.1
        assert sb.mcnemar_power(size, p10, p01) < 0.8 <= midp_power(size, p10, p01)
    assert midp_power(155, 0.30, 0.15) == pytest.approx(0.8050, abs=5e-5)
    near_tie = (108 / 1_500, 101 / 1_500)
    exact = sb.mcnemar_sample_size(*near_tie, method="exact")
    assert 1 < exact / sb.mcnemar_sample_size(*near_tie) < 1.01


def test_connor_s_number_errs_to_either_side():
    for p10, p01, power, alpha, connor, exact in (
        (0.30, 0.15, 0.9, 0.05, 206, 217), (0.0225, 0.0025, 0.9, 0.05, 653, 631),
        (0.05, 0.0, 0.8, 0.01, 231, 204), (1.0, 0.0, 0.8, 0.05, 4, 6),
    ):  # fmt: skip
        assert sb.mcnemar_sample_size(p10, p01, power, alpha) == connor
        assert sb.mcnemar_sample_size(p10, p01, power, alpha, method="exact") == exact
        assert (sb.mcnemar_power(connor, p10, p01, alpha) < power) == (connor < exact)
    assert sb.mcnemar_power(4, 1.0, 0.0) == 0  # no p below 2/2^4


def test_more_disagreement_at_the_same_gap_means_less_power():
    values = [sb.mcnemar_power(1_500, 0.08 + extra, 0.06 + extra) for extra in (0, 0.04, 0.08)]
    assert values == sorted(values, reverse=True) and values[-1] < 0.7 * values[0]


def test_our_near_tie_is_equivalent_within_one_point_and_the_source_s_cannot_be():
    assert tone.cells("nbw bigrams", "lr bigrams")[1:3] == (22, 18)
    assert sb.tost(-0.01, 0.01, chapter.outcomes(1_500, 22, 18)).p == pytest.approx(0.0411, abs=1e-4)
    for wins in range(95, 115):  # 209 discordant filings, whoever wins them
        d = chapter.outcomes(1_500, wins, 209 - wins)
        assert not sb.tost(-0.01, 0.01, d).equivalent


def test_published_plans_come_out():
    assert sb.mcnemar_sample_size(0.45, 0.05) == 23
    assert sb.mcnemar_power(500, 0.0225, 0.0025) == pytest.approx(0.797577, abs=5e-7)
    assert sb.mcnemar_power(1_500, 108 / 1_500, 101 / 1_500) == pytest.approx(0.067, abs=5e-4)
    assert chapter.mean_sample_size(1 / 9, 0.03) == 969


def test_published_equivalences_and_the_toy_intervals_come_out():
    first = sb.tost(-0.1, 0.1, chapter.with_moments(0.02, 0.5, 300))
    assert (first.p_lower, first.p_upper) == pytest.approx((2.108451e-05, 0.002966762), rel=1e-6)
    sd = math.sqrt(1.17**2 + 1.30**2 - 2 * 0.745 * 1.17 * 1.30)
    second = sb.tost(-0.34, 0.34, chapter.with_moments(0.08, sd, 65))
    assert (second.p_lower, second.p_upper) == pytest.approx((0.0001606103, 0.01081349), rel=1e-6)
    for (low, high), verdict in (((-0.4, 0.6), True), ((-1.2, 0.6), False)):
        result = sb.tost(-1, 1, chapter.with_interval(low, high, 50))
        assert result.interval == pytest.approx((low, high))
        assert result.equivalent is verdict


def test_samples_made_to_measure_have_their_moments():
    x = chapter.with_moments(0.05, 1.0, 4_335)
    assert (x.mean(), x.std(ddof=1)) == pytest.approx((0.05, 1.0))
    assert chapter.cohen_d(x) == pytest.approx(0.05)
    assert round(chapter.t_p_value(x), 3) == 0.001
    d = chapter.outcomes(1_500, 108, 101)
    assert (len(d), d.sum(), np.abs(d).sum()) == (1_500, 7, 209)


# Experiments -------------------------------------------------------------------------------------


def test_simulated_shares_agree_with_the_exact_power():
    for seed, (n, p10, p01) in enumerate(((60, 0.4, 0.1), (400, 0.08, 0.06), (300, 0.1, 0.1))):
        found = chapter.simulated_power(n, p10, p01, 20_000, seed)
        assert abs(found.value - sb.mcnemar_power(n, p10, p01)) < 4 * found.error


def test_the_design_effect_of_leaning_documents_is_the_variance_s_factor():
    lean, p_d, gap, size = 0.4, 0.2, 0.03, 20
    rng = np.random.default_rng(1)
    chance = (1 + gap / p_d) / 2 + lean * rng.choice([-1.0, 1.0], size=200_000)
    n_d = rng.binomial(size, p_d, size=len(chance))
    net = 2 * rng.binomial(n_d, chance) - n_d
    ratio = net.var() / (size * (p_d - gap**2))
    assert chapter.clustered(lean, 10, 0).design_effect == pytest.approx(ratio, rel=0.02)


def test_one_look_is_the_exact_test():
    found = chapter.peeking(1, 20_000, seed=2)
    assert abs(found.value - sb.mcnemar_power(1_500, 0.07, 0.07)) < 4 * found.error


def test_significant_gaps_are_those_that_the_test_rejects():
    found = chapter.significant_gaps(1_500, 0.14, 0.02, 20_000, seed=5)
    exact = sb.mcnemar_power(1_500, *chapter.split(0.14, 0.02))
    assert abs(found.power.value - exact) < 4 * found.power.error
    least = np.abs(found.gaps[found.significant]).min()
    assert least > np.abs(found.gaps[~found.significant]).mean()
    assert found.exaggeration[0] == pytest.approx(
        np.abs(found.gaps[found.significant]).mean() / 0.02)  # fmt: skip


def test_the_exaggeration_and_the_wrong_way_are_those_of_all_counts():
    """Half a point on 1,500 segments, summed over n_d and the wins: 4.742 and 0.0771."""
    n, gap = 1_500, 0.005
    (p10, p01), edges = chapter.split(0.14, gap), chapter.critical_counts(400)
    power = size = wrong = 0.0
    for k, weight in enumerate(binom.pmf(np.arange(401), n, 0.14)):
        wins = np.arange(k + 1)
        mass = weight * binom.pmf(wins, k, p10 / 0.14)
        rejected = np.minimum(wins, k - wins) <= edges[k]
        power += mass[rejected].sum()
        size += (mass * np.abs(2 * wins - k))[rejected].sum() / n
        wrong += mass[rejected & (2 * wins < k)].sum()
    assert power == pytest.approx(sb.mcnemar_power(n, p10, p01))
    assert (size / power / gap, wrong / power) == pytest.approx((4.742, 0.0771), abs=6e-4)
    found = chapter.significant_gaps(n, 0.14, gap, 40_000, seed=8)
    assert abs(found.exaggeration[0] - size / power / gap) < 4 * found.exaggeration[1]
    assert abs(found.wrong_way.value - wrong / power) < 4 * found.wrong_way.error


# Figures -----------------------------------------------------------------------------------------


def test_the_reach_figure_marks_both_gaps_on_the_curve():
    gaps = np.linspace(0, 0.04, 9)
    power = chapter.power_at(1_500, 0.14, gaps)
    axis = chapter.draw_reach(gaps, power, 0.005, 0.025).axes[0]
    drawn = {line.get_label(): line.get_xydata() for line in axis.lines}
    np.testing.assert_allclose(drawn["power of this test set"][:, 1], power)
    assert drawn["observed gap"][0] == pytest.approx((0.5, power[1]))
    assert drawn["detectable gap"][0] == pytest.approx((2.5, power[5]))


def test_the_teeth_figure_parts_sizes_at_the_target():
    sizes = np.arange(195, 206)
    power = chapter.power_over(sizes, 0.6, 0.4)
    figure = chapter.draw_teeth([(sizes, power, "one"), (sizes, power, "two")])
    for axis in figure.axes:
        drawn = {line.get_label(): line.get_xdata() for line in axis.lines}
        assert set(drawn["below"]) == set(sizes[power < 0.8])
        assert set(drawn["at least 0.8"]) == set(sizes[power >= 0.8])


def test_the_agreement_figure_draws_its_curves():
    gaps = np.linspace(0, 0.05, 6)
    curves = [(p, chapter.power_at(1_500, p, gaps)) for p in (0.05, 0.3)]
    axis = chapter.draw_agreement(gaps, curves, 1_500).axes[0]
    drawn = {line.get_label(): line.get_ydata() for line in axis.lines}
    np.testing.assert_allclose(drawn["95% agreement"], curves[0][1])
    np.testing.assert_allclose(drawn["70% agreement"], curves[1][1])
    # Dashes alone are hard to tell apart: each curve has a mark of its own.
    assert len({line.get_marker() for line in axis.lines[:2]}) == 2


def test_the_observed_power_figure_draws_every_test_set():
    found = chapter.observed_power(300, 0.1, 0.05, 20, seed=1)
    grid = np.linspace(0.01, 1, 20)
    axis = chapter.draw_observed_power(found, grid, chapter.power_from_p(grid)).axes[0]
    points = axis.lines[1].get_xydata()
    np.testing.assert_allclose(points, np.stack([found.p, found.power], axis=1))
    assert axis.lines[2].get_ydata()[0] == found.true_power == sb.mcnemar_power(300, 0.1, 0.05)


def test_the_interval_figure_draws_ends_in_margins():
    result = sb.tost(-0.2, 0.2, chapter.with_moments(0.05, 1, 100))
    axis = chapter.draw_intervals([("one", result, (-0.15, 0.25))]).axes[0]
    wide, thick = [bar.get_segments()[0][:, 0] for bar in axis.collections]
    np.testing.assert_allclose(wide, (-0.75, 1.25))
    np.testing.assert_allclose(thick, np.array(result.interval) / 0.2)
    assert [label.get_text() for label in axis.get_yticklabels()] == ["one"]


def test_the_tost_figure_draws_formula_and_measurement():
    grid, places = np.linspace(-1, 1, 5), np.array([0.0, 1.0])
    shares = [[chapter.tost_share(50, x * 0.3, 0.3, 200, 1) for x in places]]
    curves = [(50, chapter.tost_power(50, grid * 0.3, 0.3))]
    axis = chapter.draw_tost(grid, curves, places, shares).axes[0]
    lines = {line.get_label(): line.get_ydata() for line in axis.lines}
    np.testing.assert_allclose(lines["n = 50"], curves[0][1])
    drawn = axis.containers[0][0].get_ydata().astype(float)
    np.testing.assert_allclose(drawn, [s.value for s in shares[0]])


def test_the_curse_figure_fills_the_significant_gaps():
    found = chapter.significant_gaps(500, 0.14, 0.02, 2_000, seed=1)
    edges = np.linspace(-0.2, 0.2, 41)
    for axis in chapter.draw_curse([found, found], edges).axes:
        every, filled = [p.get_data().values for p in axis.patches if hasattr(p, "get_data")]
        assert every.sum() == 2_000
        assert filled.sum() == found.significant.sum()


# The lab -----------------------------------------------------------------------------------------


def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.power_lab()
    rng = np.random.default_rng(4)
    settings = [(0.08, 0.06, 1_500, 0.05), (0.005, 0.005, 50, 0.01), (0.5, 0.5, 20_000, 0.1),
                (0.5, 0.005, 50, 0.1)]  # fmt: skip
    settings += [(round(rng.integers(1, 101) * 0.005, 3), round(rng.integers(1, 101) * 0.005, 3),
                  int(rng.choice(chapter.LAB_SIZES)), float(rng.choice(chapter.LAB_ALPHAS)))
                 for _ in range(6)]  # fmt: skip
    for (p10, p01, n, alpha), shown, _ in driven(lab, settings):
        expected = round(n * p10), round(n * p01)
        assert float(shown[0]) == float(f"{sb.mcnemar_power(n, p10, p01, alpha):.4f}")
        assert shown[1] == f"{expected[0]} / {expected[1]}"
        assert float(shown[2]) == float(f"{sb.mcnemar(*expected):.2g}")
        if p10 == p01:
            assert shown[3] == "none is enough"
        else:
            size = sb.mcnemar_sample_size(p10, p01, 0.8, alpha)
            assert int(shown[3].replace(",", "")) == size
        if shown[4] == "none":
            assert sb.mcnemar_power(n, p10 + p01, 0.0, alpha) < 0.8
        else:
            assert 0 < float(shown[4]) <= p10 + p01


def test_the_lab_draws_the_package_s_curve():
    result = chapter.plan(0.1, 0.05, 300)
    axis = chapter.draw_plan(result).axes[0]
    drawn = {line.get_label(): line.get_xydata() for line in axis.lines}
    for n, power in drawn["exact power"][::7]:
        assert power == sb.mcnemar_power(int(n), 0.1, 0.05)
    assert tuple(drawn["chosen size"][0]) == (300, sb.mcnemar_power(300, 0.1, 0.05))


# Claims of the text, on ten other seeds ----------------------------------------------------------


def test_clusters_raise_false_alarms_and_leave_the_power_of_fewer_segments():
    def claim(seed):
        found = chapter.clustered(0.4, 1_000, seed)
        near = abs(found.by_document.value - found.effective) < 0.05
        level = found.by_document_null.value < 0.075
        return near and level and found.by_segment_null.value > 0.2

    holds_on_other_seeds(claim, label="leaning documents")


def test_thirty_looks_raise_the_alarms_to_about_a_fifth():
    def claim(seed):
        alarms = [chapter.peeking(looks, 1_500, seed).value for looks in (1, 5, 30)]
        return alarms[0] < 0.06 and alarms[0] < alarms[1] < alarms[2] and alarms[2] > 0.16

    holds_on_other_seeds(claim, label="peeking")


def test_significant_gaps_exaggerate_when_power_is_low_and_not_when_it_is_high():
    def claim(seed):
        low = chapter.significant_gaps(1_500, 0.14, 0.005, 10_000, seed)
        high = chapter.significant_gaps(1_500, 0.14, 0.04, 10_000, seed)
        return low.exaggeration[0] > 4 and high.exaggeration[0] < 1.03 and (
            0.05 < low.wrong_way.value < 0.11)  # fmt: skip

    holds_on_other_seeds(claim, label="winner's curse")


def test_observed_power_scatters_widely_around_a_true_power_of_four_fifths():
    def claim(seed):
        found = chapter.observed_power(1_500, *chapter.split(0.14, 0.028), 150, seed)
        low, high = np.quantile(found.power, [0.1, 0.9])
        return low < 0.5 and high > 0.95 and found.true_power > 0.8

    holds_on_other_seeds(claim, label="spread of the observed power")
