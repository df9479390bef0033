"""Changes of the package's core in one place: the tool that tries them finds holes in tests, and only those."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import core_mutants
import mutants
from changes import changes, explained

ROOT = Path(__file__).resolve().parent.parent
TOY = '''
    from __future__ import annotations
    import functools

    LIMIT = 3

    class Box:
        def __init__(self, size: int | None = 2):
            self.size = size

        @property
        def twice(self):
            return 2 * self.size

    def adder(step):
        def add(x):
            return x + step
        return add

    plus = adder(10)

    def capped(x):
        if x < 0:
            raise ValueError(f"{x - 1} lies below -1")
        return min(x, LIMIT)

    @functools.cache
    def digits(n):
        found = 0
        while n:
            n //= 10
            found += 1
        return found

    def whole(text):
        try:
            return int(text)
        except ValueError:
            return None
'''
STRONG = '''
    import pytest
    import toy

    def test_box():
        assert toy.Box().twice == 4 and toy.Box(3).twice == 6

    def test_plus():
        assert toy.plus(3) == 13

    def test_capped():
        assert [toy.capped(x) for x in (0, 1, 2, 3, 4)] == [0, 1, 2, 3, 3]
        with pytest.raises(ValueError):
            toy.capped(-1)

    def test_digits():
        assert [toy.digits(x) for x in (0, 9, 10, 12345)] == [0, 1, 2, 5]
        assert toy.digits.cache_info

    def test_whole():
        assert toy.whole("12") == 12 and toy.whole("twelve") is None
'''


def tried(folder, tests):
    """What the tool says of the toy with these tests, in a process of its own."""
    (folder / "toy.py").write_text(textwrap.dedent(TOY), "utf-8")
    (folder / "test_toy.py").write_text(textwrap.dedent(tests), "utf-8")
    verdicts, raises, broken = asked(folder, "core_mutants.Trial({'toy': list})", ["test_toy.py"])
    return verdicts.get("toy"), raises, broken


def asked(folder, trial, tests, enough=1.0):
    """The verdicts of a trial, raises that no test reaches and tests that fail anyhow."""
    script = (f"import json, pathlib, random, core_mutants; core_mutants.ENOUGH = {enough}; "
              f"core_mutants.GRACE = {enough / 2}; trial = {trial}\n"
              f"core_mutants.run(trial, {tests}, pathlib.Path({str(folder)!r}))\n"
              "print(json.dumps([{x: vars(v) for x, v in trial.verdicts.items()}, trial.silent_raises, trial.broken]))")
    path = os.pathsep.join([str(ROOT / "tools"), str(folder)])
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=folder, capture_output=True, text=True, timeout=1_800,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_tests_that_hold_a_module_leave_no_survivor(tmp_path):
    # Among the changes are loops without end, constants, defaults, decorators and a closure made on import.
    verdict, raises, broken = tried(tmp_path, STRONG)
    assert (verdict["alive"], raises, broken) == ([], [], [])
    assert verdict["total"] > 30


def test_removed_assertions_show_survivors_and_raises_that_nothing_reaches(tmp_path):
    weak = STRONG
    for removed in ("toy.Box().twice == 4 and ", ", 4)] == [0, 1, 2, 3, 3]", "assert toy.plus(3) == 13",
                    "assert toy.digits.cache_info"):
        assert removed in weak
        weak = weak.replace(removed, {",": ")] == [0, 1, 2, 3]", "a": "toy.plus(3)", "t": ""}[removed[0]])
    weak = weak.replace("with pytest.raises(ValueError):\n            toy.capped(-1)", "assert pytest")
    verdict, raises, broken = tried(tmp_path, weak)
    alive = set(verdict["alive"])
    assert {"Box.__init__: def __init__(self, size: int | None =3):", "adder.add: return x - step", "<module>: LIMIT =4",
            "<module>: plus = adder( 11)", "digits: without @functools.cache"} <= {x.replace("= 4", "=4").replace("= 3", "=3") for x in alive}
    assert raises == ["toy, line 24"] and broken == []
    assert not any(x.startswith("Box.twice: return") for x in alive)


def test_a_test_that_fails_without_any_change_stops_everything(tmp_path):
    verdict, _, broken = tried(tmp_path, STRONG.replace("== 13", "== 14"))
    assert verdict is None and broken == ["test_toy.py::test_plus"]


def test_words_types_messages_and_identity_are_left_out():
    source = textwrap.dedent("""
        def f(x: int | None, kind: str = "a") -> int | None:
            if kind == "b":
                raise ValueError(f"{x + 1}")
            assert x == kind
            return x | 4
    """)
    outline = core_mutants.Outline(source)
    counted = [change.line for change in changes(source) if outline.counts(change)]
    assert {'if kind != "b":', 'if not kind == "b":', "return x & 4", "return x | 5", "assert x < kind", "assert x is not kind"} <= set(counted)
    assert not any(line.startswith(("def", "raise")) or " is kind" in line for line in counted)
    assert not any(line in ('if kind < "b":', 'if kind >= "b":') for line in counted)


def test_a_sample_of_changes_of_the_rules_is_noticed_but_for_those_that_are_explained():
    known = sorted(line for module, line in explained("core") if module == "rules")
    chosen = (f"lambda found: [x for x in found if x[0] in {known}] + "
              f"random.Random(7).sample([x for x in found if x[0] not in {known}], 25)")
    verdicts, raises, broken = asked(ROOT, f"core_mutants.Trial({{'sigbook.rules': {chosen}}})", ["tests/test_rules.py"])
    verdict = verdicts["sigbook.rules"]
    assert (sorted(verdict["alive"]), raises, broken) == (known, [], [])
    assert verdict["total"] == 25 + len(known)


def test_survivors_without_a_reason_and_reasons_without_a_survivor_are_faults(monkeypatch):
    monkeypatch.setattr(mutants, "explained", lambda kind: {("rules", "f: x"): "why", ("rules", "f: y"): "why",
                                                            ("clouds", "f: z"): "why"})
    assert mutants.complaints("core", ["rules"], [("rules", "f: x"), ("rules", "f: y")]) == []
    assert mutants.complaints("core", ["rules"], [("rules", "f: x"), ("rules", "g: w")]) == [
        "survives: rules: g: w", "explained, but does not survive: rules: f: y"]


def test_counts_of_one_module_replace_its_row_alone():
    old = mutants.table({"exercises": (1_000, 10), "rules": (200, 2), "clouds": (300, 3)})
    assert "| `rules` | 200 | 198 | 2 | 99.0% |" in old and "| these modules together | 500 | 495 | 5 | 99.0% |" in old
    new = mutants.table({"rules": (100, 0)}, old)
    assert new == mutants.table({"exercises": (1_000, 10), "rules": (100, 0), "clouds": (300, 3)})


def test_the_survivors_counted_in_contributing_are_explained():
    text = mutants.CONTRIBUTING.read_text("utf-8").partition(mutants.START)[2].partition(mutants.END)[0]
    counted = {name: alive for name, (_, alive) in mutants.counts_in(text).items()}
    for kind, names in (("core", core_mutants.CORE), (mutants.EXERCISES, (mutants.EXERCISES,))):
        keys = [module if kind == "core" else kind for module, _ in explained(kind)]
        assert all(counted[name] >= keys.count(name) and bool(counted[name]) == (name in keys)
                   for name in names if name in counted)
        assert set(keys) <= set(counted)


@pytest.fixture(scope="module")
def reasons():
    """Module of the core -> the changed lines that tests/survivors.yml explains."""
    known = {}
    for module, line in explained("core"):
        known.setdefault(module, set()).add(line)
    return known


@pytest.mark.long
def test_every_explained_change_of_the_core_can_be_made(reasons):
    for module, lines in reasons.items():
        source = (ROOT / "sigbook" / f"{module}.py").read_text("utf-8")
        outline = core_mutants.Outline(source)
        made = {f"{outline.function(x.row)}: {x.line}" for x in changes(source) if outline.counts(x)}
        assert lines <= made


@pytest.mark.long
def test_some_explained_changes_of_each_module_survive(reasons):
    # All of them are tried by `make mutants`, for ten seconds each.
    some = {module: set(random.Random(0).sample(sorted(lines), min(2, len(lines)))) for module, lines in reasons.items()}
    modules = ", ".join(f"'sigbook.{name}': lambda found: [x for x in found if x[0] in {lines}]"
                        for name, lines in some.items())
    files = sorted({file for name in some for file in core_mutants.tests_of(name)})
    verdicts, _, broken = asked(ROOT, f"core_mutants.Trial({{{modules}}})", files, core_mutants.ENOUGH)
    assert {name.removeprefix("sigbook."): set(verdict["alive"]) for name, verdict in verdicts.items()} == some
    assert broken == []
