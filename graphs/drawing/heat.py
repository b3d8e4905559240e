"""A matrix of words against words as SVG: attention, similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from graphs.drawing.canvas import MARGIN, Canvas, Svg, number, text_width
from graphs.drawing.colour import LINE, PAPER, Palette, Scale, ink_on
from graphs.errors import InputError

_CELL: Final = 28.0
_TEXT: Final = 13.0
_VALUE: Final = 10.0
_FEW: Final = 16  # rows and columns up to which a cell shows its value
_TURN: Final = -50.0  # degrees, of the names over the columns


def heat_svg(
    matrix: npt.ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    title: str | None = None,
    low: float | None = 0.0,
    high: float | None = 1.0,
    *,
    palette: Palette = "sequential",
) -> Svg:
    """Draws a matrix as coloured cells, with their values where they are few.

    Args:
        matrix: [R, C] numbers, an array or a tensor; a cell with NaN stays empty.
        rows: [R] names of the rows.
        columns: [C] names of the columns; those of the rows by default.
        title: a line above the drawing.
        low: value of the first colour; None finds it from the matrix.
        high: value of the last colour; None finds it from the matrix.
        palette: "sequential" for amounts, "diverging" for values with a middle.

    Raises:
        InputError: the matrix is not [R, C], or the colour range is empty.
    """
    columns = rows if columns is None else columns
    cells = matrix_of(matrix, len(rows), len(columns))
    scale = Scale.of(palette, cells.ravel().tolist(), low, high)
    canvas = Canvas()
    left = MARGIN + max((text_width(row, _TEXT) for row in rows), default=0.0) + 8.0
    slope = math.radians(-_TURN)
    over = max((text_width(column, _TEXT) for column in columns), default=0.0)
    top = MARGIN + over * math.sin(slope) + 14.0
    ends = [
        left + (index + 0.6) * _CELL + text_width(name, _TEXT) * math.cos(slope) for index, name in enumerate(columns)
    ]
    for index, name in enumerate(columns):
        x = left + (index + 0.55) * _CELL
        canvas.text(name, x, top - 9.0, _TEXT, anchor="start", kind="column", turn=_TURN)
    few = max(cells.shape, default=0) <= _FEW
    for index, name in enumerate(rows):
        y = top + index * _CELL
        canvas.text(name, left - 8.0, y + _CELL / 2, _TEXT, anchor="end", kind="row")
        for place, value in enumerate(cells[index].tolist()):
            colour = scale.colour(value)
            x = left + place * _CELL
            hint = f"{name} · {columns[place]}: {value:.3g}"
            # Paper between the cells, so that neighbours of one colour stay apart.
            canvas.box(
                x,
                y,
                _CELL,
                _CELL,
                fill=colour,
                stroke=PAPER if value == value else LINE,
                kind="cell",
                hint=hint,
            )
            if few and math.isfinite(value):
                text = _short(value)
                canvas.text(text, x + _CELL / 2, y + _CELL / 2, _VALUE, fill=ink_on(colour), kind="value")
    right = max([left + len(columns) * _CELL, *ends])
    return canvas.svg(right + MARGIN, top + len(rows) * _CELL + MARGIN, title=title, scale=scale)


def matrix_of(matrix: npt.ArrayLike, rows: int, columns: int) -> npt.NDArray[np.float64]:
    """A matrix, an array or a tensor, as [rows, columns] numbers.

    Raises:
        InputError: it has another shape.
    """
    tensor = matrix.detach().cpu() if hasattr(matrix, "detach") else matrix
    cells = np.asarray(tensor, dtype=np.float64)
    if cells.shape != (rows, columns):
        raise InputError(
            f"matrix has shape {list(cells.shape)} for {rows} rows and {columns} columns; "
            "give as many names as it has rows and columns"
        )
    return cells


def _short(value: float) -> str:
    """A value in four characters or so: 0, .07, .50, 1, -1.5, 12."""
    size = abs(value)
    if size >= 1000:
        return f"{value:.0e}"
    if 0.005 <= size < 0.995:
        return f"{value:.2f}".replace("0.", ".", 1)
    return number(round(value, 1)) if size < 10 else f"{value:.0f}"
