from __future__ import annotations

import pytest

from dglsent.cli.in_twos import in_twos
from dglsent.cli.reading import read
from graphs.errors import InputError, Origin, SentenceError


def told(pairs):
    return [[str(one) if isinstance(one, SentenceError) else one.text for one in pair] for pair in pairs]


def of(text, form="text"):
    return told(read(text, form, ("first", "second"), "p.txt"))


MISSING = "the other sentence of the pair is missing"


@pytest.mark.parametrize("form", ["text", "tokens"])
def test_two_in_a_row_are_a_pair_however_pairs_are_parted(form):
    wanted = [["a", "b"], ["c", "d"]] if form == "text" else [[["a"], ["b"]], [["c"], ["d"]]]
    for text in ("a\nb\nc\nd", "a\nb\n\nc\nd\n\n", "\na\nb\nc\nd\n\n\n", "a\r\nb\r\n \r\n\r\nc\r\nd", "a\rb\r\rc\rd"):
        assert of(text, form) == wanted


def test_a_sentence_that_is_missing_costs_its_own_pair_alone():
    assert of("a\nb\n\nd\ne\nf") == [["a", "b"], [f"p.txt:4, sentence 4: {MISSING}"], ["e", "f"]]
    assert of("\nb\nc\nd") == [[f"p.txt:2, sentence 2: {MISSING}"], ["c", "d"]]
    assert of("a\nb\nc") == [["a", "b"], [f"p.txt:3, sentence 3: {MISSING}"]]
    assert of("a\nb\nc\n\n\n\ng\nh")[2] == ["p.txt: both sentences are missing"]


def test_where_it_can_be_either_nothing_is_guessed():
    with pytest.raises(InputError, match=r"p\.txt: something is missing between 4 and 6, .*with a tab"):
        of("a\nb\nc\nd\n\nf\ng")
    with pytest.raises(InputError, match=r"^input: something is missing between 2 and 6, "):
        read("a\nb\n\n\n\nc\nd\ne\nf", "text", ("first", "second"))


def test_trees_of_which_one_could_not_be_parsed():
    """`dglsent parse` leaves an empty line among brackets, and leaves out a number in CoNLL-U."""
    tree = "(S (X {}))"
    found = read("\n".join([tree.format("a"), tree.format("b"), "", tree.format("d")]), "brackets", ("1", "2"))
    assert [[isinstance(one, SentenceError) for one in pair] for pair in found] == [[False, False], [True]]
    block = "# sent_id = {}\n1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    found = read("".join(map(block.format, (1, 2, 4, 5, 6))), "conllu", ("1", "2"))
    assert [[isinstance(one, SentenceError) for one in pair] for pair in found] == [[False] * 2, [True], [False] * 2]
    found = read("".join(map(block.format, range(4, 11))), "conllu", ("1", "2"))  # the first three are missing
    assert [[isinstance(one, SentenceError) for one in pair] for pair in found] == [[True], *[[False] * 2] * 3]
    found = read("".join(map(block.format, (2, 3, 4, 9))), "conllu", ("1", "2"))  # few, and they begin as numbers do
    assert [isinstance(pair[0], SentenceError) for pair in found] == [True, False, True, True, True]
    # Numbers of another kind are names.
    for names in ((10, 30, 50, 70), ("a", 1, 2, 3), (1, 1, 2, 2)):
        found = read("".join(map(block.format, names)), "conllu", ("1", "2"))
        assert [len(pair) for pair in found] == [2, 2]
    assert read("\n", "conllu", ("1", "2")) == []


@pytest.mark.parametrize("numbers", [range(2, 10), [1, 2, 4, 5], range(4, 10)])
def test_numbers_of_conllu_that_begin_a_pair_with_an_even_one(numbers):
    block = "# sent_id = {}\n1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(InputError, match=r"p\.conllu: sentence [13] is not there, .* cannot be known; write"):
        read("".join(map(block.format, numbers)), "conllu", ("1", "2"), "p.conllu")


def trees(text):
    return [
        [str(one) if isinstance(one, SentenceError) else one.constituency.words[0] for one in pair]
        for pair in read(text, "brackets", ("1", "2"))
    ]


def test_of_trees_over_several_lines_nothing_is_known():
    assert trees("(S\n  (X a))\n\n(S\n  (X b))\n") == [["a", "b"]]
    assert trees("(S\n  (X a))\n\n(S\n  (X b))\n(S (X c))") == [["a", "b"], [f"line 6, sentence 3: {MISSING}"]]


def test_as_many_trees_as_lines_may_share_lines():
    """The first of two trees on a line was dropped, and the others were paired anew."""
    assert trees("(S (X a)) (S (X b))\n(S\n  (X c))\n(S (X d))\n") == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize("lines", [["", "a", "b", ""], ["a", "b", "", "c", "d", ""], ["", "a", "b", "c", "d", ""]])
def test_trees_in_twos_of_which_the_first_and_the_last_may_be_missing(lines):
    """They were paired anew, the second sentence of one pair with the first of the next."""
    with pytest.raises(InputError, match=r"sentence [13] is not there, .* cannot be known; write"):
        trees("\n".join(line and f"(S (X {line}))" for line in lines))


@pytest.mark.parametrize("lines", [["a", "b", "", "c", "d"], ["", "a", "b"], ["a", "b", "", "", "c", "d"], ["a", "b"]])
def test_trees_in_twos_that_empty_lines_part(lines):
    words = [line for line in lines if line]
    wanted = [words[at : at + 2] for at in range(0, len(words), 2)]
    assert trees("\n".join(line and f"(S (X {line}))" for line in lines)) == wanted


def test_errors_are_sentences_too():
    broken = SentenceError("broken", Origin("f", 1))
    assert in_twos([broken, broken], None, "f") == [(broken, broken)]
