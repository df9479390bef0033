"""Exercises of chapters 5 to 8: their references against the package, SciPy, enumeration and the chapters."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

import sigbook as sb
from sigbook import exercises, metrics
from sigbook.chapters import clusters as clusters_chapter
from sigbook.chapters import kink as kink_chapter
from sigbook.chapters import procedures as procedures_chapter
from sigbook.eer import eer_gaps
from sigbook.exercises.clusters import (
    fixed_bits, one_draw_for_both, repeats_count, swaps_in_clusters, three_sources, unequal_documents,
)  # fmt: skip
from sigbook.exercises.kink import (
    believed_atoms, counted_coverage, pieces_of_a_gap, rising_map, smaller_resamples,
)  # fmt: skip
from sigbook.exercises.procedures import five_halvings, four_runs, next_run, one_model_many_scores
from sigbook.exercises.smooth import curved_pair, delta_sd_faults, influence_by_hand
from sigbook.worlds import filings


def answer(name):
    return exercises.find(name).reference()


CHAPTERS = ("smooth", "kink", "clusters", "procedures")
FAULTY = [name for chapter in CHAPTERS for name in exercises.ORDER[chapter]
          if getattr(exercises.find(name), "given", None)]


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_function_says_what_it_should_do_as_its_solution_does(name):
    exercise = exercises.find(name)
    assert exercise.given.__doc__ == exercise.reference.__doc__


# Chapter 5 ---------------------------------------------------------------------------------------


def test_influences_by_hand_are_the_package_s():
    a, b = influence_by_hand.a, influence_by_hand.b
    assert np.allclose(answer("influence-by-hand"), sb.influence(sb.PairedSet(a, b, "f1")))


def test_only_the_chosen_pair_is_bent():
    off = {letter: abs(curved_pair.off(*compared)) for letter, compared in curved_pair.COMPARED.items()}
    assert off.pop("b") > 0.25
    assert max(off.values()) < 0.06


def test_the_missing_slope_satisfies_euler_s_identity():
    missing, change = answer("euler-slope")
    slopes, sums = np.array([0.004, -0.0015, missing, 0.002]), np.array([120, 200, 130, 40])
    assert slopes @ sums == pytest.approx(0, abs=1e-12)
    assert change == pytest.approx(slopes @ [3, 5, 2, 1])
    assert slopes @ (np.array([3, 5, 2, 1]) - sums / 60) == pytest.approx(change), "centring changes nothing"


def test_the_mended_delta_method_is_the_package_s_on_bleu_and_a_mean():
    pairs = filings.pair("writer", "noisy-0.1")
    assert delta_sd_faults.gap_sd(pairs.a, pairs.b, metrics.bleu_gradient) == pytest.approx(sb.delta_sd(pairs))
    a, b = np.random.default_rng(0).normal(size=(2, 20))
    mean = sb.delta_sd(sb.PairedSet(a, b, "mean"))
    assert delta_sd_faults.gap_sd(a[:, None], b[:, None], lambda y: np.ones(1)) == pytest.approx(mean)


def test_leaving_out_the_centring_does_no_harm_to_a_metric_of_pooled_sums():
    pairs = filings.pair("writer", "terse")
    uncentred = delta_sd_faults.still(centred=False)
    assert uncentred(pairs.a, pairs.b, metrics.bleu_gradient) == pytest.approx(sb.delta_sd(pairs))


# Chapter 6 ---------------------------------------------------------------------------------------


def test_the_two_slopes_are_those_of_bleu_a_step_to_either_side():
    def bleu(c, r):
        matched = 1_000 * 0.32
        return float(metrics.bleu(np.array([c, r, *[matched] * 4, *[1_000] * 4])))

    step = 1e-3
    found = [(bleu(400, 400) - bleu(400 - step, 400)) / step, (bleu(400 + step, 400) - bleu(400, 400)) / step,
             (bleu(400, 400) - bleu(400, 400 - step)) / step, (bleu(400, 400 + step) - bleu(400, 400)) / step]
    assert np.allclose(answer("two-slopes"), found, atol=1e-8)


def test_only_the_percentile_interval_commutes_with_the_exponential():
    off = rising_map.both_scales()
    assert off.pop("a") < 1e-12
    assert min(off.values()) > 0.01


@pytest.mark.parametrize("place, h", [(0, -0.5), (1, 0.0), (2, 1.0)])
def test_believed_atoms_are_those_of_simulated_test_sets(place, h):
    bent = kink_chapter.one_kink(n=100, experiments=2_000, draws=200, seed=place).at(h)
    atoms = (bent.cloud.gaps == bent.observed[:, None]).mean(axis=1)
    share, expected = np.mean(atoms >= 0.8), believed_atoms.shares()[place]
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / 2_000)


@pytest.mark.parametrize("h", [-3.0, -0.5, 0.0, 0.7])
def test_counted_coverage_is_the_chapter_s(h):
    bent = kink_chapter.one_kink(n=50, experiments=400, draws=199, seed=1).at(h)
    found = counted_coverage.coverage(bent.u[:, 0], bent.u_star[:, :, 0], h, 9)
    covers = kink_chapter.coverage(bent, min(0.0, h), 0.90).covers
    assert found == (covers["percentile"], covers["basic"])


def test_the_mended_interval_from_smaller_resamples_is_the_chapter_s():
    bent = kink_chapter.one_kink(n=100, experiments=5, draws=199, seed=2).at(-0.3)
    m = round(100 ** (2 / 3))
    low, high = kink_chapter.intervals(bent, 0.90)["m-out-of-n"]
    for i in range(5):
        few = np.minimum(0, bent.u_few[i, :, 0])
        # The reduced form counts in units of 1/sqrt(n); both sides carry the same unit.
        assert smaller_resamples.m_out_of_n(bent.observed[i], few, m, 100, 9) == pytest.approx((low[i], high[i]))


@pytest.mark.parametrize("h", [(-0.5, 0.0), (-4.0, 0.3), (0.2, 5.0), (-5.0, -6.0)])
def test_pieces_of_a_gap_are_the_chapter_s(h):
    bent = kink_chapter.two_kinks(0.8, n=60, experiments=20, draws=199, seed=3).at(*h)
    low, high = kink_chapter.pieces(bent, 0.90)
    for i in range(20):
        found = pieces_of_a_gap.pieces_interval(bent.u[i], bent.u_star[i], bent.gamma, 9)
        assert found == pytest.approx((low[i], high[i]))


# Chapter 7 ---------------------------------------------------------------------------------------


def test_a_draw_for_each_system_adds_the_two_variances():
    together, apart = one_draw_for_both.spreads()
    a, b = one_draw_for_both.A, one_draw_for_both.B
    assert apart**2 == pytest.approx(a.var() / 3 + b.var() / 3)
    assert together**2 == pytest.approx((a - b).var() / 3)


def test_the_floor_is_reached_and_no_document_less_would_do():
    floor, needed = answer("swap-floor")
    labels = np.repeat(np.arange(14), 2)
    a = np.zeros(28, dtype=int)
    a[:12] = 1                                                     # six documents differ
    pairs = sb.PairedSet(a, np.zeros(28, dtype=int), "mean", clusters=labels)
    assert sb.p_randomization(sb.randomize(pairs, draws="all")) == floor
    assert 2 / 2**needed <= 0.01 < 2 / 2 ** (needed - 1)


def test_the_expected_standard_error_of_unequal_documents_is_the_proposition_s():
    effect = clusters_chapter.unequal_effect(unequal_documents.sizes.tolist(), Fraction(1, 10))
    assert effect == Fraction(215, 100)
    assert answer("unequal-documents") == pytest.approx(0.4 * math.sqrt(effect / 400))


def test_the_three_sources_listed_are_what_the_package_draws():
    labels = np.tile([1, 0], 3)
    scores = [np.stack([three_sources.genuine[:, c], three_sources.spoof[:, c]], axis=1).ravel() for c in (0, 1)]
    number = np.repeat(np.arange(3), 2)
    gap_of = eer_gaps(labels, *scores, number, 3, "macro")
    times = np.array([np.bincount(draw, minlength=3) for draw in product(range(3), repeat=3)])
    gaps = gap_of(times)
    cloud = sb.Cloud(gaps, gap_of(np.ones((1, 3)))[0], "bootstrap", True)
    assert answer("three-sources") == pytest.approx((np.mean(gaps > 0), *sb.percentile_interval(cloud, 0.90)))


def test_bits_at_a_fixed_threshold_and_searched_rates_part():
    swept, fixed = fixed_bits.clouds()
    whole = sb.eer(np.repeat([1, 0], 4), np.concatenate([fixed_bits.GENUINE, fixed_bits.SPOOF]))
    assert fixed.mean() == pytest.approx(whole), "the bits are those of the threshold at which the rates meet"
    assert abs(swept.mean() - fixed.mean()) > 0.03
    assert swept.std() > 1.3 * fixed.std()


def test_resamples_with_repeats_are_the_package_s():
    rng = np.random.default_rng(4)
    words, groups = rng.integers(3, 9, size=8), np.array([0, 0, 1, 1, 1, 2, 2, 2])
    a, b = rng.binomial(words, 0.8), rng.binomial(words, 0.5)
    gaps = [repeats_count.drawn_gap(a, b, words, groups, np.array(draw)) for draw in product(range(3), repeat=3)]
    pairs = sb.PairedSet(np.stack([a, words], axis=1), np.stack([b, words], axis=1), lambda s: s[..., 0] / s[..., 1],
                         clusters=groups)
    cloud = sb.bootstrap(pairs, draws=20_000, seed=0)
    assert set(np.round(cloud.gaps, 9)) == set(np.round(gaps, 9))
    assert cloud.sd == pytest.approx(np.std(gaps), rel=0.03)


def test_the_mended_exact_test_never_goes_below_the_floor_of_its_clusters():
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(3), 3)
    p = [swaps_in_clusters.exact_p(rng.integers(-2, 6, size=9), clusters) for _ in range(200)]
    assert min(p) == 2 / 2**3
    by_segment = [swaps_in_clusters.still(by_cluster=False)(rng.integers(-2, 6, size=9), clusters) for _ in range(50)]
    assert min(by_segment) < 2 / 2**3


# Chapter 8 ---------------------------------------------------------------------------------------


def test_a_hundred_scores_of_one_model_have_the_spread_of_test_sets():
    for seed in range(5):
        right = np.random.default_rng(seed).random(2_000) < 0.83
        scores = right[np.random.default_rng(seed + 9).integers(2_000, size=(100, 2_000))].mean(axis=1)
        assert scores.std(ddof=1) == pytest.approx(np.sqrt(0.83 * 0.17 / 2_000), rel=0.35)
    resampled, training, test_sets = one_model_many_scores.spreads()
    assert abs(resampled / test_sets - 1) < 0.2 < abs(resampled / training - 1)


def test_parted_ranges_counted_over_all_orders():
    places = list(combinations(range(7), 3))
    parted = sum(chosen in ((0, 1, 2), (4, 5, 6)) for chosen in places)
    assert answer("parted-ranges") == pytest.approx(parted / len(places))
    assert share_of_parted(20_000) == pytest.approx(answer("parted-ranges"), abs=0.008)


def share_of_parted(experiments):
    x = np.random.default_rng(6).normal(size=(experiments, 7))
    one, other = x[:, :3], x[:, 3:]
    return np.mean((one.max(axis=1) < other.min(axis=1)) | (other.max(axis=1) < one.min(axis=1)))


def test_the_interval_of_four_runs_is_scipy_s():
    runs = four_runs.runs
    expected = stats.t.interval(0.95, 3, runs.mean(), stats.sem(runs))
    assert answer("four-runs") == pytest.approx(expected, abs=1e-3)
    assert answer("four-runs") == pytest.approx(procedures_chapter.t_interval(runs), abs=1e-3)


def test_the_split_of_two_training_sets_is_the_enumerated_one():
    half = Fraction(1, 2)
    trainings = (procedures_chapter.TrainingSet(half, Fraction(1, 5), Fraction(1, 10)),
                 procedures_chapter.TrainingSet(half, Fraction(1, 10), Fraction(4, 25)))
    split = procedures_chapter.enumerated_split(trainings, 3)
    total, within, between = answer("two-training-sets")
    assert split.between == pytest.approx(between) and split.within * 3 == pytest.approx(within * 500)
    assert split.estimated == split.within
    assert total == pytest.approx(within + between)


def test_the_next_run_s_shares_are_student_s():
    found = next_run.shares()
    t = stats.t(4)
    exact = {"a": 2 * t.cdf(2.776 / math.sqrt(6)) - 1, "b": 2 * t.cdf(2.776) - 1,
             "c": 2 * t.cdf(2 / math.sqrt(1.2)) - 1, "d": 4 / 6}
    assert found == pytest.approx(exact, abs=0.01)


def test_the_mended_statistic_gives_the_chapter_s_p_value():
    x = np.random.default_rng(7).normal(0.02, 0.03, size=(20, 5, 2))
    p = procedures_chapter.five_by_two_p(x.reshape(20, 10))
    found = [2 * stats.t.sf(abs(five_halvings.five_by_two(table)), 5) for table in x]
    assert found == pytest.approx(p)
