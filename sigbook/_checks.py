"""Checks at the door: every public function passes its arguments through here, once.

Each check returns a clean value (a Python number or a fresh array) or raises a ``ValueError`` that
names the argument, the value found and what is allowed. Nothing given by a caller is modified.
"""

from __future__ import annotations

import itertools
import math
import operator
import warnings
from collections.abc import Iterator

import numpy as np

_NUMERIC = "iuf"
_INT64 = np.iinfo(np.int64)
_MISSING_TIME = "Mm"
_ROUNDING = 1e-12
MOST_GAPS = 10**8  # kept by one call, 0.8 GB; a cloud keeps them all


class SignificanceWarning(UserWarning):
    """Said aloud when a result is computed but should be read with doubt."""


def doubt(*texts: str, stacklevel: int = 3) -> None:
    """Warn of each text, at the line that called the function that calls this."""
    for text in texts:
        warnings.warn(text, SignificanceWarning, stacklevel=stacklevel)


def quietly(function, *arguments, **options):
    """The result of a call whose doubts are said in another place, or would be said a thousand times."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SignificanceWarning)
        return function(*arguments, **options)


def generator(seed) -> np.random.Generator:
    """Return a NumPy generator for ``seed``: an int >= 0, a SeedSequence or a Generator.

    An int or a SeedSequence gives the same stream each time; a Generator is used as it stands and
    advances. ``None``, booleans, floats and negative numbers raise ``ValueError``: every result in
    this package can be run again.
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.SeedSequence):
        # Its own: spawning counts children.
        return np.random.default_rng(np.random.SeedSequence(
            seed.entropy, spawn_key=seed.spawn_key, pool_size=seed.pool_size,
            n_children_spawned=seed.n_children_spawned))
    value = _index(seed)
    if value is None or value < 0:
        raise ValueError(
            f"seed must be an integer >= 0, a SeedSequence or a Generator; got {shown(seed)}"
        )
    return np.random.default_rng(value)


def count(name: str, value, least: int = 0, most: int | None = None) -> int:
    """Return ``value`` as an int between ``least`` and ``most``, both included."""
    allowed = f"an integer >= {least}" if most is None else f"an integer from {least} to {most}"
    number = _index(value)
    if number is None or number < least or (most is not None and number > most):
        raise ValueError(f"{name} must be {allowed}; got {shown(value)}")
    return number


def draws(value, each: int = 1) -> int:
    """Return ``value`` as a number of draws >= 1, of which ``each`` numbers are kept."""
    number = count("draws", value, least=1)
    if number * each > MOST_GAPS:
        raise ValueError(
            f"draws must be at most {MOST_GAPS // each:,}, for all of them are kept; got {shown(number)}"
        )
    return number


def real(name: str, value) -> float:
    """Return ``value`` as a finite float."""
    number = _scalar(value)
    if number is None or not np.isfinite(number):
        raise ValueError(f"{name} must be a finite number; got {shown(value)}")
    return number


def fraction(name: str, value) -> float:
    """Return ``value`` as a float strictly between 0 and 1; 95 is answered with 0.95."""
    number = _scalar(value)
    if number is None or not 0.0 < number < 1.0:
        slip = number is not None and 1.0 < number < 100.0
        repair = f" (write {number / 100:g} for {number:g}%)" if slip else ""
        raise ValueError(
            f"{name} must be a number strictly between 0 and 1; got {shown(value)}{repair}"
        )
    return number


def probability(name: str, value) -> float:
    """Return ``value`` as a float from 0 to 1, both included."""
    number = _scalar(value)
    if number is None or not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must be a number from 0 to 1; got {shown(value)}")
    return number


def choice(name: str, value, allowed) -> str:
    """Return ``value`` if it is one of the strings in ``allowed``."""
    names = tuple(allowed)
    if not isinstance(value, str) or value not in names:
        listed = ", ".join(repr(option) for option in names)
        raise ValueError(f"{name} must be one of {listed}; got {shown(value)}")
    return value


def flag(name: str, value) -> bool:
    """Return ``value`` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False; got {shown(value)}")
    return bool(value)


def numbers(name: str, x, dims: tuple[int, ...] | None, dtype=None) -> np.ndarray:
    """Return ``x`` as a fresh, contiguous array of finite numbers.

    Parameters
    ----------
    dims: the numbers of axes allowed, e.g. ``(1, 2)``; None allows any.
    dtype: ``float`` gives float64, ``int`` gives int64 (floats must then be whole), None keeps
        integers as int64 and makes everything else float64.

    Raises ``ValueError`` for text, booleans, complex numbers, objects, ragged lists, masked or
    missing entries, NaN and infinities, integers beyond int64, no entries, or another number of
    axes.
    """
    _refuse_masked(name, x)
    try:
        array = np.asarray(x)
    except Exception as error:  # an object may raise anything when it is asked for its numbers
        raise ValueError(
            f"{name} must be a rectangular array of numbers; got {shown(x)}"
        ) from error
    if array.dtype.kind not in _NUMERIC:
        raise ValueError(f"{name} must hold numbers; got {_kind(array)}")
    if dims is not None and array.ndim not in dims:
        axes = " or ".join(str(d) for d in dims)
        raise ValueError(
            f"{name} must have {axes} {'axis' if axes == '1' else 'axes'}; "
            f"got an array of shape {array.shape}"
        )
    if not array.size:
        raise ValueError(f"{name} must not be empty; got an array of shape {array.shape}")
    if array.dtype.kind == "u" and array.max() > _INT64.max:
        raise ValueError(f"{name} must fit 64-bit integers; got {shown(array.max())}")
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            array = np.array(array, dtype=np.float64, order="C")
        if not np.isfinite(array).all():
            where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
            index = ", ".join(str(i) for i in where)
            raise ValueError(f"{name} must be finite; got {name}[{index}] = {array[where]}")
        if dtype is not int:
            return array
        broken = np.argwhere(array != np.floor(np.clip(array, -(2.0**53), 2.0**53)))
        if broken.size:
            where = tuple(int(i) for i in broken[0])
            index = ", ".join(str(i) for i in where)
            raise ValueError(
                f"{name} must hold whole numbers; got {name}[{index}] = {array[where]}"
            )
    return np.array(array, dtype=np.float64 if dtype is float else np.int64, order="C")


def vector(name: str, x, dtype=float, length: int | None = None) -> np.ndarray:
    """Return ``x`` as a fresh 1-D array of numbers (see ``numbers``), of ``length`` if given."""
    array = numbers(name, x, (1,), dtype)
    if length is not None and len(array) != length:
        raise ValueError(f"{name} must have {length} entries; got {len(array)}")
    return array


def matrix(name: str, x, dtype=float) -> np.ndarray:
    """Return ``x`` as a fresh 2-D array of finite numbers (see ``numbers``)."""
    return numbers(name, x, (2,), dtype)


def constant(x: np.ndarray) -> bool:
    """Whether the numbers in ``x`` are all equal but for rounding beside their size."""
    x, _ = scaled(x)
    return bool(x.max() - x.min() <= _ROUNDING * max(abs(x.max()), abs(x.min())))


def scaled(x: np.ndarray) -> tuple[np.ndarray, int]:
    """(x / 2^k, k), the largest size in x / 2^k from 1/2 to 1: sums of squares neither overflow nor vanish.

    A power of two rounds nothing. k is 0 if x is 0.
    """
    k = math.frexp(np.abs(x).max())[1]
    return np.ldexp(x, -k), k


def sd(x: np.ndarray) -> np.ndarray:
    """Standard deviation, divisor n, along the last axis of finite numbers of any size."""
    k = np.frexp(np.abs(x).max(axis=-1, keepdims=True))[1]
    x = np.ldexp(x, -k)
    x -= x[..., :1]  # exact for neighbours: three 0.1 have no spread, though their mean is not 0.1
    return np.ldexp(x.std(axis=-1), k.squeeze(-1))


def labels(name: str, x, n: int) -> tuple[int, np.ndarray]:
    """Return (K, inverse) for ``n`` labels: K distinct ones and each label's number, intp (n,).

    A label may be anything hashable: a number, a string, a tuple. The labels are numbered in
    sorted order if they can be sorted, else as they first appear. None, NaN and other missing
    values raise ``ValueError``. ``np.bincount`` takes no wider numbers than intp (int32 on Pyodide).
    """
    if isinstance(x, str | bytes | dict | set | frozenset):
        raise ValueError(f"{name} must be a sequence of {n} labels; got {type(x).__name__}")
    _refuse_masked(name, x)
    if axes(x, 1) != 1:  # a data frame, too: what it gives one by one are the names of its columns
        raise ValueError(f"{name} must have 1 axis; got an array of shape {np.shape(x)}")
    try:
        sized = hasattr(x, "__len__")
        values = x if isinstance(x, np.ndarray) else list(x if sized else itertools.islice(x, n + 1))
    except Exception as error:
        raise ValueError(f"{name} must be a sequence of {n} labels; got {shown(x)}") from error
    if len(values) != n:
        found = len(values) if sized or len(values) < n else "more"
        raise ValueError(f"{name} must have {n} entries, one per segment; got {found}")
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuSUf" + _MISSING_TIME:
        return _labels_of_array(name, values)
    return _labels_of_objects(name, values)


def axes(x, otherwise: int) -> int:
    """The number of axes of an array or a data frame, or ``otherwise`` of anything else."""
    try:
        return operator.index(x.ndim)
    except Exception:
        return otherwise


def _refuse_masked(name: str, x) -> None:
    rows = x if isinstance(x, list | tuple) else (x,)
    masked = [row for row in rows if isinstance(row, np.ma.MaskedArray) and not row.dtype.names]
    hidden = sum(int(np.ma.count_masked(row)) for row in masked)
    if hidden:
        raise ValueError(f"{name} must have no masked entries; got {hidden} of them")


def kept(x, n: int):
    """``x`` for reading more than once: a list of an iterator's labels, one more than ``n`` at most."""
    return list(itertools.islice(x, n + 1)) if isinstance(x, Iterator) else x


def _labels_of_array(name: str, array: np.ndarray) -> tuple[int, np.ndarray]:
    if array.dtype.kind in "f" + _MISSING_TIME:
        missing = np.isnan(array)  # of times, too
        if missing.any():
            i = int(np.flatnonzero(missing)[0])
            raise ValueError(f"{name} must have no missing label; got {name}[{i}] = {array[i]}")
    distinct, inverse = np.unique(array, return_inverse=True)
    return len(distinct), inverse.astype(np.intp)


def _labels_of_objects(name: str, values) -> tuple[int, np.ndarray]:
    for i, value in enumerate(values):
        if _missing(value):
            raise ValueError(f"{name} must have no missing label; got {name}[{i}] = {shown(value)}")
    try:
        distinct = list(dict.fromkeys(values))
    except Exception as error:
        raise ValueError(f"{name} must hold hashable labels; got {shown(values)}") from error
    try:
        distinct.sort()
    except Exception:
        pass
    number = {value: k for k, value in enumerate(distinct)}
    inverse = np.fromiter((number[value] for value in values), dtype=np.intp, count=len(values))
    return len(distinct), inverse


def _missing(value) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except Exception:
        # pandas.NA refuses to be a truth value; so does an array, which the hash then refuses.
        return not isinstance(value, np.ndarray)


def _index(value) -> int | None:
    """``value`` as an int if it is an integer (no boolean, no float), else None."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except Exception:
        return None


def _scalar(value) -> float | None:
    """``value`` as a float if it is one real number (no boolean, no text), else None."""
    try:
        array = np.asarray(value)
    except Exception:
        return None
    if array.ndim or array.dtype.kind not in _NUMERIC:
        return None
    with np.errstate(over="ignore"):
        return float(array)


def _kind(array: np.ndarray) -> str:
    kinds = {
        "b": "booleans (write .astype(int) to count them)",
        "U": "text",
        "S": "bytes",
        "c": "complex numbers",
        "M": "dates",
        "m": "time spans",
    }
    if array.dtype.kind in kinds:
        return kinds[array.dtype.kind]
    for value in array.flat:
        number = _index(value)
        if number is not None and not _INT64.min <= number <= _INT64.max:
            return f"{shown(value)}, which does not fit a 64-bit integer"
        if _scalar(value) is None:
            return f"{shown(value)} among its entries"
    return "an array of objects"


def shown(value) -> str:
    """``value`` as it appears in a message: NumPy scalars as plain numbers, long reprs cut."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of thousands of digits, a list within itself, an object that refuses
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
