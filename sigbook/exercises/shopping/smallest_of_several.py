"""The smallest of several p-values as a statistic, tested on the same swaps."""

from itertools import product

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def corrected_p(gaps):
    """p-value of the smallest of k p-values.

    gaps: array (k, S) of whole numbers, the absolute gaps of k metrics on
    the same S swaps, in which all swaps there are; column 0 is the swap that
    changes nothing. Returns a float, q_min.
    """
    reached = np.array([[(row >= gap).sum() for gap in row]
                        for row in gaps])
    smallest = reached.min(axis=0)
    return np.mean(smallest <= smallest[0])


def alone(gaps):
    return (gaps >= gaps[:, :1]).mean(axis=1)


def uncorrected(gaps):
    return alone(gaps).min()


def bonferroni(gaps):
    return min(1.0, len(gaps) * alone(gaps).min())


def independent(gaps):
    return 1 - (1 - alone(gaps).min()) ** len(gaps)


def largest_gap(gaps):
    return np.mean(gaps.max(axis=0) >= gaps[:, 0].max())


def mean_gap(gaps):
    return np.mean(gaps.sum(axis=0) >= gaps[:, 0].sum())


def all_reach(gaps):
    return np.mean((gaps >= gaps[:, :1]).all(axis=0))


def some_reach(gaps):
    return np.mean((gaps >= gaps[:, :1]).any(axis=0))


def counts(gaps, strict=False):
    reaches = np.greater if strict else np.greater_equal
    return np.array([[reaches(row, gap).sum() for gap in row] for row in gaps])


def strict_inside(gaps):
    smallest = counts(gaps, strict=True).min(axis=0)
    return np.mean(smallest <= smallest[0])


def strict_outside(gaps):
    smallest = counts(gaps).min(axis=0)
    return np.mean(smallest < smallest[0])


def plus_one(gaps):
    smallest = counts(gaps).min(axis=0)
    return (1 + np.sum(smallest <= smallest[0])) / (len(smallest) + 1)


def against_observed(gaps):
    return np.mean(counts(gaps).min(axis=0) <= counts(gaps)[:, 0].mean())


def largest_p(gaps):
    largest = counts(gaps).max(axis=0)
    return np.mean(largest <= largest[0])


def by_sorting(gaps):
    size = gaps.shape[1]
    ranks = [size - np.searchsorted(np.sort(row), row) for row in gaps]
    smallest = np.minimum.reduce(ranks) / size
    return float((smallest <= smallest[0] + 1e-12).sum()) / size


def in_loops(gaps):
    k, size = len(gaps), len(gaps[0])
    u = [min(sum(gaps[j][f] >= gaps[j][e] for f in range(size)) for j in range(k))
         for e in range(size)]
    return sum(x <= u[0] for x in u) / size


def swapped(*metrics):
    """Absolute sums (k, 2^n) of differences (k, n) on all swaps."""
    d = np.array(metrics)
    return np.abs(d @ np.array(list(product((1, -1), repeat=d.shape[1]))).T)


def cases(rng):
    d = rng.integers(-3, 6, size=(3, 6))
    d[:, 0] = (7, 1, 2)
    return [
        Case("three metrics that "
             "part", (swapped((5, 4, 2, 1, 1), (1, 0, 2, -1, 3), (9, -7, 8, 1, -2)),)),
        Case("two copies of one metric", (swapped((3, 1, 2, 4, -1), (3, 1, 2, 4, -1)),)),
        Case("one metric", (swapped((3, 1, -2, 2, 1)),)),
        Case("two metrics of no great gap", (swapped((4, -1, 2, 1, -2), (1, 2, -3, 2, 1)),)),
        Case("the second metric is ahead in p, not in the "
             "gap", (swapped((30, -20, 9, 5, -4), (2, 1, 1, 2, 1)),)),
        Case("metrics at random", (swapped(*d)[:, [0, *rng.permutation(np.arange(1, 64))]],)),
    ]


EXERCISE = Function(
    id="smallest-of-several",
    title="The smallest p-value, tested",
    level=3,
    statement="An author has k metrics and reports the smallest of their p-values. Test that "
              "number itself, as {prf:ref}`prop-min-p` does: how often does a swap make the "
              "smallest of the k p-values as small? Write $q_{\\min}$ with NumPy, from the "
              "metrics' absolute gaps on all swaps.",
    reference=corrected_p,
    cases=cases,
    wrong=(
        Wrong(uncorrected, "that is the smallest p-value itself."),
        Wrong(bonferroni, "that is Bonferroni's correction. It prepares for the worst dependence; "
                          "the swaps show the real one. Two copies of one metric need no "
                          "correction."),
        Wrong(independent, "that would be right for independent metrics. They read the same "
                           "outputs."),
        Wrong(largest_gap, "the largest gap was tested. Gaps of different metrics have different "
                           "units; p-values can be compared."),
        Wrong(mean_gap, "the sum of the gaps was tested. The author reports the smallest p-value."),
        Wrong(all_reach, "counted were the swaps on which every metric reaches its observed gap."),
        Wrong(some_reach, "counted were the swaps on which some metric reaches its own observed "
                          "gap. They should make some p-value as small as the *smallest* observed "
                          "one."),
        Wrong(strict_inside, "inside, only larger gaps were counted. A gap reaches itself."),
        Wrong(strict_outside, "a swap that makes the smallest p-value equally small counts. The "
                              "data do."),
        Wrong(plus_one, "all swaps are listed, the data among them. Nothing has to be added."),
        Wrong(against_observed, "the swaps were held against the mean of the observed p-values, "
                                "not against the smallest."),
        Wrong(largest_p, "that tests the largest p-value. The author reports the smallest."),
    ),
    same=(by_sorting, in_loops),
    hints=(
        "Pretend that swap e were the data. What p-value would metric j have?",
        "For each swap the smallest of these k p-values. How do the data's own compare with the "
        "list of all?",
        "A matrix (k, S) of counts, its minimum over the metrics, and the share of swaps whose "
        "minimum is at most that of column 0.",
    ),
    solution="Every swap is treated as if it were the data: it gets k p-values on the same list of "
             "swaps, and their minimum. The data's minimum takes its place among these. For the "
             "differences (5, 4, 2, 1, 1), (1, 0, 2, −1, 3) and (9, −7, 8, 1, −2) of three metrics "
             "the smallest p-value is 0.0625, Bonferroni makes it 0.1875, and the corrected one is "
             "0.125. Two copies of one metric get their own p-value back: looking twice at one "
             "number costs nothing.",
    shows="""from itertools import product

d = np.array([[5, 4, 2, 1, 1], [1, 0, 2, -1, 3], [9, -7, 8, 1, -2]])
gaps = np.abs(d @ np.array(list(product((1, -1), repeat=5))).T)
alone = (gaps >= gaps[:, :1]).mean(axis=1)
print("alone", *[f"{p:.4f}" for p in alone])
print(f"smallest {alone.min():.4f}, times three {3 * alone.min():.4f}, "
      f"corrected {corrected_p(gaps):.4f}")""",
)
