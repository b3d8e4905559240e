"""The recurrent networks of Elman and Jordan over dynamic windows, both with a gate that resets what they remember.

Wu, Zhang, Zong, "A Dynamic Window Neural Network for CCG Supertagging"; equation numbers are the paper's, whose
formulas the text at hand lacks. The reset gate reads the plain window and what is remembered, its simplest reading. It
is a part of the method: with the filter "ones", a plain window, neither network has it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.models.dynamic_window import WindowEncoder, WindowOptions, at_words, initialise
from dglsent.nn.chains import along_chain
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, NodesSeen, Outputs, StepLinear
from graphs.errors import InputError, check_share, check_whole
from graphs.features import Vocabularies
from graphs.fields import NEXT


class ResetRecurrence(nn.Module):
    """h = tanh(W x~ + U (q m)) with the scalar q = sigmoid(wq [x; m]) and what is remembered, m (eq. 15-16).

    Args:
        dim: dimensions of the gated window x~.
        window_dim: dimensions of the plain window x.
        memory: dimensions of m.
        hidden: size h of the state.
        reset: False leaves out q, for h = tanh(W x~ + U m): the network that the paper embeds its gates into.
    """

    def __init__(self, dim: int, window_dim: int, memory: int, hidden: int, reset: bool) -> None:
        super().__init__()
        self.W = StepLinear(dim, hidden)
        self.W_q = StepLinear(window_dim, 1) if reset else None
        self.U = StepLinear(memory, hidden, bias=False)
        self.U_q = StepLinear(memory, 1, bias=False) if reset else None

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x~ + b, and wq x + b."""
        made = {"wx": self.W(nodes.data["x"])}
        if self.W_q is not None:
            made["wx_q"] = self.W_q(nodes.data["window"])
        return made

    def first(self, nodes: NodesSeen) -> Tensor:
        """The state of a first word, where nothing is remembered."""
        return torch.tanh(self.W(nodes.data["x"]))

    def next(self, nodes: NodesSeen, memory: Tensor) -> Tensor:
        """Eq. 15 and 16, or 17."""
        if self.U_q is not None:
            memory = torch.sigmoid(self.U_q(memory) + nodes.data["wx_q"]) * memory
        return torch.tanh(self.U(memory) + nodes.data["wx"])


class WindowElman(WindowEncoder):
    """Elman's network, which remembers the state of the word before (eq. 15-16).

    Args:
        embedding: word vectors.
        hidden: size h of the state, which the paper does not give.
        half_width: tokens on either side, d; that of the graph.
        options: how windows are read.
        vocabularies: those of the graphs, with spelling.
    """

    relations = ((NEXT, "up"),)
    reads_plain = True

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 512,
        half_width: int = 1,
        options: WindowOptions = WindowOptions(),  # noqa: B008  it is frozen
        vocabularies: Vocabularies | None = None,
    ) -> None:
        super().__init__(embedding, hidden, half_width, options, vocabularies)
        plain = self.window.slots * self.inputs.size
        self.recurrence = ResetRecurrence(self.window.size, plain, hidden, hidden, reset=options.filter != "ones")
        initialise(self, hidden)

    def encode(self, batch: Batch) -> Tensor:
        """States [N, hidden], 0 at padding nodes; sets the fields of `read`, and h."""
        self.read(batch)
        along_chain(batch, ("h",), self.update, leaf=self.leaf, inputs=self.recurrence.inputs, relation=NEXT)
        return at_words(batch, batch.nodes["h"])

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The first word."""
        return {"h": self.recurrence.first(nodes)}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 15-16."""
        return {"h": self.recurrence.next(nodes, nodes.data["h_before"])}


class WindowJordan(WindowEncoder):
    """Jordan's network, which remembers what it has said of the word before, y = softmax(Wo h) (eq. 17-18).

    So the output layer is a part of it: its states are the logits of the C classes of the vocabularies, and the task
    that trains it has no layer of its own.

    Args:
        embedding: word vectors.
        hidden: size h of the hidden layer, which the paper does not give.
        dropout: share of h dropped before the output layer.
        half_width: tokens on either side, d; that of the graph.
        options: how windows are read.
        vocabularies: those of the graphs, with spelling and labels.

    Raises:
        InputError: the vocabularies have no spelling or no labels, `hidden` is no whole number from 1, or `dropout` no
            share.
    """

    relations = ((NEXT, "up"),)
    reads_plain = True

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 512,
        dropout: float = 0.5,
        half_width: int = 1,
        options: WindowOptions = WindowOptions(),  # noqa: B008  it is frozen
        vocabularies: Vocabularies | None = None,
    ) -> None:
        if vocabularies is None or vocabularies.label is None:
            raise InputError("Jordan's network reads its own classes; train it for a task that tags words")
        check_whole(hidden=hidden)
        check_share(dropout=dropout)
        classes = len(vocabularies.label)
        super().__init__(embedding, classes, half_width, options, vocabularies)
        plain = self.window.slots * self.inputs.size
        self.recurrence = ResetRecurrence(self.window.size, plain, classes, hidden, reset=options.filter != "ones")
        self.output, self.dropout = StepLinear(hidden, classes), nn.Dropout(dropout)
        initialise(self, hidden)

    def encode(self, batch: Batch) -> Tensor:
        """Logits [N, C], 0 at padding nodes; sets the fields of `read`, and kept, h, logits and y."""
        self.read(batch)
        batch.nodes["kept"] = self.dropout(batch.nodes["x"].new_ones(batch.num_nodes, self.output.in_features))
        along_chain(batch, ("y",), self.update, leaf=self.leaf, inputs=self.recurrence.inputs, relation=NEXT)
        return at_words(batch, batch.nodes["logits"])

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The first word."""
        return self.said(nodes, self.recurrence.first(nodes))

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 17-18."""
        return self.said(nodes, self.recurrence.next(nodes, nodes.data["y_before"]))

    def said(self, nodes: NodesSeen, h: Tensor) -> Outputs:
        """A state, its logits, and what it says of the word."""
        logits = self.output(nodes.data["kept"] * h)
        return {"h": h, "logits": logits, "y": torch.softmax(logits, -1)}
