"""The detectors world: frozen as generated, and what groups do to an equal error rate in it."""

from __future__ import annotations

from functools import cache

import make_data
import numpy as np
import pytest
from claims import holds_on_other_seeds

import sigbook as sb
from sigbook import data
from sigbook.worlds import detectors

other = cache(detectors.generate)


@pytest.fixture(scope="module")
def world():
    return detectors.load()


# Frozen as generated ------------------------------------------------------------------------------

def test_the_table_is_made_again_byte_for_byte():
    [(name, (table, line))] = make_data.build(["detectors"]).items()
    assert name == detectors.FILE
    assert table.content == data.read_bytes(name)
    assert line == data.manifest()[name]


def test_the_frozen_world_is_the_generated_one(world):
    made = detectors.generate(detectors.SEED)
    np.testing.assert_array_equal(world.labels, made.labels)
    np.testing.assert_array_equal(world.sources, made.sources)
    assert tuple(world.scores) == detectors.DETECTORS == tuple(made.scores)
    for name in detectors.DETECTORS:
        np.testing.assert_array_equal(detectors.scores(name), made.scores[name])
    with pytest.raises(ValueError):
        world.labels[0] = 1


def test_forty_sources_each_with_both_kinds(world):
    assert set(world.sources.tolist()) == set(range(detectors.SOURCES)) and detectors.SOURCES == 40
    targets = np.bincount(world.sources, weights=world.labels)
    others = np.bincount(world.sources) - targets
    for counts in (targets, others):
        assert counts.min() >= detectors._FEWEST and counts.max() <= detectors._MOST
    assert data.path(detectors.FILE).stat().st_size < 30_000


def test_some_sources_alone(world):
    few = world.of_sources([3, 7])
    inside = (world.sources == 3) | (world.sources == 7)
    assert set(few.sources.tolist()) == {3, 7}
    np.testing.assert_array_equal(few.labels, world.labels[inside])
    np.testing.assert_array_equal(few.scores["neural"], world.scores["neural"][inside])


def test_an_unknown_detector_is_refused():
    with pytest.raises(ValueError, match="detector must be one of 'spectral'"):
        detectors.scores("visual")


def test_noise_is_centred_and_of_the_stated_size():
    x = detectors._normal(np.random.default_rng(4), 1_000, 50_000)
    assert abs(x.mean()) < 4 * 1_000 / np.sqrt(50_000)
    assert x.std() == pytest.approx(1_000, rel=0.02)


def test_a_seed_gives_the_same_scores_and_a_generator_goes_on():
    one, two = (detectors.generate(8, 5).scores["neural"] for _ in range(2))
    np.testing.assert_array_equal(one, two)
    rng = np.random.default_rng(8)
    np.testing.assert_array_equal(detectors.generate(rng, 5).scores["neural"], one)
    assert not np.array_equal(detectors.generate(rng, 5).labels[:50], detectors.generate(8, 5).labels[:50])


# What the chapter relies on -----------------------------------------------------------------------

def both_eers(world, name):
    """Pooled and macro EER."""
    x = world.scores[name]
    each = [sb.eer(world.labels[world.sources == s], x[world.sources == s])
            for s in range(detectors.SOURCES)]
    return sb.eer(world.labels, x), float(np.mean(each))


def spread(world, groups, draws=300):
    a, b = world.scores["spectral"], world.scores["neural"]
    return sb.bootstrap_eer(world.labels, a, b, groups, draws=draws, seed=1).sd


def groups_count(world):
    return spread(world, world.sources) >= 1.3 * spread(world, np.arange(len(world.labels)))


def kinds_apart(world):
    return all(pooled - macro >= 0.02
               for pooled, macro in (both_eers(world, name) for name in ("spectral", "neural")))


def offsets_hide(world):
    pooled, macro = both_eers(world, "uncalibrated")
    return macro < 0.005 and pooled > 0.2


@pytest.mark.parametrize("point, what", [
    (groups_count, "sd of the gap by group at least 1.3 times that by trial"),
    (kinds_apart, "pooled and macro EER of both detectors at least 2 points apart"),
    (offsets_hide, "offsets: macro EER near 0, pooled above 0.2")])
def test_what_groups_do(world, point, what):
    assert point(world)
    holds_on_other_seeds(lambda seed: bool(point(other(seed))), label=f"detectors: {what}")


def test_the_gap_is_clear_by_trial_and_unclear_by_source(world):
    pooled = [both_eers(world, name)[0] for name in ("spectral", "neural")]
    gap = pooled[0] - pooled[1]
    assert gap > 2 * spread(world, np.arange(len(world.labels)), 1_000)
    assert gap < 1.5 * spread(world, world.sources, 1_000)
