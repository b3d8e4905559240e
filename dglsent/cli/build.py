"""`dglsent build`: parsed files, or the corpus of a recipe, to a store of their graphs."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dglsent.cli.console import resumed_by, say, tell
from dglsent.cli.options import Parser, add_data, add_stanza, column_names, positive, unwritable
from graphs.errors import InputError

if TYPE_CHECKING:
    from dglsent.building.shards import Source

_EPILOGUE = """
Files are CoNLL-U ({conllu}), brackets ({brackets}), raw sentences, one per line ({text}), or tables ({tables}) with
columns `text`, or `first` and `second`, and `label` or `score`; .gz too. If the graphs are trees, Stanza
parses sentences that have none. A store trains as the corpus does: --corpus Stored --corpus.store OUT. The same
command again resumes what was stopped, and rebuilds what is damaged or comes from a changed file.
"""


def make_parser() -> Parser:
    """The options."""
    from dglsent.building.endings import endings
    from dglsent.building.files import LABELS
    from dglsent.training.graphs import KINDS

    parser = Parser("build", "Build a store: the graphs of a corpus on disk, from which a recipe trains.")
    parser.usage = (
        "dglsent build IN... OUT --graph KIND [options], or dglsent build OUT --recipe RECIPE [--KEY VALUE ...]"
    )
    parser.epilog = _EPILOGUE.format(
        conllu=endings("conllu"),
        brackets=endings("brackets"),
        text=endings("text"),
        tables=endings("tsv", "csv", "jsonl"),
    )
    parser.add_argument("paths", nargs="+", metavar="IN... OUT", help="files to train on, and the folder of the store")
    parser.add_argument("--dev", nargs="+", default=[], metavar="FILE", help="files of split dev")
    parser.add_argument("--test", nargs="+", default=[], metavar="FILE", help="files of split test")
    parser.add_argument("--graph", choices=KINDS, help="what sentences become")
    parser.add_argument(
        "--labels",
        choices=LABELS,
        default="sentence",
        help="where gold classes stand: in comments `# label = CLASS` and the column `label` of tables (the default), "
        "at the nodes of brackets, or in a column of CoNLL-U, one a token",
    )
    parser.add_argument(
        "--columns",
        type=column_names,
        default={},
        metavar="A=B,...",
        help="names that columns have in tables: first=question1,second=question2,label=same",
    )
    parser.add_argument(
        "--recipe", metavar="RECIPE", help="build the corpus and the graphs of a recipe, whose keys are options too"
    )
    parser.add_argument(
        "--skip", action="store_true", help="leave out sentences that cannot be used, instead of stopping"
    )
    parser.add_argument("--shard", type=positive, metavar="N", help="examples of a shard; 32768 by default")
    parser.add_argument("--ray", action="store_true", help="share the work among the workers of Ray")
    add_stanza(parser, "for raw sentences")
    parser.add_argument("--cache", metavar="DIR", help="folder of the cache of parses, as of `dglsent parse`")
    add_data(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Build; prints what the store holds."""
    parser = make_parser()
    # Values of keys of a recipe are not to be taken for files.
    options, overrides = parser.parse_known_args(arguments)
    if not options.recipe:
        options, overrides = parser.parse_args(arguments), []
    *files, out = options.paths
    if wrong := unwritable(out):
        parser.error(f"OUT: {wrong}")
    source = _source(files, options, overrides)

    from dglsent.building.build import SHARD, build, in_order

    making = in_order
    if options.ray:
        from dglsent.building.on_ray import by_ray as making
    with resumed_by(f"dglsent build {shlex.join(arguments)}", "whole shards are kept; to go on"):
        manifest = build(source, Path(out), size=options.shard or SHARD, making=making, say=say)
    sizes = Counter[str]()
    for shard in manifest["shards"]:
        sizes[shard["split"]] += shard["rows"]
    skipped = manifest["skipped"]
    for reason in skipped:
        say(f"left out: {reason}")
    left_out = f"; {len(skipped)} left out" if skipped else ""
    found = len(manifest["labels"])
    classes = f", {found} class{'es' if found > 1 else ''}" if found else ""
    tell(f"{out}: {', '.join(f'{split} {size}' for split, size in sizes.items())} sentences{classes}{left_out}")
    return 0


def _source(files: Sequence[str], options: Namespace, overrides: Sequence[str]) -> Source:
    from dglsent.building.files import Files
    from dglsent.building.recipe_corpus import OfRecipe

    if options.recipe:
        from dglsent.training import recipe as recipes
        from dglsent.training.chosen_recipe import load_recipe

        if files or options.dev or options.test or options.graph:
            raise InputError("--recipe: a recipe says itself which corpus and which graph; give OUT alone")
        if options.skip or options.labels != "sentence" or options.columns or options.stanza_dir or options.cache:
            raise InputError("--recipe: --skip, --labels, --columns, --stanza-dir and --cache are for files")
        _, config = load_recipe(options.recipe, overrides)
        return OfRecipe(recipes.dump_paths(config), options.data)
    if not files:
        raise InputError(
            "no files to build from: dglsent build IN... OUT (before --dev and --test, which take what follows them), "
            "or dglsent build OUT --recipe RECIPE"
        )
    if not options.graph:
        raise InputError("--graph says what sentences become; see `dglsent build --help`")
    by_split = {"train": list(files), "dev": options.dev, "test": options.test}
    given = {split: tuple(names) for split, names in by_split.items() if names}
    return Files(options.graph, given, options.labels, options.skip, options.stanza_dir, options.cache, options.columns)
