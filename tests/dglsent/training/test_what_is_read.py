"""What nothing in a model would read is refused before training."""

from __future__ import annotations

import pytest
from tiny import PAIRS, TINY, recipe
from tiny_tags import TAGS


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        ("AttentiveBiLSTM", "encoder AttentiveBiLSTM: DecomposableAttention compares roots"),
        (
            '{"class_path": "BiLSTM", "init_args": {"bilstm_readout": "ends"}}',
            "encoder.structure.bilstm_readout: ends, and DecomposableAttention compares roots",
        ),
    ],
)
def test_a_readout_that_attention_between_sentences_passes_over_is_refused(structure, said, tmp_path, program):
    """The first trained, and had no `attention` to record; the second was the run without it, number by number."""
    options = ["--graph", "chain", "--encoder", "DecomposableAttention", "--encoder.structure", structure]
    program.refuses("fit", recipe(tmp_path, PAIRS), *options, "--out", tmp_path / "run", saying=[said])
    assert not (tmp_path / "run").exists()


def test_a_query_that_pools_sentences_is_refused_where_words_are_tagged(tmp_path, program):
    """What was drawn as its attention was that of weights that no loss had reached."""
    text = TAGS.replace("sequence.BiLSTM", "self_attention.AttentiveBiLSTM").replace(", tie_directions: false", "")
    (tmp_path / "tags.yaml").write_text(text)
    saying = ["encoder AttentiveBiLSTM: Tagging reads words; its query would pool and learn nothing, so take BiLSTM"]
    program.refuses("fit", tmp_path / "tags.yaml", "--out", tmp_path / "run", saying=saying)
    assert not (tmp_path / "run").exists()


def test_attributes_of_edges_without_a_layer_that_reads_them_are_refused(tmp_path, program):
    words = TINY.replace("classes: 5", "classes: 5, phrases: false")
    fit = ("fit", recipe(tmp_path, words), "--graph", "complete", "--encoder", "CN3", "--out", tmp_path / "run")
    program.refuses(
        *fit, "--encoder.layers", 0, "--encoder.edges", "[distance]",
        saying=["encoder.edges: layers alone read attributes of edges, and encoder.layers is 0"],
    )  # fmt: skip
    assert not (tmp_path / "run").exists()
    assert program(*fit, "--encoder.layers", 0)[0] == 0
