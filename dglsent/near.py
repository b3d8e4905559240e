"""What somebody may have meant who mistyped a name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str], otherwise: str, *, closely: bool = False) -> str:
    """The known names that are near one, as a question; `otherwise` where none is.

    Args:
        name: the one that was typed.
        known: those that there are.
        otherwise: what to say where none is near.
        closely: only the nearest one, if it is but a slip away; of short names any is a little like another.
    """
    most, cutoff = (1, 0.6) if closely else (3, 0.4)
    found = difflib.get_close_matches(name, list(known), n=most, cutoff=cutoff)
    return f"did you mean {' or '.join(found)}?" if found else otherwise
