"""What a model showed of one batch, as rows: an example, a node, an edge each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from dglsent.analysis.node_columns import NONE, gold_labels, is_root, node_columns, node_positions
from dglsent.corpora.example import Example
from dglsent.passing import Batch
from dglsent.training.graphs import Graph, of_tree
from graphs import fields
from graphs.columns import IntArray, Sentence
from graphs.errors import InputError
from graphs.ranges import starts
from graphs.sentence_graph import SentenceGraph


class FieldError(InputError):
    """A model has no field or relation of that name."""


@dataclass(frozen=True)
class Shown:
    """Fields to record.

    Attributes:
        nodes: of nodes.
        edges: of the edges of each relation.
    """

    nodes: tuple[str, ...]
    edges: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, names: Sequence[str]) -> Shown:
        """Of names such as "z_u" of nodes and "child.attention" of edges."""
        edges: dict[str, tuple[str, ...]] = {}
        for name in names:
            relation, dot, field = name.partition(".")
            if dot:
                edges[relation] = (*edges.get(relation, ()), field)
        return cls(tuple(name for name in names if "." not in name), edges)


@dataclass(frozen=True)
class Recorder:
    """Makes rows of batches.

    Attributes:
        shown: fields to record.
        kind: what sentences became.
        target: the gold value that is predicted, "" for tags of tokens.
        labels: names of the classes.
        about: columns that are the same in all rows.
        shows: the fields that the encoder declares, which an error names.
    """

    shown: Shown
    kind: Graph
    target: str
    labels: Sequence[str]
    about: Mapping[str, Any]
    shows: Sequence[str] = ()

    def examples(
        self,
        first: int,
        examples: Sequence[Example],
        shaped: Sequence[Sequence[Sentence]],
        predicted: Sequence[Mapping[str, Any]],
    ) -> pa.Table:
        """A row an example: its sentences, every gold number, gold and prediction, probabilities of the classes."""
        sides = list(zip(*([" ".join(sentence.words) for sentence in of_one] for of_one in shaped), strict=True))
        gold = [each for example in examples for each in example.targets.items()]
        names = sorted({name for name, _ in gold} - {name for name, value in gold if isinstance(value, str)})
        columns: dict[str, Any] = {
            "example": np.arange(first, first + len(examples)),
            "id": [example.id for example in examples],
            "text": list(sides[0]),
            "other": list(sides[1]) if len(sides) > 1 else pa.nulls(len(examples), pa.string()),
            "gold": pa.array([self._gold(example) for example in examples], pa.float64()),
            "predicted": pa.array([self._predicted(said) for said in predicted], pa.float64()),
            "probabilities": pa.array([_probabilities(said) for said in predicted], pa.list_(pa.float64())),
            **{
                f"target_{name}": pa.array([example.targets.get(name) for example in examples], pa.float64())
                for name in names
            },
        }
        return self._table(columns, len(examples))

    def nodes(
        self,
        first: int,
        examples: Sequence[Example],
        shaped: Sequence[Sequence[Sentence]],
        graphs: Sequence[Sequence[SentenceGraph]],
        predicted: Sequence[Mapping[str, Any]],
        batch: Batch,
    ) -> pa.Table:
        """A row a node: where it stands in its tree and sentence, its text and tags, gold and predicted class.

        Raises:
            FieldError: there is no such field.
            InputError: it has the name of a column.
        """
        parts: list[dict[str, Any]] = []
        together = zip(examples, shaped, graphs, predicted, strict=True)
        for number, (example, sentences, of_example, said) in enumerate(together):
            for side, sentence, form, graph in zip((0, 1), example.sentences, sentences, of_example, strict=False):
                gold = gold_labels(sentence, graph)
                of_words = not of_tree(self.kind) and (gold >= 0).any()  # where the root is one, it keeps its class
                if example.targets and self.target == "label" and len(example.sentences) == 1 and not of_words:
                    gold[is_root(graph)] = example.targets["label"]
                part = {
                    "example": np.full(graph.size, first + number),
                    "sentence": np.full(graph.size, side),
                    **node_columns(sentence, form, graph),
                    "gold": gold,
                    "predicted": self._node_predictions(said, form, graph),
                }
                parts.append(part)
        columns = {name: _joined([part[name] for part in parts]) for name in parts[0]}
        shown = {name: _column(self._field(batch.nodes, name, "node")) for name in self.shown.nodes}
        return self._table(columns, batch.num_nodes, shown)

    def edges(self, first: int, batch: Batch) -> pa.Table | None:
        """A row an edge of the relations of which fields are shown; None where there are none.

        Raises:
            FieldError: there is no such relation or field.
            InputError: it has the name of a column.
        """
        for relation in self.shown.edges:
            if relation not in batch.made:
                raise FieldError(f"the model has no edges of {relation!r}; {self._known()}")
        sentence = batch.nodes[fields.SENTENCE].cpu().numpy()
        counts = batch.node_counts.numpy()
        start = starts(counts)
        width = 2 if batch.pairs else 1
        values = {
            (relation, name): _column(self._field(batch.relation(relation).edges, name, relation))
            for relation, names in self.shown.edges.items()
            for name in names
        }
        types = {name: column.type for (_, name), column in values.items()}
        tables = []
        for relation, names in self.shown.edges.items():
            src, dst = batch.relation(relation).ends
            slot = batch.relation(relation).edges.get(fields.SLOT)
            columns: dict[str, Any] = {
                "example": first + sentence[dst] // width,
                "relation": _constant(relation, len(src)),
                "sentence": sentence[dst] % width,
                "sender": src - start[sentence[src]],
                "receiver": dst - start[sentence[dst]],
                "slot": np.full(len(src), NONE) if slot is None else slot.cpu().numpy(),
            }
            shown = {
                name: values[relation, name] if name in names else _missing(len(src), kind)
                for name, kind in types.items()
            }
            tables.append(self._table(columns, len(src), shown))
        return pa.concat_tables(tables) if tables else None

    def _field(self, table: Mapping[str, Tensor], name: str, what: str) -> Tensor:
        if name not in table:
            raise FieldError(f"the model sets no {what} field {name!r}; {self._known()}")
        return table[name]

    def _known(self) -> str:
        return f"its encoder shows {', '.join(self.shows) or 'no field'}"

    def _gold(self, example: Example) -> float | None:
        value = example.targets.get(self.target)
        return None if value is None else float(value)

    def _predicted(self, said: Mapping[str, Any]) -> float | None:
        if isinstance(said.get("score"), int | float):
            return float(said["score"])
        number = self._number(said.get("label"))
        return None if number == NONE else float(number)

    def _node_predictions(self, said: Mapping[str, Any], shaped: Sentence, graph: SentenceGraph) -> IntArray:
        """The classes of nodes, or of words; a task of one's own may say something else under these names."""
        found = np.full(graph.size, NONE)
        nodes, tags = (each if isinstance(each, list) else [] for each in (said.get("nodes"), said.get("tags")))
        if len(nodes) == graph.size:
            found[:] = [self._number(node.get("label")) if isinstance(node, Mapping) else NONE for node in nodes]
        elif len(tags) == len(shaped.words):
            position = node_positions(shaped, graph)
            found[position >= 0] = np.array([self._number(tag) for tag in tags])[position[position >= 0]]
        return found

    def _number(self, label: Any) -> int:
        """The number of a class; none where it is the name of no class."""
        if label in self.labels:
            return list(self.labels).index(label)
        number = int(label) if str(label).isdecimal() else NONE
        return number if number < (len(self.labels) or math.inf) else NONE

    def _table(self, columns: Mapping[str, Any], size: int, shown: Mapping[str, Any] | None = None) -> pa.Table:
        same = {name: _constant(value, size) for name, value in self.about.items()}
        for name in shown or ():
            if name in columns or name in same:
                raise InputError(
                    f"the encoder shows a field {name!r}, and a recording has a column of that name; "
                    "give the field another name"
                )
        return pa.table({**columns, **(shown or {}), **same})


def _probabilities(said: Mapping[str, Any]) -> list[float]:
    found = said.get("probabilities")
    return list(found.values()) if isinstance(found, Mapping) else []


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], list):
        return pa.array([each for part in parts for each in part], pa.string())
    return np.concatenate(parts)


def _column(values: Tensor) -> pa.Array:
    """Numbers, or vectors of one length, in float32."""
    flat = values.detach().float().cpu().reshape(len(values), math.prod(values.shape[1:])).numpy()
    if values.dim() == 1:
        return pa.array(flat[:, 0])
    return pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1])


def _missing(size: int, kind: pa.DataType) -> pa.Array:
    """A field that rows do not have; of vectors nan, as older versions of pyarrow cannot read back null ones."""
    if not pa.types.is_fixed_size_list(kind):
        return pa.nulls(size, kind)
    return _column(torch.full((size, kind.list_size), torch.nan))


def _constant(value: Any, size: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(size, dtype=np.int32)), pa.array([value]))
