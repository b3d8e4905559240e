from __future__ import annotations

import numpy as np
import pytest
from made import pairs, recording, tree
from matplotlib.patches import Rectangle
from pandas import Series, concat

from dglsent.analysis import tag_pairs, tree_heat
from dglsent.analysis.pictures import HEAT
from graphs.errors import InputError

ROWS = [
    (0, -1, 0, 3, "not so good", "S", 1),
    (1, 0, 0, 1, "not", "RB", 2),
    (2, 0, 1, 3, "so good", "ADJP", 3),
    (3, 2, 1, 2, "so", "RB", 2),
    (4, 2, 2, 3, "good", "JJ", 4),
]


def test_area_under_the_curve():
    z = np.array([[1.0, 5.0, 1.0], [2.0, 6.0, 1.0], [3.0, 1.0, 1.0], [4.0, 2.0, 1.0]])
    positive = np.array([False, False, True, True])
    assert tree_heat.area_under_curve(z, positive).tolist() == [1.0, 0.0, 0.5]
    assert np.isnan(tree_heat.area_under_curve(z, np.ones(4, bool))).all()


def test_a_tree_with_its_values(tmp_path):
    nodes = concat([tree(0, ROWS), tree(1, ROWS)], ignore_index=True)
    z = np.zeros((10, 2))
    z[:, 1] = [0.9, 0, 0.2, 0, 0] * 2  # large where sentiment is negative
    examples = pairs([1, 1], [1, 1], [("Not so good!", None), ("not so bad", None)])
    source = recording(tmp_path, fields=["z_u"], nodes=nodes.assign(z_u=list(z)), examples=examples)
    made = tree_heat.tables([source], sentence="not so bad")
    assert made["auc"].auc.tolist() == [0.5, 1.0]
    one = made["tree"]
    assert one.dimension.unique().tolist() == [2]
    assert one.sentiment.tolist() == [-1, 0, 1, 0, 2]
    assert one.value.dropna().tolist() == pytest.approx([0.9, 0.2])
    assert one.value.isna().tolist() == [False, True, False, True, True]
    lines = tree_heat.as_text(one).splitlines()
    assert lines[0] == "S -1 0.900  not so good"
    assert lines[2] == "  ADJP +1 0.200  so good"
    assert lines[4] == "    JJ +2  good"
    drawn = tree_heat.figures(made)
    assert list(drawn) == ["tree-corpus-model-seed-1"]
    ax, bar = drawn["tree-corpus-model-seed-1"].axes
    boxes = {patch.get_y(): patch.get_facecolor() for patch in ax.patches if isinstance(patch, Rectangle)}
    beside = {text.get_text(): text.get_position()[1] for text in ax.texts}
    for value, share, height in (("0.90", 1.0, 2), ("0.20", 0.0, 1)):
        (colour,) = (colour for low, colour in boxes.items() if low < beside[value] < low + 0.3)
        assert colour == HEAT(share)
        assert beside[value] == height  # at its node, and not on the edges below
    assert bar.get_ylabel() == "value of z_u, dimension 2"
    assert bar.get_ylim() == pytest.approx((0.2, 0.9))
    (legend,) = drawn["tree-corpus-model-seed-1"].legends
    assert [text.get_text().partition(",")[0] for text in legend.get_texts()] == ["gold sentiment", "value of z_u"]
    assert tree_heat.tables([source], dimension=1)["tree"].dimension.unique().tolist() == [1]
    for absent in (-1, 3):
        with pytest.raises(InputError, match=f"--dimension {absent}: .* has 1 to 2"):
            tree_heat.tables([source], dimension=absent)


def test_a_dimension_has_the_name_that_tag_pairs_gives_it(tmp_path):
    z = np.zeros((5, 10))
    z[0, 3] = 1  # the only phrase that is negative
    source = recording(
        tmp_path,
        model="TagGuidedHyperTreeLSTM",
        fields=["z_u"],
        nodes=tree(0, ROWS).assign(z_u=list(z)),
        examples=pairs([1], [1], [("not so good", None)]),
    )
    made = tree_heat.tables([source])
    pairs_of_tags = tag_pairs.tables([source], permutations=1)["dimensions"]
    assert made["tree"][["dimension", "name"]].drop_duplicates().to_numpy().tolist() == [[4, "i2"]]
    assert made["auc"].name.tolist() == [f"{row.gate}{row.dimension}" for row in pairs_of_tags.itertuples()]
    (figure,) = tree_heat.figures(made).values()
    assert figure.axes[0].get_title().startswith("dimension i2 (--dimension 4), area under")


def test_two_classes_are_negative_and_positive(tmp_path):
    nodes = tree(0, [(*row[:6], label) for row, label in zip(ROWS, (0, 0, 1, -1, 1), strict=True)])
    z = np.array([[0.1, 0.9], [0, 0], [0.5, 0.2], [0, 0], [0, 0]])
    examples = pairs([1], [1], [("not so good", None)])
    made = tree_heat.tables([recording(tmp_path, fields=["z_u"], nodes=nodes.assign(z_u=list(z)), examples=examples)])
    assert made["auc"].auc.tolist() == [0.0, 1.0]
    assert made["tree"].sentiment.fillna(9).tolist() == [-1, -1, 1, 9, 1]


def test_the_first_class_is_negative_and_the_middle_one_is_not(tmp_path):
    trees = [tree(number, [(*ROWS[0][:6], root), *ROWS[1:]]) for number, root in enumerate((0, 2))]
    z = np.zeros((10, 1))
    z[[0, 2, 5, 7], 0] = 0.9, 0.2, 0.1, 0.2
    nodes = concat(trees, ignore_index=True).assign(z_u=list(z))
    made = tree_heat.tables([recording(tmp_path, fields=["z_u"], nodes=nodes, examples=pairs([0, 2], [0, 2]))])
    assert made["auc"].auc.tolist() == [1.0]
    assert made["tree"].sentiment.tolist() == [-2, 0, 1, 0, 2]


def test_neutral_phrases_are_in_the_middle_beside_two_classes():
    assert tree_heat.sentiment_of(Series([0, 1, 2]), 2).tolist() == [-1, 1, 0]


def test_a_sentence_that_is_not_there(tmp_path):
    nodes = tree(0, ROWS).assign(z_u=list(np.ones((5, 2))))
    examples = pairs([1], [1], [("not so good", None)])
    source = recording(tmp_path, fields=["z_u"], nodes=nodes, examples=examples)
    with pytest.raises(InputError, match="--sentence 'so bad': no such sentence"):
        tree_heat.tables([source], sentence="so bad")
    assert len(tree_heat.tables([source])["tree"]) == 5


def test_without_labels_of_phrases_a_dimension_is_named(tmp_path):
    nodes = tree(0, [(*row[:6], -1) for row in ROWS])
    examples = pairs([1], [1], [("not so good", None)])
    source = recording(tmp_path, fields=["z_u"], nodes=nodes.assign(z_u=list(np.ones((5, 2)))), examples=examples)
    with pytest.raises(InputError, match="no phrases with gold sentiment"):
        tree_heat.tables([source])
    assert tree_heat.tables([source], dimension=2)["tree"].sentiment.isna().all()


def test_classes_of_sentences_alone_are_no_sentiment(tmp_path):
    """As those of questions, which stand at the root."""
    rows = [(*row[:6], 5 if row[1] < 0 else -1) for row in ROWS]
    nodes = concat([tree(0, rows), tree(1, rows)], ignore_index=True)
    examples = pairs([5, 5], [5, 5], [("How far ?", None), ("How so ?", None)])
    source = recording(tmp_path, fields=["z_u"], nodes=nodes.assign(z_u=list(np.ones((10, 2)))), examples=examples)
    with pytest.raises(InputError, match="no phrases with gold sentiment"):
        tree_heat.tables([source])
    made = tree_heat.tables([source], dimension=1)
    assert made["tree"][["sentiment", "predicted", "auc"]].isna().all(axis=None)
    assert tree_heat.as_text(made["tree"]).startswith("S 1.000  not so good")


def test_sentiment_is_told_from_all_classes_that_there_are(tmp_path):
    """And not from those that occur in the split."""
    nodes = tree(0, [(*row[:6], min(row[6], 3)) for row in ROWS])
    source = recording(
        tmp_path, fields=["z_u"], nodes=nodes.assign(z_u=list(np.ones((5, 1)))), examples=pairs([1], [1])
    )
    source.about["labels"] = ["--", "-", "0", "+", "++"]
    assert tree_heat.tables([source], dimension=1)["tree"].sentiment.tolist() == [-1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("classes", "sentiment"), [(3, [-1, 0, 1]), (4, [-2, -1, 1, 2]), (5, [-2, -1, 0, 1, 2]), (6, [-3, -2, -1, 1, 2, 3])]
)
def test_the_middle_of_an_even_number_of_classes_is_none(classes, sentiment):
    found = tree_heat.sentiment_of(Series([*range(classes), -1]), classes)
    assert found.tolist()[:-1] == sentiment
    assert np.isnan(found.iloc[-1])
