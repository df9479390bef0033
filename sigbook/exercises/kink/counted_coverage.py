"""Coverage counted: which test sets' intervals hold the truth, on the bent scale."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def coverage(u, u_star, true_u, k):
    """Shares of test sets whose intervals for min(0, u) cover the truth.

    u: array (E,), the u of each test set. u_star: array (E, B), u of its
    resamples. true_u: the population's u. k: resamples left out at each end.
    Returns the shares of the percentile and of the basic interval.
    """
    truth = min(0, true_u)
    observed = np.minimum(0, u)
    ordered = np.sort(np.minimum(0, u_star), axis=1)
    low, high = ordered[:, k], ordered[:, -1 - k]
    percentile = (low <= truth) & (truth <= high)
    basic = (2 * observed - high <= truth) & (truth <= 2 * observed - low)
    return percentile.mean(), basic.mean()


def shares(low, high, observed, truth):
    return (np.mean((low <= truth) & (truth <= high)),
            np.mean((2 * observed - high <= truth) & (truth <= 2 * observed - low)))


def ends(values, k):
    ordered = np.sort(values, axis=1)
    return ordered[:, k], ordered[:, -1 - k]


def truth_not_bent(u, u_star, true_u, k):
    return shares(*ends(np.minimum(0, u_star), k), np.minimum(0, u), true_u)


def nothing_bent(u, u_star, true_u, k):
    return shares(*ends(u_star, k), u, true_u)


def bent_afterwards(u, u_star, true_u, k):
    low, high = ends(u_star, k)
    truth = min(0, true_u)
    mirrored = np.minimum(0, 2 * u - high), np.minimum(0, 2 * u - low)
    percentile = (np.minimum(0, low) <= truth) & (truth <= np.minimum(0, high))
    return percentile.mean(), ((mirrored[0] <= truth) & (truth <= mirrored[1])).mean()


def open_ends(u, u_star, true_u, k):
    low, high = ends(np.minimum(0, u_star), k)
    truth, observed = min(0, true_u), np.minimum(0, u)
    return (np.mean((low < truth) & (truth < high)),
            np.mean((2 * observed - high < truth) & (truth < 2 * observed - low)))


def covers_the_observed(u, u_star, true_u, k):
    low, high = ends(np.minimum(0, u_star), k)
    observed = np.minimum(0, u)
    inside = np.mean((low <= observed) & (observed <= high))
    return inside, inside


def one_too_many(u, u_star, true_u, k):
    return shares(*ends(np.minimum(0, u_star), k - 1), np.minimum(0, u), min(0, true_u))


def interpolated(u, u_star, true_u, k):
    share = k / u_star.shape[1]
    low, high = np.quantile(np.minimum(0, u_star), [share, 1 - share], axis=1)
    return shares(low, high, np.minimum(0, u), min(0, true_u))


def around_the_mean(u, u_star, true_u, k):
    bent = np.minimum(0, u_star)
    low, high = ends(bent, k)
    return shares(low, high, bent.mean(axis=1), min(0, true_u))


def moved_not_mirrored(u, u_star, true_u, k):
    low, high = ends(np.minimum(0, u_star), k)
    truth, observed = min(0, true_u), np.minimum(0, u)
    middle = (low + high) / 2
    basic = (low - middle + observed <= truth) & (truth <= high - middle + observed)
    return np.mean((low <= truth) & (truth <= high)), basic.mean()


def one_by_one(u, u_star, true_u, k):
    truth = true_u if true_u < 0 else 0.0
    hits = [0, 0]
    for at, row in zip(u, u_star):
        row = sorted(min(0.0, float(x)) for x in row)
        low, high, at = row[k], row[len(row) - 1 - k], min(0.0, float(at))
        hits[0] += low <= truth <= high
        hits[1] += 2 * at - high <= truth <= 2 * at - low
    return [hit / len(u) for hit in hits]


def percentile_bent_last(u, u_star, true_u, k):
    low, high = (np.minimum(0, end) for end in ends(u_star, k))
    observed, truth = np.where(u < 0, u, 0), np.minimum(0, true_u)
    left, right = observed - low, high - observed
    basic = (observed - right <= truth) & (truth <= observed + left)
    return np.array([((low <= truth) & (truth <= high)).mean(), basic.mean()])


def cases(rng):
    found = []
    for label, h in (("a short system", -0.5), (
        "a system on the kink", 0.0), (
        "a system well on the short side", -3.0),
                     ("a system on the long side", 0.7)):
        u = h + rng.normal(size=300)
        found.append(Case(label, (u, u[:, None] + rng.normal(size=(300, 39)), h, 2)))
    fixed = np.array([[-1.0, 0.5, 2.0], [0.2, 0.4, 1.0], [-2.0, -1.5, -1.0]])
    three = np.array([0.4, 0.5, -1.5])
    found.append(Case("three test sets, no resample left out", (three, fixed, -1.2, 0)))
    one = np.array([[-4.0, -3.0, -2.0, -1.0, -0.5], [-1.0, 2.0, -3.0, -0.5, -4.0]])
    two = np.array([-2.0, -0.8])
    found.append(Case("two test sets, one resample left out at each end", (two, one, -3.1, 1)))
    return found


EXERCISE = Function(
    id="counted-coverage",
    title="Coverage counted",
    level=2,
    statement="A simulation has drawn many test sets and resampled each. Write the function that "
              "counts, for the brevity term $\\min(0, u)$, in which share of the test sets the "
              "percentile interval covers the population's own value, and in which share the "
              "basic interval does. With $k$ resamples left out at each end the percentile "
              "interval reaches from the $(k+1)$-th smallest to the $(k+1)$-th largest; ends "
              "belong to the interval.",
    reference=coverage,
    cases=cases,
    within=1e-9,
    wrong=(
        Wrong(truth_not_bent, "the population's u is compared as it is. The brevity term of a "
                              "population on the long side is 0."),
        Wrong(nothing_bent, "nothing is bent here: these are intervals for u. Asked is the "
                            "brevity term, min(0, u)."),
        Wrong(bent_afterwards, "here the basic interval is made for u and bent afterwards. That "
                               "may be done with the percentile interval; a mirror image of bent "
                               "values is not the bent mirror image."),
        Wrong(open_ends, "the ends are left out. On the kink the truth sits on an atom, and most "
                         "intervals reach it with their very end."),
        Wrong(covers_the_observed, "this asks whether intervals hold the test set's own value. "
                                   "Coverage is about the population's."),
        Wrong(one_too_many, "the ranks are off by one: here only k − 1 resamples are left out at "
                            "each end."),
        Wrong(interpolated, "np.quantile interpolates between two resamples by its own rule. The "
                            "ranks asked for are whole numbers."),
        Wrong(around_the_mean, "the mirror stands at the mean of the resamples. The basic "
                               "interval is reflected in the test set's own value."),
        Wrong(moved_not_mirrored, "here the interval is moved so that its middle is the observed "
                                  "value. The basic interval is a mirror image: the longer arm "
                                  "changes sides."),
    ),
    same=(one_by_one, percentile_bent_last),
    hints=(
        "Bend first: the resamples, the test sets' own values, and the truth.",
        "Sort the bent resamples of each test set. Ends of the percentile interval: positions k "
        "and −1 − k.",
        "The basic interval reaches from 2 · observed − high to 2 · observed − low. Then count "
        "how often the truth is between.",
    ),
    solution="All three are bent first: resamples, observed value, truth. Then ends are read off "
             "by rank, the basic interval is the mirror image in the observed value, and "
             "covering means low ≤ truth ≤ high, ends included. On 2,000 normal test sets at $h$ "
             "= −0.5 the percentile interval covers near its 90%, the basic interval about 56%.",
    shows="rng = np.random.default_rng(1)\n"
          "u = -0.5 + rng.normal(size=2_000)\n"
          "u_star = u[:, None] + rng.normal(size=(2_000, 199))\n"
          "percentile, basic = coverage(u, u_star, -0.5, 9)\n"
          'print(f"h = -0.5, {len(u):,} test sets, 90% intervals: "\n'
          '      f"percentile {percentile:.0%}, basic {basic:.0%}")',
)
