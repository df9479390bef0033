"""F1 from a precision and a recall, or from counts: the smaller of the two dominates."""

from sigbook.exercises.kinds import Value, Wrong


def f1():
    precision, recall = 0.8, 0.6
    return 2 * precision * recall / (precision + recall)


def arithmetic():
    return (0.8 + 0.6) / 2


def geometric():
    return (0.8 * 0.6) ** 0.5


def unhalved():
    return 60 / (75 + 100)


def smaller():
    return 0.6


def overlap():
    return 60 / (60 + 15 + 40)


EXERCISE = Value(
    id="f1-by-hand",
    title="F1 by hand",
    level=1,
    asked="004 knowledge check Q2",
    statement="A tagger has precision 0.8 and recall 0.6: of the 75 entities that it marks 60 are right, and 100 "
              "are there. What is its F1, to four decimals?",
    name="f1",
    reference=f1,
    within=5e-5,
    wrong=(
        Wrong(arithmetic, "that is the ordinary mean of the two. F1 is their harmonic mean, which lies nearer to "
                          "the smaller one."),
        Wrong(geometric, "that is the geometric mean, the root of the product. F1 is the harmonic mean."),
        Wrong(unhalved, "that is half of it: the product over the sum, or the right ones over predicted plus gold. "
                        "A mean of two equal numbers must be that number; try it with two equal ones."),
        Wrong(smaller, "the smaller of the two pulls F1 down, but not all the way."),
        Wrong(overlap, "that divides the right ones by all that are marked or there, each counted once. F1 divides "
                       "them by the mean of what is marked and what is there."),
    ),
    hints=(
        "F1 is the harmonic mean: the reciprocal of the mean of the reciprocals.",
        "The mean of 1/0.8 and 1/0.6, turned over. In one fraction: twice the product over the sum. In counts: "
        "twice the right ones over the marked ones plus those that are there.",
    ),
    solution="The harmonic mean is $2PR/(P+R)$, which is 0.6857 here. The counts give the same number: twice 60 over "
             "75 plus 100. It lies below the ordinary mean of 0.7, because the smaller of the two counts for more.",
    shows='print(f"F1 {f1():.4f}, from counts {2 * 60 / (75 + 100):.4f}")\n'
          'print(f"the ordinary mean would be {(0.8 + 0.6) / 2:.1f}")',
)
