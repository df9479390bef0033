"""Influences of three documents on a gap in F1: each system has its own slopes."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

a = np.array([[4, 5, 5], [1, 2, 4], [3, 5, 3]])
b = np.array([[3, 3, 5], [2, 2, 4], [1, 3, 3]])


def psi():
    total = np.zeros(len(a))
    for x, sign in ((a, 1), (b, -1)):
        tp, predicted, gold = x.mean(axis=0)
        score = 2 * tp / (predicted + gold)
        excess = 2 * x[:, 0] - score * (x[:, 1] + x[:, 2])
        total += sign * excess / (predicted + gold)
    return total


def own_scores():
    def f1(x):
        return 2 * x[..., 0] / (x[..., 1] + x[..., 2])

    return f1(a) - f1(b) - (f1(a.sum(axis=0)) - f1(b.sum(axis=0)))


def over_n():
    return psi() / len(a)


def first_system():
    tp, predicted, gold = a.mean(axis=0)
    return (2 * a[:, 0] - 2 * tp / (predicted + gold) * (a[:, 1] + a[:, 2])) / (predicted + gold)


def matches_only():
    return 2 * a[:, 0] / a[:, 1:].sum(axis=1).mean() - 2 * b[:, 0] / b[:, 1:].sum(axis=1).mean()


def half_way():
    tp, predicted, gold = (a.mean(axis=0) + b.mean(axis=0)) / 2
    d = a - b
    return (2 * d[:, 0] - 2 * tp / (predicted + gold) * (d[:, 1] + d[:, 2])) / (predicted + gold)


def slopes_of_the_first():
    tp, predicted, gold = a.mean(axis=0)
    d = a - b
    return (2 * d[:, 0] - 2 * tp / (predicted + gold) * (d[:, 1] + d[:, 2])) / (predicted + gold)


def left_out():
    def gap(keep):
        x, y = a[keep].sum(axis=0), b[keep].sum(axis=0)
        return 2 * x[0] / (x[1] + x[2]) - 2 * y[0] / (y[1] + y[2])

    every = np.arange(len(a))
    return (len(a) - 1) * (gap(every) - np.array([gap(every != i) for i in every]))


def b_minus_a():
    return -psi()


EXERCISE = Value(
    id="influence-by-hand",
    title="Influences by hand",
    level=1,
    statement="Two taggers, A and B, were run on three documents; the stub has their counts. "
              "Which influence has each document on the gap in corpus F1, A minus B? Three "
              "numbers, to four decimals.",
    setup="# a line per document: true positives, predicted, gold\n"
          "a = np.array([[4, 5, 5], [1, 2, 4], [3, 5, 3]])\n"
          "b = np.array([[3, 3, 5], [2, 2, 4], [1, 3, 3]])",
    name="psi",
    reference=psi,
    within=5e-5,
    wrong=(
        Wrong(own_scores, "these are the documents' own F1 differences, less the gap. Corpus F1 "
                          "divides by the pooled counts, and so do its slopes."),
        Wrong(over_n, "these are the influences over n, the terms that are added up for the "
                      "gap's change. An influence is on the scale of a score: its slopes are "
                      "those at the mean counts, not at the sums."),
        Wrong(first_system, "this is the influence on A's score alone. The gap has B in it, too."),
        Wrong(matches_only, "only the true positives were followed. More predictions and more "
                            "gold items move F1 as well, downward."),
        Wrong(half_way, "here both systems have one set of slopes, those half-way between them, "
                        "so these are contributions times n. For an influence each system has "
                        "the slopes at its own means."),
        Wrong(slopes_of_the_first, "both systems have got A's slopes. B has its own, at its own "
                                   "means."),
        Wrong(left_out, "that is what leaving a document out does, n − 1 times the fall. The "
                        "influence is the first order of it, and three documents are too few for "
                        "the two to agree."),
        Wrong(b_minus_a, "the sign is turned: the gap is A minus B."),
    ),
    hints=(
        "First one system. What did a document get right, against what a document of its size "
        "gets right at the pooled rate?",
        "For one system: 2 tp − F1 · (predicted + gold) of the document, over the mean of "
        "predicted + gold. F1 is the corpus score.",
        "Do this for A and for B, each with its own F1 and its own mean, and subtract. The three "
        "results add up to 0.",
    ),
    solution="Each system has its own slopes: its F1 and its mean counts. What a document adds "
             "to A's score and what it adds to B's are subtracted. On the first document A has "
             "the higher F1 of its own, 0.8 against 0.75, and still the influence is a little "
             "below zero: more such documents would lower the gap, since B gains a little more "
             "from them than A does. The three influences add up to 0.",
    shows='print("influences", psi().round(4), " sum", abs(psi().sum().round(9)))\n'
          'print("own F1 on the first:", 2 * 4 / (5 + 5), 2 * 3 / (3 + 5))',
)
