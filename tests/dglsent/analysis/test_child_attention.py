from __future__ import annotations

import numpy as np
import pytest
from figure_reading import cells, names
from made import pairs, recording, tree, words
from pandas import DataFrame, concat

from dglsent.analysis import child_attention
from graphs.errors import InputError


def children(example, sentence, rows):
    columns = ["sender", "receiver", "attention"]
    return DataFrame(rows, columns=columns).assign(example=example, sentence=sentence, relation="child", slot=0)


@pytest.fixture
def source(tmp_path):
    nodes = concat(
        [words(0, "a boy plays now", [1, 2, -1, 2]), words(0, "nobody plays", [1, -1], 1)], ignore_index=True
    )
    edges = concat(
        [
            children(0, 0, [(0, 1, 1.0), (1, 2, 0.75), (3, 2, 0.25)]),
            children(0, 1, [(0, 1, 1.0)]),
        ],
        ignore_index=True,
    )
    examples = pairs([3.0], [3.0], [("A boy plays now", "Nobody plays")])
    return recording(tmp_path, fields=["child.attention"], nodes=nodes, edges=edges, examples=examples)


def test_weights_of_a_sentence(source):
    made = child_attention.tables([source], sentence="A boy plays now.")
    weights = made["weights"]
    assert weights.head_word.tolist() == ["boy", "plays", "plays"]
    assert weights.dependent_word.tolist() == ["a", "boy", "now"]
    assert weights.groupby("head").attention.sum().tolist() == [1, 1]
    assert weights.alone.tolist() == [True, False, False]
    assert weights.depth.tolist() == [1, 0, 0]
    assert weights.guided_by.unique().tolist() == ["Nobody plays"]
    other = child_attention.tables([source], sentence="nobody plays")["weights"]
    assert other.dependent_word.tolist() == ["nobody"]
    assert other.guided_by.unique().tolist() == ["A boy plays now"]
    assert other.text.unique().tolist() == ["Nobody plays"]
    drawn = child_attention.figures(made)
    assert set(drawn) == {"heat-corpus-model", "entropy"}
    heat = drawn["heat-corpus-model"].axes[0]
    assert (heat.get_ylabel(), heat.get_xlabel()) == ("dependent", "head")
    assert heat.images[0].get_clim() == (0, 1)
    assert cells(heat) == {("boy", "plays"): 0.75, ("now", "plays"): 0.25}
    assert [patch.get_xy() for patch in heat.patches] == [(0.5, -0.5)]  # "a" has no sibling
    assert '"A boy plays now", guided by "Nobody plays"' in drawn["heat-corpus-model"].get_label()


def test_entropy_by_number_of_dependents(source):
    (row,) = child_attention.tables([source])["entropy"].itertuples()
    assert row.dependents == 2
    assert row.heads == 1
    wanted = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert row.entropy == pytest.approx(wanted)
    assert row.ratio == pytest.approx(wanted / np.log(2))
    three = children(0, 0, [(0, 1, 0.5), (2, 1, 0.5), (3, 4, 0.2), (5, 4, 0.3), (6, 4, 0.5)])
    assert [child_attention.entropies(three, most).dependents.tolist() for most in (2, 3)] == [[2], [2, 3]]


def test_entropies_of_heads_have_a_spread():
    rows = [(0, 1, 0.5), (2, 1, 0.5), (3, 4, 0.25), (5, 4, 0.75)]
    (row,) = child_attention.entropies(children(0, 0, rows)).itertuples()
    other = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert (row.heads, row.highest) == (2, 0.625)
    assert row.entropy_sd == pytest.approx((np.log(2) - other) / 2**0.5)


def test_a_sentence_of_one_word_has_no_attention(tmp_path):
    nodes = concat([words(0, "Yes", [-1]), words(1, "no dog", [1, -1])], ignore_index=True)
    examples = pairs([3.0, 3.0], [3.0, 3.0], [("Yes", None), ("no dog", None)])
    source = recording(
        tmp_path, fields=["child.attention"], nodes=nodes, edges=children(1, 0, [(0, 1, 1.0)]), examples=examples
    )
    with pytest.raises(InputError, match="'Yes' has one word"):
        child_attention.tables([source])
    assert child_attention.tables([source], sentence="no dog")["weights"].dependent_word.tolist() == ["no"]


def test_tokens_with_spaces_and_phrases_are_nodes_of_their_own(tmp_path):
    nodes = words(0, "x y z", [1, -1, 1]).assign(text=["Hà Nội", "its outskirts", "lắm"])
    edges = children(0, 0, [(0, 1, 0.7), (2, 1, 0.3)])
    source = recording(
        tmp_path, fields=["child.attention"], nodes=nodes, edges=edges, examples=pairs([1.0], [1.0], [("x", "y")])
    )
    heat = child_attention.figures(child_attention.tables([source]))["heat-corpus-model"].axes[0]
    assert cells(heat) == {("Hà Nội", "its outskirts"): 0.7, ("lắm", "its outskirts"): 0.3}


def test_phrases_of_the_same_words_are_told_apart(tmp_path):
    """By their labels and, where these are alike or there are none, by numbers."""
    rows = [(0, -1, 0, 2, "Dogs", "S", -1), (1, 0, 0, 1, "Dogs", "NP", -1), (2, 1, 0, 1, "Dogs", "NP", -1)]
    nodes = tree(0, [*rows, (3, 0, 1, 2, "Dogs", "", -1)])
    edges = children(0, 0, [(1, 0, 0.6), (3, 0, 0.4), (2, 1, 1.0)])
    source = recording(
        tmp_path, fields=["child.attention"], nodes=nodes, edges=edges, examples=pairs([1.0], [1.0], [("x", "y")])
    )
    made = child_attention.tables([source])
    assert made["weights"].head_word.tolist() == ["Dogs", "Dogs", "NP Dogs"]
    assert made["weights"].dependent_word.tolist() == ["NP Dogs", "Dogs", "NP Dogs"]
    heat = child_attention.figures(made)["heat-corpus-model"].axes[0]
    assert names(heat) == ["Dogs", "NP Dogs", "NP Dogs (2)", "Dogs (2)"]


def test_a_caption_has_the_sentence_of_a_tree_of_phrases(tmp_path):
    """And not the texts of all its nodes; where no head has a choice there are no entropies to draw."""
    rows = [(0, -1, 0, 2, "The cat", "S", -1), (1, 0, 0, 2, "The cat", "NP", -1)]
    leaves = [(2, 1, 0, 1, "The", "DT", -1), (3, 1, 1, 2, "cat", "NN", -1)]
    examples = pairs([1.0, 1.0], [1.0, 1.0], [("The cat", "A dog"), ("Yes", "No")])
    nodes = concat([tree(0, [*rows, *leaves]), tree(1, [(0, -1, 0, 1, "Yes", "S", -1), (1, 0, 0, 1, "Yes", "UH", -1)])])
    edges = concat([children(0, 0, [(1, 0, 1.0), (2, 1, 0.6), (3, 1, 0.4)]), children(1, 0, [(1, 0, 1.0)])])
    source = recording(tmp_path, fields=["child.attention"], nodes=nodes, edges=edges, examples=examples)
    made = child_attention.tables([source])
    assert made["weights"].length.tolist() == [2, 2, 2]
    drawn = child_attention.figures(made)
    assert set(drawn) == {"heat-corpus-model", "entropy"}
    assert ', "The cat", guided by "A dog".' in drawn["heat-corpus-model"].get_label()
    alone = nodes.example == 1, edges.example == 1, examples.example == 1
    one = recording(
        tmp_path, system="corpus/one", fields=["child.attention"],
        nodes=nodes[alone[0]], edges=edges[alone[1]], examples=examples[alone[2]],
    )  # fmt: skip
    assert set(child_attention.figures(child_attention.tables([one]))) == {"heat-corpus-one"}
