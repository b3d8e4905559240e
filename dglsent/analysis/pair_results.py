"""Tables 2 and 3 of the attentive tree encoders, with what a constant answer scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.binned import without_attention
from dglsent.analysis.scores import beside_base, beside_published, positive_share, scores, scores_figure
from dglsent.analysis.statistics import over_seeds
from dglsent.analysis.trained_run import TrainedRun


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `results`, `majority` and `lift`."""
    found = scores(sources)
    return {
        "results": beside_published(found, ("sick-relatedness", "msrp", "ai2")),
        "majority": majority(found, sources),
        "lift": lift(found, without_attention(sources)),
    }


def majority(found: DataFrame, sources: Sequence[TrainedRun]) -> DataFrame:
    """Of each corpus and split of two classes the share of class 1, which scores imply, and the majority's scores."""
    # A tagger's precision and recall are of chunks, its accuracy is of tokens.
    of_tags = [run.system for run in sources if run.config["task"]["class_path"].rpartition(".")[2] == "Tagging"]
    found = found[~found.system.isin(of_tags)]
    wide = found.pivot_table(index=["corpus", "split", "system", "seed"], columns="score", values="value").reset_index()
    if not {"accuracy", "precision", "recall"} <= set(wide.columns):
        return DataFrame(columns=["corpus", "split", "share", "accuracy", "f1"])
    shares = [positive_share(*row) for row in wide[["accuracy", "precision", "recall"]].to_numpy(float)]
    share = wide.assign(share=shares).groupby(["corpus", "split"]).share.median().dropna().reset_index()
    share["accuracy"] = np.maximum(share.share, 1 - share.share)
    # Of halves the answer that scores more: which of them scores imply as the larger is their rounding.
    share["f1"] = np.where(share.share.round(5) >= 0.5, 2 * share.share / (1 + share.share), 0.0)
    return share


def lift(found: DataFrame, bases: Mapping[str, str]) -> DataFrame:
    """What attention adds: an attentive system minus its base, seed by seed."""
    test = found[found.split == "test"]
    with_attention = test[test.system.isin(list(bases))]
    with_attention = with_attention.assign(base=with_attention.system.map(bases).astype(str))
    both = beside_base(with_attention, test.assign(base=test.system), ["base", "seed", "score"])
    return over_seeds(both, ["corpus", "variant", "base", "score"], ["value", "value_plain", "difference"])


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a table."""
    return {"pair-results": scores_figure(tables["results"])} if len(tables["results"]) else {}
