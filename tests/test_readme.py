"""The commands and the example of README.md do what it says."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def test_the_example_prints_what_readme_shows():
    code, shown = re.search(r"```python\n(.*?)```\s+prints\s+```\n(.*?)```", README, re.S).groups()
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.stderr == ""
    assert run.stdout == shown


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
