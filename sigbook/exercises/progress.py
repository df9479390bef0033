"""Which exercises a reader has done, in a file of the reader's own that goes nowhere.

The file is `~/.sigbook/progress.json`, or the one that the environment variable SIGBOOK_PROGRESS names; an
empty value keeps nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


class Text(str):
    """Text that a notebook shows as it is, without quotes."""

    __repr__ = str.__str__


def file() -> Path | None:
    """Where progress is kept, or None when it is not."""
    named = os.environ.get("SIGBOOK_PROGRESS")
    if named == "":
        return None
    return Path(named) if named else Path.home() / ".sigbook" / "progress.json"


def read() -> dict:
    """{"done": [ids], "hints": {id: number of hints taken}}; empty when there is no readable file."""
    kept = {}
    try:
        where = file()
        kept = json.loads(where.read_text("utf-8")) if where else {}
    except (OSError, ValueError, RuntimeError):
        pass
    done = kept.get("done") if isinstance(kept, dict) else None
    hints = kept.get("hints") if isinstance(kept, dict) else None
    return {
        "done": [x for x in done if isinstance(x, str)] if isinstance(done, list) else [],
        "hints": {k: v for k, v in hints.items() if isinstance(v, int)} if isinstance(hints, dict) else {},
    }


def write(kept: dict) -> str:
    """Store progress; what went wrong in words, or nothing."""
    try:
        where = file()
        if where:
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    except (OSError, RuntimeError) as error:
        return f"progress could not be kept: {error}"
    return ""


def note_done(exercise_id: str) -> str:
    """Note a right answer; what went wrong in words, or nothing."""
    kept = read()
    if exercise_id in kept["done"]:
        return ""
    return write({**kept, "done": sorted([*kept["done"], exercise_id])})


def next_hint(exercise_id: str, hints: int) -> int:
    """The number of the next hint, which is then taken; the last one again after the last."""
    kept = read()
    step = min(kept["hints"].get(exercise_id, 0) + 1, hints)
    write({**kept, "hints": {**kept["hints"], exercise_id: step}})
    return step


def table(order: dict[str, tuple[str, ...]]) -> Text:
    """A line per chapter: how many are done, and which are not."""
    done = set(read()["done"])
    lines = []
    for chapter, ids in order.items():
        left = [name for name in ids if name not in done]
        lines.append(f"{chapter:14s} {len(ids) - len(left)} of {len(ids)}"
                     + (f"   to do: {', '.join(left)}" if left else "   done"))
    return Text("\n".join(lines))
