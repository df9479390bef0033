"""m-out-of-n: the spread of small resamples must be shrunk, and the interval mirrored."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def m_out_of_n(observed, gaps, m, n, k):
    """The m-out-of-n interval (low, high) of a statistic.

    observed: its value on the n segments. gaps: array (B,), its values on
    resamples of m segments. k: resamples left out at each end.
    """
    steps = np.sort(np.sqrt(m) * (gaps - observed))
    low, high = steps[k], steps[len(steps) - 1 - k]
    return observed - high / np.sqrt(n), observed - low / np.sqrt(n)


def faulty(observed, gaps, m, n, k):
    """The m-out-of-n interval (low, high) of a statistic.

    observed: its value on the n segments. gaps: array (B,), its values on
    resamples of m segments. k: resamples left out at each end.
    """
    steps = np.sort(gaps - gaps.mean())
    low, high = steps[k], steps[len(steps) - 1 - k]
    return observed + low, observed + high


def still(shrunk=True, mirrored=True, centred=True, power=0.5):
    """The function with the faults that are not mended."""

    def partly(observed, gaps, m, n, k):
        steps = np.sort(gaps - (observed if centred else gaps.mean()))
        factor = (m / n) ** power if shrunk else 1.0
        low, high = factor * steps[k], factor * steps[len(steps) - 1 - k]
        return (observed - high, observed - low) if mirrored else (observed + low, observed + high)

    return partly


def ends_swapped(observed, gaps, m, n, k):
    return m_out_of_n(observed, gaps, m, n, k)[::-1]


def one_less(observed, gaps, m, n, k):
    return m_out_of_n(observed, gaps, m, n, k - 1)


def shrunk_then_reflected(observed, gaps, m, n, k):
    values = observed + (m / n) ** 0.5 * (np.asarray(gaps) - observed)
    ordered = sorted(values.tolist())
    return 2 * observed - ordered[-1 - k], 2 * observed - ordered[k]


def by_partition(observed, gaps, m, n, k):
    last = len(gaps) - 1 - k
    part = np.partition(gaps, [k, last])
    return np.array([observed - (part[end] - observed) / np.sqrt(n / m) for end in (last, k)])


def cases(rng):
    skewed = np.minimum(0, rng.normal(size=99))
    return [
        Case("resamples on one side of the observed value", (0.0, 10 * skewed, 22, 100, 4)),
        Case("a skewed statistic", (-3.0, -10 * rng.gamma(1.5, size=199), 10, 90, 9)),
        Case("five resamples", (2.0, np.array([1.0, 5.0, 2.5, 3.0, 9.0]), 4, 16, 1)),
        Case("m equal to n", (1.0, rng.normal(size=59) ** 2, 50, 50, 2)),
    ]


EXERCISE = Function(
    id="smaller-resamples",
    title="Mend the interval from smaller resamples",
    level=2,
    statement="This function should return the m-out-of-n interval of "
              "{prf:ref}`def-kink-intervals`: resamples have only $m$ of the $n$ segments. It "
              "has three faults. Find and mend them.",
    reference=m_out_of_n,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(still(mirrored=False, centred=False),
              "the width is right now. Two faults are left: from where are the steps measured, "
              "and to which side does a step to the right push the truth?"),
        Wrong(still(shrunk=False, centred=False),
              "the interval is turned the right way now. Two faults are left: from where are the "
              "steps measured, and how far do resamples of m stray compared with test sets of n?"),
        Wrong(still(shrunk=False, mirrored=False),
              "steps are measured from the right place now. Two faults are left: the width, and "
              "the side to which a long arm belongs."),
        Wrong(still(centred=False), "one fault is left: the steps are measured from the mean of "
                                    "the resamples, which hides a bias. The definition measures "
                                    "them from the observed value."),
        Wrong(still(mirrored=False), "one fault is left: the long arm is on the wrong side. If "
                                     "resamples fall far below the observed value, then the "
                                     "observed value may lie far below the truth."),
        Wrong(still(shrunk=False), "one fault is left: a resample of m segments strays further "
                                   "than a test set of n does."),
        Wrong(still(power=1.0), "the spread is shrunk by m/n. Spreads go with the root of the "
                                "number of segments."),
        Wrong(still(power=-0.5), "the spread is widened. Resamples of m segments stray further "
                                 "than test sets of n, so their spread has to shrink."),
        Wrong(ends_swapped, "the upper end comes first. Low, then high."),
        Wrong(one_less, "the ranks are off by one: k resamples are to be left out at each end."),
    ),
    same=(shrunk_then_reflected, by_partition),
    hints=(
        "Look at the definition: which quantity has the quantiles q₁ and q₂? What is subtracted "
        "from what?",
        "√m (δ*ₘ − δ̂) has the quantiles; on the scale of test sets of n segments they are "
        "divided by √n.",
        "From δ̂ − q₂/√n to δ̂ − q₁/√n: the high quantile makes the low end.",
    ),
    solution="Steps are measured from the observed value, not from the resamples' mean, because "
             "a bias is part of what has to be seen. They are multiplied by $\\sqrt{m/n}$, "
             "because a resample of 4 segments strays twice as far as a test set of 16. And they "
             "are subtracted: if resamples exceed the observed value by much, the observed value "
             "may exceed the truth by as much. In the example the interval reaches from 0.5 to "
             "1.75.",
    shows="gaps = np.array([1.0, 5.0, 2.5, 3.0, 9.0])\n"
          'print("interval", *m_out_of_n(2.0, gaps, 4, 16, 1))',
)
