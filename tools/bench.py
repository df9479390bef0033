"""How fast the engine is beside sacreBLEU and SciPy, and whether the book meets its targets.

    python tools/bench.py            everything, about five minutes
    python tools/bench.py --quick    without the chapters, their widgets and a million scores
    python tools/bench.py --live     the live pages and nothing else, about ten minutes; these are wall
                                     clock times in Chromium and want a quiet machine, `make book` and
                                     SIGBOOK_PYODIDE set before it

Times are CPU times of this process, one BLAS thread, medians of five after a warm-up; the engine and
its peers take turns in one run, so the ratios hold where the milliseconds do not. The process starts
itself again with the threads set before NumPy loads and with NumPy free to choose its best kernels.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import pathlib
import statistics
import subprocess
import sys
import time
import tracemalloc
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
OVERRIDES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
SEGMENTS, DRAWS, REPEATS, SEED = 2_000, 10_000, 5, 12345
MANY_SEGMENTS, MANY_SCORES = 100_000, 1_000_000
SYSTEMS = 16
MOVES = 60  # of each widget's controls
LIVE_MOVES, ANIMATION = 20, 500  # in the browser; milliseconds in which a widget takes no second click


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Times of the engine beside its peers.")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--live", action="store_true", help="only the live pages, in Chromium")
    parser.add_argument("--memory", help=argparse.SUPPRESS)  # what `memories` starts
    options = parser.parse_args(arguments)
    environment = {name: value for name, value in os.environ.items() if name not in OVERRIDES}
    environment |= dict.fromkeys(THREADS, "1")
    if environment != dict(os.environ):
        return subprocess.run([sys.executable, __file__, *arguments], env=environment).returncode
    sys.path.insert(0, str(ROOT))
    warnings.simplefilter("ignore")
    if options.memory:
        print_memory(options.memory)
        return 0
    print_versions()
    missed = []
    parts = [speeds, comparison_times, memories, import_time]
    if not options.quick:
        parts += [comparison_memory, widget_times, chapter_times]
    if options.live:
        parts = [live_times]
    for part in parts:
        print(f"\n{part.__doc__.strip()}")
        for name, measured, target, met in part():
            verdict = "" if target is None else "met" if met else "MISSED"
            print(f"  {name:<46}{measured:<40}{target or '':<21}{verdict}", flush=True)
            if verdict == "MISSED":
                missed.append(name)
    print(f"\n{len(missed)} targets missed: {', '.join(missed)}" if missed else "\nall targets met")
    return 0


def print_versions() -> None:
    import numpy
    import sacrebleu
    import scipy
    from threadpoolctl import threadpool_info

    kernels = {pool.get("architecture") for pool in threadpool_info()} - {None}
    print(
        f"Python {sys.version.split()[0]}, NumPy {numpy.__version__}, SciPy {scipy.__version__}, "
        f"sacreBLEU {sacrebleu.__version__}; BLAS kernels {', '.join(sorted(kernels)) or 'unknown'}"
    )


# Speed -----------------------------------------------------------------------------------------


def medians(*jobs) -> list[float]:
    """Median CPU milliseconds of each job; they take turns, after one warm-up each."""
    times = [[] for _ in jobs]
    for turn in range(REPEATS + 1):
        for job, taken in zip(jobs, times):
            start = time.process_time()
            job()
            if turn:
                taken.append(1e3 * (time.process_time() - start))
    return [statistics.median(taken) for taken in times]


def speeds():
    """Speed: 2,000 segments, 10,000 draws (CPU ms, ours and theirs, theirs / ours)"""
    import numpy as np

    import sigbook as sb

    a, b = translations(SEGMENTS)
    pairs = sb.PairedSet(a, b, "bleu")
    swaps, resamples = sacrebleu_tests(a, b)
    agree(sb.p_randomization(sb.randomize(pairs, DRAWS, SEED)), swaps())
    yield beside("randomization, BLEU: sacreBLEU", 50, lambda: sb.randomize(pairs, DRAWS), swaps)
    agree(sb.p_sacrebleu(sb.bootstrap(pairs, DRAWS, SEED)), resamples())
    yield beside("bootstrap, BLEU: sacreBLEU", 12, lambda: sb.bootstrap(pairs, DRAWS), resamples)

    rng = np.random.default_rng(SEED)
    x, y = rng.normal(0.05, 1, size=SEGMENTS), rng.normal(size=SEGMENTS)
    means = sb.PairedSet(x, y, "mean")
    by_default, at_best = scipy_test(x, y, None), scipy_test(x, y, 2_000)
    agree(sb.p_randomization(sb.randomize(means, DRAWS, SEED)), by_default())
    ours = lambda: sb.randomize(means, DRAWS)  # noqa: E731
    yield beside("randomization, mean: SciPy as it comes", 70, ours, by_default)
    yield beside("randomization, mean: SciPy, batches of 2,000", None, ours, at_best)


def beside(name, target, ours, theirs):
    fast, slow = medians(ours, theirs)
    wanted = None if target is None else f"at least {target}x"
    measured = f"{fast:8.1f} {slow:8.1f} {slow / fast:8.1f}x"
    return name, measured, wanted, target is None or slow / fast >= target


def agree(ours: float, theirs: float) -> None:
    """A fast wrong answer is no answer: the p-values agree within five standard errors."""
    spread = 5 * (max(ours * (1 - ours), 1e-4) * 2 / DRAWS) ** 0.5
    if abs(ours - theirs) > spread:
        raise SystemExit(f"the p-values disagree: ours {ours:.4f}, theirs {theirs:.4f}")


def translations(segments: int):
    """BLEU statistics of two systems of WMT17, repeated to the wanted number of segments."""
    import numpy as np

    from sigbook import data

    systems = data.wmt17()
    return (
        np.resize(systems[name], (segments, systems[name].shape[1]))
        for name in ("LIUM-NMT.4900", "online-B.0")
    )


def sacrebleu_tests(a, b):
    """sacreBLEU's paired randomization and bootstrap on given statistics, as functions giving p."""
    from sacrebleu import significance
    from sacrebleu.metrics import BLEU

    class Given(BLEU):
        """BLEU whose statistics are at hand, so that no text is processed."""

        def _extract_corpus_statistics(self, hypotheses, references):
            return b

    metric = Given()
    baseline = {"BLEU": (a, metric._aggregate_and_compute(a))}

    def run(test):
        _, found = test(
            baseline, "B", range(len(b)), None, {"BLEU": metric}, n_samples=DRAWS, seed=SEED
        )
        return found["BLEU"].p_value

    return (
        lambda: run(significance._paired_ar_test),
        lambda: run(significance._paired_bs_test),
    )


def scipy_test(x, y, batch):
    """SciPy's paired permutation test of the difference of means, as a function giving p."""
    from scipy.stats import permutation_test

    def gap(x, y, axis):
        return x.mean(axis=axis) - y.mean(axis=axis)

    return lambda: permutation_test(
        (x, y), gap, permutation_type="samples", vectorized=True, n_resamples=DRAWS, batch=batch
    ).pvalue


def comparison_times():
    """compare: 16 systems, 3,004 segments, 10,000 draws, both resamplings (wall clock, one BLAS thread)"""
    import sigbook as sb

    systems = leaderboard()
    for name, against, target in (("all against one", "first", 5), ("all 120 pairs", None, None)):
        start = time.perf_counter()
        report = sb.compare(*systems, metric="bleu-exp", against=against, draws=DRAWS)
        seconds = time.perf_counter() - start
        assert len(report.pairs) == (SYSTEMS - 1 if against else SYSTEMS * (SYSTEMS - 1) // 2)
        wanted = None if target is None else f"less than {target} s"
        yield f"compare, {name}", f"{seconds:8.2f} s", wanted, target is None or seconds < target


def leaderboard():
    """BLEU statistics of 16 systems: those of WMT17 and mixtures of two of them, segment by segment."""
    import numpy as np

    from sigbook import data

    real, rng = list(data.wmt17().values()), np.random.default_rng(SEED)
    mixed = []
    for k in range(SYSTEMS):
        swap = rng.random((len(real[0]), 1)) < 0.1 * (k // len(real))
        mixed.append(np.where(swap, real[(k + 1) % len(real)], real[k % len(real)]))
    return mixed


# Memory and import -----------------------------------------------------------------------------


def memories():
    """Extra peak memory: BLEU, 100,000 segments, 10,000 draws (a fresh process each)"""
    for name in ("randomize", "bootstrap"):
        yield memory(name, 32)


def comparison_memory():
    """Extra peak memory: compare, 1,000,000 real scores of each system, 10,000 draws (a fresh process)"""
    yield memory("compare", 200)


def memory(name: str, most: int):
    """The line on one function's extra memory, measured in a fresh process."""
    run = subprocess.run(
        [sys.executable, __file__, "--memory", name], capture_output=True, text=True, check=True
    )
    how, extra = run.stdout.split()
    return name, f"{float(extra):8.1f} MB ({how})", f"at most {most} MB", float(extra) <= most


def print_memory(name: str) -> None:
    """Peak memory beyond that in use before: resident where Linux tells, else NumPy's allocations."""
    job = memory_job(name)
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5")  # sets the peak to what is in use
    except OSError:
        tracemalloc.start()
        job()
        print("allocated", tracemalloc.get_traced_memory()[1] / 2**20)
        return
    before = resident("VmRSS")
    job()
    print("resident", resident("VmHWM") - before)


def memory_job(name: str):
    """What is measured, as a function without arguments; its data are made before."""
    import numpy as np

    import sigbook as sb

    if name == "compare":
        rng = np.random.default_rng(SEED)
        a = rng.normal(size=MANY_SCORES)
        b = a + rng.normal(0.001, 0.2, size=MANY_SCORES)
        return lambda: sb.compare(a, b, draws=DRAWS)
    pairs = sb.PairedSet(*translations(MANY_SEGMENTS), "bleu")
    return lambda: getattr(sb, name)(pairs, DRAWS)


def resident(field: str) -> float:
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":"))


def import_time():
    """Import: CPU seconds beyond NumPy, median of five fresh processes"""
    code = "import numpy, time; t = time.process_time(); import sigbook; print(time.process_time() - t)"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for _ in range(REPEATS)
    ]
    seconds = statistics.median(float(run.stdout) for run in runs)
    yield "import sigbook", f"{seconds:8.3f} s", "at most 0.3 s", seconds <= 0.3


# Chapters --------------------------------------------------------------------------------------


def chapters() -> list[pathlib.Path]:
    return sorted((ROOT / "book").glob("*.ipynb"))


def widget_times():
    """Widgets: 95th percentile of one move of a control (CPU ms)"""
    import numpy as np

    rng = np.random.default_rng(SEED)
    for path in chapters():
        module = importlib.import_module(f"sigbook.chapters.{path.stem}")
        for name, lab in labs(module):
            controls, _ = lab().children
            times = [move(rng.choice(controls.children), rng) for _ in range(MOVES)]
            median, late = np.quantile(times, [0.5, 0.95])
            yield (
                f"{path.stem}: {name}",
                f"{late:8.1f} ms (median {median:.1f})",
                "at most 150 ms",
                late <= 150,
            )


def labs(module):
    """(name, function) of each widget: a function without arguments called lab or ..._lab."""
    for name, found in list(vars(module).items()):
        if (name == "lab" or name.endswith("_lab")) and not inspect.signature(found).parameters:
            yield name, found


def move(control, rng) -> float:
    """CPU milliseconds that a control's callback takes when moved to another value, at random."""
    import numpy as np

    if hasattr(control, "options"):
        options = [option[1] if isinstance(option, tuple) else option for option in control.options]
        others = [option for option in options if option != control.value]
        value = others[int(rng.integers(len(others)))]
    else:
        steps = int(round((control.max - control.min) / control.step))
        places = [control.min + k * control.step for k in range(steps + 1)]
        others = [place for place in places if not np.isclose(place, control.value)]
        value = others[int(rng.integers(len(others)))]
    start = time.process_time()
    control.value = value
    return 1e3 * (time.process_time() - start)


def chapter_times():
    """Chapters: seconds from a fresh kernel to the last output (wall clock)"""
    import run_notebooks

    total = 0.0
    for path in chapters():
        seconds = run_notebooks.run(path).seconds
        total += seconds
        yield path.stem, f"{seconds:8.1f} s", None, True
    yield "all chapters", f"{total:8.1f} s", "at most 180 s", total <= 180


# Live pages ------------------------------------------------------------------------------------


def live_times():
    """Live pages: click to first picture, megabytes fetched, one step of a control (wall clock, Chromium)"""
    import threading

    import chromium
    import serve

    site = ROOT / "_build" / "html"
    if not (site / "live" / "pyodide").is_dir():
        sys.exit("no local Python in the site: set SIGBOOK_PYODIDE, run `make book`")
    httpd = serve.server(str(site))
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    with chromium.browser() as browser:
        if browser is None:
            sys.exit(chromium.MISSING)
        for path in chapters():
            yield live_line(browser, f"http://127.0.0.1:{httpd.server_port}/book/{path.stem}.html")
    httpd.shutdown()


def live_line(browser, address: str):
    """The line on one live page, opened in a fresh profile: nothing is cached."""
    import numpy as np

    import drive_live

    page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
    live = drive_live.press(page, address)
    if live.state != "live":
        sys.exit(f"{address}: {live.said}")
    controls = page.locator(drive_live.CONTROLS).count()
    times = []
    for turn in range(LIVE_MOVES):
        page.wait_for_timeout(ANIMATION)
        times.append(drive_live.move(page, turn % controls))
    page.context.close()
    median, late = np.quantile(times, [0.5, 0.95])
    name = f"{address.rpartition('/')[2].removesuffix('.html')}, all cells {live.ended[-1]:.0f} s"
    measured = f"{live.first_plot:5.1f} s {live.megabytes:5.1f} MB {median:5.0f} ms (p95 {late:.0f})"
    met = live.first_plot <= 12 and live.megabytes <= 65 and bool(median <= 250)
    return f"{name}, slowest {max(live.seconds):.1f}", measured, "12 s, 65 MB, 250 ms", met


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
