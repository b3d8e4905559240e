"""Tiny runs whose models show something."""

from __future__ import annotations

import re
import shutil

import pytest
from safetensors.torch import load_file, save_file
from tiny import recipe
from tiny_tags import TAGS

from dglsent.cli.main import main
from dglsent.training.run import Run

TAG_GUIDED = """
corpus:
  class_path: dglsent.corpora.built_in.Reviews
  init_args: {train: 30, dev: 10, test: 25}
graph: constituency
embedding: {dim: 8}
encoder:
  class_path: dglsent.models.tag_guided.TagGuidedHyperRecNN
  init_args: {hidden: 6, hyper: 4, fusion_size: 5, tag_dim: 3}
task:
  class_path: dglsent.tasks.classification.Classification
  init_args: {classes: 5}
training: {epochs: 1}
"""

ATTENTIVE = """
corpus: {class_path: tiny.Pairs}
graph: dependency
embedding: {dim: 8, tune: false}
encoder:
  class_path: dglsent.models.progressive_attention.ProgressiveAttention
  init_args:
    structure:
      class_path: dglsent.models.attentive_tree.AttentiveTreeLSTM
      init_args: {hidden: 6}
task: {class_path: dglsent.tasks.relatedness.Relatedness}
training: {epochs: 1}
"""


@pytest.fixture(scope="session")
def tag_guided_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tag-guided") / "reviews" / "tag-guided"
    folder.mkdir(parents=True)
    assert main(["fit", str(recipe(folder.parent, TAG_GUIDED)), "--out", str(folder / "seed-1")]) == 0
    return folder / "seed-1"


@pytest.fixture
def broken_run(tag_guided_run, tmp_path):
    """A run that has no numbers for a word: one that stands in the third test sentence and not before."""
    shutil.copytree(tag_guided_run, tmp_path / "broken")
    recipe, vocabularies, _ = Run(tag_guided_run).load()
    words = [example.sentences[0].constituency.words for example in recipe.corpus.load()["test"][:3]]
    word = next(word for word in words[2] if word in vocabularies.word and word not in words[0] + words[1])
    file = tmp_path / "broken" / "weights.safetensors"
    weights = load_file(file)
    weights["encoder.embedding.weight"][vocabularies.word[word]] = float("nan")
    save_file(weights, file)
    return tmp_path / "broken"


@pytest.fixture(scope="session")
def folded_runs(tmp_path_factory):
    """Two systems, laid out as `dglsent reproduce` does it; of the larger one there is one fold of one seed alone."""
    folder = tmp_path_factory.mktemp("folded")
    file = recipe(folder, re.sub(r"class_path: dglsent\.corpora.*\n.*\n", "class_path: tiny.Folds\n", TAG_GUIDED))
    runs = [("big", 7, 1, 0), *(("small", 6, seed, fold) for seed in (1, 2) for fold in (0, 1))]
    for system, hidden, seed, fold in runs:
        out = folder / "rf" / system / f"seed-{seed}" / f"fold-{fold}"
        options = ["--seed", seed, "--corpus.fold", fold, "--encoder.hidden", hidden, "--out", out]
        assert main(["fit", str(file), *map(str, options)]) == 0
        out.with_suffix(".log").touch()
    return folder / "rf"


@pytest.fixture(scope="session")
def attentive_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attentive")
    assert main(["fit", str(recipe(folder, ATTENTIVE)), "--out", str(folder / "run")]) == 0
    return folder / "run"


@pytest.fixture(scope="session")
def tags_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tags")
    assert main(["fit", str(recipe(folder, TAGS.replace("epochs: 4", "epochs: 1"))), "--out", str(folder / "run")]) == 0
    return folder / "run"
