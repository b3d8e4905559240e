"""softmax_sum with several heads: scores [m, heads] weigh values [N, heads, d]."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from random_graphs import SEVEN, chain, tree

from dglsent.passing import Batch, dot, engine, frontier_pass, propagate, softmax_sum, update_all
from graphs.door import fn

on_ways = pytest.mark.parametrize("way", [("torch", "edges"), ("torch", "dense"), ("dgl", "auto")], ids="-".join)
ATTENTION = softmax_sum(score="score", value="value", out="mean", weight="weight")


@on_ways
def test_heads_are_as_many_attentions(way):
    """Scores [m, heads] over a relation of pairs: each head is an attention of its own, as another engine has it."""
    other = ("torch", "edges") if way[0] == "dgl" else ("dgl", "auto")
    graphs = [tree([-1, 0, 0]), tree([-1]), tree([1, -1]), tree([-1, 0, 1, 0])]
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 10, 2, 4, dtype=torch.float64)

    def attend(way, q, k, v):
        batch = Batch.of(graphs, pairs=True)
        batch.nodes["q"], batch.nodes["k"], batch.nodes["v"] = q, k, v
        with engine(*way):
            update_all(
                batch,
                lambda edges: {"score": (edges.dst["q"] * edges.src["k"]).sum(-1)},
                softmax_sum(score="score", value="v", out="out", weight="weight"),
                relation="attend",
            )
        return batch.nodes["out"], batch.relation("attend").edges["weight"]

    out, weight = attend(way, q, k, v)
    for head in range(2):
        alone, weights = attend(other, q[:, head], k[:, head], v[:, head])
        assert torch.allclose(out[:, head], alone)
        assert torch.allclose(weight[:, head], weights)


class TestHeads:
    def batch(self):
        torch.manual_seed(0)
        batch = Batch.of([tree(SEVEN), chain(7), tree([-1, 0]), chain(2)], pairs=True)
        shapes = {"key": (8 + 7 + 2 + 2, 2), "value": (19, 2, 3), "x": (19, 1)}
        batch.nodes.update({name: torch.randn(*shape, dtype=torch.float64) for name, shape in shapes.items()})
        batch.relation("attend").edges["near"] = torch.randn(2 * (8 * 7 + 2 * 2), dtype=torch.float64)
        return batch

    def run(self, batch, way, in_a_pass, message):
        with engine(*way):
            if not in_a_pass:
                update_all(batch, message, ATTENTION, relation="attend")
                return
            with frontier_pass("attend", message, ATTENTION):
                propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]})

    @pytest.mark.parametrize("in_a_pass", [False, True])
    @on_ways
    def test_a_built_in_message_of_a_weight_and_a_score_for_each_head(self, way, in_a_pass):
        batch = self.batch()
        self.run(batch, way, in_a_pass, fn.u_mul_e("key", "near", "score"))
        src, dst = map(torch.from_numpy, batch.relation("attend").ends)
        score = batch.nodes["key"][src] * batch.relation("attend").edges["near"][:, None]
        wanted = [
            torch.einsum("mh,mhd->hd", score[dst == node].softmax(0), batch.nodes["value"][src[dst == node]])
            for node in range(batch.num_nodes)
        ]
        torch.testing.assert_close(batch.nodes["mean"], torch.stack(wanted))

    @pytest.mark.parametrize("in_a_pass", [False, True])
    @on_ways
    def test_scores_of_one_head_without_values_of_one_are_refused(self, way, in_a_pass):
        batch = self.batch()
        batch.nodes["value"] = torch.randn(19, 3, dtype=torch.float64)
        with pytest.raises(ValueError, match=r"'score' has 1 dimensions a message and 'value' has 1 a node.*squeeze"):
            self.run(batch, way, in_a_pass, lambda edges: {"score": edges.src["key"][..., :1]})

    @pytest.mark.parametrize("in_a_pass", [False, True])
    @on_ways
    def test_other_heads_of_scores_than_of_values_are_refused(self, way, in_a_pass):
        """It was torch's error of two sizes, without a name."""
        batch = self.batch()
        batch.nodes["value"] = torch.randn(19, 3, 4, dtype=torch.float64)
        with pytest.raises(ValueError, match=r"^the score 'score' has 2 heads and 'value' has 3; give both as many$"):
            self.run(batch, way, in_a_pass, lambda edges: {"score": edges.src["key"]})


@on_ways
@pytest.mark.parametrize(
    "score",
    [
        lambda edges, by: dot(edges.dst["q"], edges.src["k"]),
        lambda edges, by: dot(edges.src["k"], edges.dst["q"]),
        lambda edges, by: dot(edges.dst["q"], edges.src["k"] + edges.data["near"]),
        lambda edges, by: dot(edges.dst["q"] + edges.data["near"], edges.src["k"]),
        lambda edges, by: dot(edges.dst["q"], edges.data["near"]),
        lambda edges, by: dot(edges.src["k"], edges.src["k"]),
        lambda edges, by: dot(edges.src["k"], by),
    ],
    ids=["both", "turned", "moved senders", "moved receivers", "edges", "senders", "a parameter"],
)
@pytest.mark.parametrize("heads", [False, True])
def test_products_of_whatever_fields(way, score, heads):
    batch = Batch.of([chain(4), chain(2), chain(3)])
    src, dst = map(torch.from_numpy, batch.relation("complete").ends)
    torch.manual_seed(0)
    shape = (2, 3) if heads else (3,)
    by, near = torch.randn(*shape, dtype=torch.float64), torch.randn(len(src), *shape, dtype=torch.float64)
    for name in ("q", "k", "value"):
        batch.nodes[name] = torch.randn(batch.num_nodes, *shape, dtype=torch.float64)
    batch.relation("complete").edges["near"] = near
    with engine(*way):
        update_all(batch, lambda edges: {"score": score(edges, by)}, ATTENTION, relation="complete")
    listed = SimpleNamespace(
        src={name: value[src] for name, value in batch.nodes.items()},
        dst={name: value[dst] for name, value in batch.nodes.items()},
        data={"near": near},
    )
    scores, weight = score(listed, by), batch.relation("complete").edges["weight"]
    for node in range(batch.num_nodes):
        torch.testing.assert_close(weight[dst == node], scores[dst == node].softmax(0))
