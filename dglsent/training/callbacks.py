"""What happens around epochs: the best weights are kept, random states saved, a line is written."""

from __future__ import annotations

import math
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Literal

import lightning.pytorch as lightning
import numpy as np
import torch
from lightning.pytorch.callbacks import Callback, TQDMProgressBar
from lightning.pytorch.callbacks.progress.tqdm_progress import Tqdm
from lightning.pytorch.plugins.io import TorchCheckpointIO

from dglsent.training.device import seed_all
from dglsent.training.module import Training
from dglsent.training.provenance import MIXED, code_hash, code_in_use
from graphs.errors import InputError
from graphs.files import replacing

_PARTS = ("state_dict", "epoch", "global_step", "loops", "callbacks", "optimizer_states", "pytorch-lightning_version")


class BestOnDev(Callback):
    """Saves the weights of the best epoch so far, remembers the scores of all epochs, and stops training early.

    Args:
        monitor: the dev score that counts.
        mode: whether the highest or the lowest is the best.
        patience: after so many epochs without a better score training ends; None for never.
        save: called with the model of a best epoch.

    Attributes:
        history: of each epoch `epoch` (from 1), `loss`, the dev scores, `seconds`, and whether it is `best`.
    """

    def __init__(
        self, monitor: str, mode: Literal["max", "min"], patience: int | None, save: Callable[[Training], None]
    ) -> None:
        self.monitor, self.mode, self.patience, self.save = monitor, mode, patience, save
        self.history: list[dict[str, Any]] = []
        self._started = 0.0

    @property
    def best(self) -> dict[str, Any]:
        """The best epoch of the history; the first one where no score is a number."""
        marked = [epoch for epoch in self.history if epoch["best"]]
        return marked[-1]

    def on_train_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Stop at once where a run was killed after its patience had ended."""
        self._stop_in_time(trainer)

    def on_train_epoch_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Start the clock."""
        self._started = time.perf_counter()

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Compare with the best epoch so far, and stop where it lies too far back."""
        assert isinstance(pl_module, Training)
        values = {name: float(value) for name, value in trainer.callback_metrics.items()}
        dev = {name.removeprefix("dev_"): value for name, value in values.items() if name.startswith("dev_")}
        better = self._is_better(dev[self.monitor])
        if better and trainer.is_global_zero:
            self.save(pl_module)
        epoch = {
            "epoch": trainer.current_epoch + 1,
            "loss": values["loss"],
            "dev": dev,
            "seconds": time.perf_counter() - self._started,
            "best": better,
        }
        self.history.append(epoch)
        self._stop_in_time(trainer)

    def _stop_in_time(self, trainer: lightning.Trainer) -> None:
        if self.patience and self.history and self.history[-1]["epoch"] - self.best["epoch"] >= self.patience:
            trainer.should_stop = True

    def _is_better(self, score: float) -> bool:
        if not self.history:
            return True
        best = self.best["dev"][self.monitor]
        if math.isnan(score) or math.isnan(best):
            return not math.isnan(score)
        return score > best if self.mode == "max" else score < best

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs to know."""
        return {"history": self.history}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.history = list(state_dict["history"])


class RandomStates(Callback):
    """Saves the states of all random generators and sets them again before training goes on.

    They are those of process 0; a helper's depend on seed, epoch and rank alone.

    Args:
        seed: seed of the run.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._states: dict[str, Any] = {}

    def state_dict(self) -> dict[str, Any]:
        """States as tensors and plain values, which `weights_only=True` reads."""
        name, keys, *rest = np.random.get_state(legacy=True)
        return {
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
            "python": random.getstate(),
            "numpy": [name, torch.from_numpy(np.asarray(keys).astype(np.int64)), *rest],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Keep the states until training starts: what Lightning does before may draw numbers."""
        self._states = dict(state_dict)

    def on_train_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Set the states of a checkpoint."""
        if not self._states:
            return
        torch.set_rng_state(self._states["torch"].cpu())
        if self._states["cuda"] and len(self._states["cuda"]) == torch.cuda.device_count():
            torch.cuda.set_rng_state_all([state.cpu() for state in self._states["cuda"]])
        version, keys, gauss = self._states["python"]
        random.setstate((version, tuple(keys), gauss))
        name, numbers, *rest = self._states["numpy"]
        np.random.set_state((name, numbers.cpu().numpy().astype(np.uint32), *rest))

    def on_train_epoch_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Give a helper its states of this epoch."""
        if trainer.global_rank:
            numbers = np.random.SeedSequence([self._seed, trainer.current_epoch, trainer.global_rank])
            seed_all(int(numbers.generate_state(1)[0]))


class CodeInUse(Callback):
    """Remembers the code of a run over interruptions.

    Attributes:
        hashes: of each module that the run has used; `MIXED` where it used two versions of one.
    """

    def __init__(self) -> None:
        self.hashes = code_in_use()

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Add what was imported since."""
        self.hashes = code_in_use(self.hashes)

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs to know."""
        return {"hashes": self.hashes}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        before: dict[str, str] = state_dict["hashes"]
        here = self.hashes
        self.hashes = here | {
            name: made if (here.get(name) or code_hash(name)) == made else MIXED for name, made in before.items()
        }


class Computed(Callback):
    """Remembers how the epochs of a run were computed, over interruptions.

    Args:
        way: how they are now, such as device and threads.

    Attributes:
        ways: those of all epochs, in order; one alone where it never changed.
    """

    def __init__(self, way: dict[str, Any]) -> None:
        self.ways = [way]

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs to know."""
        return {"ways": self.ways}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        before, here = state_dict["ways"], self.ways[-1]
        self.ways = [*before, *([here] if before[-1] != here else [])]


class EndOfSeveral(Callback):
    """Ends processes that train together as Ctrl-C does: process 0 stops, and its helpers with it.

    Lightning would have all of them agree first, for which they wait for each other in vain. So the handler of the
    program itself stays, which knows with which code it ends.
    """

    def __init__(self) -> None:
        before = signal.getsignal(signal.SIGTERM)
        self._handler = before if callable(before) else signal.default_int_handler

    def on_train_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Take the place of Lightning's handler, which puts the one before it back in the end."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_IGN if trainer.global_rank else self._handler)


class EpochLines(Callback):
    """One line an epoch on standard error."""

    def __init__(self, best: BestOnDev, epochs: int) -> None:
        self._best, self._epochs = best, epochs

    def on_train_epoch_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Write the line of this epoch; `BestOnDev` stands before this callback."""
        epoch = self._best.history[-1]
        scores = "  ".join(f"{name} {score:.4f}" for name, score in epoch["dev"].items())
        mark = "  best" if epoch["best"] else ""
        place = f"epoch {epoch['epoch']}/{self._epochs}"
        line = f"{place}  loss {epoch['loss']:.4f}  dev {scores}  {epoch['seconds']:.1f} s{mark}"
        bar = trainer.progress_bar_callback
        if isinstance(bar, Bar):
            bar.write(line)
        else:
            print(line, file=sys.stderr, flush=True)


class Bar(TQDMProgressBar):
    """Lightning's progress bar on standard error, so that standard output holds results alone."""

    def __init__(self) -> None:
        super().__init__(refresh_rate=10, leave=False)

    def init_train_tqdm(self) -> Any:
        """The bar of an epoch."""
        return self._bar(self.train_description)

    def init_validation_tqdm(self) -> Any:
        """The bar of the dev split."""
        return self._bar(self.validation_description)

    def write(self, line: str) -> None:
        """A line above the bar."""
        self.train_progress_bar.write(line, file=sys.stderr)

    def _bar(self, what: str) -> Tqdm:
        return Tqdm(desc=what, file=sys.stderr, leave=False, dynamic_ncols=True, bar_format=self.BAR_FORMAT)


class SafeCheckpointIO(TorchCheckpointIO):
    """Checkpoints that are never half written, and of whose pickle tensors and plain values alone are read."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None) -> None:
        """Write beside the file, then take its place: a run killed here leaves the old one whole.

        Raises:
            OSError: it cannot be written, as on a full disk; the error says so and names the file.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as beside:
            try:
                with beside.open("wb") as file:  # of Python, for torch's own writer does not say what the disk lacks
                    torch.save(checkpoint, file)
            except RuntimeError as error:  # torch's word, over that of the disk
                raise (error.__context__ if isinstance(error.__context__, OSError) else error) from None

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = True) -> dict[str, Any]:
        """Read tensors and plain values alone.

        Raises:
            InputError: the file is no checkpoint of dglsent.
        """
        try:
            loaded: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # garbage may have torch raise anything
            # Of a pickle torch says how to read it all the same, which would run what it holds.
            pickled = isinstance(error, UnpicklingError)
            what = "it does not hold tensors and plain values alone" if pickled else _first_line(error)
            raise InputError(f"{path}: not a checkpoint of dglsent ({what}); delete it to start again") from None
        lacking = [name for name in _PARTS if not isinstance(loaded, dict) or name not in loaded]
        if lacking:
            raise InputError(f"{path}: not a checkpoint of dglsent (no {lacking[0]}); delete it to start again")
        return loaded


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
