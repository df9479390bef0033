"""Every face of a report says the same, in words and marks that each reader's program takes as they are meant."""

from __future__ import annotations

import html.parser
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import paired_sets

import sigbook as sb
from sigbook import data, figures, report as reports
from sigbook.worlds import filings

NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?![\w])")


def reports_of_all_kinds():
    rng = np.random.default_rng(3)
    ted, text = data.wmt21_ted(), ["the cat sat on the mat", "a dog", "", "it is so"] * 6
    other = [" ".join(line.split()[1:]) for line in text]
    documents = ted.documents
    return {
        "bleu": sb.compare(filings.pair("terse", "flipped"), draws=300, at_gap=0.01),
        "few": sb.compare(filings.pair("extract", "textrank"), draws=300),
        "exact": sb.compare(filings.pair("writer", "noisy-0.1"), draws=300),
        "documents": sb.compare(*list(ted.bleu.values())[:2], metric="bleu-exp", documents=documents, draws=300),
        "right": sb.compare(rng.integers(2, size=400), rng.integers(2, size=400), draws=300),
        "ter": sb.compare(text, other, references=text, metric="ter", draws=300),
        "same": sb.compare(text, text, references=text, draws=300),
        "one": sb.compare([1.5], [2.5], draws=300),
        "large": sb.compare(1e6 * rng.normal(size=30), 1e6 * rng.normal(size=30), draws=300),
        "small": sb.compare(1e-7 * rng.normal(size=30), 1e-7 * rng.normal(size=30), draws=300),
        "many": sb.compare(*rng.normal(size=(4, 40)), draws=300),
        "against": sb.compare(*rng.normal(size=(3, 40)), draws=300, against="first", lower_is_better=True),
    }


ALL = reports_of_all_kinds()


@pytest.fixture(params=ALL)
def report(request):
    return ALL[request.param]


# Numbers ------------------------------------------------------------------------------------------------


def numbers(value):
    """Every number of a JSON value, those within its strings too."""
    if isinstance(value, dict | list):
        return [x for part in (value.values() if isinstance(value, dict) else value) for x in numbers(part)]
    if isinstance(value, str):
        return [float(x.replace(",", "")) for x in NUMBER.findall(value)]
    return [] if value is None or isinstance(value, bool) else [float(value)]


def test_json_holds_every_number_of_the_text(report):
    found = np.array(numbers(json.loads(report.json())))
    derived = [100 * report.level, len(report.pairs), len(report.names), np.log2(max(len(report.pairs[0].view.swaps), 1))]
    known = np.concatenate([found, derived])
    missing = []
    for shown in NUMBER.findall(re.sub(r"\[\d+\]", "", report.text())):
        places = len(shown.partition(".")[2])
        near = 0.5 * 10.0**-places if "e" not in shown else 0.06 * abs(float(shown))
        if not np.any(np.abs(known - float(shown.replace(",", ""))) <= near * (1 + 1e-9)):
            missing.append(shown)
    assert missing == []


def test_the_check_on_numbers_can_fail():
    report = ALL["bleu"]
    found = numbers(json.loads(report.json()))
    assert not any(abs(x - 0.1234) <= 0.00005 for x in found)


def test_json_has_a_fixed_shape(report):
    found = json.loads(report.json())
    assert found["names"] == list(report.names) and found["versions"]["NumPy"] == np.__version__
    assert found["alpha"] == 0.05 and found["sentence"] == report.sentence
    for pair, made in zip(report.pairs, found["pairs"], strict=True):
        assert made["view"]["p"] == pair.view.p and made["view"]["swaps"] == len(pair.view.swaps)
        assert set(made) == {
            "names", "scores", "gap", "winner", "view", "by_segment", "p_holm", "mcnemar", "effect_size",
            "design_effect", "detectable", "power", "sacrebleu",
        }  # fmt: skip
    assert ("sacrebleu_scores" in found) == (report.signature is not None)


def test_markdown_and_html_hold_the_words_of_the_text(report):
    words = set(re.findall(r"\w+", report.text()))
    page = Page(report.html())
    for text in (report.markdown().replace("\\", ""), " ".join(page.texts)):
        assert words <= set(re.findall(r"\w+", text))


# Words --------------------------------------------------------------------------------------------------


def test_text_is_plain_and_fits_a_hundred_columns(report):
    text = report.text()
    assert text.endswith("\n") and not text.endswith("\n\n") and str(report) == text.removesuffix("\n")
    assert text.isascii() and max(map(len, text.splitlines())) <= 100
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert not re.search(r"nan|None|inf\b|np\.|-0\.0+\b(?!\d)", text)


@pytest.mark.parametrize(
    ("name", "opening", "influences"),
    [
        ("bleu", "terse against flipped: BLEU on 90 segments", "the segments' influences on it"),
        ("documents", "A against B: BLEU on 529 segments in 5 documents", "the segments' influences on it"),
        ("right", "A against B: mean score on 400 segments", "the segments' differences (Cohen's d)"),
        ("one", "A against B: mean score on 1 segment", "the segments' differences (Cohen's d)"),
        ("many", "4 systems: mean score on 40 segments", None),
    ],
)
def test_the_opening_names_systems_metric_segments_and_unit(name, opening, influences):
    text = " ".join(ALL[name].text().split())
    unit = "document" if name == "documents" else "segment"
    assert text.startswith(f"{opening} A gap is the first system minus the second.")
    assert f"The unit that is swapped and resampled is the {unit}." in text
    assert influences is None or f"gap over the sd of {influences}" in text
    assert ("by segment" in text) == ("ignores the documents" in text) == (name == "documents")


@pytest.mark.parametrize(("score", "shown"), [(0.003, "0.0030"), (3e-6, "0.0000030"), (0.0, "0.0000"), (250.0, "250.00")])
def test_scores_that_never_vary_are_shown_with_their_own_digits(score, shown):
    text = sb.compare([score] * 3, [0.0] * 3, draws=100).text()
    assert f"A {shown} gap, A - B +{shown} " in re.sub(r" B +[\d.]+", "", " ".join(text.split()))


def test_one_pair_without_spread_does_not_set_the_digits_of_all():
    rng = np.random.default_rng(5)
    a, b = rng.random(size=(2, 50))
    text = sb.compare(a, a + 1e-9 * rng.random(50), b, draws=100).text()
    assert re.search(r"A - C +[+-]0\.\d{4} ", text)


def test_every_report_names_seed_draws_level_versions_and_the_family(report):
    how = " ".join(report.text().partition("\nHow\n")[2].split())
    assert "300 draws, seed 0, level 0.95; sigbook" in how and f"NumPy {np.__version__}" in how
    assert "one family" in how and "Holm" in how


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bleu", r"On 90 segments, terse has a BLEU of 0\.3825 and flipped of 0\.3865; the gap is -0\.0040 \(95% percentile "
                 r"bootstrap interval -0\.\d+ to \+0\.\d+\), and an approximate randomization test that swaps segments does "
                 r"not find it significant at the 0\.05 level \(two-sided p = 0\.\d+; 300 draws, seed 0\)\."),
        ("exact", r".* \(95% percentile bootstrap interval .* to .*; 300 resamples, seed 0\), and an exact randomization "
                  r"test over all 2\^12 swaps of segments finds it significant at the 0\.05 level "
                  r"\(two-sided p = 0\.0005\)\."),
        ("documents", r"On 529 segments in 5 documents, A has a BLEU of .* all 2\^5 swaps of documents .*"),
        ("one", r"On 1 segment, A has a mean score of 1\.50 and B of 2\.50; the gap is -1\.00, and an exact "
                r"randomization test over all 2\^1 swaps of segments does not find .* \(two-sided p = 1\.0000\)\."),
        ("ter", r".* \(nrefs:1\|.*, lower is better\); the gap is .*"),
        ("many", r"On 40 segments, 4 systems were compared \(all pairs, 6 tests\): \d of the gaps in mean score are .*"),
        ("against", r"On 40 segments, 3 systems were compared \(each against A, 2 tests\): .*"),
    ],
)  # fmt: skip
def test_the_sentence_for_a_paper(name, sentence):
    assert re.fullmatch(sentence, ALL[name].sentence)


def test_the_sentence_of_a_family_counts_and_says_which_tests_are_exact():
    ahead, few = np.arange(40.0), np.r_[np.ones(8), np.zeros(32)]
    one = sb.compare(ahead, ahead + few, ahead - few, draws=100, against="first").sentence
    assert "2 of the gaps in mean score are significant" in one and one.endswith("that swap segments, exact).")
    both = sb.compare(few * 0, few, np.sin(ahead), draws=100).sentence
    assert "1 of the gaps in mean score is significant" in both
    assert both.endswith("that swap segments, 100 shared draws, seed 0; exact where few segments differ).")


def test_numbers_below_twelve_places_are_not_shown_as_zero():
    text = sb.compare(1e-20 * np.arange(9.0), np.zeros(9), draws=100).text()
    assert re.search(r"gap, A - B +\+4e-20 ", text) and re.search(r"A +4e-20", text)


def test_one_unit_that_differs_and_several_that_differ():
    assert "exact: all 2^1 swaps of the 1 segment that differs" in ALL["one"].text()
    assert "exact: all 2^12 swaps of the 12 segments that differ\n" in ALL["exact"].text()


def test_an_article_fits_its_metric():
    f1 = sb.compare(filings.pair("terse", "flipped", "fact-f1"), draws=100)
    assert "terse has an F1 of" in f1.sentence


@pytest.mark.parametrize(
    ("p", "shown"),
    [(1.0, "p = 1.0000"), (0.05004, "p = 0.0500"), (1 / 10001, "p = 0.0001"), (9.6e-4, "p = 0.0010"), (1e-6, "p = 1e-06"),
     (2 / 2**16, "p = 3e-05"), (0.0003, "p = 0.0003")],
)  # fmt: skip
def test_p_values_are_never_shown_as_zero(p, shown):
    assert reports._p(p) == shown


def test_a_rule_without_a_hit_says_how_many_draws_it_had():
    text = sb.compare(filings.pair("writer", "extract"), draws=400).text()
    assert re.search(r"bootstrap, Koehn +0 of 400 ", text)


@pytest.mark.parametrize(
    ("scale", "shown"), [(1.0, "+0.5000"), (1e-6, "+0.00000050"), (1e6, "+500000.00"), (100.0, "+50.00")])
def test_numbers_have_the_digits_that_their_spread_deserves(scale, shown):
    a = scale * np.array([0.0, 1.0, 0.0, 1.0])
    text = sb.compare(a, 0 * a, draws=100).text()
    assert re.search(rf"gap, A - B +{re.escape(shown)}", text)


@settings(max_examples=30)
@given(names=st.lists(st.text(min_size=1, max_size=12).filter(lambda x: x.strip()), min_size=2, max_size=2),
       pairs=paired_sets(least=2, most=4))  # fmt: skip
def test_any_names_leave_every_face_whole(names, pairs):
    try:
        report = sb.compare(pairs, names=names, draws=20)
    except ValueError as error:
        assert "names must" in str(error)
        return
    Page(report.html())
    assert json.loads(report.json())["names"] == list(report.names)
    table = [line for line in report.markdown().splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table} == {4}
    assert all(name.isprintable() for name in report.names)


@pytest.mark.parametrize("gap, said", [(0.01, "1 point of"), (0.005, "0.5 points of"), (1, "100 points of")])
def test_a_named_gap_is_given_in_the_points_that_sacrebleu_prints(gap, said):
    text = ["the cat sat on the mat", "a dog ran to the old house", "it is so"] * 6
    other = [line.replace("the", "one") for line in text]
    told = sb.compare(text, other, references=text, draws=50, at_gap=gap).text()
    assert f"{said} sacreBLEU's; normal approximation" in told
    assert "points of" not in ALL["bleu"].text() and ALL["bleu"].at_gap == 0.01  # statistics have no signature


# Marks --------------------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """Reads a piece of HTML; every element must be closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.seen = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in ("img", "meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)


def test_html_is_whole_and_its_tables_have_captions_and_named_columns(report):
    page = Page(report.html())
    tags = [tag for tag, _ in page.seen]
    assert report._repr_html_() == report.html()
    assert tags.count("table") == tags.count("caption") >= 2
    assert all(attributes == {"scope": "col"} for tag, attributes in page.seen if tag == "th")
    assert not re.search(r"<th[^>]*>\s*</th>", report.html())


def test_a_page_has_headings_and_its_tables_stand_in_named_boxes_that_take_the_focus(report):
    page = Page(report.html(page=True))
    tags = [tag for tag, _ in page.seen]
    assert tags[0] == "h1" and tags.count("h1") == 1 and tags.count("h2") == (3 if report.doubts else 2)
    boxes = [place for place, tag in enumerate(tags) if tag == "div"]
    assert [tags[place + 1] for place in boxes] == ["table"] * tags.count("table")
    captions = [block.title for block in reports._blocks(report) if block.rows]
    assert [page.seen[place][1] for place in boxes] == [
        {"class": "wide", "role": "group", "aria-label": caption, "tabindex": "0"} for caption in captions]
    bare = Page(report.html())
    assert page.texts == bare.texts and not {"div", "h1", "h2"} & {tag for tag, _ in bare.seen}


def test_names_cannot_become_marks():
    rng = np.random.default_rng(0)
    names = ["<script>alert(1)</script>", "a|b*c_`d`"]
    report = sb.compare(*rng.normal(size=(2, 20)), names=names, draws=50)
    for face in (report.html(), report.html(page=True)):
        assert "<script>" not in face and "&lt;script&gt;" in face
    markdown = report.markdown()
    assert "\\<script\\>" in markdown and "a\\|b\\*c\\_\\`d\\`" in markdown


# Pictures -----------------------------------------------------------------------------------------------


def heights(figure):
    """The bars of each histogram, by label."""
    (axis,) = figure.axes
    return {patch.get_label(): patch.get_data().values for patch in axis.patches}


@pytest.mark.parametrize("name", ["bleu", "exact", "documents", "same", "one"])
def test_the_picture_of_a_pair_holds_both_clouds(name):
    report = ALL[name]
    view, drawn = report.pair.view, heights(report.picture())
    assert drawn["resampled gaps δ*"].sum() == len(view.bootstrap)
    assert drawn["swapped gaps"].sum() == len(view.swaps)
    assert drawn["at least as far from 0 as δ̂"].sum() == view.counted.sum()
    (axis,) = report.picture().axes
    at = {line.get_label(): line.get_xdata()[0] for line in axis.lines}
    assert at == {"zero": 0, "observed gap δ̂": report.pair.gap}


def test_the_picture_of_many_pairs_holds_every_gap_and_interval():
    report = ALL["many"]
    (axis,) = report.picture().axes
    points = {(x, y) for line in axis.lines for x, y in zip(*line.get_data()) if line.get_marker() != "None"}
    assert points == {(pair.gap, k) for k, pair in enumerate(report.pairs)}
    spans = {tuple(line.get_xdata()) for line in axis.lines if line.get_marker() == "None"} - {(0, 0)}
    assert spans == {pair.view.percentile for pair in report.pairs}
    assert [label.get_text() for label in axis.get_yticklabels()] == [" − ".join(pair.names) for pair in report.pairs]
    labels = {line.get_label(): len(line.get_xdata()) for line in axis.lines if "told" in line.get_label()}
    assert labels["not told apart"] == sum(pair.p_holm > 0.05 for pair in report.pairs)


@pytest.mark.parametrize("values", [[0.0], [1e300], [1.0, np.nextafter(1, 2)], [5e-324, 1.5e-323], [-8e307, 8e307], [0.1, 0.3]])
def test_bins_rise_and_hold_values_that_are_equal_near_minute_or_huge(values):
    edges = figures.bin_edges(np.array(values), 40)
    assert len(edges) == 41 and (np.diff(edges) > 0).all()
    assert edges[0] <= min(values) and max(values) <= edges[-1]


def test_pictures_save_as_png_with_the_same_bytes():
    from sigbook import figures

    for name in ("bleu", "many"):
        assert figures.png(ALL[name].picture()) == figures.png(ALL[name].picture())
