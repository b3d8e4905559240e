"""A field, message or target that is read and is not there: what there is, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from graphs.fields import LABEL, LEXICAL, PMI, POSITION, RELATION, SLOT, WORD

T = TypeVar("T")

NODE, EDGE, MESSAGE, TARGET = "node field", "edge field", "message", "target"

WITHOUT_LEAF = "set it on the batch, or give the nodes without in-edges their own function with leaf="
OF_SENDERS = "set it on the batch, or have both leaf and apply return it"
NOT_YET = "set it on the batch beforehand, for these nodes are still to be computed"

_OTHERWISE = {
    NODE: "set it on the batch",
    EDGE: "set it on the edges of their relation, or make the graphs with it, as graphs.over_words does of ids=",
    MESSAGE: "have the message function return it",
    TARGET: "name it in the task's `targets`, or in a loop of your own set it in batch.targets",
}
_OF = {
    (NODE, WORD): "give the graphs this column: ids of words, 0 where a node has none",
    (NODE, POSITION): "give the graphs this column: places of words in their sentence from 0, -1 where a node has none",
    (NODE, LABEL): "give the graphs this column: gold classes, -1 where a node has none",
    (EDGE, SLOT): "it is on those of child, in all graphs but complete ones",
    (EDGE, RELATION): "it is on those of child in graphs.dependency and of complete in graphs.complete, made of "
    "dependency parses",
    (EDGE, PMI): "it is on those of complete in graphs.complete, with a vocabulary of co-occurrence",
    (EDGE, LEXICAL): "it is on those of complete in graphs.complete, with lexical=",
}


class MissingFieldError(KeyError):
    """What is read and is not there.

    Args:
        name: its name.
        what: NODE, EDGE, MESSAGE or TARGET.
        there: the names of those that there are.
        hint: what to do, where something else than usual.

    Attributes:
        by: the function that reads it, once it is known.
    """

    def __init__(self, name: str, what: str, there: Iterable[str] = (), hint: str = "") -> None:
        self.what, self.there, self.by = what, tuple(there), ""
        self.hint = hint or _OF.get((what, name)) or _OTHERWISE[what]
        super().__init__(name, what, self.there, self.hint)

    def add(self, others: Iterable[str]) -> None:
        """Name others that there are too."""
        self.there += tuple(others)

    def __str__(self) -> str:
        by = f"{self.by}: " if self.by else ""
        return f"{by}{self.what} {self.args[0]!r} is not there (there are: {listed(self.there)}); {self.hint}"


def there(fields: Mapping[str, T], name: str, what: str, hint: str = "", by: str = "") -> T:
    """A field or message.

    Raises:
        MissingFieldError: it is not there.
    """
    if name in fields:
        return fields[name]
    error = MissingFieldError(name, what, fields, hint)
    error.by = by
    raise error


def listed(names: Iterable[str]) -> str:
    """Names as an error lists them."""
    return ", ".join(sorted({*names})) or "none"
