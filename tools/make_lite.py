"""Put JupyterLite into the built site, so that each page can be opened as a notebook in the browser.

    python tools/make_lite.py                  into _build/html/lite (the book must be built)
    python tools/make_lite.py --site FOLDER    another built book

The application is that of jupyterlite-core, as far as a notebook needs it; its Python is the kernel of
jupyterlite-pyodide-kernel; extensions show controls and MyST. tools/make_live.py, which runs before
this, says where Python comes from and writes the packages and tables that it loads.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tarfile
from datetime import datetime, timezone
from fnmatch import fnmatch
from pathlib import Path

import nbformat

import make_live

ROOT = make_live.ROOT
EXTENSIONS = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
KERNEL = "@jupyterlite/pyodide-kernel-extension"
WANTED = (KERNEL, "@jupyter-widgets/jupyterlab-manager", "jupyterlab-myst", "jupyterlab_pygments")
# Other applications, maps of sources, and fonts in forms that no browser of today asks for.
LEFT_OUT = ("build/consoles/*", "build/edit/*", "build/lab/*", "build/repl/*", "build/tree/*",
            "*.map", "*.eot", "*.ttf", "*.woff", "*fa-*.svg")  # fmt: skip
# Libraries of diagrams, charts, terminals and other languages, loaded when a cell shows such a thing.
NO_LIBRARY = ("mermaid", "@mermaid-js/*", "elkjs", "cytoscape*", "chevrotain*", "katex", "vega*", "@xterm/*",
              "@codemirror/lang-cpp", "@codemirror/lang-java", "@codemirror/lang-php",
              "@codemirror/lang-rust", "@codemirror/lang-sql", "@codemirror/lang-xml")  # fmt: skip
NO_LANGUAGE = re.compile(r"react-syntax-highlighter_languages_highlight_(?!python)")
# The kernel's queue is emptied after an error, unless the cell is one that fails on purpose.
EDIT = (b'"error"===e.content.status&&h.cancel()',
        b'"error"===e.content.status&&m.parent?.content.stop_on_error&&h.cancel()')  # fmt: skip
DISABLED = (  # plugins that lead to what is not here, or that keep files by a service worker
    "@jupyterlite/application-extension:service-worker-manager",
    "@jupyterlite/application-extension:share-file",
    "@jupyterlite/notebook-application-extension:logo",
    "@jupyter-notebook/application-extension:logo",
    "@jupyter-notebook/application-extension:pages",
    "@jupyter-notebook/help-extension:open",
    "@jupyter-notebook/notebook-extension:open-tree-tab",
    "@jupyter-notebook/notebook-extension:tab-icon",
    "@jupyter-notebook/tree-extension",
    "@jupyterlab/application-extension:faviconbusy",
    "@jupyterlab/help-extension",
)


def wanted(name: str) -> bool:
    return not any(fnmatch(name, pattern) for pattern in LEFT_OUT) and not NO_LANGUAGE.match(name)


def application(out: Path) -> None:
    """Unpack the build folder of the application that jupyterlite-core holds."""
    import jupyterlite_core

    (archive,) = Path(jupyterlite_core.__file__).parent.glob("jupyterlite-app-*.tgz")
    with tarfile.open(archive) as tar:
        files = {m.name.removeprefix("package/"): tar.extractfile(m).read() for m in tar if m.isfile()}
    if sum(content.count(EDIT[0]) for name, content in files.items() if name.endswith(".js")) != 1:
        raise ValueError(f"{archive.name}: {EDIT[0].decode()} is not there exactly once")
    for name, content in files.items():
        if name.startswith("build/") and wanted(name) and not needless(files.get(f"{name}.map", b"{}")):
            target = (out / name).resolve()
            if not target.is_relative_to(out.resolve()):
                raise ValueError(f"{archive.name} holds a path outside its folder: {name}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.replace(*EDIT) if name.endswith(".js") else content)


def needless(source_map: bytes) -> bool:
    """Whether a piece of the application holds a library of NO_LIBRARY, by the map of its sources."""
    sources = " ".join(json.loads(source_map).get("sources", []))
    libraries = set(re.findall(r"node_modules/((?:@[^/ ]+/)?[^/ ]+)/", sources))
    return any(fnmatch(library, pattern) for library in libraries for pattern in NO_LIBRARY)


def extension(out: Path, name: str) -> tuple[dict, list[dict]]:
    """Copy an installed extension; (how the application loads it, its settings)."""
    folder = EXTENSIONS / name
    if not folder.is_dir():
        raise ValueError(f"{name} is not installed: `make` installs it into .venv")
    for path in sorted((folder / "static").rglob("*")):
        if path.is_file() and wanted(path.name):
            target = out / "extensions" / name / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    package = json.loads((folder / "package.json").read_text("utf-8"))
    settings = [
        {"id": f"{name}:{path.stem}", "raw": "{}", "schema": json.loads(path.read_text("utf-8")),
         "settings": {}, "version": package["version"]}
        for path in sorted((folder / "schemas" / name).glob("*.json"))
    ]  # fmt: skip
    return {"name": name, **package["jupyterlab"]["_build"]}, settings


def contents(out: Path) -> None:
    """The notebooks, and the lists by which the application finds them."""
    folders: dict[str, list[dict]] = {"": [], "exercises": []}
    for name in make_live.pages():
        source = ROOT / f"{name}.ipynb"
        path = source.relative_to(ROOT / "book")
        # Lines joined, as a Jupyter server sends them; the application expects it.
        put(out / "files" / path, nbformat.read(source, 4))
        parent = path.parent.as_posix().strip(".")
        folders[parent].append(entry(path.as_posix(), "notebook", source.stat().st_mtime))
    folders[""].append(entry("exercises", "directory", 0))
    for parent, entries in folders.items():
        put(out / "api" / "contents" / parent / "all.json", {**entry(parent, "directory", 0), "content": entries})


def entry(path: str, kind: str, changed: float) -> dict:
    """A notebook or a folder in the form of Jupyter's contents."""
    when = datetime.fromtimestamp(changed, timezone.utc).isoformat()
    return {"name": path.rpartition("/")[2], "path": path, "type": kind, "format": "json", "content": None,
            "mimetype": None, "size": None, "writable": True, "created": when, "last_modified": when}  # fmt: skip


def put(path: Path, told) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told), "utf-8")


def build(site: Path) -> str:
    """Write lite/ anew; in words what it holds. ValueError names what is wrong."""
    if not (site / "live" / "live.json").is_file():
        raise ValueError(f"{site} has no live pages: run tools/make_live.py first")
    out = site / "lite"
    shutil.rmtree(out, ignore_errors=True)
    (out / "notebooks").mkdir(parents=True)
    application(out)
    loaded, settings = zip(*(extension(out, name) for name in WANTED))
    put(out / "build" / "schemas" / "all_federated.json", [one for found in settings for one in found])
    languages = {"en": {"displayName": "English", "nativeName": "English"}}
    put(out / "api" / "translations" / "all.json", {"data": languages, "message": ""})
    put(out / "api" / "translations" / "en.json", {"data": {}, "message": ""})
    contents(out)
    wheels = out / "extensions" / KERNEL / "static" / "pypi"
    put(out / "jupyter-lite.json", {
        "appName": "Which gap is real?",
        "appUrl": "/notebooks",
        "notebookPage": "notebooks",
        "baseUrl": "./",
        "fullStaticUrl": "./build",
        "fullLabextensionsUrl": "./extensions",
        "settingsUrl": "./build/schemas",
        "themesUrl": "build/themes",  # the application itself puts baseUrl before it
        "federated_extensions": loaded,
        "disabledExtensions": DISABLED,
        # All cells are on the page, so that references lead to their places.
        "settingsOverrides": {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}},
        "exposeAppInBrowser": "true",  # as window.jupyterapp
        "defaultKernelName": "python",
        "kernel": {
            "folder": f"./{wheels.relative_to(out).as_posix()}/",
            "wheels": make_live.kernel_wheels(wheels),
        },
    })  # fmt: skip
    shutil.copyfile(make_live.LIVE / "notebook.html", out / "notebooks" / "index.html")
    shutil.copyfile(make_live.LIVE / "notebook.js", out / "notebook.js")
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return f"{len(make_live.pages())} notebooks in JupyterLite, {size / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(make_live.command(build, __doc__, sys.argv[1:]))
