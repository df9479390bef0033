"""Every work cited is listed, with a line on what was read of it, and none is listed uncited there."""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYS = re.findall(r"^@\w+\{([^,]+),", (ROOT / "book/refs.bib").read_text(), re.M)
CITE = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


def cited(text: str) -> set[str]:
    return {key.strip() for group in CITE.findall(text) for key in group.split(",")}


def test_each_work_has_one_line_that_says_what_was_read():
    rows = re.findall(r"^\| \{cite:t\}`(\w+)` \|(.+)\|(.+)\|$", (ROOT / "book/references.md").read_text(), re.M)
    assert [key for key, _, _ in rows] == KEYS == sorted(KEYS)
    assert all("read" in what for _, _, what in rows)


def test_what_the_chapters_cite_is_listed():
    texts = [path.read_text() for path in (ROOT / "book").glob("*.ipynb")]
    assert set().union(*map(cited, texts)) <= set(KEYS)
