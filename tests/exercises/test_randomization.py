"""The exercises on randomization against the package, enumeration and other sources."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import stats
from strategies import reference

import sigbook as sb
from sigbook.clouds import Cloud
from sigbook.exercises.randomization import permutation_or_interval, randomization_test


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
