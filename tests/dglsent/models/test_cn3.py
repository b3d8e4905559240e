from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest
import torch
from agreement import WAYS, assert_same, build, close, encode_rounds
from background import forked
from complete_sentences import LEXICAL, sentence, vocabularies
from random_graphs import chain, children, forest, tree
from reference.cn3 import cn3

from dglsent.models.cn3 import CN3
from dglsent.models.pd_graph import PDGraph
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.node_attributes import Attributes
from dglsent.passing import Batch, engine
from dglsent.passing.engines.torch import all_pairs
from graphs.errors import InputError
from graphs.features import Vocabulary

LENGTHS = (4, 1, 6, 2, 4)
EDGES = ("relation", "distance", "pmi", "lexical")
SWITCHES = {
    "as the paper": {},
    "dependency edges": {"edges": ["relation"]},
    "dot": {"scorer": "dot", "context": "none", "edges": EDGES},
    "bilinear": {"scorer": "bilinear", "context": "none", "edges": EDGES},
    "additive": {"context": "none", "edges": EDGES},
    "gru_like": {"update": "gru_like", "context": "cnn", "scorer": "dot"},
    "no self loop": {"self_loop": False, "context": "cnn", "edges": ["distance"]},
    "tied": {"tie_layers": True, "layers": 3, "context": "none"},
    "no layers": {"layers": 0},
    "words beside their attributes": {"context": "concat", "hidden": 5, "attributes": Attributes(2)},
    "attributes again": {"reinject_attr": True, "attributes": Attributes(2), "edges": EDGES},
    "attributes again, dot": {"reinject_attr": True, "scorer": "dot"},
    "attributes again, bilinear": {"reinject_attr": True, "scorer": "bilinear", "context": "none"},
    "characters": {"attributes": Attributes(characters="lstm", character_dim=3, character_size=4), "layers": 1},
    "all attributes": {
        "attributes": Attributes(2, "cnn", 3, 5, spelling_dim=2, position_dim=3, positions=5),
        "context": "none",
    },
}
on_ways = pytest.mark.parametrize("way", WAYS, ids="-".join)


def make(encoder_class=CN3, **switches):
    encoder = build(encoder_class, vocabularies=vocabularies(), edge_dim=3, lexical=LEXICAL, **switches)
    with torch.no_grad():
        for module in encoder.modules():
            if getattr(module, "padding_idx", None) is not None:
                module.weight[module.padding_idx] = 0
    return encoder


def plain(graph):
    columns = {name: column.tolist() for name, column in graph.nodes.items()}
    return columns | {name: column.reshape(graph.size, -1).tolist() for name, column in graph.pairwise.items()}


def hears(graph, self_loop=True):
    return [[j for j in range(graph.size) if self_loop or i != j or graph.size == 1] for i in range(graph.size)]


def agrees(encoder, sentences, graphs, heard, way, switches):
    """Values and gradients of a batch are those of the reference, which sees one sentence at a time."""
    state = {name: value.detach().clone().requires_grad_() for name, value in encoder.state_dict().items()}
    plainly = [cn3(state, each, ears, **switches) for each, ears in zip(sentences, heard, strict=True)]
    expected = {name: torch.cat([fields[name] for fields in plainly]) for name in plainly[0]}
    states, batch = encode_rounds(encoder, graphs, way)
    edges = batch.relation(encoder.relation).edges
    found = {"states": states, "vector": encoder.readout(batch, states).flatten()}
    everywhere = encoder.relation == "complete" and switches_self_loop(encoder)
    compared = {
        name: (found[name] if name in found else edges[name], value)
        for name, value in expected.items()
        if name in found or everywhere
    }
    assert_same(encoder, state, compared, way)


def switches_self_loop(encoder):
    return not encoder.depth or encoder.layers[0].self_loop


@on_ways
@pytest.mark.parametrize("name", SWITCHES)
def test_against_the_reference(name, way):
    switches = SWITCHES[name]
    encoder, graphs = make(**switches), [sentence(size, seed) for seed, size in enumerate(LENGTHS)]
    of_reference = {
        key: value for key, value in switches.items() if key not in ("attributes", "edges", "hidden", "self_loop")
    }
    heard = [hears(graph, switches.get("self_loop", True)) for graph in graphs]
    agrees(encoder, list(map(plain, graphs)), graphs, heard, way, of_reference)


@on_ways
class TestIdentities:
    GRAPHS = tuple(sentence(size, seed) for seed, size in enumerate(LENGTHS))

    @pytest.mark.parametrize("scorer", ["additive", "dot", "bilinear"])
    @pytest.mark.parametrize("self_loop", [True, False])
    def test_the_weights_of_what_a_word_hears_sum_to_one(self, way, scorer, self_loop):
        _, batch = encode_rounds(make(edges=["relation"], scorer=scorer, self_loop=self_loop), self.GRAPHS, way)
        relation = batch.relation("complete")
        src, dst = map(torch.from_numpy, relation.ends)
        for name in ("attention_1", "attention_2"):
            weight = relation.edges[name]
            total = torch.zeros(batch.num_nodes, dtype=weight.dtype).index_add(0, dst, weight)
            close(total, torch.ones_like(total))
            if not self_loop:
                lone = torch.tensor([size == 1 for size in LENGTHS for _ in range(size)])
                close(weight[src == dst], lone.to(weight.dtype))

    def test_without_self_loops_no_word_hears_itself_however_low_the_others_score(self, way):
        """Scores reach 1e6, of either sign."""
        encoder = make(scorer="dot", self_loop=False, layers=1)
        with torch.no_grad():
            encoder.layers[0].W_own.weight.mul_(1e6)
        _, batch = encode_rounds(encoder, self.GRAPHS, way)
        relation = batch.relation("complete")
        src, dst = map(torch.from_numpy, relation.ends)
        lone = torch.tensor([size == 1 for size in LENGTHS for _ in range(size)])
        assert relation.edges["attention_1"][src == dst].tolist() == lone.tolist()

    def test_alone_is_as_in_a_batch(self, way):
        encoder = make(edges=EDGES)
        together, _ = encode_rounds(encoder, self.GRAPHS, way)
        close(torch.cat([encode_rounds(encoder, [graph], way)[0] for graph in self.GRAPHS]), together)

    @pytest.mark.parametrize("update", ["interp", "gru_like"])
    def test_with_the_gate_shut_nothing_changes(self, way, update):
        encoder = make(update=update)
        for layer in encoder.layers:
            torch.nn.init.constant_(layer.U_g.bias, -1e6)
        states, _ = encode_rounds(encoder, self.GRAPHS, way)
        encoder.depth = 0
        close(states, encode_rounds(encoder, self.GRAPHS, way)[0])

    def test_pairs_do_not_meet(self, way):
        encoder = make()
        batch = Batch.of(self.GRAPHS[:4], pairs=True)
        with engine(*way):
            close(encoder.encode(batch), encode_rounds(encoder, self.GRAPHS[:4], way)[0])


@pytest.mark.parametrize("at_once", [1, 40, 100])
def test_some_receivers_at_a_time(at_once, monkeypatch):
    encoder = make(edges=EDGES)
    graphs, results = [sentence(size, seed) for seed, size in enumerate(LENGTHS)], []
    for pairs in (all_pairs._PAIRS, at_once):
        monkeypatch.setattr(all_pairs, "_PAIRS", pairs)
        encoder.zero_grad()
        states, batch = encode_rounds(encoder, graphs, ("torch", "dense"))
        (states.square().sum() + batch.relation("complete").edges["attention_2"].square().sum()).backward()
        results.append([states, *(p.grad.clone() for p in encoder.parameters())])
    for one, other in zip(*results, strict=True):
        close(one, other)


PARSED = [tree([1, -1, 1, 2]), tree([-1]), chain(5), forest(), tree([-1, 0])]


@pytest.mark.parametrize("on", ["torch", "dgl"])
@pytest.mark.parametrize(
    "switches",
    [{}, {"scorer": "dot", "context": "none", "update": "gru_like"}, {"tie_layers": True, "context": "none"}],
)
def test_pd_graph_hears_head_dependents_and_itself(on, switches):
    heard = []
    for graph in PARSED:
        below = children(graph)
        above = [[j for j in range(graph.size) if i in below[j]] for i in range(graph.size)]
        heard.append([sorted({i, *below[i], *above[i]}) for i in range(graph.size)])
    encoder = build(PDGraph, **switches)
    sentences = [{"word": graph.nodes["word"].tolist()} for graph in PARSED]
    agrees(encoder, sentences, PARSED, heard, (on, "auto"), switches)
    _, batch = encode_rounds(encoder, PARSED, (on, "auto"))
    assert len(batch.relation("neighbour").edges["attention_2"]) == sum(len(ears) for each in heard for ears in each)


def test_pd_graph_reads_attributes_of_words():
    options = {"attributes": Attributes(tag_dim=2), "vocabularies": vocabularies()}
    encoder, graph, other = build(PDGraph, **options), sentence(4, 0), sentence(4, 0)
    other.nodes["tag"] = other.nodes["tag"][::-1].copy()
    one, turned = (encode_rounds(encoder, [each.listed()], ("torch", "auto"))[0] for each in (graph, other))
    assert (one - turned).abs().max() > 1e-3


def test_what_an_attribute_needs_is_said():
    with pytest.raises(InputError, match="give it vocabularies=, those of the graphs"):
        build(CN3, attributes=Attributes(tag_dim=2))
    without = vocabularies()
    without.tag = Vocabulary([])
    with pytest.raises(InputError, match=r"reads tags, and the vocabularies have none; .* or leave out tag_dim"):
        build(CN3, attributes=Attributes(tag_dim=2), vocabularies=without)
    without.spelling = None
    with pytest.raises(InputError, match=r"embedding\.spelling: true"):
        build(CN3, attributes=Attributes(characters="cnn"), vocabularies=without)
    with pytest.raises(ValueError, match="'relation' needs vocabularies="):
        build(CN3, edges=["relation"])
    with pytest.raises(ValueError, match="'lexical' needs lexical=, the length of the vocabulary"):
        build(CN3, edges=["lexical"], vocabularies=vocabularies())
    with pytest.raises(ValueError, match="edge attribute 'near'; there are relation, distance, pmi, lexical"):
        build(CN3, edges=["near"])
    with pytest.raises(ValueError, match=r"relation, distance, pmi, lexical$"):
        build(CN3, edges=["near"], vocabularies=vocabularies())
    with pytest.raises(ValueError, match="edge attribute 'distance' stands there twice; name each once"):
        build(CN3, edges=["distance", "distance"])
    with pytest.raises(ValueError, match=r"hidden 5: concat leaves words and attributes as they are; give hidden 3"):
        build(CN3, hidden=5, context="concat")
    with pytest.raises(ValueError, match=r"hidden 5: .* give an even number"):
        build(CN3, hidden=5)


def long_sentences(count: int, result: Path) -> None:
    """Writes down the memory (GiB) that this process had at most before and after a step."""
    seen = [peak()]
    torch.set_num_threads(1)
    encoder = CN3(WordEmbedding(20, 100), hidden=100, layers=2, edges=["relation"], vocabularies=vocabularies())
    batch = Batch.of([sentence(400, seed) for seed in range(count)], relations=encoder.relations)
    encoder.readout(batch, encoder.encode(batch)).square().sum().backward()
    result.write_text(f"{seen[0]} {peak()}")


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)


def test_16_long_sentences_fit_into_8_gib(tmp_path):
    """Of 400 words, all 160,000 pairs of each scored by a vector of 100 dimensions in each of two layers.

    Four of them take a quarter of what 16 take, or more.
    """
    process = forked(long_sentences, (4, tmp_path / "peaks"))
    process.start()
    process.join()
    before, after = map(float, (tmp_path / "peaks").read_text().split())
    assert before < after
    assert before + 4 * (after - before) < 8


def test_tags_that_graphs_do_not_have():
    graph = chain(3)
    del graph.nodes["tag"]
    with pytest.raises(InputError, match=r"^the nodes have no field `tag`, which the builders of graphs make$"):
        encode_rounds(make(attributes=Attributes(tag_dim=2)), [graph], ("torch", "auto"))


@on_ways
@pytest.mark.parametrize("name", ["relation", "pmi", "lexical"])
def test_edge_attributes_that_graphs_do_not_have(name, way):
    """Complete graphs of trees in brackets have no relations, and without co-occurrence no graph has `pmi`."""
    encoder = make(edges=["distance", name])
    with pytest.raises(InputError, match=f"edge attribute '{name}' is not in these graphs; give complete graphs"):
        encode_rounds(encoder, [chain(3)], way)


def test_fewer_layers_than_none_are_refused():
    for encoder_class in (CN3, PDGraph):
        with pytest.raises(ValueError, match="layers is -1; give a whole number from 0"):
            encoder_class(WordEmbedding(20, 4), hidden=4, layers=-1)
