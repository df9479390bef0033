"""The whole test: approximate randomization for a corpus metric."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def randomization_test(a, b, draws, rng):
    """Two-sided p-value of approximate randomization for corpus F1.

    a, b: arrays (n, 3) of counts per segment: true positives, predicted,
    gold. draws: the number of random swaps. rng: a NumPy Generator, from
    which all chance comes. Returns a float.
    """
    def gap(a, b):
        tp_a, predicted_a, gold_a = a.sum(axis=0)
        tp_b, predicted_b, gold_b = b.sum(axis=0)
        f1_a = 2 * tp_a / (predicted_a + gold_a)
        return f1_a - 2 * tp_b / (predicted_b + gold_b)

    observed = abs(gap(a, b))
    reached = 0
    for _ in range(draws):
        swap = rng.integers(2, size=(len(a), 1)) == 1
        swapped = gap(np.where(swap, b, a), np.where(swap, a, b))
        reached += abs(swapped) >= observed - 1e-12  # rounding breaks no tie
    return (1 + reached) / (draws + 1)


def f1(counts):
    return 2 * counts[..., 0] / (counts[..., 1] + counts[..., 2])


def p(gaps, observed):
    return (1 + np.count_nonzero(np.abs(gaps) >= abs(observed) - 1e-12)) / (len(gaps) + 1)


def observed_gap(a, b):
    return f1(a.sum(axis=0)) - f1(b.sum(axis=0))


def swapped_gaps(a, b, swaps):
    return f1((1 - swaps) @ a + swaps @ b) - f1(swaps @ a + (1 - swaps) @ b)


def resampled_gaps(a, b, draws, rng):
    n = len(a)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=draws)
    return f1(counts @ a) - f1(counts @ b)


def share(a, b, draws, rng):
    gaps = swapped_gaps(a, b, rng.integers(2, size=(draws, len(a))))
    return np.mean(np.abs(gaps) >= abs(observed_gap(a, b)) - 1e-12)


def strict(a, b, draws, rng):
    gaps = swapped_gaps(a, b, rng.integers(2, size=(draws, len(a))))
    return (1 + np.count_nonzero(np.abs(gaps) > abs(observed_gap(a, b)) + 1e-12)) / (draws + 1)


def one_sided(a, b, draws, rng):
    gaps = swapped_gaps(a, b, rng.integers(2, size=(draws, len(a))))
    return (1 + np.count_nonzero(gaps >= observed_gap(a, b) - 1e-12)) / (draws + 1)


def one_coin(a, b, draws, rng):
    return p(swapped_gaps(a, b, np.repeat(rng.integers(2, size=(draws, 1)), len(a), axis=1)), observed_gap(a, b))


def hits_alone(a, b, draws, rng):
    moved = rng.integers(2, size=(draws, len(a))) @ (b[:, 0] - a[:, 0])
    sum_a, sum_b = a.sum(axis=0), b.sum(axis=0)
    gaps = 2 * (sum_a[0] + moved) / sum_a[1:].sum() - 2 * (sum_b[0] - moved) / sum_b[1:].sum()
    return p(gaps, observed_gap(a, b))


def all_outputs_shuffled(a, b, draws, rng):
    both, n = np.concatenate([a, b]), len(a)
    order = rng.permuted(np.tile(np.arange(2 * n), (draws, 1)), axis=1)
    return p(f1(both[order[:, :n]].sum(axis=1)) - f1(both[order[:, n:]].sum(axis=1)), observed_gap(a, b))


def segment_scores(a, b, draws, rng):
    d = f1(a) - f1(b)
    return p(rng.choice([-1, 1], size=(draws, len(a))) @ d, d.sum())


def resampled(a, b, draws, rng):
    return p(resampled_gaps(a, b, draws, rng), observed_gap(a, b))


def resampled_and_shifted(a, b, draws, rng):
    return p(resampled_gaps(a, b, draws, rng) - observed_gap(a, b), observed_gap(a, b))


def at_once(a, b, draws, rng):
    return p(swapped_gaps(a, b, rng.integers(0, 2, size=(draws, len(a)))), observed_gap(a, b))


def coin_by_coin(a, b, draws, rng):
    def score(total):
        return 2 * total[0] / (total[1] + total[2])

    rows_a, rows_b = a.tolist(), b.tolist()
    observed = abs(score(a.sum(axis=0)) - score(b.sum(axis=0)))
    gaps = []
    for _ in range(draws):
        coins = rng.random(len(rows_a))
        first = [y if coin < 0.5 else x for x, y, coin in zip(rows_a, rows_b, coins)]
        second = [x if coin < 0.5 else y for x, y, coin in zip(rows_a, rows_b, coins)]
        gaps.append(score([sum(column) for column in zip(*first)]) - score([sum(column) for column in zip(*second)]))
    return np.float64((1 + sum(abs(gap) >= observed for gap in gaps)) / (1 + draws))


NINE = (
    [[17, 29, 28], [9, 12, 12], [6, 12, 10], [11, 22, 21], [24, 24, 26], [2, 6, 4], [2, 7, 5], [3, 8, 6], [6, 9, 11]],
    [[16, 27, 28], [10, 15, 12], [7, 12, 10], [10, 19, 21], [23, 31, 26], [1, 3, 4], [0, 3, 5], [0, 10, 6], [8, 13, 11]],
)
OTHER_NINE = (
    [[20, 27, 29], [15, 20, 21], [5, 5, 7], [10, 16, 17], [11, 12, 14], [15, 21, 20], [21, 26, 25], [17, 24, 26],
     [10, 23, 24]],
    [[18, 33, 29], [16, 26, 21], [4, 12, 7], [10, 15, 17], [8, 19, 14], [17, 21, 20], [20, 24, 25], [17, 29, 26],
     [9, 22, 24]],
)


def cases(rng):
    order = rng.permutation(9)
    a, b = (np.array(side)[order] for side in NINE)
    c, d = (np.array(side)[order] for side in OTHER_NINE)
    far_a = np.repeat([[9, 10, 10]], 40, axis=0)
    far_b = np.repeat([[2, 10, 10]], 40, axis=0)
    return [
        Case("identical systems", (a, a, 50, np.random.default_rng(rng.integers(10**9)))),
        Case("one segment", (a[:1], b[:1], 200, np.random.default_rng(rng.integers(10**9)))),
        Case("a single draw, which does not reach the gap", (
            far_a, far_b, 1, np.random.default_rng(rng.integers(10**9)))),
        Case("four wins of one size", (far_a[:4], far_b[:4], 1_500, np.random.default_rng(rng.integers(10**9)))),
        Case("nine segments, A ahead", (a, b, 3_000, np.random.default_rng(rng.integers(10**9)))),
        Case("nine segments, B ahead", (d, c, 3_000, np.random.default_rng(rng.integers(10**9)))),
    ]


EXERCISE = Function(
    id="randomization-test",
    title="The whole test",
    level=3,
    statement="Write approximate randomization for a corpus metric from start to end, with NumPy and without "
              "`sb.randomize`: the p-value of {prf:ref}`def-randomization`, two-sided, for corpus F1 from the counts per "
              "segment. All chance comes from the generator that is handed in.",
    reference=randomization_test,
    cases=cases,
    within=0.065,
    wrong=(
        Wrong(share, "that is b/B, without the data. With few draws it is 0 for a large gap, a value that no p-value may "
                     "have."),
        Wrong(strict, "draws that tie with the data are not counted. Identical systems get the smallest p-value there "
                      "is."),
        Wrong(one_sided, "that is one-sided, for A being better."),
        Wrong(one_coin, "p is always 1 here, since every draw has the observed absolute gap: all segments are swapped together, "
                        "or only put in another order. Each segment has a coin of its own, and its two outputs change "
                        "places."),
        Wrong(hits_alone, "a swap moves a segment's whole output. Here the true positives change sides and the predicted "
                          "counts stay."),
        Wrong(all_outputs_shuffled, "the outputs were shuffled among all segments. Under the null of paired data only the "
                                    "two outputs on one segment may change places."),
        Wrong(segment_scores, "that tests the mean of the segments' F1 scores. Corpus F1 is made from pooled counts, in each "
                              "draw anew."),
        Wrong(resampled, "segments were drawn with replacement: a bootstrap cloud, which lies around the observed gap and "
                         "shows no null."),
        Wrong(resampled_and_shifted, "segments were drawn with replacement and the cloud was moved to 0. That is another "
                                     "test, of the bootstrap's family; here the outputs are swapped."),
    ),
    same=(at_once, coin_by_coin),
    hints=(
        "First the gap of two data sets as a function of its own: pool, score, subtract.",
        "One coin per segment: `rng.integers(2, size=(n, 1))`. `np.where(swap, b, a)` then exchanges whole rows.",
        "Count the draws that reach the observed absolute gap, ties included, and then the data themselves, above and below "
        "the line.",
    ),
    solution="In each draw every segment tosses its own coin and whole rows change sides, so all three counts move together. "
             "Then the counts are pooled and scored anew. Identical systems get p = 1.000 and wins on all of 40 "
             "segments get 0.001 with 999 draws, the smallest value there is.",
    shows="rng = np.random.default_rng(1)\n"
          "a = np.repeat([[9, 10, 10]], 40, axis=0)\n"
          "b = np.repeat([[2, 10, 10]], 40, axis=0)\n"
          "same = randomization_test(a, a, 999, rng)\n"
          "far = randomization_test(a, b, 999, rng)\n"
          'print(f"{len(a)} segments: identical p = {same:.3f}, far apart {far:.3f}")',
)
