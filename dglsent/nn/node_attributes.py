"""What a word is besides its identity: tag, characters, spelling and position, as vectors of each node.

Liu, Chang, Huang, Tang, Cheung 2019, "Contextualized Non-local Neural Networks for Sequence Learning", eq. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from dglsent.nn.characters import CharacterCNN, CharacterLSTM
from dglsent.nn.embeddings import drawn
from dglsent.nn.positions import PositionEmbedding
from dglsent.nn.tags import tag_ids
from dglsent.passing import Batch
from graphs.errors import InputError, check_choice, check_kind, check_whole
from graphs.features import SPECIAL, Vocabularies, Vocabulary
from graphs.fields import AFFIX, CAP, CHARACTERS, MARKS, POSITION, SHAPE
from graphs.spelling import CAPITALS, Spelling


@dataclass(frozen=True)
class Attributes:
    """Which attributes words have besides their vectors; none by default.

    Attributes:
        tag_dim: dimensions of a part-of-speech tag's embedding; 0 for none.
        characters: "lstm" or "cnn" over the characters of a word, or "none".
        character_dim: dimensions of a character's embedding.
        character_size: dimensions of what the characters of a word say.
        spelling_dim: dimensions of each embedding of capitals, shape and affixes; 0 for none.
        position_dim: dimensions of a position's embedding; 0 for none.
        positions: positions that have an embedding; later words have that of the last.
    """

    tag_dim: int = 0
    characters: Literal["none", "lstm", "cnn"] = "none"
    character_dim: int = 30
    character_size: int = 50
    spelling_dim: int = 0
    position_dim: int = 0
    positions: int = 512


class NodeAttributes(nn.Module):
    """Attributes of nodes as vectors.

    Args:
        attributes: which there are.
        vocabularies: of tags and spelling; may be None where neither is wanted.
        dropout: share of the features of spelling dropped in training, that of the word vectors: affixes all but name
            the word.

    Attributes:
        size: dimensions of all of them together.

    Raises:
        InputError: vocabularies that are wanted are not given, or have no tags or no spelling; `attributes` are none;
            `characters` is none of its words; or a size is no whole number.
        ValueError: `character_size` is odd, with "lstm".
    """

    def __init__(self, attributes: Attributes, vocabularies: Vocabularies | None = None, dropout: float = 0.0) -> None:
        super().__init__()
        check_kind(attributes, Attributes, "Attributes(tag_dim=50), say, tells which there are")
        check_choice("characters", attributes.characters, ("none", "lstm", "cnn"))
        sizes = {name: getattr(attributes, name) for name in ("tag_dim", "spelling_dim", "position_dim")}
        check_whole(0, **sizes)
        self.tag = self.characters = self.spelling = self.position = None
        if attributes.tag_dim:
            self.tag = drawn(nn.Embedding(len(_tags(vocabularies)), attributes.tag_dim, padding_idx=0))
        if attributes.characters != "none":
            made = CharacterLSTM if attributes.characters == "lstm" else CharacterCNN
            check_whole(character_dim=attributes.character_dim, character_size=attributes.character_size)
            count = len(_spelling(vocabularies).character)
            self.characters = made(count, attributes.character_dim, attributes.character_size)
        if attributes.spelling_dim:
            self.spelling = SpellingFeatures(_spelling(vocabularies), attributes.spelling_dim, dropout)
        if attributes.position_dim:
            check_whole(positions=attributes.positions)
            self.position = PositionEmbedding(attributes.positions, attributes.position_dim)
        self.size = (
            attributes.tag_dim
            + (attributes.character_size if self.characters else 0)
            + (self.spelling.size if self.spelling else 0)
            + attributes.position_dim
        )

    def forward(self, batch: Batch) -> list[Tensor]:
        """Vectors of all nodes: for each attribute that there is its own, [N, dimensions].

        Raises:
            InputError: tags are wanted, and nodes have none.
            KeyError: the nodes lack another field that is wanted.
        """
        nodes, made = batch.nodes, []
        if self.tag is not None:
            made.append(self.tag(tag_ids(nodes)))
        if self.characters is not None:
            made.append(self.characters(nodes[CHARACTERS]))
        if self.spelling is not None:
            made.append(self.spelling(nodes[CAP], nodes[SHAPE], nodes[AFFIX], nodes[MARKS]))
        if self.position is not None:
            made.append(self.position(nodes[POSITION]))
        return made


class SpellingFeatures(nn.Module):
    """Embeddings of a word's capitalisation and shape, the sum of those of its affixes, and whether it has marks.

    Features of Huang, Xu, Yu 2015, "Bidirectional LSTM-CRF Models for Sequence Tagging".

    Args:
        spelling: vocabularies of affixes and shapes.
        dim: dimensions of each embedding; `size` is 3 dim + 2.
        dropout: share of all of them dropped in training.
    """

    def __init__(self, spelling: Spelling, dim: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.size = 3 * dim + 2
        self.dropout = nn.Dropout(dropout)
        self.cap = drawn(nn.Embedding(len(CAPITALS), dim, padding_idx=0))
        self.shape = drawn(nn.Embedding(len(spelling.shape), dim, padding_idx=0))
        self.affix = drawn(nn.EmbeddingBag(len(spelling.affix), dim, mode="sum", padding_idx=0))

    def forward(self, cap: Tensor, shape: Tensor, affix: Tensor, marks: Tensor) -> Tensor:
        """Ids cap [N], shape [N] and affix [N, 6], and marks [N, 2]: [N, size]."""
        vectors = [self.cap(cap), self.shape(shape), self.affix(affix)]
        return self.dropout(torch.cat([*vectors, marks.to(vectors[0].dtype)], -1))


def _given(vocabularies: Vocabularies | None) -> Vocabularies:
    if vocabularies is None:
        raise InputError("the encoder reads tags or spelling; give it vocabularies=, those of the graphs")
    return vocabularies


def _tags(vocabularies: Vocabularies | None) -> Vocabulary:
    tags = _given(vocabularies).tag
    if len(tags) <= len(SPECIAL):
        raise InputError(
            "the encoder reads tags, and the vocabularies have none; give tagged sentences, or leave out tag_dim"
        )
    return tags


def _spelling(vocabularies: Vocabularies | None) -> Spelling:
    spelling = _given(vocabularies).spelling
    if spelling is None:
        raise InputError("the encoder reads the spelling of words; in a recipe, set embedding.spelling: true")
    return spelling
