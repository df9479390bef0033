"""Euler's identity at work: one slope from the others, and a segment's effect without centring."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

n, score = 60, 0.31
sums = np.array([120, 200, 130, 40])
slopes = np.array([0.004, -0.0015, np.nan, 0.002])
segment = np.array([3, 5, 2, 1])


def found():
    known = np.nansum(slopes * sums)
    missing = -known / sums[2]
    change = np.nansum(slopes * segment) + missing * segment[2]
    return missing, change


def degree_one():
    missing = (0.31 - 0.26) / 130
    return missing, 0.0065 + 2 * missing


def slopes_cancel():
    return -0.0045, 0.0065 - 2 * 0.0045


def sign_lost():
    return 0.002, 0.0065 + 2 * 0.002


def influence():
    return -0.002, 60 * 0.0025


def per_segment():
    return -0.002, 0.0025 / 60


def less_the_score():
    return -0.002, 0.0025 - 0.31 / 60


def three_only():
    return -0.002, 0.0065


EXERCISE = Value(
    id="euler-slope",
    title="The missing slope",
    level=2,
    statement="A metric is a function of four pooled sums and gives the same score to sums and "
              "to means. The stub has the sums of a test set of 60 segments, the score, and the "
              "metric's slopes at these sums, of which the third was torn off the printout. Find "
              "it. Then find by how much the score changes, to first order, when one segment "
              "with the counts 3, 5, 2, 1 is added to the test set. Both numbers to four "
              "decimals, or more.",
    setup="n, score = 60, 0.31\n"
          "sums = np.array([120, 200, 130, 40])\n"
          "slopes = np.array([0.004, -0.0015, np.nan, 0.002])\n"
          "segment = np.array([3, 5, 2, 1])",
    name="found",
    reference=found,
    within=2e-6,
    wrong=(
        Wrong(degree_one, "here slopes times sums add up to the score. That would be right for a "
                          "function that doubles when all its sums are doubled. What does this "
                          "one do?"),
        Wrong(slopes_cancel, "here the slopes by themselves add up to 0. The identity weighs "
                             "each slope with its sum."),
        Wrong(sign_lost, "the known terms add up to a positive number. Which sign must the last "
                         "one have?"),
        Wrong(influence, "the slope is right. The other number is 60 times too large: it is the "
                         "influence, on the scale of means. Slopes at the sums, times what is "
                         "added to the sums, is the change."),
        Wrong(per_segment, "the slope is right. The other number was divided by the number of "
                           "segments, but the slopes given are those at the sums, and the "
                           "segment is added to the sums."),
        Wrong(less_the_score, "the slope is right. From the other number a share of the score "
                              "was taken off. A metric that gives the same score to sums and to "
                              "means needs no centring: the average segment changes nothing, by "
                              "the same identity."),
        Wrong(three_only, "the slope is right. In the change the third count is left out."),
    ),
    hints=(
        "What does the score do when the test set is doubled, that is, all four sums? What does "
        "that say about slopes?",
        "Along the direction of the sums themselves the score stands still: slope times sum, "
        "added up over all four, is 0.",
        "The change is slope times count, added up over the four counts of the new segment.",
    ),
    solution="Doubling all sums leaves the score as it is, so along the sums the derivative is "
             "0: this is Euler's identity. The three known terms add up to 0.26, so the third "
             "slope is −0.26/130 = −0.002. The new segment changes the score by the sum of slope "
             "times count, 0.0025 to first order. Nothing has to be subtracted for the average "
             "segment: its own change is 0. Neither the score nor the number of segments is "
             "needed.",
    shows='missing, change = found()\n'
          'known = np.nansum(slopes * sums)\n'
          'print(f"known terms {known:.2f}")\n'
          'print(f"slope {-known:.2f}/{sums[2]} = {missing:.3f}, change {change:.4f}")',
)
