"""What two words are to each other, as part of a score of the one for the other.

Liu, Chang, Huang, Tang, Cheung 2019, "Contextualized Non-local Neural Networks for Sequence Learning": e of eq. 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.nn.embeddings import drawn
from dglsent.passing import EdgesSeen
from graphs.cooccurrence import BUCKETS
from graphs.errors import InputError, check_whole
from graphs.features import SPECIAL, Vocabularies
from graphs.fields import DISTANCE, LEXICAL, PMI, POSITION, RELATION

EdgeAttribute: TypeAlias = Literal["relation", "distance", "pmi", "lexical"]

_OF_GRAPHS = {
    RELATION: "complete graphs of dependency parses, which graph: complete makes of CoNLL-U",
    PMI: "complete graphs of a recipe with embedding.cooccurrence: true",
    LEXICAL: "complete graphs with a lexical relation: graphs.complete with lexical=",
}
_FARTHEST = 10  # tokens; greater distances count as this


class EdgeAttributes(nn.Module):
    """Embeddings of ids that edges between words have.

    Of every two words of a sentence only the ids are kept: a score multiplies the tables of embeddings (`project`),
    which are small, and edges look the products up (`look_up`).

    Args:
        names: "relation", in the dependency tree; "distance" in tokens, to either side, by the nodes' positions, of
            which more than 10 count as 10; "pmi", the bucket of the words' mutual information; "lexical" relation.
        dim: dimensions of an embedding.
        vocabularies: of dependency relations; may be None without "relation".
        lexical: number of ids of lexical relations, the length of their vocabulary.

    Attributes:
        size: dimensions of all of them together.

    Raises:
        ValueError: an attribute is unknown or named twice, or its number of ids is not given.
        InputError: the vocabularies have no relations, or `dim` or `lexical` is no whole number from 0.
    """

    def __init__(
        self, names: Sequence[EdgeAttribute], dim: int, vocabularies: Vocabularies | None = None, lexical: int = 0
    ) -> None:
        super().__init__()
        check_whole(0, edge_dim=dim, lexical=lexical)
        counts = {RELATION: 0, DISTANCE: 2 * _FARTHEST + 1, PMI: BUCKETS, LEXICAL: lexical}
        if vocabularies is not None:
            counts[RELATION] = 2 * len(vocabularies.relation) + 2
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"edge attribute {name!r} stands there twice; name each once")
            if name not in counts:
                raise ValueError(f"edge attribute {name!r}; there are {', '.join(counts)}")
            if counts[name] < 1:
                given = "vocabularies=, those of the graphs"
                what = given if name == RELATION else "lexical=, the length of the vocabulary of lexical relations"
                raise ValueError(f"edge attribute {name!r} needs {what}")
        if RELATION in names and vocabularies is not None and len(vocabularies.relation) <= len(SPECIAL):
            raise InputError(
                "the encoder reads dependency relations, and the vocabularies have none; give parsed sentences, or "
                "leave out 'relation'"
            )
        self.embeddings = nn.ModuleDict({name: drawn(nn.Embedding(counts[name], dim)) for name in names})
        self.dim, self.size = dim, dim * len(names)

    def project(self, linear: nn.Linear) -> dict[str, Tensor]:
        """The embeddings of each attribute through its columns of a map of `size` dimensions: [ids, out] by name."""
        columns = linear.weight.split(self.dim, 1) if self.size else ()
        return {
            name: table.weight @ weight.t()
            for (name, table), weight in zip(self.embeddings.items(), columns, strict=True)
        }

    @staticmethod
    def look_up(edges: EdgesSeen, tables: dict[str, Tensor]) -> Tensor:
        """What the attributes of m edges say together, [m, out], from what `project` made of at least one.

        Raises:
            InputError: the graphs do not have one of them.
        """
        return reduce(torch.add, (F.embedding(_ids(edges, name), table) for name, table in tables.items()))


def _ids(edges: EdgesSeen, name: str) -> Tensor:
    if name != DISTANCE:
        try:
            ids: Tensor = edges.data[name]
        except KeyError:
            raise InputError(f"edge attribute {name!r} is not in these graphs; give {_OF_GRAPHS[name]}") from None
        return ids
    distance: Tensor = edges.dst[POSITION] - edges.src[POSITION]
    return distance.clamp(-_FARTHEST, _FARTHEST) + _FARTHEST
