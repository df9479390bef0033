"""Slow and plain: every swap, every resample, in exact fractions where the metric allows them.

Nothing here uses the package, so agreement with it is evidence.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np


def mean(pooled):
    return Fraction(pooled[0]) / Fraction(pooled[1])


def f1(pooled):
    tp, predicted, gold = (Fraction(x) for x in pooled)
    return 2 * tp / (predicted + gold) if predicted + gold else Fraction(0)


def rows(x, metric):
    """Statistics as lists of exact numbers, one per segment: 0.1 is a tenth. A mean gets its counts."""
    values = np.asarray(x).tolist()
    if np.ndim(x) == 1:
        values = [[value, 1] for value in values] if metric is mean else [[value] for value in values]
    return [[Fraction(str(value)) for value in row] for row in values]


def sums(chosen):
    """Column sums, exact for integers and fractions of floats."""
    return [sum(column) for column in zip(*chosen)]


def grouped(x, clusters):
    """Exact sums of the rows of each cluster, clusters in sorted order."""
    return [sums([row for row, label in zip(x, clusters) if label == k]) for k in sorted(set(clusters))]


def swapped_gaps(a, b, score):
    """The gap after each of the 2^G swaps of units, in no particular order."""
    gaps = []
    for kept in itertools.product((True, False), repeat=len(a)):
        first = [x if keep else y for keep, x, y in zip(kept, a, b)]
        second = [y if keep else x for keep, x, y in zip(kept, a, b)]
        gaps.append(score(sums(first)) - score(sums(second)))
    return gaps


def resampled_gaps(a, b, score):
    """The gap on each of the G^G equally likely resamples of units."""
    gaps = []
    for chosen in itertools.product(range(len(a)), repeat=len(a)):
        gaps.append(score(sums([a[i] for i in chosen])) - score(sums([b[i] for i in chosen])))
    return gaps


def p_values(gaps, observed):
    """Exact randomization p-values: two-sided, A better, B better."""
    share = Fraction(1, len(gaps))
    return (
        share * sum(abs(gap) >= abs(observed) for gap in gaps),
        share * sum(gap >= observed for gap in gaps),
        share * sum(gap <= observed for gap in gaps),
    )


def min_p(values):
    """Each swap pattern taken for the data: how many patterns each test's p counts, and how many min-p counts.

    values: |T_j| on all patterns, (k, 2^n). Returns integers (k, 2^n) and (2^n,), to be divided by 2^n.
    """
    values = np.asarray(values, dtype=np.float64)
    counts = (values[:, None, :] >= values[:, :, None] - 1e-12).sum(axis=2)
    smallest = counts.min(axis=0)
    return counts, (smallest <= smallest[:, None]).sum(axis=1)
