"""TG-RNN over binary constituency trees.

Qian et al. 2015, "Learning Tag Embeddings and Tag-specific Composition Functions in Recursive Neural Network".
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dglsent.models.recnn import RecNN
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.initialisation import start_near_mean
from dglsent.nn.tags import require_known_tags, require_tags, tag_ids
from dglsent.passing import Batch, NodesSeen, Outputs, StepLinear
from graphs.errors import check_whole

# fmt: off
PHRASES = frozenset([
    "S", "NP", "VP", "PP", "ADJP", "ADVP", "SBAR", "SINV", "SQ", "SBARQ", "WHNP", "WHPP", "WHADVP",
    "WHADJP", "PRN", "PRT", "QP", "UCP", "CONJP", "FRAG", "INTJ", "LST", "NAC", "NX", "RRC", "X", "ROOT",
])
# fmt: on
"""Phrase labels of the Penn Treebank; ROOT too, as the label of a whole sentence may be."""


class TGRNN(RecNN):
    """Tag-guided recursive network: h = tanh(U_t [h_l; h_r] + b_t), t the phrase's tag; a word as in RecNN.

    The most frequent phrase tags have a function (U_t, b_t) of their own; all others share one. "@X", the
    label of a phrase made by binarisation, counts as X, whose place among the frequent ones is that of the more
    frequent of both labels.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        own: how many phrase tags, the most frequent ones, have a function of their own.
        tags: the string of each of T tag ids, POS tags among them, most frequent first.

    Attributes:
        function: [T] number of the function of each tag; 0 is the shared one.

    Raises:
        ValueError: there are no tags.
        InputError: `own` is no whole number from 0.
    """

    function: Tensor

    def __init__(self, embedding: WordEmbedding, hidden: int = 150, own: int = 10, tags: Sequence[str] = ()) -> None:
        require_tags(tags)
        super().__init__(embedding, hidden)
        check_whole(0, own=own)
        labels = [tag.removeprefix("@") for tag in tags]
        frequent = list(dict.fromkeys(label for label in labels if label in PHRASES))[:own]
        numbers = [frequent.index(label) + 1 if label in frequent else 0 for label in labels]
        self.register_buffer("function", torch.tensor(numbers, dtype=torch.long), persistent=False)
        self.U = StepLinear(2 * hidden, (1 + len(frequent)) * hidden)
        start_near_mean(self.U.weight)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the field h."""
        require_known_tags(batch.nodes, len(self.function))
        return super().encode(batch)

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """U_t [h_l; h_r] + b_t."""
        # All functions in one product: most of it is thrown away, but no step waits to sort phrases by tag.
        composed = self.U(nodes.mailbox["h"].flatten(1)).unflatten(1, (-1, self.size))
        function = self.function[tag_ids(nodes.data)]
        return {"pre": composed.take_along_dim(function.view(-1, 1, 1), 1).squeeze(1)}
