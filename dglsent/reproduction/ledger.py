"""The ledger: tables in a repository, with what is needed to check their runs on a machine that never had them.

DIR/TABLE.json is the table as `dglsent reproduce` writes it. Each measured row also has `records`, one a run: its
`metrics.json` with the first epochs alone, as many as `--verify` trains again. `code` has the hashes of modules that
these name, once for all runs of the same code.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dglsent.json_text import dumps
from dglsent.lock import locked
from dglsent.reproduction.jobs import Job, jobs_of
from dglsent.reproduction.results import Result, as_json, require_whole
from dglsent.reproduction.staleness import EPOCHS, changed_code, other_recipe
from dglsent.reproduction.tables import Row, Table
from dglsent.training import recipe as recipes
from dglsent.training.provenance import code_digest, hash_of_text
from dglsent.training.run import STALE, VERIFYING, Run, write
from graphs.errors import InputError

_MADE = f".put-back{VERIFYING}"  # ends the name of a run folder that is being made
_WAIT = 300.0  # seconds; a command holds a table while it reads some hundred runs


class Ledger:
    """A table of the ledger.

    Args:
        folder: folder of the ledger.
        table: the table.

    Attributes:
        file: its file, which need not be there yet.

    Raises:
        InputError: the file is not a table, or one of other rows.
    """

    def __init__(self, folder: Path, table: Table) -> None:
        self.file, self._table = folder / f"{table.name}.json", table
        self._own = {(row.name, row.recipe) for row in table.rows}
        self._lost: dict[tuple[str, str | None], list[tuple[int, int | None]]] = {}  # of another recipe, by row
        self._older: set[Path] = set()  # stale runs of which it has another training that is not
        self._read()

    def _read(self) -> None:
        self._known: dict[str, Any] = {"rows": []}
        try:
            if self.file.exists():
                self._known = json.loads(self.file.read_text(encoding="utf-8"))
            self._rows = {(row["name"], row["recipe"]): row for row in self._known["rows"]}
            others = [key for key, row in self._rows.items() if row.get("records") and key not in self._own]
            ours = {None} if self._table.folds is None else set(range(self._table.folds))
            records = [record for row in self._rows.values() for record in row.get("records") or ()]
            folds = [record["fold"] for record in records if record.get("fold") not in ours]
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{self.file}: not a table of `dglsent reproduce` ({error})") from None
        if others:
            name, recipe = others[0]
            raise InputError(
                f"{self.file}: has runs of {name} ({recipe}), which the table {self._table.title!r} does not have, and "
                "they would be lost; reproduce it from the folder in which it was, choose another --ledger, or delete "
                "the row there"
            )
        if folds:
            raise InputError(
                f"{self.file}: has runs of fold {folds[0]}, and {self._table.folds or 'no'} folds has the table "
                f"{self._table.title!r}; they would be lost; choose another --ledger, or delete the runs there"
            )

    @contextmanager
    def held(self, out: Path) -> Iterator[list[str]]:
        """While it lasts no other command writes the table; what others have written by now is read and put back.

        Args:
            out: folder of the runs.

        Yields:
            What `put_back` says.

        Raises:
            InputError: another command writes it, and does not end.
            OSError: it cannot be written.
        """
        with locked(self.file, _WAIT):
            self._read()
            yield self.put_back(out)

    @property
    def command(self) -> str:
        """What made its numbers last; "" where it has none."""
        return str(self._known.get("command", ""))

    def seeds(self) -> set[int]:
        """Seeds of all runs that it has records of."""
        return {record["seed"] for row in self._rows.values() for record in row.get("records") or ()}

    def put_back(self, out: Path) -> list[str]:
        """Makes run folders, without weights, of records whose runs are not there; older copies learn of verifications.

        Args:
            out: folder of the runs.

        Returns:
            What could not be put back, a line a row.

        Raises:
            InputError: records are damaged.
        """
        told = []
        self._older.clear()
        for row in self._table.rows:
            records = self._rows.get((row.name, row.recipe), {}).get("records") or ()
            if not records:
                continue
            try:
                lost, older = self._put_back(row, records, out)
            except InputError as error:
                told.append(f"{row.name}: {error}")
                continue
            except (LookupError, TypeError, AttributeError) as error:
                raise InputError(f"{self.file}: the records of {row.name} are damaged ({error!r})") from None
            if lost:
                known = self._lost.setdefault((row.name, row.recipe), [])
                known += [one for one in lost if one not in known]
                seeds = ", ".join(map(str, dict.fromkeys(seed for seed, _ in lost)))
                told.append(f"{row.name}: its recipe was another in {self.file}, seed {seeds}; train it anew")
            if older:
                self._older.update(older)
                those = ", ".join(map(str, older))
                told.append(f"{row.name}: stale, and trained anew in {self.file}, whose numbers stay; delete {those}")
        return told

    def _put_back(
        self, row: Row, records: Sequence[Mapping[str, Any]], out: Path
    ) -> tuple[list[tuple[int, int | None]], list[Path]]:
        """Makes the run folders of a row; returns the seeds and folds whose recipe was another, and older runs."""
        seeds = sorted({record["seed"] for record in records})
        jobs = [job for of_seed in jobs_of(row, self._table.folds, seeds, out) for job in of_seed]
        by_run = {(job.seed, job.fold): job for job in jobs}
        lost, older, head = [], [], ""
        for record in records:
            job = by_run[_run(record)]
            if job.run.path.exists() or job.beside(STALE).path.exists():  # the latter is trained anew
                if self._is_newer(record["metrics"], job):
                    older.append(job.run.path)
                self._verified_since(job.run, record["metrics"])
                continue
            if record["metrics"]["provenance"]["recipe"] != hash_of_text(job.text):
                lost.append(_run(record))
            else:
                require_whole(record["metrics"])
                metrics = self._with_code(record["metrics"])
                head = head or recipes.head(job.config)  # it tells neither seed nor fold
                made = job.beside(_MADE)
                shutil.rmtree(made.path, ignore_errors=True)
                made.path.mkdir(parents=True)
                write(made.config_file, head + job.text)
                made.save_metrics(metrics)
                made.path.rename(job.run.path)  # whole or not at all, however it ends
        return lost, older

    def _is_newer(self, record: Mapping[str, Any], job: Job) -> bool:
        """Whether a record is of another training than the run here, which is stale, and is not stale itself.

        Files of one's own do not count: a record cannot say whether it was made with those of today.
        """
        if not job.run.metrics_file.is_file() or job.run.metrics()["seconds"] == record["seconds"]:
            return False
        made_of = self._with_code(record)["provenance"]
        is_fresh = made_of["recipe"] == hash_of_text(job.text) and changed_code(made_of) is None
        return is_fresh and bool(other_recipe(job) or changed_code(job.run.metrics().get("provenance")))

    def _verified_since(self, run: Run, record: Mapping[str, Any]) -> None:
        """Tells an older copy of a run that it was verified elsewhere, lest it undoes that when it is written."""
        elsewhere = self._with_code(record)["provenance"].get("verified", ())
        if not (elsewhere and run.metrics_file.is_file()):
            return
        here = run.metrics()
        made_of = here.get("provenance", {})
        verified = made_of.get("verified", [])
        news = [each for each in elsewhere if each not in verified]
        # No two trainings take as long to the last digit.
        if news and here["seconds"] == record["seconds"]:
            run.save_metrics({**here, "provenance": {**made_of, "verified": [*verified, *news]}})

    def _with_code(self, metrics: Mapping[str, Any]) -> dict[str, Any]:
        code, made_of = self._known["code"], metrics["provenance"]
        verified = [{**each, "code": code[each["code"]]} for each in made_of.get("verified", ())]
        own = made_of["code"] and code[made_of["code"]]
        return {**metrics, "provenance": {**made_of, "code": own, **({"verified": verified} if verified else {})}}

    def write(self, results: Sequence[Result], command: str) -> None:
        """Writes the table with records of its finished runs; a row of which more is known than was found stays.

        Args:
            results: the whole table.
            command: what made it.
        """
        told, code = as_json(self._table, results, command), dict[str, Mapping[str, str]]()
        for place, (row, result) in enumerate(zip(told["rows"], results, strict=True)):
            key = row["name"], row["recipe"]
            known = self._rows.get(key, {})
            folders = [folder for folder in map(Path, result.finished) if folder not in self._older]
            finished = {folder: Run(folder).metrics() for folder in folders}
            # Runs that do not say of which code they are are stale, and nothing could verify them.
            records = [_record(folder.name, made, code) for folder, made in finished.items() if made.get("provenance")]
            lost = self._lost.get(key, ())
            runs_known = {_run(record) for record in known.get("records") or ()}
            if runs_known and (not result.runs or runs_known.difference(lost, map(_run, records))):
                told["rows"][place] = known
                code.update({digest: self._known["code"][digest] for digest in _digests(known["records"])})
            elif result.runs:
                del row["runs"]  # where they lie here
                row["records"] = records
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write(self.file, dumps({**told, "code": dict(sorted(code.items()))}, indent=1) + "\n")


def _run(record: Mapping[str, Any]) -> tuple[int, int | None]:
    """The seed and the fold of a record."""
    return record["seed"], record["fold"]


def _digests(records: Sequence[Mapping[str, Any]]) -> set[str]:
    """What records call the code that they are of."""
    made_of = [record["metrics"]["provenance"] for record in records]
    parts = [part for each in made_of for part in (each, *each.get("verified", ()))]
    return {part["code"] for part in parts if part["code"]}


def _latest(verified: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The last verification, and before it the last with the code of today where that is another."""
    last = verified[-1:]
    today = [each for each in verified if changed_code(each) is None][-1:]
    return [*(each for each in today if each not in last), *last]


def _record(folder: str, metrics: Mapping[str, Any], code: dict[str, Mapping[str, str]]) -> dict[str, Any]:
    """What the ledger keeps of a run in a folder of that name; its hashes of modules go to `code`."""

    def kept(hashes: Mapping[str, str] | None) -> str | None:
        if hashes is None:
            return None
        digest = code_digest(hashes)
        code[digest] = hashes
        return digest

    made_of = metrics["provenance"]
    verified = [{**each, "code": kept(each["code"])} for each in _latest(made_of.get("verified", ()))]
    whole = {**made_of, "code": kept(made_of["code"]), **({"verified": verified} if verified else {})}
    metrics = {**metrics, "history": metrics["history"][:EPOCHS], "provenance": whole}
    fold = folder.removeprefix("fold-")
    return {"seed": metrics["seed"], "fold": int(fold) if fold != folder else None, "metrics": metrics}
