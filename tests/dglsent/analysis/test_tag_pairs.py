from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from figure_reading import names
from made import recording, tree
from pandas import DataFrame, concat

from dglsent.analysis import tag_pairs
from dglsent.analysis.phrases import GATES, gates, phrases
from graphs.drawing.colour import INK
from graphs.errors import InputError

PAIRS = [("JJ", "NN"), ("DT", "NN"), ("NP", "VP"), ("IN", "NP")]


def nodes(count=400):
    """Trees of three nodes; every fourth is of each pair of tags."""
    trees = []
    for number in range(count):
        left, right = PAIRS[number % 4]
        trees.append(
            tree(
                number,
                [
                    (0, -1, 0, 2, f"l{number} r{number}", "NP", 1),
                    (1, 0, 0, 1, f"l{number}", left, 1),
                    (2, 0, 1, 2, f"r{number}", right, 1),
                ],
            )
        )
    return concat(trees, ignore_index=True)


def z_of(nodes):
    """Dimension 1 is large at JJ+NN alone, 2 is noise, 3 is largest (by absolute value) at DT+NN, downwards."""
    rng = np.random.default_rng(0)
    z = rng.normal(0, 1, (len(nodes), 3))
    pair = nodes.example.to_numpy() % 4
    z[pair == 0, 0] += 20
    z[pair == 1, 2] -= 20
    return z


def test_phrases_have_their_children_left_to_right():
    found = phrases(nodes(4).sample(frac=1, random_state=0))
    found = found.sort_values("example")
    assert found.pair.tolist() == ["JJ+NN", "DT+NN", "NP+VP", "IN+NP"]
    assert found.left.tolist() == ["l0", "l1", "l2", "l3"]


def test_a_phrase_of_three_parts_is_none_of_a_pair():
    leaves = [(number, 0, number - 1, number, "abc"[number - 1], "X", 1) for number in (1, 2, 3)]
    assert phrases(tree(0, [(0, -1, 0, 3, "a b c", "S", 1), *leaves])).empty


def test_a_dimension_that_stands_for_a_pair_is_found_and_noise_is_not():
    table = nodes()
    inner = phrases(table)
    z = z_of(table)[inner.row]
    found = tag_pairs.pair_dimensions(inner, *tag_pairs.large_nodes(z, "top", 0.1))
    assert found.pair[0] == "JJ+NN"
    assert found.purity.tolist()[0] == 1
    assert found.base[0] == 0.25
    assert found.lift[0] == 4
    assert found.large.tolist() == [40, 40, 40]
    assert found.purity[1] < 0.5
    assert found.mutual_information[0] > 5 * found.mutual_information[1]
    assert found.mutual_information_parent.tolist() == pytest.approx([0, 0, 0])  # all are NP
    of_two = inner.assign(tag=np.where(np.arange(len(inner)) % 4 == 0, "S", "NP"))
    told = tag_pairs.pair_dimensions(of_two, *tag_pairs.large_nodes(z, "top", 0.25))
    ln = np.log
    assert told.mutual_information_parent[0] == pytest.approx(-(0.25 * ln(0.25) + 0.75 * ln(0.75)))
    assert len(found.examples[0]) == 4
    absolute = tag_pairs.pair_dimensions(inner, *tag_pairs.large_nodes(z, "absolute", 0.1))
    assert absolute.pair[2] == "DT+NN"
    spread = tag_pairs.pair_dimensions(inner, *tag_pairs.large_nodes(z, "sd", 0.01))
    assert spread.large[0] < 100


def test_large_is_more_than_two_standard_deviations_above_the_mean():
    """One of n values lies sqrt(n - 1) of them above, the others being equal."""
    for count, large in ((4, 0), (6, 1), (9, 1)):
        z = np.zeros((count, 1))
        z[0] = 1
        assert tag_pairs.large_nodes(z, "sd", 0.01)[1].sum() == large


def test_permuted_tags_keep_nothing():
    codes = np.arange(4000) % 4
    marked = np.zeros((4000, 2), bool)
    marked[codes == 0, 0] = True
    control = tag_pairs.permuted(codes, marked, purity=0.5, least=20, times=20)
    assert control.kept.tolist() == [0] * 20
    assert control.purity_max.max() < 0.3


def test_the_control_counts_every_dimension():
    codes, marked = np.arange(100) % 2, np.zeros((100, 30), bool)
    marked[:40, 20:] = True
    shuffled = tag_pairs.permuted(codes, marked, purity=0.5, least=1, times=3)
    one = tag_pairs.permuted(codes, marked[:, 20:21], purity=0.5, least=1, times=3)
    assert shuffled.mutual_information.tolist() == pytest.approx((one.mutual_information / 3).tolist())


def test_a_rare_pair_is_not_kept_however_pure():
    codes, marked = np.zeros(30, int), np.ones((30, 1), bool)
    for least, kept in ((30, 1), (31, 0)):
        control = tag_pairs.permuted(codes, marked, purity=0.5, least=least, times=1)
        assert control.kept.tolist() == [kept]


def test_a_pair_that_half_of_the_large_phrases_have_is_kept(tmp_path):
    table = nodes(8)
    z = np.isin(table.example, [0, 1, 2, 4]).astype(float)[:, None]  # twice JJ+NN, and once two others
    source = recording(tmp_path, fields=["z_u"], nodes=table.assign(z_u=list(z)))
    for least, kept in ((2, True), (3, False)):
        (row,) = tag_pairs.tables([source], top=0.5, least=least, permutations=1)["dimensions"].itertuples()
        assert (row.pair, row.purity, row.kept) == ("JJ+NN", 0.5, kept)
    half = tag_pairs.permuted(np.zeros(2, int), np.ones((2, 1), bool), purity=1.0, least=2, times=1)
    assert half.kept.tolist() == [1]


def test_mutual_information_of_a_pair_that_decides():
    found = tag_pairs.mutual_information(np.array([[50, 25, 0], [0, 25, 0]]), np.array([50, 50]))
    assert found == pytest.approx([np.log(2), 0, 0])


def test_without_phrases_there_are_no_pairs(tmp_path):
    table = tree(0, [(0, -1, 0, 1, "l0", "NN", 1)])
    source = recording(tmp_path, fields=["z_u"], nodes=table.assign(z_u=[np.zeros(3)]))
    with pytest.raises(InputError, match="no phrase of two parts"):
        tag_pairs.tables([source])


def test_of_recordings(tmp_path):
    table = nodes()
    sources = [
        recording(tmp_path, seed=seed, fields=["z_u"], nodes=table.assign(z_u=list(z_of(table)))) for seed in (1, 2)
    ]
    made = tag_pairs.tables(sources, top=0.1, permutations=5)
    summary = made["summary"]
    assert summary.seed.tolist() == [1, 2]
    assert summary.kept.tolist() == [1, 1]
    assert summary.kept_permuted_max.tolist() == [0, 0]
    for row in summary.itertuples():
        control, dimensions = (made[name][made[name].seed == row.seed] for name in ("control", "dimensions"))
        assert row.kept_permuted_mean == control.kept.mean()
        assert row.purity_permuted_max == control.purity_max.max()
        assert row.mutual_information_permuted == pytest.approx(control.mutual_information.mean())
        assert row.purity_max == dimensions.purity.max() == 1
    assert summary.of_the_paper.tolist() == ["JJ+NN", "JJ+NN"]
    assert len(made["dimensions"]) == 6
    assert list(tag_pairs.figures(made)) == ["tag-pairs"]
    with pytest.raises(InputError, match="--large most: give top, absolute or sd"):
        tag_pairs.tables(sources, large="most")


def test_each_pair_is_drawn_with_its_best_dimension():
    dimensions = DataFrame(
        [
            (1, "JJ+NN", 0.5, 2.0, True, ["old film"]),
            (2, "JJ+NN", 0.9, 3.6, True, ["new, long film", "good film"]),
            (3, "DT+NN", 0.7, 2.8, True, ["the film"]),
            (4, "NP+PP", 0.4, 4.0, False, ["film of it"]),
        ],
        columns=["dimension", "pair", "purity", "lift", "kept", "examples"],
    ).assign(system="sst/tg", seed=1, gate="", base=0.25)
    (figure,) = tag_pairs.figures({"dimensions": dimensions, "control": DataFrame({"purity_max": [0.3]})}).values()
    (bars, *_) = figure.axes[0].containers
    assert names(figure.axes[0]) == ["4  NP+PP", "3  DT+NN", "2  JJ+NN"]  # the best on top
    assert [text.get_text() for text in figure.axes[0].texts] == ["film of it", "the film", "new, long film"]
    assert [bar.get_width() for bar in bars] == [0.4, 0.7, 0.9]
    assert [bar.get_alpha() for bar in bars] == [0.35, 1, 1]
    assert figure.get_label().endswith("Pale ones are of dimensions that stand for no pair.")
    (shares,) = (line for line in figure.axes[0].lines if line.get_label() == "share among all phrases")
    assert shares.get_color() == INK  # printed in grey, any other colour is that of the bars


def test_gates_are_named(tmp_path):
    hyper = {"model": "TagGuidedHyperTreeLSTM"}
    assert gates(recording(tmp_path, **hyper), 10) == [(gate, number) for gate in GATES for number in (1, 2)]
    shared = recording(tmp_path, seed=2, encoder={"z_scope": "shared"}, **hyper)
    assert gates(shared, 10) == gates(recording(tmp_path, seed=3), 10) == [("", number) for number in range(1, 11)]


def test_the_page_names_the_gates_in_the_order_of_their_dimensions():
    page = Path(__file__).parents[3] / "docs" / "structures.md"
    assert f"5 gates ({', '.join(GATES[:-1])} and {GATES[-1]})" in page.read_text(encoding="utf-8")


def test_examples_are_those_that_are_largest_as_large_is_meant():
    table = nodes()
    inner = phrases(table)
    z = np.zeros((len(inner), 1))
    z[:8, 0] = [1, 2, 3, -9, 4, 5, 6, -8]  # two of IN+NP are the largest, downwards
    (found,) = tag_pairs.pair_dimensions(inner, *tag_pairs.large_nodes(z, "absolute", 2 / len(inner))).itertuples()
    assert (found.pair, found.examples) == ("IN+NP", ["l3+r3", "l7+r7"])
    z[[11, 15], 0] = 20, -30
    (found,) = tag_pairs.pair_dimensions(inner, *tag_pairs.large_nodes(z, "absolute", 4 / len(inner))).itertuples()
    assert found.examples == ["l15+r15", "l11+r11", "l3+r3", "l7+r7"]


def test_dimensions_stand_by_lift_and_purity(tmp_path):
    table = nodes()
    z = z_of(table)[:, [1, 0, 2]]  # noise first
    source = recording(tmp_path, fields=["z_u"], nodes=table.assign(z_u=list(z)))
    found = tag_pairs.tables([source], top=0.1, permutations=2)["dimensions"]
    assert found.dimension.iloc[0] == 2
    assert (found.lift * found.purity).is_monotonic_decreasing


def test_examples_share_a_word_where_no_others_are_left():
    """The paper's examples of IN+NP share "in", and one of them is long."""
    last = "this stylistic experiment that goes on and on"
    right = ["a mess of purposeless violence", "the time", "life", "life", last]
    found = tag_pairs.different(["in", "of", "in", "in", "in"], right)
    assert found == ["in+a mess of purposeless violence", "of+the time", "in+life", f"in+{last}"]
    long = f"{last} and on and on"
    assert tag_pairs.different(["in", "with"], [long, "style"]) == ["with+style", f"in+{long}"]
    assert tag_pairs.different(list("abcde"), list("vwxyz")) == ["a+v", "b+w", "c+x", "d+y"]


def test_a_dimension_without_large_phrases_stands_for_no_pair(tmp_path):
    """And not for that of the first phrase."""
    table = nodes(8)
    z = np.zeros((len(table), 2))
    z[np.flatnonzero(table.parent < 0)[-1], 0] = 1
    source = recording(tmp_path, fields=["z_u"], nodes=table.assign(z_u=list(z)))
    made = tag_pairs.tables([source], large="sd", permutations=1)
    found = made["dimensions"].set_index("dimension")
    assert found.pair.to_dict() == {1: "IN+NP", 2: ""}
    assert found.large.tolist() == [1, 0]
    assert found.pair_count.tolist() == [2, 0]
    assert found[["base", "lift"]].isna().all(axis=1).tolist() == [False, True]
    (figure,) = tag_pairs.figures(made).values()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["1  IN+NP"]
