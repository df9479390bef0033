"""Expected false positives: counted over true nulls, whatever their dependence."""

from sigbook.exercises.kinds import Value, Wrong


def expected():
    return [20 * 0.05, (20 - 8) * 0.05, 20 * 0.05]


def chances():
    return [1 - 0.95**20, 1 - 0.95**12, 0.05]


def chances_of_independent():
    return [1 - 0.95**20, 1 - 0.95**12, 1 - 0.95**20]


def all_counted():
    return [1, 1, 1]


def copies_counted_once():
    return [1, 0.6, 0.05]


def real_ones_counted():
    return [1, 0.4, 1]


def corrected():
    return [0.05, 0.03, 0.05]


def level():
    return [0.05, 0.05, 0.05]


EXERCISE = Value(
    id="twenty-models",
    title="Twenty models and a baseline",
    level=1,
    asked="004 knowledge check Q1",
    statement="Twenty models are compared with one baseline, each by a test at level 0.05 whose "
              "size is exactly 0.05. How many false positives are to be expected (1) when none of "
              "the twenty differs from the baseline, (2) when eight of them do differ, (3) when "
              "none differs and the twenty are copies of one file? Three numbers.",
    name="expected",
    reference=expected,
    within=0.004,
    wrong=(
        Wrong(chances, "these are the chances of at least one false positive. Their expected "
                       "number is asked for."),
        Wrong(chances_of_independent, "these are chances of at least one false positive, and of "
                                      "independent tests. An expected number is asked for; it "
                                      "needs no independence."),
        Wrong(all_counted, "where eight models differ, they cannot be false positives."),
        Wrong(copies_counted_once, "the third number is too small. Copies reject together: seldom, "
                                   "and then all twenty at once. What is the mean?"),
        Wrong(real_ones_counted, "the models that do differ were counted. Rejecting one of them is "
                                 "right, not false."),
        Wrong(corrected, "that would be so after Bonferroni's correction. The tests were made at "
                         "level 0.05 each."),
        Wrong(level, "0.05 is the expected number for a single test."),
    ),
    hints=(
        "How many false positives does one test of a true null give on average? And one of a false "
        "null?",
        "Expectations add up. Does that need independence?",
    ),
    solution="A true null is rejected with probability 0.05, so it adds 0.05 to the expected "
             "number, and a false one adds nothing. Expectations add up whatever the dependence: 1 "
             "for twenty true nulls, 0.6 for twelve, and 1 again for twenty copies. Dependence "
             "changes the chance of *some* false positive: 0.6415 if the tests were independent, "
             "0.05 for copies, which reject all at once or not at all.",
    shows="""print("expected:", *[f"{x:.1f}" for x in expected()])
print(f"12 true nulls of 20 and 8 real gaps at level 0.05: {12 * 0.05:.1f}")
print(f"some false positive: independent {1 - 0.95**20:.4f}, "
      f"copies {0.05}")""",
)
