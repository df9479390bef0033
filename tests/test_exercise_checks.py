"""The ladder of verdicts, the budget that a reader's function runs under, hints and progress."""

from __future__ import annotations

import dataclasses
import decimal
import fractions
import json
import random

import numpy as np
import pytest

import sigbook as sb
from sigbook import exercises
from sigbook.exercises import guard, kinds, verdicts


def double(x):
    """Twice x."""
    return 2 * x


SQUARE = kinds.Wrong(lambda x: x * x, "that is the square.")
DOUBLE = kinds.Function(
    id="double", title="Double", level=1, statement="Double x.", hints=("Add.",), solution="x + x",
    reference=double, wrong=(SQUARE,),
    cases=lambda rng: [kinds.Case("two", (2.0,)), kinds.Case("a random number", (rng.uniform(3, 9),))],
)  # fmt: skip
HALF = kinds.Value(
    id="half", title="Half", level=1, statement="Half of one.", hints=("Divide.",), solution="1/2",
    name="half", reference=lambda: 0.5, within=0.005,
    wrong=(kinds.Wrong(lambda: 2.0, "that is twice."),),
)  # fmt: skip
ENDS = kinds.Value(
    id="ends", title="Ends", level=1, statement="0 and 1.", hints=("Two.",), solution="0, 1",
    name="ends", reference=lambda: (0.0, 1.0), within=0.01, wrong=(),
)  # fmt: skip


def step(exercise, answer):
    return verdicts.judge(exercise, answer, 1).step


# The ladder --------------------------------------------------------------------------------------


@pytest.mark.parametrize("exercise", [DOUBLE, HALF, ENDS], ids=lambda e: e.id)
def test_nothing_handed_over_is_missing_and_an_empty_answer_is_not_started(exercise):
    assert step(exercise, verdicts.ABSENT) == verdicts.MISSING
    assert step(exercise, ...) == step(exercise, None) == verdicts.NOT_STARTED


def test_an_unknown_exercise_is_missing_and_near_ones_are_named():
    verdict = sb.check("f1-by-hnd", 1)
    assert verdict.step == verdicts.MISSING
    assert "'f1-by-hand'" in verdict.text
    with pytest.raises(ValueError, match="'f1-by-hand'"):
        sb.hint("f1-by-hnd")


@pytest.mark.parametrize("answer", [
    0.5, np.float32(0.5), np.float64(0.5), np.array(0.5), fractions.Fraction(1, 2), decimal.Decimal("0.5"), 0.504,
])  # fmt: skip
def test_a_number_is_right_in_every_form(answer):
    assert step(HALF, answer) == verdicts.RIGHT


@pytest.mark.parametrize("answer, expected", [
    ("0.5", verdicts.KIND), ({"half": 0.5}, verdicts.KIND), (double, verdicts.KIND), (True, verdicts.KIND),
    (float("nan"), verdicts.KIND), (1j, verdicts.KIND), ([0.5], verdicts.SHAPE), ([[0.5, 1], [2]], verdicts.KIND),
    (2, verdicts.MISCONCEPTION), (50, verdicts.MISCONCEPTION), (0.51, verdicts.WRONG), (3.0, verdicts.WRONG),
    (float("inf"), verdicts.WRONG), (10**400, verdicts.KIND),
])  # fmt: skip
def test_a_number_goes_down_the_ladder(answer, expected):
    assert step(HALF, answer) == expected


@pytest.mark.parametrize("answer, expected", [
    ((0, 1), verdicts.RIGHT), ([0, 1], verdicts.RIGHT), (np.array([0, 1]), verdicts.RIGHT),
    ((0, 1, 2), verdicts.SHAPE), (0, verdicts.SHAPE), ("01", verdicts.KIND), ((1, 0), verdicts.WRONG),
    ((0, None), verdicts.KIND),
])  # fmt: skip
def test_a_pair_goes_down_the_ladder(answer, expected):
    assert step(ENDS, answer) == expected


def test_of_several_numbers_the_wrong_ones_are_named_by_their_place():
    assert "at place 2 of 2" in verdicts.judge(ENDS, (0, 3), 1).text
    assert "place" not in verdicts.judge(ENDS, (2, 3), 1).text
    assert step(ENDS, (float("inf"), 1)) == verdicts.WRONG


@pytest.mark.parametrize("answer, close", [
    ((0.69, 0.057), True), ((0.6857, 0.0574), True), ((24 / 35, 0.057), True), ((0.69, 0.06), False),
    ((0.7, 0.0574), False),
])  # fmt: skip
def test_numbers_that_were_rounded_too_far_are_called_close(answer, close):
    exercise = dataclasses.replace(ENDS, reference=lambda: (24 / 35, 0.057373), within=1e-6)
    assert ("close" in verdicts.judge(exercise, answer, 1).text) == close
    assert step(exercise, answer) == verdicts.WRONG


@pytest.mark.parametrize("answer, said", [
    ((0, (1, 2)), "ends holds a tuple at place 2, where a number was asked for."),
    ([[0, 1], 1], "ends holds a list at place 1, where a number was asked for."),
    ((float("nan"), "1"), "ends holds text at place 2, where a number was asked for."),
    ((0, None), "ends holds None at place 2, where a number was asked for."),
])  # fmt: skip
def test_what_is_no_number_among_numbers_is_named_by_its_place(answer, said):
    found = verdicts.judge(ENDS, answer, 1)
    assert (found.step, found.text) == (verdicts.KIND, said)


@pytest.mark.parametrize("answer, said", [
    (253, "close, but another whole number is right."), (256, "close, but another whole number is right."),
    (250, "close, but another whole number is right."), (251, "not right yet"), (261, "not right yet"), (254, "right."),
])  # fmt: skip
def test_a_number_of_things_that_is_near_is_not_called_a_matter_of_digits(answer, said):
    things = dataclasses.replace(HALF, reference=lambda: 254, within=0.4)
    assert verdicts.judge(things, answer, 1).text.startswith(said)


def test_the_reason_is_corrected_in_a_sentence_of_its_own():
    choice = kinds.Choice(
        id="which", title="Which", level=1, statement="Which?", hints=("Look.",), solution="a", name="answer",
        options={"a": "this", "b": "that"}, reasons={1: "so", 2: "else"}, reference=lambda: ("a", 1),
        wrong={"b": "not that.", 2: "not else."},
    )  # fmt: skip
    assert verdicts.judge(choice, ("a", 2), 1).text.endswith("for another reason. Not else.")
    assert str(verdicts.judge(choice, ("b", 2), 1)) == "which: not that."


def empty(x):
    ...


def todo(x):
    raise NotImplementedError


@pytest.mark.parametrize("answer, expected", [
    (double, verdicts.RIGHT), (lambda x: x + x, verdicts.RIGHT), (lambda x: np.array(2 * x), verdicts.RIGHT),
    (4.0, verdicts.KIND), ("def double(x)", verdicts.KIND), (empty, verdicts.NOT_STARTED), (todo, verdicts.NOT_STARTED),
    (lambda x: str(x), verdicts.KIND), (lambda x: [2 * x], verdicts.SHAPE), (lambda x: None if x > 2 else 4.0, verdicts.KIND),
    (lambda x: x**2, verdicts.MISCONCEPTION), (lambda x: 3 * x, verdicts.WRONG), (lambda x: 4.0, verdicts.WRONG),
    (lambda x: 1 / 0, verdicts.WRONG), (lambda: 4.0, verdicts.WRONG), (int, verdicts.WRONG),
])  # fmt: skip
def test_a_function_goes_down_the_ladder(answer, expected):
    assert step(DOUBLE, answer) == expected


def test_a_verdict_on_a_function_names_what_is_special_about_the_case():
    verdict = verdicts.judge(DOUBLE, lambda x: 4.0, 1)
    assert "a random number" in verdict.text and "seed 1" in verdict.text
    assert "2 cases" in verdicts.judge(DOUBLE, double, 1).text
    twice = "not right for two and in 1 other case, of 2 "
    assert verdicts.judge(DOUBLE, lambda x: 3 * x, 1).text.startswith(twice)


def test_a_mended_function_is_not_started_while_it_does_what_was_given():
    import dataclasses

    mend = dataclasses.replace(DOUBLE, given=SQUARE.gives)
    assert step(mend, SQUARE.gives) == verdicts.NOT_STARTED
    assert step(mend, double) == verdicts.RIGHT


def test_a_fault_of_the_check_is_said_to_be_the_book_s():
    import dataclasses

    def broken(rng):
        raise KeyError("no such case")

    verdict = verdicts.judge(dataclasses.replace(DOUBLE, cases=broken), double, 1)
    assert verdict.step == verdicts.FAULT
    assert "the book's fault" in verdict.text
    assert step(dataclasses.replace(DOUBLE, reference=todo), double) == verdicts.FAULT
    assert step(dataclasses.replace(DOUBLE, cases=lambda rng: []), double) == verdicts.FAULT


# The budget --------------------------------------------------------------------------------------


def endless(x):
    while True:
        x += 1


def stubborn(x):
    while True:
        try:
            while True:
                x += 1
        except:  # noqa: E722
            pass


def shielded(x):
    while True:
        try:
            x += 1
        except Exception:
            pass


@pytest.mark.parametrize("function", [endless, stubborn, shielded])
def test_an_endless_loop_is_stopped(function):
    assert guard.run(function, (0,), lines=10_000).problem == guard.TOO_LONG


def refused(x):
    raise KeyError(x)


@pytest.mark.parametrize("function", [endless, refused, double])
def test_the_clock_may_strike_anywhere_and_nothing_leaves_the_guard(function):
    """Strike as Python calls, or comes back from, the k-th thing, for every k until the function is well over."""
    import signal
    import sys

    def strike(k):
        calls = 0

        def watch(frame, event, argument):
            nonlocal calls
            calls += 1
            if calls == k:
                signal.raise_signal(signal.SIGALRM)

        sys.setprofile(watch)
        try:
            outcome = guard.run(function, (1,), lines=50)
        finally:
            sys.setprofile(None)
        assert outcome.problem in {endless: [guard.TOO_LONG], refused: [guard.RAISED, guard.TOO_LONG],
                                   double: ["", guard.TOO_LONG]}[function]
        assert signal.setitimer(signal.ITIMER_REAL, 0) == (0.0, 0.0), "the clock runs on"
        assert (signal.getsignal(signal.SIGALRM), sys.gettrace(), sys.stdout, sys.stderr) == before
        return outcome.problem, calls >= k

    def nothing(signum, frame):
        pass

    old = signal.signal(signal.SIGALRM, nothing)
    before = nothing, sys.gettrace(), sys.stdout, sys.stderr
    try:
        found = [strike(k) for k in range(1, 301)]
    finally:
        signal.signal(signal.SIGALRM, old)
    assert sum(problem == guard.TOO_LONG for problem, struck in found if struck) >= 1


def test_a_wait_is_stopped_by_the_clock():
    import time

    assert guard.run(lambda x: time.sleep(60), (0,), seconds=0.2).problem == guard.TOO_LONG


def changing_list(x):
    x.append(1)


def changing_array(x):
    x[0] = 7


def changing_inside(x):
    x["a"][0] = 7


def test_lines_of_libraries_and_of_imports_do_not_count():
    def imports(x):
        import importlib
        import json

        importlib.reload(json.encoder)
        return json.dumps(list(range(1_000)), indent=1)

    assert guard.run(imports, (0,), lines=10).value == json.dumps(list(range(1_000)), indent=1)


@pytest.mark.parametrize("function, argument", [
    (changing_list, [1, 2]), (changing_array, np.arange(3)), (changing_array, np.arange(3.0)),
    (changing_inside, {"a": np.arange(2)}),
])  # fmt: skip
def test_changed_arguments_are_noticed_and_the_caller_s_stay(function, argument):
    before = repr(argument)
    assert guard.run(function, (argument,)).problem == guard.CHANGED
    assert repr(argument) == before


@pytest.mark.parametrize("function", [lambda x: np.random.rand(), lambda x: random.random(), lambda x: np.random.seed(3)])
def test_global_chance_is_noticed(function):
    state, legacy = random.getstate(), np.random.get_state()
    try:
        assert guard.run(function, (0,)).problem == guard.GLOBAL
    finally:
        random.setstate(state)
        np.random.set_state(legacy)


def test_an_explicit_generator_may_be_used():
    outcome = guard.run(lambda rng: rng.random(), (np.random.default_rng(1),))
    assert outcome.value == np.random.default_rng(1).random()


@pytest.mark.parametrize("function", [lambda x: exit(), lambda x: [][0], lambda x: (_ for _ in ()).throw(MemoryError)])
def test_whatever_is_raised_comes_back_as_words(function):
    outcome = guard.run(function, (0,))
    assert outcome.problem == guard.RAISED and outcome.detail


def test_a_function_that_runs_in_another_process_speaks_for_itself():
    class Told(guard.Apart):
        def __init__(self, **told):
            self.told = told

        def outcome(self, arguments):
            return guard.Outcome(value=2 * arguments[0], **self.told)

    assert step(DOUBLE, Told()) == verdicts.RIGHT
    assert "prints" in verdicts.judge(DOUBLE, Told(printed="x"), 1).text
    assert "changes its arguments" in verdicts.judge(DOUBLE, Told(problem=guard.CHANGED), 1).text
    assert "raises OSError: full" in verdicts.judge(DOUBLE, Told(problem=guard.RAISED, detail="OSError: full"), 1).text


def test_printed_text_is_kept_and_spoils_nothing(capsys):
    def talking(x):
        print("thinking")
        return 2 * x

    verdict = verdicts.judge(DOUBLE, talking, 1)
    assert verdict.right and "prints" in verdict.text
    assert capsys.readouterr().out == ""


def test_a_trace_that_was_set_is_set_again():
    import sys

    def mine(frame, event, argument):
        return None

    old = sys.gettrace()
    sys.settrace(mine)
    try:
        guard.run(double, (1,))
        assert sys.gettrace() is mine
    finally:
        sys.settrace(old)


# Hints and progress ------------------------------------------------------------------------------


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    path = tmp_path / "sub" / "progress.json"
    monkeypatch.setenv("SIGBOOK_PROGRESS", str(path))
    return path


def test_hints_come_one_after_the_other_and_the_last_one_stays(own_file):
    hints = exercises.find("f1-by-hand").hints
    shown = [sb.hint("f1-by-hand") for _ in range(len(hints) + 1)]
    assert [hints[k] in text for k, text in enumerate(shown[:-1])] == [True] * len(hints)
    assert shown[-1] == shown[-2]
    assert repr(shown[0]) == str(shown[0])


@pytest.mark.parametrize("number", [0, 99, "1", True, 1.0])
def test_a_hint_that_is_not_there_is_an_error(number):
    with pytest.raises(ValueError, match="step"):
        sb.hint("f1-by-hand", number)


def test_right_answers_are_noted_and_wrong_ones_are_not(own_file):
    sb.check("f1-by-hand", 0.7)
    assert not own_file.exists()
    assert sb.check("f1-by-hand", 0.6857).right
    assert json.loads(own_file.read_text())["done"] == ["f1-by-hand"]
    table = exercises.done()
    assert "two_pictures" in table and "1 of" in table
    assert "f1-by-hand" not in table


@pytest.mark.parametrize("content", ["", "[]", "{", '{"done": 3}', '{"done": [1], "hints": {"x": "y"}}', "\x00"])
def test_a_spoilt_file_is_read_as_an_empty_one(own_file, content):
    own_file.parent.mkdir()
    own_file.write_text(content)
    assert "0 of" in exercises.done()
    assert sb.check("f1-by-hand", 0.6857).right
    assert "f1-by-hand" in json.loads(own_file.read_text())["done"]


def test_a_file_that_cannot_be_written_costs_no_verdict(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIGBOOK_PROGRESS", str(tmp_path / "file" / "progress.json"))
    verdict = sb.check("f1-by-hand", 0.6857)
    assert verdict.right and "could not be kept" in verdict.text
    assert sb.hint("f1-by-hand").startswith("Hint 1")


def test_nothing_is_kept_when_the_name_is_empty(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGBOOK_PROGRESS", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert sb.check("f1-by-hand", 0.6857).text == "right."
    assert list(tmp_path.iterdir()) == []
