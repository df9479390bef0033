"""Chapter 4, one cloud, several verdicts: the bootstrap's rules on the same draws, and what each inverts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from sigbook import _checks, figures, rules, widgets
from sigbook.clouds import Cloud, bootstrap, bootstrap_stack, randomize
from sigbook.experiments import RULES, Share, bootstrap_p_values, rejected
from sigbook.pairs import PairedSet

# Segment differences of the two worked examples, in hundredths.
TEN = (3, 3, 5, 2, -2, 4, 2, 3, -3, 4)
EIGHT = (4, 5, -9, 13, 8, -5, 6, -2)


# Exact laws ---------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Law:
    """The exact law of the sum of n draws with replacement from n whole numbers: sum -> number of draws lists."""

    counts: dict[int, int]
    total: int

    def probability(self, event) -> Fraction:
        """P(event(sum)) for a function from a sum to True or False."""
        return Fraction(sum(count for value, count in self.counts.items() if event(value)), self.total)


def resample_law(differences: tuple[int, ...]) -> Law:
    """The law of a resample's sum: all n^n lists of draws, counted by adding one draw at a time."""
    counts = {0: 1}
    for _ in differences:
        longer: dict[int, int] = {}
        for value, count in counts.items():
            for step in differences:
                longer[value + step] = longer.get(value + step, 0) + count
        counts = longer
    return Law(counts, len(differences) ** len(differences))


@dataclass(frozen=True)
class ExactVerdicts:
    """p-values of the bootstrap's rules without any draws, and of the full swap group, as fractions."""

    koehn: Fraction
    recentered: Fraction
    centered: Fraction
    randomization: Fraction


def exact_verdicts(differences: tuple[int, ...]) -> ExactVerdicts:
    """Koehn's, the 2δ and the two-sided centred p-value from all n^n resamples, and from all 2^n swaps.

    For whole-number differences with a positive sum.
    """
    observed, law = sum(differences), resample_law(differences)
    swaps = [sum(sign * d for sign, d in zip(signs, differences)) for signs in product((1, -1), repeat=len(differences))]
    return ExactVerdicts(
        law.probability(lambda s: s <= 0),
        law.probability(lambda s: s >= 2 * observed),
        law.probability(lambda s: abs(s - observed) >= observed),
        Fraction(sum(abs(s) >= observed for s in swaps), len(swaps)))


def centered_quantile(differences: tuple[int, ...], level: float = 0.95) -> Fraction:
    """The smallest mean c with P(|mean of the centred resample| <= c) >= level, in the differences' units."""
    observed, law, n = sum(differences), resample_law(differences), len(differences)
    sizes: dict[int, int] = {}
    for value, count in law.counts.items():
        sizes[abs(value - observed)] = sizes.get(abs(value - observed), 0) + count
    reached = 0
    for size in sorted(sizes):
        reached += sizes[size]
        if Fraction(reached, law.total) >= Fraction(repr(level)):
            return Fraction(size, n)
    raise AssertionError("the sizes sum to the total")


def check_inversions(seed, clouds: int = 60) -> dict[str, object]:
    """Propositions on rules and intervals, counted on whole-number clouds at every level that matters.

    The clouds are all resamples of two and three differences, random lists with ties, and symmetric lists.
    p_K, p_2δ and p_s change only where the level passes a multiple of 1/B or 1/(B+1), so all of those levels
    and one between each two are tried, as fractions. Returns how many clouds and cases were tried and the
    counter-examples to (a), (b), (c) and the symmetric interval.
    """
    rng = _checks.generator(seed)
    failures, cases, tried = [0, 0, 0, 0], 0, 0
    for number in range(clouds):
        n = int(rng.integers(2, 4))
        differences = rng.integers(-3, 5, n)
        observed = int(differences.sum())
        if number % 3 == 0:
            gaps = [sum(draw) for draw in product(differences.tolist(), repeat=n)]
        elif number % 3 == 1:
            gaps = rng.integers(-4, 6, int(rng.integers(1, 28))).tolist()
        else:
            half = rng.integers(-4, 6, int(rng.integers(1, 13))).tolist()
            gaps = half + [2 * observed - gap for gap in half]
        ordered, draws = sorted(gaps), len(gaps)
        koehn = Fraction(sum(gap <= 0 for gap in gaps), draws)
        recentered = Fraction(sum(gap >= 2 * observed for gap in gaps), draws)
        distances = sorted((abs(gap - observed) for gap in gaps), reverse=True)
        shifted = Fraction(1 + sum(distance >= abs(observed) for distance in distances), draws + 1)
        symmetric = ordered == sorted(2 * observed - gap for gap in gaps)
        failures[2] += symmetric and koehn != recentered
        corners = {Fraction(k, size) for size in (draws, draws + 1) for k in range(size + 1)}
        levels = corners | {(low + high) / 2 for low, high in zip(sorted(corners), sorted(corners)[1:])}
        for alpha in levels - {0, 1}:
            k = math.floor(alpha * draws)
            failures[0] += (koehn <= alpha) != (ordered[k] > 0)
            failures[1] += (recentered <= alpha) != (2 * observed - ordered[draws - k - 1] > 0)
            k = math.floor(alpha * (draws + 1))
            failures[3] += (shifted <= alpha) != (k >= 1 and abs(observed) > distances[k - 1])
            cases += 1
        tried += 1
    return {"clouds": tried, "cases": cases, "failures": failures}


# sacreBLEU's rule in the normal limit -------------------------------------------------------------------

def sacrebleu_limit_p(z):
    """p(z) = Φ(-m) + Φ(-2z - m), m = z(2Φ(z) - 1) + 2φ(z): the rule's p-value for a normal cloud, z = |gap|/sd."""
    from scipy.stats import norm

    z = np.abs(z)
    m = z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z)
    return norm.cdf(-m) + norm.cdf(-2 * z - m)


def sacrebleu_limit_critical(alpha: float) -> float:
    """The z at which p(z) = alpha: the rule rejects beyond it."""
    from scipy.optimize import brentq

    return float(brentq(lambda z: sacrebleu_limit_p(z) - alpha, 0, 10, xtol=1e-12))


def sacrebleu_limit_size(alpha: float) -> float:
    """P(|Z| > critical value) for a standard normal Z: the rule's size in the limit."""
    from scipy.stats import norm

    return float(2 * norm.cdf(-sacrebleu_limit_critical(alpha)))


def normal_means(n: int, experiments: int, draws: int, seed) -> dict[str, Share]:
    """Rejections of true nulls at 0.05 for means of n normal differences, by every bootstrap rule."""
    rng = _checks.generator(seed)
    x = rng.normal(size=(experiments, n))
    return _shares(x, draws, rng)


def skewed_means(n: int, experiments: int, draws: int, seed) -> dict[str, Share]:
    """The same for differences that are exponential minus 1: mean 0, long tail on the winning side."""
    rng = _checks.generator(seed)
    x = rng.exponential(size=(experiments, n)) - 1
    return _shares(x, draws, rng)


def _shares(x, draws, rng):
    cloud = bootstrap_stack(x, np.zeros_like(x), "mean", draws, rng)
    p = bootstrap_p_values(cloud)
    shares = {rule.label: rejected(values) for rule, values in zip(RULES[1:], p)}
    shares["Koehn (B better)"] = rejected(rules.p_koehn(cloud, "less"))
    shares["2δ (B better)"] = rejected(rules.p_recentered(cloud, "less"))
    return shares


# One cloud, all rules -----------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Verdicts:
    """One bootstrap cloud with the p-value of each rule, and randomization's beside them.

    `counted` says for each bootstrap rule which draws its p-value counts, bool (B,).
    """

    cloud: Cloud
    p: dict[str, float]
    counted: dict[str, np.ndarray]


def verdicts(pairs: PairedSet, draws: int = 9_999, seed=0) -> Verdicts:
    """Every rule on one bootstrap cloud; one-sided rules for "A is better"."""
    rng = _checks.generator(seed)
    cloud, swaps = bootstrap(pairs, draws, rng), randomize(pairs, draws, rng)
    gaps, observed, slack = cloud.gaps, cloud.observed, cloud.slack
    size = np.abs(gaps)
    return Verdicts(
        cloud,
        {"Koehn (A better)": rules.p_koehn(cloud), "2δ (A better)": rules.p_recentered(cloud),
         "shifted (two-sided)": rules.p_shifted(cloud), "sacreBLEU (two-sided)": rules.p_sacrebleu(cloud),
         "randomization (two-sided)": rules.p_randomization(swaps)},
        {"Koehn (A better)": gaps <= slack,
         "2δ (A better)": gaps >= 2 * observed - slack,
         "shifted (two-sided)": np.abs(gaps - observed) >= abs(observed) - slack,
         "sacreBLEU (two-sided)": size - size.mean() > abs(observed)})


def mean_pairs(hundredths: tuple[int, ...]) -> PairedSet:
    """A paired set whose segment differences are the given hundredths."""
    return PairedSet(np.array(hundredths), np.zeros(len(hundredths), dtype=int), "mean")


@dataclass(frozen=True)
class Sample:
    """What the lab draws: n differences of a given skewness whose mean is `gap` standard errors above 0."""

    skewness: float
    n: int
    gap: float
    seed: int


def sample(settings: Sample) -> PairedSet:
    """Gamma differences, standardised so that their mean is exactly gap/sqrt(n) and their sd exactly 1."""
    rng = _checks.generator(settings.seed)
    if settings.skewness == 0:
        x = rng.normal(size=settings.n)
    else:
        shape = (2 / settings.skewness) ** 2
        x = math.copysign(1, settings.skewness) * rng.gamma(shape, size=settings.n)
    x = (x - x.mean()) / x.std() + settings.gap / math.sqrt(settings.n)
    return PairedSet(x, np.zeros(settings.n), "mean")


# Figures ------------------------------------------------------------------------------------------------

@figures.styled
def draw_rules(result: Verdicts):
    """One bootstrap cloud four times, each time with the draws filled that one rule counts."""
    figure, axes = figures.canvas(
        2, 2, height=4.2, share_x=True, share_y=True,
        margins={"left": 0.09, "right": 0.985, "top": 0.94, "bottom": 0.11, "hspace": 0.25, "wspace": 0.08})
    gaps, observed = result.cloud.gaps, result.cloud.observed
    edges = figures.bin_edges(gaps, 41)
    for axis, (rule, counted) in zip(axes.flat, result.counted.items()):
        figures.tail_histogram(axis, gaps, counted, edges, figures.BOOTSTRAP, "gaps", "counted")
        axis.axvline(observed, **figures.OBSERVED.stroke)
        axis.axvline(0, **figures.REFERENCE.stroke)
        axis.set_title(f"{rule}: p = {result.p[rule]:.4f}", loc="left", y=1.0)
    for axis in axes[1]:
        axis.set_xlabel("gap of a resample")
    for axis in axes[:, 0]:
        axis.set_ylabel("draws")
    return figure


@figures.styled
def draw_sacrebleu_limit(z: np.ndarray, p: np.ndarray, two_sided: np.ndarray, critical: float):
    """sacreBLEU's p-value in the normal limit against z, with the two-sided normal p-value beside it."""
    figure, axis = figures.canvas(height=2.8)
    axis.plot(z, p, figures.OBSERVED.line, color=figures.OBSERVED.color, label="sacreBLEU's rule")
    axis.plot(z, two_sided, figures.BOOTSTRAP.line, color=figures.BOOTSTRAP.color, label="two-sided normal p")
    axis.axhline(0.05, **figures.REFERENCE.stroke, label="level 0.05")
    axis.vlines(critical, 0, 0.05, color=figures.OBSERVED.color, linewidth=1)
    axis.set(xlabel="z = |gap| / sd", ylabel="p-value", xlim=(0, z[-1]), ylim=(0, 1))
    axis.legend()
    return figure


@figures.styled
def draw_two_laws(differences: tuple[int, ...], law: Law, observed: int):
    """The exact law of the centred resample mean in hundredths, the part beyond the observed mean filled."""
    figure, axis = figures.canvas(height=2.6)
    sums = np.array(sorted(law.counts))
    shares = np.array([law.counts[value] / law.total for value in sums.tolist()])
    means = (sums - observed) / len(differences)
    beyond = np.abs(sums - observed) >= abs(observed)
    look = figures.BOOTSTRAP
    axis.bar(means, shares, width=1 / len(differences), color="white", edgecolor=look.color, linewidth=0.5)
    axis.bar(means[beyond], shares[beyond], width=1 / len(differences), color=look.color, alpha=0.6, hatch="\\\\\\",
             edgecolor=look.color, linewidth=0.5)
    axis.set(xlabel="mean of a centred resample, in hundredths", ylabel="probability")
    return figure


# The lab ------------------------------------------------------------------------------------------------

LAB_DRAWS = 1_999


def lab_frame(skewness: float, n: int, gap: float, seed: int) -> str:
    """The lab's view: one cloud under four rules, and all p-values in a table."""
    result = verdicts(sample(Sample(skewness, n, gap, seed)), LAB_DRAWS, seed)
    rejects = sum(p <= 0.05 for p in result.p.values())
    counted = ", ".join(f"{rule} {p:.4f}" for rule, p in result.p.items())
    alt = ("Four copies of one bootstrap histogram, each with the part filled that its rule counts. "
           f"p-values: {counted}; {rejects} of 5 rules reject at level 0.05.")
    return figures.image_tag(draw_rules(result), alt) + figures.table(
        ["rule", "p-value", "at level 0.05"],
        [[rule, f"{p:.4f}", "rejects" if p <= 0.05 else "does not reject"] for rule, p in result.p.items()],
        f"skewness {skewness:g}, {n} segments, gap {gap:g} standard errors, {LAB_DRAWS:,} draws, seed {seed}")


def rules_lab():
    """The rules lab: choose the shape of the differences, their number and the gap; all rules on the same draws."""
    return widgets.experiment(lab_frame, {
        "skewness": widgets.steps("skewness", [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0], 2.0),
        "n": widgets.steps("segments n", [5, 10, 20, 50, 100, 200], 20),
        "gap": widgets.real("gap (in se)", 0.0, 4.0, 1.7, 0.1, ".1f"),
        "seed": widgets.whole("new data: seed", 0, 50, 1),
    })


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"skewness": 2.0, "n": 20, "gap": 1.7, "seed": 1},
    {"skewness": -2.0, "n": 20, "gap": 1.7, "seed": 1},
    {"skewness": 0.0, "n": 20, "gap": 1.7, "seed": 1},
    {"skewness": 2.0, "n": 200, "gap": 1.7, "seed": 1},
    {"skewness": 0.0, "n": 200, "gap": 1.6, "seed": 1},
)
