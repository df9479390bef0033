"""Run a page in a browser, by its live button or as a notebook, and say what came of it: for tests and bench."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

WIDGET = "application/vnd.jupyter.widget-view+json"
LOCAL = ("http://127.0.0.1:", "data:", "blob:")
PATIENCE = 300.0
CONTROLS = ":is(.live-output, .jp-Notebook) .jupyter-widgets :is(.noUi-handle, select, input[type=checkbox])"
VIEW = """() => [...document.querySelectorAll(':is(.live-output, .jp-Notebook) .widget-html-content')]
  .map((view) => view.innerHTML).join()"""
NOTEBOOK = "jupyterapp.shell.currentWidget"


@dataclass
class Live:
    """A page after its button was pressed, or opened as a notebook; times in seconds from the press."""

    page: object
    state: str = ""  # "live" or "failed", "idle" when Python was not started
    said: str = ""
    words: list[str] = field(default_factory=list)  # what was said on the way
    outputs: list[list[dict]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of each cell
    ended: list[float] = field(default_factory=list)
    requests: dict[str, int] = field(default_factory=dict)  # address -> bytes
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def first_plot(self) -> float:
        """When the first cell with a picture had run."""
        return next(t for t, out in zip(self.ended, self.outputs) if any(kind != "text" for kind, _ in printed(out)))

    @property
    def megabytes(self) -> float:
        return sum(self.requests.values()) / 1e6


def _open(page, address: str) -> Live:
    """What is asked for and what goes wrong is noted from here on."""
    live = Live(page)
    page.context.on("request", lambda r: r.url.startswith(LOCAL) or live.outside.append(r.url))
    page.goto(address, wait_until="load")
    page.context.on("response", lambda r: _note(live, r))
    page.on("pageerror", lambda error: live.errors.append(str(error)))
    return live


def press(page, address: str) -> Live:
    """Open the address, press the button, wait until all cells ran or something failed."""
    live = _open(page, address)
    status, box = page.locator(".live [role=status]"), page.locator(".live")
    page.click(".live-button")
    late = time.monotonic() + PATIENCE
    while time.monotonic() < late:
        live.state, live.said = box.get_attribute("data-state"), status.text_content()
        if live.words[-1:] != [live.said]:
            live.words.append(live.said)
        if live.state in ("live", "failed", "idle"):
            break
        page.wait_for_timeout(50)
    found = page.evaluate("""() => [(window.sigbookLive || {cells: []}).cells, (window.sigbookLive || {}).clicked]
      .map((x) => Array.isArray(x) ? x.map((c) => [c.outputs, c.seconds || 0, c.ended || 0]) : x)""")
    for outputs, seconds, ended in found[0]:
        live.outputs.append(outputs)
        live.seconds.append(seconds)
        live.ended.append((ended - found[1]) / 1000)
    return live


def notebook(page, address: str) -> Live:
    """Open the address, follow the link to its notebook, run all cells of it."""
    live = _open(page, address)
    began = time.perf_counter()
    page.get_by_role("link", name="Open as a notebook").click()
    kernel = f"window.jupyterapp && {NOTEBOOK}?.sessionContext?.session?.kernel"
    page.wait_for_function(f"() => ({kernel})?.status === 'idle'", timeout=1e3 * PATIENCE)
    live.ended.append(time.perf_counter() - began)
    page.evaluate("async () => { for (const c of ['clear-all-cell-outputs', 'run-all-cells']) "
                  "await jupyterapp.commands.execute(`notebook:${c}`); }")
    code = f"{NOTEBOOK}.content.model.sharedModel.cells.filter((cell) => cell.cell_type === 'code')"
    page.wait_for_function(f"() => {code}.every((cell) => cell.execution_count) && ({kernel}).status === 'idle'",
                           timeout=1e3 * PATIENCE)  # fmt: skip
    live.ended.append(time.perf_counter() - began)
    live.outputs = [cell["outputs"] for cell in page.evaluate(f"() => {NOTEBOOK}.content.model.toJSON()")["cells"]
                    if cell["cell_type"] == "code"]  # fmt: skip
    live.state = "live"
    return live


def _note(live: Live, response) -> None:
    live.requests[response.url] = int(response.headers.get("content-length", 0))
    if response.status >= 400:
        live.errors.append(f"{response.status} {response.url}")


def printed(outputs: list) -> list[tuple[str, str]]:
    """Outputs as (kind, text) in order, pictures without their pixels, pieces of printed text joined."""
    found: list[tuple[str, str]] = []
    for output in outputs:
        if output["output_type"] == "stream":
            text = "".join(output["text"])
            if found and found[-1][0] == "text":
                text = found.pop()[1] + text
            found.append(("text", text))
        elif output["output_type"] == "error":
            # The browser's kernel calls a ValueError "<class 'ValueError'>".
            name = re.sub(r"<class '(?:.*\.)?(\w+)'>", r"\1", output["ename"])
            found.append(("text", f"{name}: {output['evalue']}"))
        elif WIDGET in output["data"]:
            found.append(("widget", ""))
        elif "image/png" in output["data"]:
            found.append(("picture", ""))
        elif "text/html" in output["data"]:
            html = re.sub(r"data:image/png;base64,[\w+/=]+", "pixels", "".join(output["data"]["text/html"]))
            found.append(("picture" if "pixels" in html else "text", html))
        else:
            plain = output["data"].get("text/markdown", output["data"].get("text/plain", ""))
            found.append(("text", "".join(plain)))
    return found


def move(page, number: int) -> float:
    """Move the numbered control of the page's widgets by a step; milliseconds until its view changed."""
    control = page.locator(CONTROLS).nth(number)
    control.scroll_into_view_if_needed()
    before = page.evaluate(VIEW)
    if control.evaluate("(c) => c.tagName") == "SELECT":
        chosen = control.evaluate("(c) => (c.selectedIndex + 1) % c.options.length")
        start = time.perf_counter()
        control.select_option(index=chosen)
    elif control.get_attribute("type") == "checkbox":
        start = time.perf_counter()
        control.click()
    else:
        low, here, high = (float(control.get_attribute(f"aria-value{x}")) for x in ("min", "now", "max"))
        rising = here - low < (high - low) / 2
        if page.locator(".jp-Notebook").count():  # a notebook keeps the arrow keys for itself
            track = control.locator("xpath=ancestor::*[contains(@class, 'noUi-base')]")
            box = track.bounding_box()
            start = time.perf_counter()
            track.click(position={"x": box["width"] * (0.8 if rising else 0.2), "y": box["height"] / 2})
        else:
            control.focus()
            start = time.perf_counter()
            control.press("ArrowRight" if rising else "ArrowLeft")
    page.wait_for_function(f"(before) => ({VIEW})() !== before", arg=before, polling=10, timeout=60_000)
    return 1e3 * (time.perf_counter() - start)
