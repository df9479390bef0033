"""Run chapters from a fresh kernel and store them in one fixed form.

    python tools/run_notebooks.py                          run and store all chapters
    python tools/run_notebooks.py book/two_pictures.ipynb  only this one
    python tools/run_notebooks.py --check                  run, store nothing, say what would change

A stored chapter holds its outputs and the first frame of its widgets. Two runs on one machine give
the same bytes: no timestamps, widget ids counted instead of drawn, one output per stretch of
printed text, error outputs without a traceback (it names folders of the machine), cell ids of the
form two_pictures-04 kept from run to run. `made_with` in the notebook's metadata names what else
the bytes of a figure depend on; where it differs, `--check` compares everything but the pixels.

The test suite executes each chapter once. `pytest --nbval` drives the kernel and compares the
outputs; the messages that it receives are kept (tests/conftest.py), and `replay` turns them into
the notebook that a run of this file would have stored, for the comparison of bytes. Seconds and
peak memory are taken from the same run.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import hashlib
import json
import os
import pathlib
import platform
import re
import sys
import time
from importlib.metadata import version

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete, CellExecutionError

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDGETS = "application/vnd.jupyter.widget-state+json"
IMAGE_TYPES = ("image/png", "image/jpeg")
ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
STRICT = "; ".join(
    f"__import__('warnings').filterwarnings('error', category={kind}, module='sigbook')"
    for kind in ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LIBRARIES = ("numpy", "scipy", "matplotlib", "pillow", "scikit-learn", "ipywidgets", "nbclient")


@dataclasses.dataclass(frozen=True)
class Run:
    """An executed notebook, the wall-clock seconds it took and the kernel's peak memory in MB."""

    notebook: nbformat.NotebookNode
    seconds: float
    peak: float


def chapters() -> list[pathlib.Path]:
    """The notebooks of the book, by name, and then the pages of exercises."""
    book = ROOT / "book"
    return sorted(book.glob("*.ipynb")) + sorted((book / "exercises").glob("*.ipynb"))


def peak_memory(pid: int) -> float:
    """Peak resident memory of a process in MB; nan where the system does not tell."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return float("nan")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def run(path: pathlib.Path, python: pathlib.Path | None = None) -> Run:
    """Execute the notebook in a fresh kernel whose working folder is the notebook's.

    python: the interpreter of another environment with ipykernel, instead of this one. There, what
    its libraries announce to the package's own lines (deprecations) is an error.
    """
    notebook = nbformat.read(path, 4)
    peaks = [0.0]
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=[
            "--log-level=40",  # no warning about loopback sockets
            *([] if python is None else [f"--IPKernelApp.exec_lines={STRICT}"]),
        ],
        resources={"metadata": {"path": str(path.parent)}},
        on_cell_executed=lambda **_: peaks.append(peak_memory(client.km.provisioner.pid)),
    )
    client.create_kernel_manager()
    if python is not None:
        client.km.kernel_spec.argv[0] = str(python)
    os.environ.update(ONE_THREAD)
    start = time.perf_counter()
    client.execute()
    return Run(notebook, time.perf_counter() - start, max(peaks))


def record(path: pathlib.Path, done: Run) -> None:
    """Leave a chapter's seconds and memory for the colophon (tools/colophon.py), outside git."""
    if path.resolve().parent != ROOT / "book":
        return
    folder = ROOT / "_build" / "run_times"
    folder.mkdir(parents=True, exist_ok=True)
    measured = {"seconds": done.seconds, "peak": done.peak}
    (folder / f"{path.stem}.json").write_text(json.dumps(measured) + "\n")


def replay(notebook: nbformat.NotebookNode, messages: list[list[dict]]) -> nbformat.NotebookNode:
    """What `run` would have given, from the kernel's messages for each code cell in turn."""
    notebook = copy.deepcopy(notebook)
    client = NotebookClient(notebook, record_timing=False)
    client.reset_execution_trackers()
    code = [(k, cell) for k, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    for count, ((index, cell), received) in enumerate(zip(code, messages, strict=True), start=1):
        cell.outputs = []
        client.clear_before_next_output = False
        for message in received:
            try:
                client.process_message(message, cell, index)
            except CellExecutionComplete:
                break
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    notebook.metadata.pop("widgets", None)
    client.set_widgets_metadata()
    return notebook


def made_with() -> dict[str, str]:
    """What the bytes of a figure may depend on: libraries, and how the processor rounds."""
    import numpy
    import threadpoolctl

    simd = numpy.show_config(mode="dicts")["SIMD Extensions"]
    blas = {pool.get("architecture", "") for pool in threadpoolctl.threadpool_info()} - {""}
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: version(name) for name in LIBRARIES},
        "machine": f"{platform.system()} {platform.machine()}",
        "simd": [*simd["baseline"], *simd.get("found", [])][-1],
        "blas": " ".join(sorted(blas)),
    }


def cell_ids(notebook: nbformat.NotebookNode, stem: str) -> None:
    """Number the cells that have no id of the form stem-NN; a number given once stays."""
    taken: set[str] = set()
    fresh = []
    for cell in notebook.cells:
        if re.fullmatch(re.escape(stem) + r"-\d{2,}", cell.id) and cell.id not in taken:
            taken.add(cell.id)
        else:
            fresh.append(cell)
    last = max((int(name.rsplit("-", 1)[1]) for name in taken), default=0)
    for number, cell in enumerate(fresh, start=last + 1):
        cell.id = f"{stem}-{number:02d}"


def merge_streams(outputs: list) -> list:
    """Join neighbouring pieces of printed text: where they were cut is a matter of timing."""
    merged: list = []
    for output in outputs:
        before = merged[-1] if merged else None
        if before and output.output_type == "stream" == before.output_type:
            if output.name == before.name:
                before.text += output.text
                continue
        merged.append(output)
    return merged


def stable(notebook: nbformat.NotebookNode, stem: str) -> str:
    """The executed notebook as the text to store."""
    notebook = copy.deepcopy(notebook)
    cell_ids(notebook, stem)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = merge_streams(cell.outputs)
            for output in cell.outputs:
                if output.output_type == "error":
                    output.traceback = [f"{output.ename}: {output.evalue}"]
    state = notebook.metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {})
    ids = {
        old: hashlib.md5(f"{stem}:{k}".encode(), usedforsecurity=False).hexdigest()
        for k, old in enumerate(state)
    }
    widgets = {"widgets": notebook.metadata.widgets} if state else {}
    notebook.metadata = nbformat.from_dict({**METADATA, **widgets, "made_with": made_with()})
    text = nbformat.writes(nbformat.from_dict(notebook), version=4)  # sorts all keys
    model_id = r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"
    text = re.sub(model_id, lambda found: ids.get(found[0], found[0]), text)
    return nbformat.writes(nbformat.reads(text, 4), version=4).rstrip("\n") + "\n"


def without_pixels(text: str) -> nbformat.NotebookNode:
    """A stored notebook without pictures and `made_with`: what every machine must agree on."""
    text = re.sub(r"data:image/(png|jpeg);base64,[A-Za-z0-9+/=]+", "picture", text)
    notebook = nbformat.reads(text, 4)
    notebook.metadata.pop("made_with", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for kind in IMAGE_TYPES:
                if kind in output.get("data", {}):
                    output.data[kind] = "picture"
    for model in notebook.metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {}).values():
        for buffer in model.get("buffers", []):
            buffer["data"] = "picture"
    return notebook


def compare(stored: str, new: str) -> str:
    """"same", "changed", or "same text" when the stored bytes come from another machine."""
    if stored == new:
        return "same"
    before, after = (nbformat.reads(text, 4).metadata.get("made_with") for text in (stored, new))
    if before and before != after and without_pixels(stored) == without_pixels(new):
        return "same text"
    return "changed"


def main(arguments: list[str]) -> int:
    from notebook_guard import faults

    parser = argparse.ArgumentParser(description="Run chapters and store their outputs.")
    parser.add_argument("--check", action="store_true", help="store nothing; fail on a change")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="notebooks (default: all)")
    options = parser.parse_args(arguments)
    bad = 0
    for path in options.paths or chapters():
        try:
            done = run(path)
        except CellExecutionError as error:
            print(f"{path.name}: a cell failed, nothing stored\n{error}")
            bad += 1
            continue
        record(path, done)
        new = stable(done.notebook, path.stem)
        verdict = compare(path.read_text(), new)
        note = " (the stored figures come from another machine)" * (verdict == "same text")
        print(f"{path.name}: {verdict}{note}, {done.seconds:.1f} s, {done.peak:.0f} MB")
        if not options.check and verdict != "same":
            path.write_text(new)
        found = faults(nbformat.reads(new, 4), path.stem)
        print("".join(f"  {fault}\n" for fault in found), end="")
        bad += bool(found) or (options.check and verdict == "changed")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
