from __future__ import annotations

import pytest
import torch
from agreement import assert_same, close
from reference.dynamic_window import tokens as reference_tokens
from window_sentences import SENTENCES, VOCABULARIES, embedding, parsed, spread, tokens, window

from dglsent.models.token_inputs import TokenInputs
from dglsent.passing import Batch
from graphs.errors import InputError
from graphs.features import Vocabularies

GRAPHS = [window(words, 1) for words in SENTENCES]


class Net(torch.nn.Module):
    """Inputs beside their word vectors, as in an encoder."""

    def __init__(self, **switches):
        super().__init__()
        self.embedding = embedding()
        self.inputs = TokenInputs(3, VOCABULARIES, **switches)

    def forward(self, batch):
        return self.inputs(batch, self.embedding)


@pytest.mark.parametrize("switches", [{}, {"cap_dim": 2, "character_dim": 4}, {"character_dim": 0}])
def test_tokens_are_those_of_the_reference(switches):
    net = spread(Net(**switches))
    state = {name: value.detach().clone().requires_grad_() for name, value in net.state_dict().items()}
    wanted = torch.stack([f for graph in GRAPHS for f in reference_tokens(state, tokens(graph))])
    found = net(Batch.of(GRAPHS))
    assert found.shape == (sum(graph.size for graph in GRAPHS), net.inputs.size)
    assert_same(net, state, {"f": (found, wanted)}, "torch")


def test_sizes_are_the_papers():
    inputs = TokenInputs(200, VOCABULARIES)
    assert inputs.size == 255
    assert TokenInputs(200, VOCABULARIES, character_dim=0).size == 205
    assert inputs.cap.weight.shape == (6, 5)
    assert inputs.character.weight.shape == (len(VOCABULARIES.spelling.character), 5)


@pytest.mark.parametrize("size", [-1, "5", 2.0])
@pytest.mark.parametrize("option", ["cap_dim", "character_dim"])
def test_sizes_that_are_none(option, size):
    with pytest.raises(InputError, match=rf"^{option} is {size!r}; give a whole number from 0$"):
        TokenInputs(3, VOCABULARIES, **{option: size})


def test_tables_start_small():
    torch.manual_seed(0)
    inputs = TokenInputs(200, VOCABULARIES, cap_dim=50, character_dim=50)
    for weight in (inputs.padding, inputs.cap.weight, inputs.character.weight):
        assert weight.std().item() == pytest.approx(0.1, rel=0.2)


def test_every_component_of_the_padding_node_learns():
    net = spread(Net())
    net(Batch.of(GRAPHS))[-1].square().sum().backward()
    assert net.inputs.padding.grad.abs().min() > 0
    assert net.inputs.cap.weight.grad[0].abs().min() > 0
    assert net.inputs.character.weight.grad[0].abs().min() > 0
    assert net.embedding.weight.grad.abs().max() == 0


def test_a_words_case_changes_its_capitalisation_and_characters_alone():
    net = spread(Net())
    lower, upper = net(Batch.of([window(["cat"], 1), window(["Cat"], 1)]))[[0, 2]]
    close(lower[:3], upper[:3])
    assert (lower[3:8] != upper[3:8]).all()
    assert (lower[8:] != upper[8:]).any()


def test_dropout_of_the_word_vectors_is_that_of_every_component():
    net = spread(Net())
    batch = Batch.of(GRAPHS)
    whole = net(batch)
    net.embedding.dropout = 0.5
    close(net(batch), whole)
    net.train()
    torch.manual_seed(0)
    dropped = net(batch)
    real = batch.nodes["real"] > 0
    dropped, whole = dropped[real], whole[real]
    for part in (slice(0, 3), slice(3, 8), slice(8, None)):
        assert 0.3 < (dropped[:, part] == 0).double().mean() < 0.7
    close(dropped, torch.where(dropped == 0, 0, 2 * whole))


def test_vocabularies_without_spelling_are_refused():
    for vocabularies in (None, Vocabularies.of([parsed(["cat"])])):
        with pytest.raises(InputError, match="spelling"):
            TokenInputs(3, vocabularies)
