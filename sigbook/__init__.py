"""Significance tests for NLP evaluation: what a test set can and cannot say about two systems.

The rooms, from the ground up: `metrics` (scores of pooled sums), `pairs` (two systems on one test set),
`clouds` (resamples and swaps), `rules` (p-values and intervals), `linear` (influences), then `mcnemar`,
`clusters`, `eer`, `runs`, `multiplicity`, `equivalence`; `worlds` and `data` hold the testbeds, `chapters`
what each page of the book computes and draws.
"""

from sigbook._checks import SignificanceWarning
from sigbook.clouds import Cloud, bootstrap, randomize
from sigbook.linear import delta_sd, influence
from sigbook.metrics import bleu_statistics
from sigbook.pairs import PairedSet
from sigbook.rules import (
    basic_interval,
    p_koehn,
    p_randomization,
    p_recentered,
    p_sacrebleu,
    p_shifted,
    percentile_interval,
)

__version__ = "0.1.0"

__all__ = [
    "Cloud",
    "PairedSet",
    "SignificanceWarning",
    "basic_interval",
    "bleu_statistics",
    "bootstrap",
    "delta_sd",
    "influence",
    "p_koehn",
    "p_randomization",
    "p_recentered",
    "p_sacrebleu",
    "p_shifted",
    "percentile_interval",
    "randomize",
]
