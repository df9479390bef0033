"""The page that lists every statement, lab and figure, and the index of words beside it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbformat import v4

import statements
import test_labels

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = statements.chapters(ROOT)


@cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def words(node) -> str:
    return " ".join(node.get_text().replace("#", "").split())


@pytest.fixture(scope="module")
def sections(site) -> dict[str, BeautifulSoup]:
    """chapter -> its part of the page."""
    page = soup(site / "book" / "statements.html")
    return {name: page.find(id=f"of-{name.replace('_', '-')}") for name in CHAPTERS}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_statement_of_a_chapter_is_listed_once_with_its_number_and_title(site, sections, chapter):
    there = {}
    for box in soup(site / "book" / f"{chapter}.html").select("article div.proof:has(> p > .caption-number)"):
        head = box.select_one("p.admonition-title")
        number = words(head.select_one(".caption-number"))
        there[f"{chapter}.html#{box['id']}"] = number, words(head).removeprefix(number).strip().removeprefix("(").removesuffix(")")
    rows = [row.select("td") for row in sections[chapter].select("table")[0].select("tbody tr")]
    listed = {row[0].a["href"]: (words(row[0]), words(row[1])) for row in rows}
    assert len(listed) == len(rows) and list(listed) == list(there)
    assert listed == there


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_figure_of_a_chapter_is_listed_once_with_its_number_and_the_caption_s_start(site, sections, chapter):
    there = {}
    for figure in soup(site / "book" / f"{chapter}.html").select("article figure[id]"):
        number = words(figure.select_one(".caption-number"))
        there[f"{chapter}.html#{figure['id']}"] = number, words(figure.select_one(".caption-text"))
    rows = [row.select("td") for row in sections[chapter].select("table")[1].select("tbody tr")]
    assert [row[0].a["href"] for row in rows] == list(there)
    for row, (number, caption) in zip(rows, there.values(), strict=True):
        assert words(row[0]) == number and words(row[1]) and caption.startswith(words(row[1]))


def test_the_checks_listed_are_the_tests_that_carry_the_labels(sections):
    carried = {label: set() for _, label in test_labels.TARGETS}
    found = statements.checks(ROOT / "tests")
    for file, (labels, _) in test_labels.PROOFS.items():
        for label in labels:
            carried[label].add(file)
    assert {label: {file for file, _ in tests} for label, tests in found.items()} == {
        label: files for label, files in carried.items() if files}
    for chapter in CHAPTERS:
        for row in sections[chapter].select("table")[0].select("tbody tr"):
            label, shown = row.a["href"].partition("#")[2], [words(code) for code in row.select("td")[2].select("code")]
            names = [name for _, name in found.get(label, [])]
            assert [name for name in shown if not name.endswith(".py")] == names
            assert names or (label.startswith("def-") and words(row.select("td")[2]) == "–")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_lab_is_linked_with_each_of_its_controls(site, sections, chapter):
    section, page = sections[chapter], soup(site / "book" / f"{chapter}.html")
    link = section.select_one(f'a[href^="{chapter}.html#"]')
    place = page.find(id=link["href"].partition("#")[2])
    assert place.select_one(f'script[type="{statements.WIDGET_VIEW}"]'), "the link leads to no lab"
    named = {words(name) for name in link.find_parent("p").select("em")}
    state = json.loads(page.find("script", type=statements.WIDGET_STATE).string)["state"].values()
    assert named == {m["state"]["description"] for m in state if m["state"].get("description")}
    assert [a["href"] for a in section.p.select("a")] == [
        f"{chapter}.html", f"../slides/{chapter}.html", f"exercises/{chapter}.html"]
    assert all((site / "book" / a["href"]).exists() for a in section.p.select("a"))


def test_a_notebook_without_boxes_or_lab_gives_none_and_settings_are_said_in_words():
    box = ":::{prf:lemma} A title\n:class: x\n:label: lem-a\n\nText.\n:::\n\n:::{prf:proof}\nP.\n:::"
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(f"# T\n\n{box}"), v4.new_code_cell("1")])
    assert statements.boxes(notebook) == [("lem-a", "A title")]
    assert statements.lab(notebook) is None and statements.figures(notebook) == []
    state = {
        "box": {"state": {"children": ["IPY_MODEL_b", "IPY_MODEL_a"]}},
        "a": {"state": {"description": "n:", "min": 0.5, "max": 20}},
        "b": {"state": {"description": "rule", "_options_labels": list("abcdefg")}},
    }
    assert list(statements._controls(state, "box")) == ["*rule* (7 of them)", "*n* (0.5 to 20)"]


# The index of words ------------------------------------------------------------------------------


def test_the_index_leads_from_each_word_to_its_entry_and_to_the_boxes_that_settle_it(site):
    index = soup(site / "genindex.html").find("article")
    source = (ROOT / "book" / "glossary.md").read_text("utf-8").partition(":sorted:")[2]
    entries = re.findall(r"((?:^\S[^\n]*\n)+)((?:^  [^\n]*\n)+)", source, re.M)
    assert len(entries) > 70
    listed = {}
    for item in index.select("li"):
        links = [a["href"] for a in item.find_all("a", recursive=False)]
        listed[words(item.a)] = links
    for terms, text in entries:
        labels, reached = set(re.findall(r"\{(?:prf:ref|doc)\}`(\w[\w-]*)`", text)), set()
        for term in terms.strip().split("\n"):
            first, *others = listed[term]
            assert first.startswith("book/glossary.html#term-"), term
            reached |= {re.search(r"(\w+)\.html#$|#([\w-]+)$", link)[0].strip("#").removesuffix(".html") for link in others}
        assert reached == labels, terms
    targets = {link for links in listed.values() for link in links}
    for link in targets:
        page, _, place = link.partition("#")
        assert (site / page).exists() and (not place or f'id="{place}"' in (site / page).read_text("utf-8")), link


def test_sphinx_proof_s_list_of_bare_labels_is_not_part_of_the_site(site):
    assert not list(site.glob("prf-*"))
