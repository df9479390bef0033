"""The exercises on choosing a test against the package, enumeration and other sources."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from strategies import reference

import sigbook as sb
from sigbook.chapters import choosing as choosing_chapter
from sigbook.exercises.choosing import (
    a_look_that_is_blind, another_one_next_time, report_mended, two_detectors,
)  # fmt: skip


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
