"""The gap of a corpus metric: pool first, then score, then subtract."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def f1_gap(a, b):
    """Gap in corpus F1 of two systems, A minus B.

    a, b: arrays (n, 3) of whole numbers, one row per segment: true positives,
    predicted, gold. Over all segments there is something to find. Returns a
    float.
    """
    tp_a, predicted_a, gold_a = a.sum(axis=0)
    tp_b, predicted_b, gold_b = b.sum(axis=0)
    f1_a = 2 * tp_a / (predicted_a + gold_a)
    f1_b = 2 * tp_b / (predicted_b + gold_b)
    return f1_a - f1_b


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
    tp_a, predicted_a, _ = a.sum(axis=0)
    tp_b, predicted_b, _ = b.sum(axis=0)
    return tp_a / max(predicted_a, 1) - tp_b / max(predicted_b, 1)


def recall_gap(a, b):
    return a[:, 0].sum() / a[:, 2].sum() - b[:, 0].sum() / b[:, 2].sum()


def of_mean_precision_and_recall(a, b):
    scores = []
    for x in (a, b):
        p, r = (x[:, 0] / np.maximum(x[:, 1], 1)).mean(), (x[:, 0] / x[:, 2]).mean()
        scores.append(2 * p * r / (p + r) if p + r else 0.0)
    return scores[0] - scores[1]


def by_precision_and_recall(a, b):
    scores = []
    for x in (a, b):
        tp, predicted, gold = (float(column.sum()) for column in x.T)
        scores.append(2 / (predicted / tp + gold / tp) if tp else 0.0)
    return np.array(scores[0] - scores[1])


def in_a_loop(a, b):
    scores = []
    for system in (a, b):
        tp = size = 0
        for row in system:
            tp, size = tp + row[0], size + row[1] + row[2]
        scores.append(2 * tp / size)
    return scores[0] - scores[1]


def cases(rng):
    a, b = np.array([[1, 1, 2], [3, 4, 5]]), np.array([[1, 2, 2], [2, 4, 5]])
    found = [
        Case("two segments", (a, b)),
        Case("two segments, B ahead", (b, a)),
        Case("identical systems", (a, a)),
        Case("one segment", (a[:1], b[:1])),
        Case("a system that predicts nothing", (a, np.array([[0, 0, 2], [0, 0, 5]]))),
    ]
    for label in ("a short segment and a long one", "segments of unequal size"):
        gold = rng.integers(1, 9, size=12)
        gold[0] += 20
        sides = []
        for _ in "ab":
            predicted = rng.integers(1, 9, size=12)
            predicted[0] += 20
            sides.append(np.stack([rng.binomial(np.minimum(predicted, gold), 0.7), predicted, gold], axis=1))
        found.append(Case(label, tuple(sides)))
    return found


EXERCISE = Function(
    id="paired-gap",
    title="The gap of a corpus metric",
    level=2,
    statement="Write the gap in corpus F1 from the counts per segment, A minus B, with NumPy. Corpus F1 is a corpus "
              "metric as {prf:ref}`def-corpus-metric` defines it.",
    reference=f1_gap,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(mean_of_segments, "that scores each segment and averages. Corpus F1 sums the counts first and "
                                "scores once."),
        Wrong(b_minus_a, "that is B minus A; a gap is A minus B."),
        Wrong(absolute, "the sign is lost. A gap says which system is ahead."),
        Wrong(pooled_of_differences, "that is F1 of the difference of counts. A gap is the difference of two "
                                     "scores."),
        Wrong(precision_gap, "that is the gap in precision: the gold counts are not used."),
        Wrong(recall_gap, "that is the gap in recall: the predicted counts are not used."),
        Wrong(of_mean_precision_and_recall, "precision and recall are averaged over segments here before they are "
                                            "joined. A corpus metric is made from sums of counts."),
    ),
    same=(by_precision_and_recall, in_a_loop),
    hints=(
        "Sum over segments before anything is divided.",
        "With sums tp, predicted and gold, F1 is 2 tp / (predicted + gold).",
    ),
    solution="The counts are pooled for each system, each pool is scored, and the two scores are subtracted. On two "
             "segments with counts (1, 1, 2) and (3, 4, 5) for A, (1, 2, 2) and (2, 4, 5) for B, the gap is 0.2051. "
             "The gap of the mean segment scores would be 0.1944: another metric.",
    shows="a = np.array([[1, 1, 2], [3, 4, 5]])\n"
          "b = np.array([[1, 2, 2], [2, 4, 5]])\n"
          "segments = sb.metrics.f1(a) - sb.metrics.f1(b)\n"
          'print(f"gap {f1_gap(a, b):.4f}, of segment means {segments.mean():.4f}")',
)
