"""Kills fit, parse and reproduce at random moments, and looks at what is left and at what they come to in the end.

    python tests/dglsent/chaos.py --trials 100 --seed 1 [--kinds fit,parse,reproduce]

A trial runs a command, sends it SIGKILL, SIGTERM or SIGINT at a random moment, and runs it again, up to three times,
then lets it end. Its files must be those of a run that nobody disturbed, and no file that was being written, no lock
and no process may be left. The commands run in forks of a process that has imported everything, so that a trial takes a
second and a signal falls into the work more often than into the imports; the trainings of reproduce are processes of
their own.
Parsing wants $DGLSENT_STANZA.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from background import Background, group_lives
from tiny import TINY, recipe

HERE = Path(__file__).resolve().parent
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
STRIKES = 3
WAIT = 180.0  # seconds after which a command that should have ended hangs

HEAD = "title: T\ncorpus: c\nsplit: test\nscores: {accuracy: accuracy}\n"


class TrialError(AssertionError):
    """What a trial found."""


class Command:
    """A command with what it leaves.

    Args:
        arguments: what `dglsent` is told, in the folder where it runs.
        prepare: puts there what it reads.
        result: what must be the same whether or not it was disturbed.
    """

    def __init__(
        self, arguments: list[str], prepare: Callable[[Path], None], result: Callable[[Path], dict[str, object]]
    ) -> None:
        self.arguments, self.prepare, self.result = arguments, prepare, result
        self.expected: dict[str, object] = {}
        self.seconds = 0.0

    def undisturbed(self, folder: Path) -> None:
        """Runs to the end, twice: after one that was slow by chance most signals would come when a trial is over."""
        times = []
        for place in (folder, folder.with_name(f"{folder.name}-again")):
            place.mkdir()
            self.prepare(place)
            start = time.monotonic()
            code, said = self.run(place, None, 0)
            times.append(time.monotonic() - start)
            if code:
                raise SystemExit(f"{' '.join(self.arguments)}: exit code {code}\n{said}")
        self.seconds = min(times)
        self.expected = self.result(folder)

    def trial(self, folder: Path, luck: random.Random) -> list[str]:
        """Strikes, lets it end, compares; returns what it ended with each time."""
        folder.mkdir()
        self.prepare(folder)
        story, killed = [], False
        for _ in range(luck.randint(1, STRIKES)):
            how = luck.choice(SIGNALS)
            code, said = self.run(folder, how, luck.uniform(0, self.seconds))
            story.append(f"{how.name} {code}")
            if "Traceback" in said:
                raise TrialError(f"{story}: a traceback\n{said}")
            if code not in (0, -how, 128 + how):
                raise TrialError(f"{story}: exit code {code}\n{said}")
            killed |= how == signal.SIGKILL
            if code == 128 + how and not killed:  # what one that was killed has left, the next that writes removes
                self.nothing_left(folder, story)
        code, said = self.run(folder, None, 0)
        if code:
            raise TrialError(f"{story}: exit code {code} in the end\n{said}")
        self.nothing_left(folder, story)
        found = self.result(folder)
        wrong = [name for name in {*found, *self.expected} if found.get(name) != self.expected.get(name)]
        if wrong:
            raise TrialError(f"{story}: {', '.join(sorted(wrong))} not as undisturbed")
        return story

    def nothing_left(self, folder: Path, story: list[str]) -> None:
        """No file half written and no lock."""
        left = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in (".part", ".lock")]
        if left:
            raise TrialError(f"{story}: {', '.join(left)} left")

    def run(self, folder: Path, how: signal.Signals | None, after: float) -> tuple[int, str]:
        """Runs in a fork, and strikes it; its exit code, that of a signal negative, and what it said."""
        command = Background(self.arguments, folder / "said.txt", folder)
        if how is not None:
            end = time.monotonic() + after
            while command.code is None and time.monotonic() < end:
                time.sleep(0.002)
            command.strike(how)
        try:
            code = command.wait(WAIT)
        except TimeoutError as error:
            raise TrialError(f"{how}: {error}") from None
        end = time.monotonic() + WAIT
        while group_lives(command.pid):
            if time.monotonic() > end:
                os.killpg(command.pid, signal.SIGKILL)
                raise TrialError(f"{how}: processes are left")
            time.sleep(0.01)
        return code, command.said


def commands(kinds: list[str]) -> Iterator[tuple[str, Command]]:
    """The commands of some kinds."""

    def finished(run: Path) -> dict[str, object]:
        metrics = json.loads((run / "metrics.json").read_text())
        epochs = [(epoch["epoch"], epoch["loss"], epoch["dev"], epoch["best"]) for epoch in metrics["history"]]
        files = sorted(path.name for path in run.iterdir())
        return {
            "epochs": epochs,
            "test": metrics["test"],
            "weights": (run / "weights.safetensors").read_bytes(),
            "files": files,
        }

    four = TINY.replace("epochs: 2", "epochs: 4")
    if "fit" in kinds:
        # A file of one's own is one more that the run folder begins with.
        own = four.replace("dim: 8,", "dim: 2, vectors: own.vec,")
        yield (
            "fit",
            Command(
                ["fit", "tiny.yaml", "--out", "run", "--device", "cpu"],
                lambda folder: void(recipe(folder, own), recipe(folder, "good 1 2\nbad 3 4\n", "own.vec")),
                lambda folder: finished(folder / "run"),
            ),
        )
    if "reproduce" in kinds:
        table = f"{HEAD}papers: [{{paper: P, rows: [{{name: Tiny, recipe: tiny.yaml}}]}}]\n"

        def reproduced(folder: Path) -> dict[str, object]:
            (row,) = json.loads((folder / "runs/tables/table.json").read_text())["rows"]
            return {"ours": row["ours"], "seeds": row["seeds"], **finished(folder / "runs/tiny/seed-1")}

        yield (
            "reproduce",
            Command(
                ["reproduce", "table.yaml", "--out", "runs", "--device", "cpu"],
                lambda folder: void(recipe(folder, four), recipe(folder, table, "table.yaml")),
                reproduced,
            ),
        )
    if "parse" in kinds:
        models = os.environ["DGLSENT_STANZA"]
        sentences = "".join(f"The kid number {i} has {i} {'very ' * (i % 9)}old books .\n" for i in range(120))

        def parsed(folder: Path) -> dict[str, object]:
            return {path.name: path.read_bytes() for path in folder.glob("out*")}

        yield (
            "parse",
            Command(
                ["parse", "in.txt", "out", "--cache", "cache", "--device", "cpu", "--stanza-dir", models],
                lambda folder: void((folder / "in.txt").write_text(sentences)),
                parsed,
            ),
        )


def void(*made: object) -> None:
    """Files were written; nobody asks which."""


def trials(number: int, seed: int, kinds: list[str]) -> tuple[Counter[str], int]:
    """Runs trials and prints each failure; how often what ended how, and how many failed."""
    ends: Counter[str] = Counter()
    failures = 0
    with tempfile.TemporaryDirectory() as place:
        Background(["--version"], Path(place) / "said").wait()  # the first one waits for imports
        chosen = list(commands(kinds))
        for kind, command in chosen:
            command.undisturbed(Path(place) / kind)
        for trial in range(number):
            kind, command = chosen[trial % len(chosen)]
            try:
                story = command.trial(Path(place) / str(trial), random.Random(f"{seed}-{trial}"))
            except TrialError as failure:
                failures += 1
                print(f"trial {trial}, {kind}: {failure}", flush=True)
            else:
                ends.update(f"{kind} {end}" for end in story)
    return ends, failures


def main() -> int:
    """Runs the trials; prints each failure and a count of how often what ended how."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="fit,reproduce" + (",parse" if os.environ.get("DGLSENT_STANZA") else ""))
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.path.insert(0, str(HERE.parents[1]))
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)  # of the trainings of reproduce
    ends, failures = trials(options.trials, options.seed, options.kinds.split(","))
    for end, count in sorted(ends.items()):
        print(f"{count:>5}  {end}")
    print(f"{options.trials} trials, {sum(ends.values())} signals, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
