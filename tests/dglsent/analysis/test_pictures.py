"""The parts that figures of several analyses have."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from figure_reading import names
from matplotlib.font_manager import FontEntry, fontManager

from dglsent.analysis.pictures import arcs, heat, inches, look, panels, save


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


def test_a_dollar_is_a_dollar(tmp_path: Path) -> None:
    words = ["$_$", "bad", "$", "money", "$", "x_1"]
    with look():
        figure, axes = panels(1, 2)
        heat(axes[0, 0], np.eye(6), words, words, high=1, label="$ $", title="$a$")
        arcs(axes[0, 1], words, [], colour="black", without="$no$")
    save(figure, tmp_path / "dollars", "$c$")
    said = re.findall(r">([^<>]*)</text>", (tmp_path / "dollars.svg").read_text())
    assert said.count("$_$") == 3
    assert said.count("$") == 6
    assert {"$ $", "$a$", "$no$", "$c$"} <= set(said)


def test_the_bar_of_a_heat_map_reaches_to_what_is_drawn() -> None:
    figure, axes = panels()
    heat(axes[0, 0], np.array([[0.1, 0.02]]), ["a"], ["b", "c"], high=0.1, label="weight")
    bar = figure.axes[1]
    assert (bar.get_ylabel(), bar.get_ylim()) == ("weight", (0, 0.1))
    assert axes[0, 0].texts[0].get_color() == "white"
    assert names(axes[0, 0]) == ["a"]


def test_numbers_in_cells_lose_a_zero_before_the_point_and_no_other() -> None:
    _, axes = panels()
    values = np.array([[0.25, -0.5, 10.02], [1.0, 20.5, -10.0]])
    heat(axes[0, 0], values, ["a", "b"], ["c", "d", "e"], low=-21, high=21, label="score")
    shown = [text.get_text() for text in axes[0, 0].texts]
    assert shown == [".25", "-.50", "10.02", "1.00", "20.50", "-10.00"]


def test_long_names_are_cut_between_words_and_told_apart() -> None:
    _, axes = panels()
    long = ["a boy plays in the background", "a boy plays with its background", "Donaudampfschifffahrtsgesellschaft"]
    heat(axes[0, 0], np.zeros((3, 3)), long, ["a", "b", "a"], high=1, label="", numbered=True)
    assert names(axes[0, 0]) == ["a boy plays … background", "a boy plays … background (2)", "Donaudampfsc … lschaft"]
    assert [label.get_text() for label in axes[0, 0].get_xticklabels()] == ["a", "b", "a (2)"]


def test_no_arcs_is_said() -> None:
    ax = panels()[1][0, 0]
    arcs(ax, ["a", "b"], [], colour="black", without="none above 2 / 2")
    assert [text.get_text() for text in ax.texts] == ["a", "b", "none above 2 / 2"]


def test_a_heat_map_grows_to_thirty_words_and_no_more() -> None:
    assert [inches(count) for count in (10, 30, 60, 400)] == pytest.approx([3, 9, 9, 9])


def test_glyphs_that_no_font_has_are_told_at_once(tmp_path: Path) -> None:
    figure, axes = panels()
    axes[0, 0].set_title("a \uf8f0\uf8f1 \uf8f0")  # of nobody's alphabet
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert save(figure, tmp_path / "boxes", "") == {"\uf8f0", "\uf8f1"}
    axes[0, 0].set_title("Tōkyō עברית")
    assert save(figure, tmp_path / "letters", "") == set()


def test_any_font_of_noto_that_is_installed_is_asked_for_glyphs(monkeypatch: pytest.MonkeyPatch) -> None:
    fonts = [FontEntry(name=name) for name in ("Noto Sans Tamil", "Noto Serif", "DejaVu Sans", "Noto Sans Bengali")]
    monkeypatch.setattr(fontManager, "ttflist", fonts)
    with look():
        assert mpl.rcParams["font.family"] == ["sans-serif", "DejaVu Sans", "Noto Sans Bengali", "Noto Sans Tamil"]
