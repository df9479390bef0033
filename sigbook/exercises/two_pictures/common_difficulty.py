"""The covariance read off three standard errors."""

from sigbook.exercises.kinds import Value, Wrong


def correlation():
    a, b, gap = 0.012, 0.010, 0.006
    return (a**2 + b**2 - gap**2) / (2 * a * b)


def not_halved():
    return 2 * correlation()


def turned():
    return -correlation()


def covariance():
    return correlation() * 0.012 * 0.010


def without_squares():
    return (0.012 + 0.010 - 0.006) / (0.012 + 0.010)


def share_of_variance():
    return 1 - 0.006**2 / (0.012**2 + 0.010**2)


def explained():
    return correlation() ** 2


EXERCISE = Value(
    id="common-difficulty",
    title="What two systems share",
    level=2,
    statement="A report gives the standard errors of two systems' mean scores on one test set, 0.012 for A and 0.010 "
              "for B, and the standard error of the paired gap of the two means, 0.006. What is the correlation of "
              "the two systems' segment scores, to three decimals? (The segments are independent of each other.)",
    name="correlation",
    reference=correlation,
    within=5e-4,
    wrong=(
        Wrong(not_halved, "no correlation is above 1. The covariance enters the variance of a difference twice."),
        Wrong(turned, "the gap varies less than two unrelated means would. So high scores of the one go with high scores "
                      "of the other."),
        Wrong(covariance, "that is the covariance of the two means. A correlation divides it by both standard errors."),
        Wrong(without_squares, "standard errors do not add, variances do. Square first."),
        Wrong(share_of_variance, "that is the share of the variance that pairing removes. It is twice the covariance over "
                                 "the sum of the two variances; a correlation divides by the product of the standard "
                                 "errors."),
        Wrong(explained, "that is the square of the correlation."),
    ),
    hints=(
        "The variance of the gap is the sum of the two variances minus twice the covariance.",
        "All three variances are known, so the covariance is. The number of segments cancels when it is divided by the "
        "two standard errors.",
    ),
    solution="From {eq}`eq-paired`, twice the covariance of the two means is $0.012^2 + 0.010^2 - 0.006^2$. Half of it, "
             "over the product of the two standard errors, is 0.867; the factor $1/n$ is in all of them and cancels. "
             "On two separate test sets the standard error of the gap would have been 0.0156. A report that gives only "
             "each system's own error bar leaves the reader with this larger number.",
    shows="apart = (0.012**2 + 0.010**2) ** 0.5\n"
          'print(f"correlation {correlation():.3f}")\n'
          'print(f"standard error of the gap on separate sets {apart:.4f}")',
)
