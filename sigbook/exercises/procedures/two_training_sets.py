"""The variance of a gap, split between training sets and test sets."""

from sigbook.exercises.kinds import Value, Wrong


def found():
    outcomes = ((0.20, 0.10), (0.10, 0.16))
    n = 500
    gaps = [p10 - p01 for p10, p01 in outcomes]
    within = sum(p10 + p01 - gap**2
                 for (p10, p01), gap in zip(outcomes, gaps)) / 2 / n
    mean = sum(gaps) / 2
    between = sum((gap - mean) ** 2 for gap in gaps) / 2
    return within + between, within, between


WITHIN, BETWEEN = 0.2732 / 500, 0.0064


def mixture():
    pooled = (0.28 - 0.02**2) / 500
    return pooled, pooled, 0.0


def vanishing():
    return WITHIN + BETWEEN, WITHIN, 0.0


def shows_all():
    return WITHIN + BETWEEN, WITHIN + BETWEEN, BETWEEN


def only_the_test_set():
    return WITHIN, WITHIN, 0.0


def between_over_n():
    return WITHIN + BETWEEN / 500, WITHIN, 0.0


def not_centred():
    return 0.28 / 500 + BETWEEN, 0.28 / 500, BETWEEN


def as_a_sample():
    return WITHIN + 0.0128, WITHIN, 0.0128


def standard_deviations():
    return tuple(x**0.5 for x in found())


EXERCISE = Value(
    id="two-training-sets",
    title="What the test set's variance leaves out",
    level=2,
    statement="A training set is one of two, with probability one half each; then two models are "
              "trained on it and tried on 500 new test documents. With the first training set A "
              "alone is right on a document with probability 0.20, and B alone with 0.10. With "
              "the second these are 0.10 and 0.16. Give three variances of the gap in accuracy: "
              "its total variance over training sets and test sets; the mean of the usual "
              "estimate $s^2/n$; and the limit of the total variance as the number of test "
              "documents grows. To six decimals, or more.",
    name="found",
    reference=found,
    within=1e-6,
    wrong=(
        Wrong(mixture, "here each test document was given a training set of its own. All 500 "
                       "share one, so their differences have something in common that the "
                       "division by n does not reduce."),
        Wrong(vanishing, "the first two are right. More test documents do not bring the models "
                         "of the two training sets together."),
        Wrong(shows_all, "the total and the limit are right. But the estimate is computed from "
                         "one test set, with one training set behind it. Which of the two terms "
                         "can it see?"),
        Wrong(only_the_test_set, "the estimate's mean is right. The total has a second term: the "
                                 "true gap differs from one training set to the other."),
        Wrong(between_over_n, "the variance between training sets was divided by n. All "
                              "documents of a test set share one training set."),
        Wrong(not_centred, "the variance of a difference that is 1, 0 or −1 is p10 + p01 less "
                           "the square of its mean."),
        Wrong(as_a_sample, "the two training sets are the whole law, with probabilities, and no "
                           "sample from it: no n − 1 here."),
        Wrong(standard_deviations, "these are standard deviations. Asked are variances."),
    ),
    hints=(
        "Given the training set, a document's difference is 1, 0 or −1. Its mean is p10 − p01; "
        "what is its variance?",
        "The total is the mean of the variances given the training set, plus the variance of the "
        "true gaps.",
        "Which of the two terms has n in it?",
    ),
    solution="The true gaps are 0.10 and −0.06, with mean 0.02 and variance 0.0064. Given the "
             "training set a document's variance is 0.29 or 0.2564, on average 0.2732, over 500 "
             "that is 0.000546. The total is their sum, 0.006946. $s^2/n$ is computed within one "
             "test set, so its mean is the first term alone, less than a tenth of the total. And "
             "as the test set grows, only that term goes: 0.0064 stays.",
    shows='total, within, between = found()\n'
          'for p10, p01 in ((0.20, 0.10), (0.10, 0.16)):\n'
          '    gap = p10 - p01\n'
          '    print(f"gap {gap:+.2f}, variance of a document {p10 + p01 - gap**2:.4f}")\n'
          'print(f"mean gap {0.04 / 2:.2f}, mean variance {500 * within:.4f}")\n'
          'print(f"total {total:.6f}, mean of s^2/n {within:.6f}, limit {between:.4f}")\n'
          'print(f"share seen {within / total:.3f}")',
)
