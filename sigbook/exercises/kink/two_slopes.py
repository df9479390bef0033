"""The slopes of BLEU on either side of the kink."""

from sigbook.exercises.kinds import Value, Wrong


def slopes():
    length, precisions = 400, 0.32
    steep = precisions / length
    return steep, 0.0, 0.0, -steep


def smooth():
    return 0.0008, 0.0008, -0.0008, -0.0008


def averaged():
    return 0.0004, 0.0004, -0.0004, -0.0004


def sides_swapped():
    return 0.0, 0.0008, -0.0008, 0.0


def same_sides():
    return 0.0008, 0.0, -0.0008, 0.0


def of_log():
    return 0.0025, 0.0, 0.0, -0.0025


def sign():
    return 0.0008, 0.0, 0.0, 0.0008


EXERCISE = Value(
    id="two-slopes",
    title="Slopes on either side",
    level=1,
    statement="A system's outputs have 400 words in all, and so have the references. The "
              "geometric mean of its four precisions is 0.32; it is held fixed here. Find the "
              "one-sided slopes of its BLEU, per word, as four numbers in this order: in the "
              "output length $c$ from the left (shorter outputs) and from the right (longer), "
              "then in the reference length $r$ from the left and from the right. Longer always "
              "means to the right; a slope is the change of the score over the change of the "
              "length.",
    name="slopes",
    reference=slopes,
    within=5e-6,
    wrong=(
        Wrong(smooth, "at a kink the two sides differ. On one of them the penalty is off, and "
                      "BLEU does not change with the lengths."),
        Wrong(averaged, "these are central differences: one step to either side, averaged. They "
                        "hide that there are two slopes."),
        Wrong(sides_swapped, "the sides are exchanged. Is the penalty on when outputs are longer "
                             "than the references, or when they are shorter?"),
        Wrong(same_sides, "right for the output length. For the references: on which side of 400 "
                          "do they make the outputs too short?"),
        Wrong(of_log, "these are the slopes of log BLEU. Those of BLEU have the score as a "
                      "factor."),
        Wrong(sign, "a slope is change over change. What happens to the score when the "
                    "references get longer than the outputs?"),
    ),
    hints=(
        "Which two of the four moves lead to outputs that are shorter than the references? On "
        "the other two nothing happens.",
        "On the short side BLEU is 0.32 · exp(1 − r/c). Differentiate, then put c = r = 400.",
    ),
    solution="The penalty is on when $c < r$: outputs shorter than 400 words, or references "
             "longer. There the slopes of $0.32\\, e^{1 - r/c}$ at $c = r$ are 0.32/400 = 0.0008 "
             "in $c$ and −0.0008 in $r$. On the two other sides the penalty is 1 and the slope "
             "0. A word too few costs 0.0008, a word too many costs nothing by itself.",
    shows='print("slopes", [float(round(x, 6)) for x in slopes()])\n'
          'score = 0.32 * np.exp(np.minimum(0, 1 - 400 / np.array([395, 405])))\n'
          'print("BLEU with five words less and five more:", score.round(6))',
)
