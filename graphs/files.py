"""Files that are there whole or not at all."""

from __future__ import annotations

import glob
import os
import platform
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PART = ".part"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Something to write in place of a file: it takes the file's name in the end, and is gone where that fails.

    Its name has the machine, the thread and the process in it, so that no two of these write into one. What a killed
    process of this machine has left beside the file is removed.

    Args:
        path: the file.

    Yields:
        An empty file beside it. Whatever writes it, it gets the permissions of new files.

    Raises:
        OSError: it cannot be written; the error names the file.
    """
    path = Path(path)
    mine = path.with_name(f"{path.name}.{_node()}-{threading.get_ident()}-{os.getpid()}{_PART}")
    _remove_left(path)
    try:
        mine.write_bytes(b"")
        mode = stat.S_IMODE(mine.stat().st_mode)
        yield mine
        if stat.S_IMODE(mine.stat().st_mode) != mode:
            mine.chmod(mode)
        os.replace(mine, path)
    except OSError as error:
        if error.filename is None or str(error.filename) == str(mine):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):
            mine.unlink()


def is_part(path: Path) -> bool:
    """Whether a file is what `replacing` writes, and a killed process leaves."""
    return path.suffix == _PART


def _node() -> str:
    return platform.node().replace(os.sep, "_")[:40]


def _remove_left(path: Path) -> None:
    if os.name != "posix":  # elsewhere one cannot ask whether a process lives
        return
    for left in path.parent.glob(f"{glob.escape(path.name)}.{glob.escape(_node())}-*{_PART}"):
        process = left.name.removesuffix(_PART).rpartition("-")[2]
        if process.isdecimal() and not _lives(int(process)):
            with suppress(OSError):
                left.unlink()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
