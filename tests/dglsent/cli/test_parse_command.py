from __future__ import annotations

import gzip
import importlib
import io
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from background import Background

import graphs
from dglsent.corpora.texts import _HOMES, corpora_with_texts
from graphs.formats.brackets import read_brackets
from graphs.formats.conllu import read_conllu
from graphs.parse_cache import ParseCache

LINES = ["The kids (all) sleep. So do I.", "", "It's 1/2 past nine.", "w " * 20, "Good night!"]


@pytest.fixture
def options(stanza_dir, tmp_path):
    return ["--stanza-dir", stanza_dir, "--cache", tmp_path / "cache", "--device", "cpu", "--max-tokens", 15]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def written(out: Path):
    return read_conllu(f"{out}.conllu.gz"), read_brackets(f"{out}.brackets.gz", unescape=True)


def test_lines_keep_their_numbers(program, file, options, tmp_path):
    out = tmp_path / "new" / "parsed"
    code, said, progress = program("parse", file, out, *options)
    assert code == 1
    assert said == f"{out}.conllu.gz, {out}.brackets.gz: 3 sentences, 2 failed (listed in {out}.failed.txt)\n"
    assert "parsed: 5/5 sentences, " in progress
    assert "/s, 2 failed" in progress
    sentences, trees = written(out)
    assert [sentence.origin.sentence for sentence in sentences] == ["1", "3", "5"]
    assert [tree.origin.line for tree in trees] == [1, 3, 5]
    assert [sentence.words for sentence in sentences] == [tree.words for tree in trees]
    assert sentences[0].words == ["The", "kids", "(", "all", ")", "sleep", ".", "So", "do", "I", "."]
    assert sentences[1].comments == ["sent_id = 3", "text = It's 1/2 past nine."]
    assert Path(f"{out}.failed.txt").read_text().splitlines() == [
        "2\tthe sentence has no words",
        "4\tover 15 tokens (max_tokens); `dglsent parse --max-tokens` takes another limit",
    ]
    assert sorted(path.name for path in out.parent.iterdir()) == [
        "parsed.brackets.gz",
        "parsed.conllu.gz",
        "parsed.failed.txt",
    ]


def test_again_gives_the_same_bytes_and_forgets_old_failures(program, file, options, tmp_path):
    out = tmp_path / "parsed"
    assert program("parse", file, out, *options)[0] == 1
    kinds = ("conllu.gz", "brackets.gz")
    before = [Path(f"{out}.{kind}").read_bytes() for kind in kinds]
    assert program("parse", file, tmp_path / "again", *options)[0] == 1
    assert [Path(f"{tmp_path / 'again'}.{kind}").read_bytes() for kind in kinds] == before
    file.write_text("Good night!\n")
    code, said, _ = program("parse", file, out, *options)
    assert (code, said) == (0, f"{out}.conllu.gz, {out}.brackets.gz: 1 sentences\n")
    assert not Path(f"{out}.failed.txt").exists()


def test_tags_alone(program, file, options, tmp_path):
    out = tmp_path / "out"
    assert program("parse", file, out, *options)[0] == 1
    code, said, _ = program("parse", file, out, "--tags", *options)
    assert (code, said) == (1, f"{out}.tags.conllu.gz: 3 sentences, 2 failed (listed in {out}.tags.failed.txt)\n")
    assert Path(f"{out}.tags.failed.txt").read_text() == Path(f"{out}.failed.txt").read_text()
    tagged, (sentences, _) = read_conllu(f"{out}.tags.conllu.gz"), written(out)
    for tags, sentence in zip(tagged, sentences, strict=True):
        for name in ("word", "upos", "xpos", "feats", "comments"):
            assert list(getattr(tags, name)) == list(getattr(sentence, name))
    assert program("parse", f"{out}.tags.conllu.gz", tmp_path / "again", "--input", "conllu", *options)[0] == 0
    assert [one.head.tolist() for one in written(tmp_path / "again")[0]] == [one.head.tolist() for one in sentences]


def test_tokens_stay_as_they_are(program, options, tmp_path):
    file = tmp_path / "in.gz"
    with gzip.open(file, "wt", encoding="utf-8") as packed:
        packed.write("Kids don't sleep . Good  night\na\xa0b -LRB- \\/ :-RSB-\n")
    assert program("parse", file, tmp_path / "out", "--input", "tokens", *options)[0] == 0
    sentences, trees = written(tmp_path / "out")
    assert [sentence.words for sentence in sentences] == [
        ["Kids", "don't", "sleep", ".", "Good", "night"],
        ["a\xa0b", "(", "\\/", ":]"],
    ]
    assert [tree.words for tree in trees] == [sentence.words for sentence in sentences]


def test_running_text_is_split_at_sentences_and_blank_lines(program, options, tmp_path, monkeypatch):
    text = "\nThe kids sleep. They\nare tired.\n \n\nA title\n\nGood night!"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert program("parse", "-", tmp_path / "out", "--input", "text", *options)[0] == 0
    sentences, _ = written(tmp_path / "out")
    assert [" ".join(sentence.words) for sentence in sentences] == [
        "The kids sleep .",
        "They are tired .",
        "A title",
        "Good night !",
    ]


def test_wrong_arguments_are_one_line(program, file, tmp_path):
    program.refuses("parse", tmp_path / "no.txt", tmp_path / "out", saying=["no.txt", "no such file", "quora"])
    program.refuses("parse", tmp_path, tmp_path / "out", saying=[f"{tmp_path}: a folder and no file", "quora"])
    program.refuses("parse", file, saying=["OUT"])
    program.refuses("parse", file, tmp_path / "o", "--max-tokens", "0", saying=["max-tokens"])
    empty = tmp_path / "empty"
    empty.mkdir()
    arguments = ["parse", file, tmp_path / "o", "--cache", tmp_path / "cache"]
    program.refuses(*arguments, "--stanza-dir", empty, saying=["resources.json", "no list of Stanza's models"])
    file.write_bytes(b"\xff\xfe\xff")
    program.refuses(*arguments, saying=[str(file), "not UTF-8"])
    assert not list(tmp_path.glob("o.*"))


def test_every_corpus_with_texts_is_there(data_dir):
    """The corpora are where the table says, and offer what it says."""
    assert corpora_with_texts().keys() == _HOMES.keys()
    for name, (module, corpus, *_) in _HOMES.items():
        texts = getattr(importlib.import_module(module), corpus).texts
        assert callable(texts), name


def test_a_corpus_is_parsed_whole(program, options, data_dir, tmp_path):
    """The first questions of TREC. All but a few are put into the cache beforehand, so that this takes seconds."""
    stanza_dir, data = options[1], tmp_path / "data"
    (data / "trec").mkdir(parents=True)
    for split in ("train", "test"):
        whole = (data_dir / "mr_subj_trec" / "qc" / f"{split}.txt").read_bytes()
        (data / "trec" / f"{split}.txt").write_bytes(b"".join(whole.splitlines(keepends=True)[:200]))
    texts = corpora_with_texts()["trec"](data)
    assert {name: len(some) for name, some in texts.items()} == {"trec-train": 200, "trec-test": 200}
    fill(tmp_path / "cache", stanza_dir, [text for some in texts.values() for text in some[3:]])
    options[-1] = 400
    code, said, _ = program("parse", "trec", tmp_path / "out", "--data", data, *options, "--input", "text")
    assert (code, said.count("\n")) == (0, 2)
    for name, some in texts.items():
        sentences, trees = written(tmp_path / "out" / name)
        assert [sentence.origin.sentence for sentence in sentences] == [str(i + 1) for i in range(len(some))]
        assert len(trees) == len(some)
        for text, sentence in zip(some, sentences, strict=True):
            assert "".join(sentence.words) == "".join(text.split())


def fill(folder: Path, stanza_dir: Path, texts) -> None:
    """Puts a false parse of each text into a cache, by one true one."""
    from graphs.bulk import key, packed
    from graphs.parsing import _record
    from graphs.stanza_models import models

    (true,) = graphs.parse([["w"]], stanza_dir=stanza_dir, cache=folder)
    false = {}
    for text in texts:
        true.dependencies.word = ["".join(text.split())]
        false[key(models(stanza_dir), text)] = packed(_record((true.dependencies, true.constituency)))
    ParseCache(folder).put(false)


def test_interrupted_it_says_how_to_go_on(stanza_dir, tmp_path):
    file = tmp_path / "in.txt"
    file.write_text("".join(f"The kid number {i} has {i} {'very ' * (i % 50)}old books .\n" for i in range(5000)))
    arguments = ["parse", file, tmp_path / "out", "--stanza-dir", stanza_dir, "--cache", tmp_path / "cache"]
    process = Background(arguments, tmp_path / "said")
    while "\n" not in process.said:
        assert process.code is None
        time.sleep(0.01)
    process.strike(signal.SIGINT)
    assert process.wait() == 130
    assert process.said == (
        "out: 0/5000 sentences, 0 failed\n"
        "\ndglsent: stopped; what is parsed is kept; to go on: dglsent " + " ".join(map(str, arguments)) + "\n"
    )
    assert not list(tmp_path.glob("out*"))


def test_tagged_sentences_keep_their_tags_and_their_numbers(program, options, tmp_path):
    rows = ["1\tThey\t_\tPRON\tPRP\t_\t_\t_\t_\t_", "2\tduck\tquack\tVERB\tVBP\t_\t7\t_\t_\t_"]
    blocks = [
        "# label = 1\n# sent_id_there = a\n" + "\n".join(rows),
        "1\tthree\tcolumns",
        rows[0].replace("They", "-LRB-"),
    ]
    (tmp_path / "in.conllu").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    assert program("parse", tmp_path / "in.conllu", out, "--input", "conllu", *options)[0] == 1
    sentences, trees = written(out)
    assert sentences[0].comments == ["sent_id = 1", "text = They duck", "label = 1", "sent_id_there = a"]
    assert [list(getattr(sentences[0], name)) for name in ("upos", "xpos", "lemma")] == [
        ["PRON", "VERB"],
        ["PRP", "VBP"],
        ["they", "quack"],
    ]
    assert sorted(sentences[0].head) == [-1, 1]
    assert [sentence.origin.sentence for sentence in sentences] == ["1", "3"]
    assert sentences[1].words == trees[1].words == ["("]
    assert Path(f"{out}.failed.txt").read_text() == "2\tline 6: 3 columns, expected 10 separated by tabs\n"


@pytest.mark.parametrize("name", ["reviews.csv", "reviews.json", "reviews.json.gz"])
def test_a_table_is_not_parsed_line_by_line(name, tmp_path, program):
    table = tmp_path / name
    table.write_text("text,label\na good film,pos\n")
    program.refuses("parse", table, tmp_path / "out", saying=[f"{name}: a table", "`dglsent build`"])


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_table_that_no_name_tells_is_not_parsed_line_by_line(separator, tmp_path, program):
    (tmp_path / "in.txt").write_text("text,label\na good film,pos\n".replace(",", separator))
    said = ["in.txt:1: text, label look like names of columns", "`dglsent build`", "--input lines"]
    program.refuses("parse", tmp_path / "in.txt", tmp_path / "out", saying=said)
    assert list(tmp_path.iterdir()) == [tmp_path / "in.txt"]


def test_lines_that_look_like_a_table_are_parsed_where_they_are_said_to_be_sentences(program, options, tmp_path):
    (tmp_path / "in.txt").write_text("Yes,sir\nNo,madam\n")
    out = tmp_path / "out"
    assert program("parse", tmp_path / "in.txt", out, "--tags", "--input", "lines", *options)[0] == 0
    sentences = read_conllu(f"{out}.tags.conllu.gz")
    assert [sentence.comments[-1] for sentence in sentences] == ["text = Yes,sir", "text = No,madam"]


def test_a_token_a_line_is_not_taken_for_sentences(program, options, tmp_path):
    """As CoNLL-2003's eng.testb, whose tags would be parsed as words."""
    (tmp_path / "eng.testb").write_text("EU NNP B-ORG\nacts VBZ O\n. . O\n\nAnn NNP B-PER\nsings VBZ O\n. . O\n")
    command = ("parse", tmp_path / "eng.testb", tmp_path / "out")
    program.refuses(*command, saying=["eng.testb: 3 columns in every line", "--input tokens", "--input lines"])
    assert program(*command, "--tags", "--input", "lines", *options)[0] == 1  # for the line that is blank
    assert len(read_conllu(f"{tmp_path / 'out'}.tags.conllu.gz")) == 6


@pytest.mark.parametrize(
    ("name", "said"),
    [("a.conllu.gz", "parses, and not text; add --input conllu"), ("a.ptb", "parses, and not text; give")],
)
def test_parses_are_not_taken_for_text(name, said, tmp_path, program):
    (tmp_path / name).write_text("")
    program.refuses("parse", tmp_path / name, tmp_path / "out", "--tags", saying=[f"{tmp_path / name}: {said}"])


@pytest.mark.parametrize("form", ["lines", "text"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(Laughs)\n\n (2 (2 A) (3 (4 good) (2 film)))\n", "a tree in brackets, and not text; give its text, or"),
        ("# text = Go\n\n1\tGo\t_\t_\tVB\t_\t0\troot\t_\t\n", "a word of CoNLL-U, and not text; give its text, or"),
        (
            "\n\n1\tGo\t_\tVB\tVB\t_\t0\troot\n",
            "8 columns, the first a number, as words of CoNLL have, and not text; give",
        ),
        ("\n\n1\tGo" + "\t_" * 13 + "\n", "15 columns, the first a number, as words of CoNLL have, and not text; give"),
        (
            "index\ttext\n\n7\tGo!" + "\tyes" * 10 + "\n",
            "12 columns, the first a number, as words of CoNLL have, and not",
        ),
        ("Go\n\n(<T N/N 0 1> (<L (N/N)/N VB VB Go N>) ) \n", "a derivation of CCGbank, and not text; give its"),
    ],
)
def test_parses_without_a_name_of_theirs_are_not_taken_for_text(text, said, form, tmp_path, program):
    """As SST's train.txt, whose brackets and classes would be parsed as words."""
    (tmp_path / "train.txt").write_text(text)
    told = [f"train.txt:3: {said}"]
    program.refuses("parse", tmp_path / "train.txt", tmp_path / "out", "--input", form, saying=told)


@pytest.mark.parametrize("form", ["lines", "text"])
def test_trees_over_several_lines_are_not_taken_for_text(form, tmp_path, program):
    """As treebanks have them."""
    (tmp_path / "trees.txt").write_text("(S\n  (NP (NN film))\n  (VP (VBD worked)))\n\n(S\n  (VB go))\n")
    told = ["trees.txt:2: a tree in brackets, and not text"]
    program.refuses("parse", tmp_path / "trees.txt", tmp_path / "out", "--input", form, saying=told)
    (tmp_path / "trees.txt").write_text("(S\n  (NN film)\n  (VBD worked)\n)\n")
    told = ["trees.txt: trees in brackets, and not text; give its text"]
    program.refuses("parse", tmp_path / "trees.txt", tmp_path / "out", "--input", form, saying=told)


@pytest.mark.parametrize(
    ("name", "out"), [("gold.conllu.gz", "gold"), ("gold.tags.conllu.gz", "gold"), ("a.failed.txt", "./a")]
)
def test_its_input_is_not_overwritten(name, out, tmp_path, program, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = b"1\tI\t_\t_\t_\t_\t0\tmygold\t_\t_\n\n"
    before = gzip.compress(before) if name.endswith(".gz") else before
    Path(name).write_bytes(before)
    options = ["--input", "conllu", *(["--tags"] if "tags" in name else [])]
    program.refuses("parse", name, out, *options, saying=[f"{name}: would be overwritten; choose another OUT"])
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("out", [".", "..", "/"])
def test_files_want_a_name(out, file, program):
    program.refuses("parse", file, out, saying=[f"{out}: OUT is how names of files begin"])


def test_a_tree_that_cannot_be_written_costs_no_dependencies(program, options, tmp_path):
    row = "1\t{}\t_\tPUNCT\t(\t_\t_\t_\t_\t_\n\n"
    (tmp_path / "in.conllu").write_text(row.format("(") + row.format("New York"), encoding="utf-8")
    out = tmp_path / "out"
    assert program("parse", tmp_path / "in.conllu", out, "--input", "conllu", *options)[0] == 1
    sentences, trees = written(out)
    assert [sentence.words for sentence in sentences] == [["("], ["New York"]]
    assert [(tree.words, tree.pos) for tree in trees] == [(["("], ["-LRB-"])]
    failed = Path(f"{out}.failed.txt").read_text()
    assert failed == "2\t'New York' cannot be written in brackets: it is no text, empty or holds a space or a bracket\n"


def test_a_pipe_is_read_as_a_file(program, options, tmp_path):
    pipe, out = tmp_path / "pipe", tmp_path / "out"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("So do I.\n",), daemon=True)
    writer.start()
    assert program("parse", pipe, out, *options)[0] == 0
    assert written(out)[0][0].words == ["So", "do", "I", "."]
