"""The tables of book/colophon.md: versions and run times, written anew by each build.

A Sphinx extension (named in _config.yml) with one directive, `versions`. Nothing that it writes is
kept in git: versions are those of the machine that builds the book, run times those of the last
runs of the chapters on it (`run_notebooks.py` and the tests leave them in _build/run_times/, one
file a chapter), and what drew the stored figures stands in each chapter's metadata.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

PACKAGES = (
    "numpy",
    "scipy",
    "matplotlib",
    "ipywidgets",
    "scikit-learn",
    "sacrebleu",
    "jupyter-book",
    "sphinx",
    "myst-nb",
)
NAMES = {
    "numpy": "NumPy",
    "scipy": "SciPy",
    "matplotlib": "Matplotlib",
    "scikit-learn": "scikit-learn",
    "sacrebleu": "sacreBLEU",
    "jupyter-book": "Jupyter Book",
    "sphinx": "Sphinx",
    "myst-nb": "MyST-NB",
}


def versions() -> list[tuple[str, str]]:
    """(name, version) of Python and of the packages that make the book, on this machine."""
    found = [
        ("Python", platform.python_version()),
        ("machine", f"{platform.system()} {platform.machine()}"),
    ]
    for package in PACKAGES:
        try:
            found.append((NAMES.get(package, package), version(package)))
        except PackageNotFoundError:
            continue
    return found


def chapters(root: Path, names: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """(name, seconds, peak in MB, what drew its figures) of each chapter; "–" where nobody has
    measured.
    """
    rows = []
    for path in (root / "book" / f"{name}.ipynb" for name in names):
        made = json.loads(path.read_text("utf-8"))["metadata"].get("made_with", {})
        drawn = ", ".join(
            f"{NAMES.get(name, name)} {made[name]}"
            for name in ("numpy", "matplotlib")
            if name in made
        )
        try:
            run = json.loads(
                (root / "_build" / "run_times" / f"{path.stem}.json").read_text("utf-8")
            )
            seconds, peak = (
                f"{run['seconds']:.1f}",
                "–" if run["peak"] != run["peak"] else f"{run['peak']:.0f}",
            )
        except (OSError, ValueError, KeyError, TypeError):
            seconds = peak = "–"
        rows.append((path.stem, seconds, peak, drawn or "–"))
    return rows


def text(root: Path, names: Sequence[str]) -> str:
    """Both tables, as MyST Markdown; `names` are the chapters, in order."""
    lines = [
        "| what | version |",
        "|---|---|",
        *(f"| {name} | {number} |" for name, number in versions()),
        "",
        "| chapter | seconds | peak, MB | its figures were drawn with |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {{doc}}`{name}` | {' | '.join(cells)} |" for name, *cells in chapters(root, names)
    ]
    return "\n".join(lines)


class Versions(SphinxDirective):
    """`versions`: the two tables."""

    def run(self):
        self.env.note_reread()
        root, place = Path(self.env.srcdir), nodes.container()
        listed = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))["parts"]
        files = [Path(chapter["file"]) for part in listed for chapter in part["chapters"]]
        names = [
            f.name for f in files if f.parent == Path("book") and (root / f"{f}.ipynb").exists()
        ]
        lines = text(root, names).splitlines()
        self.state.nested_parse(
            StringList(lines, source="tools/colophon.py"), self.content_offset, place
        )
        return place.children


def setup(app):
    app.add_directive("versions", Versions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
