"""The gap of a corpus metric: pool first, then score, then subtract."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def f1_gap(a, b):
    """Gap in corpus F1 of two systems, A minus B.

    a, b: arrays (n, 3) of counts per segment: true positives, predicted, gold. Returns a float.
    """
    pooled_a, pooled_b = a.sum(axis=0), b.sum(axis=0)
    return 2 * pooled_a[0] / (pooled_a[1] + pooled_a[2]) - 2 * pooled_b[0] / (pooled_b[1] + pooled_b[2])


def mean_of_segments(a, b):
    per_a, per_b = 2 * a[:, 0] / (a[:, 1] + a[:, 2]), 2 * b[:, 0] / (b[:, 1] + b[:, 2])
    return float(np.mean(per_a - per_b))


def b_minus_a(a, b):
    return -f1_gap(a, b)


def absolute(a, b):
    return abs(f1_gap(a, b))


def pooled_of_differences(a, b):
    tp, predicted, gold = (a - b).sum(axis=0)
    return 2 * tp / (predicted + gold) if predicted + gold else 0.0


def precision_gap(a, b):
    pooled_a, pooled_b = a.sum(axis=0), b.sum(axis=0)
    return pooled_a[0] / pooled_a[1] - pooled_b[0] / pooled_b[1]


def by_precision_and_recall(a, b):
    scores = []
    for x in (a, b):
        tp, predicted, gold = (float(column.sum()) for column in x.T)
        scores.append(2 / (predicted / tp + gold / tp) if tp else 0.0)
    return np.array(scores[0] - scores[1])


def cases(rng):
    found = [Case("two segments", (np.array([[1, 1, 2], [3, 4, 4]]), np.array([[1, 2, 2], [2, 4, 4]]))),
             Case("identical systems", (np.array([[2, 3, 4]]), np.array([[2, 3, 4]])))]
    for label in ("A ahead", "A behind", "segments of unequal size", "segments of unequal size"):
        gold = rng.integers(1, 9, size=12)
        sides = []
        for _ in "ab":
            predicted = rng.integers(1, 9, size=12)
            sides.append(np.stack([rng.binomial(np.minimum(predicted, gold), 0.7), predicted, gold], axis=1))
        ahead = f1_gap(*sides) > 0
        found.append(Case(label, tuple(sides[::-1] if ahead == (label == "A behind") else sides)))
    return found


EXERCISE = Function(
    id="paired-gap",
    title="The gap of a corpus metric",
    level=2,
    statement="Write the gap in corpus F1 from the counts per segment. A corpus metric is a function of pooled "
              "sums: it is not the mean of the segments' scores.",
    reference=f1_gap,
    cases=cases,
    wrong=(
        Wrong(mean_of_segments, "that scores each segment and averages. Corpus F1 sums the counts first and "
                                "scores once."),
        Wrong(b_minus_a, "that is B minus A; a gap is A minus B."),
        Wrong(absolute, "the sign is lost. A gap says which system is ahead."),
        Wrong(pooled_of_differences, "that is F1 of the difference of counts. A gap is the difference of two "
                                     "scores."),
        Wrong(precision_gap, "that is the gap in precision: the gold counts are not used."),
    ),
    same=(by_precision_and_recall,),
    hints=(
        "Sum over segments before anything is divided.",
        "With sums tp, predicted and gold, F1 is 2 tp / (predicted + gold).",
    ),
    solution="The counts are pooled for each system, each pool is scored, and the two scores are subtracted.",
    shows="print(f\"{f1_gap(np.array([[1, 1, 2], [3, 4, 4]]), np.array([[1, 2, 2], [2, 4, 4]])):.4f}\")",
)
