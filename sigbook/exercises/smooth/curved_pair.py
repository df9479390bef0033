"""Where the plane misses the surface: a factor that carries the spread and whose slope changes."""

import warnings

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice

COMPARED = {"a": ("writer", "noisy-0.5", 30), "b": ("lead", "random", 90),
            "c": ("writer", "extract", 90), "d": ("flipped", "terse", 90)}


def off(first, second, n):
    """Delta-method sd over bootstrap sd, minus 1."""
    from sigbook.worlds import filings

    pairs = filings.pair(first, second, filings=np.arange(n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        return sb.delta_sd(pairs) / sb.bootstrap(pairs, draws=2_000, seed=1).sd - 1


def answer():
    return max(COMPARED, key=lambda letter: abs(off(*COMPARED[letter]))), 1


EXERCISE = Choice(
    id="curved-pair",
    title="Where the delta method fails",
    level=2,
    statement="Four comparisons in corpus BLEU. For which one is the delta-method sd of the gap "
              "furthest from the bootstrap's, as a share of it?",
    name="answer",
    options={
        "a": "`writer` and `noisy-0.5` on 30 filings, matched 4-grams 467 and 424",
        "b": "`lead` and `random` on 90 filings, matched 4-grams 3 and 5",
        "c": "`writer` and `extract` on 90 filings, matched 4-grams 1430 and 9",
        "d": "`flipped` and `terse` on 90 filings, matched 4-grams 1116 and 1275, length ratios "
             "1.01 and 0.84",
    },
    reasons={
        1: "What makes most of the gap's spread has a slope that changes within the reach of the "
           "resamples.",
        2: "The theorem is about long test sets, and this is the shortest.",
        3: "The gap is the largest of the four, and a plane holds only near a gap of zero.",
        4: "A length ratio near 1 is a kink, where there is no slope.",
    },
    reference=answer,
    wrong={
        "a": "thirty filings can be enough. What counts is how far the score is from straight "
             "over the distance that resamples move it, and with hundreds of matches it is "
             "nearly straight.",
        "c": "extract's few matches make its score bend, but its score is tiny and moves little. "
             "Nearly all the spread of this gap is the writer's, and the writer has plenty.",
        "d": "a ratio near 1 is close to the kink only if it is within a few standard errors of "
             "it. These lengths follow the references' closely, and are several standard errors "
             "away.",
        2: "Length alone decides nothing: another of the four is shorter, and its two sds agree.",
        3: "The plane touches at the observed means, wherever they are. A large gap by itself "
           "bends nothing.",
        4: "Neither system of this pair is near the kink.",
    },
    hints=(
        "The plane is good where the score's slopes hardly change over one standard error. Which "
        "factor of BLEU has the steepest change of slope?",
        "The fourth root of the matched 4-grams. Then ask, too, whose score makes the spread of "
        "the gap.",
    ),
    solution="With 3 and 5 matched 4-grams a resample easily loses or doubles a match, and the "
             "fourth root bends over such a distance: the delta method falls short by about a "
             "third. The pair with `extract` has few matches as well, but there the spread is "
             "almost wholly the writer's. Thirty filings, with hundreds of matches, are enough.",
    shows="""import warnings

from sigbook.worlds import filings

warnings.simplefilter("ignore", sb.SignificanceWarning)
for first, second, n in (("writer", "noisy-0.5", 30), ("lead", "random", 90),
                         ("writer", "extract", 90), ("flipped", "terse", 90)):
    pairs = filings.pair(first, second, filings=np.arange(n))
    matches = int(pairs.a[:, 5].sum()), int(pairs.b[:, 5].sum())
    ratios = [x[:, 0].sum() / x[:, 1].sum() for x in (pairs.a, pairs.b)]
    spread = sb.bootstrap(pairs, draws=2_000, seed=1).sd
    share = sb.delta_sd(pairs) / spread - 1
    print(f"{first + ' - ' + second:<18} {n} filings, "
          f"4-grams {matches[0]:>4}, {matches[1]:>4}")
    print(f"{'':<18} c/r {ratios[0]:.2f}, {ratios[1]:.2f}, "
          f"gap {pairs.gap:+.3f}, off by {share:+.1%}")""",
)
