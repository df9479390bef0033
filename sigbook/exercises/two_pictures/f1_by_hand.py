"""F1 from a precision and a recall: the smaller one dominates."""

from sigbook.exercises.kinds import Value, Wrong


def f1():
    precision, recall = 0.8, 0.6
    return 2 * precision * recall / (precision + recall)


def arithmetic():
    return (0.8 + 0.6) / 2


def geometric():
    return (0.8 * 0.6) ** 0.5


def unhalved():
    return 0.8 * 0.6 / (0.8 + 0.6)


def smaller():
    return 0.6


EXERCISE = Value(
    id="f1-by-hand",
    title="F1 by hand",
    level=1,
    asked="004 knowledge check, Q2",
    statement="A tagger has precision 0.8 and recall 0.6. What is its F1, to four decimals?",
    name="f1",
    reference=f1,
    within=5e-5,
    wrong=(
        Wrong(arithmetic, "that is the ordinary mean of the two. F1 is their harmonic mean, which lies nearer to "
                          "the smaller one."),
        Wrong(geometric, "that is the geometric mean, the root of the product. F1 is the harmonic mean."),
        Wrong(unhalved, "that is half of it: the product over the sum. A harmonic mean of two equal numbers must "
                        "be that number; try it with two equal ones."),
        Wrong(smaller, "the smaller of the two pulls F1 down, but not all the way."),
    ),
    hints=(
        "F1 is the harmonic mean: the reciprocal of the mean of the reciprocals.",
        "The mean of 1/0.8 and 1/0.6, turned over. Or in one fraction: twice the product over the sum.",
    ),
    solution="The harmonic mean is $2PR/(P+R)$. It is 0.6857 here, below the ordinary mean of 0.7: the "
             "smaller of the two counts for more.",
    shows='print(f"F1 {f1():.4f}; the ordinary mean would be {(0.8 + 0.6) / 2:.1f}")',
)
