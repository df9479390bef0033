"""A p-value of 0.2 against equality is no evidence for a gap within a margin."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice


def outcomes(n, wins, losses):
    return np.repeat([1.0, -1.0, 0.0], [wins, losses, n - wins - losses])


def answer():
    p = sb.mcnemar(24, 15)
    equivalent = sb.tost(-0.01, 0.01, outcomes(1_000, 24, 15)).equivalent
    missed = 1 - sb.mcnemar_power(1_000, (0.039 + 0.01) / 2, (0.039 - 0.01) / 2)
    return ("c" if p > 0.05 and not equivalent else "b"), (1 if missed > 0.5 else 2)


EXERCISE = Choice(
    id="within-a-point",
    title="Within a point",
    level=1,
    asked="003 self-check 5",
    statement="Two classifiers label the same 1,000 filings. On 24 of them only A is right, on 15 "
              "only B: A is 0.9 points ahead, and McNemar's exact test of \"no difference\" gives "
              "p = 0.20. It had been agreed that a difference of less than one point does not "
              "matter. Does p = 0.20 show that the two are within one point of each other?",
    name="answer",
    options={
        "a": "Yes: a test that does not reject has accepted a gap of zero.",
        "b": "Yes: p says that there is no more than was observed, and that is within the point.",
        "c": "No: that claim needs a test whose null is a gap of a point or more.",
        "d": "No: on the contrary, the gap is likely to be above a point.",
    },
    reasons={
        1: "So few filings part the two that a gap of a whole point would mostly be missed too.",
        2: "p says how probable \"no difference\" is, and 0.20 is not much.",
        3: "A larger p, such as 0.9, would show it.",
        4: "The 95% interval contains 0, as it must when p is above 0.05.",
    },
    reference=answer,
    wrong={
        "a": "a test that does not reject has not rejected. It does so for equal systems, and as "
             "well for unequal ones when there is little to see them with.",
        "b": "the observed gap is within the point, and the true one need not be. Look at how far "
             "an interval around 0.9 points reaches.",
        "d": "nothing was shown in this direction either. The 90% interval holds gaps on both "
             "sides of one point.",
        2: "p is computed as if the null held. It is not the probability that it does.",
        3: "with few filings p is large whatever the gap is. No p-value against \"no difference\" "
           "can show that a gap is small.",
        4: "It does contain 0. To be within the margin it would also have to leave out a point and "
           "more.",
    },
    hints=(
        "Suppose that the true gap were 1 point. How often would a test set of this kind give p "
        "above 0.05?",
        "Which null would have to be rejected, so that \"within one point\" is what remains?",
    ),
    solution="\"Not significant\" comes from equality or from too little data, and here a true gap "
             "of one point would be missed in 0.70 of such test sets. To claim equivalence, a gap "
             "of a point or more is made the null. Two one-sided tests give p = 0.44: the 90% "
             "interval reaches from −0.13 to 1.93 points, beyond the margin. Neither a difference "
             "nor its absence has been shown.",
    shows="""n, wins, losses = 1_000, 24, 15
d = np.repeat([1.0, -1.0, 0.0], [wins, losses, n - wins - losses])
parted = (wins + losses) / n
found = sb.mcnemar_power(n, (parted + 0.01) / 2, (parted - 0.01) / 2)
print(f"gap {100 * d.mean():.1f} points, p = {sb.mcnemar(wins, losses):.2f}")
print(f"a true gap of 1 point is missed in {1 - found:.2f} of test sets")
result = sb.tost(-0.01, 0.01, d)
low, high = result.interval
print(f"TOST p = {result.p:.2f}, 90% interval {100 * low:.2f} "
      f"to {100 * high:.2f} points")
low, high = sb.tost(-0.01, 0.01, d, alpha=0.05 / 2).interval
print(f"95% interval {100 * low:.2f} to {100 * high:.2f} points")""",
)
