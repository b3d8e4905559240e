"""Which words a model knows, the pretrained vectors they start from, and vectors of tokens that are made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from dglsent.corpora.corpus import data_folder
from dglsent.training.recipe import EmbeddingOptions
from graphs.errors import InputError
from graphs.features import SPECIAL, Vocabulary
from graphs.token_vectors import TokenVectors
from graphs.vectors import WordVectors, read_vectors

_SENTENCES = ".safetensors"


def are_given(options: EmbeddingOptions) -> bool:
    """Whether words have the vectors that a file gives to the tokens of each sentence, and none of their own.

    Raises:
        InputError: the recipe wants such a file beside others, or to tune its vectors.
    """
    named = _named(options)
    if not any(name.endswith(_SENTENCES) for name in named):
        return False
    if len(named) > 1:
        raise InputError(
            f"embedding.vectors: {', '.join(named)}: vectors of tokens stand beside no others; name one file"
        )
    if options.tune:
        raise InputError(
            f"{named[0]}: the vectors of tokens are made elsewhere and are not tuned; add --embedding.tune false"
        )
    return True


def token_vectors(options: EmbeddingOptions, data: Path | None) -> TokenVectors | None:
    """The vectors of the tokens of sentences, where the recipe names a file of such.

    Raises:
        InputError: the file is missing, cannot be read, or has vectors of another size.
    """
    if not are_given(options):
        return None
    (name,) = _named(options)
    vectors = TokenVectors(vectors_file(name, data))
    if vectors.dim != options.dim:
        raise InputError(
            f"{name}: vectors of {vectors.dim} dimensions, the recipe has embedding.dim {options.dim}; "
            f"add --embedding.dim {vectors.dim}"
        )
    return vectors


def read_files(
    options: EmbeddingOptions, words: Vocabulary, data: Path | None, say: Callable[[str], None] = lambda line: None
) -> list[WordVectors]:
    """The pretrained vectors of some words, a file each; none where the recipe names no file.

    Args:
        options: the files and the dimensions of their vectors side by side.
        words: V words.
        data: the data folder; None for that of the environment.
        say: is told how many of them each file knows.

    Raises:
        InputError: a file is missing, or their vectors together have another size; all sizes are said.
    """
    if are_given(options):
        return []
    named = _named(options)
    read = [read_vectors(vectors_file(name, data), words) for name in named]
    for name, found in zip(named, read, strict=True):
        say(f"{name}: vectors of {found.found.sum():,} of {len(words) - len(SPECIAL):,} words")
    sizes = [found.matrix.shape[1] for found in read]
    if read and sum(sizes) != options.dim:
        each = " and ".join(f"{name}: vectors of {size} dimensions" for name, size in zip(named, sizes, strict=True))
        together = f", {sum(sizes)} together" if len(sizes) > 1 else ""
        raise InputError(
            f"{each}{together}, the recipe has embedding.dim {options.dim}; add --embedding.dim {sum(sizes)}"
        )
    return read


def _named(options: EmbeddingOptions) -> list[str]:
    return [options.vectors] if isinstance(options.vectors, str) else options.vectors or []


def vectors_file(name: str, data: Path | None) -> Path:
    """The path of a file of vectors, from the working folder or in the data folder.

    Raises:
        InputError: it is in neither.
    """
    here = Path(name).expanduser()
    if here.is_file():
        return here
    said = f"embedding.vectors: no file {here.absolute()}"
    if not here.is_absolute():
        try:
            there = data_folder(data) / name
        except InputError as error:
            raise InputError(f"{said}, and {error}") from None
        if there.is_file():
            return there
        said = f"{said} nor {there}"
    raise InputError(f"{said}; put the file there (docs/data.md) or name another with --embedding.vectors FILE")


def none_known(options: EmbeddingOptions, words: Vocabulary) -> str:
    """A line on a vocabulary of no word at all, with which a model tells words by their spelling alone, else ""."""
    if len(words) > len(SPECIAL) or are_given(options):
        return ""
    return (
        f"embedding.min_count: no word stands {options.min_count} times in the training split, so that all are "
        "unknown; give a lower one with --embedding.min_count"
    )


def known_words(frequent: Vocabulary, vectors: Sequence[WordVectors]) -> Vocabulary:
    """The words that a model knows: those with a vector in any file, and those that training meets often enough.

    Args:
        frequent: the latter.
        vectors: vectors of all words of the corpus, in each file.

    Raises:
        InputError: no word has a vector.
    """
    words = vectors[0].vocabulary
    found = np.logical_or.reduce([read.found for read in vectors])
    if not found.any():
        raise InputError(
            f"embedding.vectors: no word of the corpus has a vector in them; are they of another language, or "
            f"are words written otherwise there (embedding.lower is {str(words.lower).lower()})?"
        )
    kept = (
        word
        for number, word in enumerate(words.strings[len(SPECIAL) :], len(SPECIAL))
        if found[number] or word in frequent
    )
    return Vocabulary(kept, lower=words.lower, fold_digits=words.fold_digits)


def initial(vectors: Sequence[WordVectors], words: Vocabulary) -> torch.Tensor | None:
    """The vectors [V, dim] that words start from, those of all files side by side; None without any file.

    Where a file has no vector of a word, its dimensions of that word are drawn from U(-0.05, 0.05).
    """
    if not vectors:
        return None
    columns = []
    for taken in (read.take(words) for read in vectors):
        column = torch.empty(taken.matrix.shape).uniform_(-0.05, 0.05)
        known = torch.from_numpy(taken.found)
        column[known] = torch.from_numpy(taken.matrix)[known]
        columns.append(column)
    return torch.cat(columns, 1)
