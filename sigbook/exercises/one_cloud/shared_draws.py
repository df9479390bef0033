"""A bootstrap in which each system gets segments of its own."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def bootstrap_sd(a, b, draws, rng):
    """Width of the paired bootstrap's cloud for the gap of two means.

    a, b: arrays (n,) of two systems' scores on the same segments, in points.
    draws: the number of resamples. rng: a NumPy Generator. Returns a float,
    the standard deviation of the resampled gaps.
    """
    n = len(a)
    gaps = []
    for _ in range(draws):
        drawn = rng.integers(n, size=n)
        gaps.append(a[drawn].mean() - b[drawn].mean())
    return np.std(gaps)


def given(a, b, draws, rng):
    """Width of the paired bootstrap's cloud for the gap of two means.

    a, b: arrays (n,) of two systems' scores on the same segments, in points.
    draws: the number of resamples. rng: a NumPy Generator. Returns a float,
    the standard deviation of the resampled gaps.
    """
    n = len(a)
    gaps = []
    for _ in range(draws):
        mean_a = rng.choice(a, size=n).mean()
        mean_b = rng.choice(b, size=n).mean()
        gaps.append(mean_a - mean_b)
    return np.std(gaps)


def half_size(a, b, draws, rng):
    size = (len(a) + 1) // 2
    return (a - b)[rng.integers(len(a), size=(draws, size))].mean(axis=1).std()


def each_once(a, b, draws, rng):
    drawn = np.stack([np.bincount(row, minlength=len(a)) > 0 for row in rng.integers(len(a), size=(draws, len(a)))])
    return (drawn @ (a - b) / drawn.sum(axis=1)).std()


def without_replacement(a, b, draws, rng):
    return 0.0


def of_single_segments(a, b, draws, rng):
    return (a - b).std()


def swaps(a, b, draws, rng):
    return (rng.choice([-1, 1], size=(draws, len(a))) @ (a - b) / len(a)).std()


def around_zero(a, b, draws, rng):
    gaps = (a - b)[rng.integers(len(a), size=(draws, len(a)))].mean(axis=1)
    return np.sqrt(np.mean(gaps**2))


def variance(a, b, draws, rng):
    return (a - b)[rng.integers(len(a), size=(draws, len(a)))].mean(axis=1).var()


def of_the_mean_gap(a, b, draws, rng):
    return (a - b)[rng.integers(len(a), size=(draws, len(a)))].mean(axis=1).std() / np.sqrt(draws)


def of_a_alone(a, b, draws, rng):
    return a[rng.integers(len(a), size=(draws, len(a)))].mean(axis=1).std()


def by_counts(a, b, draws, rng):
    n = len(a)
    return (rng.multinomial(n, np.full(n, 1 / n), size=draws) @ (a - b) / n).std()


def with_choice(a, b, draws, rng):
    gaps = [float(np.mean(rng.choice(a - b, size=len(a)))) for _ in range(draws)]
    return float(np.std(gaps, ddof=1))


def by_formula(a, b, draws, rng):
    return np.sqrt(np.var(a - b) / len(a))


def cases(rng):
    def exactly(n, sd, mean=0.0):
        x = rng.normal(size=n)
        return (x - x.mean()) / x.std() * sd + mean

    hard, steady = exactly(25, 40, 300), exactly(20, 50, 300)
    d, e = exactly(25, 20, 14), exactly(16, 30, -20)
    far_apart = exactly(16, 30, 300)
    return [
        Case("segments that are hard for both", (hard + d, hard, 2_000, np.random.default_rng(rng.integers(10**9)))),
        Case("A better by exactly 5 on each segment",
             (steady + 5, steady, 400, np.random.default_rng(rng.integers(10**9)))),
        Case("a first and a last segment that decide", (
            steady[:10] + np.array([40, 0, 0, 0, 0, 0, 0, 0, 0, -40]), steady[:10], 2_000,
            np.random.default_rng(rng.integers(10**9)))),
        Case("segments that are hard for one and not for the other",
             (far_apart + e / 2, 600 - far_apart - e / 2, 2_000, np.random.default_rng(rng.integers(10**9)))),
    ]


EXERCISE = Function(
    id="shared-draws",
    title="A cloud of the wrong width",
    level=2,
    statement="The function below was meant to be the paired bootstrap. When one system is better by the same amount on each "
              "segment, its cloud should have no width at all, and it has. Find the fault and mend it.",
    reference=bootstrap_sd,
    given=given,
    cases=cases,
    within=0.12,
    wrong=(
        Wrong(half_size, "the resamples have half as many segments as the data. They show test sets of half the size."),
        Wrong(each_once, "the cloud is too narrow now. A resample has as many draws as the data have segments, and a segment "
                         "that is drawn twice counts twice."),
        Wrong(without_replacement, "drawn without replacement, every resample is the data, and no width is left for any "
                                   "pair."),
        Wrong(of_single_segments, "that is the spread of the differences themselves. A mean of n of them spreads less."),
        Wrong(swaps, "labels were swapped: that is the randomization cloud, which is wider when there is a gap."),
        Wrong(around_zero, "the distances are taken from 0. A standard deviation takes them from the cloud's own mean."),
        Wrong(variance, "that is the variance; its root is asked for."),
        Wrong(of_the_mean_gap, "that is the Monte Carlo error of the cloud's mean. It falls with more draws; the cloud's width "
                               "does not."),
        Wrong(of_a_alone, "only A was resampled. The gap of a resample has both systems in it."),
    ),
    same=(by_counts, with_choice, by_formula),
    hints=(
        "Follow one resample. Which segments is A scored on, and which B?",
        "Draw numbers of segments instead of scores, once per resample.",
    ),
    solution="Two calls of `rng.choice` draw two sets of segments, so each system meets a test set of its own and the shared "
             "difficulty does not cancel. One set of numbers, used for both, mends it. In the example, where A is better by "
             "5.00 on each of 20 segments, the width is 0.00; with separate draws it is 9.01.",
    shows="rng = np.random.default_rng(1)\n"
          "b = rng.normal(300, 50, size=20)\n"
          "apart = [rng.choice(b + 5, 20).mean() - rng.choice(b, 20).mean()\n"
          "         for _ in range(4_000)]\n"
          'print(f"gap {5:.2f} on each of {len(b)} segments: sd "\n'
          '      f"{bootstrap_sd(b + 5, b, 4_000, rng):.2f}, "\n'
          '      f"with separate draws {np.std(apart):.2f}")',
)
