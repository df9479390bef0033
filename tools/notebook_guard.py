"""What `pytest --nbval` lets through in a stored chapter, named fault by fault.

nbval compares the text of outputs. It does not notice outputs cleared together with their count,
cells that ask to be skipped, printed warnings, missing captions, or a widget that needs a kernel
for its first frame. `faults` does; tests/test_notebook_guard.py shows each fault refused.
"""

from __future__ import annotations

import ast
import copy
import re
import warnings

import nbformat

WIDGETS = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CONTROLS = {
    "ButtonModel", "CheckboxModel", "DropdownModel", "FloatLogSliderModel", "FloatSliderModel",
    "IntSliderModel", "RadioButtonsModel", "SelectionSliderModel", "ToggleButtonsModel",
}  # fmt: skip
OTHER_WIDGETS = {
    "AccordionModel", "BoxModel", "GridBoxModel", "HBoxModel", "HTMLModel", "LabelModel",
    "LayoutModel", "StackModel", "TabModel", "VBoxModel",
}  # fmt: skip
WHY_NOT = {
    "ImageModel": " (it cannot carry alt text: put an <img> into an HTML widget)",
    "OutputModel": " (it needs a kernel even for its first frame)",
}
# Names of numpy.random that start from a seed; everything else there uses the global state.
SEEDED = {
    "BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64",
    "SeedSequence", "default_rng",
}  # fmt: skip


def faults(notebook: nbformat.NotebookNode, stem: str) -> list[str]:
    """Every fault of the stored notebook `stem`.ipynb, each starting with where it is."""
    found = [f"{stem}: {text}" for text in _file_faults(notebook, stem)]
    for number, cell in enumerate(_code(notebook), start=1):
        found += [f"{cell.get('id', '?')}: {text}" for text in _cell_faults(cell, number)]
    return found + [f"{stem}: {text}" for text in _widget_faults(notebook)]


def random_faults(source: str) -> list[str]:
    """Uses of chance in Python source that no seed fixes."""
    lines = ["" if line.lstrip()[:1] in ("%", "!") else line for line in source.split("\n")]
    found = []
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Import):
            if any(alias.name.split(".")[0] == "random" for alias in node.names):
                found.append(f"line {node.lineno}: the module random keeps a global state")
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if node.module == "random" or (node.module == "numpy.random" and names - SEEDED):
                found.append(f"line {node.lineno}: import of global random state")
        elif isinstance(node, ast.Attribute):
            dotted = ast.unparse(node)
            match = re.fullmatch(r"(?:np|numpy)\.random\.(\w+)", dotted)
            if match and match[1] not in SEEDED:
                found.append(f"line {node.lineno}: {dotted} uses the global random state")
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).rsplit(".", 1)[-1]
            given = [*node.args, *(k.value for k in node.keywords if k.arg in ("seed", "entropy"))]
            none = all(isinstance(a, ast.Constant) and a.value is None for a in given[:1])
            if name in SEEDED - {"Generator", "BitGenerator"} and none:
                found.append(f"line {node.lineno}: {name} without a seed")
            if name == "rvs" and "random_state" not in {k.arg for k in node.keywords}:
                found.append(f"line {node.lineno}: rvs without random_state")
    return found


def _code(notebook: nbformat.NotebookNode) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _file_faults(notebook: nbformat.NotebookNode, stem: str) -> list[str]:
    found = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nbformat.validate(copy.deepcopy(notebook))  # validate repairs ids in what it is given
    except nbformat.ValidationError as error:
        found.append(f"not a valid notebook: {str(error).splitlines()[0]}")
    counts = [cell.execution_count for cell in _code(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        found.append(f"execution counts are {counts}, not those of one run from top to bottom")
    ids = [cell.get("id", "") for cell in notebook.cells]
    if len(set(ids)) < len(ids):
        found.append(f"cell ids appear twice: {sorted({x for x in ids if ids.count(x) > 1})}")
    odd = [x for x in ids if not re.fullmatch(re.escape(stem) + r"-\d{2,}", x)]
    if odd:
        found.append(f"cell ids are not of the form {stem}-04: {odd}")
    names = [_figure(cell).get("name") for cell in _code(notebook) if _figure(cell).get("name")]
    if len(set(names)) < len(names):
        found.append("two figures have one name")
    return found


def _figure(cell: nbformat.NotebookNode) -> dict:
    return cell.metadata.get("mystnb", {}).get("figure", {})


def _cell_faults(cell: nbformat.NotebookNode, number: int) -> list[str]:
    found = []
    tags = set(cell.metadata.get("tags", []))
    if not cell.source.strip():
        found.append("empty code cell")
    marked = re.search(r"#\s*(NBVAL|PYTEST_VALIDATE)_", cell.source)
    if marked or any("nbval" in tag for tag in tags):
        found.append("asks nbval to skip or ignore it")
    if "execution" in cell.metadata:
        found.append("carries timing metadata")
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            found.append("prints to stderr")
        if output.output_type == "error" and "raises-exception" not in tags:
            found.append(f"ends in {output.ename} without the tag raises-exception")
        if output.get("execution_count", number) != number:
            found.append("an output's count is not the cell's")
        text = output.get("text", "") + "".join(
            value for value in output.get("data", {}).values() if isinstance(value, str)
        )
        scalar = re.search(r"\bnp\.(float|int|uint|bool|str|complex)\w*\(", text)
        if scalar:
            found.append(f"shows a bare NumPy scalar: {scalar[0]}…)")
        if _unnamed_image(output.get("data", {}).get("text/html", "")):
            found.append("an <img> in the output has no alt text")
        if {"image/svg+xml", "image/jpeg", "application/pdf"} & set(output.get("data", {})):
            found.append("shows a figure that is not PNG")
    if "raises-exception" in tags and not any(o.output_type == "error" for o in cell.outputs):
        found.append("is tagged raises-exception and raises nothing")
    if any("image/png" in output.get("data", {}) for output in cell.outputs):
        found += _figure_faults(cell)
    try:
        found += random_faults(cell.source)
    except SyntaxError as error:
        if "raises-exception" not in tags:
            found.append(f"is not Python: {error.msg}")
    return found


def _figure_faults(cell: nbformat.NotebookNode) -> list[str]:
    found = []
    figure, image = _figure(cell), cell.metadata.get("mystnb", {}).get("image", {})
    pictures = sum("image/png" in output.get("data", {}) for output in cell.outputs)
    if pictures > 1:
        found.append("shows more than one figure: one caption, one picture")
    if not re.fullmatch(r"fig-[a-z0-9-]+", figure.get("name", "")):
        found.append("its figure has no name of the form fig-two-clouds")
    if not figure.get("caption", "").strip():
        found.append("its figure has no caption")
    alt = image.get("alt", "").strip()
    if len(alt.split()) < 5:
        found.append("its figure has no alt text of a sentence")
    elif alt == figure.get("caption", "").strip():
        found.append("the alt text repeats the caption")
    return found


def _unnamed_image(html: str) -> bool:
    return any(
        not re.search(r"""\balt=(["'])(?=[^"']*\w).*?\1""", tag, re.S)
        for tag in re.findall(r"<img\b[^>]*>", html, re.S)
    )


def _widget_faults(notebook: nbformat.NotebookNode) -> list[str]:
    found = []
    state = notebook.metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {})
    views = [
        output.data[WIDGET_VIEW]["model_id"]
        for cell in _code(notebook)
        for output in cell.outputs
        if WIDGET_VIEW in output.get("data", {})
    ]
    if set(views) - set(state):
        found.append("a widget is shown whose first frame is not stored")
    for model in state.values():
        kind, values = model["model_name"], model.get("state", {})
        if kind in CONTROLS:
            if not values.get("description", "").strip():
                found.append(f"a control without a description: {kind}")
        elif kind not in OTHER_WIDGETS and not kind.endswith("StyleModel"):
            found.append(f"widget kind not allowed: {kind}{WHY_NOT.get(kind, '')}")
        if kind == "HTMLModel" and _unnamed_image(values.get("value", "")):
            found.append("an <img> in a widget has no alt text")
    return found
