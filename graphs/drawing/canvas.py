"""SVG as a string: text measured without a display, and the few shapes that the drawings share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, TypeAlias
from xml.sax.saxutils import escape as _escape

from graphs.drawing.colour import INK, PAPER, Scale, turned
from graphs.drawing.letters import cells
from graphs.errors import InputError
from graphs.files import replacing

Anchor: TypeAlias = Literal["start", "middle", "end"]

MARGIN: Final = 20.0
_HEADER: Final = 38.0

_FONT: Final = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans', sans-serif"
# Advance widths of Helvetica (Arial and Liberation Sans are made to the same measure), 1/100 em, " " to "~".
_WIDTHS: Final = [
    int(width) / 100
    for width in (  # noqa: SIM905 - a table, not a list of 95 lines
        "28 28 35 56 56 89 67 19 33 33 39 58 28 33 28 28 56 56 56 56 56 56 56 56 56 56 28 28 58 58 58 56 "
        "102 67 67 72 72 67 61 78 72 28 50 67 56 83 72 78 67 78 72 67 61 72 67 94 67 67 61 28 28 28 47 56 "
        "33 56 56 50 56 56 28 56 56 22 22 50 22 83 56 56 56 56 33 50 28 56 50 72 50 50 50 33 26 33 58"
    ).split()
]
_BOLD: Final = 1.09  # bold text is wider by this much
_WIDER: Final = 1.05  # and another font than Helvetica may be
_TITLE: Final = 1.12  # and so much more where nothing else keeps a line in its place: DejaVu Sans, in bold
_FOREIGN: Final = 0.66  # em, a letter outside ASCII
_CAPITAL: Final = 0.8  # em, a capital outside ASCII
_SYMBOL: Final = 1.0  # em, a star, an arrow, a dash or an ellipsis
_LONG_MARKS: Final = "—―…"
_LONG_WORD: Final = 25  # letters, from which what another font is wider by would reach into the next word
_COLOUR = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')
_STYLE = re.compile(r"<style>.*?</style>\n")
_NAME: Final = "sentence-drawing"
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Svg(str):
    """An SVG drawing: the text of the file, which notebooks show as a picture.

    Where it is looked at says whether it is light or dark (`prefers-color-scheme`), unless `light` or `dark` fix it.
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Svg of {len(self)} characters>"

    def save(self, path: str | Path) -> None:
        """Writes the drawing to a file.

        Raises:
            InputError: its name does not end in .svg, or it cannot be written.
        """
        if Path(path).suffix.lower() != ".svg":
            raise InputError(
                f"{path}: a drawing is SVG; give a name that ends in .svg, and for PNG or PDF turn that file "
                "by a converter, such as rsvg-convert, cairosvg or inkscape"
            )
        try:
            with replacing(path) as beside:
                beside.write_text(self, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None

    def light(self) -> Svg:
        """The drawing on white paper, wherever it is looked at."""
        # Without the class, too: the style sheet of another drawing in the same page would turn its colours.
        return Svg(_STYLE.sub("", self).replace(f' class="{_NAME}"', "", 1))

    def dark(self) -> Svg:
        """The drawing on dark paper, wherever it is looked at."""
        return Svg(_COLOUR.sub(lambda match: f'{match[1]}="{turned(match[2])}"', self.light()))


def escape(text: str) -> str:
    """Text for XML: special characters escaped, characters that XML cannot hold replaced."""
    return _escape(_ILLEGAL.sub("\ufffd", text), {'"': "&quot;"})


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line of text, in pixels, a little on the wide side."""
    ems = sum(map(_ems, text))
    return ems * size * _WIDER * (_BOLD if bold else 1.0)


def apart(text: str) -> str:
    """A text as it stands beside others: what is neither Hebrew nor Arabic at the end of such a text stays there."""
    from_right = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)
    return f"\u2068{text}\u2069" if from_right else text


def number(value: float) -> str:
    """A coordinate or value with as few characters as it needs."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def readable(value: float, digits: int = 3) -> str:
    """A value with so many significant digits, without an exponent up to a million."""
    return f"{float(f'{value:.{digits}g}'):.{max(digits, 6)}g}"


class Canvas:
    """Collects shapes from bottom to top; `svg` gives the drawing.

    Styles are attributes of the shapes and gradients are rows of rectangles: in a notebook, style sheets and
    ids of one drawing would reach into the others. The one style sheet, for dark paper, has a rule a colour, which
    is the same in all drawings.
    """

    def __init__(self) -> None:
        self._shapes: list[str] = []
        self._frame = (0.0, 0.0, 1.0)

    @contextmanager
    def at(self, x: float, y: float, *, flip: bool = False) -> Iterator[None]:
        """Moves what is drawn meanwhile by (x, y); with `flip` it stands on its head, all but the texts."""
        self._frame = (x, y, -1.0 if flip else 1.0)
        try:
            yield
        finally:
            self._frame = (0.0, 0.0, 1.0)

    def path(self, data: str, *, stroke: str, width: float = 1.2, fill: str = "none", hint: str = "") -> None:
        """A line along SVG path data, with `hint` shown under the mouse."""
        tail = f"><title>{escape(hint)}</title></path>" if hint else "/>"
        self._shapes.append(
            f'<path d="{data}" fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}" '
            f'stroke-linecap="round" stroke-linejoin="round"{self._moved()}{tail}'
        )

    def arrow(self, x: float, y: float, *, half: float, length: float, colour: str) -> None:
        """An arrow head that points down to (x, y), `half` wide to either side."""
        back = number(y - length)
        data = f"M{number(x)} {number(y)}L{number(x - half)} {back}L{number(x + half)} {back}Z"
        self.path(data, stroke=colour, width=0.5, fill=colour)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str,
        stroke: str = "none",
        radius: float = 0.0,
        kind: str = "",
        hint: str = "",
    ) -> None:
        """A rectangle by its top left corner, with `hint` shown under the mouse."""
        shape = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" fill="{fill}"'
        if stroke != "none":
            shape += f' stroke="{stroke}"'
        if radius:
            shape += f' rx="{number(radius)}"'
        if kind:
            shape += f' class="{kind}"'
        tail = f"><title>{escape(hint)}</title></rect>" if hint else "/>"
        self._shapes.append(f"<rect {shape}{self._moved()}{tail}")

    def text(
        self,
        text: str,
        x: float,
        middle: float,
        size: float,
        *,
        fill: str = INK,
        anchor: Anchor = "middle",
        bold: bool = False,
        kind: str = "",
        turn: float = 0.0,
        patch: bool = False,
    ) -> None:
        """A line of text whose small letters are centred on the height `middle`, with `patch` on a piece of paper."""
        if not text:
            return
        if patch:
            wide = text_width(text, size, bold=bold)
            self.box(x - wide / 2, middle - 0.6 * size, wide, 1.2 * size, fill=PAPER, radius=3.0)
        right, down, sign = self._frame
        x, middle = right + x, down + sign * middle
        # Not dominant-baseline, which several renderers leave out.
        base = middle + 0.35 * size
        shape = f'x="{number(x)}" y="{number(base)}" font-size="{number(size)}" fill="{fill}"'
        if anchor != "start":
            shape += f' text-anchor="{anchor}"'
        if bold:
            shape += ' font-weight="bold"'
        elif len(text) > _LONG_WORD and text.replace("…", "").isascii():  # whose width is known and not guessed
            shape += f' textLength="{number(text_width(text, size))}" lengthAdjust="spacingAndGlyphs"'
        if kind:
            shape += f' class="{kind}"'
        if turn:
            shape += f' transform="rotate({number(turn)} {number(x)} {number(middle)})"'
        self._shapes.append(f"<text {shape}>{escape(apart(text))}</text>")

    def _moved(self) -> str:
        """The frame as an attribute of a shape."""
        x, y, sign = self._frame
        if sign < 0:
            return f' transform="matrix(1 0 0 -1 {number(x)} {number(y)})"'
        return f' transform="translate({number(x)} {number(y)})"' if x or y else ""

    def svg(
        self, width: float, height: float, *, title: str | None, scale: Scale | None, label: str | None = None
    ) -> Svg:
        """The drawing, with a title and a legend above the shapes where they are given.

        Args:
            width: width of what was drawn, from x = 0.
            height: height of what was drawn, from y = 0.
            title: a line of text at the top left.
            scale: colours whose legend stands at the top right.
            label: what the legend is of.
        """
        head = Canvas()
        needed = 0.0
        if title:
            head.text(title, MARGIN, 27.0, 15.0, anchor="start", bold=True, kind="title")
            needed += text_width(title, 15.0, bold=True) * _TITLE
        if scale:
            marks = _marks(scale, label)
            legend = _legend_width(marks)
            needed += legend + (32.0 if title else 0.0)
        full = max(width, needed + 2 * MARGIN)
        if scale:
            _legend(head, scale, marks, full - MARGIN - legend, 27.0)
        top = _HEADER if title or scale else 0.0
        left = (full - width) / 2
        size = f'width="{number(full)}" height="{number(height + top)}"'
        name = f"<title>{escape(title)}</title>" if title else ""
        shapes = (
            f'<rect {size} fill="{PAPER}"/>\n'
            + "".join(f"{shape}\n" for shape in head._shapes)
            + f'<g transform="translate({number(left)} {number(top)})">\n'
            + "".join(f"{shape}\n" for shape in self._shapes)
            + "</g>\n"
        )
        return Svg(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {number(full)} {number(height + top)}" '
            f'role="img" class="{_NAME}" font-family="{_FONT}">{name}\n{_in_the_dark(shapes)}{shapes}</svg>\n'
        )


def _in_the_dark(shapes: str) -> str:
    """The style sheet that turns the colours of shapes on dark paper."""
    rules = sorted(
        {f'.{_NAME} [{what}="{colour}"]{{{what}:{turned(colour)}}}' for what, colour in _COLOUR.findall(shapes)}
    )
    return f"<style>@media(prefers-color-scheme:dark){{{''.join(rules)}}}</style>\n"


_STEPS: Final = 25
_STEP: Final = 4.0


def _marks(scale: Scale, label: str | None) -> tuple[str, str]:
    """What stands before and behind the colours of a legend, with as many digits as tell its ends apart."""
    pairs = ((readable(scale.low, digits), readable(scale.high, digits)) for digits in range(3, 18))
    low, high = next(pair for pair in pairs if pair[0] != pair[1])
    return f"{label}  {low}" if label else low, high


def _legend_width(marks: tuple[str, str]) -> float:
    return sum(text_width(mark, 11.0) for mark in marks) + _STEPS * _STEP + 12.0


def _legend(canvas: Canvas, scale: Scale, marks: tuple[str, str], x: float, middle: float) -> None:
    low, high = marks
    canvas.text(low, x, middle, 11.0, anchor="start", fill=INK, kind="legend")
    x += text_width(low, 11.0) + 6.0
    for step in range(_STEPS):
        value = scale.low + (scale.high - scale.low) * step / (_STEPS - 1)
        # Each step runs on to the end of the bar under the next ones, so that no seams show.
        rest = (_STEPS - step) * _STEP
        canvas.box(x + step * _STEP, middle - 5.0, rest, 10.0, fill=scale.colour(value), kind="legend")
    canvas.text(high, x + _STEPS * _STEP + 6.0, middle, 11.0, anchor="start", fill=INK, kind="legend")


def _ems(character: str) -> float:
    code = ord(character)
    if 32 <= code < 127:
        return _WIDTHS[code - 32]
    wide = cells(character)
    if not wide:
        return 0.0
    if wide == 2 or code > 0x1F000:
        return 1.05
    if unicodedata.category(character) in ("So", "Sm") or character in _LONG_MARKS:
        return _SYMBOL
    return _CAPITAL if character.isupper() else _FOREIGN
