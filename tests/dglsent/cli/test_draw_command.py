from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphs
from graphs.columns import Dependencies
from graphs.drawing import Svg

TREE = "(S (NP (DT the) (NN film)) (VP (VBD was) (JJ good)))"
CONLLU = "1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tfilm\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def test_brackets_and_conllu_are_drawn_gzipped_too(tmp_path, program):
    trees, conllu = tmp_path / "a.brackets.gz", tmp_path / "a.conllu"
    trees.write_bytes(gzip.compress(f"{TREE}\n\n{TREE}\n(X y)\n".encode()))
    conllu.write_text(CONLLU * 3)
    out = tmp_path / "out"
    code, said, err = program("draw", trees, conllu, "--out", out, "--limit", 2, "--paper", "light")
    assert (code, err) == (0, "")
    assert said.split() == [str(out / f"a-{number:04}.svg") for number in (1, 2, 3, 4)]
    (tree,) = graphs.parse_brackets(TREE)
    (parsed,) = graphs.parse_conllu(CONLLU)
    drawn = [graphs.tree_svg(tree), graphs.tree_svg(tree), *2 * [graphs.dependencies_svg(parsed)]]
    assert [Path(file).read_text() for file in said.split()] == [svg.light() for svg in drawn]


def test_a_name_may_have_dots(tmp_path, program):
    files = [tmp_path / name for name in ("x.train.brackets", "x.test.conllu.gz")]
    files[0].write_text(TREE)
    files[1].write_bytes(gzip.compress(CONLLU.encode()))
    code, said, err = program("draw", *files, "--out", tmp_path)
    assert (code, err) == (0, "")
    assert said.split() == [str(tmp_path / f"x.{name}-0001.svg") for name in ("train", "test")]


def test_options_stand_among_files(tmp_path, program):
    files = [tmp_path / f"{name}.brackets" for name in "ab"]
    for file in files:
        file.write_text(TREE)
    code, said, err = program("draw", files[0], "--out", tmp_path, files[1])
    assert (code, err) == (0, "")
    assert said.split() == [str(tmp_path / f"{name}-0001.svg") for name in "ab"]


def test_a_tree_of_one_word_on_standard_input(tmp_path, program, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"(UH Yes)\n")))
    code, said, err = program("draw", "--out", tmp_path)
    assert (code, said, err) == (0, f"{tmp_path / 'sentence-0001.svg'}\n", "")


def test_standard_input_dark_and_in_rows(tmp_path, program, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONLLU.encode())))
    code, said, err = program("draw", "--out", tmp_path, "--paper", "dark", "--compact")
    assert (code, err) == (0, "")
    (parsed,) = graphs.parse_conllu(CONLLU)
    assert isinstance(parsed, Dependencies)
    expected = graphs.dependencies_svg(parsed, compact=True)
    assert Svg((tmp_path / "sentence-0001.svg").read_text()) == expected.dark()
    assert said.split() == [str(tmp_path / "sentence-0001.svg")]


def test_what_cannot_be_drawn_is_told(tmp_path, program):
    broken = tmp_path / "b.conllu"
    broken.write_text(CONLLU + CONLLU.replace("\t2\tdet", "\t7\tdet") + CONLLU)
    code, said, err = program("draw", broken, "--out", tmp_path / "out")
    assert code == 2
    assert [Path(file).name for file in said.split()] == ["b-0001.svg", "b-0003.svg"]
    assert re.fullmatch(r"dglsent: .*b\.conllu:4.*\n", err)
    text = tmp_path / "c.txt"
    text.write_text("The film was good .\n")
    out = tmp_path / "nothing"
    program.refuses("draw", text, "--out", out, saying=["c.txt", "neither brackets nor CoNLL-U", "`dglsent parse`"])
    text.write_text("\n")
    program.refuses("draw", text, "--out", out, saying=["c.txt: holds no sentences"])
    assert not out.exists()


@pytest.mark.parametrize("name", ["ctb.fid", "ctb.mrg"])
def test_markup_between_trees_is_told(name, tmp_path, program):
    """As the Chinese Treebank has it."""
    file = tmp_path / name
    file.write_text(f"<DOC>\n<DOCID> CTV </DOCID>\n<S ID=1>\n{TREE}\n</S>\n</DOC>\n")
    program.refuses("draw", file, "--out", tmp_path / "out", saying=[f"{name}:1: '<DOC>' is markup", "grep -v '^<'"])
    file.write_text(TREE.replace("(", "(<", 1))
    assert program("draw", file, "--format", "brackets", "--out", tmp_path / "out")[0] == 0


def test_sentences_without_heads_are_told_and_the_others_drawn(tmp_path, program):
    mixed = tmp_path / "mixed.conllu"
    mixed.write_text(CONLLU + CONLLU.replace("\t2\tdet", "\t_\t_").replace("\t0\troot", "\t_\t_") + CONLLU)
    code, said, err = program("draw", mixed, "--out", tmp_path / "out")
    assert code == 2
    assert [Path(file).name for file in said.split()] == ["mixed-0001.svg", "mixed-0003.svg"]
    told = r"dglsent: .*mixed\.conllu:4, sentence 2: tags alone, without heads; `dglsent parse` without --tags .*\n"
    assert re.fullmatch(told, err)


def test_drawing_needs_no_model(tmp_path):
    """Neither torch nor DGL are imported."""
    code = (
        "import sys; from dglsent.cli.main import main; main(['draw', sys.argv[1], '--out', sys.argv[2]]); "
        "print(sorted({'torch', 'dgl', 'stanza', 'matplotlib'} & set(sys.modules)))"
    )
    file = tmp_path / "a.brackets"
    file.write_text(TREE)
    done = subprocess.run(
        [sys.executable, "-c", code, str(file), str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
