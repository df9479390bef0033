"""What clusters do to a mean: within-cluster correlation, design effect, clustered standard error.

n scores x_i fall into K clusters; S_k is the sum of the deviations x_i - mean(x) in cluster k, m_k
its size. Only sums of deviations enter, so a mean over clusters of unequal sizes is treated as what
it is, a ratio of cluster sums.
"""

from __future__ import annotations

import math

import numpy as np

from sigbook import _checks


def icc(x, clusters) -> float:
    """Within-cluster correlation rho of scores ``x`` by the pairwise estimator.

    The mean of (x_i - mean)(x_j - mean) over all pairs of two members of one cluster, over the
    variance of all n scores, divisor n (Karlin, Cameron and Williams 1981, each pair weighted
    alike; rho of thm-clusters). Large clusters hold more pairs and weigh more. With clusters of m
    scores it lies from -1/(m - 1) to 1; with unequal sizes it may leave that range.

    x: (n,) scores. clusters: n labels. Raises ``ValueError`` for one cluster, for clusters that all
    have one member (no pairs), and for scores that are all equal (no variance).
    """
    deviations, _, number, count = _deviations(x, clusters)
    sizes = np.bincount(number, minlength=count)
    pairs = int((sizes * (sizes - 1)).sum())
    if pairs == 0:
        raise ValueError(
            f"clusters must hold at least one cluster of two or more; got {count} clusters of 1"
        )
    _refuse_constant(deviations, x, "a within-cluster correlation")
    sums = np.bincount(number, weights=deviations, minlength=count)
    squares = float(np.dot(deviations, deviations))
    return (float(np.dot(sums, sums)) - squares) / pairs / (squares / len(deviations))


def design_effect(x, clusters) -> float:
    """Clustered variance of the mean of ``x`` over the variance that ignores the clusters.

    K/(K - 1) sum_k S_k^2 / n^2 over s^2/n, s^2 with divisor n - 1. It estimates 1 + (m - 1) rho of
    thm-clusters and may be below 1; clusters of one give 1.

    x: (n,) scores. clusters: n labels. Raises ``ValueError`` for one cluster and for scores that
    are all equal (0/0).
    """
    deviations, _, number, count = _deviations(x, clusters)
    _refuse_constant(deviations, x, "a design effect")
    n = len(deviations)
    plain = float(np.dot(deviations, deviations)) / ((n - 1) * n)
    return _variance(deviations, number, count) / plain


def cluster_sd(x, clusters) -> float:
    """Standard error of the mean of ``x`` when whole clusters were sampled, in the units of ``x``.

    The root of K/(K - 1) sum_k S_k^2 / n^2: the linearized variance of a ratio of cluster sums
    (Cochran 1977, chapter 9A, without finite population correction).

    x: (n,) scores. clusters: n labels. Raises ``ValueError`` for one cluster; warns, and gives 0,
    when all scores are equal.
    """
    deviations, k, number, count = _deviations(x, clusters)
    if not deviations.any():
        _checks.doubt(
            f"all {len(deviations)} scores are equal, so their standard error is 0: it says "
            "nothing about other clusters"
        )
    return math.ldexp(math.sqrt(_variance(deviations, number, count)), k)


def _deviations(x, clusters) -> tuple[np.ndarray, int, np.ndarray, int]:
    """Deviations of x / 2^k from its mean (exactly 0 if x is constant), k, cluster numbers, their count."""
    x = _checks.vector("x", x)
    count, number = _checks.labels("clusters", clusters, len(x))
    if count < 2:
        raise ValueError(f"clusters must hold at least 2 different labels; got {count}")
    x, k = _checks.scaled(x)
    deviations = np.zeros(len(x)) if _checks.constant(x) else x - x.mean()
    return deviations, k, number, count


def _variance(deviations: np.ndarray, number: np.ndarray, count: int) -> float:
    sums = np.bincount(number, weights=deviations, minlength=count)
    return count / (count - 1) * float(np.dot(sums, sums)) / len(deviations) ** 2


def _refuse_constant(deviations: np.ndarray, x, what: str) -> None:
    if not deviations.any():
        first = np.asarray(x, dtype=np.float64).flat[0]
        raise ValueError(
            f"x must vary, or {what} does not exist; got {len(deviations)} scores of {first:g}"
        )
