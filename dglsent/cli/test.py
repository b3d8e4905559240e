"""`dglsent test`: score a trained run again."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dglsent.cli.console import say, tell, tell_unfinished
from dglsent.cli.options import (
    Parser,
    add_data,
    add_device,
    add_stanza,
    add_trust,
    refuse_runs_as_files,
    refuse_split_of_files,
)
from dglsent.json_text import dumps

if TYPE_CHECKING:
    from dglsent.training.data import Examples
    from dglsent.training.model import SentenceModel
    from dglsent.training.recipe import Recipe
    from graphs.features import Vocabularies


def make_parser() -> Parser:
    """The options."""
    parser = Parser("test", "Score the weights of a run on splits of its corpus, or on other files; prints JSON.")
    parser.add_argument("run", metavar="RUN", help="folder that `dglsent fit` wrote")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        default=[],
        help="files to score instead, in the form of those that the run was trained on (LabelledText, LabelledTrees, "
        "LabelledPairs, TaggedColumns), or that its store was built of",
    )
    parser.add_argument(
        "--split",
        action="append",
        choices=("train", "dev", "test"),
        help="split to score (repeat the option for several); dev and test by default",
    )
    add_stanza(parser, "for raw sentences in files")
    add_data(parser)
    add_trust(parser)
    add_device(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Score a run; prints JSON."""
    options = make_parser().parse_args(arguments)
    refuse_split_of_files(options)
    refuse_runs_as_files(options.files)

    from dglsent.building.further_files import or_further
    from dglsent.training.assemble import load_inputs
    from dglsent.training.device import pick_device, set_threads
    from dglsent.training.model import evaluate
    from dglsent.training.run import Run

    set_threads(options.threads)
    device = pick_device(options.device)
    run = Run(options.run)
    recipe, vocabularies, model = run.load(trusted=options.trust)
    tell_unfinished(run)
    if options.files:
        sets: Mapping[str, Examples] = _sets(options, recipe, vocabularies, model)
    else:
        if warning := run.changed_source(options.data, trusted=options.trust):
            say(warning)
        with or_further(f"dglsent test {shlex.quote(options.run)}"):
            found = load_inputs(recipe, options.data, vocabularies).sets
        sets = {split: found[split] for split in options.split or ("dev", "test")}
    model.to(device)
    result: dict[str, Mapping[str, object]] = {}
    for name, examples in sets.items():
        scores, groups = evaluate(model, examples)
        result[name] = scores
        if groups:
            result[f"{name}_groups"] = groups
    tell(dumps(result, indent=2))
    return 0


def _sets(
    options: Namespace, recipe: Recipe, vocabularies: Vocabularies, model: SentenceModel
) -> Mapping[str, Examples]:
    """The graphs of files that are not of the run."""
    from dglsent.building.further_files import read_further
    from dglsent.training.data import graph_sets
    from dglsent.training.words import token_vectors

    splits = read_further(options.files, recipe, vocabularies, model, stanza_dir=options.stanza_dir, say=say)
    return graph_sets(splits, recipe.graph, token_vectors(recipe.embedding, options.data), vocabularies, model.task)
