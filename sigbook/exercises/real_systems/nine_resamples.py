"""The p-value that sacreBLEU's bootstrap makes of given resamples, and the shifted one."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

gaps = np.array([-5, -2, 0, 3, 4, 9, 14, 16, 19])
observed = 6


def printed():
    sizes = np.abs(gaps)
    tool = 1 + np.sum(sizes - sizes.mean() > abs(observed))
    shifted = 1 + np.sum(np.abs(gaps - observed) >= abs(observed))
    return tool / (1 + len(gaps)), shifted / (1 + len(gaps))


def without_ones():
    return 2 / 9, 6 / 9


def ties_counted():
    return 0.4, 0.7


def ties_left_out():
    return 0.3, 0.6


def sizes_last():
    return 0.7, 0.7


def not_moved():
    return 0.5, 0.7


def exchanged():
    return 0.7, 0.3


def one_sided():
    return 0.3, 0.4


def divided_by_nine():
    return 3 / 9, 7 / 9


def koehn():
    return 0.3, 3 / 9


EXERCISE = Value(
    id="nine-resamples",
    title="A printed p-value, made again",
    level=1,
    statement="The stub holds the gaps of nine resamples and the observed gap, in tenths of a BLEU "
              "point. Which p-value does sacreBLEU's bootstrap rule print for them? And which one "
              "does the shifted rule give, which moves the cloud by the observed gap and counts "
              "both sides? Two numbers; both rules add the two ones.",
    setup="gaps = np.array([-5, -2, 0, 3, 4, 9, 14, 16, 19])\nobserved = 6",
    name="printed",
    reference=printed,
    within=5e-4,
    wrong=(
        Wrong(without_ones, "the two ones are missing, above and below the line."),
        Wrong(ties_counted, "the second number is right. In the first a tie was counted; sacreBLEU "
                            "counts only what is larger."),
        Wrong(ties_left_out, "the first number is right. In the second ties were left out; a gap "
                             "that is as far away as the observed one counts."),
        Wrong(sizes_last, "the second number is right. For the first the mean of the gaps was "
                          "subtracted, and the absolute value taken after that. sacreBLEU takes "
                          "the absolute values first, and their mean."),
        Wrong(not_moved, "the second number is right. For the first the sizes were held against "
                         "the observed one as they are. Their mean has to be subtracted first."),
        Wrong(exchanged, "the two rules were exchanged. sacreBLEU's subtracts the mean size of the "
                         "gaps, the shifted rule the observed gap."),
        Wrong(one_sided, "the first number is right. The second counts one side only; the shifted "
                         "rule is two-sided."),
        Wrong(divided_by_nine, "a one was added above the line and none below."),
        Wrong(koehn, "the first number is right. The second is Koehn's: the share of resamples in "
                     "which A is not ahead. The shifted rule moves the cloud first."),
    ),
    hints=(
        "sacreBLEU: sizes abs(gap), minus their mean; how many are larger than the observed size?",
        "Shifted: how many resampled gaps lie at least as far from the observed gap as that lies "
        "from 0?",
    ),
    solution="The nine sizes have mean 8. Minus it, two of them are above 6 (and one equals it, "
             "which does not count), so sacreBLEU prints $(1+2)/(9+1) = 0.3$. Six resampled gaps "
             "lie at least 6 away from 6, so the shifted rule gives 0.7. The cloud is the same. To "
             "subtract the mean size takes away more than it should wherever the cloud reaches "
             "over 0, and the printed value comes out too small.",
    shows="""sizes = np.abs(gaps)
print(f"mean size {sizes.mean():.0f}; sizes minus it:",
      *[f"{x:.0f}" for x in sizes - sizes.mean()])
print("distances from the observed gap:", *np.abs(gaps - observed))
print("sacreBLEU {:.1f}, shifted {:.1f}".format(*printed()))""",
)
