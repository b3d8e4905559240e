"""What every encoder offers to tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, Direction, Use
from graphs.errors import InputError, check_kind, check_size, check_whole
from graphs.fields import ATTEND


class Encoder(nn.Module):
    """A model of one sentence: word ids and edges in, a state for every node out.

    It is called by `encode` and `readout`, and has no `forward`:

        batch = Batch.of(graphs, directions=encoder.directions, relations=encoder.relations)
        vectors = encoder.readout(batch, encoder.encode(batch))  # [sentences, size]

    Attributes:
        embedding: word vectors, d dimensions.
        size: dimensions of a state.
        directions: those of its propagations over child, so that loaders make their schedules beforehand.
        relations: relations beside child that it uses, for the same reason: "neighbour", or ("next", "up") where it
            propagates along one (`Batch.of`). One that uses `attend` encodes pairs.
        shows: fields that it sets for analysis: "z_u" of nodes, "child.attention" of the edges of a relation.

    Raises:
        InputError: `embedding` is none, or `size`, or that of the word vectors, is no whole number from 1.
    """

    directions: tuple[Direction, ...] = ("up",)
    relations: tuple[Use, ...] = ()
    shows: tuple[str, ...] = ()

    def __init__(self, embedding: WordEmbedding, size: int) -> None:
        super().__init__()
        check_kind(embedding, WordEmbedding, "dglsent.nn.embeddings.WordEmbedding(size, dim) makes one")
        # Here, for all encoders: of a size of 0 some made empty layers, and others divided by it.
        sizes = {"the word vectors": embedding.dim, "a state": size}
        check_whole(**{f"{type(self).__name__}: size of {of}": given for of, given in sizes.items()})
        self.embedding, self.size = embedding, size

    def encode(self, batch: Batch) -> Tensor:
        """States [N, size] of all nodes.

        Raises:
            ValueError: the encoder does not run over graphs of this kind.
        """
        raise NotImplementedError

    def require_words(self, batch: Batch) -> None:
        """Refuses sentences with other nodes than words, for an encoder that takes every node for a word.

        Raises:
            ValueError: there are phrases or padding nodes.
        """
        if not batch.words_alone:
            why = "takes every node for a word, and phrases and padding nodes are none"
            raise ValueError(f"{type(self).__name__} {why}; give it graphs of words: chain, dependency or complete")

    def require_binary(self, batch: Batch) -> None:
        """Refuses chains and trees that are not binary, for an encoder that composes two children.

        Raises:
            ValueError: a node has one child, or more than two.
        """
        if not batch.binary:
            why = "composes two children, and here a node has one or more than two"
            remedy = "give it binary trees: graph constituency, made by graphs.constituency(..., binary=True)"
            raise ValueError(f"{type(self).__name__} {why}; {remedy}")

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, size]: the states of the roots."""
        return batch.at_roots(states)

    @property
    def memory_size(self) -> int:
        """Dimensions of what another sentence attends to at a node."""
        return self.size

    def memory(self, states: Tensor) -> Tensor:
        """What another sentence attends to at each node, [N, memory_size], made of the states [N, size]."""
        return states


class PairEncoder(Encoder):
    """An encoder of pairs on top of one of single sentences, whose word vectors it shares.

    Args:
        structure: the encoder of one sentence.
        size: dimensions of a state.
    """

    def __init__(self, structure: Encoder, size: int) -> None:
        nn.Module.__init__(self)
        self.structure: Any = structure
        self.size, self.directions = size, structure.directions
        self.relations = (*structure.relations, ATTEND)

    # Word vectors are the structure's alone: else torch would register and save them twice.
    def __getattr__(self, name: str) -> Any:
        return self.structure.embedding if name == "embedding" else super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "embedding":
            self.structure.embedding = value
        else:
            super().__setattr__(name, value)

    def memories(self, states: Tensor) -> Tensor:
        """The memories [N, memory_size] of the structure's states.

        Raises:
            InputError: they are of another size than it says.
        """
        memory: Tensor = self.structure.memory(states)
        what = f"the memories of {type(self.structure).__name__}"
        check_size(what, memory.shape[-1], self.structure.memory_size, "its size is that of the states that it returns")
        return memory


def made(structure: Callable[[WordEmbedding], Encoder], embedding: WordEmbedding) -> Encoder:
    """The encoder of one sentence, over word vectors.

    Raises:
        InputError: `structure` makes none, as one that is made already.
    """
    if isinstance(structure, nn.Module) or not callable(structure):
        given = f"a value of type {type(structure).__name__}"
        raise InputError(f"structure is {given}; give what makes an encoder, as SeqLSTM or partial(SeqLSTM, hidden=50)")
    encoder = structure(embedding)
    check_kind(encoder, Encoder, "structure makes an encoder, as SeqLSTM or partial(SeqLSTM, hidden=50)")
    return encoder
