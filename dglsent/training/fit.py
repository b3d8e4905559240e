"""Training from a resolved recipe to a finished run folder."""

from __future__ import annotations

import gc
import importlib.metadata
import logging
import platform
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import torch
from jsonargparse import Namespace

from dglsent.lock import locked
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.checks import check
from dglsent.training.data import Examples, GraphSet, loader
from dglsent.training.device import pick_device, seed_all
from dglsent.training.launched import joined, launched, shared
from dglsent.training.model import SentenceModel, evaluate
from dglsent.training.processes import Place, helped, strategy
from dglsent.training.provenance import provenance
from dglsent.training.run import Run
from graphs.errors import InputError
from graphs.features import Vocabularies

Say = Callable[[str], None]


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
        device: "auto", "cpu" or "cuda".
        processes: how many share the examples of each batch; each has its own GPU, or its own threads.
        log_gates: words of which the gates of a dynamic window are logged, see `GateLog`; none names no words.
        say: what is told on the way.

    Returns:
        What `metrics.json` holds.

    Raises:
        InputError: data, vectors, recipe or folder cannot be used.
    """
    place = launched()
    if place.count == 1:
        chosen = pick_device(device, processes)
        return _lead(config, run, data, chosen, log_gates, say, partial(helped, processes))
    if processes > 1:
        raise InputError("--processes: torchrun has started the processes already; leave it out")
    device = pick_device(device, place.count // place.machines)
    with joined(place, device):
        if place.rank == 0:
            return shared(_lead(config, run, data, device, log_gates, say, partial(_called, place)))
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


def _lead(
    config: Namespace,
    run: Run,
    data: Path | None,
    device: str,
    log_gates: Sequence[str] | None,
    say: Say,
    others: Callable[..., AbstractContextManager[Place]],
) -> dict[str, Any]:
    """What process 0 does; `others` calls those that help it."""
    if not run.is_finished(config):
        with locked(run.path):
            if not run.is_finished(config):
                try:
                    return _fit(config, run, data, device, log_gates, say, others)
                except OSError as error:
                    error.filename = error.filename or str(run.path)
                    raise
    if log_gates is not None and not (run.path / "gates").is_dir():
        raise InputError(f"{run.path}: was trained without --log-gates; choose another --out")
    say(f"{run.path}: finished already, not trained again")
    return run.metrics()


def _fit(
    config: Namespace,
    run: Run,
    data: Path | None,
    device: str,
    log_gates: Sequence[str] | None,
    say: Say,
    others: Callable[..., AbstractContextManager[Place]],
) -> dict[str, Any]:
    recipe = recipes.instantiate(config)
    if recipe.training.precision == "16-mixed" and device == "cpu":
        raise InputError("training.precision 16-mixed: for GPUs alone; a CPU takes bf16-mixed")
    seed_all(recipe.seed)
    inputs = load_inputs(recipe, data)
    model = make_model(recipe, inputs.vocabularies, inputs.vectors)
    check(recipe, model, inputs.sets["train"])
    _choose_monitor(recipe, model)
    from dglsent.training.callbacks import CodeInUse

    code = CodeInUse()
    watching: list[Any] = [code]
    if log_gates is not None:
        from dglsent.training.gates import GateLog

        train = inputs.sets["train"]
        if not isinstance(train, GraphSet):
            raise InputError("--log-gates reads the corpus itself; train from its files, not from a store")
        watching.append(GateLog(run.path / "gates", model, train, inputs.vocabularies, log_gates))
    if run.begin(config, inputs.vocabularies):
        say(f"{run.path}: going on after the last whole epoch")
    with others(_help, recipes.dump_paths(config), run.path, data, device) as place:
        history = _train(recipe, model, inputs.sets, run, device, place, watching)
    run.load_weights(model)
    best = [epoch for epoch in history if epoch["best"]][-1]
    scores, groups = evaluate(model.to(device), inputs.sets["test"])
    metrics = {
        "dev": best["dev"],
        "test": scores,
        **({"test_groups": groups} if groups else {}),
        "seed": recipe.seed,
        "epochs": len(history),
        "best_epoch": best["epoch"],
        "seconds": sum(epoch["seconds"] for epoch in history),
        "parameters": sum(weight.numel() for weight in model.parameters() if weight.requires_grad),
        "device": device,
        "threads": torch.get_num_threads(),
        "processes": place.count,
        "versions": versions(),
        "provenance": provenance(config, code.hashes),
        "history": history,
    }
    run.save_metrics(metrics)
    run.checkpoint.unlink(missing_ok=True)
    return run.metrics()


def _help(place: Place, ready: Callable[[], None], recipe: str, path: Path, data: Path | None, device: str) -> None:
    """Trains beside process 0, of which this one gets its weights, and so needs no vectors."""
    options = recipes.instantiate(recipes.resolve(recipe))
    inputs = load_inputs(options, data, Vocabularies.load(Run(path).vocabularies_file))
    model = make_model(options, inputs.vocabularies)
    _choose_monitor(options, model)
    ready()
    _train(options, model, inputs.sets, Run(path), device, place)


def _choose_monitor(recipe: recipes.Recipe, model: SentenceModel) -> None:
    monitor = recipe.training.monitor
    if not monitor:
        return
    if monitor not in model.task.score_names:
        raise InputError(f"training.monitor: no score {monitor!r}; the task has {', '.join(model.task.score_names)}")
    model.task.monitor, model.task.mode = monitor, "min" if monitor == "mse" else "max"


def _train(
    recipe: recipes.Recipe,
    model: SentenceModel,
    sets: Mapping[str, Examples],
    run: Run,
    device: str,
    place: Place,
    watching: Sequence[Any] = (),
) -> list[dict[str, Any]]:
    """Runs Lightning in one of the processes, with further callbacks; returns the history of the epochs."""
    import lightning.pytorch as lightning
    from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
    from lightning.pytorch.loggers import CSVLogger, Logger, TensorBoardLogger

    from dglsent.training.averaging import Averaging
    from dglsent.training.callbacks import Bar, BestOnDev, EndOfSeveral, EpochLines, RandomStates, SafeCheckpointIO
    from dglsent.training.module import Training

    _quiet()
    options, task = recipe.training, model.task
    averaging = None if options.average is None else Averaging(options.average, options.epochs)

    def save(module: Training) -> None:
        with averaging.in_place() if averaging else nullcontext():
            run.save_weights(module.model)

    best = BestOnDev(task.monitor, task.mode, options.patience, save)
    callbacks: list[Callback] = [best, RandomStates(recipe.seed), *([averaging] if averaging else []), *watching]
    if place.count > 1:
        callbacks.append(EndOfSeveral())
    # Dense gradients are mostly zeros, see DenseGradient; but several processes add up no others, and to find the rows
    # of a sparse one waits for a GPU.
    model.encoder.embedding.sparse = device == "cpu" and place.count == 1
    if options.patience:
        callbacks.append(
            EarlyStopping(f"dev_{task.monitor}", patience=options.patience, mode=task.mode, check_finite=False)
        )
    bar = place.rank == 0 and sys.stderr.isatty()
    if bar:
        callbacks.append(Bar())
    if place.rank == 0:
        callbacks.append(EpochLines(best, options.epochs))
    callbacks.append(
        ModelCheckpoint(
            run.path,
            filename=run.checkpoint.stem,
            save_top_k=1,
            enable_version_counter=False,
            save_on_train_epoch_end=True,
        )
    )
    loggers: list[Logger] = []
    if place.rank == 0:
        csv = CSVLogger(run.path, name="logs", flush_logs_every_n_steps=1)
        loggers = [csv, TensorBoardLogger(run.path, name="logs", version=csv.version)]
    trainer = lightning.Trainer(
        accelerator="gpu" if device == "cuda" else "cpu",
        devices=[torch.cuda.current_device()]
        if device == "cuda" and place.count == 1
        else place.count // place.machines,
        num_nodes=place.machines,
        strategy=strategy(place, device),
        precision=options.precision,
        max_epochs=options.epochs,
        logger=loggers,
        callbacks=callbacks,
        plugins=[SafeCheckpointIO()],
        num_sanity_val_steps=0,
        enable_model_summary=False,
        enable_progress_bar=bar,
        use_distributed_sampler=False,
        log_every_n_steps=1_000_000,
    )
    # The corpus and the libraries are here to stay: the collector need not look through them again and again.
    gc.collect()
    gc.freeze()
    plans, cuda = (model.encoder.directions, model.encoder.relations), device == "cuda"
    train, dev = (
        loader(sets[split], size, *plans, seed=seed, pin=cuda, workers=options.workers, bucket=bucket, place=place)
        for split, size, seed, bucket in (
            ("train", options.batch_size, recipe.seed, options.bucket),
            ("dev", 128, None, 0),
        )
    )
    parts: list[Any] = [train.batch_sampler, dev.batch_sampler]
    try:
        trainer.fit(
            Training(model, recipe.optimiser, *parts),
            train,
            dev,
            ckpt_path=run.checkpoint if run.checkpoint.is_file() else None,
            weights_only=True,
        )
    except SystemExit:
        # So Lightning ends after Ctrl-C.
        raise KeyboardInterrupt from None
    if trainer.interrupted:
        raise KeyboardInterrupt
    return best.history


def aggregate(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means and standard deviations (n - 1) of the scores of runs that differ in their seed."""
    metrics: dict[str, Any] = {"seeds": [run["seed"] for run in runs]}
    for split in ("dev", "test"):
        metrics[split] = {name: _spread([run[split][name] for run in runs]) for name in runs[0][split]}
    for name in ("epochs", "best_epoch", "seconds"):
        metrics[name] = [run[name] for run in runs]
    return {**metrics, "parameters": runs[0]["parameters"], "versions": runs[0]["versions"]}


def _spread(values: Sequence[float | None]) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    whole = len(known) == len(values)
    return {
        "mean": statistics.fmean(known) if whole else None,
        "sd": statistics.stdev(known) if whole and len(known) > 1 else None,
        "values": list(values),
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries on which numbers depend."""
    found = {"python": platform.python_version(), "torch": torch.__version__}
    installed = {package.metadata["Name"]: package.version for package in importlib.metadata.distributions()}
    names = ("dglsent", "dgl", "lightning", "torchmetrics")
    return found | {name: installed[name] for name in names if name in installed}


def _quiet() -> None:
    """Lightning's tips and warnings stay out of the way of ours."""
    for name in ("lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"lightning(\.|$)|torch\.utils\.data|tensorboard")
