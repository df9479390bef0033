"""The exercises on power against the package, enumeration and other sources."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from strategies import reference

import sigbook as sb
from sigbook.chapters import power as power_chapter
from sigbook.exercises.power import power_that_repeats_p


def differences(n, wins, losses):
    return np.repeat([1.0, -1.0, 0.0], [wins, losses, n - wins - losses])


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


def test_two_of_the_choices_follow_from_their_numbers():
    """Neither a difference nor equivalence within a point; and both at once for the tiny gain."""
    near, tiny = differences(1_000, 24, 15), differences(100_000, 620, 520)
    assert sb.mcnemar(24, 15) > 0.05 and not sb.tost(-0.01, 0.01, near).equivalent
    assert sb.mcnemar(620, 520) <= 0.05 and sb.tost(-0.005, 0.005, tiny).equivalent
