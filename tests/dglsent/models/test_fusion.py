from __future__ import annotations

import torch
from torch.testing import assert_close

from dglsent.models.fusion import InformationFusion


def test_looked_up_products_are_the_products():
    torch.manual_seed(0)
    fusion = InformationFusion(words=4, hidden=3, size=5, tags=6, tag_dim=2, fusion="concat").double()
    tags = torch.tensor([[2, 3, 4], [5, 1, 5], [3, 0, 0], [2, 3, 4]])
    embedding, W = fusion.tag_embedding.weight, fusion.tags.weight
    known = embedding * (torch.arange(6) > 0)[:, None]
    wanted = known[tags].flatten(1) @ W.t()
    found = fusion.project_tags(fusion.tags, tags)
    assert_close(found, wanted)
    weight = torch.randn_like(found)
    for one, other in zip(
        torch.autograd.grad((found * weight).sum(), (embedding, W)),
        torch.autograd.grad((wanted * weight).sum(), (embedding, W)),
        strict=True,
    ):
        assert_close(one, other)
