from __future__ import annotations

import torch
from complete_sentences import sentence, vocabularies

from dglsent.models.cn3 import CN3
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.node_attributes import Attributes
from dglsent.passing import Batch


def test_spelling_is_dropped_as_words_are_and_other_attributes_are_not():
    torch.manual_seed(0)
    attributes = Attributes(tag_dim=4, spelling_dim=20, position_dim=4)
    encoder = CN3(WordEmbedding(12, 3, dropout=0.5), 4, attributes=attributes, vocabularies=vocabularies())
    batch = Batch.of([sentence(size) for size in (6, 4, 6)])
    whole = encoder.eval().attributes(batch)
    tag, spelling, position = encoder.train().attributes(batch)
    assert torch.equal(tag, whole[0])
    assert torch.equal(position, whole[2])
    known = whole[1] != 0
    kept = (spelling != 0) & known
    assert 0.4 < kept.sum() / known.sum() < 0.6
    torch.testing.assert_close(spelling[kept], 2 * whole[1][kept])
