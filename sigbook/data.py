"""The frozen tables in `data/`: where they are and how they are read.

Every table is text (CSV or JSON, most of them gzipped), so a reader can open it with any tool.
`data/manifest.json` holds the sha256 of each table's uncompressed content, its rows, its origin,
its licence and the command that makes it. Names are relative to `data/`, for example
"real/wmt17_en_de_bleu.csv.gz".
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sigbook.metrics import BLEU_COLUMNS

# The p-values of fifteen comparisons in one medical trial, the example of Benjamini and Hochberg (1995).
FIFTEEN = (0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
           0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0)


@dataclass(frozen=True, eq=False)
class RatedSystems:
    """Translations of the same n segments by several systems, scored and rated by people.

    bleu: system -> (n, 10) int64 BLEU statistics; mqm: system -> (n,) mean penalty given by the
    raters, lower is better; documents: (n,) int64, the document (or talk) of each segment.
    """

    bleu: dict[str, np.ndarray]
    mqm: dict[str, np.ndarray]
    documents: np.ndarray


def path(name: str) -> Path:
    """The file of a frozen table. Raises ValueError when there is none of that name."""
    found = _folder() / name
    if not found.is_file():
        raise ValueError(f"name: no frozen table {name!r} in {_folder().name}/; "
                         f"data/manifest.json lists what there is")
    return found


def read_bytes(name: str) -> bytes:
    """The uncompressed content of a table. Raises ValueError for one that is not there or not whole."""
    raw = path(name).read_bytes()
    if not name.endswith(".gz"):
        return raw
    try:
        return gzip.decompress(raw)
    except (EOFError, OSError) as error:
        raise ValueError(f"{name}: not a complete gzip file ({error})") from error


def sha256(name: str) -> str:
    """The sha256 of the uncompressed content, as `data/manifest.json` records it."""
    return hashlib.sha256(read_bytes(name)).hexdigest()


def manifest() -> dict[str, dict]:
    """file -> {sha256, rows, origin, licence, command}."""
    return read_json("manifest.json")


def read_json(name: str):
    """A JSON table as Python lists and dictionaries. Raises ValueError for anything else."""
    try:
        return json.loads(read_bytes(name))
    except ValueError as error:
        raise ValueError(f"{name}: not readable as JSON ({error})") from error


def read_csv(name: str) -> dict[str, np.ndarray]:
    """A CSV table as column -> (rows,) array: int64, else float64, else text.

    Raises ValueError for an empty file and, naming the line, for a row of another length.
    """
    rows = list(csv.reader(read_bytes(name).decode("utf-8").splitlines()))
    if not rows:
        raise ValueError(f"{name}: empty, a line of column names is expected")
    header, body = rows[0], rows[1:]
    for line, row in enumerate(body, start=2):
        if len(row) != len(header):
            raise ValueError(f"{name}, line {line}: the number of columns is "
                             f"{len(header)} in the header and {len(row)} here")
    columns = zip(*body) if body else ((),) * len(header)
    return {key: _typed(column) for key, column in zip(header, columns)}


def wmt17() -> dict[str, np.ndarray]:
    """WMT17 English-German: system -> (3004, 10) int64 BLEU statistics (tokenizer 13a)."""
    return _by_system(read_csv("real/wmt17_en_de_bleu.csv.gz"))


def wmt23() -> RatedSystems:
    """WMT23 English-German: 9 systems, 104 segments in 30 documents, with MQM penalties."""
    return _rated("real/wmt23_en_de_bleu_mqm.csv.gz")


def wmt21_ted() -> RatedSystems:
    """TED talks of 2021, English-German: 13 systems, 529 segments in 5 talks, with MQM."""
    return _rated("real/wmt21_ted_en_de_bleu_mqm.csv.gz")


def optimizer_runs() -> dict[str, np.ndarray]:
    """Two training procedures, three optimizer runs each: procedure -> (3, 2489, 10) int64."""
    table = read_csv("real/iwslt_optimizer_runs_bleu.csv.gz")
    by_run = {}
    for procedure in dict.fromkeys(table["procedure"].tolist()):
        chosen = table["procedure"] == procedure
        by_run[procedure] = np.stack([_statistics(table, chosen & (table["run"] == run))
                                      for run in np.unique(table["run"][chosen])])
    return by_run


def _folder() -> Path:
    return Path(__file__).resolve().parent.parent / "data"


def _typed(column: tuple[str, ...]) -> np.ndarray:
    text = np.array(column, dtype=np.str_)
    for dtype in (np.int64, np.float64):
        try:
            return text.astype(dtype)
        except ValueError:
            continue
    return text


def _statistics(table: dict[str, np.ndarray], chosen: np.ndarray) -> np.ndarray:
    return np.stack([table[key][chosen] for key in BLEU_COLUMNS], axis=1)


def _by_system(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {system: _statistics(table, table["system"] == system)
            for system in dict.fromkeys(table["system"].tolist())}


def _rated(name: str) -> RatedSystems:
    table = read_csv(name)
    bleu = _by_system(table)
    mqm = {system: table["mqm"][table["system"] == system] for system in bleu}
    first = table["system"] == next(iter(bleu))
    return RatedSystems(bleu, mqm, table["document"][first])
