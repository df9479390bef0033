"""Two one-sided tests: is the mean difference within margins that were chosen beforehand?

A p-value above alpha shows no equivalence. Here the null is a mean difference at or beyond a
margin; rejecting it on both sides says that the mean lies between them. t tests on paired
differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sigbook import _checks


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Result of `tost`, with what was asked.

    p_lower, p_upper: p-values against a mean at or below ``low``, at or above ``high``. p: the
    larger, the p-value of the whole test. interval: the 1 - 2 alpha t interval for the mean.
    equivalent: p <= alpha, the same as an interval within the margins. mean: of the n differences.
    """

    p_lower: float
    p_upper: float
    p: float
    interval: tuple[float, float]
    equivalent: bool
    mean: float
    n: int
    low: float
    high: float
    alpha: float


def tost(low, high, differences, alpha=0.05) -> Equivalence:
    """Two one-sided t tests of the mean of paired ``differences`` against two margins.

    Parameters
    ----------
    low, high: margins in the units of the differences, low < high; chosen before the data, for what
        a difference of that size would mean in use.
    differences: (n,) independent paired differences, n >= 2, not all equal.
    alpha: level of each one-sided test and of the whole, strictly between 0 and 0.5.

    Returns an `Equivalence` (Schuirmann 1987; Lakens 2017). Raises ``ValueError`` for margins that
    are not low < high, fewer than two differences, and differences without variance: there the t
    statistic does not exist, and a p of 0 would claim a certainty that the data cannot give.
    """
    from scipy.special import stdtr, stdtrit

    low, high = _checks.real("low", low), _checks.real("high", high)
    if not low < high:
        raise ValueError(f"low must be below high; got low = {low:g}, high = {high:g}")
    x = _checks.vector("differences", differences)
    alpha = _checks.fraction("alpha", alpha)
    if alpha >= 0.5:
        raise ValueError(f"alpha must be below 0.5, for an interval of 1 - 2 alpha; got {alpha:g}")
    n = len(x)
    if n < 2:
        raise ValueError(f"differences must have at least 2 entries; got {n}")
    if _checks.constant(x):
        raise ValueError(
            f"differences must vary for a t test; got {n} differences equal to {x[0]:g}"
        )
    x, k = _checks.scaled(x)
    mean, error = float(x.mean()), float(x.std(ddof=1)) / math.sqrt(n)
    reach = float(stdtrit(n - 1, 1.0 - alpha)) * error
    with np.errstate(over="ignore"):
        near, far = (float(np.ldexp(margin, -k)) for margin in (low, high))
        interval = (float(np.ldexp(mean - reach, k)), float(np.ldexp(mean + reach, k)))
    if not np.isfinite(interval).all():
        raise ValueError(
            f"alpha must be larger, or differences smaller, for an interval that ends; got {alpha:g} and "
            f"differences up to {np.ldexp(np.abs(x).max(), k):g}"
        )
    p_lower = float(stdtr(n - 1, -(mean - near) / error))
    p_upper = float(stdtr(n - 1, (mean - far) / error))
    p = max(p_lower, p_upper)
    mean = float(np.ldexp(mean, k))
    return Equivalence(p_lower, p_upper, p, interval, p <= alpha, mean, n, low, high, alpha)
