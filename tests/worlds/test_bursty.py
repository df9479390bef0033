"""The bursty world: its documents, its two learners, what the frozen training draws must show."""

from __future__ import annotations

import re

import make_data
import numpy as np
import pytest
from claims import holds_on_other_seeds

import sigbook as sb
from sigbook import data
from sigbook.worlds import bursty


@pytest.fixture(scope="module")
def small():
    """One world, a training set and a pool of 4,000 documents."""
    of = bursty.world(5)
    return of, bursty.documents(of, 300, 6), bursty.documents(of, 4_000, 7)


def measured(table):
    """The fresh draws at the crossing: gaps, and the probabilities of the two discordant cells."""
    rows = table["stage"] == bursty.MEASURING
    nb, lr = (table[name][rows] / bursty.POOL for name in ("nb", "lr"))
    return bursty.gaps(table)[rows], nb, lr


def rates(table, n):
    """Probability, given each training draw, that McNemar's exact test rejects on n documents."""
    _, nb, lr = measured(table)
    return np.array([sb.mcnemar_power(n, p, q) for p, q in zip(nb, lr)])


# Documents ----------------------------------------------------------------------------------------

def test_counts_have_the_means_and_variances_of_the_law():
    of = bursty.world(1)
    counts, classes = bursty.documents(of, 30_000, 2)
    for c in (0, 1):
        mine, rate = counts[classes == c].astype(np.float64), of.rates[c]
        n = len(mine)
        variance = rate + rate**2 / of.shapes
        assert (np.abs(mine.mean(axis=0) - rate) < 5 * np.sqrt(variance / n)).all()
        np.testing.assert_allclose(mine.var(axis=0).sum(), variance.sum(), rtol=0.05)
    assert abs(classes.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(classes))


def test_bursty_words_are_repeated_or_left_out_and_steady_ones_are_not():
    of = bursty.world(1)
    counts, _ = bursty.documents(of, 5_000, 2)
    dispersion = counts.var(axis=0) / counts.mean(axis=0)
    assert dispersion[of.shapes < 1].min() > 2 and dispersion[of.shapes > 1].max() < 1.3


def test_both_classes_have_documents_of_one_length():
    np.testing.assert_allclose(bursty.world(3).rates.sum(axis=1), 2 * bursty._WORDS_EACH)


def test_a_seed_gives_the_same_documents_and_another_does_not():
    of = bursty.world(1)
    first, again, other = (bursty.documents(of, 20, seed)[0] for seed in (4, 4, 5))
    assert (first == again).all() and (first != other).any()
    assert bursty.pool(of, 1)[0].shape == (bursty.POOL, len(of.shapes))


# Learners -----------------------------------------------------------------------------------------

def test_naive_bayes_counts_words_with_one_added(small):
    of, (counts, classes), _ = small
    words = np.stack([counts[classes == c].sum(axis=0) + 1.0 for c in (0, 1)])
    chances = words / words.sum(axis=1, keepdims=True)
    rules = bursty.train(counts, classes)
    np.testing.assert_allclose(rules.weights[:, 0], np.log(chances[1] / chances[0]), atol=1e-6)
    shares = np.bincount(classes) / len(classes)
    assert rules.bias[0] == pytest.approx(np.log(shares[1] / shares[0]))


def test_logistic_regression_is_the_minimum_of_the_mean_loss_and_the_penalty(small):
    """The gradient of mean log-loss + lambda/2 |w|^2 is 0 there; the intercept has no penalty."""
    _, (counts, classes), _ = small
    rules = bursty.train(counts, classes)
    w, bias = rules.weights[:, 1], rules.bias[1]
    error = 1 / (1 + np.exp(-(counts @ w + bias))) - classes
    assert np.abs(counts.T @ error / len(classes) + bursty.LAMBDA * w).max() < 1e-4
    assert abs(error.mean()) < 1e-4
    summed = counts.T @ error + bursty.LAMBDA * w  # the penalty beside the sum of the losses
    assert np.abs(summed).max() > 1e-2


def test_cells_count_every_document_once_and_agree_with_the_answers(small):
    _, seen, (counts, classes) = small
    rules = bursty.train(*seen)
    both, nb, lr, neither = bursty.cells(rules, counts, classes)
    assert both + nb + lr + neither == len(classes)
    for k, right in enumerate((both + nb, both + lr)):
        answers = counts.astype(np.float64) @ rules.weights[:, k] + rules.bias[k] > 0
        assert (answers == classes).sum() == right


def test_scores_next_to_zero_are_judged_in_double_precision():
    """Three words whose weights cancel but for less than a float32 can hold beside them."""
    tiny = 2.0**-40
    rules = bursty.Rules(np.array([[1000.0, 1.0], [-1000.0, 1.0], [tiny, -3.0]]), np.zeros(2))
    counts = np.array([[3, 3, 1], [3, 3, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
    shifted = bursty.Rules(rules.weights + np.array([[0], [-2 * tiny], [0]]), rules.bias)
    for of, first in ((rules, 1), (shifted, 0)):
        both, nb, _, _ = bursty.cells(of, counts, np.array([1, 0, 1, 0]))
        assert both + nb == 3 + first


def test_one_class_cannot_be_trained_on(small):
    _, (counts, classes), _ = small
    with pytest.raises(ValueError, match="classes must hold both classes"):
        bursty.train(counts[classes == 1], classes[classes == 1])


# Frozen as generated ------------------------------------------------------------------------------

def test_draws_are_made_again_within_the_stated_tolerance():
    """Two draws of each size; on the machine that froze them they are the same."""
    words, population, choosing, _ = np.random.default_rng(bursty.SEED).spawn(4)
    of = bursty.world(words)
    everything = bursty.pool(of, population)
    table, near, total = bursty.load(), 0, 0
    for i, size in enumerate(bursty.SIZES):
        for j, stream in enumerate(choosing.spawn(bursty.DRAWS)[:2]):
            again = bursty._draw(of, size, stream, everything)
            row = [table[name][i * bursty.DRAWS + j] for name in bursty.COLUMNS]
            assert row[:2] == [bursty.CHOOSING, size]
            near += np.abs(np.subtract(again, row[2:])).max() <= bursty.TOLERANCE
            total += 1
    assert near >= total - 3


def test_halvings_are_made_again_within_the_stated_tolerance():
    size = bursty.crossing(bursty.load())
    again = bursty.five_by_two(bursty.SEED, size, experiments=3)
    frozen = bursty.load_folds()
    assert list(again) == list(frozen) and len(frozen["1a"]) == bursty.EXPERIMENTS
    differ = [np.abs(again[name] - frozen[name][:3]) > 2 for name in frozen]
    assert np.mean(differ) <= 0.4


@pytest.mark.long
@pytest.mark.parametrize("name", ["bursty", "bursty-seeds", "bursty-folds"])
def test_all_tables_are_made_again(name):
    [(file, (table, line))] = make_data.build([name]).items()
    if table.content == data.read_bytes(file):
        assert line == data.manifest()[file]
    else:
        again = [row.split(",") for row in table.content.decode().splitlines()[1:]]
        frozen = np.array(list(data.read_csv(file).values())).T
        assert np.array(again, dtype=np.int64).shape == frozen.shape


def test_loaded_tables_are_whole_read_only_and_small():
    table = bursty.load()
    assert tuple(table) == bursty.COLUMNS
    assert len(table["size"]) == (len(bursty.SIZES) + 1) * bursty.DRAWS
    for columns in (table, bursty.load_seeds(), bursty.load_folds()):
        for column in columns.values():
            assert column.dtype == np.int64 and not column.flags.writeable
    assert (sum(table[name] for name in ("both", "nb", "lr", "neither")) == bursty.POOL).all()
    files = (bursty.DRAWS_FILE, bursty.SEEDS_FILE, bursty.FOLDS_FILE)
    assert sum(data.path(file).stat().st_size for file in files) < 80_000
    with pytest.raises(ValueError, match="seed must be one of"):
        bursty.of_seed(3)


def test_the_crossing_is_where_the_line_through_the_means_is_zero():
    sizes = np.repeat([50, 100, 200, 400, 800], 2)
    mean = 0.03 * np.log(300 / sizes) + np.tile([0.003, -0.003], 5)
    table = {"stage": np.zeros(10, dtype=int), "size": sizes,
             "nb": np.rint(9_000 + bursty.POOL * mean), "lr": np.full(10, 9_000)}
    assert abs(bursty.crossing(table) - 300) <= 1
    table["stage"][-2:] = bursty.MEASURING
    table["nb"][-2:] = 0
    assert abs(bursty.crossing(table) - 300) <= 1


# What the world must show, frozen and under other seeds -------------------------------------------

def curves_cross(table):
    rows = table["stage"] == bursty.CHOOSING
    gaps = [bursty.gaps(table)[rows & (table["size"] == size)] for size in bursty.SIZES]
    z = [gap.mean() / (gap.std(ddof=1) / np.sqrt(len(gap))) for gap in gaps]
    return bool(min(z[:3]) > 4 and max(z[-2:]) < -4)


def equal_at_the_crossing(table):
    gap, _, _ = measured(table)
    return bool(abs(gap.mean()) < 2 * gap.std(ddof=1) / np.sqrt(len(gap)))


def training_varies_more_than_testing(table):
    gap, nb, lr = measured(table)
    return bool(gap.var(ddof=1) > ((nb + lr - gap**2) / 3_000).mean())


def a_larger_test_set_rejects_more(table):
    return bool(rates(table, 20_000).mean() > 0.5 > 0.35 > rates(table, 3_000).mean() > 0.1)


def both_directions(table):
    gap, _, _ = measured(table)
    sure = rates(table, 20_000) > 0.8
    return bool((gap[sure] > 0).sum() >= 2 and (gap[sure] < 0).sum() >= 2)


POINTS = (curves_cross, equal_at_the_crossing, training_varies_more_than_testing,
          a_larger_test_set_rejects_more, both_directions)


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.__name__)
def test_the_frozen_world_shows(point):
    assert point(bursty.load())


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.__name__)
def test_other_seeds_show(point):
    holds_on_other_seeds(lambda seed: point(bursty.of_seed(seed)), seeds=bursty.OTHER_SEEDS,
                         label=f"bursty world, {re.sub('_', ' ', point.__name__)}")
