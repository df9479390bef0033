"""WCAG 2.1 A and AA: axe finds nothing, keys reach everything, pictures say what they show.

axe sees what is shown, so folded parts are opened first. One width and one colour scheme belong to
`make test`, the three others to `make test-all`.
"""

from __future__ import annotations

import os
import re

import nbformat
import numpy as np
import pytest
import yaml
from bs4 import BeautifulSoup

import drive_live
import make_slides
import run_notebooks
import sigbook as sb
import sigbook.__main__ as command
import slides_pdf

ROOT = run_notebooks.ROOT
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
CHAPTERS = [c["file"] for c in TOC["parts"][0]["chapters"]]
PAGES = [TOC["root"], *(c["file"] for part in TOC["parts"] for c in part["chapters"])]
BUILT = ["genindex", "search"]  # the builder's own pages
DECKS = [*make_slides.chapters(), "index"]
LOOKS = [(1280, "light"), (1280, "dark"), (375, "light"), (375, "dark")]
EVERY_LOOK = pytest.mark.parametrize("look", [
    pytest.param(look, id="-".join(map(str, look)), marks=[pytest.mark.long] if place else [])
    for place, look in enumerate(LOOKS)
])  # fmt: skip
GUIDES = ("cheat_sheet", "choosing", "caveats")

# axe ---------------------------------------------------------------------------------------------

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
AXE = """async (tags) => {
  // What is drawn of a formula is hidden from screen readers, has the colour of its text, and is half of a page.
  document.querySelectorAll('mjx-math').forEach((drawn) => drawn.replaceChildren());
  const found = await axe.run(document, {runOnly: tags, preload: false, resultTypes: ['violations'], elementRef: true});
  // axe reads no MathML, so it takes a header that is a formula for an empty one.
  const formula = (rule, node) => rule.id === 'empty-table-header' && node.element.querySelector('mjx-assistive-mml');
  return found.violations.flatMap((rule) => rule.nodes.filter((node) => !formula(rule, node)).map((node) =>
    `${rule.id}: ${node.target.join(' ')} ${node.html.slice(0, 120)} ${node.any.map((x) => x.message).join('; ').slice(0, 160)}`));
}"""
READY = """async () => {
  if (window.MathJax?.startup) await MathJax.startup.promise;
  const waiting = () => [...document.querySelectorAll('script[type$="widget-view+json"]')]
    .some((script) => !script.parentElement.querySelector('.jupyter-widgets'));
  for (let k = 0; k < 100 && waiting(); k++) await new Promise((go) => setTimeout(go, 100));
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
}"""
OPEN = "() => document.querySelectorAll('details').forEach((part) => (part.open = true))"
STILL = """async () => {
  await new Promise((go) => setTimeout(go, 250));  // what is opened is looked at again by the page's script
  document.getAnimations().forEach((one) => one.finish());
}"""

# A box that scrolls sideways has the focus or something in it that can; ids are there once.
STRUCTURE = """() => {
  const faults = [], seen = new Set();
  for (const part of document.querySelectorAll('main *')) {
    if (part.scrollWidth > part.clientWidth && part.clientWidth && /auto|scroll/.test(getComputedStyle(part).overflowX)
        && !(part.tabIndex >= 0)) faults.push('no key scrolls ' + part.outerHTML.slice(0, 120));
    if (part.tabIndex > 0) faults.push('out of order ' + part.outerHTML.slice(0, 120));
  }
  for (const {id} of document.querySelectorAll('[id]')) {
    if (seen.has(id)) faults.push('twice there: #' + id);
    seen.add(id);
  }
  return faults; }"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The program, from the browser files that the site does not get."""
    return (ROOT / "vendor" / "tests" / "axe" / "axe.min.js").read_text("utf-8")


@pytest.fixture
def opened(browser, address):
    """Open an address of the site and wait until it is all there."""
    contexts = []

    def go(name: str, width: int = 1280, scheme: str = "light", height: int = 800):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.goto(name if ":" in name else f"{address}/{name}", wait_until="load")
        page.evaluate(READY)
        return page

    yield go
    for context in contexts:
        context.close()


def violations(page, axe: str) -> list[str]:
    page.evaluate(OPEN)
    page.evaluate(STILL)
    page.evaluate(axe)
    return page.evaluate(AXE, TAGS)


FAULTY = """<!doctype html><html lang="en"><title>Faults</title><main><h1>Faults</h1>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
<details><summary>More</summary><p style="color: #aaa; background: #fff">Hardly to be read.</p></details>
<div role="slider" tabindex="0" aria-valuenow="1" aria-valuemin="0" aria-valuemax="2">x</div>
<table><thead><tr><th scope="col"></th><th scope="col">a</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
<div style="overflow-x: auto; width: 9em"><p style="width: 40em">A line that is much wider than its box.</p></div>
<p id="here">a</p><p id="here">b</p></main></html>"""


def test_axe_and_the_test_of_boxes_find_what_is_wrong(browser, axe):
    page = browser.new_page()
    page.set_content(FAULTY)
    found = {fault.split(":")[0] for fault in violations(page, axe)}
    assert {"image-alt", "color-contrast", "aria-input-field-name", "empty-table-header"} <= found
    assert [fault.split(" <")[0] for fault in page.evaluate(STRUCTURE)] == ["no key scrolls", "twice there: #here"]
    page.close()


def test_a_name_taken_from_a_page_is_missed(opened, axe):
    page = opened("book/kink.html")
    page.evaluate("""() => {
      const handle = document.querySelector('.noUi-handle');
      handle.closest('.widget-inline-hbox').querySelector('.widget-label').remove();  // or the name comes back
      handle.removeAttribute('aria-label');
      document.querySelector('figure img').removeAttribute('alt');
      document.documentElement.removeAttribute('lang'); }""")
    page.evaluate(axe)
    found = {fault.split(":")[0] for fault in page.evaluate(AXE, TAGS)}
    assert found == {"aria-input-field-name", "image-alt", "html-has-lang"}


@EVERY_LOOK
@pytest.mark.parametrize("name", [*PAGES, *BUILT])
def test_axe_finds_nothing_on_a_page(opened, axe, look, name):
    page = opened(f"{name}.html", *look)
    page.evaluate(OPEN)
    page.evaluate(STILL)
    assert page.evaluate(STRUCTURE) == []
    assert violations(page, axe) == []


@EVERY_LOOK
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in ("kink", "shopping") else pytest.mark.long) for name in DECKS
])  # fmt: skip
def test_axe_finds_nothing_on_the_slides_of_a_deck(opened, axe, look, name):
    # As it is printed, a deck shows all slides and fragments; the lab's views, one upon the other, are parted.
    sheets = opened(f"slides/{name}.html?print-pdf", *look)
    sheets.evaluate(slides_pdf.PRINTED)
    sheets.add_style_tag(content=".reveal .frames { display: block !important; height: auto !important; }")
    assert violations(sheets, axe) == []


@EVERY_LOOK
@pytest.mark.parametrize("name", ["two_pictures", "index"])  # around the slides all decks are alike
def test_axe_finds_nothing_around_the_slides_of_a_deck(opened, axe, look, name):
    assert violations(opened(f"slides/{name}.html", *look), axe) == []


@EVERY_LOOK
def test_axe_finds_nothing_among_the_results_of_a_search(opened, axe, look):
    page = opened("search.html?q=bootstrap", *look)
    page.wait_for_selector("#search-results li")
    page.wait_for_function("document.querySelector('#search-results .search-summary')?.textContent.match(/\\d/)")
    assert violations(page, axe) == []


@EVERY_LOOK
def test_axe_finds_nothing_in_open_menus(opened, axe, look):
    page = opened("book/kink.html", *look)
    if look[0] < 960:
        for button, menu in (("primary", "primary"), ("secondary", "secondary")):
            page.click(f".sidebar-toggle.{button}-toggle:visible")
            assert page.locator(f"#pst-{menu}-sidebar-modal").evaluate("(menu) => menu.open")
            assert violations(page, axe) == []
            page.keyboard.press("Escape")
            assert not page.locator(f"#pst-{menu}-sidebar-modal").evaluate("(menu) => menu.open")
    page.keyboard.press("Control+k")
    assert page.locator("#pst-search-dialog").evaluate("(menu) => menu.open")
    assert violations(page, axe) == []


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get("SIGBOOK_PYODIDE"), reason="SIGBOOK_PYODIDE names no folder with Pyodide and its wheels")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_page_that_runs_live(browser, address, axe, scheme):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    live = drive_live.press(page, f"{address}/book/mcnemar.html")
    assert live.state == "live", live.said
    page.locator(".live-button", has_text="Edit").first.click()
    assert violations(page, axe) == []
    assert page.evaluate(STRUCTURE) == []
    context.close()


def test_the_site_does_not_get_the_program_of_the_test(site):
    assert not list(site.rglob("axe*"))


# Keys --------------------------------------------------------------------------------------------

# Where the focus is: what it is, and whether it can be seen: a ring or a shadow, on it or on what it wraps.
FOCUS = """() => {
  const at = document.activeElement;
  if (at === document.body) return null;
  document.getAnimations().forEach((one) => one.finish());
  const ring = (part) => {
    const style = getComputedStyle(part);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none';
  };
  const box = at.getBoundingClientRect();
  window.reached = (window.reached || new Set()).add(at);
  return {name: at.outerHTML.slice(0, 120), ring: [at, ...at.querySelectorAll('*')].some(ring),
          seen: box.width > 0 && box.height > 0 && at.checkVisibility({opacityProperty: true, visibilityProperty: true})};
}"""
MISSED = """() => [...document.querySelectorAll(
    'a[href], button, summary, select, input, textarea, [role=slider], [contenteditable], [data-scrolls]')]
  .filter((part) => part.checkVisibility({visibilityProperty: true}) && !part.disabled && part.tabIndex >= 0 && !window.reached.has(part))
  .map((part) => part.outerHTML.slice(0, 120))"""


def walk(page) -> tuple[int, list[str]]:
    """Press Tab through the page; the number of stops, and what is wrong with them."""
    faults, stops = [], 0
    while stops < 2_000:
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus is None:
            break
        stops += 1
        if not (focus["ring"] and focus["seen"]):
            faults.append(f"no visible focus: {focus['name']}")
    else:
        faults.append("Tab does not come to an end")
    return stops, faults + [f"out of reach: {name}" for name in page.evaluate(MISSED)]


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in ("book/mcnemar", "book/exercises/kink") else pytest.mark.long)
    for name in [*PAGES, *BUILT]
])  # fmt: skip
def test_tab_reaches_everything_and_shows_where_it_is(opened, name):
    page = opened(f"{name}.html")
    page.evaluate(OPEN)
    page.evaluate(STILL)
    stops, faults = walk(page)
    assert faults == []
    assert stops > 20


@pytest.mark.long
@pytest.mark.parametrize("name", ["book/kink", "book/choosing", "book/cheat_sheet"])
def test_tab_reaches_everything_on_a_narrow_screen(opened, name):
    page = opened(f"{name}.html", 375)
    page.evaluate(OPEN)
    page.evaluate(STILL)
    stops, faults = walk(page)
    assert faults == []
    assert page.locator("[data-scrolls]").count() > 0


def test_a_hidden_or_unreachable_control_is_found(browser):
    page = browser.new_page()
    page.set_content("""<title>Faults</title><style>#plain:focus { outline: none } #unseen { opacity: 0 }</style>
      <button id="plain">a</button><button id="unseen">b</button><a href="#" tabindex="0">c</a>
      <details open><summary>d</summary></details><div role="slider" tabindex="0" hidden>e</div>""")
    _, faults = walk(page)
    assert [re.search(r'id="(\w+)"', fault)[1] for fault in faults] == ["plain", "unseen"]
    page.evaluate("() => { window.reached.delete(document.querySelector('summary')); }")
    assert page.evaluate(MISSED) == ["<summary>d</summary>"]
    page.close()


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name == "book/kink" else pytest.mark.long) for name in CHAPTERS
])  # fmt: skip
def test_keys_move_every_control_of_a_lab(opened, name):
    page = opened(f"{name}.html")
    controls = page.locator("article .jupyter-widgets :is(.noUi-handle, select, input[type=checkbox])")
    assert controls.count() >= 2
    for number in range(controls.count()):
        control = controls.nth(number)
        assert control.evaluate("(c) => getComputedStyle(c).borderTopColor") in ("rgb(51, 51, 51)", "rgb(118, 118, 118)")
        control.focus()
        if control.evaluate("(c) => c.tagName") == "SELECT":
            before = control.input_value()
            page.keyboard.press("ArrowDown")
            if control.input_value() == before:
                page.keyboard.press("ArrowUp")
            assert control.input_value() != before
        elif control.get_attribute("type") == "checkbox":
            before = control.is_checked()
            page.keyboard.press("Space")
            assert control.is_checked() != before
        else:
            low, here, high = (float(control.get_attribute(f"aria-value{x}")) for x in ("min", "now", "max"))
            # aria-valuenow has one decimal, which hides a small step; the number shown does not.
            shown = control.locator("xpath=ancestor::div[contains(@class, 'widget-inline-hbox')]").locator(".widget-readout")
            before = shown.text_content()
            page.keyboard.press("ArrowRight" if here - low < (high - low) / 2 else "ArrowLeft")
            assert shown.text_content() != before
            # What is heard is what is shown, once the page's script has seen it.
            page.wait_for_function("""(handle) => handle.getAttribute('aria-valuetext')
              === handle.closest('.widget-inline-hbox').querySelector('.widget-readout').textContent""",
                                   arg=control.element_handle(), timeout=5_000)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_keys_unfold_hints_solutions_and_proofs(opened, key):
    page = opened("book/exercises/two_pictures.html")
    folded = page.locator("article details > summary")
    assert folded.count() > 10
    for number in range(0, folded.count(), 4):
        summary = folded.nth(number)
        summary.focus()
        page.keyboard.press(key)
        assert summary.evaluate("(part) => part.parentElement.open")


def test_keys_copy_code_and_press_the_live_button(opened, site):
    page = opened((site / "book" / "mcnemar.html").as_uri())  # from a file, where no Python starts
    page.locator("article h1").evaluate("(title) => { title.tabIndex = -1; title.focus(); }")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run this page live"
    page.keyboard.press("Enter")
    assert "make read" in page.locator(".live [role=status]").inner_text()
    button = page.locator("button.copybtn").first
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.dataset.tooltip === 'Copied!'", timeout=5_000)


@pytest.mark.parametrize("width", [1280, 375])
def test_keys_scroll_the_tables_of_a_report_on_a_page_of_its_own(browser, axe, width):
    rng = np.random.default_rng(0)
    names = [f"system-with-a-long-name-{k}" for k in range(12)]
    report = sb.compare(*rng.normal(size=(12, 12)), names=names, draws=50)
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(command._page(report))
    assert violations(page, axe) == [] and page.evaluate(STRUCTURE) == []
    scrolls = 0
    for box in page.locator(".wide").all():
        if box.evaluate("(box) => box.scrollWidth > box.clientWidth"):
            box.focus()
            page.keyboard.press("ArrowRight")
            page.wait_for_function("(box) => box.scrollLeft > 0", arg=box.element_handle(), timeout=5_000)
            scrolls += 1
    assert scrolls >= 1 and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_keys_open_and_close_the_menus(opened):
    page = opened("book/kink.html", 375)
    for kind in ("primary", "secondary"):
        button = page.locator(f".sidebar-toggle.{kind}-toggle:visible")
        button.focus()
        page.keyboard.press("Enter")
        menu = page.locator(f"#pst-{kind}-sidebar-modal")
        assert menu.evaluate("(menu) => menu.open && menu.contains(document.activeElement)")
        page.keyboard.press("Escape")
        assert not menu.evaluate("(menu) => menu.open")
        assert button.evaluate("(button) => button === document.activeElement")
    mode = page.locator("html").get_attribute("data-mode")
    page.locator(".theme-switch-button:visible").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("html").get_attribute("data-mode") != mode


def test_arrows_scroll_what_is_wider_than_a_narrow_screen(opened):
    page = opened("book/kink.html", 375)
    page.evaluate(OPEN)
    page.evaluate(STILL)
    boxes = page.locator("article [data-scrolls]")
    kinds = set()
    for number in range(boxes.count()):
        box = boxes.nth(number)
        kind = box.evaluate("(box) => box.tagName + ' ' + (box.getAttribute('aria-label') || '')")
        if kind in kinds:
            continue
        kinds.add(kind)
        box.evaluate("(box) => { box.scrollIntoView({block: 'center', behavior: 'instant'}); box.focus({preventScroll: true}); }")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("(box) => box.scrollLeft > 0", arg=box.element_handle(), timeout=5_000)
    assert {kind.split(" ", 1)[0] for kind in kinds} >= {"FIGURE", "PRE", "DIV"}
    named = {kind.split(" ", 1)[1].split(",")[0] for kind in kinds}
    assert {"Formula", "Code", "Output", "Picture and table"} <= named


def test_keys_turn_the_slides_of_a_deck(opened):
    page = opened("slides/kink.html", height=720)
    place = "Object.values(Reveal.getIndices()).join()"
    start = page.evaluate(place)
    for forth, back in (("ArrowRight", "ArrowLeft"), ("Space", "Shift+Space"), ("PageDown", "PageUp")):
        page.keyboard.press(forth)
        assert page.evaluate(place) != start
        page.keyboard.press(back)
        assert page.evaluate(place) == start
    for name, arrives in (("next slide", lambda here: here != start), ("previous slide", lambda here: here == start)):
        button = page.get_by_role("button", name=name).first
        button.focus()
        page.keyboard.press("Enter")
        assert arrives(page.evaluate(place))
    page.evaluate("() => document.activeElement.blur()")
    for _ in range(20):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus is None:
            break
        assert focus["ring"] and focus["seen"], focus["name"]
        if "navigate-next" in focus["name"] or "navigate-right" in focus["name"]:
            break
    else:
        pytest.fail("Tab does not reach the button of the next slide")


# Two clicks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("name", GUIDES)
def test_the_guide_and_the_caveats_are_one_click_from_the_start_page(opened, name, width):
    page = opened("book/index.html", width)
    page.click(f"article a[href='{name}.html']")
    page.wait_for_url(f"**/book/{name}.html")


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("name", GUIDES)
def test_the_guide_and_the_caveats_are_two_clicks_from_an_exercise(opened, name, width):
    page = opened("book/exercises/power.html", width)
    if width == 375:
        page.click(".sidebar-toggle.primary-toggle:visible")
    page.click(f"nav.bd-links a[href$='../{name}.html']")
    page.wait_for_url(f"**/book/{name}.html")


@pytest.mark.parametrize("name", [*PAGES, *BUILT])
def test_every_page_links_to_the_guide_and_the_caveats(site, name):
    page = BeautifulSoup((site / f"{name}.html").read_text("utf-8"), "html.parser")
    linked = {link["href"].split("/")[-1] for link in page.select("nav.bd-links a[href]")}
    linked |= {f"{name.split('/')[-1]}.html", *(["#"] if name.split("/")[-1] in GUIDES else [])}
    assert {f"{guide}.html" for guide in GUIDES} <= linked


# Pictures in words -------------------------------------------------------------------------------

SPELLED = {"fig-questions"}  # the words in the picture are its content, so its alt text has them all


def figures() -> list[tuple[str, str, str]]:
    """(name, caption, alt text) of each figure of the chapters."""
    found = []
    for chapter in CHAPTERS:
        for cell in nbformat.read(ROOT / f"{chapter}.ipynb", 4).cells:
            marks = cell.metadata.get("mystnb", {})
            if "figure" in marks:
                found.append((marks["figure"]["name"], marks["figure"]["caption"], marks.get("image", {}).get("alt", "")))
    return found


def weak(alt: str, caption: str, name: str = "") -> list[str]:
    """What is wrong with an alt text, as far as a rule can say."""
    words, said = (set(re.findall(r"\w{4,}", text.lower())) for text in (alt, caption))
    least, most = 60, 1_200 if name in SPELLED else 450
    return [fault for fault, found in {
        "too short or too long": not least <= len(alt) <= most,
        "says that it is a picture": re.match(r"(an? |the )?(figure|image|picture|plot|graph|chart|screenshot)\b", alt, re.I),
        "is no sentence": not re.match(r"[A-Z0-9].*[.)]$", alt, re.S),
        "is the caption": len(words & said) > 0.6 * len(words),
        "names a colour": re.search(r"\b(red|blue|green|orange|yellow|purple|grey|gray)\b", alt, re.I),
        "is markup": re.search(r"[$`{}<>\\]|\*\*", alt),
    }.items() if found]  # fmt: skip


@pytest.mark.parametrize("alt, fault", [
    ("", "too short or too long"),
    ("Figure of two histograms, one around zero and one around the observed gap.", "says that it is a picture"),
    ("two histograms, one around zero and one around the observed gap, far apart", "is no sentence"),
    ("The bootstrap cloud lies around the observed gap, the other cloud around zero.", "is the caption"),
    ("Two histograms, the blue one around zero and the other around the observed gap.", "names a colour"),
    ("Two histograms, one around $0$ and one around the gap, which do not overlap.", "is markup"),
])  # fmt: skip
def test_a_weak_alt_text_is_found(alt, fault):
    assert fault in weak(alt, "The bootstrap cloud lies around the observed gap, the randomization cloud around zero.")


@pytest.mark.parametrize("name, caption, alt", figures(), ids=[name for name, _, _ in figures()])
def test_the_alt_text_of_a_figure_says_what_is_seen(name, caption, alt):
    assert weak(alt, caption, name) == []


def test_no_two_figures_have_one_alt_text():
    texts = [alt for _, _, alt in figures()]
    assert len(texts) > 70 and len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", make_slides.chapters())
def test_the_alt_text_of_a_lab_follows_its_setting(site, name):
    deck = BeautifulSoup((site / "slides" / f"{name}.html").read_text("utf-8"), "html.parser")
    texts = [picture["alt"] for picture in deck.select(".frame img")]
    assert len(texts) >= 3 and len(set(texts)) == len(texts)
    assert [fault for alt in texts for fault in weak(alt, "")] == []
    assert all(re.search(r"\d", alt) for alt in texts)
