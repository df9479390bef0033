"""Chapter 8, what a test set cannot tell: training sets, seeds and runs as the random object."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from sigbook import _checks, data, figures, metrics, widgets
from sigbook.clouds import bootstrap, randomize
from sigbook.experiments import ALPHA, Share, rejected
from sigbook.mcnemar import mcnemar, mcnemar_power
from sigbook.metrics import BLEU_COLUMNS
from sigbook.pairs import PairedSet
from sigbook.rules import p_randomization
from sigbook.runs import crossed_bootstrap
from sigbook.worlds import bursty

TEST_SIZES = (3_000, 20_000)

# Three training sets, in fractions ---------------------------------------------------------------


@dataclass(frozen=True)
class TrainingSet:
    """A training set that comes with probability `weight`: how often its two models part."""

    weight: Fraction
    p10: Fraction
    p01: Fraction

    @property
    def gap(self) -> Fraction:
        return self.p10 - self.p01


TOY = (
    TrainingSet(Fraction(1, 4), Fraction(3, 10), Fraction(1, 10)),
    TrainingSet(Fraction(1, 4), Fraction(1, 10), Fraction(3, 10)),
    TrainingSet(Fraction(1, 2), Fraction(1, 5), Fraction(1, 5)),
)


@dataclass(frozen=True)
class VarianceSplit:
    """total = within + between, and the mean of s^2/n over training and test sets."""

    total: Fraction
    within: Fraction
    between: Fraction
    estimated: Fraction


def enumerated_split(trainings: tuple[TrainingSet, ...], n: int) -> VarianceSplit:
    """All 3^n outcomes of n >= 2 test segments under each training set, in fractions."""
    first = second = within = estimated = Fraction(0)
    for training in trainings:
        law = {1: training.p10, -1: training.p01, 0: 1 - training.p10 - training.p01}
        mean = square = Fraction(0)
        for d in product(law, repeat=n):
            chance = math.prod((law[x] for x in d), start=Fraction(1))
            gap = Fraction(sum(d), n)
            mean, square = mean + chance * gap, square + chance * gap**2
            s2 = sum((x - gap) ** 2 for x in d) / (n - 1)
            estimated += training.weight * chance * s2 / n
        within += training.weight * (square - mean**2)
        first, second = first + training.weight * mean, second + training.weight * square
    mean_gap = sum(t.weight * t.gap for t in trainings)
    between = sum(t.weight * (t.gap - mean_gap) ** 2 for t in trainings)
    return VarianceSplit(second - first**2, within, between, estimated)


def null_share(trainings: tuple[TrainingSet, ...]) -> Fraction:
    """pi_0, the probability of a training set whose two models are equally good."""
    return sum((t.weight for t in trainings if t.gap == 0), start=Fraction(0))


def rejection(trainings: tuple[TrainingSet, ...], n: int, alpha: float = ALPHA) -> float:
    """Probability that McNemar's exact test rejects, over training and test sets."""
    return sum(float(t.weight) * mcnemar_power(n, float(t.p10), float(t.p01), alpha)
               for t in trainings)


# The bursty world --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mean:
    """A mean over independent draws with its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, values) -> Mean:
        values = np.asarray(values, dtype=np.float64)
        return cls(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))


@dataclass(frozen=True, eq=False)
class Draws:
    """Training draws of one size: population gaps and cell probabilities, each (draws,)."""

    size: int
    gaps: np.ndarray
    p10: np.ndarray
    p01: np.ndarray
    nb: np.ndarray
    lr: np.ndarray

    @property
    def between(self) -> float:
        """Variance of the population gap over training draws."""
        return float(self.gaps.var(ddof=1))

    def within(self, n: int) -> float:
        """Mean over the draws of the variance that n test documents add."""
        return float(((self.p10 + self.p01 - self.gaps**2) / n).mean())

    def power(self, n: int, alpha: float = ALPHA) -> np.ndarray:
        """For each draw, the exact probability that McNemar's exact test rejects."""
        return np.array([mcnemar_power(n, p, q, alpha) for p, q in zip(self.p10, self.p01)])


def _draws(table, rows):
    share = {name: table[name][rows] / bursty.POOL for name in ("both", "nb", "lr")}
    return Draws(int(table["size"][rows][0]), bursty.gaps(table)[rows], share["nb"], share["lr"],
                 share["both"] + share["nb"], share["both"] + share["lr"])


def curve(table=None) -> list[Draws]:
    """The draws that chose the crossing, one entry per training size."""
    table = bursty.load() if table is None else table
    first = table["stage"] == bursty.CHOOSING
    return [_draws(table, first & (table["size"] == size)) for size in bursty.SIZES]


def crossing(table=None) -> Draws:
    """The fresh draws at the crossing."""
    table = bursty.load() if table is None else table
    return _draws(table, table["stage"] == bursty.MEASURING)


@dataclass(frozen=True)
class Verdicts:
    """One test set for each training draw: how many favour Naive Bayes, how many the other."""

    nb: int
    lr: int
    draws: int

    @property
    def share(self) -> Share:
        return Share((self.nb + self.lr) / self.draws, self.draws)


def one_test_set_each(draws: Draws, n: int, seed, alpha: float = ALPHA) -> Verdicts:
    """Each training draw's models are tested once, on n documents of their own."""
    rng = _checks.generator(seed)
    cells = np.stack([draws.p10, draws.p01, 1 - draws.p10 - draws.p01], axis=1)
    counts = rng.multinomial(n, cells)
    small = np.array([mcnemar(int(i), int(j)) <= alpha for i, j, _ in counts])
    ahead = counts[:, 0] > counts[:, 1]
    return Verdicts(int((small & ahead).sum()), int((small & ~ahead).sum()), len(counts))


# Seeds -------------------------------------------------------------------------------------------


def t_interval(values, level: float = 0.95, new_run: bool = False) -> tuple[float, float]:
    """Student's interval for the mean over runs, or the prediction interval for one new run."""
    from scipy.special import stdtrit

    values = _checks.vector("values", values)
    n = len(values)
    if n < 2:
        raise ValueError(f"values must hold at least 2 runs; got {n}")
    t = float(stdtrit(n - 1, (1 + level) / 2))
    half = t * values.std(ddof=1) * math.sqrt(1 / n + (1 if new_run else 0))
    return float(values.mean() - half), float(values.mean() + half)


def welch_p(a, b) -> float:
    """Two-sided p of Welch's t test."""
    from scipy.stats import ttest_ind

    return float(ttest_ind(a, b, equal_var=False).pvalue)


def resampled_means(values) -> dict[Fraction, Fraction]:
    """The bootstrap law of the mean of a few whole numbers, from all resamples."""
    law: dict[Fraction, Fraction] = {}
    for draw in product(values, repeat=len(values)):
        mean = Fraction(sum(draw), len(values))
        law[mean] = law.get(mean, Fraction(0)) + Fraction(1, len(values) ** len(values))
    return dict(sorted(law.items()))


def ranges_apart(runs: int) -> Fraction:
    """Probability that the ranges of 2 x `runs` exchangeable scores do not overlap, by listing."""
    from itertools import combinations

    orders = list(combinations(range(2 * runs), runs))
    apart = sum(max(mine) == runs - 1 or min(mine) == runs for mine in orders)
    return Fraction(apart, len(orders))


def three_seed_coverage(experiments: int, seed) -> dict[str, Share]:
    """How often four intervals from three normal runs hold what they are taken to hold."""
    rng = _checks.generator(seed)
    runs, new = rng.normal(size=(experiments, 3)), rng.normal(size=experiments)
    mean, sd = runs.mean(axis=1), runs.std(axis=1, ddof=1)
    low, high = runs.min(axis=1), runs.max(axis=1)
    from scipy.special import stdtrit

    t = float(stdtrit(2, 0.975))
    hits = (abs(mean) <= sd,
            (low <= 0) & (0 <= high),
            abs(mean) <= t * sd / math.sqrt(3),
            abs(new - mean) <= t * sd / math.sqrt(3),
            abs(new - mean) <= t * sd * math.sqrt(4 / 3))
    return {name: Share(float(hit.mean()), experiments)
            for name, hit in zip(three_seed_exact(), hits, strict=True)}


def three_seed_exact() -> dict[str, float]:
    """The same, computed: with 2 degrees of freedom P(|t| <= x) = x / sqrt(2 + x^2).

    The mean over its standard error sd/sqrt(3) has that law, and so has the distance of a new run
    from the mean over sd sqrt(4/3). The range of three misses the middle of a symmetric law when
    all lie on one side of it.
    """
    from scipy.special import stdtrit

    def within(x):
        return x / math.sqrt(2 + x * x)

    t = float(stdtrit(2, 0.975))
    return {
        "mean ± sd, the expected score": within(math.sqrt(3)),
        "bootstrap of three, the expected score": 1 - 2 / 8,
        "t-interval, the expected score": within(t),
        "t-interval, the next run": within(t / 2),
        "prediction interval, the next run": within(t),
    }


# Halvings ----------------------------------------------------------------------------------------


def five_by_two_p(x: np.ndarray, first: int = 0) -> np.ndarray:
    """Dietterich's 5x2cv paired t test (1998, section 3.5): two-sided p-values (E,).

    x: (E, 10) differences, two for each of five halvings. The statistic is one difference, `first`,
    over the root of the mean of the five halvings' variances, against t with 5 degrees of freedom.
    """
    from scipy.special import stdtr

    pairs = np.asarray(x, dtype=np.float64).reshape(-1, 5, 2)
    variance = ((pairs - pairs.mean(axis=2, keepdims=True)) ** 2).sum(axis=2).mean(axis=1)
    flat = pairs.reshape(-1, 10)[:, first]
    t = np.divide(flat, np.sqrt(variance), out=np.zeros_like(flat), where=variance > 0)
    return 2 * stdtr(5, -np.abs(t))


def ten_folds_p(x: np.ndarray) -> np.ndarray:
    """A t test that takes the ten differences for independent: two-sided p-values (E,)."""
    from scipy.special import stdtr

    x = np.asarray(x, dtype=np.float64)
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / math.sqrt(10))
    return 2 * stdtr(9, -np.abs(t))


def halvings(table=None) -> np.ndarray:
    """The frozen differences in documents: (experiments, 10)."""
    table = bursty.load_folds() if table is None else table
    return np.stack(list(table.values()), axis=1)


# Optimizer runs ----------------------------------------------------------------------------------


def run_scores() -> dict[str, np.ndarray]:
    """BLEU of each optimizer run: procedure -> (3,)."""
    score = metrics.find("bleu").score
    return {name: score(runs.sum(axis=1).astype(np.float64))
            for name, runs in data.optimizer_runs().items()}


def mean_of_runs(pooled: np.ndarray) -> np.ndarray:
    """Mean BLEU over runs from their statistics side by side: (..., 10 R) to (...)."""
    runs = pooled.reshape(*pooled.shape[:-1], -1, len(BLEU_COLUMNS))
    return metrics.find("bleu").score(runs).mean(axis=-1)


def _beside(runs):
    """(R, n, 10) to (n, 10 R): a segment's statistics in all runs as one row."""
    return runs.transpose(1, 0, 2).reshape(runs.shape[1], -1)


def _apart(runs):
    """(R, n, 10) to (R n, 10 R): every (run, segment) a row, filled in its own run's columns."""
    count, n, columns = runs.shape
    rows = np.zeros((count, n, count, columns), dtype=runs.dtype)
    for run in range(count):
        rows[run, :, run] = runs[run]
    return rows.reshape(count * n, count * columns)


def fixed_runs_p(a: np.ndarray, b: np.ndarray, together: bool, draws: int, seed) -> float:
    """Randomization of the gap in mean BLEU with the runs held fixed.

    `together` swaps a segment in all runs at once; otherwise each (run, segment) row by itself.
    """
    layout = _beside if together else _apart
    pairs = PairedSet(layout(a), layout(b), mean_of_runs)
    return p_randomization(randomize(pairs, draws=draws, seed=seed))


def bootstrap_sds(a: np.ndarray, b: np.ndarray, draws: int, seed) -> dict[str, float]:
    """Bootstrap sd of the gap in mean BLEU: over segments, over runs, over both."""
    segments, runs, both = _checks.generator(seed).spawn(3)
    fixed = bootstrap(PairedSet(_beside(a), _beside(b), mean_of_runs), draws=draws, seed=segments)
    score = metrics.find("bleu").score
    x, y = (score(z.sum(axis=1).astype(np.float64)) for z in (a, b))
    picks = [runs.integers(len(s), size=(draws, len(s))) for s in (x, y)]
    gaps = x[picks[0]].mean(axis=1) - y[picks[1]].mean(axis=1)
    crossed = crossed_bootstrap(a, b, "bleu", draws=draws, seed=both)
    return {"segments": fixed.sd, "runs": float(gaps.std()), "both": crossed.sd}


# Figures -----------------------------------------------------------------------------------------


@figures.styled
def draw_curve(draws: list[Draws]):
    """Population gap of every training draw against the size, with the means ± 2 se."""
    figure, axis = figures.canvas(height=3.1)
    sizes = [d.size for d in draws]
    dots, mean = figures.RANDOMIZATION, figures.BOOTSTRAP
    x = np.concatenate([np.full(len(d.gaps), d.size) for d in draws])
    axis.plot(x, np.concatenate([d.gaps for d in draws]), linestyle="none", marker=dots.marker,
              markersize=2.5, color=dots.color, alpha=0.6, label="one training set")
    means = [Mean.of(d.gaps) for d in draws]
    axis.errorbar(sizes, [m.value for m in means], [2 * m.error for m in means],
                  color=mean.color, marker=mean.marker, markersize=4, capsize=3,
                  label="mean ± 2 se")
    axis.axhline(0, **figures.REFERENCE.stroke)
    axis.set(xscale="log", xlabel="training documents", ylabel="Naive Bayes ahead by")
    shown = [64, 128, 256, 448, 1024]
    axis.set_xticks(shown, [f"{size:,}" for size in shown])
    axis.set_xticks([], minor=True)
    axis.legend(loc="upper right")
    return figure


@figures.styled
def draw_rejections(sizes: list[int], powers: np.ndarray, alpha: float = ALPHA):
    """Rejection probability against test documents: powers (sizes, draws), one line per draw."""
    figure, axis = figures.canvas(height=3.0)
    one, mean = figures.BAND, figures.OBSERVED
    axis.plot(sizes, powers, **one.stroke, linewidth=0.7)
    axis.plot([], [], **one.stroke, label="one training set")
    axis.plot(sizes, powers.mean(axis=1), **mean.stroke,
              marker=mean.marker, markersize=4, linewidth=2, label="mean over training sets")
    axis.axhline(alpha, **figures.REFERENCE.stroke, label=f"level {alpha}")
    axis.set(xscale="log", xlabel="test documents", ylabel="probability to reject", ylim=(0, 1.02))
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_retest(result: Retest):
    """The law of the gap on a test set given this training set; other training sets as ticks."""
    figure, axis = figures.canvas(height=2.6, margins={"left": 0.04, "right": 0.98, "top": 0.97,
                                                       "bottom": 0.19})
    look, mark, other = figures.BOOTSTRAP, figures.OBSERVED, figures.RANDOMIZATION
    sd = result.sd
    x = np.linspace(result.truth - 4 * sd, result.truth + 4 * sd, 161)
    density = np.exp(-((x - result.truth) / sd) ** 2 / 2)
    axis.plot(x, density, **look.stroke, label="other test sets, this training set")
    # Lines end below the legend.
    upright = (-0.2, 1.06)
    axis.plot([result.gap] * 2, upright, **mark.stroke, label="this test set")
    axis.plot(result.others, np.full(len(result.others), -0.08), linestyle="none",
              marker=other.marker, markersize=4, color=other.color, label="other training sets")
    axis.plot([0, 0], upright, **figures.REFERENCE.stroke)
    axis.set(xlabel="Naive Bayes ahead by", yticks=[], ylim=(-0.2, 1.6))
    axis.legend(loc="upper left")
    return figure


# The lab -----------------------------------------------------------------------------------------

LAB_TESTS = (500, 3_000, 20_000, 100_000)


@dataclass(frozen=True, eq=False)
class Retest:
    """A training set drawn, both models trained, and tested once on n documents."""

    size: int
    n: int
    truth: float
    n10: int
    n01: int
    sd: float
    others: np.ndarray

    @property
    def gap(self) -> float:
        return (self.n10 - self.n01) / self.n

    @property
    def p(self) -> float:
        return mcnemar(self.n10, self.n01)


@cache
def population() -> tuple[bursty.World, tuple[np.ndarray, np.ndarray]]:
    """The world of the frozen draws and its pool, drawn again: about a second, 80 MB."""
    words, documents, _, _ = _checks.generator(bursty.SEED).spawn(4)
    of = bursty.world(words)
    return of, bursty.pool(of, documents)


def lab_sizes() -> list[int]:
    """The training sizes of the frozen draws, the crossing among them."""
    return sorted({*bursty.SIZES, crossing().size})


def retest(size: int, n: int, seed: int) -> Retest:
    """Draw `size` training documents, train both models, test them on n documents of the pool.

    The test set is drawn with replacement, so its counts are multinomial. Raises ValueError for a
    size that has no frozen draws to stand beside.
    """
    others = {d.size: d.gaps for d in (*curve(), crossing())}
    if size not in others:
        raise ValueError(f"size must be one of {lab_sizes()}; got {size!r}")
    of, everything = population()
    learning, testing = _checks.generator(seed).spawn(2)
    found = bursty.cells(bursty.train(*bursty.documents(of, size, learning)), *everything)
    p10, p01 = found[1] / bursty.POOL, found[2] / bursty.POOL
    n10, n01, _ = testing.multinomial(n, [p10, p01, 1 - p10 - p01])
    sd = math.sqrt((p10 + p01 - (p10 - p01) ** 2) / n)
    return Retest(size, n, p10 - p01, int(n10), int(n01), sd, others[size])


def tested_on_training(size: int, repetitions: int, seed) -> tuple[np.ndarray, np.ndarray]:
    """Gaps of trained models on their own training documents, and on the pool: two (repetitions,).
    """
    of, everything = population()
    own, true = [], []
    for stream in _checks.generator(seed).spawn(repetitions):
        training = bursty.documents(of, size, stream)
        rules = bursty.train(*training)
        for gaps, (counts, classes) in ((own, training), (true, everything)):
            _, nb, lr, _ = bursty.cells(rules, counts, classes)
            gaps.append((nb - lr) / len(classes))
    return np.array(own), np.array(true)


RETEST_HEAD = ["only NB right", "only LR right", "gap on the test set", "p",
               "true gap of these two models"]


def retest_cells(result: Retest) -> list[str]:
    """The retest's numbers as the lab's table shows them."""
    return [f"{result.n10:,}", f"{result.n01:,}", f"{result.gap:+.4f}", f"{result.p:.2g}",
            f"{result.truth:+.4f}"]


def lab_frame(size: int, n: int, seed: int) -> str:
    """The lab's view as HTML: where test sets of this training set fall, and the verdict."""
    result = retest(size, n, seed)
    alt = (f"Bell curve of gaps on test sets around {result.truth:+.4f}, the gap observed at "
           f"{result.gap:+.4f}; marks below it show other training sets.")
    return figures.image_tag(draw_retest(result), alt) + figures.table(
        RETEST_HEAD, [retest_cells(result)],
        f"training set {seed}: {size:,} documents, tested on {n:,}")


def procedures_lab():
    """The lab: choose sizes, move to another training set; every change trains both models."""
    return widgets.experiment(lab_frame, {
        "size": widgets.steps("training documents", lab_sizes(), crossing().size),
        "n": widgets.steps("test documents", [(f"{n:,}", n) for n in LAB_TESTS], 20_000),
        "seed": widgets.whole("training set", 1, 100, 4),
    })


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"size": 400, "n": 20_000, "seed": 4},
    {"size": 400, "n": 500, "seed": 4},
    {"size": 400, "n": 100_000, "seed": 4},
    {"size": 400, "n": 20_000, "seed": 6},
    {"size": 1_024, "n": 20_000, "seed": 4},
)
