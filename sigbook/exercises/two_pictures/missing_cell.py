"""The observed gap ties the cells of a comparison table together, so that one of them can be found again."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

a = np.array([0.82, 0.71, 0.90, 0.65, 0.78, 0.85, 0.60, 0.92, 0.74, 0.88])
b = np.array([0.79, 0.68, 0.85, 0.63, np.nan, 0.81, 0.58, 0.89, 0.77, 0.84])
gap = 0.021


def missing():
    known = ~np.isnan(b)
    sum_of_others = (a[known] - b[known]).sum()
    difference = gap * len(a) - sum_of_others
    return a[4] - difference


def others():
    known = ~np.isnan(b)
    return (a[known] - b[known]).sum()


def gap_is_a_sum():
    return a[4] - (gap - others())


def nine_of_ten():
    return a[4] - (gap * 9 - others())


def b_minus_a():
    return a[4] + (gap * 10 - others())


def difference():
    return gap * 10 - others()


def imputed():
    return a[4] - others() / 9


def same_gap():
    return a[4] - gap


EXERCISE = Value(
    id="missing-cell",
    title="The missing cell",
    level=1,
    asked="004 rung 1",
    statement="Two taggers are compared by F1 on the same ten examples. The stub holds the table; B's score on the "
              "fifth example cannot be read. The report gives the mean of the ten differences, A minus B, as "
              "0.0210. Which score stood in the missing cell, to two decimals?",
    setup="a = np.array([0.82, 0.71, 0.90, 0.65, 0.78,\n"
          "              0.85, 0.60, 0.92, 0.74, 0.88])\n"
          "b = np.array([0.79, 0.68, 0.85, 0.63, np.nan,\n"
          "              0.81, 0.58, 0.89, 0.77, 0.84])\n"
          "gap = 0.0210  # mean of the ten differences a - b",
    name="missing",
    reference=missing,
    within=4e-4,
    wrong=(
        Wrong(gap_is_a_sum, "that takes the reported gap for the sum of the differences. It is their mean."),
        Wrong(nine_of_ten, "the gap is a mean over all examples, the one with the missing cell among them. How many "
                           "are they?"),
        Wrong(b_minus_a, "the difference has the wrong sign. A gap is A minus B, so B's score is A's score less the "
                         "difference."),
        Wrong(difference, "that is the difference on the fifth example. B's score is asked for."),
        Wrong(imputed, "that fills the cell with the mean of the other differences. The cell is not to be guessed: "
                       "the reported gap fixes it."),
        Wrong(same_gap, "that takes the mean difference for the difference on the fifth example. The ten differences "
                        "have this mean; no single one needs to equal it."),
    ),
    hints=(
        "The observed gap of two means is the mean of the differences. So how large is the sum of all ten?",
        "The other nine differences can be added up. What is left of the sum is the fifth one.",
    ),
    solution="The ten differences have the mean 0.0210, hence the sum 0.21. The nine known ones sum to 0.23, so the "
             "fifth is $-0.02$: there B is ahead, with 0.80 against A's 0.78. The observed gap is a mean over all "
             "examples, wins and losses alike.",
    shows='known = ~np.isnan(b)\n'
          'print(f"sum of all ten {gap * len(a):.2f}, "\n'
          '      f"of the nine known {(a[known] - b[known]).sum():.2f}")\n'
          'print(f"missing cell {missing():.2f}, difference {a[4] - missing():.2f}")',
)
