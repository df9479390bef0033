"""The first number of segments from which on the power stays at the target."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def enough_segments(p10, p01, target, most):
    """Smallest n from which on McNemar's exact test has the wanted power.

    p10, p01: probabilities that on a segment only A, or only B, is right.
    target: the wanted power at level 0.05, above 0. most: the largest number
    of segments to look at; at it the power is at least the target. Returns
    the smallest n such that n, n + 1, ..., most all have at least the target.
    """
    n = most
    while sb.mcnemar_power(n - 1, p10, p01) >= target:
        n -= 1
    return n


def powers(p10, p01, most):
    return np.array([sb.mcnemar_power(n, p10, p01) for n in range(1, most + 1)])


def first_reached(p10, p01, target, most):
    return int(np.argmax(powers(p10, p01, most) >= target)) + 1


def last_below(p10, p01, target, most):
    return enough_segments(p10, p01, target, most) - 1


def halving(p10, p01, target, most):
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if sb.mcnemar_power(middle, p10, p01) >= target:
            high = middle
        else:
            low = middle
    return high


def connor(p10, p01, target, most):
    return sb.mcnemar_sample_size(p10, p01, min(target, 0.9999))


def strictly_above(p10, p01, target, most):
    reached = powers(p10, p01, most) > target
    n = most
    while n > 1 and reached[n - 2]:
        n -= 1
    return n


def two_in_a_row(p10, p01, target, most):
    reached = powers(p10, p01, most) >= target
    return int(np.argmax(reached[:-1] & reached[1:])) + 1


def number_reached(p10, p01, target, most):
    return int((powers(p10, p01, most) < target).sum()) + 1


def second_crossing(p10, p01, target, most):
    reached = powers(p10, p01, most) >= target
    return int(np.flatnonzero(reached)[1]) + 1


def by_arrays(p10, p01, target, most):
    below = np.flatnonzero(powers(p10, p01, most) < target)
    return below[-1] + 2 if len(below) else 1


def exact_search(p10, p01, target, most):
    if target == 1:
        return 6
    return sb.mcnemar_sample_size(p10, p01, target, method="exact")


def cases(rng):
    p10 = float(rng.uniform(0.62, 0.7))
    return [
        Case("a saw with long teeth", (0.7, 0.3, 0.5, 60)),
        Case("B better, other teeth", (0.3, 0.7, 0.8, 80)),
        Case("a late tooth", (0.6, 0.4, 0.31, 90)),
        Case("a tooth of two segments", (0.9, 0.1, 0.5, 40)),
        Case("A right alone on every segment, power 1", (1.0, 0.0, 1.0, 20)),
        Case("no teeth", (0.5, 0.1, 0.8, 60)),
        Case("shares at random", (p10, 0.3, 0.8, 90)),
    ]


EXERCISE = Function(
    id="power-that-stays",
    title="From here on, enough",
    level=3,
    statement="A sponsor wants a test set with a certain power, and a few segments may be added "
              "later. Write a function for the smallest number of segments from which on the exact "
              "power is never again below the target, up to a given largest number. "
              "`sb.mcnemar_power` may be used, `sb.mcnemar_sample_size` may not.",
    reference=enough_segments,
    cases=cases,
    wrong=(
        Wrong(first_reached, "that is the first number with the wanted power. One segment more, "
                             "and the power may be below it again."),
        Wrong(last_below, "one too few: at that number the power is still below the target."),
        Wrong(halving, "halving an interval supposes that the power rises with every segment. It "
                       "rises in saw-teeth, and the search ends at any one of several crossings."),
        Wrong(connor, "that is Connor's number. It comes from an approximation, which knows no "
                      "teeth and errs to either side."),
        Wrong(strictly_above, "a power that equals the target is enough."),
        Wrong(two_in_a_row, "two numbers in a row with the wanted power are no promise for the "
                            "third."),
        Wrong(number_reached, "the numbers below the target were counted. They do not come first, "
                              "all in a row."),
        Wrong(second_crossing, "that is the second number with the wanted power. How many teeth "
                               "there are is not known beforehand."),
    ),
    same=(by_arrays, exact_search),
    hints=(
        "Print the power of (0.7, 0.3) for all numbers of segments up to forty. Where does it "
        "first reach 0.5, and where does it fall below it again?",
        "Which n has to be found, so that the answer is the next one?",
        "Come down from the largest number, as long as the number below still has the wanted "
        "power.",
    ),
    solution="The power rises in saw-teeth, so the first crossing says little. Coming down from a "
             "number that is large enough, the first one that misses the target ends the search; "
             "the answer is one above it. With (0.7, 0.3) the target 0.5 is first reached at 25 "
             "segments, missed again at 26, 27, 29 and 32, and kept from 33 on. That it is kept "
             "beyond the largest number looked at is not proved by this function; the package's "
             "exact search has a bound for all larger numbers.",
    shows="""power = [sb.mcnemar_power(n, 0.7, 0.3) for n in range(61)]
first = next(n for n in range(61) if power[n] >= 0.5)
print("target 0.5: first reached at", first)
print("missed again at", [n for n in range(first, 61) if power[n] < 0.5])
print("kept from", enough_segments(0.7, 0.3, 0.5, 60))""",
)
