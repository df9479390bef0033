"""A choice of metric that may look at the outputs: the same at all corners."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def metric_to_test(a, b):
    """Which metric to test: BLEU, or chrF if there are few matched 4-grams.

    a, b: arrays (n, 10), the BLEU statistics of the two systems' segments;
    column 5 counts the matched 4-grams. Returns "bleu" if both systems
    together match at least 50, else "chrf".
    """
    together = a[:, 5].sum() + b[:, 5].sum()
    return "bleu" if together >= 50 else "chrf"


def faulty(a, b):
    worse = min(a[:, 5].sum(), b[:, 5].sum())
    return "bleu" if worse >= 25 else "chrf"


def better(a, b):
    return "bleu" if max(a[:, 5].sum(), b[:, 5].sum()) >= 25 else "chrf"


def first(a, b):
    return "bleu" if a[:, 5].sum() >= 25 else "chrf"


def first_fifty(a, b):
    return "bleu" if a[:, 5].sum() >= 50 else "chrf"


def each_fifty(a, b):
    return "bleu" if min(a[:, 5].sum(), b[:, 5].sum()) >= 50 else "chrf"


def above(a, b):
    return "bleu" if a[:, 5].sum() + b[:, 5].sum() > 50 else "chrf"


def mean_fifty(a, b):
    return "bleu" if (a[:, 5].sum() + b[:, 5].sum()) / 2 >= 50 else "chrf"


def segments_with_a_match(a, b):
    return "bleu" if np.count_nonzero(a[:, 5]) + np.count_nonzero(b[:, 5]) >= 50 else "chrf"


def difference(a, b):
    return "bleu" if np.abs(a[:, 5] - b[:, 5]).sum() >= 50 else "chrf"


def turned(a, b):
    return "chrf" if a[:, 5].sum() + b[:, 5].sum() >= 50 else "bleu"


def four_gram_totals(a, b):
    return "bleu" if a[:, 9].sum() + b[:, 9].sum() >= 50 else "chrf"


def wrong_column(a, b):
    return "bleu" if a[:, 4].sum() + b[:, 4].sum() >= 50 else "chrf"


def stacked(a, b):
    return ["chrf", "bleu"][int(np.concatenate([a, b])[:, 5].sum() > 49)]


def per_segment(a, b):
    found = 0
    for x, y in zip(a.tolist(), b.tolist()):
        found += x[5] + y[5]
    return "bleu" if found / 2 >= 25 else "chrf"


def statistics(matches):
    """Rows of BLEU statistics with given matched 4-grams."""
    m4 = np.asarray(matches)
    t1 = np.maximum(12, m4 + 9)
    return np.stack([t1, t1 + 1, m4 + 6, m4 + 4, m4 + 2, m4, t1, t1 - 1, t1 - 2, t1 - 3], axis=1)


def cases(rng):
    even, apart = statistics([10, 10, 5, 0]), statistics([0, 20, 30, 0])
    few = statistics([1, 0, 2, 0, 1])
    at_random = statistics(rng.integers(0, 8, size=20)), statistics(rng.integers(0, 8, size=20))
    turn = rng.random(20)[:, None] < 0.5
    none = statistics([0, 0, 0, 0])
    return [
        Case("25 matches each", (even, even)),
        Case("50 matches of A, none of B", (apart, none)),
        Case("none of A, 50 of B", (none, apart)),
        Case("49 matches together", (statistics([10, 10, 4, 0]), even)),
        Case("few matches", (few, few[::-1])),
        Case("one segment", (statistics([3]), statistics([0]))),
        Case("two segments, one matched by each", (statistics([20, 0]), statistics([0, 20]))),
        Case("75 matches", (apart, even)),
        Case("120 matches of A, 10 of B", (statistics([30, 30, 30, 30]), statistics([4, 3, 2, 1]))),
        Case("a match in every segment, 52 in all", (statistics([1] * 26), statistics([1] * 26))),
        Case("a match in every segment, 30 in all", (statistics([1] * 15), statistics([1] * 15))),
        Case("many segments with two matches each, of A "
             "alone", (statistics([2] * 30), statistics([0] * 30))),
        Case("segments at random", at_random),
        Case("segments at random, some "
             "swapped", (np.where(turn, *at_random[::-1]), np.where(turn, *at_random))),
    ]


EXERCISE = Function(
    id="a-look-that-is-blind",
    title="Mend a look at the data",
    level=2,
    statement="Before testing, this function chooses the metric by a look at the outputs. Its "
              "writer took care that nothing changes when the two systems exchange their names. "
              "Still the choice can spoil the level, by {prf:ref}`prop-budget` (d). Find out why, "
              "and mend it so that it does what its new description says: the threshold is 50 "
              "matched 4-grams of both systems together.",
    reference=metric_to_test,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(better, "max of the two sums has the trouble that min had: it changes when some "
                      "segments are swapped."),
        Wrong(first, "this looks at A alone, and changes when segments are swapped."),
        Wrong(first_fifty, "A's matches alone were held against 50. They change when segments are "
                           "swapped."),
        Wrong(each_fifty, "each system's own sum changes when some segments are swapped. What does "
                          "not?"),
        Wrong(above, "50 matches together are enough for BLEU."),
        Wrong(mean_fifty, "the choice is blind now. But the mean of the two sums was held against "
                          "50, so that 100 together are needed."),
        Wrong(segments_with_a_match, "the choice is blind now. It counts segments that have a "
                                     "match, not matches."),
        Wrong(difference, "the choice is blind, for sizes of differences may be looked at. But it "
                          "is another number than the one asked for."),
        Wrong(turned, "the two answers are exchanged."),
        Wrong(four_gram_totals, "column 9 counts the 4-grams there are. Column 5 counts those that "
                                "match."),
        Wrong(wrong_column, "column 4 counts matched 3-grams."),
    ),
    same=(stacked, per_segment),
    hints=(
        "Swap the outputs of one segment on which A has five matches more. What happens to the "
        "smaller of the two sums?",
        "A choice is safe if it is the same at all corners: after every pattern of swaps, not only "
        "after the one that swaps everything.",
        "What the two systems have together on a segment does not change when they are swapped "
        "there.",
    ),
    solution="The smaller of the two sums stays when everything is swapped, and changes when some "
             "segments are. So the choice differs between corners of one data set, and may favour "
             "the metric on which this arrangement happens to do well. The sum of both systems' "
             "matches is the same at all corners. Below, a system with 40 matches meets one with "
             "20: the given function says chrF, and BLEU after swapping the first segment; the "
             "mended one says BLEU for both.",
    shows="""counts = np.zeros((2, 3, 10), dtype=int)
counts[0, :, 5], counts[1, :, 5] = (20, 10, 10), (8, 6, 6)
a, b = counts
for name, x, y in (("as they are", a, b),
                   ("first swapped", np.vstack([b[:1], a[1:]]),
                    np.vstack([a[:1], b[1:]]))):
    print(f"{name}: {x[:, 5].sum()} and {y[:, 5].sum()} matches, "
          f"{metric_to_test(x, y)}")""",
)
