"""What is not to be drawn: said in one line, with what is wanted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsFloat

from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import InputError
from graphs.sentence_graph import SentenceGraph

_OTHERS = {
    Constituency: "tree_svg draws constituency trees",
    Dependencies: "dependencies_svg draws dependency trees",
    SentenceGraph: "graph_svg draws graphs",
}


def wants(given: Any, kind: type, function: str, what: str) -> None:
    """Refuse what is not of the kind that a function draws.

    Args:
        given: what it was given.
        kind: what it wants.
        function: its name.
        what: what it wants, in words.

    Raises:
        InputError: `given` is something else.
    """
    if isinstance(given, kind):
        return
    hint = drawn_by(given)
    if isinstance(given, Sequence) and given and isinstance(given[0], kind):
        hint = "; draw its members one by one"
    raise InputError(f"{function} draws {what}, but was given {named(given)}{hint}")


def drawn_by(given: Any) -> str:
    """Which function draws something, as the end of a message; "" where none does."""
    if _is_dgl(given):
        return "; graph_svg draws the SentenceGraph that it was made of"
    return next((f"; {does}" for kind, does in _OTHERS.items() if isinstance(given, kind)), "")


def named(given: Any) -> str:
    """What something is, such as "a SentenceGraph of 7 nodes"."""
    name = type(given).__name__
    if _is_dgl(given):
        return f"a {name} of {given.num_nodes()} nodes"
    if isinstance(given, SentenceGraph):
        return f"a {name} of {given.size} nodes"
    if isinstance(given, Constituency):
        return f"a {name} of {len(given)} nodes"
    if isinstance(given, Dependencies | Tagged):
        return f"{name} of {len(given)} tokens"
    return f"a {name}"


def texts(column: Iterable[Any]) -> list[str]:
    """What is written at nodes or words; "" for None, and for the nan that a table has in its place.

    Raises:
        InputError: a mapping is given, of which only the keys would be written.
    """
    _no_mapping(column)
    return ["" if one is None or (isinstance(one, float) and math.isnan(one)) else str(one) for one in column]


def words_of(given: Iterable[Any]) -> list[str]:
    """The words, or the names, that a drawing is given.

    Raises:
        InputError: it is given text, a mapping, a parse or a graph in their place.
    """
    if isinstance(given, str):
        raise InputError("a text in the place of words; give a list of words")
    if not isinstance(given, Iterable):
        parsed = isinstance(given, Constituency | Dependencies | Tagged)
        wanted = "give its words, which it has as `.words`" if parsed else "give a list of words"
        raise InputError(f"{named(given)} in the place of words; {wanted}")
    return texts(given)


def floats(column: Iterable[Any], what: str) -> list[float]:
    """The numbers of nodes or words.

    Raises:
        InputError: one is none, or a mapping is given, whose keys would be taken for them.
    """
    _no_mapping(column)
    given = list(column)
    for place, one in enumerate(given):
        if isinstance(one, str) or not isinstance(one, SupportsFloat):
            raise InputError(f"{what}[{place}] is {one!r}; give a number, or nan for none")
    return [float(one) for one in given]


def _no_mapping(column: Iterable[Any]) -> None:
    if isinstance(column, Mapping):
        raise InputError(f"{named(column)} of nodes or words; give a list, in their order")


def _is_dgl(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "dgl" and hasattr(given, "num_nodes")
