"""Make the frozen tables of `data/` anew, byte for byte, and record them in data/manifest.json.

    python tools/make_data.py                 every world, then the manifest
    python tools/make_data.py --only filings  one of them
    python tools/make_data.py --check         write nothing, fail if a table would change
    python tools/make_data.py --seeds         count, over 100 other seeds, how often each point of
                                              the filings holds (about two minutes)

A world is one entry of SOURCES: a function that returns its tables as {file: Table}. The tables of
`data/real/` are numbers computed once from public system outputs; they are recorded, never remade.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sigbook import data  # noqa: E402
from sigbook.metrics import BLEU_COLUMNS, F1_COLUMNS  # noqa: E402
from sigbook.worlds import filings, segment_metrics  # noqa: E402

DATA = ROOT / "data"
COMMAND = "python tools/make_data.py --only {}"
SEEDS_COMMAND = "python tools/make_data.py --seeds"
SEEDS = range(100, 200)
README_MARKS = ("<!-- seeds -->", "<!-- end of seeds -->")


@dataclass(frozen=True)
class Table:
    """The uncompressed content of one file and how many rows it holds."""

    content: bytes
    rows: int


@dataclass(frozen=True)
class Source:
    """A world: how its tables are built, where they come from, under which licence they stand."""

    build: Callable[[], Mapping[str, Table]]
    origin: str
    licence: str = "CC BY 4.0"


@dataclass(frozen=True)
class Given:
    """A table that came with the book: its origin and the licence of what it was counted from."""

    origin: str
    licence: str


def csv_table(columns: Mapping[str, Sequence]) -> Table:
    """A table of equally long columns; floats are written in full, so that reading is exact."""
    lists = [np.asarray(column).tolist() for column in columns.values()]
    lengths = {len(column) for column in lists}
    if len(lengths) != 1:
        raise ValueError(f"columns must be equally long; got {sorted(lengths)}")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*lists))
    return Table(text.getvalue().encode("utf-8"), lengths.pop())


def json_table(rows: Sequence) -> Table:
    """A list, one item per line, keys in the order given."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return Table(f"[\n{lines}\n]\n".encode("utf-8"), len(rows))


def filings_tables() -> dict[str, Table]:
    """The filings world: texts, BLEU statistics, fact counts and segment scores of ten systems."""
    world = filings.generate()
    texts = [{"document": document, "reference": reference, "facts": facts,
              **{name: world.summaries[name][i] for name in filings.SYSTEMS}}
             for i, (document, reference, facts)
             in enumerate(zip(world.documents, world.references, world.facts))]

    def stacked(columns, metric_of):
        where = {"system": np.repeat(filings.SYSTEMS, len(texts)),
                 "filing": np.tile(np.arange(len(texts)), len(filings.SYSTEMS))}
        rows = np.concatenate([metric_of(name) for name in filings.SYSTEMS])
        return csv_table(where | dict(zip(columns, rows.T)))

    def segments(name):
        scores = segment_metrics.segment_scores(world.summaries[name], world.references)
        return np.stack([scores[metric] for metric in segment_metrics.METRICS], axis=1)

    return {
        filings.TEXTS_FILE: json_table(texts),
        filings.BLEU_FILE: stacked(BLEU_COLUMNS, lambda name: filings.statistics(
            name, "bleu", world)),
        filings.FACTS_FILE: stacked(F1_COLUMNS, lambda name: world.counts[name]),
        filings.SEGMENTS_FILE: stacked(segment_metrics.METRICS, segments),
    }


def filings_fresh() -> dict[str, Table]:
    """The writer and its noisy versions on fresh filings: what BLEU, fact F1 and chrF need."""
    world = filings.generate(filings.FRESH_SEED, filings.FRESH, filings.FRESH_SYSTEMS)
    columns = {}
    for name in filings.FRESH_SYSTEMS:
        bleu = filings.statistics(name, "bleu", world)
        columns |= {"c": bleu[:, 0], "r": bleu[:, 1]}
        columns |= {f"{name} m{order}": bleu[:, 1 + order] for order in range(1, 5)}
        columns[f"{name} tp"] = world.counts[name][:, 0]
        columns[f"{name} chrf"] = segment_metrics.segment_scores(
            world.summaries[name], world.references, metrics=("chrf",))["chrf"].round(4)
    return {filings.FRESH_FILE: csv_table(columns)}


def filings_again() -> dict[str, Table]:
    """Two systems on filings drawn again: what BLEU and fact F1 need."""
    world = filings.generate(filings.AGAIN_SEED, filings.AGAIN, filings.AGAIN_SYSTEMS)
    rows = [np.hstack([filings.statistics(name, "bleu", world), world.counts[name]])
            for name in filings.AGAIN_SYSTEMS]
    columns = {"system": np.repeat(filings.AGAIN_SYSTEMS, filings.AGAIN)}
    columns |= dict(zip((*BLEU_COLUMNS, *F1_COLUMNS), np.concatenate(rows).T))
    return {filings.AGAIN_FILE: csv_table(columns)}


def trigram_tables() -> dict[str, Table]:
    """The trigram world: BLEU statistics of every ending, prompts, references, a few texts."""
    from sigbook.worlds import trigram

    world = trigram.generate(trigram.SEED)
    statistics = world.statistics.reshape(-1, len(BLEU_COLUMNS))
    rows = [{"prompt": prompt, "reference": reference, "a": a, "b": b}
            for prompt, reference, (a, b) in zip(world.prompts, world.references, world.texts)]
    return {trigram.STATISTICS_FILE: csv_table(dict(zip(BLEU_COLUMNS, statistics.T))),
            trigram.PROMPTS_FILE: json_table(rows)}


def trigram_scores() -> dict[str, Table]:
    """Six segment scores of every ending of the trigram world, in thousandths."""
    from sigbook.worlds import trigram

    references = trigram.generate(trigram.SEED).references
    scores = trigram.thousandths(references, trigram.endings(trigram.SEED))
    return {trigram.SCORES_FILE: csv_table(scores)}


def tone_tables() -> dict[str, Table]:
    """The tone world: the test filings with their tones, and who is right on each."""
    from sigbook.worlds import tone

    world = tone.generate(tone.SEED)
    rows = [{"tone": int(label), "text": text} for label, text in zip(world.tones, world.texts)]
    return {tone.TEXTS_FILE: json_table(rows), tone.RIGHT_FILE: csv_table(world.right)}


def tone_seeds() -> dict[str, Table]:
    """The discordant counts of the four pairs of the tone world under a hundred other seeds."""
    from sigbook.worlds import tone

    rows = [tone.discordant(tone.generate(seed)) for seed in tone.OTHER_SEEDS]
    columns = {"seed": list(tone.OTHER_SEEDS)} | {name: [row[name] for row in rows] for name in rows[0]}
    return {tone.SEEDS_FILE: csv_table(columns)}


def aspects_tables() -> dict[str, Table]:
    """The aspects world: filing, sentence and polarity of each aspect, and who is right on it."""
    from sigbook.worlds import aspects

    return {aspects.FILE: csv_table(aspects.columns(aspects.generate(aspects.SEED)))}


def detectors_tables() -> dict[str, Table]:
    """The detectors world: source, label and three scores of each recording."""
    from sigbook.worlds import detectors

    return {detectors.FILE: csv_table(detectors.columns(detectors.generate(detectors.SEED)))}


def bursty_draws() -> dict[str, Table]:
    """What Naive Bayes and logistic regression do on the pool after each training draw."""
    from sigbook.worlds import bursty

    return {bursty.DRAWS_FILE: csv_table(bursty.generate(bursty.SEED))}


def bursty_seeds() -> dict[str, Table]:
    """The same under ten other seeds."""
    from sigbook.worlds import bursty

    tables = [bursty.generate(seed) for seed in bursty.OTHER_SEEDS]
    columns = {"seed": np.repeat(list(bursty.OTHER_SEEDS), [len(t["size"]) for t in tables])}
    columns |= {name: np.concatenate([t[name] for t in tables]) for name in bursty.COLUMNS}
    return {bursty.SEEDS_FILE: csv_table(columns)}


def bursty_folds() -> dict[str, Table]:
    """Five halvings of a training set, at the crossing of the frozen draws, many times over."""
    from sigbook.worlds import bursty

    size = bursty.crossing(bursty.load())
    return {bursty.FOLDS_FILE: csv_table(bursty.five_by_two(bursty.SEED, size))}


# Worlds are registered here: name -> Source(build, origin). `build` returns {file: Table}, with
# file names relative to data/ and ending in .csv.gz or .json.gz.
SOURCES: dict[str, Source] = {
    "filings": Source(
        filings_tables, f"synthetic: sigbook.worlds.filings, seed {filings.SEED}, scored by "
        "sacreBLEU 2.6.0 and rouge_score 0.1.2"),
    "filings-fresh": Source(
        filings_fresh, f"synthetic: sigbook.worlds.filings, seed {filings.FRESH_SEED}, scored by "
        "sacreBLEU 2.6.0"),
    "filings-again": Source(
        filings_again, f"synthetic: sigbook.worlds.filings, seed {filings.AGAIN_SEED}, scored by "
        "sacreBLEU 2.6.0"),
    "trigram": Source(trigram_tables, "synthetic: sigbook.worlds.trigram, seed 2"),
    "trigram-scores": Source(
        trigram_scores, "synthetic: sigbook.worlds.trigram, seed 2, scored by rouge_score 0.1.2 and "
        "sacreBLEU 2.6.0 through sigbook.worlds.segment_metrics"),
    "tone": Source(
        tone_tables, "synthetic: sigbook.worlds.tone, seed 5, classified by scikit-learn 1.9.1"),
    "tone-seeds": Source(
        tone_seeds, "synthetic: sigbook.worlds.tone, seeds 100 to 199, classified by scikit-learn "
        "1.9.1"),
    "aspects": Source(aspects_tables, "synthetic: sigbook.worlds.aspects, seed 3"),
    "detectors": Source(detectors_tables, "synthetic: sigbook.worlds.detectors, seed 3"),
    "bursty": Source(
        bursty_draws, "synthetic: sigbook.worlds.bursty, seed 1, trained by scikit-learn 1.9.1"),
    "bursty-seeds": Source(
        bursty_seeds, "synthetic: sigbook.worlds.bursty, seeds 101 to 110, trained by scikit-learn "
        "1.9.1"),
    "bursty-folds": Source(
        bursty_folds, "synthetic: sigbook.worlds.bursty, seed 1, trained by scikit-learn 1.9.1"),
}

GIVEN = {
    "real/wmt17_en_de_bleu.csv.gz": Given(
        "WMT17 news task, English-German: submissions of five systems as kept in sacreBLEU's test "
        "folder; BLEU statistics by sacreBLEU 2.6.0, tokenizer 13a",
        "numbers only; source repository Apache-2.0, submissions for research use"),
    "real/wmt23_en_de_bleu_mqm.csv.gz": Given(
        "google/wmt-mqm-human-evaluation, generalMT2023 English-German, side by side; BLEU "
        "statistics by sacreBLEU 2.6.0, tokenizer 13a, and the mean human MQM penalty",
        "numbers only; source Apache-2.0"),
    "real/wmt21_ted_en_de_bleu_mqm.csv.gz": Given(
        "google/wmt-mqm-human-evaluation, TED 2021 English-German; BLEU statistics by sacreBLEU "
        "2.6.0, tokenizer 13a, and the mean human MQM penalty",
        "numbers only; source Apache-2.0"),
    "real/iwslt_optimizer_runs_bleu.csv.gz": Given(
        "the example data of multeval: two procedures, three optimizer runs each; BLEU statistics "
        "by sacreBLEU 2.6.0, tokenizer none",
        "numbers only; source repository LGPL"),
}


def compress(name: str, content: bytes) -> bytes:
    """The bytes of the file: gzip without a time stamp or a name, or the content itself."""
    return gzip.compress(content, 9, mtime=0) if name.endswith(".gz") else content


def entry(content: bytes, rows: int, origin: str, licence: str, command: str) -> dict:
    """One line of the manifest."""
    return {"sha256": hashlib.sha256(content).hexdigest(), "rows": rows, "origin": origin,
            "licence": licence, "command": command}


def build(names: Sequence[str]) -> dict[str, tuple[Table, dict]]:
    """file -> (table, its line of the manifest) for the worlds named."""
    made = {}
    for name in names:
        source = SOURCES[name]
        for file, table in source.build().items():
            made[file] = (table, entry(table.content, table.rows, source.origin, source.licence,
                                       COMMAND.format(name)))
    return made


def given() -> dict[str, dict]:
    """The manifest's lines for the tables of data/real/, from the files as they stand."""
    lines = {}
    for file, table in GIVEN.items():
        content = gzip.decompress((DATA / file).read_bytes())
        lines[file] = entry(content, content.count(b"\n") - 1, table.origin, table.licence,
                            "none: given")
    return lines


def seeds_table(seeds: Sequence[int]) -> Table:
    """Which points of the filings world hold (1) or fail (0) under other seeds of its generator."""
    import filings_points

    rows = [filings_points.holds(filings_points.drawn(seed)) for seed in seeds]
    columns = {name: [int(row[name]) for row in rows] for name in filings_points.POINTS}
    return csv_table({"seed": list(seeds)} | columns)


def seeds_text() -> str:
    """The table of data/README.md: each point, and in how many of the seeds it holds."""
    import filings_points

    table = data.read_csv(filings.SEEDS_FILE)
    held = np.array([table[name] for name in filings_points.POINTS])
    lines = [f"| point | holds in, of {held.shape[1]} seeds | what |", "|---|---|---|"]
    for (name, point), row in zip(filings_points.POINTS.items(), held):
        lines.append(f"| {name} | {row.sum()} | {' '.join(point.__doc__.split())} |")
    lines.append(f"| all | {held.all(axis=0).sum()} | All of them together. |")
    return "\n".join(lines)


def write_readme() -> None:
    """Put the table of seeds between its two marks in data/README.md."""
    file = DATA / "README.md"
    before, rest = file.read_text(encoding="utf-8").split(README_MARKS[0])
    after = rest.split(README_MARKS[1])[1]
    file.write_text(f"{before}{README_MARKS[0]}\n{seeds_text()}\n{README_MARKS[1]}{after}",
                    encoding="utf-8")


def read_manifest() -> dict[str, dict]:
    """The manifest as it stands, empty when there is none."""
    file = DATA / "manifest.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def write_manifest(lines: Mapping[str, dict]) -> None:
    """Write the lines, sorted by file."""
    text = json.dumps(dict(sorted(lines.items())), indent=1, ensure_ascii=False)
    (DATA / "manifest.json").write_text(text + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 1 when --check finds a table that would change."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=sorted(SOURCES), action="append", help="one world")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--seeds", action="store_true",
                        help="only count, over 100 seeds, how often each point of the filings holds")
    options = parser.parse_args(arguments)
    if options.seeds:
        table, commands = seeds_table(SEEDS), {SEEDS_COMMAND}
        made = {filings.SEEDS_FILE: (table, entry(
            table.content, table.rows, SOURCES["filings"].origin, SOURCES["filings"].licence,
            SEEDS_COMMAND))}
    else:
        names = options.only or list(SOURCES)
        made, commands = build(names), {COMMAND.format(name) for name in names}
    before = read_manifest()
    changed = [file for file, (_, line) in made.items() if before.get(file) != line]
    if options.check:
        for file in changed:
            print(f"{file}: would change")
        return 1 if changed else 0
    for file, (table, _) in made.items():
        target = DATA / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(compress(file, table.content))
    kept = {file: line for file, line in before.items()
            if line["command"] not in commands and (DATA / file).is_file()}
    write_manifest(kept | given() | {file: line for file, (_, line) in made.items()})
    if options.seeds:
        write_readme()
    print(f"{len(made)} tables made, {len(changed)} of them changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
