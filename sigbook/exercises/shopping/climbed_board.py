"""A leaderboard climbed on its own test set: no correction makes the last p-value valid."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice


def climb(rng, questions=500, submissions=200):
    """Right-or-wrong marks of the first and the last system on the board; all systems guess."""
    first = rng.random(questions) < 0.5
    best = first.copy()
    for _ in range(submissions):
        changed = np.where(rng.random(questions) < 0.02, rng.random(questions) < 0.5, best)
        if changed.sum() > best.sum():
            best = changed
    return first, best


def answer():
    rng = np.random.default_rng(1)
    rejected = 0
    for _ in range(20):
        first, last = climb(rng)
        p = sb.mcnemar(int((last & ~first).sum()), int((first & ~last).sum()))
        rejected += 200 * p <= 0.05
    return ("b" if rejected > 1 else "a"), 1


EXERCISE = Choice(
    id="climbed-board",
    title="A climb, corrected",
    level=2,
    statement="A leaderboard shows the score of every submission on its hidden test set. A team "
              "submits 200 systems, each a change of the best one so far; what lowers the score is "
              "dropped. At the end the last system is compared with the first on the board's test "
              "set: McNemar's exact p times 200, for all submissions, is still far below the "
              "level. Does this show that the last system is better?",
    name="answer",
    options={
        "a": "Yes: Bonferroni's correction holds for all 200, however they depend on each other.",
        "b": "No, and no factor for the submissions would; it takes a test set that had no part in "
             "the choice.",
        "c": "No: all pairs of submissions have to be counted, not only the submissions.",
        "d": "Yes, but with Holm's or Benjamini and Hochberg's procedure in the place of "
             "Bonferroni's.",
    },
    reasons={
        1: "The last system was made from what the test set had said, so its p-value there is not "
           "valid to begin with.",
        2: "The 200 tests share one test set, so they are not independent.",
        3: "Among 200 tests at level 0.05 ten rejections are expected even if no system is better.",
        4: "The team stopped at a time of its own choosing.",
    },
    reference=answer,
    wrong={
        "a": "it holds for any 200 hypotheses that could have been written down before. This last "
             "system could not: which one it would be depended on the scores.",
        "c": "any number of *listed* comparisons can be counted. The team could have arrived at "
             "vastly more systems, depending on the scores, and the test set picked one of them.",
        "d": "these procedures need valid p-values just as Bonferroni's does.",
        2: "dependence is no trouble for Bonferroni or Holm. A list of 200 systems that is fixed "
           "before would be repaired, on one test set.",
        3: "that is what a correction is for, and here it was made.",
        4: "stopping early makes it worse, but after exactly 200 submissions the climb is the "
           "same.",
    },
    hints=(
        "Suppose that every system guesses. What happens to the board's score? And to the score on "
        "other questions?",
        "Which 200 systems were tested? Could their list have been written before the first score "
        "was shown?",
    ),
    solution="A correction multiplies valid p-values of hypotheses that did not come from the "
             "data. Each change here was kept because this test set liked it, so the last system "
             "carries the test set's noise in itself. In a simulation all systems guess: after 200 "
             "submissions the p-value, times 200, is below 0.05 for 20 of 20 teams. On fresh "
             "questions all of them are right on about one half.",
    shows="""rng = np.random.default_rng(1)
rejected = 0
for team in range(20):
    first = rng.random(500) < 0.5
    best = first.copy()
    for submission in range(200):
        again = rng.random(500) < 0.02  # guessed anew
        new = np.where(again, rng.random(500) < 0.5, best)
        if new.sum() > best.sum():
            best = new
    wins, losses = (best & ~first).sum(), (first & ~best).sum()
    rejected += 200 * sb.mcnemar(int(wins), int(losses)) <= 0.05
print(f"p times 200 at most 0.05: {rejected} of 20 teams that guess")""",
)
