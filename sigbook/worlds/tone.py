"""Filings labelled for tone, and six classifiers that are right or wrong on each.

A filing is favourable (1) or unfavourable (0) and says so in a few statements, three of four of
which agree with its tone. Some statements carry a plain word ("demand was strong"), some its
denial ("trading was not strong"), in some only the pair of words counts: sales that rose are good
news, costs that rose are not. Each filing also returns to one theme again and again; themes lean
to one tone, and weakly.

Naive Bayes takes each repetition of a theme for fresh evidence, logistic regression learns to
discount it; models that see pairs of words understand denials and directions. So three of the four
pairs in `PAIRS` differ, while the two bigram models of the last but one are nearly equal.

The texts are drawn from integers, so that a seed gives the same ones on every machine. The
classifiers are scikit-learn's, whose optimizers round differently from one processor to another:
made elsewhere, a classifier may be right on other filings, at most `TOLERANCE` of the 1,500.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sigbook import data
from sigbook._checks import choice, generator
from sigbook.pairs import PairedSet

SEED = 5
OTHER_SEEDS = range(100, 200)
TRAINING, TEST = 6_000, 1_500
MODELS, GRAMS = ("nb", "lr", "nbw"), ("unigrams", "bigrams")
CLASSIFIERS = tuple(f"{model} {grams}" for grams in GRAMS for model in MODELS)
PAIRS = (("lr unigrams", "nb unigrams"), ("lr bigrams", "lr unigrams"),
         ("nbw bigrams", "lr bigrams"), ("nbw bigrams", "nbw unigrams"))
TOLERANCE = 2

TEXTS_FILE = "tone/texts.json.gz"
RIGHT_FILE = "tone/right.csv.gz"
SEEDS_FILE = "tone/seeds.csv.gz"

# Inverse strengths of the penalty (scikit-learn's C) of the two regressions.
_C = {"lr": 0.3, "nbw": 1.0}

# In hundredths: statements with the filing's own tone; statements with a plain word and with a
# denied one, the rest being directions; filings whose theme leans to their tone.
_OWN_TONE, _PLAIN, _DENIED, _OWN_THEME = 75, 65, 15, 62
_STATEMENTS = (3, 6)
_MOST_REPEATS = 16

_SUBJECTS = ("demand", "trading", "the outlook", "the order book")
_WORDS = (("weak", "difficult", "poor"), ("strong", "healthy", "solid"))
# Items whose growth is bad news, and items whose growth is good news.
_ITEMS = (("costs", "debts", "losses"), ("sales", "margins", "exports"))
_VERBS = (("fell", "shrank"), ("rose", "grew"))
_PERIODS = ("in the year", "in the second half", "in all regions", "at constant prices")
_THEMES = (("restructuring", "litigation", "inflation", "impairment", "tariffs", "shortages",
            "refinancing", "closures", "recalls", "freight"),
           ("expansion", "licensing", "automation", "recruitment", "innovation", "partnerships",
            "patents", "training", "logistics", "pricing"))
_MENTIONS = ("a note covers {}", "the board discussed {}", "page {page} returns to {}",
             "questions about {} were answered", "the auditors looked at {}",
             "{} is explained below", "a table lists {}", "one section is on {}")


@dataclass(frozen=True, eq=False)
class Tone:
    """The test filings and who is right on them.

    texts: n filings. tones: (n,) int64, 1 favourable, 0 not. right: classifier -> (n,) int64, 1
    where it names the filing's tone.
    """

    texts: tuple[str, ...]
    tones: np.ndarray
    right: dict[str, np.ndarray]


def filings(n: int, seed) -> tuple[tuple[str, ...], np.ndarray]:
    """``n`` filings: their texts and their tones, (n,) int64."""
    rng = generator(seed)
    tones = rng.integers(2, size=n, dtype=np.int64)
    return tuple(_filing(int(tone), rng) for tone in tones), tones


def generate(seed) -> Tone:
    """Write training and test filings, train the six classifiers, mark their answers."""
    rng = generator(seed)
    seen, known = filings(TRAINING, rng)
    texts, tones = filings(TEST, rng)
    right = {}
    for grams in GRAMS:
        answers = _answers(seen, known, texts, grams)
        for model, answer in answers.items():
            right[f"{model} {grams}"] = (answer == tones).astype(np.int64)
    return Tone(texts, tones, right)


@cache
def load() -> Tone:
    """The frozen world, `generate(SEED)`. Its arrays are read-only."""
    rows = data.read_json(TEXTS_FILE)
    table = data.read_csv(RIGHT_FILE)
    tones = np.array([row["tone"] for row in rows], dtype=np.int64)
    for column in (tones, *table.values()):
        column.flags.writeable = False
    return Tone(tuple(row["text"] for row in rows), tones, table)


def cells(first: str, second: str, world: Tone | None = None) -> tuple[int, int, int, int]:
    """(n11, n10, n01, n00): filings on which both, only the first, only the second, neither is right.

    `world` is the frozen one by default. Raises ValueError for an unknown classifier.
    """
    a, b = (_right(name, world) for name in (first, second))
    return tuple(int(((a == i) & (b == j)).sum()) for i, j in ((1, 1), (1, 0), (0, 1), (0, 0)))


def pair(first: str, second: str, world: Tone | None = None) -> PairedSet:
    """Two classifiers on the test filings, scored by accuracy."""
    return PairedSet(_right(first, world), _right(second, world), "mean", names=(first, second))


def discordant(world: Tone) -> dict[str, int]:
    """n10 and n01 of each entry of `PAIRS`, as {"n10 0": ..., "n01 0": ..., "n10 1": ..., ...}."""
    found = {}
    for i, names in enumerate(PAIRS):
        _, found[f"n10 {i}"], found[f"n01 {i}"], _ = cells(*names, world)
    return found


@cache
def load_seeds() -> dict[str, np.ndarray]:
    """`discordant` under each of `OTHER_SEEDS`: column -> (100,) int64, the first column "seed"."""
    table = data.read_csv(SEEDS_FILE)
    for column in table.values():
        column.flags.writeable = False
    return table


def _right(name, world):
    return (load() if world is None else world).right[choice("classifier", name, CLASSIFIERS)]


# Text ---------------------------------------------------------------------------------------------

def _filing(tone, rng):
    low, high = _STATEMENTS
    sentences = [_statement(tone if rng.integers(100) < _OWN_TONE else 1 - tone, rng)
                 for _ in range(rng.integers(low, high + 1))]
    theme = _one_of(_THEMES[tone if rng.integers(100) < _OWN_THEME else 1 - tone], rng)
    for _ in range(rng.integers(1, _MOST_REPEATS + 1)):
        sentences.append(_one_of(_MENTIONS, rng).format(theme, page=rng.integers(2, 99)))
    order = rng.permutation(len(sentences))
    return " ".join(f"{sentences[i][0].upper()}{sentences[i][1:]}." for i in order)


def _statement(tone, rng):
    kind = rng.integers(100)
    if kind >= _PLAIN + _DENIED:
        good = int(rng.integers(2))
        verb = _one_of(_VERBS[1 if good == tone else 0], rng)
        return f"{_one_of(_ITEMS[good], rng)} {verb} {_one_of(_PERIODS, rng)}"
    if kind >= _PLAIN:
        return f"{_one_of(_SUBJECTS, rng)} was not {_one_of(_WORDS[1 - tone], rng)}"
    return f"{_one_of(_SUBJECTS, rng)} was {_one_of(_WORDS[tone], rng)}"


def _one_of(options, rng):
    return options[rng.integers(len(options))]


# Classifiers --------------------------------------------------------------------------------------

def _answers(seen, known, texts, grams):
    """model -> answers (n,) on `texts`, after training on `seen` with their tones."""
    from scipy import sparse
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    reader = CountVectorizer(token_pattern="[a-z]+", ngram_range=(1, 1 + GRAMS.index(grams)))
    x, z = reader.fit_transform(seen).astype(np.float64), reader.transform(texts).astype(np.float64)
    bayes = MultinomialNB().fit(x, known)
    weights = sparse.diags(bayes.feature_log_prob_[1] - bayes.feature_log_prob_[0])

    def regression(model, x, z):
        fitted = LogisticRegression(C=_C[model], solver="newton-cg", tol=1e-8).fit(x, known)
        return fitted.predict(z)

    return {"nb": bayes.predict(z), "lr": regression("lr", x, z),
            "nbw": regression("nbw", x @ weights, z @ weights)}
