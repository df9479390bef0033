"""Chapter 12, real systems: leaderboards tested again, by unit, by judge, by run and as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations, product

import numpy as np

from sigbook import _checks, clouds, data, figures, metrics, rules, widgets
from sigbook._checks import quietly
from sigbook.clouds import Cloud
from sigbook.clusters import design_effect
from sigbook.experiments import ALPHA
from sigbook.linear import delta_sd, influence
from sigbook.multiplicity import holm
from sigbook.pairs import PairedSet, group_sums

BOARDS = ("WMT17", "WMT23", "TED", "runs")
TWICE = ("GPT4-5shot_with_refA", "GPT4-5shot_with_ONLINE-W")
DRAWS = 9_999
MOST_LISTED = 10  # units that differ; up to 2^10 swaps are all listed
MOST_SHUFFLES = 10_000

# Tables of systems -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Board:
    """Systems on one test set, the best BLEU first.

    bleu: (J, n, 10) statistics. penalty: (J, n) mean MQM penalties of the segments, lower is
    better, or None. documents: (n,) document (or talk) of each segment, or None.
    """

    name: str
    systems: tuple[str, ...]
    bleu: np.ndarray
    penalty: np.ndarray | None = None
    documents: np.ndarray | None = None

    @property
    def segments(self) -> int:
        return self.bleu.shape[1]

    def scores(self, metric: str = "BLEU") -> np.ndarray:
        """(J,) corpus BLEU as fractions, or mean penalties."""
        if metric == "MQM":
            return self.penalty.mean(axis=1)
        return metrics.bleu(self.bleu.sum(axis=1))

    def pair(
        self, first: int, second: int, metric: str = "BLEU", unit: str = "segment"
    ) -> PairedSet:
        """Two systems by place; MQM penalties have their sign turned, so that more is better."""
        names = self.systems[first], self.systems[second]
        clusters = None if unit == "segment" else self.documents
        if metric == "MQM":
            a, b = -self.penalty[first], -self.penalty[second]
            return PairedSet(a, b, "mean", clusters, names)
        return PairedSet(self.bleu[first], self.bleu[second], "bleu", clusters, names)


@lru_cache(maxsize=len(BOARDS))
def board(name: str) -> Board:
    """One of `BOARDS`. The system of WMT23 that was rated twice stands once, with the mean."""
    _checks.choice("name", name, BOARDS)
    penalty = documents = None
    if name == "WMT17":
        bleu = data.wmt17()
    elif name == "runs":
        bleu = {f"{procedure} run {run}": x
                for procedure, runs in data.optimizer_runs().items()
                for run, x in enumerate(runs, start=1)}  # fmt: skip
    else:
        rated = data.wmt23() if name == "WMT23" else data.wmt21_ted()
        bleu, penalty, documents = dict(rated.bleu), dict(rated.mqm), rated.documents
        if name == "WMT23":
            once, again = TWICE
            bleu = {system.split("_with_")[0]: x for system, x in bleu.items() if system != again}
            penalty[once.split("_with_")[0]] = (penalty[once] + penalty[again]) / 2
    order = sorted(bleu, key=lambda system: -float(metrics.bleu(bleu[system].sum(axis=0))))
    return Board(
        name,
        tuple(order),
        np.stack([bleu[system] for system in order]),
        None if penalty is None else np.stack([penalty[system] for system in order]),
        documents,
    )


def rated_twice(metric: str = "MQM", unit: str = "segment") -> PairedSet:
    """One system's output against itself: the same text, rated in two rounds."""
    rated = data.wmt23()
    once, again = TWICE
    both = Board("rated twice", TWICE, np.stack([rated.bleu[once], rated.bleu[again]]),
                 np.stack([rated.mqm[once], rated.mqm[again]]), rated.documents)  # fmt: skip
    return both.pair(0, 1, metric, unit)


@dataclass(frozen=True, eq=False)
class Family:
    """All k pairs of a table under one metric and unit, each tested by itself: arrays (k,).

    first, second: places in the table, first < second. gaps: first minus second, more is better.
    differing: units in which the two differ.
    """

    board: Board
    metric: str
    unit: str
    first: np.ndarray
    second: np.ndarray
    gaps: np.ndarray
    p: np.ndarray
    differing: np.ndarray

    @property
    def adjusted(self) -> np.ndarray:
        """Holm-adjusted p-values over all pairs of the table."""
        return holm(self.p)

    def verdicts(self, *, corrected: bool = False, alpha: float = ALPHA) -> np.ndarray:
        """1 where the first is significantly better, -1 where the second is, 0 where neither is."""
        p = self.adjusted if corrected else self.p
        return np.where(p <= alpha, np.sign(self.gaps), 0).astype(np.int64)

    def rejections(self, *, corrected: bool = False, alpha: float = ALPHA) -> int:
        return int(np.count_nonzero(self.verdicts(corrected=corrected, alpha=alpha)))

    def of(self, a: str, b: str) -> int:
        """The number of the pair of these two systems."""
        places = sorted(self.board.systems.index(name) for name in (a, b))
        return int(np.flatnonzero((self.first == places[0]) & (self.second == places[1]))[0])

    def title(self, number: int) -> str:
        systems = self.board.systems
        return f"{systems[self.first[number]]} − {systems[self.second[number]]}"


@lru_cache(maxsize=32)
def all_pairs(
    name: str, metric: str = "BLEU", unit: str = "segment", draws: int = DRAWS, seed: int = 0
) -> Family:
    """Test every pair of a table by randomization; all swaps where at most 10 units differ."""
    table, rng, rows = board(name), _checks.generator(seed), []
    for first, second in combinations(range(len(table.systems)), 2):
        pairs = table.pair(first, second, metric, unit)
        differing = int((pairs.unit_a != pairs.unit_b).any(axis=1).sum())
        cloud = quietly(clouds.randomize, pairs, "all" if differing <= MOST_LISTED else draws, rng)
        rows.append((first, second, pairs.gap, rules.p_randomization(cloud), differing))
    first, second, gaps, p, differing = (np.array(column) for column in zip(*rows))
    return Family(table, metric, unit, first, second, gaps, p, differing)


def chains(family: Family) -> list[tuple[int, int, int]]:
    """Systems a, b, c in order of the table: a-b and b-c are not significant, and a-c is."""
    apart = {(int(i), int(j)): bool(v)
             for i, j, v in zip(family.first, family.second, family.verdicts())}  # fmt: skip
    return [(a, b, c) for a, b, c in combinations(range(len(family.board.systems)), 3)
            if apart[a, c] and not apart[a, b] and not apart[b, c]]  # fmt: skip


# Published p-values ------------------------------------------------------------------------------

# The p-values that the README of sacreBLEU 2.6.0 prints for BLEU and chrF2, LIUM-NMT.4900 against
# each system: paired bootstrap ("bs") and paired approximate randomization ("ar").
PUBLISHED = {
    "bs": {"online-A.0": (0.0010, 0.0010), "online-B.0": (0.3077, 0.0240),
           "online-F.0": (0.0010, 0.0010), "online-G.0": (0.0010, 0.0010)},
    "ar": {"online-A.0": (0.0001, 0.0001), "online-B.0": (0.8066, 0.0385),
           "online-F.0": (0.0001, 0.0001), "online-G.0": (0.0001, 0.0001)},
}  # fmt: skip
BASELINE = "LIUM-NMT.4900"
TOOL_SEED = 12345
TOOL_DRAWS = {"bs": 1_000, "ar": 10_000}


def tool_p(pairs: PairedSet, kind: str) -> float:
    """sacreBLEU's p-value by its own draws and its own count, which is strict."""
    draws = TOOL_DRAWS[kind]
    if kind == "bs":
        resampled = quietly(clouds.bootstrap, pairs, draws, TOOL_SEED, "sacrebleu")
        return quietly(rules.p_sacrebleu, resampled)
    swapped = quietly(clouds.randomize, pairs, draws, TOOL_SEED, "sacrebleu")
    return (1 + int((np.abs(swapped.gaps) > abs(swapped.observed)).sum())) / (draws + 1)


@lru_cache(maxsize=len(BOARDS))
def tool_family(name: str) -> np.ndarray:
    """sacreBLEU's bootstrap p-value of every pair of a table, by segment: (k,)."""
    table = board(name)
    return np.array([tool_p(table.pair(i, j), "bs")
                     for i, j in combinations(range(len(table.systems)), 2)])  # fmt: skip


def limit_p(z: float, points: int = 40_000) -> tuple[float, float]:
    """Two-sided p and sacreBLEU's p of a gap of z standard deviations when the cloud is normal."""
    from scipy.special import ndtr, ndtri

    normal = z + ndtri((np.arange(points) + 0.5) / points)
    return float(2 * ndtr(-abs(z))), rules.p_sacrebleu(Cloud(normal, z, "bootstrap"))


@dataclass(frozen=True)
class Widths:
    """sd of swapped gaps over sd of resampled ones; for a mean it would be sqrt(1 + z^2 / n)."""

    gap: float
    ratio: float
    of_a_mean: float


def widths(pairs: PairedSet, draws: int, seed) -> Widths:
    """Both clouds' widths on one pair."""
    rng = _checks.generator(seed)
    resampled = quietly(clouds.bootstrap, pairs, draws, rng).sd
    swapped = quietly(clouds.randomize, pairs, draws, rng).sd
    z = pairs.gap / resampled
    return Widths(pairs.gap, swapped / resampled, math.sqrt(1 + z**2 / pairs.n))


# Documents ---------------------------------------------------------------------------------------


def design_effects(name: str, metric: str = "BLEU") -> np.ndarray:
    """Design effect of every pair's gap by document: that of its influences, (k,)."""
    table = board(name)
    return np.array([
        design_effect(quietly(influence, table.pair(i, j, metric)), table.documents)
        for i, j in combinations(range(len(table.systems)), 2)
    ])  # fmt: skip


def critical(cloud: Cloud, alpha: float = ALPHA) -> float:
    """The largest |gap| with which a randomization test on this cloud does not reject.

    Gaps above it have p <= alpha, gaps at or below it do not. inf when none would do.
    """
    plus = 0 if cloud.enumerated else 1
    allowed = math.floor(Fraction(repr(alpha)) * (cloud.draws + plus)) - plus
    if allowed < 0:
        return math.inf
    sizes = np.sort(np.abs(cloud.gaps))[::-1]
    return float(sizes[allowed]) if allowed < len(sizes) else -math.inf


def segment_sizes(name: str, metric: str = "BLEU", draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Size of the segment test of every pair when whole documents are exchangeable: (k,).

    Given the data up to swaps of documents, each of those swaps is equally likely; the size is the
    share of them on which segment swaps reject. The segments' cloud is the same for all of them.
    """
    table, rng, sizes = board(name), _checks.generator(seed), []
    for i, j in combinations(range(len(table.systems)), 2):
        by_segment = quietly(clouds.randomize, table.pair(i, j, metric), draws, rng)
        whole = table.pair(i, j, metric, "document")
        few = whole.units <= MOST_LISTED
        by_document = quietly(clouds.randomize, whole, "all" if few else draws, rng)
        edge = critical(by_segment) + by_segment.slack
        sizes.append(float(np.mean(np.abs(by_document.gaps) > edge)))
    return np.array(sizes)


# A whole table at once ---------------------------------------------------------------------------


def unit_sums(table: Board, metric: str = "BLEU", unit: str = "document",
              systems: Sequence[int] | None = None) -> np.ndarray:
    """Sums of the statistics (G, J, K) over the units in which some system differs from another."""
    places = list(range(len(table.systems))) if systems is None else list(systems)
    labels = np.arange(table.segments) if unit == "segment" else table.documents
    units, number = _checks.labels("documents", labels, table.segments)
    sums = []
    for place in places:
        x = (table.bleu[place] if metric == "BLEU"
             else np.stack([-table.penalty[place], np.ones(table.segments)], axis=1))  # fmt: skip
        sums.append(group_sums(x, number, units))
    sums = np.stack(sums, axis=1)
    return sums[(sums != sums[:, :1]).any(axis=(1, 2))]


def scores_of(sums: np.ndarray, metric: str = "BLEU") -> np.ndarray:
    """Scores (..., J) of pooled sums (..., J, K)."""
    return metrics.bleu(sums) if metric == "BLEU" else metrics.mean(sums)


def shuffled(sums: np.ndarray, draws: int, rng) -> np.ndarray:
    """Pooled sums (draws, J, K) after the systems' names are shuffled within every unit."""
    units, systems, columns = sums.shape
    pooled = np.zeros((draws, systems, columns))
    start = np.broadcast_to(np.arange(systems), (draws, systems))
    for own in sums:
        pooled += own[rng.permuted(start, axis=1)]
    return pooled


def every_shuffle(sums: np.ndarray) -> np.ndarray:
    """Pooled sums ((J!)^(G-1), J, K) after each shuffle that leaves the first unit alone.

    The others only rename these, which a statistic such as the largest gap does not see.
    """
    units, systems, _ = sums.shape
    orders = np.array(list(permutations(range(systems))))
    number = np.arange(len(orders) ** (units - 1))
    pooled = np.repeat(sums[:1].astype(np.float64), len(number), axis=0)
    for own in sums[1:]:
        pooled += own[orders[number % len(orders)]]
        number //= len(orders)
    return pooled


def joint_cloud(
    sums: np.ndarray, metric: str = "BLEU", draws: int | str = DRAWS, seed=0
) -> Cloud:
    """The table's largest gap under shuffles of names within units, drawn or "all" of them.

    Its p-value is `rules.p_randomization` with "greater".
    """
    listed = draws == "all"
    pooled = every_shuffle(sums) if listed else shuffled(sums, draws, _checks.generator(seed))
    scores = scores_of(pooled, metric)
    observed = np.ptp(scores_of(sums.sum(axis=0), metric))
    scale = float(np.abs(scores).max())
    return Cloud(np.ptp(scores, axis=1), observed, "randomization", listed, scale)


def joint_p(sums: np.ndarray, metric: str = "BLEU", draws: int | str = DRAWS, seed=0) -> float:
    """p-value of the largest gap under the joint sharp null."""
    return rules.p_randomization(joint_cloud(sums, metric, draws, seed), "greater")


def p_on_shuffled(sums: np.ndarray, metric: str, tables: int, draws: int, seed) -> np.ndarray:
    """Joint p-values (tables,) of tables whose names were shuffled first: the null holds."""
    scores = scores_of(shuffled(sums, tables * (draws + 1), _checks.generator(seed)), metric)
    slack = clouds.TIE * np.abs(scores).max()
    sizes = np.ptp(scores, axis=1).reshape(tables, draws + 1)
    return (sizes >= sizes[:, :1] - slack).sum(axis=1) / (draws + 1)


def rejected_subsets(
    name: str, metric: str, systems: int, most: int, draws: int, seed
) -> tuple[int, int]:
    """Of the subsets of so many systems (`most` at random): how many the joint test rejects.

    By document; over all shuffles where at most 10,000 have to be looked at, else over `draws`.
    """
    table, rng = board(name), _checks.generator(seed)
    subsets = list(combinations(range(len(table.systems)), systems))
    if len(subsets) > most:
        subsets = [subsets[i] for i in rng.choice(len(subsets), most, replace=False)]
    hits = 0
    for subset in subsets:
        sums = unit_sums(table, metric, systems=subset)
        few = math.factorial(systems) ** (len(sums) - 1) <= MOST_SHUFFLES
        hits += joint_p(sums, metric, "all" if few else draws, rng) <= ALPHA
    return int(hits), len(subsets)


def pair_floor(units: int) -> Fraction:
    """The smallest two-sided p of one pair over all swaps of the units in which it differs."""
    return Fraction(2, 2**units)


def joint_floor(systems: int, units: int) -> Fraction:
    """The smallest p of a table over all shuffles, for a statistic that names do not change."""
    return Fraction(1, math.factorial(systems) ** (units - 1))


def units_needed(pairs: int, alpha: Fraction = Fraction(1, 20)) -> int:
    """The least G with 2^(G - 1) >= pairs/alpha, from which Holm over so many pairs can reject."""
    units = 1
    while pairs * pair_floor(units) > alpha:
        units += 1
    return units


# By hand: shuffles of integer tables, in fractions ------------------------------------------------

IntegerTable = tuple[tuple[int, ...], ...]


def shuffles(systems: int, units: int) -> list[tuple[tuple[int, ...], ...]]:
    """All (J!)^G lists of permutations."""
    return list(product(permutations(range(systems)), repeat=units))


def act(shuffle: tuple[tuple[int, ...], ...], table: IntegerTable) -> IntegerTable:
    """The table after a shuffle: in unit u, system j takes what system shuffle[u][j] had."""
    return tuple(tuple(row[j] for j in own) for own, row in zip(shuffle, table))


def spread_of(table: IntegerTable) -> int:
    """Largest minus smallest of the systems' sums."""
    sums = [sum(column) for column in zip(*table)]
    return max(sums) - min(sums)


def exact_rejections(table: IntegerTable, draws: int) -> dict[int, Fraction]:
    """r -> chance that p <= r / (B + 1), over all shuffles of the table and all lists of B draws.

    Every shuffle of the table is taken for the data once, and each draw acts on that table.
    """
    group = shuffles(len(table[0]), len(table))
    counts = {r: 0 for r in range(1, draws + 2)}
    for first in group:
        observed = act(first, table)
        size = spread_of(observed)
        hits = sum(spread_of(act(other, observed)) >= size for other in group)
        for r in counts:
            counts[r] += sum(math.comb(draws, b) * hits**b * (len(group) - hits) ** (draws - b)
                             for b in range(r))  # fmt: skip
    return {r: Fraction(count, len(group) ** (draws + 1)) for r, count in counts.items()}


def exact_listed(table: IntegerTable) -> list[Fraction]:
    """The p-value over all shuffles, for every shuffle of the table taken for the data."""
    sizes = [spread_of(act(shuffle, table)) for shuffle in shuffles(len(table[0]), len(table))]
    return [Fraction(sum(other >= size for other in sizes), len(sizes)) for size in sizes]


def range_law(systems: int, units: int) -> dict[int, Fraction]:
    """Law of the range of the sums when each unit gives +1 and -1 to two systems at random."""
    states = {(0,) * systems: Fraction(1)}
    chance = Fraction(1, systems * (systems - 1))
    for _ in range(units):
        after: dict[tuple[int, ...], Fraction] = {}
        for sums, p in states.items():
            for up, down in permutations(range(systems), 2):
                new = list(sums)
                new[up] += 1
                new[down] -= 1
                key = tuple(sorted(new))
                after[key] = after.get(key, Fraction(0)) + p * chance
        states = after
    law: dict[int, Fraction] = {}
    for sums, p in states.items():
        width = sums[-1] - sums[0]
        law[width] = law.get(width, Fraction(0)) + p
    return law


def naming_size(systems: int, units: int, alpha: Fraction = Fraction(1, 20)) -> Fraction:
    """How often two exchangeable systems are called different by a joint cloud of the whole table.

    In each unit a fair coin gives +1 to one of the two and -1 to the other; the remaining systems
    always have 0. The pair is named when the range reaches its gap in at most a share alpha of the
    shuffles.
    """
    law, size = range_law(systems, units), Fraction(0)
    for heads in range(units + 1):
        gap = 2 * abs(2 * heads - units)
        if sum(p for width, p in law.items() if width >= gap) <= alpha:
            size += Fraction(math.comb(units, heads), 2**units)
    return size


def naming_sizes(name: str, metric: str, draws: int = DRAWS, seed=0) -> tuple[int, np.ndarray]:
    """Pairs that a joint cloud by document would name, and each pair's size under its own null."""
    table, rng = board(name), _checks.generator(seed)
    cloud = joint_cloud(unit_sums(table, metric), metric, draws, rng)
    edge, named, sizes = critical(cloud) + cloud.slack, 0, []
    for i, j in combinations(range(len(table.systems)), 2):
        pairs = table.pair(i, j, metric, "document")
        few = pairs.units <= MOST_LISTED
        own = quietly(clouds.randomize, pairs, "all" if few else draws, rng)
        named += abs(pairs.gap) > edge
        sizes.append(float(np.mean(np.abs(own.gaps) > edge)))
    return int(named), np.array(sizes)


# People beside BLEU ------------------------------------------------------------------------------

AGREE, AGAINST, BLEU_ONLY, PEOPLE_ONLY, NEITHER = (
    "both, same direction", "both, opposite", "BLEU only", "people only", "neither",
)  # fmt: skip
KINDS = (AGREE, AGAINST, BLEU_ONLY, PEOPLE_ONLY, NEITHER)


@dataclass(frozen=True, eq=False)
class Agreement:
    """For every pair of a table: which of the two families rejects, and do the gaps agree; (k,)."""

    board: Board
    first: np.ndarray
    second: np.ndarray
    kinds: np.ndarray
    opposite: np.ndarray

    def count(self, kind: str) -> int:
        return int((self.kinds == kind).sum())


def agreement(name: str, unit: str = "segment", *, corrected: bool = False) -> Agreement:
    """BLEU's verdicts beside those of the human penalties on the same pairs."""
    by_bleu, by_people = all_pairs(name, "BLEU", unit), all_pairs(name, "MQM", unit)
    one, two = by_bleu.verdicts(corrected=corrected), by_people.verdicts(corrected=corrected)
    kinds = np.select(
        [one * two > 0, one * two < 0, one != 0, two != 0],
        [AGREE, AGAINST, BLEU_ONLY, PEOPLE_ONLY], NEITHER,
    )  # fmt: skip
    opposite = np.sign(by_bleu.gaps) != np.sign(by_people.gaps)
    return Agreement(by_bleu.board, by_bleu.first, by_bleu.second, kinds, opposite)


# Runs --------------------------------------------------------------------------------------------


def procedure_of(run: str) -> str:
    return run.split(" run ")[0]


@dataclass(frozen=True, eq=False)
class RunPair:
    """Two outputs of optimizer runs: gap, p-value and percentile interval."""

    title: str
    same: bool
    gap: float
    p: float
    interval: tuple[float, float]


def run_pairs(draws: int = 2_000, seed=0) -> list[RunPair]:
    """Every pair of the six outputs; pairs of one procedure last, each group by its gap."""
    family, rng, found = all_pairs("runs"), _checks.generator(seed), []
    for number, (i, j) in enumerate(zip(family.first, family.second)):
        pairs = family.board.pair(i, j)
        resampled = quietly(clouds.bootstrap, pairs, draws, rng)
        same = procedure_of(pairs.names[0]) == procedure_of(pairs.names[1])
        found.append(RunPair(family.title(number), same, pairs.gap, float(family.p[number]),
                             rules.percentile_interval(resampled)))  # fmt: skip
    return sorted(found, key=lambda pair: (pair.same, -pair.gap))


def dealt(scores_a: Iterable[float], scores_b: Iterable[float]) -> Fraction:
    """p-value of the gap of two means of runs over all ways to deal the runs to the procedures."""
    a, b = list(scores_a), list(scores_b)
    every, hits, ways = a + b, 0, 0
    observed = abs(np.mean(a) - np.mean(b))
    for chosen in combinations(range(len(every)), len(a)):
        rest = [x for i, x in enumerate(every) if i not in chosen]
        gap = abs(np.mean([every[i] for i in chosen]) - np.mean(rest))
        hits += bool(gap >= observed - clouds.TIE * max(np.abs(every)))
        ways += 1
    return Fraction(hits, ways)


# How small a gap is significant ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Critical:
    """Smallest significant gap of one pair on test sets of several sizes, with its prediction.

    mean, error: over drawn test sets, (sizes,). predicted: z s / sqrt(n).
    """

    title: str
    spread: float
    sizes: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    predicted: np.ndarray


def normal_quantile(alpha: float = ALPHA) -> float:
    from scipy.special import ndtri

    return float(ndtri(1 - alpha / 2))


def spread_per_segment(pairs: PairedSet) -> float:
    """s: the root mean square of the influences on the gap."""
    return quietly(delta_sd, pairs) * math.sqrt(pairs.n)


def smallest_significant(pairs: PairedSet, sizes: Sequence[int], sets: int, draws: int, seed,
                         title: str = "") -> Critical:
    """Draw test sets from the pair's segments and find where the randomization test rejects."""
    rng, found = _checks.generator(seed), []
    for n in sizes:
        index = rng.integers(pairs.n, size=(sets, n))
        found.append([
            critical(quietly(clouds.randomize, PairedSet(pairs.a[own], pairs.b[own]), draws, rng))
            for own in index
        ])  # fmt: skip
    found, sizes = np.array(found), np.array(sizes)
    spread = spread_per_segment(pairs)
    return Critical(title, spread, sizes, found.mean(axis=1),
                    found.std(axis=1, ddof=1) / math.sqrt(sets),
                    normal_quantile() * spread / np.sqrt(sizes))  # fmt: skip


def families_by_gap() -> list[tuple[str, Family]]:
    """Every table and unit of this chapter, from many units to few."""
    return [
        ("WMT17, by segment", all_pairs("WMT17")),
        ("runs, by segment", all_pairs("runs")),
        ("TED, by segment", all_pairs("TED")),
        ("WMT23, by segment", all_pairs("WMT23")),
        ("WMT23, by document", all_pairs("WMT23", unit="document")),
        ("TED, by talk", all_pairs("TED", unit="document")),
    ]  # fmt: skip


# Figures -----------------------------------------------------------------------------------------

BY_SEGMENT, BY_DOCUMENT = figures.EXTRA, figures.BOOTSTRAP


@figures.styled
def draw_two_eyes(table: Board):
    """The table's places by BLEU and by human penalty, one line for each system."""
    figure, axis = figures.canvas(height=3.1)
    bleu, penalty = table.scores(), table.scores("MQM")
    right = np.argsort(np.argsort(penalty, kind="stable"), kind="stable")
    for left, (name, place) in enumerate(zip(table.systems, right)):
        moved = left != place
        look = figures.BOOTSTRAP if moved else figures.REFERENCE
        axis.plot([0, 1], [left, place], look.line, color=look.color, marker=look.marker,
                  markersize=5, linewidth=1.8 if moved else 1.0)
        axis.annotate(f"{name}  {100 * bleu[left]:.1f}", (0, left), (-8, 0), ha="right",
                      va="center", textcoords="offset points")
        axis.annotate(f"{penalty[left]:.2f}  {name}", (1, place), (8, 0), ha="left", va="center",
                      textcoords="offset points")
    axis.set(xlim=(-0.75, 1.75), ylim=(len(table.systems) - 0.5, -0.6), yticks=[])
    axis.set_xticks([0, 1], ["by BLEU", "by human penalty"])
    axis.tick_params(length=0)
    for side in ("left", "bottom"):
        axis.spines[side].set_visible(False)
    return figure


@figures.styled
def draw_published(p: dict[str, tuple[np.ndarray, np.ndarray]], curve: np.ndarray):
    """sacreBLEU's p-values against those of randomization, with the curve of the normal limit.

    p: table -> (randomization (k,), sacreBLEU (k,)). curve: (2, points), the same in the limit.
    """
    figure, axis = figures.canvas(height=3.4)
    axis.fill_between([ALPHA, 1.15], 0.0007, ALPHA, facecolor="none", hatch="///",
                      edgecolor=figures.BAND.color, linewidth=0, label="only sacreBLEU rejects")
    for (name, (right, tool)), look in zip(p.items(), figures.LOOKS):
        axis.plot(right, tool, look.marker, color=look.color, markersize=5, alpha=0.75, label=name,
                  linestyle="none")
    axis.plot(*curve, figures.REFERENCE.line, color=figures.REFERENCE.color, label="normal limit")
    for line in (axis.axhline, axis.axvline):
        line(ALPHA, color=figures.REFERENCE.color, linewidth=0.7)
    axis.set(xscale="log", yscale="log", xlim=(0.00008, 1.15), ylim=(0.0007, 1.15),
             xlabel="p of randomization", ylabel="p that sacreBLEU prints")
    axis.legend(loc="upper left")
    return figure


def _squares(axis, table: Board, row, column, level):
    """One mark a pair: filled where Holm rejects (2), hollow where the pair alone does (1)."""
    look = figures.BOOTSTRAP
    for wanted, size, face in ((0, 2, look.color), (1, 6, "white"), (2, 6, look.color)):
        chosen = level == wanted
        axis.plot(column[chosen], row[chosen], "o" if wanted == 0 else "s", linestyle="none",
                  color=look.color, markersize=size * 8 / len(table.systems) ** 0.9 + 1,
                  markerfacecolor=face, label=("neither", "alone", "after Holm")[wanted])


def _matrix(axis, table: Board, title: str):
    """An empty matrix of the table's systems by the table's systems."""
    count = len(table.systems)
    edge = [-0.5, count - 0.5]
    axis.plot(edge, edge, color=figures.REFERENCE.color, linewidth=0.8)
    axis.set_yticks(range(count), [f"{name}  {i + 1}" for i, name in enumerate(table.systems)],
                    fontsize=7)
    axis.set_xticks(range(count), range(1, count + 1), fontsize=7)
    axis.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5), aspect="equal")
    axis.tick_params(length=0)
    axis.set_xlabel(title)


@figures.styled
def draw_units(panels: Sequence[tuple[Family, Family]]):
    """Verdicts of all pairs as a matrix: below the diagonal by segment, above it by document."""
    figure, axes = figures.canvas(1, len(panels), height=3.3)
    for axis, (by_segment, by_document) in zip(np.atleast_1d(axes), panels):
        table = by_segment.board
        _matrix(axis, table, f"{table.name}, {by_segment.metric}")
        for family, below in ((by_segment, True), (by_document, False)):
            level = np.abs(family.verdicts()) + np.abs(family.verdicts(corrected=True))
            row, column = ((family.second, family.first) if below
                           else (family.first, family.second))  # fmt: skip
            _squares(axis, table, row, column, level)
    handles, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(handles[:3], labels[:3], loc="outside lower center", ncols=3)
    return figure


@figures.styled
def draw_design_effects(effects: dict[str, np.ndarray]):
    """Design effects of all pairs of a table, one row for each table and metric."""
    figure, axis = figures.canvas(height=0.45 * len(effects) + 0.9)
    for place, values in enumerate(effects.values()):
        axis.plot(values, np.full(len(values), place), "|", color=BY_DOCUMENT.color, markersize=13,
                  markeredgewidth=1)
        axis.plot(np.median(values), place, figures.OBSERVED.marker, color=figures.OBSERVED.color,
                  label="median" if place == 0 else None, linestyle="none")
    axis.axvline(1, **figures.REFERENCE.stroke)
    axis.set_yticks(range(len(effects)), list(effects))
    axis.set_ylim(len(effects) - 0.5, -0.5)
    axis.set_xscale("log")
    ticks = (0.25, 0.5, 1, 2, 4, 8)
    axis.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    axis.set(xlabel="design effect of the gap")
    axis.legend(loc="upper right")
    return figure


@figures.styled
def draw_joint(clouds_of: dict[str, Cloud], scale: Sequence[float]):
    """The largest gap of a table under shuffles of names, with the observed one."""
    figure, axes = figures.canvas(1, len(clouds_of), height=2.7)
    for axis, (label, cloud), factor in zip(np.atleast_1d(axes), clouds_of.items(), scale):
        values, observed = factor * cloud.gaps, factor * cloud.observed
        counted = cloud.gaps >= cloud.observed - cloud.slack
        edges = figures.bin_edges(np.append(values, observed), 40)
        figures.tail_histogram(axis, values, counted, edges, figures.RANDOMIZATION, "shuffles",
                               "counted into p")  # fmt: skip
        axis.axvline(observed, **figures.OBSERVED.stroke, label="observed")
        axis.set(xlabel=label, ylabel="draws")
    handles, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


KIND_LOOKS = {
    AGREE: (figures.BOOTSTRAP, "o", True),
    AGAINST: (figures.OBSERVED, "X", True),
    BLEU_ONLY: (figures.RANDOMIZATION, "s", False),
    PEOPLE_ONLY: (figures.EXTRA, "^", False),
    NEITHER: (figures.REFERENCE, ".", True),
}


@figures.styled
def draw_agreement(found: Sequence[Agreement]):
    """One mark for each pair says who rejects; shaded where the two gaps have opposite signs."""
    figure, axes = figures.canvas(1, len(found), height=3.5)
    for axis, one in zip(np.atleast_1d(axes), found):
        _matrix(axis, one.board, one.board.name)
        for row, column in zip(one.second[one.opposite], one.first[one.opposite]):
            axis.fill_between([column - 0.5, column + 0.5], row - 0.5, row + 0.5, linewidth=0,
                              facecolor=figures.BAND.color, alpha=0.6)
        for kind, (look, marker, filled) in KIND_LOOKS.items():
            chosen = one.kinds == kind
            axis.plot(one.first[chosen], one.second[chosen], marker, color=look.color, label=kind,
                      markersize=3 if kind == NEITHER else 44 / len(one.board.systems) + 2,
                      markerfacecolor=look.color if filled else "white", linestyle="none")
    handles, labels = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


@figures.styled
def draw_runs(found: Sequence[RunPair]):
    """Intervals of all pairs of runs; filled marks are significant by themselves."""
    figure, axis = figures.canvas(height=3.9)
    for place, pair in enumerate(found):
        look = figures.RANDOMIZATION if pair.same else figures.BOOTSTRAP
        axis.plot(100 * np.array(pair.interval), [place, place], look.line, color=look.color)
        axis.plot(100 * pair.gap, place, look.marker, color=look.color,
                  markerfacecolor=look.color if pair.p <= ALPHA else "white")
    axis.axvline(0, **figures.REFERENCE.stroke)
    across = sum(not pair.same for pair in found)
    axis.axhline(across - 0.5, color=figures.BAND.color, linewidth=0.8)
    axis.set_yticks(range(len(found)), [pair.title for pair in found], fontsize=7.5)
    axis.invert_yaxis()
    axis.set(xlabel="gap, BLEU points, with 95% interval")
    kinds = ((figures.BOOTSTRAP, "two procedures"), (figures.RANDOMIZATION, "one procedure"))
    for look, name in kinds:
        axis.plot([], [], look.line, marker=look.marker, color=look.color, label=name)
    axis.legend(loc="lower right")
    return figure


@figures.styled
def draw_all_gaps(families: Sequence[tuple[str, Family]]):
    """Sizes of all BLEU gaps, one row for each table and unit; filled marks are significant."""
    figure, axis = figures.canvas(height=3.1)
    for place, (_, family) in enumerate(families):
        sizes, found = 100 * np.abs(family.gaps), family.verdicts() != 0
        for chosen, look, shift, face in ((~found, figures.EXTRA, 0.17, "white"),
                                          (found, figures.BOOTSTRAP, -0.17, None)):
            axis.plot(sizes[chosen], np.full(chosen.sum(), place + shift), look.marker,
                      color=look.color, markersize=4.5, markerfacecolor=face or look.color,
                      linestyle="none", label=None if place else
                      ("significant" if face is None else "not significant"))
    axis.axvline(1, **figures.REFERENCE.stroke, label="1 BLEU")
    axis.set_yticks(range(len(families)), [name for name, _ in families])
    axis.set_ylim(len(families) - 0.5, -0.5)
    axis.set_xscale("log")
    ticks = (0.01, 0.1, 0.5, 1, 2, 5, 10)
    axis.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    axis.set(xlabel="size of the gap, BLEU points")
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_critical(found: Sequence[Critical]):
    """Smallest significant gap against the number of segments, measured and predicted."""
    figure, axis = figures.canvas(height=3.1)
    for one, look in zip(found, figures.LOOKS):
        axis.plot(one.sizes, 100 * one.predicted, **look.stroke, linewidth=1)
        axis.errorbar(one.sizes, 100 * one.mean, 300 * one.error, linestyle="none", capsize=3,
                      marker=look.marker, color=look.color, label=one.title)
    axis.axhline(1, **figures.REFERENCE.stroke, label="1 BLEU")
    axis.set(xscale="log", yscale="log", xlabel="segments", ylabel="smallest significant gap, BLEU")
    axis.set_xticks(found[0].sizes, [f"{n:,}" for n in found[0].sizes])
    ticks = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
    axis.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    axis.set_ylim(0.012, 5)
    axis.legend(loc="lower left", fontsize=7.5)
    return figure


# The lab -----------------------------------------------------------------------------------------

LAB_DRAWS = 1_999
LAB_HEAD = ["read-out", "value"]


@dataclass(frozen=True, eq=False)
class Tested:
    """One setting of the lab: the pair, both clouds, and what the table holds besides."""

    table: Board
    pairs: PairedSet
    metric: str
    unit: str
    resampled: Cloud
    swapped: Cloud
    seed: int

    @property
    def p(self) -> float:
        return rules.p_randomization(self.swapped)

    @property
    def differing(self) -> int:
        return int((self.pairs.unit_a != self.pairs.unit_b).any(axis=1).sum())


def lab_result(test_set: str, first: int, second: int, unit: str, metric: str, seed: int) -> Tested:
    """Both clouds of two systems given by place, from 1.

    A place beyond the last is the last; a table without documents or penalties is tested by segment
    and by BLEU.
    """
    table = board(test_set)
    last = len(table.systems)
    metric = "BLEU" if table.penalty is None else metric
    unit = "segment" if table.documents is None else unit
    pairs = table.pair(min(first, last) - 1, min(second, last) - 1, metric, unit)
    rng = _checks.generator(seed)
    resampled = quietly(clouds.bootstrap, pairs, LAB_DRAWS, rng)
    differing = int((pairs.unit_a != pairs.unit_b).any(axis=1).sum())
    draws = "all" if differing <= MOST_LISTED else LAB_DRAWS
    return Tested(table, pairs, metric, unit, resampled,
                  quietly(clouds.randomize, pairs, draws, rng), seed)  # fmt: skip


def lab_readouts(found: Tested) -> list[list[str]]:
    """The lab's numbers as rows of text: (read-out, value)."""
    factor, digits = (100, ".2f") if found.metric == "BLEU" else (1, ".3f")
    k = len(found.table.systems) * (len(found.table.systems) - 1) // 2
    low, high = (factor * end for end in rules.percentile_interval(found.resampled))
    least = float(pair_floor(found.differing)) if found.differing else 1.0
    shown = f"{least:.4f}" if least >= 0.0001 else "below 0.0001"
    alone, corrected = found.p, min(1.0, k * found.p)
    return [
        ["gap, first minus second", f"{factor * found.pairs.gap:+{digits}}"],
        ["95% percentile interval", f"{low:+{digits}} to {high:+{digits}}"],
        ["randomization p", f"{alone:.4f} ({'rejects' if alone <= ALPHA else 'does not reject'})"],
        [f"p times the {k} pairs of the table",
         f"{corrected:.4f} ({'rejects' if corrected <= ALPHA else 'does not reject'})"],
        ["what sacreBLEU's bootstrap rule gives",
         f"{quietly(rules.p_sacrebleu, found.resampled):.4f}"],
        [f"{found.unit}s that differ; floor of swaps", f"{found.differing}; {shown}"],
    ]  # fmt: skip


@figures.styled
def draw_lab(found: Tested):
    """Resampled and swapped gaps of one pair, with the observed gap."""
    figure, axis = figures.canvas(height=2.6, margins={"left": 0.1, "right": 0.98, "top": 0.88,
                                                       "bottom": 0.2})
    factor = 100 if found.metric == "BLEU" else 1
    resampled, swapped = factor * found.resampled.gaps, factor * found.swapped.gaps
    edges = figures.bin_edges(np.concatenate([resampled, swapped]), 60)
    counted = np.abs(found.swapped.gaps) >= abs(found.swapped.observed) - found.swapped.slack
    weight = len(resampled) / len(swapped)
    for chosen, filled in ((np.ones(len(swapped), dtype=bool), False), (counted, True)):
        heights, _ = np.histogram(swapped[chosen], edges)
        look = figures.RANDOMIZATION
        axis.stairs(weight * heights, edges, color=look.color, fill=filled,
                    linestyle="solid" if filled else look.line,  # Matplotlib 3.8 dashes no line of width 0
                    alpha=0.55 if filled else 1, hatch=look.hatch if filled else None,
                    label="swapped, counted into p" if filled else "swapped")  # fmt: skip
    heights, _ = np.histogram(resampled, edges)
    axis.stairs(heights, edges, color=figures.BOOTSTRAP.color, label="resampled")
    axis.axvline(factor * found.pairs.gap, **figures.OBSERVED.stroke, label="observed gap")
    unit = "BLEU points" if found.metric == "BLEU" else "penalty points, turned"
    axis.set(xlabel=f"gap, {unit}", ylabel="draws")
    figure.legend(*axis.get_legend_handles_labels(), loc="upper center", ncols=4)
    return figure


def lab_title(found: Tested) -> str:
    return (f"{found.table.name}: {' − '.join(found.pairs.names)}, {found.metric}, by "
            f"{found.unit}, {LAB_DRAWS:,} draws, seed {found.seed}")  # fmt: skip


def lab_frame(
    test_set: str, first: int, second: int, unit: str, metric: str, seed: int
) -> str:
    """The lab's view as HTML: both clouds and the read-outs."""
    found = lab_result(test_set, first, second, unit, metric, seed)
    readouts = lab_readouts(found)
    alt = (f"Histograms of resampled gaps around the observed gap {readouts[0][1]} and of swapped "
           "gaps around zero; the hatched swapped gaps, those that reach the observed one, make "
           f"p = {found.p:.4f}.")
    return figures.image_tag(draw_lab(found), alt) + figures.table(
        LAB_HEAD, readouts, lab_title(found))  # fmt: skip


def systems_lab():
    """The real-systems lab: test set, two places in its table, unit, metric, new draws."""
    most = max(len(board(name).systems) for name in BOARDS)
    return widgets.experiment(lab_frame, {
        "test_set": widgets.choice("test set", list(BOARDS), "WMT23"),
        "first": widgets.whole("place of the first", 1, most, 1),
        "second": widgets.whole("place of the second", 1, most, 5),
        "unit": widgets.choice("unit", ["segment", "document"], "document"),
        "metric": widgets.choice("metric", ["BLEU", "MQM"], "BLEU"),
        "seed": widgets.whole("new draws: seed", 0, 50, 0),
    })


# Settings of the lab that a lecture steps through.
LECTURE = (
    {"test_set": "WMT23", "first": 1, "second": 5, "unit": "document", "metric": "BLEU", "seed": 0},
    {"test_set": "WMT23", "first": 1, "second": 5, "unit": "segment", "metric": "BLEU", "seed": 0},
    {"test_set": "TED", "first": 4, "second": 12, "unit": "segment", "metric": "BLEU", "seed": 0},
    {"test_set": "TED", "first": 4, "second": 12, "unit": "document", "metric": "BLEU", "seed": 0},
    {"test_set": "runs", "first": 1, "second": 5, "unit": "segment", "metric": "BLEU", "seed": 0},
)
