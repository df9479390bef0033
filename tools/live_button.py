"""A Sphinx extension (named in _config.yml): pages made from notebooks can be run in the browser.

It puts book/assets/live.js and its style sheet on those pages and on no other. What the script
needs besides is written by tools/make_live.py.
"""

from __future__ import annotations

from pathlib import Path


def add_script(app, pagename, templatename, context, doctree):
    if doctree is not None and Path(app.srcdir, f"{pagename}.ipynb").exists():
        app.add_css_file("live.css")
        app.add_js_file("live.js", loading_method="defer", **{"data-page": pagename})


def setup(app):
    app.connect("html-page-context", add_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
