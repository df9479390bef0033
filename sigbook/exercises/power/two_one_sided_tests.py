"""TOST, with the interval that says the same."""

import numpy as np
from scipy import stats

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def equivalence(d, low, high, alpha):
    """TOST for the mean of paired differences, and the interval beside it.

    d: array (n,) of differences, n at least 2, not all equal. low, high:
    the margins, low < high, in the units of d. alpha: the level. Returns
    three numbers: the p-value of TOST, and the two ends of the t interval
    that lies within the margins exactly if TOST declares equivalence.
    """
    n = len(d)
    mean, error = d.mean(), d.std(ddof=1) / np.sqrt(n)
    p_low = stats.t.sf((mean - low) / error, n - 1)
    p_high = stats.t.cdf((mean - high) / error, n - 1)
    reach = stats.t.ppf(1 - alpha, n - 1) * error
    return max(p_low, p_high), mean - reach, mean + reach


def parts(d, low, high, ddof=1, root=True, law=None, centre=None):
    n = len(d)
    mean = d.mean() if centre is None else centre
    error = d.std(ddof=ddof) / (np.sqrt(n) if root else 1)
    law = stats.t(n - 1) if law is None else law
    return law.sf((mean - low) / error), law.cdf((mean - high) / error), law, mean, error


def smaller(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high)
    reach = law.ppf(1 - alpha) * error
    return min(p_low, p_high), mean - reach, mean + reach


def summed(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high)
    reach = law.ppf(1 - alpha) * error
    return p_low + p_high, mean - reach, mean + reach


def doubled(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high)
    reach = law.ppf(1 - alpha / 2) * error
    return min(1.0, 2 * max(p_low, p_high)), mean - reach, mean + reach


def usual_interval(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high)
    reach = law.ppf(1 - alpha / 2) * error
    return max(p_low, p_high), mean - reach, mean + reach


def divisor_n(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high, ddof=0)
    reach = law.ppf(1 - alpha) * error
    return max(p_low, p_high), mean - reach, mean + reach


def without_root(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high, root=False)
    reach = law.ppf(1 - alpha) * error
    return max(p_low, p_high), mean - reach, mean + reach


def normal(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high, law=stats.norm())
    reach = law.ppf(1 - alpha) * error
    return max(p_low, p_high), mean - reach, mean + reach


def turned(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high)
    reach = law.ppf(1 - alpha) * error
    return max(1 - p_low, 1 - p_high), mean - reach, mean + reach


def superiority(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high)
    reach = law.ppf(1 - alpha) * error
    return 2 * law.sf(abs(mean) / error), mean - reach, mean + reach


def symmetric(d, low, high, alpha):
    margin = max(abs(low), abs(high))
    return equivalence(d, -margin, margin, alpha)


def nearest_margin(d, low, high, alpha):
    margin = min(abs(low), abs(high))
    return equivalence(d, -margin, margin, alpha)


def around_zero(d, low, high, alpha):
    p_low, p_high, law, mean, error = parts(d, low, high)
    reach = law.ppf(1 - alpha) * error
    return max(p_low, p_high), -reach, reach


def with_the_package(d, low, high, alpha):
    result = sb.tost(low, high, d, alpha)
    return [result.p, *result.interval]


def with_scipy(d, low, high, alpha):
    p = max(stats.ttest_1samp(d, low, alternative="greater").pvalue,
            stats.ttest_1samp(d, high, alternative="less").pvalue)
    low_end, high_end = stats.t.interval(1 - 2 * alpha, len(d) - 1, np.mean(d), stats.sem(d))
    return np.array([p, low_end, high_end])


def cases(rng):
    return [
        Case("nine differences near zero",
             (np.array([0.4, -0.3, 0.1, -0.5, 0.2, 0.6, -0.1, 0.3, -0.4]), -0.5, 0.6, 0.05)),
        Case("a mean below zero, unequal "
             "margins", (np.array([-1.2, -0.4, -0.9, 0.3, -0.8]), -1.5, 0.5, 0.1)),
        Case("a mean beyond a margin", (np.array([1.4, 2.0, 1.1, 1.7, 0.9, 1.6]), -1.0, 1.0, 0.05)),
        Case("two differences", (np.array([0.1, 0.5]), -2.0, 3.0, 0.05)),
        Case("differences at random", (rng.normal(0.1, 1, size=40), -0.4, 0.5, 0.025)),
    ]


EXERCISE = Function(
    id="two-one-sided-tests",
    title="Two one-sided tests",
    level=2,
    statement="Write TOST of {prf:ref}`def-tost` for paired differences, with NumPy and "
              "`scipy.stats` and without `sb.tost`. Give back its p-value and the interval of "
              "{prf:ref}`prop-tost` (a): low end, high end.",
    setup="from scipy import stats",
    reference=equivalence,
    cases=cases,
    wrong=(
        Wrong(smaller, "the smaller p-value was taken. One rejected null says only that the mean "
                       "is beyond one of the two margins; equivalence needs both rejected. With "
                       "the smaller one, a mean far above the margins is called equivalent."),
        Wrong(summed, "the two p-values were added. Each of the tests spends its own level, and "
                      "both have to reject."),
        Wrong(doubled, "the p-value was doubled, and the interval widened, as for a two-sided "
                       "test. A true mean can be beyond one margin only, so there is nothing to "
                       "pay for twice."),
        Wrong(usual_interval, "the p-value is right. The interval is the usual one with 1 − alpha, "
                              "which is too wide: it can reach beyond a margin where TOST declares "
                              "equivalence."),
        Wrong(divisor_n, "the standard deviation has the divisor n. Student's t needs the one with "
                         "n − 1."),
        Wrong(without_root, "the differences' standard deviation stands where that of their mean "
                            "belongs."),
        Wrong(normal, "normal quantiles were used. With an estimated standard deviation and few "
                      "segments Student's t has wider tails."),
        Wrong(turned, "the two tests point outwards. The null says that the mean lies at or beyond "
                      "a margin; a mean well within must make both p-values small."),
        Wrong(superiority, "the interval is right. The p-value is that of \"no difference\", and "
                           "it does not contain the margins."),
        Wrong(symmetric, "the larger margin was used on both sides. The two margins may differ."),
        Wrong(nearest_margin, "the smaller margin was used on both sides. The two margins may "
                              "differ."),
        Wrong(around_zero, "the p-value is right. The interval lies around 0, but it should say "
                           "where the mean is."),
    ),
    same=(with_the_package, with_scipy),
    hints=(
        "Each of the two tests is an ordinary one-sided t test, with a margin in the place of 0.",
        "Against a mean at or below the low margin, large values of (mean − low)/error speak; sf "
        "gives their p-value. Which of the two p-values is that of both together?",
        "Each test spends alpha on one side, so the interval leaves out alpha at each end.",
    ),
    solution="Two one-sided t tests, against a mean at or below the low margin and at or above the "
             "high one. Both must reject, so the p-value is the larger one, and each end of the "
             "interval leaves out alpha: at level 0.05 it is the 90% interval. In the example p is "
             "0.010 and the interval from −0.20 to 0.27 lies within margins of 0.4. A mean of 1.45 "
             "with margins of 1 has p = 0.979; the smaller of its two p-values, 1e-05, would have "
             "called it equivalent.",
    shows="""d = np.array([0.4, -0.3, 0.1, -0.5, 0.2, 0.6, -0.1, 0.3, -0.4])
p, low, high = equivalence(d, -0.4, 0.4, 0.05)
print(f"margins 0.4: p = {p:.3f}, 90% interval {low:.2f} to {high:.2f}, "
      "level 0.05")
far = np.array([1.4, 2.0, 1.1, 1.7, 0.9, 1.6])
smaller = stats.ttest_1samp(far, -1, alternative="greater").pvalue
print(f"mean {far.mean():.2f}, margins 1: "
      f"p = {equivalence(far, -1, 1, 0.05)[0]:.3f}, smaller {smaller:.0e}")""",
)
