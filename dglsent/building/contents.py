"""What the shards of a store hold together, and what only all of them can tell to be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from dglsent.building.parts import Part
from dglsent.building.read import labels_of
from dglsent.building.shards import Source
from dglsent.corpora.corpus import some_of
from dglsent.corpora.own_files import sorted_classes
from graphs.errors import InputError, Origin, SentenceError
from graphs.features import Counts
from graphs.store import FORMAT
from graphs.vocabulary import VERSION


class Contents:
    """The shards of a store, gathered from their notes.

    Args:
        source: where the examples come from.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._sentences: dict[int, Part] = {}  # by how many an example has, the first part
        self._schema: dict[str, dict[str, str]] = {}  # by split, as the next two
        self._counts: dict[str, Counts] = {}
        self._classes: dict[str, dict[str, Part]] = {}  # with the first part that has it
        self._skipped: list[str] = []
        self._shards: list[dict[str, Any]] = []

    def add(self, part: Part, note: Mapping[str, Any]) -> None:
        """Take in the shard of a part.

        Raises:
            InputError: it does not go with those before: sentences among pairs, or fields that only some have.
        """
        self._sentences.setdefault(note["sentences"], part)
        if len(self._sentences) > 1:
            one, pair = self._sentences[1].file, self._sentences[2].file
            raise InputError(f"{one} has sentences and {pair} pairs of them; build a store of each")
        wanted = self._schema.setdefault(part.split, note["schema"])
        if note["schema"] != wanted:
            strange = sorted({*wanted.items()} ^ {*note["schema"].items()})[0][0]
            raise InputError(
                f"{part.file}:{part.line}: only some sentences of split {part.split} have {strange!r}; give it to all"
            )
        self._counts.setdefault(part.split, Counts()).add(Counts.from_json(note["counts"]))
        for name in note["classes"] or ():
            self._classes.setdefault(part.split, {}).setdefault(name, part)
        self._skipped += note["skipped"]
        self._shards.append(
            {
                "file": f"{part.name}.arrow",
                "split": part.split,
                **{key: note[key] for key in ("rows", "bytes", "sha256")},
                "source": {"file": part.file, "line": part.line, "sha256": part.sha256},
            }
        )

    def manifest(self) -> dict[str, Any]:
        """What the store is, and its shards.

        Raises:
            SentenceError: dev or test has another class than training, which no model could learn.
        """
        self._refuse_classes_unknown_to_training()
        return {
            "format": FORMAT,
            "version": VERSION,
            **self._source.about(),
            "sentences": min(self._sentences),
            "labels": self._source.class_names() or sorted_classes(chain.from_iterable(self._classes.values())),
            "skipped": self._skipped,
            "schema": self._schema,
            "shards": self._shards,
        }

    def strings(self) -> dict[str, Any]:
        """How often each string occurs in each split, from which vocabularies are made."""
        splits = {split: counts.to_json() for split, counts in self._counts.items()}
        return {"format": FORMAT, "version": VERSION, "splits": splits}

    def _refuse_classes_unknown_to_training(self) -> None:
        known = self._classes.get("train", {})
        for split in self._classes if "train" in self._schema else ():
            for name, part in self._classes[split].items():
                if name not in known:
                    those = f": {some_of(sorted(known))}" if known else ", which has none"
                    what = f"class {name!r} of split {split} is none of those of training{those}"
                    raise SentenceError(what, self._place(part, name))

    def _place(self, part: Part, name: str) -> Origin:
        """Where the first sentence of a part with a class stands."""
        read = self._source.read(part)
        names = dict(enumerate(read.classes or ()))
        places = (each.sentences[0].origin for each in read.examples if name in map(names.get, labels_of(each)))
        return next(places, Origin(part.file, part.line))
