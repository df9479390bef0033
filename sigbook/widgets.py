"""Thin wiring: controls around a function that returns HTML.

A widget's three layers are an experiment (pure), a drawing of its result, and this. No `interact` and no
`Output` area: the view is one HTML widget, so the stored first frame shows without a kernel.
"""

from __future__ import annotations

import gc
from collections.abc import Callable


def choice(description: str, options: list, value):
    """A drop-down list."""
    import ipywidgets

    return ipywidgets.Dropdown(description=description, options=options, value=value, style=_wide(),
                               layout={"width": "max-content"})


def steps(description: str, options: list, value):
    """A slider over a few listed values; it reruns when let go."""
    import ipywidgets

    return ipywidgets.SelectionSlider(description=description, options=options, value=value,
                                      continuous_update=False, style=_wide())


def whole(description: str, low: int, high: int, value: int, step: int = 1):
    """A slider over integers; it reruns when let go."""
    import ipywidgets

    return ipywidgets.IntSlider(description=description, min=low, max=high, step=step, value=value,
                                continuous_update=False, style=_wide())


def real(description: str, low: float, high: float, value: float, step: float, digits: str = ".2f"):
    """A slider over real numbers; it reruns when let go."""
    import ipywidgets

    return ipywidgets.FloatSlider(description=description, min=low, max=high, step=step, value=value,
                                  readout_format=digits, continuous_update=False, style=_wide())


def experiment(frame: Callable[..., str], controls: dict):
    """A box of `controls` above a view that shows `frame(**values)`, an HTML string, and reruns on change."""
    import ipywidgets

    view = ipywidgets.HTML()

    def rerun(_=None):
        # Collecting Matplotlib's garbage takes as long as drawing; it can wait until the picture stands.
        collecting = gc.isenabled()
        gc.disable()
        try:
            view.value = frame(**{name: control.value for name, control in controls.items()})
        finally:
            if collecting:
                gc.enable()

    for control in controls.values():
        control.observe(rerun, names="value")
    rerun()
    return ipywidgets.VBox([ipywidgets.VBox(list(controls.values())), view])


def _wide():
    return {"description_width": "10em"}
