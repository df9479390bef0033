"""How many tests make a false alarm more likely than not: the size counts, not the level."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong


def tests():
    size = 2 / 2**6
    return int(np.ceil(np.log(0.5) / np.log(1 - size)))


def level_for_size():
    return int(np.ceil(np.log(0.5) / np.log(0.95)))


def union_bound():
    return 16


def union_bound_of_levels():
    return 10


def one_expected():
    return 32


def last_below():
    return 21


def one_sided():
    return int(np.ceil(np.log(0.5) / np.log(1 - 1 / 64)))


def one_expected_of_levels():
    return 20


EXERCISE = Value(
    id="more-likely-than-not",
    title="A false alarm more likely than not",
    level=2,
    statement="Pairs of equal systems are compared, each pair on a test set of its own, so that "
              "the tests are independent. On each test set six segments part the two systems, each "
              "going to either of them with chance one half. McNemar's exact two-sided test is "
              "made at level 0.05. What is the smallest number of test sets with which it is more "
              "likely than not that some test rejects?",
    name="tests",
    reference=tests,
    within=0.4,
    wrong=(
        Wrong(level_for_size, "that would be so if each test rejected with probability 0.05. On "
                              "six segments the exact test cannot: which outcomes reject, and how "
                              "likely are they?"),
        Wrong(union_bound, "chances were added. Two alarms may come together, so the chance of "
                           "some alarm grows more slowly than the sum."),
        Wrong(union_bound_of_levels, "chances were added, and the level was taken for the size."),
        Wrong(one_expected, "with that many tests one false alarm is expected. Its being more "
                            "likely than not comes earlier."),
        Wrong(last_below, "with that many tests it is still a little less likely than not."),
        Wrong(one_sided, "only outcomes that favour one of the systems were counted. The test is "
                         "two-sided."),
        Wrong(one_expected_of_levels, "that is the number with which one false alarm is expected, "
                                      "if each test rejects with probability 0.05. Neither is "
                                      "asked here."),
    ),
    hints=(
        "Of the 64 outcomes on six segments, with which does the test reject at level 0.05?",
        "The chance that none of k independent tests rejects is a power. When does it fall below "
        "one half?",
    ),
    solution="The p-value is at most 0.05 only when all six segments go to one system: 2 of 64 "
             "outcomes, a size of 0.03125. Some test of k rejects with probability $1 - (1 - "
             "0.03125)^k$, which passes one half between 21 and 22. With tests of size 0.05 it "
             "would be 14. The level is a bound for the size; for discrete tests the size can be "
             "much smaller, and the formula with the level is then an upper bound.",
    shows="""size = 2 / 64
for wins in (6, 5):
    print(f"{wins} to {6 - wins}: p = {sb.mcnemar(wins, 6 - wins):.4f}")
print(f"2 of {2**6} outcomes reject, size {size}; some of k tests rejects:")
for k in (21, 22):
    print(f"  k = {k}: {1 - (1 - size) ** k:.4f}")
print(f"with size 0.05, k = 14: {1 - 0.95**14:.4f}")""",
)
