"""What the filings world must show, point by point, for any seed of its generator.

Used by the tests on the frozen world and by `make_data.py --seeds`, which counts over a hundred
other seeds how often each point holds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

import sigbook as sb
from sigbook.worlds import filings

DRAWS = 9_999
FAMILY = tuple(filings.REVERSED)


@dataclass(frozen=True)
class Counts:
    """Statistics of one world: system -> (n, 10) BLEU statistics, system -> (n, 3) facts; and the
    seed of the draws made on it."""

    bleu: dict[str, np.ndarray]
    facts: dict[str, np.ndarray]
    seed: int = 0

    def pair(self, a: str, b: str, metric: str = "bleu", rows=slice(None)) -> sb.PairedSet:
        """The two systems on the filings of `rows`."""
        table = self.bleu if metric == "bleu" else self.facts
        return sb.PairedSet(table[a][rows], table[b][rows], metric=metric, names=(a, b))

    def matched(self, system: str) -> int:
        """Pooled matched 4-grams of a system."""
        return int(self.bleu[system][:, 5].sum())


def frozen() -> Counts:
    """The world of `data/filings/`."""
    return Counts(*({name: filings.statistics(name, metric) for name in filings.SYSTEMS}
                    for metric in ("bleu", "fact-f1")))


def drawn(seed: int) -> Counts:
    """The world of another seed, with draws of that seed."""
    world = filings.generate(seed)
    return Counts(*({name: filings.statistics(name, metric, world) for name in filings.SYSTEMS}
                    for metric in ("bleu", "fact-f1")), seed)


def p_swap(world: Counts, a: str, b: str, metric: str = "bleu") -> float:
    """Two-sided randomization p-value of a pair."""
    return sb.p_randomization(sb.randomize(world.pair(a, b, metric), draws=DRAWS, seed=world.seed))


def resampled(world: Counts, a: str, b: str, rows=slice(None)) -> sb.Cloud:
    """Bootstrap cloud of a pair's BLEU gap."""
    return sb.bootstrap(world.pair(a, b, rows=rows), draws=DRAWS, seed=world.seed)


def close_pairs(world: Counts) -> bool:
    """Writer over noisy-0.1: a BLEU gap below 0.02 with randomization p ≤ 0.001."""
    gap = world.pair("writer", "noisy-0.1").gap
    return 0 < gap < 0.02 and p_swap(world, "writer", "noisy-0.1") <= 0.001


def skewed(world: Counts) -> bool:
    """The bootstrap cloud of that gap is skewed: Koehn's and the recentered p-value differ."""
    cloud = resampled(world, "writer", "noisy-0.1")
    return sb.p_koehn(cloud) != sb.p_recentered(cloud)


def same_size_unsettled(world: Counts) -> bool:
    """Extract against textrank: a gap between half and twice that one with p ≥ 0.1."""
    ratio = abs(world.pair("extract", "textrank").gap) / world.pair("writer", "noisy-0.1").gap
    return 0.5 <= ratio <= 2 and p_swap(world, "extract", "textrank") >= 0.1


def same_lengths(world: Counts) -> bool:
    """The writer and its reversed versions: identical lengths, pooled c/r within 2% of 1."""
    lengths = [world.bleu[name][:, :2] for name in FAMILY]
    c, r = lengths[0].sum(axis=0)
    return all(np.array_equal(lengths[0], other) for other in lengths) and abs(c / r - 1) < 0.02


def few_matches(world: Counts) -> bool:
    """Every extractor matches between 1 and 10 of the references' 4-grams."""
    return all(1 <= world.matched(name) <= 10 for name in filings.EXTRACTORS)


def ten_filings(world: Counts, tries: int = 200) -> tuple[int, ...] | None:
    """Ten filings, one with extract's only matched 4-gram and none with textrank's, on which every
    other order matches and the enumerated randomization p is at least 0.5; None if none is found."""
    extract, textrank = (world.bleu[name] for name in ("extract", "textrank"))
    carriers = np.flatnonzero((extract[:, 5] == 1) & (textrank[:, 5] == 0))
    others = np.flatnonzero((extract[:, 5] == 0) & (textrank[:, 5] == 0))
    rng = np.random.default_rng(world.seed)
    for _ in range(tries if len(carriers) else 0):
        chosen = [int(rng.choice(carriers)), *rng.permutation(others)[:9].tolist()]
        if (textrank[chosen, 2:5].sum(axis=0) > 0).all() and is_spike(world, sorted(chosen)):
            return tuple(sorted(chosen))
    return None


def is_spike(world: Counts, rows) -> bool:
    """On these filings at least 30% of the resampled gaps are exactly 0, the recentered p is at
    most 0.01 and the enumerated randomization p at least 0.5."""
    pairs = world.pair("extract", "textrank", rows=list(rows))
    if sb.p_randomization(sb.randomize(pairs, draws="all")) < 0.5:
        return False
    cloud = resampled(world, "extract", "textrank", list(rows))
    return np.mean(cloud.gaps == 0) >= 0.3 and sb.p_recentered(cloud) <= 0.01


def spike(world: Counts) -> bool:
    """On some ten filings, one of which holds the only matched 4-gram of extract and textrank, at
    least 30% of the resampled gaps are 0, the recentered p is ≤ 0.01, the randomization p ≥ 0.5."""
    return ten_filings(world) is not None


def facts_hidden(world: Counts) -> bool:
    """Writer over extract: a BLEU gap above 0.3 while both get every fact right."""
    bleu, facts = (world.pair("writer", "extract", metric) for metric in ("bleu", "f1"))
    return bleu.gap > 0.3 and facts.score_a == facts.score_b == 1


def bleu_blind(world: Counts) -> bool:
    """Terse against flipped: no significant BLEU gap (p > 0.05), fact F1 apart by at least 0.5."""
    return (p_swap(world, "terse", "flipped") > 0.05
            and world.pair("terse", "flipped", "f1").gap >= 0.5)


def opposite(world: Counts) -> bool:
    """Flipped beats at least two extractors on BLEU and loses to them on fact F1, both p ≤ 0.05."""
    beaten = 0
    for name in filings.EXTRACTORS:
        bleu, facts = (world.pair("flipped", name, metric).gap for metric in ("bleu", "f1"))
        beaten += bleu > 0 > facts and all(p_swap(world, "flipped", name, metric) <= 0.05
                                           for metric in ("bleu", "f1"))
    return beaten >= 2


def sd_error(world: Counts, a: str, b: str) -> float:
    """How far the delta-method sd is from the bootstrap sd, relative to the latter."""
    return abs(sb.delta_sd(world.pair(a, b)) / resampled(world, a, b).sd - 1)


def linear(world: Counts) -> bool:
    """Delta-method sd within 5% of the bootstrap sd for every pair with 50 matched 4-grams each."""
    rich = [name for name in filings.SYSTEMS if world.matched(name) >= 50]
    return all(sd_error(world, a, b) < 0.05 for a, b in combinations(rich, 2))


def not_linear(world: Counts) -> bool:
    """It is at least 8% off for some pair of extractors."""
    usable = [name for name in filings.EXTRACTORS if world.matched(name) > 0]
    return any(sd_error(world, a, b) >= 0.08 for a, b in combinations(usable, 2))


POINTS: dict[str, Callable[[Counts], bool]] = {
    "1a": close_pairs, "1b": skewed, "1c": same_size_unsettled,
    "2a": same_lengths, "2b": few_matches, "2c": spike,
    "3a": facts_hidden, "3b": bleu_blind, "3c": opposite,
    "4a": linear, "4b": not_linear,
}


def holds(world: Counts) -> dict[str, bool]:
    """Which points hold on a world."""
    with warnings.catch_warnings():
        # The extractors' few 4-grams are what some points are about.
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        return {name: bool(point(world)) for name, point in POINTS.items()}
