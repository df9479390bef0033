"""Two accuracies do not fix the p-value; how far they leave it open."""

from math import comb

from sigbook.exercises.kinds import Value, Wrong
from sigbook.mcnemar import mcnemar


def lowest_and_highest():
    n, right_a, right_b = 200, 180, 174
    found = []
    for n01 in range(n - right_a + 1):  # B wins only where A is wrong
        n10 = n01 + right_a - right_b
        n_d = n10 + n01
        ways = sum(comb(n_d, j) for j in range(n01 + 1))
        found.append(2 * ways / 2**n_d)
    return min(found), max(found)


def turned():
    return lowest_and_highest()[::-1]


def one_sided():
    low, high = lowest_and_highest()
    return low / 2, high / 2


def impossible_tables():
    return mcnemar(6, 0), mcnemar(180, 174)


def all_right_answers():
    return mcnemar(6, 0), mcnemar(26, 26)


def one_loss_at_least():
    return mcnemar(7, 1), mcnemar(26, 20)


def never_both_wrong():
    return mcnemar(26, 20), mcnemar(26, 20)


def chi_squared():
    return mcnemar(6, 0, "chi2"), mcnemar(26, 20, "chi2")


EXERCISE = Value(
    id="what-accuracies-leave-open",
    title="What two accuracies leave open",
    level=3,
    statement="A paper reports that system A is right on 180 of 200 segments and system B on 174 of the same 200, and no more. "
              "Between which two values does the p-value of McNemar's exact test lie? Answer the pair (lowest, highest), to "
              "four decimals.",
    setup="from math import comb",
    name="p_values",
    reference=lowest_and_highest,
    within=6e-5,
    wrong=(
        Wrong(turned, "the right two numbers in the wrong order: the lowest comes first."),
        Wrong(one_sided, "these are one-sided. The test is two-sided."),
        Wrong(impossible_tables, "the highest value comes from a table that cannot be. How many segments can B alone be "
                                 "right on, when A is wrong on 20 only?"),
        Wrong(all_right_answers, "the difference of wins and losses is fixed by the two accuracies; equal counts of both "
                                 "would mean equal accuracies."),
        Wrong(one_loss_at_least, "B need not be right on any segment on which A is wrong."),
        Wrong(never_both_wrong, "that is one of the two ends. How few losses can there be?"),
        Wrong(chi_squared, "these are chi-squared p-values. The exact ones are asked for."),
    ),
    hints=(
        "Write n10 for A's wins and n01 for B's. The accuracies fix n10 - n01. What may n01 be?",
        "n01 is 0 at least. B's wins are segments on which A is wrong, so they are 20 at most. All counts between are "
        "possible.",
        "Compute the exact p-value for n01 = 0, 1, ..., 20 with n10 = n01 + 6 and take the two ends.",
    ),
    solution="The lead is 6 wins more than losses, whatever the table. With no loss p is 0.0312; with 26 wins and 20 losses, the "
             "most that A's 20 errors allow, it is 0.4614. The same two accuracies go with clear evidence and with "
             "none. A report must give the two discordant counts, or p.",
    shows="low, high = lowest_and_highest()\n"
          'print(f"6 wins, 0 losses: p = {low:.4f}")\n'
          'print(f"26 wins, 20 losses: p = {high:.4f}")',
)
