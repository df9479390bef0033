"""Chapter 9, power: exact power of McNemar's test, sample sizes, equivalence, what breaks them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np

from sigbook import _checks, figures, widgets
from sigbook.equivalence import Equivalence
from sigbook.experiments import ALPHA, Share
from sigbook.mcnemar import mcnemar, mcnemar_power, mcnemar_sample_size

TARGET = 0.8

# Exact power in fractions ------------------------------------------------------------------------


def exact_p(n10: int, n01: int) -> Fraction:
    """McNemar's exact two-sided p-value as a fraction."""
    n_d = n10 + n01
    tail = sum(math.comb(n_d, k) for k in range(min(n10, n01) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**n_d))


def power_by_segments(n: int, p10: Fraction, p01: Fraction, alpha: Fraction) -> Fraction:
    """Power by going through all 3^n test sets: each segment goes to A, to B, or to neither."""
    power = Fraction(0)
    for outcome in product("ab-", repeat=n):
        n10, n01 = outcome.count("a"), outcome.count("b")
        if exact_p(n10, n01) <= alpha:
            power += p10**n10 * p01**n01 * (1 - p10 - p01) ** (n - n10 - n01)
    return power


def power_by_counts(n: int, p10: Fraction, p01: Fraction, alpha: Fraction) -> Fraction:
    """Power by going through all counts (n10, n01), each with its multinomial probability."""
    power = Fraction(0)
    for n10 in range(n + 1):
        for n01 in range(n - n10 + 1):
            if exact_p(n10, n01) <= alpha:
                ways = math.comb(n, n10) * math.comb(n - n10, n01)
                power += ways * p10**n10 * p01**n01 * (1 - p10 - p01) ** (n - n10 - n01)
    return power


def power_by_formula(n: int, p10: Fraction, p01: Fraction, alpha: Fraction) -> Fraction:
    """The sum of Proposition 4 (a): over n_d, then over both tails of the wins."""
    p_d = p10 + p01
    lean, power = p10 / p_d, Fraction(0)
    for k in range(n + 1):
        a = most_losses(k, alpha)
        tails = sum(
            math.comb(k, j) * (lean ** (k - j) * (1 - lean) ** j + lean**j * (1 - lean) ** (k - j))
            for j in range(a + 1)
        )
        power += math.comb(n, k) * p_d**k * (1 - p_d) ** (n - k) * tails
    return power


def most_losses(k: int, alpha: Fraction) -> int:
    """The largest smaller count with which k discordant segments still reject; -1 if none does."""
    a = -1
    while 2 * (a + 1) <= k and exact_p(k - a - 1, a + 1) <= alpha:
        a += 1
    return a


# Power by simulation, by approximation, and what a test set can detect ---------------------------


@lru_cache(maxsize=8)
def critical_counts(most: int, alpha: float = ALPHA) -> np.ndarray:
    """`most_losses` for k = 0..most, (most + 1,) int64, for an alpha that no tail meets exactly.

    A tail of Bin(k, 1/2) is a whole number over 2^k; alpha / 2 = 0.025 is none for any k.
    """
    from scipy.stats import binom

    k = np.arange(most + 1)
    counts = binom.ppf(alpha / 2, k, 0.5).astype(np.int64) - 1
    counts.flags.writeable = False
    return counts


def rejects(n10: np.ndarray, n01: np.ndarray, alpha: float = ALPHA) -> np.ndarray:
    """Whether McNemar's exact test rejects, for arrays of counts."""
    n_d = n10 + n01
    return np.minimum(n10, n01) <= critical_counts(int(n_d.max()), alpha)[n_d]


def draw_counts(
    n: int, p10: float, p01: float, experiments: int, seed
) -> tuple[np.ndarray, np.ndarray]:
    """n10 and n01 of `experiments` test sets of n independent segments: two (E,) arrays."""
    rng = _checks.generator(seed)
    counts = rng.multinomial(n, [p10, p01, 1 - p10 - p01], size=experiments)
    return counts[:, 0], counts[:, 1]


def share(hits: np.ndarray) -> Share:
    """The share of true entries."""
    return Share(float(np.mean(hits)), len(hits))


def simulated_power(
    n: int, p10: float, p01: float, experiments: int, seed, alpha: float = ALPHA
) -> Share:
    """The share of simulated test sets on which McNemar's exact test rejects."""
    return share(rejects(*draw_counts(n, p10, p01, experiments, seed), alpha))


def normal_power(n: float, p10: float, p01: float, alpha: float = ALPHA) -> float:
    """Power in the normal approximation behind Connor's formula, Proposition 4 (b)."""
    from scipy.special import ndtr, ndtri

    p_d, gap = p10 + p01, abs(p10 - p01)
    distance = math.sqrt(n) * gap - ndtri(1 - alpha / 2) * math.sqrt(p_d)
    return float(ndtr(distance / math.sqrt(p_d - gap**2)))


def split(p_d: float, gap: float) -> tuple[float, float]:
    """(p10, p01) with this sum and this difference."""
    return (p_d + gap) / 2, (p_d - gap) / 2


def power_at(n: int, p_d: float, gaps: np.ndarray, alpha: float = ALPHA) -> np.ndarray:
    """Exact power at each gap, the share of discordant segments being held at p_d."""
    return np.array([mcnemar_power(n, *split(p_d, gap), alpha) for gap in gaps])


def power_over(sizes: np.ndarray, p10: float, p01: float, alpha: float = ALPHA) -> np.ndarray:
    """Exact power at each number of segments."""
    return np.array([mcnemar_power(int(n), p10, p01, alpha) for n in sizes])


def detectable_gap(n: int, p_d: float, power: float = TARGET, alpha: float = ALPHA) -> float:
    """The smallest gap that the exact test finds with this power, to within 1e-5; nan if none.

    By bisection over 0 <= gap <= p_d, where the power does not decrease (the lemma on its rise).
    """
    low, high = 0.0, p_d
    if mcnemar_power(n, p_d, 0.0, alpha) < power:
        return math.nan
    while high - low > 1e-5:
        middle = (low + high) / 2
        if mcnemar_power(n, *split(p_d, middle), alpha) < power:
            low = middle
        else:
            high = middle
    return high


def mean_sample_size(
    variance: float, gap: float, power: float = TARGET, alpha: float = ALPHA
) -> int:
    """Segments for a two-sided normal test of a mean difference with this variance, rounded up."""
    from scipy.special import ndtri

    return math.ceil((ndtri(1 - alpha / 2) + ndtri(power)) ** 2 * variance / gap**2)


# Power at the observed gap -----------------------------------------------------------------------


def power_from_p(p, alpha: float = ALPHA):
    """Power at the observed gap as a function of the two-sided p-value, in the normal limit."""
    from scipy.special import ndtr, ndtri

    z, edge = -ndtri(np.asarray(p) / 2), ndtri(1 - alpha / 2)
    return ndtr(z - edge) + ndtr(-z - edge)


@dataclass(frozen=True, eq=False)
class Observed:
    """Test sets drawn from one truth: each one's p and power at its observed gap, (E,)."""

    n: int
    true_power: float
    p: np.ndarray
    power: np.ndarray


def observed_power(n: int, p10: float, p01: float, experiments: int, seed) -> Observed:
    """Draw test sets and compute the exact test's power at each one's observed shares."""
    n10, n01 = draw_counts(n, p10, p01, experiments, seed)
    p = [mcnemar(int(a), int(b)) for a, b in zip(n10, n01)]
    power = [mcnemar_power(n, a / n, b / n) for a, b in zip(n10, n01)]
    return Observed(n, mcnemar_power(n, p10, p01), np.array(p), np.array(power))


# Effect size and equivalence ---------------------------------------------------------------------


def cohen_d(differences: np.ndarray) -> float:
    """Mean over standard deviation (n - 1) of paired differences."""
    return float(np.mean(differences) / np.std(differences, ddof=1))


def t_p_value(differences: np.ndarray) -> float:
    """Two-sided p-value of the paired t test."""
    from scipy.special import stdtr

    n = len(differences)
    return float(2 * stdtr(n - 1, -abs(cohen_d(differences)) * math.sqrt(n)))


def with_moments(mean: float, sd: float, n: int, seed=0) -> np.ndarray:
    """n numbers with exactly this mean and standard deviation, but for rounding."""
    x = _checks.generator(seed).normal(size=n)
    return mean + sd * (x - x.mean()) / x.std(ddof=1)


def with_interval(low: float, high: float, n: int, alpha: float = ALPHA) -> np.ndarray:
    """n differences whose 1 - 2 alpha t interval is [low, high]."""
    from scipy.special import stdtrit

    reach = (high - low) / 2
    return with_moments((low + high) / 2, reach * math.sqrt(n) / stdtrit(n - 1, 1 - alpha), n)


def outcomes(n: int, n10: int, n01: int) -> np.ndarray:
    """Per-segment differences of two right-or-wrong systems: 1, -1 and 0, (n,)."""
    return np.repeat([1.0, -1.0, 0.0], [n10, n01, n - n10 - n01])


def tost_share(
    n: int, gap: float, margin: float, experiments: int, seed, alpha: float = ALPHA
) -> Share:
    """How often TOST with margins ±margin declares equivalence: normal differences of sd 1."""
    from scipy.special import stdtrit

    x = _checks.generator(seed).normal(gap, 1.0, size=(experiments, n))
    reach = stdtrit(n - 1, 1 - alpha) * x.std(axis=1, ddof=1) / math.sqrt(n)
    mean = x.mean(axis=1)
    return share((mean - reach >= -margin) & (mean + reach <= margin))


def tost_power(n, gap, margin: float, sd: float = 1.0, alpha: float = ALPHA):
    """TOST's power for a normal mean with known sd: P(both one-sided tests reject)."""
    from scipy.special import ndtr, ndtri

    scale, edge = np.sqrt(n) / sd, ndtri(1 - alpha)
    return np.maximum(
        0.0, ndtr((margin - gap) * scale - edge) - ndtr(-(margin + gap) * scale + edge)
    )


def equivalence_sample_size(
    variance: float, margin: float, power: float = TARGET, alpha: float = ALPHA
) -> int:
    """Segments with which TOST finds two equal systems equivalent, normal approximation."""
    from scipy.special import ndtri

    return math.ceil((ndtri(1 - alpha) + ndtri((1 + power) / 2)) ** 2 * variance / margin**2)


# Assumptions broken ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clustered:
    """What two tests do on documents that lean: shares rejected with and without a gap.

    design_effect: variance of the gap over that of independent segments. planned: the exact power
    that is promised for n independent segments. effective: the normal approximation to the power at
    n / design_effect.
    """

    design_effect: float
    planned: float
    effective: float
    by_segment_null: Share
    by_document_null: Share
    by_segment: Share
    by_document: Share


def clustered(
    lean: float,
    experiments: int,
    seed,
    *,
    documents: int = 75,
    size: int = 20,
    p_d: float = 0.2,
    gap: float = 0.03,
) -> Clustered:
    """Documents of `size` segments; in each, a discordant segment is A's with a chance of its own.

    That chance is (1 + gap / p_d) / 2 plus or minus `lean`, by a fair coin per document. McNemar's
    exact test by segment, and a two-sided t test on the documents' net wins.
    """
    from scipy.special import stdtrit

    rng, n = _checks.generator(seed), documents * size
    shares = []
    for delta in (0.0, gap):
        chance = (1 + delta / p_d) / 2 + lean * rng.choice(
            [-1.0, 1.0], size=(experiments, documents)
        )
        n_d = rng.binomial(size, p_d, size=chance.shape)
        n10 = rng.binomial(n_d, chance)
        net = 2 * n10 - n_d
        t = net.mean(axis=1) / (net.std(axis=1, ddof=1) / math.sqrt(documents))
        shares.append(share(rejects(n10.sum(axis=1), (n_d - n10).sum(axis=1))))
        shares.append(share(np.abs(t) >= stdtrit(documents - 1, 1 - ALPHA / 2)))
    correlation = (2 * lean * p_d) ** 2 / (p_d - gap**2)
    effect = 1 + (size - 1) * correlation
    planned, effective = (
        mcnemar_power(n, *split(p_d, gap)),
        normal_power(n / effect, *split(p_d, gap)),
    )
    return Clustered(effect, planned, effective, *shares)


def peeking(looks: int, experiments: int, seed, *, n: int = 1_500, p_d: float = 0.14) -> Share:
    """False alarms of testing two equal systems after every n / looks segments, until p <= 0.05."""
    rng = _checks.generator(seed)
    counts = rng.multinomial(
        n // looks, [*split(p_d, 0.0), 1 - p_d], size=(experiments, looks)
    ).cumsum(axis=1)
    return share(rejects(counts[..., 0], counts[..., 1]).any(axis=1))


@dataclass(frozen=True, eq=False)
class Gaps:
    """Observed gaps of many test sets (E,) and which of them are significant, with the true gap."""

    truth: float
    gaps: np.ndarray
    significant: np.ndarray

    @property
    def power(self) -> Share:
        return share(self.significant)

    @property
    def exaggeration(self) -> tuple[float, float]:
        """Mean size of a significant gap over the true gap, and its standard error."""
        ratio = np.abs(self.gaps[self.significant]) / self.truth
        return float(ratio.mean()), float(ratio.std(ddof=1) / math.sqrt(len(ratio)))

    @property
    def wrong_way(self) -> Share:
        """Share of the significant gaps that point to the worse system."""
        return share(self.gaps[self.significant] < 0)


def significant_gaps(n: int, p_d: float, gap: float, experiments: int, seed) -> Gaps:
    """Draw test sets whose true gap is `gap` > 0 and test each."""
    n10, n01 = draw_counts(n, *split(p_d, gap), experiments, seed)
    return Gaps(gap, (n10 - n01) / n, rejects(n10, n01))


# Figures -----------------------------------------------------------------------------------------


@figures.styled
def draw_reach(gaps: np.ndarray, power: np.ndarray, observed: float, detectable: float):
    """Power of one test set against the true gap, with the observed and the detectable gap."""
    figure, axis = figures.canvas(height=2.9)
    look = figures.BOOTSTRAP
    axis.plot(100 * gaps, power, look.line, color=look.color, label="power of this test set")
    axis.axhline(TARGET, **figures.REFERENCE.stroke, linewidth=1, label=f"power {TARGET}")
    for gap, mark, label in (
        (observed, figures.OBSERVED, "observed gap"),
        (detectable, figures.RANDOMIZATION, "detectable gap"),
    ):
        value = np.interp(gap, gaps, power)
        axis.vlines(100 * gap, 0, value, **mark.stroke)
        axis.plot(100 * gap, value, mark.marker, color=mark.color, label=label)
    axis.set(
        xlabel="true gap, percentage points",
        ylabel="chance of p ≤ 0.05",
        ylim=(0, 1.02),
        xlim=(0, 100 * gaps[-1]),
    )
    axis.legend(loc="lower right")
    return figure


@figures.styled
def draw_teeth(panels: list[tuple[np.ndarray, np.ndarray, str]]):
    """Exact power against the number of segments, one panel per pair of cell probabilities."""
    figure, axes = figures.canvas(1, len(panels), height=2.8, share_y=True)
    for axis, (sizes, power, title) in zip(axes, panels):
        below = power < TARGET
        axis.plot(sizes, power, color=figures.BOOTSTRAP.color, linewidth=0.8)
        axis.plot(
            sizes[~below],
            power[~below],
            "o",
            color=figures.BOOTSTRAP.color,
            markersize=3.5,
            label=f"at least {TARGET}",
        )
        axis.plot(
            sizes[below],
            power[below],
            "x",
            color=figures.OBSERVED.color,
            markersize=4.5,
            label="below",
        )
        axis.axhline(TARGET, **figures.REFERENCE.stroke, linewidth=1)
        axis.set_title(title, loc="left")
        axis.set_xlabel("segments n")
    axes[0].set_ylabel("exact power")
    axes[0].legend(loc="lower right")
    return figure


@figures.styled
def draw_agreement(gaps: np.ndarray, curves: list[tuple[float, np.ndarray]], n: int):
    """Power against the true gap for several shares of discordant segments."""
    figure, axis = figures.canvas(height=2.8)
    for (p_d, power), look in zip(curves, figures.LOOKS):
        axis.plot(
            100 * gaps,
            power,
            **look.stroke,
            marker=look.marker,
            markevery=10,
            markersize=4,
            label=f"{1 - p_d:.0%} agreement",
        )
    axis.axhline(TARGET, **figures.REFERENCE.stroke, linewidth=1)
    axis.set(
        xlabel="true gap, percentage points", ylabel=f"power on {n:,} segments", ylim=(0, 1.02)
    )
    axis.legend(loc="lower right")
    return figure


@figures.styled
def draw_observed_power(observed: Observed, p: np.ndarray, limit: np.ndarray):
    """Power at the observed gap against p: a point a test set, the limit, the true power."""
    figure, axis = figures.canvas(height=2.9)
    axis.plot(
        p,
        limit,
        figures.BOOTSTRAP.line,
        color=figures.BOOTSTRAP.color,
        label="function of p (normal limit)",
    )
    axis.plot(
        observed.p,
        observed.power,
        figures.RANDOMIZATION.marker,
        color=figures.RANDOMIZATION.color,
        markersize=3.5,
        alpha=0.6,
        label="one test set each (exact)",
    )
    axis.axhline(observed.true_power, **figures.OBSERVED.stroke, label="true power of all of them")
    axis.axvline(ALPHA, **figures.REFERENCE.stroke, linewidth=1)
    axis.set(
        xlabel="p-value of the test set",
        ylabel="power at its observed gap",
        xlim=(0, 1),
        ylim=(0, 1.02),
    )
    axis.legend(loc="center right")
    return figure


@figures.styled
def draw_intervals(rows: list[tuple[str, Equivalence, tuple[float, float]]]):
    """Intervals against margins, in units of the margin: thick 1 - 2 alpha, thin 1 - alpha."""
    figure, axis = figures.canvas(height=0.45 * len(rows) + 0.9)
    axis.axvspan(-1, 1, color=figures.BAND.color, alpha=0.4, linewidth=0)
    for edge in (-1, 1):
        axis.axvline(edge, color=figures.REFERENCE.color, linestyle="-", linewidth=1)
    axis.axvline(0, **figures.REFERENCE.stroke, linewidth=1)
    for place, (_, result, wide) in enumerate(rows):
        look = figures.BOOTSTRAP if result.equivalent else figures.OBSERVED
        axis.hlines(
            place, wide[0] / result.high, wide[1] / result.high, color=look.color, linewidth=1.2
        )
        axis.hlines(
            place,
            result.interval[0] / result.high,
            result.interval[1] / result.high,
            color=look.color,
            linewidth=4,
        )
        axis.plot(
            result.mean / result.high,
            place,
            look.marker,
            color="white",
            markeredgecolor=look.color,
            markersize=6,
        )
    axis.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axis.set(xlabel="difference, in margins", ylim=(len(rows) - 0.5, -0.5))
    return figure


@figures.styled
def draw_tost(
    gaps: np.ndarray,
    curves: list[tuple[int, np.ndarray]],
    places: np.ndarray,
    shares: list[list[Share]],
):
    """How often TOST declares equivalence, over the true gap: lines by formula, points measured."""
    figure, axis = figures.canvas(height=2.9)
    axis.axhline(ALPHA, **figures.REFERENCE.stroke, linewidth=1)
    for edge in (-1, 1):
        axis.axvline(edge, color=figures.REFERENCE.color, linestyle="-", linewidth=1)
    for (n, power), measured, look in zip(curves, shares, figures.LOOKS):
        axis.plot(gaps, power, **look.stroke, label=f"n = {n:,}")
        axis.errorbar(
            places,
            [s.value for s in measured],
            [3 * s.error for s in measured],
            linestyle="none",
            marker=look.marker,
            markersize=4,
            color=look.color,
            capsize=2,
        )
    axis.set(xlabel="true difference, in margins", ylabel="declared equivalent", ylim=(0, 1.02))
    axis.legend(loc="upper right")
    return figure


@figures.styled
def draw_curse(results: list[Gaps], edges: np.ndarray):
    """Observed gaps of many test sets, the significant ones filled, one panel per true gap."""
    figure, axes = figures.canvas(1, len(results), height=2.6, share_y=True)
    for axis, result in zip(axes, results):
        figures.tail_histogram(
            axis,
            100 * result.gaps,
            result.significant,
            100 * edges,
            figures.BOOTSTRAP,
            "all",
            "significant",
        )
        axis.axvline(100 * result.truth, **figures.OBSERVED.stroke, label="true gap")
        axis.set(xlabel="observed gap, points", yticks=[])
        axis.set_title(f"true gap {100 * result.truth:g} points", loc="left")
    axes[0].set_ylabel("test sets")
    axes[0].legend(loc="upper left", fontsize=7.5)
    return figure


# The power lab -----------------------------------------------------------------------------------

LAB_SIZES = (50, 100, 200, 300, 500, 1_000, 1_500, 3_000, 10_000, 20_000)
LAB_ALPHAS = (0.01, 0.05, 0.1)
LAB_POINTS = 24


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned test: power over sizes around n, power at n, and what it means in counts.

    expected: rounded expected counts; p: their exact p-value; connor: 0 when there is no gap.
    """

    n: int
    alpha: float
    sizes: np.ndarray
    curve: np.ndarray
    power: float
    expected: tuple[int, int]
    p: float
    connor: int
    detectable: float


def plan(p10: float, p01: float, n: int, alpha: float = ALPHA) -> Plan:
    """Everything that the lab shows for one setting."""
    sizes = np.unique(np.geomspace(max(5, n / 8), 4 * n, LAB_POINTS).astype(int))
    expected = (round(n * p10), round(n * p01))
    connor = 0 if p10 == p01 else mcnemar_sample_size(p10, p01, TARGET, alpha)
    return Plan(
        n,
        alpha,
        sizes,
        power_over(sizes, p10, p01, alpha),
        mcnemar_power(n, p10, p01, alpha),
        expected,
        mcnemar(*expected),
        connor,
        detectable_gap(n, p10 + p01, TARGET, alpha),
    )


@figures.styled
def draw_plan(result: Plan):
    """The power curve of a plan with the chosen size on it."""
    figure, axis = figures.canvas(
        height=2.6, margins={"left": 0.1, "right": 0.98, "bottom": 0.2, "top": 0.96}
    )
    look, mark = figures.BOOTSTRAP, figures.OBSERVED
    axis.plot(result.sizes, result.curve, look.line, color=look.color, label="exact power")
    axis.axhline(TARGET, **figures.REFERENCE.stroke, linewidth=1, label=f"power {TARGET}")
    axis.vlines(result.n, 0, result.power, **mark.stroke)
    axis.plot(result.n, result.power, mark.marker, color=mark.color, label="chosen size")
    axis.set(xscale="log", xlabel="segments n", ylabel="power", ylim=(0, 1.02))
    ticks = [result.n // 4, result.n, 4 * result.n]
    axis.set_xticks(ticks, [f"{n:,}" for n in ticks])
    axis.set_xticks([], minor=True)
    axis.legend(loc="best")
    return figure


def plan_cells(result: Plan) -> list[str]:
    """The plan's numbers as the lab's table shows them."""
    return [
        f"{result.power:.4f}",
        f"{result.expected[0]} / {result.expected[1]}",
        f"{result.p:.2g}",
        f"{result.connor:,}" if result.connor else "none is enough",
        "none" if math.isnan(result.detectable) else f"{result.detectable:.4f}",
    ]


PLAN_HEAD = [
    "power",
    "expected counts",
    "their exact p",
    f"segments for power {TARGET}",
    "detectable gap",
]


def lab_frame(p10: float, p01: float, n: int, alpha: float) -> str:
    """The lab's view as HTML: the power curve with the chosen size, and the plan's numbers."""
    result = plan(p10, p01, n, alpha)
    alt = (
        f"Curve of exact power over the number of segments; at {n} segments, the marked point, "
        f"it is {result.power:.4f}."
    )
    return figures.image_tag(draw_plan(result), alt) + figures.table(
        PLAN_HEAD,
        [plan_cells(result)],
        f"p10 = {p10:.3f}, p01 = {p01:.3f}, n = {n:,}, alpha = {alpha:g}",
    )


def power_lab():
    """The power lab: choose both cell probabilities, size and level; every change recomputes."""
    return widgets.experiment(
        lab_frame,
        {
            "p10": widgets.real("only A right: p10", 0.005, 0.5, 0.08, 0.005, ".3f"),
            "p01": widgets.real("only B right: p01", 0.005, 0.5, 0.06, 0.005, ".3f"),
            "n": widgets.steps("segments n", list(LAB_SIZES), 1_500),
            "alpha": widgets.choice(
                "level alpha", [(f"{alpha:g}", alpha) for alpha in LAB_ALPHAS], 0.05
            ),
        },
    )


# Settings of the lab that a lecture steps through: one gap at two sizes, at another level, between systems that
# part more often; then no gap.
LECTURE = (
    {"p10": 0.08, "p01": 0.06, "n": 1_500, "alpha": 0.05},
    {"p10": 0.08, "p01": 0.06, "n": 3_000, "alpha": 0.05},
    {"p10": 0.08, "p01": 0.06, "n": 1_500, "alpha": 0.01},
    {"p10": 0.16, "p01": 0.14, "n": 1_500, "alpha": 0.05},
    {"p10": 0.07, "p01": 0.07, "n": 1_500, "alpha": 0.05},
)
