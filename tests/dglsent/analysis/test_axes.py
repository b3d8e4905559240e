"""Marks stand in the rows of their systems, in every panel of a figure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from figure_reading import marks, panel
from made import pairs, recording, run

from dglsent.analysis import duplicate_results, example_predictions, pair_scores, window_ablations
from dglsent.analysis.analyse import analyse
from dglsent.analysis.catalogue import find
from graphs.errors import InputError


def shown(axes):
    """The value of each row of a panel; rows without one are left out."""
    (series,) = marks(axes).values()
    return {name: value for name, value in series.items() if not math.isnan(value)}


def test_systems_without_a_score_leave_their_row_empty():
    scores = {"precision": 0.7, "recall": 0.6, "f1": 0.65, "accuracy": 0.8}
    runs = [run("quora/a", 1, scores), run("sick-entailment/b", 1, {"accuracy": 0.9}), run("quora/c", 1, scores)]
    figure = duplicate_results.figures(duplicate_results.tables(runs))["duplicate-results"]
    assert shown(panel(figure, "precision")) == {"quora/a": 0.7, "quora/c": 0.7}
    assert shown(panel(figure, "accuracy")) == {"quora/a": 0.8, "sick-entailment/b": 0.9, "quora/c": 0.8}


def test_systems_without_pairs_of_a_kind_leave_their_row_empty(tmp_path):
    denied, other = ("no man sings", "a man sings"), ("a man sings", "a man talks")
    sources = [
        recording(tmp_path, system="sick/a", examples=pairs([3.0], [3.5], [other])),
        recording(tmp_path, system="sick/b", examples=pairs([3.0, 3.0], [2.0, 3.25], [denied, other])),
    ]
    figure = pair_scores.figures(pair_scores.tables(sources))["pair-scores"]
    assert shown(panel(figure, "other (n = 1)")) == {"sick/a": 0.5, "sick/b": 0.25}
    assert shown(panel(figure, "negation (n = 1)")) == {"sick/b": 1.0}


def test_scores_and_classes_have_scales_of_their_own(tmp_path):
    sources = [
        recording(tmp_path, system="sick/a", examples=pairs([2.5, 4.0], [2.5, 3.5])),
        recording(tmp_path, system="msrp/b", examples=pairs([1, 0], [1, 1], probabilities=[[0.1, 0.9], [0.4, 0.6]])),
    ]
    figure = example_predictions.figures(example_predictions.tables(sources))["example-predictions"]
    left, right = figure.axes
    assert (left.get_ylabel(), right.get_ylabel()) == ("predicted score", "examples")
    assert left.get_ylim()[0] > 2.3
    assert right.get_ylim()[0] == 0
    bars = [*right.patches]
    assert (bars[0].get_x(), bars[-1].get_x() + bars[-1].get_width()) == pytest.approx((0, 1))


def test_windows_of_two_corpora_are_not_compared():
    accuracies = {"pmb/mlp": 0.9, "pmb/mlp-plain": 0.89, "ptb-pos/mlp": 0.5, "ptb-pos/mlp-plain": 0.4}
    runs = [run(system, 1, {"accuracy": value}) for system, value in accuracies.items()]
    found = window_ablations.tables(runs)["differences"].set_index(["corpus", "variant"])
    assert found.difference["pmb", "mlp-plain"] == pytest.approx(-0.01)
    assert found.difference["ptb-pos", "mlp-plain"] == pytest.approx(-0.1)
    axes = window_ablations.figures(window_ablations.tables(runs))["window-ablations"].axes
    drawn = [shown(each) for each in axes]
    assert [each.get_title() for each in axes] == ["pmb/mlp", "ptb-pos/mlp"]
    assert drawn == [{"plain": 89, "mlp": 90}, {"plain": 40, "mlp": 50}]
    assert [each.lines[-1].get_xdata() for each in axes] == [[90, 90], [50, 50]]
    assert window_ablations.figures(window_ablations.tables(runs[:1])) == {}


def test_a_mean_with_an_undefined_score_is_undefined():
    runs = [run("quora/a", seed, {"f1": value}) for seed, value in enumerate((0.8, None), 1)]
    row = duplicate_results.tables([*runs, run("quora/b", 1, {"f1": 0.5})])["scores"].set_index("system")
    assert np.isnan([row.value["quora/a"], row.value_sd["quora/a"]]).all()
    assert (row.value["quora/b"], row.seeds["quora/a"]) == (0.5, 2)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("example-predictions", {"k": -1}, "--k -1: is not from 1"),
        ("tag-pairs", {"permutations": 0}, "--permutations 0: is not from 1"),
        ("tag-pairs", {"purity": 1.5}, "--purity 1.5: is not from 0 to 1"),
        ("learned-structure", {"longest": 0}, "--longest 0: is not from 1"),
    ],
)
def test_options_out_of_their_range_are_refused(name, options, said, tmp_path):
    with pytest.raises(InputError, match=f"^{said}$"):
        analyse(find(name), [tmp_path], tmp_path, options=options)
