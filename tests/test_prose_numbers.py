"""Every number of the book's text is in an output of its section, or cited in data/cited.yml."""

from __future__ import annotations

import pytest

import audit_numbers as audit


@pytest.fixture(scope="module")
def book() -> list[audit.Page]:
    return [audit.read_page(path) for path in audit.book_paths()]


@pytest.mark.parametrize("path", audit.book_paths(), ids=lambda path: path.name)
def test_every_number_has_an_origin(path):
    problems = audit.untraced(audit.read_page(path), audit.read_cited())
    assert not problems, "\n".join(problems)


def test_every_citation_is_used_and_has_its_source(book):
    problems = audit.stale(book, audit.read_cited(), audit.citation_keys())
    assert not problems, "\n".join(problems)


def test_page_names_are_unique(book):
    names = [page.name for page in book]
    assert len(set(names)) == len(names) > 0
