"""Raw or tokenised sentences in, part-of-speech tags out, by Stanza's tagger alone: for models that read no trees.

    >>> import graphs
    >>> tagged = graphs.tag(["The film worked."], stanza_dir="stanza_resources")  # doctest: +SKIP
    >>> tagged[0].xpos  # doctest: +SKIP
    ['DT', 'NN', 'VBD', '.']

The tags are those that `graphs.parse` gives, whose parsers take most of its time. They are cached as parses are.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

import numpy as np

from graphs.bulk import Progress, Record, Text, comments, in_bulk
from graphs.columns import Dependencies
from graphs.errors import Origin, SentenceError
from graphs.stanza_models import TAGGING, models
from graphs.stanza_pipeline import StanzaPipeline

_COLUMNS = ("word", "upos", "xpos", "feats", "lemma")


def tag(
    texts: str | Iterable[Text],
    *,
    stanza_dir: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
    device: str = "auto",
    split: bool = False,
    max_tokens: int = 400,
    batch: int = 1000,
    on_progress: Progress | None = None,
) -> list[Dependencies | SentenceError]:
    """Tags sentences; a sentence that cannot be tagged gives its error in its place, and the others go on.

    Args:
        texts: sentences, as `graphs.parse` takes them; tags and lemmas that they have are kept.
        stanza_dir: folder with Stanza's resources.json and English models, of which only those of the tokeniser and
            the tagger are read; otherwise as in `graphs.parse`.
        cache: folder of the cache; by default $DGLSENT_CACHE, else dglsent/parses in $XDG_CACHE_HOME or ~/.cache.
        device: "cpu", "cuda" (or "cuda:1"), or "auto": CUDA where torch has it.
        split: strings are running text, which is split into sentences first; the result has one entry a sentence.
        max_tokens: a longer sentence that is not in the cache is refused.
        batch: sentences tagged in one go, after which they are in the cache.
        on_progress: called with the numbers of sentences that are done, that there are, and that failed.

    Returns:
        Words with upos, xpos and feats, or an error, for each sentence, in order. No word has a head: all are -1.

    Raises:
        InputError: there are no models, the cache cannot be used, `device` is not there, `max_tokens` or `batch` is no
            whole number from 1, or what was given is no sentences.
    """
    pipeline = StanzaPipeline(models(stanza_dir, TAGGING), device)
    return in_bulk(
        texts,
        pipeline,
        pipeline.tag,
        _record,
        _restored,
        cache=cache,
        split=split,
        max_tokens=max_tokens,
        batch=batch,
        on_progress=on_progress,
    )


def _record(sentence: Dependencies) -> Record:
    """Tags as they are cached."""
    return {name: list(getattr(sentence, name)) for name in _COLUMNS} | {"multiword": sentence.multiword}


def _restored(record: Record, text: Text, origin: Origin) -> Dependencies:
    """ValueError unless all columns are texts, and as many as there are words."""
    columns = [record[name] for name in _COLUMNS]
    size = len(columns[0])
    if not size or any(len(column) != size or not all(isinstance(one, str) for one in column) for column in columns):
        raise ValueError("columns of different lengths, or not of text")
    return Dependencies(
        **{name: record[name] for name in _COLUMNS},
        head=np.full(size, -1),
        relation=["_"] * size,
        multiword=[(first, last, form) for first, last, form in record["multiword"]],
        comments=[f"sent_id = {origin.sentence}", *comments(text)],
        origin=origin,
    )
