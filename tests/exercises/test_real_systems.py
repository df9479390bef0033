"""The exercises on real systems against the package, enumeration and other sources."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats
from strategies import reference

import sigbook as sb
from sigbook.chapters import real_systems as real_chapter
from sigbook.exercises.real_systems import nine_resamples, three_systems


def test_the_two_printed_p_values_are_the_package_s():
    cloud = sb.Cloud(nine_resamples.gaps.astype(float), nine_resamples.observed, "bootstrap")
    assert reference("nine-resamples")() == pytest.approx((sb.p_sacrebleu(cloud), sb.p_shifted(cloud)))


def test_the_floors_of_a_table_are_those_of_the_chapter():
    adjusted, joint, needed = reference("documents-for-a-table")()
    assert adjusted == 15 * real_chapter.pair_floor(11)
    assert joint == pytest.approx(float(real_chapter.joint_floor(6, 2)))
    assert needed == real_chapter.units_needed(15, Fraction(1, 100))


def test_three_systems_by_hand():
    sums = np.array([np.bincount(three_systems.documents, row) for row in three_systems.scores])
    signs = np.array(list(product((1, -1), repeat=7)))
    p = [np.mean(np.abs(signs @ (sums[i] - sums[j])) >= abs((sums[i] - sums[j]).sum()))
         for i, j in ((0, 1), (0, 2), (1, 2))]
    assert reference("three-systems")() == pytest.approx(sb.holm(p))


def test_agreement_is_that_of_two_families_of_the_chapter():
    board = real_chapter.board("WMT23")
    count, p, verdicts = len(board.systems), [], []
    for metric in ("BLEU", "MQM"):
        family = real_chapter.all_pairs("WMT23", metric, draws=299)
        square = np.ones((count, count))
        square[family.first, family.second] = square[family.second, family.first] = family.p
        p.append(square)
        verdicts.append(family.verdicts())
    x, y = verdicts
    expected = [x * y > 0, x * y < 0, (x != 0) & (y == 0), (x == 0) & (y != 0),
                (x == 0) & (y == 0)]
    found = reference("less-is-better")(board.scores(), board.scores("MQM"), *p)
    assert found == [kind.sum() for kind in expected]
    assert min(found[0], found[3], found[4]) > 0


@pytest.mark.parametrize("seed", range(3))
def test_all_shuffles_are_those_of_the_chapter(seed):
    table = np.random.default_rng(seed).integers(0, 5, size=(3, 3))
    expected = real_chapter.exact_listed(tuple(map(tuple, table.tolist())))[0]
    assert reference("all-shuffles")(table) == pytest.approx(float(expected))


def test_the_edge_of_significance_is_where_a_normal_test_turns():
    for edge, factor in zip(reference("edge-of-significance")(), (1, 1 / 16, 2.25)):
        assert 2 * stats.norm.sf(edge / (0.45 * factor**0.5)) == pytest.approx(0.05, abs=1e-4)
