from __future__ import annotations

import pytest
import torch

from dglsent.models.adamc_rnn import AdaMCRNN, AdaMCRNTN
from dglsent.models.dynamic_compositional import DCRecNN
from dglsent.models.elman import SeqRNN
from dglsent.models.mv_rnn import MVRNN
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.recnn import RecNN
from dglsent.models.rntn import RNTN
from dglsent.models.sata_tree_lstm import SATATreeLSTM
from dglsent.models.sequence import SeqLSTM
from dglsent.models.tag_guided import TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM
from dglsent.models.te_lstm import TELSTM
from dglsent.models.te_rnn import TERNN
from dglsent.models.tg_rnn import TGRNN
from dglsent.models.tree_lstm import ChildSumTreeLSTM
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.initialisation import start_near_mean

TAGS = {"tags": ["S", "NP", "NN"]}


def test_each_map_of_two_children_starts_at_their_mean():
    weight = torch.zeros(6, 4)
    start_near_mean(weight)
    left, right = torch.tensor([1.0, 5.0]), torch.tensor([3.0, -1.0])
    assert (weight @ torch.cat([left, right])).tolist() == [2.0, 2.0] * 3


@pytest.mark.parametrize(
    ("encoder", "name", "options"),
    [
        (RecNN, "U", {}),
        (RNTN, "U", {}),
        (AdaMCRNN, "U", {}),
        (AdaMCRNTN, "U", {}),
        (MVRNN, "W", {}),
        (TGRNN, "U", TAGS),
        (TERNN, "U", TAGS),
        (TagGuidedHyperRecNN, "U", TAGS),
    ],
)
def test_composition_starts_near_the_mean_of_the_children(encoder, name, options):
    model = encoder(WordEmbedding(5, 3), 8, **options)
    weight = getattr(model, name).weight.detach()
    mean = torch.eye(8).repeat(len(weight) // 8, 2) / 2
    drawn = weight - mean
    assert 0.2 < drawn.abs().max() <= 16**-0.5
    assert drawn.mean().abs() < 0.05


@pytest.mark.parametrize(
    ("weight", "wanted"),
    [
        (lambda: TagGuidedHyperRecNN(WordEmbedding(5, 3), 50, hyper=40, **TAGS).A_b.weight, 0.01),
        (lambda: TagGuidedHyperTreeLSTM(WordEmbedding(5, 3), 50, hyper=40, **TAGS).A_b.weight, 0.01),
        (lambda: ProgressiveAttention(WordEmbedding(5, 3), lambda words: SeqLSTM(words, 900)).w, 0.05),
        (lambda: MVRNN(WordEmbedding(50, 3), 25).U.weight, 0.01),
        (lambda: MVRNN(WordEmbedding(50, 3), 25).V.weight, 0.01),
        (lambda: MVRNN(WordEmbedding(50, 3), 25).v.weight - 1, 0.01),
    ],
    ids=["TG-HRecNN", "TG-HTreeLSTM", "progressive attention", "left factors", "right factors", "diagonals"],
)
def test_weights_that_start_at_a_deviation_of_their_own(weight, wanted):
    """What shifts a bias (Shen et al.), what scores the nodes of the other sentence, and the matrices of words."""
    torch.manual_seed(0)
    drawn = weight().detach()
    assert drawn.std().item() == pytest.approx(wanted, rel=0.1)
    assert abs(drawn.mean().item()) < wanted / 5


@pytest.mark.parametrize("z", [8, 12])
def test_dynamic_composition_starts_near_the_mean_of_the_children(z):
    torch.manual_seed(0)
    compose = DCRecNN(WordEmbedding(5, 3), 8, meta=4, z=z, near_mean=True).compose
    assert torch.equal(compose.W_z.bias, torch.ones(z))
    for linear in (compose.PB, compose.Q_h, compose.W_z):  # without what was drawn around 0
        torch.nn.init.zeros_(linear.weight)
    compose.start_near_mean()
    left, right = torch.randn(2, 1, 8)
    sums, _ = compose.phrase(torch.cat([left, right], -1), torch.randn(1, 4))
    torch.testing.assert_close(sums, (left + right) / 2)


def test_dynamic_composition_of_a_low_rank_starts_near_the_mean_in_some_dimensions():
    compose = DCRecNN(WordEmbedding(5, 3), 8, meta=4, z=3, near_mean=True).compose
    for linear in (compose.PB, compose.Q_h, compose.W_z):
        torch.nn.init.zeros_(linear.weight)
    compose.start_near_mean()
    h, hm = torch.randn(20, 8), torch.randn(20, 4)
    once, _ = compose.phrase(h.repeat(1, 2), hm)
    again, _ = compose.phrase(once.repeat(1, 2), hm)
    torch.testing.assert_close(again, once)
    assert torch.linalg.matrix_rank(once) == 3


@pytest.mark.parametrize(
    ("weight", "bound"),
    [
        (lambda tags: TERNN(WordEmbedding(5, 3), 4, tags=tags).tag, 0.05),
        (lambda tags: TELSTM(WordEmbedding(5, 3), 4, tags=tags).tag, 0.05),
        (lambda tags: TagGuidedHyperRecNN(WordEmbedding(5, 3), 4, tags=tags).fusion.tag_embedding.weight, 0.05),
        (lambda tags: SATATreeLSTM(WordEmbedding(5, 3), 4, tags=tags).tag_tree.tag, 0.005),
        (lambda tags: ChildSumTreeLSTM(WordEmbedding(5, 25), 100, const_bias="split").word_bias, 0.2),
    ],
    ids=["TE-RNN", "TE-LSTM", "TG-HRecNN", "SATA", "a second bias"],
)
def test_weights_that_start_within_a_bound_of_their_own(weight, bound):
    """The vectors of tags, and a bias as that of a linear map of a word's vector."""
    torch.manual_seed(0)
    drawn = weight([f"T{number}" for number in range(20)]).detach()
    assert 0.95 * bound < drawn.abs().max() <= bound
    assert drawn.mean().abs() < bound / 5


def test_a_plain_recurrence_starts_as_a_rotation():
    """So that what a first word says is as long after any number of steps."""
    U = SeqRNN(WordEmbedding(5, 3), 20).U.weight
    torch.testing.assert_close(U.T @ U, torch.eye(20), atol=1e-5, rtol=0)


def test_a_sata_tree_lstm_starts_as_its_code():
    """Maps of an input from N(0, 2 / inputs), recurrent ones of the LSTMs orthogonal; what is normalised stays so."""
    torch.manual_seed(0)
    made = SATATreeLSTM(WordEmbedding(5, 60), 80, tag_dim=30, leaf="bilstm", normalise=True, tags=["S", "NP", "NN"])
    tags, chains = made.tag_tree, (made.rightward, made.leftward)
    for linear in (made.U, made.V, tags.U, tags.W, tags.W_leaf, *(chain.W for chain in chains)):
        assert linear.weight.std().item() == pytest.approx((2 / linear.in_features) ** 0.5, rel=0.1)
    for chain in chains:
        torch.testing.assert_close(chain.U.weight.T @ chain.U.weight, torch.eye(40), atol=1e-5, rtol=0)
        assert chain.W.bias.view(4, 40)[:, 0].tolist() == [0, 0, 1, 0]  # of candidate, input, forget and output gate
    assert not tags.W_leaf.bias.any()
    assert (made.gain == 1).all()
    assert not made.shift.any()
