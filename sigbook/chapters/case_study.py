"""Chapter 11, case study: ten summarizers, two metrics, and what a verdict of a test is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations, product

import numpy as np

from sigbook import _checks, clouds, figures, metrics, rules, widgets
from sigbook._checks import quietly
from sigbook.clouds import TIE, Cloud
from sigbook.experiments import ALPHA, Share, rejected
from sigbook.family import swapped as swapped_gaps
from sigbook.pairs import PairedSet, with_counts
from sigbook.worlds import filings, tone

METRICS = ("bleu", "fact-f1")
LABELS = {"bleu": "corpus BLEU", "fact-f1": "fact F1", "chrf": "chrF", "rouge1": "ROUGE-1",
          "rouge2": "ROUGE-2", "rougeL": "ROUGE-L", "sentence-bleu": "sentence BLEU",
          "token-f1": "token F1"}
RULES = {"bleu": "bleu", "fact-f1": "f1"}  # all others are means
KINDS = ("same verdict", "one metric only", "opposite directions")
DRAWS = 9_999
SEED = 1

# All pairs on one set of swaps -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Family:
    """Every pair of systems, judged by several metrics on the same swaps.

    metrics: M names. systems: S names. pairs: C pairs of places in `systems`; a gap is the first
    minus the second. scores: (M, S). gaps: observed (M, C). swapped: (M, C, draws). p: two-sided
    randomization p-values (M, C).
    """

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    scores: np.ndarray
    gaps: np.ndarray
    swapped: np.ndarray
    p: np.ndarray

    def place(self, a: str, b: str) -> int:
        """Where the pair a, b stands in `pairs`; a must come before b in `systems`."""
        return self.pairs.index((self.systems.index(a), self.systems.index(b)))

    def title(self, pair: int) -> str:
        """What a pair is called: "writer − noisy-0.1"."""
        return " − ".join(self.systems[i] for i in self.pairs[pair])


def family(statistics: dict[str, dict[str, np.ndarray]] | None = None, draws: int = DRAWS,
           seed: int = SEED) -> Family:
    """All pairs of systems on one set of drawn swaps: a pattern exchanges the outputs of each pair.

    statistics: metric -> system -> statistics of n segments; by default the ten systems of the
    frozen filings under both `METRICS`.
    """
    if statistics is None:
        statistics = {metric: {name: filings.statistics(name, metric) for name in filings.SYSTEMS}
                      for metric in METRICS}
    names = tuple(statistics)
    systems = tuple(statistics[names[0]])
    pairs = tuple(combinations(range(len(systems)), 2))
    draws, seed = _checks.count("draws", draws, least=1), _checks.count("seed", seed)
    scores, observed, swapped, p = [], [], [], []
    for name in names:
        rule = metrics.find(RULES.get(name, "mean"))
        values = [with_counts(statistics[name][system], 2) for system in systems]
        gaps = swapped_gaps(values, rule, pairs, draws, seed, every_unit=True)
        totals = np.stack([x.sum(axis=0) for x in values])
        first, second = (totals[list(side)] for side in zip(*pairs))
        scores.append(rule.score(totals))
        observed.append(rule.gap(first, second))
        scale = np.maximum(np.abs(gaps).max(axis=1), np.abs(scores[-1]).max())
        cloud = Cloud(gaps, observed[-1], "randomization", score_scale=scale)
        swapped.append(gaps)
        p.append(rules.p_randomization(cloud))
    return Family(names, systems, pairs, *map(np.stack, (scores, observed, swapped, p)))


def verdicts(result: Family, adjust: Callable[[np.ndarray], np.ndarray] | None = None,
             alpha: float = ALPHA) -> np.ndarray:
    """(M, C) int64: 1 where the first system of a pair is significantly ahead, -1 the second, else 0.

    adjust: `sb.holm` or `sb.benjamini_hochberg`, applied to the C p-values of each metric.
    """
    p = result.p if adjust is None else np.stack([adjust(row) for row in result.p])
    return np.where(p <= alpha, np.sign(result.gaps), 0).astype(np.int64)


def kinds(verdict: np.ndarray) -> np.ndarray:
    """(C,) places in `KINDS`, from the verdicts (2, C) of two metrics."""
    first, second = verdict
    return np.where(first == second, 0, np.where(first * second == 0, 1, 2))


def tally(verdict: np.ndarray) -> tuple[int, int, int, int, int]:
    """Rejections of the first metric, of the second, pairs of one metric only, opposite ones, both."""
    kind = kinds(verdict)
    one, opposite = int((kind == 1).sum()), int((kind == 2).sum())
    return *(int(row.sum()) for row in np.abs(verdict)), one, opposite, one + opposite


def intransitive(verdict: np.ndarray, result: Family) -> list[tuple[str, str, str]]:
    """Systems a, b, c such that neither a, b nor b, c are told apart by a metric, but a and c are."""
    apart = np.zeros((len(result.systems),) * 2, dtype=bool)
    for (i, j), settled in zip(result.pairs, verdict != 0):
        apart[i, j] = apart[j, i] = settled
    return [(result.systems[i], result.systems[j], result.systems[k])
            for i, k in result.pairs if apart[i, k]
            for j in range(len(result.systems))
            if j not in (i, k) and not apart[i, j] and not apart[j, k]]


def orbit_p(gaps: np.ndarray, observed: float) -> np.ndarray:
    """p-values that the data (first) and each drawn swap would get, if it were the data: (draws + 1,)."""
    size = np.abs(np.append(observed, gaps))
    ranked = np.sort(size)
    return (len(size) - np.searchsorted(ranked, size - TIE, side="left")) / len(size)


@dataclass(frozen=True)
class Choosing:
    """Size of a test at level alpha when the pair's outputs are exchangeable.

    each: sizes of the metrics' own tests. either: size of "some metric rejects". smallest: size of
    the test whose statistic is the smallest p-value. correlation: of the metrics' swapped gaps, NaN
    where one of them does not move.
    """

    each: tuple[float, ...]
    either: float
    smallest: float
    correlation: float


def choosing(result: Family, pair: int, alpha: float = ALPHA) -> Choosing:
    """What it costs to choose between two metrics after seeing both p-values, for one pair.

    Under the sharp null each swap is as likely as the data, so the sizes are shares of swaps.
    """
    p = np.stack([orbit_p(gaps[pair], observed[pair])
                  for gaps, observed in zip(result.swapped, result.gaps)])
    least = p.min(axis=0)
    ranked = np.sort(least)
    smallest = np.searchsorted(ranked, least, side="right") / len(least)
    moving = result.swapped[:, pair]
    still = np.ptp(moving, axis=1) == 0
    return Choosing(
        tuple(float((row <= alpha).mean()) for row in p),
        float((least <= alpha).mean()),
        float((smallest <= alpha).mean()),
        math.nan if still.any() else float(np.corrcoef(moving)[0, 1]),
    )


# A family with true and false nulls, counted ------------------------------------------------------


def exact_family(scores: np.ndarray, draws: int, alpha: Fraction, equal: bool) -> Fraction:
    """Chance that Holm, on three pairs judged by the same drawn swaps, rejects a true null: exact.

    scores: (3, n) integers, a segment score of each of three systems. If `equal`, the three change
    places at each segment at random; else the first two do, and only their null is true. Goes
    through all data that come about so, and for each through all tuples of `draws` patterns.
    """
    n = scores.shape[1]
    orders = np.array(list(permutations(range(3))) if equal else [(0, 1, 2), (1, 0, 2)])
    patterns = np.array(list(product((-1, 1), repeat=n)), dtype=np.int64)
    chosen = np.array(list(product(range(len(patterns)), repeat=draws)))
    pairs = list(combinations(range(3), 2))
    wrong = total = 0
    for order in product(orders, repeat=n):
        data = np.take_along_axis(scores, np.array(order).T, axis=0)
        counts = []
        for i, j in pairs:
            gaps = np.abs(patterns @ (data[i] - data[j]))
            counts.append(1 + (gaps >= gaps[-1])[chosen].sum(axis=1))
        hits = _holm_counts(np.stack(counts, axis=1), draws, alpha)
        wrong += int((hits if equal else hits[:, :1]).any(axis=1).sum())
        total += len(chosen)
    return Fraction(wrong, total)


def _holm_counts(counts, draws, alpha):
    """Holm's verdicts on p-values counts / (draws + 1), in whole numbers: (E, k) to bool (E, k)."""
    k = counts.shape[1]
    order = np.argsort(counts, axis=1, kind="stable")
    steps = (k - np.arange(k)) * np.take_along_axis(counts, order, axis=1) * alpha.denominator
    passed = np.logical_and.accumulate(steps <= alpha.numerator * (draws + 1), axis=1).sum(axis=1)
    hits = np.zeros(counts.shape, dtype=bool)
    np.put_along_axis(hits, order, np.arange(k) < passed[:, None], axis=1)
    return hits


# Damage, and the test that counts where it shows --------------------------------------------------


def exact_p(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]],
            score: Callable[[list[int]], Fraction]) -> Fraction:
    """Two-sided p-value over all 2^n swaps of the rows of a and b; score: pooled sums to a fraction."""
    n = len(a)
    values = []
    for pattern in product((False, True), repeat=n):
        first = [y if swap else x for swap, x, y in zip(pattern, a, b)]
        second = [x if swap else y for swap, x, y in zip(pattern, a, b)]
        values.append(abs(score([sum(column) for column in zip(*first)])
                          - score([sum(column) for column in zip(*second)])))
    return Fraction(sum(value >= values[0] for value in values), 2**n)


def exact_f1(pooled: Sequence[int]) -> Fraction:
    """F1 of pooled counts tp, predicted, gold as a fraction."""
    tp, predicted, gold = (int(x) for x in pooled)
    return Fraction(2 * tp, predicted + gold)


def damaged(n: int, shown: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Random counts tp, predicted, gold (n, 3) of A and of B, which is A with damage that shows on
    `shown` of the segments: there it gets fewer facts right, by one up to all."""
    gold = rng.integers(2, 6, n)
    a = np.stack([rng.integers(1, gold + 1), rng.integers(gold, gold + 3), gold], axis=1)
    b = a.copy()
    places = rng.permutation(n)[:shown]
    b[places, 0] -= rng.integers(1, a[places, 0] + 1)
    return a, b


def least_shown(alpha: float = ALPHA) -> int:
    """The smallest k with 2^(1 - k) <= alpha: on so many segments damage must show to be found."""
    level, k = Fraction(repr(alpha)), 1
    while Fraction(2, 2**k) > level:
        k += 1
    return k


def damage_power(n, visibility: float, alpha: float = ALPHA):
    """P(Bin(n, visibility) >= least_shown): the power of the full-group test against damage."""
    from scipy.special import betainc

    k, n = least_shown(alpha), np.asarray(n, dtype=np.float64)
    power = np.where(n >= k, betainc(k, np.maximum(n - k + 1, 1), visibility), 0.0)
    return float(power) if power.ndim == 0 else power


def filings_needed(visibility: float, power: float = 0.8, alpha: float = ALPHA) -> int:
    """The smallest n with `damage_power` >= power; it rises with n."""
    n = least_shown(alpha)
    while damage_power(n, visibility, alpha) < power:
        n += 1
    return n


# Power on fresh filings ---------------------------------------------------------------------------

POWER_DRAWS = 4_999
MOST_SETS = 450
SHOWN_SIZES = (10, 20, 30, 45, 60, 90)


@dataclass(frozen=True, eq=False)
class Power:
    """The writer against a noisy version on disjoint, fresh test sets.

    p: (E,) randomization p-values. shown: (E,) filings on which the statistics differ.
    """

    system: str
    metric: str
    size: int
    p: np.ndarray
    shown: np.ndarray

    @property
    def share(self) -> Share:
        """The share of the test sets that the test rejects."""
        return rejected(self.p)

    @property
    def counted(self) -> float:
        """The share of the test sets on which enough filings show a difference."""
        return float((self.shown >= least_shown()).mean())


def power(system: str, metric: str, size: int, draws: int = POWER_DRAWS, seed=0) -> Power:
    """Randomization on as many disjoint sets of `size` fresh filings as there are, at most 450."""
    a, b = (_blocks(metric, name, size) for name in ("writer", system))
    cloud = clouds.randomize_stack(a, b, RULES.get(metric, "mean"), draws, seed)
    shown = (a != b).reshape(*a.shape[:2], -1).any(axis=2).sum(axis=1)
    return Power(system, metric, size, rules.p_randomization(cloud), shown)


def visibility(system: str, metric: str) -> float:
    """The share of fresh filings on which the noisy version's statistics differ from the writer's."""
    return float(_shown(system, metric).mean())


def _blocks(metric, system, size):
    values = _fresh(metric)[system]
    sets = min(MOST_SETS, filings.FRESH // size)
    return values[:sets * size].reshape(sets, size, *values.shape[1:])


@lru_cache
def _fresh(metric):
    return filings.fresh(metric)


def _shown(system, metric):
    a, b = _fresh(metric)["writer"], _fresh(metric)[system]
    return (a != b).reshape(len(a), -1).any(axis=1)


# Overlapping test sets ----------------------------------------------------------------------------

WHOLE, SUBSETS, SUBSET_DRAWS = 90, 200, 999


def subset_moments(n: int, m: int, visibility: float, alpha: float = ALPHA) -> tuple[float, float]:
    """Mean and sd, over sets of n filings, of the rejection share over all subsets of m of them.

    Damage shows on each filing with chance `visibility`; given that it shows on K, a random subset
    has a hypergeometric number of those.
    """
    from scipy.stats import binom

    k = np.arange(n + 1)
    share, weight = subset_share(k, n, m, alpha), binom.pmf(k, n, visibility)
    mean = float(share @ weight)
    return mean, float(np.sqrt(max(0.0, (share**2) @ weight - mean**2)))


def subset_share(k, n: int, m: int, alpha: float = ALPHA):
    """The share of all subsets of m of n filings that reject, when damage shows on k of them."""
    from scipy.stats import hypergeom

    return hypergeom.sf(least_shown(alpha) - 1, n, k, m)


def exact_subsets(n: int, m: int, chance: Fraction, least: int, drawn: int) -> tuple[Fraction, ...]:
    """Power on m, mean and variance of the share over all subsets, and of that over `drawn` of them.

    By going through all 2^n sets of segments that show damage or not, all subsets of m, and all
    tuples of `drawn` subsets; a subset rejects when at least `least` of it show damage.
    """
    subsets = list(combinations(range(n), m))
    power = sum(math.comb(m, k) * chance**k * (1 - chance) ** (m - k) for k in range(least, m + 1))
    moments = [Fraction(0)] * 4
    for shown in product((0, 1), repeat=n):
        weight = chance ** sum(shown) * (1 - chance) ** (n - sum(shown))
        hits = [int(sum(shown[i] for i in subset) >= least) for subset in subsets]
        share = Fraction(sum(hits), len(subsets))
        tuples = [Fraction(sum(some), drawn) for some in product(hits, repeat=drawn)]
        moments[0] += weight * share
        moments[1] += weight * share**2
        moments[2] += weight * sum(tuples) / len(tuples)
        moments[3] += weight * sum(x**2 for x in tuples) / len(tuples)
    mean, square, drawn_mean, drawn_square = moments
    return power, mean, square - mean**2, drawn_mean, drawn_square - drawn_mean**2


def overlapping(system: str, metric: str, size: int, subsets: int = SUBSETS,
                draws: int = POWER_DRAWS, seed=0) -> Share:
    """Randomization on random subsets of the 90 frozen filings; the share's error pretends that
    the subsets are independent test sets."""
    rng = _checks.generator(seed)
    chosen = np.argsort(rng.random((subsets, WHOLE)), axis=1)[:, :size]
    a, b = (filings.statistics(name, metric)[chosen] for name in ("writer", system))
    cloud = clouds.randomize_stack(a, b, RULES.get(metric, "mean"), draws, rng)
    return rejected(rules.p_randomization(cloud))


@dataclass(frozen=True, eq=False)
class Estimates:
    """The same estimate made again on many sets of 90 filings, each from overlapping subsets.

    metric, size: what is estimated. values: (100,) shares of subsets that reject. claimed: (100,) their standard errors as if the
    subsets were independent. truth: the power.
    """

    metric: str
    size: int
    values: np.ndarray
    claimed: np.ndarray
    truth: float

    @property
    def covering(self) -> Share:
        """How often the share plus and minus two claimed standard errors contains the power."""
        return Share(float((np.abs(self.values - self.truth) <= 2 * self.claimed).mean()),
                     len(self.values))


def estimates(system: str, metric: str, size: int, subsets: int = SUBSETS, seed=0) -> Estimates:
    """Cut the fresh filings into 100 sets of 90 and estimate the power on `size` from each.

    On BLEU and fact F1 a subset rejects when damage shows often enough, on other metrics by 999
    swaps; their power is then measured on disjoint test sets.
    """
    rng = _checks.generator(seed)
    sets = filings.FRESH // WHOLE
    counted = metric in METRICS
    shown = _shown(system, metric)[:sets * WHOLE].reshape(sets, WHOLE)
    a, b = (_fresh(metric)[name] for name in ("writer", system))
    values = []
    for number, row in enumerate(shown):
        chosen = np.argsort(rng.random((subsets, WHOLE)), axis=1)[:, :size]
        if counted:
            rejects = row[chosen].sum(axis=1) >= least_shown()
        else:
            rows = number * WHOLE + chosen
            cloud = clouds.randomize_stack(a[rows], b[rows], "mean", SUBSET_DRAWS, rng)
            rejects = rules.p_randomization(cloud) <= ALPHA
        values.append(rejects.mean())
    values = np.array(values)
    truth = (damage_power(size, visibility(system, metric)) if counted
             else power(system, metric, size).share.value)
    return Estimates(metric, size, values, np.sqrt(values * (1 - values) / subsets), truth)


# Tone ---------------------------------------------------------------------------------------------


def tone_f1(classifier: str, which: int) -> np.ndarray:
    """Counts tp, predicted, gold (n, 3) of a classifier on one tone: 1 favourable, 0 not."""
    world = tone.load()
    right = world.right[classifier] == 1
    named = np.where(right, world.tones, 1 - world.tones) == which
    gold = world.tones == which
    return np.stack([named & gold, named, gold], axis=1).astype(np.int64)


# Figures ------------------------------------------------------------------------------------------

_MARKS = {1: "^", -1: "v", 0: "_"}


@figures.styled
def draw_verdicts(result: Family, verdict: np.ndarray):
    """One cell for each pair: the first metric's verdict left, the second's right, hatched by kind."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle

    figure, axis = figures.canvas(height=5.4)
    fills = ({"facecolor": "white"}, {"facecolor": "#EFEFEF", "hatch": "...."},
             {"facecolor": "#D2D2D2", "hatch": "////"})
    edge = {"edgecolor": "#777777", "linewidth": 0.8}
    looks = (figures.BOOTSTRAP, figures.OBSERVED)
    for (i, j), kind, pair in zip(result.pairs, kinds(verdict), verdict.T):
        axis.add_patch(Rectangle((i - 0.5, j - 0.5), 1, 1, **fills[kind], **edge))
        for side, value, look, filled in zip((-0.22, 0.22), pair, looks, (True, False)):
            axis.plot(i + side, j, _MARKS[int(value)], color=look.color, markersize=8,
                      markeredgewidth=1.8 if value == 0 else 1.5,
                      markerfacecolor=look.color if filled else "white")
    last = len(result.systems) - 1
    axis.set(xlim=(-0.55, last - 0.45), ylim=(last + 0.55, 0.45))
    axis.set_xticks(range(last), result.systems[:-1], rotation=35, ha="right")
    axis.set_yticks(range(1, last + 1), result.systems[1:])
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    marks = [Line2D([], [], linestyle="", marker=mark, color="#333333", markersize=8,
                    markeredgewidth=1.6, label=label)
             for mark, label in (("^", "the column's system ahead"),
                                 ("v", "the row's system ahead"),
                                 ("_", "not significant"))]
    halves = [Line2D([], [], linestyle="", marker="s", color=look.color, markersize=7,
                     markeredgewidth=1.5, markerfacecolor=look.color if filled else "white",
                     label=f"{side}: {LABELS[name]}")
              for look, filled, side, name in zip(looks, (True, False), ("left", "right"),
                                                  result.metrics)]
    patches = [Patch(**fill, **edge, label=label) for fill, label in zip(fills, KINDS)]
    axis.legend(handles=[*halves, *marks, *patches], loc="upper right", fontsize=8,
                labelspacing=0.7)
    return figure


@figures.styled
def draw_joint(result: Family, pairs: Sequence[int], points: int = 1_500):
    """Both metrics' gaps on the same swaps, with the observed pair of gaps, one panel per pair."""
    figure, axes = figures.canvas(1, len(pairs), height=2.7)
    for axis, pair in zip(np.atleast_1d(axes), pairs):
        swapped, observed = result.swapped[:, pair, :points], result.gaps[:, pair]
        axis.axhline(0, color=figures.REFERENCE.color, linestyle=":", linewidth=1)
        axis.axvline(0, color=figures.REFERENCE.color, linestyle=":", linewidth=1)
        look = figures.RANDOMIZATION
        axis.plot(*swapped, look.marker, color=look.color, markersize=2, alpha=0.35,
                  label="swapped")
        look = figures.OBSERVED
        axis.plot(*observed, look.marker, color=look.color, markersize=8, label="observed")
        reach = 1.15 * np.abs(np.column_stack([swapped, observed])).max(axis=1)
        axis.set(xlim=(-reach[0], reach[0]), ylim=(-reach[1], reach[1]),
                 xlabel=f"{LABELS[result.metrics[0]]} gap")
        axis.set_title(result.title(pair), loc="left")
        axis.locator_params(nbins=4)
    first = np.atleast_1d(axes)[0]
    first.set_ylabel(f"{LABELS[result.metrics[1]]} gap")
    first.legend(loc="upper left", handletextpad=0.2, borderpad=0.1)
    return figure


@figures.styled
def draw_power(measured: Sequence[Power], curves: dict[str, np.ndarray], sizes: np.ndarray,
               alpha: float = ALPHA):
    """Rejection shares with three standard errors over the number of filings, and the formula."""
    figure, axis = figures.canvas(height=3.0)
    looks = dict(zip(("fact-f1", "bleu", "chrf"),
                     (figures.OBSERVED, figures.BOOTSTRAP, figures.EXTRA)))
    for metric, look in looks.items():
        rows = [row for row in measured if row.metric == metric]
        if metric in curves:
            axis.plot(sizes, curves[metric], **look.stroke, label=f"{LABELS[metric]}, formula")
        axis.errorbar([row.size for row in rows], [row.share.value for row in rows],
                      [3 * row.share.error for row in rows], fmt=look.marker, color=look.color,
                      capsize=3, label=f"{LABELS[metric]}, measured")
    axis.axhline(alpha, **figures.REFERENCE.stroke, linewidth=1, label=f"level {alpha}")
    axis.set(xlabel="filings in the test set", ylabel="share of test sets that reject",
             ylim=(0, 1.03))
    axis.legend(loc="lower right", bbox_to_anchor=(1, 0.08))
    return figure


@figures.styled
def draw_estimates(results: Sequence[Estimates]):
    """Estimates of one power from many sets of 90 filings, and what each believes of itself."""
    figure, axes = figures.canvas(1, len(results), height=2.8, share_y=True)
    edges = np.linspace(0, 1, 26)
    for axis, result in zip(np.atleast_1d(axes), results):
        width = math.sqrt(result.truth * (1 - result.truth) / SUBSETS)
        axis.axvspan(result.truth - 2 * width, result.truth + 2 * width, color=figures.BAND.color,
                     alpha=0.7, label="claimed: two errors each way")
        look = figures.BOOTSTRAP
        axis.stairs(np.histogram(result.values, edges)[0], edges, fill=True, alpha=0.5,
                    color=look.color, hatch="\\\\\\", label="estimates")
        axis.axvline(result.truth, **figures.OBSERVED.stroke, label="power")
        axis.set(xlabel=f"{LABELS[result.metric]}, {SUBSETS} subsets of {result.size}",
                 xlim=(-0.02, 1.02))
    first = np.atleast_1d(axes)[0]
    first.set_ylabel(f"of {len(results[0].values)} sets of {WHOLE}")
    handles = first.get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=3)
    return figure


# The lab ------------------------------------------------------------------------------------------

LAB_METRICS = tuple(LABELS)
LAB_SIZES = (10, 20, 45, 90)
LAB_HEAD = ["metric", "scores", "gap", "filings that differ", "p", "verdict at 0.05"]


@dataclass(frozen=True, eq=False)
class Judged:
    """A pair under one metric: its set, its randomization cloud, p, and filings that differ."""

    metric: str
    pairs: PairedSet
    cloud: Cloud
    p: float
    differ: int

    @property
    def verdict(self) -> str:
        """Who is ahead at level 0.05, or that nobody is."""
        if self.p > ALPHA:
            return "not significant"
        return f"{self.pairs.names[0 if self.pairs.gap > 0 else 1]} ahead"

    @property
    def cells(self) -> list[str]:
        """The row of the lab's table."""
        return [LABELS[self.metric], f"{self.pairs.score_a:.4f}, {self.pairs.score_b:.4f}",
                f"{self.pairs.gap:+.4f}", str(self.differ), f"{self.p:.4f}", self.verdict]


def subset(size: int, seed: int) -> np.ndarray:
    """A random set of `size` of the 90 filings, sorted; all of them when size is 90."""
    return np.sort(np.random.default_rng([seed, size]).permutation(WHOLE)[:size])


def judged(names: tuple[str, str], metric: str, size: int, seed: int) -> Judged:
    """One pair, one metric, a random test set of the frozen filings: 9,999 swaps."""
    pairs = filings.pair(*names, metric, filings=subset(size, seed))
    # What it warns of is in the table: how many filings differ, and a score of 0.
    cloud = quietly(clouds.randomize, pairs, DRAWS, seed)
    differ = int((pairs.unit_a != pairs.unit_b).any(axis=1).sum())
    return Judged(metric, pairs, cloud, rules.p_randomization(cloud), differ)


@figures.styled
def draw_lab(results: Sequence[Judged]):
    """One randomization cloud per metric, the draws of the p-value filled."""
    figure, axes = figures.canvas(
        1, len(results), height=2.5,
        margins={"left": 0.08, "right": 0.98, "bottom": 0.2, "top": 0.86, "wspace": 0.2})
    for axis, result in zip(axes, results):
        gaps, gap = result.cloud.gaps, result.pairs.gap
        edges = figures.bin_edges(np.append(gaps, [gap, -gap]), 41)
        counted = np.abs(gaps) >= abs(gap) - result.cloud.slack
        figures.tail_histogram(axis, gaps, counted, edges, figures.RANDOMIZATION, "swapped gaps",
                               "counted by p")
        axis.axvline(gap, **figures.OBSERVED.stroke, label="observed")
        axis.set(xlabel=f"{LABELS[result.metric]} gap", yticks=[])
        axis.locator_params(axis="x", nbins=5)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="upper center", ncols=3)
    return figure


def lab_frame(pair: tuple[str, str], first: str, second: str, size: int, seed: int) -> str:
    """The lab's view as HTML: both clouds, both verdicts, and how they stand to each other."""
    results = [judged(pair, metric, size, seed) for metric in (first, second)]
    alt = "Two histograms of swapped gaps with the observed gap. " + " ".join(
        f"{LABELS[r.metric]}: gap {r.pairs.gap:+.4f}, p {r.p:.4f}." for r in results)
    kind = KINDS[agreement(results)]
    caption = f"{' − '.join(pair)}, {size} filings, seed {seed}, {DRAWS:,} swaps: {kind}"
    return figures.image_tag(draw_lab(results), alt) + figures.table(
        LAB_HEAD, [r.cells for r in results], caption)


def agreement(results: Sequence[Judged]) -> int:
    """Place in `KINDS` of two judgements of one pair."""
    signs = [[np.sign(r.pairs.gap) if r.p <= ALPHA else 0] for r in results]
    return int(kinds(np.array(signs, dtype=np.int64))[0])


def case_lab():
    """Choose a pair, two metrics, the size of the test set and its seed; each change tests again."""
    pairs = [(f"{a} − {b}", (a, b)) for a, b in combinations(filings.SYSTEMS, 2)]
    names = [(LABELS[metric], metric) for metric in LAB_METRICS]
    return widgets.experiment(lab_frame, {
        "pair": widgets.choice("pair", pairs, ("flipped", "extract")),
        "first": widgets.choice("one metric", names, "bleu"),
        "second": widgets.choice("another metric", names, "fact-f1"),
        "size": widgets.steps("filings", list(LAB_SIZES), 45),
        "seed": widgets.whole("new test set: seed", 0, 50, 1),
    })


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"pair": ("flipped", "extract"), "first": "bleu", "second": "fact-f1", "size": 45, "seed": 1},
    {"pair": ("flipped", "terse"), "first": "bleu", "second": "fact-f1", "size": 90, "seed": 1},
    {"pair": ("flipped", "terse"), "first": "token-f1", "second": "chrf", "size": 90, "seed": 1},
    {"pair": ("writer", "noisy-0.1"), "first": "bleu", "second": "fact-f1", "size": 20, "seed": 1},
    {"pair": ("writer", "noisy-0.1"), "first": "bleu", "second": "fact-f1", "size": 90, "seed": 1},
)
