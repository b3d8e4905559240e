"""The folder of a run: weights, resolved recipe, vocabularies and scores, none of them pickled."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonargparse import Namespace
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from dglsent.json_text import dumps
from dglsent.lock import unlock
from dglsent.registry import register, registered
from dglsent.training import recipe as recipes
from dglsent.training.assemble import make_model
from dglsent.training.bases import mapping
from dglsent.training.class_paths import Trusted, class_paths, find, look_in, may_import
from dglsent.training.model import SentenceModel
from dglsent.training.recipe_files import CONFIG, read
from dglsent.training.source_files import changed, hashes, require_code_of_store
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.files import is_part, replacing
from graphs.formats.source import unreadable

WEIGHTS, VOCABULARIES, SOURCES = "weights.safetensors", "vocabularies.json", "sources.json"
METRICS = "metrics.json"
FILES = (CONFIG, WEIGHTS, VOCABULARIES, SOURCES, METRICS)
"""What a folder has of a run that is saved elsewhere; all but the checkpoint of an unfinished one."""

_LAST_KEY = "seed"  # of a resolved recipe

# What stands beside a run while `dglsent reproduce` trains it anew: the old one; its first epochs, trained again.
STALE, VERIFYING = ".stale", ".verify"


class Run:
    """A run folder.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def config_file(self) -> Path:
        """The resolved recipe."""
        return self.path / CONFIG

    @property
    def weights_file(self) -> Path:
        """The weights of the best epoch."""
        return self.path / WEIGHTS

    @property
    def vocabularies_file(self) -> Path:
        """The vocabularies."""
        return self.path / VOCABULARIES

    @property
    def sources_file(self) -> Path:
        """Hashes of the files and of one's own classes that the recipe names."""
        return self.path / SOURCES

    @property
    def metrics_file(self) -> Path:
        """Scores; written last, so a folder that has it is finished."""
        return self.path / METRICS

    @property
    def checkpoint(self) -> Path:
        """What an unfinished run goes on from."""
        return self.path / "resume.ckpt"

    def is_finished(self, config: Namespace, data: Path | None = None) -> bool:
        """Whether the folder holds the finished run of a configuration.

        Args:
            config: the configuration.
            data: the data folder, in which its word vectors may lie; None for that of the environment.

        Raises:
            InputError: the folder holds a run of another configuration, or of files or code that have changed, or
                something else.
        """
        if self.config_file.is_file():
            different = self.difference(config)
            if different:
                raise InputError(
                    f"{self.path}: holds a run of another configuration ({different}); choose another --out"
                )
            if self.metrics_file.is_file():
                self._require_same_sources(hashes(config, data))
                return True
            return False
        if self.path.exists() and (not self.path.is_dir() or not all(is_part(file) for file in self.path.iterdir())):
            raise InputError(f"{self.path}: is not empty and not a run of dglsent; choose another --out")
        return False

    def difference(self, config: Namespace) -> str | None:
        """In what the run's recipe differs from a configuration, whose own classes it may name; None where it does not.

        Raises:
            InputError: the folder cannot be read.
        """
        named = set(class_paths(recipes.tree(config)))
        return recipes.difference(self.config(trusted=named), config)

    def begin(self, config: Namespace, vocabularies: Vocabularies, data: Path | None = None) -> bool:
        """Write the resolved recipe and the vocabularies, or check that a run that goes on still has the same.

        Args:
            config: the recipe.
            vocabularies: those of the corpus.
            data: as in `is_finished`.

        Returns:
            Whether the run goes on from a checkpoint.

        Raises:
            InputError: corpus or code have changed since the run began, or since the store was built that it reads; or
                files without which it cannot go on are gone.
        """
        require_code_of_store(config)
        goes_on = self.checkpoint.is_file()
        if goes_on:
            for file in (self.vocabularies_file, self.weights_file):
                if not file.is_file():
                    raise InputError(
                        f"{file}: gone, and the run cannot go on without; delete {self.checkpoint} to start again"
                    )
            if Vocabularies.load(self.vocabularies_file) != vocabularies:
                raise InputError(f"{self.path}: the corpus has changed since this run began; choose another --out")
        sources = hashes(config, data)
        if goes_on:
            self._require_same_sources(sources)
        self.path.mkdir(parents=True, exist_ok=True)
        write(self.config_file, recipes.head(config) + recipes.dump(config))  # first: it tells that this is a run
        if sources:
            write(self.sources_file, dumps(sources, indent=1) + "\n")
        vocabularies.save(self.vocabularies_file)
        return goes_on

    def tidy(self) -> None:
        """Removes what a finished run needs no more, which a kill right after its scores has left."""
        self.checkpoint.unlink(missing_ok=True)
        unlock(self.path)

    def changed_source(self, data: Path | None = None, *, trusted: Trusted = False) -> str | None:
        """A line on a file or class that the run names and that is another now than in training, else None.

        Args:
            data: as in `is_finished`.
            trusted: as in `config`.

        Raises:
            InputError: what the run saved of them is damaged.
        """
        if not self.sources_file.is_file():
            return None
        other = self.other_source(self.config(trusted=trusted), data)
        return other and f"{self.path}: {other} has changed since this run began; its scores are not those of training"

    def other_source(self, config: Namespace, data: Path | None = None) -> str | None:
        """Which file or code of one's own that a recipe names is another now than in training; None where none is.

        Args:
            config: the recipe, which is that of the run.
            data: as in `is_finished`.

        Raises:
            InputError: what the run saved of them is damaged.
        """
        return changed(self.sources_file, hashes(config, data)) if self.sources_file.is_file() else None

    def _require_same_sources(self, now: Mapping[str, str]) -> None:
        other = changed(self.sources_file, now)
        if other is not None:
            raise InputError(
                f"{self.path}: {other} has changed since this run began; choose another --out, or delete the folder"
            )

    def config(self, *, trusted: Trusted = False) -> Namespace:
        """The resolved recipe.

        Args:
            trusted: which classes it may name that are neither of dglsent nor registered.

        Raises:
            InputError: there is none, it is broken or breaks off, or it names another class.
        """
        if not self.config_file.is_file():
            within = sorted(path.parent.name for path in self.path.glob(f"*/{CONFIG}"))
            if within:
                raise InputError(f"{self.path}: holds the runs {', '.join(within)}; name one of them")
            raise InputError(f"{self.path}: no run there ({CONFIG} is missing); train one with `dglsent fit`")
        text, source = read(self.config_file), str(self.config_file)
        if trusted:
            look_in(Path.cwd())
            register_named(text, source, trusted)
        config = recipes.resolve(text, source=source, trusted=trusted)
        if _LAST_KEY not in mapping(text, source):  # else what is cut off would have defaults
            raise InputError(f"{source}: breaks off before its last key, {_LAST_KEY}; put back the file of this run")
        return config

    def save_weights(self, model: SentenceModel) -> None:
        """Write the weights of a model."""
        weights = {name: weight.detach().cpu().contiguous() for name, weight in model.state_dict().items()}
        places = [weight.untyped_storage().data_ptr() for weight in weights.values()]
        for name, place in zip(weights, places, strict=True):
            if places.count(place) > 1:  # shared, as tied weights are, which a file of tensors cannot say
                weights[name] = weights[name].clone()
        content = save(weights)  # save_file would write to a file of its own, which a kill leaves there for ever
        with replacing(self.weights_file) as beside:
            beside.write_bytes(content)

    def load_weights(self, model: SentenceModel) -> None:
        """Set the weights of a model.

        Raises:
            InputError: there are none, or they are those of another model.
        """
        self._require_weights()
        try:
            with self.weights_file.open("rb"):  # of a file that may not be read safetensors says that it is not there
                pass
        except OSError as error:
            raise unreadable(self.weights_file, error) from None
        try:
            weights = load_file(self.weights_file)
        except (SafetensorError, OSError, ValueError) as error:
            raise InputError(f"{self.weights_file}: cannot be read ({error}); train it into another folder") from None
        wanted, found = (
            {name: _form(weight) for name, weight in each.items()} for each in (model.state_dict(), weights)
        )
        for name in sorted({*wanted, *found}):
            if wanted.get(name) != found.get(name):
                raise InputError(
                    f"{self.weights_file}: weights of another model than {self.config_file} describes "
                    f"({name} is {found.get(name, 'missing')}, expected {wanted.get(name, 'none')}); "
                    "put back the files that belong together"
                )
        model.load_state_dict(weights)

    def _require_weights(self) -> None:
        if not self.weights_file.is_file():
            if self.metrics_file.is_file():
                raise InputError(
                    f"{self.weights_file}: no weights, as of runs that a ledger put back; train it into another folder"
                )
            raise InputError(
                f"{self.weights_file}: no weights; the run has not finished an epoch, repeat its `dglsent fit`"
            )

    def load(self, *, trusted: Trusted = False) -> tuple[recipes.Recipe, Vocabularies, SentenceModel]:
        """The recipe, the vocabularies and the model of the best epoch, in evaluation mode.

        Args:
            trusted: which classes the recipe may name that are neither of dglsent nor registered.

        Raises:
            InputError: the recipe, the vocabularies or the weights are gone, damaged, or of different runs.
        """
        recipe = recipes.instantiate(self.config(trusted=trusted))
        self._require_weights()
        if not self.vocabularies_file.is_file():
            raise InputError(
                f"{self.vocabularies_file}: gone, and the weights are of its words; put the file of this run back, or "
                "train it into another folder"
            )
        vocabularies = Vocabularies.load(self.vocabularies_file)
        model = make_model(recipe, vocabularies)
        self.load_weights(model)
        return recipe, vocabularies, model.eval()

    def metrics(self) -> dict[str, Any]:
        """What `metrics.json` says.

        Raises:
            InputError: it is damaged.
        """
        try:
            loaded: dict[str, Any] = json.loads(self.metrics_file.read_text(encoding="utf-8"))
            scores = [score for split in ("dev", "test") for score in loaded[split].values()]
            damaged = not all(isinstance(score, float | int | None) for score in scores)
            damaged |= not all(isinstance(loaded[name], float | int) for name in ("seconds", "epochs", "best_epoch"))
            damaged |= not isinstance(loaded.get("provenance"), dict | None)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            damaged = True
        if damaged:
            raise InputError(
                f"{self.metrics_file}: not the scores of a run; delete it, and its `dglsent fit` trains it again"
            )
        return loaded

    def save_metrics(self, metrics: dict[str, Any]) -> None:
        """Write `metrics.json`; what is not a number becomes null."""
        write(self.metrics_file, dumps(metrics, indent=2) + "\n")


def register_named(text: str, source: str, trusted: Trusted = True) -> None:
    """Registers the classes that the recipe of a run names above all else, where they may be imported.

    Args:
        text: the recipe.
        source: its file.
        trusted: which classes may be.
    """
    for name, path in recipes.own_classes(mapping(text, source), source).items():
        if registered(name) is None and may_import(path, trusted):
            register(name)(find(path, [object], trusted=trusted, key=f"{source}: {name}"))


def _form(weight: Tensor) -> str:
    """What a tensor must have in common with that which it replaces: its shape, and its type if not of fractions."""
    return str(tuple(weight.shape)) + ("" if weight.is_floating_point() else f" of {weight.dtype}")


def write(file: Path, text: str) -> None:
    """Write a text file so that a kill leaves the old one or the new one."""
    with replacing(file) as beside:
        beside.write_text(text, encoding="utf-8")
