"""The shell command: what it prints, its exit status, its one line for bad input, its manners."""

from __future__ import annotations

import io
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sigbook as sb
from sigbook import __main__ as command
from sigbook import exercises

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = ["--references", "ref.txt", "--draws", "60"]
PAIR = ["compare", "a.txt", "b.txt", *TEXTS]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A function that runs the command in a folder of small files: (status, output, complaints)."""
    monkeypatch.chdir(tmp_path)
    reference = ["the cat sat on the mat .", "it is 3.5 % more", "", "größer als 猫", "a dog and a cat"] * 6
    files = {
        "a.txt": [line.replace("cat", "dog") for line in reference],
        "b.txt": [" ".join(line.split()[:4]) for line in reference],
        "c.txt": [line.replace("the", "a") for line in reference],
        "ref.txt": reference,
        "ref2.txt": [line.replace("sat", "is") for line in reference],
        "docs.txt": [f"talk {k // 5}" for k in range(30)],
        "t.csv": ["x,y,talk,note", *(f"{k % 3},{k % 2},d{k // 10},n{k}" for k in range(30))],
        "short.txt": reference[:7],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "binary.txt").write_bytes(b"a\n\x00\x01\xff\n")
    (tmp_path / "latin.txt").write_bytes("a\nü\n".encode("latin-1"))
    (tmp_path / "folder").mkdir()

    def call(*arguments):
        status = command.main(list(map(str, arguments)))
        seen = capsys.readouterr()
        return status, seen.out, seen.err

    return call


def shell(*arguments, cwd, **options):
    """The command as a shell runs it, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "sigbook", *arguments], cwd=cwd, capture_output=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, **options,
    )  # fmt: skip


# Output -------------------------------------------------------------------------------------------------


def test_a_comparison_prints_the_report_and_ends_well(run):
    report = sb.compare("a.txt", "b.txt", references="ref.txt", draws=60)
    assert run(*PAIR) == (0, report.text(), "")
    assert run(*PAIR, "--json") == (0, report.json(), "")
    assert run(*PAIR, "--markdown") == (0, report.markdown(), "")


def test_every_option_reaches_the_comparison(run):
    options = ["--documents", "docs.txt", "--metric", "chrf", "--draws", "70", "--seed", "3", "--level", "0.9", "--at-gap",
               "0.1", "--systems", "one", "two", "three", "--against", "first"]  # fmt: skip
    status, out, _ = run("compare", "a.txt", "b.txt", "c.txt", "--references", "ref.txt", "ref2.txt", *options)
    wanted = sb.compare("a.txt", "b.txt", "c.txt", references=["ref.txt", "ref2.txt"], documents="docs.txt", metric="chrf",
                        draws=70, seed=3, level=0.9, at_gap=0.1, names=["one", "two", "three"], against="first")  # fmt: skip
    assert (status, out) == (0, wanted.text())
    status, out, _ = run(*PAIR, "--tokenize", "char")
    assert out == sb.compare("a.txt", "b.txt", references="ref.txt", tokenize="char", draws=60).text()
    table = ["compare", "--scores", "t.csv", "--systems", "y", "x", "--documents", "talk", "--draws", "50"]
    wanted = sb.compare("y", "x", scores="t.csv", documents="talk", draws=50, lower_is_better=True)
    assert run(*table, "--lower-is-better") == (0, wanted.text(), "")


@pytest.mark.parametrize("metric", ["bleu", "chrf", "chrf++", "ter"])
def test_each_text_metric_is_offered(run, metric):
    status, out, _ = run(*PAIR, "--metric", metric)
    assert status == 0 and sb.compare("a.txt", "b.txt", references="ref.txt", metric=metric, draws=60).sentence in " ".join(
        out.split())


def test_a_page_of_html_is_whole_and_holds_the_picture_with_its_words(run):
    status, out, _ = run(*PAIR, "--html")
    assert status == 0 and out.startswith('<!doctype html>\n<html lang="en">') and out.endswith("</html>\n")
    assert out.count("<img ") == 1 and 'src="data:image/png;base64,' in out
    assert not re.search(r"https?://|<script", out)
    sentence = sb.compare("a.txt", "b.txt", references="ref.txt", draws=60).sentence
    assert f'alt="{sentence}"' in out.replace("&#x27;", "'")
    assert out.count("<h1>") == 1 and out.count('tabindex="0"><table>') == out.count("<table>") >= 4


def test_the_picture_goes_to_a_file(run):
    assert run(*PAIR, "--picture", "new/gaps.png")[0] == 0
    assert pathlib.Path("new/gaps.png").read_bytes().startswith(b"\x89PNG")
    status, _, error = run(*PAIR, "--picture", "a.txt/gaps.png")
    assert status == 2 and "a.txt/gaps.png: cannot be written" in error


def test_mixed_ends_of_line_and_a_byte_order_mark_change_nothing(run):
    _, plain, _ = run(*PAIR)
    lines = pathlib.Path("a.txt").read_text(encoding="utf-8").splitlines()
    mixed = "\ufeff" + "".join(line + ("\r\n" if k % 2 else "\n") for k, line in enumerate(lines))
    pathlib.Path("a.txt").write_bytes(mixed.encode().removesuffix(b"\r\n").removesuffix(b"\n"))
    assert run(*PAIR) == (0, plain, "")


def test_two_identical_files_have_gap_0_and_p_1_in_a_plain_sentence(run):
    pathlib.Path("b.txt").write_bytes(pathlib.Path("a.txt").read_bytes())
    status, out, _ = run(*PAIR)
    assert status == 0 and "a and b do not differ in any segment" in out and "the gap is 0 and p = 1." in out


def test_one_line_is_compared_and_nothing_is_claimed(run):
    for name in ("a.txt", "b.txt", "ref.txt"):
        pathlib.Path(name).write_text(f"one line of {name}\n")
    status, out, error = run(*PAIR)
    assert (status, error) == (0, "") and "p = 1.0000" in out and "1 segment says nothing about others" in out


def test_five_documents_say_their_floor(run):
    rows = "".join(f"{k},0,d{k // 6}\n" for k in range(1, 30))
    pathlib.Path("five.csv").write_text("x,y,d\n" + rows)
    status, out, _ = run("compare", "--scores", "five.csv", "--documents", "d")
    assert status == 0 and "p = 0.0625" in out and "no p below 0.05 is possible" in " ".join(out.split())


def test_one_document_says_that_it_says_nothing(run):
    pathlib.Path("one.csv").write_text("x,y,d\n" + "".join(f"{k},0,talk\n" for k in range(1, 30)))
    status, out, error = run("compare", "--scores", "one.csv", "--documents", "d")
    assert (status, error) == (0, "") and re.search("randomization, by document +p = 1.0000", out)
    assert "1 document says nothing about others" in out and "in 1 document" in out


def test_the_example_is_written_and_can_be_compared(run):
    status, out, error = run("example", "new/demo")
    assert (status, out, error) == (0, "new/demo: writer.txt, terse.txt, flipped.txt, reference.txt, aspects.csv\n", "")
    texts = ["new/demo/terse.txt", "new/demo/flipped.txt", "--references", "new/demo/reference.txt", "--json"]
    found = json.loads(run("compare", *texts)[1])
    assert found["n"] == 90 and found["pairs"][0]["view"]["p"] > 0.05
    found = json.loads(run("compare", "--scores", "new/demo/aspects.csv", "--documents", "filing", "--json")[1])
    view, by_segment = found["pairs"][0]["view"], found["pairs"][0]["by_segment"]
    assert found["documents"] == 1500 and by_segment["p"] < 0.05 < view["p"]
    status, _, error = run("example", "new/demo")
    assert status == 2 and error == "sigbook: new/demo: there is such a file or folder; a new one is needed\n"


def test_exercises_are_listed_as_the_reader_s_own_file_has_them(run, tmp_path, monkeypatch):
    monkeypatch.setenv("SIGBOOK_PROGRESS", str(tmp_path / "progress.json"))
    sb.check("f1-by-hand", 0.6857)
    status, out, complaints = run("exercises")
    assert (status, complaints) == (0, "")
    assert out == f"{exercises.done()}\n"
    assert "1 of" in out and "f1-by-hand" not in out


def test_help_has_examples_that_name_real_options(run, capsys):
    for arguments in ([], ["compare"]):
        with pytest.raises(SystemExit) as ended:
            run(*arguments, "--help")
        assert ended.value.code == 0
        text = capsys.readouterr().out
        assert "examples:" in text and "Exit status: 0" in text
    known = {x for action in command._parser()._subparsers._group_actions[0].choices["compare"]._actions
             for x in action.option_strings}  # fmt: skip
    assert set(re.findall(r"(?<!\w)--[a-z-]+", command.EXAMPLES)) <= known
    for line in command.EXAMPLES.splitlines():
        if line.startswith("  python -m sigbook"):
            command._parser().parse_args(line.split("sigbook ", 1)[1].partition("<")[0].split())


def test_the_version_is_printed(run, capsys):
    with pytest.raises(SystemExit) as ended:
        run("--version")
    assert ended.value.code == 0 and capsys.readouterr().out == f"sigbook {sb.__version__}\n"


# Bad input ----------------------------------------------------------------------------------------------

BAD = {
    "no command": ([], "required: compare | example"),
    "another command": (["test"], "invalid choice: 'test'"),
    "no outputs": (["compare"], "no outputs: name two or more texts"),
    "one output": (["compare", "a.txt", *TEXTS], "at least 2 are needed; got 1"),
    "no reference": (["compare", "a.txt", "b.txt"], "references: needed to score texts"),
    "no such file": (["compare", "a.txt", "none.txt", *TEXTS], "none.txt: no such file"),
    "different length": (["compare", "a.txt", "short.txt", *TEXTS],
                         "short.txt, line 8: missing; it has 7 lines, but a.txt has 30"),
    "empty file": (["compare", "a.txt", "empty.txt", *TEXTS], "empty.txt: empty"),
    "binary file": (["compare", "a.txt", "binary.txt", *TEXTS], "binary.txt, line 2: not text"),
    "another encoding": (["compare", "a.txt", "latin.txt", *TEXTS], "latin.txt, line 2: not UTF-8"),
    "a directory": (["compare", "a.txt", "folder", *TEXTS], "folder: a directory"),
    "documents too short": ([*PAIR, "--documents", "short.txt"], "short.txt, line 8: missing"),
    "a column that is not there": (["compare", "--scores", "t.csv", "--systems", "x", "z"], "t.csv, line 1: no column 'z'"),
    "documents not there": (["compare", "--scores", "t.csv", "--documents", "z"], "t.csv, line 1: no column 'z'"),
    "a column of words": (["compare", "--scores", "t.csv"], "t.csv, line 2, column 'talk': 'd0' is not a finite number"),
    "a text as table": (["compare", "--scores", "a.txt"], "a.txt, line 1: at least 2 columns"),
    "texts and a table": (["compare", "a.txt", "--scores", "t.csv"], "a.txt: texts and --scores exclude each other"),
    "an unknown option": ([*PAIR, "--drws", "3"], "unrecognized arguments: --drws 3"),
    "an abbreviation": ([*PAIR, "--meta", "ter"], "unrecognized arguments"),
    "an unknown metric": ([*PAIR, "--metric", "rouge"], "argument --metric: invalid choice: 'rouge'"),
    "draws in words": ([*PAIR, "--draws", "many"], "argument --draws: invalid int value: 'many'"),
    "no draws": ([*PAIR, "--draws", "0"], "draws must be an integer >= 1; got 0"),
    "a negative seed": ([*PAIR, "--seed", "-1"], "seed must be an integer >= 0; got -1"),
    "a level in percent": ([*PAIR, "--level", "95"], "write 0.95 for 95%"),
    "a level of nan": ([*PAIR, "--level", "nan"], "level must be a number strictly between 0 and 1; got nan"),
    "a gap of nothing": ([*PAIR, "--at-gap", "0"], "at_gap must be a gap > 0"),
    "two faces": ([*PAIR, "--json", "--html"], "not allowed with argument"),
    "names that do not fit": ([*PAIR, "--systems", "x"], "--systems: one name for each of 2 texts is needed; got 'x'"),
    "a strange tokenizer": ([*PAIR, "--tokenize", "x\ny"], "tokenize is"),
    "stdin twice": (["compare", "-", "-", *TEXTS], "standard input can be read only once"),
    "an example over a file": (["example", "a.txt"], "a.txt: there is such a file"),
    "an example below a file": (["example", "a.txt/demo"], "a.txt/demo/writer.txt: cannot be written"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_ends_with_2_and_one_line_that_says_why(run, name):
    arguments, message = BAD[name]
    status, out, error = run(*arguments)
    assert (status, out) == (2, "")
    assert error.startswith("sigbook: ") and error.endswith("\n") and error.count("\n") == 1
    assert message in error


def test_nan_and_ragged_rows_are_refused_by_line(run):
    for rows, message in (("1,2\n3,nan\n", "t.csv, line 3, column 'y': 'nan'"), ("1,2\n3\n", "t.csv, line 3: the number of columns is 2 in the header and 1 here")):
        pathlib.Path("t.csv").write_text("x,y\n" + rows)
        status, _, error = run("compare", "--scores", "t.csv")
        assert status == 2 and message in error and error.count("\n") == 1


CELLS = st.sampled_from(["1", "0.5", "-2e3", "1e70", "1e-300", "nan", "", '"', "x", "é", "\r", "\x00", "1e999"])
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=3).map(",".join), max_size=5).map("\n".join)
CONTENT = st.binary(max_size=40) | st.text(max_size=30).map(str.encode) | ROWS.map(lambda x: ("x,y\n" + x).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=120)
@given(first=CONTENT, second=CONTENT)
def test_any_bytes_give_a_report_or_one_line(run, first, second):
    pathlib.Path("one").write_bytes(first)
    pathlib.Path("two").write_bytes(second)
    for arguments in (["one", "two", "--references", "one"], ["--scores", "one"], ["--scores", "two"]):
        status, out, error = run("compare", *arguments, "--draws", "20")
        if status == 0:
            assert out.startswith(("one against two", "x against y", "")) and error == ""
        else:
            assert (status, out) == (2, "") and error.count("\n") == 1 and "Traceback" not in error


def test_any_two_columns_of_numbers_give_a_report(run):
    rng = np.random.default_rng(0)
    for scale in (1e-300, 1e-12, 1.0, 1e12, 1e70):
        rows = "".join(f"{x},{y}\n" for x, y in (scale * rng.normal(size=(6, 2))).tolist())
        pathlib.Path("t.csv").write_text("x,y\n" + rows)
        status, out, error = run("compare", "--scores", "t.csv", "--draws", "50", "--json")
        assert (status, error) == (0, "") and json.loads(out)["n"] == 6


# Manners ------------------------------------------------------------------------------------------------


def test_standard_input_is_one_of_the_texts(run, monkeypatch):
    content = pathlib.Path("a.txt").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    status, out, _ = run("compare", "-", "b.txt", *TEXTS)
    report = sb.compare("a.txt", "b.txt", references="ref.txt", draws=60, names=["standard input", "b"])
    assert status == 0 and out == report.text()


def test_the_shell_gets_the_same_bytes_for_the_same_seed_and_nothing_on_standard_error(run, tmp_path):
    arguments = [*PAIR[:1], "-", *PAIR[2:], "--metric", "chrf"]
    first, second = (shell(*arguments, cwd=tmp_path, input=pathlib.Path("a.txt").read_bytes()) for _ in range(2))
    assert (first.returncode, first.stderr) == (0, b"") and first.stdout == second.stdout
    assert b"seed 0" in first.stdout and f"NumPy {np.__version__}".encode() in first.stdout
    other = run(*PAIR, "--metric", "chrf", "--seed", "1")[1]
    assert other != run(*PAIR, "--metric", "chrf")[1]


def test_the_shell_gets_status_2_and_one_line(run, tmp_path):
    found = shell("compare", "a.txt", "none\n.txt", *TEXTS, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr == b"sigbook: 'none\\n.txt': no such file\n"


def test_names_that_the_terminal_cannot_show_do_not_stop_it(run, tmp_path):
    os.rename("a.txt", "猫.txt")
    ascii_only = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    found = subprocess.run([sys.executable, "-m", "sigbook", "compare", "猫.txt", "b.txt", *TEXTS], cwd=tmp_path,
                           capture_output=True, env=ascii_only)  # fmt: skip
    assert (found.returncode, found.stderr) == (0, b"") and rb"\u732b" in found.stdout


def test_a_reader_who_leaves_early_is_no_fault(run, tmp_path):
    pipe = subprocess.Popen([sys.executable, "-m", "sigbook", *PAIR], cwd=tmp_path, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    pipe.stdout.close()
    with pipe.stderr:
        assert pipe.stderr.read() == b""
    assert pipe.wait(timeout=60) == 0


def test_ctrl_c_ends_in_one_line(run, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "compare", stop)
    assert run(*PAIR) == (130, "", "sigbook: stopped\n")


def test_progress_is_shown_after_a_second_and_wiped_at_the_end(monkeypatch, capsys):
    from sigbook import compare as _  # noqa: F401

    module = sys.modules["sigbook.compare"]
    clock = iter(np.arange(0, 1000, 0.15))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    rng = np.random.default_rng(0)
    sb.compare(*rng.normal(size=(2, 2_000)), draws=6_000, progress=True)
    shown = capsys.readouterr().err
    steps = [x.strip() for x in shown.split("\r") if x.strip()]
    assert any(re.fullmatch(r"resampling +\d+%", x) for x in steps) and any(x.startswith("swapping") for x in steps)
    assert shown.endswith("\r" + " " * 40 + "\r") and "\n" not in shown
    share = [int(re.search(r"(\d+)%", x)[1]) for x in steps if x.startswith("resampling")]
    assert share == sorted(share) and share[0] > 0
    clock = iter(np.arange(0, 1, 1e-5))
    sb.compare(*rng.normal(size=(2, 50)), draws=600, progress=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_terminals_only(run, monkeypatch, terminal):
    seen = []
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setattr(command, "compare", lambda *_, **options: seen.append(options) or sb.compare([1, 2], [2, 1]))
    assert run(*PAIR)[0] == 0
    assert [options["progress"] for options in seen] == [terminal]
