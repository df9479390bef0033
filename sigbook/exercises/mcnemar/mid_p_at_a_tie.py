"""A mid-p value that is right until wins and losses are equally many."""

from math import comb

from sigbook.exercises.kinds import Case, Function, Wrong
from sigbook.mcnemar import mcnemar


def mid_p(n10, n01):
    """Two-sided mid-p value of McNemar's test.

    n10, n01: whole numbers, on how many segments only A and only B is right.
    Returns a float.
    """
    n_d = n10 + n01
    if n_d == 0:
        return 1.0
    total = 0.0
    for heads in range(n_d + 1):
        chance = comb(n_d, heads) / 2**n_d
        distance = abs(2 * heads - n_d)
        if distance > abs(n10 - n01):
            total += chance
        elif distance == abs(n10 - n01):
            total += chance / 2
    return total


def given(n10, n01):
    """Two-sided mid-p value of McNemar's test.

    n10, n01: whole numbers, on how many segments only A and only B is right.
    Returns a float.
    """
    n_d, k = n10 + n01, min(n10, n01)
    if n_d == 0:
        return 1.0
    at_most = sum(comb(n_d, j) for j in range(k + 1)) / 2**n_d
    at_k = comb(n_d, k) / 2**n_d
    return 2 * at_most - at_k


def parts(n10, n01):
    n_d, k = n10 + n01, min(n10, n01)
    return sum(comb(n_d, j) for j in range(k + 1)) / 2**n_d, comb(n_d, k) / 2**n_d


def exact(n10, n01):
    return mcnemar(n10, n01)


def one_end(n10, n01):
    at_most, at_k = parts(n10, n01)
    return min(1.0, 2 * at_most) - at_k / 2 if n10 + n01 else 1.0


def tie_in_full(n10, n01):
    return 1 - parts(n10, n01)[1] if n10 == n01 and n10 else given(n10, n01)


def tie_is_half(n10, n01):
    return 0.5 if n10 == n01 and n10 else given(n10, n01)


def no_coin(n10, n01):
    return mcnemar(n10, n01, "midp") if n10 + n01 else 0.5


def beyond(n10, n01):
    at_most, at_k = parts(n10, n01)
    return 2 * (at_most - at_k)


def one_sided(n10, n01):
    at_most, at_k = parts(n10, n01)
    return at_most - at_k / 2 if n10 + n01 else 1.0


def from_exact(n10, n01):
    at_most, at_k = parts(n10, n01)
    if n10 + n01 == 0:
        return 1
    return 1 - at_k / 2 if n10 == n01 else 2 * at_most - at_k


def with_the_package(n10, n01):
    return mcnemar(n10, n01, "midp")


def cases(rng):
    few = int(rng.integers(2, 9))
    return [
        Case("7 wins, 1 loss", (7, 1)),
        Case("1 win, 4 losses", (1, 4)),
        Case("wins alone", (5, 0)),
        Case("3 wins, 3 losses", (3, 3)),
        Case("1 win, 1 loss", (1, 1)),
        Case("no discordant segment", (0, 0)),
        Case("equal counts at random", (few, few)),
        Case("unequal counts at random", (few + int(rng.integers(1, 9)), few)),
    ]


EXERCISE = Function(
    id="mid-p-at-a-tie",
    title="A mid-p value with a hole",
    level=3,
    statement="The function below is meant to be the mid-p value of {prf:ref}`def-mcnemar-relatives`, and it gives the right "
              "0.0391 for 7 wins and 1 loss. For some other counts it does not follow the definition. Find out for which, "
              "and mend it without calling `sb.mcnemar`.",
    setup="from math import comb",
    reference=mid_p,
    given=given,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(exact, "that is the exact p-value: outcomes that tie with the data count in full."),
        Wrong(one_end, "only one of the two outcomes that tie with the data was halved. The law has two ends, and at a tie "
                       "of wins and losses one middle."),
        Wrong(tie_in_full, "with equal counts the outcome in hand was taken away in full. It counts half."),
        Wrong(tie_is_half, "equal counts get one half now. All other outcomes are more extreme than a tie; what is their "
                           "probability?"),
        Wrong(no_coin, "the definition sets the value to 1 where there is no discordant segment."),
        Wrong(beyond, "outcomes that tie with the data do not count at all here. They count half."),
        Wrong(one_sided, "that is one end of the law."),
    ),
    same=(from_exact, with_the_package),
    hints=(
        "How many outcomes tie with 7 wins and 1 loss? And with 3 wins and 3 losses?",
        "At a tie of wins and losses the two ends of the law meet: the outcome in hand is in both sums. What does the formula "
        "give there, and what does the definition?",
        "By the definition, add the chances of all outcomes with a larger distance |2 heads - n_d|, and half of those with an "
        "equal one.",
    ),
    solution="For unequal counts two outcomes tie with the data, one at each end; halving both takes away one of them, which is "
             "what the given formula does. For equal counts only the middle outcome ties. It is in both halves of the "
             "doubled sum, so the formula gives 1 where the definition gives 1 less half its probability: for 3 wins and 3 "
             "losses 0.8438. Summing over outcomes, as the definition says, needs no cases.",
    shows="for n10, n01 in (7, 1), (3, 3), (1, 1):\n"
          '    print(f"{n10} won, {n01} lost: mid-p {mid_p(n10, n01):.4f}")',
)
