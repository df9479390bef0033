"""Chapter 3: the proposition and its lemmas by enumeration, sizes, broken assumptions, figures, lab, claims."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven
from scipy.stats import binom, binomtest, multinomial

import sigbook as sb
from sigbook.chapters import mcnemar as chapter
from sigbook.worlds import tone

pytestmark = pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")


# The proposition -------------------------------------------------------------------------------------------

@pytest.mark.proves("prop-mcnemar")
def test_counting_all_swaps_gives_the_formula_for_every_pair_of_counts():
    for segments in (1, 2, 5, 9, 14):
        counts, d = chapter.outcomes(segments)
        assert len(counts) == (segments + 1) * (segments + 2) // 2
        assert chapter.wins_and_losses(d) == counts
        assert chapter.counted_p(chapter.swap_sums(d)) == [chapter.formula_p(*pair) for pair in counts]


@pytest.mark.proves("prop-mcnemar")
def test_counting_all_swaps_of_every_single_outcome_of_four_segments():
    """All 4^4 tables of right and wrong, swapped by exchanging the bits themselves."""
    for bits in product(product((0, 1), repeat=2), repeat=4):
        x = np.array(bits)
        gaps = []
        for pattern in product((False, True), repeat=4):
            swapped = np.where(np.array(pattern)[:, None], x[:, ::-1], x)
            gaps.append(abs(int((swapped[:, 0] - swapped[:, 1]).sum())))
        p = Fraction(sum(gap >= gaps[0] for gap in gaps), len(gaps))
        d = x[:, 0] - x[:, 1]
        assert p == chapter.formula_p(int((d > 0).sum()), int((d < 0).sum()))


@pytest.mark.proves("prop-mcnemar")
def test_wins_after_a_swap_are_binomial_whatever_the_signs_and_the_agreeing_segments():
    for d in ([], [0], [1], [-1, -1, 1], [1, 0, -1, 1, 0, 0, 1], [0] * 4 + [-1] * 5, [1] * 8):
        d = np.array(d, dtype=np.int64)
        assert chapter.law_by_counting(d) == chapter.binomial_law(int(np.abs(d).sum()))


@pytest.mark.proves("prop-mcnemar")
def test_blocks_of_fourteen_filings_agree_with_scipy_the_package_and_the_swaps():
    for a, b in tone.PAIRS:
        d = chapter.blocks(a, b, 14)
        assert d.shape == (14, 107)
        right = tone.load().right
        np.testing.assert_array_equal(d.T.ravel(), (right[a] - right[b])[:14 * 107])
        for (n10, n01), p in zip(chapter.wins_and_losses(d), chapter.counted_p(chapter.swap_sums(d))):
            assert p == chapter.formula_p(n10, n01)
            assert float(p) == pytest.approx(sb.mcnemar(n10, n01), abs=1e-15)
            if n10 + n01:
                assert float(p) == pytest.approx(binomtest(n10, n10 + n01, 0.5).pvalue, abs=1e-12)


@pytest.mark.proves("prop-mcnemar")
def test_the_package_s_enumerated_randomization_is_its_mcnemar():
    rng = np.random.default_rng(3)
    for _ in range(40):
        a, b = rng.integers(0, 2, size=(2, int(rng.integers(1, 25))))
        pairs = sb.PairedSet(a, b, "mean")
        n10, n01 = int((a > b).sum()), int((b > a).sum())
        p = sb.p_randomization(sb.randomize(pairs, draws="all"))
        assert p == pytest.approx(sb.mcnemar(n10, n01), abs=1e-15)


def test_a_slip_in_the_formula_would_be_found():
    counts, d = chapter.outcomes(6)
    counted = chapter.counted_p(chapter.swap_sums(d))
    one_sided = [chapter.formula_p(*pair) / 2 for pair in counts]
    uncapped = [Fraction(2 * sum(math.comb(i + j, k) for k in range(min(i, j) + 1)), 2 ** (i + j)) for i, j in counts]
    assert counted != one_sided and counted != uncapped
    assert {pair for pair, p, q in zip(counts, counted, uncapped) if p != q} == {(k, k) for k in range(4)}


# The null --------------------------------------------------------------------------------------------------

def swaps_harmless(laws):
    """Whether every swap leaves the joint law of independent pairs of bits as it is; laws: one {(x, y): p} each."""
    cells = list(product((0, 1), repeat=2))

    def joint(outcome):
        return math.prod((law[pair] for law, pair in zip(laws, outcome)), start=Fraction(1))

    return all(joint(outcome) == joint([pair[::-1] if swap else pair for pair, swap in zip(outcome, pattern)])
               for outcome in product(cells, repeat=len(laws)) for pattern in product((False, True), repeat=len(laws)))


@pytest.mark.proves("lem-binary-null")
def test_swaps_of_independent_bits_are_harmless_exactly_when_both_are_right_equally_often():
    steps = 4
    laws = [{(1, 1): Fraction(i, steps), (1, 0): Fraction(j, steps), (0, 1): Fraction(k, steps),
             (0, 0): Fraction(steps - i - j - k, steps)}
            for i, j, k in product(range(steps + 1), repeat=3) if i + j + k <= steps]
    equal = [law[1, 1] + law[1, 0] == law[1, 1] + law[0, 1] for law in laws]
    assert 0 < sum(equal) < len(laws)
    for law, same in zip(laws, equal):
        assert swaps_harmless([law]) == same
    rng = np.random.default_rng(5)
    for i, j, k in rng.integers(len(laws), size=(150, 3)):
        assert swaps_harmless([laws[i], laws[j], laws[k]]) == (equal[i] and equal[j] and equal[k])


def test_equal_accuracy_on_the_average_is_not_enough_when_segments_differ():
    better = {(1, 1): Fraction(0), (1, 0): Fraction(1), (0, 1): Fraction(0), (0, 0): Fraction(0)}
    worse = {pair[::-1]: p for pair, p in better.items()}
    assert not swaps_harmless([better, worse])


# Four p-values ---------------------------------------------------------------------------------------------

@pytest.mark.proves("lem-midp")
def test_the_mid_p_value_has_mean_one_half_and_the_exact_one_the_lemma_s():
    for n_d in range(31):
        law = {}
        for k, weight in chapter.binomial_law(n_d).items():
            law[abs(2 * k - n_d)] = law.get(abs(2 * k - n_d), Fraction(0)) + weight
        assert chapter.mean_p(n_d, chapter.formula_midp) == Fraction(1, 2)
        assert chapter.mean_p(n_d, chapter.formula_p) == Fraction(1, 2) + sum(p**2 for p in law.values()) / 2


def test_the_fractions_are_the_package_s_p_values():
    for n10, n01 in product(range(30), repeat=2):
        assert float(chapter.formula_p(n10, n01)) == pytest.approx(sb.mcnemar(n10, n01), abs=1e-15)
        if n10 + n01:
            assert float(chapter.formula_midp(n10, n01)) == pytest.approx(sb.mcnemar(n10, n01, "midp"), abs=1e-15)


@pytest.mark.parametrize("method", chapter.METHODS)
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_sizes_are_the_sum_over_all_counts(method, alpha):
    found = chapter.sizes(40, method, alpha)
    for n_d in range(41):
        expected = sum(binom.pmf(k, n_d, 0.5) for k in range(n_d + 1) if sb.mcnemar(k, n_d - k, method) <= alpha)
        assert found[n_d] == pytest.approx(expected, abs=1e-12)
    assert not found.flags.writeable


def test_the_exact_test_keeps_every_level_at_every_number_of_discordant_segments():
    for alpha in (0.001, 0.01, 0.05, 0.1, 0.25, 0.5):
        assert (chapter.sizes(200, "exact", alpha) <= alpha).all()


def test_what_the_text_says_of_sizes_at_five_percent():
    largest = {method: chapter.sizes(200, method)[1:].max() for method in chapter.METHODS}
    assert largest["corrected"] < 0.05 < largest["midp"] < largest["chi2"] == 2 / 2**4
    assert chapter.sizes(200, "chi2").argmax() == 4
    smallest = np.max([chapter.sizes(200, method) for method in chapter.METHODS], axis=0)
    np.testing.assert_array_equal(smallest, chapter.sizes(200, "chi2"))


def test_the_size_over_a_test_set_sums_the_trinomial_law():
    n, discordance = 9, 0.4
    for method in chapter.METHODS:
        expected = sum(multinomial.pmf([i, j, n - i - j], n, [0.2, 0.2, 0.6])
                       for i in range(n + 1) for j in range(n + 1 - i) if sb.mcnemar(i, j, method) <= 0.05)
        assert chapter.size(n, discordance, method) == pytest.approx(expected, abs=1e-11)
    assert chapter.size(300, 0.2, "exact") == pytest.approx(sb.mcnemar_power(300, 0.1, 0.1), abs=1e-9)


# Tables ----------------------------------------------------------------------------------------------------

def test_the_source_s_table_comes_out_of_its_counts():
    p = [row.p for row in chapter.REPORTED]
    assert max(p[0], p[3]) < 1e-6
    assert p[1] == pytest.approx(5.6e-6, abs=0.05e-6) and p[2] == pytest.approx(0.678, abs=0.0005)
    assert [row.segments_needed for row in chapter.REPORTED] == [103, 562, 50_215, 240]
    for row in chapter.REPORTED:
        gap = row.accuracies[0] - row.accuracies[1]
        assert gap == pytest.approx((row.n10 - row.n01) / chapter.TESTED, abs=0.0011)


def test_our_table_holds_the_counts_of_the_frozen_world():
    for a, b in tone.PAIRS:
        row = chapter.compared(a, b)
        assert row.n == tone.TEST
        right = tone.load().right
        assert row.accuracies == pytest.approx((right[a].mean(), right[b].mean()))
        assert row.p() == sb.mcnemar(*tone.cells(a, b)[1:3])
        assert row.segments_needed == sb.mcnemar_sample_size(row.n10 / row.n, row.n01 / row.n)
    text = chapter.table_text([chapter.compared(*pair) for pair in tone.PAIRS]).splitlines()
    assert len(text) == 5 and all(len(line) <= 80 for line in text)
    assert text[3].split()[-4:] == ["0.869/0.867", "22/18", "0.636", "29,431"]


def test_an_example_is_a_filing_that_only_the_first_gets_right():
    world = tone.load()
    for a, b in (*tone.PAIRS, *(pair[::-1] for pair in tone.PAIRS)):
        text, label = chapter.first_filing(a, b)
        where = [i for i, x in enumerate(world.texts) if x == text]
        assert any(world.right[a][i] and not world.right[b][i] and world.tones[i] == label for i in where)


# Assumptions broken ----------------------------------------------------------------------------------------

def within(share, expected, errors=4):
    error = math.sqrt(expected * (1 - expected) / share.experiments)
    return abs(share.value - expected) <= errors * error


def test_the_unpaired_test_is_the_pooled_z_test_of_statsmodels():
    from statsmodels.stats.proportion import proportions_ztest

    for n11, n10, n01, n00 in ((70, 10, 0, 20), (5, 3, 2, 9), (100, 40, 30, 11)):
        n = n11 + n10 + n01 + n00
        _, expected = proportions_ztest([n11 + n10, n11 + n01], [n, n])
        assert chapter.unpaired_p(n11, n10, n01, n00) == pytest.approx(expected, abs=1e-12)
    assert chapter.unpaired_p(7, 0, 0, 0) == 1


def test_mcnemar_inside_the_experiments_has_the_size_of_the_exact_sum():
    for discordance in (0.1, 0.375):
        assert within(chapter.unpaired(discordance, 4_000, seed=3)[1], chapter.size(300, discordance, "exact"))
    assert within(chapter.clustered(0.0, 4_000, seed=3)[0], chapter.size(600, 0.2, "exact"))
    assert within(chapter.best_of(1, 4_000, seed=3), chapter.size(500, 0.1, "exact"))


def test_limits_are_right_where_they_are_known():
    assert chapter.unpaired_limit(0.375) == pytest.approx(0.05, abs=1e-12)
    assert chapter.clustered_limit(0.0) == pytest.approx(0.05, abs=1e-12)
    assert chapter.clustered_limit(1.0, segments=2, discordance=1.0) == pytest.approx(2 * 0.0829, abs=1e-4)


def test_the_variance_of_the_lead_is_the_formula_s():
    rng = np.random.default_rng(9)
    rho, m, p_d, speakers, many = 0.2, 50, 0.2, 12, 40_000
    discordant = rng.binomial(m, p_d, size=(many, speakers))
    lead = (2 * rng.binomial(discordant, chapter._leanings(rho, discordant.shape, rng)) - discordant).sum(axis=1)
    expected = speakers * m * p_d * (1 + (m - 1) * p_d * rho)
    assert lead.var() == pytest.approx(expected, rel=0.04)
    assert abs(lead.mean()) < 4 * math.sqrt(expected / many)


def test_whole_speakers_swapped_are_the_package_s_clusters():
    rng = np.random.default_rng(4)
    for _ in range(5):
        leads = rng.integers(-4, 5, size=8)
        segments = [(speaker, np.sign(lead)) for speaker, lead in enumerate(leads) for _ in range(abs(lead))]
        segments += [(speaker, 0) for speaker in range(8)]
        speakers, d = (np.array(column) for column in zip(*segments))
        pairs = sb.PairedSet((d > 0).astype(int), (d < 0).astype(int), "mean", clusters=speakers)
        expected = sb.p_randomization(sb.randomize(pairs, draws="all"))
        assert float(chapter.counted_p(chapter.swap_sums(leads))[0]) == pytest.approx(expected, abs=1e-12)


def test_thresholds_are_the_package_s_eer_to_within_one_trial():
    rng = np.random.default_rng(6)
    is_target, a, b = chapter.detectors(20, 100, 30, rng)
    for scores in (*a, *b):
        accepted, rate = chapter.at_own_threshold(is_target, scores)
        missed, alarms = 1 - accepted[is_target].mean(), accepted[~is_target].mean()
        assert rate == pytest.approx((missed + alarms) / 2)
        assert abs(missed - alarms) <= 1 / 20
        assert rate == pytest.approx(sb.eer(is_target.astype(int), scores), abs=1 / 40)
    stacked, rates = chapter.at_own_threshold(is_target, a)
    np.testing.assert_array_equal(stacked[3], chapter.at_own_threshold(is_target, a[3])[0])
    assert rates.shape == (30,)


def test_the_two_detectors_are_exchangeable_and_correlated():
    rng = np.random.default_rng(8)
    is_target, a, b = chapter.detectors(500, 500, 40, rng)
    for scores in (a, b):
        assert scores[:, is_target].mean() == pytest.approx(2, abs=0.05)
        assert scores[:, ~is_target].std() == pytest.approx(1, abs=0.02)
    assert np.corrcoef(a[:, is_target].ravel(), b[:, is_target].ravel())[0, 1] == pytest.approx(0.5, abs=0.03)


# Figures: the arrays behind them ---------------------------------------------------------------------------

def test_the_cells_figure_draws_the_counts():
    rows = [chapter.compared(*tone.PAIRS[2]), chapter.compared(*tone.PAIRS[1])]
    axis = chapter.draw_cells(rows).axes[0]
    for k, container in enumerate(axis.containers):
        assert [bar.get_width() for bar in container] == [(c.n11, c.n10, c.n01, c.n00)[k] for c in rows]
    last = [bar.get_x() + bar.get_width() for bar in axis.containers[-1]]
    assert last == [tone.TEST] * 2


def test_the_law_figure_draws_shares_the_binomial_law_and_the_hatched_tail():
    swapped = np.array([1, 2, 2, 3, 0, 4, 2, 3])
    axis = chapter.draw_law(3, 1, swapped).axes[0]
    bars, tail = [patch.get_data().values for patch in axis.patches]
    np.testing.assert_allclose(bars, np.bincount(swapped, minlength=5) / 8)
    np.testing.assert_allclose(tail, np.where(np.arange(5) == 2, 0, bars))
    dots = axis.lines[0]
    np.testing.assert_allclose(dots.get_ydata(), binom.pmf(np.arange(5), 4, 0.5))


@pytest.mark.parametrize(("n10", "n01"), [(7, 1), (1, 7), (0, 0), (5, 5), (60, 0), (60, 60), (0, 1)])
def test_the_filled_tails_hold_the_exact_p_value(n10, n01):
    axis = chapter.draw_tail(n10, n01).axes[0]
    law, tail = [patch.get_data() for patch in axis.patches]
    np.testing.assert_allclose(law.values, binom.pmf(np.arange(n10 + n01 + 1), n10 + n01, 0.5), atol=1e-15)
    np.testing.assert_allclose(law.edges, np.arange(n10 + n01 + 2) - 0.5)
    np.testing.assert_allclose(tail.values.sum(), sb.mcnemar(n10, n01), rtol=1e-9)
    assert ((tail.values == 0) | (tail.values == law.values)).all()


def test_the_sizes_figure_draws_the_sizes():
    figure = chapter.draw_sizes(30)
    lines = {line.get_label(): line.get_ydata() for axis in figure.axes for line in axis.lines}
    for method in chapter.METHODS:
        np.testing.assert_allclose(lines[chapter.LABELS[method]], chapter.sizes(30, method)[1:])


def test_the_speakers_figure_draws_both_shares_and_the_limit():
    shares = [chapter.clustered(rho, 200, seed=1) for rho in (0.0, 0.2)]
    axis = chapter.draw_clusters([0.0, 0.2], shares).axes[0]
    limit = axis.lines[0]
    np.testing.assert_allclose(limit.get_ydata()[[0, -1]], [chapter.clustered_limit(0.0), chapter.clustered_limit(0.2)])
    drawn = [container.lines[0].get_ydata().astype(float) for container in axis.containers]
    np.testing.assert_allclose(drawn, np.array([[pair[k].value for pair in shares] for k in (0, 1)]))


# The lab ---------------------------------------------------------------------------------------------------

def test_no_p_value_is_shown_as_zero():
    assert [chapter.shown(p) for p in (1.0, 0.0703125, 1e-4, 9.99e-5, 1.7e-26)] == [
        "1.0000", "0.0703", "0.0001", "1.0e-04", "1.7e-26"]


def test_the_lab_shows_the_package_s_four_p_values_at_default_ends_and_random_settings():
    lab = chapter.mcnemar_lab()
    assert [control.value for control in lab.children[0].children] == [7, 1]
    rng = np.random.default_rng(2)
    settings = [(7, 1), (0, 0), (chapter.MOST, 0), (0, chapter.MOST), (chapter.MOST, chapter.MOST)]
    settings += [tuple(int(x) for x in rng.integers(chapter.MOST + 1, size=2)) for _ in range(8)]
    for (n10, n01), cells, view in driven(lab, settings):
        assert cells == [str(n10), str(n01), *(chapter.shown(sb.mcnemar(n10, n01, method)) for method in chapter.METHODS)]
        assert f"hold {chapter.shown(sb.mcnemar(n10, n01))}." in view


# Claims of the text, on ten other seeds --------------------------------------------------------------------

def test_draws_find_the_exact_p_value_within_their_error():
    a, b = tone.PAIRS[2]
    exact = sb.mcnemar(*tone.cells(a, b)[1:3])

    def claim(seed):
        p = sb.p_randomization(sb.randomize(tone.pair(a, b), draws=9_999, seed=seed))
        return abs(p - exact) < 3 * math.sqrt(exact * (1 - exact) / 9_999)
    holds_on_other_seeds(claim, label="drawn swaps of the near tie against the exact p")


def test_the_unpaired_test_misses_systems_that_agree_and_alarms_where_they_do_not():
    def claim(seed):
        agree, apart = (chapter.unpaired(p_d, 2_000, seed)[0] for p_d in (0.1, 0.5))
        return agree.value < 0.005 and apart.value - 3 * apart.error > 0.06
    holds_on_other_seeds(claim, label="the unpaired z test on paired outcomes")


def test_speakers_that_come_back_break_the_level_and_swapping_them_whole_keeps_it():
    def claim(seed):
        shares = [chapter.clustered(rho, 2_000, seed) for rho in (0.02, 0.1, 0.5)]
        return (shares[0][0].value > 0.05 and 0.11 < shares[1][0].value < 0.17 and shares[2][0].value > 0.38
                and all(whole.value - 3 * whole.error < 0.05 for _, whole in shares))
    holds_on_other_seeds(claim, label="McNemar by segment when speakers come back")


def test_more_utterances_of_the_same_speakers_make_it_worse():
    def claim(seed):
        few, many = (chapter.clustered(0.1, 1_000, seed, segments=m)[0] for m in (50, 500))
        return many.value - 3 * many.error > few.value + 0.2
    holds_on_other_seeds(claim, label="ten times as many utterances of the same speakers")


def test_the_best_of_several_equals_is_found_better_too_often():
    def claim(seed):
        five, twenty = (chapter.best_of(versions, 2_000, seed) for versions in (5, 20))
        return five.value - 3 * five.error > 0.05 and 0.2 < twenty.value < 0.33
    holds_on_other_seeds(claim, label="the best of several versions tested on its own test set")


def test_mcnemar_at_eer_thresholds_fails_with_few_targets_only():
    def claim(seed):
        balanced, fixed = chapter.mcnemar_at_eer(200, 200, 500, seed)
        few = chapter.mcnemar_at_eer(20, 500, 500, seed)
        return (0.35 < few[0].value < 0.6 and few[1].value < 0.08 and balanced.value < 0.08 and fixed.value < 0.08)
    holds_on_other_seeds(claim, label="McNemar at EER thresholds")


def test_swapping_scores_and_finding_eers_again_keeps_the_level():
    def claim(seed):
        share = chapter.randomized_eer(10, 100, 150, seed, draws=99)
        return share.value <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 150)
    holds_on_other_seeds(claim, label="randomization of the EER gap")
