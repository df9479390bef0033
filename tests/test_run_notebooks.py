"""The stored form of a notebook: the same bytes run after run, and every change noticed."""

from __future__ import annotations

import nbformat
import pytest
from nbformat import v4

import run_notebooks

CELLS = [
    "import sys\nprint('one')\nsys.stdout.flush()\nprint('two')",
    "1 + 1",
    "import matplotlib.pyplot as plt\nplt.plot([{y}, 1])\nplt.show()",
    "import ipywidgets\nipywidgets.VBox([ipywidgets.IntSlider(3, description='n')])",
    "raise ValueError('on purpose')",
]


def written(folder, y=0):
    cells = [v4.new_code_cell(source.replace("{y}", str(y))) for source in CELLS]
    cells[-1].metadata["tags"] = ["raises-exception"]
    path = folder / "small.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_markdown_cell("# Small"), *cells]), path)
    return path


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = written(tmp_path_factory.mktemp("stored"))
    return run_notebooks.stable(run_notebooks.run(path).notebook, path.stem)


def test_a_second_run_from_the_stored_file_gives_the_same_bytes(stored, tmp_path):
    path = tmp_path / "small.ipynb"
    path.write_text(stored)
    again = run_notebooks.run(path)
    assert run_notebooks.stable(again.notebook, "small") == stored
    assert 0 < again.seconds < 60 and not again.peak <= 0


def test_cells_are_numbered_once_and_keep_their_numbers(stored):
    notebook = nbformat.reads(stored, 4)
    assert [cell.id for cell in notebook.cells] == [f"small-0{k}" for k in range(1, 7)]
    notebook.cells.insert(1, v4.new_markdown_cell("between"))
    del notebook.cells[3]
    run_notebooks.cell_ids(notebook, "small")
    assert [cell.id[-2:] for cell in notebook.cells] == ["01", "07", "02", "04", "05", "06"]


def test_neighbouring_prints_become_one_output(stored):
    assert [o.text for o in nbformat.reads(stored, 4).cells[1].outputs] == ["one\ntwo\n"]


def test_an_error_is_stored_without_folders_of_the_machine(stored):
    (output,) = nbformat.reads(stored, 4).cells[-1].outputs
    assert output.traceback == ["ValueError: on purpose"]


def test_no_time_and_no_random_id_is_stored(stored):
    notebook = nbformat.reads(stored, 4)
    assert all("execution" not in cell.metadata for cell in notebook.cells)
    models = notebook.metadata.widgets[run_notebooks.WIDGETS]["state"]
    view = notebook.cells[4].outputs[0].data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] in models and len(models) == 5
    inner = models[view["model_id"]]["state"]["children"][0].removeprefix("IPY_MODEL_")
    assert models[inner]["state"]["description"] == "n"


def test_a_changed_pixel_is_a_change(stored, tmp_path):
    path = written(tmp_path, y=0.5)
    other = run_notebooks.stable(run_notebooks.run(path).notebook, "small")
    same_source = other.replace("[0.5, 1]", "[0, 1]")
    assert run_notebooks.compare(stored, same_source) == "changed"
    assert run_notebooks.without_pixels(stored) == run_notebooks.without_pixels(same_source)


def elsewhere(text):
    notebook = nbformat.reads(text, 4)
    notebook.metadata.made_with.blas = "another"
    picture = notebook.cells[3].outputs[0].data
    picture["image/png"] = "iVBORw0KGgo=\n"
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def test_on_another_machine_pixels_may_differ_but_text_may_not(stored):
    assert run_notebooks.compare(elsewhere(stored), stored) == "same text"
    assert run_notebooks.compare(elsewhere(stored).replace("two", "too"), stored) == "changed"
    slider = elsewhere(stored).replace('"value": 3', '"value": 4')
    assert run_notebooks.compare(slider, stored) == "changed"


def test_check_stores_nothing_and_fails_on_a_change(stored, tmp_path, capsys):
    path = tmp_path / "small.ipynb"
    forged = stored.replace('"2"', '"3"')
    assert forged != stored
    path.write_text(forged)
    assert run_notebooks.main(["--check", str(path)]) == 1
    assert path.read_text() == forged
    assert "small.ipynb: changed" in capsys.readouterr().out


def test_a_failing_cell_is_named_and_nothing_is_stored(tmp_path, capsys):
    path = tmp_path / "broken.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell("1 / 0", id="broken-01")]), path)
    before = path.read_text()
    assert run_notebooks.main([str(path)]) == 1
    assert path.read_text() == before
    assert "ZeroDivisionError" in capsys.readouterr().out
