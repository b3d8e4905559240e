"""The figures and tables of the five papers: which analysis makes each, and of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from dglsent.near import near
from graphs.errors import InputError

Reads: TypeAlias = Literal["recordings", "runs", "gates"]

TREES = "Shen et al., Learning to Compose over Tree Structures via POS Tags"
ATTENTIVE = "Zhou et al., Modelling Sentence Pairs with Tree-structured Attentive Encoder"
WINDOWS = "Wu et al., A Dynamic Window Neural Network for CCG Supertagging"
NON_LOCAL = "Liu et al., Contextualized Non-local Neural Networks for Sequence Learning"
PROGRESSIVE = "Gupta and Zhang, To Attend or not to Attend"


@dataclass(frozen=True)
class Analysis:
    """An analysis; module `dglsent.analysis.NAME` has its functions `tables` and `figures`.

    Attributes:
        name: what the command calls it.
        code: its letter and number in the project's list.
        paper: whose figure or table it makes.
        what: what it makes.
        runs: of which runs, for those who choose some.
        reads: recordings of runs, the runs' own scores, or the gates that training logged.
        tables: of recordings, the tables that it reads.
        fields: of recordings, the fields that it reads, as patterns.
    """

    name: str
    code: str
    paper: str
    what: str
    runs: str
    reads: Reads = "recordings"
    tables: tuple[str, ...] = ("examples",)
    fields: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module that has its functions."""
        return f"dglsent.analysis.{self.name.replace('-', '_')}"


_EDGES = ("examples", "nodes", "edges")
_TAG_GUIDED = "TagGuidedHyperRecNN or TagGuidedHyperTreeLSTM"
_SCORES = "models of pairs that predict a score (Relatedness)"

ANALYSES = (
    Analysis("tag-pairs", "A1", TREES, "table 4: dimensions of z that stand for pairs of tags",
             _TAG_GUIDED, tables=("examples", "nodes"), fields=("z_u",)),
    Analysis("tree-heat", "A2", TREES, "figure 3: one dimension of z over a tree",
             _TAG_GUIDED, tables=("examples", "nodes"), fields=("z_u",)),
    Analysis("composition-results", "A3", TREES, "tables 2 and 3: accuracies and parameters",
             "any; published scores are of recipes of sst, sst2, mr, subj, trec, sick-entailment", "runs"),
    Analysis("length-bins", "B1", ATTENTIVE, "figure 3a: Pearson's r by mean length of a pair",
             _SCORES),
    Analysis("overlap-bins", "B2", ATTENTIVE, "figure 3b: accuracy by n-gram overlap of a pair",
             "models of pairs that predict a class (PairClassification)"),
    Analysis("child-attention", "B3", ATTENTIVE, "figure 4: attention of heads over their dependents",
             "AttentiveTreeLSTM or AttentiveTreeGRU", tables=_EDGES, fields=("child.attention",)),
    Analysis("example-predictions", "B4", ATTENTIVE, "table 4: best, worst and random predictions",
             "models that predict a class or a score of a sentence or pair"),
    Analysis("pair-results", "B5", ATTENTIVE, "tables 2 and 3, with majority baselines",
             "any, attentive-X beside X; published scores are of recipes of sick, msrp, ai2", "runs"),
    Analysis("dropout-curves", "C1", WINDOWS, "figure 2: dev accuracy by epoch, kinds of dropout",
             "models scored by accuracy on dev", "runs"),
    Analysis("window-curves", "C2", WINDOWS, "figure 3: dev accuracy by epoch, with and without gates",
             "models scored by accuracy on dev; X-plain beside X", "runs"),
    Analysis("gate-activity", "C3", WINDOWS, "figure 4: gates of words as training goes on",
             "WindowMLP, WindowElman, WindowJordan, WindowLSTM or WindowBiLSTM, trained with --log-gates", "gates"),
    Analysis("window-ablations", "C4", WINDOWS, "tables 2 and 3: filters, ablations, window sizes",
             "models scored by accuracy on dev; X-ANYTHING beside X, as pmb/lstm-plain beside pmb/lstm", "runs"),
    Analysis("learned-structure", "D1", NON_LOCAL, "table 5 and figure 1: whom words listen to, layer by layer",
             "CN3 or Transformer", tables=_EDGES, fields=("*.attention_*",)),
    Analysis("attribute-effect", "D2", NON_LOCAL, "figure 1: structures with and without dependencies as attributes",
             "CN3 with dependencies as attributes beside CN3 without, on one corpus",
             tables=_EDGES, fields=("*.attention_*",)),
    Analysis("attribute-results", "D3", NON_LOCAL, "table 3: what each attribute of words and edges adds",
             "CN3 with attributes beside the same without, such as trec/cn3, trec/cn3-dependency", "runs"),
    Analysis("structure-results", "D4", NON_LOCAL, "tables 3 and 4: scores of all tasks",
             "recipes of the tables cn3-*, which `dglsent reproduce --list` names", "runs"),
    Analysis("attention-lift", "E1", PROGRESSIVE, "tables 1 and 2: what attention adds to each structure",
             "recipes bilstm, constituency, dependency, and these with -decomposable or -progressive", "runs"),
    Analysis("pair-scores", "E2", PROGRESSIVE, "table 3: scores of active and passive, affirmed and denied pairs",
             _SCORES),
    Analysis("cross-attention", "E3", PROGRESSIVE, "attention between the nodes of two sentences",
             "DecomposableAttention or ProgressiveAttention", tables=_EDGES, fields=("attend.*",)),
    Analysis("duplicate-results", "E4", PROGRESSIVE, "Quora: precision, recall and F1 of duplicates",
             "models of pairs that predict one of two classes, such as recipes of quora", "runs"),
)  # fmt: skip


NAMES = frozenset(name for analysis in ANALYSES for name in (analysis.name, analysis.code.lower()))


def find(name: str) -> Analysis:
    """An analysis by its name or code.

    Raises:
        InputError: there is none; near names are said.
    """
    for analysis in ANALYSES:
        if name.lower() in (analysis.name, analysis.code.lower()):
            return analysis
    hint = near(name, [analysis.name for analysis in ANALYSES], "`dglsent analyse --list` lists them")
    raise InputError(f"no analysis {name!r}; {hint}")
