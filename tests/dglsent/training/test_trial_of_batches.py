"""Before training, states of a class of one's own are told that depend on the batch around their sentence."""

from __future__ import annotations

import pytest
from test_checks import own_recipe
from tiny import PAIRS, recipe

LISTENER = """\
import torch
from torch import nn
from torch.nn.functional import normalize

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import softmax_sum, update_all


class Listener(Encoder):
    directions = ()
    relations = ("complete",)

    def __init__(self, embedding: WordEmbedding, hidden: int, score: str, states: str = "heard") -> None:
        super().__init__(embedding, hidden)
        self.W, self.norm = nn.Linear(embedding.dim, hidden), nn.BatchNorm1d(hidden)
        self.score, self.states = score, states

    def message(self, edges):
        own, other = edges.dst["q"], edges.src["q"]
        return {"score": eval(self.score)}

    def encode(self, batch):
        batch.nodes["q"] = self.W(self.embedding.of(batch.nodes))
        attention = softmax_sum(score="score", value="q", out="h", weight="weight")
        update_all(batch, self.message, attention, relation="complete")
        heard = batch.nodes["h"]
        return eval(self.states)
"""


def listener(folder, score, states="heard"):
    (folder / "listening.py").write_text(LISTENER)
    file = own_recipe(folder, encoder="listening.Listener", graph="complete")
    file.write_text(file.read_text().replace("{hidden: 4}", f'{{hidden: 4, score: "{score}", states: "{states}"}}'))
    return file


@pytest.mark.parametrize(
    "score",
    [
        "(normalize(own) * normalize(other)).sum(-1)",
        "(own.softmax(1) * other).sum(-1)",
        "((own - own.mean(1, keepdim=True)) * other).sum(-1)",
    ],
)
def test_functions_that_address_another_dimension_than_the_last_are_told(score, tmp_path, program):
    """Words of other sentences, or padding, would be in their sums, and a training would end with a score."""
    program.refuses(
        "fit", listener(tmp_path, score), "--out", tmp_path / "run",
        saying=["encoder Listener: states depend on how the engine lays out words", "dim=-1 and [..., 0], and not"],
    )  # fmt: skip
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("states", ["heard - heard.mean(0)", "heard.softmax(0)", "heard / heard.norm()"])
def test_states_that_others_in_the_batch_change_are_told(states, tmp_path, program):
    program.refuses(
        "fit", listener(tmp_path, "(own * other).sum(-1)", states), "--out", tmp_path / "run",
        saying=["encoder Listener: states of an example change with the others in its batch; in encode do nothing"],
    )  # fmt: skip
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("states", ["self.norm(heard)", "heard + torch.randn_like(heard)", "heard * float('nan')"])
def test_states_of_a_sentence_may_be_normalised_drawn_or_broken(states, tmp_path, program):
    """What is no number is told by the training, with the step."""
    score = "(normalize(own, dim=-1) * normalize(other, dim=-1)).sum(-1)"
    _, _, err = program("fit", listener(tmp_path, score, states), "--out", tmp_path / "run")
    assert "states depend" not in err
    assert "in its batch" not in err
    assert "epoch 1" in err or "nan" in err


CENTRED = """\
from dglsent.models.tree_lstm import ChildSumTreeLSTM


class Centred(ChildSumTreeLSTM):
    def encode(self, batch):
        states = super().encode(batch)
        return states - states.mean(0)
"""


def test_encoders_within_dglsents_are_tried_too(tmp_path, program):
    (tmp_path / "centred.py").write_text(CENTRED)
    structure = "structure: {class_path: centred.Centred, init_args: {hidden: 6}}"
    text = PAIRS.replace("dglsent.models.tree_lstm.ChildSumTreeLSTM", "ProgressiveAttention")
    program.refuses(
        "fit", recipe(tmp_path, text.replace("hidden: 6", structure)), "--out", tmp_path / "run",
        saying=["encoder ProgressiveAttention: states of an example change with the others in its batch"],
    )  # fmt: skip
