"""Change each exercise's solution in one place, many times, and see whether its check refuses the change.

    python tools/mutants.py                     all exercises; writes the counts into CONTRIBUTING.md
    python tools/mutants.py f1-by-hand …        these only; writes nothing

A change that a check lets pass survives. A survivor either computes the same (then EXPLAINED says why) or
shows a hole in the check. The changes are cosmic-ray's: operators, comparisons, constants, conditions, loops.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path

from sigbook import exercises
from sigbook.exercises import guard, verdicts
from sigbook.exercises.kinds import Choice, Exercise

CONTRIBUTING = Path(__file__).resolve().parent.parent / "CONTRIBUTING.md"
START, END = "<!-- written by tools/mutants.py -->", "<!-- end -->"
SEEDS = (0, 1)
# Arithmetic on numbers never becomes a bit operation by mistake, and always fails: it would only flatter.
FLATTERING = re.compile(r"ReplaceBinaryOperator_(?!Bit|RShift|LShift)\w+_(?:Bit\w+|RShift|LShift)$")
# (exercise, changed line) -> why no check can tell it from the solution.
EXPLAINED: dict[tuple[str, str], str] = {
    ("bleu-by-hand", "for n in range( 0, 5):"): "runs of no words are none",
    ("bleu-by-hand", "score = np.exp(min( 1, 1 - r / c)) * precisions.prod() ** (1 / 4)"): "the candidates are shorter",
    ("draws-wanted", "return round(p * (1 - p) // (twice_the_error / 2) ** 2)"): "a whole number to the nearest hundred",
    ("randomization-test", "swap = rng.integers(2, size=(len(a), 1)) != 1"): "the other side of a fair coin",
    ("randomization-test", "swap = rng.integers(2, size=(len(a), 1)) < 1"): "the other side of a fair coin",
    ("randomization-test", "swap = rng.integers(2, size=(len(a), 1)) == 0"): "the other side of a fair coin",
    ("randomization-test", "swap = rng.integers(2, size=(len(a), 1)) >= 1"): "a coin shows 0 or 1",
    ("randomization-test", "reached += abs(swapped) > observed - 1e-12  # rounding breaks no tie"):
        "the slack decides about ties",
    ("mid-p-at-a-tie", "if n_d <= 0:"): "counts are not negative",
    ("mid-p-at-a-tie", "elif distance >= abs(n10 - n01):"): "larger distances were counted before",
    ("mid-p-at-a-tie", "elif distance is abs(n10 - n01):"): "equal small integers are one object",
    ("mid-p-at-a-tie", "for heads in range(n_d + 2):"): "more heads than coins have probability 0",
    ("what-accuracies-leave-open", "for n01 in range(n % right_a + 1):  # B wins only where A is wrong"):
        "200 % 180 is 200 - 180",
    ("what-accuracies-leave-open", "n10 = n01 + right_a % right_b"): "180 % 174 is 180 - 174",
    ("bootstrap-eight", "rng = np.random.default_rng( 2)"): "other draws",
    ("bootstrap-eight", "rng = np.random.default_rng( 0)"): "other draws",
    ("bootstrap-eight", "drawn = rng.integers(len(d), size=( 100001, len(d)))"): "one draw more",
    ("bootstrap-eight", "drawn = rng.integers(len(d), size=( 99999, len(d)))"): "one draw less",
    ("a-printed-p-value", "m = z * (2 * norm.cdf(z) % 1) + 2 * norm.pdf(z)"): "twice Φ(z) lies between 1 and 2",
    ("a-printed-p-value", "cuts = [brentq(lambda z: printed(z) - p, -1, 5) for p in (0.30, 0.03)]"): "the same root",
    ("a-printed-p-value", "cuts = [brentq(lambda z: printed(z) - p, 0, 6) for p in (0.30, 0.03)]"): "the same root",
    ("a-printed-p-value", "cuts = [brentq(lambda z: printed(z) - p, 0, 4) for p in (0.30, 0.03)]"): "the same root",
    ("two-slopes", "length, precisions = 401, 0.32"): "the same to the digits asked for",
    ("two-slopes", "length, precisions = 399, 0.32"): "the same to the digits asked for",
    ("counted-coverage", "percentile = (low <= truth) * (truth <= high)"): "a product of truth values is their and",
    ("counted-coverage", "basic = (2 * observed - high <= truth) * (truth <= 2 * observed - low)"):
        "a product of truth values is their and",
    ("counted-coverage", "percentile = (low <= truth) // (truth <= high)"): "of truth values this quotient is their and, as 0 goes over 0",
    ("counted-coverage", "basic = (2 * observed - high <= truth) // (truth <= 2 * observed - low)"):
        "of truth values this quotient is their and, as 0 goes over 0",
    ("pieces-of-a-gap", 'if piece != "short":'): "the two names change places",
    ("pieces-of-a-gap", 'if piece < "short":'): "the two names change places",
    ("pieces-of-a-gap", 'if piece >= "short":'): "of two names one is the larger",
    ("pieces-of-a-gap", 'if piece is "short":'): "equal short strings are one object",
    ("pieces-of-a-gap", 'if piece is not "short":'): "the two names change places",
    ("pieces-of-a-gap", 'if not piece == "short":'): "the two names change places",
    ("pieces-of-a-gap", "closed = closed or distance[column] <= -gamma"): "no case lies on the bound, to rounding",
    ("pieces-of-a-gap", "closed = closed or distance[column] >= gamma"): "no case lies on the bound, to rounding",
    ("swap-floor", "while 2 / 2**needed >= 0.01:"): "no power of two is 0.01",
    ("swap-floor", "needed = 2"): "the search ends at the same number",
    ("swap-floor", "needed = 0"): "the search ends at the same number",
    ("unequal-documents", "rho = (1.9 % 1) / (10 - 1)"): "1.9 % 1 is 1.9 - 1",
    ("three-sources", "return np.mean(gaps > 0), gaps[k], gaps[~1 - k]"): "the gaps at the two places are equal",
    ("three-sources", "return np.mean(gaps > 0), gaps[k], gaps[- 2 - k]"): "the gaps at the two places are equal",
    ("three-sources", "k = len(gaps) // 21"): "a twenty-first of 27, rounded down, is a twentieth",
    ("three-sources", "k = len(gaps) // 19"): "a nineteenth of 27, rounded down, is a twentieth",
    ("swaps-beside-interval", "p = np.mean(np.abs(swapped) > abs(observed) - 1e-9)"): "the slack decides about ties",
    ("swaps-beside-interval", "k = len(resampled) // 21"): "27 and 256 resamples leave out as many",
    ("parted-ranges", "return 2 / comb(7, 4)"): "7 over 4 is 7 over 3",
    ("exact-power", "for wins in range(n + 2):"): "with more wins than segments there is nothing left to go through",
    ("less-is-better", "same = (bleu[i] > bleu[j]) is (penalty[i] < penalty[j])"): "equal truth values are one object",
    ("less-is-better", "same = (bleu[i] > bleu[j]) == (penalty[i] <= penalty[j])"): "no two systems have the same score",
    ("less-is-better", "same = (bleu[i] >= bleu[j]) == (penalty[i] < penalty[j])"): "no two systems have the same score",
    ("looking-early", "alive, alarm, n = {0: 1.0}, 0.0, 1"):
        "a fair coin: who wins the first segment makes no difference to a two-sided test",
}


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """(changed line, changed source) of every single change of a function's source; its docstring stays."""
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    for name in plugins.operator_names():
        if FLATTERING.search(name) or name.startswith("core/Variable"):
            continue
        operator, occurrence = plugins.get_operator(name)(), 0
        while (changed := mutate_code(source, operator, occurrence)) is not None:
            occurrence += 1
            pairs = zip(source.splitlines(), changed.splitlines(), strict=True)
            yield next(new.strip() for old, new in pairs if old != new), changed


def survivors(exercise: Exercise) -> tuple[int, list[str]]:
    """How many changes of the solution there are, and the changed lines that the check lets pass."""
    function = exercise.reference
    source = textwrap.dedent(inspect.getsource(function))
    count, alive = 0, []
    for line, changed in mutants(source):
        space = dict(function.__globals__)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # `is` beside a literal
                exec(compile(changed, "<mutant>", "exec"), space)
        except SyntaxError:
            continue
        count += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a change computes counts, under pytest as elsewhere
            if _passes(exercise, space[function.__name__]):
                alive.append(line)
    return count, alive


def _passes(exercise, mutant) -> bool:
    if hasattr(exercise, "cases"):
        return all(verdicts.judge(exercise, mutant, seed).right for seed in SEEDS)
    outcome = guard.run(mutant, (), lines=200_000, seconds=5)
    return not outcome.problem and verdicts.judge(exercise, outcome.value, 0).right


def report(ids: list[str]) -> tuple[str, list[str]]:
    """The summary in Markdown, and a line for each survivor that nobody explained."""
    total, explained, unexplained = 0, [], []
    for name in ids:
        exercise = exercises.find(name)
        if isinstance(exercise, Choice):
            continue
        count, alive = survivors(exercise)
        total += count
        for line in alive:
            reason = EXPLAINED.get((name, line))
            (explained if reason else unexplained).append(f"`{name}`: `{line}`" + (f" ({reason})" if reason else ""))
    killed = total - len(explained) - len(unexplained)
    text = (f"Of {total:,} changes of the exercises' solutions the checks refuse {killed:,} "
            f"({killed / max(total, 1):.1%}). The others compute the same:\n\n" + "".join(f"- {x}\n" for x in explained))
    return text, unexplained


def main(arguments: list[str]) -> int:
    ids = arguments or [name for chapter in exercises.ORDER.values() for name in chapter]
    text, unexplained = report(ids)
    print(text + "".join(f"survives: {line}\n" for line in unexplained), end="")
    if not arguments and not unexplained:
        before, _, rest = CONTRIBUTING.read_text("utf-8").partition(START)
        CONTRIBUTING.write_text(f"{before}{START}\n{text}{END}{rest.partition(END)[2]}", "utf-8")
    return int(bool(unexplained))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
