"""Training runs crossed with test segments: the bootstrap of a mean over runs.

Every run of a system is scored on the same segments. A replicate draws one resample of segments,
used for every run of both systems, and runs for each system; it computes the metric run by run on
the resample and averages the drawn runs. Scores of different runs are never pooled: that would be
the score of a mixture of systems.
"""

from __future__ import annotations


import numpy as np

from sigbook import _checks, metrics
from sigbook.clouds import Cloud, _chunks, _finite, _resamples
from sigbook.pairs import _check_function, _statistics, with_counts

_CHUNK = 2**19  # segments times draws worked on at once
_FEW_RUNS = 5


def crossed_bootstrap(
    stats_a, stats_b, metric, paired_runs=False, draws=10_000, seed=0
) -> Cloud:
    """Bootstrap cloud of the gap between two systems' mean scores over runs, A minus B.

    Owen and Eckles (2012, sections 2-4) give the variance of means under such crossed reweighting.
    For other metrics, and with few runs, coverage is not proved: a design to be checked.

    Parameters
    ----------
    stats_a, stats_b: arrays (R, n, K) of sufficient statistics: R runs on the same n segments, with
        the columns that `PairedSet` takes for the metric; (R, n) segment scores for ``"mean"``. R
        is at least 2 in each and may differ, n is at least 2 and may not. Where groups of segments
        were sampled, give sums per group, n being their number.
    metric: as in `PairedSet`.
    paired_runs: draw runs of the two systems as pairs (run i of A with run i of B), for runs that
        share what varies, such as the training set. A seed number in common is no pairing.
    draws: number of resamples. seed: int, SeedSequence or Generator.

    Returns a `Cloud` of kind ``"bootstrap"``. Raises ``ValueError`` for one run (nothing can be
    said about runs), one segment, unequal segments or, with ``paired_runs``, unequal numbers of
    runs, and for statistics that `PairedSet` refuses. Warns when a system has fewer than five runs
    and when every replicate gives the same gap.
    """
    rule = metrics.find(metric)
    a, b = _runs("stats_a", stats_a, rule), _runs("stats_b", stats_b, rule)
    if a.shape[1:] != b.shape[1:]:
        raise ValueError(
            "stats_a and stats_b must have the same segments and columns; got shapes "
            f"{a.shape} and {b.shape}"
        )
    paired_runs = _checks.flag("paired_runs", paired_runs)
    if paired_runs and len(a) != len(b):
        raise ValueError(
            "stats_a and stats_b must have equally many runs for paired_runs=True; got "
            f"{len(a)} and {len(b)}"
        )
    draws = _checks.draws(draws, max(len(a), len(b)))
    rng = _checks.generator(seed)
    n = a.shape[1]
    runs_a = _shares(rng, draws, len(a))
    runs_b = runs_a if paired_runs else _shares(rng, draws, len(b))
    gaps = np.empty(draws)
    rows = max(1, _CHUNK // n)
    for start in range(0, draws, rows):
        few = slice(start, min(start + rows, draws))
        counts = _resamples(rng, few.stop - start, n).astype(np.float64)
        gaps[few] = _mean_score(rule, counts, a, runs_a[few])
        gaps[few] -= _mean_score(rule, counts, b, runs_b[few])
    whole = np.ones((1, n))
    scores = [_mean_score(rule, whole, x, np.full((1, len(x)), 1 / len(x)))[0] for x in (a, b)]
    scale = max(abs(scores[0]), abs(scores[1]), float(np.abs(gaps).max()))
    cloud = Cloud(_finite(gaps, rule), float(scores[0] - scores[1]), "bootstrap", False, scale)
    fewest = min(len(a), len(b))
    if fewest < _FEW_RUNS:
        _checks.doubt(
            f"{fewest} runs of a system: resampling them shows on average {fewest - 1}/{fewest} of "
            "the variance between runs, and no run better or worse than these"
        )
    if np.ptp(gaps) <= cloud.slack:
        _checks.doubt(f"the cloud is degenerate: every replicate gives the gap {gaps[0]:+.6g}")
    return cloud


def _runs(name: str, x, rule) -> np.ndarray:
    """Statistics (R, n, K), float64, with at least two runs and two segments."""
    x = with_counts(_statistics(name, x, rule, axes=3), 3)
    for axis, what in ((0, "runs"), (1, "segments")):
        if x.shape[axis] < 2:
            raise ValueError(
                f"{name} must hold at least 2 {what} to resample; got an array of shape {x.shape}"
            )
    if not rule.columns:
        _check_function(rule, name, x.sum(axis=1)[0])
    return x.astype(np.float64)


def _shares(rng, draws: int, runs: int) -> np.ndarray:
    """The share of each run in each draw (draws, runs)."""
    shares = np.empty((draws, runs))
    for start, rows in _chunks(draws, runs):
        shares[start : start + rows] = _resamples(rng, rows, runs) / runs
    return shares


def _mean_score(rule, counts: np.ndarray, x: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Scores of the runs x (R, n, K) on resamples (rows, n), averaged with run shares (rows, R)."""
    runs, n, columns = x.shape
    pooled = counts @ x.transpose(1, 0, 2).reshape(n, runs * columns)
    scores = rule.score(pooled.reshape(len(counts), runs, columns))
    with np.errstate(invalid="ignore"):  # of infinite scores, which are refused later, in words
        return (shares * scores).sum(axis=1)
