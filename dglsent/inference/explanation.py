"""What a model used to predict, by word and span, as plain records."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from dglsent.analysis.rows import Recorder, Shown
from dglsent.corpora.example import Example
from dglsent.inference.pictures import pictures
from dglsent.inference.predictor import Seen, with_text
from dglsent.tasks.task import DIGITS
from dglsent.training.graphs import Graph, OwnGraph, of_tree, reads
from graphs.columns import Constituency, Sentence
from graphs.drawing import Svg
from graphs.fields import ATTEND
from graphs.sentence_graph import SentenceGraph

Record = dict[str, Any]

_NODE = ("sentence", "node", "parent", "start", "end", "text", "tag", "head", "dependency")
_EDGE = ("relation", "sentence", "sender", "receiver")


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """A prediction, and what the model used.

    Attributes:
        prediction: text and prediction, as `predict` gives them.
        nodes: a record a node, as in a recording: `sentence` (0, or 1 for the second of a pair), `node` and `parent`
            (numbers within the sentence, -1 for none), `start` and `end` (first word and one past the last; `span` is
            both), `text` ("" at the padding node of a window), `tag`, `head` (-1 at a root and at what is no word, -2
            at words without a dependency parse) and `dependency`, and the fields of nodes that the encoder shows. In
            place of `predicted` there is `label`, where the task predicts one there.
        edges: a record an edge of which the encoder shows something: `relation`, `sentence` (that of the receiver),
            `sender`, `receiver`, their texts `from` and `to`, `slot`, and the fields, such as `attention`.
        sentences: the sentences in the form that their graphs were made of.
        kind: what they became.
        drawn_as: the kind of graph as which they are drawn.
    """

    prediction: Record
    nodes: list[Record]
    edges: list[Record]
    sentences: Sequence[Sentence]
    kind: str
    drawn_as: str

    def to_json(self) -> Record:
        """The prediction, with nodes and edges as `structure`, as plain values."""
        return {**self.prediction, "structure": {"nodes": self.nodes, "edges": self.edges}}

    def pictures(self) -> dict[str, Svg]:
        """Drawings of the structure by name, such as "tree" or "complete.attention_1"."""
        return pictures(self)

    def __repr__(self) -> str:
        counts = f"{len(self.nodes)} nodes" + (f", {len(self.edges)} edges with weights" if self.edges else "")
        return f"<Explanation of {self.prediction['text']!r}: {_said(self.prediction)}; {self.kind}, {counts}>"

    def _repr_html_(self) -> str:
        texts = self.prediction["text"]
        said = _said(self.prediction)
        lines = [texts] if isinstance(texts, str) else texts
        read = [f"<bdi>{html.escape(line)}</bdi><br>" for line in lines]  # Hebrew and Arabic from the right
        parts = [f"<p>{''.join(read)}<b>{html.escape(said)}</b></p>"]
        parts += [*self.pictures().values()]
        return f"<div>{''.join(parts)}</div>"


class Explanations(list[Explanation]):
    """Explanations, drawn one below the other in Jupyter."""

    def _repr_html_(self) -> str:
        return "".join(one._repr_html_() for one in self)


def explanations(seen: Seen, shows: Sequence[str], kind: Graph, labels: Sequence[str]) -> list[Explanation]:
    """The explanation of each example of a batch.

    Args:
        seen: what the model made of the batch.
        shows: fields that its encoder shows.
        kind: what sentences became.
        labels: names of the classes.
    """
    recorder = Recorder(Shown.of(shows), kind, "", labels, {}, shows)
    examples = [Example(sentences) for sentences in seen.examples]
    with torch.inference_mode():  # a field may be made when it is read
        nodes = recorder.nodes(0, examples, seen.shaped, seen.graphs, seen.predictions, seen.batch).to_pylist()
        table = recorder.edges(0, seen.batch)
    edges = [] if table is None else table.to_pylist()
    shown = [name.rpartition(".")[2] for name in shows]
    of_nodes: list[list[Record]] = [[] for _ in examples]
    of_edges: list[list[Record]] = [[] for _ in examples]
    for row in nodes:
        of_nodes[row["example"]].append(_node(row, shown, labels))
    text = [{(row["sentence"], row["node"]): row["text"] for row in rows} for rows in of_nodes]
    for row in edges:
        of_edges[row["example"]].append(_edge(row, shown, text[row["example"]]))
    return [
        Explanation(
            with_text(shaped, prediction),
            of_nodes[place],
            of_edges[place],
            shaped,
            str(kind),
            _drawn_as(kind, shaped, graphs),
        )
        for place, (shaped, prediction, graphs) in enumerate(
            zip(seen.shaped, seen.predictions, seen.graphs, strict=True)
        )
    ]


def _drawn_as(kind: Graph, sentences: Sequence[Sentence], graphs: Sequence[SentenceGraph]) -> str:
    """The kind whose drawings show graphs: of one's own, where they are the trees of their sentences, that of trees."""
    if isinstance(kind, OwnGraph) and of_tree(kind) and all(map(_is_tree, sentences, graphs)):
        return reads(kind)
    return str(kind)


def _is_tree(sentence: Sentence, graph: SentenceGraph) -> bool:
    if not isinstance(sentence, Constituency) or graph.size != len(sentence):
        return False
    order = np.argsort(graph.src, kind="stable")
    return np.array_equal(graph.src[order], np.arange(1, graph.size)) and np.array_equal(
        graph.dst[order], sentence.parent[1:]
    )


def _node(row: Mapping[str, Any], shown: Sequence[str], labels: Sequence[str]) -> Record:
    record: Record = {name: row[name] for name in _NODE}
    record["span"] = [row["start"], row["end"]]
    if row["predicted"] >= 0:
        record["label"] = labels[row["predicted"]] if labels else str(row["predicted"])
    return record | _fields(row, shown)


def _edge(row: Mapping[str, Any], shown: Sequence[str], text: Mapping[tuple[int, int], str]) -> Record:
    record: Record = {name: row[name] for name in _EDGE}
    here = row["sentence"]
    there = 1 - here if row["relation"] == ATTEND else here
    record["from"], record["to"] = text[there, row["sender"]], text[here, row["receiver"]]
    if row["slot"] >= 0:
        record["slot"] = row["slot"]
    return record | _fields(row, shown)


def _fields(row: Mapping[str, Any], shown: Sequence[str]) -> Record:
    return {name: _short(row[name]) for name in shown if row.get(name) is not None}


def _short(value: Any) -> Any:
    return [_short(each) for each in value] if isinstance(value, list) else round(value, DIGITS)


def _said(prediction: Mapping[str, Any]) -> str:
    """A prediction in a few words; of a task of one's own there may be several, or others."""
    said = []
    if "label" in prediction:
        label, shares = prediction["label"], prediction.get("probabilities")
        share = shares.get(label) if isinstance(shares, Mapping) and isinstance(label, str) else None
        said.append(f"{label}" + (f" ({share:.2f})" if share is not None else ""))
    if isinstance(prediction.get("score"), int | float):
        said.append(f"score {prediction['score']:.2f}")
    if isinstance(prediction.get("tags"), list):
        said.append(" ".join(map(str, prediction["tags"])))
    if said:
        return ", ".join(said)
    return ", ".join(f"{name} {_short(value)}" for name, value in prediction.items() if isinstance(value, int | float))
