"""Chapter 6, the kink: where the brevity penalty bends, and what the bootstrap does there.

Experiments first, then figures, then the lab. A statistic with kinks is a smooth function of
brevity terms min(0, u_k), each of which bends where its u_k is 0, and of further smooth numbers.

Symbols: u = 1 - r/c; a the standard deviation of sqrt(n) u; h = sqrt(n) u/a the distance from the
kink; W standard normal, h + W the distance that a test set shows; zeta the normal quantile of a
two-sided interval; gamma how many standard errors count as near a kink.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from sigbook import _checks, figures, metrics, rules, widgets
from sigbook.clouds import Cloud, bootstrap
from sigbook.experiments import Share
from sigbook.pairs import PairedSet
from sigbook.worlds import filings

LEVEL = 0.90
TABLE_H = (-5.0, -1.0, -0.5, 0.0, 1.0)
GRID_H = (-5.0, -3.0, -2.0, -1.0, -0.5, -0.25, 0.0, 0.5, 1.0, 2.0)
PAIR_H = (-5.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0)
INTERVALS = ("percentile", "basic", "m-out-of-n", "Fang-Santos", "hull", "pieces")
LEAST = 0.86  # what covers less than this somewhere, at level 0.90, is called no remedy


# The bend -----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Distance:
    """Where a system stands beside the kink, on test sets of n segments.

    ratio: c/r of its pooled lengths. u = 1 - r/c. a: sd of sqrt(n) u, by the delta method.
    """

    n: int
    ratio: float
    u: float
    a: float

    @property
    def h(self) -> float:
        """sqrt(n) u/a, in standard errors. Raises ZeroDivisionError if lengths never vary."""
        return math.sqrt(self.n) * self.u / self.a


def distance(c: np.ndarray, r: np.ndarray) -> Distance:
    """Distance from the kink of a test set with candidate and reference lengths c, r (n,)."""
    c, r = _checks.vector("c", c), _checks.vector("r", r)
    slope = r.mean() / c.mean() ** 2 * c - r / c.mean()
    return Distance(len(c), float(c.mean() / r.mean()), float(1 - r.mean() / c.mean()),
                    float(slope.std()))


# Limits in closed form ----------------------------------------------------------------------------

def limit_share(h: float) -> float:
    """Limit of the share of test sets with a brevity penalty of 1: Phi(h)."""
    return _cdf(h)


def limit_percentile(h: float, level: float = LEVEL) -> float:
    """Limit coverage of min(0, u) by the percentile interval, and by the hull with the basic."""
    return level if h < 0 else _cdf(_zeta(level) + h)


def limit_basic(h: float, level: float = LEVEL, scale: float = 1.0) -> float:
    """Limit coverage of min(0, u) by the basic interval from resamples of m, scale = sqrt(m/n).

    scale 1 is the basic interval itself; scale 0 is m-out-of-n with m/n -> 0, and Fang and
    Santos's interval with gamma -> infinity.
    """
    zeta = _zeta(level)
    if h >= 0:
        return _cdf(zeta + h)
    if h * scale <= -zeta * (1 + scale):
        return level
    return _cdf(-scale * h / (1 + scale)) - (1 - level) / 2


def limit_fang_santos(h: float, level: float = LEVEL, gamma: float = math.inf) -> float:
    """Limit coverage of min(0, u) by Fang and Santos's interval with a fixed gamma >= zeta."""
    if h >= -gamma:
        return limit_basic(h, level, 0.0)
    return _cdf(min(_zeta(level), -gamma - h)) - (1 - level) / 2


def limit_gap(h1: float, h2: float, correlation: float, level: float = LEVEL, *,
              points: int = 6_000) -> dict[str, float]:
    """Limit coverage of min(0, u_1) - min(0, u_2) by percentile, basic and their hull.

    The bootstrap's law is integrated over the second coordinate (Gauss and Legendre), on either
    side of the place where the integrand bends or jumps. The distances that a test set shows run
    through `points` pairs of normal quantiles, of an even spread over the square (multiples of the
    golden ratio). The error is about 0.001.
    """
    from scipy.special import ndtr, ndtri

    node, weight = np.polynomial.legendre.leggauss(48)
    node, weight = (node + 1) / 2, weight / 2
    spread = math.sqrt(1 - correlation**2)
    along = np.arange(points) + 0.5
    first, second = ndtri(along / points), ndtri(along * (math.sqrt(5) - 1) / 2 % 1)
    seen1, seen2 = h1 + first, h2 + correlation * first + spread * second

    def below(t):
        total, edge = 0.0, np.clip(-seen2 - np.maximum(t, 0), -7, 7)
        for low, high in ((-7 * np.ones(points), edge), (edge, 7 * np.ones(points))):
            x = low[:, None] + (high - low)[:, None] * node
            bend = t[:, None] + np.minimum(0.0, seen2[:, None] + x)
            inside = ndtr((bend - seen1[:, None] - correlation * x) / spread)
            density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
            total += (high - low) * ((np.where(bend >= 0, 1.0, inside) * density) @ weight)
        return total

    truth = min(0.0, h1) - min(0.0, h2)
    mirror = 2 * (np.minimum(0, seen1) - np.minimum(0, seen2)) - truth
    tail, tiny = (1 - level) / 2, 1e-9
    # A value is inside the percentile interval when enough of the law lies up to it and from it on.
    # The basic interval holds the truth when the percentile interval holds its mirror image, and
    # the sides change places.
    above_low, below_high = (
        (below(np.full_like(mirror, truth) + tiny) >= tail, below(mirror + tiny) >= tail),
        (below(np.full_like(mirror, truth) - tiny) <= 1 - tail, below(mirror - tiny) <= 1 - tail))
    percentile = above_low[0] & below_high[0]
    basic = above_low[1] & below_high[1]
    hull = (above_low[0] | below_high[1]) & (below_high[0] | above_low[1])
    return {"percentile": float(percentile.mean()), "basic": float(basic.mean()),
            "hull": float(hull.mean())}


def _cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _zeta(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


# Coins: every test set and every resample counted -------------------------------------------------

COIN_LENGTH = 20


@dataclass(frozen=True, eq=False)
class Coins:
    """All test sets of n references of 20 words, with outputs a word longer or a word shorter.

    A test set is known by how many of its outputs, 0..n, are the longer ones; a resample of it
    holds a binomial number of them. Entry k of each array belongs to the test sets with k longer
    outputs. chance: how likely they are when both lengths are equally likely. u = 1 - r/c.
    h: sqrt(n) u/a. atom: share of their resamples that have the same penalty as they.
    """

    n: int
    chance: np.ndarray
    u: np.ndarray
    atom: np.ndarray

    @property
    def a(self) -> float:
        """sd(c - r) over the common length."""
        return 1 / COIN_LENGTH

    @property
    def h(self) -> np.ndarray:
        return math.sqrt(self.n) * self.u / self.a

    def bootstrap_cdf(self, t: float) -> np.ndarray:
        """Share of resamples with sqrt(n) (log BP* - log BP) <= a t, (n+1,)."""
        beta = np.minimum(0.0, self.u)
        below = beta[None, :] - beta[:, None] <= self.a * t / math.sqrt(self.n)
        return (_binomials(self.n) * below).sum(axis=1)

    def law(self, t: float) -> float:
        """P(sqrt(n) log BP <= a t)."""
        below = math.sqrt(self.n) * np.minimum(0.0, self.u) <= self.a * t
        return float(self.chance[below].sum())

    def mean_atom(self) -> tuple[float, float]:
        """Mean and standard deviation of the atom over all test sets."""
        mean = self.chance @ self.atom
        return float(mean), float(np.sqrt(self.chance @ (self.atom - mean) ** 2))


def coins(n: int) -> Coins:
    """Every test set of n coins, exactly. Raises ValueError unless 1 <= n <= 2,000."""
    n = _checks.count("n", n, least=1, most=2_000)
    long = np.arange(n + 1)
    c = n * (COIN_LENGTH - 1) + 2 * long
    u = 1 - n * COIN_LENGTH / c
    beta = np.minimum(0.0, u)
    atom = (_binomials(n) * (beta[None, :] == beta[:, None])).sum(axis=1)
    return Coins(n, _binomials(n, np.array([0.5]))[0], u, atom)


def _binomials(n: int, share: np.ndarray | None = None) -> np.ndarray:
    """Binomial(n, share) probabilities, a row for each share; by default 0/n, 1/n, ..., n/n."""
    from scipy.special import gammaln, xlogy

    k = np.arange(n + 1)
    share = (k / n if share is None else share)[:, None]
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.exp(ways + xlogy(k, share) + xlogy(n - k, 1 - share))


# A statistic with kinks, resampled ----------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Bent:
    """A statistic combine(rest, v) with v = min(0, u) on E test sets, and on B resamples of each.

    combine: rest (..., Q), brevity terms (..., K) -> values (...). u (E, K), rest (E, Q): on the
    data. u_star (E, B, K), rest_star (E, B, Q): on resamples of n segments. u_few, rest_few: on
    resamples of m. scale: sqrt(m/n). gamma: how many standard errors count as near a kink.
    error (E, K): the bootstrap standard errors of u.
    """

    combine: Callable[[np.ndarray, np.ndarray], np.ndarray]
    u: np.ndarray
    rest: np.ndarray
    u_star: np.ndarray
    rest_star: np.ndarray
    u_few: np.ndarray
    rest_few: np.ndarray
    scale: float
    gamma: float
    error: np.ndarray

    @property
    def observed(self) -> np.ndarray:
        """The statistic on the data, (E,)."""
        return self.combine(self.rest, np.minimum(0.0, self.u))

    @property
    def cloud(self) -> Cloud:
        """The stacked bootstrap cloud, gaps (E, B)."""
        gaps = self.combine(self.rest_star, np.minimum(0.0, self.u_star))
        return Cloud(gaps, self.observed, "bootstrap")

    @property
    def t(self) -> np.ndarray:
        """u over its standard error, (E, K)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.u / self.error

    def at(self, *h: float) -> Bent:
        """The same data and resamples with h, one number per kink, added to u."""
        return replace(self, u=self.u + h, u_star=self.u_star + h, u_few=self.u_few + h)


Interval = tuple[np.ndarray, np.ndarray]


def intervals(bent: Bent, level: float = LEVEL) -> dict[str, Interval]:
    """Six intervals for the statistic on each test set: name -> (low, high), each (E,).

    percentile, basic: read off the bootstrap cloud by the package. m-out-of-n: basic, from
    resamples of m segments, the spread shrunk by sqrt(m/n). Fang-Santos: basic, with the change of
    a brevity term replaced by a guess at its directional derivative (Fang and Santos 2019): linear,
    min(0, .) or 0, as u lies below, within or above gamma standard errors of the kink. hull: the
    smallest interval that holds percentile and basic. pieces: see `pieces`.
    """
    cloud, observed = bent.cloud, bent.observed
    percentile = rules.percentile_interval(cloud, level)
    basic = 2 * observed - percentile[1], 2 * observed - percentile[0]
    few = bent.combine(bent.rest_few, np.minimum(0.0, bent.u_few))
    shrunk = observed[:, None] + bent.scale * (few - observed[:, None])
    return {
        "percentile": percentile,
        "basic": basic,
        "m-out-of-n": rules.basic_interval(Cloud(shrunk, observed, "bootstrap"), level),
        "Fang-Santos": rules.basic_interval(
            Cloud(_by_derivative(bent), observed, "bootstrap"), level),
        "hull": (np.minimum(percentile[0], basic[0]), np.maximum(percentile[1], basic[1])),
        "pieces": pieces(bent, level),
    }


def _by_derivative(bent: Bent) -> np.ndarray:
    t, step = bent.t[:, None], bent.u_star - bent.u[:, None]
    near = np.where(t < -bent.gamma, step, np.minimum(0.0, step))
    step = np.where(t > bent.gamma, 0.0, near)
    return bent.combine(bent.rest_star, np.minimum(0.0, bent.u)[:, None] + step)


def pieces(bent: Bent, level: float = LEVEL) -> Interval:
    """The smallest interval that holds the percentile intervals of all pieces that stay open.

    A piece takes each brevity term as u throughout (short) or as 0 throughout (long), and so has no
    kink. Short is closed if u lies more than gamma standard errors above 0, long if as far below.
    """
    low, high = np.full(len(bent.u), np.inf), np.full(len(bent.u), -np.inf)
    t = bent.t
    for short in product((False, True), repeat=bent.u.shape[-1]):
        # A term that never varies and lies on the kink has t NaN: both stay open, and agree.
        closed = np.where(short, t > bent.gamma, t < -bent.gamma).any(axis=-1)
        if closed.all():
            continue
        values = bent.combine(bent.rest_star[~closed], np.where(short, bent.u_star[~closed], 0.0))
        lower, higher = rules.percentile_interval(Cloud(values, values[:, 0], "bootstrap"), level)
        low[~closed] = np.minimum(low[~closed], lower)
        high[~closed] = np.maximum(high[~closed], higher)
    return low, high


@dataclass(frozen=True)
class Coverage:
    """How often each interval covers the truth over E test sets, and how wide it is on average.

    zero: the share of test sets whose statistic is 0.
    """

    experiments: int
    truth: float
    zero: float
    covers: dict[str, float]
    width: dict[str, float]

    def error(self, name: str) -> float:
        """Binomial standard error of a coverage."""
        return Share(self.covers[name], self.experiments).error


def coverage(bent: Bent, truth: float, level: float = LEVEL) -> Coverage:
    """Coverage and mean width of every interval. Ends are compared with a slack for rounding."""
    slack = 1e-12 * max(1.0, abs(truth))
    found = intervals(bent, level)
    covers = {name: float(np.mean((low <= truth + slack) & (truth - slack <= high)))
              for name, (low, high) in found.items()}
    width = {name: float(np.mean(high - low)) for name, (low, high) in found.items()}
    return Coverage(len(bent.u), truth, float(np.mean(bent.observed == 0)), covers, width)


# Reduced forms: means of n numbers ----------------------------------------------------------------

def one_term(rest: np.ndarray, v: np.ndarray) -> np.ndarray:
    """min(0, u): one brevity term by itself."""
    return v[..., 0]


def two_terms(rest: np.ndarray, v: np.ndarray) -> np.ndarray:
    """min(0, u_1) - min(0, u_2): the gap of two systems with a brevity term each."""
    return v[..., 0] - v[..., 1]


def with_noise(omega: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """min(0, u) + omega y: a brevity term and a smooth part."""
    return lambda rest, v: v[..., 0] + omega * rest[..., 0]


def resampled_means(x: np.ndarray, draws: int, size: int,
                    rng: np.random.Generator) -> np.ndarray:
    """Means of `size` rows drawn with replacement: test sets (E, n, D) -> (E, draws, D)."""
    experiments, n, columns = x.shape
    means = np.empty((experiments, draws, columns))
    for e in range(experiments):
        index = rng.integers(n, size=(draws, size), dtype=np.uint16)
        for d in range(columns):
            means[e, :, d] = x[e, :, d].take(index).mean(axis=1)
    return means


def normal_sets(n: int, experiments: int, rng: np.random.Generator, columns: int = 1,
                correlation: float = 0.0) -> np.ndarray:
    """Test sets of standard normal numbers, (experiments, n, columns), the first two correlated."""
    x = rng.normal(size=(experiments, n, columns))
    if columns > 1:
        x[..., 1] = correlation * x[..., 0] + math.sqrt(1 - correlation**2) * x[..., 1]
    return x


def reduced(combine: Callable, x: np.ndarray, draws: int, seed, kinks: int = 1) -> Bent:
    """Test sets x (E, n, D) at their kinks, in units of 1/sqrt(n); the first `kinks` columns bend.

    `Bent.at` moves them to distances h from the kinks: the resamples of x + h/sqrt(n) are those of
    x, moved. m is the whole number next to n^(2/3), gamma the root of log n.
    """
    rng = _checks.generator(seed)
    n = _checks.count("the number of segments", x.shape[1], least=2, most=2**16)
    m = round(n ** (2 / 3))
    few, star = (math.sqrt(n) * resampled_means(x, draws, size, rng) for size in (m, n))
    mean = math.sqrt(n) * x.mean(axis=1)
    parts = [np.split(x, [kinks], axis=-1) for x in (mean, star, few)]
    return Bent(combine, *parts[0], *parts[1], *parts[2], math.sqrt(m / n),
                math.sqrt(math.log(n)), parts[1][0].std(axis=1))


def one_kink(n: int = 100, experiments: int = 2_000, draws: int = 1_000, seed=0) -> Bent:
    """The reduced form min(0, mean) of normal numbers, at the kink."""
    rng = _checks.generator(seed)
    return reduced(one_term, normal_sets(n, experiments, rng), draws, rng)


def two_kinks(correlation: float, n: int = 100, experiments: int = 1_000, draws: int = 400,
              seed=0) -> Bent:
    """The reduced form min(0, mean_1) - min(0, mean_2) of correlated normals, at both kinks."""
    rng = _checks.generator(seed)
    return reduced(two_terms, normal_sets(n, experiments, rng, 2, correlation), draws, rng, kinks=2)


def kink_and_noise(omega: float, n: int = 100, experiments: int = 2_000, draws: int = 400,
                   seed=0) -> Bent:
    """The reduced form min(0, mean) + omega mean' with independent normal numbers, at the kink."""
    rng = _checks.generator(seed)
    return reduced(with_noise(omega), normal_sets(n, experiments, rng, 2), draws, rng)


def exchanged(a: np.ndarray, b: np.ndarray,
              rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Test sets (E, n, 10), outputs exchanged at random segments: the sharp null holds."""
    swap = rng.integers(2, size=a.shape[:2]).astype(bool)[..., None]
    return np.where(swap, b, a), np.where(swap, a, b)


def atoms(n: int, experiments: int, draws: int, seed) -> np.ndarray:
    """Share of resamples with the brevity term of the test set, at the kink: (experiments,)."""
    cloud = one_kink(n, experiments, draws, seed).cloud
    return (cloud.gaps == cloud.observed[:, None]).mean(axis=1)


def over(bent: Bent, distances: Sequence, level: float = LEVEL) -> list[Coverage]:
    """Coverage of a reduced form at each distance: a number, or a pair when there are two kinks."""
    rows = []
    for h in distances:
        h = np.atleast_1d(np.asarray(h, dtype=np.float64))
        truth = bent.combine(np.zeros(bent.rest.shape[-1]), np.minimum(0.0, h))
        rows.append(coverage(bent.at(*h), float(truth), level))
    return rows


# BLEU on a simulated population of filings --------------------------------------------------------

FILINGS = 90
OUTLOOK = (10, 22)
OUTLOOK_WORDS = (
    "Looking ahead leadership expects modest demand while competitors remain cautious about wider "
    "volumes since nobody can promise when markets will recover fully").split()
TUNING = "Figures stay unaudited"
NOTICE = "Investors should read our complete statement before deciding anything"


def noted(x: np.ndarray, words) -> np.ndarray:
    """BLEU statistics (N, 10) with `words`, a number or (N,), more words at each output's end.

    They match nothing: length and n-gram totals grow by as many, matches and references stay.
    """
    longer = x.copy()
    longer[:, [0, 6, 7, 8, 9]] += np.broadcast_to(words, len(x))[:, None]
    return longer


@dataclass(frozen=True, eq=False)
class Population:
    """Filings of which a share has an outlook at the end of the reference that no system writes.

    a, b: (N, 10) BLEU statistics of two systems against references without it; all N filings are
    equally likely. An outlook has 10 to 22 words, each length equally likely; they match nothing,
    so r grows and no more.
    """

    a: np.ndarray
    b: np.ndarray
    share: float

    @property
    def truth(self) -> float:
        """The gap in BLEU of the whole population."""
        outlook = np.zeros(10)
        outlook[1] = self._outlook()[0]
        score_a, score_b = (metrics.bleu(x.mean(axis=0) + outlook) for x in (self.a, self.b))
        return float(score_a - score_b)

    def distance(self, system: str, n: int = FILINGS) -> Distance:
        """Distance from the kink of system "a" or "b" on test sets of n, from exact moments."""
        x = self.a if system == "a" else self.b
        mean, variance = self._outlook()
        c, r = x[:, 0].mean(), x[:, 1].mean() + mean
        a = math.sqrt(np.var(r / c**2 * x[:, 0] - x[:, 1] / c) + variance / c**2)
        return Distance(n, float(c / r), float(1 - r / c), a)

    def draw(self, experiments: int, rng: np.random.Generator,
             n: int = FILINGS) -> tuple[np.ndarray, np.ndarray]:
        """Test sets of n filings each: a, b of shape (experiments, n, 10)."""
        chosen = rng.integers(len(self.a), size=(experiments, n))
        words = rng.integers(OUTLOOK[0], OUTLOOK[1] + 1, size=(experiments, n))
        words *= rng.random((experiments, n)) < self.share
        a, b = self.a[chosen], self.b[chosen]
        a[..., 1] += words
        b[..., 1] += words
        return a, b

    def _outlook(self) -> tuple[float, float]:
        """Mean and variance of the words that an outlook adds to a reference."""
        lengths = np.arange(OUTLOOK[0], OUTLOOK[1] + 1)
        mean = self.share * lengths.mean()
        return float(mean), float(self.share * (lengths**2).mean() - mean**2)


def placed(a: np.ndarray, b: np.ndarray, h: float, n: int = FILINGS) -> Population:
    """The population whose share of outlooks puts A at distance h from the kink, by bisection."""
    def at(share):
        return Population(a, b, share).distance("a", n).h

    if not at(1.0) <= h <= at(0.0):
        raise ValueError(f"h must lie between {at(1.0):.2f} and {at(0.0):.2f}; got {h}")
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle) > h else (low, middle)
    return Population(a, b, (low + high) / 2)


def tuned_and_notice(h: float, n: int = FILINGS) -> Population:
    """A: the writer with a note of 3 words, at distance h from the kink. B: A and a notice of 9."""
    writer = filings.fresh("bleu")["writer"]
    tuned = noted(writer, len(TUNING.split()))
    return placed(tuned, noted(tuned, len(NOTICE.split())), h, n)


def tuned_and_wordier(h: float, share: float = 0.4, n: int = FILINGS) -> Population:
    """A: the same. B: A with one word more on a share of the filings."""
    writer = filings.fresh("bleu")["writer"]
    tuned = noted(writer, len(TUNING.split()))
    # Whatever its text: the multiples of an irrational number are spread evenly over [0, 1).
    more = np.arange(len(writer)) * (math.sqrt(5) - 1) / 2 % 1 < share
    return placed(tuned, noted(tuned, more), h, n)


def bleu_gap(rest: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Q_A exp(v_A) - Q_B exp(v_B): the BLEU gap from precisions and brevity terms."""
    return rest[..., 0] * np.exp(v[..., 0]) - rest[..., 1] * np.exp(v[..., 1])


def bleu_bent(a: np.ndarray, b: np.ndarray, draws: int, seed) -> Bent:
    """The BLEU gap on test sets a, b (E, n, 10), bootstrapped in pairs: two kinks."""
    rng = _checks.generator(seed)
    n = a.shape[1]
    m = round(n ** (2 / 3))
    both = np.concatenate([a, b], axis=2).astype(np.float32)
    u, rest = _terms(both.sum(axis=1, dtype=np.float64))
    few, star = (_terms(_resampled_sums(both, draws, size, rng)) for size in (m, n))
    return Bent(bleu_gap, u, rest, *star, *few, math.sqrt(m / n), math.sqrt(math.log(n)),
                star[0].std(axis=1))


def bleu_coverage(population: Population, experiments: int = 500, draws: int = 400, seed=0,
                  level: float = LEVEL, n: int = FILINGS) -> Coverage:
    """Coverage of the population's BLEU gap by every interval, over test sets of n filings."""
    rng = _checks.generator(seed)
    a, b = population.draw(experiments, rng, n)
    return coverage(bleu_bent(a, b, draws, rng), population.truth, level)


def bleu_intervals(pairs: PairedSet, draws: int = 10_000, seed=0,
                   level: float = LEVEL) -> dict[str, tuple[float, float]]:
    """The six intervals of one paired set's BLEU gap."""
    found = intervals(bleu_bent(pairs.a[None], pairs.b[None], draws, seed), level)
    return {name: (float(low[0]), float(high[0])) for name, (low, high) in found.items()}


def _resampled_sums(x, draws, size, rng):
    experiments, n, columns = x.shape
    sums = np.empty((experiments, draws, columns))
    for e in range(experiments):
        index = rng.integers(n, size=(draws, size)) + np.arange(0, draws * n, n)[:, None]
        counts = np.bincount(index.ravel(), minlength=draws * n).reshape(draws, n)
        sums[e] = counts.astype(np.float32) @ x[e]
    return sums


def _terms(pooled):
    """u and geometric mean precisions, (..., 2) each, of both systems' pooled sums (..., 20)."""
    sides = pooled[..., :10], pooled[..., 10:]
    return (np.stack([1 - x[..., 1] / x[..., 0] for x in sides], axis=-1),
            np.stack([(x[..., 2:6] / x[..., 6:10]).prod(axis=-1) ** 0.25 for x in sides], axis=-1))


# Tables as text -----------------------------------------------------------------------------------

def grid_text(distances: Sequence, rows: Sequence[Coverage], what: str = "covers",
              names: Sequence[str] = INTERVALS) -> str:
    """One line for each distance, one column for each interval: coverage, or mean width."""
    lines = [f"{'h':>6}" + "".join(f"{name:>12}" for name in names)]
    for h, row in zip(distances, rows):
        values = getattr(row, what)
        lines.append(f"{h:>6}" + "".join(f"{values[name]:>12.3f}" for name in names))
    return "\n".join(lines)


@dataclass(frozen=True)
class Worst:
    """The lowest coverage of one interval over a grid of distances, and where it is found."""

    value: float
    where: object
    error: float


def worst(distances: Sequence, rows: Sequence[Coverage]) -> dict[str, Worst]:
    """For each interval its lowest coverage over the grid."""
    found = {}
    for name in INTERVALS:
        k = min(range(len(rows)), key=lambda k: rows[k].covers[name])
        found[name] = Worst(rows[k].covers[name], distances[k], rows[k].error(name))
    return found


# The opening: three test sets ---------------------------------------------------------------------

@dataclass(frozen=True, eq=False)
class Reading:
    """One test set of the population, bootstrapped once and read twice."""

    pairs: PairedSet
    cloud: Cloud
    ratio: float
    percentile: tuple[float, float]
    basic: tuple[float, float]


def readings(population: Population, count: int, seed, draws: int = 10_000,
             level: float = LEVEL) -> list[Reading]:
    """The first `count` test sets of the seed, read. Warns of the kink, as the bootstrap does."""
    rng = _checks.generator(seed)
    found = []
    for a, b in zip(*population.draw(count, rng)):
        pairs = PairedSet(a, b, names=("tuned", "with notice"))
        cloud = bootstrap(pairs, draws, rng)
        found.append(Reading(pairs, cloud, float(a[:, 0].sum() / a[:, 1].sum()),
                             rules.percentile_interval(cloud, level),
                             rules.basic_interval(cloud, level)))
    return found


# Figures ------------------------------------------------------------------------------------------

SIX = (*figures.LOOKS, figures.Look("#56B4E9", "-", "", "P"))
ONE, OTHER, LINE = figures.BOOTSTRAP, figures.OBSERVED, figures.REFERENCE


@figures.styled
def draw_readings(found: Sequence[Reading], truth: float):
    """Bootstrap clouds on one axis, the two intervals below each, the true gap through all."""
    figure, axes = figures.canvas(1, len(found), width=7.2, height=2.9, share_x=True, share_y=True)
    clouds = [reading.cloud.gaps for reading in found]
    edges = np.linspace(min(map(np.min, clouds)), max(map(np.max, clouds)), 60)
    counts = [np.histogram(gaps, edges)[0] for gaps in clouds]
    top = max(map(np.max, counts))
    for axis, reading, count in zip(axes, found, counts):
        axis.stairs(count, edges, fill=True, alpha=0.5, color=ONE.color)
        for ends, look, place in ((reading.percentile, ONE, -0.10), (reading.basic, OTHER, -0.22)):
            axis.plot(ends, [place * top] * 2, marker=look.marker, markersize=4, **look.stroke)
        axis.axvline(truth, **LINE.stroke)
        axis.set_title(f"c/r = {reading.ratio:.4f}", loc="left")
        axis.set(xlabel="BLEU gap")
        axis.locator_params(axis="x", nbins=4)
    axes[0].set(ylim=(-0.3 * top, 1.05 * top), yticks=[])
    for text, place in (("percentile", -0.10), ("basic", -0.22)):
        axes[0].annotate(text, (edges[0], place * top), va="center", fontsize=8)
    axes[-1].annotate("true gap", (truth, top), (-4, 0), textcoords="offset points", ha="right",
                      va="top", fontsize=8)
    return figure


@figures.styled
def draw_bend(u: np.ndarray, beta: np.ndarray, density: np.ndarray, share: float):
    """Left: the brevity term. Right: its law at the kink, half a normal law and an atom."""
    figure, (left, right) = figures.canvas(1, 2, height=2.6)
    left.plot(u, beta, **ONE.stroke)
    left.plot([0], [0], OTHER.marker, color=OTHER.color)
    left.set(xlabel=r"$\sqrt{n}\,\hat{u}/a$", ylabel=r"$\sqrt{n}\,\log\mathrm{BP}/a$")
    below = u <= 0
    right.plot(u, density, label="without the bend", **LINE.stroke)
    right.fill_between(u[below], 0, density[below], alpha=0.4, color=ONE.color, hatch="///",
                       linewidth=0)
    right.vlines([0], 0, [share], color=ONE.color, linewidth=4, label=f"atom of {share:g}")
    right.set(xlabel=r"$\sqrt{n}\,\log\mathrm{BP}/a$", ylabel="density; height of the atom",
              ylim=(0, 0.62))
    right.legend(loc="upper left", fontsize=7.5)
    return figure


@figures.styled
def draw_atoms(found: dict[int, np.ndarray]):
    """Distribution functions of the bootstrap's atom for several n, and of its limit."""
    figure, axis = figures.canvas(height=2.7)
    axis.plot([-0.03, 0, 0, 0.5, 1, 1.03], [0, 0, 0.5, 0.5, 1, 1], linewidth=2.4, label="limit",
              **LINE.stroke)
    for (n, atom), look in zip(found.items(), figures.LOOKS):
        axis.plot(np.sort(atom), (np.arange(len(atom)) + 1) / len(atom), label=f"n = {n}",
                  **look.stroke)
    axis.set(xlabel="share of resamples equal to the test set's penalty",
             ylabel="share of test sets", ylim=(0, 1.02))
    axis.legend(loc="upper left")
    return figure


@figures.styled
def draw_coverage(h: np.ndarray, limits: dict[str, np.ndarray], places: Sequence,
                  rows: Sequence[Coverage], level: float):
    """Limit coverages as curves over h, and measured ones as points with two standard errors."""
    figure, axis = figures.canvas(height=3.0)
    for (name, curve), look in zip(limits.items(), (ONE, OTHER)):
        for side in (h < 0, h >= 0):
            axis.plot(h[side], curve[side], label=name if side[0] else None, **look.stroke)
        axis.errorbar(places, [row.covers[name] for row in rows],
                      [2 * row.error(name) for row in rows], linestyle="none", color=look.color,
                      marker=look.marker, markersize=4, capsize=2)
    axis.axhline(level, label=f"level {level:.2f}", **LINE.stroke)
    axis.set(xlabel="distance from the kink, h", ylabel="share of test sets covered",
             ylim=(0.35, 1.02))
    axis.legend(loc="lower left")
    return figure


@figures.styled
def draw_intervals(distances: Sequence[float], rows: Sequence[Coverage], level: float, unit: str):
    """Coverage and mean width of all intervals against h."""
    figure, (left, right) = figures.canvas(1, 2, width=7.2, height=3.5)
    for name, look in zip(INTERVALS, SIX):
        for axis, what in ((left, "covers"), (right, "width")):
            axis.plot(distances, [getattr(row, what)[name] for row in rows], marker=look.marker,
                      markersize=4, linewidth=1.2, label=name, **look.stroke)
    left.axhline(level, **LINE.stroke)
    left.set(xlabel="distance h", ylabel="share of test sets covered", ylim=(0, 1.02))
    right.set(xlabel="distance h", ylabel=f"mean width ({unit})", ylim=(0, None))
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=6,
                  fontsize=7.5, columnspacing=1.0)
    return figure


@figures.styled
def draw_gap_of_terms(h: Sequence[float], limits: dict[float, list[dict[str, float]]],
                      level: float):
    """Limit coverage of the gap of two brevity terms, one at its kink, for several correlations."""
    figure, axes = figures.canvas(1, 2, height=2.9, share_y=True)
    for axis, name in zip(axes, ("percentile", "basic")):
        for (correlation, rows), look in zip(limits.items(), figures.LOOKS):
            axis.plot(h, [row[name] for row in rows], marker=look.marker, markersize=4,
                      label=f"correlation {correlation:g}", **look.stroke)
        axis.axhline(level, **LINE.stroke)
        axis.set_title(name, loc="left")
        axis.set(xlabel=r"distance $h_1$ (the other: 0)")
    axes[0].set(ylabel="limit coverage", ylim=(0, 1.02))
    axes[0].legend(loc="lower left")
    return figure


# The kink lab -------------------------------------------------------------------------------------

LAB_EXPERIMENTS, LAB_DRAWS = 200, 199
LAB_SIZES = (20, 50, 100, 200)
LAB_LEVELS = (0.80, 0.90, 0.95)
LAB_STATISTICS = (("one penalty: min(0, u)", "one"),
                  ("penalty and noise: min(0, u) + 0.3 y", "noise"),
                  ("gap of two penalties, the second at its kink, correlation 0.9", "gap"))


def lab_coverage(statistic: str, h: float, n: int, level: float, seed: int) -> Coverage:
    """What the lab shows: `LAB_EXPERIMENTS` test sets at distance h, `LAB_DRAWS` resamples each."""
    _checks.choice("statistic", statistic, [value for _, value in LAB_STATISTICS])
    size = dict(n=n, experiments=LAB_EXPERIMENTS, draws=LAB_DRAWS, seed=seed)
    if statistic == "gap":
        return over(two_kinks(0.9, **size), [(h, 0.0)], level)[0]
    bent = one_kink(**size) if statistic == "one" else kink_and_noise(0.3, **size)
    return over(bent, [h], level)[0]


@figures.styled
def draw_lab(found: Coverage, level: float):
    """Coverage of each interval with two standard errors, beside the level."""
    figure, axis = figures.canvas(height=2.3)
    for place, (name, look) in enumerate(zip(INTERVALS, SIX)):
        axis.errorbar([found.covers[name]], [-place], xerr=[2 * found.error(name)],
                      marker=look.marker, color=look.color, capsize=3)
    axis.axvline(level, **LINE.stroke)
    axis.set_yticks([-place for place in range(len(INTERVALS))], INTERVALS)
    axis.set(xlabel=f"share of test sets covered (dotted: level {level:.2f})", xlim=(0, 1.02))
    return figure


def lab_frame(statistic: str, h: float, n: int, level: float, seed: int) -> str:
    """The lab's view as HTML: coverage of the six intervals as a picture and as a table."""
    found = lab_coverage(statistic, h, n, level, seed)
    lowest = min(INTERVALS, key=found.covers.get)
    places = ", ".join(f"{name} at {found.covers[name]:.3f}" for name in INTERVALS)
    alt = (f"Six points with error bars beside a line at the level {level:.2f}, for h = {h:.2f}: "
           f"{places}; the lowest is {lowest}.")
    rows = [[name, f"{found.covers[name]:.3f}", f"{found.error(name):.3f}",
             f"{found.width[name]:.2f}"] for name in INTERVALS]
    return figures.image_tag(draw_lab(found, level), alt) + figures.table(
        ["interval", "covered", "se", "mean width (standard errors)"], rows,
        f"h = {h:.2f}, n = {n}, level {level:.2f}, {found.experiments} test sets, "
        f"{LAB_DRAWS} draws, seed {seed}")


def kink_lab():
    """The kink lab: choose statistic, distance, n and level; every change resamples anew."""
    return widgets.experiment(lab_frame, {
        "statistic": widgets.choice("statistic", list(LAB_STATISTICS), "one"),
        "h": widgets.real("distance h", -6.0, 2.0, -0.5, 0.25),
        "n": widgets.steps("segments n", list(LAB_SIZES), 100),
        "level": widgets.steps("level", list(LAB_LEVELS), LEVEL),
        "seed": widgets.whole("new test sets: seed", 0, 50, 0),
    })


# Settings of the lab that a lecture steps through: towards the kink, onto it, a longer test set, two penalties.
LECTURE = (
    {"statistic": "one", "h": -5.0, "n": 100, "level": 0.90, "seed": 0},
    {"statistic": "one", "h": -1.0, "n": 100, "level": 0.90, "seed": 0},
    {"statistic": "one", "h": -0.25, "n": 100, "level": 0.90, "seed": 0},
    {"statistic": "one", "h": 0.0, "n": 100, "level": 0.90, "seed": 0},
    {"statistic": "one", "h": -0.25, "n": 200, "level": 0.90, "seed": 0},
    {"statistic": "gap", "h": -0.5, "n": 100, "level": 0.90, "seed": 0},
)
