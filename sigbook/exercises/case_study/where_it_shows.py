"""A fault that only ever lowers the score: p counts the segments on which it shows."""

from sigbook.exercises.kinds import Value, Wrong

shown = 8


def p():
    return 2 / 2**shown


def one_sided():
    return 2**-8


def share_of_segments():
    return 8 / 1000


def all_garbled():
    return 2 / 2**60


def no_evidence():
    return 1.0


def drop_as_p():
    return 0.0004


EXERCISE = Value(
    id="where-it-shows",
    title="Where a fault shows",
    level=2,
    statement="B is a copy of A with a fault: on 60 of 1,000 segments it writes a wrong word for a "
              "right one. On 52 of them A's word was not in the reference either, and all counts "
              "of BLEU stay as they are; on the 8 others some n-gram matches are lost. BLEU falls "
              "from 0.2718 to 0.2714. What is the two-sided p-value of the BLEU gap over all swaps "
              "of segments, to four decimals?",
    setup="segments, faulty, shown = 1_000, 60, 8\nbleu_a, bleu_b = 0.2718, 0.2714",
    name="p",
    reference=p,
    within=5e-5,
    wrong=(
        Wrong(one_sided, "only one swap pattern was counted. The pattern that exchanges everything "
                         "has the same gap with the other sign."),
        Wrong(share_of_segments, "that is the share of segments on which the fault shows. A "
                                 "p-value is a share of swap patterns."),
        Wrong(all_garbled, "segments were counted on which both outputs have the same counts. To "
                           "swap those changes nothing, so such swaps reach the gap too."),
        Wrong(no_evidence, "the gap is tiny, but it all points in one direction. How many patterns "
                           "of swaps reach it?"),
        Wrong(drop_as_p, "that is the fall of BLEU. It does not enter p here at all."),
    ),
    hints=(
        "Which segments can be swapped without any change of the two scores?",
        "A swap of one of the others hands a better output to B. Can a gap with such swaps be as "
        "large as the observed one?",
        "Of the patterns on 8 segments, the one without a swap and the one that swaps all reach "
        "the gap.",
    ),
    solution="Lengths are unchanged and no match count rises: damage that never helps "
             "({prf:ref}`prop-damage`). Among the patterns of swaps on the 8 segments where it "
             "shows, only two reach the gap: none swapped, and all swapped. So $p = 2/2^8 = "
             "0.0078$. How far BLEU falls does not matter, nor the number of the other segments. "
             "One segment with a lucky error, on which the fault raises BLEU, would change that.",
    shows="""print(f"no count changes on {faulty - shown} of {faulty}")
for k in (5, 6, shown):
    print(f"shows on {k} segments: p = {2 / 2**k:.4f}")""",
)
