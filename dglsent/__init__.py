"""Sentence models over parse trees as message passing on DGL graphs; see `dglsent.passing` and `dglsent.models`."""

from dglsent.registry import register

__all__ = ["register"]
