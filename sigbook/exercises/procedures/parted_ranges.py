"""How often two systems' ranges part when nothing differs."""

from math import comb

from sigbook.exercises.kinds import Value, Wrong


def chance():
    return 2 / comb(7, 3)


def one_direction():
    return 1 / comb(7, 3)


def three_and_three():
    return 2 / comb(6, 3)


def all_orders():
    return 2 / 5040


def pairs_independent():
    return 2 * 0.5 ** 12


def coins():
    return 2 * 0.5 ** 7


EXERCISE = Value(
    id="parted-ranges",
    title="Ranges that do not overlap",
    level=1,
    statement="One system was trained three times, another four times, all independently, and "
              "scored on one test set. All three scores of the one lie on the same side of all "
              "four of the other. How probable is that, in one direction or the other, if the "
              "two systems' scores follow the same continuous law? To four decimals.",
    name="chance",
    reference=chance,
    within=5e-5,
    wrong=(
        Wrong(one_direction, "this is the probability for one direction. The three may all be "
                             "below or all above."),
        Wrong(three_and_three, "that is for three runs against three."),
        Wrong(all_orders, "this counts orders of seven runs, with the order within each system "
                          "fixed as well. Only the places of the three among the seven matter."),
        Wrong(pairs_independent, "here the twelve comparisons of a run with a run are taken for "
                                 "independent. They share runs."),
        Wrong(coins, "here each run is a coin of its own. What is drawn is which three of the "
                     "seven places belong to the first system."),
    ),
    hints=(
        "Put the seven scores in order. Which places can the three runs of the first system "
        "have, and how likely is each choice?",
        "All choices of three places out of seven are equally likely. In how many of them do the "
        "ranges part?",
    ),
    solution="If nothing differs, every choice of three places out of seven is equally likely "
             "for the first system, and there are 35. In two of them the ranges part: the lowest "
             "three and the highest three. So the chance is 2/35 = 0.0571, above 0.05. Parted "
             "ranges of so few runs prove little.",
    shows='print(f"{comb(7, 3)} choices; 2/{comb(7, 3)} = {chance():.4f}, level 0.05")',
    setup="from math import comb",
)
