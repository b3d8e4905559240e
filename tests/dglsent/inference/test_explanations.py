from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from pandas import DataFrame
from untrained import PARSED, TREES, untrained

from dglsent.analysis.rows import Recorder, Shown
from dglsent.cli.main import main
from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.training.graphs import build
from graphs.drawing import attention_svg, dependencies_svg, heat_svg, pair_svg, tree_svg, window_svg
from graphs.errors import InputError
from graphs.transforms import binarise, collapse_unary

PAIR = {"class_path": "dglsent.tasks.relatedness.Relatedness"}
BINARY = {"class_path": "dglsent.models.tree_lstm.BinaryTreeLSTM", "init_args": {"hidden": 6}}


def shown(explanation, relation, field):
    return [edge for edge in explanation.edges if edge["relation"] == relation and field in edge]


def test_phrases_of_a_tree():
    model = untrained("constituency", "tree_lstm.BinaryTreeLSTM", hidden=6)
    (said,) = model.explain(TREES[0])
    assert said.prediction == model.predict(TREES[0])[0]
    shaped = binarise(collapse_unary(TREES[0]))
    assert [node["parent"] for node in said.nodes] == list(shaped.parent)
    assert [node["label"] for node in said.nodes] == [node["label"] for node in said.prediction["nodes"]]
    words = TREES[0].words
    for node in said.nodes:
        first, end = node["span"]
        assert node["text"] == " ".join(words[first:end])
    (svg,) = said.pictures().values()
    assert all(f">{word}</text>" in svg for word in words if word.isalpha())
    assert said.prediction["label"] in said._repr_html_()
    assert json.loads(json.dumps(said.to_json()))["structure"]["nodes"] == said.nodes
    assert repr(said).startswith(f"<Explanation of {said.prediction['text']!r}: {said.prediction['label']}")
    assert repr(said).endswith(f"; constituency, {len(said.nodes)} nodes>")
    model.model.task.output.bias.data[0] = 1000.0
    (said,) = model.explain(TREES[0])
    assert {node["label"] for node in said.nodes} == {model.labels[0]}


@pytest.mark.parametrize("kind", ["dependency", "constituency-nary"])
def test_a_child_is_drawn_with_what_its_parent_gives_it(kind):
    structure = {"class_path": "dglsent.models.attentive_tree.AttentiveTreeLSTM", "init_args": {"hidden": 6}}
    model = untrained(kind, "progressive_attention.ProgressiveAttention", PAIR, structure=structure)
    pair = (PARSED, replace(PARSED, head=np.array([3, 0, 3, -1]))) if kind == "dependency" else TREES[:2]
    (said,) = model.explain(tuple(pair))
    drawn = said.pictures()
    for number, given in enumerate(pair):
        shares = [np.nan] * len(given)
        for edge in shown(said, "child", "attention"):
            if edge["sentence"] == number:
                shares[edge["sender"]] = edge["attention"]
        assert np.isnan(shares).sum() == 1  # the root
        if kind == "dependency":
            title = "child.attention: how much heads hear of their dependents"
            wanted = dependencies_svg(given, weights=shares, title=title)
            assert drawn[f"dependencies {number + 1}"] == wanted
        else:
            title = "child.attention: how much parents hear of their children"
            wanted = tree_svg(given, values=shares, palette="sequential", low=0.0, high=1.0, title=title)
            assert drawn[f"tree {number + 1}"] == wanted


def test_attention_over_dependents_and_over_the_other_sentence():
    model = untrained(
        "dependency", "progressive_attention.ProgressiveAttention", PAIR,
        structure={"class_path": "dglsent.models.attentive_tree.AttentiveTreeLSTM", "init_args": {"hidden": 6}},
    )  # fmt: skip
    other = replace(PARSED, word=["a", "play", "is", "bad"])
    (said,) = model.explain((PARSED, other))
    by_receiver, places = {}, ((0, 1), (1, 3), (2, 3))
    for edge in shown(said, "child", "attention"):
        by_receiver.setdefault((edge["sentence"], edge["to"]), []).append(edge["attention"])
        words = (PARSED, other)[edge["sentence"]].word
        assert (edge["from"], edge["to"]) in [(words[sender], words[receiver]) for sender, receiver in places]
    assert set(by_receiver) == {(0, "film"), (0, "good"), (1, "play"), (1, "bad")}
    for weights in by_receiver.values():
        assert sum(weights) == pytest.approx(1, abs=1e-4)
    across = shown(said, "attend", "attention_up")
    assert len(across) == 2 * 4 * 4
    for number, (own, heard) in enumerate(((PARSED, other), (other, PARSED))):
        pairs = {(edge["from"], edge["to"]) for edge in across if edge["sentence"] == number}
        assert pairs == {(sender, receiver) for sender in heard.word for receiver in own.word}
    assert {"dependencies 1", "dependencies 2", "attend.attention_up 1", "attend.attention_up 2"} == {*said.pictures()}


def test_attention_of_every_word_to_every_word():
    model = untrained("complete", "cn3.CN3", hidden=8, layers=2)
    (said,) = model.explain([["the", "film"]])
    for layer in (1, 2):
        weights = np.zeros((2, 2))
        for edge in shown(said, "complete", f"attention_{layer}"):
            weights[edge["receiver"], edge["sender"]] = edge[f"attention_{layer}"]
        assert weights.sum(1) == pytest.approx(np.ones(2), abs=1e-4)
    assert list(said.pictures()) == ["complete.attention_1", "complete.attention_2"]


def test_attention_is_arcs_beside_the_parse_and_lines_between_sentences():
    words = untrained("complete", "cn3.CN3", hidden=8, layers=1)
    (parsed,), (bare,) = words.explain(PARSED), words.explain([PARSED.word])
    weights = np.zeros((4, 4))
    for edge in parsed.edges:
        weights[edge["receiver"], edge["sender"]] = edge["attention_1"]
    (svg,) = parsed.pictures().values()
    title = "complete.attention_1: arrows point at the word that listens"
    assert svg == attention_svg(PARSED.word, weights, parse=PARSED, title=title)
    assert ">nsubj</text>" in svg
    assert ">nsubj</text>" not in bare.pictures()["complete.attention_1"]

    pairs = untrained("constituency", "progressive_attention.ProgressiveAttention", PAIR, structure=BINARY)
    (said,) = pairs.explain((TREES[0], TREES[1]))
    assert [pictures for pictures in said.pictures() if pictures.startswith("attend")] == [
        "attend.attention_up 1",
        "attend.attention_up 2",
    ]
    one, other = said.sentences
    weights = np.zeros((len(one), len(other)))
    for edge in said.edges:
        if edge["relation"] == "attend" and edge["sentence"] == 0:
            weights[edge["receiver"], edge["sender"]] = edge["attention_up"]
    title = "attend.attention_up: the upper sentence listens to the lower"
    assert said.pictures()["attend.attention_up 1"] == pair_svg(one, other, weights, title=title)


def test_scores_between_sentences_are_a_table():
    pairs = untrained("constituency", "decomposable_attention.DecomposableAttention", PAIR, structure=BINARY)
    (said,) = pairs.explain((TREES[0], TREES[1]))
    one, other = said.sentences
    scores = np.zeros((len(one), len(other)))
    for edge in said.edges:
        if edge["relation"] == "attend" and edge["sentence"] == 0:
            scores[edge["receiver"], edge["sender"]] = edge["E"]
    names = ([node["text"] for node in said.nodes if node["sentence"] == side] for side in (0, 1))
    table = heat_svg(scores, *names, title="attend.E", low=None, high=None, palette="diverging")
    assert said.pictures()["attend.E 1"] == table
    assert "the upper sentence listens to the lower" in said.pictures()["attend.attention 1"]


def test_shares_of_many_words_whose_digits_were_rounded_are_shares():
    structure = {"class_path": "dglsent.models.sequence.SeqLSTM", "init_args": {"hidden": 6}}
    pairs = untrained("chain", "decomposable_attention.DecomposableAttention", PAIR, structure=structure)
    (said,) = pairs.explain((["film"] * 4, ["film"] * 90))
    assert "the upper sentence listens to the lower" in said.pictures()["attend.attention 1"]


def test_attention_of_many_words_or_of_one_is_a_matrix():
    model = untrained("complete", "cn3.CN3", hidden=8, layers=1)
    (arcs,), (many,), (one,) = (model.explain([["film"] * size]) for size in (20, 21, 1))
    assert "arrows point at" in arcs.pictures()["complete.attention_1"]
    weights = np.zeros((21, 21))
    for edge in many.edges:
        weights[edge["receiver"], edge["sender"]] = edge["attention_1"]
    title = "complete.attention_1: rows listen to columns"
    assert many.pictures()["complete.attention_1"] == heat_svg(weights, ["film"] * 21, title=title, high=None)
    assert one.pictures()["complete.attention_1"] == heat_svg([[1.0]], ["film"], title=title)


def test_nodes_and_edges_are_those_of_a_recording():
    model = untrained("complete", "cn3.CN3", hidden=8, layers=1)
    (said,), (bare,) = model.explain(PARSED), model.explain([PARSED.word])
    assert [node["head"] for node in said.nodes] == PARSED.head.tolist()
    assert [node["dependency"] for node in said.nodes] == PARSED.relation
    assert {(node["head"], node["dependency"]) for node in bare.nodes} == {(-2, "")}

    recorder = Recorder(Shown.of(["complete.attention_1"]), "complete", "", (), {})
    graph = build("complete", PARSED, model.vocabularies)
    batch = Batch.of([graph])
    with torch.inference_mode():
        model.model.encoder.encode(batch)
        example = Example((Parsed(dependencies=PARSED),))
        nodes = recorder.nodes(0, [example], [[PARSED]], [[graph]], [{}], batch).to_pandas()
        edges = recorder.edges(0, batch).to_pandas()
    apart = {"example", "gold", "predicted"}
    found = DataFrame(said.nodes)
    assert set(nodes) - set(found) == apart
    assert set(found) - set(nodes) == {"span"}
    same = [name for name in nodes if name not in apart]
    assert found[same].to_numpy().tolist() == nodes[same].to_numpy().tolist()
    assert found.span.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert set(edges) - set(said.edges[0]) == {"example", "slot"}  # no slots in complete graphs
    shared = ["relation", "sentence", "sender", "receiver"]
    assert DataFrame(said.edges)[shared].to_numpy().tolist() == edges[shared].to_numpy().tolist()


def test_weights_of_several_heads_are_drawn_as_their_mean_and_said_to_be():
    (said,) = untrained("complete", "self_attention.Transformer", hidden=8, heads=2, layers=1).explain(PARSED)
    weights = np.zeros((4, 4))
    for edge in said.edges:
        weights[edge["receiver"], edge["sender"]] = np.mean(edge["attention_1"])
    title = "complete.attention_1, mean of 2: arrows point at the word that listens"
    drawn = attention_svg(PARSED.word, weights, parse=PARSED, title=title)
    assert said.pictures() == {"complete.attention_1": drawn}


def test_attention_to_earlier_words_and_gates_of_windows():
    (said,) = untrained("chain", "lstmn.LSTMN", hidden=6).explain(PARSED)
    assert list(said.pictures()) == ["preceding.attention"]
    assert {edge["receiver"] > edge["sender"] for edge in said.edges} == {True}
    (said,) = untrained("window", "dynamic_window.WindowMLP", hidden=6).explain(PARSED)
    gates = np.full((4, 5), np.nan)
    for edge in said.edges:
        if edge["from"]:
            gates[edge["receiver"], edge["slot"]] = np.mean(edge["gate"])
    # What lies beyond the sentence is one padding node, and stays blank.
    assert [node["text"] for node in said.nodes] == [*PARSED.word, ""]
    beyond = np.array([[1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 1]], dtype=bool)
    assert (np.isnan(gates) == beyond).all()
    title = "child.gate: rows listen to the words before and after them"
    assert said.pictures() == {"child.gate": window_svg(PARSED.word, gates, title=title)}
    wide = replace(said, edges=[{**edge, "gate": [0.1, 0.2, 0.9]} for edge in said.edges])
    title = "child.gate, mean of 3: rows listen to the words before and after them"
    of_mean = window_svg(PARSED.word, np.where(beyond, np.nan, 0.4), title=title)
    assert wide.pictures() == {"child.gate": of_mean}


def test_numbers_of_nodes_are_a_row_of_cells():
    """They were never drawn, only the words."""
    (said,) = untrained("chain", "self_attention.AttentiveBiLSTM", hidden=6).explain(PARSED)
    values = [node["attention"] for node in said.nodes]
    assert sum(values) == pytest.approx(1, abs=1e-4)
    title = "attention of each word"
    assert said.pictures() == {"attention": heat_svg([values], ["attention"], PARSED.word, title=title, high=None)}
    (tree,) = untrained("constituency-nary", "tree_lstm.ChildSumTreeLSTM", hidden=6).explain(TREES[0])
    shares = np.linspace(0, 1, len(tree.nodes)).tolist()
    scored = replace(tree, nodes=[{**node, "share": share} for node, share in zip(tree.nodes, shares, strict=True)])
    drawn = scored.pictures()["share"]
    assert drawn == tree_svg(TREES[0], values=shares, palette="sequential", title="share of each node")


def test_a_model_that_shows_nothing():
    (said,) = untrained("chain", "sequence.SeqLSTM", hidden=6).explain("A <good> film")
    assert said.edges == []
    assert [node["text"] for node in said.nodes] == ["A", "<", "good", ">", "film"]
    assert "&lt;good&gt;" in said._repr_html_() or "&lt; good &gt;" in said._repr_html_()
    (picture,) = said.pictures().items()
    assert picture[0] == "words"
    assert "the words alone: this model shows nothing more of them" in picture[1]


def test_a_text_that_is_read_from_the_right_is_apart_from_the_page():
    html = untrained("chain", "sequence.SeqLSTM", hidden=6).explain("הילד אכל .")[0]._repr_html_()
    assert re.match(r"<div><p><bdi>הילד אכל \.</bdi><br><b>[^<]+</b></p><svg", html)


def test_what_is_no_number_is_not_explained():
    model = untrained("dependency", "tree_lstm.ChildSumTreeLSTM", hidden=6)
    with torch.no_grad():
        model.model.encoder.embedding.weight[model.vocabularies.word["film"]] = torch.nan
    for ask in (model.predict, model.explain, model.states):
        with pytest.raises(InputError, match=r"^example 1: its probabilities are not finite numbers; [^\n]*$"):
            ask([PARSED])


def test_several_are_drawn_one_below_the_other():
    model = untrained("constituency", "tree_lstm.BinaryTreeLSTM", hidden=6)
    explained = model.explain(TREES[:3])
    blocks = re.findall(r"<div>.*?</div>", explained._repr_html_(), re.DOTALL)
    assert blocks == [one._repr_html_() for one in explained]
    assert [block.count("<svg") for block in blocks] == [1] * 3


def test_structure_and_drawings_of_the_command(trees_run, tmp_path, capsys):
    file = tmp_path / "in.ptb"
    file.write_text("(S (NP (DT the) (NN film)) (VP (VBD was) (JJ good)))\n(S (\n(NN film)\n")
    assert main(["predict", str(trees_run), str(file), "--structure", "--draw", str(tmp_path / "drawn")]) == 2
    first, broken, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [node["text"] for node in first["structure"]["nodes"]][:3] == ["the film was good", "the film", "the"]
    assert "error" in broken
    assert len(last["structure"]["nodes"]) == 1
    assert sorted(path.name for path in (tmp_path / "drawn").iterdir()) == ["0001.svg", "0003.svg"]
    assert ">film</text>" in (tmp_path / "drawn/0003.svg").read_text()


def test_what_a_task_of_ones_own_says_in_short():
    (one,) = untrained("chain", "sequence.SeqLSTM", hidden=6).explain([["good", "film"]])
    said = replace(one, prediction={"text": "good film", "x": 0.5, "name": "y", "n": 3})
    assert repr(said).startswith("<Explanation of 'good film': x 0.5, n 3; chain")


@pytest.mark.parametrize(
    ("prediction", "said"),
    [
        ({"label": "praise", "tags": ["ADJ", "NOUN"]}, "praise, ADJ NOUN"),
        ({"label": "praise", "probabilities": {"praise": 0.75}, "score": 2}, "praise (0.75), score 2.00"),
        ({"label": "praise", "probabilities": [0.25, 0.75]}, "praise"),
        ({"label": ["a", "b"], "probabilities": {"a": 0.75}}, "['a', 'b']"),
        ({"tags": [0, 1], "score": "high"}, "0 1"),
        ({"tags": 2, "nodes": 2, "score": [1, 2]}, "tags 2, nodes 2"),
    ],
)
def test_all_that_a_joint_task_predicts_is_said(prediction, said):
    """Of a label and tags the label was left out, and what was no text, number or mapping was an error."""
    (one,) = untrained("chain", "sequence.SeqLSTM", hidden=6).explain([["good", "film"]])
    assert repr(replace(one, prediction={"text": "good film", **prediction})).startswith(
        f"<Explanation of 'good film': {said}; chain"
    )


def test_a_score_is_said_with_two_digits():
    (one,) = untrained("dependency", "tree_lstm.ChildSumTreeLSTM", PAIR, hidden=6).explain((PARSED, PARSED))
    assert f": score {one.prediction['score']:.2f}; dependency, 8 nodes>" in repr(one)
