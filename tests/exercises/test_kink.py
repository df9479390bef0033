"""The exercises on the kink against the package, enumeration and other sources."""

from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import reference

from sigbook import metrics
from sigbook.chapters import kink as kink_chapter
from sigbook.exercises.kink import (
    believed_atoms, counted_coverage, pieces_of_a_gap, rising_map, smaller_resamples,
)  # fmt: skip


def test_the_two_slopes_are_those_of_bleu_a_step_to_either_side():
    def bleu(c, r):
        matched = 1_000 * 0.32
        return float(metrics.bleu(np.array([c, r, *[matched] * 4, *[1_000] * 4])))

    step = 1e-3
    found = [(bleu(400, 400) - bleu(400 - step, 400)) / step, (bleu(400 + step, 400) - bleu(400, 400)) / step,
             (bleu(400, 400) - bleu(400, 400 - step)) / step, (bleu(400, 400 + step) - bleu(400, 400)) / step]
    assert np.allclose(reference("two-slopes")(), found, atol=1e-8)


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
