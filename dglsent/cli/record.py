"""`dglsent record`: what a model shows, as tables."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from dglsent.cli.console import resumed_by, say, tell
from dglsent.cli.options import (
    Parser,
    add_data,
    add_device,
    add_stanza,
    add_trust,
    names,
    positive,
    refuse_runs_as_files,
    refuse_split_of_files,
    written,
)

_EPILOGUE = """
Fields of nodes are named such as z_u, those of edges such as child.attention or complete.attention_1; patterns such as
'*.attention*' choose among those that the encoder declares. The tables are folders of Parquet files: examples, nodes,
edges. The same command again resumes an interrupted recording.
"""


def make_parser() -> Parser:
    """The options."""
    parser = Parser(
        "record", "Write down what a trained model shows of a split or of files, as tables of nodes and edges."
    )
    parser.epilog = _EPILOGUE
    parser.add_argument("run", metavar="RUN", help="folder that `dglsent fit` wrote")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        default=[],
        help="files to record instead of a split, in the form of those that `dglsent test RUN FILE` scores",
    )
    parser.add_argument("--out", type=written, metavar="TABLE", required=True, help="folder of the tables")
    parser.add_argument("--split", choices=("train", "dev", "test"), help="test by default")
    parser.add_argument(
        "--fields", type=names, metavar="A,B", help="fields to record; by default all that the encoder declares"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N examples; all by default")
    add_stanza(parser, "for raw sentences in files")
    add_data(parser)
    add_device(parser)
    add_trust(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Record; prints the folder."""
    options = make_parser().parse_args(arguments)
    refuse_split_of_files(options)
    refuse_runs_as_files(options.files)

    from dglsent.analysis.record import record
    from dglsent.training.device import set_threads

    set_threads(options.threads)
    with resumed_by(f"dglsent record {shlex.join(arguments)}"):
        out = record(
            options.run,
            options.out,
            split=options.split or "test",
            files=options.files,
            stanza_dir=options.stanza_dir,
            fields=options.fields,
            limit=options.limit,
            data=options.data,
            device=options.device,
            trusted=options.trust,
            say=say,
        )
    tell(out)
    return 0
