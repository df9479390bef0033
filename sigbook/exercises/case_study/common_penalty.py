"""A brevity penalty that both systems share: what it changes, and what it does not."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong


def found():
    penalty = np.exp(1 - 1 / 0.8)
    a, b = 0.300 * penalty, 0.120 * penalty
    return a - b, a / b, 0.031


def cancels():
    return 0.180, 2.5, 0.031


def ratio_too():
    penalty = np.exp(-0.25)
    return 0.180 * penalty, 2.5 * penalty, 0.031


def p_too():
    penalty = np.exp(-0.25)
    return 0.180 * penalty, 2.5, 0.031 / penalty


def length_ratio():
    return 0.180 * 0.8, 2.5, 0.031


def exponent_turned():
    return 0.180 * np.exp(1 - 0.8), 2.5, 0.031


def shortfall():
    return 0.180 * np.exp(0.8 - 1), 2.5, 0.031


def p_one():
    return 0.180 * np.exp(-0.25), 2.5, 1.0


EXERCISE = Value(
    id="common-penalty",
    title="A penalty in common",
    level=2,
    statement="On every segment systems A and B write the same number of words. In all they write "
              "four fifths of the references' length ($c/r = 0.8$). Without the brevity penalty, "
              "their scores would be 0.300 and 0.120; the difference of these, tested over all "
              "swaps of segments, has p = 0.031, two-sided. Now score them by BLEU, with the "
              "penalty. What are the gap A minus B, the ratio A over B, and the p-value of the "
              "gap? Three numbers, the gap to four decimals.",
    name="found",
    reference=found,
    within=5e-5,
    wrong=(
        Wrong(cancels, "the penalty was left out of the gap. Both scores are multiplied by it, and "
                       "so is their difference."),
        Wrong(ratio_too, "the ratio was multiplied as well. A factor that both scores have cancels "
                         "from their ratio."),
        Wrong(p_too, "p was divided by the penalty. What happens to the swapped gaps, and to the "
                     "comparison with the observed one?"),
        Wrong(length_ratio, "the scores were multiplied by c/r. The penalty is exp(1 − r/c)."),
        Wrong(exponent_turned, "that factor is above 1: c/r was taken in the place of r/c. A "
                               "penalty lowers the scores."),
        Wrong(shortfall, "the exponent is 1 − r/c, not c/r − 1. The two are near each other only "
                         "when c/r is near 1."),
        Wrong(p_one, "the penalty does not make the systems equal. A common factor leaves every "
                     "comparison of gaps as it was."),
    ),
    hints=(
        "Which lengths does a swap of two outputs change, if both have as many words?",
        "The penalty is exp(1 − r/c), the same number for A, for B, and for both pseudo-systems "
        "after every swap.",
    ),
    solution="A swap exchanges outputs of equal length, so the penalty, $\\exp(1 - 1/0.8) = "
             "0.7788$, is the same for both systems, before and after any swap. All gaps, observed "
             "and swapped, are multiplied by it: the gap is 0.1402 instead of 0.180, each "
             "comparison comes out as before, and p stays 0.031. The ratio stays 2.5. So a common "
             "penalty cancels from the ratio, from the sign and from the verdict of the swaps, and "
             "not from the gap. A resample of segments is another matter: it has a $c/r$ of its "
             "own.",
    shows="""penalty = np.exp(1 - 1 / 0.8)
print(f"penalty {penalty:.4f}, gap {0.300 - 0.120:.3f} without it")
print("gap {:.4f}, ratio {:.1f}, p = {:.3f}".format(*found()))""",
)
