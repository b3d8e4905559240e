from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pandas import DataFrame

from dglsent.analysis import gate_activity
from dglsent.analysis.pictures import look
from dglsent.analysis.trained_run import LoggedGates


def logged(words=8, fold=None):
    """Gates that fall from the middle at the end, wider for words with more classes."""
    rows = []
    for word in range(words):
        for step in (0, 10):
            for occurrence in (0, 1):
                for offset in range(-2, 3):
                    sharp = 0.5 if not step else max(0.0, (0.3 + 0.05 * word) * (1 - abs(offset) / 3))
                    gate = sharp + (0.1 if occurrence else -0.1)
                    rows.append((step, f"w{word}", occurrence, offset, gate))
    gates = DataFrame(rows, columns=["step", "word", "occurrence", "offset", "gate"])
    table = DataFrame(
        {"word": [f"w{word}" for word in range(words)], "count": [30, 20, 50, 40, 70, 60, 90, 80][:words]}
    )
    table["classes"] = range(1, words + 1)
    return LoggedGates(Path(), "pmb/mlp", "WindowMLP", "PMB", 1, {}, {}, gates, table, fold=fold)


def test_gates_of_words():
    made = gate_activity.tables([logged()])
    activity = made["activity"].set_index(["seed", "word", "step", "offset"])
    assert activity.gate[1, "w0", 10, 0] == pytest.approx(0.3)
    assert activity.sd[1, "w0", 10, 0] == pytest.approx(0.2 / 2**0.5)
    decay = made["decay"].set_index(["seed", "step", "distance"]).gate
    assert decay[1, 0, 0] == decay[1, 0, 2] == pytest.approx(0.5)
    assert decay[1, 10, 0] > decay[1, 10, 1] > decay[1, 10, 2]
    width = made["width"].set_index(["seed", "word"])
    assert width.width_first[1, "w3"] == pytest.approx(2.5)
    assert width.width_last[1, "w0"] == pytest.approx(0.3 * (1 + 4 / 3 + 2 / 3))
    assert width.entropy_first[1, "w0"] == pytest.approx(np.log(5))
    ambiguity = made["ambiguity"].set_index(["seed", "with"])
    assert ambiguity.rho[1, "classes"] == pytest.approx(1)
    assert ambiguity.rho[1, "partial"] == pytest.approx(1)
    assert ambiguity.rho[1, "frequency"] < 1
    drawn = gate_activity.figures(made)
    assert set(drawn) == {"gates", "decay-and-width"}
    assert drawn["gates"].get_supylabel() == "gate"
    assert drawn["gates"].get_label().startswith("Drawn: pmb/mlp, seed 1; ")
    rows = [ax.get_ylabel() for ax in drawn["gates"].axes[::5]]
    assert rows == ["w7", "w4", "w0"]  # the most, a middling number and the fewest classes
    assert [ax.get_title() for ax in drawn["gates"].axes[:5]] == ["-2", "-1", "word", "+1", "+2"]
    middle, of_w7 = drawn["gates"].axes[2], activity.loc[[(1, "w7", step, 0) for step in (0, 10)]]
    assert middle.lines[0].get_ydata().tolist() == of_w7.gate.tolist()
    band = {y for x, y in middle.collections[0].get_paths()[0].vertices.tolist()}
    assert sorted(band) == pytest.approx(sorted([*(of_w7.gate - of_w7.sd), *(of_w7.gate + of_w7.sd)]))
    with look():  # in which powers of ten are no formulas
        drawn["decay-and-width"].canvas.draw()
    assert [each.get_text() for each in drawn["decay-and-width"].axes[1].texts] == ["w7", "w0"]
    assert drawn["decay-and-width"].axes[0].get_ylim() == (0, 1)
    steps, classes = drawn["gates"].axes[-1], drawn["decay-and-width"].axes[1]
    assert [label.get_text() for label in steps.get_xticklabels()] == ["1", "10"]
    assert {"1", "2"} <= {label.get_text() for label in classes.get_xticklabels(which="both")}


def test_a_window_that_the_sentence_cuts_off_has_the_width_it_has():
    """Two whole windows, and one at the end of a sentence."""
    whole, cut = {-1: 0.5, 0: 1.0, 1: 0.5}, {-1: 0.2, 0: 0.2}
    rows = [(0, "w", number, *slot) for number, gates in enumerate([whole, whole, cut]) for slot in gates.items()]
    gates = DataFrame(rows, columns=["step", "word", "occurrence", "offset", "gate"])
    words = DataFrame({"word": ["w"], "count": [3], "classes": [1]})
    (row,) = gate_activity.widths(gates, words).itertuples()
    assert row.width_first == row.width_last == pytest.approx((2 + 2 + 0.4) / 3)
    assert row.entropy_last == pytest.approx((2 * 1.5 * np.log(2) + np.log(2)) / 3)


def test_both_sides_of_the_middle_count_alike():
    gates = DataFrame({"step": 0, "word": "w", "offset": [-2, -1, 0, 1, 2], "gate": [0.1, 0.3, 1.0, 0.5, 0.2]})
    assert gate_activity.decay(gates).gate.tolist() == pytest.approx([1.0, 0.4, 0.15])


def test_few_words_have_no_correlation():
    for words, known in ((2, False), (3, False), (4, True)):
        assert (gate_activity.tables([logged(words=words)])["ambiguity"].rho.notna() == known).all()


def test_the_partial_correlation_holds_frequency_fixed():
    """Of five ranks rho is 1 minus a twentieth of their squared differences."""
    columns = {"width_last": [1, 2, 3, 4, 5], "classes": [2, 1, 3, 4, 5], "count": [2, 3, 1, 4, 5]}
    rho = gate_activity.ambiguity(DataFrame(columns)).set_index("with").rho
    wanted = (0.9 - 0.7 * 0.6) / ((1 - 0.7**2) * (1 - 0.6**2)) ** 0.5
    assert rho.to_dict() == pytest.approx({"classes": 0.9, "frequency": 0.7, "partial": wanted})
    table = gate_activity.ambiguity(DataFrame(columns)).set_index("with")
    assert (table.low <= table.rho).all()
    assert (table.rho <= table.high).all()


@pytest.mark.filterwarnings("error")  # no line fits through one frequency
def test_words_of_one_frequency_have_it_held_fixed_as_it_is():
    columns = {"width_last": [1, 2, 3, 4, 5], "classes": [2, 1, 3, 4, 5], "count": [7] * 5}
    table = gate_activity.ambiguity(DataFrame(columns)).set_index("with")
    assert table.rho[["classes", "partial"]].tolist() == pytest.approx([0.9, 0.9])
    assert table.low["classes"] <= 0.9 <= table.high["classes"]
    assert table.loc["frequency", ["rho", "low", "high"]].isna().all()


def test_folds_are_runs_of_their_own():
    made = gate_activity.tables([logged(fold=0), logged(fold=1, words=6)])
    left, right = gate_activity.figures(made)["decay-and-width"].axes
    labels = [line.get_label() for line in left.lines]
    assert labels == [f"pmb/mlp, seed 1, fold {fold}, step {step}" for fold in (0, 1) for step in (0, 10)]
    assert [len(line.get_xdata()) for line in right.lines] == [8, 6]


@pytest.mark.parametrize("counts", [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
def test_of_what_frequency_explains_nothing_is_left(counts):
    columns = {"word": list("abcde"), "width_last": [1.0, 2, 3, 4, 5], "classes": [2, 1, 3, 1, 2], "count": counts}
    row = gate_activity.ambiguity(DataFrame(columns)).set_index("with").loc["partial"]
    assert row[["rho", "low", "high"]].isna().all()


@pytest.mark.filterwarnings("error")  # of four drawn again often one alone, through which NumPy fitted a line
def test_four_words_have_a_correlation():
    columns = {"width_last": [1, 2, 3, 4], "classes": [1, 2, 4, 3], "count": [3, 1, 2, 4]}
    for words, known in ((4, True), (3, False)):
        rho = gate_activity.ambiguity(DataFrame(columns)[:words]).rho
        assert rho.notna().all() == known
