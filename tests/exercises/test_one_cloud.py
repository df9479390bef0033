"""The exercises on one cloud and its verdicts against the package, enumeration and other sources."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from strategies import reference

import sigbook as sb
from sigbook.chapters import one_cloud as one_cloud_chapter
from sigbook.clouds import Cloud
from sigbook.exercises.one_cloud import inside_the_null, shared_draws


def test_the_eight_sentences_have_the_chapter_s_exact_numbers():
    exact = one_cloud_chapter.exact_verdicts(one_cloud_chapter.EIGHT)
    assert reference("bootstrap-eight")() == pytest.approx(float(exact.centered), abs=0.004)
    point, p = inside_the_null.exact()
    assert inside_the_null.EIGHT == one_cloud_chapter.EIGHT
    assert Fraction(point) == one_cloud_chapter.centered_quantile(one_cloud_chapter.EIGHT)
    assert p == float(exact.centered)


@pytest.mark.parametrize("percent", [80, 90, 95, 99])
@pytest.mark.parametrize("draws", [1, 10, 39, 40, 200, 999, 1_000])
def test_the_interval_is_the_package_s(percent, draws):
    gaps = np.random.default_rng(draws).normal(size=draws)
    cloud = Cloud(gaps, np.float64(0.0), "bootstrap", False, 1.0)
    assert tuple(reference("percentile-by-order")(gaps, percent)) == sb.percentile_interval(cloud, percent / 100)


def test_the_width_of_the_cloud_has_its_closed_form():
    rng = np.random.default_rng(1)
    b = rng.normal(300, 40, size=30)
    a = b + rng.normal(5, 20, size=30)
    width = np.std(a - b) / 30**0.5
    assert reference("shared-draws")(a, b, 5_000, rng) == pytest.approx(width, rel=0.05)
    assert shared_draws.given(a, b, 2_000, rng) > 2 * width


def test_a_printed_p_value_is_worth_what_the_limit_says():
    z = np.abs(np.random.default_rng(1).normal(size=200_000))
    for printed, share in zip((0.30, 0.03), reference("a-printed-p-value")()):
        assert share == pytest.approx(one_cloud_chapter.sacrebleu_limit_size(printed), abs=1e-9)
        rejected = (one_cloud_chapter.sacrebleu_limit_p(z) <= printed).mean()
        assert rejected == pytest.approx(share, abs=0.005)
