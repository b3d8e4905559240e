"""Weights between the words of a sentence as SVG: whom each listens to, and the gates of windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from graphs.columns import Dependencies
from graphs.drawing.arcs import WIDTH, arcs_svg
from graphs.drawing.canvas import Svg
from graphs.drawing.given import wants, words_of
from graphs.drawing.heat import heat_svg, matrix_of, numbers_of
from graphs.errors import InputError, check_whole
from graphs.trees import heads

_TOP: Final = 2


def attention_svg(
    words: Sequence[str],
    weights: npt.ArrayLike,
    *,
    parse: Dependencies | None = None,
    top: int = _TOP,
    least: float | None = None,
    low: float = 0.0,
    high: float = 1.0,
    width: float = WIDTH,
    title: str | None = None,
    label: str | None = None,
) -> Svg:
    """Draws whom each word listens to as arcs, with their weight as width; beside a parse, under it.

    Args:
        words: [N] words.
        weights: [N, N], a row a listener: whom it hears how much.
        parse: the dependency tree of the words, whose arcs are drawn over them, from head to dependent.
        top: arcs that end at a listener, the heaviest ones.
        least: arcs that weigh no more are left out; by default 1 / N, what each of N words would have of an even share.
            Where N is 1 none is left out.
        low: weight of the thinnest arc.
        high: weight of the widest arc.
        width: pixels of a row.
        title: a line above the drawing.
        label: what the weights are, beside their legend.

    Raises:
        InputError: there are no words, or a parse in their place, the weights are not [N, N], `parse` is something else
            or of another number of words, `top` is no whole number from 0, or `low` is above `high`.
        SentenceError: a head of the parse is out of range.
    """
    words = words_of(words)
    cells = matrix_of(weights, len(words), len(words))
    arcs = strongest(cells, top, least)
    if parse is None:
        return arcs_svg(words, arcs, low=low, high=high, width=width, title=title, label=label)
    wants(parse, Dependencies, "attention_svg(parse=...)", "Dependencies, such as graphs.read_conllu gives")
    if len(parse) != len(words):
        raise InputError(f"{len(words)} words, but a parse of {len(parse)} tokens; give the words of the parse")
    tree = [(head, token) for token, head in enumerate(heads(parse).tolist()) if head >= 0]
    notes = [parse.relation]
    return arcs_svg(words, tree, below=arcs, notes=notes, low=low, high=high, width=width, title=title, label=label)


def window_svg(
    words: Sequence[str], gates: npt.ArrayLike, *, title: str | None = None, label: str | None = None
) -> Svg:
    """Draws the gates of a window: a row a word, a column each place of its window.

    Args:
        words: [N] words.
        gates: [N, 2 d + 1] how open each word's gate is for the words d before to d after it, from 0 to 1; NaN where
            there is no such word, a cell that stays empty.
        title: a line above the drawing.
        label: what the gates are, beside their legend.

    Raises:
        InputError: the gates are not [N, 2 d + 1], or a parse is given in the place of its words.
    """
    words = words_of(words)
    cells = numbers_of(gates)
    if cells.ndim != 2 or len(cells) != len(words) or cells.shape[1] % 2 == 0:
        raise InputError(
            f"gates have shape {list(cells.shape)} for {len(words)} words; give one row a word, and 2 d + 1 columns"
        )
    half = cells.shape[1] // 2
    places = [f"{offset:+d}" if offset else "0" for offset in range(-half, half + 1)]
    return heat_svg(cells, words, places, title=title, label=label)


def strongest(cells: npt.NDArray[np.float64], top: int, least: float | None = None) -> list[tuple[int, int, float]]:
    """The heaviest weights of each row as arcs from their column to their row.

    Args:
        cells: [N, M].
        top: so many of a row.
        least: those that weigh no more are left out; by default 1 / M up to rounding, where M is 1 none.

    Raises:
        InputError: `top` is no whole number from 0.
    """
    check_whole(0, top=top)
    least = (1 / cells.shape[1] + 1e-6 if cells.shape[1] > 1 else -math.inf) if least is None else least
    return [
        (sender, receiver, float(row[sender]))
        for receiver, row in enumerate(np.where(np.isnan(cells), -np.inf, cells))
        for sender in np.argsort(-row, kind="stable")[:top].tolist()
        if row[sender] > least
    ]
