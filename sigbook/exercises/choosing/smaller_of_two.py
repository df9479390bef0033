"""The size of reporting the smaller of two valid p-values, all corners counted."""

from itertools import product

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def size_of_smaller(sizes, alpha):
    """Size of "reject if one of two p-values is at most alpha".

    sizes: array (n,) of positive whole numbers, n at most 8, the absolute
    differences of n units. Both tests are two-sided and list all swaps: the
    first takes the sum of the differences, the second the number of units
    that A wins minus the number that B wins. Returns the share of the 2^n
    corners on which some test rejects.
    """
    signs = np.array(list(product((1, -1), repeat=len(sizes))))
    rejected = np.zeros(len(signs), dtype=bool)
    for weights in (sizes, np.ones(len(sizes))):
        values = np.abs(signs @ weights)
        p = np.array([np.mean(values >= value) for value in values])
        rejected |= p <= alpha
    return rejected.mean()


def p_values(sizes):
    signs = np.array(list(product((1, -1), repeat=len(sizes))))
    found = []
    for weights in (np.asarray(sizes), np.ones(len(sizes), dtype=int)):
        values = np.abs(signs @ weights)
        found.append(np.array([np.mean(values >= value) for value in values]))
    return np.array(found)


def added(sizes, alpha):
    return (p_values(sizes) <= alpha).mean(axis=1).sum()


def larger(sizes, alpha):
    return np.mean(p_values(sizes).max(axis=0) <= alpha)


def first_alone(sizes, alpha):
    return np.mean(p_values(sizes)[0] <= alpha)


def second_alone(sizes, alpha):
    return np.mean(p_values(sizes)[1] <= alpha)


def independent(sizes, alpha):
    a, b = (p_values(sizes) <= alpha).mean(axis=1)
    return a + b - a * b


def of_levels(sizes, alpha):
    return 1 - (1 - alpha) ** 2


def paid(sizes, alpha):
    return np.mean(2 * p_values(sizes).min(axis=0) <= alpha)


def strict(sizes, alpha):
    return np.mean(p_values(sizes).min(axis=0) < alpha)


def one_sided(sizes, alpha):
    signs = np.array(list(product((1, -1), repeat=len(sizes))))
    rejected = np.zeros(len(signs), dtype=bool)
    for weights in (sizes, np.ones(len(sizes))):
        values = signs @ weights
        rejected |= np.array([np.mean(values >= value) for value in values]) <= alpha
    return rejected.mean()


def smaller_itself(sizes, alpha):
    return p_values(sizes).min(axis=0)[0]


def corners_counted(sizes, alpha):
    return float(np.sum(p_values(sizes).min(axis=0) <= alpha))


def by_minimum(sizes, alpha):
    return np.mean(p_values(sizes).min(axis=0) <= alpha)


def in_loops(sizes, alpha):
    sums, wins = [], []
    for bits in range(2 ** len(sizes)):
        turned = [-1 if bits >> k & 1 else 1 for k in range(len(sizes))]
        sums.append(abs(sum(int(s) * t for s, t in zip(sizes, turned))))
        wins.append(abs(sum(turned)))
    count = len(sums)
    hits = 0
    for s, w in zip(sums, wins):
        hits += min(sum(x >= s for x in sums), sum(x >= w for x in wins)) <= alpha * count
    return hits / count


def cases(rng):
    return [
        Case("six units of very different sizes", (np.array([40, 3, 2, 2, 1, 1]), 0.1)),
        Case("seven units", (np.array([12, 9, 8, 5, 2, 1, 1]), 0.2)),
        Case("all of one size", (np.array([3, 3, 3, 3, 3, 3]), 0.25)),
        Case("a level that a p-value meets", (np.array([5, 4, 3, 2, 1]), 0.0625)),
        Case("too few units to reject", (np.array([4, 2, 1]), 0.1)),
        Case("sizes at random", (rng.integers(1, 30, size=7), 0.15)),
    ]


EXERCISE = Function(
    id="smaller-of-two",
    title="The smaller of two",
    level=3,
    statement="Somebody makes two valid tests of one data set, a test of sums and a test of wins, "
              "and reports the smaller p-value. Write the exact size of this on a data set: the "
              "share of all its corners, the $2^n$ choices of signs, on which one of the two "
              "p-values is at most α. Use NumPy and `itertools`.",
    setup="from itertools import product",
    reference=size_of_smaller,
    cases=cases,
    wrong=(
        Wrong(added, "the two sizes were added. Corners that both tests reject count once."),
        Wrong(larger, "counted were the corners that both tests reject. One is enough for somebody "
                      "who reports the smaller p-value."),
        Wrong(first_alone, "that is the size of the first test alone."),
        Wrong(second_alone, "that is the size of the second test alone."),
        Wrong(independent, "the two tests were taken for independent. They are made from the same "
                           "signs."),
        Wrong(of_levels, "that is the formula for two independent tests of size exactly α."),
        Wrong(paid, "here the smaller p-value is doubled first, as one should. Asked is what "
                    "happens without."),
        Wrong(strict, "a test rejects when p is at most α. Some p-values equal it."),
        Wrong(one_sided, "the tests are one-sided. Both are to be two-sided."),
        Wrong(smaller_itself, "that is the smaller p-value at one corner. The share of all corners "
                              "that get a p-value of at most α is asked for."),
        Wrong(corners_counted, "that is the number of corners. Their share is asked for."),
    ),
    same=(by_minimum, in_loops),
    hints=(
        "List all signs. For each test, which statistic does each corner have?",
        "A corner's p-value is the share of corners whose absolute statistic is at least its own.",
        "Mark the corners that the first test rejects, add those of the second, and take the "
        "share.",
    ),
    solution="Each corner is the data once. Its two p-values come from the same list of signs, and "
             "it is rejected if one of them is at most α. For sizes 40, 3, 2, 2, 1, 1 at level 0.1 "
             "the test of sums rejects 6 of 64 corners and the test of wins 2, and 6 corners are "
             "rejected by one or the other: here the second test adds nothing. For 12, 9, 8, 5, 2, "
             "1, 1 at level 0.2 it is 22, 16 and together 28 of 128. Each of the tests keeps the "
             "level, and the smaller p-value does not: its size is 0.2188.",
    shows="""for sizes, alpha in (((40, 3, 2, 2, 1, 1), 0.1),
                     ((12, 9, 8, 5, 2, 1, 1), 0.2)):
    signs = np.array(list(product((1, -1), repeat=len(sizes))))
    counts = []
    for weights in (np.array(sizes), np.ones(len(sizes), dtype=int)):
        values = np.abs(signs @ weights)
        p = np.array([np.mean(values >= value) for value in values])
        counts.append(int((p <= alpha).sum()))
    size = size_of_smaller(np.array(sizes), alpha)
    print(f"{len(signs)} corners, level {alpha}: sums {counts[0]}, "
          f"wins {counts[1]}, together {size * len(signs):.0f}, "
          f"size {size:.4f}")""",
)
