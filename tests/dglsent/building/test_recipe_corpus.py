"""The corpus of a recipe as what a store is built of: what tells its parts apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tiny import TINY, Program

from dglsent.building.recipe_corpus import OfRecipe
from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.example import Example, Parsed
from dglsent.training import recipe as recipes
from dglsent.training.graphs import OwnGraph
from graphs.builders import chain
from graphs.columns import Constituency, Dependencies, Sentence, Tagged
from graphs.errors import Origin
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph
from graphs.store import Store


class Whole(OwnGraph):
    """Chains."""

    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        return chain(sentence, vocabularies)


class Told(Corpus):
    """Two examples a split, of which the last is other in the one thing that names the data folder."""

    labels = ("no", "yes")

    def load(self, data: Path) -> Splits:
        examples = [self._example(lambda name, value, other: value), self._example(partial(self._told, data.name))]
        return dict.fromkeys(("train", "dev", "test"), examples)

    @staticmethod
    def _told(changed: str, name: str, value: Any, other: Any) -> Any:
        return other if name == changed else value

    @staticmethod
    def _example(of: Callable[[str, Any, Any], Any]) -> Example:
        words = ["a", of("word", "b", "c")]
        parent = np.array([-1, 0, of("parent", 0, 1)])
        tree = Constituency(
            [of("label", "S", "X"), "A", "B"], [None, *words], parent, Origin("f", of("line of the tree", 1, 2))
        )
        heads = Dependencies(
            words,
            np.array([-1, of("head", 0, -1)]),
            ["root", of("relation", "x", "y")],
            upos=["X", of("upos", "X", "Y")],
            xpos=["x", of("xpos", "x", "y")],
            lemma=["x", of("lemma", "x", "y")],
            feats=["_", of("feats", "_", "A=B")],
            comments=[of("comment", "a", "b")],
            origin=Origin("g", of("line", 1, 2)),
        )
        tokens = Tagged(words, {of("column", "pos", "chunk"): ["T", of("tag", "T", "U")]})
        part = Parsed(constituency=Constituency(["S"], [of("part", "a", "b")], np.array([-1])))
        sentence = Parsed(tree, heads, [0, 1, of("class", 1, 0)], unparsed=tokens, parts=[part])
        groups = frozenset({of("group", "g", "h")})
        return Example((sentence,), {of("name", "label", "gold"): of("target", 0, 1)}, of("id", "1", "2"), groups)


CHANGES = (
    *("word", "parent", "label", "line", "head", "relation", "upos", "xpos", "column", "tag", "part", "class", "group"),
    *("name", "target", "id", "line of the tree"),
)


def test_a_part_of_a_corpus_is_another_where_anything_changed(tmp_path: Path) -> None:
    """Else a store that is built again would keep the shard of what was."""
    recipe = recipes.dump(recipes.resolve(TINY, ["--corpus", "test_recipe_corpus.Told"]))
    hashes: dict[str, str] = {}
    for change in ("nothing", *CHANGES):
        (tmp_path / change).mkdir()
        same, other, *_ = OfRecipe(recipe, tmp_path / change).parts(1)
        hashes[other.sha256] = change
        assert (same.sha256 == other.sha256) == (change == "nothing")
    assert list(hashes.values()) == ["nothing", *CHANGES]


def test_graphs_of_ones_own_may_read_all_columns_and_have_code(tmp_path: Path) -> None:
    """The store kept the graphs of the old lemmas, and of the old code."""
    told = ["--corpus", "test_recipe_corpus.Told"]
    own = recipes.dump(recipes.resolve(TINY, [*told, "--graph", "test_recipe_corpus.Whole"]))
    built_in = recipes.dump(recipes.resolve(TINY, told))
    for change in ("lemma", "feats", "comment"):
        (tmp_path / change).mkdir()
        for recipe in (own, built_in):
            same, other, *_ = OfRecipe(recipe, tmp_path / change).parts(1)
            assert (same.sha256 == other.sha256) == (recipe == built_in)
    assert OfRecipe(built_in, tmp_path / "lemma").about() == {"graph": "constituency"}
    assert OfRecipe(own, tmp_path / "lemma").about()["code"].keys() == {"code of test_recipe_corpus"}


def test_files_that_change_between_two_builds_of_a_process_are_read_again(tmp_path: Path, program: Program) -> None:
    names = ", ".join(f"{split}: {tmp_path / split}.tsv" for split in ("train", "test"))
    corpus = f"corpus: {{class_path: LabelledText, init_args: {{{names}}}}}"
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(f"base: reviews/bag-of-words\ngraph: chain\n{corpus}\n")
    for word in ("good", "bad"):
        for split in ("train", "test"):
            rows = "".join(f"a {word} film\t{number % 2}\n" for number in range(20))
            (tmp_path / f"{split}.tsv").write_text(f"text\tlabel\n{rows}")
        assert program("build", tmp_path / "store", "--recipe", recipe)[0] == 0
        words = Store(tmp_path / "store").splits["train"].shards[0].strings("node.word")
        assert word in words
