"""The two-sided p-value of the shifted rule, from given resampled gaps."""

import numpy as np

from sigbook.clouds import Cloud
from sigbook.exercises.kinds import Case, Function, Wrong
from sigbook.rules import p_sacrebleu, p_shifted


def shifted_p(observed, gaps):
    """Two-sided p-value of the shifted rule.

    observed: the gap on the data, A minus B. gaps: array (B,), the gaps on B
    resampled test sets, not centred. Returns a float.
    """
    centred = gaps - observed
    reached = np.count_nonzero(np.abs(centred) >= abs(observed))
    return (1 + reached) / (len(gaps) + 1)


def p(distances, observed):
    return (1 + np.count_nonzero(distances >= abs(observed))) / (len(distances) + 1)


def share(observed, gaps):
    return np.mean(np.abs(gaps - observed) >= abs(observed))


def strict(observed, gaps):
    return (1 + np.count_nonzero(np.abs(gaps - observed) > abs(observed))) / (len(gaps) + 1)


def not_centred(observed, gaps):
    return p(np.abs(gaps), observed)


def centred_at_the_mean(observed, gaps):
    return p(np.abs(gaps - gaps.mean()), observed)


def koehn(observed, gaps):
    return np.mean(gaps <= 0)


def two_delta(observed, gaps):
    return np.mean(gaps >= 2 * observed)


def upper(observed, gaps):
    return p(gaps - observed, observed)


def doubled(observed, gaps):
    return min(1.0, 2 * p(np.sign(observed) * (gaps - observed) if observed else gaps, observed))


def sacrebleu(observed, gaps):
    return p_sacrebleu(cloud(observed, gaps))


def by_ends(observed, gaps):
    low, high = sorted((0.0, 2 * observed))
    return (1 + sum(gap <= low or gap >= high for gap in gaps)) / (1 + len(gaps))


def with_the_package(observed, gaps):
    return p_shifted(cloud(observed, gaps))


def cloud(observed, gaps):
    return Cloud(np.asarray(gaps), np.float64(observed), "bootstrap", False, 1.0)


def cases(rng):
    return [
        Case("A ahead, a few draws at or below zero",
             (0.5, np.array([0.25, 0.5, -0.25, 0.75, 0.0, 1.25, 0.5, 0.375, 0.625]))),
        Case("draws at zero and at twice the gap", (0.5, np.array([0.0, 1.0, 0.5, 0.25, 1.0, 0.75]))),
        Case("B ahead", (-0.5, np.array([-0.25, -0.5, -1.25, 0.25, -1.0, -0.75, -0.5]))),
        Case("a gap of zero", (0.0, np.array([0.25, -0.25, 0.0, 0.125]))),
        Case("no draw that far out", (0.5, np.array([0.25, 0.5, 0.75, 0.625]))),
        Case("a skewed cloud", (0.25, np.array([0.125, 0.125, 0.0, 0.0625, 0.75, 1.0, 0.625, 0.1875, 0.0, 0.125]))),
        Case("random draws", (0.25, 0.25 + rng.integers(-8, 9, size=50) / 16)),
    ]


EXERCISE = Function(
    id="shifted-p",
    title="A p-value from a bootstrap cloud",
    level=2,
    asked="004 self-test Q4",
    statement="The gaps of B resamples are there. Write the two-sided p-value of the shifted rule ({prf:ref}`def-rules`) with "
              "NumPy and without `sb.p_shifted`. Equal gaps are equal "
              "to the last bit, so no slack is needed.",
    reference=shifted_p,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(share, "that is the plain share, as the source prints it. It can be 0; the shifted rule adds the two ones."),
        Wrong(strict, "draws exactly as far out as the observed gap are not counted. With identical systems that would be all "
                      "of them."),
        Wrong(not_centred, "the cloud was not moved. It lies around the observed gap, so that about half of it is further "
                           "out."),
        Wrong(centred_at_the_mean, "the cloud was moved by its own mean. The rule moves it by the observed gap; the two differ "
                                   "by chance, and by more on a bent metric."),
        Wrong(koehn, "that is Koehn's rule: one-sided, for A being better."),
        Wrong(two_delta, "that is the 2δ rule: one-sided, for A being better."),
        Wrong(upper, "only one side of the moved cloud was counted. Two-sided, both are."),
        Wrong(doubled, "one side was counted and doubled. On a skewed cloud the two sides differ: count both as they are."),
        Wrong(sacrebleu, "that is sacreBLEU's rule, which takes the mean size off every size instead of moving the cloud."),
    ),
    same=(by_ends, with_the_package),
    hints=(
        "The cloud is to play the null. Around which value must it lie, and what has to be taken off for that?",
        "A moved gap counts when its size is at least that of the observed gap, on either side.",
        "The shifted rule adds one above the line and one below.",
    ),
    solution="Take the observed gap off every resampled gap, compare absolute values, count ties, add the two ones. With the "
             "gap 0.5 and nine draws of which three are at most 0 or at least 1, p is 4/10 = 0.40. The source prints the share "
             "without the ones, which may be 0.",
    shows="gaps = np.array([0.25, 0.5, -0.25, 0.75, 0.0,\n"
          "                 1.25, 0.5, 0.375, 0.625])\n"
          'print(f"p = {shifted_p(0.5, gaps):.2f}")',
)
