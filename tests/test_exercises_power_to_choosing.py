"""Exercises of chapters 9 to 13 against the package, SciPy, statsmodels and enumeration."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from claims import holds_on_other_seeds
from enumeration import min_p
from scipy import stats

import sigbook as sb
from sigbook import exercises
from sigbook.chapters import case_study as case_chapter
from sigbook.chapters import choosing as choosing_chapter
from sigbook.chapters import power as power_chapter
from sigbook.chapters import real_systems as real_chapter
from sigbook.chapters import shopping as shopping_chapter
from sigbook.exercises.choosing import (
    a_look_that_is_blind,
    another_one_next_time,
    report_mended,
    two_detectors,
)
from sigbook.exercises.power import power_that_repeats_p
from sigbook.exercises.real_systems import nine_resamples, three_systems
from sigbook.exercises.shopping import climbed_board


def reference(name):
    return exercises.find(name).reference


def differences(n, wins, losses):
    return np.repeat([1.0, -1.0, 0.0], [wins, losses, n - wins - losses])


# Chapter 9 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("p10, p01", [
    (Fraction(1, 2), Fraction(1, 5)), (Fraction(1, 3), Fraction(1, 3)),
])  # fmt: skip
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 16)])
def test_exact_power_is_the_sum_over_counts_in_fractions(p10, p01, alpha):
    for n in (1, 5, 9, 14):
        expected = power_chapter.power_by_counts(n, p10, p01, alpha)
        found = reference("exact-power")(n, float(p10), float(p01), float(alpha))
        assert found == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("p10, p01, target, most, kept", [
    (0.6, 0.4, 0.8, 240, 210), (0.7, 0.3, 0.5, 60, 33),
    (0.3, 0.15, 0.8, 220, None), (0.9, 0.1, 0.9, 40, None),
])  # fmt: skip
def test_power_stays_from_the_number_of_the_exact_search(p10, p01, target, most, kept):
    found = reference("power-that-stays")(p10, p01, target, most)
    assert found == sb.mcnemar_sample_size(p10, p01, target, method="exact")
    assert kept in (None, found)


def test_the_report_as_given_follows_p_and_the_mended_one_does_not():
    parted = 60
    rows = [(sb.mcnemar(w, parted - w), power_that_repeats_p.given(400, w, parted - w, 0.04),
             power_that_repeats_p.power_report(400, w, parted - w, 0.04)) for w in range(30, 50)]
    p, given, mended = np.array(rows).T
    assert (np.diff(p) < 0).all() and (np.diff(given) > 0).all()
    assert given[p > 0.05].max() < 0.55
    assert np.ptp(mended) < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_tost_agrees_with_statsmodels(seed):
    from statsmodels.stats.weightstats import ttost_paired

    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.1, 1, 30), rng.normal(0, 1, 30)
    p, low, high = reference("two-one-sided-tests")(a - b, -0.6, 0.5, 0.05)
    assert p == pytest.approx(ttost_paired(a, b, -0.6, 0.5)[0], rel=1e-9)
    assert (p <= 0.05) == (-0.6 <= low and high <= 0.5)


def test_the_segments_behind_p_make_that_p():
    for n, d in zip(reference("segments-behind-p")(), (0.05, 0.5)):
        assert 2 * stats.norm.sf(np.sqrt(n) * d) == pytest.approx(0.001, rel=1e-3)
    wanted = [next(n for n in range(2, 6_000) if 2 * stats.t.sf(d * n**0.5, n - 1) <= 0.001)
              for d in (0.05, 0.5)]
    assert np.allclose(wanted, reference("segments-behind-p")(), rtol=0, atol=7.5)


def test_planned_documents_hold_the_power_of_the_plan():
    """In the normal approximation the clustered gap has the planned variance."""
    documents, segments = reference("clustered-plan")(), sb.mcnemar_sample_size(0.06, 0.04)
    effective = 12 * documents / (1 + 11 * 0.05)
    assert segments <= effective < segments + 12


# Chapter 10 --------------------------------------------------------------------------------------


def test_expected_false_positives_of_independent_and_of_equal_tests():
    rng = np.random.default_rng(1)
    first, second, third = reference("twenty-models")()
    p = rng.random((200_000, 20))
    assert (p <= 0.05).sum(axis=1).mean() == pytest.approx(first, abs=0.02)
    assert (p[:, :12] <= 0.05).sum(axis=1).mean() == pytest.approx(second, abs=0.02)
    assert (20 * (p[:, 0] <= 0.05)).mean() == pytest.approx(third, abs=0.06)


def test_more_likely_than_not_from_the_exact_size():
    size = shopping_chapter.mcnemar_size(6)
    k = reference("more-likely-than-not")()
    assert 1 - (1 - size) ** k > Fraction(1, 2) >= 1 - (1 - size) ** (k - 1)


def test_a_climbed_board_rejects_whatever_the_correction():
    def rejects(seed):
        first, last = climbed_board.climb(np.random.default_rng(seed))
        return 200 * sb.mcnemar(int((last & ~first).sum()), int((first & ~last).sum())) <= 0.05

    holds_on_other_seeds(rejects, label="a climbed board rejects after Bonferroni's correction")


@pytest.mark.parametrize("name, method", [("holm-adjusted", "holm"), ("step-up", "fdr_bh")])
def test_corrections_agree_with_statsmodels(name, method):
    from statsmodels.stats.multitest import multipletests

    rng, function = np.random.default_rng(3), reference(name)
    families = [np.array(shopping_chapter.FIFTEEN), *(rng.random(m) ** 3 for m in (1, 2, 5, 20))]
    for p in families:
        rejected, adjusted, *_ = multipletests(p, 0.05, method)
        if name == "holm-adjusted":
            assert np.allclose(function(p), adjusted, atol=1e-12)
        else:
            assert np.array_equal(function(p, 0.05), rejected)
    assert np.sum(reference("step-up")(families[0], 0.05)) == 4
    assert np.sum(reference("holm-adjusted")(families[0]) <= 0.05) == 3


def test_looking_early_is_the_share_of_all_sequences_that_stop():
    looks, alpha = [5, 8, 11], 0.0625
    count = 0
    for wins in product((0, 1), repeat=11):
        count += any(sb.mcnemar(sum(wins[:n]), n - sum(wins[:n])) <= alpha for n in looks)
    assert reference("looking-early")(looks, alpha) == pytest.approx(count / 2**11, abs=1e-12)
    looks = [10, 20, 30, 40]
    expected = shopping_chapter.peeking(looks)[-1]
    assert reference("looking-early")(looks, 0.05) == pytest.approx(expected, abs=1e-12)


def test_the_corrected_smallest_p_is_valid_at_every_swap_and_at_most_bonferroni_s():
    rng = np.random.default_rng(5)
    signs = np.array(list(product((1, -1), repeat=5)))
    for _ in range(20):
        gaps = np.abs(rng.integers(-5, 6, size=(3, 5)) @ signs.T)
        _, lowest = min_p(gaps)
        every = np.array([reference("smallest-of-several")(np.roll(gaps, -e, axis=1))
                          for e in range(32)])
        assert np.allclose(every, lowest / 32)
        assert all((every <= level).mean() <= level for level in every)
        alone = (gaps >= gaps[:, :1]).mean(axis=1)
        assert every[0] <= 3 * alone.min() + 1e-12


# Chapter 11 --------------------------------------------------------------------------------------


def test_the_draws_of_a_family_are_the_fewest_with_which_holm_can_reject():
    draws = reference("draws-for-a-family")()
    for b, possible in ((draws, True), (draws - 1, False)):
        assert (sb.holm(np.full(198, 1 / (b + 1)))[0] <= 0.01) == possible


def bleu_rows(rng, n):
    t1 = rng.integers(9, 30, size=n)
    matches = [rng.binomial(t1 - k, 0.8 - 0.1 * k) for k in range(4)]
    return np.stack([t1, t1 + 1, *matches, *(t1 - k for k in range(4))], axis=1)


def test_a_fault_that_shows_on_eight_segments_has_the_p_value_of_the_exercise():
    rng = np.random.default_rng(2)
    a = bleu_rows(rng, 60)
    b = a.copy()
    b[:8, 2] -= 1
    b[3, 3:6] -= np.minimum(1, b[3, 3:6])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        p = sb.p_randomization(sb.randomize(sb.PairedSet(a, b), draws="all"))
    assert p == reference("where-it-shows")()


def test_a_common_penalty_scales_the_gap_and_leaves_ratio_and_p():
    rng = np.random.default_rng(4)
    a, b = bleu_rows(rng, 12), bleu_rows(rng, 12)
    b[:, [0, 6, 7, 8, 9]] = a[:, [0, 6, 7, 8, 9]]
    b[:, 2:6] = np.minimum(b[:, 2:6], a[:, 6:10])
    found = []
    for share in (2.0, 0.8):
        for x in (a, b):
            x[:, 1] = 0
            x[0, 1] = round(a[:, 0].sum() / share)
        pairs = sb.PairedSet(a, b)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sb.SignificanceWarning)
            p = sb.p_randomization(sb.randomize(pairs, draws="all"))
        found.append((pairs.gap, pairs.score_a / pairs.score_b, p))
    r = round(a[:, 0].sum() / 0.8)
    penalty = np.exp(1 - r / a[:, 0].sum())
    gap, ratio, p = reference("common-penalty")()
    assert found[1][0] / found[0][0] == pytest.approx(penalty)
    assert penalty == pytest.approx(gap / 0.18, rel=0.01)
    assert found[1][1:] == pytest.approx(found[0][1:]) and (ratio, p) == (2.5, 0.031)


def test_verdict_counts_are_those_of_the_case_study():
    family = case_chapter.family(draws=1_999)
    verdict = case_chapter.verdicts(family, sb.holm)
    first, second, one, opposite, _ = case_chapter.tally(verdict)
    agree, disagree, only, neither = reference("verdict-pairs")(family.gaps, family.p)
    assert (only, disagree) == (one, opposite)
    assert 2 * (agree + disagree) + only == first + second
    assert agree + disagree + only + neither == len(family.pairs)


def test_the_share_of_subsets_is_that_of_the_chapter_and_of_all_subsets_listed():
    function = reference("share-of-subsets")
    power, mean, variance, _, _ = case_chapter.exact_subsets(6, 3, Fraction(1, 3), 2, 1)
    assert function(6, 3, 1 / 3, 2) == pytest.approx((float(mean), float(variance) ** 0.5))
    assert mean == power
    for n, m, nu in ((90, 20, 0.3), (90, 45, 0.133)):
        assert function(n, m, nu, case_chapter.least_shown()) == pytest.approx(
            case_chapter.subset_moments(n, m, nu))


# Chapter 12 --------------------------------------------------------------------------------------


def test_the_two_printed_p_values_are_the_package_s():
    cloud = sb.Cloud(nine_resamples.gaps.astype(float), nine_resamples.observed, "bootstrap")
    assert reference("nine-resamples")() == pytest.approx((sb.p_sacrebleu(cloud), sb.p_shifted(cloud)))


def test_the_floors_of_a_table_are_those_of_the_chapter():
    adjusted, joint, needed = reference("documents-for-a-table")()
    assert adjusted == 15 * real_chapter.pair_floor(11)
    assert joint == pytest.approx(float(real_chapter.joint_floor(6, 2)))
    assert needed == real_chapter.units_needed(15, Fraction(1, 100))


def test_three_systems_by_hand():
    sums = np.array([np.bincount(three_systems.documents, row) for row in three_systems.scores])
    signs = np.array(list(product((1, -1), repeat=7)))
    p = [np.mean(np.abs(signs @ (sums[i] - sums[j])) >= abs((sums[i] - sums[j]).sum()))
         for i, j in ((0, 1), (0, 2), (1, 2))]
    assert reference("three-systems")() == pytest.approx(sb.holm(p))


def test_agreement_is_that_of_two_families_of_the_chapter():
    board = real_chapter.board("WMT23")
    count, p, verdicts = len(board.systems), [], []
    for metric in ("BLEU", "MQM"):
        family = real_chapter.all_pairs("WMT23", metric, draws=299)
        square = np.ones((count, count))
        square[family.first, family.second] = square[family.second, family.first] = family.p
        p.append(square)
        verdicts.append(family.verdicts())
    x, y = verdicts
    expected = [x * y > 0, x * y < 0, (x != 0) & (y == 0), (x == 0) & (y != 0),
                (x == 0) & (y == 0)]
    found = reference("less-is-better")(board.scores(), board.scores("MQM"), *p)
    assert found == [kind.sum() for kind in expected]
    assert min(found[0], found[3], found[4]) > 0


@pytest.mark.parametrize("seed", range(3))
def test_all_shuffles_are_those_of_the_chapter(seed):
    table = np.random.default_rng(seed).integers(0, 5, size=(3, 3))
    expected = real_chapter.exact_listed(tuple(map(tuple, table.tolist())))[0]
    assert reference("all-shuffles")(table) == pytest.approx(float(expected))


def test_the_edge_of_significance_is_where_a_normal_test_turns():
    for edge, factor in zip(reference("edge-of-significance")(), (1, 1 / 16, 2.25)):
        assert 2 * stats.norm.sf(edge / (0.45 * factor**0.5)) == pytest.approx(0.05, abs=1e-4)


# Chapter 13 --------------------------------------------------------------------------------------


def test_by_sentence_rejects_too_often_and_by_speaker_does_not():
    def claim(seed):
        by_sentence, by_speaker = another_one_next_time.sizes(80, seed=seed)
        return bool(by_sentence > 0.4 and by_speaker <= 0.125)

    holds_on_other_seeds(claim, label="swaps by sentence reject far too often")


def test_the_detectors_are_tested_as_the_guide_does():
    assert two_detectors.swaps() == choosing_chapter.swap_p(
        sb.eer, two_detectors.LABELS, two_detectors.A, two_detectors.B, two_detectors.SOURCES)


def test_the_mended_report_has_the_package_s_numbers():
    swaps, koehn = report_mended.facts()
    talks = sb.PairedSet(report_mended.d, np.zeros(6, dtype=int), "mean")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        assert swaps == sb.p_randomization(sb.randomize(talks, draws="all")) == 4 / 64
        cloud = sb.bootstrap(talks, draws=100_000, seed=1)
    assert koehn == pytest.approx(sb.p_koehn(cloud), abs=0.001)


def test_the_side_that_is_ahead_spends_two_budgets():
    budget, either, size = reference("the-side-that-is-ahead")()
    assert budget == choosing_chapter.budget(7)
    rng = np.random.default_rng(1)
    signs = np.array(list(product((1, -1), repeat=7)))
    sums = signs @ (2 ** np.arange(7) * 10 + rng.integers(0, 5, size=7))
    greater = np.array([np.mean(sums >= s) for s in sums])
    less = np.array([np.mean(sums <= s) for s in sums])
    ahead = np.where(sums > 0, greater, less) <= 0.05
    assert (np.sum(greater <= 0.05), ahead.sum(), ahead.mean()) == (budget, either, size)


def test_the_mended_look_is_the_same_at_all_corners_and_the_given_one_is_not():
    a = a_look_that_is_blind.statistics([20, 10, 10])
    b = a_look_that_is_blind.statistics([8, 6, 6])
    turns = [np.array(bits)[:, None] for bits in product((False, True), repeat=3)]
    answers = {function: {function(np.where(turn, b, a), np.where(turn, a, b)) for turn in turns}
               for function in (a_look_that_is_blind.faulty, a_look_that_is_blind.metric_to_test)}
    assert answers[a_look_that_is_blind.faulty] == {"bleu", "chrf"}
    assert answers[a_look_that_is_blind.metric_to_test] == {"bleu"}
    assert a_look_that_is_blind.faulty(a, b) == a_look_that_is_blind.faulty(b, a)


@pytest.mark.parametrize("sizes", [(12, 9, 8, 5, 2, 1, 1), (5, 4, 3, 2, 1), (3, 3, 3, 3, 3, 3)])
def test_the_smaller_of_two_is_that_of_the_chapter_s_corners(sizes):
    hits = choosing_chapter.corners(sizes)
    rows = [hits[choosing_chapter.TESTS.index(name)] for name in ("mean", "signs")]
    for alpha in (0.05, 0.1, 0.25):
        expected = np.mean(np.minimum(*rows) <= alpha * 2 ** len(sizes))
        assert reference("smaller-of-two")(np.array(sizes), alpha) == expected
        bound = 2 * int(alpha * 2 ** len(sizes)) / 2 ** len(sizes)
        assert expected <= bound


def test_binomial_powers_of_the_subsets_exercise():
    """The choice's numbers: power on 50 prompts, of visibility 0.14, and the honest spread."""
    from sigbook.exercises.case_study import one_set_of_prompts

    power, spread = one_set_of_prompts.moments()
    expected = sum(comb(50, j) * 0.14**j * 0.86 ** (50 - j) for j in range(6, 51))
    assert power == pytest.approx(expected)
    assert spread**2 <= power * (1 - power) / 2


def test_two_of_the_choices_follow_from_their_numbers():
    """Neither a difference nor equivalence within a point; and both at once for the tiny gain."""
    near, tiny = differences(1_000, 24, 15), differences(100_000, 620, 520)
    assert sb.mcnemar(24, 15) > 0.05 and not sb.tost(-0.01, 0.01, near).equivalent
    assert sb.mcnemar(620, 520) <= 0.05 and sb.tost(-0.005, 0.005, tiny).equivalent
