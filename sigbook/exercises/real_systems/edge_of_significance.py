"""Where significance begins, in BLEU points: it moves with the number of units."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

sd, quantile = 0.45, 1.96


def edges():
    return [quantile * sd,
            quantile * sd / np.sqrt(16),
            quantile * sd * np.sqrt(2.25)]


def not_rooted():
    return [1.96 * 0.45, 1.96 * 0.45 / 16, 1.96 * 0.45 * 2.25]


def effect_divides():
    return [1.96 * 0.45, 1.96 * 0.45 / 4, 1.96 * 0.45 / 1.5]


def one_point():
    return [1.0, 1.0, 1.0]


def sd_itself():
    return [0.45, 0.45 / 4, 0.45 * 1.5]


def unmoved():
    return [1.96 * 0.45] * 3


def root_of_n_again():
    own = 1.96 * 0.45 / np.sqrt(1_000)
    return [own, own / 4, own * 1.5]


def one_sided():
    return [1.645 * 0.45, 1.645 * 0.45 / 4, 1.645 * 0.45 * 1.5]


def effect_not_rooted():
    return [1.96 * 0.45, 1.96 * 0.45 / 4, 1.96 * 0.45 * 2.25]


EXERCISE = Value(
    id="edge-of-significance",
    title="Below one BLEU",
    level=1,
    statement="\"BLEU differences below one point are rarely significant.\" On a test set of 1,000 "
              "segments the bootstrap gives the gap of two systems a standard deviation of 0.45 "
              "points. From which gap on, in points, is a two-sided test at level 0.05 "
              "significant, in the normal approximation: (1) on these 1,000 segments, (2) on "
              "16,000 segments of the same kind, (3) on the 1,000 segments, when they come in "
              "documents that give the gap a design effect of 2.25? Three numbers, to two "
              "decimals.",
    setup="sd, quantile = 0.45, 1.96",
    name="edges",
    reference=edges,
    within=0.006,
    wrong=(
        Wrong(not_rooted, "the number of segments and the design effect act on the variance. Here "
                          "they act on the standard deviation."),
        Wrong(effect_not_rooted, "the third number is off: a design effect multiplies the "
                                 "variance, not the standard deviation."),
        Wrong(effect_divides, "the design effect made the gap easier to find. Documents that "
                              "multiply the variance make it harder."),
        Wrong(one_point, "one point is a rule of thumb. What does it follow from?"),
        Wrong(sd_itself, "one standard deviation was taken. A two-sided test at 0.05 needs nearly "
                         "two."),
        Wrong(unmoved, "the edge was left where it is. More segments make the spread smaller, "
                       "clusters make it larger."),
        Wrong(root_of_n_again, "the spread was divided by the root of the number of segments once "
                               "more. 0.45 is the standard deviation of the gap of all the "
                               "segments, not of one segment."),
        Wrong(one_sided, "that is the quantile of a one-sided test."),
    ),
    hints=(
        "A gap is significant from about two of its standard deviations on.",
        "Sixteen times as many segments: what happens to the variance of the gap, and to its root? "
        "And with a design effect?",
    ),
    solution="The edge is 1.96 standard deviations of the gap: 0.88 points here. With sixteen "
             "times the segments the standard deviation is a quarter, and the edge 0.22; a gap of "
             "half a point is significant there. A design effect of 2.25 multiplies the standard "
             "deviation by 1.5, and the edge is 1.32: a gap of a whole point is not enough. So a "
             "rule in BLEU points holds for one number of units, one kind of unit, and one kind of "
             "pair.",
    shows="""print("level 0.05")
names = "1,000 segments", "16,000 segments", "in documents"
for what, edge in zip(names, edges()):
    print(f"{what}: {edge:.2f} points")
print(f"roots: of 16 {np.sqrt(16):.0f}, of 2.25 {np.sqrt(2.25)}")""",
)
