"""The exact power of McNemar's test, added up over all counts."""

from math import comb

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def exact_power(n, p10, p01, alpha):
    """Power of McNemar's exact two-sided test on n independent segments.

    n: whole number, at most 30. p10, p01: probabilities that on a segment
    only A, or only B, is right. alpha: the level; the test rejects when its
    p-value is at most alpha. Returns a float.
    """
    power = 0.0
    for wins in range(n + 1):
        for others in range(n + 1 - wins):
            losses = n - wins - others
            if sb.mcnemar(wins, losses) <= alpha:
                ways = comb(n, wins) * comb(n - wins, losses)
                neither = (1 - p10 - p01) ** others
                power += ways * p10**wins * p01**losses * neither
    return power


def summed(n, p10, p01, rejects, ways=lambda n, a, b: comb(n, a) * comb(n - a, b)):
    rest = 1 - p10 - p01
    return sum(ways(n, a, b) * p10**a * p01**b * rest ** (n - a - b)
               for a in range(n + 1) for b in range(n + 1 - a) if rejects(a, b))


def one_direction(n, p10, p01, alpha):
    return summed(n, p10, p01, lambda a, b: a > b and sb.mcnemar(a, b) <= alpha)


def strict(n, p10, p01, alpha):
    return summed(n, p10, p01, lambda a, b: sb.mcnemar(a, b) < alpha)


def one_sided(n, p10, p01, alpha):
    return summed(n, p10, p01, lambda a, b: a > b and sb.mcnemar(a, b) / 2 <= alpha)


def mid_p(n, p10, p01, alpha):
    return summed(n, p10, p01, lambda a, b: sb.mcnemar(a, b, method="midp") <= alpha)


def chi_squared(n, p10, p01, alpha):
    return summed(n, p10, p01, lambda a, b: sb.mcnemar(a, b, method="chi2") <= alpha)


def missed(n, p10, p01, alpha):
    return 1 - exact_power(n, p10, p01, alpha)


def orders_forgotten(n, p10, p01, alpha):
    return summed(n, p10, p01, lambda a, b: sb.mcnemar(a, b) <= alpha, lambda n, a, b: 1)


def expected_discordant(n, p10, p01, alpha):
    k = round(n * (p10 + p01))
    lean = p10 / (p10 + p01)
    return sum(comb(k, a) * lean**a * (1 - lean) ** (k - a)
               for a in range(k + 1) if sb.mcnemar(a, k - a) <= alpha)


def all_discordant(n, p10, p01, alpha):
    lean = p10 / (p10 + p01)
    return sum(comb(n, a) * lean**a * (1 - lean) ** (n - a)
               for a in range(n + 1) if sb.mcnemar(a, n - a) <= alpha)


def expected_counts(n, p10, p01, alpha):
    return 1.0 if sb.mcnemar(round(n * p10), round(n * p01)) <= alpha else 0.0


def normal_approximation(n, p10, p01, alpha):
    from scipy.stats import norm

    shared, gap = p10 + p01, abs(p10 - p01)
    distance = np.sqrt(n) * gap - norm.isf(alpha / 2) * np.sqrt(shared)
    return norm.cdf(distance / np.sqrt(shared - gap**2))


def independent_counts(n, p10, p01, alpha):
    return sum(comb(n, a) * p10**a * (1 - p10) ** (n - a)
               * comb(n, b) * p01**b * (1 - p01) ** (n - b)
               for a in range(n + 1) for b in range(n + 1) if sb.mcnemar(a, b) <= alpha)


def with_the_package(n, p10, p01, alpha):
    return sb.mcnemar_power(n, p10, p01, alpha)


def two_binomials(n, p10, p01, alpha):
    from scipy.stats import binom

    shared, power = p10 + p01, 0.0
    for k in range(n + 1):
        wins = np.arange(k + 1)
        rejects = np.array([sb.mcnemar(int(a), k - int(a)) <= alpha for a in wins])
        power += binom.pmf(k, n, shared) * binom.pmf(wins, k, p10 / shared)[rejects].sum()
    return np.float64(power)


def cases(rng):
    p10, p01 = rng.uniform(0.3, 0.5), rng.uniform(0.02, 0.1)
    return [
        Case("B better, twelve segments", (12, 0.2, 0.5, 0.05)),
        Case("no gap", (14, 0.4, 0.4, 0.1)),
        Case("a level that a p-value meets", (9, 0.6, 0.1, 0.0625)),
        Case("too few segments to reject", (5, 0.7, 0.1, 0.05)),
        Case("shares at random", (18, float(p10), float(p01), 0.05)),
    ]


EXERCISE = Function(
    id="exact-power",
    title="Exact power",
    level=2,
    statement="Write the exact power of McNemar's exact test ({prf:ref}`prop-power` (a)), without "
              "`sb.mcnemar_power`. The p-value of given counts may come from `sb.mcnemar`. No "
              "simulation: the result is asked for to nine digits.",
    setup="from math import comb",
    reference=exact_power,
    cases=cases,
    wrong=(
        Wrong(one_direction, "rejections in favour of B were left out. The test is two-sided, and "
                             "with equal probabilities half of its rejections are B's."),
        Wrong(strict, "the test rejects when p is at most alpha. Some p-values equal the level."),
        Wrong(one_sided, "that is the power of a one-sided test for A."),
        Wrong(mid_p, "that is the power of the mid-p test. The exact test rejects less often."),
        Wrong(chi_squared, "that is the power of the χ² test. The exact test rejects less often."),
        Wrong(missed, "that is the probability not to reject. Power is that of rejecting."),
        Wrong(orders_forgotten, "each pair of counts was given the probability of one arrangement. "
                                "It can come about in many orders of the segments."),
        Wrong(expected_discordant, "the number of segments on which the two part was fixed at its "
                                   "expectation. It is random; the power is a mean over it."),
        Wrong(all_discordant, "the systems were taken to part on every segment."),
        Wrong(expected_counts, "the test was made once, on the expected counts. Power is a "
                               "probability over all counts there can be."),
        Wrong(normal_approximation, "that is the normal approximation behind Connor's formula. The "
                                    "sum over counts is asked for."),
        Wrong(independent_counts, "wins and losses were drawn independently. A segment that A "
                                  "alone gets right cannot be B's as well."),
    ),
    same=(with_the_package, two_binomials),
    hints=(
        "Power is the probability of all outcomes on which the test rejects. Which pairs of counts "
        "are there on n segments?",
        "The probability of a pair of counts is multinomial, with three kinds of segments: A's, "
        "B's, and those of both or neither.",
        "Go through all wins and losses with a sum of at most n, and add the probability wherever "
        "sb.mcnemar gives at most alpha.",
    ),
    solution="An outcome is a pair of counts. Each has a multinomial probability, and the power is "
             "the total of those with $p \\le \\alpha$. The chapter's double sum orders the same "
             "outcomes by the number of discordant segments. With A and B right alone on shares of "
             "0.5 and 0.2, 12 segments have power 0.137. On five segments the power is 0 at level "
             "0.05, whatever the truth: no outcome rejects. And with equal probabilities of 0.4 "
             "the power at level 0.1, on 14 segments, is the size 0.0523.",
    shows="""print(f"12 segments, 0.5 and 0.2: {exact_power(12, 0.5, 0.2, 0.05):.3f}")
print(f"5 segments, level 0.05: {exact_power(5, 0.7, 0.1, 0.05):.0f}")
print(f"14 segments, 0.4 and 0.4, level 0.1: "
      f"{exact_power(14, 0.4, 0.4, 0.1):.4f}")""",
)
