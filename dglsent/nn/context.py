"""Short-term context: each word's state among its neighbours in the sentence, before any attention.

Liu, Chang, Huang, Tang, Cheung 2019, "Contextualized Non-local Neural Networks for Sequence Learning", eq. 3.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from dglsent.nn.chains import LSTMChain, half
from dglsent.passing import Batch, NodesSeen, Outputs, StepLinear, Use, update_all
from graphs.door import fn
from graphs.fields import NEXT, PREVIOUS

Context: TypeAlias = Literal["lstm", "cnn", "none", "concat"]


class WordContext(nn.Module):
    """States h = tanh(W x + b) of words by themselves.

    Args:
        dim: dimensions of the field x.
        size: dimensions of a state.

    Attributes:
        relations: see `Encoder`.
    """

    relations: tuple[Use, ...] = ()

    def __init__(self, dim: int, size: int) -> None:
        super().__init__()
        self.W = nn.Linear(dim, size)

    def run(self, batch: Batch) -> Tensor:
        """States [N, size] of all words."""
        return torch.tanh(self.W(batch.nodes["x"]))


class Concatenation(nn.Module):
    """States that are the field x as it is: words beside their attributes.

    Args:
        dim: dimensions of the field x.
        size: dimensions of a state.

    Raises:
        ValueError: these differ.
    """

    relations: tuple[Use, ...] = ()

    def __init__(self, dim: int, size: int) -> None:
        super().__init__()
        if dim != size:
            raise ValueError(f"hidden {size}: concat leaves words and attributes as they are; give hidden {dim}")

    def run(self, batch: Batch) -> Tensor:
        """States [N, size] of all words."""
        return batch.nodes["x"]


class CNNContext(nn.Module):
    """States h_t = tanh(W [x_{t-1}; x_t; x_{t+1}] + b), with zeros beyond the ends of a sentence.

    Args:
        dim: dimensions of the field x.
        size: dimensions of a state.
    """

    relations: tuple[Use, ...] = (NEXT, PREVIOUS)

    def __init__(self, dim: int, size: int) -> None:
        super().__init__()
        self.W = StepLinear(3 * dim, size)

    def run(self, batch: Batch) -> Tensor:
        """States h [N, size] of all words."""
        update_all(batch, fn.copy_u("x", "x"), fn.sum("x", "x_before"), relation=NEXT)
        update_all(batch, fn.copy_u("x", "x"), fn.sum("x", "x_after"), self.update, relation=PREVIOUS)
        return batch.nodes["h"]

    def update(self, nodes: NodesSeen) -> Outputs:
        """A word between its neighbours."""
        window = [nodes.data[name] for name in ("x_before", "x", "x_after")]
        return {"h": torch.tanh(self.W(torch.cat(window, -1)))}


class LSTMContext(nn.Module):
    """States of two LSTMs over the words, [left to right; right to left].

    Args:
        dim: dimensions of the field x.
        size: dimensions of both states together, an even number.

    Raises:
        ValueError: it is odd.
    """

    relations: tuple[Use, ...] = ((NEXT, "up"), (NEXT, "down"))

    def __init__(self, dim: int, size: int) -> None:
        super().__init__()
        side = half("hidden", size)
        self.rightward, self.leftward = LSTMChain(dim, side), LSTMChain(dim, side)

    def run(self, batch: Batch) -> Tensor:
        """States [N, size] of all words."""
        forward = self.rightward.run(batch, "up", relation=NEXT)
        return torch.cat([forward, self.leftward.run(batch, "down", relation=NEXT)], -1)


CONTEXTS: dict[str, type[WordContext] | type[Concatenation] | type[CNNContext] | type[LSTMContext]] = {
    "none": WordContext,
    "concat": Concatenation,
    "cnn": CNNContext,
    "lstm": LSTMContext,
}
