"""Many comparisons on one test set from one set of draws.

The systems' unit sums are stacked as columns of one matrix, so each chunk of draws is one matrix product for
all of them. For two systems the gaps are those of `sigbook.clouds.bootstrap` and `randomize` with the same
seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sigbook import _checks, clouds
from sigbook.metrics import Metric

LARGEST_BLOCK = 2**22  # entries of one matrix of differences


def silent(what: str, share: float) -> None:
    """Progress that nobody wants to see."""


def resampled(sums: Sequence[np.ndarray], rule: Metric, pairs: Sequence[tuple[int, int]], draws: int, seed: int,
              tell: Callable[[str, float], None] = silent) -> np.ndarray:
    """Gaps (C, draws) of C pairs of systems on shared resamples of G >= 2 units.

    sums: S arrays (G, K) of unit sums. pairs: C pairs (i, j) of places in `sums`; a gap is i minus j. tell
    is called with what is being done and the share of it that is done. Raises ValueError for a metric function
    that is not finite on some draw.
    """
    rng = _checks.generator(seed)
    [(units, columns)] = {x.shape for x in sums}
    matrix = _columns(sums, _exact(sums, units * max(np.abs(x).max() for x in sums)))
    first, second = np.array(pairs, dtype=np.intp).T
    gaps = np.empty((len(pairs), draws))
    for start, rows in clouds._chunks(draws, max(units, len(pairs) * columns)):
        tell("resampling", start / draws)
        counts = clouds._resamples(rng, rows, units).astype(matrix.dtype)
        pooled = (counts @ matrix).astype(np.float64, copy=False).reshape(rows, len(sums), columns)
        gaps[:, start:start + rows] = rule.gap(pooled[:, first], pooled[:, second]).T
    for gap, (i, j) in zip(gaps, pairs):
        if np.array_equal(sums[i], sums[j]):
            gap[:] = 0.0  # equal columns of one product may be rounded apart
    return clouds._finite(gaps, rule)


def swapped(sums: Sequence[np.ndarray], rule: Metric, pairs: Sequence[tuple[int, int]], draws: int, seed: int,
            tell: Callable[[str, float], None] = silent, every_unit: bool = False) -> np.ndarray:
    """Gaps (C, draws) of C pairs of systems under shared swaps; see `resampled`.

    Units on which no pair differs are not drawn for, unless `every_unit` is: then other statistics of the
    same units get the same swaps. Blocks of pairs whose differences fit the memory are done in turn, each
    with the same draws again.
    """
    [(units, columns)] = {x.shape for x in sums}
    differ = np.full(units, every_unit)
    for i, j in pairs:
        differ |= (sums[i] != sums[j]).any(axis=1)
    height = int(differ.sum())
    block = max(1, LARGEST_BLOCK // max(1, height * columns))
    gaps = np.empty((len(pairs), draws))
    for lowest in range(0, len(pairs), block):
        some = pairs[lowest:lowest + block]
        pooled = _swapper(sums, some, differ)
        rng = _checks.generator(seed)
        for start, rows in clouds._chunks(draws, max(height, len(some) * columns)):
            tell("swapping", (lowest + len(some) * start / draws) / len(pairs))
            pseudo = pooled(clouds._bits(rng, rows, height))
            gaps[lowest:lowest + block, start:start + rows] = rule.gap(*pseudo).T
    return clouds._finite(gaps, rule)


def _swapper(sums, pairs, differ):
    """The function from bits (rows, height), 1 where outputs stay, to both pseudo-systems' (rows, C, K)."""
    totals = np.array([x.sum(axis=0) for x in sums], dtype=np.float64)
    used = [k for k in range(totals.shape[1]) if any((sums[i][:, k] != sums[j][:, k]).any() for i, j in pairs)]
    first, second = np.array(pairs, dtype=np.intp).T
    exact = _exact(sums, 2 * max(np.abs(x).sum(axis=0).max() for x in sums))
    differences = _columns([(sums[i] - sums[j])[differ][:, used] for i, j in pairs], exact)
    both = totals[first] + totals[second]

    def pooled(kept):
        pseudo = np.repeat(totals[None, second], len(kept), axis=0)
        product = kept.astype(differences.dtype) @ differences
        pseudo[..., used] += product.reshape(len(kept), len(pairs), len(used))
        return pseudo, both - pseudo
    return pooled


def _exact(sums, largest) -> bool:
    """Whether totals of at most `largest` in size are all exact in float32."""
    return all(x.dtype.kind == "i" for x in sums) and largest < clouds.FLOAT32_EXACT


def _columns(sums, exact) -> np.ndarray:
    """Arrays (G, K) side by side, in float32 where every total is `_exact` in it."""
    return np.concatenate(sums, axis=1, dtype=np.float32 if exact else np.float64, casting="same_kind")
