"""A report of power that only renames the p-value."""

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def power_report(n, wins, losses, worth):
    """Power of McNemar's exact test, level 0.05, at a gap that matters.

    n: segments of the test set. wins, losses: how many of them only A, or
    only B, gets right. worth: the gap in accuracy that would matter, named
    before the test; not larger than the observed share of segments on which
    the two part. Returns a float.
    """
    parted = (wins + losses) / n
    return sb.mcnemar_power(n, (parted + worth) / 2, (parted - worth) / 2)


def given(n, wins, losses, worth):
    """Power of McNemar's exact test, level 0.05, at a gap that matters.

    n: segments of the test set. wins, losses: how many of them only A, or
    only B, gets right. worth: the gap in accuracy that would matter, named
    before the test; not larger than the observed share of segments on which
    the two part. Returns a float.
    """
    return sb.mcnemar_power(n, wins / n, losses / n)


def added_to_observed(n, wins, losses, worth):
    return sb.mcnemar_power(n, wins / n + worth, losses / n)


def all_disagree(n, wins, losses, worth):
    return sb.mcnemar_power(n, (1 + worth) / 2, (1 - worth) / 2)


def only_discordant(n, wins, losses, worth):
    return sb.mcnemar_power(wins + losses, (1 + worth) / 2, (1 - worth) / 2)


def whole_gap_to_one_side(n, wins, losses, worth):
    return sb.mcnemar_power(n, worth, 0.0)


def both_moved(n, wins, losses, worth):
    return sb.mcnemar_power(n, wins / n + worth / 2, max(0.0, losses / n - worth / 2))


def twice_the_gap(n, wins, losses, worth):
    parted = (wins + losses) / n
    return sb.mcnemar_power(n, min(1.0, parted / 2 + worth), max(0.0, parted / 2 - worth))


def missed(n, wins, losses, worth):
    return 1 - power_report(n, wins, losses, worth)


def at_zero(n, wins, losses, worth):
    parted = (wins + losses) / n
    return sb.mcnemar_power(n, parted / 2, parted / 2)


def given_the_discordant(n, wins, losses, worth):
    k = wins + losses
    lean = worth * n / k
    return sb.mcnemar_power(k, (1 + lean) / 2, (1 - lean) / 2)


def by_the_sum(n, wins, losses, worth):
    from scipy.stats import binom

    shared = (wins + losses) / n
    up, power = (shared + worth) / (2 * shared), 0.0
    for k in range(n + 1):
        c = binom.ppf(0.025, k, 0.5) - 1 if k else -1
        if c >= 0:
            power += binom.pmf(k, n, shared) * (binom.cdf(c, k, up) + binom.sf(k - c - 1, k, up))
    return power


def other_way_round(n, wins, losses, worth):
    parted = (wins + losses) / n
    return sb.mcnemar_power(n, parted / 2 - worth / 2, parted / 2 + worth / 2, alpha=0.05)


def cases(rng):
    wins, losses = rng.integers(12, 30, size=2)
    return [
        Case("a near tie", (400, 31, 29, 0.04)),
        Case("a clear win", (400, 45, 15, 0.04)),
        Case("A behind", (250, 12, 28, 0.05)),
        Case("losses alone", (60, 0, 9, 0.12)),
        Case("counts at random", (300, int(wins), int(losses), 0.06)),
    ]


EXERCISE = Function(
    id="power-that-repeats-p",
    title="A power that repeats p",
    level=2,
    statement="An evaluation script calls this function after every test that did not reject, and "
              "prints what it returns as \"the power of the test\". It is hardly ever above one half, "
              "on test sets of any size. Find out why, and mend the function, so that it says how "
              "often such a test set would find a gap of `worth`. The systems' rate of disagreement "
              "may be taken from the data. `sb.mcnemar_power` may be used.",
    reference=power_report,
    given=given,
    cases=cases,
    wrong=(
        Wrong(added_to_observed, "the gap that matters was added to the observed one. How far A is "
                                 "ahead in these data has no place in the question."),
        Wrong(all_disagree, "the systems are taken to part on every segment. They part on a share "
                            "of them, which the data show."),
        Wrong(only_discordant, "the segments on which the two agree were dropped, and the gap was "
                               "left as a share of all. Another test set would have as many "
                               "segments as this one, and a random number that part them."),
        Wrong(whole_gap_to_one_side, "here only A is ever right alone, so that the two hardly "
                                     "disagree. With the gap and the share of disagreement both "
                                     "cell probabilities are settled."),
        Wrong(both_moved, "the observed shares were moved by the gap. The result still depends on "
                          "who came out ahead."),
        Wrong(twice_the_gap, "the gap is the difference of the two probabilities. Here they differ "
                             "by twice as much."),
        Wrong(missed, "that is how often the gap would be missed. Power is how often it is found."),
        Wrong(at_zero, "that is the power at a gap of zero, which is the size of the test."),
        Wrong(given_the_discordant, "the number of segments that part the two was held fixed. On "
                                    "another test set it is random, and power averages over it."),
    ),
    same=(by_the_sum, other_way_round),
    hints=(
        "At which truth does the given function compute the power? What is left to be asked when "
        "that truth is read off the outcome?",
        "Two numbers are needed, p10 and p01. Their difference is the gap that matters. What is "
        "their sum?",
    ),
    solution="The given function takes the observed shares for the truth. Power at the observed "
             "gap is a function of p alone and says nothing about the test set. What the data may "
             "tell is how often the systems part, $p_d$; the gap has to be named. Then $p_{10}$ "
             "and $p_{01}$ are $(p_d \\pm \\text{gap})/2$. A near tie, 31 against 29 on 400 "
             "segments, had a \"power\" of 0.04 and finds a gap of 0.04 with power 0.50. With ten "
             "times the counts and the segments, still a near tie, the first number is 0.12, and "
             "the second 1.00.",
    shows="""for times in (1, 10):
    n, wins, losses = 400 * times, 31 * times, 29 * times
    old = sb.mcnemar_power(n, wins / n, losses / n)
    print(f"{wins} against {losses} on {n:,}: as given {old:.2f}, "
          f"at 0.04 {power_report(n, wins, losses, 0.04):.2f}")""",
)
