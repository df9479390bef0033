"""Six metrics that score one segment at a time, each between 0 and 1.

ROUGE-1, ROUGE-2 and ROUGE-L are F-measures of the rouge_score library without stemming; chrF and
sentence BLEU are sacreBLEU's with its defaults, divided by 100; token F1 is written here. They
are computed when tables are built and frozen with six decimals: readers of a table need neither
library.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

METRICS = ("rouge1", "rouge2", "rougeL", "chrf", "sentence-bleu", "token-f1")
DECIMALS = 6

_NOT_WORD = re.compile(r"[^\w\s]")
_ARTICLES = {"a", "an", "the"}


def segment_scores(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, np.ndarray]:
    """Scores of n hypotheses against one reference each: metric -> (n,) float64, six decimals.

    Raises ValueError when the two are not equally long.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"references: {len(references)} given for {len(hypotheses)} hypotheses; "
                         "one per hypothesis is needed")
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU, CHRF

    rouge = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False)
    chrf, bleu = CHRF(), BLEU(effective_order=True)

    def scores(hypothesis, reference):
        overlap = rouge.score(reference, hypothesis)
        return (*(overlap[name].fmeasure for name in ("rouge1", "rouge2", "rougeL")),
                chrf.sentence_score(hypothesis, [reference]).score / 100,
                bleu.sentence_score(hypothesis, [reference]).score / 100,
                token_f1(hypothesis, reference))

    pairs = list(zip(hypotheses, references))
    known = {pair: scores(*pair) for pair in dict.fromkeys(pairs)}
    table = np.array([known[pair] for pair in pairs], dtype=np.float64)
    table = table.reshape(len(pairs), len(METRICS)).round(DECIMALS)
    return dict(zip(METRICS, table.T.copy()))


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
