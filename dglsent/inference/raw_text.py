"""Raw text of what people give to a model, parsed or tagged by Stanza, or cut in tokens where no more is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from dglsent.corpora.example import Parsed
from dglsent.inference.given import REMEDY, Given, Raw, Readable
from graphs.columns import Dependencies
from graphs.errors import InputError, Origin, SentenceError, counted
from graphs.parsing import Parse
from graphs.tokens import tokens

if TYPE_CHECKING:
    from dglsent.training.fit import Say

Needs: TypeAlias = Literal["words", "tags", "parses"]
"""What a model reads of a sentence."""


def readable(
    examples: Sequence[tuple[Given, ...]],
    needs: Needs,
    *,
    cut: Callable[[str], list[str]] = tokens,
    stanza_dir: str | os.PathLike[str] | None = None,
    device: str = "auto",
    say: Say = lambda line: None,
) -> list[tuple[Readable, ...]]:
    """Examples with raw text parsed or tagged by Stanza, or where the model reads words alone as its tokens.

    Args:
        examples: sentences of any kind.
        needs: what the model reads of a sentence.
        cut: makes the tokens of a text where the model reads words alone.
        stanza_dir: as in `graphs.parse`.
        device: where Stanza computes.
        say: is told by which models text is parsed or tagged.

    Raises:
        InputError: there is no Stanza that could do so.
    """
    raw = [one for example in examples for one in example if isinstance(one, Raw)]
    if not raw:
        made: list[Readable] = []
    elif needs == "words":
        made = [_tokenised(one, cut) for one in raw]
    else:
        made = _by_stanza(raw, needs, stanza_dir, device, say)
    found = iter(made)
    return [tuple(next(found) if isinstance(one, Raw) else one for one in example) for example in examples]


def _by_stanza(
    raw: Sequence[Raw], needs: Needs, stanza_dir: str | os.PathLike[str] | None, device: str, say: Say
) -> list[Readable]:
    import graphs
    from graphs.stanza_models import PROCESSORS, TAGGING, models

    tags = needs == "tags"
    try:
        there = models(stanza_dir, TAGGING if tags else PROCESSORS)
        doing = "tagging" if tags else "parsing"
        say(f"{doing} {counted(len(raw), 'sentence')} with {there.title} of {there.folder}")
        made: Sequence[Parse | Dependencies | SentenceError] = (graphs.tag if tags else graphs.parse)(
            [one.text for one in raw], stanza_dir=stanza_dir, device=device
        )
    except InputError as error:
        command = "dglsent parse --tags" if tags else "dglsent parse"
        given = "raw text was" if any(isinstance(one.text, str) for one in raw) else "tokens alone were"
        raise InputError(
            f"the model needs {needs}, and {given} given: {error}; "
            f"or make them where Stanza is, with `{command}`, and give these"
        ) from None
    return [_placed(one, of.origin) for one, of in zip(made, raw, strict=True)]


def _placed(made: Parse | Dependencies | SentenceError, origin: Origin) -> Readable:
    if isinstance(made, SentenceError):
        return SentenceError(made.reason, origin)
    if isinstance(made, Dependencies):
        return Parsed(unparsed=replace(made, origin=origin), remedy=REMEDY)
    return Parsed(replace(made.constituency, origin=origin), replace(made.dependencies, origin=origin))


def _tokenised(raw: Raw, cut: Callable[[str], list[str]]) -> Readable:
    words = cut(raw.text) if isinstance(raw.text, str) else list(raw.text)
    if not words:
        return SentenceError("the sentence has no words", raw.origin)
    return Parsed(unparsed=Dependencies.unparsed(words, raw.origin))
