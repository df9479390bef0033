"""BLEU's verdict beside a human penalty's: less is better, and every pair counts once."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def agreement(bleu, penalty, p_bleu, p_people):
    """How often BLEU and human raters agree on the pairs of a table.

    bleu, penalty: arrays (J,) of the systems' scores; a penalty is a mean
    weight of errors, less is better. p_bleu, p_people: symmetric arrays
    (J, J) of two-sided p-values of the pairs; a test rejects at 0.05.
    Returns five whole numbers over all pairs of systems: both reject and
    prefer the same system, both reject and prefer different ones, only BLEU
    rejects, only the raters do, neither does.
    """
    found = [0, 0, 0, 0, 0]
    for i in range(len(bleu)):
        for j in range(i):
            by_bleu, by_people = p_bleu[i, j] <= 0.05, p_people[i, j] <= 0.05
            if by_bleu and by_people:
                same = (bleu[i] > bleu[j]) == (penalty[i] < penalty[j])
                found[0 if same else 1] += 1
            elif by_bleu:
                found[2] += 1
            elif by_people:
                found[3] += 1
            else:
                found[4] += 1
    return found


def faulty(bleu, penalty, p_bleu, p_people):
    found = [0, 0, 0, 0, 0]
    for i in range(len(bleu)):
        for j in range(len(bleu)):
            by_bleu, by_people = p_bleu[i, j] <= 0.05, p_people[i, j] <= 0.05
            if by_bleu and by_people:
                same = (bleu[i] > bleu[j]) == (penalty[i] > penalty[j])
                found[0 if same else 1] += 1
            elif by_bleu:
                found[2] += 1
            elif by_people:
                found[3] += 1
            else:
                found[4] += 1
    return found


def counted(bleu, penalty, p_bleu, p_people, pairs, sign=-1.0, level=lambda p: p <= 0.05):
    i, j = pairs
    x, y = level(p_bleu[i, j]), level(p_people[i, j])
    same = (bleu[i] - bleu[j]) * sign * (penalty[i] - penalty[j]) > 0
    return [int(np.sum(z)) for z in (x & y & same, x & y & ~same, x & ~y, ~x & y, ~x & ~y)]


def below(bleu):
    return np.tril_indices(len(bleu), -1)


def sign_mended(bleu, penalty, p_bleu, p_people):
    everything = np.indices((len(bleu), len(bleu))).reshape(2, -1)
    return counted(bleu, penalty, p_bleu, p_people, everything)


def sign_left(bleu, penalty, p_bleu, p_people):
    return counted(bleu, penalty, p_bleu, p_people, below(bleu), sign=1.0)


def with_itself(bleu, penalty, p_bleu, p_people):
    return counted(bleu, penalty, p_bleu, p_people, np.tril_indices(len(bleu)))


def both_orders(bleu, penalty, p_bleu, p_people):
    return [2 * x for x in agreement(bleu, penalty, p_bleu, p_people)]


def exchanged(bleu, penalty, p_bleu, p_people):
    right = agreement(bleu, penalty, p_bleu, p_people)
    return [right[0], right[1], right[3], right[2], right[4]]


def neighbours(bleu, penalty, p_bleu, p_people):
    order = np.argsort(bleu)
    return counted(bleu, penalty, p_bleu, p_people, (order[1:], order[:-1]))


def signs_of_all(bleu, penalty, p_bleu, p_people):
    i, j = below(bleu)
    x, y = p_bleu[i, j] <= 0.05, p_people[i, j] <= 0.05
    same = (bleu[i] - bleu[j]) * (penalty[j] - penalty[i]) > 0
    some = x | y
    return [int(np.sum(z)) for z in (some & same, some & ~same, x & ~y, ~x & y, ~some)]


def strict(bleu, penalty, p_bleu, p_people):
    return counted(bleu, penalty, p_bleu, p_people, below(bleu), level=lambda p: p < 0.05)


def with_arrays(bleu, penalty, p_bleu, p_people):
    return counted(bleu, penalty, p_bleu, p_people, np.triu_indices(len(bleu), 1))


def by_ranks(bleu, penalty, p_bleu, p_people):
    found, order = [0] * 5, [int(k) for k in np.argsort(-bleu)]
    for place, i in enumerate(order):
        for j in order[place + 1:]:
            x, y = bool(p_bleu[i, j] <= 0.05), bool(p_people[i, j] <= 0.05)
            one = {(True, False): 2, (False, True): 3, (False, False): 4}
            found[one.get((x, y), 0 if penalty[i] < penalty[j] else 1)] += 1
    return tuple(found)


def table(systems, entries):
    p = np.ones((systems, systems))
    for (i, j), value in entries.items():
        p[i, j] = p[j, i] = value
    return p


def cases(rng):
    three = np.array([30.0, 28.0, 25.0]), np.array([4.0, 3.0, 6.0])
    bleu, penalty = rng.permutation(8) + 20.0, rng.permutation(8) / 4.0
    p = [np.where(x < 0.5, x / 20, x) for x in (rng.random((8, 8)), rng.random((8, 8)))]
    p = [np.tril(x, -1) + np.triu(x.T, 1) + np.eye(8) for x in p]
    return [
        Case("three systems", (*three, table(3, {(0, 1): 0.01, (0, 2): 0.001, (1, 2): 0.2}),
                               table(3, {(0, 1): 0.02, (0, 2): 0.001, (1, 2): 0.03}))),
        Case("two systems, the better one second", (
            np.array([20.0, 22.0]), np.array([5.0, 4.0]),
            table(2, {(0, 1): 0.01}), table(2, {(0, 1): 0.04}))),
        Case("four systems, p-values at the level", (
            np.array([30.0, 29.0, 28.0, 27.0]), np.array([3.0, 5.0, 4.0, 2.0]),
            table(4, {(0, 1): 0.05, (0, 2): 0.01, (1, 3): 0.04, (2, 3): 0.01}),
            table(4, {(0, 1): 0.01, (0, 3): 0.05, (1, 3): 0.001, (2, 3): 0.02}))),
        Case("eight systems at random", (bleu, penalty, *p)),
    ]


EXERCISE = Function(
    id="less-is-better",
    title="Mend a count of agreement",
    level=2,
    statement="This function should count on how many pairs of systems BLEU and human raters "
              "agree. Its writer reports that they disagree on most pairs. It has two faults. Find "
              "and mend them. No two systems have the same score.",
    reference=agreement,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(sign_mended, "one fault is left: each pair is counted twice, and each system against "
                           "itself."),
        Wrong(sign_left, "one fault is left: in which direction does a smaller penalty point?"),
        Wrong(with_itself, "each system is still compared with itself, and comes out as "
                           "\"neither\"."),
        Wrong(both_orders, "each pair is counted in both orders. It is one pair."),
        Wrong(exchanged, "\"only BLEU\" and \"only the raters\" were exchanged."),
        Wrong(neighbours, "only neighbours in the order of BLEU were compared. All pairs are asked "
                          "for."),
        Wrong(signs_of_all, "pairs on which only one of the two rejects were counted as agreement "
                            "or disagreement as well."),
        Wrong(strict, "a test rejects when p equals 0.05 as well."),
    ),
    same=(with_arrays, by_ranks),
    hints=(
        "Add up the five numbers for three systems. How many pairs are there?",
        "A has more BLEU and less penalty than B. What does the given function make of that?",
    ),
    solution="A small penalty is a good score, so raters and BLEU prefer the same system when one "
             "comparison has > and the other <. And the second loop runs over all systems again: "
             "each pair comes twice, and each system meets itself. With three systems the mended "
             "function gives 1, 1, 0, 1, 0, which adds up to three pairs; the given one has 2, 2, "
             "0, 2, 3.",
    shows="""bleu, penalty = np.array([30, 28, 25]), np.array([4, 3, 6])
p_bleu, p_people = np.ones((3, 3)), np.ones((3, 3))
for (i, j), x, y in (((0, 1), 0.01, 0.02), ((0, 2), 0.001, 0.001),
                     ((1, 2), 0.2, 0.03)):
    p_bleu[i, j] = p_bleu[j, i] = x
    p_people[i, j] = p_people[j, i] = y
print("same, different, BLEU only, raters only, neither:",
      *agreement(bleu, penalty, p_bleu, p_people))""",
)
