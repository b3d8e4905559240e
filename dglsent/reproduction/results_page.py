"""The page of results: what a ledger has measured, what it says of the papers' claims, and which rows it lacks.

`make results` writes these into docs/results.md, between the lines that name them; the text around them is written by
hand.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from dglsent.reproduction import tables
from dglsent.reproduction.claims import gains
from dglsent.reproduction.recorded import LEDGER, by_seed, main_score, measured
from dglsent.reproduction.table_text import of_folds, spread
from dglsent.reproduction.tables import Score, Table, cited
from dglsent.training.means import mean_and_sd
from dglsent.training.run import write
from graphs.errors import InputError

PAGE = Path("docs/results.md")
CLAIMS = Path("docs/claims.yaml")
_HEADER = "| row | recipe | published | test | dev | seeds | minutes |\n|---|---|---|---|---|---|---|"
_WIDTH = 119


def rows(ledger: Path) -> str:
    """The measured rows, a table for each paper and corpus, in the order of the papers' first authors.

    Args:
        ledger: folder of TABLE.json.

    Raises:
        InputError: a file of it is not a table, or a row is stale.
    """
    parts = [part for name in tables.names() for part in _parts(tables.load(name), measured(ledger, name))]
    return "\n\n".join(text for _, text in sorted(parts, key=lambda part: part[0]))


def unmeasured(ledger: Path) -> str:
    """The rows that have a recipe and no number, an item a table."""
    items = [_lacking(tables.load(name), measured(ledger, name)) for name in tables.names()]
    return "\n".join(item for item in items if item)


def splice(page: str, name: str, text: str) -> str:
    """The page with a text between the lines `<!-- NAME -->` and `<!-- end of NAME -->`.

    Raises:
        InputError: the page lacks them.
    """
    between = re.compile(rf"(?<=<!-- {re.escape(name)} -->\n).*(?=<!-- end of {re.escape(name)} -->)", re.DOTALL)
    if not between.search(page):
        raise InputError(f"the page has no lines <!-- {name} --> and <!-- end of {name} -->")
    return between.sub(lambda _: f"\n{text}\n\n", page)


def _parts(table: Table, measured: Sequence[Mapping[str, Any]]) -> Iterator[tuple[tuple[str, str], str]]:
    """What sorts it and the text of each paper's part of a table."""
    score = main_score(table)
    if score is None:
        return
    for paper, found in groupby(measured, key=lambda row: cited(row["paper"])):
        lines = [_line(table, score, row) for row in found]
        note = [_filled(table.note)] if table.note else []
        command = f"`dglsent reproduce {table.name}`"
        text = "\n\n".join([f"### {paper}: {table.title}", *note, command, "\n".join([_HEADER, *lines])])
        yield (paper, table.name), text


def _line(table: Table, score: Score, row: Mapping[str, Any]) -> str:
    digits = 1 if table.percent else 4
    published = spread(row["published"].get(score.key), digits).partition(" (")[0]
    cells = [row["name"], f"`{row['recipe']}`", published, spread(row["ours"][score.key], digits)]
    dev = spread(mean_and_sd([*by_seed(table, row, score, "dev").values()]), digits)
    seeds = f"{', '.join(map(str, row['seeds']))}{of_folds(table, row)}"
    return f"| {' | '.join([*cells, dev, seeds, _minutes(row['seconds'])])} |"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f}" if seconds >= 60 else "< 1"


def _lacking(table: Table, measured: Sequence[Mapping[str, Any]]) -> str:
    known = {row["recipe"] for row in measured}
    wanted = dict.fromkeys(row.name for row in table.rows if row.recipe and row.recipe not in known)
    if not wanted:
        return ""
    folds = f" ({table.folds} folds a row)" if table.folds else ""
    what = "; ".join(wanted) if known else "all rows"
    return _filled(f"- {table.title}, `{table.name}`{folds}: {what}", indent="  ")


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes rows, gains and what is not measured into the page."""
    parser = argparse.ArgumentParser(prog="python -m dglsent.reproduction.results_page", description=__doc__)
    parser.add_argument("--ledger", type=Path, default=LEDGER, metavar="DIR", help=f"tables as JSON; {LEDGER}")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help=f"the page; {PAGE}")
    parser.add_argument("--claims", type=Path, default=CLAIMS, metavar="FILE", help=f"which gains; {CLAIMS}")
    options = parser.parse_args(arguments)
    try:
        page = options.page.read_text(encoding="utf-8")
        page = splice(page, "rows", rows(options.ledger))
        for claim, text in gains(options.claims, options.ledger).items():
            page = splice(page, claim, text)
        write(options.page, splice(page, "not measured", unmeasured(options.ledger)))
    except (OSError, InputError) as error:
        print(f"dglsent: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
