"""The fast engine: user functions over plans, in torch alone, on any device."""

from dglsent.passing.engines.torch.propagation import propagate
from dglsent.passing.engines.torch.rounds import apply_edges, edge_softmax, update_all

__all__ = ["apply_edges", "edge_softmax", "propagate", "update_all"]
