from __future__ import annotations

import pytest

from dglsent.building.endings import endings, form_named, form_of
from graphs.errors import InputError


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.conllu", "conllu"),
        ("a.conll.gz", "conllu"),
        ("a.brackets", "brackets"),
        ("a.ptb", "brackets"),
        ("wsj_0001.mrg.gz", "brackets"),
        ("a.b/c.txt", "text"),
        ("a.jsonl", "jsonl"),
        ("a.txt.csv", "csv"),
        ("a.conllu.tsv.gz", "tsv"),
        ("a.csv/b", None),
        ("a.gz", None),
        (".tsv", None),
    ],
)
def test_a_format_is_named_by_the_last_ending_but_gz(name: str, form: str | None) -> None:
    assert form_named(name) == form
    if form is None:
        with pytest.raises(InputError, match=r": its name should end in \.conllu, .*, \.jsonl, or that and \.gz$"):
            form_of(name)


def test_endings_are_those_of_the_formats_alone() -> None:
    assert endings("csv", "tsv") == ".tsv, .csv"
