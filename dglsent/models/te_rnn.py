"""TE-RNN over binary constituency trees.

Qian et al. 2015, "Learning Tag Embeddings and Tag-specific Composition Functions in Recursive Neural Network".
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.models.recnn import RecNN
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.tags import child_tag_terms, require_known_tags, require_tags, tag_ids
from dglsent.passing import Batch, NodesSeen, Outputs


class TERNN(RecNN):
    """Tag-embedded recursive network: h = tanh(U [h_l; h_r] + V [e_l; e_r] + b), e the embeddings of the tags.

    A word as in RecNN. The state of a node is [h; e], so that a task sees its tag as well.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size of h.
        tag_dim: dimensions t of a tag embedding.
        tags: the string of each of T tag ids.

    Raises:
        ValueError: there are no tags.
        InputError: `tag_dim` is no whole number from 0.
    """

    def __init__(
        self, embedding: WordEmbedding, hidden: int = 150, tag_dim: int = 50, tags: Sequence[str] = ()
    ) -> None:
        require_tags(tags, tag_dim)
        super().__init__(embedding, hidden)
        self.size = hidden + tag_dim
        self.tag = nn.Parameter(torch.empty(len(tags), tag_dim).uniform_(-0.05, 0.05))
        self.V = nn.Linear(2 * tag_dim, hidden, bias=False)

    def encode(self, batch: Batch) -> Tensor:
        """States [h; e] [N, hidden + tag_dim] of all nodes; sets the fields h and e."""
        self.require_binary(batch)
        require_known_tags(batch.nodes, len(self.tag))
        batch.nodes["e"] = F.embedding(tag_ids(batch.nodes), self.tag)
        batch.nodes["tag_terms"] = child_tag_terms(batch, self.tag, self.V.weight)
        return torch.cat([super().encode(batch), batch.nodes["e"]], 1)

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """U [h_l; h_r] + V [e_l; e_r] + b."""
        return {"pre": super().reduce(nodes)["pre"] + nodes.data["tag_terms"]}
