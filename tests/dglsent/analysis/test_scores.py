"""Tables of results: each beside the published one, and what is compared in it."""

from __future__ import annotations

import pytest
from figure_reading import marks, names, panel
from made import run

from dglsent.analysis import (
    attention_lift,
    attribute_results,
    composition_results,
    duplicate_results,
    pair_results,
    structure_results,
    window_ablations,
)
from dglsent.analysis.analyse import write_tables
from dglsent.analysis.scores import positive_share
from graphs.errors import InputError


def accuracies(**values):
    """Runs of systems "corpus__variant" with accuracies of seeds 1, 2, ..."""
    return [
        run(name.replace("__", "/").replace("_", "-"), seed, {"accuracy": value})
        for name, of_seeds in values.items()
        for seed, value in enumerate(of_seeds, 1)
    ]


def test_beside_the_published_and_kinds_of_fusion():
    runs = accuracies(
        sst__tg_hrecnn_concat=[0.50, 0.52], sst__tg_hrecnn_multi=[0.53, 0.51], sst__recnn=[0.4], nowhere__x=[0.1]
    )
    made = composition_results.tables(runs)
    results = made["results"].set_index("system")
    assert results.table.unique().tolist() == ["sst1"]
    assert results.ours["sst/tg-hrecnn-concat"] == pytest.approx(51)
    assert results.sd["sst/tg-hrecnn-concat"] == pytest.approx(2**0.5)
    assert results.published["sst/recnn"] == 43.2
    assert results.difference["sst/recnn"] == pytest.approx(40 - 43.2)
    fusion = made["fusion"].iloc[0]
    assert (fusion.network, fusion.seeds) == ("tg-hrecnn", 2)
    assert fusion.difference == pytest.approx(0.01)
    assert fusion.difference_sd == pytest.approx(0.04 / 2**0.5)
    assert list(composition_results.figures(made)) == ["composition-results"]


def test_a_million_parameters_keep_all_digits(tmp_path):
    made = composition_results.tables([run("sst/recnn", 1, {"accuracy": 0.4}, parameters=1234567)])
    write_tables(made, tmp_path)
    assert (tmp_path / "parameters.csv").read_text() == "system,parameters\nsst/recnn,1234567\n"


def test_kinds_of_fusion_are_compared_over_the_seeds_that_both_have():
    runs = accuracies(trec__tg_hrecnn_concat=[0.5, 0.8], trec__tg_hrecnn_multi=[0.6], sst__tg_hrecnn_multi=[0.1])
    (fusion,) = composition_results.tables(runs)["fusion"].itertuples()
    assert (fusion.corpus, fusion.seeds) == ("trec", 1)
    assert (fusion.concat, fusion.multi) == (0.5, 0.6)
    assert fusion.difference == pytest.approx(0.1)


def folds(system, values):
    """Runs of seeds 1, 2, ... with accuracies of folds 0, 1, ..."""
    return [
        run(system, seed, {"accuracy": value}, fold=fold, parameters=10 + fold)
        for seed, of_folds in enumerate(values, 1)
        for fold, value in enumerate(of_folds)
    ]


def test_a_seed_counts_with_the_mean_of_its_folds():
    runs = folds("mr/tg-hrecnn-concat", [[0.6, 0.8], [0.7, 0.9]]) + folds(
        "mr/tg-hrecnn-multi", [[0.5, 0.5, 0.8], [0.6] * 3]
    )
    made = composition_results.tables(runs)
    results = made["results"].set_index("system")
    assert results.ours.to_dict() == pytest.approx({"mr/tg-hrecnn-concat": 75, "mr/tg-hrecnn-multi": 60})
    assert results.sd["mr/tg-hrecnn-concat"] == pytest.approx(100 * 0.1 / 2**0.5)
    assert results.seeds.to_dict() == {"mr/tg-hrecnn-concat": 2, "mr/tg-hrecnn-multi": 2}
    assert results.folds.to_dict() == {"mr/tg-hrecnn-concat": 2, "mr/tg-hrecnn-multi": 3}
    assert results.parameters["mr/tg-hrecnn-concat"] == 10
    fusion = made["fusion"].iloc[0]
    assert (fusion.seeds, fusion.difference) == (2, pytest.approx(-0.15))
    with pytest.raises(InputError, match=r"mr/recnn/seed-2: without fold 1, which another seed of mr/recnn has"):
        composition_results.tables(folds("mr/recnn", [[0.6, 0.8], [0.7]]))
    with pytest.raises(InputError, match=r"mr/recnn/seed-3: without fold 0"):
        composition_results.tables([*folds("mr/recnn", [[0.6, 0.8]]), run("mr/recnn", 3, {"accuracy": 0.5})])


def binary(share, right_positive, right_negative):
    """Scores of a split of which `share` is positive, and of it such shares are found."""
    positive, false = share * right_positive, (1 - share) * (1 - right_negative)
    precision = positive / (positive + false)
    f1 = 2 * precision * right_positive / (precision + right_positive)
    accuracy = positive + (1 - share) * right_negative
    return {"accuracy": accuracy, "precision": precision, "recall": right_positive, "f1": f1}


def test_scores_tell_the_share_of_positives_and_the_majority():
    scores = binary(0.665, 0.8, 0.6)
    assert positive_share(scores["accuracy"], scores["precision"], scores["recall"]) == pytest.approx(0.665)
    runs = [run("msrp/tree-gru", 1, scores), run("msrp/attentive-tree-gru", 1, binary(0.665, 0.85, 0.6))]
    runs.append(run("msrp/attentive-tree-gru-carry", 1, binary(0.665, 0.9, 0.6)))
    runs.append(run("msrp/attentive-tree-gru-paper", 1, binary(0.665, 0.7, 0.6)))
    made = pair_results.tables(runs)
    majority = made["majority"].set_index("split").loc["test"]
    assert majority.accuracy == pytest.approx(0.665)
    assert majority.f1 == pytest.approx(0.7988, abs=1e-4)
    assert made["lift"].base.unique().tolist() == ["msrp/tree-gru"]
    lift = made["lift"].set_index(["variant", "score"]).difference
    assert lift["attentive-tree-gru", "recall"] == pytest.approx(0.05)
    assert lift["attentive-tree-gru-carry", "recall"] == pytest.approx(0.1)
    assert lift["attentive-tree-gru-paper", "recall"] == pytest.approx(-0.1)
    assert list(pair_results.figures(made)) == ["pair-results"]


def test_the_share_of_positives_is_that_of_the_middle_run():
    runs = [run("msrp/gru", seed, binary(share, 0.8, 0.6)) for seed, share in enumerate((0.66, 0.67, 0.75), 1)]
    assert pair_results.tables(runs)["majority"].share.tolist() == pytest.approx([0.67, 0.67])


def test_scores_of_tags_tell_no_share():
    chunks = {"accuracy": 0.95, "precision": 0.9, "recall": 0.92, "f1": 0.91}
    taggers = [run("conll2000/bilstm", seed, chunks, task=task) for seed, task in ((1, "Tagging"), (2, "a.Tagging"))]
    made = pair_results.tables([*taggers, run("msrp/gru", 1, binary(0.66, 0.8, 0.6))])
    assert made["majority"].corpus.unique().tolist() == ["msrp"]
    assert pair_results.tables(taggers)["majority"].empty


@pytest.mark.parametrize(("share", "f1"), [(0.5 - 1e-7, 2 / 3), (0.5 + 1e-7, 2 / 3), (0.499, 0)])
def test_of_halves_the_answer_that_scores_more_counts(share, f1):
    found = pair_results.tables([run("quora/gru", 1, binary(share, 0.8, 0.6))])["majority"]
    assert found.f1.tolist() == pytest.approx([f1, f1])


def test_duplicates():
    of_splits = {"test": binary(0.37, 0.7, 0.9), "dev": binary(0.37, 0.8, 0.9)}
    made = duplicate_results.tables([run("quora/bilstm", seed, **of_splits) for seed in (1, 2)])
    assert made["share"].share.tolist() == pytest.approx([0.37, 0.37])
    assert made["scores"].set_index("score").value["recall"] == pytest.approx(0.7)
    assert made["results"].score.iloc[0] == "accuracy"
    drawn = duplicate_results.figures(made)
    assert list(drawn) == ["duplicate-results"]
    scores = {score: round(value, 3) for score, value in of_splits["test"].items()}
    assert len({*scores.values()}) == 4
    for score, value in scores.items():
        of_score = panel(drawn["duplicate-results"], {"f1": "F1"}.get(score, score))
        assert marks(of_score)["ours"] == {"bilstm": value}
        all_called = [line for line in of_score.lines if line.get_label() == "all called duplicates"]
        wanted = {"accuracy": 0.37, "f1": 2 * 0.37 / 1.37}.get(score)
        assert [line.get_xdata()[0] for line in all_called] == pytest.approx([wanted] if wanted else [])
    assert made["scores"].set_index("score").published["recall"] == 0.7089


def test_duplicates_stand_by_structure_and_attention():
    given = ("dependency", "bilstm-progressive", "own", "bilstm", "bilstm-decomposable")
    made = duplicate_results.tables([run(f"quora/{name}", 1, {"accuracy": 0.7}) for name in given])
    (figure,) = duplicate_results.figures(made).values()
    assert names(figure.axes[0]) == ["bilstm", "bilstm-decomposable", "bilstm-progressive", "dependency", "own"]


def test_attributes_against_the_base():
    runs = accuracies(trec__cn3=[0.90, 0.92], trec__cn3_dependency=[0.93, 0.93], trec__cn3_pos=[0.90])
    made = attribute_results.tables(runs)
    for split in ("test", "dev"):
        found = made["differences"][made["differences"].split == split].set_index("variant")
        assert found.difference.to_dict() == pytest.approx({"cn3": 0, "cn3-dependency": 0.02, "cn3-pos": 0})
        assert found.seeds.to_dict() == {"cn3": 2, "cn3-dependency": 2, "cn3-pos": 1}
    (figure,) = attribute_results.figures(made).values()
    assert names(figure.axes[0]) == ["cn3-dependency", "cn3-pos"]
    one_seed = attribute_results.tables([each for each in runs if each.seed == 1])
    (figure,) = attribute_results.figures(one_seed).values()
    assert names(figure.axes[0]) == ["cn3-dependency", "cn3-pos"]
    test, dev = {"accuracy": 0.93}, {"accuracy": 0.97}
    both = [run("trec/cn3", 1, {"accuracy": 0.9}), run("trec/cn3-pos", 1, test, dev)]
    (figure,) = attribute_results.figures(attribute_results.tables(both)).values()
    assert marks(figure.axes[0]) == {"test": {"cn3-pos": 3.0}, "dev": {"cn3-pos": 7.0}}
    assert figure.axes[0].get_xlabel() == "points over cn3"
    structures = structure_results.tables(runs)
    assert structures["results"].table.unique().tolist() == ["cn3-trec"]
    assert list(structure_results.figures(structures)) == ["structure-results"]


def test_windows_against_the_full_network():
    runs = accuracies(
        pmb__lstm=[0.9], pmb__lstm_plain=[0.88], pmb__stacked_bilstm=[0.95], pmb__stacked_bilstm_plain=[0.93]
    )
    made = window_ablations.tables(runs)
    found = made["differences"].set_index("variant")
    assert found.base["stacked-bilstm-plain"] == "stacked-bilstm"
    assert found.difference["lstm-plain"] == pytest.approx(-0.02)
    assert found.difference["stacked-bilstm"] == 0
    assert list(window_ablations.figures(made)) == ["window-ablations"]
    on_dev = [
        run(f"pmb/{name}", 1, {"accuracy": 0.5}, {"accuracy": value})
        for name, value in (("lstm", 0.9), ("lstm-plain", 0.8))
    ]
    assert window_ablations.tables(on_dev)["differences"].difference.tolist() == pytest.approx([-0.1, 0])


def test_a_variant_of_a_variant_is_compared_with_the_full_network():
    runs = accuracies(pmb__lstm=[0.9], pmb__lstm_cnn=[0.8], pmb__lstm_cnn_plain=[0.75])
    found = window_ablations.tables(runs)["differences"].set_index("variant")
    assert found.base.unique().tolist() == ["lstm"]
    assert found.difference.to_dict() == pytest.approx({"lstm": 0, "lstm-cnn": -0.1, "lstm-cnn-plain": -0.15})


def test_a_corpus_without_the_full_network_is_compared_with_what_it_has():
    runs = accuracies(pmb__lstm=[0.9], pmb__lstm_cnn=[0.8], pmb__lstm2=[0.8])
    runs += accuracies(ccg__lstm_cnn=[0.7], ccg__lstm_cnn_plain=[0.65])
    found = window_ablations.tables(runs)["differences"].set_index(["corpus", "variant"])
    assert found.difference["ccg"].to_dict() == pytest.approx({"lstm-cnn": 0, "lstm-cnn-plain": -0.05})
    assert found.base["pmb"].to_dict() == {"lstm": "lstm", "lstm-cnn": "lstm", "lstm2": "lstm2"}  # not all that goes on


def related(pearson, mse):
    return {"pearson": pearson, "spearman": pearson, "mse": mse}


def test_errors_are_compared_on_the_published_scale():
    """MSRpar's scores are learnt from 1 to 5 and published from 0 to 5."""
    runs = [run("msrpar/bilstm", 1, related(0.4, 0.5184)), run("msrpar/bilstm-progressive", 1, related(0.5, 0.4))]
    made = attention_lift.tables(runs)
    mse = made["results"].set_index(["system", "score"]).loc[("msrpar/bilstm", "MSE")]
    assert (mse.ours, mse.published, mse.difference) == pytest.approx((0.81, 0.8098, 0.0002))
    lift = made["lifts"].set_index("score").loc["mse"]
    assert (lift.lift, lift.published) == pytest.approx((-0.1184, (0.6758 - 0.8098) / 1.5625))


def test_what_attention_adds_to_each_structure():
    runs = []
    for seed in (1, 2):
        for structure, lift in (("bilstm", 0.03), ("constituency", 0.02), ("dependency", 0.01 * seed)):
            runs.append(run(f"sick/{structure}", seed, related(0.8, 0.3)))
            runs.append(run(f"sick/{structure}-progressive", seed, related(0.8 + lift, 0.3 - lift)))
    made = attention_lift.tables(runs)
    lifts = made["lifts"].set_index(["score", "structure"]).lift
    assert lifts["pearson", "bilstm"] == pytest.approx(0.03)
    assert lifts["mse", "dependency"] == pytest.approx(-0.015)
    (figure,) = attention_lift.figures(made).values()
    assert marks(panel(figure, "sick"))["progressive"] == {
        "bilstm": 0.03,
        "constituency": 0.02,
        "dependency": 0.015,
    }
    assert made["lifts"].set_index(["score", "structure"]).published["pearson", "bilstm"] == pytest.approx(
        0.8550 - 0.8398
    )
    ours = made["results"].set_index(["system", "score"]).ours
    assert ours["sick/bilstm-progressive", "Pearson r"] == pytest.approx(0.83)  # no percentage
    assert made["order"].as_paper.all()
    assert len(made["order"]) == 3
    for other in ({"bilstm": 0.01}, {"dependency": 0.025}):
        lifts = {"bilstm": 0.03, "constituency": 0.02, "dependency": 0.01, **other}
        runs = [run(f"sick/{structure}", 1, related(0.8, 0.3)) for structure in lifts]
        runs += [run(f"sick/{name}-progressive", 1, related(0.8 + lift, 0.3 - lift)) for name, lift in lifts.items()]
        assert not attention_lift.tables(runs)["order"].as_paper.any()
    assert list(attention_lift.figures(made)) == ["attention-lift"]


def test_attributes_are_compared_by_the_first_score():
    runs = [run(f"sick/{name}", 1, related(value, 0.3)) for name, value in (("cn3", 0.8), ("cn3-pos", 0.85))]
    found = attribute_results.tables(runs)["differences"]
    assert found.score.unique().tolist() == ["pearson"]
