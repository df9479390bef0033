"""The statistic of 5x2cv: one difference over the root of the mean variance."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def five_by_two(x):
    """Dietterich's 5x2cv statistic, to be read against t with 5 degrees.

    x: array (5, 2), the two differences of each of five halvings, A minus B.
    At least one halving has two different ones. Returns a float.
    """
    centre = x.mean(axis=1, keepdims=True)
    variances = ((x - centre) ** 2).sum(axis=1)
    return x[0, 0] / np.sqrt(variances.mean())


def faulty(x):
    """Dietterich's 5x2cv statistic, to be read against t with 5 degrees.

    x: array (5, 2), the two differences of each of five halvings, A minus B.
    At least one halving has two different ones. Returns a float.
    """
    return x.mean() / np.sqrt(x.var(axis=1).mean())


def mean_above(x):
    return x.mean() / np.sqrt(x.var(axis=1, ddof=1).mean())


def half_variance(x):
    return x[0, 0] / np.sqrt(x.var(axis=1).mean())


def first_halving(x):
    return x[0].mean() / np.sqrt(x.var(axis=1, ddof=1).mean())


def ten_differences(x):
    return x.mean() / (x.std(ddof=1) / np.sqrt(10))


def one_variance(x):
    return x[0, 0] / x.std(ddof=1)


def mean_of_sds(x):
    return x[0, 0] / x.std(axis=1, ddof=1).mean()


def no_root(x):
    return x[0, 0] / x.var(axis=1, ddof=1).mean()


def summed(x):
    return x[0, 0] / np.sqrt(x.var(axis=1, ddof=1).sum())


def absolute(x):
    return abs(five_by_two(x))


def own_variance(x):
    return x[0, 0] / x[0].std(ddof=1) if np.ptp(x[0]) else np.inf


def by_difference(x):
    return float(x[0][0]) / (sum((a - b) ** 2 / 2 for a, b in x.tolist()) / 5) ** 0.5


def by_ddof(x):
    return x[0, 0] / x.var(axis=1, ddof=1).mean() ** 0.5


def cases(rng):
    ahead = np.array([[4, 1], [2, -1], [3, 0], [1, 3], [2, 5]])
    behind = np.array([[-2, 5], [2, 2], [1, 4], [-1, 3], [2, 0]])
    return [
        Case("A ahead in the first difference", (ahead / 100,)),
        Case("A behind in the first difference", (behind / 100,)),
        Case("a random table", (rng.normal(0.02, 0.03, size=(5, 2)),)),
    ]


EXERCISE = Function(
    id="five-halvings",
    title="Mend 5×2cv",
    level=2,
    statement="This function should compute Dietterich's statistic from five random halvings, as "
              "the chapter describes it. It has two faults. Find and mend them.",
    reference=five_by_two,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(mean_above, "one fault is left: the numerator. The ten differences share their "
                          "documents, so their mean varies more than it would if they were "
                          "independent, and the t law does not fit it."),
        Wrong(half_variance, "one fault is left: the variance of two numbers has the divisor 1, "
                             "not 2."),
        Wrong(first_halving, "the numerator is a mean of two. The two differences of a halving "
                             "come from the same documents, and the statistic takes a single one."),
        Wrong(ten_differences, "that is the t statistic of ten independent differences. These "
                               "are not: they are cut from one set of documents."),
        Wrong(one_variance, "one variance was taken over all ten. What is asked for is the "
                            "variance within each halving."),
        Wrong(mean_of_sds, "the standard deviations were averaged. Average the variances, then "
                           "take the root."),
        Wrong(no_root, "the denominator is a variance. A t statistic divides by a standard "
                       "deviation."),
        Wrong(summed, "the variances of the five halvings are added, not averaged."),
        Wrong(absolute, "the sign is lost. The statistic says in which direction the first "
                        "difference points."),
        Wrong(own_variance, "only the first halving's variance was used, which is one degree of "
                            "freedom. All five make it five."),
    ),
    same=(by_difference, by_ddof),
    hints=(
        "How many differences stand in the numerator?",
        "The variance of two numbers, with n − 1 = 1: half of their squared distance. What does "
        "var give by default?",
    ),
    solution="The numerator is the first difference alone. The variance of a halving has the "
             "divisor 1, and the five variances are averaged under the root. In the example the "
             "statistic is 2.00; the given code had 1.41. It is to be read against Student's t "
             "with 5 degrees of freedom, 2.571 for a two-sided test at level 0.05.",
    shows="x = np.array([[4, 1], [2, -1], [3, 0], [1, 3], [2, 5]]) / 100\n"
          'print(f"mended {five_by_two(x):.2f}; as given "\n'
          '      f"{x.mean() / np.sqrt(x.var(axis=1).mean()):.2f}")\n'
          "from scipy.stats import t\n"
          'print(f"quantile {t.ppf(0.975, 5):.3f} at level 0.05, two-sided")',
)
