"""TE-LSTM over binary constituency trees.

Huang, Qian, Zhu 2017, "Encoding Syntactic Knowledge in Neural Networks for Sentiment Classification": tag
embeddings in the gates of a Tree-LSTM. Equation numbers are those of the tag-guided hyper TreeLSTM paper, which
compares with it; that tags enter as terms added to every gate is our reading.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.models.tree_lstm import BinaryTreeLSTM
from dglsent.nn.cells import lstm_cell, without_forget_gates
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.tags import child_tag_terms, require_known_tags, require_tags, tag_ids
from dglsent.passing import Batch, NodesSeen, Outputs


class TELSTM(BinaryTreeLSTM):
    """Binary Tree-LSTM (eq. 10-12) with V_p e + V [e_l; e_r] added to every gate, e the embeddings of the tags.

    As there, the leaves have a bias of their own.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
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
        self.tag = nn.Parameter(torch.empty(len(tags), tag_dim).uniform_(-0.05, 0.05))
        self.V = nn.Linear(2 * tag_dim, 5 * hidden, bias=False)
        self.V_p = nn.Linear(tag_dim, 5 * hidden, bias=False)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields h and c."""
        self.require_binary(batch)
        require_known_tags(batch.nodes, len(self.tag))
        of_node = F.embedding(tag_ids(batch.nodes), self.V_p(self.tag))
        batch.nodes["tag_terms"] = of_node + child_tag_terms(batch, self.tag, self.V.weight)
        return super().encode(batch)

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 10-12 without children, and so without forget gates."""
        h, c = lstm_cell(self.W(self.embedding.of(nodes.data)) + without_forget_gates(nodes.data["tag_terms"]))
        return {"h": h, "c": c}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """U [h_l; h_r] + V [e_l; e_r] + V_p e + b, and the memories of the children."""
        reduced = super().reduce(nodes)
        return {"pre": reduced["pre"] + nodes.data["tag_terms"], "c_children": reduced["c_children"]}
