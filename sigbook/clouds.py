"""The two clouds: gaps on resampled weights (bootstrap) and on swapped outputs (randomization).

A resample is a vector of counts N on the units (segments, or whole clusters), a swap a vector of bits; both
turn the unit sums A, B of shape (G, K) into pooled sums by one matrix product per chunk of draws.

The draws come from one stream of random numbers, read draw by draw, so a result does not depend on how many
draws make a chunk. Integer statistics are multiplied in float32 while every total stays below 2^24, where
float32 is exact in any order of summation, and in float64 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sigbook import _checks, metrics
from sigbook._checks import quietly
from sigbook.metrics import LARGEST_SCORE, MEAN_COLUMNS
from sigbook.pairs import (
    FLOAT64_EXACT,
    PairedSet,
    _check_counts,
    _check_function,
    _statistics,
    cautions,
    paired,
    with_counts,
)

MOST_ENUMERATED = 20
CHUNK_ENTRIES = 2**19
FLOAT32_EXACT = 2**24
TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Cloud:
    """Gaps of many resamples or swaps, with the observed gap.

    gaps: float64 (draws,), or (E, draws) for a stack of E experiments. observed: the gap on the data
    themselves, a float or (E,). kind: ``"bootstrap"`` or ``"randomization"``. enumerated: the gaps are all
    there are, not a sample. score_scale: the size of the scores, to which the slack for ties is relative;
    0 when gaps compare exactly. invalid: draws on which the metric was undefined (not among the gaps).

    Raises ValueError for another kind, no draws, gaps or an observed gap that are not finite or beyond 1e300,
    and shapes that do not fit. The gaps are a read-only copy.
    """

    gaps: np.ndarray
    observed: float | np.ndarray
    kind: str
    enumerated: bool = False
    score_scale: float | np.ndarray = 0.0
    invalid: int = 0

    def __post_init__(self):
        _checks.choice("kind", self.kind, ("bootstrap", "randomization"))
        gaps = _checks.numbers("gaps", self.gaps, (1, 2, 3), float)
        observed = _checks.numbers("observed", self.observed, (0, 1, 2), float)
        scale = _checks.numbers("score_scale", self.score_scale, (0, 1, 2), float)
        if observed.shape != gaps.shape[:-1]:
            raise ValueError(
                f"observed must have the shape of gaps without its last axis, {gaps.shape[:-1]}; "
                f"got {observed.shape}"
            )
        if scale.shape not in ((), observed.shape) or scale.min() < 0:
            raise ValueError(
                f"score_scale must be >= 0, one number or of shape {observed.shape}; "
                f"got {_checks.shown(self.score_scale)}"
            )
        for name, value in (("gaps", gaps), ("observed", observed), ("score_scale", scale)):
            if np.abs(value).max() > LARGEST_SCORE:
                raise ValueError(f"{name} must be at most {LARGEST_SCORE:g} in size; got {np.abs(value).max():g}")
        object.__setattr__(self, "enumerated", _checks.flag("enumerated", self.enumerated))
        object.__setattr__(self, "invalid", _checks.count("invalid", self.invalid))
        for name, value in (("gaps", gaps), ("observed", observed), ("score_scale", scale)):
            value.flags.writeable = False
            object.__setattr__(self, name, value if value.ndim else float(value))

    @property
    def draws(self) -> int:
        """Number of gaps per experiment."""
        return self.gaps.shape[-1]

    @property
    def sd(self) -> float | np.ndarray:
        """Standard deviation of the gaps (divisor: their number)."""
        sd = _checks.sd(self.gaps)
        return sd if sd.ndim else float(sd)

    @property
    def slack(self) -> float | np.ndarray:
        """How far apart two gaps may lie and still count as tied."""
        return TIE * self.score_scale

    def __repr__(self):
        if self.gaps.ndim > 1:
            return f"Cloud({self.kind}, {self.gaps.shape[0]} experiments of {self.draws} draws)"
        how = "enumerated" if self.enumerated else "draws"
        return f"Cloud({self.kind}, {self.draws} {how}: observed {self.observed:+.4g}, sd {self.sd:.4g})"


def bootstrap(pairs: PairedSet, draws: int = 10_000, seed=0, order: str = "fast") -> Cloud:
    """The paired bootstrap: gaps on resamples of n units from n, the same counts for both systems.

    The book's def-bootstrap (Koehn 2004, section 6). Whole clusters are resampled if the set has them.
    order ``"sacrebleu"`` draws the resamples of sacreBLEU's paired bootstrap for an integer seed.
    Returns a `Cloud` of `draws` gaps; besides it, memory stays bounded whatever n and `draws`.
    Raises ValueError for one unit, draws < 1 or above 10^8 (a cloud keeps them all), another order, sacreBLEU's order with clusters, and a metric
    function that is not finite on some resample. Warns where BLEU is not smooth enough (see
    `sigbook.pairs.cautions`) and when every resample gives the same gap.
    """
    pairs = paired(pairs)
    draws = _checks.draws(draws)
    rng = _checks.generator(seed)
    _check_order(order, pairs)
    if pairs.units < 2:
        unit = "segment" if pairs.clusters is None else "cluster"
        raise ValueError(f"pairs has 1 {unit}; the bootstrap needs at least 2 to resample")
    pooled = _resampler(pairs.unit_a, pairs.unit_b)
    gaps = np.empty(draws)
    for start, rows in _chunks(draws, pairs.units):
        pooled_a, pooled_b = pooled(_resamples(rng, rows, pairs.units))
        gaps[start:start + rows] = pairs.rule.gap(pooled_a, pooled_b)
    if np.array_equal(pairs.unit_a, pairs.unit_b):
        gaps[:] = 0.0  # equal columns of one product may be rounded apart
    cloud = Cloud(_finite(gaps, pairs.rule), pairs.gap, "bootstrap", False, _score_scale(pairs, gaps))
    _checks.doubt(*_doubts(pairs, cloud))
    return cloud


def randomize(pairs: PairedSet, draws: int | str = 10_000, seed=0, order: str = "fast") -> Cloud:
    """Approximate randomization: gaps after exchanging the two systems' outputs on random units.

    The book's def-randomization (Riezler and Maxwell 2005, figure 1). Whole clusters are swapped if the set has
    them; units on which the systems do not differ cannot matter and are not drawn for. draws ``"all"``
    enumerates the group, up to 20 differing units. order ``"sacrebleu"`` draws the swaps of sacreBLEU's
    paired approximate randomization for an integer seed.
    Returns a `Cloud` of swapped gaps; besides it, memory stays bounded whatever n and `draws`.
    Raises ValueError for draws < 1 or above 10^8, for more than 20 differing units to enumerate (naming the count),
    another order, sacreBLEU's order with clusters, and a metric function that is not finite on some swap.
    Warns when no p-value below 0.05 is possible (the smallest two-sided one is 2/2^G over G differing units)
    and when BLEU is 0.
    """
    pairs = paired(pairs)
    enumerated = isinstance(draws, str)
    if enumerated and draws != "all":
        raise ValueError(f"draws must be an integer >= 1 or 'all'; got {_checks.shown(draws)}")
    rng = _checks.generator(seed)
    _check_order(order, pairs)
    differ = (pairs.unit_a != pairs.unit_b).any(axis=1)
    differing = int(differ.sum())
    if enumerated:
        if differing > MOST_ENUMERATED:
            raise ValueError(
                f"draws='all' enumerates at most 2^{MOST_ENUMERATED} swaps, but the systems differ on "
                f"{differing} units; give a number of draws"
            )
        draws = 2**differing
    draws = _checks.draws(draws)
    if order == "sacrebleu" and not enumerated:
        differ = np.ones(pairs.units, dtype=bool)
    units = int(differ.sum())
    pooled = _swapper(pairs.unit_a, pairs.unit_b, differ)
    gaps = np.empty(draws)
    # sacreBLEU reads its bits from 32-bit words in one call; 32 rows at a time end on a word.
    for start, rows in _chunks(draws, units, multiple=32 if order == "sacrebleu" else 1):
        if enumerated:
            kept = _patterns(start, rows, units)
        elif order == "sacrebleu":
            kept = rng.integers(2, size=(rows, units), dtype=bool)
        else:
            kept = _bits(rng, rows, units)
        pooled_a, pooled_b = pooled(kept)
        gaps[start:start + rows] = pairs.rule.gap(pooled_a, pooled_b)
    scale = _score_scale(pairs, gaps)
    cloud = Cloud(_finite(gaps, pairs.rule), pairs.gap, "randomization", enumerated, scale)
    _checks.doubt(*_doubts(pairs, cloud))
    return cloud


def _doubts(pairs, cloud) -> tuple[str, ...]:
    if cloud.kind == "bootstrap":
        return *cautions(pairs), *degenerate(cloud)
    differing = int((pairs.unit_a != pairs.unit_b).any(axis=1).sum())
    kind = "segment" if pairs.clusters is None else "cluster"
    return *cautions(pairs, smooth=False), *too_few(differing, kind)


def degenerate(cloud: Cloud) -> tuple[str, ...]:
    """What to say, if anything, of a bootstrap cloud whose gaps are all the same."""
    if np.ptp(cloud.gaps) > cloud.slack:
        return ()
    return (f"the bootstrap cloud is degenerate: every resample gives the gap {cloud.gaps[0]:+.6g}, so its "
            "intervals have no width and say nothing about another test set",)


def too_few(differing: int, kind: str, alpha: float = 0.05) -> tuple[str, ...]:
    """What to say, if anything, of swaps of so few differing units that no p-value can be below alpha."""
    floor = min(1.0, 2 / 2**differing)
    if floor <= alpha:
        return ()
    return (f"the systems differ on {differing} {kind}{'s' * (differing != 1)}, so the smallest two-sided "
            f"p-value is {floor:.4g}: no p below {alpha:.4g} is possible",)


def bootstrap_stack(a: np.ndarray, b: np.ndarray, metric="bleu", draws: int = 1_000, seed=0) -> Cloud:
    """`bootstrap` for E experiments at once: a, b of shape (E, n, K), or (E, n) for a mean.

    Every experiment gets its own resamples. Returns a stacked `Cloud`, gaps (E, draws), without warnings:
    in loops of experiments they would come by the thousand; `stack_doubts` collects them. Raises ValueError
    as `PairedSet` and `bootstrap` do.
    """
    return _stack(a, b, metric, draws, seed, "bootstrap")


def randomize_stack(a: np.ndarray, b: np.ndarray, metric="bleu", draws: int = 1_000, seed=0) -> Cloud:
    """`randomize` for E experiments at once: a, b of shape (E, n, K), or (E, n) for a mean.

    Every experiment gets its own swaps, of all its n segments. Returns a stacked `Cloud`, gaps (E, draws),
    without warnings; `stack_doubts` collects them. Raises ValueError as `PairedSet` and `randomize` do.
    """
    return _stack(a, b, metric, draws, seed, "randomization")


def stack_doubts(cloud: Cloud, a: np.ndarray, b: np.ndarray, metric="bleu") -> tuple[tuple[str, ...], ...]:
    """What `bootstrap` or `randomize` would have warned of in each of the E experiments of a stacked cloud.

    a, b, metric: what the cloud was made from. Returns E tuples of texts, empty where nothing is doubtful.
    Raises ValueError for a cloud that is not a stack of these E experiments, and as `PairedSet` does.
    """
    rule = metrics.find(metric)
    a, b = (_statistics(name, x, rule, axes=3) for name, x in (("a", a), ("b", b)))
    if not isinstance(cloud, Cloud) or cloud.gaps.ndim != 2 or not len(cloud.gaps) == len(a) == len(b):
        raise ValueError(f"cloud must be the stack made from a and b, of {len(a)} and {len(b)} experiments; "
                         f"got {_checks.shown(cloud)}")
    scales, found = np.broadcast_to(cloud.score_scale, len(a)), []
    for x, y, gaps, observed, scale in zip(a, b, cloud.gaps, cloud.observed, scales):
        pairs = quietly(PairedSet, x, y, rule)  # an F1 of nothing is among the doubts
        found.append(_doubts(pairs, Cloud(gaps, observed, cloud.kind, score_scale=scale)))
    return tuple(found)


def _stack(a, b, metric, draws, seed, kind):
    _checks.draws(draws)
    rng = _checks.generator(seed)
    rule = metrics.find(metric)
    a, b = (_statistics(name, x, rule, axes=3) for name, x in (("a", a), ("b", b)))
    if a.shape != b.shape:
        raise ValueError(f"a and b must have the same shape (E, n, K); got {a.shape} and {b.shape}")
    a, b = with_counts(a, 3), with_counts(b, 3)
    _check_counts(a, b, rule)
    experiments, units = a.shape[:2]
    draws = _checks.draws(draws, experiments)
    if kind == "bootstrap" and units < 2:
        raise ValueError("a and b have 1 segment per experiment; the bootstrap needs at least 2 to resample")
    pooled_a, pooled_b = a.sum(axis=1), b.sum(axis=1)
    if not rule.columns:
        for which, pooled in (("a", pooled_a), ("b", pooled_b)):
            _check_function(rule, which, pooled[0])
    make, draw = (_resampler, _resamples) if kind == "bootstrap" else (_swapper, _bits)
    gaps = np.empty((experiments, draws))
    for start, rows in _chunks(experiments, draws * units):
        few = slice(start, start + rows)
        pooled = make(a[few], b[few])
        # One chunk of draws, unless a single experiment has more of them than fit.
        for first, some in _chunks(draws, rows * units):
            random = draw(rng, rows * some, units).reshape(rows, some, units)
            gaps[few, first:first + some] = rule.gap(*pooled(random))
    gaps[(a == b).all(axis=(1, 2))] = 0.0
    observed, scale = rule.gap(pooled_a, pooled_b), _tie_scale(rule, a, b, a, b, gaps)
    return Cloud(_finite(gaps, rule), observed, kind, False, scale)


# Pooled sums of a chunk of draws ------------------------------------------------------------------------

def _resampler(a: np.ndarray, b: np.ndarray) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The function from counts (..., draws, G) to both systems' pooled sums (..., draws, K)."""
    largest = max(a.max(), -a.min(), b.max(), -b.min())
    exact = a.dtype.kind == b.dtype.kind == "i" and a.shape[-2] * largest < FLOAT32_EXACT
    columns = a.shape[-1]
    sums = np.empty((*a.shape[:-1], 2 * columns), dtype=np.float32 if exact else np.float64)
    sums[..., :columns], sums[..., columns:] = a, b

    def pooled(counts):
        product = (counts.astype(sums.dtype) @ sums).astype(np.float64, copy=False)
        return np.split(product, 2, axis=-1)
    return pooled


def _swapper(
    a: np.ndarray, b: np.ndarray, differ=slice(None)
) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The function from bits (..., draws, G), 1 where outputs stay, to both systems' pooled sums.

    One product serves both systems: pseudo-A = sum B + bits (A - B), and pseudo-B is what is left.
    """
    pooled_b = b.sum(axis=-2, keepdims=True).astype(np.float64)
    both = a.sum(axis=-2, keepdims=True) + pooled_b
    size = (np.abs(a).sum(axis=-2) + np.abs(b).sum(axis=-2)).max()
    exact = a.dtype.kind == b.dtype.kind == "i" and size < FLOAT32_EXACT
    difference = (a - b)[..., differ, :].astype(np.float32 if exact else np.float64)
    # Last columns in which no unit differs, such as the counts of a mean, need no product.
    columns = a.shape[-1]
    while columns and not difference[..., columns - 1].any():
        columns -= 1
    difference = np.ascontiguousarray(difference[..., :columns])

    def pooled(kept):
        pseudo_a = np.repeat(pooled_b, kept.shape[-2], axis=-2)
        pseudo_a[..., :columns] += kept.astype(difference.dtype) @ difference
        return pseudo_a, both - pseudo_a
    return pooled


# Draws, a chunk at a time -------------------------------------------------------------------------------

def _chunks(draws: int, units: int, multiple: int = 1):
    """(start, rows) of chunks of draws that fit the cache; all but the last have a multiple of rows."""
    # glibc takes from one large block that it may keep blocks of a chunk's size; without it, each chunk
    # goes back to the system and the bootstrap spends more time on page faults than on draws.
    np.empty(1_000_000)
    rows = max(1, CHUNK_ENTRIES // max(1, units))
    rows += -rows % multiple
    for start in range(0, draws, rows):
        yield start, min(rows, draws - start)


def _resamples(rng, rows: int, units: int) -> np.ndarray:
    """Multinomial counts (rows, units) that sum to units."""
    index = rng.integers(units, size=(rows, units), dtype=np.int64)
    index += np.arange(0, rows * units, units, dtype=np.int64)[:, None]
    # bincount takes intp, which is int32 on Pyodide; the stream of draws is that of int64 everywhere.
    flat = index.ravel().astype(np.intp, copy=False)
    return np.bincount(flat, minlength=rows * units).reshape(rows, units)


def _bits(rng, rows: int, units: int) -> np.ndarray:
    """Random bits (rows, units); each row takes whole 64-bit words, so that no two rows share one."""
    words = rng.integers(2**64 - 1, size=(rows, -(-units // 64)), dtype=np.uint64, endpoint=True)
    return np.unpackbits(words.view(np.uint8), axis=1, count=units, bitorder="little")


def _patterns(start: int, rows: int, units: int) -> np.ndarray:
    """Swap patterns number start, start + 1, ... of the 2^units, as bits (rows, units)."""
    numbers = np.arange(start, start + rows, dtype=np.uint32)
    return (numbers[:, None] >> np.arange(units, dtype=np.uint32) & 1).astype(np.uint8)


# ---------------------------------------------------------------------------------------------------------

def _score_scale(pairs: PairedSet, gaps: np.ndarray) -> float:
    a, b = with_counts(pairs.a, 2), with_counts(pairs.b, 2)
    return float(_tie_scale(pairs.rule, a, b, pairs.unit_a, pairs.unit_b, gaps))


def _tie_scale(rule, a, b, unit_a, unit_b, gaps) -> np.ndarray:
    """The size of the scores of segments a, b (..., n, K), to which the slack for ties is relative (...).

    0 for means of integers over equal counts: their gaps are correctly rounded quotients of exact sums.
    """
    if rule.columns != MEAN_COLUMNS:
        scores = rule.score(a.sum(axis=-2)), rule.score(b.sum(axis=-2))
        return np.maximum(np.abs(scores).max(axis=0), np.abs(gaps).max(axis=-1))
    size = np.maximum(*(np.abs(x[..., 0]).sum(axis=-1) / x[..., 1].sum(axis=-1) for x in (a, b)))
    largest = max(np.abs(unit_a).max(), np.abs(unit_b).max()) * unit_a.shape[-2]
    whole = a.dtype.kind == b.dtype.kind == "i" and largest < FLOAT64_EXACT
    return np.where(whole & (unit_a[..., 1] == unit_b[..., 1]).all(axis=-1), 0.0, size)


def _finite(gaps, rule):
    broken = np.count_nonzero(~np.isfinite(gaps))
    if broken:
        raise ValueError(
            f"metric {rule.name!r} must give finite scores; {broken} of {gaps.size} draws gave none"
        )
    return gaps


def _check_order(order, pairs):
    _checks.choice("order", order, ("fast", "sacrebleu"))
    if order == "sacrebleu" and pairs.clusters is not None:
        raise ValueError("order='sacrebleu' draws segments, but pairs has clusters; use order='fast'")
