"""Dynamic window taggers: encoders that read every token through gates on the tokens around it.

Wu, Zhang, Zong, "A Dynamic Window Neural Network for CCG Supertagging"; equation numbers are the paper's. A token's
input is [word; capitalisation; characters] (`token_inputs`), its gated window is `window_gates`, and recurrences run
along the relation `next`. The networks of Elman and Jordan are in `window_rnn`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.models.encoder import Encoder
from dglsent.models.fused_lstm import fused_lstm
from dglsent.models.token_inputs import TokenInputs
from dglsent.models.window_gates import DropoutStyle, DynamicWindow, Filter
from dglsent.nn.chains import LSTMChain
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.readout import mean_over_words
from dglsent.passing import Batch, Direction
from graphs.errors import check_kind, check_share, check_whole
from graphs.features import Vocabularies
from graphs.fields import NEXT, REAL


@dataclass(frozen=True)
class WindowOptions:
    """How the tokens of a window are read, for every encoder the same.

    Attributes:
        filter: what makes the gates: "one_layer", "cnn" or "mlp"; "averaging" is attention over the window; "ones" is
            the plain window and, with dropout, the one of random size. With "ones" the networks of Elman and Jordan
            reset nothing either.
        gate_dropout: share of the slots dropped in training.
        dropout_style: "classic" multiplies gates by 1 - dropout outside training, as the paper; "inverted" divides them
            by it in training.
        cap_dim: dimensions of a class of capitalisation.
        character_dim: dimensions of each of ten characters; 0 leaves them out.
    """

    filter: Filter = "one_layer"
    gate_dropout: float = 0.5
    dropout_style: DropoutStyle = "classic"
    cap_dim: int = 5
    character_dim: int = 5


class WindowEncoder(Encoder):
    """An encoder of window graphs; what the encoders of the paper share.

    Args:
        embedding: word vectors.
        size: dimensions of a state.
        half_width: tokens on either side, d; that of the graph.
        options: how windows are read.
        vocabularies: those of the graphs, with spelling.

    Raises:
        InputError: the vocabularies have no spelling, or `options` are none, or have what `TokenInputs` or
            `DynamicWindow` refuses.
    """

    directions: tuple[Direction, ...] = ()
    shows = ("child.gate",)
    reads_plain = False  # whether it reads the plain window too

    def __init__(
        self,
        embedding: WordEmbedding,
        size: int,
        half_width: int,
        options: WindowOptions,
        vocabularies: Vocabularies | None,
    ) -> None:
        super().__init__(embedding, size)
        check_kind(options, WindowOptions, "WindowOptions(gate_dropout=0.2), say, tells how windows are read")
        self.inputs = TokenInputs(embedding.dim, vocabularies, options.cap_dim, options.character_dim)
        self.window = DynamicWindow(
            self.inputs.size, half_width, options.filter, options.gate_dropout, options.dropout_style
        )

    def read(self, batch: Batch) -> None:
        """Sets the token f [N, F] of every node and what `DynamicWindow.run` makes of them: x, the gated window.

        Raises:
            ValueError: the graphs are no windows, or of another width.
        """
        if REAL not in batch.nodes:
            raise ValueError(f"{type(self).__name__} reads windows; give it window-0, window-1, window or window-4")
        batch.nodes["f"] = self.inputs(batch, self.embedding)
        self.window.run(batch, plain=self.reads_plain)

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, size]: the mean over the words."""
        return mean_over_words(batch, states)


class WindowMLP(WindowEncoder):
    """A hidden layer over each window alone, h = tanh(W x~) (eq. 13).

    Args:
        embedding: word vectors.
        hidden: size h of the layer, which the paper does not give.
        half_width: tokens on either side, d; that of the graph.
        options: how windows are read.
        vocabularies: those of the graphs, with spelling.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 512,
        half_width: int = 4,
        options: WindowOptions = WindowOptions(),
        vocabularies: Vocabularies | None = None,
    ) -> None:
        super().__init__(embedding, hidden, half_width, options, vocabularies)
        self.W = nn.Linear(self.window.size, hidden)
        initialise(self, hidden)

    def encode(self, batch: Batch) -> Tensor:
        """States [N, hidden], 0 at padding nodes; sets the fields of `read`."""
        self.read(batch)
        return at_words(batch, torch.tanh(self.W(batch.nodes["x"])))


class WindowLSTM(WindowEncoder):
    """An LSTM over the windows from left to right (eq. 4-6).

    Args:
        embedding: word vectors.
        hidden: size h of the state.
        half_width: tokens on either side, d; that of the graph.
        options: how windows are read.
        fused: run torch's own LSTM, which gives the same and sets no fields.
        vocabularies: those of the graphs, with spelling.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 512,
        half_width: int = 1,
        options: WindowOptions = WindowOptions(),
        fused: bool = False,
        vocabularies: Vocabularies | None = None,
    ) -> None:
        super().__init__(embedding, hidden, half_width, options, vocabularies)
        self.fused = fused
        self.relations = () if fused else ((NEXT, "up"),)
        self.chain = LSTMChain(self.window.size, hidden)
        initialise(self, hidden)

    def encode(self, batch: Batch) -> Tensor:
        """States [N, hidden], 0 at padding nodes; sets the fields of `read`, and h and c."""
        self.read(batch)
        if self.fused:
            return fused_lstm(batch, [self.chain])
        return at_words(batch, self.chain.run(batch, relation=NEXT))


class WindowBiLSTM(WindowEncoder):
    """LSTMs over the windows in both directions, h = [left to right; right to left], in layers (eq. 19-22).

    Only the first layer reads windows, the others read the states below.

    Args:
        embedding: word vectors.
        hidden: size h of the state of either direction.
        layers: 1, or 2 for the stacked network.
        between_layers: share of a layer's states dropped before the next.
        half_width: tokens on either side, d; that of the graph.
        options: how windows are read.
        fused: run torch's own LSTM, which gives the same and sets no fields.
        vocabularies: those of the graphs, with spelling.

    Raises:
        InputError: `layers` is no whole number from 1, or `between_layers` no share.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 512,
        layers: int = 1,
        between_layers: float = 0.5,
        half_width: int = 1,
        options: WindowOptions = WindowOptions(),
        fused: bool = False,
        vocabularies: Vocabularies | None = None,
    ) -> None:
        check_whole(layers=layers)
        check_share(between_layers=between_layers)
        super().__init__(embedding, 2 * hidden, half_width, options, vocabularies)
        self.between_layers, self.fused = between_layers, fused
        self.relations = () if fused else ((NEXT, "up"), (NEXT, "down"))
        dims = [self.window.size, *[2 * hidden] * (layers - 1)]
        self.rightward = nn.ModuleList(LSTMChain(dim, hidden) for dim in dims)
        self.leftward = nn.ModuleList(LSTMChain(dim, hidden) for dim in dims)
        initialise(self, hidden)

    def encode(self, batch: Batch) -> Tensor:
        """States [N, 2 hidden], 0 at padding nodes; sets the fields of `read`, and h and c."""
        self.read(batch)
        states = self._layer(batch, [self.rightward[0], self.leftward[0]])
        for chains in zip(self.rightward[1:], self.leftward[1:], strict=True):
            batch.nodes["x"] = F.dropout(states, self.between_layers, self.training)
            states = self._layer(batch, chains)
        return states

    def _layer(self, batch: Batch, chains: Sequence[nn.Module]) -> Tensor:
        rightward, leftward = chains
        assert isinstance(rightward, LSTMChain)
        assert isinstance(leftward, LSTMChain)
        if self.fused:
            return fused_lstm(batch, [rightward, leftward])
        forward = rightward.run(batch, "up", relation=NEXT)
        return at_words(batch, torch.cat([forward, leftward.run(batch, "down", relation=NEXT)], -1))


def at_words(batch: Batch, states: Tensor) -> Tensor:
    """States [N, d] of the words, 0 at padding nodes."""
    return torch.where(batch.nodes[REAL].unsqueeze(-1) > 0, states, 0)


def initialise(encoder: WindowEncoder, hidden: int) -> None:
    """Starts weights as the paper does: recurrent maps as orthogonal matrices, one a gate, others as normal numbers.

    These have the standard deviation 0.1 / sqrt(fan-in): the text at hand lacks the formula, and this is how we read
    it. Recurrent maps are those named U. Biases, of which the paper does not tell, start at 0. The output layer is the
    task's, which starts as torch has it; Jordan's network, which reads its own tags, has one that starts as here.
    """
    for name, module in encoder.named_modules():
        if not isinstance(module, nn.Linear | nn.Conv1d):
            continue
        if name.endswith(".U"):
            for block in module.weight.detach().split(hidden):
                nn.init.orthogonal_(block)
        else:
            nn.init.normal_(module.weight, std=0.1 / math.sqrt(module.weight[0].numel()))
        if module.bias is not None:
            nn.init.zeros_(module.bias)
