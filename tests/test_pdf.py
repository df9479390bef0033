"""The book as PDF: what the LaTeX says needs no TeX to be checked; what XeLaTeX made of it is a long test."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import filelock
import nbformat
import pytest
import yaml
from docutils import nodes

import make_pdf
import make_slides
from sigbook import exercises, figures

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
PAGES = [chapter["file"] for part in PARTS for chapter in part["chapters"]]
NOTEBOOKS = [ROOT / f"{page}.ipynb" for page in PAGES if (ROOT / f"{page}.ipynb").exists()]
EPOCH = "1790000000"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def _paper():
    spec = importlib.util.spec_from_file_location("paper", ROOT / "tools" / "pdf" / "paper.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


paper = _paper()


# The tool ----------------------------------------------------------------------------------------


def test_without_tex_it_says_what_to_install_and_stops(tmp_path):
    run = subprocess.run(
        [sys.executable, ROOT / "tools" / "make_pdf.py", "--out", tmp_path],
        env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 1 and run.stdout == ""
    assert run.stderr.count("\n") == 1 and "apt-get install" in run.stderr and "Traceback" not in run.stderr
    for package in ("texlive-xetex", "fonts-freefont-otf", "fonts-texgyre-math", "fonts-dejavu-core"):
        assert package in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_font_that_is_not_there_is_asked_for_alone(monkeypatch):
    monkeypatch.setattr(make_pdf.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(make_pdf, "_found", lambda name: name != "FreeSerif.otf")
    assert make_pdf.missing() == ["fonts-freefont-otf"]


def test_ci_installs_what_the_tool_asks_for():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    asked = {"texlive-xetex", *(package for package in make_pdf.PACKAGES if not package.startswith("texlive-latex"))}
    assert all(package in script for package in asked)


@pytest.mark.parametrize("line", [
    "Missing character: There is no ₘ (U+2098) in font FreeSerif.otf",
    "LaTeX Warning: Reference `x' on page 3 undefined on input line 7.",
    "LaTeX Warning: Hyper reference `x' on page 3 undefined on input line 7.",
    "LaTeX Warning: Label `x' multiply defined.",
    "Package hyperref Warning: Token not allowed in a PDF string (Unicode):",
    r"Overfull \hbox (41.3pt too wide) in paragraph at lines 3--4",
    r"Overfull \vbox (12.0pt too high) detected at line 7",
])  # fmt: skip
def test_a_fault_in_the_log_is_named(line):
    assert make_pdf.faults(f"before\n{line}\nafter\n") == [line]


def test_what_nobody_sees_is_no_fault():
    assert make_pdf.faults("Overfull \\hbox (1.2pt too wide) in paragraph\nUnderfull \\hbox (badness 10000)\n") == []


@pytest.mark.parametrize("entry, wanted", [
    (r"kink@\spxentry{kink}|hyperpage}{117}", "kink@kink|hyperpage}{117}"),
    (r"χ² test@χ² test|hyperpage}{9}", "chi² test@χ² test|hyperpage}{9}"),
    (r"m\sphinxhyphen {}of@\spxentry{m\sphinxhyphen {}of}|hyperindexformat{\x}}{9}",
     r"m-of@m\sphinxhyphen{}of|hyperindexformat{\x}}{9}"),
])  # fmt: skip
def test_one_word_has_one_entry_and_greek_is_sorted_by_name(entry, wanted):
    assert make_pdf.sortable("\\indexentry{" + entry + "\n") == "\\indexentry{" + wanted + "\n"


# From screen to paper ----------------------------------------------------------------------------


def test_a_table_becomes_a_table_and_a_picture_a_picture(tmp_path):
    figure, axes = figures.canvas()
    axes.plot([0, 1], [0, 1])
    html = (figures.image_tag(figure, "a line")
            + figures.table(["what", "value"], [["gap < 0", "0.5"], ["p", "0.04"]], "A caption")
            + "<p>Doubts:</p><ul><li>one <strong>bold</strong></li></ul>")
    picture, caption, table, said, listed = paper.from_html(html, tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.read_bytes() == figures.png(figure)
    assert file.name in picture.astext() and "data:" not in picture.astext()
    assert caption.astext() == "A caption"
    assert [[cell.astext() for cell in row] for row in table.findall(nodes.row)] == [
        ["what", "value"], ["gap < 0", "0.5"], ["p", "0.04"]]
    assert said.astext() == "Doubts:" and listed.next_node(nodes.strong).astext() == "bold"


def test_html_that_has_no_form_on_paper_is_refused(tmp_path):
    with pytest.raises(ValueError, match="<video>"):
        paper.from_html("<p>text</p><video></video>", tmp_path)


def test_controls_are_said_in_words():
    from sigbook import widgets

    controls = [widgets.choice("pair", ["a", "b"], "b"), widgets.steps("filings", [10, 20, 90], 20),
                widgets.whole("seed", 0, 50, 7), widgets.real("share", 0, 1, 0.25, 0.05),
                widgets.choice("long", [f"one of the long names, {k}" for k in range(9)], "one of the long names, 3")]
    state = {str(k): {"state": control.get_state()} for k, control in enumerate(controls)}
    assert [paper.settings(state, str(k))[0] for k in range(len(controls))] == [
        ("pair", "b", "a, b"), ("filings", "20", "10, 20, 90"), ("seed", "7", "0 to 50"),
        ("share", "0.25", "0.00 to 1.00"), ("long", "one of the long names, 3", "one of 9")]


# The book as LaTeX -------------------------------------------------------------------------------


def _shared(tmp_path_factory, name: str, build) -> pathlib.Path:
    """A folder that the first process of a test run fills for all."""
    out = tmp_path_factory.getbasetemp()
    out = (out.parent if "PYTEST_XDIST_WORKER" in os.environ else out) / name
    with filelock.FileLock(f"{out}.lock"):
        if not (out / "built").exists():
            out.mkdir(exist_ok=True)
            build(out)
            (out / "built").touch()
    return out


@pytest.fixture(scope="module")
def latex(tmp_path_factory) -> pathlib.Path:
    return _shared(tmp_path_factory, "latex", make_pdf.write_latex) / "latex"


@pytest.fixture(scope="module")
def source(latex) -> str:
    return (latex / "book.tex").read_text("utf-8")


def _cells():
    return [cell for path in NOTEBOOKS for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def test_nothing_on_paper_is_written_for_a_screen_or_a_program(source):
    for found in ("VBox(", "Output(", "IPython.core", "data:image", "\x1b", "<table", "{prf:", "{numref}",
                  "is still three dots"):
        assert found not in source, found
    assert not re.search(r"PYGZlt\{\}(?:Figure|IPython)|size \d+x\d+ with", source)


def test_each_lab_is_printed_with_its_controls_and_its_picture(source, latex):
    labs = sum(WIDGET_VIEW in output.get("data", {}) for cell in _cells() for output in cell.outputs)
    printed = re.findall(r"\\begin\{lab\}(.*?)\\end\{lab\}", source, re.S)
    assert len(printed) == labs >= 13
    for lab in printed:
        assert "First frame." in lab and r"\begin{tabular" in lab
        assert re.search(r" \([^)]+\)[;.]", lab), "no control in words"
        assert all((latex / name).stat().st_size > 5_000 for name in re.findall(r"\\bookpicture\{(.+?)\}", lab))
        assert r"\bookpicture{" in lab


def test_each_html_output_is_a_table(source):
    captions = {re.sub(r"&#x27;", "'", caption) for cell in _cells() for output in cell.outputs
                for caption in re.findall(r"<caption>(.*?)</caption>", output.get("data", {}).get("text/html", ""))}
    heads = re.findall(r"\\begin\{tablehead\}(.*?)\\end\{tablehead\}", source, re.S)
    plain = {re.sub(r"\W", "", re.sub(r"\\\w+", "", head)) for head in heads}
    missing = {caption for caption in captions if re.sub(r"\W", "", caption) not in plain}
    assert captions and missing == set()


def test_every_figure_is_in_it(source, latex):
    names = [cell.metadata.mystnb.figure.name for cell in _cells() if "figure" in cell.metadata.get("mystnb", {})]
    found = re.findall(r"\\begin\{figure\}.*?\\sphinxincludegraphics\{\{(\w+)\}\.png\}.*?\\caption.*?\\end\{figure\}",
                       source, re.S)
    assert len(names) == len(found) > 60
    assert all((latex / f"{file}.png").exists() for file in found)
    assert all(re.search(rf"\\detokenize\{{book/\w+:{name}\}}", source) for name in names)


def test_parts_and_chapters_come_in_the_site_s_order(source, site):
    titles = {name: target.name for name, target in make_slides.targets(site).items()}
    chapters = [_plain(title) for title in re.findall(r"\\chapter\{(.+?)\}\n\\label", source)]
    wanted = [re.sub(r"^\d+\. ", "", titles[page.removeprefix("book/")]) for page in PAGES]
    solutions = [title.replace("Exercises:", "Solutions:") for title in wanted if title.startswith("Exercises:")]
    place = len(wanted) - len(PARTS[-1]["chapters"])
    assert chapters == ["About this book", *wanted[:place], *solutions, *wanted[place:]]
    parts = re.findall(r"\\bookpart\{(.+?)\}\{(-?\d)\}", source)
    assert parts == [("Chapters", "2"), ("Exercises", "-2"), ("Solutions", "-2"), ("Back matter", "-2")]


def _plain(text: str) -> str:
    text = text.replace(r"\sphinxhyphen{}", "-").replace(r"\textendash{}", "–")
    return text.replace("``", "“").replace("''", "”").replace("`", "‘").replace("'", "’").strip()


def test_boxes_and_exercises_have_the_site_s_numbers(source, site):
    on_site = {name: target.name for name, target in make_slides.targets(site).items()}
    boxes = re.findall(r"\\begin\{(?:statement|definition|exercise)box\}\{(.+?)\}\{.+?\}"
                       r"\{\\label\{\\detokenize\{book/\w+:([\w-]+)\}\}\}", source)
    assert len(boxes) > 150
    assert {name: head for head, name in boxes} == {
        name: head for name, head in on_site.items()
        if re.match(r"(Theorem|Proposition|Lemma|Corollary|Definition|Exercise) \d", head)}


def test_each_proof_has_its_word_and_its_end(source):
    proofs = re.findall(r"\\begin\{bookproof\}(.*?)\\end\{bookproof\}", source, re.S)
    written = sum(cell.source.count(":::{prf:proof}") for path in NOTEBOOKS for cell in nbformat.read(path, 4).cells)
    assert len(proofs) == written > 40
    for proof in proofs:
        assert proof.count(r"\sphinxstyleemphasis{Proof.}") == proof.count(r"\proofend") == 1


def test_no_solution_stands_where_an_exercise_or_a_hint_is_read(source):
    hints, solutions = source.index(r"\bookpart{Exercises}"), source.index(r"\bookpart{Solutions}")
    end = source.index(r"\bookpart{Back matter}")
    for chapter, names in exercises.ORDER.items():
        for name in names:
            exercise = exercises.find(name)
            label = rf"\label{{\detokenize{{book/exercises/{chapter}:{name}}}}}"
            answer = rf"\label{{\detokenize{{solutions/book/exercises/{chapter}:{name}}}}}"
            assert hints < source.index(label) < solutions < source.index(answer) < end
            box = source.index(rf"\label{{\detokenize{{book/{chapter}:ex-{name}}}}}")
            inside = source[box:source.index(r"\end{exercisebox}", box)]
            assert box < hints
            assert f'sb.check("{name}"' in _code(inside) and "Hint " not in inside
            assert len(re.findall(r"page~\\pageref", inside)) == 2
            told = source[source.index(label):]
            told = told[:re.search(r"\\(?:section|chapter|bookpart)\{", told).start()]
            assert told.count("Hint ") >= len(exercise.hints)


def _code(text: str) -> str:
    """Code without its colours."""
    signs = {"dq": '"', "hy": "-", "us": "_"}
    text = re.sub(r"\\PYGZ(\w+)\{\}", lambda sign: signs.get(sign[1], ""), text)
    return re.sub(r"\\PYG\{[^}]*\}\{|[{}]", "", text)


# The PDF -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def typeset(tmp_path_factory, latex) -> pathlib.Path:
    """The folder in which XeLaTeX has set the book."""
    packages = make_pdf.missing()
    if packages:
        pytest.skip(make_pdf.what_to_install(packages))

    def build(out):
        shutil.copytree(latex, out, dirs_exist_ok=True)
        with pytest.MonkeyPatch.context() as patch:  # a commit made meanwhile would change the date
            patch.setenv("SOURCE_DATE_EPOCH", EPOCH)
            make_pdf.typeset(out)

    return _shared(tmp_path_factory, "typeset", build)


@pytest.fixture(scope="module")
def numbers(typeset) -> dict[str, str]:
    """label -> number as XeLaTeX counted it."""
    aux = (typeset / "book.aux").read_text("utf-8")
    return dict(re.findall(r"\\newlabel\{([^}]+)\}\{\{([^{}]*)\}", aux))


@pytest.mark.long
def test_xelatex_has_nothing_to_complain_of(typeset):
    log = (typeset / "book.log").read_text("utf-8", "replace")
    assert make_pdf.faults(log) == []
    assert 300 < make_pdf.pages(log) < 600


@pytest.mark.long
def test_figures_equations_and_sections_have_the_site_s_numbers(numbers, site):
    from bs4 import BeautifulSoup

    seen = dict.fromkeys(("section", "figure", "equation"), 0)
    for page in [chapter["file"] for part in PARTS if part.get("numbered") for chapter in part["chapters"]]:
        article = BeautifulSoup((site / f"{page}.html").read_text("utf-8"), "html.parser").find("article")
        found = [("section", f"{page}:{place['id']}", place.find(re.compile("^h[1-6]$")).select_one(".section-number"))
                 for place in article.select("section[id]")]
        found += [("figure", f"{page}:{place['id']}", place.select_one(".caption-number"))
                  for place in article.select("figure[id]")]
        found += [("equation", place.find("a")["href"].replace("#equation-", f"equation:{page}:"), place)
                  for place in article.select("span.eqno")]
        for kind, label, number in found:
            if number is not None:
                assert numbers[label] == re.search(r"\d+(?:\.\d+)*", number.get_text())[0], label
                seen[kind] += 1
    assert seen["section"] > 200 and seen["figure"] > 60 and seen["equation"] > 40


@pytest.mark.long
def test_boxes_are_counted_in_the_chapter_that_latex_counts(numbers, source):
    boxes = re.findall(r"\\begin\{\w+box\}\{\w+ ([\d.]+)\}\{.+?\}\{\\label\{\\detokenize\{(book/\w+):([\w-]+)\}",
                       source)
    assert len(boxes) > 150
    for number, page, label in boxes:
        assert numbers[f"{page}:{label}"] == number
        assert number.split(".")[0] == str(PAGES.index(page) + 1)


@pytest.mark.long
def test_bookmarks_are_plain_words(typeset):
    lines = (typeset / "book.out").read_text("latin-1")
    titles = re.findall(r"\\BOOKMARK \[-?\d\]\[-\]\{[^}]*\}\{(.*?)\}\{", lines)
    plain = [_unescaped(title) for title in titles]
    assert len(plain) > 300 and "1 Two pictures of another test set" in plain
    assert not [title for title in plain if re.search(r"[\\$^_{}]|\ufffd", title)]


def _unescaped(title: str) -> str:
    raw = re.sub(rb"\\(\d{3})", lambda found: bytes([int(found[1], 8)]), title.encode("latin-1"))
    return raw.decode("utf-16") if raw.startswith(b"\xfe\xff") else raw.decode("latin-1")


@pytest.mark.long
def test_the_index_holds_the_glossary(typeset):
    terms = re.findall(r"^([a-zA-Z][^\n]*)\n  \S", (ROOT / "book" / "glossary.md").read_text("utf-8"), re.M)
    index = (typeset / "book.ind").read_text("utf-8").replace(r"\sphinxhyphen{}", "-")
    entries = dict(re.findall(r"\\item ([^\n]+?), +(\S.*(?:\n\t\t.*)*)", index))
    assert len(terms) > 30
    assert [term for term in terms if term.replace("’", "'") not in entries] == []
    assert sum(pages.count("hyper") > 1 for pages in entries.values()) > 30  # boxes and chapters, beside the glossary


@pytest.mark.long
def test_the_same_book_gives_the_same_bytes(typeset, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    again = tmp_path / "again"
    shutil.copytree(typeset, again)
    make_pdf.typeset(again)
    assert (again / "book.pdf").read_bytes() == (typeset / "book.pdf").read_bytes()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext (on Debian: apt-get install poppler-utils)")
def test_a_reader_finds_the_chapters_and_no_program_s_words(typeset):
    run = subprocess.run(["pdftotext", "-layout", "book.pdf", "-"], cwd=typeset, capture_output=True, text=True)
    words = " ".join(run.stdout.split())
    for heading in ("Two pictures of another test set", "Exercises: The kink", "Solutions: The kink", "Index"):
        assert heading in words
    for found in ("VBox(children", "Output(", "IPython.core", "??", "\ufffd", "[?]"):
        assert found not in words, found
