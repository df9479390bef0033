"""The exercises on smooth metrics against the package, enumeration and other sources."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import reference

import sigbook as sb
from sigbook import metrics
from sigbook.exercises.smooth import curved_pair, delta_sd_faults, influence_by_hand
from sigbook.worlds import filings


def test_influences_by_hand_are_the_package_s():
    a, b = influence_by_hand.a, influence_by_hand.b
    assert np.allclose(reference("influence-by-hand")(), sb.influence(sb.PairedSet(a, b, "f1")))


def test_only_the_chosen_pair_is_bent():
    off = {letter: abs(curved_pair.off(*compared)) for letter, compared in curved_pair.COMPARED.items()}
    assert off.pop("b") > 0.25
    assert max(off.values()) < 0.06


def test_the_missing_slope_satisfies_euler_s_identity():
    missing, change = reference("euler-slope")()
    slopes, sums = np.array([0.004, -0.0015, missing, 0.002]), np.array([120, 200, 130, 40])
    assert slopes @ sums == pytest.approx(0, abs=1e-12)
    assert change == pytest.approx(slopes @ [3, 5, 2, 1])
    assert slopes @ (np.array([3, 5, 2, 1]) - sums / 60) == pytest.approx(change), "centring changes nothing"


def test_the_mended_delta_method_is_the_package_s_on_bleu_and_a_mean():
    pairs = filings.pair("writer", "noisy-0.1")
    assert delta_sd_faults.gap_sd(pairs.a, pairs.b, metrics.bleu_gradient) == pytest.approx(sb.delta_sd(pairs))
    a, b = np.random.default_rng(0).normal(size=(2, 20))
    mean = sb.delta_sd(sb.PairedSet(a, b, "mean"))
    assert delta_sd_faults.gap_sd(a[:, None], b[:, None], lambda y: np.ones(1)) == pytest.approx(mean)


def test_leaving_out_the_centring_does_no_harm_to_a_metric_of_pooled_sums():
    pairs = filings.pair("writer", "terse")
    uncentred = delta_sd_faults.still(centred=False)
    assert uncentred(pairs.a, pairs.b, metrics.bleu_gradient) == pytest.approx(sb.delta_sd(pairs))
