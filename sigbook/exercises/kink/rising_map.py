"""Which interval may be computed on either scale: the one made of order statistics."""

import numpy as np

import sigbook as sb
from sigbook.exercises.kinds import Choice


def both_scales():
    """Largest relative difference of the ends on the two scales, by kind of interval."""
    loss = np.random.default_rng(3).gamma(2.0, 0.6, size=60)
    drawn = loss[np.random.default_rng(4).integers(60, size=(2_000, 60))].mean(axis=1)
    log = sb.Cloud(drawn, loss.mean(), "bootstrap")
    raw = sb.Cloud(np.exp(drawn), np.exp(loss.mean()), "bootstrap")

    def normal(cloud, level):
        return cloud.observed - 1.645 * cloud.sd, cloud.observed + 1.645 * cloud.sd

    kinds = {"a": sb.percentile_interval, "b": sb.basic_interval, "c": normal}
    return {letter: float(np.max(np.abs(np.divide(rule(raw, 0.90), np.exp(rule(log, 0.90))) - 1)))
            for letter, rule in kinds.items()}


def answer():
    found = both_scales()
    return min(found, key=found.get), 1


EXERCISE = Choice(
    id="rising-map",
    title="Two scales, one set of resamples",
    level=1,
    statement="A language model is judged by its mean loss, and its perplexity is the "
              "exponential of that. One colleague computes a 90% interval for the mean loss and "
              "then the exponential of both ends. Another computes the perplexity of each of the "
              "same resamples and makes the same kind of interval from these. For which kind of "
              "interval do the two always agree, and why?",
    name="answer",
    options={
        "a": "the percentile interval",
        "b": "the basic interval",
        "c": "observed value ± 1.645 bootstrap sd",
        "d": "all three",
    },
    reasons={
        1: "A rising map leaves the order of the resamples as it was.",
        2: "A rising map leaves the distance of each resample from the observed value as it was.",
        3: "A rising map makes a skewed cloud normal.",
        4: "Both colleagues use the same resamples.",
    },
    reference=answer,
    wrong={
        "b": "this interval is a mirror image in the observed value. Reflect first and map then, "
             "or the other way round: the ends come out in different places unless the map is a "
             "straight line.",
        "c": "this interval is symmetric on the scale on which it is made. The exponential of a "
             "symmetric interval is not symmetric.",
        "d": "the same resamples do not make the same interval: two of the three kinds use "
             "distances, which a bent map changes.",
        2: "The exponential stretches large distances more than small ones.",
        3: "A rising map may make a cloud more skewed as well as less. The two would still agree.",
        4: "That is so for all kinds, and two of them disagree.",
    },
    hints=(
        "Take five resamples, 1, 2, 3, 4, 9, observed value 3, and the map x². Make each "
        "interval from the smallest and the largest, before and after the map.",
        "Which kind of interval is made of resamples themselves, and which of distances between "
        "them?",
    ),
    solution="The ends of a percentile interval are two of the resamples, picked by their rank, "
             "and a rising map keeps ranks. The ends of the other two are made of distances from "
             "the observed value, which the exponential changes. The same holds for the bend of "
             "BLEU's penalty: only the percentile interval of $\\hat u$ may be bent afterwards.",
    shows="""loss = np.random.default_rng(3).gamma(2.0, 0.6, size=60)
rows = np.random.default_rng(4).integers(60, size=(2_000, 60))
drawn = loss[rows].mean(axis=1)
log = sb.Cloud(drawn, loss.mean(), "bootstrap")
raw = sb.Cloud(np.exp(drawn), np.exp(loss.mean()), "bootstrap")
spread = np.array([-1.645, 1.645])
kinds = {"percentile": lambda cloud: sb.percentile_interval(cloud, 0.90),
         "basic": lambda cloud: sb.basic_interval(cloud, 0.90),
         "sd": lambda cloud: cloud.observed + spread * cloud.sd}
for name, rule in kinds.items():
    print(f"{name:<10} mapped ends {np.round(np.exp(rule(log)), 3)}, "
          f"made from perplexities {np.round(rule(raw), 3)}")""",
)
