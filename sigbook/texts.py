"""Text metrics through sacreBLEU: outputs and references to statistics per segment, and the metric of their sums.

BLEU, chrF and TER are functions of sums over segments, so a text is read once and every resample after that
is arithmetic. sacreBLEU is an optional part of the installation and is loaded when a text is first scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sigbook import _checks, metrics
from sigbook.metrics import Metric

CHAR_ORDER = 6
AT_ONCE = 200  # segments scored between two reports of progress
NAMES = ("bleu", "chrf", "chrf++", "ter")


@dataclass(frozen=True, eq=False)
class Scored:
    """Statistics of S systems on the same n segments, S arrays (n, K), and what turns sums into scores.

    title: what the metric is called. signature: sacreBLEU's. lower_is_better: whether the winner has the
    lower score.
    """

    statistics: tuple[np.ndarray, ...]
    rule: Metric
    title: str
    signature: str
    lower_is_better: bool


def score(metric: str, outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]],
          tokenize: str | None = None, tell: Callable[[str, float], None] = lambda what, share: None) -> Scored:
    """Score S systems' outputs, S lists of n strings, against references, one or more lists of n strings.

    metric: ``"bleu"`` (sacreBLEU's default smoothing), ``"chrf"``, ``"chrf++"`` or ``"ter"``. tokenize:
    sacreBLEU's tokenizer for BLEU, its default when None. Raises ValueError without sacreBLEU, for another
    metric, and for a tokenizer that is unknown or not installed.
    """
    _checks.choice("metric", metric, (*NAMES, "bleu-exp"))
    counter, rule = _counter(metric, tokenize)
    cache, statistics = counter._cache_references(references), []
    for k, hypotheses in enumerate(outputs):
        rows = []
        for start in range(0, len(hypotheses), AT_ONCE):
            tell("scoring texts", (k + start / len(hypotheses)) / len(outputs))
            counter._ref_cache = cache[start:start + AT_ONCE]
            rows += counter._extract_corpus_statistics(hypotheses[start:start + AT_ONCE], None)
        statistics.append(_booked(rows))
    title = {"bleu-exp": "BLEU", "chrf": "chrF", "chrf++": "chrF++", "ter": "TER"}[rule.name]
    return Scored(tuple(statistics), rule, title, str(counter.get_signature()), rule.name == "ter")


def chrf(pooled: np.ndarray) -> np.ndarray:
    """Corpus chrF of pooled counts (..., 3 orders): n-grams of hypothesis, of reference, matched, per order.

    F2 of precision and recall, each averaged over the orders that both texts have, a fraction (Popović 2015,
    equation 1; orders left out as sacreBLEU does by default).
    """
    pooled = np.asarray(pooled, dtype=np.float64)
    hypothesis, reference, matched = pooled[..., ::3], pooled[..., 1::3], pooled[..., 2::3]
    both = np.minimum(hypothesis, reference) > 0
    orders = np.maximum(both.sum(axis=-1), 1)
    precision, recall = (
        np.divide(matched, size, out=np.zeros_like(matched), where=both).sum(axis=-1) / orders
        for size in (hypothesis, reference)
    )
    below = 4 * precision + recall
    return np.divide(5 * precision * recall, below, out=np.zeros_like(below), where=below > 0)


def ter(pooled: np.ndarray) -> np.ndarray:
    """Corpus TER of pooled (edits, reference length), shape (..., 2): their ratio (Snover et al. 2006).

    Without a word in any reference it is 1 if there are edits and 0 if not, as in sacreBLEU.
    """
    pooled = np.asarray(pooled, dtype=np.float64)
    edits, length = pooled[..., 0], pooled[..., 1]
    return np.divide(edits, length, out=np.array(edits > 0, dtype=np.float64), where=length > 0)


def _counter(metric, tokenize):
    """sacreBLEU's metric object, to count with, and our `Metric` of the sums."""
    try:
        from sacrebleu.metrics import BLEU, CHRF, TER
    except ImportError as error:
        raise ValueError(
            "text metrics need sacreBLEU, which is not installed: pip install 'sigbook[text]'"
        ) from error
    if tokenize is not None and not metric.startswith("bleu"):
        raise ValueError(f"tokenize is for BLEU; got tokenize={_checks.shown(tokenize)} with metric {metric!r}")
    if metric == "ter":
        return TER(), _metric("ter", ("edits", "length"), ter)
    if metric.startswith("chrf"):
        words = 2 if metric == "chrf++" else 0
        kinds = [f"char{k}" for k in range(1, CHAR_ORDER + 1)] + [f"word{k}" for k in range(1, words + 1)]
        columns = tuple(f"{kind} {what}" for kind in kinds for what in ("hypothesis", "reference", "matched"))
        return CHRF(char_order=CHAR_ORDER, word_order=words, beta=2), _metric(metric, columns, chrf)
    return metrics.sacrebleu_bleu(tokenize, force=True), metrics.METRICS["bleu-exp"]


def _metric(name, columns, function):
    return Metric(name, columns, function, metrics._numeric_gradient(function))


def _booked(rows) -> np.ndarray:
    """Rows of counts as int64 where they are whole, else float64."""
    counts = np.array(rows, dtype=np.float64)
    return counts.astype(np.int64) if (counts == np.rint(counts)).all() else counts
