"""Tables 2 and 3 of the tag-guided networks: accuracies, parameters without those of words, the two kinds of fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.scores import beside_published, scores, scores_figure
from dglsent.analysis.statistics import over_seeds
from dglsent.analysis.trained_run import TrainedRun

PUBLISHED = ("sst1", "sst2", "mr", "subj", "trec", "sick-entailment")


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `results`, `parameters` and `fusion` (of each corpus and network, multiplied minus concatenated)."""
    found = scores(sources)
    parameters = over_seeds(found, ["system"], ["parameters"])[["system", "parameters"]]
    whole = parameters.round().astype({"parameters": "Int64"})  # of which CSV has all digits
    return {"results": beside_published(found, PUBLISHED), "parameters": whole, "fusion": fusion(found)}


def fusion(found: DataFrame) -> DataFrame:
    """Accuracies of both kinds of fusion and their difference, over the seeds that both have.

    Args:
        found: scores of runs, some of whose variants end in "-concat" and "-multi".
    """
    accuracy = found[(found.split == "test") & (found.score == "accuracy")]
    kind = accuracy.variant.str.extract(r"^(?P<network>.*)-(?P<kind>concat|multi)$")
    both = accuracy.assign(**kind).dropna(subset=["kind"])
    wide = both.pivot_table(index=["corpus", "network", "seed"], columns="kind", values="value").reset_index()
    if not {"concat", "multi"} <= set(wide.columns):
        return DataFrame(columns=["corpus", "network", "concat", "multi", "difference", "difference_sd", "seeds"])
    wide = wide.dropna().assign(difference=lambda t: t.multi - t["concat"])
    return over_seeds(wide, ["corpus", "network"], ["concat", "multi", "difference"])


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a table."""
    return {"composition-results": scores_figure(tables["results"])} if len(tables["results"]) else {}
