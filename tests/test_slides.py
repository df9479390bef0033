"""The decks: cut from the chapters, numbered as the book, and each slide fits a room's screen."""

from __future__ import annotations

import importlib
import re

import nbformat
import pytest

import make_slides
import slides_pdf
from sigbook import figures

CHAPTERS = make_slides.chapters()

TARGETS = {
    "thm-x": make_slides.Target("Theorem 2.1", "../book/a.html#thm-x"),
    "eq-x": make_slides.Target("(2.3)", "../book/a.html#equation-eq-x"),
    "fig-x": make_slides.Target("Fig. 2.4", "../book/a.html#fig-x"),
    "a": make_slides.Target("2. Chapter", "../book/a.html"),
}
WORKS = {"koehn2004": ("Koehn", "2004"), "efron1993": ("Efron and Tibshirani", "1993")}


# From Markdown to slides -------------------------------------------------------------------------


@pytest.mark.parametrize("text, expected", [
    (":::{prf:theorem} Title\n:label: thm-x\n\nbody\n:::",
     ":::{admonition} Theorem 2.1 (Title)\n:class: statement theorem\n\nbody\n:::"),
    (":::{prf:proof}\nbody\n:::", ":::{admonition} Proof\n:class: statement proof\nbody\n:::"),
    ("by {prf:ref}`thm-x`.", 'by <a href="../book/a.html#thm-x">Theorem 2.1</a>.'),
    ("{eq}`eq-x`", '<a href="../book/a.html#equation-eq-x">(2.3)</a>'),
    ("{ref}`here <thm-x>`", '<a href="../book/a.html#thm-x">here</a>'),
    ("{doc}`a`", '<a href="../book/a.html">2. Chapter</a>'),
    ("{cite:t}`koehn2004` and {cite:p}`koehn2004,efron1993`",
     "Koehn (2004) and (Koehn, 2004; Efron and Tibshirani, 1993)"),
    ("$$\nx = 1\n$$ (eq-x)", "$$\nx = 1 \\tag{2.3}\n$$"),
    ("$$\nx = 1 \\\\\ny = 2\n$$ (eq-x)",
     "\\begin{equation*}\nx = 1 \\\\\ny = 2 \\tag{2.3}\n\\end{equation*}"),
    ("`{prf:ref}` and `sb.holm`", "`{prf:ref}` and `sb.holm`"),
])  # fmt: skip
def test_references_and_boxes_get_the_book_s_numbers(text, expected):
    translator = make_slides.Translator(TARGETS, WORKS)
    assert translator.markdown(text) == expected
    assert translator.missing == []


def test_what_the_book_does_not_have_is_named():
    translator = make_slides.Translator(TARGETS, WORKS)
    translator.markdown("{prf:ref}`thm-y`, {cite:t}`nobody2001`, {eq}`eq-x`")
    assert translator.missing == ["thm-y", "nobody2001"]


def test_a_long_box_goes_on_with_a_box_of_the_same_name():
    head = ":::{prf:theorem} Title\n:label: thm-x\n"
    assert make_slides.pages("text") == ["text"]
    assert make_slides.pages("a\n\n<!-- next slide -->\n\nb") == ["a", "b"]
    assert make_slides.pages(f"{head}\na\n\n<!-- next slide -->\n\nb\n:::") == [f"{head}\na\n:::", f"{head}\nb\n:::"]
    three = make_slides.pages(f"{head}\na\n{make_slides.NEXT}\nb\n{make_slides.NEXT}\nc\n:::")
    assert three == [f"{head}\n{part}\n:::" for part in "abc"]


@pytest.mark.parametrize("kind, first", [("slide", "{}"), ("fragment", "::::::{{container}} fragment\n{}\n::::::")])
def test_a_misconception_stands_alone_until_the_next_key(kind, first):
    cell = nbformat.v4.new_markdown_cell('**1. "It is so."** It is **not**, see {eq}`eq-x`.')
    translator = make_slides.Translator(TARGETS, WORKS)
    question, answer = make_slides._content("a", cell, kind, cell.source, translator)
    assert question.source == first.format('**1. "It is so."**')
    assert answer.source.startswith("::::::{container} fragment\nIt is **not**, see <a") and answer.source.endswith("::::::")
    assert len(make_slides._content("a", cell, "notes", cell.source, translator)) == 1


def test_a_slide_does_not_tell_the_version_of_the_package(site):
    new = nbformat.v4.new_output
    first, both, none = (new("stream", text=text) for text in ("sigbook 0.1.0\n", "sigbook 1.2\np = 1\n", "of sigbook 1\n"))
    assert [output.text for output in make_slides.without_version([first, both, none])] == ["p = 1\n", "of sigbook 1\n"]
    assert both.text.startswith("sigbook")  # the chapter's own output stays as it is
    picture = new("display_data", {"image/png": ""})
    assert make_slides.without_version([picture]) == [picture]
    for name in CHAPTERS:
        assert not re.search(r"sigbook \d+\.\d", (site / "slides" / f"{name}.html").read_text("utf-8"))


def test_a_mark_that_means_nothing_is_refused():
    cell = nbformat.v4.new_markdown_cell("x", metadata={"slideshow": {"slide_type": "page"}})
    with pytest.raises(ValueError, match="slide_type is 'page'"):
        make_slides.slide_type(cell)


def test_a_deck_older_than_its_chapter_is_named(tmp_path, monkeypatch):
    (tmp_path / "slides").mkdir()
    assert make_slides.stale(tmp_path) == CHAPTERS
    for name in CHAPTERS:
        (tmp_path / "slides" / f"{name}.html").write_text("")
    made = {name: make_slides.digest(name) for name in CHAPTERS}
    (tmp_path / "slides" / "made_from.json").write_text(__import__("json").dumps(made))
    assert make_slides.stale(tmp_path) == []
    monkeypatch.setattr(make_slides, "digest", lambda name: "another" if name == CHAPTERS[0] else made[name])
    assert make_slides.stale(tmp_path) == CHAPTERS[:1]


# The marks of the chapters -----------------------------------------------------------------------


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_deck_is_a_lecture(name):
    cells = nbformat.read(make_slides.BOOK / f"{name}.ipynb", 4).cells
    kinds = [make_slides.slide_type(cell) for cell in cells]
    slides = sum(kind in ("slide", "subslide") for kind in kinds)
    slides += sum(cell.source.count(make_slides.NEXT) for cell in cells)
    assert 15 <= slides <= 25
    assert kinds.count("notes") >= 5 and kinds.count("fragment") >= 5
    shown = [cell.source for cell, kind in zip(cells, kinds) if kind not in ("skip", "notes")]
    assert any("{prf:" in text for text in shown), "no statement is shown"
    assert any("lab()" in text for text in shown), "the lab is not shown"
    assert any(text.startswith("## Take-aways") for text in shown)
    assert sum(text.startswith(("**1.", "**2.", "**3.", "## Misconceptions\n")) for text in shown) >= 2


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_lecture_steps_through_settings_that_differ(name):
    module = importlib.import_module(f"sigbook.chapters.{name}")
    settings = [tuple(map(repr, values.items())) for values in module.LECTURE]
    assert len(set(settings)) == len(settings) >= 3


def test_a_table_stands_beside_a_tall_picture_or_above_remarks():
    def view(width, height, rest=""):
        return figures.image_tag(figures.canvas(width=width, height=height)[0], "x") + "<table></table>" + rest

    assert not make_slides.crowded(view(6, 3))
    assert make_slides.crowded(view(6, 3.2))
    assert make_slides.crowded(view(6, 2, "<ul><li>few</li></ul>"))


# The built decks ---------------------------------------------------------------------------------


def test_decks_and_chapters_link_both_ways(site):
    for name in CHAPTERS:
        assert f"../slides/{name}.html" in (site / "book" / f"{name}.html").read_text("utf-8")
        assert f"../book/{name}.html" in (site / "slides" / f"{name}.html").read_text("utf-8")
        assert f'href="{name}.html"' in (site / "slides" / "index.html").read_text("utf-8")
    assert make_slides.stale(site) == []


def test_a_deck_can_be_zoomed(site):
    for name in (*CHAPTERS, "index"):
        text = (site / "slides" / f"{name}.html").read_text("utf-8")
        assert 'name="viewport"' in text and "user-scalable" not in text and "maximum-scale" not in text


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_address_of_a_deck_is_in_the_site(site, name):
    from bs4 import BeautifulSoup

    deck = BeautifulSoup((site / "slides" / f"{name}.html").read_text("utf-8"), "html.parser")
    links = [link["href"] for link in deck.select(".slides a[href]")]
    assert links
    for link in links:
        page, _, anchor = link.partition("#")
        path = (site / "slides" / page).resolve()
        assert path.is_file(), link
        assert not anchor or f'id="{anchor}"' in path.read_text("utf-8"), link


@pytest.mark.parametrize("name", CHAPTERS)
def test_boxes_bear_the_book_s_numbers(site, name):
    from bs4 import BeautifulSoup

    book = BeautifulSoup((site / "book" / f"{name}.html").read_text("utf-8"), "html.parser")
    titles = {" ".join(p.get_text().split()) for p in book.select("div.proof > p.admonition-title")}
    deck = BeautifulSoup((site / "slides" / f"{name}.html").read_text("utf-8"), "html.parser")
    shown = [" ".join(p.get_text().split()) for p in deck.select("div.statement > p.admonition-title")]
    assert shown and set(shown) - {"Proof"} <= titles


FIT = """() => {
  const slide = Reveal.getCurrentSlide(), faults = [];
  for (const part of slide.querySelectorAll('*')) {
    if (part.closest('aside, mjx-assistive-mml')) continue;
    const box = part.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    if (box.bottom > 720 || box.right > 1280 || box.left < 0 || box.top < 0)
      faults.push('outside: ' + part.outerHTML.slice(0, 120));
    const words = [...part.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (words && !part.closest('mjx-container') && parseFloat(getComputedStyle(part).fontSize) < 20)
      faults.push('small: ' + part.outerHTML.slice(0, 120));
  }
  const copy = slide.cloneNode(true);
  copy.querySelectorAll('pre, code, script, mjx-container').forEach((part) => part.remove());
  const raw = copy.textContent.match(/\\{(?:prf:)?\\w+\\}`|:::+|\\$\\$|\\?\\?\\?/g);
  if (raw) faults.push('raw: ' + raw.join(' '));
  for (const image of slide.querySelectorAll('img')) if (!image.alt.trim()) faults.push('no alt text');
  if (slide.querySelector('mjx-merror')) faults.push('a formula is broken');
  return faults; }"""


@pytest.mark.parametrize("name", [*CHAPTERS, "index"])
def test_every_slide_fits_and_asks_nothing_of_other_servers(browser, address, name):
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    outside, failed, errors = [], [], []
    page.on("request", lambda r: r.url.startswith(("http://127.0.0.1:", "data:", "blob:")) or outside.append(r.url))
    page.on("response", lambda r: failed.append(r.url) if r.status >= 400 else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.goto(f"{address}/slides/{name}.html", wait_until="load")
    page.evaluate("async () => { if (window.MathJax && MathJax.startup) await MathJax.startup.promise; }")
    page.evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => {})))")
    found = {}
    for k in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate("(k) => { const at = Reveal.getIndices(Reveal.getSlides()[k]); Reveal.slide(at.h, at.v, 99); }", k)
        faults = page.evaluate(FIT)
        if faults:
            found[k + 1] = faults
    steps = page.evaluate("""() => { Reveal.slide(0, 0); let steps = 0;
      while (steps < 500 && !Reveal.isLastSlide()) { Reveal.next(); steps += 1; } return steps; }""")
    page.close()
    assert found == {}
    assert (outside, failed, errors) == ([], [], [])
    assert steps < 500


@pytest.mark.parametrize("name", ["two_pictures", "procedures", "smooth"])  # the others print alike
def test_a_printed_deck_has_one_page_a_slide(browser, address, tmp_path, name):
    pages = slides_pdf.print_deck(browser, address, name, tmp_path / "deck.pdf")
    printed = len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "deck.pdf").read_bytes()))
    cells = nbformat.read(make_slides.BOOK / f"{name}.ipynb", 4).cells
    slides = sum(make_slides.slide_type(cell) in ("slide", "subslide") for cell in cells)
    slides += sum(cell.source.count(make_slides.NEXT) for cell in cells)
    assert pages == printed == slides
