"""Three faults in a delta-method standard deviation, one of which homogeneous metrics hide."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def gap_sd(a, b, gradient):
    """Delta-method sd of the gap of two systems, a float.

    a, b: arrays (n, K), statistics per segment, n >= 2. gradient: function
    from mean statistics (K,) to the metric's slopes there (K,).
    """
    n = len(a)
    influence = a @ gradient(a.mean(axis=0)) - b @ gradient(b.mean(axis=0))
    influence = influence - influence.mean()
    return np.sqrt((influence**2).sum()) / n


def faulty(a, b, gradient):
    """Delta-method sd of the gap of two systems, a float.

    a, b: arrays (n, K), statistics per segment, n >= 2. gradient: function
    from mean statistics (K,) to the metric's slopes there (K,).
    """
    n = len(a)
    influence = a @ gradient(a.mean(axis=0)) - b @ gradient(b.mean(axis=0))
    return (influence**2).sum() / (n * (n - 1))


def still(centred=True, divisor_n=True, root=True):
    """The function with the faults that are not mended."""

    def partly(a, b, gradient):
        n = len(a)
        influence = a @ gradient(a.mean(axis=0)) - b @ gradient(b.mean(axis=0))
        if centred:
            influence = influence - influence.mean()
        value = (influence**2).sum() / (n * n if divisor_n else n * (n - 1))
        return np.sqrt(value) if root else value

    return partly


def of_one_influence(a, b, gradient):
    return gap_sd(a, b, gradient) * np.sqrt(len(a))


def one_gradient(a, b, gradient):
    influence = (a - b) @ gradient((a.mean(axis=0) + b.mean(axis=0)) / 2)
    return np.sqrt(((influence - influence.mean()) ** 2).sum()) / len(a)


def gradient_of_the_first(a, b, gradient):
    return ((a - b) @ gradient(a.mean(axis=0))).std() / np.sqrt(len(a))


def unpaired(a, b, gradient):
    parts = [np.var(x @ gradient(x.mean(axis=0))) for x in (a, b)]
    return np.sqrt(sum(parts) / len(a))


def by_definition(a, b, gradient):
    n, squares = len(a), 0.0
    slopes = gradient(a.mean(axis=0)), gradient(b.mean(axis=0))
    for i in range(n):
        psi = np.dot(slopes[0], a[i] - a.mean(axis=0)) - np.dot(slopes[1], b[i] - b.mean(axis=0))
        squares += psi**2
    return float(squares**0.5 / n)


def by_covariance(a, b, gradient):
    slopes = np.concatenate([gradient(a.mean(axis=0)), -gradient(b.mean(axis=0))])
    covariance = np.cov(np.hstack([a, b]).T, bias=True)
    return np.sqrt(slopes @ covariance @ slopes / len(a))


def f1_slopes(y):
    tp, predicted, gold = y
    size = predicted + gold
    return np.array([2, -2 * tp / size, -2 * tp / size]) / size


def mean_slopes(y):
    return np.ones(1)


def product_slopes(y):
    return y[::-1].copy()


def counts(rng, n):
    gold = rng.integers(2, 9, size=n)
    sides = []
    for _ in "ab":
        predicted = rng.integers(2, 9, size=n)
        tp = rng.binomial(np.minimum(predicted, gold), 0.6)
        sides.append(np.stack([tp, predicted, gold], axis=1))
    sides[0][0], sides[1][0] = (2, 3, gold[0]), (1, 4, gold[0])
    return sides


def cases(rng):
    x = rng.normal(size=(7, 1))
    three = np.array([[3.0], [1.0], [2.0]]), np.array([[1.0], [0.5], [0.0]])
    two = np.array([[2, 2, 2], [5, 9, 7]]), np.array([[1, 2, 2], [6, 8, 7]])
    both = rng.uniform(1, 3, size=(2, 6, 2)).round(2)
    return [
        Case("a mean of one number per segment", (*three, mean_slopes)),
        Case("a mean, more segments", (x + 0.8, x * 0.4 + rng.normal(size=(7, 1)), mean_slopes)),
        Case("F1", (*counts(rng, 8), f1_slopes)),
        Case("F1 on two documents", (*two, f1_slopes)),
        Case("a metric that is the product of two means", (both[0], both[1] + 0.5, product_slopes)),
    ]


EXERCISE = Function(
    id="delta-sd-faults",
    title="Mend the delta method",
    level=2,
    statement="This function should give the delta-method sd of the gap for any metric with "
              "slopes, of which the metric's `gradient` is handed over. It has three faults. One "
              "of them does no harm to corpus BLEU or F1, but does to a metric that gives "
              "another score to sums than to means, such as the mean of one number per segment. "
              "Find and mend all three. The divisor is that of the bootstrap's own variance.",
    reference=gap_sd,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(still(centred=False, divisor_n=False),
              "the unit is right now. Two faults are left: think of a metric for which the "
              "average segment is not worth zero, and of the divisor."),
        Wrong(still(divisor_n=False, root=False),
              "the influences add up to 0 now. Two faults are left: in which unit is the result, "
              "and what is the divisor of the bootstrap's variance?"),
        Wrong(still(centred=False, root=False),
              "the divisor is right now. Two faults are left: in which unit is the result, and "
              "what do the influences of a plain mean add up to?"),
        Wrong(still(centred=False), "one fault is left: these squares are taken around 0. That "
                                    "is the spread of swapped gaps for a mean; an influence "
                                    "measures from the mean statistics."),
        Wrong(still(divisor_n=False), "one fault is left: with n − 1 this is the unbiased "
                                      "variance for a mean. The delta method as defined here, "
                                      "and the bootstrap, divide by n."),
        Wrong(still(root=False), "one fault is left: this is a variance, in squared units."),
        Wrong(of_one_influence, "that is the sd of a single influence. The gap is a mean of n of "
                                "them."),
        Wrong(one_gradient, "both systems have got the slopes half-way between them. Each has "
                            "the slopes at its own means."),
        Wrong(gradient_of_the_first, "both systems have got A's slopes. B has its own, at its "
                                     "own means."),
        Wrong(unpaired, "here the two systems' variances are added, as if they had been run on "
                        "different segments."),
    ),
    same=(by_definition, by_covariance),
    hints=(
        "Try it on paper for a mean: statistics of one column, slopes (1). What should the "
        "result be, and in which unit?",
        "An influence is slopes times (Z_i − mean of Z). The function has slopes times Z_i. For "
        "which metrics is that the same?",
        "The variance of the gap is the sum of squared influences over n times n; the sd is its "
        "root.",
    ),
    solution="The influence is slopes · ($Z_i$ − mean), and the given code leaves the mean out. "
             "For a metric that is homogeneous of degree 0 this is no fault, since slopes · mean "
             "is 0 by Euler's identity; for others it is. The sum of squares is divided by "
             "$n^2$, as in the bootstrap's variance, and not by $n(n-1)$. And the root was "
             "missing: what was returned was a variance. For the differences 2, 0.5, 2 of the "
             "example the sd of the mean is 0.408.",
    shows="a, b = np.array([[3.0], [1.0], [2.0]]), np.array([[1.0], [0.5], [0.0]])\n"
          "sd = gap_sd(a, b, lambda y: np.ones(1))\n"
          'print("differences", *(a - b)[:, 0], f" sd {sd:.3f}")',
)
