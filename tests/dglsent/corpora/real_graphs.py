"""Parsed corpora become graphs of every kind of tree."""

from __future__ import annotations

from itertools import chain

from vocabularies import vocabularies_of

from dglsent.corpora.corpus import Splits
from dglsent.training.data import graph_set

_STEP = 20  # all examples of a corpus take half a minute


def check_graphs(splits: Splits) -> None:
    """Every twentieth example becomes graphs of each kind, with as many nodes as its words and phrases want."""
    examples = list(chain(*splits.values()))[::_STEP]
    count = len(examples[0].sentences)
    words = [len(sentence.dependencies) for example in examples for sentence in example.sentences]
    for kind in ("chain", "dependency", "constituency", "constituency-nary"):
        vocabularies = vocabularies_of(examples, kind)
        graphs = list(chain(*graph_set(examples, kind, vocabularies, count, {}).graphs))
        sizes = [graph.size for graph in graphs]
        if kind in ("chain", "dependency"):
            assert sizes == words
        elif kind == "constituency":
            assert sizes == [2 * number - 1 for number in words]
        else:
            assert all(size >= number for size, number in zip(sizes, words, strict=True))
        if kind.startswith("constituency"):
            assert {"NN", "NP", "VP", "S"} <= set(vocabularies.tag.strings)
            assert len(vocabularies.tag) < 80
