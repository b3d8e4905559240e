"""Which numbers options may be: `training/ranges.py`."""

from __future__ import annotations

import pytest
from tiny import TINY, recipe

from dglsent.corpora.built_in import Reviews
from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from graphs.errors import InputError

ONE = TINY.replace("epochs: 2", "epochs: 1")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("training.batch_size", "0"),
        ("training.epochs", "0"),
        ("training.epochs", "-1"),
        ("training.patience", "0"),
        ("training.workers", "-1"),
        ("encoder.hidden", "0"),
        ("encoder.hidden", "-3"),
        ("embedding.dim", "0"),
        ("embedding.dropout", "2"),
        ("embedding.dropout", "-0.1"),
        ("task.dropout", "1.5"),
        ("task.dropout", ".nan"),
        ("task.classes", "0"),
        ("optimiser.lr", ".nan"),
        ("optimiser.lr", "-0.1"),
        ("optimiser.lr", ".inf"),
        ("optimiser.weight_decay", "-1"),
        ("optimiser.momentum", "1"),
        ("seed", "-1"),
        ("seed", "4294967296"),
        ("encoder.hidden", "9999999999999999999"),
        ("training.epochs", "1000000001"),
        ("corpus.train", "-5"),
    ],
)
def test_ranges_of_options(key, value):
    reason = "expected a number, not NaN" if value == ".nan" else ".* is (not|below) "
    with pytest.raises(InputError, match=f"^{key}: {reason}") as refused:
        recipes.resolve(TINY, [f"--{key}={value}"])
    assert "\n" not in str(refused.value)


def test_ranges_in_files_and_of_the_seed(tmp_path, program):
    file = recipe(tmp_path, ONE.replace("hidden: 6", "hidden: 0"))
    program.refuses("fit", file, saying=["tiny.yaml: encoder.hidden: 0 is below 1"])
    for seed in ("-1", "4294967296", "1e3", "9" * 5000):
        program.refuses("fit", recipe(tmp_path), f"--seed={seed}", saying=["--seed"])
    # A size that torch cannot make.
    huge = ("--encoder.hidden", 10**9)
    program.refuses("fit", recipe(tmp_path), "--out", tmp_path / "run", *huge, saying=["encoder:"])


def test_ranges_are_those_of_our_own_keys():
    """A class of others may have a share that is called `train`, and layers below zero."""
    text = TINY.replace("dglsent.corpora.built_in.Reviews", f"{__name__}.Named").replace(
        "train: 60, dev: 20, test: 30", "train: 0.8"
    )
    assert recipes.resolve(text).corpus.init_args.train == 0.8
    with pytest.raises(InputError, match=r"^corpus\.hidden: inf is not a finite number"):
        recipes.resolve(text, ["--corpus.hidden=.inf"])


def test_a_scale_goes_up():
    text = recipe_files.find("sick/tree-lstm").read_text(encoding="utf-8")
    assert recipes.resolve(text, ["--task.high", "2"]).task.init_args.high == 2
    for option, value in (("high", 1), ("low", 5), ("low", 6)):
        with pytest.raises(InputError, match=r"^task\.low: \d is not below task\.high$"):
            recipes.resolve(text, [f"--task.{option}", str(value)])


class Named(Reviews):
    def __init__(self, train: float = 0.8, hidden: float = -1.0) -> None:
        super().__init__()
