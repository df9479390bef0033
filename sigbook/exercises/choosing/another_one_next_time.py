"""Which unit was sampled: what would be drawn anew next time."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice


def sizes(tests=300, speakers=10, sentences=30, seed=1):
    """Shares rejected at 0.05 by sentence and by speaker; no gap, every voice suits one system."""
    rng, rejected = np.random.default_rng(seed), np.zeros(2)
    owner = np.repeat(np.arange(speakers), sentences)
    signs = np.array([[1 - 2 * (k >> s & 1) for s in range(speakers)] for k in range(2**speakers)])
    for _ in range(tests):
        lean = 0.3 * rng.choice([-1, 1], size=speakers)
        wins = rng.random(len(owner)) < 0.5 + lean[owner]
        net = np.bincount(owner, 2.0 * wins - 1, minlength=speakers)
        reached = np.abs(signs @ net) >= abs(net.sum())
        rejected += sb.mcnemar(int(wins.sum()), int((~wins).sum())) <= 0.05, reached.mean() <= 0.05
    return rejected / tests


def answer():
    by_sentence, by_speaker = sizes(60)
    return ("c" if by_sentence > 0.2 > by_speaker else "a"), 1


EXERCISE = Choice(
    id="another-one-next-time",
    title="Another one next time",
    level=1,
    statement="Two speech recognizers are compared on recordings of 40 speakers. Each speaker has "
              "read the same three texts of 20 sentences, in one session. The product will hear "
              "other speakers read these same three texts. What is swapped?",
    name="answer",
    options={
        "a": "Sentences: 2,400 of them, one by one.",
        "b": "Readings of one text by one speaker: 120 of them.",
        "c": "Speakers: 40, each with all that they have read.",
        "d": "Texts: 3, each with all readings of it.",
    },
    reasons={
        1: "Other speakers would come next time, and all else would stay.",
        2: "The more units, the smaller the p-values that are possible.",
        3: "For each of these both systems have an output of their own, so they are pairs.",
        4: "Among nested units the largest is always the right one.",
    },
    reference=answer,
    wrong={
        "a": "sentences of one speaker hang together: a voice that suits one system does so in "
             "every sentence. Swapped one by one they make a test with far too many rejections.",
        "b": "readings of one speaker share the voice, so the same speaker's three readings are "
             "not independent.",
        "d": "the texts stay. They were not sampled, and three of them would allow no verdict.",
        2: "that is a wish, not a reason. Units that are too small give p-values that are too "
           "small.",
        3: "outputs are paired for every unit, small or large. Pairing does not tell which of them "
           "are independent.",
        4: "the largest that was *sampled*. If texts had been drawn too, and every speaker had "
           "read other ones, it would still be the speaker; if nothing were drawn, none.",
    },
    hints=(
        "Imagine the evaluation done again. What stays, and what is drawn anew?",
        "Which of the outputs are dependent because they share something that would change next "
        "time?",
    ),
    solution="Next time there are other speakers; the texts stay. So speakers are the units, and "
             "everything of a speaker is swapped together. In a simulation ten speakers have 30 "
             "sentences each, no system is better, and every voice suits one of the two. McNemar's "
             "test by sentence rejects in 0.57 of the tests at level 0.05, swaps of whole speakers "
             "in 0.04.",
    shows="""print(f"{40 * 3} readings, {40 * 3 * 20:,} sentences")
rng, rejected = np.random.default_rng(1), np.zeros(2)
owner = np.repeat(np.arange(10), 30)  # ten speakers, 30 sentences each
signs = 1 - 2 * (np.arange(2**10)[:, None] >> np.arange(10) & 1)
for test in range(300):
    lean = 0.3 * rng.choice([-1, 1], size=10)
    wins = rng.random(300) < 0.5 + lean[owner]
    net = np.bincount(owner, 2.0 * wins - 1)
    by_speaker = np.mean(np.abs(signs @ net) >= abs(net.sum()))
    by_sentence = sb.mcnemar(int(wins.sum()), int((~wins).sum()))
    rejected += by_sentence <= 0.05, by_speaker <= 0.05
print("level 0.05; by sentence {:.2f}, by speaker {:.2f}".format(
    *rejected / 300))""",
)
