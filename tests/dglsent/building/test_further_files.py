"""`dglsent test RUN FILE` for runs that were trained from a store: files are read as the store's own were."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tiny import PAIRS, TINY, Program, recipe

from dglsent.analysis.recording import Recording
from dglsent.building.further_files import further_examples, of_files
from dglsent.corpora.labelled import LabelledText
from graphs.errors import InputError, SentenceError

FROM = ("--corpus", "dglsent.corpora.stored.Stored", "--corpus.store")
WORDS = {"good": "fine", "bad": "dull", "so": "plain"}


def table(path: Path, rows: int, words: dict[str, str] = WORDS) -> Path:
    classes = [list(words)[number % len(words)] for number in range(rows)]
    lines = [
        f"{name}\t(S (NP (DT the) (NN film{number % 3})) (VP (VBD was) (JJ {words[name]})))"
        for number, name in enumerate(classes)
    ]
    path.write_text("\n".join(["stars\treview", *lines]) + "\n")
    return path


def test_the_test_file_again_has_the_score_of_the_run(tmp_path: Path, program: Program) -> None:
    train, store, run = table(tmp_path / "train.tsv", 30), tmp_path / "store", tmp_path / "run"
    other = table(tmp_path / "test.tsv", 11, {"so": "plain", "bad": "fine", "good": "dull"})  # met in another order
    code, _, err = program(
        *("build", train, store, "--dev", train, "--test", other, "--graph", "constituency", "--shard", "4"),
        *("--columns", "text=review,label=stars"),
    )
    assert code == 0, err
    file = recipe(tmp_path)
    code, _, err = program("fit", file, *FROM, store, "--task.classes", "3", "--out", run)
    assert code == 0, err
    metrics = json.loads((run / "metrics.json").read_text())
    code, out, err = program("predict", run, other)  # from the columns that the store was built of
    assert (code, len(out.splitlines())) == (0, 11), err
    for gone in ("manifest.json", "vocabularies.json"):
        (store / gone).unlink()  # how it was built is enough
    code, out, err = program("test", run, other, train)
    assert code == 0, err
    assert json.loads(out) == {str(other): metrics["test"], str(train): metrics["dev"]}
    code, _, err = program("record", run, other, train, "--out", tmp_path / "recording")
    assert code == 0, err
    recorded = Recording(tmp_path / "recording")
    assert recorded.about["labels"] == ["bad", "good", "so"]
    right = recorded.examples.gold == recorded.examples.predicted
    for file, split in ((other, "test"), (train, "dev")):
        of_file = right[recorded.examples.id.str.startswith(f"{file}-")]
        assert of_file.mean() == pytest.approx(metrics[split]["accuracy"], abs=1e-6)
    program.refuses("test", run, tmp_path / "none.tsv", saying=["none.tsv: no such file"])
    program.refuses("test", run, other, "--split", "dev", saying=["--split: files have none"])
    strange = table(tmp_path / "strange.tsv", 9, {"bad": "dull", "good": "fine", "odd": "plain"})
    program.refuses("test", run, strange, saying=["strange.tsv:4", "'odd'", "bad, good, so"])
    unlabelled = tmp_path / "unlabelled.tsv"
    unlabelled.write_text("text\n(S (NN films) (NN shine))\n")
    program.refuses("test", run, unlabelled, saying=["unlabelled.tsv:2", "no column 'review'"])


@pytest.mark.parametrize("column", ["upos", "xpos"])
def test_classes_of_tokens(tmp_path: Path, program: Program, column: str) -> None:
    lines = ["1\tIt\t_\tPRON\tPRP\t_\t0\troot\t_\t_", "2\tshines\t_\tVERB\tVBZ\t_\t1\tdep\t_\t_"]
    conllu = tmp_path / "train.conllu"
    conllu.write_text("\n".join(lines) + "\n\n")
    turned = tmp_path / "turned.conllu"
    turned.write_text("\n".join([lines[1].replace("2\tshines", "1\tshines").replace("\t1\tdep", "\t0\troot")]) + "\n\n")
    store = tmp_path / "store"
    code, _, err = program(
        *("build", conllu, store, "--dev", conllu, "--test", conllu, "--graph", "chain", "--labels", column)
    )
    assert code == 0, err
    names = ("PRON", "VERB") if column == "upos" else ("PRP", "VBZ")
    (example,) = further_examples(store, str(turned), names)
    assert example.sentences[0].labels == [1]
    with pytest.raises(SentenceError, match=r"turned.conllu:1.*class 'V.*' is none of those of training: X"):
        further_examples(store, str(turned), ("X",))


def test_nodes_without_a_class_have_none_and_all_parts_are_read(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, store = tmp_path / "train.brackets", tmp_path / "store"
    file.write_text("(3 (2 a) (_ b))\n(2 (_ c) (3 d))\n(3 (3 e) (2 f))\n")
    code, _, err = program("build", file, store, "--graph", "constituency", "--labels", "nodes")
    assert code == 0, err
    monkeypatch.setattr("dglsent.building.further_files.SHARD", 2)
    examples = further_examples(store, str(file), ("1", "2", "3"))
    assert [example.sentences[0].labels for example in examples] == [[2, 1, -1], [1, -1, 2], [2, 2, 1]]
    assert [example.id for example in examples] == ["test-1", "test-2", "test-3"]


def test_refused(tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    store, file = tmp_path / "store", table(tmp_path / "test.tsv", 4)
    assert program("build", store, "--recipe", recipe(tmp_path, TINY))[0] == 0
    with pytest.raises(InputError, match=r"test.tsv: .*store was built of the corpus of a recipe"):
        further_examples(store, str(file), ("a", "b"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InputError, match=f"{tmp_path / 'gone'}: no store; corpus.store names it, from the working folder"
    ):
        further_examples(Path("gone"), str(file), ("a", "b"))
    (store / "building.json").write_text("[]")
    with pytest.raises(InputError, match=r"building.json: damaged"):
        further_examples(store, str(file), ("a", "b"))


def test_a_pipe_is_no_plain_file(tmp_path: Path) -> None:
    """It was said not to be there."""
    own = table(tmp_path / "own.tsv", 4)
    os.mkfifo(tmp_path / "pipe.tsv")
    corpus = LabelledText(str(own), str(own), str(own))
    for name, said in (("pipe.tsv", "no plain file but a folder, a pipe"), ("gone.tsv", "no such file")):
        with pytest.raises(InputError, match=f"{name}: {said}"):
            of_files(corpus, [str(tmp_path / name)], ("a", "b"))


def test_a_run_whose_own_files_are_gone_says_how_another_is_read(tmp_path: Path, program: Program) -> None:
    own, other, run, out = (tmp_path / name for name in ("own.columns", "other.columns", "run", "out"))
    for file in (own, other):
        file.write_text("Ann B\nsings O\n\n" * 3)
    corpus = f"{{class_path: TaggedColumns, init_args: {{train: {own}, dev: {own}, test: {own}}}}}"
    text = f"{{corpus: {corpus}, graph: chain, encoder: BiLSTM, task: Tagging, training: {{epochs: 1}}}}"
    code, _, err = program("fit", recipe(tmp_path, text), "--out", run)
    assert code == 0, err
    own.unlink()
    said = f"{own}: no such file; corpus.train names it, from the working folder; or name another file: `dglsent"
    program.refuses("test", run, saying=[f"{said} test {run} FILE`"])
    program.refuses("record", run, "--out", out, saying=[f"{said} record {run} --out {out} FILE`"])
    assert program("test", run, other)[0] == 0


def test_a_score_beyond_the_scale_of_the_model_is_told_by_its_line(tmp_path: Path, program: Program) -> None:
    """As of the files that a model is trained on; beside it no prediction could be right."""
    header = "first\tsecond\tscore\n"
    good, wrong = tmp_path / "good.tsv", tmp_path / "wrong.tsv"
    good.write_text(header + "a film\tthe film\t1\na film\tno film\t5\n" * 10)
    wrong.write_text(header + "a film\tthe film\t5\na film\tno film\t5.5\n")
    corpus = f"{{class_path: LabelledPairs, init_args: {{train: {good}, dev: {good}, test: {good}, score: score}}}}"
    text = PAIRS.replace("{class_path: tiny.Pairs}", corpus).replace("dependency", "chain")
    code, _, err = program("fit", recipe(tmp_path, text), "--training.epochs", "1", "--out", tmp_path / "run")
    assert code == 0, err
    assert program("test", tmp_path / "run", good)[0] == 0
    said = [f"{wrong}:3, sentence 2: score 5.5 lies outside 1 to 5, the scale of the model"]
    program.refuses("test", tmp_path / "run", good, wrong, saying=said)
