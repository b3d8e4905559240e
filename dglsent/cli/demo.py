"""`dglsent demo`: a tree model against a bag of words on the built-in reviews, and a drawing of what it says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dglsent.cli.console import say
from dglsent.cli.options import Parser, add_device, written

if TYPE_CHECKING:
    from dglsent.corpora import reviews
    from dglsent.inference.model import Model
    from graphs.columns import Constituency

SYSTEMS = ("tree-lstm", "bag-of-words")

_SEED = 2026  # of the new sentences; the corpus has another


def make_parser() -> Parser:
    """The options."""
    parser = Parser("demo", "Train a Tree-LSTM and a bag of words on built-in reviews, compare them, draw a tree.")
    parser.add_argument(
        "--out", type=written, default=Path("demo"), metavar="DIR", help="folder of what it writes; demo by default"
    )
    add_device(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Train both models, print their scores and predictions, write the drawing."""
    options = make_parser().parse_args(arguments)

    from dglsent.corpora.reviews import CLASSES
    from dglsent.training.device import set_threads
    from graphs.drawing import tree_svg

    set_threads(options.threads)
    models = {name: _train(name, options.out, options.device) for name in SYSTEMS}
    _scores(models)
    tree, labels = _new_sentences(models)
    drawing, middle = options.out / "tree.svg", CLASSES.index("neutral")
    tree_svg(
        tree,
        values=[float(CLASSES.index(label) - middle) for label in labels],
        labels=[label.replace("very ", "very\u00a0") for label in labels],
        low=-float(middle),
        high=float(middle),
        title="What the Tree-LSTM says at every phrase",
    ).save(drawing)
    print(f"\n{drawing}: the first of them, with the Tree-LSTM's label at every phrase")
    return 0


def _train(name: str, out: Path, device: str) -> Model:
    from dglsent.inference.model import Model
    from dglsent.training import recipe as recipes
    from dglsent.training import recipe_files
    from dglsent.training.denormals import denormals_flushed
    from dglsent.training.fit import fit
    from dglsent.training.run import Run

    file = recipe_files.find(f"reviews/{name}")
    run = Run(out / name)
    say(f"reviews/{name}")
    with denormals_flushed():
        fit(recipes.resolve(recipe_files.read(file), source=str(file)), run, device=device, say=say)
    return Model.of_run(run.path, device=device)


def _scores(models: dict[str, Model]) -> None:
    """Print accuracies side by side."""
    from dglsent.training.assemble import load_inputs
    from dglsent.training.model import evaluate

    columns: dict[str, dict[str, float]] = {}
    sizes: dict[str, int] = {}
    for name, model in models.items():
        inputs = load_inputs(model.recipe, None, model.vocabularies)
        columns[name] = {}
        for split, data in inputs.sets.items():
            scores, groups = evaluate(model.model, data)
            columns[name][split] = scores["accuracy"]
            sizes[split] = len(data)
            if split == "test":
                for group, of_group in groups.items():
                    columns[name][f"test, {group}"] = of_group["accuracy"]
                    sizes[f"test, {group}"] = int(of_group["count"])
    print(f"\naccuracy, five classes  {'reviews':>9}" + "".join(f"{name:>16}" for name in columns))
    for row, size in sizes.items():
        print(f"{row:<22}  {size:>9}" + "".join(f"{scores[row]:>16.3f}" for scores in columns.values()))


def _new_sentences(models: dict[str, Model]) -> tuple[Constituency, list[str]]:
    """Print predictions for sentences of no split; returns the first one's tree and its labels."""
    from dglsent.corpora import reviews

    fresh = _fresh()
    answers = {name: model.predict([review.tree for review in fresh]) for name, model in models.items()}
    print("\nnew sentences")
    for place, review in enumerate(fresh):
        print(f"  {' '.join(review.tree.words)}")
        says = [f"gold {reviews.CLASSES[review.sentiment[0]]}"]
        says += [f"{name} {predictions[place]['label']}" for name, predictions in answers.items()]
        print(f"      {', '.join(says)}")
    return fresh[0].tree, [node["label"] for node in answers["tree-lstm"][0]["nodes"]]


def _fresh() -> list[reviews.Review]:
    """One new review for each phenomenon: of another seed, with the tree of none that was trained on."""
    from dglsent.corpora import reviews

    corpus = {tuple(review.tree.words) for split in reviews.generate().values() for review in split}
    drawn = reviews.generate(seed=_SEED, train=0, dev=0, test=200)["test"]
    new = [review for review in drawn if tuple(review.tree.words) not in corpus]
    chosen: list[reviews.Review] = []
    for phenomenon in reviews.PHENOMENA:
        with_it = (review for review in new if phenomenon in review.phenomena and review not in chosen)
        chosen.append(max(with_it, key=lambda review: (len(review.phenomena), -len(review.tree))))
    return chosen
