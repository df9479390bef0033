"""A Sphinx extension (named in _config.yml): the glossary's words lead to where they are settled.

A word's entry in the glossary links to boxes and chapters. The index lists these places under the
word, beside the glossary itself, and so does the search page, ahead of what it finds in the text;
there the script book/assets/find.js does it with the list that is put on that page here. A place
on which the word itself does not stand is left to the glossary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from docutils import nodes
from sphinx import addnodes

GLOSSARY = "book/glossary"
READ = (nodes.paragraph, nodes.title, nodes.caption, nodes.term)


def parts(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def words(env) -> list[tuple[str, str, str]]:
    """(word, page, place on it) of each word of the glossary: its entry, and what that links to."""
    shown = lru_cache(lambda page: parts(" ".join(
        node.astext() for node in env.get_doctree(page).findall(lambda node: isinstance(node, READ)))))
    found = []
    for item in env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
        places = list(dict.fromkeys(_places(env, item)))
        for term in item.findall(nodes.term):
            word = term.astext()
            found.append((word, GLOSSARY, term["ids"][0]))
            found += [(word, *place) for place in places if parts(word) <= shown(place[0])]
    return found


def _places(env, item) -> Iterator[tuple[str, str]]:
    for link in item.findall(addnodes.pending_xref):
        target = link["reftarget"]
        if link["refdomain"] == "prf":
            yield env.proof_list[target]["docname"], target
        elif link["reftype"] == "doc":
            yield f"book/{target}", ""


def add_to_index(app, env) -> None:
    entries = env.get_domain("index").entries
    for word, page, place in words(env):
        entry = ("single", word.replace("’", "'"), place, "", None)  # as the glossary has it there
        if page != GLOSSARY and entry not in entries.setdefault(page, []):
            entries[page].append(entry)


def add_to_search(app, pagename, templatename, context, doctree) -> None:
    if pagename == "search":
        listed = [(*found, _box(app.env, found[2])) for found in words(app.env)]
        unread = [page for page, given in app.env.metadata.items() if "nosearch" in given]
        listed += [(app.env.titles[page].astext(), page, "", "") for page in unread]  # by their titles
        app.add_js_file(None, body=f"const bookWords = {json.dumps(listed)};")


def _box(env, label: str) -> str:
    """What a box is called, "Definition 3.2"; nothing for another place."""
    if label not in env.proof_list:
        return ""
    box = env.proof_list[label]
    number = env.toc_fignumbers[box["docname"]][box["countertype"]][label]
    return f"{box['realtype'].title()} {'.'.join(map(str, number))}"


def setup(app):
    app.connect("env-updated", add_to_index)
    app.connect("html-page-context", add_to_search)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
