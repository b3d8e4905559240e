"""Other people's code of a model beside the torch engine: the same weights, words and trees, and the same states.

A peer has its own way of preparing a batch, which is timed apart, as the torch engine's plan is. What either needs once
a sentence is made before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from dglsent.benchmark.engines import Subject, encoding
from dglsent.benchmark.timing import Job, Row, best_of, race
from dglsent.models.encoder import Encoder
from dglsent.models.sequence import SeqLSTM
from dglsent.models.tree_lstm import ChildSumTreeLSTM
from dglsent.passing import Batch
from graphs.errors import InputError
from graphs.sentence_graph import SentenceGraph


class Peer(NamedTuple):
    """Somebody else's module with an encoder's weights.

    Attributes:
        name: by which it is known.
        module: has all weights that the backward pass reaches.
        prepare: what it needs of the sentences of a batch.
        encode: states [N, d] from word vectors [N, d_x] and that.
    """

    name: str
    module: nn.Module
    prepare: Callable[[Sequence[SentenceGraph]], Any]
    encode: Callable[[Tensor, Any], Tensor]


def pytorch_tree_lstm(encoder: ChildSumTreeLSTM) -> Peer:
    """The child-sum Tree-LSTM of pytorch-tree-lstm (unbounce, 2019), which others copied.

    Raises:
        InputError: it is not installed.
    """
    try:
        import treelstm
    except ImportError:
        raise InputError("pytorch-tree-lstm is not installed; run pip install pytorch-tree-lstm") from None
    hidden = encoder.U_f.out_features
    module = treelstm.TreeLSTM(encoder.W_f.in_features, hidden)
    with torch.no_grad():
        for name, gates in (("W_iou", encoder.W_gio), ("U_iou", encoder.U_gio)):
            for kind, rows in gates.named_parameters():
                g, i, o = rows.chunk(3)
                getattr(getattr(module, name), kind).copy_(torch.cat([i, o, g]))
        for name, gate in (("W_f", encoder.W_f), ("U_f", encoder.U_f)):
            getattr(module, name).load_state_dict(gate.state_dict())

    @cache  # once a tree, as the levels of our graphs
    def tree(one: SentenceGraph) -> dict[str, Tensor]:
        by_parent = np.argsort(one.dst, kind="stable")
        edges = np.stack([one.dst[by_parent], one.src[by_parent]], 1)
        orders = treelstm.calculate_evaluation_orders(edges, one.size)
        columns = zip(("node_order", "edge_order", "adjacency_list"), (*orders, edges), strict=True)
        made = {name: torch.as_tensor(column) for name, column in columns}
        return {**made, "features": torch.empty(one.size, 0)}  # word vectors come later

    def prepare(sentences: Sequence[SentenceGraph]) -> dict[str, Any]:
        return treelstm.batch_tree_input([tree(one) for one in sentences])

    def encode(x: Tensor, trees: dict[str, Any]) -> Tensor:
        h, _ = module(x, trees["node_order"], trees["adjacency_list"], trees["edge_order"])
        return h

    return Peer("pytorch-tree-lstm", module, prepare, encode)


def torch_lstm(encoder: SeqLSTM) -> Peer:
    """Torch's own LSTM, a fused kernel, over packed sentences."""
    chain = encoder.chain
    module = nn.LSTM(chain.W.in_features, chain.U.in_features, batch_first=True)
    with torch.no_grad():
        for name, rows in (
            ("weight_ih_l0", chain.W.weight),
            ("weight_hh_l0", chain.U.weight),
            ("bias_ih_l0", chain.W.bias),
            ("bias_hh_l0", torch.zeros_like(chain.W.bias)),
        ):
            g, i, f, o = rows.chunk(4)
            getattr(module, name).copy_(torch.cat([i, f, g, o]))

    def encode(x: Tensor, sizes: list[int]) -> Tensor:
        packed = nn.utils.rnn.pack_sequence(x.split(sizes), enforce_sorted=False)
        return torch.cat(nn.utils.rnn.unpack_sequence(module(packed)[0]))

    return Peer("torch.nn.LSTM", module, lambda sentences: [one.size for one in sentences], encode)


PEERS: dict[str, Callable[[Any], Peer]] = {
    "child-sum Tree-LSTM": pytorch_tree_lstm,
    "LSTM": torch_lstm,
}


def measure(
    subject: Subject, size: int, *, threads: Sequence[int], batches: int = 5, repeats: int = 5
) -> Iterator[Row]:
    """Rows for batches of `size` sentences on the CPU, forward and forward+backward.

    Args:
        subject: a model of `PEERS`, and its graphs.
        size: sentences in a batch.
        threads: thread counts to try; either takes its better one.
        batches: batches to average over.
        repeats: runs of each batch, of which the best counts.

    Raises:
        InputError: the peer is not installed.
    """
    rng = np.random.default_rng(size)
    drawn = [subject.draw(size, rng) for _ in range(batches)]
    peer = PEERS[subject.model](subject.encoder)
    plan_ms = np.mean([best_of(partial(subject.batch, part), repeats) for part in drawn])
    peer_plan_ms = np.mean([best_of(partial(peer.prepare, part), repeats) for part in drawn])
    for mode in ("forward", "forward+backward"):
        backward = mode != "forward"
        spent = []
        for sentences in drawn:
            batch = subject.batch(sentences)
            jobs = {
                "torch_ms": encoding(subject.encoder, batch, "torch", backward),
                "peer_ms": _encoding(peer, subject.encoder, batch, peer.prepare(sentences), backward),
            }
            spent.append(race(jobs, threads, repeats))
        mean = {name: float(np.mean([each[name] for each in spent])) for name in ("torch_ms", "peer_ms")}
        yield {
            "model": subject.model,
            "peer": peer.name,
            "batch": size,
            "mode": mode,
            "threads": max(threads),
            "torch_ms": round(mean["torch_ms"], 3),
            "plan_ms": round(float(plan_ms), 3),
            "peer_ms": round(mean["peer_ms"], 3),
            "peer_plan_ms": round(float(peer_plan_ms), 3),
        }


def _encoding(peer: Peer, encoder: Encoder, batch: Batch, prepared: Any, backward: bool) -> Job:
    """What the peer has to do for a batch; as `engines.encoding`."""

    def job() -> None:
        with torch.set_grad_enabled(backward):
            states = peer.encode(encoder.embedding.of(batch.nodes), prepared)
            total = encoder.readout(batch, states).sum()
            if backward:
                total.backward()
                peer.module.zero_grad()

    return job
