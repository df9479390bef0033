"""What an exercise is: data and the functions that its check needs, nothing that runs by itself.

An exercise is one module, `sigbook/exercises/<chapter>/<id with _ for ->.py`, with one `EXERCISE`. Its
reference is an ordinary function: its signature and docstring become the reader's stub, its source the
folded solution, its values what an answer is held against. Its wrong answers are ordinary functions too: an
answer that agrees with one of them on every case is told so by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people give.

    gives: the function (or, for a Value, a function without arguments that returns the wrong value).
    message: what the misconception is, for someone who holds it; it does not give the answer away.
    """

    gives: Callable
    message: str


@dataclass(frozen=True)
class Case:
    """Arguments for the reader's function; `label` says what is special about them, and may be shown."""

    label: str
    arguments: tuple


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What all kinds share.

    id: words joined by "-", unique in the book. title: of the exercise, by concept. level: 1 (a step), 2 (a
    page), 3 (an evening). statement, solution: MyST Markdown. hints: from the first nudge to nearly there.
    setup: code before the stub: imports and givens. shows: code after the solution's, which prints the numbers
    that statement and solution name. asked: which question of a source this is ("004 knowledge check Q2").
    """

    id: str
    title: str
    level: int
    statement: str
    hints: Sequence[str]
    solution: str
    setup: str = ""
    shows: str = ""
    asked: str = ""


@dataclass(frozen=True, kw_only=True)
class Value(Exercise):
    """A number, or an array or tuple of numbers, to be found.

    name: of the variable in the stub. reference: function without arguments that computes the value.
    within: largest distance from it that still passes, absolute. wrong: misconceptions and their values.
    """

    name: str
    reference: Callable[[], object]
    within: float
    wrong: Sequence[Wrong]


@dataclass(frozen=True, kw_only=True)
class Function(Exercise):
    """A function to be written, or (with `given`) to be mended.

    reference: the right function; its docstring is the reader's. cases: from a generator to hidden cases, some
    fixed and some random. wrong: misconceptions as functions of the same arguments. same: other right
    functions, which must pass. within: largest distance relative to max(1, |value|); for an answer that
    depends on chance, several standard errors. given: the faulty function that the reader starts from.
    """

    reference: Callable
    cases: Callable[[np.random.Generator], Sequence[Case]]
    wrong: Sequence[Wrong]
    same: Sequence[Callable] = ()
    within: float = 1e-9
    given: Callable | None = None

    @property
    def name(self) -> str:
        return self.reference.__name__


@dataclass(frozen=True, kw_only=True)
class Choice(Exercise):
    """One option and one reason for it: the answer is a pair such as ("b", 2).

    options: letter -> text. reasons: number -> text. reference: function without arguments that returns the
    right pair, from a computation where there is one. wrong: what is mistaken about each other option (by
    letter) and each other reason (by number).
    """

    name: str
    options: dict[str, str]
    reasons: dict[int, str]
    reference: Callable[[], tuple[str, int]]
    wrong: dict[str | int, str]
