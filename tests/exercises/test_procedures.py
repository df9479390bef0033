"""The exercises on procedures against the package, enumeration and other sources."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from strategies import reference

from sigbook.chapters import procedures as procedures_chapter
from sigbook.exercises.procedures import five_halvings, four_runs, next_run, one_model_many_scores


def test_a_hundred_scores_of_one_model_have_the_spread_of_test_sets():
    for seed in range(5):
        right = np.random.default_rng(seed).random(2_000) < 0.83
        scores = right[np.random.default_rng(seed + 9).integers(2_000, size=(100, 2_000))].mean(axis=1)
        assert scores.std(ddof=1) == pytest.approx(np.sqrt(0.83 * 0.17 / 2_000), rel=0.35)
    resampled, training, test_sets = one_model_many_scores.spreads()
    assert abs(resampled / test_sets - 1) < 0.2 < abs(resampled / training - 1)


def test_parted_ranges_counted_over_all_orders():
    places = list(combinations(range(7), 3))
    parted = sum(chosen in ((0, 1, 2), (4, 5, 6)) for chosen in places)
    assert reference("parted-ranges")() == pytest.approx(parted / len(places))
    assert share_of_parted(20_000) == pytest.approx(reference("parted-ranges")(), abs=0.008)


def share_of_parted(experiments):
    x = np.random.default_rng(6).normal(size=(experiments, 7))
    one, other = x[:, :3], x[:, 3:]
    return np.mean((one.max(axis=1) < other.min(axis=1)) | (other.max(axis=1) < one.min(axis=1)))


def test_the_interval_of_four_runs_is_scipy_s():
    runs = four_runs.runs
    expected = stats.t.interval(0.95, 3, runs.mean(), stats.sem(runs))
    assert reference("four-runs")() == pytest.approx(expected, abs=1e-3)
    assert reference("four-runs")() == pytest.approx(procedures_chapter.t_interval(runs), abs=1e-3)


def test_the_split_of_two_training_sets_is_the_enumerated_one():
    half = Fraction(1, 2)
    trainings = (procedures_chapter.TrainingSet(half, Fraction(1, 5), Fraction(1, 10)),
                 procedures_chapter.TrainingSet(half, Fraction(1, 10), Fraction(4, 25)))
    split = procedures_chapter.enumerated_split(trainings, 3)
    total, within, between = reference("two-training-sets")()
    assert split.between == pytest.approx(between) and split.within * 3 == pytest.approx(within * 500)
    assert split.estimated == split.within
    assert total == pytest.approx(within + between)


def test_the_next_run_s_shares_are_student_s():
    found = next_run.shares()
    t = stats.t(4)
    exact = {"a": 2 * t.cdf(2.776 / math.sqrt(6)) - 1, "b": 2 * t.cdf(2.776) - 1,
             "c": 2 * t.cdf(2 / math.sqrt(1.2)) - 1, "d": 4 / 6}
    assert found == pytest.approx(exact, abs=0.01)


def test_the_mended_statistic_gives_the_chapter_s_p_value():
    x = np.random.default_rng(7).normal(0.02, 0.03, size=(20, 5, 2))
    p = procedures_chapter.five_by_two_p(x.reshape(20, 10))
    found = [2 * stats.t.sf(abs(five_halvings.five_by_two(table)), 5) for table in x]
    assert found == pytest.approx(p)
