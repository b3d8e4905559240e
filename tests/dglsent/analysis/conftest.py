"""Tiny runs whose models show something."""

from __future__ import annotations

import pytest
from tiny import recipe
from tiny_tags import TAGS

from dglsent.cli.main import main

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
