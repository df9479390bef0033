"""When a permutation test, and not a bootstrap interval."""

from math import comb

from sigbook.exercises.kinds import Choice
from sigbook.mcnemar import mcnemar


def sizes(n):
    """Exact sizes at 0.05 for n fair coins: the 95% percentile interval that leaves 0 out, and all swaps."""
    interval = swaps = 0.0
    for wins in range(n + 1):
        chance = comb(n, wins) / 2**n
        draws = [comb(n, k) * (wins / n) ** k * (1 - wins / n) ** (n - k) for k in range(n + 1)]
        not_ahead = sum(draws[: n // 2 + 1])
        not_behind = sum(draws[(n + 1) // 2 :])
        interval += chance * (min(not_ahead, not_behind) <= 0.025)
        swaps += chance * (mcnemar(wins, n - wins) <= 0.05)
    return interval, swaps


def answer():
    interval, swaps = sizes(8)
    return ("a", 1) if interval > 0.05 >= swaps else ("b", 3)


EXERCISE = Choice(
    id="permutation-or-interval",
    title="A test or an interval",
    level=2,
    asked="004 module review",
    statement="In one of these situations a permutation test (randomization) is the better choice than a bootstrap "
              "confidence interval. Which one, and why?",
    name="answer",
    options={
        "a": "Eight documents; do the two systems differ at all?",
        "b": "A thousand sentences; how far is A ahead?",
        "c": "A thousand sentences; is the gap smaller than a margin that was agreed on?",
        "d": "One system; how far would its score move on another test set?",
    },
    reasons={
        1: "Its level holds for any number of units and any metric, if outputs may change places under the null.",
        2: "It needs no assumption about the data.",
        3: "Its cloud shows the size of the gap and how sure it is.",
        4: "It finds small gaps that an interval overlooks.",
    },
    reference=answer,
    wrong={
        "b": "how far is a question about the size of the gap. Swaps show what happens when labels mean nothing; their "
             "cloud lies around zero.",
        "c": "swapping supposes that the outputs may change places. A gap below a margin is another hypothesis, and an "
             "interval that lies inside the margin answers it.",
        "d": "with one system there is nothing to swap.",
        2: "It assumes that the outputs may change places at every unit that is swapped. Dependent segments, or systems "
           "that only have equal means, break it.",
        3: "The cloud of swaps lies around zero whatever the gap is. The bootstrap's cloud shows the size.",
        4: "On few units it is the other way round: the interval leaves 0 out more often, also where nothing is to be "
           "found.",
    },
    hints=(
        "What does each of the two need many units for?",
        "Which of the questions is answered by yes or no, and supposes nothing but that the labels do not matter?",
    ),
    solution="The question whether there is a difference at all, on few units, is the permutation test's: under its null "
             "the level holds for few documents as for many, and for BLEU as for a mean. The percentile interval trusts a "
             "cloud of few units. With 8 fair coins it leaves 0 out, at level 95%, in a share of 0.0703 of all cases; all swaps "
             "reject in 0.0078. For the size of a gap, or for a margin, an interval is needed.",
    shows="from math import comb\n\n"
          "n = 8\n"
          "interval = swaps = 0\n"
          "for wins in range(n + 1):\n"
          "    ways = [comb(n, k) for k in range(n + 1)]\n"
          "    share = wins / n  # of the documents that a resample draws\n"
          "    draws = [ways[k] * share**k * (1 - share)**(n - k)\n"
          "             for k in range(n + 1)]\n"
          "    not_ahead, not_behind = sum(draws[:5]), sum(draws[4:])\n"
          "    as_far = sum(ways[k] for k in range(n + 1)\n"
          "                 if abs(k - 4) >= abs(wins - 4))\n"
          "    interval += ways[wins] * (min(not_ahead, not_behind) <= 0.025)\n"
          "    swaps += ways[wins] * (as_far / 2**n <= 0.05)\n"
          'print(f"{n} fair coins, share of false alarms: 95% interval "\n'
          '      f"{interval / 2**n:.4f}, all swaps {swaps / 2**n:.4f}")',
)
