"""Pages opened as notebooks in JupyterLite: what is put into the site, and what runs there.

The notebooks run for real when SIGBOOK_PYODIDE names a folder with Pyodide 0.27 and its wheels.
"""

from __future__ import annotations

import json
import re

import nbformat
import pytest

import drive_live
import make_lite
import make_live
from test_live import code_cells, elsewhere, needs_runtime, second_origin  # noqa: F401

ROOT = make_live.ROOT
PAGES = make_live.pages()


# What is put into the site -----------------------------------------------------------------------


def listed(site, folder: str) -> list[dict]:
    return json.loads((site / "lite" / "api" / "contents" / folder / "all.json").read_text())["content"]


def test_every_page_is_a_notebook_of_the_site(site):
    entries = listed(site, "") + listed(site, "exercises")
    found = {f"book/{e['path']}" for e in entries if e["type"] == "notebook"}
    assert found == {f"{name}.ipynb" for name in PAGES}
    for name in PAGES:
        put = nbformat.read(site / "lite" / "files" / f"{name.removeprefix('book/')}.ipynb", 4)
        assert put == nbformat.read(ROOT / f"{name}.ipynb", 4)
        assert (site / "live" / "pages" / f"{name}.json").is_file()  # says which packages it wants


def test_no_cell_installs_anything():
    installs = re.compile(r"^\s*(?:[%!]\s*)?(?:pip|conda|piplite|micropip|await)\b|pyodide", re.M)
    assert [(name, cell.id) for name in PAGES for cell in code_cells(name) if installs.search(cell.source)] == []


def test_the_application_is_whole_and_holds_no_more_than_a_notebook_needs(site):
    lite = site / "lite"
    told = json.loads((lite / "jupyter-lite.json").read_text())
    for extension in told["federated_extensions"]:
        assert (lite / "extensions" / extension["name"] / extension["load"]).is_file()
    kernel = lite / told["kernel"]["folder"]
    assert [name for name in told["kernel"]["wheels"] if not (kernel / name).is_file()] == []
    assert {name.partition("-")[0] for name in told["kernel"]["wheels"]} == {
        "ipykernel", "piplite", "pyodide_kernel", "widgetsnbextension"}  # fmt: skip
    files = [path for path in lite.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".css", ".html", ".js", ".json", ".svg", ".txt", ".ipynb",
                                               ".whl", ".woff2", ".png", ".ico", ".gif"}  # fmt: skip
    assert sum(path.stat().st_size for path in files) < 25e6


def test_one_file_says_where_python_comes_from(site):
    """The notebooks name no address of their own."""
    said = [path.name for path in (site / "lite").glob("*.js*") if "pyodide/" in path.read_text()]
    assert said == []
    script = (site / "lite" / "notebook.js").read_text()
    assert "../live/kernel.js" in script and "live.json" in script


@pytest.mark.parametrize("libraries, left_out", [
    (["mermaid"], True), (["@xterm/addon-webgl", "process"], True), (["vega-lite", "clone"], True),
    (["@codemirror/lang-python", "@lezer/python"], False), (["@jupyterlab/notebook"], False), ([], False),
])  # fmt: skip
def test_a_piece_is_left_out_by_the_libraries_it_holds(libraries, left_out):
    sources = [f"webpack://app/../node_modules/{name}/index.js" for name in libraries]
    assert make_lite.needless(json.dumps({"sources": [*sources, "webpack://app/./x.js"]}).encode()) is left_out


def test_a_site_without_live_pages_is_refused(tmp_path):
    with pytest.raises(ValueError, match="run tools/make_live.py first"):
        make_lite.build(tmp_path)


# What the link does ------------------------------------------------------------------------------


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    yield context.new_page()
    context.close()


def test_from_a_file_the_link_says_that_a_server_is_needed(page, site):
    page.goto((site / "book" / "two_pictures.html").as_uri())
    page.get_by_role("link", name="Open as a notebook").click()
    assert "make read" in page.locator(".live [role=status]").text_content()
    assert page.url.endswith("two_pictures.html")


def test_without_a_connection_the_notebook_says_so(page, address):
    elsewhere(page, f"{make_live.CDN}pyodide.js")
    asked = []
    page.context.on("request", lambda r: r.url.startswith(drive_live.LOCAL) or asked.append(r.url))
    page.goto(f"{address}/book/two_pictures.html")
    page.get_by_role("link", name="Open as a notebook").click()
    said = page.get_by_text("The notebook could not be opened")
    said.wait_for()
    assert "cdn.jsdelivr.net did not send Python" in said.text_content()
    assert set(asked) == {f"{make_live.CDN}pyodide.js"}
    page.goto(f"{address}/lite/notebooks/index.html?path=a-copy.ipynb")  # which no page of the book is
    said.wait_for()
    assert "cdn.jsdelivr.net did not send Python" in said.text_content()


def check(live: drive_live.Live, name: str) -> None:
    """Every cell ran, and what it printed is what is stored; nothing was missing or asked for outside."""
    cells = code_cells(name)
    assert len(live.outputs) == len(cells)
    for cell, outputs in zip(cells, live.outputs):
        assert drive_live.printed(outputs) == drive_live.printed(cell.outputs), cell.id
    assert (live.errors, live.outside) == ([], [])


@needs_runtime
@pytest.mark.long
@pytest.mark.parametrize("name", ["book/clusters", "book/procedures", "book/two_pictures"])
def test_a_chapter_runs_as_a_notebook_and_its_controls_rerun(page, address, name, record_property):
    live = drive_live.notebook(page, f"{address}/{name}.html")
    check(live, name)
    page.wait_for_timeout(500)
    drive_live.move(page, 0)  # ends when the view has changed
    record_property("live", f"{name} as a notebook: ready {live.ended[0]:.0f} s, all cells {live.ended[1]:.0f} s, "
                    f"{live.megabytes:.0f} MB")


@needs_runtime
@pytest.mark.long
def test_an_exercise_is_checked_in_the_notebook(page, address):
    name = "book/exercises/smooth"
    check(drive_live.notebook(page, f"{address}/{name}.html"), name)
    cell = page.locator(".jp-CodeCell", has_text='sb.check("influence-by-hand"')
    editor = cell.locator(".cm-content")
    source = next(cell.source for cell in code_cells(name) if "influence-by-hand" in cell.source)

    def verdict(answer):
        editor.fill(source.replace("psi = ...", f"psi = {answer}"))
        editor.press("Control+Enter")
        shown = cell.locator(".jp-OutputArea-output")
        shown.filter(has_text="right").wait_for()
        return shown.inner_text().strip()

    assert verdict("(0.0, -0.31, 0.3233)").startswith("influence-by-hand: not right yet")
    page.wait_for_timeout(500)
    assert verdict("(-0.0133, -0.31, 0.3233)") == "influence-by-hand: right."


@needs_runtime
@pytest.mark.long
def test_a_notebook_may_have_python_from_another_server(page, address, second_origin):  # noqa: F811
    elsewhere(page, f"{second_origin}/pyodide.js")
    name = "book/exercises/smooth"
    live = drive_live.notebook(page, f"{address}/{name}.html")
    check(live, name)
    asked = {url.rpartition("/")[2] for url in live.requests if url.startswith(second_origin)}
    assert {"pyodide.asm.wasm", "pyodide-lock.json"} <= asked
    assert not any("/live/pyodide/" in url for url in live.requests)
