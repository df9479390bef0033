"""Two one-sided tests against published cases and statsmodels, and the interval that they equal."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from sigbook.equivalence import tost

DIFFERENCES = st.lists(st.integers(-50, 50).map(lambda k: k / 8), min_size=2, max_size=30)


def sample(mean, sd, n, seed=0):
    """n numbers with exactly this mean and standard deviation, but for rounding."""
    x = np.random.default_rng(seed).normal(size=n)
    return mean + sd * (x - x.mean()) / x.std(ddof=1)


def test_a_mean_near_one_half_is_within_a_tenth():
    found = tost(-0.1, 0.1, sample(0.52, 0.5, 300) - 0.5)
    assert found.p_lower == pytest.approx(2.108451e-05, rel=1e-6)
    assert found.p_upper == pytest.approx(0.002966762, rel=1e-6)
    assert found.p == found.p_upper
    assert found.interval == pytest.approx((-0.02763041, 0.06763041), abs=5e-9)
    assert found.equivalent is True


def test_a_paired_example_from_its_summary():
    sd = np.sqrt(1.17**2 + 1.30**2 - 2 * 0.745 * 1.17 * 1.30)
    found = tost(-0.34, 0.34, sample(5.83 - 5.75, sd, 65))
    assert found.p_lower == pytest.approx(0.0001606103, rel=1e-6)
    assert found.p_upper == pytest.approx(0.01081349, rel=1e-6)
    assert found.p == found.p_upper and found.equivalent


def test_an_interval_that_holds_0_shows_no_equivalence():
    # 90% intervals of (-0.4, 0.6) and (-1.2, 0.6) against margins of 1 point.
    from scipy.stats import t

    for (low, high), verdict in [((-0.4, 0.6), True), ((-1.2, 0.6), False)]:
        n = 50
        sd = (high - low) / 2 / t.ppf(0.95, n - 1) * np.sqrt(n)
        found = tost(-1, 1, sample((low + high) / 2, sd, n))
        assert found.interval == pytest.approx((low, high), abs=1e-9)
        assert found.equivalent is verdict


@given(DIFFERENCES, st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.01, 0.4))
def test_statsmodels_agrees(x, below, above, alpha):
    assume(len(set(x)) > 1)
    found = tost(-below, above, x, alpha)
    p, lower, upper = ttost_paired(np.array(x), np.zeros(len(x)), -below, above)
    assert found.p == pytest.approx(p, rel=1e-9, abs=1e-300)
    assert found.p_lower == pytest.approx(lower[1], rel=1e-9, abs=1e-300)
    assert found.p_upper == pytest.approx(upper[1], rel=1e-9, abs=1e-300)


@given(DIFFERENCES, st.floats(-3, 3), st.floats(0.1, 10), st.floats(0.01, 0.4))
def test_equivalence_is_an_interval_within_the_margins(x, low, width, alpha):
    assume(len(set(x)) > 1)
    found = tost(low, low + width, x, alpha)
    ends = found.interval
    assume(min(abs(ends[0] - low), abs(ends[1] - low - width)) > 1e-9)
    assert found.equivalent == (low <= ends[0] and ends[1] <= low + width)
    assert found.p == max(found.p_lower, found.p_upper)


@given(DIFFERENCES, st.floats(-3, 3), st.floats(0.1, 5))
def test_turning_the_sign_swaps_the_sides(x, low, width):
    assume(len(set(x)) > 1)
    found, turned = tost(low, low + width, x), tost(-low - width, -low, [-v for v in x])
    assert turned.p_lower == pytest.approx(found.p_upper, rel=1e-9, abs=1e-300)
    assert turned.p_upper == pytest.approx(found.p_lower, rel=1e-9, abs=1e-300)
    assert turned.interval == pytest.approx((-found.interval[1], -found.interval[0]), abs=1e-9)


@given(DIFFERENCES, st.floats(0.5, 5), st.floats(1.01, 3))
def test_wider_margins_make_p_smaller_and_order_does_not_matter(x, margin, factor):
    assume(len(set(x)) > 1)
    found = tost(-margin, margin, x)
    assert tost(-margin * factor, margin * factor, x).p <= found.p
    assert tost(-margin, margin, sorted(x)).p == pytest.approx(found.p, rel=1e-9, abs=1e-300)


def test_the_result_says_what_was_asked_and_cannot_be_changed():
    x = np.array([0.1, -0.2, 0.3])
    found = tost(-1, 2, x, alpha=0.1)
    assert (found.low, found.high, found.alpha, found.n) == (-1.0, 2.0, 0.1, 3)
    assert found.mean == pytest.approx(0.2 / 3)
    assert x.tolist() == [0.1, -0.2, 0.3]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.p = 0.0


@pytest.mark.parametrize("value", [0.0, 7.0, -0.3])
def test_differences_without_variance_have_no_t_statistic(value):
    with pytest.raises(ValueError, match="differences must vary for a t test; got 5 differences"):
        tost(-1, 1, [value] * 5)
    if value:
        with pytest.raises(ValueError, match="must vary"):
            tost(-1, 1, [value, value * (1 + 1e-15), value])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.1, -0.1, [1, 2]), "low must be below high; got low = 0.1, high = -0.1"),
        ((0.1, 0.1, [1, 2]), "low must be below high; got low = 0.1, high = 0.1"),
        ((np.nan, 1, [1, 2]), "low must be a finite number; got nan"),
        ((-1, np.inf, [1, 2]), "high must be a finite number; got inf"),
        (("a", 1, [1, 2]), "low must be a finite number; got 'a'"),
        ((-1, None, [1, 2]), "high must be a finite number; got None"),
        ((-1, 1, [1.0]), "differences must have at least 2 entries; got 1"),
        ((-1, 1, []), "differences must not be empty"),
        ((-1, 1, [1, np.nan]), "differences must be finite; got differences[1] = nan"),
        ((-1, 1, [[1, 2]]), "differences must have 1 axis"),
        ((-1, 1, [True, False]), "differences must hold numbers; got booleans"),
        ((-1, 1, [1, 2], 0.5), "alpha must be below 0.5, for an interval of 1 - 2 alpha; got 0.5"),
        ((-1, 1, [1, 2], 0.6), "alpha must be below 0.5, for an interval of 1 - 2 alpha; got 0.6"),
        ((-1, 1, [1, 2], 5), "(write 0.05 for 5%)"),
        ((-1, 1, [1e308, -1e308], 0.001), "or differences smaller, for an interval that ends; got 0.001 and"),
        ((-1, 1, [1, 2], 0), "alpha must be a number strictly between 0 and 1; got 0"),
    ],
)
def test_what_cannot_be_tested_is_refused(arguments, message):
    with pytest.raises(ValueError) as caught:
        tost(*arguments)
    assert message in str(caught.value)


def test_the_result_holds_what_was_asked_and_nothing_else():
    result = tost(-1, 1, [0.1, 0.2, 0.4])
    assert not hasattr(result, "__dict__") and (result.low, result.high, result.n) == (-1, 1, 3)


def test_a_p_value_equal_to_alpha_rejects():
    x = [0.1, 0.2, 0.4, -0.1]
    p = tost(-1, 0.5, x).p
    assert tost(-1, 0.5, x, alpha=p).equivalent and not tost(-1, 0.5, x, alpha=np.nextafter(p, 0)).equivalent


@pytest.mark.parametrize("power", [-900, -1, 40, 900])
def test_units_change_no_p_value(power):
    x, unit = np.array([0.1, 0.2, 0.4, -0.1]), 2.0**power
    plain, scaled = tost(-1, 0.5, x), tost(-unit, 0.5 * unit, x * unit)
    assert (scaled.p_lower, scaled.p_upper) == (plain.p_lower, plain.p_upper)
    assert scaled.interval == tuple(end * unit for end in plain.interval)
