"""Significance tests for NLP evaluation: what a test set can and cannot say about two systems.

The rooms, from the ground up: `metrics` (scores of pooled sums), `pairs` (two systems on one test set),
`clouds` (resamples and swaps), `rules` (p-values and intervals), `linear` (influences), then `mcnemar`,
`clusters`, `eer`, `runs`, `multiplicity`, `equivalence`; `compare` puts them together for a reader's own
outputs (`reading`, `texts`, `family` and `report` serve it; `python -m sigbook` is its shell command); `worlds`
and `data` hold the testbeds, `chapters` what each page of the book computes and draws.
"""

from sigbook._checks import SignificanceWarning
from sigbook.clouds import Cloud, bootstrap, randomize
from sigbook.clusters import cluster_sd, design_effect, icc
from sigbook.eer import bootstrap_eer, eer
from sigbook.compare import compare
from sigbook.equivalence import tost
from sigbook.exercises import check, hint
from sigbook.linear import delta_sd, influence
from sigbook.mcnemar import mcnemar, mcnemar_power, mcnemar_sample_size
from sigbook.metrics import bleu_statistics
from sigbook.multiplicity import benjamini_hochberg, holm
from sigbook.pairs import PairedSet
from sigbook.report import Report
from sigbook.rules import (
    basic_interval,
    p_koehn,
    p_randomization,
    p_recentered,
    p_sacrebleu,
    p_shifted,
    percentile_interval,
)
from sigbook.runs import crossed_bootstrap

__version__ = "0.1.0"

__all__ = [
    "Cloud",
    "PairedSet",
    "Report",
    "SignificanceWarning",
    "basic_interval",
    "benjamini_hochberg",
    "bleu_statistics",
    "bootstrap",
    "bootstrap_eer",
    "check",
    "cluster_sd",
    "compare",
    "crossed_bootstrap",
    "delta_sd",
    "design_effect",
    "eer",
    "hint",
    "holm",
    "icc",
    "influence",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_sample_size",
    "p_koehn",
    "p_randomization",
    "p_recentered",
    "p_sacrebleu",
    "p_shifted",
    "percentile_interval",
    "randomize",
    "tost",
]
