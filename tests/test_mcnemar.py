"""McNemar's test against enumeration, SciPy, statsmodels and published counts; its exact power."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom, binomtest, norm
from statsmodels.stats.contingency_tables import mcnemar as peer

from sigbook.clouds import randomize
from sigbook.mcnemar import mcnemar, mcnemar_power, mcnemar_sample_size
from sigbook.pairs import PairedSet
from sigbook.rules import p_randomization

METHODS = ("exact", "midp", "chi2", "corrected")
EVERY = (*METHODS, "anytime")
COUNTS = st.integers(0, 60)


def refused(message, function, *arguments, **options):
    with pytest.raises(ValueError) as caught:
        function(*arguments, **options)
    assert message in str(caught.value)


# The test ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", EVERY)
def test_without_discordant_pairs_p_is_1(method):
    assert mcnemar(0, 0, method) == 1.0


@pytest.mark.parametrize(
    ("n10", "n01", "expected"),
    [
        (10, 10, (1.0, 0.9119015, 1.0, 1.0)),
        (7, 1, (0.0703125, 0.0390625, 0.0338949, 0.0770999)),
        (0, 5, (0.0625, 0.03125, 0.0253473, 0.0736383)),
        (11, 1, (0.00634765625, 0.0034180, 0.0038924, 0.0093747685)),
    ],
)
def test_four_methods_on_the_published_counts(n10, n01, expected):
    found = [mcnemar(n10, n01, method) for method in METHODS]
    assert found == pytest.approx(expected, abs=5e-8)
    assert found == [mcnemar(n01, n10, method) for method in METHODS]


def test_the_correction_does_not_cross_zero():
    for n in (1, 2, 10, 500):
        assert mcnemar(n, n, "corrected") == 1.0
        assert mcnemar(n + 1, n, "corrected") == 1.0


def test_nested_outcomes_leave_ten_discordant_items():
    # On 100 items A is right on 1-80, B on 1-70: an unpaired z test would say 0.10.
    right_a, right_b = np.arange(100) < 80, np.arange(100) < 70
    n10, n01 = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    assert mcnemar(n10, n01) == pytest.approx(2 / 1024)
    pooled = 0.75
    z = 0.1 / math.sqrt(2 * pooled * (1 - pooled) / 100)
    assert 2 * norm.sf(z) == pytest.approx(0.10, abs=0.005)


@pytest.mark.parametrize(
    ("n10", "n01", "p"),
    [(295, 88, (0, 1e-6)), (82, 33, (5.5e-6, 5.7e-6)), (108, 101, (0.6775, 0.6785)),
     (119, 33, (0, 1e-6))],
)
def test_the_tone_tables_of_the_source(n10, n01, p):
    assert p[0] <= mcnemar(n10, n01) <= p[1]


@given(COUNTS, COUNTS)
def test_exact_is_the_two_sided_binomial_test(n10, n01):
    assume(n10 + n01 > 0)
    assert mcnemar(n10, n01) == pytest.approx(binomtest(n10, n10 + n01).pvalue, rel=1e-9)


@given(COUNTS, COUNTS)
def test_statsmodels_agrees(n10, n01):
    assume(n10 + n01 > 0)
    table = [[1, n10], [n01, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exact = peer(table, exact=True).pvalue
        chi2 = peer(table, exact=False, correction=False).pvalue
        corrected = peer(table, exact=False, correction=True).pvalue
    assert mcnemar(n10, n01) == pytest.approx(min(exact, 1.0), rel=1e-9)
    assert mcnemar(n10, n01, "chi2") == pytest.approx(chi2, rel=1e-9)
    if n10 != n01:  # there statsmodels lets the correction cross zero
        assert mcnemar(n10, n01, "corrected") == pytest.approx(corrected, rel=1e-9)


def by_counting(n10, n01, tie):
    """P(abs(X - n_d/2) beyond the observed) + tie * P(equal), X ~ Bin(n_d, 1/2), in fractions."""
    n_d, gap = n10 + n01, abs(n10 - n01)
    total = Fraction(0)
    for x in range(n_d + 1):
        distance = abs(2 * x - n_d)
        weight = 1 if distance > gap else tie if distance == gap else 0
        total += Fraction(math.comb(n_d, x), 2**n_d) * weight
    return total


@given(st.integers(0, 25), st.integers(0, 25))
def test_exact_and_midp_by_counting_outcomes(n10, n01):
    assume(n10 + n01 > 0)
    assert mcnemar(n10, n01) == float(by_counting(n10, n01, 1))
    midp = by_counting(n10, n01, Fraction(1, 2))
    assert mcnemar(n10, n01, "midp") == pytest.approx(float(midp), rel=1e-14)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
@settings(max_examples=40)
def test_exact_is_randomization_of_the_accuracy_gap(n10, n01, agree):
    assume(0 < n10 + n01 <= 12)
    a = np.repeat([1, 0, 1], [n10, n01, agree])
    b = np.repeat([0, 1, 1], [n10, n01, agree])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cloud = randomize(PairedSet(a, b, "mean"), draws="all")
    assert p_randomization(cloud) == mcnemar(n10, n01)


@pytest.mark.parametrize(
    ("n10", "n01"), [(620, 381), (500, 501), (501, 500), (700, 500), (10_100, 9_800)]
)
def test_large_counts_keep_twelve_digits(n10, n01):
    n_d, least = n10 + n01, min(n10, n01)
    term, tail = 1, 0
    for i in range(least + 1):
        tail += term
        term = term * (n_d - i) // (i + 1)
    exact = min(1.0, 2 * tail / 2**n_d)
    assert mcnemar(n10, n01) == pytest.approx(exact, rel=1e-12)
    below = 2 * (tail - math.comb(n_d, least)) / 2**n_d
    assert mcnemar(n10, n01, "midp") == pytest.approx((2 * tail / 2**n_d + below) / 2, rel=1e-12)


def test_a_billion_segments_take_no_longer_than_a_thousand():
    n10, n01 = 10**9, 10**9 - 313_050
    n_d = n10 + n01
    tail, outcome = norm.sf(313_050 / math.sqrt(n_d)), 2 * norm.pdf(313_050 / math.sqrt(n_d)) / math.sqrt(n_d)
    for method in METHODS:
        assert mcnemar(n10, n01, method) == pytest.approx(2 * tail, rel=1e-3)
    assert mcnemar(n10, n01, "anytime") == pytest.approx(n_d * outcome, rel=1e-3)


@given(st.integers(0, 300), st.integers(0, 300))
def test_p_falls_as_the_counts_part_and_the_methods_keep_their_order(n10, n01):
    least, most = sorted((n10, n01))
    p = {method: mcnemar(least, most, method) for method in EVERY}
    assert all(0.0 <= value <= 1.0 for value in p.values())
    assert p["midp"] <= p["exact"] <= p["anytime"] + 1e-12 and p["chi2"] <= p["corrected"]
    if least:
        for method in EVERY:
            assert mcnemar(least - 1, most + 1, method) <= p[method]


@pytest.mark.parametrize("n", [1, 7, 500, 501, 999, 4_321, 50_000])
def test_counts_that_differ_by_one_have_a_p_of_exactly_1(n):
    assert mcnemar(n, n) == mcnemar(n + 1, n) == mcnemar(n, n + 1) == 1.0


def test_a_microscopic_p_is_not_zero():
    assert 0.0 < mcnemar(1_000, 0) < 1e-300


@pytest.mark.parametrize("count", [-1, 2.0, "3", None, True, np.nan, [1]])
def test_counts_are_integers_from_0(count):
    refused("n10 must be an integer from 0 to 1000000000; got ", mcnemar, count, 3)
    refused("n01 must be an integer from 0 to 1000000000; got ", mcnemar, 3, count)


def test_an_unknown_method_is_refused():
    refused(
        "method must be one of 'exact', 'midp', 'chi2', 'corrected', 'anytime'; got 'fisher'",
        mcnemar, 3, 1, "fisher",
    )  # fmt: skip


@pytest.mark.parametrize(("n10", "n01", "expected"), [
    (7, 1, Fraction(9, 32)), (5, 5, Fraction(1)), (1, 0, Fraction(1)), (0, 9, Fraction(10, 512)),
    (20, 4, Fraction(25 * math.comb(24, 4), 2**24)),
])  # fmt: skip
def test_the_p_that_may_be_looked_at_any_time_is_a_ratio_of_likelihoods(n10, n01, expected):
    assert mcnemar(n10, n01, "anytime") == float(expected) == mcnemar(n01, n10, "anytime")


def test_large_counts_of_the_anytime_p_agree_with_whole_numbers():
    for n10, n01 in ((620, 400), (700, 500), (3_000, 2_600)):
        n_d = n10 + n01
        exact = Fraction((n_d + 1) * math.comb(n_d, n01), 2**n_d)
        assert mcnemar(n10, n01, "anytime") == pytest.approx(min(1.0, float(exact)), rel=1e-9)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
def test_looking_after_every_segment_keeps_the_level_of_the_anytime_p_and_of_no_other(alpha):
    def ever(method, segments):
        alive, stopped = {0: Fraction(1)}, Fraction(0)
        for n in range(1, segments + 1):
            coming = {}
            for wins, chance in alive.items():
                for after in (wins, wins + 1):
                    coming[after] = coming.get(after, Fraction(0)) + chance / 2
            rejected = {w for w in coming if mcnemar(w, n - w, method) <= alpha}
            stopped += sum((coming[w] for w in rejected), Fraction(0))
            alive = {w: chance for w, chance in coming.items() if w not in rejected}
        return stopped

    assert 0 < ever("anytime", 60) <= Fraction(str(alpha)) < ever("exact", 60)


# Power ---------------------------------------------------------------------------------------


def power_by_enumeration(n, p10, p01, alpha):
    """Sum over (n10, n01) of the multinomial probability times whether mcnemar rejects."""
    total = Fraction(0)
    for n10 in range(n + 1):
        for n01 in range(n - n10 + 1):
            if by_counting(n10, n01, 1) <= alpha or (n10 + n01 == 0 and alpha >= 1):
                ways = math.comb(n, n10) * math.comb(n - n10, n01)
                rest = (1 - p10 - p01) ** (n - n10 - n01)
                total += ways * p10**n10 * p01**n01 * rest
    return total


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 16), Fraction(1, 128), Fraction(2, 5)])
@pytest.mark.parametrize(
    ("p10", "p01"),
    [("0.3", "0.15"), ("0.6", "0.4"), ("0.2", "0"), ("0", "1"), ("0.25", "0.25"), ("0.9", "0.05")],
)
def test_power_by_enumerating_every_outcome(p10, p01, alpha):
    for n in (0, 1, 5, 6, 14):
        exact = power_by_enumeration(n, Fraction(p10), Fraction(p01), alpha)
        found = mcnemar_power(n, float(p10), float(p01), float(alpha))
        assert found == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("n", "alpha"), [(103, 1e-30), (120, 1e-30), (300, 1e-60), (250, 1e-74), (300, 5e-324)])
def test_minute_levels_reject_the_outcomes_with_so_small_a_p(n, alpha):
    chances = binom.pmf(np.arange(n + 1), n, 0.97)
    rejected = [mcnemar(x, n - x) <= alpha for x in range(n + 1)]
    assert mcnemar_power(n, 0.97, 0.03, alpha) == pytest.approx(chances[rejected].sum(), rel=1e-9)
    assert any(rejected) == (alpha > 1e-100)
    assert mcnemar_power(50, 0.3, 0.1, alpha) == 0.0


def test_a_p_value_that_meets_the_level_rejects():
    # Then the size of the test is that p-value itself, if every segment is discordant.
    for n in range(1, 40):
        for least in range((n + 1) // 2):
            p = mcnemar(n - least, least)
            assert p == 1.0 or mcnemar_power(n, 0.5, 0.5, alpha=p) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "power", "digits"),
    [
        ((500, 0.0225, 0.0025), 0.797577, 5e-7),
        ((155, 0.30, 0.15), 0.7738, 5e-5),
        ((1500, 108 / 1500, 101 / 1500), 0.067, 5e-4),
    ],
)
def test_published_powers(arguments, power, digits):
    assert mcnemar_power(*arguments) == pytest.approx(power, abs=digits)


def test_the_mid_p_power_beside_it_in_the_connor_example():
    # The same sum with mid-p's rejection region: 0.8050 where the exact test has 0.7738.
    n, p10, p01 = 155, 0.30, 0.15
    p_d = p10 + p01
    total = 0.0
    for k in range(n + 1):
        pmf = math.comb(n, k) * p_d**k * (1 - p_d) ** (n - k)
        for x in range(k + 1):
            if mcnemar(x, k - x, "midp") <= 0.05 and k:
                total += pmf * math.comb(k, x) * (p10 / p_d) ** x * (p01 / p_d) ** (k - x)
    assert total == pytest.approx(0.8050, abs=5e-5)


def test_power_is_the_rejection_rate_of_simulated_test_sets():
    rng = np.random.default_rng(0)
    n, p10, p01, sets = 120, 0.2, 0.1, 20_000
    counts = rng.multinomial(n, [p10, p01, 1 - p10 - p01], size=sets)[:, :2]
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    rejected = sum(t for (x, y), t in zip(kinds, times) if mcnemar(int(x), int(y)) <= 0.05)
    exact = mcnemar_power(n, p10, p01)
    assert binomtest(int(rejected), sets, exact).pvalue > 1e-3


def test_a_hundred_thousand_segments_keep_eleven_digits():
    # Independent sum with SciPy's binomial distribution over a far wider window.
    n, p10, p01, alpha = 100_000, 0.0105, 0.0095, 0.05
    p_d = p10 + p01
    k = np.arange(1_000, 3_000)
    low = binom.ppf(alpha / 2, k, 0.5)
    critical = np.where(2 * binom.cdf(low, k, 0.5) <= alpha, low, low - 1)
    given_k = binom.cdf(critical, k, p10 / p_d) + binom.sf(k - critical - 1, k, p10 / p_d)
    expected = float((binom.pmf(k, n, p_d) * given_k).sum())
    assert mcnemar_power(n, p10, p01, alpha) == pytest.approx(expected, abs=1e-11)


@given(st.integers(0, 3_000), st.floats(0, 1), st.floats(0, 1), st.floats(1e-6, 0.5))
def test_power_is_symmetric_grows_with_alpha_and_bounds_the_size(n, share, size, alpha):
    p10, p01 = share * size, (1 - share) * size
    assume(p10 + p01 <= 1)
    power = mcnemar_power(n, p10, p01, alpha)
    assert 0.0 <= power <= 1.0
    assert power == pytest.approx(mcnemar_power(n, p01, p10, alpha), abs=1e-12)
    assert mcnemar_power(n, p10, p01, alpha / 3) <= power + 1e-12
    assert mcnemar_power(n, size / 2, size / 2, alpha) <= alpha + 1e-12


def test_the_saw_teeth_of_an_all_discordant_test():
    powers = {n: mcnemar_power(n, 0.6, 0.4) for n in range(150, 260)}
    reached = [n for n, power in powers.items() if power >= 0.8]
    missed = [n for n, power in powers.items() if power < 0.8]
    assert reached[0] == 199
    assert [n for n in missed if n > 199] == [200, 202, 205, 207, 209]
    assert powers[200] < powers[199]


def test_no_saw_teeth_where_few_pairs_are_discordant():
    powers = [mcnemar_power(n, 0.30, 0.15) for n in range(120, 220)]
    assert all(b > a for a, b in zip(powers, powers[1:]))


@pytest.mark.parametrize("n", [-1, 10.0, None, "10", True])
def test_power_refuses_what_is_no_number_of_segments(n):
    refused("n must be an integer from 0 to 100000000; got ", mcnemar_power, n, 0.3, 0.1)


@pytest.mark.parametrize("function", [lambda p, q: mcnemar_power(100, p, q), mcnemar_sample_size])
def test_impossible_probabilities_are_refused(function):
    for value in (-0.1, 1.1, np.nan, "0.1", None, True):
        refused("p10 must be a number from 0 to 1; got ", function, value, 0.1)
        refused("p01 must be a number from 0 to 1; got ", function, 0.1, value)
    refused("p10 + p01 must be at most 1; got 0.7 + 0.4 = 1.1", function, 0.7, 0.4)


def test_rounding_in_a_sum_of_one_is_no_error():
    p10 = 0.7 + 2**-52
    assert p10 + 0.3 > 1
    assert mcnemar_power(50, p10, 0.3) == pytest.approx(mcnemar_power(50, 0.7, 0.3))
    for method in ("connor", "exact"):
        assert mcnemar_sample_size(p10, 0.3, method=method) == mcnemar_sample_size(0.7, 0.3, method=method)


@pytest.mark.parametrize("alpha", [0, 1, 5, -0.05, None, "0.05", np.nan])
def test_power_and_sample_size_refuse_a_level_outside_0_and_1(alpha):
    message = "alpha must be a number strictly between 0 and 1; got "
    refused(message, mcnemar_power, 10, 0.3, 0.1, alpha)
    refused(message, mcnemar_sample_size, 0.3, 0.1, 0.8, alpha)


# Sample size ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p10", "p01", "n"),
    [
        (0.45, 0.05, 23),  # 22.01, rounded up
        (0.30, 0.15, 155),  # 154.6
        (295 / 1500, 88 / 1500, 103),
        (82 / 1500, 33 / 1500, 562),
        (108 / 1500, 101 / 1500, 50_215),
        (119 / 1500, 33 / 1500, 240),
    ],
)
def test_connors_sample_size_on_the_published_cells(p10, p01, n):
    found = mcnemar_sample_size(p10, p01)
    assert found == n and type(found) is int
    assert mcnemar_sample_size(p01, p10) == n


@pytest.mark.parametrize("alpha", [1e-10, 1e-17, 1e-30, 1e-300])
def test_minute_levels_have_connor_sizes_too(alpha):
    p10, p01 = 0.3, 0.1
    z = norm.isf(alpha / 2) * math.sqrt(0.4) + norm.isf(0.2) * math.sqrt(0.4 - 0.2**2)
    assert mcnemar_sample_size(p10, p01, alpha=alpha) == math.ceil((z / 0.2) ** 2)


@pytest.mark.parametrize("effect", [1e-3, 1e-5, 1e-7])
def test_connor_sizes_of_many_segments_keep_eleven_digits(effect):
    p10, p01 = 0.25 + effect, 0.25
    z = norm.isf(0.025) * math.sqrt(p10 + p01) + norm.isf(0.2) * math.sqrt(p10 + p01 - (p10 - p01) ** 2)
    assert mcnemar_sample_size(p10, p01) == pytest.approx((z / (p10 - p01)) ** 2, rel=3e-12, abs=1)


def test_connors_formula_is_rounded_up_not_to_the_nearest():
    p10, p01 = 0.45, 0.05
    z = norm.ppf(0.975) * math.sqrt(0.5) + norm.ppf(0.8) * math.sqrt(0.5 - 0.4**2)
    assert (z / 0.4) ** 2 == pytest.approx(22.01, abs=0.005)
    assert mcnemar_sample_size(p10, p01) == math.ceil((z / 0.4) ** 2)


def test_the_exact_power_at_connors_size_falls_short():
    found = {
        (p10, p01): mcnemar_power(mcnemar_sample_size(p10, p01), p10, p01)
        for p10, p01 in [(0.45, 0.05), (0.30, 0.15), (0.0225, 0.0025)]
    }
    assert all(0.75 < power < 0.8 for power in found.values()), found


def brute_first_that_stays(p10, p01, power, alpha, last):
    misses = [n for n in range(last + 1) if mcnemar_power(n, p10, p01, alpha) < power - 1e-12]
    assert misses[-1] < last - 50
    return misses[-1] + 1


@pytest.mark.parametrize(
    ("p10", "p01", "power", "alpha"),
    [
        (0.6, 0.4, 0.8, 0.05),
        (0.30, 0.15, 0.8, 0.05),
        (0.45, 0.05, 0.9, 0.01),
        (0.5, 0.0, 0.8, 0.05),
        (1.0, 0.0, 0.8, 0.05),
        (0.7, 0.3, 0.5, 0.10),
        (0.05, 0.55, 0.95, 0.05),
        (0.2, 0.1, 0.05, 0.05),
    ],
)
def test_the_exact_size_is_the_first_from_which_power_stays(p10, p01, power, alpha):
    n = mcnemar_sample_size(p10, p01, power, alpha, "exact")
    assert type(n) is int
    assert n == brute_first_that_stays(p10, p01, power, alpha, last=3 * n + 200)


def test_reaching_the_target_is_not_staying_there():
    assert mcnemar_sample_size(0.30, 0.15, method="exact") == 166
    assert mcnemar_power(165, 0.30, 0.15) < 0.8 <= mcnemar_power(166, 0.30, 0.15)
    assert mcnemar_sample_size(0.6, 0.4, method="exact") == 210  # reached first at 199


@pytest.mark.parametrize("p10", [0.1, 1e-3, 1e-6])
def test_where_only_one_system_ever_wins_the_size_is_that_of_six_wins(p10):
    n = mcnemar_sample_size(p10, 0.0, method="exact")
    assert binom.sf(5, n - 1, p10) < 0.8 <= binom.sf(5, n, p10)


def test_a_power_that_meets_the_target_exactly_counts():
    # P(Bin(11, 1/2) >= 6) is one half.
    assert mcnemar_power(11, 0.5, 0.0) == pytest.approx(0.5, abs=1e-13)
    assert mcnemar_sample_size(0.5, 0.0, power=0.5, method="exact") == 11


def test_the_near_tie_of_the_source_needs_some_fifty_thousand():
    p10, p01 = 108 / 1500, 101 / 1500
    n = mcnemar_sample_size(p10, p01, method="exact")
    assert 50_215 < n < 51_000
    assert mcnemar_power(n - 1, p10, p01) < 0.8 <= mcnemar_power(n, p10, p01)
    rng = np.random.default_rng(1)
    later = n + rng.integers(0, 30_000, size=200)
    assert min(mcnemar_power(int(m), p10, p01) for m in later) >= 0.8


@given(
    st.floats(0.02, 0.98), st.floats(0.1, 1), st.floats(0.3, 0.95), st.floats(0.001, 0.2),
)
@settings(max_examples=60)
def test_the_bound_behind_stays_holds_wherever_it_is_tried(lean, p_d, power, alpha):
    assume(abs(lean - 0.5) > 0.08)
    p10, p01 = lean * p_d, (1 - lean) * p_d
    n = mcnemar_sample_size(p10, p01, power, alpha, "exact")
    assert n == 1 or mcnemar_power(n - 1, p10, p01, alpha) < power
    for later in [*range(n, n + 60), 2 * n, 3 * n + 1, 5 * n, 10 * n]:
        assert mcnemar_power(later, p10, p01, alpha) >= power - 1e-11


@pytest.mark.parametrize("method", ["connor", "exact"])
def test_sample_size_refuses_what_cannot_be(method):
    refused(
        "p10 and p01 must differ, or no sample size is enough; got 0.2 for both",
        mcnemar_sample_size, 0.2, 0.2, method=method,
    )  # fmt: skip
    refused("p10 and p01 must differ", mcnemar_sample_size, 0, 0, method=method)
    for power in (0, 1, 80, -0.2, None, "0.8"):
        refused(
            "power must be a number strictly between 0 and 1; got ",
            mcnemar_sample_size, 0.3, 0.1, power, method=method,
        )  # fmt: skip
    refused("(write 0.8 for 80%)", mcnemar_sample_size, 0.3, 0.1, 80)


def test_sample_size_refuses_an_unknown_method_and_a_hopeless_table():
    refused("method must be one of 'connor', 'exact'; got 'miettinen'", mcnemar_sample_size,
            0.3, 0.1, method="miettinen")
    refused("use method='connor'", mcnemar_sample_size, 0.5, 0.499, method="exact")
    assert mcnemar_sample_size(0.5, 0.499) == pytest.approx(7.84e6, rel=1e-3)


@given(st.floats(0.0, 0.45), st.floats(0.46, 0.55), st.floats(0.2, 0.9), st.floats(0.01, 0.2))
def test_connors_size_grows_with_power_and_falls_with_alpha(p01, p10, power, alpha):
    n = mcnemar_sample_size(p10, p01, power, alpha)
    assert n <= mcnemar_sample_size(p10, p01, (1 + power) / 2, alpha)
    assert n <= mcnemar_sample_size(p10, p01, power, alpha / 2)


def test_no_power_asked_for_needs_one_segment():
    assert mcnemar_sample_size(0.4, 0.3, power=0.001) == 1
    assert mcnemar_sample_size(0.4, 0.3, power=1e-13, method="exact") == 1


def test_two_segments_are_enough_where_one_is_not():
    # Two wins out of two have p = 1/2, one out of one has p = 1.
    assert mcnemar(2, 0) == 0.5 and mcnemar(1, 0) == 1.0
    assert mcnemar_sample_size(1.0, 0.0, power=0.9, alpha=0.6, method="exact") == 2


@pytest.mark.parametrize("n", range(2, 60))
def test_connors_size_that_is_a_whole_number_is_not_raised_by_rounding(n):
    # When B never wins and all segments are discordant, the size is the squared normal quantile.
    assert mcnemar_sample_size(1.0, 0.0, alpha=2 * norm.sf(math.sqrt(n))) == n
    assert mcnemar_sample_size(1.0, 0.0, alpha=2 * norm.sf(math.sqrt(n + 1e-6))) == n + 1


def test_numbers_of_segments_beyond_any_test_set_are_refused():
    refused("n must be an integer from 0 to 100000000; got 100000001", mcnemar_power, 10**8 + 1, 0.1, 0.2)
    for name, counts in (("n10", (10**9 + 1, 0)), ("n01", (0, 10**9 + 1))):
        refused(f"{name} must be an integer from 0 to 1000000000; got 1000000001", mcnemar, *counts)
    assert mcnemar(10**9, 10**9) == 1.0 and mcnemar_power(10**8, 0, 1e-8) > 0
    for p01 in (2e-18, 0, 5e-324):
        refused("which need more than 1e+15 segments", mcnemar_sample_size, 1e-18, p01)
    refused("which need more than 1e+15 segments", mcnemar_sample_size, 5e-324, 0)
    refused("which may need more than 10,000,000 segments", mcnemar_sample_size, 1e-19, 0, method="exact")


@pytest.mark.parametrize(
    ("p10", "p01", "power", "alpha"), [(0.5, 0.499, 0.8, 0.05), (0.01, 0.01001, 0.6, 1e-3), (2e-9, 2.002e-9, 0.97, 0.3)]
)
def test_a_table_that_would_be_too_long_is_refused_with_its_length(p10, p01, power, alpha):
    def spare(j):  # Hoeffding's bound on the chance of no rejection, over the thousandth of 1 - power
        g = math.sqrt(j) * abs(p10 / (p10 + p01) - 0.5) - math.sqrt(math.log(2 / alpha) / 2) - 1 / math.sqrt(j)
        return 2 * g**2 + math.log((1 - power) / 1_000)

    shortest = (math.sqrt(math.log(2 / alpha) / 2) + 1) ** 2 / (p10 / (p10 + p01) - 0.5) ** 2
    length = math.ceil(brentq(spare, shortest, 1e9))
    refused(f"which need a table of {length:,} discordant segments (at most 5,000,000): use method='connor'",
            mcnemar_sample_size, p10, p01, power, alpha, "exact")
