"""The p-value of approximate randomization, counted from given draws."""

import numpy as np

from sigbook.clouds import Cloud
from sigbook.exercises.kinds import Case, Function, Wrong
from sigbook.rules import p_randomization


def monte_carlo_p(observed, swapped):
    """Two-sided p-value of approximate randomization.

    observed: the gap on the data, A minus B. swapped: array (B,), the gaps
    on B randomly swapped test sets. Returns a float.
    """
    reached = np.count_nonzero(np.abs(swapped) >= abs(observed))
    return (1 + reached) / (len(swapped) + 1)


def share(observed, swapped):
    return np.mean(np.abs(swapped) >= abs(observed))


def strict(observed, swapped):
    return (1 + np.count_nonzero(np.abs(swapped) > abs(observed))) / (len(swapped) + 1)


def strict_share(observed, swapped):
    return np.mean(np.abs(swapped) > abs(observed))


def upper(observed, swapped):
    return (1 + np.count_nonzero(swapped >= observed)) / (len(swapped) + 1)


def winner(observed, swapped):
    sign = -1 if observed < 0 else 1
    return (1 + np.count_nonzero(sign * swapped >= abs(observed))) / (len(swapped) + 1)


def doubled(observed, swapped):
    return min(1.0, 2 * winner(observed, swapped))


def one_above(observed, swapped):
    return (1 + np.count_nonzero(np.abs(swapped) >= abs(observed))) / len(swapped)


def one_below(observed, swapped):
    return np.count_nonzero(np.abs(swapped) >= abs(observed)) / (len(swapped) + 1)


def half_absolute(observed, swapped):
    return (1 + np.count_nonzero(np.abs(swapped) >= observed)) / (len(swapped) + 1)


def confidence(observed, swapped):
    return (1 + np.count_nonzero(np.abs(swapped) < abs(observed))) / (len(swapped) + 1)


def floored(observed, swapped):
    return max(share(observed, swapped), 1 / (len(swapped) + 1))


def data_among_the_draws(observed, swapped):
    return np.mean(np.abs(np.append(swapped, observed)) >= abs(observed))


def in_a_loop(observed, swapped):
    reached = 1
    for gap in swapped:
        reached += gap >= abs(observed) or gap <= -abs(observed)
    return reached / (len(list(swapped)) + 1)


def with_the_package(observed, swapped):
    return p_randomization(Cloud(np.asarray(swapped), np.float64(observed), "randomization", False, 1.0))


def cases(rng):
    sizes = rng.integers(1, 9, size=40) / 16
    return [
        Case("no draw that reaches the gap", (0.5, np.array([0.25, -0.25, 0.0, 0.125, -0.125]))),
        Case("draws that tie with the gap", (0.5, np.array([0.5, -0.5, 0.25, 0.5, -0.75, -0.25, 1.0]))),
        Case("a gap below zero", (-0.25, np.array([0.25, -0.5, 0.0, 0.125, -0.125, 0.5, 0.75, -0.25]))),
        Case("a gap of zero", (0.0, np.array([0.25, -0.25, 0.0, 0.125]))),
        Case("a single draw", (0.5, np.array([-0.25]))),
        Case("more draws above than below", (0.25, np.array([0.5, 0.5, 0.5, 0.25, 0.0, 0.0, -0.5, 0.125, 0.125]))),
        Case("random draws", (float(rng.integers(2, 7) / 16), rng.choice([-1, 1], size=40) * sizes)),
    ]


EXERCISE = Function(
    id="monte-carlo-p",
    title="A p-value from given swaps",
    level=1,
    statement="The gaps of B random swaps are there. Write the two-sided p-value of approximate randomization, the one "
              "that {prf:ref}`thm-randomization` proves valid for every B, with NumPy. Equal gaps are equal "
              "to the last bit, so no slack is needed.",
    reference=monte_carlo_p,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(share, "that is b/B, the plain share of the draws. It can be 0, and it rejects true nulls too often: the "
                     "data themselves are one of the swaps and count."),
        Wrong(strict, "that counts only draws beyond the observed gap. A draw that ties with it reaches it too; without "
                      "ties two copies of one file are called different."),
        Wrong(strict_share, "that is the plain share of draws beyond the observed gap: neither the data nor the ties "
                            "count."),
        Wrong(upper, "that is one-sided, for A being better. Two-sided, a gap as large the other way round counts as "
                     "well."),
        Wrong(winner, "that looks on the winner's side only, a side that was chosen by the data. Gaps of that size on "
                      "the other side count as well."),
        Wrong(doubled, "that counts one side and doubles. The statistic is the absolute gap: count both sides as they "
                       "are."),
        Wrong(one_above, "the data were added above the fraction line and not below. With every draw counted this would "
                         "be more than 1."),
        Wrong(one_below, "the data were added below the fraction line and not above. They reach their own gap."),
        Wrong(half_absolute, "the draws enter by their size and the observed gap by its signed value. Where it is "
                             "negative, every draw reaches it."),
        Wrong(floored, "that is b/B with a 0 lifted to the smallest p-value. The data count among the draws always, not only "
                       "when no draw reaches the gap."),
        Wrong(confidence, "that counts the draws that stay short of the gap. A p-value is small when few reach it."),
    ),
    same=(data_among_the_draws, in_a_loop, with_the_package),
    hints=(
        "Which draws are at least as extreme as the data? Two-sided means: by absolute value.",
        "The data are one more swap, the one that changes nothing. Does it reach the observed gap?",
    ),
    solution="Count the draws whose absolute gap is at least the observed one, ties among them, and count the data with "
             "them: one more that reaches, one more in all. With the observed gap 0.5 and seven draws of which four "
             "reach it, p is 5/8 = 0.625; b/B would be 0.571.",
    shows="swapped = np.array([0.5, -0.5, 0.25, 0.5, -0.75, -0.25, 0.0])\n"
          "share = np.mean(np.abs(swapped) >= 0.5)\n"
          'print(f"p = {monte_carlo_p(0.5, swapped):.3f}, b/B = {share:.3f}")',
)
