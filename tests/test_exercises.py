"""Every exercise: its solution passes, its stub is not started, its wrong answers are refused by name."""

from __future__ import annotations

import contextlib
import io
import time

import numpy as np
import pytest

import make_exercises
import sigbook as sb
from sigbook import exercises
from sigbook.exercises import verdicts
from sigbook.exercises.kinds import Choice, Exercise, Function, Value

ALL = [name for ids in exercises.ORDER.values() for name in ids]
SEEDS = (0, 1, 2)
ASKED = {
    *(f"004 self-test Q{k}" for k in range(1, 6)),
    *(f"004 knowledge check Q{k}" for k in range(1, 6)),
    "004 module review", "004 rung 1", "004 rung 2",
    *(f"003 self-check {k}" for k in range(1, 6)),
    "003 deeper",
}  # fmt: skip


def of_kind(kind: type[Exercise]) -> list[str]:
    return [name for name in ALL if isinstance(exercises.find(name), kind)]


def executed(code: str) -> tuple[dict, str]:
    """The names that code leaves behind after the page's imports, and what it prints."""
    space, text = {"np": np, "sb": sb}, io.StringIO()
    with contextlib.redirect_stdout(text):
        exec(compile(code, "<page>", "exec"), space)
    return space, text.getvalue()


# The book's exercises ----------------------------------------------------------------------------


def test_ids_and_titles_are_unique():
    titles = [exercises.find(name).title for name in ALL]
    assert len(set(ALL)) == len(ALL)
    assert len(set(titles)) == len(titles)
    assert all(exercises.find(name).id == name for name in ALL)


@pytest.mark.parametrize("name", ALL)
def test_an_exercise_is_complete(name):
    exercise = exercises.find(name)
    assert exercise.level in make_exercises.LEVELS
    assert exercise.hints and all(hint.strip() for hint in exercise.hints)
    assert exercise.statement.strip() and exercise.solution.strip()
    if isinstance(exercise, Function):
        assert len(exercise.wrong) >= 5
    elif isinstance(exercise, Value):
        assert len(exercise.wrong) >= 3
    messages = [w.message for w in exercise.wrong] if not isinstance(exercise, Choice) else exercise.wrong.values()
    assert len(set(messages)) == len(messages)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", of_kind(Function))
def test_a_right_function_passes_and_each_wrong_one_is_named(name, seed):
    exercise = exercises.find(name)
    for right in (exercise.reference, *exercise.same):
        verdict = verdicts.judge(exercise, right, seed)
        assert verdict.right, f"{right.__name__}: {verdict}"
    for wrong in exercise.wrong:
        verdict = verdicts.judge(exercise, wrong.gives, seed)
        if wrong.gives is exercise.given:
            assert verdict.step == verdicts.NOT_STARTED
        else:
            assert (verdict.step, verdict.text) == (verdicts.MISCONCEPTION, wrong.message), wrong.gives.__name__


@pytest.mark.parametrize("name", of_kind(Value))
def test_a_right_value_passes_in_every_form_and_each_wrong_one_is_named(name):
    exercise = exercises.find(name)
    value = exercise.reference()
    forms = [value, np.asarray(value), np.asarray(value).tolist(), np.asarray(value, dtype=np.float64)]
    if np.ndim(value) == 1:
        forms += [tuple(value), list(value)]
    for form in forms:
        assert verdicts.judge(exercise, form, 0).right
    for sign in (-1, 1):
        edge = np.asarray(value, dtype=np.float64) + sign * 0.99 * exercise.within
        assert verdicts.judge(exercise, edge, 0).right
        beyond = np.asarray(value, dtype=np.float64) + sign * 1.01 * exercise.within
        assert not verdicts.judge(exercise, beyond, 0).right
    for wrong in exercise.wrong:
        verdict = verdicts.judge(exercise, wrong.gives(), 0)
        assert (verdict.step, verdict.text) == (verdicts.MISCONCEPTION, wrong.message), wrong.gives.__name__


@pytest.mark.parametrize("name", of_kind(Choice))
def test_one_pair_is_right_and_every_other_is_refused_in_words(name):
    exercise = exercises.find(name)
    best = exercise.reference()
    assert set(exercise.wrong) == {*exercise.options, *exercise.reasons} - set(best)
    for option in exercise.options:
        for reason in exercise.reasons:
            verdict = verdicts.judge(exercise, (option, reason), 0)
            assert verdict.right == ((option, reason) == best)
            if not verdict.right:
                assert exercise.wrong[option if option != best[0] else reason].lower() in verdict.text.lower()


@pytest.mark.parametrize("name", [name for name in ALL if getattr(exercises.find(name), "given", None)])
def test_a_faulty_function_says_what_it_should_do_as_its_solution_does(name):
    exercise = exercises.find(name)
    assert exercise.given.__doc__ in (None, exercise.reference.__doc__)


@pytest.mark.parametrize("name", ALL)
def test_the_stub_runs_and_is_not_started(name):
    _, printed = executed(make_exercises.stub(exercises.find(name)))
    assert printed.startswith(f"{name}: not started: ")
    assert printed.count("\n") == 1


@pytest.mark.parametrize("name", ALL)
def test_lines_of_code_fit_the_page(name):
    exercise = exercises.find(name)
    code = [make_exercises.stub(exercise), make_exercises.solution(exercise)]
    assert [line for line in "\n".join(code).splitlines() if len(line) > 78] == []


@pytest.mark.parametrize("name", ALL)
def test_the_folded_solution_runs_alone_and_is_right(name):
    exercise = exercises.find(name)
    space, printed = executed(make_exercises.solution(exercise))
    if isinstance(exercise, Function):
        assert verdicts.judge(exercise, space[exercise.name], 5).right
    elif isinstance(exercise, Value):
        assert verdicts.judge(exercise, space[exercise.reference.__name__](), 5).right
    assert printed or isinstance(exercise, Choice)


@pytest.mark.parametrize("name", ALL)
def test_a_verdict_takes_less_than_two_seconds(name):
    exercise = exercises.find(name)
    answers = [exercise.reference() if not isinstance(exercise, Function) else exercise.reference]
    if isinstance(exercise, Function):
        answers += [exercise.wrong[-1].gives, lambda *arguments: 0.123]
    for answer in answers:
        start = time.process_time()
        verdicts.judge(exercise, answer, 3)
        assert time.process_time() - start < 2


@pytest.mark.parametrize("name", ALL)
def test_a_message_does_not_give_the_answer_away(name):
    exercise = exercises.find(name)
    if not isinstance(exercise, Value) or np.ndim(exercise.reference()) or float(exercise.reference()).is_integer():
        return
    digits = f"{float(exercise.reference()):.3g}"
    assert not any(digits in wrong.message for wrong in exercise.wrong)
    assert not any(digits in hint for hint in exercise.hints)


@pytest.mark.parametrize("chapter", exercises.ORDER)
def test_derived_files_are_those_of_the_source(chapter):
    assert make_exercises.stale(chapter) == [], f"run tools/make_exercises.py {chapter}"
