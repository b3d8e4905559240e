"""A tagged corpus so small that a test can train on it."""

from __future__ import annotations

from pathlib import Path

import dglsent
from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.tagged import tagged_examples, with_rare
from graphs.columns import Tagged
from graphs.errors import Origin

TAGS = """
corpus: {class_path: tiny_tags.Tags}
graph: chain
embedding: {dim: 8, fold_digits: true, spelling: true}
encoder:
  class_path: dglsent.models.sequence.BiLSTM
  init_args: {hidden: 8, tie_directions: false}
task:
  class_path: dglsent.tasks.tagging.Tagging
  init_args: {crf: true, score: f1, dropout: 0.1}
optimiser: {name: adam, lr: 0.05}
training: {epochs: 4, batch_size: 4}
"""

_TRAIN = (
    "Ann/B-PER saw/O Rome/B-LOC",
    "Bob/B-PER Hill/I-PER left/O Paris/B-LOC",
    "Rome/B-LOC met/O Ann/B-PER Hill/I-PER 12/O",
    "Paris/B-LOC saw/O Bob/B-PER",
)
_TEST = ("Ann/B-PER left/O Paris/B-LOC", "Rome/B-LOC saw/O Bob/B-PER Hill/I-PER 7/O")


@dglsent.register("tiny-tags")
class Tags(Corpus):
    """People and places; which tags there are is known from the sentences alone.

    Args:
        more: a further tag in training.
    """

    needs_data = False

    def __init__(self, more: str | None = None) -> None:
        self._more = [f"so/{more}"] if more else []

    def load(self, data: Path) -> Splits:
        train = [_sentence(text) for text in [*(_TRAIN * 4), *self._more]]
        test = [_sentence(text) for text in _TEST]
        self.labels = [label for label in with_rare(train, "tag") if label != "<rare>"]
        splits = {"train": train, "dev": test, "test": test}
        return {split: tagged_examples(split, found, "tag", self.labels) for split, found in splits.items()}


def _sentence(text: str) -> Tagged:
    pairs = [token.split("/") for token in text.split()]
    return Tagged([word for word, _ in pairs], {"tag": [tag for _, tag in pairs]}, Origin("tags", 1, "1"))
