"""Experiments that several chapters read: shares of rejections, and one system against itself (A/A).

In an A/A experiment every rejection is an error of the first kind. The pairs come from `worlds.trigram`; all
rules are read off one randomization cloud and one bootstrap cloud per experiment. The experiments of one size
are independent; the sizes share their samples and the rules their clouds, so rates in one row or one column
are not independent of each other and are compared by paired counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sigbook import _checks, metrics, rules
from sigbook.clouds import Cloud, bootstrap_stack, randomize_stack
from sigbook.worlds import trigram

SIZES = (10, 20, 47, 94, 188)
DRAWS = 1_999
ALPHA = 0.05
EXPERIMENTS_AT_ONCE = 256


@dataclass(frozen=True)
class Share:
    """A rejection share over `experiments` independent experiments."""

    value: float
    experiments: int

    @property
    def error(self) -> float:
        """Binomial standard error."""
        return math.sqrt(self.value * (1 - self.value) / self.experiments)

    def __str__(self):
        return f"{self.value:.3f} (se {self.error:.3f})"


def rejected(p_values: np.ndarray, alpha: float = 0.05) -> Share:
    """The share of p-values at or below alpha."""
    return Share(float(np.mean(p_values <= alpha)), len(p_values))


def binomial(rng: np.random.Generator, n, p) -> np.ndarray:
    """Numbers of successes in n trials with chance p each, arrays that broadcast: int64.

    As ``rng.binomial``, with one stream for every NumPy 2: where more than 30 of either outcome are
    expected, NumPy draws by a method that its version 2.5 corrected, so that a seed gives other
    numbers from there on. Here such trials are drawn in parts that stay below.
    """
    n, p = np.broadcast_arrays(np.asarray(n, dtype=np.int64), np.asarray(p, dtype=np.float64))
    part = (29 / np.maximum(np.minimum(p, 1 - p), 1e-9)).astype(np.int64)
    found = rng.binomial(np.minimum(n, part), p)
    while (n > part).any():
        n = np.maximum(n - part, 0)
        found = found + rng.binomial(np.minimum(n, part), p)
    return found


@dataclass(frozen=True)
class Rule:
    """A p-value and its side: two-sided, or one-sided for a direction.

    "A better" is fixed before the data are seen; "the winner" is the system ahead in the data (A if neither is),
    which makes two tests of one and doubles the share of false rejections in the limit. plus: the p-value is a
    multiple of 1/(B + plus).
    """

    name: str
    side: str
    plus: int

    @property
    def label(self) -> str:
        return f"{self.name} ({self.side})"


TWO_SIDED, FIXED, WINNER = "two-sided", "A better", "the winner"
RULES = (
    Rule("randomization", TWO_SIDED, 1),
    Rule("Koehn", FIXED, 0),
    Rule("Koehn", WINNER, 0),
    Rule("2δ", FIXED, 0),
    Rule("2δ", WINNER, 0),
    Rule("shifted", TWO_SIDED, 1),
    Rule("sacreBLEU", TWO_SIDED, 1),
)


@dataclass(frozen=True, eq=False)
class AARow:
    """All A/A experiments of one size.

    p: (rules, E), one row per entry of `RULES`. observed: (E,) BLEU gaps. zeros: (E,) how many of the two
    systems have BLEU 0.
    """

    prompts: int
    draws: int
    p: np.ndarray
    observed: np.ndarray
    zeros: np.ndarray

    @property
    def experiments(self) -> int:
        return len(self.observed)

    def shares(self, alpha: float = ALPHA) -> np.ndarray:
        """Share of the experiments that each rule rejects, p <= alpha: (rules,)."""
        return (self.p <= alpha).mean(axis=1)

    def band(self, alpha: float = ALPHA) -> tuple[float, float]:
        """alpha minus and plus 3 binomial standard errors of a share of E experiments."""
        width = 3 * np.sqrt(alpha * (1 - alpha) / self.experiments)
        return float(alpha - width), float(alpha + width)

    def split(self, alpha: float = ALPHA) -> tuple[tuple[int, np.ndarray], ...]:
        """For 0, 1 and 2 systems with BLEU 0: the number of experiments and the (rules,) rejected counts."""
        return tuple((int((self.zeros == k).sum()), (self.p[:, self.zeros == k] <= alpha).sum(axis=1))
                     for k in (0, 1, 2))

    def histogram(self, rule: int = 0, bins: int = 20) -> np.ndarray:
        """Counts of p in (0, 1/bins], (1/bins, 2/bins], ...: closed on the right, where a test rejects.

        p is k/(B + plus) and k is sorted as an integer; a p-value of 0 falls in the first bin.
        """
        steps = self.draws + RULES[rule].plus
        k = np.rint(self.p[rule] * steps).astype(np.int64)
        place = np.maximum(-(-k * bins // steps) - 1, 0)
        return np.bincount(place.astype(np.intp), minlength=bins)

    def paired(self, first: int, second: int, alpha: float = ALPHA) -> tuple[int, int, int]:
        """Experiments that rule `first` alone rejects, that `second` alone rejects, that both reject."""
        one, two = self.p[first] <= alpha, self.p[second] <= alpha
        return int((one & ~two).sum()), int((two & ~one).sum()), int((one & two).sum())


@dataclass(frozen=True, eq=False)
class AATable:
    """The A/A experiment at several sizes: one `AARow` each."""

    rows: tuple[AARow, ...]

    def shares(self, alpha: float = ALPHA) -> np.ndarray:
        """Shares rejected: (rules, sizes)."""
        return np.stack([row.shares(alpha) for row in self.rows], axis=1)


def bootstrap_p_values(resampled: Cloud) -> np.ndarray:
    """p-values of the bootstrap's rules, `RULES[1:]`, from the stacked cloud of E experiments: (rules - 1, E)."""
    ahead = resampled.observed >= 0

    def winner(rule):
        return np.where(ahead, rule(resampled), rule(resampled, alternative="less"))

    return np.stack([
        rules.p_koehn(resampled), winner(rules.p_koehn),
        rules.p_recentered(resampled), winner(rules.p_recentered),
        rules.p_shifted(resampled),
        rules.p_sacrebleu(resampled),
    ])


def aa_pvalues(randomized: Cloud, resampled: Cloud) -> np.ndarray:
    """p-values of all `RULES`, (rules, E), from the two stacked clouds of E experiments."""
    return np.concatenate([rules.p_randomization(randomized)[None], bootstrap_p_values(resampled)])


def aa_row(prompts: int, draws: int = DRAWS, seed=0, experiments: int | None = None,
           world: trigram.Trigram | None = None) -> AARow:
    """Every rule on the A/A experiments of one size; on `experiments` of them, chosen at random, if given.

    `world` is the frozen one by default. Raises ValueError unless 2 <= prompts <= 188, draws >= 1 and
    1 <= experiments <= E.
    """
    rng = _checks.generator(seed)
    draws = _checks.draws(draws)
    prompts = _checks.count("prompts", prompts, least=2, most=trigram.PROMPTS)
    a, b = trigram.experiments(prompts, world)
    if experiments is not None:
        chosen = _checks.count("experiments", experiments, least=1, most=len(a))
        chosen = rng.choice(len(a), size=chosen, replace=False)
        a, b = a[chosen], b[chosen]
    swaps, resamples = rng.spawn(2)
    p, observed = [], []
    for start in range(0, len(a), EXPERIMENTS_AT_ONCE):
        few = slice(start, start + EXPERIMENTS_AT_ONCE)
        clouds = (randomize_stack(a[few], b[few], "bleu", draws, swaps),
                  bootstrap_stack(a[few], b[few], "bleu", draws, resamples))
        p.append(aa_pvalues(*clouds))
        observed.append(clouds[0].observed)
    zeros = sum((metrics.bleu(x.sum(axis=1)) == 0).astype(np.int64) for x in (a, b))
    return AARow(prompts, draws, np.concatenate(p, axis=1), np.concatenate(observed), zeros)


def aa_table(draws: int = DRAWS, seed=0, world: trigram.Trigram | None = None) -> AATable:
    """The A/A experiment at the five `SIZES`, on all 4,352 experiments there are."""
    rng = _checks.generator(seed)
    return AATable(tuple(aa_row(prompts, draws, rng, world=world) for prompts in SIZES))


def aa_text(table: AATable, alpha: float = ALPHA) -> str:
    """The table as text: a line for each rule with its side, a column for each number of prompts."""
    def line(head, cells):
        return f"{head:<28}" + "".join(f"{cell:>9}" for cell in cells)

    bands = [row.band(alpha) for row in table.rows]
    lines = [line("prompts", [row.prompts for row in table.rows]),
             line("experiments", [f"{row.experiments:,}" for row in table.rows]),
             line("band, lower edge", [f"{max(low, 0):.3f}" for low, _ in bands]),
             line("band, upper edge", [f"{high:.3f}" for _, high in bands])]
    lines += [line(rule.label, [f"{share:.3f}" for share in shares])
              for rule, shares in zip(RULES, table.shares(alpha))]
    halves = [f"{row.shares(0.5)[0]:.3f}" for row in table.rows]
    return "\n".join([*lines, line("randomization, p <= 0.5", halves)])


def split_text(row: AARow, alpha: float = ALPHA) -> str:
    """The rejections of one size by how many of the two systems have BLEU 0, as shares of all experiments.

    The three columns of a rule add up to its share in the table. The pattern of zeros is part of the
    outcome: thm-randomization says nothing about a rate within one column.
    """
    heads = ("both > 0", "one is 0", "both 0")
    lines = [f"{'':<28}" + "".join(f"{head:>10}" for head in heads),
             f"{'experiments':<28}" + "".join(f"{count:>10,}" for count, _ in row.split(alpha))]
    rejected = np.stack([counts for _, counts in row.split(alpha)], axis=1)
    lines += [f"{rule.label:<28}" + "".join(f"{count / row.experiments:>10.4f}" for count in counts)
              for rule, counts in zip(RULES, rejected)]
    return "\n".join(lines)
