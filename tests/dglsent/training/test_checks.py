from __future__ import annotations

from tiny import PAIRS, recipe


def test_scores_beyond_the_scale_are_refused(tmp_path, program):
    """A target distribution would take each for the nearest end of the scale."""
    options = ["--out", tmp_path / "run", "--task.low", 2, "--task.high", 4]
    program.refuses("fit", recipe(tmp_path, PAIRS), *options, saying=["lie outside 2 to 4", "--task.low"])
    assert not (tmp_path / "run").exists()
