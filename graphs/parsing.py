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

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from graphs import builders, trees
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import Origin, SentenceError
from graphs.parse_cache import ParseCache, cache_folder
from graphs.stanza_pipeline import StanzaModels, StanzaPipeline, Tokens, models

Text: TypeAlias = str | Sequence[str] | Dependencies | Tagged
"""A sentence as a string, as its tokens, or as tokens with tags, whose heads are not looked at."""

_FORMAT = 1  # of cached parses
_WORDS = 8000  # parsed in one go at most: about a minute of one core's work is lost with a killed program


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
    texts: Iterable[Text],
    *,
    stanza_dir: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
    device: str = "auto",
    split: bool = False,
    max_tokens: int = 400,
    batch: int = 1000,
    on_progress: Callable[[int, int, int], None] | None = None,
) -> list[Parse | SentenceError]:
    """Parses sentences; a sentence that cannot be parsed gives its error in its place, and the others go on.

    Args:
        texts: sentences. A string is tokenised and stays one sentence; a sequence of tokens keeps exactly these. Of
            `Dependencies` tags, features and lemmas are kept, of `Tagged` its column `pos` as xpos, and parses are made
            with them: Stanza's dependency parser reads upos, xpos and features, its constituency parser xpos. What is
            "_" Stanza says.
        stanza_dir: folder with Stanza's resources.json and English models; then nothing is downloaded. Without it
            Stanza's own folder, into which Stanza downloads what is missing.
        cache: folder of the cache; $DGLSENT_CACHE or ~/.cache/dglsent/parses by default.
        device: "cpu", "cuda" (or "cuda:1"), or "auto": CUDA where torch has it.
        split: strings are running text, which is split into sentences first; the result has one entry a sentence.
        max_tokens: a longer sentence is refused: time and memory grow with the square of its length.
        batch: sentences parsed in one go, after which they are in the cache.
        on_progress: called with the numbers of sentences that are done, that there are, and that failed.

    Returns:
        A parse or an error for each sentence, in order; `origin.sentence` is its number, counted from 1.
        `graphs.formats.policy.collect` drops the errors or raises the first.

    Raises:
        InputError: there are no models, the cache cannot be used, or `device` is not there.
    """
    there = models(stanza_dir)
    sentences = list(texts)
    pipeline = StanzaPipeline(there, device)
    if split:
        sentences = [one for text in sentences for one in (pipeline.split(text) if isinstance(text, str) else [text])]
    store = ParseCache(cache_folder(cache))
    keys = [_key(there, text) for text in sentences]
    known: dict[bytes, bytes] = store.get(dict.fromkeys(keys))
    failed: dict[bytes, str] = {}
    times = Counter(keys)
    todo = {key: text for key, text in zip(keys, sentences, strict=True) if key not in known}
    done = len(keys) - sum(times[key] for key in todo)
    report = on_progress or (lambda done, total, failed: None)
    if todo:
        pipeline.load()
    report(done, len(keys), 0)
    for some in _batches(todo, batch):
        new: dict[bytes, bytes] = {}
        for key, result in zip(some, pipeline.parse([_tokens(todo[key]) for key in some], max_tokens), strict=True):
            if isinstance(result, str):
                failed[key] = result
            else:
                new[key] = _pack(*result)
        store.put(new)
        known |= new
        done += sum(times[key] for key in some)
        report(done, len(keys), sum(times[key] for key in failed))
    return [
        SentenceError(failed[key], Origin(sentence=str(number)))
        if key in failed
        else _unpack(known[key], text, Origin(sentence=str(number)), store)
        for number, (key, text) in enumerate(zip(keys, sentences, strict=True), 1)
    ]


def _tokens(text: Text) -> str | Tokens:
    """What the pipeline is given of a sentence."""
    if isinstance(text, str):
        return text
    if isinstance(text, Tagged):
        return Tokens(text.words, tags=_known({"xpos": text.columns.get("pos", ())}))
    if isinstance(text, Dependencies):
        columns = {name: getattr(text, name) for name in ("upos", "xpos", "feats", "lemma")}
        return Tokens(text.words, list(text.multiword), _known(columns))
    return Tokens(list(text))


def _known(columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The columns that say something."""
    return {name: list(column) for name, column in columns.items() if any(tag != "_" for tag in column)}


def _key(there: StanzaModels, text: Text) -> bytes:
    """Names a parse: by the models, and by the content, where a string is not its tokens."""
    given = _tokens(text)
    content: Any = " ".join(given.split()) if isinstance(given, str) else given.words
    if isinstance(given, Tokens) and (given.tags or given.multiword):
        content = {"words": given.words, "multiword": given.multiword, **given.tags}
    return hashlib.sha256(json.dumps([_FORMAT, there.identity, content]).encode()).digest()


def _batches(todo: dict[bytes, Text], most: int) -> Iterator[list[bytes]]:
    """Sentences of about one length together, and fewer of them where they are long.

    The batches come in a random order, so that the first ones tell how long the whole will take.
    """
    size = {key: len(text.split()) if isinstance(text, str) else len(text) for key, text in todo.items()}
    batches: list[list[bytes]] = []
    words = 0
    for key in sorted(todo, key=size.__getitem__):
        if not batches or len(batches[-1]) >= most or words + size[key] > _WORDS:
            batches.append([])
            words = 0
        batches[-1].append(key)
        words += size[key]
    random.Random(0).shuffle(batches)
    yield from batches


def _pack(sentence: Dependencies, tree: Constituency) -> bytes:
    """A parse as it is cached. The childless nodes of the tree are the words, in order."""
    record = {
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
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _unpack(packed: bytes, text: Text, origin: Origin, store: ParseCache) -> Parse:
    try:
        return _restored(json.loads(packed.decode("utf-8", "surrogatepass")), text, origin)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, StopIteration):
        raise store.damaged() from None


def _restored(record: dict[str, Any], text: Text, origin: Origin) -> Parse:
    dependencies = Dependencies(
        word=record["word"],
        head=np.asarray(record["head"], dtype=np.int64),
        relation=record["relation"],
        upos=record["upos"],
        xpos=record["xpos"],
        lemma=record["lemma"],
        feats=record.get("feats", ()),  # parses that were cached before it are as good without
        multiword=[(first, last, form) for first, last, form in record["multiword"]],
        comments=[f"sent_id = {origin.sentence}", *_comments(text)],
        origin=origin,
    )
    inner = set(record["parent"])
    words = iter(record["word"])
    word = [None if node in inner else next(words) for node in range(len(record["label"]))]
    tree = Constituency(record["label"], word, np.asarray(record["parent"], dtype=np.int64), origin)
    _check(dependencies, tree)
    return Parse(dependencies, tree)


def _comments(text: Text) -> list[str]:
    """The text of a sentence as a comment, and what else its own comments say."""
    given = _tokens(text)
    whole = " ".join((given if isinstance(given, str) else " ".join(given.words)).split())
    own = [line for line in text.comments if not line.startswith("sent_id")] if isinstance(text, Dependencies) else []
    return own if any(line.startswith("text =") for line in own) else [f"text = {whole}", *own]


def _check(dependencies: Dependencies, tree: Constituency) -> None:
    """ValueError unless these are two trees over the same words."""
    size, columns = len(dependencies), ("word", "relation", "upos", "xpos", "lemma", "feats")
    strings = [*chain.from_iterable(getattr(dependencies, column) for column in columns), *tree.label]
    if (
        not size
        or dependencies.head.shape != (size,)
        or any(len(getattr(dependencies, column)) != size for column in columns)
    ):
        raise ValueError("columns of different lengths")
    if not all(isinstance(string, str) for string in strings) or tree.words != dependencies.words:
        raise ValueError("not the same words")
    builders.heads(dependencies)
    trees.refuse_cycle(dependencies.head)
    before = np.arange(len(tree))
    if (
        len(tree.parent) != len(tree)
        or (tree.parent >= before).any()
        or (tree.parent < np.minimum(before, 1) - 1).any()
    ):
        raise ValueError("not a tree in pre-order")
