"""The standard error of a gap in F1, with influences added up within documents."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def f1_delta_sd(a, b, documents):
    """Delta-method sd of the gap in corpus F1 when documents were sampled.

    a, b: arrays (n, 3) of counts per segment: true positives, predicted,
    gold. documents: array (n,) of labels, at least two different ones.
    Returns a float; the divisor is n, as in the bootstrap's variance.
    """
    n = len(a)
    influence = np.zeros(n)
    for x, sign in ((a, 1), (b, -1)):
        tp, predicted, gold = x.mean(axis=0)
        score = 2 * tp / (predicted + gold)
        excess = 2 * x[:, 0] - score * (x[:, 1] + x[:, 2])
        influence += sign * excess / (predicted + gold)
    _, number = np.unique(documents, return_inverse=True)
    sums = np.bincount(number, weights=influence)
    return np.sqrt((sums**2).sum()) / n


def influences(a, b):
    parts = []
    for x in (a, b):
        tp, predicted, gold = x.mean(axis=0)
        score = 2 * tp / (predicted + gold)
        parts.append((2 * x[:, 0] - score * (x[:, 1] + x[:, 2])) / (predicted + gold))
    return parts


def summed(values, documents):
    return np.array([values[documents == d].sum() for d in np.unique(documents)])


def by_segment(a, b, documents):
    x, y = influences(a, b)
    return np.sqrt(((x - y) ** 2).sum()) / len(a)


def over_documents(a, b, documents):
    x, y = influences(a, b)
    return np.sqrt((summed(x - y, documents) ** 2).sum()) / len(np.unique(documents))


def means_within(a, b, documents):
    x, y = influences(a, b)
    means = [(x - y)[documents == d].mean() for d in np.unique(documents)]
    return np.sqrt(np.square(means).sum()) / len(means)


def unbiased(a, b, documents):
    count = len(np.unique(documents))
    return f1_delta_sd(a, b, documents) * np.sqrt(count / (count - 1))


def unpaired(a, b, documents):
    x, y = influences(a, b)
    return np.sqrt((summed(x, documents) ** 2).sum() + (summed(y, documents) ** 2).sum()) / len(a)


def contributions(a, b, documents):
    tp, predicted, gold = (a.sum(axis=0) + b.sum(axis=0)) / 2
    d, score = a - b, 2 * tp / (predicted + gold)
    values = (2 * d[:, 0] - score * (d[:, 1] + d[:, 2])) / (predicted + gold)
    return np.sqrt((summed(values, documents) ** 2).sum())


def of_segment_scores(a, b, documents):
    def f1(x):
        return 2 * x[:, 0] / (x[:, 1] + x[:, 2])

    d = f1(a) - f1(b)
    return np.sqrt((summed(d - d.mean(), documents) ** 2).sum()) / len(a)


def first_system(a, b, documents):
    return np.sqrt((summed(influences(a, b)[0], documents) ** 2).sum()) / len(a)


def variance(a, b, documents):
    return f1_delta_sd(a, b, documents) ** 2


def by_package(a, b, documents):
    return sb.delta_sd(sb.PairedSet(a, b, "f1", clusters=documents))


def documents_as_segments(a, b, documents):
    labels = sorted(set(documents.tolist()))
    pooled = [np.array([x[documents == d].sum(axis=0) for d in labels]) for x in (a, b)]
    total, n = 0.0, len(labels)
    (tp_a, p_a, g_a), (tp_b, p_b, g_b) = (x.sum(axis=0) for x in pooled)
    for x, y in zip(*pooled):
        left = (2 * x[0] - 2 * tp_a / (p_a + g_a) * (x[1] + x[2])) * n / (p_a + g_a)
        right = (2 * y[0] - 2 * tp_b / (p_b + g_b) * (y[1] + y[2])) * n / (p_b + g_b)
        total += (left - right) ** 2
    return float(np.sqrt(total) / n)


def cases(rng):
    def side(gold, share):
        predicted = np.maximum(1, gold + rng.integers(-1, 3, size=len(gold)))
        return np.stack([rng.binomial(np.minimum(predicted, gold), share), predicted, gold], axis=1)

    gold = rng.integers(2, 9, size=12)
    a, b = side(gold, 0.8), side(gold, 0.5)
    a[0], b[0] = (gold[0], gold[0], gold[0]), (0, 1, gold[0])
    names = np.array(["x", "y", "x", "z", "z", "y", "x", "w", "z", "x", "y", "w"])
    two = np.array([[2, 2, 2], [5, 9, 7]]), np.array([[1, 2, 2], [6, 8, 7]])
    return [
        Case("two segments, each a document", (*two, np.array([0, 1]))),
        Case("documents of one segment", (a, b, np.arange(12))),
        Case("documents of unequal size", (a, b, names)),
        Case("labels out of order", (b, a, np.array([7, 7, 3, 3, 9, 9, 9, 3, 7, 1, 1, 7]))),
    ]


EXERCISE = Function(
    id="f1-delta-sd",
    title="A standard error without resampling",
    level=3,
    statement="Write the delta-method sd of the gap in corpus F1 for segments that come in "
              "documents: documents were sampled, not segments. Use NumPy alone; `sb.delta_sd` "
              "may serve to compare. At least one item is predicted or gold for each system.",
    reference=f1_delta_sd,
    cases=cases,
    wrong=(
        Wrong(by_segment, "the documents are not used: squares are taken segment by segment. "
                          "What the segments of a document have in common must add up before it "
                          "is squared."),
        Wrong(over_documents, "the sums within documents are divided by the number of documents. "
                              "The gap is a mean of the segments' influences, of which there are "
                              "n."),
        Wrong(means_within, "influences are averaged within documents, so that a long document "
                            "counts as much as a short one. Pooling lets every segment count."),
        Wrong(unbiased, "the factor K/(K − 1) is the one of sb.cluster_sd. Here the divisor is n "
                        "throughout, as in the bootstrap's own variance."),
        Wrong(unpaired, "the variances of the two scores are added, as if the systems had been "
                        "run on different documents. Subtract influences before squaring."),
        Wrong(contributions, "these are contributions: one set of slopes, half-way between the "
                             "systems. They give the spread of swapped gaps."),
        Wrong(of_segment_scores, "here each segment is scored by itself and the scores are "
                                 "averaged. Corpus F1 pools first; its influences divide by "
                                 "pooled counts."),
        Wrong(first_system, "that is the sd of A's score. The gap has B in it, too."),
        Wrong(variance, "that is the variance. The sd is its root, in the units of the score."),
    ),
    same=(by_package, documents_as_segments),
    hints=(
        "First the influences of the segments, with the slopes of each system at its own means.",
        "Add the influences up within each document: np.unique(..., return_inverse=True) and "
        "np.bincount.",
        "Square the sums, add them, take the root, divide by n, the number of segments.",
    ),
    solution="Influences come first, one per segment, as for any gap in F1. Within a document "
             "they are added up before they are squared, so that a common pull of its segments "
             "is seen. In the example the four segments of two documents give 0.265 by document "
             "and 0.207 by segment.",
    shows="a = np.array([[2, 2, 2], [2, 2, 2], [1, 2, 2], [0, 2, 2]])\n"
          "b = np.array([[1, 2, 2], [1, 2, 2], [1, 2, 2], [1, 2, 2]])\n"
          'print(f"by document {f1_delta_sd(a, b, np.array([0, 0, 1, 1])):.3f}, "\n'
          '      f"by segment {f1_delta_sd(a, b, np.arange(4)):.3f}")',
)
