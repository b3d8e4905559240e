"""What the drawing tests share: SVG read back, and text measured with a real font."""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree import ElementTree

import numpy as np

from graphs.columns import Constituency, Dependencies

NS = "{http://www.w3.org/2000/svg}"
CAT = Constituency(
    ["S", "NP", "DT", "NN", "VP", "VBD"],
    [None, None, "the", "cat", None, "sat"],
    np.array([-1, 0, 1, 1, 0, 4]),
)


def sentence(heads, relations=None, words=None):
    count = len(heads)
    return Dependencies(
        words or [f"word{index}" for index in range(count)],
        np.array(heads, dtype=np.int64),
        relations or ["root" if head < 0 else "nsubj:pass" for head in heads],
        xpos=["NN"] * count,
    )


def parse(svg):
    root = ElementTree.fromstring(str(svg))
    assert root.tag == f"{NS}svg"
    return root


def texts(svg, kind):
    return [text for text in parse(svg).iter(f"{NS}text") if text.get("class") == kind]


@lru_cache
def font():
    """DejaVu Sans, which matplotlib brings along: far wider than the font that the drawings ask for."""
    from matplotlib import get_data_path
    from matplotlib.ft2font import FT2Font

    face = FT2Font(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf")
    face.set_size(100, 72)
    return face


def measured(text, size):
    """Width in Helvetica by the width in DejaVu Sans, which is 12 % wider."""
    font().set_text(text)
    return font().get_width_height()[0] / 64 / 100 * size / 1.12


def boxes(svg):
    """Left, top, right and bottom of every level text, by the measure of a real font."""
    found = []
    for text in parse(svg).iter(f"{NS}text"):
        if text.get("transform") or text.get("class") in ("title", "legend"):
            continue
        size, x, base = (float(text.get(name)) for name in ("font-size", "x", "y"))
        width = measured(text.text, size)
        left = x - {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0.0)
        found.append((left, base - 0.72 * size, left + width, base + 0.2 * size))
    return found


def overlaps(boxes):
    order = sorted(boxes)
    return [
        (one, other)
        for index, one in enumerate(order)
        for other in order[index + 1 :]
        if other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    ]


def badges(svg):
    return [
        (x, y, x + width, y + height)
        for rect in parse(svg).iter(f"{NS}rect")
        if rect.get("class") == "node"
        for x, y, width, height in [[float(rect.get(name)) for name in ("x", "y", "width", "height")]]
    ]


def inside(svg):
    root = parse(svg)
    width = float(root.get("width"))
    shift = float(re.search(r"translate\(([\d.]+)", str(svg))[1])
    for left, top, right, _ in boxes(svg):
        assert left + shift >= 0
        assert top >= 0
        assert right + shift <= width
