"""Exercises with hidden checks: one module per exercise, in the order in which a chapter gives them.

The checks are hidden from the page, not secret: they are in this folder, and a reader who looks has looked.
"""

from __future__ import annotations

import difflib
import importlib
import secrets

from sigbook._checks import count, shown
from sigbook.exercises import progress
from sigbook.exercises.kinds import Exercise
from sigbook.exercises.verdicts import ABSENT, MISSING, Verdict, judge

ORDER: dict[str, tuple[str, ...]] = {
    "two_pictures": (
        "f1-by-hand", "missing-cell", "which-cloud", "bleu-by-hand", "paired-gap", "paired-statistic",
        "shuffled-lines", "common-difficulty", "t-test-of-f1", "repeated-draws", "both-clouds",
    ),
    "randomization": (
        "monte-carlo-p", "identical-systems", "enumerate-swaps", "strict-comparison", "draws-wanted",
        "permutation-or-interval", "randomization-test",
    ),
    "mcnemar": (
        "exact-from-counts", "easy-items-dropped", "mcnemar-from-bits", "mid-p-at-a-tie",
        "what-accuracies-leave-open",
    ),
    "one_cloud": (
        "why-centre", "inside-the-null", "shifted-p", "bootstrap-eight", "percentile-by-order", "shared-draws",
        "a-printed-p-value",
    ),
    "smooth": ("influence-by-hand", "curved-pair", "euler-slope", "delta-sd-faults", "f1-delta-sd"),
    "kink": ("two-slopes", "rising-map", "believed-atoms", "counted-coverage", "smaller-resamples", "pieces-of-a-gap"),
    "clusters": ("one-draw-for-both", "swap-floor", "unequal-documents", "three-sources", "fixed-bits", "repeats-count",
                 "swaps-in-clusters", "swaps-beside-interval"),
    "procedures": ("one-model-many-scores", "parted-ranges", "four-runs", "two-training-sets", "next-run", "five-halvings",
                   "crossed-draws"),
    "power": ("within-a-point", "tiny-gain", "segments-behind-p", "power-that-repeats-p", "clustered-plan",
              "two-one-sided-tests", "exact-power", "power-that-stays"),
    "shopping": ("twenty-models", "more-likely-than-not", "climbed-board", "holm-adjusted", "step-up", "looking-early",
                 "smallest-of-several"),
    "case_study": ("what-is-certified", "draws-for-a-family", "where-it-shows", "common-penalty", "verdict-pairs",
                   "one-set-of-prompts", "share-of-subsets"),
    "real_systems": ("nine-resamples", "edge-of-significance", "documents-for-a-table", "three-systems", "less-is-better",
                     "all-shuffles"),
    "choosing": ("another-one-next-time", "two-detectors", "report-mended", "the-side-that-is-ahead",
                 "a-look-that-is-blind", "smaller-of-two"),
}


def find(exercise_id: str) -> Exercise:
    """The exercise of an id. Raises ValueError for an id that the book does not have, naming near ones."""
    if not isinstance(exercise_id, str):
        raise ValueError(f"exercise_id must be the name of an exercise; got {shown(exercise_id)}")
    for chapter, ids in ORDER.items():
        if exercise_id in ids:
            module = f"sigbook.exercises.{chapter}.{exercise_id.replace('-', '_')}"
            return importlib.import_module(module).EXERCISE
    known = [name for ids in ORDER.values() for name in ids]
    near = difflib.get_close_matches(exercise_id[:60], known, n=3, cutoff=0.4)
    raise ValueError(f"exercise_id is {shown(exercise_id)}, which no chapter has"
                     + (f"; near it are {', '.join(map(repr, near))}" if near else ""))


def check(exercise_id: str, answer=ABSENT, *, seed: int | None = None) -> Verdict:
    """The verdict on an answer: a value, a function, or a pair such as ("b", 2).

    Hidden cases are drawn from `seed`; without one they are new each time, and a verdict that rests on them
    names their seed. A function runs within a budget of lines and seconds. A right answer is noted in the
    reader's own file (see `progress`). An unknown id gets a verdict, too, which names near ones. Raises ValueError for
    a seed that is no integer >= 0.
    """
    try:
        exercise = find(exercise_id)
    except ValueError as error:
        return Verdict(exercise_id if isinstance(exercise_id, str) else shown(exercise_id), MISSING, f"{error}.")
    verdict = judge(exercise, answer, secrets.randbelow(10**6) if seed is None else count("seed", seed))
    if verdict.right:
        trouble = progress.note_done(exercise_id)
        if trouble:
            return Verdict(verdict.exercise, verdict.step, f"{verdict.text} ({trouble})")
    return verdict


def hint(exercise_id: str, step: int | None = None) -> progress.Text:
    """The next hint of an exercise, or the given one, counted from 1.

    Which hint is next is kept in the reader's own file. Raises ValueError for an unknown id or step.
    """
    hints = find(exercise_id).hints
    if step is None:
        step = progress.next_hint(exercise_id, len(hints))
    if not isinstance(step, int) or isinstance(step, bool) or not 1 <= step <= len(hints):
        raise ValueError(f"step is {shown(step)}; {exercise_id!r} has the hints 1 to {len(hints)}")
    more = "" if step < len(hints) else " (the last one; then comes the solution)"
    return progress.Text(f"Hint {step} of {len(hints)}{more}: {hints[step - 1]}")


def done() -> progress.Text:
    """Which exercises were answered rightly, chapter by chapter, as far as the reader's own file knows."""
    return progress.table(ORDER)
