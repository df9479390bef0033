"""The exercises on the case study against the package, enumeration and other sources."""

from __future__ import annotations

import warnings
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from strategies import reference

import sigbook as sb
from sigbook.chapters import case_study as case_chapter
from sigbook.exercises.case_study import one_set_of_prompts


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


def test_binomial_powers_of_the_subsets_exercise():
    """The choice's numbers: power on 50 prompts, of visibility 0.14, and the honest spread."""
    power, spread = one_set_of_prompts.moments()
    expected = sum(comb(50, j) * 0.14**j * 0.86 ** (50 - j) for j in range(6, 51))
    assert power == pytest.approx(expected)
    assert spread**2 <= power * (1 - power) / 2
