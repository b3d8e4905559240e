"""Encoders to watch: one writes what it is trained on, of one a part freezes on the way, one has random constants."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import distributed

from dglsent.models.tree_lstm import BinaryTreeLSTM

FOLDER = "DGLSENT_TEST_WATCHED"  # environment variable: where it writes; nothing is written without it
_BEGUN, _SCORED = "begun", "scored"


class Watched(BinaryTreeLSTM):
    """A Tree-LSTM with a line for each batch: its sentences, each by the ids of its words. A file for each process."""

    _begun = False

    def encode(self, batch: Any) -> Any:
        if FOLDER in os.environ:
            self._write(_line(batch) if self.training else _SCORED)
        return super().encode(batch)

    def _write(self, line: str) -> None:
        rank = distributed.get_rank() if distributed.is_initialized() else 0
        file = Path(os.environ[FOLDER]) / f"process-{rank}"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as lines:
            lines.writelines(f"{text}\n" for text in ([line] if self._begun else [_BEGUN, line]))
        self._begun = True


class Freezing(BinaryTreeLSTM):
    """A Tree-LSTM whose cell no longer learns from its tenth batch on."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.register_buffer("batches", torch.tensor(0))

    def encode(self, batch: Any) -> Any:
        self.batches += self.training
        for name, weight in self.named_parameters():
            weight.requires_grad_("embedding" in name or int(self.batches) < 10)
        return super().encode(batch)


class Scaled(BinaryTreeLSTM):
    """A Tree-LSTM whose states are scaled by numbers that are drawn once and never learnt."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.register_buffer("scale", torch.randn(self.size))

    def encode(self, batch: Any) -> Any:
        return super().encode(batch) * self.scale


def _line(batch: Any) -> str:
    counts = torch.bincount(batch.nodes["sentence"]).tolist()
    sentences = batch.nodes["word"].split(counts)
    return " ".join("-".join(str(word) for word in words.tolist() if word) for words in sentences)


def orders(folder: Path) -> list[list[str]]:
    """The sentences of each whole epoch in the order in which they were trained on, those of all processes together."""
    processes = [_epochs(file.read_text().splitlines()) for file in sorted(folder.glob("process-*"))]
    return [
        list(chain.from_iterable(chain(*parts) for parts in zip(*epoch, strict=True)))
        for epoch in zip(*processes, strict=True)
    ]


def _epochs(lines: list[str]) -> list[list[list[str]]]:
    """The batches of each epoch after which something was scored; a killed one never came so far.

    One that was scored and killed before it was saved is run again, and counts once.
    """
    whole: list[list[list[str]]] = []
    batches: list[list[str]] = []
    again = False
    for line in lines:
        again = again or line == _BEGUN
        if line == _SCORED and batches:
            if not (again and whole[-1:] == [batches]):
                whole.append(batches)
            again = False
        if line in (_BEGUN, _SCORED):
            batches = []
        else:
            batches.append(line.split())
    return whole
