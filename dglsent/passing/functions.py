"""Message and reduce functions beside a model's own: DGL's built-in ones, attention, padded mailboxes, frontiers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import torch
from torch import Tensor

from dglsent.passing.calls import call
from dglsent.passing.missing import NODE, MissingFieldError
from dglsent.passing.seen import EdgesSeen, NodesSeen, Outputs
from graphs.fields import ATTEND, COMPLETE

MessageFunction: TypeAlias = Any  # edges -> Outputs, or a dgl.function message built-in
ReduceFunction: TypeAlias = Any  # nodes with a mailbox -> Outputs, a dgl.function or our built-in, or a tuple of those
NodeFunction: TypeAlias = Callable[[NodesSeen], Outputs]

STATE = "h"  # a propagation that does not compute it makes no frontier pass

_OPERATIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "dot": lambda a, b: (a * b).sum(-1, keepdim=True),
}


def require_computed_before(name: str, computed: Collection[str], known: Collection[str]) -> None:
    """Refuse a field of senders in a frontier pass that some nodes do not have by then.

    Raises:
        MissingFieldError: it is among those that the propagation is computing.
    """
    if name in computed:
        hint = "this propagation is computing it, and a frontier pass reads of its senders what was set before"
        raise MissingFieldError(name, NODE, [each for each in known if each not in computed], hint)


def of_new_names(inputs: NodeFunction, known: Collection[str]) -> NodeFunction:
    """The same function, which may make no field that is known.

    Raises:
        ValueError: in use, it makes one.
    """

    def run(nodes: NodesSeen) -> Outputs:
        made = call(inputs, nodes)
        again = [name for name in made if name in known]
        if again:
            raise ValueError(
                f"inputs makes the field {again[0]!r}, which is set already, in the graphs or by a call before; give "
                f"it another name, or delete that one beforehand: del batch.nodes[{again[0]!r}]"
            )
        return made

    return run


@dataclass(eq=False)
class FrontierPass:
    """See `dglsent.passing.frontier_pass`.

    Attributes:
        propagations: how many have made the pass.

    Raises:
        ValueError: its relation is not one in which every node hears every node of a sentence, its mailboxes, which are
            as long as sentences, would be a function's, or `apply` or `inputs` is no function.
    """

    relation: str
    message: MessageFunction
    reduce: ReduceFunction
    apply: NodeFunction | None
    inputs: NodeFunction | None
    along: str | None
    propagations: int = 0

    def __post_init__(self) -> None:
        if self.relation not in (ATTEND, COMPLETE):
            raise ValueError(f"a frontier pass runs over attend or complete, not over {self.relation!r}")
        if not all(isinstance(each, SoftmaxSum) or is_builtin(each) for each in reducers(self.reduce)):
            raise ValueError("a frontier pass reduces by softmax_sum or a reducer of dgl.function alone")
        check_reduce(self.reduce)
        check_node_functions(apply=self.apply, inputs=self.inputs)


@dataclass(frozen=True)
class SoftmaxSum:
    """See `softmax_sum`."""

    score: str
    value: str
    out: str
    weight: str

    def read(self, fetch: Callable[[str], Tensor]) -> Tensor:
        """The values of the senders.

        Raises:
            MissingFieldError: they have none.
        """
        try:
            return fetch(self.value)
        except MissingFieldError as error:
            error.by = error.by or "softmax_sum"
            raise

    def check(self, scores: Sequence[int], values: Sequence[int]) -> None:
        """Refuse scores that fit no values, which torch would spread over one another.

        Args:
            scores: shape of the score of a message, () without heads.
            values: shape of the value of a node.

        Raises:
            ValueError: values have not one dimension more, or other heads.
        """
        if len(values) != len(scores) + 1:
            raise ValueError(
                f"the score {self.score!r} has {len(scores)} dimensions a message and {self.value!r} has {len(values)} "
                "a node, which should be one more: squeeze a score [m, 1], or give the values a dimension of heads"
            )
        if any(a != b and 1 not in (a, b) for a, b in zip(scores, values[:-1], strict=True)):
            raise ValueError(
                f"the score {self.score!r} has {scores[0]} heads and {self.value!r} has {values[0]}; give both as many"
            )


def softmax_sum(*, score: str, value: str, out: str, weight: str) -> SoftmaxSum:
    """A reducer: attention of each receiver over those who send to it.

    out = sum_k a_k value_k with a = softmax over the receiver's edges of the message `score` [m]; a node without
    in-edges gets 0. Heads are a dimension: scores [m, heads] weigh values [N, heads, d].

        def message(edges):
            return {"score": (edges.src["k"] * edges.dst["q"]).sum(-1)}  # the value is not sent

        propagate(batch, message, softmax_sum(score="score", value="h", out="s", weight="a"), update, leaf=leaf)

    Args:
        score: name of the message with the scores.
        value: name of the senders' field that is averaged, [N, d]; a message of that name is another thing.
        out: name of the result at the receivers, [N, d].
        weight: name of the edge field under which the weights [E], or [E, heads], are kept.

    Raises:
        ValueError: in use, values that have not one dimension more than scores, such as scores [m, 1] of values [N, d],
            or not as many heads.
    """
    return SoftmaxSum(score, value, out, weight)


@dataclass(frozen=True)
class Padded:
    """See `padded`."""

    function: NodeFunction


def padded(function: NodeFunction) -> Padded:
    """A reducer: a function of mailboxes that is called once a step, whatever the in-degrees of its receivers.

    The r mailboxes [r, k, ...] are as long as the longest, of k messages; zeros follow in shorter ones, and
    `nodes.mask` [r, k] says where there is a message:

        def loudest(nodes):
            score = nodes.mailbox["score"].masked_fill(~nodes.mask, -torch.inf)
            return {"heard": nodes.mailbox["m"][torch.arange(len(score)), score.argmax(1)]}

        propagate(batch, message, padded(loudest), update)

    What stands where there is no message has no gradient. On engine "dgl", which calls it once for each in-degree,
    all of the mask is True.
    """
    return Padded(function)


class AtOnce(partial[Outputs]):
    """See `at_once`."""


def at_once(function: Callable[[EdgesSeen], Outputs]) -> AtOnce:
    """A message function that needs no more memory than what it returns, such as one of `dot`.

    Where every node hears every node of a sentence, scores are made for some receivers at a time, and again in the
    backward pass, as a score may come of a vector for each pair. Those of this function are made in one go, once: long
    sentences take one product of matrices in the place of hundreds of thin ones.
    """
    return AtOnce(function)


def reducers(reduce: ReduceFunction) -> tuple[Any, ...]:
    """The reducers of a reduce function: those of a tuple, or it alone."""
    return tuple(reduce) if isinstance(reduce, tuple | list) else (reduce,)


def check_node_functions(**given: object) -> None:
    """Refuse what is no function of nodes, by the name of its argument; None is none.

    Raises:
        ValueError: it is none.
    """
    for name, function in given.items():
        if not (function is None or callable(function)):
            raise ValueError(f"{name} is a value of type {type(function).__name__}; give a function of nodes")


def check_reduce(reduce: ReduceFunction) -> None:
    """Refuse a built-in message function in the place of a reducer, what is no function, and attentions of one name.

    Raises:
        ValueError: it is one.
    """
    for each in reducers(reduce):
        if not (callable(each) or is_builtin(each) or isinstance(each, SoftmaxSum | Padded)):
            given = f"a value of type {type(each).__name__}"
            raise ValueError(f"{given} is given where a reducer is wanted, such as fn.sum")
        if is_builtin(each) and not hasattr(each, "msg_field"):
            raise ValueError(f"fn.{each.name} makes messages; give a reducer in its place, such as fn.sum")
    kept = [each.weight for each in softmaxes(reduce)]
    if len(set(kept)) < len(kept):
        raise ValueError(
            f"several softmax_sum keep weights under one name of {', '.join(kept)}; give each its own weight="
        )


def softmaxes(reduce: ReduceFunction) -> list[SoftmaxSum]:
    """The attentions among the reducers of a function."""
    return [each for each in reducers(reduce) if isinstance(each, SoftmaxSum)]


def dot(a: Tensor, b: Tensor) -> Tensor:
    """Products of receivers' and senders' fields in a message function: [..., d] and [..., d] -> [...].

    Where every node hears every node of a sentence, [S, n, 1, d] and [S, 1, m, d] become one matrix product [S, n, m];
    with heads [S, n, 1, h, d] and [S, 1, m, h, d] become [S, n, m, h].
    """
    if a.dim() == b.dim() and a.dim() in (4, 5):
        if a.shape[1] == b.shape[2] == 1:
            a, b = b, a  # a sender's and a receiver's
        if a.shape[2] == b.shape[1] == 1:
            if a.dim() == 5:
                return torch.einsum("snhd,smhd->snmh", a.squeeze(2), b.squeeze(1))
            return a.squeeze(2) @ b.squeeze(1).transpose(1, 2)
    return (a * b).sum(-1)


def is_builtin(function: object) -> bool:
    """Whether a function is one of `dgl.function`'s."""
    return type(function).__module__.startswith("dgl.function")


def message_function(function: MessageFunction) -> Callable[[EdgesSeen], Outputs]:
    """A message function over Edges, from a user's or a built-in one such as `fn.u_mul_e("h", "a", "m")`.

    Raises:
        ValueError: it is a reducer, built-in or not, or no function.
    """
    if not is_builtin(function):
        if not callable(function):  # such as softmax_sum(...)
            given = f"a value of type {type(function).__name__}"
            raise ValueError(f"{given} is given where a message function is wanted, such as fn.copy_u")
        return function

    if not hasattr(function, "binary_op") and not hasattr(function, "target"):
        raise ValueError(
            f"fn.{function.name} reduces messages; give a message function in its place, such as fn.copy_u"
        )

    def read(edges: EdgesSeen, target: int, field: str) -> Tensor:
        return (edges.src, edges.dst, edges.data)[target][field]

    if hasattr(function, "binary_op"):
        operation = _OPERATIONS[function.binary_op]

        def compute(edges: EdgesSeen) -> Outputs:
            lhs = read(edges, function.lhs, function.lhs_field)
            rhs = read(edges, function.rhs, function.rhs_field)
            leading, dims = getattr(edges, "leading", 1), max(lhs.dim(), rhs.dim())  # DGL's own edges have one
            if function.binary_op == "dot" and dims == leading:
                raise ValueError(
                    f"{function.name} of fields without a dimension to sum over; take a product, as u_mul_v"
                )
            return {function.out_field: operation(_of_dims(lhs, dims, leading), _of_dims(rhs, dims, leading))}

    else:

        def compute(edges: EdgesSeen) -> Outputs:
            return {function.out_field: read(edges, function.target, function.in_field)}

    compute.__qualname__ = f"fn.{function.name}"
    return compute


def _of_dims(x: Tensor, dims: int, leading: int) -> Tensor:
    """A field of fewer trailing dimensions as DGL aligns it with one of more: weights [m] times states [m, d]."""
    return x if x.dim() == dims else x.reshape(*x.shape[:leading], *(1,) * (dims - x.dim()), *x.shape[leading:])
