from __future__ import annotations

import math

import pytest

from graphs.errors import InputError, SentenceError
from graphs.formats.ccgbank import read_auto
from graphs.formats.conllu import parse_conllu
from graphs.formats.numbers import decimal_number, natural, whole_number
from graphs.formats.tai import read_tai_constituency, read_tai_dependencies

LONG = "9" * 5000  # more digits than `int` reads
WRONG = ["1_0", " 1", "1 ", "+1", "\u0661", "\u00b2", "", "1.0", "x", "nan"]


def test_natural_numbers_are_plain_digits():
    assert [natural(text) for text in ("0", "7", "007", "123456789012345678")] == [0, 7, 7, 123456789012345678]
    assert natural(LONG) == 10**18
    assert natural("0" * 5000 + "12") == 12
    assert {natural(text) for text in [*WRONG, "-1"]} == {-1}


def test_whole_numbers_may_have_a_minus():
    assert [whole_number(text) for text in ("-1", "-0", "12", f"-{LONG}")] == [-1, 0, 12, -(10**18)]
    assert {whole_number(text) for text in [*WRONG, "--1", "-"]} == {None}


def test_decimal_numbers_are_plain_too():
    assert [decimal_number(text) for text in ("1", "-.5", "+2.", "1e-2", LONG)] == [1, -0.5, 2, 0.01, math.inf]
    wrong = ["1_0.5", "nan", "inf", "-Infinity", " 1", "\u0661.5", ".", "1e", "0x1p3", ""]
    assert {decimal_number(text) for text in wrong} == {None}


@pytest.mark.parametrize("number", [LONG, "1_0", "\u0661", " 1"])
@pytest.mark.parametrize(
    "line",
    [
        "{0}\ta\t_\t_\t_\t_\t0\troot\t_\t_",
        "1\ta\t_\t_\t_\t_\t{0}\troot\t_\t_",
        "1-{0}\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_",
        "0.{0}x\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_",
    ],
)
def test_conllu(line, number):
    with pytest.raises(SentenceError) as caught:
        parse_conllu(line.format(number))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("number", [LONG, f"-{LONG}", "1_0", "\u0661"])
def test_tai(tmp_path, number):
    (tmp_path / "toks").write_text("a\n")
    (tmp_path / "parents").write_text(f"{number}\n", encoding="utf-8")
    for read in (read_tai_dependencies, read_tai_constituency):
        with pytest.raises(SentenceError, match=r"not a number|out of range") as caught:
            read(tmp_path / "toks", tmp_path / "parents")
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("number", [LONG, "1_0", "\u0661"])
def test_auto(tmp_path, number):
    (tmp_path / "f.auto").write_text(f"(<T NP 0 {number}> (<L N X X a N>) )\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"as many children|cannot go on"):
        read_auto(tmp_path / "f.auto")
