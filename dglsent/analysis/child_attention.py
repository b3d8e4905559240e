"""Attention of heads over their dependents (figure 4 of the attentive tree encoders).

In the heat map a column is a head and a row a dependent; the weights of a column sum to 1, and a head with a single
dependent has no choice. Of a tree of phrases, those of the same words are told apart by their labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from pandas import DataFrame, Series

from dglsent.analysis.pictures import colour_of, heat, inches, mark_of, panels, room
from dglsent.analysis.recording import Recording
from dglsent.analysis.runs import first_runs, of_each_run
from dglsent.analysis.sentences import find_sentence
from dglsent.analysis.statistics import entropy
from graphs.drawing.colour import SOFT
from graphs.errors import InputError

PAPER = (
    "There is no boy playing outdoors and there is no man smiling",
    "The launch marks the start of a new golden age in Mars exploration",
)

_NO_CHOICE = "#d5dae0"


def tables(sources: Sequence[Recording], *, sentence: str = "") -> dict[str, DataFrame]:
    """Tables `weights` (each dependent of one sentence, of each run) and `entropy` (by number of dependents).

    Args:
        sources: recordings with child.attention, of pairs.
        sentence: whose weights are listed; by default the paper's, else the first of the split.

    Raises:
        InputError: a recording lacks child.attention, or that sentence, or the sentence has a single word.
    """

    def of_one(source: Recording) -> dict[str, DataFrame]:
        source.require("child.attention")
        example, side = find_sentence(source.examples, sentence, PAPER)
        weights = child_weights(source.edges, source.nodes, example, side)
        guide = source.examples.set_index("example").loc[example]
        texts = [guide.text, guide.other]
        if weights.empty:
            raise InputError(
                f"{source.path}: {texts[side]!r} has one word, and nothing is attended to; choose a --sentence"
            )
        weights = weights.assign(text=texts[side], guided_by=texts[1 - side])
        return {"weights": weights, "entropy": entropies(source.edges)}

    return of_each_run(sources, of_one)


def child_weights(edges: DataFrame, nodes: DataFrame, example: int, side: int) -> DataFrame:
    """The dependents of a sentence with their weights; `alone` marks those without a sibling."""
    of_one = nodes[(nodes.example == example) & (nodes.sentence == side)].set_index("node")
    name = _names(of_one)
    found = edges[(edges.example == example) & (edges.sentence == side) & (edges.relation == "child")]
    count = found.groupby("receiver").sender.transform("size")
    return (
        DataFrame(
            {
                "sentence": side,
                "length": of_one.end.max(),
                "head": found.receiver,
                "head_word": name.reindex(found.receiver).to_numpy(),
                "dependent": found.sender,
                "dependent_word": name.reindex(found.sender).to_numpy(),
                "attention": found.attention,
                "dependents": count,
                "alone": count == 1,
                "depth": [_depth(node, of_one.parent) for node in found.receiver],
            }
        )
        .assign(words=[name.tolist()] * len(found))
        .reset_index(drop=True)
    )


def entropies(edges: DataFrame, most: int = 8) -> DataFrame:
    """By number n of dependents: mean entropy of the weights, log n, and their ratio (1 is an even spread)."""
    child = edges[edges.relation == "child"]
    heads = child.groupby(["example", "sentence", "receiver"], sort=False).attention
    found = DataFrame(
        {"dependents": heads.size(), "entropy": heads.agg(lambda w: entropy(w.to_numpy())), "highest": heads.max()}
    )
    found = found[(found.dependents > 1) & (found.dependents <= most)]
    rows = found.groupby("dependents").agg(
        entropy=("entropy", "mean"),
        entropy_sd=("entropy", "std"),
        highest=("highest", "mean"),
        heads=("entropy", "size"),
    )
    rows = rows.reset_index()
    rows["log_n"] = np.log(rows.dependents)
    rows["ratio"] = rows.entropy / rows.log_n
    return rows


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A heat map for each system (its first run), grey where there is no choice; entropies, if any, beside log n."""
    weights, choices = tables["weights"], tables["entropy"]
    found = {}
    for name, shown, one in first_runs(weights):
        words = one.words.iloc[0]
        matrix = np.full((len(words), len(words)), np.nan)
        matrix[one.dependent, one["head"]] = one.attention.where(~one.alone)
        size = 1.6 + inches(len(words)) + room(words)
        figure, axes = panels(1, 1, (size + 0.8, size))
        figure.set_label(
            f'Drawn: {shown}, "{one.text.iloc[0]}", guided by "{one.guided_by.iloc[0]}". Grey: an only dependent.'
        )
        phrases = len(words) > one.length.iloc[0]
        heat(axes[0, 0], matrix, words, words, high=1.0, label="weight of the dependent", numbered=phrases)
        for row in one[one.alone].itertuples():
            axes[0, 0].add_patch(Rectangle((row.head - 0.5, row.dependent - 0.5), 1, 1, color=_NO_CHOICE, lw=0))
        axes[0, 0].set_xlabel("head")
        axes[0, 0].set_ylabel("dependent")
        found[f"heat-{name}"] = figure
    if choices.empty:
        return found
    figure, axes = panels(1, 1, (5.2, 3.6))
    ax = axes[0, 0]
    log_n = choices.drop_duplicates("dependents").sort_values("dependents")
    ax.plot(log_n.dependents, log_n.log_n, "--", color=SOFT, label="log n, an even spread")
    for number, (system, of_one) in enumerate(choices.groupby("system", sort=False)):
        mean = of_one.groupby("dependents").entropy.mean()
        ax.plot(mean.index, mean, f"{mark_of(number)}-", ms=4, color=colour_of(number), label=system)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_xlabel("dependents of a head")
    ax.set_ylabel("entropy of the weights (nats)")
    ax.set_ylim(0, None)
    ax.legend()
    found["entropy"] = figure
    return found


def _names(nodes: DataFrame) -> Series:
    """The words of each node of a sentence, after its label where another node has the same words, as in S -> NP."""
    chained = nodes.duplicated(["start", "end"], keep=False)
    return nodes.text.where(~chained, (nodes.tag + " " + nodes.text).str.strip())


def _depth(node: int, parent: Series) -> int:
    steps = 0
    while parent[node] >= 0:
        node, steps = parent[node], steps + 1
    return steps
