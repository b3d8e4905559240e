"""Which classes a store has, of sentences, of nodes and of tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import Program

from dglsent.building.files import Files
from dglsent.corpora.labelled import LabelledTrees
from graphs.errors import InputError
from graphs.store import Store


def written(file: Path, lines: list[str]) -> Path:
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def test_trees_have_the_classes_that_they_have_as_files(tmp_path: Path, program: Program) -> None:
    own, empty = tmp_path / "own.brackets", ("", "_", "-1")
    own.write_text("(3 (2 a) (3 good))\n(1 (_ bad) (2 film))\n(1 (-1 (1 so) (1 bad)) ((2 a) (2 film)))\n")
    corpus, source = LabelledTrees(*[str(own)] * 3), Files("constituency", {"train": [str(own)]}, "nodes")
    loaded = corpus.load(Path())["train"]
    (read,) = map(source.read, source.parts(9))
    for names, examples in ((corpus.labels, loaded), (read.classes or (), read.examples)):
        assert sorted(names) == ["1", "2", "3"]
        gold = [[*names, None][label] for one in examples for label in one.sentences[0].labels or ()]
        assert gold == ["3", "2", "3", "1", None, "2", "1", None, "1", "1", None, "2", "2"]
        assert [names[int(one.targets["label"])] for one in examples] == ["3", "1", "1"]
        assert {tag for one in examples for tag in one.sentences[0].constituency.label} == {""}  # no class is a tag
    store = ("--graph", "constituency", "--labels", "nodes")
    for label in empty:
        own.write_text(f"(3 (2 a) (3 good))\n\n({label} (1 bad) (2 film))\n")
        saying = f"{own}:3, sentence 2: the root has no class"
        program.refuses("build", own, tmp_path / f"none{label}", *store, saying=[saying])
        code, out, err = program("build", own, tmp_path / f"none{label}", *store, "--skip")
        assert (code, f"left out: {saying}" in err) == (0, True)
        assert out.endswith(": train 1 sentences, 2 classes; 1 left out\n")
        assert Store(tmp_path / f"none{label}").manifest["labels"] == ["2", "3"]


@pytest.mark.parametrize(("column", "names", "gold"), [("upos", ["PRON"], [0, -1]), ("xpos", ["PRP", "VBZ"], [0, 1])])
def test_classes_of_tokens_are_not_read_by_the_model(column, names, gold, tmp_path: Path) -> None:
    own = written(
        tmp_path / "own.conllu", ["1\tIt\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_", "2\tis\t_\t_\tVBZ\t_\t0\troot\t_\t_"]
    )
    source = Files("chain", {"train": [str(own)]}, column)
    (read,) = map(source.read, source.parts(9))
    (sentence,) = read.examples[0].sentences
    assert (read.classes, sentence.labels) == (names, gold)
    assert sentence.unparsed.columns == {}


def test_comments_of_another_name_give_the_classes_where_it_is_told(tmp_path: Path) -> None:
    rows = "1\tIt\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tis\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    own = tmp_path / "own.conllu"
    own.write_text("".join(f"# sentiment = {name}\n{rows}" for name in ("praise", "blame")))
    for columns, names in (({"label": "sentiment"}, ["praise", "blame"]), ({}, [])):
        source = Files("dependency", {"train": [str(own)]}, columns=columns)
        (read,) = map(source.read, source.parts(9))
        assert read.classes == names


def test_a_class_that_training_has_not_is_refused(tmp_path: Path, program: Program) -> None:
    train = written(tmp_path / "train.tsv", ["text\tlabel", "A\tbad", "B\tgood", "C\tgood"])
    test = written(tmp_path / "test.tsv", ["text\tlabel", "A\tgood", "B\tbad", "C\tgood", "D\tfine"])
    store, rest = tmp_path / "store", ("--graph", "chain", "--shard", "2", "--test", test)
    said = f"{test}:5, sentence 4: class 'fine' of split test is none of those of training: bad, good"
    for _ in range(2):  # the second time all shards are there
        code, out, err = program("build", train, store, *rest)
        assert (code, out, err.splitlines()[-1]) == (2, "", f"dglsent: {said}")
        with pytest.raises(InputError, match=r"no store|not built to the end"):
            Store(store)
    written(train, ["text\tlabel", "A\tbad", "B\tgood", "C\tgood", "D\tfine"])
    code, _, err = program("build", train, store, *rest)
    assert code == 0
    assert "3 of 4 shards are whole and kept" in err
    assert Store(store).manifest["labels"] == ["bad", "fine", "good"]
    written(train, ["text", "A"])
    code, _, err = program("build", train, store, *rest)
    assert (code, "test.tsv:2, sentence 1: class 'good' of split test is none" in err) == (2, True)


def test_a_class_of_training_is_shown_with_what_nobody_sees(tmp_path: Path, program: Program) -> None:
    train = written(tmp_path / "train.tsv", ["text\tlabel", "A\tbad", "B\t\u200bgood"])
    test = written(tmp_path / "test.tsv", ["text\tlabel", "A\tgood"])
    code, _, err = program("build", train, tmp_path / "store", "--graph", "chain", "--test", test)
    assert code == 2
    assert "class 'good' of split test is none of those of training: bad, '\\u200bgood'" in err


def test_classes_of_nodes_and_tokens_that_training_has_not(tmp_path: Path, program: Program) -> None:
    (tmp_path / "train.brackets").write_text("(1 (1 a) (2 b))\n")
    (tmp_path / "dev.brackets").write_text("(2 (1 a) (2 b))\n(1 (1 a)\n (3 b))\n")
    trees = ("--graph", "constituency", "--labels", "nodes", "--dev", tmp_path / "dev.brackets")
    code, _, err = program("build", tmp_path / "train.brackets", tmp_path / "trees", *trees)
    assert code == 2
    assert "dev.brackets:2, sentence 2: class '3' of split dev is none of those of training: 1, 2" in err
    word = "1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "train.conllu").write_text(word + word.replace("VERB", "_"))
    (tmp_path / "dev.conllu").write_text(word + word.replace("VERB", "X"))
    tags = ("--graph", "chain", "--labels", "upos", "--dev", tmp_path / "dev.conllu")
    code, _, err = program("build", tmp_path / "train.conllu", tmp_path / "tags", *tags)
    assert code == 2
    assert "dev.conllu:3, sentence 2: class 'X' of split dev is none of those of training: VERB" in err


def test_classes_of_what_is_left_out_are_not_there(tmp_path: Path, program: Program) -> None:
    """Trees with classes at their nodes stay as they are, and graphs of them have two children a node."""
    (tmp_path / "train.brackets").write_text("(7 (8 a) (9 b) (9 c))\n(2 (1 a) (2 b))\n(1 (_ a) (2 b))\n")
    (tmp_path / "test.brackets").write_text("(8 (5 a) (5 b) (6 c))\n(1 (2 a) (2 b))\n")
    store, rest = tmp_path / "store", ("--graph", "constituency", "--labels", "nodes", "--skip")
    command = ("build", tmp_path / "train.brackets", store, *rest, "--test", tmp_path / "test.brackets")
    code, out, err = program(*command)
    assert (code, out) == (0, f"{store}: train 2, test 1 sentences, 2 classes; 2 left out\n"), err
    opened = Store(store)
    assert opened.manifest["labels"] == ["1", "2"]
    (shard,) = opened.splits["train"].shards
    assert [shard.about["classes"][number] for number in shard.values("target.label")] == ["2", "1"]
    assert [[*shard.about["classes"], ""][number] for number in shard.values("node.label")] == ["", *"12", "", "", "2"]
