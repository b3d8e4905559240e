"""`dglsent bench`: the torch engine beside DGL's own and the bare matrix products."""

from __future__ import annotations

import argparse
import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from dglsent.cli.console import say
from dglsent.cli.options import Parser, names, positive
from dglsent.json_text import dumps
from graphs.errors import InputError, counted

if TYPE_CHECKING:
    from dglsent.benchmark.timing import Row

_HEAD = (
    f"{'model':<22}{'graph':<18}{'batch':>6}  {'mode':<17}{'DGL ms':>9}{'torch ms':>10}{'plan ms':>9}{'bare ms':>9}"
    f"{'DGL/torch':>11}{'torch/bare':>12}{'launches/step':>15}"
)
_PEERS_HEAD = (
    f"{'model':<22}{'peer':<19}{'batch':>5}  {'mode':<17}{'peer ms':>9}{'peer plan ms':>14}{'torch ms':>10}"
    f"{'plan ms':>9}{'peer/torch':>12}"
)
_UNREAD = {  # what has no meaning there
    "peers": ("device", "fused"),
    "epochs": ("threads", "batch", "batches", "models", "all"),
    "long": ("data", "device", "batch", "batches", "models", "all", "fused"),
}
_LONG_HEAD = (
    f"{'layout':<8}{'batch':>5}{'words':>7}{'plan ms':>10}{'forward ms':>12}{'backward ms':>13}{'peak memory GiB':>17}"
)


def make_parser() -> Parser:
    """The options."""
    parser = Parser("bench", "Time the torch engine beside DGL's own and the bare matrix products.")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder of corpora, whose trees are timed; DGLSENT_DATA by default, without either random trees",
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where to compute; cpu by default")
    parser.add_argument(
        "--threads",
        type=_counts,
        metavar="N,N",
        help="CPU thread counts, of which the best counts; by default 1 and all cores, with --long all cores",
    )
    parser.add_argument(
        "--batch", type=_counts, metavar="N,N", help="batch sizes; 25,256 by default, with --all 1,25,256"
    )
    parser.add_argument(
        "--batches",
        type=positive,
        metavar="N",
        help="batches to average over; 2 by default, with --all 5, of single examples 20",
    )
    parser.add_argument("--models", type=names, metavar="A,B", help="only these models, by the names in the table")
    parser.add_argument("--all", action="store_true", help="all models, not the two Tree-LSTMs and the LSTM alone")
    parser.add_argument("--fused", action="store_true", help="let the torch engine compile the models' functions")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--peers", action="store_true", help="beside other people's code of two models, on the CPU")
    instead.add_argument("--epochs", action="store_true", help="seconds of an epoch of SST and one of SICK instead")
    instead.add_argument("--long", action="store_true", help="time and memory of CN3 on 20 and 400 words, on the CPU")
    parser.add_argument("--json", action="store_true", help="print a list of rows instead of a table")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Time the models and print a table, or JSON rows."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    for mode, unread in _UNREAD.items():
        ignored = next((name for name in unread if getattr(options, name) != parser.get_default(name)), None)
        if getattr(options, mode) and ignored:
            raise InputError(f"--{ignored}: not with --{mode}; leave it out")

    import torch

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if options.long:
        _long(max(options.threads or [cores]), as_json=options.json)
        return 0
    if options.device == "cuda" and not torch.cuda.is_available():
        raise InputError("--device cuda: torch sees no GPU here; use --device cpu")
    if options.epochs:
        _epochs(options)
    else:
        _engines(options, options.threads or sorted({1, cores}))
    return 0


def _engines(options: argparse.Namespace, threads: Sequence[int]) -> None:
    """Time models beside DGL's engine and the bare products, or beside other people's code."""
    import torch

    from dglsent.benchmark import engines, peers
    from dglsent.corpora.corpus import data_folder

    data = data_folder(options.data) if options.data or os.environ.get("DGLSENT_DATA") else None
    measure: Callable[..., Iterable[Row]]
    if options.peers:
        known = basic = tuple(peers.PEERS)
        measure, head, line = peers.measure, _PEERS_HEAD, _peers_line
    else:
        known, basic = engines.MODELS, engines.BASIC
        measure = partial(engines.measure, device=options.device, fused=options.fused)
        head, line = _HEAD, _line
    wanted = _wanted(options.models, known, known if options.all else basic)
    subjects = [subject for subject in engines.subjects(data) if subject.model in wanted]
    if not options.json:
        trees = f"trees of SST and SICK from {data}" if data else "random trees of the shape of SST's and SICK's"
        fused = "; functions are compiled" if options.fused else ""
        print(f"{trees}; best of {', '.join(map(str, threads))} threads each; torch {torch.__version__}{fused}")
        print(head)
    gc.freeze()

    def rows() -> Iterator[Row]:
        settings = list(product(subjects, options.batch or ([1, 25, 256] if options.all else [25, 256])))
        for number, (subject, size) in enumerate(settings, 1):
            say(f"{number} of {len(settings)}: {subject.model}, batches of {size}")
            batches = options.batches or (2 if not options.all else 5 if size > 1 else 20)
            yield from measure(subject, size, threads=threads, batches=batches)

    _told(rows(), line, as_json=options.json)


def _wanted(named: Sequence[str] | None, known: Sequence[str], usual: Sequence[str]) -> Sequence[str]:
    """The models that --models names, or the usual ones without it."""
    if named is None:
        return usual
    if not named:
        raise InputError(f"--models: names none; there are {', '.join(known)}")
    unknown = next((name for name in named if name not in known), None)
    if unknown is not None:
        raise InputError(f"--models: no model {unknown!r}; there are {', '.join(known)}")
    return named


def _epochs(options: argparse.Namespace) -> None:
    """Train an epoch of two recipes."""
    from dglsent.benchmark import epochs
    from dglsent.corpora.corpus import data_folder

    data = data_folder(options.data)

    def rows() -> Iterator[Row]:
        for recipe, size in epochs.RECIPES:
            say(f"{recipe}, batches of {size}")
            yield epochs.measure(recipe, size, data, options.device, fused=options.fused)

    _told(rows(), _epochs_line, as_json=options.json)


def _long(threads: int, *, as_json: bool) -> None:
    """Measure long sentences."""
    from dglsent.benchmark import long

    if not as_json:
        print(f"CN3, forward and backward, {counted(threads, 'thread')}; a process for each row")
        print(_LONG_HEAD)
    _told(long.rows(threads), _long_line, as_json=as_json)


def _told(rows: Iterable[Row], line: Callable[[Row], str], *, as_json: bool) -> None:
    """Prints each row as a line when it is measured, or all of them as JSON at the end."""
    kept = []
    for row in rows:
        kept.append(row)
        if not as_json:
            print(line(row), flush=True)
    if as_json:
        print(dumps(kept, indent=1))


def _line(row: Row) -> str:
    dgl, ours, plan, bare = (float(row[name]) for name in ("dgl_ms", "torch_ms", "plan_ms", "bare_ms"))
    launches, steps = float(row["launches"]), float(row["steps"])
    return (
        f"{row['model']:<22}{row['graph']:<18}{row['batch']:>6}  {row['mode']:<17}{dgl:>9.2f}{ours:>10.2f}{plan:>9.2f}"
        f"{bare:>9.2f}{dgl / (ours + plan):>11.2f}{ours / bare:>12.2f}{launches / max(1.0, steps):>15.1f}"
    )


def _peers_line(row: Row) -> str:
    peer, peer_plan, ours, plan = (float(row[name]) for name in ("peer_ms", "peer_plan_ms", "torch_ms", "plan_ms"))
    return (
        f"{row['model']:<22}{row['peer']:<19}{row['batch']:>5}  {row['mode']:<17}{peer:>9.2f}{peer_plan:>14.2f}"
        f"{ours:>10.2f}{plan:>9.2f}{(peer + peer_plan) / (ours + plan):>12.2f}"
    )


def _epochs_line(row: Row) -> str:
    return f"{row['recipe']:<16} batch {row['batch']:<4} {row['steps']} steps {row['seconds']:.2f} s"


def _long_line(row: Row) -> str:
    times = f"{row['plan_ms']:>10.1f}{row['forward_ms']:>12.1f}{row['backward_ms']:>13.1f}"
    return f"{row['layout']:<8}{row['batch']:>5}{row['words']:>7}{times}{row['peak_gib']:>17.2f}"


def _counts(text: str) -> list[int]:
    try:
        return sorted({positive(part.strip()) for part in text.split(",")})
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers from 1, such as 1,25") from None
