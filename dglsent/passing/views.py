"""What a user function sees on the torch engine: of DGL's EdgeBatch and NodeBatch what reads fields, and their size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple, NoReturn

import torch
from torch import Tensor

from dglsent.passing.missing import NODE, MissingFieldError

Resolver = Callable[[str], Tensor]


class _Lazy(NamedTuple):
    """A field that is still to be made, with a gradient where one was kept when it was set."""

    make: Callable[[], Tensor]
    grad: bool
    inference: bool

    def made(self) -> Tensor:
        with torch.inference_mode(self.inference), torch.set_grad_enabled(self.grad):
            return self.make()


class Fields(MutableMapping[str, Tensor]):
    """Tensors by field name; one that is set as a function is made when it is first read.

    Args:
        values: fields to begin with.
        rows: the first dimension that every field is to have; None where any will do.
        of: what the rows are, for errors.
        what: what each is, for the error of one that is not there (`missing`).

    Attributes:
        renewed: the names of those that were set since.

    Raises:
        ValueError: a field is set that has another first dimension.
        TypeError: what is set is no tensor.
        MissingFieldError: a field is read that is not there.
    """

    def __init__(
        self, values: Mapping[str, Tensor] | None = None, rows: int | None = None, of: str = "", what: str = NODE
    ) -> None:
        self._values: dict[str, Tensor | _Lazy] = dict(values or {})
        self.renewed: set[str] = set()
        self._rows, self._of, self._what = rows, of, what

    def __getitem__(self, name: str) -> Tensor:
        try:
            value = self._values[name]
        except KeyError:
            raise MissingFieldError(name, self._what, self) from None
        if not isinstance(value, Tensor):
            made = value.made()
            require_rows({name: made}, self._rows, self._of)
            value = self._values[name] = made
        return value

    def __setitem__(self, name: str, value: Tensor) -> None:
        require_rows({name: value}, self._rows, self._of)
        self._values[name] = value
        self.renewed.add(name)

    def copy(self) -> Fields:
        """The same fields, on which what is set later has no effect."""
        other = Fields(rows=self._rows, of=self._of, what=self._what)
        other._values.update(self._values)
        return other

    def set_lazy(self, name: str, make: Callable[[], Tensor]) -> None:
        """Set a field that is made when it is first read, with a gradient where one is kept now."""
        self._values[name] = _Lazy(make, torch.is_grad_enabled(), torch.is_inference_mode_enabled())
        self.renewed.add(name)

    def replace(self, function: Callable[[Tensor], Tensor]) -> None:
        """Put what a function makes of each in its place, such as the same on another device."""
        for name in self:
            self._values[name] = function(self[name])

    def __delitem__(self, name: str) -> None:
        del self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Fields({', '.join(self._values)})"


def require_rows(fields: Mapping[str, Tensor], rows: int | None, of: str) -> None:
    """Refuse fields [n, ...] of another number of nodes or edges n, which would be taken for those of others.

    Raises:
        ValueError: there is one; it is named. None allows any number.
        TypeError: a field is no tensor.
    """
    for name, value in fields.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"field {name!r} is a value of type {type(value).__name__}; give a tensor")
        if rows is not None and value.shape[:1] != (rows,):
            raise ValueError(
                f"field {name!r} has the shape {tuple(value.shape)}; its first dimension should be {rows}, the {of}"
            )


class View(dict[str, Tensor]):
    """Fields of some nodes or edges; a field is fetched when it is first read, or asked for by `in` or `get`.

    Nothing knows the names of all, so to go through them is refused. `asked` is set once `in` or `get` asked whether
    there is a field.
    """

    __slots__ = ("_fetch", "asked")
    asked: bool

    def __init__(self, fetch: Resolver) -> None:
        super().__init__()
        self._fetch = fetch

    def fetched(self) -> tuple[str, ...]:
        """The names of those that have been read."""
        return tuple(dict.__iter__(self))

    def _unknown(self, *_: Any) -> Any:
        raise TypeError('fields are fetched by name here, such as nodes.data["h"]; name those that are wanted')

    __iter__ = __len__ = keys = values = items = copy = pop = popitem = setdefault = _unknown

    def __missing__(self, name: str) -> Tensor:
        value = self[name] = self._fetch(name)
        return value

    def __contains__(self, name: object) -> bool:
        # Only the source knows; what it gives is kept, so that asking and reading cost one fetch.
        return self.get(name) is not None

    def get(self, name: Any, default: Any = None) -> Any:
        """The field, or the default where there is none."""
        self.asked = True
        try:
            return self[name]
        except KeyError:
            return default


class Edges:
    """m edges as a message function sees them: `src`, `dst` and `data`, each a mapping to [m, ...].

    Over padded tensors there are more `leading` dimensions than one, which do not belong to the fields.
    """

    __slots__ = ("_size", "data", "dst", "leading", "src")

    def __init__(self, size: int, src: Resolver, dst: Resolver, data: Resolver, leading: int = 1) -> None:
        self._size, self.leading = size, leading
        self.src, self.dst, self.data = View(src), View(dst), View(data)

    def batch_size(self) -> int:
        """Number of edges m."""
        return self._size

    def __getitem__(self, name: object) -> NoReturn:
        """Edges are no fields themselves."""
        raise TypeError(f"{name!r} is read of edges; write edges.src[{name!r}], edges.dst[...] or edges.data[...]")

    __contains__ = __getitem__  # else `in` would ask for 0, 1, ...


class Nodes:
    """n nodes as a reduce or apply function sees them: `data` [n, ...] and, in reduce, `mailbox` [n, k, ...].

    In a reduce function that is `padded`, `mask` [n, k] is True where there is a message.
    """

    __slots__ = ("_size", "data", "mailbox", "mask")

    def __init__(self, size: int, data: Resolver, mailbox: Resolver | None = None, mask: Tensor | None = None) -> None:
        self._size = size
        self.data = View(data)
        if mailbox is not None:
            self.mailbox = View(mailbox)
        if mask is not None:
            self.mask = mask

    def batch_size(self) -> int:
        """Number of nodes n."""
        return self._size

    def __getitem__(self, name: object) -> NoReturn:
        """Nodes are no fields themselves."""
        raise TypeError(f"{name!r} is read of nodes; write nodes.data[{name!r}], of messages nodes.mailbox[...]")

    __contains__ = __getitem__
