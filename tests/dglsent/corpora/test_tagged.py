from __future__ import annotations

import pytest

from dglsent.corpora.tagged import RARE, bio, tagged_examples, with_rare
from dglsent.training.graphs import shape
from graphs.columns import Tagged
from graphs.errors import Origin, SentenceError

SENTENCES = [
    Tagged(["a", "b"], {"pos": ["DT", "NN"], "chunk": ["B-X", "I-X"]}, Origin("file", 1, "1")),
    Tagged(["c"], {"pos": ["UH"], "chunk": ["O"]}, Origin("file", 4, "2")),
]


def test_gold_classes_are_not_among_what_is_read():
    first, second = tagged_examples("dev", SENTENCES, "chunk", bio("XY"))
    (sentence,) = first.sentences
    assert first.id == "dev-1"
    assert sentence.labels == [1, 2]
    assert sentence.unparsed.columns == {"pos": ["DT", "NN"]}
    assert (sentence.unparsed.words, sentence.origin.line) == (["a", "b"], 1)
    assert (second.id, second.sentences[0].labels, second.targets) == ("dev-2", [0], {})
    assert (second.sentences[0].unparsed.columns, second.sentences[0].origin.line) == ({"pos": ["UH"]}, 4)


def test_bio_tags_of_kinds():
    assert bio(("X", "Y")) == ("O", "B-X", "I-X", "B-Y", "I-Y")


def test_tags_that_training_lacks_are_rare():
    labels = with_rare(SENTENCES[:1], "pos")
    assert labels == ("DT", "NN", RARE)
    assert [one.sentences[0].labels for one in tagged_examples("test", SENTENCES, "pos", labels)] == [[0, 1], [2]]


def test_tag_that_is_no_class_is_named_with_its_sentence():
    with pytest.raises(SentenceError, match=r"file.*4.*: word 1: pos 'UH' is none of DT, NN"):
        tagged_examples("test", SENTENCES, "pos", ("DT", "NN"))
    with pytest.raises(SentenceError, match="word 1: pos 'DT' is none of UH"):  # nor is the second
        tagged_examples("test", SENTENCES, "pos", ("UH",))


def test_a_token_whose_tag_says_none_has_no_gold_class():
    examples = tagged_examples("test", SENTENCES, "pos", ("DT", "UH"), none="NN")
    assert [one.sentences[0].labels for one in examples] == [[0, -1], [1]]


def test_trees_that_are_wanted_in_vain():
    (example, _) = tagged_examples("dev", SENTENCES, "chunk", bio("X"))
    with pytest.raises(SentenceError, match="no parses; choose a chain, a window or a complete graph"):
        shape("dependency", example.sentences[0])


def test_of_many_classes_the_line_has_a_few():
    """CCGbank's were 13,000 characters."""
    with pytest.raises(SentenceError, match=r"none of 0, 1, 2, 3, 4, 5, 6, 7, \.\.\.$"):
        tagged_examples("test", SENTENCES, "pos", [*map(str, range(1300))])


def test_a_character_that_nobody_sees_is_shown_in_the_classes():
    with pytest.raises(SentenceError, match=r"pos 'DT' is none of NN, '\\u200bDT', 'N\\xa0N', '\\ufeffX'$"):
        tagged_examples("test", SENTENCES, "pos", ("NN", "\u200bDT", "N\xa0N", "\ufeffX"))
