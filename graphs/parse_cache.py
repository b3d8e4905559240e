"""Parses on disk, found again by what was parsed: no sentence is parsed twice by the same models.

One SQLite file: a set of parses is committed whole or not at all, so a program may be killed at any moment, and
several programs may read and write it at once. Its journal is the plain one, which works on network folders too.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from graphs.errors import InputError

VARIABLE = "DGLSENT_CACHE"

_WAIT = 60.0  # seconds until another program's commit must be over
_AT_ONCE = 500  # SQLite takes so many variables in one question


def cache_folder(given: str | os.PathLike[str] | None = None) -> Path:
    """The folder given, else $DGLSENT_CACHE, else dglsent/parses in $XDG_CACHE_HOME or ~/.cache."""
    named = given or os.environ.get(VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "dglsent" / "parses"


class ParseCache:
    """A map from keys to parses in a folder, which is made when something is put in.

    Raises:
        InputError: from every method, if the folder cannot be used or the file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / "parses.sqlite"

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The parses that are there, by key."""
        wanted = list(keys)
        found: dict[bytes, bytes] = {}
        try:
            if not self.file.is_file():
                return {}
            with closing(self._open()) as database:
                for first in range(0, len(wanted), _AT_ONCE):
                    some = wanted[first : first + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    found.update(database.execute(f"SELECT key, parse FROM parses WHERE key IN ({marks})", some))
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise self._unusable(error) from error
        if not all(isinstance(parse, bytes) for parse in found.values()):
            raise self.damaged()
        return found

    def damaged(self) -> InputError:
        """The error of a parse in the file that is none."""
        return InputError(f"{self.file}: the cache of parses is damaged; delete it, and all is parsed again")

    def put(self, parses: Mapping[bytes, bytes]) -> None:
        """Adds parses, all of them or none."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as database, database:
                database.executemany("INSERT OR IGNORE INTO parses VALUES (?, ?)", parses.items())
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise self._unusable(error) from error

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.file, timeout=_WAIT)
        try:
            database.execute("CREATE TABLE IF NOT EXISTS parses (key BLOB PRIMARY KEY, parse BLOB) WITHOUT ROWID")
        except BaseException:
            database.close()  # else it stays open for as long as the error is kept
            raise
        return database

    def _unusable(self, error: Exception) -> InputError:
        # A bare DatabaseError is about the content; its kind OperationalError about the disk, or another program. What
        # SQLite says of damage may hold bytes of the file, which then are no text.
        what = "delete it" if type(error) in (sqlite3.DatabaseError, UnicodeDecodeError) else "check it"
        return InputError(f"{self.file}: the cache of parses cannot be used ({error}); {what} or choose another folder")
