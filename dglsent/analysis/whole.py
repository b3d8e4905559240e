"""Files of runs and recordings, which may be damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
from safetensors import SafetensorError

from graphs.errors import InputError, one_line

_Read = TypeVar("_Read")


def whole(path: Path, read: Callable[[Path], _Read], again: str) -> _Read:
    """What is read of a file or folder.

    Args:
        path: the file or folder.
        read: reads it.
        again: what makes it anew.

    Raises:
        InputError: it is damaged, or may not be read.
    """
    try:
        return read(path)
    except PermissionError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (pa.ArrowException, SafetensorError, OSError, ValueError) as error:
        raise InputError(f"{path}: damaged ({one_line(error)}); {again}") from None
