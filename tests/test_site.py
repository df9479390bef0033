"""The built book, as files and in a browser that reaches 127.0.0.1 and nothing else."""

from __future__ import annotations

import dataclasses
import html.parser
import pathlib
import re

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

import notebook_guard
from sigbook import exercises

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
PAGES = [TOC["root"], *(c["file"] for part in TOC["parts"] for c in part["chapters"])]
EXTRA = ["index", "genindex", "search"]  # made by the builder
FOLLOWED = ("next", "prev", "author", "copyright", "search")  # links that load nothing
LOCAL = ("http://127.0.0.1:", "data:", "blob:")


# The files ---------------------------------------------------------------------------------------


class Resources(html.parser.HTMLParser):
    """The addresses that a page loads by itself; links that a reader follows are not among them."""

    def __init__(self):
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "link" and given.get("rel") not in FOLLOWED:
            self.found.append(given.get("href", ""))
        if tag != "a":
            self.found += [given.get(key) or "" for key in ("src", "data", "poster", "srcset")]


def resources(text: str) -> list[str]:
    parser = Resources()
    parser.feed(text)
    inside = re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""", text)
    return [address for address in parser.found + inside if address]


def is_outside(address: str) -> bool:
    return bool(re.match(r"(?:https?:)?//", address.strip(), re.I))


@pytest.mark.parametrize("text", [
    '<script src="https://cdn.example/x.js"></script>',
    '<link rel="stylesheet" href="//cdn.example/x.css">',
    '<img alt="a" src="http://cdn.example/x.png">',
    "<style>@import 'https://fonts.example/f.css';</style>",
    "<style>p {background: url(https://cdn.example/p)}</style>",
])  # fmt: skip
def test_a_resource_elsewhere_would_be_found(text):
    assert any(map(is_outside, resources(text)))


def test_no_file_of_the_site_loads_a_resource_from_elsewhere(site):
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    assert len(files) > len(PAGES)
    outside = {
        path.name: found
        for path in files
        if (found := list(filter(is_outside, resources(path.read_text(errors="replace")))))
    }
    assert outside == {}


def test_every_page_is_listed_and_every_listed_page_is_built(site):
    built = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    built = {name for name in built if not name.startswith(("_static/", "slides/", "lite/"))}
    assert set(PAGES) <= built
    assert built - set(PAGES) <= set(EXTRA)
    start = (ROOT / f"{TOC['root']}.md").read_text()
    linked = re.findall(r"^\| \{doc\}`(\w+)` \| [^|]+ \|$", start.partition("## Chapters")[2], re.M)
    assert {f"book/{name}" for name in linked} == {
        page for page in PAGES if page.count("/") == 1 and (ROOT / f"{page}.ipynb").exists()}


@pytest.mark.parametrize("chapter", exercises.ORDER)
def test_hints_and_solutions_are_folded_in_elements_that_keys_reach(site, chapter):
    page = BeautifulSoup((site / "book" / "exercises" / f"{chapter}.html").read_text("utf-8"), "html.parser")
    folded = [part.summary.get_text().strip() for part in page.select("article details:not([open])")]
    assert not page.select("article details[open], article details:not(:has(> summary))")
    asked = [exercises.find(name) for name in exercises.ORDER[chapter]]
    assert sum(text.startswith("Hint ") for text in folded) == sum(len(e.hints) for e in asked)
    assert folded.count("Solution") == len(asked)
    for exercise in asked:
        heading = page.find(id=exercise.id)
        shown = heading.find_parent("article").get_text().replace("’", "'")  # the page curls its quotes
        assert exercise.title in shown


# The pages ---------------------------------------------------------------------------------------


@dataclasses.dataclass
class Visit:
    """An open page and what went wrong while it loaded."""

    page: object
    outside: list[str]
    failed: list[str]
    errors: list[str]


READY = """async () => {
  if (window.MathJax) await MathJax.startup.promise;
  const waiting = () => [...document.querySelectorAll('script[type$="widget-view+json"]')]
    .some((script) => !script.parentElement.querySelector('.jupyter-widgets'));
  for (let k = 0; k < 100 && waiting(); k++) await new Promise((go) => setTimeout(go, 100));
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
}"""


@pytest.fixture(scope="module")
def visit(browser, address):
    """Open a page once per look (width and colour scheme) and keep it open."""
    contexts, visits = {}, {}

    def go(name: str, width: int = 1200, scheme: str = "light") -> Visit:
        if (name, width, scheme) in visits:
            return visits[name, width, scheme]
        if (width, scheme) not in contexts:
            contexts[width, scheme] = browser.new_context(
                viewport={"width": width, "height": 800}, color_scheme=scheme
            )
        page = contexts[width, scheme].new_page()
        seen = Visit(page, [], [], [])
        page.on("request", lambda r: r.url.startswith(LOCAL) or seen.outside.append(r.url))
        page.on("requestfailed", lambda r: seen.failed.append(r.url))
        page.on("response", lambda r: seen.failed.append(r.url) if r.status >= 400 else None)
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("console", lambda m: seen.errors.append(m.text) if m.type == "error" else None)
        page.goto(f"{address}/{name}.html", wait_until="load")
        page.evaluate(READY)
        page.wait_for_load_state("networkidle")
        visits[name, width, scheme] = seen
        return seen

    yield go
    for context in contexts.values():
        context.close()


def source(name: str) -> tuple[str, list]:
    """A page's Markdown, and its code cells if it is a notebook."""
    path = ROOT / f"{name}.ipynb"
    if not path.exists():
        return (ROOT / f"{name}.md").read_text(), []
    cells = nbformat.read(path, 4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return text, [cell for cell in cells if cell.cell_type == "code"]


def test_the_address_alone_leads_to_the_start_page(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/")
    page.wait_for_url("**/book/index.html", wait_until="load")
    assert page.locator("article h1").count() == 1
    page.close()


@pytest.mark.parametrize("name", [*PAGES, "genindex", "search"])
def test_a_page_loads_alone_and_without_complaint(visit, name):
    seen = visit(name)
    assert seen.outside == []
    assert seen.failed == []
    assert seen.errors == []


@pytest.mark.parametrize("name", PAGES)
def test_images_have_alt_text_and_are_shown(visit, name):
    faults = visit(name).page.evaluate("""() => [...document.images]
      .filter((image) => !image.alt.trim() || !image.naturalWidth)
      .map((image) => image.outerHTML.slice(0, 200))""")
    assert faults == []


@pytest.mark.parametrize("name", PAGES)
def test_mathematics_is_typeset(visit, name):
    text, _ = source(name)
    page = visit(name).page
    marked, typeset, wrong = page.evaluate("""() => [
      document.querySelectorAll('article .math').length,
      document.querySelectorAll('article .math mjx-container').length,
      document.querySelectorAll('mjx-merror').length]""")
    assert wrong == 0
    assert typeset >= marked
    assert marked > 0 or "$" not in re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.S)


@pytest.mark.parametrize("name", PAGES)
def test_boxes_and_figures_are_there_and_no_markup_is_left_raw(visit, name):
    text, code = source(name)
    page = visit(name).page
    boxes = len(re.findall(r"^(?::{3,}|`{3,})\{prf:", text, flags=re.M))
    assert page.locator("article div.proof").count() == boxes
    figures = [cell for cell in code if "figure" in cell.metadata.get("mystnb", {})]
    assert page.locator("article figure figcaption").count() >= len(figures)
    prose = page.evaluate("""() => {
      const copy = document.querySelector('article').cloneNode(true);
      copy.querySelectorAll('pre, code, script, mjx-container').forEach((part) => part.remove());
      return copy.textContent; }""")
    assert re.findall(r"\{(?:prf:)?\w+\}`|:::+|\$\$|\?\?\?", prose) == []


@pytest.mark.parametrize("name", PAGES)
def test_widgets_show_their_first_frame_beside_other_settings(visit, name):
    text, code = source(name)
    views = sum(notebook_guard.WIDGET_VIEW in o.get("data", {}) for c in code for o in c.outputs)
    found = visit(name).page.evaluate("""() => [...document.querySelectorAll('.cell_output')]
      .filter((output) => output.querySelector('.jupyter-widgets')).map((output) => {
        const section = output.closest('section');
        const tables = [...section.querySelectorAll('table'),  // or one that a cell prints
          ...[...section.querySelectorAll('.cell_output pre')]
            .filter((text) => text.textContent.trim().split('\\n').length > 2)];
        const after = (t) => !output.contains(t)
          && (output.compareDocumentPosition(t) & Node.DOCUMENT_POSITION_FOLLOWING);
        const rows = '.widget-inline-hbox:not(.widget-html):not(.widget-label)';
        const labels = [...output.querySelectorAll(rows)]
          .map((row) => row.querySelector('.widget-label, .widget-label-basic, button'));
        return {height: output.getBoundingClientRect().height, table: tables.some(after),
                labels: labels.map((label) => label ? label.textContent.trim() : '')};
      })""")
    assert len(found) == views
    for widget in found:
        assert widget["height"] > 40
        assert widget["table"], "no table of other settings follows the widget in its section"
        assert all(widget["labels"])
    assert not views or "make lab" in text, "the page does not say where its controls run"


CLIPPED = """() => [...document.querySelectorAll('main *')].filter((part) => {
  const box = part.getBoundingClientRect();
  if (box.width === 0 || box.right <= innerWidth + 1 || box.left >= innerWidth) return false;
  if (part.closest('mjx-assistive-mml')) return false;  // for screen readers, drawn nowhere
  for (let up = part; up; up = up.parentElement) {
    const style = getComputedStyle(up);
    if (up.tagName.startsWith('MJX-') && up !== part) continue;
    if (['auto', 'scroll'].includes(style.overflowX) && up.scrollWidth <= innerWidth * 40
        && up.getBoundingClientRect().right <= innerWidth + 1) return false;
    if (style.visibility === 'hidden' || style.opacity === '0') return false;
  }
  return true;
}).map((part) => part.outerHTML.slice(0, 160))"""


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_screen_scrolls_in_one_direction_and_cuts_nothing_off(visit, name):
    page = visit(name, width=375).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate(CLIPPED) == []


@pytest.mark.parametrize("name", PAGES)
def test_figures_stay_on_white_when_the_page_is_dark(visit, name):
    page = visit(name, scheme="dark").page
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    looks = page.evaluate("""() => [...document.querySelectorAll('article img')].map((image) => {
      const style = getComputedStyle(image);
      return [style.backgroundColor, style.filter]; })""")
    assert all(look == ["rgb(255, 255, 255)", "none"] for look in looks)
