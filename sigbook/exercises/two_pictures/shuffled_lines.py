"""What pairing does to the spread of the gap, seen by destroying it."""

import numpy as np

from sigbook.exercises.kinds import Choice


def answer():
    rng = np.random.default_rng(1)
    difficulty = rng.normal(50, 15, size=200)
    a, b = difficulty + rng.normal(1, 4, 200), difficulty + rng.normal(0, 4, 200)
    shuffled = rng.permutation(b)
    gap_stays = bool(np.isclose(a.mean() - b.mean(), a.mean() - shuffled.mean()))
    before, after = np.var(a - b), np.var(a - shuffled)
    letter = "a" if not gap_stays else "b" if after > 1.1 * before else "c" if after < 0.9 * before else "d"
    lost = 2 * (np.cov(a, b, bias=True)[0, 1] - np.cov(a, shuffled, bias=True)[0, 1])
    return letter, 1 if np.isclose(after - before, lost) else 2


EXERCISE = Choice(
    id="shuffled-lines",
    title="Shuffled lines",
    level=2,
    asked="004 self-test Q3",
    statement="Two systems are scored sentence by sentence on the same 200 sentences, and what is hard for one is hard "
              "for the other. By mistake the lines of B's file of scores are shuffled. Then the paired bootstrap is "
              "run on the mean scores. What becomes of the observed gap and of the cloud, and why?",
    name="answer",
    options={
        "a": "The gap changes, and the cloud with it.",
        "b": "The gap stays; the cloud gets wider.",
        "c": "The gap stays; the cloud gets narrower.",
        "d": "Both stay as they are.",
    },
    reasons={
        1: "The variance of a difference of two scores contains their covariance.",
        2: "The variance of B's scores depends on the order of its lines.",
        3: "Both means are taken over the same numbers, in whatever order.",
        4: "Some sentences are now left out of a resample of B and not of one of A.",
    },
    reference=answer,
    wrong={
        "a": "the gap is the difference of two means, and a mean does not depend on the order of the lines.",
        "c": "think of one hard sentence: before, it pulled both scores down and left the difference alone. Now it "
             "pulls down one score of two pairs.",
        "d": "the mean of the differences does not notice who is paired with whom. Does their spread?",
        2: "B's scores are the same numbers as before, with the same variance.",
        3: "That is why the gap stays. It says nothing of the cloud.",
        4: "Both systems still get the same lines in each resample; the lines no longer are the same sentences.",
    },
    hints=(
        "Take the extreme case: A is better by exactly 1 on each sentence. What are the differences before the "
        "shuffle, and what after?",
        "Write down the variance of a difference. Which of its three terms does the shuffle touch?",
    ),
    solution="The variance of a paired gap is $(\\mathrm{Var}(x^A) + \\mathrm{Var}(x^B) - 2\\,\\mathrm{Cov}(x^A, "
             "x^B))/n$. Shuffled lines set each sentence of A against a random one of B, and but for chance the covariance is "
             "gone: what is left is the variance that an unpaired t-test works with. In the example the gap stays at 0.51, and the "
             "sd of the cloud grows from 0.42 to 1.52. Pairing subtracts the difficulty that both systems share.",
    shows="rng = np.random.default_rng(1)\n"
          "difficulty = rng.normal(50, 15, size=200)\n"
          "a = difficulty + rng.normal(1, 4, 200)\n"
          "b = difficulty + rng.normal(0, 4, 200)\n"
          'for name, x in ("as they were", b), ("shuffled", rng.permutation(b)):\n'
          '    cloud = sb.bootstrap(sb.PairedSet(a, x, "mean"), 4_000, seed=1)\n'
          '    print(f"{len(b)} lines {name}: gap {cloud.observed:.2f}, "\n'
          '          f"sd of the cloud {cloud.sd:.2f}")',
)
