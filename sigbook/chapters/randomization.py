"""Chapter 2, randomization is exact: the theorem by enumeration, the price of its details, broken assumptions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np

from sigbook import _checks, figures, rules, widgets
from sigbook.clouds import randomize_stack
from sigbook.experiments import ALPHA, RULES, SIZES, AARow, AATable, Share, aa_row, rejected
from sigbook.pairs import PairedSet

# Exact sizes by enumeration -----------------------------------------------------------------------------

def swapped(statistic: Callable[[PairedSet], float], pairs: PairedSet) -> list[float]:
    """The statistic on all 2^n swaps of the data; entry number e swaps the segments whose bit is set in e."""
    values = []
    for pattern in range(2**pairs.n):
        swap = (pattern >> np.arange(pairs.n) & 1).astype(bool)
        swap = swap[:, None] if pairs.a.ndim == 2 else swap
        values.append(statistic(PairedSet(
            np.where(swap, pairs.b, pairs.a), np.where(swap, pairs.a, pairs.b), pairs.metric)))
    return values


def pattern_name(pattern: int, segments: int) -> str:
    """The bits of a swap pattern, the first segment's on the left."""
    return "".join(str(pattern >> i & 1) for i in range(segments))


def exact_size(values: list[float], draws: int, *, plus_one: bool = True, strict: bool = False) -> list[Fraction]:
    """P(p <= k/(B+1)) for k = 0..B+1, by going through every way the test can come out.

    values: the statistic on each of the 2^n swaps of one data set, numbered so that swapping by e after u is
    number e XOR u. Under the sharp null each u in 0..2^n - 1 is equally likely to be the data that we see,
    and each of the (2^n)^B lists of draws is equally likely: (2^n)^(B+1) cases, all counted. With
    ``plus_one=False`` p is b/B, with ``strict=True`` ties are not counted.
    """
    group = range(len(values))
    cases = Counter()
    for observed in group:
        for patterns in product(group, repeat=draws):
            drawn = [values[pattern ^ observed] for pattern in patterns]
            if strict:
                hits = sum(value > values[observed] for value in drawn)
            else:
                hits = sum(value >= values[observed] for value in drawn)
            cases[Fraction(hits + 1, draws + 1) if plus_one else Fraction(hits, draws)] += 1
    total = len(values) ** (draws + 1)
    return [Fraction(sum(count for p, count in cases.items() if p <= Fraction(k, draws + 1)), total)
            for k in range(draws + 2)]


def largest_excess(sizes: list[Fraction]) -> Fraction:
    """max over k of P(p <= k/(B+1)) - k/(B+1): positive when some level is broken."""
    return max(size - Fraction(k, len(sizes) - 1) for k, size in enumerate(sizes))


def size_without_plus_one(draws: int, alpha: float) -> Fraction:
    """P(b/B <= alpha) when no two of the B + 1 statistics tie: (floor(alpha B) + 1) / (B + 1)."""
    return Fraction(math.floor(Fraction(repr(alpha)) * draws) + 1, draws + 1)


def hoeffding_draws(error: float, failure: float) -> int:
    """Draws that put b/B within `error` of the full-group p-value, but for a chance of `failure`.

    ceil(log(2/failure) / (2 error^2)), from Hoeffding's inequality for a mean of B bits.
    """
    return math.ceil(math.log(2 / failure) / (2 * error**2))


# Assumptions broken -------------------------------------------------------------------------------------

def lopsided(n: int, experiments: int, seed) -> Share:
    """Size of randomization when the systems are equal on average but not exchangeable.

    A beats B by 9 on a tenth of the segments and loses by 1 on the others: the mean difference is 0, its law
    is not symmetric about 0. Two-sided, level 0.05, 999 draws.
    """
    rng = _checks.generator(seed)
    differences = np.where(rng.random((experiments, n)) < 0.1, 9, -1)
    cloud = randomize_stack(differences, np.zeros_like(differences), "mean", 999, rng)
    return rejected(rules.p_randomization(cloud))


def clustered(correlation: float, experiments: int, seed, *, clusters: int = 10, size: int = 10) -> tuple[Share, Share]:
    """Size of randomization by segment and by cluster, when clusters are what is exchangeable.

    Differences are normal with variance 1 and the given correlation within each of `clusters` groups of
    `size` segments; their mean is 0. Two-sided, level 0.05, 999 draws.
    """
    rng = _checks.generator(seed)
    shared = rng.normal(size=(experiments, clusters, 1))
    own = rng.normal(size=(experiments, clusters, size))
    x = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own
    shares = []
    for units in (x.reshape(experiments, -1), x.sum(axis=2)):
        cloud = randomize_stack(units, np.zeros_like(units), "mean", 999, rng)
        shares.append(rejected(rules.p_randomization(cloud)))
    return shares[0], shares[1]


def mixed_bag(seed, *, comparisons: int = 4_000, real: float = 0.1, effect: float = 0.3, n: int = 50) -> dict[str, int]:
    """Comparisons of which a share `real` has a true difference (in sd per segment): what the rejections are.

    Returns counts: true and false rejections, and all comparisons without a difference.
    """
    rng = _checks.generator(seed)
    different = np.arange(comparisons) < real * comparisons
    x = rng.normal(size=(comparisons, n)) + effect * different[:, None]
    rejects = rules.p_randomization(randomize_stack(x, np.zeros_like(x), "mean", 999, rng)) <= 0.05
    return {"false": int((rejects & ~different).sum()), "true": int((rejects & different).sum()),
            "nulls": int((~different).sum())}


def orbit_p_values(values) -> list[Fraction]:
    """For each swap of the data, the share of all swaps whose statistic is at least as large: its full-group p."""
    values = np.asarray(values)
    return [Fraction(int((values >= value).sum()), len(values)) for value in values]


# Figures ------------------------------------------------------------------------------------------------

@figures.styled
def draw_orbit(values: list[float], segments: int):
    """The statistic on all swaps of one data set, in order, with the p-value that each would get as the data."""
    order = np.argsort(values, kind="stable")
    ranked = np.asarray(values)[order]
    figure, axis = figures.canvas(height=2.6)
    look = figures.RANDOMIZATION
    axis.vlines(np.arange(len(ranked)), 0, ranked, **look.stroke)
    axis.plot(np.arange(len(ranked)), ranked, look.marker, color=look.color)
    for place, p in enumerate(orbit_p_values(ranked)):
        axis.annotate(f"p = {p}", (place, ranked[place]), (0, 6), textcoords="offset points", ha="center", fontsize=8.5)
    axis.set_xticks(np.arange(len(ranked)), [pattern_name(pattern, segments) for pattern in order])
    axis.set(xlabel="swap pattern, in order of the statistic", ylabel="|gap|", ylim=(0, 1.2 * ranked[-1]))
    return figure


@figures.styled
def draw_plus_one(draws: np.ndarray, without: np.ndarray, with_one: np.ndarray, alpha: float):
    """Sizes of b/B and (b+1)/(B+1) at level alpha against the number of draws, when nothing ties."""
    figure, axis = figures.canvas(height=2.8)
    for sizes, look, label in ((without, figures.OBSERVED, "b / B"), (with_one, figures.BOOTSTRAP, "(b + 1) / (B + 1)")):
        axis.plot(draws, sizes, look.line, color=look.color, marker=look.marker, markersize=2.5, linewidth=0.8, label=label)
    axis.axhline(alpha, **figures.REFERENCE.stroke, label=f"level {alpha}")
    axis.set(xlabel="number of draws B", ylabel="rejected under the null", ylim=(0, None))
    axis.legend(loc="upper right")
    return figure


@figures.styled
def draw_p_values(row: AARow, chosen: tuple[int, ...] = (0, 6)):
    """Histograms of the A/A p-values of some rules: rejections filled, the band of a uniform law behind."""
    figure, axes = figures.canvas(1, len(chosen), height=2.6, share_y=True)
    for axis, rule in zip(axes, chosen):
        _p_value_axis(axis, row, rule)
        axis.set_title(RULES[rule].label, loc="left")
    axes[0].set(ylabel="share of experiments", ylim=(0, None))
    return figure


@figures.styled
def draw_sizes(table: AATable):
    """Histograms of randomization's p-values, one panel for each size of test set."""
    figure, axes = figures.canvas(1, len(table.rows), width=7.6, height=2.3, share_y=True)
    for axis, row in zip(axes, table.rows):
        _p_value_axis(axis, row, 0)
        axis.set_title(f"{row.prompts} prompts", loc="left")
        axis.set_xlabel("p")
        axis.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
    axes[0].set(ylabel="share", ylim=(0, None))
    return figure


def _p_value_axis(axis, row, rule, bins=20):
    shares = row.histogram(rule, bins) / row.experiments
    edges = np.linspace(0, 1, bins + 1)
    low, high = row.band(1 / bins)
    axis.axhspan(max(low, 0), high, color=figures.BAND.color, alpha=0.5, linewidth=0)
    axis.axhline(1 / bins, **figures.REFERENCE.stroke, linewidth=1)
    look = figures.RANDOMIZATION if RULES[rule].name == "randomization" else figures.BOOTSTRAP
    axis.stairs(shares, edges, color=look.color, linestyle="-", linewidth=1.2)
    axis.stairs(shares[:1], edges[:2], fill=True, facecolor=look.color, alpha=0.6, hatch="\\\\\\", edgecolor=look.color)
    axis.set(xlabel="p-value", xlim=(0, 1))


@figures.styled
def draw_rules(table: AATable, chosen: tuple[int, ...] = (0, 1, 3, 5, 6)):
    """Shares rejected against the number of prompts, one line for each rule, the band behind."""
    figure, axis = figures.canvas(height=3.2)
    places = np.arange(len(table.rows))
    bands = np.array([row.band() for row in table.rows])
    axis.fill_between(places, np.maximum(bands[:, 0], 0), bands[:, 1], color=figures.BAND.color, alpha=0.5, linewidth=0,
                      label="0.05 ± 3 se")
    axis.axhline(ALPHA, **figures.REFERENCE.stroke, linewidth=1)
    shares = table.shares()
    for rule, look in zip(chosen, figures.LOOKS):
        axis.plot(places, shares[rule], **look.stroke, marker=look.marker, label=RULES[rule].label)
    axis.set_xticks(places, [f"{row.prompts}\n({row.experiments:,})" for row in table.rows])
    axis.set(xlabel="prompts in a test set (number of experiments)", ylabel="true nulls rejected", ylim=(0, None))
    axis.legend(loc="upper right", ncols=2)
    return figure


@figures.styled
def draw_lopsided(sizes: list[int], shares: list[Share]):
    """Size of randomization on lopsided differences with mean 0, with 3 standard errors."""
    figure, axis = figures.canvas(height=2.6)
    axis.errorbar(sizes, [s.value for s in shares], [3 * s.error for s in shares], capsize=3, **figures.OBSERVED.stroke,
                  marker=figures.OBSERVED.marker, label="rejected, ± 3 se")
    axis.axhline(ALPHA, **figures.REFERENCE.stroke, label="level 0.05")
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [str(n) for n in sizes])
    axis.set(xlabel="segments", ylabel="equal means rejected", ylim=(0, None))
    axis.legend()
    return figure


# The A/A lab --------------------------------------------------------------------------------------------

LAB_DRAWS = (19, 39, 99, 199)


@figures.styled
def draw_lab(row: AARow, rule: int):
    """One rule's A/A p-values."""
    figure, axis = figures.canvas(height=2.5)
    _p_value_axis(axis, row, rule)
    axis.set(ylabel="share of experiments", ylim=(0, None))
    return figure


def lab_frame(prompts: int, draws: int, rule: int, seed: int) -> str:
    """The lab's view as HTML: the histogram of p-values and the share rejected beside its band."""
    row = aa_row(prompts, draws, seed)
    share, (low, high) = row.shares()[rule], row.band()
    verdict = "above the band" if share > high else "below the band" if share < low else "inside the band"
    alt = (f"Histogram of {row.experiments} p-values in 20 bins, {RULES[rule].label} with {draws} draws, beside the "
           f"band that a uniform law would keep to; the first bin, the rejections, holds {share:.3f} of them.")
    return figures.image_tag(draw_lab(row, rule), alt) + figures.table(
        ["rule", "experiments", "rejected at 0.05", "band", "the share is"],
        [[RULES[rule].label, f"{row.experiments:,}", f"{share:.3f}", f"{max(low, 0):.3f} to {high:.3f}", verdict]],
        f"{prompts} prompts, {draws} draws, seed {seed}")


def aa_lab():
    """The A/A lab: choose the size of the test set, the draws and the rule; every change reruns the experiment."""
    return widgets.experiment(lab_frame, {
        "prompts": widgets.steps("prompts", list(SIZES), 10),
        "draws": widgets.steps("draws B", list(LAB_DRAWS), 99),
        "rule": widgets.choice("rule", [(rule.label, k) for k, rule in enumerate(RULES)], 0),
        "seed": widgets.whole("new draws: seed", 0, 50, 0),
    })


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"prompts": 10, "draws": 99, "rule": 0, "seed": 0},
    {"prompts": 10, "draws": 19, "rule": 0, "seed": 0},
    {"prompts": 10, "draws": 99, "rule": 6, "seed": 0},
    {"prompts": 188, "draws": 99, "rule": 6, "seed": 0},
)
