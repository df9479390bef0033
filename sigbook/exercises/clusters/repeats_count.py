"""A group that is drawn twice counts twice, in the numerator and in the denominator."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong


def drawn_gap(right_a, right_b, words, groups, drawn):
    """Gap of two systems in the share of right words on one group resample.

    right_a, right_b, words: arrays (n,), right words of A and of B and all
    words, per segment. groups: array (n,) of labels. drawn: array of the
    labels drawn, with repeats. Returns a float, A minus B.
    """
    weights = (groups[:, None] == drawn).sum(axis=1)
    return weights @ (right_a - right_b) / (weights @ words)


def faulty(right_a, right_b, words, groups, drawn):
    """Gap of two systems in the share of right words on one group resample.

    right_a, right_b, words: arrays (n,), right words of A and of B and all
    words, per segment. groups: array (n,) of labels. drawn: array of the
    labels drawn, with repeats. Returns a float, A minus B.
    """
    inside = np.isin(groups, drawn)
    return (right_a[inside].sum() - right_b[inside].sum()) / words.sum()


def repeats_dropped(right_a, right_b, words, groups, drawn):
    inside = np.isin(groups, drawn)
    return (right_a[inside].sum() - right_b[inside].sum()) / words[inside].sum()


def all_words(right_a, right_b, words, groups, drawn):
    weights = (groups[:, None] == drawn).sum(axis=1)
    return weights @ (right_a - right_b) / words.sum()


def half_weighted(right_a, right_b, words, groups, drawn):
    weights = (groups[:, None] == drawn).sum(axis=1)
    return weights @ (right_a - right_b) / words[np.isin(groups, drawn)].sum()


def macro(right_a, right_b, words, groups, drawn):
    return np.mean([repeats_dropped(right_a, right_b, words, groups, g) for g in drawn])


def mean_of_segments(right_a, right_b, words, groups, drawn):
    weights = (groups[:, None] == drawn).sum(axis=1)
    return weights @ ((right_a - right_b) / words) / weights.sum()


def b_minus_a(right_a, right_b, words, groups, drawn):
    return -drawn_gap(right_a, right_b, words, groups, drawn)


def first_system(right_a, right_b, words, groups, drawn):
    weights = (groups[:, None] == drawn).sum(axis=1)
    return weights @ right_a / (weights @ words)


def one_after_the_other(right_a, right_b, words, groups, drawn):
    gap, size = 0, 0
    for group in drawn:
        for i in range(len(groups)):
            if groups[i] == group:
                gap += right_a[i] - right_b[i]
                size += words[i]
    return float(gap) / float(size)


def concatenated(right_a, right_b, words, groups, drawn):
    rows = np.concatenate([np.flatnonzero(groups == group) for group in drawn])
    return right_a[rows].sum() / words[rows].sum() - right_b[rows].sum() / words[rows].sum()


def cases(rng):
    words = rng.integers(3, 15, size=9)
    groups = np.array(list("pqprqrrpr"))
    a, b = (rng.binomial(words, share) for share in (0.9, 0.4))
    a[0], b[0], words[0] = 10, 1, 20
    two = np.array([4, 1]), np.array([1, 3]), np.array([5, 4]), np.array([1, 2])
    return [
        Case("one group drawn twice, the other not at all", (*two, np.array([1, 1]))),
        Case("each group drawn once", (a, b, words, groups, np.array(list("rqp")))),
        Case("a group of three drawn twice", (a, b, words, groups, np.array(list("prp")))),
        Case("A behind", (b, a, words, groups, np.array(list("qqr")))),
    ]


EXERCISE = Function(
    id="repeats-count",
    title="Mend a group resample",
    level=2,
    asked="003 self-check 4",
    statement="This function should give the gap on one resample of groups. On a draw such as "
              "(1, 1) it uses group 1 once: its writer had removed recordings that were in the "
              "collected data twice, and thought that no group may be in a resample twice, "
              "either. That is one of two faults. Find and mend both.",
    reference=drawn_gap,
    given=faulty,
    cases=cases,
    wrong=(
        Wrong(repeats_dropped, "one fault is left: each drawn group is used once. Two copies of "
                               "a recording in the collected data are an accident; a group drawn "
                               "twice is a weight of two."),
        Wrong(all_words, "one fault is left: the words are those of the whole test set. A "
                         "resample has its own, more or fewer."),
        Wrong(half_weighted, "the right words of a repeated group count twice, its words once. "
                             "Then a share may exceed 1."),
        Wrong(macro, "that is the mean of the drawn groups' own gaps. Here the resample's words "
                     "are pooled before anything is divided."),
        Wrong(mean_of_segments, "here the shares of the segments are averaged. The metric is a "
                                "share of words, pooled over the resample."),
        Wrong(b_minus_a, "the sign is turned: the gap is A minus B."),
        Wrong(first_system, "that is A's score. The gap has B in it, too."),
    ),
    same=(one_after_the_other, concatenated),
    hints=(
        "What does np.isin return for the labels of a group that was drawn twice?",
        "Give every segment a weight: how often its group was drawn. Where are the weights needed?",
    ),
    solution="Each segment gets the number of times that its group was drawn as a weight, above "
             "and below: a resample in which a group came twice has its right words twice and "
             "its words twice. Dropping repeats makes another estimator, with a smaller spread; "
             "and dividing by the words of the whole test set makes something that is no share. "
             "In the example the draws (1, 1), (1, 2) and (2, 2) give 0.6, 0.111 and −0.5.",
    shows="x = np.array([4, 1]), np.array([1, 3]), np.array([5, 4]), np.array([1, 2])\n"
          "for drawn in ([1, 1], [1, 2], [2, 2]):\n"
          '    print(f"draw {drawn}: gap {drawn_gap(*x, np.array(drawn)):.3g}")',
)
