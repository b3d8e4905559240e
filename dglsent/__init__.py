"""Sentence models over parse trees as message passing on DGL graphs; see `dglsent.passing` and `dglsent.models`.

>>> import dglsent
>>> model = dglsent.load("runs/sst/tree-lstm/seed-1")  # doctest: +SKIP
>>> model.predict(["The movie was not as bad as I feared."])  # doctest: +SKIP
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Collection
from typing import TYPE_CHECKING

from dglsent.registry import register

if TYPE_CHECKING:
    import torch

    from dglsent.inference.model import Model
    from graphs.token_vectors import VectorSource

__all__ = ["load", "register"]


def _refuse_other_graphs() -> None:
    """A file graphs.py beside a script stands before the package of that name."""
    there = importlib.util.find_spec("graphs")
    if there is not None and there.submodule_search_locations is None:
        raise ImportError(
            f"{there.origin} hides the package graphs, which dglsent needs and which comes with it; rename that file"
        )


_refuse_other_graphs()


def load(
    run: str | os.PathLike[str],
    *,
    device: str | torch.device = "auto",
    stanza_dir: str | os.PathLike[str] | None = None,
    trusted: bool | Collection[str] = False,
    vectors: VectorSource | None = None,
) -> Model:
    """A trained model, ready to predict and to explain.

    Args:
        run: folder that `dglsent fit` wrote.
        device: "auto", "cpu", "cuda", one such as "cuda:1", or a torch.device of these.
        stanza_dir: folder of Stanza's English models, for raw text where the model needs parses or tags; Stanza's own,
            into which it downloads, by default.
        trusted: which classes the run may name that are neither of dglsent nor registered (docs/security.md).
        vectors: for a model that reads vectors of tokens, a safetensors file or a mapping with an array [tokens, d] for
            each sentence, under its tokens with a space between each two.

    Raises:
        InputError: there is no run, or it cannot be read; it names a class that is not trusted; `device` is not there;
            or `vectors` cannot be read, or are none that the model reads.
    """
    from dglsent.inference.model import Model

    return Model.of_run(run, device=device, stanza_dir=stanza_dir, trusted=trusted, vectors=vectors)
