"""Every change of a source in one place, by cosmic-ray's operators, and the file that explains survivors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

SURVIVORS = Path(__file__).resolve().parent.parent / "tests" / "survivors.yml"
# Arithmetic on numbers never becomes a bit operation by mistake, and always fails: it would only flatter.
FLATTERING = re.compile(r"ReplaceBinaryOperator_(?!Bit|RShift|LShift)\w+_(?:Bit\w+|RShift|LShift)$")


@dataclass(frozen=True)
class Change:
    """line: the changed line without its margin, number `row`; place: (row, column) where the change starts
    in the old source; operator: cosmic-ray's name of it; source: the whole changed source."""

    line: str
    row: int
    place: tuple[int, int]
    operator: str
    source: str


def changes(source: str) -> Iterator[Change]:
    """Every single change of a source; strings, docstrings and names stay, and so do the numbers of lines."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    operators = {name: plugins.get_operator(name)() for name in plugins.operator_names()
                 if not FLATTERING.search(name) and not name.startswith("core/Variable")}
    before, after = "", source
    for statement in get_ast(source).children:  # parsed alone, for a change parses all that it is given
        part = statement.get_code()
        after, above = after.removeprefix(part), before.count("\n")
        nodes = list(ast_nodes(get_ast(part)))
        for name, operator in operators.items():
            places = [place for node in nodes for place in operator.mutation_positions(node)]
            for occurrence, ((row, column), (end, _)) in enumerate(places):
                changed = (_without(part, row, end) if name.endswith("RemoveDecorator")
                           else mutate_code(part, operator, occurrence))
                pairs = zip(part.splitlines(), changed.splitlines(), strict=True)
                number, line = next((k, new.strip() or f"without {old.strip()}")
                                    for k, (old, new) in enumerate(pairs, start=1) if old != new)
                yield Change(line, above + number, (above + row, column), name, before + changed + after)
        before += part


def _without(part, row, end):
    """A source whose lines from `row` to before `end` are empty."""
    lines = part.splitlines(keepends=True)
    return "".join([*lines[:row - 1], *["\n"] * (end - row), *lines[end - 1:]])


def explained(kind: str) -> dict[tuple[str, str], str]:
    """(module or exercise, changed line) -> why nothing can tell it from the original. kind: core, exercises."""
    found = yaml.safe_load(SURVIVORS.read_text("utf-8"))[kind]
    return {(name, line): reason for name, reasons in found.items() for reason, lines in reasons.items()
            for line in lines}
