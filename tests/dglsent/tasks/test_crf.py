from __future__ import annotations

from itertools import pairwise, product

import pytest
import torch

from dglsent.tasks.crf import CRF


@pytest.fixture(params=[1, 2, 3])
def crf(request):
    torch.manual_seed(request.param)
    made = CRF(request.param).double()
    for weight in made.parameters():
        torch.nn.init.normal_(weight, std=2.0)
    return made


def score(crf: CRF, emissions, tags) -> torch.Tensor:
    """Of one sentence, written out."""
    chain = crf.chain
    total = chain.start_transitions[tags[0]] + chain.end_transitions[tags[-1]]
    for token, tag in enumerate(tags):
        total = total + emissions[token, tag]
    for before, after in pairwise(tags):
        total = total + chain.transitions[before, after]
    return total


def batch_of(classes: int, lengths=(4, 1, 2, 3)):
    """Emissions with a padding column at the end, gold tags and mask of sentences of some lengths."""
    size = max(lengths) + 1
    mask = torch.arange(size) < torch.tensor(lengths)[:, None]
    emissions = torch.randn(len(lengths), size, classes, dtype=torch.float64)
    return emissions, torch.randint(classes, mask.shape), mask


def test_loss_is_that_of_all_taggings_summed(crf):
    classes = len(crf.chain.transitions)
    emissions, tags, mask = batch_of(classes)
    losses = crf.loss(emissions, tags, mask)
    for row, length in enumerate(mask.sum(1).tolist()):
        every = [score(crf, emissions[row], path) for path in product(range(classes), repeat=length)]
        gold = score(crf, emissions[row], tags[row, :length].tolist())
        assert losses[row].item() == pytest.approx((torch.stack(every).logsumexp(0) - gold).item(), abs=1e-9)


def test_best_tags_are_the_best_of_all(crf):
    classes = len(crf.chain.transitions)
    for _ in range(5):
        emissions, _, mask = batch_of(classes)
        best = crf.best(emissions, mask)
        assert best.shape == mask.shape
        assert (best[~mask] == -1).all()
        for row, length in enumerate(mask.sum(1).tolist()):
            paths = list(product(range(classes), repeat=length))
            wanted = max(paths, key=lambda path, row=row, emissions=emissions: score(crf, emissions[row], path).item())
            assert best[row, :length].tolist() == list(wanted)


def test_padding_changes_nothing(crf):
    emissions, tags, mask = batch_of(len(crf.chain.transitions))
    other, other_tags = emissions.clone(), tags.clone()
    other[~mask], other_tags[~mask] = 99.0, 0
    assert torch.equal(crf.loss(other, other_tags, mask), crf.loss(emissions, tags, mask))
    assert torch.equal(crf.best(other, mask), crf.best(emissions, mask))
    crf.loss(emissions.requires_grad_(), tags, mask).sum().backward()
    assert (emissions.grad[~mask] == 0).all()


def test_transitions_start_small():
    torch.manual_seed(0)
    for weight in CRF(60).parameters():
        assert 0.08 < weight.abs().max() <= 0.1
        assert abs(weight.mean()) < 0.03
