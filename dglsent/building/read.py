"""What a part of a store's source has: examples and the names of their classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from dglsent.corpora.example import Example


@dataclass(slots=True)
class Read:
    """What a part has.

    Attributes:
        examples: its examples.
        classes: names of the classes 0, 1, ... of their labels, in the order in which they are met; None where they
            are numbered by the corpus.
        skipped: why sentences were left out.
        parser: Stanza's version and models, where it parsed some on the way.
    """

    examples: list[Example]
    classes: list[str] | None = None
    skipped: list[str] = field(default_factory=list)
    parser: str | None = None

    def renumber(self, new: Mapping[int, int]) -> None:
        """Gives the classes of the examples other numbers; a node whose class has no new one has none then."""
        for example in self.examples:
            if "label" in example.targets:
                example.targets = {**example.targets, "label": new[int(example.targets["label"])]}
            for sentence in example.sentences:
                if sentence.labels is not None:
                    sentence.labels = [new.get(label, -1) for label in sentence.labels]

    def forget_unused_classes(self) -> None:
        """Numbers the classes anew, without those that only examples had that were left out."""
        if self.classes is None:
            return
        used = set(chain.from_iterable(map(labels_of, self.examples)))
        kept = [number for number in range(len(self.classes)) if number in used]
        self.renumber({number: place for place, number in enumerate(kept)})
        self.classes = [self.classes[number] for number in kept]


def labels_of(example: Example) -> Iterator[int]:
    """The numbers of all gold classes of an example; -1 where a node or a token has none."""
    if "label" in example.targets:
        yield int(example.targets["label"])
    for sentence in example.sentences:
        yield from sentence.labels or ()
