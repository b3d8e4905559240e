"""What guides a hyper network: the tags, the head words and the states of a node and its two children.

Equation numbers are those of Shen, Deng, Huang, Chen, "Learning to Compose over Tree Structures via POS Tags".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.nn.embeddings import WordEmbedding, drawn
from dglsent.nn.tags import require_known_tags, tag_ids
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate, update_all
from graphs.door import fn
from graphs.errors import check_choice, check_whole

Fusion: TypeAlias = Literal["concat", "multi"]


class InformationFusion(nn.Module):
    """Head words of phrases (eq. 17-18), and the hyper network's input made of tags, head word and states (eq. 19-21).

    A leaf's head word is its own; it has no children, so their tags and states are zero.

    Args:
        words: size d of a word vector.
        hidden: size h of a state of the main network.
        size: size of the hyper network's input.
        tags: number of tags T, padding (id 0) and unknown included.
        tag_dim: size t of a tag's embedding.
        fusion: "concat" adds what tags and states say (eq. 19), "multi" multiplies it (eq. 21).

    Raises:
        InputError: `fusion` is neither, or a size is no whole number from 1.
    """

    def __init__(self, words: int, hidden: int, size: int, tags: int, tag_dim: int, fusion: Fusion) -> None:
        super().__init__()
        check_choice("fusion", fusion, get_args(Fusion))
        check_whole(fusion_size=size, tag_dim=tag_dim)
        self.fusion = fusion
        self.tag_embedding = drawn(nn.Embedding(tags, tag_dim), 0.05)
        self.head_tags = nn.Linear(3 * tag_dim, words)
        self.head_words = StepLinear(2 * words, words, bias=False)
        self.tags = nn.Linear(3 * tag_dim, size)  # its bias is that of eq. 19 or 21
        self.word = nn.Linear(words, size, bias=False)
        self.states = StepLinear(2 * hidden, size, bias=False)

    def find_heads(self, batch: Batch, embedding: WordEmbedding) -> None:
        """Set the fields tags [N, 3] (of a node, its left and its right child), x [N, d] and the gate a [N, d].

        At leaves x is the word's vector, and a is zero.
        """
        require_known_tags(batch.nodes, self.tag_embedding.num_embeddings)
        update_all(batch, self._tag, self._children, self._tags)
        leaf = partial(self._word, embedding)
        propagate(batch, fn.copy_u("x", "x"), self._head, leaf=leaf, inputs=self._head_tags)

    def _tag(self, edges: EdgesSeen) -> Outputs:
        return {"tag": tag_ids(edges.src)}  # DGL's copy_u takes no integers

    def _children(self, nodes: NodesSeen) -> Outputs:
        tag = nodes.mailbox["tag"]
        return {"left": tag[:, 0], "right": tag[:, -1]}  # not 1: a batch of single words shows mailboxes of one

    def _tags(self, nodes: NodesSeen) -> Outputs:
        return {"tags": torch.stack([nodes.data["tag"], nodes.data["left"], nodes.data["right"]], 1)}

    def _word(self, embedding: WordEmbedding, nodes: NodesSeen) -> Outputs:
        x = embedding.of(nodes.data)
        return {"x": x, "a": torch.zeros_like(x)}

    def _head_tags(self, nodes: NodesSeen) -> Outputs:
        return {"head_tags": self.project_tags(self.head_tags, nodes.data["tags"]) + self.head_tags.bias}

    def _head(self, nodes: NodesSeen) -> Outputs:
        """Eq. 17-18."""
        x = nodes.mailbox["x"]
        a = torch.sigmoid(self.head_words(x.flatten(1)) + nodes.data["head_tags"])
        return {"x": torch.lerp(x[:, 1], x[:, 0], a), "a": a}

    def project_tags(self, linear: nn.Linear, tags: Tensor) -> Tensor:
        """W [t; t_l; t_r], without bias, for tag ids [n, 3] of which 0 stands for no child: [n, out].

        There are fewer tags than nodes: each is multiplied once in each place, and a node looks the products up.
        """
        weight = self.tag_embedding.weight
        count, size = weight.shape
        table = torch.einsum("vt,opt->pvo", weight, linear.weight.view(-1, 3, size)).flatten(0, 1)
        place = count * torch.arange(3, device=tags.device)
        return F.embedding_bag((tags + place) * (tags > 0), table, mode="sum", padding_idx=0)

    def inputs(self, nodes: NodesSeen) -> dict[str, Tensor]:
        """What tags and head words say in eq. 19-21, for all nodes at once."""
        tags, word = self.project_tags(self.tags, nodes.data["tags"]), self.word(nodes.data["x"])
        if self.fusion == "concat":
            return {"tags_and_word": tags + word + self.tags.bias}
        return {"by_tags": tags, "by_word": word}

    def forward(self, given: Mapping[str, Tensor], states: Tensor | None = None) -> Tensor:
        """The hyper network's input [n, size].

        Args:
            given: fields that `inputs` made.
            states: [n, 2 h] states [h_l; h_r]; None at leaves.
        """
        if self.fusion == "concat":
            known = given["tags_and_word"]
            return torch.relu(known if states is None else self.states(states) + known)
        known = given["by_word"]
        semantic = known if states is None else self.states(states) + known
        return torch.relu(torch.addcmul(self.tags.bias, given["by_tags"], semantic))
