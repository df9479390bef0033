"""The pieces interval for the gap of two brevity terms."""

import numpy as np

from sigbook.exercises.kinds import Case, Function, Wrong

PIECES = ((True, True), (True, False), (False, True), (False, False))


def pieces_interval(u, u_star, gamma, k):
    """Interval (low, high) for min(0, u_1) - min(0, u_2) near the kink.

    u: array (2,), the test set's u of both systems. u_star: array (B, 2), the
    same for its resamples. gamma: a piece is closed when u lies more than
    gamma standard errors on the other side. k: resamples left out at each
    end.
    """
    distance = u / u_star.std(axis=0)
    ends = []
    for first in ("short", "long"):
        for second in ("short", "long"):
            terms = np.zeros(u_star.shape)
            closed = False
            for column, piece in enumerate((first, second)):
                if piece == "short":
                    terms[:, column] = u_star[:, column]
                    closed = closed or distance[column] > gamma
                else:
                    closed = closed or distance[column] < -gamma
            if not closed:
                gaps = np.sort(terms[:, 0] - terms[:, 1])
                ends += [gaps[k], gaps[-1 - k]]
    return min(ends), max(ends)


def intervals(u, u_star, k, keep, bend=False):
    """Percentile intervals of the pieces that `keep(distance, pieces)` lets through."""
    distance = u / u_star.std(axis=0)
    found = []
    for short in PIECES:
        if keep(distance, short):
            terms = np.where(short, np.minimum(0, u_star) if bend else u_star, 0.0)
            gaps = np.sort(terms[:, 0] - terms[:, 1])
            found.append((gaps[k], gaps[-1 - k]))
    return found


def is_open(gamma):
    return lambda distance, short: not np.any(np.where(short, distance > gamma, distance < -gamma))


def hull(found):
    return min(low for low, _ in found), max(high for _, high in found)


def percentile(u, u_star, gamma, k):
    gaps = np.sort(np.minimum(0, u_star[:, 0]) - np.minimum(0, u_star[:, 1]))
    return gaps[k], gaps[-1 - k]


def basic(u, u_star, gamma, k):
    low, high = percentile(u, u_star, gamma, k)
    observed = min(0, u[0]) - min(0, u[1])
    return 2 * observed - high, 2 * observed - low


def hull_of_two(u, u_star, gamma, k):
    return hull([percentile(u, u_star, gamma, k), basic(u, u_star, gamma, k)])


def by_sign(u, u_star, gamma, k):
    def keep(distance, short):
        return np.array_equal(np.array(short), distance < 0)

    return hull(intervals(u, u_star, k, keep))


def nothing_closed(u, u_star, gamma, k):
    return hull(intervals(u, u_star, k, lambda distance, short: True))


def closed_the_wrong_way(u, u_star, gamma, k):
    return hull(intervals(u, u_star, k, lambda distance, short: not np.any(
        np.where(short, distance < -gamma, distance > gamma))))


def overlap(u, u_star, gamma, k):
    found = intervals(u, u_star, k, is_open(gamma))
    return max(low for low, _ in found), min(high for _, high in found)


def bent_pieces(u, u_star, gamma, k):
    return hull(intervals(u, u_star, k, is_open(gamma), bend=True))


def together(u, u_star, gamma, k):
    def keep(distance, short):
        return short[0] == short[1] and is_open(gamma)(distance, short)

    found = intervals(u, u_star, k, keep)
    return hull(found) if found else percentile(u, u_star, gamma, k)


def in_units_of_u(u, u_star, gamma, k):
    def keep(distance, short):
        return not np.any(np.where(short, u > gamma, u < -gamma))

    return hull(intervals(u, u_star, k, keep))


def error_of_the_mean(u, u_star, gamma, k):
    def keep(distance, short):
        return is_open(gamma)(distance * np.sqrt(len(u_star)), short)

    return hull(intervals(u, u_star, k, keep))


def one_term_at_a_time(u, u_star, gamma, k):
    size = u_star.std(axis=0, ddof=1)
    choices = []
    for column in (0, 1):
        t = u[column] / size[column]
        some = []
        if t <= gamma:
            some.append(u_star[:, column])
        if t >= -gamma:
            some.append(np.zeros(len(u_star)))
        choices.append(some)
    low, high = float("inf"), float("-inf")
    for x in choices[0]:
        for y in choices[1]:
            ordered = sorted((x - y).tolist())
            low, high = min(low, ordered[k]), max(high, ordered[len(ordered) - 1 - k])
    return np.array([low, high])


def compact(u, u_star, gamma, k):
    return hull(intervals(u, u_star, k, is_open(gamma)))


def cases(rng):
    """Standard errors 2 and 3, gamma 2; correlated but for the last, where one term decides."""
    places = {
        "both near the kink": (-0.5, 0.4), "the first far on the short side": (-6.0, 0.5),
        "the second far on the long side": (0.3, 5.0), "both far on the short side": (-4.0, -5.0),
        "one far on either side": (-4.0, 4.0), "both near, on the short side": (-1.2, -0.3),
        "both on the long side, near it": (0.8, 1.1), "the second almost on the kink": (-0.6, 0.05),
        "the first a little too far to stay open": (2.4, -0.5),
    }  # fmt: skip
    found = []
    for label, t in places.items():
        noise = rng.normal(size=(199, 2))
        if label != "the second almost on the kink":
            noise = 0.6 * noise + 0.8 * rng.normal(size=(199, 1))
        noise = (noise - noise.mean(axis=0)) / noise.std(axis=0)
        scale = np.array([2.0, 3.0])
        found.append(Case(label, (scale * t, scale * (np.array(t) + noise), 2.0, 9)))
    return found


EXERCISE = Function(
    id="pieces-of-a-gap",
    title="An interval that holds near the kink",
    level=3,
    statement="Two systems near the kink: their brevity terms are $\\min(0, u_1)$ and $\\min(0, "
              "u_2)$, and of interest is the gap, the first less the second. Write its pieces "
              "interval ({prf:ref}`def-kink-intervals`) from the resamples of both $u$. The "
              "standard error of each $\\hat u$ is its standard deviation over the resamples; "
              "the percentile interval of a piece reaches from the $(k+1)$-th smallest to the "
              "$(k+1)$-th largest value.",
    reference=pieces_interval,
    cases=cases,
    wrong=(
        Wrong(percentile, "that is the percentile interval of the bent gaps, which falls below "
                          "its level when two penalties meet. Pieces have no bend in them."),
        Wrong(basic, "that is the basic interval of the bent gaps. Pieces have no bend in them."),
        Wrong(hull_of_two, "that is the hull of the percentile and the basic interval, another "
                           "remedy."),
        Wrong(by_sign, "each term is taken on the side on which the test set shows it. Near the "
                       "kink that side may be the wrong one by luck, which is why both stay open."),
        Wrong(nothing_closed, "no piece is ever closed. Far from the kink the data say which "
                              "side is right, and the other only makes the interval wider."),
        Wrong(closed_the_wrong_way, "the wrong pieces are closed: far above 0 the short piece is "
                                    "out of the question, not the long one."),
        Wrong(overlap, "this is what the pieces' intervals have in common. The true pieces are "
                       "unknown, so all that is open has to be held."),
        Wrong(bent_pieces, "on the short piece the term is u throughout, also where a resample's "
                           "u is above 0. Here it is bent there."),
        Wrong(together, "both terms are always put on the same side. Each may be on a side of "
                        "its own: there are four choices."),
        Wrong(in_units_of_u, "u itself is compared with gamma. The distance is to be measured in "
                             "standard errors."),
        Wrong(error_of_the_mean, "the standard deviation over resamples is divided by the root "
                                 "of their number. It is the standard error of û as it stands."),
    ),
    same=(compact, one_term_at_a_time),
    hints=(
        "There are four choices: each term short (u throughout) or long (0 throughout).",
        "A choice is closed when one of its terms is: short when u is more than gamma standard "
        "errors above 0, long when it is that far below.",
        "For each open choice sort the gaps over the resamples and take the two ends by rank. "
        "The smallest low end and the largest high end are the answer.",
    ),
    solution="Each of the four choices of pieces makes the gap a difference of numbers without a "
             "bend, and for these the percentile interval is right. Choices that the data rule "
             "out are closed; the rest is covered by one interval. Far from the kink one choice "
             "is left, and the interval is the ordinary one. Near it the price is width: in the "
             "example 3.77 against 1.18 for the percentile interval.",
    shows="""rng = np.random.default_rng(2)
noise = 0.95 * rng.normal(size=(999, 1)) + 0.31 * rng.normal(size=(999, 2))
for u in (np.array([-0.5, 0.2]), np.array([-6.0, -5.0])):
    low, high = pieces_interval(u, u + noise, 2.0, 49)
    bent = np.sort(np.diff(np.minimum(0, u + noise)[:, ::-1])[:, 0])
    print(f"u {u}: pieces {low:.2f} to {high:.2f}, width {high - low:.2f}; "
          f"percentile width {bent[-50] - bent[49]:.2f}")""",
)
