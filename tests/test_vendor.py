"""Browser files: only pinned content, only wanted files, nothing fetched twice; and the server."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import signal
import subprocess
import sys
import tarfile
import urllib.request

import pytest

import run_notebooks
import serve
import vendor

TOOLS = run_notebooks.ROOT / "tools"
ENTRY = {"from": "package/dist/", "to": "lib", "keep": ["embed.js", "*.woff"]}


def archive(path, names):
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 2
            tar.addfile(member, io.BytesIO(b"ok"))
    return path


def test_only_the_pinned_content_is_taken():
    content = b"some archive"
    pinned = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    vendor.check("lib@1", content, pinned)
    with pytest.raises(SystemExit, match="lib@1: integrity"):
        vendor.check("lib@1", content + b"!", pinned)


def test_only_the_wanted_files_are_unpacked(tmp_path):
    names = [f"package/dist/{name}" for name in ("embed.js", "a.woff", "b.eot")]
    names.append("package/embed.js")
    vendor.unpack(archive(tmp_path / "a.tgz", names), ENTRY, tmp_path / "out")
    found = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert found == {"embed.js", "a.woff"}


def test_an_address_elsewhere_is_taken_out_or_the_file_is_refused(tmp_path):
    packed = archive(tmp_path / "a.tgz", ["package/dist/embed.js"])
    entry = {**ENTRY, "edit": {"embed.js": ["ok", "here"]}}
    vendor.unpack(packed, entry, tmp_path / "out")
    assert (tmp_path / "out" / "lib" / "embed.js").read_text() == "here"
    entry = {**ENTRY, "edit": {"embed.js": ["https://cdn.example", "here"]}}
    with pytest.raises(SystemExit, match="https://cdn.example is not there exactly once"):
        vendor.unpack(packed, entry, tmp_path / "out")


def test_a_path_that_leaves_the_folder_is_refused(tmp_path):
    path = archive(tmp_path / "a.tgz", ["package/dist/../../../../evil.woff"])
    with pytest.raises(SystemExit, match="outside its folder"):
        vendor.unpack(path, ENTRY, tmp_path / "out")


def test_nothing_is_fetched_when_all_is_there(monkeypatch, tmp_path):
    monkeypatch.setattr(vendor, "DONE", tmp_path / "lock.json")
    monkeypatch.setattr(vendor, "fetch", lambda *_: pytest.fail("fetched"))
    vendor.DONE.write_text(vendor.LOCK.read_text())
    vendor.main([])


def test_the_server_prints_its_address_and_stops_when_asked(tmp_path):
    (tmp_path / "index.html").write_text("<p>here</p>")
    command = [sys.executable, TOOLS / "serve.py", tmp_path]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, a child ignores it too
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        signal.signal(signal.SIGINT, before)
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())[0]
        with urllib.request.urlopen(address) as answer:
            assert answer.read() == b"<p>here</p>"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 0


@pytest.mark.parametrize("error, said", [(BrokenPipeError, False), (ConnectionResetError, False), (ValueError, True)])
def test_the_server_is_silent_about_browsers_that_leave_and_about_nothing_else(tmp_path, capsys, error, said):
    with serve.server(str(tmp_path)) as httpd:
        try:
            raise error
        except error:
            httpd.handle_error(None, ("127.0.0.1", 1))
    assert (error.__name__ in capsys.readouterr().err) == said


def test_the_server_refuses_a_folder_that_holds_no_book(tmp_path):
    command = [sys.executable, TOOLS / "serve.py", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1
    assert "run `make book`" in run.stderr
