"""Gates of words as training goes on (figure 4 of the dynamic window networks).

The runs were trained with `dglsent fit --log-gates`. The effective width of a window is the sum of its gates on words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter
from pandas import DataFrame, Series

from dglsent.analysis.pictures import colour_of, mark_of, panels
from dglsent.analysis.runs import by_run, first_run, of_each_run
from dglsent.analysis.statistics import Array, entropy, interval, pearson, spearman
from dglsent.analysis.trained_run import LoggedGates
from graphs.drawing.colour import INK


def tables(sources: Sequence[LoggedGates]) -> dict[str, DataFrame]:
    """Tables `activity` (word, step, offset), `decay` (step, distance), `width` (word) and `ambiguity`."""

    def of_one(source: LoggedGates) -> dict[str, DataFrame]:
        activity = mean_gates(source.gates)
        width = widths(source.gates, source.words)
        return {"activity": activity, "decay": decay(activity), "width": width, "ambiguity": ambiguity(width)}

    return of_each_run(sources, of_one)


def mean_gates(gates: DataFrame) -> DataFrame:
    """Of each word, step and offset the mean and standard deviation over its occurrences."""
    grouped = gates.groupby(["word", "step", "offset"], observed=True, sort=True).gate
    return grouped.agg(gate="mean", sd="std", occurrences="size").reset_index()


def decay(activity: DataFrame) -> DataFrame:
    """Of each step the mean gate over all words, by distance from the middle."""
    distance = activity.offset.abs().rename("distance")
    return activity.groupby(["step", distance]).gate.mean().reset_index()


def widths(gates: DataFrame, words: DataFrame) -> DataFrame:
    """Of each word the effective width and the entropy of its gates' shares, at the first and the last step.

    Both are means over its occurrences, of whose windows some are cut off by the sentence's ends.
    """
    found = words[["word", "count", "classes"]].sort_values("word").set_index("word")
    for name, step in (("first", gates.step.min()), ("last", gates.step.max())):
        at_step = gates[gates.step == step]
        windows = at_step.groupby(["word", "occurrence"], observed=True).gate
        each = DataFrame({"width": windows.sum(), "entropy": windows.agg(_entropy_of_shares)})
        for column, values in each.groupby("word", observed=True).mean().items():
            found[f"{column}_{name}"] = values
    columns = ["width_first", "entropy_first", "width_last", "entropy_last", "count", "classes"]
    return found.dropna(subset=["width_first"]).reset_index()[["word", *columns]]


def _entropy_of_shares(gates: Series) -> float:
    return entropy((gates / gates.sum()).to_numpy(float))


def ambiguity(width: DataFrame) -> DataFrame:
    """Spearman's rho of the effective width at the end with a word's number of classes, and with its frequency.

    `partial` is that with the classes where the frequency is held fixed, by ranks.
    """
    from scipy.stats import rankdata

    last, classes, count = (width[name].to_numpy(float) for name in ("width_last", "classes", "count"))

    def partial(index: Array) -> float:
        ranks = [rankdata(column[index]) for column in (last, classes, count)]
        if np.ptp(ranks[2]) == 0:  # of few words drawn again: nothing to hold fixed, and no line to fit
            return pearson(ranks[0], ranks[1])
        a, b = (each - np.polyval(np.polyfit(ranks[2], each, 1), ranks[2]) for each in ranks[:2])
        # Ranks are halves: what is far smaller is rounding, and nothing is left to correlate.
        return float(np.corrcoef(a, b)[0, 1]) if min(np.ptp(a), np.ptp(b)) > 1e-9 else float("nan")

    everyone = np.arange(len(width))
    statistics = {
        "classes": lambda index: spearman(last[index], classes[index]),
        "frequency": lambda index: spearman(last[index], count[index]),
        "partial": partial,
    }
    known = len(width) > 3
    rows = []
    for name, statistic in statistics.items():
        low, high = interval(statistic, len(width), repeats=300) if known else (np.nan, np.nan)
        rows.append({"with": name, "rho": statistic(everyone) if known else np.nan, "low": low, "high": high})
    return DataFrame(rows).assign(words=len(width))


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """Of the first run a block a word and place of its window; of all, gates by distance, and width by ambiguity."""
    return {
        "gates": _step_by_step(tables["activity"], tables["width"]),
        "decay-and-width": _distance_and_ambiguity(tables["decay"], tables["width"]),
    }


def _step_by_step(activity: DataFrame, width: DataFrame) -> Figure:
    name, first = first_run(activity)
    ordered = width.drop_duplicates("word").sort_values(["classes", "word"], ascending=[False, True]).word
    shown = list(ordered.iloc[np.unique(np.linspace(0, len(ordered) - 1, 3).astype(int))])
    offsets = sorted(first.offset.unique())
    figure, axes = panels(len(shown), len(offsets), (9, 1.05 * len(shown) + 0.8), sharex=True, sharey=True)
    figure.set_label(
        f"Drawn: {name}; of its words those with the most, a middling number and the fewest categories; bands are one "
        "standard deviation over occurrences."
    )
    ends = [1, 10 ** int(np.log10(first.step.max() + 1))]
    for line, word in enumerate(shown):
        for column, offset in enumerate(offsets):
            ax, one = axes[line, column], first[(first.word == word) & (first.offset == offset)]
            ax.plot(one.step + 1, one.gate, color=colour_of(0), lw=1.2)
            ax.fill_between(
                one.step + 1,
                one.gate - one.sd.fillna(0),
                one.gate + one.sd.fillna(0),
                color=colour_of(0),
                alpha=0.2,
                lw=0,
            )
            ax.set_xscale("log")
            ax.set_ylim(0, 1)
            ax.set_yticks([0, 1])
            ax.set_xticks(ends, map(str, ends))
            ax.minorticks_off()
            ax.tick_params(labelsize=6)
            if not line:
                ax.set_title(f"{offset:+d}" if offset else "word", fontsize=8)
        axes[line, 0].set_ylabel(word, fontsize=8, color=INK)
    axes[-1, len(offsets) // 2].set_xlabel("training step + 1")
    figure.supylabel("gate", fontsize=9)
    return figure


def _distance_and_ambiguity(decayed: DataFrame, width: DataFrame) -> Figure:
    figure, axes = panels(1, 2, (8.4, 3.4))
    left, right = axes[0]
    for number, ((system, run, rows), (_, _, points)) in enumerate(zip(by_run(decayed), by_run(width), strict=True)):
        colour, mark = colour_of(number), mark_of(number)
        for step, style in ((rows.step.min(), ":"), (rows.step.max(), "-")):
            one = rows[rows.step == step]
            label = f"{system}, {run}, step {step}"
            left.plot(one.distance, one.gate, style, marker=mark, ms=3, color=colour, label=label)
        right.plot(points.classes, points.width_last, mark, ms=3, color=colour, alpha=0.7)
        if not number:
            for place in (points.width_last.idxmax(), points.width_last.idxmin()):
                end = points.loc[place]
                right.annotate(end.word, (end.classes, end.width_last), (4, 2), textcoords="offset points", fontsize=7)
    left.set_xlabel("distance from the word")
    left.set_ylabel("mean gate")
    left.set_xticks(sorted(decayed.distance.unique()))
    left.set_ylim(0, 1)
    left.legend(fontsize=6.5)
    right.set_xscale("log")
    right.xaxis.set_major_formatter(LogFormatter())
    right.xaxis.set_minor_formatter(LogFormatter())
    right.set_xlabel("categories of the word in training")
    right.set_ylabel("effective width at the end")
    return figure
