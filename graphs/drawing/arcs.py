"""Arcs between words as SVG: any arcs at all, over and under the words, in as many rows as a width wants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from graphs.drawing.canvas import MARGIN, Canvas, Svg, apart, number, text_width
from graphs.drawing.colour import INK, SOFT, Scale
from graphs.drawing.given import drawn_by, named, texts, words_of
from graphs.drawing.letters import shortened
from graphs.errors import InputError

Arc: TypeAlias = "tuple[int, int] | tuple[int, int, float]"

WIDTH: Final = 900.0  # pixels of a row
COLOUR: Final = "#4a7396"

_WORD: Final = 14.0  # font sizes
_NOTE: Final = 10.0
_OTHER: Final = 9.5
_GAP: Final = 10.0  # between words
_PORT: Final = 6.0  # between the ends of arcs at a word
_STEP: Final = 13.0  # height of a level of arcs
_FOOT: Final = 16.0  # from the words up to level 0
_BEND: Final = 5.0  # radius of the corners of an arc
_ARROW: Final = 5.0
_BETWEEN: Final = 16.0  # rows
_WIDTHS: Final = (0.8, 4.2)  # of arcs, from the lowest weight to the highest
_LONGEST: Final = 14  # letters of a word at the end of a row, wide ones counted twice


@dataclass(slots=True)
class _Arc:
    """An arc from one word to another, or from a word to itself.

    Attributes:
        ports: offsets of its left and its right end from the middle of their words.
    """

    sender: int
    receiver: int
    weight: float
    ports: tuple[float, float] = (0.0, 0.0)

    @property
    def ends(self) -> tuple[int, int]:
        """The words at its left and its right end."""
        return min(self.sender, self.receiver), max(self.sender, self.receiver)


@dataclass(slots=True)
class _Row:
    """Some words in a row: those from `first` up to `end`, the heights of the arcs over and under them."""

    first: int
    end: int
    levels: list[dict[int, int]]  # over and under the words: arc -> its level
    foot: float = 0.0  # where the arcs over the words end
    under: float = 0.0  # where those under them do


def arcs_svg(
    words: Sequence[str],
    arcs: Iterable[Arc],
    *,
    below: Iterable[Arc] = (),
    notes: Sequence[Sequence[str]] = (),
    low: float = 0.0,
    high: float = 1.0,
    width: float = WIDTH,
    title: str | None = None,
    label: str | None = None,
) -> Svg:
    """Draws arcs between words, several rows of them where they are many.

    An arc that ends in another row runs to the edge, where the word at its other end is named. Arcs may cross, form
    cycles and lead from a word to itself.

    Args:
        words: [N] words.
        arcs: (sender, receiver) or (sender, receiver, weight); a heavier arc is wider and darker. The arrow is at the
            receiver.
        below: arcs drawn under the words.
        notes: lines of text under the words, each [N].
        low: weight of the thinnest arc.
        high: weight of the widest arc.
        width: pixels of a row.
        title: a line above the drawing.
        label: what the weights are, beside their legend.

    Raises:
        InputError: there are no words, or text or a parse in their place or in that of arcs, an arc is no such tuple
            or ends at no word, there are not N notes, or `low` is above `high`.
    """
    words, notes = words_of(words), [texts(line) for line in notes]
    if not words:
        raise InputError("no words; nothing to draw")
    for line in notes:
        if len(line) != len(words):
            raise InputError(f"{len(line)} notes for {len(words)} words; give one for each")
    sides = [_read(given, len(words)) for given in (arcs, below)]
    weights = [arc.weight for side in sides for arc in side if not math.isnan(arc.weight)]
    scale = Scale.of("lines", weights, low, high) if weights else None
    rooms = [_ports(side, len(words)) for side in sides]
    sizes = [
        max([text_width(words[n], _WORD), *(text_width(line[n], _NOTE) for line in notes), rooms[0][n], rooms[1][n]])
        for n in range(len(words))
    ]
    lane = _lane(words, sides)
    rows = _rows(sizes, width - 2 * MARGIN, lane, sides)
    lane = lane if len(rows) > 1 else 0.0
    places = _places(rows, sizes, MARGIN + lane)
    edges = (MARGIN + lane, max(place + size / 2 for place, size in zip(places, sizes, strict=True)))
    bottom = _heights(rows, len(notes))

    canvas = Canvas()
    for row in rows:
        for side, levels, y, flip in zip(sides, row.levels, (row.foot, row.under), (False, True), strict=True):
            with canvas.at(0.0, y, flip=flip):
                _draw(canvas, row, side, levels, words, places, edges, scale)
        for n in range(row.first, row.end):
            canvas.text(words[n], places[n], row.foot + 2.0 + _WORD / 2, _WORD, fill=INK, kind="word")
            for place, note in enumerate(notes):
                middle = row.foot + _WORD + 5.0 + (place + 0.5) * (_NOTE + 3.0)
                canvas.text(note[n], places[n], middle, _NOTE, fill=SOFT, kind="note")
    return canvas.svg(edges[1] + lane + MARGIN, bottom + MARGIN, title=title, scale=scale, label=label)


def _read(arcs: Iterable[Arc], count: int) -> list[_Arc]:
    if not isinstance(arcs, Iterable):
        raise InputError(f"{named(arcs)} in the place of arcs; give (sender, receiver) of each{drawn_by(arcs)}")
    found = []
    for arc in arcs:
        try:
            one, other, *rest = arc
            (weight,) = map(float, rest or [math.nan])
            sender, receiver = int(one), int(other)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"an arc {arc!r}; give (sender, receiver) or (sender, receiver, weight), words by their numbers"
            ) from None
        if (sender, receiver) != (one, other):
            raise InputError(f"an arc from {one} to {other}, where numbers of words are wanted")
        if not (0 <= sender < count and 0 <= receiver < count):
            raise InputError(f"an arc from word {sender} to word {receiver}, but words are 0 to {count - 1}")
        found.append(_Arc(sender, receiver, weight))
    return found


def _ports(arcs: list[_Arc], count: int) -> list[float]:
    """Sets where arcs end at their words, so that those of one word do not cross; returns the room they take.

    From left to right: arcs to the left, the shortest first; those to the word itself, one in the other; arcs to the
    right, the longest first.
    """
    at: list[list[tuple[int, int, int, _Arc, int]]] = [[] for _ in range(count)]
    for index, arc in enumerate(arcs):
        left, right = arc.ends
        if left == right:
            at[left] += [(1, -index, index, arc, 0), (2, index, index, arc, 1)]
        else:
            at[right].append((0, right - left, index, arc, 1))
            at[left].append((3, left - right, -index, arc, 0))
    for ends in at:
        ends.sort(key=lambda end: end[:3])
        for place, (_, _, _, arc, side) in enumerate(ends):
            offset = (place - (len(ends) - 1) / 2) * _PORT
            arc.ports = (offset, arc.ports[1]) if side == 0 else (arc.ports[0], offset)
    return [len(ends) * _PORT for ends in at]


def _rows(sizes: Sequence[float], room: float, lane: float, sides: Sequence[list[_Arc]]) -> list[_Row]:
    """The words in rows: all in one where they fit, else with lanes at both ends for the words of other rows."""
    ends, used = [], 0.0
    whole = sum(sizes) + _GAP * (len(sizes) - 1) <= room
    for n, size in enumerate(sizes):
        if used and not whole and used + size > room - 2 * lane:
            ends.append(n)
            used = 0.0
        used += size + _GAP
    bounds = [0, *ends, len(sizes)]
    return [_Row(first, end, [_levels(arcs, first, end) for arcs in sides]) for first, end in pairwise(bounds)]


def _levels(arcs: list[_Arc], first: int, end: int) -> dict[int, int]:
    """The arcs of a row with their levels, from 1: each above all over one of its gaps; 0 from a word to itself."""
    height = [0] * (end - first + 1)  # of the arcs over each gap: before the first word, between words, after the last
    found = {}
    pieces = []
    for index, arc in enumerate(arcs):
        left, right = arc.ends
        here = [first <= word < end for word in (left, right)]
        if left == right and here[0]:
            found[index] = 0
        elif any(here):
            pieces.append((max(left, first - 1) - first + 1, min(right, end) - first + 1, right - left, index))
    for left, right, _, index in sorted(pieces, key=lambda piece: (piece[1] - piece[0], piece[2], piece[0])):
        found[index] = stack(height, left, right)
    return found


def stack(height: list[int], left: int, right: int) -> int:
    """The level of one more arc over the gaps `left` .. `right - 1`: above all there, whose `height` becomes its."""
    level = 1 + max(height[left:right])
    height[left:right] = [level] * (right - left)
    return level


def _lane(words: Sequence[str], sides: Sequence[list[_Arc]]) -> float:
    """Room for the names of words in other rows."""
    ends = {word for arcs in sides for arc in arcs if arc.sender != arc.receiver for word in arc.ends}
    return max((text_width(_short(words[word]), _OTHER) for word in ends), default=0.0) + 16.0 if ends else 0.0


def _places(rows: Sequence[_Row], sizes: Sequence[float], left: float) -> list[float]:
    places = []
    for row in rows:
        x = left
        for size in sizes[row.first : row.end]:
            places.append(x + size / 2)
            x += size + _GAP
    return places


def _heights(rows: Sequence[_Row], notes: int) -> float:
    """Sets where the arcs of each row end, one row under the other; returns where the last row does."""
    top = MARGIN
    for row in rows:
        over, under = (max(levels.values(), default=-1) for levels in row.levels)
        row.foot = top + (_FOOT + max(over, 0) * _STEP + _OTHER / 2 if over >= 0 else 0.0)
        row.under = row.foot + _WORD + 6.0 + notes * (_NOTE + 3.0)
        top = row.under + (_FOOT + max(under, 0) * _STEP + _OTHER / 2 if under >= 0 else 0.0) + _BETWEEN
    return top - _BETWEEN


def _draw(
    canvas: Canvas,
    row: _Row,
    arcs: list[_Arc],
    levels: dict[int, int],
    words: Sequence[str],
    places: Sequence[float],
    edges: tuple[float, float],
    scale: Scale | None,
) -> None:
    """The arcs of a row, the heavy ones over the light ones and those without a weight, up from y = 0."""

    def rank(index: int) -> tuple[float, int]:
        weight = arcs[index].weight
        return -math.inf if math.isnan(weight) else weight, -levels[index]

    for index in sorted(levels, key=rank):
        arc, y = arcs[index], -_FOOT - levels[index] * _STEP
        y = -_FOOT * 0.8 if levels[index] == 0 else y
        weighted = scale is not None and not math.isnan(arc.weight)
        colour = scale.colour(arc.weight) if scale is not None and weighted else COLOUR
        wide = scale.between(arc.weight, *_WIDTHS) if scale is not None and weighted else 1.2
        (left, right), inside = arc.ends, [row.first <= word < row.end for word in arc.ends]
        tip = left if arc.receiver == left else right
        x = [places[word] + port for word, port in zip((left, right), arc.ports, strict=True)]
        feet = [-_ARROW if arc.receiver == word else 0.0 for word in (left, right)]
        if left == right:
            feet = [0.0, -_ARROW]
        bend = min(_BEND, (x[1] - x[0]) / 2) if all(inside) else _BEND
        start = (
            f"M{number(x[0])} {number(feet[0])}V{number(y + bend)}q0 -{number(bend)} {number(bend)} -{number(bend)}"
            if inside[0]
            else f"M{number(edges[0] - 8.0)} {number(y)}"
        )
        end = (
            f"H{number(x[1] - bend)}q{number(bend)} 0 {number(bend)} {number(bend)}V{number(feet[1])}"
            if inside[1]
            else f"H{number(edges[1] + 8.0)}"
        )
        said = f" {arc.weight:.3g}" if weighted else ""
        # Between two words of Hebrew or Arabic, unless told apart, the arrow would point at the first.
        hint = f"{apart(words[arc.sender])} → {apart(words[arc.receiver])}{said}"
        canvas.path(start + end, stroke=colour, width=wide, hint=hint)
        if row.first <= arc.receiver < row.end:
            at = x[1] if left == right or tip == right else x[0]
            canvas.arrow(at, 0.0, half=_ARROW * 0.5 + wide / 3, length=_ARROW + 1, colour=colour)
        if not inside[0]:
            canvas.text(_short(words[left]), edges[0] - 11.0, y, _OTHER, fill=SOFT, anchor="end", kind="other")
        if not inside[1]:
            canvas.text(_short(words[right]), edges[1] + 11.0, y, _OTHER, fill=SOFT, anchor="start", kind="other")


def _short(word: str) -> str:
    return shortened(word, _LONGEST)
