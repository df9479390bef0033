"""How many draws a wanted Monte Carlo error takes."""

import math

from sigbook.exercises.kinds import Value, Wrong


def draws():
    p, twice_the_error = 0.04, 0.002
    return round(p * (1 - p) / (twice_the_error / 2) ** 2)


def one_error():
    return 0.04 * 0.96 / 0.002**2


def hoeffding():
    return math.log(2 / 0.05) / (2 * 0.002**2)


def worst_case():
    return 0.5 * 0.5 / 0.001**2


def not_squared():
    return 0.04 * 0.96 / 0.001


def without_complement():
    return 0.04 / 0.001**2


def sd_for_variance():
    return math.sqrt(0.04 * 0.96) / 0.001


EXERCISE = Value(
    id="draws-wanted",
    title="How many draws",
    level=2,
    statement="A randomization test is to be reported with its Monte Carlo error. From a pilot run p is known to be near "
              "0.04. How many draws make two standard errors of p as small as 0.002? To the nearest hundred.",
    name="draws",
    reference=draws,
    within=50,
    wrong=(
        Wrong(one_error, "with that many draws one standard error is 0.002. Two are to be."),
        Wrong(hoeffding, "that is Hoeffding's number, which holds for every p and is wide for a small one. p is known to "
                         "be near 0.04, so its standard error is known."),
        Wrong(worst_case, "that is right for p near one half, where the standard error is largest. p is near 0.04."),
        Wrong(not_squared, "the error falls like one over the root of the draws: the wanted error enters squared."),
        Wrong(without_complement, "the variance of one draw is p(1 - p), not p. Not far off for a small p, but off by "
                                  "more than a hundred draws."),
        Wrong(sd_for_variance, "the standard error is the root of p(1 - p)/B. Solve it for B: both sides get squared."),
    ),
    hints=(
        "Each draw reaches the observed gap or does not, with probability p. What is the standard error of a share?",
        "The root of p(1 - p)/B is to be half of 0.002.",
    ),
    solution="The standard error of p is $\\sqrt{p(1-p)/B}$, and it is to be 0.001. So $B = 0.04 \\cdot 0.96 / 0.001^2$, "
             "which is 38,400. Hoeffding's bound asks for 461,110 draws for the same precision nineteen times in twenty, because "
             "it makes no use of p. Half the error takes four times the draws.",
    shows="from math import log, sqrt\n\n"
          "error = 0.001\n"
          'print(f"{draws():,} draws: standard error {sqrt(0.04 * 0.96 / draws()):.3f}")\n'
          'print(f"Hoeffding {log(2 / 0.05) / (2 * (2 * error) ** 2):,.0f}")',
)
