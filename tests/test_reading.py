"""Files become lines and columns, or one line that says what is wrong, where."""

from __future__ import annotations

import dataclasses
import io
import pathlib
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigbook import reading

FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A function that writes bytes to a file and gives its name, in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(content: bytes | str, name: str = "file.txt") -> str:
        pathlib.Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return write


# Lines --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\nb\nc\r\n", ["a", "b", "c"]),
        ("\ufeffa\nb\n", ["a", "b"]),
        ("a\n\n\nb\n\n", ["a", "", "", "b", ""]),
        ("\n", [""]),
        ("\r\n\r\n", ["", ""]),
        ("a \n\tb\n", ["a ", "\tb"]),
        ("a\rb\u2028c\x0bd\x0ce\x85f\n", ["a\rb\u2028c\x0bd\x0ce\x85f"]),
        ("größer\n猫\n", ["größer", "猫"]),
    ],
)
def test_a_line_is_what_stands_between_ends_of_line(written, content, lines):
    assert reading.lines(written(content)) == lines
    assert reading.lines(pathlib.Path(written(content))) == lines


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file.txt: empty; one line per segment is needed"),
        (b"\xef\xbb\xbf", "file.txt: empty; one line per segment is needed"),
        (b"a\nb\x00c\n", "file.txt, line 2: not text (a zero byte); a file of UTF-8 text is needed"),
        (b"\n\x00", "file.txt, line 2: not text (a zero byte); a file of UTF-8 text is needed"),
        (b"\n\xff", "file.txt, line 2: not UTF-8 (byte 0xff); save the file as UTF-8"),
        (b"a\nb\nc\xff\n", "file.txt, line 3: not UTF-8 (byte 0xff); save the file as UTF-8"),
        ("a\nü\n".encode("latin-1"), "file.txt, line 2: not UTF-8 (byte 0xfc); save the file as UTF-8"),
        ("a\n".encode("utf-16"), "file.txt, line 1: UTF-16; save the file as UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "file.txt, line 3: not text (a zero byte); a file of UTF-8 text is needed"),
    ],
)  # fmt: skip
def test_what_is_not_text_is_refused_by_file_and_line(written, content, message):
    name = written(content)
    with pytest.raises(ValueError) as caught:
        reading.lines(name)
    assert str(caught.value) == message


def test_a_folder_a_missing_file_and_a_path_that_cannot_be_are_refused_by_name(written, tmp_path):
    (tmp_path / "folder").mkdir()
    for name, message in {
        "folder": "folder: a directory; a file is needed",
        "none.txt": "none.txt: no such file",
        "none/none.txt": "none/none.txt: no such file",
        "x" * 300: "x" * 300 + ": cannot be read (File name too long)",
        "line\nbreak": "'line\\nbreak': no such file",
        "": "'': no such file",
        "+": "+: no such file",
        pathlib.Path("none.txt"): "none.txt: no such file",
        pathlib.Path("-"): "-: no such file",
    }.items():
        with pytest.raises(ValueError) as caught:
            reading.lines(name)
        assert str(caught.value) == message


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_file_without_the_right_to_read_it_is_refused_by_name(written, monkeypatch):
    name = written("a\n")

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refused)
    with pytest.raises(ValueError, match=r"^file.txt: cannot be read \(Permission denied\)$"):
        reading.lines(name)


def test_a_name_with_a_zero_byte_is_refused():
    with pytest.raises(ValueError, match=r"^'a\\x00b': cannot be read"):
        reading.lines("a\0b")


def test_lines_that_end_in_carriage_returns_alone_are_refused(written):
    with pytest.raises(ValueError, match="line 1: carriage returns alone end the lines"):
        reading.lines(written("a\rb\rc\r"))
    assert reading.lines(written("a\r")) == ["a"]
    assert reading.lines(written("a\rb\nc\n")) == ["a\rb", "c"]


def test_a_string_or_a_path_object_names_a_file_and_nothing_else_does():
    assert all(map(reading.is_path, ("a.txt", "", "-", pathlib.Path("a.txt"), pathlib.PurePosixPath("/a"))))
    assert not any(map(reading.is_path, (b"a.txt", ["a.txt"], ("a.txt",), None, 3, np.array("a.txt"), io.StringIO("a"))))


def test_a_hyphen_is_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\ufeffä\r\nb".encode())))
    assert reading.lines("-") == ["ä", "b"]
    with pytest.raises(ValueError, match="^standard input: empty"):
        reading.lines("-")


def test_a_path_object_called_a_hyphen_is_a_file_of_that_name(written):
    written("a\nb\n", "-")
    assert reading.lines(pathlib.Path("-")) == ["a", "b"]
    written(b"\xff", "-")
    with pytest.raises(ValueError, match="^-, line 1: not UTF-8"):
        reading.lines(pathlib.Path("-"))


@FUZZ
@given(content=st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_any_bytes_are_lines_or_one_line_of_complaint(written, content):
    name = written(content)
    try:
        lines = reading.lines(name)
    except ValueError as error:
        assert str(error).startswith("file.txt") and len(str(error).splitlines()) == 1
    else:
        assert len(lines) == content.count(b"\n") + (not content.endswith(b"\n"))
        assert "\n".join(lines) == content.decode().removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n") or (
            content.endswith(b"\r"))


# Tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,0.5\n2,-3e2\n",
        "\ufeffa,b\r\n1,0.5\r\n2,-3e2\r\n",
        "a\tb\n1\t0.5\n2\t-3e2",
        "a;b\n1;0.5\n2;-3e2\n",
        ' a ,"b"\n"1",0.5\n 2 , -3e2\n\n\n',
    ],
)
def test_a_table_has_one_column_of_scores_per_system(written, content):
    found = reading.table(written(content))
    assert found.documents is None and list(found.scores) == ["a", "b"]
    assert found.scores["a"].dtype == np.float64
    assert found.scores["a"].tolist() == [1, 2] and found.scores["b"].tolist() == [0.5, -300]


def test_columns_are_taken_by_name_in_the_order_asked_for(written):
    name = written('id,b,a,"talk, year",note\nx1,1,2,"one\ntwo",fine\nx2,3,4,three,\n', "t.csv")
    found = reading.table(name, ["a", "b"], "talk, year")
    assert list(found.scores) == ["a", "b"] and found.scores["a"].tolist() == [2, 4]
    assert found.documents == ["one\ntwo", "three"]
    found = reading.table(written("doc,a,b\n1,2,3\n"), documents="doc")
    assert list(found.scores) == ["a", "b"] and found.documents == ["1"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,b\n1,2\n3\n", {}, "line 3: the number of columns is 2 in the header and 1 here"),
        ("a,b\n1,2\n3,4,5\n", {}, "line 3: the number of columns is 2 in the header and 3 here"),
        ("a,b\n1,2\n\n3,4\n", {}, "line 3: empty; the header names 2 columns"),
        ("a,b\n1,nan\n", {}, "line 2, column 'b': 'nan' is not a finite number"),
        ("a,b\n1,2\n-inf,1\n", {}, "line 3, column 'a': '-inf' is not a finite number"),
        ("a,b\n1,\n", {}, "line 2, column 'b': '' is not a finite number"),
        ("a,b\n1,1_000\n", {}, "line 2, column 'b': '1_000' is not a finite number"),
        ('a,b\n"1\n2",3\n', {}, r"line 3, column 'a': '1\\n2' is not a finite number"),
        ("id,a,b\ns1,1,2\n", {}, "line 2, column 'id': 's1' is not a finite number "
                                 r"\(to leave the column out, name the systems\)"),
        ("a,b\nx,2\n", {"columns": ["a", "b"]}, "line 2, column 'a': 'x' is not a finite number$"),
        ("a,b\n1,2\n", {"columns": ["a", "c"]}, "line 1: no column 'c'; there are 'a', 'b'"),
        ("a,b\n1,2\n", {"documents": "doc"}, "line 1: no column 'doc'; there are 'a', 'b'"),
        ("a,a\n1,2\n", {}, "line 1: column 'a' is named 2 times"),
        ("a,b\n1,2\n", {"columns": ["a", "a"]}, "column 'a' is asked for 2 times"),
        ("a,b,doc\n1,2,3\n", {"columns": ["a", "doc"], "documents": "doc"}, "column 'doc' is asked for 2 times"),
        (",a,b\n0,1,2\n", {}, "line 1: column 1 has no name; name the systems"),
        ("0.5,0.25\n1,2\n", {}, "line 1: numbers; a line of column names is needed first"),
        ("a,b\nTrue,1\n", {}, "line 2, column 'a': 'True' is not a finite number; write 1 for right and 0 for wrong$"),
        ("a;b\n0,5;1\n", {}, "line 2, column 'a': '0,5' is not a finite number; write a decimal point$"),
        ("\na,b\n1,2\n", {}, "line 1: empty; a line of column names is needed$"),
        ("a\n1\n", {}, "line 1: at least 2 columns of scores are needed; there are 'a'"),
        ("a b\n1 2\n", {}, "line 1: .*; there are 'a b'; tabs, commas or semicolons part them$"),
        ("a,b\n1,2\n", {"columns": ["a"]}, "line 1: at least 2 columns of scores are needed; asked for 'a'$"),
        ("a,doc\n1,2\n", {"documents": "doc"}, "line 1: at least 2 columns of scores are needed"),
        ("a,b,doc\n1,2,x\n3,4, \n", {"documents": "doc"}, "line 3, column 'doc': no document is named"),
        ("a,b\n", {}, "line 2: no rows; one line per segment is needed"),
        ("\n", {}, "line 1"),
        ('a,b\n1,"2\n', {}, "line 2: not a CSV file"),
        ('a,b\n1,"2"x\n', {}, "line 2: not a CSV file"),
        ("a,b\n1," + "2" * 200_000, {}, "line 2: not a CSV file"),
    ],
)  # fmt: skip
def test_a_broken_table_is_refused_by_file_line_and_column(written, content, options, message):
    with pytest.raises(ValueError, match=rf"^file.txt(, |: ){message}") as caught:
        reading.table(written(content), **options)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(("columns", "more"), [(20, ""), (21, " and 1 more"), (1_021, " and 1,001 more")])
def test_of_many_columns_a_message_names_twenty(written, columns, more):
    names = [f"s{k}" for k in range(columns)]
    with pytest.raises(ValueError) as caught:
        reading.table(written(",".join(names) + "\n"), ["x", "y"])
    listed = ", ".join(f"'s{k}'" for k in range(20))
    assert str(caught.value) == f"file.txt, line 1: no column 'x'; there are {listed}{more}"


def test_a_table_stays_as_it_was_read_and_is_equal_to_itself_alone(written):
    first, second = (reading.table(written("a,b\n1,2\n")) for _ in range(2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.documents = ["x"]
    assert first == first and first != second and len({first, second}) == 2


FIELDS = st.sampled_from(["1", "0.5", "-2e3", "a", "b", "doc", "nan", "", " ", '"', '"1"', "1_0", "é", "\r", "\x00", "inf"])
ROWS = st.lists(st.lists(FIELDS, max_size=3).map(",".join), max_size=4).map("\n".join).map(str.encode)


@FUZZ
@given(content=ROWS | st.builds(lambda x: b"a,b,doc\n" + x, ROWS) | st.binary(max_size=40))
@pytest.mark.parametrize("options", [{}, {"columns": ["a", "b"], "documents": "doc"}])
def test_any_bytes_are_a_table_or_one_line_of_complaint(written, options, content):
    name = written(content)
    try:
        found = reading.table(name, **options)
    except ValueError as error:
        assert str(error).startswith("file.txt") and len(str(error).splitlines()) == 1
    else:
        columns = list(found.scores.values())
        assert len(columns) >= 2 and len({len(x) for x in columns}) == 1
        assert all(np.isfinite(x).all() for x in columns)
        assert found.documents is None or len(found.documents) == len(columns[0])


@settings(max_examples=50)
@given(values=st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 2), min_size=1, max_size=5))
def test_written_numbers_come_back_to_the_last_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("table") / "t.csv"
    path.write_text("".join(["a,b\n", *(f"{x!r},{y!r}\n" for x, y in values)]))
    found = reading.table(path)
    assert list(zip(found.scores["a"].tolist(), found.scores["b"].tolist())) == values
