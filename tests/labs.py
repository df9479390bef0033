"""A lab's controls, moved as a reader moves them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator


def driven(lab, settings: Iterable[tuple]) -> Iterator[tuple[tuple, list[str], str]]:
    """(setting, the cells of its tables, the view's HTML) for each setting, one value for each control.

    Each control must say what it is, and each picture bear a text of its own.
    """
    controls, view = lab.children[0].children, lab.children[1]
    assert all(control.description for control in controls)
    for setting in settings:
        for control, value in zip(controls, setting, strict=True):
            control.value = value
        shown = view.value
        assert re.search(r'<img alt="[^"]+" src="data:image/png;base64,', shown)
        yield setting, [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", shown)], shown
