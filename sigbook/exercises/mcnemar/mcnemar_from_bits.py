"""McNemar's exact test from right-or-wrong answers, with its two edge cases."""

from fractions import Fraction
from math import comb, erfc, sqrt

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong
from sigbook.mcnemar import mcnemar


def exact_mcnemar(x_a, x_b):
    """Two-sided p-value of McNemar's exact test.

    x_a, x_b: arrays (n,) of 0 and 1, whether each system is right on each
    segment. Returns a float.
    """
    n10, n01 = int(np.sum(x_a > x_b)), int(np.sum(x_a < x_b))
    n_d, k = n10 + n01, min(n10, n01)
    at_most = sum(comb(n_d, j) for j in range(k + 1)) / 2**n_d
    return min(1.0, 2 * at_most)


def counts(x_a, x_b):
    d = np.asarray(x_a, dtype=int) - np.asarray(x_b, dtype=int)
    return int((d == 1).sum()), int((d == -1).sum())


def at_most(n, k):
    return sum(comb(n, j) for j in range(k + 1)) / 2**n


def one_sided(x_a, x_b):
    n10, n01 = counts(x_a, x_b)
    return at_most(n10 + n01, min(n10, n01))


def uncapped(x_a, x_b):
    return 2 * one_sided(x_a, x_b)


def uncapped_at_a_tie(x_a, x_b):
    return uncapped(x_a, x_b) if sum(counts(x_a, x_b)) else 1.0


def all_segments(x_a, x_b):
    return min(1.0, 2 * at_most(len(x_a), min(counts(x_a, x_b))))


def beyond(x_a, x_b):
    n10, n01 = counts(x_a, x_b)
    return min(1.0, 2 * at_most(n10 + n01, min(n10, n01) - 1))


def midp(x_a, x_b):
    return mcnemar(*counts(x_a, x_b), "midp")


def none_is_zero(x_a, x_b):
    return mcnemar(*counts(x_a, x_b)) if sum(counts(x_a, x_b)) else 0.0


def a_ahead(x_a, x_b):
    n10, n01 = counts(x_a, x_b)
    return min(1.0, 2 * at_most(n10 + n01, n01))


def chi_squared(x_a, x_b):
    n10, n01 = counts(x_a, x_b)
    return erfc(abs(n10 - n01) / sqrt(n10 + n01) / sqrt(2)) if n10 + n01 else 1.0


def wrong_cells(x_a, x_b):
    agree = np.asarray(x_a) == np.asarray(x_b)
    both, neither = int((agree & (np.asarray(x_a) == 1)).sum()), int((agree & (np.asarray(x_a) == 0)).sum())
    return min(1.0, 2 * at_most(both + neither, min(both, neither)))


def right_answers(x_a, x_b):
    a, b = int(np.sum(x_a)), int(np.sum(x_b))
    return min(1.0, 2 * at_most(a + b, min(a, b)))


def by_swaps(x_a, x_b):
    """Adds one discordant segment at a time to the law of the swapped gap."""
    law = {0: 1}
    for d in (int(a) - int(b) for a, b in zip(x_a, x_b)):
        longer = {}
        for total, ways in law.items():
            for step in (d, -d):
                longer[total + step] = longer.get(total + step, 0) + ways
        law = longer
    observed = abs(sum(int(a) - int(b) for a, b in zip(x_a, x_b)))
    return Fraction(sum(ways for total, ways in law.items() if abs(total) >= observed), sum(law.values()))


def with_scipy(x_a, x_b):
    from scipy.stats import binomtest

    n10, n01 = counts(x_a, x_b)
    return binomtest(n10, n10 + n01).pvalue if n10 + n01 else 1


def with_the_package(x_a, x_b):
    return mcnemar(*counts(x_a, x_b))


def cases(rng):
    def bits(n11, n10, n01, n00):
        order = rng.permutation(n11 + n10 + n01 + n00)
        a = np.repeat([1, 1, 0, 0], [n11, n10, n01, n00])
        b = np.repeat([1, 0, 1, 0], [n11, n10, n01, n00])
        return a[order], b[order]

    return [
        Case("a few wins and a loss", bits(6, 5, 1, 2)),
        Case("B ahead", bits(9, 2, 9, 4)),
        Case("as many wins as losses", bits(3, 4, 4, 2)),
        Case("one win and one loss", bits(0, 1, 1, 0)),
        Case("no segment that tells the systems apart", bits(5, 0, 0, 3)),
        Case("wins alone", bits(0, 6, 0, 0)),
        Case("sixty segments at random", bits(*rng.multinomial(60, [0.6, 0.15, 0.1, 0.15]))),
    ]


EXERCISE = Function(
    id="mcnemar-from-bits",
    title="McNemar's test from answers",
    level=2,
    statement="Write McNemar's exact test from the answers themselves, with NumPy and `math.comb` and without `sb.mcnemar`. "
              "Two kinds of data need a thought: as many wins as losses, and no segment that tells the systems apart. What "
              "would the full randomization test say there?",
    setup="from math import comb",
    reference=exact_mcnemar,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(one_sided, "that is one side of the law. The smaller count may be A's or B's."),
        Wrong(uncapped, "where wins and losses are equally many, this is more than 1: the two sides overlap."),
        Wrong(uncapped_at_a_tie, "without a discordant segment p is 1, as it should be. Where wins and losses are equally "
                                 "many it is more than 1: the two sides overlap."),
        Wrong(all_segments, "all segments were taken for coins. A segment on which both are right, or both wrong, is no "
                            "duel."),
        Wrong(beyond, "the outcome in hand is missing from the sum. It is one of the outcomes at least as extreme as "
                      "itself."),
        Wrong(midp, "that is the mid-p value, in which the outcome in hand counts half."),
        Wrong(none_is_zero, "without a discordant segment p is 0 here. Every swap gives the observed gap then: how many "
                            "of them reach it?"),
        Wrong(a_ahead, "that counts on A's side, which is right when A is ahead. When B is ahead it calls everything "
                       "chance."),
        Wrong(chi_squared, "that is the chi-squared p-value, a normal approximation."),
        Wrong(wrong_cells, "that compares the segments on which both are right with those on which both are wrong. The "
                           "duels are the segments on which they part."),
        Wrong(right_answers, "that compares the two numbers of right answers. The segments that both get right are in both "
                             "of them and tell nothing apart."),
    ),
    same=(by_swaps, with_scipy, with_the_package),
    hints=(
        "Count the segments on which only A is right, and those on which only B is.",
        "The smaller of the two counts, k, came from n_d fair coins. Sum the binomial law up to k, and take it twice.",
        "Twice the sum is above 1 when the two counts are equal; with no coin at all it is 2. No p-value is above 1.",
    ),
    solution="Only the discordant segments are duels, and the smaller count is compared with fair coins, on both sides. With "
             "equal counts every swap reaches the observed gap of 0, so p = 1; this covers the case without discordant "
             "segments, where the one outcome of no coin has probability 1. Five wins and one loss give 0.2188.",
    shows="for n10, n01 in (5, 1), (4, 4), (0, 0):\n"
          "    x_a = np.repeat([1, 0, 1], [n10, n01, 7])\n"
          "    x_b = np.repeat([0, 1, 1], [n10, n01, 7])\n"
          '    print(f"{n10} won, {n01} lost: p = {exact_mcnemar(x_a, x_b):.4f}")',
)
