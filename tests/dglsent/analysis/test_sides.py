"""Sentences of pairs that are named: of the two the one that was meant is shown."""

from __future__ import annotations

import numpy as np
import pytest
from made import dense, pairs, recording, tree, words
from pandas import concat

from dglsent.analysis import attribute_effect, learned_structure, tree_heat
from graphs.errors import InputError

TEXTS = ("the dog barks", "a cat sleeps now")
HEADS = ([1, 2, -1], [1, 2, -1, 2])


def source(tmp_path, system="sick/cn3", parsed=True, predicted=1.0, **encoder):
    heads = HEADS if parsed else [[-2] * len(each) for each in HEADS]
    nodes = [words(0, text, of_one, side) for side, (text, of_one) in enumerate(zip(TEXTS, heads, strict=True))]
    edges = [dense(0, np.eye(len(each)) * 0.4 + 0.6 / len(each), sentence=side) for side, each in enumerate(HEADS)]
    examples = pairs([1.0], [predicted], [TEXTS])
    fields = ["complete.attention_1"]
    tables = {"nodes": concat(nodes, ignore_index=True), "edges": concat(edges, ignore_index=True)}
    return recording(tmp_path, system=system, fields=fields, encoder=encoder, examples=examples, **tables)


@pytest.mark.parametrize("side", [0, 1])
def test_weights_are_those_of_the_sentence_that_is_named(side, tmp_path):
    named = TEXTS[side].upper()
    weights = learned_structure.tables([source(tmp_path)], sentence=named)["weights"]
    assert list(weights.receiver_word.unique()) == TEXTS[side].split()
    both = [source(tmp_path, "sick/a"), source(tmp_path, "sick/b", edges=["relation"])]
    weights = attribute_effect.tables(both, sentence=named)["weights"]
    assert list(weights.receiver_word.unique()) == TEXTS[side].split()


def test_a_named_sentence_is_shown_however_long(tmp_path):
    made = learned_structure.tables([source(tmp_path)], sentence=TEXTS[1], longest=3)
    assert len(made["weights"]) == 16
    assert made["shares"].uniform.max() == pytest.approx(4 / 9)
    with pytest.raises(InputError, match=r"--longest 2: .*sick-cn3-2-1 has no sentence so short"):
        learned_structure.tables([source(tmp_path, "sick/cn3-2")], longest=2)


def test_without_a_parse_nobody_is_a_neighbour_or_none(tmp_path):
    assert learned_structure.tables([source(tmp_path)])["weights"].neighbour.notna().all()
    assert learned_structure.tables([source(tmp_path, "sick/a", parsed=False)])["weights"].neighbour.isna().all()
    both = [source(tmp_path, "sick/b", parsed=False), source(tmp_path, "sick/c", parsed=False, edges=["relation"])]
    with pytest.raises(InputError, match="sick-b-1: no sentence has dependencies"):
        attribute_effect.tables(both)


def test_a_word_is_heard_in_its_own_sentence_alone(tmp_path):
    made = learned_structure.tables([source(tmp_path)])
    assert made["entropy"].hub.tolist() == pytest.approx([(1 / 3 + 1 / 4) / 2])
    assert made["shares"].set_index("on").popularity["itself"] == pytest.approx((1 / 3 + 1 / 4) / 2)


def test_sentences_of_other_lengths_have_the_mean_of_their_ratios(tmp_path):
    ratios = []
    for size in (3, 4):
        row = np.array([0.4 + 0.6 / size, *[0.6 / size] * (size - 1)])
        ratios.append(-(row * np.log(row)).sum() / np.log(size))
    entropy = learned_structure.tables([source(tmp_path)])["entropy"]
    assert entropy.ratio.tolist() == pytest.approx([np.mean(ratios)], rel=1e-6)


@pytest.mark.parametrize("side", [0, 1])
def test_one_tree_of_a_pair_is_drawn(side, tmp_path):
    rows = [[(0, -1, 0, 2, text, "S", 1), (1, 0, 0, 1, text.split()[0], "X", 2), (2, 0, 1, 2, text.split()[1], "Y", 2)]
            for text in ("not good", "so bad")]  # fmt: skip
    nodes = concat([tree(0, of_one).assign(sentence=number) for number, of_one in enumerate(rows)], ignore_index=True)
    z = [[0.9], [0.0], [0.0], [0.3], [0.0], [0.0]]
    examples = pairs([1], [1], [("not good", "so bad")])
    one = recording(tmp_path, fields=["z_u"], nodes=nodes.assign(z_u=z), examples=examples)
    made = tree_heat.tables([one], sentence=("not good", "so bad")[side], dimension=1)
    assert made["tree"].text.iloc[0] == ("not good", "so bad")[side]
    assert made["tree"].value.dropna().tolist() == pytest.approx([(0.9, 0.3)[side]])
    assert len(made["tree"]) == 3
    assert list(tree_heat.figures(made)) == ["tree-corpus-model-seed-1"]


def test_the_usual_sentence_is_the_one_that_has_the_length(tmp_path):
    long, fitting = " ".join("abcdefghijklmnopqrst"), "a b c d e f g h"
    nodes = concat([words(0, text, [-1] * len(text.split()), side) for side, text in enumerate((long, fitting))])
    edges = concat([dense(0, np.full((n, n), 1 / n), sentence=side) for side, n in enumerate((20, 8))])
    source = recording(
        tmp_path,
        fields=["complete.attention_1"],
        nodes=nodes.reset_index(drop=True),
        edges=edges.reset_index(drop=True),
        examples=pairs([1.0], [1.0], [(long, fitting)]),
    )
    assert len(learned_structure.tables([source])["weights"]) == 64
