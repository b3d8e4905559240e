from __future__ import annotations

import pytest
import torch

from dglsent.models.adamc_rnn import AdaMCRNN, AdaMCRNTN
from dglsent.models.dynamic_compositional import DCRecNN
from dglsent.models.mv_rnn import MVRNN
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.recnn import RecNN
from dglsent.models.rntn import RNTN
from dglsent.models.sequence import SeqLSTM
from dglsent.models.tag_guided import TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM
from dglsent.models.te_rnn import TERNN
from dglsent.models.tg_rnn import TGRNN
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
    mean = torch.zeros_like(weight)
    start_near_mean(mean)
    drawn = weight - mean
    assert 0.2 < drawn.abs().max() <= 16**-0.5
    assert drawn.mean().abs() < 0.05


@pytest.mark.parametrize(
    ("weight", "wanted"),
    [
        (lambda: TagGuidedHyperRecNN(WordEmbedding(5, 3), 50, hyper=40, **TAGS).A_b.weight, 0.01),
        (lambda: TagGuidedHyperTreeLSTM(WordEmbedding(5, 3), 50, hyper=40, **TAGS).A_b.weight, 0.01),
        (lambda: ProgressiveAttention(WordEmbedding(5, 3), lambda words: SeqLSTM(words, 900)).w, 0.05),
    ],
    ids=["TG-HRecNN", "TG-HTreeLSTM", "progressive attention"],
)
def test_weights_that_start_at_a_deviation_of_their_own(weight, wanted):
    """What shifts a bias (Shen et al.), and what scores the nodes of the other sentence."""
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
