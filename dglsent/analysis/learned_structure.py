"""Whom words listen to, layer by layer (table 5 and figure 1 of the contextualised non-local networks).

Every share stands beside three controls: words that listen to all alike; by position alone, with the mean weight of
each offset; and by popularity, where all words of a sentence listen to the same ones, as they do on the mean. What lies
above the second is not explained by distance, what lies above the third is a choice of each word's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame, concat
from scipy.special import entr

from dglsent.analysis import word_attention
from dglsent.analysis.pictures import colour_of, heat, inches, mark_of, panels, room
from dglsent.analysis.recording import Recording
from dglsent.analysis.runs import first_runs, of_each_run
from dglsent.analysis.sentences import find_sentence
from dglsent.analysis.statistics import mean_interval
from graphs.drawing.colour import SOFT

_FARTHEST = 12  # words between listener and heard, up to which weight by distance is told
_CONTROLS = {
    "uniform": ("x", "all alike"),
    "position": ("s", "position alone"),
    "popularity": ("D", "popularity alone"),
}


def tables(sources: Sequence[Recording], *, sentence: str = "", longest: int = 60) -> dict[str, DataFrame]:
    """Tables `shares`, `distance`, `entropy`, `pairs` and `weights` (of one sentence).

    Args:
        sources: recordings with attention between all words.
        sentence: whose weights are listed; by default the first of 8 to 14 words, else the first.
        longest: words of the longest sentence that counts.

    Raises:
        InputError: a recording lacks such attention, that sentence, or one that is short enough.
    """

    def of_one(source: Recording) -> dict[str, DataFrame]:
        names, all_edges = word_attention.layers(source), word_attention.word_edges(source)
        edges = word_attention.up_to(all_edges, longest, source)
        example, side = find_sentence(source.examples, sentence) if sentence else _middling(edges)
        return {
            "shares": concat([shares(edges, name) for name in names]),
            "distance": concat([distances(edges, name) for name in names]),
            "entropy": concat([entropies(edges, name) for name in names]),
            "pairs": concat([pairs(edges, source.nodes, name) for name in names]),
            "weights": one_sentence(all_edges, source.nodes, names, example, side),
        }

    return of_each_run(sources, of_one)


def shares(edges: DataFrame, name: str) -> DataFrame:
    """Of one layer the mean share of a word's weight on itself, on the next words and on its dependency neighbours.

    Columns: layer, on, share with its interval (over sentences), the controls uniform, position and popularity, and the
    share beyond the last two with intervals.
    """
    weights = edges[name].to_numpy(float)
    controls = {
        "uniform": 1 / edges.length.to_numpy(float),
        "position": word_attention.by_position(edges, weights),
        "popularity": word_attention.by_popularity(edges, weights),
    }
    kinds = {"itself": (edges.offset == 0).to_numpy(), "next words": (edges.offset.abs() == 1).to_numpy()}
    if edges.parsed.any():
        kinds["dependency neighbours"] = edges.neighbour.to_numpy()
        kinds["neighbours not next"] = (edges.neighbour & (edges.offset.abs() > 1)).to_numpy()
    rows = []
    for kind, mask in kinds.items():
        mine = word_attention.mass(edges, weights, mask)
        row: dict[str, Any] = {"layer": name, "on": kind, "share": mine.mean()}
        row["low"], row["high"] = mean_interval(mine)
        for control, others in controls.items():
            other = word_attention.mass(edges, others, mask)
            row[control] = other.mean()
            if control != "uniform":
                row[f"beyond_{control}"] = (mine - other).mean()
                row[f"beyond_{control}_low"], row[f"beyond_{control}_high"] = mean_interval(mine - other)
        rows.append(row)
    return DataFrame(rows)


def distances(edges: DataFrame, name: str) -> DataFrame:
    """Mean weight by offset of the sender, times the number of words: 1 is what an even spread gives."""
    near = edges[edges.offset.abs() <= _FARTHEST]
    strength = (near[name] * near.length).groupby(near.offset).mean()
    return DataFrame({"layer": name, "offset": strength.index, "strength": strength.to_numpy()})


def entropies(edges: DataFrame, name: str) -> DataFrame:
    """Mean entropy of a word's weights, beside the log n of an even spread, and how much the most heard word gets.

    `hub` is the share of all weight of a sentence that its most heard word gets, `hub_even` that of an even spread.
    """
    weights, length = edges[name].to_numpy(float), edges.length.to_numpy(float)
    everything = np.ones(len(edges), bool)
    parts = entr(weights)
    entropy, logs = (word_attention.mass(edges, each, everything) for each in (parts, np.log(length) / length))
    heard = edges.assign(part=weights / length).groupby(["example", "sentence", "sender"]).part.sum()
    row = {
        "layer": name,
        "entropy": entropy.mean(),
        "log_n": logs.mean(),
        "ratio": (entropy[logs > 0] / logs[logs > 0]).mean() if (logs > 0).any() else np.nan,
        "hub": heard.groupby(level=[0, 1]).max().mean(),
        "hub_even": word_attention.mass(edges, 1 / length**2, everything).mean(),
    }
    return DataFrame([row])


def pairs(edges: DataFrame, nodes: DataFrame, name: str, least: int = 10, top: int = 30) -> DataFrame:
    """Pairs of different words that listen to each other most, by mean log of weight times number of words.

    Pairs that stand in fewer than `least` sentences are left out.
    """
    nodes = nodes.sort_values(["example", "sentence", "node"])
    word = nodes.text.str.lower().to_numpy()
    at = edges.group.to_numpy() + edges.offset.to_numpy()
    seen = DataFrame(
        {
            "receiver": word[edges.group],
            "sender": word[at],
            "strength": np.log(np.maximum(edges[name].to_numpy(float) * edges.length.to_numpy(float), 1e-12)),
            "within": (2 * edges.example + edges.sentence).to_numpy(),
        }
    )
    seen = seen[(seen.receiver != seen.sender)]
    grouped = seen.groupby(["receiver", "sender"]).agg(score=("strength", "mean"), sentences=("within", "nunique"))
    found = grouped[grouped.sentences >= least].sort_values("score", ascending=False, kind="stable").head(top)
    return found.reset_index().assign(layer=name)


def one_sentence(edges: DataFrame, nodes: DataFrame, names: Sequence[str], example: int, side: int) -> DataFrame:
    """Every weight of the sentence on one side of an example; `neighbour` is empty where it has no dependencies."""
    words = word_attention.words_of(nodes, example, side)
    one = edges[(edges.example == example) & (edges.sentence == side)]
    one = one.assign(neighbour=one.neighbour.where(one.parsed))
    columns = one[["example", "receiver", "sender", "neighbour", *names]].reset_index(drop=True)
    return columns.assign(
        receiver_word=[words[i] for i in columns.receiver], sender_word=[words[j] for j in columns.sender]
    )


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """Shares by layer beside their controls; weight by distance; the sentence as a heat map and as arcs."""
    found = {"shares": _shares(tables["shares"]), "distance": _distance(tables["distance"])}
    weights = tables["weights"]
    for system, shown, one in first_runs(weights):
        words = list(one.drop_duplicates("receiver").sort_values("receiver").receiver_word)
        names = [name for name in one if str(name).startswith("attention_") and one[name].notna().all()]
        longer = room(words)
        size = 1.5 + inches(len(words)) + longer
        squares = [word_attention.square(one, name) for name in names]
        high = max(square.max() for square in squares)
        figure, axes = panels(
            2,
            len(names),
            (max(3.2, size + 0.6) * len(names), size + 2.0 + longer),
            height_ratios=(size, 2.0 + longer),
        )
        for column, square in enumerate(squares):
            heat(axes[0, column], square, words, words, high=high, label="weight", title=f"layer {column + 1}")
            axes[0, column].set_xlabel("listened to")
            word_attention.draw_strongest(axes[1, column], words, square, colour_of(0))
        axes[0, 0].set_ylabel("listens")
        figure.set_label(f"Drawn: {shown}.")
        found[f"sentence-{system}"] = figure
    return found


def _shares(found: DataFrame) -> Figure:
    kinds, systems, depth = list(found.on.unique()), list(found.system.unique()), found.layer.nunique()
    figure, axes = panels(1, len(kinds), (2.5 * len(kinds) + 1, 3.2), sharey=True)
    for ax, kind in zip(axes[0], kinds, strict=True):
        for number, system in enumerate(systems):
            of_one = found[(found.on == kind) & (found.system == system)]
            mean = of_one.groupby("layer", sort=False).share.agg(["mean", "min", "max"])
            places = np.arange(len(mean)) + (number - (len(systems) - 1) / 2) * 0.24
            colour = colour_of(number)
            ends = np.abs(mean[["min", "max"]].to_numpy().T - mean["mean"].to_numpy())
            ax.errorbar(places, mean["mean"], yerr=ends, fmt="o", ms=5, color=colour, label=system)
            control = of_one.groupby("layer", sort=False)[list(_CONTROLS)].mean()
            for place, (name, (mark, label)) in enumerate(_CONTROLS.items()):
                beside = places + 0.05 * (place + 1)
                named = None if number else label
                ax.plot(beside, control[name], mark, ms=6, mew=1.2, mfc="none", color=colour, alpha=0.7, label=named)
        ax.set_xticks(range(depth), [str(layer + 1) for layer in range(depth)])
        ax.set_xlabel("layer")
        ax.set_title(kind, fontsize=9)
    axes[0, 0].set_ylim(0, 1.08 * found[["share", *_CONTROLS]].to_numpy().max())
    axes[0, 0].set_ylabel("share of a word's weight")
    axes[0, -1].legend(fontsize=7)
    figure.set_label("Dots are means over runs, bars reach from the lowest to the highest run.")
    return figure


def _distance(found: DataFrame) -> Figure:
    systems = list(found.system.unique())
    figure, axes = panels(1, len(systems), (3.4 * len(systems) + 0.8, 3), sharey=True)
    for ax, system in zip(axes[0], systems, strict=True):
        for number, (layer, rows) in enumerate(found[found.system == system].groupby("layer", sort=False)):
            mean = rows.groupby("offset").strength.mean()
            ax.plot(
                mean.index,
                mean,
                f"{mark_of(number)}-",
                ms=3,
                color=colour_of(number),
                label=str(layer).replace("attention_", "layer "),
            )
        ax.axhline(1, color=SOFT, ls="--", lw=0.8)
        ax.set_xlabel("place of the word listened to, from the listener")
        ax.set_title(str(system), fontsize=9)
    axes[0, 0].set_ylim(0, None)  # shared, and so fixed once all is drawn
    axes[0, 0].set_ylabel("weight, 1 = all alike")
    axes[0, -1].legend(fontsize=7)
    return figure


def _middling(edges: DataFrame) -> tuple[int, int]:
    """The first example with a sentence of 8 to 14 words, else the first, and on which side that stands."""
    fitting = edges[edges.length.between(8, 14)]
    first = (fitting if len(fitting) else edges).iloc[0]
    return int(first.example), int(first.sentence)
