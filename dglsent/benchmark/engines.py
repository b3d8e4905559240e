"""Speed of the torch engine against DGL's own and against the bare matrix products, in one run.

All three do the same work on the same batches: the DGL engine and the torch engine run a model's own functions, and
`bare` runs nothing but the model's matrix products with the sizes that occurred, input projections as one product, and
their backward. Each takes the better of the thread counts. Times are the best of several runs, averaged over batches.
Beside them stands how many launches the torch engine takes, and in how many steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.benchmark import samples
from dglsent.benchmark.launches import launches
from dglsent.benchmark.timing import Job, Row, best_of, race
from dglsent.models.attentive_tree import AttentiveTreeLSTM
from dglsent.models.cn3 import CN3
from dglsent.models.dynamic_window import WindowBiLSTM
from dglsent.models.encoder import Encoder
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.sequence import SeqLSTM
from dglsent.models.tag_guided import TagGuidedHyperTreeLSTM
from dglsent.models.tree_lstm import BinaryTreeLSTM, ChildSumTreeLSTM
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, Engine, engine
from graphs import complete_graphs, windows
from graphs.sentence_graph import SentenceGraph

MODELS = (
    "binary Tree-LSTM",
    "TG-HTreeLSTM",
    "child-sum Tree-LSTM",
    "LSTM",
    "attentive Tree-LSTM",
    "progressive attention",
    "CN3",
    "window BiLSTM",
)
BASIC = ("binary Tree-LSTM", "child-sum Tree-LSTM", "LSTM")  # what is timed unless others are asked for
_DIM, _HIDDEN = 300, 150


@dataclass(frozen=True, slots=True)
class Subject:
    """A model and the graphs it is timed on."""

    model: str
    graph: str
    encoder: Encoder
    graphs: Sequence[SentenceGraph]
    pairs: bool = False

    def draw(self, size: int, rng: np.random.Generator) -> list[SentenceGraph]:
        """The sentences of a batch of `size` examples."""
        return [self.graphs[i] for i in rng.integers(0, len(self.graphs), 2 * size if self.pairs else size)]

    def batch(self, sentences: Sequence[SentenceGraph]) -> Batch:
        """A batch with its plan."""
        encoder = self.encoder
        return Batch.of(sentences, pairs=self.pairs, directions=encoder.directions, relations=encoder.relations)


def subjects(data: Path | None) -> Iterator[Subject]:
    """The models to time, on the trees of SST and SICK where `data` holds them, else on random ones of their shape."""
    rng = np.random.default_rng(0)
    constituency, dependency, nary = samples.trees_of(data, rng)
    chains = [samples.graph(np.append(np.arange(1, graph.size), -1), rng) for graph in dependency]
    # As long as the sentences of the SST: a binary tree of n words has n - 1 phrases.
    read = samples.sentences([(graph.size + 1) // 2 for graph in constituency], rng)
    vocabularies = samples.vocabularies(read)
    complete = [complete_graphs.complete(sentence, vocabularies) for sentence in read]
    window = [windows.window(sentence, vocabularies, half_width=1) for sentence in read]
    tag_guided = partial(TagGuidedHyperTreeLSTM, tags=[""] * samples.TAGS)
    cn3 = partial(CN3, edges=("relation",), vocabularies=vocabularies)
    bilstm = partial(WindowBiLSTM, vocabularies=vocabularies)
    for name, kind, encoder, graphs, pairs in (
        ("binary Tree-LSTM", "constituency", BinaryTreeLSTM, constituency, False),
        ("TG-HTreeLSTM", "constituency", tag_guided, constituency, False),
        ("child-sum Tree-LSTM", "dependency", ChildSumTreeLSTM, dependency, False),
        ("LSTM", "chain", SeqLSTM, chains, False),
        ("attentive Tree-LSTM", "dependency pairs", AttentiveTreeLSTM, dependency, True),
        ("progressive attention", "constituency pairs", _progressive, nary, True),
        ("CN3", "complete", cn3, complete, False),
        ("window BiLSTM", "window", bilstm, window, False),
    ):
        torch.manual_seed(0)
        yield Subject(name, kind, encoder(WordEmbedding(samples.WORDS, _DIM, tune=False), _HIDDEN), graphs, pairs)


def _progressive(embedding: WordEmbedding, hidden: int) -> Encoder:
    return ProgressiveAttention(embedding, lambda words: ChildSumTreeLSTM(words, hidden))


def measure(
    subject: Subject,
    size: int,
    *,
    threads: Sequence[int],
    device: str = "cpu",
    batches: int = 5,
    repeats: int = 5,
    fused: bool = False,
) -> list[Row]:
    """Rows for batches of `size` sentences, forward and forward+backward.

    Args:
        subject: model and graphs.
        size: sentences, or pairs of them, in a batch.
        threads: thread counts to try; each of the three takes its better one.
        device: "cpu" or "cuda"; DGL, whose graphs stay on the CPU, is timed there alone, else left out (nan).
        batches: batches to average over.
        repeats: runs of each batch, of which the best counts.
        fused: whether the torch engine compiles the model's functions; on a CPU launches are not counted then (nan).
    """
    rng = np.random.default_rng(size)
    subject.encoder.to(device)
    drawn = [subject.draw(size, rng) for _ in range(batches)]
    plan_ms = float(np.mean([best_of(partial(subject.batch, part), repeats) for part in drawn]))
    rows: list[Row] = []
    for backward in (False, True):
        figures: dict[str, list[float]] = {"dgl_ms": [], "launches": []}
        for sentences in drawn:
            batch = subject.batch(sentences).to(device)
            jobs = _jobs(subject.encoder, batch, device, backward, fused)
            of_batch: dict[str, float] = {"steps": batch.steps}
            # On a CPU counting looks at every operation; under such a look the engine gives up compiling for good.
            if device == "cuda" or not fused:
                counted = encoding(subject.encoder, batch, "torch", backward, fused=fused)
                of_batch["launches"] = launches(counted, device)
            for name, figure in {**of_batch, **race(jobs, threads, repeats, device)}.items():
                figures.setdefault(name, []).append(figure)
        mean = {name: float(np.mean(values)) if values else float("nan") for name, values in figures.items()}
        rows.append(
            {
                "model": subject.model,
                "graph": subject.graph,
                "batch": size,
                "mode": "forward+backward" if backward else "forward",
                "device": device,
                "threads": max(threads),
                "dgl_ms": round(mean["dgl_ms"], 3),
                "torch_ms": round(mean["torch_ms"], 3),
                "plan_ms": round(plan_ms, 3),
                "bare_ms": round(mean["bare_ms"], 3),
                "launches": round(mean["launches"], 1),
                "steps": round(mean["steps"], 1),
            }
        )
    return rows


def _jobs(encoder: Encoder, batch: Batch, device: str, backward: bool, fused: bool) -> dict[str, Job]:
    """What is raced over a batch, by its column: bare products, the torch engine and, on a CPU, DGL's."""
    with torch.no_grad():
        jobs = {
            "bare_ms": _bare(_products(encoder, batch), device, backward),
            "torch_ms": encoding(encoder, batch, "torch", backward, fused=fused),
        }
    if fused:
        for _ in range(3):  # compiles
            jobs["torch_ms"]()
    if device == "cpu":
        jobs["dgl_ms"] = encoding(encoder, batch, "dgl", backward)
    return jobs


def encoding(encoder: Encoder, batch: Batch, name: Engine, backward: bool, *, fused: bool = False) -> Job:
    """What an engine has to do for a batch: sentence vectors and, with `backward`, the gradients of all parameters."""
    if name == "dgl":
        # DGL builds its index when first asked: not part of the propagation.
        batch.relation().graph.in_degrees()
        with _left_as_given(batch), engine(name), torch.no_grad():
            encoder.encode(batch)

    def job() -> None:
        with _left_as_given(batch), engine(name, fused=fused), torch.set_grad_enabled(backward):
            total = encoder.readout(batch, encoder.encode(batch)).sum()
            if backward:
                total.backward()
                encoder.zero_grad()

    return job


@contextmanager
def _left_as_given(batch: Batch) -> Iterator[None]:
    """Takes the fields that were made meanwhile off the nodes of a batch."""
    given = set(batch.nodes)
    yield
    for made in set(batch.nodes) - given:
        del batch.nodes[made]


class _Product(NamedTuple):
    rows: int
    columns: int
    weight: Tensor
    recurrent: bool


def _products(encoder: Encoder, batch: Batch) -> list[_Product]:
    """The matrix products of one encoding, in order; those of inputs, which wait for nothing, as one a weight."""
    products: list[_Product] = []
    inputs: dict[nn.Linear, int] = {}

    def record(module: nn.Linear, arguments: tuple[Tensor, ...]) -> None:
        x = arguments[0]
        rows = x.numel() // x.shape[-1]
        if x.shape[-1] == _DIM and not x.requires_grad:
            inputs[module] = inputs.get(module, 0) + rows
        else:
            products.append(_Product(rows, x.shape[-1], module.weight, True))

    hooks = [m.register_forward_pre_hook(record) for m in encoder.modules() if isinstance(m, nn.Linear)]
    with _left_as_given(batch), torch.enable_grad():
        encoder.encode(batch)
    for hook in hooks:
        hook.remove()
    return [_Product(rows, m.in_features, m.weight, False) for m, rows in inputs.items()] + products


def _bare(products: list[_Product], device: str, backward: bool) -> Job:
    weights = {id(p.weight): p.weight.detach().clone().requires_grad_(backward) for p in products}
    work = [
        (
            torch.randn(p.rows, p.columns, device=device, requires_grad=p.recurrent and backward),
            weights[id(p.weight)],
            torch.randn(p.rows, len(p.weight), device=device),
        )
        for p in products
    ]

    def job() -> None:
        with torch.set_grad_enabled(backward):
            results = [F.linear(x, weight) for x, weight, _ in work]
            if backward:
                torch.autograd.backward(results, [grad for _, _, grad in work])
                for x, weight, _ in work:
                    x.grad = weight.grad = None

    return job
