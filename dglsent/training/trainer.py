"""One process's training by Lightning, from a model and its graphs to the history of the epochs."""

from __future__ import annotations

import gc
import logging
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import torch

from dglsent.training.data import Examples, loader
from dglsent.training.model import SentenceModel
from dglsent.training.processes import Place, strategy
from dglsent.training.recipe import Recipe
from dglsent.training.run import Run


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
        KeyboardInterrupt: it was interrupted.
    """
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
    training, dev = (
        loader(sets[split], size, *plans, seed=seed, pin=cuda, workers=options.workers, bucket=bucket, place=place)
        for split, size, seed, bucket in (
            ("train", options.batch_size, recipe.seed, options.bucket),
            ("dev", 128, None, 0),
        )
    )
    parts: list[Any] = [training.batch_sampler, dev.batch_sampler]
    try:
        trainer.fit(
            Training(model, recipe.optimiser, *parts),
            training,
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


def _quiet() -> None:
    """Lightning's tips and warnings stay out of the way of ours."""
    for name in ("lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"lightning(\.|$)|torch\.utils\.data|tensorboard")
