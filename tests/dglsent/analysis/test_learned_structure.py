from __future__ import annotations

import numpy as np
import pytest
from figure_reading import cells, panel
from made import dense, pairs, recording, words
from pandas import DataFrame, concat

from dglsent.analysis import attribute_effect, learned_structure, word_attention
from dglsent.analysis.pictures import panels
from graphs.errors import InputError

HEADS = [1, 2, -1, 2]
LED = {"edges": ["distance", "relation"]}


def attending(share, size=4, heads=HEADS):
    """Every word gives `share` to its head (the root to its first dependent), and the rest evenly to all others."""
    matrix = np.full((size, size), (1 - share) / (size - 1))
    for word, head in enumerate(heads):
        matrix[word, head if head >= 0 else 1] = share
    return matrix


def source(tmp_path, matrix, system="trec/cn3", predicted=(1.0, 0.0), **options):
    text = "what is a birthday"
    nodes = concat([words(0, text, HEADS), words(1, text, HEADS)], ignore_index=True)
    edges = concat([dense(0, matrix), dense(1, matrix)], ignore_index=True)
    examples = pairs([1.0, 1.0], predicted, [(text, None)] * 2)
    fields = ["complete.attention_1"]
    return recording(tmp_path, system=system, fields=fields, nodes=nodes, edges=edges, examples=examples, **options)


def test_shares_beside_their_controls(tmp_path):
    made = learned_structure.tables([source(tmp_path, attending(0.7))])
    shares = made["shares"].set_index("on")
    # Neighbours of each word: its head and its dependents.
    wanted = np.mean([0.7, 0.7 + 0.1, 0.7 + 0.1, 0.7])
    assert shares.share["dependency neighbours"] == pytest.approx(wanted)
    assert shares.uniform["dependency neighbours"] == pytest.approx(6 / 16)
    assert shares.uniform["itself"] == pytest.approx(0.25)
    assert shares.low["dependency neighbours"] <= wanted <= shares.high["dependency neighbours"]
    # By popularity every word gives what its hearers give on the mean: a quarter goes back to each word itself.
    assert shares.popularity["itself"] == pytest.approx(0.25)
    assert shares.beyond_popularity["itself"] == pytest.approx(0.1 - 0.25)
    for beyond in ("beyond_position", "beyond_popularity"):
        assert (shares[f"{beyond}_low"] <= shares[beyond] + 1e-12).all()
        assert (shares[beyond] <= shares[f"{beyond}_high"] + 1e-12).all()
    even = -(0.7 * np.log(0.7) + 3 * 0.1 * np.log(0.1))
    (entropy,) = made["entropy"].itertuples()
    assert (entropy.entropy, entropy.log_n, entropy.ratio) == pytest.approx((even, np.log(4), even / np.log(4)))
    assert entropy.hub == pytest.approx(0.4)  # what "is" gets: 0.7 of two words, 0.1 of two
    weights = made["weights"]
    assert len(weights) == 16
    assert weights.groupby("receiver").attention_1.sum().tolist() == pytest.approx([1] * 4)
    drawn = learned_structure.figures(made)
    assert set(drawn) == {"shares", "distance", "sentence-trec-cn3"}
    shown = cells(panel(drawn["sentence-trec-cn3"], "layer 1"))
    assert shown["birthday", "a"] == 0.7  # the row listens
    assert shown["a", "birthday"] == 0.1
    assert panel(drawn["sentence-trec-cn3"], "layer 1").images[0].get_clim() == (0, 0.7)
    assert drawn["sentence-trec-cn3"].get_label() == "Drawn: trec/cn3, seed 1."


def test_a_layer_stands_at_the_mean_of_its_runs_between_the_least_and_the_most(tmp_path):
    shares = enumerate((0.2, 0.3, 0.7), 1)
    sources = [source(tmp_path, attending(share, heads=range(4)), seed=seed) for seed, share in shares]
    ax = panel(learned_structure.figures(learned_structure.tables(sources))["shares"], "itself")
    middle, _, (bar,) = ax.containers[0]
    assert middle.get_ydata().tolist() == pytest.approx([0.4])
    assert bar.get_segments()[0][:, 1].tolist() == pytest.approx([0.2, 0.7])


def test_no_curve_leaves_the_frame(tmp_path):
    near = source(tmp_path, np.full((4, 4), 0.25), "trec/even")
    far = source(tmp_path, attending(0.97, heads=range(4)), "trec/sharp")
    axes = learned_structure.figures(learned_structure.tables([near, far]))["distance"].axes
    highest = max(max(line.get_ydata()) for ax in axes for line in ax.lines)
    assert highest > 3
    assert all(ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= highest for ax in axes)


def test_weights_by_position_are_explained_by_position(tmp_path):
    place = np.arange(4)
    matrix = np.exp(-np.abs(place[:, None] - place))
    matrix /= matrix.sum(1, keepdims=True)
    edges = word_attention.word_edges(source(tmp_path, np.full((4, 4), 0.25)))
    even = word_attention.by_position(edges, edges.attention_1.to_numpy())
    assert even.tolist() == pytest.approx([0.25] * 32)
    shares = learned_structure.tables([source(tmp_path, matrix, "near")])["shares"].set_index("on")
    assert abs(shares.beyond_position["dependency neighbours"]) < 0.02
    strengths = learned_structure.distances(word_attention.word_edges(source(tmp_path, matrix, "n")), "attention_1")
    by_offset = strengths.set_index("offset").strength
    assert by_offset[0] > by_offset[1] > by_offset[2] > by_offset[3]


def test_neighbours_that_are_not_next():
    """The first and the last word hang on words two away."""
    heads = [2, 2, -1, 1]
    edges = word_attention.describe(dense(0, attending(0.7, heads=heads)), words(0, "a b c d", heads))
    share = learned_structure.shares(edges, "attention_1").set_index("on").share
    assert share["neighbours not next"] == pytest.approx(0.7 / 4 * 2 + 0.1 / 4 * 2)
    assert share["next words"] == pytest.approx((0.1 + 0.8 + 0.8 + 0.1) / 4)


def test_pairs_of_words(tmp_path):
    one = source(tmp_path, attending(0.7))
    found = learned_structure.pairs(word_attention.word_edges(one), one.nodes, "attention_1", least=2, top=3)
    strongest = set(zip(found.receiver, found.sender, strict=True))
    # Three are as strong; ("what", "is") is too, and the last of equal ones in the order of the words.
    assert strongest == {("a", "is"), ("birthday", "a"), ("is", "a")}
    assert found.score.iloc[0] == pytest.approx(np.log(0.7 * 4))
    rare = learned_structure.pairs(word_attention.word_edges(one), one.nodes, "attention_1", least=3)
    assert rare.empty


def test_sentences_of_other_lengths_count_alike():
    """All words of four, and of two, listen to all alike."""
    nodes = concat([words(0, "what is a birthday", HEADS), words(1, "what now", [-1, 0])], ignore_index=True)
    edges = concat([dense(0, np.full((4, 4), 1 / 4)), dense(1, np.full((2, 2), 1 / 2))], ignore_index=True)
    edges = word_attention.describe(edges, nodes)
    weights = edges.attention_1.to_numpy()
    assert word_attention.by_position(edges, weights).tolist() == pytest.approx(weights.tolist())
    strengths = learned_structure.distances(edges, "attention_1").set_index("offset").strength
    assert strengths.to_dict() == pytest.approx(dict.fromkeys(range(-3, 4), 1))
    (row,) = learned_structure.entropies(edges, "attention_1").itertuples()
    assert (row.hub, row.hub_even) == pytest.approx(((1 / 4 + 1 / 2) / 2,) * 2)


def test_weight_is_told_up_to_twelve_words_away():
    nodes = words(0, " ".join("abcdefghijklmn"), [*range(1, 14), -1])
    edges = word_attention.describe(dense(0, np.full((14, 14), 1 / 14)), nodes)
    assert learned_structure.distances(edges, "attention_1").offset.tolist() == [*range(-12, 13)]


def test_a_pair_of_words_counts_once_a_sentence():
    nodes = concat([words(0, "a dog a dog", HEADS), words(1, "a dog", [1, -1])], ignore_index=True)
    edges = concat([dense(0, attending(0.7)), dense(1, attending(0.7, 2, [1, 0]))], ignore_index=True)
    found = learned_structure.pairs(word_attention.describe(edges, nodes), nodes, "attention_1", least=1)
    assert found.set_index(["receiver", "sender"]).sentences.to_dict() == {("a", "dog"): 2, ("dog", "a"): 2}


def test_both_sentences_of_a_pair_count():
    nodes = concat([words(0, "a dog", [1, -1], side) for side in (0, 1)], ignore_index=True)
    edges = concat([dense(0, attending(0.7, 2, [1, 0]), sentence=side) for side in (0, 1)], ignore_index=True)
    found = learned_structure.pairs(word_attention.describe(edges, nodes), nodes, "attention_1", least=2)
    assert found.sentences.tolist() == [2, 2]


def test_weight_is_summed_sentence_by_sentence():
    """As the mean over its words; the last weight is masked."""
    edges = DataFrame({"example": [0, 0, 1, 0, 1], "sentence": [0, 1, 0, 0, 0], "length": [2, 1, 4, 2, 4]})
    weights, mask = np.array([0.1, 0.2, 0.4, 0.7, 0.8]), np.arange(5) < 4
    assert word_attention.mass(edges, weights, mask).tolist() == pytest.approx([0.4, 0.2, 0.1])


def test_strongest_others():
    found = word_attention.strongest_others(attending(0.7))
    assert found == [(1, 0, 0.7), (2, 1, 0.7), (1, 2, 0.7), (2, 3, 0.7)]
    assert word_attention.strongest_others(attending(0.7, heads=range(4))) == []  # each listens to itself
    weights = np.eye(10)
    weights[0, :5] = 0.3, 0.25, 0.22, 0.21, 0.02
    assert [sender for sender, _, _ in word_attention.strongest_others(weights)] == [
        1,
        2,
        3,
    ]  # it is none of the three


def test_an_attribute_that_leads_to_the_parse(tmp_path):
    plain = source(tmp_path, np.full((4, 4), 0.25) + 0.01 * np.eye(4), predicted=(1.0, 0.0))
    led = source(tmp_path, attending(0.7), "trec/led", predicted=(1.0, 1.0), encoder=LED)
    for each in (plain, led):
        each.about["labels"] = ["no", "yes"]
    made = attribute_effect.tables([plain, led])
    assert made["cases"].id.tolist() == ["test-001"]
    labels = ["gold_label", "predicted_without_label", "predicted_with_label"]
    assert made["cases"][labels].to_numpy().tolist() == [["yes", "no", "yes"]]
    found = made["correlation"].set_index("system")
    assert found.correlation["trec/led"] > 0.6
    assert np.isnan(found.correlation["trec/cn3"]) or abs(found.correlation["trec/cn3"]) < 0.1
    assert made["weights"].system.unique().tolist() == ["trec/cn3", "trec/led"]
    drawn = attribute_effect.figures(made)
    assert set(drawn) == {"sentence", "correlation"}
    difference = cells(panel(drawn["sentence"], "difference"))
    assert difference["birthday", "a"] == 0.45
    assert difference["a", "birthday"] == -0.15
    assert drawn["sentence"].get_label() == "Drawn: trec/cn3, seed 1; trec/led, seed 1."
    titles = [ax.get_title() for ax in drawn["sentence"].axes[3:5]]
    assert titles == ["trec/cn3, seed 1: said no, gold yes", "trec/led, seed 1: said yes, gold\nyes"]
    with pytest.raises(InputError, match="none of the runs given have dependencies as attributes"):
        attribute_effect.tables([plain])
    with pytest.raises(InputError, match="all of the runs given have dependencies as attributes"):
        attribute_effect.tables([led, led])
    led.examples["id"] = ["test-001", "test-000"]
    with pytest.raises(InputError, match="other examples than"):
        attribute_effect.tables([plain, led])


def of_lengths(tmp_path, lengths, system, **options):
    """Sentences of so many words, of which each has the one on its left as its head; all gold is 1."""
    matrix = {size: attending(0.9, size, [-1, *range(size - 1)]) for size in lengths}
    texts = [" ".join("abcdefghijklmnopqrst"[:size]) for size in lengths]
    nodes = [words(number, text, [-1, *range(len(text.split()) - 1)]) for number, text in enumerate(texts)]
    edges = [dense(number, matrix[size]) for number, size in enumerate(lengths)]
    examples = pairs([1.0] * len(lengths), texts=[(text, None) for text in texts], **options.pop("columns"))
    tables = {"nodes": concat(nodes, ignore_index=True), "edges": concat(edges, ignore_index=True)}
    return recording(tmp_path, system=system, fields=["complete.attention_1"], examples=examples, **tables, **options)


@pytest.mark.parametrize(("lengths", "drawn"), [((4, 15, 6, 5), 6), ((4, 5, 6), 5), ((4, 14, 5), 14), ((4, 15, 3), 4)])
def test_of_the_cases_the_first_of_usual_length_is_drawn(lengths, drawn, tmp_path):
    wrong, right = ({"predicted": [one] * len(lengths)} for one in (0.0, 1.0))
    plain = of_lengths(tmp_path, lengths, "trec/cn3", columns=wrong)
    made = attribute_effect.tables([plain, of_lengths(tmp_path, lengths, "trec/led", columns=right, encoder=LED)])
    assert len(made["cases"]) == len(lengths)
    assert made["weights"].receiver.max() == drawn - 1


def test_a_case_that_is_a_pair_is_named_by_both_sentences():
    texts = [("a dog", "a cat"), ("a man", "a boy")]
    found = attribute_effect.only_one_right(pairs([1.0, 0.0], [0.0, 0.0], texts), pairs([1.0, 0.0], [1.0, 1.0], texts))
    assert found[["text", "other"]].to_numpy().tolist() == [["a dog", "a cat"]]


def test_cases_among_examples_without_names_are_told_apart():
    """As a corpus of one's own may have them, whose examples' id is "" each."""
    without, with_it = (pairs([1.0, 0.0, 1.0], said).assign(id="") for said in ([1.0, 1.0, 0.0], [1.0, 1.0, 1.0]))
    found = attribute_effect.only_one_right(without, with_it)
    assert found[["example", "predicted_without", "predicted_with"]].to_numpy().tolist() == [[2, 0.0, 1.0]]


def test_longer_sentences_do_not_count_in_correlations(tmp_path):
    sources = [
        of_lengths(tmp_path, (4, 9), "trec/cn3", columns={"predicted": [0.0, 0.0]}),
        of_lengths(tmp_path, (4, 9), "trec/led", columns={"predicted": [1.0, 1.0]}, encoder=LED),
    ]
    both, short = (attribute_effect.tables(sources, longest=most)["correlation"] for most in (60, 8))
    (alone,) = attribute_effect.tables(
        [
            of_lengths(tmp_path / "alone", (4,), name, columns={"predicted": [1.0]}, **options)
            for name, options in (("trec/cn3", {}), ("trec/led", {"encoder": LED}))
        ]
    )["correlation"].correlation.unique()
    assert short.correlation.tolist() == pytest.approx([alone, alone])
    assert both.correlation.tolist() != pytest.approx([alone, alone])


def test_the_attribute_is_what_the_recipe_says_whatever_the_name(tmp_path):
    plain = source(tmp_path, attending(0.5), "own/no-dependency", encoder={"edges": ["distance"]})
    led = source(tmp_path, attending(0.7), "own/trees", encoder=LED)
    made = attribute_effect.tables([led, plain])
    assert made["weights"].system.unique().tolist() == ["own/no-dependency", "own/trees"]


def test_what_follows_the_parse_at_equal_distance():
    others = [-1, 0, 0, 0]
    nodes = concat([words(0, "a b c d", HEADS), words(1, "a b c d", others)], ignore_index=True)
    partial = {}
    for name, second in (("both", others), ("one", HEADS)):
        edges = concat([dense(0, attending(0.7)), dense(1, attending(0.7, heads=second))], ignore_index=True)
        partial[name] = attribute_effect.follows_parse(word_attention.describe(edges, nodes), "attention_1")["partial"]
    assert partial["both"] > 0.5
    assert np.isnan(partial["one"]) or partial["one"] < 0.1  # the same weights, whatever the parse


def test_what_follows_the_parse_among_those_who_hear_one_word():
    """Each weight and whether the two are neighbours, less their means over all that hear the same word."""
    matrix = attending(0.7, heads=[2, 2, -1, 1])
    heads = {(0, 2), (1, 2), (3, 1)}
    neighbours = np.array([[float({(i, j), (j, i)} & heads != set()) for j in range(4)] for i in range(4)])
    strengths, near = [], []
    for sender in range(4):
        others = [receiver for receiver in range(4) if receiver != sender]
        strengths += list(4 * (matrix[others, sender] - matrix[others, sender].mean()))
        near += list(neighbours[others, sender] - neighbours[others, sender].mean())
    edges = word_attention.describe(dense(0, matrix), words(0, "a b c d", [2, 2, -1, 1]))
    found = attribute_effect.follows_parse(edges, "attention_1")
    assert found["own"] == pytest.approx(np.corrcoef(strengths, near)[0, 1])
    apart = ~np.eye(4, dtype=bool)
    assert found["correlation"] == pytest.approx(np.corrcoef(matrix[apart], neighbours[apart])[0, 1])
    # By position alone: each weight is the mean of those as far away, as a share of its word's whole.
    of_offset = {d: np.diag(matrix, d).mean() for d in range(-3, 4)}
    alone = np.array([[of_offset[sender - receiver] for sender in range(4)] for receiver in range(4)])
    alone /= alone.sum(1, keepdims=True)
    assert found["position"] == pytest.approx(np.corrcoef(alone[apart], neighbours[apart])[0, 1])


def test_without_weights_between_words(tmp_path):
    bare = recording(tmp_path, fields=["z_u"], examples=pairs([1.0], [1.0]))
    with pytest.raises(InputError, match="no weights between all words"):
        learned_structure.tables([bare])


def test_layers_stand_in_their_order_and_not_in_that_of_their_names():
    names = [f"attention_{number}" for number in range(1, 11)]
    shares = DataFrame({"layer": names, "on": "itself", "share": np.linspace(0.1, 1, 10), "system": "a", "seed": 1})
    shares = shares.assign(uniform=0.5, position=0.5, popularity=0.5)
    distance = DataFrame({"layer": names, "offset": 0, "strength": 1.0, "system": "a"})
    figures = learned_structure.figures({"shares": shares, "distance": distance, "weights": DataFrame({"system": []})})
    (bars,) = figures["shares"].axes[0].containers
    assert bars[0].get_ydata().tolist() == pytest.approx(shares.share.tolist())
    assert figures["distance"].axes[0].get_legend_handles_labels()[1] == [f"layer {n}" for n in range(1, 11)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a", "too few words to choose among"),
        ("a b", "too few words to choose among"),
        ("a b c", "no word gives another more than 2 / 3"),
    ],
)
def test_why_no_arc_is_drawn_is_said(text, said):
    names = text.split()
    figure, axes = panels()
    word_attention.draw_strongest(axes[0, 0], names, np.full((len(names), len(names)), 1 / len(names)), "black")
    assert [each.get_text() for each in figure.axes[0].texts] == [*names, said]
