"""A pilot's correlation carries over to other document sizes, its design effect does not."""

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

sizes = np.array([5] * 40 + [20] * 10)


def error():
    rho = (1.9 - 1) / (10 - 1)
    n = sizes.sum()
    effect = 1 + rho * ((sizes**2).sum() / n - 1)
    return 0.4 * np.sqrt(effect / n)


def pilot_effect():
    return 0.4 * np.sqrt(1.9 / 400)


def mean_size():
    return 0.4 * np.sqrt((1 + 0.1 * 7) / 400)


def no_clusters():
    return 0.4 / np.sqrt(400)


def no_root():
    return 0.4 * 2.15 / np.sqrt(400)


def documents_only():
    return 0.4 / np.sqrt(50)


def largest():
    return 0.4 * np.sqrt((1 + 0.1 * 19) / 400)


def variance():
    return 0.16 * 2.15 / 400


def ten_of_them():
    return 0.4 * np.sqrt((1 + 0.9 / 10 * 11.5) / 400)


EXERCISE = Value(
    id="unequal-documents",
    title="From a pilot to another test set",
    level=2,
    statement="On a pilot test set, documents of 10 segments each, the design effect of a "
              "system's accuracy was 1.9. The main test set will have 40 documents of 5 segments "
              "and 10 documents of 20. Segments of one document hang together as they did in the "
              "pilot, and a single segment's score has the standard deviation 0.4. Which "
              "standard error is to be expected for the accuracy on the main test set? To four "
              "decimals.",
    setup="sizes = np.array([5] * 40 + [20] * 10)",
    name="error",
    reference=error,
    within=5e-5,
    wrong=(
        Wrong(pilot_effect, "the pilot's design effect was carried over. It depends on the "
                            "documents' sizes; what carries over is the correlation."),
        Wrong(mean_size, "the mean size stands for all. Large documents hold most of the pairs, "
                         "so unequal sizes cost more."),
        Wrong(no_clusters, "the segments were taken for independent."),
        Wrong(no_root, "the design effect multiplies the variance. A standard error is its root."),
        Wrong(documents_only, "every document was taken for one segment, as if all its segments "
                              "were copies."),
        Wrong(largest, "every document was taken to be as large as the largest."),
        Wrong(variance, "this is a variance. A standard error is its root, in the units of the "
                        "score."),
        Wrong(ten_of_them, "the pilot's correlation is off: with m segments in a document, D is "
                           "1 + (m − 1)ρ, and not 1 + mρ."),
    ),
    hints=(
        "From the pilot's design effect to the correlation: D = 1 + (m − 1)ρ.",
        "With unequal sizes m gives way to the sum of the squared sizes over n.",
        "The variance is 0.4² times D over n; n is the number of all segments.",
    ),
    solution="The pilot says $\\rho = (1.9 - 1)/9 = 0.1$. On the main test set, with 400 "
             "segments, the squared sizes add up to 5,000, which makes 12.5 segments in the "
             "place of $m$: larger than the mean size 8, because a segment is more likely to be "
             "in a large document. The design effect is 2.15, and the standard error 0.0293.",
    shows='n, squares = sizes.sum(), (sizes**2).sum()\n'
          'rho = (1.9 - 1) / (10 - 1)\n'
          'print(f"rho {rho:.1f}, n {n}, squared sizes {squares:,}, "\n'
          '      f"over n {squares / n:.1f}")\n'
          'print(f"mean size {sizes.mean():.0f}, "\n'
          '      f"design effect {1 + rho * (squares / n - 1):.2f}")\n'
          'print(f"standard error {error():.4f}")',
)
