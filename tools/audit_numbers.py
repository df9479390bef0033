"""Find every number of the book's text in an executed output of its section, or in data/cited.yml.

    python tools/audit_numbers.py                       name what is found nowhere (exit code 1)
    python tools/audit_numbers.py --show book/x.ipynb   one page, with where each number was found

Text: Markdown cells, figure captions, alt text; of a .md page the whole page, which has no outputs.
Of an exercise, which stands on a page of its own, the code's numbers count as outputs: they are its givens.
Section: from one `## ` heading to the next. Before the first heading a number may also stand in any
output of the chapter, but there only with the same digits.

What counts: decimals, percentages, powers of ten, fractions with a part from 5 up (1/32, \\tfrac38)
and integers from 10 up, in prose, mathematics and code alike. A number agrees with an output that
shows at least as many digits and rounds to it (half up or half even); an integer, a fraction's
parts and a number of one significant digit must be printed as they are, because a table of rates
near 0.05 would excuse any 0.04. Text without a sign may give the size of a negative output.

What is exempt by syntax stands in numerals.py. Everything else needs an entry in data/cited.yml,
whose head describes the format.
"""

from __future__ import annotations

import argparse
import bisect
import html
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from pathlib import Path

import yaml

from numerals import Number, code_spans, mask, mask_output, numbers

ROOT = Path(__file__).resolve().parent.parent
CITED = ROOT / "data" / "cited.yml"
BIBLIOGRAPHY = ROOT / "book" / "refs.bib"


# -- agreement ------------------------------------------------------------------------------------

Lines = list[list[Number]]


def agrees(x: Number, y: Number, exact: bool = False) -> bool:
    """Whether the text's `x` may stand for the output's `y`; `exact` forbids rounding."""
    if x.sign and x.sign != (y.sign or 1):
        return False
    if x.kind == "integer":
        return y.kind == "integer" and y.value == x.value
    if x.kind == "fraction":
        enough = y.unit and y.value >= 1000 * y.unit and not exact
        return y.value == x.value or bool(enough and y.value / y.unit in _rounded(x.value / y.unit))
    if x.kind == "power":
        return y.value == x.value
    if exact or x.value < 10 * x.unit:
        return y.value == x.value and y.unit in (x.unit, 0)
    return y.unit <= x.unit and x.value / x.unit in _rounded(y.value / x.unit)


def _rounded(steps: Fraction) -> set[int]:
    return {round(steps), floor(steps + Fraction(1, 2))}


def find(x: Number, lines: Lines, exact: bool = False) -> Number | None:
    """The first output number that `x` agrees with; 82/33 also takes 82 and 33 on one line."""
    for line in lines:
        for y in line:
            if agrees(x, y, exact):
                return y
        if x.parts:
            whole = {y.value: y for y in line if y.kind == "integer"}
            if all(part in whole for part in x.parts):
                return whole[x.parts[1]]
    return None


# -- the book's pages -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """A text of the page: a Markdown cell ("text"), a figure's "caption" or its "alt" text."""

    where: str
    kind: str
    text: str
    sections: tuple[tuple[int, str], ...]

    def section(self, offset: int) -> str:
        starts = [start for start, _ in self.sections]
        return self.sections[bisect.bisect_right(starts, offset) - 1][1]


@dataclass(frozen=True)
class Page:
    """A chapter or a .md page: its texts, and the numbers of the outputs of each section."""

    name: str
    pieces: list[Piece]
    outputs: dict[str, Lines]

    def all_outputs(self) -> Lines:
        return [line for lines in self.outputs.values() for line in lines]


INTRODUCTION = ""
EXERCISES = "exercises"


def book_paths() -> list[Path]:
    """Every chapter and page under book/."""
    paths = [p for kind in ("ipynb", "md") for p in (ROOT / "book").rglob(f"*.{kind}")]
    return sorted(p for p in paths if ".ipynb_checkpoints" not in p.parts)


def read_page(path: Path) -> Page:
    """Read a .ipynb chapter, or a .md page as one text without outputs."""
    path = Path(path)
    if path.suffix == ".md":
        cell = {"cell_type": "markdown", "id": path.name, "source": path.read_text("utf-8")}
        return page(path.stem, [cell])
    cells = json.loads(path.read_text("utf-8"))["cells"]
    if path.parent.name == EXERCISES:
        return page(f"{EXERCISES}/{path.stem}", cells, givens=True)
    # A chapter's list of exercises repeats their page word for word (tests/test_exercises.py), and is read there.
    return page(path.stem, [c for c in cells if EXERCISES not in c["metadata"].get("tags", [])])


def page(name: str, cells: list[dict], givens: bool = False) -> Page:
    """A page from its cells; with `givens` the numbers of its code count too, as those of an exercise's stub."""
    section, pieces, outputs = INTRODUCTION, [], {INTRODUCTION: []}
    for cell in cells:
        where, source = cell.get("id", "?"), "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            starts = [(0, section)]
            for offset, title in headings(source):
                section = title if title not in outputs else f"{title} ({where})"
                outputs[section] = []
                starts.append((offset, section))
            pieces.append(Piece(where, "text", source, tuple(starts)))
        elif cell["cell_type"] == "code":
            figure = cell.get("metadata", {}).get("mystnb", {})
            caption = figure.get("figure", {}).get("caption")
            alt = figure.get("image", {}).get("alt")
            for kind, text in (("caption", caption), ("alt", alt)):
                if text:
                    pieces.append(Piece(where, kind, text, ((0, section),)))
            for text in (*output_texts(cell), *([mask_output(source)] if givens else ())):
                lines = (numbers(line) for line in text.splitlines())
                outputs[section] += [line for line in lines if line]
    return Page(name, pieces, outputs)


def headings(source: str) -> list[tuple[int, str]]:
    """(offset, title) of the `## ` headings outside code."""
    code = code_spans(source)
    found = re.finditer(r"^##[ \t]+(.+?)[ \t]*$", source, re.M)
    return [(m.start(), m[1]) for m in found if not any(a < m.start() < b for a, b in code)]


def output_texts(cell: dict) -> Iterator[str]:
    """The masked texts that the outputs of a code cell show: no stderr, no repr of a picture."""
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream" and output["name"] == "stdout":
            yield mask_output("".join(output["text"]))
        data = output.get("data", {})
        picture = any(kind.startswith("image/") or "widget" in kind for kind in data)
        for kind, masked in _MIME.items():
            if kind in data and not (picture and kind == "text/plain"):
                yield masked("".join(data[kind]))


def _html(text: str) -> str:
    text = re.sub(r"(?is)<(style|script)\b.*?</\1>", " ", text)
    text = re.sub(r"\s*\n\s*", " ", text)
    text = re.sub(r"(?i)</(?:tr|p|div|li|h[1-6])>|<br\s*/?>", "\n", text)
    return mask_output(html.unescape(re.sub(r"<[^>]+>", " ", text)))


_MIME: dict[str, Callable[[str], str]] = {
    "text/plain": mask_output, "text/html": _html, "text/markdown": mask, "text/latex": mask,
}  # fmt: skip


# -- data/cited.yml -------------------------------------------------------------------------------

CHOSEN, FROM_OUTPUT = "definition", "output"


@dataclass(frozen=True)
class Citation:
    """One value of an entry, in one of the places where it is used."""

    number: Number
    source: str
    place: str
    used: str

    def holds_in(self, name: str, section: str) -> bool:
        stem, has_section, title = self.used.partition("#")
        return stem == name and (not has_section or title == section)

    def matches(self, x: Number) -> bool:
        return x.digits == self.number.digits


def read_cited(path: Path = CITED) -> list[Citation]:
    """The citations of data/cited.yml; a malformed entry is a ValueError that shows it."""
    citations = []
    for entry in yaml.safe_load(Path(path).read_text("utf-8")) or []:
        problem = _entry_problem(entry)
        if problem:
            raise ValueError(f"{Path(path).name}: {problem} in the entry {entry}")
        for value in entry["values"]:
            found = numbers(mask(value)) or [None]
            if len(found) != 1 or found[0] is None or not found[0].counts:
                raise ValueError(f"{Path(path).name}: {value!r} is not one number that counts")
            place = entry.get("place", "")
            citations += [Citation(found[0], entry["source"], place, u) for u in entry["used"]]
    return citations


def _entry_problem(entry: dict) -> str | None:
    keys = {"values", "source", "place", "used", "note"}
    needed = {"values", "source", "used"}
    if not isinstance(entry, dict) or set(entry) - keys or needed - set(entry):
        return f"keys must be among {sorted(keys)}, with values, source and used"
    for key in ("values", "used"):
        if not isinstance(entry[key], list) or not all(isinstance(v, str) for v in entry[key]):
            return f"{key} must be a list of quoted strings"
    if entry["source"] == CHOSEN:
        return None if entry.get("note") else "a definition needs its reason as a note"
    return None if entry.get("place") else "a place is missing"


def citation_keys(path: Path = BIBLIOGRAPHY) -> set[str]:
    """The keys of a BibTeX file, empty when there is none."""
    text = Path(path).read_text("utf-8") if Path(path).exists() else ""
    return set(re.findall(r"^\s*@\w+\s*\{\s*([^,\s]+)", text, re.M))


# -- the audit ------------------------------------------------------------------------------------


def trace(x: Number, section: str, of: Page, cited: list[Citation]) -> str | None:
    """Where the number `x` in `section` comes from, or None."""
    y = find(x, of.outputs.get(section, []))
    if y is None and section == INTRODUCTION:
        y = find(x, of.all_outputs(), exact=True)
    if y is not None:
        return f"output {y.text}"
    for citation in cited:
        if citation.holds_in(of.name, section) and citation.matches(x):
            return f"cited from {citation.source}"
    return None


def audited(of: Page) -> Iterator[tuple[Piece, Number]]:
    """Every number of the page that counts, with the text that holds it."""
    for piece in of.pieces:
        yield from ((piece, x) for x in numbers(mask(piece.text)) if x.counts)


def untraced(of: Page, cited: list[Citation]) -> list[str]:
    """One line for each number of the page that has no origin."""
    found = []
    for piece, x in audited(of):
        section = piece.section(x.start)
        if trace(x, section, of, cited) is None:
            shown = piece.text[x.start : x.start + len(x.text)]
            around = piece.text[max(0, x.start - 40) : x.start + len(x.text) + 30]
            place = f"section {section!r}" if section else "the chapter, with the same digits,"
            found.append(
                f"{of.name} [{piece.where}, {piece.kind}] {shown} is neither in an output of "
                f"{place} nor cited there: …{' '.join(around.split())}…"
            )
    return found


def stale(book: list[Page], cited: list[Citation], keys: set[str]) -> list[str]:
    """One line for each citation that its page does not use as often as it is listed, or whose
    source is not there."""
    by_name = {of.name: of for of in book}
    printed = {of.name: [(p.section(x.start), x) for p, x in audited(of)] for of in book}
    listed = Counter((c.number.digits, c.used) for c in cited)
    found = []
    for c in cited:
        label = f"cited.yml: {c.number.text} ({c.source}, used in {c.used})"
        name, times = c.used.partition("#")[0], listed[c.number.digits, c.used]
        if name not in by_name:
            found.append(f"{label} names no page of the book")
        elif sum(c.holds_in(name, s) and c.matches(x) for s, x in printed[name]) < times:
            found.append(f"{label} is listed {times} times and stands there less often")
        if c.source == FROM_OUTPUT:
            name, _, title = c.place.partition("#")
            lines = []
            if name in by_name:
                of = by_name[name]
                lines = of.outputs.get(title, []) if title else of.all_outputs()
            if not find(c.number, lines):
                found.append(f"{label} is in no output of {c.place}")
        elif c.source != CHOSEN and c.source not in keys:
            found.append(f"{label} names no entry of refs.bib")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path, help="chapters or .md pages (default: all)")
    parser.add_argument("--show", action="store_true", help="print where each number was found")
    options = parser.parse_args(arguments)
    cited, book = read_cited(), [read_page(path) for path in book_paths()]
    pages = [read_page(path) for path in options.pages] or book
    if options.show:
        for of in pages:
            for piece, x in audited(of):
                origin = trace(x, piece.section(x.start), of, cited)
                print(f"{of.name} [{piece.where}, {piece.kind}] {x.text}: {origin or 'NOT FOUND'}")
    problems = [line for of in pages for line in untraced(of, cited)]
    problems += stale(book, cited, citation_keys())
    print("\n".join(problems) or f"{sum(1 for of in pages for _ in audited(of))} numbers traced")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
