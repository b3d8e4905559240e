"""Training from a resolved recipe to a finished run folder."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import torch
from jsonargparse import Namespace

from dglsent.lock import locked
from dglsent.passing.engines.torch.fused import fused
from dglsent.training import recipe as recipes
from dglsent.training.assemble import Inputs, load_inputs, make_model
from dglsent.training.checks import check, check_optimiser
from dglsent.training.data import GraphSet
from dglsent.training.device import pick_device, seed_all
from dglsent.training.launched import joined, launched, shared
from dglsent.training.model import SentenceModel, evaluate
from dglsent.training.processes import Place, helped
from dglsent.training.provenance import provenance
from dglsent.training.run import Run
from dglsent.training.trainer import train
from graphs.errors import InputError
from graphs.features import Vocabularies

Say: TypeAlias = Callable[[str], None]
Others: TypeAlias = Callable[..., AbstractContextManager[Place]]


def fit(
    config: Namespace,
    run: Run,
    *,
    data: Path | None = None,
    device: str = "auto",
    processes: int = 1,
    log_gates: Sequence[str] | None = None,
    say: Say = lambda line: None,
) -> dict[str, Any]:
    """Trains a run, or goes on with it; a finished one is left as it is.

    Args:
        config: the resolved recipe, seed included.
        run: its folder.
        data: the data folder; None for that of the environment.
        device: "auto", "cpu", "cuda", or one GPU by its number, such as "cuda:1".
        processes: how many share the examples of each batch; each has its own GPU, or its own threads.
        log_gates: words of which the gates of a dynamic window are logged, see `GateLog`; an empty list has them
            drawn, None logs nothing.
        say: what is told on the way.

    Returns:
        What `metrics.json` holds.

    Raises:
        InputError: data, vectors, recipe, folder or device cannot be used, or a loss is no finite number.
        KeyboardInterrupt: training was interrupted.
    """
    place = launched()
    if place.count == 1:
        chosen = pick_device(device, processes)
        return _Job(config, run, data, chosen, log_gates, say).done(partial(helped, processes))
    if processes > 1:
        raise InputError("--processes: torchrun has started the processes already; leave it out")
    device = pick_device(device, place.count // place.machines)
    with joined(place, device):
        if place.rank == 0:
            return shared(_Job(config, run, data, device, log_gates, say).done(partial(_called, place)))
        metrics = shared()
        if metrics is None:
            if not run.vocabularies_file.is_file():
                raise InputError(f"{run.path}: is not on this machine; all machines need the disk on which it lies")
            _help(place, lambda: None, recipes.dump_paths(config), run.path, data, device)
            metrics = shared()
        return metrics


@contextmanager
def _called(place: Place, work: Callable[..., None], *arguments: Any) -> Iterator[Place]:
    """Process 0 tells those that torchrun has started that all is ready; as `helped`, which starts its own."""
    shared(None)
    yield place


@dataclass(frozen=True, eq=False, slots=True)
class _Job:
    """What process 0 does; the attributes are the arguments of `fit`, the device is chosen."""

    config: Namespace
    run: Run
    data: Path | None
    device: str
    log_gates: Sequence[str] | None
    say: Say

    def done(self, others: Others) -> dict[str, Any]:
        """The scores of the run, which is trained where it is not finished; `others` calls those that help."""
        run = self.run
        if not run.is_finished(self.config, self.data):
            with locked(run.path):
                if not run.is_finished(self.config, self.data):
                    try:
                        return self._trained(others)
                    except OSError as error:
                        error.filename = error.filename or str(run.path)
                        raise
        if self.log_gates is not None and not (run.path / "gates").is_dir():
            raise InputError(f"{run.path}: was trained without --log-gates; choose another --out")
        scores = run.metrics()
        run.tidy()
        self.say(f"{run.path}: finished already, not trained again")
        return scores

    def _trained(self, others: Others) -> dict[str, Any]:
        from dglsent.training.callbacks import CodeInUse, Computed

        run, recipe = self.run, recipes.instantiate(self.config)
        if recipe.training.precision == "16-mixed" and self.device == "cpu":
            raise InputError("training.precision 16-mixed: for GPUs alone; a CPU takes bf16-mixed")
        check_optimiser(recipe.optimiser)
        seed_all(recipe.seed)
        inputs = load_inputs(recipe, self.data, say=self.say)
        model = make_model(recipe, inputs.vocabularies, inputs.vectors)
        inputs.vectors = None  # the model has its own, and they are large
        check(recipe, model, inputs.sets)
        _choose_monitor(recipe, model)
        code = CodeInUse()
        watching = [code, *self._gate_logs(model, inputs)]
        if run.begin(self.config, inputs.vocabularies, self.data):
            self.say(f"{run.path}: going on after the last whole epoch")
        with others(_help, recipes.dump_paths(self.config), run.path, self.data, self.device) as place:
            computed = Computed(self._way(place))
            history = train(recipe, model, inputs.sets, run, self.device, place, [computed, *watching])
        run.load_weights(model)
        best = [epoch for epoch in history if epoch["best"]][-1]
        scores, groups = evaluate(model.to(self.device), inputs.sets["test"])
        metrics = {
            "dev": best["dev"],
            "test": scores,
            **({"test_groups": groups} if groups else {}),
            "seed": recipe.seed,
            "epochs": len(history),
            "best_epoch": best["epoch"],
            "seconds": sum(epoch["seconds"] for epoch in history),
            "parameters": sum(weight.numel() for weight in model.parameters() if weight.requires_grad),
            **computed.ways[-1],
            **({"earlier": computed.ways[:-1]} if len(computed.ways) > 1 else {}),
            "versions": versions(),
            "provenance": provenance(self.config, code.hashes),
            "history": history,
        }
        run.save_metrics(metrics)
        run.checkpoint.unlink(missing_ok=True)
        return run.metrics()

    def _way(self, place: Place) -> dict[str, Any]:
        """How the run is computed, as `metrics.json` says."""
        way = {"device": self.device, "threads": torch.get_num_threads(), "processes": place.count}
        return way | ({"fused": True} if fused.get() else {})

    def _gate_logs(self, model: SentenceModel, inputs: Inputs) -> list[Any]:
        """The callback of `log_gates`, where it is wanted."""
        if self.log_gates is None:
            return []
        from dglsent.training.gates import GateLog

        train = inputs.sets["train"]
        if not isinstance(train, GraphSet):
            raise InputError("--log-gates reads the corpus itself; train from its files, not from a store")
        return [GateLog(self.run.path / "gates", model, train, inputs.vocabularies, self.log_gates)]


def _help(place: Place, ready: Callable[[], None], recipe: str, path: Path, data: Path | None, device: str) -> None:
    """Trains beside process 0, of which this one gets its weights, and so needs no vectors."""
    options = recipes.instantiate(recipes.resolve(recipe))
    inputs = load_inputs(options, data, Vocabularies.load(Run(path).vocabularies_file))
    model = make_model(options, inputs.vocabularies)
    _choose_monitor(options, model)
    ready()
    train(options, model, inputs.sets, Run(path), device, place)


def _choose_monitor(recipe: recipes.Recipe, model: SentenceModel) -> None:
    monitor = recipe.training.monitor
    if not monitor:
        return
    if monitor not in model.task.score_names:
        raise InputError(f"training.monitor: no score {monitor!r}; the task has {', '.join(model.task.score_names)}")
    model.task.monitor = monitor


@cache
def versions() -> dict[str, str]:
    """Versions of Python and of the libraries on which numbers depend."""
    found = {"python": platform.python_version(), "torch": torch.__version__}
    for name in ("dglsent", "dgl", "lightning", "torchmetrics"):
        with suppress(importlib.metadata.PackageNotFoundError):  # it runs from its folder
            found[name] = importlib.metadata.version(name)
    return found
