from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from made import recording
from pandas import DataFrame

from dglsent.analysis.node_columns import node_columns, node_spans
from dglsent.analysis.rows import Recorder, Shown, _column
from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.training.checks import COLUMNS
from dglsent.training.graphs import build, shape
from graphs.columns import Dependencies
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph

FILM = Dependencies(["the", "film", "was", "good"], np.array([1, 3, 3, -1]), ["det", "nsubj", "cop", "root"])
YES = Dependencies(["yes"], np.array([-1]), ["root"])


def test_a_batch_without_an_edge_has_columns_too():
    assert len(_column(torch.empty(0))) == len(_column(torch.empty(0, 4))) == 0
    assert _column(torch.ones(2, 2, 3)).to_pylist() == [[1.0] * 6] * 2


@pytest.mark.parametrize(
    ("kind", "gold", "parents"),
    [
        ("dependency", [[-1, -1, -1, 2], [1]], [[1, 3, 3, -1], [-1]]),
        ("chain", [[-1, -1, -1, 2], [1]], [[1, 2, 3, -1], [-1]]),
        ("complete", [[-1] * 4, [1]], [[-1] * 4, [-1]]),
        ("window-0", [[-1] * 5, [-1] * 2], [[-1] * 5, [-1] * 2]),
        ("window-1", [[-1] * 5, [-1] * 2], [[-1] * 5, [-1] * 2]),
    ],
)
def test_the_class_of_a_sentence_is_that_of_its_root(kind, gold, parents):
    """Which complete and window graphs have none of."""
    vocabularies = Vocabularies.of([FILM, YES], spelling=True)
    examples = [Example((Parsed(dependencies=each),), {"label": label}) for each, label in ((FILM, 2), (YES, 1))]
    shaped = [[shape(kind, each)] for example in examples for each in example.sentences]
    graphs = [[build(kind, each, vocabularies)] for (each,) in shaped]
    recorder = Recorder(Shown.of([]), kind, "label", ("bad", "so so", "good"), {})
    batch = Batch.of([graph for of_one in graphs for graph in of_one])
    said = [{"label": "good"}] * 2
    table = recorder.nodes(0, examples, shaped, graphs, said, batch).to_pandas()
    assert [rows.gold.tolist() for _, rows in table.groupby("example")] == gold
    assert [rows.parent.tolist() for _, rows in table.groupby("example")] == parents


@pytest.mark.parametrize("kind", ["dependency", "chain"])
def test_where_words_have_classes_the_root_keeps_its_own(kind):
    """Of a task of one's own that learns both, the class of the sentence stood in the place of its root's."""
    vocabularies = Vocabularies.of([FILM])
    example = Example((Parsed(dependencies=FILM, labels=[4, 0, 1, 3]),), {"label": 2})
    graph = build(kind, FILM, vocabularies, labels=[4, 0, 1, 3], labelled=True)
    recorder = Recorder(Shown.of([]), kind, "label", ("bad", "so so", "good"), {})
    said = [{"label": "good", "tags": ["a", "b", "c", "d"]}]
    nodes = recorder.nodes(0, [example], [[FILM]], [[graph]], said, Batch.of([graph]))
    assert nodes["gold"].to_pylist() == [4, 0, 1, 3]


@pytest.mark.parametrize("said", [{"score": "high"}, {"score": [1.0]}, {"tags": 4}, {"nodes": 4}, {"nodes": None}])
def test_a_task_of_ones_own_says_something_else_under_known_names(said):
    vocabularies = Vocabularies.of([FILM])
    graph = build("chain", FILM, vocabularies)
    recorder = Recorder(Shown.of([]), "chain", "label", (), {})
    examples, shaped, batch = [Example((Parsed(dependencies=FILM),))], [[FILM]], Batch.of([graph])
    assert recorder.examples(0, examples, shaped, [said])["predicted"].to_pylist() == [None]
    assert recorder.nodes(0, examples, shaped, [[graph]], [said], batch)["predicted"].to_pylist() == [-1] * 4


def test_the_class_of_a_pair_is_that_of_neither_root():
    vocabularies = Vocabularies.of([FILM, YES])
    graphs = [build("dependency", each, vocabularies) for each in (FILM, YES)]
    example = Example((Parsed(dependencies=FILM), Parsed(dependencies=YES)), {"label": 2})
    recorder = Recorder(Shown.of([]), "dependency", "label", ("bad", "so so", "good"), {})
    batch = Batch.of(graphs, pairs=True)
    nodes = recorder.nodes(0, [example], [[FILM, YES]], [graphs], [{"label": "good"}], batch)
    assert nodes["gold"].to_pylist() == [-1] * 5
    assert nodes["sentence"].to_pylist() == [0] * 4 + [1]


def of_film(graph, said=(), shown=(), about=(), **targets):
    """What is recorded of a sentence with a graph and a prediction."""
    recorder = Recorder(Shown.of(shown), "chain", "", ("bad", "good"), dict(about))
    example = Example((Parsed(dependencies=FILM),), targets)
    batch = Batch.of([graph])
    for name in shown:
        table = batch.relation("child").edges if "." in name else batch.nodes
        table[name.rpartition(".")[2]] = torch.ones(len(graph.src) if "." in name else graph.size)
    nodes = recorder.nodes(0, [example], [[FILM]], [[graph]], [dict(said)], batch)
    return recorder.examples(0, [example], [[FILM]], [dict(said)]), nodes, recorder.edges(0, batch)


@pytest.mark.parametrize(("size", "text"), [(4, FILM.word), (5, [""] * 5)])
def test_nodes_of_ones_own_are_words_where_there_are_as_many(size, text):
    made = chain(size)
    _, nodes, _ = of_film(made, {"tags": ["bad", "good"] * 2})
    assert nodes["text"].to_pylist() == text
    assert nodes["head"].to_pylist() == (FILM.head.tolist() if size == 4 else [-1] * 5)
    assert nodes["predicted"].to_pylist() == ([0, 1] * 2 if size == 4 else [-1] * 5)
    assert node_spans(FILM, made).tolist() == ([[n, n + 1] for n in range(4)] if size == 4 else [[-1, -1]] * 5)


def chain(size):
    ends = np.arange(size)
    return SentenceGraph(size, ends[:-1], ends[1:], {"word": ends}, {}, ends[::-1].copy())


@pytest.mark.parametrize(
    "said",
    [
        {"nodes": [{"score": 0.5}] * 4},
        {"nodes": [0.5] * 4},
        {"nodes": [{"label": "good"}]},
        {"tags": ["X"] * 4},
        {"tags": ["good"]},
        {"label": "low"},
        {"label": "7", "probabilities": [0.5, 0.5]},
    ],
)
def test_what_a_task_of_ones_own_predicts_need_not_be_classes(said):
    examples, nodes, _ = of_film(chain(4), said)
    assert examples["predicted"].to_pylist() == [None]
    assert examples["probabilities"].to_pylist() == [[]]
    assert nodes["predicted"].to_pylist() == [-1] * 4


@pytest.mark.parametrize(
    ("prepared", "head", "relation"),
    [
        (Dependencies(["film", "good"], np.array([1, -1]), ["nsubj", "root"]), [1, -1], ["nsubj", "root"]),
        (Dependencies.unparsed(["film", "good"]), [-2, -2], ["", ""]),
        (Dependencies(FILM.word[::-1], np.array([-1, 0, 0, 2]), [*"abcd"]), [-1, 0, 0, 2], [*"abcd"]),
    ],
)
def test_heads_are_those_of_the_words_that_a_graph_of_ones_own_prepares(prepared, head, relation):
    """A path between two words had no heads, and words in another order had those of others."""
    graph = build("chain", prepared, Vocabularies.of([FILM]))
    columns = node_columns(Parsed(dependencies=FILM), prepared, graph)
    assert columns["head"].tolist() == head
    assert columns["dependency"] == relation


@pytest.mark.parametrize(("name", "about"), [("head", {}), ("weights", {"weights": "1a2b"}), ("child.slot", {})])
def test_a_field_with_the_name_of_a_column_is_refused(name, about):
    field = name.rpartition(".")[2]
    with pytest.raises(
        InputError, match=rf"^the encoder shows a field '{field}', [^\n]*; give the field another name$"
    ):
        of_film(chain(4), shown=[name], about=about)


def test_their_names_are_refused_before_training():
    _, nodes, edges = of_film(chain(4), shown=["child.own"])
    assert {*nodes.column_names, *edges.column_names} - {"own"} <= COLUMNS


def test_texts_among_gold_values_are_left_out():
    examples, _, _ = of_film(chain(4), source="web", score=2)
    assert examples["target_score"].to_pylist() == [2.0]
    assert "target_source" not in examples.column_names


def test_vectors_are_nan_where_edges_have_no_such_field(tmp_path):
    """As the weights of one relation on the edges of another; where they are null, pyarrow 22 reads no row."""
    batch = Batch.of([build("dependency", FILM, Vocabularies.of([FILM]))])
    batch.relation("child").edges["heads"] = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    batch.relation("next").edges["weight"] = torch.tensor([0.1, 0.2, 0.3])
    edges = Recorder(Shown.of(["child.heads", "next.weight"]), "dependency", "", (), {}).edges(0, batch)
    assert edges["heads"].null_count == 0
    source = recording(tmp_path, fields=["child.heads", "next.weight"], edges=DataFrame({"relation": ["child"]}))
    pq.write_table(edges, source.path / "edges" / "00000000.parquet")
    nothing = [[np.nan] * 2] * 3
    np.testing.assert_array_equal(source.vectors("edges", "heads"), [[1, 2], [3, 4], [5, 6], *nothing])
    assert source.edges.weight.isna().tolist() == [True] * 3 + [False] * 3
