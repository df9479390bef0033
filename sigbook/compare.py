"""The whole analysis of two or more systems on one test set: outputs, scores or statistics to a `Report`."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

import sigbook
from sigbook import _checks, clouds, clusters, family, linear, mcnemar, metrics, multiplicity, reading, rules, texts
from sigbook.clouds import Cloud
from sigbook.metrics import MEAN_COLUMNS, Metric
from sigbook.pairs import PairedSet, _statistics, cautions, group_sums, with_counts
from sigbook.report import POWER, SACREBLEU_DRAWS, SACREBLEU_SEED, Pair, Report, View

ENUMERATED = 16  # differing units up to which every swap is gone through
FEW_UNITS = 20
SACREBLEU_METRICS = ("bleu-exp", "bleu", "chrf", "chrf++", "ter")
TOKENIZED = 100  # lines that end in " ." from which sacreBLEU, too, doubts that a text is detokenized


def compare(*systems, references=None, scores=None, documents=None, metric=None, names=None, against=None,
            lower_is_better=None, tokenize=None, draws: int = 10_000, seed: int = 0, level: float = 0.95,
            at_gap: float | None = None, progress: bool = False) -> Report:
    """Compare two or more systems on the same test set.

    Parameters
    ----------
    systems: two or more of one kind, all on the same n segments: text files (a path; "-" is standard input),
        lists of n output strings, or arrays of n scores or (n, K) statistics; or one `PairedSet`; or, with
        `scores`, names of columns (none: every column).
    references: for texts, one reference file or n strings, or a list of several.
    scores: a CSV file with a line of column names and one column of scores or counts per system.
    documents: what was sampled whole: a file with one name per line, n labels, or with `scores` a column.
    metric: for texts ``"bleu"`` (the default, with sacreBLEU's smoothing), ``"chrf"``, ``"chrf++"``, ``"ter"``, or
        a function of one output and the list of its references whose mean is compared; for scores ``"mean"``
        (the default); for statistics (n, K) any metric of `PairedSet`, which has to be named.
    names: what to call the systems. against: for three and more, compare all with this one only: a name, or
        ``"first"``; otherwise all pairs are compared.
    lower_is_better: True for scores such as error rates; known for the text metrics.
    tokenize: sacreBLEU's tokenizer for BLEU.
    draws: swaps and resamples, at least 100. seed: an integer >= 0. level: of intervals and, as 1 - level, of tests.
    at_gap: a true gap whose power is wanted, in the units of the scores (0.005 is half a point of BLEU).
    progress: show on standard error what is being done, once it takes more than a second.

    Returns a `Report`. Systems share their draws. If at most 16 units differ between two systems, every swap is
    gone through and p is exact. Detectable gap and power use the normal approximation with the standard deviation of the
    resampled gaps. Raises ValueError for anything that cannot be read (naming file and line) or compared.
    """
    draws = _checks.count("draws", draws, least=100)
    seed = _checks.count("seed", seed)
    level = _checks.fraction("level", level)
    at_gap = None if at_gap is None else _checks.real("at_gap", at_gap)
    tell = _progress() if _checks.flag("progress", progress) else family.silent
    outputs = _gather(systems, references, scores, documents, metric, names, lower_is_better, tokenize, tell)
    return _analyse(outputs, against, draws, seed, level, at_gap, tell)


# Inputs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Outputs:
    """S systems on n segments: their statistics, the metric of the sums, and how to speak of them."""

    names: tuple[str, ...]
    statistics: tuple[np.ndarray, ...]
    rule: Metric
    title: str
    signature: str | None = None
    lower_is_better: bool = False
    documents: Sequence | None = None
    doubts: tuple[str, ...] = ()


def _gather(systems, references, scores, documents, metric, names, lower, tokenize, tell) -> _Outputs:
    files = [x for x in (*systems, *_listed(references), documents) if reading.is_path(x) and x == "-"]
    if len(files) + (scores == "-" if reading.is_path(scores) else 0) > 1:
        raise ValueError("'-': standard input can be read once; it is named more than once")
    if lower is not None:
        lower = _checks.flag("lower_is_better", lower)
    if scores is not None:
        return _from_table(systems, scores, references, documents, metric, names, lower, tokenize)
    if len(systems) == 1 and isinstance(systems[0], PairedSet):
        return _from_pairs(systems[0], references, documents, metric, names, lower, tokenize)
    if len(systems) < 2:
        raise ValueError(f"systems: at least 2 are needed; got {len(systems)}")
    textual = [_is_text(x) for x in systems]
    if all(textual):
        return _from_texts(systems, references, documents, metric, names, lower, tokenize, tell)
    if any(textual):
        raise ValueError("systems must be of one kind: text files, lists of strings, or arrays of numbers")
    for name, value in (("references", references), ("tokenize", tokenize)):
        if value is not None:
            raise ValueError(f"{name}: for texts only; the systems are arrays of numbers")
    chosen = metric
    if chosen is None:
        if any(np.ndim(x) != 1 for x in systems):
            raise ValueError(f"metric: to be named for statistics of shape {np.shape(systems[0])}, for instance 'bleu-exp'")
        chosen = "mean"
    rule = metrics.find(chosen)
    names = _names(names, [chr(ord("A") + k) if k < 26 else f"system {k + 1}" for k in range(len(systems))])
    arrays = tuple(_statistics(name, x, rule) for name, x in zip(names, systems))
    return _Outputs(names, arrays, rule, _title(rule), None, bool(lower), _documents(documents, len(arrays[0])))


def _from_table(columns, scores, references, documents, metric, names, lower, tokenize):
    for name, value in (("references", references), ("tokenize", tokenize)):
        if value is not None:
            raise ValueError(f"{name}: for texts only; scores are given")
    if metric not in (None, "mean"):
        raise ValueError(f"metric: a table of scores is compared by its means; got {_checks.shown(metric)}")
    if not reading.is_path(scores):
        raise ValueError(f"scores must be a file; got {_checks.shown(scores)}")
    for name, value in (*(("systems", x) for x in columns), ("documents", documents)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name}: with scores, the name of a column is needed; got {_checks.shown(value)}")
    found = reading.table(scores, list(columns) or None, documents)
    names = _names(names, list(found.scores))
    rule = metrics.find("mean")
    arrays = tuple(_statistics(name, x, rule) for name, x in zip(names, found.scores.values()))
    return _Outputs(names, arrays, rule, _title(rule), None, bool(lower), found.documents)


def _from_pairs(pairs, references, documents, metric, names, lower, tokenize):
    given = {"references": references, "documents": documents, "metric": metric, "names": names, "tokenize": tokenize}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: the PairedSet says it already")
    names = _names(None, list(pairs.names))
    return _Outputs(names, (pairs.a, pairs.b), pairs.rule, _title(pairs.rule), None, bool(lower), pairs.clusters)


def _from_texts(systems, references, documents, metric, names, lower, tokenize, tell):
    metric = "bleu" if metric is None else metric
    if references is None and not callable(metric):
        raise ValueError("references: needed to score texts (for scores per segment, give scores=, a CSV file)")
    names = _names(names, _file_names(systems))
    labels = [reading.called(x) if reading.is_path(x) else name for x, name in zip(systems, names)]
    outputs = [_segments(label, x) for label, x in zip(labels, systems)]
    streams, called = _references(references, all(map(reading.is_path, systems)))
    for label, stream in zip((*labels[1:], *called), (*outputs[1:], *streams)):
        _same_length(label, len(stream), labels[0], len(outputs[0]))
    documents = _documents(documents, len(outputs[0]), labels[0])
    doubts = tuple(
        f"{name}: {ends:,} lines end in ' .', as tokenized text does; BLEU expects detokenized text"
        for name, ends in ((name, sum(x.endswith(" .") for x in output)) for name, output in zip(names, outputs))
        if ends >= TOKENIZED and metric in ("bleu", "bleu-exp")
    )
    if callable(metric):
        if tokenize is not None:
            raise ValueError("tokenize: for BLEU; the metric is a function")
        arrays = tuple(_scored(metric, name, x, streams) for name, x in zip(names, outputs))
        title = f"mean {getattr(metric, '__name__', 'score')}"
        return _Outputs(names, arrays, metrics.find("mean"), title, None, bool(lower), documents)
    scored = texts.score(metric, outputs, streams, tokenize, tell)
    if lower is not None and lower != scored.lower_is_better:
        raise ValueError(f"lower_is_better: it is {scored.lower_is_better} for {scored.title}; got {lower}")
    return _Outputs(names, scored.statistics, scored.rule, scored.title, scored.signature, scored.lower_is_better,
                    documents, doubts)


def _scored(metric, name, output, streams):
    """A reader's own metric, segment by segment, (n,)."""
    values = []
    for k, (hypothesis, *own) in enumerate(zip(output, *streams), start=1):
        try:
            values.append(float(metric(hypothesis, own)))
        except Exception as error:
            raise ValueError(f"metric: on segment {k:,} of {name} it raised {type(error).__name__}: {error}") from error
    return _statistics(name, np.array(values), metrics.find("mean"))


def _is_text(system) -> bool:
    if reading.is_path(system):
        return True
    return isinstance(system, list | tuple) and bool(system) and all(isinstance(x, str) for x in system)


def _listed(references) -> list:
    return list(references) if isinstance(references, list | tuple) else [references]


def _references(references, files: bool):
    """The reference streams and what to call each. With systems from files, a list of strings is of files."""
    if references is None:
        return [], []
    if reading.is_path(references):
        return [reading.lines(references)], [reading.called(references)]
    listed = _listed(references)
    if not listed:
        raise ValueError("references: empty; a file, n strings, or a list of several is needed")
    if all(map(reading.is_path, listed)) and (files or not all(isinstance(x, str) for x in listed)):
        return [reading.lines(x) for x in listed], [reading.called(x) for x in listed]
    if all(isinstance(x, str) for x in listed):
        return [listed], ["references"]
    labels = [f"references[{k}]" for k in range(len(listed))]
    return [_segments(label, x) for label, x in zip(labels, listed)], labels


def _segments(label, source) -> list[str]:
    if reading.is_path(source):
        return reading.lines(source)
    return metrics._strings(label, source)


def _same_length(label, found, first, wanted):
    if found < wanted:
        raise ValueError(f"{label}, line {found + 1:,}: missing; it has {found:,} lines, {first} has {wanted:,}")
    if found > wanted:
        raise ValueError(f"{label}, line {wanted + 1:,}: one too many; it has {found:,} lines, {first} has {wanted:,}")


def _documents(documents, n, first="systems"):
    if documents is None or not reading.is_path(documents):
        return documents
    found = reading.lines(documents)
    name = reading.called(documents)
    _same_length(name, len(found), first, n)
    for line, label in enumerate(found, start=1):
        if not label.strip():
            raise ValueError(f"{name}, line {line:,}: empty; the name of a document is needed")
    return found


def _file_names(systems) -> list[str]:
    """Names for texts: file names without folder and ending where these differ, else whole paths; else letters."""
    if not all(map(reading.is_path, systems)):
        return [chr(ord("A") + k) if k < 26 else f"system {k + 1}" for k in range(len(systems))]
    paths = [reading.called(x) for x in systems]
    for names in ([os.path.splitext(os.path.basename(path))[0] for path in paths],
                  [os.path.basename(path) for path in paths], paths):
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"{path} ({k})" for k, path in enumerate(paths, start=1)]


def _names(names, default) -> tuple[str, ...]:
    given = default if names is None else list(names) if isinstance(names, list | tuple) else None
    if given is None or len(given) != len(default) or not all(isinstance(x, str) and x.strip() for x in given):
        raise ValueError(f"names must be {len(default)} strings; got {_checks.shown(names)}")
    clean = tuple("".join(c if c.isprintable() else " " for c in x).strip() for x in given)
    if len(set(clean)) < len(clean):
        raise ValueError(f"names must differ from each other; got {_checks.shown(list(clean))}")
    return clean


def _title(rule) -> str:
    titles = {"bleu": "BLEU", "bleu-exp": "BLEU", "f1": "F1", "mean": "mean score"}
    return titles.get(rule.name, rule.name)


# Analysis -----------------------------------------------------------------------------------------------


def _analyse(outputs, against, draws, seed, level, at_gap, tell) -> Report:
    shapes = {x.shape for x in outputs.statistics}
    if len(shapes) > 1:
        raise ValueError("systems must have the same segments and columns; got shapes "
                         + ", ".join(str(x.shape) for x in outputs.statistics))
    compared, against = _comparisons(outputs.names, against)
    documents, count = outputs.documents, None
    if documents is not None:
        count, inverse = _checks.labels("documents", documents, len(outputs.statistics[0]))
        views = _views(outputs, compared, inverse, "document", draws, seed, level, tell)
        plain = _views(outputs, compared, None, "segment", draws, seed, level, tell)
    else:
        views, plain = _views(outputs, compared, None, "segment", draws, seed, level, tell), [None] * len(compared)
    adjusted = multiplicity.holm([view.p for view in views])
    pairs, doubts = [], list(outputs.doubts)
    for (i, j), view, other, p_holm in zip(compared, views, plain, adjusted):
        pair = _paired(outputs, i, j, None)
        tell("reading off", len(pairs) / len(compared))
        pairs.append(_pair(outputs, pair, view, other, float(p_holm), level, at_gap, single=len(compared) == 1))
        said = _doubts(pair, pairs[-1], level)
        doubts += said if len(compared) == 1 else [_placed(text, pair.names) for text in said]
    sums = [with_counts(x, 2).sum(axis=0).astype(np.float64) for x in outputs.statistics]
    tell("", 1.0)
    return Report(
        names=outputs.names, scores=tuple(float(outputs.rule.score(x)) for x in sums), metric=outputs.title,
        signature=outputs.signature, lower_is_better=outputs.lower_is_better, n=len(outputs.statistics[0]),
        documents=count, draws=draws, seed=seed, level=level, at_gap=at_gap, against=against, pairs=tuple(pairs),
        doubts=tuple(dict.fromkeys(doubts)), versions=_versions(outputs.signature is not None),
    )


def _comparisons(names, against):
    """Places (i, j) of the pairs to compare, and the name of the one that all are compared with, or None."""
    if against is None:
        return [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))], None
    if against == "first" and "first" not in names:
        against = names[0]
    base = names.index(_checks.choice("against", against, names))
    return [(i, base) for i in range(len(names)) if i != base], against


def _paired(outputs, i, j, labels) -> PairedSet:
    a, b = outputs.statistics[i], outputs.statistics[j]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", _checks.SignificanceWarning)
        return PairedSet(a, b, outputs.rule, labels, (outputs.names[i], outputs.names[j]))


def _views(outputs, compared, labels, unit, draws, seed, level, tell) -> list[View]:
    """The view of each pair with one kind of unit; labels None takes the segments themselves."""
    sums = [with_counts(x, 2) for x in outputs.statistics]
    if labels is not None:
        sums = [group_sums(x, labels, int(labels.max()) + 1) for x in sums]
    units, rule = len(sums[0]), outputs.rule
    differing = [int((sums[i] != sums[j]).any(axis=1).sum()) for i, j in compared]
    resampled = family.resampled(sums, rule, compared, draws, seed, tell) if units > 1 else None
    drawn = [pair for pair, count in zip(compared, differing) if count > ENUMERATED]
    swapped = dict(zip(drawn, family.swapped(sums, rule, drawn, draws, seed, tell))) if drawn else {}
    del sums
    views = []
    for k, (pair, count) in enumerate(zip(compared, differing)):
        paired = _paired(outputs, *pair, labels)
        bootstrap = None if resampled is None else _cloud(paired, resampled[k], "bootstrap")
        if pair in swapped:
            swaps = _cloud(paired, swapped[pair], "randomization")
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", _checks.SignificanceWarning)
                swaps = clouds.randomize(paired, "all")
        views.append(_view(unit, units, count, bootstrap, swaps, level))
    return views


def _cloud(pairs, gaps, kind) -> Cloud:
    return Cloud(gaps, pairs.gap, kind, False, clouds._score_scale(pairs, gaps))


def _view(unit, units, differing, bootstrap, swaps, level) -> View:
    found = dict.fromkeys(("sd", "percentile", "basic", "koehn", "recentered", "shifted"))
    gaps = np.empty(0)
    if bootstrap is not None:
        gaps = bootstrap.gaps
        found = {
            "sd": bootstrap.sd,
            "percentile": rules.percentile_interval(bootstrap, level), "basic": rules.basic_interval(bootstrap, level),
            "koehn": _doubled(rules.p_koehn, bootstrap), "recentered": _doubled(rules.p_recentered, bootstrap),
            "shifted": rules.p_shifted(bootstrap),
        }
    counted = np.abs(swaps.gaps) >= abs(swaps.observed) - swaps.slack
    return View(unit, units, differing, rules.p_randomization(swaps), swaps.enumerated, min(1.0, 2 / 2**differing),
                **found, bootstrap=gaps, swaps=swaps.gaps, counted=counted)


def _doubled(rule, cloud) -> float:
    """A one-sided rule in the winner's direction, doubled and capped; of a gap of 0, both sides give 1."""
    sides = [side for side, wins in (("greater", cloud.observed >= 0), ("less", cloud.observed <= 0)) if wins]
    return min(1.0, 2 * max(rule(cloud, side) for side in sides))


def _pair(outputs, pairs, view, by_segment, p_holm, level, at_gap, single) -> Pair:
    gap, (a, b) = pairs.gap, pairs.names
    winner = None if view.differing == 0 or gap == 0 else a if (gap > 0) != outputs.lower_is_better else b
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", _checks.SignificanceWarning)
        influence = linear.influence(pairs)
        compatible = _sacrebleu(pairs) if single and pairs.rule.name in SACREBLEU_METRICS and pairs.n > 1 else None
    varies = bool(np.isfinite(influence).all()) and not _checks.constant(influence) and pairs.n > 1
    normal, sd = NormalDist(), view.sd
    critical = normal.inv_cdf((1 + level) / 2)
    power = None
    if at_gap is not None and sd:
        power = normal.cdf(abs(at_gap) / sd - critical) + normal.cdf(-abs(at_gap) / sd - critical)
    labels = outputs.documents if view.unit == "document" and view.units > 1 else None
    return Pair(
        names=pairs.names, scores=(pairs.score_a, pairs.score_b), gap=gap, winner=winner, view=view,
        by_segment=by_segment, p_holm=p_holm, mcnemar=_mcnemar(pairs),
        effect_size=gap / float(influence.std(ddof=1)) if varies else None,
        design_effect=clusters.design_effect(influence, labels) if varies and labels is not None else None,
        detectable=(critical + normal.inv_cdf(POWER)) * sd if sd else None, power=power, sacrebleu=compatible,
    )


def _mcnemar(pairs):
    """(n10, n01, exact p) if every score of a mean is 0 or 1, else None."""
    a, b = pairs.a, pairs.b
    if pairs.rule.columns != MEAN_COLUMNS or a.ndim != 1 or not all(((x == 0) | (x == 1)).all() for x in (a, b)):
        return None
    n10, n01 = int((a > b).sum()), int((a < b).sum())
    return n10, n01, mcnemar.mcnemar(n10, n01)


def _sacrebleu(pairs) -> tuple[float, float]:
    """p-values of sacreBLEU's paired bootstrap and paired randomization, by its defaults and its own draws."""
    resamples, swaps = SACREBLEU_DRAWS
    bootstrap = clouds.bootstrap(pairs, resamples, SACREBLEU_SEED, order="sacrebleu")
    randomized = clouds.randomize(pairs, swaps, SACREBLEU_SEED, order="sacrebleu")
    larger = int((np.abs(randomized.gaps) > abs(randomized.observed)).sum())
    return rules.p_sacrebleu(bootstrap), (1 + larger) / (1 + swaps)


def _doubts(pairs, pair, level) -> list[str]:
    view, alpha = pair.view, 1 - level
    if view.differing == 0:
        return [f"the systems do not differ in any {view.unit}: there is nothing to test"]
    found = list(cautions(pairs))
    found += clouds.too_few(view.differing, view.unit, alpha)
    if view.units == 1:
        found.append(f"1 {view.unit} says nothing about others: there are no intervals")
    elif view.units < FEW_UNITS:
        shrunk = (1 - 1 / view.units) ** 0.5
        found.append(f"{view.units} {view.unit}s: the bootstrap sd is about {shrunk:.2f} of what it should be even for a mean, "
                     "so intervals are too narrow")
    if view.sd == 0:
        found.append(f"every resample gives the gap {pair.gap:+.6g}, so the intervals have no width and say nothing about "
                     "another test set")
    return found


def _placed(text, names) -> str:
    """A doubt about a pair, with the pair's names unless it begins with a system's."""
    return text if text.startswith(tuple(f"{name}: " for name in names)) else f"{' - '.join(names)}: {text}"


def _versions(with_texts):
    found = [("sigbook", sigbook.__version__), ("NumPy", np.__version__)]
    if with_texts:
        import sacrebleu

        found.append(("sacreBLEU", sacrebleu.__version__))
    return (*found, ("Python", ".".join(map(str, sys.version_info[:3]))))


# Progress -----------------------------------------------------------------------------------------------


def _progress() -> Callable[[str, float], None]:
    """A function that shows on standard error what is done, from one second on, at most five times a second."""
    start, last = time.monotonic(), 0.0
    shown = False

    def tell(what: str, share: float) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if not what:
            if shown:
                print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)
            shown = False
        elif now - start > 1 and now - last > 0.2:
            print(f"\r{what} {100 * share:3.0f}%".ljust(40), end="", file=sys.stderr, flush=True)
            last, shown = now, True

    return tell
