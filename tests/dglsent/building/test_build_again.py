"""A build that was killed, whose files were damaged or whose source has changed, is done to the end by the next."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from review_files import content, files

from dglsent.building.build import build
from dglsent.building.files import Files
from dglsent.lock import locked
from graphs.errors import InputError
from graphs.store import Store, write


def in_child(work: Callable[[], object]) -> int:
    """The exit code of a child process that does it; negative if a signal killed it."""
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join()
    assert child.exitcode is not None
    return child.exitcode


def test_killed_at_any_moment(corpus: Path, tmp_path: Path) -> None:
    source = Files("dependency", files(corpus))
    build(source, tmp_path / "whole", size=20)
    replace = os.replace

    for last in range(20):
        folder = tmp_path / f"killed-{last}"

        def killed(folder: Path = folder, last: int = last) -> None:
            """Builds; is killed when the file after the last one is written, before it has its name."""
            done = 0

            def counted(source: Path, target: Path) -> None:
                nonlocal done
                if done == last:
                    os.kill(os.getpid(), signal.SIGKILL)
                done += 1
                replace(source, target)

            os.replace = counted
            build(source, folder, size=20)

        code = in_child(killed)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        with pytest.raises(InputError, match=r"no store|not built to the end"):
            Store(folder)
        kept = {path: path.stat().st_mtime_ns for path in folder.glob("*.arrow") if path.with_suffix(".json").exists()}
        said: list[str] = []
        build(source, folder, size=20, say=said.append)
        assert {path: path.stat().st_mtime_ns for path in kept} == kept
        assert bool(kept) == any(f"{len(kept)} of 4 shards are whole" in line for line in said)
        assert content(folder) == content(tmp_path / "whole")
    assert last > 8


def test_files_of_ones_own_beside_the_shards_stay(corpus: Path, tmp_path: Path) -> None:
    folder, whole = tmp_path / "store", Files("dependency", files(corpus))
    build(whole, folder, size=5)
    mine = ["notes.json", "mine.arrow", "train-mine.arrow", "draft.part", "train-00000.arrow.bak"]
    for name in mine:
        (folder / name).write_text("mine")
    left = ["train-00777.arrow", "train-00777.json", "train-00001.arrow.box-7.part", "manifest.json.box-7.part"]
    for name in left:  # of a source that was longer, and of a killed build
        (folder / name).touch()
    build(whole, folder, size=5)
    assert {path.name for path in folder.iterdir()} & {*mine, *left} == {*mine}


def test_a_marker_that_is_no_mapping_is_named(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "building.json").write_text("[]")
    with pytest.raises(InputError, match=r"building\.json: damaged"):
        build(Files("dependency", files(corpus)), tmp_path / "store", size=20)
    (tmp_path / "store" / "building.json").write_text('{"graph": ')
    with pytest.raises(InputError, match=r"building\.json: not JSON \(.*\); build the store anew in another folder$"):
        build(Files("dependency", files(corpus)), tmp_path / "store", size=20)


def test_damage_is_found_named_and_mended(corpus: Path, tmp_path: Path) -> None:
    source, folder = Files("dependency", files(corpus)), tmp_path / "store"
    build(source, folder, size=20)
    whole = content(folder)
    shard = folder / "train-00001.arrow"
    raw = bytearray(whole[shard.name])

    def flip() -> None:
        raw[len(raw) // 2] ^= 1
        shard.write_bytes(raw)

    damages: list[tuple[Callable[[], object], str]] = [
        (flip, "damaged"),
        (lambda: shard.write_bytes(raw[: len(raw) // 2]), "damaged"),
        (shard.unlink, "is missing"),
    ]
    for damage, said in damages:
        damage()
        with pytest.raises(InputError, match=rf"train-00001\.arrow: .*{said}.*`dglsent build`"):
            Store(folder)
        build(source, folder, size=20)
        assert content(folder) == whole
    for name, read in (("manifest.json", Store), ("vocabularies.json", lambda path: Store(path).counts())):
        for damaged in (b"", b"[]", b'{"format": ', whole[name][:-40], whole[name].replace(b'"train"', b'"trial"', 1)):
            (folder / name).write_bytes(damaged)
            with pytest.raises(InputError, match=rf"{re.escape(name)}: (?!.*vocabulary again).*`dglsent build`"):
                read(folder)
            build(source, folder, size=20)
            assert content(folder) == whole
    # A shard of other columns, with a manifest that knows its hash.
    build(Files("chain", files(corpus)), tmp_path / "chains", size=20)
    shutil.copy(tmp_path / "chains" / shard.name, shard)
    manifest = json.loads(whole["manifest.json"])
    entry = next(entry for entry in manifest["shards"] if entry["file"] == shard.name)
    other = json.loads((tmp_path / "chains" / "train-00001.json").read_text())
    entry.update(bytes=other["bytes"], sha256=other["sha256"])
    write(manifest, folder / "manifest.json")
    with pytest.raises(InputError, match=r"its column .edge\.relation. does not fit the manifest"):
        Store(folder)
    (folder / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(InputError, match="version 99"):
        Store(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"shards": 3},
        {"shards": ["train-00000.arrow"]},
        {"schema": []},
        {"schema": {"train": "word"}},
        {"labels": None},
        {"graph": ["chain"]},
        {"file": "../other/train-00000.arrow"},
        {"file": ["train-00000.arrow"]},
        {"bytes": None},
        {"split": ["train"]},
    ],
    ids=str,
)
def test_a_manifest_that_is_none_is_named_though_its_checksum_is_right(
    change: dict[str, Any], corpus: Path, tmp_path: Path
) -> None:
    source, folder = Files("chain", files(corpus)), tmp_path / "store"
    build(source, folder, size=20)
    shutil.copytree(folder, tmp_path / "other")
    manifest = json.loads((folder / "manifest.json").read_text())
    (manifest if change.keys() <= manifest.keys() else manifest["shards"][0]).update(change)
    write(manifest, folder / "manifest.json")
    with pytest.raises(
        InputError, match=r"manifest\.json: not what `dglsent build` writes; the same `dglsent build` comm"
    ):
        Store(folder)
    build(source, folder, size=20)
    assert content(folder) == content(tmp_path / "other")


@pytest.mark.parametrize(
    "splits", [3, {}, {"train": 3}, {"train": {"word": {"film": "two"}, "tag": {}, "relation": {}}}]
)
def test_counts_that_are_none_are_named_though_their_checksum_is_right(
    splits: object, corpus: Path, tmp_path: Path
) -> None:
    build(Files("chain", files(corpus)), tmp_path / "store", size=20)
    file = tmp_path / "store" / "vocabularies.json"
    write({**json.loads(file.read_text()), "splits": splits}, file)
    with pytest.raises(
        InputError, match=r"vocabularies\.json: not what `dglsent build` writes; the same `dglsent build`"
    ):
        Store(tmp_path / "store").counts()


def test_a_shard_whose_note_cannot_be_believed_is_made_again(corpus: Path, tmp_path: Path) -> None:
    source, folder = Files("chain", files(corpus)), tmp_path / "store"
    build(source, folder, size=20)
    whole, file = content(folder), folder / "train-00001.json"
    note = json.loads(whole[file.name])
    miscounted = json.dumps({**note, "counts": {**note["counts"], "word": {"film": 1}}}).encode()
    for damaged in (b"", b"[]", b"{}", b'{"format": ', miscounted):
        file.write_bytes(damaged)
        said: list[str] = []
        build(source, folder, size=20, say=said.append)
        assert said[0].endswith("3 of 4 shards are whole and kept")
        assert content(folder) == whole
    write({**note, "version": 99}, file)
    build(source, folder, size=20)
    assert content(folder) == whole
    write({key: value for key, value in note.items() if key != "parser"}, file)  # as older notes are
    said = []
    build(source, folder, size=20, say=said.append)
    assert said[0].endswith("4 of 4 shards are whole and kept")


def test_a_changed_file_is_built_anew(corpus: Path, tmp_path: Path) -> None:
    own, folder = tmp_path / "own.conllu", tmp_path / "store"
    text = (corpus / "train.conllu").read_text()
    own.write_text(text)
    build(Files("dependency", {"train": [str(own)]}), folder, size=10)
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.arrow")}
    own.write_text(text + (corpus / "dev.conllu").read_text())
    build(Files("dependency", {"train": [str(own)]}), folder, size=10)
    after = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.arrow")}
    assert sorted(name for name in after if before.get(name) != after[name]) == ["train-00004.arrow"]
    first, end, rest = text.partition("\n\n")
    own.write_text(first.replace("1\t", "1\tNot", 1) + end + rest)
    build(Files("dependency", {"train": [str(own)]}), folder, size=10)
    assert any(word.startswith("Not") for word in Store(folder).counts()["train"].word)
    own.write_text("".join(text.partition("\n\n")[:2]))
    build(Files("dependency", {"train": [str(own)]}), folder, size=10)
    assert [len(shard) for shard in Store(folder).splits["train"].shards] == [1]
    assert [path.name for path in folder.glob("*.arrow")] == ["train-00000.arrow"]


def test_sentences_that_moved_in_their_file_are_told_by_their_new_lines(corpus: Path, tmp_path: Path) -> None:
    own, source = tmp_path / "own.conllu", Files("dependency", {"train": [str(tmp_path / "own.conllu")]})
    text = (corpus / "train.conllu").read_text()
    own.write_text(text)
    build(source, tmp_path / "store", size=10)
    file = tmp_path / "store/train-00001.json"
    note = json.loads(file.read_text())
    write({key: value for key, value in note.items() if key != "place"}, file)  # as older notes are
    said: list[str] = []
    build(source, tmp_path / "store", size=10, say=said.append)
    assert "4 of 4 shards are whole and kept" in said[0]
    own.write_text(f"# comment = a line more\n{text}")
    build(source, tmp_path / "store", size=10)
    build(source, tmp_path / "anew", size=10)
    there, anew = (Store(tmp_path / name).splits["train"] for name in ("store", "anew"))
    assert [*there.texts("line")][20:] == [*anew.texts("line")][20:]


def test_a_store_of_other_files_stays(corpus: Path, tmp_path: Path) -> None:
    folder, whole = tmp_path / "store", files(corpus)
    build(Files("dependency", whole), folder, size=20)
    before = content(folder)
    (tmp_path / "other.conllu").write_bytes((corpus / "dev.conllu").read_bytes())
    for given, said in (
        ({**whole, "train": [str(tmp_path / "other.conllu")]}, r"train\.conllu too \(train\), whose graphs would"),
        ({split: names for split, names in whole.items() if split != "dev"}, r"dev\.conllu too \(dev\)"),
    ):
        with pytest.raises(InputError, match=said):
            build(Files("dependency", given), folder, size=20)
        assert content(folder) == before
    elsewhere = tmp_path / "moved"
    shutil.copytree(corpus, elsewhere)
    said: list[str] = []
    build(Files("dependency", files(elsewhere)), folder, size=20, say=said.append)
    assert "4 of 4 shards are whole and kept" in said[0]
    more = {**files(elsewhere), "train": [*files(elsewhere)["train"], str(tmp_path / "other.conllu")]}
    build(Files("dependency", more), folder, size=20, say=said.append)
    said.clear()
    build(Files("dependency", more), folder, size=7, say=said.append)
    assert "none of its shards can be kept; all are made again" in said[0]


def test_one_program_builds_at_a_time(corpus: Path, tmp_path: Path) -> None:
    source, folder = Files("chain", files(corpus)), tmp_path / "store"
    with locked(folder), pytest.raises(InputError, match="is writing it; wait"):
        build(source, folder)
    build(source, folder)
    with pytest.raises(InputError, match="graph is 'chain' there and 'window' here"):
        build(Files("window", files(corpus)), folder)
    with pytest.raises(InputError, match=r"is not empty and no store of dglsent \(no building.json there\)"):
        build(source, corpus)
