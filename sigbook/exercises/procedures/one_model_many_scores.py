"""A hundred scores of one model: the spread of test sets, none of training."""

import numpy as np

from sigbook.exercises.kinds import Choice


def spreads():
    """Sd of a hundred resampled scores of one model, and the sd of accuracy over trained models."""
    rng = np.random.default_rng(5)
    right = rng.random(2_000) < 0.83
    scores = right[rng.integers(2_000, size=(100, 2_000))].mean(axis=1)
    models = rng.normal(0.85, 0.03, size=100)
    return scores.std(ddof=1), models.std(ddof=1), np.sqrt(0.83 * 0.17 / 2_000)


def answer():
    resampled, training, test_sets = spreads()
    return ("b" if abs(resampled / test_sets - 1) < abs(resampled / training - 1) else "a"), 1


EXERCISE = Choice(
    id="one-model-many-scores",
    title="One model, a hundred scores",
    level=1,
    asked="003 self-check 2",
    statement="A recipe was used once, and made one model. The model's outputs on a test set of "
              "2,000 segments are resampled a hundred times, segment by segment, and scored each "
              "time. The hundred accuracies have a standard deviation of 0.0087. What is that a "
              "measure of?",
    name="answer",
    options={
        "a": "How much the accuracy varies from one training run of the recipe to another.",
        "b": "How much the accuracy of this one model varies from one test set to another.",
        "c": "Both together, since each score is one noisy measurement of the recipe.",
        "d": "Nothing: with one model there is no spread.",
    },
    reasons={
        1: "A spread shows what differed from one repetition to the next, and nothing else.",
        2: "A hundred repetitions are enough for a standard deviation.",
        3: "The hundred scores are independent measurements.",
    },
    reference=answer,
    wrong={
        "a": "the weights and outputs are the same in all hundred scores. Another run would have "
             "had other data, another order, another seed.",
        "c": "a source of variation adds to a spread only if it is drawn anew from score to "
             "score. The model is the same in all of them.",
        "d": "the scores do differ. Ask what differed when they were computed.",
        2: "Enough or not, the number of repetitions does not say what was repeated.",
        3: "They were made from one set of outputs. Given these, they vary by the draw of "
           "segments alone.",
    },
    hints=(
        "Write down what was the same in all hundred scores, and what was not.",
        "How much would they vary if the same outputs were scored a hundred times without "
        "resampling?",
    ),
    solution="All hundred scores are of the same outputs; drawn anew were the segments. So the "
             "spread is that of test sets, for this model. In the simulation the sd of the "
             "hundred scores is near the theory's 0.0084 for one model on 2,000 segments, and "
             "far from the 0.03 by which the recipe's models differ. Training has to be repeated "
             "to be seen. Scoring the same outputs again without resampling would give a spread "
             "of 0.",
    shows="""rng = np.random.default_rng(5)
right = rng.random(2_000) < 0.83                 # one model's outputs
scores = right[rng.integers(2_000, size=(100, 2_000))].mean(axis=1)
print(f"100 scores of one model: sd {scores.std(ddof=1):.4f}")
print(f"root of p(1 - p)/n: {np.sqrt(0.83 * 0.17 / 2_000):.4f}")
models = rng.normal(0.85, 0.03, size=100)        # other runs of the recipe
print(f"100 models: sd {models.std(ddof=1):.2f}")""",
)
