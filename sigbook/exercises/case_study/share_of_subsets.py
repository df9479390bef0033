"""Mean and spread of the share of subsets that reject, over all data sets."""

from math import comb, sqrt

from sigbook.exercises.kinds import Case, Function, Wrong


def share_of_subsets(n, m, nu, least):
    """Mean and standard deviation of the share of subsets that reject.

    n: independent segments in the whole test set. m: segments in a subset.
    nu: probability that the fault shows on a segment. least: a test on a
    subset rejects if the fault shows on at least so many of its segments.
    The share is that of all subsets of m segments on which the test rejects;
    mean and standard deviation are over test sets of n. Returns two floats.
    """
    law = []
    for k in range(n + 1):
        chance = comb(n, k) * nu**k * (1 - nu) ** (n - k)
        rejecting = sum(comb(k, j) * comb(n - k, m - j)
                        for j in range(least, m + 1))
        law.append((chance, rejecting / comb(n, m)))
    mean = sum(chance * share for chance, share in law)
    variance = sum(chance * (share - mean) ** 2 for chance, share in law)
    return mean, sqrt(variance)


def binomial(n, p, least):
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(least, n + 1))


def one_subset(n, m, nu, least):
    power = binomial(m, nu, least)
    return power, sqrt(power * (1 - power))


def bound(n, m, nu, least):
    power = binomial(m, nu, least)
    return power, sqrt(power * (1 - power) / (n // m))


def effective(n, m, nu, least):
    power = binomial(m, nu, least)
    return power, sqrt(power * (1 - power) * m / n)


def independent_subsets(n, m, nu, least):
    power = binomial(m, nu, least)
    return power, sqrt(power * (1 - power) / comb(n, m))


def moments(n, m, nu, share):
    law = [(comb(n, k) * nu**k * (1 - nu) ** (n - k), share(k)) for k in range(n + 1)]
    mean = sum(c * u for c, u in law)
    return mean, sum(c * (u - mean) ** 2 for c, u in law)


def hypergeometric(n, m, k, least):
    return sum(comb(k, j) * comb(n - k, m - j) for j in range(least, m + 1)) / comb(n, m)


def with_replacement(n, m, nu, least):
    mean, variance = moments(n, m, nu, lambda k: binomial(m, k / n, least))
    return mean, sqrt(variance)


def variance_itself(n, m, nu, least):
    return moments(n, m, nu, lambda k: hypergeometric(n, m, k, least))


def more_than(n, m, nu, least):
    return share_of_subsets(n, m, nu, least + 1)


def expected_showing(n, m, nu, least):
    power = hypergeometric(n, m, round(n * nu), least)
    return power, sqrt(power * (1 - power))


def whole_set(n, m, nu, least):
    power = binomial(n, nu, least)
    return power, sqrt(power * (1 - power))


def by_scipy(n, m, nu, least):
    from scipy.stats import binom, hypergeom

    k = range(n + 1)
    chance, share = binom.pmf(k, n, nu), hypergeom.sf(least - 1, n, k, m)
    mean = chance @ share
    return [mean, (chance @ share**2 - mean**2).clip(0) ** 0.5]


def by_pairs_of_subsets(n, m, nu, least):
    """The mean square is the chance that two random subsets both reject."""
    power, square = binomial(m, nu, least), 0.0
    for common in range(max(0, 2 * m - n), m + 1):
        both = 0.0
        for j in range(common + 1):
            other = binomial(m - common, nu, max(0, least - j))
            both += comb(common, j) * nu**j * (1 - nu) ** (common - j) * other**2
        square += comb(m, common) * comb(n - m, m - common) / comb(n, m) * both
    return power, sqrt(max(0.0, square - power**2))


def cases(rng):
    n, m = int(rng.integers(20, 31)), int(rng.integers(9, 13))
    return [
        Case("the example of six segments", (6, 3, 1 / 3, 2)),
        Case("subsets of half the size", (24, 12, 0.3, 4)),
        Case("small subsets", (25, 6, 0.35, 2)),
        Case("every subset is the whole", (10, 10, 0.5, 6)),
        Case("sizes at random", (n, m, float(rng.uniform(0.2, 0.4)), 3)),
    ]


EXERCISE = Function(
    id="share-of-subsets",
    title="What a share of subsets is worth",
    level=3,
    statement="A test of damage that never helps rejects when the fault shows on enough segments "
              "({prf:ref}`prop-damage`). From one test set of n segments somebody computes the "
              "share of *all* subsets of m segments on which it rejects: U in "
              "{prf:ref}`prop-subsets`. Write its mean and its standard deviation over test sets, "
              "exactly and without simulation.",
    setup="from math import comb, sqrt",
    reference=share_of_subsets,
    within=1e-8,
    cases=cases,
    wrong=(
        Wrong(one_subset, "the mean is right. The spread is that of a single subset's verdict; the "
                          "mean over all subsets varies less."),
        Wrong(bound, "the mean is right. The spread is the bound of disjoint subsets; all subsets "
                     "together know a little more."),
        Wrong(effective, "the mean is right. The spread was scaled by m over n, as if n/m subsets "
                         "were independent."),
        Wrong(independent_subsets, "the mean is right. The subsets were taken for independent. "
                                   "They are made of the same n segments."),
        Wrong(with_replacement, "the subsets were drawn with replacement. A subset holds no "
                                "segment twice."),
        Wrong(variance_itself, "the mean is right. The second number is the variance; its root is "
                               "asked for."),
        Wrong(more_than, "the test rejects when the fault shows on at least so many segments. Here "
                         "it needs one more."),
        Wrong(expected_showing, "the number of segments that show the fault was fixed at its "
                                "expectation. It differs between test sets, and that is where the "
                                "spread comes from."),
        Wrong(whole_set, "the test was made on the whole test set, and not on subsets."),
    ),
    same=(by_scipy, by_pairs_of_subsets),
    hints=(
        "Suppose that k of the n segments show the fault. On which share of all subsets of m do at "
        "least so many?",
        "The number k is random too: binomial. The share is a function of k alone.",
        "Mean and variance of this function of k, with the binomial probabilities as weights.",
    ),
    solution="The share depends on the test set through one number, k, on how many of its segments "
             "the fault shows. Given k, the number in a random subset is hypergeometric; k itself "
             "is binomial. With 90 segments, subsets of 45, visibility 0.133 and at least 6 of "
             "them the mean is 0.56, the power, and the standard deviation 0.29. Two disjoint test "
             "sets of 45 would have 0.35. Believing in 200 independent subsets one would state "
             "0.035.",
    shows="""power, spread = share_of_subsets(90, 45, 0.133, 6)
print(f"visibility 0.133, least 6: power {power:.2f}, spread {spread:.2f}")
for sets in (2, 200):
    print(f"{sets} independent sets of 45: "
          f"{sqrt(power * (1 - power) / sets):.3f}")""",
)
