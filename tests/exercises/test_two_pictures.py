"""The exercises on the two pictures against the package, enumeration and other sources."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import reference

import sigbook as sb
from sigbook import metrics
from sigbook.chapters import one_cloud as one_cloud_chapter
from sigbook.exercises.two_pictures import bleu_by_hand, missing_cell, t_test_of_f1


def counts(rng, n):
    """tp, predicted, gold of one system on n segments."""
    gold, predicted = rng.integers(1, 10, size=(2, n))
    return np.stack([rng.binomial(np.minimum(gold, predicted), 0.6), predicted, gold], axis=1)


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
