"""`dglsent reproduce`: the rows of a published table, trained here and printed beside the published numbers."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dglsent.cli.console import resumed_by, say, tell
from dglsent.cli.options import Parser, add_data, add_device, names, positive, seeds, written
from dglsent.json_text import dumps
from graphs.errors import InputError

if TYPE_CHECKING:
    from dglsent.reproduction.ledger import Ledger
    from dglsent.reproduction.reproduction import Reproduction
    from dglsent.reproduction.tables import Table

_EPILOGUE = """
Runs lie in DIR/RECIPE/seed-N, those of folds in DIR/RECIPE/seed-N/fold-K, as those of `dglsent fit` do: finished ones
are not trained again, interrupted ones go on. DIR/tables has the whole table, of these seeds, as Markdown and JSON. A
row that fails is reported on standard error, and the exit code is 1. A row is marked stale where its recipe, a file or
code of yours that the recipe names, or the code of dglsent that its training used has changed since, or where its runs
do not say which code that was; its numbers are those of all runs, stale or not.
"""

FAILED = 1


def make_parser() -> Parser:
    """The options."""
    parser = Parser("reproduce", "Train the rows of a published table and print it with ours beside.")
    parser.epilog = _EPILOGUE
    parser.add_argument("table", metavar="TABLE", nargs="?", help="name of a table (--list) or a YAML file")
    parser.add_argument("--list", action="store_true", help="list the tables, or the rows of TABLE that can be trained")
    parser.add_argument("--seeds", type=seeds, default=[1], metavar="1,2,3", help="seeds of each row; 1 by default")
    parser.add_argument("--rows", type=names, default=[], metavar="A,B", help="only these: names of rows or recipes")
    parser.add_argument(
        "--folds", type=positive, metavar="N", help="in a table with folds, train the first N; its rows say so"
    )
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="trainings side by side; 1 by default")
    parser.add_argument(
        "--out", type=written, default=Path("runs"), metavar="DIR", help="folder of runs and tables; runs by default"
    )
    stale = parser.add_mutually_exclusive_group()
    stale.add_argument("--refresh", action="store_true", help="train stale runs anew")
    stale.add_argument(
        "--verify",
        action="store_true",
        help="train nothing but the first epochs of stale runs, each on the threads and the device that it had; a "
        "run for which they are the same to the last digit is no longer stale",
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="with --verify, on a CPU that rounds otherwise: a checkout of the code that made the runs, whose first "
        "epochs are trained here, too, and compared",
    )
    parser.add_argument(
        "--steps",
        type=positive,
        metavar="N",
        help="with --against: compare N steps of training and what the model then says of some dev examples, on one "
        "thread, in a fraction of the time of an epoch; tells nothing of what happens between epochs",
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        metavar="DIR",
        help="keep the table in DIR/TABLE.json with what its runs were made of; runs that it knows and DIR of --out "
        "lacks are put back without weights, to be verified and not trained again",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_data(parser)
    add_device(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Train what is missing; prints the table."""
    parser = make_parser()
    options = parser.parse_args(arguments)

    if options.list:
        if options.rows and options.table is None:
            parser.error("--rows wants a TABLE")
        _list(options.table, options.rows)
        return 0
    if options.table is None:
        parser.error("name a TABLE, or --list")
    return _reproduce(options, f"dglsent reproduce {shlex.join(arguments)}")


def _list(chosen: str | None, rows: Sequence[str]) -> None:
    from dglsent.reproduction import tables

    if chosen:
        for row in tables.load(chosen).select(rows):
            if row.recipe:
                tell(f"{row.recipe:<44}{row.name} ({tables.cited(row.paper)})")
        return
    for name in tables.names():
        table = tables.load(name)
        papers = dict.fromkeys(tables.cited(row.paper) for row in table.rows)
        print(f"{name:<20}{table.title} ({'; '.join(papers)})")


def _check(options: Namespace) -> None:
    code = options.against
    if options.steps and not code:
        raise InputError("--steps: compares with other code; name its checkout with --against DIR")
    usual = {"device": ("auto", "cpu"), "threads": (None, 1), "jobs": (1,)}
    odd = next((name for name, values in usual.items() if getattr(options, name) not in values), None)
    if options.steps and odd:
        raise InputError(f"--{odd}: --steps compares runs one by one, on one thread of the CPU; leave it out")
    if code and not options.verify:
        raise InputError("--against: is for --verify; give both")
    if code and not (code / "dglsent" / "cli" / "watched.py").is_file():
        raise InputError(f"--against {code}: no checkout of dglsent; `git worktree add {code} COMMIT` makes one")


def _reproduce(options: Namespace, command: str) -> int:
    from dglsent.corpora.corpus import data_folder
    from dglsent.reproduction import tables
    from dglsent.reproduction.reproduction import Reproduction
    from dglsent.reproduction.results import as_json
    from dglsent.reproduction.table_text import as_text
    from dglsent.training.device import pick_device

    table = tables.load(options.table)
    chosen = table.select(options.rows)
    _check(options)
    if options.folds and options.folds > (table.folds or 0):
        raise InputError(f"--folds {options.folds}: table {table.name} has {table.folds or 'none'}")
    pick_device(options.device)
    if options.data:
        data_folder(options.data)
    ledger = _opened_ledger(options, table) if options.ledger else None
    making = Reproduction(table, chosen, options.seeds, options.out, say, options.folds, options.data)
    with resumed_by(command):
        _make(making, options)
    if making.outdated:
        names = dict.fromkeys(job.row.name for job in making.outdated)
        say(f"stale: {', '.join(names)}; --verify compares their first epochs, --refresh trains them anew")
    results = making.results()
    _save(options.out / "tables" / table.name, as_json(table, results, command), as_text(table, results, command))
    shown = [result for result in results if result.row in chosen]
    if options.json:
        tell(_dumped(as_json(table, shown, command)), end="")
    else:
        tell(as_text(table, shown, command), end="", flush=True)
    if ledger:
        with ledger.held(options.out):
            every_seed = sorted({*options.seeds, *ledger.seeds()})
            made_by = (options.verify and ledger.command) or command  # a verification makes no number
            ledger.write(Reproduction(table, (), every_seed, options.out, say, data=options.data).results(), made_by)
    if making.failed:
        say(f"failed: {', '.join(row.name for row in making.failed)}; the same command tries again")
    return FAILED if making.failed else 0


def _opened_ledger(options: Namespace, table: Table) -> Ledger:
    """The ledger of a table; what cannot be written there is told before hours of training."""
    from dglsent.reproduction.ledger import Ledger

    options.ledger.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(options.ledger, table)
    with ledger.held(options.out) as lost:
        for line in lost:
            say(line)
    return ledger


def _make(making: Reproduction, options: Namespace) -> None:
    """Trains or verifies the runs."""
    if options.refresh:
        making.refresh()
    if options.verify and options.steps:
        making.verify_steps(options.steps, options.against, options.data)
    elif options.verify:
        making.verify(_passed_on(options), options.jobs, options.against)
    else:
        if making.missing:
            say(f"to train: {len(making.missing)}; logs stand beside the run folders, such as {making.missing[0].log}")
        making.train(_passed_on(options), options.jobs)


def _passed_on(options: Namespace) -> list[str]:
    """What every training is told."""
    data = ["--data", str(options.data)] if options.data else []
    threads = ["--threads", str(options.threads)] if options.threads else []
    return ["--device", options.device, *data, *threads]


def _save(stem: Path, as_json: dict[str, Any], as_text: str) -> None:
    from dglsent.training.run import write

    stem.parent.mkdir(parents=True, exist_ok=True)
    write(stem.with_name(f"{stem.name}.md"), as_text)
    write(stem.with_name(f"{stem.name}.json"), _dumped(as_json))


def _dumped(values: dict[str, Any]) -> str:
    return dumps(values, indent=2) + "\n"
