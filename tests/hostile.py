"""Hostile values, valid values in disguise, and the one question asked of every call with them.

`tried` makes a call and fails unless it ends in one of two ways: a value, with no warning but doubts said
aloud, or a ValueError of one line that begins with the name of an argument. Either way it must end soon, in
little memory, without a word printed, and leave its arguments and NumPy's settings as they were.
"""

from __future__ import annotations

import contextlib
import decimal
import fractions
import inspect
import io
import itertools
import os
import random
import re
import signal
import sys
import threading
import types
import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import sigbook as sb

SECONDS = 10.0  # of processor time for one call
ROOM = 400 * 2**20  # bytes that one call may take beyond what the process has


class Hang(BaseException):
    """A call took too long."""


# Values -------------------------------------------------------------------------------------------------


class Awkward:
    """An object whose named methods raise."""

    def __init__(self, *methods):
        self.methods = methods
        self.__class__ = type("Awkward", (Awkward,), {name: _raises(name) for name in methods})


def _raises(name):
    def method(self, *_, **__):
        raise RuntimeError(f"{name} of an awkward object")

    return method


class Pretender:
    """An object that says it is an array, an index and a number."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Pretender({self.value!r})"

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype=dtype)

    def __index__(self):
        return self.value

    def __float__(self):
        return float(self.value)


def endless_list():
    inner: list = [1, 2]
    inner.append(inner)
    return inner


def deep_list(levels):
    value: list = [1.0]
    for _ in range(levels):
        value = [value]
    return value


PACKAGE = os.path.dirname(sb.__file__)
NAN, INF = float("nan"), float("inf")
EXTREMES = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1e-12, 5e-324, 2.2e-308, 1e-200, 1e-100, 1e75, -1e75, 1e100, 1e154, 1e200, 1.7e308, -1.7e308,
    0, 1, -1, 2, 7, 2**24 - 1, 2**24, 2**24 + 1, 2**31, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63),
)  # fmt: skip


class Made:
    """A value that is made anew for each call: one that can be used up, or that cannot be printed."""

    def __init__(self, name, make):
        self.name, self.make = name, make

    def __repr__(self):
        return f"Made({self.name})"


def opened(arguments: dict) -> dict:
    """The arguments of one call, with values made where they are to be made."""
    return {key: value.make() if isinstance(value, Made) else value for key, value in arguments.items()}


SCALARS = (
    None, True, False, np.True_, "", "x", "0.5", "all", "mean", "a\nb", "\x00", "\ud800", b"", b"x", bytearray(b"x"), 1j, NAN + 1j,
    decimal.Decimal("0.5"), decimal.Decimal("NaN"), decimal.Decimal("sNaN"), decimal.Decimal("1e999"),
    fractions.Fraction(1, 3), fractions.Fraction(2**2000, 3), ..., NotImplemented, int, len, np.float64, np.random, object(),
    NAN, INF, -INF, *EXTREMES, 2**63, 2**64, -(2**63) - 1, 10**12, 10**400, -(10**400),
    np.float16(0.5), np.float16(NAN), np.float32(1e-45), np.float64(0.3), np.longdouble(0.3), np.longdouble("1e4000"),
    np.complex64(1), np.int8(-128), np.uint8(255), np.uint64(2**64 - 1), np.datetime64("NaT"), np.datetime64("2020-01-01"),
    np.timedelta64(3, "s"), np.str_("x"), np.bytes_(b"x"), np.void(b"xy"), pd.NA, pd.NaT, pd.Timestamp(0),
    np.random.RandomState(1), np.random.MT19937(1), slice(3), range(3), range(0), types.SimpleNamespace(n=3), {}, {"a": 1},
    {1: 2}, set(), {1.0, 2.0}, frozenset({"x"}), Pretender(2), Pretender([0.1, 0.2]),
)  # fmt: skip
AWKWARD = (
    "__repr__", "__array__", "__index__", "__float__", "__iter__", "__len__ __getitem__", "__eq__ __hash__", "__hash__", "__bool__",
    "__call__", "__call__ __getattr__", "__str__ __repr__", "__eq__ __ne__", "__lt__", "__getattr__", "__array__ __index__ __float__ __iter__ __len__ __repr__ __bool__",
)  # fmt: skip
MADE = (
    Made("iter", lambda: iter([1.0, 2.0])), Made("count", itertools.count), Made("generator", lambda: (x for x in (0.1, 0.2))),
    Made("nothing", lambda: iter(())), Made("map", lambda: map(str, range(3))), Made("memoryview", lambda: memoryview(b"abc")),
    Made("endless list", endless_list), Made("40 levels", lambda: deep_list(40)), Made("3,000 levels", lambda: deep_list(3_000)),
    Made("10**5000", lambda: 10**5000), Made("-10**5000", lambda: -(10**5000)),
    *(Made(f"raises in {names}", lambda names=names: Awkward(*names.split())) for names in AWKWARD),
)  # fmt: skip
DTYPES = (
    object, bool, "i1", "i2", "i4", "i8", ">i4", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">f8", "longdouble", "c8", "c16",
    "M8[D]", "m8[s]", "U3", "S3", "i4,f8", "V4",
)  # fmt: skip
SHAPES = ((), (0,), (1,), (2,), (3,), (6,), (0, 3), (3, 0), (1, 10), (3, 1), (2, 3), (4, 10), (2, 2, 2), (1, 1, 1, 1, 1))
LAYOUTS = ("C", "F", "backward", "every other", "transposed", "read-only", "broadcast", "masked", "masked out", "unaligned")


def laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    """The same entries in another layout of memory; "broadcast" repeats the first, "masked out" hides it."""
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "backward":
        return array[::-1].copy()[::-1] if array.ndim else array
    if layout == "every other":
        return np.repeat(array, 2, axis=0)[::2] if array.ndim else array
    if layout == "transposed":
        return array.T.copy().T
    if layout == "broadcast":
        return np.broadcast_to(array.flat[0], array.shape) if array.size else array
    if layout == "unaligned" and array.dtype != object and array.size:
        raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
        odd = raw[1:].view(array.dtype).reshape(array.shape)
        odd[...] = array
        return odd
    if layout == "masked":
        return np.ma.array(array)
    if layout == "masked out":
        mask = np.zeros(array.shape, dtype=bool)
        mask.flat[:1] = True
        return np.ma.array(array, mask=mask)
    array = array.copy()
    array.flags.writeable = layout != "read-only"
    return array


@st.composite
def arrays(draw):
    """An array of any kind of entries, shape and layout."""
    shape, dtype = draw(st.sampled_from(SHAPES)), np.dtype(draw(st.sampled_from(DTYPES)))
    size = int(np.prod(shape))
    entries = draw(st.lists(st.sampled_from((*EXTREMES, NAN, INF, "x", None)), min_size=1, max_size=3))
    array = np.zeros(shape, dtype=dtype)
    for k in range(size):
        with contextlib.suppress(ValueError, TypeError, OverflowError), np.errstate(all="ignore"):
            array.flat[k] = entries[k % len(entries)]
    return laid_out(array, draw(st.sampled_from(LAYOUTS)))


@st.composite
def tables(draw):
    """A Series or a data frame, with or without gaps."""
    entries = draw(st.lists(st.sampled_from((0.5, 1, 2.0, NAN, None, "x", True)), min_size=0, max_size=4))
    series = pd.Series(entries, dtype=object if draw(st.booleans()) else None)
    return series if draw(st.booleans()) else pd.DataFrame({"a": series, "b": series})


ENTRIES = st.sampled_from((*EXTREMES, NAN, INF, -INF, "x", None, True, b"x", 1j, 2**64, (), [], [1, 2], pd.NA))
NESTED = st.recursive(ENTRIES, lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner), max_leaves=8)
SCALAR = st.sampled_from(SCALARS) | st.sampled_from(MADE)
HOSTILE = SCALAR | SCALAR | arrays() | NESTED | st.text(max_size=5) | st.binary(max_size=5) | tables()
# One draw for many numbers: a fuzz test spends its time on the package and not on drawing.
LOTS = st.integers(0, 2**20).map(random.Random)


@st.composite
def scores(draw, n, extreme=True):
    """n numbers: small whole ones with ties, plain real ones, all tiny, all huge, or of every size."""
    scale = draw(st.sampled_from((1, 1, 1.0, 0.1, 5e-324, 1e-300, 1e-170, 1e-80, 1e70, 1e160, 1e305) if extreme else (1, 0.1)))
    lot, kind = draw(LOTS), draw(st.integers(0, 9))
    if extreme and kind == 0:
        return lot.choices(EXTREMES, k=n)
    return [scale * (lot.randint(-3, 3) if kind < 6 else lot.randint(-100, 100)) for _ in range(n)]


LABELS = (
    (0, 1), ("a", "b"), (0.5, 1.5), (1, "1"), (True, 2), ("x", 0.5, (1, 2)), (b"a", b"b"), (np.int8(1), 2), ("", " "), (1, 1.0),
    (10**400, 3), (None, 1), (NAN, 2), ([1], 2), (pd.NaT, 1), (object, int), ("\ud800", "\x00"), (frozenset(), 1),
)  # fmt: skip


@st.composite
def labels(draw, n):
    """n labels of groups, of one type or mixed, as a list, a tuple, an array or an iterator."""
    kinds = draw(st.sampled_from(LABELS[:3]) | st.sampled_from(LABELS))
    found = draw(LOTS).choices(kinds, k=n)
    make = draw(st.sampled_from((list, list, tuple, iter, np.array, pd.Series, _objects)))
    if make is iter:
        return Made(f"iter({found})", lambda: iter(found))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(found)
    except (ValueError, TypeError, OverflowError):
        return found


def _objects(values):
    return np.fromiter(values, dtype=object, count=len(values))


DISGUISES = ("list", "tuple", "f8", ">f8", "longdouble", "object", "series", *(x for x in LAYOUTS if x not in ("broadcast", "masked out")))


def disguised(value, kind):
    """The same numbers in another form."""
    array = np.asarray(value)
    if kind == "list":
        return array.tolist()
    if kind == "tuple":
        return tuple(map(tuple, array.tolist())) if array.ndim == 2 else tuple(array.tolist()) if array.ndim else array[()]
    if kind == "series":
        return pd.Series(array) if array.ndim == 1 else pd.DataFrame(array) if array.ndim == 2 else array
    if kind in ("f8", ">f8", "longdouble", "object"):
        return array.astype(kind)
    return laid_out(array, kind)


# One call -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """A value with the doubts said, or the words of a refusal."""

    value: object = None
    refusal: str | None = None
    said: tuple[str, ...] = field(default=())


def tried(function, *arguments, begins=(), outspoken=False, many=0, **options) -> Outcome:
    """What came of a call.

    begins: words that a refusal may begin with besides the names of the arguments. outspoken: an argument is a
    function that may warn of what it likes, elsewhere than in the package. many: how many numbers are asked for;
    each may take 64 bytes and a millionth of a second besides.
    """
    before = fingerprint((arguments, options))
    settings = np.geterr()
    printed = io.StringIO()
    value = refusal = None
    with (warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed),
          contextlib.redirect_stderr(printed), bounded(SECONDS + many / 1e6, ROOM + 64 * many)):  # fmt: skip
        warnings.simplefilter("always")
        try:
            value = function(*arguments, **options)
        except ValueError as error:
            refusal = re.sub(r"0x[0-9a-f]+", "0x", str(error))
    strange = [warning for warning in caught if not issubclass(warning.category, sb.SignificanceWarning)
               and (not outspoken or PACKAGE in warning.filename)]
    assert not strange, f"warns of {strange[0].category.__name__}: {strange[0].message}"
    assert printed.getvalue() == ""
    assert np.geterr() == settings
    assert fingerprint((arguments, options)) == before, "an argument was changed"
    if refusal is not None:
        assert not caught, "doubts were said of what was refused"
        names = (*inspect.signature(function).parameters, *map(re.escape, begins))
        assert re.match(rf"({'|'.join(names)})(?!\w)", refusal), f"names no argument: {refusal!r}"
        assert "\n" not in refusal and len(refusal) < 500, refusal
    return Outcome(value, refusal, tuple(str(warning.message) for warning in caught))


@contextlib.contextmanager
def bounded(seconds: float = SECONDS, room: int = ROOM):
    """Raises Hang after `seconds` of processor time; an allocation beyond `room` bytes is a MemoryError."""

    def stop(*_):
        raise Hang(f"more than {seconds:g} s")

    clock = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if clock:
        handler = signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with _little_memory(room):
            yield
    finally:
        if clock:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, handler)


@contextlib.contextmanager
def _little_memory(room):
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def fingerprint(value, seen=()):
    """Something that is equal before and after unless the value was changed; iterators may be used up."""
    if id(value) in seen:
        return "itself"
    seen = (*seen, id(value))
    if isinstance(value, np.ma.MaskedArray):
        return fingerprint(np.asarray(value), seen), np.ma.getmaskarray(value).tobytes()
    if isinstance(value, np.ndarray):
        inside = [fingerprint(x, seen) for x in value.flat] if value.dtype.hasobject else value.tobytes()
        return value.dtype.str, value.shape, value.strides, value.flags.writeable, inside
    if isinstance(value, pd.Series | pd.DataFrame):
        return fingerprint(value.to_numpy(), seen), repr(value.index)
    if isinstance(value, list | tuple):
        return type(value).__name__, [fingerprint(x, seen) for x in value] if len(seen) < 60 else len(value)
    if isinstance(value, np.random.SeedSequence):
        return repr(value.state)
    if isinstance(value, dict):
        return [(fingerprint(key, seen), fingerprint(x, seen)) for key, x in value.items()]
    if isinstance(value, sb.PairedSet | sb.Cloud | types.SimpleNamespace):
        return fingerprint(vars(value), seen)
    if isinstance(value, bool | float | complex | str | bytes | bytearray | np.generic | set | frozenset):
        return repr(value)
    return value if isinstance(value, int) else id(value)


def plain(value):
    """A result as something that compares by ==, NaN alike."""
    if isinstance(value, sb.PairedSet | sb.Cloud):
        return {key: plain(x) for key, x in vars(value).items() if key not in ("metric", "rule", "clusters")}
    if isinstance(value, np.ndarray):
        return value.shape, [repr(x) for x in value.ravel().tolist()]
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return repr(value)
