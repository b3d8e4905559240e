"""The parts that figures of several analyses have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dglsent.analysis.pictures import arcs, panels, save


def test_a_heavier_arc_is_wider():
    ax = panels()[1][0, 0]
    arcs(ax, ["a", "b", "c"], [(0, 1, 0.0), (2, 0, 1.0), (1, 1, 1.0)], colour="black")
    assert [(arc.center[0], arc.width) for arc in ax.patches] == [(0.5, 1), (1.0, 2)]
    assert [arc.get_linewidth() for arc in ax.patches] == pytest.approx([0.5, 4.5])


def test_only_places_are_rounded(tmp_path: Path) -> None:
    figure, axes = panels()
    axes[0, 0].plot([0, 1 / 3], [0.895, 0.915], label="at 0.12345")
    axes[0, 0].set_yticks([0.895, 0.9, 0.905])
    axes[0, 0].legend()
    save(figure, tmp_path / "curve", "from 0.895")
    svg = (tmp_path / "curve.svg").read_text()
    said = re.findall(r">([^<>]*\d)</text>", svg)
    assert {"0.895", "0.900", "0.905", "at 0.12345", "from 0.895"} <= set(said)
    assert not re.search(r"<[^<>]*\d\.\d{3}[^<>]*>", svg)
