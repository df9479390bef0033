"""A plan for independent segments, paid in documents."""

import math

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Value, Wrong

segments = sb.mcnemar_sample_size(0.06, 0.04)


def documents():
    design_effect = 1 + (12 - 1) * 0.05
    return int(np.ceil(segments * design_effect / 12))


def independent():
    return math.ceil(segments / 12)


def divided():
    return math.ceil(segments / (1.55 * 12))


def root():
    return math.ceil(segments * math.sqrt(1.55) / 12)


def all_members():
    return math.ceil(segments * 1.6 / 12)


def one_each():
    return segments


def in_segments():
    return math.ceil(segments * 1.55)


def squared():
    return math.ceil(segments * 1.55**2 / 12)


EXERCISE = Value(
    id="clustered-plan",
    title="A plan paid in documents",
    level=2,
    statement="A comparison of two classifiers is planned: disagreement on a tenth of the "
              "segments, a gap of 0.02, level 0.05, power 0.8. Connor's number of segments is "
              "computed in the stub; it supposes that segments are independent. But the test set "
              "will come in documents of 12 segments, and within a document the segments' "
              "differences (1, −1 or 0) have a correlation of 0.05. How many documents should be "
              "collected, at least?",
    setup="p10, p01 = 0.06, 0.04\n"
          "segments = sb.mcnemar_sample_size(p10, p01, power=0.8, alpha=0.05)",
    name="documents",
    reference=documents,
    within=0.4,
    wrong=(
        Wrong(independent, "as many documents as hold the segments of the plan. These segments "
                           "tell less than independent ones."),
        Wrong(divided, "dependence was taken for a gain. Positively correlated segments tell less, "
                       "so more are needed."),
        Wrong(root, "the design effect multiplies the variance, and the number of segments answers "
                    "for the variance, not for its root."),
        Wrong(all_members, "the design effect is a little smaller: a segment is correlated with "
                           "the others of its document, not with itself."),
        Wrong(one_each, "a document was taken for a single segment. It would be one if its "
                        "segments were copies of each other."),
        Wrong(in_segments, "that is a number of segments. Documents were asked for."),
        Wrong(squared, "the design effect was paid twice."),
    ),
    hints=(
        "By which factor do documents of m segments with correlation ρ multiply the variance of a "
        "mean?",
        "How many segments have, together, as much to say as the plan's independent ones?",
        "The plan's number times the design effect, divided by 12 and rounded up.",
    ),
    solution="Documents multiply the variance of the gap by the design effect, $1 + (12-1) \\cdot "
             "0.05 = 1.55$. The plan counts independent segments, so it takes 1.55 times as many: "
             "3,038 instead of 1,960. These fill 254 documents. Planned without the clusters it "
             "would be 164 documents, with far less than the wanted power.",
    shows="""effect = 1 + (12 - 1) * 0.05
print(f"gap {p10 - p01:.2f}, disagreement {p10 + p01:.1f}")
print(f"{segments:,} independent segments, design effect {effect:.2f}, "
      f"so {segments * effect:,.0f}")
print(f"{documents()} documents; without clusters "
      f"{int(np.ceil(segments / 12))}")""",
)
