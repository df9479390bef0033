"""Chapter 12: published p-values, units, whole tables, raters, runs, the edge of significance."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from labs import driven
from scipy.stats import norm

import sigbook as sb
from sigbook import data
from sigbook.chapters import real_systems as chapter

# Tables ------------------------------------------------------------------------------------------


def test_tables_are_in_the_order_of_bleu_and_hold_the_known_scores():
    known = {"WMT17": {"online-B.0": 26.6510, "LIUM-NMT.4900": 26.5958, "online-F.0": 15.4517},
             "WMT23": {"ONLINE-W": 41.117, "ONLINE-M": 38.671},
             "TED": {"Facebook-AI": 30.153, "UEdin": 27.486},
             "runs": {"sys1 run 1": 18.9869, "sys1 run 2": 18.4740,
                      "baseline run 3": 18.5771}}  # fmt: skip
    for name, scores in known.items():
        table = chapter.board(name)
        found = dict(zip(table.systems, 100 * table.scores()))
        assert (np.diff(list(found.values())) <= 0).all()
        for system, score in scores.items():
            assert round(found[system], 3) == round(score, 3)
    assert [len(chapter.board(name).systems) for name in chapter.BOARDS] == [5, 8, 13, 6]
    with pytest.raises(ValueError, match="name"):
        chapter.board("WMT14")


def test_the_system_that_was_rated_twice_stands_once_with_both_ratings():
    rated, table = data.wmt23(), chapter.board("WMT23")
    one, two = (rated.bleu[name] for name in chapter.TWICE)
    assert np.array_equal(one, two)
    place = table.systems.index("GPT4-5shot")
    mean = np.mean([rated.mqm[name] for name in chapter.TWICE], axis=0)
    assert table.penalty[place] == pytest.approx(mean)
    again = chapter.rated_twice("MQM")
    assert (again.a != again.b).sum() == 70
    assert round(-again.score_a, 3) == 3.412 and round(-again.score_b, 3) == 3.600
    assert sb.p_randomization(chapter.quietly(sb.randomize, again)) > 0.1


def test_a_positive_gap_says_that_the_first_is_better_on_both_metrics():
    table = chapter.board("TED")
    first, second = (table.systems.index(name) for name in ("Facebook-AI", "UEdin"))
    rated = data.wmt21_ted()
    gap = rated.mqm["UEdin"].mean() - rated.mqm["Facebook-AI"].mean()
    assert table.pair(first, second, "MQM").gap == pytest.approx(gap)
    assert gap > 0 and table.pair(first, second).gap > 0


def test_a_family_is_the_package_s_test_of_every_pair():
    family = chapter.all_pairs("TED", "MQM", "document")
    assert len(family.p) == 13 * 12 // 2
    for k in (0, 17, 77):
        pairs = family.board.pair(family.first[k], family.second[k], "MQM", "document")
        assert family.p[k] == sb.p_randomization(chapter.quietly(sb.randomize, pairs, "all"))
        assert family.gaps[k] == pairs.gap
    assert np.array_equal(family.adjusted, sb.holm(family.p))
    assert family.title(family.of("UEdin", "Facebook-AI")) == "Facebook-AI − UEdin"
    by_segment = chapter.all_pairs("WMT23")
    rejected = by_segment.p <= 0.05
    assert by_segment.rejections() == rejected.sum()
    assert np.array_equal(by_segment.verdicts(), np.sign(by_segment.gaps) * rejected)


# Published p-values ------------------------------------------------------------------------------


def test_the_published_p_values_come_out_to_the_last_digit():
    table = chapter.board("WMT17")
    base = table.systems.index(chapter.BASELINE)
    exact = {"bs": (0.3076923, 1 / 1_001), "ar": (0.8066193, 1 / 10_001)}
    for kind, published in chapter.PUBLISHED.items():
        for name, (p, _) in published.items():
            found = chapter.tool_p(table.pair(base, table.systems.index(name)), kind)
            assert round(found, 4) == p
            assert found == pytest.approx(exact[kind][name != "online-B.0"], abs=5e-8)
    assert 0.8066 > 0.5 > 0.425 > 0.3077


def test_the_tool_calls_one_output_under_two_names_different():
    same = chapter.rated_twice("BLEU")
    assert chapter.tool_p(same, "bs") == 1 / 1_001
    assert chapter.tool_p(same, "ar") == 1 / 10_001
    assert sb.p_randomization(chapter.quietly(sb.randomize, same)) == 1


def test_the_limit_curve_has_the_values_of_its_law():
    for z in (0.0, 0.24, 1.0, 1.96, 3.0):
        m = z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z)
        right, tool = chapter.limit_p(z)
        assert right == pytest.approx(2 * norm.sf(z))
        assert tool == pytest.approx(norm.cdf(-m) + norm.cdf(-2 * z - m), abs=2e-4)
    assert round(chapter.limit_p(0.0)[1], 3) == 0.425


def test_the_star_on_chrf_is_lost_to_holm_under_randomization():
    starred = {}
    for kind in ("bs", "ar"):
        p = np.array([x for row in chapter.PUBLISHED[kind].values() for x in row])
        starred[kind] = p[3], sb.holm(p)[3]
    assert starred["ar"] == pytest.approx((0.0385, 0.0770))
    assert starred["bs"] == pytest.approx((0.0240, 0.0480))


def test_verdicts_change_in_one_direction_only():
    only = {}
    for name in ("WMT17", "WMT23", "TED"):
        tool, right = chapter.tool_family(name) <= 0.05, chapter.all_pairs(name).p <= 0.05
        only[name] = int((tool & ~right).sum())
        assert not (right & ~tool).any()
    assert only == {"WMT17": 0, "WMT23": 2, "TED": 5}


def test_the_swap_cloud_is_wider_where_the_gap_is_large():
    table = chapter.board("WMT17")
    for (i, j), low, high in (((0, 1), 0.96, 1.04), ((1, 2), 1.07, 1.18), ((1, 4), 1.22, 1.38)):
        found = chapter.widths(table.pair(i, j), 6_000, seed=1)
        assert low < found.ratio < high
        assert found.of_a_mean == pytest.approx(found.ratio, rel=0.1)
    scores = np.random.default_rng(1).normal(0.5, 1, size=(2, 400))
    scores[0] += 1
    mean = chapter.widths(sb.PairedSet(*scores, "mean"), 20_000, seed=2)
    assert mean.ratio == pytest.approx(mean.of_a_mean, rel=0.03)


# Documents ---------------------------------------------------------------------------------------


def test_the_known_pairs_have_the_known_p_values_by_unit():
    for name, a, b, segment, document in (("WMT23", "ONLINE-W", "ONLINE-M", 0.026, 0.065),
                                          ("TED", "Facebook-AI", "UEdin", 0.0001, 0.125)):
        one, two = (chapter.all_pairs(name, unit=unit) for unit in ("segment", "document"))
        assert one.p[one.of(a, b)] == pytest.approx(segment, abs=0.006)
        assert two.p[two.of(a, b)] == pytest.approx(document, abs=0.012)
    two = chapter.all_pairs("TED", unit="document")
    assert two.p[two.of("Facebook-AI", "UEdin")] == 0.125


def test_design_effects_are_those_of_the_influences():
    effects = chapter.design_effects("WMT23")
    family = chapter.all_pairs("WMT23")
    pairs = family.board.pair(0, 4)
    D = sb.design_effect(chapter.quietly(sb.influence, pairs), family.board.documents)
    assert effects[family.of("ONLINE-W", "ONLINE-M")] == D
    ratio = (chapter.quietly(sb.delta_sd, family.board.pair(0, 4, unit="document"))
             / chapter.quietly(sb.delta_sd, pairs)) ** 2  # fmt: skip
    n, K = pairs.n, 30
    assert ratio == pytest.approx(D * n / (n - 1) * (K - 1) / K)
    for name, metric in product(("WMT23", "TED"), ("BLEU", "MQM")):
        assert np.median(chapter.design_effects(name, metric)) > 1


def test_the_critical_gap_is_where_the_p_value_crosses_the_level():
    rng = np.random.default_rng(3)
    for draws, enumerated in ((99, False), (999, False), (64, True), (18, False)):
        gaps = rng.integers(-30, 31, draws) / 10
        for alpha in (0.01, 0.05, 0.2):
            edge = chapter.critical(sb.Cloud(gaps, 0.0, "randomization", enumerated), alpha)
            for size in np.unique(np.abs(gaps)):
                cloud = sb.Cloud(gaps, size, "randomization", enumerated)
                assert (sb.p_randomization(cloud) <= alpha) == (size > edge)
    assert chapter.critical(sb.Cloud(np.ones(9), 0.0, "randomization"), 0.05) == math.inf


def test_the_segment_test_s_size_is_counted_over_swaps_of_talks():
    table, family = chapter.board("TED"), chapter.all_pairs("TED", "MQM")
    sizes = chapter.segment_sizes("TED", "MQM")
    k = int(np.argmax(sizes))
    a, b = (-table.penalty[place] for place in (family.first[k], family.second[k]))
    talks, rejected = np.unique(table.documents), 0
    for pattern in product((False, True), repeat=4):  # the fifth talk by symmetry
        swap = np.isin(table.documents, talks[:4][list(pattern)])
        pairs = sb.PairedSet(np.where(swap, b, a), np.where(swap, a, b), "mean")
        rejected += sb.p_randomization(chapter.quietly(sb.randomize, pairs, 1_999, 5)) <= 0.05
    assert sizes[k] == pytest.approx(rejected / 16, abs=1 / 16)
    assert sizes.mean() > 0.2


# The proposition ---------------------------------------------------------------------------------


def adjusted(scores: np.ndarray) -> np.ndarray:
    """Holm-adjusted p-values of all pairs of (G, J) scores over all swaps."""
    return sb.holm([
        sb.p_randomization(chapter.quietly(
            sb.randomize, sb.PairedSet(scores[:, i], scores[:, j], "mean"), "all"))
        for i, j in combinations(range(scores.shape[1]), 2)
    ])  # fmt: skip


@pytest.mark.proves("prop-table")
def test_no_adjusted_p_value_is_below_the_table_s_floor_and_some_data_reach_it():
    rng = np.random.default_rng(7)
    for _ in range(40):
        J, G = int(rng.integers(2, 6)), int(rng.integers(1, 8))
        scores = rng.integers(0, 5, size=(G, J)) + rng.integers(0, 3) * np.arange(J)
        differing = int((scores != scores[:, :1]).any(axis=1).sum())
        if differing:
            bound = min(Fraction(1), J * (J - 1) // 2 * chapter.pair_floor(differing))
            assert adjusted(scores).min() >= float(bound) - 1e-12
    for J, G in ((2, 5), (3, 6), (5, 9), (13, 12)):
        step = np.outer(np.ones(G, dtype=int), np.arange(J))
        bound = min(Fraction(1), J * (J - 1) // 2 * chapter.pair_floor(G))
        assert adjusted(step) == pytest.approx(np.full(J * (J - 1) // 2, float(bound)))


@pytest.mark.proves("prop-table")
def test_the_number_of_units_and_draws_is_where_holm_can_first_reject():
    for pairs in (1, 3, 10, 28, 78, 190):
        units = chapter.units_needed(pairs)
        assert 2 ** (units - 1) >= 20 * pairs > 2 ** (units - 2)
        for draws, possible in ((20 * pairs - 1, True), (20 * pairs - 2, False)):
            p = np.full(pairs, 1 / (draws + 1))
            assert (sb.holm(p).min() <= 0.05 + 1e-12) == possible
    assert [chapter.units_needed(k) for k in (1, 28, 78)] == [6, 11, 12]


@pytest.mark.proves("prop-table")
def test_shuffles_give_valid_p_values_on_every_table():
    rng = np.random.default_rng(5)
    for J, G in ((3, 2), (2, 3), (4, 1)):
        for _ in range(4):
            table = tuple(map(tuple, rng.integers(0, 4, size=(G, J)).tolist()))
            for draws in (1, 2, 4):
                for r, chance in chapter.exact_rejections(table, draws).items():
                    assert chance <= Fraction(r, draws + 1)
            q = chapter.exact_listed(table)
            for level in set(q):
                assert Fraction(sum(x <= level for x in q), len(q)) <= level


@pytest.mark.proves("prop-table")
def test_without_ties_the_drawn_p_value_is_exact():
    # With as few ties as names allow, p <= r/(B+1) happens with nearly that chance.
    table = ((0, 1, 5), (0, 17, 40), (3, 90, 200))
    chances = chapter.exact_rejections(table, 3)
    for r in (1, 2, 3):
        assert Fraction(r, 4) - Fraction(6, 216) <= chances[r] <= Fraction(r, 4)


@pytest.mark.proves("prop-table")
def test_the_joint_p_value_has_its_floor_and_reaches_it():
    rng = np.random.default_rng(11)
    for J, G in ((2, 4), (3, 2), (3, 3)):
        for _ in range(5):
            table = tuple(map(tuple, rng.integers(0, 6, size=(G, J)).tolist()))
            differing = sum(len(set(row)) > 1 for row in table)
            if differing:
                assert min(chapter.exact_listed(table)) >= chapter.joint_floor(J, differing)
        step = (tuple(range(J)),) * G
        assert chapter.exact_listed(step)[0] == chapter.joint_floor(J, G)
        assert chapter.joint_floor(2, G) == chapter.pair_floor(G)


@pytest.mark.proves("prop-table")
def test_shuffles_of_two_systems_are_swaps():
    rng = np.random.default_rng(2)
    for _ in range(6):
        scores = rng.integers(0, 5, size=(5, 2))
        pairs = sb.PairedSet(scores[:, 0], scores[:, 1], "mean")
        swaps = sb.p_randomization(chapter.quietly(sb.randomize, pairs, "all"))
        assert float(chapter.exact_listed(tuple(map(tuple, scores.tolist())))[0]) == swaps


def test_shuffles_act_one_after_the_other():
    group = chapter.shuffles(3, 2)
    table = ((1, 2, 3), (4, 5, 6))
    once = {chapter.act(shuffle, table) for shuffle in group}
    assert len(group) == len(once) == 36
    for shuffle in group[::7]:
        moved = chapter.act(shuffle, table)
        assert {chapter.act(other, moved) for other in group} == once


def test_the_joint_cloud_draws_from_all_shuffles_alike():
    sums = np.array([[[0, 1], [2, 1], [5, 1]], [[1, 1], [1, 1], [8, 1]]], dtype=float)
    cloud = chapter.joint_cloud(sums, "MQM", draws=20_000, seed=1)
    table = tuple(tuple(int(x) for x in own[:, 0]) for own in sums)
    exact = [chapter.spread_of(chapter.act(s, table)) / 2 for s in chapter.shuffles(3, 2)]
    assert cloud.observed == chapter.spread_of(table) / 2
    listed = chapter.joint_cloud(sums, "MQM", draws="all")
    assert listed.enumerated and sorted([*listed.gaps] * 6) == pytest.approx(sorted(exact))
    q = sb.p_randomization(listed, "greater")
    assert q == float(chapter.exact_listed(table)[0])
    for value in set(exact):
        share = exact.count(value) / len(exact)
        assert np.isclose(cloud.gaps, value).mean() == pytest.approx(share, abs=0.015)
    assert set(np.round(cloud.gaps, 9)) == set(np.round(exact, 9))


def test_unit_sums_pool_to_the_table_s_scores():
    table = chapter.board("TED")
    sums = chapter.unit_sums(table)
    assert sums.shape == (5, 13, 10)
    assert chapter.scores_of(sums.sum(axis=0)) == pytest.approx(table.scores())
    penalty = chapter.unit_sums(table, "MQM").sum(axis=0)
    assert chapter.scores_of(penalty, "MQM") == pytest.approx(-table.scores("MQM"))
    two = chapter.unit_sums(table, unit="segment", systems=(0, 1))
    differ = (table.bleu[0] != table.bleu[1]).any(axis=1)
    assert np.array_equal(two, np.stack([table.bleu[0], table.bleu[1]], axis=1)[differ])


def test_two_systems_in_five_talks_are_never_rejected_and_three_can_be():
    assert chapter.rejected_subsets("TED", "MQM", 2, 30, 199, seed=1) == (0, 30)
    hits, subsets = chapter.rejected_subsets("TED", "MQM", 3, 40, 199, seed=1)
    assert subsets == 40 and hits > 0


def test_the_toy_names_true_nulls_by_enumeration():
    for J, G in ((3, 2), (3, 3), (4, 2)):
        counts: dict[int, int] = {}
        steps = list(permutations(range(J), 2))
        for chosen in product(steps, repeat=G):
            sums = [sum((up == j) - (down == j) for up, down in chosen) for j in range(J)]
            width = max(sums) - min(sums)
            counts[width] = counts.get(width, 0) + 1
        law = {width: Fraction(count, len(steps) ** G) for width, count in counts.items()}
        assert chapter.range_law(J, G) == law
        for alpha in (Fraction(1, 20), Fraction(1, 3)):
            size = Fraction(0)
            for signs in product((1, -1), repeat=G):
                gap = 2 * abs(sum(signs))
                reached = sum(p for width, p in law.items() if width >= gap)
                size += Fraction(int(reached <= alpha), 2**G)
            assert chapter.naming_size(J, G, alpha) == size
    assert chapter.naming_size(8, 5) == Fraction(3, 8)


# Raters, runs, the edge --------------------------------------------------------------------------


def test_agreement_counts_both_families_verdicts():
    for name, unit, corrected in (("WMT23", "segment", False), ("TED", "segment", True)):
        found = chapter.agreement(name, unit, corrected=corrected)
        one, two = (chapter.all_pairs(name, metric, unit) for metric in ("BLEU", "MQM"))
        for k, kind in enumerate(found.kinds):
            p = [x.adjusted[k] if corrected else x.p[k] for x in (one, two)]
            low, ways = [x <= 0.05 for x in p], one.gaps[k] * two.gaps[k] > 0
            expected = {(True, True): chapter.AGREE if ways else chapter.AGAINST,
                        (True, False): chapter.BLEU_ONLY, (False, True): chapter.PEOPLE_ONLY,
                        (False, False): chapter.NEITHER}[tuple(bool(x) for x in low)]  # fmt: skip
            assert kind == expected and found.opposite[k] == (not ways)
        assert sum(found.count(kind) for kind in chapter.KINDS) == len(one.p)


def test_raters_and_bleu_agree_on_the_last_places_and_part_near_the_top():
    found = chapter.agreement("WMT23")
    assert (found.kinds[found.second >= 6] == chapter.AGREE).all()
    assert found.count(chapter.AGAINST) == 1
    assert chapter.agreement("TED").count(chapter.AGAINST) == 1
    table = chapter.board("WMT23")
    places = [table.systems.index(name) for name in ("ONLINE-A", "GPT4-5shot")]
    against = found.kinds == chapter.AGAINST
    assert [int(found.first[against][0]), int(found.second[against][0])] == places
    for name in ("WMT23", "TED"):
        assert chapter.agreement(name, corrected=True).count(chapter.AGAINST) == 0


def test_runs_of_one_procedure_part_as_those_of_two_do():
    found = {pair.title: pair for pair in chapter.run_pairs(draws=400, seed=2)}
    assert len(found) == 15
    lucky = found["sys1 run 1 − baseline run 1"]
    assert 100 * lucky.gap == pytest.approx(0.448, abs=5e-4) and lucky.p < 0.0015
    own = found["sys1 run 1 − sys1 run 2"]
    assert own.same and own.p <= 0.0005 and own.gap > lucky.gap
    assert own.interval[0] > 0
    assert [sum(p.p <= 0.05 for p in found.values() if p.same == same) for same in (True, False)
            ] == [2, 6]  # fmt: skip


def test_deals_of_runs_are_a_permutation_test():
    from scipy.stats import permutation_test

    a, b = [18.987, 18.979, 18.474], [18.577, 18.539, 18.464]
    theirs = permutation_test((a, b), lambda x, y: abs(np.mean(x) - np.mean(y)),
                              alternative="greater").pvalue  # fmt: skip
    assert float(chapter.dealt(a, b)) == pytest.approx(theirs)
    assert chapter.dealt([4, 5, 6], [1, 2, 3]) == Fraction(1, 10)
    assert chapter.dealt([1, 1, 1], [1, 1, 1]) == 1


def test_the_edge_follows_the_formula_and_the_root_of_n():
    pairs = chapter.board("WMT17").pair(0, 1)
    found = chapter.smallest_significant(pairs, (400, 1_600), sets=6, draws=999, seed=3)
    assert found.predicted == pytest.approx(found.mean, rel=0.08)
    assert found.predicted[0] / found.predicted[1] == pytest.approx(2)
    n = pairs.n
    assert found.spread / math.sqrt(n) == pytest.approx(chapter.quietly(sb.delta_sd, pairs))


def test_one_bleu_is_no_threshold_either_way():
    small, large = {}, {}
    for label, family in chapter.families_by_gap():
        below = 100 * np.abs(family.gaps) < 1
        small[label] = int((below & (family.p <= 0.05)).sum())
        large[label] = int((~below & (family.p > 0.05)).sum())
    assert small["runs, by segment"] == 8
    assert small["TED, by segment"] == small["WMT23, by segment"] == 0
    assert large["TED, by talk"] == 47 and large["WMT23, by document"] >= 2


def test_chains_are_pairs_of_ties_with_different_ends():
    family = chapter.all_pairs("WMT23", unit="document")
    apart = {}
    for i, j, p in zip(family.first, family.second, family.p):
        apart[i, j] = apart[j, i] = p <= 0.05
    found = {tuple(sorted(c)) for c in chapter.chains(family)}
    expected = {(a, b, c) for a, b, c in combinations(range(8), 3)
                if apart[a, c] and not apart[a, b] and not apart[b, c]}  # fmt: skip
    assert found == expected and len(found) >= 1


# Figures -----------------------------------------------------------------------------------------


def test_the_two_lists_are_joined_system_by_system():
    table = chapter.board("WMT23")
    axis = chapter.draw_two_eyes(table).axes[0]
    right = np.argsort(np.argsort(table.scores("MQM")))
    for left, line in enumerate(axis.lines):
        assert tuple(line.get_ydata()) == (left, right[left])
    texts = [text.get_text() for text in axis.texts]
    assert texts[0] == "ONLINE-W  41.1" and "3.51  GPT4-5shot" in texts
    assert sum(line.get_ydata()[0] != line.get_ydata()[1] for line in axis.lines) == 2


def test_the_published_figure_draws_both_p_values():
    p = {"one": (np.array([0.01, 0.2]), np.array([0.004, 0.04]))}
    curve = np.array([[0.01, 0.1], [0.004, 0.05]])
    axis = chapter.draw_published(p, curve).axes[0]
    drawn = {line.get_label(): line.get_xydata() for line in axis.lines}
    np.testing.assert_allclose(drawn["one"], [[0.01, 0.004], [0.2, 0.04]])
    np.testing.assert_allclose(drawn["normal limit"], curve.T)


def test_the_matrix_holds_segments_below_and_documents_above_the_diagonal():
    one, two = (chapter.all_pairs("WMT23", unit=unit) for unit in ("segment", "document"))
    axis = chapter.draw_units([(one, two)]).axes[0]
    for label, wanted in (("neither", 0), ("alone", 1), ("after Holm", 2)):
        points = np.concatenate([line.get_xydata() for line in axis.lines
                                 if line.get_label() == label])  # fmt: skip
        below = {(int(y), int(x)) for x, y in points if y > x}
        above = {(int(y), int(x)) for x, y in points if y < x}
        for family, found in ((one, {(b, a) for a, b in below}), (two, above)):
            level = (family.p <= 0.05).astype(int) + (family.adjusted <= 0.05)
            chosen = level == wanted
            assert found == set(zip(family.first[chosen], family.second[chosen]))


def test_the_design_effect_figure_draws_every_pair_and_the_median():
    effects = {"one": np.array([0.5, 1.0, 4.0]), "two": np.array([2.0, 2.5])}
    axis = chapter.draw_design_effects(effects).axes[0]
    ticks = [line for line in axis.lines if line.get_marker() == "|"]
    for line, values in zip(ticks, effects.values()):
        np.testing.assert_allclose(line.get_xdata(), values)
    medians = [line.get_xdata()[0] for line in axis.lines if line.get_marker() == "D"]
    assert medians == [1.0, 2.25]


def test_the_joint_figure_fills_what_is_counted():
    cloud = sb.Cloud(np.arange(1.0, 11.0), 8.0, "randomization")
    axis = chapter.draw_joint({"gap": cloud}, (1,)).axes[0]
    every, filled = (patch.get_data().values for patch in axis.patches)
    assert every.sum() == 10 and filled.sum() == 3


def test_the_agreement_figure_draws_each_pair_once():
    found = chapter.agreement("TED")
    axis = chapter.draw_agreement([found]).axes[0]
    drawn = {line.get_label(): line.get_xydata() for line in axis.lines}
    for kind in chapter.KINDS:
        chosen = found.kinds == kind
        places = np.stack([found.first[chosen], found.second[chosen]], axis=1)
        np.testing.assert_allclose(drawn[kind].reshape(-1, 2), places)
    assert len(axis.collections) == found.opposite.sum()


def test_the_runs_figure_draws_gaps_and_intervals():
    pairs = [chapter.RunPair("x", False, 0.01, 0.01, (0.005, 0.015)),
             chapter.RunPair("y", True, 0.002, 0.4, (-0.001, 0.005))]  # fmt: skip
    axis = chapter.draw_runs(pairs).axes[0]
    assert list(axis.lines[0].get_xdata()) == pytest.approx([0.5, 1.5])
    assert list(axis.lines[1].get_xdata()) == pytest.approx([1.0])
    assert axis.lines[1].get_markerfacecolor() != "white"
    assert axis.lines[3].get_markerfacecolor() == "white"


def test_the_gaps_figure_parts_significant_from_not():
    families = chapter.families_by_gap()
    axis = chapter.draw_all_gaps(families).axes[0]
    rows = [line for line in axis.lines if line.get_marker() in "^o" and len(line.get_xdata()) != 2]
    assert sum(len(line.get_xdata()) for line in rows) <= sum(len(f.p) for _, f in families)
    for label, chosen in (("significant", lambda f: f.p <= 0.05),
                          ("not significant", lambda f: f.p > 0.05)):  # fmt: skip
        drawn = next(line for line in axis.lines if line.get_label() == label).get_xdata()
        first = families[0][1]
        np.testing.assert_allclose(drawn, 100 * np.abs(first.gaps[chosen(first)]))


def test_the_edge_figure_draws_measurement_and_formula():
    one = chapter.Critical("one", 0.1, np.array([100, 400]), np.array([0.02, 0.01]),
                           np.array([0.001, 0.001]), np.array([0.0196, 0.0098]))  # fmt: skip
    axis = chapter.draw_critical([one]).axes[0]
    assert list(axis.lines[0].get_ydata()) == pytest.approx([1.96, 0.98])
    assert list(axis.containers[0][0].get_ydata()) == pytest.approx([2.0, 1.0])


# The lab -----------------------------------------------------------------------------------------


def test_the_lab_shows_what_the_package_computes_at_default_ends_and_random_settings():
    lab = chapter.systems_lab()
    rng = np.random.default_rng(6)
    settings = [("WMT23", 1, 5, "document", "BLEU", 0), ("WMT17", 1, 1, "document", "MQM", 50),
                ("TED", 13, 13, "segment", "MQM", 3), ("runs", 13, 1, "document", "MQM", 50)]
    settings += [(str(rng.choice(chapter.BOARDS)), int(rng.integers(1, 14)),
                  int(rng.integers(1, 14)), str(rng.choice(["segment", "document"])),
                  str(rng.choice(["BLEU", "MQM"])), int(rng.integers(51)))
                 for _ in range(6)]  # fmt: skip
    for (name, i, j, unit, metric, seed), cells, _ in driven(lab, settings):
        table = chapter.board(name)
        metric = metric if table.penalty is not None else "BLEU"
        unit = unit if table.documents is not None else "segment"
        last = len(table.systems)
        pairs = table.pair(min(i, last) - 1, min(j, last) - 1, metric, unit)
        shown = cells[1::2]
        factor, digits = (100, 2) if metric == "BLEU" else (1, 3)
        assert float(shown[0]) == pytest.approx(round(factor * pairs.gap, digits), abs=1e-9)
        stream = np.random.default_rng(seed)
        resampled = chapter.quietly(sb.bootstrap, pairs, chapter.LAB_DRAWS, stream)
        differing = int((pairs.unit_a != pairs.unit_b).any(axis=1).sum())
        draws = "all" if differing <= 10 else chapter.LAB_DRAWS
        p = sb.p_randomization(chapter.quietly(sb.randomize, pairs, draws, stream))
        assert shown[2].startswith(f"{p:.4f}")
        assert ("does not" in shown[2]) == (p > 0.05)
        k = last * (last - 1) // 2
        assert shown[3].startswith(f"{min(1, k * p):.4f}")
        assert shown[4] == f"{chapter.quietly(sb.p_sacrebleu, resampled):.4f}"
        assert shown[5].startswith(f"{differing};")
        low, high = (factor * x for x in sb.percentile_interval(resampled))
        assert [float(x) for x in shown[1].split(" to ")] == pytest.approx(
            (low, high), abs=0.51 * 10**-digits)  # fmt: skip


def test_the_lab_draws_both_clouds_and_fills_the_tail():
    found = chapter.lab_result("TED", 4, 12, "document", "BLEU", 1)
    axis = chapter.draw_lab(found).axes[0]
    drawn = {patch.get_label(): patch.get_data().values for patch in axis.patches}
    assert drawn["resampled"].sum() == chapter.LAB_DRAWS
    share = drawn["swapped, counted into p"].sum() / drawn["swapped"].sum()
    assert share == pytest.approx(found.p) and found.swapped.draws == 32


# Claims of the text, on ten other seeds ----------------------------------------------------------


def test_the_unit_decides_between_the_two_online_systems():
    table = chapter.board("WMT23")
    i, j = (table.systems.index(name) for name in ("ONLINE-W", "ONLINE-M"))

    def claim(seed):
        p = [sb.p_randomization(chapter.quietly(
                sb.randomize, table.pair(i, j, "BLEU", unit), 4_999, seed))
             for unit in ("segment", "document")]  # fmt: skip
        return p[0] <= 0.05 < p[1]

    holds_on_other_seeds(claim, label="ONLINE-W and ONLINE-M by segment and document")


def test_the_raters_table_rejects_as_a_whole_and_bleu_s_does_not():
    ted = chapter.board("TED")
    sums = {metric: chapter.unit_sums(ted, metric) for metric in ("BLEU", "MQM")}

    def claim(seed):
        p = {metric: chapter.joint_p(x, metric, 1_999, seed) for metric, x in sums.items()}
        return p["MQM"] <= 0.05 < p["BLEU"]

    holds_on_other_seeds(claim, label="joint tests of the TED tables")


def test_shuffled_tables_are_rejected_at_the_level():
    sums = chapter.unit_sums(chapter.board("TED"))

    def claim(seed):
        p = chapter.p_on_shuffled(sums, "BLEU", 200, 39, seed)
        return np.mean(p <= 0.05) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)

    holds_on_other_seeds(claim, label="level of the joint test")


def test_documents_change_few_verdicts_on_wmt23_and_sacrebleu_adds_some():
    tool = chapter.tool_family("WMT23") <= 0.05

    def claim(seed):
        one, two = (chapter.all_pairs("WMT23", "BLEU", unit, 1_999, seed)
                    for unit in ("segment", "document"))  # fmt: skip
        changed = int((one.verdicts() != two.verdicts()).sum())
        right = one.p <= 0.05
        return 1 <= changed <= 4 and (tool & ~right).sum() >= 2 and not (right & ~tool).any()

    holds_on_other_seeds(claim, label="verdicts on WMT23 by unit and by rule")


def test_too_few_draws_silence_holm_and_more_give_it_a_voice():
    assert chapter.all_pairs("TED", draws=999).rejections(corrected=True) == 0

    def claim(seed):
        more = chapter.all_pairs("TED", "BLEU", "segment", 1_599, seed)
        return more.rejections(corrected=True) >= 15

    holds_on_other_seeds(claim, label="draws for a table of 78 pairs")


def test_segment_swaps_err_when_talks_are_exchangeable():
    def claim(seed):
        means = [chapter.segment_sizes(name, "MQM", 499, seed) for name in ("WMT23", "TED")]
        family = chapter.all_pairs("TED", "MQM")
        return means[0].mean() > 0.07 and means[1][family.p > 0.05].mean() > 0.2

    holds_on_other_seeds(claim, label="size of the segment test under swaps of documents")


def test_names_from_the_joint_cloud_are_fewer_than_holm_s_and_not_safe():
    by_holm = chapter.all_pairs("WMT23", "BLEU", "document").rejections(corrected=True)

    def claim(seed):
        named, sizes = chapter.naming_sizes("WMT23", "BLEU", 1_999, seed)
        return named < by_holm and sizes.max() > 0.07

    holds_on_other_seeds(claim, label="names from the joint cloud")
