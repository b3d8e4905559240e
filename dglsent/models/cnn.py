"""Convolutional network over window graphs.

Kim 2014, "Convolutional Neural Networks for Sentence Classification".
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.readout import max_over_words
from dglsent.passing import Batch, Direction, NodesSeen, Outputs, update_all
from graphs.door import fn

_WINDOW = 5  # slots of the graph
# The slots that a filter of 3, 4 or 5 words reads; word t is in slot 2.
_SLOTS = (slice(1, 4), slice(1, 5), slice(0, 5))


class KimCNN(Encoder):
    """Filters over 3, 4 and 5 words (eq. 2), ReLU, and their maxima over the sentence.

    A state is what the filters see around a word t: the words t-1 .. t+1, t-1 .. t+2 and t-2 .. t+2. So every word
    has one, and beyond the ends of a sentence stand zeros, where Kim's filters lie within a sentence that was padded
    beforehand. Kim's limit of 3 on the norm of the classifier's weights is left out; dropout is the task's.

    Args:
        embedding: word vectors, d dimensions.
        maps: filters of each width; `size` is 3 maps.
    """

    directions: tuple[Direction, ...] = ()

    def __init__(self, embedding: WordEmbedding, maps: int = 100) -> None:
        super().__init__(embedding, len(_SLOTS) * maps)
        self.filters = nn.ModuleList(nn.Linear((s.stop - s.start) * embedding.dim, maps) for s in _SLOTS)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, 3 maps] of all nodes, 0 at padding nodes; sets the fields x and h."""
        batch.nodes["x"] = self.embedding.of(batch.nodes)
        update_all(batch, fn.copy_u("x", "x"), self.reduce, self.update)
        return batch.nodes["h"]

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """W x + b of all filters over the vectors x of their words, in order.

        Raises:
            ValueError: a node hears from more or fewer words than the filters read.
        """
        x = nodes.mailbox["x"]
        if x.shape[1] != _WINDOW:
            heard = f"here a node hears from {x.shape[1]}; give it graphs of the kind window"
            raise ValueError(f"KimCNN runs over windows of {_WINDOW} words; {heard}")
        return {"pre": torch.cat([W(x[:, slots].flatten(1)) for W, slots in zip(self.filters, _SLOTS, strict=True)], 1)}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 2."""
        return {"h": torch.relu(nodes.data["pre"])}

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, 3 maps]: the largest value of each filter."""
        return max_over_words(batch, states)
