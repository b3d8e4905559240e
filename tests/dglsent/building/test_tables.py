"""Tables of sentences and of pairs become stores."""

from __future__ import annotations

import json
from pathlib import Path

from tiny import TINY, Program, recipe

from dglsent.building.files import Files
from dglsent.corpora.built_in import Reviews
from graphs.store import Store

FROM = ("--corpus", "dglsent.corpora.stored.Stored", "--corpus.store")


def table(file: Path, rows: list[str]) -> Path:
    file.write_text("".join(f"{row}\n" for row in rows))
    return file


def test_labelled_sentences_of_a_table_train_as_from_files(tmp_path: Path, program: Program) -> None:
    for split, some in Reviews(train=40, dev=8, test=8).load().items():
        rows = [f"{' '.join(one.sentences[0].constituency.words)}\t{one.targets['label']}" for one in some]  # type: ignore[union-attr]
        table(tmp_path / f"{split}.tsv", ["text\tlabel", *rows])
    train, dev, test = (tmp_path / f"{split}.tsv" for split in ("train", "dev", "test"))
    store = tmp_path / "store"
    assert program("build", train, store, "--graph", "chain", "--dev", dev, "--test", test, "--shard", "7")[0] == 0
    assert Store(store).manifest["labels"] == [str(label) for label in range(5)]
    file = recipe(
        tmp_path, TINY.replace("constituency", "chain").replace("tree_lstm.BinaryTreeLSTM", "sequence.SeqLSTM")
    )
    own = ("--corpus", "dglsent.corpora.labelled.LabelledText", "--corpus.train", train, "--corpus.test", test)
    code, _, err = program("fit", file, *own, "--corpus.dev", dev, "--out", tmp_path / "files")
    assert code == 0, err
    assert program("fit", file, *FROM, store, "--out", tmp_path / "stored")[0] == 0
    runs = [json.loads((tmp_path / run / "metrics.json").read_text()) for run in ("files", "stored")]
    assert [epoch["loss"] for epoch in runs[0]["history"]] == [epoch["loss"] for epoch in runs[1]["history"]]
    assert runs[0]["test"] == runs[1]["test"]


def test_columns_of_other_names(tmp_path: Path, program: Program) -> None:
    own = table(tmp_path / "own.csv", ["q1,q2,same,label", '"Why, ""so""?",How?,yes,x', '"A', 'b",C,no,y', "D,E,yes,x"])
    command = ("build", own, tmp_path / "store", "--graph", "chain")
    assert program(*command, "--columns", "first=q1, second=q2,label=same")[0] == 0
    opened = Store(tmp_path / "store")
    assert opened.manifest["labels"] == ["no", "yes"]
    assert opened.splits["train"].targets("label")[::2].tolist() == [0, 1, 0]
    assert list(opened.splits["train"].texts("line"))[::2] == [2, 3, 5]
    missing = ("--columns", "first=q1,second=q3")
    program.refuses("build", own, tmp_path / "other", *command[3:], *missing, saying=["own.csv:2", "no column 'q3'"])
    program.refuses(*command, "--columns", "words=q1", saying=["'words=q1' is not such as text=review"])


def test_rows_are_numbered_through_all_shards(tmp_path: Path) -> None:
    file = table(tmp_path / "five.tsv", ["text", *"ABCDE"])
    source = Files("chain", {"dev": [str(file), str(file)]})
    ids = [[one.id for one in source.read(part).examples] for part in source.parts(2)]
    assert ids[:3] == [["dev-1", "dev-2"], ["dev-3", "dev-4"], ["dev-5"]]
    assert ids[3:] == [["dev-6", "dev-7"], ["dev-8", "dev-9"], ["dev-10"]]


def test_raw_sentences_of_a_table_are_parsed_on_the_way(tmp_path: Path, program: Program, stanza_dir: Path) -> None:
    own = table(tmp_path / "own.tsv", ["label\ttext", "good\tThe film worked.", "", "bad\tNobody slept."])
    command = ("build", own, tmp_path / "store", "--graph", "dependency", "--stanza-dir", stanza_dir, "--shard", "1")
    code, _, err = program(*command)
    assert code == 0, err
    train = Store(tmp_path / "store").splits["train"]
    assert [sentence.words for sentence in train.sentences()] == [
        ["The", "film", "worked", "."],
        ["Nobody", "slept", "."],
    ]
    assert (list(train.texts("file")), list(train.texts("line"))) == ([str(own)] * 2, [2, 4])


def test_spaces_around_a_class_are_no_part_of_it(tmp_path: Path, program: Program) -> None:
    own = table(tmp_path / "own.tsv", ["text\tlabel", "A\tgood ", "B\tbad", "C\t good"])
    assert program("build", own, tmp_path / "store", "--graph", "chain")[0] == 0
    assert Store(tmp_path / "store").manifest["labels"] == ["bad", "good"]


def test_pairs_of_a_table(tmp_path: Path, program: Program) -> None:
    tree, other = "(S (NN Snow) (VBZ falls))", "(S (NN Rain) (VBZ stops))"
    rows = [json.dumps({"second": other, "first": tree, "score": score}) for score in (1, 2.5, 4)]
    pairs, store = table(tmp_path / "pairs.jsonl", rows), tmp_path / "store"
    assert program("build", pairs, store, "--graph", "constituency", "--shard", "2")[0] == 0
    opened = Store(store)
    assert opened.manifest["sentences"] == 2
    said = [sentence.words for sentence in opened.splits["train"].sentences()]
    assert said == [["Snow", "falls"], ["Rain", "stops"]] * 3
    assert opened.splits["train"].targets("score")[::2].tolist() == [1.0, 2.5, 4.0]
    assert list(opened.splits["train"].texts("line")) == [1, 1, 2, 2, 3, 3]
    assert list(opened.splits["train"].texts("sentence")) == [*"112233"]
    single = table(tmp_path / "single.tsv", ["text", tree])
    code, _, err = program("build", pairs, single, tmp_path / "mixed", "--graph", "constituency")
    assert code == 2
    assert f"{single} has sentences and {pairs} pairs of them" in err


def test_a_tree_of_one_word_in_a_table(tmp_path: Path, program: Program) -> None:
    trees = table(tmp_path / "trees.tsv", ["text", "(3 good)", "(1 (1 bad) (2 film))"])
    assert program("build", trees, tmp_path / "store", "--graph", "constituency")[0] == 0
    said = Store(tmp_path / "store").splits["train"].sentences()
    assert [sentence.words for sentence in said] == [["good"], ["bad", "film"]]


def test_a_score_that_is_not_finite(tmp_path: Path, program: Program) -> None:
    scores = table(tmp_path / "scores.tsv", ["score\ttext", "1\tIt works .", "1e400\tNo ."])
    program.refuses(
        *("build", scores, tmp_path / "store", "--graph", "chain"),
        saying=["scores.tsv:3, sentence 2: score '1e400' is no number"],
    )


def test_a_class_and_a_score_of_one_row_are_both_kept(tmp_path: Path, program: Program) -> None:
    """The score was dropped, and so a store of SICK could not be trained on it."""
    rows = ["text\tlabel\tscore", "It works .\tgood\t4.5", "No .\tbad\t1"]
    both, store = table(tmp_path / "both.tsv", rows), tmp_path / "store"
    assert program("build", both, store, "--graph", "chain")[0] == 0
    train = Store(store).splits["train"]
    assert train.targets("score").tolist() == [4.5, 1.0]
    assert train.targets("label").tolist() == [0, 1]
    blank = table(tmp_path / "blank.tsv", ["text\tlabel\tscore", "It works .\tgood\t ", "No .\tbad\t"])
    assert program("build", blank, tmp_path / "blank", "--graph", "chain")[0] == 0
    wrong = table(tmp_path / "wrong.tsv", [*rows, "So so .\tbad\tNaN"])
    program.refuses(
        *("build", wrong, tmp_path / "wrong", "--graph", "chain"),
        saying=["wrong.tsv:4, sentence 3: score 'NaN' is no number"],
    )
    neither = table(tmp_path / "neither.tsv", [*rows, "So so .		"])
    program.refuses(
        *("build", neither, tmp_path / "neither", "--graph", "chain"),
        saying=["neither.tsv:4, sentence 3: column 'score' is blank"],
    )


def test_broken_rows_of_a_table(tmp_path: Path, program: Program) -> None:
    rows = ["", "label\ttext", "a\tIt works .", "", "b", "b\t ", "b\t(S (NN", "b\t(S (NN x)", "a\tNo ."]
    broken = table(tmp_path / "broken.tsv", rows)
    command = ("build", broken, tmp_path / "store", "--graph", "chain", "--shard", "2")
    program.refuses(*command, saying=["broken.tsv:5, sentence 2: 1 cells, and 2 columns: label, text"])
    code, out, err = program(*command, "--skip")
    assert (code, out) == (0, f"{tmp_path / 'store'}: train 3 sentences, 2 classes; 3 left out\n"), err
    assert "broken.tsv:6, sentence 3: column 'text' is blank" in err
    assert "broken.tsv:8" in err
    assert list(Store(tmp_path / "store").splits["train"].texts("line")) == [3, 7, 9]
    program.refuses(
        "build",
        table(tmp_path / "other.jsonl", ['{"review": "Fine ."}', "[1]"]),
        tmp_path / "other",
        *command[3:5],
        saying=["other.jsonl:1, sentence 1: no column 'text'; there are review"],
    )
    program.refuses(
        *("build", table(tmp_path / "list.jsonl", ['{"review": ["Fine", "."]}']), tmp_path / "list", *command[3:5]),
        *("--columns", "text=review"),
        saying=["list.jsonl:1, sentence 1: column 'text' is a list"],
    )
    upos = ("build", broken, tmp_path / "upos", *command[3:5], "--labels", "upos")
    program.refuses(*upos, saying=["broken.tsv: --labels upos is not for tables"])
    number = table(tmp_path / "number.jsonl", ['{"text": "Fine .", "score": "high"}'])
    program.refuses("build", number, tmp_path / "number", *command[3:5], saying=["number.jsonl:1", "score 'high'"])
