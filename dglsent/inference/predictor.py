"""A trained model over sentences that are not in any corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from dglsent.analysis.finite import REMEDY, not_finite
from dglsent.analysis.rows import Shown
from dglsent.corpora.example import Parsed
from dglsent.inference.given import Readable
from dglsent.inference.raw_text import Needs
from dglsent.nn.embeddings import GivenVectors
from dglsent.passing import Batch
from dglsent.training.graphs import GraphKind, build, reads, shape
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import Recipe
from graphs.columns import Dependencies, Sentence
from graphs.errors import InputError, SentenceError, counted
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph
from graphs.token_vectors import TokenVectors, with_vectors
from graphs.vocabulary import SPECIAL

TREES: tuple[GraphKind, ...] = ("dependency", "constituency", "constituency-nary")
"""Graphs whose edges are those of a parse."""

_Fields: TypeAlias = tuple[frozenset[str], ...]
_Kept: TypeAlias = tuple[int, tuple[Parsed, ...], tuple[Sentence, ...], tuple[SentenceGraph, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """What a model made of the examples of a batch that it could read.

    Attributes:
        places: which of the examples these are.
        examples: their sentences.
        shaped: the same in the form that their graphs were made of.
        graphs: their graphs.
        batch: all of them, with the fields that the model has set.
        states: [N, d] of the N nodes of all sentences.
        vectors: [S, d_s] of the S sentences, those of a pair one after the other.
        predictions: what the task says of each.
    """

    places: Sequence[int]
    examples: Sequence[tuple[Parsed, ...]]
    shaped: Sequence[tuple[Sentence, ...]]
    graphs: Sequence[tuple[SentenceGraph, ...]]
    batch: Batch
    states: Tensor
    vectors: Tensor
    predictions: Sequence[dict[str, Any]]


class Predictor:
    """Predicts for parsed sentences.

    Args:
        recipe: the recipe of the model.
        vocabularies: those it was trained with.
        model: the model, on its device.
        vectors: of the tokens, for a model that reads such.

    Attributes:
        labels: names of the classes.

    Raises:
        InputError: vectors are given, and the model has its own of words, or reads some of another size.
    """

    def __init__(
        self, recipe: Recipe, vocabularies: Vocabularies, model: SentenceModel, vectors: TokenVectors | None = None
    ) -> None:
        self._recipe, self._vocabularies, self._model = recipe, vocabularies, model
        self._vectors = vectors
        embedding = model.encoder.embedding
        if vectors is not None and not isinstance(embedding, GivenVectors):
            raise InputError(f"{vectors.name}: the model has vectors of words and reads no others; leave it out")
        if vectors is not None and vectors.dim != embedding.dim:
            raise InputError(
                f"{vectors.name}: vectors of {vectors.dim} dimensions, the model reads {embedding.dim}; "
                "make them as those it was trained with"
            )
        self.labels: list[str] = list(vocabularies.label or recipe.corpus.labels)

    def run(self, examples: Sequence[tuple[Readable, ...]]) -> tuple[list[Seen], dict[int, SentenceError]]:
        """What the model made of examples, and by their places those that it could not read or has no numbers for.

        Examples whose graphs have other fields, as those of dependencies beside those of words alone, are a batch of
        their own.

        Raises:
            InputError: an example is something else.
        """
        errors: dict[int, SentenceError] = {}
        kept: dict[_Fields, list[_Kept]] = {}
        for place, example in enumerate(examples):
            if not isinstance(example, tuple) or not all(isinstance(one, Parsed | SentenceError) for one in example):
                raise InputError(
                    f"example {place + 1} is a value of type {type(example).__name__}; a Predictor takes tuples of "
                    "Parsed, one for each sentence; dglsent.load(RUN).predict takes text, trees and dependencies"
                )
            try:
                parsed = tuple(_whole(one) for one in example)
                shaped = tuple(shape(self._recipe.graph, one) for one in parsed)
                graphs = tuple(map(self._graph, shaped))
                names = _fields(graphs)
            except SentenceError as error:
                errors[place] = error
            else:
                kept.setdefault(names, []).append((place, parsed, shaped, graphs))
        seen = [one for some in kept.values() for one in self._readable(some, errors)]
        return seen, errors

    def _readable(self, kept: list[_Kept], errors: dict[int, SentenceError]) -> list[Seen]:
        """What the model made of a batch; where it fails, of each example alone, and those that fail are errors."""
        try:
            return self._finite(kept, errors)
        except InputError as error:
            if len(kept) > 1:
                return [one for alone in kept for one in self._readable([alone], errors)]
            ((place, _, forms, _),) = kept
            errors[place] = SentenceError(str(error), forms[0].origin)
            return []

    def _finite(self, kept: list[_Kept], errors: dict[int, SentenceError]) -> list[Seen]:
        """What the model made of a batch, without examples of which it made nan or infinity; these are errors."""
        seen = self._seen(kept)
        # Fields that the encoder shows are not looked at: many are made only when they are read, for who explains.
        broken = not_finite(seen.batch, seen.states, seen.predictions, Shown.of(()))
        for number, name in broken.items():
            origin = seen.shaped[number][0].origin
            errors[seen.places[number]] = SentenceError(f"its {name} are not finite numbers; {REMEDY}", origin)
        if not broken:
            return [seen]
        whole = [one for number, one in enumerate(kept) if number not in broken]
        return self._finite(whole, errors) if whole else []

    def _seen(self, kept: Sequence[_Kept]) -> Seen:
        places, parses, forms, made = zip(*kept, strict=True)
        batch = _batch(self._model, list(chain(*made))).to(self._model.device)
        seen = Seen(places, parses, forms, made, *self._model.infer(batch, self.labels))
        if len(seen.predictions) != len(places):  # as where one's own reads marked words, and a sentence has none
            raise InputError(
                f"the model gives {counted(len(seen.predictions), 'prediction')} for "
                f"{counted(len(places), 'example')}; predict of its task, or readout of its encoder, "
                "has a row an example"
            )
        return seen

    def _graph(self, shaped: Sentence) -> SentenceGraph:
        graph = build(self._recipe.graph, shaped, self._vocabularies)
        if not isinstance(self._model.encoder.embedding, GivenVectors):
            return graph
        if self._vectors is None:
            raise InputError(
                "the model reads vectors of tokens that are made elsewhere; give those of these sentences with "
                "--vectors FILE, or dglsent.load(RUN, vectors=FILE)"
            )
        return with_vectors(graph, self._vectors[self._vectors.check(shaped)])


def with_text(shaped: Sequence[Sentence], prediction: dict[str, Any]) -> dict[str, Any]:
    """A prediction with the text of its sentence, or those of a pair, and with the words where the text hides them."""
    words = [sentence.words for sentence in shaped]
    texts = [" ".join(each) for each in words]
    pair = len(texts) > 1
    said: dict[str, Any] = {"text": texts if pair else texts[0]}
    # Words of CoNLL-U may hold spaces, as most of Vietnamese do: tags and spans could not be counted out in the text.
    if any(text.split() != each for text, each in zip(texts, words, strict=True)):
        said["words"] = words if pair else words[0]
    return {**said, **prediction}


def needs(recipe: Recipe, vocabularies: Vocabularies, model: SentenceModel) -> Needs:
    """What a model reads of a sentence: its words, their tags too, or a tree or relations between words.

    That a model of words reads tags or relations shows when words have some. One whose classes cannot take these
    words alone may need parses.
    """
    if reads(recipe.graph) in TREES:
        return "parses"
    tag, relation = vocabularies.tag.strings, vocabularies.relation.strings
    if len(tag) <= len(SPECIAL) and len(relation) <= len(SPECIAL):
        return "words"
    # Known words, as to a lexicon of one's own; so many that who hears others can weigh them.
    words = ["a", "b", "c", "d", *vocabularies.word.strings[len(SPECIAL) :]][-4:]
    plain = Dependencies.unparsed(words)
    tagged = replace(plain, xpos=[tag[-1]] * 4)
    parsed = replace(tagged, head=np.array([-1, 0, 0, 1]), relation=[relation[-1]] * 4)
    try:
        states = [_states(recipe, vocabularies, model, sentence) for sentence in (plain, tagged, parsed)]
    except Exception:  # whatever a class of one's own raises; a sentence that it cannot take says so when it comes
        return "parses"
    if not torch.equal(states[1], states[2]):
        return "parses"
    return "words" if torch.equal(states[0], states[1]) else "tags"


def _states(recipe: Recipe, vocabularies: Vocabularies, model: SentenceModel, sentence: Dependencies) -> Tensor:
    """What the encoder makes of a sentence, whose vectors are zero where it reads such."""
    graph = build(recipe.graph, shape(recipe.graph, Parsed(dependencies=sentence)), vocabularies)
    if isinstance(model.encoder.embedding, GivenVectors):
        graph = with_vectors(graph, np.zeros((len(sentence), model.encoder.embedding.dim)))
    with torch.inference_mode():
        return model.encoder.encode(_batch(model.eval(), [graph] * model.task.sentences).to(model.device))


def _fields(graphs: Sequence[SentenceGraph]) -> _Fields:
    """The names of the fields of an example's graphs.

    Raises:
        SentenceError: only one of two has some.
    """
    first, *others = (tuple(map(frozenset, (graph.nodes, graph.edges, graph.pairwise))) for graph in graphs)
    for other in others:
        if other != first:
            lone = sorted(frozenset().union(*first) ^ frozenset().union(*other))
            raise SentenceError(
                f"only one of the two sentences has {', '.join(lone)}; give both as text, or as parses of one kind",
                graphs[0].origin,
            )
    return first


def _batch(model: SentenceModel, graphs: Sequence[SentenceGraph]) -> Batch:
    encoder = model.encoder
    pairs = model.task.sentences == 2
    return Batch.of(graphs, pairs=pairs, directions=encoder.directions, relations=encoder.relations)


def _whole(sentence: Readable) -> Parsed:
    if isinstance(sentence, SentenceError):
        raise sentence
    return sentence
