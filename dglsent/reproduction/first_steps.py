"""The first steps of runs, trained by today's code and by a checkout of the code before it, and compared bit by bit.

What two codes make of the same batches is seen after a few steps, of many runs in the time that an epoch of one takes.
What happens between epochs is not: that takes `--verify` without `--steps`.

As a program it trains the first steps of the recipes on its standard input, a line of JSON each, by whatever code is on
Python's path, and prints a line each. So it calls only what both codes have.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, redirect_stdout, suppress
from functools import wraps
from pathlib import Path
from typing import IO, Any, cast

if __name__ != "__main__":
    from dglsent.reproduction.jobs import HOME, Job, path_to, why_ended
    from dglsent.training import recipe as recipes
    from dglsent.training.provenance import without_later
    from dglsent.training.yaml_text import write_yaml

# As a script it would have its folder on the path, and with it another `numbers` than Python's.
_PROGRAM = """\
import runpy, sys
sys.path[:] = filter(None, sys.path)
runpy.run_path(sys.argv[1], run_name="__main__")
"""
_DEV = 2  # batches that are scored after the steps


def compared(
    jobs: Sequence[Job], steps: int, code: Path, data: Path | None
) -> Iterator[tuple[Job, dict[str, Any], dict[str, Any]]]:
    """Each run with what today's code and a checkout make of its first steps.

    Args:
        jobs: the runs.
        steps: how many.
        code: the checkout.
        data: the data folder; None for that of the environment.

    Yields:
        The run, and of either code the losses of the steps, hashes of the weights and of what the model then says of
        dev examples, and the hashes of all its modules; or under "error" why there are none.
    """
    with ExitStack() as ended:
        asked = ended.enter_context(tempfile.NamedTemporaryFile("w", suffix=".jsonl"))
        for job in jobs:
            options = without_later(recipes.tree(job.config, named=False))
            one = {"recipe": write_yaml(options), "steps": steps, "data": data and str(data)}
            print(json.dumps(one), file=asked)
        asked.flush()
        homes = (HOME, code.resolve())
        both = []
        for home in homes:
            said = ended.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            process = ended.enter_context(_program(asked.name, home, said))
            ended.callback(process.kill)
            both.append((process, said))
        for job in jobs:
            again, before = (json.loads(_line(process, said)) for process, said in both)
            yield job, again, before


def _program(asked: str, home: Path, said: IO[str]) -> subprocess.Popen[str]:
    with open(asked, encoding="utf-8") as lines:
        return subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, __file__],
            stdin=lines,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env={**os.environ, "PYTHONPATH": path_to(home)},
        )


def _line(process: subprocess.Popen[str], said: IO[str]) -> str:
    line = cast(IO[str], process.stdout).readline()
    if line:
        return line
    said.seek(0)
    why = why_ended(process.wait(), said.read())
    return json.dumps({"error": f"the program that trains its steps has ended ({why})"})


def different(again: dict[str, Any], before: dict[str, Any]) -> str | None:
    """Why two codes do not make the same of a run's first steps; None where they do."""
    for made, whose in ((before, "the code before"), (again, "this code")):
        if "error" in made:
            return f"{whose} cannot train it: {made['error']}"
    for step, (there, here) in enumerate(zip(before["losses"], again["losses"], strict=True), 1):
        if there != here:
            return f"the loss of step {step} was {there} and is {here}"
    for what in ("weights", "dev"):
        if before[what] != again[what]:
            return f"after {len(again['losses'])} steps of the same losses the {what} differ"
    return None


def _serve() -> None:
    """Answers every line of standard input with one on standard output."""
    out = sys.stdout
    with redirect_stdout(sys.stderr):
        import torch

        torch.set_num_threads(1)
        _remember()
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                made = _steps(asked["recipe"], asked["steps"], asked["data"] and Path(asked["data"]))
            except Exception as error:  # of this run alone
                made = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(made), file=out, flush=True)
            gc.unfreeze()  # which training once left to others
            gc.collect()


def _steps(text: str, steps: int, data: Path | None) -> dict[str, Any]:
    from dglsent.training import recipe as recipes
    from dglsent.training.assemble import load_inputs, make_model
    from dglsent.training.device import seed_all
    from dglsent.training.provenance import code_hash, modules

    config = recipes.resolve(text)
    recipe = recipes.instantiate(config)
    seed_all(recipe.seed)
    inputs = load_inputs(recipe, data)
    model = make_model(recipe, inputs.vocabularies, inputs.vectors)
    losses = _trained(config, recipe, inputs, model, steps)
    return {
        "losses": losses,
        "weights": _of_weights(model),
        "dev": _of_dev(model, inputs.sets["dev"]),
        "code": {name: code_hash(name) for name in modules()},
    }


def _trained(config: Any, recipe: Any, inputs: Any, model: Any, steps: int) -> list[float]:
    """Trains a model for some steps, or for all where there are fewer; returns their losses."""
    from lightning.pytorch.callbacks import Callback

    from dglsent.training.processes import Place
    from dglsent.training.run import Run
    from dglsent.training.trainer import train

    losses: list[float] = []

    class EnoughError(Exception):
        pass

    class Steps(Callback):
        def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            losses.append(float(outputs["loss"]))
            if len(losses) == steps:
                raise EnoughError

    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder) / "run")
        run.begin(config, inputs.vocabularies)
        with suppress(EnoughError):
            train(recipe, model, inputs.sets, run, "cpu", Place(), [Steps()])
    return losses


def _of_weights(model: Any) -> str:
    """Hash of a model's weights."""
    weights = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        weights.update(name.encode() + weight.detach().contiguous().numpy().tobytes())
    return weights.hexdigest()


def _of_dev(model: Any, examples: Any) -> str:
    """Hash of what a model says of the first batches of examples."""
    import torch

    from dglsent.training.data import loader

    dev = hashlib.sha256()
    model.eval()
    batches = loader(examples, 32, model.encoder.directions, model.encoder.relations)
    with torch.inference_mode():
        for _, batch in zip(range(_DEV), batches, strict=False):
            for name, column in sorted(model.outcomes(batch).items()):
                dev.update(name.encode() + column.contiguous().numpy().tobytes())
    return dev.hexdigest()


def _remember() -> None:
    """Has what reads corpora, graphs and vectors remember them: the runs of a row read the same, and rows often do."""
    from dglsent.training import assemble, words

    # Put in the place of others as the program runs: an old checkout has no hook to hand readers in by.
    assemble.load_corpus = _remembered_corpus(assemble.load_corpus)
    # Rows that differ in the encoder alone read the same graphs.
    assemble.strings_of = _remembered(assemble.strings_of, lambda splits, kind: (id(splits), repr(kind)))
    assemble.graph_sets = _remembered(assemble.graph_sets, _of_graphs)
    words.read_vectors = _remembered(
        words.read_vectors, lambda file, known: (str(file), known.lower, known.fold_digits, tuple(known.strings))
    )


def _of_graphs(splits: Any, kind: Any, vectors: Any, vocabularies: Any, task: Any) -> tuple[Any, ...]:
    """All that the graphs of examples depend on."""
    strings = hashlib.sha256(pickle.dumps(vocabularies)).digest()
    return id(splits), repr(kind), id(vectors), strings, task.sentences, repr(task.targets), task.token_labels


def _remembered(read: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
    """A reader that remembers the last two things it read, and of what, so that no `id` in a key becomes another's."""
    last: dict[Any, Any] = {}

    @wraps(read)
    def run(*arguments: Any, **options: Any) -> Any:
        asked = key(*arguments)
        if asked not in last:
            while len(last) > 1:
                del last[next(iter(last))]
            last[asked] = read(*arguments, **options), arguments
        return last[asked][0]

    return run


def _remembered_corpus(load: Callable[..., Any]) -> Callable[..., Any]:
    def read(recipe: Any, data: Any) -> Any:
        return load(recipe, data), dict(vars(recipe.corpus))

    kept = _remembered(read, lambda recipe, data: (type(recipe.corpus), repr(sorted(vars(recipe.corpus).items()))))

    @wraps(load)
    def run(recipe: Any, data: Any) -> Any:
        splits, known = kept(recipe, data)
        vars(recipe.corpus).update(known)  # such as the classes that it has met
        return splits

    return run


if __name__ == "__main__":
    _serve()
