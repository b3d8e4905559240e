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
    file = _file(path)
    made = [folder for folder in file.parents if not folder.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    handles: list[int] = []
    try:
        _take(handles, file, path, time.monotonic() + wait)
        yield
    finally:
        try:
            _let_go(handles, file)
        except KeyboardInterrupt:
            _let_go(handles, file)
            raise
        finally:
            for folder in made:
                with suppress(OSError):
                    folder.rmdir()


def unlock(path: Path) -> None:
    """Removes the file of a lock that nobody holds, which a process that was killed has left.

    Args:
        path: as in `locked`.
    """
    _let_go([], _file(path))


def _file(path: Path) -> Path:
    return path.resolve().with_name(f"{path.resolve().name}.lock")


def _take(handles: list[int], file: Path, path: Path, until: float) -> None:
    """Puts an open file that holds the lock into a list, where it is found after an interrupt too."""
    while True:
        handles.append(handle := os.open(file, os.O_RDWR | os.O_CREAT, 0o666))
        if _is_held(handle, file):
            since = time.strftime("%Y-%m-%d %H:%M:%S")
            with suppress(OSError):  # the disk may be full
                os.truncate(handle, 0)
                os.write(handle, f"process {os.getpid()} on {platform.node()} (since {since})\n".encode())
            return
        holder = os.read(handle, 200).decode(errors="replace").strip() or "another process"
        gone = not _is_there(handle, file)
        os.close(handles.pop())
        if gone:
            continue
        if time.monotonic() >= until:
            raise InputError(f"{path}: {holder} is writing it; wait until it ends, or choose another")
        time.sleep(0.1)


def _let_go(handles: list[int], file: Path) -> None:
    """Removes the file, unless another process holds it, and closes what is open."""
    try:
        if not handles:
            handles.append(os.open(file, os.O_RDWR))
    except OSError:
        return
    if _is_held(handles[0], file):
        with suppress(OSError):
            file.unlink()  # while it is held: whoever opened it before finds that it is another file
    os.close(handles.pop())


def _is_held(handle: int, file: Path) -> bool:
    """Whether a lock is, or now becomes, ours."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return _is_there(handle, file)


def _is_there(handle: int, file: Path) -> bool:
    """Whether a file is still the one that was opened; who held it before has removed it."""
    try:
        return os.path.samestat(os.fstat(handle), file.stat())
    except FileNotFoundError:
        return False
