"""What a table of systems can show with few documents, pair by pair and as a whole."""

import math

from sigbook.exercises.kinds import Value, Wrong


def floors():
    pairs, orders = math.comb(6, 2), math.factorial(6)
    adjusted = pairs * 2 / 2**11
    joint = orders / orders**2
    return adjusted, joint, 1 + math.ceil(-math.log2(0.01 / pairs))


def one_pattern():
    return 15 / 2**11, 1 / 720, 11


def one_pair():
    return 2 / 2**11, 1 / 720, 8


def ordered():
    return 60 / 2**11, 1 / 720, 13


def no_renaming():
    return 30 / 2**11, 1 / 720**2, 12


def swaps_of_two():
    return 30 / 2**11, 0.5, 12


def joint_corrected():
    return 30 / 2**11, 15 / 720, 12


def other_level():
    return 30 / 2**11, 1 / 720, 10


def one_too_few():
    return 30 / 2**11, 1 / 720, 11


EXERCISE = Value(
    id="documents-for-a-table",
    title="Floors of a table",
    level=2,
    statement="Six systems are compared on whole documents; on each document all six differ. Pair "
              "by pair, all swaps of documents are listed, two-sided, and Holm's procedure covers "
              "the table. (1) What is the smallest adjusted p-value there can be with 11 "
              "documents? (2) What is the smallest p-value of the joint test with two documents, "
              "all shuffles of the six systems listed, the largest gap as the statistic? (3) How "
              "many documents must there be, at least, so that Holm's procedure can reject a pair "
              "at level 0.01? Three numbers, the first two to four decimals.",
    setup="import math",
    name="floors",
    reference=floors,
    within=5e-5,
    wrong=(
        Wrong(one_pattern, "the first number is half of what it should be, and the third follows "
                           "from it. Two swap patterns always reach the absolute gap: the one that "
                           "changes nothing and the one that swaps everything."),
        Wrong(one_pair, "the first and the third number are those of a single pair. Holm "
                        "multiplies the smallest p-value by the number of pairs."),
        Wrong(ordered, "every pair was counted in both orders. The tests are two-sided, so a pair "
                       "is one hypothesis."),
        Wrong(no_renaming, "the second number counts one shuffle. Those that rename the systems on "
                           "both documents alike reach the largest gap as well."),
        Wrong(swaps_of_two, "the second number is for swaps of two systems. Six can be shuffled on "
                            "each document in many more ways."),
        Wrong(joint_corrected, "the second number was multiplied by the number of pairs. The joint "
                               "test is a single test."),
        Wrong(other_level, "the third number is enough at level 0.05. Asked is 0.01."),
        Wrong(one_too_few, "the third number is one too small. Does the first one reach 0.01?"),
    ),
    hints=(
        "The smallest p-value of one pair on G documents is $2/2^G$. By what is it multiplied in "
        "Holm's first step?",
        "Of the $(6!)^G$ shuffles, those that rename the systems on all documents alike reach the "
        "largest gap. Which share is that?",
    ),
    solution="There are 15 pairs, so the smallest adjusted p-value with 11 documents is $15 \\cdot "
             "2/2^{11} = 0.0146$, and 0.01 asks for $2^{G-1} \\ge 1{,}500$: 12 documents. The "
             "joint test has the floor $(6!)^{1-G}$, on two documents 1/720 = 0.0014. It needs "
             "fewer documents because it makes one statement about the whole table, and names no "
             "pair.",
    shows="""pairs = math.comb(6, 2)
print(f"{pairs} pairs: 2^(G-1) at least {pairs / 0.01:,.0f}")
for g in (11, 12):
    print(f"{g} documents: least adjusted p {pairs * 2 / 2**g:.4f}")
print(f"joint, two documents: 1/{math.factorial(6)} = "
      f"{1 / math.factorial(6):.4f}")""",
)
