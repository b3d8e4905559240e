"""What is left out of a shard."""

from __future__ import annotations

import numpy as np
import pytest

from dglsent.building.build import build
from dglsent.building.files import Files
from dglsent.building.parts import Part
from dglsent.building.read import Read
from dglsent.corpora.example import Example, Parsed
from dglsent.training.graphs import OwnGraph
from graphs.builders import chain, constituency
from graphs.columns import Sentence, Tagged
from graphs.errors import InputError, SentenceError
from graphs.features import Vocabularies
from graphs.formats.brackets import parse_brackets
from graphs.sentence_graph import SentenceGraph
from graphs.store import Store
from graphs.store_shard import Shard


class Particular(OwnGraph):
    """Trees, of which those with the word "bad" cannot become graphs."""

    reads = "constituency"

    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        if "bad" in sentence.words:
            raise SentenceError("this tree is bad", sentence.origin)
        return constituency(sentence, vocabularies)


class Pairs(Files):
    """Three pairs, of which the second has a tree that is bad, its second one."""

    trees = "(A a)\n(B b)\n(C c)\n(D bad)\n(E e)\n(F f)"

    def about(self):
        return {"graph": str(self.graph)}

    def parts(self, size):
        yield Part("train", 0, 1, 3, "")

    def read(self, part):
        trees = [Parsed(constituency=tree) for tree in parse_brackets(self.trees)]
        return Read([Example((trees[i], trees[i + 1]), {"score": i / 2}, f"pair-{i // 2}") for i in (0, 2, 4)])


def test_of_a_broken_sentence_the_pair_is_left_out(tmp_path):
    build(Pairs(Particular(), {}, skip=True), tmp_path / "store")
    kept = Store(tmp_path / "store").splits["train"]
    assert kept.targets("score").tolist() == [0, 0, 2, 2]
    assert set(Store(tmp_path / "store").counts()["train"].word) == {"a", "b", "e", "f"}


class Dependent(Particular):
    """Such as want the word "c" known too where they have an "e"."""

    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        if "e" in sentence.words and "c" not in vocabularies.word.strings:
            raise SentenceError("this tree is lonely", sentence.origin)
        return super().build(sentence, vocabularies)


def test_what_the_words_of_a_pair_that_is_left_out_take_with_them_is_left_out_too(tmp_path):
    """The part was refused as if nothing in it could be used."""
    build(Pairs(Dependent(), {}, skip=True), tmp_path / "store")
    kept = Store(tmp_path / "store").splits["train"]
    assert kept.targets("score").tolist() == [0, 0]


class Bad(Pairs):
    """Three pairs, all of them bad."""

    trees = "(A bad)\n" * 6


def test_a_part_of_which_nothing_is_left_is_refused_with_its_first_fault(tmp_path):
    said = r"^train-00000: none of its sentences can be used; the first: line 1, sentence 1: this tree is bad$"
    with pytest.raises(InputError, match=said):
        build(Bad(Particular(), {}, skip=True), tmp_path / "store")


class Longer(Pairs):
    """Three pairs of sentences of two words."""

    trees = "\n".join(["(S (A a) (B b))"] * 6)


class Own(OwnGraph):
    """Chains with fields of their own."""

    reads = "constituency"

    def __init__(self, *fields):
        self.fields = fields

    def __str__(self):
        return f"Own({', '.join(name for _, name, _ in self.fields)})"

    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        made = chain(sentence, vocabularies)
        for kind, name, make in self.fields:
            size = made.size if kind == "nodes" else len(made.src)
            getattr(made, kind)[name] = make(size)
        return made


@pytest.mark.parametrize(
    ("kind", "name", "make", "said"),
    [
        ("edges", "kind", lambda size: np.zeros((size, 2, 3)), "field edge.kind: has 3 dimensions, a store keeps two"),
        ("edges", "src", np.ones, "field edge.src: a store has another column of that name"),
        ("nodes", "level", np.ones, "field node.level: a store has another column"),
        ("nodes", "far", lambda size: np.full(size, 2**40), "field node.far: is whole numbers from 1099511627776 to"),
        ("nodes", "flag", lambda size: np.ones(size, bool), "field node.flag: is an array of bool"),
        ("edges", "relation", lambda size: np.full(size, 99), "field edge.relation: has ids from 99 to 99, and its"),
        (
            "edges",
            "relation",
            np.ones,
            "field edge.relation: is an array of float64, where a store keeps whole numbers",
        ),
    ],
)
def test_a_field_that_would_come_back_as_another_is_refused(kind, name, make, said, tmp_path):
    with pytest.raises(InputError, match=said):
        build(Longer(Own((kind, name, make)), {}), tmp_path / "store")


def test_fields_of_ones_own_are_kept_as_they_are(tmp_path):
    half = ("nodes", "half", lambda size: np.arange(size) / 2)
    two = ("edges", "two", lambda size: np.full((size, 2), -7))
    build(Longer(Own(half, two), {}), tmp_path / "store")
    shard = Shard(tmp_path / "store" / "train-00000.arrow")
    assert shard.values("node.half").tolist() == [0, 0.5] * 6
    assert shard.values("edge.two").tolist() == [[-7, -7]] * 6


class Broken(OwnGraph):
    """Chains that a statement changes."""

    def __init__(self, change):
        self.change = change

    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        graph = chain(sentence, vocabularies)
        exec(self.change)
        return graph


class Tokens(Longer):
    """Sentences with gold classes of their tokens."""

    def read(self, part):
        read = super().read(part)
        for example in read.examples:
            example.sentences = tuple(Parsed(unparsed=Tagged(["a", "b"]), labels=[0, 1]) for _ in (1, 2))
        return read


class Held(Particular):
    """Graphs with something that no two processes print alike."""

    def __init__(self, rule):
        self.rule = rule


def test_graphs_of_ones_own_are_looked_at(tmp_path):
    """A store of such graphs was built, and training from it ended in an IndexError, or learnt other classes."""
    far = Broken("graph.dst[0] = 9")
    far.reads = "constituency"
    with pytest.raises(SentenceError, match=r"^.*1: as Broken\(.* makes its graph: dst has numbers from 9 to 9"):
        build(Longer(far, {}), tmp_path / "store")
    turned = Broken("graph.nodes['position'] = graph.nodes['position'][::-1].copy()")
    turned.reads = "chain"
    with pytest.raises(SentenceError, match="gold classes are laid on its first nodes"):
        build(Tokens(turned, {}), tmp_path / "store")
    with pytest.raises(InputError, match=r"^graph: Held\(.* is another text in every process"):
        build(Longer(Held(lambda: 1), {}), tmp_path / "store")
