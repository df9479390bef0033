"""A group bootstrap of a macro EER gap, listed in full."""

from itertools import product

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Value, Wrong

genuine = np.array([[3, 1], [2, 5], [6, 7]])
spoof = np.array([[1, 2], [4, 3], [6, 2]])


def found():
    own = np.array([1.0, 0.5, 0.0])[np.sign(genuine - spoof) + 1]
    gap = own[:, 0] - own[:, 1]
    draws = product(range(3), repeat=3)
    gaps = np.sort([gap[list(draw)].mean() for draw in draws])
    k = len(gaps) // 20
    return np.mean(gaps > 0), gaps[k], gaps[-1 - k]


def of_draws(gaps, k=None):
    gaps = np.sort(np.asarray(gaps, dtype=float))
    k = len(gaps) // 20 if k is None else k
    return np.mean(gaps > 0), gaps[k], gaps[-1 - k]


def with_gaps(gap):
    return of_draws([np.mean([gap[g] for g in draw]) for draw in product(range(3), repeat=3)])


def repeats_dropped():
    gap = [-1, 1, 0.5]
    return of_draws([np.mean([gap[g] for g in set(draw)]) for draw in product(range(3), repeat=3)])


def drawn_apart():
    draws = [list(draw) for draw in product(range(3), repeat=3)]
    a, b = (np.array(x)[draws].mean(axis=1) for x in ([0, 1, 0.5], [1, 0, 0]))
    return of_draws(np.subtract.outer(a, b).ravel())


def tie_is_no_error():
    return with_gaps([-1, 1, 0])


def tie_is_an_error():
    return with_gaps([-1, 1, 1])


def all_under_one_threshold():
    gaps = []
    for draw in product(range(3), repeat=3):
        rows = list(draw)
        labels = np.repeat([1, 0], 3)
        a, b = (sb.eer(labels, np.concatenate([genuine[rows, c], spoof[rows, c]])) for c in (0, 1))
        gaps.append(a - b)
    return of_draws(gaps)


def b_minus_a():
    return with_gaps([1, -1, -0.5])


def all_kept():
    share, _, _ = found()
    return share, -1.0, 1.0


EXERCISE = Value(
    id="three-sources",
    title="A group bootstrap listed in full",
    level=2,
    statement="Three sources were sampled, each with one genuine recording and one spoof made "
              "from it; the stub has the scores of two detectors, higher for more genuine. Of "
              "interest is the macro EER, the mean of the sources' own, and its gap A minus B. "
              "List all 27 resamples of the sources. In which share of them is the gap above 0? "
              "And from where to where does the 90% percentile interval reach, by order "
              "statistics? Three numbers, to four decimals.",
    setup="from itertools import product\n\n"
          "# a line per source: detector A, detector B\n"
          "genuine = np.array([[3, 1], [2, 5], [6, 7]])\n"
          "spoof = np.array([[1, 2], [4, 3], [6, 2]])",
    name="found",
    reference=found,
    within=5e-5,
    wrong=(
        Wrong(repeats_dropped, "each drawn source was counted once. A source that is drawn twice "
                               "counts twice: that is the weight that resampling gives it."),
        Wrong(drawn_apart, "the two detectors were given draws of their own. Both were run on "
                           "the same sources, and a draw serves both."),
        Wrong(tie_is_no_error, "in the third source A's scores tie. A threshold takes both or "
                               "neither, so the two are not told apart."),
        Wrong(tie_is_an_error, "in the third source A's scores tie. That is not the same as "
                               "having them the wrong way round."),
        Wrong(all_under_one_threshold, "all recordings of a draw were put under one threshold. "
                                       "That is the pooled EER; asked is the mean of the "
                                       "sources' own."),
        Wrong(b_minus_a, "the sign is turned: the gap is A minus B."),
        Wrong(all_kept, "the share is right. The interval reaches over all draws; a 90% interval "
                        "leaves out ⌊27 · 0.05⌋ of them at each end."),
    ),
    hints=(
        "First the EER of each source by itself: 0 if the genuine recording scores higher, 1 if "
        "lower. And if both tie?",
        "The three gaps are −1, 1 and one number more. A resample's gap is the mean of three "
        "draws from them, repeats included.",
        "⌊27 · 0.05⌋ = 1: leave out one draw at each end.",
    ),
    solution="The sources' own gaps are 0 − 1, 1 − 0 and 0.5 − 0: a tie is an EER of one half. "
             "The macro gap of a draw is the mean of the three gaps drawn, a repeated source "
             "counted as often as it came. It is above 0 in 17 of 27 draws, a share of 0.6296; "
             "one draw left out at each end, the interval reaches from −0.5 to 0.8333. Three "
             "sources promise nothing about its coverage.",
    shows='share, low, high = found()\n'
          'print(f"above 0 in {27 * share:.0f} of 27 draws, share {share:.4f}")\n'
          'print("left out at each end:", int(27 * 0.05))\n'
          'print(f"90% interval {low:.1f} to {high:.4f}")\n'
          'print("EERs by sb.eer:", [[sb.eer([1, 0], [g, s]) for g, s in zip(*rows)]\n'
          '                          for rows in zip(genuine, spoof)])',
)
