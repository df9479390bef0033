"""A paired bootstrap draws once: two draws, aligned afterwards, are no pairs."""

from itertools import product

import numpy as np

from sigbook.exercises.kinds import Choice

A, B = np.array([9, 6, 3]), np.array([8, 4, 3])


def spreads():
    """Sd of the gap over all draws: one draw for both, one draw each."""
    draws = [list(draw) for draw in product(range(3), repeat=3)]
    mean_a, mean_b = A[draws].mean(axis=1), B[draws].mean(axis=1)
    return (mean_a - mean_b).std(), np.subtract.outer(mean_a, mean_b).std()


def answer():
    together, apart = spreads()
    return ("b" if apart > together else "d"), 1


EXERCISE = Choice(
    id="one-draw-for-both",
    title="Two files, drawn apart",
    level=1,
    asked="003 self-check 1",
    statement="The scores of two systems on the same forty recordings are in two files. One "
              "script draws forty recordings with replacement and keeps their lines of the first "
              "file. Another script does so with the second file, with draws of its own. "
              "Afterwards both results are sorted by the recordings' ids, laid side by side, and "
              "subtracted line by line. Is the mean difference a gap of the paired bootstrap?",
    name="answer",
    options={
        "a": "Yes: sorting by id brings the pairs together again.",
        "b": "No: one draw of recordings has to serve both files.",
        "c": "No, but it is one if recordings that are missing from either result are dropped.",
        "d": "It is not one by name, but the gap is spread in the same way.",
    },
    reasons={
        1: "What makes a recording hard for both systems cancels only where it counts equally "
           "often for both.",
        2: "The mean over many such gaps is not the observed gap.",
        3: "The bootstrap needs its draws in a random order.",
    },
    reference=answer,
    wrong={
        "a": "after sorting, the lines do not match: a recording may stand three times in one "
             "result and not at all in the other.",
        "c": "a recording that is left in both may still count twice in one and once in the "
             "other, and what is left is no draw of forty.",
        "d": "the spread is that of two systems on two test sets. It is larger whenever the "
             "systems find the same recordings hard.",
        2: "The mean is right: each result is centred at its own observed score. It is the "
           "spread that goes wrong.",
        3: "The order of the lines does not enter a mean, sorted or not.",
    },
    hints=(
        "Let both systems be right on the same recordings, and on no others. What is the gap in "
        "a paired resample? What can it be here?",
        "Write the variance of a difference with its covariance. Which of the three terms is lost?",
    ),
    solution="In a paired resample a recording counts equally often for both systems, so that a "
             "hard recording drags both down and cancels from the gap. Two draws lose this "
             "covariance, and with it the multiplicities; no sorting brings it back. With three "
             "recordings, listing all draws, the sd of the gap is 0.47 with one draw and 1.89 "
             "with two.",
    shows="""from itertools import product

a, b = np.array([9, 6, 3]), np.array([8, 4, 3])
draws = [list(draw) for draw in product(range(3), repeat=3)]
mean_a, mean_b = a[draws].mean(axis=1), b[draws].mean(axis=1)
print("scores", a, b)
print(f"one draw for both: sd {(mean_a - mean_b).std():.2f}")
print(f"a draw for each:   sd {np.subtract.outer(mean_a, mean_b).std():.2f}")""",
)
