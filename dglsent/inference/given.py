"""What people give to a model: text, tokens, trees, dependencies, objects of other libraries, pairs of any of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.own_files import CONLLU_WORD, has_trees, is_tree
from dglsent.corpora.tables import half_character
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.converters import from_nltk, from_spacy, from_stanza, is_nltk, is_spacy, is_stanza
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets, unescaped
from graphs.formats.conllu import parse_conllu
from graphs.parsing import Parse

REMEDY = "give raw English text, or parses, such as `dglsent parse` writes"
_WANTS = "give raw English text, or parses such as the .{}.gz that `dglsent parse` writes"
# One word of CoNLL-U will do: another, a broken one, is told of then.
_CONLLU = re.compile(rf"(?:\A|[\r\n]){CONLLU_WORD}(?:[\r\n]|\Z)")
_MARK = "\ufeff"  # of byte order, with which text may begin that was read from a file
_STANZA = "run Stanza with depparse and constituency, or give raw English text"
WANTED = (
    "text, tokens, a Constituency, Dependencies or Tagged of graphs, a tree or document of Stanza, spaCy or nltk, "
    "or for a model of pairs two of these"
)


@dataclass(frozen=True, slots=True)
class Raw:
    """A sentence of which nothing is known but its text.

    Attributes:
        text: raw, or as its tokens.
        origin: where it was read.
    """

    text: str | Sequence[str]
    origin: Origin = field(default_factory=Origin)


Given: TypeAlias = Parsed | Raw | SentenceError
"""A sentence, or what is wrong with it."""
Readable: TypeAlias = Parsed | SentenceError


def examples_of(given: Any, sentences: int) -> list[tuple[int, tuple[Given, ...]]]:
    """Examples of `sentences` sentences each: 1, or 2 for pairs.

    One text, tree or document may stand alone, and so may a sentence as `from_stanza` gives it. A document has an
    example for each of its sentences, so in a pair it is of one. A pair is a tuple, or a list of two unless both are
    single words, which are tokens. Text that is a tree in brackets is read as one (`(UH Yes)` only where another text
    has brackets within brackets), and words of trees lose the escapes of the treebank, as in files. Text with a line
    in the ten columns of CoNLL-U is read as such, and is a document.

    Returns:
        Each example after the number, from 1, of what was given for it. What cannot be read is a SentenceError, whose
        message has no such number.

    Raises:
        InputError: no list was given, or examples of another number of sentences.
    """
    one_sentence = (str, Constituency, Dependencies, Tagged, Parsed, Raw, Parse, Example)
    foreign = is_stanza(given) or is_nltk(given) or is_spacy(given) or _is_of_stanza(given)
    alone = foreign or isinstance(given, one_sentence)
    pair = sentences == 2 and isinstance(given, tuple) and len(given) == 2 and not any(map(_is_pair, given))
    if not alone and not _holds_examples(given):
        raise InputError(f"{_kind(given)} was given; wanted is {WANTED}, or a list of them")
    examples: list[tuple[int, tuple[Given, ...]]] = []
    listed = [given] if alone or pair else list(given)
    trees = has_trees(text.removeprefix(_MARK).strip() for text in _texts(listed))
    for number, one in enumerate(listed, 1):
        if isinstance(one, Example):
            if len(one.sentences) != sentences:
                raise InputError(
                    f"example {number}: of {len(one.sentences)} sentences, and the model reads {sentences}"
                )
            examples.append((number, one.sentences))
        elif sentences == 1:
            examples += [(number, (sentence,)) for sentence in _converted(one, trees)]
        elif _is_pair(one):
            sides = [_converted(side, trees) for side in one]
            if any(len(side) != 1 for side in sides):
                wrong = SentenceError("a pair is of two sentences, and a document of several was given")
                examples.append((number, (wrong,)))
            else:
                examples.append((number, (sides[0][0], sides[1][0])))
        else:
            raise InputError(f"example {number}: the model reads pairs, and {_kind(one)} was given; give (one, other)")
    return examples


def parsed(sentence: Constituency | Dependencies | Tagged) -> Parsed:
    """A sentence that has one parse, or none."""
    if isinstance(sentence, Constituency):
        return Parsed(constituency=sentence, remedy=_WANTS.format("conllu"))
    if isinstance(sentence, Dependencies) and not _tagged_alone(sentence):
        return Parsed(dependencies=sentence, remedy=_WANTS.format("brackets"))
    return Parsed(unparsed=sentence, remedy=REMEDY)


def given_of(read: Iterable[Constituency | Dependencies | Tagged | SentenceError]) -> list[Given]:
    """What a reader found, broken sentences among the others."""
    return [one if isinstance(one, SentenceError) else parsed(one) for one in read]


def _tagged_alone(sentence: Dependencies) -> bool:
    """Whether a sentence has no parse; one of a single word needs no heads."""
    return len(sentence) > 1 and sentence.headless


def _of_stanza(dependencies: Dependencies | None, tree: Constituency | None) -> Parsed:
    if dependencies is not None and _tagged_alone(dependencies):
        return Parsed(tree, unparsed=dependencies, remedy=_STANZA)
    return Parsed(tree, dependencies, remedy=_STANZA)


def _holds_examples(given: Any) -> bool:
    """Whether something is a list or the like, and no table and no bytes."""
    if isinstance(given, bytes | bytearray | Mapping) or hasattr(given, "columns"):
        return False
    try:
        iter(given)
    except TypeError:  # an array without dimensions says so only then
        return False
    return True


def _texts(given: Iterable[Any]) -> Iterator[str]:
    """What is text of examples, or of their sides."""
    for one in given:
        for side in one if isinstance(one, list | tuple) else [one]:
            if isinstance(side, str):
                yield side


def _converted(one: Any, trees: bool) -> list[Given]:
    """The sentences of something given, or in their place what is wrong with it; arguments as of `_sentences`."""
    try:
        # A document without any would leave no trace among the predictions.
        return _sentences(one, trees) or [SentenceError("the document has no sentences")]
    except SentenceError as error:
        return [error]
    except InputError as error:
        return [SentenceError(str(error))]


def _sentences(one: Any, trees: bool) -> list[Given]:
    """The sentences of something given; `trees` says whether other texts that were given with it are trees."""
    if isinstance(one, (Parsed, Raw, SentenceError)):
        return [one]
    if isinstance(one, Constituency | Dependencies | Tagged) and (wrong := _no_text(one.words)):
        return [SentenceError(wrong, one.origin)]
    if isinstance(one, Constituency):
        return [parsed(replace(one, word=[word and unescaped(word) for word in one.word]))]
    if isinstance(one, Dependencies | Tagged):
        return [parsed(one)]
    if isinstance(one, Parse):
        return [Parsed(one.constituency, one.dependencies)]
    if is_stanza(one):
        return [_of_stanza(dependencies, tree) for dependencies, tree in from_stanza(one)]
    if _is_of_stanza(one):
        return [_of_stanza(*one)]
    if is_nltk(one):
        return _sentences(from_nltk(one), trees)
    if is_spacy(one):
        return [sentence for columns in from_spacy(one) for sentence in _sentences(columns, trees)]
    if isinstance(one, str):
        if wrong := half_character("the text", one):
            return [SentenceError(wrong)]
        one = one.removeprefix(_MARK)
        if _CONLLU.search(one):
            return given_of(parse_conllu(one, on_error="skip").in_order())
        return _of_brackets(one) if is_tree(one.strip(), trees) else [Raw(one)]
    if isinstance(one, (list, tuple)) and (not one or any(isinstance(token, str) for token in one)):
        if wrong := _no_text(one):
            return [SentenceError(wrong)]
        if one and all(len(token.split()) > 1 for token in one):  # some may: words of Vietnamese have spaces
            raise InputError(f"{one[0]!r} stands where a token should; give text as a string alone")
        if not all(token.strip() for token in one):
            return [SentenceError("a token is empty")]
        if wrong := half_character("a token", "".join(one)):
            return [SentenceError(wrong)]
        return [Raw(list(one))]
    raise InputError(f"{_kind(one)} was given; wanted is {WANTED}")


def _no_text(words: Sequence[Any]) -> str:
    """What is wrong with words that are no text, as what pandas reads where a file has "NA"; "" if nothing is."""
    strange = next((place for place, word in enumerate(words) if not isinstance(word, str)), None)
    return "" if strange is None else f"word {strange + 1} is {words[strange]!r}; give text"


def _of_brackets(text: str) -> list[Given]:
    """The trees of a text in brackets, or what is wrong with them."""
    try:
        return [parsed(tree) for tree in parse_brackets(text, unescape=True)]
    except SentenceError as error:
        return [SentenceError(error.reason.removeprefix("line 1: "))]


def _is_of_stanza(given: Any) -> bool:
    """Whether something is a sentence as `from_stanza` gives it, either of whose parses may be None."""
    if not isinstance(given, tuple) or len(given) != 2 or given == (None, None):
        return False
    return isinstance(given[0], Dependencies | None) and isinstance(given[1], Constituency | None)


def _is_pair(given: Any) -> bool:
    if not isinstance(given, (tuple, list)) or len(given) != 2 or is_nltk(given) or _is_of_stanza(given):
        return False
    return isinstance(given, tuple) or not all(isinstance(side, str) and len(side.split()) < 2 for side in given)


def _kind(given: Any) -> str:
    return f"a value of type {type(given).__name__}"
