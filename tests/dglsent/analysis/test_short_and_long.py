"""Figures of sentences of one word, of long words and of pairs of very different lengths are whole and can be read."""

from __future__ import annotations

import numpy as np
import pytest
from figure_reading import cut_off
from made import dense, pairs, recording, run, tree, words
from pandas import concat

from dglsent.analysis import attribute_effect, attribute_results, cross_attention, learned_structure, tree_heat
from dglsent.analysis.pictures import look

LONG = "Donaudampfschifffahrtsgesellschaft antidisestablishmentarianism is long"
SENTENCES = ["Yes", LONG, "a b c d e f g h i j k l m n"]


def within(tmp_path, text, system="trec/cn3", **options):
    """A recording of a sentence, whose words listen to all alike."""
    size = len(text.split())
    square = np.full((size, size), 1 / size)
    tables = {
        "examples": pairs([1.0], [1.0], [(text, None)]),
        "nodes": words(0, text, [*range(1, size), -1]),
        "edges": dense(0, square).assign(attention_2=square.ravel()),
    }
    fields = ["complete.attention_1", "complete.attention_2"]
    return recording(tmp_path, system=system, fields=fields, **tables, **options)


def between(tmp_path, one, other):
    """A recording of a pair, whose words listen to all of the other sentence alike."""
    sizes = len(one.split()), len(other.split())
    nodes = [words(0, text, [*range(1, sizes[side]), -1], side) for side, text in enumerate((one, other))]
    edges = [
        dense(0, np.full((mine, theirs), 1 / theirs), "attend", "attention_up", sentence=side)
        for side, (mine, theirs) in enumerate((sizes, sizes[::-1]))
    ]
    edges = [each.assign(attention_down=each.attention_up, E=0.5) for each in edges]
    return recording(
        tmp_path,
        fields=["attend.attention_up", "attend.attention_down", "attend.E"],
        examples=pairs([1.0], [1.0], [(one, other)]),
        nodes=concat(nodes, ignore_index=True),
        edges=concat(edges, ignore_index=True),
    )


def figures(made):
    """The figures of the tables of some analyses, by their modules, as the command draws them."""
    with look():
        return [figure for analysis, tables in made.items() for figure in analysis.figures(tables).values()]


@pytest.mark.parametrize("text", SENTENCES)
def test_nothing_is_cut_off_within_a_sentence(text, tmp_path):
    plain = within(tmp_path, text)
    led = within(tmp_path, text, "trec/cn3-dependency", encoder={"edges": ["relation"]})
    made = {learned_structure: learned_structure.tables([plain])}
    if len(text.split()) > 1:  # else nobody listens to another
        made[attribute_effect] = attribute_effect.tables([plain, led])
    for figure in figures(made):
        assert cut_off(figure) == []


@pytest.mark.parametrize("one", SENTENCES)
@pytest.mark.parametrize("other", SENTENCES)
def test_nothing_is_cut_off_between_sentences(one, other, tmp_path):
    for figure in figures({cross_attention: cross_attention.tables([between(tmp_path, one, other)])}):
        assert cut_off(figure) == []


@pytest.mark.parametrize(("one", "other", "columns"), [(5, 2, 2), (2, 6, 1), (20, 20, 2), (21, 20, 1)])
def test_wide_sentences_and_unlike_ones_stand_one_below_the_other(one, other, columns, tmp_path):
    made = cross_attention.tables([between(tmp_path, " ".join("a" * one), " ".join("b" * other))])
    figure, _ = cross_attention.figures(made).values()
    assert figure.axes[0].get_subplotspec().get_gridspec().ncols == columns


def test_long_words_of_a_tree_are_cut_and_turned(tmp_path):
    first, second, _, _ = LONG.split()
    rows = [(0, -1, 0, 2, f"{first} {second}", "S", 0), (1, 0, 0, 1, first, "X", 2), (2, 0, 1, 2, second, "X", 2)]
    nodes = tree(0, rows).assign(z_u=[[0.1], [0.2], [0.3]])
    source = recording(tmp_path, fields=["z_u"], examples=pairs([1.0], [1.0], [(rows[0][4], None)]), nodes=nodes)
    (figure,) = figures({tree_heat: tree_heat.tables([source], dimension=1)})
    assert cut_off(figure) == []
    one, other = (text for text in figure.axes[0].texts if "…" in text.get_text())
    assert (one.get_text(), one.get_rotation(), other.get_rotation()) == ("Donaudampfsc … lschaft", 35, 35)


def test_long_words_leave_room_for_cells(tmp_path):
    """A cell is as large beside long words as beside short ones."""

    def cell(text, folder):
        figure = learned_structure.figures(learned_structure.tables([within(tmp_path / folder, text)]))
        drawn = figure["sentence-trec-cn3"]
        cut_off(drawn)  # lays it out
        return drawn.axes[0].get_window_extent().width / len(text.split()) / drawn.dpi

    assert cell(LONG, "long") > 0.8 * cell("one two is long", "short")


def test_the_legend_of_a_few_variants_stands_beside_them():
    runs = [run(f"trec/cn3{of}", 1, {"accuracy": value}) for of, value in (("", 0.5), ("-pos", 0.6))]
    figure = attribute_results.figures(attribute_results.tables(runs))["attribute-results"]
    cut_off(figure)  # lays it out
    (legend,) = figure.legends
    assert not legend.get_window_extent().overlaps(figure.axes[0].get_window_extent())
