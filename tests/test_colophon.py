"""The colophon's tables: versions of this machine, run times where they were measured."""

from __future__ import annotations

import html
import json
import platform
import re
from importlib.metadata import version

import nbformat
from nbformat import v4

import colophon
import run_notebooks


def test_versions_are_those_of_this_environment():
    found = dict(colophon.versions())
    assert found["Python"] == platform.python_version()
    assert found["NumPy"] == version("numpy") and found["Jupyter Book"] == version("jupyter-book")
    assert all(number.strip() for number in found.values())


def test_a_chapter_has_its_run_time_if_it_was_run_and_a_dash_if_not(tmp_path):
    (tmp_path / "book").mkdir()
    notebook = v4.new_notebook(metadata={"made_with": {"numpy": "2.4.6", "matplotlib": "3.11.2"}})
    for name in ("run", "broken", "waiting"):
        nbformat.write(notebook, tmp_path / "book" / f"{name}.ipynb")
    times = tmp_path / "_build" / "run_times"
    times.mkdir(parents=True)
    (times / "run.json").write_text(json.dumps({"seconds": 3.14, "peak": 212.6}))
    (times / "broken.json").write_text("{")
    rows = colophon.chapters(tmp_path, ["run", "broken", "waiting"])
    drawn = "NumPy 2.4.6, Matplotlib 3.11.2"
    assert rows == [
        ("run", "3.1", "213", drawn),
        ("broken", "–", "–", drawn),
        ("waiting", "–", "–", drawn),
    ]
    (times / "run.json").write_text(json.dumps({"seconds": 3.14, "peak": float("nan")}))
    assert colophon.chapters(tmp_path, ["run"])[0][2] == "–"
    assert "| {doc}`run` | 3.1 | – | NumPy 2.4.6, Matplotlib 3.11.2 |" in colophon.text(
        tmp_path, ["run"]
    )


def test_a_run_of_a_chapter_is_kept_and_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(run_notebooks, "ROOT", tmp_path)
    (tmp_path / "book").mkdir()
    run_notebooks.record(
        tmp_path / "book" / "power.ipynb", run_notebooks.Run(v4.new_notebook(), 2.5, 100.0)
    )
    run_notebooks.record(tmp_path / "other.ipynb", run_notebooks.Run(v4.new_notebook(), 2.5, 100.0))
    assert [path.name for path in tmp_path.rglob("*.json")] == ["power.json"]
    assert json.loads((tmp_path / "_build/run_times/power.json").read_text()) == {
        "seconds": 2.5,
        "peak": 100.0,
    }


def test_the_page_lists_every_chapter_with_the_versions_of_the_build(site):
    text = (site / "book" / "colophon.html").read_text()
    plain = html.unescape(re.sub(r"<[^>]+>", " ", text))
    for name, number in colophon.versions():
        assert re.search(rf"{re.escape(name)}\s+{re.escape(number)}", plain), name
    built = {path.stem for path in (site / "book").glob("*.html")}
    chapters = {path.stem for path in run_notebooks.chapters()} & built
    rows = re.findall(r"<tr.*?</tr>", text, re.S)
    assert all(sum(f'href="{name}.html"' in row for row in rows) == 1 for name in chapters)
