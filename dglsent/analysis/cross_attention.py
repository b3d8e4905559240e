"""Attention between the nodes of the two sentences of a pair (a companion to the paper on progressive attention).

A row is a node, and its weights over the nodes of the other sentence sum to 1. Where the encoder runs both ways there
is a phase each way. The two directions of decomposable attention are one phase: both are a softmax of the same scores
E (eq. 14), over either sentence, and these are shown beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from pandas import DataFrame, concat
from scipy.special import entr

from dglsent.analysis.pair_scores import PAPER
from dglsent.analysis.pictures import CONTRAST, heat, inches, panels, room
from dglsent.analysis.recording import Recording
from dglsent.analysis.runs import first_runs, of_run
from dglsent.analysis.sentences import find_pairs
from graphs.errors import InputError

# Phases of trees, and of chains, in words.
_WAYS = {
    "attention_up": ("from words to the root", "from left to right"),
    "attention_down": ("from the root to words", "from right to left"),
}
_WIDEST = 12  # inches of two heat maps side by side, beyond which a page makes their labels too small to read
_UNLIKE = 2.5  # times as many nodes as in the other sentence, from which two heat maps side by side leave much empty


def tables(sources: Sequence[Recording], *, pair: str = "") -> dict[str, DataFrame]:
    """Tables `weights` (of one pair, each run and phase), `alignment` (its scores E) and `summary`.

    `summary` has the entropy of the weights, and the weight on equal words.

    Args:
        sources: recordings with attention between sentences.
        pair: id of the pair whose weights are listed; by default the first of the paper's, else of the split.

    Raises:
        InputError: a recording has no attention between sentences, or no such pair.
    """
    weights, alignments, summaries = [], [DataFrame()], []
    for source in sources:
        phases = [field.partition(".")[2] for field in source.fields if field.startswith("attend.attention")]
        if not phases:
            raise InputError(f"{source.path}: no attention between sentences is recorded; choose an attentive run")
        example = _chosen(source.examples, pair)
        edges = source.edges[source.edges.relation == "attend"]
        weights.append(of_run(of_pair(edges, source.nodes, phases, example), source))
        if "attend.E" in source.fields:
            alignments.append(of_run(alignment(edges, source.nodes, example), source))
        summaries.append(of_run(summary(edges, source.nodes, phases), source))
    made = {"weights": weights, "alignment": alignments, "summary": summaries}
    return {name: concat(parts, ignore_index=True) for name, parts in made.items()}


def of_pair(edges: DataFrame, nodes: DataFrame, phases: Sequence[str], example: int) -> DataFrame:
    """Every weight of a pair: phase, sentence of the listener, listener and heard node, by number and text.

    `way` is the phase in words, of a chain others than of trees.
    """
    one = edges[edges.example == example]
    of_pair = nodes[nodes.example == example]
    is_chain = bool(((of_pair.parent < 0) | (of_pair.parent == of_pair.node + 1)).all())
    text = of_pair.set_index(["sentence", "node"]).text
    parts = [
        DataFrame(
            {
                "phase": phase,
                "way": _WAYS.get(phase, ("", ""))[is_chain],
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


def alignment(edges: DataFrame, nodes: DataFrame, example: int) -> DataFrame:
    """Every score E of a pair: node of the first sentence and of the second, by number and text."""
    listed = of_pair(edges, nodes, ["E"], example)
    first = listed[listed.sentence == 0]  # the second listens by the same scores
    named = {"listener": "first", "heard": "second", "listener_text": "first_text", "heard_text": "second_text"}
    return first.rename(columns={**named, "weight": "score"}).drop(columns=["phase", "way", "sentence"])


def summary(edges: DataFrame, nodes: DataFrame, phases: Sequence[str]) -> DataFrame:
    """Of each phase the mean entropy beside log n, and the weight on nodes of equal text beside an even spread's.

    The latter two are means over the `listeners` that have such a node in the other sentence; nan where none has.
    """
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
                "on_equal": with_equal[phase][with_equal.equal].sum() / listeners if listeners else np.nan,
                "on_equal_even": (1 / with_equal["size"][with_equal.equal]).sum() / listeners if listeners else np.nan,
                "listeners": listeners,
            }
        )
    return DataFrame(rows)


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """For each system (its first run) and phase the two heat maps of the pair, and one of E where there is one."""
    found = {
        f"cross-attention-{system}": _of_phases(one, shown) for system, shown, one in first_runs(tables["weights"])
    }
    if not tables["alignment"].empty:
        for system, shown, one in first_runs(tables["alignment"]):
            found[f"alignment-{system}"] = _of_scores(one, shown)
    return found


def _of_phases(weights: DataFrame, shown: str) -> Figure:
    phases = list(weights.phase.unique())
    figure, axes = _panels(len(phases), [_names(weights[weights.sentence == side], "listener") for side in (0, 1)])
    figure.set_label(f"Drawn: {shown}.")
    for row, phase in enumerate(phases):
        for side in (0, 1):
            part = weights[(weights.phase == phase) & (weights.sentence == side)]
            names = [_names(part, which) for which in ("listener", "heard")]
            way = part.way.iloc[0]
            title = f"{way}:\nsentence {side + 1} listens" if way else f"sentence {side + 1} listens"
            square = _square(part, "listener", "heard", "weight")
            high = weights.weight.max()
            heat(axes[row, side], square, *names, high=high, label="weight", title=title, numbered=True)
            axes[row, side].set_ylabel("listens")
            axes[row, side].set_xlabel("listened to")
    return figure


def _of_scores(scores: DataFrame, shown: str) -> Figure:
    square = _square(scores, "first", "second", "score")
    names = [_names(scores, which) for which in ("first", "second")]
    longest = max(map(room, names))
    figure, axes = panels(1, 1, (inches(len(names[1])) + 3 + longest, inches(len(names[0])) + 2.2 + longest))
    figure.set_label(f"Drawn: {shown}.")
    most = np.abs(square).max() or 1.0
    title = "E: sentence 1 by sentence 2"
    heat(axes[0, 0], square, *names, low=-most, high=most, label="score", title=title, colours=CONTRAST, numbered=True)
    return figure


def _square(rows: DataFrame, row: str, column: str, value: str) -> npt.NDArray[np.float64]:
    square = np.zeros((int(rows[row].max()) + 1, int(rows[column].max()) + 1))
    square[rows[row], rows[column]] = rows[value]
    return square


def _panels(phases: int, names: Sequence[Sequence[str]]) -> tuple[Figure, Any]:
    """A figure and its [phases, 2] axes for the nodes of either sentence, by their names.

    Those of a phase stand side by side, or one below the other where they are wide or one is much wider.
    """
    sides, longest = [inches(len(nodes)) for nodes in names], max(map(room, names))
    if sum(sides) > _WIDEST or max(sides) > _UNLIKE * min(sides):
        heights = [side + 1.5 + longest for side in sides] * phases
        figure, axes = panels(2 * phases, 1, (max(sides) + 3 + longest, sum(heights)), height_ratios=heights)
        return figure, axes.reshape(phases, 2)
    size = sum(sides) + 6 + 2 * longest, phases * (max(sides) + 1.9 + longest)
    return panels(phases, 2, size, width_ratios=[side + 2 + longest for side in reversed(sides)])


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
