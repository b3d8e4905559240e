"""What only one process may write at a time."""

from __future__ import annotations

import fcntl
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphs.errors import InputError


@contextmanager
def locked(path: Path, wait: float = 0.0) -> Iterator[None]:
    """Keeps a folder, or files that begin with a path, to this process.

    The system holds the lock, on `PATH.lock` beside it, and lets it go when the process ends, however it ends. On a
    file system without locks there is none.

    Args:
        path: the folder, or how the files begin.
        wait: seconds in which whoever has it may end.

    Raises:
        InputError: another process has it, and keeps it; the message says which.
    """
    file = path.resolve().with_name(f"{path.resolve().name}.lock")
    made = [folder for folder in file.parents if not folder.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        taken = _take(file, path, time.monotonic() + wait)
        try:
            yield
        finally:
            with suppress(OSError):
                file.unlink()  # while it is held: whoever opened it before finds that it is another file
            os.close(taken)
    finally:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()


def _take(file: Path, path: Path, until: float) -> int:
    while True:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode(errors="replace").strip() or "another process"
            os.close(handle)
            if time.monotonic() < until:
                time.sleep(0.1)
                continue
            raise InputError(f"{path}: {holder} is writing it; wait until it ends, or choose another") from None
        except OSError:
            return handle  # a file system without locks
        if _is_there(handle, file):
            since = time.strftime("%Y-%m-%d %H:%M:%S")
            with suppress(OSError):  # the disk may be full
                os.truncate(handle, 0)
                os.write(handle, f"process {os.getpid()} on {platform.node()} (since {since})\n".encode())
            return handle
        os.close(handle)


def _is_there(handle: int, file: Path) -> bool:
    """Whether a file is still the one that was opened; who held it before has removed it."""
    try:
        return os.path.samestat(os.fstat(handle), file.stat())
    except FileNotFoundError:
        return False
