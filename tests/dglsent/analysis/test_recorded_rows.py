from __future__ import annotations

import numpy as np
import pytest
import torch

from dglsent.analysis.rows import Recorder, Shown, _column
from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.training.graphs import build, shape
from graphs.columns import Dependencies
from graphs.features import Vocabularies

FILM = Dependencies(["the", "film", "was", "good"], np.array([1, 3, 3, -1]), ["det", "nsubj", "cop", "root"])
YES = Dependencies(["yes"], np.array([-1]), ["root"])


def test_a_batch_without_an_edge_has_columns_too():
    assert len(_column(torch.empty(0))) == len(_column(torch.empty(0, 4))) == 0
    assert _column(torch.ones(2, 2, 3)).to_pylist() == [[1.0] * 6] * 2


@pytest.mark.parametrize(
    ("kind", "gold", "parents"),
    [
        ("dependency", [[-1, -1, -1, 2], [2]], [[1, 3, 3, -1], [-1]]),
        ("chain", [[-1, -1, -1, 2], [2]], [[1, 2, 3, -1], [-1]]),
        ("complete", [[-1] * 4, [2]], [[-1] * 4, [-1]]),
        ("window-0", [[-1] * 5, [-1] * 2], [[-1] * 5, [-1] * 2]),
        ("window-1", [[-1] * 5, [-1] * 2], [[-1] * 5, [-1] * 2]),
    ],
)
def test_the_class_of_a_sentence_is_that_of_its_root(kind, gold, parents):
    """Which complete and window graphs have none of."""
    vocabularies = Vocabularies.of([FILM, YES], spelling=True)
    examples = [Example((Parsed(dependencies=each),), {"label": 2}) for each in (FILM, YES)]
    shaped = [[shape(kind, each)] for example in examples for each in example.sentences]
    graphs = [[build(kind, each, vocabularies)] for (each,) in shaped]
    recorder = Recorder(Shown.of([]), kind, "label", ("bad", "so so", "good"), {})
    batch = Batch.of([graph for of_one in graphs for graph in of_one])
    said = [{"label": "good"}] * 2
    table = recorder.nodes(0, examples, shaped, graphs, said, batch).to_pandas()
    assert [rows.gold.tolist() for _, rows in table.groupby("example")] == gold
    assert [rows.parent.tolist() for _, rows in table.groupby("example")] == parents
