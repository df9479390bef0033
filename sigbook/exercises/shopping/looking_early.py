"""The chance of a false alarm when McNemar's test is made at several looks."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def alarm_chance(looks, alpha):
    """Chance that McNemar's exact test rejects at one look or more.

    looks: increasing whole numbers, at most 40; after each of these numbers
    of discordant segments the test is made at level alpha, and rejects if p
    is at most alpha. Each discordant segment is A's with chance one half,
    independently. Returns a float.
    """
    alive, alarm, n = {0: 1.0}, 0.0, 0
    for look in looks:
        for _ in range(look - n):
            before, alive = alive, {}
            for wins, chance in before.items():
                for new in (wins, wins + 1):
                    alive[new] = alive.get(new, 0.0) + chance / 2
        n = look
        for wins in list(alive):
            if sb.mcnemar(wins, n - wins) <= alpha:
                alarm += alive.pop(wins)
    return alarm


def by_rule(looks, rejects):
    alive, alarm = np.ones(1), 0.0
    for n in range(1, looks[-1] + 1):
        alive = (np.append(alive, 0) + np.append(0, alive)) / 2
        if n in looks:
            out = np.array([rejects(w, n - w) for w in range(n + 1)])
            alarm += alive[out].sum()
            alive[out] = 0
    return alarm


def sizes(looks, alpha):
    return np.array([by_rule([n], lambda a, b: sb.mcnemar(a, b) <= alpha) for n in looks])


def added(looks, alpha):
    return sizes(looks, alpha).sum()


def independent(looks, alpha):
    return 1 - np.prod(1 - sizes(looks, alpha))


def of_levels(looks, alpha):
    return 1 - (1 - alpha) ** len(looks)


def last_look(looks, alpha):
    return sizes(looks, alpha)[-1]


def largest_look(looks, alpha):
    return sizes(looks, alpha).max()


def for_a(looks, alpha):
    return by_rule(looks, lambda a, b: a > b and sb.mcnemar(a, b) <= alpha)


def strict(looks, alpha):
    return by_rule(looks, lambda a, b: sb.mcnemar(a, b) < alpha)


def every_segment(looks, alpha):
    return by_rule(list(range(1, looks[-1] + 1)), lambda a, b: sb.mcnemar(a, b) <= alpha)


def corrected(looks, alpha):
    return by_rule(looks, lambda a, b: sb.mcnemar(a, b) <= alpha / len(looks))


def each_batch_alone(looks, alpha):
    batches = np.diff([0, *looks])
    return 1 - np.prod(1 - sizes(batches, alpha))


def one_sided_test(looks, alpha):
    return by_rule(looks, lambda a, b: a > b and sb.mcnemar(a, b) / 2 <= alpha)


def with_arrays(looks, alpha):
    return by_rule(looks, lambda a, b: sb.mcnemar(a, b) <= alpha)


def counting_survivors(looks, alpha):
    """Paths that no look stops, counted in whole numbers."""
    from fractions import Fraction

    ways = [1]
    for n in range(1, max(looks) + 1):
        ways = [a + b for a, b in zip([*ways, 0], [0, *ways])]
        if n in set(looks):
            ways = [0 if sb.mcnemar(w, n - w) <= alpha else x for w, x in enumerate(ways)]
    return 1 - Fraction(sum(ways), 2 ** max(looks))


def cases(rng):
    looks = np.cumsum(rng.integers(4, 9, size=5))
    return [
        Case("one look", ([12], 0.05)),
        Case("two looks", ([8, 16], 0.1)),
        Case("a look at which p can equal alpha", ([5, 10], 0.0625)),
        Case("a first look that can reject nothing", ([4, 9, 20], 0.05)),
        Case("five looks at random", ([int(n) for n in looks], 0.05)),
        Case("three looks, more often at the end", ([15, 18, 20], 0.05)),
    ]


EXERCISE = Function(
    id="looking-early",
    title="Looking early",
    level=3,
    statement="Segments come in one by one; those on which both systems are right or both wrong do "
              "not count. At certain numbers of discordant segments somebody makes McNemar's exact "
              "test, and stops at the first rejection. The systems are equal. Write the chance of "
              "a rejection, exactly and without simulation. `sb.mcnemar` may be used.",
    reference=alarm_chance,
    cases=cases,
    wrong=(
        Wrong(added, "the sizes of the looks were added. Whoever rejects at two looks is counted "
                     "twice."),
        Wrong(independent, "the looks were taken for independent tests. The later ones contain the "
                           "segments of the earlier ones."),
        Wrong(of_levels, "that is the formula for independent tests of size exactly alpha. The "
                         "looks are neither."),
        Wrong(last_look, "that is the size of the last look alone."),
        Wrong(largest_look, "that is the largest size of a single look. Some sequences reject at "
                            "another look only."),
        Wrong(for_a, "rejections in favour of B were left out."),
        Wrong(strict, "the test rejects when p is at most alpha. Some p-values equal the level."),
        Wrong(every_segment, "here the test is made after every segment. It is made at the given "
                             "numbers only."),
        Wrong(corrected, "a correction for the number of looks was made. Asked is what happens "
                         "without one."),
        Wrong(each_batch_alone, "each look uses the segments since the last one only. The test is "
                                "made on all segments so far."),
        Wrong(one_sided_test, "that is a one-sided test for A."),
    ),
    same=(with_arrays, counting_survivors),
    hints=(
        "Follow the probabilities of all numbers of wins, from one segment to the next: half of "
        "each goes up by one win.",
        "At a look, take the probability of the rejecting numbers of wins out and keep the rest: "
        "who has stopped is not counted again.",
        "A dictionary (or an array) from wins to probability, one step per segment; the answer is "
        "what was taken out in all.",
    ),
    solution="The number of wins after n segments, together with \"not stopped yet\", is all that "
             "the future depends on. So probabilities are passed on from segment to segment, and "
             "at each look those of rejecting counts are taken out. With looks at 10, 20, 30 and "
             "40 segments and level 0.05 the chance is 0.0914, against 0.0385 for a single look at "
             "40. Adding the four sizes gives 0.1441: many sequences that reject at one look would "
             "reject at the next as well.",
    shows="""looks = [10, 20, 30, 40]
alone = [alarm_chance([n], 0.05) for n in looks]
print("level 0.05, looks at", *looks)
print("alone:", *[f"{x:.4f}" for x in alone], f"sum {sum(alone):.4f}")
print(f"together: {alarm_chance(looks, 0.05):.4f}")""",
)
