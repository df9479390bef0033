"""EER against a slow reference and closed cases; the group bootstrap against enumeration."""

from __future__ import annotations

import importlib
import itertools
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import quietly

import sigbook as sb
from sigbook.eer import eer_gaps

module = importlib.import_module("sigbook.eer")  # sigbook.eer is the function

TOY = {
    "labels": [1, 0, 1, 0],
    "scores_a": [2, 1, 1, 2],
    "scores_b": [2, 3, 2, 1],
    "groups": ["g1", "g1", "g2", "g2"],
}


def slow_eer(labels, scores, weights=None):
    """Walk the thresholds in plain Python with fractions, joining points by straight lines."""
    weights = [1] * len(labels) if weights is None else weights
    trials = [(s, y, Fraction(w)) for s, y, w in zip(scores, labels, weights)]
    targets = sum(w for _, y, w in trials if y == 1)
    others = sum(w for _, y, w in trials if y == 0)
    points = [(Fraction(0), Fraction(1))]
    for threshold in sorted(set(scores), reverse=True):
        accepted = sum(w for s, y, w in trials if s >= threshold and y == 0)
        rejected = sum(w for s, y, w in trials if s < threshold and y == 1)
        points.append((accepted / others, rejected / targets))
    for (far0, frr0), (far1, frr1) in zip(points, points[1:]):
        if frr0 >= far0 and frr1 <= far1:
            before, after = frr0 - far0, frr1 - far1
            if before == after:
                return far0
            return far0 + before / (before - after) * (far1 - far0)
    raise AssertionError("the walk from (0, 1) to (1, 0) must cross")


@st.composite
def trials(draw, most=20, weighted=True):
    n = draw(st.integers(2, most))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if not weighted:
        weights = [1] * n
    assume(any(w for w, y in zip(weights, labels) if y == 1))
    assume(any(w for w, y in zip(weights, labels) if y == 0))
    return labels, scores, weights


# The EER -------------------------------------------------------------------------------------


def test_separated_inverted_and_tied():
    assert sb.eer([1, 1, 0, 0], [4, 3, 2, 1]) == 0.0
    assert sb.eer([1, 1, 0, 0], [1, 2, 3, 4]) == 1.0
    assert sb.eer([1, 1, 0, 0, 0], [7, 7, 7, 7, 7]) == 0.5


def test_a_crossing_worked_by_hand():
    # Accepting from the top: (0, 1), (0, 2/3), (1/2, 2/3), (1/2, 1/3): crossing at FAR = FRR = 1/2.
    assert sb.eer([1, 0, 1, 1, 0], [5, 4, 3, 2, 1]) == pytest.approx(0.5)
    # A tie of one target and one of two non-targets: from (0, 1/2) to (1/2, 0), met at 1/4.
    assert sb.eer([1, 1, 0, 0], [3, 2, 2, 1]) == pytest.approx(0.25)


@given(trials())
def test_the_slow_walk_agrees(data):
    labels, scores, weights = data
    assert sb.eer(labels, scores, weights) == pytest.approx(
        float(slow_eer(labels, scores, weights)), abs=1e-14
    )


@given(trials())
def test_a_weight_is_a_repetition(data):
    labels, scores, weights = data
    repeated = np.repeat(labels, weights), np.repeat(scores, weights)
    assert sb.eer(labels, scores, weights) == pytest.approx(sb.eer(*repeated), abs=1e-14)


@given(trials(), st.floats(0.01, 100))
def test_only_the_shares_of_weight_matter(data, factor):
    labels, scores, weights = data
    scaled = [factor * w for w in weights]
    assert sb.eer(labels, scores, scaled) == pytest.approx(
        sb.eer(labels, scores, weights), abs=1e-12
    )


@given(trials())
def test_turning_the_scores_gives_one_minus_and_turning_both_changes_nothing(data):
    labels, scores, weights = data
    found = sb.eer(labels, scores, weights)
    turned = [-s for s in scores]
    assert sb.eer(labels, turned, weights) == pytest.approx(1 - found, abs=1e-12)
    swapped = [1 - y for y in labels]
    assert sb.eer(swapped, turned, weights) == pytest.approx(found, abs=1e-12)


@given(trials(), st.integers(0, 99))
def test_only_the_order_of_scores_matters_and_not_that_of_trials(data, seed):
    labels, scores, weights = map(np.array, data)
    found = sb.eer(labels, scores, weights)
    assert 0.0 <= found <= 1.0
    assert sb.eer(labels, np.exp(scores / 3.0) - 100, weights) == found
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    assert sb.eer(labels[shuffled], scores[shuffled], weights[shuffled]) == found


@given(trials(weighted=False), st.integers(0, 19), st.integers(1, 3))
def test_raising_a_target_never_raises_the_eer(data, i, by):
    labels, scores, _ = data
    i %= len(labels)
    moved = list(scores)
    moved[i] += by if labels[i] == 1 else -by
    assert sb.eer(labels, moved) <= sb.eer(labels, scores) + 1e-12


def test_integers_beyond_float_precision_are_not_tied():
    assert sb.eer([1, 0], [2**60 + 1, 2**60]) == 0.0


def test_the_crossing_on_the_curve_of_sklearn():
    from sklearn.metrics import roc_curve

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, size=500)
    scores = np.round(rng.normal(size=500) + labels, 1)
    far, hits, _ = roc_curve(labels, scores, drop_intermediate=False)
    difference = (1 - hits) - far
    k = int(np.flatnonzero(difference <= 0)[0])
    share = difference[k - 1] / (difference[k - 1] - difference[k])
    crossing = far[k - 1] + share * (far[k] - far[k - 1])
    assert sb.eer(labels, scores) == pytest.approx(crossing, abs=1e-12)


# The group bootstrap -------------------------------------------------------------------------


def enumerated(toy, kind):
    """Gaps of every ordered draw of groups."""
    labels = np.array(toy["labels"])
    names, number = np.unique(toy["groups"], return_inverse=True)
    scores = [np.array(toy[s]) for s in ("scores_a", "scores_b")]
    gap_of = eer_gaps(labels, *scores, number, len(names), kind)
    draws = itertools.product(range(len(names)), repeat=len(names))
    counts = [np.bincount(draw, minlength=len(names)) for draw in draws]
    return gap_of(np.array(counts, dtype=np.int64))


@pytest.mark.parametrize("kind", ["macro", "pooled"])
def test_the_toy_of_two_groups_enumerated(kind):
    gaps = enumerated(TOY, kind)
    assert sorted(gaps.tolist()) == [-1.0, 0.0, 0.0, 1.0]
    cloud = sb.Cloud(gaps, 0.0, "bootstrap", True)
    assert sb.percentile_interval(cloud) == (-1.0, 1.0)


@pytest.mark.parametrize("kind", ["macro", "pooled"])
def test_draws_of_the_toy_follow_the_enumeration(kind):
    cloud = sb.bootstrap_eer(**TOY, kind=kind, draws=4_000, seed=1)
    assert cloud.observed == 0.0 and cloud.kind == "bootstrap" and cloud.invalid == 0
    values, times = np.unique(cloud.gaps, return_counts=True)
    assert values.tolist() == [-1.0, 0.0, 1.0]
    expected = np.array([1_000, 2_000, 1_000])
    assert (np.abs(times - expected) < 4 * np.sqrt(expected)).all()
    assert sb.eer(TOY["labels"], TOY["scores_a"]) == sb.eer(TOY["labels"], TOY["scores_b"]) == 0.5


@st.composite
def grouped(draw):
    groups = draw(st.integers(2, 3))
    sizes = draw(st.lists(st.integers(2, 5), min_size=groups, max_size=groups))
    n = sum(sizes)
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = [draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)) for _ in range(2)]
    return {
        "labels": labels,
        "scores_a": scores[0],
        "scores_b": scores[1],
        "groups": np.repeat(np.arange(groups), sizes),
    }


@given(grouped())
def test_a_pooled_draw_is_the_eer_of_its_repeated_groups(data):
    labels, groups = np.array(data["labels"]), data["groups"]
    count = groups.max() + 1
    gaps = enumerated(data, "pooled")
    for draw, gap in zip(itertools.product(range(count), repeat=count), gaps):
        rows = np.concatenate([np.flatnonzero(groups == g) for g in draw])
        if len(set(labels[rows])) < 2:
            assert np.isnan(gap)
            continue
        expected = slow_eer(labels[rows], np.array(data["scores_a"])[rows]) - slow_eer(
            labels[rows], np.array(data["scores_b"])[rows]
        )
        assert gap == pytest.approx(float(expected), abs=1e-12)


@given(grouped())
def test_a_macro_draw_averages_the_drawn_groups(data):
    labels, groups = np.array(data["labels"]), data["groups"]
    count = groups.max() + 1
    assume(all(len(set(labels[groups == g])) == 2 for g in range(count)))
    own = [
        float(
            slow_eer(labels[groups == g], np.array(data["scores_a"])[groups == g])
            - slow_eer(labels[groups == g], np.array(data["scores_b"])[groups == g])
        )
        for g in range(count)
    ]
    draws = itertools.product(range(count), repeat=count)
    expected = [np.mean([own[g] for g in draw]) for draw in draws]
    assert enumerated(data, "macro") == pytest.approx(expected, abs=1e-12)


def test_dropping_repeats_would_be_another_estimator():
    # g1 drawn twice keeps weight 2 beside g3: de-duplicated, the gap differs.
    labels = np.array([1, 0, 1, 0, 1, 0])
    a, b = np.array([2, 1, 1, 2, 5, 0]), np.array([1, 2, 2, 1, 0, 5])
    number = np.repeat(np.arange(3), 2)
    gap_of = eer_gaps(labels, a, b, number, 3, "macro")
    kept, dropped = gap_of(np.array([[2, 1, 0], [1, 1, 0]]))
    assert kept == pytest.approx(-1 / 3) and dropped == 0.0


def test_offsets_per_source_hide_from_the_macro_eer():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 10)
    labels = np.tile([1, 0], 100)
    offsets = rng.normal(scale=20, size=20)[groups]
    a, b = labels + offsets, labels + 0.0
    macro = sb.bootstrap_eer(labels, a, b, groups, "macro", draws=100)
    pooled = sb.bootstrap_eer(labels, a, b, groups, "pooled", draws=100)
    assert macro.observed == 0.0 and not macro.gaps.any()
    assert pooled.observed > 0.3 and pooled.gaps.min() > 0.2


def test_the_observed_gap_is_a_minus_b_of_the_whole_data():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 300)
    a, b = rng.normal(size=300) + labels, rng.normal(size=300) + 2 * labels
    groups = rng.integers(0, 30, 300)
    cloud = sb.bootstrap_eer(labels, a, b, groups, draws=500)
    assert cloud.observed == sb.eer(labels, a) - sb.eer(labels, b) > 0
    assert cloud.gaps.shape == (500,) and cloud.gaps.mean() == pytest.approx(cloud.observed, abs=0.05)
    turned = sb.bootstrap_eer(labels, b, a, groups, draws=500)
    assert np.array_equal(turned.gaps, -cloud.gaps)


def test_a_cloud_of_10_000_pooled_draws_from_seed_0_by_default():
    cloud = sb.bootstrap_eer(**TOY)
    assert np.array_equal(cloud.gaps, sb.bootstrap_eer(**TOY, kind="pooled", draws=10_000, seed=0).gaps)
    assert len(cloud.gaps) == 10_000 and not cloud.enumerated


def test_the_slack_for_ties_is_relative_to_the_largest_eer():
    assert sb.bootstrap_eer(**TOY, draws=10).score_scale == sb.eer([1, 0], [0, 1]) == 1.0


def test_identical_detectors_have_no_gap_on_any_draw():
    rng = np.random.default_rng(6)
    labels, scores = rng.integers(0, 2, 200), rng.normal(size=200)
    cloud = sb.bootstrap_eer(labels, scores, scores, np.arange(200), draws=300)
    assert not cloud.gaps.any() and cloud.observed == 0


def test_draws_without_a_class_are_counted_and_said():
    # Two targets and two others drawn singly: a class is missing in 1/8 of the draws.
    labels, groups = [1, 1, 0, 0], ["a", "b", "c", "d"]
    with pytest.warns(sb.SignificanceWarning, match="hold no trial of one class") as caught:
        cloud = sb.bootstrap_eer(labels, [4, 2, 3, 1], [1, 2, 3, 4], groups, draws=8_000)
    assert caught[0].filename == __file__
    assert str(cloud.invalid) in str(caught[0].message)
    assert abs(cloud.invalid - 1_000) < 4 * np.sqrt(8_000 * 7 / 64)
    assert len(cloud.gaps) == 8_000 - cloud.invalid and np.isfinite(cloud.gaps).all()


def test_draws_with_and_without_both_classes_add_up_to_all_draws():
    kept = set()
    for seed in range(8):
        cloud = quietly(sb.bootstrap_eer, [1, 0], [2, 1], [1, 2], ["a", "b"], draws=6, seed=seed)
        assert cloud.draws + cloud.invalid == 6
        kept.add(cloud.draws)
    assert min(kept) < 3 < max(kept)


def test_no_draw_with_both_classes_is_an_error():
    labels, groups = [1, 0], ["a", "b"]
    seed = next(s for s in range(50) if np.ptp(np.random.default_rng(s).integers(2, size=2)) == 0)
    with pytest.raises(ValueError, match="groups must give draws with both classes; got 1 draws"):
        sb.bootstrap_eer(labels, [2, 1], [1, 2], groups, draws=1, seed=seed)


def test_one_seed_gives_one_cloud_whatever_the_chunk(monkeypatch):
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 2, 120)
    a, b, groups = rng.normal(size=120), rng.normal(size=120), rng.integers(0, 12, 120)
    for kind in ("pooled", "macro"):
        labels[:24], groups[:24] = np.tile([0, 1], 12), np.repeat(np.arange(12), 2)
        clouds = []
        for chunk in (2**18, 120 * 7, 1):
            monkeypatch.setattr(module, "_CHUNK", chunk)
            clouds.append(sb.bootstrap_eer(labels, a, b, groups, kind, 200, 11).gaps)
        assert np.array_equal(clouds[0], clouds[1]) and np.array_equal(clouds[0], clouds[2])
        other = sb.bootstrap_eer(labels, a, b, groups, kind, draws=200, seed=12)
        assert not np.array_equal(clouds[0], other.gaps)


def test_memory_stays_bounded():
    rng = np.random.default_rng(8)
    n = 20_000
    labels, groups = rng.integers(0, 2, n), rng.integers(0, 50, n)
    a, b = rng.normal(size=n), rng.normal(size=n)
    tracemalloc.start()
    sb.bootstrap_eer(labels, a, b, groups, draws=200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6


def test_the_clustered_spread_exceeds_that_of_single_trials_where_groups_share_a_difficulty():
    rng = np.random.default_rng(9)
    groups = np.repeat(np.arange(40), 25)
    labels = rng.integers(0, 2, 1_000)
    hard = rng.normal(size=40)[groups]
    a = labels * (1.5 + hard) + rng.normal(size=1_000)
    b = labels * (1.5 - hard) + rng.normal(size=1_000)
    by_group = sb.bootstrap_eer(labels, a, b, groups, draws=1_000)
    by_trial = sb.bootstrap_eer(labels, a, b, np.arange(1_000), draws=1_000)
    assert by_group.sd > 1.3 * by_trial.sd


# Refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1], [1, 2]), "labels must hold both classes; got no non-target (label 0)"),
        (([0, 0], [1, 2]), "labels must hold both classes; got no target (label 1)"),
        (([1, 0], [1, 2], [0, 1]), "labels must hold both classes; got no target (label 1)"),
        (([1, 2], [1, 2]), "labels must be 1 (target) or 0 (non-target); got labels[1] = 2"),
        (([1, 3, 2], [1, 2, 3]), "labels must be 1 (target) or 0 (non-target); got labels[1] = 3"),
        (([1, -1], [1, 2]), "labels must be 1 (target) or 0 (non-target); got labels[1] = -1"),
        ((["B", "S"], [1, 2]), "labels must hold numbers; got text"),
        (([True, False], [1, 2]), "labels must hold numbers; got booleans"),
        (([1, np.nan], [1, 2]), "labels must be finite; got labels[1] = nan"),
        (([1, 0], [1, np.nan]), "scores must be finite; got scores[1] = nan"),
        (([1, 0], [1, 2, 3]), "scores must have 2 entries; got 3"),
        (([1, 0], [[1, 2]]), "scores must have 1 axis"),
        (([1, 0], [1, 2], [1, -1]), "weights must be >= 0; got weights[1] = -1"),
        (([1, 0], [1, 2], [1]), "weights must have 2 entries; got 1"),
        (([1, 0], [1, 2], [1, np.inf]), "weights must be finite; got weights[1] = inf"),
        (([], []), "labels must not be empty"),
    ],
)
def test_no_eer_without_two_classes_of_finite_scores(arguments, message):
    with pytest.raises(ValueError) as caught:
        sb.eer(*arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores_a": [1, 2, 3]}, "scores_a must have 4 entries; got 3"),
        ({"scores_b": [1, 2, 3, None]}, "scores_b must hold numbers; got None among its entries"),
        ({"groups": ["g1"] * 4}, "groups must hold at least 2 different labels to resample; got 1"),
        ({"groups": ["g1", "g1", "g2"]}, "groups must have 4 entries, one per segment; got 3"),
        ({"groups": ["g1", "g1", "g2", None]}, "groups must have no missing label"),
        ({"kind": "micro"}, "kind must be one of 'pooled', 'macro'; got 'micro'"),
        ({"draws": 0}, "draws must be an integer >= 1; got 0"),
        ({"seed": None}, "seed must be an integer >= 0"),
        ({"labels": [1, 1, 1, 1]}, "labels must hold trials of both classes; got 4 targets among 4"),
        (
            {"labels": [1, 0, 1, 1], "kind": "macro"},
            "groups must each hold both classes for kind='macro'; got group 'g2' with 2 targets",
        ),
        (
            {"labels": [0, 0, 1, 0], "groups": [7, 7, 3, 3], "kind": "macro"},
            "got group 7 with 0 targets among 2 trials",
        ),
        (
            {"labels": [1, 0, 0, 1], "groups": ["s2", "s2", "s1", "s0"], "kind": "macro"},
            "got group 's0' with 1 targets among 1 trials",
        ),
    ],
)
def test_the_bootstrap_says_what_is_wrong(change, message):
    with pytest.raises(ValueError) as caught:
        sb.bootstrap_eer(**{**TOY, **change})
    assert message in str(caught.value)


def test_inputs_stay_as_they_were():
    arrays = {name: np.array(value) for name, value in TOY.items()}
    before = {name: value.copy() for name, value in arrays.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb.bootstrap_eer(**arrays, draws=20)
        weights = np.ones(4)
        sb.eer(arrays["labels"], arrays["scores_a"], weights)
    assert all(np.array_equal(arrays[name], before[name]) for name in arrays)
    assert weights.tolist() == [1, 1, 1, 1]
