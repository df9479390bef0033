"""An EER searches its threshold; right-or-wrong bits at a fixed threshold are another quantity."""

from itertools import product

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice

GENUINE, SPOOF = np.array([5, 4, 1, 6]), np.array([0, 3, 2, 4])


def clouds():
    """EERs over all draws of four sources, and (FAR + FRR)/2 with the threshold left alone."""
    labels = np.repeat([1, 0], 4)
    draws = [list(draw) for draw in product(range(4), repeat=4)]
    swept = [sb.eer(labels, np.concatenate([GENUINE[d], SPOOF[d]])) for d in draws]
    bits = ((SPOOF >= 3.5) * 1 + (GENUINE < 3.5)) / 2
    return np.array(swept), np.array([bits[d].mean() for d in draws])


def answer():
    swept, fixed = clouds()
    return ("c" if abs(swept.std() / fixed.std() - 1) > 0.05 else "a"), 2


EXERCISE = Choice(
    id="fixed-bits",
    title="Bits at a fixed threshold",
    level=2,
    asked="003 self-check 3",
    statement="Somebody wants an interval for a detector's equal error rate. The threshold at "
              "which the two error rates meet was found once, on the whole test set. For each "
              "recording it is noted whether it is an error there, and these bits are resampled "
              "by source. Does that give an interval for the EER?",
    name="answer",
    options={
        "a": "Yes: at that threshold the bits hold all that the EER depends on.",
        "b": "Yes, if the threshold was found on development data instead.",
        "c": "No: in each resample the threshold must be searched again.",
        "d": "No: an EER cannot be resampled, since it is not a mean.",
    },
    reasons={
        1: "Bits of one source are dependent.",
        2: "Where the two error rates meet varies from one set of recordings to another.",
        3: "At a fixed threshold the error rates have no spread.",
    },
    reference=answer,
    wrong={
        "a": "the bits tell the error rates at this threshold. In a resample the two rates no "
             "longer meet there, so what is averaged is no EER.",
        "b": "with a threshold from development data the bits answer another question, and "
             "answer it well: the error rates of a product with that threshold. These need not "
             "be equal to each other, and are not the EER.",
        "d": "a resample of sources has an EER like any other set of recordings. A quantity need "
             "not be a mean to be resampled.",
        1: "They are, and resampling by source takes care of it. That would be so for the EER as "
           "well.",
        3: "They have: other recordings make other errors at the same threshold.",
    },
    hints=(
        "Which steps lead from a set of recordings to its EER? Which of them would be repeated "
        "on another test set?",
        "Take a resample and look at its two error rates at the old threshold. Are they equal?",
    ),
    solution="An EER is found by moving the threshold until the two error rates meet. This "
             "search belongs to the quantity, so every resample has to repeat it. The bits at a "
             "fixed threshold describe a fixed rule, which is a good question of its own. In the "
             "example, four sources and all 256 draws, the two have different means, 0.287 and "
             "0.250, and different spreads.",
    shows="""from itertools import product

genuine, spoof = np.array([5, 4, 1, 6]), np.array([0, 3, 2, 4])
labels, threshold = np.repeat([1, 0], 4), 3.5
draws = [list(draw) for draw in product(range(4), repeat=4)]
swept = [sb.eer(labels, np.concatenate([genuine[d], spoof[d]]))
         for d in draws]
errors = ((spoof >= threshold) * 1 + (genuine < threshold)) / 2
fixed = [errors[d].mean() for d in draws]
whole = sb.eer(labels, np.concatenate([genuine, spoof]))
print(f"{len(draws)} draws; EER of the data {whole:.3f}")
for name, x in (("searched again", swept), ("threshold kept", fixed)):
    print(f"{name}: mean {np.mean(x):.3f}, sd {np.std(x):.3f}")""",
)
