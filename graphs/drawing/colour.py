"""Colours for values, told apart by people who see red and green alike."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from graphs.errors import InputError

Palette: TypeAlias = Literal["diverging", "sequential", "lines"]

INK: Final = "#1d2733"
SOFT: Final = "#64717f"
LINE: Final = "#a9b4c0"
FILL: Final = "#eef1f5"
PAPER: Final = "#ffffff"

_STAY: Final = ("#111820", "#fdfdfd")  # of texts on colours, the same on dark paper
_SHADES: Final = 48  # of a palette, so that no drawing needs more colours than that

# Lightness falls from the middle of the diverging colours to either end, and along the sequential ones.
_STOPS: Final[dict[str, tuple[tuple[int, int, int], ...]]] = {
    "diverging": ((158, 42, 35), (226, 139, 112), (236, 236, 233), (104, 178, 176), (10, 98, 110)),
    "lines": ((176, 196, 216), (111, 157, 198), (55, 122, 182), (11, 61, 115)),
    "sequential": ((243, 246, 250), (196, 216, 236), (124, 173, 213), (55, 122, 182), (11, 61, 115)),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """A map from values to colours.

    Attributes:
        palette: "diverging" (red, grey, blue-green), "sequential" (pale to dark blue), or "lines" (blue,
            never too pale for a thin line).
        low: the value of the first colour.
        high: the value of the last colour; values outside get the colour of the nearer end.
    """

    palette: Palette
    low: float
    high: float

    @classmethod
    def of(
        cls, palette: Palette, values: Iterable[float], low: float | None = None, high: float | None = None
    ) -> Scale:
        """A scale for `values`; where no range is given, diverging ones get one with 0 in the middle.

        Of diverging colours with one end alone, the other lies as far on the other side of 0 if that shows all values,
        else at the outermost of them.

        Args:
            palette: "diverging", "sequential" or "lines".
            values: what is to be shown; nan and infinity do not count.
            low: value of the first colour.
            high: value of the last colour.

        Raises:
            InputError: the palette is unknown, or the range is empty or has no finite width.
        """
        if palette not in _STOPS:
            raise InputError(f"unknown palette {palette!r}; give one of: {', '.join(_STOPS)}")
        finite = [value for value in values if math.isfinite(value)]
        if palette == "diverging":
            if low is not None:
                high = _opposite(low, max(finite, default=low)) if high is None else high
            elif high is not None:
                low = -_opposite(-high, -min(finite, default=high))
            else:
                high = max(map(abs, finite), default=0.0) or 1.0
                low = -high
        else:
            low = min([0.0, *finite]) if low is None else low
            high = max(finite, default=low + 1.0) if high is None else high
            # Values that are all alike still need a range to be drawn in.
            high = low + 1.0 if high == low else high
        if not low < high:
            raise InputError(f"colour range from {low:g} to {high:g} is empty; give low < high")
        if not math.isfinite(high - low):
            raise InputError(
                f"colour range from {low:g} to {high:g} is too wide; give finite numbers, or scaled values"
            )
        return cls(palette, float(low), float(high))

    def share(self, value: float) -> float:
        """How far a value lies from low (0) to high (1)."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def between(self, value: float, least: float, most: float) -> float:
        """What is `least` for low, `most` for high and in step with the values between them, such as a width."""
        return least + self.share(value) * (most - least)

    def colour(self, value: float) -> str:
        """The colour of a value as "#rrggbb"; that of paper for a value that is not a number."""
        if math.isnan(value):
            return PAPER
        stops = _STOPS[self.palette]
        share = round(self.share(value) * _SHADES) / _SHADES * (len(stops) - 1)
        index = min(int(share), len(stops) - 2)
        part = share - index
        return _hex([round(a + (b - a) * part) for a, b in zip(stops[index], stops[index + 1], strict=True)])


def _opposite(low: float, largest: float) -> float:
    """The high end for a low one: as far from 0 where no value lies beyond, else the largest value."""
    if low < 0 and largest <= -low:
        return -low
    # Values that are all alike still need a range to be drawn in.
    return largest if largest != low else low + 1.0


def stops(palette: Palette) -> list[str]:
    """The colours between which a palette goes, from its lowest value to its highest."""
    return [_hex(stop) for stop in _STOPS[palette]]


def ink_on(colour: str) -> str:
    """The text colour that reads best on a background, and on what that is turned to on dark paper."""
    black, then_black = _luminance(colour) >= 0.22, _luminance(turned(colour)) >= 0.14
    if black == then_black:
        return _STAY[0] if black else _STAY[1]
    return INK if black else PAPER


def darker(colour: str) -> str:
    """A shade of a colour for its border."""
    return _hex([round(channel * 0.82) for channel in bytes.fromhex(colour[1:])])


def turned(colour: str) -> str:
    """The colour that stands for one on dark paper: of the same hue, light where that one is dark."""
    if colour in _STAY:
        return colour
    hue, light, full = colorsys.rgb_to_hls(*(channel / 255 for channel in bytes.fromhex(colour[1:])))
    return _hex([round(255 * channel) for channel in colorsys.hls_to_rgb(hue, 0.95 - 0.88 * light, full)])


def _luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb", from 0 (black) to 1 (white), as in WCAG."""
    red, green, blue = (
        channel / 3294.6 if channel <= 10 else ((channel / 255 + 0.055) / 1.055) ** 2.4
        for channel in bytes.fromhex(colour[1:])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _hex(channels: Iterable[int]) -> str:
    return "#" + bytes(channels).hex()
