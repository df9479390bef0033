"""Runs crossed with segments: against enumeration, a plain loop, variance formulas and real runs."""

from __future__ import annotations

import importlib
import itertools
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind
from strategies import said

import sigbook as sb
from sigbook import data, metrics

module = importlib.import_module("sigbook.runs")
FEW = "ignore:[234] runs of a system:sigbook.SignificanceWarning"


def mean_score(score, x, counts, runs):
    """One replicate by hand: repeat the segments, score each drawn run, average."""
    rows = np.repeat(np.arange(x.shape[1]), counts)
    return np.mean([score(x[r][rows].sum(axis=0)) for r in runs])


def some_runs(rng, runs, n):
    """F1 counts (runs, n, 3): tp, predicted, gold."""
    gold = rng.integers(1, 5, size=n)
    predicted = rng.integers(1, 5, size=(runs, n))
    tp = rng.binomial(np.minimum(predicted, gold), 0.7)
    return np.stack([tp, predicted, np.broadcast_to(gold, (runs, n))], axis=2)


# Against what it should be -------------------------------------------------------------------


@pytest.mark.filterwarnings(FEW)
@pytest.mark.parametrize("paired", [False, True])
def test_replicates_fall_on_the_enumerated_gaps_in_their_shares(paired):
    rng = np.random.default_rng(0)
    a, b = some_runs(rng, 2, 3), some_runs(rng, 2, 3)
    exact = {}
    for segments in itertools.product(range(3), repeat=3):
        counts = np.bincount(segments, minlength=3)
        draws_a = list(itertools.product(range(2), repeat=2))
        pairs = [(d, d) for d in draws_a] if paired else itertools.product(draws_a, draws_a)
        pairs = list(pairs)
        for runs_a, runs_b in pairs:
            gap = mean_score(metrics.f1, a, counts, runs_a) - mean_score(
                metrics.f1, b, counts, runs_b
            )
            key = round(float(gap), 10)
            exact[key] = exact.get(key, 0) + 1 / 27 / len(pairs)
    assert sum(exact.values()) == pytest.approx(1)
    draws = 20_000
    cloud = sb.crossed_bootstrap(a, b, "f1", paired, draws, seed=3)
    values, times = np.unique(np.round(cloud.gaps, 10) + 0.0, return_counts=True)
    assert set(values.tolist()) <= {key + 0.0 for key in exact}
    for value, count in zip(values.tolist(), times):
        share = exact[value]
        assert abs(count / draws - share) < 4.5 * np.sqrt(share * (1 - share) / draws)


def test_the_observed_gap_averages_runs_and_never_pools_them():
    rng = np.random.default_rng(1)
    a, b = some_runs(rng, 6, 30), some_runs(rng, 5, 30)
    a[0] *= 50  # one long run would dominate a pooled score
    a[0, :, 0] = 0
    cloud = sb.crossed_bootstrap(a, b, "f1", draws=10)
    expected = metrics.f1(a.sum(axis=1)).mean() - metrics.f1(b.sum(axis=1)).mean()
    assert cloud.observed == pytest.approx(expected, rel=1e-12)
    pooled = metrics.f1(a.sum(axis=(0, 1))) - metrics.f1(b.sum(axis=(0, 1)))
    assert abs(cloud.observed - pooled) > 0.1


def test_one_resample_of_segments_serves_every_run_of_both_systems():
    # Scores that depend on the segment alone cancel exactly on every replicate.
    easy = np.random.default_rng(2).integers(0, 100, size=40)
    a = np.tile(easy, (5, 1)) + 3
    b = np.tile(easy, (7, 1))
    with pytest.warns(sb.SignificanceWarning, match="degenerate: every replicate gives the gap"):
        cloud = sb.crossed_bootstrap(a, b, "mean", draws=200)
    assert cloud.gaps == pytest.approx(np.full(200, 3.0), abs=1e-12)


def test_paired_runs_cancel_what_runs_share_and_unpaired_runs_do_not():
    rng = np.random.default_rng(3)
    shared = rng.integers(0, 50, size=(6, 1))
    segments = rng.integers(0, 5, size=(1, 200))
    a, b = shared + segments + 1, shared + segments
    with pytest.warns(sb.SignificanceWarning, match="degenerate"):
        paired = sb.crossed_bootstrap(a, b, "mean", True, draws=300)
    apart = sb.crossed_bootstrap(a, b, "mean", False, draws=3_000)
    assert paired.sd < 1e-12
    expected = np.sqrt(2 * shared.var() / 6)
    assert apart.sd == pytest.approx(expected, rel=4 / np.sqrt(2 * 3_000) + 0.02)


def test_the_variance_adds_that_of_runs_and_that_of_segments():
    # For a mean, crossed resampling has the variance of both one-way bootstraps and a small
    # interaction term (Owen and Eckles 2012).
    rng = np.random.default_rng(4)
    runs, n = 12, 300
    x = rng.normal(size=(runs, 1)) * 0.1 + rng.normal(size=(1, n)) + rng.normal(size=(runs, n)) * 0.3
    y = np.zeros((2, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cloud = sb.crossed_bootstrap(x, y, "mean", draws=20_000)
    of_runs = x.mean(axis=1).var() / runs
    of_segments = x.mean(axis=0).var() / n
    rest = (x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()).var() / (runs * n)
    assert cloud.sd**2 == pytest.approx(of_runs + of_segments + rest, rel=4 * np.sqrt(2 / 20_000))
    one_way = sb.bootstrap(sb.PairedSet(x.mean(axis=0), y[0], "mean"), draws=20_000)
    assert cloud.sd > 1.1 * one_way.sd


@pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")
def test_optimizer_runs_settle_nothing_once_runs_are_drawn():
    runs = data.optimizer_runs()
    a, b = runs["sys1"], runs["baseline"]
    cloud = sb.crossed_bootstrap(a, b, "bleu", draws=2_000)
    scores = [metrics.bleu(x.sum(axis=1)) for x in (a, b)]
    assert 100 * scores[0].mean() == pytest.approx(18.813, abs=5e-4)
    assert 100 * scores[1].mean() == pytest.approx(18.527, abs=5e-4)
    assert cloud.observed == pytest.approx(scores[0].mean() - scores[1].mean(), rel=1e-12)
    assert ttest_ind(*scores, equal_var=False).pvalue == pytest.approx(0.230, abs=5e-4)
    low, high = sb.percentile_interval(cloud)
    assert low < 0 < high
    fixed = sb.bootstrap(sb.PairedSet(a[0], b[0], "bleu"), draws=2_000)
    assert sb.percentile_interval(fixed)[0] > 0


# Properties ----------------------------------------------------------------------------------


@given(st.integers(5, 7), st.integers(5, 7), st.integers(2, 12), st.integers(0, 10**6))
def test_exchanging_the_systems_mirrors_what_the_cloud_says(runs_a, runs_b, n, seed):
    rng = np.random.default_rng(seed)
    a, b = some_runs(rng, runs_a, n), some_runs(rng, runs_b, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cloud = sb.crossed_bootstrap(a, b, "f1", draws=50, seed=seed)
        same = sb.crossed_bootstrap(a, b, "f1", draws=50, seed=seed)
        turned = sb.crossed_bootstrap(b, a, "f1", draws=50, seed=seed)
    assert np.array_equal(cloud.gaps, same.gaps)
    assert turned.observed == pytest.approx(-cloud.observed, abs=1e-15)
    assert (np.abs(cloud.gaps) <= 1).all() and cloud.kind == "bootstrap"


def test_paired_runs_exchanged_give_the_mirror_image_draw_by_draw():
    rng = np.random.default_rng(5)
    a, b = some_runs(rng, 5, 20), some_runs(rng, 5, 20)
    cloud = sb.crossed_bootstrap(a, b, "f1", True, draws=200)
    assert np.array_equal(sb.crossed_bootstrap(b, a, "f1", True, draws=200).gaps, -cloud.gaps)


def test_a_function_and_columns_of_sum_and_count_are_metrics_too():
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 9, size=(5, 40)), rng.integers(0, 9, size=(6, 40))
    plain = sb.crossed_bootstrap(a, b, "mean", draws=100)
    counted = [np.stack([x, np.ones_like(x)], axis=2) for x in (a, b)]
    assert np.array_equal(sb.crossed_bootstrap(*counted, "mean", draws=100).gaps, plain.gaps)
    assert np.array_equal(
        sb.crossed_bootstrap(a[:, :, None], b[:, :, None], "mean", draws=100).gaps, plain.gaps
    )
    ratio = sb.crossed_bootstrap(*counted, lambda pooled: pooled[..., 0] / pooled[..., 1], draws=100)
    assert ratio.gaps == pytest.approx(plain.gaps, abs=1e-12)


def test_one_seed_gives_one_cloud_whatever_the_chunk(monkeypatch):
    rng = np.random.default_rng(7)
    a, b = some_runs(rng, 5, 50), some_runs(rng, 5, 50)
    clouds = []
    for chunk in (2**19, 50 * 7, 1):
        monkeypatch.setattr(module, "_CHUNK", chunk)
        clouds.append(sb.crossed_bootstrap(a, b, "f1", draws=100, seed=9).gaps)
    assert np.array_equal(clouds[0], clouds[1]) and np.array_equal(clouds[0], clouds[2])
    assert not np.array_equal(clouds[0], sb.crossed_bootstrap(a, b, "f1", draws=100, seed=8).gaps)


def test_memory_stays_bounded():
    rng = np.random.default_rng(8)
    a = rng.integers(0, 2, size=(5, 50_000))
    tracemalloc.start()
    sb.crossed_bootstrap(a, 1 - a, "mean", draws=100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6


def test_inputs_stay_as_they_were():
    rng = np.random.default_rng(9)
    a, b = some_runs(rng, 5, 10), some_runs(rng, 5, 10)
    before = a.copy(), b.copy()
    sb.crossed_bootstrap(a, b, "f1", draws=10)
    assert np.array_equal(a, before[0]) and np.array_equal(b, before[1])


# Doubt and refusals --------------------------------------------------------------------------


def test_few_runs_are_said_aloud():
    rng = np.random.default_rng(10)
    a, b = some_runs(rng, 3, 30), some_runs(rng, 8, 30)
    with pytest.warns(sb.SignificanceWarning, match="3 runs of a system: .* 2/3 of the") as caught:
        sb.crossed_bootstrap(a, b, "f1", draws=10)
    assert caught[0].filename == __file__


def test_ties_are_relative_to_the_larger_score():
    high, low = np.tile([[8.0, 9.0, 10.0]], (5, 1)), np.tile([[3.0, 1.0, 2.0]], (5, 1))
    for a, b in ((high, low), (low, high)):
        cloud = sb.crossed_bootstrap(a, b, "mean", draws=50)
        assert cloud.score_scale == 9 > np.abs(cloud.gaps).max() and cloud.observed == a.mean() - b.mean()


@pytest.mark.parametrize(("fewest", "warned"), [(4, 1), (5, 0)])
def test_five_runs_are_enough_to_stay_silent(fewest, warned):
    rng = np.random.default_rng(11)
    for sizes in ((fewest, 6), (6, fewest)):
        a, b = (some_runs(rng, size, 30) for size in sizes)
        assert len(said(sb.crossed_bootstrap, a, b, "f1", draws=10)) == warned


def test_scores_of_0_on_every_resample_make_a_degenerate_cloud():
    nothing_right = np.tile([0, 2, 2], (5, 4, 1))
    messages = said(sb.crossed_bootstrap, nothing_right, nothing_right, "f1", draws=10)
    assert messages == ["the cloud is degenerate: every replicate gives the gap +0"]


def test_ten_thousand_draws_from_seed_0_unless_asked_otherwise():
    rng = np.random.default_rng(12)
    a, b = some_runs(rng, 5, 10), some_runs(rng, 5, 10)
    cloud = sb.crossed_bootstrap(a, b, "f1")
    assert cloud.draws == 10_000 and not cloud.enumerated
    assert np.array_equal(cloud.gaps, sb.crossed_bootstrap(a, b, "f1", False, 10_000, seed=0).gaps)


A = np.ones((5, 4, 3), dtype=int)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((A[:1], A, "f1"), "stats_a must hold at least 2 runs to resample; got an array of shape"),
        ((A, A[:1], "f1"), "stats_b must hold at least 2 runs to resample; got an array of shape"),
        ((A[:, :1], A[:, :1], "f1"), "stats_a must hold at least 2 segments to resample"),
        ((A, A[:, :3], "f1"), "must have the same segments and columns; got shapes (5, 4, 3) and"),
        ((A[:, :3], A, "f1"), "must have the same segments and columns; got shapes (5, 3, 3) and"),
        ((A[:4], A, "f1", True), "must have equally many runs for paired_runs=True; got 4 and 5"),
        ((A, A[:4], "f1", True), "must have equally many runs for paired_runs=True; got 5 and 4"),
        ((A, A, "f1", "yes"), "paired_runs must be True or False; got 'yes'"),
        ((A, A, "f1", False, 0), "draws must be an integer >= 1; got 0"),
        ((A, A, "f1", False, 10, None), "seed must be an integer >= 0"),
        ((A, A, "F1"), "'F1'"),
        ((A, A, "bleu"), "stats_a must have 10 columns"),
        ((A[0], A, "f1"), "stats_a must have 3 axes; got an array of shape (4, 3)"),
        ((A, -A, "f1"), "stats_b must hold counts >= 0; got stats_b[0, 0, 0] (tp) = -1"),
        ((A * np.nan, A, "f1"), "stats_a must be finite; got stats_a[0, 0, 0] = nan"),
        ((A, A, lambda pooled: pooled[..., 0]), "homogeneous of degree 0"),
        (
            (np.arange(60).reshape(5, 4, 3), A, lambda pooled: pooled[..., 1]),
            "the sums of stats_a gave 22, twice the sums 44",  # 1 + 4 + 7 + 10 in the first run
        ),
    ],
)
def test_what_is_no_set_of_runs_is_refused(arguments, message):
    with pytest.raises(ValueError) as caught:
        sb.crossed_bootstrap(*arguments)
    assert message in str(caught.value)
