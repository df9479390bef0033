"""A test for the EERs of two detectors on recordings of a few sources."""

from itertools import product

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice

LABELS = np.tile([1, 1, 0, 0], 7)
SOURCES = np.repeat(np.arange(7), 4)
OFFSET = np.repeat([0, 1, 0, 2, 1, 0, 1], 4)
A, B = np.tile([5, 4, 2, 1], 7) + OFFSET, np.tile([5, 3, 3, 1], 7) + OFFSET


def swaps():
    """p-value of the EER gap over all swaps of whole sources."""
    def gap(a, b):
        return sb.eer(LABELS, a) - sb.eer(LABELS, b)

    turned = [np.array(bits)[SOURCES] for bits in product([False, True], repeat=7)]
    gaps = np.array([gap(np.where(t, B, A), np.where(t, A, B)) for t in turned])
    return np.mean(np.abs(gaps) >= abs(gap(A, B)) - 1e-12)


def answer():
    return ("d" if swaps() <= 0.05 and sb.eer(LABELS, 2 * A) == sb.eer(LABELS, A) else "c"), 2


EXERCISE = Choice(
    id="two-detectors",
    title="A test for two detectors",
    level=1,
    statement="Two detectors of fake speech give every recording a score, both on one scale. The "
              "recordings come from seven sources, each with genuine and fake ones. The quantity "
              "is the EER, with the threshold searched on the test set. Do the detectors differ at "
              "all, on sources like these? Which test?",
    name="answer",
    options={
        "a": "McNemar's exact test on the errors of both detectors, each at its own EER threshold.",
        "b": "A paired t test on the scores of the two detectors, over recordings.",
        "c": "A permutation of the labels \"genuine\" and \"fake\", with the EERs computed again.",
        "d": "Swaps of the two detectors' scores, of whole sources, with both EERs computed again.",
    },
    reasons={
        1: "It is the test that gives the smallest p-value on such data.",
        2: "It keeps together what shares a source, and the search for the threshold stays part of "
           "the quantity.",
        3: "It is exact for right-or-wrong outcomes, and does not depend on a metric.",
        4: "With thousands of recordings, means are nearly normal.",
    },
    reference=answer,
    wrong={
        "a": "these thresholds were found on the test data, so the outcomes are not those of rules "
             "that were fixed before. And recordings of one source are not independent.",
        "b": "a recording has a score and no EER. Multiply one detector's scores by two: the EER "
             "stays, and the t test finds a difference.",
        "c": "that asks whether a detector's scores have to do with the labels. They do, for both "
             "detectors, and even if the two are copies of each other.",
        1: "a smaller p-value is no reason. Which tests are valid for this question is settled "
           "before the scores are seen.",
        3: "outcomes at a threshold that was searched are not what the EER is. Metrics of every "
           "kind can be tested by swaps.",
        4: "it is not a mean of recordings, and the recordings of a source hang together.",
    },
    hints=(
        "What would be another one next time: recordings, sources, labels?",
        "The null is that the detectors might as well have been exchanged. Where, and what has to "
        "be computed again?",
    ),
    solution="Sources were sampled, so whole sources change sides; the EER is searched again after "
             "each swap. In the toy of the code, seven sources of four recordings, the EERs are "
             "0.054 and 0.250, and all 128 swaps give p = 0.0156. A paired t test over the "
             "recordings has p = 1 there, because the mean scores agree. And with one detector's "
             "scores doubled, which leaves its EER where it is, the t test sees a difference "
             "between this detector and itself.",
    shows="""from itertools import product

from scipy import stats

labels, source = np.tile([1, 1, 0, 0], 7), np.repeat(np.arange(7), 4)
offset = np.repeat([0, 1, 0, 2, 1, 0, 1], 4)
a, b = np.tile([5, 4, 2, 1], 7) + offset, np.tile([5, 3, 3, 1], 7) + offset
gaps = []
for bits in product([False, True], repeat=7):
    swap = np.array(bits)[source]
    gaps.append(sb.eer(labels, np.where(swap, b, a))
                - sb.eer(labels, np.where(swap, a, b)))
reached = np.abs(gaps) >= abs(gaps[0]) - 1e-12
print(f"EER {sb.eer(labels, a):.3f} and {sb.eer(labels, b):.3f}; "
      f"{len(gaps)} swaps, p = {np.mean(reached):.4f}")
print(f"t test of the two: p = {stats.ttest_rel(a, b).pvalue:.0f}")
print(f"first one doubled: EER {sb.eer(labels, 2 * a):.3f}, "
      f"t test p = {stats.ttest_rel(2 * a, a).pvalue:.0e}")""",
)
