from __future__ import annotations

import numpy as np
import pytest
from made import history, run

from dglsent.analysis import dropout_curves, window_curves
from dglsent.analysis.curves import crossover
from graphs.errors import InputError


def runs():
    plain = [0.5, 0.8, 0.81, 0.80, 0.79]
    return [
        run("pmb/lstm-plain", 1, {}, history=history(plain)),
        run("pmb/lstm-plain", 2, {}, history=history(plain[:3])),
        run("pmb/lstm", 1, {}, history=history([0.4, 0.7, 0.8, 0.82, 0.83])),
        run("pmb/lstm", 2, {}, history=history([0.4, 0.7, 0.9])),
    ]


def test_curves_and_where_they_fall():
    made = dropout_curves.tables(runs())
    means = made["means"].set_index(["system", "epoch"])
    assert means.value["pmb/lstm", 3] == pytest.approx(0.85)
    assert means.seeds["pmb/lstm", 3] == 2
    assert means.seeds["pmb/lstm", 4] == 1
    summary = made["summary"].set_index("system")
    assert summary.fall["pmb/lstm-plain"] == pytest.approx(0.01)
    assert summary.epoch["pmb/lstm-plain"] == 3
    assert list(dropout_curves.figures(made)) == ["dropout-curves"]


def test_runs_that_a_ledger_put_back_have_no_curve():
    """It keeps their first epochs alone, of which the last would pass for where they ended."""
    (cut,) = runs()[:1]
    cut.metrics["history"] = cut.metrics["history"][:2]
    with pytest.raises(InputError, match=r"^pmb/lstm-plain/seed-1: a ledger put it back, .* 2 of its 5 epochs"):
        dropout_curves.tables([cut])


def test_curves_of_folds():
    """The mean of a seed is that of its folds, and a fold's best epoch is its own."""
    values = {(1, 0): [0.5, 0.8], (1, 1): [0.7, 0.6], (2, 0): [0.8, 0.9], (2, 1): [0.6, 0.7]}
    made = dropout_curves.tables(
        [run("mr/x", seed, {}, history=history(some), fold=fold) for (seed, fold), some in values.items()]
    )
    means = made["means"].set_index("epoch")
    assert means.value.to_dict() == pytest.approx({1: 0.65, 2: 0.75})
    assert means.value_sd[1] == pytest.approx(0.1 / 2**0.5)
    assert means.seeds.to_dict() == {1: 2, 2: 2}
    (summary,) = made["summary"].itertuples()
    assert (summary.value, summary.value_last, summary.epoch) == pytest.approx((0.775, 0.75, 1.75))
    assert summary.value_sd == pytest.approx(0.05 / 2**0.5)


def test_the_means_cross_where_they_are_drawn():
    """Seeds count alike, one of whose folds has ended too."""
    gated = {(1, 0): [0.5, 0.9], (1, 1): [0.5], (2, 0): [0.5, 0.5], (2, 1): [0.5, 0.5]}
    runs = [run("mr/x", seed, {}, history=history(some), fold=fold) for (seed, fold), some in gated.items()]
    runs += [run("mr/x-plain", seed, {}, history=history([0.6, 0.65]), fold=fold) for seed, fold in gated]
    made = window_curves.tables(runs)
    means = made["means"].set_index(["system", "epoch"]).value
    assert means["mr/x", 2] == pytest.approx(0.7)
    assert made["crossover"].set_index("of").epoch["means"] == 2


def test_where_the_curves_cross():
    assert crossover({1: 0.5, 2: 0.6, 3: 0.6}, {1: 0.4, 2: 0.6, 3: 0.7}) == 3
    assert crossover({1: 0.5, 2: 0.6}, {1: 0.6, 2: 0.7}) == 1
    assert crossover({1: 0.5, 2: 0.6, 3: 0.6}, {1: 0.6, 2: 0.5, 3: 0.7}) == 3
    assert np.isnan(crossover({1: 0.5, 2: 0.6}, {1: 0.6, 2: 0.5}))
    made = window_curves.tables(runs())
    assert made["crossover"].set_index("of").epoch.to_dict() == {"seed 1": 4, "seed 2": 3, "means": 3}
    for system in ("pmb/lstm", "pmb/lstm-plain"):
        lone = window_curves.tables([one for one in runs() if (one.system, one.seed) != (system, 2)])
        assert lone["crossover"].of.tolist() == ["seed 1", "means"]
    (figure,) = window_curves.figures(made).values()
    (line,) = (line for line in figure.axes[0].lines if line.get_label() == "pmb/lstm is ahead from epoch 3")
    assert line.get_xdata() == [3, 3]
    assert figure.axes[0].get_xlim()[0] == 1


def test_lines_are_told_apart_where_they_are_printed_in_grey():
    systems = [run(f"pmb/{name}", 1, {}, history=history([0.5, 0.8])) for name in "abcd"]
    (ax,) = dropout_curves.figures(dropout_curves.tables(systems))["dropout-curves"].axes
    assert len({line.get_linestyle() for line in ax.lines}) == 4


def test_a_run_of_one_epoch_is_a_point():
    one, more = run("pmb/one", 1, {}, history=history([0.5])), run("pmb/more", 1, {}, history=history([0.5, 0.8]))
    for runs, marks in ([one], ["o"]), ([one, more], ["o", "None"]):
        (ax,) = dropout_curves.figures(dropout_curves.tables(runs))["dropout-curves"].axes
        assert [line.get_marker() for line in ax.lines] == marks
        low, high = ax.get_xlim()
        assert low <= 1 <= high
        assert [float(tick) for tick in ax.get_xticks() if low <= tick <= high] == [1.0, 2.0][: len(runs)]
