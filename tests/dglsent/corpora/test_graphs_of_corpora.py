"""Parsed corpora become graphs of every kind of tree."""

from __future__ import annotations

from itertools import chain

import pytest

from dglsent.corpora.mr import MR
from dglsent.corpora.msrp import MSRP
from dglsent.corpora.msrpar import MSRpar
from dglsent.corpora.sst import SST
from dglsent.corpora.subj import SUBJ
from dglsent.corpora.trec import TREC
from dglsent.training.data import graph_set, vocabularies_of

STEP = 10  # to read all examples takes a minute


@pytest.mark.parametrize("corpus", [MR, SUBJ, TREC, SST, MSRP, MSRpar])
def test_every_kind_of_graph(corpus, load_real):
    examples = list(chain(*load_real(corpus).values()))[::STEP]
    count = len(examples[0].sentences)
    words = [len(sentence.dependencies) for example in examples for sentence in example.sentences]
    for kind in ("chain", "dependency", "constituency", "constituency-nary"):
        vocabularies = vocabularies_of(examples, kind, lower=False, min_count=1)
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
