"""The vocabularies of some examples alone, as training makes them of its first split."""

from __future__ import annotations

from dglsent.training.data import shaped
from graphs.features import Vocabularies


def vocabularies_of(examples, kind, *, lower=False, min_count=1):
    return Vocabularies.of(shaped(examples, kind), lower=lower, min_count=min_count)
