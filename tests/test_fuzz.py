"""Every public function on hostile input: a value that keeps its promises, or one line that names the argument.

`make test` tries a few examples of each function, the same ones each time; `make fuzz` 10,000 from a new seed,
which it prints. What counts as a failure stands in `hostile.tried`. A fault once found has its smallest example
in FOUND or in a test of its own.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import importlib
import inspect
import io
import itertools
import json
import math
import operator
import os
import pathlib
import re
import signal
import sys
import time
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hostile import (
    EXTREMES,
    HOSTILE,
    DISGUISES,
    NAN,
    INF,
    LOTS,
    Awkward,
    Made,
    arrays,
    bounded,
    deep_list,
    disguised,
    fingerprint,
    labels,
    opened,
    plain,
    scores,
    tried,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import quietly

import sigbook as sb
from sigbook import __main__ as command
from sigbook import _checks, exercises, experiments, reading
from sigbook.exercises import verdicts
from sigbook.worlds import filings, tone

ROOT = pathlib.Path(sb.__file__).resolve().parent.parent
AT_LENGTH = os.environ.get("SIGBOOK_HYPOTHESIS") == "fuzz"
FUZZ = settings(suppress_health_check=list(HealthCheck), **({} if AT_LENGTH else {"max_examples": 50}))

# Arguments ----------------------------------------------------------------------------------------------

SEEDS = st.sampled_from((0, 1, 7, 2**64)) | st.just(0).map(lambda _: np.random.SeedSequence(3))
DRAWS = st.sampled_from((1, 2, 3, 20, 50))
FRACTIONS = st.sampled_from((0.05, 0.95, 0.5, 1e-3, 1e-12, 5e-324, 1 - 1e-16, 0.25, 0.1))
PROBABILITIES = st.sampled_from((0, 1, 0.0, 1.0, 0.3, 0.15, 0.5, 0.1 + 0.2, 1e-5, 1e-12, 5e-324, 1 - 1e-16, 0.7))
COUNTS = st.integers(0, 30) | st.sampled_from((1000, 1001, 10**5, 2**31, 10**9, 2**53, 2**63, 10**40, 10**400))


def ratio(pooled):
    return pooled[..., 0] / (np.abs(pooled).sum(axis=-1) + 1e-300)


def sometimes_nothing(pooled):
    """Homogeneous, and NaN for some sums."""
    share = pooled[..., 0] / pooled.sum(axis=-1)
    return np.where(share > 0.6, np.nan, share)


def huge(pooled):
    return 1e308 * np.sign(pooled[..., 0])


def failing(pooled):
    raise KeyError("no such column")


def changing(pooled):
    pooled *= 0
    return pooled[..., 0]


def vast(pooled):
    return 1e290 * np.sign(pooled[..., 0])


FUNCTIONS = (ratio, sometimes_nothing, huge, vast, failing, changing, np.sum, len, lambda pooled: 0.5, lambda pooled: pooled[..., 0] * 0)
METRICS = ("mean", "real", "weighted", "f1", "bleu", "bleu-exp", "function")


def row(kind, lot):
    """One segment's statistics."""
    if kind == "weighted":
        return [lot.randint(-20, 20), lot.randint(1, 5)]
    if kind == "f1":
        predicted, gold = lot.randint(0, 6), lot.randint(0, 6)
        return [lot.randint(0, min(predicted, gold)), predicted, gold]
    c, r, matched = lot.randint(0, 12), lot.randint(1, 12), []
    totals = [max(0, c - order) for order in range(4)]
    for total in totals:
        matched.append(lot.randint(0, min([total, *matched[-1:]])))
    return [c, r, *matched, *totals]


@st.composite
def statistics(draw, axes=2, runs=(2, 3), extreme=True):
    """(a, b, metric) of one kind; with `axes` 3, stacks of as many experiments or runs."""
    kind, n, lot = draw(st.sampled_from(METRICS)), draw(st.integers(1, 6)), draw(LOTS)

    def one():
        if kind in ("mean", "real"):
            return draw(scores(n, extreme))
        if kind == "function":
            return [[lot.randint(0, 5), lot.randint(0, 5)] for _ in range(n)]
        rows = [row(kind, lot) for _ in range(n)]
        times = draw(st.sampled_from((1, 1, 1, 10**6, 1e70, 1e-200)))
        return [[x * times for x in row] for row in rows] if times != 1 else rows

    a, b = one(), one()
    if draw(st.integers(0, 5)) == 0:
        b = a
    if axes == 3:
        a, b = ([x, *(one() for _ in range(draw(st.sampled_from(runs)) - 1))] for x in (a, b))
    metric = draw(st.sampled_from(FUNCTIONS)) if kind == "function" else "mean" if kind in ("real", "weighted") else kind
    return np.array(a), np.array(b), metric


@st.composite
def for_a_set(draw):
    a, b, metric = draw(statistics())
    found = {"a": a, "b": b, "metric": metric}
    if draw(st.booleans()):
        found["clusters"] = draw(labels(len(a)))
    if draw(st.integers(0, 3)) == 0:
        found["names"] = draw(st.sampled_from((("x", "y"), ["x", "x"], ("", "\ud800"), np.array(["x", "y"]), ("x",), "xy")))
    return found


@st.composite
def sets(draw):
    """A PairedSet, which may be of one segment, of clusters, tiny or huge."""
    while True:
        with contextlib.suppress(ValueError):
            return quietly(sb.PairedSet, **opened(draw(for_a_set())))


@st.composite
def some_clouds(draw, kind=None):
    kind = draw(st.sampled_from(("bootstrap", "randomization"))) if kind is None else kind
    shape = draw(st.sampled_from(((1,), (2,), (7,), (20,), (2, 5), (2, 3, 4))))
    gaps = np.resize(np.array(draw(scores(7)), dtype=float), shape)
    observed = np.array(draw(scores(6)), dtype=float)
    observed = np.resize(observed, shape[:-1]) if len(shape) > 1 else observed[0]
    scale = draw(st.sampled_from((0.0, 1.0, 1e-300, 1e300)))
    while True:
        with contextlib.suppress(ValueError):
            return sb.Cloud(gaps, observed, kind, draw(st.booleans()), scale)
        gaps, observed = gaps * 1e-20, observed * 1e-20


def by_name(**strategies):
    """A strategy of arguments by name; those whose name begins with an underscore may be left out."""
    optional = {key[1:]: strategy for key, strategy in strategies.items() if key.startswith("_")}
    needed = {key: strategy for key, strategy in strategies.items() if not key.startswith("_")}
    return st.fixed_dictionaries(needed, optional=optional)


@st.composite
def of_clusters(draw):
    n = draw(st.integers(1, 8))
    return {"x": draw(scores(n)), "clusters": draw(labels(n))}


@st.composite
def of_trials(draw):
    n = draw(st.integers(1, 8))
    found = {"labels": draw(LOTS).choices((0, 1), k=n), "scores": draw(scores(n))}
    if draw(st.booleans()):
        found["weights"] = [abs(x) for x in draw(scores(n))]
    return found


@st.composite
def of_detectors(draw):
    n = draw(st.integers(1, 8))
    found = {"labels": [0, 1, *draw(LOTS).choices((0, 1), k=n - 1)], "scores_a": draw(scores(n + 1)), "scores_b": draw(scores(n + 1))}
    found["groups"] = draw(LOTS).choices((0, 1, 2, 1), k=n + 1) if draw(st.booleans()) else draw(labels(n + 1))
    return {**found, **draw(by_name(_kind=st.sampled_from(("pooled", "macro")), draws=DRAWS, _seed=SEEDS))}


@st.composite
def of_runs(draw):
    a, b, metric = draw(statistics(axes=3, runs=(1, 2, 2, 3, 5)))
    options = draw(by_name(_paired_runs=st.booleans(), draws=DRAWS, _seed=SEEDS))
    return {"stats_a": a, "stats_b": b, "metric": metric, **options}


@st.composite
def of_a_stack(draw):
    a, b, metric = draw(statistics(axes=3, runs=(2,)))
    return {"a": a, "b": b, "metric": metric, **draw(by_name(draws=DRAWS, _seed=SEEDS))}


@st.composite
def of_margins(draw):
    low, high, *differences = draw(scores(draw(st.integers(3, 10))))
    found = {"low": min(low, high), "high": max(low, high), "differences": differences}
    return {**found, **draw(by_name(_alpha=st.sampled_from((0.05, 0.1, 0.5, 1e-3, 5e-324))))}


WORDS = st.sampled_from(("the", "cat", "sat", "on", "a", "mat", ".", "", "\ud800", "\x00", "猫", "\n", "\r", "3.5", "<s>", "&quot;", "ﷺ", "e\u0301"))
LINE = st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=12) | st.sampled_from(("the cat sat on the mat .", "a" * 3000))


@st.composite
def of_texts(draw):
    n = draw(st.integers(1, 4))
    lines = st.lists(LINE, min_size=n, max_size=n)
    references = draw(lines | st.lists(lines, min_size=1, max_size=3))
    return {"hypotheses": draw(lines), "references": references,
            **draw(by_name(_tokenize=st.sampled_from(("13a", "none", "char", "intl", "zh", "13A", "ja-mecab"))))}


@st.composite
def of_a_cloud(draw):
    gaps = np.resize(np.array(draw(scores(5))), draw(st.sampled_from(((1,), (5,), (2, 3), (2, 2, 2)))))
    observed = np.resize(np.array(draw(scores(2))), gaps.shape[:-1])
    options = draw(by_name(_enumerated=st.booleans(), _score_scale=st.sampled_from((0.0, 1, 1e-300, 1e300, INF, -1.0)),
                           _invalid=st.integers(0, 3)))
    return {"gaps": gaps, "observed": observed, "kind": draw(st.sampled_from(("bootstrap", "randomization"))), **options}


PS = st.lists(PROBABILITIES, min_size=1, max_size=6)
SIDE = st.sampled_from(("greater", "less"))
ONE_SCORE = scores(1).map(lambda x: x[0])
POOLED = st.sampled_from(((), (1,), (2, 3))).flatmap(
    lambda shape: st.sampled_from((3, 10)).flatmap(lambda k: st.just(np.ones((*shape, k), dtype=np.int64)))
) | LOTS.map(lambda lot: [row("bleu", lot) for _ in range(lot.randint(1, 3))]) | LOTS.map(lambda lot: row(lot.choice(["bleu", "f1"]), lot))

# What is promised ----------------------------------------------------------------------------------------


def share(p):
    p = np.asarray(p)
    assert ((0 <= p) & (p <= 1)).all()


def of_one(p):
    """A p-value that is never 0."""
    share(p)
    assert (np.asarray(p) > 0).all()


def a_number(value, least=-INF, most=INF):
    assert type(value) is float and least <= value <= most and math.isfinite(value)


def entries(value):
    return np.array(np.asarray(value).tolist(), dtype=np.float64)


def a_set(given, pairs):
    for name, kept in (("a", pairs.a), ("b", pairs.b)):
        whole = entries(given[name])
        assert np.array_equal(kept, whole.reshape(kept.shape)) and not kept.flags.writeable
    assert pairs.n == len(pairs.a) == len(pairs.b) and 1 <= pairs.units <= pairs.n
    assert all(map(math.isfinite, (pairs.score_a, pairs.score_b, pairs.gap)))
    assert repr(pairs).startswith("PairedSet(")
    if pairs.clusters is not None:
        assert len(pairs.clusters) == pairs.n and pairs.units == len(set(pairs.unit_of.tolist()))
    turned = quietly(sb.PairedSet, pairs.b, pairs.a, pairs.metric, None if pairs.clusters is None else pairs.unit_of)
    assert turned.gap == -pairs.gap and (turned.score_a, turned.score_b) == (pairs.score_b, pairs.score_a)


def a_cloud(given, cloud):
    gaps = entries(given["gaps"])
    assert np.array_equal(cloud.gaps, gaps) and cloud.draws == gaps.shape[-1] and not cloud.gaps.flags.writeable
    low, high = cloud.gaps.min(axis=-1), cloud.gaps.max(axis=-1)
    assert (np.asarray(cloud.sd) >= 0).all() and (cloud.sd <= (high / 2 - low / 2) * (1 + 1e-9) + 5e-324).all()
    assert ((np.asarray(cloud.sd) > 0) | (high == low) | (cloud.draws == 1) | (high - low < 1e-290)).all()
    assert (np.asarray(cloud.slack) >= 0).all() and repr(cloud).startswith("Cloud(")


def of_draws(kind):
    def promise(given, cloud):
        pairs, draws = given["pairs"], given["draws"]
        assert cloud.kind == kind and cloud.observed == pairs.gap and np.isfinite(cloud.gaps).all()
        if isinstance(draws, str):
            assert cloud.enumerated and cloud.draws & (cloud.draws - 1) == 0
        else:
            assert cloud.draws == operator.index(draws)
        a_cloud({"gaps": cloud.gaps}, cloud)
        if np.array_equal(pairs.unit_a, pairs.unit_b):
            assert not cloud.gaps.any()
    return promise


def an_interval(given, interval):
    cloud, (low, high) = given["cloud"], interval
    assert np.shape(low) == np.shape(high) == np.shape(cloud.observed)
    assert (np.asarray(low) <= high).all() and np.isfinite(low).all() and np.isfinite(high).all()


def some_influences(given, values):
    pairs = given["pairs"]
    assert values.shape == (pairs.n,)
    if np.isfinite(values).all():
        largest = max(np.abs(values).max(), abs(pairs.score_a), abs(pairs.score_b))
        assert abs(values.sum()) <= pairs.n * (1e-9 * largest + 1e-322)
    else:
        assert np.isnan(values).all()


def a_spread(given, sd):
    assert type(sd) is float and (sd >= 0 or math.isnan(sd)) and sd != INF
    pairs = given["pairs"]
    if pairs.metric == "mean" and pairs.clusters is None and pairs.a.ndim == 1:
        differences = [x - y for x, y in zip(entries(pairs.a), entries(pairs.b))]
        reach = max(differences) - min(differences)  # a spread below the least double is 0
        if reach > max(1e-9 * max(map(abs, (*entries(pairs.a), *entries(pairs.b)))), 1e-300):
            assert sd > 0


def adjusted(given, p):
    raw = entries(given["p"])
    assert p.shape == raw.shape and p.dtype == np.float64
    share(p)
    for function in (sb.holm, sb.benjamini_hochberg):
        assert np.array_equal(function(raw[::-1]), function(raw)[::-1])
    assert (p >= raw).all() and (np.diff(p[np.argsort(raw, kind="stable")]) >= 0).all()


def equivalence(given, found):
    share([found.p_lower, found.p_upper, found.p])
    assert found.p == max(found.p_lower, found.p_upper) and found.n == len(entries(given["differences"]))
    assert found.interval[0] <= found.mean <= found.interval[1] and all(map(math.isfinite, found.interval))
    assert found.equivalent is (found.p <= found.alpha)


def rows_of_bleu(given, rows):
    assert rows.dtype == np.int64 and rows.shape == (size_of(given["hypotheses"], rows), 10) and (rows >= 0).all()
    assert (rows[:, 2:6] <= rows[:, 6:]).all() and (np.diff(rows[:, 6:]) <= 0).all()
    quietly(sb.PairedSet, rows, rows)


def size_of(given, found):
    """How many there are; of an iterator, which is used up, as many as were found."""
    return len(given) if hasattr(given, "__len__") else len(found)


def of_counts(given, p):
    share(p)
    assert quietly(sb.mcnemar, given["n01"], given["n10"], given.get("method", "exact")) == p


def a_power(given, power):
    a_number(power, 0, 1)


def an_eer(given, rate):
    a_number(rate, 0, 1)


def a_gap_of_rates(given, cloud):
    assert cloud.draws + cloud.invalid == given["draws"] and np.abs(cloud.gaps).max() <= 1 and abs(cloud.observed) <= 1


def runs_crossed(given, cloud):
    assert cloud.draws == operator.index(given["draws"]) and np.isfinite(cloud.gaps).all() and math.isfinite(cloud.observed)


def a_stack(given, cloud):
    assert cloud.gaps.shape == (len(given["a"]), given["draws"]) and np.isfinite(cloud.gaps).all()


def a_ratio(given, value):
    a_number(value)


def positive(given, value):
    a_number(value, 0)


def in_range(given, sd):
    x = entries(given["x"])
    a_number(sd, 0, np.abs(x).max() * (1 + 1e-9))


def a_size(given, n):
    assert type(n) is int and n >= 1


def fractions_of(given, value):
    pooled = np.asarray(given["pooled"])
    assert np.shape(value) == pooled.shape[:-1]
    pooled = pooled.astype(float)
    if pooled.shape[-1] == 3:  # counts of F1; else of BLEU
        possible = pooled[..., 0] <= pooled[..., 1:].min(axis=-1)
    else:
        possible = (pooled[..., 2:6] <= pooled[..., 6:]).all(axis=-1)
    share(np.where(possible & (pooled >= 0).all(axis=-1), value, 0.5))


def a_gradient(given, value):
    assert value.shape == (10,) and (np.isfinite(value).all() or np.isnan(value).all())


def p_of(given, p):
    assert np.shape(p) == np.shape(given["cloud"].observed)
    share(p)


def p_above_0(given, p):
    p_of(given, p)
    of_one(p)


def words(given, text):
    assert isinstance(text, str) and "nan" not in text.lower()


def chosen(filings):
    return 90 if filings is None else np.asarray(filings).size


def counted(x, n):
    assert len(x) == n and np.isfinite(x).all()


def rows_of_p(given, row):
    share(row.p)
    assert row.draws == operator.index(given["draws"])
    assert given["experiments"] is None or row.experiments == operator.index(given["experiments"])


# Functions ----------------------------------------------------------------------------------------------

FILINGS = st.sampled_from((*filings.SYSTEMS, "lead", "reference", ""))
TONES = st.sampled_from((*{name for pair in tone.PAIRS for name in pair}, "nb", ""))
ASPECTS = st.sampled_from(("lexicon", "blind", "specialist", "reader", ""))
KINDS = st.sampled_from(("bleu", "fact-f1", "chrf", "rouge-1", "x"))
RESAMPLED, SWAPPED = some_clouds("bootstrap"), some_clouds("randomization")
PAIRS = by_name(pairs=sets())
FUNCTIONS_OF = {
    "PairedSet": (for_a_set(), a_set),
    "Cloud": (of_a_cloud(), a_cloud),
    "bleu_statistics": (of_texts(), rows_of_bleu),
    "bootstrap": (by_name(pairs=sets(), draws=DRAWS, _seed=SEEDS, _order=st.sampled_from(("fast", "sacrebleu"))),
                  of_draws("bootstrap")),
    "randomize": (by_name(pairs=sets(), draws=DRAWS | st.just("all"), _seed=SEEDS, _order=st.sampled_from(("fast", "sacrebleu"))),
                  of_draws("randomization")),
    "p_randomization": (by_name(cloud=SWAPPED, _alternative=st.sampled_from(("two-sided", "greater", "less"))), p_of),
    "p_koehn": (by_name(cloud=RESAMPLED, _alternative=SIDE), p_of),
    "p_recentered": (by_name(cloud=RESAMPLED, _alternative=SIDE), p_of),
    "p_shifted": (by_name(cloud=RESAMPLED), p_above_0),
    "p_sacrebleu": (by_name(cloud=RESAMPLED), p_above_0),
    "percentile_interval": (by_name(cloud=RESAMPLED, _level=FRACTIONS), an_interval),
    "basic_interval": (by_name(cloud=RESAMPLED, _level=FRACTIONS), an_interval),
    "influence": (PAIRS, some_influences),
    "delta_sd": (PAIRS, a_spread),
    "mcnemar": (by_name(n10=COUNTS, n01=COUNTS, _method=st.sampled_from(("exact", "midp", "chi2", "corrected", "anytime"))),
                of_counts),
    "mcnemar_power": (by_name(n=COUNTS, p10=PROBABILITIES, p01=PROBABILITIES, _alpha=FRACTIONS), a_power),
    "mcnemar_sample_size": (by_name(p10=PROBABILITIES, p01=PROBABILITIES, _power=FRACTIONS, _alpha=FRACTIONS,
                                    _method=st.sampled_from(("connor", "exact"))), a_size),
    "icc": (of_clusters(), a_ratio),
    "design_effect": (of_clusters(), positive),
    "cluster_sd": (of_clusters(), in_range),
    "holm": (by_name(p=PS), adjusted),
    "benjamini_hochberg": (by_name(p=PS), adjusted),
    "tost": (of_margins(), equivalence),
    "eer": (of_trials(), an_eer),
    "bootstrap_eer": (of_detectors(), a_gap_of_rates),
    "crossed_bootstrap": (of_runs(), runs_crossed),
    # What the notebooks take from single rooms of the package.
    "clouds.randomize_stack": (of_a_stack(), a_stack),
    "metrics.bleu": (by_name(pooled=POOLED), fractions_of),
    "metrics.f1": (by_name(pooled=POOLED), fractions_of),
    "metrics.bleu_gradient": (by_name(pooled=POOLED), a_gradient),
    "experiments.aa_row": (by_name(prompts=st.sampled_from((0, 1, 2, 10, 188, 189)), draws=st.sampled_from((1, 5)), _seed=SEEDS,
                                   experiments=st.sampled_from((1, 3))), rows_of_p),
    "worlds.filings.statistics": (by_name(system=FILINGS, _metric=KINDS), lambda given, x: counted(x, 90)),
    "worlds.filings.fresh": (by_name(metric=KINDS), lambda given, found: [counted(x, len(x)) for x in found.values()]),
    "worlds.filings.pair": (by_name(a=FILINGS, b=FILINGS, _metric=KINDS, _filings=st.sampled_from(([0], [3, 3], [89, 0], [90], [-1], []))),
                            lambda given, pairs: counted(pairs.a, chosen(given.get("filings")))),
    "worlds.filings.pair_again": (by_name(metric=KINDS), lambda given, pairs: counted(pairs.a, pairs.n)),
    "worlds.tone.cells": (by_name(first=TONES, second=TONES), lambda given, cells: counted(np.array(cells), 4)),
    "worlds.tone.pair": (by_name(first=TONES, second=TONES), lambda given, pairs: counted(pairs.a, pairs.n)),
    "worlds.aspects.pair": (by_name(first=ASPECTS, second=ASPECTS, _clusters=st.sampled_from((None, "filing", "sentence", "x"))),
                            lambda given, pairs: counted(pairs.a, pairs.n)),
    "worlds.trigram.experiments": (by_name(prompts=st.sampled_from((0, 1, 2, 10, 188, 189))),
                                   lambda given, both: [counted(x, len(x)) for x in both]),
}
MAKE_OR_SHOW = ("generate", "filings", "sentences", "load", "load_seeds", "show", "aa_table", "aa_text", "split_text", "wmt17",
                "wmt21_ted", "wmt23", "optimizer_runs")  # fmt: skip


@st.composite
def spoiled(draw, arguments):
    """(arguments, the same before one was put in another form, or None)."""
    found = draw(arguments)
    how = draw(st.sampled_from(("as they are", "as they are", "as they are", "one", "one", "disguised", "several")))
    if how == "one":
        found = {**found, draw(st.sampled_from(sorted(found))): draw(HOSTILE)}
    elif how == "several":
        found = {**found, **{name: draw(HOSTILE) for name in sorted(draw(st.sets(st.sampled_from(sorted(found)), min_size=1)))}}
    elif how == "disguised":
        name = draw(st.sampled_from(sorted(found)))
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            if isinstance(found[name], int | float | list | np.ndarray) and np.asarray(found[name]).dtype.kind in "iuf":
                return {**found, name: disguised(found[name], draw(st.sampled_from(DISGUISES)))}, found
    return found, None


def public(name):
    module, _, function = name.rpartition(".")
    return getattr(importlib.import_module(f"sigbook.{module}"), function) if module else getattr(sb, name)


def many_draws(call) -> int:
    """How many gaps a call asks for, if it may."""
    try:
        gaps = math.prod(operator.index(call[name]) for name in ("draws", "experiments") if call.get(name) is not None)
    except Exception:  # no number, or an object that raises
        return 0
    return gaps if 0 < gaps <= _checks.MOST_GAPS else 0


def asked(name, given, before=None):
    """One example: the call, what it promises, the same again, the same in another form."""
    function, promise = public(name), FUNCTIONS_OF[name][1]
    call = opened(given)
    begins = {"bootstrap": ("metric",), "randomize": ("metric",), "worlds.filings.pair": ("system",), "worlds.tone": ("classifier",), "worlds.aspects": ("reader",)}
    begins = next((words for key, words in begins.items() if name.startswith(key)), ())
    many = many_draws(call)
    found = tried(function, begins=begins, many=many, **call)
    if found.refusal is None:
        promise(call, found.value)
    again = tried(function, begins=begins, many=many, **opened(given))
    assert (plain(again.value), again.refusal, again.said) == (plain(found.value), found.refusal, found.said)
    if before is not None and found.refusal is None:
        assert plain(tried(function, many=many, **opened(before)).value) == plain(found.value)
    return found.refusal is None


@pytest.mark.parametrize("name", FUNCTIONS_OF)
def test_a_function_keeps_its_promises_or_refuses_in_words(name):
    ends = collections.Counter()

    @FUZZ
    @given(spoiled(FUNCTIONS_OF[name][0]))
    def any_example(example):
        ends[asked(name, *example)] += 1

    any_example()
    few = name.startswith("worlds.")  # some take one of three words: what is right is soon used up
    assert min(ends[True], ends[False]) >= min(sum(ends.values()) / 20, 5 if few else math.inf), "the examples are one-sided"


# The smallest examples of faults that were found so.
FOUND = {
    "squares of minute scores vanish": ("icc", {"x": [0.0, 3e-300, 0.0], "clusters": ["a", "b", "a"]}),
    "squares of huge scores overflow": ("icc", {"x": [1e307, 4.5e306, 0.0, 1e305], "clusters": ["b", "a", "b", "b"]}),
    "so does a design effect": ("design_effect", {"x": [0.0, 2e160], "clusters": [1, 0]}),
    "and a range from end to end": ("cluster_sd", {"x": [-1.7e308, 1.7e308], "clusters": [1, 0]}),
    "minute differences divide by 0": ("tost", {"low": -1.0, "high": 6.0, "differences": [6e-170, 8.6e-169]}),
    "huge differences overflow": ("tost", {"low": -1.6e71, "high": 3.0, "differences": [0.0, 3e160, 1e160, -6.4e161]}),
    "a reach without end": ("tost", {"low": -1.0, "high": 1.0, "differences": [0.0, 1.0], "alpha": 5e-324}),
    "huge weights overflow": ("eer", {"labels": [0, 1], "scores": [3, 3], "weights": [3e305, 3e305]}),
    "minute weights vanish": ("eer", {"labels": [0, 1, 1, 0], "scores": [2, 0, 2, -1], "weights": [2e-300, 1.6e-299, 2e-300, 1e-300]}),
    "weights of one class vanish": ("eer", {"labels": [0, 1, 1], "scores": [2, 1, 2], "weights": [1.0, 5e-324, 5e-324]}),
    "a count beyond floats": ("mcnemar", {"n10": 10**400, "n01": 7}),
    "a chi-square beyond floats": ("mcnemar", {"n10": 0, "n01": 10**400, "method": "corrected"}),
    "a test set beyond memory": ("mcnemar_power", {"n": 2**53, "p10": 0.3, "p01": 0.3}),
    "a level that halves to 0": ("mcnemar_power", {"n": 9, "p10": 0.3, "p01": 0, "alpha": 5e-324}),
    "a size beyond floats": ("mcnemar_sample_size", {"p10": 5e-324, "p01": 0}),
    "a power that every n has": ("mcnemar_sample_size", {"p10": 0.3, "p01": 0.1, "power": 1e-13, "method": "exact"}),
    "a search one by one": ("mcnemar_sample_size", {"p10": 1e-12, "p01": 0, "method": "exact"}),
    "rare discordance": ("mcnemar_sample_size", {"p10": 5e-324, "p01": 0, "method": "exact"}),
    "a spread that overflows": ("Cloud", {"gaps": np.array([-2e160, 0.0, -1e160]), "observed": -4e161, "kind": "bootstrap"}),
    "a spread that vanishes": ("Cloud", {"gaps": np.array([5e-169, 0.0, 2e-170]), "observed": 0.0, "kind": "bootstrap"}),
    "a spread that vanishes beside a huge one": (
        "Cloud", {"gaps": np.array([[1e200, 1.0], [1.0, -1.0]]), "observed": np.zeros(2), "kind": "bootstrap"}),
    "a spread of what is everywhere 0.1": (
        "Cloud", {"gaps": np.array([[-0.1] * 3, [-0.2, 0.0, -0.1]]), "observed": np.zeros(2), "kind": "bootstrap"}),
    "a spread of neighbours": (
        "Cloud", {"gaps": np.array([-2 / 7, np.nextafter(-2 / 7, -1)]), "observed": 0.0, "kind": "bootstrap"}),
    "a gradient beyond floats": ("delta_sd", {"pairs": sb.PairedSet(np.array([[0, 0]]), np.array([[0, 2]]), huge)}),
    "influences beyond floats": (
        "influence", {"pairs": sb.PairedSet(np.array([[1, 1], [-1, 1]]), np.array([[0, 1], [0, 1]]), huge)}),
    "a ratio to a minute level": ("mcnemar_sample_size", {"p10": 0, "p01": 1, "alpha": 5e-324, "method": "exact"}),
    "a number in disguise that is kept": (
        "Cloud", {"gaps": np.array([1.0]), "observed": 0.0, "kind": "randomization", "invalid": np.array(0)},
        {"gaps": np.array([1.0]), "observed": 0.0, "kind": "randomization", "invalid": 0}),
    "names without an axis": ("PairedSet", {"a": [1], "b": [2], "metric": "mean", "names": np.array("x")}),
    "a mask over fields": ("icc", {"x": np.ma.array(np.zeros(2, "i4,f8"), mask=[(True, True), (False, False)]), "clusters": [0, 1]}),
    "a gap that cannot be doubled": ("Cloud", {"gaps": np.array([1.7e308, -1.7e308]), "observed": 1.7e308, "kind": "bootstrap"}),
    "counts lost in a swap": ("PairedSet", {"a": np.array([[0, 1]]), "b": np.array([[0, 1e70]]), "metric": "mean"}),
    "the same in a stack": ("clouds.randomize_stack", {"a": np.array([[[0, 1]]]), "b": np.array([[[0, 1e70]]]), "metric": "mean", "draws": 1}),
    "counts whose squares vanish": ("PairedSet", {"a": np.array([[0, 1e-200]]), "b": np.array([[1, 1e-200]]), "metric": "mean"}),
    "a score that cannot be subtracted": ("PairedSet", {"a": np.array([[1, 1]]), "b": np.array([[-1, 1]]), "metric": huge}),
    "an object that raises": ("PairedSet", {"a": Made("__array__", lambda: Awkward("__array__")), "b": [1], "metric": "mean"}),
    "an index that raises": ("icc", {"x": Made("__index__", lambda: Awkward("__index__")), "clusters": (1,)}),
    "an object without words": ("holm", {"p": Made("__repr__", lambda: Awkward("__repr__"))}),
    "labels without end": ("PairedSet", {"a": [1], "b": [2], "metric": "mean", "clusters": Made("count", itertools.count)}),
    "lines without end": ("bleu_statistics", {"hypotheses": Made("count", itertools.count), "references": ["a"]}),
    "an integer that cannot be printed": ("mcnemar", {"n10": Made("-10**5000", lambda: -(10**5000)), "n01": 1}),
    "a list that cannot be printed": ("mcnemar", {"n10": Made("3,000 levels", lambda: deep_list(3_000)), "n01": 1}),
    "a metric of many lines": ("PairedSet", {"a": [1], "b": [2], "metric": np.full((2, 3), np.inf, dtype=np.float32)}),
    "sums of another metric": ("metrics.bleu", {"pooled": [1, 1, 1]}),
    "no sums": ("metrics.f1", {"pooled": []}),
    "several sums, one gradient": ("metrics.bleu_gradient", {"pooled": [[0, 1, 0, 0, 0, 0, 0, 0, 0, 0]]}),
    "groups that can be read once": ("bootstrap_eer", {"labels": [0, 0], "scores_a": [0, 0], "scores_b": [0, 0], "draws": 1,
                                                       "groups": Made("iter", lambda: iter([0, 1])), "kind": "macro"}),
    "a seed whose children were counted": ("experiments.aa_row", {"prompts": 10, "draws": 1, "experiments": 3,
                                                                  "seed": np.random.SeedSequence(3)}),
}  # fmt: skip


@pytest.mark.parametrize("fault", FOUND)
def test_a_fault_once_found_does_not_come_back(fault):
    asked(*FOUND[fault])


DRAWING = {
    "bootstrap": {"pairs": sb.PairedSet([1, 2, 4], [1, 3, 0], "mean")},
    "randomize": {"pairs": sb.PairedSet([1, 2, 4], [1, 3, 0], "mean")},
    "bootstrap_eer": {"labels": [0, 1, 0, 1], "scores_a": [1, 2, 3, 4], "scores_b": [2, 1, 3, 4], "groups": [0, 0, 1, 1]},
    "crossed_bootstrap": {"stats_a": np.eye(2), "stats_b": np.eye(2), "metric": "mean"},
    "clouds.randomize_stack": {"a": np.eye(3), "b": np.eye(3), "metric": "mean"},
    "clouds.bootstrap_stack": {"a": np.eye(3), "b": np.eye(3), "metric": "mean"},
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWING)
def test_draws_that_no_memory_holds_are_refused_with_the_most_that_are_allowed(name):
    for draws in (10**8 + 1, 10**12, 10**400):
        found = tried(public(name), **DRAWING[name], draws=draws)
        assert re.fullmatch(r"draws must be at most [\d,]+, for all of them are kept; got .+", found.refusal)


def test_options_that_cannot_be_compared_are_refused_by_name():
    for value in (np.void(b"xy"), np.zeros(2), pd.DataFrame({"a": [1]})):
        assert tried(sb.compare, [1, 2], [2, 1], against=value).refusal.startswith("against")
        assert tried(sb.compare, scores="t.csv", metric=value).refusal.startswith("metric")


def test_a_level_next_to_1_is_a_level():
    report = tried(sb.compare, [1, 2, 4], [2, 1, 0], level=1 - 2.0**-53, draws=20).value
    assert report.pair.detectable > 8 * report.pair.view.sd


def test_a_file_without_a_name_is_called_so():
    assert tried(sb.compare, ["a"], ["b"], references="", begins=("''",)).refusal == "'': no such file"


def test_a_seed_that_cannot_be_printed_is_refused_by_a_report():
    assert tried(sb.compare, [1, 2], [2, 1], seed=10**5000).refusal.startswith("seed must be at most 2^128")
    assert tried(sb.compare, [1, 2], [2, 1], seed=2**128, draws=2).value.seed == 2**128


def test_names_of_columns_are_no_labels_and_no_segments():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["z", "z"]})
    assert tried(sb.icc, [1.0, 2.0], frame).refusal.startswith("clusters must have 1 axis")
    assert tried(sb.bleu_statistics, frame, ["x", "y"]).refusal.startswith("hypotheses is a DataFrame")
    assert tried(sb.bleu_statistics, ["x", "y"], frame).refusal.startswith("references is a DataFrame")
    assert tried(sb.bleu_statistics, frame["a"], frame["b"]).value.shape == (2, 10)


def test_what_a_mask_hides_is_not_taken_for_data():
    row = np.ma.array([1.0, 2.0], mask=[True, False])
    for rows in (row, [row, row]):
        assert tried(sb.PairedSet, rows, [[1, 2], [1, 2]], lambda x: x[..., 0] / x[..., 1]).refusal.startswith(
            "a must have no masked entries")


def test_draws_of_many_pairs_are_counted_together():
    systems = np.arange(30.0).reshape(5, 6) % 7
    assert tried(sb.compare, *systems, draws=2 * 10**7).refusal.startswith("draws must be at most 10,000,000, for all")


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-500, 1.0, 2.0**500, 2.0**1000])
def test_scores_of_any_size_have_the_same_ratios_and_spreads_in_proportion(scale):
    x, groups = np.array([1.0, 4.0, 2.0, 8.0, 5.0, 7.0]), [0, 0, 1, 1, 2, 2]
    assert sb.icc(scale * x, groups) == sb.icc(x, groups)
    assert sb.design_effect(scale * x, groups) == sb.design_effect(x, groups)
    assert sb.cluster_sd(scale * x, groups) == scale * sb.cluster_sd(x, groups)
    assert sb.eer([0, 1, 0, 1, 1, 0], x, scale * x) == sb.eer([0, 1, 0, 1, 1, 0], x, x)
    ours, plain_one = sb.tost(-scale, 9 * scale, scale * x), sb.tost(-1, 9, x)
    assert ours.p == plain_one.p and ours.interval == tuple(scale * end for end in plain_one.interval)
    cloud = sb.Cloud(min(scale, 2.0**900) * x, 0.0, "bootstrap")
    assert cloud.sd == min(scale, 2.0**900) * x.std()
    if scale < 1e70:
        assert sb.delta_sd(sb.PairedSet(scale * x, 0 * x, "mean")) == scale * sb.delta_sd(sb.PairedSet(x, 0 * x, "mean"))


def test_a_seed_sequence_that_is_given_twice_gives_the_same_twice():
    sequence = np.random.SeedSequence(5)
    rows = [experiments.aa_row(10, 3, sequence, experiments=2).p for _ in range(2)]
    assert np.array_equal(*rows) and sequence.n_children_spawned == 0


def taken_by_notebooks():
    """"room.function" of every function that a notebook takes from a room of the package."""
    found = set()
    for path in sorted((ROOT / "book").rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        trees = []
        for source in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
            with contextlib.suppress(SyntaxError):  # cells that show a mistake
                trees.append(ast.parse(source))
        nodes = [node for tree in trees for node in ast.walk(tree)]
        rooms = {
            alias.asname or alias.name: f"{node.module}.{alias.name}".removeprefix("sigbook.")
            for node in nodes if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sigbook")
            for alias in node.names
        }  # fmt: skip
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                room = ast.unparse(node.value)
                room = rooms.get(room) or (room.removeprefix("sb.") if room.startswith("sb.") else "")
                if room and not room.startswith("chapters"):
                    with contextlib.suppress(ImportError):
                        if inspect.isfunction(getattr(importlib.import_module(f"sigbook.{room}"), node.attr)):
                            found.add(f"{room}.{node.attr}")
    return found


def test_every_public_name_and_every_function_of_the_notebooks_is_tried():
    elsewhere = {
        "compare": test_compare_makes_a_report_with_every_face_or_refuses_in_words,
        "Report": test_compare_makes_a_report_with_every_face_or_refuses_in_words,
        "check": test_check_gives_a_verdict_in_words_on_any_answer,
        "hint": test_check_and_hint_take_no_id_that_the_book_does_not_have,
        "SignificanceWarning": test_a_doubt_is_a_warning_of_its_own,
    }
    assert set(sb.__all__) == {name for name in FUNCTIONS_OF if "." not in name} | set(elsewhere)
    taken = taken_by_notebooks()
    assert {"metrics.bleu", "worlds.filings.pair"} <= taken
    assert {name for name in taken if name.rpartition(".")[2] not in MAKE_OR_SHOW} <= set(FUNCTIONS_OF)


def test_a_doubt_is_a_warning_of_its_own():
    @FUZZ
    @given(st.text())
    def any_words(words):
        with pytest.warns(sb.SignificanceWarning) as caught:
            warnings.warn(words, sb.SignificanceWarning, stacklevel=1)
        assert str(caught[0].message) == words

    any_words()


# compare and its report ---------------------------------------------------------------------------------

FILES = {
    "a.txt": b"the cat sat on the mat .\nit is 3.5 % more\n\na dog and a cat ran\n",
    "b.txt": "the dog sat on the mat .\r\nit is more\r\ngr\u00f6\u00dfer\r\na cat\r\n".encode(),
    "c.txt": b"\xef\xbb\xbfone\ntwo\r\nthree\nfour",
    "docs.txt": b"x\nx\ny\nz\n",
    "short.txt": b"one\n",
    "empty.txt": b"",
    "newline.txt": b"\n",
    "cr.txt": b"a\rb\rc\rd\r",
    "nul.txt": b"a\n\x00\n",
    "latin.txt": "\u00fc\n".encode("latin-1") * 4,
    "utf16.txt": "a\nb\n".encode("utf-16"),
    "t.csv": b"x,y,d\n1,0,k\n0,1,k\n1,1,l\n0,0,m\n",
    "numbers.csv": b"1,2\n3,4\n",
    "twice.csv": b"x,x,y\n1,2,3\n",
    "ragged.csv": b"x,y\n1,2\n3\n",
    "quotes.csv": b'"x","y ""2"""\n"1",2\n3,"4"\n',
    "open.csv": b'x,y\n"1,2\n3,4\n',
    "huge.csv": b"x;y\n1e300;2\n-1e308;1e999\n",
    "tiny.csv": b"x\ty\n1e-320\t2e-310\n0\t5e-324\n",
    "folder": None,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The current folder, with files good and bad, for as long as this module runs."""
    home, new = os.getcwd(), tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        if content is None:
            (new / name).mkdir()
        else:
            (new / name).write_bytes(content)
    os.chdir(new)
    yield new
    os.chdir(home)


NAMED_FILES = st.sampled_from((*FILES, "none.txt", "a\0b", "", "-x", "a.txt", "b.txt", "t.csv", pathlib.Path("a.txt")))


@st.composite
def systems_of_numbers(draw):
    count = draw(st.sampled_from((2, 2, 2, 3, 4)))
    a, b, metric = draw(statistics())
    if draw(st.integers(0, 3)) == 0:
        systems = [quietly_a_set(a, b, metric)]
        return systems, {}
    more = [draw(st.permutations(a.tolist())) for _ in range(count - 2)]
    options = {} if a.ndim == 1 and draw(st.booleans()) else {"metric": metric}
    return [a, b, *map(np.array, more)], options


def quietly_a_set(a, b, metric):
    try:
        return quietly(sb.PairedSet, a, b, metric)
    except ValueError:
        return quietly(sb.PairedSet, [1, 2, 4], [1, 3, 0], "mean")


def length(output, references):
    """A reader's own metric."""
    return len(output) - len(references[0] if references else "")


@st.composite
def systems_of_texts(draw):
    n, count = draw(st.integers(1, 4)), draw(st.sampled_from((2, 2, 3)))
    lines = st.lists(LINE, min_size=n, max_size=n)
    references = draw(lines) if draw(st.booleans()) else [draw(lines), draw(lines)]
    metric = draw(st.sampled_from((None, "bleu", "chrf", "chrf++", "ter", length)))
    return [draw(lines) for _ in range(count)], {"references": references, "metric": metric}


@st.composite
def systems_of_files(draw):
    if draw(st.booleans()):
        return draw(st.lists(st.sampled_from(("x", "y", "d", "z", "")), max_size=3)), {"scores": draw(NAMED_FILES),
                "documents": draw(st.sampled_from((None, None, "d", "x", "")))}
    some = st.sampled_from(("a.txt", "b.txt", "c.txt")) | NAMED_FILES
    documents = draw(st.sampled_from((None, "docs.txt")) | NAMED_FILES)
    return draw(st.lists(some, min_size=2, max_size=3)), {"references": draw(some), "documents": documents}


@st.composite
def comparisons(draw):
    systems, options = draw(systems_of_numbers() | systems_of_texts() | systems_of_files())
    n = len(systems[0]) if isinstance(systems[0:1], list) and systems and hasattr(systems[0], "__len__") else 3
    if "documents" not in options and draw(st.integers(0, 3)) == 0:
        options["documents"] = draw(labels(n))
    options |= draw(by_name(draws=DRAWS, _seed=st.sampled_from((0, 7, 2**70)), _level=FRACTIONS, _at_gap=ONE_SCORE,
                            _lower_is_better=st.booleans()))
    if draw(st.integers(0, 5)) == 0:
        options["names"] = draw(st.sampled_from((["x", "y"], ["x", "x"], ("\n", "y"), ["a|b", "<b>"], ["\ud800", "y"], "xy")))
    if draw(st.integers(0, 5)) == 0:
        options["against"] = draw(st.sampled_from(("first", "A", "B", "none", "")))
    how = draw(st.sampled_from(("as they are", "as they are", "option", "system")))
    if how == "option":
        known = ("references", "scores", "documents", "metric", "names", "against", "lower_is_better", "tokenize", "draws", "seed",
                 "level", "at_gap", "progress")
        options[draw(st.sampled_from(known))] = draw(HOSTILE)
    if how == "system" and systems:
        systems[draw(st.integers(0, len(systems) - 1))] = draw(HOSTILE)
    return systems, options


FACES = ("text", "markdown", "html", "json", "__str__", "__repr__", "_repr_html_")


def a_report(report, pictured):
    """What every report keeps, whatever it is about."""
    for pair in report.pairs:
        for view in filter(None, (pair.view, pair.by_segment)):
            of_one([view.p, view.least, pair.p_holm])
            share([x for x in (view.koehn, view.recentered, view.shifted) if x is not None])
            for interval in filter(None, (view.percentile, view.basic)):
                assert interval[0] <= interval[1] and all(map(math.isfinite, interval))
            assert view.sd is None or 0 <= view.sd < INF
        for number in (pair.effect_size, pair.design_effect, pair.detectable, pair.power):
            assert number is None or math.isfinite(number)
    for face in FACES:
        found = tried(getattr(report, face))
        assert isinstance(found.value, str) and found.value
    json.loads(report.json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert "\n" not in report.sentence and report.sentence.endswith(".")
    if len(report.pairs) == 1:
        assert report.pair is report.pairs[0]
    else:
        with pytest.raises(ValueError, match="pairs"):
            report.pair  # noqa: B018
    if pictured:
        assert tried(report.picture).refusal is None


OWN_WORDS = ("A", "B", "C", "D", "x", "y", "standard input", "-")


@pytest.mark.usefixtures("folder")
def test_compare_makes_a_report_with_every_face_or_refuses_in_words():
    ends = collections.Counter()

    @FUZZ
    @given(comparisons(), st.integers(0, 19))
    def any_comparison(comparison, lot):
        systems, options = comparison
        systems = list(opened(dict(enumerate(systems))).values())
        options = opened(options)
        given = [*systems, *options.values()]
        listed = [*given, *(x for value in given if isinstance(value, list | tuple) for x in value)]
        files = [reading.called(x) for x in listed if reading.is_path(x)]
        many = 4 * len(systems) * many_draws(options)  # resamples and swaps, by document and by segment
        found = tried(sb.compare, *systems, begins=("a and b", *OWN_WORDS, *files), many=many, **options)
        ends[found.refusal is None] += 1
        assert not found.said
        if found.refusal is None:
            a_report(found.value, pictured=lot == 0)

    any_comparison()
    assert min(ends[True], ends[False]) >= sum(ends.values()) / 20, "the examples are one-sided"


# Answers to exercises -----------------------------------------------------------------------------------

IDS = [name for ids in exercises.ORDER.values() for name in ids]


def loop(*_):
    while True:
        pass


def deep(*arguments):
    return deep(*arguments)


def leave(*_):
    sys.exit(3)


def closed(*_):
    raise GeneratorExit


def awkward_error(*_):
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    raise Odd


def yields(*_):
    yield 0.5


def changes(*arguments):
    for argument in arguments:
        with contextlib.suppress(Exception):
            argument[...] = 0
            argument.clear()
    return 0.5


def warns(*_):
    warnings.warn("an answer warns", RuntimeWarning, stacklevel=1)
    return np.float64(1) / np.float64(0)


def prints(*_):
    print("x" * 1000)
    return 0.5


def chance(*_):
    return np.random.random()


def first(*arguments):
    return arguments[0]


class Callable:
    def __init__(self, *_):
        pass


ANSWERING = (deep, leave, closed, awkward_error, yields, changes, warns, prints, chance, first, Callable, print, len, max, iter, object,
             np.mean, np.array, lambda: 1, lambda x: x, lambda *a, **k: a, Awkward("__call__"))  # fmt: skip


@st.composite
def answers(draw):
    """Values, functions that fail in their own ways, and functions that return any value."""
    kind = draw(st.sampled_from(("value", "pair", "function", "returns", "returns", "loop")))
    if kind == "value":
        return draw(HOSTILE)
    if kind == "pair":
        return (draw(st.sampled_from("abcde") | HOSTILE), draw(st.integers(0, 6) | HOSTILE))
    if kind == "function":
        return draw(st.sampled_from(ANSWERING))
    if kind == "loop":
        return draw(st.sampled_from((loop, first, first, first, first, first, first, first, first)))
    value = draw(HOSTILE)
    return Made(f"returns {value!r:.60}", lambda: lambda *_: opened({"value": value})["value"])


SANE = st.sampled_from((None, 0, 1, 7, 10**6))


def test_check_gives_a_verdict_in_words_on_any_answer():
    steps = collections.Counter()

    @FUZZ
    @given(st.sampled_from(IDS), answers(), SANE)
    def any_answer(name, answer, seed):
        answer = tuple(opened(dict(enumerate(answer))).values()) if type(answer) is tuple else opened({"answer": answer})["answer"]
        trace, chance_before = sys.gettrace(), np.random.get_state()[1].tobytes()
        limit, signals = sys.getrecursionlimit(), signal.getsignal(signal.SIGALRM)
        found = tried(sb.check, name, answer, seed=seed, outspoken=True)
        verdict = found.value
        assert found.refusal is None and isinstance(verdict, verdicts.Verdict) and verdict.exercise == name
        assert verdict.step in verdicts.LADDER and verdict.step != verdicts.FAULT, verdict.text
        assert verdict.text.strip() and str(verdict).startswith(f"{name}: ") and len(verdict.text) < 2_000
        assert (sys.gettrace(), sys.getrecursionlimit(), signal.getsignal(signal.SIGALRM)) == (trace, limit, signals)
        if answer is not chance:
            assert np.random.get_state()[1].tobytes() == chance_before
        steps[verdict.step] += 1

    any_answer()
    assert len(steps) >= 4, steps


def test_check_and_hint_take_no_id_that_the_book_does_not_have():
    @FUZZ
    @given(st.sampled_from(IDS) | HOSTILE | st.text(), HOSTILE)
    def any_id(name, other):
        name, other = opened({"name": name, "other": other}).values()
        verdict = tried(sb.check, name, 1.0)
        known = isinstance(name, str) and name in IDS
        assert (verdict.value.step == verdicts.MISSING) == (not known) and verdict.refusal is None
        hint = tried(sb.hint, name)
        assert (hint.refusal is None) == known
        if known:
            assert hint.value.startswith("Hint ")
            step = tried(sb.hint, name, other)
            assert step.refusal is None or step.refusal.startswith("step")
            judged = tried(sb.check, name, 1.0, seed=other)
            assert judged.refusal is None or judged.refusal.startswith("seed")

    any_id()


# The shell command --------------------------------------------------------------------------------------

CELLS = st.sampled_from(("1", "0", "0.5", "-2e3", "1e70", "1e-300", "1e308", "nan", "inf", "", '"', "x", "\u00e9", "\r", "\x00", "1e999", "1,5",
                         " 2 ", "1_000", "0x10", "'", '"1"', '"a\nb"', "\ufeff", "true", "\u0661"))
SEPARATORS = st.sampled_from((",", ",", ",", "\t", ";"))
ENDS_OF_LINE = st.sampled_from(("\n", "\n", "\n", "\r\n", "\r", "\n\r", "\n\n"))
NAMES = st.lists(st.sampled_from(("x", "y", "d", "x", "", "1", "nan", '"x"', " y ", "\u00e9")), min_size=1, max_size=4)


@st.composite
def csv_files(draw):
    """A table, more or less: columns named twice, rows of any length, ends of line of any kind."""
    mark, end = draw(SEPARATORS), draw(ENDS_OF_LINE)
    if draw(st.booleans()):
        width, good = draw(st.integers(2, 4)), st.sampled_from(("1", "0", "0.5", "-2e3", "3"))
        rows = draw(st.lists(st.lists(good, min_size=width, max_size=width), min_size=1, max_size=8))
        rows = [["x", "y", "d", "z"][:width], *rows]
    else:
        rows = [draw(NAMES), *draw(st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=5))]
    content = end.join(mark.join(row) for row in rows) + draw(st.sampled_from(("", end)))
    return draw(st.sampled_from((b"", b"", b"\xef\xbb\xbf"))) + content.encode("utf-8", "surrogatepass")


@st.composite
def text_files(draw):
    n, end = draw(st.sampled_from((1, 4, 4, 4))), draw(ENDS_OF_LINE)
    lines = draw(st.lists(LINE.filter(lambda x: "\n" not in x), min_size=n, max_size=n))
    return (end.join(lines) + draw(st.sampled_from(("", end)))).encode("utf-8", draw(st.sampled_from(("replace", "surrogatepass"))))


CONTENT = csv_files() | text_files() | st.binary(max_size=60) | st.sampled_from([x for x in FILES.values() if x is not None])
GOOD_FILES = st.sampled_from(("a.txt", "b.txt", "c.txt"))
ODD = st.sampled_from(("0", "1", "-1", "20", "50", "1e3", "0.9", "nan", "inf", "-inf", "1e308", "5e-324", "9" * 25, "9" * 5000, "", " ", "x",
                       "\u0661", "0x10", "1_0", "--", "-", "a.txt", "\ud800", "a\nb", "\0"))
OPTIONS = {
    "--references": GOOD_FILES | st.just("new"), "--scores": st.sampled_from(("t.csv", "new", "new")), "--systems": st.sampled_from(("x", "y", "z")),
    "--documents": st.sampled_from(("docs.txt", "d", "new")), "--metric": st.sampled_from(("bleu", "chrf", "chrf++", "ter", "rouge")),
    "--tokenize": st.sampled_from(("13a", "char", "none", "zz")), "--against": st.sampled_from(("first", "a", "x")),
    "--at-gap": st.sampled_from(("0.01", "1")), "--draws": st.sampled_from(("1", "20", "50")), "--seed": st.sampled_from(("0", "7")),
    "--level": st.sampled_from(("0.95", "0.5")), "--picture": st.sampled_from(("new.png", "a.txt", "new", "folder", "folder/x.png")),
}  # fmt: skip


@st.composite
def commands(draw):
    """The arguments of a command, most of them nearly right."""
    command_name = draw(st.sampled_from(("compare",) * 12 + ("exercises", "example", "", "compere")))
    if command_name != "compare":
        return [command_name, *draw(st.lists(st.sampled_from(("folder", "a.txt", "new", "--x", "-", "")), max_size=1))]
    kind = draw(st.sampled_from(("texts", "table", "any")))
    arguments = ["compare"]
    if kind == "texts":
        arguments += [*draw(st.lists(GOOD_FILES | st.just("new"), min_size=2, max_size=3)), "--references", draw(GOOD_FILES)]
    elif kind == "table":
        arguments += ["--scores", draw(OPTIONS["--scores"])]
    else:
        arguments += draw(st.lists(GOOD_FILES | ODD | NAMED_FILES.map(str), max_size=3))
    for option in sorted(draw(st.sets(st.sampled_from(sorted(OPTIONS)), max_size=3))):
        if option != "--picture" or draw(st.integers(0, 3)) == 0:
            arguments += [option, draw(OPTIONS[option] if draw(st.integers(0, 4)) else ODD)]
    if "--draws" not in arguments:
        arguments += ["--draws", "20"]
    arguments += draw(st.sampled_from(([], [], ["--json"], ["--markdown"], ["--lower-is-better"], ["--json", "--html"], ["--x"])))
    return arguments


def shell(arguments, given=b""):
    """(status, output, complaints) of the command in this process, with bytes on standard input."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]), bounded():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                status = command.main(arguments)
    finally:
        sys.stdin = before
    return status, *(stream.buffer.getvalue().decode("utf-8") for stream in streams)


def test_the_shell_command_reports_or_says_in_one_line_what_is_wrong(folder):
    ends = collections.Counter()

    @FUZZ
    @given(commands(), CONTENT)
    def any_command(arguments, content):
        pathlib.Path("new").write_bytes(content)
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        status, out, error = shell(arguments, content)
        ends[status] += 1
        for path, kept in before.items():
            assert path.read_bytes() == kept, f"{path.name} was overwritten"
        for path in set(folder.rglob("*")) - set(before):
            if path.is_file():  # the picture, under whatever name, or the example's files
                assert status == 0 and (path.read_bytes().startswith(b"\x89PNG") or arguments[0] == "example")
                path.unlink()
        assert status in (0, 2) and "Traceback" not in error
        if status == 0:
            assert error == "" and out.strip()
            if "--json" in arguments:
                json.loads(out)
        else:
            assert out == "" and error.startswith("sigbook: ") and error.count("\n") == 1 and error.endswith("\n"), error
            named = (*(x for x in arguments if x), "standard input", "no outputs", "systems", "required", "invalid choice", "unrecognized", "lower_is_better", "sigbook: .:", "''" ,
                     *(option[2:].replace("-", "_") for option in OPTIONS))
            assert any(name in error or repr(name)[1:-1] in error for name in named), error
            assert len(error) < 600 + max(map(len, arguments), default=0), error

    any_command()
    assert min(ends[0], ends[2]) >= sum(ends.values()) / 20, "the examples are one-sided"


def test_a_picture_replaces_an_earlier_picture_and_nothing_else(folder):
    arguments = ["compare", "--scores", "t.csv", "--systems", "x", "y", "--draws", "20", "--picture"]
    assert shell(["example", "9" * 5000])[:2] == (2, "")
    for name in ("a.txt", "t.csv", "folder", "", "a.txt/x.png", "x\0y", "9" * 5000):
        status, out, error = shell([*arguments, name])
        assert (status, out) == (2, "") and error.count("\n") == 1
    assert pathlib.Path("a.txt").read_bytes() == FILES["a.txt"] and pathlib.Path("t.csv").read_bytes() == FILES["t.csv"]
    assert [shell([*arguments, "gaps.png"])[0] for _ in range(2)] == [0, 0]
    pathlib.Path("gaps.png").unlink()


def test_a_table_of_very_many_columns_is_refused_in_few_words(folder):
    pathlib.Path("new").write_text(",".join(f"column {k} {'x' * 300}" for k in range(5_000)) + "\n")
    for arguments in (["--systems", "x", "y"], []):
        status, _, error = shell(["compare", "--scores", "new", *arguments])
        assert status == 2 and error.count("\n") == 1 and len(error) < 2_000


# Sizes --------------------------------------------------------------------------------------------------


def test_one_segment_is_a_test_set():
    pairs = sb.PairedSet([3], [2], "mean")
    assert sb.p_randomization(quietly(sb.randomize, pairs)) == 1.0
    for function in (sb.bootstrap, sb.delta_sd):
        assert tried(function, pairs).refusal.startswith("pairs has 1 segment")
    assert tried(sb.influence, pairs).value.tolist() == [0.0]
    assert tried(sb.compare, [3], [2]).value.pair.view.p == 1.0
    assert tried(sb.eer, [1], [0.5]).refusal.startswith("labels must hold both classes")
    assert tried(sb.icc, [1], ["a"]).refusal.startswith("clusters must hold at least 2")
    assert sb.mcnemar(1, 0) == 1.0 and sb.mcnemar_power(1, 1, 0) == 0.0


@pytest.mark.parametrize("over", [-1, 0, 1])
@pytest.mark.parametrize("make", [sb.bootstrap, sb.randomize])
def test_totals_around_2_to_the_24_are_summed_exactly(make, over):
    """float32 serves below 2^24 only; beyond, an odd total would be rounded to an even one."""
    n = 8
    a, b = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    a[0], b[1] = 2**24 // (n if make is sb.bootstrap else 1) + over, 1
    cloud = quietly(make, sb.PairedSet(a, b, "mean"), draws=2_000, seed=1)
    totals = cloud.gaps * n
    assert np.array_equal(totals, np.rint(totals))
    allowed = a[0] * np.arange(n + 1)[:, None] - np.arange(n + 1) if make is sb.bootstrap else a[0] * np.array([[1], [-1]]) + [-1, 1]
    assert set(totals.astype(np.int64).tolist()) <= set(allowed.ravel().tolist())


@pytest.mark.long
def test_a_million_segments_are_quick_and_take_memory_in_proportion():
    """Each call in seconds of processor time and megabytes beyond the input's: the bounds, and what it takes."""
    n, rng = 10**6, np.random.default_rng(0)
    x, y, groups, labels_ = rng.normal(size=n), rng.normal(size=n), np.arange(n) // 10, np.arange(n) % 2
    pairs = sb.PairedSet(x, y, "mean")
    calls = {
        "PairedSet": lambda: sb.PairedSet(x, y, "mean", groups), "bootstrap": lambda: sb.bootstrap(pairs, 20),
        "randomize": lambda: sb.randomize(pairs, 20), "influence": lambda: sb.influence(pairs), "icc": lambda: sb.icc(x, groups),
        "delta_sd": lambda: sb.delta_sd(pairs), "design_effect": lambda: sb.design_effect(x, groups),
        "cluster_sd": lambda: sb.cluster_sd(x, groups), "holm": lambda: sb.holm(np.abs(np.sin(x))),
        "benjamini_hochberg": lambda: sb.benjamini_hochberg(np.abs(np.sin(x))), "tost": lambda: sb.tost(-1, 1, x),
        "eer": lambda: sb.eer(labels_, x), "bootstrap_eer": lambda: sb.bootstrap_eer(labels_, x, y, groups, draws=3),
        "mcnemar": lambda: sb.mcnemar(n, n + 10), "mcnemar_power": lambda: sb.mcnemar_power(n, 0.3, 0.299),
        "crossed_bootstrap": lambda: sb.crossed_bootstrap(np.stack([x, y]), np.stack([y, x]), "mean", draws=5),
        "compare": lambda: sb.compare(x, y, draws=20), "percentile_interval": lambda: sb.percentile_interval(sb.Cloud(x, 0.0, "bootstrap")),
    }
    for name, call in calls.items():
        tracemalloc.start()
        start = time.process_time()
        quietly(call)
        seconds, megabytes = time.process_time() - start, tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        print(f"{name}: {seconds:.2f} s, {megabytes:.0f} MB")
        assert seconds < 10 and megabytes < 400, f"{name} takes {seconds:.1f} s and {megabytes:.0f} MB"
