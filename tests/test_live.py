"""Pages that run in the reader's browser: what is put into the site, and what the button does.

The pages run for real when SIGBOOK_PYODIDE names a folder with Pyodide 0.27 and its wheels.
"""

from __future__ import annotations

import ast
import email
import http.server
import json
import os
import pathlib
import sys
import threading
import zipfile

import nbformat
import pytest

import drive_live
import make_live
import serve

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = make_live.pages()
QUICK = ("book/choosing", "book/clusters")
ALLOWED = {"sigbook", "numpy", "scipy", "matplotlib", "ipywidgets", "sklearn"}
SECONDS = 60  # for a cell, on a machine that does other things too; the bench measures on a quiet one
RUNTIME = os.environ.get("SIGBOOK_PYODIDE")
needs_runtime = pytest.mark.skipif(not RUNTIME, reason="SIGBOOK_PYODIDE names no folder with Pyodide and its wheels")


def code_cells(name: str) -> list:
    return [cell for cell in nbformat.read(ROOT / f"{name}.ipynb", 4).cells if cell.cell_type == "code"]


# What is put into the site -----------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_cells_import_only_what_a_browser_can_have(name):
    tops = set()
    for cell in code_cells(name):
        if "raises-exception" in cell.metadata.get("tags", []):
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                tops |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                tops.add(node.module.split(".")[0])
    assert tops - sys.stdlib_module_names <= ALLOWED


def test_the_package_becomes_a_wheel_with_its_licences_the_same_each_time(tmp_path):
    name = make_live.package_wheel(tmp_path)
    first = (tmp_path / name).read_bytes()
    assert make_live.package_wheel(tmp_path) == name and (tmp_path / name).read_bytes() == first
    with zipfile.ZipFile(tmp_path / name) as wheel:
        inside = set(wheel.namelist())
        info = name.removesuffix("-py3-none-any.whl") + ".dist-info"
        assert email.message_from_bytes(wheel.read(f"{info}/METADATA"))["Name"] == "sigbook"
        listed = {line.split(",")[0] for line in wheel.read(f"{info}/RECORD").decode().split()}
    assert listed == inside
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/LICENSE-text"} <= inside
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "sigbook").rglob("*.py")}
    assert {path for path in inside if path.startswith("sigbook/")} == modules


@pytest.mark.parametrize("name", make_live.INSTALLED)
def test_an_installed_package_becomes_a_wheel_of_its_code_and_licence(tmp_path, name):
    wheel = make_live.installed_wheel(tmp_path, name)
    with zipfile.ZipFile(tmp_path / wheel) as archive:
        inside = archive.namelist()
    assert f"{name}/__init__.py" in inside
    assert any("licenses/" in path for path in inside)
    assert not any("tests/" in path for path in inside)


def test_without_a_runtime_the_public_one_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("SIGBOOK_PYODIDE", raising=False)
    address, words = make_live.runtime(tmp_path)
    assert address == "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/pyodide.js"
    assert "at the reader's click" in words and list(tmp_path.iterdir()) == []


def test_a_runtime_that_cannot_serve_is_refused(tmp_path, monkeypatch):
    folder, out = tmp_path / "runtime", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    monkeypatch.setenv("SIGBOOK_PYODIDE", str(folder))
    with pytest.raises(ValueError, match="lacks pyodide.js"):
        make_live.runtime(out)
    for name in make_live.CORE:
        (folder / name).write_text("{}")
    lock = {"info": {"version": "0.29.0"}, "packages": {"numpy": {}}}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    with pytest.raises(ValueError, match="0.29.0; 0.27.7 is needed"):
        make_live.runtime(out)
    lock["info"]["version"] = make_live.PYODIDE
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    with pytest.raises(ValueError, match="lacks micropip, ssl, .* scipy, matplotlib"):
        make_live.runtime(out)


def test_the_built_site_holds_what_live_json_names(site):
    named = json.loads((site / "live" / "live.json").read_text())
    wheels = [name for name in named["packages"] if "/" in name]
    assert len(wheels) == 4 and len(named["kernel"]) == 4
    assert [name for name in wheels if not (site / "live" / name).is_file()] == []
    assert [name for name in named["kernel"] if not (site / "_static/thebe/lite/pypi" / name).is_file()] == []
    for table in named["tables"]:
        assert (site / "live" / "data" / table).read_bytes() == (ROOT / "data" / table).read_bytes()
    used = set(json.loads((ROOT / "data" / "manifest.json").read_text()))
    assert used <= set(named["tables"])


@pytest.mark.parametrize("name", PAGES)
def test_the_button_stands_on_pages_with_cells_and_on_no_other(site, name):
    if not (site / f"{name}.html").exists():
        pytest.skip("not in the table of contents")
    assert f'data-page="{name}"' in (site / f"{name}.html").read_text()
    assert "live.js" not in (site / "book" / "notation.html").read_text()
    given = json.loads((site / "live" / "pages" / f"{name}.json").read_text())["cells"]
    assert [cell["source"] for cell in given] == [cell.source for cell in code_cells(name)]


# What the button does ----------------------------------------------------------------------------


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    yield context.new_page()
    context.close()


def stored_text(page) -> list[str]:
    return page.eval_on_selector_all(
        "article .cell_output pre", "(all) => all.filter((x) => x.checkVisibility()).map((x) => x.textContent)")


def test_from_a_file_the_button_says_that_a_server_is_needed(browser, page, site):
    live = drive_live.press(page, (site / "book" / "two_pictures.html").as_uri())
    assert live.state == "idle"
    assert "make read" in live.said
    assert page.locator(".live-button").is_enabled()


def elsewhere(page, runtime: str) -> None:
    """Let the site name another place to get Python from."""

    def answer(route):
        told = route.fetch().json()
        route.fulfill(json={**told, "runtime": runtime})

    page.route("**/live/live.json", answer)


def test_without_a_connection_the_stored_page_stands_and_says_so(page, address):
    elsewhere(page, f"{make_live.CDN}pyodide.js")
    page.goto(f"{address}/book/two_pictures.html")
    before = stored_text(page)
    live = drive_live.press(page, f"{address}/book/two_pictures.html")
    assert live.state == "failed"
    assert "cdn.jsdelivr.net did not send Python" in live.said and "stored outputs stand" in live.said
    assert set(live.outside) == {f"{make_live.CDN}pyodide.js"}
    assert stored_text(page) == before and len(before) > 10


def check_page(live: drive_live.Live, name: str) -> None:
    """Every cell ran, and what it printed is what is stored."""
    assert (live.state, live.errors) == ("live", []), live.said
    cells = code_cells(name)
    assert len(live.outputs) == len(cells)
    for cell, outputs in zip(cells, live.outputs):
        assert drive_live.printed(outputs) == drive_live.printed(cell.outputs), cell.id
    for stage in ("Starting Python", f"Running cell {len(cells)} of {len(cells)}"):
        assert any(word.startswith(stage) for word in live.words) or stage.startswith("Running"), stage
    shown = live.page.locator("article").inner_text()
    assert ":::" not in shown and "{doc}" not in shown
    unnamed = live.page.evaluate("""() => [...document.querySelectorAll('.live-output img')]
      .filter((image) => !image.alt.trim()).map((image) => image.outerHTML.slice(0, 100))""")
    assert unnamed == []


@needs_runtime
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in PAGES
])  # fmt: skip
def test_a_page_runs_live_and_prints_what_is_stored(page, site, address, name, record_property):
    if not (site / f"{name}.html").exists():
        pytest.skip("not in the table of contents")
    live = drive_live.press(page, f"{address}/{name}.html")
    check_page(live, name)
    assert live.outside == []
    controls = page.locator(drive_live.CONTROLS).count()
    views = sum(kind == "widget" for out in live.outputs for kind, _ in drive_live.printed(out))
    assert controls >= 2 * views
    for number in range(controls):
        page.wait_for_timeout(400)
        drive_live.move(page, number)  # ends when the view has changed
    assert max(live.seconds) < SECONDS, live.seconds
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    record_property("live", f"{name}: {live.ended[-1]:.0f} s, {live.megabytes:.0f} MB, "
                    f"slowest cell {max(live.seconds):.1f} s")


@needs_runtime
@pytest.mark.long
def test_answers_typed_into_the_page_get_their_verdicts_and_so_does_any_line(page, address):
    name = "book/exercises/smooth"
    live = drive_live.press(page, f"{address}/{name}.html")
    check_page(live, name)
    stub = next(k for k, cell in enumerate(code_cells(name)) if "influence-by-hand" in cell.source)
    editor = page.get_by_label(f"Code of cell {stub + 1}")
    source = editor.input_value()
    cell = page.locator("article div.cell", has=editor)

    def verdict(answer):
        editor.fill(source.replace("psi = ...", f"psi = {answer}"))
        editor.press("Shift+Enter")
        page.wait_for_function("() => document.querySelector('.live [role=status]').textContent === 'It ran.'")
        return cell.locator(".live-output").inner_text().strip()

    assert verdict("(-0.0133, -0.31, 0.3233)") == "influence-by-hand: right."
    assert verdict("(0.0, -0.31, 0.3233)").startswith("influence-by-hand: not right yet")
    own = page.get_by_label("Code of your own cell")
    own.fill("print(sb.__version__, len(a))\n1 / 0")
    page.get_by_role("button", name="Run (Shift+Enter)").last.click()
    page.wait_for_function("() => document.querySelector('.live [role=status]').textContent.startsWith('It ended')")
    said = page.locator(".live-scratch .live-output").inner_text()
    assert "0.1.0 3" in said and "ZeroDivisionError" in said


class Shared(serve.Handler):
    """A server whose files any page may ask for, as a public one is."""

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


@pytest.fixture
def second_origin():
    class Handler(Shared):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=RUNTIME)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


@needs_runtime
@pytest.mark.long
def test_python_may_come_from_another_server(page, address, second_origin):
    elsewhere(page, f"{second_origin}/pyodide.js")
    live = drive_live.press(page, f"{address}/book/exercises/smooth.html")
    check_page(live, "book/exercises/smooth")
    asked = {url.rpartition("/")[2] for url in live.requests if url.startswith(second_origin)}
    assert {"pyodide.asm.wasm", "pyodide-lock.json"} <= asked
    assert any(name.startswith("scipy-") for name in asked)
    assert not any("/live/pyodide/" in url for url in live.requests)


@needs_runtime
@pytest.mark.long
def test_a_cell_that_fails_shows_its_error_and_the_stored_output_stays(page, address):
    """The second cell is broken on its way to the browser."""

    def answer(route):
        told = route.fetch().json()
        told["cells"][1]["source"] = "print('so far')\nraise RuntimeError('broken on purpose')"
        route.fulfill(json=told)

    page.route("**/live/pages/**", answer)
    live = drive_live.press(page, f"{address}/book/exercises/smooth.html")
    assert live.state == "failed"
    assert "cell 2 of" in live.said and "RuntimeError: broken on purpose" in live.said
    cells = code_cells("book/exercises/smooth")
    stored = cells[1].outputs[0]["text"].strip()
    second = page.locator("article div.cell").nth(1).inner_text()
    assert "broken on purpose" in second and stored in second
    third = page.locator("article div.cell").nth(2).text_content()
    assert cells[2].outputs[0]["text"].strip().splitlines()[0] in third
