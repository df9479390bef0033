"""The exercises on clusters against the package, enumeration and other sources."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from strategies import reference

import sigbook as sb
from sigbook.chapters import clusters as clusters_chapter
from sigbook.eer import eer_gaps
from sigbook.exercises.clusters import (
    fixed_bits, one_draw_for_both, repeats_count, swaps_in_clusters, three_sources, unequal_documents,
)  # fmt: skip


def test_a_draw_for_each_system_adds_the_two_variances():
    together, apart = one_draw_for_both.spreads()
    a, b = one_draw_for_both.A, one_draw_for_both.B
    assert apart**2 == pytest.approx(a.var() / 3 + b.var() / 3)
    assert together**2 == pytest.approx((a - b).var() / 3)


def test_the_floor_is_reached_and_no_document_less_would_do():
    floor, needed = reference("swap-floor")()
    labels = np.repeat(np.arange(14), 2)
    a = np.zeros(28, dtype=int)
    a[:12] = 1                                                     # six documents differ
    pairs = sb.PairedSet(a, np.zeros(28, dtype=int), "mean", clusters=labels)
    assert sb.p_randomization(sb.randomize(pairs, draws="all")) == floor
    assert 2 / 2**needed <= 0.01 < 2 / 2 ** (needed - 1)


def test_the_expected_standard_error_of_unequal_documents_is_the_proposition_s():
    effect = clusters_chapter.unequal_effect(unequal_documents.sizes.tolist(), Fraction(1, 10))
    assert effect == Fraction(215, 100)
    assert reference("unequal-documents")() == pytest.approx(0.4 * math.sqrt(effect / 400))


def test_the_three_sources_listed_are_what_the_package_draws():
    labels = np.tile([1, 0], 3)
    scores = [np.stack([three_sources.genuine[:, c], three_sources.spoof[:, c]], axis=1).ravel() for c in (0, 1)]
    number = np.repeat(np.arange(3), 2)
    gap_of = eer_gaps(labels, *scores, number, 3, "macro")
    times = np.array([np.bincount(draw, minlength=3) for draw in product(range(3), repeat=3)])
    gaps = gap_of(times)
    cloud = sb.Cloud(gaps, gap_of(np.ones((1, 3)))[0], "bootstrap", True)
    assert reference("three-sources")() == pytest.approx((np.mean(gaps > 0), *sb.percentile_interval(cloud, 0.90)))


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
