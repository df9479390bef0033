"""Influences and the delta method against closed forms, differences and the bootstrap."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from strategies import paired_sets, quietly, said, statistics

import sigbook as sb
from sigbook import data

SYSTEMS = ("LIUM-NMT.4900", "online-A.0", "online-B.0", "online-F.0", "online-G.0")


def ratio_of_products(pooled):
    return pooled[..., 0] * pooled[..., 2] / pooled[..., 1] ** 2


def wmt17(first, second, n=3004, **options):
    systems = data.wmt17()
    return sb.PairedSet(systems[first][:n], systems[second][:n], **options)


@given(paired_sets(clusters=True))
def test_influences_average_0(pairs):
    values = quietly(sb.influence, pairs)
    assert values.shape == (pairs.n,)
    if np.isfinite(values).all():
        assert abs(values.sum()) <= 1e-9 * (1 + np.abs(values).sum())


def test_influences_average_0_where_smoothing_stands_for_matches():
    # A smoothed order is a constant, so that the score's degree is not 0 and only centred sums average 0.
    a = [[9, 9, 8, 6, 4, 0, 9, 8, 7, 6], [5, 6, 5, 3, 1, 0, 5, 4, 3, 2]]
    values = quietly(sb.influence, sb.PairedSet(a, np.array(a)[::-1] + [0, 1, 0, 0, 0, 0, 0, 0, 0, 0], "bleu-exp"))
    assert abs(values.sum()) < 1e-12 < np.abs(values).max()


def test_influences_of_a_function_average_0():
    rng = np.random.default_rng(0)
    values = sb.influence(sb.PairedSet(*rng.integers(1, 9, (2, 40, 3)), ratio_of_products))
    assert abs(values.mean()) < 1e-9 * np.abs(values).max()


@given(statistics(("mean", "real")))
def test_the_influence_on_a_mean_is_the_centred_difference(drawn):
    a, b, metric = drawn
    d = a - b
    assert sb.influence(sb.PairedSet(a, b, metric)) == pytest.approx(d - d.mean(), abs=1e-12)


def test_the_delta_sd_of_a_mean_is_the_standard_error_with_divisor_n():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 50))
    assert sb.delta_sd(sb.PairedSet(a, b, "mean")) == pytest.approx(np.std(a - b) / math.sqrt(50), rel=1e-12)


def test_a_weighted_mean_is_a_ratio():
    # Cochran's linearized variance of a ratio of sums, with divisor n.
    rng = np.random.default_rng(2)
    y, x = rng.normal(5, 1, 80), rng.integers(1, 9, 80)
    pairs = sb.PairedSet(np.column_stack([y, x]), np.column_stack([0 * y, x]), "mean")
    ratio = y.sum() / x.sum()
    assert sb.influence(pairs) == pytest.approx((y - ratio * x) / x.mean(), rel=1e-10, abs=1e-12)
    assert sb.delta_sd(pairs) == pytest.approx(math.sqrt(((y - ratio * x) ** 2).sum()) / x.sum(), rel=1e-10)


@pytest.mark.parametrize("metric", ["bleu", "bleu-exp", "f1", ratio_of_products])
def test_an_influence_is_the_slope_of_the_gap_in_the_weight_of_a_segment(metric):
    # d/dt of the gap at weights (1 - t)/n + t on segment i: the influence function's definition.
    if callable(metric) or metric == "f1":
        rng = np.random.default_rng(3)
        a, b = rng.integers(1, 9, (2, 30, 3))
    else:
        a, b = (data.wmt17()[x][:60] for x in ("online-F.0", "online-G.0"))
    pairs = quietly(sb.PairedSet, a, b, metric)
    values = quietly(sb.influence, pairs)
    n, t = len(a), 1e-5
    for i in range(0, n, 7):
        moved = []
        for step in (t, -t):
            weights = np.full(n, (1 - step) / n)
            weights[i] += step
            moved.append(pairs.rule.gap(weights @ a, weights @ b))
        assert values[i] == pytest.approx((moved[0] - moved[1]) / (2 * t), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(SYSTEMS, 2)))
def test_the_delta_sd_meets_the_bootstrap_sd_on_wmt17(first, second):
    pairs = wmt17(first, second)
    cloud = quietly(sb.bootstrap, pairs, 2_000)
    assert quietly(sb.delta_sd, pairs) == pytest.approx(cloud.sd, rel=0.06)  # its own error is 1.6%


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(SYSTEMS, 2)))
def test_influences_on_bleu_average_0(first, second):
    values = quietly(sb.influence, wmt17(first, second))
    assert abs(values.mean()) < 1e-12 < values.std()


def test_documents_widen_the_delta_sd_as_they_widen_the_bootstrap():
    rated = data.wmt23()
    a, b = rated.bleu["ONLINE-W"], rated.bleu["ONLINE-M"]
    for clusters, published in ((None, 1.090), (rated.documents, 1.279)):
        pairs = sb.PairedSet(a, b, clusters=clusters)
        cloud = quietly(sb.bootstrap, pairs, 4_000)
        assert 100 * cloud.sd == pytest.approx(published, rel=0.05)
        assert 100 * quietly(sb.delta_sd, pairs) == pytest.approx(published, rel=0.08)


@given(paired_sets(("mean", "weighted", "f1"), least=2, clusters=True))
def test_influences_are_summed_within_clusters(pairs):
    if pairs.units < 2:
        return
    values = quietly(sb.influence, pairs)
    labels = list(pairs.clusters)
    totals = [sum(v for v, label in zip(values, labels) if label == k) for k in set(labels)]
    expected = math.sqrt(sum(x * x for x in totals)) / pairs.n
    assert quietly(sb.delta_sd, pairs) == pytest.approx(expected, rel=1e-9, abs=1e-15, nan_ok=True)


def test_clusters_of_one_segment_change_nothing():
    free = wmt17("online-F.0", "online-G.0", 300)
    alone = sb.PairedSet(free.a, free.b, clusters=np.arange(300)[::-1])
    assert quietly(sb.delta_sd, alone) == pytest.approx(quietly(sb.delta_sd, free), rel=1e-12)


def test_influences_ignore_clusters_and_the_order_of_segments():
    pairs = wmt17("online-F.0", "online-G.0", 300)
    order = np.random.default_rng(4).permutation(300)
    moved = sb.PairedSet(pairs.a[order], pairs.b[order], clusters=order // 7)
    assert quietly(sb.influence, moved) == pytest.approx(quietly(sb.influence, pairs)[order], abs=1e-13)


def test_exchanging_the_systems_negates_influences():
    pairs = wmt17("online-F.0", "online-G.0", 300)
    turned = sb.PairedSet(pairs.b, pairs.a)
    assert quietly(sb.influence, turned) == pytest.approx(-quietly(sb.influence, pairs), abs=1e-15)


def test_a_bleu_of_0_has_no_influences_and_says_so():
    pairs = wmt17("online-F.0", "online-G.0", 60)
    lost = np.array(pairs.b)
    lost[:, 5] = 0
    zero = sb.PairedSet(pairs.a, lost)
    assert np.isnan(quietly(sb.influence, zero)).all() and np.isnan(quietly(sb.delta_sd, zero))
    for function in (sb.influence, sb.delta_sd):
        assert any("B: BLEU is 0" in text for text in said(function, zero))
    smoothed = sb.PairedSet(pairs.a, lost, "bleu-exp")
    assert np.isfinite(quietly(sb.influence, smoothed)).all()


def test_an_f1_of_nothing_has_no_influences_and_says_so():
    pairs = quietly(sb.PairedSet, [[0, 0, 0]] * 3, [[1, 1, 1]] * 3, "f1")
    assert np.isnan(quietly(sb.delta_sd, pairs))
    for function in (sb.influence, sb.delta_sd):
        assert said(function, pairs) == ["A: nothing is predicted and nothing is gold, so F1 is set to 0"]


def test_a_function_without_a_gradient_says_so():
    def kinked(pooled):
        return np.sqrt(np.where(pooled[..., 0] < 0, np.nan, pooled[..., 0]) / pooled[..., 1])

    pairs = sb.PairedSet([[0, 1], [0, 2]], [[1, 1], [2, 5]], kinked)
    for function in (sb.influence, sb.delta_sd):
        (text,) = said(function, pairs)
        assert text == "metric 'kinked' has no finite gradient at these sums, so influences are NaN"


@pytest.mark.parametrize("labels", [None, ["d", "d"]])
def test_one_unit_has_no_standard_deviation(labels):
    pairs = sb.PairedSet([1, 2] if labels else [1], [0, 0] if labels else [0], "mean", labels)
    with pytest.raises(ValueError, match=f"pairs has 1 {'cluster' if labels else 'segment'}; a standard"):
        sb.delta_sd(pairs)
    assert sb.influence(pairs).shape == (pairs.n,)


def test_warnings_point_at_the_line_that_caused_them():
    pairs = quietly(sb.PairedSet, [[0, 0, 0]] * 3, [[1, 1, 1]] * 3, "f1")
    for function in (sb.influence, sb.delta_sd):
        with pytest.warns(sb.SignificanceWarning) as caught:
            function(pairs)
        assert caught[0].filename == __file__
