"""A gain of 0.001 F1 that is significant: what the test says, and what it leaves open."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice


def answer():
    d = np.repeat([1.0, -1.0, 0.0], [620, 520, 100_000 - 1_140])
    significant = sb.mcnemar(620, 520) <= 0.05
    small_too = sb.tost(-0.005, 0.005, d).equivalent
    return ("c" if significant and small_too else "b"), 2


EXERCISE = Choice(
    id="tiny-gain",
    title="A gain of 0.001",
    level=1,
    asked="004 knowledge check Q4",
    statement="A new model is significantly better than the old one (p < 0.05), by 0.001 F1. Is "
              "this a gain that matters in practice?",
    name="answer",
    options={
        "a": "Yes: significant means that the gain is there and counts.",
        "b": "No: a gap as small as this must be a false alarm.",
        "c": "The test leaves that open; it has to be judged from the use.",
        "d": "That depends on p: far below the level it matters, just below it does not.",
    },
    reasons={
        1: "p is the probability that there is no gap, and it is small.",
        2: "p tells a gap from none, not a useful gap from a useless one.",
        3: "A test set that shows a gap of 0.001 must be too large.",
        4: "F1 is no mean, so its p-values are approximate.",
    },
    reference=answer,
    wrong={
        "a": "significant is a statement about zero: that the gap is hardly zero. A gap may be "
             "hardly zero and hardly useful.",
        "b": "on enough segments a gap of any size is significant, and rightly so. A false alarm "
             "is no more likely for a small gap than the level says.",
        "d": "the same gap has a smaller p on a larger test set. Its use does not change with the "
             "number of segments.",
        1: "p is computed as if there were no gap; it is not the probability of that. And whether "
           "it is there was not the question.",
        3: "A large test set measures better. It can even show that a gap is too small to matter.",
        4: "Randomization is exact for F1 as for a mean. Another p-value would not answer the "
           "question.",
    },
    hints=(
        "The same gap, on a tenth and on ten times of the segments: what happens to p? What "
        "happens to those who use the model?",
        "What would one have to know, in order to say from which gain on a new model pays?",
    ),
    solution="A p-value mixes the size of a gap with the number of segments. On 100,000 items a "
             "gap of 0.001 (620 wins, 520 losses) has p = 0.0033; the same shares on 10,000 items "
             "have p = 0.40. Whether 0.001 is worth a change of models is a question of costs and "
             "use. Once somebody has answered it with a margin, data can help: with margins of "
             "0.005 the larger test set shows the two to be equivalent, and significantly "
             "different at once.",
    shows="""print("level 0.05")
for n, wins, losses in ((100_000, 620, 520), (10_000, 62, 52)):
    p, gap = sb.mcnemar(wins, losses), (wins - losses) / n
    print(f"{n:,} items, {wins} wins, {losses} losses: "
          f"gap {gap:.3f}, p = {p:.4f}")
d = np.repeat([1.0, -1.0, 0.0], [620, 520, 100_000 - 620 - 520])
result = sb.tost(-0.005, 0.005, d)
print(f"margins 0.005: TOST p = {result.p:.1e}, "
      f"equivalent: {result.equivalent}")""",
)
