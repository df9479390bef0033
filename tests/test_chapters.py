"""Each chapter's single execution against the stored file: bytes, seconds, memory."""

from __future__ import annotations

import base64
import io

import nbformat
import numpy as np
import pytest

import run_notebooks

SECONDS, MEGABYTES = 60, 1024


@pytest.fixture
def new(chapter, executed) -> str:
    return run_notebooks.stable(executed(chapter).notebook, chapter.stem)


def test_another_run_gives_the_stored_file(chapter, executed, new, record_property):
    stored = chapter.read_text()
    verdict = run_notebooks.compare(stored, new)
    run = executed(chapter)
    run_notebooks.record(chapter, run)
    note = {"same": "same bytes", "same text": "same text; pixels not compared byte for byte, "
            "because the stored ones come from another machine or other versions"}
    record_property("chapter", f"{chapter.stem}: {note.get(verdict, verdict)}, "
                    f"{run.seconds:.1f} s, peak {run.peak:.0f} MB")
    assert verdict != "changed", f"run tools/run_notebooks.py {chapter.name} and look at the change"


def test_figures_look_like_the_stored_ones(chapter, new):
    pairs = list(zip(pictures(chapter.read_text()), pictures(new), strict=True))
    for stored, drawn in pairs:
        assert stored.shape == drawn.shape
        assert np.abs(stored - drawn).mean() < 0.02


def test_a_chapter_is_quick_and_small(chapter, executed):
    run = executed(chapter)
    assert run.seconds < SECONDS
    assert not run.peak > MEGABYTES  # nan where the system does not tell


def pictures(text: str) -> list[np.ndarray]:
    from matplotlib import image

    return [
        image.imread(io.BytesIO(base64.b64decode(output.data["image/png"])), format="png")
        for cell in nbformat.reads(text, 4).cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
