"""What an encoder says that it runs over is what it runs over: loaders make that beforehand, and nothing else."""

from __future__ import annotations

import pytest
from families import each_encoder_once, prepared
from window_sentences import VOCABULARIES

from dglsent.models.decomposable_attention import DecomposableAttention
from dglsent.models.dynamic_window import WindowBiLSTM, WindowLSTM
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.sequence import BiLSTM
from dglsent.nn.embeddings import WordEmbedding

FAMILIES = each_encoder_once()


def plans(batch):
    """Of each relation the schedules that there are, and of all pairs the listed frontiers."""
    relations = {name: batch.relation(name) for name in batch.made}
    return {name: (set(of._schedules), set(getattr(of, "_frontiers", ()))) for name, of in relations.items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_they_are_made_beforehand_and_no_others(family):
    _, model, data, shortest = prepared(FAMILIES[family])
    encoder = model.eval().encoder
    batch = data.batch(shortest, encoder.directions, encoder.relations)
    beforehand, unplanned = plans(batch), data.batch(shortest, ())
    for each in (batch, unplanned):  # which makes what it runs over, and nothing else
        encoder.readout(each, encoder.encode(each))
        assert plans(each) == beforehand


@pytest.mark.parametrize("made", [WindowLSTM, WindowBiLSTM])
def test_a_fused_lstm_runs_over_nothing(made):
    assert made(WordEmbedding(9, 4), 4, fused=True, vocabularies=VOCABULARIES).relations == ()


@pytest.mark.parametrize(
    ("wrapped", "relations"),
    [
        (ProgressiveAttention, ("attend", ("attend", "up"), ("attend", "down"))),
        (lambda embedding, structure: ProgressiveAttention(embedding, structure, pa_propagate=False), ("attend",)),
        (DecomposableAttention, ("attend",)),
    ],
    ids=["progressive", "at the end", "decomposable"],
)
def test_frontier_passes_alone_list_the_edges_between_pairs(wrapped, relations):
    assert wrapped(WordEmbedding(9, 4), lambda embedding: BiLSTM(embedding, 4)).relations == relations
