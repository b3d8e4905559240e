"""What every encoder promises, whatever its equations."""

from __future__ import annotations

import math
from functools import partial
from inspect import signature

import pytest
import torch
from agreement import ENGINES, build, close, encode
from random_graphs import TAGS, VOCABULARY, awkward_trees, caterpillar, chain, forest, tree
from window_sentences import VOCABULARIES, WORDS, window

from dglsent.models.adamc_rnn import AdaMCRNN, AdaMCRNTN
from dglsent.models.bag_of_words import BagOfWords
from dglsent.models.bi_tree_lstm import BiTreeLSTM
from dglsent.models.cn3 import CN3
from dglsent.models.decomposable_attention import DecomposableAttention
from dglsent.models.dynamic_compositional import DCRecNN, DCTreeLSTM
from dglsent.models.dynamic_window import WindowBiLSTM, WindowMLP
from dglsent.models.elman import SeqRNN
from dglsent.models.lstmn import LSTMN
from dglsent.models.mv_rnn import MVRNN
from dglsent.models.pd_graph import PDGraph
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.recnn import RecNN
from dglsent.models.rntn import RNTN
from dglsent.models.sata_tree_lstm import SATATreeLSTM
from dglsent.models.self_attention import Transformer
from dglsent.models.sequence import BiLSTM, SeqGRU, SeqLSTM
from dglsent.models.tag_guided import TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM
from dglsent.models.te_lstm import TELSTM
from dglsent.models.te_rnn import TERNN
from dglsent.models.tg_rnn import TGRNN
from dglsent.models.tree_gru import ChildSumTreeGRU
from dglsent.models.tree_lstm import BinaryTreeLSTM, ChildSumTreeLSTM
from dglsent.models.window_rnn import WindowElman, WindowJordan
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.initialisation import start_near_mean
from dglsent.nn.node_attributes import Attributes
from dglsent.passing import Batch, engine
from graphs.errors import InputError

TREES = [*awkward_trees()[:-1], forest()]
BINARY = [caterpillar(depth) for depth in (3, 0, 1, 6)]
CHAINS = [chain(size) for size in (3, 1, 8)]
ENCODERS = {
    RecNN: BINARY,
    BinaryTreeLSTM: BINARY,
    ChildSumTreeLSTM: TREES,
    ChildSumTreeGRU: TREES,
    SeqLSTM: CHAINS,
    SeqGRU: CHAINS,
    BiLSTM: CHAINS,
    SeqRNN: CHAINS,
    LSTMN: CHAINS,
    RNTN: BINARY,
    MVRNN: BINARY,
    AdaMCRNN: BINARY,
    AdaMCRNTN: BINARY,
    BiTreeLSTM: BINARY,
    DCRecNN: BINARY,
    DCTreeLSTM: BINARY,
}
GIVEN = {"tags": TAGS, "vocabularies": VOCABULARIES}
WITH_TAGS = [TGRNN, TERNN, TELSTM, TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM, SATATreeLSTM]

FURTHER_SIZES = [
    *((each, "functions", 1) for each in (AdaMCRNN, AdaMCRNTN)),
    (BiTreeLSTM, "hidden", 1),
    (MVRNN, "rank", 1),
    *((each, option, 1) for each in (DCRecNN, DCTreeLSTM) for option in ("meta", "z")),
    *(
        (each, option, 1)
        for each in (TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM)
        for option in ("hyper", "fusion_size", "tag_dim")
    ),
    *((each, "tag_dim", 0) for each in (SATATreeLSTM, TELSTM, TERNN)),
    (TGRNN, "own", 0),
    *((CN3, option, 0) for option in ("layers", "edge_dim", "lexical")),
    *((Transformer, option, least) for option, least in (("layers", 0), ("heads", 1), ("inner", 0))),
    *((each, "half_width", 0) for each in (WindowMLP, WindowElman)),
    (WindowBiLSTM, "layers", 1),
]


def cases(encoders):
    """Encoders as functions of word vectors and a size, with their graphs."""
    return [
        pytest.param(partial(each, tags=TAGS) if each in WITH_TAGS else each, graphs, id=each.__name__)
        for each, graphs in encoders.items()
    ]


each_encoder = pytest.mark.parametrize(
    ("encoder_class", "graphs"), cases({**ENCODERS, **dict.fromkeys(WITH_TAGS, BINARY)})
)


@pytest.mark.parametrize("on", ENGINES)
@each_encoder
class TestStates:
    def test_alone_is_as_in_a_batch(self, encoder_class, graphs, on):
        encoder = build(encoder_class)
        states, batch = encode(encoder, graphs, on)
        vectors = encoder.readout(batch, states)
        assert states.shape == (batch.num_nodes, encoder.size)
        alone = [encode(encoder, [graph], on) for graph in graphs]
        close(torch.cat([states for states, _ in alone]), states)
        close(torch.cat([encoder.readout(batch, states) for states, batch in alone]), vectors)

    def test_the_order_of_the_sentences_does_not_matter(self, encoder_class, graphs, on):
        encoder = build(encoder_class)
        states, _ = encode(encoder, graphs, on)
        turned, _ = encode(encoder, graphs[::-1], on)
        close(torch.cat(turned.split([g.size for g in graphs[::-1]])[::-1]), states)

    def test_a_batch_may_be_encoded_again(self, encoder_class, graphs, on):
        encoder = build(encoder_class)
        states, batch = encode(encoder, graphs, on)
        for other in (build(encoder_class), build(encoder_class, 6)):
            torch.nn.init.ones_(other.embedding.weight)
            with engine(on):
                other.encode(batch)
                again = encoder.encode(batch)
            close(again, states)

    def test_without_gradients(self, encoder_class, graphs, on):
        encoder = build(encoder_class)
        states, _ = encode(encoder, graphs, on)
        with torch.no_grad():
            close(encode(encoder, graphs, on)[0], states.detach())

    def test_fixed_embeddings_change_no_other_gradient(self, encoder_class, graphs, on):
        encoder = build(encoder_class)
        gradients = []
        for tune in (True, False):
            encoder.embedding.weight.requires_grad_(tune)
            encoder.zero_grad()
            encode(encoder, graphs, on)[0].square().sum().backward()
            gradients.append({name: p.grad for name, p in encoder.named_parameters() if "embedding" not in name})
        assert encoder.embedding.weight.grad is None
        for name, gradient in gradients[0].items():
            close(gradients[1][name], gradient)
            assert gradient.abs().max() > 0


@each_encoder
def test_a_batch_that_was_encoded_under_inference_mode_can_be_trained_with(encoder_class, graphs):
    encoder = build(encoder_class)
    with torch.inference_mode():
        batch = Batch.of(graphs)
        vectors = encoder.readout(batch, encoder.encode(batch))
    again = encoder.readout(batch, encoder.encode(batch))
    again.sum().backward()
    close(again, vectors)


@pytest.mark.parametrize(("encoder_class", "graphs"), cases(ENCODERS))
def test_parameters_start_within_one_over_the_root_of_their_inputs(encoder_class, graphs):
    torch.manual_seed(0)
    encoder = encoder_class(WordEmbedding(VOCABULARY, 64), 100)
    orthogonal = [encoder.U] if isinstance(encoder, SeqRNN) else []
    for module in orthogonal:
        torch.testing.assert_close(module.weight @ module.weight.t(), torch.eye(100), atol=1e-5, rtol=0)
    near_mean = {RecNN: "U", RNTN: "U", AdaMCRNN: "U", AdaMCRNTN: "U", MVRNN: "W"}.get(encoder_class)
    if near_mean:  # what was drawn is left, mirrored
        start_near_mean(getattr(encoder, near_mean).weight.data.neg_())
    for module in encoder.modules():
        if isinstance(module, torch.nn.Linear) and module not in orthogonal:
            bound = 1 / math.sqrt(module.in_features)
            for parameter in module.parameters():
                assert 0.95 * bound < parameter.abs().max() <= bound


@pytest.mark.parametrize("encoder_class", [CN3, LSTMN, PDGraph, Transformer])
@pytest.mark.parametrize("other", [caterpillar(2), window(WORDS, 1)], ids=["phrases", "padding"])
def test_encoders_of_words_refuse_other_nodes(encoder_class, other):
    """Each was heard as a word, or counted as one in the mean."""
    name = encoder_class.__name__
    with pytest.raises(ValueError, match=f"^{name} takes every node for a word, .* chain, dependency or complete"):
        encode(build(encoder_class), [other])


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize(
    "encoder_class", [*(each for each, graphs in ENCODERS.items() if graphs is BINARY), *WITH_TAGS]
)
@pytest.mark.parametrize("other", [tree([-1, 0, 0, 0], phrases=True), tree([-1, 0], phrases=True), chain(3)])
def test_encoders_of_two_children_refuse_other_graphs(encoder_class, other, on):
    """Also where most are binary: shapes of torch's were what was said."""
    made = partial(encoder_class, tags=TAGS) if encoder_class in WITH_TAGS else encoder_class
    said = f"^{encoder_class.__name__} composes two children, .* binary trees: graph constituency"
    with pytest.raises(ValueError, match=said):
        encode(build(made), [caterpillar(2), other], on)


@pytest.mark.parametrize("encoder_class", WITH_TAGS)
@pytest.mark.parametrize("tags", [(), TAGS[:2], "NP"], ids=["none", "no more than special ids", "a text"])
def test_encoders_of_tags_want_some(encoder_class, tags):
    with pytest.raises(ValueError, match=r"^there are no tags: take trees that have some, and give tags="):
        build(encoder_class, tags=tags)


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize("encoder_class", WITH_TAGS)
def test_encoders_of_tags_want_them_at_the_nodes(encoder_class, on):
    graph = caterpillar(2)
    del graph.nodes["tag"]
    with pytest.raises(InputError, match=r"^the nodes have no field `tag`, which the builders of graphs make$"):
        encode(build(encoder_class, tags=TAGS), [graph], on)


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize("encoder_class", WITH_TAGS)
def test_encoders_of_tags_want_those_of_their_graphs(encoder_class, on):
    """Some took the state of another tag for one at a left child, and the others ended in an IndexError."""
    graph = caterpillar(2)
    graph.nodes["tag"][1] = len(TAGS)
    least, tags = min(graph.nodes["tag"]), len(TAGS)
    said = f"^there are ids of tags from {least} to {tags}, and the encoder was made with {tags} tags; give it tags="
    with pytest.raises(InputError, match=said):
        encode(build(encoder_class, tags=TAGS), [graph], on)
    graph.nodes["tag"][:2] = 0, -1
    with pytest.raises(InputError, match=r"^there are ids of tags from -1 to "):
        encode(build(encoder_class, tags=TAGS), [graph], on)


@each_encoder
def test_torch_can_walk_over_the_modules(encoder_class, graphs):
    """A cell named `apply` would hide torch's."""
    seen = []
    encoder = build(encoder_class)
    encoder.apply(seen.append)
    assert set(seen) == set(encoder.modules())


@pytest.mark.parametrize("size", [0, -2, "8", 2.0])
@pytest.mark.parametrize("encoder", [SeqLSTM, BiLSTM, RecNN, ChildSumTreeLSTM, LSTMN, CN3])
def test_sizes_that_are_none(encoder, size):
    """Of 0 some made empty layers and others divided by it; below it torch said only that a dimension was negative."""
    with pytest.raises(InputError, match=rf"^{encoder.__name__}: size of a state is .*; give a whole number from 1$"):
        encoder(WordEmbedding(VOCABULARY, 3), size)
    with pytest.raises(InputError, match=rf"^{encoder.__name__}: size of the word vectors is 0; give a whole number"):
        encoder(WordEmbedding(VOCABULARY, 0), 4)


def made_with(encoder, **options):
    wanted = {name: given for name, given in GIVEN.items() if name in signature(encoder).parameters}
    return encoder(WordEmbedding(VOCABULARY, 3), **wanted, **options)


@pytest.mark.parametrize(("encoder", "option", "least"), FURTHER_SIZES)
def test_further_sizes_that_are_none(encoder, option, least):
    """With 0 functions, say, all phrases were alike; of others torch told its own arguments."""
    for size in (least - 1, "8", 2.0):
        with pytest.raises(InputError, match=rf"^{option} is {size!r}; give a whole number from {least}$"):
            made_with(encoder, **{option: size})


@pytest.mark.parametrize(
    ("encoder", "option"), [case[:2] for case in FURTHER_SIZES if case[1] not in ("heads", "edge_dim", "lexical")]
)
def test_another_size_makes_other_weights(encoder, option):
    """The references take those that an encoder has, whatever was asked for."""
    few, many = (made_with(encoder, **{option: size}).state_dict() for size in (2, 4))
    assert {name: weight.shape for name, weight in few.items()} != {name: each.shape for name, each in many.items()}


@pytest.mark.parametrize("size", [-1, "8", 2.0])
@pytest.mark.parametrize("option", ["tag_dim", "spelling_dim", "position_dim", "positions", "character_size"])
def test_sizes_of_attributes_that_are_none(option, size):
    attributes = Attributes(**{"position_dim": 2, "characters": "cnn", option: size})
    with pytest.raises(InputError, match=rf"^{option} is {size!r}; give a whole number from "):
        CN3(WordEmbedding(VOCABULARY, 3), attributes=attributes, vocabularies=VOCABULARIES)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), "0.5"])
@pytest.mark.parametrize(
    ("encoder", "option"),
    [
        (WindowBiLSTM, "between_layers"),
        (WindowJordan, "dropout"),
        (Transformer, "dropout"),
        (TagGuidedHyperRecNN, "recurrent_dropout"),
        (TagGuidedHyperTreeLSTM, "recurrent_dropout"),
    ],
)
def test_shares_that_are_none(encoder, option, share):
    with pytest.raises(InputError, match=rf"^{option} is {share!r}; give a number from 0 to 1$"):
        made_with(encoder, **{option: share})


@pytest.mark.parametrize("embedding", [None, 100, torch.nn.Embedding(VOCABULARY, 3)])
def test_word_vectors_that_are_none(embedding):
    """Torch's own table, say, which knows neither padding nor the fields of nodes."""
    with pytest.raises(InputError, match=rf"^WordEmbedding is wanted, and {type(embedding).__name__} was given; "):
        RecNN(embedding)


@pytest.mark.parametrize("pairs", [ProgressiveAttention, DecomposableAttention])
def test_a_structure_that_is_made_already(pairs):
    """It was called, and torch told that it has no forward."""
    embedding = WordEmbedding(VOCABULARY, 3)
    with pytest.raises(InputError, match=r"^structure is a value of type SeqLSTM; give what makes an encoder"):
        pairs(embedding, SeqLSTM(embedding, 4))
    with pytest.raises(InputError, match=r"^structure is a value of type str"):
        pairs(embedding, "SeqLSTM")


@pytest.mark.parametrize("pairs", [ProgressiveAttention, DecomposableAttention])
def test_word_vectors_that_are_set_anew_are_those_of_the_structure(pairs):
    """On the pairs' encoder they were registered beside the structure's, which went on with its own."""
    encoder, other = pairs(WordEmbedding(VOCABULARY, 3), SeqLSTM), WordEmbedding(VOCABULARY, 3)
    names = list(encoder.state_dict())
    encoder.embedding = other
    assert encoder.embedding is encoder.structure.embedding is other
    assert list(encoder.state_dict()) == names


def test_options_in_a_dict():
    embedding = WordEmbedding(VOCABULARY, 3)
    with pytest.raises(InputError, match=r"^Attributes is wanted, and dict was given; "):
        CN3(embedding, attributes={"tag_dim": 3})
    with pytest.raises(InputError, match=r"^WindowOptions is wanted, and dict was given; "):
        WindowMLP(embedding, options={"cap_dim": 3})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Transformer, LSTMN),
        (PDGraph, BagOfWords),
        (
            partial(ProgressiveAttention, structure=partial(SeqGRU, hidden=4), pa_propagate=False),
            partial(ProgressiveAttention, structure=partial(SeqGRU, hidden=4)),
        ),
    ],
)
def test_encoders_take_turns_at_a_batch(first, second):
    """What the second makes of nodes beforehand had the name of a field that the first had left there."""
    embedding, graphs = WordEmbedding(VOCABULARY, 4), [chain(size) for size in (3, 1)]
    before, encoder = first(embedding), second(embedding)
    batch = Batch.of(graphs, pairs=True)
    before.encode(batch)
    close(encoder.encode(batch), encoder.encode(Batch.of(graphs, pairs=True)))


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize(
    ("encoder_class", "graphs"),
    [
        (LSTMN, CHAINS),
        (partial(TagGuidedHyperRecNN, tags=TAGS), BINARY),
        (partial(TagGuidedHyperTreeLSTM, tags=TAGS), BINARY),
    ],
)
def test_what_an_encoder_shows_is_of_the_weights_that_it_encoded_with(encoder_class, graphs, on):
    """It is made when it is read, which may be after a step of training."""
    encoder, batches = build(encoder_class), [Batch.of(graphs) for _ in range(2)]
    with engine(on):
        for batch in batches:
            encoder.encode(batch)
        before = [shown(batches[0], name) for name in encoder.shows]
        with torch.no_grad():
            for weight in encoder.parameters():
                weight.add_(0.1)
        for value, name in zip(before, encoder.shows, strict=True):
            close(shown(batches[1], name), value)


def shown(batch, name):
    relation, _, field = name.rpartition(".")
    return (batch.relation(relation).edges if relation else batch.nodes)[field]
