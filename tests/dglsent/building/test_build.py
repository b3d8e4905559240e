"""Building a store of files: what it holds, and what is said of broken ones."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from review_files import content, files
from tiny import TINY, Program, recipe

from dglsent.building.build import build
from dglsent.building.files import Files
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.own_files import classes
from graphs.errors import InputError
from graphs.formats.conllu import read_conllu
from graphs.store import Reading, Store, StoredSentences

FROM = ("--corpus", "dglsent.corpora.stored.Stored", "--corpus.store")


def heads(sentences: StoredSentences) -> list[list[int]]:
    none = [Reading({}, {})] * len(sentences.shards)
    merged = sentences.merge(np.arange(len(sentences)), none)
    first = np.cumsum(merged.node_counts) - merged.node_counts
    head = np.full(int(merged.node_counts.sum()), -1)
    head[merged.src] = merged.dst - first[merged.nodes["sentence"][merged.src]]
    return [part.tolist() for part in np.split(head, first[1:])]


@pytest.mark.parametrize("ending", ["conllu", "conllu.gz"])
def test_shards_hold_the_sentences_of_the_files(corpus: Path, ending: str, tmp_path: Path) -> None:
    build(Files("dependency", files(corpus, ending)), tmp_path / "store", size=7)
    store = Store(tmp_path / "store")
    assert [len(shard) for shard in store.splits["train"].shards] == [7, 7, 7, 7, 7, 5]
    read = read_conllu(corpus / "train.conllu")
    train = store.splits["train"]
    assert [sentence.words for sentence in train.sentences()] == [sentence.words for sentence in read]
    assert heads(train) == [sentence.head.tolist() for sentence in read]
    assert list(train.texts("line")) == [sentence.origin.line for sentence in read]
    assert list(train.texts("sentence")) == [sentence.origin.sentence for sentence in read]
    assert set(store.manifest["labels"]) <= set(Reviews.labels)
    # Any reader of Arrow files sees words.
    with pa.memory_map(str(train.shards[0].path)) as file:
        words = pa.ipc.open_file(file).read_all().column("node.word")[0].as_py()
    assert words == list(read[0].word)


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["10", "2", "1"], ["1", "2", "10"]),
        (["1", "-2", "0.5", "-10"], ["-10", "-2", "0.5", "1"]),
        (["b", "10", "a", "2"], ["2", "10", "a", "b"]),
    ],
)
def test_classes_that_are_numbers_stand_in_their_order_as_in_corpora_of_files(
    names: list[str], ordered: list[str], tmp_path: Path
) -> None:
    table = tmp_path / "train.tsv"
    table.write_text("text\tlabel\n" + "".join(f"a film {number}\t{name}\n" for number, name in enumerate(names)))
    assert build(Files("chain", {"train": [str(table)]}), tmp_path / "store")["labels"] == ordered
    assert list(classes(names, "train.tsv")) == ordered


def test_a_recipe_trains_from_files_of_ones_own(corpus: Path, tmp_path: Path, program: Program) -> None:
    splits = ("--dev", corpus / "dev.brackets", "--test", corpus / "test.brackets")
    store = tmp_path / "store"
    code, out, _ = program(
        "build", corpus / "train.brackets", store, "--graph", "constituency", "--labels", "nodes", *splits
    )
    assert (code, out) == (0, f"{store}: train 40, dev 8, test 8 sentences, 5 classes\n")
    assert Store(store).manifest["labels"] == ["0", "1", "2", "3", "4"]
    assert program("fit", recipe(tmp_path), *FROM, store, "--out", tmp_path / "run")[0] == 0
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["history"][1]["loss"] < metrics["history"][0]["loss"]

    assert (
        program("build", corpus / "train.conllu", tmp_path / "words", "--graph", "window", "--labels", "xpos")[0] == 0
    )
    program.refuses(
        "fit",
        recipe(tmp_path),
        *FROM,
        tmp_path / "words",
        "--out",
        tmp_path / "other",
        saying=["no split dev", "--dev"],
    )


def test_broken_sentences(corpus: Path, tmp_path: Path, program: Program) -> None:
    blocks = (corpus / "train.conllu").read_text().split("\n\n")
    line = "\n\n".join(blocks[:25]).count("\n") + 3
    blocks[25] = blocks[25].replace("\t0\t", "\t99\t")
    own = tmp_path / "own.conllu"
    own.write_text("\n\n".join(blocks))
    command = ("build", own, tmp_path / "store", "--graph", "dependency", "--shard", "10")
    code, out, err = program(*command)
    assert (code, out) == (2, "")
    assert f"{own}:{line}, sentence 25: line" in err
    assert "head 99" in err
    code, out, err = program("build", own, tmp_path / "skipped", *command[3:], "--skip")
    assert (code, out) == (0, f"{tmp_path / 'skipped'}: train 39 sentences, 5 classes; 1 left out\n")
    assert f"left out: {own}:{line}" in err
    # What was built before the broken sentence was met is kept.
    code, _, err = program(*command, "--skip")
    assert code == 0
    assert "2 of 4 shards are whole and kept" in err
    assert {name: raw for name, raw in content(tmp_path / "store").items() if name.endswith(".arrow")} == {
        name: raw for name, raw in content(tmp_path / "skipped").items() if name.endswith(".arrow")
    }
    assert program(*command)[0] == 2
    own.write_text((corpus / "train.conllu").read_text().replace("# label =", "# lebal =", 1))
    program.refuses(
        "build",
        own,
        tmp_path / "third",
        *command[3:4],
        "chain",
        saying=["no gold 'label', which others have; give it to all"],
    )
    code, out, err = program("build", own, tmp_path / "fourth", *command[3:4], "chain", "--skip")
    assert (code, out) == (0, f"{tmp_path / 'fourth'}: train 39 sentences, 5 classes; 1 left out\n")
    assert f"left out: {own}:1, sentence 0: no gold 'label'" in err


def test_options_stand_among_files_and_a_recipe_is_text(corpus: Path, tmp_path: Path, program: Program) -> None:
    assert program("build", corpus / "train.conllu", "--graph", "chain", tmp_path / "store")[0] == 0
    program.refuses("build", "a", "--graph", "chain", "b", "--foo", "3", saying=["--foo 3"])
    (tmp_path / "own.yaml").write_bytes("# Ä\ngraph: chain\n".encode("latin-1"))
    program.refuses("build", tmp_path / "b", "--recipe", tmp_path / "own.yaml", saying=["own.yaml", "UTF-8"])


def test_arguments(corpus: Path, tmp_path: Path, program: Program) -> None:
    own, out = corpus / "train.conllu", tmp_path / "store"
    program.refuses("build", own, out, saying=["--graph"])
    program.refuses("build", out, "--graph", "chain", saying=["no files to build from"])
    program.refuses("build", own, "--graph", "chain", "--test", own, out, saying=["OUT (before --dev and --test"])
    program.refuses("build", own, out, "--recipe", recipe(tmp_path, TINY), saying=["give OUT alone"])
    for option in (["--skip"], ["--labels", "nodes"], ["--stanza-dir", tmp_path], ["--columns", "text=said"]):
        program.refuses("build", out, "--recipe", recipe(tmp_path, TINY), *option, saying=["are for files"])
    program.refuses("build", corpus / "train.xml", out, "--graph", "chain", saying=["its name should end in .conllu"])
    program.refuses(
        "build",
        corpus / "none.conllu",
        out,
        "--graph",
        "chain",
        saying=["none.conllu: cannot be read", "check the path"],
    )


def test_a_file_that_breaks_off_is_told_with_its_line(tmp_path: Path, program: Program) -> None:
    out, packed, empty = tmp_path / "store", tmp_path / "cut.conllu.gz", tmp_path / "empty.conllu.gz"
    whole = gzip.compress(b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 5000)
    packed.write_bytes(whole[: len(whole) // 2])
    program.refuses("build", packed, out, "--graph", "chain", saying=["cut.conllu.gz:", "breaks off here", "again"])
    empty.write_bytes(whole[:9])
    program.refuses("build", empty, out, "--graph", "chain", saying=["empty.conllu.gz: cannot be read"])


@pytest.mark.parametrize("shard", ["1", "9"])
@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("own.csv", b"text,label\r\na b,x\r\n\r\nc\xff d,y\r\n", 4),
        ("own.jsonl", b'{"text": "a"}\r{"text": "\xff"}\r', 2),
        ("own.conllu", b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\t\xff\t_\t_\t_\t_\t0\troot\t_\t_\n\n", 3),
    ],
)
def test_a_line_that_is_no_text_is_told(
    tmp_path: Path, program: Program, name: str, text: bytes, line: int, shard: str
):
    (tmp_path / name).write_bytes(text)
    command = ("build", tmp_path / name, tmp_path / "store", "--graph", "chain", "--shard", shard)
    code, _, err = program(*command)
    assert code == 2
    assert f"{name}:{line}: not UTF-8 text" in err.splitlines()[-1]


def test_parses_among_raw_sentences_are_not_parsed_as_text(tmp_path: Path, program: Program) -> None:
    out = tmp_path / "store"
    (tmp_path / "trees.txt").write_text("The film worked.\n (S (NN film) (VBD failed))\n")
    (tmp_path / "words.txt").write_text("1\tIt\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\train\t_\t_\t_\t_\t0\troot\t_\t_\n")
    (tmp_path / "conll09.txt").write_text("1\tIt" + "\t_" * 12 + "\n")
    (tmp_path / "text.txt").write_text("(Nobody slept.)\n1\tslept\n")
    for labels in ("sentence", "nodes"):
        options = ("--graph", "constituency", "--labels", labels)
        program.refuses("build", tmp_path / "trees.txt", out, *options, saying=["trees.txt:2: a tree in brackets"])
        program.refuses("build", tmp_path / "words.txt", out, *options, saying=["words.txt:1: a word of CoNLL-U"])
        told = ["conll09.txt:1: 14 columns, the first a number, as words of CoNLL have, and not text"]
        program.refuses("build", tmp_path / "conll09.txt", out, *options, saying=told)
    program.refuses("build", tmp_path / "text.txt", out, *options, saying=["text.txt: raw sentences, which have no"])


def test_raw_sentences_are_parsed_on_the_way(tmp_path: Path, program: Program, stanza_dir: Path) -> None:
    (tmp_path / "own.txt").write_bytes(b"The film worked.\r\n\nNobody slept.\rThe film worked.")
    with_models = ("--stanza-dir", stanza_dir, "--cache", tmp_path / "cache")
    command = ("build", tmp_path / "own.txt", tmp_path / "store", "--graph", "dependency", "--shard", "2")
    code, _, err = program(*command, *with_models)
    assert code == 0, err
    train = Store(tmp_path / "store").splits["train"]
    assert [sentence.words for sentence in train.sentences()] == [
        ["The", "film", "worked", "."],
        ["Nobody", "slept", "."],
        ["The", "film", "worked", "."],
    ]
    assert heads(train) == [[1, 2, -1, 2], [1, -1, 1], [1, 2, -1, 2]]
    assert list(train.texts("line")) == [1, 3, 4]
    assert list(train.texts("sentence")) == ["1", "2", "3"]

    # Of other models a store is built anew, shard by shard, so that it never mixes parses.
    assert "shards are whole and kept" in program(*command, *with_models)[2]
    others = tmp_path / "models"
    others.mkdir()
    for path in stanza_dir.iterdir():
        (others / path.name).symlink_to(path)
    (others / "resources.json").unlink()
    listed = json.loads((stanza_dir / "resources.json").read_text())
    (others / "resources.json").write_text(json.dumps(listed).replace('"md5": "', '"md5": "0'))
    code, _, err = program(*command, "--stanza-dir", others, "--cache", tmp_path / "cache")
    assert (code, "shards are whole and kept" in err, "2 of 2 shards" in err) == (0, False, True), err
    note = json.loads((tmp_path / "store/train-00000.json").read_text())
    assert re.fullmatch(r"stanza \S+ \(.+\), [0-9a-f]{8}", note["parser"])
    # Without models nothing of it is lost.
    whole = content(tmp_path / "store")
    program.refuses(*command, "--stanza-dir", tmp_path / "gone", saying=["resources.json"])
    assert content(tmp_path / "store") == whole


def test_a_build_that_was_refused_stands_in_nobodys_way(tmp_path: Path) -> None:
    file = tmp_path / "a.brackets"
    file.write_text("(S (NP (PRP It)) (VP (VBZ rains)))\n")
    with pytest.raises(InputError):
        build(Files("dependency", {"train": [str(file)]}), tmp_path / "store")
    assert build(Files("chain", {"train": [str(file)]}), tmp_path / "store")
    assert [*(tmp_path / "store").glob("*.arrow")]
