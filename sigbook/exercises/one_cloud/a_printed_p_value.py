"""What a p-value printed by sacreBLEU's paired bootstrap is worth."""

from scipy.optimize import brentq
from scipy.stats import norm

from sigbook.exercises.kinds import Value, Wrong


def rejected():
    def printed(z):
        m = z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z)
        return norm.cdf(-m) + norm.cdf(-2 * z - m)

    cut = brentq(lambda z: printed(z) - 0.03, 0, 5)
    return 2 * norm.sf(cut)


def as_printed():
    return 0.03


def doubled():
    return 0.06


def in_proportion():
    return 0.03 * 0.110 / 0.05


def one_sided():
    return rejected() / 2


def other_way():
    z = norm.isf(0.015)
    m = z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z)
    return norm.cdf(-m) + norm.cdf(-2 * z - m)


def at_five_percent():
    return 0.110


EXERCISE = Value(
    id="a-printed-p-value",
    title="What a printed p-value is worth",
    level=3,
    statement="On a large test set sacreBLEU's paired bootstrap prints p = 0.03. Somebody who rejects whenever this program "
              "prints 0.03 or less rejects which share of true nulls, in the normal limit of {prf:ref}`prop-sacrebleu`? (The "
              "same number is the two-sided normal p-value of the data for which the program prints 0.03.) To three decimals.",
    setup="from scipy.optimize import brentq\nfrom scipy.stats import norm",
    name="share",
    reference=rejected,
    within=5e-4,
    wrong=(
        Wrong(as_printed, "that would be so if the rule kept its level. Its printed value is below the two-sided normal one."),
        Wrong(doubled, "doubling would turn a one-sided p-value into a two-sided one. This rule is two-sided, and off by another "
                       "amount."),
        Wrong(in_proportion, "the size is not proportional to the level. Find the z at which the rule prints 0.03."),
        Wrong(one_sided, "that is one side. A large gap in either direction is rejected."),
        Wrong(other_way, "that is what the program prints when the two-sided normal p-value is 0.03. The question is the other "
                         "way round."),
        Wrong(at_five_percent, "that is the size at level 0.05."),
    ),
    hints=(
        "The rule is a cut on z: it prints 0.03 or less exactly when z reaches some value. Which one?",
        "Write p(z) as in the proposition and let `brentq` find its root for 0.03 between 0 and 5.",
        "Under the null, the gap over its standard deviation is standard normal. How often is its size beyond that z?",
    ),
    solution="p(z) falls from 0.425 to 0, and it is 0.03 at z = 1.856. A standard normal variable is at least that large, on "
             "either side, with probability 0.063. So a printed 0.03 is worth what 0.063 is worth from a test that keeps its "
             "level; and more segments do not change it.",
    shows="z = norm.isf(rejected() / 2)\n"
          'print(f"cut at z = {z:.3f}, size {rejected():.3f}")\n'
          'print(f"p(0) = {2 * norm.cdf(-np.sqrt(2 / np.pi)):.3f}")',
)
