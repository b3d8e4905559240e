from __future__ import annotations

import io
from collections import Counter

import pytest

import graphs
from graphs.errors import InputError, SentenceError
from graphs.features import Vocabularies
from graphs.formats.columns import iob1_to_bio, read_columns, read_conll2000, read_conll2003, read_pmb

CONLL2000 = """\
She PRP B-NP
owes VBZ B-VP
# # B-NP
9 CD I-NP

Rain NN B-NP
"""
CONLL2003 = """\
-DOCSTART- -X- O O

Anna NNP I-NP I-PER
Bern NNP I-NP I-LOC
Basel NNP B-NP B-LOC
slept VBD I-VP O

-DOCSTART- -X- O O

Nobody NN I-NP O
"""
PMB = """\
### Made by hand
# newdoc id = p01/d0001
# tok:gold\ttok:gold\tsym:gold\tsem:gold\tcat:gold\tsns:gold\trol:gold
# raw sent = Ann slept #1
Ann\tAnn\tann\tPER\tnp\tfemale.n.02\t[]
slept\tslept\tsleep\tEPS\ts:dcl\\np\tsleep.v.01\t[Agent]
#\t#\t#\tNIL\tn/n\tO\t[]
1~000\t1~000\t1000\tQUC\tn\tquantity.n.01\t[]

# raw sent = Rain
Rain\tRain\train\tCON\tn\train.n.01\t[]
"""


def read(text, *columns, **options):
    return read_columns(io.StringIO(text), columns, **options)


def test_conll2000_where_a_hash_is_a_word():
    sentences = read_conll2000(io.StringIO(CONLL2000))
    assert [sentence.words for sentence in sentences] == [["She", "owes", "#", "9"], ["Rain"]]
    assert sentences[0].columns == {"pos": ["PRP", "VBZ", "#", "CD"], "chunk": ["B-NP", "B-VP", "B-NP", "I-NP"]}
    assert [(sentence.origin.line, sentence.origin.sentence) for sentence in sentences] == [(1, "1"), (6, "2")]


def test_conll2003_documents_and_chunks():
    sentences = read_conll2003(io.StringIO(CONLL2003))
    assert [sentence.words for sentence in sentences] == [["Anna", "Bern", "Basel", "slept"], ["Nobody"]]
    assert sentences[0].columns["ner"] == ["B-PER", "B-LOC", "B-LOC", "O"]
    assert sentences[0].columns["chunk"] == ["B-NP", "I-NP", "B-NP", "B-VP"]
    assert sentences[1].origin.line == 10


def test_pmb_supertags_are_the_fifth_column():
    sentences = read_pmb(io.StringIO(PMB))
    assert [sentence.words for sentence in sentences] == [["Ann", "slept", "#", "1~000"], ["Rain"]]
    assert sentences[0].columns["category"] == ["np", "s:dcl\\np", "n/n", "n"]
    assert sentences[0].columns["semantic"] == ["PER", "EPS", "NIL", "QUC"]
    assert set(sentences[0].columns) == {"symbol", "semantic", "category", "sense", "roles"}
    assert sentences[0].columns["symbol"] == ["ann", "sleep", "#", "1000"]
    assert sentences[0].columns["sense"][:2] == ["female.n.02", "sleep.v.01"]
    assert sentences[0].columns["roles"][:2] == ["[]", "[Agent]"]
    (spaced,) = read_pmb(io.StringIO("a b\ta\tb\tCON\tn\to\t[A] [B]\n"))  # tabs alone part columns
    assert (spaced.words, spaced.columns["roles"]) == (["a b"], ["[A] [B]"])
    assert sentences[0].origin.line == 5


def test_sentences_become_graphs_with_pos_as_tags():
    sentences = read_conll2000(io.StringIO(CONLL2000))
    vocabularies = Vocabularies.of(sentences)
    graph = graphs.window(sentences[0], vocabularies, 1)
    tags = [vocabularies.tag.strings[each] for each in graph.nodes["tag"]]
    assert tags == ["PRP", "VBZ", "#", "CD", "<padding>"]


def test_separators():
    text = "New\u00a0York  NNP\nhas\tVBZ\n \t\nit PRP\n"
    assert [sentence.words for sentence in read(text, "word", "pos")] == [["New\u00a0York", "has"], ["it"]]
    spaced = read("New York\tNNP\n", "word", "pos", separator="\t")
    assert spaced[0].words == ["New York"]
    assert read("DT the\n", "pos", "word")[0].words == ["the"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a DT\nb\n", "line 2: 1 column, expected 2"),
        ("a DT\nb NN x\n", "line 2: 3 columns, expected 2"),
        ("\n\na\tDT\n\tNN\n", "line 4: the word is empty"),
    ],
)
def test_broken_lines_are_named(text, message):
    separator = "\t" if "\t" in text else None
    with pytest.raises(SentenceError, match=message):
        read(text, "word", "pos", separator=separator)


def test_a_bad_sentence_can_be_left_out(tmp_path):
    path = tmp_path / "tags.txt"
    path.write_text("a DT\n\nb\nc NN\n\nd NN\n", encoding="utf-8")
    sentences = read_columns(path, ("word", "pos"), on_error="skip")
    assert [(sentence.words, sentence.origin.sentence) for sentence in sentences] == [(["a"], "1"), (["d"], "3")]
    assert [str(error) for error in sentences.skipped] == [f"{path}:3, sentence 2: 1 column, expected 2"]


def test_a_bad_chunk_tag_is_named():
    text = "Anna NNP I-NP PER\n"
    with pytest.raises(SentenceError, match="sentence 1: 'PER' is no chunk tag"):
        read_conll2003(io.StringIO(text))
    assert len(read_conll2003(io.StringIO(text), on_error="skip").skipped) == 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("pos",), 'one of them "word"'),
        (("word", "word"), 'one of them "word"'),
        ("word", 'one of them "word"'),
        (("word", "pos", "pos"), "a name stands twice"),
    ],
)
def test_columns_need_a_word_and_different_names(columns, message):
    with pytest.raises(InputError, match=message):
        read_columns(io.StringIO(""), columns)


def test_iob1_must_name_a_column():
    with pytest.raises(InputError, match="iob1 names 'ner'"):
        read("", "word", "pos", iob1=["ner"])


@pytest.mark.parametrize("iob1", [["word"], [""], "pos"])
def test_iob1_is_a_list_of_columns_of_tags(iob1):
    with pytest.raises(InputError, match="give a list of columns of tags, of which there are pos"):
        read("a\tB-x\tb\n", "word", "pos", "", iob1=iob1)


@pytest.mark.parametrize("comments", ["# ", ["# "], ("% ", "# ")])
def test_comments_are_a_mark_or_several(comments):
    (sentence,) = read("# a\n#b\tx\n%\ty\n", "word", "pos", comments=comments)
    assert sentence.word == ["#b", "%"]


def test_each_of_several_marks_is_of_comments():
    (sentence,) = read("% a\n# b\n#b\tx\n", "word", "pos", comments=("% ", "# "))
    assert sentence.word == ["#b"]


def test_a_separator_of_no_characters():
    with pytest.raises(InputError, match="separator is ''; leave it out"):
        read("a b\n", "word", "pos", separator="")


@pytest.mark.parametrize(
    ("iob1", "bio"),
    [
        ("I-A I-A O I-A", "B-A I-A O B-A"),
        ("I-A B-A I-A", "B-A B-A I-A"),
        ("I-A I-B B-B I-A", "B-A B-B B-B B-A"),
        ("O B-A-x I-A-x", "O B-A-x I-A-x"),
        ("", ""),
    ],
)
def test_iob1_to_bio(iob1, bio):
    assert iob1_to_bio(iob1.split()) == bio.split()
    assert iob1_to_bio(bio.split()) == bio.split()


@pytest.mark.parametrize("tag", ["X-A", "I-", "I", "", "o"])
def test_what_is_no_chunk_tag(tag):
    with pytest.raises(InputError, match="no chunk tag"):
        iob1_to_bio([tag])


def chunks(sentences, column):
    return Counter(tag[2:] for sentence in sentences for tag in sentence.columns[column] if tag.startswith("B-"))


@pytest.mark.parametrize(
    ("part", "sentences", "words", "starts"), [("train", 8936, 211727, 106978), ("test", 2012, 47377, 23852)]
)
def test_all_of_conll2000(data_dir, part, sentences, words, starts):
    corpus = read_conll2000(data_dir / "conll2000" / f"{part}.txt")
    assert (len(corpus), sum(map(len, corpus))) == (sentences, words)
    assert chunks(corpus, "chunk").total() == starts  # as the shared task counts its chunks
    assert all(iob1_to_bio(sentence.columns["chunk"]) == sentence.columns["chunk"] for sentence in corpus)


@pytest.mark.parametrize(
    ("part", "sentences", "words", "entities"),
    [
        ("train", 14041, 203621, {"LOC": 7140, "MISC": 3438, "ORG": 6321, "PER": 6600}),
        ("testa", 3250, 51362, {"LOC": 1837, "MISC": 922, "ORG": 1341, "PER": 1842}),
        ("testb", 3453, 46435, {"LOC": 1668, "MISC": 702, "ORG": 1661, "PER": 1617}),
    ],
)
def test_all_of_conll2003(data_dir, part, sentences, words, entities):
    corpus = read_conll2003(data_dir / "conll2003" / f"eng.{part}")
    assert (len(corpus), sum(map(len, corpus))) == (sentences, words)
    assert chunks(corpus, "ner") == entities  # as the shared task counts its entities


@pytest.mark.parametrize(
    ("part", "sentences", "words"),
    [("train", 7745, 50408), ("dev", 1174, 7368), ("test", 1053, 6821), ("eval", 841, 5710)],
)
def test_all_of_pmb(data_dir, part, sentences, words):
    corpus = read_pmb(data_dir / "ccg_pmb" / "pmb-4.0.0" / f"{part}.conll")
    assert (len(corpus), sum(map(len, corpus))) == (sentences, words)
    categories = {category for sentence in corpus for category in sentence.columns["category"]}
    assert "np/n" in categories
    if part == "train":
        assert len(categories) == 294
