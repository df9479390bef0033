"""The engine in 32-bit Python, as a reader's browser runs it, gives the numbers of this machine."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import sigbook as sb

CODE = """
import json, warnings
import numpy as np
import sigbook as sb
from sigbook.clouds import bootstrap_stack, randomize_stack

warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
a, b = rng.integers(0, 5, size=(2, 60), dtype=np.int64)
x, y = rng.normal(size=(2, 60))
groups = np.repeat(np.arange(20), 3)
found = {"bits": np.intp(0).itemsize * 8}
for name, first, second in (("whole", a, b), ("real", x, y)):
    for clusters in (None, groups):
        pairs = sb.PairedSet(first, second, "mean", clusters)
        orders = ["fast"] if clusters is not None else ["fast", "sacrebleu"]
        for order in orders:
            cloud, swaps = sb.bootstrap(pairs, 500, 3, order), sb.randomize(pairs, 500, 3, order)
            found[f"{name} {clusters is None} {order}"] = [
                sb.p_koehn(cloud), sb.p_recentered(cloud), sb.p_shifted(cloud), sb.p_sacrebleu(cloud),
                *sb.percentile_interval(cloud), *sb.basic_interval(cloud, 0.9),
                sb.p_randomization(swaps), cloud.sd, sb.delta_sd(pairs),
            ]
    few = sb.PairedSet(first[:12], second[:12], "mean")
    found[name + " enumerated"] = sb.p_randomization(sb.randomize(few, "all"))
    stacks = [first.reshape(6, 10), second.reshape(6, 10), "mean", 200, 4]
    found[name + " stacked"] = [
        sb.p_koehn(bootstrap_stack(*stacks)).tolist(),
        sb.p_randomization(randomize_stack(*stacks)).tolist(),
    ]
found["clusters"] = [sb.icc(x, groups), sb.design_effect(x, groups), sb.cluster_sd(x, groups)]
detectors = sb.bootstrap_eer(np.arange(60) % 2, x, y, groups, "pooled", 200, 5)
found["eer"] = sb.percentile_interval(detectors)
runs = x.reshape(3, 20), y.reshape(3, 20)
found["runs"] = sb.crossed_bootstrap(*runs, "mean", False, 200, 6).sd
report = sb.compare(x, y, a, documents=groups, draws=300, at_gap=0.5)
views = [view for pair in report.pairs for view in (pair.view, pair.by_segment)]
found["compare"] = [x for view in views for x in (view.p, view.sd, *view.percentile, *view.basic)]
found["compare"] += [x for pair in report.pairs for x in (pair.p_holm, pair.effect_size, pair.power)]
big = np.array([2**40, 2**40 + 1, 2**40 + 2], dtype=np.int64)
found["large"] = sb.p_randomization(sb.randomize(sb.PairedSet(big, big[::-1], "mean"), "all"))
print(json.dumps(found))
"""


@pytest.mark.long
def test_32_bit_python_gives_the_numbers_of_this_machine():
    runtime = os.environ.get("SIGBOOK_PYODIDE")
    if not runtime:
        pytest.skip("SIGBOOK_PYODIDE names no folder with a Pyodide runtime")
    node = pathlib.Path(sys.executable).with_name("node")
    node = str(node) if node.exists() else shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    script = pathlib.Path(__file__).with_name("pyodide.mjs")
    package = pathlib.Path(sb.__file__).parent
    run = subprocess.run(
        [node, script, runtime, package, CODE], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    there = json.loads(run.stdout.splitlines()[-1])
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(CODE, {})
    here = json.loads(here.getvalue())
    assert there.pop("bits") == 32 and here.pop("bits") == 64
    assert there.keys() == here.keys()
    for name in here:
        assert rounded(here[name]) == rounded(there[name]), name


def rounded(x):
    return [rounded(y) for y in x] if isinstance(x, list) else float(f"{x:.9g}")
