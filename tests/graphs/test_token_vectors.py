from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

import graphs
from graphs import TokenVectors, Vocabularies, mean_of_pieces, with_vectors
from graphs.columns import Dependencies
from graphs.errors import InputError, Origin, SentenceError

(TREE,) = graphs.parse_brackets("(S (NP (DT the) (NN film)) (VP (VBD worked)))")
SENTENCE = Dependencies(["a", "b", "c"], np.array([1, -1, 1]), ["x"] * 3, origin=Origin("f.conllu", 3, "s1"))
VOCABULARIES = Vocabularies.of([TREE, SENTENCE])
X = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.mark.parametrize(
    ("graph", "rows"),
    [
        (graphs.dependency(SENTENCE, VOCABULARIES), [0, 1, 2]),
        (graphs.chain(SENTENCE, VOCABULARIES), [0, 1, 2]),
        (graphs.complete(SENTENCE, VOCABULARIES), [0, 1, 2]),
        (graphs.window(SENTENCE, VOCABULARIES, 1), [0, 1, 2, None]),
        (graphs.constituency(TREE, VOCABULARIES), [None, None, 0, 1, None, 2]),
    ],
)
def test_every_kind_of_graph_has_them_at_its_tokens(graph, rows):
    made = with_vectors(graph, X)
    wanted = np.array([[0, 0] if row is None else X[row] for row in rows])
    assert (made.nodes["vector"] == wanted).all()
    assert "vector" not in graph.nodes
    both = graphs.batch([made, made])
    assert both.ndata["vector"].tolist() == [*wanted.tolist(), *wanted.tolist()]


def test_positions_say_which_node_is_which():
    chain = graphs.chain(SENTENCE, VOCABULARIES)
    turned = replace(chain, nodes={**chain.nodes, "position": np.array([2, 0, 1])})
    assert with_vectors(turned, X).nodes["vector"].tolist() == X[[2, 0, 1]].tolist()
    for position in ([1, 2, 3], [0, 0, 1]):
        strange = replace(chain, nodes={**chain.nodes, "position": np.array(position)})
        with pytest.raises(SentenceError, match=r"f\.conllu:3, .* position of its nodes does not number the 3 tokens"):
            with_vectors(strange, X)


def test_nodes_without_positions():
    chain = graphs.chain(SENTENCE, VOCABULARIES)
    with pytest.raises(SentenceError, match=r"^f\.conllu:3, sentence s1: the nodes have no field position; give them"):
        with_vectors(replace(chain, nodes={"word": chain.nodes["word"]}), X)


@pytest.mark.parametrize(
    ("given", "said"),
    [(X[:2], "[2, 2]"), (X[0], "[2]"), (X * np.nan, "not finite"), (X + np.inf, "not finite")],
)
def test_one_finite_vector_a_token(given, said):
    with pytest.raises(SentenceError, match=r"f\.conllu:3, sentence s1: ") as refused:
        with_vectors(graphs.chain(SENTENCE, VOCABULARIES), given)
    assert said in str(refused.value)


def test_pieces_are_averaged():
    states = np.array([[9, 9], [1, 2], [3, 4], [5, 6], [9, 9]])
    assert mean_of_pieces(states, [None, 0, 0, 1, None]).tolist() == [[2, 3], [5, 6]]
    with pytest.raises(InputError, match="word 2 has no piece"):
        mean_of_pieces(states, [None, 0, 0, 2, None])
    with pytest.raises(InputError, match="word 1 has no piece"):
        mean_of_pieces(states[:1], [None])
    with pytest.raises(InputError, match="of word -1; words are counted from 0"):
        mean_of_pieces(states[:2], [-1, 0])
    with pytest.raises(InputError, match="5, 2"):
        mean_of_pieces(states, [0])


def test_words_of_pieces_are_whole_numbers():
    states = np.array([[1, 2], [3, 4], [5, 6]])
    assert mean_of_pieces(states, [0.0, None, np.float32(1)]).tolist() == [[1, 2], [5, 6]]
    assert mean_of_pieces(states, torch.tensor([0, 0, 1])).tolist() == [[2, 3], [5, 6]]
    for words, said in (([0, None, 0.5], r"word 0\.5 of piece 3"), ([0, float("nan"), 1], "word nan of piece 2")):
        with pytest.raises(InputError, match=f"{said} is no whole number"):
            mean_of_pieces(states, words)
    with pytest.raises(InputError, match=r"word: shape \[3, 1\]; give one number a piece"):
        mean_of_pieces(states, [[0], [0], [1]])


def test_vectors_of_sentences_by_their_tokens(tmp_path):
    save_file({"a b c": X, "a b": X, "a": np.zeros((1, 3), np.float32)}, tmp_path / "v.safetensors")
    for vectors in (TokenVectors(tmp_path / "v.safetensors"), TokenVectors({"a b c": X, "a b": X, "a": [[0, 0, 0]]})):
        if vectors.dim == 2:
            assert (vectors[vectors.check(SENTENCE)] == X).all()
        short = Dependencies(["a", "b"], np.array([-1, 0]), ["x"] * 2, origin=Origin("f.conllu", 9))
        with pytest.raises(SentenceError, match=r"f.conllu:9: .*array \[3, 2\]"):
            vectors.check(short)
        if vectors.dim == 2:
            with pytest.raises(SentenceError, match=r"'a' has an array \[1, 3\], and \[1, 2\] is wanted"):
                vectors.check(Dependencies(["a"], np.array([-1]), ["x"]))
        with pytest.raises(SentenceError, match="no vectors of the tokens 'c'"):
            vectors.check(Dependencies(["c"], np.array([-1]), ["x"]))


@pytest.mark.parametrize("number", [np.nan, -np.inf])
def test_numbers_are_finite(number, tmp_path):
    wrong = X.astype(np.float64)
    wrong[2, 1] = number
    save_file({"a b c": wrong}, tmp_path / "v.safetensors")
    for source in (tmp_path / "v.safetensors", {"a b c": torch.tensor(wrong)}):
        with pytest.raises(SentenceError, match=r"^f\.conllu:3, sentence s1: .*: 'a b c' has numbers that are not fin"):
            TokenVectors(source).check(SENTENCE)


@pytest.mark.parametrize(
    ("content", "said"), [(None, "no file"), (b"", "not a safetensors file"), ({}, "no vectors"), (3, "array")]
)
def test_a_file_of_something_else(tmp_path, content, said):
    path = tmp_path / "v.safetensors"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        save_file({"a": np.zeros(content)} if content else {}, path)
    with pytest.raises(InputError, match=said):
        TokenVectors(path)


def test_vectors_that_are_no_array():
    graph = graphs.chain(SENTENCE, Vocabularies.of([SENTENCE]))
    with pytest.raises(SentenceError, match=r"vectors of several lengths, or none; give an array \[tokens, d\]"):
        with_vectors(graph, [[1], [2, 3], [4]])
    with pytest.raises(InputError, match=r"the mapping: 'a b c' has vectors of several lengths; give an array"):
        TokenVectors({"a b c": [[1], [2, 3], [4]]})


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_tensors_of_any_type_are_vectors(dtype):
    """Such as the states of a language model, which may have a gradient."""
    states = torch.tensor([[1.0, 2], [3, 4]], dtype=dtype, requires_grad=True)
    assert mean_of_pieces(states, [0, 0]).tolist() == [[2, 3]]
    sentence = Dependencies(["a", "b"], np.array([1, -1]), ["x", "root"])
    graph = graphs.dependency(sentence, Vocabularies.of([sentence]))
    assert with_vectors(graph, states).nodes["vector"].tolist() == [[1, 2], [3, 4]]
    vectors = TokenVectors({"a b": states})
    assert vectors[vectors.check(sentence)].tolist() == [[1, 2], [3, 4]]


def test_pieces_of_several_lengths():
    with pytest.raises(InputError, match=r"states of several lengths; give an array \[pieces, d\]"):
        mean_of_pieces([[1, 2], [1]], [0, 1])
