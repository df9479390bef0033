"""Cut a lecture deck out of each chapter and build it into the site.

    python tools/make_slides.py                   build into _build/html/slides (the book must be built)
    python tools/make_slides.py --site FOLDER     another built book
    python tools/make_slides.py --check           build nothing; exit code 1 when a deck is older than its chapter

A chapter's cells say what they are on a slide by `slideshow.slide_type` in their metadata:

    slide, subslide   starts a slide; its title is `slideshow.title`, or the cell's own heading, or the section's
    -                 goes on with the slide
    fragment          goes on, and appears on the next key
    notes             speaker notes of the slide
    skip, or nothing  not in the deck

A text too long for one slide, such as a box with several parts, goes on with a subslide after a line
`<!-- next slide -->`. A misconception, `**1. "A sentence."** Its refutation.`, shows the sentence and on the
next key what follows it. A code cell shows its output, and its code too when it has the tag "slide-code". A
lab becomes a stack of views, computed now by the chapter's lab_frame at the settings that its LECTURE lists.
Numbers of theorems, figures and equations are read from the built book; every reference leads to the book's
page.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import importlib
import json
import re
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml

import run_notebooks
from deck_links import has_deck
from notebook_guard import WIDGET_VIEW
from numerals import code_spans

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
SITE = ROOT / "_build" / "html"
HERE = Path(__file__).resolve().parent / "slides"
TYPES = ("slide", "subslide", "fragment", "-", "notes", "skip")
NEXT = "<!-- next slide -->"
MISCONCEPTION = re.compile(r'(\*\*\d+\. ".+?"\*\*)\s+(.+)', re.S)


@dataclass(frozen=True)
class Target:
    """A numbered thing of the book: what it is called there, and its address from a deck."""

    name: str
    href: str


# What the book says ------------------------------------------------------------------------------


def chapters() -> list[str]:
    """The chapters that are marked for a deck, in the order of the book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    files = [c["file"] for part in toc["parts"] for c in part["chapters"] if part.get("numbered")]
    return [name.removeprefix("book/") for name in files if has_deck(ROOT / f"{name}.ipynb")]


def targets(site: Path) -> dict[str, Target]:
    """label -> Target for each box, figure, equation and page of the built book."""
    from bs4 import BeautifulSoup

    found = {}
    for page in sorted((site / "book").rglob("*.html")):
        address = f"../{page.relative_to(site).as_posix()}"
        soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
        article = soup.find("article") or soup
        heading = article.find("h1")
        name = page.relative_to(site / "book").with_suffix("").as_posix()
        found[name] = Target(_words(heading) if heading else name, address)
        for box in article.select("div.proof[id], div.exercise[id], figure[id]"):
            number = box.select_one(".caption-number")
            if number:
                found[box["id"]] = Target(_words(number), f"{address}#{box['id']}")
        for number in article.select("span.eqno"):
            link = number.find("a")
            if link:
                label = link["href"].removeprefix("#")
                found[label.removeprefix("equation-")] = Target(number.get_text().split("#")[0], f"{address}#{label}")
        for place in article.select("span[id], section[id]"):
            found.setdefault(place["id"], Target(_words(place.find_next(re.compile("^h[1-6]$"))), f"{address}#{place['id']}"))
    return found


def _words(node) -> str:
    return " ".join(node.get_text().replace("#", "").split()) if node else ""


def citations() -> dict[str, tuple[str, str]]:
    """key -> (authors, year) of each work in refs.bib."""
    from pybtex.database import parse_file

    found = {}
    for key, entry in parse_file(str(BOOK / "refs.bib")).entries.items():
        people = entry.persons.get("author", entry.persons.get("editor", []))
        names = [re.sub(r"[{}]", "", " ".join(p.prelast_names + p.last_names)) for p in people]
        if len(names) > 2:
            names = [f"{names[0]} et al."]
        title = re.sub(r"[{}]", "", entry.fields.get("title", key))
        found[key] = (" and ".join(names) or title, entry.fields.get("year", ""))
    return found


# From a chapter's cells to a deck's --------------------------------------------------------------


class Translator:
    """Rewrites the book's Markdown so that a deck needs no numbering and no references of its own."""

    def __init__(self, targets: dict[str, Target], works: dict[str, tuple[str, str]]):
        self.targets, self.works = targets, works
        self.missing: list[str] = []

    def markdown(self, text: str) -> str:
        """A cell's text without its first heading, references and boxes resolved."""
        text = self._boxes(text)
        text = re.sub(r"\$\$[ \t]*\n(.*?)\n[ \t]*\$\$[ \t]*\(([\w:.-]+)\)", self._equation, text, flags=re.S)
        return self._roles(text)

    def _boxes(self, text: str) -> str:
        def box(match):
            fence, kind, title, options = match[1], match[2], match[3].strip(), match[4]
            label = re.search(r":label:[ \t]*(\S+)", options or "")
            name = self._target(label[1]).name if label else kind.capitalize()
            head = f"{name} ({title})" if title else name
            return f"{fence}{{admonition}} {head}\n:class: statement {kind}\n"

        return re.sub(r"^(:{3,}|`{3,})\{(?:prf:)?(theorem|proposition|lemma|corollary|definition|proof|exercise)\}(.*)\n"
                      r"((?:[ \t]*:[\w-]+:.*\n)*)", box, text, flags=re.M)

    def _equation(self, match) -> str:
        number = self._target(match[2]).name.strip().strip("()")
        formula = f"{match[1]} \\tag{{{number}}}"
        if r"\\" in formula:  # Sphinx would put several lines into an environment that takes no tag
            return f"\\begin{{equation*}}\n{formula}\n\\end{{equation*}}"
        return f"$$\n{formula}\n$$"

    def _roles(self, text: str) -> str:
        out, last = [], 0
        for start, end in code_spans(text):
            role = re.fullmatch(r"\{(prf:ref|numref|eq|ref|doc|cite(?::\w+)?)\}`([^`]+)`", text[start:end])
            if role:
                out += [text[last:start], self._role(role[1], role[2])]
                last = end
        return "".join([*out, text[last:]])

    def _role(self, role: str, content: str) -> str:
        if role.startswith("cite"):
            keys = [key.strip() for key in content.split(",")]
            works = [self.works.get(key) or self._lost(key, (key, "")) for key in keys]
            if role == "cite:t":
                return html.escape("; ".join(f"{names} ({year})" for names, year in works), quote=False)
            return html.escape("(" + "; ".join(f"{names}, {year}" for names, year in works) + ")", quote=False)
        named = re.fullmatch(r"(.*?)<([^>]+)>\s*", content, re.S)
        label = (named[2] if named else content).strip()
        target = self._target(label.removeprefix("../") if role == "doc" else label)
        shown = named[1].strip() if named else target.name
        return f'<a href="{html.escape(target.href)}">{html.escape(shown, quote=False)}</a>'

    def _target(self, label: str) -> Target:
        return self.targets.get(label) or self._lost(label, Target(label, "#"))

    def _lost(self, label, instead):
        self.missing.append(label)
        return instead


def slide_type(cell) -> str:
    kind = cell.metadata.get("slideshow", {}).get("slide_type", "skip")
    if kind not in TYPES:
        raise ValueError(f"{cell.id}: slide_type is {kind!r}; allowed are {', '.join(TYPES)}")
    return kind


def deck(chapter: str, translator: Translator) -> nbformat.NotebookNode:
    """The deck of a chapter as a notebook; ValueError for a chapter whose marks make no deck."""
    notebook = nbformat.read(BOOK / f"{chapter}.ipynb", 4)
    new, cells, section = nbformat.v4, [], ""
    for cell in notebook.cells:
        kind, source = slide_type(cell), cell.source
        heading = re.match(r"(#{1,6})[ \t]+(.+)\n?", source) if cell.cell_type == "markdown" else None
        inside = re.findall(r"^#{1,6}[ \t]+(.+)$", source, re.M) if cell.cell_type == "markdown" else []
        if heading:
            section, source = heading[2].strip(), source[heading.end():]
        if kind != "skip":
            if not cells and (kind != "slide" or not heading or heading[1] != "#"):
                raise ValueError(f"{chapter}: the first slide must be the cell with the chapter's heading")
            if kind in ("slide", "subslide"):
                level = "#" if not cells else "##" if kind == "slide" else "###"
                title = cell.metadata.slideshow.get("title", section)
                cells.append(new.new_markdown_cell(f"{level} {translator.markdown(title)}"))
            for place, page in enumerate(pages(source) if cell.cell_type == "markdown" else [source]):
                if place:
                    cells.append(new.new_markdown_cell(f"### {translator.markdown(title)}"))
                cells += _content(chapter, cell, kind, page, translator)
        section = inside[-1].strip() if inside else section
    if not cells:
        raise ValueError(f"{chapter}: no cell is marked for a slide")
    link = f'<p class="to-book"><a href="../book/{chapter}.html">The chapter, with every proof</a></p>'
    cells.append(new.new_markdown_cell(link))
    return new.new_notebook(cells=cells, metadata=run_notebooks.METADATA)


def pages(text: str) -> list[str]:
    """A text cut at each NEXT; a box that is open there is closed, and opens again on the next page."""
    first, *others = re.split(rf"\s*{NEXT}\s*", text)
    opening = re.search(r"^:{3,}\{.*\n(?:[ \t]*:[\w-]+:.*\n)*", first, re.M)
    if not (others and opening):
        return [first, *others]
    fence = re.match(":+", opening[0])[0]
    return [f"{first}\n{fence}", *(f"{opening[0]}\n{page}\n{fence}" for page in others[:-1]),
            f"{opening[0]}\n{others[-1]}"]


def _content(chapter, cell, kind, source, translator) -> list:
    new = nbformat.v4
    if cell.cell_type == "markdown":
        text = translator.markdown(re.split(r"^#{1,6}[ \t]", source, maxsplit=1, flags=re.M)[0]).strip()  # up to the next section
        if not text:
            return []
        boxed = {"notes": "notes", "fragment": "fragment"}.get(kind)
        said = MISCONCEPTION.fullmatch(text) if kind != "notes" else None
        parts = [(text, boxed)] if said is None else [(said[1], boxed), (said[2], "fragment")]
        return [new.new_markdown_cell(f"::::::{{container}} {box}\n{part}\n::::::" if box else part)
                for part, box in parts]
    if any(WIDGET_VIEW in output.get("data", {}) for output in cell.outputs):
        return [new.new_markdown_cell(frames(chapter))]
    tags = [tag for tag in cell.metadata.get("tags", []) if tag == "slide-code"]
    tags += ["remove-input"] * ("slide-code" not in tags) + ["fragment"] * (kind == "fragment")
    metadata = {"tags": tags}
    figure = cell.metadata.get("mystnb", {})
    outputs = without_version(cell.outputs)
    if figure:
        name = translator._target(figure["figure"]["name"])
        alt = html.escape(figure["image"]["alt"], quote=True)
        data = next(o.data["image/png"] for o in outputs if "image/png" in o.get("data", {}))
        picture = (f'<figure><img alt="{alt}" src="data:image/png;base64,{"".join(data.split())}">'
                   f'<figcaption><a href="{name.href}">{name.name}</a></figcaption></figure>')
        outputs = [o for o in outputs if "image/png" not in o.get("data", {})]
        shown = [new.new_code_cell(cell.source, outputs=outputs, metadata=metadata)] if outputs or "slide-code" in tags else []
        if kind == "fragment":
            picture = f"::::::{{container}} fragment\n{picture}\n::::::"
        said = f"::::::{{container}} notes\n{translator.markdown(figure['figure']['caption'])}\n::::::"
        return [*shown, new.new_markdown_cell(picture), new.new_markdown_cell(said)]
    return [new.new_code_cell(cell.source, outputs=outputs, metadata=metadata)]


def without_version(outputs: list) -> list:
    """Outputs without the line that tells a reader of the notebook which sigbook made them."""
    kept = []
    for output in outputs:
        text = re.sub(r"\Asigbook \d[\w.]*\n", "", output.text) if output.output_type == "stream" else None
        if text is None or text:
            kept.append(output if text is None else nbformat.NotebookNode(output, text=text))
    return kept


def frames(chapter: str) -> str:
    """The lab's views at the settings that a lecture steps through, one upon the other."""
    module = importlib.import_module(f"sigbook.chapters.{chapter}")
    shown = []
    for place, settings in enumerate(module.LECTURE):
        inside = re.sub(r"\s*\n\s*", " ", module.lab_frame(**settings))
        # The key that brings the second view takes the first away.
        classes = "current-visible" if place else "fade-out"
        shown.append(f'<div class="frame fragment {classes}" data-fragment-index="{max(place - 1, 0)}">{inside}</div>')
    beside = "frames beside" if any(map(crowded, shown)) else "frames"
    return f'<div class="{beside}">{"".join(shown)}</div>'


def crowded(view: str) -> bool:
    """Whether a view leaves no room for its table below the picture: it has remarks, or the picture is tall."""
    start = base64.b64decode(re.search(r"base64,([\w+/]{32})", view)[1])
    width, height = struct.unpack(">II", start[16:24])
    return "<li>" in view or 2 * height > width


# Building ----------------------------------------------------------------------------------------


def digest(chapter: str) -> str:
    """What a deck was made from: its chapter and the chapter's module."""
    parts = (BOOK / f"{chapter}.ipynb", ROOT / "sigbook" / "chapters" / f"{chapter}.py")
    return hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()


def stale(site: Path) -> list[str]:
    """The chapters whose deck is missing or was made from another version."""
    try:
        made = json.loads((site / "slides" / "made_from.json").read_text("utf-8"))
    except (OSError, ValueError):
        made = {}
    return [name for name in chapters() if made.get(name) != digest(name) or not (site / "slides" / f"{name}.html").exists()]


def build(site: Path) -> None:
    """Write the decks of all chapters beside the book; ValueError names what is wrong."""
    source = site.parent / "slides_source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(BOOK / "assets" / "favicon.svg", source)
    translator = Translator(targets(site), citations())
    lines = ["# Decks", "", "One lecture for each chapter. Arrow keys or space go on, S opens the speaker notes, "
             "? lists the keys.", ""]
    for name in chapters():
        (source / f"{name}.ipynb").write_text(nbformat.writes(deck(name, translator)), "utf-8")
        lines.append(f"- <a href=\"{name}.html\">{translator.targets[name].name}</a>")
    if translator.missing:
        raise ValueError(f"decks refer to what the book does not have: {', '.join(sorted(set(translator.missing)))}")
    lines += ["", '<p class="to-book"><a href="../book/index.html">The book</a></p>', "",
              "```{toctree}", ":hidden:", *chapters(), "```"]
    (source / "index.md").write_text("\n".join(lines), "utf-8")
    out = site / "slides"
    shutil.rmtree(out, ignore_errors=True)
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "revealjs", "-q", "-W", "--keep-going",
         "-d", str(site.parent / "slides_doctrees"), str(source), str(out)],
        capture_output=True, text=True,
    )
    if run.returncode:
        raise ValueError(f"the decks could not be built:\n{run.stderr[-4000:]}")
    for page in out.glob("*.html"):  # the theme forbids zooming, which some readers need
        page.write_text(page.read_text("utf-8").replace(", maximum-scale=1.0, user-scalable=no", ""), "utf-8")
    made = {name: digest(name) for name in chapters()}
    (out / "made_from.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=SITE, help="folder of the built book")
    parser.add_argument("--check", action="store_true", help="build nothing; fail on a stale deck")
    options = parser.parse_args(arguments)
    if options.check:
        found = stale(options.site)
        print("".join(f"the deck of {name} is missing or older than its chapter\n" for name in found), end="")
        return int(bool(found))
    try:
        build(options.site)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
