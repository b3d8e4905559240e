"""Message passing over batches of sentence graphs: one set of functions, two engines.

A model's functions are DGL's: a message function of `edges` (`src`, `dst`, `data`), a reduce function of `nodes`
with a `mailbox`, an apply function of `nodes` with `data`, or a `dgl.function` built-in. Engine "torch" runs them over
a plan on any device; engine "dgl" hands them to DGL. They address trailing dimensions only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any, Literal, TypeAlias, get_args

from torch import _C, Tensor, compiler
from torch.autograd import forward_ad

from dglsent.passing.batch import Batch
from dglsent.passing.engines import dgl, torch
from dglsent.passing.engines.torch.all_pairs import Layout
from dglsent.passing.engines.torch.all_pairs import layout as all_pairs_layout
from dglsent.passing.engines.torch.fused import fused as methods_fused
from dglsent.passing.functions import (
    STATE,
    FrontierPass,
    MessageFunction,
    NodeFunction,
    ReduceFunction,
    at_once,
    check_node_functions,
    check_reduce,
    dot,
    of_new_names,
    padded,
    softmax_sum,
)
from dglsent.passing.linear import StepLinear
from dglsent.passing.precision import is_mixed, products_alone
from dglsent.passing.relation import Direction, Relation
from dglsent.passing.relations import Use
from dglsent.passing.seen import EdgesSeen, NodesSeen, Outputs
from dglsent.passing.views import require_rows
from graphs import door
from graphs.errors import InputError, check_kind
from graphs.fields import CHILD, NEIGHBOUR

__all__ = [
    "Batch",
    "Direction",
    "EdgesSeen",
    "Engine",
    "NodesSeen",
    "Outputs",
    "Relation",
    "StepLinear",
    "Use",
    "apply_edges",
    "at_once",
    "dot",
    "edge_softmax",
    "engine",
    "frontier_pass",
    "padded",
    "propagate",
    "softmax_sum",
    "update_all",
]

Engine: TypeAlias = Literal["torch", "dgl"]

_ENGINES: dict[str, ModuleType] = {"torch": torch, "dgl": dgl}
_engine: ContextVar[ModuleType] = ContextVar("engine", default=torch)
_passes: ContextVar[tuple[FrontierPass, ...]] = ContextVar("passes", default=())


@contextmanager
def engine(name: Engine, layout: Layout = "auto", *, fused: bool = False) -> Iterator[None]:
    """Run message passing on one of the engines; the default is "torch".

    On engine "dgl" all functions raise an InputError where the batch is not on the CPU, autocast is on, or DGL refuses
    a field: its sums and softmaxes are neither of whole numbers nor of truth values nor of float16.

    Args:
        name: "torch" or "dgl".
        layout: how the torch engine runs where every node hears every node of a sentence: over "dense" padded tensors,
            over listed "edges", or whichever is less work.
        fused: whether the torch engine compiles a model's methods by `torch.compile`, for fewer and larger kernels a
            step. One that cannot be compiled runs as it is, and a warning says so.

    Raises:
        ValueError: there is no such engine or layout.
    """
    if name not in _ENGINES:
        raise ValueError(f"engine is 'torch' or 'dgl', not {name!r}")
    if layout not in get_args(Layout):
        raise ValueError(f"layout is 'auto', 'dense' or 'edges', not {layout!r}")
    token, token_layout = _engine.set(_ENGINES[name]), all_pairs_layout.set(layout)
    token_fused = methods_fused.set(fused)
    try:
        yield
    finally:
        _engine.reset(token)
        all_pairs_layout.reset(token_layout)
        methods_fused.reset(token_fused)


def propagate(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
    direction: Direction = "up",
    leaf: NodeFunction | None = None,
    inputs: NodeFunction | None = None,
) -> None:
    """Compute every node after those that send to it.

    Args:
        batch: sentences with N nodes. The fields that `apply` returns (without it, `reduce`) are set on
            `batch.nodes`, [N, ...].
        message: m edges -> messages [m, ...].
        reduce: r receivers with a mailbox [r, k, ...] of k messages in sibling order -> fields [r, ...]; it is
            called once for each in-degree k, or with `padded` once for all. A reducer of `dgl.function` or
            `softmax_sum` needs no mailboxes. A tuple of any of these reduces the same messages in several ways.
        apply: r nodes -> fields [r, ...]; sees what reduce returned and the fields set beforehand.
        relation: one without cycles: `child` (child -> parent), `next` (from each word to the next), `previous` or
            `preceding`.
        direction: "up" along the relation, "down" along its reversed edges.
        leaf: apply for nodes without in-edges, which skip reduce. Without it they go through `apply` and see only
            fields set beforehand.
        inputs: fields made of other fields once, before the first step, for the nodes that go through `apply` (with
            `leaf=` not the leaves): the place for input projections, which then are one product and of no node
            that does not need them. All functions of those nodes have them. They have names of their own, and with
            `leaf=` no message reads them of its senders, which may be leaves. Fields of all nodes may as well be set on
            the batch beforehand.

    Raises:
        KeyError: a function reads a field or message that is not there (both are named), or a field is computed at
            nodes without in-edges and not at others, or the other way round.
        TypeError: a function returns something else than a dict of fields, or a field that is no tensor; it is named.
        ValueError: `batch` is no `Batch`; the relation has cycles or levels that are not those of its edges, is `child`
            of complete graphs, which have no such edges, or there is no such relation or direction; there is neither
            `apply` nor `leaf`; a field has another first dimension than there are nodes or edges, or other dimensions
            at some nodes than at others; `reduce` returns other fields at some in-degrees than at others; `inputs`
            makes a field that is set already; `fn.max` or `fn.min` compares complex numbers; or a message function of
            `dgl.function` stands for a reducer, or the other way round, or what is no function for any of these.
    """
    check_reduce(reduce)
    check_node_functions(apply=apply, leaf=leaf, inputs=inputs)
    _checked(batch, relation).check(direction)
    if apply is None and leaf is None:
        raise ValueError("a propagation without apply needs leaf=, which gives the nodes without in-edges their fields")
    _run(
        "propagate",
        batch,
        message,
        reduce,
        apply,
        relation=relation,
        direction=direction,
        leaf=leaf,
        inputs=inputs and of_new_names(inputs, batch.nodes),
        passes=tuple(each for each in _passes.get() if each.along in (None, relation)),
    )


@contextmanager
def frontier_pass(
    relation: str,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    inputs: NodeFunction | None = None,
    along: str | None = None,
) -> Iterator[None]:
    """Within it, the nodes of each frontier of a propagation hear from another relation as soon as they are computed.

    What they become is what those see to whom they send. It surrounds any encoder whose propagations compute `h`; the
    encoder knows nothing of it:

        with frontier_pass(ATTEND, message, softmax_sum(...), mix):
            encoder.encode(batch)

    Passes within passes run in turn, the outer one first.

    Args:
        relation: `attend` or `complete`.
        message: m edges -> messages [m, ...]; reads of the receivers what was just computed, and of the senders only
            fields that the propagation does not compute.
        reduce: `softmax_sum` or a reducer of dgl.function, or a tuple of those. Weights of attention are kept as edge
            fields of their name and the direction of the propagation, such as `attention_up`.
        apply: r receivers -> fields [r, ...], which win over those computed before.
        inputs: r receivers -> fields made once a node: projections of what was just computed. The message function
            reads them of the receivers, and `apply` has them; nothing else does. They have names of their own.
        along: the pass is made by propagations along this relation alone, and not by an LSTM along `next` that helps a
            tree; None for all.

    Raises:
        ValueError: another relation or reduce function, what is no function for `apply` or `inputs`, or nothing within
            it propagated `h`. In the propagation:
            `inputs` makes a field that is set already, or `attend` is asked of sentences that are not pairs.
        KeyError: in the propagation, `message` reads a field of the senders that the propagation computes.
    """
    each = FrontierPass(relation, message, reduce, apply, inputs, along)
    token = _passes.set((*_passes.get(), each))
    try:
        yield
    finally:
        _passes.reset(token)
    if not each.propagations:
        raise ValueError(
            f"a frontier pass needs a propagation{f' along {along!r}' if along else ''} that computes the field "
            f"{STATE!r}, and there was none: take an encoder that propagates, such as a Tree-LSTM or an LSTM of chains"
        )


def update_all(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
) -> None:
    """One round over all edges of a relation at once; a node without in-edges gets 0 from reduce, as in DGL.

    Sets the fields that `apply` returns (without it, `reduce`) on `batch.nodes`, each [N, ...].

    Args:
        batch: sentences with N nodes.
        message: E edges -> messages [E, ...].
        reduce: as in `propagate`.
        apply: N nodes -> fields [N, ...]; sees what reduce returned and the fields set beforehand.
        relation: any that the batch has, such as `child`, `neighbour` or `complete`.

    Raises:
        KeyError: a function reads a field or message that is not there; both are named.
        TypeError: a function returns something else than a dict of fields, or a field that is no tensor; it is named.
        ValueError: `batch` is no `Batch`, there is no such relation, it is `child` or `neighbour` of complete graphs,
            which have no such edges, a field has another first dimension than there are nodes or edges, `reduce`
            returns other fields or dimensions at some in-degrees than at others, `fn.max` or `fn.min` compares complex
            numbers, or a message function of `dgl.function` stands for a reducer, or the other way round, or what is no
            function for any of these.
    """
    check_reduce(reduce)
    check_node_functions(apply=apply)
    _checked(batch, relation)
    _run("update_all", batch, message, reduce, apply, relation=relation)


def apply_edges(batch: Batch, function: MessageFunction, *, relation: str = CHILD) -> None:
    """Compute edge fields of all E edges of a relation; sets them on its `edges`, each [E, ...].

    Args:
        batch: the sentences.
        function: E edges -> fields [E, ...].
        relation: any that the batch has.

    Raises:
        KeyError: the function reads a field that is not there; it is named.
        TypeError: it returns something else than a dict of fields, or a field that is no tensor.
        ValueError: `batch` is no `Batch`, there is no such relation, it is `child` or `neighbour` of complete graphs,
            which have no such edges, a field has another first dimension than there are edges, or the function is a
            reducer, or no function.
    """
    _checked(batch, relation)
    _run("apply_edges", batch, function, relation=relation)


def edge_softmax(
    batch: Batch, score: Tensor, norm_by: Literal["dst", "src"] = "dst", *, relation: str = CHILD
) -> Tensor:
    """Softmax of scores [E, ...] over the edges of each receiver ("dst") or sender ("src"): [E, ...].

    Args:
        batch: the sentences.
        score: [E, ...], in the order of the relation's edges.
        norm_by: "dst" or "src".
        relation: any that the batch has, of E edges.

    Raises:
        ValueError: another `norm_by`, no such relation, `child` or `neighbour` of complete graphs, which have no such
            edges, not as many scores as edges, or `batch` is no `Batch`.
    """
    if norm_by not in ("dst", "src"):
        raise ValueError(f"norm_by is 'dst' or 'src', not {norm_by!r}")
    require_rows({"score": score}, len(_checked(batch, relation).incidence(norm_by).row), "edges of the relation")
    weight: Tensor = _run("edge_softmax", batch, score, norm_by, relation=relation)
    return weight


def _in_functorch() -> bool:
    return bool(_C._are_functorch_transforms_active())


def _in_forward_mode() -> bool:
    return forward_ad._current_level >= 0  # from 0 on within dual_level


def _checked(batch: Batch, name: str) -> Relation:
    """The relation along which something is to pass.

    Raises:
        InputError: there is no batch, but what DGL's own functions take; or it is one of complete graphs, and the
            relation of edges that they do not have.
        ValueError: there is no such relation.
    """
    check_kind(batch, Batch, "Batch.of(graphs) makes one of sentence graphs, and relation= names its edges")
    relation = batch.relation(name)
    if batch.complete and name in (CHILD, NEIGHBOUR):
        raise InputError(
            f"the relation {name} is of the edges of trees or chains, and complete graphs have none: no node would "
            "hear another; make the batch of graphs.chain, dependency or constituency, or run rounds over complete"
        )
    return relation


def _run(name: str, batch: Batch, *arguments: Any, **options: Any) -> Any:
    """A function of the chosen engine, with autocast held back from what passes between nodes.

    A compiler that has hold of a model goes around it: what it would make of steps that share their views is wrong.
    """
    chosen = _engine.get()
    if chosen is dgl and is_mixed(batch.device):
        raise InputError(
            "engine dgl does not mix precisions; leave autocast (in a recipe training.precision 32), "
            "or take engine torch"
        )
    if chosen is dgl and batch.device.type != "cpu":
        raise InputError(
            f"engine dgl runs on the CPU, and the batch is on {batch.device}; move it, or take engine torch"
        )
    if _in_functorch():
        raise InputError("functions of torch.func cannot pass through an engine; take torch.autograd.grad")
    if chosen is torch and _in_forward_mode():
        raise InputError(
            "derivatives forwards (dual_level, a jacobian with strategy='forward-mode') cannot pass through engine "
            "torch; take torch.autograd.grad, or a jacobian with strategy='reverse-mode'"
        )
    function = getattr(chosen, name)
    if "torch._dynamo" in sys.modules:  # to import it for nothing would take seconds
        function = _untraced(function)
    try:
        with products_alone(batch.device):
            return function(batch, *arguments, **options)
    except Exception as error:
        if chosen is torch or not isinstance(error, door.dgl.DGLError):
            raise
        reason = str(error).partition("\n")[0].rpartition(": ")[2]  # behind the place in DGL's source
        raise InputError(f"engine dgl cannot run this, for DGL says: {reason}; take engine torch") from error


@cache
def _untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    disabled: Callable[..., Any] = compiler.disable(function)
    return disabled
