"""A Sphinx extension (named in _config.yml): what screen readers hear of folded cells and of the references.

Names and roles that the builders write and that are wrong or withdrawn; book/assets/accessible.js does the
same for what scripts draw in the browser.
"""

from __future__ import annotations

REPLACED = {
    # A folded cell is called what it says: "Solution in code", not "Toggle hidden content".
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # A list of works: withdrawn roles, and no list items.
    ' role="doc-biblioentry"': ' role="listitem"',
    # Ids that every box of a page has alike; the style of proofs (book.css) hangs on the class.
    '<div class="proof admonition" id="proof">': '<div class="proof admonition proof-text">',
    ' id="proof-content">': ">",
    ' id="exercise-content">': ">",
}


def mend(app, pagename, templatename, context, doctree):
    for wrong, right in REPLACED.items():
        if "body" in context:
            context["body"] = context["body"].replace(wrong, right)


def setup(app):
    app.connect("html-page-context", mend)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
