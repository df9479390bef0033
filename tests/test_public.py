"""The public names: there, documented, called as the book calls them, and without side effects."""

from __future__ import annotations

import ast
import inspect
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from strategies import quietly

import sigbook as sb

ROOT = pathlib.Path(sb.__file__).resolve().parent
EMPTY = inspect.Parameter.empty
# compare and Report: tests/test_compare.py; check and hint: tests/test_exercise_checks.py
ELSEWHERE = ("Report", "SignificanceWarning", "check", "compare", "hint")
CLOUD_SIDE = {"cloud": EMPTY, "alternative": "greater"}
SIGNATURES = {
    "PairedSet": {"a": EMPTY, "b": EMPTY, "metric": "bleu", "clusters": None, "names": ("A", "B")},
    "Cloud": {"gaps": EMPTY, "observed": EMPTY, "kind": EMPTY, "enumerated": False,
              "score_scale": 0.0, "invalid": 0},
    "bleu_statistics": {"hypotheses": EMPTY, "references": EMPTY, "tokenize": "13a"},
    "bootstrap": {"pairs": EMPTY, "draws": 10_000, "seed": 0, "order": "fast"},
    "randomize": {"pairs": EMPTY, "draws": 10_000, "seed": 0, "order": "fast"},
    "p_randomization": {"cloud": EMPTY, "alternative": "two-sided"},
    "p_koehn": CLOUD_SIDE,
    "p_recentered": CLOUD_SIDE,
    "p_shifted": {"cloud": EMPTY},
    "p_sacrebleu": {"cloud": EMPTY},
    "percentile_interval": {"cloud": EMPTY, "level": 0.95},
    "basic_interval": {"cloud": EMPTY, "level": 0.95},
    "influence": {"pairs": EMPTY},
    "delta_sd": {"pairs": EMPTY},
    "mcnemar": {"n10": EMPTY, "n01": EMPTY, "method": "exact"},
    "mcnemar_power": {"n": EMPTY, "p10": EMPTY, "p01": EMPTY, "alpha": 0.05},
    "mcnemar_sample_size": {"p10": EMPTY, "p01": EMPTY, "power": 0.8, "alpha": 0.05,
                            "method": "connor"},
    "icc": {"x": EMPTY, "clusters": EMPTY},
    "design_effect": {"x": EMPTY, "clusters": EMPTY},
    "cluster_sd": {"x": EMPTY, "clusters": EMPTY},
    "holm": {"p": EMPTY},
    "benjamini_hochberg": {"p": EMPTY},
    "tost": {"low": EMPTY, "high": EMPTY, "differences": EMPTY, "alpha": 0.05},
    "eer": {"labels": EMPTY, "scores": EMPTY, "weights": None},
    "bootstrap_eer": {"labels": EMPTY, "scores_a": EMPTY, "scores_b": EMPTY, "groups": EMPTY,
                      "kind": "pooled", "draws": 10_000, "seed": 0},
    "crossed_bootstrap": {"stats_a": EMPTY, "stats_b": EMPTY, "metric": EMPTY, "paired_runs": False,
                          "draws": 10_000, "seed": 0},
}  # fmt: skip


def examples():
    """A call of each public name with every argument by position, in the order of its signature."""
    rng = np.random.default_rng(0)
    a, b, runs = rng.normal(size=12), rng.normal(size=12), rng.normal(size=(3, 20))
    labels, groups = np.arange(12) % 2, np.arange(12) // 3
    pairs = sb.PairedSet(a, b, "mean", groups)
    free = sb.PairedSet(a, b, "mean")
    bootstrap, swaps = sb.bootstrap(free, 200), sb.randomize(free, 200)
    text = ["a b c d e", "f g h i"]
    return {
        "PairedSet": (a, b, "mean", groups, ("first", "second")),
        "Cloud": (a, 0.5, "bootstrap", False, 1.0, 0),
        "bleu_statistics": (text, [list(text), text[::-1]], "none"),
        "bootstrap": (free, 100, 1, "sacrebleu"),
        "randomize": (pairs, "all", 1, "fast"),
        "p_randomization": (swaps, "less"),
        "p_koehn": (bootstrap, "less"),
        "p_recentered": (bootstrap, "less"),
        "p_shifted": (bootstrap,),
        "p_sacrebleu": (bootstrap,),
        "percentile_interval": (bootstrap, 0.9),
        "basic_interval": (bootstrap, 0.9),
        "influence": (pairs,),
        "delta_sd": (pairs,),
        "mcnemar": (7, 1, "midp"),
        "mcnemar_power": (100, 0.3, 0.15, 0.01),
        "mcnemar_sample_size": (0.3, 0.15, 0.9, 0.01, "exact"),
        "icc": (a, groups),
        "design_effect": (a, groups),
        "cluster_sd": (a, groups),
        "holm": (np.array([0.03, 0.01, 0.5]),),
        "benjamini_hochberg": (np.array([0.03, 0.01, 0.5]),),
        "tost": (-1.0, 1.0, a, 0.1),
        "eer": (labels, a, groups + 1.0),
        "bootstrap_eer": (labels, a, b, groups, "macro", 100, 1),
        "crossed_bootstrap": (runs, runs + 1, "mean", True, 100, 1),
    }


def test_every_public_name_is_listed_and_nothing_else():
    assert set(sb.__all__) == {*SIGNATURES, *ELSEWHERE}
    assert list(sb.__all__) == sorted(sb.__all__)
    assert issubclass(sb.SignificanceWarning, UserWarning)
    assert set(examples()) == set(SIGNATURES)


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_name_has_its_signature(name):
    parameters = inspect.signature(getattr(sb, name)).parameters
    found = {key: parameter.default for key, parameter in parameters.items()}
    assert list(found.items()) == list(SIGNATURES[name].items())
    kinds = {parameter.kind for parameter in parameters.values()}
    assert kinds == {inspect.Parameter.POSITIONAL_OR_KEYWORD}


@pytest.mark.parametrize("name", SIGNATURES)
def test_arguments_work_by_position_and_by_name(name):
    arguments = examples()[name]
    assert len(arguments) == len(SIGNATURES[name])
    by_position = quietly(getattr(sb, name), *arguments)
    by_name = quietly(getattr(sb, name), **dict(zip(SIGNATURES[name], arguments)))
    assert np.array_equal(shown(by_position), shown(by_name))


def shown(result):
    return result.gaps if isinstance(result, sb.Cloud) else result if isinstance(result, np.ndarray) else repr(result)


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_docstring_says_what_is_raised(name):
    text = inspect.getdoc(getattr(sb, name))
    assert text and "ValueError" in text
    unexplained = [key for key in SIGNATURES[name] if key not in text and key not in ("pairs", "cloud")]
    assert not unexplained


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_global_random_state_is_left_alone(name):
    before = np.random.get_state()
    quietly(getattr(sb, name), *examples()[name])
    after = np.random.get_state()
    assert np.array_equal(before[1], after[1]) and before[2:] == after[2:]


def arrays(x):
    """Every array within an argument."""
    if isinstance(x, np.ndarray):
        return [x]
    if isinstance(x, sb.Cloud | sb.PairedSet):
        return [value for value in vars(x).values() if isinstance(value, np.ndarray)]
    return [np.array(x)] if isinstance(x, list | tuple | str) else []


@pytest.mark.parametrize("name", SIGNATURES)
def test_inputs_are_left_alone_and_may_be_read_only(name):
    arguments = examples()[name]
    before = [array.copy() for x in arguments for array in arrays(x)]
    for x in arguments:
        if isinstance(x, np.ndarray):
            x.flags.writeable = False
    quietly(getattr(sb, name), *arguments)
    after = [array for x in arguments for array in arrays(x)]
    assert len(before) == len(after)
    for old, new in zip(before, after):
        assert np.array_equal(old, new)


@pytest.mark.parametrize("name", ["PairedSet", "Cloud"])
def test_results_do_not_share_memory_with_inputs(name):
    arguments = examples()[name]
    made = getattr(sb, name)(*arguments)
    for given in arguments:
        for kept in vars(made).values():
            if isinstance(given, np.ndarray) and isinstance(kept, np.ndarray):
                assert not np.shares_memory(given, kept)


def test_numbers_come_back_as_plain_python_numbers():
    calls = examples()
    for name in ("p_randomization", "p_koehn", "p_recentered", "p_shifted", "p_sacrebleu", "delta_sd", "mcnemar",
                 "mcnemar_power", "icc", "design_effect", "cluster_sd", "eer"):  # fmt: skip
        assert type(quietly(getattr(sb, name), *calls[name])) is float
    for name in ("percentile_interval", "basic_interval"):
        assert [type(x) for x in getattr(sb, name)(*calls[name])] == [float, float]
    assert type(sb.mcnemar_sample_size(0.3, 0.15)) is int


# What an import costs, and which module knows which ---------------------------------------------


def test_importing_the_package_loads_numpy_and_the_standard_library_only():
    code = "import sys, numpy; old = set(sys.modules); import sigbook; print(*(set(sys.modules) - old))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    loaded = {name.partition(".")[0] for name in run.stdout.split()}
    assert "sigbook" in loaded
    assert loaded - {"sigbook", "numpy"} <= sys.stdlib_module_names


@pytest.mark.parametrize("module", [path.stem for path in sorted(ROOT.glob("*.py")) if path.stem != "__init__"])
def test_importing_any_module_of_the_package_loads_no_more(module):
    heavy = "scipy matplotlib ipywidgets sklearn sacrebleu IPython".split()
    code = f"import sys, sigbook.{module}; print(*(set(sys.modules) & set({heavy})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert run.stdout.split() == []


# Each module may import those of lower floors only; what is not named here lies between.
FLOORS = [
    ["_checks"],
    ["metrics", "multiplicity", "equivalence", "clusters", "mcnemar"],
    ["pairs", "data"],
    ["clouds"],
    ["rules", "linear", "runs", "eer"],
    ["worlds"],
]
FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}
BETWEEN, TOP = len(FLOORS), len(FLOORS) + 1
THIRD_PARTY = {
    "matplotlib": ("figures", "chapters"), "ipywidgets": ("widgets", "chapters"),
    "IPython": ("figures", "widgets", "chapters"),
}  # fmt: skip


def imported(path):
    """(name, inside a function) of every module that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree) if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports are written in full"
            if node.module in ("sigbook", "sigbook.worlds", "sigbook.chapters"):
                yield from ((f"{node.module}.{alias.name}", id(node) in inside) for alias in node.names)
            else:
                yield node.module, id(node) in inside


def room(name):
    return name.split(".")[1] if "." in name else ""


def floor(name):
    return TOP if name == "chapters" else FLOOR.get(name, BETWEEN)


MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_downward_only(path):
    own = path.relative_to(ROOT).with_suffix("").parts[0]
    for name, inside in imported(path):
        package = name.partition(".")[0]
        if package == "sigbook":
            other = room(name)
            same_room = other == own and own in ("worlds", "chapters") or floor(own) == floor(other) == BETWEEN
            assert floor(other) < floor(own) or same_room, f"{own} imports {name}"
        elif package in THIRD_PARTY:
            assert own in THIRD_PARTY[package], f"{own} imports {name}"
        elif package not in sys.stdlib_module_names | {"numpy"}:
            asked_for = own == "exercises" and path.parent.name != own  # loaded when its check is
            assert inside or asked_for, f"{own} imports {name} before it is needed"


def test_the_package_itself_imports_from_every_room_it_offers():
    names = {room(name) for name, _ in imported(ROOT / "__init__.py")}
    assert names == set(FLOOR) - {"data", "worlds"} | {"compare", "exercises", "report"}


def test_functions_named_like_their_module_are_what_the_package_offers():
    code = "import sigbook as sb, sigbook.mcnemar, sigbook.eer; print(sb.mcnemar(1, 7), sb.eer([0, 1], [0, 1]))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert run.stdout.split() == ["0.0703125", "0.0"]
