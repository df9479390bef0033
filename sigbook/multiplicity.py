"""Adjusted p-values for a family of tests: Holm's step-down and Benjamini and Hochberg's step-up.

An adjusted p-value is the smallest level at which the procedure rejects that hypothesis, so
comparing it with alpha gives the procedure's verdict. m is the number of tests, p_(i) the i-th
smallest p-value.
"""

from __future__ import annotations

import numpy as np

from sigbook import _checks


def holm(p) -> np.ndarray:
    """Holm-adjusted p-values (m,), in the order of ``p``; they control the family-wise error rate.

    The i-th smallest becomes the largest (m - j + 1) p_(j) over j <= i, capped at 1 (Holm 1979,
    section 2). No independence is needed. ``p`` is (m,), from 0 to 1; NaN, anything outside, or no
    p-value raises ``ValueError``.
    """
    p = _p_values(p)
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def benjamini_hochberg(p) -> np.ndarray:
    """Benjamini-Hochberg-adjusted p-values (m,), in the order of ``p``.

    They control the false discovery rate of independent tests. The i-th smallest becomes the
    smallest m p_(j) / j over j >= i (Benjamini and Hochberg 1995, section 3.1). ``p`` is (m,), from
    0 to 1; NaN, anything outside, or no p-value raises ``ValueError``.
    """
    p = _p_values(p)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, len(p) + 1)
    raised = len(p) / ranks * p[order]
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(raised[::-1])[::-1]
    return adjusted


def _p_values(p) -> np.ndarray:
    p = _checks.vector("p", p)
    outside = np.flatnonzero((p < 0.0) | (p > 1.0))
    if outside.size:
        i = int(outside[0])
        raise ValueError(f"p must hold numbers from 0 to 1; got p[{i}] = {p[i]:g}")
    return p
