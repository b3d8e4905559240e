"""The Stanford Sentiment Treebank: movie reviews as binary trees with a sentiment at every phrase.

Socher et al. 2013, "Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.example import Example, Parsed
from graphs.columns import Constituency
from graphs.errors import InputError, SentenceError
from graphs.formats.brackets import read_brackets

_FOLDERS = ("sst", "sst/trees", "trainDevTestTrees_PTB/trees", "trees", ".")
_SPLITS = ("train", "dev", "test")
_NEUTRAL = 2
_POLARITY = {0: 0, 1: 0, 3: 1, 4: 1}


class SST(Corpus):
    """SST-1 (five classes) or SST-2 (negative and positive).

    In SST-2 sentences with a neutral root are left out of all splits.

    Args:
        classes: 5 or 2.
        neutral_phrases: with two classes, "drop" leaves neutral phrases out of the loss; "third_class" makes
            them a class 2 that is learnt and never chosen, as the code released by Tai et al. does.
    """

    def __init__(self, classes: Literal[5, 2] = 5, neutral_phrases: Literal["drop", "third_class"] = "drop") -> None:
        self.classes = classes
        self.labels: Sequence[str] = (
            ("very negative", "negative", "neutral", "positive", "very positive")
            if classes == 5
            else ("negative", "positive")
        )
        self._neutral = 2 if neutral_phrases == "third_class" else -1

    def load(self, data: Path) -> Splits:
        """Reads `train.txt`, `dev.txt` and `test.txt`; words are unescaped (`(` for `-LRB-`)."""
        files = [f"{split}.txt" for split in _SPLITS]
        folder = find_folder(data, _FOLDERS, files)
        if folder is None:
            raise InputError(
                f"{data}: SST is missing; expected {data / 'sst'}/{{train,dev,test}}.txt, or unpacked there "
                "trainDevTestTrees_PTB.zip of nlp.stanford.edu/sentiment (docs/data.md)"
            )
        return {split: self._read(folder / f"{split}.txt", split) for split in _SPLITS}

    def _read(self, file: Path, split: str) -> list[Example]:
        examples = []
        for number, tree in enumerate(read_brackets(file, unescape=True), 1):
            sentiment = [self._sentiment(tree, node) for node in range(len(tree))]
            if self.classes == 2:
                if sentiment[0] == _NEUTRAL:
                    continue
                sentiment = [_POLARITY.get(label, self._neutral) for label in sentiment]
            # The numbers are gold labels, not tags: a model must not read them.
            bare = Constituency([""] * len(tree), tree.word, tree.parent, tree.origin)
            examples.append(
                Example((Parsed(constituency=bare, labels=sentiment),), {"label": sentiment[0]}, f"{split}-{number}")
            )
        return examples

    @staticmethod
    def _sentiment(tree: Constituency, node: int) -> int:
        label = tree.label[node]
        if label not in ("0", "1", "2", "3", "4"):
            raise SentenceError(f"label {label!r} where SST has 0 to 4", tree.origin)
        return int(label)
