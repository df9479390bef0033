"""Chapter 5, corpus BLEU is almost a mean: slopes, influences, and what a tangent plane misses.

Experiments first, then figures, then the lab.

Symbols: n segments of a paired set, Z their statistics of both systems, psi the influences, m
the segments of a test set. A "world" is a paired set taken for the population: a test
set of m segments is then m draws from it with replacement, and the true gap is the world's own.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sigbook import _checks, clouds, figures, linear, widgets
from sigbook._checks import quietly
from sigbook.experiments import Share
from sigbook.metrics import bleu, bleu_gradient
from sigbook.pairs import MATCHED_4GRAMS, PairedSet, with_counts
from sigbook.worlds import filings

DRAWS = 10_000
RATE_SIZES = (30, 100, 300, 1_000, 3_000)
COVERED = 1.96
ENTRIES_AT_ONCE = 2_000_000


# The gradient, by rules for exact slopes ----------------------------------------------------------


@dataclass(frozen=True)
class Dual:
    """value + slope e with e e = 0: arithmetic on it carries an exact derivative along."""

    value: Fraction
    slope: Fraction = Fraction(0)

    def __sub__(self, other: Dual) -> Dual:
        return Dual(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other: Dual) -> Dual:
        value = self.value / other.value
        return Dual(value, (self.slope - value * other.slope) / other.value)


def log_bleu_slopes(pooled) -> list[Fraction]:
    """The ten slopes of log BLEU at integer sums, exact, by the product and the quotient rule.

    log g = min(0, 1 - r/c) + (1/4) log q with q = m1 m2 m3 m4 / (t1 t2 t3 t4); log q has the
    slope of q over q.
    """
    slopes = []
    for k in range(10):
        c, r, m1, m2, m3, m4, t1, t2, t3, t4 = (
            Dual(Fraction(int(x)), Fraction(int(j == k))) for j, x in enumerate(pooled)
        )
        brevity = (c - r) / c
        q = m1 * m2 * m3 * m4 / (t1 * t2 * t3 * t4)
        slopes.append((brevity.slope if c.value < r.value else 0) + q.slope / q.value / 4)
    return slopes


def gradient_over_score(pooled) -> list[Fraction]:
    """The lemma's slopes over the score, exact: r/c^2, -1/c, 1/(4 m_n), -1/(4 t_n)."""
    c, r, *rest = (Fraction(int(x)) for x in pooled)
    lengths = [r / c**2, -1 / c] if c < r else [Fraction(0), Fraction(0)]
    return lengths + [1 / (4 * m) for m in rest[:4]] + [-1 / (4 * t) for t in rest[4:]]


def central_differences(score, pooled, step: float = 1e-4) -> np.ndarray:
    """Slopes of `score` by differences of relative width 2 `step` around each sum."""
    pooled = np.asarray(pooled, dtype=np.float64)
    moves = np.diag(step * pooled)
    return (score(pooled + moves) - score(pooled - moves)) / (2 * step * pooled)


# One segment at a time ----------------------------------------------------------------------------


def influences(pairs: PairedSet) -> np.ndarray:
    """`sigbook.influence` without its warnings, which the chapter discusses in words."""
    return quietly(linear.influence, pairs)


def delta_sd(pairs: PairedSet) -> float:
    """`sigbook.delta_sd` without its warnings."""
    return quietly(linear.delta_sd, pairs)


def resampled(pairs: PairedSet, draws: int = DRAWS, seed=0) -> clouds.Cloud:
    """`sigbook.bootstrap` without its warnings."""
    return quietly(clouds.bootstrap, pairs, draws, seed)


def gaps_without(pairs: PairedSet) -> np.ndarray:
    """The gap of the other n - 1 segments, for each segment left out, (n,)."""
    a, b = (with_counts(x, 2) for x in (pairs.a, pairs.b))
    return pairs.rule.gap(a.sum(axis=0) - a, b.sum(axis=0) - b)


def dropped(pairs: PairedSet) -> np.ndarray:
    """(n - 1)(gap - gap without segment i), (n,): the influence as leaving one out gives it."""
    return (pairs.n - 1) * (pairs.gap - gaps_without(pairs))


def contributions(pairs: PairedSet) -> np.ndarray:
    """What each segment gives to the gap, (n,): grad g half-way between the systems' sums, times
    s^A - s^B.

    The contributions add up to the gap, but for a term of third order.
    """
    a, b = (with_counts(x, 2) for x in (pairs.a, pairs.b))
    return (a - b) @ pairs.rule.gradient((a.sum(axis=0) + b.sum(axis=0)) / 2)


def differing(pairs: PairedSet) -> np.ndarray:
    """Where the systems' statistics differ, bool (n,)."""
    return (pairs.a != pairs.b).any(axis=1)


def parts(pairs: PairedSet, segment: int) -> dict[str, dict[str, float]]:
    """The influence of a segment in BLEU's terms: lengths, matches and totals of either system."""
    found = {}
    for name, x, sign in zip(pairs.names, (pairs.a, pairs.b), (1, -1)):
        mean = x.mean(axis=0)
        terms = sign * pairs.rule.gradient(mean) * x[segment]
        found[name] = {
            "lengths": terms[:2].sum(),
            "matches": terms[2:6].sum(),
            "totals": terms[6:].sum(),
        }
    return found


# Test sets from a world ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Linearized:
    """Gaps of test sets of `size` segments drawn from a world, beside what the plane says of them.

    exact (draws,): gap minus the world's gap. planar (draws,): the mean influence of the drawn
    segments. delta_sd: the delta method's sd of such a gap.
    """

    names: tuple[str, str]
    size: int
    exact: np.ndarray
    planar: np.ndarray
    delta_sd: float

    @property
    def scaled_remainders(self) -> np.ndarray:
        """sqrt(size) |exact - planar|."""
        return math.sqrt(self.size) * np.abs(self.exact - self.planar)

    @property
    def remainder(self) -> float:
        return float(self.scaled_remainders.mean())

    @property
    def remainder_error(self) -> float:
        """Standard error of `remainder`."""
        return float(self.scaled_remainders.std(ddof=1) / math.sqrt(len(self.exact)))

    @property
    def sd(self) -> float:
        return float(self.exact.std())

    @property
    def ratio(self) -> float:
        """Delta-method sd over the sd of the gaps."""
        return self.delta_sd / self.sd

    @property
    def correlation(self) -> float:
        return float(np.corrcoef(self.exact, self.planar)[0, 1])


def linearized(world: PairedSet, size: int, draws: int = 2_000, seed=0) -> Linearized:
    """`draws` test sets of `size` segments from `world`: exact and planar gaps."""
    size = _checks.count("size", size, least=1)
    rng = _checks.generator(seed)
    counts = rng.multinomial(size, np.full(world.n, 1 / world.n), size=draws)
    psi = influences(world)
    gaps = world.rule.gap(counts @ world.a, counts @ world.b)
    sd = math.sqrt(float(np.mean(psi**2)) / size)
    return Linearized(world.names, size, gaps - world.gap, counts @ psi / size, sd)


@dataclass(frozen=True, eq=False)
class Rate:
    """Mean scaled remainders at several sizes, with their standard errors, each (sizes,)."""

    label: str
    sizes: np.ndarray
    means: np.ndarray
    errors: np.ndarray

    @property
    def slope(self) -> tuple[float, float]:
        """Least-squares slope of log mean over log size, and its standard error."""
        x = np.log(self.sizes) - np.log(self.sizes).mean()
        weights = x / (x @ x)
        error = np.linalg.norm(weights * self.errors / self.means)
        return float(weights @ np.log(self.means)), float(error)


def rate(
    world: PairedSet, label: str | None = None, sizes=RATE_SIZES, draws: int = 2_000, seed=0
) -> Rate:
    """The scaled remainder as test sets from `world` grow, with draws of its own at each size."""
    streams = _checks.generator(seed).spawn(len(sizes))
    found = [linearized(world, size, draws, stream) for size, stream in zip(sizes, streams)]
    return Rate(
        label or " − ".join(world.names),
        np.array(sizes),
        np.array([x.remainder for x in found]),
        np.array([x.remainder_error for x in found]),
    )


@dataclass(frozen=True, eq=False)
class Repeated:
    """Many test sets of `size` segments from a world whose gap is known.

    scaled (sets,): sqrt(size)(gap - true gap). remainders (sets,): sqrt(size) |what the plane
    misses|. sds (sets,): the delta-method sd that each test set gives for itself. sigma: the
    world's own, for size 1.
    """

    size: int
    scaled: np.ndarray
    remainders: np.ndarray
    sds: np.ndarray
    sigma: float

    @property
    def covered(self) -> Share:
        """Share of the intervals gap ± 1.96 delta sd that hold the true gap."""
        hits = np.abs(self.scaled) <= COVERED * math.sqrt(self.size) * self.sds
        return Share(float(hits.mean()), len(hits))


def bleu_gradients(means: np.ndarray) -> np.ndarray:
    """Gradients of BLEU (..., 10) at mean statistics (..., 10); all scores must be above 0."""
    c, r, m, t = means[..., :1], means[..., 1:2], means[..., 2:6], means[..., 6:]
    short = (c < r).astype(np.float64)
    slopes = np.concatenate([short * r / c**2, -short / c, 0.25 / m, -0.25 / t], axis=-1)
    return bleu(means)[..., None] * slopes


def repeated(world: PairedSet, size: int, sets: int = 2_000, seed=0) -> Repeated:
    """Test sets of a BLEU `world`: their gaps, and the sd that each computes for itself."""
    rng = _checks.generator(seed)
    psi = influences(world)
    gaps, planar, sds = np.empty(sets), np.empty(sets), np.empty(sets)
    rows = max(1, ENTRIES_AT_ONCE // (20 * size))
    for start in range(0, sets, rows):
        drawn = rng.integers(world.n, size=(min(rows, sets - start), size))
        part = slice(start, start + len(drawn))
        a, b = world.a[drawn], world.b[drawn]
        mean_a, mean_b = a.mean(axis=1), b.mean(axis=1)
        gaps[part], planar[part] = bleu(mean_a) - bleu(mean_b), psi[drawn].mean(axis=1)
        # By Euler's identity the gradient times the mean is 0, so nothing needs centring.
        own = np.einsum("ijk,ik->ij", a, bleu_gradients(mean_a))
        own -= np.einsum("ijk,ik->ij", b, bleu_gradients(mean_b))
        sds[part] = np.sqrt((own**2).sum(axis=1)) / size
    scale = math.sqrt(size)
    return Repeated(
        size,
        scale * (gaps - world.gap),
        scale * np.abs(gaps - world.gap - planar),
        sds,
        math.sqrt(float(np.mean(psi**2))),
    )


def population(first: str = "writer", second: str = "noisy-0.1") -> PairedSet:
    """9,000 filings, other than the 90, as a world."""
    bleu_of = filings.fresh()
    return PairedSet(bleu_of[first], bleu_of[second], names=(first, second))


# A world of two kinds of segment: exact laws ------------------------------------------------------


def two_kinds() -> PairedSet:
    """Two filings as a world: the first whose counts differ, and the first whose counts do not,
    of writer and noisy-0.1, among those longer than their reference that match a 4-gram.
    """
    pairs = filings.pair("writer", "noisy-0.1")
    apart = differing(pairs)
    usable = (pairs.a[:, 0] > pairs.a[:, 1]) & (pairs.a[:, 5] > 0) & (pairs.b[:, 5] > 0)
    chosen = [int(np.flatnonzero(usable & kind)[0]) for kind in (apart, ~apart)]
    return PairedSet(pairs.a[chosen], pairs.b[chosen], names=pairs.names)


@dataclass(frozen=True, eq=False)
class ExactLaw:
    """All n + 1 test sets of n segments from a world of two kinds, k of the first.

    chances (n + 1,), gaps (n + 1,), planar (n + 1,) mean influences, sds (n + 1,) each set's
    delta-method sd.
    """

    n: int
    chances: np.ndarray
    gaps: np.ndarray
    planar: np.ndarray
    sds: np.ndarray
    centre: float
    sigma: float

    @property
    def distance(self) -> float:
        """sup |F - Phi|, F the distribution function of sqrt(n)(gap - centre) / sigma."""
        return distance_to_normal(
            math.sqrt(self.n) * (self.gaps - self.centre) / self.sigma, self.chances
        )

    def mean(self, values: np.ndarray) -> float:
        return float(self.chances @ values)

    @property
    def remainders(self) -> np.ndarray:
        """sqrt(n) |what the plane misses|, (n + 1,)."""
        return math.sqrt(self.n) * np.abs(self.gaps - self.centre - self.planar)

    @property
    def covered(self) -> float:
        return float(self.chances[np.abs(self.gaps - self.centre) <= COVERED * self.sds].sum())


def exact_law(world: PairedSet, n: int) -> ExactLaw:
    """Every test set of n segments from a BLEU world of two kinds, equally common."""
    from scipy.stats import binom

    k = np.arange(n + 1)
    counts = np.stack([k, n - k], axis=1)
    psi = influences(world)
    mean_a, mean_b = counts @ world.a / n, counts @ world.b / n
    own = bleu_gradients(mean_a) @ world.a.T - bleu_gradients(mean_b) @ world.b.T
    sds = np.sqrt((counts * own**2).sum(axis=1)) / n
    return ExactLaw(
        n,
        binom.pmf(k, n, 0.5),
        world.rule.gap(mean_a, mean_b),
        counts @ psi / n,
        sds,
        world.gap,
        math.sqrt(float(np.mean(psi**2))),
    )


def distance_to_normal(values: np.ndarray, chances: np.ndarray) -> float:
    """sup |F - Phi| for a discrete law, F its distribution function."""
    from scipy.special import ndtr

    order = np.argsort(values, kind="stable")
    above, below = np.cumsum(chances[order]), np.cumsum(chances[order]) - chances[order]
    normal = ndtr(values[order])
    return float(max(np.abs(above - normal).max(), np.abs(below - normal).max()))


def bootstrap_distances(law: ExactLaw, least: float = 1e-9) -> tuple[np.ndarray, np.ndarray]:
    """(chances, distances) over the data sets of `law`: how far the bootstrap's law is from normal.

    A data set with k segments of the first kind is resampled to k* of them, binomial with n trials
    and chance k/n, so the bootstrap's law is known as well. Data sets less likely than `least` are
    left out.
    """
    from scipy.stats import binom

    k = np.arange(law.n + 1)
    likely = np.flatnonzero(law.chances > least)
    found = [
        distance_to_normal(
            math.sqrt(law.n) * (law.gaps - law.gaps[own]) / law.sigma,
            binom.pmf(k, law.n, own / law.n),
        )
        for own in likely
    ]
    return law.chances[likely], np.array(found)


# Two spreads of many pairs ------------------------------------------------------------------------


@dataclass(frozen=True)
class Spread:
    """Sds of one gap by the delta method and by the bootstrap; matches: the fewer 4-grams."""

    names: tuple[str, str]
    matches: int
    delta: float
    bootstrap: float

    @property
    def off(self) -> float:
        """Delta-method sd over bootstrap sd, minus 1."""
        return self.delta / self.bootstrap - 1

    @property
    def enough(self) -> bool:
        return self.matches >= MATCHED_4GRAMS


def spreads(draws: int = DRAWS, seed=0) -> list[Spread]:
    """Both sds for all 45 pairs of the ten summarizers."""
    streams = _checks.generator(seed).spawn(math.comb(len(filings.SYSTEMS), 2))
    found = []
    for names, stream in zip(itertools.combinations(filings.SYSTEMS, 2), streams):
        pairs = filings.pair(*names)
        matches = int(min(pairs.a[:, 5].sum(), pairs.b[:, 5].sum()))
        found.append(Spread(names, matches, delta_sd(pairs), resampled(pairs, draws, stream).sd))
    return found


@dataclass(frozen=True)
class TwoClouds:
    """Standard deviations of both clouds of one pair, simulated and to first order."""

    names: tuple[str, str]
    gap: float
    delta: float
    bootstrap: float
    contributions: float
    swaps: float

    @property
    def ratio(self) -> float:
        return self.swaps / self.bootstrap


def two_clouds(pairs: PairedSet, draws: int = 4_000, seed=0) -> TwoClouds:
    """Bootstrap and swap sd, beside what influences and contributions say of them."""
    resamples, swaps = _checks.generator(seed).spawn(2)
    swapped = quietly(clouds.randomize, pairs, draws, swaps)
    first_order = math.sqrt(float((contributions(pairs) ** 2).sum()))
    return TwoClouds(
        pairs.names,
        pairs.gap,
        delta_sd(pairs),
        resampled(pairs, draws, resamples).sd,
        first_order,
        float(math.sqrt(np.mean(swapped.gaps**2))),
    )


# Assumptions broken -------------------------------------------------------------------------------


def at_the_kink(pairs: PairedSet) -> PairedSet:
    """The same texts with references made as long in all as A's texts, word by word.

    Statistics of n-grams stay, so only the brevity penalty moves: E c = E r for A in this world.
    """
    missing = int(pairs.a[:, 0].sum() - pairs.a[:, 1].sum())
    change = np.full(pairs.n, missing // pairs.n)
    change[: missing % pairs.n] += 1
    both = []
    for x in (pairs.a, pairs.b):
        x = x.copy()
        x[:, 1] += change
        both.append(x)
    return PairedSet(*both, names=pairs.names)


def kink_limit(pairs: PairedSet) -> float:
    """Where sqrt(m) times the remainder settles when E c = E r for A: E of M(A) min(0, a W).

    a is the sd of the influences on 1 - r/c, here (c_i - r_i)/mean c; E min(0, W) = -1/sqrt(2 pi).
    """
    c, r = pairs.a[:, 0], pairs.a[:, 1]
    a = float(np.sqrt(np.mean((c - r) ** 2.0))) / c.mean()
    return -pairs.score_a * a / math.sqrt(2 * math.pi)


def poisson_ratio(expected: float) -> float:
    """Delta-method sd over true sd for X^(1/4), X Poisson: what few matches do by themselves.

    The linear part has sd expected^(1/4) / (4 sqrt(expected)).
    """
    from scipy.stats import poisson

    k = np.arange(int(expected + 12 * math.sqrt(expected) + 30))
    chances, values = poisson.pmf(k, expected), (k / expected) ** 0.25
    mean = chances @ values
    return 0.25 / math.sqrt(expected) / math.sqrt(float(chances @ values**2 - mean**2))


def few_matches(
    names: tuple[str, str], multiples=(0.5, 1, 2, 4, 8, 16, 32), draws: int = 4_000, seed=0
) -> list[tuple[float, float]]:
    """(expected matched 4-grams, delta sd over true sd) for growing test sets of two extractors.

    The 90 filings are the world; a test set of k times 90 filings expects k times the matches.
    """
    pairs = filings.pair(*names)
    matches = min(pairs.a[:, 5].sum(), pairs.b[:, 5].sum())
    streams = _checks.generator(seed).spawn(len(multiples))
    return [
        (float(k * matches), linearized(pairs, round(k * pairs.n), draws, stream).ratio)
        for k, stream in zip(multiples, streams)
    ]


def long_documents(tail: float, n: int, sets: int = 2_000, seed=0) -> tuple[Share, float]:
    """Coverage, and the longest document's share, when lengths have a Pareto tail.

    A document of length L adds (L e, L) to the sums; e is 0.9 for a tenth of the documents and -0.1
    for the others, whatever their length, so the true gap, sum L e / sum L in the limit, is 0.
    Lengths have a finite variance if tail > 2. Returns the share of gap ± 1.96 delta sd that hold
    0, and the mean share of all words that the longest document has.
    """
    rng = _checks.generator(seed)
    lengths = 1 + rng.pareto(tail, size=(sets, n))
    e = np.where(rng.random((sets, n)) < 0.1, 0.9, -0.1)
    total = lengths.sum(axis=1)
    gap = (lengths * e).sum(axis=1) / total
    psi = lengths * (e - gap[:, None]) * (n / total)[:, None]
    hits = np.abs(gap) <= COVERED * np.sqrt((psi**2).sum(axis=1)) / n
    return Share(float(hits.mean()), sets), float((lengths.max(axis=1) / total).mean())


# The surface and its plane ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tangent:
    """BLEU over the weights of three segments, and the plane that touches it at the centre.

    weights (m, 3) on a regular grid, surface and plane (m,) there. share (k,) of the second
    segment, the other two sharing the rest equally, with the slices along it (k,) of surface and
    plane. clouds: size of a test set drawn from the three kinds -> sd of the second one's share.
    """

    weights: np.ndarray
    surface: np.ndarray
    plane: np.ndarray
    corners: np.ndarray
    share: np.ndarray
    surface_slice: np.ndarray
    plane_slice: np.ndarray
    clouds: dict[int, float]


def three_filings(system: str = "extract") -> np.ndarray:
    """BLEU statistics of a filing with a matched 4-gram, the first, between two without."""
    x = filings.statistics(system)
    found = x[:, 5] > 0
    without, matched = np.flatnonzero(~found), np.flatnonzero(found)
    return x[[without[0], matched[0], without[1]]]


def tangent(x: np.ndarray, steps: int = 40, sizes=(3, 30, 300)) -> Tangent:
    """Surface and tangent plane over the simplex of three segments with statistics x (3, 10)."""
    weights = (
        np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)])
        / steps
    )
    share = np.linspace(0, 1, 101)
    along = np.stack([(1 - share) / 2, share, (1 - share) / 2], axis=1)
    centre = x.mean(axis=0)

    def plane(w):
        return bleu(centre) + w @ x @ bleu_gradient(centre)

    return Tangent(
        weights,
        bleu(weights @ x),
        plane(weights),
        plane(np.eye(3)),
        share,
        bleu(along @ x),
        plane(along),
        {size: math.sqrt(2 / 9 / size) for size in sizes},
    )


# Figures ------------------------------------------------------------------------------------------


@figures.styled
def draw_without(pairs: PairedSet):
    """The gap with each segment left out, in order, beside the gap of all."""
    values, apart = gaps_without(pairs), differing(pairs)
    order = np.argsort(values.round(9), kind="stable")
    figure, axis = figures.canvas(height=2.8)
    places = np.arange(pairs.n)
    for chosen, look, label in (
        (apart, figures.BOOTSTRAP, "counts differ"),
        (~apart, figures.RANDOMIZATION, "counts are the same"),
    ):
        there = chosen[order]
        axis.plot(
            places[there],
            values[order][there],
            look.marker,
            color=look.color,
            markersize=4,
            label=label,
        )
    axis.axhline(pairs.gap, **figures.OBSERVED.stroke, label=f"gap of all {pairs.n}")
    axis.set(
        xlabel=f"filing left out ({pairs.n} filings, sorted)", ylabel="gap of the others", xticks=[]
    )
    axis.legend(loc="lower right")
    return figure


@figures.styled
def draw_accounts(pairs: PairedSet):
    """Contributions and influences of the same segments in the same order, on one scale."""
    gives, moves = contributions(pairs), influences(pairs) / pairs.n
    order = np.lexsort((-moves.round(9), -gives.round(9)))
    figure, axes = figures.canvas(2, 1, height=3.6, share_x=True, share_y=True)
    for axis, values, look, label in zip(
        axes,
        (gives, moves),
        (figures.RANDOMIZATION, figures.BOOTSTRAP),
        ("contribution to the gap", "influence / n"),
    ):
        axis.bar(
            np.arange(pairs.n),
            values[order],
            color=look.color,
            hatch=look.hatch,
            edgecolor="white",
            linewidth=0.2,
        )
        axis.axhline(0, color=figures.REFERENCE.color, linewidth=0.8)
        axis.set_ylabel(label)
    axes[1].set(xlabel="filings, sorted by contribution", xticks=[])
    return figure


@figures.styled
def draw_dropped(comparisons: list[PairedSet]):
    """Influence against what leaving the segment out says, one panel for each pair."""
    figure, axes = figures.canvas(1, len(comparisons), height=3.0)
    for axis, pairs in zip(np.atleast_1d(axes), comparisons):
        x, y = influences(pairs), dropped(pairs)
        ends = np.array([min(x.min(), y.min()), max(x.max(), y.max())])
        axis.plot(ends, ends, **figures.REFERENCE.stroke, label="equal")
        axis.plot(
            x, y, figures.BOOTSTRAP.marker, color=figures.BOOTSTRAP.color, markersize=4, alpha=0.7
        )
        axis.set(xlabel="influence")
        axis.set_title(" − ".join(pairs.names), loc="left")
    np.atleast_1d(axes)[0].set_ylabel("(n − 1) × change when left out")
    np.atleast_1d(axes)[0].legend()
    return figure


@figures.styled
def draw_tangent(result: Tangent):
    """Surface and tangent plane over the triangle; a slice of both, with the clouds' widths."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(figures.WIDTH, 3.3), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=(1, 1.05))
    space = figure.add_subplot(grid[0], projection="3d")
    figures.over_triangle(space, result.weights, result.surface, result.corners, 0.95)
    axis = figure.add_subplot(grid[1])
    surface, plane = figures.BOOTSTRAP, figures.OBSERVED
    axis.plot(result.share, result.surface_slice, **surface.stroke, label="surface")
    axis.plot(result.share, result.plane_slice, **plane.stroke, label="plane")
    top = max(result.surface_slice.max(), result.plane_slice.max())
    for k, (size, sd) in enumerate(result.clouds.items()):
        height = -0.06 * top * (k + 1)
        low, high = max(0.0, 1 / 3 - 2 * sd), min(1.0, 1 / 3 + 2 * sd)
        axis.plot([low, high], [height, height], "-|", color=figures.REFERENCE.color, linewidth=1)
        axis.annotate(
            f"m = {size}",
            (high, height),
            (5, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axis.set(
        xlabel="weight of segment 2", ylabel="BLEU", xlim=(-0.02, 1.02), ylim=(-0.24 * top, None)
    )
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_repeated(found: list[Repeated]):
    """Distribution functions of sqrt(n)(gap - true gap) / sigma, beside the normal one."""
    from scipy.special import ndtr

    figure, axis = figures.canvas(height=3.0)
    grid = np.linspace(-3.2, 3.2, 201)
    axis.plot(grid, ndtr(grid), **figures.REFERENCE.stroke, label="normal law")
    for sets, look in zip(found, figures.LOOKS):
        values = np.sort(sets.scaled / sets.sigma)
        axis.plot(
            values,
            np.arange(1, len(values) + 1) / len(values),
            **look.stroke,
            label=f"n = {sets.size}",
            linewidth=1.2,
        )
    axis.set(xlabel="√n (gap − true gap) / σ", ylabel="share of test sets below", xlim=(-3.2, 3.2))
    axis.legend()
    return figure


@figures.styled
def draw_spreads(found: list[Spread]):
    """Delta-method sd against bootstrap sd of many pairs, those with few matched 4-grams marked."""
    figure, axes = figures.canvas(1, 2, height=3.0)
    groups = (
        (True, figures.BOOTSTRAP, f"at least {MATCHED_4GRAMS} matched 4-grams"),
        (False, figures.OBSERVED, "fewer"),
    )
    for enough, look, label in groups:
        chosen = [s for s in found if s.enough == enough]
        sds = np.array([(s.bootstrap, s.delta) for s in chosen])
        for axis, y in zip(axes, (sds[:, 1], 100 * (sds[:, 1] / sds[:, 0] - 1))):
            axis.plot(
                sds[:, 0], y, look.marker, color=look.color, markersize=4.5, label=label, alpha=0.8
            )
    ends = np.array([min(s.delta for s in found), max(s.bootstrap for s in found)])
    axes[0].plot(ends, ends, **figures.REFERENCE.stroke)
    axes[1].axhline(0, **figures.REFERENCE.stroke)
    axes[1].axhspan(-5, 5, color=figures.BAND.color, alpha=0.5, linewidth=0)
    axes[0].set(xlabel="bootstrap sd", ylabel="delta-method sd")
    axes[1].set(xlabel="bootstrap sd", ylabel="delta sd off by, per cent")
    axes[0].legend(loc="upper left")
    return figure


@figures.styled
def draw_rates(found: list[Rate]):
    """Scaled remainders against the size of the test set, with three standard errors."""
    figure, axis = figures.canvas(height=3.2)
    for one, look in zip(found, figures.LOOKS):
        axis.errorbar(
            one.sizes,
            one.means,
            3 * one.errors,
            **look.stroke,
            marker=look.marker,
            markersize=4.5,
            capsize=2,
            label=f"{one.label}: slope {one.slope[0]:.2f}",
        )
    sizes = found[0].sizes
    axis.plot(
        sizes,
        1.6 * found[0].means[0] * np.sqrt(sizes[0] / sizes),
        **figures.REFERENCE.stroke,
        label="slope −1/2",
    )
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="segments m of a test set",
        ylabel="mean of √m |remainder|",
    )
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


@figures.styled
def draw_few_matches(
    curve: list[tuple[float, float]], measured: dict[str, list[tuple[float, float]]]
):
    """Delta-method sd over true sd against the expected number of matched 4-grams."""
    figure, axis = figures.canvas(height=3.1)
    axis.axhline(1, **figures.REFERENCE.stroke, linewidth=1)
    axis.plot(*zip(*curve), color=figures.BOOTSTRAP.color, label="X^(1/4), X Poisson")
    for (label, points), look in zip(measured.items(), figures.LOOKS[1:]):
        axis.plot(*zip(*points), look.marker, color=look.color, label=label, markersize=5)
    axis.axvline(MATCHED_4GRAMS, **figures.OBSERVED.stroke, label=f"{MATCHED_4GRAMS} matches")
    axis.set(
        xscale="log",
        xlabel="expected matched 4-grams of the poorer system",
        ylabel="delta sd / true sd",
        ylim=(0, 1.15),
    )
    axis.legend(loc="lower right")
    return figure


@figures.styled
def draw_coverage(sizes: list[int], shares: dict[str, list[Share]]):
    """Coverage of gap ± 1.96 delta sd against the number of segments, ± three standard errors."""
    figure, axis = figures.canvas(height=2.7)
    axis.axhline(0.95, **figures.REFERENCE.stroke, label="0.95")
    for (label, row), look in zip(shares.items(), figures.LOOKS):
        axis.errorbar(
            sizes,
            [s.value for s in row],
            [3 * s.error for s in row],
            capsize=3,
            **look.stroke,
            marker=look.marker,
            label=label,
        )
    axis.set(xscale="log", xlabel="documents", ylabel="true gap covered", ylim=(None, 1))
    axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axis.minorticks_off()
    axis.legend(loc="lower right")
    return figure


# The lab ------------------------------------------------------------------------------------------

LAB_PAIRS = (
    ("writer", "noisy-0.1"),
    ("terse", "flipped"),
    ("writer", "extract"),
    ("extract", "textrank"),
    ("lead", "random"),
)
LAB_SIZES = (30, 90, 300, 1_000, 3_000)
LAB_DRAWS = 1_000


@figures.styled
def draw_lab(result: Linearized):
    """Exact against planar gaps of the resamples, with the line on which they would agree."""
    figure, axis = figures.canvas(height=2.8)
    ends = np.array([result.planar.min(), result.planar.max()])
    axis.plot(
        result.planar,
        result.exact,
        figures.BOOTSTRAP.marker,
        color=figures.BOOTSTRAP.color,
        markersize=2.5,
        alpha=0.5,
    )
    axis.plot(ends, ends, **figures.OBSERVED.stroke, label="equal")
    axis.set(xlabel="mean influence of the drawn segments", ylabel="δ* − δ̂")
    axis.legend(loc="upper left")
    return figure


def lab_readouts(result: Linearized) -> list[tuple[str, str]]:
    """What the lab reads off one setting."""
    return [
        ("delta-method sd", f"{result.delta_sd:.5f}"),
        ("sd of the gaps", f"{result.sd:.5f}"),
        ("ratio", f"{result.ratio:.3f}"),
        ("correlation", f"{result.correlation:.4f}"),
        ("mean √m |remainder|", f"{result.remainder:.5f}"),
    ]


def lab_frame(pair: tuple[str, str], size: int, seed: int) -> str:
    """The lab's view as HTML: the scatter of exact and planar gaps, and the read-outs."""
    result = linearized(filings.pair(*pair), size, LAB_DRAWS, seed)
    readouts = lab_readouts(result)
    alt = (
        f"Scatter of {LAB_DRAWS} gaps against the mean influence of the drawn segments, with the "
        f"line of agreement; the correlation is {result.correlation:.4f}."
    )
    return figures.image_tag(draw_lab(result), alt) + figures.table(
        [name for name, _ in readouts],
        [[value for _, value in readouts]],
        f"{' − '.join(pair)}, {size:,} segments drawn from 90, {LAB_DRAWS:,} draws, seed {seed}",
    )


def lab():
    """The lab: choose the pair, the segments drawn and the seed; every change draws anew."""
    return widgets.experiment(
        lab_frame,
        {
            "pair": widgets.choice(
                "pair", [(" − ".join(pair), pair) for pair in LAB_PAIRS], ("extract", "textrank")
            ),
            "size": widgets.steps("segments drawn", list(LAB_SIZES), 90),
            "seed": widgets.whole("new draws: seed", 0, 50, 0),
        },
    )


# Settings of the lab that a lecture steps through: a bent surface, flattened by longer test sets, and two pairs
# whose surface is flat, or nearly, from the start.
LECTURE = (
    {"pair": ("extract", "textrank"), "size": 90, "seed": 0},
    {"pair": ("extract", "textrank"), "size": 300, "seed": 0},
    {"pair": ("extract", "textrank"), "size": 3_000, "seed": 0},
    {"pair": ("writer", "noisy-0.1"), "size": 30, "seed": 0},
    {"pair": ("writer", "extract"), "size": 90, "seed": 0},
)
