"""Write what is derived from the exercises in sigbook/exercises/: their pages and the chapters' lists.

    python tools/make_exercises.py                 all chapters
    python tools/make_exercises.py two_pictures    only this one
    python tools/make_exercises.py --check         write nothing; exit code 1 when a derived file is stale

Derived are the notebook book/exercises/<chapter>.ipynb (statement, hints, stub, check, folded solution; run,
with outputs) and the cell "## Exercises" of book/<chapter>.ipynb, which is tagged "exercises". Edit the
source, then run this.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import nbformat

import run_notebooks
from sigbook import exercises
from sigbook.exercises.kinds import Choice, Exercise, Function, Value

ROOT = Path(__file__).resolve().parent.parent
TAG = "exercises"
LEVELS = {1: "a step", 2: "a page", 3: "an evening"}
IMPORTS = "import numpy as np\n\nimport sigbook as sb\n\nprint(\"sigbook\", sb.__version__)"


def page_path(chapter: str) -> Path:
    return ROOT / "book" / "exercises" / f"{chapter}.ipynb"


def chapter_path(chapter: str) -> Path:
    return ROOT / "book" / f"{chapter}.ipynb"


def chapter_title(chapter: str) -> str:
    """The chapter's heading."""
    for cell in nbformat.read(chapter_path(chapter), 4).cells:
        if cell.cell_type == "markdown" and cell.source.startswith("# "):
            return cell.source.splitlines()[0].removeprefix("# ").strip()
    raise ValueError(f"{chapter}: no heading")


# The cells of an exercise ------------------------------------------------------------------------


def statement(exercise: Exercise) -> str:
    """What is asked, in MyST Markdown; of a choice with its options and reasons."""
    parts = [exercise.statement.strip()]
    if isinstance(exercise, Choice):
        parts.append("\n".join(f"- **{letter}** {text}" for letter, text in exercise.options.items()))
        parts.append("Because")
        parts.append("\n".join(f"- **{number}** {text}" for number, text in exercise.reasons.items()))
    return "\n\n".join(parts)


def start(exercise: Exercise) -> str:
    """The code from which a reader starts: givens and the empty or faulty answer."""
    if isinstance(exercise, Value):
        begun = f"{exercise.name} = ..."
    elif isinstance(exercise, Choice):
        letter, number = next(iter(exercise.options)), next(iter(exercise.reasons))
        begun = f"{exercise.name} = ...  # a letter and a number, such as (\"{letter}\", {number})"
    elif exercise.given is not None:
        begun = _renamed(exercise.given, exercise.name)
    else:
        begun = _empty(exercise.reference)
    return "\n\n".join(filter(None, (exercise.setup.strip(), begun)))


def stub(exercise: Exercise) -> str:
    """The start, and the check of what becomes of it."""
    check = f'print(sb.check("{exercise.id}", {exercise.name}))'
    return start(exercise) + ("\n\n\n" if isinstance(exercise, Function) else "\n") + check


def solution(exercise: Exercise) -> str:
    """The solution's code: the reference and what prints the numbers that the texts name."""
    if isinstance(exercise, Choice):
        return "\n\n".join(filter(None, (exercise.setup.strip(), exercise.shows.strip())))
    parts = [exercise.setup.strip(), source(exercise.reference), "\n" + exercise.shows.strip()]
    return "\n\n".join(filter(str.strip, parts))


def source(function: Callable) -> str:
    return textwrap.dedent(inspect.getsource(function)).strip()


def _renamed(function: Callable, name: str) -> str:
    return source(function).replace(f"def {function.__name__}(", f"def {name}(", 1)


def _empty(function: Callable) -> str:
    """Signature and docstring of a function, without its body."""
    code = source(function)
    quoted = code.split('"""')
    if len(quoted) < 3 or not quoted[0].rstrip().endswith(":"):
        raise ValueError(f"{function.__name__}: a docstring must follow the signature; it is the reader's")
    return f'{quoted[0]}"""{quoted[1]}"""\n    ...'


def cells(exercise: Exercise) -> list:
    """The cells of an exercise on its page."""
    new = nbformat.v4
    hints = "\n\n".join(f":::{{dropdown}} Hint {number}\n{text.strip()}\n:::"
                        for number, text in enumerate(exercise.hints, start=1))
    head = (f"({exercise.id})=\n## {exercise.title}\n\n*{LEVELS[exercise.level].capitalize()}*\n\n"
            f"{statement(exercise)}\n\n{hints}")
    folded = new.new_markdown_cell(f":::{{dropdown}} Solution\n{exercise.solution.strip()}\n:::")
    code = solution(exercise)
    found = [new.new_markdown_cell(head), new.new_code_cell(stub(exercise)), folded]
    if code:
        found.append(new.new_code_cell(code, metadata={
            "tags": ["hide-cell"],
            "mystnb": {"code_prompt_show": "Solution in code", "code_prompt_hide": "Fold the solution"},
        }))
    return found


# The derived files -------------------------------------------------------------------------------


def page(chapter: str) -> nbformat.NotebookNode:
    """The page of a chapter's exercises, not yet run."""
    new = nbformat.v4
    ids = exercises.ORDER[chapter]
    opening = (
        f"# Exercises: {chapter_title(chapter)}\n\nFor {{doc}}`../{chapter}`. Replace the dots, run the cell, read "
        "the verdict; `make lab` opens this page with a kernel. `sb.hint(\"…\")` gives the next hint, which is "
        "also folded below each statement. The checks try hidden cases, fresh each time. They are hidden from "
        "the page, not secret: they stand in the package."
    )
    notebook = new.new_notebook(metadata=run_notebooks.METADATA)
    notebook.cells = [new.new_markdown_cell(opening), new.new_code_cell(IMPORTS)]
    for name in ids:
        notebook.cells += cells(exercises.find(name))
    notebook.cells.append(new.new_markdown_cell(
        "## What is done\n\nRight answers are noted in a file of the reader's own, "
        "`~/.sigbook/progress.json`, which goes nowhere. `python -m sigbook exercises` lists what is done; in a "
        "notebook, `sb.exercises.done()` does."))
    stem = page_path(chapter).stem
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"{stem}-{number:02d}"
    return notebook


def chapter_list(chapter: str) -> str:
    """The text of the chapter's cell "## Exercises"."""
    boxes = []
    for name in exercises.ORDER[chapter]:
        exercise = exercises.find(name)
        boxes.append(f"::::{{exercise}} {exercise.title}\n:label: ex-{name}\n\n{statement(exercise)}\n\n"
                     f"{{ref}}`Answer, hints and check <{name}>`\n::::")
    return (f"## Exercises\n\nWith stub, hints, check and solution on {{doc}}`exercises/{chapter}`.\n\n"
            + "\n\n".join(boxes))


def with_list(notebook: nbformat.NotebookNode, text: str) -> nbformat.NotebookNode:
    """The chapter with its exercises' cell in place: where it was, else before the sources."""
    for cell in notebook.cells:
        if TAG in cell.metadata.get("tags", []):
            cell.source = text
            return notebook
    new = nbformat.v4.new_markdown_cell
    place = len(notebook.cells)
    for k, cell in enumerate(notebook.cells):
        before, heading, rest = cell.source.partition("## Sources")
        if cell.cell_type == "markdown" and heading and before in ("", before.rstrip() + "\n\n"):
            place = k
            if before:
                cell.source, place = before.rstrip(), k + 1
                notebook.cells.insert(place, new(heading + rest))
    notebook.cells.insert(place, new(text, metadata={"tags": [TAG]}))
    return notebook


def same_source(stored: nbformat.NotebookNode, new: nbformat.NotebookNode) -> bool:
    """Whether two notebooks agree in all but their outputs."""
    def parts(notebook):
        return [(c.id, c.cell_type, c.source, dict(c.metadata)) for c in notebook.cells]
    return parts(stored) == parts(new)


def stale(chapter: str) -> list[str]:
    """The derived files of a chapter that differ from their source."""
    found = []
    path = page_path(chapter)
    if not path.exists() or not same_source(nbformat.read(path, 4), page(chapter)):
        found.append(f"book/exercises/{chapter}.ipynb")
    listed = [cell.source for cell in nbformat.read(chapter_path(chapter), 4).cells
              if TAG in cell.metadata.get("tags", [])]
    if listed != [chapter_list(chapter)]:
        found.append(f"book/{chapter}.ipynb")
    return found


def write(chapter: str) -> list[str]:
    """Write a chapter's derived files and run the page; faults that the tests would find."""
    from notebook_guard import faults

    path = page_path(chapter)
    path.parent.mkdir(exist_ok=True)
    new = page(chapter)
    if not path.exists() or not same_source(nbformat.read(path, 4), new):
        path.write_text(nbformat.writes(new))
    text = run_notebooks.stable(run_notebooks.run(path).notebook, path.stem)
    if run_notebooks.compare(path.read_text(), text) != "same":
        path.write_text(text)
    book = nbformat.read(chapter_path(chapter), 4)
    before = nbformat.writes(book)
    book = with_list(book, chapter_list(chapter))
    run_notebooks.cell_ids(book, chapter)
    if nbformat.writes(book) != before:
        chapter_path(chapter).write_text(nbformat.writes(book).rstrip("\n") + "\n")
    return faults(nbformat.reads(text, 4), path.stem)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", help="chapters (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a stale file")
    options = parser.parse_args(arguments)
    found = []
    for chapter in options.chapters or exercises.ORDER:
        found += stale(chapter) if options.check else write(chapter)
        print(f"{chapter}: {len(exercises.ORDER[chapter])} exercises")
    print("".join(f"  {line}\n" for line in found), end="")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
