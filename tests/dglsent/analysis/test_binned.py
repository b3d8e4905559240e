"""Scores by length and by overlap of a pair."""

from __future__ import annotations

import numpy as np
import pytest
from made import pairs, recording
from pandas import DataFrame

from dglsent.analysis import length_bins, overlap_bins
from dglsent.analysis.binned import binned_figure, by_bin, lifts, predictions, without_attention
from dglsent.analysis.statistics import pearson
from graphs.errors import InputError


def scored(tmp_path, system, predicted, seed=1, **encoder):
    """Twenty short pairs and twenty long ones."""
    texts = [("a b c", "a b c d e")] * 20 + [("a " * 19 + "a", "b " * 19 + "b")] * 20
    gold = np.tile(np.arange(20.0), 2)
    return recording(tmp_path, system=system, seed=seed, encoder=encoder, examples=pairs(gold, predicted, texts))


def test_correlation_by_length(tmp_path):
    gold, noise = np.tile(np.arange(20.0), 2), np.random.default_rng(0).normal(0, 1, 40)
    weak = np.where(np.arange(40) < 20, gold, noise)
    sources = [
        scored(tmp_path, "sick/tree-gru", weak),
        scored(tmp_path, "sick/attentive-tree-gru", gold, 1),
        scored(tmp_path, "sick/attentive-tree-gru", gold + noise, 2),
        scored(tmp_path, "sick/constant", np.ones(40)),
    ]
    made = length_bins.tables(sources)
    bins = made["bins"].set_index(["system", "bin"])
    assert sorted(bins.index.unique("bin")) == [4, 20]
    assert bins.score["sick/tree-gru", 4] == pytest.approx(1)
    assert bins.score["sick/tree-gru", 20] == pytest.approx(pearson(gold[20:], weak[20:]))
    assert np.isnan(bins.score["sick/constant", 4])
    assert bins.seeds["sick/attentive-tree-gru", 4] == 2
    two = np.mean([1, pearson(gold[20:], (gold + noise)[20:])])
    assert bins.score["sick/attentive-tree-gru", 20] == pytest.approx(two)
    lift = made["lift"].set_index("part")
    assert lift.examples.to_dict() == {"all": 40, "shorter than 14": 20, "14 and longer": 20}
    assert abs(lift.difference["shorter than 14"]) < 0.05
    assert lift.low["14 and longer"] > 0.3
    assert (lift.low <= lift.difference + 1e-12).all()
    assert (lift.difference <= lift.high + 1e-12).all()
    assert bins.place["sick/tree-gru"].to_dict() == {4: 4, 20: 20}
    known = bins.dropna(subset=["low", "high"])
    assert (known.low < known.high).any()
    assert (known.low <= known.high).all()
    (figure,) = length_bins.figures(made).values()
    assert figure.get_label().startswith("A bin is one word wide, or more where it would have too few examples. Bands")


def test_bins_are_one_word_wide(tmp_path):
    texts = [("a b", "c d")] * 10 + [("a b c", "d e f")] * 10 + [("a b c d", "e f g h")] * 9
    gold = np.tile(np.arange(10.0), 3)[:29]
    made = length_bins.tables([recording(tmp_path, system="sick/gru", examples=pairs(gold, gold, texts))])
    assert made["bins"].bin.tolist() == [2, 3]  # the nine are joined to those below
    assert length_bins.figures(made)["length-bins"].axes[0].get_ylim()[1] == pytest.approx(1, abs=0.05)
    assert length_bins.figures(made)["length-bins"].axes[0].get_ylim()[0] == pytest.approx(0.55)


def test_a_figure_without_a_score_says_why(tmp_path):
    """Pearson's r of one pair, or of equal predictions, is undefined."""
    alike = recording(tmp_path, system="sick/constant", examples=pairs(np.arange(20.0), np.ones(20)))
    alone = recording(tmp_path, system="sick/gru", examples=pairs([3.0], [2.0]))
    known = recording(tmp_path, system="sick/lstm", examples=pairs(np.arange(20.0), np.arange(20.0)))
    said = []
    for source in (alike, alone, known):
        (axes,) = length_bins.figures(length_bins.tables([source]))["length-bins"].axes
        said.append([text.get_text().partition(":")[0] for text in axes.texts])
    assert said == [["Pearson's r is undefined in every bin"]] * 2 + [[]]


def test_a_pair_of_fourteen_words_on_the_mean_is_long(tmp_path):
    texts = [("a " * 13 + "a", "b " * 13 + "b")] * 20 + [("a " * 12 + "a", "b " * 13 + "b")] * 20
    gold = np.tile(np.arange(20.0), 2)
    sources = [
        recording(tmp_path, system=f"sick/{name}", examples=pairs(gold, gold, texts))
        for name in ("tree-gru", "attentive-tree-gru")
    ]
    lift = length_bins.tables(sources)["lift"].set_index("part")
    assert lift.examples.to_dict() == {"all": 40, "shorter than 14": 20, "14 and longer": 20}


def test_other_examples_are_refused(tmp_path):
    one = scored(tmp_path, "a", np.ones(40))
    other = recording(tmp_path, system="b", examples=pairs([1.0], [1.0]))
    with pytest.raises(InputError, match="other examples"):
        predictions([one, other])
    named_alike = recording(tmp_path, system="c", examples=pairs(np.zeros(40), np.ones(40)))
    with pytest.raises(InputError, match="other examples"):
        predictions([one, named_alike])
    folds = [recording(tmp_path, fold=fold, examples=pairs([1.0], [1.0])) for fold in (0, 1)]
    with pytest.raises(InputError, match=r"of another fold than .*; name runs of one fold"):
        predictions(folds)


def test_a_bin_has_the_spread_of_its_seeds():
    gold, of_seeds = np.array([1.0, 1.0, 0.0]), np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    predicted = {"x": dict(enumerate(of_seeds))}
    found = by_bin(gold, predicted, np.array([0, 0, 5]), np.array([1.0, 3.0, 5.0]), lambda a, b: np.mean(a == b))
    assert found.score.tolist() == [0.75, 0]
    assert found.sd.tolist() == pytest.approx([0.25 * 2**0.5, 0])  # n - 1
    assert found.place.tolist() == [2, 5]


def test_intervals_are_of_the_examples_of_their_bin_and_the_same_for_both_systems():
    gold, half = np.ones(20), np.repeat([1.0, 0.0], 10)
    found = by_bin(gold, {"x": {1: half}}, np.repeat([0, 5], 10), np.arange(20.0), overlap_bins.accuracy)
    assert found[["low", "high"]].to_numpy().tolist() == [[1, 1], [0, 0]]
    both = {"x": {1: half}, "y": {1: half}}
    (row,) = lifts(gold, both, {"x": "y"}, {"all": gold == 1}, overlap_bins.accuracy).itertuples()
    assert (row.low, row.difference, row.high) == (0, 0, 0)


GATES = {"tree-lstm": True, "tree-lstm-ungated": False, "attentive-tree-lstm": False, "attentive-tree-lstm-paper": True}


def test_an_attentive_system_is_compared_with_the_one_that_is_like_it(tmp_path):
    names = ("tree-gru", "attentive-tree-gru", "attentive-tree-gru-carry", "attentive-tree-gru-paper")
    sources = [recording(tmp_path, system=f"sick/{name}") for name in names]
    sources += [
        recording(tmp_path, system=f"sick/{name}", encoder={"output_gate": gate}) for name, gate in GATES.items()
    ]
    assert without_attention(sources) == {
        **{f"sick/{name}": "sick/tree-gru" for name in names[1:]},
        "sick/attentive-tree-lstm": "sick/tree-lstm-ungated",
        "sick/attentive-tree-lstm-paper": "sick/tree-lstm",
    }
    gated = [source for source in sources if not source.system.endswith("ungated")]
    assert without_attention(gated)["sick/attentive-tree-lstm"] == "sick/tree-lstm"
    alone = [source for source in sources if source.system == "sick/attentive-tree-lstm"]
    assert without_attention(alone) == {}


def test_a_lift_is_of_the_seeds_that_both_have(tmp_path):
    gold, noise = np.tile(np.arange(20.0), 2), np.random.default_rng(0).normal(0, 5, (3, 40))
    plain = [scored(tmp_path, "sick/tree-lstm", gold + noise[seed], seed, output_gate=True) for seed in (1, 2)]
    ours = [
        scored(tmp_path, "sick/attentive-tree-lstm-paper", gold + noise[seed] / 2, seed, output_gate=True)
        for seed in (0, 1, 2)
    ]
    lift = length_bins.tables([*plain, *ours])["lift"].set_index("part").loc["all"]
    by_seed = [pearson(gold, gold + noise[seed] / 2) - pearson(gold, gold + noise[seed]) for seed in (1, 2)]
    assert lift.seeds == 2
    assert lift.difference == pytest.approx(np.mean(by_seed))
    assert lift.sd == pytest.approx(np.std(by_seed, ddof=1))
    alone = length_bins.tables([plain[0], ours[0]])["lift"].set_index("part").loc["all"]
    assert alone.seeds == 0
    assert alone.difference == pytest.approx(pearson(gold, gold + noise[0] / 2) - pearson(gold, gold + noise[1]))


@pytest.mark.parametrize(("low", "high", "wanted"), [(0.7, 0.8, (0.55, 0.95)), (0.5, 0.96, (0.48, 0.98))])
def test_no_score_leaves_the_frame_and_no_interval_stretches_it(low, high, wanted):
    frame = DataFrame({"system": "a", "place": [1.0, 2.0], "score": [low, high], "low": [0.1, 0.7], "high": [0.9, 1.0]})
    (ax,) = binned_figure(frame, DataFrame(), "x", "y", (0.55, 0.95)).axes
    assert ax.get_ylim() == pytest.approx(wanted)
    (band,) = ax.collections
    assert {*band.get_paths()[0].vertices[:, 1].tolist()} == {0.1, 0.7, 0.9, 1.0}


def test_the_interval_of_a_single_bin_is_a_bar():
    frame = DataFrame({"system": "a", "place": [2.0], "score": [0.7], "low": [0.6], "high": [0.9]})
    (ax,) = binned_figure(frame, DataFrame(), "x", "y", (0.55, 0.95)).axes
    score, bar = ax.lines
    assert score.get_xydata().tolist() == [[2.0, 0.7]]
    assert bar.get_xydata().tolist() == [[2.0, 0.6], [2.0, 0.9]]
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["a"]


def test_accuracy_of_scores_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"gru.*: predicts scores, and accuracy wants classes"):
        overlap_bins.tables([scored(tmp_path, "sick/gru", np.linspace(1, 5, 40))])


def test_pairs_without_a_gold_value_are_refused(tmp_path):
    """As of a file without classes; none would be right."""
    shares = [[0.0, 1.0], [1.0, 0.0]]
    source = recording(tmp_path, examples=pairs([1.0, None], [1.0, 0.0], probabilities=shares))
    with pytest.raises(InputError, match="not of pairs with a gold value and a prediction each"):
        overlap_bins.tables([source])


def test_overlap_counts_different_ngrams():
    a, b = ["the", "cat", "sat", "on", "the", "mat"], ["the", "cat", "sat", "there"]
    # the, cat, sat; the cat, cat sat; the cat sat
    assert overlap_bins.overlap(a, b) == pytest.approx(50 * 6 / 5)
    assert overlap_bins.overlap(a, b, c=25, norm="total") == pytest.approx(25 * 6 / 10)
    assert overlap_bins.overlap(["The"], ["the"]) == 0


def test_accuracy_by_overlap(tmp_path):
    texts = [("a b c d", "a b c d")] * 30 + [("a b c d", "w x y z")] * 30
    gold = np.ones(60)
    wrong = np.where(np.arange(60) < 30, 1, 0)
    sources = [
        recording(tmp_path, system="msrp/tree-gru", examples=pairs(gold, wrong, texts)),
        recording(tmp_path, system="msrp/attentive-tree-gru", examples=pairs(gold, gold, texts)),
    ]
    for source in sources:
        source.about["labels"] = ["other", "paraphrase"]
    made = overlap_bins.tables(sources)
    bins = made["bins"].set_index(["system", "bin"]).score
    assert bins["msrp/tree-gru", 112] == 1
    assert bins["msrp/tree-gru", 0] == 0
    assert made["lift"].difference.tolist() == pytest.approx([0.5, 1.0, 0.0])
    assert overlap_bins.tables(sources, norm="total")["lift"].part.tolist()[1] == "overlap below 40"
    with pytest.raises(InputError, match="--norm most"):
        overlap_bins.tables(sources, norm="most")


def test_bins_of_overlap_are_two_wide(tmp_path):
    """By c = 3 and the total length two, three and four shared words of six overlap by 1, 2.5 and 4."""
    texts = [("a b c", "a x y")] * 20 + [("a b c", "a y c")] * 20 + [("a b c", "z b c")] * 20
    gold = np.ones(60)
    source = recording(tmp_path, system="msrp/gru", examples=pairs(gold, gold, texts))
    source.about["labels"] = ["other", "paraphrase"]
    places = [overlap_bins.overlap(a.split(), b.split(), 6, "total") for a, b in texts[::20]]
    assert places == [1, 2, 3]
    assert overlap_bins.tables([source], c=6, norm="total")["bins"].bin.tolist() == [0, 2]
    few = recording(tmp_path, system="msrp/few", examples=pairs(gold[:39], gold[:39], texts[:39]))
    few.about["labels"] = source.about["labels"]
    assert overlap_bins.tables([few], c=6, norm="total")["bins"].bin.tolist() == [0]  # nineteen are too few


def test_pairs_at_the_median_overlap_much(tmp_path):
    texts = [("a b c", "a x y")] * 10 + [("a b c", "a y c")] * 10 + [("a b c", "z b c")] * 10
    gold = np.ones(30)
    sources = [
        recording(tmp_path, system=f"msrp/{name}", examples=pairs(gold, gold, texts))
        for name in ("tree-gru", "attentive-tree-gru")
    ]
    for source in sources:
        source.about["labels"] = ["other", "paraphrase"]
    lift = overlap_bins.tables(sources, c=3)["lift"].set_index("part")
    assert lift.examples.to_dict() == {"all": 30, "overlap below 2": 10, "overlap from 2": 20}
    lift = overlap_bins.tables(sources, c=3.5)["lift"].set_index("part")
    assert lift.examples.to_dict() == {"all": 30, "overlap below 2.333": 10, "overlap from 2.333": 20}
    texts[20:] = [("a b c", "a b c")] * 10
    alike = recording(tmp_path, system="msrp/gru", examples=pairs(gold, gold, texts))
    attentive = recording(tmp_path, system="msrp/attentive-gru", examples=alike.examples)
    alike.about["labels"] = attentive.about["labels"] = ["other", "paraphrase"]
    lift = overlap_bins.tables([alike, attentive], c=3)["lift"].set_index("part")  # they overlap by 1, 2 and 6
    assert lift.examples.to_dict() == {"all": 30, "overlap below 2": 10, "overlap from 2": 20}
