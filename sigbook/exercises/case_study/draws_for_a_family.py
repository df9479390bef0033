"""How many draws a family needs before a correction can reject anything."""

import math

from sigbook.exercises.kinds import Value, Wrong


def draws():
    hypotheses = 3 * math.comb(12, 2)
    return hypotheses / 0.01 - 1


def data_forgotten():
    return 198 / 0.01


def one_metric():
    return 66 / 0.01 - 1


def systems_for_pairs():
    return 36 / 0.01 - 1


def ordered_pairs():
    return 396 / 0.01 - 1


def uncorrected():
    return 1 / 0.01 - 1


def other_level():
    return 198 / 0.05 - 1


EXERCISE = Value(
    id="draws-for-a-family",
    title="Draws for a family",
    level=1,
    statement="Twelve systems are compared in all pairs, on three metrics, by approximate "
              "randomization; Holm's procedure at level 0.01 covers the whole family. With too few "
              "draws it rejects nothing, whatever the data. What is the smallest number of draws "
              "with which it can reject something?",
    setup="import math",
    name="draws",
    reference=draws,
    within=0.4,
    wrong=(
        Wrong(data_forgotten, "one draw more than needed: the data count as one more in the "
                              "p-value, above and below the line."),
        Wrong(one_metric, "only one of the metrics was counted."),
        Wrong(systems_for_pairs, "the systems were counted, and not their pairs."),
        Wrong(ordered_pairs, "that is for twice as many hypotheses. A pair is one hypothesis: the "
                             "test compares absolute gaps, so it is two-sided and covers both "
                             "orders."),
        Wrong(uncorrected, "that is enough for a single test. The smallest p-value of a family is "
                           "multiplied first."),
        Wrong(other_level, "that is enough at level 0.05. Holm's procedure is made at 0.01 here."),
    ),
    hints=(
        "How many hypotheses are there? How small is the smallest p-value of B draws?",
        "Holm's first step holds the smallest p-value against the level over the number of "
        "hypotheses.",
        "1/(B + 1) must be at most 0.01 over the number of hypotheses.",
    ),
    solution="There are 66 pairs and 198 hypotheses. The smallest p-value of B draws is $1/(B+1)$, "
             "and Holm's first step asks for 0.01/198. So $B + 1$ must be at least 19,800. With "
             "9,999 draws, plenty for one test, nothing could be rejected.",
    shows='''pairs = math.comb(12, 2)
print(f"{pairs} pairs, {3 * pairs} hypotheses, {draws():,.0f} draws")
for b in (9_999, 19_799):
    print(f"{b:,} draws: smallest p times {3 * pairs} is "
          f"{3 * pairs / (b + 1):.4f}; B + 1 = {b + 1:,}")''',
)
