"""Six metrics that score one segment at a time, each between 0 and 1.

ROUGE-1, ROUGE-2 and ROUGE-L are F-measures of the rouge_score library without stemming; chrF and
sentence BLEU are sacreBLEU's with its defaults, divided by 100; token F1 is written here. They
are computed when tables are built and frozen with six decimals: readers of a table need neither
library.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from sigbook._checks import choice

METRICS = ("rouge1", "rouge2", "rougeL", "chrf", "sentence-bleu", "token-f1")
DECIMALS = 6

_NOT_WORD = re.compile(r"[^\w\s]")
_ARTICLES = {"a", "an", "the"}


def segment_scores(hypotheses: Sequence[str], references: Sequence[str],
                   metrics: Sequence[str] = METRICS) -> dict[str, np.ndarray]:
    """Scores of n hypotheses against one reference each: metric -> (n,) float64, six decimals.

    Raises ValueError when the two are not equally long, or for an unknown metric.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"references: {len(references)} given for {len(hypotheses)} hypotheses; "
                         "one per hypothesis is needed")
    scorers = [_scorer(choice("metrics", name, METRICS)) for name in metrics]
    pairs = list(zip(hypotheses, references))
    known = {pair: [score(*pair) for score in scorers] for pair in dict.fromkeys(pairs)}
    table = np.array([known[pair] for pair in pairs], dtype=np.float64)
    table = table.reshape(len(pairs), len(scorers)).round(DECIMALS)
    return dict(zip(metrics, table.T.copy()))


def _scorer(name: str) -> Callable[[str, str], float]:
    """The function (hypothesis, reference) -> score of a metric."""
    if name == "token-f1":
        return token_f1
    if name in ("chrf", "sentence-bleu"):
        from sacrebleu.metrics import BLEU, CHRF

        metric = CHRF() if name == "chrf" else BLEU(effective_order=True)
        return lambda hypothesis, reference: (
            metric.sentence_score(hypothesis, [reference]).score / 100)
    from rouge_score.rouge_scorer import RougeScorer

    rouge = RougeScorer([name], use_stemmer=False)
    return lambda hypothesis, reference: rouge.score(reference, hypothesis)[name].fmeasure


def token_f1(hypothesis: str, reference: str) -> float:
    """F1 of the two bags of words, without case, punctuation and articles; 1 when both are empty.

    Rajpurkar et al. (2016), section 6.1, with the normalisation of their evaluation.
    """
    found, wanted = _words(hypothesis), _words(reference)
    total = found.total() + wanted.total()
    return 2 * (found & wanted).total() / total if total else 1.0


def _words(text: str) -> Counter[str]:
    return Counter(word for word in _NOT_WORD.sub("", text.lower()).split()
                   if word not in _ARTICLES)
