from __future__ import annotations

from dglsent.near import near


def test_the_names_that_are_near():
    known = ["fit", "test", "predict", "reproduce"]
    assert near("prdict", known, "none") == "did you mean predict or reproduce or fit?"
    assert near("prdict", known, "none", closely=True) == "did you mean predict?"
    assert near("lost", known, "none", closely=True) == "none"
