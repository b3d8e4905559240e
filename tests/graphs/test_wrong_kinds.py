"""What is of another kind than a function wants is refused in a line that says what was given and what is wanted."""

from __future__ import annotations

import subprocess
import sys

import pytest

import graphs
from dglsent.passing import Batch
from graphs.errors import InputError

(TREE,) = graphs.parse_brackets("(S (NN film) (VBD worked))")
(SENTENCE,) = graphs.parse_conllu("1\tfilm\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
VOCABULARIES = graphs.Vocabularies.of([TREE, SENTENCE])


def test_builders():
    with pytest.raises(InputError, match=r"Constituency is wanted, and Dependencies was given; .*graphs\.dependency"):
        graphs.constituency(SENTENCE, VOCABULARIES)
    with pytest.raises(InputError, match=r"Dependencies is wanted, and Constituency was given; .*graphs\.constituency"):
        graphs.dependency(TREE, VOCABULARIES)


def test_batches():
    made = graphs.constituency(TREE, VOCABULARIES)
    with pytest.raises(InputError, match="list of sentence graphs is wanted, and a value of type DGL"):
        Batch.of(made.dgl())
    with pytest.raises(InputError, match=r"such as graphs\.dependency makes, are wanted, and a Constituency was given"):
        Batch.of([made, TREE])


def test_a_file_that_hides_the_package(tmp_path):
    (tmp_path / "graphs.py").write_text("")
    (tmp_path / "script.py").write_text("import dglsent\n")
    ended = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert "graphs.py hides the package graphs" in ended.stderr
    assert ended.returncode == 1
