"""Holm-adjusted p-values, in the order in which they came."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def holm(p):
    """Holm-adjusted p-values.

    p: array (m,) of p-values, in any order, ties allowed. Returns an array
    (m,) in the same order: for each hypothesis the smallest level at which
    Holm's procedure rejects it, at most 1.
    """
    order = np.argsort(p)
    products = np.arange(len(p), 0, -1) * p[order]
    adjusted = np.zeros(len(p))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(products))
    return adjusted


def back(p, values):
    out = np.zeros(len(p))
    out[np.argsort(p, kind="stable")] = values
    return out


def raised(p):
    return np.arange(len(p), 0, -1) * np.sort(p)


def not_monotone(p):
    return np.minimum(1, back(p, raised(p)))


def bonferroni(p):
    return np.minimum(1, len(p) * p)


def hochberg(p):
    return np.minimum(1, back(p, np.minimum.accumulate(raised(p)[::-1])[::-1]))


def uncapped(p):
    return back(p, np.maximum.accumulate(raised(p)))


def left_sorted(p):
    return np.minimum(1, np.maximum.accumulate(raised(p)))


def not_sorted(p):
    return np.minimum(1, np.maximum.accumulate(np.arange(len(p), 0, -1) * p))


def factors_reversed(p):
    return np.minimum(1, np.maximum.accumulate(back(p, np.arange(1, len(p) + 1) * np.sort(p))))


def factors_the_wrong_way(p):
    return np.minimum(1, back(p, np.maximum.accumulate(np.arange(1, len(p) + 1) * np.sort(p))))


def one_factor_less(p):
    return np.minimum(1, back(p, np.maximum.accumulate(np.arange(len(p) - 1, -1, -1) * np.sort(p))))


def benjamini_hochberg(p):
    return sb.benjamini_hochberg(p)


def sidak(p):
    m = len(p)
    return back(p, np.maximum.accumulate(1 - (1 - np.sort(p)) ** np.arange(m, 0, -1)))


def with_the_package(p):
    return sb.holm(p)


def pair_by_pair(p):
    return [min(1, max(sum(x >= y for x in p) * y for y in p if y <= own)) for own in p.tolist()]


def cases(rng):
    return [
        Case("three p-values in order", (np.array([0.01, 0.03, 0.04]),)),
        Case("two close ones, the larger first", (np.array([0.012, 0.4, 0.011, 0.2]),)),
        Case("a single p-value", (np.array([0.03]),)),
        Case("large p-values", (np.array([0.9, 0.6, 0.7]),)),
        Case("ties", (np.array([0.02, 0.5, 0.02, 0.02, 0.03]),)),
        Case("p-values at random", (rng.random(8) ** 3,)),
    ]


EXERCISE = Function(
    id="holm-adjusted",
    title="Holm, adjusted",
    level=2,
    statement="Write Holm's procedure as adjusted p-values ({prf:ref}`lem-adjusted` (a)), with "
              "NumPy and without `sb.holm`. They come back in the order in which the p-values were "
              "given.",
    reference=holm,
    cases=cases,
    wrong=(
        Wrong(not_monotone, "each p-value was multiplied by its factor, and that was all. Holm "
                            "stops at the first failure, so no hypothesis may get a smaller number "
                            "than one with a smaller p-value."),
        Wrong(bonferroni, "that is Bonferroni's: every p-value is multiplied by m. Holm's factors "
                          "get smaller."),
        Wrong(hochberg, "that comes down from the largest and takes the minimum, which is "
                        "Hochberg's procedure. It rejects more, and needs an assumption about the "
                        "dependence."),
        Wrong(uncapped, "some values are above 1."),
        Wrong(left_sorted, "the values are right, but sorted. Each belongs in the place of its "
                           "p-value."),
        Wrong(not_sorted, "the p-values were taken in the order in which they came. Holm begins "
                          "with the smallest."),
        Wrong(factors_reversed, "the smallest p-value got the factor 1, and the order was lost in "
                                "the maximum."),
        Wrong(factors_the_wrong_way, "the smallest p-value got the factor 1 and the largest the "
                                     "factor m. It is the other way round."),
        Wrong(one_factor_less, "each factor is one too small: the smallest of m p-values is held "
                               "against the level over m."),
        Wrong(benjamini_hochberg, "that is the procedure of Benjamini and Hochberg, which controls "
                                  "another rate."),
        Wrong(sidak, "that is Holm's procedure with Šidák's levels, which is a little sharper and "
                     "needs independence (or the like)."),
    ),
    same=(with_the_package, pair_by_pair),
    hints=(
        "Sort, multiply by m, m − 1, …, 1. Which of these products decide about the third "
        "hypothesis?",
        "Going up, keep the largest product so far. np.argsort says where each value belongs.",
        "At the end nothing is above 1.",
    ),
    solution="The i-th smallest p-value is rejected when all products up to its own are at most "
             "the level. So its adjusted value is the largest of these products, cut at 1. For "
             "0.012, 0.4, 0.011, 0.2 they are 0.044, 0.4, 0.044, 0.4: the product of 0.012 alone "
             "would be 0.036, smaller than the 0.044 of a smaller p-value.",
    shows="""p = np.array([0.012, 0.4, 0.011, 0.2])
print("p       ", *p)
print("products", *[f"{f * x:.3f}" for f, x in zip((3, 1, 4, 2), p)])
print("adjusted", *[f"{x:.3f}" for x in holm(p)])""",
)
