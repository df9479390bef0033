"""The ladder from an answer to a verdict: missing, not started, wrong kind, wrong shape, misconception, wrong, right."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sigbook._checks import shown
from sigbook.exercises import guard
from sigbook.exercises.kinds import Choice, Exercise, Function, Value

MISSING, NOT_STARTED, KIND, SHAPE = "missing", "not started", "wrong kind", "wrong shape"
MISCONCEPTION, WRONG, RIGHT, FAULT = "a misconception", "wrong", "right", "our fault"
LADDER = (MISSING, NOT_STARTED, KIND, SHAPE, MISCONCEPTION, WRONG, RIGHT, FAULT)
ABSENT = inspect.Parameter.empty


@dataclass(frozen=True)
class Verdict:
    """What a check found: `step` is one of the LADDER, `text` says it in words."""

    exercise: str
    step: str
    text: str

    @property
    def right(self) -> bool:
        return self.step == RIGHT

    def __str__(self):
        return f"{self.exercise}: {self.text}"

    __repr__ = __str__


def judge(exercise: Exercise, answer, seed: int) -> Verdict:
    """The verdict on an answer; hidden cases are drawn from `seed`."""

    def verdict(step: str, text: str) -> Verdict:
        return Verdict(exercise.id, step, text)

    if answer is ABSENT:
        return verdict(MISSING, f"no answer was handed over. Write sb.check({exercise.id!r}, {exercise.name}).")
    if answer is None or answer is Ellipsis:
        return verdict(NOT_STARTED, f"not started: {exercise.name} is still {_named(answer)}.")
    try:
        steps = {Value: _value, Function: _function, Choice: _choice}[type(exercise)]
        return verdict(*steps(exercise, answer, seed))
    except Exception as error:
        return verdict(FAULT, "the check itself failed, which is the book's fault and not the answer's "
                       f"({type(error).__name__}: {error}; seed {seed}).")


def _value(exercise: Value, answer, seed):
    expected = exercise.reference()
    found = mismatch(answer, expected)
    if found:
        return found[0], f"{exercise.name} {found[1]}."
    if same(answer, expected, exercise.within, relative=False):
        return RIGHT, "right."
    for wrong in exercise.wrong:
        value = wrong.gives()
        if not mismatch(answer, value) and same(answer, value, exercise.within, relative=False):
            return MISCONCEPTION, wrong.message
    if np.ndim(expected) == 0 and same(answer, 100 * expected, 100 * exercise.within, relative=False):
        return MISCONCEPTION, "a fraction is asked for, and this is a percentage."
    whole = np.ndim(expected) == 0 and 0.1 < exercise.within < 0.5  # a number of things
    near = np.ndim(expected) == 0 and same(answer, expected, 2 if whole else 20 * exercise.within, relative=False)
    if near or _rounded(answer, expected, exercise.within):
        return WRONG, f"close, but {'another whole number is right' if whole else 'not to the digits asked for'}."
    if np.ndim(expected) == 1:
        fits = np.abs(numbers_of(answer) - numbers_of(expected)) <= exercise.within
        if fits.any():
            places = ", ".join(str(k + 1) for k in np.flatnonzero(~fits))
            return WRONG, f"not right yet at place {places} of {len(fits)}; the others are right."
    return WRONG, "not right yet; sb.hint gives the next step."


def _rounded(answer, expected, within) -> bool:
    """Whether every number is right, or is the right one rounded to two, three or four digits."""
    pairs = zip(np.ravel(numbers_of(answer)), np.ravel(numbers_of(expected)))
    return all(abs(x - y) <= within or x in [float(f"{y:.{digits}g}") for digits in (2, 3, 4)] for x, y in pairs)


def _choice(exercise: Choice, answer, seed):
    picked = _picked(exercise, answer)
    if picked is None:
        return KIND, (f"{exercise.name} must be a letter and a number, such as "
                      f"({next(iter(exercise.options))!r}, {next(iter(exercise.reasons))}).")
    option, reason = picked
    if option not in exercise.options:
        return SHAPE, f"there is no option {shown(option)}; the options are {', '.join(exercise.options)}."
    if reason not in exercise.reasons:
        return SHAPE, f"there is no reason {shown(reason)}; the reasons are {', '.join(map(str, exercise.reasons))}."
    best = exercise.reference()
    if (option, reason) == best:
        return RIGHT, "right."
    if option != best[0]:
        return MISCONCEPTION, exercise.wrong[option]
    said = exercise.wrong[reason]
    return MISCONCEPTION, f"that is the right choice for another reason. {said[:1].upper()}{said[1:]}"


def _picked(exercise: Choice, answer):
    if isinstance(answer, str):
        answer = answer.strip(" ()").replace(",", " ").replace("'", "").replace('"', "")
        answer = answer.split() if " " in answer else [answer[:1], answer[1:]]
    if not isinstance(answer, Sequence) or len(answer) != 2:
        return None
    option, reason = answer
    try:
        return str(option).strip().lower(), int(reason)
    except Exception:
        return None


def _function(exercise: Function, answer, seed):
    name = exercise.name
    if not callable(answer):
        return KIND, f"a function is asked for; {name} is {_named(answer)}. Hand over {name}, without brackets."
    takes = tuple(inspect.signature(exercise.reference).parameters)
    cases = exercise.cases(np.random.default_rng(seed))
    expected = [_reference(exercise.reference, case) for case in cases]
    if not cases:
        raise ValueError("no case to try")
    found, printed = [], False
    for case, right in zip(cases, expected):
        outcome = guard.run(answer, case.arguments)
        printed |= bool(outcome.printed.strip())
        problem = _problem(outcome, takes, case.label)
        if problem:
            if exercise.given is None and outcome.problem == guard.RAISED and "NotImplementedError" in outcome.detail:
                return NOT_STARTED, f"not started: {name} raises NotImplementedError."
            return problem
        if outcome.value is None or outcome.value is Ellipsis:
            if not found:
                return NOT_STARTED, f"not started: {name} returns {_named(outcome.value)}."
            return KIND, f"for {case.label}, {name} returns {_named(outcome.value)}."
        wrong = mismatch(outcome.value, right)
        if wrong:
            return wrong[0], f"for {case.label}, what {name} returns {wrong[1]}."
        found.append(outcome.value)
    fits = [same(value, right, exercise.within) for value, right in zip(found, expected)]
    if all(fits):
        note = " It also prints, which it need not." if printed else ""
        return RIGHT, f"right, on {len(cases)} cases.{note}"
    if exercise.given is not None and _agrees(exercise.given, cases, found, exercise.within):
        return NOT_STARTED, f"not started: {name} still does what it did as given."
    for wrong in exercise.wrong:
        if _agrees(wrong.gives, cases, found, exercise.within):
            return MISCONCEPTION, wrong.message
    failed = [case.label for case, fit in zip(cases, fits) if not fit]
    more = len(failed) - 1
    others = f" and in {more} other case{'s' * (more > 1)}" if more else ""
    return WRONG, f"not right for {failed[0]}{others}, of {len(cases)} (cases of seed {seed})."


def _problem(outcome, takes, label):
    if outcome.problem == guard.RAISED:
        wanted = f" It is called with ({', '.join(takes)})." if outcome.detail.startswith("TypeError") else ""
        return WRONG, f"for {label}, the function raises {outcome.detail}.{wanted}"
    if outcome.problem == guard.TOO_LONG:
        return WRONG, f"for {label}, the function was stopped: it runs too long. Does each loop end?"
    if outcome.problem == guard.CHANGED:
        return WRONG, f"for {label}, the function changes its arguments; work on a copy."
    if outcome.problem == guard.GLOBAL:
        return WRONG, "the function draws from the global generator; take chance from an explicit one."
    return None


def _reference(function, case):
    outcome = guard.run(function, case.arguments)
    if outcome.problem:
        raise RuntimeError(f"the reference {outcome.problem} for {case.label}: {outcome.detail}")
    return outcome.value


def _agrees(function, cases, found, within):
    """Whether `function` gives what was found, on every case that it can take."""
    for case, value in zip(cases, found):
        outcome = guard.run(function, case.arguments)
        if outcome.problem or mismatch(value, outcome.value) or not same(value, outcome.value, within):
            return False
    return True


# Values ------------------------------------------------------------------------------------------


def mismatch(found, expected):
    """(KIND or SHAPE, words) when `found` cannot be compared with `expected`, else None."""
    if isinstance(expected, str):
        return None if isinstance(found, str) else (KIND, f"is {_named(found)}, not text")
    if isinstance(expected, (bool, np.bool_)):
        fine = isinstance(found, (bool, np.bool_)) or (isinstance(found, np.ndarray) and found.ndim == 0)
        return None if fine else (KIND, f"is {_named(found)}, not True or False")
    if isinstance(found, (str, bytes, dict, set, frozenset)) or found is None or callable(found):
        return KIND, f"is {_named(found)}, not {'a number' if np.ndim(expected) == 0 else 'a list of numbers'}"
    if isinstance(found, (bool, np.bool_)):
        return KIND, "is True or False, not a number"
    if isinstance(expected, (tuple, list)) and any(np.ndim(part) for part in expected):
        if not isinstance(found, (tuple, list)) or len(found) != len(expected):
            return SHAPE, f"must have {len(expected)} parts"
        return next(filter(None, map(mismatch, found, expected)), None)
    try:
        array = numbers_of(found)
    except Exception:  # an object may raise anything when it is asked for its number
        for place, part in enumerate(found if type(found) in (tuple, list) and np.ndim(expected) == 1 else (), start=1):
            if mismatch(part, np.nan):
                return KIND, f"holds {_named(part)} at place {place}, where a number was asked for"
        return KIND, f"is {_named(found)}, not {'a number' if np.ndim(expected) == 0 else 'a list of numbers'}"
    wanted = numbers_of(expected)
    if array.shape != wanted.shape:
        return SHAPE, f"has the shape {array.shape}, not that of {_asked(wanted)}"
    if np.isnan(array).any() and not np.isnan(wanted).any():
        return KIND, "is not a number (NaN)" if array.ndim == 0 else "holds NaN"
    return None


def same(found, expected, within: float, relative: bool = True) -> bool:
    """Whether two values without a mismatch are as near as asked."""
    if isinstance(expected, str):
        return found.strip().lower() == expected.strip().lower()
    if isinstance(expected, (bool, np.bool_)):
        return bool(found) == bool(expected)
    if isinstance(expected, (tuple, list)) and any(np.ndim(part) for part in expected):
        return all(same(a, b, within, relative) for a, b in zip(found, expected))
    a, b = numbers_of(found), numbers_of(expected)
    size = np.maximum(1.0, np.abs(b)) if relative else 1.0
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(a - b) <= within * size) | (a == b) | (np.isnan(a) & np.isnan(b))))


def numbers_of(value) -> np.ndarray:
    """Any numbers, Fractions and Decimals too, as a float64 array; the shape is kept."""
    if isinstance(value, (tuple, list, range)):
        return np.array([numbers_of(part) for part in value], dtype=np.float64)
    if isinstance(value, np.generic) or not isinstance(value, numbers.Real) and hasattr(value, "__array__"):
        array = np.asarray(value)
        if np.ma.is_masked(value) or array.dtype.kind not in "biufO":
            raise TypeError(f"no numbers: {array.dtype} entries")
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    if isinstance(value, numbers.Real) or hasattr(value, "as_integer_ratio"):
        return np.array(float(value))
    raise TypeError(f"no number: {value!r}")


def _asked(wanted):
    return "one number" if wanted.ndim == 0 else " by ".join(map(str, wanted.shape)) + " numbers"


def _named(value) -> str:
    if value is Ellipsis:
        return "three dots"
    if value is None:
        return "None"
    if callable(value):
        return "a function"
    if isinstance(value, numbers.Number) and not isinstance(value, bool):
        return "a number"
    kinds = {str: "text", dict: "a dictionary", list: "a list", tuple: "a tuple", set: "a set", bool: "True or False"}
    return kinds.get(type(value), f"a {type(value).__name__}")
