from __future__ import annotations

import pytest
from made import pairs, recording

from dglsent.analysis import example_predictions
from dglsent.analysis.recording import share_of
from graphs.errors import InputError


def test_scores(tmp_path):
    gold = [1.0, 2.5, 3.0, 4.0, 5.0]
    source = recording(tmp_path, examples=pairs(gold, [1.0, 2.0, 1.0, 4.0, 4.5]))
    made = example_predictions.tables([source], k=2)
    found = made["examples"]
    assert found[found.kind == "best"].id.tolist() == ["test-000", "test-003"]
    assert found[found.kind == "worst"].id.tolist() == ["test-002", "test-001"]
    random = found[found.kind == "random"].id
    assert random.nunique() == 2
    assert random.is_monotonic_increasing
    (figure,) = example_predictions.figures(made).values()
    assert figure.axes[0].lines[-1].get_xydata().tolist() == [[1, 1], [2.5, 2], [3, 1], [4, 4], [5, 4.5]]
    assert list(example_predictions.figures(made)) == ["example-predictions"]
    every = example_predictions.tables([source], k=5)["examples"]
    assert every[every.kind == "random"].id.tolist() == [f"test-00{number}" for number in range(5)]


def test_classes(tmp_path):
    shares = [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]]
    source = recording(tmp_path, examples=pairs([0.0, 1.0, 1.0], [0.0, 1.0, 0.0], probabilities=shares))
    examples = source.examples.assign(probabilities=shares)
    assert source.of_classes
    marked = example_predictions.errors_of(examples, classes=True)
    assert marked.error.round(6).tolist() == [0.1, 0.3, 0.6]
    chosen = example_predictions.choose(marked, 1)
    assert chosen.id.tolist()[:2] == ["test-000", "test-002"]
    three = example_predictions.choose(marked, 3)
    assert three[three.kind == "random"].id.is_unique
    assert [share_of(shares[0], number) for number in (1, 2, -1)] == [0.1, 0, 0]


def test_whole_scores_are_no_classes(tmp_path):
    """Scores from 1 to 5, of whose probabilities the one of number 4 is that of 5."""
    shares = [[0, 0, 0.25, 0.5, 0.25], [0, 0, 0, 0, 1.0]]
    source = recording(tmp_path, examples=pairs([4.0, 3.0], [4.0, 5.0], probabilities=shares))
    assert example_predictions.tables([source])["all"].error.tolist() == [0, 2]
    bare = recording(tmp_path, system="corpus/bare", examples=pairs([4.0, 3.0], [4.0, 5.0]))
    assert example_predictions.tables([bare])["all"].error.tolist() == [0, 2]

    some = recording(tmp_path, system="corpus/some", examples=pairs([4.0, 3.0], [3.0, 5.0], probabilities=shares))
    assert not some.of_classes


def test_equal_errors_stand_by_their_ids():
    table = pairs([1.0] * 3, [2.0] * 3).iloc[::-1].reset_index(drop=True)
    chosen = example_predictions.choose(example_predictions.errors_of(table, classes=False), 2)
    for kind in ("best", "worst"):
        assert chosen[chosen.kind == kind].id.tolist() == ["test-000", "test-001"]


def test_classes_without_probabilities_are_refused(tmp_path):
    source = recording(tmp_path, examples=pairs([1.0, 0.0], [1.0, 1.0]))
    source.about["labels"] = ["no", "yes"]
    with pytest.raises(InputError, match="has classes without their probabilities"):
        example_predictions.tables([source])


@pytest.mark.parametrize(
    ("gold", "predicted", "said"),
    [
        ([1.0, float("nan")], [1.0, 2.0], "no gold value of their own"),
        ([1.0, 0.0], [1.0, float("nan")], "neither a label nor a score"),
    ],
)
def test_without_gold_or_prediction(tmp_path, gold, predicted, said):
    source = recording(tmp_path, examples=pairs(gold, predicted))
    with pytest.raises(InputError, match=said):
        example_predictions.tables([source])


def test_classes_are_named(tmp_path):
    shares = [[0.9, 0.1], [0.6, 0.4]]
    source = recording(tmp_path, examples=pairs([0.0, 1.0], [0.0, 0.0], probabilities=shares))
    source.about["labels"] = ["no", "yes"]
    found = example_predictions.tables([source], k=1)["examples"].set_index("kind")
    assert found.loc[["best", "worst"], ["gold", "gold_label", "predicted_label"]].to_numpy().tolist() == [
        [0, "no", "no"],
        [1, "yes", "no"],
    ]
    scored = recording(tmp_path, system="corpus/scores", examples=pairs([1.5], [2.5]))
    assert "gold_label" not in example_predictions.tables([scored])["examples"]
