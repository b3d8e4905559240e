"""The best, the worst and random predictions (table 4 of the attentive tree encoders)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame, concat

from dglsent.analysis.pictures import colour_of, panels
from dglsent.analysis.recording import Recording, share_of
from dglsent.analysis.runs import first_runs, of_each_run
from graphs.drawing.colour import LINE
from graphs.errors import InputError


def tables(sources: Sequence[Recording], *, k: int = 5) -> dict[str, DataFrame]:
    """Tables `examples` (k of each kind, of each run; of classes with their names) and `all` (errors of all).

    Args:
        sources: recordings.
        k: how many of each kind.

    Raises:
        InputError: a recording has no gold value a sentence, as one of tags, or no prediction of it, or classes
            without their probabilities.
    """

    def of_one(source: Recording) -> dict[str, DataFrame]:
        if source.examples.gold.isna().any():
            raise InputError(
                f"{source.path}: sentences have no gold value of their own; choose a run that predicts one"
            )
        if source.examples.predicted.isna().any():
            raise InputError(
                f"{source.path}: the model's predictions have neither a label nor a score; choose a run of another task"
            )
        if source.of_classes and not source.has_probabilities:
            raise InputError(
                f"{source.path}: has classes without their probabilities; choose a run whose task says both"
            )
        marked = errors_of(source.examples, source.of_classes)
        errors = marked[["id", "gold", "predicted", "error"]].assign(classes=source.of_classes)
        chosen = choose(marked, k)
        return {
            "examples": source.with_labels(chosen, "gold", "predicted") if source.of_classes else chosen,
            "all": errors,
        }

    return of_each_run(sources, of_one)


def errors_of(examples: DataFrame, classes: bool) -> DataFrame:
    """With the error of each: of scores the absolute difference, of classes 1 minus the gold class's probability."""
    if not classes:
        return examples.assign(error=(examples.predicted - examples.gold).abs())
    right = [share_of(of_one, gold) for of_one, gold in zip(examples.probabilities, examples.gold, strict=True)]
    return examples.assign(error=1 - np.array(right))


def choose(examples: DataFrame, k: int) -> DataFrame:
    """The k with the least and the k with the largest error, and k at random; equal ones by their id."""
    random = examples.iloc[np.sort(np.random.default_rng(0).permutation(len(examples))[:k])]
    parts = [
        ("best", examples.sort_values(["error", "id"]).head(k)),
        ("worst", examples.sort_values(["error", "id"], ascending=[False, True]).head(k)),
        ("random", random),
    ]
    columns = ["kind", "id", "text", "other", "gold", "predicted", "error"]
    return concat([part.assign(kind=kind) for kind, part in parts], ignore_index=True)[columns]


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """Of each system's first run, gold beside predicted scores; of classes how the errors spread."""
    errors = tables["all"]
    systems = list(first_runs(errors))
    figure, axes = panels(1, len(systems), (max(4.6, 3.1 * len(systems)), 3.4))
    for ax, (_, shown, one) in zip(axes[0], systems, strict=True):
        if one.classes.all():
            ax.hist(one.error, bins=20, range=(0, 1), color=colour_of(0))
            ax.set_xlabel("1 - probability of the gold class")
            ax.set_ylabel("examples")
        else:
            ax.plot([one.gold.min(), one.gold.max()], [one.gold.min(), one.gold.max()], color=LINE, lw=1)
            ax.plot(one.gold, one.predicted, ".", ms=2, alpha=0.35, color=colour_of(0), rasterized=True)
            ax.set_xlabel("gold score")
            ax.set_ylabel("predicted score")
        ax.set_title(shown.replace(", ", "\n", 1), fontsize=9)
    figure.set_label(f"Drawn: {'; '.join(shown for _, shown, _ in systems)}.")
    return {"example-predictions": figure}
