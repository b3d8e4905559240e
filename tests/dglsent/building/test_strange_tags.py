"""Tags of another tag set than a model's are unknown to it, and it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import Program

RECIPE = """
corpus: {{class_path: LabelledText, init_args: {{train: {0}, dev: {0}, test: {0}}}}}
graph: complete
encoder: {{class_path: CN3, init_args: {{hidden: 4, attributes: {{tag_dim: {1}}}}}}}
task: {{class_path: Classification, init_args: {{classes: 2}}}}
embedding: {{dim: 4}}
training: {{epochs: 1}}
"""
SENTENCE = "# label = {}\n1\tthe\t_\tDET\t{}\t_\t2\tdet\t_\t_\n2\t{}\t_\tNOUN\t{}\t_\t0\troot\t_\t_\n\n"


def _sentences(path: Path, *xpos: str) -> Path:
    path.write_text("".join(SENTENCE.format(label, xpos[0], word, xpos[1]) for label, word in ("ax", "by")) * 4)
    return path


@pytest.mark.parametrize("tag_dim", [4, 0])
def test_tags_of_another_set_are_told(tmp_path: Path, program: Program, tag_dim: int) -> None:
    known, other = _sentences(tmp_path / "u.conllu", "_", "_"), _sentences(tmp_path / "x.conllu", "DT", "NN")
    (tmp_path / "own.yaml").write_text(RECIPE.format(known, tag_dim))
    run = tmp_path / "run"
    assert program("fit", tmp_path / "own.yaml", "--out", run)[0] == 0
    for command in (["predict", run], ["test", run], ["record", run, "--out", tmp_path / "table"]):
        code, _, err = program(*command, other)
        assert code == 0
        told = "most tags, such as DT and NN, are unknown to the model, which knows tags such as DET and NOUN"
        assert err.count(told) == (1 if tag_dim else 0)
    for name in ("predict", "test"):
        assert "most tags" not in program(name, run, known)[2]
    half, more = _sentences(tmp_path / "half.conllu", "DET", "NN"), tmp_path / "more.conllu"
    more.write_text(half.read_text() + other.read_text())
    assert "most tags" not in program("test", run, half)[2]
    assert ("most tags, such as NN and DT, are" in program("test", run, more)[2]) == bool(tag_dim)
    for tags, told in (
        ((("DET", "NN"), ("NOUN", "NN"), ("NN", "NN")), "such as NN, are"),  # one tag of three, and most tokens
        ((("DET", "NN"), ("JJ", "NN"), ("DET", "VB")), "such as NN and JJ, are"),  # the most frequent ones
    ):
        more.write_text("".join(_sentences(tmp_path / "part.conllu", *two).read_text() for two in tags))
        assert (f"most tags, {told}" in program("test", run, more)[2]) == bool(tag_dim)
