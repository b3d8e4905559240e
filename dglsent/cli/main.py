"""The command line. Commands are imported when they are run, so that `dglsent --help` answers at once."""

from __future__ import annotations

import errno
import importlib
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from dglsent.cli.console import complain, tell

COMMANDS = {
    "fit": "train a recipe, or resume an unfinished run",
    "test": "score a trained run on the dev and test splits",
    "predict": "predict for raw text or parses, from files or standard input",
    "record": "write down what a trained model shows of a split, as tables of nodes and edges",
    "analyse": "make a figure or table of the papers from runs: numbers first, then the picture",
    "build": "build a store of graphs, from which a recipe trains, of files or of the corpus of a recipe",
    "draw": "draw parsed sentences as SVG files, without a model",
    "parse": "parse raw or tokenised sentences with Stanza",
    "reproduce": "train the rows of a published table and print it with ours beside",
    "recipes": "list the recipes, or show one",
    "bench": "time the torch engine beside DGL's own and the bare matrix products",
    "demo": "train on the built-in corpus, compare with a bag of words, draw a tree",
    "completion": "print a script by which bash or zsh completes commands and options",
}

# Those whose work is what they print; what others print says which files they have written.
_PRINTED = ("predict", "test", "recipes", "bench", "completion")

_HELP = """usage: dglsent COMMAND [options]

Sentence models over parse trees as message passing on DGL graphs.

commands:
{commands}

`dglsent COMMAND --help` says more about each.
"""

BAD_INPUT, INTERRUPTED, UNREAD = 2, 130, 141

# torch's words for a loader's process that the system ended; what a worker itself finds wrong is raised as it is.
_DEAD_WORKER = re.compile(r"DataLoader worker \(pid.*(killed by signal|exited unexpectedly$)")
_WORKER_REMEDY = (
    "such a process of `training.workers` is killed where memory runs out; the same command goes on, with fewer "
    "workers too; smaller batches, which want less memory, are another run"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code, 2 for input that cannot be used."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    closed = sys.stdout is None
    _open_streams()
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _run(lambda: _say(_help(), 0 if arguments else BAD_INPUT))
    name, *rest = arguments
    if name == "--version":
        from dglsent.version import version

        return _run(lambda: _say(f"{version()}\n"))
    if name not in COMMANDS:
        from dglsent.near import near

        hint = near(name, COMMANDS, f"commands are {', '.join(COMMANDS)}", closely=True)
        return _fail(f"no command {name!r}; {hint}")
    if closed and name in _PRINTED:
        return _fail(f"standard output is closed, and `dglsent {name}` writes there; give it a file or a pipe")
    if not _is_somewhere():
        return _fail("the working folder is gone, and nothing can be found from there; change to one that exists")
    _threads(rest)
    _quiet()
    return _run(lambda: int(importlib.import_module(f"dglsent.cli.{name}").main(rest)))


def _is_somewhere() -> bool:
    """Whether the working folder has a path; without one torch ends the process as it looks for its own files."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _help() -> str:
    return _HELP.format(commands="\n".join(f"  {name:<12}{what}" for name, what in COMMANDS.items()))


def _say(text: str, code: int = 0) -> int:
    tell(text, end="")
    return code


def _run(command: Callable[[], int]) -> int:
    """The exit code of a command, or of what stopped it."""
    with _terminable() as ended_by:
        try:
            code = command()
            sys.stdout.flush()
            return code
        except BaseException as error:
            # In the midst of an import SIGTERM comes out as any error.
            if ended_by or isinstance(error, KeyboardInterrupt):
                said = str(error) if isinstance(error, KeyboardInterrupt) else ""
                return _stopped(said, ended_by[0] if ended_by else INTERRUPTED)
            return _failed(error)


def _stopped(said: str = "", code: int = INTERRUPTED) -> int:
    print(f"\ndglsent: {said or 'interrupted'}", file=sys.stderr)
    return code


def _failed(error: BaseException) -> int:
    """The exit code of a command that failed, with one line that says why; faults of its own are raised."""
    from graphs.errors import InputError

    # Naming the class of the second would load DGL.
    if isinstance(error, InputError) or type(error).__name__ == "DGLUnavailableError":
        return _fail(str(error))
    if not isinstance(error, OSError):
        if _hides_an_interrupt(error):
            return _stopped()
        if isinstance(error, RuntimeError) and _DEAD_WORKER.match(str(error)):
            return _fail(f"{str(error).strip().rstrip('.')}; {_WORKER_REMEDY}")
        raise error
    if error.filename is None:
        _drop_output()
    if isinstance(error, BrokenPipeError):  # such as `dglsent predict ... | head`
        return UNREAD
    named = error.filename or "standard output"
    return _fail(f"{named}: {error.strerror or error}; {_remedy(error)}, or choose another place")


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "make room there"
    return "check its permissions" if isinstance(error, PermissionError) else "check the path"


def _hides_an_interrupt(error: BaseException | None) -> bool:
    """Whether an error came while something was cleaned up after Ctrl-C, as Lightning does as soon as it has begun."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


@contextmanager
def _terminable() -> Iterator[list[int]]:
    """Has SIGTERM end a command as Ctrl-C does; yields its exit code in that case.

    Python ignores an interrupt within some calls of its own, as when a lock of an import goes; it comes again then.
    """
    codes: list[int] = []
    usual = sys.unraisablehook
    again: list[threading.Timer] = []

    def end(number: int, frame: FrameType | None) -> None:
        codes.append(128 + number)
        raise KeyboardInterrupt

    def ignored(what: sys.UnraisableHookArgs) -> None:
        if what.exc_type is not KeyboardInterrupt:
            usual(what)
            return
        again.append(threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM if codes else signal.SIGINT)))
        again[-1].start()

    # A program that runs a command in its own process has its own way to end.
    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if mine:
        signal.signal(signal.SIGTERM, end)
        sys.unraisablehook = ignored
    try:
        yield codes
    finally:
        if mine:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            sys.unraisablehook = usual
            for timer in again:
                timer.cancel()


def _open_streams() -> None:
    """Gives a stream that was closed one without anything, and output that goes to a file or a pipe UTF-8."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  to the end
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal keeps its encoding; what it cannot show, or no file can hold, is escaped.
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def _drop_output() -> None:
    """What is still to be written when Python ends would fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> int:
    page = Path(__file__).parents[1] / "data.md"  # what an installed package has of docs/
    if not Path(__file__).parents[2].joinpath("docs").is_dir():
        message = message.replace("docs/data.md", str(page))
    complain(message)
    return BAD_INPUT


def _threads(arguments: Sequence[str]) -> None:
    """Sets OMP_NUM_THREADS: the OpenMP pools of torch and DGL read it when they are loaded, and must not fight.

    Without --threads and the variable it is 1: more gain little on matrices of this size. Threads that are given sleep
    while they wait. GNU's OpenMP has them spin instead, and where the machine has other work an epoch of two threads
    then takes twenty times as long as one of a single thread.
    """
    value = None
    for place, argument in enumerate(arguments):
        if argument.startswith("--threads="):
            value = argument.partition("=")[2]
        elif argument == "--threads" and place + 1 < len(arguments):
            value = arguments[place + 1]
    if value and value.isdecimal() and int(value) > 0:
        os.environ["OMP_NUM_THREADS"] = value
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def _quiet() -> None:
    """Keeps warnings of torch's own C++ to itself; they are read when torch is loaded, and no user can heed them."""
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
