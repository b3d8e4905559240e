"""Whether this code still gives the numbers of the tables: cheap rows trained anew with a seed that nobody chose by.

`python -m dglsent.reproduction.numbers`, or `make numbers`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dglsent.reproduction import tables
from dglsent.reproduction.jobs import jobs_of
from dglsent.reproduction.recorded import LEDGER, rows_of
from dglsent.reproduction.table_text import NONE, aligned
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_corpus
from dglsent.training.denormals import denormals_flushed
from dglsent.training.device import set_threads
from dglsent.training.fit import fit
from dglsent.training.provenance import recipe_hash
from dglsent.training.run import Run
from graphs.errors import InputError

# Table and recipe. Together they pass through pairs, trees, complete graphs and tagging.
ROWS = (("sick-relatedness", "sick/tree-lstm"), ("cn3-trec", "trec/cn3"), ("cn3-pos", "ptb-pos/cnn"))
SEED = 1009  # no recipe was chosen by it
DEVIATIONS = 3.0
FAILED, BAD_INPUT = 1, 2
_COLUMNS = ("row", "score", "mean", "sd", "seeds", "lowest", "ours", "deviations", "verdict")


@dataclass(frozen=True, slots=True)
class Check:
    """A row trained anew.

    Attributes:
        row: its recipe.
        score: what is compared.
        mean: of the ledger, over its seeds.
        sd: their standard deviation.
        seeds: how many they are.
        ours: what this code gives; None where the row was skipped.
        remark: what else a reader should know.
    """

    row: str
    score: str
    mean: float
    sd: float
    seeds: int
    ours: float | None = None
    remark: str = ""

    @property
    def lowest(self) -> float:
        """What is still believed to be chance."""
        return self.mean - DEVIATIONS * self.sd

    @property
    def verdict(self) -> str:
        """In one word."""
        if self.ours is None:
            return "skipped"
        return "ok" if self.ours >= self.lowest else "LOW"


def check(table: str, recipe: str, ledger: Path, *, seed: int = SEED, data: Path | None = None) -> Check:
    """Trains a row and looks where its score lies.

    Args:
        table: the table, by name or file; its first score counts, which is to be high.
        recipe: the row's.
        ledger: folder of tables as JSON, as `dglsent reproduce` writes them.
        seed: the seed.
        data: the data folder; None for that of the environment.

    Raises:
        InputError: the ledger lacks the row or has one seed of it alone, or its recipe cannot be used.
    """
    known = tables.load(table)
    score, row = known.scores[0], next((row for row in known.rows if row.recipe == recipe), None)
    if row is None:
        raise InputError(f"table {known.name} has no row of {recipe}")
    found = _measured(ledger / f"{known.name}.json", recipe)
    spread = found["ours"][score.key]
    if spread["sd"] is None:
        raise InputError(f"{ledger / known.name}.json: {recipe} has one seed; its spread wants several")
    ((job, *_),) = jobs_of(row, known.folds, [seed], Path())
    expected = Check(recipe, score.label, spread["mean"], spread["sd"], len(found["seeds"]))
    try:
        load_corpus(recipes.instantiate(job.config), data)
    except InputError as error:
        return replace(expected, remark=f"no data: {error}")
    set_threads(found["threads"])
    with tempfile.TemporaryDirectory() as folder, denormals_flushed():
        metrics = fit(job.config.clone(), Run(Path(folder) / "run"), data=data)
    ours = metrics[score.split][score.name]
    if ours is None:
        raise InputError(f"{recipe}: its {score.label} is not a number")
    remarks = [f"stale in the ledger: {line}" for line in found.get("stale", ())]
    job.config.seed = found["seeds"][0]
    if found.get("recipe_hash") != recipe_hash(job.config):
        remarks.append("the ledger's recipe was another")
    return replace(expected, ours=ours * score.factor, remark="; ".join(remarks))


def _measured(file: Path, recipe: str) -> dict[str, Any]:
    """The row of a recipe in a table of the ledger."""
    if not file.is_file():
        raise InputError(f"{file}: not there; `dglsent reproduce TABLE --ledger DIR` writes it")
    row = next((row for row in rows_of(file) if row["recipe"] == recipe), None)
    if row is None:
        raise InputError(f"{file}: has no number of {recipe}; make it with `dglsent reproduce`")
    return row


def as_text(checks: Sequence[Check]) -> str:
    """What was compared, as Markdown whose columns stand in line."""
    lines = [list(_COLUMNS)]
    for each in checks:
        ours, distance = NONE, NONE
        if each.ours is not None:
            ours = f"{each.ours:.4f}"
            distance = f"{(each.ours - each.mean) / each.sd:+.1f}" if each.sd else NONE
        known = [f"{number:.4f}" for number in (each.mean, each.sd)]
        lines.append(
            [each.row, each.score, *known, str(each.seeds), f"{each.lowest:.4f}", ours, distance, each.verdict]
        )
    remarks = [f"{each.row}: {each.verdict}: {each.remark}" for each in checks if each.remark]
    return "\n".join([aligned(lines), *remarks]) + "\n"


def main(arguments: Sequence[str] | None = None, rows: Sequence[tuple[str, str]] = ROWS) -> int:
    """Checks the rows; returns 1 where one is low or was skipped, 2 where the ledger cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m dglsent.reproduction.numbers", description=__doc__)
    parser.add_argument("--ledger", type=Path, default=LEDGER, metavar="DIR", help=f"tables as JSON; {LEDGER}")
    parser.add_argument("--allow-skipped", action="store_true", help="rows without data do not fail")
    options = parser.parse_args(arguments)
    checks, broken = [], False
    for table, recipe in rows:
        print(f"{recipe}: training with seed {SEED}", file=sys.stderr, flush=True)
        try:
            checks.append(check(table, recipe, options.ledger))
        except InputError as error:
            broken = True
            print(f"dglsent: {error}", file=sys.stderr, flush=True)
    print(as_text(checks), end="", flush=True)
    failing = {"LOW"} if options.allow_skipped else {"LOW", "skipped"}
    if any(each.verdict in failing for each in checks):
        return FAILED
    return BAD_INPUT if broken else 0


if __name__ == "__main__":
    sys.exit(main())
