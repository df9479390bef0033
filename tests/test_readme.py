"""The commands and the example of README.md do what it says."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def plain(text: str) -> str:
    """A text without its line breaks and the numbers of versions, which differ from machine to machine."""
    return re.sub(r"((?:NumPy|Python|sacreBLEU|version:) ?)[\d.]+\w*", r"\1", " ".join(text.split()))


def test_the_examples_print_what_readme_shows(tmp_path):
    examples = re.findall(r"```(sh|python)\n(.*?)```\s+prints\s+```\n(.*?)```", README, re.S)
    assert [kind for kind, _, _ in examples] == ["sh", "python"]
    for kind, code, shown in examples:
        if kind == "sh":
            commands = [shlex.split(line) for line in code.splitlines()]
            assert {command[0] for command in commands} == {".venv/bin/python"}
        else:
            commands = [["", "-c", code]]
        printed = ""
        for command in commands:
            run = subprocess.run(
                [sys.executable, *command[1:]], cwd=tmp_path, capture_output=True, text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
            assert (run.returncode, run.stderr) == (0, "")
            printed += run.stdout
        assert plain(printed) == plain(shown)


def test_only_versions_may_differ_from_what_readme_shows():
    assert plain("NumPy 2.4.6,\n  Python 3.12.0rc1; version:2.6.0).") == plain("NumPy 2.0.1, Python 3.11.7; version:2.4.).")
    assert plain("p = 0.2505, NumPy 2.4.6") != plain("p = 0.2506, NumPy 2.4.6")


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_file_and_command_named_exists(name):
    text = (ROOT / name).read_text()
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.M))
    named = set(re.findall(r"`make ([a-z-]+)`|^    make ([a-z-]+)", text, re.M))
    assert {a or b for a, b in named} <= targets
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    scripts = re.findall(r"\b(?:tools|book|data)/[\w./]+\.(?:py|txt|json|yml|md)\b", text)
    missing = [name for name in links + scripts if not (ROOT / name).exists()]
    assert missing == []


def test_make_alone_has_a_line_of_help_for_each_command():
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.M)[1].split()
    run = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True)
    assert re.findall(r"^  make ([a-z-]+)  +\S", run.stdout, re.M) == phony
