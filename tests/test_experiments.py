"""The A/A experiment: sizes of the rules on two systems that are one.

The rates of one size come from independent experiments. Sizes share their samples and rules their
clouds, so each claim is about one rule at one size, or about paired counts.
"""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest
from claims import SEEDS, holds_on_other_seeds
from scipy import stats

import sigbook as sb
from sigbook import experiments as aa
from sigbook.clouds import bootstrap_stack, randomize_stack
from sigbook.worlds import trigram

RANDOMIZATION, KOEHN, KOEHN_WINNER, TWICE, TWICE_WINNER, SHIFTED, SACREBLEU = range(7)
DRAWS = 199


@pytest.fixture(scope="module")
def table():
    return aa.aa_table(DRAWS)


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


def test_the_claims_hold_on_the_frozen_world():
    failed = [claim for claim, true in holds(aa.aa_table()).items() if not true]
    assert not failed


def test_the_claims_hold_in_other_worlds():
    worlds = {seed: trigram.generate(seed) for seed in SEEDS}
    each_holds({seed: holds(aa.aa_table(DRAWS, world=world)) for seed, world in worlds.items()},
               "A/A in another world")


def test_the_claims_hold_for_other_draws():
    each_holds({seed: holds(aa.aa_table(DRAWS, seed=seed)) for seed in SEEDS}, "A/A with other draws")


# One number, one row, by hand ---------------------------------------------------------------------


def test_a_share_has_the_binomial_standard_error():
    share = aa.rejected(np.array([0.01, 0.05, 0.0501, 0.5, 1.0]))
    assert (share.value, share.experiments) == (0.4, 5) and type(share.value) is float
    assert share.error == pytest.approx(math.sqrt(stats.binom.var(5, 0.4)) / 5)
    assert str(share) == "0.400 (se 0.219)"
    assert aa.rejected(np.array([0.01, 0.05, 0.0501, 0.5, 1.0]), 0.5).value == 0.8
    with pytest.raises(dataclasses.FrozenInstanceError):
        share.value = 0.5


@pytest.fixture
def row():
    """Six experiments of 10 prompts, 19 draws: p of randomization and of Koehn's rule, the rest 1."""
    p = np.ones((7, 6))
    p[RANDOMIZATION] = [0.05, 0.1, 0.15, 0.5, 0.55, 1.0]
    p[KOEHN] = [0, 1 / 19, 2 / 19, 10 / 19, 18 / 19, 1]
    p[SHIFTED] = [0.05, 0.05, 1.0, 0.05, 1.0, 0.05]
    return aa.AARow(10, 19, p, np.zeros(6), np.array([0, 1, 0, 2, 1, 0]))


def test_rejections_of_a_row_are_counted(row):
    assert row.experiments == 6
    assert row.shares().tolist() == [1 / 6, 1 / 6, 0, 0, 0, 4 / 6, 0]
    assert row.shares(0.5).tolist() == [4 / 6, 3 / 6, 0, 0, 0, 4 / 6, 0]
    assert [(count, counts.tolist()) for count, counts in row.split()] == [
        (3, [1, 1, 0, 0, 0, 2, 0]), (2, [0, 0, 0, 0, 0, 1, 0]), (1, [0, 0, 0, 0, 0, 1, 0])]
    assert [counts[RANDOMIZATION] for _, counts in row.split(0.5)] == [2, 1, 1]
    assert row.paired(RANDOMIZATION, SHIFTED) == (0, 3, 1)
    assert row.paired(SHIFTED, RANDOMIZATION) == (3, 0, 1)
    assert row.paired(RANDOMIZATION, KOEHN, 0.11) == (0, 1, 2)
    width = 3 * math.sqrt(stats.binom.var(6, 0.2)) / 6
    assert row.band(0.2) == pytest.approx((0.2 - width, 0.2 + width))
    assert all(type(edge) is float for edge in row.band())


def test_a_p_value_of_a_row_falls_into_one_bin(row):
    assert row.histogram().tolist() == [1, 1, 1, *[0] * 6, 1, 1, *[0] * 8, 1]
    assert row.histogram(bins=2).tolist() == [4, 2] and row.histogram(SHIFTED, 10).tolist() == [4, *[0] * 8, 2]
    assert row.histogram(KOEHN, 2).tolist() == [3, 3] and row.histogram(KOEHN, 19).tolist() == [
        2, 1, *[0] * 7, 1, *[0] * 7, 1, 1]


def test_rows_and_tables_stay_as_they_are(row):
    for thing, name in ((row, "p"), (aa.AATable((row,)), "rows"), (aa.RULES[0], "plus")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, None)
    other = dataclasses.replace(row)
    assert row == row and row != other and row.experiments == other.experiments
    assert aa.AATable((row,)) != aa.AATable((row,))


def test_tables_are_written_by_rule_and_by_zeros(row):
    other = aa.AARow(188, 19, np.full((7, 1_000), 0.05), np.zeros(1_000), np.zeros(1_000, dtype=np.int64))
    lines = [line.split() for line in aa.aa_text(aa.AATable((row, other))).splitlines()]
    assert [line[-2:] for line in lines] == [
        ["10", "188"], ["6", "1,000"], ["0.000", "0.029"], ["0.317", "0.071"], ["0.167", "1.000"], ["0.167", "1.000"],
        *[["0.000", "1.000"]] * 3, ["0.667", "1.000"], ["0.000", "1.000"], ["0.667", "1.000"]]
    assert lines[-1][:4] == ["randomization,", "p", "<=", "0.5"]
    loose = [line.split() for line in aa.aa_text(aa.AATable((row,)), 0.5).splitlines()]
    assert loose[4][-1] == loose[-1][-1] == "0.667" and loose[2][-1] == "0.000" and loose[3][-1] == "1.112"
    assert len({len(line) for line in aa.aa_text(aa.AATable((row, other))).splitlines()}) == 1
    lines = aa.split_text(row).splitlines()
    assert lines[0].split() == ["both", ">", "0", "one", "is", "0", "both", "0"]
    assert [line.split()[-3:] for line in lines[1:]] == [
        ["3", "2", "1"], ["0.1667", "0.0000", "0.0000"], ["0.1667", "0.0000", "0.0000"], *[["0.0000"] * 3] * 3,
        ["0.3333", "0.1667", "0.1667"], ["0.0000"] * 3]
    assert [line.split("(")[0].strip() for line in lines[2:]] == [rule.name for rule in aa.RULES]
    assert aa.split_text(row, 0.5).splitlines()[2].split()[-3:] == ["0.3333", "0.1667", "0.1667"]
    assert len({len(line) for line in lines}) == 1


def test_by_default_the_size_can_be_exactly_alpha_and_the_seed_is_0():
    row = aa.aa_row(188, experiments=2)  # (B + 1) alpha is whole with the default B
    assert row.draws == aa.DRAWS == 1_999 and (aa.DRAWS + 1) * aa.ALPHA == 100
    np.testing.assert_array_equal(row.p, aa.aa_row(188, seed=0, experiments=2).p)
    first, again = aa.aa_table(1), aa.aa_table(1, seed=0)
    assert all((x.p == y.p).all() for x, y in zip(first.rows, again.rows))


# All experiments ----------------------------------------------------------------------------------


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
            assert k.min() >= rule.plus - 1e-9 and p.max() <= 1 and p.shape == (row.experiments,)


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


def test_of_a_tie_the_winner_is_a():
    gaps = np.array([[-2.0, -1, -1, 3], [-1, 1, 1, 2], [-1, 1, 1, 1]])
    cloud = sb.Cloud(gaps, np.array([0.0, 1.0, -1.0]), "bootstrap")
    p = aa.bootstrap_p_values(cloud)
    assert p.shape == (6, 3)
    assert p[KOEHN_WINNER - 1].tolist() == [0.75, 0.25, 0.75] and p[TWICE_WINNER - 1].tolist() == [0.25, 0.25, 0]


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
    for prompts, row in ((10, table.rows[0]), (20, aa.aa_row(20, 2))):
        a, b = trigram.experiments(prompts)
        zeros = (a[..., 5].sum(axis=1) == 0).astype(int) + (b[..., 5].sum(axis=1) == 0)
        np.testing.assert_array_equal(row.zeros, zeros)
    silent = table.rows[0].zeros == 2
    assert silent.any() and (table.rows[0].p[RANDOMIZATION, silent] == 1).all()
    assert (table.rows[0].p[SACREBLEU, silent] == 1 / (DRAWS + 1)).all()


def test_monte_carlo_p_values_are_near_the_full_group_s(table):
    a, b = trigram.experiments(10)
    full = np.array([sb.p_randomization(sb.randomize(sb.PairedSet(a[e], b[e]), draws="all"))
                     for e in range(0, 400, 20)])
    found = table.rows[0].p[RANDOMIZATION, :400:20]
    error = 5 * np.sqrt(full * (1 - full) / DRAWS) + 1 / (DRAWS + 1)
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


def test_chosen_experiments_are_different_ones():
    every = aa.aa_row(188, 1)
    again = aa.aa_row(188, 1, seed=6, experiments=128)
    assert (again.observed != every.observed).any() and sorted(again.observed) == sorted(every.observed)
    one = aa.aa_row(188, 1, seed=6, experiments=1)
    assert one.experiments == 1 and one.observed[0] in every.observed


@pytest.mark.parametrize("arguments, named", [
    (dict(prompts=1), "prompts"), (dict(prompts=10, draws=0), "draws"), (dict(prompts=188, experiments=0), "experiments"),
    (dict(prompts=188, experiments=129), "experiments"), (dict(prompts=10, seed=None), "seed")])
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        aa.aa_row(**arguments)


def test_no_part_of_the_trials_is_drawn_by_the_method_that_numpy_changed():
    asked = []

    def certain(n, p):
        """Every trial succeeds, so that the number found is the number of trials."""
        asked.append(np.broadcast_arrays(n, p))
        return np.array(n)

    n, p = np.array([0, 1, 29, 10, 1_000, 10**6]), np.array([0.5, 0.5, 1.0, 0.0, 0.9, 1e-4])
    found = aa.binomial(SimpleNamespace(binomial=certain), n, p)
    assert found.tolist() == n.tolist()
    assert all((n * np.minimum(p, 1 - p) <= 30).all() for n, p in asked)
    assert 4 <= len(asked) <= 5  # 1,000 trials in parts of 290, a million in parts of 290,000


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
    for n, p in ((50, 0.4), (290, 0.1), (96, 0.7)):  # at most 29 expected of one outcome
        few = aa.binomial(np.random.default_rng(2), np.full(1_000, n), p)
        np.testing.assert_array_equal(few, np.random.default_rng(2).binomial(n, p, size=1_000))
    sure = aa.binomial(rng, np.array([100, 100]), np.array([0.0, 1.0]))
    assert sure.tolist() == [0, 100]
