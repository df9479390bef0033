"""The guard for what nbval lets through, and a broken notebook for each of its faults."""

from __future__ import annotations

import pathlib

import pytest
from nbformat import from_dict, read, v4

from notebook_guard import WIDGET_VIEW, WIDGETS, faults, random_faults

ROOT = pathlib.Path(__file__).resolve().parent.parent
PNG = {"image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure>"}
FIGURE = {
    "figure": {"name": "fig-line", "caption": "The line rises."},
    "image": {"alt": "A straight line that rises to the right."},
}


def model(name, **state):
    return {"model_name": name, "model_module": "@jupyter-widgets/controls", "state": state}


def sound():
    """A small notebook in which the guard finds nothing; each test breaks it in one way."""
    code = [
        v4.new_code_cell("rng = np.random.default_rng(1)\nprint(f'{rng.random():.3f}')"),
        v4.new_code_cell("draw()", metadata={"mystnb": FIGURE, "tags": ["hide-input"]}),
        v4.new_code_cell("widget()"),
        v4.new_code_cell("f(-1)", metadata={"tags": ["raises-exception"]}),
    ]
    code[0].outputs = [v4.new_output("stream", name="stdout", text="0.512\n")]
    code[1].outputs = [v4.new_output("display_data", data=dict(PNG))]
    code[2].outputs = [v4.new_output("display_data", data={WIDGET_VIEW: {"model_id": "b"}})]
    code[3].outputs = [v4.new_output("error", ename="ValueError", evalue="n", traceback=["n"])]
    cells = [v4.new_markdown_cell("# Small"), *code]
    for number, cell in enumerate(cells, start=1):
        cell.id = f"small-{number:02d}"
        if cell.cell_type == "code":
            cell.execution_count = number - 1
    notebook = v4.new_notebook(cells=cells)
    state = {
        "a": model("IntSliderModel", description="draws"),
        "b": model("VBoxModel"),
        "c": model("HTMLModel", value='<img alt="A rising line." src="data:,x">'),
        "d": model("SliderStyleModel"),
    }
    stored = {"version_major": 2, "version_minor": 0, "state": state}
    notebook.metadata["widgets"] = from_dict({WIDGETS: stored})
    return notebook


def models(notebook):
    return notebook.metadata.widgets[WIDGETS].state


def figure_cell(**changes):
    def apply(notebook):
        metadata = notebook.cells[2].metadata.mystnb
        for key, value in changes.items():
            part, key = ("image", key) if key == "alt" else ("figure", key)
            metadata[part][key] = value
    return apply


def html(text):
    return lambda n: n.cells[2].outputs.append(
        v4.new_output("display_data", data={"text/html": text, "text/plain": "x"})
    )


def printed(text):
    return lambda n: n.cells[1].outputs[0].update(text=text)


BROKEN = {
    "a count missing": (lambda n: n.cells[1].update(execution_count=None), "execution counts"),
    "outputs and count cleared": (
        lambda n: n.cells[1].update(execution_count=None, outputs=[]), "execution counts"),
    "cells run out of order": (
        lambda n: (n.cells[1].update(execution_count=2), n.cells[2].update(execution_count=1)),
        "execution counts"),
    "a cell deleted": (lambda n: n.cells.pop(1), "execution counts"),
    "two cells with one id": (lambda n: n.cells[1].update(id="small-03"), "appear twice"),
    "a random cell id": (lambda n: n.cells[1].update(id="a1b2c3d4"), "not of the form"),
    "an id of another chapter": (lambda n: n.cells[1].update(id="large-02"), "not of the form"),
    "two figures with one name": (
        lambda n: n.cells[1].metadata.update(from_dict({"mystnb": FIGURE})), "one name"),
    "not a notebook": (
        lambda n: n.cells[1].outputs.append(from_dict({"output_type": "odd"})), "valid"),
    "an empty cell": (lambda n: n.cells[1].update(source=" \n"), "empty code cell"),
    "a skip tag": (lambda n: n.cells[1].metadata.update(tags=["nbval-skip"]), "skip or ignore"),
    "an ignore tag": (
        lambda n: n.cells[1].metadata.update(tags=["nbval-ignore-output"]), "skip or ignore"),
    "an ignore comment": (
        lambda n: n.cells[1].update(source="# NBVAL_IGNORE_OUTPUT\nf()"), "skip or ignore"),
    "timing metadata": (lambda n: n.cells[1].metadata.update(execution={"t": "1"}), "timing"),
    "a printed warning": (lambda n: n.cells[1].outputs[0].update(name="stderr"), "stderr"),
    "an error not expected": (lambda n: n.cells[4].metadata.update(tags=[]), "without the tag"),
    "an expected error that is none": (lambda n: n.cells[4].update(outputs=[]), "raises nothing"),
    "an output's count": (
        lambda n: n.cells[1].outputs.append(
            v4.new_output("execute_result", data={"text/plain": "1"}, execution_count=7)),
        "output's count"),
    "a bare scalar": (printed("np.float64(0.5)\n"), "bare NumPy scalar"),
    "a bare truth value": (printed("[np.True_, np.bool_(True)]\n"), "bare NumPy scalar"),
    "a figure without metadata": (lambda n: n.cells[2].metadata.pop("mystnb"), "no name"),
    "a figure without name": (figure_cell(name=""), "no name"),
    "a figure named oddly": (figure_cell(name="Figure 1"), "no name"),
    "a figure without caption": (figure_cell(caption=" "), "no caption"),
    "a figure without alt text": (figure_cell(alt=""), "no alt text"),
    "alt text of one word": (figure_cell(alt="histogram"), "no alt text"),
    "alt text that repeats the caption": (
        figure_cell(alt="A straight line rises here.", caption="A straight line rises here."),
        "repeats the caption"),
    "two figures in a cell": (
        lambda n: n.cells[2].outputs.append(v4.new_output("display_data", data=dict(PNG))),
        "more than one figure"),
    "a figure as SVG": (
        lambda n: n.cells[2].outputs[0].data.update({"image/svg+xml": "<svg/>"}), "not PNG"),
    "an image without alt text": (html('<img src="x.png">'), "<img> in the output"),
    "an image with empty alt text": (html("<img alt='' src='x.png'>"), "<img> in the output"),
    "a widget image without alt text": (
        lambda n: models(n).c.state.update(value="<img\nsrc='x.png'>"), "<img> in a widget"),
    "an output area": (
        lambda n: models(n).update(e=from_dict(model("OutputModel"))), "needs a kernel"),
    "an image widget": (lambda n: models(n).update(e=from_dict(model("ImageModel"))), "alt text"),
    "a timer": (lambda n: models(n).update(e=from_dict(model("PlayModel"))), "not allowed: Play"),
    "a slider without description": (
        lambda n: models(n).a.state.update(description=""), "without a description"),
    "a widget not stored": (lambda n: models(n).pop("b"), "not stored"),
    "no widget state": (lambda n: n.metadata.pop("widgets"), "not stored"),
    "chance without a seed": (
        lambda n: n.cells[1].update(source="np.random.seed(1)"), "global random state"),
    "a cell that is not Python": (lambda n: n.cells[1].update(source="f("), "is not Python"),
}  # fmt: skip


def test_a_sound_notebook_passes():
    assert faults(sound(), "small") == []


@pytest.mark.parametrize("way", BROKEN)
def test_a_broken_notebook_is_refused(way):
    damage, word = BROKEN[way]
    notebook = sound()
    damage(notebook)
    found = faults(notebook, "small")
    assert any(word in fault for fault in found), found


@pytest.mark.parametrize("source", [
    "import random",
    "from random import shuffle",
    "from numpy.random import rand",
    "numpy.random.normal(size=3)",
    "np.random.shuffle(x)",
    "np.random.RandomState(3)",
    "rng = np.random.default_rng()",
    "rng = default_rng(None)",
    "rng = np.random.default_rng(seed=None)",
    "np.random.SeedSequence().spawn(2)",
    "np.random.Generator(np.random.PCG64())",
    "stats.norm.rvs(size=10)",
])  # fmt: skip
def test_chance_that_no_seed_fixes_is_refused(source):
    assert random_faults(source)


@pytest.mark.parametrize("source", [
    "rng = np.random.default_rng(7)\nrng.normal(size=3)\nrng.shuffle(x)",
    "rng = np.random.default_rng(seed=seed)",
    "np.random.Generator(np.random.PCG64(seed))",
    "np.random.SeedSequence(1).spawn(2)",
    "stats.norm.rvs(size=10, random_state=rng)",
    "%matplotlib inline\nrandom = 1\nx.random()",
    "isinstance(seed, np.random.Generator)",
])  # fmt: skip
def test_seeded_chance_passes(source):
    assert random_faults(source) == []


def test_chapters_have_no_fault(chapter):
    assert faults(read(chapter, 4), chapter.stem) == []


def test_figure_names_are_unique_in_the_book():
    from run_notebooks import chapters

    names = [
        cell.metadata["mystnb"]["figure"]["name"]
        for path in chapters()
        for cell in read(path, 4).cells
        if "figure" in cell.metadata.get("mystnb", {})
    ]
    assert len(names) > 0
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", sorted((ROOT / "sigbook").rglob("*.py")), ids=lambda p: p.stem)
def test_the_package_uses_seeded_chance_only(path):
    faults = random_faults(path.read_text())
    if path.stem == "guard":  # compares the state of `random` before and after a reader's function
        faults = [fault for fault in faults if "random state" not in fault and "module random" not in fault]
    assert faults == []
