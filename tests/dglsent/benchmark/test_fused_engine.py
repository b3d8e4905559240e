"""What is timed as compiled is compiled."""

from __future__ import annotations

import math

from dglsent.benchmark import engines
from dglsent.passing.engines.torch import fused


def test_methods_stay_compiled(monkeypatch):
    """Counting launches on a CPU looks at every operation, and under such a look nothing is compiled."""
    monkeypatch.setattr(fused, "BACKEND", "eager")
    subject = next(each for each in engines.subjects(None) if each.model == "child-sum Tree-LSTM")
    rows = engines.measure(subject, 2, threads=[1], batches=1, repeats=1, fused=True)
    assert all(made._run is not None for made in fused._made[subject.encoder].values())
    assert all(math.isnan(row["launches"]) for row in rows)
    plain = engines.measure(subject, 2, threads=[1], batches=1, repeats=1)
    assert all(row["launches"] > 0 for row in plain)
