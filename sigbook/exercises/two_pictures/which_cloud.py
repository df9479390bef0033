"""Which of the two clouds lies around zero, and why."""

from itertools import product

import numpy as np

from sigbook.exercises.kinds import Choice


def answer():
    d = np.array([4, 1, 3])
    swapped = np.array(list(product((1, -1), repeat=3))) @ d
    resampled = d[np.array(list(product(range(3), repeat=3)))].sum(axis=1)
    around_zero = (resampled.mean() == 0, swapped.mean() == 0)
    letter = {(True, False): "a", (False, True): "b", (True, True): "c", (False, False): "d"}[around_zero]
    mirrored = sorted(swapped) == sorted(-swapped)
    return letter, 1 if mirrored else 3


EXERCISE = Choice(
    id="which-cloud",
    title="Where the clouds lie",
    level=1,
    statement="The metric is a mean over segments. System A is far ahead of system B on one test set, and it is better "
              "on every segment. Which cloud lies around zero all the same, and why?",
    name="answer",
    options={
        "a": "the cloud of resampled gaps",
        "b": "the cloud of swapped gaps",
        "c": "both",
        "d": "neither",
    },
    reasons={
        1: "Each gap in it has a twin of the same size and the other sign.",
        2: "Segments that are left out and segments that come twice make up for each other.",
        3: "A p-value is read off it, and for that it must show what happens under the null.",
        4: "The larger the gap, the further from zero is whatever is made from these data.",
    },
    reference=answer,
    wrong={
        "a": "a resample keeps each segment's two outputs on their sides. Where A is better on every segment, its mean "
             "is ahead on every resample.",
        "c": "one of the two keeps each output on its own side, and its gaps lie around the observed gap.",
        "d": "one of the two gives B's outputs to A as often as A's own. What is the mean of such gaps?",
        2: "Redrawing segments does not move the middle of a cloud: on average a resample's gap stays about where it "
           "was.",
        3: "p-values are read off both clouds, and one of the two does not show the null as it stands. The reason lies in how the "
           "gaps are made.",
        4: "The gap is large, and still one cloud lies around zero. Its gaps are made with both signs.",
    },
    hints=(
        "Take three segments with differences 4, 1 and 3 and list some gaps of each kind.",
        "Take one pattern of swaps, and then the pattern that swaps all the other segments instead. How do their gaps "
        "compare?",
    ),
    solution="Swapping a set of segments and swapping all the others give gaps of opposite sign. So the cloud of all "
             "swaps is symmetric around zero, however large the gap is. A resample never moves an output to the other "
             "side: with the differences 4, 1 and 3 all 27 resampled gaps are positive, with mean 2.67.",
    shows="from itertools import product\n\n"
          "d = np.array([4, 1, 3])\n"
          "signs = np.array(list(product((1, -1), repeat=3)))\n"
          "swapped = signs @ d / 3\n"
          "drawn = np.array(list(product(range(3), repeat=3)))\n"
          "resampled = d[drawn].mean(axis=1)\n"
          'print(f"observed gap {d.mean():.2f}")\n'
          'for name, gaps in ("swapped", swapped), ("resampled", resampled):\n'
          '    print(f"{len(gaps)} {name} gaps: mean {gaps.mean():.2f}, "\n'
          '          f"from {gaps.min():.2f} to {gaps.max():.2f}")',
)
