from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import dglsent
from dglsent.cli.token_columns import TokenColumns, are_columns, of_model
from dglsent.corpora.tagged_columns import TaggedColumns

TAGS = "the DT x\nfilm NN y\n\nfilms NN y\nfail VB x\n\n"


@pytest.fixture(scope="module")
def tagger_run(tmp_path_factory) -> Path:
    """A run of a tiny tagger of files of words, parts of speech and classes."""
    from dglsent.cli.main import main

    folder = tmp_path_factory.mktemp("tagger")
    (folder / "tags.txt").write_text(TAGS * 5)
    file = folder / "tags.txt"
    (folder / "tagger.yaml").write_text(
        f"""
corpus: {{class_path: TaggedColumns, init_args: {{train: {file}, dev: {file}, test: {file},
    columns: [word, pos, tag]}}}}
graph: chain
encoder: {{class_path: SeqLSTM, init_args: {{hidden: 4}}}}
task: Tagging
embedding: {{dim: 4, min_count: 1}}
training: {{epochs: 1}}
"""
    )
    assert main(["fit", str(folder / "tagger.yaml"), "--out", str(folder / "run")]) == 0
    return folder / "run"


def texts(out: str) -> list[str]:
    return [json.loads(line)["text"] for line in out.splitlines()]


@pytest.mark.parametrize("name", ["tags.txt", "tags.tsv", "tags", "tags.conll"])
def test_the_files_that_a_tagger_was_trained_on_are_read_as_such(tagger_run, tmp_path, program, name):
    separator = "\t" if name.endswith("tsv") else " "
    (tmp_path / name).write_text("-DOCSTART-\n \n" * (separator == " ") + TAGS.replace(" ", separator))
    code, out, err = program("predict", tagger_run, tmp_path / name)
    assert (code, err) == (0, "")
    assert texts(out) == ["the film", "films fail"]
    assert [len(json.loads(line)["tags"]) for line in out.splitlines()] == [2, 2]


def test_blank_lines_and_those_that_begin_documents_are_not_counted(tagger_run, tmp_path, program):
    (tmp_path / "documents").write_text("-DOCSTART-\n \nfilm NN y\n \n" * 3)
    code, out, err = program("predict", tagger_run, tmp_path / "documents")
    assert (code, err) == (0, "")
    assert texts(out) == ["film"] * 3


def test_the_classes_may_be_left_out_and_are_not_read(tagger_run, tmp_path, program):
    said = []
    for text in (TAGS, TAGS.replace(" x", "").replace(" y", ""), TAGS.replace(" x", " z")):
        (tmp_path / "new").write_text(text)
        code, out, err = program("predict", tagger_run, tmp_path / "new", "--format", "columns")
        assert (code, err) == (0, "")
        said.append(out)
    assert said[0] == said[1] == said[2]


def test_classes_that_the_tagger_does_not_know_make_no_text_of_columns(tagger_run, tmp_path, program):
    (tmp_path / "new").write_text(TAGS + "films NN z\n")
    code, out, err = program("predict", tagger_run, tmp_path / "new")
    assert (code, err) == (0, "")
    assert texts(out) == ["the film", "films fail", "films"]


@pytest.mark.parametrize("name", ["new", "new.conll"])
def test_a_broken_line_makes_no_text_of_columns(tagger_run, tmp_path, program, name):
    (tmp_path / name).write_text(TAGS * 2 + "films NN\n\n" + TAGS)
    code, out, err = program("predict", tagger_run, tmp_path / name)
    assert code == 2
    assert f"{name}:13, sentence 5: 2 columns, expected 3" in err
    assert ["error" in json.loads(line) for line in out.splitlines()] == [False] * 4 + [True] + [False] * 2


@pytest.mark.parametrize(
    "lines", [["the film fails", "films fail too"], ["the film x", "films fail too"], ["the film x", "films", "fail"]]
)
def test_text_of_as_many_words_stays_text(tagger_run, tmp_path, program, lines):
    """Even where the last words of some lines are classes."""
    (tmp_path / "text").write_text("\n".join(lines))
    code, out, _ = program("predict", tagger_run, tmp_path / "text")
    assert (code, texts(out)) == (0, lines)


def test_classes_are_those_of_a_tagger_and_stand_in_any_column(tagger_run, trees_run):
    tagger, classifier = dglsent.load(tagger_run), dglsent.load(trees_run)
    assert not are_columns("the film was negative\nfilms are so positive\n", classifier, None)
    assert are_columns("the x DT\nfilm y NN\n", tagger, TokenColumns(("word", "tag", "pos"), "tag"))


def test_without_columns_of_its_own_all_lines_have_as_many_and_more_than_one(tagger_run):
    tagger, lines = dglsent.load(tagger_run), "the x\nfilm y\nfilms y\nfail x\n"
    assert are_columns(lines, tagger, None)
    assert not are_columns(f"{lines}so it is x\n", tagger, None)
    assert not are_columns("x\ny\n", tagger, None)


def test_gold_parts_of_speech_are_no_input_of_what_predicts_them():
    ((sentence,),) = TokenColumns(("word", "pos"), "pos").read("the DT\nfilm NN\n", "tags")
    assert (sentence.unparsed.words, sentence.unparsed.columns) == (["the", "film"], {})


def test_a_tagger_of_conllu_has_no_columns_of_its_own(tagger_run, tmp_path):
    (tmp_path / "a.conllu").write_text("1\tIt\t_\tPRON\t_\t_\t0\troot\t_\t_\n\n")
    model = dglsent.load(tagger_run)
    assert of_model(model) == TokenColumns(("word", "pos", "tag"), "tag")
    model.recipe = replace(model.recipe, corpus=TaggedColumns(*[str(tmp_path / "a.conllu")] * 2, tag="upos"))
    assert of_model(model) is None


def test_a_broken_sentence_is_told_in_its_place(tagger_run, tmp_path, program):
    (tmp_path / "new").write_text("the DT x\n\nfilm NN\n\nfail VB x\n")
    code, out, err = program("predict", tagger_run, tmp_path / "new", "--format", "columns")
    assert code == 2
    assert "new:3, sentence 2: 2 columns, expected 3" in err
    assert ["error" in json.loads(line) for line in out.splitlines()] == [False, True, False]


def test_other_columns_are_refused(tagger_run, trees_run, tmp_path, program):
    (tmp_path / "new").write_text("the\nfilm\n")
    wanted = "1 column in most lines; the model was trained on word, pos, tag, of which 'tag' may be left out"
    program.refuses("predict", tagger_run, tmp_path / "new", "--format", "columns", saying=[wanted])
    program.refuses("predict", trees_run, tmp_path / "new", "--format", "columns", saying=["TaggedColumns"])


def test_columns_are_counted_in_all_lines_and_not_in_the_first_alone(tagger_run, tmp_path, program):
    (tmp_path / "new").write_text("the DT x\n\n" + "the DT x more\nfilm NN y more\n\n" * 9)
    program.refuses("predict", tagger_run, tmp_path / "new", "--format", "columns", saying=["new: 4 columns in most"])
    (tmp_path / "new").write_text("a\n\n" + TAGS)
    code, out, err = program("predict", tagger_run, tmp_path / "new", "--format", "columns")
    assert (code, err.count("\n")) == (2, 1)
    assert ["error" in json.loads(line) for line in out.splitlines()] == [True, False, False]
    (tmp_path / "new").write_text("\n")
    program.refuses("predict", tagger_run, tmp_path / "new", "--format", "columns", saying=["holds no sentences"])


def test_conllu_is_no_file_of_columns(tagger_run, tmp_path, program):
    rows = "".join(f"{n}\t{word}\t_\t_\t_\t_\t0\t_\t_\t_\n" for n, word in enumerate("abc", 1))
    (tmp_path / "new").write_text(f"# text = a b c\n{rows}\n" * 5)
    program.refuses("predict", tagger_run, tmp_path / "new", "--format", "columns", saying=["give --format conllu"])


@pytest.mark.parametrize("named", [["--format", "text"], ["--format", "tokens"]])
def test_files_of_other_columns_are_no_text_unless_someone_says_so(tagger_run, trees_run, tmp_path, program, named):
    (tmp_path / "other").write_text("Ann B-PER\nsang O\n. O\n\nBob B-PER\nslept O\n\n")
    program.refuses("predict", tagger_run, tmp_path / "other", saying=["other: 2 columns in every line", *named])
    (tmp_path / "conll").write_text("-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n")
    program.refuses("predict", trees_run, tmp_path / "conll", saying=["conll:1: -DOCSTART-", "--format columns"])
    code, out, _ = program("predict", tagger_run, tmp_path / "other", *named)
    assert (code, len(out.splitlines())) == (0, 5)


def test_words_alone_are_no_sentences_to_a_tagger_of_columns(tagger_run, tmp_path, program):
    (tmp_path / "words").write_text("Ann\nsang\n.\n\nBob\nslept\n")
    program.refuses("predict", tagger_run, tmp_path / "words", saying=["words: 1 column in every", "--format columns"])
    said = ["words: 1 column in most lines;", "'tag' may be left out; give those, or a sentence a line, with --form"]
    program.refuses("predict", tagger_run, tmp_path / "words", "--format", "columns", saying=said)
    code, out, _ = program("predict", tagger_run, tmp_path / "words", "--format", "text")
    assert (code, len(out.splitlines())) == (0, 5)


def test_scoring_files_of_other_columns_names_those_of_training_and_no_option_of_fit(tagger_run, tmp_path, program):
    (tmp_path / "new").write_text("the DT x more\n")
    said = "1: 4 columns, expected 3; the model was trained on word, pos, tag\n"
    program.refuses("test", tagger_run, tmp_path / "new", saying=[said])
    recipe, columns = tagger_run.parent / "tagger.yaml", "[word, tag]"
    program.refuses(
        "fit", recipe, "--corpus.columns", columns, "--out", tmp_path / "run", saying=["name all by --corpus.col"]
    )
