"""Several processes of this machine that train one model together: this one and its helpers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from dglsent.training.denormals import flushed
from graphs.errors import InputError

if TYPE_CHECKING:
    from lightning.pytorch.strategies import Strategy


@dataclass(frozen=True)
class Place:
    """The place of a process among those that train together.

    Attributes:
        rank: its number; process 0 writes the run folder and talks.
        count: how many there are.
        port: where process 0 of this machine listens for its helpers; 0 where torchrun has started the processes.
        machines: on how many machines they are.
    """

    rank: int = 0
    count: int = 1
    port: int = 0
    machines: int = 1

    def part(self, size: int) -> range:
        """Which of `size` examples fall to this process; the parts of all, in order of rank, are all examples."""
        return range(size * self.rank // self.count, size * (self.rank + 1) // self.count)

    def share(self, size: int) -> float:
        """How much the mean over the examples of this part counts, where the processes' gradients are averaged."""
        return len(self.part(size)) * self.count / size


class _Arithmetic(NamedTuple):
    """How process 0 computes, and its helpers are to: with how many threads, and whether denormals are zero."""

    threads: int
    flushed: bool


@contextmanager
def helped(count: int, work: Callable[..., None], *arguments: Any) -> Iterator[Place]:
    """Starts count - 1 helpers, each of which calls `work(place, ready, *arguments)`.

    A helper calls `ready()` before it first waits for the others, so that none of them waits for one that has failed.

    Raises:
        InputError: a helper ended before its time, or cannot go on; what it says is said.
    """
    if count == 1:
        yield Place()
        return
    from lightning.fabric.plugins.environments.lightning import find_free_network_port

    port = find_free_network_port()
    helpers: list[tuple[SpawnProcess, Connection]] = []
    try:
        helpers.extend(_start(Place(rank, count, port), work, arguments) for rank in range(1, count))
        for helper, pipe in helpers:
            try:
                refusal = pipe.recv()
            except EOFError:
                raise _ended(helper) from None
            if refusal:
                raise InputError(refusal)
        try:
            yield Place(0, count, port)
        except RuntimeError as error:
            # What a collective raises when another process is gone; one that failed itself has said why.
            for helper, pipe in helpers:
                helper.join(5 / count)
                if helper.exitcode is not None and helper.exitcode < 0:
                    raise _ended(helper) from error
                if refusal := _last_word(pipe):
                    raise InputError(refusal) from error
            raise
        for helper, _ in helpers:
            helper.join(60)
    finally:
        for helper, _ in helpers:
            helper.kill()  # it writes nothing, and Lightning would answer a gentler signal by waiting
            helper.join()
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


def strategy(place: Place, device: str) -> Strategy | str:
    """How Lightning trains in this place."""
    if place.count == 1:
        return "auto"
    from lightning.fabric.plugins import ClusterEnvironment
    from lightning.fabric.plugins.environments import TorchElasticEnvironment
    from lightning.pytorch.strategies import DDPStrategy

    class Started(ClusterEnvironment):
        """Processes that are there already."""

        creates_processes_externally = True
        main_address = "127.0.0.1"
        main_port = place.port

        @staticmethod
        def detect() -> bool:
            return False

        def world_size(self) -> int:
            return place.count

        def set_world_size(self, size: int) -> None:
            pass

        def global_rank(self) -> int:
            return place.rank

        def set_global_rank(self, rank: int) -> None:
            pass

        def local_rank(self) -> int:
            return place.rank

        def node_rank(self) -> int:
            return 0

    return DDPStrategy(
        cluster_environment=Started() if place.port else TorchElasticEnvironment(),
        process_group_backend="nccl" if device == "cuda" else "gloo",
        # A batch of single words, say, uses no weights of phrases.
        find_unused_parameters=True,
    )


def _start(place: Place, work: Callable[..., None], arguments: tuple[Any, ...]) -> tuple[SpawnProcess, Connection]:
    """A helper and where it says that it is ready, or why it is not."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    arithmetic = _Arithmetic(torch.get_num_threads(), flushed())
    helper = context.Process(target=_help, args=(place, theirs, arithmetic, work, arguments))
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches all processes, and process 0 alone is to answer: a process inherits what its parent ignores.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            helper.start()
        finally:
            signal.signal(signal.SIGINT, before)
    else:
        helper.start()
    theirs.close()
    return helper, ours


def _help(
    place: Place, ready: Connection, arithmetic: _Arithmetic, work: Callable[..., None], arguments: tuple[Any, ...]
) -> None:
    end_with_parent()
    torch.set_num_threads(arithmetic.threads)
    torch.set_flush_denormal(arithmetic.flushed)
    try:
        work(place, lambda: ready.send(None), *arguments)
    except InputError as error:
        ready.send(str(error))  # once all are ready, of what is wrong with its part of a batch alone
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


def end_with_parent(_: int = 0) -> None:
    """Let this process end when the one that started it does, whatever it waits for then."""

    def wait() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _last_word(pipe: Connection) -> str:
    """What a helper that was ready has said since, "" if nothing."""
    try:
        said: str = pipe.recv() if pipe.poll() else ""
    except EOFError:  # it has ended
        return ""
    return said


def _ended(helper: SpawnProcess) -> InputError:
    helper.join()
    code = helper.exitcode or 0
    how = f"was killed by signal {-code}, perhaps for want of memory" if code < 0 else f"ended with code {code}"
    return InputError(f"a process of this run {how}; the same command goes on after the last whole epoch")
