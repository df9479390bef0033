"""A side chosen after the data: two budgets spent."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong


def corners():
    budget = int(0.05 * 2**7)
    either_side = 2 * budget
    return budget, either_side, either_side / 2**7


def honest():
    return 6, 6, 6 / 128


def rounded_up():
    return 7, 14, 14 / 128


def two_sided_each():
    return 6, 12, 0.05


def nominal():
    return 6.4, 12.8, 0.1


def half_each():
    return 3, 6, 6 / 128


def independent():
    return 6, 12, 1 - (1 - 6 / 128) ** 2


def of_signs():
    return 8, 16, 0.125


EXERCISE = Value(
    id="the-side-that-is-ahead",
    title="The side that is ahead",
    level=2,
    statement="On seven units the two systems differ, by seven different amounts, and no two sets "
              "of them have the same sum. The test of the mean difference is made by listing all "
              "swaps, at level 0.05. (1) How many of the data set's corners, the $2^7$ "
              "arrangements that swaps lead to, does the one-sided test for \"A better\" reject? "
              "(2) How many are rejected by somebody who makes the one-sided test for the system "
              "that is ahead? (3) What is the size of that procedure? Three numbers, the last to "
              "four decimals.",
    name="corners",
    reference=corners,
    within=6e-5,
    wrong=(
        Wrong(honest, "the first number is right. Who looks who is ahead rejects corners at both "
                      "ends: those where A is far ahead and those where B is."),
        Wrong(rounded_up, "one corner too many: its p-value is above 0.05. A test may use no more "
                          "than the level allows, and not the nearest number."),
        Wrong(two_sided_each, "the first two numbers are right. The size is the share of corners "
                              "that are rejected."),
        Wrong(nominal, "a number of corners is a whole number."),
        Wrong(half_each, "that is the two-sided test, with half of the level on either side. Here "
                         "the whole level was spent on the side that was ahead."),
        Wrong(independent, "the first two numbers are right. The two rejections exclude each "
                           "other, so their chances add up."),
        Wrong(of_signs, "that would be the corners in which at most one sign is turned. The test "
                        "takes the mean, and amounts differ."),
    ),
    hints=(
        "The k-th largest of 128 different sums has the one-sided p-value k/128. For which k is it "
        "at most 0.05?",
        "The corners where B is ahead are the mirror images of those where A is.",
    ),
    solution="The budget is $\\lfloor 0.05 \\cdot 128 \\rfloor = 6$ corners, and the test for \"A "
             "better\" spends it on the six largest sums. The test for \"B better\" spends its own "
             "on the six smallest. Who takes the side that is ahead rejects all twelve: a size of "
             "0.0938, nearly twice the level. A look at the sign is a look at who is ahead, and "
             "such a choice has its price ({prf:ref}`prop-budget` (c)). The two-sided test pays "
             "it, with three corners on either side.",
    shows="""from itertools import product

d = 2 ** np.arange(7)  # no two sets have the same sum
sums = np.array(list(product((1, -1), repeat=7))) @ d
greater = np.array([np.mean(sums >= s) for s in sums])
less = np.array([np.mean(sums <= s) for s in sums])
ahead = np.where(sums > 0, greater, less)
both = np.array([np.mean(np.abs(sums) >= abs(s)) for s in sums])
print(f"{len(sums)} corners, level 0.05")
for name, p in (("A better", greater), ("the side ahead", ahead),
                ("two-sided", both)):
    print(f"{name}: {(p <= 0.05).sum()}, size {np.mean(p <= 0.05):.4f}")""",
)
