"""Dimensions of z that are large where certain tags meet (table 4 of the tag-guided networks).

A node counts as large in a dimension if it is among the top share of all phrases there. A dimension stands for the pair
of tags that most of its large nodes have, if that is at least half of them and the pair is not rare. The control gives
the tags to other nodes: what remains is what a dimension would show by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import shorten

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame, factorize
from scipy.special import rel_entr

from dglsent.analysis.phrases import gates, phrases
from dglsent.analysis.pictures import colour_of, dashes_of, panels
from dglsent.analysis.recording import Recording
from dglsent.analysis.runs import by_run, first_run, of_each_run
from dglsent.analysis.statistics import Array
from graphs.drawing.colour import INK, SOFT
from graphs.errors import InputError

_EXAMPLES = 4  # of a dimension
_SHORT = 60  # letters of an example that fits a line

PAPER = ("JJ+NN", "DT+NN", "NP+PP", "ADJP+NN", "IN+NP")


def tables(
    sources: Sequence[Recording],
    *,
    large: str = "top",
    top: float = 0.01,
    purity: float = 0.5,
    least: int = 20,
    permutations: int = 100,
) -> dict[str, DataFrame]:
    """Tables `dimensions` (all, by lift times purity), `control` (each permutation) and `summary` (each run).

    Args:
        sources: recordings with z_u.
        large: "top" share by value, "absolute" top share by absolute value, or "sd", above mean + 2 sd.
        top: the share of phrases that are large, for "top" and "absolute".
        purity: share of the large nodes that must have the pair.
        least: phrases that must have the pair.
        permutations: how often the control gives the tags to other nodes.

    Raises:
        InputError: a recording lacks z_u, or has no phrase of two parts, or `large` is none of these.
    """

    def of_one(source: Recording) -> dict[str, DataFrame]:
        source.require("z_u")
        inner = phrases(source.nodes)
        if inner.empty:
            raise InputError(f"{source.path}: no phrase of two parts, whose tags this counts; choose another split")
        z = source.vectors("nodes", "z_u")[inner.row.to_numpy()]
        sizes, marked = large_nodes(z, large, top)
        dimensions = pair_dimensions(inner, sizes, marked)
        letters, dimensions["dimension"] = zip(*gates(source, z.shape[1]), strict=True)
        dimensions.insert(0, "gate", letters)
        dimensions["kept"] = (dimensions.purity >= purity) & (dimensions.pair_count >= least)
        dimensions = dimensions.iloc[np.argsort(-dimensions.lift * dimensions.purity, kind="stable")]
        codes, _ = factorize(inner.pair)
        control = permuted(codes, marked, purity=purity, least=least, times=permutations)
        return {"dimensions": dimensions, "control": control, "summary": _summary(inner, dimensions, control)}

    return of_each_run(sources, of_one)


def _summary(inner: DataFrame, dimensions: DataFrame, control: DataFrame) -> DataFrame:
    """The row of a run: its phrases, and what its dimensions have beside what the permutations have."""
    kept = dimensions[dimensions.kept]
    return DataFrame(
        {
            "phrases": len(inner),
            "pairs": inner.pair.nunique(),
            "dimensions": len(dimensions),
            "kept": len(kept),
            "kept_permuted_mean": control.kept.mean(),
            "kept_permuted_max": control.kept.max(),
            "purity_max": dimensions.purity.max(),
            "purity_mean": dimensions.purity.mean(),
            "purity_permuted_max": control.purity_max.max(),
            "purity_permuted_mean": control.purity_mean.mean(),
            "mutual_information": dimensions.mutual_information.mean(),
            "mutual_information_permuted": control.mutual_information.mean(),
            "of_the_paper": " ".join(pair for pair in PAPER if pair in set(kept.pair)),
        },
        index=[0],
    )


def large_nodes(z: Array, large: str, top: float) -> tuple[Array, Array]:
    """How large each phrase is in each dimension of z [N, d], and whether it is large there; options as of `tables`.

    Raises:
        InputError: `large` is neither "top", "absolute" nor "sd".
    """
    if large == "sd":
        return z, z > z.mean(0) + 2 * z.std(0)
    if large not in ("top", "absolute"):
        raise InputError(f"--large {large}: give top, absolute or sd")
    sizes = np.abs(z) if large == "absolute" else z
    count = max(1, round(top * len(z)))
    order = np.argsort(-sizes, axis=0, kind="stable")[:count]
    marked = np.zeros(z.shape, dtype=bool)
    np.put_along_axis(marked, order, True, axis=0)
    return sizes, marked


def pair_dimensions(inner: DataFrame, sizes: Array, marked: Array) -> DataFrame:
    """A row a dimension (from 1): the pair of tags of most of its large phrases, and how far that is more than usual.

    Of a dimension without large phrases, as "sd" may have, the pair is "" and its frequency nan.

    Args:
        inner: N phrases, as `phrases` makes them.
        sizes: [N, d] how large each is.
        marked: [N, d] which are large.
    """
    codes, names = factorize(inner.pair)
    parents, _ = factorize(inner.tag)
    counts, totals = _by_code(codes, marked), np.bincount(codes)
    best = counts.argmax(0)
    rows = []
    left, right = inner.left.to_numpy(), inner.right.to_numpy()
    information = mutual_information(counts, totals)
    of_parents = mutual_information(_by_code(parents, marked), np.bincount(parents))
    for k in range(sizes.shape[1]):
        size, pair = int(marked[:, k].sum()), int(best[k])
        purity = counts[pair, k] / size if size else 0.0
        total = int(totals[pair]) if size else 0
        of_pair = np.flatnonzero(marked[:, k] & (codes == pair))
        order = of_pair[np.argsort(-sizes[of_pair, k], kind="stable")]
        base = total / len(codes) if size else np.nan
        rows.append(
            {
                "dimension": k + 1,
                "pair": names[pair] if size else "",
                "purity": purity,
                "base": base,
                "lift": purity / base,
                "large": size,
                "pair_count": total,
                "mutual_information": information[k],
                "mutual_information_parent": of_parents[k],
                "examples": different(left[order], right[order]),
            }
        )
    return DataFrame(rows)


def permuted(codes: Array, marked: Array, *, purity: float, least: int, times: int) -> DataFrame:
    """A row a permutation of the pairs over the phrases: how many dimensions would be kept, and their purity."""
    rng, totals, size = np.random.default_rng(0), np.bincount(codes), np.maximum(marked.sum(0), 1)
    rows = []
    for number in range(times):
        counts = _by_code(rng.permutation(codes), marked)
        best = counts.argmax(0)
        share = counts.max(0) / size
        kept = int(((share >= purity) & (totals[best] >= least)).sum())
        rows.append(
            {
                "permutation": number,
                "kept": kept,
                "purity_max": share.max(),
                "purity_mean": share.mean(),
                "mutual_information": mutual_information(counts, totals).mean(),
            }
        )
    return DataFrame(rows)


def mutual_information(marked: Array, totals: Array) -> Array:
    """Mutual information in nats of a code and each of d marks: [d].

    Args:
        marked: [codes, d] marked items of each code.
        totals: [codes] all items.
    """
    joint = np.stack([marked, totals[:, None] - marked]) / totals.sum()
    expected = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    found: Array = rel_entr(joint, expected).sum((0, 1))
    return found


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """Of the first run each pair's best dimension, pale where it falls short; of all runs, purities."""
    dimensions, control = tables["dimensions"], tables["control"]
    shown, best = first_run(dimensions)
    best = best.dropna(subset=["lift"]).assign(score=lambda t: t.lift * t.purity)
    best = best.sort_values(["kept", "score"], ascending=False).drop_duplicates("pair").head(12)[::-1]
    figure, axes = panels(1, 2, (9, 4.2), width_ratios=(3, 2))
    figure.set_label(f"Bars: {shown}. Pale ones are of dimensions that stand for no pair.")
    left, right = axes[0]
    names = [f"{row.gate}{row.dimension}  {row.pair}" for row in best.itertuples()]
    bars = left.barh(names, best.purity, color=colour_of(0), height=0.6)
    for bar, row in zip(bars, best.itertuples(), strict=True):
        bar.set_alpha(1 if row.kept else 0.35)
        end = max(row.purity, row.base)
        inside = end > 0.5
        free = end - 0.06 if inside else 1.05 - end  # behind the bar the frame's edge is free, too
        example = shorten(next(iter(row.examples), ""), min(44, int(75 * free)), placeholder=" …")
        left.text(
            end + (-0.02 if inside else 0.02),
            bar.get_y() + bar.get_height() / 2,
            example,
            ha="right" if inside else "left",
            va="center",
            fontsize=7,
            color="white" if inside else SOFT,
        )
    left.plot(best.base, names, "|", color=INK, ms=11, mew=2, ls="none", label="share among all phrases")
    left.set_xlim(0, 1)
    left.set_ylim(-0.7, len(best) - 0.3)
    left.set_xlabel("share of the large phrases that have the pair")
    left.set_title("Pairs of tags by dimension")
    left.legend(loc="lower right", bbox_to_anchor=(1, 0.99), fontsize=8, handletextpad=0.2, borderaxespad=0)
    for number, (system, run, rows) in enumerate(by_run(dimensions)):
        purity = np.sort(rows.purity)[::-1]
        places, line = np.arange(1, len(purity) + 1), dashes_of(number)
        right.plot(places, purity, line, color=colour_of(number), label=f"{system}, {run}")
    right.axhline(control.purity_max.max(), color=SOFT, ls="--", lw=1, label="highest of permuted tags")
    right.set_ylim(0, 1)
    right.set_xlabel("dimensions by purity")
    right.set_ylabel("purity")
    right.legend(fontsize=7)
    return {"tag-pairs": figure}


def _by_code(codes: Array, marked: Array) -> Array:
    """[codes, d] marked items of each code."""
    counts = np.zeros((int(codes.max()) + 1, marked.shape[1]), dtype=np.int64)
    item, dimension = np.nonzero(marked)
    np.add.at(counts, (codes[item], dimension), 1)
    return counts


def different(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Four pairs of texts that differ: the first no words of which stood before, else the first of what is left."""
    texts = {
        f"{one}+{other}": {*one.lower().split()[:6], *other.lower().split()[:6]}
        for one, other in zip(left, right, strict=True)
    }
    seen: set[str] = set()
    chosen: list[str] = []
    for text, words in texts.items():
        if len(text) <= _SHORT and not words & seen:
            chosen.append(text)
            seen |= words
    others = sorted((text for text in texts if text not in chosen), key=lambda text: len(text) > _SHORT)
    return [*chosen, *others][:_EXAMPLES]
