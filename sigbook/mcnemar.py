"""McNemar's test on two counts, its power, and the number of segments it needs.

Two systems are right or wrong on the same segments. n10 counts the segments that only A gets right,
n01 those that only B gets right, n_d = n10 + n01 the discordant ones. Given n_d and no difference,
n10 is Bin(n_d, 1/2): McNemar's exact test is the randomization test of the accuracy gap.

p10 and p01 are the probabilities behind n10 and n01, p_d = p10 + p01, and c is the critical value:
the test rejects when the smaller count is at most c. SciPy's regularized incomplete beta function I
gives every binomial tail here, P(X >= a) = I_p(a, k - a + 1) for X ~ Bin(k, p).
"""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np

from sigbook import _checks

_METHODS = ("exact", "midp", "chi2", "corrected", "anytime")
_INTEGER_ARITHMETIC = 1_000  # discordant pairs up to which p is a ratio of Python integers
_LONGEST_TABLE = 5_000_000  # rejection probabilities kept while searching a sample size
_LARGEST_COUNT = 1_000_000_000  # beyond, rounding of log-probabilities begins to show
_MOST_SEGMENTS = 100_000_000  # of a test set whose power is computed in seconds
_LONGEST_SEARCH = 10_000_000
_LARGEST_SIZE = 1e15  # segments that any sample size may come to
_TINY = 1e-12  # relative room for rounding when a tail meets its bound exactly


def mcnemar(n10, n01, method="exact") -> float:
    """Two-sided p-value of McNemar's test for ``n10`` against ``n01`` discordant segments.

    Parameters
    ----------
    n10, n01: integers >= 0, segments that only A, or only B, gets right.
    method: ``"exact"``, min(1, 2 F(min(n10, n01))) with F the Bin(n_d, 1/2) distribution function
        (prop-mcnemar); ``"midp"``, in which the observed outcome counts half (Fagerland, Lydersen
        and Laake 2013); ``"chi2"``, (n10 - n01)^2 / n_d against chi-squared with one degree of
        freedom (McNemar 1947); ``"corrected"``, the same with abs(n10 - n01) - 1 (Edwards 1948),
        never below 0; ``"anytime"``, min(1, (n_d + 1) C(n_d, n10) / 2^n_d), which may be looked at
        after every segment: the chance that it is ever at most alpha is at most alpha
        (prop-anytime).

    Without discordant segments p is 1 in every method. Raises ``ValueError`` for counts that are
    negative or not integers, and for an unknown method.
    """
    n10 = _checks.count("n10", n10, most=_LARGEST_COUNT)
    n01 = _checks.count("n01", n01, most=_LARGEST_COUNT)
    method = _checks.choice("method", method, _METHODS)
    n_d, least, gap = n10 + n01, min(n10, n01), abs(n10 - n01)
    if not n_d:
        return 1.0
    if method == "exact":
        return 2.0 * _half_tail(least, n_d) if gap > 1 else 1.0
    if method == "midp":
        if not gap:
            return 0.5 + _half_tail(least - 1, n_d)
        return _half_tail(least, n_d) + _half_tail(least - 1, n_d)
    if method == "anytime":
        return min(1.0, (n_d + 1) * _one_outcome(least, n_d))
    if method == "corrected":
        gap = max(gap - 1, 0)
    return math.erfc(math.sqrt(gap * gap / n_d / 2.0))


def mcnemar_power(n, p10, p01, alpha=0.05) -> float:
    """Exact power of McNemar's exact two-sided test on ``n`` independent segments.

    The power is the mean over n_d ~ Bin(n, p10 + p01) of the probability that n10 ~ Bin(n_d,
    p10 / p_d) falls in the test's rejection region, on either side (prop-power).

    Parameters
    ----------
    n: integer from 0 to 100 million, segments in the test set.
    p10, p01: probabilities from 0 to 1 that only A, or only B, is right; their sum is at most 1.
        Equal ones give the size of the test.
    alpha: level, strictly between 0 and 1; the test rejects when p <= alpha.

    Raises ``ValueError`` for anything outside these ranges.
    """
    n = _checks.count("n", n, most=_MOST_SEGMENTS)
    p10, p01 = _cell_probabilities(p10, p01)
    alpha = _checks.fraction("alpha", alpha)
    p_d = min(1.0, p10 + p01)
    if not p_d:
        return 0.0
    first, weights = _binomial(n, p_d)
    k = np.arange(first, first + len(weights), dtype=np.int64)
    return min(1.0, float(np.dot(weights, _rejection(k, p10, p01, alpha))))


def mcnemar_sample_size(p10, p01, power=0.8, alpha=0.05, method="connor") -> int:
    """Segments that McNemar's test needs for the wanted ``power``.

    Parameters
    ----------
    p10, p01: probabilities that only A, or only B, is right; different, with a sum of at most 1.
    power, alpha: strictly between 0 and 1.
    method: ``"connor"``, the two-sided form of Connor's (1987, eq. 3) normal approximation, rounded
        up (prop-power); ``"exact"``, the first n from which on the exact test's power stays
        at or above ``power``. The exact power rises in saw-teeth, so it may reach the target
        earlier and fall below it again.

    How "stays" is known for ``"exact"``: let r(k) be the probability of rejecting given k
    discordant segments and m(k) the smallest r(j) over j >= k. E[m(N)], N ~ Bin(n, p_d), bounds the
    power from below and never falls as n grows, because m never falls and N grows stochastically
    with n. Once it has reached the target, the power is settled for every larger n; below that n
    every power is computed, downward, until one misses the target. Hoeffding's inequality gives
    r(j) >= 1 - exp(-2 g(j)^2), where g(j) = sqrt(j) abs(p10/p_d - 1/2) - sqrt(log(2/alpha)/2) -
    1/sqrt(j) increases in j. For m the r(j) are computed up to where the exponential comes down to
    a thousandth of 1 - power, and bounded beyond.

    Raises ``ValueError`` when p10 equals p01 (no number of segments is enough), for anything
    outside the ranges, for more than 1e15 segments, and for ``"exact"`` when more than 5 million r(j)
    or 10 million segments would have to be gone through.
    """
    p10, p01 = _cell_probabilities(p10, p01)
    power = _checks.fraction("power", power)
    alpha = _checks.fraction("alpha", alpha)
    method = _checks.choice("method", method, ("connor", "exact"))
    if p10 == p01:
        raise ValueError(
            f"p10 and p01 must differ, or no sample size is enough; got {p10:g} for both"
        )
    if method == "connor":
        return _connor(p10, p01, power, alpha)
    return _first_n_that_stays(p10, p01, power, alpha)


def _cell_probabilities(p10, p01) -> tuple[float, float]:
    p10 = _checks.probability("p10", p10)
    p01 = _checks.probability("p01", p01)
    if p10 + p01 > 1.0 + _TINY:
        raise ValueError(f"p10 + p01 must be at most 1; got {p10:g} + {p01:g} = {p10 + p01:g}")
    return p10, p01


def _half_tail(m: int, k: int) -> float:
    """P(X <= m) for X ~ Bin(k, 1/2)."""
    if m < 0:
        return 0.0
    if k <= _INTEGER_ARITHMETIC:
        return sum(math.comb(k, i) for i in range(m + 1)) / 2**k
    from scipy.special import betainc

    return float(betainc(float(k - m), float(m + 1), 0.5))


def _one_outcome(m: int, k: int) -> float:
    """P(X = m) for X ~ Bin(k, 1/2)."""
    if k <= _INTEGER_ARITHMETIC:
        return math.comb(k, m) / 2**k
    logs = math.lgamma(k + 1) - math.lgamma(m + 1) - math.lgamma(k - m + 1)
    return math.exp(logs - k * math.log(2.0))


def _connor(p10: float, p01: float, power: float, alpha: float) -> int:
    from scipy.special import ndtri

    p_d, effect = p10 + p01, abs(p10 - p01)
    parts = -ndtri(alpha / 2.0) * math.sqrt(p_d), ndtri(power) * math.sqrt(p_d - effect**2)
    root = max(0.0, sum(parts)) / effect
    if root > math.sqrt(_LARGEST_SIZE):
        raise ValueError(
            f"p10 and p01 must differ more, or alpha and 1 - power be larger; got {p10:g} and {p01:g}, "
            f"{alpha:g} and {1.0 - power:g}, which need more than {_LARGEST_SIZE:g} segments"
        )
    return max(1, math.ceil(root**2 * (1.0 - _TINY)))


def _binomial(n: int, p: float) -> tuple[int, np.ndarray]:
    """(first, weights): Bin(n, p) probabilities of first, first + 1, ... where they matter.

    Left out is a total below 2 exp(-50) (Bernstein's inequality); the weights are made to sum to 1.
    """
    if p == 1.0:
        return n, np.ones(1)
    reach = 50.0 + 10.0 * math.sqrt(n * p)
    first = max(0, math.floor(n * p - reach))
    last = min(n, math.ceil(n * p + reach))
    k = np.arange(first, last, dtype=np.float64)
    steps = np.log((n - k) / (k + 1.0)) + (math.log(p) - math.log1p(-p))
    middle = math.floor(n * p) - first
    logs = np.zeros(last - first + 1)
    logs[middle + 1 :] = np.cumsum(steps[middle:])
    logs[:middle] = -np.cumsum(steps[:middle][::-1])[::-1]
    weights = np.exp(logs)
    return first, weights / weights.sum()


def _critical(k: np.ndarray, alpha: float) -> np.ndarray:
    """Largest c with 2 P(X <= c) <= alpha for X ~ Bin(k, 1/2), or -1; k is (m,) int64."""
    from scipy.special import betainc, ndtri

    def small(c, k):
        some = np.abs(c)  # where c is -1, no outcome, any other will do
        return (c < 0) | (2.0 * betainc(k - some, some + 1.0, 0.5) <= alpha * (1.0 + _TINY))

    guess = (k + ndtri(max(alpha / 2.0, 5e-324)) * np.sqrt(k)) // 2.0
    c = np.maximum(guess, -1.0)
    active = np.flatnonzero(~small(c, k))
    while active.size:
        c[active] -= 1.0
        active = active[~small(c[active], k[active])]
    active = np.arange(len(k))
    while active.size:
        active = active[small(c[active] + 1.0, k[active])]
        c[active] += 1.0
    return c


def _rejection(k: np.ndarray, p10: float, p01: float, alpha: float) -> np.ndarray:
    """P(the exact test rejects | n_d = k) for k (m,) int64: both tails of Bin(k, p10 / p_d)."""
    from scipy.special import betainc

    c = _critical(k, alpha)
    can = c >= 0
    a, b = (k - c)[can], (c + 1.0)[can]
    p_d = p10 + p01
    rejection = np.zeros(len(k))
    rejection[can] = betainc(a, b, p10 / p_d) + betainc(a, b, p01 / p_d)
    return rejection


def _first_n_that_stays(p10: float, p01: float, power: float, alpha: float) -> int:
    p_d = min(1.0, p10 + p01)
    goal = power - _TINY
    end, beyond = _settled(p10, p01, power, alpha)
    table = _rejection(np.arange(end, dtype=np.int64), p10, p01, alpha)
    floor = np.minimum(np.minimum.accumulate(table[::-1])[::-1], beyond)

    def averaged(n, values):
        first, weights = _binomial(n, p_d)
        inside = values[first : first + len(weights)]
        tail = weights[len(inside) :].sum() * beyond
        return float(np.dot(weights[: len(inside)], inside) + tail)

    if averaged(_LONGEST_SEARCH, floor) < goal:
        raise ValueError(
            f"p10 and p01 must be larger for method='exact'; got {p10:g} and {p01:g}, which may need "
            f"more than {_LONGEST_SEARCH:,} segments, searched one by one: use method='connor'"
        )
    enough = bisect_left(range(_LONGEST_SEARCH), goal, key=lambda n: averaged(n, floor))
    misses = (n for n in range(enough, 0, -1) if averaged(n, table) < goal)
    return 1 + next(misses, 0)


def _settled(p10: float, p01: float, power: float, alpha: float) -> tuple[int, float]:
    """(J, bound): given any n_d >= J the test rejects with a probability of at least ``bound``.

    Hoeffding: c >= k/2 - t - 1 with t = sqrt(k log(2/alpha) / 2), and the probability of not
    rejecting is at most that of fewer than k/2 + t + 1 wins for the better system.
    """
    lean = abs(p10 - p01) / (p10 + p01) / 2.0
    spare = 1e-3 * (1.0 - power)
    rooted = math.sqrt((math.log(2.0) - math.log(alpha)) / 2.0) + math.sqrt(math.log(1.0 / spare) / 2.0)
    root = (rooted + math.sqrt(rooted**2 + 4.0 * lean)) / (2.0 * lean)
    end = math.ceil(root**2)
    if end > _LONGEST_TABLE:
        raise ValueError(
            f"p10 and p01 must differ more for method='exact'; got {p10:g} and {p01:g}, which need a "
            f"table of {end:,} discordant segments (at most {_LONGEST_TABLE:,}): use method='connor'"
        )
    return end, 1.0 - spare
