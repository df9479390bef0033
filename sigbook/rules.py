"""p-values and intervals read off a cloud.

Symbols: d the observed gap, d* a gap of the cloud, B the number of draws. Every comparison but sacreBLEU's
allows the cloud's slack, so that gaps which are equal on paper stay equal in floating point. A stacked cloud
gives an array with one entry per experiment.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sigbook import _checks
from sigbook.clouds import Cloud


def p_randomization(cloud: Cloud, alternative: str = "two-sided"):
    """(1 + #{d* at least as extreme as d}) / (B + 1); without the two ones when the cloud is enumerated.

    alternative: ``"two-sided"`` (by absolute gap), ``"greater"`` (A is better) or ``"less"``.
    The book's thm-randomization (Phipson and Smyth 2010; Riezler and Maxwell 2005, figure 1).
    Raises ValueError for a bootstrap cloud or another alternative.
    """
    gaps, observed, slack = _parts(cloud, "randomization")
    _checks.choice("alternative", alternative, ("two-sided", "greater", "less"))
    if alternative == "two-sided":
        hits = np.abs(gaps) >= np.abs(observed) - slack
    elif alternative == "greater":
        hits = gaps >= observed - slack
    else:
        hits = gaps <= observed + slack
    return _share(hits, cloud.draws, plus=0 if cloud.enumerated else 1)


def p_koehn(cloud: Cloud, alternative: str = "greater"):
    """#{d* <= 0} / B, one-sided: the share of resamples on which A does not win (Koehn 2004, section 6).

    alternative ``"less"`` counts #{d* >= 0} instead. 0 means 0 of B draws. Raises ValueError for a
    randomization cloud or another alternative.
    """
    gaps, _, slack = _turned(cloud, alternative)
    return _share(gaps <= slack, cloud.draws)


def p_recentered(cloud: Cloud, alternative: str = "greater"):
    """#{d* >= 2 d} / B, one-sided: resamples that win by twice the observed gap or more.

    Berg-Kirkpatrick, Burkett and Klein 2012, figure 1, with >= for their >. alternative ``"less"`` turns
    both signs. Raises ValueError for a randomization cloud or another alternative.
    """
    gaps, observed, slack = _turned(cloud, alternative)
    return _share(gaps >= 2 * observed - slack, cloud.draws)


def p_shifted(cloud: Cloud):
    """(1 + #{|d* - d| >= |d|}) / (B + 1), two-sided: the cloud is moved to 0 and plays the null.

    It inverts the interval that Hall (1992) calls symmetric (prop-shifted). Raises ValueError for a randomization cloud.
    """
    gaps, observed, slack = _parts(cloud, "bootstrap")
    # |d* - d| >= |d| means d* on the far side of 0 or of 2d; written so, no subtraction breaks a tie.
    low, high = np.minimum(0.0, 2 * observed), np.maximum(0.0, 2 * observed)
    return _share((gaps <= low + slack) | (gaps >= high - slack), cloud.draws, plus=1)


def p_sacrebleu(cloud: Cloud):
    """(1 + #{|d*| - mean |d*| > |d|}) / (B + 1), as sacreBLEU's paired bootstrap computes it (Post 2018).

    What it tests in the limit is prop-sacrebleu. Strict, and without slack: equal to sacreBLEU's p-value on its own draws, 1/(B + 1) for identical
    systems too. Raises ValueError for a randomization cloud; warns when every gap is 0.
    """
    gaps, observed, _ = _parts(cloud, "bootstrap")
    size = np.abs(gaps)
    if cloud.gaps.ndim == 1 and not size.any():
        _checks.doubt(
            f"the systems score the same on every resample, yet this rule gives p = 1/{cloud.draws + 1}, "
            "because it counts > and not >="
        )
    return _share(size - size.mean(axis=-1, keepdims=True) > np.abs(observed), cloud.draws, plus=1)


def percentile_interval(cloud: Cloud, level: float = 0.95):
    """(low, high) by order statistics: d*_(k+1) and d*_(B-k) with k = floor(B (1 - level) / 2).

    The interval that `p_koehn` inverts (prop-inversion a; Davison and Hinkley 1997, section 5.3). Raises
    ValueError for a randomization cloud or a level outside (0, 1).
    """
    gaps, _, _ = _parts(cloud, "bootstrap")
    level = _checks.fraction("level", level)
    # As a decimal: in binary, half of 1 - 0.9 times 1,000 falls just short of 50.
    outside = math.floor((1 - Fraction(repr(level))) / 2 * cloud.draws)
    ends = (outside, cloud.draws - 1 - outside)
    ordered = np.partition(gaps, ends, axis=-1)
    return _plain(ordered[..., ends[0]]), _plain(ordered[..., ends[1]])


def basic_interval(cloud: Cloud, level: float = 0.95):
    """(2d - high, 2d - low), the percentile interval reflected through the observed gap.

    The interval that `p_recentered` inverts (prop-inversion b; Davison and Hinkley 1997, section 5.2).
    Raises ValueError for a randomization cloud or a level outside (0, 1).
    """
    low, high = percentile_interval(cloud, level)
    return 2 * cloud.observed - high, 2 * cloud.observed - low


def _parts(cloud, kind):
    if not isinstance(cloud, Cloud):
        raise ValueError(f"cloud must be a Cloud; got {_checks.shown(cloud)}")
    if cloud.kind != kind:
        other = "randomize" if kind == "randomization" else "bootstrap"
        raise ValueError(f"cloud must be a {kind} cloud, made by {other}; got a {cloud.kind} cloud")
    return cloud.gaps, np.expand_dims(cloud.observed, -1), np.expand_dims(cloud.slack, -1)


def _turned(cloud, alternative):
    gaps, observed, slack = _parts(cloud, "bootstrap")
    _checks.choice("alternative", alternative, ("greater", "less"))
    return (gaps, observed, slack) if alternative == "greater" else (-gaps, -observed, slack)


def _share(hits, draws, plus=0):
    return _plain((np.count_nonzero(hits, axis=-1) + plus) / (draws + plus))


def _plain(x):
    return float(x) if np.ndim(x) == 0 else x
