"""Hypothesis strategies (statistics of two systems, paired sets) and other material for tests."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import strategies as st

import sigbook as sb
from sigbook import exercises


@st.composite
def bleu_row(draw, longest=12):
    """One segment's c, r, m1..m4, t1..t4 with at most as many matches as n-grams."""
    c, r = draw(st.integers(0, longest)), draw(st.integers(1, longest))
    totals = [max(0, c - order) for order in range(4)]
    matched = []
    for total in totals:
        matched.append(draw(st.integers(0, min([total, *matched[-1:]]))))
    return [c, r, *matched, *totals]


@st.composite
def f1_row(draw, most=6):
    """One segment's tp, predicted, gold."""
    predicted, gold = draw(st.integers(0, most)), draw(st.integers(0, most))
    return [draw(st.integers(0, min(predicted, gold))), predicted, gold]


WHOLE = st.integers(-20, 20)
REAL = st.floats(-100, 100, allow_nan=False, width=32).map(lambda x: round(x, 3))
WEIGHTED = st.tuples(WHOLE, st.integers(1, 5)).map(list)
ROWS = {
    "mean": WHOLE, "real": REAL, "weighted": WEIGHTED, "f1": f1_row(), "bleu": bleu_row(),
    "bleu-exp": bleu_row(),
}  # fmt: skip


@st.composite
def statistics(draw, kinds=tuple(ROWS), least=1, most=6):
    """(a, b, metric): statistics of the same n segments, some of them equal in both systems."""
    kind = draw(st.sampled_from(kinds))
    n = draw(st.integers(least, most))
    a = draw(st.lists(ROWS[kind], min_size=n, max_size=n))
    b = draw(st.lists(ROWS[kind] if kind != "f1" else f1_row(), min_size=n, max_size=n))
    equal = draw(st.sets(st.integers(0, n - 1), max_size=n // 2))
    b = [a[i] if i in equal else b[i] for i in range(n)]
    metric = "mean" if kind in ("real", "weighted") else kind
    return np.array(a), np.array(b), metric


@st.composite
def paired_sets(draw, kinds=tuple(ROWS), least=1, most=6, clusters=False):
    """A PairedSet; with `clusters`, of unequal sizes."""
    a, b, metric = draw(statistics(kinds, least, most))
    labels = None
    if clusters:
        labels = draw(st.lists(st.integers(0, 3), min_size=len(a), max_size=len(a)))
    return quietly(sb.PairedSet, a, b, metric, labels)


def quietly(function, *arguments, **options):
    """The result of a call whose doubts do not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.SignificanceWarning)
        return function(*arguments, **options)


def said(function, *arguments, **options) -> list[str]:
    """The doubts that a call says aloud; anything else that warns is an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", sb.SignificanceWarning)
        function(*arguments, **options)
    return [str(warning.message) for warning in caught]


WORDS = "the a cat , dog sat on mat . and is Is 3.5 U.S. don't (well) 50% größer“ 猫 -- &quot;".split(" ")


def text(rng, n, least=0, most=14):
    """n lines of words, punctuation and numbers, some of them empty."""
    return [" ".join(rng.choices(WORDS, k=rng.randint(least, most))) for _ in range(n)]


def near_the_kink(excess):
    """Two systems of 100 segments: B is short, A's c/r is 1 + excess with a standard error of 0.01."""
    a = np.tile([0, 10, 9, 8, 7, 6, 10, 9, 8, 7], (100, 1))
    a[:, 0] = np.where(np.arange(100) % 2, 11, 9)
    a = a * 1000
    a[:, 0] += round(10_000 * excess)
    b = np.tile([5000, 10_000, 4500, 4000, 3500, 3000, 5000, 4500, 4000, 3500], (100, 1))
    return sb.PairedSet(a, b)


def reference(exercise_id):
    """The solution of an exercise, a function."""
    return exercises.find(exercise_id).reference
