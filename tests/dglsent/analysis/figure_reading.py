"""What a figure shows, read back from its axes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dglsent.analysis.pictures import look


def panel(figure: Figure, title: str) -> Axes:
    """The only panel whose title starts so."""
    (found,) = (
        axes for axes in figure.axes if any(axes.get_title(place).startswith(title) for place in ("left", "center"))
    )
    return found


def names(axes: Axes) -> list[str]:
    """What stands beside the rows, be it beside another panel that shares them."""
    return axes.yaxis.get_major_formatter().format_ticks(list(axes.get_yticks()))


def cells(axes: Axes) -> dict[tuple[str, str], float]:
    """Of a heat map the value at each row and column, to three digits; empty cells are left out."""
    (image,) = axes.images
    columns = [label.get_text() for label in axes.get_xticklabels()]
    values = image.get_array()
    assert values is not None
    assert values.shape == (len(names(axes)), len(columns))
    return {
        (row, column): round(float(value), 3)
        for row, line in zip(names(axes), values.filled(float("nan")), strict=True)
        for column, value in zip(columns, line, strict=True)
        if value == value
    }


def marks(axes: Axes) -> dict[str, dict[str, float]]:
    """Of each series the place of its mark, to three digits, in each row: the row is the one whose name is nearest."""
    rows = dict(zip(axes.get_yticks(), names(axes), strict=True))
    return {
        str(bars.get_label()): {
            rows[min(rows, key=lambda row: abs(row - y))]: round(float(x), 3)
            for x, y in zip(*bars[0].get_data(), strict=True)
        }
        for bars in axes.containers
    }


def cut_off(figure: Figure) -> list[str]:
    """The edges of the figure that something drawn reaches, and so perhaps goes beyond."""
    with look():
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    ink = (np.asarray(canvas.buffer_rgba())[..., :3] < 255).any(-1)
    edges = {"top": ink[0], "bottom": ink[-1], "left": ink[:, 0], "right": ink[:, -1]}
    return [name for name, edge in edges.items() if edge.any()]
