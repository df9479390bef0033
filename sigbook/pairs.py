"""A paired evaluation set: two systems, the same segments, sufficient statistics for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sigbook import _checks, metrics
from sigbook.metrics import BLEU_COLUMNS, F1_COLUMNS, LARGEST_TOTAL, MEAN_COLUMNS, Metric

MATCHED_4GRAMS = 50
FLOAT64_EXACT = 2**53
SMALLEST_COUNT = 1e-60  # and four matches, which must not vanish
COMPARABLE = 1e9


@dataclass(frozen=True, eq=False)
class PairedSet:
    """Two systems' sufficient statistics on the same n segments (the book's def-corpus-metric).

    Parameters
    ----------
    a, b: arrays (n, K) of sufficient statistics per segment; (n,) segment scores for ``"mean"``.
    metric: ``"bleu"`` (columns c, r, m1..m4, t1..t4; 0 when an order has no match), ``"bleu-exp"``
        (the same with sacreBLEU's default smoothing), ``"f1"`` (columns tp, predicted, gold),
        ``"mean"``, or a function from pooled sums (..., K) to scores (...) that does not change
        when every sum is multiplied by one constant.
    clusters: n labels of the groups that were sampled together, or None.
    names: what the two systems are called in reports.

    Attributes ``n``, ``score_a``, ``score_b`` and ``gap`` (A minus B) are fractions: 0.266, not 26.6.
    The arrays are read-only copies. Raises ValueError for unequal shapes, a wrong number of columns,
    no segments, NaN, infinite or negative counts, an unknown metric, a function that fails, is not
    finite or not homogeneous of degree 0, or labels that are not n in number. Warns when F1 has
    nothing to count.
    """

    a: np.ndarray
    b: np.ndarray
    metric: str | Callable[[np.ndarray], np.ndarray] = "bleu"
    clusters: Sequence | np.ndarray | None = None
    names: tuple[str, str] = ("A", "B")
    rule: Metric = field(init=False)
    unit_a: np.ndarray = field(init=False)
    unit_b: np.ndarray = field(init=False)
    unit_of: np.ndarray | None = field(init=False)
    score_a: float = field(init=False)
    score_b: float = field(init=False)
    gap: float = field(init=False)

    def __post_init__(self):
        rule = metrics.find(self.metric)
        a, b = _statistics("a", self.a, rule), _statistics("b", self.b, rule)
        if a.shape != b.shape:
            raise ValueError(
                f"a and b must have the same shape, one row per segment; got {a.shape} and {b.shape}"
            )
        listed = isinstance(self.names, Sequence | np.ndarray) and _checks.axes(self.names, 1) == 1
        names = tuple(self.names) if listed else ()
        if isinstance(self.names, str) or len(names) != 2 or not all(isinstance(x, str) for x in names):
            raise ValueError(f"names must be two strings; got {_checks.shown(self.names)}")
        sums_a, sums_b = with_counts(a, 2), with_counts(b, 2)
        _check_counts(sums_a, sums_b, rule)
        clusters = unit_of = None
        if self.clusters is not None:
            clusters = _checks.kept(self.clusters, len(a))
            units, unit_of = _checks.labels("clusters", clusters, len(a))
            # As objects, labels stay what they are: an array of "1" and 1, or of tuples, would change them.
            clusters = (clusters.copy() if isinstance(clusters, np.ndarray)
                        else np.fromiter(clusters, dtype=object, count=len(a)))
            sums_a, sums_b = group_sums(sums_a, unit_of, units), group_sums(sums_b, unit_of, units)
        pooled_a, pooled_b = sums_a.sum(axis=0), sums_b.sum(axis=0)
        if not rule.columns:
            for which, pooled in (("a", pooled_a), ("b", pooled_b)):
                _check_function(rule, which, pooled)
        for name, value in {
            "a": a, "b": b, "clusters": clusters, "names": names, "rule": rule,
            "unit_a": sums_a, "unit_b": sums_b, "unit_of": unit_of,
            "score_a": float(rule.score(pooled_a)), "score_b": float(rule.score(pooled_b)),
            "gap": float(rule.gap(pooled_a, pooled_b)),
        }.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)
        _checks.doubt(*_f1_cautions(self), stacklevel=4)

    @property
    def n(self) -> int:
        """Number of segments."""
        return len(self.a)

    @property
    def units(self) -> int:
        """Number of units that are resampled or swapped whole: clusters if given, else segments."""
        return len(self.unit_a)

    def __repr__(self):
        grouped = "" if self.clusters is None else f" in {self.units} clusters"
        return (
            f"PairedSet({self.rule.name}, {self.n} segments{grouped}: {self.names[0]} {self.score_a:.4f}, "
            f"{self.names[1]} {self.score_b:.4f}, gap {self.gap:+.4f})"
        )


def paired(pairs) -> PairedSet:
    """`pairs` itself; raises ValueError for anything but a PairedSet."""
    if not isinstance(pairs, PairedSet):
        raise ValueError(f"pairs must be a PairedSet; got {_checks.shown(pairs)}")
    return pairs


def _statistics(name, x, rule, axes=2):
    """Statistics (n, K), or (n,) for a mean; (E, n, K) or (E, n) with `axes` 3.

    Whole numbers are int64 while n times the largest stays below 2^53, so that no sum of them is ever
    rounded and ties stay exact; all else is float64.
    """
    x = _booleans_as_counts(x)
    is_mean = rule.columns == MEAN_COLUMNS
    x = _checks.numbers(name, x, (axes - 1, axes) if is_mean or rule.columns and axes == 2 else (axes,))
    columns = x.shape[axes - 1:]
    if is_mean and columns == (1,):
        x, columns = x.squeeze(-1), ()
    if rule.columns and columns != (len(rule.columns),) and (columns or not is_mean):
        needed = "" if columns else "; scores of segments need metric='mean'"
        raise ValueError(
            f"{name} must have {len(rule.columns)} columns ({', '.join(rule.columns)}) for metric "
            f"{rule.name!r}; got an array of shape {x.shape}{needed}"
        )
    if rule.counts and x.min() < 0:
        where = tuple(int(i) for i in np.argwhere(x < 0)[0])
        raise ValueError(
            f"{name} must hold counts >= 0; got {name}[{', '.join(map(str, where))}] "
            f"({rule.columns[where[-1]]}) = {x[where]}"
        )
    if is_mean and columns and x[..., 1].min() <= 0:
        where = tuple(int(i) for i in np.argwhere(x[..., 1] <= 0)[0])
        raise ValueError(
            f"{name} must hold counts > 0 in its second column; got "
            f"{name}[{', '.join(map(str, where))}, 1] = {x[where][1]}"
        )
    largest = x.shape[axes - 2] * max(abs(x.max().item()), abs(x.min().item()))
    if largest > LARGEST_TOTAL:
        raise ValueError(
            f"{name} must sum to at most {LARGEST_TOTAL:g}; got entries up to {np.abs(x).max():g}"
        )
    if largest >= FLOAT64_EXACT:
        return x.astype(np.float64)
    return x.astype(np.int64) if (x == np.rint(x)).all() else x


def _booleans_as_counts(x):
    try:
        array = np.asanyarray(x)
    except Exception:  # the next check says what is wrong
        return x
    return array.astype(np.int64) if array.dtype.kind == "b" else x


def _check_counts(a, b, rule):
    """Refuse counts that are not whole and so far apart that sums lose the smaller ones.

    A swap of 1 and 1e20 leaves 1e20 + (1 - 1e20) = 0 where 1 should stand, and a score divides by it.
    """
    if a.dtype.kind == b.dtype.kind == "i" or not rule.columns:
        return
    first = 0 if rule.counts else 1
    counts = np.concatenate([x[..., first:].ravel() for x in (a, b)])
    counts = counts[counts > 0]
    if counts.max() > COMPARABLE * counts.min() or counts.min() < SMALLEST_COUNT:
        raise ValueError(
            f"a and b must hold whole counts, or counts of at least {SMALLEST_COUNT:g} within a factor of "
            f"{COMPARABLE:g} of each other; got {counts.min():g} and {counts.max():g}"
        )


def with_counts(x: np.ndarray, axes: int) -> np.ndarray:
    """Statistics with `axes` axes, the last over columns; plain scores get their count of one."""
    return x if x.ndim == axes else np.stack([x, np.ones_like(x)], axis=-1)


def group_sums(x: np.ndarray, unit_of: np.ndarray, units: int) -> np.ndarray:
    """Sums (units, K) of the rows of x (n, K) over the unit that each belongs to."""
    sums = np.zeros((units, x.shape[1]), dtype=x.dtype)
    np.add.at(sums, unit_of, x)
    return sums


def _check_function(rule, which, pooled):
    """Refuse a metric function that does not do what it must on the sums of system `which`."""
    pooled = pooled.astype(np.float64)
    stacked = np.outer([1.0, 2.0, 1.0 / 3.0], pooled)
    scores = np.concatenate([rule.score(x).ravel() for x in (stacked, pooled, stacked[:, None])])
    if not np.isfinite(scores).all():
        raise ValueError(
            f"metric {rule.name!r} must give finite scores; the sums of {which} or multiples of them gave "
            f"{scores[~np.isfinite(scores)][0]}"
        )
    far = np.abs(scores - scores[0]) > 1e-9 * np.abs(scores).max()
    if far.any():
        k = int(far.argmax())
        same, *others = "the same sums", "twice the sums", "a third of the sums"
        multiple = (same, *others, same, same, *others)[k]
        raise ValueError(
            f"metric {rule.name!r} must be homogeneous of degree 0 (unchanged when every sum is multiplied "
            f"by one constant); the sums of {which} gave {scores[0]:.6g}, {multiple} {scores[k]:.6g}"
        )


def cautions(pairs: PairedSet, smooth: bool = True) -> tuple[str, ...]:
    """What makes a result on these data doubtful, in words.

    BLEU at 0 always counts; with `smooth`, what breaks the bootstrap and the delta method as well: fewer
    than 50 pooled matched 4-grams, and the brevity penalty's kink (the systems differ in length somewhere
    and c/r of one lies within 2 standard errors of 1). An F1 of nothing counts too.
    """
    if pairs.rule.columns != BLEU_COLUMNS:
        return _f1_cautions(pairs)
    found = []
    lengths_differ = bool((pairs.a[:, 0] != pairs.b[:, 0]).any())
    for name, units, score in zip(
        pairs.names, (pairs.unit_a, pairs.unit_b), (pairs.score_a, pairs.score_b)
    ):
        pooled = units.sum(axis=0).astype(np.float64)
        if score == 0:
            found.append(f"{name}: BLEU is 0, because some n-gram order has no match")
        if not smooth:
            continue
        if pooled[5] < MATCHED_4GRAMS:
            found.append(
                f"{name}: only {pooled[5]:g} matched 4-grams in all (fewer than {MATCHED_4GRAMS}), too few for "
                "the bootstrap and the delta method to describe BLEU's spread"
            )
        if lengths_differ and pooled[1] > 0:
            ratio = pooled[0] / pooled[1]
            error = np.sqrt(((units[:, 0] - ratio * units[:, 1]) ** 2).sum()) / pooled[1]
            if abs(ratio - 1) < 2 * error:
                found.append(
                    f"{name}: c/r = {ratio:.4f} lies within 2 standard errors ({error:.4f}) of 1, the brevity "
                    "penalty's kink, where bootstrap intervals can fail"
                )
    return tuple(found)


def _f1_cautions(pairs):
    if pairs.rule.columns != F1_COLUMNS:
        return ()
    return tuple(
        f"{name}: nothing is predicted and nothing is gold, so F1 is set to 0"
        for name, units in zip(pairs.names, (pairs.unit_a, pairs.unit_b)) if not units[:, 1:].any()
    )
