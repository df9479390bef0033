"""Chapter 1, two pictures of another test set: resamples on the simplex, swaps on the cube.

Experiments first, then figures, then the lab. A cloud is drawn by its histogram; the shaded part of
the randomization cloud is what the two-sided p-value counts.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np

from sigbook import _checks, clouds, figures, linear, metrics, rules
from sigbook.clouds import Cloud
from sigbook.pairs import PairedSet
from sigbook.worlds import filings

DRAWS = 4_000
BINS = 72
PAIRS = (
    ("writer", "noisy-0.1"),
    ("extract", "textrank"),
    ("terse", "flipped"),
    ("writer", "terse"),
    ("writer", "extract"),
)
SIZES = (10, 30, 90)
SUBSETS = (1, 20)
SEED = 1


# Counting and pooling by hand ---------------------------------------------------------------------


def ngrams(words: list[str], k: int) -> Counter:
    """How often each run of k words occurs."""
    return Counter(zip(*(words[i:] for i in range(k))))


def bleu_counts(hypothesis: list[str], reference: list[str]) -> list[int]:
    """c, r, matches m1..m4, totals t1..t4 of one segment, given as words."""
    matches, totals = [], []
    for k in (1, 2, 3, 4):
        common = ngrams(hypothesis, k) & ngrams(reference, k)
        matches.append(common.total())
        totals.append(max(len(hypothesis) - k + 1, 0))
    return [len(hypothesis), len(reference), *matches, *totals]


def words(text: str) -> list[str]:
    """Words and punctuation marks of a plain text; on the filings, what tokenizer 13a finds."""
    return re.findall(r"\w+|[^\w\s]", text)


def add_one_bleu(pooled: np.ndarray) -> np.ndarray:
    """BLEU with precisions (m + 1)/(t + 1): a score that depends on the size of the set."""
    pooled = np.asarray(pooled, dtype=np.float64)
    precisions = (pooled[..., 2:6] + 1) / (pooled[..., 6:10] + 1)
    brevity = np.minimum(0.0, 1.0 - pooled[..., 1] / pooled[..., 0])
    return np.exp(brevity) * precisions.prod(axis=-1) ** 0.25


# Draws by hand ------------------------------------------------------------------------------------


def draw_counts(
    rng: np.random.Generator, draws: int, n: int, size: int | None = None
) -> np.ndarray:
    """How often each of n segments comes up in `size` draws (default n): (draws, n) int64."""
    index = rng.integers(n, size=(draws, n if size is None else size))
    return np.stack([np.bincount(row, minlength=n) for row in index])


def weighted_gaps(
    pairs: PairedSet, weights_a: np.ndarray, weights_b: np.ndarray | None = None
) -> np.ndarray:
    """Gaps with weights (..., n) on the segments; `weights_b`: other weights for B."""
    weights_b = weights_a if weights_b is None else weights_b
    return pairs.rule.gap(weights_a @ pairs.unit_a, weights_b @ pairs.unit_b)


def swapped(pairs: PairedSet, pattern: np.ndarray) -> PairedSet:
    """The paired set after exchanging the two systems' statistics where the pattern (n,) is 1."""
    swap = np.asarray(pattern, dtype=bool)[:, None]
    return PairedSet(
        np.where(swap, pairs.b, pairs.a),
        np.where(swap, pairs.a, pairs.b),
        metric=pairs.metric,
        names=pairs.names,
    )


def title(compared) -> str:
    """What a comparison is called: "writer − noisy-0.1"."""
    return " − ".join(compared.names)


# Two clouds and what is read off them -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TwoClouds:
    """Both clouds of one comparison.

    p: randomization, two-sided. koehn, recentered: bootstrap rules, one-sided for A better.
    delta_sd: NaN where a BLEU of 0 has no gradient. differing: segments on which the two systems'
    statistics differ. doubts: the warnings, as text.
    """

    names: tuple[str, str]
    n: int
    gap: float
    bootstrap: Cloud
    swaps: Cloud
    p: float
    koehn: float
    recentered: float
    delta_sd: float
    differing: int
    doubts: tuple[str, ...]

    @property
    def title(self) -> str:
        return title(self)

    @property
    def counted(self) -> np.ndarray:
        """Which swapped gaps are at least as far from 0 as the observed one, (draws,)."""
        return np.abs(self.swaps.gaps) >= abs(self.gap) - self.swaps.slack


def two_clouds(pairs: PairedSet, draws: int = DRAWS, seed=SEED) -> TwoClouds:
    """The two clouds of a paired set and the p-values read off them; warnings become `doubts`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bootstrap = clouds.bootstrap(pairs, draws=draws, seed=seed)
        swaps = clouds.randomize(pairs, draws=draws, seed=seed)
        delta_sd = linear.delta_sd(pairs)
    doubts = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return TwoClouds(
        names=pairs.names,
        n=pairs.n,
        gap=pairs.gap,
        bootstrap=bootstrap,
        swaps=swaps,
        p=rules.p_randomization(swaps),
        koehn=rules.p_koehn(bootstrap),
        recentered=rules.p_recentered(bootstrap),
        delta_sd=delta_sd,
        differing=int((pairs.a != pairs.b).reshape(pairs.n, -1).any(axis=1).sum()),
        doubts=doubts,
    )


@dataclass(frozen=True)
class Pairing:
    """What pairing is worth on a mean of segment scores.

    sd_a, sd_b: of the segment scores (divisor n). correlation: of the two scores of a segment.
    paired, apart: sd of the gap of two means on one test set of n, and on two independent ones of n
    each. needed: segments in each of two independent sets for the precision of the paired one.
    """

    sd_a: float
    sd_b: float
    correlation: float
    paired: float
    apart: float
    needed: float


def pairing(a: np.ndarray, b: np.ndarray) -> Pairing:
    """Lemma lem-pairing read off segment scores a, b of shape (n,)."""
    n, var_a, var_b = len(a), a.var(), b.var()
    covariance = ((a - a.mean()) * (b - b.mean())).mean()
    paired, apart = (var_a + var_b - 2 * covariance) / n, (var_a + var_b) / n
    return Pairing(
        sd_a=float(np.sqrt(var_a)),
        sd_b=float(np.sqrt(var_b)),
        correlation=float(covariance / np.sqrt(var_a * var_b)),
        paired=float(np.sqrt(paired)),
        apart=float(np.sqrt(apart)),
        needed=float(n * apart / paired),
    )


@dataclass(frozen=True)
class Spreads:
    """Sds of both clouds of one comparison, and the swap sd that Lemma lem-two-spreads predicts."""

    names: tuple[str, str]
    gap: float
    bootstrap: float
    swaps: float
    predicted: float

    @property
    def title(self) -> str:
        return title(self)

    @property
    def ratio(self) -> float:
        return self.swaps / self.bootstrap


def spreads(pairs: PairedSet, draws: int = DRAWS, seed=SEED) -> Spreads:
    """Spreads of both clouds; predicted: root of bootstrap variance plus gap^2/n (a mean's)."""
    clouds_ = two_clouds(pairs, draws, seed)
    sd = clouds_.bootstrap.sd
    return Spreads(
        pairs.names, pairs.gap, sd, clouds_.swaps.sd, math.sqrt(sd**2 + pairs.gap**2 / pairs.n)
    )


def fresh_gaps(comparisons, sets: int, n: int = 90, seed: int = 2) -> np.ndarray:
    """BLEU gaps on `sets` disjoint test sets of n new filings each: (len(comparisons), sets)."""
    systems = tuple(dict.fromkeys(name for names in comparisons for name in names))
    world = filings.generate(seed, n * sets, systems)
    references = [words(text) for text in world.references]
    counts = {
        name: np.array(
            [
                bleu_counts(words(text), reference)
                for text, reference in zip(world.summaries[name], references)
            ]
        )
        for name in systems
    }
    blocks = {name: x.reshape(sets, n, -1).sum(axis=1) for name, x in counts.items()}
    return np.stack([metrics.METRICS["bleu"].gap(blocks[a], blocks[b]) for a, b in comparisons])


# Three segments: the triangle and the cube --------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Triangle:
    """A corpus metric over the weights of three segments.

    weights (m, 3) on a regular grid, scores (2, m) of A and B there, gaps (m,); counts (10, 3) of
    the ten resamples, ways (10,) in which each comes about out of 27, resampled (10,) their gaps.
    """

    names: tuple[str, str]
    weights: np.ndarray
    scores: np.ndarray
    gaps: np.ndarray
    counts: np.ndarray
    ways: np.ndarray
    resampled: np.ndarray


def bent_three() -> list[int]:
    """Three filings: the first on which neither extract nor textrank matches a 4-gram, the first on
    which only extract does, and the first on which only textrank does."""
    a, b = (filings.statistics(name)[:, 5] > 0 for name in ("extract", "textrank"))
    return [int(np.flatnonzero(found)[0]) for found in (~a & ~b, a & ~b, ~a & b)]


def lattice(steps: int) -> np.ndarray:
    """All (N1, N2, N3) of counts >= 0 with sum `steps`, int64 (m, 3)."""
    return np.array(
        [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)],
        dtype=np.int64,
    )


def triangle(pairs: PairedSet, steps: int = 60) -> Triangle:
    """Scores and gap of three segments over the simplex, and at the ten points of resamples."""
    _checks.count("pairs.n", pairs.n, least=3, most=3)
    weights = lattice(steps) / steps
    counts = lattice(3)
    ways = np.array([6 // math.prod(math.factorial(k) for k in row) for row in counts.tolist()])
    scores = np.stack([pairs.rule.score(weights @ pairs.a), pairs.rule.score(weights @ pairs.b)])
    return Triangle(
        pairs.names,
        weights,
        scores,
        weighted_gaps(pairs, weights),
        counts,
        ways,
        weighted_gaps(pairs, counts),
    )


@dataclass(frozen=True, eq=False)
class Cube:
    """The gaps at the vertices of a cube of swaps: patterns (2^n, n), gaps (2^n,)."""

    names: tuple[str, str]
    patterns: np.ndarray
    gaps: np.ndarray


def cube(pairs: PairedSet) -> Cube:
    """Every swap pattern of a small paired set and its gap."""
    patterns = np.array(list(itertools.product((0, 1), repeat=pairs.n)), dtype=np.int64)
    return Cube(
        pairs.names, patterns, np.array([swapped(pairs, pattern).gap for pattern in patterns])
    )


# Tables and figures -------------------------------------------------------------------------------


def table(head: list[str], rows: list[list[str]], caption: str):
    """A table of finished strings as a notebook output."""
    from IPython.display import HTML

    return HTML(figures.table(head, rows, caption))


def edges(results: list[TwoClouds], bins: int = BINS) -> np.ndarray:
    """Bin edges over all gaps of several comparisons, with the observed gaps and 0 inside."""
    values = np.concatenate(
        [np.concatenate([r.bootstrap.gaps, r.swaps.gaps, [r.gap, 0.0]]) for r in results]
    )
    low, high = values.min(), values.max()
    margin = 0.02 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, bins + 1)


def window(results: list[TwoClouds], share: float = 0.998) -> tuple[float, float]:
    """Ends of an axis that shows the middle `share` of every cloud, the observed gaps and 0."""
    clouds_ = [cloud.gaps for result in results for cloud in (result.bootstrap, result.swaps)]
    ends = np.quantile(clouds_, [(1 - share) / 2, (1 + share) / 2], axis=1)
    marks = [0.0, *(result.gap for result in results)]
    low, high = min(ends[0].min(), *marks), max(ends[1].max(), *marks)
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin


@figures.styled
def draw_clouds(results: list[TwoClouds], height: float = 2.9):
    """Both clouds of each comparison, one panel each, all on the same two axes."""
    figure, axes = figures.canvas(1, len(results), height=height, share_x=True, share_y=True)
    bins = edges(results)
    for axis, result in zip(np.atleast_1d(axes), results):
        figures.two_clouds(
            axis, result.bootstrap.gaps, result.swaps.gaps, result.counted, result.gap, bins
        )
        axis.set_xlabel(f"gap  {result.title}")
        axis.set_xlim(window(results))
    first = np.atleast_1d(axes)[0]
    first.set_ylabel(f"of {result.swaps.draws:,} draws")
    handles, labels = first.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


@figures.styled
def draw_triangle(result: Triangle):
    """A's score as a surface over the triangle, and the gap as contours with the ten resamples."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(figures.WIDTH, 3.4), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=(1.05, 1))
    _draw_surface(figure.add_subplot(grid[0], projection="3d"), result)
    _draw_contours(figure.add_subplot(grid[1]), result)
    return figure


def _draw_surface(axis, result):
    heights = result.scores[0]
    steps = round(1 / result.weights[result.weights > 0].min())
    rank = np.rint(result.weights * steps).astype(int)
    corners = [heights[(rank == row).all(axis=1)][0] for row in steps * np.eye(3, dtype=int)]
    figures.over_triangle(axis, result.weights, heights, np.array(corners), 0.97)
    axis.text2D(0.02, 0.93, f"BLEU of {result.names[0]}", transform=axis.transAxes)


def _draw_contours(axis, result):
    from matplotlib.ticker import MaxNLocator

    x, y = (result.weights @ figures.CORNERS).T
    levels = MaxNLocator(9, steps=[1, 2, 2.5, 5, 10]).tick_values(
        result.gaps.min(), result.gaps.max()
    )
    axis.tricontourf(x, y, result.gaps, levels=levels, cmap="cividis")
    lines = axis.tricontour(x, y, result.gaps, levels=levels, colors="#111111", linewidths=0.7)
    for text in axis.clabel(lines, fmt="%+.2f", fontsize=7.5):
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85})
    at = (result.counts / 3) @ figures.CORNERS
    axis.scatter(
        *at.T,
        s=26.0 * result.ways,
        facecolor="white",
        edgecolor="#111111",
        linewidth=1.2,
        zorder=3,
        clip_on=False,
    )
    for point, ways in zip(at, result.ways):
        if ways > 1:
            axis.text(*point, str(ways), ha="center", va="center", fontsize=7.5, zorder=4)
    for i, point in enumerate(figures.CORNERS + [(0.0, -0.1), (0.0, -0.1), (0.0, 0.08)]):
        axis.text(*point, f"segment {i + 1}", ha="center", va="center")
    axis.set(aspect="equal", xlim=(-0.08, 1.08), ylim=(-0.16, 0.98))
    axis.set_axis_off()


# Where a vertex has no edge: offset of its label in points, and the label's alignment.
BESIDE = {
    "000": (-9, 0, "right", "center"),
    "100": (7, -5, "left", "top"),
    "001": (-9, 0, "right", "center"),
    "101": (7, -5, "left", "top"),
    "010": (-7, 5, "right", "bottom"),
    "011": (0, 8, "center", "bottom"),
    "110": (9, 0, "left", "center"),
    "111": (9, 0, "left", "center"),
}
OBLIQUE = np.array([[1.0, 0.0], [0.45, 0.42], [0.0, 1.0]])


@figures.styled
def draw_cube(result: Cube):
    """The eight swap patterns of three segments as the vertices of a cube, with their gaps."""
    figure, axis = figures.canvas(height=3.5)
    at = result.patterns @ OBLIQUE
    for (i, p), (j, q) in itertools.combinations(enumerate(result.patterns), 2):
        if np.abs(p - q).sum() == 1:
            axis.plot(*at[[i, j]].T, color="#999999", linewidth=1.0, zorder=1)
    ahead, behind = figures.BOOTSTRAP, figures.RANDOMIZATION
    for point, pattern, gap in zip(at, result.patterns, result.gaps):
        look = ahead if gap >= 0 else behind
        axis.scatter(
            *point, s=70, color=look.color, marker=look.marker, edgecolor="#111111", zorder=2
        )
        label = "".join(map(str, pattern))
        across, up, side, height = BESIDE[label]
        axis.annotate(
            f"{label}\n{gap:+.4f}",
            point,
            xytext=(across, up),
            textcoords="offset points",
            ha=side,
            va=height,
        )
    axis.margins(0.2, 0.14)
    axis.set_axis_off()
    return figure


@figures.styled
def draw_pairing(comparisons: list[PairedSet]):
    """Segment scores of A against those of B, one panel per comparison, with the diagonal."""
    figure, axes = figures.canvas(1, len(comparisons), height=2.5, share_x=True, share_y=True)
    scores = np.concatenate([x for pairs in comparisons for x in (pairs.a, pairs.b)])
    ends = (scores.min() - 0.02, scores.max() + 0.02)
    for axis, pairs in zip(axes, comparisons):
        axis.plot(ends, ends, **figures.REFERENCE.stroke, linewidth=1.1)
        axis.plot(
            pairs.b,
            pairs.a,
            figures.BOOTSTRAP.marker,
            color=figures.BOOTSTRAP.color,
            markersize=3.5,
            alpha=0.6,
        )
        axis.set(xlabel=pairs.names[1], ylabel=pairs.names[0], aspect="equal", xlim=ends, ylim=ends)
    return figure


@figures.styled
def draw_broken(gaps: dict[str, np.ndarray], observed: float):
    """Four clouds of gaps as lines of different kinds, with zero and the observed gap."""
    figure, axis = figures.canvas(height=2.8)
    values = np.concatenate(list(gaps.values()))
    bins = np.linspace(values.min(), values.max(), 121)
    looks = (figures.BOOTSTRAP, figures.RANDOMIZATION, figures.EXTRA, figures.LOOKS[4])
    for look, (name, cloud) in zip(looks, gaps.items(), strict=True):
        axis.stairs(np.histogram(cloud, bins)[0], bins, **look.stroke, label=name)
    axis.axvline(0, **figures.REFERENCE.stroke, linewidth=1.1)
    axis.axvline(observed, **figures.OBSERVED.stroke, label="observed gap δ̂")
    axis.set(xlabel="gap", ylabel=f"of {len(cloud):,} draws")
    figure.legend(loc="outside upper center", ncols=5)
    return figure


@figures.styled
def draw_fresh(gaps: np.ndarray, results: list[TwoClouds]):
    """Gaps on fresh test sets as points, above the bootstrap cloud of the one test set."""
    figure, axes = figures.canvas(len(results), 1, height=3.4, share_x=True)
    bins = edges(results)
    for axis, fresh, result in zip(axes, gaps, results):
        heights, _ = np.histogram(result.bootstrap.gaps, bins)
        axis.stairs(
            heights / heights.max(), bins, color=figures.BOOTSTRAP.color, label="resampled gaps δ*"
        )
        axis.plot(
            fresh,
            np.full(len(fresh), -0.16),
            "|",
            color=figures.EXTRA.color,
            markersize=9,
            alpha=0.6,
            label="gaps on fresh filings",
        )
        axis.axvline(0, **figures.REFERENCE.stroke, linewidth=1.1)
        axis.axvline(result.gap, **figures.OBSERVED.stroke, label="observed gap δ̂")
        axis.set_yticks([])
        axis.set_ylabel(result.title.replace(" − ", "\n− "))
    axes[-1].set_xlabel("gap")
    low, high = window(results)
    axes[-1].set_xlim(min(low, gaps.min() - 0.001), max(high, gaps.max() + 0.001))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


# The lab ------------------------------------------------------------------------------------------


def subset(size: int, number: int) -> np.ndarray:
    """The `number`-th random subset of `size` of the 90 filings, sorted; all when size is 90."""
    return np.sort(np.random.default_rng([number, size]).permutation(90)[:size])


def lab_result(names: tuple[str, str], size: int, number: int) -> TwoClouds:
    """What the lab shows: both clouds of a pair on a subset of the filings."""
    return two_clouds(filings.pair(*names, filings=subset(size, number)))


def lab_readouts(result: TwoClouds) -> list[list[str]]:
    """The lab's numbers as rows of text."""
    delta = "undefined (a BLEU of 0)" if math.isnan(result.delta_sd) else f"{result.delta_sd:.4f}"
    return [
        ["observed gap δ̂", f"{result.gap:+.4f}"],
        ["randomization p (two-sided)", f"{result.p:.4f}"],
        ["Koehn p (one-sided, first system better)", f"{result.koehn:.4f}"],
        ["2δ p (one-sided, first system better)", f"{result.recentered:.4f}"],
        ["bootstrap sd", f"{result.bootstrap.sd:.4f}"],
        ["delta-method sd", delta],
    ]


LAB_HEAD = ["pair", "filings", "gap", "p", "Koehn p", "2δ p", "sd of δ*", "delta sd"]


def lab_row(result: TwoClouds) -> list[str]:
    """One setting of the lab as a row: pair, filings, then the read-outs."""
    delta = "–" if math.isnan(result.delta_sd) else f"{result.delta_sd:.4f}"
    return [
        result.title,
        str(result.n),
        f"{result.gap:+.4f}",
        f"{result.p:.4f}",
        f"{result.koehn:.4f}",
        f"{result.recentered:.4f}",
        f"{result.bootstrap.sd:.4f}",
        delta,
    ]


def lab_frame(pair: tuple[str, str], size: int, number: int) -> str:
    """The lab's view: picture, read-outs and doubts, as HTML."""
    import html

    result = lab_result(pair, size, number)
    alt = (
        f"Histograms of {DRAWS:,} resampled gaps around {result.bootstrap.gaps.mean():+.4f} and of "
        f"as many swapped gaps around 0, for {result.title} on {size} filings; the shaded tails "
        f"beyond the observed gap {result.gap:+.4f} hold a share {result.p:.4f} of the swaps."
    )
    which = "all the filings" if size == 90 else f"subset number {number}"
    caption = f"{result.title} on {size} filings ({which}), {DRAWS:,} draws, seed {SEED}"
    doubts = "".join(f"<li>{html.escape(text)}</li>" for text in result.doubts)
    return (
        figures.image_tag(draw_clouds([result], height=2.6), alt)
        + figures.table(["read-out", "value"], lab_readouts(result), caption)
        + (f"<p>Doubts:</p><ul>{doubts}</ul>" if doubts else "")
    )


def lab():
    """The two-clouds lab: a pair of systems, a number of filings, and which of the filings."""
    from sigbook import widgets

    pairs = [(" − ".join(names), names) for names in PAIRS]
    return widgets.experiment(
        lab_frame,
        {
            "pair": widgets.choice("pair", pairs, PAIRS[0]),
            "size": widgets.steps("filings", list(SIZES), 30),
            "number": widgets.whole("another subset", *SUBSETS, 1),
        },
    )


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"pair": PAIRS[0], "size": 90, "number": 1},
    {"pair": PAIRS[0], "size": 30, "number": 1},
    {"pair": PAIRS[0], "size": 30, "number": 3},
    {"pair": PAIRS[1], "size": 90, "number": 1},
    {"pair": PAIRS[2], "size": 90, "number": 1},
    {"pair": PAIRS[3], "size": 90, "number": 1},
)
