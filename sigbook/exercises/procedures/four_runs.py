"""A t-interval for the expected score of a recipe, from four runs."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

runs = np.array([71.2, 74.0, 72.6, 73.4])
quantile = {2: 4.303, 3: 3.182, 4: 2.776, "normal": 1.960}


def interval():
    half = quantile[3] * runs.std(ddof=1) / np.sqrt(len(runs))
    return runs.mean() - half, runs.mean() + half


def around(half):
    return runs.mean() - half, runs.mean() + half


def normal_quantile():
    return around(1.960 * runs.std(ddof=1) / 2)


def four_degrees():
    return around(2.776 * runs.std(ddof=1) / 2)


def divisor_n():
    return around(3.182 * runs.std() / 2)


def mean_and_sd():
    return around(runs.std(ddof=1))


def no_root():
    return around(3.182 * runs.std(ddof=1))


def for_a_new_run():
    return around(3.182 * runs.std(ddof=1) * np.sqrt(1 + 1 / 4))


def of_the_range():
    return 71.2, 74.0


def standard_error():
    return around(runs.std(ddof=1) / 2)


EXERCISE = Value(
    id="four-runs",
    title="An interval from four runs",
    level=1,
    statement="Four independent runs of one recipe have the F1 scores, in percent, that the stub "
              "shows. Take them for draws from a normal law. Between which limits lies the 95% "
              "t-interval for the recipe's expected score? Two numbers, low and high, in percent "
              "and to two decimals. The stub has some quantiles at 0.975, by degrees of freedom.",
    setup="runs = np.array([71.2, 74.0, 72.6, 73.4])\n"
          'quantile = {2: 4.303, 3: 3.182, 4: 2.776, "normal": 1.960}  # at 0.975',
    name="interval",
    reference=interval,
    within=0.006,
    wrong=(
        Wrong(normal_quantile, "with a normal quantile the interval is too short: the standard "
                               "deviation is itself estimated from four numbers."),
        Wrong(four_degrees, "this quantile is for one degree of freedom more. One is used up by "
                            "the mean."),
        Wrong(divisor_n, "the standard deviation has the divisor n. The t-interval needs the one "
                         "with n − 1."),
        Wrong(mean_and_sd, "mean ± sd describes the four runs. It is no interval with a promised "
                           "coverage."),
        Wrong(no_root, "this is about a single run, not about the mean of four: the standard "
                       "error of a mean is smaller."),
        Wrong(for_a_new_run, "that is the prediction interval, for one new run. Asked is the "
                             "expected score."),
        Wrong(of_the_range, "that is the range of the four. It covers the middle of a symmetric "
                            "law less often than 95%."),
        Wrong(standard_error, "that is the mean ± one standard error. A 95% interval has a "
                              "quantile before it."),
    ),
    hints=(
        "Mean, standard deviation with n − 1, and from it the standard error of a mean of four.",
        "How many degrees of freedom are left when the mean has been estimated from four numbers?",
    ),
    solution="The mean is 72.8, the standard deviation 1.211, the standard error half of that, "
             "0.606. With three degrees of freedom the quantile is 3.182, so the interval "
             "reaches from 70.87 to 74.73. It speaks of the recipe's expected score on this test "
             "set, and of no other test set.",
    shows='sd = runs.std(ddof=1)\n'
          'print(f"mean {runs.mean():.1f}, sd {sd:.3f}, standard error {sd / 2:.3f}")\n'
          'print("95% t-interval {:.2f} to {:.2f}".format(*interval()))',
)
