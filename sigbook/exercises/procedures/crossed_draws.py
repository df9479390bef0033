"""The crossed bootstrap: one draw of groups for every run, a draw of runs for each recipe."""

import warnings

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Case, Function, Wrong


def crossed_sd(a, b, draws, rng):
    """Bootstrap sd of the gap of two recipes, with runs and groups drawn.

    a, b: arrays (R_A, G) and (R_B, G), the score of each run on each of G
    groups. A run's score is its mean over the groups, a recipe's the mean
    over its runs. draws: number of resamples. rng: a numpy Generator.
    Returns a float.
    """
    gaps = []
    groups = a.shape[1]
    for _ in range(draws):
        drawn = rng.integers(groups, size=groups)
        runs_a = rng.integers(len(a), size=len(a))
        runs_b = rng.integers(len(b), size=len(b))
        gaps.append(a[runs_a][:, drawn].mean() - b[runs_b][:, drawn].mean())
    return np.std(gaps)


def weights(rng, draws, n):
    return rng.multinomial(n, np.full(n, 1 / n), size=draws) / n


def scores(runs, x, groups):
    return np.einsum("kr,rg,kg->k", runs, x, groups, optimize=True)


def groups_apart(a, b, draws, rng):
    parts = [scores(weights(rng, draws, len(x)), x, weights(rng, draws, x.shape[1]))
             for x in (a, b)]
    return (parts[0] - parts[1]).std()


def groups_for_each_run(a, b, draws, rng):
    gaps = 0.0
    for x, sign in ((a, 1), (b, -1)):
        for _ in x:
            drawn = x[rng.integers(len(x), size=draws)]
            gaps = gaps + sign * (drawn * weights(rng, draws, x.shape[1])).sum(axis=1) / len(x)
    return gaps.std()


def runs_kept(a, b, draws, rng):
    return (weights(rng, draws, a.shape[1]) @ (a.mean(axis=0) - b.mean(axis=0))).std()


def groups_kept(a, b, draws, rng):
    parts = [weights(rng, draws, len(x)) @ x.mean(axis=1) for x in (a, b)]
    return (parts[0] - parts[1]).std()


def runs_as_pairs(a, b, draws, rng):
    groups = weights(rng, draws, a.shape[1])
    fewest = min(len(a), len(b))
    runs = weights(rng, draws, fewest)
    return (scores(runs, a[:fewest], groups) - scores(runs, b[:fewest], groups)).std()


def repeats_dropped(a, b, draws, rng):
    groups = weights(rng, draws, a.shape[1]) > 0
    runs = [weights(rng, draws, len(x)) > 0 for x in (a, b)]
    even = [w / w.sum(axis=1, keepdims=True) for w in (*runs, groups)]
    return (scores(even[0], a, even[2]) - scores(even[1], b, even[2])).std()


def one_run_each(a, b, draws, rng):
    groups = weights(rng, draws, a.shape[1])
    one = [np.eye(len(x))[rng.integers(len(x), size=draws)] for x in (a, b)]
    return (scores(one[0], a, groups) - scores(one[1], b, groups)).std()


def unbiased(a, b, draws, rng):
    runs = a.mean(axis=1).var(ddof=1) / len(a) + b.mean(axis=1).var(ddof=1) / len(b)
    return np.sqrt(runs + (a.mean(axis=0) - b.mean(axis=0)).var(ddof=1) / a.shape[1])


def of_the_mean(a, b, draws, rng):
    return by_weights(a, b, draws, rng) / np.sqrt(draws)


def rows_as_one_sample(a, b, draws, rng):
    parts = [weights(rng, draws, x.size) @ x.ravel() for x in (a, b)]
    return (parts[0] - parts[1]).std()


def by_weights(a, b, draws, rng):
    groups = weights(rng, draws, a.shape[1])
    parts = [scores(weights(rng, draws, len(x)), x, groups) for x in (a, b)]
    return (parts[0] - parts[1]).std(ddof=1)


def by_package(a, b, draws, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        return sb.crossed_bootstrap(a, b, "mean", draws=draws, seed=rng).sd


def table(rng, runs_a, runs_b, group_sd, run_sd, shared):
    """Scores whose gap has the bootstrap sd group_sd with groups drawn alone, run_sd with runs.

    The groups' common difficulty, of sd `shared` in a bootstrap of one recipe, cancels. Runs of the
    two recipes with one number lie on opposite sides.
    """
    groups = 25
    columns = np.hstack([np.ones((groups, 1)), rng.normal(size=(groups, 3))])
    common, *own = np.sqrt(groups) * np.linalg.qr(columns)[0].T[1:]
    found = []
    for runs, sign, extra in ((runs_a, 1, own[0]), (runs_b, -1, own[1])):
        level = np.arange(runs) - (runs - 1) / 2
        level *= sign * run_sd * np.sqrt(runs / 2) / level.std()
        group = np.sqrt(groups) * (shared * common + group_sd / np.sqrt(2) * extra)
        found.append(60 + level[:, None] + group)
    return found


def cases(rng):
    kinds = (("many runs, which vary more than the groups", (8, 8, 6.0, 12.0, 12.0)),
             ("two runs each", (2, 2, 6.0, 12.0, 12.0)),
             ("unequal numbers of runs, groups that vary more", (3, 5, 12.0, 6.0, 25.0)))
    return [Case(label, (*table(rng, *sizes), 2_000, child))
            for (label, sizes), child in zip(kinds, rng.spawn(len(kinds)))]


EXERCISE = Function(
    id="crossed-draws",
    title="Runs crossed with groups",
    level=3,
    statement="Two recipes were trained several times each, independently, and every run was "
              "scored on the same groups of segments. Write the bootstrap standard deviation of "
              "the gap in which both the groups and the runs are drawn, as the chapter's four "
              "rules have it. Which draws are shared, and by whom? Write it with NumPy; the "
              "check leaves room for the chance of 2,000 draws. `sb.crossed_bootstrap` may serve "
              "to compare.",
    reference=crossed_sd,
    cases=cases,
    within=0.12,
    wrong=(
        Wrong(groups_apart, "each recipe gets groups of its own. All runs met the same groups, "
                            "and what makes a group hard for both must cancel."),
        Wrong(groups_for_each_run, "each run gets groups of its own, as if it had been tried on "
                                   "another test set. All met the same one."),
        Wrong(runs_kept, "the runs stay as they are. This is the spread over groups for these "
                         "trained models, not for the recipes."),
        Wrong(groups_kept, "the groups stay as they are. This is the spread over runs on this "
                           "very test set."),
        Wrong(runs_as_pairs, "runs of the two recipes are drawn as pairs. They were trained "
                             "independently: number 3 of one has nothing to do with number 3 of "
                             "the other."),
        Wrong(repeats_dropped, "what is drawn twice is used once. A repeat is a weight of two, "
                               "for runs as for groups."),
        Wrong(one_run_each, "one run stands for a recipe in each resample. A recipe's score is "
                            "the mean over as many runs as there are."),
        Wrong(of_the_mean, "this is divided by the root of the number of draws. The draws only "
                           "show the spread; more of them do not make it smaller."),
        Wrong(unbiased, "this formula estimates the variance without bias, with n − 1. Asked is "
                        "what the bootstrap shows, and of the variance between R runs it shows "
                        "the share (R − 1)/R."),
        Wrong(rows_as_one_sample, "all scores of a recipe are drawn from one pot, as if each had "
                                  "a run and a group of its own."),
    ),
    same=(by_weights, by_package),
    hints=(
        "In each resample: how many draws of groups are made, and how many draws of runs?",
        "One draw of groups, with replacement, serves every run of both recipes. Each recipe has "
        "its own draw of runs.",
        "Per resample: the mean over drawn runs and drawn groups for A, the same for B with the "
        "same groups; subtract. Then the standard deviation over resamples.",
    ),
    solution="The groups are drawn once per resample, for all runs of both recipes, since all "
             "met the same test set. The runs are drawn for each recipe by itself, since they "
             "were trained independently. In the example a shared difficulty of the groups "
             "cancels, and an sd near 0.9 is left; groups drawn for each recipe by itself would "
             "add a spread of 4.2.",
    shows="rng = np.random.default_rng(0)\n"
          "hard = rng.normal(0, 20, size=30)\n"
          "a = 60 + hard + rng.normal(0, 2, size=(4, 1)) + rng.normal(0, 2, (4, 30))\n"
          "b = 58 + hard + rng.normal(0, 2, size=(4, 1)) + rng.normal(0, 2, (4, 30))\n"
          "spread = crossed_sd(a, b, 2_000, rng)\n"
          "apart = np.sqrt(a.mean(axis=0).var() / 30 + b.mean(axis=0).var() / 30)\n"
          'print(f"sd {spread:.1f}; of groups drawn for each recipe alone {apart:.1f}")',
)
