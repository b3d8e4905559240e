"""The parts that figures of several analyses have."""

from __future__ import annotations

import pytest

from dglsent.analysis.pictures import arcs, panels


def test_a_heavier_arc_is_wider():
    ax = panels()[1][0, 0]
    arcs(ax, ["a", "b", "c"], [(0, 1, 0.0), (2, 0, 1.0), (1, 1, 1.0)], colour="black")
    assert [(arc.center[0], arc.width) for arc in ax.patches] == [(0.5, 1), (1.0, 2)]
    assert [arc.get_linewidth() for arc in ax.patches] == pytest.approx([0.5, 4.5])
