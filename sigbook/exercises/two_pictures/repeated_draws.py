"""A bootstrap that forgets which segments came twice."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def resampled_gaps(a, b, drawn):
    """Gaps in corpus F1, A minus B, on resampled test sets.

    a, b: arrays (n, 3) of counts per segment: true positives, predicted,
    gold. drawn: array (B, n), the numbers of the segments that each resample
    draws, from 0. Returns an array (B,).
    """
    gaps = []
    for row in drawn:
        tp_a, predicted_a, gold_a = a[row].sum(axis=0)
        tp_b, predicted_b, gold_b = b[row].sum(axis=0)
        f1_a = 2 * tp_a / (predicted_a + gold_a)
        f1_b = 2 * tp_b / (predicted_b + gold_b)
        gaps.append(f1_a - f1_b)
    return np.array(gaps)


def given(a, b, drawn):
    """Gaps in corpus F1, A minus B, on resampled test sets.

    a, b: arrays (n, 3) of counts per segment: true positives, predicted,
    gold. drawn: array (B, n), the numbers of the segments that each resample
    draws, from 0. Returns an array (B,).
    """
    gaps = []
    for row in drawn:
        chosen = np.isin(np.arange(len(a)), row)
        tp_a, predicted_a, gold_a = a[chosen].sum(axis=0)
        tp_b, predicted_b, gold_b = b[chosen].sum(axis=0)
        f1_a = 2 * tp_a / (predicted_a + gold_a)
        f1_b = 2 * tp_b / (predicted_b + gold_b)
        gaps.append(f1_a - f1_b)
    return np.array(gaps)


def f1(counts):
    return 2 * counts[..., 0] / (counts[..., 1] + counts[..., 2])


def mean_of_segments(a, b, drawn):
    return (f1(a) - f1(b))[drawn].mean(axis=1)


def centred(a, b, drawn):
    return resampled_gaps(a, b, drawn) - (f1(a.sum(axis=0)) - f1(b.sum(axis=0)))


def b_minus_a(a, b, drawn):
    return -resampled_gaps(a, b, drawn)


def only_a(a, b, drawn):
    return f1(a[drawn].sum(axis=1)) - f1(b.sum(axis=0))


def half(a, b, drawn):
    return resampled_gaps(a, b, drawn[:, : (len(a) + 1) // 2])


def unpaired(a, b, drawn):
    return f1(a[drawn].sum(axis=1)) - f1(b[drawn[::-1]].sum(axis=1))


def distinct_and_more(a, b, drawn):
    """Repeats replaced by segments that were not drawn: always the observed set."""
    return np.full(len(drawn), f1(a.sum(axis=0)) - f1(b.sum(axis=0)))


def by_counts(a, b, drawn):
    counts = np.stack([np.bincount(row, minlength=len(a)) for row in drawn])
    return f1(counts @ a) - f1(counts @ b)


def in_one_step(a, b, drawn):
    return list(f1(a[drawn].sum(axis=1)) - f1(b[drawn].sum(axis=1)))


def cases(rng):
    a, b = np.array([[2, 2, 2], [1, 4, 5], [6, 8, 9]]), np.array([[1, 2, 2], [3, 4, 5], [4, 7, 9]])
    found = [
        Case("three segments, some drawn twice", (a, b, np.array([[0, 0, 1], [2, 1, 2], [0, 1, 2], [1, 1, 1]]))),
        Case("each segment drawn once", (a, b, np.array([[0, 1, 2], [2, 0, 1]]))),
    ]
    for n, draws in ((6, 5), (20, 8)):
        gold = rng.integers(1, 12, size=n)
        sides = []
        for _ in "ab":
            predicted = rng.integers(1, 12, size=n)
            sides.append(np.stack([rng.binomial(np.minimum(predicted, gold), 0.6), predicted, gold], axis=1))
        found.append(Case(f"{n} segments at random", (*sides, rng.integers(n, size=(draws, n)))))
    return found


EXERCISE = Function(
    id="repeated-draws",
    title="A cloud that is too narrow",
    level=2,
    statement="The function below computes the cloud of the paired bootstrap for corpus F1 from segments that were "
              "drawn with replacement. Its cloud is too narrow. Find the fault and mend it.",
    reference=resampled_gaps,
    given=given,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(mean_of_segments, "that averages the segments' own F1 scores. The metric is corpus F1, which pools the "
                                "counts of a resample first."),
        Wrong(centred, "the cloud was moved to zero. Its place was right, and its width is still asked for around "
                       "the observed gap."),
        Wrong(b_minus_a, "that is B minus A; a gap is A minus B."),
        Wrong(only_a, "only A is scored on the resample, and B on the observed set. Both systems get the same segments."),
        Wrong(half, "that uses half of each row. A resample of n segments has n draws; fewer show the spread of smaller "
                    "test sets."),
        Wrong(unpaired, "the two systems get different resamples. The same row must serve both."),
        Wrong(distinct_and_more, "each segment is used once here, so that every resample is the observed set and the "
                                 "cloud a single point."),
    ),
    same=(by_counts, in_one_step),
    hints=(
        "Take three segments and the row [0, 0, 1]. How often does segment 0 enter the sums?",
        "`np.isin` says whether a segment was drawn. How often it was drawn is lost.",
        "An index array may name a segment twice: `a[row]` then holds it twice.",
    ),
    solution="The mask says whether a segment was drawn, not how often, so each counts once at most. Such a cloud is that "
             "of smaller test sets drawn without replacement, a share of 0.635 of the segments in the example, and too "
             "narrow: its sd is 0.77 times the right one. Indexing with the row itself, `a[row]`, repeats what was drawn twice.",
    shows="rng = np.random.default_rng(1)\n"
          "gold = rng.integers(1, 12, size=60)\n"
          "a = np.stack([rng.binomial(gold, 0.6), gold, gold], axis=1)\n"
          "b = np.stack([rng.binomial(gold, 0.5), gold, gold], axis=1)\n"
          "drawn = rng.integers(60, size=(4_000, 60))\n"
          "once = np.array([np.isin(np.arange(60), row) for row in drawn])\n"
          "narrow = sb.metrics.f1(once @ a) - sb.metrics.f1(once @ b)\n"
          "right = resampled_gaps(a, b, drawn)\n"
          'print(f"sd {right.std():.4f}, with each segment once "\n'
          '      f"{narrow.std():.4f}, ratio {narrow.std() / right.std():.2f}")\n'
          'print(f"share of segments drawn: {once.mean():.3f}")',
)
