"""Stanza's English pipeline, made quiet, and made to fail for one sentence at a time and in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, SentenceError
from graphs.formats.brackets import from_stanza_tree
from graphs.formats.conllu import from_stanza_sentence, tags_of_stanza_sentence
from graphs.stanza_models import PROCESSORS, StanzaModels, error_line, pipeline, quiet

T = TypeVar("T")
R = TypeVar("R")

_TAGGER, *_PARSERS = PROCESSORS[1:]
_SPACE = dict.fromkeys([*map(ord, " \t\r\n"), *range(0x80, 0xA0)])  # what Stanza's tokeniser takes for space

_BEFORE: Final = ("upos", "xpos", "feats")  # what the parsers read of a word
_AFTER: Final = "lemma"


@dataclass(frozen=True, eq=False, slots=True)
class Tokens:
    """The n words of a sentence, and what is known of them.

    Attributes:
        words: the words.
        multiword: multiword tokens, as `Dependencies` has them.
        tags: of upos, xpos, feats and lemma those that are given, each [n], "_" where Stanza is to say.
    """

    words: list[str]
    multiword: Sequence[tuple[int, int, str]] = ()
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)


Trees: TypeAlias = tuple[Dependencies, Constituency]


class StanzaPipeline:
    """Tokenises, tags and parses; its models are loaded when they are first needed.

    Args:
        models: its models.
        device: "cpu", "cuda" (or "cuda:1"), or "auto": CUDA where torch has it.

    Attributes:
        models: its models.
    """

    def __init__(self, models: StanzaModels, device: str = "auto") -> None:
        self.models = models
        self._device = device

    def load(self) -> Any:
        """Stanza's pipeline, which is kept in memory.

        Raises:
            InputError: a model is missing or cannot be loaded, or `device` is not there.
        """
        return pipeline(self.models, self._device, no_ssplit=True)

    def split(self, text: str) -> list[str]:
        """The sentences of a running text."""
        if not text.strip():
            return []
        with quiet():
            document = pipeline(self.models, self._device, no_ssplit=False).process(text)
        return [sentence.text for sentence in document.sentences]

    def tag(self, texts: Sequence[str | Tokens], max_tokens: int) -> list[Dependencies | str]:
        """Words with their tags of each text, without heads; or why there are none."""
        return self._each(texts, max_tokens, self._tag)

    def parse(self, texts: Sequence[str | Tokens], max_tokens: int) -> list[Trees | str]:
        """Trees of each text, or why there are none."""
        return self._each(texts, max_tokens, self._parse)

    def _each(
        self, texts: Sequence[str | Tokens], max_tokens: int, work: Callable[[Sequence[Tokens]], Sequence[R]]
    ) -> list[R | str]:
        """What is made of the words of each text."""
        with quiet():
            # An endless text would be tokenised to be refused, a blank line in a text would cut it in two.
            clean = [" ".join(text.split()[: max_tokens + 1]) for text in texts if isinstance(text, str)]
            tokenised = iter(isolate(self._tokenise, clean))
            words = [next(tokenised) if isinstance(text, str) else text for text in texts]
            checked = [one if isinstance(one, str) else _refusal(one.words, max_tokens) or one for one in words]
            made = iter(isolate(work, [one for one in checked if not isinstance(one, str)]))
            return [one if isinstance(one, str) else next(made) for one in checked]

    def _tokenise(self, texts: Sequence[str]) -> list[Tokens]:
        """Words of strings that are one sentence each."""
        from stanza.models.common.doc import Document

        filled = [Document([], text=text) for text in texts if text]
        documents = iter(self.load().process(filled, processors="tokenize"))
        return [_words(text, next(documents).sentences) if text else Tokens([]) for text in texts]

    def _tagged(self, sentences: Sequence[Tokens]) -> Any:
        """Stanza's document of tokenised sentences, with tags."""
        from stanza.models.common.doc import Document

        given = [[{"id": (place,), "text": word} for place, word in enumerate(one.words, 1)] for one in sentences]
        document = self.load().process(Document(given), processors=[_TAGGER])
        for one, sentence in zip(sentences, document.sentences, strict=True):
            for name in _BEFORE:
                _set(sentence.words, name, one.tags.get(name, ()))
        return document

    def _tag(self, sentences: Sequence[Tokens]) -> list[Dependencies]:
        """Tags of tokenised sentences."""
        results = []
        for one, sentence in zip(sentences, self._tagged(sentences).sentences, strict=True):
            _set(sentence.words, _AFTER, one.tags.get(_AFTER, ()))
            tagged = tags_of_stanza_sentence(sentence)
            tagged.multiword = one.multiword
            if tagged.word != one.words:
                raise SentenceError("Stanza returns other words than it was given")
            results.append(tagged)
        return results

    def _parse(self, sentences: Sequence[Tokens]) -> list[Trees]:
        """Trees of tokenised sentences."""
        parsed = self.load().process(self._tagged(sentences), processors=_PARSERS).sentences
        results = []
        for one, sentence in zip(sentences, parsed, strict=True):
            _set(sentence.words, _AFTER, one.tags.get(_AFTER, ()))
            dependencies = from_stanza_sentence(sentence)
            dependencies.multiword = one.multiword
            tree = from_stanza_tree(sentence.constituency)
            if dependencies.word != one.words or tree.words != one.words:
                raise SentenceError("Stanza returns other words than it was given")
            results.append((dependencies, tree))
        return results


def isolate(function: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T]) -> list[R | str]:
    """Results of a function of many items; where it raises, halves find the items at fault, which give why.

    Raises:
        InputError: the function raises one, but for a SentenceError: it is no matter of an item.
    """
    if not items:
        return []
    try:
        return list(function(items))
    except InputError as error:
        if not isinstance(error, SentenceError):
            raise
        reason = error.reason
    except Exception as error:  # Stanza and torch have no class of their own for what goes wrong
        reason = f"Stanza fails: {error_line(error)}"
    if len(items) == 1:
        return [reason]
    half = len(items) // 2
    return isolate(function, items[:half]) + isolate(function, items[half:])


def _set(words: Sequence[Any], name: str, tags: Sequence[str]) -> None:
    """What is given of words takes the place of what Stanza says."""
    for word, tag in zip(words, tags, strict=False):
        if tag != "_":
            setattr(word, name, tag)


def _words(text: str, sentences: Sequence[Any]) -> Tokens:
    """The words of what Stanza made of one string, joined where it made several sentences of it."""
    tokens = [token for sentence in sentences for token in sentence.tokens]
    if "".join(token.text for token in tokens).translate(_SPACE) != text.translate(_SPACE):
        raise SentenceError("Stanza's tokens are not the text (a token over 1000 characters?)")
    words: list[str] = []
    multiword: list[tuple[int, int, str]] = []
    for token in tokens:
        if len(token.words) > 1:
            multiword.append((len(words), len(words) + len(token.words), token.text))
            words += [word.text for word in token.words]
        else:
            words += token.text.split()  # brackets could not hold a space
    return Tokens(words, multiword)


def _refusal(tokens: list[str], max_tokens: int) -> str:
    """Why a sentence is not parsed, "" if it is."""
    if not tokens:
        return "the sentence has no words"
    if len(tokens) > max_tokens:
        return f"over {max_tokens} tokens (max_tokens); `dglsent parse --max-tokens` takes another limit"
    if not all(tokens):
        return f"token {tokens.index('') + 1} is empty"
    return ""
