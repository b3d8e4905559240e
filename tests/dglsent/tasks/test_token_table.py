from __future__ import annotations

import numpy as np
import pytest
import torch

from dglsent.corpora.example import Parsed
from dglsent.passing import Batch
from dglsent.tasks.token_table import TokenTable
from dglsent.training.graphs import build, shape
from graphs.columns import Dependencies
from graphs.features import Vocabularies
from graphs.formats.brackets import parse_brackets

TREES = parse_brackets("(S (NP (DT the) (NN cat)) (VP (VB ran)))\n(S (NN no))")
HEADS = [
    Dependencies(["the", "cat", "ran"], np.array([1, 2, -1]), ["_"] * 3),
    Dependencies(["no"], np.array([-1]), ["_"]),
]
VOCABULARIES = Vocabularies.of(TREES)


@pytest.mark.parametrize("kind", ["chain", "window", "complete", "dependency", "constituency"])
def test_tokens_of_every_kind_of_graph(kind):
    sentences = [Parsed(tree, heads) for tree, heads in zip(TREES, HEADS, strict=True)]
    batch = Batch.of([build(kind, shape(kind, sentence), VOCABULARIES) for sentence in sentences])
    table = TokenTable(batch)
    assert table.mask.sum(1).tolist() == [3, 1]
    word = table.spread(batch.nodes["word"], -7)
    assert word[table.mask].tolist() == VOCABULARIES.word.ids(["the", "cat", "ran", "no"]).tolist()
    assert (word[~table.mask] == -7).all()
    states = torch.randn(batch.num_nodes, 2, requires_grad=True)
    table.spread(states).sum().backward()
    token = batch.nodes["position"] >= 0
    assert torch.equal(states.grad, token.float().unsqueeze(1).expand(-1, 2))
