"""A trigram model run twice: outputs of two systems that are one system, so the sharp null is true.

The model learns from synthetic sentences in the style of a company's discussion of its results.
Each of 188 prompts (the opening of a sentence) has one fixed reference, the sentence's own ending,
and 4 streams of 64 sampled endings. Samples j and j + 32 of a stream come from one distribution,
independently, and may change places at any prompt without changing the law of the data: 4 x 32
experiments of 188 prompts in which the null of chapter 2 holds by construction. Disjoint blocks of
prompts give more and smaller ones.

Every choice is an integer drawn from integer counts, so that a seed gives the same text on every
machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sigbook import data
from sigbook._checks import count, generator
from sigbook.worlds.segment_metrics import METRICS, segment_scores

SEED = 2
PROMPTS, STREAMS, SAMPLES = 188, 4, 64
TRAINING_SENTENCES = 3_000
LONGEST = 32
# The next word follows a place in the training text that shares the last 2, 1 or 0 words with this
# one; the three kinds of place have these odds (the interpolation weights, in twentieths).
ODDS = (15, 4, 1)

STATISTICS_FILE = "trigram/statistics.csv.gz"
PROMPTS_FILE = "trigram/prompts.json.gz"
SCORES_FILE = "trigram/segment_scores.csv.gz"

_END = 0
# Earlier phrases of a slot are likelier: of m phrases the k-th has weight m + 1 - k.
_SLOTS = {
    "year": [str(year) for year in range(2023, 2011, -1)],
    "quarter": ["fourth", "third", "second", "first"],
    "segment": ["retail", "industrial", "services", "consumer", "energy", "medical"],
    "region": ["Europe", "Asia", "Canada", "Brazil", "Mexico", "Australia"],
    "item": ["net sales", "operating income", "gross profit", "selling expense", "interest expense",
             "cash from operations", "capital spending", "income tax expense"],
    "verb": ["increased", "decreased", "rose", "fell", "grew", "declined"],
    "percent": [str(percent) for percent in range(2, 30)],
    "link": ["primarily due to", "mainly because of", "driven by", "reflecting", "as a result of"],
    "cause": ["higher volumes in our largest market", "lower prices for raw materials",
              "the effect of a stronger dollar", "the acquisition that closed in the spring",
              "weaker demand from our distributors", "a more favorable mix of products",
              "higher wages in our warehouses", "longer delivery times for parts",
              "the timing of payments to suppliers", "new stores that opened during the year",
              "the loss of a large contract", "price increases that took effect in January",
              "lower interest rates on our debt", "costs to close two plants",
              "higher freight rates", "fewer working days", "a change in the rules for leases",
              "the recovery of demand after a slow year", "a write-down of old inventory"],
}
_SENTENCES = [
    ("In {year} , {item} of the {segment} segment", "{verb} {percent} percent , {link} {cause} ."),
    ("Compared with {year} , {item} in {region}", "{verb} by {percent} percent , {link} {cause} ."),
    ("For the {quarter} quarter of {year} , {item}",
     "{verb} {percent} percent from the prior year , {link} {cause} ."),
]


@dataclass(frozen=True, eq=False)
class Trigram:
    """Prompts, their references and the BLEU statistics of every sampled ending.

    prompts, references: 188 strings, tokens parted by spaces. statistics: int64 (188 prompts,
    4 streams, 64 samples, 10), columns c, r, m1..m4, t1..t4. texts: for each prompt the endings
    0 and 32 of stream 0, the two "systems" of the first experiment.
    """

    prompts: tuple[str, ...]
    references: tuple[str, ...]
    statistics: np.ndarray
    texts: tuple[tuple[str, str], ...]


def generate(seed) -> Trigram:
    """Write the training text, train the model, sample all endings, count their statistics."""
    prompts, references, words, samples = _sampled(seed)
    first = samples[:, 0, [0, SAMPLES // 2]]
    return Trigram(prompts, references, _statistics(samples, references, words),
                   tuple((_text(a, words), _text(b, words)) for a, b in first))


def endings(seed) -> list[list[str]]:
    """All sampled endings as strings: for each prompt 4 x 64, ordered by stream and sample."""
    _, _, words, samples = _sampled(seed)
    return [[_text(ids, words) for ids in row] for row in samples.reshape(PROMPTS, -1, LONGEST)]


def thousandths(references: tuple[str, ...], texts: list[list[str]]) -> dict[str, np.ndarray]:
    """Segment scores of each prompt's endings against its reference: metric -> int64 (endings,)."""
    repeated = [reference for reference, row in zip(references, texts) for _ in row]
    scores = segment_scores([text for row in texts for text in row], repeated)
    return {metric: np.rint(scores[metric] * 1_000).astype(np.int64) for metric in METRICS}


@cache
def load() -> Trigram:
    """The frozen world, `generate(SEED)`. Its array is read-only."""
    rows = data.read_json(PROMPTS_FILE)
    table = data.read_csv(STATISTICS_FILE)
    statistics = _by_sample(np.stack([table[key] for key in data.BLEU_COLUMNS], axis=1))
    return Trigram(tuple(row["prompt"] for row in rows), tuple(row["reference"] for row in rows),
                   statistics, tuple((row["a"], row["b"]) for row in rows))


@cache
def load_scores() -> dict[str, np.ndarray]:
    """Segment scores of the frozen world's endings: metric -> int64 (188, 4, 64), in thousandths.

    The metrics are those of `segment_metrics`, rounded: 0.2478 is 248. As integers their sums are
    exact, so that equal means stay equal. Pass them through `paired`.
    """
    table = data.read_csv(SCORES_FILE)
    return {metric: _by_sample(table[metric]) for metric in METRICS}


def experiments(prompts: int, world: Trigram | None = None) -> tuple[np.ndarray, np.ndarray]:
    """All A/A experiments of `prompts` prompts: (a, b), each int64 (E, prompts, 10).

    E = 128 floor(188 / prompts): one for each block of consecutive prompts (a rest shorter than a
    block is left out), stream and j < 32; a holds sample j, b sample j + 32. `world` is the frozen
    one by default. Raises ValueError unless 1 <= prompts <= 188.
    """
    return paired((load() if world is None else world).statistics, prompts)


def paired(values: np.ndarray, prompts: int) -> tuple[np.ndarray, np.ndarray]:
    """`experiments` for any values on the samples: (188, 4, 64, ...) to twice (E, prompts, ...)."""
    prompts = count("prompts", prompts, least=1, most=PROMPTS)
    blocks = PROMPTS // prompts
    tail = values.shape[3:]
    halves = values[:blocks * prompts].reshape(blocks, prompts, STREAMS, 2, SAMPLES // 2, *tail)
    sides = (halves[:, :, :, side].swapaxes(1, 2).swapaxes(2, 3) for side in (0, 1))
    a, b = (side.reshape(-1, prompts, *tail) for side in sides)
    return a, b


def _by_sample(rows):
    values = rows.reshape(PROMPTS, STREAMS, SAMPLES, *rows.shape[1:])
    values.flags.writeable = False
    return values


# Text ---------------------------------------------------------------------------------------------

def _sampled(seed):
    rng = generator(seed)
    training = [" ".join(_sentence(rng)) for _ in range(TRAINING_SENTENCES)]
    asked: dict[str, str] = {}
    while len(asked) < PROMPTS:
        prompt, reference = _sentence(rng)
        asked.setdefault(prompt, reference)
    prompts, references = tuple(asked), tuple(asked.values())
    known = sorted({word for text in (*training, *prompts, *references) for word in text.split()})
    words = ["", *known]
    number = {word: i for i, word in enumerate(words)}
    text = [_END, _END]
    for sentence in training:
        text += [number[word] for word in sentence.split()] + [_END]
    tables = _train(np.array(text, dtype=np.int64), len(words))
    last = np.array([[number[word] for word in prompt.split()[-2:]] for prompt in prompts],
                    dtype=np.int64)
    samples = _sample(tables, np.repeat(last, STREAMS * SAMPLES, axis=0), len(words), rng)
    return prompts, references, words, samples.reshape(PROMPTS, STREAMS, SAMPLES, LONGEST)


def _sentence(rng):
    opening, ending = _SENTENCES[_rank(rng, len(_SENTENCES))]
    chosen = {slot: phrases[_rank(rng, len(phrases))] for slot, phrases in _SLOTS.items()}
    return opening.format(**chosen), ending.format(**chosen)


def _rank(rng, m):
    """0..m-1 with weights m, m-1, ..., 1."""
    weights = np.arange(m, 0, -1)
    return int(np.searchsorted(np.cumsum(weights), rng.integers(weights.sum()), side="right"))


def _text(ids, words):
    return " ".join(words[i] for i in ids if i != _END)


# Model --------------------------------------------------------------------------------------------

def _contexts(last, size):
    """The last 2, 1 and 0 words (N, 2) as three context numbers (N,)."""
    return last[:, 0] * size + last[:, 1], last[:, 1], np.zeros(len(last), dtype=np.int64)


def _train(text, size):
    """For 2, 1 and 0 words of context: (after, start, seen).

    The words that followed context k in the training text are after[start[k] : start[k] + seen[k]].
    """
    following = text[2:]
    tables = []
    for context, contexts in zip(_contexts(np.stack([text[:-2], text[1:-1]], axis=1), size),
                                 (size * size, size, 1)):
        seen = np.bincount(context.astype(np.intp), minlength=contexts)
        tables.append((following[np.argsort(context, kind="stable")], np.cumsum(seen) - seen, seen))
    return tables


def _sample(tables, last, size, rng):
    """One ending for each row of `last` (N, 2): word numbers (N, LONGEST), 0 after the end."""
    last = last.copy()
    samples = np.zeros((len(last), LONGEST), dtype=np.int64)
    alive = np.arange(len(last))
    for position in range(LONGEST):
        word = _next(tables, _contexts(last[alive], size), rng)
        samples[alive, position] = word
        last[alive] = np.stack([last[alive, 1], word], axis=1)
        alive = alive[word != _END]
    return samples


def _next(tables, contexts, rng):
    pick = rng.integers(sum(ODDS), size=len(contexts[0]), dtype=np.int64)
    shorter = np.searchsorted(np.cumsum(ODDS), pick, side="right")
    word = np.zeros(len(pick), dtype=np.int64)
    for k, (context, (after, start, seen)) in enumerate(zip(contexts, tables)):
        # A context that the training text never shows leaves the choice to the next shorter one.
        shorter = np.where((shorter == k) & (seen[context] == 0), k + 1, shorter)
        here = np.flatnonzero(shorter == k)
        found = context[here]
        word[here] = after[start[found] + rng.integers(seen[found], dtype=np.int64)]
    return word


# Counts -------------------------------------------------------------------------------------------

def _statistics(samples, references, words):
    """BLEU statistics int64 (..., 10) of word numbers (prompts, ..., LONGEST)."""
    number = {word: i for i, word in enumerate(words)}
    c = (samples != _END).sum(axis=-1)
    statistics = np.zeros((*c.shape, 10), dtype=np.int64)
    statistics[..., 0] = c
    for n in range(1, 5):
        statistics[..., 5 + n] = np.maximum(c - n + 1, 0)
        grams = _grams(samples, n, len(words))
        for i, reference in enumerate(references):
            ids = np.array([number[word] for word in reference.split()], dtype=np.int64)
            statistics[i, ..., 1] = len(ids)
            for gram, most in zip(*np.unique(_grams(ids, n, len(words)), return_counts=True)):
                # A reference holds no end mark, so the padding never matches.
                statistics[i, ..., 1 + n] += np.minimum((grams[i] == gram).sum(axis=-1), most)
    return statistics


def _grams(ids, n, size):
    """Each window of n words as one number, shape (..., L - n + 1)."""
    length = ids.shape[-1] - n + 1
    code = np.zeros((*ids.shape[:-1], max(length, 0)), dtype=np.int64)
    for k in range(n):
        code = code * size + ids[..., k:k + length]
    return code
