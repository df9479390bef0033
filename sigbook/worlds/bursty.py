"""Bursty documents, on which Naive Bayes and logistic regression overtake each other.

A document belongs to one of two classes. Its words come in two groups: a few bursty ones, which a
document either repeats or leaves out, and many steady ones. The count of word v in a document of
class c is Poisson with mean rate[c, v] * G, where G is a gamma variable with mean 1, drawn anew for
each word and document, of a small shape for bursty words (counts far apart) and a large one for
steady words (nearly Poisson counts).

Naive Bayes takes each repetition for fresh evidence, which is wrong here; logistic regression
learns to discount it, but needs documents for that. So Naive Bayes is ahead on small training sets
and logistic regression on large ones.

A world's population is a pool of `POOL` documents. A test set is drawn from the pool with
replacement, so the gap of two trained models in the population is known exactly. What a training
draw leaves behind is its four counts on the pool; those are frozen, the documents never.

NumPy's gamma variables and scikit-learn's optimizer round differently from one processor to
another. Every training draw has its own stream of random numbers, so that a difference stays where
it arises: made elsewhere, the counts may differ, nearly all by at most `TOLERANCE` documents of the
pool; a draw whose stream has parted is another draw of the same law.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sigbook import _checks, data

SEED = 1
OTHER_SEEDS = range(101, 111)
SIZES = (64, 128, 192, 256, 320, 384, 448, 576, 1024)
DRAWS = 40
EXPERIMENTS = 400
POOL = 60_000
TOLERANCE = 60

DRAWS_FILE = "bursty/draws.csv.gz"
SEEDS_FILE = "bursty/seeds.csv.gz"
FOLDS_FILE = "bursty/folds.csv.gz"
COLUMNS = ("stage", "size", "both", "nb", "lr", "neither")
CHOOSING, MEASURING = 0, 1

LAMBDA = 0.01  # logistic regression: lambda/2 |w|^2 beside the mean log-loss

_BURSTY, _STEADY = 40, 300  # words
_SHAPES = (0.12, 50.0)
_WORDS_EACH = 20.0  # expected words of each group in a document
_RATIO = 0.6  # standard deviation of a word's log-ratio between the classes
_AT_ONCE = 2_000  # documents, of the pool per stream as well
_NEAR = 1e-3  # scores closer to 0 than this are computed again in float64


@dataclass(frozen=True, eq=False)
class World:
    """rates: (2, V) expected count of each word in a document of each class; shapes: (V,)."""

    rates: np.ndarray
    shapes: np.ndarray


@dataclass(frozen=True, eq=False)
class Rules:
    """Two trained models as linear rules: class 1 where counts @ weights + bias > 0.

    weights: (V, 2) and bias: (2,), Naive Bayes in the first column, logistic regression in the
    second.
    """

    weights: np.ndarray
    bias: np.ndarray


def world(seed) -> World:
    """Draw the words' rates in the two classes."""
    rng = _checks.generator(seed)
    rates, shapes = [], []
    for words, shape in ((_BURSTY, _SHAPES[0]), (_STEADY, _SHAPES[1])):
        ratio = rng.normal(0.0, _RATIO, size=words)
        tilted = np.exp(np.stack([-ratio, ratio]) / 2)
        rates.append(_WORDS_EACH * tilted / tilted.sum(axis=1, keepdims=True))
        shapes.append(np.full(words, shape))
    return World(np.concatenate(rates, axis=1), np.concatenate(shapes))


def documents(of: World, n: int, seed) -> tuple[np.ndarray, np.ndarray]:
    """``n`` documents: word counts (n, V) float32 and classes (n,) int64."""
    n, rng = _checks.count("n", n, least=1), _checks.generator(seed)
    classes = rng.integers(2, size=n, dtype=np.int64)
    counts = np.empty((n, len(of.shapes)), dtype=np.float32)
    for start in range(0, n, _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        means = of.rates[classes[rows]] / of.shapes
        counts[rows] = rng.poisson(rng.standard_gamma(of.shapes, size=means.shape) * means)
    return counts, classes


def train(counts: np.ndarray, classes: np.ndarray) -> Rules:
    """Naive Bayes with add-one smoothing, and logistic regression with the penalty `LAMBDA`.

    scikit-learn divides by C the sum of the losses: C = 1 / (LAMBDA n) makes the penalty stand
    beside their mean. Raises ValueError when a class is missing.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    classes = np.asarray(classes)
    if len(np.unique(classes)) < 2:
        raise ValueError("classes must hold both classes to train on; got one")
    bayes = MultinomialNB(alpha=1.0).fit(counts, classes)
    regression = LogisticRegression(C=1 / (LAMBDA * len(classes)), tol=1e-6, max_iter=1_000)
    regression.fit(np.asarray(counts, dtype=np.float64), classes)
    prior, likelihood = bayes.class_log_prior_, bayes.feature_log_prob_
    return Rules(np.stack([likelihood[1] - likelihood[0], regression.coef_[0]], axis=1),
                 np.array([prior[1] - prior[0], regression.intercept_[0]]))


def cells(rules: Rules, counts: np.ndarray, classes: np.ndarray) -> tuple[int, int, int, int]:
    """(both, only Naive Bayes, only logistic regression, neither) right on the documents."""
    scores = counts @ rules.weights.astype(counts.dtype) + rules.bias.astype(counts.dtype)
    # In float32 the sign of a score near 0 would hang on the processor's order of summation.
    near = (np.abs(scores) < _NEAR).any(axis=1)
    scores[near] = counts[near].astype(np.float64) @ rules.weights + rules.bias
    nb, lr = ((scores > 0) == (np.asarray(classes) == 1)[:, None]).T
    return tuple(int(found.sum()) for found in (nb & lr, nb & ~lr, ~nb & lr, ~nb & ~lr))


def pool(of: World, seed) -> tuple[np.ndarray, np.ndarray]:
    """The population: `POOL` documents, as `documents` gives them."""
    streams = _checks.generator(seed).spawn(POOL // _AT_ONCE)
    parts = [documents(of, _AT_ONCE, stream) for stream in streams]
    return tuple(np.concatenate(column) for column in zip(*parts))


def generate(seed) -> dict[str, np.ndarray]:
    """Train on draws of every size, find the crossing, train on fresh draws there.

    Returns the columns `COLUMNS`, int64: stage is `CHOOSING` (`DRAWS` draws of each of `SIZES`) or
    `MEASURING` (`DRAWS` fresh ones at the size that `crossing` reads off the first); the last four
    count documents of the pool.
    """
    words, population, choosing, measuring = _checks.generator(seed).spawn(4)
    of = world(words)
    everything = pool(of, population)
    rows = [(CHOOSING, size, *_draw(of, size, stream, everything))
            for size, streams in zip(SIZES, (choosing.spawn(DRAWS) for _ in SIZES))
            for stream in streams]
    chosen = crossing(_columns(rows))
    rows += [(MEASURING, chosen, *_draw(of, chosen, stream, everything))
             for stream in measuring.spawn(DRAWS)]
    return _columns(rows)


def five_by_two(seed, size: int, experiments: int = EXPERIMENTS) -> dict[str, np.ndarray]:
    """Five random halvings of 2 ``size`` documents, each half trained on and tested on the other.

    The words are those of `generate(seed)`, the documents are fresh in every experiment. Returns
    ten int64 columns "1a", "1b", ..., "5b": documents of the tested half on which Naive Bayes alone
    is right minus those on which logistic regression alone is.
    """
    rng = _checks.generator(seed)
    words, streams = rng.spawn(4)[0], rng.spawn(experiments)
    of, rows = world(words), []
    for stream in streams:
        counts, classes = documents(of, 2 * size, stream)
        row = []
        for _ in range(5):
            order = stream.permutation(2 * size)
            for seen, tried in ((order[:size], order[size:]), (order[size:], order[:size])):
                found = cells(train(counts[seen], classes[seen]), counts[tried], classes[tried])
                row.append(found[1] - found[2])
        rows.append(row)
    names = [f"{halving}{half}" for halving in range(1, 6) for half in "ab"]
    return dict(zip(names, np.array(rows, dtype=np.int64).T))


def _draw(of, size, rng, everything):
    return cells(train(*documents(of, size, rng)), *everything)


def _columns(rows):
    return dict(zip(COLUMNS, np.array(rows, dtype=np.int64).T))


def gaps(table: dict[str, np.ndarray]) -> np.ndarray:
    """Naive Bayes' accuracy minus logistic regression's in the population, per row."""
    return (table["nb"] - table["lr"]) / POOL


def crossing(table: dict[str, np.ndarray]) -> int:
    """The size at which the mean gap of the choosing stage passes 0.

    A straight line in log(size) through the means of the four sizes whose means are nearest 0.
    """
    first = table["stage"] == CHOOSING
    sizes = np.unique(table["size"][first])
    means = np.array([gaps(table)[first & (table["size"] == size)].mean() for size in sizes])
    near = np.argsort(np.abs(means), kind="stable")[:4]
    slope, start = np.polyfit(np.log(sizes[near]), means[near], 1)
    return int(round(np.exp(-start / slope)))


@cache
def load() -> dict[str, np.ndarray]:
    """The frozen draws, `generate(SEED)`: column -> int64, read-only."""
    return _frozen(DRAWS_FILE)


@cache
def load_seeds() -> dict[str, np.ndarray]:
    """The same under each of `OTHER_SEEDS`, with a first column "seed"; read-only."""
    return _frozen(SEEDS_FILE)


def of_seed(seed: int) -> dict[str, np.ndarray]:
    """The frozen draws of one of `OTHER_SEEDS`."""
    if seed not in OTHER_SEEDS:
        raise ValueError(f"seed must be one of {list(OTHER_SEEDS)}; got {seed!r}")
    table = load_seeds()
    rows = table["seed"] == seed
    return {name: table[name][rows] for name in COLUMNS}


@cache
def load_folds() -> dict[str, np.ndarray]:
    """The frozen halvings, `five_by_two(SEED, crossing(load()))`; read-only."""
    return _frozen(FOLDS_FILE)


def _frozen(file):
    table = data.read_csv(file)
    for column in table.values():
        column.flags.writeable = False
    return table
