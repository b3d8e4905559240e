from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from figure_reading import cells, panel
from made import dense, pairs, recording, words
from pandas import DataFrame, concat
from pandas.testing import assert_frame_equal

from dglsent.analysis import cross_attention, length_bins, pair_scores
from graphs.errors import InputError

TEXTS = [
    ("A hole is being burrowed by the badger", "The badger is burrowing a hole"),
    ("There is no man screaming", "A man is screaming"),
    ("A dog runs", "A cat runs"),
]


def test_kinds_of_pairs():
    assert [pair_scores.kind(*texts) for texts in TEXTS] == ["passive", "negation", "other"]
    assert pair_scores.kind("nobody runs", "no man runs") == "other"
    assert pair_scores.kind("A man is n't running", "A man is running") == "negation"
    assert pair_scores.kind("A hole was dug by a badger", "A badger dug a hole") == "passive"
    assert pair_scores.kind("A hole is being dug", "A badger digs") == "passive"
    # What both say makes no difference, and neither does a capital.
    assert pair_scores.kind("A dog runs by a wall", "A cat runs by a wall") == "other"
    assert pair_scores.kind("A hole is being dug", "A pit is being dug") == "other"
    assert pair_scores.kind("No man screams", "A man screams") == "negation"
    assert pair_scores.kind("A badger digs", "By a badger a hole is dug") == "passive"


def test_scores_of_the_papers_pairs_and_of_groups(tmp_path):
    sources = [
        recording(tmp_path, system="sick/bilstm", seed=1, examples=pairs([4.9, 4.0, 2.0], [2.9, 3.0, 2.5], TEXTS)),
        recording(tmp_path, system="sick/bilstm", seed=2, examples=pairs([4.9, 4.0, 2.0], [3.9, 3.0, 1.5], TEXTS)),
        recording(tmp_path, system="sick/dependency", seed=1, examples=pairs([4.9, 4.0, 2.0], [4.9, 4.0, 2.0], TEXTS)),
    ]
    made = pair_scores.tables(sources)
    scored = made["pairs"].set_index("pair")
    assert scored["sick/bilstm"].tolist() == pytest.approx([3.4, 3.0])
    assert scored.gold.tolist() == [4.9, 4.0]
    groups = made["groups"].set_index(["system", "group"])
    assert groups.error["sick/bilstm", "passive"] == pytest.approx(1.5)
    assert groups.bias["sick/bilstm", "other"] == pytest.approx(0)
    assert groups.bias["sick/bilstm", "passive"] == pytest.approx(-1.5)
    assert groups.error["sick/dependency", "negation"] == 0
    assert groups.seeds["sick/bilstm", "passive"] == 2
    assert groups.error.between(groups.low, groups.high).all()
    assert list(pair_scores.figures(made)) == ["pair-scores"]


def test_intervals_are_drawn_where_they_are():
    rows = DataFrame({"system": ["a", "b"], "group": "passive", "pairs": 3, "error": [1.0, 2.0]})
    (figure,) = pair_scores.figures({"groups": rows.assign(low=[0.5, 1.75], high=[1.125, 4.0])}).values()
    (lines,) = figure.axes[0].collections
    assert [segment[:, 0].tolist() for segment in lines.get_segments()] == [[0.5, 1.125], [1.75, 4.0]]


def test_groups_of_folds(tmp_path):
    sources = [
        recording(tmp_path, seed=seed, fold=fold, examples=pairs([4.0] * len(said), said, [TEXTS[0]] * len(said)))
        for seed, fold, said in ((1, 0, [3.0, 4.0]), (1, 1, [4.0]), (2, 0, [2.0, 4.0]), (2, 1, [3.0]))
    ]
    (group,) = pair_scores.tables(sources)["groups"].itertuples()
    assert (group.pairs, group.seeds) == (3, 2)
    assert group.error == pytest.approx((1 / 3 + 1) / 2)  # of three pairs each, of whatever fold
    assert group.error_sd == pytest.approx(2 / 3 / 2**0.5)


def test_intervals_of_folds_are_of_all_their_pairs(tmp_path):
    said = np.random.default_rng(0).uniform(1, 5, 100)
    whole, folds = (
        [
            recording(tmp_path / name, fold=fold, examples=pairs([3.0] * len(part), part, [TEXTS[0]] * len(part)))
            for fold, part in enumerate(parts)
        ]
        for name, parts in (("whole", [said]), ("folds", np.split(said, 10)))
    )
    one, other = (pair_scores.tables(sources)["groups"] for sources in (whole, folds))
    assert_frame_equal(one, other)


def test_seeds_of_different_pairs_are_refused(tmp_path):
    sources = [
        recording(tmp_path, seed=seed, examples=pairs([4.0] * count, [3.0] * count, [TEXTS[0]] * count))
        for seed, count in ((1, 2), (2, 3))
    ]
    with pytest.raises(InputError, match="corpus/model: one seed has other pairs than another"):
        pair_scores.tables(sources)


def test_attention_between_sentences(tmp_path):
    nodes = concat([words(0, "A dog runs", [1, 2, -1]), words(0, "A cat", [1, -1], 1)], ignore_index=True)
    first = np.array([[0.9, 0.1], [0.5, 0.5], [0.5, 0.5]])
    second = np.array([[0.8, 0.1, 0.1], [1 / 3] * 3])
    edges = concat(
        [
            dense(0, first, "attend", "attention_up"),
            dense(0, second, "attend", "attention_up", sentence=1),
        ],
        ignore_index=True,
    )
    examples = pairs([1.0], [1.0], [("A dog runs", "A cat")])
    source = recording(tmp_path, fields=["attend.attention_up"], nodes=nodes, edges=edges, examples=examples)
    made = cross_attention.tables([source])
    weights = made["weights"]
    assert weights.groupby(["sentence", "listener"]).weight.sum().tolist() == pytest.approx([1] * 5)
    heard = weights[(weights.listener_text == "A") & (weights.sentence == 0)].set_index("heard_text").weight
    assert heard.to_dict() == pytest.approx({"A": 0.9, "cat": 0.1})
    (row,) = made["summary"].itertuples()
    assert row.listeners == 2
    assert row.on_equal == pytest.approx((0.9 + 0.8) / 2)
    assert row.on_equal_even == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert row.log_n == pytest.approx((3 * np.log(2) + 2 * np.log(3)) / 5)
    parts = [*first.ravel(), *second.ravel()]
    assert row.entropy == pytest.approx(-sum(part * np.log(part) for part in parts) / 5)
    drawn = cross_attention.figures(made)
    assert list(drawn) == ["cross-attention-corpus-model"]
    for side, listeners, heard, wanted in ((1, "A dog runs", "A cat", first), (2, "A cat", "A dog runs", second)):
        shown = cells(panel(drawn["cross-attention-corpus-model"], f"from left to right:\nsentence {side} listens"))
        assert list(shown) == [(one, other) for one in listeners.split() for other in heard.split()]
        assert list(shown.values()) == pytest.approx(wanted.ravel(), abs=1e-3)
    with pytest.raises(InputError, match="--pair none"):
        cross_attention.tables([source], pair="none")


def test_without_equal_words_no_weight_on_them_is_known(tmp_path):
    nodes = concat([words(0, "A dog", [1, -1]), words(0, "Some cat", [1, -1], 1)], ignore_index=True)
    edges = concat([dense(0, np.full((2, 2), 0.5), "attend", sentence=side) for side in (0, 1)], ignore_index=True)
    (row,) = cross_attention.summary(edges, nodes, ["attention_1"]).itertuples()
    assert row.listeners == 0
    assert np.isnan([row.on_equal, row.on_equal_even]).all()


def test_scores_of_decomposable_attention_are_shown_beside_the_weights(tmp_path):
    nodes = concat([words(0, "A dog runs", [1, 2, -1]), words(0, "A cat", [1, -1], 1)], ignore_index=True)
    scores = np.array([[2.0, -1.0], [0.5, 1.5], [0.0, -0.25]])
    edges = []
    for side, square in enumerate((scores, scores.T)):
        weights = np.exp(square) / np.exp(square).sum(1, keepdims=True)
        both = dense(0, square, "attend", "E", sentence=side)
        edges.append(both.assign(attention=dense(0, weights, "attend", "attention", sentence=side).attention))
    source = recording(
        tmp_path,
        fields=["attend.attention", "attend.E"],
        nodes=nodes,
        edges=concat(edges, ignore_index=True),
        examples=pairs([1.0], [1.0], [("A dog runs", "A cat")]),
    )
    made = cross_attention.tables([source])
    assert made["weights"].phase.unique().tolist() == ["attention"]
    assert len(made["alignment"]) == scores.size
    drawn = cross_attention.figures(made)
    assert list(drawn) == ["cross-attention-corpus-model", "alignment-corpus-model"]
    shown = cells(panel(drawn["alignment-corpus-model"], "E: sentence 1 by sentence 2"))
    assert shown == dict(zip(product(("A", "dog", "runs"), ("A", "cat")), scores.ravel(), strict=True))
    second = cells(panel(drawn["cross-attention-corpus-model"], "sentence 2 listens"))
    assert second["A", "runs"] == pytest.approx(1 / (1 + np.exp(2) + np.exp(0.5)), abs=1e-3)


@pytest.mark.parametrize("analysis", [pair_scores, length_bins])
def test_classes_are_no_scores(analysis, tmp_path):
    source = recording(tmp_path, examples=pairs([0, 1, 2], [0, 1, 1], TEXTS))
    source.about["labels"] = ["neutral", "entailment", "contradiction"]
    with pytest.raises(
        InputError, match=r"predicts classes \(neutral, entailment, contradiction\), and this wants scores"
    ):
        analysis.tables([source])
    two = recording(tmp_path, system="two", examples=pairs([0, 1, 1], [0, 1, 1], TEXTS))
    two.about["labels"] = ["other", "paraphrase"]
    with pytest.raises(InputError, match=r"predicts classes \(other, paraphrase\), and this wants scores"):
        analysis.tables([two])
    scores = recording(tmp_path, system="scores", examples=pairs([0, 1, 2], [0.5, 1, 1], TEXTS))
    scores.about["labels"] = source.about["labels"]  # SICK has both
    analysis.tables([scores])
