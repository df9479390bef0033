"""Run every chapter on the oldest and on the newest libraries that the package allows.

    make versions                                 both environments, set up first where missing
    python tools/versions.py set-up oldest        .venv-oldest, from tools/versions/oldest.txt
    python tools/versions.py oldest newest        run the chapters in environments that stand
    python tools/versions.py oldest --only book/two_pictures.ipynb

The kernel is the environment's own Python; everything else (who starts it, takes its messages and
compares) is what tools/run_notebooks.py uses. Each printed text, each widget's text and each size of
a figure must be the stored one, to the character; pixels are not compared, because Matplotlib's
versions draw differently. A deprecation that a library announces to the package's own code fails.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import nbformat
from nbclient.exceptions import CellExecutionError

import run_notebooks

ROOT = run_notebooks.ROOT
PINS = ROOT / "tools" / "versions"
NAMES = ("oldest", "newest")
# Who may bring which: the newest libraries need Python 3.12, the oldest have no wheels for 3.13.
PYTHONS = {"oldest": ("python3.11", "python3.12"), "newest": ("python3.13", "python3.12")}
PROCESSES = 2


def folder(name: str) -> pathlib.Path:
    return ROOT / f".venv-{name}"


def python(name: str) -> pathlib.Path:
    return folder(name) / "bin" / "python"


def ready(name: str) -> bool:
    return (folder(name) / "ready").exists()


def missing(name: str) -> str:
    """What to say where the environment does not stand."""
    wanted = " or ".join(PYTHONS[name])
    return f"no .venv-{name}: `make versions` sets it up with {wanted} (PYTHON_{name.upper()}=... names another)"


def pins(file: pathlib.Path) -> dict[str, str]:
    """Exact pins of a file of requirements, by name in lower case."""
    lines = re.findall(r"^([\w.-]+)==(\S+)", file.read_text("utf-8"), re.M)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in lines}


# An environment ----------------------------------------------------------------------------------


def interpreter(name: str) -> str | None:
    """The first interpreter that can hold the environment; PYTHON_OLDEST or PYTHON_NEWEST names another."""
    given = os.environ.get(f"PYTHON_{name.upper()}")
    here = "python{}.{}".format(*sys.version_info)
    for command in [given] if given else PYTHONS[name]:
        start = sys.executable if command == here else shutil.which(command)
        if start and subprocess.run([start, "-c", "import ensurepip"], capture_output=True).returncode == 0:
            return start
    return None


def set_up(name: str) -> None:
    """Make the environment anew, or say that no interpreter can hold it."""
    start = interpreter(name)
    if start is None:
        print(missing(name))
        return
    print(f"Setting up .venv-{name} (a minute or two)", flush=True)
    subprocess.run([start, "-m", "venv", "--clear", folder(name)], check=True)
    constraints = folder(name) / "constraints.txt"
    files = (ROOT / "tools" / "constraints.txt", ROOT / "requirements.txt", PINS / f"{name}.txt")
    merged = {package: version for file in files for package, version in pins(file).items()}
    lines = [f"{package}=={version}" for package, version in merged.items()]
    constraints.write_text("\n".join(lines) + "\n")
    pip = [python(name), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "pip==26.3"], check=True)
    subprocess.run([*pip, "-c", constraints, "-r", PINS / "tests.txt"], check=True)
    # pip itself must find that the pins lie within what pyproject.toml allows.
    package = f"{ROOT}[text,chapters]"
    subprocess.run([*pip, "-c", constraints, "--no-build-isolation", "-e", package], check=True)
    (folder(name) / "ready").touch()


def found(name: str) -> dict[str, str]:
    """Python's version and those of the pinned libraries, as the environment's own Python tells them."""
    code = (
        "import json, platform, sys; from importlib.metadata import version\n"
        "import sigbook\n"
        "told = {name: version(name) for name in sys.argv[1:]}\n"
        "print(json.dumps({'python': platform.python_version(), 'sigbook': sigbook.__file__, **told}))"
    )
    names = pins(PINS / f"{name}.txt")
    run = subprocess.run([python(name), "-c", code, *names], capture_output=True, text=True, check=True, cwd=PINS)
    return json.loads(run.stdout)


# A run -------------------------------------------------------------------------------------------


def differences(stored: str, new: str) -> list[str]:
    """Lines of text that differ between two stored notebooks, each with its cell; pictures aside."""
    before, after = (run_notebooks.without_pixels(text) for text in (stored, new))
    lines = []
    for one, other in zip(before.cells, after.cells, strict=True):
        pair = [json.dumps(cell.get("outputs", []), indent=0, ensure_ascii=False).replace("\\n", "\n").split("\n")
                for cell in (one, other)]
        changed = [line for line in difflib.unified_diff(*pair, n=0, lineterm="") if line[:1] in "+-"][2:]
        lines += [f"{one.id}: {line}" for line in changed]
    pair = [json.dumps(notebook.metadata.get("widgets", {}), indent=0, ensure_ascii=False).split("\n")
            for notebook in (before, after)]
    changed = [line for line in difflib.unified_diff(*pair, n=0, lineterm="") if line[:1] in "+-"][2:]
    lines += [f"widgets: {line}" for line in changed]
    if not lines and before != after:
        lines.append("the notebooks differ outside of their outputs")
    return lines


def code_cells(path: pathlib.Path) -> int:
    return sum(cell.cell_type == "code" for cell in nbformat.read(path, 4).cells)


def check(name: str, path: pathlib.Path) -> tuple[list[str], float]:
    """Run one notebook in the environment: what differs from the stored text, and the seconds."""
    os.environ["SIGBOOK_PROGRESS"] = ""
    stored = path.read_text("utf-8")
    try:
        done = run_notebooks.run(path, python(name))
    except CellExecutionError as error:
        return [f"a cell failed\n{error}"], 0.0
    return differences(stored, run_notebooks.stable(done.notebook, path.stem)), done.seconds


def check_all(name: str, paths: list[pathlib.Path]) -> dict[pathlib.Path, tuple[list[str], float]]:
    """`check` for each path, two at a time, long ones first."""
    paths = sorted(paths, key=lambda path: -path.stat().st_size)
    with concurrent.futures.ProcessPoolExecutor(PROCESSES) as pool:
        return dict(zip(paths, pool.map(check, [name] * len(paths), paths)))


def title(name: str) -> str:
    """The environment in a line."""
    told = found(name)
    told.pop("sigbook")
    return f"{name}: " + ", ".join(f"{package} {version}" for package, version in told.items())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Run the chapters on the oldest and the newest libraries.")
    parser.add_argument("names", nargs="+", choices=[*NAMES, "set-up"], help="environments")
    parser.add_argument("--only", nargs="+", type=pathlib.Path, help="notebooks (default: all)")
    options = parser.parse_args(arguments)
    names = [name for name in options.names if name != "set-up"]
    if "set-up" in options.names:
        for name in names:
            set_up(name)
        return 0
    bad = 0
    for name in names:
        if not ready(name):
            print(missing(name))
            continue
        print(title(name), flush=True)
        paths = [path.resolve() for path in options.only or run_notebooks.chapters()]
        cells = 0
        for path, (lines, seconds) in sorted(check_all(name, paths).items()):
            code = code_cells(path)
            cells += code
            print(f"  {path.relative_to(ROOT / 'book')}: {'DIFFERS' if lines else 'same text'}, "
                  f"{code} cells, {seconds:.1f} s")
            print("".join(f"    {line}\n" for line in lines), end="")
            bad += bool(lines)
        print(f"  {len(paths)} notebooks, {cells} cells, {bad} notebooks that differ", flush=True)
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
