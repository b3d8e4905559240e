"""Whether the tags of sentences are of another tag set than those that a model was trained with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import torch

from dglsent.corpora.example import Parsed
from dglsent.passing import Batch
from dglsent.training.graphs import build, shape
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import Recipe
from graphs import fields
from graphs.columns import Sentence
from graphs.errors import SentenceError
from graphs.features import Vocabularies, tags
from graphs.vocabulary import SPECIAL, UNKNOWN

_LOOKED_AT = 1000  # sentences, of which a tag set shows


def strange_tags(
    sentences: Iterable[object], recipe: Recipe, vocabularies: Vocabularies, model: SentenceModel
) -> str | None:
    """A warning where more than half of the tags are unknown to a model that reads tags, else None.

    Args:
        sentences: those at hand; what is not `Parsed` is passed over.
        recipe: of the model.
        vocabularies: of the model.
        model: the model.
    """
    known = vocabularies.tag.strings[len(SPECIAL) :]
    if not known:
        return None
    shaped = list(_shaped(islice(sentences, _LOOKED_AT), recipe))
    counts = Counter(tag for sentence in shaped for tag in tags(sentence) if tag)
    strange = Counter({tag: count for tag, count in counts.items() if tag not in vocabularies.tag})
    if 2 * strange.total() <= counts.total() or not _reads_tags(shaped[0], recipe, vocabularies, model):
        return None
    theirs = " and ".join(tag for tag, _ in strange.most_common(2))
    return (
        f"most tags, such as {theirs}, are unknown to the model, which knows tags such as {' and '.join(known[:2])}: "
        "they are of another tag set (of CoNLL-U the column XPOS is read where it is filled, else UPOS)"
    )


def _shaped(sentences: Iterable[object], recipe: Recipe) -> Iterator[Sentence]:
    for sentence in sentences:
        if isinstance(sentence, Parsed):
            try:
                yield shape(recipe.graph, sentence)
            except SentenceError:  # it is told where it is predicted for
                continue


def _reads_tags(sentence: Sentence, recipe: Recipe, vocabularies: Vocabularies, model: SentenceModel) -> bool:
    """Whether other tags give other states."""
    encoder, states = model.encoder, []
    try:
        for tag in (UNKNOWN, len(SPECIAL)):
            graph = build(recipe.graph, sentence, vocabularies)
            if fields.TAG not in graph.nodes:
                return False
            graph.nodes[fields.TAG][:] = tag
            batch = Batch.of(
                [graph] * model.task.sentences,
                pairs=model.task.sentences == 2,
                directions=encoder.directions,
                relations=encoder.relations,
            )
            with torch.inference_mode():
                states.append(model.eval().encoder.encode(batch.to(model.device)))
    except Exception:  # of a class of one's own, or vectors that are given: nothing is known, and nothing said
        return False
    return not torch.equal(*states)
