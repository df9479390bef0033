"""Exercises of chapters 1 to 4 against the package, SciPy, enumeration and the sources' numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import stats

import sigbook as sb
from sigbook import exercises, metrics
from sigbook.chapters import one_cloud as one_cloud_chapter
from sigbook.clouds import Cloud
from sigbook.exercises.one_cloud import inside_the_null, shared_draws
from sigbook.exercises.randomization import permutation_or_interval, randomization_test
from sigbook.exercises.two_pictures import bleu_by_hand, missing_cell, t_test_of_f1


def reference(name):
    return exercises.find(name).reference


def counts(rng, n):
    """tp, predicted, gold of one system on n segments."""
    gold, predicted = rng.integers(1, 10, size=(2, n))
    return np.stack([rng.binomial(np.minimum(gold, predicted), 0.6), predicted, gold], axis=1)


# Chapter 1 ---------------------------------------------------------------------------------------


def test_the_missing_cell_makes_the_source_s_table_again():
    b = missing_cell.b.copy()
    b[4] = reference("missing-cell")()
    assert np.round(100 * (missing_cell.a - b)).astype(int).tolist() == list(one_cloud_chapter.TEN)
    assert (round(missing_cell.a.mean(), 4), round(b.mean(), 4)) == (0.785, 0.764)


def test_bleu_by_hand_counts_and_scores_as_sacrebleu_does():
    pytest.importorskip("sacrebleu")
    candidates, references = zip(*bleu_by_hand.segments)
    statistics = sb.bleu_statistics(candidates, references, tokenize="none").sum(axis=0)
    *counted, score = reference("bleu-by-hand")()
    assert counted == statistics.tolist()
    assert score == pytest.approx(float(metrics.bleu(statistics)))


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_and_its_resamples_are_those_of_the_package(seed):
    rng = np.random.default_rng(seed)
    a, b = counts(rng, 9), counts(rng, 9)
    pairs = sb.PairedSet(a, b, metric="f1")
    assert reference("paired-gap")(a, b) == pytest.approx(pairs.gap)
    drawn = rng.integers(9, size=(50, 9))
    gaps = reference("repeated-draws")(a, b, drawn)
    weights = np.stack([np.bincount(row, minlength=9) for row in drawn])
    assert gaps == pytest.approx(metrics.f1(weights @ a) - metrics.f1(weights @ b))


@pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")
def test_both_clouds_are_the_enumerated_swaps_and_the_limit_of_many_resamples():
    rng = np.random.default_rng(3)
    a, b = counts(rng, 4), counts(rng, 4)
    pairs = sb.PairedSet(a, b, metric="f1")
    mean, sd, resampled_mean, resampled_sd = reference("both-clouds")(a, b)
    swaps = sb.randomize(pairs, draws="all")
    assert (mean, sd) == pytest.approx((swaps.gaps.mean(), swaps.sd), abs=1e-12)
    cloud = sb.bootstrap(pairs, draws=100_000, seed=1)
    assert resampled_mean == pytest.approx(cloud.gaps.mean(), abs=5 * cloud.sd / 100_000**0.5)
    assert resampled_sd == pytest.approx(cloud.sd, rel=0.02)


def test_the_correlation_belongs_to_the_three_standard_errors():
    correlation = reference("common-difficulty")()
    covariance = [[0.012**2, correlation * 0.012 * 0.010], [correlation * 0.012 * 0.010, 0.010**2]]
    assert np.array([1, -1]) @ covariance @ np.array([1, -1]) == pytest.approx(0.006**2)
    assert np.linalg.eigvalsh(covariance).min() > 0


def test_a_shuffle_leaves_the_gap_and_widens_the_cloud_whatever_the_seed():
    rng = np.random.default_rng(5)
    for _ in range(20):
        difficulty = rng.normal(50, 15, 200)
        a, b = difficulty + rng.normal(1, 4, 200), difficulty + rng.normal(0, 4, 200)
        statistic = reference("paired-statistic")
        names = range(200)
        before = statistic(dict(zip(names, a)), dict(zip(names, b)))
        after = statistic(dict(zip(names, a)), dict(zip(names, rng.permutation(b))))
        assert after[0] == pytest.approx(before[0])
        assert after[1] > 2 * before[1]


def test_corpus_f1_and_mean_sentence_f1_point_to_different_taggers():
    a, b = t_test_of_f1.taggers()
    given = {}
    exec(t_test_of_f1.SETUP, {"np": np}, given)
    assert np.array_equal(given["a"], a) and np.array_equal(given["b"], b)
    assert metrics.f1(a.sum(axis=0)) > metrics.f1(b.sum(axis=0))
    assert metrics.f1(a).mean() < metrics.f1(b).mean()


# Chapter 2 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_p_values_from_given_draws_are_those_of_the_package(seed):
    rng = np.random.default_rng(seed)
    gaps, observed = rng.integers(-8, 12, size=60) / 16, rng.integers(-6, 7) / 16
    swapped = Cloud(gaps, np.float64(observed), "randomization", False, 1.0)
    resampled = Cloud(gaps, np.float64(observed), "bootstrap", False, 1.0)
    assert reference("monte-carlo-p")(observed, gaps) == sb.p_randomization(swapped)
    assert reference("shifted-p")(observed, gaps) == sb.p_shifted(resampled)


@pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")
def test_all_swaps_are_scipy_s_permutations_of_pairs():
    rng = np.random.default_rng(2)
    for _ in range(10):
        d = rng.integers(-4, 7, size=6)
        found = stats.permutation_test((d,), np.mean, permutation_type="samples", alternative="two-sided",
                                       n_resamples=np.inf)
        # SciPy doubles the smaller tail; both tails of all swaps are alike.
        assert reference("enumerate-swaps")(d) == pytest.approx(min(1.0, found.pvalue))
        every = sb.randomize(sb.PairedSet(d, np.zeros(6), "mean"), draws="all")
        assert reference("enumerate-swaps")(d) == sb.p_randomization(every)


def test_the_whole_test_comes_near_the_p_value_of_all_swaps():
    a, b = (np.array(side) for side in randomization_test.NINE)
    exact = sb.p_randomization(sb.randomize(sb.PairedSet(a, b, metric="f1"), draws="all"))
    found = reference("randomization-test")(a, b, 20_000, np.random.default_rng(1))
    assert found == pytest.approx(exact, abs=5 * (exact * (1 - exact) / 20_000) ** 0.5)


def test_the_wanted_draws_have_the_wanted_error():
    draws = reference("draws-wanted")()
    p = stats.binom.rvs(draws, 0.04, size=4_000, random_state=1) / draws
    assert 2 * p.std() == pytest.approx(0.002, rel=0.05)


def test_eight_fair_coins_break_the_interval_and_not_the_swaps():
    """Every data set, every resample and every swap of eight wins or losses, in whole numbers."""
    resamples = np.array(list(product((0, 1), repeat=8)))
    interval = swaps = 0
    for wins in range(9):
        sums = resamples.sum(axis=1)
        ways = [wins**k * (8 - wins) ** (8 - k) * int((sums == k).sum()) for k in range(9)]
        ahead, behind = (Fraction(sum(ways[k] for k in keep), 8**8) for keep in (range(5, 9), range(4)))
        left_out = 1 - ahead <= Fraction(1, 40) or 1 - behind <= Fraction(1, 40)
        reach = int((abs(2 * sums - 8) >= abs(2 * wins - 8)).sum())
        interval += comb(8, wins) * left_out
        swaps += comb(8, wins) * (Fraction(reach, 256) <= Fraction(1, 20))
    assert permutation_or_interval.sizes(8) == pytest.approx((interval / 256, swaps / 256))
    assert interval / 256 > 0.05 >= swaps / 256


# Chapter 3 ---------------------------------------------------------------------------------------


def test_mcnemar_from_answers_and_its_mid_p_are_those_of_scipy_and_of_the_definition():
    for n10, n01 in product(range(13), repeat=2):
        x_a, x_b = np.repeat([1, 0, 1, 0], [n10, n01, 3, 2]), np.repeat([0, 1, 1, 0], [n10, n01, 3, 2])
        exact = stats.binomtest(n10, n10 + n01).pvalue if n10 + n01 else 1.0
        assert reference("mcnemar-from-bits")(x_a, x_b) == pytest.approx(exact, abs=1e-12)
        assert reference("mid-p-at-a-tie")(n10, n01) == pytest.approx(sb.mcnemar(n10, n01, "midp"), abs=1e-12)


def test_the_counts_by_hand_are_scipy_s():
    assert reference("exact-from-counts")() == pytest.approx(stats.binomtest(3, 14).pvalue)


def test_two_accuracies_leave_open_what_all_tables_say():
    found = [sb.mcnemar(n10, n01) for n11, n10, n01 in product(range(201), range(27), range(27))
             if n11 + n10 == 180 and n11 + n01 == 174 and n11 + n10 + n01 <= 200]
    assert len(found) == 21
    assert reference("what-accuracies-leave-open")() == pytest.approx((min(found), max(found)))


# Chapter 4 ---------------------------------------------------------------------------------------


def test_the_eight_sentences_have_the_chapter_s_exact_numbers():
    exact = one_cloud_chapter.exact_verdicts(one_cloud_chapter.EIGHT)
    assert reference("bootstrap-eight")() == pytest.approx(float(exact.centered), abs=0.004)
    point, p = inside_the_null.exact()
    assert inside_the_null.EIGHT == one_cloud_chapter.EIGHT
    assert Fraction(point) == one_cloud_chapter.centered_quantile(one_cloud_chapter.EIGHT)
    assert p == float(exact.centered)


@pytest.mark.parametrize("percent", [80, 90, 95, 99])
@pytest.mark.parametrize("draws", [1, 10, 39, 40, 200, 999, 1_000])
def test_the_interval_is_the_package_s(percent, draws):
    gaps = np.random.default_rng(draws).normal(size=draws)
    cloud = Cloud(gaps, np.float64(0.0), "bootstrap", False, 1.0)
    assert tuple(reference("percentile-by-order")(gaps, percent)) == sb.percentile_interval(cloud, percent / 100)


def test_the_width_of_the_cloud_has_its_closed_form():
    rng = np.random.default_rng(1)
    b = rng.normal(300, 40, size=30)
    a = b + rng.normal(5, 20, size=30)
    width = np.std(a - b) / 30**0.5
    assert reference("shared-draws")(a, b, 5_000, rng) == pytest.approx(width, rel=0.05)
    assert shared_draws.given(a, b, 2_000, rng) > 2 * width


def test_a_printed_p_value_is_worth_what_the_limit_says():
    z = np.abs(np.random.default_rng(1).normal(size=200_000))
    for printed, share in zip((0.30, 0.03), reference("a-printed-p-value")()):
        assert share == pytest.approx(one_cloud_chapter.sacrebleu_limit_size(printed), abs=1e-9)
        rejected = (one_cloud_chapter.sacrebleu_limit_p(z) <= printed).mean()
        assert rejected == pytest.approx(share, abs=0.005)
