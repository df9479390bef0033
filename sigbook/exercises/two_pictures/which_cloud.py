"""Which of the two clouds lies around zero, and why."""

from sigbook.exercises.kinds import Choice


def answer():
    return ("b", 1)


EXERCISE = Choice(
    id="which-cloud",
    title="Where the clouds lie",
    level=1,
    statement="Two systems differ by a large gap on one test set. Which cloud lies around zero, and why?",
    name="answer",
    options={
        "a": "the cloud of resampled gaps",
        "b": "the cloud of swapped gaps",
        "c": "both",
    },
    reasons={
        1: "A swap pattern and its complement give gaps of opposite sign.",
        2: "A large gap becomes small when segments are drawn again.",
        3: "Under the null every cloud lies around zero.",
    },
    reference=answer,
    wrong={
        "a": "resampling keeps each segment's two outputs on their sides, so its gaps lie around the observed gap.",
        "c": "one of the two keeps each output on its own side; its gaps lie around the observed gap.",
        2: "Drawing segments again does not make a gap small: on average it stays what it was.",
        3: "The cloud is made from the data in hand, whether the null holds or not.",
    },
    hints=("Take one pattern of swaps. Which pattern gives the same gap with the other sign?",),
    solution="Swapping a set of segments and swapping all the others give gaps of opposite sign, so the cloud of "
             "all swaps is symmetric around zero, however large the gap is. That makes it a picture of the null.",
)
