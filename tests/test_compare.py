"""compare puts together what the package computes: each number against its own source of truth."""

from __future__ import annotations

import inspect
import io
import itertools
import json
import math
import random
import sys

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest
from scipy import stats
from strategies import paired_sets, quietly

import sigbook as sb
from sigbook import data, family
from sigbook.worlds import filings, tone

METRICS = {
    "bleu": lambda: BLEU(force=True),
    "chrf": CHRF,
    "chrf++": lambda: CHRF(word_order=2),
    "ter": TER,
}


@pytest.fixture(scope="module")
def scores():
    """Scores of two systems on 60 segments in 20 documents, real numbers, A a little better."""
    rng = np.random.default_rng(7)
    b = rng.normal(size=60)
    return b + 0.3 + rng.normal(size=60), b, np.repeat(np.arange(20), 3)


@pytest.fixture(scope="module")
def written():
    """Three outputs and two references of 40 segments, some of them empty."""
    rng = random.Random(3)
    references = [strategies.text(rng, 40, least=4) for _ in range(2)]

    def noisy(share):
        lines = [[w if rng.random() > share else rng.choice(strategies.WORDS) for w in x.split()] for x in references[0]]
        return ["" if rng.random() < 0.05 else " ".join(line) for line in lines]

    return [noisy(0.3), noisy(0.4), noisy(0.4)], references


def rounds(report):
    """Everything that a report says, as one string."""
    return report.text() + report.json()


# The signature ------------------------------------------------------------------------------------------


def test_options_have_the_names_of_the_rest_of_the_package_and_stand_in_the_docstring():
    parameters = inspect.signature(sb.compare).parameters
    assert {key: p.default for key, p in parameters.items() if p.kind is p.KEYWORD_ONLY} == {
        "references": None, "scores": None, "documents": None, "metric": None, "names": None, "against": None,
        "lower_is_better": None, "tokenize": None, "draws": 10_000, "seed": 0, "level": 0.95, "at_gap": None,
        "progress": False,
    }  # fmt: skip
    assert parameters["systems"].kind is inspect.Parameter.VAR_POSITIONAL
    text = inspect.getdoc(sb.compare)
    assert "ValueError" in text and all(f"{key}:" in text for key in parameters)
    report = sb.compare([1, 2], [2, 1])
    assert (report.draws, report.seed, report.level, report.at_gap) == (10_000, 0, 0.95, None)


def test_inputs_and_the_global_random_state_are_left_alone(scores):
    a, b, documents = (x.copy() for x in scores)
    before = np.random.get_state()[1].copy()
    sb.compare(a, b, documents=documents, draws=50)
    assert all(np.array_equal(x, y) for x, y in zip((a, b, documents), scores))
    assert np.array_equal(np.random.get_state()[1], before)


def test_the_same_seed_gives_the_same_report_and_another_seed_another(scores):
    a, b, documents = scores
    first, second, other = (sb.compare(a, b, documents=documents, draws=200, seed=seed) for seed in (1, 1, 2))
    assert rounds(first) == rounds(second)
    assert first.pair.view.percentile != other.pair.view.percentile
    assert first.pair.gap == other.pair.gap
    assert sb.compare(a, b, draws=20, seed=2**128).seed == 2**128


# Two systems: the package's own numbers -----------------------------------------------------------------


def assert_view(view, pairs, draws, seed, level=0.95, rounding=0.0):
    """A view against the engine and the rules, called one by one."""
    resamples = quietly(sb.bootstrap, pairs, draws, seed)
    few = view.differing <= 16
    swaps = quietly(sb.randomize, pairs, "all" if few else draws, seed)
    assert view.units == pairs.units and view.enumerated == few
    assert view.differing == (pairs.unit_a != pairs.unit_b).any(axis=1).sum()
    assert view.p == sb.p_randomization(swaps)
    assert view.counted.sum() == round(view.p * (draws + 1) - 1 if not few else view.p * len(view.swaps))
    assert view.least == min(1, 2 / 2**view.differing) and view.p >= view.least
    assert np.allclose(view.bootstrap, resamples.gaps, rtol=0, atol=rounding)
    assert np.allclose(view.swaps, swaps.gaps, rtol=0, atol=rounding)
    found = [view.sd, *view.percentile, *view.basic]
    wanted = [resamples.sd, *sb.percentile_interval(resamples, level), *sb.basic_interval(resamples, level)]
    assert np.allclose(found, wanted, rtol=0, atol=rounding)
    side = "greater" if pairs.gap > 0 else "less"
    assert view.koehn == min(1, 2 * sb.p_koehn(resamples, side))
    assert view.recentered == min(1, 2 * sb.p_recentered(resamples, side))
    assert view.shifted == sb.p_shifted(resamples)


@pytest.mark.parametrize("seed", [0, 5])
def test_a_report_on_two_systems_says_what_the_package_says(scores, seed):
    a, b, documents = scores
    report = sb.compare(a, b, documents=documents, draws=300, seed=seed, level=0.9)
    pair = report.pair
    assert_view(pair.view, sb.PairedSet(a, b, "mean", documents), 300, seed, 0.9)
    assert_view(pair.by_segment, sb.PairedSet(a, b, "mean"), 300, seed, 0.9)
    assert pair.view.unit == "document" and pair.by_segment.unit == "segment"
    assert pair.scores == report.scores == (pytest.approx(a.mean()), pytest.approx(b.mean()))
    assert pair.gap == pytest.approx(a.mean() - b.mean())
    assert pair.effect_size == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    assert pair.design_effect == pytest.approx(sb.design_effect(a - b, documents))
    assert pair.p_holm == pair.view.p and pair.winner == "A"
    assert report.of_mean and not report.lower_is_better and report.documents == 20
    alone = sb.compare(a, b, draws=300, seed=seed, level=0.9).pair
    assert_view(alone.view, sb.PairedSet(a, b, "mean"), 300, seed, 0.9)
    assert alone.by_segment is None and alone.design_effect is None


@pytest.mark.parametrize("names", [("writer", "noisy-0.1"), ("terse", "flipped"), ("extract", "textrank")])
def test_statistics_and_a_paired_set_give_one_report(names):
    pairs = filings.pair(*names)
    report = sb.compare(pairs, draws=400, seed=3)
    assert_view(report.pair.view, pairs, 400, 3)
    again = sb.compare(pairs.a, pairs.b, metric="bleu", names=names, draws=400, seed=3)
    assert rounds(again) == rounds(report)
    assert report.pair.effect_size * quietly(sb.influence, pairs).std(ddof=1) == pytest.approx(pairs.gap)
    assert report.metric == "BLEU" and report.names == names and not report.of_mean
    assert not sb.compare(filings.pair(*names, "fact-f1"), draws=20).of_mean


@settings(max_examples=40)
@given(pairs=paired_sets(least=1, most=7, clusters=True), lower=st.booleans())
def test_any_paired_set_has_a_report_with_every_face(pairs, lower):
    report = sb.compare(pairs, draws=20, lower_is_better=lower)
    pair = report.pair
    again = quietly(sb.PairedSet, pairs.a, pairs.b, pairs.metric, pairs.clusters)
    if pairs.units > 1:
        assert_view(pair.view, again, 20, 0)
    else:
        assert pair.view.p == 1 and pair.view.percentile is None
    assert json.loads(report.json())["pairs"][0]["gap"] == pair.gap
    assert report.text() and report.markdown() and report.html() and report.sentence.endswith(".")
    if pair.gap == 0:
        assert pair.winner is None and pair.view.p == 1
    else:
        assert pair.winner == ("A" if (pair.gap > 0) != lower else "B")


def test_functions_of_pooled_sums_are_metrics_too():
    pairs = filings.pair("terse", "flipped", "fact-f1")

    def recall(sums):
        return sums[..., 0] / sums[..., 2]

    report = sb.compare(pairs.a, pairs.b, metric=recall, draws=100)
    assert report.metric == "recall" and not report.of_mean
    assert report.scores == (pairs.a[:, 0].sum() / pairs.a[:, 2].sum(), pairs.b[:, 0].sum() / pairs.b[:, 2].sum())
    assert sb.compare(pairs.a, pairs.b, metric=lambda x: x[..., 0] / x[..., 1], draws=100).metric == "score"


def test_right_or_wrong_scores_bring_mcnemars_test():
    a, b = (tone.load().right[name] for name in ("nb unigrams", "lr unigrams"))
    n10, n01 = int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum())
    for x, y in ((a, b), (a.astype(float), b.astype(bool))):
        found = sb.compare(x, y, draws=100).pair.mcnemar
        assert (found.n10, found.n01, found.p) == (n10, n01, sb.mcnemar(n10, n01))
    assert sb.compare(1 - a, 1 - b, draws=100, lower_is_better=True).pair.mcnemar == found
    assert sb.compare(a, b + 1, draws=100).pair.mcnemar is None
    assert sb.compare(a * 0.5, b, draws=100).pair.mcnemar is None
    assert sb.compare(a - 1, b, draws=100).pair.mcnemar is None
    weighted = (np.stack([x, np.ones_like(x)], axis=1) for x in (a, b))
    assert sb.compare(*weighted, metric="mean", draws=100).pair.mcnemar is None


def test_exact_p_values_of_right_or_wrong_scores_are_mcnemars():
    rng = np.random.default_rng(4)
    for _ in range(5):
        a = rng.integers(2, size=300)
        b = np.where(rng.random(300) < 0.04, 1 - a, a)
        pair = sb.compare(a, b, draws=50).pair
        assert pair.view.enumerated and pair.view.p == pytest.approx(pair.mcnemar.p, rel=1e-12)


@pytest.mark.parametrize(("differing", "exact"), [(16, True), (17, False)])
def test_every_swap_of_up_to_sixteen_units_is_gone_through(differing, exact):
    a = np.where(np.arange(20) < differing, 1 + np.arange(20) % 3, 0)
    view = sb.compare(a, np.zeros(20), draws=50).pair.view
    assert view.enumerated == exact and len(view.swaps) == (2**16 if exact else 50)


def test_of_a_tie_one_sided_rules_say_1_however_skewed_the_cloud_is():
    skewed = np.array([60, 3, 1, -2, -7, -11, -19, -25])
    for a, b in ((skewed, 0 * skewed), (0 * skewed, skewed)):
        pair = sb.compare(a, b, draws=300).pair
        assert abs((pair.view.bootstrap > 0).mean() - 0.5) > 0.02
        assert (pair.gap, pair.winner, pair.view.koehn, pair.view.recentered) == (0, None, 1, 1)


def test_documents_that_do_not_differ_have_no_winner_though_sums_round_apart():
    a, b = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]  # in this order, the first sums to 0.6000000000000001
    pair = sb.compare(a, b, documents=["x", "y", "x"], draws=50).pair
    assert 0 < pair.gap < 1e-16 and pair.view.differing == 0
    assert pair.winner is None and pair.view.p == 1


def test_systems_that_all_have_one_unit_have_empty_clouds():
    view = sb.compare([1.0], [3.0], draws=50).pair.view
    assert view.bootstrap.shape == (0,) and view.swaps.tolist() == [2, -2] and view.counted.all()


# sacreBLEU ----------------------------------------------------------------------------------------------


def test_the_published_p_values_of_wmt17_come_out():
    systems = data.wmt17()
    pair = sb.compare(systems["LIUM-NMT.4900"], systems["online-B.0"], metric="bleu-exp", draws=100).pair
    assert pair.sacrebleu.bootstrap == pytest.approx(0.3076923, abs=5e-8)
    assert pair.sacrebleu.randomization == pytest.approx(0.8066193, abs=5e-8)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("several", [False, True])
def test_scores_signature_and_p_values_are_sacrebleus(written, monkeypatch, metric, several):
    (a, b, _), references = written
    references = references if several else references[:1]
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    report = sb.compare(a, b, references=references if several else references[0], metric=metric, draws=100)
    peer = METRICS[metric]()
    theirs = [peer.corpus_score(x, references).score for x in (a, b)]
    assert [100 * x for x in report.scores] == pytest.approx(theirs, rel=1e-12)
    assert report.signature == str(peer.get_signature())
    for kind, ours in (("bs", report.pair.sacrebleu.bootstrap), ("ar", report.pair.sacrebleu.randomization)):
        _, found = PairedTest([("A", a), ("B", b)], {metric: METRICS[metric]()}, references, kind)()
        (values,) = [value for key, value in found.items() if key != "System"]
        assert ours == values[1].p_value


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("output", "reference"),
    [
        (["", "", ""], ["a b c d e", "f", "g h"]),
        (["a", "b", "c"], ["d", "e", "f"]),
        (["a b", "", "c"], ["a b", "", "c"]),
        (["a b c", "d"], ["", ""]),
        (["", ""], ["", ""]),
        (["the cat sat on the mat"], ["the cat sat on a mat"]),
        (["a", "b"], ["a", "c"]),
    ],
)
def test_odd_texts_score_as_sacrebleu_scores_them(metric, output, reference):
    report = sb.compare(output, list(reversed(output)), references=reference, metric=metric, draws=20)
    theirs = [METRICS[metric]().corpus_score(x, [reference]).score for x in (output, output[::-1])]
    assert [100 * x for x in report.scores] == pytest.approx(theirs)


def test_a_tokenizer_is_sacrebleus_and_for_bleu_only(written):
    (a, b, _), references = written
    report = sb.compare(a, b, references=references, tokenize="char", draws=20)
    assert "tok:char" in report.signature
    assert 100 * report.scores[0] == pytest.approx(BLEU(tokenize="char").corpus_score(a, references).score)
    with pytest.raises(ValueError, match="tokenize is for BLEU"):
        sb.compare(a, b, references=references, tokenize="char", metric="chrf")
    with pytest.raises(ValueError, match="tokenize is 'klingon'"):
        sb.compare(a, b, references=references, tokenize="klingon")


def test_tokenized_text_is_doubted_as_sacrebleu_doubts_it():
    text = ["all is well ."] * 120
    systems = [["all is well."] * few + text[few:] for few in (0, 20, 21)]
    report = sb.compare(*systems, references=text, draws=20)
    assert [x for x in report.doubts if "detokenized" in x] == [
        f"{name}: {lines} lines end in ' .', as tokenized text does; BLEU expects detokenized text"
        for name, lines in (("A", 120), ("B", 100))]
    assert not any("detokenized" in x for x in sb.compare(text, text, references=text, metric="chrf", draws=20).doubts)


def test_without_sacrebleu_a_text_is_refused_with_the_command_that_helps(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu.metrics", None)
    with pytest.raises(ValueError, match=r"need sacreBLEU.*pip install 'sigbook\[text\]'"):
        sb.compare(["a"], ["b"], references=["a"])


def test_a_readers_own_function_scores_texts_segment_by_segment(written):
    (a, b, _), references = written

    def shared_words(hypothesis, references):
        return max(len(set(hypothesis.split()) & set(x.split())) for x in references)

    report = sb.compare(a, b, references=references, metric=shared_words, draws=50)
    assert report.metric == "mean shared_words" and report.of_mean and report.signature is None
    assert report.scores[0] == np.mean([shared_words(x, own) for x, *own in zip(a, *references)])
    assert sb.compare(a, b, metric=lambda x, _: len(x), draws=50).scores[1] == np.mean([len(x) for x in b])
    with pytest.raises(ValueError, match="metric: on segment 1 of A it raised KeyError"):
        sb.compare(a, b, metric=lambda x, _: {}["no"])


# Verdicts that are known --------------------------------------------------------------------------------


def test_identical_systems_have_gap_0_and_p_1_in_a_plain_sentence():
    text = ["the cat sat on the mat"] * 5
    report = sb.compare(text, list(text), references=text, names=["one", "two"], draws=50)
    pair = report.pair
    assert (pair.gap, pair.view.p, pair.winner, pair.view.percentile) == (0, 1, None, (0, 0))
    assert (pair.view.koehn, pair.view.recentered, pair.view.shifted) == (1, 1, 1)
    assert report.sentence == (
        "On 5 segments, one and two do not differ in any segment: both have a BLEU of 1.0000 "
        f"({report.signature}), the gap is 0 and p = 1."
    )
    assert report.doubts[0] == "the systems do not differ in any segment: there is nothing to test"
    assert pair.sacrebleu.bootstrap == 1 / 1001 and pair.sacrebleu.randomization == 1 / 10001


def test_one_segment_and_one_document_give_p_1_and_no_interval():
    one = sb.compare([1.0], [3.0], draws=50)
    assert (one.pair.gap, one.pair.view.p, one.pair.view.percentile, one.pair.view.sd) == (-2, 1, None, None)
    assert one.pair.effect_size is None and one.pair.detectable is None
    assert "1 segment says nothing about others: there are no intervals" in one.doubts
    together = sb.compare([1.0, 2.0, 4.0], [3.0, 3.0, 3.0], documents=["d"] * 3, draws=50)
    assert (together.pair.view.p, together.pair.view.basic, together.pair.design_effect) == (1, None, None)
    assert together.pair.by_segment.percentile is not None
    assert "1 document says nothing about others: there are no intervals" in together.doubts
    for report in (one, together):
        assert "none" in report.text() and report.picture().axes
    assert sb.compare(["a b"], ["a c"], references=["a b"], draws=20).pair.sacrebleu is None
    assert sb.compare(["a b", "d"], ["a c", "d"], references=["a b", "d"], draws=20).pair.sacrebleu is not None


def test_two_units_are_enough_for_an_effect_size_and_a_design_effect():
    a, b, documents = np.array([1.0, 2, 4]), np.array([3.0, 3, 3]), list("dde")
    pair = sb.compare(a, b, documents=documents, draws=50).pair
    assert pair.design_effect == pytest.approx(sb.design_effect(a - b, documents))
    assert sb.compare(a, b, documents=list("ddd"), draws=50).pair.design_effect is None
    pair = sb.compare(a[:2], b[:2], draws=50).pair
    assert pair.effect_size == pytest.approx(-1.5 / math.sqrt(0.5))


def test_five_documents_cannot_give_a_p_value_below_a_sixteenth():
    a, b = np.arange(15.0) + 1, np.zeros(15)
    report = sb.compare(a, b, documents=np.repeat(list("vwxyz"), 3), draws=200)
    assert report.pair.view.p == report.pair.view.least == 0.0625 and report.pair.view.enumerated
    assert report.doubts[0] == (
        "the systems differ on 5 documents, so the smallest two-sided p-value is 0.0625: no p below 0.05 is possible")
    assert any(x.startswith("only 5 documents: even for a mean the bootstrap sd is 0.89 of") for x in report.doubts)
    assert "0.0625" in report.text()


def test_documents_are_the_unit_of_real_verdicts():
    wmt, ted = data.wmt23(), data.wmt21_ted()
    report = sb.compare(wmt.bleu["ONLINE-W"], wmt.bleu["ONLINE-M"], metric="bleu-exp", documents=wmt.documents)
    assert report.pair.view.p == pytest.approx(0.068, abs=0.01)
    assert report.pair.by_segment.p == pytest.approx(0.026, abs=0.006)
    report = sb.compare(ted.bleu["Facebook-AI"], ted.bleu["UEdin"], metric="bleu-exp", documents=ted.documents)
    assert report.pair.view.p == 0.125 and report.pair.by_segment.p < 0.001
    influence = sb.influence(sb.PairedSet(ted.bleu["Facebook-AI"], ted.bleu["UEdin"], "bleu-exp"))
    assert report.pair.design_effect == sb.design_effect(influence, ted.documents) > 3


def test_mirror_images_have_p_1_and_a_rule_of_sacrebleu_that_does_not_say_so():
    a = np.tile([[5, 5, 4, 3, 2, 1, 5, 4, 3, 2], [5, 5, 5, 4, 3, 2, 5, 4, 3, 2]], (6, 1))
    report = sb.compare(a, a[::-1], metric="bleu-exp", draws=200)
    assert report.pair.gap == 0 and report.pair.view.p == 1 and report.pair.winner is None
    assert 0.2 < report.pair.sacrebleu.bootstrap < 0.6


def test_lower_scores_win_where_lower_is_better(written):
    (a, b, _), references = written
    report = sb.compare(a, b, references=references, metric="ter", draws=200)
    assert report.lower_is_better and report.scores[0] < report.scores[1]
    assert report.pair.gap < 0 and report.pair.winner == "A"
    assert "lower is better" in report.text() and "lower is better" in report.sentence
    errors = np.array([3.0, 1, 4, 1, 5, 9]), np.array([2.0, 7, 1, 8, 2, 8])
    plain, turned = sb.compare(*errors, draws=50), sb.compare(*errors, draws=50, lower_is_better=True)
    assert {plain.pair.winner, turned.pair.winner} == {"A", "B"} and plain.pair.view.p == turned.pair.view.p
    assert turned.pair.view.koehn == plain.pair.view.koehn
    with pytest.raises(ValueError, match="lower_is_better: it is False for BLEU; got True"):
        sb.compare(a, b, references=references, lower_is_better=True)
    with pytest.raises(ValueError, match="lower_is_better: it is True for TER; got False"):
        sb.compare(a, b, references=references, metric="ter", lower_is_better=False)
    for metric, lower in (("ter", True), ("bleu", False)):
        assert sb.compare(a, b, references=references, metric=metric, lower_is_better=lower,
                          draws=20).lower_is_better == lower


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("at_gap", [0.01, 0.25])
def test_the_detectable_gap_and_the_power_are_those_of_a_normal_gap(level, at_gap):
    d = np.random.default_rng(11).normal(size=80)
    pair = sb.compare(d, np.zeros(80), at_gap=at_gap, level=level, draws=200).pair
    critical, shift = stats.norm.isf((1 - level) / 2), at_gap / pair.view.sd
    assert pair.detectable == pytest.approx((critical + stats.norm.ppf(0.8)) * pair.view.sd, rel=1e-9)
    assert pair.power == pytest.approx(stats.norm.sf(critical, shift) + stats.norm.cdf(-critical, shift), rel=1e-9)


def test_a_detectable_gap_is_found_as_often_as_it_says():
    from scipy.special import ndtri
    from sigbook.clouds import randomize_stack

    rng = np.random.default_rng(11)
    detectable = (ndtri(0.975) + ndtri(0.8)) / math.sqrt(80)
    fresh = rng.normal(detectable, size=(600, 80))
    p = sb.p_randomization(randomize_stack(fresh, np.zeros_like(fresh), "mean", 400, 1))
    assert np.mean(p <= 0.05) == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 600))


def test_differences_that_are_all_equal_have_no_effect_size_and_no_power():
    report = sb.compare(np.arange(30) + 0.1, np.arange(30) * 1.0, at_gap=0.1, draws=100)
    pair = report.pair
    assert pair.view.p == 1 / 101 and pair.view.sd == 0
    assert (pair.effect_size, pair.detectable, pair.power) == (None, None, None)
    assert any("every resample gives the gap +0.1" in x for x in report.doubts)
    thirds = np.tile([1, 0, 0], 6)  # the mean of many thirds is not a third, to rounding
    pair = sb.compare(thirds, 0 * thirds, documents=np.repeat(range(6), 3), draws=20).pair
    assert pair.view.bootstrap.std() > 0 == pair.view.sd and pair.detectable is None


def test_doubts_of_the_engine_are_in_the_report_and_are_not_raised():
    report = sb.compare(strategies.near_the_kink(0.01), draws=100)
    assert any("the brevity penalty's kink" in x for x in report.doubts)
    report = sb.compare(filings.pair("extract", "textrank"), draws=100)
    assert sum("matched 4-grams" in x for x in report.doubts) == 2
    nothing = np.zeros((3, 3), dtype=int)
    report = sb.compare(nothing, nothing, metric="f1", draws=100)
    assert report.scores == (0, 0) and report.pair.effect_size is None


def test_an_interval_from_fewer_than_twenty_units_is_doubted():
    rng = np.random.default_rng(8)
    for units, doubted in ((19, True), (20, False)):
        said = sb.compare(*rng.normal(size=(2, units)), draws=100).doubts
        assert any(x.startswith(f"only {units} segments: even for a mean") for x in said) == doubted


def test_more_systems_than_letters_have_numbers():
    rng = np.random.default_rng(9)
    report = sb.compare(*rng.normal(size=(28, 5)), draws=20, against="first")
    assert report.names[0] == "A" and report.names[25:] == ("Z", "system 27", "system 28")


def test_too_few_draws_are_doubted():
    a, b = np.arange(40.0), np.arange(40.0)[::-1] ** 1.1
    assert ("18 draws are too few: the smallest p they can give, 1/19, is above 0.05"
            in sb.compare(a, b, draws=18).doubts)
    for draws in (19, 30):  # 1/20 is 0.05
        assert not any("too few" in x for x in sb.compare(a, b, draws=draws).doubts)
    assert not any("too few" in x for x in sb.compare(a[:5], b[:5], draws=10).doubts)  # every swap is gone through
    two_pairs = [sb.compare(a, b, b * 1.01, draws=draws, against="first") for draws in (38, 39)]
    assert ("38 draws are too few: the smallest p they can give, 1/39, times the number of pairs is above 0.05"
            in two_pairs[0].doubts)
    assert not any("too few" in x for x in two_pairs[1].doubts)
    assert any("times the number of pairs" in x for x in sb.compare(a, b, b * 1.01, draws=20).doubts)


def test_intervals_that_end_at_the_outermost_draws_are_doubted():
    a, b = np.arange(40.0), np.arange(40.0)[::-1] ** 1.1
    said = "the ends of the 95% intervals are the smallest and the largest of 39 resampled gaps: draw more"
    few, enough = (sb.compare(a, b, draws=draws) for draws in (39, 40))
    assert few.pair.view.percentile == (few.pair.view.bootstrap.min(), few.pair.view.bootstrap.max())
    assert said in few.doubts and not any("draw more" in x for x in enough.doubts)
    assert any("99% intervals" in x for x in sb.compare(a, b, draws=199, level=0.99).doubts)
    assert not any("draw more" in x for x in sb.compare([1.0], [2.0], draws=39).doubts)


# Many systems -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(2)
    return [rng.normal(0.1 * k, 1, size=50) for k in range(5)]


def test_each_pair_of_many_is_the_pair_alone(many, monkeypatch):
    report = sb.compare(*many, draws=150, seed=4)
    assert [pair.names for pair in report.pairs] == list(itertools.combinations("ABCDE", 2))
    for pair, (a, b) in zip(report.pairs, itertools.combinations(many, 2)):
        assert_view(pair.view, sb.PairedSet(a, b, "mean"), 150, 4, rounding=1e-15)
        assert pair.sacrebleu is None
    adjusted = sb.holm([pair.view.p for pair in report.pairs])
    assert [pair.p_holm for pair in report.pairs] == adjusted.tolist()
    monkeypatch.setattr(family, "LARGEST_BLOCK", 1)
    assert rounds(sb.compare(*many, draws=150, seed=4)) == rounds(report)
    with pytest.raises(ValueError, match="the report has 10 pairs"):
        report.pair  # noqa: B018


def test_statistics_of_many_systems_are_drawn_once_for_all():
    systems = [filings.statistics(name) for name in filings.SYSTEMS[:4]]
    report = sb.compare(*systems, metric="bleu", draws=120, seed=1)
    for pair, (a, b) in zip(report.pairs, itertools.combinations(systems, 2)):
        pairs = sb.PairedSet(a, b, "bleu")
        resamples = quietly(sb.bootstrap, pairs, 120, 1)
        assert np.array_equal(pair.view.bootstrap, resamples.gaps)
        if pair.view.enumerated:
            assert pair.view.p == sb.p_randomization(quietly(sb.randomize, pairs, "all"))
    assert {pair.view.enumerated for pair in report.pairs} == {False, True}
    assert all(pair.sacrebleu is None for pair in report.pairs)
    assert "A p-value marked exact" in report.text() and " exact  " in report.text()


def test_all_can_be_compared_with_one(many):
    report = sb.compare(*many, draws=100, against="first")
    assert report.against == "A" and [pair.names for pair in report.pairs] == [(x, "A") for x in "BCDE"]
    again = sb.compare(*many, draws=100, against="C", names=list("VWCXY"))
    assert [pair.names for pair in again.pairs] == [(x, "C") for x in "VWXY"]
    named = sb.compare(*many[:3], draws=100, against="first", names=["last", "first", "other"])
    assert named.against == "first" and [pair.names for pair in named.pairs] == [("last", "first"), ("other", "first")]
    assert report.pairs[0].gap == pytest.approx(many[1].mean() - many[0].mean())
    with pytest.raises(ValueError, match="against must be one of 'A', 'B', 'C', 'D', 'E'; got 'Z'"):
        sb.compare(*many, against="Z")


def test_holms_factor_is_doubted_only_where_it_makes_the_difference():
    few = np.arange(8) < 6  # p is at least 2 / 2^6 = 1/32

    def doubted(systems, level):
        report = sb.compare(*(k * few for k in range(systems)), level=level, against="first", draws=200)
        return [sum(text in x for x in report.doubts) for text in ("Holm's p", "no p below")]

    assert doubted(2, 1 - 1 / 32) == [0, 0] and doubted(3, 1 - 1 / 32) == [2, 0]
    assert doubted(3, 1 - 2 / 32) == [0, 0] and doubted(4, 1 - 2 / 32) == [3, 0]
    assert doubted(3, 1 - 1 / 64) == [0, 2] and doubted(2, 0.95) == [0, 0]
    two = [sb.compare([1, 2], [0, 0], level=level, draws=20).doubts for level in (0.4, 0.6)]  # p is at least 1/2
    assert [sum("no p below" in x for x in doubts) for doubts in two] == [0, 1]


def test_doubts_of_many_pairs_name_the_pair_once():
    few = np.zeros(30)
    few[:6] = 1
    report = sb.compare(few, np.zeros(30), few * 2, draws=2_000)
    assert report.doubts == tuple(
        f"{pair}: the systems differ on 6 segments, so the smallest two-sided p-value is 0.03125; times 3 pairs, "
        "Holm's p can hardly be below 0.05" for pair in ("A - B", "A - C", "B - C"))
    report = sb.compare(*[x[:6] for x in (few, np.arange(6.0), few * 2)], documents=list("aabbcc"), draws=200)
    assert sum(x.startswith("only 3 documents") for x in report.doubts) == 1


def test_progress_is_shown_from_one_second_on_and_not_too_often(monkeypatch):
    seen = []

    class Terminal(io.StringIO):
        def flush(self):
            seen.append(self.getvalue())
            self.truncate(self.seek(0))

    monkeypatch.setattr("sys.stderr", Terminal())
    clock = [100]  # of the start, of resampling, of reading off 5 pairs, of the end
    monkeypatch.setattr(sys.modules["sigbook.compare"].time, "monotonic", lambda: clock.pop(0))
    systems = np.arange(12).reshape(6, 2)
    clock += [100.5, 101, 101.125, 101.25, 101.375, 101.5, 109]
    sb.compare(*systems, draws=20, against="first", progress=True)
    assert seen == ["\rreading off  20%".ljust(40), "\rreading off  60%".ljust(40), "\r" + " " * 40 + "\r"]
    for progress, clock in ((True, [1] * 8), (False, [])):
        sb.compare(*systems, draws=20, against="first", progress=progress)
        assert clock == [] and len(seen) == 3 and not sys.stderr.getvalue()


def test_a_report_names_the_versions_of_what_computed_it():
    for report in (sb.compare([1, 2], [2, 1], draws=20), sb.compare(ONE, TWO, references=ONE, draws=20)):
        found = dict(report.versions)
        assert found.pop("Python") == "{}.{}.{}".format(*sys.version_info)
        assert found.pop("NumPy") == np.__version__ and found.pop("sigbook") == sb.__version__
        assert list(found) == ([] if report.signature is None else ["sacreBLEU"])


# A million scores, and inputs that cannot be compared ---------------------------------------------------


def test_a_million_scores_are_compared():
    rng = np.random.default_rng(0)
    a = rng.normal(size=1_000_000)
    b = a + rng.normal(0.001, 0.2, size=1_000_000)
    report = sb.compare(a, b, draws=20)
    assert report.n == 1_000_000 and report.pair.view.differing == 1_000_000
    assert report.pair.view.sd == pytest.approx(0.2 / 1_000, rel=0.6)
    assert "1,000,000 segments" in report.sentence


ONE, TWO = ["a b", "c"], ["a d", "c"]


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        ((), {}, "systems: at least 2 are needed; got 0"),
        ((ONE,), {"references": ONE}, "systems: at least 2 are needed; got 1"),
        ((ONE, TWO), {}, "references: needed to score texts"),
        ((ONE, TWO), {"references": []}, "references: empty"),
        ((ONE, TWO), {"references": ["a"]}, "references, line 2: missing; it has 1 line, but A has 2"),
        ((ONE, TWO + ["e"]), {"references": ONE}, "B, line 3: one too many; it has 3 lines, but A has 2"),
        ((ONE + ["e"], TWO), {"references": ONE}, "A, line 3: one too many; it has 3 lines, but B has 2"),
        ((ONE + ["e"], TWO), {"references": ["a"]}, "B, line 3: missing; it has 2 lines, but A has 3"),
        ((ONE, TWO), {"references": [ONE, ["a"]]}, r"references\[1\], line 2: missing"),
        ((ONE, TWO), {"references": [["a"], ["b"], ["c"]]}, r"references\[0\], line 2: missing"),
        ((ONE, ["a", 3]), {"references": ONE}, r"B\[1\] is 3; every segment must be a string"),
        ((ONE, [1, 2]), {"references": ONE}, "systems must be of one kind"),
        ((ONE, TWO), {"references": ONE, "metric": "rouge"}, "metric must be one of 'bleu', 'chrf'"),
        ((ONE, TWO), {"references": ONE, "names": ["x"]}, "names must be 2 strings"),
        ((ONE, TWO), {"references": ONE, "names": ["x", "y", "z"]}, "names must be 2 strings"),
        ((ONE, TWO), {"references": ONE, "names": ["x", "x"]}, "names must differ"),
        ((ONE, TWO), {"references": ONE, "names": "xy"}, "names must be 2 strings"),
        ((ONE, TWO), {"references": ONE, "names": ["x", "\x00"]}, "names must be 2 strings that can be printed"),
        ((np.array(1), np.array("x")), {}, r"A must have 1 or 2 axes; got an array of shape \(\)"),
        ((ONE, TWO), {"references": ONE, "documents": ["d"]}, "documents must have 2 entries"),
        (([1, 2], [1, 2, 3]), {}, r"systems must have the same segments and columns; got shapes \(2,\), \(3,\)"),
        (([1, 2], [1, math.nan]), {}, r"B must be finite; got B\[1\] = nan"),
        (([1, 2], []), {}, "B must not be empty"),
        (([1, 2], [[1, 2], [3]]), {}, "B must be a rectangular array"),
        (([1, 2], [1, None]), {}, "B must hold numbers; got None among its entries"),
        (([1, 2], [1, 2]), {"references": ONE}, "references: of no use here, for the systems are numbers"),
        (([1, 2], [1, 2]), {"tokenize": "13a"}, "tokenize: of no use here"),
        (([1, 2], [1, 2]), {"metric": "bleu"}, "A must have 10 columns .* scores of segments need metric='mean'"),
        (([1, 2], [1, 2]), {"metric": "chrf"}, "metric is 'chrf'; allowed are"),
        ((np.ones((3, 10)), np.ones((3, 10))), {}, r"metric: to be named for statistics of shape \(3, 10\)"),
        (([1, 2], [[1, 2], [3, 4]]), {}, r"metric: to be named for statistics of shape \(2, 2\)"),
        (([[1, 2], [3]], np.ones((2, 2))), {}, r"metric: to be named for statistics of shape \(2, 2\)"),
        (([1, 2], np.ones((0, 2))), {}, r"metric: to be named for statistics of shape \(0, 2\)"),
        ((ONE, TWO), {"references": [ONE, []]}, r"references\[1\], line 1: missing; it has 0 lines, but A has 2"),
        (([1, 2], [1, 2]), {"seed": 2**128 + 1}, r"seed must be at most 2\^128"),
        (([1, 2], [1, 2], [2, 1]), {"draws": 50_000_000}, "draws must be at most 33,333,333"),
        (([1, 2], [1, 2]), {"draws": 0}, "draws must be an integer >= 1; got 0"),
        (([1, 2], [1, 2]), {"seed": -1}, "seed must be an integer >= 0; got -1"),
        (([1, 2], [1, 2]), {"seed": None}, "seed must be an integer >= 0; got None"),
        (([1, 2], [1, 2]), {"level": 95}, "write 0.95 for 95%"),
        (([1, 2], [1, 2]), {"at_gap": 0}, "at_gap must be a gap > 0; got 0"),
        (([1, 2], [1, 2]), {"at_gap": -0.1}, "at_gap must be a gap > 0; got -0.1"),
        (([1, 2], [1, 2]), {"at_gap": math.inf}, "at_gap must be a finite number"),
        (([1, 2], [1, 2]), {"lower_is_better": 1}, "lower_is_better must be True or False; got 1"),
        (([1, 2], [1, 2]), {"progress": "yes"}, "progress must be True or False"),
        (([1, 2], [1, 2]), {"documents": [1, None]}, r"documents must have no missing label"),
        ((sb.PairedSet([1, 2], [1, 3], "mean"),), {"metric": "mean"}, "metric: of no use here, for a PairedSet is given"),
        ((sb.PairedSet([1, 2], [1, 3], "mean"),) * 2, {}, "A must hold numbers"),
        (("a", "b"), {"scores": 3}, "scores must be a file; got 3"),
        ((1, 2), {"scores": "t.csv"}, "systems: with scores, the name of a column is needed; got 1"),
        (("a", "b"), {"scores": "t.csv", "references": ONE}, "references: of no use here, for scores are given"),
        (("a", "b"), {"scores": "t.csv", "metric": "bleu"}, "metric: of no use here, for scores are given; got 'bleu'"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_by_name(systems, options, message):
    with pytest.raises(ValueError, match=f"^.*{message}"):
        sb.compare(*systems, **options)


# Files --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch, written):
    monkeypatch.chdir(tmp_path)
    (a, b, _), references = written
    files = {"a.txt": a, "b.txt": b, "ref1.txt": references[0], "ref2.txt": references[1],
             "docs.txt": [f"talk {k // 8}" for k in range(40)]}  # fmt: skip
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_files_and_lists_give_one_report(folder, written):
    (a, b, _), references = written
    from_lists = sb.compare(a, b, references=references, documents=[k // 8 for k in range(40)], draws=50, names=["a", "b"])
    for first in ("a.txt", folder / "a.txt"):
        report = sb.compare(first, "b.txt", references=["ref1.txt", folder / "ref2.txt"], documents="docs.txt", draws=50)
        assert rounds(report) == rounds(from_lists)
    mixed = sb.compare("a.txt", b, references=[references[0], "ref2.txt"], draws=50, names=["a", "b"])
    assert mixed.scores == from_lists.scores
    assert report.names == ("a", "b") and report.documents == 5


def test_texts_may_stand_in_arrays(written):
    (a, b, _), references = written
    arrays = sb.compare(np.array(a), np.array(b), references=np.array(references), draws=20)
    assert rounds(arrays) == rounds(sb.compare(a, b, references=references, draws=20))
    one = sb.compare(np.array(a), np.array(b), references=np.array(references[0]), draws=20)
    assert rounds(one) == rounds(sb.compare(a, b, references=references[0], draws=20))


def test_files_are_called_by_what_tells_them_apart(folder):
    for name in ("x/out.txt", "y/out.txt", "out.de", "out.en"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((folder / "a.txt").read_bytes())
    named = lambda *files: sb.compare(*files, references="ref1.txt", draws=20).names  # noqa: E731
    assert named("x/out.txt", "y/out.txt") == ("x/out.txt", "y/out.txt")
    assert named("out.de", "out.en") == ("out.de", "out.en")
    assert named("a.txt", "a.txt") == ("a.txt (1)", "a.txt (2)")
    with pytest.raises(ValueError, match="^x/: a directory; a file is needed$"):
        named("x/", "a.txt")
    assert sb.compare("a.txt", "a.txt", references="ref1.txt", draws=20, names=["u\x1b[1m", "v\n"]).names == ("u [1m", "v")


def test_files_of_different_length_are_refused_by_name_and_line(folder):
    (folder / "short.txt").write_text("one\ntwo\n")
    for files, options in (
        (("a.txt", "short.txt"), {"references": "ref1.txt"}),
        (("a.txt", "b.txt"), {"references": ["ref1.txt", "short.txt"]}),
        (("a.txt", "b.txt"), {"references": "ref1.txt", "documents": "short.txt"}),
    ):
        with pytest.raises(ValueError, match="^short.txt, line 3: missing; it has 2 lines, but a.txt has 40$"):
            sb.compare(*files, **options)
    (folder / "docs.txt").write_text("d\n" * 39 + " \n")
    with pytest.raises(ValueError, match="^docs.txt, line 40: empty; the name of a document is needed$"):
        sb.compare("a.txt", "b.txt", references="ref1.txt", documents="docs.txt")


def test_standard_input_cannot_be_two_things(folder, monkeypatch):
    for systems, options in ((("-", "b.txt"), {"references": "-"}), (("-", "-"), {"references": "b.txt"}),
                             (("a.txt", "b.txt"), {"references": "-", "documents": "-"})):
        with pytest.raises(ValueError, match="^-: standard input can be read only once; it is named more than once$"):
            sb.compare(*systems, **options)
    stream = io.TextIOWrapper(io.BytesIO((folder / "a.txt").read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    piped = sb.compare("-", "b.txt", references="ref1.txt", draws=20)
    assert piped.names == ("standard input", "b")
    assert piped.scores == sb.compare("a.txt", "b.txt", references="ref1.txt", draws=20).scores
    assert sb.compare(["-", "a"], ["-", "b"], references=["-", "-"], draws=20).n == 2


def test_a_table_gives_the_report_of_its_columns(folder):
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, 30))
    rows = [f"{x},{y},{z},d{k // 5}" for k, (x, y, z) in enumerate(zip(a.tolist(), b.tolist(), c.tolist()))]
    (folder / "t.csv").write_text("\n".join(["x,y,z,talk", *rows]))
    whole = sb.compare(scores="t.csv", documents="talk", draws=60)
    assert rounds(whole) == rounds(
        sb.compare(a, b, c, documents=np.repeat(range(6), 5), names=["x", "y", "z"], draws=60))
    two = sb.compare("z", "x", scores=folder / "t.csv", names=["theirs", "ours"], draws=60)
    assert rounds(two) == rounds(sb.compare(c, a, names=["theirs", "ours"], draws=60))
    assert rounds(sb.compare("z", "x", scores="t.csv", names=["theirs", "ours"], draws=60, metric="mean")) == rounds(two)


@pytest.mark.parametrize("column, said", [
    (range(9), "line: the scores are 0, 1, 2 and so on"),
    (range(1, 10), "line: the scores are 1, 2, 3 and so on"),
    (range(2, 11), None),
    ((0, 1, 2, 3, 4, 5, 6, 7, 7), None),
    (range(3), "line: the scores are 0, 1, 2 and so on"),
    (range(2), None),
    ((0, 1, 2, 4, 6, 8, 9, 10, 12), None),
])  # fmt: skip
def test_a_column_that_numbers_the_lines_is_doubted_unless_it_was_named(folder, column, said):
    rows = [f"{k},{x},{y}" for k, (x, y) in zip(column, np.random.default_rng(1).normal(size=(9, 2)).tolist())]
    (folder / "t.csv").write_text("\n".join(["line,x,y", *rows]))
    doubts = sb.compare(scores="t.csv", draws=60).doubts
    found = [text for text in doubts if "numbers of lines" in text]
    assert len(found) == (said is not None) and all(text.startswith(said) for text in found)
    assert not any("numbers of lines" in text for text in sb.compare("line", "x", scores="t.csv", draws=60).doubts)


def test_the_scores_of_two_lines_do_not_look_like_their_numbers(folder):
    for lines, doubted in (("0,7", 0), ("0,7\n1,5", 0), ("0,7\n1,5\n2,9", 1)):
        (folder / "t.csv").write_text(f"line,x\n{lines}\n")
        doubts = sb.compare(scores="t.csv", draws=20).doubts
        assert sum("numbers of lines" in text for text in doubts) == doubted
