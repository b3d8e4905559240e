"""Dependency trees as SVG: arcs from heads to dependents over the words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from graphs.columns import Dependencies
from graphs.drawing.arcs import COLOUR, WIDTH, arcs_svg, stack
from graphs.drawing.arcs import Arc as AnyArc
from graphs.drawing.canvas import MARGIN, Canvas, Svg, number, text_width
from graphs.drawing.colour import INK, PAPER, SOFT, Scale
from graphs.drawing.given import floats, wants
from graphs.errors import SentenceError
from graphs.features import tags
from graphs.trees import heads as heads_of

_WORD: Final = 15.0  # font sizes
_TAG: Final = 10.5
_RELATION: Final = 11.0
_GAP: Final = 18.0  # between words
_PORT: Final = 8.0  # between the ends of arcs at a word
_STEP: Final = 24.0  # height of a level of arcs
_FOOT: Final = 20.0  # from the words up to level 0
_BEND: Final = 10.0  # radius of the corners of an arc
_ARROW: Final = 6.0
_ROOT: Final = "#9e2a23"
_LONG: Final = 20  # tokens beyond which a tree no longer fits a page in one row
_WIDTHS: Final = (1.0, 4.5)  # of arcs, from the lowest weight to the highest


@dataclass(slots=True)
class _Arc:
    """An arc over the gaps `left` .. `right - 1` between words, or at a root a line up from its word.

    Attributes:
        left: the word at its left end.
        right: the word at its right end, `left` itself at a root.
        dependent: the word at which its arrow points.
        level: how high it runs, from 1.
        ports: offset of its left and its right end from the middle of their words.
        label: where the middle of its label stands.
    """

    left: int
    right: int
    dependent: int
    name: str
    level: int = 0
    ports: tuple[float, float] = (0.0, 0.0)
    label: float = 0.0

    @property
    def need(self) -> float:
        """Width of the label with some air around it."""
        return text_width(self.name, _RELATION) + 16.0


def dependencies_svg(
    sentence: Dependencies,
    *,
    weights: Sequence[float] | None = None,
    title: str | None = None,
    compact: bool | None = None,
    width: float = WIDTH,
    label: str | None = None,
) -> Svg:
    """Draws a dependency tree or forest, crossing arcs and several roots included.

    Args:
        sentence: N tokens.
        weights: [N] weight of the arc from its head to each token; a heavier arc is wider and darker.
        title: a line above the drawing.
        compact: relations stand under the words instead of on the arcs, and long sentences have several rows; by
            default in a sentence of more than 20 tokens.
        width: pixels of such a row.
        label: what the weights are, beside their legend.

    Raises:
        SentenceError: the sentence is empty, a head is out of range, or there are not N weights.
        InputError: `sentence` is something else, or a weight is no number.
    """
    wants(sentence, Dependencies, "dependencies_svg", "dependency trees, such as graphs.read_conllu gives")
    if weights is not None and len(weights) != len(sentence):
        raise SentenceError(f"{len(weights)} weights for {len(sentence)} tokens; give one each", sentence.origin)
    numbers = None if weights is None else floats(weights, "weights")
    if compact or (compact is None and len(sentence) > _LONG):
        return _compact(sentence, numbers, title, width, label)
    scale = None if numbers is None else Scale.of("lines", numbers)
    picture = DependenciesPicture(sentence, numbers, scale)
    canvas = Canvas()
    picture.draw(canvas)
    return canvas.svg(picture.width, picture.height + MARGIN, title=title, scale=scale, label=label)


def _require_tokens(sentence: Dependencies) -> None:
    if not len(sentence):
        raise SentenceError("sentence has no tokens; nothing to draw", sentence.origin)


def _compact(
    sentence: Dependencies, weights: Sequence[float] | None, title: str | None, width: float, label: str | None
) -> Svg:
    _require_tokens(sentence)
    heads = heads_of(sentence).tolist()
    arcs: list[AnyArc] = [
        (head, token) if weights is None else (head, token, weights[token])
        for token, head in enumerate(heads)
        if head >= 0
    ]
    marks = [tag or "" for tag in tags(sentence)]
    scale = Scale.of("lines", weights or [])
    notes = [marks, sentence.relation] if any(marks) else [sentence.relation]
    return arcs_svg(
        sentence.word, arcs, notes=notes, low=scale.low, high=scale.high, width=width, title=title, label=label
    )


class DependenciesPicture:
    """A dependency tree with the places of its words.

    Args:
        sentence: N tokens.
        weights: [N] weights of their arcs.
        scale: of these weights.

    Attributes:
        width: of the drawing.
        height: of the drawing, from the top to the feet of the tags.
        anchors: [N] where lines from elsewhere meet a word: under it.

    Raises:
        SentenceError: the sentence is empty, or a head is out of range.
    """

    def __init__(
        self, sentence: Dependencies, weights: Sequence[float] | None = None, scale: Scale | None = None
    ) -> None:
        _require_tokens(sentence)
        self._sentence, self._weights, self._scale = sentence, weights, scale
        self._marks = [tag or "" for tag in tags(sentence)]
        self._arcs = _arcs(sentence)
        room = _ports(self._arcs, len(sentence))
        halves = [
            max(text_width(word, _WORD), text_width(mark, _TAG), wide) / 2
            for word, mark, wide in zip(sentence.word, self._marks, room, strict=True)
        ]
        self._places = _place(self._arcs, halves)
        # Where the arcs meet the words.
        self._foot = MARGIN + max((arc.level for arc in self._arcs), default=0) * _STEP + _FOOT
        ends = [arc.label + arc.need / 2 for arc in self._arcs]
        self.width = max([self._places[-1] + halves[-1], *ends]) + MARGIN
        self.height = self._foot + 38.0
        self.anchors = [(place, self.height) for place in self._places]

    def draw(self, canvas: Canvas) -> None:
        """Draws it from the origin of the canvas's frame."""
        for arc in sorted(self._arcs, key=lambda arc: -arc.level):
            weight = None if self._weights is None else self._weights[arc.dependent]
            _draw(canvas, arc, self._places, self._foot, weight, self._scale)
        for arc in self._arcs:
            middle = self._foot - _FOOT - arc.level * _STEP + _RELATION / 2
            root = arc.left == arc.right
            # A patch of paper under the label parts it from its own line.
            canvas.box(arc.label - arc.need / 2 + 5.0, middle - 7.0, arc.need - 10.0, 14.0, fill=PAPER)
            canvas.text(arc.name, arc.label, middle, _RELATION, fill=_ROOT if root else SOFT, kind="relation")
        for word, mark, place in zip(self._sentence.word, self._marks, self._places, strict=True):
            canvas.text(word, place, self._foot + 14.0, _WORD, fill=INK, kind="word")
            canvas.text(mark, place, self._foot + 32.0, _TAG, fill=SOFT, kind="tag")


def _arcs(sentence: Dependencies) -> list[_Arc]:
    """The arcs with their levels, one for each token: an arc runs above all arcs over one of its gaps."""
    arcs = []
    for token, (head, relation) in enumerate(zip(heads_of(sentence).tolist(), sentence.relation, strict=True)):
        ends = sorted((token, head if head >= 0 else token))
        arcs.append(_Arc(ends[0], ends[1], token, relation))
    height = [0] * len(sentence)  # of the arcs over the gap to the right of each word
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left)):
        if arc.left < arc.right:
            arc.level = stack(height, arc.left, arc.right)
    top = 1 + max((arc.level for arc in arcs), default=0)
    for arc in arcs:
        arc.level = arc.level or top
    return arcs


def _ports(arcs: list[_Arc], count: int) -> list[float]:
    """Sets where arcs end at their words, so that those of one word do not cross; returns the room they take.

    From left to right: arcs to the left, the shortest first; the line of a root; arcs to the right, the
    longest first.
    """
    at: list[list[tuple[int, int, _Arc]]] = [[] for _ in range(count)]
    for arc in arcs:
        if arc.left == arc.right:
            at[arc.left].append((1, 0, arc))
        else:
            at[arc.right].append((0, arc.right - arc.left, arc))
            at[arc.left].append((2, arc.left - arc.right, arc))
    for word, ends in enumerate(at):
        ends.sort(key=lambda end: end[:2])
        for index, (_, _, arc) in enumerate(ends):
            offset = (index - (len(ends) - 1) / 2) * _PORT
            left = offset if arc.left == word else arc.ports[0]
            right = offset if arc.right == word else arc.ports[1]
            arc.ports = (left, right)
    return [len(ends) * _PORT for ends in at]


def _place(arcs: list[_Arc], halves: list[float]) -> list[float]:
    """The middle of each word, and of each label: every label fits its arc, clear of the lines that pass."""
    needs = [(arc.left, arc.right, arc.need + 2 * _BEND + arc.ports[0] - arc.ports[1]) for arc in arcs]
    # Labels of neighbouring roots stand on one level.
    roots = [arc for arc in arcs if arc.left == arc.right]
    needs += [(a.left, b.left, (a.need + b.need) / 2) for a, b in pairwise(roots)]
    while True:
        places = _spread(halves, needs)
        tight = []
        for arc in arcs:
            (start, first), (end, last) = _clear(arc, arcs, places)
            arc.label = (start + end) / 2
            if arc.left < arc.right and end - start < arc.need - 0.01:
                tight.append((first, last, places[last] - places[first] + arc.need - (end - start)))
        if not tight:
            break
        # Words only ever move apart, so a label that fits once fits for good.
        needs += tight
    # The label of a root may reach out to the left of the first word.
    shift = max(0.0, MARGIN - min(arc.label - arc.need / 2 for arc in arcs))
    for arc in arcs:
        arc.label += shift
    return [place + shift for place in places]


def _spread(halves: list[float], needs: list[tuple[int, int, float]]) -> list[float]:
    """The leftmost middles of words that do not touch and keep the distances in `needs`."""
    before: list[list[tuple[int, float]]] = [[] for _ in halves]
    for left, right, need in needs:
        if left < right:
            before[right].append((left, need))
    places: list[float] = []
    for word, half in enumerate(halves):
        least = places[-1] + halves[word - 1] + half + _GAP if word else MARGIN + half
        places.append(max([least, *(places[left] + need for left, need in before[word])]))
    return places


def _clear(arc: _Arc, arcs: list[_Arc], places: list[float]) -> tuple[tuple[float, int], tuple[float, int]]:
    """The widest stretch of an arc that no end of a higher arc passes: its edges and their words."""
    if arc.left == arc.right:
        place = places[arc.left] + arc.ports[0]
        return (place, arc.left), (place, arc.left)
    cuts = [
        (places[arc.left] + arc.ports[0] + _BEND, arc.left),
        (places[arc.right] + arc.ports[1] - _BEND, arc.right),
    ]
    for other in arcs:
        if other.level > arc.level:
            cuts += [
                (places[word] + port, word)
                for word, port in zip((other.left, other.right), other.ports, strict=True)
                if arc.left < word < arc.right
            ]
    cuts.sort()
    return max(pairwise(cuts), key=lambda pair: (round(pair[1][0] - pair[0][0], 3), -pair[0][0]))


def _draw(
    canvas: Canvas, arc: _Arc, places: list[float], foot: float, weight: float | None, scale: Scale | None
) -> None:
    y = foot - _FOOT - arc.level * _STEP + _RELATION / 2
    left = places[arc.left] + arc.ports[0]
    right = places[arc.right] + arc.ports[1]
    root = arc.left == arc.right
    colour, width = _ROOT if root else COLOUR, 1.3
    if weight is not None and scale is not None and not math.isnan(weight):
        width = scale.between(weight, *_WIDTHS)
        colour = scale.colour(weight)
    end = foot - _ARROW
    ends = [end if arc.dependent == arc.left else foot, end if arc.dependent == arc.right else foot]
    if root:
        data = f"M{number(left)} {number(y)}V{number(end)}"
    else:
        bend = number(_BEND)
        data = (
            f"M{number(left)} {number(ends[0])}V{number(y + _BEND)}q0 -{bend} {bend} -{bend}"
            f"H{number(right - _BEND)}q{bend} 0 {bend} {bend}V{number(ends[1])}"
        )
    canvas.path(data, stroke=colour, width=width)
    tip = left if arc.dependent == arc.left else right
    canvas.arrow(tip, foot, half=_ARROW * 0.55 + width / 3, length=_ARROW + 2, colour=colour)
