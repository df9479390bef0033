"""Claims that rest on chance are tried on other seeds than the one printed in the book.

    def test_randomization_keeps_its_level():
        holds_on_other_seeds(lambda seed: rejection_share(seed=seed) < 0.064, label="level at 10")

A fixed seed alone cannot fail; ten others can. Each count is printed, and the summary of the test
run repeats it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

PREFIX = "claim: "
SEEDS = range(101, 111)


def holds_on_other_seeds(
    claim: Callable[[int], bool], *, label: str, seeds: Iterable[int] = SEEDS, least: int = 8
) -> int:
    """Assert that `claim(seed)` is true for at least `least` of the seeds; return for how many.

    `claim` reruns the chapter's experiment with the seed and returns a bool; anything else is a
    ValueError, so that a forgotten comparison does not pass as true.
    """
    outcomes = {seed: claim(seed) for seed in seeds}
    for seed, outcome in outcomes.items():
        if not isinstance(outcome, bool | np.bool_):
            raise ValueError(f"{label}: claim({seed}) returned {outcome!r}, it must return a bool")
    missed = [seed for seed, outcome in outcomes.items() if not outcome]
    count = len(outcomes) - len(missed)
    but = f", not for {', '.join(map(str, missed))}" if missed else ""
    line = f"{label}: holds for {count} of {len(outcomes)} other seeds{but}"
    print(PREFIX + line)
    assert count >= least, line
    return count
