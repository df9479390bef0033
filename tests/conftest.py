"""Shared by all tests: one thread per library, one run per chapter, one build of the site."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import filelock
import hypothesis
import pytest
from nbval.plugin import IPyNbCell

import chromium
import claims
import make_archive
import make_lite
import make_live
import make_slides
import run_notebooks
import serve

os.environ.update(run_notebooks.ONE_THREAD)
os.environ["SIGBOOK_PROGRESS"] = ""  # tests keep no progress in anybody's home
# The same examples on each run, and no time limit that a busy machine could break.
hypothesis.settings.register_profile("book", derandomize=True, deadline=None)
hypothesis.settings.register_profile("long", deadline=None, max_examples=2_000)
hypothesis.settings.register_profile(  # `make fuzz` chooses the seed and prints it
    "fuzz", deadline=None, max_examples=10_000, database=None, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("SIGBOOK_HYPOTHESIS", "book"))
ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = pytest.StashKey[dict[pathlib.Path, run_notebooks.Run]]()


class Recorder:
    """Keeps what each kernel says while nbval drives it, so that no chapter has to run twice."""

    def __init__(self, runs: dict[pathlib.Path, run_notebooks.Run]):
        self.runs = runs
        self.messages: dict[pathlib.Path, list[list[dict]]] = {}
        self.seconds: dict[pathlib.Path, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        if not isinstance(item, IPyNbCell):
            return (yield)
        kernel, path = item.parent.kernel, item.path
        received: list[dict] = []
        self.messages.setdefault(path, []).append(received)
        get_message = kernel.get_message

        def recorded(stream, timeout=None):
            message = get_message(stream, timeout=timeout)
            if stream == "iopub":
                received.append(message)
            return message

        kernel.get_message = recorded
        start = time.perf_counter()
        try:
            return (yield)
        finally:
            kernel.get_message = get_message
            self.seconds[path] = self.seconds.get(path, 0.0) + time.perf_counter() - start

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item, nextitem):
        last = isinstance(item, IPyNbCell) and (nextitem is None or nextitem.path != item.path)
        if last and item.parent.kernel.is_alive():
            notebook, received = item.parent.nb, self.messages[item.path]
            if len(received) == sum(cell.cell_type == "code" for cell in notebook.cells):
                peak = run_notebooks.peak_memory(item.parent.kernel.km.provisioner.pid)
                done = run_notebooks.replay(notebook, received)
                self.runs[item.path] = run_notebooks.Run(done, self.seconds[item.path], peak)
        return (yield)


def pytest_configure(config):
    config.stash[RUNS] = {}
    config.pluginmanager.register(Recorder(config.stash[RUNS]), "chapter-recorder")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Cells first, so that the tests of a chapter find it executed."""
    items.sort(key=lambda item: not isinstance(item, IPyNbCell))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Processes share the work file by file; a chapter's tests go where its cells ran."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            of_chapter = re.fullmatch(r"tests/test_chapters\.py::\w+\[([\w/]+)\]", nodeid)
            return f"book/{of_chapter[1]}.ipynb" if of_chapter else nodeid.split("::")[0]

    return ByFile(config, log)


def pytest_terminal_summary(terminalreporter):
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    reports = [report for report in reports if report.when == "call"]
    sections = {
        "chapters": [v for report in reports for k, v in report.user_properties if k == "chapter"],
        "live pages": [v for report in reports for k, v in report.user_properties if k == "live"],
        "versions": [v for report in reports for k, v in report.user_properties if k == "versions"],
        "claims": [
            line.removeprefix(claims.PREFIX)
            for report in reports
            for line in report.capstdout.splitlines()
            if line.startswith(claims.PREFIX)
        ],
    }
    for title, lines in sections.items():
        if lines:
            terminalreporter.section(title)
            for line in lines:
                terminalreporter.write_line(line)


@pytest.fixture(scope="session", params=run_notebooks.chapters(),
                ids=lambda path: path.relative_to(ROOT / "book").with_suffix("").as_posix())
def chapter(request) -> pathlib.Path:
    """The path of each chapter in turn."""
    return request.param


@pytest.fixture(scope="session")
def executed(request):
    """A chapter's one execution: the one that nbval drove, or a run of its own without nbval."""
    runs = request.config.stash[RUNS]

    def get(path: pathlib.Path) -> run_notebooks.Run:
        if path not in runs:
            runs[path] = run_notebooks.run(path)
        return runs[path]

    return get


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> pathlib.Path:
    """The built book with its decks, live pages and archive; a warning of the build is an error."""
    if not (ROOT / "vendor" / "lock.json").exists():
        pytest.fail("vendor/ is missing: run the tests by `make test`, or tools/vendor.py first")
    out = tmp_path_factory.getbasetemp()
    out = (out.parent if "PYTEST_XDIST_WORKER" in os.environ else out) / "site"
    with filelock.FileLock(f"{out}.lock"):  # the first process that comes builds for all
        if not (out / "built").exists():
            _build(out)
            (out / "built").touch()
    return out / "_build" / "html"


def _build(out: pathlib.Path) -> None:
    tool = pathlib.Path(sys.executable).with_name("jupyter-book")
    run = subprocess.run(
        [tool, "build", ".", "--path-output", out, "-W", "-n", "--keep-going", "-q"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    assert "WARNING" not in run.stderr, run.stderr[-4000:]
    make_slides.build(out / "_build" / "html")
    make_live.build(out / "_build" / "html")
    make_lite.build(out / "_build" / "html")
    make_archive.build(out / "_build" / "html")


@pytest.fixture(scope="session")
def address(site) -> str:
    """The built book, served: "http://127.0.0.1:…"."""
    httpd = serve.server(str(site))
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    httpd.server_close()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium of the machine; the tests that need it skip where there is none."""
    with chromium.browser() as instance:
        if instance is None:
            pytest.skip(chromium.MISSING)
        yield instance
