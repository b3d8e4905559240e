"""Vectors of tokens that are made elsewhere, such as the states of a frozen language model, as a node field."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphs import fields
from graphs.columns import Sentence, as_array, whole_numbers
from graphs.errors import InputError, SentenceError, check_kind
from graphs.sentence_graph import SentenceGraph

FloatArray: TypeAlias = npt.NDArray[np.float32]
VectorSource: TypeAlias = str | os.PathLike[str] | Mapping[str, npt.ArrayLike]

_SHOWN = 60  # characters of a sentence that an error says


def with_vectors(graph: SentenceGraph, vectors: npt.ArrayLike) -> SentenceGraph:
    """A graph of any kind with a vector at each token: the node field `vector` [N, d], zero at nodes without a token.

    Args:
        graph: a graph of T tokens, whose field `position` says which node is which.
        vectors: [T, d], in the order of the tokens.

    Raises:
        InputError: it is something else than a SentenceGraph.
        SentenceError: there is not one vector a token, a number is not finite, or positions do not number the tokens,
            or are not there.
    """
    check_kind(graph, SentenceGraph, "graphs.chain and the other builders make one of a sentence")
    try:
        rows = _single(vectors)
    except (TypeError, ValueError):
        raise SentenceError("vectors of several lengths, or none; give an array [tokens, d]", graph.origin) from None
    if fields.POSITION not in graph.nodes:
        raise SentenceError(
            "the nodes have no field position; give them the places of words from 0, -1 where a node has none",
            graph.origin,
        )
    position = graph.nodes[fields.POSITION]
    tokens = position >= 0
    count = int(tokens.sum())
    if rows.ndim != 2 or len(rows) != count:
        raise SentenceError(
            f"an array {list(rows.shape)} was given for {count} tokens; give [tokens, d], one vector a token",
            graph.origin,
        )
    if not np.array_equal(np.sort(position[tokens]), np.arange(count)):
        raise SentenceError(
            f"the field position of its nodes does not number the {count} tokens 0, 1, ...; give each its place",
            graph.origin,
        )
    if not np.isfinite(rows).all():
        raise SentenceError("a vector has numbers that are not finite; make it again", graph.origin)
    column = np.zeros((graph.size, rows.shape[1]), dtype=np.float32)
    column[tokens] = rows[position[tokens]]
    return replace(graph, nodes={**graph.nodes, fields.VECTOR: column})


def mean_of_pieces(states: npt.ArrayLike, words: Sequence[int | None]) -> FloatArray:
    """The vectors [T, d] of words as means over their word pieces.

    Args:
        states: [P, d] a vector a piece.
        words: [P] the word of each piece, from 0, None for a piece of no word, such as a mark at an end; the fast
            tokenisers of `transformers` say so in `word_ids()`.

    Raises:
        InputError: `states` are not [P, d], a word is neither a whole number nor None, or a word has no piece, as where
            a sentence was cut off.
    """
    try:
        rows = _single(states)
    except (TypeError, ValueError):
        raise InputError("states of several lengths; give an array [pieces, d]") from None
    if rows.ndim != 2 or len(rows) != len(words):
        raise InputError(f"states {list(rows.shape)} were given for {len(words)} pieces; give [pieces, d]")
    of_words = np.array([word is not None for word in words], dtype=bool)
    numbers = whole_numbers([-1 if word is None else word for word in words], "word", None, of="piece")
    word = numbers[of_words]
    if len(word) and word.min() < 0:
        raise InputError(f"a piece is of word {word.min()}; words are counted from 0, and None stands for none")
    pieces = np.bincount(word)
    if not len(pieces) or not pieces.all():
        which = int(np.argmin(pieces)) + 1 if len(pieces) else 1
        raise InputError(f"word {which} has no piece; was the sentence cut off, or one of its words empty?")
    means: FloatArray = np.zeros((len(pieces), rows.shape[1]), dtype=np.float32)
    np.add.at(means, word, rows[of_words])
    means /= pieces[:, None]
    return means


def _single(values: npt.ArrayLike) -> FloatArray:
    """An array, or a tensor of any type on any device, in float32."""
    return np.asarray(as_array(values), dtype=np.float32)


def key(words: Sequence[str]) -> str:
    """The name under which the vectors of a sentence stand: its tokens with a space between each two."""
    return " ".join(words)


class TokenVectors:
    """The vectors of the tokens of many sentences, by `key`; read from the file when they are asked for.

    Args:
        source: a safetensors file, or a mapping, with an array [tokens, d] for each sentence.

    Attributes:
        dim: d.
        name: of the source, for errors.

    Raises:
        InputError: it is neither, cannot be read, holds nothing, or its first array is not [tokens, d].
    """

    def __init__(self, source: VectorSource) -> None:
        check_kind(source, (str, os.PathLike, Mapping), "name a safetensors file, or give a mapping")
        self._source = source
        self.name = "the mapping" if isinstance(source, Mapping) else str(source)
        self._arrays: Any = source if isinstance(source, Mapping) else _opened(Path(source))
        self._keys = frozenset(self._arrays.keys())
        first = next(iter(self._arrays.keys()), None)
        if first is None:
            raise InputError(f"{self.name}: holds no vectors; give an array [tokens, d] a sentence")
        shape = self._shape(first)
        if len(shape) != 2:
            raise InputError(f"{self.name}: {_short(first)} has an array {shape}; give [tokens, d] a sentence")
        self.dim = shape[1]

    def __reduce__(self) -> tuple[type[TokenVectors], tuple[VectorSource]]:
        """Processes open the file themselves."""
        return TokenVectors, (self._source,)

    def check(self, sentence: Sentence) -> str:
        """The key of a sentence, if there is one vector for each of its tokens, of finite numbers.

        Raises:
            SentenceError: there is not; file, sentence and what to do are said.
        """
        name = key(sentence.words)
        if name not in self._keys:
            raise SentenceError(
                f"{self.name}: no vectors of the tokens {_short(name)}; add an array of that name, the tokens of the "
                "sentence with a space between each two",
                sentence.origin,
            )
        shape = self._shape(name)
        if shape != [len(sentence.words), self.dim]:
            raise SentenceError(
                f"{self.name}: {_short(name)} has an array {shape}, and {[len(sentence.words), self.dim]} is wanted, "
                "one vector a token; graphs.mean_of_pieces makes them of those of word pieces",
                sentence.origin,
            )
        if not np.isfinite(self[name]).all():  # those of the test split would be met only after training
            raise SentenceError(
                f"{self.name}: {_short(name)} has numbers that are not finite; make its vectors again", sentence.origin
            )
        return name

    def __getitem__(self, name: str) -> FloatArray:
        """The vectors [tokens, d] of a sentence by its key, which `check` gives."""
        if isinstance(self._source, Mapping):
            return _single(self._source[name])
        # Through torch, because NumPy has no bfloat16.
        found: FloatArray = self._arrays.get_tensor(name).float().numpy()
        return found

    def _shape(self, name: str) -> list[int]:
        if isinstance(self._source, Mapping):
            try:
                return list(np.shape(self._source[name]))
            except ValueError:
                raise InputError(
                    f"{self.name}: {_short(name)} has vectors of several lengths; give an array [tokens, d]"
                ) from None
        return list(self._arrays.get_slice(name).get_shape())


def _opened(path: Path) -> Any:
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise InputError(f"{path}: no file of vectors there; name another")
    try:
        return safe_open(path, framework="pt")
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(
            f"{path}: not a safetensors file ({error}); write it with safetensors.numpy.save_file"
        ) from None


def _short(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}...")
