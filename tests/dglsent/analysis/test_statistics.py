from __future__ import annotations

import numpy as np
import pytest
from pandas import DataFrame

from dglsent.analysis.statistics import entropy, interval, mean_interval, merged_bins, over_seeds, pearson, spearman


def test_means_over_seeds():
    frame = DataFrame({"system": ["a", "a", "b"], "seed": [1, 2, 1], "value": [1.0, 3.0, 5.0]})
    found = over_seeds(frame, ["system"], ["value"]).set_index("system")
    assert found.value.to_dict() == {"a": 2.0, "b": 5.0}
    assert found.value_sd["a"] == pytest.approx(2**0.5)
    assert np.isnan(found.value_sd["b"])
    assert found.seeds.to_dict() == {"a": 2, "b": 1}


def test_a_seed_counts_once_however_many_folds_it_has():
    """Over the rows the mean would be 4."""
    frame = DataFrame({"system": "a", "seed": [1, 1, 2], "value": [1.0, 3.0, 8.0]})
    found = over_seeds(frame, ["system"], ["value"])
    assert (found.value.item(), found.value_sd.item(), found.seeds.item()) == (5.0, pytest.approx(18**0.5), 2)


def test_a_seed_without_a_score_leaves_neither_a_mean_nor_a_deviation():
    frame = DataFrame({"system": "a", "seed": [1, 2, 3], "value": [1.0, 3.0, np.nan]})
    found = over_seeds(frame, ["system"], ["value"])
    assert found[["value", "value_sd"]].isna().all(axis=None)
    assert found.seeds.tolist() == [3]


def test_intervals_hold_the_mean_of_many_and_shrink():
    values = np.random.default_rng(1).normal(3, 1, 400)
    low, high = mean_interval(values)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.15)
    few = mean_interval(values[:40])
    assert few[1] - few[0] > high - low
    assert mean_interval(values) == (low, high)
    assert all(np.isnan(interval(lambda index: 1.0, 0)))


def test_an_interval_leaves_out_a_fortieth_at_either_end():
    drawn = iter(range(1001))
    assert interval(lambda index: next(drawn), 1, repeats=1001) == pytest.approx((25, 975))


def test_constant_values_have_no_correlation():
    for constant in (np.ones(7), np.full(7, 2.7)):  # of the latter the mean is another number than each
        assert np.isnan([pearson(constant, np.arange(7)), pearson(np.arange(7), constant)]).all()
    assert pearson(np.arange(4), 3 - np.arange(4)) == pytest.approx(-1)
    assert spearman(np.array([1, 2, 3, 4]), np.array([1, 10, 100, 1000])) == pytest.approx(1)
    assert spearman(np.array([1, 1, 2]), np.array([6, 5, 9])) == pytest.approx(3**0.5 / 2)  # equal ones share a rank


def test_entropy_of_an_even_spread_is_log_n():
    assert entropy(np.full(5, 0.2)) == pytest.approx(np.log(5))
    assert entropy(np.array([1.0, 0.0])) == 0


def test_small_bins_are_joined_to_the_next_lower():
    values = np.array([4.5] * 3 + [5.0] * 2 + [6.5] * 1 + [7.0] * 1 + [4.9])
    assert merged_bins(values, 1, 3).tolist() == [4] * 3 + [5] * 4 + [4]
    assert merged_bins(values, 1, 5).tolist() == [4] * 8  # four from 5 on are too few, and all fall to 4
    assert merged_bins(np.array([1.0, 1.5, 2.0, 2.5]), 1, 2).tolist() == [1, 1, 2, 2]  # just enough each
    assert merged_bins(np.array([1.0, 2.0, 2.5]), 1, 2).tolist() == [1, 1, 1]
    assert merged_bins(np.array([0.5, 1.0, 2.0, 2.5]), 1, 2).tolist() == [0, 0, 2, 2]
    assert merged_bins(np.array([0.5, 1.0, 2.0, 2.5, 2.7]), 1, 3).tolist() == [0] * 5  # two are left
    assert merged_bins(np.array([1.0, 3.5, 5.0, 7.0]), 2, 2).tolist() == [0, 0, 4, 4]  # edges are multiples of 2
