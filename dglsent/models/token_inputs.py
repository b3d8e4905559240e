"""What a tagger reads of a token: its word, its capitalisation and the characters at its ends."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch
from graphs.errors import InputError, check_whole
from graphs.features import Vocabularies
from graphs.fields import CAP, CHAR, REAL
from graphs.spelling import CAPITALS, ENDS


class TokenInputs(nn.Module):
    """A token's vector f = [Lw(word); La(capitalisation); Lc(characters)], eq. 1 of the dynamic window paper.

    Characters are the five leftmost and the five rightmost, with a character of padding in shorter words. The padding
    node of a window graph has learned vectors too. The tables are drawn from a normal distribution with the standard
    deviation 0.1, which is that of other weights (`dynamic_window.initialise`) where one input at a time is read; word
    vectors are the embedding's.

    Args:
        word_dim: dimensions of a word's vector.
        vocabularies: those of the graphs, with spelling.
        cap_dim: dimensions of a class of capitalisation.
        character_dim: dimensions of a character; 0 leaves characters out.

    Attributes:
        size: dimensions F of f.

    Raises:
        InputError: the vocabularies have no spelling, or a number of dimensions is no whole one from 0.
    """

    def __init__(
        self, word_dim: int, vocabularies: Vocabularies | None, cap_dim: int = 5, character_dim: int = 5
    ) -> None:
        super().__init__()
        if vocabularies is None or vocabularies.spelling is None:
            raise InputError(
                "the encoder reads the spelling of words; set embedding.spelling true in the recipe, or make the "
                "vocabularies with spelling=True"
            )
        check_whole(0, cap_dim=cap_dim, character_dim=character_dim)
        self.size = word_dim + cap_dim + 2 * ENDS * character_dim
        self.padding = nn.Parameter(torch.empty(word_dim))
        self.cap = nn.Embedding(len(CAPITALS), cap_dim)
        self.character = nn.Embedding(len(vocabularies.spelling.character), character_dim) if character_dim else None
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.1)

    def forward(self, batch: Batch, embedding: WordEmbedding) -> Tensor:
        """The tokens f of all nodes [N, F].

        The dropout of the word vectors is that of the other components too; of padding nodes it drops these alone.
        """
        nodes = batch.nodes
        spelled = self.cap(nodes[CAP])
        if self.character is not None:
            spelled = torch.cat([spelled, self.character(nodes[CHAR]).flatten(1)], -1)
        real = nodes[REAL].unsqueeze(-1) > 0
        word = torch.where(real, embedding.of(nodes), self.padding)
        return torch.cat([word, F.dropout(spelled, embedding.dropout, self.training)], -1)
