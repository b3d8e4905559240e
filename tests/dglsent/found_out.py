"""What each process finds out before it trains, and what stays the same, is found out once, before it forks."""

from __future__ import annotations

import gc

from dglsent.training import fit, provenance

for module in provenance.modules():
    provenance.code_hash(module)  # kept by file and time of change
fit.versions()
gc.freeze()  # a fork's garbage collector would look at all that was imported, and so copy its pages
