"""A power that was estimated from overlapping subsets of one test set."""

from math import comb

from sigbook.exercises.kinds import Choice


def moments(n=100, m=50, nu=0.14, least=6):
    """Power on m segments, and sd of the share of all subsets of m of n that reject."""
    chances = [comb(n, k) * nu**k * (1 - nu) ** (n - k) for k in range(n + 1)]
    shares = [sum(comb(k, j) * comb(n - k, m - j) for j in range(least, m + 1)) / comb(n, m)
              for k in range(n + 1)]
    mean = sum(c * u for c, u in zip(chances, shares))
    return mean, sum(c * (u - mean) ** 2 for c, u in zip(chances, shares)) ** 0.5


def answer():
    power, sd = moments()
    alone = sum(comb(50, j) * 0.14**j * 0.86 ** (50 - j) for j in range(6, 51))
    unbiased, claimed = abs(power - alone) < 1e-9, (power * (1 - power) / 1_000) ** 0.5
    return ("b" if unbiased and sd > 5 * claimed else "c"), 2


EXERCISE = Choice(
    id="one-set-of-prompts",
    title="A thousand subsets",
    level=2,
    statement="How often would a test on 50 prompts find a certain fault? Somebody has 100 "
              "prompts, draws 1,000 subsets of 50 of them, tests on each, and finds 0.71 of the "
              "tests significant at 0.05. The report says: power 0.71, standard error 0.014. What "
              "is to be thought of this?",
    name="answer",
    options={
        "a": "The estimate is too high, because the subsets resemble each other.",
        "b": "The estimate is right on average, and its error is many times as large as stated.",
        "c": "Both numbers are right: a share of 1,000 trials has this standard error.",
        "d": "The estimate needs more subsets; with 100,000 the standard error would be 0.0014.",
    },
    reasons={
        1: "A power is a probability, so it cannot be estimated from data that are given.",
        2: "Each subset by itself is an honest sample of 50 prompts, but all of them depend on the "
           "same 100.",
        3: "Two subsets have half of their prompts in common, so the tests reject too often.",
        4: "The subsets were drawn at random and independently of each other.",
    },
    reference=answer,
    wrong={
        "a": "each subset, chosen without a look at the data, is a sample of independent prompts. "
             "Its test rejects with the power as its probability. Resemblance moves all of them "
             "together, up or down.",
        "c": "1,000 independent trials would. These subsets come from one set of prompts; other "
             "prompts would have given another share.",
        "d": "more subsets bring the share nearer to that of all subsets of *these* 100 prompts, "
             "which itself may be far from the power.",
        1: "it can: the share of rejections over independent test sets estimates it.",
        3: "overlap does not change how often a single one of the tests rejects.",
        4: "given the 100 prompts they were. The prompts themselves were drawn once.",
    },
    hints=(
        "Suppose that on exactly 8 of the 100 prompts the fault shows, where 14 would be expected. "
        "What do all subsets have in common then?",
        "Draw all subsets there are. Is the share now exactly the power?",
    ),
    solution="The mean of the estimate is the power. But the share over all subsets is a number "
             "that belongs to these 100 prompts, and its spread over other sets of prompts does "
             "not shrink with the number of subsets. Its variance is bounded by that of two "
             "disjoint test sets of 50 ({prf:ref}`prop-subsets`), which would be a standard error "
             "of 0.32. For a test that rejects when at least 6 of the 50 prompts show a fault of "
             "visibility 0.14, power 0.72, it is 0.25: not 0.014.",
    shows="""from math import comb

n, m, nu, least, subsets = 100, 50, 0.14, 6, 1_000
chances = [comb(n, k) * nu**k * (1 - nu) ** (n - k) for k in range(n + 1)]
shares = [sum(comb(k, j) * comb(n - k, m - j) for j in range(least, m + 1))
          / comb(n, m) for k in range(n + 1)]
power = sum(c * u for c, u in zip(chances, shares))
spread = sum(c * (u - power) ** 2 for c, u in zip(chances, shares)) ** 0.5
print(f"level 0.05, {n * nu:.0f} of {n} expected to show the fault")
print(f"power {power:.2f}, sd of the share of all subsets {spread:.2f}")
print(f"estimate 0.71: bound {np.sqrt(0.71 * 0.29 / (n // m)):.2f}")
for r in (subsets, 100_000):
    print(f"stated for {r:,} subsets: {np.sqrt(0.71 * 0.29 / r):.4f}")""",
)
