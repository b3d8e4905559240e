from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from written import load, write

from dglsent.corpora.labelled import LabelledPairs, LabelledText, LabelledTrees
from dglsent.training.graphs import shape
from graphs.errors import InputError

TABLES = {
    "a.tsv": "label\ttext\nyes\tGood, isn't it?\nno\t(NP (DT a) (NN film))\n",
    "a.csv": 'label,text\nyes,"Good, isn\'t it?"\nno,(NP (DT a) (NN film))\n',
    "a.jsonl": '{"label": "yes", "text": "Good, isn\'t it?"}\n\n{"label": "no", "text": "(NP (DT a) (NN film))"}\n',
}
LONG = "x" * (1 << 23)
CONLLU = "# label = {}\n1\tgood\t_\tADJ\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize("name", TABLES)
def test_labelled_text_of_tables(name, tmp_path):
    file = write(tmp_path, name, TABLES[name])
    corpus = LabelledText(file, file, file)
    splits = load(corpus)
    assert corpus.labels == ("no", "yes")
    for examples in splits.values():
        first, second = examples
        assert first.sentences[0].unparsed.words == ["Good", ",", "is", "n't", "it", "?"]
        assert second.sentences[0].constituency.words == ["a", "film"]
        assert [one.targets["label"] for one in examples] == [1, 0]
        assert second.sentences[0].origin.line == (4 - 1 if name == "a.jsonl" else 3)


def sentences(folder, *cells):
    """What cells of one column are read as."""
    file = write(folder, "cells.tsv", "text\tlabel\n" + "".join(f"{cell}\t{i}\n" for i, cell in enumerate(cells)))
    return [one.sentences[0] for one in load(LabelledText(file, file, file))["train"]]


TEXTS = ["(Laughs) what a film (really)", "(: nice film (:)", "(I (really) liked it)", "(Laughs)"]


def test_text_in_brackets_is_text(tmp_path):
    texts = [*TEXTS, "(Somebody sings)", "(a b) (c d)", "(A man) sings.", "(I (really did) like it"]
    read = sentences(tmp_path, *texts)
    assert ["".join(one.unparsed.words) for one in read] == [text.replace(" ", "") for text in texts]
    *read, tree = sentences(tmp_path, *TEXTS, "(S (A a) (B b))")
    assert ["".join(one.unparsed.words) for one in read] == [text.replace(" ", "") for text in TEXTS]
    assert tree.constituency.words == ["a", "b"]


def test_a_tree_of_one_word_is_one_among_trees(tmp_path):
    for one in ("(3 good)", "( 3  good )"):
        good, other = sentences(tmp_path, one, "(1 (1 bad) (2 film))")
        assert (good.constituency.label, good.constituency.words) == (["3"], ["good"])
        assert other.constituency.words == ["bad", "film"]
    file = write(tmp_path, "one.tsv", "text\tlabel\n(UH Yes)\t1\n")
    trees = write(tmp_path, "trees.tsv", "text\tlabel\n(S (A a) (B b))\t0\nx\t1\n")
    (said,) = load(LabelledText(trees, file, trees))["test"]
    assert said.sentences[0].constituency.words == ["Yes"]
    more = write(tmp_path, "more.tsv", "text\tlabel\n(UH Yes)\t1\n(UH No)\t0\n")
    train = load(LabelledText(more, trees, more))["train"]  # trees are in the test split alone
    assert [said.sentences[0].constituency.label for said in train] == [["UH"], ["UH"]]
    pairs = write(tmp_path, "pairs.tsv", "first\tsecond\tscore\n(UH Yes)\t(S (A a) (B b))\t1\n")
    (said,) = load(LabelledPairs(pairs, pairs, pairs, score="score"))["test"]
    assert [one.constituency.words for one in said.sentences] == [["Yes"], ["a", "b"]]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("(S (A a)", "1 bracket is not closed"),
        ("(S", "1 bracket is not closed"),
        ("(S (A a)))", "a closing bracket without an opening one"),
        ("(S (A a)) (S (B b))", "2 trees in one cell"),
        ("(S (A a b) (B c))", "a bracket with 2 words"),
        ("(S a b)", "a bracket with 2 words"),
    ],
)
def test_a_broken_tree_is_not_read_as_text(cell, said, tmp_path):
    with pytest.raises(InputError, match=rf"cells\.tsv:3, sentence 2: {said}"):
        sentences(tmp_path, "(S (A a) (B b))", cell)


def test_labelled_text_of_conllu_and_gzip(tmp_path):
    file = tmp_path / "a.conllu.gz"
    file.write_bytes(gzip.compress((CONLLU.format("b") + CONLLU.format("a")).encode()))
    splits = load(LabelledText(str(file), str(file), str(file)))
    assert [one.targets["label"] for one in splits["test"]] == [1, 0]
    assert splits["test"][0].sentences[0].dependencies.words == ["good"]
    text = "".join(f"# label = x\n{CONLLU.replace('label', 'polarity').format(name)}" for name in "ba")
    named = write(tmp_path, "named.conllu", text)
    splits = load(LabelledText(named, named, named, label="polarity"))
    assert [one.targets["label"] for one in splits["test"]] == [1, 0]


def test_labelled_text_that_was_tagged_alone(tmp_path, program):
    words = "1\tgood\t_\t_\tJJ\t_\t_\t_\t_\t_\n2\tfilm\t_\t_\tNN\t_\t_\t_\t_\t_\n\n"
    file = write(tmp_path, "a.conllu", "".join(f"# label = {label}\n{words}" for label in "abba"))
    text = f"""
corpus: {{class_path: LabelledText, init_args: {{train: {file}, dev: {file}, test: {file}}}}}
graph: chain
embedding: {{dim: 4}}
encoder: {{class_path: BagOfWords, init_args: {{hidden: 4}}}}
task: {{class_path: Classification, init_args: {{classes: 2}}}}
training: {{epochs: 1}}
"""
    own = write(tmp_path, "own.yaml", text)
    assert program("fit", own, "--out", tmp_path / "run")[0] == 0
    tags = json.loads((tmp_path / "run/vocabularies.json").read_text())["tag"]["strings"]
    assert tags == ["JJ", "NN"]
    program.refuses(
        "fit", own, "--graph", "dependency", "--encoder", "ChildSumTreeLSTM", "--out", tmp_path / "other",
        saying=["a.conllu:1, sentence 1: the sentence has no heads, perhaps tags alone; parse it"],
    )  # fmt: skip


def test_labelled_trees(tmp_path):
    file = write(tmp_path, "a.txt", "(10 (_ a) (2 good))\n(2 (2 a) (10 bad))\n")
    corpus = LabelledTrees(file, file, file)
    first, _ = load(corpus)["train"]
    assert corpus.labels == ("2", "10")
    assert (first.targets["label"], list(first.sentences[0].labels)) == (1, [1, -1, 0])
    assert set(first.sentences[0].constituency.label) == {""}


def test_pairs(tmp_path):
    file = write(tmp_path, "a.tsv", "a\tb\tlabel\tscore\nx y\tz\tno\t2.5\nx\tz w\tyes\t4\n")
    classes = load(LabelledPairs(file, file, file, first="a", second="b"))["test"]
    assert [one.targets for one in classes] == [{"label": 0}, {"label": 1}]
    scores = load(LabelledPairs(file, file, file, first="a", second="b", score="score"))["test"]
    assert [one.targets for one in scores] == [{"score": 2.5}, {"score": 4.0}]
    assert [one.unparsed.words for one in scores[1].sentences] == [["x"], ["z", "w"]]


@pytest.mark.parametrize("score", ["high", "nan", "1e999", "-1e999"])
def test_a_score_that_is_no_finite_number_is_told_by_its_line(score, tmp_path):
    """Those of test too, with which scores of the whole split would be no numbers."""
    good = write(tmp_path, "a.tsv", "first\tsecond\tscore\nx\tz\t1\nx\tz\t2\n")
    wrong = write(tmp_path, "b.tsv", f"first\tsecond\tscore\nx\tz\t1\nx\tz\t{score}\n")
    with pytest.raises(InputError, match=rf"b\.tsv:3, sentence 2: score '{score}' is no number$"):
        load(LabelledPairs(good, wrong, good, score="score"))


def test_a_decimal_comma_is_told(tmp_path):
    file = write(tmp_path, "a.csv", 'first,second,rated\nx,z,2.5\nx,z,"3,5"\n')
    with pytest.raises(InputError, match=r"rated '3,5' is no number; a decimal point is expected: 3\.5$"):
        load(LabelledPairs(file, file, file, score="rated"))


def test_dev_is_a_tenth_of_train(tmp_path):
    file = write(tmp_path, "a.tsv", "text\tlabel\n" + "a b\tx\nc\ty\n" * 100)
    splits = load(LabelledText(file, file))
    assert len(splits["train"]) + len(splits["dev"]) == len(splits["test"]) == 200
    assert 5 < len(splits["dev"]) < 40


@pytest.mark.parametrize("score", [None, "score"])
def test_without_dev_train_must_have_a_tenth(score, tmp_path):
    file = write(tmp_path, "a.tsv", "first\tsecond\tlabel\tscore\na\tb\tx\t1\nc\td\ty\t2\n")
    with pytest.raises(
        InputError, match=r"corpus\.dev: not given, .* 2 examples .* leaves dev empty; give corpus\.dev"
    ):
        load(LabelledPairs(file, file, score=score))
    empty = write(tmp_path, "empty.tsv", "first\tsecond\tscore\n")
    with pytest.raises(InputError, match=r"empty\.tsv: has no examples; corpus\.train names it"):
        load(LabelledPairs(empty, file, score="score"))


def test_long_cells_and_columns_that_are_not_read(tmp_path):
    long = "word " * 40_000
    file = write(tmp_path, "a.csv", f"text,label,,\n{long},x,,\nb,y,,\n")
    first, _ = load(LabelledText(file, file, file))["train"]
    assert len(first.sentences[0].unparsed.words) == 40_000
    lines = [{"text": text, "label": label, "annotators": [1, None]} for text, label in (("a", 1), ("b", True))]
    file = write(tmp_path, "a.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    corpus = LabelledText(file, file, file)
    load(corpus)
    assert corpus.labels == ("1", "true")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.tsv", "text\tlabel\na\tx\nb\tz\n", r"bad-a\.tsv:3, .*class 'z' is none of those of training: x, y"),
        ("a.tsv", "text\tlabel\na\n", r"bad-a\.tsv:2, .*1 cells, and 2 columns"),
        ("a.tsv", "text\tlabel\n \tx\n", r"bad-a\.tsv:2, .*column 'text' is blank; fill it, or delete the row$"),
        ("a.tsv", "words\tlabel\na\tx\n", r"no column 'text'; there are words, label; .* --corpus\.label$"),
        ("a.tsv", "text\tlabel\n", r"bad-a\.tsv: has no examples; corpus\.dev names it"),
        ("a.jsonl", "{\n", r"bad-a\.jsonl:1, .*not a line of JSON"),
        ("a.jsonl", '{"text": "a", "label": "x", "text": "b"}\n', r"bad-a\.jsonl:1, .*'text' stands there twice"),
        ("a.jsonl", "[]\n", r"bad-a\.jsonl:1, .*no object of JSON"),
        ("a.xls", "", r"bad-a\.xls: no table; its name should end in \.tsv"),
        ("a.jsonl", '{"text": "a", "label": null}\n', r"bad-a\.jsonl:1, .*column 'label' is blank"),
        ("a.jsonl", '{"text": "a", "label": NaN, "score": NaN}\n', r"bad-a\.jsonl:1, .*column 'label' is blank"),
        ("a.jsonl", '{"text": "a \\ud83d", "label": "x"}\n', r"bad-a\.jsonl:1, .*column 'text' has .*ud83d', half"),
        ("a.jsonl", '{"text": null, "label": "x"}\n', r"bad-a\.jsonl:1, .*column 'text' is blank"),
        ("a.jsonl", '{"text": ["a"], "label": "x"}\n', r"bad-a\.jsonl:1, .*column 'text' is a list; give text or"),
        ("a.jsonl", '{"text": "a", "label": {"a": 1}}\n', r"bad-a\.jsonl:1, .*column 'label' is an object; give"),
        ("a.csv", 'text,label\n"a,x\nb" c,y\na,x\n', r"bad-a\.csv:2, sentence 1: no row of CSV \('"),
        (
            "a.csv",
            'text,label\n\na,x\n"b,x\nc,y\n',
            r"bad-a\.csv:4, sentence 2: no row of CSV \(unexpected end.*, up to line 5\)",
        ),
        ("a.csv", "text;label\na;x\n", r"no column 'text'; there are text;label, read as one: .* a comma in \.csv"),
        ("a.csv", "sep=;\ntext;label\na, b;x\n", r"no column 'text'; there are sep=;, read as one: "),
        ("a.csv", "text;label\na, b;x\n", r"bad-a\.csv:2, .*2 cells, and 1 columns: text;label, read as one: "),
        ("a.csv", 'text;label\n"a; b";x\n', r"bad-a\.csv:2, .*no row of CSV .* text;label, read as one: .* a comma in"),
        ("a.tsv", "text,label\na,x\n", r"there are text,label, read as one: .* a tab in \.tsv; other columns"),
        ("a.csv", 'text,"lab"el\na,x\n', r"bad-a\.csv:1: no row of CSV"),
        ("a.csv", f'text,label\n"{LONG}\n{LONG}",x\n', r"bad-a\.csv:2, sentence 1: no row of CSV \(field larger"),
        ("a.csv", 'text,label\na,x\n"a\n\nb",z\n', r"bad-a\.csv:3, sentence 2: class 'z'"),
        ("a.csv", "text,label,label\na,x,y\n", r"bad-a\.csv:1: column 'label' is named twice"),
        ("a.tsv", "\ntext\ttext\tlabel\na\tb\tx\n", r"bad-a\.tsv:2: column 'text' is named twice"),
        ("a.conllu", CONLLU.format("x").replace("label", "class"), r"no comment `# label = CLASS`"),
    ],
)
def test_errors_name_file_and_line(name, text, said, tmp_path):
    train = write(tmp_path, "train.tsv", "text\tlabel\na\tx\nb\ty\n")
    with pytest.raises(InputError, match=said):
        load(LabelledText(train, train, write(tmp_path, f"bad-{name}", text)))


def test_a_character_that_nobody_sees_is_shown_in_the_classes_of_training(tmp_path):
    train = write(tmp_path, "train.tsv", "text\tlabel\na\t\u200bgood\nb\tso so\n")
    test = write(tmp_path, "test.tsv", "text\tlabel\na\tgood\n")
    with pytest.raises(InputError, match=r"class 'good' is none of those of training: so so, '\\u200bgood'$"):
        load(LabelledText(train, test, train))


def test_options_name_columns_of_training_and_none_of_a_trained_model(tmp_path):
    file = write(tmp_path, "a.csv", "a,b,rating\nx,y,3\ny,x,1\n")
    said = r"a\.csv:2, sentence 1: no column '(first|label)'; there are a, b, rating"
    with pytest.raises(InputError, match=rf"{said}; other columns are named by options, such as --corpus\.label$"):
        load(LabelledPairs(file, file))
    with pytest.raises(InputError, match=rf"{said}$"):
        LabelledPairs("gone", "gone").of_file(Path(file), ["3"])


def test_what_makes_no_corpus(tmp_path):
    one = write(tmp_path, "one.tsv", "text\tlabel\na\tx\n")
    with pytest.raises(InputError, match=r"names 1 class; a corpus has at least 2"):
        load(LabelledText(one, one, one))
    with pytest.raises(InputError, match=r"none\.tsv: no such file; corpus\.test names it"):
        load(LabelledText(one, str(tmp_path / "none.tsv"), one))
    with pytest.raises(InputError, match=rf"{tmp_path}: no plain file but a folder, .*; corpus\.test names it"):
        load(LabelledText(one, str(tmp_path), one))
    trees = write(tmp_path, "trees.txt", "(1 (0 a) (1 b))\n(_ (0 a) (1 b))\n")
    with pytest.raises(InputError, match=r"trees\.txt:2, .*the root has no class"):
        load(LabelledTrees(trees, trees, trees))


def test_quotation_marks_of_tsv(tmp_path):
    """Programs double those within a cell in quotes; else they are text."""
    cells = ['"He said ""good"" twice."', '"Good."', 'a "good" film', '"Good" and "bad"', '"A ""b"" "c"', '""""']
    file = write(tmp_path, "a.tsv", "label\ttext\n" + "".join(f"{i}\t{cell}\n" for i, cell in enumerate(cells)))
    words = [one.sentences[0].unparsed.words for one in load(LabelledText(file, file, file))["train"]]
    assert ["".join(each) for each in words] == [
        'Hesaid"good"twice.', '"Good."', 'a"good"film', '"Good"and"bad"', '"A""b"""c"', '"'
    ]  # fmt: skip
    file = write(tmp_path, "b.tsv", "label\ttext\n1\tgood\n2\n")
    with pytest.raises(InputError, match=r"2 columns: label, text$"):
        load(LabelledText(file, file, file))
    file = write(tmp_path, "c.tsv", 'text\tlabel\ngood\t1\n"bad\nfilm"\t2\n')
    with pytest.raises(InputError, match=r"c\.tsv:3, sentence 2: 1 cells, .* goes on in the next line is for \.csv"):
        load(LabelledText(file, file, file))


def test_what_needs_trees_names_a_remedy_that_is_one(tmp_path):
    text = write(tmp_path, "text.tsv", "label\ttext\n1\tgood\n2\tbad\n")
    (one, *_) = load(LabelledText(text, text, text))["train"]
    with pytest.raises(InputError, match=r"dependency trees; of a table `dglsent build .* CoNLL-U"):
        shape("dependency", one.sentences[0])
    pairs = write(tmp_path, "pairs.tsv", "label\tfirst\tsecond\n1\tgood\tbad\n2\tbad\tgood\n")
    (one, *_) = load(LabelledPairs(pairs, pairs, pairs))["train"]
    with pytest.raises(InputError, match=r"dependency trees; `dglsent build (?!.*CoNLL-U)"):
        shape("dependency", one.sentences[0])


def test_a_further_file_is_read_with_the_classes_of_a_model(tmp_path):
    file = write(tmp_path, "a.csv", "text,label\ngood,yes\nbad,no\n")
    other = write(tmp_path, "b.csv", "text,label\nfine,yes\n")
    corpus = LabelledText("not there", "nor this")
    (found,) = corpus.of_file(Path(other), ["no", "yes"])
    assert found.targets == {"label": 1}
    assert [one.targets["label"] for one in corpus.of_file(Path(file), ["no", "perhaps", "yes"])] == [2, 0]
    with pytest.raises(InputError, match=r"b\.csv:2, sentence 1: class 'yes' is none of those of training: no"):
        corpus.of_file(Path(other), ["no"])
    with pytest.raises(InputError, match=r"empty\.csv: has no examples"):
        corpus.of_file(Path(write(tmp_path, "empty.csv", "text,label\n")), ["no", "yes"])
    with pytest.raises(InputError, match=r"nowhere\.csv: no such file"):
        corpus.of_file(tmp_path / "nowhere.csv", ["no", "yes"])


def test_csv_is_read_elsewhere_as_before(tmp_path):
    """How long a cell may be is said to the whole process."""
    csv.field_size_limit(limit := 131_072)  # that of Python, whatever was read before
    file = write(tmp_path, "a.csv", f"text,label\n{'x' * (limit + 1)},1\ngood,2\n")
    assert len(load(LabelledText(file, file, file))["train"]) == 2
    broken = write(tmp_path, "b.csv", 'text,label\n"good"x,1\n')
    with pytest.raises(InputError, match="no row of CSV"):
        load(LabelledText(broken, broken, broken))
    assert csv.field_size_limit() == limit
