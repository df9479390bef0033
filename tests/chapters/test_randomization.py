"""Chapter 2: the theorem by enumeration, its figures' numbers, its lab, its claims on other seeds."""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven

import sigbook as sb
from sigbook import experiments
from sigbook.chapters import randomization as chapter


def counts(rng, segments, metric):
    if metric == "mean":
        return rng.integers(0, 3, segments)
    if metric == "f1":
        gold, predicted = rng.integers(1, 4, (2, segments))
        return np.stack([np.minimum(gold, predicted) - rng.integers(0, 2, segments), predicted, gold], axis=1).clip(0)
    lengths, matches = rng.integers(5, 9, (segments, 2)), np.sort(rng.integers(1, 6, (segments, 4)))[:, ::-1]
    return np.concatenate([lengths, matches, lengths[:, :1] - np.arange(4)], axis=1)


def statistics_on_orbits():
    """Values of several statistics on all swaps of small data sets: with ties, without, and arbitrary."""
    rng = np.random.default_rng(11)
    for segments in (1, 2, 3):
        for metric in ("bleu", "f1", "mean"):
            pairs = sb.PairedSet(counts(rng, segments, metric), counts(rng, segments, metric), metric)
            yield chapter.swapped(lambda pairs: abs(pairs.gap), pairs)
            yield chapter.swapped(lambda pairs: pairs.gap, pairs)
            yield chapter.swapped(lambda pairs: pairs.score_a, pairs)
        yield list(rng.normal(size=2**segments))
        yield list(rng.integers(0, 3, 2**segments))
        yield [0.0] * 2**segments


@pytest.mark.proves("thm-randomization")
def test_no_level_is_broken_in_any_case_for_any_statistic_and_up_to_four_draws():
    checked = 0
    for values in statistics_on_orbits():
        for draws in (1, 2, 3, 4) if len(values) < 8 else (1, 2, 3):
            sizes = chapter.exact_size(values, draws)
            assert all(size <= Fraction(k, draws + 1) for k, size in enumerate(sizes))
            assert sizes[-1] == 1
            checked += 1
    assert checked > 100


@pytest.mark.proves("thm-randomization")
def test_the_enumeration_agrees_with_binomial_counting_and_finds_broken_rules():
    values = [0.0, 3.0, 1.0, 2.0]
    for draws in (1, 2, 3, 4):
        sizes = chapter.exact_size(values, draws)
        for k, size in enumerate(sizes):
            expected = Fraction(0)
            for observed in values:
                hit = Fraction(sum(value >= observed for value in values), 4)
                expected += Fraction(1, 4) * sum(
                    math.comb(draws, b) * hit**b * (1 - hit) ** (draws - b) for b in range(draws + 1) if b + 1 <= k)
            assert size == expected
        assert chapter.largest_excess(chapter.exact_size(values, draws, plus_one=False)) > 0
    tied = [1.0, 1.0, 0.0, 0.0]
    assert chapter.largest_excess(chapter.exact_size(tied, 4, strict=True)) > 0
    assert chapter.largest_excess(chapter.exact_size([0.0] * 4, 4, strict=True)) == Fraction(4, 5)


@pytest.mark.proves("cor-full-group")
def test_the_full_group_p_value_is_valid_and_never_zero():
    for values in statistics_on_orbits():
        p = chapter.orbit_p_values(values)
        assert min(p) >= Fraction(1, len(values))
        for alpha in {*p, Fraction(0), Fraction(1, 20), Fraction(1)}:
            assert Fraction(sum(value <= alpha for value in p), len(p)) <= alpha


@pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")
def test_the_full_group_p_value_is_the_package_s_enumerated_one():
    rng = np.random.default_rng(5)
    for metric in ("bleu", "f1", "mean"):
        pairs = sb.PairedSet(counts(rng, 7, metric), counts(rng, 7, metric), metric)
        values = chapter.swapped(lambda pairs: abs(pairs.gap), pairs)
        by_hand = np.mean(np.array(values) >= values[0] - 1e-12)
        assert sb.p_randomization(sb.randomize(pairs, "all")) == pytest.approx(by_hand, abs=1e-15)


@pytest.mark.proves("lem-plus-one")
def test_the_plain_share_of_draws_has_the_size_of_the_lemma_on_all_rankings():
    for draws in range(1, 7):
        ranks = list(permutations(range(draws + 1)))
        for alpha in (0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.99):
            level = Fraction(repr(alpha))
            rejected = sum(Fraction(sum(x > order[0] for x in order[1:]), draws) <= level for order in ranks)
            assert Fraction(rejected, len(ranks)) == chapter.size_without_plus_one(draws, alpha)


@pytest.mark.proves("lem-plus-one")
def test_with_ties_the_plain_share_stays_between_the_lemma_s_bounds():
    met = Counter()
    for values in statistics_on_orbits():
        for draws in (1, 2, 3):
            sizes = chapter.exact_size(values, draws, plus_one=False)
            lists = list(product(values, repeat=draws + 1))  # V_0, ..., V_B are independent and uniform
            without_ties = Fraction(sum(len(set(row)) == draws + 1 for row in lists), len(lists))
            for k, size in enumerate(sizes[:-1]):
                upper = Fraction(k * draws // (draws + 1) + 1, draws + 1)
                assert without_ties * upper <= size
                assert size < upper, "the pattern that swaps nothing can always be drawn"
                met["lower" if size == without_ties * upper else "between"] += 1
    assert met["between"] > 100 and met["lower"]


@pytest.mark.proves("thm-randomization")
def test_adding_one_pattern_to_all_others_is_a_bijection():
    for order in (2, 4, 8):
        for draws in (1, 2, 3):
            lists = list(product(range(order), repeat=draws + 1))
            moved = [(u, *(e ^ u for e in patterns)) for u, *patterns in lists]
            assert sorted(moved) == lists
            assert [(u, *(e ^ u for e in patterns)) for u, *patterns in moved] == lists


@pytest.mark.proves("prop-draws")
def test_hoeffding_s_draws_suffice_by_exact_binomial_sums():
    from scipy.stats import binom

    for error, failure in ((0.1, 0.05), (0.05, 0.05), (0.05, 0.2), (0.02, 0.01)):
        draws = chapter.hoeffding_draws(error, failure)
        b = np.arange(draws + 1)
        for q in np.linspace(0, 1, 21):
            law = binom.pmf(b, draws, q)
            assert law[np.abs(b / draws - q) > error + 1e-12].sum() <= failure
            assert law[np.abs((b + 1) / (draws + 1) - q) > error + 1 / (draws + 1) + 1e-12].sum() <= failure
        assert 2 * math.exp(-2 * (draws - 1) * error**2) > failure, "one draw fewer would not do"


# Figures: the arrays behind them -------------------------------------------------------------------------

@pytest.fixture(scope="module")
def small():
    return experiments.aa_row(47, draws=99, seed=3)


def test_histograms_hold_every_experiment_and_their_first_bin_the_rejections(small):
    for rule in range(len(experiments.RULES)):
        histogram = small.histogram(rule)
        assert histogram.sum() == small.experiments
        assert histogram[0] == round(small.shares()[rule] * small.experiments)


def test_the_drawn_bars_are_the_histogram(small):
    figure = chapter.draw_p_values(small, (0, 6))
    for axis, rule in zip(figure.axes, (0, 6)):
        heights, first = [patch.get_data().values for patch in axis.patches if hasattr(patch, "get_data")]
        np.testing.assert_allclose(heights * small.experiments, small.histogram(rule))
        np.testing.assert_allclose(first, heights[:1])
        assert axis.get_ylim()[1] > heights.max()


def test_the_orbit_figure_draws_the_sorted_statistic(small):
    values = [0.3, 0.1, 0.2, 0.4]
    axis = chapter.draw_orbit(values, 2).axes[0]
    np.testing.assert_allclose(axis.lines[0].get_ydata(), sorted(values))
    assert [label.get_text() for label in axis.get_xticklabels()] == ["10", "01", "00", "11"]
    assert [text.get_text() for text in axis.texts] == ["p = 1", "p = 3/4", "p = 1/2", "p = 1/4"]


def test_the_rules_figure_draws_the_table():
    table = experiments.AATable(tuple(experiments.aa_row(prompts, 39, seed=2) for prompts in (94, 188)))
    axis = chapter.draw_rules(table).axes[0]
    drawn = {line.get_label(): line.get_ydata() for line in axis.lines}
    for rule in (0, 1, 3, 5, 6):
        np.testing.assert_allclose(drawn[experiments.RULES[rule].label], table.shares()[rule])


# The lab -----------------------------------------------------------------------------------------------

def read_frame(html):
    cells = re.findall(r"<td>(.*?)</td>", html)
    return cells[0], int(cells[1].replace(",", "")), float(cells[2]), cells[4]


def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.aa_lab()
    rng = np.random.default_rng(8)
    settings = [(10, 99, 0, 0), (10, 19, 0, 0), (188, 199, 6, 50), (188, 19, 6, 0)]
    settings += [(int(rng.choice(experiments.SIZES)), int(rng.choice(chapter.LAB_DRAWS)),
                  int(rng.integers(len(experiments.RULES))), int(rng.integers(51))) for _ in range(8)]
    for wanted, _, view in driven(lab, settings):
        row = experiments.aa_row(wanted[0], wanted[1], wanted[3])
        share, (low, high) = row.shares()[wanted[2]], row.band()
        label, pairs, shown, verdict = read_frame(view)
        assert (label, pairs) == (experiments.RULES[wanted[2]].label, row.experiments)
        assert shown == float(f"{share:.3f}")
        assert verdict == ("above the band" if share > high else "below the band" if share < low else "inside the band")


# Claims of the text, on ten other seeds ------------------------------------------------------------------

def test_sacrebleu_s_rule_rejects_more_than_a_tenth_at_every_size():
    def claim(seed):
        return all(experiments.aa_row(prompts, 199, seed).shares()[6] > 0.1 for prompts in (20, 47, 94, 188))
    holds_on_other_seeds(claim, label="sacreBLEU's rule at every size")


def test_bootstrap_rules_reject_what_randomization_does_not_more_often_than_the_reverse():
    def claim(seed):
        row = experiments.aa_row(10, draws=199, seed=seed)
        return all(row.paired(0, rule)[0] < row.paired(0, rule)[1] for rule in (1, 3, 5, 6))
    holds_on_other_seeds(claim, label="paired counts at 10 prompts")


def test_lopsided_differences_are_rejected_too_often_and_the_damage_fades():
    def claim(seed):
        shares = [chapter.lopsided(n, 1_000, seed) for n in (10, 20, 160)]
        return shares[0].value - 3 * shares[0].error > 0.25 and shares[0].value > shares[1].value > shares[2].value
    holds_on_other_seeds(claim, label="equal means without exchangeability")


def test_ten_lopsided_segments_are_rejected_as_often_as_enumeration_says():
    """With k wins of ten the full-group p is a number; its law is Binomial(10, 0.1)."""
    expected = 0.0
    for wins in range(11):
        d = np.array([9] * wins + [-1] * (10 - wins))
        p = sb.p_randomization(sb.randomize(sb.PairedSet(d, np.zeros(10, dtype=int), "mean"), "all"))
        expected += (p <= 0.05) * math.comb(10, wins) * 0.1**wins * 0.9 ** (10 - wins)
    share = chapter.lopsided(10, 4_000, seed=2)
    assert abs(share.value - expected) < 4 * share.error


def test_swapping_sentences_of_one_document_apart_breaks_the_level_and_documents_keep_it():
    def claim(seed):
        ok = True
        for correlation in (0.05, 0.2, 0.5):
            by_segment, by_cluster = chapter.clustered(correlation, 1_000, seed)
            ok &= by_segment.value - 3 * by_segment.error > 0.05
            ok &= by_cluster.value - 3 * by_cluster.error < 0.05
        return ok
    holds_on_other_seeds(claim, label="clusters swapped by segment")


def test_nearly_half_of_the_alarms_of_a_mixed_bag_are_false():
    def claim(seed):
        bag = chapter.mixed_bag(seed)
        return 0.3 < bag["false"] / (bag["false"] + bag["true"]) < 0.6 and bag["false"] / bag["nulls"] < 0.065
    holds_on_other_seeds(claim, label="true nulls among the alarms")
