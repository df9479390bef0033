"""Paired sets: what they hold, what they refuse, and the doubts that they raise."""

from __future__ import annotations

import numpy as np
import pytest
from enumeration import f1, mean, rows, sums
from hypothesis import given
from strategies import near_the_kink, said, statistics

import sigbook as sb
from sigbook import data
from sigbook.pairs import cautions

BLEU_ROW = [20, 20, 15, 10, 6, 4, 20, 19, 18, 17]


def ratio(pooled):
    return pooled[..., 0] / pooled[..., 1]


# What a set holds -------------------------------------------------------------------------------


@given(statistics(kinds=("mean", "weighted", "f1")))
def test_scores_are_those_of_the_pooled_sums(drawn):
    a, b, metric = drawn
    exact = f1 if metric == "f1" else mean
    if metric == "f1" and not (a[:, 1:].any() and b[:, 1:].any()):
        return
    pairs = sb.PairedSet(a, b, metric)
    scores = [exact(sums(rows(x, exact))) for x in (a, b)]
    assert pairs.n == len(a)
    assert pairs.score_a == pytest.approx(float(scores[0]), rel=1e-15)
    assert pairs.score_b == pytest.approx(float(scores[1]), rel=1e-15)
    assert pairs.gap == pytest.approx(float(scores[0] - scores[1]), rel=1e-14, abs=1e-16)


def test_scores_are_fractions():
    systems = data.wmt17()
    pairs = sb.PairedSet(systems["LIUM-NMT.4900"], systems["online-B.0"], names=["LIUM", "online-B"])
    assert (pairs.score_a, pairs.score_b) == pytest.approx((0.265958, 0.266510), abs=5e-7)
    assert (pairs.n, pairs.units, pairs.names) == (3004, 3004, ("LIUM", "online-B"))
    assert all(type(x) is float for x in (pairs.score_a, pairs.score_b, pairs.gap))
    assert repr(pairs) == (
        "PairedSet(bleu, 3004 segments: LIUM 0.2660, online-B 0.2665, gap -0.0006)"
    )


def test_the_arrays_are_copies_that_cannot_be_written():
    a, b, clusters = np.array([1.5, 2.0]), np.array([1, 0]), np.array(["x", "y"])
    pairs = sb.PairedSet(a, b, "mean", clusters)
    a[0], b[0], clusters[0] = 9, 9, "z"
    assert pairs.a.tolist() == [1.5, 2] and pairs.b.tolist() == [1, 0]
    assert pairs.clusters.tolist() == ["x", "y"]
    for array in (pairs.a, pairs.b, pairs.clusters, pairs.unit_a, pairs.unit_b):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_set_cannot_be_changed_and_equals_itself_alone():
    pairs, same = (sb.PairedSet([1, 2], [2, 1], "mean") for _ in range(2))
    with pytest.raises(AttributeError):
        pairs.gap = 0
    assert pairs != same and {pairs: 1, same: 2}[pairs] == 1


def test_one_segment_is_enough():
    assert sb.PairedSet([1], [0], "mean").gap == 1
    assert sb.PairedSet([BLEU_ROW], [BLEU_ROW]).gap == 0


@pytest.mark.parametrize(
    ("labels", "units"),
    [
        ([3, 3, 1, 1], 2),
        ((0, 1, 2, 3), 4),
        (["d1", "d1", "d2", "d1"], 2),
        (np.array(["a", "a", "a", "a"]), 1),
        ([("x", 1), ("x", 2), ("x", 1), ("y", 1)], 3),
        ([("x",), ("x", 2), ("x",), ("y", 1)], 3),
        ([1, "1", 1, "1"], 2),
        (np.array([0.5, 0.5, 1.5, 1.5]), 2),
    ],
)
def test_clusters_may_bear_any_labels(labels, units):
    pairs = sb.PairedSet([1, 2, 3, 4], [4, 3, 2, 2], "mean", labels)
    assert pairs.units == units
    assert list(pairs.clusters) == list(labels)
    assert np.array_equal(sb.PairedSet([1] * 4, [2] * 4, "mean", iter(labels)).unit_of, pairs.unit_of)
    for k, label in enumerate(labels):
        members = [i for i, other in enumerate(labels) if other == label]
        assert pairs.unit_a[pairs.unit_of[k]].tolist() == [sum(i + 1 for i in members), len(members)]


def test_booleans_are_counted():
    pairs = sb.PairedSet(np.array([True, True, False]), [True, False, False], "mean")
    assert (pairs.score_a, pairs.score_b) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert pairs.a.dtype == np.int64


def test_a_column_of_scores_is_a_list_of_scores():
    assert sb.PairedSet([[1.5], [2.5]], [[1.0], [2.0]], "mean").gap == 0.5


@pytest.mark.parametrize(
    ("largest", "kind"),
    [(2**53 // 4, "f"), (2**53 // 4 - 1, "i"), (2**31, "i"), (2**62, "f"), (-(2**53) // 4, "f"), (-(2**63), "f")],
)
def test_integers_stay_integers_while_no_sum_of_them_is_rounded(largest, kind):
    pairs = sb.PairedSet([largest, 0, 0, 1], [0, 0, 0, 0], "mean")
    assert pairs.a.dtype.kind == kind
    assert pairs.score_a == pytest.approx((largest + 1) / 4)


def test_the_size_of_sums_depends_on_the_number_of_segments_and_not_of_columns():
    for n, kind in ((4, "f"), (3, "i")):
        assert sb.PairedSet([[2**51, 1]] * n, [[1, 1]] * n, "mean").a.dtype.kind == kind


def test_whole_floats_are_integers_and_others_are_not():
    assert sb.PairedSet([1.0, -2.0], [0.5, 1.0], "mean").a.dtype == np.int64
    assert sb.PairedSet([1.0, -2.0], [0.5, 1.0], "mean").b.dtype == np.float64
    assert sb.PairedSet([1e300 / 1e240, 2.0], [1, 2], "mean").a.dtype == np.float64


def test_sums_of_integers_near_the_end_of_int64_do_not_wrap():
    pairs = sb.PairedSet([2**62, 2**62], [2**62, 2**61], "mean")
    assert (pairs.score_a, pairs.score_b) == (2.0**62, 3 * 2.0**60)


# What it refuses --------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
REFUSED = [
    ([1, 2, 3], [1, 2], {}, r"a and b must have the same shape, one row per segment; got \(3,\) and \(2,\)"),
    ([1, 2], [1, 2, 3], {}, r"a and b must have the same shape, one row per segment; got \(2,\) and \(3,\)"),
    ([[1, 1]], [1], {}, r"a and b must have the same shape"),
    ([1, NAN], [1, 2], {}, r"a must be finite; got a\[1\] = nan"),
    ([1, 2], [INF, 2], {}, r"b must be finite; got b\[0\] = inf"),
    ([1, None], [1, 2], {}, "a must hold numbers; got None among its entries"),
    (["1", "2"], [1, 2], {}, "a must hold numbers; got text"),
    ([1, 2j], [1, 2], {}, "a must hold numbers; got complex numbers"),
    ([[1, 2], [1]], [1, 2], {}, "a must be a rectangular array of numbers"),
    (np.ma.array([1, 2], mask=[0, 1]), [1, 2], {}, "a must have no masked entries; got 1"),
    (np.ma.array([True, True], mask=[0, 1]), [1, 2], {}, "a must have no masked entries; got 1"),
    (None, [1, 2], {}, "a must hold numbers; got None"),
    (3, 4, {}, r"a must have 1 or 2 axes; got an array of shape \(\)"),
    ([], [], {}, "a must not be empty"),
    ([1e200, 1], [1, 1], {}, r"a must sum to at most 1e\+75; got entries up to 1e\+200"),
    ([10**30, 1], [1, 1], {}, "which does not fit a 64-bit integer"),
    ([[1, 2, 3]], [[1, 2, 3]], {}, r"a must have 2 columns \(sum, count\) for metric 'mean'"),
    ([[1, 1], [1, 0]], [[1, 1], [1, 1]], {}, r"a must hold counts > 0 in its second column; got a\[1, 1\] = 0"),
    ([[1, 1], [1, -2], [1, 0]], [[1, 1]] * 3, {}, r"a must hold counts > 0 in its second column; got a\[1, 1\] = -2"),
    ([[0, 2, 3], [1, 2, 3]], [[0, 2, 3], [1, -2, 3]], {"metric": "f1"},
     r"b must hold counts >= 0; got b\[1, 1\] \(predicted\) = -2"),
    ([[0.5, 1, 1], [-0.5, 1, 1]], [[0, 2, 3]] * 2, {"metric": "f1"}, r"got a\[1, 0\] \(tp\) = -0.5"),
    ([[1, 2]], [[1, 2]], {"metric": "f1"}, r"a must have 3 columns \(tp, predicted, gold\)"),
    ([1, 2, 3], [1, 2, 3], {"metric": "f1"}, 
     r"a must have 3 columns .* got an array of shape \(3,\); scores of segments need metric='mean'$"),
    ([BLEU_ROW[:9]], [BLEU_ROW[:9]], {"metric": "bleu"}, r"a must have 10 columns \(c, r, m1"),
    (np.zeros((0, 10)), np.zeros((0, 10)), {"metric": "bleu"}, "a must not be empty"),
    ([-1 * np.array(BLEU_ROW)], [BLEU_ROW], {"metric": "bleu"}, r"got a\[0, 0\] \(c\) = -20"),
    ([1, 2, 3], [1, 2, 3], {"metric": np.sum}, "a must have 2 axes"),
    ([1, 2], [1, 2], {"clusters": [1]}, "clusters must have 2 entries, one per segment; got 1"),
    ([1, 2], [1, 2], {"clusters": [1, None]}, r"clusters must have no missing label; got clusters\[1\]"),
    ([1, 2], [1, 2], {"clusters": [1, NAN]}, r"clusters must have no missing label; got clusters\[1\]"),
    ([1, 2], [1, 2], {"clusters": "ab"}, "clusters must be a sequence of 2 labels; got str"),
    ([1, 2], [1, 2], {"clusters": 3}, "clusters must be a sequence of 2 labels; got 3"),
    ([1, 2], [1, 2], {"clusters": [[1], [2]]}, "clusters must hold hashable labels"),
    ([1, 2], [1, 2], {"clusters": np.ones((2, 1))}, "clusters must have 1 axis"),
    ([1, 2], [1, 2], {"names": "AB"}, "names must be two strings; got 'AB'"),
    ([1, 2], [1, 2], {"names": ("A",)}, "names must be two strings"),
    ([1, 2], [1, 2], {"names": ("A", "B", "C")}, "names must be two strings"),
    ([1, 2], [1, 2], {"names": np.array("AB")}, "names must be two strings"),
    ([1, 2], [1, 2], {"names": memoryview(np.ones((2, 2)))}, "names must be two strings"),
    ([1, 2], [1, 2], {"names": ("A", 2)}, "names must be two strings"),
    ([1, 2], [1, 2], {"names": None}, "names must be two strings; got None"),
    ([1, 2], [1, 2], {"names": 5}, "names must be two strings; got 5"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "options", "message"), REFUSED)
def test_bad_input_is_refused_in_words(a, b, options, message):
    with pytest.raises(ValueError, match=message):
        sb.PairedSet(a, b, **{"metric": "mean", **options})


def raises(pooled):
    raise KeyError("no such column")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda p: p[..., 0], r"must be homogeneous of degree 0 .* the sums of a gave 3, twice the sums 6"),
        (lambda p: p[..., 0] / (p[..., 1] + 1), "must be homogeneous of degree 0"),
        (lambda p: p[..., 0] / p[..., 1] ** 1.001, "must be homogeneous of degree 0"),
        (lambda p: np.where(p[..., 1] > 8, 1.0, 0.5), "must be homogeneous of degree 0"),
        (lambda p: p[:, 0] / p[:, 1], r"must map pooled sums .* on shape \(2,\) it raised IndexError"),
        (lambda p: p[0] / p[1], r"must map pooled sums of shape \(\.\.\., K\) .* gave"),
        (lambda p: p[..., :1] / p[..., 1:], r"\(3, 2\) gave \(3, 1\)"),
        (lambda p: 0.5, r"\(3, 2\) gave \(\)"),
        (lambda p: p[..., 7], r"on shape \(3, 2\) it raised IndexError"),
        (raises, "metric 'raises' must map .* it raised KeyError: 'no such column'"),
        (lambda p: p[..., 0] / (p[..., 1] - p[..., 1]), "must give finite scores; the sums of a .* gave inf"),
        (lambda p: p[..., 0] * np.nan, "must give finite scores; the sums of a .* gave nan"),
        (lambda p: None, "metric '<lambda>' must"),
        (lambda p: "high", "metric '<lambda>' must map .* it raised ValueError"),
        (lambda: 1, "it raised TypeError"),
        # Powers of two alone would not tell what looks at the leading digits.
        (lambda p: np.frexp(p[..., 1])[0], "the sums of a gave 0.625, a third of the sums 0.833333"),
        (lambda p: np.where(p[..., 1] < 2, 1.0, 0.5), "the sums of a gave 0.5, a third of the sums 1"),
        (lambda p: np.where(p[..., 1] < 2, np.inf, 0.5), "the sums of a or multiples of them gave inf"),
        (lambda p: p[..., 0] / p[..., 1] + (p.ndim > 2), "the sums of a gave 0.6, the same sums 1.6"),
        (lambda p: p[..., 0] / p[..., 1] + (p.ndim > 1), "the sums of a gave 1.6, the same sums 0.6"),
    ],
)
def test_a_function_that_is_no_metric_is_refused_in_words(function, message):
    with pytest.raises(ValueError, match=message):
        sb.PairedSet([[1, 2], [2, 3]], [[2, 3], [1, 4]], function)


def test_a_function_is_tried_on_both_systems():
    with pytest.raises(ValueError, match="the sums of b or"):
        sb.PairedSet([[1, 2]], [[2, 0]], ratio)


def test_homogeneity_is_checked_relative_to_the_score():
    tiny = sb.PairedSet([[1, 3], [2, 4]], [[2, 3], [1, 5]], lambda p: 1e-12 * p[..., 0] / p[..., 1])
    assert tiny.score_a == pytest.approx(3e-12 / 7)
    with pytest.raises(ValueError, match="homogeneous"):
        sb.PairedSet([[1, 3], [2, 4]], [[2, 3], [1, 5]], lambda p: 1e-12 * p[..., 0])


# Doubts -----------------------------------------------------------------------------------------


def bleu_set(rows_a, rows_b, clusters=None, metric="bleu"):
    return sb.PairedSet(np.array(rows_a), np.array(rows_b), metric, clusters)


def with_matches(fourth, c=18, r=20):
    """Two systems of the same lengths: A with `fourth` matched 4-grams, B with plenty."""
    a = [[c, r, 15, 10, 8, 5, 20, 19, 18, 17]] * (fourth // 5) + [[c, r, 15, 10, 8, 0, 20, 19, 18, 17]]
    a[-1][5] = fourth % 5
    return bleu_set(a, [[c, r, 90, 80, 70, 60, 99, 98, 97, 96]] * len(a))


def test_fewer_than_50_matched_4_grams_are_said_and_50_are_not():
    assert cautions(with_matches(50)) == ()
    (text,) = cautions(with_matches(49))
    assert text.startswith("A: only 49 matched 4-grams in all (fewer than 50)")
    assert cautions(with_matches(49), smooth=False) == ()


def test_a_bleu_of_0_is_said_for_the_system_that_has_it():
    pairs = with_matches(0)
    assert [text[:12] for text in cautions(pairs)] == ["A: BLEU is 0", "A: only 0 ma"]
    assert [text[:12] for text in cautions(pairs, smooth=False)] == ["A: BLEU is 0"]
    assert [text[:12] for text in cautions(sb.PairedSet(pairs.b, pairs.a), smooth=False)] == ["B: BLEU is 0"]
    smoothed = sb.PairedSet(pairs.a, pairs.b, "bleu-exp")
    assert cautions(smoothed, smooth=False) == ()


@pytest.mark.parametrize(("excess", "near"), [(0, 1), (0.0199, 1), (-0.0199, 1), (0.021, 0), (-0.021, 0)])
def test_the_kink_is_said_within_two_standard_errors_of_it(excess, near):
    texts = cautions(near_the_kink(excess))
    assert len(texts) == near
    if near:
        assert f"A: c/r = {1 + excess:.4f} lies within 2 standard errors (0.0100) of 1" in texts[0]
    assert cautions(near_the_kink(excess), smooth=False) == ()


def test_the_kink_is_said_of_the_shorter_system_too():
    near = near_the_kink(0)
    (text,) = cautions(bleu_set(near.a, near.b + ([10_000] + [0] * 9)))
    assert text.startswith("A: c/r = 1.0000")


def test_equal_lengths_everywhere_make_no_kink():
    near = near_the_kink(0)
    lengths = np.column_stack([near.a[:, :2], near.b[:, 2:]])
    assert cautions(bleu_set(near.a, lengths)) == ()


def test_a_system_as_long_as_its_references_in_every_segment_has_no_spread_about_the_kink():
    near = near_the_kink(0)
    lengths = np.column_stack([near.a[:, [1, 1]], near.a[:, 2:]])
    assert cautions(bleu_set(lengths, near.b)) == ()


@pytest.mark.parametrize(("words", "near"), [(0, 0), (1, 2)])
def test_the_kink_is_looked_for_where_references_have_a_word(words, near):
    rest = [90, 80, 70, 60, 99, 98, 97, 96]
    pairs = bleu_set([[0, words, *rest], [1, 0, *rest]], [[0, words, *rest], [9, 0, *rest]])
    assert [text[:15] for text in cautions(pairs)] == ["A: c/r = 1.0000", "B: c/r = 9.0000"][:near]


def test_the_kink_is_judged_by_clusters_if_there_are_any():
    near = near_the_kink(0.015)
    assert len(cautions(near)) == 1
    # Pairs of one long and one short output: the length of a cluster does not vary.
    assert cautions(bleu_set(near.a, near.b, np.arange(100) // 2)) == ()


def test_f1_of_nothing_is_said_when_the_set_is_made_and_when_it_is_read():
    nothing, something = [[0, 0, 0]] * 3, [[0, 0, 1]] * 3
    assert said(sb.PairedSet, something, something, "f1") == []
    (text,) = said(sb.PairedSet, nothing, something, "f1", None, ("empty", "full"))
    assert text == "empty: nothing is predicted and nothing is gold, so F1 is set to 0"
    assert len(said(sb.PairedSet, nothing, nothing, "f1")) == 2
    assert len(said(sb.PairedSet, something, [[1, 0, 0]] * 3, "f1")) == 1
    with pytest.warns(sb.SignificanceWarning):
        pairs = sb.PairedSet(nothing, something, "f1")
    assert len(cautions(pairs)) == 1


def test_other_metrics_raise_no_doubts():
    assert said(sb.PairedSet, [1, 2], [2, 2], "mean") == []
    assert cautions(sb.PairedSet([[0, 1]] * 2, [[0, 2]] * 2, ratio)) == ()
    assert cautions(sb.PairedSet([[1, 0, 0]] * 2, [[2, 0, 0]] * 2, lambda pooled: pooled[..., 1] / pooled[..., 0])) == ()


def test_a_warning_points_at_the_line_that_caused_it():
    with pytest.warns(sb.SignificanceWarning) as caught:
        sb.PairedSet([[0, 0, 0]], [[1, 1, 1]], "f1")
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("a", "metric"), [([[1e-3, 1e8, 1e8]], "f1"), ([[1.5, 1e10]], "mean"), ([[1e-61, 1, 1]], "f1")])
def test_counts_that_sums_cannot_hold_beside_each_other_are_refused(a, metric):
    b = np.ones(np.shape(a))
    with pytest.raises(ValueError, match="a and b must hold whole counts, or counts of at least 1e-60 within a factor"):
        sb.PairedSet(a, b, metric)
    assert sb.PairedSet(np.rint(a), b, metric).n == 1


LARGEST_BESIDE = 1.5e9  # a thousand million times 1.5


@pytest.mark.parametrize(("a", "metric", "held"), [
    ([[1.5, LARGEST_BESIDE, LARGEST_BESIDE]], "f1", True),
    ([[1.5, LARGEST_BESIDE, np.nextafter(LARGEST_BESIDE, INF)]], "f1", False),
    ([[0, 1.5, 2], [0, 0, 0]], "f1", True),
    ([[1e-60, 1e-60, 1e-60]], "f1", True),
    ([[9e-61, 1e-60, 1e-60]], "f1", False),
    ([[-1e20, 1.5], [1e-9, 2]], "mean", True),
    ([1e-9, -1e20, 0.5], "mean", True),
    ([[1e-9, 1e20], [1e20, 0.5]], ratio, True),
])
def test_only_counts_must_be_comparable_and_only_up_to_a_factor(a, metric, held):
    if held:
        assert sb.PairedSet(a, a, metric).gap == 0
    else:
        with pytest.raises(ValueError, match="a and b must hold whole counts"):
            sb.PairedSet(a, a, metric)


def test_sums_may_reach_the_largest_that_is_allowed():
    assert sb.PairedSet([1e75], [1], "mean").score_a == 1e75
    with pytest.raises(ValueError, match="a must sum to at most"):
        sb.PairedSet([np.nextafter(1e75, INF)], [1], "mean")


@pytest.mark.parametrize("pairs", [None, [1, 2], np.ones((2, 3)), sb.PairedSet])
def test_what_is_no_paired_set_is_refused_by_name(pairs):
    for function in (sb.bootstrap, sb.randomize, sb.influence, sb.delta_sd):
        with pytest.raises(ValueError, match="pairs must be a PairedSet; got"):
            function(pairs)
