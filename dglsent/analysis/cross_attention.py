"""Attention between the nodes of the two sentences of a pair (a companion to the paper on progressive attention).

A row is a node, and its weights over the nodes of the other sentence sum to 1. Where the encoder runs both ways there
is a phase each way. Of decomposable attention, whose two directions are one phase, this shows the weights; the scores
E of which they are the softmax are recorded by name (`dglsent record RUN --fields attend.E`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame, concat
from scipy.special import entr

from dglsent.analysis.pair_scores import PAPER
from dglsent.analysis.pictures import heat, inches, panels
from dglsent.analysis.recording import Recording
from dglsent.analysis.runs import first_runs, of_run
from dglsent.analysis.sentences import find_pairs
from graphs.errors import InputError

_WIDEST = 12  # inches of two heat maps side by side, beyond which a page makes their labels too small to read


def tables(sources: Sequence[Recording], *, pair: str = "") -> dict[str, DataFrame]:
    """Tables `weights` (of one pair, each run and phase) and `summary` (entropy, weight on equal words).

    Args:
        sources: recordings with attention between sentences.
        pair: id of the pair whose weights are listed; by default the first of the paper's, else of the split.

    Raises:
        InputError: a recording has no attention between sentences, or no such pair.
    """
    weights, summaries = [], []
    for source in sources:
        phases = [field.partition(".")[2] for field in source.fields if field.startswith("attend.attention")]
        if not phases:
            raise InputError(f"{source.path}: no attention between sentences is recorded; choose an attentive run")
        example = _chosen(source.examples, pair)
        edges = source.edges[source.edges.relation == "attend"]
        weights.append(of_run(of_pair(edges, source.nodes, phases, example), source))
        summaries.append(of_run(summary(edges, source.nodes, phases), source))
    return {"weights": concat(weights, ignore_index=True), "summary": concat(summaries, ignore_index=True)}


def of_pair(edges: DataFrame, nodes: DataFrame, phases: Sequence[str], example: int) -> DataFrame:
    """Every weight of a pair: phase, sentence of the listener, listener and heard node, by number and text."""
    one = edges[edges.example == example]
    text = nodes[nodes.example == example].set_index(["sentence", "node"]).text
    parts = [
        DataFrame(
            {
                "phase": phase,
                "sentence": one.sentence,
                "listener": one.receiver,
                "listener_text": text.reindex(list(zip(one.sentence, one.receiver, strict=True))).to_numpy(),
                "heard": one.sender,
                "heard_text": text.reindex(list(zip(1 - one.sentence, one.sender, strict=True))).to_numpy(),
                "weight": one[phase],
            }
        )
        for phase in phases
    ]
    return concat(parts, ignore_index=True)


def summary(edges: DataFrame, nodes: DataFrame, phases: Sequence[str]) -> DataFrame:
    """Of each phase the mean entropy beside log n, and the weight on nodes of equal text beside an even spread's."""
    text = nodes[["example", "sentence", "node", "text"]]
    found = edges.merge(
        text.rename(columns={"node": "receiver", "text": "listener"}), on=["example", "sentence", "receiver"]
    )
    other = text.assign(sentence=1 - text.sentence).rename(columns={"node": "sender", "text": "heard"})
    found = found.merge(other, on=["example", "sentence", "sender"])
    found["equal"] = found.listener.str.lower() == found.heard.str.lower()
    keys = ["example", "sentence", "receiver"]
    found["size"] = found.groupby(keys).sender.transform("size")
    with_equal = found[found.groupby(keys).equal.transform("any")]
    listeners = with_equal.groupby(keys).ngroups
    rows = []
    for phase in phases:
        weight = found[phase].to_numpy(float)
        parts = entr(weight)
        total = found.groupby(keys).ngroups
        rows.append(
            {
                "phase": phase,
                "entropy": parts.sum() / total,
                "log_n": (np.log(found["size"]) / found["size"]).sum() / total,
                "on_equal": with_equal[phase][with_equal.equal].sum() / max(1, listeners),
                "on_equal_even": (1 / with_equal["size"][with_equal.equal]).sum() / max(1, listeners),
                "listeners": listeners,
            }
        )
    return DataFrame(rows)


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """For each system (its first run) and phase the two heat maps of the pair."""
    found = {}
    for system, shown, one in first_runs(tables["weights"]):
        phases = list(one.phase.unique())
        counts = [int(one[one.sentence == side].listener.max()) + 1 for side in (0, 1)]
        figure, axes = _panels(len(phases), counts)
        figure.set_label(f"Drawn: {shown}.")
        for row, phase in enumerate(phases):
            for side in (0, 1):
                part = one[(one.phase == phase) & (one.sentence == side)]
                square = np.zeros((counts[side], counts[1 - side]))
                square[part.listener, part.heard] = part.weight
                names = [_names(part, which) for which in ("listener", "heard")]
                title = f"{phase}: sentence {side + 1} listens"
                heat(axes[row, side], square, *names, high=one.weight.max(), label="weight", title=title)
        found[f"cross-attention-{system}"] = figure
    return found


def _panels(phases: int, counts: Sequence[int]) -> tuple[Figure, Any]:
    """A figure and its [phases, 2] axes: those of a phase side by side, or one below the other where they are wide."""
    sides = [inches(count) for count in counts]
    if sum(sides) > _WIDEST:
        figure, axes = panels(2 * phases, 1, (max(sides) + 3, phases * (sum(sides) + 2.6)))
        return figure, axes.reshape(phases, 2)
    return panels(phases, 2, (sum(sides) + 6, phases * (max(sides) + 1.7)), width_ratios=counts[::-1])


def _names(part: DataFrame, which: str) -> list[str]:
    return list(part.drop_duplicates(which).sort_values(which)[f"{which}_text"])


def _chosen(examples: DataFrame, pair: str) -> int:
    if pair:
        found = examples[examples.id == pair]
        if not len(found):
            raise InputError(f"--pair {pair}: no such pair in the split")
        return int(found.example.iloc[0])
    for one, other in PAPER:
        numbers = find_pairs(examples, one, other)
        if numbers:
            return numbers[0]
    return int(examples.example.iloc[0])
