from __future__ import annotations

import re

import pytest
import torch
from complete_sentences import LEXICAL, vocabularies
from torch import nn
from torch.testing import assert_close

from dglsent.models.fusion import InformationFusion
from dglsent.models.tree_lstm import BinaryTreeLSTM
from dglsent.nn.edge_attributes import EdgeAttributes
from dglsent.nn.embeddings import GivenVectors, WordEmbedding, drawn
from dglsent.nn.node_attributes import Attributes, NodeAttributes
from dglsent.passing import Batch
from graphs.builders import constituency
from graphs.columns import Tagged
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.formats.brackets import parse_brackets

WORDS = torch.tensor([[1, 0], [3, 3]])


def test_padding_is_the_zero_vector():
    given = torch.ones(5, 4)
    for embedding in (WordEmbedding(5, 4), WordEmbedding(5, 4, vectors=given)):
        vectors = embedding(WORDS)
        assert vectors.shape == (2, 2, 4)
        assert_close(vectors[0, 1], torch.zeros(4))
        assert vectors[0, 0].abs().min() > 0
    assert_close(given, torch.ones(5, 4))


def test_given_vectors_are_looked_up():
    given = torch.randn(5, 4)
    embedding = WordEmbedding(5, 4, vectors=given)
    assert_close(embedding(WORDS)[1], given[[3, 3]])


@pytest.mark.parametrize("shape", [(5, 7), (6, 4), (4, 5), (5,)])
def test_given_vectors_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match=re.escape(f"vectors {list(shape)} are given, and [5, 4] are wanted")):
        WordEmbedding(5, 4, vectors=torch.randn(shape))


def test_given_vectors_in_an_array_are_refused():
    with pytest.raises(InputError, match=r"^Tensor is wanted, and ndarray was given; torch\.from_numpy makes one"):
        WordEmbedding(5, 4, vectors=torch.randn(5, 4).numpy())


@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.float16])
def test_given_vectors_may_be_of_any_type(dtype):
    """NumPy's are float64 by default, which no other weight is."""
    embedding = WordEmbedding(3, 2, vectors=torch.tensor([[0, 0], [1, 2], [3, 4]], dtype=dtype))
    assert_close(embedding(torch.tensor([1, 2])), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))


@pytest.mark.parametrize("ids", [(2, 7), (-1, 3)])
def test_a_word_beyond_the_vectors_is_named(ids):
    said = f"^there are ids of words from {ids[0]} to {ids[1]}, and vectors of 5 words; .*vocabularies\\.word"
    with pytest.raises(InputError, match=said):
        WordEmbedding(5, 4)(torch.tensor(ids))


def test_random_vectors_are_small_and_spread():
    torch.manual_seed(0)
    weight = WordEmbedding(200, 50).weight[1:]
    assert 0.049 < weight.max() <= 0.05
    assert -0.05 <= weight.min() < -0.049


def test_tables_start_in_their_range():
    torch.manual_seed(0)
    for table in (nn.Embedding(200, 50, padding_idx=0), nn.EmbeddingBag(200, 50, mode="sum", padding_idx=0)):
        for bound in (0.1, 0.05):
            weight = drawn(table, bound).weight
            assert 0.98 * bound < weight.max() <= bound
            assert -bound <= weight.min() < -0.98 * bound
            assert not weight[0].any()
    assert drawn(nn.Embedding(3, 4)).weight[0].all()


def test_tags_characters_spelling_positions_and_edges_start_small():
    torch.manual_seed(0)
    given = vocabularies()
    for kind in ("lstm", "cnn"):
        nodes = NodeAttributes(Attributes(30, kind, spelling_dim=30, position_dim=30), given)
        tables = [module for module in nodes.modules() if isinstance(module, nn.Embedding | nn.EmbeddingBag)]
        assert len(tables) == 5  # tag, characters, capitals, shape, affixes
        for weight in (nodes.position.weight, *(table.weight for table in tables)):
            assert 0.08 < weight.abs().max() <= 0.1
    edges = EdgeAttributes(["relation", "distance", "pmi", "lexical"], 30, given, LEXICAL)
    assert all(0.08 < table.weight.abs().max() <= 0.1 for table in edges.embeddings.values())
    tags = InformationFusion(3, 4, 5, tags=50, tag_dim=20, fusion="concat").tag_embedding
    assert 0.049 < tags.weight.abs().max() <= 0.05


def test_a_sparse_gradient_is_of_the_words_met_alone():
    embedding = WordEmbedding(5, 4, sparse=True)
    embedding(WORDS).sum().backward()
    gradient = embedding.weight.grad
    assert gradient.is_sparse
    assert_close(gradient.to_dense()[:, 0], torch.tensor([0.0, 1.0, 0.0, 2.0, 0.0]))


def test_the_gradient_is_dense_unless_asked():
    embedding = WordEmbedding(5, 4)
    embedding(WORDS).sum().backward()
    assert not embedding.weight.grad.is_sparse
    assert_close(embedding.weight.grad[:, 0], torch.tensor([0.0, 1.0, 0.0, 2.0, 0.0]))


def test_fixed_vectors_get_none_but_are_saved():
    embedding = WordEmbedding(5, 4, tune=False)
    assert not embedding(WORDS).requires_grad
    assert set(embedding.state_dict()) == {"weight"}
    assert "tune=False" in repr(embedding)


def test_vectors_on_the_nodes_of_another_size_are_refused():
    with pytest.raises(InputError, match=r"^the vectors of the nodes have 3 dimensions; 4 are wanted$"):
        GivenVectors(5, 4).of({"vector": torch.randn(2, 3)})


def test_vectors_that_are_set_on_the_nodes_pass_their_gradient_on():
    """As docs/own-loop.md says of a model that makes them and is trained too."""
    states = torch.randn(3, 4, requires_grad=True)
    GivenVectors(5, 4).of({"vector": 2 * states}).sum().backward()
    assert_close(states.grad, torch.full((3, 4), 2.0))


def test_an_encoder_reads_the_vectors_of_its_table_from_the_nodes_alike():
    """As docs/own-loop.md does for the gradient of what a trained encoder says."""
    (sentence,) = parse_brackets("(S (NP (DT the) (NN film)) (JJ dull))")
    known = Vocabularies.of([sentence])
    batch = Batch.of([constituency(sentence, known)])
    encoder = BinaryTreeLSTM(WordEmbedding(len(known.word), 4), hidden=3)
    states = encoder.encode(batch)
    x = encoder.embedding.of(batch.nodes).detach().requires_grad_()
    batch.nodes["vector"], encoder.embedding = x, GivenVectors(len(known.word), 4)
    again = encoder.encode(batch)
    assert_close(again, states)
    again[0].sum().backward()
    assert x.grad.any(1).tolist() == (batch.nodes["word"] > 0).tolist()


def test_dropout_in_training_alone():
    torch.manual_seed(0)
    embedding = WordEmbedding(5, 400, vectors=torch.ones(5, 400), dropout=0.25)
    dropped = embedding(torch.tensor([1, 2]))
    assert set(dropped.unique().tolist()) == {0.0, torch.tensor(1 / 0.75).item()}
    assert 0.2 < (dropped == 0).float().mean() < 0.3
    assert_close(embedding.eval()(torch.tensor([1, 2])), torch.ones(2, 400))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        *(({"size": size}, f"size is {size!r}; give a whole number from 1") for size in (0, -1, "5", 5.0)),
        *(({"dim": dim}, f"dim is {dim!r}; give a whole number from 0") for dim in (-1, "4", 4.0)),
        *(({"dropout": share}, f"dropout is {share!r}; give a number from 0 to 1") for share in (-0.1, 1.5, "0.5")),
    ],
)
def test_numbers_that_are_none(wrong, said):
    with pytest.raises(InputError, match=f"^{said}$"):
        WordEmbedding(**{"size": 5, "dim": 4, **wrong})


def test_relations_that_no_sentence_has_are_refused():
    """A model trained with each of them unknown, and predicted from those of parses."""
    with pytest.raises(InputError, match="reads dependency relations, and the vocabularies have none; give parsed"):
        EdgeAttributes(["relation"], 3, Vocabularies.of([Tagged(["a"])]))
