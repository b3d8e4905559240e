"""Stanza's English models on disk: where they lie, what a parse depends on, and the pipeline that is made of them."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import logging
import os
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphs.errors import InputError

PROCESSORS = ("tokenize", "pos", "lemma", "depparse", "constituency")
TAGGING = PROCESSORS[:2]
"""Those of them that tags alone need."""


@dataclass(frozen=True)
class StanzaModels:
    """English models on disk.

    Attributes:
        folder: where resources.json lies.
        download: whether Stanza may fetch what is missing there.
        processors: what they are for.
        identity: names and checksums of their models, and Stanza's version: what a parse depends on.
    """

    folder: Path
    download: bool
    processors: Sequence[str]
    identity: str

    @property
    def title(self) -> str:
        """Stanza's version and the models of the two parsers, or of the tagger, for people."""
        version, *parts = self.identity.split("; ")
        last = tuple(f"{name} " for name in self.processors[-2:] if name != "tokenize")
        shown = [part.rpartition(" ")[0] for part in parts if part.startswith(last)]
        return f"{version} ({', '.join(shown)})"


def models(stanza_dir: str | os.PathLike[str] | None = None, processors: Sequence[str] = PROCESSORS) -> StanzaModels:
    """Finds the models in a folder, or in Stanza's own, where its list of models is downloaded if it is missing.

    Raises:
        InputError: there are none, or not all that the processors need.
    """
    folder = Path(stanza_dir) if stanza_dir else _own_folder()
    file = folder / "resources.json"
    if not file.is_file() and not stanza_dir:
        _download_list(folder)
    try:
        resources = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{file}: no list of Stanza's models ({error_line(error)}); give a folder that has it"
        ) from None
    return StanzaModels(folder, not stanza_dir, processors, _identity(resources.get("en") or {}, processors, file))


def _identity(english: dict[str, Any], processors: Sequence[str], file: Path) -> str:
    """Names and checksums of the models of package "default" and of what they depend on."""
    default = (english.get("packages") or {}).get("default") or {}
    parts = [f"stanza {importlib.metadata.version('stanza')}"]
    for processor in (*processors, "mwt"):
        package = default.get(processor)
        entry = (english.get(processor) or {}).get(package)
        if entry is None and processor == "mwt":
            continue
        if entry is None:
            raise InputError(f"{file}: package default has no English model for {processor}, which is needed")
        parts.append(f"{processor} {package} {entry.get('md5')}")
        for needed in entry.get("dependencies") or ():
            model, name = needed["model"], needed["package"]
            parts.append(f"{model} {name} {((english.get(model) or {}).get(name) or {}).get('md5')}")
    return "; ".join(parts)


@functools.lru_cache(maxsize=2)
def pipeline(there: StanzaModels, device: str, no_ssplit: bool) -> Any:
    """Stanza's pipeline of the models, which is kept in memory.

    Args:
        there: the models.
        device: "cpu", "cuda" (or "cuda:1"), or "auto": CUDA where torch has it.
        no_ssplit: whether a text is one sentence; else sentences are told apart, and nothing more is done.

    Raises:
        InputError: a model is missing or cannot be loaded, or `device` is not there.
    """
    import torch

    cuda = torch.cuda.is_available()
    if device.startswith("cuda") and not cuda:
        raise InputError(f"device {device!r}: torch sees no CUDA device; use 'cpu'")
    try:
        with quiet():
            import stanza

            return stanza.Pipeline(
                "en",
                dir=str(there.folder),
                download_method=stanza.DownloadMethod.REUSE_RESOURCES if there.download else None,
                processors=",".join(there.processors) if no_ssplit else "tokenize",
                tokenize_no_ssplit=no_ssplit,
                device=("cuda" if cuda else "cpu") if device == "auto" else device,
                verbose=False,
            )
    except Exception as error:  # a broken model file can raise anything
        raise InputError(f"{there.folder}: Stanza cannot load its English models ({error_line(error)})") from error


def _own_folder() -> Path:
    from stanza.resources.common import DEFAULT_MODEL_DIR

    return Path(DEFAULT_MODEL_DIR)


def _download_list(folder: Path) -> None:
    from stanza.resources.common import download_resources_json

    try:
        with quiet():
            download_resources_json(str(folder))
    except Exception as error:  # requests, urllib3 and the file system have their own
        said = textwrap.shorten(error_line(error), 120, placeholder=" ...")
        raise InputError(
            f"{folder}: no Stanza models there, and they cannot be downloaded ({said}); give a "
            "folder that has resources.json and English models (stanza_dir, --stanza-dir)"
        ) from None


def error_line(error: Exception) -> str:
    """The class of an error of a library, and what it says, in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


@contextmanager
def quiet() -> Iterator[None]:
    """Silences Stanza, and warnings of torch about how Stanza uses it."""
    log = logging.getLogger("stanza")
    level, disabled = log.level, log.disabled
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        log.disabled = True  # a pipeline sets the level itself, and logs a traceback of Ctrl-C while it loads
        try:
            yield
        finally:
            log.setLevel(level)
            log.disabled = disabled
