"""`dglsent test`: score a trained run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dglsent.cli.options import Parser, add_data, add_device, add_trust
from dglsent.json_text import dumps


def make_parser() -> Parser:
    """The options."""
    parser = Parser("test", "Score the weights of a run on splits of its corpus; prints JSON.")
    parser.add_argument("run", metavar="RUN", help="folder that `dglsent fit` wrote")
    parser.add_argument(
        "--split", action="append", choices=("train", "dev", "test"), help="split to score; dev and test by default"
    )
    add_data(parser)
    add_trust(parser)
    add_device(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Score a run; prints JSON."""
    options = make_parser().parse_args(arguments)

    from dglsent.training.assemble import load_inputs
    from dglsent.training.device import pick_device, set_threads
    from dglsent.training.model import evaluate
    from dglsent.training.run import Run

    set_threads(options.threads)
    device = pick_device(options.device)
    recipe, vocabularies, model = Run(options.run).load(trusted=options.trust)
    inputs = load_inputs(recipe, options.data, vocabularies)
    model.to(device)
    result: dict[str, Mapping[str, object]] = {}
    for split in options.split or ("dev", "test"):
        scores, groups = evaluate(model, inputs.sets[split])
        result[split] = scores
        if groups:
            result[f"{split}_groups"] = groups
    print(dumps(result, indent=2))
    return 0
