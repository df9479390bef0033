"""Put into the built site what a page needs to run its cells in the reader's browser.

    python tools/make_live.py                  into _build/html/live (the book must be built)
    python tools/make_live.py --site FOLDER    another built book

The kernel (thebe-core, thebe-lite) is among the browser files of tools/vendor.py. Here come the
package and the pure Python packages that a live page adds to Pyodide, as wheels; the tables, each
fetched when a cell reads it; the cells of each page; and live.json, which names all of these. The
notebooks of tools/make_lite.py use the same. With
SIGBOOK_PYODIDE, a folder that holds Pyodide 0.27 and its wheels, the site holds a copy of that too
and asks no other server; without it the reader's browser asks the public one, at the click.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import shutil
import sys
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
LIVE = ROOT / "tools" / "live"
PYODIDE = "0.27.7"  # the kernel in thebe-lite 0.5.0 works with 0.27 and no other
CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
INSTALLED = ("comm", "ipywidgets", "jupyterlab_widgets")  # taken as they are installed here
KERNEL = ("micropip", "ssl", "sqlite3", "jedi", "ipython")  # what the kernel itself needs
PACKAGES = ("numpy", "scipy", "matplotlib")
MORE = {"book/procedures": ("scikit-learn",)}  # for pages whose cells fit models
TABLES = (".csv", ".gz", ".json", ".yml")


# Wheels ------------------------------------------------------------------------------------------


def write_wheel(folder: Path, name: str, version: str, files: dict[str, bytes]) -> str:
    """Write a pure wheel, the same bytes for the same files; its name."""
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: sigbook\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files.setdefault(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode())
    record = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in sorted(files.items())]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), files[path], zipfile.ZIP_DEFLATED)
    return wheel.name


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def package_wheel(folder: Path) -> str:
    """The wheel of sigbook, from its source."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    files = {p.relative_to(ROOT).as_posix(): p.read_bytes() for p in sorted((ROOT / "sigbook").rglob("*.py"))}
    for name in project["license-files"]:
        files[f"sigbook-{project['version']}.dist-info/licenses/{name}"] = (ROOT / name).read_bytes()
    startup = f"sigbook-{project['version']}.data/data/etc/ipython/startup/00-sigbook.py"
    files[startup] = (LIVE / "start.py").read_bytes()  # IPython runs it when a kernel starts
    return write_wheel(folder, "sigbook", project["version"], files)


def installed_wheel(folder: Path, name: str) -> str:
    """The wheel of an installed pure package: its Python files, its licence, none of its tests."""
    found = importlib.metadata.distribution(name)
    files = {}
    for path in found.files:
        inside = path.as_posix()
        wanted = inside.startswith(f"{name}/") and path.suffix == ".py" and "tests" not in path.parts
        if wanted or ".dist-info/licenses/" in inside or inside.endswith(".dist-info/METADATA"):
            files[inside] = Path(found.locate_file(path)).read_bytes()
    return write_wheel(folder, name, found.version, files)


def kernel_wheels(folder: Path) -> list[str]:
    """The wheels that a Pyodide kernel brings, without the widgets of ipywidgets 7."""
    return sorted(path.name for path in folder.glob("*.whl") if "3.6.999" not in path.name)


# Pages -------------------------------------------------------------------------------------------


def pages() -> list[str]:
    """The pages that are notebooks, without suffix: "book/two_pictures"."""
    found = [*(ROOT / "book").glob("*.ipynb"), *(ROOT / "book" / "exercises").glob("*.ipynb")]
    return sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in found)


def page(name: str) -> dict:
    """What the script needs to know of a page: its code cells in order, packages that others do without."""
    cells = []
    for cell in nbformat.read(ROOT / f"{name}.ipynb", 4).cells:
        if cell.cell_type == "code":
            tags = set(cell.metadata.get("tags", []))
            cells.append({
                "id": cell.id,
                "source": cell.source,
                "shown": "remove-cell" not in tags,
                "fails": "raises-exception" in tags,
                "open": name.startswith("book/exercises/") and "hide-cell" not in tags and "..." in cell.source,
            })
    return {"cells": cells, "packages": MORE.get(name, ())}


# Building ----------------------------------------------------------------------------------------


def runtime(out: Path) -> tuple[str, str]:
    """(address of pyodide.js, relative to live/ or absolute; in words where Python comes from)."""
    given = os.environ.get("SIGBOOK_PYODIDE")
    if not given:
        return f"{CDN}pyodide.js", f"Python comes from {CDN} at the reader's click"
    folder = Path(given)
    missing = [name for name in CORE if not (folder / name).is_file()]
    if missing:
        raise ValueError(f"SIGBOOK_PYODIDE is {given}, which lacks {', '.join(missing)}")
    lock = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))
    if lock["info"]["version"] != PYODIDE:
        raise ValueError(f"SIGBOOK_PYODIDE holds Pyodide {lock['info']['version']}; {PYODIDE} is needed")
    lacking = [name for name in (*KERNEL, *PACKAGES) if name not in lock["packages"]]
    if lacking:
        raise ValueError(f"SIGBOOK_PYODIDE is {given}, whose lock lacks {', '.join(lacking)}")
    (out / "pyodide").mkdir()
    for name in [*CORE, *(entry["file_name"] for entry in lock["packages"].values())]:
        shutil.copyfile(folder / name, out / "pyodide" / name)
    return "pyodide/pyodide.js", "Python is part of the site (SIGBOOK_PYODIDE)"


def build(site: Path) -> str:
    """Write live/ anew; in words where Python comes from. ValueError names what is wrong."""
    out = site / "live"
    shutil.rmtree(out, ignore_errors=True)
    (out / "wheels").mkdir(parents=True)
    address, words = runtime(out)
    kernel = kernel_wheels(site / "_static" / "thebe" / "lite" / "pypi")
    if not kernel:
        raise ValueError(f"{site} lacks the kernel: run tools/vendor.py, then build the book")
    own = [installed_wheel(out / "wheels", name) for name in INSTALLED] + [package_wheel(out / "wheels")]
    tables = [p for p in sorted((ROOT / "data").rglob("*")) if p.suffix in TABLES and p.name != "cited.yml"]
    for path in tables:
        target = out / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    names = pages()
    for name in names:
        target = out / "pages" / f"{name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(page(name)), "utf-8")
    (out / "live.json").write_text(json.dumps({
        "runtime": address,
        "kernel": kernel,
        "packages": [*KERNEL, *PACKAGES, *(f"wheels/{name}" for name in own)],
        "tables": [path.relative_to(ROOT / "data").as_posix() for path in tables],
    }, indent=1), "utf-8")
    shutil.copyfile(LIVE / "kernel.js", out / "kernel.js")
    return f"{len(names)} live pages; {words}"


def command(build, description: str, arguments: list[str]) -> int:
    """Build a part of the site (--site, or the usual one) and print what `build` says of it; the exit code."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--site", type=Path, default=SITE, help="folder of the built book")
    options = parser.parse_args(arguments)
    try:
        print(build(options.site))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(command(build, __doc__, sys.argv[1:]))
