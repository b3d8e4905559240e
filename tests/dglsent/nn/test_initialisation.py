from __future__ import annotations

import pytest
import torch

from dglsent.models.adamc_rnn import AdaMCRNN
from dglsent.models.mv_rnn import MVRNN
from dglsent.models.recnn import RecNN
from dglsent.models.rntn import RNTN
from dglsent.models.tag_guided import TagGuidedHyperRecNN
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
