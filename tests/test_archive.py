"""The site as one file: unpacked on a disk it can be read, searched and shown without a network."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

import make_archive
import make_live
import make_slides
from test_site import PAGES, READY, resources

ROOT = Path(__file__).resolve().parent.parent
QUICK = "book/two_pictures"
DECKS = [f"slides/{name}" for name in [*make_slides.chapters(), "index"]]


def first_quick(names: list[str], quick: str) -> list:
    return [name if name == quick else pytest.param(name, marks=pytest.mark.long) for name in names]


@pytest.fixture(scope="module")
def unpacked(site, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(site / f"{make_archive.NAME}.zip") as archive:
        assert archive.testzip() is None
        archive.extractall(out)
    assert [path.name for path in out.iterdir()] == [make_archive.NAME]
    return out / make_archive.NAME


def test_the_same_site_gives_the_same_bytes_with_fixed_times(site):
    path = site / f"{make_archive.NAME}.zip"
    before = path.read_bytes()
    words = make_archive.build(site)
    assert path.read_bytes() == before and path.name in words
    with zipfile.ZipFile(path) as archive:
        assert {info.date_time for info in archive.infolist()} == {(2020, 1, 1, 0, 0, 0)}
        assert archive.namelist() == sorted(archive.namelist())
    assert 10e6 < len(before) < 20e6  # the start page says fifteen megabytes or so


def test_no_python_for_the_browser_and_no_sources_are_in_it(unpacked):
    names = [path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()]
    assert not [name for name in names if re.search(r"pyodide|thebe|\.whl$|\.ipynb$|\.doctree|_sources", name)]
    assert {"index.html", "README.txt", "LICENSE", "LICENSE-text", "search.html", "genindex.html"} <= set(names)
    assert {f"{name}.html" for name in [*PAGES, *DECKS]} <= set(names)


def test_every_link_and_every_resource_of_a_page_is_in_it(unpacked):
    lost, pages = [], list(unpacked.rglob("*.html"))
    for page in pages:
        text = page.read_text("utf-8", errors="replace")
        links = re.findall(r'<a\b[^>]*?\shref="([^"]+)"', text)
        for address in [*links, *(resources(text) if "_static" not in page.parts else [])]:
            file = re.split("[#?]", address)[0]
            if file and not re.match(r"[a-z][a-z\d+.-]*:|//", file, re.I) and not (page.parent / file).is_file():
                lost.append((page.name, address))
    assert len(pages) > 50 and lost == []


def test_links_to_what_is_not_there_become_text_and_others_stay():
    text = ('<a class="b" href="../live/x.html#y">Run <b>it</b></a> <a href="z.html?q">z</a> '
            '<a href="#here">h</a> <a href="https://example.org/live/">e</a>')
    shown = make_archive.unlinked("book/page.html", text, {"book/z.html"})
    assert shown == text.replace(
        '<a class="b" href="../live/x.html#y">Run <b>it</b></a>',
        f'<span title="{make_archive.ABSENT}">Run <b>it</b></span>')


def test_a_folder_without_a_book_is_refused(tmp_path):
    with pytest.raises(ValueError, match="run `make book`"):
        make_archive.build(tmp_path)
    assert make_live.command(make_archive.build, "x", ["--site", str(tmp_path)]) == 1


@pytest.fixture
def offline(browser, unpacked):
    """Open a file of the unpacked site; what it asks for beyond the disk, and its complaints."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    faults = []
    page.on("request", lambda r: r.url.startswith(("file:", "data:", "blob:")) or faults.append(r.url))
    page.on("requestfailed", lambda r: faults.append(r.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: m.type == "error" and faults.append(m.text))

    def go(name: str):
        page.goto((unpacked / name).as_uri(), wait_until="load")
        return page

    yield go, faults
    page.close()


@pytest.mark.parametrize("name", first_quick([*PAGES, "genindex"], QUICK))
def test_a_page_is_whole_when_opened_from_a_disk(offline, unpacked, name):
    go, faults = offline
    page = go(f"{name}.html")
    page.evaluate(READY)
    assert page.evaluate("""() => [...document.querySelectorAll('article .math')]
      .every((formula) => formula.querySelector('mjx-container'))""")
    assert page.evaluate("() => [...document.images].every((image) => image.naturalWidth)")
    views = (unpacked / f"{name}.html").read_text("utf-8").count("widget-view+json")
    shown = page.locator(".cell_output:has(.jupyter-widgets)")
    assert shown.count() == views
    assert all(shown.nth(k).bounding_box()["height"] > 40 for k in range(views))
    for offer in (".live-button", ".live-notebook") if page.locator(".live-button").count() else ():
        page.locator(offer).click()
        said = page.locator(".live [role=status]").inner_text()
        assert "only when a server sends the page" in said and "make read" in said
        page.evaluate("document.querySelector('.live [role=status]').textContent = ''")
    assert page.url.endswith(f"/{name}.html")
    assert faults == []


@pytest.mark.parametrize("name", first_quick(DECKS, "slides/two_pictures"))
def test_a_deck_runs_when_opened_from_a_disk(offline, name):
    go, faults = offline
    page = go(f"{name}.html")
    page.wait_for_function("window.Reveal?.isReady()")
    before = page.url
    if name != "slides/index":
        page.keyboard.press("PageDown")
        page.wait_for_function("(before) => location.href !== before", arg=before)
    assert faults == []


def test_the_start_page_leads_on_and_the_search_finds_when_opened_from_a_disk(offline):
    go, faults = offline
    page = go("index.html")
    page.wait_for_url("**/book/index.html")
    assert page.locator(f'span[title="{make_archive.ABSENT}"]').count() == 2  # links to the file itself
    page.keyboard.press("Control+k")
    page.keyboard.type("design effect")
    page.keyboard.press("Enter")
    page.locator("ul.search li > a").first.click()
    page.wait_for_url("**/book/clusters.html#thm-clusters")
    assert faults == []
