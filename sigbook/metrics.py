"""Corpus metrics as functions of pooled sums.

A corpus metric is M = g(sum of per-segment statistics s_i), with s_i in R^K. Everything that resamples works
on the sums, so a metric here is g, its gradient and the number K of statistics.

Symbols: c, r candidate and closest reference length; m1..m4 clipped n-gram matches; t1..t4 n-gram totals.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sigbook import _checks

BLEU_COLUMNS = ("c", "r", "m1", "m2", "m3", "m4", "t1", "t2", "t3", "t4")
F1_COLUMNS = ("tp", "predicted", "gold")
MEAN_COLUMNS = ("sum", "count")
LARGEST_TOTAL = 1e75  # BLEU multiplies four totals, which must stay finite
LARGEST_SCORE = 1e300  # sums of gaps must stay finite, too; beyond, a function's score counts as infinite


@dataclass(frozen=True)
class Metric:
    """g with its gradient; `columns` names the statistics, empty when any number of them is allowed."""

    name: str
    columns: tuple[str, ...]
    score: Callable[[np.ndarray], np.ndarray]
    gradient: Callable[[np.ndarray], np.ndarray]
    counts: bool = True

    def gap(self, pooled_a: np.ndarray, pooled_b: np.ndarray) -> np.ndarray:
        """g(pooled_a) - g(pooled_b), shape (...)."""
        return self.score(pooled_a) - self.score(pooled_b)


class _Mean(Metric):
    def gap(self, pooled_a, pooled_b):
        # One division keeps equal integer sums equal: 3/10 - 1/10 is not 2/10 in floating point.
        joint = (pooled_a[..., 0] - pooled_b[..., 0]) / pooled_a[..., 1]
        same = pooled_a[..., 1] == pooled_b[..., 1]
        return joint if same.all() else np.where(same, joint, super().gap(pooled_a, pooled_b))


class _Function(Metric):
    def gap(self, pooled_a, pooled_b):
        with np.errstate(invalid="ignore"):  # of infinite scores, which are refused later, in words
            return super().gap(pooled_a, pooled_b)


def bleu(pooled: np.ndarray) -> np.ndarray:
    """Corpus BLEU of pooled statistics (..., 10), a fraction; 0 when some order has no match.

    exp(min(0, 1 - r/c)) times the geometric mean of the four n-gram precisions
    (Papineni et al. 2002, section 2.3), without smoothing.
    """
    return _bleu_of(_checked(pooled, BLEU_COLUMNS))


def _bleu_of(pooled):
    return _bleu(*_columns(pooled))


def bleu_exp(pooled: np.ndarray) -> np.ndarray:
    """Corpus BLEU with sacreBLEU's default smoothing ("exp"), a fraction; pooled (..., 10).

    The k-th order without a match counts 2^-k matches, and no match at all scores 0 (method 3 of Chen and
    Cherry 2014, as in sacreBLEU's BLEU.compute_bleu).
    """
    return _bleu_exp_of(_checked(pooled, BLEU_COLUMNS))


def _bleu_exp_of(pooled):
    columns = _columns(pooled)
    return _bleu(*columns[:2], *_smoothed(columns[2:6]), *columns[6:])


def _columns(pooled):
    """The columns of pooled sums (..., K), shape (K, ...)."""
    return np.moveaxis(np.asarray(pooled, dtype=np.float64), -1, 0)


def _smoothed(m: np.ndarray) -> np.ndarray:
    missing = m == 0
    if not missing.any():
        return m
    halved = 0.5 ** np.cumsum(missing, axis=0)
    return np.where(missing & ~missing.all(axis=0), halved, m)


def _bleu(c, r, m1, m2, m3, m4, t1, t2, t3, t4):
    matches, totals = m1 * m2 * m3 * m4, t1 * t2 * t3 * t4
    scored = (matches > 0) & (totals > 0) & (c > 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # of what is not scored
        score = np.exp(np.minimum(0.0, 1.0 - r / c)) * np.sqrt(np.sqrt(matches / totals))
    return score if scored.all() else np.where(scored, score, 0.0)


def bleu_gradient(pooled: np.ndarray) -> np.ndarray:
    """Gradient of `bleu` at pooled statistics (10,): g times (r/c^2, -1/c, 1/(4 m_n), -1/(4 t_n)).

    The two length entries are 0 where c >= r. All entries are NaN where BLEU is 0, which has no gradient.
    """
    return _bleu_gradient(_checked(pooled, BLEU_COLUMNS, (1,)), _bleu_of)


def _bleu_gradient_of(pooled):
    return _bleu_gradient(np.asarray(pooled, dtype=np.float64), _bleu_of)


def _bleu_exp_gradient(pooled):
    # An order that no segment matches keeps its smoothed count on every resample: it is a constant.
    return _bleu_gradient(np.asarray(pooled, dtype=np.float64), _bleu_exp_of)


def _bleu_gradient(pooled, score):
    g = float(score(pooled))
    if g == 0:
        return np.full(pooled.shape, np.nan)
    c, r, m, t = pooled[0], pooled[1], pooled[2:6], pooled[6:]
    matched = np.divide(0.25, m, out=np.zeros(4), where=m > 0)
    lengths = (r / c**2, -1 / c) if c < r else (0.0, 0.0)
    return g * np.concatenate([lengths, matched, -0.25 / t])


def f1(pooled: np.ndarray) -> np.ndarray:
    """F1 = 2 tp / (predicted + gold) of pooled counts (..., 3); 0 when nothing is predicted or gold."""
    return _f1_of(_checked(pooled, F1_COLUMNS))


def _f1_of(pooled):
    pooled = np.asarray(pooled, dtype=np.float64)
    size = pooled[..., 1] + pooled[..., 2]
    with np.errstate(over="ignore"):  # of more hits than guesses, which no count gives
        return 2 * pooled[..., 0] / np.where(size > 0, size, np.inf)


def _f1_gradient(pooled):
    tp, size = float(pooled[0]), float(pooled[1] + pooled[2])
    if size == 0:
        return np.full(np.shape(pooled), np.nan)
    return np.array([2 / size, -2 * tp / size**2, -2 * tp / size**2])


def mean(pooled: np.ndarray) -> np.ndarray:
    """P_1 / P_2 of pooled (sum, count), shape (..., 2): the mean of segment scores."""
    return _mean_of(_checked(pooled, MEAN_COLUMNS))


def _mean_of(pooled):
    pooled = np.asarray(pooled, dtype=np.float64)
    return pooled[..., 0] / pooled[..., 1]


def _mean_gradient(pooled):
    total, size = float(pooled[0]), float(pooled[1])
    return np.array([1 / size, -total / size**2])


METRICS = {
    "bleu": Metric("bleu", BLEU_COLUMNS, _bleu_of, _bleu_gradient_of),
    "bleu-exp": Metric("bleu-exp", BLEU_COLUMNS, _bleu_exp_of, _bleu_exp_gradient),
    "f1": Metric("f1", F1_COLUMNS, _f1_of, _f1_gradient),
    "mean": _Mean("mean", MEAN_COLUMNS, _mean_of, _mean_gradient, counts=False),
}


def _checked(pooled, columns, dims=None):
    """Pooled sums (..., K) as float64; what is no such array is refused here and not in every chunk of draws."""
    array = _checks.numbers("pooled", pooled, dims, float)
    if array.shape[-1:] != (len(columns),):
        raise ValueError(f"pooled must have {len(columns)} columns ({', '.join(columns)}) on its last axis; got an "
                         f"array of shape {array.shape}")
    if np.abs(array).max() > LARGEST_TOTAL:
        raise ValueError(f"pooled must hold sums of at most {LARGEST_TOTAL:g}; got {np.abs(array).max():g}")
    return array


def find(metric: str | Callable[[np.ndarray], np.ndarray]) -> Metric:
    """The `Metric` of a name, or of a function from pooled sums (..., K) to scores (...).

    A function works on a float64 copy of the sums and gets a gradient by central differences; what it raises
    comes out as a ValueError, as do scores of another shape. Raises ValueError for an unknown name.
    """
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        name = called(metric, "metric")
        score = _guarded(metric, name)
        return _Function(name, (), score, _numeric_gradient(score), counts=False)
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(f"metric is {_checks.shown(metric)}; allowed are {', '.join(map(repr, METRICS))} "
                         "or a function from pooled sums (..., K) to scores (...)")
    return METRICS[metric]


def called(function, otherwise: str) -> str:
    """The name of a reader's own function, or ``otherwise`` of an object without a fit one."""
    try:
        return function.__name__ if isinstance(function.__name__, str) else otherwise
    except Exception:
        return otherwise


def _guarded(metric, name):
    duty = f"metric {name!r} must map pooled sums of shape (..., K) to scores of shape (...)"

    def score(pooled):
        pooled = np.array(pooled, dtype=np.float64)
        shape = pooled.shape
        try:
            # What is not finite is refused later, in words; NumPy's warnings would only come before.
            with np.errstate(all="ignore"):
                scores = np.asarray(metric(pooled), dtype=np.float64)
        except Exception as error:
            raise ValueError(f"{duty}; on shape {shape} it raised {type(error).__name__}: {error}") from error
        if scores.shape != shape[:-1]:
            raise ValueError(f"{duty}; {shape} gave {scores.shape}")
        return np.where(np.abs(scores) > LARGEST_SCORE, np.copysign(np.inf, scores), scores)
    return score


def _numeric_gradient(score):
    def gradient(pooled):
        pooled = np.asarray(pooled, dtype=np.float64)
        step = 1e-6 * np.maximum(np.abs(pooled), 1e-3 * np.abs(pooled).max())
        shifts = np.diag(step)
        with np.errstate(all="ignore"):
            return (score(pooled + shifts) - score(pooled - shifts)) / (2 * step)
    return gradient


def bleu_statistics(hypotheses: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]],
                    tokenize: str = "13a") -> np.ndarray:
    """The sufficient statistics of corpus BLEU, one row per segment, as sacreBLEU counts them.

    hypotheses: n strings. references: n strings, or a list of such lists, one per reference. tokenize: a
    tokenizer that sacreBLEU knows. Returns (n, 10) int64 with columns c, r, m1..m4, t1..t4; r is the
    reference length closest to c. An empty hypothesis keeps its row.
    Raises ValueError for no segments, unequal lengths, values that are not strings, a tokenizer that is
    unknown or needs a package that is not installed.
    """
    hypotheses = _strings("hypotheses", hypotheses)
    if not hypotheses:
        raise ValueError("hypotheses has no segments; at least 1 is needed")
    streams = _list("references", references)
    if not streams:
        raise ValueError("references is empty; allowed are n strings, or a list of such lists")
    if isinstance(streams[0], str):
        streams = [_strings("references", streams)]
    else:
        streams = [_strings(f"references[{k}]", stream) for k, stream in enumerate(streams)]
    for k, stream in enumerate(streams):
        if len(stream) != len(hypotheses):
            raise ValueError(f"references: list {k + 1} of {len(streams)} has {len(stream)} segments, hypotheses "
                             f"has {len(hypotheses)}; both need the same number (one list per reference)")
    metric = sacrebleu_bleu(tokenize, effective_order=True)
    rows = []
    for hypothesis, *own in zip(hypotheses, *streams):
        found = metric.sentence_score(hypothesis, own)
        rows.append([found.sys_len, found.ref_len, *found.counts, *found.totals])
    return np.array(rows, dtype=np.int64)


def sacrebleu_bleu(tokenize: str | None, **options):
    """sacreBLEU's BLEU object with a tokenizer (None: its default); ValueError when it cannot be had."""
    try:
        from sacrebleu.metrics import BLEU
    except ImportError as error:
        raise ValueError(
            "BLEU of texts needs sacreBLEU, which is not installed: pip install 'sigbook[text]'"
        ) from error

    try:
        if not isinstance(tokenize, str | None):
            raise TypeError("the name of a tokenizer is a string")
        return BLEU(tokenize=tokenize, **options)
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"tokenize is {_checks.shown(tokenize)}; allowed are sacreBLEU's tokenizers, such as "
                         f"{', '.join(map(repr, sorted(BLEU.TOKENIZERS)))}") from error
    except (ImportError, RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"tokenize is {tokenize!r}, which cannot be used here: {reason}") from error


def _list(name, values):
    if isinstance(values, (str, bytes)):
        raise ValueError(f"{name} is one string; a list with one string per segment is needed")
    if isinstance(values, (dict, set, frozenset)):
        raise ValueError(f"{name} is a {type(values).__name__}, without an order of segments; a list is needed")
    if not isinstance(values, np.ndarray) and _checks.axes(values, 1) != 1:
        raise ValueError(f"{name} is a {type(values).__name__}; a list with one string per segment is needed")
    found = []
    try:
        for value in values:
            found.append(value)
            if not hasattr(value, "__iter__"):
                break  # what comes may have no end, and it is refused anyway
    except Exception as error:
        raise ValueError(f"{name} is {_checks.shown(values)}; a list with one string per segment is needed") from error
    return found


def _strings(name, values):
    values = _list(name, values)
    for i, value in enumerate(values):
        if not isinstance(value, str):
            raise ValueError(f"{name}[{i}] is {_checks.shown(value)}; every segment must be a string (an empty one is "
                             "allowed)")
    return values
