"""Scores of three spoof detectors on recordings from forty sources.

A source is a place of recording (a speaker, a room, a device). It has genuine recordings, label 1,
and spoofs made from them, label 0, of the same source. Sources differ in size and in how well each
detector tells the two kinds apart; a score is higher for what the detector takes to be genuine.

- ``spectral`` and ``neural`` have good and bad sources, not the same ones, and small offsets: what
  is a high score in one source is a middling one in another;
- ``uncalibrated`` separates the kinds nearly perfectly within each source, around a level that
  differs from source to source by more than that.

Scores are sums of integers drawn at random, in thousandths of a unit, so that a seed gives the same
table on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sigbook import data
from sigbook._checks import choice, generator

SEED = 3
SOURCES = 40
DETECTORS = ("spectral", "neural", "uncalibrated")
FILE = "detectors/scores.csv.gz"

_FEWEST, _MOST = 12, 48
# Per detector, in thousandths: mean distance of the kinds, its sd over sources, sd of the offsets.
# The noise of a single recording has sd 1,000.
_LAWS = {"spectral": (2_700, 700, 600), "neural": (2_800, 700, 600),
         "uncalibrated": (7_500, 300, 8_000)}


@dataclass(frozen=True, eq=False)
class Detectors:
    """The trials: labels (n,) int64, sources (n,) int64, scores: detector -> (n,) int64."""

    labels: np.ndarray
    sources: np.ndarray
    scores: dict[str, np.ndarray]

    def of_sources(self, chosen) -> Detectors:
        """The trials of some sources."""
        inside = np.isin(self.sources, chosen)
        return Detectors(self.labels[inside], self.sources[inside],
                         {name: x[inside] for name, x in self.scores.items()})


def generate(seed, sources: int = SOURCES) -> Detectors:
    """Record ``sources`` sources and score their recordings."""
    rng = generator(seed)
    sizes = rng.integers(_FEWEST, _MOST + 1, size=(sources, 2), dtype=np.int64)
    number = np.repeat(np.arange(sources, dtype=np.int64), sizes.sum(axis=1))
    labels = np.concatenate([np.repeat(np.array([1, 0], dtype=np.int64), pair) for pair in sizes])
    scores = {}
    for name in DETECTORS:
        distance, spread, offset = _LAWS[name]
        distances = distance + _normal(rng, spread, sources)
        offsets = _normal(rng, offset, sources)
        noise = _normal(rng, 1_000, len(number))
        scores[name] = distances[number] * labels + offsets[number] + noise
    return Detectors(labels, number, scores)


@cache
def load() -> Detectors:
    """The frozen world, `generate(SEED)`. Its arrays are read-only."""
    table = data.read_csv(FILE)
    for column in table.values():
        column.flags.writeable = False
    return Detectors(table["label"], table["source"], {name: table[name] for name in DETECTORS})


def columns(world: Detectors) -> dict[str, np.ndarray]:
    """The columns of the frozen table."""
    return {"source": world.sources, "label": world.labels, **world.scores}


def scores(name: str, world: Detectors | None = None) -> np.ndarray:
    """(n,) scores of a detector, of the frozen world by default. Raises ValueError if unknown."""
    return (load() if world is None else world).scores[choice("detector", name, DETECTORS)]


def _normal(rng, sd, size):
    """Nearly normal integers of mean 0: the sum of twelve uniform ones, of variance about sd^2."""
    return rng.integers(-sd, sd + 1, size=(size, 12), dtype=np.int64).sum(axis=1) // 2
