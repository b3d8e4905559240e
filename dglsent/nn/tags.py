"""Tags of nodes, for encoders that are nothing without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dglsent.passing import Batch, EdgesSeen, Outputs, update_all
from graphs.door import fn
from graphs.errors import InputError, check_whole
from graphs.features import SPECIAL
from graphs.fields import SLOT, TAG


def require_tags(tags: Sequence[str], tag_dim: int = 0) -> None:
    """Refuses a vocabulary of tags without a tag, such as that of trees whose nodes have none, and text in its place.

    Args:
        tags: the strings of the vocabulary.
        tag_dim: dimensions of their embeddings, if they have some.

    Raises:
        ValueError: it is one.
        InputError: `tag_dim` is no whole number from 0.
    """
    check_whole(0, tag_dim=tag_dim)
    if isinstance(tags, str) or not set(tags) - set(SPECIAL):
        raise ValueError(
            "there are no tags: take trees that have some, and give tags=, the strings of the tag vocabulary"
        )


def require_known_tags(nodes: Mapping[str, Tensor], tags: int) -> None:
    """Refuses nodes of other tags than an encoder was made with; on a GPU, which does not wait to say so, torch does.

    Args:
        nodes: fields of N nodes.
        tags: number of tags of the encoder.

    Raises:
        InputError: they have no tags, or one has an id below 0 or from `tags` on.
    """
    ids = tag_ids(nodes)
    if ids.device.type != "cpu":
        return
    try:
        torch.empty(tags).index_select(0, ids)  # a lookup compares them, and no step of training asks for a value
    except IndexError:
        raise InputError(
            f"there are ids of tags from {int(ids.min())} to {int(ids.max())}, and the encoder was made with {tags} "
            "tags; give it tags=vocabularies.tag.strings of the vocabularies of the graphs"
        ) from None


def tag_ids(nodes: Mapping[str, Tensor]) -> Tensor:
    """The tags [n] of n nodes, from their fields.

    Raises:
        InputError: they have none.
    """
    try:
        return nodes[TAG]
    except KeyError:
        raise InputError("the nodes have no field `tag`, which the builders of graphs make") from None


def child_tag_terms(batch: Batch, tag: Tensor, weight: Tensor) -> Tensor:
    """V [e_l; e_r] of the tags of every node's children, 0 at leaves: [N, m].

    Each tag meets the weight once, however many nodes have it.

    Args:
        batch: N nodes of binary trees with the field tag.
        tag: [T, t] tag embeddings.
        weight: V, [m, 2 t].
    """
    table = torch.cat([tag @ side.t() for side in weight.chunk(2, 1)])

    def message(edges: EdgesSeen) -> Outputs:
        return {"tag_terms": F.embedding(edges.data[SLOT] * len(tag) + edges.src[TAG], table)}

    update_all(batch, message, fn.sum("tag_terms", "tag_terms"))
    return batch.nodes["tag_terms"]
