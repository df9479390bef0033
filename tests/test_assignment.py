"""An assignment for a class: what students get holds no answer, and submissions get the marks they earn."""

from __future__ import annotations

import csv
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import make_assignment
import make_exercises
import worker
from sigbook import exercises
from sigbook.exercises.kinds import Choice, Exercise, Function, Value

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEED = 918273645
CHAPTER = "two_pictures"
ALL = [exercises.find(name) for ids in exercises.ORDER.values() for name in ids]
needs_otter = pytest.mark.skipif(
    importlib.util.find_spec("otter") is None,
    reason="otter-grader is not installed: make assignment, or make .venv/ready-class, installs it",
)


def tool(name: str, *arguments) -> str:
    """What a tool prints; it must succeed."""
    command = [sys.executable, ROOT / "tools" / name, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def assignment(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("class") / "assignment"
    tool("make_assignment.py", CHAPTER, folder, "--seed", SEED)
    return folder


# What students get -------------------------------------------------------------------------------


def strings(content) -> list[str]:
    """Every text in a JSON value; of a list of lines, the lines together."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, list) and all(isinstance(part, str) for part in content):
        return ["".join(content)]
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return [text for part in parts for text in strings(part)]


def lines(text: str) -> set[str]:
    """The lines of a code that say something."""
    return {line for line in map(str.strip, text.splitlines()) if len(line) > 8}


def secrets_of(exercise: Exercise) -> set[str]:
    """What must not reach a student: lines of right and wrong answers, hints, solution, messages."""
    if isinstance(exercise, Choice):
        code, messages = [repr(exercise.reference())], list(exercise.wrong.values())
    else:
        functions = [exercise.reference, *(wrong.gives for wrong in exercise.wrong), *getattr(exercise, "same", ())]
        code = [line for function in functions for line in lines(make_exercises.source(function))]
        messages = [wrong.message for wrong in exercise.wrong]
    return {*code, *lines(exercise.shows), *messages, *exercise.hints, exercise.solution}


def leaks(folder: pathlib.Path, chapter: str, seed: int) -> set[str]:
    """The secrets of a chapter's exercises that stand in the files of a folder."""
    texts = []
    for path in filter(pathlib.Path.is_file, folder.rglob("*")):
        content = path.read_text("utf-8")
        texts += [content, *(strings(json.loads(content)) if path.suffix == ".ipynb" else [])]
    everything = "\n".join(texts)
    chosen = [exercises.find(name) for name in exercises.ORDER[chapter]]
    given = "\n".join(text for e in chosen for text in (make_exercises.start(e), make_exercises.statement(e)))
    hidden = {str(seed), *(secret for exercise in chosen for secret in secrets_of(exercise) if secret not in given)}
    return {secret for secret in hidden if secret in everything}


@needs_otter
def test_a_student_gets_no_answer_hint_hidden_case_or_seed(assignment):
    student = assignment / "student"
    assert [path.name for path in student.iterdir()] == [f"{CHAPTER}.ipynb"]
    assert leaks(student, CHAPTER, SEED) == set()
    text = (student / f"{CHAPTER}.ipynb").read_text()
    for word in ("judge", "hidden=True", "SOLUTION", "sb.check", "sb.hint"):
        assert word not in text


@needs_otter
def test_the_search_would_find_an_answer(assignment, tmp_path):
    shutil.copy(assignment / "autograder" / f"{CHAPTER}.ipynb", tmp_path)
    found = leaks(tmp_path, CHAPTER, SEED)
    for name in exercises.ORDER[CHAPTER]:
        assert secrets_of(exercises.find(name)) & found, name


@needs_otter
@pytest.mark.long
@pytest.mark.parametrize("chapter", [name for name in exercises.ORDER if name != CHAPTER])
def test_every_chapter_makes_an_assignment_that_its_solutions_pass(chapter, tmp_path):
    tool("make_assignment.py", chapter, tmp_path / "out", "--seed", SEED)
    assert leaks(tmp_path / "out" / "student", chapter, SEED) == set()


@needs_otter
def test_the_hidden_test_draws_from_the_seed(assignment):
    with zipfile.ZipFile(assignment / "autograder" / "autograder.zip") as held:
        tests = {name: held.read(f"tests/{name}.py").decode() for name in exercises.ORDER[CHAPTER]}
    assert all(text.count(str(SEED)) == 1 and "hidden=True" in text for text in tests.values())


@pytest.mark.parametrize("exercise", [e for e in ALL if isinstance(e, Function)], ids=lambda e: e.id)
def test_another_seed_gives_other_cases(exercise):
    drawn = [json.dumps([worker.encode(case.arguments, []) for case in exercise.cases(np.random.default_rng(seed))])
             for seed in (7, 8, 8)]
    assert drawn[0] != drawn[1] == drawn[2]


def kind_passes(exercise: Exercise, answer) -> bool:
    """Whether an answer passes the test that students see."""
    space = {}
    exec(make_assignment.kind_test(exercise).partition("# END TEST CONFIG\n")[2], space)
    try:
        space["kind"](answer)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("exercise", ALL, ids=lambda e: e.id)
def test_what_a_student_sees_is_whether_the_kind_is_right(exercise):
    right = exercise.reference if isinstance(exercise, Function) else exercise.reference()
    assert kind_passes(exercise, right)
    assert not kind_passes(exercise, None)
    assert not kind_passes(exercise, ...)
    if isinstance(exercise, Function):
        assert not kind_passes(exercise, 0.5)
        assert not kind_passes(exercise, lambda: None)
    elif isinstance(exercise, Choice):
        assert not kind_passes(exercise, ("z", 1))
        assert kind_passes(exercise, (next(iter(exercise.options)), next(iter(exercise.reasons))))
    else:
        assert not kind_passes(exercise, str(right))
        assert not kind_passes(exercise, [right, right, right, right, right])
        assert all(kind_passes(exercise, wrong.gives()) for wrong in exercise.wrong
                   if isinstance(exercise, Value) and np.shape(wrong.gives()) == np.shape(right))


# The command -------------------------------------------------------------------------------------


def test_without_otter_it_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert make_assignment.main([CHAPTER, str(tmp_path / "out"), "--seed", "7"]) == 1
    assert "tools/requirements-class.txt" in capsys.readouterr().err
    assert (ROOT / "tools" / "requirements-class.txt").exists()


@pytest.mark.parametrize("arguments, word", [
    (["no_chapter", "out", "--seed", "7"], "no_chapter"), ([CHAPTER, "out", "--seed", "-1"], "SEED is -1"),
    ([CHAPTER, "out", "--seed", "x"], "x"), ([CHAPTER, "out"], "--seed"),
])  # fmt: skip
def test_what_cannot_be_made_is_refused_in_words(arguments, word, capsys):
    with pytest.raises(SystemExit):
        make_assignment.main(arguments)
    assert word in capsys.readouterr().err


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "student").mkdir()
    (tmp_path / "student" / "thesis.txt").write_text("mine")
    for taken in (tmp_path, tmp_path / "student" / "thesis.txt"):
        with pytest.raises(ValueError, match="not empty"):
            make_assignment.write(CHAPTER, taken, 7)
    assert (tmp_path / "student" / "thesis.txt").read_text() == "mine"


def test_the_commands_of_the_readme_reach_the_tools():
    def told(command):
        command = [*command.split(), "-n", "--no-print-directory"]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()[-1]

    text = (ROOT / "README.md").read_text()
    assignment, grade = (re.search(rf"^ {{4}}(make {name} .*)$", text, re.M)[1] for name in ("assignment", "grade"))
    assert told(assignment).endswith('tools/make_assignment.py "two_pictures" "spring" --seed "7"')
    assert told(grade).endswith('tools/grade.py "handed_in" "spring/autograder/autograder.zip"')


# From hand-out to marks --------------------------------------------------------------------------


def submission(assignment: pathlib.Path, answers: dict[str, str]) -> str:
    """The student's notebook with these answers."""
    notebook = json.loads((assignment / "student" / f"{CHAPTER}.ipynb").read_text())
    for cell, following in zip(notebook["cells"], notebook["cells"][1:]):
        checked = re.match(r'grader\.check\("([\w-]+)"\)', "".join(following["source"]))
        if checked and checked[1] in answers:
            cell["source"] = answers[checked[1]]
    return json.dumps(notebook)


def graded(folder: pathlib.Path, assignment: pathlib.Path) -> dict[str, dict[str, dict]]:
    """submission -> question -> its row of the table."""
    out = folder.with_suffix(".csv")
    tool("grade.py", folder, assignment / "autograder" / "autograder.zip", "--out", out)
    table: dict[str, dict[str, dict]] = {}
    with out.open(newline="") as held:
        for row in csv.DictReader(held):
            table.setdefault(row["submission"], {})[row["question"]] = row
    return table


RIGHT = {name: make_assignment.answer(exercises.find(name)) for name in exercises.ORDER[CHAPTER]}
FULL = {name: float(exercises.find(name).level) for name in exercises.ORDER[CHAPTER]}


def points(rows: dict[str, dict]) -> dict[str, float]:
    return {name: float(row["points"]) for name, row in rows.items()}


HOSTILE = """
import os
def f1_gap(a, b):
    for path in ({root!r} + "/sigbook/exercises/two_pictures/paired_gap.py", {other!r}, {target!r}):
        for mode in ("r", "w"):
            try:
                open(path, mode)
            except OSError:
                continue
            open(path, "w").write("mine")
    os.fork()
"""


@needs_otter
def test_right_and_hostile_submissions_get_what_they_earn(assignment, tmp_path):
    folder = tmp_path / "handed in"
    (folder / "a student").mkdir(parents=True)
    target = tmp_path / "target"
    target.write_text("untouched")
    other = folder / "a student" / "right.ipynb"
    other.write_text(submission(assignment, RIGHT))
    hostile = HOSTILE.format(root=str(ROOT), other=str(other), target=str(target))
    (folder / "hostile.ipynb").write_text(submission(assignment, {**RIGHT, "paired-gap": hostile}))
    (folder / "no notebook.ipynb").write_text("{")
    before = {path: path.read_bytes() for path in [*folder.rglob("*.ipynb"), target]}

    table = graded(folder, assignment)

    assert points(table["a student/right.ipynb"]) == FULL
    assert points(table["hostile.ipynb"]) == {**FULL, "paired-gap": 0.0}
    assert points(table["no notebook.ipynb"]) == dict.fromkeys(FULL, 0.0)
    assert "not a notebook" in table["no notebook.ipynb"]["paired-gap"]["verdict"]
    assert {path: path.read_bytes() for path in before} == before


@needs_otter
@pytest.mark.long
def test_blank_and_wrong_submissions_get_what_they_earn(assignment, tmp_path):
    folder = tmp_path / "handed in"
    folder.mkdir()
    wrong = "def f1_gap(a, b):\n    return a.sum() - b.sum()"
    (folder / "blank.ipynb").write_text(submission(assignment, {}))
    (folder / "wrong.ipynb").write_text(submission(assignment, {**RIGHT, "paired-gap": wrong}))
    (folder / "exit.ipynb").write_text(submission(assignment, {**RIGHT, "paired-gap": "import os; os._exit(0)"}))
    (folder / "loop.ipynb").write_text(submission(
        assignment, {**RIGHT, "paired-gap": "def f1_gap(a, b):\n    while True: pass"}))

    table = graded(folder, assignment)

    assert points(table["blank.ipynb"]) == dict.fromkeys(FULL, 0.0)
    assert all("not started" in row["verdict"] for row in table["blank.ipynb"].values())
    for name in ("wrong", "exit", "loop"):
        assert points(table[f"{name}.ipynb"]) == {**FULL, "paired-gap": 0.0}, name
    assert "runs too long" in table["loop.ipynb"]["paired-gap"]["verdict"]
