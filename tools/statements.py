"""What book/statements.md lists: each chapter's statements, lab and figures, read anew by each build.

A Sphinx extension (named in _config.yml) with one directive, `statements`. A statement's machine
checks are the tests marked `@pytest.mark.proves` with its label; what a lab's controls change is
read from the controls that its notebook stores.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from deck_links import has_deck
from notebook_guard import WIDGET_VIEW

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
BOX = re.compile(r"^(?::{3,}|`{3,})\{prf:(?!proof)(\w+)\}[ \t]*(.*)\n((?:[ \t]*:[\w-]+:.*\n)*)", re.M)
SHOWN = 6  # a control's settings are listed up to this number


def chapters(root: Path) -> list[str]:
    """The names of the chapters, in order."""
    parts = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))["parts"]
    files = [c["file"] for part in parts if part.get("numbered") for c in part["chapters"]]
    return [Path(name).name for name in files if (root / f"{name}.ipynb").exists()]


def read(root: Path, chapter: str) -> nbformat.NotebookNode:
    return nbformat.read(root / "book" / f"{chapter}.ipynb", 4)


def headings(cell) -> list[str]:
    return re.findall(r"^#{1,6}[ \t]+(.+?)[ \t]*$", cell.source, re.M) if cell.cell_type == "markdown" else []


def boxes(notebook) -> list[tuple[str, str]]:
    """(label, title) of each statement of a chapter, in order."""
    texts = "\n\n".join(cell.source + "\n" for cell in notebook.cells if cell.cell_type == "markdown")
    return [(re.search(r":label:[ \t]*(\S+)", box[3])[1], box[2].strip()) for box in BOX.finditer(texts)]


def figures(notebook) -> list[tuple[str, str]]:
    """(name, the caption's first sentence) of each figure that a chapter's cells show."""
    given = [cell.metadata.get("mystnb", {}).get("figure", {}) for cell in notebook.cells]
    return [
        (figure["name"], re.split(r"(?<=[.?!])\s+(?=[A-Z{$*])", figure["caption"].strip())[0])
        for figure in given
        if "name" in figure
    ]


def lab(notebook) -> tuple[str, list[str]] | None:
    """(heading of a chapter's lab, what its controls change, each in words), if it has one."""
    heading, state = "", notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    for cell in notebook.cells:
        heading = (headings(cell) or [heading])[-1]
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(WIDGET_VIEW)
            if view:
                return heading, list(_controls(state, view["model_id"]))
    return None


def _controls(state, name: str) -> Iterator[str]:
    model = state[name]["state"]
    if model.get("description"):
        yield f"*{model['description'].removesuffix(':')}* ({_settings(model)})"
    for child in model.get("children", []):
        yield from _controls(state, child.removeprefix("IPY_MODEL_"))


def _settings(model) -> str:
    options = model.get("_options_labels")
    if not options:
        return f"{model['min']:g} to {model['max']:g}"
    return ", ".join(options) if len(options) <= SHOWN else f"{len(options)} of them"


def checks(tests: Path) -> dict[str, list[tuple[str, str]]]:
    """label -> (file, name) of each test that carries it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for mark in getattr(node, "decorator_list", []):
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.proves":
                    for label in mark.args:
                        found.setdefault(label.value, []).append((path.relative_to(tests).as_posix(), node.name))
    return found


def text(root: Path, chapter: str, proved: dict[str, list[tuple[str, str]]]) -> str:
    """A chapter's part of the page, as MyST Markdown."""
    notebook, home = read(root, chapter), f"chapters/test_{chapter}.py"
    links = [f"{{doc}}`The chapter <{chapter}>`"]
    if has_deck(root / "book" / f"{chapter}.ipynb"):
        links.append(f'<a href="../slides/{chapter}.html">slides</a>')
    if (root / "book" / "exercises" / f"{chapter}.ipynb").exists():
        links.append(f"{{doc}}`exercises <exercises/{chapter}>`")
    lines = [" · ".join(links), ""]
    found = lab(notebook)
    if found:
        lines += [f"{{ref}}`{found[0]} <lab-{chapter}>` changes {', '.join(found[1])}.", ""]
    lines += [f"| statement | title | machine check, in `tests/{home}` |", "|---|---|---|"]
    for label, title in boxes(notebook):
        tests = ", ".join(
            f"`{name}`" + f" in `{file}`" * (file != home) for file, name in proved.get(label, [])
        )
        lines.append(f"| {{prf:ref}}`{label}` | {title} | {tests or '–'} |")
    lines += ["", "| figure | what it shows |", "|---|---|"]
    lines += [f"| {{numref}}`{name}` | {caption} |" for name, caption in figures(notebook)]
    return "\n".join(lines)


class Statements(SphinxDirective):
    """`statements`: a section for each chapter."""

    def run(self):
        self.env.note_reread()
        root, sections = Path(self.env.srcdir), []
        proved = checks(root / "tests")
        for name in chapters(root):
            title = next(heading for cell in read(root, name).cells for heading in headings(cell))
            section = nodes.section(ids=[f"of-{name.replace('_', '-')}"], names=[f"of {name}"], classes=["statements"])
            section += nodes.title("", title)
            lines = text(root, name, proved).splitlines()
            self.state.nested_parse(StringList(lines, source="tools/statements.py"), self.content_offset, section)
            sections.append(section)
        return sections


def label_lab(app, doctree) -> None:
    """Give the section of a chapter's lab the label lab-NAME."""
    folder, _, name = app.env.docname.rpartition("/")
    root = Path(app.srcdir)
    found = lab(read(root, name)) if folder == "book" and name in chapters(root) else None
    for section in doctree.findall(nodes.section) if found else []:
        if section[0].astext() == found[0]:
            domain = app.env.get_domain("std")
            domain.labels[f"lab-{name}"] = app.env.docname, section["ids"][0], found[0]
            domain.anonlabels[f"lab-{name}"] = app.env.docname, section["ids"][0]


def setup(app):
    app.add_directive("statements", Statements)
    app.connect("doctree-read", label_lab)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
