"""A Sphinx extension (named in _config.yml): each chapter's page has a button that opens its deck."""

from __future__ import annotations

from pathlib import Path


def has_deck(path: Path) -> bool:
    """Whether a chapter's notebook has cells marked for slides (tools/make_slides.py builds the deck)."""
    return path.exists() and '"slide_type": "slide"' in path.read_text("utf-8")


def add_button(app, pagename, templatename, context, doctree):
    folder, _, name = pagename.rpartition("/")
    if folder == "book" and has_deck(Path(app.srcdir, "book", f"{name}.ipynb")):
        context["header_buttons"].append({
            "type": "link", "url": f"../slides/{name}.html", "tooltip": "Slides of this chapter",
            "text": "Slides", "icon": "fas fa-chalkboard", "label": "slides-button",
        })


def setup(app):
    app.connect("html-page-context", add_button, priority=501)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
