"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from dglsent.training import device_names
from dglsent.training.ranges import MOST_SEED
from dglsent.training.recipe_files import CONFIG
from graphs.errors import InputError


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of the program, and whose options may stand among files."""

    def __init__(self, command: str, description: str) -> None:
        super().__init__(prog=f"dglsent {command}", description=description, allow_abbrev=False)

    parse_args = argparse.ArgumentParser.parse_intermixed_args

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments."""
        raise InputError(f"{message}; see `{self.prog} --help`")


def add_data(parser: argparse.ArgumentParser) -> None:
    """--data."""
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="folder of corpora and vectors; DGLSENT_DATA by default"
    )


def add_stanza(parser: argparse.ArgumentParser, purpose: str = "") -> None:
    """--stanza-dir; `purpose` says for which sentences, where not for all."""
    models = f"Stanza's models, {purpose}" if purpose else "Stanza's models"
    parser.add_argument("--stanza-dir", type=Path, metavar="DIR", help=f"{models}; without it Stanza downloads them")


def add_device(parser: argparse.ArgumentParser) -> None:
    """--device and --threads."""
    parser.add_argument(
        "--device",
        type=device,
        default="auto",
        metavar="D",
        help="where to compute: cpu, cuda, or one such as cuda:1; by default auto, cuda where there is one",
    )
    parser.add_argument("--threads", type=positive, metavar="N", help="CPU threads; OMP_NUM_THREADS, or 1, by default")


def refuse_split_of_files(options: argparse.Namespace) -> None:
    """Refuse --split beside files.

    Raises:
        InputError: both are given.
    """
    if options.files and options.split:
        raise InputError("--split: files have none; leave it out")


def refuse_runs_as_files(files: Sequence[str]) -> None:
    """Refuse folders of runs in the place of files, such as a pattern gives for several runs.

    Raises:
        InputError: one is a run.
    """
    for file in files:
        if (Path(file) / CONFIG).is_file():
            raise InputError(
                f"{file}: a run, in the place of a file; give one run a call, such as in a loop of the shell"
            )


def device(text: str) -> str:
    """The name of a device."""
    if wrong := device_names.fault(text):
        raise argparse.ArgumentTypeError(f"{text!r} {wrong}")
    return text


def written(text: str) -> Path:
    """A folder that is to be written."""
    if wrong := unwritable(text):
        raise argparse.ArgumentTypeError(wrong)
    return Path(text)


def unwritable(text: str) -> str:
    """Why libraries that are not of Python cannot write into a folder of such a name; "" if they can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"{text!r} is not UTF-8; choose another name"
    return ""


def positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or len(text) > 18 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def one_seed(text: str) -> int:
    """A whole number that all random generators take."""
    if not text.isdecimal() or len(text) > 10 or int(text) > MOST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {MOST_SEED}")
    return int(text)


def seeds(text: str) -> list[int]:
    """Whole numbers separated by commas, each once."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers such as 1,2,3")
    numbers = [one_seed(part.strip()) for part in parts]
    if len(set(numbers)) < len(numbers):
        raise argparse.ArgumentTypeError(f"{text!r} names a seed twice")
    return numbers


def names(text: str) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def column_names(text: str) -> dict[str, str]:
    """Names of columns by those that tables have for `dglsent build`."""
    from dglsent.building.tables import COLUMNS

    pairs = [pair.partition("=") for pair in names(text)]
    named = {ours.strip(): theirs.strip() for ours, _, theirs in pairs}
    if not all(ours in COLUMNS and theirs for ours, theirs in named.items()):
        raise argparse.ArgumentTypeError(f"{text!r} is not such as text=review,label=stars, of {', '.join(COLUMNS)}")
    return named


def add_trust(parser: argparse.ArgumentParser) -> None:
    """--trust."""
    parser.add_argument(
        "--trust",
        action="store_true",
        help="import classes that RUN names and that are not of dglsent; they run code of their own",
    )
