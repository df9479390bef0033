"""Ninety synthetic filings, a reference summary of each, and ten summarizers.

A filing reports three facts: an item went up or down by an amount for a cause. Its document says
so in the midst of sentences that say nothing of the kind; the reference and the summarizers say it
in words of their own. Because the facts are known, a summary can be scored on what it claims and
not only on the words it shares with the reference.

The writer states all three facts. noisy-0.1, noisy-0.3 and noisy-0.5 are the writer with that
share of the facts reversed, flipped is the writer with all of them reversed: one verb becomes its
opposite, nothing else changes. terse is the writer without the smallest change. extract copies the
three sentences that carry the facts, textrank the three most central ones, lead the first three,
random any three.

Shares are exact, not drawn: the reference uses the writer's verb in four of nine facts, and the
noisy writers reverse the same share of those facts as of the others, at first one per filing.
Everything else is random. The filings stand in no order, so disjoint blocks of a large world serve
as fresh test sets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from sigbook import data
from sigbook._checks import choice, count, generator, vector
from sigbook.metrics import BLEU_COLUMNS, F1_COLUMNS, bleu_statistics
from sigbook.pairs import PairedSet
from sigbook.worlds import segment_metrics

SEED = 39
SYSTEMS = ("writer", "noisy-0.1", "noisy-0.3", "noisy-0.5", "flipped", "terse",
           "extract", "textrank", "lead", "random")
EXTRACTORS = ("extract", "textrank", "lead", "random")
REVERSED = {"writer": 0.0, "noisy-0.1": 0.1, "noisy-0.3": 0.3, "noisy-0.5": 0.5, "flipped": 1.0}
METRICS = ("bleu", "bleu-exp", "fact-f1", *segment_metrics.METRICS)
FACTS = 3

# Ten of the frozen filings on which extract matches one 4-gram of a reference and textrank none.
TEN_FILINGS = (8, 22, 34, 37, 42, 50, 60, 72, 75, 88)

# Fresh filings for measuring power: 450 disjoint test sets of 20, or 200 of 45.
FRESH_SEED, FRESH = 2, 9_000
FRESH_SYSTEMS = ("writer", "noisy-0.1", "noisy-0.3", "noisy-0.5")
FRESH_METRICS = ("bleu", "fact-f1", "chrf")
AGAIN_SEED, AGAIN = 500, 45
AGAIN_SYSTEMS = ("flipped", "extract")
AGAIN_METRICS = ("bleu", "fact-f1")

TEXTS_FILE = "filings/texts.json.gz"
BLEU_FILE = "filings/bleu.csv.gz"
FACTS_FILE = "filings/facts.csv.gz"
SEGMENTS_FILE = "filings/segments.csv.gz"
FRESH_FILE = "filings/fresh.csv.gz"
AGAIN_FILE = "filings/again.csv.gz"
SEEDS_FILE = "filings/seeds.csv.gz"

# How far the texts share words. Together these place the writer's BLEU, its length and the
# extractors' few matched 4-grams; data/README.md says what they bring about.
SAME_VERB = 4 / 9
SAME_CAUSE = 0.034
WRITER_ADVERBS = 0.56
REFERENCE_ADVERBS = 0.20
ECHOES = 0.015

VERBS = {"up": ("rose", "grew", "climbed", "increased", "advanced"),
         "down": ("fell", "shrank", "dropped", "decreased", "declined")}
SIGNALS = {"up": VERBS["up"] + ("higher", "up", "above"),
           "down": VERBS["down"] + ("lower", "down", "below")}
OPPOSITE = {"up": "down", "down": "up"}

ITEMS = ("net sales", "service revenue", "gross margin", "operating costs", "research spending",
         "free cash", "order backlog", "net debt", "average inventory", "total headcount",
         "capital outlays", "interest expense", "export volume", "rental income")

# Each cause in the writer's and the document's words, and in the reference's other words.
CAUSES = {
    "new supply contracts": "freshly agreed sourcing",
    "revised selling prices": "another price list",
    "changing exchange rates": "shifts in currencies",
    "a plant closure": "shutting one factory",
    "seasonal buying patterns": "the shopping calendar",
    "a warehouse move": "relocating the depot",
    "new tax rules": "reformed fiscal law",
    "the store program": "refitting retail outlets",
    "a product recall": "withdrawn faulty goods",
    "wage agreements abroad": "foreign pay deals",
    "the energy market": "swings in electricity",
    "unusual weather conditions": "storms and drought",
    "a software upgrade": "replacing old systems",
    "the acquired business": "an autumn takeover",
    "longer delivery times": "delays at ports",
    "a licensing dispute": "the patent quarrel",
    "fewer working days": "many public holidays",
    "a refinanced loan": "easier bank terms",
}

SECTORS = ("retail", "software", "packaging", "shipping", "energy", "food", "chemicals", "media")
REFERENCE_HEADING = "The {sector} company reports three main changes for the year."
WRITER_HEADING = "The {sector} company names three main changes for the year."
REFERENCE_STATEMENTS = (
    "For the year, {item} {adverb}{verb} by {amount} percent, owing to {cause}.",
    "Over the same months, {item} {adverb}{verb} by {amount} percent, an effect of {cause}.",
    "{item} {verb} {amount} percent through {cause}.",
)
WRITER_STATEMENTS = (
    "For the year, {item} {adverb}{verb} by {amount} percent, because of {cause}.",
    "In the same period, {item} {adverb}{verb} by {amount} percent, a result of {cause}.",
    "{item} {verb} {amount} percent on {cause}.",
)
ADVERBS = ("again ", "also ")

# The first ends with the cause: where the reference keeps the document's words for it, the two
# share one 4-gram.
FACT_SENTENCES = (
    "Measured at constant scope, {item} moved {up} by {amount} percent against the comparable "
    "period, which management connects with {cause}.",
    "The tables in this section put {item} {above} the earlier level by {amount} percent in all, "
    "and the main reason given by the segments is {cause}.",
    "After {cause}, the consolidated statements of the company show {item} {up} by {amount} "
    "percent when set against the comparable months.",
    "With {cause} named as the main reason, the accounts list {item} {above} the earlier level by "
    "{amount} percent at the close of the period.",
)
EARLIER = ("In the period before that one, {item} had come in {higher} by {amount} percent on "
           "account of {cause}, as the earlier report explained.")
CENTRAL = (
    "The board of the company reviews {first}, {second} and {third} for the year at each of its "
    "meetings.",
    "Management of the company uses {second}, {first} and {third} at the close of the year to "
    "steer the main segments.",
    "Tables for {third}, {first} and {second} are part of the consolidated statements for the "
    "year before this one.",
)
BACKGROUND = (
    "The auditor issued an opinion without reservations and attended two meetings of the board.",
    "Shares of the company are listed on one exchange, where trading was orderly throughout.",
    "A description of legal proceedings can be found in the notes, together with their status.",
    "The pension plan was valued by an independent actuary using the customary assumptions.",
    "Leases for offices and storage sites run for terms of between four and nine years.",
    "No single customer accounts for a material part of the business of the group.",
    "The members of the supervisory board were elected for a term of three years.",
    "Hedging is limited to payments that are already agreed, and speculation is not permitted.",
    "Estimates are needed wherever market values cannot be observed, for instance for goodwill.",
    "Employees may take part in a share plan whose conditions the notes describe in detail.",
    "The company maintains insurance against the risks that are usual in the {sector} business.",
    "A code of conduct applies to suppliers, who confirm in writing that they observe it.",
    "Events after the balance sheet date that would require disclosure did not take place.",
    "Training in data protection was offered at all sites and completed by nearly everyone.",
    "Related parties were charged on the terms that apply to unrelated parties.",
    "The internal audit team visited eleven sites and reported its findings to the committee.",
)
BACKGROUND_COUNT = 6
ECHO = ", with the three main changes for context."

_WORD = re.compile(r"[a-z]+|\d+")
_AMOUNT = re.compile(r"(\d+)(?:%| percent)")
_SENTENCE_END = re.compile(r"(?<=\.) ")


class Fact(NamedTuple):
    """What a filing reports: `item` went `direction` ("up", "down") by `amount` percent."""

    item: str
    direction: str
    amount: int
    cause: str


@dataclass(frozen=True)
class Filings:
    """A world of n filings.

    documents, references: n texts. facts: three for each filing, the largest change first.
    summaries: system -> n texts. counts: system -> (n, 3) int64, the facts that a summary gets
    right, claims, and should have claimed (tp, predicted, gold).
    """

    documents: tuple[str, ...]
    references: tuple[str, ...]
    facts: tuple[tuple[Fact, ...], ...]
    summaries: dict[str, tuple[str, ...]]
    counts: dict[str, np.ndarray]


def sentences(text: str) -> list[str]:
    """The sentences of a text of this world, each with its full stop."""
    return _SENTENCE_END.split(text) if text else []


def claims(text: str) -> list[Fact]:
    """The facts that a text claims, one for each sentence that names a single item, a direction
    and an amount; `cause` is "" where none is named."""
    found = []
    for sentence in sentences(text.lower()):
        cause = ""
        for wording, key in _WORDINGS.items():
            if wording in sentence:
                cause, sentence = key, sentence.replace(wording, "")
                break
        words = set(_WORD.findall(sentence))
        items = [item for item in ITEMS if item in sentence]
        directions = [way for way, signals in SIGNALS.items() if words.intersection(signals)]
        amounts = _AMOUNT.findall(sentence)
        if len(items) == len(directions) == len(amounts) == 1:
            found.append(Fact(items[0], directions[0], int(amounts[0]), cause))
    return found


def fact_counts(texts: Sequence[str], facts: Sequence[Sequence[Fact]]) -> np.ndarray:
    """(n, 3) int64 of right, claimed and true facts of n texts.

    A claim is right when item, direction, amount and cause all agree with one of the filing's
    facts; a fact counts once however often it is claimed.
    """
    rows = []
    for text, true in zip(texts, facts, strict=True):
        claimed = claims(text)
        rows.append((len(set(claimed) & set(true)), len(claimed), len(true)))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def generate(seed=SEED, n: int = 90, systems: Sequence[str] = SYSTEMS) -> Filings:
    """Draw a fresh world of n filings and let the systems summarize it."""
    n = count("n", n, least=1)
    unknown = [name for name in systems if name not in SYSTEMS]
    if unknown:
        raise ValueError(f"systems: {unknown[0]!r} is none of {', '.join(SYSTEMS)}")
    words, noise, picks = generator(seed).spawn(3)
    drafts = _drafts(words, n)
    rounds = _reversal_order(noise, drafts)
    summaries = {}
    for name in systems:
        if name in REVERSED:
            texts = _written(drafts, _reversed(drafts, rounds, REVERSED[name]))
        elif name == "terse":
            texts = [" ".join(sentences(text)[:FACTS])
                     for text in _written(drafts, np.zeros((n, FACTS), dtype=bool))]
        else:
            texts = [_extracted(name, draft, picks) for draft in drafts]
        summaries[name] = tuple(texts)
    facts = tuple(draft.facts for draft in drafts)
    return Filings(
        documents=tuple(" ".join(draft.document) for draft in drafts),
        references=tuple(draft.reference for draft in drafts),
        facts=facts,
        summaries=summaries,
        counts={name: fact_counts(texts, facts) for name, texts in summaries.items()},
    )


def load() -> Filings:
    """The frozen world, read from `data/filings/`; equal to `generate()`."""
    rows = data.read_json(TEXTS_FILE)
    return Filings(
        documents=tuple(row["document"] for row in rows),
        references=tuple(row["reference"] for row in rows),
        facts=tuple(tuple(Fact(*fact) for fact in row["facts"]) for row in rows),
        summaries={name: tuple(row[name] for row in rows) for name in SYSTEMS},
        counts={name: statistics(name, "fact-f1") for name in SYSTEMS},
    )


def statistics(system: str, metric: str = "bleu", world: Filings | None = None) -> np.ndarray:
    """What a metric keeps of each summary of a system: frozen, or counted afresh for `world`.

    "bleu" and "bleu-exp": (n, 10) int64 (tokenizer 13a); "fact-f1": (n, 3) int64 tp, predicted,
    gold; a segment metric: (n,) float64. Raises ValueError for an unknown system or metric.
    """
    choice("system", system, SYSTEMS if world is None else world.summaries)
    choice("metric", metric, METRICS)
    if world is not None:
        return _counted(system, metric, world)
    if metric in segment_metrics.METRICS:
        return _frozen(SEGMENTS_FILE, (metric,), system)[:, 0]
    file, columns = ((FACTS_FILE, F1_COLUMNS) if metric == "fact-f1"
                     else (BLEU_FILE, BLEU_COLUMNS))
    return _frozen(file, columns, system)


def fresh(metric: str = "bleu") -> dict[str, np.ndarray]:
    """The writer and its noisy versions on 9,000 fresh filings: system -> as `statistics`.

    metric: "bleu", "fact-f1" or "chrf" (four decimals). Any disjoint blocks of the filings are
    test sets drawn afresh. Raises ValueError for another metric.
    """
    choice("metric", metric, FRESH_METRICS)
    table = _columns(FRESH_FILE)
    if metric == "chrf":
        return {name: table[f"{name} chrf"].copy() for name in FRESH_SYSTEMS}
    if metric == "fact-f1":
        gold = np.full(FRESH, FACTS, dtype=np.int64)
        return {name: np.stack([table[f"{name} tp"], gold, gold], axis=1)
                for name in FRESH_SYSTEMS}
    totals = [table["c"] - order for order in range(4)]
    return {name: np.stack([table["c"], table["r"],
                            *(table[f"{name} m{order}"] for order in range(1, 5)), *totals], axis=1)
            for name in FRESH_SYSTEMS}


def pair(a: str, b: str, metric: str = "bleu", *, filings: Sequence[int] | None = None,
         world: Filings | None = None) -> PairedSet:
    """Two systems on the same filings: all 90 of the frozen world, those of the indices given, or
    those of a fresh `world`. Metrics as in METRICS; segment metrics are compared by their mean."""
    both = [statistics(system, metric, world) for system in (a, b)]
    if filings is not None:
        chosen = vector("filings", filings, int)
        if chosen.min() < 0 or chosen.max() >= len(both[0]):
            raise ValueError(f"filings must be indices from 0 to {len(both[0]) - 1}; got "
                             f"{chosen.min()} to {chosen.max()}")
        both = [x[chosen] for x in both]
    rule = {"bleu": "bleu", "bleu-exp": "bleu-exp", "fact-f1": "f1"}.get(metric, "mean")
    return PairedSet(*both, metric=rule, names=(a, b))


def pair_again(metric: str = "bleu") -> PairedSet:
    """`flipped` and `extract` on 45 filings drawn again (seed 500), from frozen statistics.

    metric: "bleu" or "fact-f1". Raises ValueError for another metric.
    """
    choice("metric", metric, AGAIN_METRICS)
    columns, rule = (F1_COLUMNS, "f1") if metric == "fact-f1" else (BLEU_COLUMNS, "bleu")
    both = [_frozen(AGAIN_FILE, columns, system) for system in AGAIN_SYSTEMS]
    return PairedSet(*both, metric=rule, names=AGAIN_SYSTEMS)


def textrank(text: Sequence[str], size: int = FACTS) -> list[int]:
    """The `size` most central of the sentences, in document order.

    Mihalcea and Tarau (2004), section 4: the weight of two sentences is the number of words they
    share over the sum of the logarithms of their lengths; centrality is PageRank with damping
    0.85, by power iteration.
    """
    bags = [set(_WORD.findall(sentence.lower())) for sentence in text]
    logs = np.log([max(len(bag), 2) for bag in bags])
    shared = np.array([[len(a & b) for b in bags] for a in bags], dtype=np.float64)
    weights = shared / (logs[:, None] + logs[None, :])
    np.fill_diagonal(weights, 0.0)
    totals = weights.sum(axis=1, keepdims=True)
    moves = np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), 1.0 / len(bags))
    rank = np.full(len(bags), 1.0 / len(bags))
    for _ in range(60):
        rank = 0.15 / len(bags) + 0.85 * rank @ moves
    order = np.argsort(-rank.round(9), kind="stable")
    return sorted(order[:size].tolist())


@cache
def _columns(file: str) -> dict[str, np.ndarray]:
    return data.read_csv(file)


def _frozen(file: str, columns: Sequence[str], system: str) -> np.ndarray:
    table = _columns(file)
    return np.stack([table[name][table["system"] == system] for name in columns], axis=1)


def _counted(system: str, metric: str, world: Filings) -> np.ndarray:
    if metric == "fact-f1":
        return world.counts[system].copy()
    if metric in segment_metrics.METRICS:
        return segment_metrics.segment_scores(world.summaries[system], world.references)[metric]
    return bleu_statistics(world.summaries[system], world.references)


_WORDINGS = {wording: key for key, other in CAUSES.items() for wording in (key, other)}


@dataclass(frozen=True)
class _Draft:
    """A filing before it is summarized: what the writer would say, and where the facts stand."""

    facts: tuple[Fact, ...]
    document: tuple[str, ...]
    fact_places: tuple[int, ...]
    reference: str
    heading: str
    statements: tuple[str, ...]
    verbs: tuple[str, ...]
    opposites: tuple[str, ...]
    same_verb: tuple[bool, ...]


def _exactly(rng, shape, share: float) -> np.ndarray:
    """A random boolean array in which the share of True is `share`, as nearly as can be."""
    size = int(np.prod(shape))
    chosen = np.zeros(size, dtype=bool)
    chosen[:round(share * size)] = True
    return rng.permutation(chosen).reshape(shape)


def _one_of(rng, options: Sequence):
    return options[int(rng.integers(len(options)))]


def _some_of(rng, options: Sequence, size: int) -> list:
    return [options[i] for i in rng.permutation(len(options))[:size]]


def _drafts(rng, n: int) -> list[_Draft]:
    same_verb = _exactly(rng, (n, FACTS), SAME_VERB)
    same_cause = _exactly(rng, (n, FACTS), SAME_CAUSE)
    adverbs = np.stack([_exactly(rng, n, WRITER_ADVERBS) for _ in ADVERBS], axis=1)
    reference_adverbs = np.stack([_exactly(rng, n, REFERENCE_ADVERBS) for _ in ADVERBS], axis=1)
    echoes = np.concatenate([_exactly(rng, (n, size), ECHOES)
                             for size in (len(CENTRAL), BACKGROUND_COUNT)], axis=1)
    return [_draft(rng, same_verb[i], same_cause[i], adverbs[i], reference_adverbs[i], echoes[i])
            for i in range(n)]


def _draft(rng, same_verb, same_cause, adverbs, reference_adverbs, echoes) -> _Draft:
    items = _some_of(rng, ITEMS, FACTS)
    causes = _some_of(rng, tuple(CAUSES), FACTS + 1)
    amounts = sorted(_some_of(rng, range(3, 30), FACTS + 1), reverse=True)
    earlier_amount = amounts.pop(int(rng.integers(FACTS + 1)))
    facts = tuple(Fact(item, _one_of(rng, ("up", "down")), amount, cause)
                  for item, amount, cause in zip(items, amounts, causes))
    sector = _one_of(rng, SECTORS)

    stated = [_one_of(rng, VERBS[fact.direction]) for fact in facts]
    verbs, opposites = [], []
    for fact, verb, same in zip(facts, stated, same_verb):
        others = [v for v in VERBS[fact.direction] if v not in stated]
        verbs.append(verb if same else _one_of(rng, others))
        against = [v for v in VERBS[OPPOSITE[fact.direction]] if v not in stated]
        opposites.append(_one_of(rng, against))

    wordings = [fact.cause if same else CAUSES[fact.cause]
                for fact, same in zip(facts, same_cause)]
    said = _statements(REFERENCE_STATEMENTS, facts, wordings, stated, reference_adverbs)
    reference = " ".join([REFERENCE_HEADING.format(sector=sector), *said])
    statements = _statements(WRITER_STATEMENTS, facts, causes, ["{verb}"] * FACTS, adverbs)

    document, places = _document(rng, facts, same_cause, sector, echoes,
                                 earlier=(earlier_amount, causes[FACTS]))
    return _Draft(
        facts=facts,
        document=document,
        fact_places=places,
        reference=reference,
        heading=WRITER_HEADING.format(sector=sector),
        statements=tuple(statements),
        verbs=tuple(verbs),
        opposites=tuple(opposites),
        same_verb=tuple(same_verb.tolist()),
    )


def _document(rng, facts, same_cause, sector, echoes, earlier: tuple[int, str]):
    """The sentences of a document in random order, and the places of those that state a fact."""
    reported = [_filled(_one_of(rng, FACT_SENTENCES[:1] if same else FACT_SENTENCES), fact)
                for fact, same in zip(facts, same_cause)]
    items = [fact.item for fact in facts]
    amount, cause = earlier
    fact = Fact(_one_of(rng, items), _one_of(rng, ("up", "down")), amount, cause)
    before = _filled(EARLIER, fact)
    names = dict(zip(("first", "second", "third"), _some_of(rng, items, FACTS)))
    others = [sentence.format(**names) for sentence in CENTRAL]
    others += [sentence.format(sector=sector)
               for sentence in _some_of(rng, BACKGROUND, BACKGROUND_COUNT)]
    others = [sentence[:-1] + ECHO if echo else sentence
              for sentence, echo in zip(others, echoes)]
    said = [*reported, before, *others]
    order = rng.permutation(len(said)).tolist()
    return (tuple(said[i] for i in order),
            tuple(sorted(order.index(k) for k in range(FACTS))))


def _statements(frames, facts, causes, verbs, adverbs) -> list[str]:
    said = []
    for k, (frame, fact) in enumerate(zip(frames, facts)):
        adverb = ADVERBS[k] if k < len(ADVERBS) and adverbs[k] else ""
        text = frame.format(item=fact.item, adverb=adverb, verb=verbs[k], amount=fact.amount,
                            cause=causes[k])
        said.append(text[0].upper() + text[1:])
    return said


def _filled(frame: str, fact: Fact) -> str:
    up, higher, above = {"up": ("up", "higher", "above"),
                         "down": ("down", "lower", "below")}[fact.direction]
    return frame.format(item=fact.item, amount=fact.amount, cause=fact.cause,
                        up=up, higher=higher, above=above)


def _reversal_order(rng, drafts) -> np.ndarray:
    """A rank for each fact (n, FACTS): every filing's first fact comes before any second one."""
    n = len(drafts)
    turn = np.stack([rng.permutation(FACTS) for _ in range(n)])
    order = np.lexsort((rng.permutation(n * FACTS), turn.ravel()))
    rank = np.empty(n * FACTS, dtype=np.int64)
    rank[order] = np.arange(n * FACTS)
    return rank.reshape(n, FACTS)


def _reversed(drafts, rank: np.ndarray, share: float) -> np.ndarray:
    """Which facts a noisy writer reverses: the same share of those with the reference's verb as
    of the others, in the order of `rank`."""
    same = np.array([draft.same_verb for draft in drafts])
    chosen = np.zeros(same.shape, dtype=bool)
    for stratum in (same, ~same):
        places = np.argwhere(stratum)
        first = places[np.argsort(rank[stratum])][:round(share * len(places))]
        chosen[tuple(first.T)] = True
    return chosen


def _written(drafts, against: np.ndarray) -> list[str]:
    texts = []
    for draft, flips in zip(drafts, against):
        said = [text.format(verb=opposite if flip else verb) for text, verb, opposite, flip
                in zip(draft.statements, draft.verbs, draft.opposites, flips)]
        texts.append(" ".join([draft.heading, *said]))
    return texts


def _extracted(name: str, draft: _Draft, rng) -> str:
    if name == "extract":
        places = draft.fact_places
    elif name == "textrank":
        places = textrank(draft.document)
    elif name == "lead":
        places = range(FACTS)
    else:
        places = sorted(rng.permutation(len(draft.document))[:FACTS].tolist())
    return " ".join(draft.document[i] for i in places)
