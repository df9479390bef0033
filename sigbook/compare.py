"""The whole analysis of two or more systems on one test set: outputs, scores or statistics to a `Report`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

import sigbook
from sigbook import _checks, clouds, clusters, family, linear, mcnemar, metrics, multiplicity, reading, rules, texts
from sigbook._checks import quietly
from sigbook.clouds import Cloud
from sigbook.metrics import MEAN_COLUMNS, Metric
from sigbook.pairs import PairedSet, _statistics, cautions, group_sums, with_counts
from sigbook.report import POWER, McNemar, Pair, Report, SacreBLEU, View

ENUMERATED = 16  # differing units up to which every swap is gone through
FEW_UNITS = 20
LARGEST_SEED = 2**128
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
    draws: swaps and resamples. seed: an integer >= 0. level: of intervals and, as 1 - level, of tests.
    at_gap: a true gap > 0 whose power is wanted, in the units of the scores (0.005 is half a point of BLEU).
    progress: show on standard error what is being done, once it takes more than a second.

    Returns a `Report`. Systems share their draws. If at most 16 units differ between two systems, every swap is
    gone through and p is exact. Detectable gap and power use the normal approximation with the standard deviation of the
    resampled gaps. Raises ValueError for anything that cannot be read (naming file and line) or compared.
    """
    draws = _checks.draws(draws)
    seed = _checks.count("seed", seed)
    if seed > LARGEST_SEED:
        raise ValueError(f"seed must be at most 2^128, for the report prints it; got {_checks.shown(seed)}")
    level = _checks.fraction("level", level)
    at_gap = None if at_gap is None else _checks.real("at_gap", at_gap)
    if at_gap is not None and at_gap <= 0:
        raise ValueError(f"at_gap must be a gap > 0; got {at_gap:g}")
    tell = _progress() if _checks.flag("progress", progress) else family.silent
    try:
        outputs = _gather(systems, references, scores, documents, metric, names, lower_is_better, tokenize, tell)
        return _analyse(outputs, against, draws, seed, level, at_gap, tell)
    finally:
        tell("", 1.0)


# Inputs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Outputs:
    """S systems on n segments: their statistics, the metric of the sums, and how to speak of them."""

    names: tuple[str, ...]
    statistics: tuple[np.ndarray, ...]
    rule: Metric
    title: str
    signature: str | None
    lower_is_better: bool
    documents: Sequence | None
    doubts: tuple[str, ...] = ()


def _gather(systems, references, scores, documents, metric, names, lower, tokenize, tell) -> _Outputs:
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
    return _from_arrays(systems, references, documents, metric, names, lower, tokenize)


def _from_arrays(systems, references, documents, metric, names, lower, tokenize):
    _unused("the systems are numbers", references=references, tokenize=tokenize)
    for shape in map(_shape, systems):
        if metric is None and len(shape) > 1:
            raise ValueError(f"metric: to be named for statistics of shape {shape}, for instance 'bleu-exp'")
    rule = metrics.find("mean" if metric is None else metric)
    names = _names(names, _letters(len(systems)))
    arrays = tuple(_statistics(name, x, rule) for name, x in zip(names, systems))
    return _Outputs(names, arrays, rule, _title(rule), None, bool(lower), _documents(documents, len(arrays[0])))


def _from_table(columns, scores, references, documents, metric, names, lower, tokenize):
    _unused("scores are given", references=references, tokenize=tokenize, metric=None if isinstance(metric, str) and metric == "mean" else metric)
    if not reading.is_path(scores):
        raise ValueError(f"scores must be a file; got {_checks.shown(scores)}")
    for name, value in (*(("systems", x) for x in columns), ("documents", documents)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name}: with scores, the name of a column is needed; got {_checks.shown(value)}")
    found = reading.table(scores, list(columns) or None, documents)
    names = _names(names, list(found.scores))
    rule = metrics.find("mean")
    arrays = tuple(_statistics(name, x, rule) for name, x in zip(names, found.scores.values()))
    doubts = () if columns else tuple(
        f"{name}: the scores are {x[0]:g}, {x[1]:g}, {x[2]:g} and so on, as numbers of lines are; to leave a column out, "
        "name the systems" for name, x in zip(names, arrays) if len(x) > 2 and x[0] in (0, 1) and (np.diff(x) == 1).all())
    return _Outputs(names, arrays, rule, _title(rule), None, bool(lower), found.documents, doubts)


def _from_pairs(pairs, references, documents, metric, names, lower, tokenize):
    _unused("a PairedSet is given", references=references, documents=documents, metric=metric, tokenize=tokenize)
    names = _names(names, list(pairs.names))
    return _Outputs(names, (pairs.a, pairs.b), pairs.rule, _title(pairs.rule), None, bool(lower), pairs.clusters)


def _from_texts(systems, references, documents, metric, names, lower, tokenize, tell):
    metric = "bleu" if metric is None else metric
    if references is None and not callable(metric):
        raise ValueError("references: needed to score texts (a table of scores per segment is given as scores)")
    files = all(map(reading.is_path, systems))
    names = _names(names, _file_names(systems) if files else _letters(len(systems)))
    given = (*systems, *(_listed(references) if files else [references]), documents)
    if sum(reading.is_path(x) and x == reading.STANDARD_INPUT for x in given) > 1:
        raise ValueError("-: standard input can be read only once; it is named more than once")
    labels = [reading.called(x) if reading.is_path(x) else name for x, name in zip(systems, names)]
    outputs = [_segments(label, x) for label, x in zip(labels, systems)]
    streams, called = _references(references, files)
    every, lengths = (*labels, *called), [len(stream) for stream in (*outputs, *streams)]
    n = max(lengths[:len(outputs)], key=lengths.count)  # a system's that most share, so that the odd one out is named
    first = every[lengths.index(n)]
    for label, length in zip(every, lengths):
        _same_length(label, length, first, n)
    documents = _documents(documents, n, first)
    doubts = tuple(
        f"{name}: {ends:,} lines end in ' .', as tokenized text does; BLEU expects detokenized text"
        for name, ends in ((name, sum(x.endswith(" .") for x in output)) for name, output in zip(names, outputs))
        if ends >= TOKENIZED and isinstance(metric, str) and metric in ("bleu", "bleu-exp")
    )
    if callable(metric):
        _unused("the metric is a function", tokenize=tokenize)
        arrays = tuple(_scored(metric, name, x, streams) for name, x in zip(names, outputs))
        return _Outputs(names, arrays, metrics.find("mean"), f"mean {_called(metric)}", None, bool(lower), documents)
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


def _unused(because, **options):
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name}: of no use here, for {because}; got {_checks.shown(value)}")


def _is_text(system) -> bool:
    return reading.is_path(system) or (_is_list(system) and isinstance(next(iter(system), None), str))


def _is_list(x) -> bool:
    return isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim > 0)


def _shape(x) -> tuple[int, ...]:
    """The shape of an array or a list, () of what has none and is soon refused."""
    try:
        return np.shape(x)
    except Exception:  # an object may raise anything when it is asked for its numbers
        return ()


def _listed(references) -> list:
    return list(references) if _is_list(references) else [references]


def _letters(count) -> list[str]:
    return [chr(ord("A") + k) if k < 26 else f"system {k + 1}" for k in range(count)]


def _references(references, files: bool):
    """The reference streams and what to call each. With systems from files, a list of strings is one of files."""
    if references is None:
        return [], []
    listed = _listed(references)
    if not listed:
        raise ValueError("references: empty; a file, n strings, or a list of several is needed")
    if all(isinstance(x, str) for x in listed) and not (files or reading.is_path(references)):
        return [listed], ["references"]
    labels = [reading.called(x) if reading.is_path(x) else f"references[{k}]" for k, x in enumerate(listed)]
    return [_segments(label, x) for label, x in zip(labels, listed)], labels


def _segments(label, source) -> list[str]:
    return reading.lines(source) if reading.is_path(source) else metrics._strings(label, source)


def _same_length(label, found, first, wanted):
    if found != wanted:
        line = min(found, wanted) + 1
        what = "missing" if found < wanted else "one too many"
        lines = f"{found:,} line{'' if found == 1 else 's'}"
        raise ValueError(f"{label}, line {line:,}: {what}; it has {lines}, but {first} has {wanted:,}")


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
    """File names without folder and ending where these differ, else whole paths, else those with numbers."""
    paths = [reading.called(x) for x in systems]
    for names in ([os.path.splitext(os.path.basename(path))[0] for path in paths],
                  [os.path.basename(path) for path in paths], paths):
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"{path} ({k})" for k, path in enumerate(paths, start=1)]


def _names(names, default) -> tuple[str, ...]:
    given = default if names is None else list(names) if isinstance(names, list | tuple) else None
    if given is None or len(given) != len(default) or not all(isinstance(x, str) for x in given):
        raise ValueError(f"names must be {len(default)} strings; got {_checks.shown(names)}")
    clean = tuple("".join(c if c.isprintable() else " " for c in x).strip() for x in given)
    if not all(clean):
        raise ValueError(f"names must be {len(default)} strings that can be printed; got {_checks.shown(given)}")
    if len(set(clean)) < len(clean):
        raise ValueError(f"names must differ from each other; got {_checks.shown(list(clean))}")
    return clean


def _title(rule) -> str:
    titles = {"bleu": "BLEU", "bleu-exp": "BLEU", "f1": "F1", "mean": "mean score"}
    return titles.get(rule.name, rule.name if rule.name.isidentifier() else "score")


def _called(function) -> str:
    """What to call a reader's own metric."""
    name = metrics.called(function, "score")
    return name if name.isidentifier() else "score"


# Analysis -----------------------------------------------------------------------------------------------


def _analyse(outputs, against, draws, seed, level, at_gap, tell) -> Report:
    shapes = [x.shape for x in outputs.statistics]
    if len(set(shapes)) > 1:
        raise ValueError(f"systems must have the same segments and columns; got shapes {', '.join(map(str, shapes))}")
    [(n, *_)] = set(shapes)
    compared, against = _comparisons(outputs.names, against)
    draws = _checks.draws(draws, len(compared))
    labels, documents = None, None
    if outputs.documents is not None:
        documents, labels = _checks.labels("documents", outputs.documents, n)
    views = _views(outputs, compared, labels, draws, seed, level, tell)
    others = [None] * len(views) if labels is None else _views(outputs, compared, None, draws, seed, level, tell)
    adjusted = multiplicity.holm([view.p for view in views])
    pairs, doubts = [], list(outputs.doubts)
    for places, view, other, p_holm in zip(compared, views, others, adjusted):
        tell("reading off", len(pairs) / len(views))
        pair = _pair(outputs, places, labels, view, other, float(p_holm), level, at_gap, single=len(views) == 1)
        pairs.append(pair)
        doubts += _doubts(_paired(outputs, places, labels), pair, level, len(views))
    report = Report(
        names=outputs.names, scores=tuple(map(float, map(outputs.rule.score, _totals(outputs)))), metric=outputs.title,
        signature=outputs.signature, lower_is_better=outputs.lower_is_better,
        of_mean=outputs.rule.columns == MEAN_COLUMNS, n=n,
        documents=documents, draws=draws, seed=seed, level=level, at_gap=at_gap, against=against, pairs=tuple(pairs),
        doubts=(), versions=_versions(outputs.signature is not None),
    )
    if len(pairs) / (draws + 1) > report.alpha and not all(view.enumerated for view in views):
        doubts.append(f"{draws:,} draws are too few: the smallest p they can give, 1/{draws + 1:,}, "
                      f"{'times the number of pairs ' if len(pairs) > 1 else ''}is above {report.alpha:g}")
    if draws * report.alpha < 2 and any(view.sd for view in views):
        doubts.append(f"the ends of the {100 * level:g}% intervals are the smallest and the largest of {draws:,} resampled "
                      "gaps: draw more")
    return replace(report, doubts=tuple(dict.fromkeys(doubts)))


def _totals(outputs) -> list[np.ndarray]:
    return [with_counts(x, 2).sum(axis=0).astype(np.float64) for x in outputs.statistics]


def _comparisons(names, against):
    """Places (i, j) of the pairs to compare, and the name of the one that all are compared with, or None."""
    if against is None:
        return [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))], None
    if isinstance(against, str) and against == "first" and "first" not in names:
        against = names[0]
    base = names.index(_checks.choice("against", against, names))
    return [(i, base) for i in range(len(names)) if i != base], against


def _paired(outputs, places, labels) -> PairedSet:
    a, b = (outputs.statistics[place] for place in places)
    names = tuple(outputs.names[place] for place in places)
    return quietly(PairedSet, a, b, outputs.rule, labels, names)


def _views(outputs, compared, labels, draws, seed, level, tell) -> list[View]:
    """The view of each pair with one kind of unit: the documents of `labels`, or the segments when it is None."""
    sums = [with_counts(x, 2) for x in outputs.statistics]
    if labels is not None:
        sums = [group_sums(x, labels, int(labels.max()) + 1) for x in sums]
    differing = [int((sums[i] != sums[j]).any(axis=1).sum()) for i, j in compared]
    resampled = family.resampled(sums, outputs.rule, compared, draws, seed, tell) if len(sums[0]) > 1 else None
    drawn = [pair for pair, count in zip(compared, differing) if count > ENUMERATED]
    swapped = dict(zip(drawn, family.swapped(sums, outputs.rule, drawn, draws, seed, tell))) if drawn else {}
    del sums
    views = []
    for k, (places, count) in enumerate(zip(compared, differing)):
        pairs = _paired(outputs, places, labels)
        bootstrap = None if resampled is None else _cloud(pairs, resampled[k], "bootstrap")
        swaps = (_cloud(pairs, swapped[places], "randomization") if places in swapped
                 else quietly(clouds.randomize, pairs, "all"))
        views.append(_view("segment" if labels is None else "document", pairs.units, count, bootstrap, swaps, level))
    return views


def _cloud(pairs, gaps, kind) -> Cloud:
    return Cloud(gaps, pairs.gap, kind, False, clouds._score_scale(pairs, gaps))


def _view(unit, units, differing, bootstrap, swaps, level) -> View:
    found = dict.fromkeys(("sd", "percentile", "basic", "koehn", "recentered", "shifted"))
    gaps = np.empty(0)
    if bootstrap is not None:
        gaps = bootstrap.gaps
        found = {
            "sd": bootstrap.sd if np.ptp(gaps) > bootstrap.slack else 0.0,
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


def _pair(outputs, places, labels, view, by_segment, p_holm, level, at_gap, single) -> Pair:
    pairs = _paired(outputs, places, None)
    gap, (a, b) = pairs.gap, pairs.names
    tied = view.differing == 0 or gap == 0
    influence = quietly(linear.influence, pairs)
    small, k = _checks.scaled(influence)
    spread = float(np.ldexp(small.std(ddof=1), k)) if pairs.n > 1 and np.isfinite(influence).all() else 0.0
    varies = spread > clouds.TIE * max(np.abs(x).max() for x in (pairs.a, pairs.b))  # else it is rounding
    grouped = varies and labels is not None and view.units > 1
    normal, sd = NormalDist(), view.sd
    critical = -normal.inv_cdf((1 - level) / 2)  # (1 + level) / 2 may be rounded up to 1
    power = None
    if at_gap is not None and sd:
        power = normal.cdf(at_gap / sd - critical) + normal.cdf(-at_gap / sd - critical)
    return Pair(
        names=pairs.names, scores=(pairs.score_a, pairs.score_b), gap=gap,
        winner=None if tied else a if (gap > 0) != outputs.lower_is_better else b,
        view=view, by_segment=by_segment, p_holm=p_holm, mcnemar=_mcnemar(pairs, outputs.lower_is_better),
        effect_size=gap / spread if varies else None,
        design_effect=clusters.design_effect(influence, labels) if grouped else None,
        detectable=(critical + normal.inv_cdf(POWER)) * sd if sd else None, power=power,
        sacrebleu=quietly(_sacrebleu, pairs) if single else None,
    )


def _mcnemar(pairs, lower_is_better) -> McNemar | None:
    """McNemar's test if every score of a mean is 0 or 1; where lower is better, 0 is right."""
    a, b = pairs.a, pairs.b
    if a.ndim != 1 or not all(((x == 0) | (x == 1)).all() for x in (a, b)):
        return None
    a, b = (b, a) if lower_is_better else (a, b)
    n10, n01 = int((a > b).sum()), int((a < b).sum())
    return McNemar(n10, n01, mcnemar.mcnemar(n10, n01))


def _sacrebleu(pairs) -> SacreBLEU | None:
    """sacreBLEU's paired tests of its metrics, by its defaults and on its own draws; it counts > and not >=."""
    if pairs.rule.name not in SACREBLEU_METRICS or pairs.n < 2:
        return None
    bootstrap = clouds.bootstrap(pairs, SacreBLEU.resamples, SacreBLEU.seed, order="sacrebleu")
    swaps = clouds.randomize(pairs, SacreBLEU.swaps, SacreBLEU.seed, order="sacrebleu")
    larger = int((np.abs(swaps.gaps) > abs(swaps.observed)).sum())
    return SacreBLEU(rules.p_sacrebleu(bootstrap), (1 + larger) / (1 + SacreBLEU.swaps))


def _doubts(pairs, pair, level, tests) -> list[str]:
    """What makes the result of one pair doubtful, in words, with the pair's names if it is one of several."""
    view, alpha = pair.view, 1 - level
    if view.differing == 0:
        found = [f"the systems do not differ in any {view.unit}: there is nothing to test"]
    else:
        found = [*cautions(pairs), *clouds.too_few(view.differing, view.unit, alpha)]
        if view.least <= alpha < view.least * tests:
            found.append(f"the systems differ on {view.differing} {view.unit}s, so the smallest two-sided p-value is "
                         f"{view.least:.4g}; times {tests} pairs, Holm's p can hardly be below {alpha:.4g}")
        if view.sd == 0:
            found.append(f"every resample gives the gap {pair.gap:+.6g}, so the intervals have no width and say nothing "
                         "about another test set")
    if view.units == 1:
        found.append(f"1 {view.unit} says nothing about others: there are no intervals")
    elif view.units < FEW_UNITS:
        shrunk = (1 - 1 / view.units) ** 0.5
        found.append(f"only {view.units} {view.unit}s: even for a mean the bootstrap sd is {shrunk:.2f} of what it "
                     "should be, so the intervals are too narrow")
    return found if tests == 1 else [_placed(text, pair.names) for text in found]


def _placed(text, names) -> str:
    """A doubt about a pair, with the pair's names unless it is about a system or about the units alone."""
    alone = (*(f"{name}: " for name in names), "only ", "1 ")
    return text if text.startswith(alone) else f"{' - '.join(names)}: {text}"


def _versions(with_texts):
    found = [("sigbook", sigbook.__version__), ("NumPy", np.__version__)]
    if with_texts:
        import sacrebleu

        found.append(("sacreBLEU", sacrebleu.__version__))
    return (*found, ("Python", ".".join(map(str, sys.version_info[:3]))))


# Progress -----------------------------------------------------------------------------------------------


def _progress() -> Callable[[str, float], None]:
    """A function that shows on standard error what is done, from one second on, at most five times a second."""
    due, shown = time.monotonic() + 1, False

    def tell(what: str, share: float) -> None:
        nonlocal due, shown
        now = time.monotonic()
        if what and now > due:
            print(f"\r{what} {100 * share:3.0f}%".ljust(40), end="", file=sys.stderr, flush=True)
            due, shown = now + 0.2, True
        elif shown and not what:
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)

    return tell
