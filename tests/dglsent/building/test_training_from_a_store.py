"""A recipe trains from a store as it does from files: to the last digit, dropout on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
import torch
from same_batches import same
from tiny import PAIRS, TINY, Program, recipe
from tiny_tags import TAGS

import dglsent
from dglsent.building.build import build
from dglsent.building.files import Files
from dglsent.building.recipe_corpus import OfRecipe
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.corpus import Splits
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs
from dglsent.training.data import loader
from dglsent.training.graphs import KINDS, GraphKind
from graphs.errors import InputError
from graphs.store import Store, digest, write

FROM = ("--corpus", "dglsent.corpora.stored.Stored", "--corpus.store")


EVERYTHING = TINY.replace("dim: 8,", "dim: 8, lower: true, min_count: 2, spelling: true, cooccurrence: true,")


def history(run: Path) -> list[dict]:
    found = json.loads((run / "metrics.json").read_text())["history"]
    return [{key: value for key, value in epoch.items() if key != "seconds"} for epoch in found]


@pytest.mark.parametrize("text", [TINY, PAIRS, TAGS], ids=["trees", "pairs", "tags"])
def test_same_losses_as_from_files(text: str, tmp_path: Path, program: Program) -> None:
    file, store = recipe(tmp_path, text), tmp_path / "store"
    code, out, _ = program("build", store, "--recipe", file, "--shard", "3")
    assert code == 0, out
    assert len(Store(store).splits["train"].shards) > 2
    assert program("fit", file, "--out", tmp_path / "files")[0] == 0
    assert program("fit", file, *FROM, store, "--out", tmp_path / "stored")[0] == 0
    assert history(tmp_path / "stored") == history(tmp_path / "files")
    weights = [(tmp_path / run / "weights.safetensors").read_bytes() for run in ("files", "stored")]
    assert weights[0] == weights[1]
    files, stored = (json.loads((tmp_path / run / "vocabularies.json").read_text()) for run in ("files", "stored"))
    names = Store(store).manifest["labels"]  # a store may be gone where a run is used, a corpus of dglsent is not
    assert stored.pop("label", {"strings": []})["strings"] == names
    assert stored == {name: part for name, part in files.items() if name != "label"}
    if text == TINY:
        (said,) = dglsent.load(tmp_path / "stored", device="cpu").predict(Reviews().load()["test"][0])
        assert said["label"] in Reviews.labels
    metrics = [json.loads((tmp_path / run / "metrics.json").read_text()) for run in ("files", "stored")]
    assert metrics[0]["test"] == metrics[1]["test"]
    assert metrics[0].get("test_groups") == metrics[1].get("test_groups")


@pytest.mark.parametrize("kind", KINDS)
def test_same_batches_as_from_files(kind: GraphKind, tmp_path: Path) -> None:
    text = EVERYTHING.replace("graph: constituency", f"graph: {kind}")
    config = recipes.resolve(text)
    build(OfRecipe(recipes.dump(config)), tmp_path / "store", size=17)
    stored = recipes.resolve(text, [*FROM, str(tmp_path / "store")])
    there, here = (load_inputs(recipes.instantiate(one), None) for one in (config, stored))
    assert here.vocabularies.label is not None
    assert list(here.vocabularies.label) == list(Reviews.labels)
    assert replace(here.vocabularies, label=None) == there.vocabularies
    for split in ("train", "test"):
        assert here.sets[split].by_group() == there.sets[split].by_group()
        assert here.sets[split].lengths.tolist() == there.sets[split].lengths.tolist()
        for one, other in zip(*(loader(found.sets[split], 12, (), seed=3) for found in (there, here)), strict=True):
            same(one, other, kind)
            assert torch.equal(one.roots, other.roots)


def test_buckets_hold_every_example_once(tmp_path: Path) -> None:
    config = recipes.resolve(TINY)
    data = load_inputs(recipes.instantiate(config), None).sets["train"]
    lengths = data.lengths
    batches = loader(data, 8, (), seed=1, bucket=4).batch_sampler
    orders = []
    for epoch in (0, 1, 0):
        batches.sampler.set_epoch(epoch)
        orders.append(list(batches))
        assert sorted(number for batch in orders[-1] for number in batch) == list(range(60))
        assert [len(batch) for batch in orders[-1]] == [8] * 7 + [4]
    assert orders[0] == orders[2]
    assert orders[0] != orders[1]

    def spread(batches: list[list[int]]) -> float:
        return sum(float(lengths[batch].std()) for batch in batches)

    assert spread(orders[0]) < spread(list(loader(data, 8, (), seed=1).batch_sampler)) / 2


def test_a_store_of_other_graphs_is_refused(tmp_path: Path, program: Program) -> None:
    file, store = recipe(tmp_path), tmp_path / "store"
    assert program("build", store, "--recipe", file)[0] == 0
    fit = ("fit", file, *FROM, store, "--out", tmp_path / "run")
    program.refuses(*fit, "--graph", "chain", saying=["graphs of kind constituency", "the model reads chain"])
    program.refuses(*fit, "--graph", "chain", saying=["build another store with --graph chain"])
    pairs = recipe(tmp_path, PAIRS, "pairs.yaml")
    fit = ("fit", pairs, *FROM, store, "--graph", "constituency", "--out", tmp_path / "run")
    program.refuses(*fit, saying=["1 sentences, the task wants 2"])
    program.refuses("fit", file, *FROM, tmp_path, "--out", tmp_path / "run", saying=["no store"])


def test_a_gold_value_that_a_store_lacks_is_named_beside_those_that_it_has(tmp_path: Path, program: Program) -> None:
    pairs, store = recipe(tmp_path, PAIRS), tmp_path / "store"
    assert program("build", store, "--recipe", pairs)[0] == 0
    task = ("--task", "PairClassification", "--task.classes", 2)
    said = ["split train has no gold 'label', and has 'score'; choose a --task", "--columns label=COLUMN"]
    program.refuses("fit", pairs, *FROM, store, *task, "--out", tmp_path / "run", saying=said)


@pytest.mark.parametrize("column", ["target.label", "node.label"])
@pytest.mark.parametrize("number", [-2, 2])
def test_a_class_that_a_store_has_not_is_refused(column: str, number: int, tmp_path: Path) -> None:
    """-2 was taken for the last class, and 2 of nodes ended in an IndexError of the epoch."""
    own, store = tmp_path / "own.brackets", tmp_path / "store"
    own.write_text("(1 (2 a) (1 film))\n(2 (1 bad) (2 film))\n")
    build(Files("constituency", {split: [str(own)] for split in ("train", "dev", "test")}, "nodes"), store)
    recipe = recipes.instantiate(recipes.resolve(TINY, [*FROM, str(store), "--task.classes", "2"]))
    load_inputs(recipe, None)
    shard = store / "dev-00000.arrow"
    table = pa.ipc.open_file(shard.read_bytes()).get_batch(0)
    given = table.column(column)
    changed = pa.array(
        [number, *given.to_pylist()[1:]] if column == "target.label" else [[number, 0, 1]] * 2, given.type
    )
    table = table.set_column(table.schema.names.index(column), table.schema.field(column), changed)
    with pa.ipc.new_file(shard, table.schema) as file:
        file.write_batch(table)
    manifest = json.loads((store / "manifest.json").read_text())
    entry = next(entry for entry in manifest["shards"] if entry["file"] == shard.name)
    entry.update(bytes=shard.stat().st_size, sha256=digest(shard))
    write(manifest, store / "manifest.json")
    with pytest.raises(
        InputError,
        match=rf"dev-00000\.arrow: its column '{column}' has classes from .*, and the store has 0 to 1; .*build",
    ):
        load_inputs(recipe, None)


class Fractions(Reviews):
    """Gold classes that are no whole numbers."""

    def load(self, data: Path) -> Splits:
        splits = super().load(data)
        for split, examples in splits.items():
            for number, example in enumerate(examples):
                broken = (split, number) == ("dev", 1)
                example.targets = {"label": 0.7 if broken else float(example.targets["label"])}
        return splits


def test_gold_that_is_no_whole_number_is_refused_as_from_files(tmp_path: Path) -> None:
    config = recipes.resolve(TINY, ["--corpus", "test_training_from_a_store.Fractions"])
    with pytest.raises(InputError, match=r"has 0.7 as its gold 'label', where a whole number is wanted"):
        load_inputs(recipes.instantiate(config), None)
    build(OfRecipe(recipes.dump(config)), tmp_path / "store", size=17)
    stored = recipes.instantiate(recipes.resolve(TINY, [*FROM, str(tmp_path / "store")]))
    with pytest.raises(InputError, match=r"gold 'label' of example 2 is 0.7, where a whole number is wanted"):
        load_inputs(stored, None)
