"""Optimisers by name, with word vectors in a group of their own."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from dglsent.training.recipe import OptimiserOptions

_SPARSE = ("adagrad", "sgd")
_FUSED = ("adam", "adamw")  # in one pass over a weight instead of ten


def takes_sparse(options: OptimiserOptions) -> bool:
    """Whether an optimiser takes the sparse gradients of tuned word vectors."""
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
    kinds: dict[str, Any] = {
        "adagrad": torch.optim.Adagrad,
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "adadelta": torch.optim.Adadelta,
    }
    fused = {"fused": True} if options.name in _FUSED else {}
    made: Optimizer = kinds[options.name](groups, lr=options.lr, **fused)
    return made
