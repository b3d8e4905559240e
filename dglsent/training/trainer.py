"""One process's training by Lightning, from a model and its graphs to the history of the epochs."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import torch

from dglsent.training.data import Examples, loader
from dglsent.training.garbage_collection import frozen
from dglsent.training.model import SentenceModel
from dglsent.training.processes import Place, strategy
from dglsent.training.recipe import Recipe
from dglsent.training.run import Run
from graphs.errors import InputError

if TYPE_CHECKING:
    import lightning.pytorch as lightning
    from lightning.pytorch.callbacks import Callback
    from lightning.pytorch.loggers import Logger
    from torch.utils.data import DataLoader

    from dglsent.training.callbacks import BestOnDev


def train(
    recipe: Recipe,
    model: SentenceModel,
    sets: Mapping[str, Examples],
    run: Run,
    device: str,
    place: Place,
    watching: Sequence[Any] = (),
) -> list[dict[str, Any]]:
    """Trains a model, or goes on with it.

    Args:
        recipe: its recipe.
        model: the model; the run keeps the weights of its best epoch.
        sets: graphs of the splits.
        run: its folder.
        device: "cpu" or "cuda".
        place: of this process among those that train together.
        watching: further callbacks.

    Returns:
        Of each epoch what `BestOnDev.history` says.

    Raises:
        InputError: a batch cannot be made, or a loss is no finite number.
        KeyboardInterrupt: it was interrupted.
    """
    from dglsent.training.averaging import Averaging
    from dglsent.training.callbacks import BestOnDev, RandomStates
    from dglsent.training.module import Training

    _quiet()
    options, task, cuda = recipe.training, model.task, device == "cuda"
    averaging = None if options.average is None else Averaging(options.average, options.epochs)

    def save(module: Training) -> None:
        with averaging.in_place() if averaging else nullcontext():
            run.save_weights(module.model)

    best = BestOnDev(task.monitor, task.mode, options.patience, save)
    bar = place.rank == 0 and sys.stderr.isatty()
    # Dense gradients are mostly zeros, see DenseGradient; but several processes add up no others, and to find the rows
    # of a sparse one waits for a GPU.
    model.encoder.embedding.sparse = not cuda and place.count == 1
    callbacks = [
        best,
        RandomStates(recipe.seed),
        *([averaging] if averaging else []),
        *watching,
        *_callbacks(recipe, run, best, place, bar),
    ]
    trainer = _trainer(recipe, run, device, place, callbacks, bar)
    try:
        # The corpus and the libraries stay to the end.
        with frozen():
            training, dev = _loaders(recipe, model, sets, place, pin=cuda)
            parts: list[Any] = [training.batch_sampler, dev.batch_sampler]
            trainer.fit(
                Training(model, recipe.optimiser, *parts),
                training,
                dev,
                ckpt_path=run.checkpoint if run.checkpoint.is_file() else None,
                weights_only=True,
            )
    except InputError as error:
        said = str(error)
        if not said.startswith("Caught "):
            raise
        # Where a worker met it, torch raises it anew with the worker's whole trace, of which the last line is its own.
        raise InputError(said.rstrip().rpartition("\n")[2].partition(": ")[2]) from None
    except SystemExit:
        # So Lightning ends after Ctrl-C.
        raise KeyboardInterrupt from None
    if trainer.interrupted:
        raise KeyboardInterrupt
    return best.history


def _trainer(
    recipe: Recipe, run: Run, device: str, place: Place, callbacks: list[Callback], bar: bool
) -> lightning.Trainer:
    """Lightning's trainer, which says nothing that the callbacks do not say."""
    import lightning.pytorch as lightning

    from dglsent.training.callbacks import SafeCheckpointIO

    options, cuda = recipe.training, device == "cuda"
    return lightning.Trainer(
        accelerator="gpu" if cuda else "cpu",
        devices=[torch.cuda.current_device()] if cuda and place.count == 1 else place.count // place.machines,
        num_nodes=place.machines,
        strategy=strategy(place, device),
        precision=options.precision,
        max_epochs=options.epochs,
        gradient_clip_val=options.clip,
        logger=_loggers(run, place),
        callbacks=callbacks,
        plugins=[SafeCheckpointIO()],
        num_sanity_val_steps=0,
        enable_model_summary=False,
        enable_progress_bar=bar,
        use_distributed_sampler=False,
        log_every_n_steps=1_000_000,
    )


def _loaders(
    recipe: Recipe, model: SentenceModel, sets: Mapping[str, Examples], place: Place, *, pin: bool
) -> tuple[DataLoader[Any], DataLoader[Any]]:
    """The batches of train, in the order of the seed, and those of dev."""
    options, plans = recipe.training, (model.encoder.directions, model.encoder.relations)
    training, dev = (
        loader(sets[split], size, *plans, seed=seed, pin=pin, workers=options.workers, bucket=bucket, place=place)
        for split, size, seed, bucket in (
            ("train", options.batch_size, recipe.seed, options.bucket),
            ("dev", 128, None, 0),
        )
    )
    return training, dev


def _callbacks(recipe: Recipe, run: Run, best: BestOnDev, place: Place, bar: bool) -> list[Callback]:
    """What saves the training, and what shows it where the first process is."""
    from lightning.pytorch.callbacks import ModelCheckpoint

    from dglsent.training.callbacks import Bar, EndOfSeveral, EpochLines

    callbacks: list[Callback] = []
    if place.count > 1:
        callbacks.append(EndOfSeveral())
    if bar:
        callbacks.append(Bar())
    if place.rank == 0:
        callbacks.append(EpochLines(best, recipe.training.epochs))
    callbacks.append(
        ModelCheckpoint(
            run.path,
            filename=run.checkpoint.stem,
            save_top_k=1,
            enable_version_counter=False,
            save_on_train_epoch_end=True,
        )
    )
    return callbacks


def _loggers(run: Run, place: Place) -> list[Logger]:
    """Losses and scores as CSV and for TensorBoard, written by the first process."""
    from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger

    if place.rank:
        return []
    csv = CSVLogger(run.path, name="logs", flush_logs_every_n_steps=1)
    return [csv, TensorBoardLogger(run.path, name="logs", version=csv.version)]


def _quiet() -> None:
    """Lightning's tips and warnings stay out of the way of ours."""
    for name in ("lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"lightning(\.|$)|torch\.utils\.data|tensorboard")
