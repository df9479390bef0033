"""Chapter 6: statements by enumeration and integration, intervals by hand, figures, lab, claims."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven
from scipy import integrate, stats

import sigbook as sb
from sigbook.chapters import kink as chapter
from sigbook.clouds import Cloud
from sigbook.worlds import filings

ZETA = stats.norm.ppf(0.95)
H = (-6.0, -3.5, -3.2, -2.0, -1.0, -0.5, -0.1, 0.0, 0.1, 0.7, 2.0)


def covered(low, high, truth):
    return (low <= truth + 1e-12) & (truth - 1e-12 <= high)


def shown(h, places=40_001):
    """Distances that test sets show, a fine grid of equally likely ones."""
    return h + stats.norm.ppf((np.arange(places) + 0.5) / places)


def bend(x):
    return np.minimum(0.0, x)


# The proposition ---------------------------------------------------------------------------------

def sequences(n):
    """Every list of n coins, and for each of them every resample: longer outputs in both."""
    for coins in product((0, 1), repeat=n):
        yield sum(coins), [sum(coins[i] for i in chosen) for chosen in product(range(n), repeat=n)]


@pytest.mark.proves("prop-kink")
@pytest.mark.parametrize("n", [2, 3, 4])
def test_coins_are_counted_as_a_list_of_all_test_sets_and_resamples_counts_them(n):
    def term(k):
        c = n * (chapter.COIN_LENGTH - 1) + 2 * k
        return min(Fraction(0), 1 - Fraction(n * chapter.COIN_LENGTH, c))

    coins, t = chapter.coins(n), 0.3
    chance = np.zeros(n + 1)
    for k, resamples in sequences(n):
        chance[k] += 1 / 2**n
        steps = [float(term(j) - term(k)) for j in resamples]
        edge = coins.a * t / math.sqrt(n)
        assert coins.bootstrap_cdf(t)[k] == pytest.approx(np.mean([s <= edge for s in steps]))
        assert coins.atom[k] == pytest.approx(np.mean([s == 0 for s in steps]))
    np.testing.assert_allclose(coins.chance, chance)
    np.testing.assert_allclose(coins.u, [1 - n * 20 / (n * 19 + 2 * k) for k in range(n + 1)])


@pytest.mark.proves("prop-kink")
def test_the_brevity_term_has_half_a_normal_law_and_an_atom_in_the_limit():
    coins = chapter.coins(1_601)
    assert coins.law(0) - coins.law(-1e-9) == pytest.approx(0.5)
    for t in (-2.0, -1.0, -0.5, -0.1):
        assert coins.law(t) == pytest.approx(stats.norm.cdf(t), abs=0.01)
    assert coins.law(0.2) == pytest.approx(1)


@pytest.mark.proves("prop-kink")
@pytest.mark.parametrize("t", [0.25, 0.5, 1.0, 1.5])
def test_the_bootstrap_takes_one_of_two_values_and_the_wrong_one_on_the_stated_share(t):
    coins = chapter.coins(1_801)
    found = coins.bootstrap_cdf(t)
    wrong = coins.h < -t - 1e-9
    assert (found[~wrong] > 1 - 1e-9).all()
    likely = wrong & (coins.chance > 1e-6)
    np.testing.assert_allclose(found[likely], stats.norm.cdf(t), atol=0.02)
    for eps in (0.03, (1 - stats.norm.cdf(t)) / 2):
        share = coins.chance[found <= stats.norm.cdf(t) + eps].sum()
        assert share == pytest.approx(stats.norm.cdf(-t), abs=0.012)


def test_limits_are_approached_as_the_number_of_coins_grows():
    errors = [abs(chapter.coins(n).mean_atom()[0] - 3 / 8) for n in (25, 101, 401, 1_601)]
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.011
    spreads = [abs(chapter.coins(n).mean_atom()[1] - math.sqrt(29 / 192)) for n in (25, 401, 1_601)]
    assert spreads == sorted(spreads, reverse=True) and spreads[-1] < 0.011


@pytest.mark.proves("lem-atom")
def test_the_law_of_the_atom_by_fractions_by_integration_and_by_simulation():
    half = Fraction(1, 2)
    mean, square = (1 - half**2) / 2, (1 - half**3) / 3
    assert (mean, square - mean**2) == (Fraction(3, 8), Fraction(29, 192))

    for power, exact in ((1, mean), (2, square)):
        value, _ = integrate.quad(lambda w, k=power: stats.norm.cdf(w)**k * stats.norm.pdf(w), 0, 9)
        assert value == pytest.approx(float(exact), abs=1e-8)

    def limit(y):
        return np.where(y < 0, 0, np.where(y < 0.5, 0.5, np.minimum(y, 1)))

    for n in (100, 400):
        atom = np.sort(chapter.atoms(n, experiments=1_000, draws=400, seed=3))
        places = np.array([0.1, 0.3, 0.6, 0.75, 0.9])
        share = np.searchsorted(atom, places, side="right") / len(atom)
        np.testing.assert_allclose(share, limit(places), atol=0.06)


@pytest.mark.proves("lem-monotone")
@pytest.mark.parametrize("f", [bend, np.exp, np.floor, np.sign, lambda x: np.zeros_like(x)])
def test_percentile_intervals_commute_with_nondecreasing_maps(f):
    rng = np.random.default_rng(2)
    for draws in (1, 7, 99, 1_000):
        for values in (rng.normal(size=draws), rng.integers(-3, 3, draws).astype(float)):
            for level in (0.5, 0.9, 0.95):
                low, high = sb.percentile_interval(Cloud(values, 0.0, "bootstrap"), level)
                bent = sb.percentile_interval(Cloud(f(values), 0.0, "bootstrap"), level)
                assert bent == (f(np.array(low)), f(np.array(high)))


# Coverage in the limit ---------------------------------------------------------------------------

def quantiles(h, scale, zeta):
    """The 5% and 95% quantile of the bootstrapped step, where a test set shows h."""
    return (bend(scale * h + end) - bend(scale * h) for end in (-zeta, zeta))


@pytest.mark.proves("prop-kink-coverage")
@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
def test_limit_coverages_are_those_of_intervals_built_from_their_definition(level):
    zeta = stats.norm.ppf((1 + level) / 2)
    for h in (*H, -2 * zeta, -2 * zeta - 0.01, -2 * zeta + 0.01):
        x, truth = shown(h), min(0.0, h)
        assert np.mean(bend(x) == 0) == pytest.approx(chapter.limit_share(h), abs=1e-4)
        percentile = bend(x - zeta), bend(x + zeta)
        share = covered(*percentile, truth).mean()
        assert share == pytest.approx(chapter.limit_percentile(h, level), abs=2e-4)
        basic = 2 * bend(x) - percentile[1], 2 * bend(x) - percentile[0]
        share = covered(*basic, truth).mean()
        assert share == pytest.approx(chapter.limit_basic(h, level), abs=2e-4)


@pytest.mark.proves("prop-kink-coverage")
def test_limits_of_the_table_are_the_published_ones():
    percentile = [chapter.limit_percentile(h) for h in chapter.TABLE_H]
    np.testing.assert_allclose(percentile, [0.900, 0.900, 0.900, 0.950, 0.996], atol=5e-4)
    basic = [chapter.limit_basic(h) for h in chapter.TABLE_H]
    np.testing.assert_allclose(basic, [0.900, 0.6415, 0.549, 0.950, 0.996], atol=5e-4)


@pytest.mark.proves("prop-kink-coverage")
def test_test_sets_of_four_hundred_cover_as_the_limits_say():
    bent = chapter.one_kink(400, experiments=1_000, draws=400, seed=5)
    for h, row in zip(chapter.TABLE_H, chapter.over(bent, chapter.TABLE_H)):
        for name, limit in (("percentile", chapter.limit_percentile(h)),
                            ("basic", chapter.limit_basic(h))):
            error = math.sqrt(limit * (1 - limit) / row.experiments)
            assert abs(row.covers[name] - limit) < 4 * error + 0.005
        assert abs(row.zero - chapter.limit_share(h)) < 4 * 0.5 / math.sqrt(row.experiments)


@pytest.mark.proves("prop-beside")
def test_limit_coverages_of_rescaled_intervals_are_those_of_their_definition():
    for h in H:
        x, truth = shown(h), min(0.0, h)
        for scale in (0.0, 0.3, math.sqrt(22 / 100), 0.8, 1.0):
            low, high = quantiles(x, scale, ZETA)
            share = covered(bend(x) - high, bend(x) - low, truth).mean()
            assert share == pytest.approx(chapter.limit_basic(h, scale=scale), abs=2e-4)
        for gamma in (ZETA, 2.146, 3.0, np.inf):
            near = covered(bend(x), bend(x) + ZETA, truth)
            linear = covered(x - ZETA, x + ZETA, truth)
            right = np.where(x < -gamma, linear, np.where(x > gamma, truth == 0, near))
            found = chapter.limit_fang_santos(h, gamma=gamma)
            assert right.mean() == pytest.approx(found, abs=2e-4)
        percentile = bend(x - ZETA), bend(x + ZETA)
        basic = 2 * bend(x) - percentile[1], 2 * bend(x) - percentile[0]
        hull = np.minimum(percentile[0], basic[0]), np.maximum(percentile[1], basic[1])
        share = covered(*hull, truth).mean()
        assert share == pytest.approx(chapter.limit_percentile(h), abs=2e-4)


@pytest.mark.proves("prop-beside")
def test_simulated_repairs_follow_their_limits():
    bent = chapter.one_kink(100, experiments=2_000, draws=300, seed=6)
    at = (-3.0, -1.0, -0.5, 0.0, 1.0)
    for h, row in zip(at, chapter.over(bent, at)):
        for name, limit in (("m-out-of-n", chapter.limit_basic(h, scale=bent.scale)),
                            ("Fang-Santos", chapter.limit_fang_santos(h, gamma=bent.gamma)),
                            ("hull", chapter.limit_percentile(h))):
            assert abs(row.covers[name] - limit) < 0.035, (h, name)


def limit_of_pieces(weights, h, correlation, gamma, rng, sets=60_000):
    """Coverage in the limit by the pieces interval of sum weights_k min(0, u_k), by simulation."""
    terms = len(h)
    covariance = np.full((terms, terms), correlation) + (1 - correlation) * np.eye(terms)
    x = rng.multivariate_normal(h, covariance, size=sets)
    truth = weights @ bend(np.array(h))
    low, high = np.full(sets, np.inf), np.full(sets, -np.inf)
    for short in product((0, 1), repeat=terms):
        slope = weights * np.array(short)
        half = ZETA * math.sqrt(slope @ covariance @ slope)
        is_open = np.where(short, x <= gamma, x >= -gamma).all(axis=1)
        low[is_open] = np.minimum(low, x @ slope - half)[is_open]
        high[is_open] = np.maximum(high, x @ slope + half)[is_open]
    return covered(low, high, truth).mean()


@pytest.mark.proves("prop-pieces")
def test_the_pieces_interval_keeps_its_bound_at_every_distance_and_correlation_in_the_limit():
    rng = np.random.default_rng(7)
    lowest = 1.0
    for gamma in (1.5, 2.146):
        bound = 0.9 - stats.norm.cdf(-gamma)
        for h in H:
            found = limit_of_pieces(np.array([1.0]), [h], 0.0, gamma, rng)
            assert found > bound - 0.005
        bound = 0.9 - 2 * stats.norm.cdf(-gamma)
        for h1, h2 in product((-4.0, -2.0, -1.0, 0.0, 0.5, 2.0), repeat=2):
            for correlation in (-0.9, 0.0, 0.9):
                found = limit_of_pieces(np.array([1.0, -1.0]), [h1, h2], correlation, gamma, rng,
                                        20_000)
                assert found > bound - 0.009
                lowest = min(lowest, found)
    assert lowest < 0.905, "an interval that never comes near its level would be needlessly wide"


@pytest.mark.proves("prop-pieces")
def test_the_pieces_interval_keeps_its_bound_on_test_sets_of_a_hundred():
    for correlation in (0.0, 0.95):
        bent = chapter.two_kinks(correlation, experiments=600, draws=199, seed=8)
        at = [(-2.0, -2.0), (-1.0, 0.0), (-0.5, 0.5), (0.0, 0.0), (1.0, -3.0)]
        for row in chapter.over(bent, at):
            assert row.covers["pieces"] > 0.868 - 3.5 * row.error("pieces")


def test_limits_of_the_gap_of_two_penalties_agree_with_a_simulated_limit():
    rng = np.random.default_rng(9)
    for h1, h2, correlation in ((-1.0, 0.0, 0.8), (-5.0, 0.0, 0.5), (0.5, -0.5, 0.5)):
        covariance = [[1, correlation], [correlation, 1]]
        x = rng.multivariate_normal([h1, h2], covariance, size=3_000)
        step = rng.multivariate_normal([0, 0], covariance, size=4_000)
        star = bend(x[:, None] + step[None])
        cloud = Cloud(star[..., 0] - star[..., 1], bend(x[:, 0]) - bend(x[:, 1]), "bootstrap")
        truth = min(0, h1) - min(0, h2)
        limits = chapter.limit_gap(h1, h2, correlation)
        for name, rule in (("percentile", sb.percentile_interval), ("basic", sb.basic_interval)):
            share = covered(*rule(cloud, 0.9), truth).mean()
            assert share == pytest.approx(limits[name], abs=0.03)


def test_the_percentile_limit_of_a_gap_is_right_in_the_second_decimal():
    h1, h2, correlation = 1.0, 0.0, 0.95  # no penalty in truth: 0 is covered unless a side holds 95%
    shown = stats.norm.ppf(stats.qmc.Sobol(2, seed=1).random_base2(13))
    first = h1 + shown[:, 0]
    second = h2 + correlation * shown[:, 0] + np.sqrt(1 - correlation**2) * shown[:, 1]
    apart = 1 - correlation
    worse = stats.multivariate_normal(cov=[[1, apart], [apart, 2 * apart]])
    below, above = (worse.cdf(np.stack([-a, b - a], axis=1)) for a, b in ((first, second), (second, first)))
    share = np.mean((below <= 0.95) & (above <= 0.95))
    assert chapter.limit_gap(h1, h2, correlation)["percentile"] == pytest.approx(share, abs=0.003)


def test_the_percentile_limit_of_a_gap_does_not_depend_on_the_first_distance_while_it_is_short():
    found = [chapter.limit_gap(h, 0.0, 0.8, points=3_000)["percentile"] for h in (-5, -2, -0.5, -0.1)]
    assert max(found) - min(found) < 1e-9


# Intervals by hand -------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def two():
    return chapter.two_kinks(0.5, n=60, experiments=30, draws=199, seed=1).at(-1.0, 0.4)


def by_hand(values, level=0.9):
    ordered = np.sort(values)
    k = math.floor(round(len(values) * (1 - level) / 2, 9))
    return ordered[k], ordered[len(values) - 1 - k]


def test_six_intervals_of_a_gap_are_those_of_their_definition(two):
    found = chapter.intervals(two)
    root_m = two.scale
    for e in range(len(two.u)):
        u, star, few = two.u[e], two.u_star[e], two.u_few[e]
        observed = bend(u[0]) - bend(u[1])
        low, high = by_hand(bend(star[:, 0]) - bend(star[:, 1]))
        steps = by_hand(root_m * (bend(few[:, 0]) - bend(few[:, 1]) - observed))
        derivative = []
        for k in range(2):
            t, move = u[k] / star[:, k].std(), star[:, k] - u[k]
            slope = 0 * move if t > two.gamma else move if t < -two.gamma else bend(move)
            derivative.append(slope)
        slopes = by_hand(derivative[0] - derivative[1])
        ends = []
        for first, second in product("SL", repeat=2):
            closed = False
            total = 0
            for k, (side, sign) in enumerate(((first, 1), (second, -1))):
                t = u[k] / star[:, k].std()
                closed |= t > two.gamma if side == "S" else t < -two.gamma
                total = total + sign * (star[:, k] if side == "S" else np.zeros(len(star)))
            if not closed:
                ends.append(by_hand(total))
        expected = {
            "percentile": (low, high), "basic": (2 * observed - high, 2 * observed - low),
            "m-out-of-n": (observed - steps[1], observed - steps[0]),
            "Fang-Santos": (observed - slopes[1], observed - slopes[0]),
            "hull": (min(low, 2 * observed - high), max(high, 2 * observed - low)),
            "pieces": (min(end[0] for end in ends), max(end[1] for end in ends))}
        for name in chapter.INTERVALS:
            np.testing.assert_allclose([side[e] for side in found[name]], expected[name], atol=1e-9)


def test_the_hull_reaches_as_far_on_both_sides_as_the_longer_arm(two):
    found, observed = chapter.intervals(two), two.observed
    low, high = found["percentile"]
    inside = (low <= observed) & (observed <= high)
    arm = np.maximum(observed - low, high - observed)[inside]
    np.testing.assert_allclose(found["hull"][0][inside], observed[inside] - arm)
    np.testing.assert_allclose(found["hull"][1][inside], observed[inside] + arm)
    assert inside.sum() > 20


def test_moved_test_sets_are_the_test_sets_of_moved_numbers():
    rng = np.random.default_rng(4)
    x = chapter.normal_sets(50, 8, rng)
    moved = chapter.reduced(chapter.one_term, x - 0.7 / math.sqrt(50), 99, seed=3)
    bent = chapter.reduced(chapter.one_term, x, 99, seed=3).at(-0.7)
    for name in ("u", "u_star", "u_few", "error", "observed"):
        np.testing.assert_allclose(getattr(moved, name), getattr(bent, name), atol=1e-12)


def test_resampled_means_have_the_moments_of_the_bootstrap():
    rng = np.random.default_rng(5)
    x = chapter.normal_sets(40, 3, rng, 2, correlation=0.6)
    for size in (12, 40):
        means = chapter.resampled_means(x, 40_000, size, rng)
        np.testing.assert_allclose(means.mean(axis=1), x.mean(axis=1), atol=0.01)
        np.testing.assert_allclose(means.std(axis=1), x.std(axis=1) / math.sqrt(size), rtol=0.02)
        for e in range(3):
            expected = np.corrcoef(x[e].T)[0, 1]
            assert np.corrcoef(means[e].T)[0, 1] == pytest.approx(expected, abs=0.02)


def test_a_statistic_that_never_varies_at_its_kink_gets_a_point():
    bent = chapter.reduced(chapter.one_term, np.zeros((2, 10, 1)), 50, seed=1)
    for low, high in chapter.intervals(bent).values():
        np.testing.assert_array_equal(low, 0)
        np.testing.assert_array_equal(high, 0)


# Lengths and BLEU --------------------------------------------------------------------------------

def test_the_distance_is_the_delta_method_s():
    x = filings.statistics("lead")
    place = chapter.distance(x[:, 0], x[:, 1])
    c, r = x[:, 0].mean(), x[:, 1].mean()
    assert place.ratio == pytest.approx(c / r) and place.u == pytest.approx(1 - r / c)
    gradient = np.array([r / c**2, -1 / c])
    assert place.a**2 == pytest.approx(gradient @ np.cov(x[:, :2].T, ddof=0) @ gradient)
    rng = np.random.default_rng(1)
    means = chapter.resampled_means(x[None, :, :2].astype(float), 20_000, 90, rng)[0]
    spread = (1 - means[:, 1] / means[:, 0]).std()
    assert place.a / math.sqrt(90) == pytest.approx(spread, rel=0.03)
    assert place.h == pytest.approx(place.u * math.sqrt(90) / place.a)


def test_at_the_kink_a_is_the_spread_of_the_difference_over_the_common_length():
    c = np.array([20.0, 30.0, 25.0, 25.0])
    r = np.array([25.0, 25.0, 21.0, 29.0])
    assert chapter.distance(c, r).a == pytest.approx((c - r).std() / 25)


def test_lengths_that_never_differ_have_no_distance():
    with pytest.raises(ZeroDivisionError):
        chapter.distance([10, 20], [10, 20]).h


def test_notes_and_outlooks_add_up_as_the_tokenizer_counts_them():
    world = filings.generate(5, n=40, systems=("writer",))
    texts, references = world.summaries["writer"], world.references
    plain = sb.bleu_statistics(texts, references)
    words = [10 + i % 13 for i in range(40)]
    longer = [f"{reference} {' '.join(chapter.OUTLOOK_WORDS[:k])}"
              for reference, k in zip(references, words)]
    tuned = [f"{text} {chapter.TUNING}" for text in texts]
    notice = [f"{text} {chapter.NOTICE}" for text in tuned]
    expected = chapter.noted(plain, len(chapter.TUNING.split()))
    expected[:, 1] += words
    np.testing.assert_array_equal(sb.bleu_statistics(tuned, longer), expected)
    expected = chapter.noted(expected, len(chapter.NOTICE.split()))
    np.testing.assert_array_equal(sb.bleu_statistics(notice, longer), expected)
    assert len(chapter.OUTLOOK_WORDS) >= chapter.OUTLOOK[1]


@pytest.mark.parametrize("make", [chapter.tuned_and_notice, chapter.tuned_and_wordier])
@pytest.mark.parametrize("h", [-5.0, 0.0, 1.0])
def test_a_population_stands_where_it_was_placed_and_its_draws_have_its_moments(make, h):
    population = make(h)
    assert population.distance("a").h == pytest.approx(h, abs=1e-6)
    a, b = population.draw(2, np.random.default_rng(3), n=60_000)
    a, b = a.reshape(-1, 10), b.reshape(-1, 10)
    for system, x in (("a", a), ("b", b)):
        drawn, exact = chapter.distance(x[:, 0], x[:, 1]), population.distance(system)
        assert drawn.u == pytest.approx(exact.u, abs=0.002)
        assert drawn.a == pytest.approx(exact.a, rel=0.02)
    gap = sb.metrics.bleu(a.sum(axis=0)) - sb.metrics.bleu(b.sum(axis=0))
    assert gap == pytest.approx(population.truth, abs=0.001)
    assert (a[:, 1] == b[:, 1]).all() and (a[:, 2:6] == b[:, 2:6]).all()


def test_a_distance_out_of_reach_is_refused():
    with pytest.raises(ValueError, match="h must lie between .*; got 50"):
        chapter.tuned_and_notice(50)


def test_the_bent_bleu_gap_is_the_package_s_gap_and_its_cloud_the_package_s_cloud():
    population = chapter.tuned_and_notice(-0.5)
    a, b = population.draw(3, np.random.default_rng(2))
    bent = chapter.bleu_bent(a, b, draws=4_000, seed=1)
    for e in range(3):
        pairs = sb.PairedSet(a[e], b[e])
        assert bent.observed[e] == pytest.approx(pairs.gap, rel=1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sb.SignificanceWarning)
            cloud = sb.bootstrap(pairs, draws=4_000, seed=1)
        values = bent.cloud.gaps[e]
        assert stats.ks_2samp(values, cloud.gaps).pvalue > 0.001
        found = chapter.bleu_intervals(pairs, draws=4_000, seed=1)
        width = np.ptp(sb.percentile_interval(cloud, 0.9))
        for name, rule in (("percentile", sb.percentile_interval), ("basic", sb.basic_interval)):
            np.testing.assert_allclose(found[name], rule(cloud, 0.9), atol=0.08 * width)


def test_exchanged_outputs_are_the_same_outputs():
    a, b = chapter.tuned_and_notice(0.0).draw(4, np.random.default_rng(1))
    x, y = chapter.exchanged(a, b, np.random.default_rng(2))
    np.testing.assert_array_equal(x + y, a + b)
    moved = (x != a).any(axis=2).mean()
    assert 0.3 < moved < 0.7


def test_the_opening_s_test_sets_are_read_by_the_package():
    with pytest.warns(sb.SignificanceWarning, match="kink"):
        found = chapter.readings(chapter.tuned_and_notice(-0.5), 2, seed=2, draws=500)
    for one in found:
        assert one.percentile == sb.percentile_interval(one.cloud, 0.9)
        assert one.basic == sb.basic_interval(one.cloud, 0.9)
        assert one.cloud.observed == one.pairs.gap


# Tables and figures ------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def rows():
    return chapter.over(chapter.one_kink(50, 200, 99, seed=1), (-1.0, 0.0))


def test_tables_hold_the_rows(rows):
    for what in ("covers", "width"):
        lines = chapter.grid_text((-1.0, 0.0), rows, what).splitlines()
        assert lines[0].split() == ["h", *chapter.INTERVALS]
        for line, row in zip(lines[1:], rows):
            values = getattr(row, what)
            assert line.split()[1:] == [f"{values[name]:.3f}" for name in chapter.INTERVALS]
            assert len(line) <= 80
    found = chapter.worst((-1.0, 0.0), rows)
    for name in chapter.INTERVALS:
        assert found[name].value == min(row.covers[name] for row in rows)
        assert rows[(-1.0, 0.0).index(found[name].where)].covers[name] == found[name].value


def labelled(axis):
    return {line.get_label(): line.get_ydata() for line in axis.lines}


def test_the_figure_of_six_intervals_draws_the_rows(rows):
    left, right = chapter.draw_intervals((-1.0, 0.0), rows, 0.9, "se").axes
    for axis, what in ((left, "covers"), (right, "width")):
        for name in chapter.INTERVALS:
            expected = [getattr(row, what)[name] for row in rows]
            np.testing.assert_allclose(labelled(axis)[name], expected)


def test_the_coverage_figure_draws_limits_and_points(rows):
    h = np.array([-2.0, -1.0, 0.0, 1.0])
    limits = {"percentile": np.array([0.9, 0.9, 0.95, 0.99]),
              "basic": np.array([0.8, 0.6, 0.95, 1.0])}
    axis = chapter.draw_coverage(h, limits, (-1.0, 0.0), rows, 0.9).axes[0]
    for name, curve in limits.items():
        np.testing.assert_allclose(labelled(axis)[name], curve[:2])
    drawn = [container[0].get_ydata(orig=False) for container in axis.containers]
    for name, points in zip(limits, drawn):
        np.testing.assert_allclose(points, [row.covers[name] for row in rows])


def test_the_figure_of_two_penalties_draws_the_limits():
    limits = {c: [{"percentile": 0.8 + c / 10, "basic": 0.5}, {"percentile": 0.9, "basic": 0.7}]
              for c in (0.5, 0.8)}
    axes = chapter.draw_gap_of_terms((-1, 0), limits, 0.9).axes
    for axis, name in zip(axes, ("percentile", "basic")):
        for c, found in limits.items():
            expected = [row[name] for row in found]
            np.testing.assert_allclose(labelled(axis)[f"correlation {c}"], expected)


def test_the_atoms_are_drawn_as_distribution_functions():
    atoms = {100: np.array([0.0, 0.6, 0.0, 0.9])}
    axis = chapter.draw_atoms(atoms).axes[0]
    line = next(line for line in axis.lines if line.get_label() == "n = 100")
    np.testing.assert_allclose(line.get_xdata(), [0, 0, 0.6, 0.9])
    np.testing.assert_allclose(line.get_ydata(), [0.25, 0.5, 0.75, 1])


def test_the_opening_figure_draws_clouds_and_intervals():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        found = chapter.readings(chapter.tuned_and_notice(-0.5), 2, seed=2, draws=300)
    for axis, one in zip(chapter.draw_readings(found, 0.05).axes, found):
        heights = axis.patches[0].get_data().values
        assert heights.sum() == 300
        np.testing.assert_allclose(axis.lines[0].get_xdata(), one.percentile)
        np.testing.assert_allclose(axis.lines[1].get_xdata(), one.basic)


def test_the_bend_is_drawn():
    u = np.linspace(-2, 2, 5)
    left, right = chapter.draw_bend(u, bend(u), np.full(5, 0.2), 0.5).axes
    np.testing.assert_allclose(left.lines[0].get_ydata(), bend(u))
    np.testing.assert_allclose(right.lines[0].get_ydata(), 0.2)


# The lab -----------------------------------------------------------------------------------------

def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.kink_lab()
    rng = np.random.default_rng(8)
    settings = [("one", -0.5, 100, 0.9, 0), ("one", -6.0, 20, 0.8, 0), ("gap", 2.0, 200, 0.95, 50)]
    settings += [(str(rng.choice(["one", "noise", "gap"])), float(rng.integers(-24, 9)) / 4,
                  int(rng.choice(chapter.LAB_SIZES)), float(rng.choice(chapter.LAB_LEVELS)),
                  int(rng.integers(51))) for _ in range(5)]
    for wanted, cells, _ in driven(lab, settings):
        found = chapter.lab_coverage(*wanted)
        for name, row in zip(chapter.INTERVALS, np.reshape(cells, (-1, 4)), strict=True):
            assert row.tolist() == [name, f"{found.covers[name]:.3f}", f"{found.error(name):.3f}",
                                    f"{found.width[name]:.2f}"]


def test_the_lab_s_first_setting_is_the_package_s_percentile_and_basic_interval():
    bent = chapter.one_kink(100, chapter.LAB_EXPERIMENTS, chapter.LAB_DRAWS, seed=0).at(-0.5)
    found = chapter.lab_coverage("one", -0.5, 100, 0.9, 0)
    for name, rule in (("percentile", sb.percentile_interval), ("basic", sb.basic_interval)):
        assert found.covers[name] == covered(*rule(bent.cloud, 0.9), -0.5).mean()


def test_the_lab_refuses_an_unknown_statistic():
    with pytest.raises(ValueError, match="statistic"):
        chapter.lab_coverage("three", 0.0, 50, 0.9, 0)


# Claims of the text, on ten other seeds ----------------------------------------------------------

def test_the_basic_interval_covers_half_beside_the_kink_and_the_percentile_interval_its_level():
    def claim(seed):
        bent = chapter.one_kink(100, 400, 199, seed)
        far, near, on = chapter.over(bent, (-5.0, -0.5, 0.0))
        return (near.covers["basic"] < 0.65 and far.covers["basic"] > 0.85 < on.covers["basic"]
                and all(row.covers["percentile"] > 0.85 for row in (far, near, on)))
    holds_on_other_seeds(claim, label="basic and percentile near the kink")


def test_two_consistent_intervals_are_right_at_the_kink_and_worse_than_basic_beside_it():
    def claim(seed):
        bent = chapter.one_kink(100, 400, 199, seed)
        beside, on = chapter.over(bent, (-1.0, 0.0))
        return all(on.covers[name] > 0.9 and beside.covers[name] < beside.covers["basic"]
                   for name in ("m-out-of-n", "Fang-Santos"))
    holds_on_other_seeds(claim, label="m-out-of-n and Fang-Santos beside the kink")


def test_the_percentile_interval_covers_alike_at_every_distance_on_the_short_side():
    def claim(seed):
        found = chapter.over(chapter.one_kink(60, 100, 99, seed), (-4.0, -1.0, -0.25))
        return len({row.covers["percentile"] for row in found}) == 1
    holds_on_other_seeds(claim, label="percentile on the short side", least=10)


def test_the_atom_is_as_wide_at_four_hundred_segments_as_at_a_hundred():
    def claim(seed):
        spread = [chapter.atoms(n, 400, 100, seed).std() for n in (100, 400)]
        return all(abs(value - math.sqrt(29 / 192)) < 0.02 for value in spread)
    holds_on_other_seeds(claim, label="spread of the atom")


def test_a_little_noise_takes_the_percentile_interval_s_protection_away():
    def claim(seed):
        row = chapter.over(chapter.kink_and_noise(0.1, 100, 400, 199, seed), [0.0])[0]
        return row.covers["percentile"] < 0.86 < row.covers["basic"] and row.covers["hull"] > 0.86
    holds_on_other_seeds(claim, label="percentile with a little noise")


def test_the_gap_of_two_penalties_breaks_percentile_basic_and_hull_and_not_the_pieces():
    def claim(seed):
        row = chapter.over(chapter.two_kinks(0.95, 100, 400, 199, seed), [(-0.5, 0.0)])[0].covers
        low = max(row[name] for name in ("percentile", "basic", "hull"))
        return low < 0.875 and row["pieces"] > 0.88
    holds_on_other_seeds(claim, label="gap of two penalties")


def test_on_bleu_the_basic_interval_fails_beside_the_kink_and_the_percentile_interval_on_it():
    beside, on = chapter.tuned_and_notice(-0.5), chapter.tuned_and_notice(0.0)

    def claim(seed):
        first, second = (chapter.bleu_coverage(x, 250, 199, seed).covers for x in (beside, on))
        return (first["basic"] < 0.68 and first["percentile"] > 0.83
                and second["percentile"] < 0.87 and min(first["pieces"], second["pieces"]) > 0.83)
    holds_on_other_seeds(claim, label="BLEU near its kink")


def test_two_tuned_systems_that_differ_by_less_than_a_word_break_the_basic_interval():
    population = chapter.tuned_and_wordier(-0.5)

    def claim(seed):
        row = chapter.bleu_coverage(population, 150, 99, seed).covers
        return row["basic"] < 0.25 and row["pieces"] > 0.86
    holds_on_other_seeds(claim, label="two tuned systems")


def test_the_opening_s_two_intervals_disagree_on_many_test_sets():
    population = chapter.tuned_and_notice(-0.5)

    def claim(seed):
        rng = np.random.default_rng(seed)
        bent = chapter.bleu_bent(*population.draw(200, rng), 199, rng)
        found = chapter.intervals(bent)
        only = covered(*found["percentile"], population.truth) & (found["basic"][0] > 0.053)
        return only.mean() > 0.15
    holds_on_other_seeds(claim, label="percentile covers, basic lies above the limit")


def test_randomization_keeps_its_level_on_the_kink():
    population = chapter.tuned_and_notice(0.0)

    def claim(seed):
        rng = np.random.default_rng(seed)
        a, b = chapter.exchanged(*population.draw(300, rng), rng)
        p = sb.p_randomization(sb.clouds.randomize_stack(a, b, "bleu", draws=199, seed=rng))
        return np.mean(p <= 0.05) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)
    holds_on_other_seeds(claim, label="randomization on the kink")


def test_equal_lengths_do_little_harm():
    fresh = filings.fresh("bleu")
    twins = chapter.placed(*(chapter.noted(fresh[x], 3) for x in ("writer", "noisy-0.3")), -0.5)

    def claim(seed):
        row = chapter.bleu_coverage(twins, 200, 199, seed).covers
        return min(row["percentile"], row["basic"]) > 0.83
    holds_on_other_seeds(claim, label="equal lengths")


def test_without_a_variance_even_the_percentile_interval_fails_far_from_the_kink():
    def claim(seed):
        rng = np.random.default_rng(seed)
        heavy = rng.pareto(1.5, size=(400, 100, 1)) - 2
        row = chapter.over(chapter.reduced(chapter.one_term, heavy, 199, rng), [-1e6])[0]
        return row.covers["percentile"] < 0.8
    holds_on_other_seeds(claim, label="infinite variance")


def test_the_basic_interval_never_covers_when_the_penalty_is_one_and_the_truth_is_short():
    def claim(seed):
        near = chapter.one_kink(100, 300, 99, seed).at(-0.5)
        off = near.observed == 0
        low, high = chapter.intervals(near)["basic"]
        return off.any() and not covered(low[off], high[off], -0.5).any()
    holds_on_other_seeds(claim, label="basic interval at a penalty of 1", least=10)


def test_the_symmetric_interval_covers_too_little_beside_the_kink():
    def claim(seed):
        near = chapter.one_kink(100, 800, 199, seed).at(-0.5)
        reach = np.sort(np.abs(near.cloud.gaps - near.observed[:, None]), axis=1)
        return np.mean(np.abs(near.observed + 0.5) <= reach[:, 179]) < 0.875
    holds_on_other_seeds(claim, label="symmetric interval")
