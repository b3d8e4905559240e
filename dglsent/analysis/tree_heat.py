"""One dimension of z over a tree, beside the sentiment of its phrases (figure 3 of the tag-guided networks).

The dimension is the one that best tells phrases of negative sentiment from others, by the area under the ROC curve over
all phrases of the split, unless one is named. Sentiment is a class from the middle of all, where an even number of
classes has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from pandas import DataFrame, Series, concat
from scipy.stats import rankdata

from dglsent.analysis.phrases import gates, phrases
from dglsent.analysis.pictures import HEAT, panels, short
from dglsent.analysis.recording import Recording
from dglsent.analysis.runs import by_run, first_run, of_run, which_run
from dglsent.analysis.sentences import find_sentence
from dglsent.analysis.statistics import Array
from graphs.drawing.colour import INK, LINE, SOFT
from graphs.errors import InputError

_ABREAST = 20  # letters that two neighbouring words have room for side by side

PAPER = ("How did it ever get made ?",)


def tables(sources: Sequence[Recording], *, sentence: str = "", dimension: int = 0) -> dict[str, DataFrame]:
    """Tables `auc` (each dimension of each run) and `tree` (the nodes of the sentence in each run).

    Args:
        sources: recordings with z_u and gold labels of phrases.
        sentence: whose tree is drawn; by default the paper's, else the first of the split.
        dimension: from 1, over all gates; 0 takes the one with the highest area.

    Raises:
        InputError: a recording lacks z_u or such a dimension, phrases have no gold labels, or no such sentence.
    """
    areas, trees = [], []
    for source in sources:
        source.require("z_u")
        z = source.vectors("nodes", "z_u")
        if not 0 <= dimension <= z.shape[1]:
            raise InputError(f"--dimension {dimension}: {source.path} has 1 to {z.shape[1]}")
        nodes, inner = source.nodes, phrases(source.nodes)
        if not ((inner.gold >= 0) & (inner.parent >= 0)).any():  # classes of sentences alone, whatever they are
            nodes, inner = (table.assign(gold=-1, predicted=-1) for table in (nodes, inner))
        labelled = inner[inner.gold >= 0]
        classes = len(source.labels) or int(nodes.gold.max()) + 1
        area = area_under_curve(z[labelled.row.to_numpy()], (sentiment_of(labelled.gold, classes) < 0).to_numpy())
        names = [f"{gate}{number}" for gate, number in gates(source, len(area))]
        numbers = np.arange(1, len(area) + 1)
        areas.append(DataFrame({**which_run(source), "dimension": numbers, "name": names, "auc": area}))
        if not dimension and np.isnan(area).all():
            raise InputError(f"{source.path}: no phrases with gold sentiment; choose a run on SST or give --dimension")
        k = dimension or int(np.nanargmax(area)) + 1
        example, side = find_sentence(source.examples, sentence, PAPER)
        tree = tree_values(nodes, z[:, k - 1], example, side, classes)
        trees.append(of_run(tree, source).assign(dimension=k, name=names[k - 1], auc=area[k - 1]))
    return {"auc": concat(areas, ignore_index=True), "tree": concat(trees, ignore_index=True)}


def area_under_curve(z: Array, positive: Array) -> Array:
    """Of each dimension of z [N, d] the probability that a positive item has a larger value than another."""
    wanted, others = int(positive.sum()), int((~positive).sum())
    if not wanted or not others:
        return np.full(z.shape[1], np.nan)
    ranks = rankdata(z, axis=0)[positive].sum(0)
    found: Array = (ranks - wanted * (wanted + 1) / 2) / (wanted * others)
    return found


def sentiment_of(labels: Series, classes: int) -> Series:
    """Of numbers of classes, ordered from the most negative, the distance from the middle; nan where none is known.

    The middle of an even number is between two classes, -1 and 1. Beside two classes neutral phrases may be a class 2
    (`corpora.sst`).
    """
    if classes == 2:
        return labels.map({0: -1, 1: 1, 2: 0})
    found = labels.where(labels >= 0) - classes // 2
    return found if classes % 2 else found.where(found < 0, found + 1)


def tree_values(nodes: DataFrame, values: Array, example: int, side: int, classes: int) -> DataFrame:
    """The nodes of the tree on one side of an example: gold and predicted sentiment, and values where it is no leaf."""
    tree = nodes.assign(value=values)[(nodes.example == example) & (nodes.sentence == side)]
    inner = tree.node.isin(tree.parent)
    return DataFrame(
        {
            "node": tree.node,
            "parent": tree.parent,
            "start": tree.start,
            "end": tree.end,
            "text": tree.text,
            "tag": tree.tag,
            "sentiment": sentiment_of(tree.gold, classes),
            "predicted": sentiment_of(tree.predicted, classes),
            "value": tree.value.where(inner),
        }
    ).reset_index(drop=True)


def texts(tables: Mapping[str, DataFrame]) -> dict[str, str]:
    """The tree of each run as text."""
    return {name: as_text(tree) for name, tree in _by_run(tables).items()}


def as_text(tree: DataFrame) -> str:
    """The tree as indented lines: tag, sentiment, value and text."""
    depth: dict[int, int] = {-1: -1}
    lines = []
    for row in tree.sort_values(["start", "end", "node"], ascending=[True, False, True]).itertuples():
        depth[row.node] = depth[row.parent] + 1
        sentiment = "" if np.isnan(row.sentiment) else f" {row.sentiment:+.0f}"
        value = "" if np.isnan(row.value) else f" {row.value:.3f}"
        lines.append(f"{'  ' * depth[row.node]}{row.tag}{sentiment}{value}  {row.text}")
    return "\n".join(lines) + "\n"


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """The tree of each run: a circle a node with its gold sentiment, beside those of phrases a box with the value."""
    return {name: _tree(tree) for name, tree in _by_run(tables).items()}


def _by_run(tables: Mapping[str, DataFrame]) -> dict[str, DataFrame]:
    """The tree of each run, by the name of its files."""
    return {
        f"tree-{system.replace('/', '-')}-{run.replace(', ', '-').replace(' ', '-')}": tree.reset_index(drop=True)
        for system, run, tree in by_run(tables["tree"])
    }


def _tree(tree: DataFrame) -> Figure:
    by_node = tree.set_index("node")
    parent = by_node.parent.to_dict()
    middle = ((tree.start + tree.end) / 2).set_axis(tree.node)
    height = dict.fromkeys(tree.node, 0)
    for node in tree.sort_values("start", ascending=False).node:
        above, steps = parent[node], 1
        while above >= 0:
            height[above] = max(height[above], steps)
            above, steps = parent[above], steps + 1
    words, top = int(tree.end.max()), max(height.values())
    leaves = tree[tree.value.isna() & (tree.end - tree.start == 1)].sort_values("start").text.map(short)
    crowded = any(len(one) + len(other) > _ABREAST for one, other in pairwise(leaves))
    turned = {"rotation": 35, "ha": "right", "va": "top", "rotation_mode": "anchor"} if crowded else {"ha": "center"}
    below = 2.1 if crowded else 0.9
    figure, axes = panels(1, 1, (max(6.0, 0.85 * words + 1.6), max(3.4, 0.85 * (top + below) + 1.4)))
    ax = axes[0, 0]
    scale = Normalize(tree.value.min(), tree.value.max())
    for row in tree.itertuples():
        x, y = middle[row.node], height[row.node]
        if row.parent >= 0:
            ax.plot([x, middle[row.parent]], [y, height[row.parent]], color=LINE, lw=1, zorder=1)
        ax.add_patch(Circle((x, y), 0.2, facecolor="white", edgecolor=INK, lw=0.8, zorder=2))
        if not np.isnan(row.sentiment):
            ax.text(x, y, f"{row.sentiment:+.0f}".replace("+0", "0"), ha="center", va="center", fontsize=8, zorder=3)
        if not np.isnan(row.value):
            share = float(scale(row.value))
            ax.add_patch(
                Rectangle((x + 0.2, y - 0.15), 0.42, 0.3, facecolor=HEAT(share), edgecolor=SOFT, lw=0.5, zorder=2)
            )
            written = {"ha": "center", "va": "center", "color": "white" if share > 0.5 else INK}
            ax.text(x + 0.41, y, f"{row.value:.2f}", fontsize=6.5, zorder=3, **written)
        elif row.end - row.start == 1:
            ax.text(x, y - (0.25 if crowded else 0.5), short(row.text), fontsize=9, **{"va": "center", **turned})
    ax.set_xlim(-0.1, words + 0.1)
    ax.set_ylim(-below, top + 0.4)
    ax.set_aspect("equal")
    ax.set_axis_off()
    first = tree.iloc[0]
    name = first["name"]  # `first.name` is the row's own
    told = "" if name == str(first.dimension) else f" (--dimension {first.dimension})"
    area = "" if np.isnan(first.auc) else f", area under the curve for negative phrases {first.auc:.2f}"
    ax.set_title(f"dimension {name}{told}{area}", fontsize=9)
    bar = figure.colorbar(ScalarMappable(scale, HEAT), ax=ax, shrink=0.7, pad=0.02, aspect=24, panchor=(0.0, 0.5))
    bar.set_label(f"value of z_u, dimension {name}")
    bar.outline.set_visible(False)
    circle = Line2D([], [], ls="none", marker="o", ms=9, mfc="white", mec=INK, mew=0.8)
    box = Rectangle((0, 0), 1, 1, facecolor=HEAT(0.3), edgecolor=SOFT, lw=0.5)
    told_of = ["gold sentiment, negative below 0, empty where it is not known", f"value of z_u, dimension {name}"]
    figure.legend([circle, box], told_of, fontsize=7.5, ncols=2, loc="outside upper left")
    figure.set_label(f"Drawn: {first_run(tree)[0]}.")
    return figure
