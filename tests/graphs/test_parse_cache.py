from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from graphs.errors import InputError
from graphs.parse_cache import ParseCache, cache_folder

WRITER = """
import sys
from pathlib import Path
from graphs.parse_cache import ParseCache
cache, name, sets = ParseCache(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for number in range(sets):
    cache.put({f"{name}-{number}-{place}".encode(): bytes(200) for place in range(50)})
    print(number, flush=True)
"""


def write(folder: Path, name: str, sets: int) -> subprocess.Popen:
    root = Path(__file__).resolve().parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(sets)],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def test_what_is_put_in_is_found(tmp_path):
    cache = ParseCache(tmp_path / "new" / "folder")
    assert cache.get([b"a"]) == {}
    assert not cache.file.exists()
    cache.put({b"a": b"1", b"b": b"2"})
    cache.put({b"a": b"another", b"c": b"3"})
    assert ParseCache(tmp_path / "new" / "folder").get([b"a", b"c", b"no"]) == {b"a": b"1", b"c": b"3"}
    many = {str(number).encode(): bytes([number % 256]) for number in range(3000)}
    cache.put(many)
    assert cache.get(many) == many


def test_a_killed_program_leaves_whole_sets(tmp_path):
    """Each set of 50 is there whole or not at all, and all that was reported as put in is there."""
    with write(tmp_path, "killed", 100_000) as process:
        for _ in range(20):
            said = process.stdout.readline()
        time.sleep(0.003)
        process.send_signal(signal.SIGKILL)
        said = (process.stdout.read().splitlines() or [said])[-1]
    cache = ParseCache(tmp_path)
    reported = int(said) + 1
    for number in range(reported + 5):
        found = len(cache.get(f"killed-{number}-{place}".encode() for place in range(50)))
        assert found == 50 if number < reported else found in (0, 50)
    cache.put({b"after": b"1"})
    assert cache.get([b"after"])


def test_programs_share_a_cache(tmp_path):
    writers = [write(tmp_path, name, 20) for name in ("one", "two")]
    wanted = [f"{name}-{number}-7".encode() for name in ("one", "two") for number in range(20)]
    cache = ParseCache(tmp_path)
    seen = 0
    while any(writer.poll() is None for writer in writers):
        now = len(cache.get(wanted))
        assert now >= seen
        seen = now
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len(cache.get(wanted)) == 40
    for writer in writers:
        writer.stdout.close()


def test_it_waits_for_a_commit_of_another(tmp_path):
    cache = ParseCache(tmp_path)
    cache.put({b"a": b"1"})
    other = cache._open()
    other.execute("BEGIN EXCLUSIVE")
    done = []
    reader = threading.Thread(target=lambda: done.append(cache.get([b"a"])))
    reader.start()
    time.sleep(0.2)
    assert not done
    other.rollback()
    reader.join(10)
    other.close()
    assert done == [{b"a": b"1"}]


def test_a_damaged_file_is_named(tmp_path, monkeypatch):
    opened = []

    class Kept(sqlite3.Connection):
        def __init__(self, *given, **options):
            super().__init__(*given, **options)
            opened.append(self)

    monkeypatch.setattr(sqlite3, "connect", Kept)
    file = tmp_path / "parses.sqlite"
    file.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    for use in (lambda: ParseCache(tmp_path).get([b"a"]), lambda: ParseCache(tmp_path).put({b"a": b"1"})):
        with pytest.raises(InputError, match="cache of parses cannot be used") as caught:
            use()
        assert str(file) in str(caught.value)
        assert "\n" not in str(caught.value)
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            opened[-1].execute("SELECT 1")


def test_a_file_that_says_other_things_is_to_be_deleted(tmp_path):
    cache = ParseCache(tmp_path)
    cache.put({b"a": b"1"})
    whole = cache.file.read_bytes()
    for damaged in (
        b"not a database at all " * 99,
        whole[:4096] + bytes(len(whole) - 4096),
        b"\x00" + whole[1:],
        whole.replace(b"CREATE TABLE", b"CREATE \x96ABLE"),  # SQLite says so in bytes that are no text
    ):
        cache.file.write_bytes(damaged)
        with pytest.raises(InputError, match="delete it"):
            cache.get([b"a"])
    cache.file.write_bytes(whole)
    with cache._open() as database:
        database.execute("UPDATE parses SET parse = 'text'")
    database.close()
    with pytest.raises(InputError, match="delete it, and all is parsed again"):
        cache.get([b"a"])


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"parses\.sqlite: the cache"):
        ParseCache(tmp_path / "file" / "cache").put({b"a": b"1"})


def test_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.delenv("DGLSENT_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "dglsent" / "parses"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "dglsent" / "parses"
    monkeypatch.setenv("DGLSENT_CACHE", str(tmp_path / "named"))
    assert cache_folder() == tmp_path / "named"
    assert cache_folder(tmp_path / "given") == tmp_path / "given"
