from __future__ import annotations

import gzip
import io
import re
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.columns import Dependencies
from graphs.errors import SentenceError
from graphs.formats.conllu import from_stanza_sentence, parse_conllu, read_conllu, to_conllu


def row(id_, form="w", head=0, *, lemma="_", upos="_", xpos="_", relation="dep"):
    return "\t".join([str(id_), form, lemma, upos, xpos, "_", str(head), relation, "_", "_"])


def block(*heads):
    return "\n".join(row(place, f"w{place}", head) for place, head in enumerate(heads, 1)) + "\n"


CONLL_2009 = "1\tsleeps\tsleep\tsleep\tVBZ\tVBZ\t_\t_\t0\t0\tROOT\tROOT\tY\tsleep.01"
FULL = "\n".join(
    [
        "# newpar",
        "# sent_id = made-1",
        "#text = vámonos ya allá",
        row("1-2", "vámonos", "_", relation="_"),
        row(1, "vamos", 0, lemma="ir", upos="VERB", xpos="V", relation="root"),
        row(2, "nos", 1, lemma="nos", upos="PRON", xpos="P", relation="obj"),
        row("2.1", "(gone)", "_", relation="_"),
        row(3, "ya\xa0allá", 1, upos="ADV", relation="advmod"),
    ]
)


def test_all_that_a_sentence_has():
    (sentence,) = parse_conllu(FULL)
    assert sentence.word == ["vamos", "nos", "ya\xa0allá"]
    assert sentence.head.tolist() == [-1, 0, 0]
    assert sentence.relation == ["root", "obj", "advmod"]
    assert sentence.lemma == ["ir", "nos", "_"]
    assert sentence.upos == ["VERB", "PRON", "ADV"]
    assert sentence.xpos == ["V", "P", "_"]
    assert sentence.multiword == [(0, 2, "vámonos")]
    assert sentence.empty == [("2.1", "(gone)")]
    assert sentence.comments == ["newpar", "sent_id = made-1", "text = vámonos ya allá"]
    assert (sentence.origin.line, sentence.origin.sentence) == (1, "made-1")


def test_sentences_without_an_id_are_counted():
    sentences = parse_conllu("\n\n" + block(0) + "\n \n" + block(0, 1) + "\n\n")
    assert [len(sentence) for sentence in sentences] == [1, 2]
    assert [(s.origin.line, s.origin.sentence) for s in sentences] == [(3, "1"), (6, "2")]
    assert parse_conllu("") == []


def test_an_id_may_hold_an_equals_sign():
    (sentence,) = parse_conllu("# sent_id = doc=3 s=1\n" + block(0))
    assert sentence.origin.sentence == "doc=3 s=1"


def test_another_id_is_no_id_of_the_sentence():
    (sentence,) = parse_conllu("# sent_id_orig = 7\n# sent_id=a1\n" + block(0))
    assert sentence.origin.sentence == "a1"


def test_roots_and_crossing_arcs_are_kept():
    (sentence,) = parse_conllu(block(0, 0, 1, 2, 0))
    assert sentence.head.tolist() == [-1, -1, 0, 1, -1]


@pytest.mark.parametrize(
    "space", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\xa0", "\u3000"]
)
def test_only_tabs_and_line_ends_part_what_stands_in_a_line(space, tmp_path):
    """Python takes all of these for space, and most for line ends."""
    text = f"# text = a{space}b\n{row(1, f'a{space}b')}\n{row(2, space, 1)}\n\n"
    (tmp_path / "own.conllu").write_text(text, encoding="utf-8")
    for (sentence,) in (parse_conllu(text), read_conllu(tmp_path / "own.conllu")):
        assert (sentence.word, sentence.comments) == ([f"a{space}b", space], [f"text = a{space}b"])
        assert to_conllu(sentence) == text


def test_an_empty_node_may_come_first():
    (sentence,) = parse_conllu(row("0.1", "e", "_") + "\n" + block(0))
    assert sentence.empty == [("0.1", "e")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (block(0, 1, 9), "line 12: head 9 is out of range, the sentence has 3 words"),
        (row(1).replace("\tdep", ""), "line 10: 9 columns, expected 10"),
        ("1 w _ _ _ _ 0 root _ _", "line 10: 1 column, expected"),
        (CONLL_2009, "line 10: 14 columns, .* by tabs; they look like those of CoNLL-2009, .*text-to-graphs.md makes"),
        (f"{CONLL_2009}\tA0\tA1", "line 10: 16 columns, .* CoNLL-2009"),
        (row(1) + 4 * "\t_", "line 10: 14 columns, expected 10 separated by tabs$"),
        (row(1) + "\n" + row(1), "line 11: id 1 occurs twice"),
        (row(1) + "\n" + row(3), "line 11: id '3' where 2 should follow"),
        (row(0), "id '0' where 1 should follow"),
        (row("x"), "id 'x' where 1"),
        ("\xa0", "line 10: 1 column, expected"),
        (row("01"), "id '01' where 1"),
        (row(1, head="_"), "line 10: head '_' of word 1 is not a number"),
        (row(1, head="-1"), "head '-1'"),
        (row(1, head="+0"), "is not a number"),
        (row(1, form=""), "line 10: word 1 has no form"),
        (block(1), "word 1 is its own head"),
        (block(0, 4, 2, 3), "words [234] -> [234] -> [234] -> [234] form a cycle"),
        ("# only words about words\n# and more", "line 10: the sentence has no words"),
        (row("1-2", "ab", "_"), "line 10: the sentence has no words"),
        (row("1-3", "ab", "_") + "\n" + block(0, 1), "ends at word 3, the sentence has 2 words"),
        (row("2-3", "ab", "_") + "\n" + block(0, 1), "line 10: id '2-3' does not span words from 1 on"),
        (row("1-2", "a", "_") + "\n" + row("1-2", "a", "_") + "\n" + block(0, 1), "line 11: id '1-2'"),
        (row("1-2", "a", "_") + "\n" + row(1) + "\n" + row("2-3", "b", "_"), "line 12: id '2-3' does not span"),
        (row("1-x", "a", "_") + "\n" + block(0), "id '1-x'"),
        (row("1.1", "e", "_") + "\n" + block(0), "line 10: empty node '1.1' does not follow word 0"),
        (row("0.x", "e", "_") + "\n" + block(0), "empty node '0.x'"),
        (row(1) + "\n" + row("1.0", "e", "_"), "line 11: empty node '1.0' does not follow word 1"),
        (row(1) + "\n" + row("0.1", "e", "_"), "line 11: empty node '0.1' does not follow word 1"),
        (row("x.1", "e", "_") + "\n" + block(0), "empty node 'x.1' does not follow word 0"),
    ],
)
def test_a_broken_sentence_is_refused_alone(text, reason):
    good = block(0, 1, 1, 1, 1, 1, 1, 1)  # lines 1 to 8, so the broken block starts on line 10
    whole = f"{good}\n{text}\n\n# sent_id = last\n{block(0)}"
    with pytest.raises(SentenceError) as caught:
        parse_conllu(whole)
    assert re.search(reason, caught.value.reason)
    assert "\n" not in str(caught.value)
    sentences = parse_conllu(whole, on_error="skip")
    assert [sentence.origin.sentence for sentence in sentences] == ["1", "last"]
    (error,) = sentences.skipped
    assert (error.origin.line, error.origin.sentence) == (10, "2")


def test_files_gzipped_files_and_open_files(tmp_path):
    packed, broken = tmp_path / "t.conllu.gz", tmp_path / "t.conllu"
    packed.write_bytes(gzip.compress(FULL.replace("\n", "\r\n").encode()))
    for source in (packed, str(packed), io.StringIO(FULL), io.BytesIO(FULL.encode())):
        assert read_conllu(source)[0].word == ["vamos", "nos", "ya\xa0allá"]
    broken.write_text("# sent_id = b7\n" + block(5), encoding="utf-8")
    with pytest.raises(SentenceError) as caught:
        read_conllu(broken)
    assert str(caught.value) == (f"{broken}:1, sentence b7: line 2: head 5 is out of range, the sentence has 1 words")


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_exactly_the_forests_are_read(heads):
    def reaches_a_root(word):
        for _ in heads:
            word = heads[word - 1]
            if word == 0:
                return True
        return False

    sound = max(heads) <= len(heads) and all(map(reaches_a_root, range(1, len(heads) + 1)))
    sentences = parse_conllu(block(*heads), on_error="skip")
    assert [sentence.head.tolist() for sentence in sentences] == ([[h - 1 for h in heads]] if sound else [])
    assert len(sentences.skipped) == (not sound)


def same(ours, theirs):
    fields = ("word", "relation", "upos", "xpos", "lemma", "feats", "multiword", "empty", "comments")
    return ours.head.tolist() == theirs.head.tolist() and all(
        list(getattr(ours, name)) == list(getattr(theirs, name)) for name in fields
    )


def test_stanza_sentences_come_in_through_the_door():
    from stanza.utils.conll import CoNLL

    document = CoNLL.conll2doc(input_str=FULL.replace("#text", "# text"), ignore_gapping=False)
    theirs = from_stanza_sentence(document.sentences[0])
    (ours,) = parse_conllu(FULL)
    assert same(ours, theirs)
    assert theirs.origin.sentence == "made-1"


def stanza_sentence(*heads):
    words = [
        types.SimpleNamespace(head=head, text="w", deprel="dep", upos=None, xpos=None, lemma=None, feats=None)
        for head in heads
    ]
    return types.SimpleNamespace(words=words, tokens=[], empty_words=[], comments=[], sent_id="s")


@pytest.mark.parametrize(
    ("heads", "reason"),
    [
        ((), "no words"),
        ((None,), "no dependency tree"),
        ((2,), "head 2 of word 1 is out of range"),
        ((0, 3), "head 3 of word 2 is out of range"),
        ((2, 1), "cycle"),
    ],
)
def test_broken_stanza_sentences_are_refused(heads, reason):
    with pytest.raises(SentenceError, match=f"sentence s: .*{reason}"):
        from_stanza_sentence(stanza_sentence(*heads))


ROUND = [
    FULL,
    block(0, 0, 1, 2, 0),
    row("0.1", "e", "_") + "\n" + row("1-2", "ab", "_", relation="_") + "\n" + block(0, 1),
    block(0) + row("1.1", "e", "_") + "\n" + row("1.2", "f", "_"),
    block(0) + row("1.1", "e", "_") + "\n" + row("2-3", "cd", "_") + "\n" + row(2) + "\n" + row(3, head=2),
    "# text = a\tb  c \n#\n# # x\n" + block(0),
]


@pytest.mark.parametrize("text", ROUND)
def test_what_is_written_is_read_again(text):
    (sentence,) = parse_conllu(text)
    written = to_conllu(sentence)
    assert written.endswith("\n\n")
    (again,) = parse_conllu(written)
    assert same(sentence, again)
    assert to_conllu(again) == written


def test_columns_are_written_in_their_places():
    (sentence,) = parse_conllu(FULL)
    assert to_conllu(sentence).splitlines() == [
        *FULL.replace("#text", "# text").replace("\t_\t_\t_\t_\t_\t_\t_\t_", "\t_" * 8).splitlines()[:3],
        "1-2\tvámonos" + "\t_" * 8,
        *FULL.splitlines()[4:6],
        "2.1\t(gone)" + "\t_" * 8,
        FULL.splitlines()[7],
        "",
    ]


@settings(derandomize=True, deadline=None)
@given(st.lists(st.text("aä \xa0#-.1\u2028_", min_size=1), min_size=1, max_size=9), st.data())
def test_any_words_are_written_and_read(words, data):
    heads = [data.draw(st.integers(0, place)) for place in range(len(words))]
    (sentence,) = parse_conllu(block(*heads))
    sentence.word = sentence.lemma = words
    sentence.comments = words
    (again,) = parse_conllu(to_conllu(sentence))
    assert same(sentence, again)


@pytest.mark.parametrize(("field", "value"), [("word", ""), ("word", "a\tb"), ("lemma", "a\nb"), ("relation", "\r")])
def test_what_cannot_be_written_is_refused(field, value):
    (sentence,) = parse_conllu("# sent_id = s\n" + block(0, 1))
    setattr(sentence, field, ["x", value])
    with pytest.raises(SentenceError, match=r"sentence s: word 2: .* cannot be written"):
        to_conllu(sentence)


def test_no_words_and_broken_comments_are_not_written():
    (sentence,) = parse_conllu(block(0))
    sentence.comments = ["a\nb"]
    with pytest.raises(SentenceError, match="a comment holds a line end"):
        to_conllu(sentence)
    sentence.word = []
    with pytest.raises(SentenceError, match="no words"):
        to_conllu(sentence)


def test_heads_may_be_missing_where_nobody_asks_for_them():
    text = "1\tIt\tit\tPRON\tPRP\t_\t_\t_\t_\t_\n2\trains\train\tVERB\tVBZ\t_\t7\tx\t_\t_\n\n"
    with pytest.raises(SentenceError, match="line 1, sentence 1: head '_' of word 1 is not a number"):
        parse_conllu(text)
    (sentence,) = parse_conllu(text, heads=False)
    assert (sentence.head.tolist(), sentence.relation) == ([-1, -1], ["_", "_"])
    assert (sentence.words, sentence.xpos) == (["It", "rains"], ["PRP", "VBZ"])
    assert to_conllu(sentence) == text.replace("7\tx", "_\t_")
    with pytest.raises(SentenceError, match="line 1, sentence 1: word 1 has no form"):
        parse_conllu(text.replace("It", ""), heads=False)


def test_a_sentence_that_was_tagged_alone_has_no_heads():
    none = "\t_" * 5
    text = f"1\tIt\tit\tPRON\tPRP{none}\n2\trains\train\tVERB\tVBZ{none}\n\n1\tYes\tyes\t_\tUH{none}\n\n"
    sentences = parse_conllu(text)
    assert [one.head.tolist() for one in sentences] == [[-1, -1], [-1]]
    assert [one.headless for one in sentences] == [True, True]
    assert "".join(map(to_conllu, sentences)) == text
    with pytest.raises(SentenceError, match="line 2: head '_' of word 2 is not a number"):
        parse_conllu(text.replace("PRP\t_\t_", "PRP\t_\t0"))
    for head, relation in (([-1, -1], ["root", "root"]), ([-1, 0], ["_", "_"])):
        parse = Dependencies(["a", "b"], np.array(head), relation)
        assert not parse.headless
        assert parse_conllu(to_conllu(parse))[0].head.tolist() == head


def test_a_column_of_another_length_is_not_written():
    (sentence,) = parse_conllu("# sent_id = s\n" + block(0, 1))
    sentence.lemma = ["x"]
    said = "sentence s: the sentence has 2 words, 2 heads, 2 relations, 2 upos, 2 xpos, 1 lemmas and 2 feats"
    with pytest.raises(SentenceError, match=said):
        to_conllu(sentence)
    sentence.relation = ["root"]
    with pytest.raises(SentenceError, match="sentence s: the sentence has 2 words, 2 heads, 1 relations"):
        to_conllu(sentence)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("head", np.array([1, 0]), "the heads of words 1 -> 2 -> 1 form a cycle"),
        ("head", np.array([-1, 2]), "head 3 of word 2 is out of range"),
        ("head", np.array([-1, 0.5]), r"head 0\.5 of node 2 is no whole number"),
        ("head", np.array(["", "x"]), "head .* of node 1 is no whole number"),
        ("multiword", [(1, 3, "xy")], "multiword token 'xy' does not span words of 2"),
        ("multiword", [(-1, 1, "xy")], "multiword token 'xy' does not span"),
        ("multiword", [(1, 1, "xy")], "multiword token 'xy' does not span"),
        ("multiword", [(0, 2, "x"), (1, 2, "xy")], "multiword token 'xy' does not span"),
        ("empty", [("3.1", "e")], "empty node '3.1' follows none of the 2 words"),
        ("empty", [("2", "e")], "empty node '2' follows none"),
        ("empty", [("2.0", "e")], r"empty node '2\.0' follows none"),
        ("empty", [("-1.1", "e")], r"empty node '-1\.1' follows none"),
    ],
)
def test_what_would_not_be_read_again_is_not_written(field, value, said):
    (sentence,) = parse_conllu("# sent_id = s\n" + block(0, 1))
    setattr(sentence, field, value)
    with pytest.raises(SentenceError, match=f"sentence s: {said}"):
        to_conllu(sentence)


def test_heads_that_are_whole_floats_are_written():
    (sentence,) = parse_conllu(block(0, 1))
    sentence.head = np.array([-1.0, 0.0])
    assert to_conllu(sentence) == block(0, 1) + "\n" * (not block(0, 1).endswith("\n\n"))
