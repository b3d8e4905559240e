"""Shards made by the workers of Ray, on one machine or on many that share a disk."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dglsent.building.parts import Part
from dglsent.building.shards import Source, make
from graphs.errors import InputError


def by_ray(folder: Path, source: Source, parts: Sequence[Part]) -> Iterator[Part]:
    """Makes shards as a Ray Data pipeline, a task a shard; a task whose worker dies is given to another.

    Runs on the cluster that Ray is connected to, or finds by RAY_ADDRESS, else on the cores of this machine.

    Raises:
        InputError: Ray is not installed, or what `make` raises.
    """
    try:
        import ray
        import ray.data
    except ImportError:
        raise InputError("--ray: Ray is not installed; `pip install 'dglsent[ray]'`") from None
    if not parts:
        return
    if not ray.is_initialized():
        with _sigterm_kept():
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)  # who builds is told of each shard
    path, here = folder.resolve(), os.getcwd()

    def task(row: dict[str, Any]) -> dict[str, Any]:
        # Raised here, an error would come back wrapped in a traceback.
        try:
            if os.path.isdir(here):  # on another machine it may not be, and then files are found by whole paths alone
                os.chdir(here)  # files are named from where the command stands
            make(path, source, Part(**row))
        except InputError as error:
            return {**row, "error": str(error)}
        except OSError as error:
            return {**row, "error": f"{error.filename or folder}: {error.strerror or error} (on a worker of Ray)"}
        return {**row, "error": ""}

    rows = ray.data.from_items([asdict(part) for part in parts], override_num_blocks=len(parts))
    for row in rows.map(task).iter_rows():
        error = row.pop("error")
        if error:
            raise InputError(error)
        yield Part(**row)


@contextmanager
def _sigterm_kept() -> Iterator[None]:
    """Puts back the handler of SIGTERM, which Ray replaces by one that ends Python at once."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
