"""Counting pairs by what two metrics say of them, after Holm's correction."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def verdict_counts(gaps, p):
    """How many pairs of systems get which two verdicts.

    gaps, p: arrays (2, m), a row for each metric, a column for each pair:
    gaps A minus B, and uncorrected p-values. Each metric's m p-values are
    corrected by Holm on their own, and held against 0.05. Returns four whole
    numbers: pairs on which both metrics reject and agree which system is
    better, both reject and disagree, only one rejects, neither does.
    """
    first, second = [np.where(sb.holm(q) <= 0.05, np.sign(gap), 0)
                     for gap, q in zip(gaps, p)]
    both = list(zip(first, second))
    agree = both.count((1, 1)) + both.count((-1, -1))
    disagree = both.count((1, -1)) + both.count((-1, 1))
    neither = both.count((0, 0))
    return agree, disagree, len(both) - agree - disagree - neither, neither


def counts(first, second, gaps):
    both = first & second
    same = gaps[0] * gaps[1] > 0
    return [int(np.sum(x)) for x in (both & same, both & ~same, first ^ second, ~(first | second))]


def uncorrected(gaps, p):
    return counts(p[0] <= 0.05, p[1] <= 0.05, gaps)


def all_together(gaps, p):
    rejected = (sb.holm(p.ravel()) <= 0.05).reshape(p.shape)
    return counts(*rejected, gaps)


def bonferroni(gaps, p):
    return counts(*(p * p.shape[1] <= 0.05), gaps)


def benjamini_hochberg(gaps, p):
    return counts(sb.benjamini_hochberg(p[0]) <= 0.05, sb.benjamini_hochberg(p[1]) <= 0.05, gaps)


def strict(gaps, p):
    return counts(sb.holm(p[0]) < 0.05, sb.holm(p[1]) < 0.05, gaps)


def signs_alone(gaps, p):
    first, second = (sb.holm(row) <= 0.05 for row in p)
    opposite = gaps[0] * gaps[1] < 0
    one = (first ^ second) & ~opposite
    kinds = first & second & ~opposite, opposite, one, ~(first | second) & ~opposite
    return [int(np.sum(kind)) for kind in kinds]


def one_is_enough(gaps, p):
    first, second = (sb.holm(row) <= 0.05 for row in p)
    some, same = first | second, gaps[0] * gaps[1] > 0
    return [int(np.sum(x)) for x in (some & same, some & ~same, first ^ second, ~some)]


def signs_ignored(gaps, p):
    first, second = (sb.holm(row) <= 0.05 for row in p)
    both, one, neither = first & second, first ^ second, ~(first | second)
    return [int(np.sum(both)), 0, int(np.sum(one)), int(np.sum(neither))]


def only_the_first(gaps, p):
    first, second = (sb.holm(row) <= 0.05 for row in p)
    right = counts(first, second, gaps)
    return [right[0], right[1], int(np.sum(first & ~second)), right[3]]


def shares(gaps, p):
    return [x / gaps.shape[1] for x in verdict_counts(gaps, p)]


def pair_by_pair(gaps, p):
    found = [0, 0, 0, 0]
    adjusted = [sb.holm(row).tolist() for row in p]
    for (a, b), x, y in zip(gaps.T, *adjusted):
        if x > 0.05 and y > 0.05:
            found[3] += 1
        elif x > 0.05 or y > 0.05:
            found[2] += 1
        else:
            found[0 if (a > 0) == (b > 0) else 1] += 1
    return found


def by_numbers(gaps, p):
    """Verdicts as −1, 0 and 1, as in a matrix."""
    verdict = np.where([sb.holm(row) <= 0.05 for row in p], np.sign(gaps), 0).astype(int)
    product, size = verdict.prod(axis=0), np.abs(verdict).sum(axis=0)
    kinds = product > 0, product < 0, size == 1, size == 0
    return np.array([kind.sum() for kind in kinds])


def cases(rng):
    gaps = rng.normal(size=(2, 12)) + 0.1
    p = np.concatenate([rng.random((2, 5)) * 0.004, rng.random((2, 7))], axis=1)
    few = np.array([[0.2, 0.1, 0.05, -0.3, 0.01, 0.02], [-0.1, 0.2, -0.05, -0.1, 0.3, -0.01]])
    return [
        Case("six pairs of all kinds", (few, np.array([[0.001, 0.002, 0.02, 0.001, 0.6, 0.9],
                                                       [0.001, 0.001, 0.02, 0.001, 0.004, 0.7]]))),
        Case("an adjusted p-value at the "
             "level", (few[:, :2], np.array([[0.025, 0.001], [0.001, 0.05]]))),
        Case("one pair, opposite signs", (few[:, :1], np.array([[0.04], [0.05]]))),
        Case("the second metric "
             "alone", (few[:, :3], np.array([[0.045, 0.4, 0.9], [0.001, 0.02, 0.026]]))),
        Case("the first metric alone, B "
             "ahead", (np.array([[-0.2, 0.3], [0.1, 0.2]]), np.array([[0.01, 0.3], [0.2, 0.4]]))),
        Case("three pairs near the "
             "level", (few[:, 3:], np.array([[0.016, 0.02, 0.045], [0.02, 0.03, 0.04]]))),
        Case("twelve pairs at random", (gaps, p)),
    ]


EXERCISE = Function(
    id="verdict-pairs",
    title="Pairs by their two verdicts",
    level=2,
    statement="Ten systems were compared in pairs on two metrics. Count the pairs on which the "
              "metrics agree, disagree, and on which only one of them or neither finds a "
              "difference. `sb.holm` may be used.",
    reference=verdict_counts,
    cases=cases,
    wrong=(
        Wrong(uncorrected, "the p-values were held against 0.05 as they are. Each metric's family "
                           "is corrected first."),
        Wrong(all_together, "both metrics were corrected as one family. That can be wanted, but "
                            "here each has its own."),
        Wrong(bonferroni, "every p-value was multiplied by the number of pairs. Holm's factors get "
                          "smaller."),
        Wrong(benjamini_hochberg, "that is the correction of Benjamini and Hochberg."),
        Wrong(strict, "an adjusted p-value that equals 0.05 rejects."),
        Wrong(signs_alone, "pairs whose gaps have opposite signs were counted as disagreement "
                           "without a look at p. The sign of a gap that is not significant is no "
                           "verdict."),
        Wrong(one_is_enough, "pairs on which only one metric rejects were counted as agreement or "
                             "disagreement too."),
        Wrong(signs_ignored, "both metrics reject, and that was taken for agreement. In which "
                             "direction does each of them?"),
        Wrong(only_the_first, "of the pairs with one rejection only the first metric's were "
                              "counted."),
        Wrong(shares, "these are shares. Numbers of pairs are asked for."),
    ),
    same=(pair_by_pair, by_numbers),
    hints=(
        "Make each metric's verdict a number: 1, −1, or 0 when it does not reject.",
        "sb.holm on each row. Then look at the product of the two verdicts, and at how many of "
        "them are not 0.",
    ),
    solution="A verdict is the sign of the gap where the corrected test rejects, and 0 elsewhere. "
             "The product of the two is 1 for agreement, −1 for disagreement; where it is 0, the "
             "number of rejections tells one from none. In the example with six pairs the answer "
             "is 2, 1, 2, 1: the third pair, with p-values of 0.02 on both metrics and opposite "
             "signs, loses one of its two verdicts to Holm.",
    shows="""gaps = np.array([[0.2, 0.1, 0.05, -0.3, 0.01, 0.02],
                 [-0.1, 0.2, -0.05, -0.1, 0.3, -0.01]])
p = np.array([[0.001, 0.002, 0.02, 0.001, 0.6, 0.9],
              [0.001, 0.001, 0.02, 0.001, 0.004, 0.7]])
print("adjusted", *[f"{x:.3f}" for x in np.ravel([sb.holm(x) for x in p])])
print("agree, disagree, one, neither:", *verdict_counts(gaps, p))""",
)
