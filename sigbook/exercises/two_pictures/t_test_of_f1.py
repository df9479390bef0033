"""Why a paired bootstrap, and not a t-test on two lists of sentence scores, for corpus F1."""

import numpy as np

from sigbook.exercises.kinds import Choice
from sigbook.metrics import f1

SETUP = (
    "# tp, predicted, gold: 150 sentences with one entity, 50 with twelve\n"
    "a = np.array([[1, 1, 1]] * 85 + [[0, 1, 1]] * 65\n"
    "             + [[9, 12, 12]] * 25 + [[8, 12, 12]] * 25)\n"
    "b = np.array([[1, 1, 1]] * 100 + [[0, 1, 1]] * 50\n"
    "             + [[8, 12, 12]] * 25 + [[7, 12, 12]] * 25)"
)


def taggers():
    """The two taggers of the setup."""
    a = np.array([[1, 1, 1]] * 85 + [[0, 1, 1]] * 65 + [[9, 12, 12]] * 25 + [[8, 12, 12]] * 25)
    b = np.array([[1, 1, 1]] * 100 + [[0, 1, 1]] * 50 + [[8, 12, 12]] * 25 + [[7, 12, 12]] * 25)
    return a, b


def answer():
    a, b = taggers()
    corpus = f1(a.sum(axis=0)) - f1(b.sum(axis=0))
    sentences = f1(a).mean() - f1(b).mean()
    return ("b", 2) if corpus * sentences < 0 else ("c", 2)


EXERCISE = Choice(
    id="t-test-of-f1",
    title="A t-test of F1 scores",
    level=2,
    asked="004 knowledge check Q3",
    statement="Two taggers are to be compared by corpus F1 on one test set. One colleague computes an F1 score for each "
              "sentence and each tagger and puts the two lists into the ordinary two-sample t-test. Another runs the "
              "paired bootstrap on the counts. Whose p-value belongs to the question, and why?",
    setup=SETUP,
    name="answer",
    options={
        "a": "the t-test's",
        "b": "the paired bootstrap's",
        "c": "either, since the test set is large",
        "d": "neither: F1 has no p-value",
    },
    reasons={
        1: "F1 scores lie between 0 and 1 and are not normal, and a t-test needs normal data.",
        2: "The corpus score is made from pooled counts, and both taggers face the same sentences.",
        3: "Resampling makes no assumption about the data.",
        4: "Drawing sentences many times gives more data than the list has.",
    },
    reference=answer,
    wrong={
        "a": "the t-test compares two means of sentence scores, as if they came from two separate test sets. In the stub "
             "the mean sentence F1 is higher for one tagger and the corpus F1 for the other.",
        "c": "the stub has 200 sentences, and the two quantities have opposite signs. A larger set would settle both "
             "signs, not join them.",
        "d": "any statistic of the data has a spread over test sets, and resampling shows it.",
        1: "A mean of 200 scores is close to normal, whatever a single score does. The trouble is which mean it is, and "
           "that the lists belong together.",
        3: "It assumes that the sentences are independent draws from what one cares about, and enough of them.",
        4: "A resample is made of the same sentences; it shows the spread and adds no data.",
    },
    hints=(
        "What number does each of the two tests compare with 0? Compute both for the taggers of the stub.",
        "Which of the two tests knows that both taggers read the same sentences, and which one knows the counts?",
    ),
    solution="Corpus F1 pools the counts, so a sentence with twelve entities weighs more than one with a single entity. "
             "For the taggers of the stub A is ahead by 0.0467 in corpus F1 and behind by 0.0542 in mean sentence F1: the "
             "t-test answers another question. Even for means, the two-sample test ignores the pairing. The paired "
             "bootstrap draws sentences with both taggers' counts and computes corpus F1 anew in each draw: "
             "its interval for the gap is 0.0307 to 0.0584 and leaves 0 out, while the t-test's p is 0.20.",
    shows="from scipy import stats\n\n"
          "segments_a, segments_b = sb.metrics.f1(a), sb.metrics.f1(b)\n"
          'pairs = sb.PairedSet(a, b, metric="f1")\n'
          "low, high = sb.percentile_interval(sb.bootstrap(pairs, seed=1))\n"
          'print(f"corpus F1: gap {pairs.gap:+.4f}, "\n'
          '      f"interval {low:.4f} to {high:.4f}")\n'
          "mean_gap = segments_a.mean() - segments_b.mean()\n"
          "p = stats.ttest_ind(segments_a, segments_b).pvalue\n"
          'print(f"mean sentence F1: gap {mean_gap:+.4f}, t-test p = {p:.2f}")\n'
          'print(f"{len(a)} sentences")',
)
