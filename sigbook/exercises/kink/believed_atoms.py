"""How often a bootstrap sees a large atom, on the kink and beside it."""

from statistics import NormalDist

from sigbook.exercises.kinds import Value, Wrong

normal = NormalDist()


def shares():
    shown = normal.inv_cdf(0.8)
    return [1 - normal.cdf(shown - h) for h in (-0.5, 0.0, 1.0)]


def true_atoms():
    return [normal.cdf(h) for h in (-0.5, 0.0, 1.0)]


def among_the_long():
    return [share / normal.cdf(h) for share, h in zip(shares(), (-0.5, 0.0, 1.0))]


def distance_ignored():
    return [0.2, 0.2, 0.2]


def sign():
    return [1 - normal.cdf(normal.inv_cdf(0.8) + h) for h in (-0.5, 0.0, 1.0)]


def complement():
    return [1 - share for share in shares()]


def one_half():
    return [0.0, 0.2, 1.0]


EXERCISE = Value(
    id="believed-atoms",
    title="How large an atom the bootstrap sees",
    level=2,
    statement="A test set of $n$ segments is drawn from a population at distance $h$ from the "
              "kink, and resampled. Its *atom* is the share of resamples whose brevity penalty "
              "equals the test set's own. In the limit of large $n$, with $h$ held fixed: which "
              "share of all test sets has an atom of 0.8 or more, if $h$ is −0.5, 0 and 1? Three "
              "numbers in this order, to three decimals.",
    setup="from statistics import NormalDist\n\n"
          "normal = NormalDist()  # normal.cdf and normal.inv_cdf",
    name="shares",
    reference=shares,
    within=5e-4,
    wrong=(
        Wrong(true_atoms, "this is the true atom: the share of test sets whose penalty is 1. "
                          "Asked is how often the resamples of a test set see an atom of at "
                          "least 0.8."),
        Wrong(among_the_long, "this is the share among the test sets whose penalty is 1. Asked "
                              "is the share of all."),
        Wrong(distance_ignored, "right on the kink. Beside it a test set shows ĥ around h, not "
                                "around 0."),
        Wrong(sign, "h has the wrong sign: on the long side test sets should see larger atoms, "
                    "not smaller ones."),
        Wrong(complement, "this is the share of test sets with a smaller atom."),
        Wrong(one_half, "right on the kink. Beside it ĥ still varies from test set to test set, "
                        "with standard deviation 1, so the share is neither 0 nor 1."),
    ),
    hints=(
        "A test set that shows ĥ ≥ 0 has, in the limit, the atom Φ(ĥ); one that shows ĥ < 0 has "
        "none.",
        "So which values of ĥ give an atom of 0.8 or more?",
        "In the limit ĥ is normal with mean h and standard deviation 1.",
    ),
    solution="A test set that shows $\\hat h \\ge 0$ has the atom $\\Phi(\\hat h)$ in the limit, "
             "so 0.8 is reached when $\\hat h$ is at least 0.842. $\\hat h$ is normal around $h$ "
             "with standard deviation 1, which makes the shares 0.090, 0.200 and 0.563. On the "
             "kink this agrees with the lemma: the atom is uniform on 0.5 to 1 with probability "
             "one half, so a fifth of the test sets lies above 0.8.",
    shows='print(f"needed: h-hat of {normal.inv_cdf(0.8):.3f}")\n'
          'print("shares", *(f"{share:.3f}" for share in shares()))',
)
