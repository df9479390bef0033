"""Changes of an exercise's solution in one place: its check refuses all that compute something else."""

from __future__ import annotations

import pytest

import mutants
from changes import changes, explained
from sigbook import exercises
from sigbook.exercises.kinds import Choice

COMPUTED = [name for ids in exercises.ORDER.values() for name in ids
            if not isinstance(exercises.find(name), Choice)]


def test_changes_are_single_and_leave_out_what_would_only_flatter():
    source = "def f(x, y):\n    return x + 2 * y if x < y else x\n"
    changed = [change.line for change in changes(source)]
    assert "return x - 2 * y if x < y else x" in changed
    assert "return x + 2 * y if x <= y else x" in changed
    assert not any("<<" in line or "|" in line for line in changed)
    assert len(set(changed)) == len(changed)


def test_a_check_with_a_hole_lets_changes_survive():
    import dataclasses

    exercise = exercises.find("paired-gap")

    def identical_only(rng):
        return [case for case in exercise.cases(rng) if case.label == "identical systems"]

    blind = dataclasses.replace(exercise, cases=identical_only)
    assert mutants.survivors(blind)[1]


@pytest.mark.long
@pytest.mark.parametrize("name", COMPUTED)
def test_every_change_that_computes_something_else_is_refused(name):
    count, alive = mutants.survivors(exercises.find(name))
    assert count > 0
    assert mutants.complaints("exercises", [name], [(name, line) for line in alive]) == []


def test_explanations_are_of_exercises_that_exist():
    assert {name for name, _ in explained("exercises")} <= set(COMPUTED)
