"""McNemar's exact p-value from four counts."""

from math import comb, erfc, sqrt

from sigbook.exercises.kinds import Value, Wrong
from sigbook.mcnemar import mcnemar

n11, n10, n01, n00 = 410, 11, 3, 76


def p():
    n_d, k = n10 + n01, min(n10, n01)
    at_most = sum(comb(n_d, j) for j in range(k + 1))
    return 2 * at_most / 2**n_d


def one_sided():
    return p() / 2


def chi_squared():
    return mcnemar(11, 3, "chi2")


def corrected():
    return mcnemar(11, 3, "corrected")


def mid_p():
    return mcnemar(11, 3, "midp")


def beyond():
    return 2 * sum(comb(14, j) for j in range(3)) / 2**14


def point():
    return 2 * comb(14, 3) / 2**14


def two_proportions():
    a, b = 421 / 500, 413 / 500
    pooled = (a + b) / 2
    return erfc(abs(a - b) / sqrt(2 * pooled * (1 - pooled) / 500) / sqrt(2))


EXERCISE = Value(
    id="exact-from-counts",
    title="Eleven wins, three losses",
    level=1,
    statement="Two classifiers read the same 500 filings. Both are right on 410, only A on 11, only B on 3, neither on 76. "
              "What is the two-sided p-value of McNemar's exact test, to four decimals? Use binomial coefficients, not "
              "`sb.mcnemar`.",
    setup="from math import comb\n\nn11, n10, n01, n00 = 410, 11, 3, 76  # of 500",
    name="p",
    reference=p,
    within=6e-5,
    wrong=(
        Wrong(one_sided, "that is one side. As few wins as B's may happen to either of the two."),
        Wrong(chi_squared, "that is the chi-squared p-value, the normal approximation. The exact one sums the binomial law "
                           "itself."),
        Wrong(corrected, "that is the chi-squared p-value with the continuity correction. The exact one sums the binomial "
                         "law itself."),
        Wrong(mid_p, "that is the mid-p value: the outcome in hand was counted half. The exact test counts it in full."),
        Wrong(beyond, "the outcome in hand is missing from the sum. At most three losses: 0, 1, 2 and 3."),
        Wrong(point, "that is the probability of this very outcome on either side. More extreme ones count as well."),
        Wrong(two_proportions, "that compares the two accuracies as if they came from two separate test sets. Both read the "
                               "same filings: look only at those on which they part."),
    ),
    hints=(
        "Which of the four counts tell the two systems apart?",
        "Fourteen fair coins: in how many of the 2 to the 14 ways do at most three show heads? And at least eleven?",
    ),
    solution="Only the 14 discordant filings count. At most 3 heads come up in 1 + 14 + 91 + 364 = 470 of 16,384 ways, and "
             "at least 11 in as many: p = 940/16,384 = 0.0574. The chi-squared p-value would be 0.0325: with so "
             "few discordant filings the approximation is far off, and at the usual level it would turn the verdict.",
    shows="n_d = n10 + n01\n"
          "ways = [comb(n_d, j) for j in range(4)]\n"
          'print(f"{n_d} discordant: ways {ways}, sum {sum(ways)}, "\n'
          '      f"of {2 ** n_d:,}; twice that {2 * sum(ways)}")\n'
          'print(f"p = {p():.4f}, chi-squared {sb.mcnemar(n10, n01, \'chi2\'):.4f}")',
)
