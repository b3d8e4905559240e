from __future__ import annotations

import re
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_reading import NS, boxes, inside, measured, overlaps, parse, sentence, texts

from graphs.columns import Constituency, Dependencies
from graphs.drawing import attention_svg, dependencies_svg, dependencies_text, pair_svg, tree_text
from graphs.errors import SentenceError

heads = st.integers(1, 14).flatmap(
    lambda count: st.lists(st.integers(-1, count - 1), min_size=count, max_size=count).map(
        lambda heads: [-1 if head == token else head for token, head in enumerate(heads)]
    )
)


def arcs_of(svg):
    """Left end, right end and height of each arc, and of each line of a root (whose ends are one)."""
    found = []
    for path in parse(svg).iter(f"{NS}path"):
        if path.get("fill") != "none":
            continue  # an arrow head
        if root := re.fullmatch(r"M(\S+) (\S+)V\S+", path.get("d")):
            found.append((float(root[1]), float(root[1]), float(root[2])))
        else:
            arc = re.fullmatch(r"M(\S+) \S+V(\S+)q0 -10 10 -10H(\S+)q10 0 10 10V\S+", path.get("d"))
            found.append((float(arc[1]), float(arc[3]) + 10, float(arc[2]) - 10))
    return found


def test_dependencies_text():
    text = dependencies_text(sentence([1, -1], ["det", "root"], ["the", "cat"]))
    assert text.splitlines() == [
        "#  word  tag  relation  head",
        "1  the   NN   det       → 2 cat",
        "2  cat   NN   root",
    ]


def test_dependencies_text_of_more_than_nine_tokens():
    """Tags are those that the graphs have: universal ones where the language has none, else nothing."""
    parsed = sentence([-1, *[0] * 9], ["root", *["dep"] * 9], [*"abcdefghij"])
    parsed.xpos[8:], parsed.upos[8] = ["_", "_"], "NOUN"
    assert dependencies_text(parsed).splitlines()[-2:] == [
        " 9  i     NOUN  dep       → 1 a",
        "10  j           dep       → 1 a",
    ]


def test_columns_of_text_stand_under_each_other_whatever_the_script():
    """A character of Chinese takes two cells of a terminal, an accent that is put on a letter none."""
    text = dependencies_text(sentence([2, 0, -1], ["a", "b", "root"], ["汉语", "e\u0301te\u0301", "cat"]))
    assert text.splitlines()[1:] == [
        "1  汉语  NN   a         → 3 cat",
        "2  e\u0301te\u0301   NN   b         → 1 汉语",
        "3  cat   NN   root",
    ]
    tree = Constituency(["S", "", ""], [None, "汉语", "cat"], np.array([-1, 0, 0]))
    assert tree_text(tree, ["x", "y", "z"]) == "S        x\n├─ 汉语  y\n└─ cat   z\n"
    syllable = "\u1112\u1161\u11ab"  # of Korean, in parts
    tree = Constituency(["S", "", ""], [None, syllable, "cat"], np.array([-1, 0, 0]))
    assert tree_text(tree, ["x", "y", "z"]) == f"S       x\n├─ {syllable}   y\n└─ cat  z\n"


def test_the_arrow_points_at_the_dependent():
    svg = dependencies_svg(sentence([1, -1, 1, 2], words=["a", "b", "c", "d"]))
    places = [float(text.get("x")) for text in texts(svg, "word")]
    heads = [path.get("d") for path in parse(svg).iter(f"{NS}path") if path.get("fill") != "none"]
    tips = [float(re.match(r"M(\S+) ", head)[1]) for head in heads]
    nearest = [min(range(4), key=lambda word: abs(places[word] - tip)) for tip in tips]
    assert sorted(nearest) == [0, 1, 2, 3]  # one at each word, and none more at a head


@settings(derandomize=True, deadline=None, max_examples=50)
@given(heads, st.booleans())
def test_arcs_and_labels_do_not_collide(heads, weighted):
    """Any heads at all: crossing arcs, several roots, even cycles."""
    wide = ["discourse:root" if head < 0 else "nsubj:pass" for head in heads]
    parsed = sentence(heads, wide, [chr(97 + token) for token in range(len(heads))])
    svg = dependencies_svg(parsed, weights=[0.1 * token for token in range(len(heads))] if weighted else None)
    assert [text.text for text in texts(svg, "word")] == parsed.words
    assert not overlaps(boxes(svg))
    inside(svg)
    arcs = arcs_of(svg)
    assert len(arcs) == len(heads)
    for index, (left, right, height) in enumerate(arcs):
        for other_left, other_right, other_height in arcs[index + 1 :]:
            if height == other_height:
                assert right < other_left or other_right < left
    # Every end has its own place.
    ends = [end for left, right, _ in arcs for end in {left, right}]
    assert len(ends) == len({round(end, 1) for end in ends})
    # No line of another arc runs through a label.
    for text in texts(svg, "relation"):
        width = measured(text.text, 11.0)
        middle = float(text.get("x"))
        level = float(text.get("y")) - 0.35 * 11.0
        for left, right, height in arcs:
            if height < level - 1:
                assert not any(abs(end - middle) < width / 2 for end in (left, right))


def test_roots_and_weights():
    svg = dependencies_svg(sentence([1, -1, -1, 2]), weights=[0.0, 1.0, 0.5, 0.25])
    paths = list(parse(svg).iter(f"{NS}path"))
    lines, arrows = paths[::2], paths[1::2]  # of each arc its line, then its arrow
    assert [path.get("fill") == "none" for path in paths] == [True, False] * 4
    tips = [float(re.match(r"M(\S+) ", arrow.get("d"))[1]) for arrow in arrows]
    by_token = [float(line.get("stroke-width")) for _, line in sorted(zip(tips, lines, strict=True), key=itemgetter(0))]
    assert by_token == pytest.approx([1.0, 4.5, 2.75, 1.88])
    assert [text.text for text in texts(svg, "relation")].count("root") == 2
    assert [text.text for text in texts(svg, "legend")] == ["0", "1"]


def test_a_pair_of_which_a_sentence_is_empty():
    nothing = Dependencies([], np.array([], int), [])
    for draw in (lambda: dependencies_svg(nothing), lambda: pair_svg(nothing, ["a"], np.zeros((0, 1)))):
        with pytest.raises(SentenceError, match="no tokens; nothing to draw"):
            draw()


def test_rows_of_a_long_tree_have_the_weights_of_the_dependents():
    svg = dependencies_svg(sentence([1, -1, 1], words=["a", "b", "c"]), weights=[0.2, 0.5, 0.9], compact=True)
    assert [hint in svg for hint in ("<title>b → a 0.2<", "<title>b → c 0.9<")] == [True, True]


@pytest.mark.parametrize(
    "draw",
    [
        dependencies_svg,
        lambda one: dependencies_svg(one, compact=True),
        dependencies_text,
        lambda one: attention_svg(one.words, np.eye(2), parse=one),
        lambda one: pair_svg(one, ["a"], np.ones((2, 1))),
    ],
)
def test_a_head_out_of_range_is_named(draw):
    with pytest.raises(SentenceError, match="head 8 of word 1 is out of range, the sentence has 2 words"):
        draw(Dependencies(["the", "film"], [7, -1], ["det", "root"]))
    with pytest.raises(SentenceError, match="the sentence has 2 words, 1 heads"):
        draw(Dependencies(["the", "film"], [-1], ["det", "root"]))
