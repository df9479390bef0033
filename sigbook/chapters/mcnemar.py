"""Chapter 3, McNemar is randomization: right-or-wrong outcomes.

Segment i carries d_i = s_i^A - s_i^B, which is 1 where only A is right, -1 where only B is, 0 where they
agree. n10 and n01 count the first two kinds, n_d = n10 + n01. Whatever is called exact here is computed in
integers and fractions.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from sigbook import _checks, figures, widgets
from sigbook.experiments import Share, binomial, rejected
from sigbook.mcnemar import mcnemar, mcnemar_sample_size
from sigbook.worlds import tone

ALPHA = 0.05
METHODS = ("exact", "midp", "chi2", "corrected")
LABELS = {"exact": "exact", "midp": "mid-p", "chi2": "chi-squared", "corrected": "corrected"}
TESTED = 1_500


@dataclass(frozen=True)
class Comparison:
    """Two systems on one test set: segments on which both, only A, only B, neither is right."""

    a: str
    b: str
    n11: int
    n10: int
    n01: int
    n00: int

    @property
    def n(self) -> int:
        return self.n11 + self.n10 + self.n01 + self.n00

    @property
    def accuracies(self) -> tuple[float, float]:
        return (self.n11 + self.n10) / self.n, (self.n11 + self.n01) / self.n

    def p(self, method: str = "exact") -> float:
        return mcnemar(self.n10, self.n01, method)

    @property
    def segments_needed(self) -> int:
        """Segments for a power of 0.8 at level 0.05 if the observed shares were the true ones."""
        return mcnemar_sample_size(self.n10 / self.n, self.n01 / self.n)


@dataclass(frozen=True)
class Reported:
    """A line of the source article's table: counts on its own 1,500 filings."""

    pair: str
    accuracies: tuple[float, float]
    n10: int
    n01: int

    @property
    def p(self) -> float:
        return mcnemar(self.n10, self.n01)

    @property
    def segments_needed(self) -> int:
        return mcnemar_sample_size(self.n10 / TESTED, self.n01 / TESTED)


REPORTED = (
    Reported("LR over NB, unigrams", (0.739, 0.601), 295, 88),
    Reported("LR, bigrams over unigrams", (0.771, 0.739), 82, 33),
    Reported("NB-weighted over LR, bigrams", (0.776, 0.771), 108, 101),
    Reported("NB-weighted, bigrams over unigrams", (0.776, 0.719), 119, 33),
)


def compared(a: str, b: str) -> Comparison:
    """Two classifiers of the frozen tone world."""
    return Comparison(a, b, *tone.cells(a, b))


def table_text(rows) -> str:
    """Accuracies, discordant counts, p and segments needed: one line for each `Comparison` or `Reported`."""
    lines = [f"{'pair':<36}{'accuracies':>13}{'n10/n01':>9}{'p':>10}{'n for 80%':>11}"]
    for row in rows:
        name = row.pair if isinstance(row, Reported) else f"{row.a} over {row.b}"
        first, second = row.accuracies
        p = f"{row.p if isinstance(row, Reported) else row.p():.3g}"
        lines.append(f"{name:<36}{f'{first:.3f}/{second:.3f}':>13}{f'{row.n10}/{row.n01}':>9}{p:>10}"
                     f"{row.segments_needed:>11,}")
    return "\n".join(lines)


def shown(p: float) -> str:
    """A p-value with four decimals, or in powers of ten where these would be zeros."""
    return f"{p:.4f}" if p >= 1e-4 else f"{p:.1e}"


def first_filing(a: str, b: str) -> tuple[str, int]:
    """The shortest test filing on which `a` is right and `b` wrong: (text, tone)."""
    world = tone.load()
    where = np.flatnonzero((world.right[a] == 1) & (world.right[b] == 0))
    shortest = min(where, key=lambda i: len(world.texts[i]))
    return world.texts[shortest], int(world.tones[shortest])


# All swaps, in integers ------------------------------------------------------------------------------------

def swap_sums(d: np.ndarray) -> np.ndarray:
    """n times the gap on all 2^n swaps: row e holds the sum of d with the signs turned where e has a bit.

    d: int (n,) or (n, S) for S data sets of n segments each. Returns int64 (2^n,) or (2^n, S).
    """
    return _signs(len(d)) @ np.asarray(d, dtype=np.int64)


def _signs(n):
    """The signs of n segments on all 2^n swaps, int64 (2^n, n): row e is -1 where e has a bit."""
    return 1 - 2 * (np.arange(2**n, dtype=np.int64)[:, None] >> np.arange(n) & 1)


def counted_p(sums: np.ndarray) -> list[Fraction]:
    """The full-group p-value of each data set (a column of `swap_sums`), by counting."""
    sums = sums.reshape(len(sums), -1)
    hits = (np.abs(sums) >= np.abs(sums[0])).sum(axis=0)
    return [Fraction(int(hit), len(sums)) for hit in hits]


def formula_p(n10: int, n01: int) -> Fraction:
    """min(1, 2 F(min(n10, n01))) with F the Bin(n_d, 1/2) distribution function, as a fraction."""
    n_d = n10 + n01
    below = sum(math.comb(n_d, k) for k in range(min(n10, n01) + 1))
    return min(Fraction(1), Fraction(2 * below, 2**n_d))


def formula_midp(n10: int, n01: int) -> Fraction:
    """`formula_p` with the swaps that tie with the data counted half."""
    n_d = n10 + n01
    ties = math.comb(n_d, n10) * (1 if n10 == n01 else 2)
    return formula_p(n10, n01) - Fraction(ties, 2 * 2**n_d)


def outcomes(segments: int) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Every (n10, n01) that `segments` can show, and a data set d for each: int (segments, S)."""
    counts = [(n10, n01) for n10 in range(segments + 1) for n01 in range(segments + 1 - n10)]
    d = np.array([[1] * n10 + [-1] * n01 + [0] * (segments - n10 - n01) for n10, n01 in counts])
    return counts, d.T


def blocks(a: str, b: str, segments: int) -> np.ndarray:
    """The tone world's test filings cut into data sets of `segments` filings: int (segments, S)."""
    right = tone.load().right
    d = (right[a] - right[b])[:tone.TEST // segments * segments]
    return d.reshape(-1, segments).T


def wins_and_losses(d: np.ndarray) -> list[tuple[int, int]]:
    """(n10, n01) of each data set, a column of d."""
    return list(zip((d > 0).sum(axis=0).tolist(), (d < 0).sum(axis=0).tolist()))


def law_by_counting(d) -> dict[int, Fraction]:
    """The law of n10 after a uniform swap of one data set, over all 2^n swaps."""
    n_d = int(np.abs(d).sum())
    wins = (swap_sums(np.asarray(d)) + n_d) // 2
    return {k: Fraction(count, len(wins)) for k, count in sorted(Counter(wins.tolist()).items())}


def binomial_law(n_d: int) -> dict[int, Fraction]:
    """Bin(n_d, 1/2) as fractions."""
    return {k: Fraction(math.comb(n_d, k), 2**n_d) for k in range(n_d + 1)}


# Sizes -----------------------------------------------------------------------------------------------------

@cache
def p_value(n10: int, n01: int, method: str = "exact") -> float:
    """`sigbook.mcnemar`, remembered: experiments meet the same counts again and again."""
    return mcnemar(n10, n01, method)


def p_values(n10: np.ndarray, n01: np.ndarray, method: str = "exact") -> np.ndarray:
    """One p-value for each pair of counts."""
    return np.array([p_value(int(i), int(j), method) for i, j in zip(n10, n01)])


@cache
def sizes(most: int, method: str, alpha: float = ALPHA) -> np.ndarray:
    """P(p <= alpha) for n10 ~ Bin(n_d, 1/2) and n_d = 0..most, read-only (most + 1,).

    An exact sum, 2 F(c), with c the largest smaller count that is rejected, -1 if none is.
    """
    found, c = [], -1
    for n_d in range(most + 1):
        while 2 * (c + 1) <= n_d and p_value(c + 1, n_d - c - 1, method) <= alpha:
            c += 1
        while c >= 0 and p_value(c, n_d - c, method) > alpha:
            c -= 1
        found.append(min(1.0, 2 * sum(math.comb(n_d, k) for k in range(c + 1)) / 2**n_d))
    sizes = np.array(found)
    sizes.flags.writeable = False
    return sizes


def size(n: int, discordance: float, method: str, alpha: float = ALPHA) -> float:
    """P(p <= alpha) on n segments, each discordant with probability `discordance`, either way alike.

    Numbers of discordant segments that come with a total probability below 1e-12 are left out.
    """
    from scipy.stats import binom

    most = int(binom.isf(1e-12, n, discordance))
    return float(binom.pmf(np.arange(most + 1), n, discordance) @ sizes(most, method, alpha))


def mean_p(n_d: int, formula) -> Fraction:
    """The mean of `formula(n10, n_d - n10)` over n10 ~ Bin(n_d, 1/2)."""
    return sum(weight * formula(k, n_d - k) for k, weight in binomial_law(n_d).items())


# Assumptions broken ----------------------------------------------------------------------------------------

def unpaired_p(n11, n10, n01, n00) -> np.ndarray:
    """Two-sided p of the z test for two accuracies, pooled, as if they came from two test sets."""
    n11, n10, n01, n00 = (np.asarray(count, dtype=np.float64) for count in (n11, n10, n01, n00))
    n = n11 + n10 + n01 + n00
    pooled = (2 * n11 + n10 + n01) / (2 * n)
    error = np.sqrt(2 * pooled * (1 - pooled) / n)
    gap = np.abs(n10 - n01) / n
    z = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
    return np.vectorize(lambda x: math.erfc(x / math.sqrt(2)))(z)


def unpaired(discordance: float, experiments: int, seed, *, n: int = 300,
             accuracy: float = 0.75) -> tuple[Share, Share]:
    """Size of the unpaired z test and of McNemar's exact test when both systems have the same accuracy."""
    rng = _checks.generator(seed)
    half = discordance / 2
    counts = rng.multinomial(n, [accuracy - half, half, half, 1 - accuracy - half], size=experiments).T
    return rejected(unpaired_p(*counts)), rejected(p_values(counts[1], counts[2]))


def unpaired_limit(discordance: float, accuracy: float = 0.75, alpha: float = ALPHA) -> float:
    """Size of the unpaired z test for many segments: the gap's variance is p_d / n, not 2 q (1 - q) / n."""
    return _normal_size(discordance / (2 * accuracy * (1 - accuracy)), alpha)


def _normal_size(ratio, alpha):
    """P(abs(N(0, ratio)) > z) with z the two-sided critical value of N(0, 1) at alpha."""
    from scipy.special import ndtri

    return math.erfc(-ndtri(alpha / 2) / math.sqrt(2 * ratio))


def clustered(correlation: float, experiments: int, seed, *, speakers: int = 12, segments: int = 50,
              discordance: float = 0.2) -> tuple[Share, Share]:
    """Size of McNemar's exact test by segment, and of swapping whole speakers (all 2^speakers patterns).

    Each segment is discordant with probability `discordance`. Who wins is A with a speaker's own probability,
    drawn from Beta(a, a), so that two discordant segments of one speaker are won by the same system with the
    given correlation 1 / (2 a + 1); speakers favour either system alike.
    """
    rng = _checks.generator(seed)
    discordant = binomial(rng, np.full((experiments, speakers), segments), discordance)
    n10 = binomial(rng, discordant, _leanings(correlation, discordant.shape, rng))
    by_segment = p_values(n10.sum(axis=1), (discordant - n10).sum(axis=1))
    # Whole numbers far below 2^53 are exact as floats, and their product is much faster than that of integers.
    leads = (2 * n10 - discordant).T.astype(np.float64)
    sums = np.abs(_signs(speakers).astype(np.float64) @ leads)
    return rejected(by_segment), rejected((sums >= sums[0]).mean(axis=0))


def _leanings(correlation, shape, rng):
    if correlation == 0:
        return np.full(shape, 0.5)
    if correlation == 1:
        return rng.integers(2, size=shape).astype(np.float64)
    a = (1 / correlation - 1) / 2
    return rng.beta(a, a, size=shape)


def clustered_limit(correlation: float, *, segments: int = 50, discordance: float = 0.2,
                    alpha: float = ALPHA) -> float:
    """Size of McNemar's test by segment for many speakers: its variance is short by 1 + (m - 1) p_d rho."""
    return _normal_size(1 + (segments - 1) * discordance * correlation, alpha)


def best_of(versions: int, experiments: int, seed, *, n: int = 500, accuracy: float = 0.75,
            discordance: float = 0.1) -> Share:
    """Share of rejections when the best of some versions on the test set is then tested on it.

    Every version is as accurate as the baseline and changes its answers at random, right to wrong and wrong
    to right on `discordance` / 2 of the segments each.
    """
    rng = _checks.generator(seed)
    right = rng.binomial(n, accuracy, size=(experiments, 1))
    lost = rng.binomial(np.repeat(right, versions, axis=1), discordance / 2 / accuracy)
    won = rng.binomial(np.repeat(n - right, versions, axis=1), discordance / 2 / (1 - accuracy))
    best = np.argmax(won - lost, axis=1)[:, None]
    won, lost = (np.take_along_axis(counts, best, axis=1)[:, 0] for counts in (won, lost))
    return rejected(p_values(won, lost))


def detectors(targets: int, others: int, experiments: int, rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of two equally good detectors on the same trials: (is_target (n,), a, b (experiments, n)).

    Targets score N(2, 1), others N(0, 1), with correlation 0.5 between the detectors, which may change
    places on any trial without changing the law of the scores.
    """
    is_target = np.arange(targets + others) < targets
    shape = (experiments, len(is_target))
    shared = rng.normal(size=shape)
    a, b = (math.sqrt(0.5) * (shared + rng.normal(size=shape)) + 2 * is_target for _ in "ab")
    return is_target, a, b


def at_own_threshold(is_target: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where miss and false alarm rates are nearest: (accepted (..., n) bool, their mean there, the EER)."""
    order = np.argsort(-scores, axis=-1)
    hits = is_target[order]
    missed = 1 - np.cumsum(hits, axis=-1) / is_target.sum()
    alarms = np.cumsum(~hits, axis=-1) / (~is_target).sum()
    place = np.abs(alarms - missed).argmin(axis=-1)[..., None]
    cut = np.take_along_axis(np.take_along_axis(scores, order, axis=-1), place, axis=-1)
    rate = np.take_along_axis((alarms + missed) / 2, place, axis=-1)[..., 0]
    return scores >= cut, rate


def mcnemar_at_eer(targets: int, others: int, experiments: int, seed) -> tuple[Share, Share]:
    """Size of McNemar's exact test on two equal detectors: at each one's own EER threshold, and at a fixed one."""
    is_target, a, b = detectors(targets, others, experiments, _checks.generator(seed))
    own = [at_own_threshold(is_target, scores)[0] == is_target for scores in (a, b)]
    fixed = [(scores >= 1) == is_target for scores in (a, b)]
    return tuple(rejected(p_values((x & ~y).sum(axis=1), (y & ~x).sum(axis=1))) for x, y in (own, fixed))


def randomized_eer(targets: int, others: int, experiments: int, seed, draws: int = 199) -> Share:
    """Size of randomization of the EER gap: trials swapped, both thresholds found again on every swap."""
    rng = _checks.generator(seed)
    is_target, a, b = detectors(targets, others, experiments, rng)
    found = []
    for x, y in zip(a, b):
        swap = rng.integers(2, size=(draws + 1, len(is_target))).astype(bool)
        swap[0] = False
        gaps = np.abs(at_own_threshold(is_target, np.where(swap, y, x))[1]
                      - at_own_threshold(is_target, np.where(swap, x, y))[1])
        found.append((gaps >= gaps[0] - 1e-12).mean())
    return rejected(np.array(found))


# Figures ---------------------------------------------------------------------------------------------------

@figures.styled
def draw_cells(comparisons: list[Comparison]):
    """One bar for each comparison, cut into both right, only A, only B, neither right."""
    figure, axis = figures.canvas(height=0.8 + 0.55 * len(comparisons))
    looks = (figures.BAND, figures.BOOTSTRAP, figures.RANDOMIZATION, figures.BAND)
    hatches = ("", "\\\\\\", "///", "..")
    labels = ("both right", "only the first", "only the second", "neither")
    places = np.arange(len(comparisons))[::-1]
    left = np.zeros(len(comparisons))
    for k, (look, hatch, label) in enumerate(zip(looks, hatches, labels)):
        width = np.array([(c.n11, c.n10, c.n01, c.n00)[k] for c in comparisons])
        axis.barh(places, width, left=left, height=0.6, color=look.color, hatch=hatch, edgecolor="#333333",
                  linewidth=0.6, alpha=0.75, label=label)
        left += width
    axis.set_yticks(places, [f"{c.a}\nagainst {c.b}" for c in comparisons])
    axis.set(xlabel="test filings", xlim=(0, comparisons[0].n))
    figure.legend(loc="outside upper right", ncols=4)
    return figure


@figures.styled
def draw_law(n10: int, n01: int, swapped: np.ndarray):
    """n10 after random swaps, as a histogram, with the binomial law and the observed value."""
    figure, axis = figures.canvas(height=2.8)
    n_d = n10 + n01
    counts = np.bincount(swapped, minlength=n_d + 1) / len(swapped)
    k, edges = np.arange(n_d + 1), np.arange(n_d + 2) - 0.5
    look = figures.RANDOMIZATION
    extreme = np.abs(2 * k - n_d) >= abs(n10 - n01)
    axis.stairs(counts, edges, color="#333333", linewidth=0.8, label=f"{len(swapped):,} random swaps")
    axis.stairs(np.where(extreme, counts, 0), edges, fill=True, facecolor=look.color, alpha=0.7, hatch=look.hatch,
                edgecolor="#333333", linewidth=0.7, label="as far out as the data")
    law = np.array([float(weight) for weight in binomial_law(n_d).values()])
    axis.plot(k, law, linestyle="none", marker=figures.BOOTSTRAP.marker, markersize=4, color=figures.BOOTSTRAP.color,
              label="binomial law")
    axis.axvline(n10, **figures.OBSERVED.stroke, label="observed")
    axis.set(xlabel="filings on which only the first is right, after the swap", ylabel="share of swaps",
             xlim=(min(n10, n01, n_d // 2 - 14) - 1, max(n10, n01, n_d // 2 + 14) + 1))
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_tail(n10: int, n01: int):
    """The binomial law of n10 after a swap; both tails from the data outward are filled."""
    figure, axis = figures.canvas(height=2.4)
    n_d = n10 + n01
    k = np.arange(n_d + 1)
    law = np.array([float(weight) for weight in binomial_law(n_d).values()])
    extreme = np.abs(2 * k - n_d) >= abs(n10 - n01)
    look = figures.RANDOMIZATION
    edges = np.arange(n_d + 2) - 0.5
    axis.stairs(law, edges, color="#333333", linewidth=0.8)
    axis.stairs(np.where(extreme, law, 0), edges, fill=True, facecolor=look.color, alpha=0.7, hatch=look.hatch,
                edgecolor="#333333", linewidth=0.7, label="p (exact)")
    axis.axvline(n10, **figures.OBSERVED.stroke, label="observed")
    axis.set(xlabel="segments on which only A is right, after a swap", ylabel="probability",
             xlim=(-0.8, max(n_d, 1) + 0.8), ylim=(0, 1.18 * law.max()))
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(loc="upper right")
    return figure


@figures.styled
def draw_sizes(most: int, alpha: float = ALPHA):
    """Exact sizes of the four methods against the number of discordant segments, a panel for each."""
    figure, axes = figures.canvas(2, 2, height=4.2, width=7.2, share_x=True, share_y=True)
    n_d = np.arange(1, most + 1)
    look = figures.BOOTSTRAP
    for axis, method in zip(axes.ravel(), ("exact", "corrected", "midp", "chi2")):
        axis.plot(n_d, sizes(most, method, alpha)[1:], linestyle=look.line, linewidth=0.8, marker=look.marker,
                  markersize=2.2, color=look.color, label=LABELS[method])
        axis.axhline(alpha, **figures.REFERENCE.stroke, label=f"level {alpha}")
        axis.legend(loc="upper right")
    for axis in axes[1]:
        axis.set_xlabel("discordant segments")
    for axis in axes[:, 0]:
        axis.set(ylabel="true nulls rejected", ylim=(0, None))
    return figure


@figures.styled
def draw_clusters(correlations: list[float], shares: list[tuple[Share, Share]], alpha: float = ALPHA):
    """Sizes by segment and by speaker against the correlation within a speaker, with the limit by segment."""
    figure, axis = figures.canvas(height=2.9)
    grid = np.linspace(0, max(correlations), 101)
    axis.plot(grid, [clustered_limit(rho) for rho in grid], color=figures.REFERENCE.color, linewidth=1,
              linestyle=figures.EXTRA.line, label="by segment, limit for many speakers")
    for k, (look, label) in enumerate(((figures.OBSERVED, "by segment"), (figures.BOOTSTRAP, "by speaker"))):
        axis.errorbar(correlations, [pair[k].value for pair in shares], [3 * pair[k].error for pair in shares],
                      color=look.color, marker=look.marker, markersize=4, linestyle="none", capsize=3,
                      label=f"{label}, ± 3 se")
    axis.axhline(alpha, **figures.REFERENCE.stroke, label=f"level {alpha}")
    axis.set(xlabel="correlation of two discordant segments of one speaker", ylabel="true nulls rejected", ylim=(0, None))
    axis.legend(loc="upper left")
    return figure


# The lab ---------------------------------------------------------------------------------------------------

MOST = 60


def lab_frame(n10: int, n01: int) -> str:
    """The lab's view as HTML: the binomial law with its tails filled, and the four p-values."""
    found = [mcnemar(n10, n01, method) for method in METHODS]
    alt = (f"Binomial probabilities for {n10 + n01} discordant segments; the filled tails, from {n10} against {n01} "
           f"outward, hold {shown(found[0])}.")
    return figures.image_tag(draw_tail(n10, n01), alt) + figures.table(
        ["only A right", "only B right", *(LABELS[method] for method in METHODS)],
        [[str(n10), str(n01), *map(shown, found)]], "p-values, two-sided")


def mcnemar_lab():
    """The lab: choose both discordant counts; every change computes the four p-values and redraws the tails."""
    return widgets.experiment(lab_frame, {
        "n10": widgets.whole("only A right", 0, MOST, 7),
        "n01": widgets.whole("only B right", 0, MOST, 1),
    })


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"n10": 7, "n01": 1},
    {"n10": 14, "n01": 2},
    {"n10": 28, "n01": 4},
    {"n10": 4, "n01": 0},
    {"n10": 22, "n01": 18},
    {"n10": 20, "n01": 20},
)
