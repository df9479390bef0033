"""Adjusted p-values against statsmodels, the procedures run step by step, and the 1995 example."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from sigbook import data
from sigbook.multiplicity import benjamini_hochberg, holm

BOTH = pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), min_size=1, max_size=25)


def test_the_fifteen_p_values_of_1995():
    assert (benjamini_hochberg(data.FIFTEEN) <= 0.05).sum() == 4
    assert (holm(data.FIFTEEN) <= 0.05).sum() == 3
    assert (np.minimum(1, 15 * np.array(data.FIFTEEN)) <= 0.05).sum() == 3  # Bonferroni
    assert benjamini_hochberg(data.FIFTEEN)[3] == pytest.approx(0.035625, rel=1e-12)


def test_holm_rejects_one_of_three():
    assert (holm([0.01, 0.03, 0.04]) <= 0.05).tolist() == [True, False, False]
    assert holm([0.01, 0.03, 0.04]) == pytest.approx([0.03, 0.06, 0.06])


def test_holm_is_monotone():
    assert holm([0.01, 0.011]) == pytest.approx([0.02, 0.02])
    assert holm([0.01, 0.011, 0.5]) == pytest.approx([0.03, 0.03, 0.5])


def test_twenty_true_nulls_raise_one_false_alarm_in_two():
    assert 1 - 0.95**20 == pytest.approx(0.641514, abs=5e-7)
    rng = np.random.default_rng(0)
    p = rng.random((4_000, 20))
    alarms = (p.min(axis=1) <= 0.05).mean()
    held = np.mean([holm(row).min() <= 0.05 for row in p])
    assert alarms == pytest.approx(0.6415, abs=4 * np.sqrt(0.64 * 0.36 / 4_000))
    assert held == pytest.approx(1 - (1 - 0.05 / 20) ** 20, abs=4 * np.sqrt(0.05 / 4_000))


@given(P_VALUES)
@settings(max_examples=25)
def test_statsmodels_agrees(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12, abs=1e-300)
    assert benjamini_hochberg(p) == pytest.approx(
        multipletests(p, method="fdr_bh")[1], rel=1e-12, abs=1e-300
    )


def rejected_by_stepping(p, alpha, down):
    """Indices that Holm's step-down or the BH step-up procedure rejects, as the papers state them."""
    m, order = len(p), sorted(range(len(p)), key=lambda i: p[i])
    if down:
        k = 0
        while k < m and p[order[k]] <= alpha / (m - k):
            k += 1
    else:
        k = max((i + 1 for i in range(m) if p[order[i]] <= (i + 1) / m * alpha), default=0)
    return set(order[:k])


@given(P_VALUES, st.floats(0.001, 0.5))
def test_comparing_with_alpha_gives_the_stepwise_verdicts(p, alpha):
    for adjust, down in ((holm, True), (benjamini_hochberg, False)):
        adjusted = adjust(p)
        if np.abs(adjusted - alpha).min() > 1e-12:
            assert set(np.flatnonzero(adjusted <= alpha)) == rejected_by_stepping(p, alpha, down)


@BOTH
@given(p=P_VALUES, seed=st.integers(0, 99))
def test_adjusted_values_follow_the_input_in_any_order(adjust, p, seed):
    p = np.array(p)
    shuffled = np.random.default_rng(seed).permutation(len(p))
    assert np.array_equal(adjust(p)[shuffled], adjust(p[shuffled]))


@BOTH
@given(p=P_VALUES)
def test_adjusting_raises_keeps_the_ranks_and_stays_within_1(adjust, p):
    p = np.array(p)
    adjusted = adjust(p)
    assert (adjusted >= p * (1 - 1e-15)).all() and (adjusted <= 1).all()
    order = np.argsort(p)
    assert (np.diff(adjusted[order]) >= 0).all()
    for i in range(len(p)):
        assert len(set(adjusted[p == p[i]])) == 1


@given(P_VALUES)
def test_bh_lies_below_holm_and_holm_below_bonferroni(p):
    assert (benjamini_hochberg(p) <= holm(p) + 1e-15).all()
    assert (holm(p) <= np.minimum(1.0, len(p) * np.array(p)) + 1e-15).all()


@BOTH
def test_one_test_is_left_as_it_is_and_inputs_stay(adjust):
    assert adjust([0.04]).tolist() == [0.04]
    p = np.array([0.5, 0.01])
    adjust(p)
    assert p.tolist() == [0.5, 0.01]


@BOTH
@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.1, np.nan], "p must be finite; got p[1] = nan"),
        ([0.1, 0.2, -0.01], "p must hold numbers from 0 to 1; got p[2] = -0.01"),
        ([5, 0.1], "p must hold numbers from 0 to 1; got p[0] = 5"),
        ([1.0, 1.01, -3], "p must hold numbers from 0 to 1; got p[1] = 1.01"),
        ([], "p must not be empty"),
        (0.05, "p must have 1 axis"),
        ([[0.1, 0.2]], "p must have 1 axis; got an array of shape (1, 2)"),
        (["0.1"], "p must hold numbers; got text"),
        ([0.1, None], "p must hold numbers; got None among its entries"),
        ([True], "p must hold numbers; got booleans"),
    ],
)
def test_what_is_no_family_of_p_values_is_refused(adjust, p, message):
    with pytest.raises(ValueError) as caught:
        adjust(p)
    assert message in str(caught.value)
