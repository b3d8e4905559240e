"""What is left out of a shard."""

from __future__ import annotations

from dglsent.building.build import build
from dglsent.building.parts import Part
from dglsent.building.sources import Files, Read
from dglsent.corpora.example import Example, Parsed
from dglsent.training.graphs import OwnGraph
from graphs.builders import constituency
from graphs.columns import Sentence
from graphs.errors import SentenceError
from graphs.features import Vocabularies
from graphs.formats.brackets import parse_brackets
from graphs.sentence_graph import SentenceGraph
from graphs.store import Store


class Particular(OwnGraph):
    """Trees, of which those with the word "bad" cannot become graphs."""

    reads = "constituency"

    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        if "bad" in sentence.words:
            raise SentenceError("this tree is bad", sentence.origin)
        return constituency(sentence, vocabularies)


class Pairs(Files):
    """Three pairs, of which the second has a tree that is bad, its second one."""

    def about(self):
        return {"graph": str(self.graph)}

    def parts(self, size):
        yield Part("train", 0, 1, 3, "")

    def read(self, part):
        trees = [Parsed(constituency=tree) for tree in parse_brackets("(A a)\n(B b)\n(C c)\n(D bad)\n(E e)\n(F f)")]
        return Read([Example((trees[i], trees[i + 1]), {"score": i / 2}, f"pair-{i // 2}") for i in (0, 2, 4)])


def test_of_a_broken_sentence_the_pair_is_left_out(tmp_path):
    build(Pairs(Particular(), {}, skip=True), tmp_path / "store")
    kept = Store(tmp_path / "store").splits["train"]
    assert kept.targets("score").tolist() == [0, 0, 2, 2]
