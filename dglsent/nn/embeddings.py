"""Word embeddings, pretrained or random, fixed or tuned; and how other tables of vectors start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from graphs.errors import InputError, check_kind, check_share, check_size, check_whole
from graphs.fields import VECTOR, WORD

Table = TypeVar("Table", nn.Embedding, nn.EmbeddingBag)

_BOUND: Final = 0.1


class WordEmbedding(nn.Module):
    """Vectors of word ids: [...] -> [..., dim].

    Id 0 is padding and always the zero vector.

    Args:
        size: number of words V, padding and unknown included.
        dim: dimensions of a vector.
        vectors: [V, dim] initial vectors, of any type of numbers; without them U(-0.05, 0.05).
        tune: whether training changes the vectors.
        dropout: share of dimensions dropped in training.
        sparse: whether tuned vectors get a sparse gradient, so that a step touches only the words of its batch;
            not every optimiser takes one, and neither `clip_grad_norm_` nor `DistributedDataParallel` of torch.

    Raises:
        ValueError: `vectors` have another shape.
        InputError: they are no tensor, a size is no whole number, `size` is 0, or `dropout` is no share.
    """

    def __init__(
        self,
        size: int,
        dim: int,
        *,
        vectors: Tensor | None = None,
        tune: bool = True,
        dropout: float = 0.0,
        sparse: bool = False,
    ) -> None:
        super().__init__()
        check_whole(size=size)
        check_whole(0, dim=dim)
        check_share(dropout=dropout)
        if vectors is not None:
            check_kind(vectors, Tensor, "torch.from_numpy makes one of an array")
        if vectors is not None and vectors.shape != (size, dim):
            raise ValueError(f"vectors {list(vectors.shape)} are given, and [{size}, {dim}] are wanted")
        self.dim, self.sparse = dim, sparse
        start = torch.empty(size, dim).uniform_(-0.05, 0.05) if vectors is None else vectors
        weight = start.to(torch.get_default_dtype(), copy=vectors is not None)  # NumPy's own are float64
        weight[0] = 0
        self.weight = nn.Parameter(weight, requires_grad=tune)
        self.dropout = dropout

    def forward(self, word: Tensor) -> Tensor:
        """Look up word ids of any shape [...]: [..., dim].

        Raises:
            InputError: there is an id below 0 or from V on; on a GPU, which does not wait to say so, it is torch's own
                error.
        """
        try:
            vectors = F.embedding(word, self.weight, padding_idx=0, sparse=self.sparse and self.weight.requires_grad)
        except IndexError:
            raise InputError(
                f"there are ids of words from {int(word.min())} to {int(word.max())}, and vectors of "
                f"{len(self.weight)} words; make the embedding with len(vocabularies.word) of the vocabularies of the "
                "graphs"
            ) from None
        return F.dropout(vectors, self.dropout, self.training) if self.dropout else vectors

    def of(self, nodes: Mapping[str, Tensor]) -> Tensor:
        """The vectors [n, dim] of n nodes, from their fields."""
        vectors: Tensor = self(nodes[WORD])
        return vectors

    def extra_repr(self) -> str:
        """Sizes and switches, for printing."""
        size, dim = self.weight.shape
        return f"{size}, {dim}, tune={self.weight.requires_grad}, dropout={self.dropout}"


class GivenVectors(WordEmbedding):
    """Vectors that stand on the nodes themselves, in the field `vector`, and that no training changes.

    Args:
        size: number of words V; the table [V, 0] has nothing of them.
        dim: dimensions of a vector.
        dropout: share of dimensions dropped in training.
    """

    def __init__(self, size: int, dim: int, *, dropout: float = 0.0) -> None:
        super().__init__(size, 0, tune=False, dropout=dropout)
        self.dim = dim

    def of(self, nodes: Mapping[str, Tensor]) -> Tensor:
        """The vectors [n, dim] of n nodes.

        Raises:
            InputError: they have none, or of another size.
        """
        try:
            vectors = nodes[VECTOR].to(self.weight.dtype)
        except KeyError:
            raise InputError("the nodes have no field `vector`; graphs.with_vectors makes it") from None
        check_size("the vectors of the nodes", vectors.shape[-1], self.dim)
        return F.dropout(vectors, self.dropout, self.training) if self.dropout else vectors

    def forward(self, word: Tensor) -> Tensor:
        """A word alone has no vector here.

        Raises:
            InputError: always; `of` reads the nodes.
        """
        raise InputError("words have no vectors of their own here; an encoder reads embedding.of(nodes.data)")

    def extra_repr(self) -> str:
        """Sizes and switches, for printing."""
        return f"{self.dim}, given, dropout={self.dropout}"


def drawn(table: Table, bound: float = _BOUND) -> Table:
    """The table of the vectors of some ids, such as tags or characters, with new weights from U(-bound, bound).

    Torch's own N(0, 1) would drown the word vectors beside which they stand. Padding, if the table has any, stays zero.
    "Contextualized Non-local Neural Networks" draws all it learns from one such range, which the text at hand
    lacks; 0.1 is that of Liu, Qiu, Huang 2016, "Recurrent Neural Network for Text Classification with Multi-Task
    Learning".
    """
    with torch.no_grad():
        table.weight.uniform_(-bound, bound)
        if table.padding_idx is not None:
            table.weight[table.padding_idx] = 0
    return table
