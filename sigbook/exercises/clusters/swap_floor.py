"""The floor of a test that swaps documents: only those in which the sums differ count."""

from sigbook.exercises.kinds import Value, Wrong


def found():
    differ = 14 - 6 - 2
    floor = 2 / 2**differ
    needed = 1
    while 2 / 2**needed > 0.01:
        needed += 1
    return floor, needed


def all_documents():
    return 2 / 2**14, 8


def different_texts():
    return 2 / 2**8, 8


def one_sided():
    return 1 / 2**6, 7


def plus_one():
    return 3 / (2**6 + 1), 9


def below_strictly_halved():
    return 2 / 2**6, 7


EXERCISE = Value(
    id="swap-floor",
    title="The smallest p of a document swap",
    level=1,
    statement="A test set has 14 documents. On 6 of them the two systems wrote the same. On 2 "
              "others they wrote different words, but all counts of the metric agree. All swaps "
              "of whole documents are listed, and the test is two-sided. How small can the "
              "p-value be, to four decimals? And in how many documents must the sums differ for "
              "a p-value of 0.01 or less to be possible at all? Two numbers, in this order.",
    name="found",
    reference=found,
    within=6e-5,
    wrong=(
        Wrong(all_documents, "all documents were counted. Swapping one in which the sums agree "
                             "changes nothing, and repeats each gap equally often."),
        Wrong(different_texts, "the documents with different words were counted. The metric sees "
                               "sums only; where these agree, a swap changes nothing."),
        Wrong(one_sided, "that is the floor of a one-sided test. In a two-sided one the pattern "
                         "that exchanges everything always reaches the gap as well."),
        Wrong(plus_one, "the +1 is for swaps that were drawn. Here all are listed, and the one "
                        "that changes nothing is among them."),
        Wrong(below_strictly_halved, "the floor is right. For the second number it has to be the "
                                     "two-sided floor again."),
    ),
    hints=(
        "In how many documents does a swap change anything?",
        "With G such documents two of the patterns always reach the gap: nothing exchanged, and "
        "everything.",
    ),
    solution="Sums differ in 14 − 6 − 2 = 6 documents. Of the $2^6$ patterns two always reach "
             "the observed gap, so the floor is 2/64 = 0.03125. For 0.01 one needs $2/2^G \\le "
             "0.01$, that is 8 documents that differ.",
    shows='floor, needed = found()\n'
          'print(f"2/{2**6} = {floor:.5f}; with {needed} documents "\n'
          '      f"2/{2**needed} = {2 / 2**needed:.5f}")',
)
