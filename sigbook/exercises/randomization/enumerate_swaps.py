"""The full randomization test of a mean: every swap listed."""

from itertools import product

import numpy as np

from sigbook.clouds import randomize
from sigbook.exercises.kinds import Case, Function, Wrong
from sigbook.pairs import PairedSet
from sigbook.rules import p_randomization


def exact_p(d):
    """Two-sided p-value of the full randomization test of a mean.

    d: array (n,) of whole numbers, the differences A minus B per segment,
    with n at most 10. Returns a float.
    """
    signs = np.array(list(product((1, -1), repeat=len(d))))
    sums = np.abs(signs @ d)
    return np.mean(sums >= abs(d.sum()))


def signed_sums(d):
    return np.array(list(product((1, -1), repeat=len(d)))) @ d


def plus_one(d):
    sums = np.abs(signed_sums(d))
    return (1 + np.count_nonzero(sums >= abs(d.sum()))) / (len(sums) + 1)


def without_the_data(d):
    return np.mean(np.abs(signed_sums(d))[1:] >= abs(d.sum()))


def strict(d):
    return np.mean(np.abs(signed_sums(d)) > abs(d.sum()))


def one_sided(d):
    return np.mean(signed_sums(d) >= d.sum())


def doubled(d):
    sign = -1 if d.sum() < 0 else 1
    return 2 * np.mean(sign * signed_sums(d) >= abs(d.sum()))


def signs_alone(d):
    return exact_p(np.sign(d))


def segments_permuted(d):
    return 1.0


def resampled(d):
    sums = np.zeros(1, dtype=int)
    for _ in range(len(d)):
        sums = (sums[:, None] + len(d) * d - d.sum()).ravel()
    return np.mean(np.abs(sums) >= abs(len(d) * d.sum()))


def without_ties(d):
    return np.mean(np.abs(signed_sums(d[d != 0]) if d.any() else np.zeros(1)) >= abs(d.sum()))


def half_the_patterns(d):
    return np.mean(np.abs(signed_sums(d)[: 2 ** (len(d) - 1)]) >= abs(d.sum()))


def in_loops(d):
    reached, total = 0, abs(sum(int(x) for x in d))
    for number in range(2 ** len(d)):
        swapped = sum(-int(x) if number >> k & 1 else int(x) for k, x in enumerate(d))
        reached += abs(swapped) >= total
    return reached / 2 ** len(d)


def with_the_package(d):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return p_randomization(randomize(PairedSet(d, np.zeros(len(d)), "mean"), draws="all"))


def cases(rng):
    return [
        Case("wins and losses", (np.array([3, 1, -2, 4, 1]),)),
        Case("wins alone", (np.array([1, 2, 1, 3]),)),
        Case("a mean below zero", (np.array([-3, -1, 2, -4, 1, 0]),)),
        Case("wins and losses that cancel", (np.array([2, -1, -1, 3, -3]),)),
        Case("one segment", (np.array([4]),)),
        Case("identical systems", (np.array([0, 0, 0]),)),
        Case("one large difference", (np.array([9, -1, -1, -1]),)),
        Case("differences at random", (rng.integers(-4, 6, size=7),)),
    ]


EXERCISE = Function(
    id="enumerate-swaps",
    title="All the swaps there are",
    level=2,
    statement="Write the p-value of {prf:ref}`cor-full-group` for the gap of two means, two-sided, with NumPy and "
              "`itertools.product` and without `sb.randomize`: go through all $2^n$ swaps of the segments.",
    setup="from itertools import product",
    reference=exact_p,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(plus_one, "the two ones were added. The list is complete and holds the data already."),
        Wrong(without_the_data, "the swap that changes nothing was left out. It is one of the group, and it reaches the "
                                "observed gap."),
        Wrong(strict, "swaps that tie with the data were not counted. The data tie with themselves, so p can never be "
                      "0."),
        Wrong(one_sided, "that is one-sided, for A being better. Two-sided, the absolute gap is compared."),
        Wrong(doubled, "that doubles one side. Where wins and losses cancel the two sides overlap, and the result is more "
                       "than 1."),
        Wrong(signs_alone, "only the signs of the differences are used. The statistic is their mean: a win by 4 counts "
                           "for more than a win by 1."),
        Wrong(segments_permuted, "p is always 1 here. Reordering the segments leaves their mean as it is; a swap exchanges "
                                 "the two outputs of a segment, which turns the sign of its difference."),
        Wrong(resampled, "these are resamples of the centred differences, the bootstrap's cloud. A swap keeps every "
                         "segment and turns signs."),
    ),
    same=(without_ties, half_the_patterns, in_loops, with_the_package),
    hints=(
        "What does a swap of one segment do to its difference A minus B?",
        "`product((1, -1), repeat=n)` lists all patterns of signs. Multiply them with d and compare absolute sums; a "
        "common factor 1/n changes no comparison.",
        "The share of patterns that reach the observed absolute sum is p. Nothing has to be added.",
    ),
    solution="A swap turns the sign of a difference, so the swapped sums are the signed sums of d. For 3, 1, -2, 4, 1 the "
             "observed sum is 7 and 10 of the 32 patterns reach it in size: p = 0.3125. The pattern without any swap "
             "is among them, so p is at least $2^{-n}$; its complement ties with it, so two-sided p is at least twice that.",
    shows="d = np.array([3, 1, -2, 4, 1])\n"
          "count = exact_p(d) * 2 ** len(d)\n"
          'print(f"sum {d.sum()}, {count:.0f} of {2 ** len(d)} patterns, "\n'
          '      f"p = {exact_p(d):.4f}")',
)
