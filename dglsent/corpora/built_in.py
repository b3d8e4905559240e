"""The built-in reviews as a corpus: nothing to download, gold sentiment at every phrase."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dglsent.corpora import reviews
from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.example import Example, Parsed


class Reviews(Corpus):
    """Reviews drawn from a grammar; what makes one hard is scored apart (`reviews.PHENOMENA`).

    Args:
        seed: seed of the draw.
        train: reviews to train on.
        dev: reviews to choose a model by.
        test: reviews to test on.
    """

    labels: Sequence[str] = reviews.CLASSES
    needs_data = False

    def __init__(self, seed: int = 0, train: int = 4000, dev: int = 500, test: int = 1000) -> None:
        self._options = {"seed": seed, "train": train, "dev": dev, "test": test}

    def load(self, data: Path | None = None) -> Splits:
        """Draws the reviews; `data` is not looked at."""
        return {
            split: [
                Example(
                    (Parsed(review.tree, review.dependencies, review.sentiment.tolist()),),
                    {"label": int(review.sentiment[0])},
                    review.tree.origin.sentence,
                    review.phenomena,
                )
                for review in drawn
            ]
            for split, drawn in reviews.generate(**self._options).items()
        }
