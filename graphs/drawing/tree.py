"""Constituency trees as SVG, or several side by side: words on the bottom line, phrases above what they cover."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graphs.columns import Constituency
from graphs.drawing.canvas import MARGIN, Canvas, Svg, number, readable, text_width
from graphs.drawing.colour import FILL, INK, LINE, SOFT, Palette, Scale, darker, ink_on
from graphs.drawing.given import floats, texts, wants
from graphs.errors import SentenceError
from graphs.trees import ordered_parents

_WORD: Final = 15.0  # font sizes
_LABEL: Final = 12.0
_NOTE: Final = 10.0
_GAP: Final = 16.0  # between columns
_PAD: Final = 7.0  # in a badge, left and right of its text
_DOT: Final = 11.0  # badge without text
_ROW: Final = 22.0  # badge with one line of text
_ROWS: Final = 35.0  # badge with two
_STEEP: Final = (24.0, 34.0)  # height between two rows of badges, in the tallest trees and in low ones


@dataclass(slots=True)
class _Badge:
    """What stands for a node: its two lines of text, size and place (centre)."""

    label: str
    note: str
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


@dataclass(slots=True)
class _Rows:
    """The measures of a tree: height from row to row, half a badge, middle of the words, full width."""

    step: float
    half: float
    line: float
    width: float


def tree_svg(
    tree: Constituency,
    *,
    values: Sequence[float] | None = None,
    notes: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    palette: Palette = "diverging",
    low: float | None = None,
    high: float | None = None,
    title: str | None = None,
    label: str | None = None,
) -> Svg:
    """Draws a constituency tree.

    Args:
        tree: a tree of N nodes.
        values: [N] colours the nodes; a node with NaN stays plain.
        notes: [N] a short second line for each node, "" for none.
        labels: [N] what to write at the nodes instead of the labels of the tree.
        palette: "diverging" for values with a middle (sentiment), "sequential" for amounts (heat).
        low: value of the first colour; by default found from the values.
        high: value of the last colour; by default found from the values.
        title: a line above the drawing.
        label: what the colours are, beside their legend.

    Raises:
        SentenceError: the tree is empty or broken, or `values`, `notes` or `labels` do not have N entries.
        InputError: `tree` is no tree, a value is no number, the palette is unknown, or the colour range is empty.
    """
    wants(tree, Constituency, "tree_svg", "constituency trees, such as graphs.read_brackets gives")
    for name, column in (("values", values), ("notes", notes), ("labels", labels)):
        if column is not None and len(column) != len(tree):
            raise SentenceError(f"{len(column)} {name} for {len(tree)} nodes; give one for each", tree.origin)
    numbers = [math.nan] * len(tree) if values is None else floats(values, "values")
    scale = None if values is None else Scale.of(palette, numbers, low, high)
    lines = [""] * len(tree) if notes is None else texts(notes)
    picture = TreePicture(tree, numbers, scale, lines, tree.label if labels is None else texts(labels))
    canvas = Canvas()
    picture.draw(canvas)
    return canvas.svg(picture.width, picture.height + MARGIN, title=title, scale=scale, label=label)


class TreePicture:
    """A tree with the places of its nodes.

    Args:
        tree: a tree of N nodes.
        values: [N] colours of the nodes, NaN for none.
        scale: of these colours.
        notes: [N] second lines of the nodes.
        labels: [N] first lines of the nodes.
        patches: whether words stand on pieces of paper, which part them from lines that were drawn before.

    Attributes:
        width: of the drawing.
        height: of the drawing, from the top to the feet of the words.
        anchors: [N] where lines from elsewhere meet a node: the middle of its badge, or the foot of its word.

    Raises:
        SentenceError: the tree is empty or broken.
    """

    def __init__(
        self,
        tree: Constituency,
        values: Sequence[float],
        scale: Scale | None,
        notes: Sequence[str],
        labels: Sequence[str],
        *,
        patches: bool = False,
    ) -> None:
        self._parents = ordered_parents(tree).tolist()
        self._tree, self._values, self._scale, self._patches = tree, values, scale, patches
        self._badges = [
            _badge(label, note, plain=scale is None and word is not None)
            for label, note, word in zip(labels, notes, tree.word, strict=True)
        ]
        self._rows = _place(tree, self._parents, self._badges)
        self.width, self.height = self._rows.width, self._rows.line + _WORD / 2
        self.anchors = [
            (badge.x, badge.y if word is None else self.height)
            for badge, word in zip(self._badges, tree.word, strict=True)
        ]

    def draw(self, canvas: Canvas) -> None:
        """Draws it from the origin of the canvas's frame."""
        badges = self._badges
        for node, parent in enumerate(self._parents):
            if parent >= 0:
                canvas.path(_edge(badges[parent], badges[node], self._rows), stroke=LINE)
        for node, (badge, word) in enumerate(zip(badges, self._tree.word, strict=True)):
            _draw(canvas, badge, self._values[node], self._scale, leaf=word is not None, patch=self._patches)
            if word is not None:
                canvas.text(word, badge.x, self._rows.line, _WORD, kind="word", patch=self._patches)


def _badge(label: str, note: str, *, plain: bool) -> _Badge:
    wide = max(text_width(label, _LABEL, bold=True), text_width(note, _NOTE))
    if not label and not note:
        # A leaf with neither tag nor value needs no mark over its word.
        return _Badge("", "", 0.0 if plain else _DOT, 0.0 if plain else _DOT)
    height = _ROWS if label and note else _ROW
    return _Badge(label, note, max(wide + 2 * _PAD, _ROW), height)


def _place(tree: Constituency, parents: list[int], badges: list[_Badge]) -> _Rows:
    """Sets the place of each badge.

    A node stands as many rows above the words as its longest path down. So nodes of one row cover different
    words, and as every node stays over its own words, none can touch another.
    """
    count = len(parents)
    row = [0] * count
    under = [0.0] * count  # width of the children of a node
    wide = [0.0] * count  # and of its column: that of its badge and word where they are wider
    for node in reversed(range(count)):
        word = tree.word[node]
        own = badges[node].width if word is None else max(badges[node].width, text_width(word, _WORD))
        wide[node] = max(under[node], own + _GAP)
        if parents[node] >= 0:
            row[parents[node]] = max(row[parents[node]], row[node] + 1)
            under[parents[node]] += wide[node]

    left = [0.0] * count  # edge of the column of a node
    free = [0.0] * count  # edge of the column of its next child
    edge = MARGIN  # of the column of the next root: a document has several
    for node, parent in enumerate(parents):
        if parent >= 0:
            left[node] = free[parent]
            free[parent] += wide[node]
        else:
            left[node] = edge
            edge += wide[node]
        free[node] = left[node] + (wide[node] - under[node]) / 2

    tallest, top = max(badge.height for badge in badges), max(row)
    rows = _Rows(
        step=tallest + max(_STEEP[0], min(_STEEP[1], 300.0 / max(top, 1))),
        half=tallest / 2,
        line=0.0,
        width=edge + MARGIN,
    )
    base = MARGIN + tallest / 2 + top * rows.step
    rows.line = base + tallest / 2 + 5.0 + _WORD / 2
    ends: dict[int, tuple[float, float]] = {}  # where the first and the last child of a node stand
    for node in reversed(range(count)):
        badge, middle = badges[node], left[node] + wide[node] / 2
        slack = (wide[node] - badge.width) / 2
        first, last = ends.get(node, (middle, middle))
        badge.x = min(max((first + last) / 2, middle - slack), middle + slack)
        badge.y = base - row[node] * rows.step
        if parents[node] >= 0:
            ends[parents[node]] = (badge.x, ends.get(parents[node], (badge.x, badge.x))[1])
    return rows


def _edge(parent: _Badge, child: _Badge, rows: _Rows) -> str:
    """A curve to the row below, then straight down: past that row nothing else stands over the child."""
    top = parent.y + parent.height / 2
    end = child.y - child.height / 2 if child.height else rows.line - _WORD * 0.65
    turn = min(end, parent.y + rows.step - rows.half)
    middle = (top + turn) / 2
    curve = (
        f"M{number(parent.x)} {number(top)}C{number(parent.x)} {number(middle)} "
        f"{number(child.x)} {number(middle)} {number(child.x)} {number(turn)}"
    )
    return curve if turn == end else f"{curve}V{number(end)}"


def _draw(canvas: Canvas, badge: _Badge, value: float, scale: Scale | None, *, leaf: bool, patch: bool) -> None:
    coloured = scale is not None and not math.isnan(value)
    fill = scale.colour(value) if scale is not None and coloured else FILL
    ink = ink_on(fill) if coloured else SOFT if leaf else INK
    if badge.height and (coloured or not leaf):
        canvas.box(
            badge.x - badge.width / 2,
            badge.y - badge.height / 2,
            badge.width,
            badge.height,
            fill=fill,
            stroke=darker(fill),
            radius=min(badge.height / 2, _ROW / 2),
            kind="node",
            hint=" ".join(part for part in (badge.label, readable(value) if coloured else "") if part),
        )
    apart = 7.0 if badge.label and badge.note else 0.0
    patch = patch and leaf and not coloured
    bold = not leaf or coloured
    canvas.text(badge.label, badge.x, badge.y - apart, _LABEL, fill=ink, bold=bold, kind="label", patch=patch)
    canvas.text(badge.note, badge.x, badge.y + apart, _NOTE, fill=ink, kind="note")
