"""A gap, the 95% point of the null cloud, and the verdict that follows."""

from sigbook.exercises.kinds import Choice

EIGHT = (4, 5, -9, 13, 8, -5, 6, -2)


def exact():
    """(95% point of the size of the centred resampled mean, exact p) in hundredths, by adding one draw at a time."""
    total = sum(EIGHT)
    law = {0: 1}
    for _ in EIGHT:
        longer = {}
        for value, ways in law.items():
            for d in EIGHT:
                longer[value + 8 * d - total] = longer.get(value + 8 * d - total, 0) + ways
        law = longer
    sizes = {}
    for value, ways in law.items():
        sizes[abs(value)] = sizes.get(abs(value), 0) + ways
    reached = 0
    for size in sorted(sizes):
        reached += sizes[size]
        if reached >= 0.95 * 8**8:
            break
    return size / 64, sum(ways for size, ways in sizes.items() if size >= 8 * total) / 8**8


def answer():
    point, p = exact()
    return ("b" if sum(EIGHT) / 8 < point and p > 0.05 else "a"), 3


EXERCISE = Choice(
    id="inside-the-null",
    title="Inside the null cloud",
    level=1,
    asked="004 self-test Q5",
    statement="On eight sentences A is ahead by $\\hat\\delta = 0.025$ in mean F1. The differences are centred and resampled, "
              "and 95% of the resampled means are at most 0.046 in size. Is the lead significant at level 0.05, two-sided, and "
              "why?",
    setup="lead, point_95, level = 0.025, 0.046, 0.05",
    name="answer",
    options={
        "a": "yes",
        "b": "no",
        "c": "that cannot be said without the p-value",
    },
    reasons={
        1: "0.025 is below 0.05.",
        2: "0.046 is below 0.05.",
        3: "More than one in twenty draws under the null are at least as far out.",
        4: "On eight sentences no lead can be significant.",
        5: "The true gap is at most 0.046 away from the lead.",
    },
    reference=answer,
    wrong={
        "a": "where does 0.025 lie in the cloud that plays the null?",
        "c": "the 95% point is enough: it separates the gaps with p above the level from those with p below it.",
        1: "0.025 is a gap in F1 and 0.05 a share of draws. They cannot be compared.",
        2: "0.046 is a difference in F1 and 0.05 a share of draws. They cannot be compared.",
        4: "Eight sentences are few, but a lead beyond 0.046 would have been significant with this cloud.",
        5: "That may or may not be. The question is how often the null makes a lead like this one.",
    },
    hints=(
        "The centred cloud shows which mean differences come about when there is nothing to find. Is 0.025 unusual there?",
        "One draw in twenty is larger than 0.046. Are there more or fewer that are larger than 0.025?",
    ),
    solution="0.025 lies well inside the middle 95% of the cloud that plays the null, so more than one draw in twenty is at "
             "least as far out, and p is above 0.05: not significant. The exact share is 0.316. The page from which the example "
             "comes {cite:p}`nlpstatistics` puts the 95% point at roughly 0.06 where it is 0.046; the verdict is the same. It does "
             "not show that the two are equal: eight sentences can hardly tell.",
    shows="from sigbook.chapters import one_cloud\n\n"
          "eight = one_cloud.EIGHT  # differences in hundredths\n"
          "point = one_cloud.centered_quantile(eight, 0.95)\n"
          "share = one_cloud.exact_verdicts(eight).centered\n"
          'print(f"lead {np.mean(eight) / 100:.3f}, "\n'
          '      f"95% point {float(point) / 100:.3f}")\n'
          'print(f"share of resamples at least as far out: {float(share):.3f}")',
)
