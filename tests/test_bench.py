"""The bench measures what it says: the peers' real tests, every chapter's widget, moves that move."""

from __future__ import annotations

import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import bench

ROOT = pathlib.Path(__file__).resolve().parent.parent

def test_the_peer_is_sacrebleus_own_test():
    swaps, _ = bench.sacrebleu_tests(*bench.translations(3_004))
    assert swaps() == pytest.approx(0.8066193, abs=5e-8)


def test_the_peer_from_scipy_and_the_engine_agree_on_a_mean():
    import sigbook as sb

    rng = np.random.default_rng(0)
    x, y = rng.normal(0.2, 1, size=60), rng.normal(size=60)
    ours = sb.p_randomization(sb.randomize(sb.PairedSet(x, y, "mean")))
    bench.agree(ours, bench.scipy_test(x, y, 1_000)())


def test_p_values_apart_stop_the_bench():
    bench.agree(0.30, 0.31)
    with pytest.raises(SystemExit, match="the p-values disagree: ours 0.3000, theirs 0.4000"):
        bench.agree(0.30, 0.40)


def test_every_chapter_has_a_widget_that_the_bench_finds():
    for path in bench.chapters():
        module = importlib.import_module(f"sigbook.chapters.{path.stem}")
        assert list(bench.labs(module)), path.stem


def test_a_move_changes_one_control_and_runs_its_callback():
    from sigbook import widgets

    seen = []
    controls = {
        "size": widgets.steps("size", [10, 20, 30], 10),
        "pair": widgets.choice("pair", [("one", 1), ("two", 2)], 1),
        "seed": widgets.whole("seed", 0, 5, 0),
        "share": widgets.real("share", 0.0, 1.0, 0.5, 0.1),
    }
    widgets.experiment(lambda **values: seen.append(values) or "", controls)
    rng = np.random.default_rng(0)
    for name in list(controls) * 5:
        before = seen[-1]
        assert bench.move(controls[name], rng) >= 0
        assert [key for key in before if before[key] != seen[-1][key]] == [name]


def test_a_job_that_needs_memory_is_seen_to_need_it():
    """In a fresh process, as the bench measures: one that has freed memory before would reuse it."""
    code = (
        "import sys; sys.path.insert(0, 'tools'); import bench, numpy as np, sigbook as sb; held = []; "
        "bench.MANY_SEGMENTS = 100; sb.randomize = lambda *_: held.append(np.ones(5 * 2**20)); "
        "bench.print_memory('randomize')"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    how, extra = run.stdout.split()
    assert how in ("resident", "allocated") and float(extra) == pytest.approx(40, abs=6)

def test_the_comparisons_that_are_timed_are_of_16_different_systems():
    systems = bench.leaderboard()
    assert len(systems) == 16 and {x.shape for x in systems} == {(3004, 10)}
    assert all(not np.array_equal(x, y) for k, x in enumerate(systems) for y in systems[:k])


def test_memory_is_measured_of_a_million_scores(monkeypatch):
    seen = []
    monkeypatch.setattr("sigbook.compare", lambda a, b, **options: seen.append((len(a), len(b), options)))
    bench.memory_job("compare")()
    assert seen == [(1_000_000, 1_000_000, {"draws": 10_000})]
