"""`dglsent fit`: train a recipe."""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dglsent.cli.console import resumed_by, say, tell
from dglsent.cli.options import Parser, add_data, add_device, names, one_seed, positive, seeds, written
from graphs.errors import InputError, counted

if TYPE_CHECKING:
    import jsonargparse

_EPILOGUE = """
Every key of the recipe is an option too, such as --training.epochs 3, or --encoder.hidden 100 for
encoder.init_args.hidden; RECIPE comes before them. `dglsent recipes RECIPE --resolved` shows the keys with their
values, `dglsent fit RECIPE --encoder.help` those of its class, with a CLASS after it those of another (--task.help
and --corpus.help, too). The same command again resumes an unfinished run and leaves a finished one as it is.
"""


def make_parser() -> Parser:
    """The options."""
    parser = Parser("fit", "Train a recipe and write a run folder.")
    parser.epilog = _EPILOGUE
    parser.usage = "dglsent fit RECIPE [options] [--KEY VALUE ...]"
    parser.add_argument("recipe", metavar="RECIPE", help="name corpus/system (`dglsent recipes`) or a YAML file")
    add_data(parser)
    parser.add_argument("--out", type=written, metavar="RUN", help="run folder; runs/RECIPE/seed-N by default")
    several = parser.add_mutually_exclusive_group()
    several.add_argument(
        "--seed",
        type=one_seed,
        metavar="N",
        help="seed of initialisation, shuffling and dropout; the recipe's by default",
    )
    several.add_argument(
        "--seeds", type=seeds, metavar="1,2,3", help="one run per seed, in RUN/seed-N, and the means of all there"
    )
    add_device(parser)
    parser.add_argument(
        "--processes",
        type=positive,
        default=1,
        metavar="N",
        help="train in N processes that share each batch, each on its own GPU or its own CPU threads; 1 by default",
    )
    parser.add_argument(
        "--log-gates",
        type=names,
        nargs="?",
        const=[],
        metavar="WORDS",
        help="log the gates of words (a,b,c; drawn by default) as training goes on; for encoders over dynamic windows",
    )
    parser.add_argument(
        "--fused", action="store_true", help="compile the model's functions (torch.compile); equal up to rounding"
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    """Train; prints the scores."""
    parser = make_parser()
    if any(argument in ("-h", "--help") for argument in arguments):
        _help(parser, arguments[0])
        return 0
    options, overrides = parser.parse_known_args(arguments)
    if options.recipe.startswith("-"):
        parser.error("RECIPE comes first")
    return _fit(options, overrides, f"dglsent fit {shlex.join(arguments)}")


def _help(parser: Parser, recipe: str) -> None:
    from dglsent import registry
    from dglsent.training import recipe as recipes
    from dglsent.training.chosen_recipe import load_recipe

    if not recipe.startswith("-"):  # it may bring classes of its own
        load_recipe(recipe)
    parser.print_help()
    print("\nclasses by name (module.Class for those of your own):\n" + registry.listed())
    # What jsonargparse says of a group of keys; a file of them alone is refused (a recipe has `base` for that).
    files = r"CONFIG( +)Path to a configuration file\."
    keys = re.sub(files, r"KEYS  \1several of these, {key: value}", recipes.usage())
    print("\nkeys of a recipe:\n" + keys.partition("\n\n")[2])


def _fit(options: Namespace, overrides: Sequence[str], command: str) -> int:
    from dglsent.training import recipe_files

    recipe_files.find(options.recipe)  # a name that is none is told before torch is imported

    from dglsent.passing import engine
    from dglsent.training.chosen_recipe import load_recipe
    from dglsent.training.denormals import denormals_flushed
    from dglsent.training.device import set_threads
    from dglsent.training.fit import fit
    from dglsent.training.launched import launched
    from dglsent.training.run import Run

    set_threads(options.threads)
    if options.fused and options.processes > 1:
        raise InputError("--fused: for one process; leave --processes out")
    leads = launched().rank == 0  # of those that torchrun has started, one talks
    name, config = load_recipe(options.recipe, overrides)
    if options.seed is not None:
        config.seed = options.seed
    numbers = options.seeds or [config.seed]
    base = options.out or Path("runs") / name
    if options.seeds and Run(base).config_file.is_file():
        raise InputError(f"{base}: holds a single run, and --seeds wants a folder for several; choose another --out")
    for seed in numbers:
        single = options.out and not options.seeds
        run = Run(base if single else base / f"seed-{seed}")
        config.seed = seed
        going_on = resumed_by(command, "to go on after the last whole epoch")
        with going_on, engine("torch", fused=options.fused), denormals_flushed():
            metrics = fit(
                config.clone(),
                run,
                data=options.data,
                device=options.device,
                processes=options.processes,
                log_gates=options.log_gates,
                say=say if leads else lambda line: None,
            )
        if leads:
            tell(f"{run.path}: {_scores(metrics)}", flush=True)
    if options.seeds and leads:
        _save_means(base, config, options.data)
    return 0


def _save_means(base: Path, config: jsonargparse.Namespace, data: Path | None) -> None:
    """Keeps and prints the means of the finished seeds of a configuration that lie in a folder."""
    from dglsent.training.means import aggregate, finished_seeds
    from dglsent.training.run import METRICS, Run

    together = aggregate(finished_seeds(base, config, data))
    Run(base).save_metrics(together)
    others = {run.parent.name for run in base.glob(f"seed-*/{METRICS}")}
    others -= {f"seed-{seed}" for seed in together["seeds"]}
    if others:
        say(f"{base}: {', '.join(sorted(others))}: of another configuration or other files, left out of the means")
    tell(f"{base}: {_means(together)}")


def _scores(metrics: Mapping[str, Any]) -> str:
    from dglsent.training.means import score_text

    best = f"best of {metrics['epochs']} epochs: {metrics['best_epoch']}, {metrics['seconds']:.0f} s"
    return f"{_by_split(metrics, score_text)} ({best})"


def _means(metrics: Mapping[str, Any]) -> str:
    from dglsent.training.means import score_text

    text = _by_split(metrics, lambda score: f"{score_text(score['mean'])} (sd {score_text(score['sd'])})")
    return f"{text} over {counted(len(metrics['seeds']), 'seed')}"


def _by_split(metrics: Mapping[str, Any], text: Callable[[Any], str]) -> str:
    return ", ".join(
        f"{split} " + " ".join(f"{name} {text(score)}" for name, score in metrics[split].items())
        for split in ("dev", "test")
    )
