"""Weights between the words of sentences in a recording: who stands where, what lies on dependencies, controls.

An edge row says how much its receiver listens to its sender; the weights of a receiver sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pandas import DataFrame, MultiIndex, factorize

from dglsent.analysis.pictures import arcs
from dglsent.analysis.recording import Recording
from dglsent.analysis.statistics import Array
from graphs.drawing.attention import strongest
from graphs.errors import InputError


def layers(source: Recording) -> list[str]:
    """Names of the fields of weights between words, layer after layer.

    Raises:
        InputError: there are none.
    """
    names = [field.partition(".") for field in source.fields]
    found = [name for relation, _, name in names if relation == "complete" and name.startswith("attention_")]
    if not found:
        raise InputError(
            f"{source.path}: no weights between all words are recorded; choose a run of CN3 or a Transformer"
        )
    return found


def word_edges(source: Recording) -> DataFrame:
    """The edges between all words, with what each is.

    Columns: example, sentence, `group` (number of the receiver among all), sender, receiver, the fields of weights
    (the mean over heads where there are several), `offset` (sender minus receiver), `length` (words of the sentence),
    `neighbour` (whether one is the other's head), `parsed` (whether the sentence has dependencies).
    """
    names = layers(source)
    edges = source.edges[source.edges.relation == "complete"]
    found = edges[["example", "sentence", "sender", "receiver"]].reset_index(drop=True)
    for name in names:
        if name in edges:
            found[name] = edges[name].to_numpy(float)
        else:
            heads = source.vectors("edges", name)[(source.edges.relation == "complete").to_numpy()]
            found[name] = heads.mean(1).astype(float)
    return describe(found, source.nodes)


def describe(found: DataFrame, nodes: DataFrame) -> DataFrame:
    """Adds group, offset, length, neighbour and parsed to edges, see `word_edges`."""
    nodes = nodes.sort_values(["example", "sentence", "node"])
    sizes = nodes.groupby(["example", "sentence"], sort=True).size()
    first = (sizes.cumsum() - sizes).rename("first")
    where = MultiIndex.from_frame(found[["example", "sentence"]])
    at = first.reindex(where).to_numpy()
    sender, receiver = at + found.sender.to_numpy(), at + found.receiver.to_numpy()
    head = nodes["head"].to_numpy()
    neighbour = (head[receiver] == found.sender) | (head[sender] == found.receiver)
    return found.assign(
        group=receiver,
        offset=(found.sender - found.receiver).to_numpy(),
        length=sizes.reindex(where).to_numpy(),
        neighbour=neighbour.to_numpy() & (sender != receiver),
        parsed=head[receiver] > -2,
    )


def up_to(edges: DataFrame, longest: int, source: Recording) -> DataFrame:
    """The edges of sentences of at most `longest` words.

    Raises:
        InputError: there are none.
    """
    short = edges[edges.length <= longest]
    if short.empty:
        raise InputError(f"--longest {longest}: {source.path} has no sentence so short")
    return short


def by_position(edges: DataFrame, weights: Array) -> Array:
    """The weights that position alone would give: the mean of each offset, made to sum to 1 for every receiver.

    Args:
        edges: rows with offset and group.
        weights: [E]; the mean is of each times the number of words, so that sentences of all lengths count alike.
    """
    strength = edges.assign(strength=weights * edges.length).groupby("offset").strength.transform("mean").to_numpy()
    total = np.bincount(edges.group, strength, int(edges.group.max()) + 1)
    control: Array = strength / total[edges.group]
    return control


def by_popularity(edges: DataFrame, weights: Array) -> Array:
    """The weights where all words of a sentence listened alike: the mean over its listeners of each word's weight."""
    heard = edges.assign(weight=weights).groupby(["example", "sentence", "sender"]).weight.transform("mean")
    return heard.to_numpy()


def mass(edges: DataFrame, weights: Array, mask: Array) -> Array:
    """Of each sentence the weight where `mask` holds, mean over its words: [sentences]."""
    code = factorize(edges.example * 2 + edges.sentence)[0]
    found: Array = np.bincount(code, weights * mask / edges.length.to_numpy(float))
    return found


def square(edges: DataFrame, field: str) -> Array:
    """[n, n] weights of one sentence, a row a receiver."""
    size = int(edges.receiver.max()) + 1
    found: Array = np.zeros((size, size))
    found[edges.receiver, edges.sender] = edges[field]
    return found


def words_of(nodes: DataFrame, example: int, side: int) -> list[str]:
    """The words of the sentence on one side of an example."""
    return list(nodes[(nodes.example == example) & (nodes.sentence == side)].sort_values("node").text)


def draw_strongest(axes: Any, words: Sequence[str], weights: Array, colour: str) -> None:
    """Arcs over n words to each from those that give it most, by the weights [n, n]."""
    without = f"no word gives another more than 2 / {len(words)}" if len(words) > 2 else "too few words to choose among"
    arcs(axes, words, strongest_others(weights), colour=colour, without=without)


def strongest_others(weights: Array) -> list[tuple[int, int, float]]:
    """(sender, receiver, weight) of the three strongest senders of each of n receivers but itself, above 2 / n."""
    others = weights.copy()
    np.fill_diagonal(others, np.nan)
    return strongest(others, 3, 2 / len(weights))
