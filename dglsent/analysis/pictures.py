"""What the figures of all analyses share: their look, heat maps, arcs, captions, files."""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.patches import Arc

from graphs.drawing.colour import INK, SOFT, stops
from graphs.files import replacing

_TAG, _LONG, _ZERO = re.compile(r"<[^<>]*>"), re.compile(r"\d+\.\d{3,}"), re.compile(r"^(-?)0\.")
Spreads: TypeAlias = Sequence[float] | npt.NDArray[np.float64]

COLOURS = ("#377ab6", "#c8553d", "#2f8f6b", "#8a6bb1", "#d39a2d", "#5b6770", "#a84b7d", "#4aa3a2")
HEAT = LinearSegmentedColormap.from_list("heat", stops("sequential"))
CONTRAST = LinearSegmentedColormap.from_list("contrast", stops("diverging"))
# Glyphs that the first font lacks are those of the next; one that is not installed would be told for every text.
_GLYPHS = (
    "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei", "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "SimHei", "Arial Unicode MS",
)  # fmt: skip
_LOOK: Any = {
    "font.sans-serif": ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,  # a dollar among the tokens is a dollar
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": SOFT,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.color": INK,
    "axes.labelcolor": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "dglsent",
    "figure.facecolor": "white",
}


def colour_of(number: int) -> str:
    """The colour of what is drawn as number 0, 1, ...; they begin again where there are more."""
    return COLOURS[number % len(COLOURS)]


def mark_of(number: int) -> str:
    """The mark of what is drawn as number 0, 1, ..., which tells it apart where colours are printed in grey."""
    return "oDs^v"[number % 5]


def dashes_of(number: int) -> str:
    """The dashes of line number 0, 1, ..., for the same purpose where a line has no marks."""
    return ("-", "--", "-.", ":")[number % 4]


def panels(
    rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.4, 3.8), **options: Any
) -> tuple[Figure, Any]:
    """A figure and its [rows, columns] axes; `size` in inches is that of the whole."""
    with look():
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False, **options)


def look() -> AbstractContextManager[None]:
    """While it lasts, figures are drawn in the look of the project."""
    installed = {font.name for font in fontManager.ttflist}
    of_scripts = sorted(name for name in installed.difference(_GLYPHS) if name.startswith("Noto Sans "))
    fonts = [*(name for name in _GLYPHS if name in installed), *of_scripts]
    return mpl.rc_context({**_LOOK, "font.family": ["sans-serif", *fonts]})


def inches(count: int) -> float:
    """Inches of a heat map's side with so many cells: of 0.3 each, and of less where there are more than 30."""
    return 0.3 * min(count, 30)


def room(names: Sequence[str]) -> float:
    """Inches that the names beside a heat map need beyond those of short words; many names are small and need less."""
    longest = max((len(short(name)) for name in names), default=0)
    return 0.08 * max(0, longest - 8) * _size(len(names)) / 9


def heat(
    axes: Any,
    matrix: np.ndarray[Any, Any],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    label: str,
    high: float,
    low: float = 0.0,
    title: str = "",
    colours: Any = HEAT,
    numbered: bool = False,
) -> None:
    """A matrix [R, C] as cells between two values, their values in them where they are few; nan stays empty.

    The bar of colours is named by `label`. Long names are cut; if `numbered`, those that then are alike are told apart.
    """
    rows, columns = (_numbered(map(short, of)) if numbered else [*map(short, of)] for of in (rows, columns))
    image = axes.imshow(np.ma.masked_invalid(matrix), cmap=colours, vmin=low, vmax=high, aspect="equal")
    axes.set_xticks(
        range(len(columns)),
        columns,
        rotation=55 if len(columns) <= 30 else 90,
        ha="right",
        va="center" if len(columns) > 30 else "top",
        rotation_mode="anchor",
    )
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0, labelcolor=INK, labelsize=_size(max(matrix.shape)))
    for side in axes.spines.values():
        side.set_visible(False)
    if title:
        axes.set_title(title)
    if matrix.size <= 260:
        middle = (low + high) / 2
        for (row, column), value in np.ndenumerate(matrix):
            if np.isfinite(value) and abs(value) >= 0.005:
                far = value > middle if low >= 0 else abs(value) > 0.6 * high
                text = _ZERO.sub(r"\1.", f"{value:.2f}")
                axes.text(column, row, text, ha="center", va="center", fontsize=6, color="white" if far else INK)
    # To the left, as a title that is wider than the cells goes on to the right.
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02, aspect=24, label=label, panchor=(0.0, 0.5))
    bar.outline.set_visible(False)


def arcs(
    axes: Any, words: Sequence[str], edges: Sequence[tuple[int, int, float]], *, colour: str, without: str = ""
) -> None:
    """Words in a row, and arcs between the places (sender, receiver, weight in [0, 1]), wider with their weight.

    Long words are cut. What is to be read where there are no arcs is `without`.
    """
    words = [*map(short, words)]
    highest = max([abs(a - b) for a, b, _ in edges], default=1)
    for sender, receiver, weight in edges:
        span = abs(sender - receiver)
        if span:
            arc = Arc(((sender + receiver) / 2, 0.25), span, span, theta1=0, theta2=180)
            arc.set(edgecolor=colour, linewidth=0.5 + 4 * weight, alpha=0.35 + 0.65 * min(weight, 1.0), fill=False)
            axes.add_patch(arc)
    crowded = len(words) > 14 or any(len(one) + len(other) > 8 for one, other in pairwise(words))
    turned: dict[str, Any] = {"ha": "center"}
    if crowded:
        turned = {"rotation": 35 if len(words) <= 30 else 90, "ha": "right", "rotation_mode": "anchor"}
    for place, word in enumerate(words):
        axes.text(place + 0.25 * crowded, 0, word, va="center", fontsize=_size(len(words)), **turned)
    if not edges:
        axes.text(0.5, 0.9, without, ha="center", va="top", fontsize=8, color=SOFT, transform=axes.transAxes)
    axes.set_xlim(-0.7, len(words) - 0.3)
    axes.set_ylim(-1.4 if crowded else -0.4, highest / 2 + 0.6)
    axes.set_axis_off()


def row_places(rows: int, number: int = 0, count: int = 1) -> Spreads:
    """How high the marks of series `number` of `count` stand in rows [R] that are listed from above."""
    return np.arange(float(rows))[::-1] - 0.22 * (number - (count - 1) / 2)


def dots(axes: Any, names: Sequence[str], *series: tuple[str, Sequence[float], Spreads | None]) -> None:
    """A row a name; of each series (label, values, spreads) a mark, with its spread where there is one.

    Spreads are as many as values, or two rows of them: to the left and to the right.
    """
    for number, (label, values, spreads) in enumerate(series):
        places = row_places(len(names), number, len(series))
        axes.errorbar(
            values, places, xerr=None if spreads is None else np.nan_to_num(np.asarray(spreads, float)),
            fmt=mark_of(number), ms=4.5, color=colour_of(number), label=label, elinewidth=1,
            mfc=colour_of(number) if spreads is not None else "white",
        )  # fmt: skip
    axes.set_yticks(row_places(len(names)), names)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x", color="#e6eaef")
    axes.set_axisbelow(True)


def save(figure: Figure, file: Path, caption: str) -> set[str]:
    """Writes a figure as SVG and PNG beside each other, its caption under it.

    Returns:
        The characters that no font has, which are boxes in the PNG.
    """
    with look(), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        width = max(60, int(figure.get_figwidth() * 15.5))
        figure.supxlabel("\n".join(textwrap.wrap(caption, width)), fontsize=7.5, color=SOFT, x=0.01, ha="left")
        svg = io.StringIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Title": caption})
        # A hundredth of a point is finer than any screen shows; what stands between tags is said as it is.
        rounded = _TAG.sub(lambda tag: _LONG.sub(lambda found: f"{float(found[0]):.2f}", tag[0]), svg.getvalue())
        with replacing(file.with_suffix(".svg")) as beside:
            beside.write_text(re.sub(r"\n\s+", "\n", rounded), encoding="utf-8")
        with replacing(file.with_suffix(".png")) as beside:
            figure.savefig(beside, format="png", dpi=130, metadata={"Title": caption})
    missing = set()
    for each in said:  # one for every glyph and text
        glyph = re.match(r"Glyph (\d+) ", str(each.message))
        if glyph:
            missing.add(chr(int(glyph[1])))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return missing


def _size(count: int) -> float:
    """Points of the letters of so many names in a row."""
    return min(9, 480 / count)


def short(name: str) -> str:
    """A long name by its first words and its last one, or by its ends where these are long."""
    head, last = name[:13].rpartition(" ")[0] or name[:12], name.rpartition(" ")[2]
    if len(name) <= 22 or name == f"{head} {last}":
        return name
    return f"{head} … {last if len(last) <= 12 else name[-7:]}"


def _numbered(names: Iterable[str]) -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    return found
