"""A matrix of words against words as SVG: attention, similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from graphs.columns import as_array
from graphs.drawing.canvas import MARGIN, Canvas, Svg, number, readable, text_width
from graphs.drawing.colour import LINE, PAPER, Palette, Scale, ink_on
from graphs.drawing.given import words_of
from graphs.drawing.letters import shortened
from graphs.errors import InputError

_CELL: Final = 28.0  # pixels of a cell with a value
_SMALL: Final = 18.0  # and of one without
_TEXT: Final = 13.0
_VALUE: Final = 10.0
_LONG: Final = 8.5  # of values of more than four characters
_FEW: Final = 16  # rows and columns up to which a cell shows its value
_LONGEST: Final = 40  # letters of a name, wide ones counted twice
_MANY: Final = 10_000  # cells, beyond which none is a shape of its own: 300 words were 12 MB
_TURN: Final = -50.0  # degrees, of the names over the columns


def heat_svg(
    matrix: npt.ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    *,
    title: str | None = None,
    low: float | None = 0.0,
    high: float | None = 1.0,
    palette: Palette = "sequential",
    label: str | None = None,
) -> Svg:
    """Draws a matrix as coloured cells, with their values where they are few, else under the mouse up to 10,000 cells.

    Long names are cut in their middle; up to 10,000 cells the whole of them is under the mouse.

    Args:
        matrix: [R, C] numbers, an array or a tensor; a cell with NaN stays empty.
        rows: [R] names of the rows.
        columns: [C] names of the columns; those of the rows by default.
        title: a line above the drawing.
        low: value of the first colour; None finds it from the matrix.
        high: value of the last colour; None finds it from the matrix.
        palette: "sequential" for amounts, "diverging" for values with a middle.
        label: what the values are, beside their legend.

    Raises:
        InputError: the matrix is not [R, C], a parse is given in the place of its words, the palette is unknown, or the
            colour range is empty.
    """
    rows = words_of(rows)
    columns = rows if columns is None else words_of(columns)
    cells = matrix_of(matrix, len(rows), len(columns))
    scale = Scale.of(palette, cells.ravel().tolist(), low, high)
    few = max(cells.shape, default=0) <= _FEW
    size = _CELL if few else _SMALL
    largest = max(map(abs, cells[np.isfinite(cells)].tolist()), default=0.0)
    canvas = Canvas()
    beside, above = ([shortened(name, _LONGEST) for name in names] for names in (rows, columns))
    left = MARGIN + max((text_width(name, _TEXT) for name in beside), default=0.0) + 8.0
    slope = math.radians(-_TURN)
    over = max((text_width(name, _TEXT) for name in above), default=0.0)
    top = MARGIN + over * math.sin(slope) + 14.0
    ends = [left + (index + 0.6) * size + text_width(name, _TEXT) * math.cos(slope) for index, name in enumerate(above)]
    for index, name in enumerate(above):
        x = left + (index + 0.55) * size
        canvas.text(name, x, top - 9.0, _TEXT, anchor="start", kind="column", turn=_TURN)
    for index, name in enumerate(rows):
        y = top + index * size
        canvas.text(beside[index], left - 8.0, y + size / 2, _TEXT, anchor="end", kind="row")
        for place, value in enumerate(cells[index].tolist() if cells.size <= _MANY else ()):
            x, colour = left + place * size, scale.colour(value)
            stroke = PAPER if value == value else LINE  # paper between cells, so that those of one colour stay apart
            hint = f"{name} · {columns[place]}: {'none' if math.isnan(value) else readable(value)}"
            canvas.box(x, y, size, size, fill=colour, stroke=stroke, kind="cell", hint=hint)
            if few and math.isfinite(value):
                text = _short(value, largest)
                letters = _VALUE if len(text) < 5 else _LONG
                canvas.text(text, x + size / 2, y + size / 2, letters, fill=ink_on(colour), kind="value")
    if cells.size > _MANY:
        _draw_many(canvas, cells, scale, left, top)
    right = max([left + len(columns) * size, *ends])
    return canvas.svg(right + MARGIN, top + len(rows) * size + MARGIN, title=title, scale=scale, label=label)


def _draw_many(canvas: Canvas, cells: npt.NDArray[np.float64], scale: Scale, left: float, top: float) -> None:
    """Cells without values, all those of a colour as one shape, in which neighbours of a row are one bar."""
    shapes: dict[tuple[str, str], list[str]] = {}
    for row, values in enumerate(cells.tolist()):
        column = 0
        for colours, run in groupby((scale.colour(value), PAPER if value == value else LINE) for value in values):
            count = len(list(run))
            corner = f"M{number(left + column * _SMALL)} {number(top + row * _SMALL)}"
            width = number(count * _SMALL)
            shapes.setdefault(colours, []).append(f"{corner}h{width}v{number(_SMALL)}h-{width}z")
            column += count
    for (fill, stroke), parts in shapes.items():
        canvas.path("".join(parts), stroke=stroke, width=1.0, fill=fill)


def matrix_of(matrix: npt.ArrayLike, rows: int, columns: int) -> npt.NDArray[np.float64]:
    """A matrix, an array or a tensor, as [rows, columns] numbers.

    Raises:
        InputError: it has another shape, or is not of numbers.
    """
    cells = numbers_of(matrix)
    if cells.shape != (rows, columns):
        raise InputError(
            f"matrix has shape {list(cells.shape)} for {rows} rows and {columns} columns; "
            "give as many names as it has rows and columns"
        )
    return cells


def numbers_of(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """An array, or a tensor of any type on any device, as numbers.

    Raises:
        InputError: it is not of numbers, or its rows differ in length.
    """
    try:
        return np.asarray(as_array(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"no matrix of numbers ({error}); give numbers in rows of one length") from None


def _short(value: float, largest: float) -> str:
    """A value in four characters or so, as fine as the largest one asks: 0, .07, .0012, 2e-5, 1, -1.5, 12, 2e4."""
    size = abs(value)
    if size >= 9999.5 or (0 < largest < 0.001 and value):
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    if size >= 9.95:
        return f"{value:.0f}"
    if size >= 0.995:
        return f"{value:.1f}".removesuffix(".0")
    text = f"{value:.{2 if largest >= 0.1 else 3 if largest >= 0.01 else 4}f}"
    return text.replace("0.", ".", 1) if float(text) else "0"
