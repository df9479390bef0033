"""Corpus BLEU of two segments, with all ten statistics."""

from collections import Counter

import numpy as np

from sigbook.exercises.kinds import Value, Wrong

segments = [
    ("sales rose and costs rose by 3 percent",
     "sales rose by 3 percent while costs fell"),
    ("the board raised the outlook",
     "the board lifted its outlook for the year"),
]


def bleu():
    statistics = np.zeros(10, dtype=int)
    for candidate, reference in segments:
        words, wanted = candidate.split(), reference.split()
        statistics[:2] += len(words), len(wanted)
        for n in range(1, 5):
            found = Counter(zip(*(words[k:] for k in range(n))))
            there = Counter(zip(*(wanted[k:] for k in range(n))))
            statistics[1 + n] += (found & there).total()  # clipped
            statistics[5 + n] += found.total()
    c, r = statistics[:2]
    precisions = statistics[2:6] / statistics[6:]
    score = np.exp(min(0, 1 - r / c)) * precisions.prod() ** (1 / 4)
    return [*statistics, score]


def counted(pairs, match=lambda found, there: (found & there).total(), total=Counter.total):
    """The ten statistics of each pair of texts, (n, 10)."""
    rows = []
    for candidate, reference in pairs:
        words, wanted = candidate.split(), reference.split()
        grams = [[Counter(zip(*(text[k:] for k in range(n)))) for n in range(1, 5)] for text in (words, wanted)]
        rows.append([len(words), len(wanted), *map(match, *grams), *map(total, grams[0])])
    return np.array(rows)


def scored(rows, penalty=lambda c, r: np.exp(min(0, 1 - r / c)), mean=lambda x: x.prod() ** 0.25):
    """The pooled statistics and the score made from them."""
    pooled = rows.sum(axis=0)
    return [*pooled, penalty(*pooled[:2]) * mean(pooled[2:6] / pooled[6:])]


def unclipped():
    return scored(counted(segments, match=lambda found, there: sum(k for gram, k in found.items() if gram in there)))


def joined():
    return scored(counted([tuple(" ".join(texts) for texts in zip(*segments))]))


def kinds_of_words():
    return scored(counted(segments, lambda found, there: len(found.keys() & there.keys()), len))


def no_penalty():
    return scored(counted(segments), penalty=lambda c, r: 1.0)


def plain_ratio():
    return scored(counted(segments), penalty=lambda c, r: c / r)


def turned_penalty():
    return scored(counted(segments), penalty=lambda c, r: np.exp(1 - c / r))


def arithmetic():
    return scored(counted(segments), mean=np.mean)


def mean_of_sentences():
    rows = counted(segments)
    return [*rows.sum(axis=0), np.mean([scored(row[None])[-1] for row in rows])]


EXERCISE = Value(
    id="bleu-by-hand",
    title="BLEU by hand",
    level=2,
    statement="The stub holds two segments, each a candidate and its reference. Find corpus BLEU, unsmoothed, with "
              "the statistics that it is made of: eleven numbers, namely the ten pooled statistics $c, r, m_1, \\dots, "
              "m_4, t_1, \\dots, t_4$ and then the score as a fraction, to four decimals. Words are what the spaces "
              "separate.",
    setup="from collections import Counter\n\n"
          "segments = [\n"
          '    ("sales rose and costs rose by 3 percent",\n'
          '     "sales rose by 3 percent while costs fell"),\n'
          '    ("the board raised the outlook",\n'
          '     "the board lifted its outlook for the year"),\n'
          "]",
    name="bleu",
    reference=bleu,
    within=6e-5,
    wrong=(
        Wrong(unclipped, "the matches are not clipped. A word that the candidate has twice and its reference once is "
                         "one match."),
        Wrong(joined, "the segments were joined into one text, so runs of words reach from one segment into the next. "
                      "Count within each segment, then add."),
        Wrong(kinds_of_words, "each different n-gram is counted once here. A repeated one counts as often as it "
                              "stands, and its matches as often as the reference has it."),
        Wrong(no_penalty, "the statistics are right. The score lacks the brevity penalty: the candidates are shorter "
                          "than the references."),
        Wrong(plain_ratio, "the statistics are right. The penalty is not c/r itself but an exponential of 1 - r/c."),
        Wrong(turned_penalty, "the statistics are right. In the penalty's exponent the candidate's length belongs "
                              "below the fraction line."),
        Wrong(arithmetic, "the statistics are right. The four precisions are joined by their geometric mean, not "
                          "their arithmetic one."),
        Wrong(mean_of_sentences, "the statistics are right, but the score is the mean of the two sentence BLEUs, of "
                                 "which one is 0. Corpus BLEU is one score of the pooled statistics."),
    ),
    hints=(
        "Count each segment by itself and add the two rows. A segment of k words has k - 1 pairs, k - 2 triples and "
        "k - 3 runs of four.",
        "A match is clipped: an n-gram counts at most as often as its reference has it. One word of the first "
        "candidate loses a match by this.",
        "The score is the brevity penalty exp(1 - r/c) times the fourth root of the product of the four precisions.",
    ),
    solution="Pooled, c = 13, r = 16, the matches are 10, 5, 2, 1 and the totals 13, 11, 9, 7. Clipping takes one match "
             "from \"rose\", which the first reference has once. The geometric mean of the precisions is 0.3246, the "
             "penalty exp(1 - 16/13) = 0.7939, the score 0.2577. The second segment has no triple in common with "
             "its reference, so its sentence BLEU is 0; in the pooled counts its words and pairs still help.",
    shows="*statistics, score = bleu()\n"
          "c, r, m, t = *statistics[:2], statistics[2:6], statistics[6:]\n"
          'print("c, r", c, r, "  matches", *m, "  totals", *t)\n'
          "geometric = np.prod(np.divide(m, t)) ** (1 / 4)\n"
          'print(f"geometric mean {geometric:.4f}, "\n'
          '      f"penalty {np.exp(1 - r / c):.4f}, score {score:.4f}")',
)
