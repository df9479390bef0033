"""The percentile interval by order statistics, with an exact count."""

import math
from fractions import Fraction

import numpy as np

from sigbook.clouds import Cloud
from sigbook.exercises.kinds import Case, Function, Wrong
from sigbook.rules import percentile_interval as of_the_package


def percentile_interval(gaps, percent):
    """Two-sided percentile interval of a bootstrap cloud.

    gaps: array (B,) of resampled gaps, in any order. percent: the level as a
    whole number, such as 95. Returns two floats, low and high: of the sorted
    gaps the (k + 1)-th from below and the (k + 1)-th from above, where k is
    the whole part of a B and a the share that the level leaves out at either
    end.
    """
    ordered = np.sort(gaps)
    k = (100 - percent) * len(gaps) // 200
    return ordered[k], ordered[len(gaps) - 1 - k]


def ends(gaps, k):
    ordered = np.sort(gaps)
    return ordered[k], ordered[len(gaps) - 1 - k]


def interpolated(gaps, percent):
    a = (100 - percent) / 200
    return np.quantile(gaps, a), np.quantile(gaps, 1 - a)


def one_end(gaps, percent):
    return ends(gaps, (100 - percent) * len(gaps) // 100)


def one_too_far(gaps, percent):
    return ends(gaps, max((100 - percent) * len(gaps) // 200 - 1, 0))


def uneven(gaps, percent):
    ordered = np.sort(gaps)
    k = (100 - percent) * len(gaps) // 200
    return ordered[k], ordered[min(len(gaps) - k, len(gaps) - 1)]


def in_binary(gaps, percent):
    return ends(gaps, math.floor((1 - percent / 100) / 2 * len(gaps)))


def rounded(gaps, percent):
    return ends(gaps, round((100 - percent) * len(gaps) / 200))


def rounded_up(gaps, percent):
    return ends(gaps, math.ceil((100 - percent) * len(gaps) / 200))


def unsorted(gaps, percent):
    k = (100 - percent) * len(gaps) // 200
    return gaps[k], gaps[len(gaps) - 1 - k]


def normal(gaps, percent):
    from scipy.stats import norm

    z = norm.isf((100 - percent) / 200)
    return gaps.mean() - z * gaps.std(), gaps.mean() + z * gaps.std()


def turned(gaps, percent):
    return percentile_interval(gaps, percent)[::-1]


def in_lists(gaps, percent):
    ordered, k = sorted(gaps.tolist()), math.floor(Fraction(100 - percent, 200) * len(gaps))
    return [ordered[k], ordered[-k - 1]]


def partitioned(gaps, percent):
    k = int((100 - percent) * len(gaps) / 200 + 1e-9)
    found = np.partition(gaps, (k, len(gaps) - 1 - k))
    return np.array([found[k], found[len(gaps) - 1 - k]])


def with_the_package(gaps, percent):
    return of_the_package(Cloud(gaps, np.float64(0.0), "bootstrap", False, 1.0), percent / 100)


def cases(rng):
    def cloud(draws):
        return rng.permutation(np.arange(1.0, draws + 1) ** 2 / 100 - 5)

    return [
        Case("1,000 draws, 95%", (cloud(1_000), 95)),
        Case("1,000 draws, 90%", (cloud(1_000), 90)),
        Case("999 draws, 95%", (cloud(999), 95)),
        Case("ten draws, 95%", (cloud(10), 95)),
        Case("40 draws, 95%", (cloud(40), 95)),
        Case("200 draws, 99%", (cloud(200), 99)),
        Case("60 draws, 40%", (cloud(60), 40)),
    ]


EXERCISE = Function(
    id="percentile-by-order",
    title="An interval by order statistics",
    level=2,
    statement="Write the two-sided percentile interval of a bootstrap cloud by order statistics, with NumPy, without "
              "`np.quantile` and without `sb.percentile_interval`. As in {prf:ref}`prop-inversion`, k counts the gaps that are "
              "left out; here they are left out at both ends. The count must be exact for every level and every B.",
    reference=percentile_interval,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(interpolated, "np.quantile interpolates between two gaps. The proposition needs gaps of the cloud, counted from "
                            "either end."),
        Wrong(one_end, "that leaves out the whole of 1 minus the level at either end. Two-sided, each end gets half."),
        Wrong(one_too_far, "one gap too few is left out at either end: k gaps lie outside, so the end is number k + 1."),
        Wrong(uneven, "the two ends are not treated alike: number k + 1 from below, but number k from above."),
        Wrong(in_binary, "1 - 0.9 is a little less than 0.1 in binary, so the whole part of 49.999... came out one too small. "
                         "Count in whole numbers."),
        Wrong(rounded, "a B was rounded to the nearest whole number. Its whole part is asked for, so that no more than the "
                       "share a is left out."),
        Wrong(rounded_up, "a B was rounded up, so that more than the share a is left out."),
        Wrong(unsorted, "the gaps were taken as they come. Order statistics need them sorted."),
        Wrong(normal, "that is a normal interval from mean and standard deviation. The percentile interval takes gaps of the "
                      "cloud."),
        Wrong(turned, "the two ends are in the wrong order: low comes first."),
    ),
    same=(in_lists, partitioned, with_the_package),
    hints=(
        "Sort first. With k gaps left out below, the first one inside has index k, counted from 0.",
        "At level 95% and 1,000 draws, 25 are left out at either end.",
        "`(100 - percent) * B` is a whole number, and `//` divides whole numbers without a remainder.",
    ),
    solution="With $k = \\lfloor (100 - \\text{percent}) B / 200 \\rfloor$ in whole numbers the ends have the indices $k$ and "
             "$B - 1 - k$. In floating point 90% of 1,000 draws leaves out 49 at either end, not 50, because "
             "(1 - 0.9)/2 · 1000 comes out just below 50. At ten draws nothing is left out: the interval is the whole cloud.",
    shows="print(int((1 - 0.9) / 2 * 1000), (100 - 90) * 1000 // 200)\n"
          "gaps = np.random.default_rng(1).permutation(1_000)\n"
          'print(f"{len(gaps):,} draws, 95%: {5 * len(gaps) // 200} at either end")\n'
          'print("gaps 0 to 999, 90%%: %d to %d" % percentile_interval(gaps, 90))',
)
