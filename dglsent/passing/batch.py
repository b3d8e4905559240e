"""A batch of sentence graphs: topology, fields, and relations with the plans by which the engines run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.missing import NODE, TARGET, there
from dglsent.passing.plans.incidence import Incidence, incidence_in_order
from dglsent.passing.plans.on_device import lasting, on_device
from dglsent.passing.relation import AllPairs, Direction, Relation
from dglsent.passing.relations import Use, make_relation
from dglsent.passing.segments import segment_mean
from dglsent.passing.views import Fields, require_rows
from graphs import fields
from graphs.batching import MergedGraphs, merge, pair_fields, topology
from graphs.columns import IntArray
from graphs.errors import InputError, check_kind, counted
from graphs.fields import ATTEND, CHILD
from graphs.ranges import starts
from graphs.sentence_graph import SentenceGraph


class Batch:
    """S sentences, or the S / 2 pairs that they make, as one batched graph of N nodes; `Batch.of` makes one.

    Its edges belong to relations: `child`, E edges child -> parent; `neighbour`, these, then these turned round, then
    from each node to itself; `next`, from each word to the next, `previous` to the one before, `preceding` to every
    later one; `complete`, from every node of a sentence to every node of it, itself included; in pairs `attend`, from
    every node of a sentence to every node of the other of its pair. Sentences 2 k and 2 k + 1 are pair k.

    Args:
        merged: the sentences, as `graphs.batching.merge` gives them.
        pairs: whether they are pairs.

    Raises:
        InputError: `merged` is something else, as a list of graphs.

    Attributes:
        size: number of sentences S.
        pairs: whether they are pairs.
        complete: whether they are complete graphs, which have no edges of `child`.
        num_nodes: N.
        node_counts: [S] nodes of each sentence, on the CPU.
        nodes: node fields by name, each [N, ...], in the graph's order.
        targets: what a task wants predicted, by name, each [B, ...] of B examples, the sentences or pairs; a loop of
            one's own sets them.
        roots: [R] nodes that send to nobody along `child`, in sentence order, but for padding nodes; of graphs with
            cycles, all nodes.
        root_sentence: [R] sentence of each root.
        first: [S] first node of each sentence.
    """

    @lasting
    def __init__(self, merged: MergedGraphs, *, pairs: bool = False) -> None:
        check_kind(merged, MergedGraphs, "Batch.of(graphs) batches a list of sentence graphs")
        self._merged = merged
        self.size, self.pairs, self.complete = len(merged.node_counts), pairs, merged.complete
        self.node_counts = torch.from_numpy(merged.node_counts)
        columns = {**merged.nodes, **(pair_fields(merged) if pairs else {})}
        self.num_nodes = int(merged.node_counts.sum())
        self.nodes = Fields(
            {name: torch.from_numpy(column) for name, column in columns.items()}, self.num_nodes, "nodes of the batch"
        )
        self.targets = Fields(what=TARGET)
        self._relations: dict[str, Relation] = {CHILD: make_relation(CHILD, merged, pairs=pairs)}
        self.dgl_graphs: dict[Any, Any] = {}  # of several relations, as the DGL engine needed them
        sentence, real = merged.nodes[fields.SENTENCE], merged.nodes.get(fields.REAL, np.True_)
        roots = np.flatnonzero((merged.level == 0) & (real != 0))
        self.roots = torch.from_numpy(roots)
        self.root_sentence = torch.from_numpy(sentence[roots])
        self.first = torch.from_numpy(starts(merged.node_counts))

    @classmethod
    def of(
        cls,
        graphs: Sequence[SentenceGraph] | MergedGraphs,
        *,
        pairs: bool = False,
        directions: Iterable[Direction] = (),
        relations: Iterable[Use] = (),
    ) -> Batch:
        """Batch S >= 1 sentence graphs.

        Args:
            graphs: the sentences, merged already or not; of pairs a0 b0 a1 b1 ...
            pairs: whether they are pairs.
            directions: directions of the propagations over `child`, whose schedules are made at once.
            relations: further relations that are made at once, "neighbour", or with the schedule of a propagation along
                them, ("next", "up"); of all pairs what a frontier pass reads of them, ("attend", "up").

        Raises:
            InputError: the graphs are not of one kind, or the pairs not even, or directions or relations are text.
            ValueError: there is no such direction or relation, `attend` is asked of sentences that are not pairs, or a
                propagation is to run along a relation that has cycles.
        """
        for name, given in (("directions", directions), ("relations", relations)):
            if isinstance(given, str):
                raise InputError(f"{name} is text; give a tuple: {name}=({given!r},)")
        batch = cls(merge(graphs), pairs=pairs)
        for use in (*((CHILD, direction) for direction in directions), *relations):
            name, *along = (use,) if isinstance(use, str) else use
            relation = batch.relation(name)
            for direction in along:
                if isinstance(relation, AllPairs):
                    relation.frontiers(batch.relation(CHILD), CHILD, direction)
                else:
                    relation.schedule(direction)
        return batch

    def relation(self, name: str = CHILD) -> Relation:
        """A relation with its edge fields, made when first asked for.

        Raises:
            ValueError: there is no such relation, or `attend` is asked of sentences that are not pairs.
            KeyError: it is one of words, and nodes have no `position`.
        """
        if name not in self._relations:
            self._relations[name] = self._made(name)
            self.__dict__.pop("graph", None)
        return self._relations[name]

    @lasting
    def _made(self, name: str) -> Relation:
        relation = make_relation(name, self._merged, pairs=self.pairs)
        relation.to(self.device)
        return relation

    @property
    def made(self) -> list[str]:
        """The names of `child` and of the relations that something asked for."""
        return list(self._relations)

    def __repr__(self) -> str:
        what = counted(self.size // 2, "pair") if self.pairs else counted(self.size, "sentence")
        return f"Batch({what}, {self.num_nodes} nodes with {', '.join(self.nodes)}; {', '.join(self.made)})"

    def _repr_html_(self) -> str:
        """What is in the batch, and the graphs of its first sentences, in notebooks."""
        from dglsent.passing.show import html

        return html(self, self._merged)

    @property
    def steps(self) -> int:
        """Steps of all propagations that are planned so far."""
        return sum(relation.steps for relation in self._relations.values())

    @property
    def edges(self) -> Fields:
        """Edge fields of the relation child by name, each [E, ...], in the graph's order."""
        return self.relation(CHILD).edges

    @property
    def device(self) -> torch.device:
        """Where the fields and the plans are."""
        return self._relations[CHILD].device

    @cached_property
    def graph(self) -> Any:
        """The batched DGLGraph: topology only, on the CPU wherever the fields are; `write_back` adds these.

        With pairs it has the relations child and attend, and any other that a model used: when one is used for the
        first time, the graph is made anew, without what was put on it. `dgl.unbatch` parts neither one with `attend`
        nor one with `neighbour`, whose edges do not stand sentence by sentence.
        """
        if self.pairs:
            self.relation(ATTEND)
        return topology(self._merged, {name: self.relation(name).ends for name in self.made if name != CHILD})

    def write_back(self) -> Any:
        """Put all fields on the DGLGraph and return it; on the CPU, detached, for analysis."""
        self._settled()
        for name, value in self.nodes.items():
            self.graph.ndata[name] = value.detach().to(self.graph.device)
        for relation in self.graph.etypes if len(self.graph.etypes) > 1 else [CHILD]:
            data = self.graph.edges[relation].data if len(self.graph.etypes) > 1 else self.graph.edata
            for name, value in self.relation(relation).edges.items():
                data[name] = value.detach().to(self.graph.device)
        return self.graph

    def at_roots(self, states: Tensor) -> Tensor:
        """Readout: the states [N, ...] of the roots as [S, ...]; the mean over the roots of a forest.

        Raises:
            ValueError: there is not one state a node.
            TypeError: they are no tensor.
        """
        require_rows({"states": states}, self.num_nodes, "nodes of the batch")
        roots = states.index_select(0, self.roots)
        if len(self.roots) == self.size:
            return roots
        return segment_mean(roots, self._roots_of_sentences)

    @cached_property
    @lasting
    def _roots_of_sentences(self) -> Incidence:
        """Incidence of the R roots on the S sentences."""
        return incidence_in_order(self.root_sentence, self.size)

    @cached_property
    @lasting
    def sentences(self) -> Incidence:
        """Incidence of the N nodes on the S sentences."""
        return incidence_in_order(self.nodes[fields.SENTENCE], self.size)

    def at_first(self, states: Tensor) -> Tensor:
        """The states [N, ...] of each sentence's first node: [S, ...]."""
        return states.index_select(0, self.first)

    def at_last_words(self, states: Tensor) -> Tensor:
        """The states [N, ...] of each sentence's last word: [S, ...].

        Raises:
            KeyError: nodes have no `position`.
        """
        return states.index_select(0, on_device(self._last_words, states.device))

    @cached_property
    def _last_words(self) -> IntArray:
        position, sentence = there(self._merged.nodes, fields.POSITION, NODE), self._merged.nodes[fields.SENTENCE]
        order = np.lexsort((position, sentence))
        last = np.cumsum(self._merged.node_counts) - 1
        return order[last]

    @property
    def has_inner_words(self) -> bool:
        """Whether some node with in-edges may have a word, as in dependency trees; else words are at the leaves alone.

        Words that were set since may stand anywhere: to look for them would wait for a GPU.
        """
        return not self.nodes.renewed.isdisjoint((fields.WORD, fields.VECTOR)) or self._given_inner_words

    @cached_property
    def _given_inner_words(self) -> bool:
        return bool(there(self._merged.nodes, fields.WORD, NODE)[self._merged.dst].any())

    @cached_property
    def binary(self) -> bool:
        """Whether along `child` every node hears from two others or from none."""
        return bool(np.isin(np.bincount(self._merged.dst), (0, 2)).all())

    @cached_property
    def words_alone(self) -> bool:
        """Whether there are neither phrases nor padding nodes, which have no position in the sentence."""
        return bool((self._merged.nodes.get(fields.POSITION, np.zeros(1)) >= 0).all())

    @lasting
    def to(self, device: torch.device | str, non_blocking: bool = False) -> Batch:
        """Move fields and plans to a device; the DGLGraph stays where it is. Returns itself."""
        for relation in self._settled():
            relation.to(device, non_blocking)
        return self._map(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    @lasting
    def pin_memory(self) -> Batch:
        """Pin fields and plans, for a transfer that does not wait. Returns itself."""
        for relation in self._settled():
            relation.pin_memory()
        return self._map(Tensor.pin_memory)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, which takes no functions of fields that wait to be read."""
        self._settled()
        return self.__dict__

    def _settled(self) -> list[Relation]:
        """All relations, when the fields that wait to be read are made, which may ask for relations themselves."""
        for relation in list(self._relations.values()):
            for name in list(relation.edges):
                relation.edges[name]
        return list(self._relations.values())

    def _map(self, function: Callable[[Tensor], Tensor]) -> Batch:
        for fields_of in (self.nodes, self.targets):
            fields_of.replace(function)
        for name in ("roots", "root_sentence", "first"):
            setattr(self, name, function(getattr(self, name)))
        for name in ("_roots_of_sentences", "sentences"):
            self.__dict__.pop(name, None)
        return self
