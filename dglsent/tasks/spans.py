"""Spans that BIO tags mark, and how many of them two taggings share."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812


def bio_kinds(labels: Sequence[str]) -> tuple[Tensor, Tensor]:
    """The kind of span of K tags and whether they begin one: [K + 1] each, the last for tag -1, which counts as O.

    Kinds are numbered from 1; that of O is 0.

    Raises:
        ValueError: a tag is none of O, B-kind and I-kind.
    """
    number: dict[str, int] = {}
    kinds: list[int] = []
    begins: list[bool] = []
    for label in labels:
        place, _, name = str(label).partition("-")
        if label != "O" and (place not in ("B", "I") or not name):
            raise ValueError(f"score f1 counts spans of BIO tags, and {label!r} is none of O, B-kind and I-kind")
        kinds.append(0 if label == "O" else number.setdefault(name, len(number) + 1))
        begins.append(place == "B")
    return torch.tensor([*kinds, 0]), torch.tensor([*begins, False])


def span_counts(predicted: Tensor, gold: Tensor, kind: Tensor, begins: Tensor) -> dict[str, Tensor]:
    """The spans of B sentences, each [B]: predicted ones, gold ones, and those that are both, of one kind and extent.

    A span begins at a B, and at an I of another kind than the tag before it, as in conlleval and seqeval.

    Args:
        predicted: [B, T] tags, -1 where there is none.
        gold: [B, T] tags likewise.
        kind: as `bio_kinds` gives it.
        begins: likewise.
    """
    starts, kinds, ends = zip(*(_spans(kind[tags], begins[tags]) for tags in (predicted, gold)), strict=True)
    both = starts[0] & starts[1] & (kinds[0] == kinds[1]) & (ends[0] == ends[1])
    return {"predicted_spans": starts[0].sum(1), "gold_spans": starts[1].sum(1), "right_spans": both.sum(1)}


def _spans(kind: Tensor, begins: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Whether a span starts at a token, the token's kind, and one past the last token of a span that starts there."""
    length = kind.shape[1]
    start = (kind > 0) & (begins | (kind != F.pad(kind, (1, 0))[:, :-1]))
    place = torch.arange(length, device=kind.device).expand_as(kind)
    # Every span has ended where the next starts or an O stands.
    stop = torch.where(start | (kind == 0), place, length)
    after = F.pad(stop, (0, 1), value=length)[:, 1:]
    return start, kind, after.flip(1).cummin(1).values.flip(1)
