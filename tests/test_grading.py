"""A submission runs in a process of its own: it earns what its answers earn, and it reaches nothing else."""

from __future__ import annotations

import decimal
import fractions
import json
import os
import pathlib
import time

import numpy as np
import pytest

import grade
import make_assignment
import sigbook as sb
import worker
from sigbook import exercises
from sigbook.exercises import guard, verdicts
from sigbook.exercises.kinds import Function

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUNCTIONS = [exercises.find(name) for ids in exercises.ORDER.values() for name in ids
             if isinstance(exercises.find(name), Function)]
SEED = 918273645
RIGHT = """
def f1_gap(a, b):
    (tp, found, gold), (tp_b, found_b, gold_b) = a.sum(axis=0), b.sum(axis=0)
    return 2 * tp / (found + gold) - 2 * tp_b / (found_b + gold_b)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("library")
    grade.write_library(folder)
    return folder


@pytest.fixture
def hand_in(tmp_path, library):
    """From code cells to the submission; what still runs is ended afterwards."""
    made = []

    def submit(*cells: str, seconds: int = 20) -> grade.Submission:
        listed = tmp_path / f"cells{len(made)}.json"
        listed.write_text(json.dumps(cells))
        made.append(grade.Submission(str(listed), str(library), seconds))
        return made[-1]

    yield submit
    for submission in made:
        submission.close()


@pytest.fixture
def verdict_on(hand_in):
    """The verdict on an answer to "paired-gap" whose code is given."""

    def verdict(code: str, **options) -> verdicts.Verdict:
        answer = hand_in(code, 'grader.check("paired-gap")', **options).answer("paired-gap")
        return verdicts.judge(exercises.find("paired-gap"), answer, SEED)

    return verdict


# Values travel -----------------------------------------------------------------------------------


def travelled(value):
    return worker.decode(json.loads(json.dumps(worker.encode(value))))


@pytest.mark.parametrize("value", [
    None, ..., True, 3, -2.5, 1e-300, float("inf"), "text \ud800", [1, [2.0, "x"]], (1, ("a", None)),
    {"a": (1, 2), 3: []},
    np.arange(6).reshape(2, 3), np.zeros((0, 4)), np.array(2.5), np.float32(0.1), np.int8(-3), np.bool_(True),
    np.array([True, False]), np.array(["a", "bcd"]), np.array([1.5, np.nan]), np.arange(3, dtype=">i4"),
    fractions.Fraction(1, 3),
], ids=repr)  # fmt: skip
def test_a_value_travels_as_it_is(value):
    found = travelled(value)
    assert type(found) is type(value)
    assert guard.unchanged(value, found) or np.array_equal(value, found)
    if isinstance(value, (np.ndarray, np.generic)):
        assert found.dtype == value.dtype.newbyteorder("<") and found.shape == value.shape


def test_pairs_clouds_and_generators_are_made_again():
    rng = np.random.default_rng(5)
    a, b = rng.integers(1, 9, (2, 40, 3))
    pairs = sb.PairedSet(a, b, "f1", [*"abcdefghij"] * 4, ("x", "y"))
    again = travelled(pairs)
    assert (again.gap, again.names, list(again.clusters)) == (pairs.gap, pairs.names, list(pairs.clusters))
    cloud = sb.randomize(pairs, draws=30, seed=1)
    assert np.array_equal(travelled(cloud).gaps, cloud.gaps) and travelled(cloud).kind == cloud.kind
    other = travelled(rng)
    assert np.array_equal(other.random(5), rng.random(5))


@pytest.mark.parametrize("value, words", [
    (object(), "object"), (1j, "complex"), ({1, 2}, "set"), (np.array([1j]), "ndarray"), (b"x", "bytes"),
])  # fmt: skip
def test_what_cannot_travel_is_named(value, words):
    assert type(travelled(value)).__name__ == words


def test_numbers_of_other_kinds_travel_by_value():
    assert travelled(decimal.Decimal("0.25")) == 0.25
    assert travelled(range(3)) == (0, 1, 2)
    assert travelled(np.longdouble("0.5")) == 0.5
    assert travelled(np.array([fractions.Fraction(1, 2), 1], dtype=object)) == [0.5, 1]


@pytest.mark.parametrize("form", [
    [], {}, {"array": [1], "dtype": "V99999999", "shape": [1]}, {"array": [1], "dtype": "O", "shape": [1]},
    {"array": [1], "dtype": "<f8"}, {"array": [1], "dtype": "<f8", "shape": [10**12]}, {"ratio": [1, 0]},
    {"text": ["x" * 10**6, *[""] * 10**5], "shape": [100_001]}, {"generator": {"dict": []}}, {"pairs": [1]},
    {"cloud": 3}, {"list": 5}, {"other": "\0"}, {"list": [[]]},
], ids=lambda form: str(form)[:40])  # fmt: skip
def test_a_forged_form_is_refused(form):
    with pytest.raises(Exception):
        worker.decode(form)


class Here(guard.Apart):
    """A function whose arguments and values travel, without another process."""

    def __init__(self, function):
        self.function = function

    def outcome(self, arguments):
        kept = []
        sent = json.loads(json.dumps([worker.encode(argument, kept) for argument in arguments]))
        given = tuple(worker.decode(form, lambda number, values: kept[number](*values)) for form in sent)
        found = guard.run(self.function, given)
        return guard.Outcome(travelled(found.value), found.problem, found.detail, found.printed)


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda exercise: exercise.id)
def test_the_arguments_and_values_of_every_exercise_travel(exercise):
    for right in (exercise.reference, *exercise.same):
        assert verdicts.judge(exercise, Here(right), 3).right
    for wrong in exercise.wrong:
        apart, direct = (verdicts.judge(exercise, f, 3) for f in (Here(wrong.gives), wrong.gives))
        assert (apart.step, apart.text) == (direct.step, direct.text)


# Honest answers ----------------------------------------------------------------------------------


def test_a_right_answer_is_right_and_a_wrong_one_is_told_why(verdict_on):
    assert verdict_on(RIGHT).right
    wrong = verdict_on(RIGHT.replace("2 * tp_b", "-2 * tp_b"))
    assert wrong.step == verdicts.WRONG and f"seed {SEED}" in wrong.text
    assert verdict_on("f1_gap = 0.5").step == verdicts.KIND
    assert verdict_on("").step == verdicts.NOT_STARTED
    assert "SyntaxError" in verdict_on("def f1_gap(a, b) return 1").text
    changing = verdict_on(RIGHT.replace("):\n", "):\n    a[0] = 0\n"))
    assert "changes its arguments" in changing.text
    assert "prints" in verdict_on(RIGHT.replace("):\n", "):\n    print(1)\n")).text


def test_a_notebook_s_own_commands_and_drawings_do_no_harm(verdict_on):
    before = """%matplotlib inline
!pip install numpy
import otter
import matplotlib.pyplot as plt
from matplotlib import cm
grader = otter.Notebook("x.ipynb")
fig, ax = plt.subplots(figsize=(3, 4))
ax.plot([1, 2], [3, 4]); plt.show(); display(fig)
import sigbook as sb, scipy.stats
print(sb.check("paired-gap", 3), sb.hint("paired-gap"), scipy.stats.norm.cdf(0))
from sigbook.data import wmt17
wmt17()
"""
    assert verdict_on(before + RIGHT).right


def test_cells_before_an_answer_count_and_each_answer_is_read_at_its_check(hand_in):
    submission = hand_in(
        "half = 0.5", "answer = half", 'grader.check("f1-by-hand")',
        "raise ValueError", "answer = ('b', half * 2)", "while True:\n    pass", ' grader.check( "which-cloud" )',
        "answer = None",
    )  # fmt: skip
    assert [exercises.find(name).name for name in ("f1-by-hand", "which-cloud")] == ["f1", "answer"]
    assert submission.answer("which-cloud") == ("b", 1.0)
    assert submission.answer("f1-by-hand") is None
    assert hand_in("f1 = 1", "f1 = 2").answer("f1-by-hand") == 2
    assert hand_in("f1 = 1\ngrader.check('f1-by-hand')", "f1 = 2").answer("f1-by-hand") == 1


def test_a_function_among_the_arguments_is_called_where_it_is(library):
    process = grade.Process(str(library), 20)
    try:
        process.ask({"cells": ["def f(g, x): return [g(x), g(np.ones(2))]", "import numpy as np"], "name": "f"})
        kept = []
        request = [worker.encode(argument, kept) for argument in (lambda x: 2 * x, 3)]
        found = process.ask(request, kept).value
        assert found[0] == 6 and found[1].tolist() == [2, 2]
    finally:
        process.close()


# Hostile answers ---------------------------------------------------------------------------------

# Statements that must fail; SECRET is a file outside, FOLDER its folder.
REFUSED = {
    "reading the reference": "open(ROOT + '/sigbook/exercises/two_pictures/paired_gap.py').read()",
    "reading the grader": "open(ROOT + '/tools/grade.py').read()",
    "reading a file": "open(SECRET).read()",
    "reading bytes": "np.fromfile(SECRET, dtype=np.uint8)",
    "reading around": "open('/usr/lib/../..' + SECRET).read()",
    "looking around": "os.listdir(FOLDER)",
    "walking around": "next(os.scandir(FOLDER))",
    "the parent's memory": "open('/proc/%d/mem' % os.getppid(), 'rb').read(1)",
    "the parent's environment": "open('/proc/%d/environ' % os.getppid()).read()",
    "changing the grader": "open(ROOT + '/tools/grade.py', 'r+')",
    "changing sigbook": "open(sb.__file__, 'a').write('#')",
    "changing NumPy": "open(np.__file__, 'r+')",
    "writing": "open(FOLDER + '/new', 'w').write('x')",
    "writing here": "open('new', 'w').write('x')",
    "writing by NumPy": "np.ones(3).tofile(FOLDER + '/new')",
    "removing": "os.remove(SECRET)",
    "renaming": "os.rename(SECRET, SECRET + '2')",
    "cutting": "os.truncate(SECRET, 0)",
    "a mode": "os.chmod(SECRET, 0)",
    "a date": "os.utime(SECRET, (0, 0))",
    "a link": "os.symlink(SECRET, 'here')",
    "a folder": "os.mkdir(FOLDER + '/new')",
    "a fork": "os.fork()",
    "a shell": "os.system('touch ' + FOLDER + '/new') and 1 / 0",
    "a program": "subprocess.run(['touch', FOLDER + '/new'])",
    "another program": "os.execv('/bin/true', ['true'])",
    "a signal to the grader": "os.kill(os.getppid(), 9)",
    "a socket": "socket.socket()",
    "a server": "socket.socket().bind(('127.0.0.1', 0))",
    "more memory": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
}
ONLY_THE_HOOK = {
    "C": "ctypes.CDLL(None)",
    "all objects": "gc.get_objects()",
}
# Python's audit hook hears nothing of these, or C code goes round it.
ONLY_THE_KERNEL = {
    "a pipe with a name": "os.mkfifo(FOLDER + '/new')",
    "a program, unannounced": "__import__('_posixsubprocess').fork_exec([b'/bin/true'], [b'/bin/true'], True, "
                              "(PIPE[1],), None, None, -1, -1, -1, -1, -1, -1, *PIPE, *FORK)",
    "a thread": "threading.Thread(target=print).start()",
}
IN_C = {
    "reading in C": "0 < C.open(SECRET.encode(), 0) or 1 / 0",
    "writing in C": "0 < C.open((FOLDER + '/new').encode(), 0o101, 0o600) or 1 / 0",
    "a fork in C": "0 <= C.fork() or 1 / 0",
    "a socket in C": "0 <= C.socket(2, 1, 0) or 1 / 0",
    "a signal in C": "0 <= C.kill(os.getppid(), 9) or 1 / 0",
    "a trace in C": "0 <= C.ptrace(16, os.getppid(), None, None) or 1 / 0",
    "a mode in C": "0 <= C.chmod(SECRET.encode(), 0) or 1 / 0",
    "shared memory in C": "0 <= C.shmget(0, 4096, 0o1600) or 1 / 0",
}
ATTACKS = """
import ctypes, gc, os, resource, socket, subprocess, sys, threading
import numpy as np
import sigbook as sb
PIPE, ROOT, SECRET, FOLDER = os.pipe(), {root!r}, {secret!r}, {folder!r}
# The end of the call as Python 3.11 has it; another version may refuse it for that alone.
FORK = (False, False, 0, None, None, None, -1, None, True)
try:
    C = ctypes.CDLL(None)
except Exception:
    C = None
succeeded = []
for name, statement in {statements!r}.items():
    try:
        exec(statement)
    except Exception:
        continue
    succeeded.append(name)
"""


@pytest.fixture
def outside(tmp_path):
    """A file that no answer may touch; afterwards it is as before, and alone."""
    folder = tmp_path / "outside"
    folder.mkdir()
    secret = folder / "secret"
    secret.write_text("0.1234")
    before = secret.stat()
    yield secret
    after = secret.stat()
    assert secret.read_text() == "0.1234" and [path.name for path in folder.iterdir()] == ["secret"]
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def succeeded(hand_in, secret, statements) -> list[str]:
    """The attacks that get through, as the process itself reports them."""
    code = ATTACKS.format(root=str(ROOT), secret=str(secret), folder=str(secret.parent), statements=statements)
    submission = hand_in(code, 'grader.check("f1-by-hand")')
    submission.cells[0] += "f1 = succeeded"
    found = submission.answer("f1-by-hand")
    assert isinstance(found, list), found
    return found


def weakened(monkeypatch, tmp_path, line: str, instead: str):
    """Let the processes run a worker in which one of its walls is missing."""
    source = pathlib.Path(worker.__file__).read_text()
    assert source.count(line) == 1
    (tmp_path / "worker.py").write_text(source.replace(line, instead))
    monkeypatch.setattr(worker, "__file__", str(tmp_path / "worker.py"))


def needs_the_kernel(library):
    lacking = grade.walls(library)
    if lacking:
        pytest.skip(f"this system lacks {lacking}")


def test_what_an_answer_must_not_do_is_refused(hand_in, outside):
    assert succeeded(hand_in, outside, REFUSED | ONLY_THE_HOOK) == []


def test_the_audit_hook_refuses_it_without_the_kernel(hand_in, outside, monkeypatch, tmp_path):
    weakened(monkeypatch, tmp_path, "lacking = kernel_refuses(readable)", "lacking = 'everything'")
    assert succeeded(hand_in, outside, REFUSED | ONLY_THE_HOOK) == []


def test_the_kernel_refuses_it_without_the_audit_hook(hand_in, outside, library, monkeypatch, tmp_path):
    needs_the_kernel(library)
    weakened(monkeypatch, tmp_path, "sys.addaudithook(hook(readable))", "pass")
    assert succeeded(hand_in, outside, REFUSED | ONLY_THE_KERNEL | IN_C) == []
    assert succeeded(hand_in, outside, {"C": "C.getpid()"}) == ["C"]


def test_without_walls_the_attacks_would_succeed(hand_in, tmp_path, monkeypatch):
    """The statements are no straw men: where nothing refuses them, they do what they say."""
    weakened(monkeypatch, tmp_path, "lacking = kernel_refuses(readable)\n    sys.addaudithook(hook(readable))",
             "lacking = ''")
    (folder := tmp_path / "own").mkdir()
    secret = folder / "secret"
    secret.write_text("0.1234")
    tried = ("reading a file", "looking around", "a mode", "a date", "a socket", "a pipe with a name")
    assert succeeded(hand_in, secret, {name: (REFUSED | ONLY_THE_KERNEL)[name] for name in tried}) == [*tried]


ENDS = {
    "another interpreter": "import _xxsubinterpreters\n    _xxsubinterpreters.create()\n    return 0.5",
    "os._exit": "import os\n    os._exit(0)",
    "sys.exit": "import sys\n    sys.exit(0)",
    "an interrupt": "raise KeyboardInterrupt",
    "a crash": "import sys; sys.setrecursionlimit(10**9)\n    def f(): return f()\n    f()",
    "a loop": "while True: pass",
    "a stubborn loop": "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    "a loop in C": "return sum(iter(int, 1))",
    "a sleep": "import time\n    time.sleep(1000)",
    "much memory": "return bytearray(10**11)",
    "memory bit by bit": "x = [0]\n    while True: x = x + x",
    "much text": "while True: print('x' * 10**6)",
    "much text past Python": "import os\n    while True: os.write(1, b'x' * 10**6)",
    "much text to the grader": "import os\n    while True: os.write(4, b'x' * 10**6)",
    "a large value": "return list(range(10**7))",
    "a deep value": "x = []\n    for _ in range(10**5): x = [x]\n    return x",
    "a value of itself": "x = []\n    x.append(x)\n    return x",
    "a large number": "return 10**4000",
    "a larger number": "return 10**10**5",
}


QUICK = ("os._exit", "sys.exit", "a loop in C", "much memory", "much text to the grader", "a large value",
         "a deep value")


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in ENDS])
def test_an_answer_that_ends_or_eats_gets_nothing_in_bounded_time(name, hand_in):
    submission = hand_in(
        "f1 = 2 * 0.8 * 0.6 / (0.8 + 0.6)", 'grader.check("f1-by-hand")',
        f"def f1_gap(a, b):\n    {ENDS[name]}", 'grader.check("paired-gap")',
        "answer = ('b', 1)", 'grader.check("which-cloud")', seconds=30,
    )  # fmt: skip
    assert verdicts.judge(exercises.find("f1-by-hand"), submission.answer("f1-by-hand"), SEED).right
    submission.seconds, start = 2, time.monotonic()
    assert not verdicts.judge(exercises.find("paired-gap"), submission.answer("paired-gap"), SEED).right
    assert time.monotonic() - start < 30
    submission.seconds = 30
    assert submission.answer("which-cloud") == ("b", 1)


@pytest.mark.parametrize("cell", [
    "import os; os._exit(0)", "raise KeyboardInterrupt",
    pytest.param("import os\nwhile True: os.write(4, b'x' * 10**6)", marks=pytest.mark.long),
    pytest.param("sum(iter(int, 1))", marks=pytest.mark.long),
])  # fmt: skip
def test_a_cell_that_ends_the_process_takes_no_other_answer_with_it(cell, hand_in):
    submission = hand_in("import numpy as np", cell + "\nf1 = 2 * 0.8 * 0.6 / (0.8 + 0.6)", 'grader.check("f1-by-hand")',
                         "answer = ('b', np.ones(1)[0])", 'grader.check("which-cloud")', seconds=8)
    assert not verdicts.judge(exercises.find("f1-by-hand"), submission.answer("f1-by-hand"), SEED).right
    assert submission.answer("which-cloud") == ("b", 1)


@pytest.mark.parametrize("reply", [
    "b'{}'", "b'[]'", "b'nonsense'", "b'\\xff\\xfe'", "b'x' * 10**7", "b'[' * 10**6",
    "b'{\"value\": ' + b'9' * 5000 + b'}'",
    "b'{\"value\": {\"array\": [1], \"dtype\": \"V999999999\", \"shape\": [1]}}'", "b'{\"value\": NaN}'",
    "b'{\"call\": 0, \"arguments\": []}'", "b'{\"call\": -1, \"arguments\": [{\"function\": 0}]}'",
    "b'{\"value\": 0.5, \"problem\": \"\", \"detail\": \"\", \"printed\": false}'",
])  # fmt: skip
def test_a_forged_reply_is_worth_no_more_than_a_value(reply, verdict_on):
    """An answer can write what it likes to its pipe; that is one more way to give a wrong value."""
    forging = f"""
import os
def f1_gap(a, b):
    for pipe in range(3, 20):
        try:
            for _ in range(20):
                os.write(pipe, {reply} + b"\\n")
        except OSError:
            pass
    return 0.5
"""
    assert not verdict_on(forging, seconds=5).right


def test_an_answer_hears_nothing_of_what_is_expected(library, monkeypatch, hand_in):
    """What goes to the process: the student's own cells, then arguments; no seed, no expected value."""
    sent = []
    ask = grade.Process.ask
    monkeypatch.setattr(grade.Process, "ask", lambda self, *told: sent.append(told[0]) or ask(self, *told))
    exercise = exercises.find("paired-gap")
    submission = hand_in(RIGHT, 'grader.check("paired-gap")')
    assert verdicts.judge(exercise, submission.answer("paired-gap"), SEED).right
    cases = exercise.cases(np.random.default_rng(SEED))
    assert sent[0] == {"cells": [RIGHT, 'grader.check("paired-gap")'], "name": "f1_gap"}
    assert sent[1:] == [[worker.encode(argument) for argument in case.arguments] for case in cases]
    assert {path.name for path in (library / "sigbook" / "exercises").iterdir()} == {"__init__.py", "guard.py"}
    assert not list(library.rglob("*two_pictures*/*"))


def test_a_process_starts_with_an_empty_environment_and_folder(hand_in, monkeypatch):
    monkeypatch.setenv("CLASS_TOKEN", "secret")
    submission = hand_in("import os\nf1 = [list(os.environ), os.getcwd()]")
    names, folder = submission.answer("f1-by-hand")
    assert {"OPENBLAS_NUM_THREADS"} <= set(names) <= {"LC_CTYPE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}
    assert os.listdir(folder) == []
    submission.close()
    assert not os.path.exists(folder)


# A file that is handed in ------------------------------------------------------------------------


@pytest.mark.parametrize("content", [
    "", "{", "[]", "3", '{"cells": 3}', '{"cells": [3]}', '{"cells": [{"cell_type": "code"}]}', "[" * 10**5,
    '{"cells": [{"cell_type": "code", "source": [1]}]}', '{"cells": [{"cell_type": "code", "source": null}]}',
    " " * (grade.LARGEST + 1), "\x00",
], ids=lambda text: repr(text[:40]))  # fmt: skip
def test_what_is_no_notebook_is_said_to_be_none(content, tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(content)
    with pytest.raises(ValueError, match="not a notebook|larger than"):
        grade.code_cells(path)


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "real.ipynb").write_text('{"cells": []}')
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    assert grade.code_cells(tmp_path / "real.ipynb") == []
    with pytest.raises(ValueError, match="not a file"):
        grade.code_cells(tmp_path / "link.ipynb")


def test_an_answer_is_found_quickly_in_a_strange_notebook():
    start = time.monotonic()
    cells = ["\n" * 10**6, " " * 10**6, "grader" * 10**5, "(" * 10**5, 'grader.check("f1-by-hand")', "%x\n" * 10**5]
    assert grade.until_check(cells, "f1-by-hand") == (cells[:5], cells[:5])
    assert grade.until_check(cells, "which-cloud") == (cells, cells[5:])
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("arguments, word", [
    (["nowhere", "zip"], "no folder"), (["{here}", "nowhere.zip"], "no zip file"),
    (["{here}", "{zip}"], "no exercise"),
])  # fmt: skip
def test_what_cannot_be_graded_is_refused_in_words(arguments, word, tmp_path, capsys, monkeypatch):
    import importlib.util
    import zipfile

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as held:
        held.writestr("tests/q1.py", "")
    with pytest.raises(SystemExit):
        grade.main([x.format(here=tmp_path, zip=tmp_path / "other.zip") for x in arguments])
    assert word in capsys.readouterr().err


def test_without_otter_it_says_what_to_install(monkeypatch, tmp_path, capsys):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert grade.main([str(tmp_path), "x.zip"]) == 1
    assert capsys.readouterr().err.strip() == make_assignment.MISSING
