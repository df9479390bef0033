"""Change the package's core one place at a time, many times, and see whether its tests notice.

pytest collects the test files of the modules once. A first child runs them and notes each test's time and the
lines that it executes. Then every change gets a child of its own, which puts the changed code in place and runs
those tests of the module's own file that execute the changed statement, until one fails. A change that none
of them fails survives. Tests of more than SLOWEST seconds take no part, and after ENOUGH seconds of tests
the change counts as survived: both can only lower the score.

Left out by rule: annotations, which nothing evaluates; what stands in a `raise`, the words of a message; `is` for
`==` and the reverse, where only the interpreter decides whether equal values are one object; an order of words where
a word is looked for; and changes that compile to the same code.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from changes import Change, changes

ROOT = Path(__file__).resolve().parent.parent
CORE = ("rules", "clouds", "pairs", "metrics", "linear", "mcnemar", "clusters", "eer", "multiplicity", "equivalence",
        "runs", "family", "_checks", "data", "experiments", "texts", "reading", "compare")
ELSEWHERE = {"pairs": ("pairs", "runs")}  # where a module's tests are, if not in its file alone
IDENTITY = re.compile(r"ReplaceComparisonOperator_(Eq_Is|NotEq_IsNot|Is_Eq|IsNot_NotEq)$")
ORDER = re.compile(r"ReplaceComparisonOperator_(Eq|NotEq)_(Lt|Gt)E?$")
SLOWEST, ENOUGH = 2.0, 10.0  # seconds of one test, and of all tests of one change
GRACE = 2.0  # processor seconds that a test may take beside ten times its own
PATIENCE = 300.0  # seconds on the clock after which a child that uses no processor is given up
MEMORY = 3 * 2**30  # bytes that a child may take beside what it is born with


Named = tuple[str, Change]


@dataclass
class Verdict:
    """What became of the changes of one module: how many there are, and `function: changed line` of survivors."""

    total: int = 0
    alive: list[str] = field(default_factory=list)


class Trial:
    """A pytest plugin that tries changes of modules instead of running the tests once.

    modules: name to import -> the changes to try, given all of that module, each as (`function: changed line`,
    change).
    """

    def __init__(self, modules: dict[str, Callable[[list[Named]], list[Named]]], tell=lambda line: None):
        self.modules, self.tell = modules, tell
        self.verdicts: dict[str, Verdict] = {}
        self.silent_raises: list[str] = []
        self.broken: list[str] = []
        self._fail = lambda test: None

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self):
        import hypothesis

        # Examples as in the other runs, but a failure is enough: nobody reads the smallest one.
        hypothesis.settings.register_profile("mutants", derandomize=True, deadline=None, database=None,
                                             report_multiple_bugs=False, phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate))
        os.environ["SIGBOOK_HYPOTHESIS"] = "mutants"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
            self._fail(item.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        paths = {name: importlib.import_module(name).__file__ for name in self.modules}
        sources = {name: Path(path).read_text("utf-8") for name, path in paths.items()}  # before anybody edits them
        lines, times, self.broken = self._measure(session.items, list(paths.values()))
        if self.broken:
            return True
        gc.collect()
        gc.freeze()  # children write to no page for the collector's sake
        for name, path in paths.items():
            self.silent_raises += _silent_raises(name, sources[name], lines[path])
            self._try_module(session, name, path, sources[name], lines[path], times)
        return True

    # Measuring ------------------------------------------------------------------------------------------

    def _measure(self, items, paths):
        """Lines -> tests for each path, seconds of each test, and tests that fail without any change."""
        import coverage

        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "coverage")
            child = os.fork()
            if not child:
                try:
                    found = self._measured(items, coverage.Coverage(data_file=file, branch=True, include=paths,
                                                                    config_file=False))
                    Path(folder, "found.json").write_text(json.dumps(found), "utf-8")
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            found = json.loads(Path(folder, "found.json").read_text("utf-8"))
            data = coverage.CoverageData(file)
            data.read()
            lines = {path: data.contexts_by_lineno(path) for path in paths}
        for module in found["loaded"]:  # loaded once here, not again by every child
            try:
                importlib.import_module(module)
            except Exception:  # what is no module of its own
                continue
        return lines, found["times"], found["broken"]

    def _measured(self, items, recorder):
        before, times, broken = set(sys.modules), {}, []
        self._fail = broken.append
        _silence()
        recorder.start()
        for item, following in zip(items, [*items[1:], None]):
            recorder.switch_context(item.nodeid)
            start = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            times[item.nodeid] = time.process_time() - start
        recorder.stop()
        recorder.save()
        loaded = [name for name in set(sys.modules) - before if "__main__" not in name]
        return {"times": times, "broken": broken, "loaded": sorted(loaded)}

    # Changes --------------------------------------------------------------------------------------------

    def _try_module(self, session, name, path, source, lines, times):
        outline, original = Outline(source), compile(source, path, "exec")
        functions = _functions(path)
        own = [Path(file).name for file in tests_of(Path(path).stem)]
        items = {item.nodeid: item for item in session.items if item.path.name in own}
        verdict, started, killers = Verdict(), time.time(), {}
        found = [(f"{outline.function(change.row)}: {change.line}", change) for change in changes(source)
                 if outline.counts(change)]
        everything = [items[x] for x in _order(set(items), times, [])]
        if self._try(session, _Patch(name, path, original, original, functions), everything, times) is not None:
            self.broken.append(f"{name}, loaded anew")
            return
        for key, change in self.modules[name](found):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # `is` beside a literal
                try:
                    code = compile(change.source, path, "exec")
                except SyntaxError:
                    continue
            if code == original:
                continue
            verdict.total += 1
            known = killers.setdefault(outline.function(change.row), [])
            tests = [items[x] for x in _order(outline.executing(change.row, lines) & set(items), times, known)]
            killer = self._try(session, _Patch(name, path, original, code, functions), tests, times)
            if killer is None:
                verdict.alive.append(key)
                self.tell(f"  {name}: {key}  (line {change.row}, {len(tests)} tests)")
            elif killer in items:
                known[:] = [killer, *(x for x in known if x != killer)]
        self.verdicts[name] = verdict
        self.tell(f"{name}: {verdict.total - len(verdict.alive)} of {verdict.total} changes noticed, "
                  f"{time.time() - started:.0f} s")

    def _try(self, session, patch, tests, times) -> str | None:
        """The test that notices the patch, "" for a crash or a time-out, None if no test does."""
        if not tests:
            return None
        out, into = os.pipe()
        child = os.fork()
        if not child:
            os.close(out)
            try:
                _silence()
                grown = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
                resource.setrlimit(resource.RLIMIT_AS, (grown + MEMORY,) * 2)
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
                self._fail = lambda test: (os.write(into, b"dead " + test.encode()), os._exit(0))
                self._run(session, patch, tests, times)
                os.write(into, b"alive")
            finally:
                os._exit(0)
        os.close(into)
        ready, _, _ = select.select([out], [], [], PATIENCE)
        said = os.read(out, 4096) if ready else b""
        os.close(out)
        if not ready:
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return None if said == b"alive" else said.removeprefix(b"dead ").decode()

    def _run(self, session, patch, tests, times):
        """Run the tests on changed code; the first failure ends the process."""
        signal.setitimer(signal.ITIMER_PROF, 30.0)
        if not patch.install():
            patch.reload()
            own = ("sigbook", "test_", "claims", "enumeration", "strategies")
            for module in [x for x in sys.modules if x.startswith((*own, patch.name))]:
                del sys.modules[module]
            found = {item.nodeid: item for item in session.perform_collect([test.nodeid for test in tests])}
            tests = [found[test.nodeid] for test in tests]
        for test, following in zip(tests, [*tests[1:], None]):
            signal.setitimer(signal.ITIMER_PROF, GRACE + 10 * times[test.nodeid])
            test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)


def _order(tests, times, known) -> list[str]:
    """Tests to try: those that noticed a neighbour, then the quickest; see SLOWEST and ENOUGH."""
    spent, some = 0.0, [x for x in known if x in tests][:10]
    for test in sorted((x for x in tests if times[x] <= SLOWEST and x not in some), key=times.get):
        spent += times[test]
        if spent > ENOUGH:
            break
        some.append(test)
    return some


def _silence():
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


# Putting changed code in place --------------------------------------------------------------------------


def _functions(path) -> dict[tuple[str, int], list]:
    """Every living function from a file, by its qualified name and line."""
    found: dict[tuple[str, int], list] = {}
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__code__.co_filename == path:
            code = thing.__code__
            found.setdefault((code.co_qualname, code.co_firstlineno), []).append(thing)
    return found


class _Patch:
    """Changed code of a module, to be put into its living functions, or loaded anew where that is not enough."""

    def __init__(self, name, path, old, new, functions):
        self.name, self.path, self.old, self.new, self.functions = name, path, old, new, functions

    def install(self) -> bool:
        """Swap the code of functions; False if more than bodies of functions changed."""
        swaps, whole = [], True

        def walk(old, new):
            nonlocal whole
            if not old.co_flags & 1 and _skeleton(old) != _skeleton(new):
                whole = False  # the module's own statements, or those of a class
            pairs = zip(_inner(old), _inner(new))
            for a, b in pairs:
                if a != b:
                    if a.co_flags & 1:
                        swaps.append((a, b))
                    walk(a, b)

        if len(_inner(self.old)) != len(_inner(self.new)):
            return False
        walk(self.old, self.new)
        living = [(thing, b) for a, b in swaps for thing in self.functions.get((a.co_qualname, a.co_firstlineno), ())]
        if not whole or not living or any(thing.__code__.co_freevars != b.co_freevars for thing, b in living):
            return False
        for thing, code in living:
            thing.__code__ = code
        return True

    def reload(self) -> None:
        """Have the next import of the module take the changed code."""
        code = self.new

        class Loader(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname):
                return code

        class Finder:
            @staticmethod
            def find_spec(fullname, path=None, target=None):
                if fullname == self.name:
                    return importlib.util.spec_from_file_location(fullname, self.path, loader=Loader(fullname, self.path))
                return None

        sys.meta_path.insert(0, Finder)


def _inner(code):
    return [x for x in code.co_consts if isinstance(x, types.CodeType)]


def _skeleton(code):
    return (code.co_code, code.co_names, code.co_varnames,
            [x for x in map(repr, (x for x in code.co_consts if not isinstance(x, types.CodeType)))])


# What a source looks like -------------------------------------------------------------------------------


class Outline:
    """Where a source's functions and statements are, and which of its changes count."""

    def __init__(self, source: str):
        tree, self.rows = ast.parse(source), source.splitlines()
        self.functions, self.statements, self.idle, self.words = [], [], [], []
        self._walk(tree, "")

    def _walk(self, node, inside):
        for child in ast.iter_child_nodes(node):
            name = inside
            if isinstance(child, ast.Compare) and any(_is_word(x) for x in (child.left, *child.comparators)):
                self.words.append(self._span(child))
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{inside}.{child.name}".lstrip(".")
                first = min([child.lineno, *(x.lineno for x in child.decorator_list)])
                self.functions.append((first, child.end_lineno, name, isinstance(child, ast.FunctionDef),
                                       child.body[0].lineno))
            if isinstance(child, ast.stmt | ast.ExceptHandler):
                body = getattr(child, "body", None)
                last = max(child.lineno, body[0].lineno - 1) if body else child.end_lineno
                self.statements.append((child.lineno, last))
            if isinstance(child, ast.Raise):
                self.idle.append(self._span(child))
            for part in (getattr(child, "annotation", None), getattr(child, "returns", None)):
                if part is not None:
                    self.idle.append(self._span(part))
            self._walk(child, name)

    def _span(self, node):
        return ((node.lineno, self._column(node.lineno, node.col_offset)),
                (node.end_lineno, self._column(node.end_lineno, node.end_col_offset)))

    def _column(self, row, offset):
        return len(self.rows[row - 1].encode()[:offset].decode())

    def counts(self, change: Change) -> bool:
        """Whether a change is more than words, types or identity."""
        if IDENTITY.search(change.operator):
            return False
        spared = self.idle + self.words if ORDER.search(change.operator) else self.idle
        return not any(start <= change.place < end for start, end in spared)

    def function(self, row: int) -> str:
        """The innermost function or class around a row, or what stands for the module."""
        around = [(first, name) for first, last, name, *_ in self.functions if first <= row <= last]
        return max(around)[1] if around else "<module>"

    def executing(self, row: int, lines: dict[int, list[str]]) -> set[str]:
        """The tests that execute the innermost statement of a row; outside of functions, all that use the module."""
        if not any(body <= row <= last for _, last, _, is_function, body in self.functions if is_function):
            return {test for tests in lines.values() for test in tests} - {""}
        first, last = max((s for s in self.statements if s[0] <= row <= s[1]), key=lambda s: (s[0], -s[1]))
        return {test for k in range(first, last + 1) for test in lines.get(k, ())} - {""}


def _is_word(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _silent_raises(name, source, lines) -> list[str]:
    """Raise statements of a module that no test executes."""
    return [f"{name}, line {node.lineno}" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise)
            and not any(set(lines.get(k, ())) - {""} for k in range(node.lineno, node.end_lineno + 1))]


# ---------------------------------------------------------------------------------------------------------


def run(trial: Trial, tests: list[str], folder: Path = ROOT, *options: str) -> int:
    """Hand a trial to pytest, with the tests of these files."""
    return pytest.main(["--rootdir", str(folder), "-o", "addopts=", "-m", "not long", "-p", "no:cacheprovider",
                        "-p", "no:nbval", "-p", "no:xdist", "-p", "no:terminal", "--assert=plain", *options, *tests], plugins=[trial])


def tests_of(module: str) -> list[str]:
    """The test files of a module."""
    return [f"tests/test_{name}.py" for name in ELSEWHERE.get(module, (module.lstrip("_"),))]


def of_core(modules: list[str], tell=lambda line: None) -> Trial:
    """Try every change of these modules against their own test files."""
    trial = Trial({f"sigbook.{name}": list for name in modules}, tell)
    run(trial, sorted({str(ROOT / file) for name in modules for file in tests_of(name)}))
    trial.verdicts = {name.removeprefix("sigbook."): verdict for name, verdict in trial.verdicts.items()}
    return trial
