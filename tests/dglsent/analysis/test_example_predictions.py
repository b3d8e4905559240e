from __future__ import annotations

import pytest
from made import pairs, recording

from dglsent.analysis import example_predictions
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
    assert list(example_predictions.figures(made)) == ["example-predictions"]


def test_classes(tmp_path):
    shares = [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]]
    source = recording(tmp_path, examples=pairs([0.0, 1.0, 1.0], [0.0, 1.0, 0.0], probabilities=shares))
    examples = source.examples.assign(probabilities=shares)
    marked = example_predictions.errors_of(examples)
    assert marked.error.round(6).tolist() == [0.1, 0.3, 0.6]
    chosen = example_predictions.choose(marked, 1)
    assert chosen.id.tolist()[:2] == ["test-000", "test-002"]


@pytest.mark.parametrize(
    ("gold", "predicted", "said"),
    [
        ([1.0, float("nan")], [1.0, 2.0], "no gold value of their own"),
        ([1.0, 0.0], [float("nan")] * 2, "neither a label nor a score"),
    ],
)
def test_without_gold_or_prediction(tmp_path, gold, predicted, said):
    source = recording(tmp_path, examples=pairs(gold, predicted))
    with pytest.raises(InputError, match=said):
        example_predictions.tables([source])
