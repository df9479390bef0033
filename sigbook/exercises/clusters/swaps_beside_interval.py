"""All swaps of groups beside all resamples of groups: a test of the sharp null and an interval."""

import itertools
import warnings

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def test_and_interval(a, b, groups):
    """p-value over all swaps of groups, and the interval over all resamples.

    a, b: arrays (n, 3) of counts per segment: true positives, predicted,
    gold. groups: array (n,) of labels. Returns (p, low, high): the exact
    two-sided p-value of the gap in corpus F1, and its 90% percentile
    interval, which leaves out a twentieth of the resamples, rounded down,
    at each end.
    """
    labels = np.unique(groups)
    sums = np.array([[x[groups == g].sum(axis=0) for g in labels]
                     for x in (a, b)])

    def gap(x, y):
        (tp, *sizes), (other, *others) = x.sum(axis=0), y.sum(axis=0)
        return 2 * tp / sum(sizes) - 2 * other / sum(others)

    observed, swapped, resampled = gap(*sums), [], []
    for swap in itertools.product((False, True), repeat=len(labels)):
        turned = np.where(np.array(swap)[:, None], sums[::-1], sums)
        swapped.append(gap(*turned))
    p = np.mean(np.abs(swapped) >= abs(observed) - 1e-9)
    for draw in itertools.product(range(len(labels)), repeat=len(labels)):
        resampled.append(gap(*sums[:, list(draw)]))
    resampled.sort()
    k = len(resampled) // 20
    return p, resampled[k], resampled[-1 - k]


def group_sums(a, b, groups):
    return [np.array([x[groups == g].sum(axis=0) for g in np.unique(groups)]) for x in (a, b)]


def f1_gap(x, y):
    x, y = x.sum(axis=-2), y.sum(axis=-2)
    return 2 * x[..., 0] / (x[..., 1] + x[..., 2]) - 2 * y[..., 0] / (y[..., 1] + y[..., 2])


def swaps(x, y):
    turned = np.array(list(itertools.product((False, True), repeat=len(x))))[..., None]
    return f1_gap(np.where(turned, y, x), np.where(turned, x, y))


def p_of(gaps, observed, strict=False, plus=0, absolute=True):
    if absolute:
        gaps, observed = np.abs(gaps), abs(observed)
    reached = np.sum(gaps > observed + 1e-9 if strict else gaps >= observed - 1e-9)
    return (reached + plus) / (len(gaps) + plus)


def interval(gaps):
    gaps, k = np.sort(gaps), len(gaps) // 20
    return gaps[k], gaps[-1 - k]


def resamples(x, y, drop=False):
    draws = itertools.product(range(len(x)), repeat=len(x))
    rows = [sorted(set(draw)) if drop else list(draw) for draw in draws]
    return np.array([f1_gap(x[r], y[r]) for r in rows])


def variant(units="groups", strict=False, plus=0, absolute=True, drop=False, cloud=
    "resampled", test=
    "swaps"):
    def partly(a, b, groups):
        x, y = group_sums(a, b, groups)
        observed = f1_gap(x, y)
        swapped = swaps(x, y) if units == "groups" else swaps(a, b)
        p = p_of(swapped, observed, strict, plus, absolute)
        drawn = resamples(x, y, drop)
        if test == "koehn":
            p = min(1.0, 2 * min(np.mean(drawn <= 0), np.mean(drawn >= 0)))
        low, high = interval(swapped if cloud == "swapped" else drawn)
        if cloud == "basic":
            low, high = 2 * observed - high, 2 * observed - low
        return p, low, high

    return partly


def drawn_apart(a, b, groups):
    x, y = group_sums(a, b, groups)
    draws = np.array(list(itertools.product(range(len(x)), repeat=len(x))))
    pooled = x[draws].sum(axis=1), y[draws].sum(axis=1)
    f1_a, f1_b = (2 * s[:, 0] / (s[:, 1] + s[:, 2]) for s in pooled)
    return p_of(swaps(x, y), f1_gap(x, y)), *interval(np.subtract.outer(f1_a, f1_b).ravel())


def macro(a, b, groups):
    x, y = group_sums(a, b, groups)
    d = 2 * x[:, 0] / (x[:, 1] + x[:, 2]) - 2 * y[:, 0] / (y[:, 1] + y[:, 2])
    signs = np.array(list(itertools.product((1, -1), repeat=len(d))))
    draws = np.array(list(itertools.product(range(len(d)), repeat=len(d))))
    return p_of(signs @ d / len(d), d.mean()), *interval(d[draws].mean(axis=1))


def by_package(a, b, groups):
    pairs = sb.PairedSet(a, b, "f1", clusters=groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        p = sb.p_randomization(sb.randomize(pairs, draws="all"))
    x, y = group_sums(a, b, groups)
    cloud = sb.Cloud(resamples(x, y), f1_gap(x, y), "bootstrap", True)
    return (p, *sb.percentile_interval(cloud, 0.90))


def by_counting_bits(a, b, groups):
    names = sorted(set(groups.tolist()))
    count = len(names)

    def pooled(weights_a, weights_b):
        """Sums of (A, B) outputs with weights per group."""
        total = [0.0, 0.0, 0.0]
        for weights, x in ((weights_a, a), (weights_b, b)):
            for name, weight in zip(names, weights):
                if weight:
                    for c in range(3):
                        total[c] += weight * x[groups == name, c].sum()
        return 2 * total[0] / (total[1] + total[2])

    def gap(own, other):
        return pooled(own, other) - pooled(other, own)

    one = [1] * count
    observed = gap(one, [0] * count)
    reached = 0
    for bits in range(2**count):
        stay = [1 - (bits >> g & 1) for g in range(count)]
        reached += abs(gap(stay, [1 - s for s in stay])) >= abs(observed) - 1e-9
    found = []
    for code in range(count**count):
        times = [0] * count
        for _ in range(count):
            code, g = divmod(code, count)
            times[g] += 1
        found.append(pooled(times, [0] * count) - pooled([0] * count, times))
    found.sort()
    k = len(found) // 20
    return [reached / 2**count, found[k], found[-1 - k]]


def cases(rng):
    """Group sums differ, and no gap but the observed one and its mirror image comes near it."""

    def clear(a, b, groups):
        gaps, observed = np.abs(swaps(*group_sums(a, b, groups))), abs(f1_gap(a, b))
        near = np.abs(gaps - observed) < 1e-6
        drawn = resamples(*group_sums(a, b, groups))
        koehn = 2 * min(np.mean(drawn <= 0), np.mean(drawn >= 0))
        others = [np.mean(gaps > observed + shift) for shift in (-1e-6, 1e-6)]
        apart = len(gaps) < 16 or min(abs(koehn - p) for p in others) > 0.01
        return near.sum() == 2 and observed > 0.02 and np.abs(drawn).min() > 1e-6 and apart

    def counts(gold, share):
        predicted = np.maximum(1, gold + rng.integers(-1, 2, size=len(gold)))
        return np.stack([rng.binomial(np.minimum(predicted, gold), share), predicted, gold], axis=1)

    found = []
    for label, groups, shares in (
        ("two groups", np.array([4, 4, 2, 2, 2]), (0.9, 0.5)),
        ("three groups, A ahead", np.array([0, 0, 1, 1, 1, 2, 2]), (0.9, 0.5)),
        ("three groups, A behind", np.array(["c", "a", "a", "b", "c", "c", "b"]), (0.5, 0.8)),
        ("four groups, little difference", np.array([9, 7, 5, 9, 7, 5, 3, 3]), (0.6, 0.5)),
    ):
        while True:
            gold = rng.integers(2, 9, size=len(groups))
            a, b = counts(gold, shares[0]), counts(gold, shares[1])
            a[:2, 0], b[:2, 0] = np.maximum(a[:2, 0], 1), np.maximum(b[:2, 0], 1)
            ahead = f1_gap(a, b) > 0
            whole = all(x[groups == g, 0].sum() for x in (a, b) for g in np.unique(groups))
            if whole and ahead == (label != "three groups, A behind") and clear(a, b, groups):
                break
        found.append(Case(label, (a, b, groups)))
    return found


EXERCISE = Function(
    id="swaps-beside-interval",
    title="All swaps beside all resamples",
    level=3,
    asked="003 deeper",
    statement="Few groups of segments were sampled. For the gap in corpus F1, A minus B, list "
              "all $2^G$ swaps of whole groups and all $G^G$ resamples of them (in order, each "
              "equally likely). Return the exact two-sided p-value of the swaps and the 90% "
              "percentile interval of the resamples. The swaps test the sharp null: within every "
              "group, exchanging the two systems' outputs changes nothing in their law, "
              "independently from group to group. The interval asks what other groups would "
              "give. Count a swap as reaching the gap when it does so within 1e-9. Use NumPy and "
              "the standard library alone.",
    setup="import itertools",
    reference=test_and_interval,
    cases=cases,
    wrong=(
        Wrong(variant(units="segments"), "the interval is right. The swaps are those of "
                                         "segments; groups were sampled, and their segments hang "
                                         "together."),
        Wrong(variant(plus=1), "the interval is right. All swaps are listed, so the data are "
                               "among them, and nothing has to be added."),
        Wrong(variant(strict=True), "the interval is right. A swap that equals the gap reaches "
                                    "it; the one that changes nothing does."),
        Wrong(variant(absolute=False), "the interval is right. The p-value is one-sided, for A "
                                       "better."),
        Wrong(variant(drop=True), "the p-value is right. In the resamples repeated groups are "
                                  "used once. A group drawn twice counts twice."),
        Wrong(variant(cloud="swapped"), "the p-value is right. The interval is made of the "
                                        "swapped gaps, which lie around 0 whatever the gap. An "
                                        "interval for the gap comes from resamples."),
        Wrong(variant(cloud="basic"), "the p-value is right. The interval is the basic one, "
                                      "mirrored in the observed gap."),
        Wrong(variant(test="koehn"), "the interval is right. The p-value was read off the "
                                     "resamples. They describe other test sets, not the null: "
                                     "the test has a cloud of its own."),
        Wrong(drawn_apart, "the p-value is right. In the resamples each system gets groups of "
                           "its own. One draw has to serve both."),
        Wrong(macro, "here each group has its own F1, and their differences are averaged. Corpus "
                     "F1 pools the counts of all segments that are in."),
    ),
    same=(by_package, by_counting_bits),
    hints=(
        "Add the counts up within each group first: both lists need only the sums of groups.",
        "Swaps: itertools.product((False, True), repeat=G). Where True, A's sum goes to B and "
        "B's to A.",
        "Resamples: itertools.product(range(G), repeat=G), repeats kept. Both systems get the "
        "same draw.",
        "p: the share of swaps with abs(gap) ≥ abs(observed) − 1e-9. Interval: sort, leave out "
        "len // 20 at each end.",
    ),
    solution="Two lists from the same group sums, for two questions. In the example A is ahead "
             "in each of three groups. The interval, 0.1034 to 0.1429, excludes 0; the p-value "
             "is 0.25, the smallest that three groups allow. That is no contradiction. The "
             "interval says what resampled groups like these three would give, and with three of "
             "them promises little; the test says how unusual the gap is if the outputs were "
             "exchangeable. Neither can be read off the other's list: the swapped gaps lie "
             "around 0, the resampled ones around the observed gap.",
    shows="a = np.array([[8, 10, 10], [6, 8, 10], [9, 12, 14]])\n"
          "b = np.array([[7, 10, 10], [5, 8, 10], [7, 12, 14]])\n"
          "p, low, high = test_and_interval(a, b, np.arange(3))\n"
          'print(f"p = {p:.2f}, 90% interval {low:.4f} to {high:.4f}")',
)
