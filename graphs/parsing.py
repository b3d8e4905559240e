"""Raw or tokenised sentences in, dependency and constituency trees out, by Stanza in this process.

    >>> import graphs
    >>> parses = graphs.parse(["The film worked."], stanza_dir="stanza_resources")  # doctest: +SKIP
    >>> parses[0].dependencies.words  # doctest: +SKIP
    ['The', 'film', 'worked', '.']

Sentences are parsed many at a time, those of one length together, and every parse is kept in a cache: what was parsed
before a program stopped is not parsed again. Several programs may share a cache, so a corpus can be parsed by one
process a GPU, each with a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from os import PathLike

import numpy as np

from graphs import trees
from graphs.bulk import Progress, Record, Text, comments, in_bulk
from graphs.columns import Constituency, Dependencies
from graphs.errors import Origin, SentenceError
from graphs.stanza_models import PROCESSORS, models
from graphs.stanza_pipeline import StanzaPipeline, Trees


@dataclass(frozen=True, eq=False, slots=True)
class Parse:
    """What Stanza says of one sentence; both trees have the same words.

    Attributes:
        dependencies: Universal Dependencies, with lemmas and tags; its comments are `sent_id` and `text`.
        constituency: constituency tree under ROOT, its words unescaped.
    """

    dependencies: Dependencies
    constituency: Constituency


def parse(
    texts: str | Iterable[Text],
    *,
    stanza_dir: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
    device: str = "auto",
    split: bool = False,
    max_tokens: int = 400,
    batch: int = 1000,
    on_progress: Progress | None = None,
) -> list[Parse | SentenceError]:
    """Parses sentences; a sentence that cannot be parsed gives its error in its place, and the others go on.

    Args:
        texts: sentences. A string is tokenised and stays one sentence, and may stand alone; tokens stay as they are. Of
            `Dependencies` tags, features and lemmas are kept, of `Tagged` its column `pos` as xpos, and parses are made
            with them: Stanza's dependency parser reads upos, xpos and features, its constituency parser xpos. What is
            "_" Stanza says.
        stanza_dir: folder with Stanza's resources.json and English models; then nothing is downloaded. Without it
            Stanza's own folder, into which Stanza downloads what is missing.
        cache: folder of the cache; by default $DGLSENT_CACHE, else dglsent/parses in $XDG_CACHE_HOME or ~/.cache.
        device: "cpu", "cuda" (or "cuda:1"), or "auto": CUDA where torch has it.
        split: strings are running text, which is split into sentences first; the result has one entry a sentence.
        max_tokens: a longer sentence that is not in the cache is refused: time and memory grow with the square of its
            length.
        batch: sentences parsed in one go, after which they are in the cache.
        on_progress: called with the numbers of sentences that are done, that there are, and that failed.

    Returns:
        A parse or an error for each sentence, in order; `origin.sentence` is its number, counted from 1.
        `graphs.formats.policy.collect` drops the errors or raises the first.

    Raises:
        InputError: there are no models, the cache cannot be used, `device` is not there, `max_tokens` or `batch` is no
            whole number from 1, or what was given is no sentences.
    """
    pipeline = StanzaPipeline(models(stanza_dir, PROCESSORS), device)
    return in_bulk(
        texts,
        pipeline,
        pipeline.parse,
        _record,
        _restored,
        cache=cache,
        split=split,
        max_tokens=max_tokens,
        batch=batch,
        on_progress=on_progress,
    )


def _record(parse: Trees) -> Record:
    """A parse as it is cached. The childless nodes of the tree are the words, in order."""
    sentence, tree = parse
    return {
        "word": sentence.word,
        "head": sentence.head.tolist(),
        "relation": sentence.relation,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "lemma": sentence.lemma,
        "feats": sentence.feats,
        "multiword": sentence.multiword,
        "label": tree.label,
        "parent": tree.parent.tolist(),
    }


def _restored(record: Record, text: Text, origin: Origin) -> Parse:
    dependencies = Dependencies(
        word=record["word"],
        head=np.asarray(record["head"], dtype=np.int64),
        relation=record["relation"],
        upos=record["upos"],
        xpos=record["xpos"],
        lemma=record["lemma"],
        feats=record.get("feats", ()),  # parses that were cached before it are as good without
        multiword=[(first, last, form) for first, last, form in record["multiword"]],
        comments=[f"sent_id = {origin.sentence}", *comments(text)],
        origin=origin,
    )
    inner = set(record["parent"])
    words = iter(record["word"])
    word = [None if node in inner else next(words) for node in range(len(record["label"]))]
    tree = Constituency(record["label"], word, np.asarray(record["parent"], dtype=np.int64), origin)
    _check(dependencies, tree)
    return Parse(dependencies, tree)


def _check(dependencies: Dependencies, tree: Constituency) -> None:
    """ValueError unless these are two trees over the same words."""
    columns = ("word", "relation", "upos", "xpos", "lemma", "feats")
    strings = [*chain.from_iterable(getattr(dependencies, column) for column in columns), *tree.label]
    if not all(isinstance(string, str) for string in strings) or tree.words != dependencies.words:
        raise ValueError("not the same words")
    trees.refuse_cycle(trees.heads(dependencies))
    trees.require_one(tree)
