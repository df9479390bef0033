"""Chapter 13: every situation of the sources has its test, budgets are kept, figures, lab, other
seeds.
"""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from pathlib import Path

import nbformat
import numpy as np
import pytest
import scipy.stats
from claims import holds_on_other_seeds
from labs import driven
from sklearn.metrics import roc_auc_score
from strategies import quietly

import enumeration
import sigbook as sb
from sigbook.chapters import choosing as chapter

BOOK = Path(__file__).resolve().parents[2] / "book"
ROWS = {row.key: row for row in chapter.SITUATIONS}

# What the sources name, in the order in which they name it, and where the guide must send it.
NAMED = (
    # nlpsignificance
    ("corpus BLEU of two fixed systems on one paired test set", "pooled", "sb.p_randomization"),
    ("span F1, a ratio of pooled counts", "pooled", "sb.randomize"),
    ("two classifiers, right or wrong on each segment", "right-or-wrong", "sb.mcnemar"),
    ("an interval for a gap of a smooth metric", "interval", "sb.percentile_interval"),
    ("two extractors that match a handful of 4-grams", "few-matches", "sb.p_randomization"),
    ("corpus BLEU where lengths are those of the references", "kink", "sb.percentile_interval"),
    ("sentences that sit in documents", "documents", "sb.PairedSet"),
    ("aspects in sentences in documents", "nested", "sb.PairedSet"),
    ("the interval of one reader's accuracy on clustered aspects", "one-system", "sb.cluster_sd"),
    ("two ways of training, one training set", "one-run", "sb.mcnemar"),
    ("two ways of training, several training sets or seeds", "paired-runs", "stats.ttest_1samp"),
    ("five times two-fold cross-validation", "one-labelled-set", "stats.t"),
    ("how many segments a gap needs", "plan", "sb.mcnemar_sample_size"),
    ("a near tie that the test set cannot resolve", "not-significant", "sb.mcnemar_power"),
    ("an author who reports whichever metric rejects", "metrics", "sb.holm"),
    ("many pairs of systems at once", "family", "sb.holm"),
    ("many discoveries, a few of them false", "screening", "sb.benjamini_hochberg"),
    ("watching a system while test data arrive", "peeking", "sb.mcnemar"),
    ("a significant gap that is not important", "importance", "sb.percentile_interval"),
    # nlpdetection
    ("training runs of a recipe", "runs", "stats.ttest_ind"),
    ("two source groups, each with a real and a fake recording", "few-units", "sb.p_randomization"),
    ("EER of two detectors, a null of exchangeable groups", "eer", "sb.eer"),
    ("an interval for the gap of two EERs by group", "eer-interval", "sb.bootstrap_eer"),
    ("the error at a threshold fixed on development data", "fixed-threshold", "sb.PairedSet"),
    ("a draw that lacks a class", "lacking-class", "sb.bootstrap_eer"),
    ("recordings nested in speakers", "nested", "sb.randomize"),
    ("dependence between clusters", "documents", "sb.randomize"),
    ("groups of unequal size, by trial or by group", "weights", "sb.cluster_sd"),
    ("a finite set that is the whole population", "whole-population", "sb.PairedSet"),
    ("seeds crossed with evaluation groups", "runs-and-segments", "sb.crossed_bootstrap"),
    ("a paired t test over independent blocks", "paired-runs", "stats.ttest_1samp"),
    ("association of labels and scores", "labels", "stats.permutation_test"),
    ("ROC-AUC of two detectors", "auc", "swap_p"),
    ("equivalence within margins", "equivalence", "sb.tost"),
    ("three p-values of one family", "family", "sb.holm"),
    ("a search that used the test set", "tuned", "sb.mcnemar"),
    # nlpstatistics
    ("F1 by sentence of two taggers on ten sentences", "mean", "sb.p_randomization"),
    ("twenty models against one baseline", "family", "sb.holm"),
    ("a p-value of 0.001 with a Cohen's d of 0.05", "importance", "sb.bootstrap"),
    ("scores from two independent test sets", "two-test-sets", "stats.permutation_test"),
    ("a permutation test rather than a bootstrap interval", "few-units", "sb.randomize"),
)

# What a row must not leave unsaid, by the words that say it.
SAID = {
    "right-or-wrong": ("silent", "EER"), "eer": ("silent", "t test over recordings"),
    "labels": ("use", "another null"), "auc": ("use", "DeLong"),
    "documents": ("assumes", "between documents"),
    "nested": ("assumes", "not drawn"), "weights": ("use", "which quantity"),
    "whole-population": ("use", "no interval"), "peeking": ("use", "made for looking"),
    "tuned": ("silent", "no correction"), "few-units": ("silent", "fewer than six"),
    "equivalence": ("assumes", "before"), "one-run": ("silent", "no test set can"),
    "not-significant": ("silent", "observed gap"), "importance": ("silent", "no test does"),
    "runs": ("silent", "no interval"), "kink": ("use", "no basic interval"),
    "runs-and-segments": ("assumes", "for the variance of means this is proved"),
    "lacking-class": ("assumes", "tear"),
    "fixed-threshold": ("silent", "EER"), "mean": ("silent", "another null"),
}  # fmt: skip


def exact_p(pairs) -> float:
    """Two-sided p from all swaps, without the warnings about few units."""
    return sb.p_randomization(quietly(sb.randomize, pairs, "all"))


# The guide ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("situation", "key", "function"), NAMED)
def test_a_situation_that_a_source_names_goes_to_the_test_that_it_justifies(
    situation, key, function
):
    assert function in ROWS[key].calls


def test_every_row_is_there_for_a_situation_and_the_warnings_of_the_sources_are_said():
    assert len(ROWS) == len(chapter.SITUATIONS)
    assert {key for _, key, _ in NAMED} | {"files"} == set(ROWS)
    for key, (part, words) in SAID.items():
        assert words in getattr(ROWS[key], part), key
    assert {row.group for row in chapter.SITUATIONS} == set(chapter.GROUPS)
    assert [row for group in chapter.GROUPS for row in chapter.rows(group)] == list(
        chapter.SITUATIONS
    )
    with pytest.raises(ValueError, match="group"):
        chapter.rows("others")


@pytest.mark.parametrize("row", chapter.SITUATIONS, ids=lambda row: row.key)
def test_a_row_names_functions_that_exist_and_runs(row):
    homes = {"sb": sb, "stats": scipy.stats}
    for name in row.calls:
        home, _, function = name.rpartition(".")
        assert callable(getattr(homes.get(home, chapter), function))
        written = f"{name}(" in row.code or f"{name}," in row.code or f"{name}.sf(" in row.code
        assert written or name in ("sb.PairedSet", "sb.design_effect") or name == "auc"
    value, _ = chapter.run(row)
    numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    assert np.isfinite(numbers).all()
    assert chapter.shown(value)
    for text in (row.have, row.use, row.assumes, row.answers, row.silent):
        assert text.strip() == text and not text.endswith(".")


def test_results_of_rows_are_those_of_the_package():
    data = chapter.example()
    exact = enumeration.swapped_gaps(
        enumeration.rows(data["ten"].a, enumeration.mean),
        enumeration.rows(data["ten"].b, enumeration.mean),
        enumeration.mean,
    )
    observed = (
        sum(map(lambda a, b: Fraction(str(a)) - Fraction(str(b)), data["ten"].a, data["ten"].b))
        / 10
    )
    assert chapter.run(ROWS["mean"])[0] == pytest.approx(
        float(enumeration.p_values(exact, observed)[0])
    )
    wins = int(((data["right_a"] == 1) & (data["right_b"] == 0)).sum())
    losses = int(((data["right_a"] == 0) & (data["right_b"] == 1)).sum())
    p = scipy.stats.binomtest(wins, wins + losses).pvalue
    assert chapter.run(ROWS["right-or-wrong"])[0] == pytest.approx(p, rel=1e-12)
    assert chapter.run(ROWS["few-units"])[0] == 0.125 and chapter.run(ROWS["few-units"])[1]
    assert chapter.run(ROWS["whole-population"])[0] == data["bleu"].gap
    assert chapter.run(ROWS["screening"])[0] == 4


@pytest.mark.parametrize(
    ("key", "warning"),
    [
        ("few-units", "no p below 0.05"),
        ("few-matches", "no match"),
        ("kink", "the brevity penalty's kink"),
    ],
)
def test_rows_about_a_fault_run_on_data_that_have_it(key, warning):
    assert warning in " ".join(chapter.run(ROWS[key])[1])
    assert not chapter.run(ROWS["interval"])[1] and not chapter.run(ROWS["pooled"])[1]


def test_the_page_shows_every_row_and_its_places_exist():
    cells = nbformat.read(BOOK / "choosing.ipynb", 4).cells
    shown = [
        o.data["text/markdown"]
        for c in cells
        if c.cell_type == "code"
        for o in c.outputs
        if "text/markdown" in o.get("data", {})
    ]
    assert shown == [
        "\n\n".join(map(chapter.row_text, chapter.rows(group))) for group in chapter.GROUPS
    ]
    written = "\n".join(
        cell.source
        for path in BOOK.glob("*.ipynb")
        for cell in nbformat.read(path, 4).cells
        if cell.cell_type == "markdown"
    )
    for row in chapter.SITUATIONS:
        places = re.findall(r"\{(doc|prf:ref|ref)\}`(?:[^`<]*<)?([\w-]+)>?`", row.where)
        assert places
        for role, label in places:
            there = (
                (BOOK / f"{label}.ipynb").exists()
                if role == "doc"
                else (f":label: {label}\n" in written or f"({label})=" in written)
            )
            assert there, (row.key, label)


def test_reports_on_the_page_name_no_version():
    pairs = chapter.example()["talks"]
    report = sb.compare(sb.PairedSet(pairs.a, pairs.b, "bleu", pairs.clusters), draws=100)
    shown = chapter.show_report(report).data
    assert "For a paper" in shown and report.pair.names[0] in shown
    assert all(f"{name} {number}" not in shown for name, number in report.versions)
    assert "NumPy" in report.html()


# Statistics on swapped units ----------------------------------------------------------------------


def test_swaps_of_units_are_those_of_the_package_for_a_mean():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 9, size=(2, 30))
    labels, units = np.zeros(30, dtype=int), np.repeat(np.arange(6), 5)
    found = chapter.swap_p(lambda _, x: x.mean(), labels, a, b, units)
    assert found == sb.p_randomization(sb.randomize(sb.PairedSet(a, b, "mean", units), "all"))
    assert chapter.swap_p(chapter.auc, np.arange(30) % 2, a, a, units) == 1
    with pytest.raises(ValueError, match="units must hold at most 14"):
        chapter.swap_p(chapter.auc, np.arange(30) % 2, a, b, np.arange(30))


def test_the_area_is_that_of_scikit_learn():
    rng = np.random.default_rng(6)
    for _ in range(20):
        labels, scores = rng.permutation(np.arange(40) % 2), rng.integers(0, 12, size=40)
        assert chapter.auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))


def test_the_fixed_threshold_is_set_on_other_sources_than_it_is_tried_on():
    bits = chapter.fixed_threshold_bits()
    assert set(np.unique(bits.a)) == {0, 1} and bits.units == 30
    assert min(bits.clusters) == 10
    few = chapter.fixed_threshold_bits(30)
    assert few.units == 10 and len(few.a) < len(bits.a)


# Budgets ------------------------------------------------------------------------------------------


@pytest.mark.proves("prop-budget")
def test_four_tests_keep_the_budget_the_floor_the_union_and_the_choice_by_sizes():
    found = chapter.check_budget((1, 2, 3, 7), 6)
    assert found["sets"] == 209 and found["cases"] > 5_000
    assert all(found[part] == 0 for part in ("budget", "floor", "union", "blind"))


@pytest.mark.proves("prop-budget")
def test_every_rule_on_two_small_cubes_is_a_test_exactly_if_it_keeps_the_budget():
    found = chapter.check_laws(6)
    assert found == dict(tests=256, cases=1_024, failures=0)


@pytest.mark.proves("prop-budget")
@pytest.mark.parametrize("metric", ["bleu", "mean", "f1"])
def test_the_package_s_randomization_test_keeps_it_at_every_corner_and_for_every_metric(metric):
    """Part (a) for a real metric: all corners of a data set of four units as data, each tested by
    itself.
    """
    rng = np.random.default_rng(11)
    width = {"bleu": 10, "mean": 2, "f1": 3}[metric]
    for _ in range(4):
        a, b = rng.integers(1, 6, size=(2, 4, width))
        if metric == "bleu":
            a[:, 6:], b[:, 6:] = a[:, 2:6] + 1, b[:, 2:6] + 1
        p = []
        for swapped in itertools.product((False, True), repeat=4):
            keep = np.array(swapped)[:, None]
            pairs = sb.PairedSet(np.where(keep, b, a), np.where(keep, a, b), metric)
            p.append(exact_p(pairs))
        for k in range(17):
            assert sum(value <= k / 16 for value in p) <= k
        assert min(p) >= 2 / 16


@pytest.mark.proves("prop-budget")
def test_the_bound_of_the_smallest_p_is_reached_and_any_choice_by_class_keeps_the_level():
    """Valid p-values of a class: permutations of 1/8, ..., 8/8. Two that are small at different
    corners.
    """
    corners = np.arange(8)
    p = np.stack([(corners + 1) / 8, ((corners + 4) % 8 + 1) / 8, ((corners + 2) % 8 + 1) / 8])
    for k in (1, 2):
        union = (p[:2].min(axis=0) <= k / 8).sum()
        assert union == 2 * k
        assert (p.min(axis=0) <= k / 8).sum() == 3 * k
    for choice in itertools.product(
        range(3), repeat=3
    ):  # three classes, each with a test of its own
        for k in range(9):
            assert sum((p[j] <= k / 8).sum() for j in choice) <= 3 * k
    # A choice that differs between corners of one class does not.
    assert (np.where(corners < 4, p[0], p[1]) <= 2 / 8).sum() == 4


@pytest.mark.proves("prop-budget")
def test_no_choice_of_weights_gets_below_the_floor():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 7):
        for _ in range(50):
            p = chapter.corners(rng.integers(1, 50, size=n))
            assert p.min() >= 2
            assert p[0, 0] == p[0, -1]  # all for B and all for A


def test_student_s_test_rejects_more_corners_than_a_valid_test_may():
    d = np.array([1.0, 1.0, 1.0, 1.0, 1.1])
    p = np.array([scipy.stats.ttest_1samp(row * d, 0).pvalue for row in chapter.signs(5)])
    assert (p <= 0.05).sum() == 2 > chapter.budget(5) == 1


def test_budgets_are_whole_numbers_of_corners():
    assert [chapter.budget(n) for n in (4, 5, 6, 8)] == [0, 1, 3, 12]
    assert chapter.budget(5, 0.0625) == 2


# The four tests -----------------------------------------------------------------------------------


def test_the_tests_are_what_their_names_say():
    rng = np.random.default_rng(7)
    d = rng.normal(0.4, 1, size=(30, 9))
    p = chapter.hits(d) / 2**8
    for k, row in enumerate(d):
        pairs = sb.PairedSet(row, np.zeros(9), "mean")
        assert p[0, k] == sb.p_randomization(sb.randomize(pairs, "all"))
        assert p[2, k] == pytest.approx(scipy.stats.wilcoxon(row, method="exact").pvalue)
        assert p[3, k] == pytest.approx(scipy.stats.binomtest(int((row > 0).sum()), 9).pvalue)
        without = np.delete(row, np.abs(row).argmax())
        pairs = sb.PairedSet(without, np.zeros(8), "mean")
        assert p[1, k] == sb.p_randomization(sb.randomize(pairs, "all"))
    corner = chapter.corners(np.arange(1, 6))
    by_data = chapter.hits(chapter.signs(5) * np.arange(1, 6))
    np.testing.assert_array_equal(corner, 2 * by_data)


def test_units_that_agree_change_nothing():
    d = np.array([[1.0, -2.0, 3.0, 4.0, 0.0, 0.0]])
    fewer = chapter.hits(d[:, :4]) / 2**3
    np.testing.assert_allclose((chapter.hits(d) / 2**5)[[0, 3]], fewer[[0, 3]])
    assert (chapter.hits(np.zeros((1, 4))) == 8).all()


def test_the_choice_by_sizes_sees_no_sign():
    rng = np.random.default_rng(8)
    sizes = rng.exponential(size=(200, 12)) ** 2
    chosen = chapter.blind_test(sizes)
    assert set(chosen) == {0, 2, 3}
    found = chapter.choosing("a few wild", 0.0, 200, 3)
    assert (found.blind >= found.smallest).all()
    assert set(chapter.blind_test(sizes[:, :8])) <= {0, 2}
    assert chapter.blind_test(np.zeros((1, 5)))[0] == 0


def test_the_toolbox_holds_randomization_and_four_readings_of_one_bootstrap_cloud():
    from sigbook import experiments

    names = [experiments.RULES[k].label for k in chapter.TOOLBOX]
    assert names == [
        "randomization (two-sided)",
        "Koehn (the winner)",
        "2δ (the winner)",
        "shifted (two-sided)",
        "sacreBLEU (two-sided)",
    ]
    p = chapter.toolbox(20, 4, 199, 50)
    assert p.shape == (5, 50) and (p[0] >= 1 / 200).all()


# Claims on other seeds ----------------------------------------------------------------------------


def test_the_smallest_of_four_loses_the_level_and_the_choice_by_sizes_does_not():
    def claim(seed):
        shares = [
            chapter.choosing(law, 0.0, 1_500, seed).shares() for law in ("normal", "a few wild")
        ]
        kept = all(
            s["chosen by sizes"].value <= 0.05 + 3 * s["chosen by sizes"].error for s in shares
        )
        return bool(kept and all(s["smallest p"].value > 0.065 for s in shares))

    holds_on_other_seeds(claim, label="smallest of four, choice by sizes")


def test_with_a_few_wild_differences_the_choice_by_sizes_finds_more():
    def claim(seed):
        real = chapter.choosing("a few wild", 1.2, 1_000, seed).shares()
        normal = chapter.choosing("normal", 0.8, 1_000, seed).shares()
        best = max(normal[name].value for name in chapter.TESTS)
        return bool(
            real["chosen by sizes"].value > real["mean"].value + 0.08
            and real["chosen by sizes"].value > real["smallest p, times four"].value
            and normal["chosen by sizes"].value > best - 0.06
        )

    holds_on_other_seeds(claim, label="power of the choice by sizes")


def test_the_smallest_p_of_the_toolbox_rejects_too_often():
    def claim(seed):
        p = chapter.toolbox(20, seed, 299, 500)
        return bool((p.min(axis=0) <= 0.05).mean() > 0.1 > (p[0] <= 0.05).mean())

    holds_on_other_seeds(claim, label="smallest p of a toolbox")


# Figures ------------------------------------------------------------------------------------------


def test_the_questions_are_drawn_with_all_their_answers():
    axis = chapter.draw_questions().axes[0]
    texts = {text.get_text() for text in axis.texts}
    for question, exits in chapter.QUESTIONS:
        assert question in texts
        assert all({answer, leads} <= texts for answer, leads in exits)


def test_nothing_in_the_questions_overlaps():
    figure = chapter.draw_questions()
    figure.canvas.draw()
    boxes = [(t.get_text(), t.get_window_extent()) for t in figure.axes[0].texts if t.get_text()]
    inside = figure.bbox
    for name, box in boxes:
        assert (
            box.x0 >= inside.x0
            and box.x1 <= inside.x1
            and box.y0 >= inside.y0
            and box.y1 <= inside.y1
        ), name
    for (first, a), (second, b) in itertools.combinations(boxes, 2):
        assert not a.overlaps(b), (first, second)


def test_corners_are_drawn_where_the_tests_reject():
    sizes = (12, 9, 8, 7, 5, 4, 2, 1)
    axis = chapter.draw_corners(sizes).axes[0]
    p = chapter.corners(sizes)
    drawn = [len(lines.get_segments()) for lines in axis.collections]
    rejected = [int((row <= 12).sum()) for row in p]
    assert drawn == [*rejected, int((p.min(axis=0) <= 12).sum())]
    assert [text.get_text() for text in axis.texts[:-1]] == [str(n) for n in drawn]
    gaps = np.sort(chapter.signs(8) @ np.array(sizes))
    mean = axis.collections[0].get_segments()
    assert {round(segment[0][0]) for segment in mean} <= {
        k for k in range(256) if abs(gaps[k]) >= 30
    }


def test_shares_are_drawn_as_they_are():
    null, real = (
        chapter.choosing("normal", 0.0, 50, 1, 8),
        chapter.choosing("normal", 0.8, 50, 1, 8),
    )
    axis = chapter.draw_choices([("normal", null, real)]).axes[0]
    for container, found in zip(axis.containers, (null, real)):
        drawn = np.asarray(container.lines[0].get_xdata(), dtype=float)
        np.testing.assert_allclose(drawn, [s.value for s in found.shares().values()])


# The lab ------------------------------------------------------------------------------------------


def test_the_lab_shows_what_is_computed_at_default_ends_and_random_settings():
    lab = chapter.choosing_lab()
    rng = np.random.default_rng(9)
    settings = [("a few wild", 12, 1.2, 1), ("normal", 5, 0.0, 0), ("right or wrong", 12, 2.0, 50)]
    settings += [
        (
            str(rng.choice(chapter.LAWS)),
            int(rng.integers(5, 13)),
            round(0.1 * int(rng.integers(21)), 1),
            int(rng.integers(51)),
        )
        for _ in range(4)
    ]
    for (law, units, gap, seed), shown, _ in driven(lab, settings):
        cells = np.reshape(shown, (7, 3))
        assert cells[:4, 0].tolist() == list(chapter.TESTS)
        for column, size in ((1, 0.0), (2, gap)):
            d = chapter.differences(law, chapter.LAB_SETS, units, size, np.random.default_rng(seed))
            p = [exact_p(sb.PairedSet(row, 0 * row, "mean")) for row in d[:60]]
            found = chapter.choosing(law, size, chapter.LAB_SETS, seed, units)
            np.testing.assert_allclose(found.p[0, :60], p)
            assert cells[0, column] == str(found.shares()["mean"])
            assert cells[5, column] == str(chapter.rejected(found.p.min(axis=0)))


# The cheat sheet ----------------------------------------------------------------------------------


def test_the_cheat_sheet_names_functions_that_exist():
    text = (BOOK / "cheat_sheet.md").read_text()
    named = set(re.findall(r"`sb\.(\w+)", text))
    assert named <= set(sb.__all__) and len(named) > 15
    for question, _ in chapter.QUESTIONS:
        assert " ".join(question.split()) in " ".join(text.split())
