"""Filings whose sentences speak of one or two aspects, and three readers right or wrong on each.

A sentence calls an aspect of the business good (1) or bad (0): "demand was strong", or "sales were
brisk, but margins were soft". A sentence with two aspects always pairs opposite polarities. Words
are general ones or words of the filing's sector. A filing keeps its habit: each general word that
it uses makes further general words likelier, each sector word further sector words (a Pólya urn,
so that the share of sector words follows a beta law over filings).

Three readers name the polarity of each aspect, and call what they do not know good:

- ``lexicon`` looks up the word beside the aspect; its lexicon holds the general words;
- ``blind`` has the same lexicon and gives every sentence one polarity, whatever is asked, so that
  it is right on exactly one aspect of each two-aspect sentence;
- ``specialist`` has learned from filings of two of the four sectors: it knows their words and lacks
  a third of the general ones.

Everything is drawn from integers, so that a seed gives the same filings on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sigbook import data
from sigbook._checks import choice, generator
from sigbook.pairs import PairedSet

SEED = 3
FILINGS = 1_500
READERS = ("lexicon", "blind", "specialist")
FILE = "aspects/right.csv.gz"

# Urn: general words, sector words, and what a word adds to its kind. In thousandths: sentences with
# two aspects.
_GENERAL, _SECTOR, _MORE = 59, 41, 25
_TWO = 97

_ASPECTS = ("demand", "the order book", "pricing", "the cash position", "the margin", "the outlook",
            "export business", "cost control", "the pipeline", "service quality")
_WORDS = (("weak", "poor", "difficult", "bad", "disappointing", "worse"),
          ("strong", "good", "healthy", "solid", "better", "favorable"))
_LACKING = 2
# For each sector: words for bad and for good.
_SECTOR_WORDS = ((("overstocked", "marked down"), ("sold through", "fully priced")),
                 (("underwater", "provisioned"), ("well covered", "performing")),
                 (("curtailed", "shut in"), ("on stream", "debottlenecked")),
                 (("delayed", "off label"), ("approved", "first in class")))
_KNOWN_SECTORS = (0, 1)


@dataclass(frozen=True, eq=False)
class Aspects:
    """Who is right on which aspect.

    filing, sentence: (n,) int64, the filing (from 0) and the sentence (numbered through all
    filings) of each aspect. polarity: (n,) int64, 1 good, 0 bad. right: reader -> (n,) int64.
    """

    filing: np.ndarray
    sentence: np.ndarray
    polarity: np.ndarray
    right: dict[str, np.ndarray]

    @property
    def two(self) -> np.ndarray:
        """(n,) bool: is the aspect one of two in its sentence?"""
        return np.bincount(self.sentence)[self.sentence] == 2


@dataclass(frozen=True)
class Sentence:
    """One sentence: its filing's sector, and per aspect its name, its word and its polarity."""

    sector: int
    aspects: tuple[str, ...]
    words: tuple[str, ...]
    polarities: tuple[int, ...]

    @property
    def text(self) -> str:
        parts = [f"{aspect} was {word}" for aspect, word in zip(self.aspects, self.words)]
        joined = ", but ".join(parts)
        return f"{joined[0].upper()}{joined[1:]}."


def filings(n: int, seed) -> tuple[tuple[Sentence, ...], ...]:
    """The sentences of ``n`` filings."""
    rng = generator(seed)
    return tuple(_filing(rng) for _ in range(n))


def answers(sentence: Sentence) -> dict[str, tuple[int, ...]]:
    """What each reader says of each aspect of a sentence: reader -> polarities."""
    heard = [_LEXICON.get(word) for word in sentence.words]
    # The blind reader adds up the words that it knows; a draw counts as good.
    whole = int(sum(1 if x else -1 for x in heard if x is not None) >= 0)
    return {
        "lexicon": tuple(1 if x is None else x for x in heard),
        "blind": (whole,) * len(heard),
        "specialist": tuple(_SPECIALIST.get(word, 1) for word in sentence.words),
    }


def generate(seed, n: int = FILINGS) -> Aspects:
    """Write ``n`` filings and let the readers read them."""
    rows, number = [], 0
    for filing, sentences in enumerate(filings(n, seed)):
        for sentence in sentences:
            said = answers(sentence)
            for i, polarity in enumerate(sentence.polarities):
                marks = (int(said[reader][i] == polarity) for reader in READERS)
                rows.append((filing, number, polarity, *marks))
            number += 1
    return _world(np.array(rows, dtype=np.int64).T)


@cache
def load() -> Aspects:
    """The frozen world, `generate(SEED)`. Its arrays are read-only."""
    table = data.read_csv(FILE)
    for column in table.values():
        column.flags.writeable = False
    return _world(table.values())


def columns(world: Aspects) -> dict[str, np.ndarray]:
    """The columns of the frozen table."""
    return {"filing": world.filing, "sentence": world.sentence, "polarity": world.polarity,
            **world.right}


def pair(first: str, second: str, clusters: str | None = None,
         world: Aspects | None = None) -> PairedSet:
    """Two readers on all aspects, scored by accuracy.

    clusters: "sentence", "filing" or None for single aspects. `world` is the frozen one by default.
    Raises ValueError for an unknown reader or another kind of cluster.
    """
    world = load() if world is None else world
    a, b = (world.right[choice("reader", name, READERS)] for name in (first, second))
    labels = None
    if clusters is not None:
        labels = getattr(world, choice("clusters", clusters, ("sentence", "filing")))
    return PairedSet(a, b, "mean", clusters=labels, names=(first, second))


def _world(found):
    filing, sentence, polarity, *marks = found
    return Aspects(filing, sentence, polarity, dict(zip(READERS, marks)))


# Text ---------------------------------------------------------------------------------------------

_LEXICON = {word: polarity for polarity in (0, 1) for word in _WORDS[polarity]}
_SPECIALIST = {
    word: polarity for polarity in (0, 1)
    for words in (_WORDS[polarity][_LACKING:], *(_SECTOR_WORDS[s][polarity] for s in _KNOWN_SECTORS))
    for word in words}


def _filing(rng):
    sector = int(rng.integers(len(_SECTOR_WORDS)))
    general, special = _GENERAL, _SECTOR
    sentences = []
    for _ in range(2 + rng.integers(7) + rng.integers(8)):
        first = int(rng.integers(2))
        polarities = (first, 1 - first) if rng.integers(1000) < _TWO else (first,)
        names, words = [], []
        for polarity in polarities:
            if rng.integers(general + special) < general:
                general += _MORE
                words.append(_one_of(_WORDS[polarity], rng))
            else:
                special += _MORE
                words.append(_one_of(_SECTOR_WORDS[sector][polarity], rng))
            names.append(_one_of([name for name in _ASPECTS if name not in names], rng))
        sentences.append(Sentence(sector, tuple(names), tuple(words), polarities))
    return tuple(sentences)


def _one_of(options, rng):
    return options[rng.integers(len(options))]
