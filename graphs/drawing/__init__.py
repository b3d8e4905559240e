"""Drawings of parsed sentences as text and as SVG, made without a display."""

from graphs.drawing.canvas import Svg
from graphs.drawing.colour import Palette
from graphs.drawing.dependencies import dependencies_svg
from graphs.drawing.heat import heat_svg
from graphs.drawing.text import dependencies_text, tree_text
from graphs.drawing.tree import tree_svg

__all__ = [
    "Palette",
    "Svg",
    "dependencies_svg",
    "dependencies_text",
    "heat_svg",
    "tree_svg",
    "tree_text",
]
