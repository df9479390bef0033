"""The trigram world: frozen as generated, and one system run twice."""

from __future__ import annotations

import gzip
import hashlib
from fractions import Fraction

import make_data
import numpy as np
import pytest
from claims import SEEDS, holds_on_other_seeds

import sigbook as sb
from sigbook import data, metrics
from sigbook.worlds import trigram
from sigbook.worlds.segment_metrics import METRICS

FILES = (trigram.STATISTICS_FILE, trigram.PROMPTS_FILE, trigram.SCORES_FILE)


@pytest.fixture(scope="module")
def world():
    return trigram.load()


@pytest.fixture(scope="module")
def other_worlds():
    return {seed: trigram.generate(seed) for seed in SEEDS}


def both_scored(world, prompts=10):
    """Share of the experiments in which both systems have BLEU > 0."""
    a, b = (metrics.bleu(x.sum(axis=1)) for x in trigram.experiments(prompts, world))
    return float(((a > 0) & (b > 0)).mean())


# Frozen as generated ------------------------------------------------------------------------------

def test_statistics_and_prompts_are_made_again_byte_for_byte():
    made = make_data.build(["trigram"])
    assert set(made) == {trigram.STATISTICS_FILE, trigram.PROMPTS_FILE}
    for file, (table, line) in made.items():
        assert table.content == data.read_bytes(file)
        assert line == data.manifest()[file]


def test_frozen_files_match_the_manifest_and_stay_small():
    for file in FILES:
        content = gzip.decompress(data.path(file).read_bytes())
        assert hashlib.sha256(content).hexdigest() == data.manifest()[file]["sha256"]
    assert sum(data.path(file).stat().st_size for file in FILES) < 600_000


def test_segment_scores_of_some_prompts_are_made_again(world):
    chosen = range(5, trigram.PROMPTS, 50)
    texts = trigram.endings(trigram.SEED)
    scores = trigram.thousandths([world.references[i] for i in chosen], [texts[i] for i in chosen])
    assert tuple(scores) == METRICS
    for metric, frozen in trigram.load_scores().items():
        np.testing.assert_array_equal(scores[metric], frozen[list(chosen)].ravel())


@pytest.mark.long
def test_all_segment_scores_are_made_again_byte_for_byte():
    (file, (table, _)), = make_data.build(["trigram-scores"]).items()
    assert table.content == data.read_bytes(file)


def test_loading_gives_what_the_generator_gives(world):
    made = trigram.generate(trigram.SEED)
    np.testing.assert_array_equal(made.statistics, world.statistics)
    assert made.statistics.dtype == world.statistics.dtype == np.int64
    assert made.prompts == world.prompts and made.references == world.references
    assert made.texts == world.texts
    assert not world.statistics.flags.writeable


def test_another_seed_gives_another_world(world, other_worlds):
    assert all(other.prompts != world.prompts for other in other_worlds.values())


def test_statistics_are_those_of_sacrebleu(world):
    for side, sample in enumerate((0, trigram.SAMPLES // 2)):
        counted = sb.bleu_statistics([pair[side] for pair in world.texts], world.references)
        np.testing.assert_array_equal(counted, world.statistics[:, 0, sample])
    texts = trigram.endings(trigram.SEED)
    for i in (0, 93, 187):
        counted = sb.bleu_statistics(texts[i], [world.references[i]] * len(texts[i]))
        np.testing.assert_array_equal(counted, world.statistics[i].reshape(-1, 10))


def test_scores_agree_with_the_statistics_where_both_count_the_same(world):
    # ROUGE-1 drops the full stop and the comma, so it is near 2 m1 / (c + r) and not equal to it.
    c, r, m1 = (world.statistics[..., k] for k in range(3))
    rouge1 = trigram.load_scores()["rouge1"]
    assert np.corrcoef(rouge1.ravel(), (2 * m1 / (c + r)).ravel())[0, 1] > 0.9
    for scores in trigram.load_scores().values():
        assert scores.min() >= 0 and scores.max() <= 1000
        assert not scores[c == 0].any()


def test_prompts_are_distinct_and_have_one_reference_each(world):
    assert len(set(world.prompts)) == len(world.references) == trigram.PROMPTS == 188
    assert (world.statistics[..., 1] == [[[len(text.split())]] for text in world.references]).all()
    assert world.statistics.shape == (188, 4, 64, 10)


# Experiments --------------------------------------------------------------------------------------

@pytest.mark.parametrize("prompts, count", [(188, 128), (94, 256), (47, 512), (20, 1_152),
                                            (10, 2_304), (1, 24_064), (95, 128)])
def test_counts_of_experiments(prompts, count):
    a, b = trigram.experiments(prompts)
    assert a.shape == b.shape == (count, prompts, 10)
    assert a.dtype == b.dtype == np.int64


@pytest.mark.parametrize("prompts", [188, 47, 20])
def test_an_experiment_pairs_sample_j_with_j_plus_32_on_its_block(world, prompts):
    numbered = np.arange(188 * 4 * 64).reshape(188, 4, 64)
    a, b = trigram.paired(numbered, prompts)
    np.testing.assert_array_equal(b, a + 32)
    blocks = 188 // prompts
    a = a.reshape(blocks, 4, 32, prompts)
    for block, stream, j in [(0, 0, 0), (blocks - 1, 3, 31), (blocks // 2, 2, 17)]:
        wanted = numbered[block * prompts:(block + 1) * prompts, stream, j]
        np.testing.assert_array_equal(a[block, stream, j], wanted)
    both = np.concatenate([a.ravel(), b.ravel()])
    assert len(np.unique(both)) == len(both) == blocks * prompts * 256


def test_sizes_share_their_samples():
    whole, halves = trigram.experiments(188)[0], trigram.experiments(94)[0]
    np.testing.assert_array_equal(whole, np.concatenate([halves[:128], halves[128:]], axis=1))


@pytest.mark.parametrize("prompts", [0, -1, 189, 2.5, True, "10", None])
def test_a_wrong_number_of_prompts_is_refused(prompts):
    with pytest.raises(ValueError, match="prompts must be an integer from 1 to 188"):
        trigram.experiments(prompts)


def test_experiments_are_fresh_arrays(world):
    a, _ = trigram.experiments(188)
    before = world.statistics.copy()
    a[:] = -1
    np.testing.assert_array_equal(world.statistics, before)


# The sharp null -----------------------------------------------------------------------------------

COLUMNS = {"c": 0, "m1": 2, "m2": 3, "m4": 5}


def order_z(statistics):
    """z-scores that are near N(0, 1) when the 256 samples of each prompt may change places.

    For each column: the signed difference of j and j + 32 (a swap changes its sign), the sum of
    products of neighbours around the prompt's mean, and the correlation with the sample's place.
    """
    z = []
    x = statistics[..., list(COLUMNS.values())].astype(np.float64)
    d = (x[:, :, :32] - x[:, :, 32:]).reshape(-1, len(COLUMNS))
    z += list(d.sum(axis=0) / np.sqrt((d**2).sum(axis=0)))
    x = x.reshape(len(x), 256, -1)
    x = x - x.mean(axis=1, keepdims=True)
    n, power = 256, (x**2).sum(axis=1)
    # Under a random order the mean product of two different samples is -power / (n (n - 1)).
    products = x[:, :-1] * x[:, 1:] + power[:, None] / (n * (n - 1))
    spread = np.sqrt((n - 1) * ((power / n)**2).sum(axis=0))
    z += list(products.sum(axis=(0, 1)) / spread)
    place = np.arange(n) - (n - 1) / 2
    z += list((x * place[:, None]).sum(axis=(0, 1))
              / np.sqrt((place**2).sum() * power.sum(axis=0) / (n - 1)))
    return np.array(z)


def test_the_order_of_the_samples_carries_nothing(world, other_worlds):
    z = np.array([order_z(w.statistics) for w in [world, *other_worlds.values()]])
    assert abs(z).max() < 4.5
    # 132 values from 11 worlds, of which the columns of one world are correlated.
    assert 0.6 < np.sqrt((z**2).mean()) < 1.4


def test_the_order_check_sees_a_drift_a_repetition_and_a_second_model(world, monkeypatch):
    statistics = world.statistics.copy()
    by_length = np.argsort(statistics[..., :1], axis=2, kind="stable")
    ordered = np.take_along_axis(statistics, by_length, axis=2)
    assert abs(order_z(ordered)).max() > 10
    repeated = statistics.copy()
    repeated[:, :, 1::8] = repeated[:, :, 0::8]
    assert abs(order_z(repeated)).max() > 10
    monkeypatch.setattr(trigram, "ODDS", (5, 14, 1))
    mixed = statistics.copy()
    mixed[:, :, 32:] = trigram.generate(trigram.SEED).statistics[:, :, 32:]
    assert abs(order_z(mixed)).max() > 10


def test_samples_follow_the_interpolated_trigram():
    # Text over words 1, 2, 3 with 0 as the end of a sentence; shares counted by hand.
    text = np.array([0, 0, 1, 2, 3, 0, 1, 2, 1, 0, 2, 3, 0], dtype=np.int64)
    tables = trigram._train(text, 4)
    odds = [Fraction(part, sum(trigram.ODDS)) for part in trigram.ODDS]
    after_12 = {3: Fraction(1, 2), 1: Fraction(1, 2)}
    after_2 = {3: Fraction(2, 3), 1: Fraction(1, 3)}
    anywhere = {0: Fraction(3, 11), 1: Fraction(3, 11), 2: Fraction(3, 11), 3: Fraction(2, 11)}

    def mixture(parts):
        return [float(sum(weight * law.get(word, 0) for weight, law in parts)) for word in range(4)]

    cases = {(1, 2): mixture(list(zip(odds, (after_12, after_2, anywhere)))),
             (3, 2): mixture([(odds[0] + odds[1], after_2), (odds[2], anywhere)])}
    n = 200_000
    for context, wanted in cases.items():
        last = np.tile(np.array(context, dtype=np.int64), (n, 1))
        word = trigram._next(tables, trigram._contexts(last, 4), np.random.default_rng(7))
        share = np.bincount(word, minlength=4) / n
        wanted = np.array(wanted)
        assert wanted.sum() == pytest.approx(1)
        assert (abs(share - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / n) + 1e-12).all()


# What the chapters rely on ------------------------------------------------------------------------

def test_at_ten_prompts_nine_experiments_in_ten_score_both_systems(world, other_worlds):
    assert both_scored(world) >= 0.90
    assert both_scored(world, 47) == 1
    holds_on_other_seeds(lambda seed: both_scored(other_worlds[seed]) >= 0.90,
                         label="trigram: both BLEU above 0 in 90% of the experiments of 10 prompts")


def test_some_experiments_of_ten_prompts_have_a_zero_bleu(world, other_worlds):
    assert both_scored(world) < 0.98
    holds_on_other_seeds(lambda seed: both_scored(other_worlds[seed]) < 0.98,
                         label="trigram: a BLEU of 0 in 2% of the experiments of 10 prompts")


def test_lengths_stay_away_from_the_kink(world):
    c, r = world.statistics[..., 0].sum(), world.statistics[..., 1].sum()
    assert c / r > 1.1
    for prompts in (47, 94, 188):
        for side in trigram.experiments(prompts):
            pooled = side.sum(axis=1)
            assert (pooled[:, 0] > pooled[:, 1]).all()
