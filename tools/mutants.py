"""Change the book's code in one place, many times, and see whether what should notice does.

    python tools/mutants.py                     everything; writes the counts into CONTRIBUTING.md
    python tools/mutants.py exercises           each exercise's solution: its check must refuse the change
    python tools/mutants.py core                each module of the package's core: its tests must fail
    python tools/mutants.py f1-by-hand rules    these exercises and modules only

A change that nothing notices survives. A survivor either computes the same, and tests/survivors.yml says why, or
shows a hole. The command fails for a survivor that is not explained, for an explanation of a change that does
not survive, and for a `raise` of the core that no test reaches.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
import warnings
from pathlib import Path

import core_mutants
from changes import changes, explained
from sigbook import exercises
from sigbook.exercises import guard, verdicts
from sigbook.exercises.kinds import Choice, Exercise

CONTRIBUTING = Path(__file__).resolve().parent.parent / "CONTRIBUTING.md"
START, END = "<!-- written by tools/mutants.py -->", "<!-- end -->"
SEEDS = (0, 1)
EXERCISES = "exercises"


def survivors(exercise: Exercise) -> tuple[int, list[str]]:
    """How many changes of the solution there are, and the changed lines that the check lets pass."""
    function = exercise.reference
    source = textwrap.dedent(inspect.getsource(function))
    count, alive = 0, []
    for change in changes(source):
        space = dict(function.__globals__)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # `is` beside a literal
                exec(compile(change.source, "<mutant>", "exec"), space)
        except SyntaxError:
            continue
        count += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a change computes counts, under pytest as elsewhere
            if _passes(exercise, space[function.__name__]):
                alive.append(change.line)
    return count, alive


def _passes(exercise, mutant) -> bool:
    if hasattr(exercise, "cases"):
        return all(verdicts.judge(exercise, mutant, seed).right for seed in SEEDS)
    outcome = guard.run(mutant, (), lines=200_000, seconds=5)
    return not outcome.problem and verdicts.judge(exercise, outcome.value, 0).right


def judge_exercises(ids: list[str]) -> tuple[int, list[tuple[str, str]]]:
    """How many changes of these exercises' solutions there are, and (exercise, changed line) of the survivors."""
    total, alive = 0, []
    for name in ids:
        if isinstance(exercise := exercises.find(name), Choice):
            continue
        count, lines = survivors(exercise)
        total += count
        alive += [(name, line) for line in lines]
    return total, alive


def complaints(kind: str, names: list[str], alive: list[tuple[str, str]]) -> list[str]:
    """What tests/survivors.yml should say of these exercises or modules and does not, and the reverse."""
    reasons = {key for key in explained(kind) if key[0] in names}
    return [*(f"survives: {name}: {line}" for name, line in alive if (name, line) not in reasons),
            *(f"explained, but does not survive: {name}: {line}" for name, line in sorted(reasons - set(alive)))]


def counts_in(text: str) -> dict[str, tuple[int, int]]:
    """name -> (changes, survivors) of a table in Markdown."""
    cells = [line.split("|") for line in text.splitlines()]
    return {row[1].strip(" `"): tuple(int(x.replace(",", "")) for x in (row[2], row[4]))
            for row in cells if len(row) == 7 and "`" in row[1]}


def table(counts: dict[str, tuple[int, int]], before: str = "") -> str:
    """The counts in Markdown: name -> (changes, survivors); rows of `before` that are not counted anew stay."""
    rows = counts_in(before) | counts
    core = [rows[name] for name in core_mutants.CORE if name in rows]

    def line(name, total, alive):
        return f"| {name} | {total:,} | {total - alive:,} | {alive:,} | {(total - alive) / max(total, 1):.1%} |\n"

    lines = [line(f"`{name}`", *rows[name]) for name in (EXERCISES, *core_mutants.CORE) if name in rows]
    together = line("these modules together", *map(sum, zip(*core))) if core else ""
    return "| changed | changes | noticed | explained | score |\n|---|--:|--:|--:|--:|\n" + "".join(lines) + together


def write(counts: dict[str, tuple[int, int]]) -> None:
    """Put counts into CONTRIBUTING.md."""
    before, _, rest = CONTRIBUTING.read_text("utf-8").partition(START)
    old, _, after = rest.partition(END)
    CONTRIBUTING.write_text(f"{before}{START}\n{table(counts, old)}{END}{after}", "utf-8")


def main(arguments: list[str]) -> int:
    wanted = arguments or [EXERCISES, "core"]
    every = [name for chapter in exercises.ORDER.values() for name in chapter]
    unknown = set(wanted) - {EXERCISES, "core", *every, *core_mutants.CORE}
    if unknown:
        print(f"neither an exercise nor a module of the core: {', '.join(sorted(unknown))}")
        return 2
    ids = every if EXERCISES in wanted else [name for name in every if name in wanted]
    modules = [name for name in core_mutants.CORE if name in wanted or "core" in wanted]
    counts, faults = {}, []
    if modules:
        trial = core_mutants.of_core(modules, tell=lambda line: print(line, flush=True))
        faults += [f"fails without any change: {test}" for test in trial.broken]
        faults += [f"no test reaches the raise in {place}" for place in trial.silent_raises]
        for name, verdict in trial.verdicts.items():
            faults += complaints("core", [name], [(name, line) for line in verdict.alive])
            counts[name] = (verdict.total, len(verdict.alive))
    if ids:
        total, alive = judge_exercises(ids)
        faults += complaints(EXERCISES, ids, alive)
        if EXERCISES in wanted:
            counts[EXERCISES] = (total, len(alive))
    print(table(counts) + "".join(f"{fault}\n" for fault in faults), end="")
    if not faults:
        write(counts)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
