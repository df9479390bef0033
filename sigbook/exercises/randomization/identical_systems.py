"""Two copies of one file under four ways of counting."""

from sigbook.exercises.kinds import Value, Wrong


def printed():
    draws = 19
    counted = {">=": draws, ">": 0}  # each swap has gap 0, like the data
    return [(ones + counted[sign]) / (ones + draws)
            for ones in (1, 0) for sign in (">=", ">")]


def all_one():
    return [1, 1, 1, 1]


def exchanged():
    return [0.05, 1, 0, 1]


def no_ones():
    return [1, 0, 1, 0]


def mixed():
    return [1, 0.05, 0.95, 0]


def halves():
    return [0.5, 0.5, 0.5, 0.5]


EXERCISE = Value(
    id="identical-systems",
    title="Two copies of one file",
    level=1,
    statement="One output file is handed in twice, as A and as B. Four programs test the two by approximate "
              "randomization with 19 draws, two-sided. They count draws that are (1) at least as large as the observed "
              "gap, and add the two ones; (2) larger, and add the two ones; (3) at least as large, without the ones; "
              "(4) larger, without the ones. Which four p-values do they print, in this order, to two decimals?",
    name="printed",
    reference=printed,
    within=0.002,
    wrong=(
        Wrong(all_one, "that is what all four ought to print. Two of them do not: which draws are larger than a gap of "
                       "0?"),
        Wrong(exchanged, "the two ways of comparing were exchanged. Every swap of two copies has gap 0: how many of them "
                         "are at least 0, how many larger?"),
        Wrong(no_ones, "the second program counts no draw, but it adds the ones."),
        Wrong(mixed, "the third program divides the number of its draws by the number of its draws; the data are left "
                     "out above and below the line."),
        Wrong(halves, "nothing is decided by a coin here. Swapping two equal outputs changes nothing, so every draw has "
                      "the same gap."),
    ),
    hints=(
        "What is the gap after a swap of two equal outputs? And after every other swap?",
        "So either all draws count or none does. With the ones, one more counts, and there is one more in all.",
    ),
    solution="Every swap of copies gives the gap 0, which is also the observed one. Counted with $\\ge$, all draws reach "
             "it and p = 1.00. Counted with $>$, none does: with the ones p = 0.05, the smallest value that 19 draws can "
             "give, and without them 0. So two of the four call a file different from itself at the usual level, and more draws "
             "would only make them surer.",
    shows='print("p-values", " ".join(f"{p:.2f}" for p in printed()))',
)
