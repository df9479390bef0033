"""Both clouds without chance: all swaps and all resamples of a few segments."""

from itertools import combinations_with_replacement, product

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def both_clouds(a, b):
    """Where the two clouds of a gap in corpus F1 lie and how wide they are.

    a, b: arrays (n, 3) of counts per segment: true positives, predicted,
    gold, with n at most 4. Returns four floats: mean and standard deviation
    of the gap, A minus B, over all swaps, then mean and standard deviation
    over all resamples of n segments. Swaps are equally likely, and so are
    the n^n lists of draws.
    """
    def f1(counts):
        tp, predicted, gold = counts.sum(axis=0)
        return 2 * tp / (predicted + gold)

    n = len(a)
    swapped = []
    for pattern in product((False, True), repeat=n):
        swap = np.array(pattern)[:, None]
        swapped.append(f1(np.where(swap, b, a)) - f1(np.where(swap, a, b)))
    resampled = []
    for draws in product(range(n), repeat=n):
        resampled.append(f1(a[list(draws)]) - f1(b[list(draws)]))
    return [np.mean(swapped), np.std(swapped),
            np.mean(resampled), np.std(resampled)]


def f1(counts):
    return 2 * counts[..., 0] / (counts[..., 1] + counts[..., 2])


def swaps(a, b):
    patterns = np.array(list(product((0, 1), repeat=len(a))))
    to_a = f1((1 - patterns) @ a + patterns @ b)
    return to_a - f1(patterns @ a + (1 - patterns) @ b)


def weights(n):
    lists = np.array(list(product(range(n), repeat=n)))
    return (lists[:, :, None] == np.arange(n)).sum(axis=1)


def resamples(a, b, w=None):
    w = weights(len(a)) if w is None else w
    return f1(w @ a) - f1(w @ b)


def summary(swapped, resampled):
    return [np.mean(swapped), np.std(swapped), np.mean(resampled), np.std(resampled)]


def points_alike(a, b):
    n = len(a)
    w = np.array([np.bincount(x, minlength=n) for x in combinations_with_replacement(range(n), n)])
    return summary(swaps(a, b), resamples(a, b, w))


def each_once(a, b):
    return summary(swaps(a, b), resamples(a, b, (weights(len(a)) > 0).astype(int)))


def unpaired(a, b):
    w = weights(len(a))
    return summary(swaps(a, b), f1(w @ a)[:, None] - f1(w @ b)[None, :])


def means_of_segments(a, b):
    d = f1(a) - f1(b)
    signs = np.array(list(product((1, -1), repeat=len(a))))
    return summary((signs * d).mean(axis=1), (weights(len(a)) * d).sum(axis=1) / len(a))


def without_the_data(a, b):
    return summary(swaps(a, b)[1:], resamples(a, b))


def hits_alone(a, b):
    patterns = np.array(list(product((0, 1), repeat=len(a))))
    x, y = np.repeat(a.sum(axis=0)[None], len(patterns), axis=0), np.repeat(b.sum(axis=0)[None], len(patterns), axis=0)
    moved = patterns @ (b[:, 0] - a[:, 0])
    x[:, 0], y[:, 0] = x[:, 0] + moved, y[:, 0] - moved
    return summary(f1(x) - f1(y), resamples(a, b))


def one_less(a, b):
    x, y = swaps(a, b), resamples(a, b)
    return [x.mean(), x.std(ddof=1), y.mean(), y.std(ddof=1)]


def sizes(a, b):
    return summary(np.abs(swaps(a, b)), np.abs(resamples(a, b)))


def one_share(a, b):
    x = swaps(a, b)
    return [x.mean(), x.std(), f1(a.sum(axis=0)) - f1(b.sum(axis=0)), x.std()]


def with_the_package(a, b):
    return np.array(summary(swaps(a, b), resamples(a, b)))


def cases(rng):
    found = [
        Case("two segments", (np.array([[2, 2, 2], [1, 4, 5]]), np.array([[1, 2, 3], [0, 3, 5]]))),
        Case("three segments", (np.array([[2, 2, 2], [3, 4, 5], [7, 9, 9]]),
                                np.array([[1, 2, 2], [2, 6, 5], [2, 5, 9]]))),
    ]
    for n in (3, 4):
        gold = rng.integers(2, 9, size=n)
        predicted = rng.integers(2, 9, size=(2, n))
        tp = np.stack([rng.integers(1, np.minimum(row, gold) + 1) for row in predicted])
        found.append(Case(f"{n} segments at random",
                          tuple(np.stack([tp[k], predicted[k], gold], axis=1) for k in (0, 1))))
    return found


EXERCISE = Function(
    id="both-clouds",
    title="Both clouds, without chance",
    level=3,
    statement="With very few segments no draw is needed: all swaps and all resamples can be listed. Write the mean and "
              "the standard deviation of the gap in corpus F1 over all of either kind, with NumPy and "
              "`itertools.product`. A standard deviation over a complete list divides by its length.",
    setup="from itertools import product",
    reference=both_clouds,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(points_alike, "the resamples are listed by how often each segment was drawn, each of these once. They are "
                            "not equally likely: three segments can be drawn once each in six orders, one of them "
                            "three times in one."),
        Wrong(each_once, "a segment that is drawn twice counts twice. Here it counts once, and the cloud is too narrow."),
        Wrong(unpaired, "each system gets resamples of its own. The same draws must serve both."),
        Wrong(means_of_segments, "these are the clouds of the mean of segment scores. Corpus F1 is made from pooled "
                                 "counts, swapped or resampled."),
        Wrong(without_the_data, "the pattern that swaps nothing is missing. It is one of the swaps."),
        Wrong(hits_alone, "a swap moves a segment's whole output. Here the true positives change sides and the predicted "
                          "counts stay."),
        Wrong(one_less, "that divides by one less than the number of gaps. The lists are complete, not samples."),
        Wrong(sizes, "the signs of the gaps are lost."),
        Wrong(one_share, "the second cloud was not listed: its mean is not quite the observed gap and its width is not "
                         "that of the first, since the metric is no mean."),
    ),
    same=(with_the_package,),
    hints=(
        "`product((False, True), repeat=n)` lists the swaps, `product(range(n), repeat=n)` the lists of draws.",
        "Swapped data: `np.where(swap[:, None], b, a)` for A and the other way round for B. Resampled data: "
        "`a[list(draws)]` and `b[list(draws)]`.",
        "Score each data set by pooled counts, keep A minus B, and take `np.mean` and `np.std` of either list.",
    ),
    solution="Three segments have 8 swaps and 27 lists of draws. The swapped gaps have mean 0 and sd 0.2868; the resampled "
             "ones have sd 0.0524 and the mean 0.4269, near the observed gap of 0.4294 but not on it: corpus F1 is no "
             "mean, and {prf:ref}`lem-two-spreads` holds for it only roughly. The swap cloud is the wider one, because "
             "the gap itself is part of its width.",
    shows="a = np.array([[2, 2, 2], [3, 4, 5], [7, 9, 9]])\n"
          "b = np.array([[1, 2, 2], [2, 6, 5], [2, 5, 9]])\n"
          "found = both_clouds(a, b)\n"
          'print(f"swaps {2 ** 3}: mean {found[0]:z.4f}, sd {found[1]:.4f}")\n'
          'print(f"resamples {3 ** 3}: mean {found[2]:.4f}, sd {found[3]:.4f}")\n'
          'print(f"observed {sb.PairedSet(a, b, metric=\'f1\').gap:.4f}")',
)
