"""A corpus whose graphs `dglsent build` has made."""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits
from graphs.errors import InputError
from graphs.store import Store


class Stored(Corpus):
    """The graphs of a store, in the place of the corpus that they were made of.

    Args:
        store: its folder.
    """

    needs_data = False
    labels_from_files = True

    def __init__(self, store: str) -> None:
        self.store = Path(store).expanduser()

    def open(self) -> Store:
        """The store; its classes are those of the corpus then.

        Raises:
            InputError: the store is damaged, or has not all splits.
        """
        store = Store(self.store)
        if missing := {"train", "dev", "test"} - store.splits.keys():
            raise InputError(f"{self.store}: has no split {min(missing)}; build it with --dev FILE and --test FILE")
        self.labels = store.manifest["labels"]
        return store

    def load(self, data: Path) -> Splits:
        """Refuses: the store has graphs, and no parses.

        Raises:
            InputError: always.
        """
        raise InputError(f"{self.store}: a store has graphs and no parses; name the corpus that it was built of")
