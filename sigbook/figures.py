"""The one style of every figure: sizes, type, colours with a second cue, and figures as PNG.

A drawing function takes a finished result, is wrapped in `styled`, starts from `canvas` and returns the
figure; it computes nothing. Colours are told apart by line style, hatch or marker as well, and text never
names a colour. The background is opaque, so figures stay readable on a dark page.
"""

from __future__ import annotations

import base64
import functools
import html
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

WIDTH = 6.4
HEIGHT = 3.0
DPI = 110

STYLE = {
    "figure.dpi": DPI,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "axes.facecolor": "white",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.labelsize": 9.5,
    "axes.titlesize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#333333",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "lines.linewidth": 1.6,
    "hatch.linewidth": 0.6,
    "mathtext.fontset": "dejavusans",
}


@dataclass(frozen=True)
class Look:
    """A colour and its second cues."""

    color: str
    line: str
    hatch: str
    marker: str

    @property
    def stroke(self) -> dict:
        """What makes a line of this look, as keywords of Matplotlib's plotting functions."""
        return {"color": self.color, "linestyle": self.line}


# Okabe and Ito's colours, which most colour-blind readers tell apart.
BOOTSTRAP = Look("#0072B2", "-", "", "o")
RANDOMIZATION = Look("#E69F00", "--", "///", "s")
OBSERVED = Look("#D55E00", "-.", "", "D")
REFERENCE = Look("#333333", ":", "", "x")
BAND = Look("#BBBBBB", "-", "", "")
EXTRA = Look("#009E73", (0, (5, 1)), "...", "^")
LOOKS = (BOOTSTRAP, RANDOMIZATION, EXTRA, OBSERVED, Look("#CC79A7", (0, (1, 1)), "xx", "v"))

# Of the triangle over which the weights of three segments are drawn.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def styled(draw: Callable) -> Callable:
    """Run a drawing function with the book's style and nobody else's settings."""

    @functools.wraps(draw)
    def inside(*args, **kwargs):
        import matplotlib

        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(STYLE)
            return draw(*args, **kwargs)

    return inside


def canvas(rows: int = 1, columns: int = 1, *, width: float = WIDTH, height: float = HEIGHT, share_x=False,
           share_y=False, margins: dict[str, float] | None = None):
    """A figure and its axes (an array when there are several), made without any global figure.

    Margins are found by Matplotlib, or given (as for `subplots_adjust`) where a control redraws several axes
    and the search would cost more than the drawing.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=None if margins else "constrained")
    axes = figure.subplots(rows, columns, sharex=share_x, sharey=share_y)
    if margins:
        figure.subplots_adjust(**margins)
    return figure, axes


@styled
def png(figure) -> bytes:
    """The figure as PNG; the same bytes for the same figure and Matplotlib."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None})
    return stream.getvalue()


def show(figure):
    """The figure as a notebook output; caption and alt text stand in the cell's metadata."""
    from IPython.display import Image

    return Image(data=png(figure), format="png")


def image_tag(figure, alt: str) -> str:
    """The figure as an HTML image with its alt text, for a widget."""
    data = base64.b64encode(png(figure)).decode("ascii")
    return f'<img alt="{html.escape(alt, quote=True)}" src="data:image/png;base64,{data}" style="max-width: 100%">'


def bin_edges(values: np.ndarray, bins: int) -> np.ndarray:
    """Equal bins over the values; over an interval around them when all are the same, or too near for bins."""
    low, high = float(values.min()), float(values.max())
    around = max(abs(low), abs(high)) / 64
    choices = (np.linspace(low - margin, high + margin, bins + 1) for margin in (0.0, 0.5, around))
    return next(edges for edges in choices if (np.diff(edges) > 0).all())


def tail_histogram(axis, values: np.ndarray, counted: np.ndarray, edges: np.ndarray, look: Look, label: str,
                   tail_label: str | None = None):
    """Histogram of draws; those `counted` into a p-value are the filled, hatched part.

    values (B,), counted bool (B,), edges of the bins. Returns the two arrays of bar heights, all and counted.
    """
    total, _ = np.histogram(values, edges)
    part, _ = np.histogram(values[counted], edges)
    axis.stairs(total, edges, **look.stroke, label=label)
    axis.stairs(part, edges, fill=True, facecolor=look.color, alpha=0.55, hatch=look.hatch or "\\\\\\",
                edgecolor=look.color, linewidth=0, label=tail_label)
    return total, part


def two_clouds(axis, bootstrap: np.ndarray, swaps: np.ndarray, counted: np.ndarray, gap: float, edges: np.ndarray):
    """Both clouds of a comparison on one axis, with zero and the observed gap.

    bootstrap (B,) and swaps (B,) are gaps, counted bool (B,) the swaps at least as far from 0 as `gap`.
    """
    from matplotlib.ticker import MaxNLocator

    heights, _ = np.histogram(bootstrap, edges)
    axis.stairs(heights, edges, **BOOTSTRAP.stroke, label="resampled gaps δ*")
    tail_histogram(axis, swaps, counted, edges, RANDOMIZATION, "swapped gaps", "at least as far from 0 as δ̂")
    axis.axvline(0, **REFERENCE.stroke, linewidth=1.1, label="zero")
    axis.axvline(gap, **OBSERVED.stroke, label="observed gap δ̂")
    axis.xaxis.set_major_locator(MaxNLocator(5))


def over_triangle(axis, weights: np.ndarray, heights: np.ndarray, corners: np.ndarray, zoom: float):
    """A score as a surface over the weights of three segments, and the plane through three heights.

    axis: with projection "3d". weights (m, 3), heights of the surface (m,), of the plane's corners (3,).
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    axis.plot_trisurf(*(weights @ CORNERS).T, heights, cmap="cividis", linewidth=0, antialiased=False,
                      alpha=0.9)
    flat = np.column_stack([CORNERS, corners])
    axis.add_collection3d(Poly3DCollection([flat], facecolor=OBSERVED.color, edgecolor=OBSERVED.color,
                                           alpha=0.25))
    around = [0, 1, 2, 0]
    axis.plot(*flat[around].T, **OBSERVED.stroke)
    axis.plot(*CORNERS[around].T, 0.0, color="#333333", linewidth=0.8)
    for i, point in enumerate(CORNERS + [(-0.05, -0.05), (0.09, 0.0), (0.09, 0.05)]):
        axis.text(*point, 0.0, f"{i + 1}", ha="center", va="center")
    axis.set(xticks=[], yticks=[], zlim=(0, max(heights.max(), corners.max())))
    axis.tick_params(axis="z", pad=1)
    axis.view_init(elev=25, azim=-112)
    axis.set_box_aspect((1, 1, 0.9), zoom=zoom)


def table(head: list[str], rows: list[list[str]], caption: str) -> str:
    """A small HTML table from finished strings."""
    cells = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    return (f"<table><caption>{html.escape(caption)}</caption><thead><tr>{cells}</tr></thead>"
            f"<tbody>{body}</tbody></table>")
