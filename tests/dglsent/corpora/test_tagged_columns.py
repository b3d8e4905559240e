from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from written import load, write

from dglsent.corpora.tagged_columns import TaggedColumns
from graphs.errors import InputError, SentenceError

UD = """1\tAnn\tAnn\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_
2\tsings\tsing\tVERB\tVBZ\t_\t0\troot\t_\t_

1\tRome\tRome\tPROPN\tNNP\tNumber=Sing\t0\troot\t_\t_

"""


def test_tagged_columns(tmp_path):
    file = write(tmp_path, "a.txt", "Ann NNP B\nsings VBZ O\n\nRome NNP B\n")
    corpus = TaggedColumns(file, file, file, columns=("word", "pos", "tag"))
    first, second = load(corpus)["train"]
    assert corpus.labels == ("B", "O")
    assert first.sentences[0].labels == [0, 1]
    assert dict(second.sentences[0].unparsed.columns) == {"pos": ["NNP"]}


@pytest.mark.parametrize(("tag", "labels"), [("upos", ("PROPN", "VERB")), ("xpos", ("NNP", "VBZ"))])
def test_tags_of_conllu(tmp_path, tag, labels):
    file = write(tmp_path, "a.conllu", UD)
    corpus = TaggedColumns(file, file, file, tag=tag)
    first, second = load(corpus)["train"]
    assert corpus.labels == labels
    (sentence,) = first.sentences
    assert (sentence.labels, second.sentences[0].labels) == ([0, 1], [0])
    parse = sentence.dependencies
    assert (parse.words, parse.head.tolist(), parse.relation) == (["Ann", "sings"], [1, -1], ["nsubj", "root"])
    # What tells the class is not to be read.
    assert [parse.upos, parse.xpos, parse.feats] == [["_", "_"]] * 3


@pytest.mark.parametrize(
    ("tag", "labels", "gold"),
    [
        ("upos", ("NOUN", "PROPN"), [1, -1]),
        ("xpos", ("NN", "NNP"), [1, -1]),
        ("feats", ("Number=Sing", "_"), [0, 1]),
    ],
)
def test_a_word_of_conllu_without_a_part_of_speech_has_no_class(tmp_path, tag, labels, gold):
    file = write(tmp_path, "a.conllu", UD.replace("VERB\tVBZ", "_\t_").replace("Rome\tPROPN\tNNP", "Rome\tNOUN\tNN"))
    corpus = TaggedColumns(file, file, file, tag=tag)
    first = load(corpus)["train"][0]
    assert corpus.labels == labels
    assert first.sentences[0].labels == gold


def test_tags_of_conllu_that_training_does_not_have(tmp_path):
    file = write(tmp_path, "a.conllu", UD)
    other = write(tmp_path, "b.conllu", UD.replace("VERB", "AUX"))
    with pytest.raises(SentenceError, match=r"b\.conllu:1, .* 'AUX' is none of PROPN, VERB, the classes of .*a\.c"):
        load(TaggedColumns(file, file, other, tag="upos"))
    bare = write(tmp_path, "c.conllu", UD.replace("NNP", "_").replace("VBZ", "_"))
    with pytest.raises(InputError, match=r"c\.conllu: xpos of every word is '_'; name another --corpus\.tag"):
        load(TaggedColumns(bare, file, file, tag="xpos"))


def test_files_are_all_conllu_or_none(tmp_path):
    conllu, columns = write(tmp_path, "a.conllu", UD), write(tmp_path, "a.txt", "Ann NNP\n")
    with pytest.raises(InputError, match=r"a\.conllu: CoNLL-U, which has no column 'tag'; .* all of it, or none"):
        load(TaggedColumns(columns, conllu))
    with pytest.raises(InputError, match=r"a\.txt: no CoNLL-U, as .*a\.conllu is; .* all of it, or none"):
        load(TaggedColumns(conllu, columns, tag="xpos"))


def test_files_named_conll_are_columns_or_conllu(tmp_path):
    file = write(tmp_path, "a.conll", "Ann NNP B\nsings VBZ O\n\nRome NNP B\n")
    corpus = TaggedColumns(file, file, file, columns=("word", "pos", "tag"))
    first, second = load(corpus)["train"]
    assert first.sentences[0].labels == [0, 1]
    assert dict(second.sentences[0].unparsed.columns) == {"pos": ["NNP"]}
    upos = write(tmp_path, "b.conll.gz", "")
    Path(upos).write_bytes(gzip.compress(b"Ann PROPN\nsings VERB\n"))
    assert load(TaggedColumns(upos, upos, upos, columns=("word", "upos"), tag="upos"))["train"][0].targets == {}
    conllu = write(tmp_path, "c.conll", UD)
    (sentence,) = load(TaggedColumns(conllu, conllu, conllu, tag="upos"))["train"][0].sentences
    assert (sentence.labels, sentence.dependencies.head.tolist()) == ([0, 1], [1, -1])
    with pytest.raises(
        InputError, match=r"c\.conll:1, .*10 columns, expected 2; .*, or of CoNLL-U give --corpus\.tag u"
    ):
        load(TaggedColumns(conllu, conllu, conllu))


def test_a_tagger_reads_dependency_trees(tmp_path, program):
    write(tmp_path, "a.conllu", UD * 3)
    (tmp_path / "tagger.yaml").write_text(
        f"""
corpus: {{class_path: TaggedColumns, init_args: {{train: {tmp_path}/a.conllu, dev: {tmp_path}/a.conllu,
    test: {tmp_path}/a.conllu, tag: upos}}}}
graph: dependency
encoder: {{class_path: ChildSumTreeLSTM, init_args: {{hidden: 8}}}}
task: Tagging
embedding: {{dim: 8, min_count: 1}}
optimiser: {{lr: 0.5}}
training: {{epochs: 8}}
"""
    )
    code, out, _ = program("fit", tmp_path / "tagger.yaml", "--out", tmp_path / "run")
    assert code == 0
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["test"]["accuracy"] == 1.0
    code, out, _ = program("predict", tmp_path / "run", tmp_path / "a.conllu")
    assert json.loads(out.splitlines()[0])["tags"] == ["PROPN", "VERB"]
    program.refuses(
        "fit", tmp_path / "tagger.yaml", "--graph", "constituency", saying=["a.conllu:1", "choose a dependency graph"]
    )


def test_columns_that_make_no_corpus(tmp_path):
    one = write(tmp_path, "one.tsv", "text\tlabel\na\tx\n")
    with pytest.raises(ValueError, match=r"corpus\.tag: no column 'ner' among tag"):
        TaggedColumns(one, one, tag="ner")
    for tag in ("word", ""):
        with pytest.raises(ValueError, match=rf"corpus\.tag: no column '{tag}' among pos"):
            TaggedColumns(one, one, columns=("word", "pos", ""), tag=tag)
    with pytest.raises(ValueError, match=r"corpus\.columns is 'word tag'; give a list of names"):
        TaggedColumns(one, one, columns="word tag")
    conllu = write(tmp_path, "a.conllu", UD)
    with pytest.raises(ValueError, match=r"corpus\.tag: no column 'tag' among upos, xpos, feats"):
        TaggedColumns(conllu, conllu)
    tags = write(tmp_path, "tags.txt", "the DT O\nfilm NN B\n")
    with pytest.raises(InputError, match=r"a\.conllu: CoNLL-U, which has no column 'tag'"):
        load(TaggedColumns(tags, conllu, columns=("word", "pos", "tag")))
    with pytest.raises(InputError, match=r"tags\.txt:1, .*3 columns, expected 2; .* by --corpus\.columns, as \[word"):
        load(TaggedColumns(tags, tags, tags))
