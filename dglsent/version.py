"""The version of this package."""

from __future__ import annotations

import importlib.metadata


def version() -> str:
    """The version; "unknown" where the package runs without being installed."""
    try:
        return importlib.metadata.version("dglsent")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
