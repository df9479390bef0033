"""An interval for the next run is another than one for the expected score."""

import numpy as np

from sigbook.exercises.kinds import Choice


def shares(experiments=40_000, seed=1):
    """How often each interval made of five runs holds a sixth."""
    x = np.random.default_rng(seed).normal(size=(experiments, 6))
    runs, new = x[:, :5], x[:, 5]
    mean, sd = runs.mean(axis=1), runs.std(axis=1, ddof=1)
    half = {"a": 2.776 * sd / np.sqrt(5), "b": 2.776 * sd * np.sqrt(1 + 1 / 5), "c": 2 * sd}
    found = {letter: np.mean(np.abs(new - mean) <= width) for letter, width in half.items()}
    found["d"] = np.mean((runs.min(axis=1) <= new) & (new <= runs.max(axis=1)))
    return found


def answer():
    found = shares()
    return min(found, key=lambda letter: abs(found[letter] - 0.95)), 1


EXERCISE = Choice(
    id="next-run",
    title="An interval for the next run",
    level=2,
    statement="A recipe has been trained five times, and the five scores look like draws from a "
              "normal law. It will be trained once more, and that model will be shipped. Which "
              "interval, made of the five scores, will hold the score of the new run in 95% of "
              "such cases?",
    name="answer",
    options={
        "a": "the 95% t-interval, mean ± 2.776 sd/√5",
        "b": "the 95% prediction interval, mean ± 2.776 sd·√(1 + 1/5)",
        "c": "mean ± 2 sd",
        "d": "the range of the five scores",
    },
    reasons={
        1: "Two errors meet: that of the estimated mean, and the deviation of a single run from "
           "the expected score.",
        2: "A normal law has 95% of its mass within 2 standard deviations of its mean.",
        3: "With more runs the interval shrinks towards a point, as an interval must.",
    },
    reference=answer,
    wrong={
        "a": "that interval is for the expected score, the mean of very many runs. A single run "
             "strays from it further than a mean of five does.",
        "c": "that would do if mean and standard deviation were known. Both are estimated from "
             "five numbers, and are off themselves.",
        "d": "a sixth score is outside the range of five as often as it is the lowest or the "
             "highest of six: in two cases of six.",
        2: "The law's own mean and standard deviation are unknown here.",
        3: "For the expected score it does. A single run keeps its own spread, however many runs "
           "came before.",
    },
    hints=(
        "Write the difference between the new score and the mean of the five. What is its "
        "variance?",
        "σ² from the new run and σ²/5 from the mean. Then think of the estimated σ.",
    ),
    solution="New score less mean has the variance $\\sigma^2 (1 + 1/5)$, and $\\sigma$ is "
             "estimated with four degrees of freedom: that makes the prediction interval. In the "
             "simulation it holds the new run in 95% of cases, the t-interval in 68%, mean ± 2 "
             "sd in 86%, the range in 67%.",
    shows="""x = np.random.default_rng(1).normal(size=(40_000, 6))
runs, new = x[:, :5], x[:, 5]
mean, sd = runs.mean(axis=1), runs.std(axis=1, ddof=1)
half = {"t-interval": 2.776 * sd / np.sqrt(5),
        "prediction": 2.776 * sd * np.sqrt(1 + 1 / 5), "mean ± 2 sd": 2 * sd}
for name, width in half.items():
    held = np.mean(abs(new - mean) <= width)
    print(f"{name:<11} holds the new run: {held:.0%}")
inside = (runs.min(axis=1) <= new) & (new <= runs.max(axis=1))
print(f"{'range':<11} holds the new run: {inside.mean():.0%}")""",
)
