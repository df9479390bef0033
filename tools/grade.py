"""Grade a folder of submissions by otter-grader, without running a student's code in the grader.

    make grade SUBMISSIONS=folder AUTOGRADER=folder/autograder/autograder.zip
    python tools/grade.py SUBMISSIONS AUTOGRADER --out grades.csv

Every notebook (`.ipynb`) in the folder and below it is a submission. `otter run` gets a notebook made here, in
which each answer is a stand-in: the student's cells run in a process of their own (`worker.py`), which
knows neither what is expected nor the seed, and what comes back are values, never objects with behaviour.
Points and verdicts go to OUT as a table, one row per question.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat
import numpy as np

import sigbook
import worker
from make_assignment import MISSING, quiet
from sigbook import exercises
from sigbook.exercises import guard

TOOLS = Path(__file__).resolve().parent
SECONDS = 30
LARGEST = 5 * 2**20
CHECK = re.compile(r"^[ \t]*grader\.check\([ \t]*[\"']([\w-]+)[\"']", re.M)
WHY = "its time, its memory, or its own doing"
ENDED = guard.Outcome(worker.named(f"process that was ended ({WHY})"), guard.RAISED, f"ProcessEnded: {WHY}")
STRANGE = guard.Outcome(worker.named("reply that cannot be read"), guard.RAISED, "StrangeReply: it cannot be read")
FAULT = "not graded, which is no fault of the answers"
STUB = '''"""No checks while an answer is graded."""


def check(*arguments, **options):
    return ""


hint = check
'''


# A submission ------------------------------------------------------------------------------------


def code_cells(path: Path) -> list[str]:
    """The code of a notebook, cell by cell. Raises ValueError for a file that is none."""
    if path.is_symlink() or not path.is_file():
        raise ValueError("not a file")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST >> 20} MB")
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return [source if isinstance(source, str) else "".join(source) for source in sources]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"not a notebook ({type(error).__name__})") from error


def until_check(cells: list[str], question: str) -> tuple[list[str], list[str]]:
    """The cells up to the check of a question (all, when it is not there), and those since the check before it."""
    last = 0
    for k, cell in enumerate(cells, start=1):
        checked = CHECK.findall(cell)
        if question in checked:
            return cells[:k], cells[last:k]
        if checked:
            last = k
    return cells, cells[last:]


class Submission:
    """The answers of one notebook, each from a process of its own.

    cells: file with the code of the notebook's cells, as JSON. library: folder with the copy of sigbook that
    the processes import. seconds: for each answer.
    """

    def __init__(self, cells: str, library: str, seconds: int):
        self.cells = json.loads(Path(cells).read_text())
        self.library, self.seconds = library, seconds
        self.process = None

    def answer(self, question: str):
        """What a question's name holds where its check stands: a value, or a function that is called there."""
        name = exercises.find(question).name
        for cells in until_check(self.cells, question):
            self.close()
            self.process = Process(self.library, self.seconds)
            value = self.process.ask({"cells": cells, "name": name}).value
            if self.process.alive:
                break
        if not isinstance(value, guard.Apart):
            return value
        return Remote(self.process)

    def close(self):
        if self.process:
            self.process.close()


class Remote(guard.Apart):
    """A student's function: arguments go out, a value comes back."""

    def __init__(self, process: Process):
        self.process = process

    def outcome(self, arguments: tuple) -> guard.Outcome:
        functions = []
        return self.process.ask([worker.encode(argument, functions) for argument in arguments], functions)


class Process:
    """A worker, its time and its pipes."""

    def __init__(self, library: str, seconds: int):
        self.alive = True
        self.folder = tempfile.TemporaryDirectory()
        packages = Path(np.__file__).resolve().parents[1]
        self.popen = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", worker.__file__, library, packages, str(seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder.name,
            env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}, start_new_session=True,
        )  # fmt: skip
        # Two seconds of processor time on a busy machine may be many on the clock.
        self.clock = threading.Timer(2 * seconds, self.kill)
        self.clock.daemon = True
        self.clock.start()
        hello = self.popen.stdout.readline(worker.REPLY)
        if not hello:
            self.close()
            raise RuntimeError("worker.py does not start")
        self.lacking = json.loads(hello)["lacking"]

    def ask(self, request, functions: Sequence[Callable] = ()) -> guard.Outcome:
        """The outcome that the process reports; it may call the functions meanwhile. Once ended it says nothing."""
        while True:
            try:
                self.popen.stdin.write(json.dumps(request).encode() + b"\n")
                self.popen.stdin.flush()
                line = self.popen.stdout.readline(worker.REPLY)
                if not line.endswith(b"\n"):
                    raise EOFError
            except (OSError, ValueError, EOFError):
                self.close()
                return ENDED
            try:
                found = json.loads(line)
                if "call" in found:
                    arguments = tuple(map(worker.decode, found["arguments"]))
                    request = worker.encode(guard.run(functions[found["call"]], arguments).value)
                    continue
                return guard.Outcome(worker.decode(found["value"]), str(found["problem"])[:300],
                                     str(found["detail"])[:300], "x" * bool(found["printed"]))
            except Exception:  # whatever a student's code wrote there
                return STRANGE

    def kill(self):
        with contextlib.suppress(OSError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def close(self):
        self.clock.cancel()
        if self.alive:
            self.alive = False
            self.kill()
            self.popen.wait()
            for pipe in (self.popen.stdin, self.popen.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()
            self.folder.cleanup()


# Grading -----------------------------------------------------------------------------------------


def write_library(folder: Path) -> None:
    """What an answer may import of sigbook: all but its exercises, and the tables."""
    package = Path(sigbook.__file__).resolve().parent
    shutil.copytree(package, folder / "sigbook", ignore=shutil.ignore_patterns("exercises", "__pycache__"))
    (folder / "sigbook" / "exercises").mkdir()
    (folder / "sigbook" / "exercises" / "__init__.py").write_text(STUB)
    shutil.copy(package / "exercises" / "guard.py", folder / "sigbook" / "exercises")
    (folder / "data").symlink_to(package.parent / "data")


def walls(library: Path) -> str:
    """What of the kernel's walls this system lacks, or nothing."""
    process = Process(str(library), SECONDS)
    process.close()
    return process.lacking


def questions(autograder: Path) -> list[str]:
    """The questions that an autograder's zip file tests, in the book's order."""
    with zipfile.ZipFile(autograder) as held:
        names = {Path(name).stem for name in held.namelist() if re.fullmatch(r"tests/[\w-]+\.py", name)}
    return [name for ids in exercises.ORDER.values() for name in ids if name in names]


def stand_in(names: list[str], **settings) -> nbformat.NotebookNode:
    """The notebook that is graded: for each question an answer from a process of its own."""
    new = nbformat.v4
    given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    begin = ("import sys", f"sys.path.insert(0, {str(TOOLS)!r})", "import grade as _grade",
             f"_given = _grade.Submission({given})")
    notebook = new.new_notebook(cells=[new.new_code_cell("\n".join(begin))])
    for name in names:
        notebook.cells.append(new.new_code_cell(
            f"{exercises.find(name).name} = _given.answer({name!r})", metadata={"otter": {"tests": [name]}}))
    notebook.cells.append(new.new_code_cell("_given.close()"))
    return notebook


def grade(submission: Path, autograder: Path, library: Path, seconds: int = SECONDS) -> list[dict]:
    """A row per question: its points, those it can give, and the verdict in words."""
    from otter.run import main as run

    def none(verdict: str) -> list[dict]:
        return [{"question": name, "points": 0, "of": exercises.find(name).level, "verdict": verdict}
                for name in names]

    names = questions(autograder)
    try:
        cells = code_cells(submission)
    except ValueError as error:
        return none(f"this file is {error}")
    with tempfile.TemporaryDirectory() as folder:
        listed, notebook = Path(folder, "cells.json"), Path(folder, "answers.ipynb")
        listed.write_text(json.dumps(cells))
        nbformat.write(stand_in(names, cells=str(listed), library=str(library), seconds=seconds), notebook)
        try:
            with quiet():
                found = run(str(notebook), autograder=str(autograder), output_dir=None, no_logo=True).results
            return [{"question": name, "points": found[name].score, "of": found[name].possible,
                     "verdict": words(found[name])} for name in names]
        except Exception as error:
            return none(f"{FAULT} ({type(error).__name__}: {error})")


def words(result) -> str:
    """The verdict of a question's hidden test, in one line without control characters."""
    hidden = result.test_case_results[-1]
    text = "right." if hidden.passed else hidden.message.split("AssertionError: ", 1)[-1]
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:400]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", type=Path, metavar="SUBMISSIONS", help="a folder with notebooks")
    parser.add_argument("autograder", type=Path, metavar="AUTOGRADER", help="the autograder.zip of the assignment")
    parser.add_argument("--out", type=Path, help="the table (default: grades.csv beside AUTOGRADER)")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="processor time of one answer (default: 30)")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("otter") is None:
        print(MISSING, file=sys.stderr)
        return 1
    if not options.submissions.is_dir():
        parser.error(f"SUBMISSIONS is {str(options.submissions)!r}, which is no folder")
    if not zipfile.is_zipfile(options.autograder):
        parser.error(f"AUTOGRADER is {str(options.autograder)!r}, which is no zip file")
    if not questions(options.autograder):
        parser.error(f"AUTOGRADER is {str(options.autograder)!r}, which tests no exercise of the book")
    found = sorted(path for path in options.submissions.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    where = options.out or options.autograder.with_name("grades.csv")
    faults = 0
    with tempfile.TemporaryDirectory() as folder, where.open("w", newline="", encoding="utf-8") as out:
        library = Path(folder)
        write_library(library)
        lacking = walls(library)
        if lacking:
            print(f"This system lacks {lacking}: grade the work of strangers in a container.")
        table = csv.DictWriter(out, ["submission", "question", "points", "of", "verdict"])
        table.writeheader()
        for path in found:
            rows = grade(path, options.autograder, library, options.seconds)
            name = str(path.relative_to(options.submissions))
            # A spreadsheet would take such a name for a formula.
            table.writerows({"submission": f"'{name}" if name[0] in "=+-@" else name, **row} for row in rows)
            out.flush()
            faults += any(FAULT in row["verdict"] for row in rows)
            print(f"{sum(row['points'] for row in rows):6g} of {sum(row['of'] for row in rows):g}  {name!a}")
    print(f"{len(found)} submissions; verdicts in {where}" + (f"; {faults} not graded" if faults else ""))
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
