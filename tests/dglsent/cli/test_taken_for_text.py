from __future__ import annotations

import pytest

from dglsent.cli.taken_for_text import refuse_columns, refuse_csv, refuse_trees
from dglsent.corpora.own_files import PAIR, TEXT
from graphs.errors import InputError


def test_a_header_of_commas_that_names_no_known_column_is_no_text():
    table = 'id,review text\n1,"a good, long film"\n2,a bad film\n'
    with pytest.raises(InputError, match=r"own:1: id, review text look .* --columns 'text=review text', or"):
        refuse_csv(table, "own", [TEXT])
    with pytest.raises(InputError, match=r"--columns 'first=Sentence A,second=Sentence B'"):
        refuse_csv("Sentence A,Sentence B\na man sings,somebody sings\n", "own", PAIR)
    with pytest.raises(InputError, match=r"own:1: id, review look .* --columns text=review, or"):
        refuse_csv('"id","review"\n"1","a good, ""long"" film"\n"2","a bad film"\n', "own", [TEXT])
    with pytest.raises(InputError, match=r"own:1: text, label look like names of columns; give the table with commas"):
        refuse_csv("text;label\na good film;praise\n", "own", [TEXT])


@pytest.mark.parametrize(
    "text",
    [
        "Yes, it is\nNo, it is not\n",
        "yes , it is\nno , it is not\n",
        "Well,here we are,again\nno comma\n",
        "a film that is long,though good\na film that is short,though bad\n",
        "a film with wit,though long\na film with ease,though short\n",
        "Well,then\nno,no,no\n",
        'Well,then\n"so "it,goes\n',
        '"Well", "then"\n"no", "yes"\n',
        "review,label\n",
        'review,label\n"a good film\n',
        "a good film\nanother\n",
        "",
    ],
)
def test_text_with_commas_is_text(text):
    refuse_csv(text, "own", [TEXT])


def test_a_tree_among_lines_of_text_is_told_by_its_line():
    with pytest.raises(InputError, match=r"^own:3: a tree in brackets, and line 1 is none; give trees alone"):
        refuse_trees("a good film\n\n(S (NN film))\n", "own")
    with pytest.raises(InputError, match=r"^own:2: a tree in brackets; give trees alone"):
        refuse_trees("(UH Yes)\n(S (NN film))\n", "own")
    refuse_trees("(Great film)\n(Laughs)\n", "own")


def lines_of(words, separator=" "):
    line = separator.join("a" * words)
    return f"{line}\n{line}\n{line}\n\n{line}\n{line}\n"


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_a_token_a_line_is_no_text(separator):
    tags = "Ann B-PER\nsang O\n. O\n\nBob B-PER\nslept O\n".replace(" ", separator)
    with pytest.raises(
        InputError, match=r"^own: 2 columns in every line, .* --format columns .* --format text if a line"
    ):
        refuse_columns(tags, "own")
    with pytest.raises(InputError, match=r"^own:2: -DOCSTART-, as files of a token a line have; add --format columns"):
        refuse_columns("\n-DOCSTART- -X- O O\n\nEU NNP I-NP B-ORG\n", "own")
    with pytest.raises(InputError, match=r"^own: 20 columns in every line"):
        refuse_columns(lines_of(20, separator), "own")
    with pytest.raises(InputError, match=r"^own: 2 columns in nearly every line"):
        refuse_columns(tags * 2 + "\nEve\n", "own")


@pytest.mark.parametrize(
    "text",
    [
        "the film fails\nfilms fail too\nall films fail\nthis one did\nthat one too\n",
        "the film fails\n\nfilms fail too\n\nall films fail\n\nthis one did\n\nthat one too\n",
        "a man sings\nsomebody sings loudly\n\na dog runs\nan animal runs\n\nhe is here\nhe is away\n",
        "the film\nwas good\nwe say\n\nthe end\n",
        "roses are red\nviolets are blue\nsugar is sweet\n\nand so are\nyou , they say\nat the end\n",
        "film\nfilms\nfail\n\nthe\nend\n",
        "the -DOCSTART- of files\n",
        lines_of(21),
        "",
    ],
)
def test_text_with_blank_lines_is_text(text):
    refuse_columns(text, "own")
