"""What becomes of gap and p-value when the items that both systems get right are dropped."""

from sigbook.clouds import randomize
from sigbook.exercises.kinds import Choice
from sigbook.pairs import PairedSet
from sigbook.rules import p_randomization


def answer():
    a, b = [1] * 10 + [0] * 2 + [0] * 6, [0] * 10 + [1] * 2 + [0] * 6
    hard = PairedSet(a, b, "mean")
    full = PairedSet(a + [1] * 30, b + [1] * 30, "mean")
    before, after = (p_randomization(randomize(x, draws="all")) for x in (full, hard))
    letter = {(True, True): "b", (True, False): "c", (False, True): "a"}[hard.gap > full.gap, before == after]
    return letter, 2


EXERCISE = Choice(
    id="easy-items-dropped",
    title="A harder test set",
    level=1,
    statement="System A is ahead of system B in accuracy. The team drops from its test set all items that both get right, "
              "which are many, to make it harder. The systems' answers stay as they are. What becomes of the gap and of the "
              "p-value of McNemar's exact test, and why?",
    name="answer",
    options={
        "a": "Gap and p stay.",
        "b": "The gap grows; p stays.",
        "c": "The gap grows; p falls.",
        "d": "The gap grows; p rises.",
    },
    reasons={
        1: "A larger gap is stronger evidence.",
        2: "An item on which the two agree looks the same after a swap.",
        3: "Fewer items carry less evidence.",
        4: "Items that both get right show that the systems are alike.",
    },
    reference=answer,
    wrong={
        "a": "the gap is the difference of the two counts of right answers over the number of items. One of these three "
             "changes.",
        "c": "which numbers enter p? Wins and losses are what they were.",
        "d": "the p-value does not know how many items there are. It knows wins and losses.",
        1: "The gap grew by division, and not one item was won or lost anew.",
        3: "The dropped items carried none on the question which of the two is better: on them nobody won.",
        4: "They keep the gap small. Which system is ahead they do not say.",
    },
    hints=(
        "Write the gap in accuracy with the four counts. Which of them is set to 0?",
        "What does a swap on such an item do to the two counts of wins and losses?",
    ),
    solution="The gap is wins minus losses over the number of items, and that number falls: with 10 wins, 2 losses and 48 items "
             "it is 0.167, without the 30 items that both get right 0.444. p is 0.0386 before and after, since a swap "
             "changes nothing where the two agree. Whoever chooses the items chooses how large the gap looks.",
    shows="wins, losses, neither = 10, 2, 6\n"
          "for both in 30, 0:\n"
          "    items = wins + losses + neither + both\n"
          '    print(f"{both} both right, {items} items: "\n'
          '          f"gap {(wins - losses) / items:.3f}, "\n'
          '          f"p = {sb.mcnemar(wins, losses):.4f}")',
)
