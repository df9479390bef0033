"""The joint test of a table, all shuffles listed."""

from itertools import permutations, product

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def joint_p(table):
    """Exact p-value of the joint sharp null, for the largest gap.

    table: array (G, J) of whole numbers, the score of system j on document
    g; a system's score is its sum over documents. The statistic is the best
    sum minus the worst. All (J!)^G shuffles are listed, at most 20,000.
    Returns a float.
    """
    rows = [list(permutations(row)) for row in table]
    observed = np.ptp(table.sum(axis=0))
    reached = [np.ptp(np.sum(shuffled, axis=0)) >= observed
               for shuffled in product(*rows)]
    return np.mean(reached)


def everything(table):
    rows = [np.array(list(permutations(row))) for row in table]
    sums = np.zeros((1, table.shape[1]), dtype=int)
    for row in rows:
        sums = (sums[:, None] + row[None]).reshape(-1, table.shape[1])
    return sums


def spread(sums):
    return sums.max(axis=-1) - sums.min(axis=-1)


def renamed_alike(table):
    return 1.0


def strict(table):
    return np.mean(spread(everything(table)) > spread(table.sum(axis=0)))


def plus_one(table):
    reached = spread(everything(table)) >= spread(table.sum(axis=0))
    return (1 + reached.sum()) / (1 + len(reached))


def first_and_last(table):
    sums, total = everything(table), table.sum(axis=0)
    best, worst = np.argmax(total), np.argmin(total)
    return np.mean(np.abs(sums[:, best] - sums[:, worst]) >= total[best] - total[worst])


def one_sided_pair(table):
    sums, total = everything(table), table.sum(axis=0)
    best, worst = np.argmax(total), np.argmin(total)
    return np.mean(sums[:, best] - sums[:, worst] >= total[best] - total[worst])


def best_alone(table):
    return np.mean(everything(table).max(axis=1) >= table.sum(axis=0).max())


def swaps_of_two(table):
    total = table.sum(axis=0)
    d = table[:, np.argmax(total)] - table[:, np.argmin(total)]
    signs = np.array(list(product((1, -1), repeat=len(d))))
    return np.mean(np.abs(signs @ d) >= abs(d.sum()))


def rotations(table):
    count = table.shape[1]
    sums = np.array([np.sum([np.roll(row, k) for row, k in zip(table, ks)], axis=0)
                     for ks in product(range(count), repeat=len(table))])
    return np.mean(spread(sums) >= spread(table.sum(axis=0)))


def variance(table):
    sums = everything(table)
    return np.mean(sums.var(axis=1) >= table.sum(axis=0).var() - 1e-9)


def bonferroni(table):
    count = table.shape[1]
    return min(1.0, swaps_of_two(table) * count * (count - 1) / 2)


def by_arrays(table):
    return float(np.mean(spread(everything(table)) >= spread(table.sum(axis=0))))


def first_document_fixed(table):
    """Renaming all documents alike changes nothing, so one document may keep its order."""
    sums = everything(table[1:]) + table[0]
    return (spread(sums) >= spread(table.sum(axis=0))).sum() / len(sums)


def by_codes(table):
    places = list(permutations(range(table.shape[1])))
    observed, reached, count = int(spread(table.sum(axis=0))), 0, 0
    for choice in product(places, repeat=len(table)):
        totals = [sum(int(row[place[j]]) for row, place in zip(table, choice))
                  for j in range(table.shape[1])]
        reached += max(totals) - min(totals) >= observed
        count += 1
    return reached / count


def cases(rng):
    wide = np.array([[9, 4, 2], [7, 5, 1], [8, 4, 3]])
    return [
        Case("two documents, three systems", (np.array([[3, 1, 0], [2, 2, 0]]),)),
        Case("three documents, three systems", (wide,)),
        Case("two systems", (np.array([[4, 1], [2, 3], [5, 2], [1, 0]]),)),
        Case("four systems, two documents", (np.array([[5, 3, 2, 2], [4, 4, 1, 3]]),)),
        Case("equal systems", (np.array([[2, 2, 2], [1, 1, 1]]),)),
        Case("scores at random", (rng.integers(0, 12, size=(3, 3)) * [[1, 1, 0]] + [[0, 0, 5]],)),
    ]


EXERCISE = Function(
    id="all-shuffles",
    title="A table tested at once",
    level=3,
    statement="Write the joint test of a small table of systems as {prf:ref}`prop-table` (b) has "
              "it, the share q of all shuffles, with the largest gap as the statistic. Use NumPy "
              "and `itertools`.",
    setup="from itertools import permutations, product",
    reference=joint_p,
    within=1e-9,
    cases=cases,
    wrong=(
        Wrong(renamed_alike, "p is always 1 here. Renaming the systems alike on all documents "
                             "changes no gap; a shuffle renames them on each document anew."),
        Wrong(strict, "shuffles that tie with the table count as well. The table is one of them."),
        Wrong(plus_one, "all shuffles are listed, the table among them. Nothing has to be added."),
        Wrong(first_and_last, "the gap of two named systems was followed through the shuffles. "
                              "After a shuffle other systems may be best and worst."),
        Wrong(one_sided_pair, "the gap of two named systems was followed, with its sign. The "
                              "statistic is the best sum minus the worst, whoever they are."),
        Wrong(best_alone, "that tests the best sum alone. The statistic is the best minus the "
                          "worst."),
        Wrong(swaps_of_two, "only the best and the worst system were swapped. They were picked "
                            "because they lie far apart; the other systems belong to the table "
                            "too."),
        Wrong(rotations, "only rotations of the systems were listed. Every order may come up on a "
                         "document."),
        Wrong(variance, "that tests the variance of the sums. The statistic is the largest gap."),
        Wrong(bonferroni, "that is the smallest p-value of the pairs times their number, not the "
                          "joint test."),
    ),
    same=(by_arrays, first_document_fixed, by_codes),
    hints=(
        "In how many orders can the scores of one document be given to the systems? They are "
        "chosen for each document independently.",
        "list(permutations(row)) are the orders of a document, product(*...) all shuffles of the "
        "table.",
        "Sum over documents, best minus worst, and the share that is at least the observed one.",
    ),
    solution="A shuffle gives each document an order of its own. For three documents and three "
             "systems that makes 6³ = 216 tables, whose largest gaps are compared with the "
             "observed one. In the example the sums are 24, 13 and 6, and 6 shuffles reach the gap "
             "of 18: those that rename the systems everywhere alike. So q is 0.0278, the smallest "
             "value there can be. Swaps of a single pair on three documents never get below 0.25.",
    shows="""table = np.array([[9, 4, 2], [7, 5, 1], [8, 4, 3]])
q = joint_p(table)
print("sums", *table.sum(axis=0), "largest gap", np.ptp(table.sum(axis=0)))
print(f"{q * 216:.0f} of {6**3} shuffles, q = {q:.4f}; "
      f"one pair: at least {2 / 2**3}")""",
)
