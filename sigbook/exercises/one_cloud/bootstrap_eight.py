"""The paired bootstrap on eight fixed scores."""

from itertools import product

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

a = np.array([72, 85, 61, 78, 90, 55, 83, 69])
b = np.array([68, 80, 70, 65, 82, 60, 77, 71])


def p():
    rng = np.random.default_rng(1)
    d = a - b
    centred = d - d.mean()
    drawn = rng.integers(len(d), size=(100_000, len(d)))
    means = centred[drawn].mean(axis=1)
    draws_and_data = np.append(means, d.mean())
    return np.mean(np.abs(draws_and_data) >= abs(d.mean()))


def resampled(size=8):
    rng = np.random.default_rng(2)
    return (a - b)[rng.integers(8, size=(200_000, size))].mean(axis=1)


def one_sided():
    return np.mean(resampled() <= 0)


def not_centred():
    return np.mean(np.abs(resampled()) >= 2.5)


def half_size():
    return np.mean(np.abs(resampled(4) - 2.5) >= 2.5)


def swaps():
    sums = np.abs(np.array(list(product((1, -1), repeat=8))) @ (a - b))
    return np.mean(sums >= 20)


def t_test():
    from scipy.stats import ttest_rel

    return ttest_rel(a, b).pvalue


def unpaired():
    rng = np.random.default_rng(3)
    means = [x[rng.integers(8, size=(200_000, 8))].mean(axis=1) for x in (a, b)]
    return np.mean(np.abs(means[0] - means[1] - 2.5) >= 2.5)


def sacrebleu():
    sizes = np.abs(resampled())
    return np.mean(sizes - sizes.mean() > 2.5)


EXERCISE = Value(
    id="bootstrap-eight",
    title="Eight sentences, resampled",
    level=2,
    asked="004 rung 2",
    statement="The stub holds the F1 scores of two models on eight sentences, in hundredths. Run the paired bootstrap on them: "
              "centre the differences, draw at least 100,000 resamples, and find the two-sided p-value of the gap of the means, "
              "to two decimals.",
    setup="a = np.array([72, 85, 61, 78, 90, 55, 83, 69])  # hundredths\n"
          "b = np.array([68, 80, 70, 65, 82, 60, 77, 71])",
    name="p",
    reference=p,
    within=0.008,
    wrong=(
        Wrong(one_sided, "that is one-sided: half of what is asked for."),
        Wrong(not_centred, "the cloud lies around the observed gap. Centre the differences first, or take the gap off the "
                           "resampled means."),
        Wrong(half_size, "the resamples have four sentences. A resample has as many as the data, eight."),
        Wrong(swaps, "that is the share of sign patterns: randomization. Here the centred differences are drawn with "
                     "replacement."),
        Wrong(t_test, "that is the paired t-test."),
        Wrong(unpaired, "A and B were resampled apart. A sentence is drawn with both of its scores, or as one "
                        "difference."),
        Wrong(sacrebleu, "that is sacreBLEU's rule, which takes the mean size off every size."),
    ),
    hints=(
        "The differences a - b have a mean. Take it off each of them: what is then the mean of all resamples?",
        "`rng.integers(8, size=(100_000, 8))` draws 100,000 resamples. Index the centred differences with it and take the mean "
        "of each row.",
        "p is the share of rows whose absolute mean is at least the observed gap, with the two ones.",
    ),
    solution="The observed gap is 2.50 hundredths. Of 100,000 resampled means of centred differences, a share of 0.32 is at least "
             "that far from zero: no evidence of a difference on eight sentences. All swaps give 0.375 and the paired t-test 0.363; "
             "at this size the tests differ, though not in their verdict.",
    shows="from scipy import stats\n\n"
          "with_swaps = sb.randomize(sb.PairedSet(a, b, \"mean\"), \"all\")\n"
          "draws = 100_000\n"
          'print(f"gap {(a - b).mean():.2f} hundredths, "\n'
          '      f"{draws:,} draws: p = {p():.2f}")\n'
          'print(f"all swaps {sb.p_randomization(with_swaps):.3f}, "\n'
          '      f"t-test {stats.ttest_rel(a, b).pvalue:.3f}")',
)
