"""The number of segments that a p-value and an effect size give away."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

d = np.array([0.05, 0.5])
quantile = {"one-sided": 3.0902, "two-sided": 3.2905}


def segments():
    return (quantile["two-sided"] / d) ** 2


def one_sided():
    return (3.0902 / 0.05) ** 2, (3.0902 / 0.5) ** 2


def not_squared():
    return 3.2905 / 0.05, 3.2905 / 0.5


def d_of_the_mean():
    return 0.05 * 3.2905**2, 0.5 * 3.2905**2


def exchanged():
    return (3.2905 / 0.5) ** 2, (3.2905 / 0.05) ** 2


def same_for_both():
    return (3.2905 / 0.05) ** 2, (3.2905 / 0.05) ** 2


def not_squared_effect():
    return 3.2905**2 / 0.05, 3.2905**2 / 0.5


def level_of_0_05():
    return (1.96 / 0.05) ** 2, (1.96 / 0.5) ** 2


EXERCISE = Value(
    id="segments-behind-p",
    title="The segments behind a p-value",
    level=1,
    asked="004 knowledge check Q5",
    statement="Two papers report a two-sided paired test of a mean difference with p = 0.001. One "
              "has Cohen's d = 0.05, the other d = 0.5; neither says how many segments it had. How "
              "many must it have been, for d = 0.05 and for d = 0.5? Two whole numbers. Take the "
              "normal law for the test's statistic; the stub has its quantiles for p = 0.001. What "
              "does the first paper's result suggest?",
    setup='d = np.array([0.05, 0.5])\n'
          'quantile = {"one-sided": 3.0902, "two-sided": 3.2905}  # p = 0.001',
    name="segments",
    reference=segments,
    within=7.5,
    wrong=(
        Wrong(one_sided, "that is the quantile of a one-sided test. Half of 0.001 lies on each "
                         "side here."),
        Wrong(not_squared, "the statistic grows with the root of n. Solve it for n, not for its "
                           "root."),
        Wrong(d_of_the_mean, "a larger d was given more segments. The larger the difference, the "
                             "fewer are needed for one p."),
        Wrong(exchanged, "the two papers were exchanged. Which of them needs more segments to get "
                         "down to 0.001?"),
        Wrong(same_for_both, "p is the same in both papers, and d is not. The statistic has both d "
                             "and n in it."),
        Wrong(not_squared_effect, "the quantile is squared, and d has to be as well."),
        Wrong(level_of_0_05, "that many segments make p = 0.05. Both papers report 0.001."),
    ),
    hints=(
        "Cohen's d is the mean of the differences over their standard deviation. What is the "
        "statistic of the paired test, in terms of d?",
        "The statistic is d times the root of n. At p = 0.001, two-sided, it equals the quantile.",
    ),
    solution="The statistic is $\\sqrt n\\, d$, and at p = 0.001 it is 3.2905. So $n = "
             "(3.2905/d)^2$: 4,331 segments for d = 0.05, and 43 for d = 0.5 (with Student's t for "
             "the normal law it is a few more). Ten times the difference needs a hundredth of the "
             "segments. The same p stands for two findings: the first paper has found a difference "
             "that is there and tiny, by having many segments.",
    shows="""for effect, n in zip(d, segments()):
    print(f"d = {effect}: {n:,.0f} segments, "
          f"statistic {np.sqrt(n) * effect:.4f}")""",
)
