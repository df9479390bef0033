"""Run a reader's function so that whatever it does comes back as a word.

In the reader's own kernel, or the page, where no second process can be had. It bounds lines and seconds, keeps
printed text, and notices changed arguments and a moved global generator. It is no wall against a program that
means harm: a class grades submissions in processes of their own.
"""

from __future__ import annotations

import contextlib
import copy
import io
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LINES = 1_000_000
SECONDS = 10.0
LIBRARY = os.path.dirname(os.__file__)
RAISED, TOO_LONG, CHANGED, GLOBAL = "raises", "too long", "changes its arguments", "uses global chance"


class TooLong(BaseException):
    """Raised inside the reader's function; not an Exception, so that `except Exception` lets it pass."""


@dataclass(frozen=True)
class Outcome:
    """What came of one call: a value, or a `problem` (one of the constants) with `detail` in words."""

    value: object = None
    problem: str = ""
    detail: str = ""
    printed: str = ""


class Apart:
    """A function that runs in another process, which bounds it: `outcome` says what came of one call there."""

    def outcome(self, arguments: tuple) -> Outcome:
        raise NotImplementedError

    def __call__(self, *arguments):
        return self.outcome(arguments).value


def run(function: Callable, arguments: tuple, lines: int = LINES, seconds: float = SECONDS) -> Outcome:
    """`function(*arguments)` on copies of the arguments, within `lines` of its own lines and `seconds`."""
    if isinstance(function, Apart):
        return function.outcome(arguments)
    given = copy.deepcopy(arguments)
    before = copy.deepcopy(given)
    chance = _global_chance()
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text), _bounded(lines, seconds):
            value = _inside(function, given)
    except TooLong:
        return Outcome(problem=TOO_LONG, printed=text.getvalue())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: a reader's exit() must not end the notebook
        return Outcome(problem=RAISED, detail=words(error), printed=text.getvalue())
    if not all(unchanged(old, new) for old, new in zip(before, given)):
        return Outcome(problem=CHANGED, printed=text.getvalue())
    if not unchanged(chance, _global_chance()):
        return Outcome(problem=GLOBAL, printed=text.getvalue())
    return Outcome(value, printed=text.getvalue())


def words(error: BaseException) -> str:
    """An exception in a line; what it says, if it can say it."""
    try:
        return " ".join(f"{type(error).__name__}: {error}".split())[:500]
    except Exception:
        return f"{type(error).__name__}, which has no words"


def unchanged(old, new) -> bool:
    """Whether two values are alike all through; generators may have been used."""
    if isinstance(old, np.random.Generator):
        return True
    if isinstance(old, np.ndarray):
        return isinstance(new, np.ndarray) and old.dtype == new.dtype and np.array_equal(
            old, new, equal_nan=old.dtype.kind == "f")
    if isinstance(old, (list, tuple)):
        return type(old) is type(new) and len(old) == len(new) and all(map(unchanged, old, new))
    if isinstance(old, dict):
        return list(old) == list(new) and all(unchanged(old[key], new[key]) for key in old)
    if isinstance(old, float) and old != old:
        return new != new
    try:
        return hasattr(old, "__dict__") or bool(old == new)
    except Exception:
        return False


def _global_chance():
    return np.random.get_state(legacy=True), random.getstate()


def _inside(function: Callable, arguments: tuple):
    """The bounds hold in this call and nowhere else: TooLong is raised below its frame or not at all."""
    return function(*arguments)


@contextlib.contextmanager
def _bounded(lines: int, seconds: float):
    left, over = lines, False

    def count(frame, event, argument):
        nonlocal left
        if over:
            return None
        if event == "line":
            left -= 1
            if left < 0:
                if clock:
                    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
                raise TooLong
        return count

    def enter(frame, event, argument):
        # Only the reader's lines count: an import that were stopped half-way would stay broken, and `late`,
        # which Python calls like any function, would raise in whatever it interrupts.
        where = frame.f_code.co_filename
        ours = where == run.__code__.co_filename
        return None if ours or where.startswith(("<frozen", LIBRARY)) or "site-packages" in where else count

    def late(signum, frame):
        # What a bare except swallows, it swallows once: Python ends a trace that raised, so the trace is set
        # again before raising, and strikes on the first line of that except, which does not guard itself.
        nonlocal left
        readers = []
        while frame is not None and frame.f_code not in (_inside.__code__, run.__code__):
            readers.append(frame)
            frame = frame.f_back
        if frame is None or frame.f_code is run.__code__:
            return  # before the reader's function or after it
        left = 0
        for own in readers:
            own.f_trace = count
        sys.settrace(enter)
        raise TooLong

    traced = sys.gettrace()
    clock = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if clock:
        handler = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    sys.settrace(enter)
    try:
        yield
    finally:
        over = True
        sys.settrace(traced)
        if clock:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
