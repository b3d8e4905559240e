"""What a store gives back is what was written, fields of one's own among it."""

from __future__ import annotations

import pickle

import numpy as np

import graphs
from graphs.batching import merge
from graphs.columns import Tagged
from graphs.store import Reading, StoredSentences
from graphs.store_shard import Shard, write_shard

SENTENCES = [Tagged(["a", "b", "c"]), Tagged(["b", "a"])]
VOCABULARIES = graphs.Vocabularies.of(SENTENCES)


def made(near):
    """A graph whose edges have fractions."""
    edges = [(token, token + 1) for token in range(len(near))]
    return graphs.over_words(SENTENCES[2 - len(near)], VOCABULARIES, edges, {"near": near})


def test_fields_keep_their_fractions(tmp_path):
    both = [made([0.5, 0.25]), made([0.75])]
    shards = []
    for number, graph in enumerate(both):
        path = tmp_path / f"{number}.arrow"
        origins = [graph.origin]
        write_shard(
            path, merge([graph]), VOCABULARIES, examples=[""], origins=origins, groups=[()], targets={}, about={}
        )
        shards.append(Shard(path))
    for rows in ([1, 0], [1]):  # of several shards, and of one
        stored = StoredSentences(shards, complete=False).merge(np.array(rows), [Reading({}, {})] * 2)
        wanted = merge([both[row] for row in rows])
        for mine, its in ((stored.edges, wanted.edges), (stored.nodes, wanted.nodes)):
            assert {name: (column.dtype, column.tolist()) for name, column in mine.items()} == {
                name: (column.dtype, column.tolist()) for name, column in its.items()
            }


def test_another_process_opens_the_file_and_is_sent_nothing_of_it(tmp_path):
    path = tmp_path / "0.arrow"
    graph = graphs.chain(Tagged(["a"] * 1000), VOCABULARIES)
    write_shard(
        path, merge([graph]), VOCABULARIES, examples=[""], origins=[graph.origin], groups=[()], targets={}, about={}
    )
    stored = StoredSentences([Shard(path)], complete=False)
    stored.merge(np.array([0]), [Reading({}, {})])
    sent = pickle.dumps(stored)
    assert len(sent) < 1000
    got = pickle.loads(sent).merge(np.array([0]), [Reading({}, {})])
    assert got.nodes["position"].tolist() == list(range(1000))
