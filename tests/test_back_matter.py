"""The back matter: named caveats, where they stand, mended statements, words, and a sheet that
prints on one page.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
CAVEATS = (
    "Proved and checked",
    "One model, one test set",
    "A strong null",
    "An asymptotic bootstrap",
    "Approximate power",
    "Synthetic data",
    "Significance is not importance",
)


def read(name: str) -> str:
    return (BOOK / f"{name}.md").read_text("utf-8")


def test_the_seven_caveats_stand_by_name_and_say_where_they_are_seen():
    parts = re.split(r"^## \d\. ", read("caveats"), flags=re.M)[1:]
    assert [part.splitlines()[0] for part in parts] == list(CAVEATS)
    assert all(re.search(r"\{(?:doc|prf:ref)\}`", part) for part in parts)


def test_the_back_matter_the_decks_and_the_file_are_linked_from_the_start_page():
    start = read("index")
    for page in (
        "choosing",
        "cheat_sheet",
        "caveats",
        "differences",
        "glossary",
        "further",
        "notation",
        "statements",
    ):
        assert re.search(rf"\{{doc\}}`(?:[^`<]*<)?{page}>?`", start), page
    for file in ("genindex.html", "slides/index.html", "which-gap-is-real.zip"):
        assert f'href="../{file}"' in start.partition("\n## ")[0], file  # above the first heading


def test_every_mended_statement_says_what_holds_and_where():
    text = read("differences").partition("## Numbers on testbeds")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", text, re.M)]
    rows = [row for row in rows if row[0] != "what it says" and not row[0].startswith("---")]
    assert len(rows) >= 25 and all(len(row) == 3 for row in rows)
    assert all(re.search(r"\{(?:doc|prf:ref)\}`", place) for *_, place in rows)
    # Each of these was found to need mending; none may drop out.
    for word in (
        "common factor",
        "uncentred",
        "share of draws",
        "one size",
        "By its own table",
        "symmetric",
        "holds a match",
        "limit law of its own",
        "gradient has to be continuous",
        "smooth part",
        "standard error of the ratio",
        "gap of two",
        "Cluster size fixed",
        "common to both",
        "on average over training sets",
        "limit points",
        "fresh draws",
        "own table it is",
        "function of p",
        "exactly",
        "without any discordant",
        "two independent test sets",
        "0 always",
        "Two rules",
        "to either side",
        "ten examples",
        "can be 0",
    ):
        assert any(word in row[1] for row in rows), word


def test_numbers_beside_each_other_differ_and_say_why():
    table = read("differences").partition("## Numbers on testbeds")[2]
    rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", table, re.M)][1:]
    assert len(rows) > 20
    for _, theirs, ours, place, why in rows:
        assert theirs != ours and re.fullmatch(r"\{doc\}`\w+`", place) and why


def test_the_words_of_the_contributors_are_in_the_glossary():
    entries = read("glossary").partition(":sorted:")[2].partition(":::")[0]
    terms = re.findall(r"^\S[^\n]*$", entries, re.M)
    assert len(terms) == len(set(terms)) > 100
    words = (ROOT / "CONTRIBUTING.md").read_text().partition("## Words")[2]
    for word in re.findall(r"^\| (\w+) \|", words, re.M):
        assert word in terms or word == "write", word


def test_sources_without_authors_have_speaking_names(site):
    text = html.unescape((site / "book" / "references.html").read_text())
    for name in (
        "Significance Testing for NLP",
        "Statistics for NLP Evaluation",
        "Lesson on Paired Resampling",
    ):
        assert re.search(rf"{name}\s*\[?", text)
    cited = [path for folder in ("book", "slides") for path in (site / folder).glob("*.html")]
    assert not [path.name for path in cited if "n.d." in path.read_text("utf-8")]
    assert "(Significance Testing for NLP, undated)" in (site / "slides" / "kink.html").read_text("utf-8")


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_cheat_sheet_prints_on_one_page(browser, address, paper):
    page = browser.new_page()
    page.goto(f"{address}/book/cheat_sheet.html", wait_until="load")
    page.evaluate("() => window.MathJax ? MathJax.startup.promise : null")
    margin = dict.fromkeys(("top", "bottom", "left", "right"), "12mm")
    printed = page.pdf(format=paper, margin=margin)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
