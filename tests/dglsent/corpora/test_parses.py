from __future__ import annotations

import gzip
import logging
import os
import re
from pathlib import Path

import pytest

from dglsent.corpora.example import Parsed
from dglsent.corpora.parses import parsed, parsed_pairs
from dglsent.training.graphs import shape
from graphs.errors import InputError, SentenceError

pytestmark = pytest.mark.usefixtures("no_parses")

TEXTS = [["a", "(", "café"], ["b"], ["c", "d-e"]]
WORDS = [["a", "\\(", "caf_"], ["b"], ["c", "d", "-", "e"]]


def block(number: int | str, words: list[str]) -> str:
    rows = [f"{i}\t{w}\t_\tX\tNN\t_\t{i - 1}\tdep\t_\t_\n" for i, w in enumerate(words, 1)]
    return f"# sent_id = {number}\n" + "".join(rows) + "\n"


def line(words: list[str]) -> str:
    return "(ROOT (NP " + " ".join(f"(NN {word.replace('(', '-LRB-')})" for word in words) + "))\n"


def write(folder: Path, name: str = "x", words: list[list[str]] = WORDS, without: frozenset[int] = frozenset()) -> None:
    folder.mkdir(exist_ok=True)
    blocks = [block(number, one) for number, one in enumerate(words, 1) if number not in without]
    lines = ["\n" if number in without else line(one) for number, one in enumerate(words, 1)]
    (folder / f"{name}.conllu").write_text("".join(blocks))
    (folder / f"{name}.brackets").write_text("".join(lines))


def check(sentences: list[Parsed | None]) -> None:
    first, second, third = sentences
    # The corpus's own tokens where a parse has as many words, else the parser's.
    for sentence, words in ((first, TEXTS[0]), (second, TEXTS[1]), (third, WORDS[2])):
        assert sentence.dependencies.words == words
        assert sentence.constituency.words == words
        assert sentence.dependencies.xpos == ["NN"] * len(words)
        assert sentence.constituency.label == ["ROOT", "NP", *["NN"] * len(words)]


def test_parses_beside_the_data(tmp_path):
    write(tmp_path / "parsed")
    check(parsed(tmp_path, "corpus", "x", TEXTS))


def test_packed_parses_of_the_environment_win(tmp_path, monkeypatch):
    write(tmp_path / "parsed", words=[["z"]])
    write(tmp_path / "other")
    for file in list((tmp_path / "other").iterdir()):
        with gzip.open(f"{file}.gz", "wt", encoding="utf-8") as packed:
            packed.write(file.read_text())
        file.unlink()
    monkeypatch.setenv("DGLSENT_PARSES", str(tmp_path / "other"))
    check(parsed(tmp_path, "corpus", "x", TEXTS))
    write(tmp_path / "parsed", "y", [["z"]])
    (only,) = parsed(tmp_path, "corpus", "y", ["z"])
    assert only.dependencies.words == ["z"]


def test_first_of_several_folders_that_has_the_file_wins(tmp_path, monkeypatch):
    write(tmp_path / "first")
    for name in ("x", "y"):
        write(tmp_path / "second", name, [["z"]])
    monkeypatch.setenv("DGLSENT_PARSES", os.pathsep.join(str(tmp_path / name) for name in ("first", "second")))
    check(parsed(tmp_path, "corpus", "x", TEXTS))
    (only,) = parsed(tmp_path, "corpus", "y", ["z"])
    assert only.dependencies.words == ["z"]
    monkeypatch.setenv("DGLSENT_PARSES", os.pathsep.join([str(tmp_path / "first"), str(tmp_path / "none")]))
    with pytest.raises(InputError, match="none: no such folder; DGLSENT_PARSES names"):
        parsed(tmp_path, "corpus", "x", TEXTS)


def test_folder_of_the_environment_must_exist(tmp_path, monkeypatch):
    monkeypatch.setenv("DGLSENT_PARSES", str(tmp_path / "none"))
    with pytest.raises(InputError, match="none: no such folder; DGLSENT_PARSES names"):
        parsed(tmp_path, "corpus", "x", TEXTS)


def test_raw_text_takes_the_words_of_its_parse(tmp_path):
    write(tmp_path / "parsed")
    sentences = parsed(tmp_path, "corpus", "x", ["a(café", "b ", "c d-e"])
    assert [sentence.dependencies.words for sentence in sentences] == WORDS


def test_one_kind_of_parse_is_enough(tmp_path):
    write(tmp_path / "parsed")
    (tmp_path / "parsed" / "x.brackets").unlink()
    sentence, *_ = parsed(tmp_path, "corpus", "x", TEXTS)
    assert sentence.constituency is None
    assert shape("dependency", sentence).words == TEXTS[0]
    with pytest.raises(
        SentenceError, match=r"reads constituency trees; make parses with `dglsent parse corpus .*parsed`"
    ):
        shape("constituency", sentence)


def test_ids_that_are_no_numbers_count_for_nothing(tmp_path):
    write(tmp_path / "parsed")
    (tmp_path / "parsed" / "x.brackets").unlink()
    (tmp_path / "parsed" / "x.conllu").write_text(
        "".join(block(f"doc-{9 - i}", words) for i, words in enumerate(WORDS))
    )
    assert [len(sentence.dependencies) for sentence in parsed(tmp_path, "corpus", "x", TEXTS)] == [3, 1, 4]
    mixed = "".join(block(name, words) for name, words in zip((3, "doc-2", 1), WORDS, strict=True))
    (tmp_path / "parsed" / "x.conllu").write_text(mixed)
    assert [len(sentence.dependencies) for sentence in parsed(tmp_path, "corpus", "x", TEXTS)] == [3, 1, 4]


def test_as_many_words_that_are_cut_elsewhere_are_the_parsers(tmp_path):
    write(tmp_path / "parsed", words=[["ca", "nnot"]])
    (only,) = parsed(tmp_path, "corpus", "x", [["can", "not"]])
    assert only.dependencies.words == only.constituency.words == ["ca", "nnot"]


def test_without_parses_words_alone_make_chains_and_nothing_else(tmp_path):
    first, *_ = parsed(tmp_path, "corpus", "x", TEXTS)
    assert shape("chain", first).words == TEXTS[0]
    for kind in ("dependency", "constituency", "constituency-nary"):
        with pytest.raises(
            SentenceError, match=r"^x, sentence 1: the model reads .*`dglsent parse corpus .*docs/data\.md"
        ):
            shape(kind, first)


def test_raw_text_needs_parses(tmp_path):
    with pytest.raises(InputError, match=r"x: the corpus is raw text and has no parses; .*`dglsent parse corpus "):
        parsed(tmp_path, "corpus", "x", ["a b"])


def test_failed_parses_drop_out_and_are_counted(tmp_path, caplog):
    words = [[f"w{number}"] for number in range(20)]
    write(tmp_path / "parsed", "x-a", words, frozenset({1, 20}))
    write(tmp_path / "parsed", "x-b", words, frozenset({10, 20}))
    with caplog.at_level(logging.WARNING):
        found = parsed(tmp_path, "corpus", "x-a", words)
        pairs = parsed_pairs(
            tmp_path,
            "corpus",
            "x",
            {"x-a": words, "x-b": words},
            [{"label": number % 2} for number in range(20)],
            map(str, range(20)),
        )
    assert [place for place, one in enumerate(found) if one is None] == [0, 19]
    assert found[1].dependencies.words == found[1].constituency.words == ["w1"]
    assert "x-a: 2 of 20 sentences have no parse; their examples are left out" in caplog.messages
    assert [pair.id for pair in pairs] == [str(number) for number in range(1, 19) if number != 9]
    for pair in pairs:
        assert [one.dependencies.words for one in pair.sentences] == [[f"w{pair.id}"]] * 2
        assert pair.targets == {"label": int(pair.id) % 2}
    (tmp_path / "parsed" / "x-a.conllu").write_text("".join(block(place, one) for place, one in enumerate(words, 1)))
    found = parsed(tmp_path, "corpus", "x-a", words)  # the trees of two alone
    assert [place for place, one in enumerate(found) if one is None] == [0, 19]


def test_a_file_cut_short_is_refused(tmp_path):
    write(tmp_path / "parsed", words=[[f"w{number}"] for number in range(10)])
    texts = [[f"w{number}"] for number in range(20)]
    with pytest.raises(InputError, match=r"x\.conllu: no parse of 10 of the 20 sentences of x; make parses"):
        parsed(tmp_path, "corpus", "x", texts)


def test_sentences_are_numbered_from_one(tmp_path):
    """The parse of number 0 would be that of the last."""
    write(tmp_path / "parsed", words=[["a"], ["b"]])
    file = tmp_path / "parsed" / "x.conllu"
    file.write_text(file.read_text().replace("sent_id = 2", "sent_id = 0"))
    with pytest.raises(InputError, match=r"x\.conllu: has a parse of sentence 0, the corpus has 2"):
        parsed(tmp_path, "corpus", "x", [["a"], ["b"]])


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (TEXTS[:2], r"x\.conllu: has a parse of sentence 3, the corpus has 2"),
        ([TEXTS[0], ["other"], TEXTS[2]], r"x\.conllu:6, sentence 2: the parse is of 'b', the corpus has 'other'"),
        ([TEXTS[0], "other", TEXTS[2]], r"x\.conllu:6, sentence 2: the parse is of 'b', the corpus has 'other'"),
    ],
)
def test_parses_of_something_else_are_refused(tmp_path, texts, message):
    write(tmp_path / "parsed")
    with pytest.raises(InputError, match=message):
        parsed(tmp_path, "corpus", "x", texts)
    (tmp_path / "parsed" / "x.conllu").unlink()
    with pytest.raises(InputError, match=message.replace("conllu:6", "brackets:2").replace("conllu", "brackets")):
        parsed(tmp_path, "corpus", "x", texts)


def test_two_parses_of_a_sentence_are_refused(tmp_path):
    write(tmp_path / "parsed")
    (tmp_path / "parsed" / "x.conllu").write_text(block(1, WORDS[0]) + block(2, WORDS[1]) + block(2, WORDS[1]))
    with pytest.raises(SentenceError, match="a second parse of the same sentence"):
        parsed(tmp_path, "corpus", "x", TEXTS)


def write_tags(folder: Path, name: str = "x", words: list[list[str]] = WORDS, without: int = 0) -> None:
    write(folder, name, words, frozenset({without}))
    (folder / f"{name}.brackets").unlink()
    blocks = (folder / f"{name}.conllu").read_text()
    (folder / f"{name}.conllu").unlink()
    with gzip.open(folder / f"{name}.tags.conllu.gz", "wt", encoding="utf-8") as packed:
        packed.write(re.sub(r"\t\d+\tdep\t", "\t_\t_\t", blocks))


def test_tags_alone(tmp_path, monkeypatch):
    write_tags(tmp_path / "parsed")
    for sentence, words in zip(parsed(tmp_path, "corpus", "x", TEXTS), (*TEXTS[:2], WORDS[2]), strict=True):
        assert (sentence.constituency, sentence.dependencies) == (None, None)
        assert shape("complete", sentence).words == words
        assert shape("chain", sentence).xpos == ["NN"] * len(words)
        with pytest.raises(SentenceError, match=r"reads dependency trees; make parses with `dglsent parse corpus"):
            shape("dependency", sentence)
    write_tags(tmp_path / "parsed", "y", without=2)
    monkeypatch.setattr("dglsent.corpora.parses._MOST_FAILED", 0.5)
    assert [one is None for one in parsed(tmp_path, "corpus", "y", TEXTS)] == [False, True, False]


def test_parses_go_before_tags_in_a_folder(tmp_path):
    write_tags(tmp_path / "parsed")
    write(tmp_path / "parsed")
    check(parsed(tmp_path, "corpus", "x", TEXTS))


@pytest.mark.parametrize("made", [write, write_tags])
def test_one_part_without_the_parses_of_another(tmp_path, made):
    """As a parser leaves them that was stopped: the class was told by whether there are tags."""
    made(tmp_path / "parsed", "mr-neg")
    parsed(tmp_path, "mr", "mr-neg", TEXTS)
    with pytest.raises(
        InputError, match=r"mr-pos has no parses, mr-neg has .*conllu; make parses with `dglsent parse mr"
    ):
        parsed(tmp_path, "mr", "mr-pos", TEXTS)
    made(tmp_path / "parsed", "mr-pos")
    write(tmp_path / "parsed", "quora-sample-dev-a")
    write(tmp_path / "parsed", "quora-dev-a")
    for corpus, name in (
        ("mr", "mr-pos"),
        ("mr", "mr-neg"),
        ("quora", "quora-dev-a"),
        ("quora-sample", "quora-sample-dev-a"),
    ):
        assert len(parsed(tmp_path, corpus, name, TEXTS)) == 3
    with pytest.raises(InputError, match=r"quora-dev-b has no parses, quora-dev-a has brackets and conllu; "):
        parsed(tmp_path, "quora", "quora-dev-b", TEXTS)


def test_one_part_with_tags_alone_and_another_with_parses(tmp_path):
    write_tags(tmp_path / "parsed", "mr-neg")
    write(tmp_path / "parsed", "mr-pos")
    with pytest.raises(InputError, match=r"mr-neg has tags.conllu, mr-pos has brackets and conllu; make parses"):
        parsed(tmp_path, "mr", "mr-neg", TEXTS)
