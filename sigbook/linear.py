"""A smooth corpus metric seen as a mean: influences of segments, and the spread that they imply."""

from __future__ import annotations

import numpy as np

from sigbook import _checks
from sigbook.pairs import PairedSet, cautions, paired, with_counts


def influence(pairs: PairedSet) -> np.ndarray:
    """Each segment's influence on the gap: grad(gap) at the mean statistics times (Z_i - mean Z), (n,).

    The book's def-influence and thm-smooth (b): the gap is its limit plus the mean of the influences, to first order.
    They average 0 exactly on paper, since g is homogeneous of degree 0. All NaN, with a warning, where a score has no gradient (a
    BLEU of 0, an F1 of nothing); warns as well where the first order is a poor guide (see
    `sigbook.pairs.cautions`). Raises ValueError for anything but a PairedSet.
    """
    values = _influence(paired(pairs))
    _checks.doubt(*_doubts(pairs, values))
    return values


def delta_sd(pairs: PairedSet) -> float:
    """Delta-method standard deviation of the gap: root of the sum of squared influences, over n.

    Influences are summed within clusters first if the set has them (cor-delta-sd; the divisor is n, as in the
    bootstrap's own variance). NaN, with a warning, where a score has no gradient. Raises ValueError for
    one unit and for anything but a PairedSet.
    """
    values = _influence(paired(pairs))
    if pairs.units < 2:
        unit = "segment" if pairs.clusters is None else "cluster"
        raise ValueError(f"pairs has 1 {unit}; a standard deviation needs at least 2")
    _checks.doubt(*_doubts(pairs, values))
    if pairs.unit_of is not None:
        values = np.bincount(pairs.unit_of, weights=values)
    values, k = _checks.scaled(values)
    return float(np.ldexp(np.sqrt((values**2).sum()) / pairs.n, k))


def _influence(pairs):
    values = np.zeros(pairs.n)
    with np.errstate(over="ignore", invalid="ignore"):  # said in words where it matters
        for x, sign in ((pairs.a, 1), (pairs.b, -1)):
            z = with_counts(x, 2).astype(np.float64)
            mean = z.mean(axis=0)
            values += sign * ((z - mean) @ pairs.rule.gradient(mean))
    return values if np.isfinite(values).all() else np.full(pairs.n, np.nan)


def _doubts(pairs, values) -> tuple[str, ...]:
    texts = cautions(pairs)
    if np.isnan(values).any() and not texts:
        texts = (f"metric {pairs.rule.name!r} has no finite gradient at these sums, so influences are NaN",)
    return texts
