"""Parses of other libraries -> columns: Stanza's documents, spaCy's, nltk's trees.

None of these libraries is imported: an object is known by what it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import from_stanza_tree
from graphs.formats.conllu import from_stanza_sentence, tags_of_stanza_sentence
from graphs.trees import refuse_cycle

__all__ = ["from_nltk", "from_spacy", "from_stanza", "is_nltk", "is_spacy", "is_stanza"]


def is_stanza(given: Any) -> bool:
    """Whether something is a document of Stanza, or one sentence of it."""
    return _has(given, "sentences") or _has(given, "words", "tokens")


def is_spacy(given: Any) -> bool:
    """Whether something is a Doc or a Span of spaCy."""
    return _has(given, "has_annotation") or _has(given, "doc", "root")


def is_nltk(given: Any) -> bool:
    """Whether something is a Tree or a DependencyGraph of nltk."""
    return (isinstance(given, list) and hasattr(given, "label")) or hasattr(given, "get_by_address")


def _has(given: Any, *names: str) -> bool:
    """Whether something has these attributes, and not as a table of pandas has its columns."""
    return all(hasattr(given, name) for name in names) and not hasattr(given, "columns")


def from_stanza(document: Any) -> list[tuple[Dependencies | None, Constituency | None]]:
    """The sentences of a Stanza Document, each with the parses that it has; one sentence is a document too.

    One that nothing has parsed has its words and tags, without heads (`Dependencies.headless`).

    Raises:
        InputError: it is no document of Stanza.
        SentenceError: a parse is broken, or a sentence has no words.
    """
    sentences = getattr(document, "sentences", [document])
    # Documents of others, such as TextBlob's, have sentences too, of other words.
    known = isinstance(sentences, Iterable) and all(_has(one, "words", "tokens", "empty_words") for one in sentences)
    if not known or not is_stanza(document):
        raise _refused("a Document or a Sentence of Stanza", document)
    found: list[tuple[Dependencies | None, Constituency | None]] = []
    for number, sentence in enumerate(sentences, 1):
        origin = Origin(sentence=str(getattr(sentence, "sent_id", None) or number))
        parsed = any(word.head is not None for word in sentence.words)
        tree = getattr(sentence, "constituency", None)
        if tree is not None:
            tree = from_stanza_tree(tree, origin)
        if parsed:
            found.append((from_stanza_sentence(sentence, origin), tree))
        else:
            found.append((tags_of_stanza_sentence(sentence, origin) if tree is None else None, tree))
    return found


def from_spacy(doc: Any) -> list[Dependencies | Tagged]:
    """The sentences of a spaCy Doc or Span: dependencies, or where nothing has parsed them words and tags.

    Tokens that are space are left out. A word whose head is left out, or stands outside a Span, is a root.

    Raises:
        InputError: it is neither.
    """
    if not is_spacy(doc):
        raise _refused("a Doc or a Span of spaCy", doc)
    whole = getattr(doc, "doc", doc)
    given = {token.i for token in doc if not token.is_space}
    parsed = whole.has_annotation("DEP")
    # A sentencizer sets boundaries alone. The sentences of a Span are whole ones, in which it begins and ends.
    parts = doc.sents if parsed or whole.has_annotation("SENT_START") else [doc]
    sentences = filter(None, ([token for token in part if token.i in given] for part in parts))
    convert = _parsed_of_spacy if parsed else _tagged_of_spacy
    return [convert(words, Origin(sentence=str(number))) for number, words in enumerate(sentences, 1)]


def _tagged_of_spacy(tokens: list[Any], origin: Origin) -> Tagged:
    tags = [token.tag_ or token.pos_ or "_" for token in tokens]
    return Tagged([token.text for token in tokens], {"pos": tags} if set(tags) != {"_"} else {}, origin)


def _parsed_of_spacy(tokens: list[Any], origin: Origin) -> Dependencies:
    place = {token.i: index for index, token in enumerate(tokens)}
    # A root is its own head; a Span may leave out a head, and so do spaces between words.
    head = [-1 if token.head.i == token.i else place.get(token.head.i, -1) for token in tokens]
    return Dependencies(
        word=[token.text for token in tokens],
        head=np.asarray(head, dtype=np.int64),
        relation=[token.dep_ or "_" for token in tokens],
        upos=[token.pos_ or "_" for token in tokens],
        xpos=[token.tag_ or "_" for token in tokens],
        lemma=[token.lemma_ or "_" for token in tokens],
        feats=[str(token.morph) or "_" for token in tokens],
        origin=origin,
    )


def from_nltk(parse: Any) -> Constituency | Dependencies:
    """The columns of an nltk Tree or DependencyGraph; leaves of trees are words, or pairs of a word and its tag.

    Raises:
        InputError: it is neither, or a leaf is something else.
        SentenceError: it has no words, or a tree's is empty; or heads are broken, missing where others are not, or
            several of a word.
    """
    if hasattr(parse, "get_by_address"):
        return _of_dependency_graph(parse)
    if not is_nltk(parse):
        raise _refused("a Tree or a DependencyGraph of nltk", parse)
    label: list[str] = []
    word: list[str | None] = []
    parent: list[int] = []
    stack: list[tuple[Any, int]] = [(parse, -1)]
    while stack:
        node, above = stack.pop()
        parent.append(above)
        place = len(label)
        named = node.label() if hasattr(node, "label") else None
        name = "" if named is None else str(named)
        if not isinstance(node, list):
            tag, text = _leaf(node)
            label.append(tag)
            word.append(text)
        elif len(node) == 1 and isinstance(node[0], str):
            label.append(name)
            word.append(node[0])
        elif len(node):
            label.append(name)
            word.append(None)
            stack.extend((child, place) for child in reversed(node))
        else:
            raise SentenceError(f"phrase {name!r} has no words")
    words = [each for each in word if each is not None]
    if "" in words:
        raise SentenceError(f"word {words.index('') + 1} is an empty string; give it its text, or leave its leaf out")
    return Constituency(label, word, np.asarray(parent, dtype=np.int64))


def _leaf(leaf: Any) -> tuple[str, str]:
    """Tag, "" without one, and word of a leaf of nltk, whose chunkers leave pairs in a tree."""
    if isinstance(leaf, str):
        return "", leaf
    if isinstance(leaf, tuple) and len(leaf) == 2 and all(isinstance(part, str) for part in leaf):
        return leaf[1], leaf[0]
    raise InputError(f"a leaf of the tree is {leaf!r}; give words, or pairs of a word and its tag")


def _of_dependency_graph(graph: Any) -> Dependencies:
    # nltk makes a node without an address of a head that is no word.
    rows = [graph.nodes[at] for at in sorted(graph.nodes) if at and graph.nodes[at]["address"] is not None]
    if not rows:
        raise SentenceError("the sentence has no words")
    place = {row["address"]: index for index, row in enumerate(rows)}
    arcs = _arcs(rows, graph)
    parsed = any(above is not None for above, _ in arcs)
    for row, (above, _) in zip(rows, arcs, strict=True):
        if parsed and above is None:
            raise SentenceError(f"word {row['address']} has no head, and others have; give it one, 0 if it is the root")
        if above and above not in place:
            raise SentenceError(f"word {row['address']} has head {above}, and the words are 1 to {len(rows)}")
    head = np.asarray([place.get(above, -1) for above, _ in arcs], dtype=np.int64)
    refuse_cycle(head, Origin())
    return Dependencies(
        word=[row["word"] for row in rows],
        head=head,
        relation=[relation or "_" for _, relation in arcs] if parsed else ["_"] * len(rows),
        upos=[row["ctag"] or "_" for row in rows],
        xpos=[row["tag"] or "_" for row in rows],
        lemma=[row["lemma"] or "_" for row in rows],
        feats=[row["feats"] or "_" for row in rows],
    )


def _arcs(rows: Sequence[dict[str, Any]], graph: Any) -> list[tuple[int | None, str | None]]:
    """Of each word the address of its head and its relation, None where it has none.

    nltk's non-projective parser and `add_arc` note an arc at the head alone, among its `deps`.

    Raises:
        SentenceError: several heads have a word among their `deps`, and the word itself names none.
    """
    above: dict[int, list[tuple[int, str]]] = {row["address"]: [] for row in rows}
    for address, node in graph.nodes.items():
        for relation, below in node["deps"].items():
            for word in below:
                above.setdefault(word, []).append((address, relation))
    arcs: list[tuple[int | None, str | None]] = []
    for row in rows:
        found = above[row["address"]]
        if row["head"] is not None:
            arcs.append((row["head"], row["rel"]))
        elif len(found) > 1:
            raise SentenceError(f"word {row['address']} has {len(found)} heads; give it one")
        else:
            head, relation = found[0] if found else (None, None)
            arcs.append((head, row["rel"] or relation))
    return arcs


def _refused(wanted: str, given: Any) -> InputError:
    return InputError(f"{wanted} is wanted, and {type(given).__module__}.{type(given).__qualname__} was given")
