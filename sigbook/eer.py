"""Equal error rate of a detector, and the group bootstrap of the gap between two detectors.

A trial has label 1 (target) or 0 (non-target) and a score, higher for more target-like. Accepting
the trials at or above a threshold gives two errors: FAR, the share of non-targets accepted, and
FRR, the share of targets rejected. As the threshold falls, (FAR, FRR) walks from (0, 1) to (1, 0),
one straight step per distinct score, tied trials together; the EER is where the polygon meets
FAR = FRR.

P and N are the weights of all targets and non-targets, TP and FP of those accepted. FRR - FAR times
P N is (P - TP) N - FP P, the lead, which only falls along the walk.
"""

from __future__ import annotations

import numpy as np

from sigbook import _checks
from sigbook.clouds import Cloud, _resamples

_CHUNK = 2**18  # trials times draws worked on at once


def eer(labels, scores, weights=None) -> float:
    """Equal error rate, a fraction: 0 when targets and non-targets separate, 1 when inverted.

    Parameters
    ----------
    labels: (n,) ones for targets and zeros for non-targets.
    scores: (n,) finite scores, higher is more target-like. Only their order and ties matter.
    weights: (n,) multiplicities >= 0, or None for 1 each.

    The crossing is on the linearly interpolated (FAR, FRR) polygon; when all scores tie it is 0.5.
    Raises ``ValueError`` when a class has no trial (or no weight): there is no EER then.
    """
    labels = _labels(labels)
    scores = _scores("scores", scores, len(labels))
    if weights is None:
        weights = np.ones(len(labels))
    else:
        weights = _checks.vector("weights", weights, length=len(labels))
        if weights.min() < 0:
            i = int(weights.argmin())
            raise ValueError(f"weights must be >= 0; got weights[{i}] = {weights[i]:g}")
    for value, kind in ((1, "target"), (0, "non-target")):
        if not weights[labels == value].any():
            raise ValueError(
                f"labels must hold both classes; got no {kind} (label {value}) of weight > 0"
            )
        weights[labels == value] = _checks.scaled(weights[labels == value])[0]  # only their ratios matter
    return _Walk(labels, scores).eer(weights[None, :]).item()


def bootstrap_eer(
    labels, scores_a, scores_b, groups, kind="pooled", draws=10_000, seed=0
) -> Cloud:
    """Bootstrap cloud of the EER gap, A minus B: whole groups are drawn, the same for both.

    The EER is an error: a positive gap means that A does worse. A group drawn twice counts twice,
    and every replicate sweeps its own threshold.

    Parameters
    ----------
    labels: (n,) ones for targets and zeros for non-targets.
    scores_a, scores_b: (n,) scores of the two detectors on the same trials.
    groups: n labels of what was sampled (sources, speakers); at least two.
    kind: ``"pooled"``, the EER of all drawn trials under one threshold; ``"macro"``, the mean over
        drawn groups of each group's own EER, for which every group needs both classes.
    draws: number of resamples. seed: int, SeedSequence or Generator.

    Returns a `Cloud` of kind ``"bootstrap"``. A pooled draw without targets or without non-targets
    has no EER; ``invalid`` counts these draws, the gaps are those of the others, and a
    `SignificanceWarning` says so. Raises ``ValueError`` for unequal lengths, one group, a class
    missing from the data (``"pooled"``) or from a group (``"macro"``, naming it), and when no draw
    has both classes.
    """
    labels = _labels(labels)
    scores_a = _scores("scores_a", scores_a, len(labels))
    scores_b = _scores("scores_b", scores_b, len(labels))
    groups = _checks.kept(groups, len(labels))
    count, number = _checks.labels("groups", groups, len(labels))
    kind = _checks.choice("kind", kind, ("pooled", "macro"))
    draws = _checks.draws(draws)
    rng = _checks.generator(seed)
    if count < 2:
        raise ValueError("groups must hold at least 2 different labels to resample; got 1")
    if kind == "macro":
        _check_groups(labels, groups, number, count)
    gap_of = eer_gaps(labels, scores_a, scores_b, number, count, kind)
    observed = gap_of(np.ones((1, count), dtype=np.int64)).item()
    if np.isnan(observed):
        raise ValueError(
            "labels must hold trials of both classes; "
            f"got {int(labels.sum())} targets among {len(labels)} trials"
        )
    gaps = np.empty(draws)
    rows = max(1, _CHUNK // len(labels))
    for start in range(0, draws, rows):
        counts = _resamples(rng, min(rows, draws - start), count)
        gaps[start : start + rows] = gap_of(counts.astype(np.int64))
    valid = gaps[~np.isnan(gaps)]
    if not len(valid):
        raise ValueError(
            f"groups must give draws with both classes; got {draws} draws, none with both"
        )
    invalid = draws - len(valid)
    if invalid:
        _checks.doubt(
            f"{invalid} of {draws} draws hold no trial of one class and have no EER; the cloud is "
            "that of the other draws, not of all resamples"
        )
    return Cloud(valid, observed, "bootstrap", False, 1.0, invalid)


def eer_gaps(labels, scores_a, scores_b, number, count, kind):
    """The function from group multiplicities (draws, count) to EER gaps (draws,).

    labels, scores as in `bootstrap_eer`, already arrays; number (n,) int64 numbers the trials'
    groups from 0 to count - 1. A draw without a class gives NaN. Enumerating the multiplicities
    enumerates the bootstrap.
    """
    if kind == "macro":
        own = np.empty(count)
        for group in range(count):
            inside = number == group
            one = np.ones((1, int(inside.sum())))
            a, b = (_Walk(labels[inside], s[inside]).eer(one).item() for s in (scores_a, scores_b))
            own[group] = a - b
        return lambda drawn: (drawn * own).sum(axis=1) / drawn.sum(axis=1)
    walks = [_Walk(labels, scores, number) for scores in (scores_a, scores_b)]

    def gap_of(multiplicities):
        a, b = (walk.eer(multiplicities) for walk in walks)
        return a - b

    return gap_of


class _Walk:
    """The walk of one detector's threshold down its sorted trials, for any weights of its units.

    targets, others: the unit of each target and non-target in the order of the walk. steps: how many
    distinct scores there are. ends: how many of each are accepted after 0, 1, 2, ... of them.
    """

    def __init__(self, labels, scores, number=None):
        order = np.argsort(scores)[::-1]
        target = labels[order].astype(bool)
        unit = order if number is None else number[order]
        ordered = scores[order]
        last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(order) - 1)
        self.targets, self.others, self.steps = unit[target], unit[~target], len(last)
        self.ends = tuple(
            np.concatenate([[0], np.cumsum(kind)[last]]) for kind in (target, ~target)
        )

    def eer(self, weights: np.ndarray) -> np.ndarray:
        """EER for each row of unit weights (rows, units); NaN where a class has no weight."""
        hits, alarms = _totals(weights, self.targets), _totals(weights, self.others)
        positive, negative = hits[:, -1], alarms[:, -1]
        rows = np.arange(len(weights))

        def lead(level):
            tp, fp = hits[rows, self.ends[0][level]], alarms[rows, self.ends[1][level]]
            return (positive - tp) * negative - fp * positive, fp

        # The lead falls along the walk: halve down to the step in which it reaches 0.
        before = np.zeros(len(weights), dtype=np.int64)
        after = np.full(len(weights), self.steps)
        while (after - before > 1).any():
            middle = (before + after) // 2
            ahead = lead(middle)[0] > 0
            before, after = np.where(ahead, middle, before), np.where(ahead, after, middle)
        (lead_before, fp_before), (lead_after, fp_after) = lead(before), lead(after)
        # Without a class the lead is 0 throughout, and 0/0 is the NaN promised.
        with np.errstate(invalid="ignore"):
            share = lead_before / (lead_before - lead_after)
            return (fp_before + share * (fp_after - fp_before)) / negative


def _totals(weights: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Running totals of the weights of ``units``, from 0: (rows, len(units) + 1)."""
    totals = np.zeros((len(weights), len(units) + 1), dtype=weights.dtype)
    np.cumsum(np.take(weights, units, axis=1), axis=1, out=totals[:, 1:])
    return totals


def _labels(labels) -> np.ndarray:
    labels = _checks.vector("labels", labels)
    wrong = np.flatnonzero(~np.isin(labels, (0, 1)))
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(
            f"labels must be 1 (target) or 0 (non-target); got labels[{i}] = {labels[i]:g}"
        )
    return labels


def _scores(name: str, scores, n: int) -> np.ndarray:
    return _checks.vector(name, scores, dtype=None, length=n)


def _check_groups(labels, groups, number, count) -> None:
    seen = np.zeros((count, 2), dtype=bool)
    seen[number, labels.astype(np.int64)] = True
    lacking = np.flatnonzero(~seen.all(axis=1))
    if lacking.size:
        group = int(lacking[0])
        name = next(label for label, k in zip(groups, number) if k == group)
        own = labels[number == group]
        raise ValueError(
            f"groups must each hold both classes for kind='macro'; got group {_checks.shown(name)} "
            f"with {own.sum():g} targets among {len(own)} trials"
        )
