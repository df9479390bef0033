"""Sphinx settings of the decks; tools/make_slides.py copies this file beside the decks' sources."""

from docutils import nodes

project = "Which gap is real?"
author = "The sigbook authors"
extensions = ["myst_nb", "sphinx_design", "sphinx_revealjs"]
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath", "colon_fence", "amsmath"]
myst_heading_anchors = 0
html_favicon = "favicon.svg"
# The mathematics of the book's own site, one folder up: no second copy.
mathjax_path = "../../_static/mathjax/tex-mml-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}}
revealjs_static_path = ["."]
revealjs_css_files = ["deck.css"]
revealjs_js_files = ["deck.js"]
revealjs_style_theme = "white"
revealjs_script_conf = {
    "width": 1280, "height": 720, "margin": 0.03, "hash": True, "center": False, "transition": "none",
    "slideNumber": "c/t", "pdfSeparateFragments": False, "navigationMode": "linear",
}
revealjs_script_plugins = [{"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}]
suppress_warnings = ["mystnb.unknown_mime_type"]
# myst-nb knows no builder "revealjs" and would show no output at all.
nb_mime_priority_overrides = [
    ("revealjs", kind, 10 * (place + 1))
    for place, kind in enumerate(("text/html", "image/png", "text/markdown", "text/latex", "text/plain"))
]


def speaker_notes(app, doctree, docname):
    """Containers of the class "notes" become what reveal.js takes for speaker notes."""
    for box in list(doctree.findall(nodes.container)):
        if "notes" in box["classes"]:
            tags = [nodes.raw("", tag, format="html") for tag in ('<aside class="notes">', "</aside>")]
            place = box.parent.index(box)
            box.parent[place:place + 1] = [tags[0], *box.children, tags[1]]


def fragments(app, doctree, docname):
    """Code cells with the tag "fragment" appear one after the other, as containers of that class do."""
    for box in doctree.findall(nodes.container):
        if "tag_fragment" in box["classes"]:
            box["classes"].append("fragment")


def setup(app):
    app.connect("doctree-resolved", speaker_notes, priority=900)
    app.connect("doctree-resolved", fragments, priority=900)
