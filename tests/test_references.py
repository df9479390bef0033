"""Every work cited is listed, with what it is cited for and what was read of it."""

from __future__ import annotations

import html
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYS = re.findall(r"^@\w+\{([^,]+),", (ROOT / "book/refs.bib").read_text(), re.M)
CITE = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


def cited(text: str) -> set[str]:
    return {key.strip() for group in CITE.findall(text) for key in group.split(",")}


def test_each_work_has_one_row_that_says_what_it_is_cited_for():
    page = (ROOT / "book/references.md").read_text()
    rows = re.findall(r"^\| \{cite:t\}`(\w+)` \|(.+)\|$", page, re.M)
    assert sorted(key for key, _ in rows) == KEYS == sorted(KEYS)
    assert all(len(what.split()) > 2 for _, what in rows)


def test_what_the_chapters_cite_is_listed():
    texts = [path.read_text() for path in (ROOT / "book").glob("*.ipynb")]
    assert set().union(*map(cited, texts)) <= set(KEYS)


def test_the_list_shows_names_and_titles_as_they_are_written(site):
    page = html.unescape((site / "book" / "references.html").read_text("utf-8"))
    listed = re.sub(r"<[^>]+>", "", page[page.index('<div class="docutils container" id="id'):page.index("</article>")])
    assert len(listed) > 3_000 and not re.search(r"[${}\\]", listed)
    for name in ("Götze", "Daniël", "Søgaard", "Martínez", "Héctor"):
        assert name in listed
