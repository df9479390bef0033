"""Many pairs on shared draws: each pair alone, all patterns of swaps, and sums that are exact."""

from __future__ import annotations

import itertools

import enumeration
import numpy as np
import pytest
from strategies import quietly

import sigbook as sb
from sigbook import clouds, family, metrics
from sigbook.worlds import filings

MEAN = metrics.find("mean")
RNG = np.random.default_rng(3)
TABLES = {
    "whole": ("mean", RNG.integers(-9, 10, size=(4, 30))),
    "real": ("mean", RNG.normal(size=(4, 30))),
    "weighted": ("mean", np.stack([RNG.integers(0, 9, size=(4, 30)), RNG.integers(1, 4, size=(4, 30))], axis=2)),
    "bleu": ("bleu", np.stack([filings.statistics(name) for name in ("writer", "noisy-0.3", "terse", "lead")])),
    "f1": ("f1", np.stack([filings.statistics(name, "fact-f1") for name in ("writer", "noisy-0.3", "terse", "lead")])),
}
ALL_PAIRS = [(0, 1), (2, 0), (1, 3), (3, 2)]


def sums_of(*scores):
    """Unit sums (n, 2) of plain scores (n,)."""
    return [np.stack([x, np.ones_like(x)], axis=1) for x in map(np.asarray, scores)]


def paired(table):
    metric, systems = TABLES[table]
    return {(i, j): quietly(sb.PairedSet, systems[i], systems[j], metric) for i, j in ALL_PAIRS}


def sums_and_rule(table):
    metric, systems = TABLES[table]
    pairs = paired(table)
    return [pairs[0, 1].unit_a, *(pairs[k].unit_b for k in ((0, 1), (3, 2), (1, 3)))], metrics.find(metric)


# Each pair alone ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_resamples_of_each_pair_are_those_of_the_pair_alone(table):
    sums, rule = sums_and_rule(table)
    found = family.resampled(sums, rule, ALL_PAIRS, 150, 4)
    assert found.shape == (4, 150)
    for gaps, pairs in zip(found, paired(table).values()):
        alone = quietly(sb.bootstrap, pairs, 150, 4).gaps
        np.testing.assert_allclose(gaps, alone, rtol=0, atol=0 if table != "real" else 1e-15)


@pytest.mark.parametrize("table", TABLES)
def test_swaps_of_one_pair_are_those_of_the_pair_alone(table):
    sums, rule = sums_and_rule(table)
    for place, pairs in paired(table).items():
        alone = quietly(sb.randomize, pairs, 150, 4).gaps
        found = family.swapped(sums, rule, [place], 150, 4)
        np.testing.assert_allclose(found, alone[None], rtol=0, atol=0 if table != "real" else 1e-15)


# Shared swaps, counted ----------------------------------------------------------------------------------


def test_swaps_are_shared_by_all_pairs_and_each_pattern_is_as_likely():
    systems = [[[3, 1], [0, 2], [5, 1], [2, 2]], [[1, 1], [7, 2], [2, 1], [2, 2]], [[0, 2], [1, 1], [1, 1], [2, 2]]]
    sums, pairs = [np.array(x) for x in systems], [(0, 1), (1, 2), (2, 0)]
    exact = zip(*(enumeration.swapped_gaps(systems[i], systems[j], enumeration.mean) for i, j in pairs))
    wanted = {}
    for gaps in exact:
        key = tuple(round(float(gap), 9) for gap in gaps)
        wanted[key] = wanted.get(key, 0) + 1 / 16
    found = np.round(family.swapped(sums, MEAN, pairs, 4_000, 1), 9)
    keys, times = np.unique(found, axis=1, return_counts=True)
    assert {tuple(key) for key in keys.T.tolist()} == set(wanted)
    for key, count in zip(keys.T.tolist(), times):
        share = wanted[tuple(key)]
        assert abs(count / 4_000 - share) < 4.5 * np.sqrt(share * (1 - share) / 4_000)


def test_nothing_is_drawn_for_units_on_which_no_pair_differs():
    a, b, c = np.array([[1, 5, 2, 8, 3], [4, 5, 2, 1, 3], [1, 5, 7, 1, 3]])
    kept = [0, 2, 3]  # a and b differ on the first and the fourth, b and c on the first and the third
    for pairs in ([(0, 1), (1, 2)], [(1, 0), (2, 1)]):
        whole = family.swapped(sums_of(a, b, c), MEAN, pairs, 60, 7)
        few = family.swapped(sums_of(a[kept], b[kept], c[kept]), MEAN, pairs, 60, 7)
        np.testing.assert_allclose(5 * whole, 3 * few, atol=1e-12)


def test_other_statistics_of_the_same_units_get_the_same_swaps():
    a, b = np.array([1, 5, 2, 8, 3]), np.array([4, 5, 1, 1, 3])
    other = np.where(np.arange(5) == 1, 50, a)
    gaps = [family.swapped(sums_of(*x), MEAN, [(0, 1)], 60, 7, every_unit=True) for x in ((a, b), (other, b))]
    bits = clouds._bits(np.random.default_rng(7), 60, 5)
    for found, first in zip(gaps, (a, other)):
        np.testing.assert_allclose(found[0], (2 * bits - 1.0) @ (first - b) / 5, atol=1e-12)


def test_systems_without_a_difference_have_gap_0_on_every_draw():
    x = np.random.default_rng(0).normal(size=(3, 40))
    sums, pairs = sums_of(x[0], x[1], x[0], x[2], x[0]), [(0, 1), (0, 2), (4, 2), (0, 3)]
    for draw in (family.resampled, family.swapped):
        gaps = draw(sums, MEAN, pairs, 50, 2)
        assert (gaps[[1, 2]] == 0).all() and (gaps[[0, 3]] != 0).all()
        np.testing.assert_array_equal(draw(sums, MEAN, [(0, 2)], 50, 2), np.zeros((1, 50)))


@pytest.mark.parametrize("systems", [3, 4, 5, 7])
@pytest.mark.parametrize("draws", [1, 7, 20])
def test_equal_systems_have_gap_0_wherever_they_stand_in_the_product(systems, draws):
    x = np.random.default_rng(systems).normal(size=100)  # a product may round equal columns apart
    sums, pairs = sums_of(*[x] * systems), list(itertools.combinations(range(systems), 2))
    for draw in (family.resampled, family.swapped):
        assert not draw(sums, MEAN, pairs, draws, 0).any()


# Exact sums ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("bits", [20, 22, 23, 24, 25, 40])
def test_sums_of_whole_numbers_are_never_rounded(sign, bits):
    # Odd differences: any sum of them that leaves the 24 bits of a float32 would lose its last bit.
    a, b = sign * np.array([[2**bits + 1, 2**bits + 3, 2**bits - 1], [4, 6, -2]])
    for sums, pairs in ((sums_of(a, b), [(0, 1), (1, 0)]), (sums_of(a, 1 - a, b), [(0, 1), (1, 0), (2, 1)])):
        for place, gaps in zip(pairs, family.swapped(sums, MEAN, pairs, 64, 0)):
            i, j = place
            difference = (sums[i] - sums[j])[:, 0].tolist()
            exact = {sum(s * d for s, d in zip(signs, difference)) / 3
                     for signs in itertools.product((1, -1), repeat=3)}
            assert set(gaps.tolist()) == exact
        for place, gaps in zip(pairs, family.resampled(sums, MEAN, pairs, 200, 0)):
            i, j = place
            difference = (sums[i] - sums[j])[:, 0].tolist()
            exact = {sum(chosen) / 3 for chosen in itertools.product(difference, repeat=3)}
            assert set(gaps.tolist()) == exact


def test_sums_of_large_real_numbers_keep_their_digits():
    x = 1e6 + np.random.default_rng(1).normal(size=(2, 20))
    pairs = sb.PairedSet(*x, "mean")
    for draw, alone in ((family.resampled, sb.bootstrap), (family.swapped, sb.randomize)):
        np.testing.assert_allclose(draw(sums_of(*x), MEAN, [(0, 1)], 50, 0)[0], alone(pairs, 50, 0).gaps, atol=1e-8)


# Chunks and blocks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", [1, 60, 131, 400])
@pytest.mark.parametrize("block", [1, 59, 120, 2**22])
def test_gaps_do_not_depend_on_how_many_are_worked_on_at_once(monkeypatch, entries, block):
    for table in ("whole", "bleu"):
        sums, rule = sums_and_rule(table)
        whole = [draw(sums, rule, ALL_PAIRS, 33, 4) for draw in (family.resampled, family.swapped)]
        with monkeypatch.context() as patch:
            patch.setattr(clouds, "CHUNK_ENTRIES", entries)
            patch.setattr(family, "LARGEST_BLOCK", block)
            again = [draw(sums, rule, ALL_PAIRS, 33, 4) for draw in (family.resampled, family.swapped)]
        np.testing.assert_array_equal(again, whole)


def told(draw, sums, pairs, draws):
    """What is said to be done before each chunk, and the shares."""
    said = []
    draw(sums, MEAN, pairs, draws, 0, lambda what, share: said.append((what, share)))
    return {what for what, _ in said}, [share for _, share in said]


def test_progress_is_the_share_of_the_gaps_that_are_made(monkeypatch):
    sums = sums_of(*np.random.default_rng(5).integers(9, size=(3, 10)) + np.array([[0], [10], [20]]))
    pairs = [(0, 1), (1, 2), (2, 0)]
    monkeypatch.setattr(clouds, "CHUNK_ENTRIES", 40)  # 4 draws of 10 units
    monkeypatch.setattr(family, "LARGEST_BLOCK", 50)  # 2 pairs of 10 units and 2 columns
    assert told(family.resampled, sums, pairs, 10) == ({"resampling"}, [0, 0.4, 0.8])
    what, shares = told(family.swapped, sums, pairs, 10)
    assert what == {"swapping"}
    assert shares == pytest.approx([0, 8 / 30, 16 / 30, 20 / 30, 24 / 30, 28 / 30])
    monkeypatch.setattr(family, "LARGEST_BLOCK", 1)  # one pair at least
    assert told(family.swapped, sums, pairs, 4)[1] == pytest.approx([0, 1 / 3, 2 / 3])


@pytest.mark.parametrize(("units", "systems"), [(5, 9), (5, 30), (300, 4)])
def test_a_chunk_fits_however_many_units_or_pairs_there_are(monkeypatch, units, systems):
    sums = sums_of(*np.arange(units) % 3 + 3 * np.arange(systems)[:, None])
    pairs = list(itertools.combinations(range(systems), 2))
    monkeypatch.setattr(clouds, "CHUNK_ENTRIES", 3_000)
    for draw in (family.resampled, family.swapped):
        _, shares = told(draw, sums, pairs, 500)
        rows = np.diff([*shares, 1]).max() * 500
        assert 1_000 < rows * max(units, 2 * len(pairs)) <= 3_000 + 1e-6
