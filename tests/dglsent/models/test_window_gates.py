from __future__ import annotations

import math

import pytest
import torch
from agreement import ENGINES, assert_same, close
from reference.dynamic_window import gates as reference_gates
from window_sentences import LENGTHS, SENTENCES, spread, window

from dglsent.models.window_gates import DynamicWindow
from dglsent.passing import Batch, engine
from graphs.errors import InputError

DIM = 4
FILTERS = ["one_layer", "cnn", "mlp", "averaging", "ones"]
WORDS = sum(LENGTHS)

on_engines = pytest.mark.parametrize("on", ENGINES)
each_filter = pytest.mark.parametrize("filter", FILTERS)


def batch_of(half_width):
    """The sentences with drawn tokens f."""
    batch = Batch.of([window(words, half_width) for words in SENTENCES])
    torch.manual_seed(2)
    batch.nodes["f"] = torch.randn(batch.num_nodes, DIM, dtype=torch.float64)
    return batch


def gated(dynamic, half_width, on="torch", train=False, seed=3):
    batch = batch_of(half_width)
    torch.manual_seed(seed)
    with engine(on):
        dynamic.train(train).run(batch, plain=True)
    return batch


def make(half_width, filter="one_layer", **switches):
    torch.manual_seed(0)
    return spread(DynamicWindow(DIM, half_width, filter, **switches))


def real(batch):
    return batch.nodes["real"] > 0


def by_hand(state, batch, half_width, filter):
    """Gated and plain windows [N, ..] and gates [E, ..], with the masks of the batch."""
    f, mask, x, plain, kept = batch.nodes["f"], batch.nodes["mask"], [], [], []
    first = 0
    for length in LENGTHS:
        padding = first + length
        for t in range(first, padding):
            slots = [t + o if first <= t + o < padding else padding for o in range(-half_width, half_width + 1)]
            around = [f[slot] for slot in slots]
            r = reference_gates({f"window.{name}": value for name, value in state.items()}, filter, around)
            weighted = [mask[t, k, 0] * gate * each for k, (gate, each) in enumerate(zip(r, around, strict=True))]
            x.append(sum(weighted) if filter == "averaging" else torch.cat(weighted))
            plain.append(torch.cat(around))
            kept += r
        x.append(torch.zeros_like(x[-1]))
        plain.append(torch.zeros_like(plain[-1]))
        first = padding + 1
    return {"x": torch.stack(x), "window": torch.stack(plain), "gate": torch.stack(kept)}


@on_engines
@each_filter
@pytest.mark.parametrize("half_width", [0, 1, 4])
class TestAgainstTheReference:
    """Values and gradients; the longest sentence but one is shorter than a window of 9, and one is a single word."""

    def check(self, on, filter, half_width, train, **switches):
        dynamic = make(half_width, filter, **switches)
        batch = gated(dynamic, half_width, on, train)
        state = {name: value.detach().clone().requires_grad_() for name, value in dynamic.state_dict().items()}
        wanted = by_hand(state, batch, half_width, filter)
        assert batch.nodes["x"].shape == (batch.num_nodes, dynamic.size)
        assert "gates" not in batch.nodes
        found = {"x": batch.nodes["x"], "window": batch.nodes["window"], "gate": batch.edges["gate"]}
        compared = {name: (found[name], wanted[name]) for name in found}
        if filter == "ones":
            for one, other in compared.values():
                close(one, other)
        else:
            assert_same(dynamic, state, compared, on)

    def test_in_evaluation(self, on, filter, half_width):
        self.check(on, filter, half_width, train=False, dropout=0.3)

    def test_in_training(self, on, filter, half_width):
        self.check(on, filter, half_width, train=True, dropout_style="inverted")


@each_filter
def test_gradients_reach_the_tokens_alike_on_both_engines(filter):
    dynamic, gradients = make(1, filter), []
    for on in ENGINES:
        batch = batch_of(1)
        f = batch.nodes["f"] = batch.nodes["f"].requires_grad_()
        with engine(on):
            dynamic.run(batch)
        (batch.nodes["x"].sin().sum() + batch.edges["gate"].cos().sum()).backward()
        gradients.append(f.grad)
    close(*gradients)


class TestGates:
    @on_engines
    def test_of_a_bias_of_20_give_the_plain_window(self, on):
        dynamic = make(2, dropout_style="inverted")
        torch.nn.init.zeros_(dynamic.filter.W.weight)
        torch.nn.init.constant_(dynamic.filter.W.bias, 20)
        batch = gated(dynamic, 2, on)
        torch.testing.assert_close(batch.nodes["x"], batch.nodes["window"], rtol=1e-8, atol=1e-8)

    @on_engines
    def test_of_no_neighbours_scale_the_token(self, on):
        dynamic = make(0, dropout=0)
        batch = gated(dynamic, 0, on)
        f = batch.nodes["f"][real(batch)]
        close(batch.nodes["x"][real(batch)], torch.sigmoid(dynamic.filter.W(f)) * f)

    @on_engines
    def test_that_are_ones_are_the_plain_window(self, on):
        batch = gated(make(2, "ones", dropout=0), 2, on, train=True)
        close(batch.nodes["x"], batch.nodes["window"])
        assert (batch.edges["gate"] == 1).all()

    def test_of_averages_sum_to_one(self):
        batch = gated(make(2, "averaging"), 2)
        close(batch.edges["gate"].view(WORDS, 5).sum(1), torch.ones(WORDS, dtype=torch.float64))

    @on_engines
    @each_filter
    def test_stand_on_the_edges(self, on, filter):
        """The gates by their edges make the gated window of the senders' tokens."""
        dynamic = make(1, filter, dropout=0)
        batch = gated(dynamic, 1, on)
        src, dst = map(torch.from_numpy, batch.relation().ends)
        gate = batch.edges["gate"]
        assert len(gate) == 3 * WORDS
        weighted = gate.view(len(gate), -1) * batch.nodes["f"][src]
        assert (dst.diff() >= 0).all()
        weighted = weighted.view(WORDS, 3, DIM)
        close(batch.nodes["x"][real(batch)], weighted.sum(1) if filter == "averaging" else weighted.flatten(1))
        assert batch.write_back().edata["gate"].shape == gate.shape


class TestDropout:
    def test_classic_scales_when_training_is_over(self):
        plain, classic = make(1, dropout=0), make(1, dropout=0.3)
        close(gated(classic, 1).nodes["x"], 0.7 * gated(plain, 1).nodes["x"])
        assert set(gated(classic, 1, train=True).nodes["mask"].unique().tolist()) == {0, 1}

    def test_inverted_scales_in_training(self):
        plain, inverted = make(1, dropout=0), make(1, dropout=0.3, dropout_style="inverted")
        close(gated(inverted, 1).nodes["x"], gated(plain, 1).nodes["x"])
        assert (gated(inverted, 1).nodes["mask"] == 1).all()
        masks = gated(inverted, 1, train=True).nodes["mask"].unique()
        close(masks, torch.tensor([0, 1 / 0.7], dtype=torch.float64))

    def test_masks_are_drawn_for_each_token_and_slot(self):
        batch = gated(make(4, dropout=0.5), 4, train=True)
        mask = batch.nodes["mask"].squeeze(-1)
        assert mask.shape == (batch.num_nodes, 9)
        assert len(mask.unique(dim=0)) > 0.8 * len(mask)
        assert abs(mask.mean().item() - 0.5) < 3 * 0.5 / math.sqrt(mask.numel())
        other = gated(make(4, dropout=0.5), 4, train=True, seed=4)
        assert (mask != other.nodes["mask"].squeeze(-1)).any()

    def test_on_ones_drops_whole_words_of_the_window(self):
        batch = gated(make(1, "ones", dropout=0.5), 1, train=True)
        mask = batch.nodes["mask"]
        window = batch.nodes["window"].view(batch.num_nodes, 3, DIM)
        close(batch.nodes["x"], (mask * window).flatten(1))

    def test_gates_on_the_edges_are_those_before_it(self):
        dynamic = make(1, dropout=0.5)
        close(gated(dynamic, 1, train=True).edges["gate"], gated(make(1, dropout=0), 1).edges["gate"])


@on_engines
def test_windows_of_another_size_are_refused(on):
    batch = batch_of(2)
    with engine(on), pytest.raises(ValueError, match="windows of 3 words; here a node has 5"):
        make(1).run(batch)


def test_unknown_switches_are_refused():
    with pytest.raises(ValueError, match=r"filter is .*; use 'one_layer' or 'cnn'"):
        DynamicWindow(DIM, filter="two_layer")
    with pytest.raises(ValueError, match=r"'new'; use 'classic' or 'inverted'"):
        DynamicWindow(DIM, dropout_style="new")


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), "0.5"])
def test_a_share_of_slots_that_is_none_is_refused(share):
    """Of 1.5, say, gates were turned round outside training, and torch refused the draw in it."""
    with pytest.raises(InputError, match=rf"^dropout is {share!r}; give a number from 0 to 1$"):
        DynamicWindow(DIM, dropout=share)
