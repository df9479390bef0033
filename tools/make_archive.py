"""Pack the built site into one file for reading without a server and without a network.

    python tools/make_archive.py                  into _build/html (the book must be built)
    python tools/make_archive.py --site FOLDER    another built book

Unpacked, the file opens from a disk: pages, figures, first frames of the controls, search and decks.
Python for the browser stays out, and so does what only builders read. The same site gives the same
bytes.
"""

from __future__ import annotations

import posixpath
import re
import sys
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path

import make_live

ROOT = Path(__file__).resolve().parent.parent
NAME = "which-gap-is-real"
LEFT_OUT = (  # folders of the site: Python for the browser, and sources
    "live/", "lite/", "_static/thebe/", "_sources/", "slides/_sources/", "jupyter_execute/",
)  # fmt: skip
NOT_READ = (".map", ".ipynb", ".md", ".py", ".inv", ".pickle", ".buildinfo", f"{NAME}.zip", ".part")
LINK = re.compile(r'<a\b[^>]*?\shref="([^"]*)"[^>]*>(.*?)</a>', re.S)
ABSENT = "not part of the copy for offline reading"
README = """Which gap is real? Significance tests for NLP evaluation.

Open index.html in a browser: all chapters, exercises and decks, with their figures, formulas and
search. No network and no server is needed.

What runs Python is not in this copy: each control shows its first frame, with a table of other
settings. In a clone of the repository `make read` serves the book with the button that runs a page
in the browser, and `make lab` opens the chapters in JupyterLab.

Text and figures: CC BY 4.0 (LICENSE-text). Code: BSD-3-Clause (LICENSE).
"""


def files(site: Path) -> Iterator[str]:
    """The files of the site that a reader needs offline, in order."""
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if path.is_file() and not name.startswith(LEFT_OUT) and not name.endswith(NOT_READ):
            yield name


def unlinked(page: str, text: str, there: Collection[str]) -> str:
    """A page's HTML whose links to what is not there are plain text."""

    def plain(match):
        address = re.split("[#?]", match[1])[0]
        if not address or re.match(r"[a-z][a-z\d+.-]*:|//", address, re.I):
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
        return match[0] if target in there else f'<span title="{ABSENT}">{match[2]}</span>'

    return LINK.sub(plain, text)


def build(site: Path) -> str:
    """Write the file into the site anew; in words what it is. ValueError when there is no site."""
    there = dict.fromkeys(files(site))
    if "index.html" not in there:
        raise ValueError(f"{site} holds no built book: run `make book`")
    contents = {"README.txt": README.encode()}
    contents |= {name: (ROOT / name).read_bytes() for name in ("LICENSE", "LICENSE-text")}
    for name in there:
        contents[name] = (site / name).read_bytes()
        if name.endswith(".html"):
            contents[name] = unlinked(name, contents[name].decode("utf-8"), there).encode("utf-8")
    out, part = site / f"{NAME}.zip", site / f"{NAME}.zip.part"
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(contents):
            info = zipfile.ZipInfo(f"{NAME}/{name}", (2020, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            archive.writestr(info, contents[name], zipfile.ZIP_DEFLATED, 9)
    part.replace(out)
    return f"the site for reading offline: {out.name}, {out.stat().st_size / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(make_live.command(build, __doc__, sys.argv[1:]))
