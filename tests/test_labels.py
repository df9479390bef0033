"""Labels: every statement is carried by a machine check, every reference points to something.

A test carries a statement by `@pytest.mark.proves("thm-randomization")`.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from pathlib import Path

import pytest

import audit_numbers as audit
from numerals import code_spans

TESTS = Path(__file__).resolve().parent
PREFIX = {
    "theorem": "thm-", "proposition": "prop-", "lemma": "lem-", "corollary": "cor-",
    "definition": "def-",
}  # fmt: skip
PROVED = ("theorem", "proposition", "lemma", "corollary")
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau"
GREEK += " upsilon phi chi psi omega"
UNICODE = dict(zip(GREEK.split(), "αβγδεζηθικλμνξπρστυφχψω", strict=True))


def statements(text: str) -> list[tuple[str, str | None]]:
    """(kind, label or None) of each {prf:...} box that takes a label."""
    boxes = re.finditer(
        r"^[ \t]*(?::{3,}|`{3,})\{prf:(\w+)\}.*\n((?:[ \t]*:[\w-]+:.*(?:\n|\Z))*)", text, re.M
    )
    labels = [(box[1], re.search(r":label:[ \t]*(\S+)", box[2])) for box in boxes]
    return [(kind, label and label[1]) for kind, label in labels if kind != "proof"]


def targets(text: str) -> list[tuple[str, str]]:
    """(kind, label) of each thing that the text lets others refer to."""
    found = [(kind, label) for kind, label in statements(text) if label]
    found += [("equation", label) for label in re.findall(r"\$\$[ \t]*\(([\w:.-]+)\)", text)]
    found += [("place", label) for label in re.findall(r"^\(([\w:.-]+)\)=", text, re.M)]
    options = r"^[ \t]*(?::{3,}|`{3,})\{(?!prf:)([\w-]+)\}.*\n((?:[ \t]*:[\w-]+:.*\n)*)"
    for box in re.finditer(options, text, re.M):
        kind = "equation" if box[1] == "math" else "place"
        found += [(kind, label) for label in re.findall(r":(?:label|name):[ \t]*(\S+)", box[2])]
    return found


def references(text: str) -> list[tuple[str, str]]:
    """(role, label) of each reference, code aside."""
    found = []
    for start, end in code_spans(text):
        role = r"\{(prf:ref|numref|eq|ref|doc|cite(?::\w+)?)\}`([^`]+)`"
        match = re.fullmatch(role, text[start:end])
        if match and match[1].startswith("cite"):
            found += [("cite", key.strip()) for key in match[2].split(",")]
        elif match:
            label = re.search(r"<([^>]+)>\s*$", match[2])
            found.append((match[1], label[1] if label else match[2].strip()))
    return found


def figures(path: Path) -> list[str]:
    """The names of the figures that cells of a chapter show."""
    cells = json.loads(path.read_text("utf-8"))["cells"] if path.suffix == ".ipynb" else []
    captions = [cell["metadata"].get("mystnb", {}).get("figure", {}) for cell in cells]
    return [figure["name"] for figure in captions if "name" in figure]


def proofs(source: str) -> tuple[list[str], list[str]]:
    """(labels carried by tests, faults) of a test file's source."""
    labels, faults = [], []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        marks = [ast.unparse(decorator) for decorator in node.decorator_list]
        for decorator in node.decorator_list:
            call = isinstance(decorator, ast.Call) and ast.unparse(decorator.func)
            if not (call and call.endswith(".proves")):
                continue
            values = [arg.value for arg in decorator.args if isinstance(arg, ast.Constant)]
            labels += values
            if not values or len(values) < len(decorator.args) or not node.name.startswith("test_"):
                faults.append(f"{node.name}: proves() takes labels, written out, on a test")
            if any(re.search(r"\bmark\.(?:skip|xfail|long)", mark) for mark in marks):
                faults.append(f"{node.name}: a machine check is neither skipped nor left out")
    return labels, faults


def symbols(text: str) -> set[str]:
    """Greek letters and blackboard or calligraphic capitals of the mathematics of a text."""
    maths = " ".join(text[a:b] for a, b in code_spans(text) if text[a] == "$")
    maths = re.sub(r"\\var(?=epsilon|theta|rho|sigma|phi)", r"\\", maths)
    greek = "|".join(UNICODE)
    found = {letter.lower() for letter in re.findall(rf"(?i)\\({greek})(?![A-Za-z])", maths)}
    return found | {
        f"{font}{{{letter}}}"
        for font, letter in re.findall(r"\\(math(?:bb|cal))\s*\{?\s*([A-Z])(?![A-Za-z])", maths)
    }


BOOK = {path: audit.read_page(path) for path in audit.book_paths()}
TEXTS = [(page.name, piece.where, piece.text) for page in BOOK.values() for piece in page.pieces]
FIGURES = [name for path in BOOK for name in figures(path)]
TARGETS = [target for _, _, text in TEXTS for target in targets(text)]
TARGETS += [("figure", name) for name in FIGURES]
PROOFS = {path.relative_to(TESTS).as_posix(): proofs(path.read_text("utf-8"))
          for path in sorted(TESTS.rglob("test_*.py"))}


def test_every_statement_has_a_label_of_its_kind():
    problems = [
        f"{name} [{where}]: a {kind} with the label {label}"
        for name, where, text in TEXTS
        for kind, label in statements(text)
        if label is None or not label.startswith(PREFIX.get(kind, ""))
    ]
    assert not problems, "\n".join(problems)


def test_labels_are_unique():
    twice = [label for label, n in Counter(label for _, label in TARGETS).items() if n > 1]
    assert not twice


def test_every_statement_is_carried_by_a_machine_check():
    carried = {label for labels, _ in PROOFS.values() for label in labels}
    stated = {label for kind, label in TARGETS if kind in PROVED}
    assert stated, "the book states no theorem"
    assert not stated - carried, f"no test is marked @pytest.mark.proves for {stated - carried}"


@pytest.mark.parametrize("name", PROOFS)
def test_every_marker_names_a_label_of_the_book(name):
    labels, faults = PROOFS[name]
    unknown = set(labels) - {label for _, label in TARGETS}
    assert not unknown and not faults, (unknown, faults)


def test_every_reference_points_to_something():
    kinds = {
        "prf:ref": lambda kind: kind not in ("equation", "place", "figure"),
        "eq": lambda kind: kind == "equation",
        "numref": lambda kind: kind in ("figure", "place"),
        "ref": lambda kind: kind != "equation",
    }
    pages, keys = {page.name for page in BOOK.values()}, audit.citation_keys()
    problems = []
    for name, where, text in TEXTS:
        for role, label in references(text):
            if role == "cite":
                there = label in keys
            elif role == "doc":
                there = label.rpartition("/")[2] in pages
            else:
                there = any(kinds[role](kind) and known == label for kind, known in TARGETS)
            if not there:
                problems.append(f"{name} [{where}]: {role} to {label}")
    assert not problems, "\n".join(problems)


def test_every_figure_is_referred_to():
    found = [reference for _, _, text in TEXTS for reference in references(text)]
    referred = {label for role, label in found if role == "numref"}
    assert not set(FIGURES) - referred, f"no {{numref}} to {set(FIGURES) - referred}"


def test_every_symbol_is_on_the_notation_page():
    listed = (audit.ROOT / "book" / "notation.md").read_text("utf-8")
    known = symbols(listed) | {name for name, letter in UNICODE.items() if letter in listed}
    used = set().union(*(symbols(text) for name, _, text in TEXTS if name != "notation"))
    assert not used - known, f"not in book/notation.md: {sorted(used - known)}"


BOX = """:::{prf:theorem} Valid
:label: thm-a

$$
x \\le \\varepsilon
$$ (eq-a)
:::
:::{prf:proof}
By {prf:ref}`thm-a`, {eq}`eq-a`, {numref}`Fig. %s <fig-a>`, {cite:p}`a2001,b2002`
and `{eq}`; {ref}`sec-a`.
:::
(sec-a)=
```{math}
:label: eq-b
\\mathbb{R}
```
```{table} T
:name: tab-a
```
:::{prf:lemma} Bare
"""


def test_boxes_targets_and_references_are_read():
    assert statements(BOX) == [("theorem", "thm-a"), ("lemma", None)]
    assert sorted(targets(BOX)) == [
        ("equation", "eq-a"), ("equation", "eq-b"), ("place", "sec-a"), ("place", "tab-a"),
        ("theorem", "thm-a"),
    ]  # fmt: skip
    assert references(BOX) == [
        ("prf:ref", "thm-a"), ("eq", "eq-a"), ("numref", "fig-a"), ("cite", "a2001"),
        ("cite", "b2002"), ("ref", "sec-a"),
    ]  # fmt: skip


def test_symbols_are_read():
    text = r"$\hat\delta + \varepsilon_b \in \mathbb{R}^K$, $$\Delta \mathcal N \beta$$, `\mu` \pi"
    assert symbols(text) == {"delta", "epsilon", "mathbb{R}", "mathcal{N}", "beta"}


def test_markers_are_read():
    mark = "@pytest.mark.proves"
    assert proofs(f'{mark}("thm-a", "lem-b")\ndef test_x(): ...') == (["thm-a", "lem-b"], [])
    assert proofs("def test_x(): ...") == ([], [])
    for faulty in (
        f'{mark}("a")\ndef helper(): ...',
        f"{mark}(LABEL)\ndef test_x(): ...",
        f"{mark}()\ndef test_x(): ...",
        f'{mark}("a")\n@pytest.mark.skip\ndef test_x(): ...',
        f'{mark}("a")\n@pytest.mark.xfail(strict=True)\ndef test_x(): ...',
        f'{mark}("a")\n@pytest.mark.long\ndef test_x(): ...',
    ):
        assert len(proofs(faulty)[1]) == 1, faulty
