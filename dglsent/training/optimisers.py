"""Optimisers by name, with word vectors in a group of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from dglsent.training.recipe import OptimiserOptions

_SPARSE = ("adagrad", "sgd")
_FUSED = ("adam", "adamw")  # in one pass over a weight instead of ten


def takes_sparse(options: OptimiserOptions) -> bool:
    """Whether an optimiser takes the sparse gradients of tuned word vectors, and changes no vector but theirs."""
    return options.name in _SPARSE and not options.momentum


def optimiser(model: nn.Module, embedding: nn.Parameter, options: OptimiserOptions) -> Optimizer:
    """The optimiser of a model.

    Args:
        model: what is trained; fixed weights are left out.
        embedding: its word vectors, which get their own learning rate and no L2 penalty.
        options: rule and rates.
    """
    others = [weight for weight in model.parameters() if weight is not embedding and weight.requires_grad]
    groups: list[dict[str, Any]] = [{"params": others, "weight_decay": options.weight_decay}]
    if embedding.requires_grad:
        # What torch does anyway; said explicitly, because it warns otherwise.
        torch.sparse.check_sparse_tensor_invariants.disable()
        rate = options.lr * options.embedding_lr_scale
        groups.append({"params": [embedding], "lr": rate, "weight_decay": 0.0})
    if options.name == "sgd":
        return torch.optim.SGD(groups, lr=options.lr, momentum=options.momentum)
    if options.name == "adagrad":
        start = options.initial_accumulator
        return torch.optim.Adagrad(groups, lr=options.lr, initial_accumulator_value=start)
    kinds: dict[str, Any] = {
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "adadelta": torch.optim.Adadelta,
    }
    fused = {"fused": True} if options.name in _FUSED else {}
    made: Optimizer = kinds[options.name](groups, lr=options.lr, **fused)
    return made


class DenseGradient:
    """Makes the sparse gradient of tuned word vectors dense, in memory that is kept from step to step.

    Most words are not in a batch. On a CPU new zeros for all of them take longer than the rest of a small model's step.
    """

    def __init__(self) -> None:
        self._dense: Tensor | None = None
        self._met: Tensor | None = None

    def __call__(self, weight: nn.Parameter) -> None:
        """Replace the gradient of a weight [V, d], always the same one, if it is sparse."""
        if weight.grad is None or not weight.grad.is_sparse:
            return
        sparse = weight.grad.coalesce()
        if self._dense is None:
            self._dense = torch.zeros_like(weight)
        if self._met is not None:
            self._dense.index_fill_(0, self._met, 0)
        self._met = sparse.indices()[0]
        weight.grad = self._dense.index_copy_(0, self._met, sparse.values())


@torch.no_grad()
def clip_gradients(weights: Iterable[nn.Parameter], longest: float) -> None:
    """Scales the gradients of weights where their norm, that of all of them together, is above `longest`.

    Pascanu et al. 2013, "On the difficulty of training recurrent neural networks", algorithm 1. torch's own takes no
    sparse gradients, as tuned word vectors have.
    """
    parts = []
    for weight in weights:
        if weight.grad is None:
            continue
        if weight.grad.is_sparse:
            weight.grad = weight.grad.coalesce()  # as a word that is met twice has two rows before
        parts.append(weight.grad.values() if weight.grad.is_sparse else weight.grad)
    if not parts:
        return
    norm = torch.stack([part.norm() for part in parts]).norm()
    scale = (longest / norm).clamp(max=1)  # a norm of 0 gives 1
    for part in parts:
        part.mul_(scale)
