"""Metrics of pooled sums against sacreBLEU, scikit-learn, hand calculation and central differences."""

from __future__ import annotations

import functools
import itertools
import random
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from strategies import bleu_row, text

import sigbook as sb
from sigbook import data, metrics

SMOOTHING = {"bleu": "none", "bleu-exp": "exp"}

def sacrebleu_score(pooled, name):
    pooled = [int(x) for x in pooled]
    return BLEU.compute_bleu(
        pooled[2:6], pooled[6:10], pooled[0], pooled[1], smooth_method=SMOOTHING[name]
    ).score / 100


# BLEU ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMOOTHING)
@given(st.lists(bleu_row(), min_size=1, max_size=4))
def test_bleu_of_pooled_sums_is_sacrebleus(name, rows):
    pooled = np.sum(rows, axis=0)
    assert metrics.find(name).score(pooled) == pytest.approx(sacrebleu_score(pooled, name), abs=1e-14)


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8), st.integers(0, 5), st.integers(0, 5))
def test_smoothing_halves_once_per_order_without_a_match_as_sacrebleu_does(counts, c, r):
    pooled = [c, r, *(min(m, t) for m, t in zip(counts[:4], counts[4:])), *counts[4:]]
    assert metrics.bleu_exp(pooled) == pytest.approx(sacrebleu_score(pooled, "bleu-exp"), abs=1e-14)


def test_bleu_by_hand():
    # 9 candidate tokens against 10: exp(1 - 10/9); matches 6, 3, 2, 1 of 9, 8, 7, 6 n-grams.
    pooled = [9, 10, 6, 3, 2, 1, 9, 8, 7, 6]
    assert metrics.bleu(pooled) == pytest.approx(np.exp(-1 / 9) * (36 / 3024) ** 0.25, rel=1e-15)
    pooled = [10, 10, 6, 3, 2, 1, 9, 8, 7, 6]
    assert metrics.bleu(pooled) == pytest.approx((36 / 3024) ** 0.25, rel=1e-15)
    assert metrics.bleu([4, 4, *[1] * 8]) == 1


@pytest.mark.parametrize("score", [metrics.bleu, metrics.bleu_exp])
@pytest.mark.parametrize(("place", "value"), [(0, 0), ([0, 1], 0), (0, -0.5), (0, -2), (5, -0.1), (5, -2), (9, 0), (9, -2)])
def test_where_a_length_a_match_or_a_total_is_not_above_0_bleu_is_0(score, place, value):
    pooled = np.array([0.9, 1, 0.6, 0.3, 0.2, 0.1, 0.9, 0.8, 0.7, 0.6])
    assert score(pooled) > 0
    pooled[place] = value
    assert score(pooled) == 0


def test_smoothed_bleu_by_hand():
    # Orders 3 and 4 without a match count 1/2 and 1/4.
    pooled = [9, 9, 6, 3, 0, 0, 9, 8, 7, 6]
    assert metrics.bleu_exp(pooled) == pytest.approx((6 * 3 * 0.5 * 0.25 / 3024) ** 0.25, rel=1e-15)


@pytest.mark.parametrize("name", ["bleu", "bleu-exp", "f1", "mean"])
def test_scores_of_a_stack_are_the_scores_of_its_parts(name):
    rng = np.random.default_rng(0)
    rule = metrics.find(name)
    pooled = rng.integers(1, 30, size=(3, 5, len(rule.columns)))
    pooled[0, 0, 2:] = 0
    pooled[1, :, 4:6] *= np.arange(5)[:, None] > 2
    pooled[2, 1, 5:6] = 0
    together = rule.score(pooled)
    assert together.shape == (3, 5)
    for i in np.ndindex(3, 5):
        assert together[i] == rule.score(pooled[i])


def test_published_bleu_of_five_wmt17_systems():
    published = {"LIUM-NMT.4900": 26.5958, "online-A.0": 20.7965, "online-B.0": 26.6510,
                 "online-F.0": 15.4517, "online-G.0": 18.1588}  # fmt: skip
    for system, rows in data.wmt17().items():
        assert 100 * metrics.bleu(rows.sum(axis=0)) == pytest.approx(published[system], abs=5e-5)


# BLEU statistics ------------------------------------------------------------------------------


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "none", "zh"])
@pytest.mark.parametrize("references", [1, 2, 3])
def test_statistics_are_sacrebleus_for_each_tokenizer_and_number_of_references(tokenize, references):
    rng = random.Random(f"{tokenize} {references}")
    hypotheses = text(rng, 25)
    streams = [text(rng, 25, least=1) for _ in range(references)]
    found = sb.bleu_statistics(hypotheses, streams, tokenize)
    theirs = BLEU(tokenize=tokenize)
    assert found.dtype == np.int64 and found.shape == (25, 10)
    assert found.tolist() == theirs._extract_corpus_statistics(hypotheses, streams)
    for name, smooth_method in SMOOTHING.items():
        published = BLEU(tokenize=tokenize, smooth_method=smooth_method).corpus_score(hypotheses, streams)
        score = metrics.find(name).score(found.sum(axis=0))
        assert 100 * score == pytest.approx(published.score, abs=1e-11)


def test_one_list_of_references_is_one_reference_per_segment():
    hypotheses, references = ["a b c d e", "f g"], ["a b c d e", "f h"]
    flat = sb.bleu_statistics(hypotheses, references)
    assert np.array_equal(flat, sb.bleu_statistics(hypotheses, [references]))
    assert np.array_equal(flat, sb.bleu_statistics(tuple(hypotheses), np.array(references)))
    assert np.array_equal(flat, sb.bleu_statistics(hypotheses, np.array([references])))
    assert flat.tolist() == [[5, 5, 5, 4, 3, 2, 5, 4, 3, 2], [2, 2, 1, 0, 0, 0, 2, 1, 0, 0]]


def test_nothing_is_logged_of_the_scores_of_single_segments(caplog):
    sb.bleu_statistics(["a b c d e"], ["a b c d e"])
    assert not caplog.records


def test_the_reference_length_is_the_closest_one():
    found = sb.bleu_statistics(["a b c d"], [["a b c d e f g"], ["a b c d e"], ["a"]])
    assert found[0, :2].tolist() == [4, 5]


def test_no_match_at_all_scores_0():
    found = sb.bleu_statistics(["x y z w v"], ["a b c d e"]).sum(axis=0)
    assert metrics.bleu(found) == metrics.bleu_exp(found) == 0


def test_two_tokens_equal_to_their_reference_score_0_without_effective_order():
    found = sb.bleu_statistics(["hello world"], ["hello world"]).sum(axis=0)
    assert metrics.bleu(found) == metrics.bleu_exp(found) == 0


def test_an_empty_hypothesis_keeps_its_place():
    found = sb.bleu_statistics(["", "a b c d", ""], ["e f", "a b c d", "g"])
    assert found.tolist() == [[0, 2] + [0] * 8, [4, 4, 4, 3, 2, 1, 4, 3, 2, 1], [0, 1] + [0] * 8]


def test_three_empty_hypotheses_score_0():
    found = sb.bleu_statistics(["", "", ""], ["a", "b c", "d"]).sum(axis=0)
    assert metrics.bleu(found) == metrics.bleu_exp(found) == 0


def test_references_by_segment_instead_of_by_stream_are_an_error_about_lengths():
    with pytest.raises(ValueError, match="list 1 of 3 has 1 segments, hypotheses has 3"):
        sb.bleu_statistics(["a", "b", "c"], [["a"], ["b"], ["c"]])


@pytest.mark.parametrize(
    ("hypotheses", "references", "tokenize", "message"),
    [
        ([], [], "13a", "hypotheses has no segments"),
        (["a"], [], "13a", "references is empty"),
        (["a"], ["a", "b"], "13a", "has 2 segments, hypotheses has 1"),
        (["a", "b"], [["a", "b"], ["a"]], "13a", "list 2 of 2 has 1 segments, hypotheses has 2"),
        ("a b", ["a b"], "13a", "hypotheses is one string"),
        (["a b"], "a b", "13a", "references is one string"),
        (["a b"], b"a b", "13a", "references is one string"),
        (None, ["a"], "13a", "hypotheses is None"),
        (["a"], None, "13a", "references is None"),
        (["a"], 3, "13a", "references is 3"),
        (["a"], [1], "13a", r"references\[0\] is 1"),
        (["a", None], ["a", "b"], "13a", r"hypotheses\[1\] is None"),
        (["a", b"b"], ["a", "b"], "13a", r"hypotheses\[1\] is b'b'"),
        (["a"], [["a"], "a"], "13a", r"references\[1\] is one string"),
        (["a", "b"], ["a", ["b"]], "13a", r"references\[1\] is \['b'\]"),
        (["a"], [[None]], "13a", r"references\[0\]\[0\] is None"),
        ({"a"}, ["a"], "13a", "hypotheses is a set, without an order"),
        (["a"], {"a": 1}, "13a", "references is a dict, without an order"),
        (itertools.count(), ["a"], "13a", r"hypotheses\[0\] is 0"),
        (memoryview(np.array(5)), ["a"], "13a", "hypotheses is a memoryview; a list"),
        (memoryview(np.ones((1, 1))), ["a"], "13a", "hypotheses is a memoryview; a list"),
        (["a"], ["a"], "moses", "tokenize is 'moses'; allowed are sacreBLEU's tokenizers, such as '13a'"),
        (["a"], ["a"], 13, "tokenize is 13; allowed"),
        (["a"], ["a"], ["13a"], r"tokenize is \['13a'\]; allowed"),
    ],
)
def test_bad_text_is_refused_in_words(hypotheses, references, tokenize, message):
    with pytest.raises(ValueError, match=message):
        sb.bleu_statistics(hypotheses, references, tokenize)


def test_a_tokenizer_that_cannot_run_here_is_refused_in_words(monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError("\n\nJapanese tokenization requires extra dependencies")

    monkeypatch.setattr("sacrebleu.metrics.BLEU", broken)
    broken.TOKENIZERS = BLEU.TOKENIZERS
    with pytest.raises(ValueError, match="'ja-mecab', which cannot be used here: Japanese tokenization"):
        sb.bleu_statistics(["a"], ["a"], "ja-mecab")


# F1 and mean ----------------------------------------------------------------------------------


def test_f1_of_pooled_counts_is_scikit_learns():
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(1)
    for _ in range(10):
        gold, predicted = rng.integers(0, 2, size=(2, 40))
        pooled = [(gold & predicted).sum(), predicted.sum(), gold.sum()]
        assert metrics.f1(pooled) == pytest.approx(f1_score(gold, predicted), rel=1e-14)


def test_f1_of_nothing_is_0():
    assert metrics.f1([0, 0, 0]) == 0
    assert metrics.f1([[0, 0, 0], [1, 2, 2]]).tolist() == [0, 0.5]


def test_f1_of_counts_that_are_parts_of_one():
    assert metrics.f1([0.25, 0.5, 0.5]) == 0.5
    assert metrics.f1([0.25, 0.25, 0.25]) == 1


def test_the_mean_weighs_segments_by_their_counts():
    assert metrics.mean([7, 4]) == 1.75
    pairs = sb.PairedSet([[3, 1], [4, 3]], [[1, 1], [1, 2]], "mean")
    assert (pairs.score_a, pairs.score_b) == (1.75, pytest.approx(2 / 3))


def test_equal_sums_give_equal_gaps_of_means_whatever_else_is_in_the_batch():
    rule = metrics.find("mean")
    a, b = np.array([[3.0, 10], [3, 10], [3, 10]]), np.array([[1.0, 10], [1, 9], [1, 11]])
    assert rule.gap(a, b)[0] == rule.gap(a[0], b[0]) == 0.2 != 3 / 10 - 1 / 10
    assert rule.gap(a, b)[1:].tolist() == [3 / 10 - 1 / 9, 3 / 10 - 1 / 11]


@pytest.mark.parametrize(("metric", "columns", "counts"), [
    ("bleu", 10, True), ("bleu-exp", 10, True), ("f1", 3, True), ("mean", 2, False),
    (lambda pooled: pooled[..., 0] / pooled[..., 1], 2, False),
])
def test_counts_are_not_negative_and_sums_of_scores_may_be(metric, columns, counts):
    below = np.ones((3, columns))
    below[1, 0] = -3
    if counts:
        with pytest.raises(ValueError, match=r"must hold counts >= 0; got a\[1, 0\]"):
            sb.PairedSet(below, np.ones((3, columns)), metric)
    else:
        assert sb.PairedSet(below, np.ones((3, columns)), metric).score_a == pytest.approx(-1 / 3)


def test_the_metrics_that_all_sets_share_cannot_be_changed():
    with pytest.raises(AttributeError):
        metrics.find("mean").score = metrics.f1


@pytest.mark.parametrize("metric", ["BLEU", "chrf", "", None, 3, ["mean"], {"a": 1}, np.zeros(3)])
def test_an_unknown_metric_is_refused_with_the_ones_there_are(metric):
    with pytest.raises(ValueError, match="allowed are 'bleu', 'bleu-exp', 'f1', 'mean' or a function"):
        sb.PairedSet([[1, 2]], [[1, 3]], metric)


# Gradients ------------------------------------------------------------------------------------


def ratio_of_roots(pooled):
    return np.sqrt(pooled[..., 0] * pooled[..., 2]) / pooled[..., 1]


POINTS = {
    "bleu": [[90, 100, 60, 40, 25, 15, 90, 86, 80, 75], [110, 100, 60, 40, 25, 15, 110, 106, 100, 95]],
    "bleu-exp": [[90, 100, 60, 40, 25, 15, 90, 86, 80, 75], [90, 100, 60, 40, 25, 1, 90, 86, 80, 75]],
    "f1": [[3, 7, 9], [10, 11, 12]],
    "mean": [[7, 4], [-3, 8]],
    ratio_of_roots: [[3, 5, 7]],
}
CASES = [(metric, point) for metric, points in POINTS.items() for point in points]


@pytest.mark.parametrize(("metric", "point"), CASES)
def test_gradients_equal_central_differences(metric, point):
    rule, point = metrics.find(metric), np.array(point, dtype=float)
    steps = np.diag(1e-5 * np.abs(point))
    slopes = (rule.score(point + steps) - rule.score(point - steps)) / (2 * np.diag(steps))
    assert rule.gradient(point) == pytest.approx(slopes, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(("metric", "point"), CASES)
def test_gradients_are_orthogonal_to_their_point(metric, point):
    # Euler's identity for functions of degree 0.
    gradient = metrics.find(metric).gradient(np.array(point))
    scale = np.abs(gradient * point).sum()
    assert scale > 0
    assert abs(gradient @ point) < 1e-9 * scale


def test_an_order_that_nothing_matches_has_no_slope_in_its_matches_under_smoothing():
    gradient = metrics.find("bleu-exp").gradient([90, 100, 60, 40, 25, 0, 90, 86, 80, 75])
    pooled = np.array([90, 100, 60, 40, 25, 0, 90, 86, 80, 75], dtype=float)
    assert gradient[5] == 0
    for k in (0, 1, 2, 3, 4, 6, 7, 8, 9):
        step = np.zeros(10)
        step[k] = 1e-5 * pooled[k]
        slope = (metrics.bleu_exp(pooled + step) - metrics.bleu_exp(pooled - step)) / (2 * step[k])
        assert gradient[k] == pytest.approx(slope, rel=1e-7)


def test_where_a_score_is_0_by_default_there_is_no_gradient():
    f1 = metrics.find("f1")
    for gradient, pooled in ((metrics.bleu_gradient, [90, 100, 60, 40, 25, 0, 90, 86, 80, 75]), (f1.gradient, [0] * 3)):
        assert np.array_equal(gradient(pooled), [np.nan] * len(pooled), equal_nan=True)
    assert f1.gradient([0, 0, 1]).tolist() == [2, 0, 0]


def test_at_c_equal_to_r_the_brevity_penalty_has_no_slope():
    gradient = metrics.bleu_gradient([100, 100, 60, 40, 25, 15, 100, 96, 90, 85])
    assert gradient[:2].tolist() == [0, 0]


@pytest.mark.parametrize("scale", [1e-3, 1, 1e8])
def test_gradients_of_functions_are_right_whatever_the_size_of_the_sums(scale):
    rule = metrics.find(lambda p: (p[..., 0] + p[..., 2]) * p[..., 1] / (p[..., 0] + p[..., 3]) ** 2)
    x, y, _, w = point = scale * np.array([3.0, 5.0, 0.0, 1e-4])
    exact = [y / (x + w) ** 2 - 2 * x * y / (x + w) ** 3, x / (x + w) ** 2, y / (x + w) ** 2,
             -2 * x * y / (x + w) ** 3]  # fmt: skip
    assert rule.gradient(point) == pytest.approx(exact, rel=1e-6)


def test_the_step_for_a_slope_is_that_of_its_own_sum():
    gradient = metrics.find(lambda p: p[..., 0] / p[..., 1]).gradient([5.0, 1e-3])
    assert gradient == pytest.approx([1e3, -5e6], rel=1e-8)


# Functions as metrics -------------------------------------------------------------------------


def test_a_function_gets_floats_of_its_own_that_it_may_overwrite():
    def destructive(pooled):
        assert pooled.dtype == np.float64 and pooled.flags.writeable
        pooled[..., 0] **= -1.0
        return 1 / (pooled[..., 0] * pooled[..., 1])

    pairs = sb.PairedSet([[1, 2], [4, 5]], [[3, 4], [5, 5]], destructive)
    assert (pairs.score_a, pairs.gap) == pytest.approx((5 / 7, 5 / 7 - 8 / 9))
    assert pairs.a.tolist() == [[1, 2], [4, 5]]


def test_the_name_of_a_function_means_nothing():
    def mean(pooled):
        return pooled[..., 0] / pooled[..., 2]

    def bleu(pooled):
        return pooled[..., 0] / pooled[..., 2]

    a, b = [[1, 2, 3], [2, 2, 3]], [[2, 2, 3], [0, 1, 3]]
    for function in (mean, bleu):
        pairs = sb.PairedSet(a, b, function)
        assert pairs.gap == pytest.approx(1 / 6)
        assert sb.bootstrap(pairs, 100).draws == 100
        assert sb.delta_sd(pairs) > 0
    with pytest.raises(ValueError, match="a must have 2 axes"):
        sb.PairedSet([1, 2], [2, 1], mean)


@pytest.mark.parametrize(("shape", "given"), [((3, 2), 2), ((3, 2), 4), ((3, 2), (3, 1)), ((2,), 1)])
def test_scores_of_another_shape_are_refused(shape, given):
    score = metrics.find(lambda pooled: np.ones(given)).score
    with pytest.raises(ValueError, match="metric '<lambda>' must map pooled sums of shape"):
        score(np.ones(shape))


def test_what_a_function_raises_comes_out_in_words():
    def failing(pooled):
        raise KeyError("no such column")

    with pytest.raises(ValueError, match=r"metric 'failing' must .*; on shape \(2,\) it raised KeyError: 'no such column'"):
        metrics.find(failing).score(np.ones(2))


def test_a_score_beyond_1e300_is_infinite():
    times = metrics.find(lambda pooled: pooled[..., 0]).score
    assert times([[1e300], [-1e300], [2.0]]).tolist() == [1e300, -1e300, 2]
    beyond = np.nextafter(1e300, np.inf)
    assert times([[beyond], [-beyond]]).tolist() == [np.inf, -np.inf]


def test_an_object_is_called_metric_unless_its_name_is_a_string():
    def ratio(pooled):
        return pooled[..., 0] / pooled[..., 1]

    numbered = functools.partial(ratio)
    assert [metrics.find(function).name for function in (ratio, numbered)] == ["ratio", "metric"]
    numbered.__name__ = 3
    assert metrics.find(numbered).name == "metric"


@pytest.mark.parametrize(("function", "pooled", "message"), [
    (metrics.bleu_gradient, np.ones((2, 10)), "pooled must have 1 axis; got an array of shape (2, 10)"),
    (metrics.mean, 3, "pooled must have 2 columns (sum, count) on its last axis; got an array of shape ()"),
    (metrics.bleu, np.ones((2, 9)), "pooled must have 10 columns (c, r, m1, m2, m3, m4, t1, t2, t3, t4) on its last"),
    (metrics.bleu_exp, np.ones(11), "pooled must have 10 columns"),
    (metrics.f1, np.ones(4), "pooled must have 3 columns (tp, predicted, gold)"),
    (metrics.mean, np.ones((3, 3)), "pooled must have 2 columns (sum, count)"),
    (metrics.mean, [1e76, 1], "pooled must hold sums of at most 1e+75; got 1e+76"),
    (metrics.mean, [np.nextafter(1e75, np.inf), 1], "pooled must hold sums of at most 1e+75"),
])
def test_sums_that_no_metric_takes_are_refused(function, pooled, message):
    with pytest.raises(ValueError) as caught:
        function(pooled)
    assert message in str(caught.value)


def test_sums_may_have_any_axes_and_reach_the_largest_allowed():
    assert metrics.mean([1e75, 1]) == 1e75
    assert metrics.f1(np.ones((1,) * 63 + (3,))).shape == (1,) * 63


def test_texts_without_an_order_and_texts_without_sacrebleu_are_refused(monkeypatch):
    for unordered in ({"a b", "c"}, {"a b": "c"}):
        with pytest.raises(ValueError, match=f"hypotheses is a {type(unordered).__name__}, without an order"):
            sb.bleu_statistics(unordered, ["a b", "c"])
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(ValueError, match="needs sacreBLEU, which is not installed: pip install"):
        sb.bleu_statistics(["a b"], ["a c"])
