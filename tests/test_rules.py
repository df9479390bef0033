"""p-values and intervals read off clouds, against hand counts, enumeration and published cases."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from strategies import paired_sets, quietly, said

import sigbook as sb

BOOTSTRAP_RULES = [sb.p_koehn, sb.p_recentered, sb.p_shifted, sb.p_sacrebleu]
INTERVALS = [sb.percentile_interval, sb.basic_interval]
GAPS = st.lists(st.integers(-8, 8), min_size=1, max_size=60)


def resampled(gaps, observed=1.0):
    return sb.Cloud(np.array(gaps, dtype=float), observed, "bootstrap")


def swapped(gaps, observed=1.0, enumerated=False):
    return sb.Cloud(np.array(gaps, dtype=float), observed, "randomization", enumerated)


def differences(d):
    """A paired set with these differences and nothing else."""
    return sb.PairedSet(d, np.zeros(len(d)), "mean")


def exact_p(pairs, alternative="two-sided"):
    return sb.p_randomization(quietly(sb.randomize, pairs, "all"), alternative)


# The rules by hand --------------------------------------------------------------------------------


@given(GAPS, st.integers(-5, 5))
def test_p_values_are_the_counts_that_define_them(gaps, d):
    B, cloud, null = len(gaps), resampled(gaps, d), swapped(gaps, d)
    full = swapped([*gaps, d], d, enumerated=True)
    hits = {
        "two-sided": sum(abs(x) >= abs(d) for x in gaps),
        "greater": sum(x >= d for x in gaps),
        "less": sum(x <= d for x in gaps),
    }
    for alternative, count in hits.items():
        assert sb.p_randomization(null, alternative) == (count + 1) / (B + 1)
        assert sb.p_randomization(full, alternative) == (count + 1) / (B + 1)
    assert sb.p_randomization(null) == sb.p_randomization(null, "two-sided")
    assert sb.p_koehn(cloud) == sb.p_koehn(cloud, "greater") == sum(x <= 0 for x in gaps) / B
    assert sb.p_koehn(cloud, "less") == sum(x >= 0 for x in gaps) / B
    assert sb.p_recentered(cloud) == sb.p_recentered(cloud, "greater") == sum(x >= 2 * d for x in gaps) / B
    assert sb.p_recentered(cloud, "less") == sum(x <= 2 * d for x in gaps) / B
    assert sb.p_shifted(cloud) == (1 + sum(abs(x - d) >= abs(d) for x in gaps)) / (B + 1)
    centre = Fraction(sum(map(abs, gaps)), B)
    far = sum(abs(x) - centre > abs(d) for x in gaps)
    near = sum(abs(x) - centre == abs(d) for x in gaps)
    found = quietly(sb.p_sacrebleu, cloud)
    assert (1 + far) / (B + 1) <= found <= (1 + far + near) / (B + 1)
    assert near or found == (1 + far) / (B + 1)


@given(paired_sets(clusters=True))
def test_p_values_of_data_lie_between_0_and_1_and_randomization_above_0(pairs):
    for draws in ("all", 99):
        cloud = quietly(sb.randomize, pairs, draws)
        p = [sb.p_randomization(cloud, side) for side in ("two-sided", "greater", "less")]
        assert all(1 / (cloud.draws + 1) <= x <= 1 for x in p)
        assert p[1] + p[2] >= 1 - 1e-12 or draws == 99
        if draws == "all":
            assert p[0] >= min(1, 2 / cloud.draws)
    if pairs.units > 1:
        cloud = quietly(sb.bootstrap, pairs, 99)
        assert all(0 <= quietly(rule, cloud) <= 1 for rule in BOOTSTRAP_RULES)


def test_no_hit_in_9999_draws_is_p_00001_and_never_0():
    cloud = swapped(np.zeros(9_999), 1.0)
    assert sb.p_randomization(cloud) == sb.p_randomization(cloud, "greater") == 1e-4
    assert sb.p_shifted(resampled(np.full(999, 5.0), 5.0)) == 1 / 1_000
    assert sb.p_sacrebleu(resampled(np.full(999, 5.0), 5.0)) == 1 / 1_000
    # Koehn's and the recentered rule are shares of draws: 0 of B is 0.
    assert sb.p_koehn(resampled(np.full(999, 5.0), 5.0)) == 0


def test_dropping_the_two_ones_would_reject_for_free():
    # With 19 draws p <= 0.05 needs no hit at all: hits/B would say 0.
    assert sb.p_randomization(swapped(np.zeros(19), 1.0)) == 0.05
    assert sb.p_randomization(swapped([1.0] + [0.0] * 18, 1.0)) == 0.1


# Published cases ----------------------------------------------------------------------------------


def test_identical_outputs_have_randomization_p_1_and_sacrebleus_rule_says_one_over_b_plus_1():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, (40, 10))
    for pairs in (
        sb.PairedSet(counts, counts),
        differences(np.zeros(40)),
        sb.PairedSet(rng.normal(size=40), rng.normal(size=40) * 0, "mean"),
    ):
        same = sb.PairedSet(pairs.a, pairs.a, pairs.metric)
        for draws in ("all", 999):
            cloud = quietly(sb.randomize, same, draws)
            assert [sb.p_randomization(cloud, side) for side in ("two-sided", "greater", "less")] == [1] * 3
        cloud = quietly(sb.bootstrap, same, 999)
        message = "the systems score the same on every resample, yet this rule gives p = 1/1000,"
        with pytest.warns(sb.SignificanceWarning, match=message) as caught:
            assert sb.p_sacrebleu(cloud) == 1 / 1_000
        assert caught[0].filename == __file__
        assert sb.p_koehn(cloud) == sb.p_recentered(cloud) == sb.p_shifted(cloud) == 1
    assert said(sb.p_sacrebleu, resampled([0.0, 0.0, 1e-9], 0.0)) == []


def test_one_difference_in_1000_segments_is_no_evidence():
    d = np.zeros(1_000)
    d[17] = 1
    assert exact_p(differences(d)) == 1
    assert sb.p_randomization(quietly(sb.randomize, differences(d), 999)) == 1
    B = 20_000
    cloud = quietly(sb.bootstrap, differences(d), B)
    copies = stats.binom(1_000, 1 / 1_000)
    for found, expected in (
        (sb.p_koehn(cloud), copies.pmf(0)),
        (sb.p_recentered(cloud), copies.sf(1)),
        (sb.p_shifted(cloud), copies.pmf(0) + copies.sf(1)),
    ):
        assert found == pytest.approx(expected, abs=4 * math.sqrt(0.25 / B))
    assert (copies.pmf(0), copies.sf(1)) == (pytest.approx(0.36770, abs=5e-6), pytest.approx(0.26424, abs=5e-6))


def test_sacrebleus_rule_jumps_with_the_sampled_mean_when_one_segment_differs():
    # Two copies give 2d - mean > d if the mean of |d*| falls below d, and that is a coin toss.
    copies = stats.binom(1_000, 1 / 1_000)
    assert (copies.sf(2), copies.sf(1)) == (pytest.approx(0.08021, abs=5e-6), pytest.approx(0.26424, abs=5e-6))
    d = np.zeros(1_000)
    d[0] = 1
    found = [sb.p_sacrebleu(sb.bootstrap(differences(d), 2_000, seed)) for seed in range(12)]
    near = [min((abs(p - x), x) for x in (copies.sf(2), copies.sf(1))) for p in found]
    assert max(distance for distance, _ in near) < 0.05
    assert {x for _, x in near} == {copies.sf(2), copies.sf(1)}


def test_five_segments_cannot_give_a_p_below_one_sixteenth():
    pairs = differences(np.ones(5))
    assert exact_p(pairs) == 2 / 32
    for draws in (99, 9_999):
        assert sb.p_randomization(quietly(sb.randomize, pairs, draws)) == pytest.approx(2 / 32, abs=0.08)
    assert sb.p_randomization(quietly(sb.randomize, pairs, 9_999)) == pytest.approx(2 / 32, abs=0.01)
    assert sb.p_sacrebleu(quietly(sb.bootstrap, pairs, 9_999)) == 1e-4


def test_one_segment_says_nothing():
    pairs = sb.PairedSet([[9, 9, 8, 6, 4, 2, 9, 8, 7, 6]], [[9, 9, 5, 4, 3, 2, 9, 8, 7, 6]])
    assert pairs.gap > 0 and exact_p(pairs) == 1
    with pytest.raises(ValueError, match="pairs has 1 segment"):
        sb.bootstrap(pairs)


def test_mirror_images_have_randomization_p_1_while_sacrebleus_rule_stays_near_04():
    x = np.random.default_rng(1).integers(0, 30, 12)
    pairs = sb.PairedSet(x, x[::-1], "mean")
    assert pairs.gap == 0 and exact_p(pairs) == 1
    assert sb.p_shifted(sb.bootstrap(pairs)) == 1
    assert sb.p_sacrebleu(sb.bootstrap(pairs)) == pytest.approx(0.425, abs=0.04)


def normal_cloud(z, B=100_000):
    """The cloud of the normal limit: gap z in units of its standard deviation."""
    return resampled(z + stats.norm.ppf((np.arange(B) + 0.5) / B), z)


@pytest.mark.parametrize(("z", "p"), [(0, 0.425), (1.96, 0.0239), (1.598, 0.05)])
def test_sacrebleus_rule_in_the_normal_limit(z, p):
    mean_size = z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z)
    closed = stats.norm.cdf(-mean_size) + stats.norm.cdf(-2 * z - mean_size)
    assert sb.p_sacrebleu(normal_cloud(z)) == pytest.approx(closed, abs=2e-5)
    assert closed == pytest.approx(p, abs=5e-4 if z == 0 else 5e-5)


@pytest.mark.parametrize(("alpha", "size"), [(0.05, 0.110), (0.01, 0.020), (0.10, 0.246)])
def test_the_size_of_sacrebleus_rule_in_the_normal_limit(alpha, size):
    border = optimize.brentq(lambda z: sb.p_sacrebleu(normal_cloud(z)) - alpha, 0.3, 3, xtol=1e-4)
    assert 2 * stats.norm.sf(border) == pytest.approx(size, abs=6e-4)
    if alpha == 0.05:
        assert border == pytest.approx(1.598, abs=6e-4)


@pytest.mark.parametrize("z", [0.0, 0.7, 1.96, -1.2])
def test_the_other_rules_in_the_normal_limit_are_the_z_test(z):
    cloud = normal_cloud(z)
    assert sb.p_koehn(cloud) == pytest.approx(stats.norm.sf(z), abs=2e-5)
    assert sb.p_recentered(cloud) == pytest.approx(stats.norm.sf(z), abs=2e-5)
    assert sb.p_shifted(cloud) == pytest.approx(2 * stats.norm.sf(abs(z)), abs=2e-5)


def test_ten_wins_of_ten_one_sided():
    assert exact_p(sb.PairedSet([1] * 10, [0] * 10, "mean"), "greater") == 1 / 1_024
    assert exact_p(sb.PairedSet([1] * 10, [0] * 10, "mean"), "less") == 1
    assert exact_p(differences(np.ones(5))) == 0.0625
    assert exact_p(differences(np.ones(5)), "greater") == 0.03125


def test_darwins_zea_and_the_sleep_data():
    zea = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert exact_p(differences(zea)) == 1_726 / 32_768
    assert stats.ttest_1samp(zea, 0).pvalue == pytest.approx(0.0497029, abs=5e-8)
    sleep = [-1.2, -2.4, -1.3, -1.3, 0, -1, -1.8, -0.8, -4.6, -1.4]
    assert exact_p(differences(sleep)) == 0.00390625


def test_the_two_ones_are_close_to_the_exact_monte_carlo_p_value():
    # Phipson and Smyth 2010: 5 hits of 99 draws from 462 arrangements.
    cloud = swapped([1.0] * 5 + [0.0] * 94, 1.0)
    assert sb.p_randomization(cloud) == 0.06
    chances = np.arange(1, 463) / 462
    assert stats.binom.cdf(5, 99, chances).mean() == pytest.approx(0.05891775, abs=5e-9)


def test_a_constant_sample_has_intervals_without_width_and_says_so():
    cloud = quietly(sb.bootstrap, differences([7] * 35))
    assert sb.percentile_interval(cloud) == sb.basic_interval(cloud) == (7, 7)
    assert len(said(sb.bootstrap, differences([7] * 35))) == 1
    offered = stats.binomtest(20, 20).proportion_ci()
    assert (round(offered.low, 4), offered.high) == (0.8316, 1)


# Intervals ----------------------------------------------------------------------------------------

LEVELS = ["0.5", "0.8", "0.9", "0.95", "0.975", "0.98", "0.99", "0.995", "0.999", "0.05", "0.6827"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("B", [1, 2, 3, 19, 20, 39, 40, 99, 100, 199, 200, 999, 1_000, 1_001, 2_000, 10_000])
def test_the_ends_are_the_order_statistics_of_proposition_2(level, B):
    # d*_(k+1) and d*_(B-k), k = floor(B (1 - level)/2) in decimals.
    k = math.floor(B * (1 - Fraction(level)) / 2)
    assert k == int(B * (1 - Decimal(level)) / 2)
    order = np.random.default_rng(B).permutation(B) + 1.0
    cloud = resampled(order, 0.5)
    for given in (float(level), np.float64(level)):
        low, high = sb.percentile_interval(cloud, given)
        assert (low, high) == (k + 1, B - k) and type(low) is type(high) is float
        assert sb.basic_interval(cloud, given) == (1 - high, 1 - low)


def test_half_of_a_tenth_of_1000_is_50():
    cloud = resampled(np.arange(1, 1_001), 0.0)
    assert math.floor((1 - 0.9) / 2 * 1_000) == 49
    assert sb.percentile_interval(cloud, 0.9) == (51, 950)
    assert sb.percentile_interval(cloud, 1 - 0.1) == (51, 950)
    assert sb.percentile_interval(cloud, level=1 - 2 * 0.05) == (51, 950)


def test_the_ends_are_draws_and_not_numpys_interpolation():
    cloud = resampled([0, 1, 10, 100], 1)
    assert sb.percentile_interval(cloud, 0.5) == (1, 10)
    assert np.quantile(cloud.gaps, [0.25, 0.75]).tolist() == [0.75, 32.5]


def test_the_basic_interval_reflects_the_quantiles_through_the_gap():
    cloud = resampled([8.0] * 20 + [10.0] * 100 + [15.0] * 20, 10.0)
    assert sb.percentile_interval(cloud, 0.95) == (8, 15)
    assert sb.basic_interval(cloud, 0.95) == (5, 12)


@given(GAPS, st.integers(-5, 5))
def test_a_higher_level_contains_a_lower_one(gaps, d):
    cloud = resampled(gaps, d)
    for interval in INTERVALS:
        ends = [interval(cloud, level) for level in (0.5, 0.9, 0.95, 0.99, 0.999)]
        assert all(low <= high for low, high in ends)
        for (low, high), (lower, higher) in zip(ends, ends[1:]):
            assert lower <= low and high <= higher
        assert interval(cloud) == interval(cloud, 0.95)


@given(GAPS, st.integers(-5, 5), st.sampled_from(["0.01", "0.025", "0.05", "0.1", "0.2", "0.3"]))
def test_koehns_rule_inverts_the_percentile_and_the_recentered_rule_the_basic_interval(gaps, d, alpha):
    cloud, level = resampled(gaps, d), float(1 - 2 * Decimal(alpha))
    rejects = sb.p_koehn(cloud) <= float(alpha) + 1e-15
    assert rejects == (sb.percentile_interval(cloud, level)[0] > 0)
    rejects = sb.p_recentered(cloud) <= float(alpha) + 1e-15
    assert rejects == (sb.basic_interval(cloud, level)[0] > 0)
    rejects = sb.p_koehn(cloud, "less") <= float(alpha) + 1e-15
    assert rejects == (sb.percentile_interval(cloud, level)[1] < 0)
    rejects = sb.p_recentered(cloud, "less") <= float(alpha) + 1e-15
    assert rejects == (sb.basic_interval(cloud, level)[1] < 0)


@given(st.lists(st.integers(-8, 8), min_size=1, max_size=30), st.integers(-5, 5))
def test_on_a_symmetric_cloud_koehn_and_the_recentered_rule_agree(gaps, d):
    cloud = resampled([*gaps, *(2 * d - x for x in gaps)], d)
    assert sb.p_koehn(cloud) == sb.p_recentered(cloud)


def test_intervals_leave_the_cloud_in_its_order():
    gaps = np.random.default_rng(3).normal(size=500)
    cloud = resampled(gaps, 0.0)
    for interval in INTERVALS:
        interval(cloud, 0.9)
    assert np.array_equal(cloud.gaps, gaps)


# Stacks and ties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5,), (2, 3)])
def test_a_stack_gives_each_experiment_what_its_own_cloud_gives(shape):
    rng = np.random.default_rng(4)
    gaps, observed = rng.integers(-4, 9, (*shape, 7)).astype(float), rng.integers(-2, 4, shape) + 0.5
    scales = rng.uniform(0, 1e12, shape)
    for rule, kind in [(sb.p_randomization, "randomization"), *((x, "bootstrap") for x in (*BOOTSTRAP_RULES, *INTERVALS))]:
        stacked = np.array(rule(sb.Cloud(gaps, observed, kind, False, scales)))
        assert stacked.shape == (*((2,) if rule in INTERVALS else ()), *shape)
        for place in np.ndindex(shape):
            alone = rule(sb.Cloud(gaps[place], observed[place], kind, False, scales[place]))
            assert np.array_equal(stacked[(..., *place)], alone)


def test_a_stack_of_equal_gaps_brings_no_warnings():
    assert sb.p_sacrebleu(sb.Cloud(np.zeros((2, 9)), [0.0, 0.0], "bootstrap")).tolist() == [0.1, 0.1]


@pytest.mark.parametrize("d", [1.0, -1.0])
def test_gaps_a_rounding_away_from_a_tie_count_as_ties(d):
    # Scores of size 1, so that 1e-13 is rounding and 1e-11 is not.
    for off, ties in ((-1e-13, 1), (1e-13, 1), (-1e-11, 0), (1e-11, 1)):
        def cloud(at, kind):
            return sb.Cloud([at, 0.4 * d], d, kind, False, 1.0)

        outward = np.sign(d) * off
        assert sb.p_shifted(cloud(2 * d + outward, "bootstrap")) == (1 + ties) / 3
        assert sb.p_shifted(cloud(0 - outward, "bootstrap")) == (1 + ties) / 3
        assert sb.p_randomization(cloud(d + outward, "randomization")) == (1 + ties) / 3
        assert sb.p_randomization(cloud(-d - outward, "randomization")) == (1 + ties) / 3
        side = "greater" if d > 0 else "less"
        assert sb.p_randomization(cloud(d + outward, "randomization"), side) == (1 + ties) / 3
        assert sb.p_recentered(cloud(2 * d + outward, "bootstrap"), side) == ties / 2
        assert sb.p_koehn(cloud(0 - outward, "bootstrap"), side) == ties / 2


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [*BOOTSTRAP_RULES, *INTERVALS])
def test_bootstrap_rules_refuse_a_randomization_cloud(rule):
    with pytest.raises(ValueError, match="must be a bootstrap cloud, made by bootstrap; got a randomization cloud"):
        rule(swapped([0.0, 1.0]))


def test_the_randomization_rule_refuses_a_bootstrap_cloud():
    with pytest.raises(ValueError, match="must be a randomization cloud, made by randomize; got a bootstrap cloud"):
        sb.p_randomization(resampled([0.0, 1.0]))


@pytest.mark.parametrize("rule", [sb.p_randomization, *BOOTSTRAP_RULES, *INTERVALS])
@pytest.mark.parametrize("cloud", [None, [0.1, 0.2], np.ones(3), "cloud", sb.Cloud])
def test_rules_need_a_cloud(rule, cloud):
    with pytest.raises(ValueError, match="cloud must be a Cloud; got"):
        rule(cloud)


@pytest.mark.parametrize("alternative", ["two_sided", "twosided", "Greater", "", None, 1, ["greater"]])
def test_an_alternative_that_does_not_exist_is_refused_with_those_that_do(alternative):
    with pytest.raises(ValueError, match="alternative must be one of 'two-sided', 'greater', 'less'; got"):
        sb.p_randomization(swapped([0.0]), alternative)
    for rule in (sb.p_koehn, sb.p_recentered):
        with pytest.raises(ValueError, match="alternative must be one of 'greater', 'less'; got"):
            rule(resampled([0.0]), alternative)


def test_one_sided_rules_have_no_two_sided_form():
    for rule in (sb.p_koehn, sb.p_recentered):
        with pytest.raises(ValueError, match="'greater', 'less'; got 'two-sided'"):
            rule(resampled([0.0]), "two-sided")


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("level", [0, 1, 0.0, 1.0, -0.5, 1.5, np.nan, np.inf, None, "0.95", True, [0.95]])
def test_a_level_lies_between_0_and_1(interval, level):
    with pytest.raises(ValueError, match="level must be a number strictly between 0 and 1; got"):
        interval(resampled([0.0]), level)


@pytest.mark.parametrize("interval", INTERVALS)
def test_a_level_of_95_is_answered_with_095(interval):
    with pytest.raises(ValueError, match=r"got 95 \(write 0.95 for 95%\)"):
        interval(resampled([0.0]), 95)
