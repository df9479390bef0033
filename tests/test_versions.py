"""The oldest and the newest libraries allowed print the numbers that are stored; nothing else is needed.

The long tests run in the environments of `make versions` and are skipped where those do not stand.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

import nbformat
import pytest
from nbformat import v4
from packaging.requirements import Requirement
from packaging.version import Version

import run_notebooks
import versions

ROOT = run_notebooks.ROOT
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OLDEST, NEWEST = (versions.pins(versions.PINS / f"{name}.txt") for name in versions.NAMES)
PINNED = versions.pins(ROOT / "requirements.txt")
LINES = [*PROJECT["dependencies"], *(line for extra in PROJECT["optional-dependencies"].values() for line in extra)]
ALLOWED = {Requirement(line).name: Requirement(line).specifier for line in LINES}
SPELLED = {"numpy": "NumPy", "scipy": "SciPy", "matplotlib": "Matplotlib", "sacrebleu": "sacreBLEU"}
# A module of the package and the test of its name; the rest of the suite looks at pages and tools.
CORE = [
    path.relative_to(ROOT).as_posix()
    for path in sorted((ROOT / "tests").glob("test_*.py"))
    if (ROOT / "sigbook" / f"{path.stem.removeprefix('test_')}.py").exists() or path.stem in ("test_checks", "test_public")
]  # fmt: skip

# What stands where --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALLOWED)
def test_the_lower_bound_is_the_oldest_version_that_is_run(name):
    bounds = {bound.operator: bound.version for bound in ALLOWED[name]}
    assert bounds.keys() == {">=", "<"}
    assert bounds[">="] == OLDEST[name]
    assert bounds["<"] == str(Version(NEWEST[name]).major + 1)
    for version in (OLDEST[name], PINNED[name], NEWEST[name]):
        assert ALLOWED[name].contains(version)
    assert Version(OLDEST[name]) <= Version(PINNED[name]) <= Version(NEWEST[name])


def test_the_tried_pythons_stand_in_pyproject():
    prefix = "Programming Language :: Python :: 3."
    minors = [int(text.removeprefix(prefix)) for text in PROJECT["classifiers"] if text.startswith(prefix)]
    assert PROJECT["requires-python"] == f">=3.{min(minors)}"
    assert minors == list(range(min(minors), max(minors) + 1))
    commands = {command for name in versions.NAMES for command in versions.PYTHONS[name]}
    assert commands == {f"python3.{minor}" for minor in minors}


def test_readme_gives_the_range_of_pyproject():
    text = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", text, re.M)
    shown = {name: tuple(numbers) for name, *numbers in rows}
    named = {SPELLED.get(name, name): (OLDEST[name], PINNED[name], NEWEST[name]) for name in ALLOWED}
    assert {name: shown[name] for name in named} == named
    first, _, last = shown["Python"]
    prefix = "Programming Language :: Python :: "
    tried = [name.removeprefix(prefix) for name in PROJECT["classifiers"] if name.startswith(f"{prefix}3.")]
    assert [first, last] == [tried[0], tried[-1]]


def test_no_stored_output_names_a_version(chapter):
    """Such an output could not be the same everywhere."""
    names = r"(?i)\b((numpy|scipy|matplotlib|scikit-learn|sacrebleu) \d+\.\d+\.\d|python 3\.\d|version:\d)"
    for cell in nbformat.read(chapter, 4).cells:
        assert not re.search(names, json.dumps(cell.get("outputs", []))), cell.id


# How a run is compared ----------------------------------------------------------------------------


def stored(printed: str = "p = 0.25\n", picture: str = "iVBORw0KGgo=\n", frame: str = "p = 0.25") -> str:
    shown = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture, "text/plain": "<Figure>"}}
    cell = v4.new_code_cell("1", id="small-01", execution_count=1, outputs=[
        nbformat.from_dict({"output_type": "stream", "name": "stdout", "text": printed}), nbformat.from_dict(shown),
    ])  # fmt: skip
    widgets = {run_notebooks.WIDGETS: {"state": {"a": {"model_name": "HTMLModel", "state": {"value": frame}}}}}
    return nbformat.writes(v4.new_notebook(cells=[cell], metadata={"widgets": widgets}))


def test_a_digit_and_a_widget_s_text_are_differences_and_pixels_are_not():
    assert versions.differences(stored(), stored(picture="iVBORw1KGgo=\n")) == []
    found = versions.differences(stored(), stored(printed="p = 0.26\n"))
    assert [line[:11] for line in found] == ["small-01: -", "small-01: +"] and "0.26" in found[1]
    found = versions.differences(stored(), stored(frame="p = 0.26"))
    assert len(found) == 2 and found[1].startswith("widgets: +") and "0.26" in found[1]
    html = '<img src="data:image/png;base64,AAAA" alt="two clouds">'
    assert versions.differences(stored(frame=html), stored(frame=html.replace("AAAA", "BBBB"))) == []
    assert versions.differences(stored(), stored().replace('"execution_count": 1', '"execution_count": 2')) != []


@pytest.mark.parametrize("fault, said", [
    ("1 / 0", "ZeroDivisionError"),
    ("warnings.warn_explicit('old', DeprecationWarning, 'x.py', 1, 'sigbook.clouds')", "DeprecationWarning: old"),
    ("warnings.warn_explicit('new', FutureWarning, 'x.py', 1, 'sigbook.clouds')", "FutureWarning: new"),
])  # fmt: skip
def test_another_python_runs_the_cells_and_a_failure_or_a_deprecation_is_a_difference(tmp_path, monkeypatch, fault, said):
    path = tmp_path / "small.ipynb"
    source = f"import sys, warnings\nprint(sys.executable)\n{fault}"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell(source)]), path)
    other = tmp_path / "python"
    other.symlink_to(sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path.endswith("site-packages")))
    monkeypatch.setattr(versions, "python", lambda name: other)
    (line,), _ = versions.check("oldest", path)
    line = re.sub(r"\x1b\[\d+m", "", line)  # colours
    assert line.startswith("a cell failed") and said in line and str(other) in line


def test_no_interpreter_no_environment(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(versions, "ROOT", tmp_path)
    monkeypatch.setenv("PYTHON_OLDEST", str(tmp_path / "nowhere"))
    assert versions.main(["set-up", "oldest"]) == 0
    assert versions.main(["oldest"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2 and set(said) == {versions.missing("oldest")}
    assert "make versions" in said[0] and "python3.11" in said[0]
    assert list(tmp_path.iterdir()) == []


# The environments ---------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=versions.NAMES)
def name(request) -> str:
    if not versions.ready(request.param):
        pytest.skip(versions.missing(request.param))
    return request.param


def run_there(name: str, *arguments, **environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [versions.python(name), *arguments], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, **run_notebooks.ONE_THREAD, "SIGBOOK_PROGRESS": "", **environment},
    )  # fmt: skip


@pytest.mark.long
def test_the_environment_holds_the_versions_of_its_list_and_this_package(name):
    told = versions.found(name)
    assert pathlib.Path(told.pop("sigbook")).parent == ROOT / "sigbook"
    python = told.pop("python").rpartition(".")[0]
    assert f"python{python}" in versions.PYTHONS[name]
    assert told == versions.pins(versions.PINS / f"{name}.txt"), f"remove .venv-{name} and run make versions"
    assert run_there(name, "-m", "pip", "check").returncode == 0


@pytest.mark.long
def test_every_chapter_prints_there_what_is_stored(name, record_property):
    paths = run_notebooks.chapters()
    results = versions.check_all(name, paths)
    assert {path.stem: lines for path, (lines, _) in results.items() if lines} == {}
    cells = sum(versions.code_cells(path) for path in paths)
    record_property("versions", f"{versions.title(name)}: the text of {cells} cells of {len(paths)} notebooks is the stored one")


@pytest.mark.long
def test_the_package_s_own_tests_pass_there(name, record_property):
    """Warnings are errors there too."""
    run = run_there(name, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-m", "not long", *CORE)
    assert run.returncode == 0, run.stdout[-4000:]
    record_property("versions", f"{name}: {run.stdout.splitlines()[-1]}")


ALONE = """
import importlib, importlib.metadata as metadata, pkgutil, sys, warnings
from packaging.requirements import Requirement

def needs(name, seen):
    if name not in seen:
        seen.add(name)
        for needed in map(Requirement, metadata.requires(name) or []):
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                needs(needed.name.lower().replace("_", "-"), seen)
    return seen

class Absent:
    def __init__(self):
        declared = needs("sigbook", set())
        owners = metadata.packages_distributions()
        self.names = {module for module, found in owners.items()
                      if not {name.lower().replace("_", "-") for name in found} & declared}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

absent = Absent()
assert {"sacrebleu", "sklearn", "ipywidgets", "pandas", "nbclient"} <= absent.names
assert not {"sigbook", "numpy", "scipy", "matplotlib"} & absent.names
sys.meta_path.insert(0, absent)
warnings.simplefilter("error")

import numpy as np
import sigbook as sb

for module in pkgutil.walk_packages(sb.__path__, "sigbook."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
rng = np.random.default_rng(1)
a, b = rng.normal(0.1, 1, size=200), rng.normal(size=200)
report = sb.compare(a, b, draws=500)
print(report)
report.picture().savefig(sys.argv[1])
for call in (lambda: sb.compare(["a b"], ["a c"], references=["a b"]), lambda: sb.bleu_statistics(["a b"], ["a b"])):
    try:
        call()
    except ValueError as error:
        print(error)
"""


@pytest.mark.long
def test_the_declared_dependencies_are_enough_and_texts_without_sacrebleu_are_refused_in_words(name, tmp_path):
    run = run_there(name, "-c", ALONE, tmp_path / "clouds.png")
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "clouds.png").stat().st_size > 1_000
    *_, first, second = run.stdout.splitlines()
    assert "sacreBLEU, which is not installed: pip install 'sigbook[text]'" in first
    assert "sacreBLEU, which is not installed: pip install 'sigbook[text]'" in second
