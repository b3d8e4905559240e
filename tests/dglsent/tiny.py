"""Recipes and corpora so small that a test can train them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import dglsent
from dglsent.cli.main import main
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.example import Example
from dglsent.models.tree_lstm import BinaryTreeLSTM

TINY = """
corpus:
  class_path: dglsent.corpora.built_in.Reviews
  init_args: {train: 60, dev: 20, test: 30}
graph: constituency
embedding: {dim: 8, dropout: 0.3}
encoder:
  class_path: dglsent.models.tree_lstm.BinaryTreeLSTM
  init_args: {hidden: 6}
task:
  class_path: dglsent.tasks.classification.Classification
  init_args: {classes: 5, dropout: 0.3}
training: {epochs: 2, batch_size: 8}
"""

PAIRS = """
corpus: {class_path: tiny.Pairs}
graph: dependency
embedding: {dim: 8, tune: false}
encoder:
  class_path: dglsent.models.tree_lstm.ChildSumTreeLSTM
  init_args: {hidden: 6}
task: {class_path: dglsent.tasks.relatedness.Relatedness}
training: {epochs: 2, batch_size: 8}
"""


@cache
def _drawn() -> Splits:
    return Reviews(train=60, dev=20, test=20).load()


@dglsent.register("tiny-pairs")
class Pairs(Corpus):
    """Pairs of reviews; the score says how near their sentiments are."""

    needs_data = False

    def load(self, data: Path) -> Splits:
        return {
            split: [
                Example(
                    (a.sentences[0], b.sentences[0]),
                    {"score": 5 - abs(a.targets["label"] - b.targets["label"])},
                    f"{split}-{number}",
                )
                for number, (a, b) in enumerate(zip(examples[::2], examples[1::2], strict=True))
            ]
            for split, examples in _drawn().items()
        }


class Alike(Pairs):
    """Pairs of which those of dev have one score, so that Pearson's r of them is not a number."""

    def load(self, data: Path) -> Splits:
        splits = super().load(data)
        return {**splits, "dev": [Example(one.sentences, {"score": 3}, one.id) for one in splits["dev"]]}


class Folds(Reviews):
    """Reviews of which each fold has others to test on."""

    def __init__(self, fold: int = 0) -> None:
        super().__init__(train=60, dev=20, test=30)
        self.fold = fold

    def load(self, data: Path = Path()) -> Splits:
        splits = super().load()
        return {**splits, "test": splits["test"][self.fold :: 2]}


class Interrupted(BinaryTreeLSTM):
    """A Tree-LSTM whose training somebody stops with Ctrl-C."""

    batches_left: int | None = None

    def encode(self, batch: Any) -> Any:
        if self.training and Interrupted.batches_left is not None:
            if not Interrupted.batches_left:
                raise KeyboardInterrupt
            Interrupted.batches_left -= 1
        return super().encode(batch)


class Program:
    """Runs the program in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of a command."""
        self._capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = self._capsys.readouterr()
        return code, out, err

    def refuses(self, *arguments: object, saying: Sequence[str], told: str = "") -> None:
        """The command ends with exit code 2 and a line that holds all of `saying`, after one that ends in `told`."""
        code, out, err = self(*arguments)
        assert code == 2
        assert out == ""
        *before, line, end = err.split("\n")
        assert [each.endswith(told) for each in before] == ([True] if told else []), err
        assert line.startswith("dglsent: ")
        for part in saying:
            assert part in f"{line}\n", err
        assert end == ""


def recipe(folder: Path, text: str = TINY, name: str = "tiny.yaml") -> Path:
    """A recipe file."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file
