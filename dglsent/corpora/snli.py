"""SNLI: pairs of sentences by what the first says of the second.

Bowman et al. 2015, "A large annotated corpus for learning natural language inference"; the files of InferSent
(Conneau et al. 2017), which leave out pairs without a majority label.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.parses import parsed_pairs
from dglsent.corpora.rows import read_text_lines, read_tokens
from dglsent.corpora.splits import with_dev
from graphs.errors import InputError, check_choice

_FOLDERS = ("snli", "SNLI", "snli_1.0")
_SIDES = {"a": "s1", "b": "s2"}


class SNLI(Corpus):
    """Pairs of sentences by what the first says of the second (entailment), with the official splits.

    Args:
        train: "dev" is for a trial without the files of the training set: dev is trained on, but for a tenth that is
            dev (`corpora.splits`). Such scores cannot be compared.

    Raises:
        InputError: `train` is neither "train" nor "dev".
    """

    labels = ("entailment", "neutral", "contradiction")

    def __init__(self, train: Literal["train", "dev"] = "train") -> None:
        check_choice("train", train, ("train", "dev"))
        self.train = train

    def load(self, data: Path) -> Splits:
        """Reads `s1`, `s2` and `labels` of every split, line by line, and parses `snli-{train,dev,test}-{a,b}`.

        Raises:
            InputError: files are missing, damaged, or not of the same number of lines.
        """
        folder, texts = self._folder(data), self.texts(data)
        splits = {}
        for split in self._splits:
            targets = [{"label": label} for label in self._labels(folder / f"labels.{split}")]
            for side, name in _SIDES.items():
                if len(texts[f"snli-{split}-{side}"]) != len(targets):
                    raise InputError(f"{folder}: {name}.{split} and labels.{split} have not the same number of lines")
            ids = (f"{split}-{number}" for number in range(1, len(targets) + 1))
            splits[split] = parsed_pairs(data, "snli", f"snli-{split}", texts, targets, ids)
        if self.train == "dev":
            return with_dev({"train": splits["dev"], "test": splits["test"]})
        return splits

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of the sentences by parse file."""
        folder = self._folder(data)
        return {
            f"snli-{split}-{side}": read_tokens(folder / f"{name}.{split}")
            for split in self._splits
            for side, name in _SIDES.items()
        }

    @property
    def _splits(self) -> tuple[str, ...]:
        return ("train", "dev", "test") if self.train == "train" else ("dev", "test")

    def _folder(self, data: Path) -> Path:
        wanted = [f"{name}.{split}" for split in self._splits for name in ("s1", "s2", "labels")]
        folder = find_folder(data, _FOLDERS, wanted)
        if folder is None:
            trial = self.train == "train" and find_folder(
                data, _FOLDERS, [name for name in wanted if "train" not in name]
            )
            raise InputError(
                f"{trial}: SNLI has no s1.train, s2.train and labels.train; add them (docs/data.md), or try things out "
                "with --corpus.train dev"
                if trial
                else f"{data}: SNLI is missing; expected {data / _FOLDERS[0]}/{{s1,s2,labels}}.{{train,dev,test}} "
                "(docs/data.md)"
            )
        return folder

    def _labels(self, file: Path) -> list[int]:
        names = read_text_lines(file)
        for number, name in enumerate(names, 1):
            if name not in self.labels:
                raise InputError(f"{file}:{number}: label {name!r}, expected {', '.join(self.labels)}")
        return [self.labels.index(name) for name in names]
