"""What a p-value printed by sacreBLEU's paired bootstrap is worth."""

from scipy.optimize import brentq
from scipy.stats import norm

from sigbook.exercises.kinds import Value, Wrong


def rejected():
    def printed(z):
        m = z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z)
        return norm.cdf(-m) + norm.cdf(-2 * z - m)

    cuts = [brentq(lambda z: printed(z) - p, 0, 5) for p in (0.30, 0.03)]
    return [2 * norm.sf(cut) for cut in cuts]


def as_printed():
    return 0.30, 0.03


def doubled():
    return 0.60, 0.06


def in_proportion():
    return 0.30 * 0.110 / 0.05, 0.03 * 0.110 / 0.05


def one_sided():
    return tuple(share / 2 for share in rejected())


def printed_for(p):
    z = norm.isf(p / 2)
    m = z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z)
    return norm.cdf(-m) + norm.cdf(-2 * z - m)


def other_way():
    return printed_for(0.30), printed_for(0.03)


def kept():
    return tuple(1 - share for share in rejected())


def turned():
    return rejected()[::-1]


EXERCISE = Value(
    id="a-printed-p-value",
    title="What a printed p-value is worth",
    level=3,
    statement="On two large test sets sacreBLEU's paired bootstrap prints p = 0.30 and p = 0.03. Somebody who rejects whenever "
              "this program prints 0.30 or less rejects which share of true nulls, in the normal limit of "
              "{prf:ref}`prop-sacrebleu`? And with 0.03 or less? (The same numbers are the two-sided normal p-values of the data for "
              "which the program prints these.) Answer the two shares in this order, to three decimals.",
    setup="from scipy.optimize import brentq\nfrom scipy.stats import norm",
    name="shares",
    reference=rejected,
    within=6e-4,
    wrong=(
        Wrong(as_printed, "that would be so if the rule kept its level. Its printed values are below the two-sided normal "
                          "ones."),
        Wrong(doubled, "doubling would turn a one-sided p-value into a two-sided one. This rule is two-sided, and off by another "
                       "amount."),
        Wrong(in_proportion, "the size is not proportional to the level. Find the z at which the rule prints each value."),
        Wrong(one_sided, "that is one side. A large gap in either direction is rejected."),
        Wrong(other_way, "that is what the program prints when the two-sided normal p-values are 0.30 and 0.03. The question is "
                         "the other way round."),
        Wrong(kept, "these are the shares that are not rejected."),
        Wrong(turned, "the right two numbers in the wrong order."),
    ),
    hints=(
        "The rule is a cut on z: it prints 0.03 or less exactly when z reaches some value. Which one?",
        "Write p(z) as in the proposition and let `brentq` find the root of p(z) - 0.03 between 0 and 5.",
        "Under the null, the gap over its standard deviation is standard normal. How often is its size beyond that z?",
    ),
    solution="p(z) falls from 0.425 to 0. It is 0.30 at z = 0.246 and 0.03 at z = 1.856, and a standard normal variable is at least "
             "that large, on either side, with probability 0.806 and 0.063. So a printed 0.30 is worth what 0.806 is worth from a "
             "test that keeps its level, and a printed 0.03 what 0.063 is worth. More segments do not change it.",
    shows="for p, share in zip((0.30, 0.03), rejected()):\n"
          '    print(f"printed {p:.2f}: z = {norm.isf(share / 2):.3f}, size {share:.3f}")\n'
          'print(f"p(0) = {2 * norm.cdf(-np.sqrt(2 / np.pi)):.3f}")',
)
