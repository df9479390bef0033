"""Chapter 10, metric shopping: many tests, what corrections promise, what they cannot repair."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from sigbook import _checks, figures, metrics, widgets
from sigbook.clouds import TIE
from sigbook.data import FIFTEEN
from sigbook.experiments import ALPHA, Share, rejected
from sigbook.worlds import trigram
from sigbook.worlds.segment_metrics import METRICS

NAMES = ("corpus BLEU", "ROUGE-1", "ROUGE-2", "ROUGE-L", "chrF", "sentence BLEU", "token F1")
PROCEDURES = ("each alone", "Bonferroni", "Holm", "Benjamini-Hochberg")

# One system against itself, seven metrics ---------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Shopping:
    """A/A experiments judged by seven metrics, all on the same swaps: every swap there is.

    hits: int64 (7, E), how many of the `swaps` patterns reach the metric's absolute gap, one row
    per entry of `NAMES`. lowest: int64 (E,), how many have a smallest hit count at most the
    observed one.
    """

    hits: np.ndarray
    lowest: np.ndarray
    swaps: int

    @property
    def p(self) -> np.ndarray:
        """Two-sided randomization p-values (7, E), from all swaps."""
        return self.hits / self.swaps

    @property
    def min_p(self) -> np.ndarray:
        """p-values (E,) of the smallest of the seven, as a statistic of its own."""
        return self.lowest / self.swaps


def shopping(prompts: int = 10, seed=None, experiments: int | None = None) -> Shopping:
    """Corpus BLEU and six segment metrics on the frozen A/A experiments of `prompts` prompts.

    All 2^prompts swaps are gone through; a pattern and its complement have the same absolute gaps,
    so half of them suffice. With a seed the samples of each prompt are paired anew, and
    `experiments` keeps that many of the first ones. Raises ValueError for more than 14 prompts.
    """
    prompts = _checks.count("prompts", prompts, least=1, most=14)
    scores = trigram.load_scores()
    values = np.concatenate(
        [trigram.load().statistics, np.stack([scores[name] for name in METRICS], axis=-1)], axis=-1)
    if seed is not None:
        values = values[:, :, _checks.generator(seed).permutation(trigram.SAMPLES)]
    a, b = trigram.paired(values, prompts)
    if experiments is not None:
        a, b = a[:experiments], b[:experiments]
    numbers = np.arange(2 ** (prompts - 1))
    # The last pattern keeps every output where it is: the data themselves.
    kept = (numbers[:, None] >> np.arange(prompts) & 1).astype(np.float64)
    kept[:, -1] = 1.0
    hits, lowest = [], []
    for start in range(0, len(a), 128):
        few = slice(start, start + 128)
        counts = np.stack([reaching(gaps) for gaps in _gaps(a[few], b[few], kept)])
        smallest = counts.min(axis=0)
        hits.append(counts[..., -1])
        lowest.append((smallest <= smallest[:, -1:]).sum(axis=1))
    return Shopping(np.concatenate(hits, axis=1), np.concatenate(lowest), len(numbers))


def _gaps(a, b, kept):
    """Absolute gaps of the seven metrics on all patterns: seven arrays (E, swaps)."""
    both = (a + b).sum(axis=1, keepdims=True)
    pooled = kept @ a.astype(np.float64) + (1 - kept) @ b.astype(np.float64)
    other = both - pooled
    width = len(metrics.find("bleu").columns)
    yield np.abs(metrics.bleu(pooled[..., :width]) - metrics.bleu(other[..., :width]))
    for column in range(width, a.shape[2]):
        yield np.abs(pooled[..., column] - other[..., column])


def reaching(values: np.ndarray) -> np.ndarray:
    """For each entry of a row, how many of its row are at least as large, ties with a slack."""
    order = np.argsort(values, axis=-1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=-1)
    first = np.zeros(ranked.shape, dtype=np.int64)
    first[..., 1:] = np.where(np.diff(ranked, axis=-1) > TIE, np.arange(1, ranked.shape[-1]), 0)
    counts = np.empty_like(first)
    reached = ranked.shape[-1] - np.maximum.accumulate(first, axis=-1)
    np.put_along_axis(counts, order, reached, axis=-1)
    return counts


def size_path(p: np.ndarray, alpha: float = ALPHA) -> tuple[Share, ...]:
    """Shares of experiments in which the first, one of the first two, ... rejects; p is (k, E)."""
    smallest = np.minimum.accumulate(p, axis=0)
    return tuple(rejected(row, alpha) for row in smallest)


def independent_size(k: int, alpha: float = ALPHA) -> float:
    """1 - (1 - alpha)^k, the size of "any rejects": k independent tests of size exactly alpha."""
    return 1 - (1 - alpha) ** k


def seed_shopping(p: np.ndarray, draws: int, seeds: int, alpha: float = ALPHA) -> Share:
    """One test, run with several seeds, significant if one of the runs is.

    p: (E,) p-values from all swaps. Given p, the hits of a run are Bin(draws, p), so the chance
    that some run rejects is computed, not simulated; the share is its mean over the experiments.
    """
    from scipy.stats import binom

    most = math.floor(Fraction(repr(alpha)) * (draws + 1)) - 1
    once = binom.cdf(most, draws, p)
    return Share(float(np.mean(1 - (1 - once) ** seeds)), len(p))


# The proposition, counted -------------------------------------------------------------------------

def grid_law(kind: str, k: int, grid: int) -> list[tuple[int, ...]]:
    """Equally likely outcomes of k p-values, in units of 1/grid; each is uniform on 1..grid.

    "independent": all tuples. "identical": k copies of one. "disjoint": each is the one before,
    moved on by grid // k, so that no two are small together.
    """
    _checks.choice("kind", kind, ("independent", "identical", "disjoint"))
    if kind == "independent":
        return list(product(range(1, grid + 1), repeat=k))
    step = 0 if kind == "identical" else grid // k
    return [tuple((i + j * step) % grid + 1 for j in range(k)) for i in range(grid)]


def exact_any(law: Sequence[tuple[int, ...]], level: int) -> Fraction:
    """P(some p-value <= level) over equally likely outcomes, all in units of the grid."""
    return Fraction(sum(min(outcome) <= level for outcome in law), len(law))


def mcnemar_size(discordant: int, alpha: float = ALPHA) -> Fraction:
    """Exact size of McNemar's exact test at level alpha, given the discordant segments."""
    most = critical(discordant, alpha)
    tail = 2 * sum(math.comb(discordant, w) for w in range(most + 1))
    return Fraction(min(tail, 2**discordant), 2**discordant)


def critical(n: int, alpha: float) -> int:
    """The largest w up to n/2 with min(1, 2 P(Bin(n, 1/2) <= w)) <= alpha; -1 if there is none."""
    n = int(n)  # a NumPy integer would overflow in 2**n
    level, tail = Fraction(repr(alpha)) * 2**n, 0
    for w in range(n // 2 + 1):
        tail += 2 * math.comb(n, w)
        if min(tail, 2**n) > level:
            return w - 1
    return n // 2


# Procedures ---------------------------------------------------------------------------------------

def rejections(p: np.ndarray, procedure: str, alpha: float = ALPHA) -> np.ndarray:
    """Which of the k hypotheses a procedure rejects in each family: p (E, k) to bool (E, k).

    For stacks of families; on one family Holm and Benjamini-Hochberg are `sb.holm(p) <= alpha` and
    `sb.benjamini_hochberg(p) <= alpha`.
    """
    _checks.choice("procedure", procedure, PROCEDURES)
    k = p.shape[-1]
    if procedure == "each alone":
        return p <= alpha
    if procedure == "Bonferroni":
        return k * p <= alpha
    ranked = np.sort(p, axis=-1)
    if procedure == "Holm":
        under = np.arange(k, 0, -1) * ranked <= alpha
        passed = np.logical_and.accumulate(under, axis=-1).sum(axis=-1)
    else:
        under = k / np.arange(1, k + 1) * ranked <= alpha
        passed = np.where(under.any(axis=-1), k - np.argmax(under[..., ::-1], axis=-1), 0)
    last = np.take_along_axis(ranked, np.maximum(passed - 1, 0)[..., None], axis=-1)
    return (passed[..., None] > 0) & (p <= last)


def stepwise(p: Sequence[Fraction | int], procedure: str, alpha: Fraction) -> set[int]:
    """The rejected indices, by the steps of the definitions and in exact numbers."""
    k = len(p)
    order = sorted(range(k), key=lambda j: p[j])
    if procedure == "each alone":
        return {j for j in range(k) if p[j] <= alpha}
    if procedure == "Bonferroni":
        return {j for j in range(k) if k * p[j] <= alpha}
    if procedure == "Holm":
        count = 0
        while count < k and (k - count) * p[order[count]] <= alpha:
            count += 1
    else:
        count = max((i for i in range(1, k + 1) if k * p[order[i - 1]] <= i * alpha), default=0)
    return set(order[:count])


def check_holm(k: int, grid: int, level: int) -> dict[str, int]:
    """The key step of Holm's proof at every point of a grid, for every set of true nulls.

    Wherever Holm rejects a true null, some true null has p <= alpha / k0. All in units of 1/grid.
    Returns how many cases there were, in how many Holm erred, and in how many of those the step
    failed.
    """
    found = {"cases": 0, "errors": 0, "failures": 0}
    for p in product(range(1, grid + 1), repeat=k):
        wrong = stepwise(p, "Holm", level)
        for size in range(1, k + 1):
            for nulls in combinations(range(k), size):
                found["cases"] += 1
                if wrong & set(nulls):
                    found["errors"] += 1
                    found["failures"] += not any(size * p[j] <= level for j in nulls)
    return found


def exact_fdr(k: int, nulls: int, grid: int, level: int, real: Sequence[int] = ()) -> Fraction:
    """False discovery rate of Benjamini-Hochberg from all outcomes of independent p-values.

    The first `nulls` are uniform on 1..grid; each other one is equally likely to be any entry of
    `real`. All in units of 1/grid.
    """
    total = cases = Fraction(0)
    for p in product(*[range(1, grid + 1)] * nulls, *[real] * (k - nulls)):
        found = stepwise(p, "Benjamini-Hochberg", level)
        cases += 1
        if found:
            total += Fraction(sum(j < nulls for j in found), len(found))
    return total / cases


def worst_case(procedure: str, k: int, nulls: int, alpha: float) -> float:
    """The largest chance of a false rejection over all joint laws of valid p-values.

    A linear programme: an unknown probability for each combination of the intervals between the
    procedure's thresholds, P(p_j <= threshold) <= threshold for each of the first `nulls`, nothing
    asked of the others.
    """
    from scipy.optimize import linprog

    level = Fraction(repr(alpha))
    steps = {level * i / j for i in range(1, k + 1) for j in range(i, k + 1)}
    cuts = sorted(steps | {Fraction(1)})
    cells = list(product(range(len(cuts)), repeat=k))
    wrong = np.array([any(j < nulls for j in stepwise([cuts[i] for i in cell], procedure, level))
                      for cell in cells])
    bounds, limits = [], []
    for j in range(nulls):
        for i, cut in enumerate(cuts[:-1]):
            bounds.append([cell[j] <= i for cell in cells])
            limits.append(float(cut))
    solved = linprog(-wrong.astype(float), A_ub=np.array(bounds, dtype=float), b_ub=limits,
                     A_eq=np.ones((1, len(cells))), b_eq=[1.0], method="highs")
    return float(-solved.fun)


# Correlated tests ---------------------------------------------------------------------------------

def correlated_p(k: int, correlation: float, experiments: int, seed, *, real: int = 0,
                 effect: float = 3.0) -> np.ndarray:
    """Two-sided p-values (E, k) of k normal tests, each pair with one correlation.

    The first `real` tests have a true gap of `effect` standard errors, the others none.
    """
    from scipy.special import ndtr

    rng = _checks.generator(seed)
    z = math.sqrt(1 - correlation) * rng.normal(size=(experiments, k))
    z += math.sqrt(correlation) * rng.normal(size=(experiments, 1))
    z[:, :real] += effect
    return 2 * ndtr(-np.abs(z))


def correlated_size(k: int, correlation: float, alpha: float = ALPHA) -> float:
    """The size of "any rejects" for `correlated_p`: an integral over what all tests share."""
    from scipy.integrate import quad
    from scipy.special import ndtr, ndtri

    cut = -ndtri(alpha / 2)
    if correlation == 0:
        return independent_size(k, alpha)
    own, shared = math.sqrt(1 - correlation), math.sqrt(correlation)

    def none_rejects(s):
        quiet = ndtr((cut - shared * s) / own) - ndtr((-cut - shared * s) / own)
        return quiet**k * math.exp(-s * s / 2) / math.sqrt(2 * math.pi)

    edge = min(cut / shared, 8.9)
    value, _ = quad(none_rejects, -9, 9, points=sorted({-edge, 0.0, edge}), limit=200)
    return 1 - value


@dataclass(frozen=True)
class Tally:
    """What a procedure does over many families of tests.

    any_false: share of families with a false rejection. discovery: mean share of false ones among
    the rejections, 0 in a family without any. found: mean number of real gaps found.
    """

    any_false: Share
    discovery: float
    found: float


def tally(p: np.ndarray, procedure: str, real: int, alpha: float = ALPHA) -> Tally:
    """Count a procedure's rejections in p (E, k), of which the first `real` gaps are real."""
    wrong = rejections(p, procedure, alpha)
    false, right = wrong[:, real:].sum(axis=1), wrong[:, :real].sum(axis=1)
    share = false / np.maximum(false + right, 1)
    return Tally(Share(float((false > 0).mean()), len(p)), float(share.mean()), float(right.mean()))


# Looking early ------------------------------------------------------------------------------------

def stopping(rejects: Callable[[int, int], bool], looks: Sequence[int], theta=0.5) -> np.ndarray:
    """The chance to have rejected at or before each look, by going through all sequences of wins.

    rejects(n, w): whether w wins among n discordant segments reject. A wins each with chance theta;
    with a `Fraction` the chances are exact. Testing stops at the first rejection. `looks` rise.
    """
    one = theta / theta
    alive, stopped, n, out = np.array([one]), 0 * one, 0, []
    for look in looks:
        while n < look:
            lose, win = alive * (1 - theta), alive * theta
            alive = np.append(lose, 0 * one) + np.append(0 * one, win)
            n += 1
        out_now = np.array([rejects(n, w) for w in range(n + 1)])
        stopped = stopped + alive[out_now].sum()
        alive = np.where(out_now, 0 * one, alive)
        out.append(stopped)
    return np.array(out)


def peeking(looks: Sequence[int], alpha: float = ALPHA, theta=0.5) -> np.ndarray:
    """McNemar's exact test at level alpha after each of the numbers of segments in `looks`."""
    edges = {n: critical(n, alpha) for n in looks}
    return stopping(lambda n, w: min(w, n - w) <= edges[n], looks, theta)


def evidence(n: int, w: int) -> Fraction:
    """M_n = 2^n / ((n + 1) C(n, w)): the mean likelihood over all coins, against a fair one."""
    return Fraction(2**n, (n + 1) * math.comb(n, w))


def anytime(looks: Sequence[int], alpha: float = ALPHA, theta=0.5) -> np.ndarray:
    """The test that rejects as soon as M_n >= 1/alpha, tried at each of `looks`."""
    level = Fraction(repr(alpha))
    return stopping(lambda n, w: level * 2**n >= (n + 1) * math.comb(n, w), looks, theta)


# A leaderboard ------------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Board:
    """Submissions of systems that guess, on one test set and on a fresh one, in many repetitions.

    test, fresh: float (repetitions, submissions + 1), the accuracy of the leader after each
    submission. p_test, p_fresh: (repetitions,) McNemar's exact p of the last leader against the
    first system; for a list fixed in advance p_test is the smallest over the list.
    """

    test: np.ndarray
    fresh: np.ndarray
    p_test: np.ndarray
    p_fresh: np.ndarray


def leaderboard(submissions: int, repetitions: int, seed, *, climbing: bool = True,
                segments: int = 500, change: float = 0.02) -> Board:
    """Variations of a guesser, kept when the test set likes them.

    A submission answers anew, by guessing, on a share `change` of all inputs, so that it is right
    on half of the inputs, as all are. ``climbing=True`` varies the leader, the best so far; False
    varies the first system each time, and the leader is the best of that list. The fresh set sees
    the same systems and decides nothing.
    """
    rng = _checks.generator(seed)
    shape = (repetitions, 2, segments)
    first = rng.random(shape, dtype=np.float32) < 0.5
    leader, best = first.copy(), first[:, 0].sum(axis=1)
    smallest = np.ones(repetitions)
    scores = [leader.mean(axis=2)]
    for _ in range(submissions):
        changed = rng.random(shape, dtype=np.float32) < change
        guesses = rng.random(shape, dtype=np.float32) < 0.5
        entry = np.where(changed, guesses, leader if climbing else first)
        if not climbing:
            smallest = np.minimum(smallest, _mcnemar(entry[:, 0], first[:, 0]))
        score = entry[:, 0].sum(axis=1)
        better = score > best
        leader[better] = entry[better]
        best = np.maximum(best, score)
        scores.append(leader.mean(axis=2))
    p_test, p_fresh = (_mcnemar(leader[:, side], first[:, side]) for side in (0, 1))
    curves = np.stack(scores, axis=2)
    return Board(curves[:, 0], curves[:, 1], p_test if climbing else smallest, p_fresh)


def _mcnemar(a, b):
    """McNemar's exact p-values of right-or-wrong rows (repetitions, segments)."""
    from scipy.special import bdtr

    wins, losses = (a & ~b).sum(axis=1), (b & ~a).sum(axis=1)
    n = wins + losses
    return np.minimum(1.0, 2 * bdtr(np.minimum(wins, losses).astype(float), n, 0.5))


# Figures ------------------------------------------------------------------------------------------

@figures.styled
def draw_path(path: Sequence[Share], other: Sequence[Share], alpha: float = ALPHA):
    """Size of "any metric rejects" as metrics are added in two orders, and if independent."""
    figure, axis = figures.canvas(height=3.2)
    k = np.arange(1, len(path) + 1)
    look = figures.REFERENCE
    axis.plot(k, k * alpha, **look.stroke, label="union bound kα")
    look = figures.EXTRA
    axis.plot(k, [independent_size(int(j), alpha) for j in k], **look.stroke,
              marker=look.marker, label="independent tests")
    for shares, look, label in ((path, figures.RANDOMIZATION, "measured, BLEU first"),
                                (other, figures.BOOTSTRAP, "measured, BLEU last")):
        axis.errorbar(k, [s.value for s in shares], [3 * s.error for s in shares], capsize=3,
                      **look.stroke, marker=look.marker, label=label)
    axis.axhline(alpha, color=figures.REFERENCE.color, linewidth=0.8, label=f"level {alpha}")
    axis.set_xticks(k)
    axis.set(xlabel="metrics tried", ylabel="some metric rejects", ylim=(0, None))
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_lines(p: Sequence[float], shown: int, alpha: float = ALPHA):
    """The smallest p-values in order, with the lines below which each procedure must find them."""
    figure, axis = figures.canvas(height=3.0)
    k = len(p)
    rank = np.arange(1, shown + 1)
    lines = (("Benjamini-Hochberg", rank * alpha / k, figures.EXTRA),
             ("Holm", alpha / (k - rank + 1), figures.RANDOMIZATION),
             ("Bonferroni", np.full(shown, alpha / k), figures.REFERENCE))
    for label, heights, look in lines:
        axis.plot(rank, heights, **look.stroke, label=label)
    look = figures.OBSERVED
    axis.plot(rank, np.sort(p)[:shown], look.marker, color=look.color, label="p-value")
    axis.set_xticks(rank)
    axis.set(xlabel="rank of the p-value", ylabel="p", ylim=(-0.001, None))
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_peeking(looks: Sequence[int], curves: dict[str, np.ndarray], alpha: float = ALPHA):
    """Chance of a false rejection up to each look, one line for each way of testing."""
    figure, axis = figures.canvas(height=3.0)
    for (label, curve), look in zip(curves.items(), figures.LOOKS):
        axis.plot(looks, curve, **look.stroke, marker=look.marker, markersize=3, label=label)
    axis.axhline(alpha, **figures.REFERENCE.stroke, label=f"level {alpha}")
    axis.set(xlabel="discordant segments so far", ylabel="rejected by now", ylim=(0, None))
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_board(board: Board):
    """The leader's accuracy after each submission, on the test set and on a fresh one."""
    figure, axis = figures.canvas(height=3.0)
    submissions = np.arange(board.test.shape[1])
    for curves, look, label in ((board.test, figures.OBSERVED, "on the test set of the board"),
                                (board.fresh, figures.BOOTSTRAP, "on a fresh test set")):
        axis.plot(submissions, curves.mean(axis=0), **look.stroke, label=label)
        low, high = np.quantile(curves, [0.1, 0.9], axis=0)
        axis.fill_between(submissions, low, high, color=look.color, alpha=0.2, linewidth=0)
    axis.axhline(0.5, **figures.REFERENCE.stroke, label="guessing")
    axis.set(xlabel="submissions", ylabel="accuracy of the leader")
    axis.legend(loc="upper left")
    return figure


# The lab ------------------------------------------------------------------------------------------

LAB_FAMILIES = 2_000


@dataclass(frozen=True, eq=False)
class Lab:
    """The lab's result: tallies by procedure, and how false rejections grow with the tests made.

    grown: (nulls,), the share of families with a false rejection among the first 1, 2, ... true
    nulls, each tested alone.
    """

    tallies: tuple[Tally, ...]
    grown: np.ndarray
    nulls: int


def lab_result(k: int, correlation: float, real: int, seed: int) -> Lab:
    """2,000 families of k tests with one correlation, of which `real` (at most k) gaps are real."""
    real = min(real, k)
    p = correlated_p(k, correlation, LAB_FAMILIES, seed, real=real)
    grown = np.logical_or.accumulate(p[:, real:] <= ALPHA, axis=1).mean(axis=0)
    return Lab(tuple(tally(p, name, real) for name in PROCEDURES), grown, k - real)


@figures.styled
def draw_lab(result: Lab):
    """False rejections without a correction as tests are added, beside the independent case."""
    figure, axis = figures.canvas(height=2.6, margins={"left": 0.1, "right": 0.98, "top": 0.97,
                                                       "bottom": 0.18})
    tests = np.arange(1, result.nulls + 1)
    independent = [independent_size(int(j)) for j in tests]
    for heights, look, label in ((independent, figures.EXTRA, "independent tests"),
                                 (result.grown, figures.OBSERVED, "measured, each alone")):
        axis.plot(tests, heights, **look.stroke, marker=look.marker, markersize=3, label=label)
    axis.axhline(ALPHA, **figures.REFERENCE.stroke, label=f"level {ALPHA}")
    axis.set(xlabel="true nulls tested", ylabel="some false rejection", ylim=(0, 1),
             xlim=(0, max(result.nulls, 1) + 0.5))
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(loc="upper left")
    return figure


def lab_frame(k: int, correlation: float, real: int, seed: int) -> str:
    """The lab's view as HTML: the growth of false rejections and a line for each procedure."""
    result = lab_result(k, correlation, real, seed)
    plain = result.tallies[0].any_false
    alt = (f"Share of families with a false rejection as tests are added, each at level {ALPHA}; "
           f"it ends at {plain.value:.3f} for {result.nulls} true nulls.")
    rows = [[name, f"{t.any_false.value:.3f}", f"{t.any_false.error:.3f}", f"{t.discovery:.3f}",
             f"{t.found:.2f}"] for name, t in zip(PROCEDURES, result.tallies)]
    head = ["procedure", "some false rejection", "se", "false discovery rate", "real gaps found"]
    return figures.image_tag(draw_lab(result), alt) + figures.table(
        head, rows,
        f"{k} tests, correlation {correlation:.2f}, {k - result.nulls} real gaps, "
        f"{LAB_FAMILIES:,} families, seed {seed}")


def shopping_lab():
    """The lab: number of tests, their correlation, how many gaps are real; a change draws again."""
    return widgets.experiment(lab_frame, {
        "k": widgets.whole("tests k", 1, 40, 20),
        "correlation": widgets.real("correlation", 0.0, 0.95, 0.5, 0.05),
        "real": widgets.whole("real gaps", 0, 10, 0),
        "seed": widgets.whole("new draws: seed", 0, 50, 0),
    })


# Settings of the lab that a lecture steps through: three ways of hanging together, then real gaps among the tests.
LECTURE = (
    {"k": 20, "correlation": 0.0, "real": 0, "seed": 0},
    {"k": 20, "correlation": 0.5, "real": 0, "seed": 0},
    {"k": 20, "correlation": 0.95, "real": 0, "seed": 0},
    {"k": 20, "correlation": 0.5, "real": 5, "seed": 0},
)
