"""Scores of models in bins of examples, and what attention adds in parts of a split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.pictures import colour_of, mark_of, panels
from dglsent.analysis.recording import Recording, require_same_examples
from dglsent.analysis.statistics import Array, interval
from dglsent.analysis.trained_run import TrainedRun
from graphs.drawing.colour import SOFT

BANDS = "Bands are 95 % intervals over examples."

Score = Callable[[Array, Array], float]  # gold [n] and predicted [n]
Predicted = Mapping[str, Mapping[int, Array]]  # of each system and seed [N]


def predictions(sources: Sequence[Recording]) -> tuple[DataFrame, Predicted]:
    """The examples of a split, and of each system and seed what it predicts.

    Raises:
        InputError: the recordings are not of pairs with gold values, or not all of the same, as those of several folds.
    """
    require_same_examples(sources)
    found: dict[str, dict[int, Array]] = {}
    for source in sources:
        source.require_pairs()
        found.setdefault(source.system, {})[source.seed] = source.examples.predicted.to_numpy(float)
    return sources[0].examples, found


def by_bin(gold: Array, predicted: Predicted, bins: Array, place: Array, score: Score) -> DataFrame:
    """A row a bin and system: the score, mean over seeds, with its bootstrap interval over the examples.

    Args:
        gold: [N] gold values.
        predicted: of each system and seed [N].
        bins: [N] bin of each example.
        place: [N] value by which they were made.
        score: of gold and predicted values.
    """
    rows = []
    for system, by_seed in predicted.items():
        of_seeds = [*by_seed.values()]
        for low in np.unique(bins):
            inside = np.flatnonzero(bins == low)
            scored = [score(gold[inside], one[inside]) for one in of_seeds]
            ends = interval(partial(_drawn, score, gold, of_seeds, inside), len(inside), repeats=300)
            rows.append(
                {
                    "system": system,
                    "bin": low,
                    "place": place[inside].mean(),
                    "examples": len(inside),
                    "score": np.mean(scored),
                    "sd": np.std(scored, ddof=1) if len(scored) > 1 else np.nan,
                    "low": ends[0],
                    "high": ends[1],
                    "seeds": len(scored),
                }
            )
    return DataFrame(rows)


def without_attention(sources: Sequence[Recording] | Sequence[TrainedRun]) -> dict[str, str]:
    """Of each attentive system the one among those given that it is compared with.

    It is that of the same name without "attentive-" and what says how children are attended to ("-carry", "-paper").
    Where there is one whose cell has an output gate and one whose cell has none ("-ungated"), it is the one that is
    like the attentive one in that; the one without "-ungated" where neither is.
    """
    gates = {source.system: source.encoder.get("output_gate") for source in sources}
    found = {}
    for system, gate in gates.items():
        plain = system.replace("attentive-", "").removesuffix("-carry").removesuffix("-paper")
        alike = [one for one in (plain, f"{plain}-ungated") if one in gates and gates[one] == gate]
        if "attentive-" in system and (alike or plain in gates):
            found[system] = alike[0] if alike else plain
    return found


def lifts(
    gold: Array, predicted: Predicted, bases: Mapping[str, str], parts: Mapping[str, Array], score: Score
) -> DataFrame:
    """What attention adds: of each attentive system and its base, their scores in parts of the split.

    Scores are means over the seeds that both have, of which the difference has a standard deviation; without such
    (`seeds` 0) over all of each. The interval is that of the difference, by a bootstrap over the examples, the same
    drawn for both.
    """
    rows = []
    for system, base in bases.items():
        shared = [seed for seed in predicted[system] if seed in predicted[base]]
        with_attention, without = ([of[seed] for seed in shared or of] for of in (predicted[system], predicted[base]))
        for name, marked in parts.items():
            inside = np.flatnonzero(marked)
            ours, plain = (_mean(score, gold, of, inside) for of in (with_attention, without))
            drawn = partial(_difference, score, gold, with_attention, without, inside)
            low, high = interval(drawn, len(inside), repeats=500)
            of_seeds = [
                _mean(score, gold, [one], inside) - _mean(score, gold, [other], inside)
                for one, other in zip(with_attention, without, strict=False)
            ]
            rows.append(
                {
                    "system": system,
                    "base": base,
                    "part": name,
                    "examples": len(inside),
                    "attentive": ours,
                    "plain": plain,
                    "difference": ours - plain,
                    "sd": np.std(of_seeds, ddof=1) if len(shared) > 1 else np.nan,
                    "seeds": len(shared),
                    "low": low,
                    "high": high,
                }
            )
    return DataFrame(rows)


def binned_figure(frame: DataFrame, lift: DataFrame, x: str, y: str, limits: tuple[float, float] | None) -> Figure:
    """A line a system over the bins, with intervals; beside it what attention adds in parts of the split.

    The axis of scores has at least these limits, and all scores are within; intervals may not be. Where no bin has a
    score, as Pearson's r of one pair is undefined, the figure says so.
    """
    columns, width = (2, 10.4) if len(lift) else (1, 6.4)
    figure, axes = panels(1, columns, (width, 4.2), width_ratios=(3, 2)[:columns])
    ax = axes[0, 0]
    for number, (system, line) in enumerate(frame.groupby("system", sort=False)):
        colour = colour_of(number)
        style = "-" if "attentive" in str(system) else "--" if "tree" in str(system) else ":"
        ax.plot(line.place, line.score, style, marker=mark_of(number), ms=3, color=colour, label=system, lw=1.4)
        ax.fill_between(line.place, line.low, line.high, color=colour, alpha=0.08, lw=0)
        if len(line) == 1:  # of which a band has no width
            ax.plot([*line.place] * 2, [*line.low, *line.high], marker="_", color=colour, lw=1)
    if frame.score.isna().all():
        why = f"{y} is undefined in every bin:\ntoo few examples, or all alike"
        ax.text(0.5, 0.5, why, ha="center", va="center", color=SOFT, transform=ax.transAxes)
        ax.set(xticks=[], yticks=[])
    elif limits:
        # Intervals of bins of a few pairs, which may reach to 0, would press all scores together.
        ax.set_ylim(min(limits[0], frame.score.min() - 0.02), max(limits[1], frame.score.max() + 0.02))
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    figure.legend(*ax.get_legend_handles_labels(), fontsize=7.5, ncols=3, loc="outside upper left")
    if len(lift):
        right = axes[0, 1]
        rows = list(lift.itertuples())[::-1]
        names = [
            f"{row.system.rpartition('/')[2]} - {row.base.rpartition('/')[2]}\n{row.part} (n = {row.examples}): "
            f"{row.difference:.4f}{f', sd {row.sd:.4f} of {row.seeds} seeds' if row.seeds > 1 else ''}"
            for row in rows
        ]
        middle = np.array([row.difference for row in rows])
        ends = np.abs(np.array([[row.low, row.high] for row in rows]).T - middle)
        right.errorbar(middle, range(len(rows)), xerr=ends, fmt="o", ms=4, color=colour_of(0), elinewidth=1)
        right.axvline(0, color=SOFT, lw=0.8)
        right.set_yticks(range(len(rows)), names, fontsize=7.5)
        right.set_xlabel("attentive minus plain\n95 % interval over examples")
    return figure


def _mean(score: Score, gold: Array, of_seeds: Sequence[Array], index: Array) -> float:
    return float(np.mean([score(gold[index], one[index]) for one in of_seeds]))


def _drawn(score: Score, gold: Array, of_seeds: Sequence[Array], inside: Array, index: Array) -> float:
    return _mean(score, gold, of_seeds, inside[index])


def _difference(
    score: Score, gold: Array, one: Sequence[Array], other: Sequence[Array], inside: Array, index: Array
) -> float:
    return _mean(score, gold, one, inside[index]) - _mean(score, gold, other, inside[index])
