"""A Sphinx extension (named in conf.py beside it): the book on paper.

The pages of the site are joined to one document, and what only a screen can do gets another form:

- Parts and chapters bear the numbers of the site; figures and equations are counted by LaTeX, and the tests
  hold them against the site; boxes and exercises get the site's own numbers.
- A lab is printed as its first frame, with its controls in words. Tables and reports that are HTML on the
  site become tables.
- Code that the site folds (it draws a figure) is left out, other folded parts are printed open.
- An exercise stands at the end of its chapter, with its stub; hints and solutions stand apart, each behind
  the other, so that nobody reads one by accident.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, NavigableString
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx_design.shared import is_component
from sphinx_exercise.nodes import exercise_enumerable_node
from sphinx_proof.nodes import NODE_TYPES, proof_node

import word_index

logger = logging.getLogger(__name__)

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
EXERCISES = "book/exercises/"
SOLUTIONS = "solutions/"  # names of documents that only the paper has
COLUMNS = 96  # characters of code on a line, at the size in sigbook.sty
LETTERS = 100  # letters of a table's text on a line
TALL = 24  # lines of a table that may break over pages

EDITION = """\
Chapters, sections, statements, figures, equations and exercises have the numbers that they have on the site.
Where the site has a control, its first frame is printed, with its settings; the control itself needs the site or
``make lab``. Code that draws a figure is folded on the site and left out here. Exercises stand at the end of their
chapter, hints and solutions after the chapters. The site is the accessible edition: there each picture has
a text for those who cannot see it, and formulas can be read aloud. This one is set by XeLaTeX in FreeSerif,
TeX Gyre Termes Math, FreeSans and DejaVu Sans Mono."""


# Nodes -------------------------------------------------------------------------------------------


class environment(nodes.General, nodes.Element):
    """A LaTeX environment around its children: `name`, and `arguments` ready for LaTeX."""


class statement(nodes.General, nodes.Element):
    """A numbered box: `kind` and `head` ("Theorem 2.1"); its first child is its title."""


class statement_title(nodes.General, nodes.TextElement):
    pass


def visit_environment(self, node):
    self.body.append(f"\n\\begin{{{node['name']}}}{node.get('arguments', '')}\n")


def depart_environment(self, node):
    self.body.append(f"\n\\end{{{node['name']}}}\n")


def visit_statement(self, node):
    labels = "".join(self.hypertarget(name, anchor=False) for name in node["ids"])
    self.body.append(f"\n\\begin{{{node['kind']}}}{{{node['head']}}}{{{node['number']}}}{{{labels}}}")


def depart_statement(self, node):
    self.body.append(f"\n\\end{{{node['kind']}}}\n")


def visit_statement_title(self, node):
    self.body.append("{")


def depart_statement_title(self, node):
    self.body.append("}%\n")


def said(*pieces) -> nodes.paragraph:
    """A paragraph of words and nodes."""
    return nodes.paragraph("", "", *(nodes.Text(piece) if isinstance(piece, str) else piece for piece in pieces))


def code(text: str) -> nodes.literal:
    return nodes.literal("", text)


def latex(text: str) -> nodes.raw:
    return nodes.raw("", text, format="latex")


def page_of(document: str, name: str) -> nodes.raw:
    label = f"{document}:{name}"
    return latex(f"\\hyperref[\\detokenize{{{label}}}]{{page~\\pageref*{{\\detokenize{{{label}}}}}}}")


def document_of(node) -> str:
    while node is not None and not isinstance(node, addnodes.start_of_file):
        node = node.parent
    return node["docname"] if node is not None else ""


def instead(node, new) -> None:
    """Put other nodes where a node stands."""
    place = node.parent.index(node)
    node.parent[place:place + 1] = new if isinstance(new, list) else [new]


def is_cell(node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def part_of(cell, name: str):
    """A cell's "cell_code_source" or "cell_code_output", or None."""
    return next((child for child in cell if child.get("nb_element") == name), None)


# From HTML ---------------------------------------------------------------------------------------

INLINE = {"strong": nodes.strong, "b": nodes.strong, "em": nodes.emphasis, "i": nodes.emphasis, "code": nodes.literal,
          "sub": nodes.subscript, "sup": nodes.superscript}


def from_html(text: str, folder: Path) -> list[nodes.Node]:
    """What the package writes as HTML (reports, tables, views of labs) as nodes; pictures go into `folder`."""
    found: list[nodes.Node] = []
    for child in BeautifulSoup(text, "html.parser").children:
        if not isinstance(child, NavigableString):
            found += _block(child, folder)
        elif child.strip():
            found.append(said(" ".join(child.split())))
    return found


def _block(tag, folder: Path) -> list[nodes.Node]:
    if tag.name in ("div", "section", "details", "figure"):
        return from_html(tag.decode_contents(), folder)
    if tag.name in ("p", "summary", "figcaption"):
        return [said(*_inline(tag))]
    if tag.name in ("ul", "ol"):
        kind = nodes.bullet_list if tag.name == "ul" else nodes.enumerated_list
        items = [nodes.list_item("", said(*_inline(item))) for item in tag.find_all("li")]
        return [kind("", *items)]
    if tag.name == "img" and tag["src"].startswith("data:image/png;base64,"):
        data = base64.b64decode(tag["src"].partition(",")[2])
        name = f"view-{hashlib.sha256(data).hexdigest()[:20]}.png"
        (folder / name).write_bytes(data)
        return [latex(f"\\bookpicture{{{name}}}")]
    if tag.name == "table":
        return _table(tag)
    raise ValueError(f"paper.py cannot print the HTML element <{tag.name}>")


def _inline(tag) -> list[nodes.Node]:
    found: list[nodes.Node] = []
    for child in tag.children:
        if isinstance(child, NavigableString):
            found.append(nodes.Text(re.sub(r"\s+", " ", child)))
        elif child.name in INLINE:
            kind = INLINE[child.name]
            inside = [nodes.Text(child.get_text())] if kind is nodes.literal else _inline(child)
            found.append(kind("", "", *inside))
        elif child.name == "br":
            found.append(latex(r"\newline "))
        elif child.name == "span":
            found += _inline(child)
        else:
            raise ValueError(f"paper.py cannot print the HTML element <{child.name}> inside a line")
    return found


def _table(tag) -> list[nodes.Node]:
    rows = [(row.find_parent("thead") is not None, row.find_all(["th", "td"])) for row in tag.find_all("tr")]
    width = max(len(cells) for _, cells in rows)
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in range(width)), cols=width)
    for kind, is_head in ((nodes.thead, True), (nodes.tbody, False)):
        made = [nodes.row("", *(nodes.entry("", said(*_inline(cell))) for cell in cells))
                for head, cells in rows if head == is_head]
        if made:
            group += kind("", *made)
    table = nodes.table("", group, classes=["colwidths-auto"])
    caption = tag.find("caption")
    if caption is None:
        return [table]
    return [environment("", said(*_inline(caption)), name="tablehead"), table]


def settings(state: dict, model: str) -> list[tuple[str, str, str]]:
    """(description, value, choices) of each control of a lab, in words."""
    found = []
    view = state[model]["state"]
    for child in view.get("children", []):
        found += settings(state, child.removeprefix("IPY_MODEL_"))
    if view.get("_options_labels"):
        labels = view["_options_labels"]
        few = sum(map(len, labels)) <= 40
        found.append((view["description"], labels[view["index"]],
                      ", ".join(labels) if few else f"one of {len(labels)}"))
    elif "min" in view and "max" in view:
        form = view.get("readout_format", "d")
        low, high, value = (format(view[key], form) for key in ("min", "max", "value"))
        found.append((view["description"], value, f"{low} to {high}"))
    elif view["_model_name"] in ("CheckboxModel", "ToggleButtonModel"):
        found.append((view["description"], "on" if view["value"] else "off", "on or off"))
    return found


def first_frame(state: dict, model: str, folder: Path) -> list[nodes.Node]:
    """A lab as it is stored: its controls in words, then what it shows."""
    words = said(nodes.strong("", "First frame."), " ")
    for place, (name, value, choices) in enumerate(settings(state, model)):
        words += [nodes.Text("; " if place else ""), nodes.Text(f"{name}: "), nodes.strong("", value),
                  nodes.Text(f" ({choices})")]
    words += nodes.Text(".")
    shown: list[nodes.Node] = []

    def views(name):
        view = state[name]["state"]
        if view["_model_name"] in ("HTMLModel", "LabelModel"):
            shown.extend(from_html(view["value"], folder))
        for child in view.get("children", []):
            views(child.removeprefix("IPY_MODEL_"))

    views(model)
    return [environment("", words, *shown, name="lab")]


# The order of things -----------------------------------------------------------------------------


class Paper(SphinxPostTransform):
    """Rearrange the joined document before its references are resolved."""

    default_priority = 3
    formats = ("latex",)

    def run(self, **kwargs):
        self.numbers = self.env.toc_fignumbers
        self.folder = Path(self.app.outdir)
        for page in self.document.findall(addnodes.start_of_file):
            for child in page:
                child.parent = page  # Sphinx leaves the parent from before the pages were joined
        for bundle in list(self.document.findall(nodes.container)):
            if bundle.get("nb_element") == "mime_bundle":
                self.output(bundle)
        self.index()
        self.exercises()
        self.arrange()
        self.boxes()
        self.folds()
        self.cells()
        self.tables()
        self.accents()

    def output(self, bundle):
        kinds = {child["mime_type"]: child for child in bundle}
        if WIDGET_VIEW in kinds:
            model = json.loads(re.search(r"\{.*\}", kinds[WIDGET_VIEW].astext(), re.S)[0])["model_id"]
            path = self.env.doc2path(document_of(bundle))
            notebook = json.loads(Path(path).read_text("utf-8"))
            state = notebook["metadata"]["widgets"][WIDGET_STATE]["state"]
            instead(bundle, first_frame(state, model, self.folder))
        elif "text/html" in kinds:
            instead(bundle, from_html(kinds["text/html"].astext(), self.folder))

    def index(self):
        """The index leads to the places to which the site's does: the glossary, boxes and chapters."""
        places: dict[tuple[str, str], list] = {}
        for word, page, place in word_index.words(self.env):
            if page != word_index.GLOSSARY:
                places.setdefault((page, place), []).append(("single", word.replace("’", "'"), "", "", None))
        for page in self.document.findall(addnodes.start_of_file):
            found = {"": page.next_node(nodes.section)}
            found |= {box["label"]: box for box in page.findall(lambda n: isinstance(n, tuple(NODE_TYPES.values())))}
            for place, node in found.items():
                if (page["docname"], place) in places:
                    where = node if place == "" else node[-1]
                    where.insert(1 if place == "" else 0, addnodes.index(entries=places[page["docname"], place]))

    # Exercises: statement and stub in the chapter, hints and solutions apart

    def exercises(self):
        asked = {box["label"].removeprefix("ex-"): box for box in self.document.findall(exercise_enumerable_node)}
        pages = [page for page in self.document.findall(addnodes.start_of_file)
                 if page["docname"].startswith(EXERCISES)]
        for page in pages:
            top = page.next_node(nodes.section)
            answers = nodes.section("", nodes.title("", top[0].astext().replace("Exercises:", "Solutions:")),
                                    ids=["solutions"], docname=SOLUTIONS + top["docname"])
            chapter = "book/" + page["docname"].removeprefix(EXERCISES)
            for child in top.children[1:]:
                name = next((name for name in child.get("ids", ()) if name in asked), None)
                if name is None:  # how to use the page on a screen
                    top.remove(child)
                else:
                    answers += self.exercise(child, name, asked[name], page["docname"])
            top.insert(1, said("Hints to the exercises of ", self.link(chapter), ". The solutions begin on ",
                               page_of(answers["docname"], "solutions"), "."))
            page["solutions"] = addnodes.start_of_file("", answers, docname=answers["docname"])
        for section in self.document.findall(nodes.section):
            if "exercises" in section["ids"]:
                self.opening_of_exercises(section)

    def opening_of_exercises(self, section):
        page = EXERCISES + document_of(section).removeprefix("book/")
        first = next((child for child in section if isinstance(child, nodes.paragraph)), None)
        if first is None:
            return
        instead(first, said(
            "Each exercise ends with its stub, which begins after ", code("import numpy as np"), " and ",
            code("import sigbook as sb"), ": replace the dots, and the check gives its verdict. The stubs are also on "
            "the page ", self.link(page, "of the exercises"), " of the site, which ", code("make lab"),
            " opens with a kernel.",
        ))

    def exercise(self, section, name, box, document):
        """Move an exercise's stub into its box; return its solution, and leave its hints."""
        hints, stubs, answers = [], [], []
        for child in section.children[1:]:
            folded = is_component(child, "dropdown")
            if folded and child[0].astext().startswith("Hint"):
                hints.append(child)
            elif folded or is_cell(child) and "tag_hide-cell" in child["classes"]:
                answers.append(child)
            elif is_cell(child):
                stubs.append(child)
        home, solution = document_of(box), f"{SOLUTIONS}{document}"
        number = ".".join(map(str, self.numbers[home]["exercise"][box["label"]]))
        level = section[1].astext()
        content = box.children[-1]
        content.children.pop()  # the link to the page of the exercise
        for stub in stubs:
            output = part_of(stub, "cell_code_output")
            if output is not None and "not started" in output.astext():
                stub.remove(output)
            content += stub
        content += said(nodes.emphasis("", f"{level}. "), "Hints: ", page_of(document, name),
                        ". Solution: ", page_of(solution, name), ".")
        del section.children[1:]
        section[0].insert(0, nodes.Text(f"{number} "))
        for hint in hints:
            first, *others = hint.children[1:]
            begun = isinstance(first, nodes.paragraph)
            section += said(nodes.strong("", hint[0].astext() + ". "), *(first.children if begun else []))
            section.extend(others if begun else [first, *others])
        section += said("Exercise: ", page_of(home, box["label"]), ". Solution: ", page_of(solution, name), ".")
        answer = nodes.section("", section[0].deepcopy(), ids=[name], docname=solution)
        answer += said("Exercise: ", page_of(home, box["label"]), ".")
        for child in answers:
            if is_cell(child):
                child["classes"].remove("tag_hide-cell")
                answer += child
            else:
                answer.extend(child.children[1:])
        return answer

    def link(self, document, text=None):
        shown = text or self.env.titles[document].astext()
        return nodes.reference("", shown, internal=True, refuri=f"%{document}")

    # Parts and chapters

    def arrange(self):
        """The start page becomes an unnumbered chapter; each list of chapters becomes a part."""
        root = next(self.document.findall(nodes.section))
        listed = yaml.safe_load((Path(self.app.srcdir) / "_toc.yml").read_text("utf-8"))["parts"]
        wrappers = [node for node in root.findall(nodes.compound) if "toctree-wrapper" in node["classes"]]
        for wrapper in wrappers:
            wrapper.parent.remove(wrapper)
        about = nodes.section("", nodes.title("", "About this book"), *root.children[2:], ids=["about-this-book"],
                              docname=self.config.root_doc)
        for table in about.findall(nodes.table):
            self.without_state(table)
        edition = nodes.section("", nodes.title("", "This edition"), ids=["this-edition"], docname=self.config.root_doc)
        pieces = EDITION.replace("\n", " ").split("``")
        edition += said(*(code(piece) if place % 2 else piece for place, piece in enumerate(pieces)))
        how = next(child for child in about if "how-a-chapter-goes" in child.get("ids", ()))
        about.insert(about.index(how) + 1, edition)
        del root.children[1:]
        root += [latex(r"\bookfront"), about]
        for part, wrapper in zip(listed, wrappers, strict=True):
            pages = list(wrapper.children)
            root += self.part(part["caption"], part.get("numbered", False), pages)
            answers = [page["solutions"] for page in pages if "solutions" in page]
            if answers:
                root += self.part("Solutions", False, answers)
        root += latex(r"\bookend")

    @staticmethod
    def without_state(table):
        """Drop a column that says which chapters are there."""
        head = table.next_node(nodes.row)
        if head[-1].astext() == "state":
            for row in table.findall(nodes.row):
                row.pop()
            table[0].remove(table[0][len(head)])
            table[0]["cols"] -= 1

    @staticmethod
    def part(caption, numbered, pages):
        return [latex(f"\\bookpart{{{caption}}}{{{2 if numbered else -2}}}"), *pages]

    # Boxes

    def boxes(self):
        kinds = tuple(NODE_TYPES.values())
        for node in list(self.document.findall(lambda n: isinstance(n, kinds))):
            kind = node["realtype"]
            self.box(node, "definitionbox" if kind == "definition" else "statementbox", kind.title(),
                     self.numbers[document_of(node)][node["countertype"]][node["ids"][0]],
                     node[0].children, node[1].children, [node["ids"][0]])
        for node in list(self.document.findall(exercise_enumerable_node)):
            title = node[0].children[-1].children if len(node[0]) > 1 else []
            self.box(node, "exercisebox", "Exercise", self.numbers[document_of(node)]["exercise"][node["label"]],
                     [nodes.Text(" ("), *title, nodes.Text(")")] if title else [], node[1].children, [node["label"]])
        for node in list(self.document.findall(proof_node)):
            inside = node[0].children
            self.begin_proof(inside[0])
            self.end_proof(inside)
            instead(node, environment("", *inside, name="bookproof"))

    @staticmethod
    def box(node, kind, name, number, title, content, ids):
        number = ".".join(map(str, number))
        instead(node, statement("", statement_title("", "", *title), *content, kind=kind, head=f"{name} {number}",
                                    number=number, ids=ids))

    @staticmethod
    def begin_proof(first):
        text = first[0]
        if not isinstance(text, nodes.Text) or not text.startswith("Proof."):
            raise ValueError(f"a proof begins with {first.astext()[:40]!r}")
        first.replace(text, [nodes.emphasis("", "Proof."), nodes.Text(text.removeprefix("Proof."))])

    @staticmethod
    def end_proof(inside):
        last = inside[-1]
        while isinstance(last, (nodes.bullet_list, nodes.enumerated_list, nodes.list_item)):
            last = last[-1]
        if isinstance(last, nodes.paragraph):
            last += latex(r"\proofend{}")
        else:
            inside.append(latex(r"\proofendalone{}"))

    # What the site folds

    def folds(self):
        for node in list(self.document.findall(lambda n: is_component(n, "dropdown"))):
            title = said(*node[0].children)
            instead(node, environment("", environment("", title, name="foldhead"), *node.children[1:], name="fold"))

    def cells(self):
        for cell in list(self.document.findall(is_cell)):
            source, output = part_of(cell, "cell_code_source"), part_of(cell, "cell_code_output")
            hidden = {"tag_hide-input", "tag_hide-cell", "tag_remove-input", "tag_remove-cell"} & set(cell["classes"])
            made = []
            if source is not None and not hidden:
                made.append(environment("", *source.children, name="cellinput"))
            if output is not None and not {"tag_hide-cell", "tag_remove-cell"} & set(cell["classes"]):
                for child in output:
                    if isinstance(child, nodes.literal_block):
                        made.append(environment("", child, name="celloutput"))
                    else:
                        made.append(child)
            instead(cell, made)
        for block in list(self.document.findall(nodes.literal_block)):
            longest = max(map(len, block.astext().splitlines() or [""]))
            if longest > COLUMNS:
                share = max(COLUMNS / longest, 0.8)
                size = f"{{{9 * share:.2f}}}{{{11 * share:.2f}}}"
                instead(block, environment("", block.deepcopy(), name="smallcode", arguments=size))

    def accents(self):
        """A letter with a combining circumflex is a formula outside code: no text font has it."""
        verbatim = (nodes.literal, nodes.literal_block, nodes.raw, nodes.math)
        for text in list(self.document.findall(nodes.Text)):
            if "\u0302" in text and not isinstance(text.parent, verbatim):
                pieces = re.split("(.\u0302)", text)
                instead(text, [nodes.math("", rf"\hat{{{piece[0]}}}") if place % 2 else nodes.Text(piece)
                               for place, piece in enumerate(pieces) if piece])

    # Tables

    def tables(self):
        for table in list(self.document.findall(nodes.table)):
            spec, lines, small = self.columns(table)
            table["classes"] = [name for name in table["classes"] if name != "longtable"]
            if lines > TALL:
                table["classes"].append("longtable")
            instead(table, [environment("", addnodes.tabular_col_spec(spec=spec), table.deepcopy(),
                                            name="smalltable" if small else "wholetable")])

    def columns(self, table):
        """Column specification, estimated lines, and whether it needs small type."""
        entries = list(table.findall(nodes.row))
        rows = [[self.length(entry) for entry in row] for row in entries]
        words = [[max(map(len, entry.astext().split()), default=1) for entry in row] for row in entries]
        bodies = [[entry.astext().strip() for entry in row] for row in table.next_node(nodes.tbody)]
        width = max(map(len, rows))
        rows = [row + [0] * (width - len(row)) for row in rows]
        words = [row + [0] * (width - len(row)) for row in words]
        natural = [max(max(column), 1) for column in zip(*rows)]
        floor = [min(max(column) + 1, 24) for column in zip(*words)]
        number = re.compile(r"[-+−<]?[\d.,]+%?|[–.]?")
        numeric = [all(number.fullmatch(row[k]) for row in bodies if k < len(row)) for k in range(width)]
        gaps = 2.75 * width
        small = width > 2 and sum(natural) + gaps > LETTERS
        letters = LETTERS * (1.18 if small else 1) - gaps
        if sum(natural) <= letters:
            spec = "".join("r" if right else "l" for right in numeric)
            return f"{{{spec}}}", len(rows), small
        # Columns that need little keep it; the others share the rest, the longer ones more of it.
        given: dict[int, float] = {}
        while True:
            free = [k for k in range(width) if k not in given]
            rest = letters - sum(given.values())
            weight = {k: math.sqrt(natural[k]) for k in free}
            total = sum(weight.values())
            fits = [k for k in free if max(natural[k], 1) <= rest * weight[k] / total]
            tight = [k for k in free if floor[k] > rest * weight[k] / total]
            if not fits and not tight:
                given.update({k: rest * weight[k] / total for k in free})
                break
            given.update({k: natural[k] for k in fits} or {k: min(natural[k], floor[k]) for k in tight})
            if len(given) == width:
                break
        scale = min(1, letters / sum(given.values()))
        shares = [given[k] * scale / (letters + gaps) for k in range(width)]
        filled = [share * (letters + gaps) * 0.9 for share in shares]
        lines = sum(max(math.ceil(cell / room) for cell, room in zip(row, filled)) for row in rows)
        spec = "".join(rf">{{\raggedright\arraybackslash}}p{{{share:.3f}\linewidth}}" for share in shares)
        return f"{{{spec}}}", lines, small

    def length(self, entry) -> int:
        """About how many letters wide a cell is when it is not broken."""
        text = entry.deepcopy()
        for formula in list(text.findall(nodes.math)):
            plain = re.sub(r"\\(?:frac|tfrac|mathrm|operatorname|text|hat|bar|left|right|big|Big)\b|[{}^_$\\ ]", "",
                           formula.astext())
            instead(formula, nodes.Text("x" * math.ceil(0.8 * len(plain))))
        for reference in list(text.findall(addnodes.pending_xref)):
            instead(reference, nodes.Text("x" * self.shown(reference)))
        code = sum(len(part.astext()) for part in text.findall(nodes.literal))
        return math.ceil(len(text.astext()) + 0.3 * code)

    def shown(self, reference) -> int:
        """Letters of a reference's text, once it is resolved."""
        if reference.get("refexplicit"):
            return len(reference.astext())
        if reference["reftype"] == "doc":
            name = (Path(reference["refdoc"]).parent / reference["reftarget"]).as_posix()
            return len(self.env.titles[name].astext()) if name in self.env.titles else 20
        if reference["reftype"] == "term":
            return len(reference.astext())
        return {"numref": 8, "eq": 5, "t": 26, "p": 26}.get(reference["reftype"], 16)


class Works(SphinxPostTransform):
    """Keep the list of works where the page has it; Sphinx would move it behind everything else."""

    default_priority = 749
    formats = ("latex",)

    def run(self, **kwargs):
        for work in list(self.document.findall(nodes.citation)):
            labels = [f"\\phantomsection\\label{{\\detokenize{{{work['docname']}:{name}}}}}" for name in work["ids"]]
            entry = said(latex("".join([r"\hspace*{-1.6em}", *labels])), *work[1].children)
            for text in list(entry.findall(nodes.Text)):
                pieces = re.split(r"\$(.+?)\$", text)
                if len(pieces) > 1:
                    instead(text, [nodes.math("", piece) if place % 2 else nodes.Text(piece)
                                   for place, piece in enumerate(pieces) if piece])
            instead(work, environment("", entry, name="work"))


def setup(app):
    for node, visit, depart in ((environment, visit_environment, depart_environment),
                                (statement, visit_statement, depart_statement),
                                (statement_title, visit_statement_title, depart_statement_title)):
        app.add_node(node, latex=(visit, depart))
    app.add_post_transform(Paper)
    app.add_post_transform(Works)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
