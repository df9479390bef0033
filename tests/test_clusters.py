"""Cluster statistics against enumeration, statsmodels and the design effect's closed form."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sigbook._checks import SignificanceWarning
from sigbook.clusters import cluster_sd, design_effect, icc

ALL = pytest.mark.parametrize("statistic", [icc, design_effect, cluster_sd])


@st.composite
def clustered(draw, least=2):
    sizes = draw(st.lists(st.integers(1, 5), min_size=least, max_size=8))
    n = sum(sizes)
    x = draw(st.lists(st.integers(-20, 20).map(lambda k: k / 4), min_size=n, max_size=n))
    assume(len(set(x)) > 1)
    return np.array(x), np.repeat(np.arange(len(sizes)), sizes)


def pairwise(x, clusters):
    """Mean product over within-cluster pairs over the variance, pair by pair."""
    mean = sum(x) / len(x)
    products = [
        (x[i] - mean) * (x[j] - mean)
        for i in range(len(x))
        for j in range(len(x))
        if i != j and clusters[i] == clusters[j]
    ]
    return sum(products) / len(products) / (sum((v - mean) ** 2 for v in x) / len(x))


def test_scores_that_agree_within_clusters():
    x, clusters = [1, 1, 0, 0], ["a", "a", "b", "b"]
    naive = np.std(x, ddof=1) / 2
    assert naive == pytest.approx(0.28868, abs=5e-6)
    assert cluster_sd(x, clusters) == pytest.approx(0.5, rel=1e-14)
    assert cluster_sd(x, clusters) * math.sqrt(1 / 2) == pytest.approx(0.35355, abs=5e-6)
    assert design_effect(x, clusters) == pytest.approx(3, rel=1e-14)
    assert icc(x, clusters) == 1.0


def test_a_reader_right_on_one_of_each_pair_has_a_correlation_of_minus_1():
    x, clusters = np.tile([1, 0], 50), np.repeat(np.arange(50), 2)
    assert icc(x, clusters) == -1.0
    assert design_effect(x, clusters) == 0.0 == cluster_sd(x, clusters)
    lone = np.concatenate([x, [1, 0, 1]])
    labels = np.concatenate([clusters, [50, 51, 52]])
    assert icc(lone, labels) == pytest.approx(pairwise(lone, labels), rel=1e-12)


@given(clustered())
def test_the_correlation_pair_by_pair(data):
    x, clusters = data
    assume(np.bincount(clusters).max() > 1)
    assert icc(x, clusters) == pytest.approx(pairwise(x, clusters), rel=1e-9, abs=1e-12)


@given(clustered())
def test_statsmodels_agrees_on_the_clustered_standard_error(data):
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster

    x, clusters = data
    fit = OLS(x, np.ones(len(x))).fit()
    plain = float(cov_cluster(fit, clusters, use_correction=False)[0, 0])
    count = clusters.max() + 1
    expected = math.sqrt(count / (count - 1) * plain)
    assert cluster_sd(x, clusters) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(clustered())
def test_the_design_effect_is_the_ratio_of_the_two_variances(data):
    x, clusters = data
    naive = x.var(ddof=1) / len(x)
    assert design_effect(x, clusters) == pytest.approx(
        cluster_sd(x, clusters) ** 2 / naive, rel=1e-9, abs=1e-12
    )


@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 10**6))
def test_equal_sizes_tie_the_design_effect_to_the_correlation(count, m, seed):
    # Theorem 3's 1 + (m - 1) rho, with the small-sample factors of the two variances.
    x = np.random.default_rng(seed).normal(size=count * m)
    clusters = np.repeat(np.arange(count), m)
    n = count * m
    factors = count / (count - 1) * (n - 1) / n
    expected = factors * (1 + (m - 1) * icc(x, clusters))
    assert design_effect(x, clusters) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert -1 / (m - 1) - 1e-12 <= icc(x, clusters) <= 1 + 1e-12


def test_every_configuration_of_three_pairs_of_right_or_wrong():
    clusters = np.repeat(np.arange(3), 2)
    for x in itertools.product([0, 1], repeat=6):
        if 0 < sum(x) < 6:
            assert icc(x, clusters) == pytest.approx(pairwise(x, clusters), abs=1e-12)
            assert -1 - 1e-12 <= icc(x, clusters) <= 1 + 1e-12


@given(clustered())
def test_clusters_of_one_change_nothing(data):
    x, _ = data
    assert design_effect(x, np.arange(len(x))) == pytest.approx(1, rel=1e-12)


def test_unequal_sizes_follow_the_kish_formula_on_average():
    # m = 4, coefficient of variation 0.5, rho 0.2: 1 + ((0.25 + 1) 4 - 1) 0.2 = 1.8.
    rng = np.random.default_rng(0)
    sizes = np.tile([2, 6], 250)
    clusters = np.repeat(np.arange(500), sizes)
    found = []
    for _ in range(200):
        shared = rng.normal(size=500) * math.sqrt(0.2)
        x = shared[clusters] + rng.normal(size=len(clusters)) * math.sqrt(0.8)
        found.append(design_effect(x, clusters))
    assert np.mean(found) == pytest.approx(1.8, abs=4 * np.std(found) / math.sqrt(200) + 0.01)


def test_the_standard_error_covers_what_resampled_clusters_do():
    rng = np.random.default_rng(3)
    spread, found = [], []
    for _ in range(3_000):
        sizes = rng.integers(1, 8, size=60)
        clusters = np.repeat(np.arange(60), sizes)
        x = rng.normal(size=60)[clusters] + rng.normal(size=len(clusters))
        spread.append(x.mean())
        found.append(cluster_sd(x, clusters) ** 2)
    ratio = np.mean(found) / np.var(spread)
    assert ratio == pytest.approx(1, abs=4 * math.sqrt(2 / 3_000) + 0.02)


@ALL
@given(data=clustered(), seed=st.integers(0, 99))
def test_neither_order_nor_names_nor_position_matter(statistic, data, seed):
    x, clusters = data
    assume(np.bincount(clusters).max() > 1)
    found = statistic(x, clusters)
    shuffled = np.random.default_rng(seed).permutation(len(x))
    names = np.array(["z", "y", "x", "w", "v", "u", "t", "s"])[clusters]
    assert statistic(x[shuffled], names[shuffled]) == pytest.approx(found, rel=1e-9, abs=1e-12)
    assert statistic(x + 100, clusters) == pytest.approx(found, rel=1e-9, abs=1e-9)
    scale = 3 if statistic is cluster_sd else 1
    assert statistic(-3 * x, clusters) == pytest.approx(scale * found, rel=1e-9, abs=1e-12)


def test_equal_scores_have_an_error_of_0_said_aloud_and_no_correlation():
    x, clusters = [0.3, 0.1 + 0.2, 0.3, 0.3], [0, 0, 1, 1]
    with pytest.warns(SignificanceWarning, match="all 4 scores are equal") as caught:
        assert cluster_sd(x, clusters) == 0.0
    assert caught[0].filename == __file__
    for statistic in (icc, design_effect):
        with pytest.raises(ValueError, match="x must vary, or .* got 4 scores of 0.3"):
            statistic(x, clusters)


def test_no_two_members_no_correlation():
    with pytest.raises(ValueError, match="clusters must hold .* two or more; got 3 clusters of 1"):
        icc([1, 2, 3], ["a", "b", "c"])


@ALL
@pytest.mark.parametrize(
    ("x", "clusters", "message"),
    [
        ([1, 2], ["a", "a"], "clusters must hold at least 2 different labels; got 1"),
        ([1], ["a"], "clusters must hold at least 2 different labels; got 1"),
        ([1, 2], ["a"], "clusters must have 2 entries, one per segment; got 1"),
        ([1, 2], ["a", None], "clusters must have no missing label; got clusters[1] = None"),
        ([1, 2], "ab", "clusters must be a sequence of 2 labels; got str"),
        ([1, 2], None, "clusters must be a sequence of 2 labels; got None"),
        ([1, np.nan], ["a", "b"], "x must be finite; got x[1] = nan"),
        ([[1, 2]], ["a", "b"], "x must have 1 axis"),
        ([], [], "x must not be empty"),
        ([True, False], ["a", "b"], "x must hold numbers; got booleans"),
        (["1", "2"], ["a", "b"], "x must hold numbers; got text"),
    ],
)
def test_bad_scores_and_labels_are_refused(statistic, x, clusters, message):
    with pytest.raises(ValueError) as caught:
        statistic(x, clusters)
    assert message in str(caught.value)


@ALL
def test_inputs_stay_as_they_were(statistic):
    x, clusters = np.array([1.0, 2.0, 4.0, 3.0]), np.array(["b", "b", "a", "a"])
    statistic(x, clusters)
    assert x.tolist() == [1, 2, 4, 3] and clusters.tolist() == ["b", "b", "a", "a"]
