"""Drawings of parsed sentences as text and as SVG, made without a display."""

from graphs.drawing.arcs import arcs_svg
from graphs.drawing.attention import attention_svg, window_svg
from graphs.drawing.canvas import Svg
from graphs.drawing.colour import Palette
from graphs.drawing.dependencies import dependencies_svg
from graphs.drawing.graph import graph_svg
from graphs.drawing.heat import heat_svg
from graphs.drawing.pair import pair_svg
from graphs.drawing.text import dependencies_text, tree_text
from graphs.drawing.tree import tree_svg

__all__ = [
    "Palette",
    "Svg",
    "arcs_svg",
    "attention_svg",
    "dependencies_svg",
    "dependencies_text",
    "graph_svg",
    "heat_svg",
    "pair_svg",
    "tree_svg",
    "tree_text",
    "window_svg",
]
