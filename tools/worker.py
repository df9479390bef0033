"""The process in which a student's answer runs, and the form in which values travel to and from it.

`tools/grade.py` starts one process per answer: `python -I -S tools/worker.py LIBRARY PACKAGES SECONDS`.
LIBRARY holds a copy of sigbook without its exercises, PACKAGES is the folder with NumPy. The process reads
requests and writes replies, one line of JSON each: first the cells of the notebook, then the arguments of
one call after the other. It never hears what is expected of the answer.

Before it runs a line of the student's it walls itself in. Limits on time, memory, files and processes hold
everywhere. On Linux the kernel then refuses to open files other than Python's own, to write to any, to
start processes, open sockets, send signals and change file attributes (Landlock and seccomp), whatever code
asks for it. An audit hook refuses the same in words, which stops plain Python where the kernel cannot.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    LIBRARY, PACKAGES, SECONDS = sys.argv[1:]
    sys.path[:] = [LIBRARY, *sys.path, PACKAGES]

import ctypes
import fractions
import json
import os
import platform
import re
import sysconfig
import tempfile
from collections.abc import Callable

import numpy as np

import sigbook as sb
from sigbook.exercises import guard

MEMORY = 2 * 2**30
REPLY = 8 * 2**20
DTYPE = re.compile(r"[<|]([biuf][1248]|b1|f2)")


# Values ------------------------------------------------------------------------------------------


def encode(value, functions: list | None = None):
    """A value as JSON can carry it. A function stays here, in the list; what cannot travel becomes a name."""
    def inner(part):
        return encode(part, functions)

    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return _array(value)
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, (list, tuple, range)):
        return {"list" if isinstance(value, list) else "tuple": [inner(part) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[inner(key), inner(part)] for key, part in value.items()]}
    if isinstance(value, np.random.Generator):
        return {"generator": inner(value.bit_generator.state)}
    if isinstance(value, sb.PairedSet):
        return {"pairs": [inner(x) for x in (value.a, value.b, value.metric, value.clusters, value.names)]}
    if isinstance(value, sb.Cloud):
        return {"cloud": [inner(x) for x in (value.gaps, value.observed, value.kind, value.enumerated,
                                             value.score_scale, value.invalid)]}
    if value is ...:
        return {"dots": None}
    if callable(value):
        if functions is None:
            return {"function": None}
        functions.append(value)
        return {"function": len(functions) - 1}
    try:
        return {"ratio": [int(part) for part in value.as_integer_ratio()]}
    except (AttributeError, TypeError, ValueError):
        pass
    if hasattr(value, "__array__"):
        return _array(np.asarray(value))
    return {"other": type(value).__name__}


def _array(value):
    if value.dtype.kind == "O":
        return encode(value.tolist())
    if value.dtype.kind == "U":
        return {"text": value.ravel().tolist(), "shape": value.shape}
    if value.dtype.kind not in "biuf":
        return {"other": type(value).__name__}
    if value.dtype.itemsize > 8:
        value = value.astype(np.float64)
    form = "scalar" if isinstance(value, np.generic) else "array"
    return {form: value.ravel().tolist(), "dtype": value.dtype.newbyteorder("<").str, "shape": value.shape}


def decode(form, call: Callable | None = None):
    """The value that `encode` took apart; `call(number, arguments)` reaches a function that stayed there.

    Raises an exception of some kind for a form that `encode` does not write.
    """
    def inner(part):
        return decode(part, call)

    if form is None or type(form) in (bool, int, float, str):
        return form
    kind, content = next(iter(form.items()))
    if kind in ("array", "scalar"):
        if not DTYPE.fullmatch(form["dtype"]):
            raise ValueError("no dtype of numbers")
        array = np.array(content, dtype=form["dtype"]).reshape(form["shape"])
        return array if kind == "array" else array[()]
    if kind == "text":
        if len(content) * max(map(len, content), default=0) > REPLY:
            raise ValueError("too much text")
        return np.array(content, dtype=str).reshape(form["shape"])
    if kind in ("list", "tuple"):
        return {"list": list, "tuple": tuple}[kind](map(inner, content))
    if kind == "dict":
        return {inner(key): inner(part) for key, part in content}
    if kind == "generator":
        generator = np.random.default_rng(0)
        generator.bit_generator.state = inner(content)
        return generator
    if kind == "pairs":
        return sb.PairedSet(*map(inner, content))
    if kind == "cloud":
        return sb.Cloud(*map(inner, content))
    if kind == "dots":
        return ...
    if kind == "ratio":
        return fractions.Fraction(*map(int, content))
    if kind == "function":
        return (lambda *arguments: call(content, arguments)) if call else guard.Apart()
    return named(str(content))


def named(words: str):
    """An object whose type bears these words, so that a verdict says them."""
    return type(words[:200], (), {})()


# Walls -------------------------------------------------------------------------------------------

# Linux numbers its system calls by processor: x86-64, and what most others share.
CALLS = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200),
    "clone": (56, 220), "clone3": (435, 435), "fork": (57, None), "vfork": (58, None),
    "execve": (59, 221), "execveat": (322, 281), "ptrace": (101, 117), "unshare": (272, 97),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "setpriority": (141, 140),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122), "ioprio_set": (251, 30),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466), "file_setattr": (469, 469),
    "io_uring_setup": (425, 425), "bpf": (321, 280), "perf_event_open": (298, 241),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "memfd_create": (319, 279),
}  # fmt: skip
PROCESSORS = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
READ_FILE, READ_FOLDER = 4, 8


def limit(seconds: int) -> None:
    """Bound processor time, memory, files and processes, for good."""
    import resource

    bounds = {"CPU": seconds, "AS": MEMORY, "FSIZE": 0, "NOFILE": 64, "NPROC": 0, "CORE": 0}
    for name, most in bounds.items():
        which = getattr(resource, f"RLIMIT_{name}", None)
        try:
            resource.setrlimit(which, (most, most))
        except (OSError, TypeError, ValueError):  # macOS knows no bound on memory
            if name == "CPU":
                raise


def kernel_refuses(readable: list[str]) -> str:
    """Let Linux refuse everything but reading in these places; what of it this kernel lacks, or nothing."""
    if sys.platform != "linux":
        return "Landlock and seccomp are Linux's"
    libc = ctypes.CDLL(None, use_errno=True)

    def call(function, *arguments) -> int:
        result = function(*(ctypes.c_long(x) if isinstance(x, int) else x for x in arguments))
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    lacking = []
    # Of root's capabilities only those stay that read what belongs to others.
    header, held = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call(libc.capget, header, held)
    call(libc.capset, header, (ctypes.c_uint32 * 6)(held[0] & 6, held[1] & 6))
    call(libc.prctl, 38, 1, 0, 0, 0)  # no new privileges
    call(libc.prctl, 1, 9, 0, 0, 0)  # the grader's end is this process's end
    try:
        version = call(libc.syscall, 444, None, 0, 1)
        accesses = 2 ** (13 + (version >= 2) + (version >= 3) + (version >= 5)) - 1
        rules = call(libc.syscall, 444, ctypes.byref(ctypes.c_uint64(accesses)), 8, 0)
        for place in filter(os.path.exists, readable):
            handle = os.open(place, os.O_PATH)
            access = READ_FILE | READ_FOLDER if os.path.isdir(place) else READ_FILE
            beneath = access.to_bytes(8, sys.byteorder) + handle.to_bytes(4, sys.byteorder)
            call(libc.syscall, 445, rules, 1, beneath, 0)
            os.close(handle)
        call(libc.syscall, 446, rules, 0)
        os.close(rules)
    except OSError as error:
        lacking.append(f"Landlock ({error.strerror})")
    try:
        column, processor = PROCESSORS[platform.machine()]
        allow, refuse = (6, 0, 0, 0x7FFF0000), (6, 0, 0, 0x00050001)
        steps = [(0x20, 0, 0, 4), (0x15, 1, 0, processor), refuse,  # another processor's numbers
                 (0x20, 0, 0, 0), (0x35, 0, 1, 0x40000000), refuse]  # x86's second set of numbers
        for numbers in CALLS.values():
            if numbers[column] is not None:
                steps += [(0x15, 0, 1, numbers[column]), refuse]
        steps.append(allow)
        code = b"".join(op.to_bytes(2, "little") + bytes([yes, no]) + k.to_bytes(4, "little")
                        for op, yes, no, k in steps)
        buffer = ctypes.create_string_buffer(code)
        program = len(steps).to_bytes(8, "little") + ctypes.addressof(buffer).to_bytes(8, "little")
        call(libc.prctl, 22, 2, program, 0, 0)
    except (KeyError, OSError) as error:
        lacking.append(f"seccomp ({error})")
    return ", ".join(lacking)


def hook(readable: list[str]):
    """The audit hook: what an answer may ask Python for."""
    harmless = frozenset((
        "import", "compile", "exec", "marshal.loads", "sys._getframe", "sys._getframemodulename",
        "sys.settrace", "object.__getattr__", "object.__setattr__", "object.__delattr__", "code.__new__",
        "function.__new__", "builtins.id", "time.sleep", "os.putenv", "os.unsetenv",
    ))  # fmt: skip
    reading = frozenset(("os.listdir", "os.scandir"))
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    files = frozenset(os.path.realpath(place) for place in readable)
    folders = tuple(f"{place}/" for place in files)

    def check(event, arguments):
        if event in harmless:
            return
        if event in reading or event == "open" and not arguments[2] & writing:
            path = arguments[0]
            if type(path) is bytes:
                path = path.decode(errors="replace")
            path = os.path.realpath(path) if type(path) is str else ""
            if path in files or path.startswith(folders):
                return
        raise PermissionError(f"an answer must not ask for this: {event} {str(arguments)[:80]}")

    return check


# The process -------------------------------------------------------------------------------------


class Nothing:
    """Takes whatever is asked of it and does nothing: for drawings and for what belongs to a notebook."""

    def __getattr__(self, name):
        return self

    def __call__(self, *arguments, **options):
        return self

    def __iter__(self):
        return iter((self, self))


def compiled(cell: str):
    """A cell's code; a notebook's own commands (% and !) are left out when it is no Python with them."""
    try:
        return compile(cell, "<answer>", "exec")
    except SyntaxError:
        return compile(re.sub(r"^([ \t]*)[%!].*$", r"\1pass", cell, flags=re.M), "<answer>", "exec")


def outcome(found: guard.Outcome) -> dict:
    """A call's outcome as JSON can carry it."""
    return {"value": encode(found.value), "problem": found.problem, "detail": found.detail[:300],
            "printed": bool(found.printed.strip())}


def main() -> None:
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    for name in ("otter", "matplotlib", "matplotlib.pyplot"):
        sys.modules[name] = Nothing()
    tempfile.tempdir = LIBRARY  # named, not written to
    readable = [
        LIBRARY, PACKAGES, sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"),
        os.path.join(sys.base_prefix, "lib"), "/lib", "/lib64", "/usr/lib", "/usr/local/lib",
        "/etc/ld.so.cache", os.path.realpath(os.path.join(LIBRARY, "data")), os.devnull, "/dev/urandom",
    ]  # fmt: skip

    def answer(found: dict) -> None:
        line = json.dumps(found).encode() + b"\n"
        replies.write(line if len(line) <= REPLY else b'{"problem": "raises", "detail": "too much to give back"}\n')
        replies.flush()

    def call(number: int, arguments: tuple):
        answer({"call": number, "arguments": [encode(argument) for argument in arguments]})
        return decode(json.loads(requests.readline()))

    limit(int(SECONDS))
    lacking = kernel_refuses(readable)
    sys.addaudithook(hook(readable))
    answer({"lacking": lacking})

    first = json.loads(requests.readline())
    space = {"__name__": "__main__", "np": np, "sb": sb}
    space |= dict.fromkeys(("get_ipython", "display", "grader"), Nothing())
    trouble = None
    for cell in first["cells"]:
        done = guard.run(lambda: exec(compiled(cell), space), ())
        if done.problem in (guard.RAISED, guard.TOO_LONG):
            trouble = named(f"cell that stops with {done.detail or 'its time'}")
    answer(outcome(guard.Outcome(space.get(first["name"], trouble))))
    for line in requests:
        try:
            arguments = tuple(decode(form, call) for form in json.loads(line))
            answer(outcome(guard.run(space[first["name"]], arguments)))
        except Exception as error:
            answer(outcome(guard.Outcome(problem=guard.RAISED, detail=f"{type(error).__name__}: {error}")))


if __name__ == "__main__":
    main()
