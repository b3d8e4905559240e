from __future__ import annotations

import shutil

import pytest

from dglsent.corpora.sick import SICK
from graphs.errors import InputError

HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
FILES = {"train": "SICK_train.txt", "dev": "SICK_trial.txt", "test": "SICK_test_annotated.txt"}


@pytest.fixture
def data(tmp_path):
    """Two pairs a split: the official files, and parses beside them."""
    sick = tmp_path / "data" / "sick"
    for number, (split, file) in enumerate(FILES.items()):
        rows = [f"{10 * number + 1}\ta b\tc\t4.5\tENTAILMENT\n", f"{10 * number + 2}\td\te f\t1.0\tNEUTRAL\r\n"]
        folder = sick / "parsed" / split
        folder.mkdir(parents=True)
        (sick / file).write_text(HEADER + "".join(rows), newline="")
        (folder / "id.txt").write_text(f"{10 * number + 1}\n{10 * number + 2}\n")
        (folder / "sim.txt").write_text("4.5\n1.0\n")
        for side, toks, parents, rels in (
            ("a", "a b\nd\n", "2 0\n0\n", "det root\nroot\n"),
            ("b", "c\ne f\n", "0\n0 1\n", "root\nroot obj\n"),
        ):
            (folder / f"{side}.toks").write_text(toks)
            (folder / f"{side}.parents").write_text(parents)
            (folder / f"{side}.rels").write_text(rels)
    return tmp_path / "data"


def check(splits) -> None:
    assert list(splits) == ["train", "dev", "test"]
    first, second = splits["dev"]
    assert first.id == "dev-11"
    assert first.targets == {"score": 4.5, "entailment": 1}
    assert second.targets == {"score": 1.0, "entailment": 0}
    left, right = second.sentences
    assert left.dependencies.words == ["d"]
    assert right.dependencies.words == ["e", "f"]
    assert right.dependencies.head.tolist() == [-1, 0]
    assert right.dependencies.relation == ["root", "obj"]


def test_official_files_and_parses(data):
    check(SICK().load(data))


def test_layout_of_the_tree_lstm_releases(data):
    sick = data / "sick"
    for split, file in FILES.items():
        (sick / "parsed" / split).rename(sick / split)
        (sick / file).unlink()
    splits = SICK().load(data)
    assert splits["test"][0].targets == {"score": 4.5}
    assert splits["test"][0].sentences[0].dependencies.words == ["a", "b"]
    for score in ("0.9", "5.1"):
        (sick / "dev" / "sim.txt").write_text(f"4.5\n{score}\n")
        with pytest.raises(InputError, match=rf"sim\.txt:2: '{score}' is not a score from 1 to 5"):
            SICK().load(data)


def test_single_official_file(data):
    sick = data / "sick"
    rows = ["pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set\n"]
    for file, name in zip(FILES.values(), ("TRAIN", "TRIAL", "TEST"), strict=True):
        for line in (sick / file).read_text().splitlines()[1:]:
            pair, a, b, score, judgment = line.split("\t")
            rows.append(f"{pair}\t{a}\t{b}\t{judgment}\t{score}\t{name}\n")
        (sick / file).unlink()
    (sick / "SICK.txt").write_text("".join(rows))
    check(SICK().load(data))


def test_trees_where_there_are_brackets(data):
    folder = data / "sick" / "parsed" / "dev"
    (folder / "a.ptb").write_text("(ROOT (NP (DT a) (NN b)))\n(NN -LRB-)\n")
    splits = SICK().load(data)
    assert splits["dev"][0].sentences[0].constituency.words == ["a", "b"]
    assert splits["dev"][0].sentences[0].dependencies.xpos == ["DT", "NN"]
    assert splits["dev"][1].sentences[0].constituency.words == ["("]
    assert splits["dev"][0].sentences[1].constituency is None
    (folder / "a.ptb").write_text("(NN a)\n")
    with pytest.raises(InputError, match=r"a\.ptb: 1 trees for 2 sentences"):
        SICK().load(data)


def test_official_files_without_parses_are_not_enough(data):
    shutil.rmtree(data / "sick" / "parsed")
    with pytest.raises(InputError, match=r"sick: has no parses.*sick/parsed/\{train,dev,test\}.*docs/data\.md"):
        SICK().load(data)


def test_nothing_there(tmp_path):
    with pytest.raises(InputError, match=r"SICK is missing; expected .*\{a,b\}\.\{toks,parents,rels,ptb\}"):
        SICK().load(tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("SICK_trial.txt", HEADER + "11\ta b\tc\t4.5\n", r"SICK_trial\.txt:2: 4 columns, expected 5"),
        ("SICK_trial.txt", HEADER + "11\ta b\tc\thigh\tNEUTRAL\n", r"SICK_trial\.txt:2: 'high' is not a score"),
        ("SICK_trial.txt", HEADER + "11\ta b\tc\t0.9\tNEUTRAL\n", r"'0\.9' is not a score from 1 to 5"),
        ("SICK_trial.txt", HEADER + "11\ta b\tc\t5.1\tNEUTRAL\n", r"'5\.1' is not a score from 1 to 5"),
        ("SICK_trial.txt", HEADER + "11\ta b\tc\t4.5\tMAYBE\n", r"SICK_trial\.txt:2: entailment 'MAYBE'"),
        ("SICK_trial.txt", "a\tb\n", r"SICK_trial\.txt:1: no column for id, score, entailment"),
        ("parsed/dev/id.txt", "11\n99\n", r"id\.txt: pair '99' is in no official file"),
        ("parsed/dev/id.txt", "11\n", r"have not the same number of lines"),
        ("parsed/dev/b.parents", "0\n3 1\n", r"b\.toks:2, sentence 2: 3 in parents is out of range"),
    ],
)
def test_broken_files_are_named(data, file, text, message):
    (data / "sick" / file).write_text(text)
    with pytest.raises(InputError, match=message):
        SICK().load(data)


def test_real_counts(data_dir):
    splits = SICK().load(data_dir)
    assert {split: len(examples) for split, examples in splits.items()} == {"train": 4500, "dev": 500, "test": 4927}
    for split, counts in (("train", [2536, 1299, 665]), ("test", [2793, 1414, 720])):
        judged = [example.targets["entailment"] for example in splits[split]]
        assert [judged.count(label) for label in range(3)] == counts
    scores = [example.targets["score"] for example in splits["train"]]
    assert (min(scores), max(scores), scores.count(5.0)) == (1.0, 5.0, 135)
    first = splits["train"][0]
    assert first.id == "train-1"
    assert len(first.sentences[0].dependencies) == 18
    assert first.sentences[0].constituency.words == first.sentences[0].dependencies.words
    # Dependencies have the tags of the constituency trees.
    for example in splits["dev"]:
        for sentence in example.sentences:
            tree = sentence.constituency
            leaves = [label for label, word in zip(tree.label, tree.word, strict=True) if word is not None]
            assert list(sentence.dependencies.xpos) == leaves
