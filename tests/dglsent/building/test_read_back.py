"""What is read back of a store makes the graphs of the store again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from same_batches import same
from tiny import PAIRS, TINY, Program, recipe
from tiny_tags import TAGS

from dglsent.building.build import build
from dglsent.building.files import Files
from dglsent.building.read_back import read_back
from dglsent.building.recipe_corpus import OfRecipe
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.corpus import Splits
from dglsent.corpora.example import Example, Parsed
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.data import graph_set
from dglsent.training.graphs import KINDS, GraphKind
from graphs.columns import Tagged
from graphs.errors import InputError, Origin
from graphs.store import Store

FROM = ("--corpus", "dglsent.corpora.stored.Stored", "--corpus.store")


def makes_the_store_again(text: str, options: list[str], store: Path) -> None:
    made_of = recipes.instantiate(recipes.resolve(text, [*options, *FROM, str(store)]))
    inputs, kind = load_inputs(made_of, None), made_of.graph
    task = make_model(made_of, inputs.vocabularies).task
    for split in ("train", "test"):
        stored, again = inputs.sets[split], read_back(Store(store), split)
        made = graph_set(again, kind, inputs.vocabularies, task.sentences, task.targets, token_labels=task.token_labels)
        assert len(made) == len(stored) > 1
        assert made.by_group() == stored.by_group()
        shards = Store(store).splits[split].shards
        places = [place for shard in shards for place in zip(*map(shard.texts, ("file", "line")), strict=True)]
        origins = [sentence.origin for example in again for sentence in example.sentences]
        assert [(origin.file, origin.line) for origin in origins] == places
        index = range(len(stored))
        same(made.batch(index, ()), stored.batch(index, ()), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [TINY, PAIRS], ids=["sentences", "pairs"])
def test_graphs_built_of_it_are_those_of_the_store(text: str, kind: GraphKind, tmp_path: Path) -> None:
    options = ["--graph", kind]
    build(OfRecipe(recipes.dump(recipes.resolve(text, options))), tmp_path / "store", size=17)
    makes_the_store_again(text, options, tmp_path / "store")


@pytest.mark.parametrize("kind", ["chain", "window", "complete"])
def test_tags_of_tokens(kind: GraphKind, tmp_path: Path) -> None:
    options = ["--graph", kind, "--encoder", "dglsent.models.bag_of_words.BagOfWords"]
    build(OfRecipe(recipes.dump(recipes.resolve(TAGS, options))), tmp_path / "store", size=3)
    makes_the_store_again(TAGS, options, tmp_path / "store")


@pytest.mark.parametrize("kind", ["dependency", "constituency", "constituency-nary"])
def test_trees_of_a_document(kind: GraphKind, tmp_path: Path) -> None:
    options = ["--graph", kind, "--corpus", "test_read_back.Documents"]
    build(OfRecipe(recipes.dump(recipes.resolve(TINY, options))), tmp_path / "store", size=3)
    makes_the_store_again(TINY, ["--graph", kind], tmp_path / "store")


def test_a_recording_is_that_of_the_corpus_that_the_store_was_built_of(tmp_path: Path, program: Program) -> None:
    file, store = recipe(tmp_path), tmp_path / "store"
    assert program("build", store, "--recipe", file, "--shard", "7")[0] == 0
    assert program("fit", file, "--out", tmp_path / "files")[0] == 0
    assert program("fit", file, *FROM, store, "--out", tmp_path / "stored")[0] == 0
    tables = {}
    for run in ("files", "stored"):
        code, _, err = program("record", tmp_path / run, "--out", tmp_path / f"{run}-recorded", "--limit", "17")
        assert code == 0, err
        for name in ("examples", "nodes"):
            tables[run, name] = pa.concat_tables(
                map(pq.read_table, sorted((tmp_path / f"{run}-recorded" / name).iterdir()))
            )
    for name in ("examples", "nodes"):
        here, there = tables["stored", name], tables["files", name]
        assert here.num_rows == there.num_rows >= 17
        # The tree of a store comes without the arcs of another parse, and its run is another's.
        own = {"system", "data", "recipe", "head", "dependency"}
        assert here.column_names == there.column_names
        for column in set(here.column_names) - own:
            assert here[column].to_pylist() == there[column].to_pylist(), column


def test_only_as_many_as_are_asked_for(tmp_path: Path) -> None:
    build(OfRecipe(recipes.dump(recipes.resolve(PAIRS))), tmp_path / "store", size=4)
    store = Store(tmp_path / "store")
    all_of_them = [example.id for example in read_back(store, "train")]
    assert len(all_of_them) > 6
    for limit in (1, 4, 6, 1000):
        some = read_back(store, "train", limit)
        assert [example.id for example in some] == all_of_them[:limit]
        assert all(len(example.sentences) == 2 for example in some)


def test_what_a_graph_does_not_tell(tmp_path: Path) -> None:
    conllu = tmp_path / "train.conllu"
    conllu.write_text(
        "# label = good\n1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tshines\t_\tVERB\tVBZ\tX=1\t0\troot\t_\t_\n"
        "3\t!\t_\t_\t_\t_\t0\t_\t_\t_\n\n# label = bad\n1\tNo\t_\t_\t_\t_\t0\t_\t_\t_\n"
        "2\t!\t_\t_\t_\t_\t1\t_\t_\t_\n\n"
    )
    for kind in ("dependency", "complete", "chain"):
        build(Files(kind, {split: [str(conllu)] for split in ("train", "dev", "test")}), tmp_path / kind)
        first, second = read_back(Store(tmp_path / kind), "dev")
        assert [first.targets, second.targets] == [{"label": 1}, {"label": 0}]  # classes are in order of their names
        (sentence,) = first.sentences
        assert sentence.origin == Origin(str(conllu), 1, "1")
        if kind == "chain":
            assert sentence.dependencies is None
            assert sentence.unparsed.word == ["It", "shines", "!"]
            assert sentence.unparsed.columns == {"pos": ["PRON", "VBZ", "_"]}
            continue
        tree = sentence.dependencies
        assert (tree.word, tree.xpos, tree.upos) == (["It", "shines", "!"], ["PRON", "VBZ", "_"], ["_"] * 3)
        # A second root hangs on the first in a dependency graph; in a complete graph it is as it was.
        assert tree.head.tolist() == ([1, -1, 1] if kind == "dependency" else [1, -1, -1])
        assert tree.relation == ["nsubj", "root", "_" if kind == "dependency" else "root"]
        assert not tree.forest  # it is one sentence, whatever its roots
        assert second.sentences[0].dependencies.relation == ["root", "_"]


def test_nodes_without_a_class_have_none(tmp_path: Path) -> None:
    file = tmp_path / "train.brackets"
    file.write_text("(b (a x) (_ y))\n(a (_ z) (b w))\n")
    build(Files("constituency", {"train": [str(file)]}, "nodes"), tmp_path / "store")
    found = read_back(Store(tmp_path / "store"), "train")
    assert [example.targets for example in found] == [{"label": 1}, {"label": 0}]
    assert [example.sentences[0].labels for example in found] == [[-1, 0, -1], [-1, -1, 1]]  # that of a root is above
    assert [example.sentences[0].origin.line for example in found] == [1, 2]


def test_refused(tmp_path: Path) -> None:
    build(OfRecipe(recipes.dump(recipes.resolve(TINY))), tmp_path / "store", size=100)
    store = Store(tmp_path / "store")
    with pytest.raises(InputError, match="no split 'more'; there are train, dev, test"):
        read_back(store, "more")
    store.manifest["graph"] = "mine.Skips"
    with pytest.raises(InputError, match=r"graphs of one's own, mine.Skips, which tell no parse"):
        read_back(store, "dev")


class Documents(Reviews):
    """Reviews of which every three are a document, but for the last."""

    def load(self, data: Path = Path()) -> Splits:
        return {split: list(self._joined(examples)) for split, examples in super().load().items()}

    @staticmethod
    def _joined(examples: Sequence[Example]) -> Iterator[Example]:
        for first in range(0, len(examples) - 3, 3):
            some = [
                Parsed(constituency=sentence.constituency, dependencies=sentence.dependencies)
                for example in examples[first : first + 3]
                for sentence in example.sentences
            ]
            words = [word for one in some for word in one.constituency.words]
            words = Tagged(words, origin=Origin("documents", first + 1))
            yield Example((Parsed(unparsed=words, parts=some),), examples[first].targets, examples[first].id)
        one = examples[-1]
        yield Example((Parsed(one.sentences[0].constituency, one.sentences[0].dependencies),), one.targets, one.id)
