"""What a small p-value on one metric stands for: its statistics, these outputs, this unit."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice


def answer():
    words = np.arange(1, 9)[:, None] * np.array([1, 2, 2])
    true_facts = sb.PairedSet(words + [1, 0, 0], words, "f1")
    false_facts = sb.PairedSet(words + [1, 0, 0], words, "f1")
    p = [sb.p_randomization(sb.randomize(pairs, draws="all"))
         for pairs in (true_facts, false_facts)]
    return ("b" if p[0] == p[1] <= 0.05 else "a"), 1


EXERCISE = Choice(
    id="what-is-certified",
    title="What was certified",
    level=1,
    statement="Two summarizers, each trained once, are compared on ninety reports by ROUGE. The "
              "first is ahead, and randomization by report, two-sided, gives a p-value far below "
              "the level. Which sentence does this support, and why?",
    name="answer",
    options={
        "a": "The first summarizer's summaries are better.",
        "b": "If these two outputs were exchangeable report by report, a gap in ROUGE as large as "
             "this would be rare.",
        "c": "The first way of training a summarizer gives a higher ROUGE.",
        "d": "The difference in ROUGE is large enough to matter.",
    },
    reasons={
        1: "The computation has seen the metric's counts of these outputs, and nothing besides.",
        2: "At a p-value as small as this every other explanation is ruled out.",
        3: "Randomization assumes nothing, so its verdict is not tied to the metric.",
        4: "Reports are independent of each other, as the systems are.",
    },
    reference=answer,
    wrong={
        "a": "better at what? Summaries that get every fact wrong can have the higher ROUGE. The "
             "test would not notice.",
        "c": "the same training, run again, may give another gap. No number of reports tells how "
             "far.",
        "d": "p mixes the size of the gap with the number of reports. A tiny gap that shows on "
             "many reports has a tiny p.",
        2: "a small p makes one thing unlikely: that exchanging the outputs changes nothing. It "
           "says nothing on what ROUGE leaves out.",
        3: "it assumes that outputs can be exchanged at each unit, and it is computed from the "
           "metric's statistics alone. Two pairs of systems with the same statistics get the same "
           "p.",
        4: "independent reports are what the test needs. That makes its verdict valid; it does not "
           "say what the verdict is about.",
    },
    hints=(
        "Replace every summary by another one with the same counts. What happens to p?",
        "Of the four sentences, which would still hold if ROUGE measured nothing of interest?",
    ),
    solution="A p-value is a function of the statistics that the metric keeps and of the swaps. "
             "Whatever has the same counts gets the same p: below, two pairs of systems with other "
             "words and the same counts, p = 0.0078 for both. So the verdict is about ROUGE, about "
             "these outputs, and about reports as units. Whether ROUGE is the right question, "
             "whether another training would show the gap, and whether it is large are three other "
             "questions.",
    shows="""counts = np.arange(1, 9)[:, None] * np.array([1, 2, 2])
better = counts + [1, 0, 0]  # one more match in each of eight reports
for name in ("true facts", "false facts, the same counts"):
    pairs = sb.PairedSet(better, counts, "f1")
    p = sb.p_randomization(sb.randomize(pairs, draws="all"))
    print(f"{name}: gap {pairs.gap:.4f}, p = {p:.4f}")""",
)
