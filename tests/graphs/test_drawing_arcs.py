from __future__ import annotations

import math
import re
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_reading import CAT, NS, boxes, inside, overlaps, parse, sentence, texts

import graphs
from graphs.documents import forest
from graphs.drawing import (
    arcs_svg,
    attention_svg,
    dependencies_svg,
    graph_svg,
    heat_svg,
    pair_svg,
    tree_svg,
    window_svg,
)
from graphs.drawing.attention import strongest
from graphs.errors import InputError
from graphs.sentence_graph import SentenceGraph

WORDS = ["incomprehensibilities", "a", "MMMM", "of", "the", "."]


@st.composite
def sentences(draw):
    """Words with any arcs between them: cycles, both ways, from a word to itself."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=16))
    place = st.integers(0, len(words) - 1)
    arc = st.tuples(place, place, st.floats(0, 1))
    return words, draw(st.lists(arc, max_size=20)), draw(st.lists(arc, max_size=12))


def arrows(svg):
    """Tips of the arrow heads."""
    found = []
    for path in parse(svg).iter(f"{NS}path"):
        if path.get("fill") != "none":
            frame = re.search(r"(-?\d) [\d.]+ ([\d.]+)\)|translate\([\d.]+ ([\d.]+)", path.get("transform"))
            found.append((float(re.match(r"M(\S+)", path.get("d"))[1]), float(frame[2] or frame[3])))
    return found


@settings(derandomize=True, deadline=None, max_examples=30)
@given(sentences(), st.sampled_from([250.0, 2000.0]))
def test_no_texts_overlap_and_every_arc_is_there(given, width):
    words, arcs, below = given
    svg = arcs_svg(words, arcs, below=below, notes=[["nmod:poss"] * len(words)], width=width)
    assert [text.text for text in texts(svg, "word")] == words
    assert not overlaps(boxes(svg))
    inside(svg)
    tips = arrows(svg)
    assert len(tips) == len(arcs) + len(below)
    assert len(set(tips)) == len(tips)
    # An arc that ends in another row has a name at either end.
    rows = {text.get("y"): n for n, text in enumerate(texts(svg, "word"))}
    row = [list(rows).index(text.get("y")) for text in texts(svg, "word")]
    apart = sum(row[arc[0]] != row[arc[1]] for arc in [*arcs, *below])
    assert len(texts(svg, "other")) == 2 * apart
    near = [min(rows, key=lambda y: abs(float(y) - tip)) for _, tip in tips]
    assert Counter(map(list(rows).index, near)) == Counter(row[arc[1]] for arc in [*arcs, *below])
    assert len(rows) == 1 or width == 250.0


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("incomprehensible", "incompreh…ible"),
        ("e\u0301" * 14, "e\u0301" * 14),  # of 28 code points
        ("e\u0301" * 15, "e\u0301" * 9 + "…" + "e\u0301" * 4),
        ("雪" * 7, "雪" * 7),
        ("雪" * 8, "雪" * 4 + "…" + "雪" * 2),
    ],
)
def test_words_of_other_rows_are_cut_to_a_width_between_letters(word, shown):
    svg = arcs_svg([word, *("word" for _ in range(30))], [(0, 30)], width=400.0)
    assert texts(svg, "other")[-1].text == shown


def test_weights_are_widths_and_colours():
    svg = arcs_svg(["a", "b"], [(0, 1, 0.0), (1, 0, 1.0), (1, 1, 0.5)])
    lines = [path for path in parse(svg).iter(f"{NS}path") if path.get("fill") == "none"]
    assert [float(line.get("stroke-width")) for line in lines] == [0.8, 2.5, 4.2]
    assert [line.find(f"{NS}title").text for line in lines] == ["a → b 0", "b → b 0.5", "b → a 1"]
    assert [text.text for text in texts(svg, "legend")] == ["0", "1"]
    assert not texts(arcs_svg(["a", "b"], [(0, 1)]), "legend")


def test_the_arrow_of_a_hint_stays_between_words_that_are_read_from_the_right():
    svg = arcs_svg(["ספר", "قلم", "pen"], [(0, 1), (1, 2)])
    hints = [title.text for title in parse(svg).iter(f"{NS}title")]
    assert hints == ["\u2068ספר\u2069 → \u2068قلم\u2069", "\u2068قلم\u2069 → pen"]


@pytest.mark.parametrize("weights", list(permutations([0.9, 0.5, 0.1, math.nan])))
def test_heavy_arcs_are_drawn_over_light_ones_and_those_without_a_weight(weights):
    ends = [(0, 2), (1, 3), (2, 0), (0, 3)]
    svg = arcs_svg(list("abcd"), [(*pair, weight) for pair, weight in zip(ends, weights, strict=True)])
    hints = [title.text.split() for title in parse(svg).iter(f"{NS}title")]
    assert [hint[3:] for hint in hints] == [[], ["0.1"], ["0.5"], ["0.9"]]


def test_long_sentences_have_a_compact_form():
    heads = [-1, *(int(head) for head in np.random.default_rng(0).integers(0, 62, 61))]
    long = sentence([-1 if head == token else head for token, head in enumerate(heads)])
    svg = dependencies_svg(long, compact=True)
    assert float(parse(svg).get("width")) < 1000 < float(parse(dependencies_svg(long, compact=False)).get("width"))
    assert dependencies_svg(long) == svg
    assert dependencies_svg(sentence([-1] * 20)) == dependencies_svg(sentence([-1] * 20), compact=False)
    assert dependencies_svg(sentence([-1] * 21)) == dependencies_svg(sentence([-1] * 21), compact=True)
    assert [text.text for text in texts(svg, "word")] == long.words
    assert [text.text for text in texts(svg, "note")].count("nsubj:pass") == sum(head >= 0 for head in long.head)
    assert not overlaps(boxes(svg))
    weighted = dependencies_svg(sentence([-1, 0, 1]), compact=True, weights=[0.0, 3.0, 1.5])
    assert [text.text for text in texts(weighted, "legend")] == ["0", "3"]
    # In notebooks a long sentence is drawn so, a short one is not.
    assert long._repr_svg_() == svg
    assert texts(sentence([-1, 0])._repr_svg_(), "relation")


def test_attention():
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.0, 0.1, 0.9], [0.3, 0.3, 0.4]])
    assert strongest(weights.double().numpy(), 2) == [
        (0, 0, 0.5),
        (2, 1, pytest.approx(0.9)),
        (2, 2, pytest.approx(0.4)),
    ]
    assert len(strongest(weights.double().numpy(), 2, 0.0)) == 6
    for count in range(2, 30):  # an even share is no more than that, rounded or not
        for share in (1 / count, round(1 / count, 6), np.float32(1 / count)):
            assert strongest(np.full((2, count), share, dtype=np.float64), 2) == []
    assert strongest(np.array([[1.0], [np.nan]]), 2) == [(0, 0, 1.0)]  # where there is one word alone, it is heard
    assert strongest(np.array([[-np.inf], [np.inf]]), 2) == [(0, 1, np.inf)]  # not -1.8e308, nor 1.8e308
    with pytest.raises(InputError, match="top is -1; give a whole number from 0"):
        strongest(weights.double().numpy(), -1)  # as a slice it would be all arcs but the weakest
    svg = attention_svg(["a", "b", "c"], weights, parse=sentence([1, -1, 1], words=["a", "b", "c"]))
    heights = [y for _, y in arrows(svg)]
    assert sorted(heights)[2] > sorted(heights)[1]  # two arcs of the parse above, three of attention below
    assert len(heights) == 5
    below = strongest(weights.double().numpy(), 2)  # over the words stand arcs from heads to dependents
    assert svg == arcs_svg(["a", "b", "c"], [(1, 0), (1, 2)], below=below, notes=[["nsubj:pass", "root", "nsubj:pass"]])
    with pytest.raises(InputError, match="3 words, but a parse of 2 tokens"):
        attention_svg(["a", "b", "c"], weights, parse=sentence([1, -1]))


def test_windows():
    svg = window_svg(["a", "b"], torch.rand(2, 5))
    assert [text.text for text in texts(svg, "column")] == ["-2", "-1", "0", "+1", "+2"]
    assert [text.text for text in texts(svg, "legend")] == ["0", "1"]
    for gates in (np.zeros((2, 4)), np.zeros((3, 5)), np.zeros(2)):
        with pytest.raises(InputError, match="2 d \\+ 1 columns"):
            window_svg(["a", "b"], gates)


@pytest.mark.parametrize(
    ("other", "count"), [(CAT, 6), (CAT, 3), (sentence([1, -1]), 2), (np.array(["one", "two"]), 2)]
)
def test_pairs(other, count):
    weights = np.full((6, count), 0.1)
    weights[:, 1] = 0.9
    svg = pair_svg(CAT, other, weights, title="pair")
    assert "<path" in str(pair_svg(CAT, other, weights, low=1, high=1))
    lines = [path for path in parse(svg).iter(f"{NS}path") if path.get("stroke-width") == "4.58"]
    assert len(lines) == 6
    assert len({line.get("d")[:12] for line in lines}) == 1  # all from the second node of the other
    assert [text.text for text in texts(svg, "word")] == [*CAT.words, *getattr(other, "words", other)]
    assert not overlaps(boxes(svg))
    inside(svg)


@pytest.mark.parametrize("other", [["three", "four", "five"], sentence([1, -1, 1], words=["three", "four", "five"])])
def test_lines_of_a_pair_lead_from_the_heard_word_up_to_its_listener(other):
    svg = pair_svg(["one", "two"], other, [[0.0, 0.1, 0.9], [0.8, 0.1, 0.1]])
    words = {text.text: (float(text.get("x")), float(text.get("y"))) for text in texts(svg, "word")}
    lines = [path.get("d") for path in parse(svg).iter(f"{NS}path") if path.find(f"{NS}title") is not None]
    ends = [re.fullmatch(r"M(\S+) (\S+)C.* (\S+) (\S+)", line).groups() for line in lines]
    for (u, v, x, y), (heard, listener) in zip(ends, [("three", "two"), ("five", "one")], strict=True):
        assert (float(u), float(x)) == (words[heard][0], words[listener][0])
        assert 0 < words[heard][1] - float(v) < 40  # right over the one
        assert 0 < float(y) - words[listener][1] < 20  # and under the other


def test_graphs():
    trees = graphs.parse_brackets("(S (NP (DT the) (NN cat)) (VBD sat))")
    parsed = sentence([1, -1, 1], words=["the", "cat", "sat"])
    known = graphs.Vocabularies.of([*trees, parsed])
    tree = graphs.constituency(trees[0], known)
    assert graph_svg(tree, known) == tree_svg(trees[0])
    assert [text.text for text in texts(tree._repr_svg_(), "label")][:2] == [
        f"tag {tag}" for tag in tree.nodes["tag"][:2]
    ]
    dependency = graph_svg(graphs.dependency(parsed, known), known)
    assert len(arrows(dependency)) == 2
    assert len(arrows(graph_svg(graphs.window(parsed, known, 1)))) == 9
    complete = graph_svg(graphs.complete(sentence([-1] * 5), known))
    assert len([rect for rect in parse(complete).iter(f"{NS}rect") if rect.get("class") == "cell"]) == 25
    assert CAT._repr_svg_() == tree_svg(CAT)


def test_a_graph_of_other_vocabularies_is_refused():
    (one,) = graphs.parse_brackets("(S (NN film) (VBD worked))")
    (other,) = graphs.parse_brackets("(S (NN a) (NN b) (NN c))")
    graph = graphs.constituency(other, graphs.Vocabularies.of([other]))
    with pytest.raises(InputError, match="the graph has word 4, and its vocabulary has 4 ids"):
        graph_svg(graph, graphs.Vocabularies.of([one]))


def test_the_graph_of_a_document_is_drawn_as_its_trees():
    trees = graphs.parse_brackets("(S (NP (DT the) (NN cat)) (VBD sat)) (S (NN dogs) (VBD ran))")
    document = forest(trees)
    known = graphs.Vocabularies.of(trees)
    made = graphs.constituency(document, known)
    assert graph_svg(made, known) == tree_svg(document)
    # Where a node has two parents, there is no tree: the arcs show both.
    span = {"span": np.zeros((3, 2), dtype=int)}
    twice = graphs.SentenceGraph(3, np.array([1, 1]), np.array([0, 2]), span, {}, np.array([0, 1, 0]))
    assert len(arrows(graph_svg(twice))) == 2


def test_a_row_of_a_dense_graph_is_a_receiver():
    """Every node hears those before it."""
    later, earlier = np.tril_indices(8, -1)
    graph = graphs.SentenceGraph(8, earlier, later, {"word": np.arange(1, 9)}, {}, np.arange(8)[::-1])
    svg = graph_svg(graph)
    filled = {
        cell.find(f"{NS}title").text.removesuffix(": 1")
        for cell in parse(svg).iter(f"{NS}rect")
        if cell.get("class") == "cell" and cell.find(f"{NS}title").text.endswith(": 1")
    }
    assert filled == {f"word {to + 1} · word {of + 1}" for to in range(8) for of in range(to)}


def test_what_cannot_be_drawn_is_named():
    known = graphs.Vocabularies.of([CAT])
    graph = graphs.constituency(CAT, known)
    for wrong, message in (
        (graph, "dependencies_svg draws .*, but was given a SentenceGraph of 6 nodes; graph_svg draws graphs"),
        (graph.dgl(), "given a DGLGraph of 6 nodes; graph_svg draws the SentenceGraph"),
        (CAT, "given a Constituency of 6 nodes; tree_svg draws constituency trees"),
        ("the cat sat", "given a str$"),
        ([sentence([-1])], "given a list; draw its members one by one"),
    ):
        with pytest.raises(InputError, match=message):
            dependencies_svg(wrong)
    with pytest.raises(InputError, match="given Dependencies of 1 tokens; dependencies_svg draws"):
        tree_svg(sentence([-1]))
    with pytest.raises(InputError, match=r"graph_svg draws a SentenceGraph, .* given a Constituency"):
        graph_svg(CAT)
    with pytest.raises(InputError, match=r"pair_svg draws .* given a str"):
        pair_svg("the cat", CAT, [[1.0]])
    with pytest.raises(InputError, match=r"pair_svg draws .* given a dict"):
        pair_svg(CAT, {"a": 1}, [[1.0]])
    with pytest.raises(InputError, match=r"shape \[2, 2\] for 6 rows and 6 columns"):
        pair_svg(CAT, CAT, np.zeros((2, 2)))
    with pytest.raises(InputError, match="from word 0 to word 2, but words are 0 to 1"):
        arcs_svg(["a", "b"], [(0, 2)])
    with pytest.raises(InputError, match="1 notes for 2 words"):
        arcs_svg(["a", "b"], [], notes=[["x"]])
    with pytest.raises(InputError, match="no words"):
        arcs_svg([], [])
    assert len(texts(heat_svg(np.zeros((2, 2)), ["a", "b"]), "column")) == 2


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64, torch.int64])
def test_tensors_of_any_type_are_drawn(dtype):
    matrix = torch.eye(3, dtype=dtype)
    as_array = np.eye(3)
    words = ["a", "b", "c"]
    for draw in (
        lambda cells: graphs.heat_svg(cells, words),
        lambda cells: graphs.attention_svg(words, cells),
        lambda cells: graphs.pair_svg(words, words, cells),
        lambda cells: graphs.window_svg(words, cells),
    ):
        assert draw(matrix) == draw(as_array)


def test_an_arc_between_fractions_is_refused():
    with pytest.raises(InputError, match=r"an arc from 0\.7 to 2, where numbers of words are wanted"):
        graphs.arcs_svg(["a", "b", "c"], [(0.7, 2)])
    assert graphs.arcs_svg(["a", "b", "c"], [(np.int64(0), 2.0)]) == graphs.arcs_svg(["a", "b", "c"], [(0, 2)])


@pytest.mark.parametrize(
    "arc", [("The", "film"), (0,), (0, 1, "much"), (0, 1, 0.5, 2), 0, (0, math.nan), (0, math.inf)]
)
def test_an_arc_that_is_none_is_told(arc):
    with pytest.raises(InputError, match=rf"an arc {re.escape(repr(arc))}; give \(sender, receiver\) or \("):
        graphs.arcs_svg(["The", "film"], [arc])


def test_a_parse_in_the_place_of_arcs_is_told():
    tree = sentence([1, -1])
    wanted = r"in the place of arcs; give \(sender, receiver\) of each"
    with pytest.raises(InputError, match=f"^Dependencies of 2 tokens {wanted}; dependencies_svg draws dep"):
        graphs.arcs_svg(tree.words, tree)
    with pytest.raises(InputError, match=f"^a SentenceGraph of 2 nodes {wanted}; graph_svg draws graphs$"):
        graphs.arcs_svg(tree.words, [(0, 1)], below=graphs.chain(tree, graphs.Vocabularies.of([tree])))


@pytest.mark.parametrize(
    "draw",
    [
        lambda words: graphs.arcs_svg(words, [(0, 1)]),
        lambda words: graphs.attention_svg(words, np.eye(2)),
        lambda words: graphs.heat_svg(np.eye(2), words),
        lambda words: graphs.heat_svg(np.eye(2), ["a", "b"], words),
        lambda words: graphs.window_svg(words, np.zeros((2, 3))),
    ],
)
def test_a_parse_in_the_place_of_words_is_told(draw):
    tree = sentence([1, -1])
    with pytest.raises(
        InputError, match=r"^Dependencies of 2 tokens in the place of words; give its words, .*`\.words`"
    ):
        draw(tree)
    with pytest.raises(InputError, match=r"^a Constituency of 6 nodes in the place of words; give its words"):
        draw(CAT)
    with pytest.raises(InputError, match=r"^a SentenceGraph of 2 nodes in the place of words; give a list of words"):
        draw(graphs.chain(tree, graphs.Vocabularies.of([tree])))
    with pytest.raises(InputError, match=r"^a text in the place of words; give a list of words$"):
        draw("so")
    assert draw(tree.words) == draw(tuple(tree.words))


def test_a_tree_whose_root_is_no_first_node_is_drawn_as_arcs():
    """As trees of one's own may be, of which the drawing of trees would make others."""
    spans = np.array([[0, 1], [1, 2], [0, 2]])
    nodes = {"word": np.array([2, 3, 0]), "span": spans}
    graph = SentenceGraph(3, np.array([0, 1]), np.array([2, 2]), nodes, {}, np.array([0, 0, 1]))
    assert len(arrows(graph_svg(graph))) == 2


def test_the_arrow_points_at_the_receiver():
    for sender, receiver in ((0, 2), (2, 0)):
        svg = arcs_svg(["a", "b", "c"], [(sender, receiver)])
        ((tip, _),) = arrows(svg)
        assert tip == pytest.approx(float(texts(svg, "word")[receiver].get("x")), abs=0.02)
