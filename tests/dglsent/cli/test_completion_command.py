from __future__ import annotations

import subprocess

import pytest

from dglsent.cli.main import COMMANDS

# What a press of the tab key does; nothing is on the path, so that nothing but the shell runs.
ASK = """
PATH=
source "$0"
complete() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=()
_shtab_dglsent dglsent "${COMP_WORDS[$COMP_CWORD]}" ""
echo "${COMPREPLY[*]}"
"""


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("p", {"parse", "predict"}),
        ("--vers", {"--version"}),
        ("fit sick/tree-g", {"sick/tree-gru"}),
        ("fit mine", {"mine.yaml"}),
        ("fit sick/tree-lstm --training.ep", {"--training.epochs"}),
        ("predict --struc", {"--structure"}),
        ("build x --graph constit", {"constituency", "constituency-nary"}),
        ("fit sick/tree-lstm --graph constit", {"constituency", "constituency-nary"}),
        ("fit sick/tree-lstm --training.precision b", {"bf16-mixed"}),
        ("reproduce sick-ent", {"sick-entailment"}),
        ("analyse attribute", {"attribute-effect", "attribute-results"}),
        ("parse in out --stanza-dir fo", {"folder"}),
    ],
)
def test_bash_completes(typed, offered, script, tmp_path):
    (tmp_path / "mine.yaml").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "fool").touch()
    asked = ["bash", "-c", ASK, str(script), "dglsent", *typed.split()]
    said = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert set(said.stdout.split()) == offered, said.stderr


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    from contextlib import redirect_stdout

    from dglsent.cli.main import main

    path = tmp_path_factory.mktemp("completion") / "dglsent.bash"
    with path.open("w", encoding="utf-8") as file, redirect_stdout(file):
        assert main(["completion", "bash"]) == 0
    return path


def test_zsh_has_every_command(program):
    code, said, _ = program("completion", "zsh")
    assert code == 0
    assert said.startswith("#compdef dglsent")
    assert all(f"    {command}:" in said for command in COMMANDS)
    assert "sick/tree-lstm" in said
    (recipes,) = (line for line in said.splitlines() if line.startswith("_dglsent_recipes()"))
    assert recipes.endswith("; _files }")  # a recipe may be a file of one's own
    assert ":RECIPE:_dglsent_recipes" in said
    assert "--encoder.help" not in said  # is no key of a recipe


def test_another_shell_is_refused(program):
    program.refuses("completion", "fish", saying=["fish", "bash", "zsh"])
