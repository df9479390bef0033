"""The exercises on McNemar's test against the package, enumeration and other sources."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from strategies import reference

import sigbook as sb


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
