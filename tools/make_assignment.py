"""Write an assignment for a class from the exercises of a chapter, by otter-grader.

    make assignment CHAPTER=two_pictures OUT=folder SEED=7
    python tools/make_assignment.py two_pictures folder --seed 7

OUT gets `two_pictures.ipynb`, the master notebook, which may be edited and given to `otter assign` again;
`student/`, to hand out; and `autograder/`, to keep, with `autograder.zip` for `make grade`. What a student
sees of a test is whether an answer has the right kind. The hidden test draws its cases from the seed, so
another seed gives other cases.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import textwrap
from pathlib import Path

import nbformat
import numpy as np

import make_exercises
from sigbook import exercises
from sigbook.exercises.kinds import Choice, Exercise, Function

MISSING = "otter-grader is not installed. `make assignment` installs it, and so does\n" \
          "    .venv/bin/python -m pip install -r tools/requirements-class.txt"
CONFIG = """# ASSIGNMENT CONFIG
generate: true
export_cell: false
show_question_points: true
tests:
    ok_format: false
"""
OPENING = """# Exercises: {title}

Put your answers where the dots are, run the cells and hand in this notebook. The cell below each answer
says whether the answer has the right kind, and no more.

Answers are graded apart from everything else, each within half a minute: NumPy, SciPy and sigbook are
there; files, drawings, other programs and the network are not. The name of an answer counts as it stands
where `grader.check` is called.
"""
KIND_IS_RIGHT = "The kind is right. Whether the answer is right is found out when it is graded."


def master(chapter: str, seed: int) -> nbformat.NotebookNode:
    """The master notebook, as `otter assign` reads it."""
    new = nbformat.v4
    notebook = new.new_notebook(metadata=make_exercises.run_notebooks.METADATA)
    notebook.cells = [
        new.new_raw_cell(CONFIG),
        new.new_markdown_cell(OPENING.format(title=make_exercises.chapter_title(chapter))),
        new.new_code_cell("import numpy as np\n\nimport sigbook as sb"),
    ]
    for name in exercises.ORDER[chapter]:
        notebook.cells += question(exercises.find(name), seed)
    return notebook


def question(exercise: Exercise, seed: int) -> list:
    """The cells of one question: statement, stub with the solution, the test that is seen and the hidden one."""
    raw, code = nbformat.v4.new_raw_cell, nbformat.v4.new_code_cell
    solved = (f"{make_exercises.start(exercise)}\n# BEGIN SOLUTION NO PROMPT\n{answer(exercise)}\n"
              "# END SOLUTION")
    return [
        raw(f"# BEGIN QUESTION\nname: {exercise.id}\npoints: [0, {exercise.level}]"),
        nbformat.v4.new_markdown_cell(f"## {exercise.title}\n\n{make_exercises.statement(exercise)}"),
        raw("# BEGIN SOLUTION"), code(solved), raw("# END SOLUTION"),
        raw("# BEGIN TESTS"), code(kind_test(exercise)), code(hidden_test(exercise, seed)), raw("# END TESTS"),
        raw("# END QUESTION"),
    ]


def answer(exercise: Exercise) -> str:
    """Code that gives the exercise's name the right answer."""
    if isinstance(exercise, Choice):
        return f"{exercise.name} = {exercise.reference()!r}"
    code = [exercise.setup.strip(), make_exercises.source(exercise.reference)]
    if not isinstance(exercise, Function):
        code.append(f"{exercise.name} = {exercise.reference.__name__}()")
    return "\n\n".join(filter(None, code))


def kind_test(exercise: Exercise) -> str:
    """The test that students see: whether the answer has the right kind."""
    name = exercise.name
    if isinstance(exercise, Function):
        count = exercise.reference.__code__.co_argcount
        body = f"""
            import inspect
            assert callable({name}), "a function is asked for"
            inspect.signature({name}).bind(*[None] * {count})
        """
    elif isinstance(exercise, Choice):
        body = f"""
            assert {name} is not None and {name} is not ..., "not started"
            option, reason = {name}
            assert option in {tuple(exercise.options)!r}, "the first part must be the letter of an option"
            assert reason in {tuple(exercise.reasons)!r}, "the second part must be the number of a reason"
        """
    else:
        value = exercise.reference()
        parts = isinstance(value, (tuple, list)) and any(np.ndim(part) for part in value)
        found, shape = (f"[np.shape(part) for part in {name}]", [np.shape(part) for part in value]) if parts else (
            f"np.shape({name})", np.shape(value))
        body = f"""
            import numpy as np
            assert {name} is not None and {name} is not ..., "not started"
            assert not isinstance({name}, str), "a number is asked for, and this is text"
            assert {found} == {shape}, "another shape is asked for"
        """
    return (f'""" # BEGIN TEST CONFIG\nhidden: false\nsuccess_message: "{KIND_IS_RIGHT}"\n""" # END TEST CONFIG\n'
            f"def kind({name}):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    "))


def hidden_test(exercise: Exercise, seed: int) -> str:
    """The test that grades: the verdict of the exercise's own check, on cases of the seed."""
    return f"""# HIDDEN
def verdict({exercise.name}):
    from sigbook.exercises import find
    from sigbook.exercises.verdicts import judge
    found = judge(find("{exercise.id}"), {exercise.name}, {seed})
    assert found.right, found.text"""


@contextlib.contextmanager
def quiet():
    """Nothing is shown of what otter and its kernels say; their exceptions come through."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as said, contextlib.redirect_stdout(io.StringIO()):
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def write(chapter: str, out: Path, seed: int) -> Path:
    """Write the assignment into a new or empty folder; the autograder's zip file.

    Raises ValueError for a folder with something in it, RuntimeError when the solutions do not pass.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"OUT is {str(out)!r}, which is not empty; name a new folder")
    from otter.assign import main as assign

    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{chapter}.ipynb"
    nbformat.write(master(chapter, seed), path)
    with quiet():
        assign(str(path), str(out))
    made, = (out / "autograder").glob("*-autograder_*.zip")
    return made.rename(out / "autograder" / "autograder.zip")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", choices=list(exercises.ORDER), metavar="CHAPTER",
                        help=", ".join(exercises.ORDER))
    parser.add_argument("out", type=Path, metavar="OUT", help="a new or empty folder")
    parser.add_argument("--seed", type=int, required=True, help="from which the hidden cases are drawn")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"SEED is {options.seed}; it must not be negative")
    if importlib.util.find_spec("otter") is None:
        print(MISSING, file=sys.stderr)
        return 1
    try:
        made = write(options.chapter, options.out, options.seed)
    except ValueError as error:
        parser.error(str(error))
    print(f"{len(exercises.ORDER[options.chapter])} questions\n"
          f"to hand out: {options.out / 'student'}\nto keep:     {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
