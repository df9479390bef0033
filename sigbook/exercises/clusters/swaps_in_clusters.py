"""An exact test that swaps segments where clusters were sampled."""

import itertools
import warnings

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def exact_p(d, clusters):
    """Two-sided p-value of the summed difference over all swaps of clusters.

    d: array (n,) of whole numbers, the difference A minus B per segment.
    clusters: array (n,) of labels. Returns a float.
    """
    sums = [d[clusters == c].sum() for c in np.unique(clusters)]
    total = abs(sum(sums))
    reached = 0
    for signs in itertools.product((1, -1), repeat=len(sums)):
        reached += abs(np.dot(signs, sums)) >= total
    return reached / 2 ** len(sums)


def faulty(d, clusters):
    """Two-sided p-value of the summed difference over all swaps of clusters.

    d: array (n,) of whole numbers, the difference A minus B per segment.
    clusters: array (n,) of labels. Returns a float.
    """
    total = abs(d.sum())
    reached = 0
    for signs in itertools.product((1, -1), repeat=len(d)):
        reached += abs(np.dot(signs, d)) > total
    return (reached + 1) / (2 ** len(d) + 1)


def share(values, total, strict=False, plus=False, absolute=True):
    patterns = np.array(list(itertools.product((1, -1), repeat=len(values))))
    gaps = patterns @ np.asarray(values)
    if absolute:
        gaps, total = np.abs(gaps), abs(total)
    reached = np.sum(gaps > total if strict else gaps >= total)
    return (reached + 1) / (len(gaps) + 1) if plus else reached / len(gaps)


def sums_of(d, clusters):
    return np.array([d[clusters == c].sum() for c in np.unique(clusters)])


def still(by_cluster=True, strict=False, plus=False):
    """The function with the faults that are not mended."""

    def partly(d, clusters):
        return share(sums_of(d, clusters) if by_cluster else d, d.sum(), strict, plus)

    return partly


def one_sided(d, clusters):
    return share(sums_of(d, clusters), d.sum(), absolute=False)


def of_means(d, clusters):
    means = np.array([d[clusters == c].mean() for c in np.unique(clusters)])
    return share(means.round(9), means.sum().round(9))


def by_package(d, clusters):
    if not d.any():
        return 1.0
    pairs = sb.PairedSet(d.astype(float), np.zeros(len(d)), "mean", clusters=clusters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        return sb.p_randomization(sb.randomize(pairs, draws="all"))


def by_polynomial(d, clusters):
    """Counts of all sums, built cluster by cluster."""
    counts = {0: 1}
    for s in sums_of(d, clusters).tolist():
        new = {}
        for value, times in counts.items():
            for moved in (value + s, value - s):
                new[moved] = new.get(moved, 0) + times
        counts = new
    reached = sum(times for value, times in counts.items() if abs(value) >= abs(int(d.sum())))
    return reached / sum(counts.values())


def cases(rng):
    d = rng.integers(1, 5, size=8)
    d[:4] += 3
    mixed = np.array([3, -1, 2, -2, 1, 2, -1, 1])
    return [
        Case("three clusters, all for A", (d, np.array([0, 0, 0, 1, 1, 1, 2, 2]))),
        Case("three clusters, all for B", (-d, np.array([0, 0, 0, 1, 1, 1, 2, 2]))),
        Case("labels out of order", (mixed, np.array(list("xyzxywzw")))),
        Case("clusters of one segment", (np.array([2, 1, 3, -1]), np.array([4, 3, 2, 1]))),
        Case("no difference at all", (np.zeros(4, dtype=int), np.array([0, 0, 1, 1]))),
        Case("a cluster whose differences cancel",
             (np.array([2, -2, 3, 1, 1, 2]), np.array([5, 5, 6, 6, 7, 7]))),
        Case("a short cluster with the largest difference",
             (np.array([4, 1, 1, 1, 0, -2]), np.array([0, 1, 1, 1, 1, 2]))),
    ]


EXERCISE = Function(
    id="swaps-in-clusters",
    title="Mend an exact test",
    level=2,
    statement="Clusters of segments were sampled, and the sharp null is plausible for whole "
              "clusters. This function should list all their swaps and return the exact "
              "two-sided p-value of the summed difference. It has three faults. Find and mend "
              "them.",
    setup="import itertools",
    reference=exact_p,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(still(strict=True, plus=True),
              "clusters are swapped now. Two faults are left: which patterns reach the gap, and "
              "is anything to be added when all patterns are listed?"),
        Wrong(still(by_cluster=False, plus=True),
              "ties are counted now. Two faults are left: the unit, and a +1."),
        Wrong(still(by_cluster=False, strict=True),
              "nothing is added now. Two faults are left: the unit, and ties."),
        Wrong(still(strict=True), "one fault is left: a swap that gives the same size of gap "
                                  "counts as reaching it. The swap that changes nothing is one "
                                  "of them."),
        Wrong(still(plus=True), "one fault is left: the +1 stands for the data when swaps are "
                                "drawn. In a full list the data are there already."),
        Wrong(still(by_cluster=False), "one fault is left: signs are turned segment by segment. "
                                       "Within a cluster that takes apart what hangs together, "
                                       "and the p-value comes out too small."),
        Wrong(one_sided, "the sign of the gap is kept: that is a one-sided p-value."),
        Wrong(of_means, "the clusters' means were swapped. The statistic is a sum over segments, "
                        "so a cluster enters with its sum."),
    ),
    same=(by_package, by_polynomial),
    hints=(
        "How many patterns does the list have, and how many should it have?",
        "Add the differences up within each cluster; a swap of a cluster turns the sign of its "
        "sum.",
        "Is the pattern that changes nothing counted? It must be, once.",
    ),
    solution="The units of the swap are clusters, so the differences are added up within each, "
             "and there are $2^G$ patterns. A gap is reached when it is equalled. And the list "
             "holds the data themselves, so nothing is added. Eight segments that all favour A "
             "look convincing one by one, p = 2/256 = 0.0078; in three clusters no p-value can "
             "be below 2/8 = 0.25.",
    shows="d, clusters = np.full(8, 1), np.array([0, 0, 0, 1, 1, 1, 2, 2])\n"
          'print(f"by cluster {exact_p(d, clusters):.2f}")\n'
          'print(f"by segment {exact_p(d, np.arange(8)):.4f} = 2/{2**8}")',
)
