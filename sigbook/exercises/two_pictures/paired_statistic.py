"""The statistic of the paired bootstrap on a mean, and the spread that the pairing decides."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def paired_statistic(a, b):
    """Mean and spread of the differences of two systems' scores.

    a, b: dictionaries from a sentence's name to its score, with the same
    names in both, in whatever order the system wrote them. Returns two
    floats: the mean of the paired differences, A minus B, and their standard
    deviation (the root of the mean squared distance from the mean).
    """
    d = np.array([a[name] - b[name] for name in a])
    return d.mean(), d.std()


def in_file_order(a, b):
    d = np.array(list(a.values())) - np.array(list(b.values()))
    return d.mean(), d.std()


def b_minus_a(a, b):
    mean, sd = paired_statistic(a, b)
    return -mean, sd


def unpaired(a, b):
    mean, _ = paired_statistic(a, b)
    return mean, np.sqrt(np.var(list(a.values())) + np.var(list(b.values())))


def one_less(a, b):
    d = [a[name] - b[name] for name in a]
    return np.mean(d), np.std(d, ddof=1)


def squared(a, b):
    mean, sd = paired_statistic(a, b)
    return mean, sd**2


def standard_error(a, b):
    mean, sd = paired_statistic(a, b)
    return mean, sd / np.sqrt(len(a))


def sizes(a, b):
    d = np.abs([a[name] - b[name] for name in a])
    return d.mean(), d.std()


def around_zero(a, b):
    d = np.array([a[name] - b[name] for name in a])
    return d.mean(), np.sqrt(np.mean(d**2))


def summed(a, b):
    mean, sd = paired_statistic(a, b)
    return mean * len(a), sd


def turned(a, b):
    return paired_statistic(a, b)[::-1]


def in_steps(a, b):
    names = sorted(a)
    mean = sum(a[k] for k in names) / len(names) - sum(b[k] for k in names) / len(names)
    return [mean, (sum((a[k] - b[k] - mean) ** 2 for k in names) / len(names)) ** 0.5]


def with_covariance(a, b):
    x = np.array([(a[k], b[k]) for k in a])
    c = np.cov(x.T, bias=True)
    return np.array([x[:, 0].mean() - x[:, 1].mean(), np.sqrt(max(0.0, c[0, 0] + c[1, 1] - 2 * c[0, 1]))])


def cases(rng):
    found = [
        Case("two files in different orders", ({"s1": 5.0, "s2": 1.0, "s3": 4.0}, {"s3": 1.0, "s1": 3.0, "s2": 0.0})),
        Case("B ahead", ({"s1": 2.0, "s2": 0.0, "s3": 1.0}, {"s2": 3.0, "s3": 7.0, "s1": 4.0})),
        Case("wins and losses", ({"s1": 4.0, "s2": 1.0, "s3": 0.0}, {"s2": 3.0, "s1": 1.0, "s3": 1.0})),
    ]
    names = [f"s{k}" for k in range(1, 9)]
    difficulty = rng.normal(50, 20, size=8).round(1)
    noise = rng.normal(0, 3, size=8).round(1)
    a = dict(zip(names, difficulty + noise))
    order = rng.permutation(8)
    found.append(Case("sentences that are hard for both", (a, {names[k]: difficulty[k] for k in order})))
    return found


EXERCISE = Function(
    id="paired-statistic",
    title="The statistic of a paired comparison",
    level=2,
    asked="004 self-test Q1",
    statement="Two systems have one score per sentence, and the mean of the scores is the metric. Define the statistic "
              "of the paired bootstrap for them by writing it: the observed gap $\\hat\\delta$, as the mean of the "
              "paired differences, and with it the spread of these differences. The scores come by the sentence's "
              "name, because each system wrote its file in an order of its own.",
    reference=paired_statistic,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(in_file_order, "the mean is right and the spread is not: the first line of one file was set against the "
                             "first line of the other, which is another sentence. A mean does not notice; a spread "
                             "does."),
        Wrong(b_minus_a, "that is B minus A; a gap is A minus B."),
        Wrong(unpaired, "that is the spread of two scores from two separate test sets. On the same sentences the "
                        "covariance counts: take the spread of the differences."),
        Wrong(one_less, "that divides by n - 1. The spread is asked for as the root of the mean squared distance, with "
                        "n."),
        Wrong(squared, "that is the variance; its root is asked for."),
        Wrong(standard_error, "that is the standard error of the mean. The spread of the differences themselves is "
                              "asked for."),
        Wrong(sizes, "the signs are lost. A loss of 2 and a win of 2 cancel in a gap."),
        Wrong(around_zero, "the distances are taken from 0. They are asked for from the mean difference."),
        Wrong(turned, "the two numbers are in the other order: the mean comes first."),
        Wrong(summed, "that is the sum of the differences. The gap is their mean."),
    ),
    same=(in_steps, with_covariance),
    hints=(
        "One difference per sentence: take the sentence's name, and look it up in both dictionaries.",
        "The gap is the mean of the differences. Their standard deviation is `np.std`, which divides by n.",
    ),
    solution="$\\hat\\delta = \\frac1n \\sum_i d_i$ with $d_i = x_i^A - x_i^B$ on the observed sentences. It is also the "
             "difference of the two means, so it comes out as 2.00 in the example even when sentences are set against "
             "the wrong ones. The spread tells: 0.82 with the right pairs, 2.83 in the order of the files. The paired "
             "bootstrap redraws the differences, so its cloud is as wide as they are spread.",
    shows='a = {"s1": 5.0, "s2": 1.0, "s3": 4.0}\n'
          'b = {"s3": 1.0, "s1": 3.0, "s2": 0.0}\n'
          'mean, sd = paired_statistic(a, b)\n'
          'mixed = np.array(list(a.values())) - np.array(list(b.values()))\n'
          'print(f"paired by name: mean {mean:.2f}, sd {sd:.2f}")\n'
          'print(f"by file order:  mean {mixed.mean():.2f}, sd {mixed.std():.2f}")',
)
