"""The A/A experiment: sizes of the rules on two systems that are one.

The rates of one size come from independent experiments. Sizes share their samples and rules their
clouds, so each claim is about one rule at one size, or about paired counts.
"""

from __future__ import annotations

import numpy as np
import pytest
from claims import SEEDS, holds_on_other_seeds
from scipy import stats

import sigbook as sb
from sigbook import experiments as aa
from sigbook.clouds import bootstrap_stack, randomize_stack
from sigbook.worlds import trigram

RANDOMIZATION, KOEHN, KOEHN_WINNER, TWICE, TWICE_WINNER, SHIFTED, SACREBLEU = range(7)


@pytest.fixture(scope="module")
def table():
    return aa.aa_table()


def clouds(prompts, draws, seed):
    """The randomization and the bootstrap cloud of every experiment of one size."""
    swaps, resamples = np.random.default_rng(seed).spawn(2)
    a, b = trigram.experiments(prompts)
    return randomize_stack(a, b, "bleu", draws, swaps), bootstrap_stack(a, b, "bleu", draws, resamples)


def holds(table):
    """The claims of the chapters on one table: name -> bool."""
    shares = table.shares()
    upper = np.array([row.band()[1] for row in table.rows])
    (scored, rejected), (one_zero, with_zero), _ = table.rows[0].split()
    return {
        "randomization stays below the band's upper edge at every size":
            bool((shares[RANDOMIZATION] <= upper).all()),
        "randomization rejects at least 0.03 at 10, 20 and 47":
            bool((shares[RANDOMIZATION, :3] >= 0.03).all()),
        "2δ for a fixed direction is above the band at 10": bool(shares[TWICE, 0] > upper[0]),
        **{f"2δ for a fixed direction is below the upper edge at {row.prompts}":
           bool(shares[TWICE, k] <= upper[k])
           for k, row in enumerate(table.rows) if row.prompts >= 47},
        "2δ at 10 is below the upper edge when both BLEU are above 0":
            bool(rejected[TWICE] / scored <= upper[0]),
        "2δ at 10 rejects more than a quarter when one BLEU is 0":
            bool(with_zero[TWICE] > one_zero / 4),
        "sacreBLEU's rule rejects more than randomization at every size":
            bool((shares[SACREBLEU] > shares[RANDOMIZATION]).all()),
        "sacreBLEU's rule is above the band at 10 and 20":
            bool((shares[SACREBLEU, :2] > upper[:2]).all()),
        "p-values of randomization are superuniform at 0.5 up to 3 standard errors":
            all(row.shares(0.5)[RANDOMIZATION] <= row.band(0.5)[1] for row in table.rows),
    }


def each_holds(results, label):
    for claim in next(iter(results.values())):
        holds_on_other_seeds(lambda seed: results[seed][claim], label=f"{label}: {claim}",
                             seeds=results)


def test_the_claims_hold_on_the_frozen_world(table):
    failed = [claim for claim, true in holds(table).items() if not true]
    assert not failed


def test_the_claims_hold_in_other_worlds():
    worlds = {seed: trigram.generate(seed) for seed in SEEDS}
    each_holds({seed: holds(aa.aa_table(199, world=world)) for seed, world in worlds.items()},
               "A/A in another world")


def test_the_claims_hold_for_other_draws():
    each_holds({seed: holds(aa.aa_table(199, seed=seed)) for seed in SEEDS}, "A/A with other draws")


def test_sizes_and_experiments_are_those_of_the_source(table):
    assert [(row.prompts, row.experiments) for row in table.rows] == [
        (10, 2_304), (20, 1_152), (47, 512), (94, 256), (188, 128)]
    assert sum(row.experiments for row in table.rows) == 4_352


def test_bands_are_three_binomial_standard_errors(table):
    widths = [(row.band()[1] - row.band()[0]) / 2 for row in table.rows]
    np.testing.assert_allclose(widths, [0.0136, 0.0193, 0.0289, 0.0409, 0.0578], atol=5e-5)


def test_p_values_are_multiples_of_their_step(table):
    for row in table.rows:
        for rule, p in zip(aa.RULES, row.p):
            k = p * (row.draws + rule.plus)
            assert abs(k - np.rint(k)).max() < 1e-9
            assert k.min() >= rule.plus - 1e-9 and p.max() <= 1


def test_every_column_names_its_side(table):
    text = aa.aa_text(table)
    sides = {"randomization": ["two-sided"], "Koehn": ["A better", "the winner"],
             "2δ": ["A better", "the winner"], "shifted": ["two-sided"], "sacreBLEU": ["two-sided"]}
    assert [(rule.name, rule.side) for rule in aa.RULES] == [
        (name, side) for name, named in sides.items() for side in named]
    for rule, shares in zip(aa.RULES, table.shares()):
        head = f"{rule.name} ({rule.side}) "
        line, = [line for line in text.splitlines() if line.startswith(head)]
        assert line.split()[-5:] == [f"{share:.3f}" for share in shares]


def test_one_sided_columns_follow_the_direction():
    swapped, resampled = clouds(20, 199, seed=5)
    p = aa.aa_pvalues(swapped, resampled)
    ahead = resampled.observed > 0
    for fixed, winner, rule in ((KOEHN, KOEHN_WINNER, sb.p_koehn),
                                (TWICE, TWICE_WINNER, sb.p_recentered)):
        other = rule(resampled, alternative="less")
        np.testing.assert_array_equal(p[fixed], rule(resampled))
        np.testing.assert_array_equal(p[winner][ahead], p[fixed][ahead])
        np.testing.assert_array_equal(p[winner][~ahead], other[~ahead])
        assert 0.4 < ahead.mean() < 0.6


def test_the_winner_s_direction_doubles_the_size(table):
    for fixed, winner in ((KOEHN, KOEHN_WINNER), (TWICE, TWICE_WINNER)):
        for row in table.rows:
            rejected = (row.p <= aa.ALPHA).sum(axis=1)
            extra = rejected[winner] - rejected[fixed]
            assert abs(extra - rejected[fixed]) <= 4 * np.sqrt(rejected[winner])
        ratio = sum((row.p[winner] <= aa.ALPHA).sum() for row in table.rows) / sum(
            (row.p[fixed] <= aa.ALPHA).sum() for row in table.rows)
        assert 1.7 < ratio < 2.3


def test_split_and_pairs_add_up_to_the_shares(table):
    for row in table.rows:
        split = row.split()
        assert sum(count for count, _ in split) == row.experiments
        rejected = (row.p <= aa.ALPHA).sum(axis=1)
        np.testing.assert_array_equal(sum(counts for _, counts in split), rejected)
        alone, other_alone, both = row.paired(RANDOMIZATION, SHIFTED)
        assert (alone + both, other_alone + both) == (rejected[RANDOMIZATION], rejected[SHIFTED])
    text = aa.split_text(table.rows[0])
    assert "2,124" in text and "both > 0" in text


def test_rules_share_their_experiments(table):
    # Independent rules would both reject in about 0.05 * 0.08 of 2,304 experiments, some 10.
    _, _, both = table.rows[0].paired(RANDOMIZATION, SHIFTED)
    assert both > 80
    assert "not independent" in aa.__doc__


def test_histogram_s_bins_are_closed_where_a_test_rejects(table):
    for row in table.rows:
        for rule in range(len(aa.RULES)):
            counts = row.histogram(rule)
            assert len(counts) == 20 and counts.sum() == row.experiments
            assert counts[0] == (row.p[rule] <= 0.05).sum()
            assert counts[:10].sum() == (row.p[rule] <= 0.5).sum()


def test_zero_scores_are_counted_by_the_fourth_order(table):
    a, b = trigram.experiments(10)
    zeros = (a[..., 5].sum(axis=1) == 0).astype(int) + (b[..., 5].sum(axis=1) == 0)
    np.testing.assert_array_equal(table.rows[0].zeros, zeros)
    silent = table.rows[0].zeros == 2
    assert silent.any() and (table.rows[0].p[RANDOMIZATION, silent] == 1).all()
    assert (table.rows[0].p[SACREBLEU, silent] == 1 / 2_000).all()


def test_monte_carlo_p_values_are_near_the_full_group_s(table):
    a, b = trigram.experiments(10)
    full = np.array([sb.p_randomization(sb.randomize(sb.PairedSet(a[e], b[e]), draws="all"))
                     for e in range(0, 400, 20)])
    found = table.rows[0].p[RANDOMIZATION, :400:20]
    error = 5 * np.sqrt(full * (1 - full) / aa.DRAWS) + 1 / (aa.DRAWS + 1)
    assert (abs(found - full) <= error).all()


@pytest.mark.filterwarnings("ignore::sigbook.SignificanceWarning")
def test_the_stack_s_gaps_are_those_of_single_experiments():
    a, b = trigram.experiments(47)
    swapped, resampled = clouds(47, 1_000, seed=3)
    for e in (0, 200, 511):
        pairs = sb.PairedSet(a[e], b[e])
        assert swapped.observed[e] == resampled.observed[e] == pairs.gap
        assert resampled.sd[e] == pytest.approx(sb.bootstrap(pairs, 4_000, seed=1).sd, rel=0.12)
        assert swapped.sd[e] == pytest.approx(sb.randomize(pairs, 4_000, seed=1).sd, rel=0.12)


def test_a_row_is_its_clouds_read_in_parts(monkeypatch):
    whole = aa.aa_pvalues(*clouds(20, 99, seed=8))
    for size in (aa.EXPERIMENTS_AT_ONCE, 37, 5_000):
        monkeypatch.setattr(aa, "EXPERIMENTS_AT_ONCE", size)
        np.testing.assert_array_equal(aa.aa_row(20, 99, seed=8).p, whole)


@pytest.mark.parametrize("prompts", [2, 10, 33, 188])
def test_a_slider_s_row_has_the_experiments_it_asks_for(prompts):
    row = aa.aa_row(prompts, 99, seed=4, experiments=100)
    assert row.experiments == 100 and row.p.shape == (7, 100) and row.prompts == prompts
    np.testing.assert_array_equal(row.p, aa.aa_row(prompts, 99, seed=4, experiments=100).p)
    assert (row.p != aa.aa_row(prompts, 99, seed=5, experiments=100).p).any()


@pytest.mark.parametrize("arguments, named", [
    (dict(prompts=1), "prompts"), (dict(prompts=10, draws=0), "draws"),
    (dict(prompts=188, experiments=129), "experiments"), (dict(prompts=10, seed=None), "seed")])
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        aa.aa_row(**arguments)


def test_drawn_successes_follow_the_binomial_law_when_they_are_drawn_in_parts():
    rng = np.random.default_rng(3)
    for n, p in ((500, 0.2), (150, 0.55), (40, 0.3)):
        found = aa.binomial(rng, np.full(20_000, n), p)
        cuts = stats.binom.ppf([0.1, 0.3, 0.5, 0.7, 0.9], n, p)
        shares = np.diff([0, *stats.binom.cdf(cuts, n, p), 1])
        counts = np.bincount(np.searchsorted(cuts, found), minlength=6)
        assert stats.chisquare(counts, shares * 20_000).pvalue > 1e-3


def test_a_seed_draws_the_same_successes_with_every_numpy():
    """The numbers hold from NumPy 2.0 on; `rng.binomial` draws others since 2.5."""
    rng = np.random.default_rng(1)
    n = np.array([0, 10, 200, 1_000])
    found = aa.binomial(rng, n[:, None], np.full((4, 5_000), 0.3))
    assert found.sum(axis=1).tolist() == [0, 14_937, 300_367, 1_499_805]
    assert (found[0] == 0).all() and found.max() <= 1_000 and found.dtype == np.int64
    few = aa.binomial(np.random.default_rng(2), np.full(1_000, 50), 0.4)
    np.testing.assert_array_equal(few, np.random.default_rng(2).binomial(50, 0.4, size=1_000))
    sure = aa.binomial(rng, np.array([100, 100]), np.array([0.0, 1.0]))
    assert sure.tolist() == [0, 100]
