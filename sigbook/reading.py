"""Files to arrays: one segment per line, or a table of scores with one column per system.

Text is UTF-8, with or without a byte-order mark; a line ends at "\\n" or "\\r\\n", and an empty line is an
empty segment. The string "-" is standard input. Whatever cannot be read as that raises a ValueError of
one line that names the file and, where there is one, the line.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
from array import array
from dataclasses import dataclass

import numpy as np

from sigbook import _checks

STANDARD_INPUT = "-"
TRUTHS = ("true", "false", "yes", "no", "right", "wrong", "correct", "incorrect")


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one CSV file: scores, system -> (n,) float64; documents, n labels or None."""

    scores: dict[str, np.ndarray]
    documents: list[str] | None


def is_path(source) -> bool:
    """Whether `source` names a file: a string or a path object."""
    return isinstance(source, str | os.PathLike)


def called(source) -> str:
    """What messages call a file."""
    if source == STANDARD_INPUT:
        return "standard input"
    name = os.fsdecode(source)
    return name if name and name.isprintable() else repr(name)


def text(source) -> str:
    """The whole text of a file, without a byte-order mark."""
    raw, name = _bytes(source), called(source)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name}, line 1: UTF-16; save the file as UTF-8")
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise ValueError(f"{name}, line {line:,}: not text (a zero byte); a file of UTF-8 text is needed")
    try:
        found = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{name}, line {line:,}: not UTF-8 (byte 0x{raw[error.start]:02x}); save the file as UTF-8"
        ) from None
    found = found.removeprefix("\ufeff")
    if not found:
        raise ValueError(f"{name}: empty; one line per segment is needed")
    return found


def lines(source) -> list[str]:
    """The lines of a text file, empty ones included; an end of line at the very end adds none."""
    found = text(source)
    if "\n" not in found and "\r" in found.rstrip("\r"):
        raise ValueError(f"{called(source)}, line 1: carriage returns alone end the lines; save the file with line feeds")
    return [line.removesuffix("\r") for line in found.removesuffix("\n").split("\n")]


def table(source, columns: list[str] | None = None, documents: str | None = None) -> Table:
    """A CSV file with a line of column names: one column of scores per system.

    columns: the systems to read, by default every column but `documents`, the column of document names.
    Fields are separated by tabs if the first line has one, else by commas, else by semicolons. Raises
    ValueError for a column that is missing or named twice, rows of another length, and scores that are not
    finite numbers.
    """
    name, content = called(source), text(source)
    first = content.partition("\n")[0]
    delimiter = next((mark for mark in "\t,;" if mark in first), ",")
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [field.strip() for field in next(rows)]
        wanted = _wanted(name, header, columns, documents)
        values = {column: array("d") for column in wanted if column != documents}
        found: list[str] = []
        blank = 0
        for row in rows:
            if not row:
                blank = blank or rows.line_num
                continue
            if blank:
                raise ValueError(f"{name}, line {blank:,}: empty; the header names {len(header)} columns")
            if len(row) != len(header):
                raise ValueError(f"{name}, line {rows.line_num:,}: the number of columns is "
                                 f"{len(header)} in the header and {len(row)} here")
            for column, place in wanted.items():
                if column == documents:
                    found.append(_label(name, rows.line_num, column, row[place]))
                else:
                    values[column].append(_number(name, rows.line_num, column, row[place], columns is None))
    except csv.Error as error:
        raise ValueError(f"{name}, line {rows.line_num:,}: not a CSV file ({error})") from None
    scores = {column: np.array(numbers, dtype=np.float64) for column, numbers in values.items()}
    if not next(iter(scores.values())).size:
        raise ValueError(f"{name}, line 2: no rows; one line per segment is needed")
    return Table(scores, None if documents is None else found)


def _bytes(source) -> bytes:
    name = called(source)
    if source == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    if os.path.isdir(source):
        raise ValueError(f"{name}: a directory; a file is needed")
    try:
        with open(source, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise ValueError(f"{name}: no such file") from None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise ValueError(f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _wanted(name, header, columns, documents) -> dict[str, int]:
    """Column name -> place, for the columns to read."""
    if not any(header):
        raise ValueError(f"{name}, line 1: empty; a line of column names is needed")
    if all(map(_is_number, header)):
        raise ValueError(f"{name}, line 1: numbers; a line of column names is needed first")
    chosen = list(columns) if columns is not None else [x for x in header if x != documents]
    if documents is not None:
        chosen.append(documents)
    for column in chosen:
        if column not in header:
            raise ValueError(f"{name}, line 1: no column {_checks.shown(column)}; there are "
                             f"{_named(header)}")
        if column == "":
            raise ValueError(f"{name}, line 1: column {header.index('') + 1} has no name; name the systems")
        if header.count(column) > 1:
            raise ValueError(f"{name}, line 1: column {_checks.shown(column)} is named {header.count(column)} times")
        if chosen.count(column) > 1:
            raise ValueError(f"{name}: column {_checks.shown(column)} is asked for {chosen.count(column)} times")
    if len(chosen) - (documents is not None) < 2:
        what = "there are" if columns is None else "asked for"
        hint = "" if header[1:] else "; tabs, commas or semicolons part them"
        raise ValueError(f"{name}, line 1: at least 2 columns of scores are needed; {what} "
                         f"{_named(header if columns is None else columns)}{hint}")
    return {column: header.index(column) for column in chosen}


def _named(columns) -> str:
    """Names of columns for a message; of very many the first ones."""
    more = f" and {len(columns) - 20:,} more" if len(columns) > 20 else ""
    return ", ".join(map(_checks.shown, columns[:20])) + more


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _number(name, line, column, field, unnamed) -> float:
    try:
        number = float(field)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in field:
        hint = " (to leave the column out, name the systems)" if unnamed else ""
        if field.strip().casefold() in TRUTHS:
            hint = "; write 1 for right and 0 for wrong"
        elif re.fullmatch(r"\s*[+-]?\d*,\d+\s*", field):
            hint = "; write a decimal point"
        raise ValueError(f"{name}, line {line:,}, column {_checks.shown(column)}: {_checks.shown(field)} is not a finite number{hint}")
    return number


def _label(name, line, column, field) -> str:
    if not field.strip():
        raise ValueError(f"{name}, line {line:,}, column {_checks.shown(column)}: no document is named")
    return field.strip()
