"""Benjamini and Hochberg's procedure, mended: it comes down from the largest p-value."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def bh_rejects(p, alpha):
    """Which hypotheses Benjamini and Hochberg's procedure rejects.

    p: array (m,) of p-values, in any order. alpha: the level of the false
    discovery rate. Returns an array (m,) of True and False, in the order of
    p.
    """
    m = len(p)
    ranked = np.sort(p)
    under = np.flatnonzero(ranked <= alpha * np.arange(1, m + 1) / m)
    if not under.size:
        return np.zeros(m, dtype=bool)
    return p <= ranked[under[-1]]


def faulty(p, alpha):
    m = len(p)
    rejected = np.zeros(m, dtype=bool)
    for place, x in enumerate(np.sort(p)):
        if x > alpha * (place + 1) / m:
            break
        rejected[place] = True
    return rejected


def still_upward(p, alpha):
    m = len(p)
    rejected = np.zeros(m, dtype=bool)
    for place, which in enumerate(np.argsort(p)):
        if p[which] > alpha * (place + 1) / m:
            break
        rejected[which] = True
    return rejected


def still_sorted(p, alpha):
    return np.sort(bh_rejects(p, alpha))[::-1]


def own_line_only(p, alpha):
    m = len(p)
    rank = np.argsort(np.argsort(p, kind="stable")) + 1
    return p <= alpha * rank / m


def strict(p, alpha):
    m = len(p)
    ranked = np.sort(p)
    under = np.flatnonzero(ranked < alpha * np.arange(1, m + 1) / m)
    return p <= ranked[under[-1]] if len(under) else np.zeros(m, dtype=bool)


def holm(p, alpha):
    return sb.holm(p) <= alpha


def bonferroni(p, alpha):
    return len(p) * p <= alpha


def uncorrected(p, alpha):
    return p <= alpha


def hochberg(p, alpha):
    m = len(p)
    ranked = np.sort(p)
    under = np.flatnonzero(ranked * np.arange(m, 0, -1) <= alpha)
    return p <= ranked[under[-1]] if len(under) else np.zeros(m, dtype=bool)


def any_dependence(p, alpha):
    return bh_rejects(p, alpha / (1 / np.arange(1, len(p) + 1)).sum())


def unsorted(p, alpha):
    m = len(p)
    under = np.flatnonzero(p <= alpha * np.arange(1, m + 1) / m)
    return p <= p[under[-1]] if len(under) else np.zeros(m, dtype=bool)


def adjusted(p, alpha):
    return sb.benjamini_hochberg(p) <= alpha


def downward(p, alpha):
    order = sorted(range(len(p)), key=lambda j: p[j])
    while order and len(p) * p[order[-1]] > alpha * len(order):
        order.pop()
    return [j in order for j in range(len(p))]


def cases(rng):
    p = np.concatenate([rng.random(5), rng.random(5) * 0.04])
    return [
        Case("a p-value above its line, a later one "
             "below", (np.array([0.03, 0.9, 0.035, 0.031, 0.04]), 0.05)),
        Case("a p-value on its line", (np.array([0.75, 0.125, 0.0625, 0.5]), 0.25)),
        Case("the last one below its line", (np.array([0.04, 0.045, 0.02]), 0.05)),
        Case("nothing to reject", (np.array([0.2, 0.04, 0.9]), 0.05)),
        Case("the two smaller ones of three", (np.array([0.02, 0.2, 0.016]), 0.05)),
        Case("a small and a large one", (np.array([0.6, 0.001, 0.034, 0.7]), 0.1)),
        Case("p-values at random", (rng.permutation(p), 0.1)),
    ]


EXERCISE = Function(
    id="step-up",
    title="Mend Benjamini and Hochberg",
    level=2,
    statement="This function should say which hypotheses Benjamini and Hochberg's procedure "
              "rejects ({prf:ref}`def-procedures`). It has two faults. Find and mend them.",
    reference=bh_rejects,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(still_upward, "one fault is left: it goes up from the smallest p-value and stops at "
                            "the first failure. That is Holm's way. A later p-value may be below "
                            "its line again, and then all before it are rejected as well."),
        Wrong(still_sorted, "one fault is left: the answers are in the order of the sorted "
                            "p-values."),
        Wrong(own_line_only, "each p-value is held against its own line only. One that is above "
                             "its line is rejected too, when a later one is below."),
        Wrong(strict, "a p-value that equals its threshold is rejected."),
        Wrong(holm, "that is Holm's procedure. It keeps a stricter rate and rejects less."),
        Wrong(bonferroni, "that is Bonferroni's correction."),
        Wrong(uncorrected, "nothing is corrected here."),
        Wrong(hochberg, "the direction is right, the line is not: here it is Hochberg's, α/(m − i "
                        "+ 1)."),
        Wrong(any_dependence, "that is the version for any dependence, whose level is divided by 1 "
                              "+ 1/2 + … + 1/m."),
        Wrong(unsorted, "the p-values were held against the line in the order in which they came."),
    ),
    same=(adjusted, downward),
    hints=(
        "Try p = 0.03, 0.9, 0.035, 0.031, 0.04 by hand, at level 0.05. Which is the largest i with "
        "a p-value on or below its line?",
        "All hypotheses up to the *last* success are rejected. And where does rejected[place] put "
        "the answer?",
    ),
    solution="The procedure comes down from the largest p-value and stops at the first success; "
             "everything below is rejected with it. The given function goes up and stops at the "
             "first failure, and it answers in sorted order. For 0.03, 0.9, 0.035, 0.031, 0.04 at "
             "level 0.05 the lines are 0.01, 0.02, 0.03, 0.04, 0.05: the three smallest lie above "
             "theirs, the fourth on it. So four hypotheses are rejected; the given function "
             "rejects none.",
    shows="""p = np.array([0.03, 0.9, 0.035, 0.031, 0.04])
print("sorted  ", *np.sort(p))
print("lines   ", *[f"{0.05 * i / 5:.2f}" for i in range(1, 6)])
print("rejected", *bh_rejects(p, 0.05))""",
)
