"""What functions return: the same fields at all nodes, of the same dimensions and type."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dglsent.passing.calls import name_of
from dglsent.passing.missing import listed
from dglsent.passing.seen import Outputs


def require_same(at_leaves: Collection[str], at_others: Collection[str]) -> None:
    """Refuse fields that a propagation would leave without a value at some nodes.

    Raises:
        KeyError: there is one; it is named.
    """
    for names, others, where, elsewhere in (
        (at_others, at_leaves, "with", "without"),
        (at_leaves, at_others, "without", "with"),
    ):
        for name in names:
            if name not in others:
                raise KeyError(f"field {name!r} is computed at nodes {where} in-edges but not at those {elsewhere}")


def require_alike(one: Outputs, other: Outputs, by: str = "") -> None:
    """Refuse fields with other dimensions at some nodes than at others.

    Args:
        one: fields of some nodes.
        other: those of others; a field that either lacks is no matter.
        by: the function that makes them, for the error.

    Raises:
        ValueError: there is one; it is named.
    """
    for name in other:
        if name in one and one[name].shape[1:] != other[name].shape[1:]:
            shapes = f"the shape {tuple(one[name].shape)} at some nodes and {tuple(other[name].shape)} at others"
            raise ValueError(
                f"{by and f'{by}: '}field {name!r} has {shapes}; give all of them the same dimensions after the first: "
                "of messages [r, k, ...] a reduce function returns [r, ...], such as their sum over k"
            )


def require_one_type(at_leaves: Outputs, at_others: Outputs) -> None:
    """Refuse fields of one dtype, or on one device, at leaves and of another at other nodes.

    Raises:
        ValueError: there is one; it is named.
    """
    for name in at_others:
        if name in at_leaves:
            one, other = at_leaves[name], at_others[name]
            if (one.dtype, one.device) != (other.dtype, other.device):
                raise ValueError(
                    f"field {name!r} is {one.dtype} on {one.device} at nodes without in-edges and {other.dtype} on "
                    f"{other.device} at others; give all of them one dtype on one device"
                )


def require_same_fields(function: Any, degree: int, one: Outputs, other_degree: int, other: Outputs) -> None:
    """Refuse what a reduce function returns at nodes of one in-degree alone.

    Raises:
        ValueError: it returns one field here and another there.
    """
    if one.keys() != other.keys():
        raise ValueError(
            f"{name_of(getattr(function, 'function', function))} returns {listed(one)} at nodes with {degree} in-edges "
            f"and {listed(other)} at those with {other_degree}; it should return the same fields at all"
        )
