"""A small table tested by document: units, all swaps, and Holm over the pairs."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Value, Wrong

documents = np.repeat(np.arange(7), [3, 2, 1, 3, 2, 1, 2])
scores = np.array([
    [9, 8, 9, 7, 9, 8, 6, 9, 8, 9, 7, 8, 9, 9],
    [6, 6, 6, 5, 6, 6, 4, 6, 5, 6, 5, 7, 8, 8],
    [7, 8, 7, 6, 8, 3, 4, 7, 8, 8, 8, 3, 9, 8],
])


def adjusted():
    p = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pair = sb.PairedSet(scores[i], scores[j], "mean", documents)
        p.append(sb.p_randomization(sb.randomize(pair, draws="all")))
    return sb.holm(p)


def p_values(clusters, alternative="two-sided", table=None):
    table = scores if table is None else table
    pairs = [sb.PairedSet(table[i], table[j], "mean", clusters)
             for i, j in ((0, 1), (0, 2), (1, 2))]
    return [sb.p_randomization(sb.randomize(pair, draws="all"), alternative) for pair in pairs]


def by_segment():
    return sb.holm(p_values(None))


def uncorrected():
    return p_values(documents)


def bonferroni():
    return np.minimum(1, 3 * np.array(p_values(documents)))


def one_sided():
    return sb.holm(p_values(documents, "greater"))


def document_means():
    table = np.array([[row[documents == d].mean() for d in range(7)] for row in scores])
    return sb.holm(p_values(None, table=table))


def benjamini_hochberg():
    return sb.benjamini_hochberg(p_values(documents))


def sorted_values():
    return np.sort(adjusted())[::-1]


EXERCISE = Value(
    id="three-systems",
    title="Three systems in seven documents",
    level=2,
    statement="The stub holds the scores of three systems on fourteen segments and the document of "
              "each segment. The metric is the mean over all segments. Test all pairs by swaps of "
              "whole documents, all of them listed, two-sided, and adjust by Holm. Which three "
              "adjusted p-values come out, for the first against the second system, the first "
              "against the third, the second against the third? To four decimals; everything in "
              "the package may be used.",
    setup="documents = np.repeat(np.arange(7), [3, 2, 1, 3, 2, 1, 2])\n"
          "scores = np.array([\n"
          "    [9, 8, 9, 7, 9, 8, 6, 9, 8, 9, 7, 8, 9, 9],\n"
          "    [6, 6, 6, 5, 6, 6, 4, 6, 5, 6, 5, 7, 8, 8],\n"
          "    [7, 8, 7, 6, 8, 3, 4, 7, 8, 8, 8, 3, 9, 8],\n"
          "])",
    name="adjusted",
    reference=adjusted,
    within=6e-5,
    wrong=(
        Wrong(by_segment, "segments were swapped. They come in documents, and what another test "
                          "set would bring is other documents."),
        Wrong(uncorrected, "these are the p-values of single tests. Three pairs are a family."),
        Wrong(bonferroni, "all were multiplied by three. Holm's factors get smaller, and his "
                          "values stay in the order of the p-values."),
        Wrong(one_sided, "the tests are one-sided, for the system named first. Two-sided ones are "
                         "asked for."),
        Wrong(document_means, "each document counts alike here, whether it has one segment or "
                              "three. The metric is the mean over segments: a swap moves a "
                              "document's sum."),
        Wrong(benjamini_hochberg, "these were adjusted by Benjamini and Hochberg's procedure."),
        Wrong(sorted_values, "the values are right, and in another order than that of the pairs "
                             "asked for."),
    ),
    hints=(
        "sb.PairedSet takes the labels of documents as clusters; sb.randomize lists all swaps if it "
        "is told draws=\"all\".",
        "Three p-values, in the order of the pairs, into sb.holm.",
    ),
    solution="All swaps of seven documents are 128, and the smallest p-value, two of them, is "
             "0.0156. The first system is ahead of the second on every document and gets exactly "
             "that; times three it is 0.0469, significant with nothing to spare. First against "
             "third: 0.0312, adjusted 0.0625. By segment both would be far below the level.",
    shows="""p = {"document": [], "segment": []}
for i, j in ((0, 1), (0, 2), (1, 2)):
    for unit, labels in (("document", documents), ("segment", None)):
        pair = sb.PairedSet(scores[i], scores[j], "mean", labels)
        cloud = sb.randomize(pair, draws="all")
        p[unit].append(sb.p_randomization(cloud))
print(f"{2**7} swaps, least p {2 / 2**7:.4f}, level 0.05")
for unit, values in p.items():
    print(f"by {unit}:", *[f"{x:.4f}" for x in values], "  Holm:",
          *[f"{x:.4f}" for x in sb.holm(values)])""",
)
