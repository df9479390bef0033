"""What `sigbook.compare` found, as values, and their one wording: text, Markdown, HTML, JSON, a sentence.

Every face is made from the same blocks, so no number is written twice by hand. Scores and gaps are
fractions or whatever the scores were given in; a gap is the first system minus the second.
"""

from __future__ import annotations

import dataclasses
import html
import json
import math
import textwrap
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sigbook import figures

WIDTH = 100
POWER = 0.8


@dataclass(frozen=True)
class McNemar:
    """Counts of segments that only A, or only B, gets right, and the exact p-value."""

    n10: int
    n01: int
    p: float


@dataclass(frozen=True)
class SacreBLEU:
    """p-values of sacreBLEU's two paired tests with its default draws."""

    bootstrap: float
    randomization: float
    resamples: int = 1_000
    swaps: int = 10_000
    seed: int = 12345


@dataclass(frozen=True, eq=False)
class View:
    """One pair with one kind of unit: what resampling and swapping those units says.

    unit: "segment" or "document"; units: how many; differing: those on which the systems differ. p: two-sided
    randomization p-value, exact if enumerated, else (1 + hits) / (draws + 1); least: the smallest that
    so many differing units allow. sd: of the resampled gaps. percentile, basic: intervals (low, high). koehn,
    recentered: one-sided in the winner's direction, doubled and capped at 1; shifted: two-sided. All from
    sd on are None where there is one unit. bootstrap, swaps: the gaps of both clouds (empty where not drawn);
    counted: the swaps that p counts.
    """

    unit: str
    units: int
    differing: int
    p: float
    enumerated: bool
    least: float
    sd: float | None
    percentile: tuple[float, float] | None
    basic: tuple[float, float] | None
    koehn: float | None
    recentered: float | None
    shifted: float | None
    bootstrap: np.ndarray = field(repr=False)
    swaps: np.ndarray = field(repr=False)
    counted: np.ndarray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Pair:
    """One comparison. names: of A and B; scores: theirs; gap: A minus B; winner: the better one's name or None.

    view: by document if documents were named, else by segment; by_segment: the other view then, for contrast.
    p_holm: view.p adjusted for all pairs of the report. mcnemar: of right-or-wrong
    scores. effect_size: the gap over the standard deviation of the segments' influences (of their
    differences, for a mean). design_effect: of the documents. detectable: the smallest true gap found with
    power 0.8, power: at the gap that the caller names, both in the normal approximation from view.sd.
    sacrebleu: what sacreBLEU's own tests give, for its metrics and a single pair. None where something does not exist.
    """

    names: tuple[str, str]
    scores: tuple[float, float]
    gap: float
    winner: str | None
    view: View
    by_segment: View | None
    p_holm: float
    mcnemar: McNemar | None
    effect_size: float | None
    design_effect: float | None
    detectable: float | None
    power: float | None
    sacrebleu: SacreBLEU | None


@dataclass(frozen=True, eq=False)
class Report:
    """The analysis of two or more systems on one test set, made by `sigbook.compare`.

    names, scores: of the systems, in the order given. metric: what the scores are; signature: sacreBLEU's;
    lower_is_better; of_mean: whether the metric is the mean of segment scores. n segments, in so many documents (None if none were named). draws, seed, level, at_gap,
    against: as asked. pairs: the comparisons, each a `Pair`. doubts: warnings in words. versions: of what
    computed it, (name, version).

    `print(report)` gives text, a notebook shows HTML; `.sentence` is for a paper, `.picture()` a Matplotlib
    figure, `.text()`, `.markdown()`, `.html()` and `.json()` give strings. `.pair` is the only pair; it
    raises ValueError when there are several.
    """

    names: tuple[str, ...]
    scores: tuple[float, ...]
    metric: str
    signature: str | None
    lower_is_better: bool
    of_mean: bool
    n: int
    documents: int | None
    draws: int
    seed: int
    level: float
    at_gap: float | None
    against: str | None
    pairs: tuple[Pair, ...]
    doubts: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]

    @property
    def pair(self) -> Pair:
        """The one pair of a report on two systems."""
        if len(self.pairs) != 1:
            raise ValueError(f"the report has {len(self.pairs)} pairs; take one of report.pairs")
        return self.pairs[0]

    @property
    def alpha(self) -> float:
        """1 minus the level, as a decimal: 0.05 for 0.95."""
        return float(1 - Fraction(repr(self.level)))

    @property
    def sentence(self) -> str:
        """One sentence for a paper: scores, gap, interval, test, p-value, draws, seed, signature."""
        return _sentence_of_pair(self) if len(self.pairs) == 1 else _sentence_of_family(self)

    def text(self) -> str:
        """The report as plain text."""
        return "\n\n".join(_block_as_text(block) for block in _blocks(self)) + "\n"

    def markdown(self) -> str:
        """The report as Markdown with tables."""
        return "\n\n".join(_block_as_markdown(block) for block in _blocks(self)) + "\n"

    def html(self, page: bool = False) -> str:
        """The report as a piece of HTML; for a `page` of its own with headings, and tables in boxes that keys scroll."""
        blocks = list(_blocks(self))
        faces = map(_block_on_page, blocks, ["h1", *["h2"] * len(blocks)]) if page else map(_block_as_html, blocks)
        return "\n".join(faces) + "\n"

    def json(self) -> str:
        """Every number of the report but the draws themselves, as JSON."""
        return json.dumps(as_dict(self), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def picture(self):
        """Both clouds of a pair, or the gaps of many pairs with their intervals, as a Matplotlib figure."""
        return _draw_pair(self) if len(self.pairs) == 1 else _draw_family(self)

    def __str__(self):
        return self.text().removesuffix("\n")

    def _repr_html_(self):
        return self.html()

    def __repr__(self):
        return f"Report({', '.join(self.names)}: {self.metric}, {self.n:,} segments, {len(self.pairs)} pairs)"


def as_dict(report: Report) -> dict:
    """The report as plain lists, dictionaries, strings and numbers; numbers that do not exist are None."""
    found = _plain(report)
    found["versions"] = dict(report.versions)
    found |= {"alpha": report.alpha, "power_target": POWER, "sentence": report.sentence}
    if report.signature is not None:
        found["sacrebleu_scores"] = [100 * score for score in report.scores]
    return found


def _plain(value):
    if dataclasses.is_dataclass(value):
        named = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {
            key: len(x) if isinstance(x, np.ndarray) else _plain(x)
            for key, x in named.items() if key != "counted"
        }
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    return value


# Words and numbers --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """A part of the report: a title, then a table (its head shown in text if `headed`) or lines."""

    title: str
    rows: tuple[tuple[str, ...], ...] = ()
    head: tuple[str, ...] = ("what", "value", "how")
    lines: tuple[str, ...] = ()
    headed: bool = False


def _blocks(report):
    single = len(report.pairs) == 1
    yield _Block(_title(report), lines=_opening(report))
    yield _scores(report)
    yield from _pair_blocks(report) if single else _family_blocks(report)
    if report.doubts:
        yield _Block("Doubts", lines=report.doubts)
    yield _Block("For a paper", lines=(report.sentence,))
    yield _Block("How", lines=_how(report))


def _title(report):
    who = " against ".join(report.names) if len(report.names) == 2 else f"{len(report.names)} systems"
    return f"{who}: {report.metric} on {_set(report)}"


def _set(report):
    documents = "" if report.documents is None else f" in {_count(report.documents, 'document')}"
    return _count(report.n, "segment") + documents


def _opening(report):
    unit = "document" if report.documents is not None else "segment"
    lines = [f"A gap is the first system minus the second. The unit that is swapped and resampled is the {unit}."]
    if report.lower_is_better:
        lines.append(f"{report.metric}: lower is better.")
    return tuple(lines)


def _scores(report):
    show = _shower(report)
    rows = []
    for name, score in zip(report.names, report.scores):
        points = "" if report.signature is None else f"{100 * score:.2f} as sacreBLEU prints it"
        rows.append((name, show(score), points))
    if len(report.pairs) == 1:
        pair = report.pair
        ahead = "no difference" if pair.winner is None else f"{pair.winner} is ahead"
        rows.append((f"gap, {' - '.join(pair.names)}", show(pair.gap, "+"), ahead))
    return _Block("Scores", tuple(rows), ("system", report.metric, "note"))


def _pair_blocks(report):
    pair, show = report.pair, _shower(report)
    view, other = pair.view, pair.by_segment
    (a, b), by = pair.names, f", by {view.unit}" if other is not None else ""
    rows = [(f"randomization{by}", _p(view.p), _swaps(report, view))]
    if other is not None:
        rows.append(("randomization, by segment", _p(other.p), "ignores the documents"))
    if pair.mcnemar is not None:
        counts = f"only {a} right {pair.mcnemar.n10:,}, only {b} right {pair.mcnemar.n01:,}"
        rows.append(("McNemar, exact" + (", by segment" if other is not None else ""), _p(pair.mcnemar.p), counts))
    yield _Block("Is the gap more than noise? (two-sided)", tuple(rows))

    rows = []
    for seen in filter(None, (view, other)):
        for kind in ("percentile", "basic"):
            note = f"{report.draws:,} resamples of {seen.unit}s" if seen is view else "ignores the documents"
            note = note if seen.percentile is not None else f"1 {seen.unit} cannot be resampled"
            which = f", by {seen.unit}" if other is not None else ""
            rows.append((f"{kind} bootstrap{which}", _interval(getattr(seen, kind), show), note))
    yield _Block(f"{100 * report.level:g}% intervals for the gap", tuple(rows))

    rows = tuple(_rule_rows(report, pair))
    if rows:
        yield _Block("Other rules, for comparison (one-sided ones doubled, at most 1)", rows)

    size = "the segments' differences (Cohen's d)" if report.of_mean else "the segments' influences on it"
    rows = [("effect size", _number(pair.effect_size, "+z.3f"), f"gap over the sd of {size}")]
    rows.append(("sd of the gap", _number(view.sd, show), f"over resamples of {view.unit}s"))
    if other is not None:
        rows.append(("design effect", _number(pair.design_effect, ".2f"),
                     "variance of the gap by document over that by segment"))
    rows.append((f"detectable gap, power {POWER}", _number(pair.detectable, show),
                 "the true gap found that often; normal approximation"))
    if report.at_gap is not None:
        points = 100 * report.at_gap
        scale = "" if report.signature is None else f"{points:g} point{'' if points == 1 else 's'} of sacreBLEU's; "
        rows.append((f"power at a true gap of {report.at_gap:g}", _number(pair.power, ".3f"), f"{scale}normal approximation"))
    yield _Block("Size and reach", tuple(rows))


def _rule_rows(report, pair):
    view = pair.view
    if view.koehn is not None:
        yield "bootstrap, Koehn", _share(view.koehn, report), "share of resamples not won by the winner"
        yield "bootstrap, recentered", _share(view.recentered, report), "share of resamples won by two gaps or more"
        yield "bootstrap, shifted", _p(view.shifted), "share of resamples at least a gap away from the gap"
    if pair.sacrebleu is not None:
        for name, draws in (("bootstrap", pair.sacrebleu.resamples), ("randomization", pair.sacrebleu.swaps)):
            yield (f"sacreBLEU, paired {name}", _p(getattr(pair.sacrebleu, name)),
                   f"its rule, its {draws:,} draws of segments, seed {pair.sacrebleu.seed}")


def _family_blocks(report):
    show, several = _shower(report), len(report.pairs)
    rows = []
    for pair in report.pairs:
        interval = _interval(pair.view.percentile, show)
        better = pair.winner or "none" if pair.p_holm <= report.alpha else "not told apart"
        rows.append((" - ".join(pair.names), show(pair.gap, "+"), interval, _p(pair.view.p, "") + _exact(pair.view),
                     _p(pair.p_holm, ""), better))
    head = ("pair", "gap", f"{100 * report.level:g}% interval", "p", "Holm p", "better")
    yield _Block(f"{several} pairs, one family", tuple(rows), head, headed=True)
    if report.against is None and len(report.names) <= 12:
        yield _matrix(report, show)


def _matrix(report, show):
    numbers = [f"[{k}]" for k in range(1, len(report.names) + 1)]
    found = {pair.names: pair for pair in report.pairs}
    rows = []
    for i, a in enumerate(report.names):
        cells = []
        for j, b in enumerate(report.names):
            if i == j:
                cells.append(".")
            elif i < j:
                cells.append(show(found[a, b].gap, "+"))
            else:
                cells.append(_p(found[b, a].p_holm, ""))
        rows.append((f"{numbers[i]} {a}", *cells))
    title = "Matrix: gap, row minus column, above the diagonal; Holm p below"
    return _Block(title, tuple(rows), ("system", *numbers), headed=True)


def _how(report):
    lines = []
    if report.signature is not None:
        lines.append(f"Scores are fractions; sacreBLEU's signature: {report.signature}.")
    versions = ", ".join(" ".join(pair) for pair in report.versions)
    lines.append(f"{report.draws:,} draws, seed {report.seed}, level {report.level:g}; {versions}.")
    if len(report.pairs) > 1 and any(_exact(pair.view) for pair in report.pairs):
        lines.append("A p-value marked exact comes from all swaps of the few units that differ, not from draws.")
    if len(report.pairs) == 1:
        lines.append("Further tests on this test set (other systems, other metrics) form one family with this one: "
                     "adjust their p-values together, for instance by Holm.")
    else:
        lines.append(f"All {len(report.pairs)} tests are on one test set and share their draws: they are one family, "
                     "and Holm's p-values hold for all of it; the intervals are each for one pair. Tests of other "
                     "metrics on it would join the family.")
    return tuple(lines)


def _sentence_of_pair(report):
    pair, show = report.pair, _shower(report)
    view, (a, b), article = pair.view, pair.names, "an" if report.metric[:1] in "AEFIOaeio" else "a"
    notes = [x for x in (report.signature, "lower is better" if report.lower_is_better else None) if x]
    by = f" ({', '.join(notes)})" if notes else ""
    if view.differing == 0:
        return (f"On {_set(report)}, {a} and {b} do not differ in any {view.unit}: both have {article} {report.metric} of "
                f"{show(pair.scores[0])}{by}, the gap is 0 and p = 1.")
    interval = ""
    if view.percentile is not None:
        made = f"; {report.draws:,} resamples, seed {report.seed}" if view.enumerated else ""
        interval = f" ({100 * report.level:g}% percentile bootstrap interval {_interval(view.percentile, show)}{made})"
    test = (f"an exact randomization test over all {_power_of_two(view.swaps)} swaps of {view.unit}s" if view.enumerated
            else f"an approximate randomization test that swaps {view.unit}s")
    drawn = "" if view.enumerated else f"; {report.draws:,} draws, seed {report.seed}"
    verdict = "finds it significant" if view.p <= report.alpha else "does not find it significant"
    return (f"On {_set(report)}, {a} has {article} {report.metric} of {show(pair.scores[0])} and {b} of "
            f"{show(pair.scores[1])}{by}; the gap is {show(pair.gap, '+')}{interval}, and {test} {verdict} at the "
            f"{report.alpha:g} level (two-sided {_p(view.p)}{drawn}).")


def _sentence_of_family(report):
    found = sum(pair.p_holm <= report.alpha for pair in report.pairs)
    which = "all pairs" if report.against is None else f"each against {report.against}"
    by = f" ({report.signature})" if report.signature is not None else ""
    views = [pair.view for pair in report.pairs]
    drawn = f", {report.draws:,} shared draws, seed {report.seed}"
    if any(view.enumerated for view in views):
        drawn = ", exact" if all(view.enumerated for view in views) else f"{drawn}; exact where few {views[0].unit}s differ"
    return (f"On {_set(report)}, {len(report.names)} systems were compared ({which}, {len(report.pairs)} tests): {found} "
            f"of the gaps in {report.metric}{by} {'is' if found == 1 else 'are'} significant at the {report.alpha:g} level "
            f"after Holm's correction (two-sided randomization tests that swap {views[0].unit}s{drawn}).")


def _swaps(report, view):
    if view.differing == 0:
        return f"the systems do not differ in any {view.unit}"
    if view.enumerated:
        differ = f"{_count(view.differing, view.unit)} that differ{'s' if view.differing == 1 else ''}"
        return f"exact: all {_power_of_two(view.swaps)} swaps of the {differ}"
    return f"{report.draws:,} swaps of {view.unit}s"


def _power_of_two(swaps):
    return f"2^{len(swaps).bit_length() - 1}"


def _exact(view):
    return " exact" if view.enumerated and view.differing else ""


def _share(p, report):
    return _p(p) if p else f"0 of {report.draws:,}"


def _count(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _p(p, prefix="p = "):
    return prefix + (f"{p:.4f}" if p >= 0.00095 else f"{p:.1g}")


def _interval(interval, show):
    return "none" if interval is None else f"{show(interval[0], '+')} to {show(interval[1], '+')}"


def _number(value, show):
    if value is None:
        return "undefined"
    return format(value, show) if isinstance(show, str) else show(value)


def _shower(report):
    """The function that writes a score, gap or spread with the digits that its spread deserves."""
    spreads = [pair.view.sd for pair in report.pairs if pair.view.sd] or [abs(x) for x in report.scores if x] or [1.0]
    digits = 1 - math.floor(math.log10(float(np.median(spreads))))
    least = 4 if max(map(abs, report.scores)) <= 1 else 2
    if digits > 12:
        return lambda value, sign="": f"{value:{sign}z.4g}"
    places = max(digits, least)
    return lambda value, sign="": f"{value:{sign}z.{places}f}"


# Three faces of a block ---------------------------------------------------------------------------------


def _block_as_text(block):
    lines = [block.title]
    table = [block.head, *block.rows] if block.headed else list(block.rows)
    if table:
        widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
        lines += ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    for line in block.lines:
        lines += textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False,
                               break_on_hyphens=False)
    return "\n".join(lines)


def _block_as_markdown(block):
    lines = [f"**{_escaped(block.title)}**", ""]
    if block.rows:
        lines.append("| " + " | ".join(map(_escaped, block.head)) + " |")
        lines.append("|" + "---|" * len(block.head))
        lines += ["| " + " | ".join(_escaped(cell.strip()) for cell in row) + " |" for row in block.rows]
    several = len(block.lines) > 1
    lines += [("- " if several else "") + _escaped(line) for line in block.lines]
    return "\n".join(lines)


def _escaped(text):
    for mark in "\\`*_[]|<>":
        text = text.replace(mark, "\\" + mark)
    return text


def _block_as_html(block):
    if block.rows:
        return figures.table(list(block.head), [[cell.strip() for cell in row] for row in block.rows], block.title)
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in block.lines)
    return f"<p><strong>{html.escape(block.title)}</strong></p>{lines}"


def _block_on_page(block, rank):
    title, found = html.escape(block.title), _block_as_html(block)
    if block.rows:  # may be wider than the screen; arrow keys scroll what has the focus
        return f'<div class="wide" role="group" aria-label="{title}" tabindex="0">{found}</div>'
    return found.replace(f"<p><strong>{title}</strong></p>", f"<{rank}>{title}</{rank}>", 1)


# Pictures -----------------------------------------------------------------------------------------------


@figures.styled
def _draw_pair(report):
    pair = report.pair
    figure, axis = figures.canvas(height=2.9)
    view = pair.view
    values = np.concatenate([view.bootstrap, view.swaps, [pair.gap, 0.0]])
    margin = 0.02 * np.ptp(values) or 0.5
    edges = figures.bin_edges(np.array([values.min() - margin, values.max() + margin]), 72)
    figures.two_clouds(axis, view.bootstrap, view.swaps, view.counted, pair.gap, edges)
    axis.set(xlabel=f"gap  {' − '.join(pair.names)}", ylabel="draws")
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


@figures.styled
def _draw_family(report):
    shown = report.pairs
    figure, axis = figures.canvas(height=1.1 + 0.22 * len(shown))
    axis.axvline(0, **figures.REFERENCE.stroke, linewidth=1.1)
    for found, look, label in ((True, figures.BOOTSTRAP, "told apart (Holm)"), (False, figures.OBSERVED, "not told apart")):
        rows = [k for k, pair in enumerate(shown) if (pair.p_holm <= report.alpha) is found]
        for k in rows:
            if shown[k].view.percentile is not None:
                axis.plot(shown[k].view.percentile, [k, k], color=look.color)
        axis.plot([shown[k].gap for k in rows], rows, look.marker, color=look.color, label=label)
    axis.set_yticks(range(len(shown)), [" − ".join(pair.names) for pair in shown])
    axis.set(xlabel=f"gap in {report.metric}, {100 * report.level:g}% percentile interval", ylim=(len(shown) - 0.5, -0.5))
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure
