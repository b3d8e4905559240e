"""What somebody may have meant who mistyped a name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str], otherwise: str) -> str:
    """The known names that are near one, as a question; `otherwise` where none is."""
    found = difflib.get_close_matches(name, list(known), n=3, cutoff=0.4)
    return f"did you mean {' or '.join(found)}?" if found else otherwise
