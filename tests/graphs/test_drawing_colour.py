from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from svg_reading import CAT, NS, measured, parse, sentence, texts

from graphs.drawing import arcs_svg, attention_svg, dependencies_svg, heat_svg, pair_svg, tree_svg, window_svg
from graphs.drawing.canvas import text_width
from graphs.drawing.colour import INK, PAPER, SOFT, Scale, _luminance, ink_on, turned
from graphs.errors import InputError


def test_values_colour_nodes_and_bring_a_legend():
    svg = tree_svg(CAT, values=[-2, -1, 0, 1, 2, math.nan])
    fills = [rect.get("fill") for rect in parse(svg).iter(f"{NS}rect") if rect.get("class") == "node"]
    scale = Scale("diverging", -2, 2)
    assert fills == [scale.colour(value) for value in (-2, -1, 0, 1, 2)]
    assert [text.text for text in texts(svg, "legend")] == ["-2", "2"]
    assert not texts(tree_svg(CAT), "legend")
    # A legend never runs into the title.
    svg = tree_svg(CAT, values=[0.5] * 6, title="A title that is longer than the drawing is wide, by far")
    title = texts(svg, "title")[0]
    end = float(title.get("x")) + measured(title.text, 15) * 1.12 * 1.12  # in bold DejaVu Sans
    assert end < float(texts(svg, "legend")[0].get("x"))


@pytest.mark.parametrize("palette", ["sequential", "lines"])
def test_sequential_colours_darken(palette):
    scale = Scale(palette, 0, 1)
    light = [_luminance(scale.colour(value)) for value in np.linspace(0, 1, 200)]
    assert all(one >= other for one, other in itertools.pairwise(light))
    assert light[0] - light[-1] > 0.4


def test_diverging_colours_darken_to_both_ends():
    scale = Scale("diverging", -1, 1)
    colours = [bytes.fromhex(scale.colour(value)[1:]) for value in np.linspace(-1, 1, 201)]
    light = [_luminance("#" + colour.hex()) for colour in colours]
    assert light[100] == max(light)
    assert sorted(light[:101]) == light[:101]
    assert sorted(light[100:], reverse=True) == light[100:]
    # Blue against red tells the sides apart, also for those who see red and green alike.
    warm = [colour[2] - colour[0] for colour in colours]
    assert max(warm[:90]) < 0 < min(warm[110:])


def test_ranges():
    assert Scale.of("diverging", [-3, 1]) == Scale("diverging", -3, 3)
    assert Scale.of("diverging", []) == Scale("diverging", -1, 1)
    assert Scale.of("diverging", [2, 1], low=-2) == Scale("diverging", -2, 2)
    assert Scale.of("diverging", [9], high=4) == Scale("diverging", -4, 4)
    assert Scale.of("diverging", [9], low=0, high=4) == Scale("diverging", 0, 4)
    assert Scale.of("sequential", [0.2, 0.5, math.nan]) == Scale("sequential", 0, 0.5)
    assert Scale.of("sequential", [0, 0]) == Scale("sequential", 0, 1)
    scale = Scale("sequential", 0, 1)
    assert scale.colour(-5) == scale.colour(0)
    assert scale.colour(math.inf) == scale.colour(1)
    with pytest.raises(InputError, match="from 2 to 1 is empty"):
        Scale.of("sequential", [], low=2, high=1)
    for values, low in (([1e308, -1e308], None), ([1.0], -math.inf)):
        with pytest.raises(InputError, match="is too wide"):
            Scale.of("diverging", values, low)
    with pytest.raises(InputError, match="'rainbow'"):
        tree_svg(CAT, values=[0] * 6, palette="rainbow")


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [([0.1, 4, 2], 0, 4), ([0.1, 4, 2], -0.5, 4), ([1, 3], 1, 3), ([0, 0], 0, 1), ([], 0, 1), ([], -2, 2)],
)
def test_a_diverging_range_with_one_end_shows_all_on_the_other_side(values, low, high):
    assert Scale.of("diverging", values, low=low) == Scale("diverging", low, high)
    assert Scale.of("diverging", [-value for value in values], high=-low) == Scale("diverging", -high, -low)


def test_the_largest_value_ends_a_diverging_range_of_drawings():
    svg = tree_svg(CAT, values=[0.1, 4.0, 2.0, 0.0, 1.0, 3.0], low=0.0)
    assert [text.text for text in texts(svg, "legend")] == ["0", "4"]
    svg = heat_svg([[0.5, 2.0]], ["a"], ["b", "c"], palette="diverging", high=None)
    assert [text.text for text in texts(svg, "legend")] == ["0", "2"]
    with pytest.raises(InputError, match="from 0 to -1 is empty; give low < high"):
        heat_svg([[-1.0]], ["a"], palette="diverging", high=None)


@pytest.mark.parametrize("palette", ["diverging", "sequential"])
def test_text_on_colours_can_be_read(palette):
    scale = Scale(palette, 0, 1)
    for value in np.linspace(0, 1, 101):
        colour = scale.colour(value)
        dark, light = sorted([_luminance(colour), _luminance(ink_on(colour))])
        assert (light + 0.05) / (dark + 0.05) >= 3.8


def test_heat():
    matrix = torch.tensor([[0.0, 0.5, 1.0], [float("nan"), 0.25, 2.0]], requires_grad=True)
    svg = heat_svg(matrix, ["a", "b"], ["x", "y", "z"], title="heat")
    cells = [rect for rect in parse(svg).iter(f"{NS}rect") if rect.get("class") == "cell"]
    scale = Scale("sequential", 0, 1)
    assert [cell.get("fill") for cell in cells] == [
        scale.colour(value) for value in (0.0, 0.5, 1.0, math.nan, 0.25, 1.0)
    ]
    assert [cell.find(f"{NS}title").text for cell in cells][1] == "a · y: 0.5"
    assert [text.text for text in texts(svg, "value")] == ["0", ".50", "1", ".25", "2"]
    assert [text.text for text in texts(svg, "row") + texts(svg, "column")] == ["a", "b", "x", "y", "z"]
    assert not texts(heat_svg(np.zeros((20, 20)), ["r"] * 20, ["c"] * 20), "value")
    assert len(texts(heat_svg(np.zeros((0, 0)), [], []), "legend")) == 2


def test_long_names_are_cut_and_stand_whole_under_the_mouse():
    long, usual = "abcdefghij" * 8, "w" * 40
    for svg in (heat_svg([[0.5], [0.5]], [long, usual], [long]), window_svg([long, usual], [[0.5], [0.5]])):
        assert [text.text for text in texts(svg, "row")] == ["abcdefghijabcdefghijabcdef…hijabcdefghij", usual]
        assert float(parse(svg).get("width")) < 1000
        first, _ = (rect for rect in parse(svg).iter(f"{NS}rect") if rect.get("class") == "cell")
        assert first.find(f"{NS}title").text.startswith(f"{long} · ")
    (column,) = texts(heat_svg([[0.5]], ["a"], [long]), "column")
    assert column.text == "abcdefghijabcdefghijabcdef…hijabcdefghij"


def test_cells_stand_beside_their_rows_and_under_their_columns():
    svg = heat_svg(np.array([[0.0, 0.1, 0.2], [0.3, 0.4, 0.5]]), ["a", "b"], ["x", "y", "z"])
    beside = {text.text: float(text.get("y")) for text in texts(svg, "row")}
    over = {text.text: float(text.get("x")) for text in texts(svg, "column")}
    assert beside["a"] < beside["b"]
    found = []
    for cell in (rect for rect in parse(svg).iter(f"{NS}rect") if rect.get("class") == "cell"):
        left, top, wide, high = (float(cell.get(name)) for name in ("x", "y", "width", "height"))
        (row,) = (name for name, y in beside.items() if top < y < top + high)
        (column,) = (name for name, x in over.items() if left < x < left + wide)
        assert cell.find(f"{NS}title").text.startswith(f"{row} · {column}: ")
        found.append(row + column)
    assert found == ["ax", "ay", "az", "bx", "by", "bz"]


def test_a_legend_runs_from_its_lowest_to_its_highest_colour():
    svg = heat_svg(np.zeros((1, 1)), ["a"], low=-1.0, high=3.0)
    low, high = texts(svg, "legend")
    assert (low.text, high.text) == ("-1", "3")
    steps = [rect for rect in parse(svg).iter(f"{NS}rect") if rect.get("class") == "legend"]
    places = [float(each.get("x")) for each in (low, *steps, high)]
    assert places == sorted(places)
    scale = Scale("sequential", -1.0, 3.0)
    assert [steps[place].get("fill") for place in (0, len(steps) // 2, -1)] == [scale.colour(x) for x in (-1, 1, 3)]


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0, 0.00123, ["0", "0.00123"]),
        (0, 1000.12, ["0", "1000"]),
        (-2e-5, 12345, ["-2e-05", "12300"]),
        (0.9996, 1.0004, ["0.9996", "1"]),  # with as many digits as tell them apart
        (1999.1, 1999.2, ["1999.1", "1999.2"]),
    ],
)
def test_legends_have_three_digits_and_a_label(low, high, marks):
    values = [low, high, low, high, low, high]
    for svg in (
        heat_svg([values], ["a"], list("uvwxyz"), low=low, high=high),
        tree_svg(CAT, values=values, low=low, high=high),
        pair_svg(["a"], list("uvwxyz"), [values], low=low, high=high),
    ):
        assert [text.text for text in texts(svg, "legend")] == marks
    labelled = (
        heat_svg([values], ["a"], list("uvwxyz"), low=low, high=high, label="weight"),
        tree_svg(CAT, values=values, low=low, high=high, label="weight"),
        pair_svg(["a"], list("uvwxyz"), [values], low=low, high=high, label="weight"),
        arcs_svg(["a", "b"], [(0, 1, low)], low=low, high=high, label="weight"),
        attention_svg(["a", "b"], [[low, high], [high, low]], least=-1.0, low=low, high=high, label="weight"),
    )
    for svg in labelled:
        first, last = texts(svg, "legend")
        assert (first.text, last.text) == (f"weight  {marks[0]}", marks[1])
        assert float(first.get("x")) >= 0


def test_labels_of_legends_of_parses_and_windows():
    parsed = sentence([1, -1])
    for svg in (
        dependencies_svg(parsed, weights=[0.5, 0.2], label="share"),
        dependencies_svg(parsed, weights=[0.5, 0.2], label="share", compact=True),
        attention_svg(parsed.words, [[0.1, 0.9], [0.9, 0.1]], parse=parsed, label="share"),
        window_svg(parsed.words, np.ones((2, 3)), label="share"),
    ):
        assert texts(svg, "legend")[0].text == "share  0"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([1000.12, 12345, 10, 9.97], ["1000", "1e4", "10", "10"]),
        ([0.0012, 0.0005, 0, -0.0021], [".0012", ".0005", "0", "-.0021"]),
        ([0.00002, -0.0003, 0, 1e-12], ["2e-5", "-3e-4", "0", "1e-12"]),
        ([0.0123, 0.001, 0.00001, 0], [".012", ".001", "0", "0"]),
        ([1.0, 0.0123, 0.00001, -1.54], ["1", ".01", "0", "-1.5"]),
    ],
)
def test_cells_have_their_values_in_few_characters(cells, said):
    svg = heat_svg([cells], ["a"], list("wxyz"), low=None, high=None)
    values = texts(svg, "value")
    assert [text.text for text in values] == said
    assert all(measured(text.text, 10) < 32 for text in values)  # cells are 28 pixels wide


def test_large_matrices_have_small_cells():
    width = float(parse(heat_svg(np.zeros((60, 60)), ["word"] * 60)).get("width"))
    assert width < 1250


def test_matrices_of_many_cells_stay_small():
    """A shape a cell, with what it says under the mouse, took 140 characters of each; neighbours are a bar."""
    cells = np.linspace(0, 1, 150 * 150).reshape(150, 150)
    cells[0, 0] = np.nan
    svg = heat_svg(cells, [f"word{n}" for n in range(150)])
    assert len(svg) < 3 * cells.size
    bars = [bar for path in parse(svg).iter(f"{NS}path") for bar in path.get("d").split("M")[1:]]
    wide = [float(bar.partition("h")[2].partition("v")[0]) for bar in bars]
    assert sum(wide) == min(wide) * cells.size
    striped = heat_svg(np.tile([0.0, 1.0], (150, 75)), ["a"] * 150)
    assert sum(path.get("d").count("M") for path in parse(striped).iter(f"{NS}path")) == cells.size
    assert len(texts(svg, "row")) == 150
    few = heat_svg(cells[:100, :100], ["a"] * 100)
    assert few.count('class="cell"') == 10_000
    assert "a · a: none" in few


def test_dark_paper_turns_dark_and_light():
    for palette in ("sequential", "lines"):
        scale = Scale(palette, 0, 1)
        light = [_luminance(turned(scale.colour(value))) for value in np.linspace(0, 1, 49)]
        assert all(one <= other for one, other in itertools.pairwise(light))
    for palette in ("sequential", "diverging"):
        scale = Scale(palette, 0, 1)
        for value in np.linspace(0, 1, 49):
            colour = scale.colour(value)
            dark, light = sorted([_luminance(turned(colour)), _luminance(turned(ink_on(colour)))])
            assert (light + 0.05) / (dark + 0.05) >= 3
    assert [turned(ink) for ink in ("#111820", "#fdfdfd")] == ["#111820", "#fdfdfd"]  # those for both papers
    paper = _luminance(turned(PAPER)) + 0.05
    assert (_luminance(turned(INK)) + 0.05) / paper > 7
    assert (_luminance(turned(SOFT)) + 0.05) / paper > 4.5


def test_text_is_measured_on_the_wide_side():
    for text in ("incomprehensibilities", "the quick brown fox", "WWW", "Übergröße", "Привет", "★★★★☆", "——…"):
        assert measured(text, 15) * 0.93 < text_width(text, 15) < measured(text, 15) * 1.45
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("汉", 10) > 10
    assert text_width("", 10) == 0


def test_drawing_is_light():
    heavy = {"torch", "dgl", "matplotlib", "stanza"}
    code = f"import sys, graphs.drawing; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
