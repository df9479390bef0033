"""A swap test that calls two copies of one file different."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def swap_test(a, b, swaps):
    """Two-sided p-value of approximate randomization for two accuracies.

    a, b: arrays (n,) of 0 and 1, whether a system is right on a segment.
    swaps: array (B, n) of True and False, the segments that each draw swaps.
    Returns a float.
    """
    observed = abs(a.sum() - b.sum())
    reached = 0
    for swap in swaps:
        new_a, new_b = np.where(swap, b, a), np.where(swap, a, b)
        if abs(new_a.sum() - new_b.sum()) >= observed:
            reached += 1
    return (1 + reached) / (1 + len(swaps))


def given(a, b, swaps):
    """Two-sided p-value of approximate randomization for two accuracies.

    a, b: arrays (n,) of 0 and 1, whether a system is right on a segment.
    swaps: array (B, n) of True and False, the segments that each draw swaps.
    Returns a float.
    """
    observed = abs(a.sum() - b.sum())
    reached = 0
    for swap in swaps:
        new_a, new_b = np.where(swap, b, a), np.where(swap, a, b)
        if abs(new_a.sum() - new_b.sum()) > observed:
            reached += 1
    return (1 + reached) / (1 + len(swaps))


def gaps(a, b, swaps):
    return np.where(swaps, b - a, a - b).sum(axis=1)


def copies_patched(a, b, swaps):
    return 1.0 if np.array_equal(a, b) else given(a, b, swaps)


def zero_patched(a, b, swaps):
    return 1.0 if a.sum() == b.sum() else given(a, b, swaps)


def share(a, b, swaps):
    return np.mean(np.abs(gaps(a, b, swaps)) >= abs(a.sum() - b.sum()))


def one_sided(a, b, swaps):
    return (1 + np.count_nonzero(gaps(a, b, swaps) >= a.sum() - b.sum())) / (1 + len(swaps))


def one_system(a, b, swaps):
    new_a = np.where(swaps, b, a).sum(axis=1)
    return (1 + np.count_nonzero(np.abs(new_a - b.sum()) >= abs(a.sum() - b.sum()))) / (1 + len(swaps))


def ties_dropped(a, b, swaps):
    sizes, observed = np.abs(gaps(a, b, swaps)), abs(a.sum() - b.sum())
    return (1 + np.count_nonzero(sizes > observed)) / (1 + np.count_nonzero(sizes != observed))


def ties_halved(a, b, swaps):
    sizes, observed = np.abs(gaps(a, b, swaps)), abs(a.sum() - b.sum())
    return (1 + np.count_nonzero(sizes > observed) + np.count_nonzero(sizes == observed) / 2) / (1 + len(swaps))


def at_once(a, b, swaps):
    return (1 + np.count_nonzero(np.abs(gaps(a, b, swaps)) >= abs((a - b).sum()))) / (1 + len(swaps))


def with_slack(a, b, swaps):
    sizes = np.abs(gaps(a, b, swaps) / len(a))
    return (1 + np.count_nonzero(sizes > abs(a.mean() - b.mean()) - 1e-9)) / (1 + len(swaps))


def cases(rng):
    def swaps(draws, n):
        return rng.random((draws, n)) < 0.5

    four = np.array([[True, False, False, False], [False, True, True, False], [False] * 4, [True] * 4,
                     [False, False, True, False]])
    a, b = np.array([1, 0, 1, 1]), np.array([0, 0, 1, 0])
    right, wrong = np.ones(5, dtype=int), np.zeros(5, dtype=int)
    pairs = [rng.permutation(np.repeat([0, 1], [20 - k, k])) for k in (13, 9)]
    return [
        Case("two copies of one file", (a, a, four)),
        Case("two wins", (a, b, four)),
        Case("two losses", (b, a, four)),
        Case("one win and one loss", (np.array([1, 0, 1, 0]), np.array([0, 1, 1, 0]), four)),
        Case("one segment that differs", (np.array([1, 1, 0, 0]), np.array([0, 1, 0, 0]), four)),
        Case("wins alone, and no draw that keeps or turns all", (
            right, wrong, np.array([[True, False, False, True, False], [False, True, False, False, False]]))),
        Case("twenty segments at random", (*pairs, swaps(30, 20))),
    ]


EXERCISE = Function(
    id="strict-comparison",
    title="A test that calls copies different",
    level=2,
    statement="The function below reports the smallest p-value that it has when one file is handed in twice. Find the "
              "fault and mend it. Two copies are not the only data on which it goes wrong.",
    reference=swap_test,
    given=given,
    cases=cases,
    within=1e-6,
    wrong=(
        Wrong(copies_patched, "two copies now get p = 1, and the fault is still there: whenever a draw ties with the data "
                              "it is not counted. Two systems that differ on one segment show it."),
        Wrong(zero_patched, "a gap of zero now gets p = 1, and the fault is still there for other gaps: a draw that ties "
                            "with the data is not counted."),
        Wrong(share, "the ones are gone. They were right: the data are one of the swaps."),
        Wrong(one_sided, "the test became one-sided. It was two-sided, and that was right."),
        Wrong(one_system, "only A receives outputs of B here. A swap exchanges the two outputs of a segment."),
        Wrong(ties_dropped, "draws that tie with the data are thrown away now. They are draws, and they reach the "
                            "observed gap."),
        Wrong(ties_halved, "draws that tie with the data count half now. That is another p-value, without the "
                           "theorem's guarantee; the theorem counts ties in full."),
    ),
    same=(at_once, with_slack),
    hints=(
        "Two copies: the observed gap is 0, and so is the gap of every draw. Which of the draws does the function count?",
        "How large must a draw's gap be, in the definition of the p-value, to be counted?",
    ),
    solution="The comparison is strict. A draw whose absolute gap *equals* the observed one is as extreme as the data and "
             "must be counted. With counts of right answers ties are frequent: two systems that differ on one segment "
             "get p = 1.000 from the mended function and 0.001 from the given one, with 999 draws.",
    shows="rng = np.random.default_rng(1)\n"
          "swaps = rng.random((999, 50)) < 0.5\n"
          "x = rng.integers(2, size=50)\n"
          "y = x.copy()\n"
          "y[0] = 1 - y[0]\n"
          "gaps = np.where(swaps, x - y, y - x).sum(axis=1)\n"
          "strict = (1 + np.sum(np.abs(gaps) > 1)) / 1000\n"
          'print(f"one segment apart, {len(swaps)} draws: "\n'
          '      f"p = {swap_test(x, y, swaps):.3f}, strict {strict:.3f}")',
)
