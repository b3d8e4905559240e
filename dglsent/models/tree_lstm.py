"""Tree-LSTMs: binary over constituency trees, child-sum over any tree.

Tai, Socher, Manning 2015, "Improved Semantic Representations From Tree-Structured Long Short-Term Memory
Networks". Equation numbers are those of the papers that use them: 10-12 of the tag-guided hyper TreeLSTM
paper (binary), 2 of the tree-structured attentive encoder paper (child-sum), which are 7-13 of "To Attend or not to
Attend".
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.nn.cells import child_message, lstm_cell
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate
from dglsent.passing.functions import ReduceFunction
from graphs.door import fn
from graphs.errors import check_choice
from graphs.fields import WORD


class BinaryTreeLSTM(Encoder):
    """Binary Tree-LSTM (eq. 10-12) over binary constituency trees with words at the leaves.

    The input x is the word vector at a leaf and zero at a phrase, so W meets leaves alone, and there the
    forget gates meet zero memories: W has no rows for them. W and U have a bias each, where eq. 10 has one: that of the
    leaves is free of that of the phrases.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        leaf_cell: "eq10" runs the cell at the leaves as well; "tai" is the released code's leaf, c = W x + b
            and h = sigmoid(W_o x + b_o) * tanh(c).

    Raises:
        InputError: `leaf_cell` is neither.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 150, leaf_cell: Literal["eq10", "tai"] = "eq10") -> None:
        super().__init__(embedding, hidden)
        check_choice("leaf_cell", leaf_cell, ("eq10", "tai"))
        self.leaf_cell = leaf_cell
        self.W = StepLinear(embedding.dim, (3 if leaf_cell == "eq10" else 2) * hidden)
        self.U = StepLinear(2 * hidden, 5 * hidden)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields h and c."""
        self.require_binary(batch)
        propagate(batch, self.message, self.reduce, self.update, leaf=self.leaf)
        return batch.nodes["h"]

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 10-12 without children."""
        pre = self.W(self.embedding.of(nodes.data))
        if self.leaf_cell == "tai":
            c, o = pre.chunk(2, -1)
            return {"h": torch.sigmoid(o) * torch.tanh(c), "c": c}
        h, c = lstm_cell(pre)
        return {"h": h, "c": c}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends its state and memory."""
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """U [h_l; h_r] + b, in the order g, i, f_l, f_r, o, and the memories of the children."""
        return {"pre": self.U(nodes.mailbox["h"].flatten(1)), "c_children": nodes.mailbox["c"]}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 11-12."""
        h, c = lstm_cell(nodes.data["pre"], nodes.data["c_children"])
        return {"h": h, "c": c}


class ChildSumTreeLSTM(Encoder):
    """Child-sum Tree-LSTM (eq. 2) over trees with a word at every node, or at the leaves alone.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        output_gate: False gives h = tanh(c), as the code of Tai et al. for SICK and that of the attentive trees.
        const_bias: "single" adds one bias to the gates of every node; "split" adds a second one where a node has a
            word, though not to forget gates, as the code released with the progressive attention paper does.

    Raises:
        InputError: `const_bias` is neither.
    """

    reducer: ReduceFunction = fn.sum("h_fc", "sums")

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 150,
        output_gate: bool = True,
        const_bias: Literal["single", "split"] = "single",
    ) -> None:
        super().__init__(embedding, hidden)
        check_choice("const_bias", const_bias, ("single", "split"))
        self.output_gate = output_gate
        gates = 3 if output_gate else 2
        self.W_gio = StepLinear(embedding.dim, gates * hidden)
        self.U_gio = StepLinear(hidden, gates * hidden, bias=False)
        self.W_f = StepLinear(embedding.dim, hidden)
        self.U_f = StepLinear(hidden, hidden, bias=False)
        bound = embedding.dim**-0.5
        word_bias = torch.empty(gates * hidden).uniform_(-bound, bound)
        self.word_bias = nn.Parameter(word_bias) if const_bias == "split" else None

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields h and c."""
        # Leaves need no W_f x, and phrases no products: up to a third of the time.
        inputs = self.inputs if batch.has_inner_words else self.biases
        propagate(batch, self.message, self.reducer, self.update, leaf=self.leaf, inputs=inputs)
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b of all gates."""
        x = self.embedding.of(nodes.data)
        return {"wx_gio": self.at_words(nodes, self.W_gio(x)), "wx_f": self.W_f(x)}

    def biases(self, nodes: NodesSeen) -> Outputs:
        """W x + b where no inner node has a word: b."""
        count = nodes.batch_size()
        return {"wx_gio": self.W_gio.bias.expand(count, -1), "wx_f": self.W_f.bias.expand(count, -1)}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 2 without children."""
        return self.cell(self.at_words(nodes, self.W_gio(self.embedding.of(nodes.data))), None)

    def at_words(self, nodes: NodesSeen, pre: Tensor) -> Tensor:
        """Sums of the gates with the bias that words alone get."""
        if self.word_bias is None:
            return pre
        return pre + self.word_bias * (nodes.data[WORD] > 0).unsqueeze(-1)

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends its state, and its memory through its own forget gate."""
        forget = self.U_f(edges.src["h"]) + edges.dst["wx_f"]
        return {"h_fc": child_message(edges.src["h"], edges.src["c"], forget)}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 2."""
        h_sum, forgotten = nodes.data["sums"].chunk(2, -1)
        return self.cell(self.U_gio(h_sum) + nodes.data["wx_gio"], forgotten)

    def cell(self, pre: Tensor, kept: Tensor | None) -> Outputs:
        """Memory and state from the sums of candidate, input and output gate."""
        h, c = lstm_cell(pre, kept=kept, output_gate=self.output_gate)
        return {"h": h, "c": c}
