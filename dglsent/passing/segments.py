"""Moving rows between nodes and edges: gather, sum by segment, permute. Each is the others' gradient.

No step waits for the device, and every backward pass reads rows instead of adding them one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dglsent.passing.autograd import Function, first_derivative
from dglsent.passing.plans.incidence import Incidence
from dglsent.passing.precision import at_least_single, of_one_type


def gather(x: Tensor, incidence: Incidence) -> Tensor:
    """Rows of x [n, ...] for each edge: [m, ...]."""
    if not x.requires_grad:
        return x.index_select(0, incidence.row)
    return _Gather.apply(x, *incidence)


def segment_sum(x: Tensor, incidence: Incidence) -> Tensor:
    """Sum of x [m, ...] over the edges of each row: [n, ...], 0 where a row has none.

    Of whole numbers and truth values it is one of 64 bits, as the sum of a tensor is.
    """
    whole = not (x.is_floating_point() or x.is_complex())
    return _SegmentSum.apply(x.long() if whole else x, *incidence)


def segment_mean(x: Tensor, incidence: Incidence) -> Tensor:
    """Mean of x [m, ...] over the edges of each row: [n, ...], 0 where a row has none."""
    total = segment_sum(at_least_single(x), incidence)  # of float16 it soon is infinite, where the mean is not
    mean = total / incidence.offsets.diff().clamp(min=1).to(total.dtype).view(-1, *(1,) * (x.dim() - 1))
    return mean.to(x.dtype) if x.is_floating_point() else mean


def permute(x: Tensor, index: Tensor, inverse: Tensor) -> Tensor:
    """Rows of x [n, ...] in another order, where `inverse` undoes `index`."""
    if not x.requires_grad:
        return x.index_select(0, index)
    return _Permute.apply(x, index, inverse)


def spread(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """Rows of x [n, ...] laid out among others: y[target] = x, and y = x[source] where nothing is said.

    Rows of y outside `target` get no gradient: they fill places that are overwritten, as by `place`, or masked.
    """
    if not x.requires_grad:
        return x.index_select(0, source)
    return _Spread.apply(x, source, target)


def place(bases: Sequence[Tensor], values: Sequence[Tensor], target: Tensor) -> tuple[Tensor, ...]:
    """Each base with base[target] = value, written into its own memory: nothing else may read those rows of it."""
    if not any(base.requires_grad or x.requires_grad for base, x in zip(bases, values, strict=True)):
        # .data as in _Place: messages may have kept the slices of other steps for their gradients.
        return tuple(base.data.index_copy_(0, target, x) for base, x in zip(bases, values, strict=True))
    return _Place.apply(target, *bases, *values)


def append(x: Tensor, more: Tensor, buffer: Tensor) -> Tensor:
    """Rows x [n, ...], which are the first of a buffer, and `more` [r, ...], which alone are copied: [n + r, ...]."""
    return _Append.apply(x, more, buffer)


def segment_max(x: Tensor, incidence: Incidence) -> Tensor:
    """Largest of x [m, ...] over the edges of each row: [n, ...], 0 where a row has none.

    A tie sends the whole gradient to one edge, the first in the order of the incidence.
    """
    edges, rows = len(x), len(incidence.offsets) - 1
    if not edges:
        return x.new_zeros(rows, *x.shape[1:])
    flat = x.reshape(edges, -1)
    row = incidence.row[:, None].expand_as(flat)
    least = -torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
    top = torch.full((rows, flat.shape[1]), least, dtype=x.dtype, device=x.device)
    top = top.scatter_reduce(0, row, flat.detach(), "amax")
    number = torch.empty_like(incidence.order).index_copy_(0, incidence.order, torch.arange(edges, device=x.device))
    number = number[:, None].expand_as(flat)
    largest = (flat == top.gather(0, row)) | flat.isnan()  # nothing equals NaN, which is to be seen
    number = torch.where(largest, number, edges)
    first = torch.full((rows, flat.shape[1]), edges, device=x.device).scatter_reduce(0, row, number, "amin")
    filled = first < edges
    edge = incidence.order[first.clamp(max=edges - 1)]
    result = torch.where(filled, flat.gather(0, edge), 0)
    return result.view(rows, *x.shape[1:])


def segment_softmax(score: Tensor, incidence: Incidence) -> Tensor:
    """Softmax of scores [m, ...] over the edges of each row."""
    return _SegmentSoftmax.apply(score, *incidence)


def weighted_sum(x: Tensor, weight: Tensor, incidence: Incidence) -> Tensor:
    """Sum of weight [m] times x [m, d] over the edges of each row: [n, d]; with heads [m, h] and [m, h, d]."""
    weight, x = of_one_type(weight, x)
    if weight.dim() > 1:
        return segment_sum(weight.unsqueeze(-1) * x, incidence)
    return _WeightedSum.apply(x, weight, *incidence)


def _sum(x: Tensor, order: Tensor, offsets: Tensor) -> Tensor:
    if not x.is_floating_point() or not len(order):
        rows = len(offsets) - 1
        row = torch.repeat_interleave(torch.arange(rows, device=x.device), offsets.diff(), output_size=len(order))
        return x.new_zeros(rows, *x.shape[1:]).index_add(0, row, x.index_select(0, order))
    flat = x.flatten(1) if x.dim() > 1 else x.unsqueeze(1)
    # The only reduction in torch that is at once segmented, fast on CPU and GPU, and free of atomics.
    summed = torch.embedding_bag(flat, order, offsets, False, 0, False, None, True)[0]
    return summed.view(len(offsets) - 1, *x.shape[1:])


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor, order: Tensor, offsets: Tensor) -> Tensor:
        ctx.save_for_backward(index, order, offsets)
        return x.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None]:
        return _SegmentSum.apply(grads[0], *ctx.saved_tensors), None, None, None


class _SegmentSum(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor, order: Tensor, offsets: Tensor) -> Tensor:
        ctx.save_for_backward(index, order, offsets)
        return _sum(x, order, offsets)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None]:
        return gather(grads[0], Incidence(*ctx.saved_tensors)), None, None, None


class _Permute(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(index, inverse)
        return x.index_select(0, index)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        index, inverse = ctx.saved_tensors
        return permute(grads[0], inverse, index), None, None


class _Spread(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        ctx.save_for_backward(target)
        return x.index_select(0, source)

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return grads[0].index_select(0, *ctx.saved_tensors), None, None


class _Place(Function):
    @staticmethod
    def forward(ctx: Any, target: Tensor, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.save_for_backward(target)
        ctx.set_materialize_grads(False)
        count = len(tensors) // 2
        # .data, so that the slices of other steps, whose rows stay as they are, do not count as changed.
        return tuple(
            base.data.index_copy_(0, target, x) for base, x in zip(tensors[:count], tensors[count:], strict=True)
        )

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        (target,) = ctx.saved_tensors
        return None, *grads, *(None if grad is None else grad.index_select(0, target) for grad in grads)


class _Append(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, more: Tensor, buffer: Tensor) -> Tensor:
        ctx.rows, end = len(x), len(x) + len(more)
        buffer[len(x) : end] = more
        return buffer[:end].data  # a tensor of its own, so that what is appended later does not count as a change of it

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None]:
        return grads[0][: ctx.rows], grads[0][ctx.rows :], None


class _SegmentSoftmax(Function):
    @staticmethod
    def forward(ctx: Any, score: Tensor, row: Tensor, order: Tensor, offsets: Tensor) -> Tensor:
        flat = score.flatten(1) if score.dim() > 1 else score.unsqueeze(1)
        top = flat.new_full((len(offsets) - 1, flat.shape[1]), -torch.inf)
        top.scatter_reduce_(0, row[:, None].expand_as(flat), flat, "amax")
        weight = (flat - top.index_select(0, row)).exp_()
        weight /= _sum(weight, order, offsets).index_select(0, row)
        weight = weight.view_as(score)
        ctx.save_for_backward(weight, row, order, offsets)
        return weight

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None]:
        weight, row, order, offsets = ctx.saved_tensors
        through = weight * grads[0]
        return through.sub_(weight * _sum(through, order, offsets).index_select(0, row)), None, None, None


class _WeightedSum(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, row: Tensor, order: Tensor, offsets: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight, row)
        if not len(order):
            return x.new_zeros(len(offsets) - 1, *x.shape[1:])
        weights = weight.index_select(0, order)
        return torch.embedding_bag(x, order, offsets, False, 0, False, weights, True)[0]

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor, None, None, None]:
        x, weight, row = ctx.saved_tensors
        grad = grads[0].index_select(0, row)
        grad_weight = torch.linalg.vecdot(x, grad)
        return grad.mul_(weight[:, None]) if ctx.needs_input_grad[0] else None, grad_weight, None, None, None
