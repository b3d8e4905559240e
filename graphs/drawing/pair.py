"""Two sentences as SVG, one over the other, and the attention between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

import numpy.typing as npt

from graphs.columns import Constituency, Dependencies
from graphs.drawing.attention import strongest
from graphs.drawing.canvas import MARGIN, Canvas, Svg, number, text_width
from graphs.drawing.colour import Scale
from graphs.drawing.dependencies import DependenciesPicture
from graphs.drawing.given import named
from graphs.drawing.heat import matrix_of, numbers_of
from graphs.drawing.tree import TreePicture
from graphs.errors import InputError

Side: TypeAlias = "Constituency | Dependencies | Sequence[str]"

_BETWEEN: Final = 110.0  # pixels between the sentences
_WIDTHS: Final = (0.8, 5.0)  # of lines, from the lowest weight to the highest
_WORD: Final = 15.0


class _Picture(Protocol):
    """A sentence with its places."""

    width: float
    height: float
    anchors: list[tuple[float, float]]

    def draw(self, canvas: Canvas) -> None: ...


def pair_svg(
    one: Side,
    other: Side,
    weights: npt.ArrayLike,
    *,
    top: int = 1,
    least: float | None = None,
    low: float = 0.0,
    high: float = 1.0,
    title: str | None = None,
    label: str | None = None,
) -> Svg:
    """Draws two sentences, the second on its head under the first, and whom the nodes of the first listen to.

    Args:
        one: a tree, a dependency tree or words.
        other: likewise.
        weights: [N, M], a row a listener in `one`, a column a node of `other`. Of a constituency tree the rows, or the
            columns, are its nodes or its words alone.
        top: lines that end at a listener, the heaviest ones.
        least: lines that weigh no more are left out; by default 1 / M, what each of M would have of an even share.
            Where M is 1 none is left out.
        low: weight of the thinnest line.
        high: weight of the widest line.
        title: a line above the drawing.
        label: what the weights are, beside their legend.

    Raises:
        InputError: a side cannot be drawn, the weights do not fit, `top` is no whole number from 0, or `low` is above
            `high`.
    """
    cells = numbers_of(weights)
    rows, columns = (cells.shape[0], cells.shape[1]) if cells.ndim == 2 else (-1, -1)
    above, below = _picture(one), _picture(other)
    to, of = _anchors(one, above, rows), _anchors(other, below, columns)
    cells = matrix_of(cells, len(to), len(of))
    arcs = sorted(strongest(cells, top, least), key=lambda arc: arc[2])
    scale = Scale.of("lines", [weight for _, _, weight in arcs], low, high)

    canvas = Canvas()
    full = max(above.width, below.width)
    left = ((full - above.width) / 2, (full - below.width) / 2)
    foot = above.height + _BETWEEN + below.height
    for sender, receiver, weight in arcs:
        x, y = to[receiver][0] + left[0], to[receiver][1]
        u, v = of[sender][0] + left[1], foot - of[sender][1]
        bend = (v - y) * 0.4
        canvas.path(
            f"M{number(u)} {number(v - 3)}C{number(u)} {number(v - bend)} {number(x)} {number(y + bend)} "
            f"{number(x)} {number(y + 3)}",
            stroke=scale.colour(weight),
            width=scale.between(weight, *_WIDTHS),
            hint=f"{weight:.3g}",
        )
    with canvas.at(left[0], 0.0):
        above.draw(canvas)
    with canvas.at(left[1], foot, flip=True):
        below.draw(canvas)
    return canvas.svg(full, foot, title=title, scale=scale, label=label)


class _Words:
    """Words in a line."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        x = MARGIN
        self.height = MARGIN + _WORD
        self.anchors = []
        for word in words:
            wide = text_width(word, _WORD)
            self.anchors.append((x + wide / 2, self.height))
            x += wide + _WORD
        self.width = x - _WORD + MARGIN

    def draw(self, canvas: Canvas) -> None:
        for word, (x, _) in zip(self._words, self.anchors, strict=True):
            canvas.text(word, x, MARGIN + _WORD / 2, _WORD, kind="word")


def _picture(side: Side) -> _Picture:
    if isinstance(side, Constituency):
        return TreePicture(side, [math.nan] * len(side), None, [""] * len(side), side.label, patches=True)
    if isinstance(side, Dependencies):
        return DependenciesPicture(side)
    words = side if isinstance(side, str | Mapping) or not isinstance(side, Iterable) else list(side)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"pair_svg draws trees, dependency trees or lists of words, but was given {named(side)}")
    return _Words(words)


def _anchors(side: Side, picture: _Picture, count: int) -> list[tuple[float, float]]:
    """Where lines meet the nodes of a side, or of a tree its words, if there are so many of them."""
    if isinstance(side, Constituency) and count != len(side) and count == len(side.words):
        return [anchor for anchor, word in zip(picture.anchors, side.word, strict=True) if word is not None]
    return picture.anchors
