"""The helper that tries a claim on other seeds can fail, and says how often the claim held."""

from __future__ import annotations

import numpy as np
import pytest

from claims import PREFIX, SEEDS, holds_on_other_seeds


@pytest.mark.parametrize("count", [8, 9, 10])
def test_a_claim_that_mostly_holds_passes_and_prints_its_count(count, capsys):
    claim = lambda seed: seed < SEEDS[0] + count  # noqa: E731
    assert holds_on_other_seeds(claim, label="small") == count
    printed = capsys.readouterr().out
    assert printed.startswith(f"{PREFIX}small: holds for {count} of 10 other seeds")
    assert ("not for" in printed) == (count < 10)


@pytest.mark.parametrize("count", [0, 5, 7])
def test_a_claim_that_often_fails_fails(count, capsys):
    with pytest.raises(AssertionError, match=f"holds for {count} of 10 other seeds, not for"):
        holds_on_other_seeds(lambda seed: seed < SEEDS[0] + count, label="small")
    assert f"{count} of 10" in capsys.readouterr().out


def test_every_seed_is_tried_once_and_numpy_bools_are_bools(capsys):
    tried = []
    claim = lambda seed: np.bool_(tried.append(seed) is None)  # noqa: E731
    assert holds_on_other_seeds(claim, label="all", seeds=[3, 5], least=2) == 2
    assert tried == [3, 5] and "2 of 2" in capsys.readouterr().out


@pytest.mark.parametrize("outcome", [None, 1, 0.3, np.array([True, False])])
def test_a_claim_that_is_no_comparison_is_refused(outcome):
    with pytest.raises(ValueError, match="must return a bool"):
        holds_on_other_seeds(lambda seed: outcome, label="forgotten")
