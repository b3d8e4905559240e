"""Sentences through Stanza in bulk: those of one length together, each once, for what comes out is kept in a cache."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, TypeVar

from graphs.columns import Dependencies, Tagged
from graphs.errors import InputError, Origin, SentenceError, check_whole
from graphs.parse_cache import ParseCache, cache_folder
from graphs.stanza_models import StanzaModels
from graphs.stanza_pipeline import StanzaPipeline, Tokens

Text: TypeAlias = str | Sequence[str] | Dependencies | Tagged
"""A sentence as a string, as its tokens, or as tokens with tags, whose heads are not looked at."""

Record: TypeAlias = dict[str, Any]
"""What is cached of a sentence, as JSON."""

Said = TypeVar("Said")
Made = TypeVar("Made")

Progress: TypeAlias = Callable[[int, int, int], None]
"""Called with the numbers of sentences that are done, that there are, and that failed."""

_FORMAT = 1  # of what is cached
_SENT_ID = re.compile(r"sent_id\s*=")
_WORDS = 8000  # that go in one batch at most: about a minute of one core's work is lost with a killed program


def in_bulk(
    texts: str | Iterable[Text],
    pipeline: StanzaPipeline,
    work: Callable[[Sequence[str | Tokens], int], Sequence[Said | str]],
    recorded: Callable[[Said], Record],
    restored: Callable[[Record, Text, Origin], Made],
    *,
    cache: str | PathLike[str] | None,
    split: bool,
    max_tokens: int,
    batch: int,
    on_progress: Progress | None,
) -> list[Made | SentenceError]:
    """What is made of each sentence, or its error.

    Args:
        texts: the sentences; one text may stand alone.
        pipeline: Stanza.
        work: what it makes of some of them that have so many tokens at most, or why there is nothing.
        recorded: this as it is cached.
        restored: what is made of that again, given its sentence, and its number as origin.
        cache: folder of the cache; by default $DGLSENT_CACHE, else dglsent/parses in $XDG_CACHE_HOME or ~/.cache.
        split: strings are running text, which is split into sentences first.
        max_tokens: of a sentence that is not in the cache.
        batch: sentences that go in one batch at most, after which they are in the cache.
        on_progress: called as the batches are done.

    Raises:
        InputError: something else than sentences was given, `max_tokens` or `batch` is no whole number from 1, or the
            cache cannot be used.
    """
    store = ParseCache(cache_folder(cache))
    check_whole(max_tokens=max_tokens, batch=batch)
    sentences = _listed(texts)
    if split:
        sentences = [one for text in sentences for one in (pipeline.split(text) if isinstance(text, str) else [text])]
    keys = [key(pipeline.models, text) for text in sentences]
    known: dict[bytes, bytes] = store.get(dict.fromkeys(keys))
    failed: dict[bytes, str] = {}
    times = Counter(keys)
    todo = {key: text for key, text in zip(keys, sentences, strict=True) if key not in known}
    done = len(keys) - sum(times[key] for key in todo)
    report = on_progress or (lambda done, total, failed: None)
    if todo:
        pipeline.load()
    report(done, len(keys), 0)
    for some in batches(todo, batch):
        new: dict[bytes, bytes] = {}
        for one, result in zip(some, work([as_tokens(todo[one]) for one in some], max_tokens), strict=True):
            if isinstance(result, str):
                failed[one] = result
            else:
                new[one] = packed(recorded(result))
        store.put(new)
        known |= new
        done += sum(times[one] for one in some)
        report(done, len(keys), sum(times[one] for one in failed))
    numbered = [(Origin(sentence=str(number)), one) for number, one in enumerate(keys, 1)]
    return [
        SentenceError(failed[one], origin) if one in failed else unpacked(known[one], text, origin, restored, store)
        for text, (origin, one) in zip(sentences, numbered, strict=True)
    ]


def packed(record: Record) -> bytes:
    """What is kept in the cache of a sentence."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpacked(
    cached: bytes, text: Text, origin: Origin, restored: Callable[[Record, Text, Origin], Made], store: ParseCache
) -> Made:
    """What is made of this again.

    Raises:
        InputError: the cache is damaged.
    """
    try:
        return restored(json.loads(cached.decode("utf-8", "surrogatepass")), text, origin)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, StopIteration):
        raise store.damaged() from None


def _listed(texts: Any) -> list[Text]:
    """What was given as a list of sentences."""
    if isinstance(texts, str):
        return [_sentence(texts, 1)]
    table = hasattr(texts, "columns")  # of pandas, whose names would be the sentences
    if not isinstance(texts, Iterable) or table or isinstance(texts, bytes | Mapping | Dependencies):
        raise InputError(
            f"a list of sentences is wanted, and a value of type {type(texts).__name__} was given; give [...]"
        )
    return [_sentence(one, number) for number, one in enumerate(texts, 1)]


def _sentence(given: Any, number: int) -> Text:
    if isinstance(given, str):
        return given.removeprefix("\ufeff")  # of byte order, where a file was read without a thought of it
    if isinstance(given, Dependencies | Tagged):
        return given
    tokens = list(given) if isinstance(given, Iterable) and not isinstance(given, bytes | Mapping) else None
    if tokens is None or not all(isinstance(token, str) for token in tokens):
        raise InputError(
            f"sentence {number} is a value of type {type(given).__name__}; give text, a list of tokens, or "
            "Dependencies or Tagged of graphs"
        )
    return tokens


def as_tokens(text: Text) -> str | Tokens:
    """What the pipeline is given of a sentence."""
    if isinstance(text, str):
        return text
    if isinstance(text, Tagged):
        return Tokens(text.words, tags=_known({"xpos": text.columns.get("pos", ())}))
    if isinstance(text, Dependencies):
        columns = {name: getattr(text, name) for name in ("upos", "xpos", "feats", "lemma")}
        return Tokens(text.words, list(text.multiword), _known(columns))
    return Tokens(list(text))


def comments(text: Text) -> list[str]:
    """The text of a sentence as a comment, and what else its own comments say."""
    given = as_tokens(text)
    whole = " ".join((given if isinstance(given, str) else " ".join(given.words)).split())
    own = list(_own(text.comments)) if isinstance(text, Dependencies) else []
    return own if any(line.startswith("text =") for line in own) else [f"text = {whole}", *own]


def _own(comments: Sequence[str]) -> Iterator[str]:
    """Comments as they are; a `sent_id` of the source that is no number stays beside the one that its place gives."""
    for line in comments:
        if not _SENT_ID.match(line):
            yield line
        elif not line.partition("=")[2].strip().isdecimal():
            yield f"source_{line}"


def key(there: StanzaModels, text: Text) -> bytes:
    """Names what the models make of a sentence: by them, and by its content, where a string is not its tokens."""
    given = as_tokens(text)
    content: Any = " ".join(given.split()) if isinstance(given, str) else given.words
    if isinstance(given, Tokens) and (given.tags or given.multiword):
        content = {"words": given.words, "multiword": given.multiword, **given.tags}
    return hashlib.sha256(json.dumps([_FORMAT, there.identity, content]).encode()).digest()


def batches(todo: Mapping[bytes, Text], most: int) -> Iterator[list[bytes]]:
    """Sentences of about one length together, and fewer of them where they are long.

    The batches come in a random order, so that the first ones tell how long the whole will take.
    """
    size = {key: len(text.split()) if isinstance(text, str) else len(text) for key, text in todo.items()}
    cut: list[list[bytes]] = []
    words = 0
    for one in sorted(todo, key=size.__getitem__):
        if not cut or len(cut[-1]) >= most or words + size[one] > _WORDS:
            cut.append([])
            words = 0
        cut[-1].append(one)
        words += size[one]
    random.Random(0).shuffle(cut)
    yield from cut


def _known(columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The columns that say something."""
    return {name: list(column) for name, column in columns.items() if any(tag != "_" for tag in column)}
