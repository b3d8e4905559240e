from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny import PAIRS, recipe

from dglsent.training.checks import fault
from graphs.sentence_graph import SentenceGraph

CHAIN = SentenceGraph(
    size=3,
    src=np.array([0, 1]),
    dst=np.array([1, 2]),
    nodes={"word": np.arange(3)},
    edges={"slot": np.array([0, 0])},
    level=np.array([2, 1, 0]),
)


def test_scores_beyond_the_scale_are_refused(tmp_path, program):
    """A target distribution would take each for the nearest end of the scale."""
    options = ["--out", tmp_path / "run", "--task.low", 2, "--task.high", 4]
    program.refuses("fit", recipe(tmp_path, PAIRS), *options, saying=["lie outside 2 to 4", "--task.low"])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"nodes": {"word": np.arange(2)}}, "node field 'word' has 2 entries for its nodes, which are 3"),
        ({"edges": {"slot": np.zeros(1)}}, "edge field 'slot' has 1 entries for its edges, which are 2"),
        ({"pairwise": {"seen": np.zeros(8)}}, "pairwise 'seen' has 8 entries for its pairs, which are 9"),
        ({"dst": np.array([1])}, "dst has 1 entries"),
        ({"level": np.array([1, 0])}, "level has 2 entries"),
        ({"src": np.array([0, 3])}, "src has numbers from 0 to 3, and its nodes are 0 to 2"),
        ({"dst": np.array([-1, 2])}, "dst has numbers from -1 to 2"),
        ({"level": np.array([2, 2, 0])}, "level does not fall along every edge"),
    ],
)
def test_what_is_wrong_with_a_graph_of_ones_own(changed, said):
    assert said in fault(replace(CHAIN, **changed))
    assert fault(CHAIN) == ""
    assert fault(replace(CHAIN, dst=np.array([1, 0]), level=np.zeros(3, int))) == ""  # a cycle, for `update_all` alone


OWN = """\
import graphs
from dglsent.corpora.built_in import Reviews
from dglsent.tasks.classification import Classification
from dglsent.training.graphs import OwnGraph


class Short(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [(0, 1)])
        graph.edges["slot"] = graph.edges["slot"][:-1]
        return graph


class Blind(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)
        self.monitor = "r2"
"""

RECIPE = """\
corpus: {class_path: Reviews}
graph: GRAPH
encoder: {class_path: BagOfWords, init_args: {hidden: 4}}
task: TASK
embedding: {dim: 4}
"""


@pytest.mark.parametrize(
    ("graph", "task", "said"),
    [
        (
            "{class_path: own_parts.Short}",
            "{class_path: Classification, init_args: {classes: 5}}",
            "edge field 'slot' has",
        ),
        ("chain", "{class_path: own_parts.Blind}", "it monitors 'r2', and its scores are accuracy"),
    ],
)
def test_parts_of_ones_own_are_looked_at_before_training(graph, task, said, tmp_path, program):
    (tmp_path / "own_parts.py").write_text(OWN)
    (tmp_path / "own.yaml").write_text(RECIPE.replace("GRAPH", graph).replace("TASK", task))
    program.refuses("fit", tmp_path / "own.yaml", "--out", tmp_path / "run", saying=[said])
    assert not (tmp_path / "run").exists()
