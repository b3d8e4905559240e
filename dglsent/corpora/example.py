"""One example of a corpus: one parsed sentence or a pair of them, and what is to be predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import Origin


@dataclass(eq=False, slots=True)
class Parsed:
    """A sentence with the parses that its corpus has.

    Attributes:
        constituency: constituency tree of N nodes.
        dependencies: dependency tree.
        labels: [N] gold class of each node of the constituency tree or, without such a tree, of each token; -1 where
            there is none.
        unparsed: its words without heads, and tags if it has any, where there is no parse at all.
        remedy: what to do where a parse that is wanted is missing.
        parts: of a document its sentences, whose trees together are its tree; other graphs read its words.
    """

    constituency: Constituency | None = None
    dependencies: Dependencies | None = None
    labels: Sequence[int] | None = None
    unparsed: Dependencies | Tagged | None = None
    remedy: str = ""
    parts: Sequence[Parsed] = ()

    @property
    def origin(self) -> Origin:
        """Where the sentence was read."""
        for parse in (self.dependencies, self.constituency, self.unparsed):
            if parse is not None:
                return parse.origin
        return Origin()


@dataclass(eq=False, slots=True)
class Example:
    """What a model reads and what it should say.

    Attributes:
        sentences: one sentence, or the two of a pair.
        targets: gold values by name, such as {"label": 3} or {"score": 4.5}.
        id: name of the example in its corpus.
        groups: parts of the corpus to which it belongs and which are scored apart at test.
    """

    sentences: tuple[Parsed, ...]
    targets: Mapping[str, int | float] = field(default_factory=dict)
    id: str = ""
    groups: frozenset[str] = frozenset()
