"""Chapter 4: what each rule inverts, the limit law of sacreBLEU's rule, the worked examples, the lab."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven
from scipy import integrate, stats

import sigbook as sb
from sigbook import experiments
from sigbook.chapters import one_cloud as chapter
from sigbook.worlds import filings

pytestmark = pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")


@pytest.mark.proves("prop-inversion", "prop-shifted")
def test_no_cloud_and_no_level_contradicts_the_inversions():
    checked = chapter.check_inversions(seed=17, clouds=300)
    assert checked["cases"] > 10_000
    assert checked["failures"] == [0, 0, 0, 0]


@pytest.mark.proves("prop-inversion", "prop-shifted")
def test_the_package_s_rules_and_intervals_obey_the_inversions():
    rng = np.random.default_rng(3)
    for _ in range(200):
        gaps = rng.integers(-4, 7, int(rng.integers(20, 60))).astype(float)
        cloud = sb.Cloud(gaps, float(rng.integers(1, 5)), "bootstrap")
        for level in (0.5, 0.8, 0.9, 0.95):
            alpha = Fraction(1) / 2 - Fraction(repr(level)) / 2
            assert (Fraction(sb.p_koehn(cloud)).limit_denominator(10**6) <= alpha) == (sb.percentile_interval(cloud, level)[0] > 0)
            assert (Fraction(sb.p_recentered(cloud)).limit_denominator(10**6) <= alpha) == (sb.basic_interval(cloud, level)[0] > 0)
        for alpha in (Fraction(1, 20), Fraction(1, 7), Fraction(1, 3), Fraction(9, 10)):
            k = int(alpha * (cloud.draws + 1))
            c = np.sort(np.abs(gaps - cloud.observed))[::-1][k - 1] if k else np.inf
            assert (Fraction(sb.p_shifted(cloud)).limit_denominator(10**6) <= alpha) == (cloud.observed > c)


@pytest.mark.proves("prop-inversion")
def test_on_a_symmetric_cloud_the_two_one_sided_rules_agree_and_on_a_skewed_one_they_do_not():
    half = np.random.default_rng(5).normal(1, 1, 400)
    symmetric = sb.Cloud(np.concatenate([half, 2 * 0.7 - half]), 0.7, "bootstrap", score_scale=1.0)
    assert sb.p_koehn(symmetric) == sb.p_recentered(symmetric) > 0
    skewed = sb.Cloud(np.random.default_rng(5).exponential(1, 800), 1.0, "bootstrap")
    assert sb.p_koehn(skewed) != sb.p_recentered(skewed)


@pytest.mark.proves("prop-sacrebleu")
def test_the_limit_formula_is_the_integral_it_was_derived_from():
    for z in (0.0, 0.3, 1.0, 1.6, 2.5):
        size = integrate.quad(lambda w: abs(z + w) * stats.norm.pdf(w), -12, 12, points=[-z])[0]
        above = integrate.quad(stats.norm.pdf, size, 40)[0] + integrate.quad(stats.norm.pdf, -40, -2 * z - size)[0]
        assert chapter.sacrebleu_limit_p(z) == pytest.approx(above, abs=1e-9)
        assert chapter.sacrebleu_limit_p(-z) == chapter.sacrebleu_limit_p(z)


@pytest.mark.proves("prop-sacrebleu")
def test_the_limit_falls_from_its_largest_value_and_its_sizes_are_the_published_ones():
    z = np.linspace(0, 8, 4_001)
    p = chapter.sacrebleu_limit_p(z)
    assert (np.diff(p) < 0).all() and p[-1] < 1e-12
    assert p[0] == pytest.approx(2 * stats.norm.cdf(-np.sqrt(2 / np.pi)), abs=1e-15)
    assert f"{p[0]:.3f}" == "0.425" and f"{chapter.sacrebleu_limit_p(1.96):.4f}" == "0.0239"
    assert f"{chapter.sacrebleu_limit_critical(0.05):.3f}" == "1.598"
    assert [f"{chapter.sacrebleu_limit_size(alpha):.3f}" for alpha in (0.05, 0.01, 0.10)] == ["0.110", "0.020", "0.246"]


@pytest.mark.proves("prop-sacrebleu")
def test_the_package_s_rule_tends_to_the_limit_on_normal_clouds():
    rng = np.random.default_rng(9)
    for z in (0.0, 0.8, 1.6, 2.4):
        cloud = sb.Cloud(z + rng.normal(size=400_000), z, "bootstrap", score_scale=1.0)
        limit = chapter.sacrebleu_limit_p(z)
        assert abs(sb.p_sacrebleu(cloud) - limit) < 5 * np.sqrt(limit * (1 - limit) / 400_000) + 2e-3 * limit


def test_the_exact_laws_are_those_of_all_lists_of_draws():
    for differences in ((3, -1, 2), (1, 1, -2, 5)):
        n, law = len(differences), chapter.resample_law(differences)
        sums = [sum(draw) for draw in product(differences, repeat=n)]
        assert law.total == len(sums) == n**n
        assert law.counts == {value: sums.count(value) for value in set(sums)}


def test_the_ten_examples_have_three_verdicts_and_the_eight_sentences_one():
    ten, eight = chapter.exact_verdicts(chapter.TEN), chapter.exact_verdicts(chapter.EIGHT)
    assert [f"{float(p):.4f}" for p in (ten.randomization, ten.centered)] == ["0.0508", "0.0082"]
    assert f"{stats.ttest_1samp(chapter.TEN, 0).pvalue:.4f}" == "0.0310"
    assert eight.randomization == Fraction(3, 8) and f"{float(eight.centered):.3f}" == "0.316"
    assert chapter.centered_quantile(chapter.EIGHT) == Fraction(37, 8)


def test_the_package_finds_the_exact_p_values_of_the_examples_up_to_its_draws():
    for differences in (chapter.TEN, chapter.EIGHT):
        exact, pairs = chapter.exact_verdicts(differences), chapter.mean_pairs(differences)
        cloud = sb.bootstrap(pairs, draws=200_000, seed=4)
        for p, rule in ((exact.koehn, sb.p_koehn), (exact.recentered, sb.p_recentered), (exact.centered, sb.p_shifted)):
            error = np.sqrt(float(p) * (1 - float(p)) / 200_000)
            assert abs(rule(cloud) - float(p)) < 5 * error + 1e-5
        assert sb.p_randomization(sb.randomize(pairs, draws="all")) == exact.randomization


def test_the_parts_that_a_figure_fills_are_the_p_values():
    result = chapter.verdicts(chapter.mean_pairs(chapter.EIGHT), draws=999, seed=2)
    plus = {"Koehn (A better)": 0, "2δ (A better)": 0, "shifted (two-sided)": 1, "sacreBLEU (two-sided)": 1}
    for rule, counted in result.counted.items():
        assert (counted.sum() + plus[rule]) / (999 + plus[rule]) == pytest.approx(result.p[rule], abs=1e-15)
    figure = chapter.draw_rules(result)
    for axis, counted in zip(figure.axes, result.counted.values()):
        heights = [patch.get_data().values.sum() for patch in axis.patches]
        assert heights == [999, counted.sum()]


def test_the_law_figure_fills_the_centred_p_value():
    law = chapter.resample_law(chapter.EIGHT)
    axis = chapter.draw_two_laws(chapter.EIGHT, law, sum(chapter.EIGHT)).axes[0]
    every, beyond = axis.containers
    assert sum(bar.get_height() for bar in every) == pytest.approx(1)
    filled = sum(bar.get_height() for bar in beyond)
    assert filled == pytest.approx(float(chapter.exact_verdicts(chapter.EIGHT).centered))


def test_a_sample_of_the_lab_has_the_gap_and_the_spread_that_were_set():
    for skewness in (-3.0, 0.0, 2.0):
        pairs = chapter.sample(chapter.Sample(skewness, 50, 1.5, seed=3))
        assert pairs.gap == pytest.approx(1.5 / np.sqrt(50))
        assert pairs.a.std() == pytest.approx(1)
        assert np.sign(round(float(stats.skew(pairs.a)))) == np.sign(skewness)


def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.rules_lab()
    rng = np.random.default_rng(12)
    settings = [(2.0, 20, 1.7, 1), (-3.0, 5, 0.0, 0), (3.0, 200, 4.0, 50)]
    settings += [(float(rng.choice([-2, 0, 1])), int(rng.choice([10, 50, 100])), round(float(rng.uniform(0, 4)), 1),
                  int(rng.integers(51))) for _ in range(5)]
    for wanted, shown, _ in driven(lab, settings):
        data = chapter.sample(chapter.Sample(*wanted))
        rng_of_lab = np.random.default_rng(wanted[3])
        cloud, swaps = sb.bootstrap(data, chapter.LAB_DRAWS, rng_of_lab), sb.randomize(data, chapter.LAB_DRAWS, rng_of_lab)
        expected = [sb.p_koehn(cloud), sb.p_recentered(cloud), sb.p_shifted(cloud), sb.p_sacrebleu(cloud),
                    sb.p_randomization(swaps)]
        assert shown[1::3] == [f"{p:.4f}" for p in expected]
        assert shown[2::3] == ["rejects" if p <= 0.05 else "does not reject" for p in expected]


def test_twice_the_gap_of_the_ten_filings_takes_eight_copies_of_the_one_that_matches():
    spike = filings.pair("extract", "textrank", filings=filings.TEN_FILINGS)
    match = spike.a[:, 5] > 0
    assert spike.a[:, 5].sum() == match.sum() == 1 and spike.b[:, 5].sum() == 0
    ratios = []
    for copies in range(11):
        others = np.random.default_rng(copies).multinomial(10 - copies, [1 / 9] * 9, size=500)
        weights = np.insert(others, int(np.flatnonzero(match)[0]), copies, axis=1)
        ratios.append(spike.rule.gap(weights @ spike.a, weights @ spike.b) / spike.gap)
    assert (ratios[0] == 0).all() and ratios[6].max() < 2 < ratios[8].min()
    assert ratios[7].min() < 2


def test_the_lab_opens_where_two_one_sided_rules_part():
    p = chapter.verdicts(chapter.sample(chapter.Sample(2.0, 20, 1.7, 1)), chapter.LAB_DRAWS, 1).p
    assert [rule for rule, value in p.items() if value <= 0.05] == ["Koehn (A better)"]


def test_a_spike_of_zeros_parts_the_rules():
    spike = filings.pair("extract", "textrank", filings=filings.TEN_FILINGS)
    def claim(seed):
        result = chapter.verdicts(spike, 999, seed)
        return bool((result.cloud.gaps == 0).mean() >= 0.3 and result.p["2δ (A better)"] <= 0.01
                    and result.p["randomization (two-sided)"] >= 0.5)
    holds_on_other_seeds(claim, label="ten filings with one 4-gram match")


def test_on_means_sacrebleu_s_rule_rejects_twice_what_the_shifted_rule_does():
    def claim(seed):
        shares = chapter.normal_means(50, 1_000, 199, seed)
        return shares["sacreBLEU (two-sided)"].value > 1.5 * shares["shifted (two-sided)"].value
    holds_on_other_seeds(claim, label="sizes on normal means")


def test_skewed_differences_break_the_bootstrap_on_one_side_and_the_2_delta_rule_more():
    def claim(seed):
        shares = chapter.skewed_means(20, 2_000, 199, seed)
        return (shares["2δ (B better)"].value > shares["Koehn (B better)"].value > 0.08
                and shares["Koehn (A better)"].value < 0.055)
    holds_on_other_seeds(claim, label="skewed differences, 20 segments")


def test_taking_the_winner_s_direction_nearly_doubles_koehn_s_rejections():
    def claim(seed):
        rows = [experiments.aa_row(prompts, 199, seed) for prompts in (10, 20, 47)]
        return all(row.shares()[2] > 1.5 * row.shares()[1] for row in rows)
    holds_on_other_seeds(claim, label="direction chosen after looking")
