"""Print the whole book as PDF: _build/pdf/which-gap-is-real.pdf. Needs XeLaTeX and three fonts.

    python tools/make_pdf.py [--out FOLDER]

Sphinx writes the book as LaTeX (tools/pdf/conf.py says how), XeLaTeX sets it until nothing moves any more.
A PDF with a fault (a reference that leads nowhere, a letter that no font has, a line that runs off the
page) is kept to be looked at, but the faults are named and the exit code is 1. The same LaTeX gives the same
bytes: the date inside is SOURCE_DATE_EPOCH, or that of the last commit. (The colophon names run times; they
are what differs between two builds.)
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent / "pdf"
OUT = ROOT / "_build" / "pdf"
NAME = "which-gap-is-real.pdf"
# What is needed, and the Debian package that has it.
PROGRAMS = ("xelatex", "makeindex", "kpsewhich")  # all of texlive-xetex and what it needs
FILES = {
    "tcolorbox.sty": "texlive-latex-extra", "titlesec.sty": "texlive-latex-extra",
    "unicode-math.sty": "texlive-latex-recommended", "pzdr.tfm": "texlive-fonts-recommended",
    "FreeSerif.otf": "fonts-freefont-otf", "texgyretermes-math.otf": "fonts-texgyre-math",
    "DejaVuSansMono.ttf": "fonts-dejavu-core",
}  # fmt: skip
PACKAGES = list(dict.fromkeys(FILES.values()))
OVERFULL = {"h": 3.0, "v": 10.0}  # points by which a line or a page may stand out, which nobody sees
RUNS = 6
KEPT = ("aux", "toc", "out", "ind")  # what a run of XeLaTeX leaves for the next


def missing() -> list[str]:
    """The Debian packages to install before a PDF can be made; empty when all is there."""
    if not all(map(shutil.which, PROGRAMS)):  # then nothing says which of TeX's files are there
        return ["texlive-xetex", *(package for package in PACKAGES if not package.startswith("texlive-latex"))]
    return list(dict.fromkeys(package for name, package in FILES.items() if not _found(name)))


def _found(name: str) -> bool:
    return subprocess.run(["kpsewhich", name], capture_output=True).returncode == 0


def what_to_install(packages: list[str]) -> str:
    command = f"apt-get install --no-install-recommends {' '.join(packages)}"
    return f"the PDF needs XeLaTeX and its fonts; on Debian: {command}"


def write_latex(folder: Path) -> Path:
    """The book as LaTeX in folder/latex; RuntimeError with Sphinx's words when it warns. Needs no TeX."""
    out = folder / "latex"
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "latex", "-q", "-W", "-n", "--keep-going", "-c", str(HERE),
         "-d", str(folder / "doctrees"), str(ROOT), str(out)],
        capture_output=True, text=True, env={**os.environ, **epoch()},
    )  # fmt: skip
    if run.returncode or "WARNING" in run.stderr:
        raise RuntimeError(f"the book could not be written as LaTeX:\n{run.stderr[-4000:]}")
    return out


def epoch() -> dict[str, str]:
    """The moment that a build stands for, as environment variables."""
    moment = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not moment.isdigit():
        run = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
        moment = run.stdout.strip() if run.returncode == 0 and run.stdout.strip() else "0"
    return {"SOURCE_DATE_EPOCH": moment, "FORCE_SOURCE_DATE": "1"}


def typeset(folder: Path) -> Path:
    """Run XeLaTeX on folder/book.tex until the page numbers stay; RuntimeError with TeX's words when it stops."""
    # Log lines of any length, so that a message is never cut in two.
    env = {**os.environ, **epoch(), "max_print_line": "100000", "openout_any": "p"}
    command = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "book.tex"]
    for old in KEPT:
        (folder / f"book.{old}").unlink(missing_ok=True)
    before = None
    for _ in range(RUNS):
        run = subprocess.run(command, cwd=folder, env=env, capture_output=True)
        if run.returncode:
            log = (folder / "book.log").read_text("utf-8", "replace") if (folder / "book.log").exists() else ""
            said = re.search(r"^! .*(?:\n.*){0,8}", log, re.M)
            end = run.stdout.decode("utf-8", "replace")[-1000:]
            raise RuntimeError(f"XeLaTeX stopped:\n{said[0] if said else end}")
        index = folder / "book.idx"
        index.write_text(sortable(index.read_text("utf-8")), "utf-8")
        subprocess.run(["makeindex", "-q", "-s", "python.ist", "book.idx"], cwd=folder, env=env, capture_output=True)
        kept = [folder / f"book.{name}" for name in KEPT]
        state = [path.read_bytes() for path in kept if path.exists()]
        if state == before:
            return folder / "book.pdf"
        before = state
    raise RuntimeError(f"the page numbers still change after {RUNS} runs of XeLaTeX")


def sortable(index: str) -> str:
    """makeindex's entries, those of one word alike, and what it cannot sort under its name: χ² under chi²."""
    def entry(match):
        word, _, shown = match[1].replace("\\sphinxhyphen {}", "\\sphinxhyphen{}").partition("@")
        shown = re.sub(r"^\\spxentry\{(.*)\}$", r"\1", shown or word)
        word = word.replace("\\sphinxhyphen{}", "-")
        if not word[0].isascii():
            word = unicodedata.name(word[0]).split()[-1].lower() + word[1:]
        return f"\\indexentry{{{word}@{shown}|{match[2]}"

    return re.sub(r"^\\indexentry\{([^|!]+)\|(.*)$", entry, index, flags=re.M)


def faults(log: str) -> list[str]:
    """What a reader would stumble over, from XeLaTeX's log."""
    found = re.findall(r"Missing character: .*", log)
    found += re.findall(r"LaTeX Warning: (?:Reference|Hyper reference|Citation) .* undefined.*", log)
    found += re.findall(r"LaTeX Warning: Label .* multiply defined.*", log)
    found += re.findall(r".*Token not allowed in a PDF string.*", log)
    boxes = re.findall(r"(Overfull \\([hv])box \(([\d.]+)pt too \w+\).*)", log)
    found += [line for line, side, points in boxes if float(points) > OVERFULL[side]]
    return list(dict.fromkeys(found))


def pages(log: str) -> int:
    return int(re.search(r"Output written on book\.pdf \((\d+) pages", log)[1])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the PDF")
    options = parser.parse_args(arguments)
    packages = missing()
    if packages:
        print(what_to_install(packages), file=sys.stderr)
        return 1
    try:
        folder = write_latex(options.out / "work")
        made = typeset(folder)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    path = options.out / NAME
    shutil.copyfile(made, path)
    log = (folder / "book.log").read_text("utf-8", "replace")
    print(f"{path}: {pages(log)} pages")
    for fault in faults(log):
        print(fault, file=sys.stderr)
    return int(bool(faults(log)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
