"""The exercises on metric shopping against the package, enumeration and other sources."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from claims import holds_on_other_seeds
from enumeration import min_p
from strategies import reference

import sigbook as sb
from sigbook.chapters import shopping as shopping_chapter
from sigbook.exercises.shopping import climbed_board


def test_expected_false_positives_of_independent_and_of_equal_tests():
    rng = np.random.default_rng(1)
    first, second, third = reference("twenty-models")()
    p = rng.random((200_000, 20))
    assert (p <= 0.05).sum(axis=1).mean() == pytest.approx(first, abs=0.02)
    assert (p[:, :12] <= 0.05).sum(axis=1).mean() == pytest.approx(second, abs=0.02)
    assert (20 * (p[:, 0] <= 0.05)).mean() == pytest.approx(third, abs=0.06)


def test_more_likely_than_not_from_the_exact_size():
    size = shopping_chapter.mcnemar_size(6)
    k = reference("more-likely-than-not")()
    assert 1 - (1 - size) ** k > Fraction(1, 2) >= 1 - (1 - size) ** (k - 1)


def test_a_climbed_board_rejects_whatever_the_correction():
    def rejects(seed):
        first, last = climbed_board.climb(np.random.default_rng(seed))
        return 200 * sb.mcnemar(int((last & ~first).sum()), int((first & ~last).sum())) <= 0.05

    holds_on_other_seeds(rejects, label="a climbed board rejects after Bonferroni's correction")


@pytest.mark.parametrize("name, method", [("holm-adjusted", "holm"), ("step-up", "fdr_bh")])
def test_corrections_agree_with_statsmodels(name, method):
    from statsmodels.stats.multitest import multipletests

    rng, function = np.random.default_rng(3), reference(name)
    families = [np.array(shopping_chapter.FIFTEEN), *(rng.random(m) ** 3 for m in (1, 2, 5, 20))]
    for p in families:
        rejected, adjusted, *_ = multipletests(p, 0.05, method)
        if name == "holm-adjusted":
            assert np.allclose(function(p), adjusted, atol=1e-12)
        else:
            assert np.array_equal(function(p, 0.05), rejected)
    assert np.sum(reference("step-up")(families[0], 0.05)) == 4
    assert np.sum(reference("holm-adjusted")(families[0]) <= 0.05) == 3


def test_looking_early_is_the_share_of_all_sequences_that_stop():
    looks, alpha = [5, 8, 11], 0.0625
    count = 0
    for wins in product((0, 1), repeat=11):
        count += any(sb.mcnemar(sum(wins[:n]), n - sum(wins[:n])) <= alpha for n in looks)
    assert reference("looking-early")(looks, alpha) == pytest.approx(count / 2**11, abs=1e-12)
    looks = [10, 20, 30, 40]
    expected = shopping_chapter.peeking(looks)[-1]
    assert reference("looking-early")(looks, 0.05) == pytest.approx(expected, abs=1e-12)


def test_the_corrected_smallest_p_is_valid_at_every_swap_and_at_most_bonferroni_s():
    rng = np.random.default_rng(5)
    signs = np.array(list(product((1, -1), repeat=5)))
    for _ in range(20):
        gaps = np.abs(rng.integers(-5, 6, size=(3, 5)) @ signs.T)
        _, lowest = min_p(gaps)
        every = np.array([reference("smallest-of-several")(np.roll(gaps, -e, axis=1))
                          for e in range(32)])
        assert np.allclose(every, lowest / 32)
        assert all((every <= level).mean() <= level for level in every)
        alone = (gaps >= gaps[:, :1]).mean(axis=1)
        assert every[0] <= 3 * alone.min() + 1e-12
