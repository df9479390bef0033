"""Texts become statistics per segment, and the metric of their sums is sacreBLEU's."""

from __future__ import annotations

import dataclasses
import logging
import random
import sys

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

import sigbook as sb
from sigbook import texts

PEERS = {
    "bleu": lambda: BLEU(force=True),
    "bleu-exp": lambda: BLEU(force=True),
    "chrf": CHRF,
    "chrf++": lambda: CHRF(word_order=2),
    "ter": TER,
}
TITLES = {"bleu": "BLEU", "bleu-exp": "BLEU", "chrf": "chrF", "chrf++": "chrF++", "ter": "TER"}
COUNT = st.integers(0, 30)


@pytest.fixture(scope="module")
def written():
    """Three outputs and two references of 30 segments, some of them empty."""
    rng = random.Random(5)
    references = [strategies.text(rng, 30, least=4) for _ in range(2)]
    outputs = [[" ".join(w if rng.random() > share else rng.choice(strategies.WORDS) for w in line.split())
                for line in references[0]] for share in (0.2, 0.4, 1.0)]
    outputs[1][3] = references[0][7] = ""
    return outputs, references


# Scoring ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", PEERS)
@pytest.mark.parametrize("several", [False, True])
def test_scores_of_sums_and_the_signature_are_sacrebleus(written, metric, several):
    outputs, references = written
    references = references if several else references[1:]
    found, peer = texts.score(metric, outputs, references), PEERS[metric]()
    assert len(found.statistics) == 3
    for output, statistics in zip(outputs, found.statistics):
        theirs = peer.corpus_score(output, references).score
        assert 100 * found.rule.score(statistics.sum(axis=0)) == pytest.approx(theirs, rel=1e-12)
    assert found.signature == str(peer.get_signature())
    assert found.title == TITLES[metric] and found.lower_is_better == (metric == "ter")


def test_statistics_of_bleu_are_those_of_its_segments(written):
    outputs, references = written
    for output, found in zip(outputs, texts.score("bleu", outputs, references).statistics):
        assert found.dtype == np.int64 and np.array_equal(found, sb.bleu_statistics(output, references))


def test_columns_name_the_counts_of_each_order():
    kinds = ["char1", "char2", "char3", "char4", "char5", "char6", "word1", "word2"]
    names = [f"{kind} {what}" for kind in kinds for what in ("hypothesis", "reference", "matched")]
    for metric, columns in {"chrf": names[:18], "chrf++": names, "ter": ["edits", "length"]}.items():
        found = texts.score(metric, [["a cat", "sat"]], [["a dog", "sat"]])
        assert list(found.rule.columns) == columns and found.statistics[0].shape == (2, len(columns))
    (counts,) = texts.score("chrf++", [["abab"]], [["abc ab"]]).statistics
    assert dict(zip(names, counts[0].tolist())) == {
        "char1 hypothesis": 4, "char1 reference": 5, "char1 matched": 4,  # a a b b of a a b b c
        "char2 hypothesis": 3, "char2 reference": 4, "char2 matched": 2,  # ab ba ab of ab bc ca ab
        "char3 hypothesis": 2, "char3 reference": 3, "char3 matched": 0,
        "char4 hypothesis": 1, "char4 reference": 2, "char4 matched": 0,
        "char5 hypothesis": 0, "char5 reference": 1, "char5 matched": 0,
        "char6 hypothesis": 0, "char6 reference": 0, "char6 matched": 0,
        "word1 hypothesis": 1, "word1 reference": 2, "word1 matched": 0,
        "word2 hypothesis": 0, "word2 reference": 1, "word2 matched": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lengths", "mean", "dtype"),
    [((2, 4), 3, np.int64), ((1, 1, 2), 4 / 3, np.float64), ((1, 2, 2), 5 / 3, np.float64), ((4, 5), 4.5, np.float64)],
)
def test_counts_are_integers_where_all_are_whole(lengths, mean, dtype):
    references = [[" ".join("abcde"[:k]), "a b"] for k in lengths]
    (found,) = texts.score("ter", [["a b c d e", "a b"]], references).statistics
    assert found.dtype == dtype and found.tolist() == [[5 - max(lengths), mean], [0, 2]]


def test_what_is_done_is_told_as_a_share_of_all_segments(monkeypatch):
    monkeypatch.setattr(texts, "AT_ONCE", 200)
    told = []
    systems = [["a b"] * 500, ["a c"] * 500, ["b c"] * 500]
    texts.score("chrf", systems, [["a b"] * 500], tell=lambda what, share: told.append((what, share)))
    done = [1500 * share for what, share in told]
    assert {what for what, _ in told} == {"scoring texts"}
    assert done == pytest.approx([0, 200, 400, 500, 700, 900, 1000, 1200, 1400])


def test_texts_longer_than_a_chunk_are_scored_whole(written, monkeypatch):
    outputs, references = written
    whole = texts.score("chrf", outputs, references).statistics
    monkeypatch.setattr(texts, "AT_ONCE", 7)
    assert all(np.array_equal(x, y) for x, y in zip(texts.score("chrf", outputs, references).statistics, whole))


def test_sacrebleu_logs_nothing_of_tokenized_text(caplog):
    lines = ["all is well ."] * 120
    with caplog.at_level(logging.WARNING):
        texts.score("bleu", [lines], [lines])
    assert caplog.messages == []


def test_a_tokenizer_is_sacrebleus_and_for_bleu_only(written):
    (output, *_), references = written
    for metric in ("bleu", "bleu-exp"):
        found, peer = texts.score(metric, [output], references, "char"), BLEU(tokenize="char")
        theirs = peer.corpus_score(output, references).score
        assert 100 * found.rule.score(found.statistics[0].sum(axis=0)) == pytest.approx(theirs, rel=1e-12)
        assert found.signature == str(peer.get_signature())
        with pytest.raises(ValueError, match="^tokenize is 'klingon'; allowed are"):
            texts.score(metric, [output], references, "klingon")
    for metric in ("chrf", "chrf++", "ter"):
        with pytest.raises(ValueError, match=f"^tokenize is for BLEU; got tokenize='char' with metric '{metric}'$".replace("+", r"\+")):
            texts.score(metric, [output], references, "char")


def test_another_metric_and_texts_without_sacrebleu_are_refused(monkeypatch):
    for metric in ("rouge", "bleu ", "mean", None, ["bleu"]):
        with pytest.raises(ValueError, match=r"^metric must be one of 'bleu', 'chrf', 'chrf\+\+', 'ter', 'bleu-exp'; got"):
            texts.score(metric, [["a"]], [["a"]])
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    for metric in PEERS:
        with pytest.raises(ValueError, match=r"need sacreBLEU, which is not installed: pip install 'sigbook\[text\]'$"):
            texts.score(metric, [["a"]], [["a"]])


def test_what_was_scored_stays_as_it_is_and_is_equal_to_itself_alone():
    first, second = (texts.score("ter", [["a b"]], [["a c"]]) for _ in range(2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.title = "BLEU"
    assert first == first and first != second and len({first, second}) == 2


# The metrics of sums ------------------------------------------------------------------------------------


@given(orders=st.lists(st.tuples(COUNT, COUNT, COUNT), min_size=6, max_size=6))
def test_chrf_of_sums_is_sacrebleus(orders):
    flat = [x for hypothesis, reference, matched in orders
            for x in (hypothesis, reference, min(matched, hypothesis, reference))]  # fmt: skip
    theirs = CHRF()._compute_f_score(flat)
    assert 100 * texts.chrf(np.array(flat)) == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@given(edits=COUNT, length=COUNT.map(lambda x: x / 3))
def test_ter_of_sums_is_sacrebleus(edits, length):
    theirs = TER()._compute_score_from_stats([edits, length]).score
    assert 100 * texts.ter(np.array([edits, length])) == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        ([4, 2, 1] + [0] * 15, 5 * (1 / 4) * (1 / 2) / (4 * (1 / 4) + 1 / 2)),
        ([4, 2, 1, 0, 3, 0, 3, 0, 0] + [0] * 9, 5 * (1 / 4) * (1 / 2) / (4 * (1 / 4) + 1 / 2)),  # one order that both have
        ([4, 2, 1, 1, 1, 1] + [0] * 12, 5 * (5 / 8) * (3 / 4) / (4 * (5 / 8) + 3 / 4)),
        ([1, 1, 1] * 6, 1),
        ([3, 5, 0] * 6, 0),
        ([0] * 18, 0),
    ],
)
def test_chrf_averages_over_the_orders_that_both_texts_have(counts, score):
    assert texts.chrf(np.array(counts)) == pytest.approx(score, rel=1e-14)


def test_sums_may_have_leading_axes():
    rng = np.random.default_rng(2)
    counts = rng.integers(3, size=(2, 3, 24))
    counts[..., 2::3] = np.minimum(counts[..., 2::3], np.minimum(counts[..., ::3], counts[..., 1::3]))
    counts[0, 0] = 0
    for score, sums in ((texts.chrf, counts), (texts.ter, counts[..., :2])):
        one_by_one = [[float(score(x)) for x in row] for row in sums]
        assert score(sums).shape == (2, 3) and np.array_equal(score(sums), one_by_one)
    assert texts.ter([[1, 0], [0, 0], [1, 4]]).tolist() == [1, 0, 0.25]


def test_gradients_are_the_slopes_of_the_scores():
    rule = texts.score("ter", [["a b"]], [["a c"]]).rule
    assert rule.gradient([3, 12]) == pytest.approx([1 / 12, -3 / 12**2], rel=1e-8)
    rule = texts.score("chrf", [["a b"]], [["a c"]]).rule
    sums = np.tile([40, 50, 20], 6)
    slopes = rule.gradient(sums).reshape(6, 3)
    # All orders alike: F = 5 m / (4 r + h) in each of them has a sixth of the slope.
    alike = np.array([-5 * 20 / 240**2, -5 * 20 * 4 / 240**2, 5 / 240]) / 6
    assert slopes == pytest.approx(np.tile(alike, (6, 1)), rel=1e-6)
