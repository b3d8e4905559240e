from __future__ import annotations

import pytest
import torch

from dglsent.nn.characters import CharacterCNN, CharacterLSTM

WORDS = torch.tensor([[3, 4, 0, 0], [5, 0, 0, 0], [0, 0, 0, 0], [1, 2, 3, 4]])


@pytest.mark.parametrize("made", [CharacterLSTM, CharacterCNN])
class TestWords:
    def test_padding_does_not_matter(self, made):
        torch.manual_seed(0)
        characters = made(7, 3, 4).double()
        wider = torch.cat([WORDS, torch.zeros(4, 3, dtype=torch.int64)], 1)
        torch.testing.assert_close(characters(wider), characters(WORDS))

    def test_no_characters_are_zeros(self, made):
        characters = made(7, 3, 4)
        vectors = characters(WORDS)
        assert not vectors[2].any()
        assert vectors[[0, 1, 3]].any(1).all()
        vectors.sum().backward()
        assert all(p.grad.isfinite().all() for p in characters.parameters())

    def test_order_matters(self, made):
        characters = made(7, 3, 4)
        assert not torch.allclose(characters(WORDS.flip(1)[3:]), characters(WORDS[3:]))


def test_against_torchs_bidirectional_lstm():
    torch.manual_seed(0)
    characters = CharacterLSTM(7, 3, 4).double()
    module = torch.nn.LSTM(3, 2, bidirectional=True, batch_first=True).double()
    state = dict(characters.rightward.state_dict())
    state.update({f"{name}_reverse": value for name, value in characters.leftward.state_dict().items()})
    module.load_state_dict(state)
    for word, vector in zip(WORDS, characters(WORDS), strict=True):
        if word.any():
            _, (last, _) = module(characters.embedding(word[word > 0]).unsqueeze(0))
            torch.testing.assert_close(vector, last.flatten())


def test_an_odd_size_is_refused():
    with pytest.raises(ValueError, match=r"character_size 5: .* give an even number"):
        CharacterLSTM(7, 3, 5)
