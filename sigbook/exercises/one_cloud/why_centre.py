"""What comes of a cloud that was not moved to zero."""

import numpy as np

from sigbook.exercises.kinds import Choice


def shares(lead):
    """(uncentred share, centred share) of resampled means of 50 differences with mean `lead` and sd 10."""
    rng = np.random.default_rng(1)
    d = rng.normal(0, 10, size=50)
    d += lead - d.mean()
    means = d[rng.integers(50, size=(4_000, 50))].mean(axis=1)
    return np.mean(np.abs(means) >= lead), np.mean(np.abs(means - lead) >= lead)


def answer():
    weak, strong = shares(1.0), shares(6.0)
    return ("a", 2) if min(weak[0], strong[0]) > 0.45 and strong[1] < 0.01 else ("b", 2)


EXERCISE = Choice(
    id="why-centre",
    title="A cloud that was not moved",
    level=1,
    asked="004 self-test Q2",
    statement="The gap of two means is to be tested. A colleague resamples the differences as they are and takes for p the "
              "share of resamples with $|\\delta^*| \\ge |\\hat\\delta|$. What comes out, and why?",
    name="answer",
    options={
        "a": "about one half or more, however strong the evidence",
        "b": "a value near 0 for nearly every pair of systems",
        "c": "the same as with centred differences",
        "d": "a valid p-value with a little less power",
    },
    reasons={
        1: "Resampling differences as they are makes the cloud wider.",
        2: "The cloud lies around the observed gap.",
        3: "Under the null the differences average zero of themselves.",
        4: "Centring moves the observed gap along with the cloud.",
    },
    reference=answer,
    wrong={
        "b": "how many draws of a cloud are further from zero than its own middle?",
        "c": "centring moves the cloud and leaves the observed gap where it is. The two are compared.",
        "d": "a test with a little less power would still reject when A wins on every segment. Try it there.",
        1: "Taking a constant off every difference changes no spread.",
        3: "Their expectation is zero then. The differences in hand average what was observed, whether the null holds or "
           "not, and the resamples lie around that.",
        4: "The cloud is moved; the observed gap is what it is compared with, and stays.",
    },
    hints=(
        "Where does the cloud of resampled gaps lie?",
        "So which share of the cloud is further from zero than the observed gap is?",
    ),
    solution="Resampled gaps scatter around $\\hat\\delta$, so about half of them lie beyond it: the share is about one half "
             "for a lead of six points as for one of a single point, and no evidence brings it down. A p-value needs draws "
             "that obey the null. Taking the observed gap off every difference moves the cloud to zero, and the share falls to "
             "0.0000 for the large lead. It is counting from the wrong centre that is the fault, not the resampling.",
    shows="rng = np.random.default_rng(1)\n"
          "d = rng.normal(0, 10, size=50)\n"
          "drawn = rng.integers(50, size=(4_000, 50))\n"
          "for lead in 1, 6:\n"
          "    moved = d - d.mean() + lead\n"
          "    means = moved[drawn].mean(axis=1)\n"
          '    print(f"lead {lead}: as they are "\n'
          '          f"{np.mean(np.abs(means) >= lead):.4f}, centred "\n'
          '          f"{np.mean(np.abs(means - lead) >= lead):.4f}")',
)
