"""SATA Tree-LSTM: a Tree-LSTM over tags beside the one over words, whose gates it moves.

Kim, Choi, Edmiston, Bae, Lee 2019, "Dynamic Compositionality in Recursive Neural Networks with Structure-aware Tag
Representations". The equations are those of the code released with the paper (galsang/SATA-Tree-LSTM). For a phrase j
with children l and r and the embedding p_j of its tag:

    tags    [g; i; f_l; f_r; o] = U' [e_l; e_r] + W' p_j + b';   m_j = i g + f_l m_l + f_r m_r;   e_j = o tanh(m_j)
    words   g = U_g [h_l; h_r] + b_g
            [i; f_l; f_r; o] = U [h_l; h_r] + V e_j + b;         c_j = i g + f_l c_l + f_r c_r;   h_j = o tanh(c_j)

with sigmoids around gates and tanh around candidates. A word has [e; m] = tanh(W_leaf p + b_leaf), and for h and c the
state and memory of an LSTM over the sentence. Trees are binary, with words at the leaves and a tag at every node.

What departs from the released code: tags stay as they are, where it groups them (those of words into 12, of phrases
into 11), and a phrase of SST is learnt within its sentence, so that its first word has heard the words before it, where
it trains each phrase alone. Some weights start otherwise: U' and W' are two maps, where it draws one for [e_l; e_r; p],
with weights smaller by sqrt(3 / 2) and sqrt(3); and with `normalise` U, V and b start as without it, where it leaves
its maps as torch draws them, because it never calls what would start them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.models.encoder import Encoder
from dglsent.nn.cells import lstm_cell
from dglsent.nn.chains import LSTMChain, half
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.tags import require_known_tags, require_tags, tag_ids
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, Use, propagate
from graphs.errors import check_choice
from graphs.fields import NEXT


class SATATreeLSTM(Encoder):
    """Binary Tree-LSTM over the states of an LSTM, whose gates read what a Tree-LSTM over the tags says.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        tag_dim: dimensions t of a tag's embedding and of the tag-level state.
        leaf: "lstm" reads the sentence from left to right, "bilstm" in both directions, each half of the state.
        normalise: whether the sums of each gate are normalised over their h dimensions, as in the released code on
            SST-5.
        tags: strings of the tag vocabulary, which the field `tag` indexes.

    Raises:
        ValueError: there are no tags, or with "bilstm" `hidden` is odd.
        InputError: `leaf` is neither, or `tag_dim` is no whole number from 0.
    """

    relations: tuple[Use, ...] = ((NEXT, "up"),)

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 300,
        tag_dim: int = 50,
        leaf: Literal["lstm", "bilstm"] = "lstm",
        normalise: bool = False,
        tags: Sequence[str] = (),
    ) -> None:
        require_tags(tags, tag_dim)
        super().__init__(embedding, hidden)
        check_choice("leaf", leaf, ("lstm", "bilstm"))
        side = half("hidden", hidden) if leaf == "bilstm" else hidden
        self.rightward = LSTMChain(embedding.dim, side)
        self.leftward = LSTMChain(embedding.dim, side) if leaf == "bilstm" else None
        if self.leftward is not None:
            self.relations = ((NEXT, "up"), (NEXT, "down"))
        self.tag_tree = TagTreeLSTM(len(tags), tag_dim)
        self.U = StepLinear(2 * hidden, 5 * hidden, bias=False)
        self.V = nn.Linear(tag_dim, 4 * hidden, bias=False)
        self.b = nn.Parameter(torch.zeros(5 * hidden))
        self.gain = nn.Parameter(torch.ones(4, hidden)) if normalise else None
        self.shift = nn.Parameter(torch.zeros(4, hidden)) if normalise else None
        for chain in filter(None, (self.rightward, self.leftward)):
            nn.init.kaiming_normal_(chain.W.weight)
            nn.init.orthogonal_(chain.U.weight)
            _forget_nothing(chain.W.bias, first=2, count=1)
        for linear in (self.U, self.V):
            nn.init.kaiming_normal_(linear.weight)
        _forget_nothing(self.b, first=2, count=2)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes.

        Sets the fields h and c, e and m [N, tag_dim] of the tags, and x, h_word and c_word, which mean something at
        words alone.
        """
        self.require_binary(batch)
        batch.nodes["x"] = self.embedding.of(batch.nodes)
        states, memories = [self.rightward.run(batch, relation=NEXT)], [batch.nodes["c"]]
        if self.leftward is not None:
            states.append(self.leftward.run(batch, "down", relation=NEXT))
            memories.append(batch.nodes["c"])
        batch.nodes["h_word"], batch.nodes["c_word"] = torch.cat(states, -1), torch.cat(memories, -1)
        # On DGL a field keeps its width, which that of a BiLSTM is not.
        for name in ("h", "c"):
            del batch.nodes[name]
        self.tag_tree.run(batch)
        propagate(batch, self.message, self.reduce, leaf=self.leaf, inputs=self.inputs)
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """V e + b, in the order g, i, f_l, f_r, o; the candidate g has b alone."""
        return {"by_tags": F.pad(self.V(nodes.data["e"]), (self.size, 0)) + self.b}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """A word is what the LSTM has made of it."""
        return {"h": nodes.data["h_word"], "c": nodes.data["c_word"]}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends its state and memory."""
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """The phrase of two children, its gates moved by the tags."""
        pre = self.U(nodes.mailbox["h"].flatten(1)) + nodes.data["by_tags"]
        if self.gain is not None and self.shift is not None:
            g, gates = pre.split([self.size, 4 * self.size], -1)
            gates = F.layer_norm(gates.unflatten(-1, (4, self.size)), (self.size,))
            pre = torch.cat([g, torch.addcmul(self.shift, gates, self.gain).flatten(-2)], -1)
        h, c = lstm_cell(pre, nodes.mailbox["c"])
        return {"h": h, "c": c}


class TagTreeLSTM(nn.Module):
    """A binary Tree-LSTM over tags alone: what it says of a phrase depends on the shape of the tree under it.

    Args:
        tags: number of tags T.
        dim: dimensions t of a tag's embedding and of the state.
    """

    def __init__(self, tags: int, dim: int) -> None:
        super().__init__()
        self.tag = nn.Parameter(torch.empty(tags, dim).uniform_(-0.005, 0.005))
        self.W_leaf = nn.Linear(dim, 2 * dim)
        self.W = nn.Linear(dim, 5 * dim)
        self.U = StepLinear(2 * dim, 5 * dim, bias=False)
        for linear in (self.W_leaf, self.W, self.U):
            nn.init.kaiming_normal_(linear.weight)
        nn.init.zeros_(self.W_leaf.bias)
        _forget_nothing(self.W.bias, first=2, count=2)

    def run(self, batch: Batch) -> None:
        """Sets the fields e and m [N, t] of all nodes."""
        require_known_tags(batch.nodes, len(self.tag))
        propagate(batch, self.message, self.reduce, leaf=self.leaf, inputs=self.inputs)

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W' p + b'; there are fewer tags than nodes, so each is multiplied once."""
        return {"by_tag": F.embedding(tag_ids(nodes.data), self.W(self.tag))}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The tag of a word by itself."""
        e, m = F.embedding(tag_ids(nodes.data), torch.tanh(self.W_leaf(self.tag))).chunk(2, -1)
        return {"e": e, "m": m}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends its state and memory."""
        return {"e": edges.src["e"], "m": edges.src["m"]}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """The tag of a phrase over what is said of its two children."""
        e, m = lstm_cell(self.U(nodes.mailbox["e"].flatten(1)) + nodes.data["by_tag"], nodes.mailbox["m"])
        return {"e": e, "m": m}


def _forget_nothing(bias: nn.Parameter, *, first: int, count: int) -> None:
    """Biases of 0, and of 1 at `count` forget gates: the parts of the bias [(3 + count) d] from `first`."""
    size = len(bias) // (3 + count)
    with torch.no_grad():
        bias.zero_()[first * size : (first + count) * size] = 1
