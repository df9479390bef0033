"""A sentence about a p-value, read and mended."""

from itertools import product

import numpy as np

from sigbook.exercises.kinds import Choice

d = np.array([31, 20, 14, 9, 5, -4])


def facts():
    """All-swaps p, and Koehn's share, over six talks."""
    swapped = np.array(list(product((1, -1), repeat=6))) @ d
    drawn = d[np.array(list(product(range(6), repeat=6)))].sum(axis=1)
    return np.mean(np.abs(swapped) >= abs(d.sum())), np.mean(drawn <= 0)


def answer():
    swaps, koehn = facts()
    return ("b" if koehn <= 0.01 and swaps > 0.05 else "d"), 3


EXERCISE = Choice(
    id="report-mended",
    title="A report, mended",
    level=2,
    statement="A draft says: \"By paired bootstrap, A significantly outperforms B (p = 0.002).\" "
              "The author resampled the six talks of the test set, and counted the share of "
              "resamples in which A was not ahead. A is ahead in five talks, by 3.1, 2.0, 1.4, 0.9 "
              "and 0.5 BLEU points, and behind in one, by 0.4 (take the mean of talks for the "
              "score). Which sentence can stand there, and why?",
    name="answer",
    options={
        "a": "\"A is better than B with a probability of 99.8%.\"",
        "b": "\"A scores 1.25 points more; exchanging the outputs of whole talks gives a gap as "
             "large in 4 of all 64 swaps (two-sided p = 0.0625; the smallest possible is 0.031).\"",
        "c": "\"A and B perform equally on these talks (two-sided p = 0.0625, not significant).\"",
        "d": "\"By paired bootstrap over talks, A significantly outperforms B (two-sided p = "
             "0.003).\"",
    },
    reasons={
        1: "A p-value of the bootstrap has to be doubled, because the cloud has two sides.",
        2: "Six talks are too few for any test.",
        3: "It names the unit, the test, the side and the size, and its level holds for six units "
           "as well.",
        4: "The bootstrap is right whenever its units are those that were sampled.",
    },
    reference=answer,
    wrong={
        "a": "the share of resamples in which A is ahead is no probability that A is better.",
        "c": "p = 0.0625 does not show equality. A gap of more than a point was seen, and this "
             "test set could hardly have found it.",
        "d": "doubling mends the side. But the cloud of six resampled talks is narrow and not "
             "moved to the null; its level is promised for many units.",
        1: "doubling is due, when the direction was not named before. It does not make the rule "
           "valid on six units.",
        2: "six are enough for 64 swaps, and for a p-value of 0.031 if all talks point one way. No "
           "two-sided test can do better than that.",
        4: "the units are right here. The bootstrap also needs many of them.",
    },
    hints=(
        "Which rule is \"the share of resamples in which A is not ahead\", and what does it "
        "promise on few units?",
        "How many patterns of signs are there on six talks, and how many reach a sum as large?",
    ),
    solution="The draft names neither the unit nor the rule (Koehn's), it has one side, and no "
             "size. Listing all swaps of the six talks, 4 of 64 reach the gap: none swapped, the "
             "one loss turned, and the mirror images of these. That is p = 0.0625. The bootstrap's "
             "0.002 comes from a cloud of six values, whose promise is for many. A report should "
             "say units, rule, side, size, and what could have been found.",
    shows="""from itertools import product

d = np.array([31, 20, 14, 9, 5, -4])  # tenths of a BLEU point
swapped = np.array(list(product((1, -1), repeat=6))) @ d
drawn = d[np.array(list(product(range(6), repeat=6)))].sum(axis=1)
reached = int((np.abs(swapped) >= d.sum()).sum())
print("talks, in points:", *d / 10, f"; mean {d.mean() / 10:.2f}")
print(f"{reached} of {len(swapped)} swaps, p = {reached / 64:.4f}; "
      f"smallest {2 / 64:.3f}; level 0.05")
share = np.mean(drawn <= 0)
print(f"all {len(drawn):,} resamples: not ahead in {share:.3f}, "
      f"doubled {2 * share:.3f}, ahead in {1 - share:.1%}")""",
)
