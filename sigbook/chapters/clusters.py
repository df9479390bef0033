"""Chapter 7, what a cluster hides: design effects exactly and by simulation, groups, error rates.

Experiments first, then figures, then the lab. K clusters of m scores each, n = K m; rho is the
correlation of two scores of one cluster; the design effect is 1 + (m - 1) rho.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from sigbook import _checks, clouds, data, figures, linear, widgets
from sigbook import clusters as package
from sigbook.eer import bootstrap_eer, eer, eer_gaps
from sigbook.experiments import Share
from sigbook.pairs import PairedSet
from sigbook.worlds import aspects, detectors

# A cluster's law: its scores -> the probability of these scores.
Law = Mapping[tuple[int, ...], Fraction]


# Theorem 3 by enumeration -------------------------------------------------------------------------

@dataclass(frozen=True)
class Exact:
    """What Theorem 3 speaks of, in fractions, by going through all data sets.

    sigma2: variance of one score. rho: correlation of two scores of one cluster. variance: of the
    mean. segment, cluster: expected bootstrap variances of the mean, by segment and by cluster.
    """

    sigma2: Fraction
    rho: Fraction
    variance: Fraction
    segment: Fraction
    cluster: Fraction


def exact(law: Law, clusters: int) -> Exact:
    """All data sets of `clusters` independent clusters with one law, each with its probability.

    Raises ValueError if the scores of a cluster do not share one mean, one positive variance and
    one covariance.
    """
    m = len(next(iter(law)))
    mean, sigma2, covariance = _moments(law, m)
    means = segment = cluster = square = Fraction(0)
    for drawn in product(law.items(), repeat=clusters):
        chance = math.prod(probability for _, probability in drawn)
        groups = [scores for scores, _ in drawn]
        average = Fraction(sum(map(sum, groups)), clusters * m)
        means += chance * average
        square += chance * average**2
        segment += chance * segment_variance(groups)
        cluster += chance * cluster_variance(groups)
    if means != mean:
        raise ValueError(f"law must add up to 1; got a mean of {means} for {mean}")
    return Exact(sigma2, covariance / sigma2, square - mean**2, segment, cluster)


def _moments(law, m):
    def expected(f):
        return sum(probability * f(scores) for scores, probability in law.items())

    mean = expected(lambda x: x[0])
    second = {expected(lambda x, i=i: x[i] ** 2) for i in range(m)}
    mixed = {expected(lambda x, i=i, j=j: x[i] * x[j]) for i in range(m) for j in range(i)}
    alike = {expected(lambda x, i=i: x[i]) for i in range(m)} == {mean}
    if not (alike and len(second) == len(mixed) == 1) or second == {mean**2}:
        raise ValueError("law must give all scores one mean, one variance > 0 and one covariance")
    return mean, second.pop() - mean**2, mixed.pop() - mean**2


def segment_variance(groups: Sequence[Sequence[int]]) -> Fraction:
    """Variance of the mean over segment resamples of one data set: sum (x - mean)^2 / n^2."""
    x = [score for group in groups for score in group]
    average = Fraction(sum(x), len(x))
    return sum((score - average) ** 2 for score in x) / len(x) ** 2


def cluster_variance(groups: Sequence[Sequence[int]]) -> Fraction:
    """The same over cluster resamples, all clusters of one size: sum (mean_k - mean)^2 / K^2."""
    means = [Fraction(sum(group), len(group)) for group in groups]
    average = sum(means) / len(means)
    return sum((mean - average) ** 2 for mean in means) / len(means) ** 2


def exchangeable_laws(m: int, parts: int) -> Iterator[Law]:
    """All laws on {0, 1}^m that do not care for order, in steps of 1/parts.

    The number of ones has the probabilities a_0/parts, ..., a_m/parts; given it, each arrangement
    is equally likely. Laws under which every score is the same constant are left out.
    """
    arrangements = {j: [x for x in product((0, 1), repeat=m) if sum(x) == j] for j in range(m + 1)}
    for a in product(range(parts + 1), repeat=m + 1):
        if sum(a) == parts and parts not in (a[0], a[m]):
            yield {x: Fraction(a[j], parts * len(arrangements[j]))
                   for j in range(m + 1) for x in arrangements[j] if a[j]}


def exact_icc(groups: Sequence[Sequence[int]]) -> Fraction | None:
    """The pairwise within-cluster correlation of data, in fractions; None when all are equal."""
    x = [score for group in groups for score in group]
    average = Fraction(sum(x), len(x))
    squares = sum((score - average) ** 2 for score in x)
    sums = sum((sum(group) - len(group) * average) ** 2 for group in groups)
    pairs = sum(len(group) * (len(group) - 1) for group in groups)
    return (sums - squares) / pairs * len(x) / squares if squares else None


def unequal_effect(sizes: Sequence[int], rho) -> Fraction:
    """1 + rho (sum m_k^2 / n - 1): the design effect of clusters of given sizes."""
    return 1 + rho * (Fraction(sum(m * m for m in sizes), sum(sizes)) - 1)


def cluster_resamples(groups: Sequence[Sequence[int]]) -> list[tuple[int, Fraction]]:
    """(segments, mean) of each of the K^K cluster resamples."""
    found = []
    for drawn in product(groups, repeat=len(groups)):
        size = sum(map(len, drawn))
        found.append((size, Fraction(sum(map(sum, drawn)), size)))
    return found


# The theorem's quantities, measured ---------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Simulated:
    """Many test sets of K clusters of m normal scores with mean 0 and variance 1.

    means: (E,) mean score of each. segment, cluster: (E,) bootstrap variances of that mean.
    """

    clusters: int
    m: int
    rho: float
    means: np.ndarray
    segment: np.ndarray
    cluster: np.ndarray

    @property
    def effect(self) -> float:
        """The design effect; 0 at the least rho, whatever the rounding."""
        effect = 1 + (self.m - 1) * self.rho
        return effect if effect > 1e-12 or math.isnan(effect) else 0.0

    @property
    def truth(self) -> float:
        """Variance of the mean, by the theorem."""
        return self.effect / (self.clusters * self.m)

    def ratio(self, which: str) -> tuple[float, float]:
        """Mean of the bootstrap variances over the truth, and its standard error."""
        x = getattr(self, which) / self.truth
        return float(x.mean()), float(x.std() / math.sqrt(len(x)))

    def se(self, which: str) -> np.ndarray:
        """(E,) standard errors; the cluster's with K/(K - 1), as `sb.cluster_sd` has it."""
        if which == "segment":
            n = self.clusters * self.m
            return np.sqrt(self.segment * n / (n - 1))
        return np.sqrt(self.cluster * self.clusters / (self.clusters - 1))

    def coverage(self, which: str, level: float = 0.95, *, t: bool = False) -> Share:
        """How often mean ± quantile times standard error contains 0, the truth.

        The quantile is the normal one, or Student's with K - 1 degrees of freedom.
        """
        from scipy.special import ndtri, stdtrit

        p = (1 + level) / 2
        quantile = stdtrit(self.clusters - 1, p) if t else ndtri(p)
        inside = np.abs(self.means) <= quantile * self.se(which)
        return Share(float(np.mean(inside)), len(inside))


def correlated(
    rng: np.random.Generator, sets: int, clusters: int, m: int, rho: float
) -> np.ndarray:
    """Normal scores (sets, K, m) of variance 1 with correlation rho inside clusters.

    Each cluster's deviations from its mean are scaled by sqrt(1 - rho), its mean by
    sqrt(1 + (m - 1) rho), so that any rho from -1/(m - 1) to 1 can be had.
    """
    m = _checks.count("m", m, 2)
    if not -1 / (m - 1) <= rho <= 1:
        raise ValueError(f"rho must lie between -1/(m - 1) = {-1 / (m - 1):.3g} and 1; got {rho:g}")
    x = rng.normal(size=(sets, clusters, m))
    mean = x.mean(axis=2, keepdims=True)
    effect = 1 + (m - 1) * rho
    # At the least rho the rounded effect may be off 0, and the mean would vary by it.
    scale = math.sqrt(effect) if effect > 1e-12 else 0.0
    return math.sqrt(1 - rho) * (x - mean) + scale * mean


def simulated(clusters: int, m: int, rho: float, sets: int = 2_000, seed=0) -> Simulated:
    """`sets` test sets with both bootstrap variances, which need no draws for a mean."""
    rng = _checks.generator(seed)
    x = correlated(rng, sets, clusters, m, rho)
    return Simulated(clusters, m, rho, *variances(x))


def variances(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, segment and cluster bootstrap variance of each test set x (sets, K, m)."""
    sets, clusters, m = x.shape
    own = x.mean(axis=2)
    means = own.mean(axis=1)
    squares = (x * x).sum(axis=(1, 2)) / (clusters * m) - means**2
    return means, squares / (clusters * m), own.var(axis=1) / clusters


def two_stage_variances(x: np.ndarray) -> np.ndarray:
    """Variance of the mean of each test set x (sets, K, m) over two-stage resamples."""
    _, clusters, m = x.shape
    return x.mean(axis=2).var(axis=1) / clusters + x.var(axis=2).mean(axis=1) / (clusters * m)


def two_stage(clusters: int, m: int, rho: float, sets: int = 2_000, seed=0) -> tuple[float, float]:
    """Variance of the two-stage bootstrap over the truth, with its standard error.

    It draws clusters and then m segments afresh from each drawn cluster, which adds the mean
    variance within clusters over n.
    """
    x = correlated(_checks.generator(seed), sets, clusters, m, rho)
    ratio = two_stage_variances(x) / ((1 + (m - 1) * rho) / (clusters * m))
    return float(ratio.mean()), float(ratio.std() / math.sqrt(sets))


def between(tau: float, sets: int = 2_000, seed=0, *, topics: int = 8, documents: int = 5,
            m: int = 5, rho: float = 0.2) -> tuple[Simulated, Simulated]:
    """Documents that are not independent: they share topics.

    Two scores of one document have correlation tau + rho, of two documents of one topic tau. The
    same test sets read with documents as clusters and with topics as clusters.
    """
    rng = _checks.generator(seed)
    x = (math.sqrt(tau) * rng.normal(size=(sets, topics, 1, 1))
         + math.sqrt(rho) * rng.normal(size=(sets, topics, documents, 1))
         + math.sqrt(1 - rho - tau) * rng.normal(size=(sets, topics, documents, m)))
    return (Simulated(topics * documents, m, rho + tau,
                      *variances(x.reshape(sets, topics * documents, m))),
            Simulated(topics, documents * m, math.nan,
                      *variances(x.reshape(sets, topics, documents * m))))


# Aspects and real documents -----------------------------------------------------------------------

@dataclass(frozen=True)
class Effect:
    """One quantity with one kind of cluster."""

    what: str
    clusters: str
    mean: float
    icc: float
    design_effect: float
    plain_se: float
    cluster_se: float


def effect(what: str, x, labels, kind: str) -> Effect:
    """Mean, correlation, design effect and both standard errors of scores x (n,)."""
    x = np.asarray(x, dtype=np.float64)
    return Effect(what, kind, float(x.mean()), package.icc(x, labels),
                  package.design_effect(x, labels), float(x.std(ddof=1) / math.sqrt(len(x))),
                  package.cluster_sd(x, labels))


def aspect_effects(world: aspects.Aspects | None = None) -> list[Effect]:
    """Readers and pairs of readers of the aspects world, by sentence and by filing."""
    world = aspects.load() if world is None else world
    right = world.right
    scores = {"lexicon": right["lexicon"], "blind": right["blind"],
              "lexicon − blind": right["lexicon"] - right["blind"],
              "lexicon − specialist": right["lexicon"] - right["specialist"]}
    return [effect(what, x, getattr(world, kind), kind)
            for what, x in scores.items() for kind in ("sentence", "filing")]


@dataclass(frozen=True, eq=False)
class RealPair:
    """Two real systems compared by segment and by document."""

    segments: PairedSet
    documents: PairedSet

    @property
    def influence(self) -> np.ndarray:
        return linear.influence(self.segments)

    @property
    def labels(self) -> np.ndarray:
        return np.asarray(self.documents.clusters)

    @property
    def effect(self) -> Effect:
        """Of the influences, which are centred: their mean is 0, their variance the gap's."""
        return effect(" − ".join(self.segments.names), self.influence, self.labels, "document")


def real_pair(test_set: str) -> RealPair:
    """"wmt23": ONLINE-W against ONLINE-M; "ted": Facebook-AI against UEdin. Corpus BLEU."""
    chosen = _checks.choice("test_set", test_set, ("wmt23", "ted"))
    rated, names = ((data.wmt23(), ("ONLINE-W", "ONLINE-M")) if chosen == "wmt23"
                    else (data.wmt21_ted(), ("Facebook-AI", "UEdin")))
    a, b = (rated.bleu[name] for name in names)
    return RealPair(PairedSet(a, b, names=names),
                    PairedSet(a, b, clusters=rated.documents, names=names))


# Groups of trials ---------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Trials:
    """A small set of trials: labels (n,), groups (n,), scores of two detectors (n,)."""

    labels: np.ndarray
    groups: np.ndarray
    a: np.ndarray
    b: np.ndarray

    def rates(self, drawn: Sequence[int]) -> dict[str, tuple[float, float]]:
        """EERs of A and B on drawn groups, repeats counted: "macro" and "pooled"."""
        weights = np.bincount(drawn, minlength=self.groups.max() + 1)
        each = [[eer(self.labels[self.groups == g], x[self.groups == g]) for g in drawn]
                for x in (self.a, self.b)]
        pooled = tuple(eer(self.labels, x, weights[self.groups]) for x in (self.a, self.b))
        return {"macro": tuple(float(np.mean(x)) for x in each), "pooled": pooled}


def toy() -> Trials:
    """Two sources of one genuine recording and one spoof; each detector inverts one of them."""
    return Trials(np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1]),
                  np.array([2, 1, 1, 2]), np.array([2, 3, 2, 1]))


def all_draws(groups: int) -> list[tuple[int, ...]]:
    """The groups^groups ordered draws."""
    return list(product(range(groups), repeat=groups))


def macro_law(own: Sequence[int], *, keep_repeats: bool = True) -> dict[Fraction, int]:
    """Macro gap -> number of the draws of groups that give it; own: each group's gap."""
    found: dict[Fraction, int] = {}
    for drawn in all_draws(len(own)):
        counted = drawn if keep_repeats else set(drawn)
        gap = Fraction(sum(own[g] for g in counted), len(counted))
        found[gap] = found.get(gap, 0) + 1
    return dict(sorted(found.items()))


def law_sd(law: Mapping[Fraction, int]) -> float:
    """Standard deviation of a law given by counts."""
    total = sum(law.values())
    mean = Fraction(sum(value * count for value, count in law.items()), total)
    return math.sqrt(sum(count * (value - mean) ** 2 for value, count in law.items()) / total)


@dataclass(frozen=True, eq=False)
class Rates:
    """A detector of the detectors world: its pooled EER and the EER of each source (sources,)."""

    name: str
    pooled: float
    each: np.ndarray

    @property
    def macro(self) -> float:
        return float(self.each.mean())


def rates(name: str, world: detectors.Detectors | None = None) -> Rates:
    """EERs of a detector."""
    world = detectors.load() if world is None else world
    x = detectors.scores(name, world)
    each = [eer(world.labels[world.sources == s], x[world.sources == s])
            for s in np.unique(world.sources)]
    return Rates(name, eer(world.labels, x), np.array(each))


def gap_cloud(groups: str, kind: str = "pooled", draws: int = 2_000, seed=0,
              world: detectors.Detectors | None = None):
    """Bootstrap cloud of the EER gap of spectral and neural; groups "source" or "trial"."""
    world = detectors.load() if world is None else world
    single = _checks.choice("groups", groups, ("source", "trial")) == "trial"
    labels = np.arange(len(world.labels)) if single else world.sources
    return bootstrap_eer(world.labels, world.scores["spectral"], world.scores["neural"], labels,
                         kind, draws, seed)


def without_repeats(draws: int = 2_000, seed=0,
                    world: detectors.Detectors | None = None) -> tuple[float, float]:
    """sd of the macro EER gap over group draws: repeats kept, and repeats thrown away."""
    world = detectors.load() if world is None else world
    count = len(np.unique(world.sources))
    gap_of = eer_gaps(world.labels, world.scores["spectral"], world.scores["neural"],
                      world.sources, count, "macro")
    rng = _checks.generator(seed)
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=draws)
    return float(gap_of(drawn).std()), float(gap_of(np.minimum(drawn, 1)).std())


@dataclass(frozen=True)
class Thresholds:
    """Error rates of one detector, (FAR + FRR)/2, with group-bootstrap standard deviations.

    fixed: at a threshold set on other sources. stuck: at the best threshold of the data, kept in
    every draw. swept: the least over thresholds, found again in every draw. Each is (value on the
    data, mean over draws, sd over draws).
    """

    threshold: float
    fixed: tuple[float, float, float]
    stuck: tuple[float, float, float]
    swept: tuple[float, float, float]


def thresholds(name: str, draws: int = 500, seed=0, development: int = 10,
               world: detectors.Detectors | None = None) -> Thresholds:
    """The first sources set the threshold, the others are the test set whose groups are drawn."""
    world = detectors.load() if world is None else world
    first = np.arange(development)
    dev, test = (world.of_sources(chosen) for chosen in
                 (first, np.setdiff1d(world.sources, first)))
    dev_costs, dev_cuts = costs(dev.labels, dev.scores[name], np.ones((1, len(dev.labels))))
    threshold = float(dev_cuts[dev_costs[0].argmin()])
    _, number = np.unique(test.sources, return_inverse=True)
    groups = number.max() + 1
    drawn = _checks.generator(seed).multinomial(groups, np.full(groups, 1 / groups), size=draws)
    weights = np.concatenate([np.ones((1, groups), dtype=np.int64), drawn])[:, number]
    found, cuts = costs(test.labels, test.scores[name], weights)
    # Cuts fall: the last one that is not below the threshold accepts the same trials.
    at = int(np.searchsorted(-cuts, -threshold, side="right")) - 1
    best = int(found[0].argmin())

    def summary(x):
        return float(x[0]), float(x[1:].mean()), float(x[1:].std())

    return Thresholds(threshold, summary(found[:, at]), summary(found[:, best]),
                      summary(found.min(axis=1)))


def costs(labels: np.ndarray, scores: np.ndarray, weights: np.ndarray):
    """(FAR + FRR)/2 when trials at or above a cut are accepted: (draws, cuts), and the cuts.

    weights: (draws, n) multiplicities. Cuts: above every score, then each distinct score downward.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(order) - 1)

    def accepted(label):
        total = np.cumsum(weights[:, order] * (labels[order] == label), axis=1)
        share = total[:, last] / total[:, -1:]
        return np.concatenate([np.zeros((len(weights), 1)), share], axis=1)

    cuts = np.concatenate([[np.inf], ordered[last].astype(np.float64)])
    return (1 + accepted(0) - accepted(1)) / 2, cuts


# Figures ------------------------------------------------------------------------------------------

BY_SEGMENT, BY_CLUSTER = figures.EXTRA, figures.BOOTSTRAP


@figures.styled
def draw_clouds(by_segment: clouds.Cloud, by_cluster: clouds.Cloud, names: tuple[str, str],
                label: str):
    """Two bootstrap clouds of one gap, and zero."""
    figure, axis = figures.canvas(height=2.7)
    edges = figures.bin_edges(np.concatenate([by_segment.gaps, by_cluster.gaps]), 50)
    for cloud, look, name in zip((by_segment, by_cluster), (BY_SEGMENT, BY_CLUSTER), names):
        counts, _ = np.histogram(cloud.gaps, edges)
        axis.stairs(counts / cloud.draws, edges, **look.stroke, label=name, linewidth=1.6)
    for place, look, name in ((by_cluster.observed, figures.OBSERVED, "observed gap"),
                              (0, figures.REFERENCE, "no gap")):
        axis.axvline(place, **look.stroke, label=name)
    axis.set(xlabel=label, ylabel="share of draws", ylim=(0, None))
    axis.legend(loc="upper right")
    return figure


@figures.styled
def draw_influences(influence: np.ndarray, labels: np.ndarray):
    """Influences of segments, and their sums over documents, documents in order of the sum."""
    found, number = np.unique(labels, return_inverse=True)
    sums = np.bincount(number, weights=influence)
    place = np.empty(len(found), dtype=np.int64)
    place[np.argsort(sums, kind="stable")] = np.arange(len(found))
    figure, axis = figures.canvas(height=3.0)
    axis.bar(place, sums, width=0.8, facecolor="none", edgecolor=BY_CLUSTER.color, hatch="///",
             linewidth=1, label="document (sum)")
    axis.plot(place[number], influence, BY_SEGMENT.marker, color=BY_SEGMENT.color, markersize=4,
              label="segment")
    axis.axhline(0, color=figures.REFERENCE.color, linewidth=0.8)
    axis.set_xticks([])
    axis.set(xlabel=f"{len(found)} documents, in order of their sum", ylabel="influence on the gap")
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_ratios(found: Sequence[Simulated]):
    """Mean bootstrap variances over the truth against rho, with the theorem's curve."""
    figure, axis = figures.canvas(height=2.9)
    rho = np.linspace(min(s.rho for s in found), max(s.rho for s in found), 200)
    axis.plot(rho, 1 / (1 + (found[0].m - 1) * rho), **BY_SEGMENT.stroke,
              label="1 / (1 + (m − 1)ρ)")
    for which, look in (("segment", BY_SEGMENT), ("cluster", BY_CLUSTER)):
        ratios = np.array([s.ratio(which) for s in found])
        axis.errorbar([s.rho for s in found], ratios[:, 0], 3 * ratios[:, 1], linestyle="none",
                      marker=look.marker, color=look.color, capsize=3, label=f"{which} bootstrap")
    axis.axhline(1, **figures.REFERENCE.stroke, label="truth")
    axis.set_yscale("log", base=2)
    ticks = [2.0**k for k in range(-2, 3)]
    axis.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axis.set(xlabel="correlation ρ within clusters", ylabel="variance / truth")
    axis.legend()
    return figure


@figures.styled
def draw_effects(effects: Sequence[Effect]):
    """Design effects as points on a line each, single systems and differences told apart."""
    figure, axis = figures.canvas(height=0.34 * len(effects) + 0.9)
    for place, e in enumerate(effects):
        look = BY_CLUSTER if "−" in e.what else BY_SEGMENT
        axis.plot([1, e.design_effect], [place, place], **look.stroke, linewidth=1)
        axis.plot(e.design_effect, place, look.marker, color=look.color)
    axis.axvline(1, **figures.REFERENCE.stroke)
    axis.set_yticks(range(len(effects)), [f"{e.what}, by {e.clusters}" for e in effects])
    axis.invert_yaxis()
    axis.set_xscale("log")
    ticks = (0.8, 1, 1.5, 2, 3)
    axis.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    axis.set(xlabel="design effect")
    return figure


@figures.styled
def draw_swaps(cloud: clouds.Cloud):
    """All gaps of an enumerated randomization cloud in order; those that reach the data marked."""
    gaps = np.sort(cloud.gaps)
    reached = np.abs(gaps) >= abs(cloud.observed) - cloud.slack
    figure, axis = figures.canvas(height=2.6)
    look = figures.RANDOMIZATION
    for chosen, style, name in ((~reached, {"markerfacecolor": "white"}, "smaller than observed"),
                                (reached, {}, "counted into p")):
        axis.plot(np.flatnonzero(chosen), gaps[chosen], look.marker, color=look.color, label=name,
                  linestyle="none", **style)
    for side in (-1, 1):
        axis.axhline(side * abs(cloud.observed), **figures.OBSERVED.stroke,
                     label="±observed gap" if side > 0 else None)
    axis.set(xlabel=f"the {len(gaps)} swaps, in order of their gap", ylabel="BLEU gap")
    axis.set_xticks([])
    axis.legend(loc="lower right", bbox_to_anchor=(1, 0.12))
    return figure


@figures.styled
def draw_offsets(world: detectors.Detectors, name: str, sources: int = 12):
    """Scores of genuine recordings and spoofs, source by source."""
    figure, axis = figures.canvas(height=3.0)
    for label, look, what, shift in ((1, BY_CLUSTER, "genuine", 0.15),
                                     (0, BY_SEGMENT, "spoof", -0.15)):
        chosen = (world.labels == label) & (world.sources < sources)
        axis.plot(world.sources[chosen] + shift, world.scores[name][chosen] / 1_000, look.marker,
                  color=look.color, markersize=3, alpha=0.6, linestyle="none", label=what)
    axis.set(xlabel="source", ylabel="score")
    axis.set_xticks(range(sources), [str(s + 1) for s in range(sources)])
    axis.legend(loc="upper left", ncols=2)
    return figure


@figures.styled
def draw_between(taus: Sequence[float], found: Sequence[tuple[Simulated, Simulated]]):
    """Coverage of 95% intervals against the correlation between documents of one topic."""
    figure, axis = figures.canvas(height=2.7)
    for which, look, name in ((0, BY_SEGMENT, "documents as clusters"),
                              (1, BY_CLUSTER, "topics as clusters")):
        shares = [pair[which].coverage("cluster", t=True) for pair in found]
        axis.errorbar(taus, [s.value for s in shares], [3 * s.error for s in shares], capsize=3,
                      **look.stroke, marker=look.marker, label=name)
    axis.axhline(0.95, **figures.REFERENCE.stroke, label="promised")
    axis.set(xlabel="correlation between documents of one topic", ylabel="coverage")
    axis.legend(loc="lower left")
    return figure


# The lab ------------------------------------------------------------------------------------------

LAB_SETS = 300
LAB_CLUSTERS = (5, 10, 20, 50, 100)
LAB_SIZES = (2, 3, 5, 10, 20)


def lab_experiment(clusters: int, m: int, rho: float, seed: int) -> Simulated:
    """The lab's experiment; a rho that no cluster of m can have is raised to -1/(m - 1)."""
    return simulated(clusters, m, max(rho, -1 / (m - 1)), LAB_SETS, seed)


@figures.styled
def draw_lab(found: Simulated):
    """Both standard errors on all test sets, and the true one."""
    figure, axis = figures.canvas(height=2.6, margins={"left": 0.1, "right": 0.98, "top": 0.96,
                                                       "bottom": 0.2})
    errors = {which: found.se(which) for which in ("segment", "cluster")}
    truth = math.sqrt(found.truth)
    edges = figures.bin_edges(np.concatenate([*errors.values(), [0.0, 1.05 * truth]]), 60)
    for (which, x), look in zip(errors.items(), (BY_SEGMENT, BY_CLUSTER)):
        counts, _ = np.histogram(x, edges)
        axis.stairs(counts / len(x), edges, **look.stroke, label=which)
    axis.axvline(truth, **figures.OBSERVED.stroke, label="true standard error")
    axis.set(xlabel="standard error of the mean", ylabel="share of test sets", ylim=(0, None))
    axis.legend(loc="upper left")
    return figure


def lab_rows(found: Simulated) -> list[list[str]]:
    """Rows of the lab's table: standard error, over the truth, coverage of its 95% interval."""
    truth = math.sqrt(found.truth)
    rows = [["true", f"{truth:.4f}", "", ""]]
    for which in ("segment", "cluster"):
        mean = float(found.se(which).mean())
        if found.truth == 0:
            rows.append([which, f"{mean:.4f}", "the truth is 0", ""])
            continue
        shown = (f"{mean / truth:.2f}", str(found.coverage(which)))
        rows.append([which, f"{mean:.4f}", *shown])
    return rows


def lab_frame(clusters: int, m: int, rho: float, seed: int) -> str:
    """The lab's view as HTML: both standard errors beside the true one."""
    found = lab_experiment(clusters, m, rho, seed)
    raised = "" if found.rho == rho else f" (raised to the least possible, {found.rho:.3f})"
    by_segment, by_cluster = (found.se(which).mean() for which in ("segment", "cluster"))
    alt = (f"Histograms of the segment standard error, around {by_segment:.4f}, and of the cluster "
           f"standard error, around {by_cluster:.4f}, over all test sets, with a line at the true "
           f"standard error, {math.sqrt(found.truth):.4f}.")
    return figures.image_tag(draw_lab(found), alt) + figures.table(
        ["standard error", "mean", "over the true one", "95% interval covers"], lab_rows(found),
        f"K = {clusters} clusters of m = {m}, ρ = {rho:.2f}{raised}, design effect "
        f"{found.effect:.2f}, {LAB_SETS} test sets, seed {seed}")


def cluster_lab():
    """The clusters lab: number and size of clusters, correlation, new test sets."""
    return widgets.experiment(lab_frame, {
        "clusters": widgets.steps("clusters K", list(LAB_CLUSTERS), 50),
        "m": widgets.steps("cluster size m", list(LAB_SIZES), 10),
        "rho": widgets.real("correlation ρ", -0.5, 0.9, 0.1, 0.05),
        "seed": widgets.whole("new test sets: seed", 0, 50, 0),
    })


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"clusters": 50, "m": 10, "rho": 0.1, "seed": 0},
    {"clusters": 50, "m": 10, "rho": 0.5, "seed": 0},
    {"clusters": 100, "m": 10, "rho": 0.1, "seed": 0},
    {"clusters": 50, "m": 10, "rho": 0.0, "seed": 0},
    {"clusters": 50, "m": 2, "rho": -0.5, "seed": 0},
    {"clusters": 5, "m": 10, "rho": 0.1, "seed": 0},
)
