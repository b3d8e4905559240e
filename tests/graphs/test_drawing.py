from __future__ import annotations

import colorsys
import re
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import Series
from svg_reading import CAT, NS, badges, boxes, inside, overlaps, parse, sentence, texts

from graphs import drawing
from graphs.columns import Constituency
from graphs.documents import forest
from graphs.drawing import Svg, arcs_svg, dependencies_svg, dependencies_text, heat_svg, pair_svg, tree_svg, tree_text
from graphs.errors import InputError, SentenceError


@st.composite
def trees(draw):
    """A random tree, its nodes in pre-order, with unary chains, wide labels and long words."""
    parent, label, word, stack = [], [], [], [(-1, 0)]
    while stack:
        above, depth = stack.pop()
        node = len(parent)
        parent.append(above)
        label.append(draw(st.sampled_from(["", "S", "NP", "NP-SBJ-LONG=2", "VP|<TO-VP>"])))
        count = 0 if depth > 6 or node > 40 else draw(st.integers(0, 4))
        word.append(None if count else draw(st.sampled_from(["a", "MMMM", "incomprehensibilities", "<&>", "."])))
        stack += [(node, depth + 1)] * count
    return Constituency(label, word, np.array(parent))


@settings(derandomize=True, deadline=None, max_examples=30)
@given(trees(), st.booleans(), st.booleans())
def test_trees_have_no_overlaps(tree, coloured, noted):
    svg = tree_svg(
        tree,
        values=np.linspace(-1, 1, len(tree)) if coloured else None,
        notes=["0.123456"] * len(tree) if noted else None,
    )
    assert [text.text for text in texts(svg, "word")] == tree.words
    places = [float(text.get("x")) for text in texts(svg, "word")]
    assert places == sorted(places)
    assert len({text.get("y") for text in texts(svg, "word")}) == 1
    assert not overlaps(boxes(svg))
    assert not overlaps(badges(svg))
    assert len(badges(svg)) == (len(tree) if coloured else sum(word is None for word in tree.word))
    inside(svg)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(st.lists(trees(), min_size=2, max_size=4))
def test_trees_of_a_document_stand_side_by_side(several):
    svg = tree_svg(forest(several))
    assert [text.text for text in texts(svg, "word")] == [word for tree in several for word in tree.words]
    places = [float(text.get("x")) for text in texts(svg, "word")]
    assert places == sorted(set(places))
    assert len({text.get("y") for text in texts(svg, "word")}) == 1
    assert not overlaps(boxes(svg))
    assert not overlaps(badges(svg))
    inside(svg)


def test_wide_labels_stay_over_their_words():
    """The phrases lean towards each other: each stands between a long child and a short one."""
    tree = Constituency(
        ["S", "AN-EXCEEDINGLY-LONG", "", "", "AN-EXCEEDINGLY-LONG", "", ""],
        [None, None, "incomprehensibilities", "a", None, "a", "incomprehensibilities"],
        np.array([-1, 0, 1, 1, 0, 4, 4]),
    )
    svg = tree_svg(tree)
    assert not overlaps(badges(svg))
    assert not overlaps(boxes(svg))


def test_a_long_word_keeps_its_room_in_a_wider_font():
    """DejaVu Sans is an eighth wider than the font asked for, which of an address is more than the room between words.

    How wide Hebrew letters are is guessed, so that none is squeezed into that.
    """
    address, hebrew = "https://example.org/a-page/of-some/sentence-graphs.html", "ש" * 40
    words = ["see", address, "now", hebrew]
    one, long, other, from_right = texts(
        tree_svg(Constituency(list("SABCD"), [None, *words], np.array([-1] + 4 * [0]))), "word"
    )
    half = float(long.get("textLength")) / 2
    assert float(one.get("x")) + 12 < float(long.get("x")) - half
    assert float(long.get("x")) + half < float(other.get("x")) - 12
    assert half < len(address) * 15 / 2
    assert [text.get("textLength") for text in (one, other, from_right)] == [None] * 3


@settings(derandomize=True, deadline=None, max_examples=20)
@given(trees())
def test_edges_pass_no_badge(tree):
    """Below its curve an edge is a vertical line, which may touch the badges at its ends alone."""
    svg = tree_svg(tree, labels=["NP-SBJ-LONG"] * len(tree), values=[0.0] * len(tree))
    for path in parse(svg).iter(f"{NS}path"):
        start, curve = re.match(r"M\S+ (\S+)C(.*)", path.get("d")).groups()
        turn, _, end = curve.partition("V")
        x, bend = map(float, turn.split()[-2:])
        low = float(end or bend)
        for left, top, right, bottom in badges(svg):
            crossed = left < x < right and bend - 0.01 < bottom and top < low
            assert not crossed or abs(top - low) < 0.02
            # Between two rows there is no badge at all, so the curve is free.
            assert not (top < bend - 0.02 and bottom > float(start) + 0.02)


def test_every_node_is_above_its_children():
    svg = tree_svg(CAT)
    heights = {text.text: float(text.get("y")) for text in texts(svg, "label")}
    assert heights["S"] < heights["NP"] == heights["VP"] < heights["DT"] == heights["VBD"]
    assert heights["DT"] < float(texts(svg, "word")[0].get("y"))
    assert len(list(parse(svg).iter(f"{NS}path"))) == 5


def test_text_is_escaped():
    words = ["<b>&\"'", "naïve", "汉字", "\x00\x1f", "👍"]
    tree = Constituency(["S", *"<&>é-"], [None, *words], np.array([-1, 0, 0, 0, 0, 0]))
    svg = tree_svg(tree, title="a < b & c", notes=["<n>"] * 6, values=[0] * 6)
    seen = [text.text for text in texts(svg, "word")]
    assert seen == ["<b>&\"'", "naïve", "汉字", "\ufffd\ufffd", "👍"]
    assert parse(svg).find(f"{NS}title").text == "a < b & c"
    arcs = sentence([-1, 0, 0, 0, 0], ["<root>", "&", "a", "b", "c"], words)
    assert [text.text for text in texts(dependencies_svg(arcs), "word")] == seen
    heat = heat_svg(np.zeros((5, 1)), words, ["<&>"])
    assert [text.text for text in texts(heat, "row")] == seen
    assert len(texts(heat_svg([[1]], [None]), "value")) == 1  # no name is no error


@pytest.mark.parametrize("word", ["פרופ'", "(שלום", "والمستشفيات…"])
def test_punctuation_at_an_end_of_a_word_that_is_read_from_the_right_stays_there(word):
    tree = Constituency(["NP", "N", "N"], [None, word, "pen."], np.array([-1, 0, 0]))
    assert [text.text for text in texts(tree_svg(tree), "word")] == [f"\u2068{word}\u2069", "pen."]


def test_wrong_lengths():
    for columns in ({"values": [1]}, {"notes": ["a"]}, {"labels": ["a"] * 7}):
        with pytest.raises(SentenceError, match="for 6 nodes"):
            tree_svg(CAT, **columns)
    with pytest.raises(SentenceError, match="5 notes for 6 nodes"):
        tree_text(CAT, [""] * 5)
    with pytest.raises(SentenceError, match="1 weights for 2 tokens"):
        dependencies_svg(sentence([-1, 0]), weights=[1])
    empty = Constituency([], [], np.zeros(0, dtype=np.int64))
    for draw in (tree_svg, tree_text, lambda tree: tree_text(tree, [])):
        with pytest.raises(SentenceError, match="no nodes"):
            draw(empty)
    with pytest.raises(SentenceError, match="no tokens"):
        dependencies_svg(sentence([]))
    with pytest.raises(InputError, match=r"shape \[2, 2\] for 2 rows and 3 columns"):
        heat_svg(np.zeros((2, 2)), ["a", "b"], ["c", "d", "e"])


@pytest.mark.parametrize("draw", [tree_svg, tree_text, lambda tree: pair_svg(tree, ["a"], np.ones((2, 1)))])
@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (Constituency(["S", "NN"], [None, "film"], [1, -1]), "a node stands before its parent"),
        (Constituency(["S", "NN"], [None, "film"], [-1, 5]), "a node stands before its parent"),
        (Constituency(["S"], [None, "film"], [-1, 0]), "1 labels, 2 words and 2 parents"),
        (Constituency(["S", "NN"], [None, "film"], [-1, 0.5]), "parent 0.5 of node 2 is no whole number"),
    ],
)
def test_a_broken_tree_is_named(draw, tree, said):
    with pytest.raises(SentenceError, match=said):
        draw(tree)


def test_a_phrase_without_words_is_drawn():
    tree = Constituency(["S", "NP"], [None, None], [-1, 0])
    assert tree_text(tree) == "S\n└─ NP\n"
    assert [text.text for text in texts(tree_svg(tree), "label")] == ["S", "NP"]


def test_what_a_drawing_looks_like_is_said_by_name():
    for name in drawing.__all__:
        if name.endswith("_svg"):
            parameters = signature(getattr(drawing, name)).parameters
            assert parameters["title"].kind is parameters["title"].KEYWORD_ONLY, name


@pytest.mark.parametrize("right", [True, False])
def test_depth_of_2000_needs_no_recursion(right):
    """A comb: right-branching has the leaf first, left-branching the phrases."""
    deep = 2000
    if right:
        parents = [-1] + [max(2 * level - 2, 0) for level in range(1, deep + 1) for _ in range(2)]
        words = [None] + [word for _ in range(deep) for word in ("w", None)]
        words[-1] = "w"
    else:
        parents = [-1, *range(deep), *reversed(range(deep))]
        words = [None] * deep + ["w"] * (deep + 1)
    tree = Constituency(["X"] * len(parents), words, np.array(parents))
    svg = tree_svg(tree)
    assert len(texts(svg, "word")) == len(tree.words) == deep + 1
    text = tree_text(tree)
    assert text.count("\n") == len(tree)
    assert max(map(len, text.splitlines())) >= 3 * deep


def test_tree_text():
    assert tree_text(CAT) == ("S\n├─ NP\n│  ├─ DT the\n│  └─ NN cat\n└─ VP\n   └─ VBD sat\n")
    assert tree_text(CAT, ["a", "", "b", "", "", "c"]) == (
        "S              a\n├─ NP\n│  ├─ DT the   b\n│  └─ NN cat\n└─ VP\n   └─ VBD sat  c\n"
    )
    # A very long word does not push the notes of others out of sight.
    long = Constituency(["S", "", ""], [None, "x" * 200, None], np.array([-1, 0, 0]))
    assert tree_text(long, ["a", "b", "c"]) == f"{'S':100}  a\n├─ {'x' * 200}  b\n{'└─ ·':100}  c\n"


def test_svg_shows_and_saves(tmp_path):
    svg = tree_svg(CAT)
    assert isinstance(svg, Svg)
    assert svg._repr_svg_() == str(svg)
    assert repr(svg) == f"<Svg of {len(svg)} characters>"
    svg.save(tmp_path / "cat.svg")
    assert (tmp_path / "cat.svg").read_text("utf-8") == svg
    assert svg == tree_svg(CAT)
    # Ids of one drawing would reach into the others of a notebook.
    assert not re.search(r"\sid=", svg)


def on_dark_paper(colour):
    """Of the same hue and as full, light where the colour is dark; a text that reads on both papers stays as it is."""
    if colour == "#111820":
        return colour
    hue, light, full = colorsys.rgb_to_hls(*(channel / 255 for channel in bytes.fromhex(colour[1:])))
    return "#" + bytes(round(255 * part) for part in colorsys.hls_to_rgb(hue, 0.95 - 0.88 * light, full)).hex()


def test_light_and_dark():
    svg = tree_svg(CAT, values=[-2, -1, 0, 1, 2, 0], title="values")
    colours = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')
    rules = dict(re.findall(r"\.sentence-drawing \[((?:fill|stroke)=\"#[0-9a-f]{6}\")\]\{\w+:(#[0-9a-f]{6})\}", svg))
    # Each colour has a rule, the same in all drawings, so that those of one drawing may reach into another.
    assert rules == {f'{what}="{colour}"': on_dark_paper(colour) for what, colour in colours.findall(svg.light())}
    assert rules['fill="#111820"'] == "#111820"
    assert rules['fill="#ffffff"'] == "#121212"
    assert "<style" in svg
    assert "<style" not in svg.light()
    assert "sentence-drawing" not in svg.light() + svg.dark()  # the style sheet of another drawing would match it
    assert "<style" not in svg.dark()
    assert [colour for _, colour in colours.findall(svg.dark())] == [
        on_dark_paper(colour) for _, colour in colours.findall(svg.light())
    ]
    assert [text.text for text in texts(svg.dark(), "word")] == CAT.words


def test_a_drawing_is_saved_as_svg(tmp_path):
    drawing = tree_svg(CAT)
    drawing.save(tmp_path / "a.SVG")
    assert (tmp_path / "a.SVG").read_text(encoding="utf-8") == drawing
    with pytest.raises(InputError, match=r"a\.png: a drawing is SVG.* a converter, such as rsvg-convert"):
        drawing.save(tmp_path / "a.png")
    with pytest.raises(InputError, match=r"none/a\.svg: cannot be written"):
        drawing.save(tmp_path / "none" / "a.svg")


def test_what_is_written_may_be_arrays_and_numbers():
    notes = [0.5, 1, None, 0.25, "", 2]
    svg = tree_svg(CAT, notes=np.array(notes, dtype=object), labels=np.arange(6))
    assert [text.text for text in texts(svg, "note")] == ["0.5", "1", "0.25", "2"]
    assert [text.text for text in texts(svg, "label")] == list("012345")
    assert svg == tree_svg(CAT, notes=["0.5", "1", "", "0.25", "", "2"], labels=list("012345"))
    words = ["the", "cat"]
    assert arcs_svg(np.array(words), [(0, 1)], notes=np.array([[1, 2]])) == arcs_svg(words, [(0, 1)], notes=["12"])


@pytest.mark.parametrize("wrong", [None, "high"])
def test_values_that_are_no_numbers_are_named(wrong):
    with pytest.raises(InputError, match=rf"^values\[1\] is {wrong!r}; give a number, or nan for none$"):
        tree_svg(CAT, values=[0.5, wrong, 0, 0, 0, 0])
    for compact in (True, False):
        with pytest.raises(InputError, match=rf"^weights\[0\] is {wrong!r}"):
            dependencies_svg(sentence([-1, 0]), weights=[wrong, 1.0], compact=compact)


def test_what_a_table_lacks_is_not_written():
    missing = Series([None, "a", None, None, None, None])
    assert [text.text for text in texts(tree_svg(CAT, notes=missing), "note")] == ["a"]


def test_keys_of_a_mapping_are_not_taken_for_what_is_drawn():
    by_node = dict.fromkeys(range(6), 0.5)
    for wrong in ({"values": by_node}, {"notes": by_node}, {"labels": by_node}):
        with pytest.raises(InputError, match=r"^a dict of nodes or words; give a list, in their order$"):
            tree_svg(CAT, **wrong)
    with pytest.raises(InputError, match=r"^a dict of nodes or words"):
        dependencies_svg(sentence([-1, 0]), weights={0: 0.5, 1: 1.0})
    with pytest.raises(InputError, match=r"^a dict of nodes or words"):
        heat_svg([[1.0]], {0: "a"})


@pytest.mark.parametrize("matrix", [[["high"]], [[1.0, 2.0], [1.0]]])
def test_a_matrix_that_is_none_is_refused(matrix):
    with pytest.raises(InputError, match=r"^no matrix of numbers .*; give numbers in rows of one length$"):
        heat_svg(matrix, ["a"])


@pytest.mark.parametrize("draw", [tree_text, dependencies_text])
def test_texts_are_of_trees(draw):
    with pytest.raises(InputError, match=f"^{draw.__name__} draws (constituency|dependency) trees, .* given a str$"):
        draw("(S (NN film))")
