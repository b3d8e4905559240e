from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphs.files import _node, replacing


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    file = tmp_path / "a.json"
    file.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(file) as beside:  # noqa: PT012
        beside.write_text("half")
        assert file.read_text() == "old"
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    with replacing(file) as beside:
        beside.write_text("new")
    assert file.read_text() == "new"


def test_permissions_are_those_of_new_files(tmp_path):
    umask = os.umask(0o027)
    try:
        with replacing(tmp_path / "a") as beside:
            beside.unlink()
            os.close(os.open(beside, os.O_CREAT | os.O_WRONLY, 0o600))  # as one that writes a temporary file does
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_what_a_dead_process_left_is_removed(tmp_path):
    child = os.fork()
    if not child:
        with replacing(tmp_path / "a"):
            os._exit(0)
    os.waitpid(child, 0)
    living = tmp_path / f"a.{_node()}-{os.getppid()}.part"
    living.touch()
    assert len(list(tmp_path.iterdir())) == 2
    with replacing(tmp_path / "a"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"a", living.name}


def test_errors_name_the_file(tmp_path):
    with pytest.raises(OSError, match="No such file") as failed, replacing(tmp_path / "no" / "a"):
        pass
    assert failed.value.filename == str(tmp_path / "no" / "a")


def test_threads_of_one_process_do_not_share_a_file(tmp_path):
    with replacing(tmp_path / "a") as one, ThreadPoolExecutor(1) as pool:
        one.write_text("one")

        def other() -> None:
            with replacing(tmp_path / "a") as beside:
                assert beside != one
                beside.write_text("other")

        pool.submit(other).result()
        assert (tmp_path / "a").read_text() == "other"
    assert (tmp_path / "a").read_text() == "one"
