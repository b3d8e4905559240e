"""The same sentences with and without dependencies as attributes of edges.

Figure 1 of the contextualised non-local networks: whom words listen to, how far that follows the parse, and sentences
that only one of the two gets right.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame, concat

from dglsent.analysis import word_attention
from dglsent.analysis.pictures import CONTRAST, arcs, colour_of, heat, inches, panels, room
from dglsent.analysis.recording import Recording, require_same_examples
from dglsent.analysis.runs import by_run, which_run
from dglsent.analysis.sentences import find_sentence
from dglsent.analysis.statistics import pearson
from graphs.drawing.colour import SOFT
from graphs.errors import InputError


def tables(sources: Sequence[Recording], *, sentence: str = "", longest: int = 60) -> dict[str, DataFrame]:
    """Tables `correlation` (each run and layer), `cases` and `weights` (of one sentence).

    Args:
        sources: recordings of two systems on one split; that with "relation" among its edges' attributes has it.
        sentence: which is drawn; by default the first case of 5 to 14 words, else the first case, and the first example
            where there are no cases.
        longest: words of the longest sentence that counts.

    Raises:
        InputError: all of them have the attribute or none has, they were recorded of other examples, or lack attention
            between all words, dependencies in short sentences, or that sentence.
    """
    with_it = [source for source in sources if has_dependencies(source)]
    without = [source for source in sources if not has_dependencies(source)]
    if not with_it or not without:
        raise InputError(
            f"{'all' if with_it else 'none'} of the runs given have dependencies as attributes (encoder.edges: "
            "[relation]); give runs with and without them, such as trec/cn3-dependency and trec/cn3"
        )
    require_same_examples(sources)
    rows = [correlations(source, longest) for source in sources]
    pair = (without[0], with_it[0])
    cases = only_one_right(pair[0].examples, pair[1].examples)
    if sentence or not len(cases):
        example, side = find_sentence(pair[0].examples, sentence)
    else:
        lengths = cases.text.str.count(" ") + 1
        fitting = cases[lengths.between(5, 14)]
        example, side = int((fitting if len(fitting) else cases).example.iloc[0]), 0
    weights = [_weights(source, example, side) for source in pair]
    return {
        "correlation": concat(rows, ignore_index=True),
        "cases": pair[0].with_labels(cases, "gold", "predicted_without", "predicted_with"),
        "weights": concat(weights, ignore_index=True),
    }


def has_dependencies(source: Recording) -> bool:
    """Whether the edges of a run's encoder have dependency relations as attributes."""
    return "relation" in source.encoder.get("edges", ())


def correlations(source: Recording, longest: int) -> DataFrame:
    """Pearson's r of weight (times the number of words) and being dependency neighbours, over pairs of different words.

    `position` is that of the weights that position alone would give, `partial` what remains within each offset, and
    `own` what remains of each word's own choice, where the mean over the listeners of a sentence is taken off.

    Raises:
        InputError: no sentence that short has dependencies.
    """
    edges = word_attention.word_edges(source)
    edges = word_attention.up_to(edges, longest, source)
    edges = edges[edges.parsed]
    if edges.empty:
        raise InputError(f"{source.path}: no sentence has dependencies; choose a run on a corpus with parses")
    about = which_run(source)
    return DataFrame([{**about, "layer": name, **follows_parse(edges, name)} for name in word_attention.layers(source)])


def follows_parse(edges: DataFrame, name: str) -> dict[str, float]:
    """The four correlations of one layer that `correlations` lists."""
    weights, length = edges[name].to_numpy(float), edges.length.to_numpy(float)
    position = word_attention.by_position(edges, weights) * length
    found = edges.assign(strength=weights * length, position=position, neighbour=edges.neighbour.astype(float))
    apart, both = found[found.offset != 0], ["strength", "neighbour"]
    keys = "offset", ["example", "sentence", "sender"]
    by_offset, by_sender = (apart[both] - apart.groupby(key)[both].transform("mean") for key in keys)
    return {
        "correlation": pearson(apart.strength.to_numpy(), apart.neighbour.to_numpy()),
        "position": pearson(apart.position.to_numpy(), apart.neighbour.to_numpy()),
        "partial": pearson(by_offset.strength.to_numpy(), by_offset.neighbour.to_numpy()),
        "own": pearson(by_sender.strength.to_numpy(), by_sender.neighbour.to_numpy()),
    }


def only_one_right(without: DataFrame, with_it: DataFrame) -> DataFrame:
    """Of the same examples, those that the system with the attribute gets right and the other wrong, in order."""
    both = without.assign(predicted_without=without.predicted, predicted_with=with_it.predicted)
    cases = both[(both.predicted_with == both.gold) & (both.predicted_without != both.gold)]
    return cases[["example", "id", "text", "other", "gold", "predicted_without", "predicted_with"]].reset_index(
        drop=True
    )


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """The parse and both structures of the sentence with their difference; correlations by layer."""
    return {"sentence": _of_sentence(tables["weights"]), "correlation": _by_layer(tables["correlation"])}


def _of_sentence(weights: DataFrame) -> Figure:
    runs = [(f"{system}, {which}", rows) for system, which, rows in by_run(weights)]
    squares = [word_attention.square(rows, "weight") for _, rows in runs]
    receivers = runs[0][1].drop_duplicates("receiver").sort_values("receiver")
    words = list(receivers.receiver_word)
    parse = [(head, place, 0.3) for place, head in enumerate(receivers["head"]) if head >= 0]
    longer = room(words)
    wide = 2 + inches(len(words)) + longer
    figure, axes = panels(2, 3, (3 * wide + 1.6, wide + 2.2), height_ratios=(2, wide))
    figure.set_label(f"Drawn: {'; '.join(name for name, _ in runs)}.")
    arcs(axes[0, 0], words, parse, colour=SOFT, without="no parse")
    axes[0, 0].set_title("dependency parse")
    high, title = max(square.max() for square in squares), partial(textwrap.fill, width=int(11 * (wide - longer)))
    for column, ((name, rows), square) in enumerate(zip(runs, squares, strict=True)):
        word_attention.draw_strongest(axes[0, column + 1], words, square, colour_of(column))
        row = rows.iloc[0]
        layer = row.layer.replace("attention_", "layer ")
        axes[0, column + 1].set_title(title(f"{name}: strongest of {layer}"), fontsize=9)
        heat(axes[1, column], square, words, words, high=high, label=f"weight in {layer}")
        axes[1, column].set_title(title(f"{name}: said {row.predicted}, gold {row.gold}"), fontsize=9)
    change = squares[1] - squares[0]
    most = np.abs(change).max() or 1.0
    heat(axes[1, 2], change, words, words, low=-most, high=most, label="weight", colours=CONTRAST)
    axes[1, 2].set_title(title("difference: with dependencies minus without"), fontsize=9)
    for ax in axes[1]:
        ax.set_xlabel("listened to")
    axes[1, 0].set_ylabel("listens")
    return figure


def _by_layer(correlation: DataFrame) -> Figure:
    figure, axes = panels(1, 1, (7.2, 3.4))
    ax = axes[0, 0]
    for number, (system, rows) in enumerate(correlation.groupby("system", sort=False)):
        for field, mark in (("correlation", "o-"), ("position", "_--"), ("partial", "D:"), ("own", "^-.")):
            mean = rows.groupby("layer", sort=False)[field].mean()
            places = [int(layer.rpartition("_")[2]) for layer in mean.index]
            ax.plot(places, mean, mark, color=colour_of(number), label=f"{system}: {field}", ms=5, lw=1.2)
    ax.axhline(0, color=SOFT, lw=0.8)
    ax.set_xticks(sorted({int(layer.rpartition("_")[2]) for layer in correlation.layer}))
    ax.set_xlabel("layer")
    ax.set_ylabel("r of weight and dependency")
    ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), handlelength=4)
    return figure


def _weights(source: Recording, example: int, side: int) -> DataFrame:
    """The last layer's weights of the sentence on one side of an example."""
    edges, name = word_attention.word_edges(source), word_attention.layers(source)[-1]
    one = edges[(edges.example == example) & (edges.sentence == side)]
    nodes = source.nodes[(source.nodes.example == example) & (source.nodes.sentence == side)].set_index("node")
    row = source.examples.set_index("example").loc[example]
    return DataFrame(
        {
            **which_run(source),
            "id": row.id,
            "layer": name,
            "receiver": one.receiver,
            "receiver_word": nodes.text.reindex(one.receiver).to_numpy(),
            "sender": one.sender,
            "sender_word": nodes.text.reindex(one.sender).to_numpy(),
            "head": nodes["head"].reindex(one.receiver).to_numpy(),
            "weight": one[name],
            "neighbour": one.neighbour,
            "gold": source.label(row.gold),
            "predicted": source.label(row.predicted),
        }
    ).reset_index(drop=True)
