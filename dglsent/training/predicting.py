"""A trained model over sentences that are not in any corpus."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from dglsent.corpora.example import Parsed
from dglsent.passing import Batch
from dglsent.training.graphs import build, shape
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import Recipe
from graphs.errors import SentenceError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph


class Predictor:
    """Predicts for parsed sentences.

    Args:
        recipe: the recipe of the model.
        vocabularies: those it was trained with.
        model: the model, on its device.
    """

    def __init__(self, recipe: Recipe, vocabularies: Vocabularies, model: SentenceModel) -> None:
        self._recipe, self._vocabularies, self._model = recipe, vocabularies, model

    def __call__(self, examples: Sequence[tuple[Parsed | SentenceError, ...]]) -> list[dict[str, Any] | SentenceError]:
        """One batch of examples.

        Args:
            examples: the sentences of each; one that could not be read stands as its error.

        Returns:
            For each example its text and what the task predicts, or the first error of its sentences.
        """
        results: list[dict[str, Any] | SentenceError] = []
        graphs: list[tuple[SentenceGraph, ...]] = []
        places = []
        for place, example in enumerate(examples):
            try:
                made = [self._graph(sentence) for sentence in example]
            except SentenceError as error:
                results.append(error)
                continue
            texts = [text for text, _ in made]
            results.append({"text": texts if len(texts) > 1 else texts[0]})
            graphs.append(tuple(graph for _, graph in made))
            places.append(place)
        if graphs:
            encoder = self._model.encoder
            batch = Batch.of(
                list(chain(*graphs)),
                pairs=len(graphs[0]) == 2,
                directions=encoder.directions,
                relations=encoder.relations,
            )
            predictions = self._model.predict(batch.to(self._model.device), self._recipe.corpus.labels)
            for place, prediction in zip(places, predictions, strict=True):
                found = results[place]
                assert isinstance(found, dict)
                found.update(prediction)
        return results

    def _graph(self, sentence: Parsed | SentenceError) -> tuple[str, SentenceGraph]:
        """The text of a sentence and its graph."""
        if isinstance(sentence, SentenceError):
            raise sentence
        shaped = shape(self._recipe.graph, sentence)
        return " ".join(shaped.words), build(self._recipe.graph, shaped, self._vocabularies)
