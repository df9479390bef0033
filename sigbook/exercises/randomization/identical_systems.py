"""Two copies of one file under four ways of counting."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong


def printed():
    gaps, observed = np.zeros(999), 0.0  # every swap of copies has gap 0
    at_least = np.count_nonzero(np.abs(gaps) >= abs(observed))
    beyond = np.count_nonzero(np.abs(gaps) > abs(observed))
    return [(1 + at_least) / 1000, (1 + beyond) / 1000,
            at_least / 999, beyond / 999]


def all_one():
    return [1, 1, 1, 1]


def exchanged():
    return [0.001, 1, 0, 1]


def no_ones():
    return [1, 0, 1, 0]


def mixed():
    return [1, 0.001, 0.999, 0]


def halves():
    return [0.5, 0.5, 0.5, 0.5]


EXERCISE = Value(
    id="identical-systems",
    title="Two copies of one file",
    level=1,
    statement="One output file is handed in twice, as A and as B. Four programs test the two by approximate "
              "randomization with 999 draws, two-sided. They count draws that are (1) at least as large as the observed "
              "gap, and add the two ones; (2) larger, and add the two ones; (3) at least as large, without the ones; "
              "(4) larger, without the ones. Which four p-values do they print, in this order, to three decimals?",
    name="printed",
    reference=printed,
    within=4e-4,
    wrong=(
        Wrong(all_one, "that is what all four ought to print. Two of them do not: which draws are larger than a gap of "
                       "0?"),
        Wrong(exchanged, "the two ways of comparing were exchanged. Every swap of two copies has gap 0: how many of them "
                         "are at least 0, how many larger?"),
        Wrong(no_ones, "the second program counts no draw, but it adds the ones."),
        Wrong(mixed, "the third program divides the number of its draws by the number of its draws; the data are left "
                     "out above and below the line."),
        Wrong(halves, "nothing is decided by a coin here. Swapping two equal outputs changes nothing, so every draw has "
                      "the same gap."),
    ),
    hints=(
        "What is the gap after a swap of two equal outputs? And after every other swap?",
        "So either all 999 draws count or none does. With the ones, one more counts, among 1,000.",
    ),
    solution="Every swap of copies gives the gap 0, which is also the observed one. Counted with $\\ge$, all draws reach "
             "it and p = 1.000. Counted with $>$, none does: with the ones p = 0.001, the smallest value that 999 draws "
             "can give, and without them 0. So two of the four call a file different from itself, and more draws would "
             "only make them surer.",
    shows='print("p-values", " ".join(f"{p:.3f}" for p in printed()))',
)
