from __future__ import annotations

import math

import pytest
import torch
from safetensors.torch import load_file
from tiny import TINY, recipe

from dglsent.nn.embeddings import WordEmbedding
from dglsent.training.optimisers import DenseGradient, clip_gradients, optimiser, takes_sparse
from dglsent.training.recipe import OptimiserOptions

BATCHES = [[3, 1, 3], [2, 0], [0, 0], [1, 4, 2, 2]]
RULES = {
    "adagrad": torch.optim.Adagrad,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
    "adadelta": torch.optim.Adadelta,
}


def embedding(sparse):
    torch.manual_seed(0)
    return WordEmbedding(5, 3, sparse=sparse)


def loss(embedding, words):
    vectors = embedding(torch.tensor(words))
    return (vectors * torch.arange(1.0, vectors.numel() + 1).view_as(vectors)).square().sum()


def test_a_sparse_gradient_made_dense_is_the_dense_one():
    sparse, dense, make_dense = embedding(True), embedding(False), DenseGradient()
    for words in BATCHES:
        for each in (sparse, dense):
            each.weight.grad = None
            loss(each, words).backward()
        assert sparse.weight.grad.is_sparse
        make_dense(sparse.weight)
        torch.testing.assert_close(sparse.weight.grad, dense.weight.grad)


def test_its_memory_is_kept():
    sparse, make_dense = embedding(True), DenseGradient()
    places = set()
    for words in BATCHES:
        sparse.weight.grad = None
        loss(sparse, words).backward()
        make_dense(sparse.weight)
        places.add(sparse.weight.grad.data_ptr())
    assert len(places) == 1


def test_a_dense_gradient_and_none_stay():
    dense, make_dense = embedding(False), DenseGradient()
    make_dense(dense.weight)
    assert dense.weight.grad is None
    loss(dense, [1, 2]).backward()
    before = dense.weight.grad
    make_dense(dense.weight)
    assert dense.weight.grad is before


@pytest.mark.parametrize(("start", "step"), [(0.0, 0.05), (3e-8, 0.025)])
def test_what_adagrads_sum_of_squares_starts_from(start, step):
    """A first gradient of 1e-4 is a step of lr 1e-4 / sqrt(start + 1e-8)."""
    module = WordEmbedding(2, 1, vectors=torch.ones(2, 1))
    made = optimiser(module, module.weight, OptimiserOptions(lr=0.05, initial_accumulator=start))
    (1e-4 * module(torch.tensor([1])).sum()).backward()
    made.step()
    assert module.weight[1].item() == pytest.approx(1 - step, abs=1e-5)


@pytest.mark.parametrize("name", ["adam", "adamw", "adadelta"])
def test_steps_are_those_of_a_dense_gradient(name):
    """Also for words that a batch lacks, whose running means go on."""
    weights = []
    for sparse in (False, True):
        module = embedding(sparse)
        steps, make_dense = optimiser(module, module.weight, OptimiserOptions(name=name, lr=0.1)), DenseGradient()
        for words in BATCHES:
            steps.zero_grad()
            loss(module, words).backward()
            make_dense(module.weight)
            steps.step()
        weights.append(module.weight)
    torch.testing.assert_close(*weights)
    assert (weights[0][1:] != embedding(False).weight[1:]).all()


@pytest.mark.parametrize("name", RULES)
def test_steps_are_those_of_torchs_rule_with_l2_as_it_has_it(name):
    """Of AdamW the penalty is no part of the gradient, of the others it is."""
    torch.manual_seed(0)
    ours, plain = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    plain.load_state_dict(ours.state_dict())
    options = OptimiserOptions(name=name, lr=0.1, weight_decay=0.05)
    rules = optimiser(ours, embedding(False).weight, options), RULES[name](plain.parameters(), 0.1, weight_decay=0.05)
    for _ in range(20):
        x = torch.randn(4, 3)
        for module, rule in zip((ours, plain), rules, strict=True):
            rule.zero_grad()
            module(x).square().sum().backward()
            rule.step()
    torch.testing.assert_close(ours.state_dict(), plain.state_dict())


@pytest.mark.parametrize("name", RULES)
def test_word_vectors_have_a_rate_of_their_own(name):
    """Of two weights with one gradient that of a word goes half as far."""
    words, layer = WordEmbedding(2, 1, vectors=torch.ones(2, 1)), torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(layer.weight)
    options = OptimiserOptions(name=name, lr=0.1, embedding_lr_scale=0.5)
    made = optimiser(torch.nn.ModuleList([words, layer]), words.weight, options)
    layer(words(torch.tensor([1]))).sum().backward()
    made.step()
    assert layer.weight.item() < 1
    assert 1 - words.weight[1].item() == pytest.approx((1 - layer.weight.item()) / 2, rel=1e-3)


@pytest.mark.parametrize(("momentum", "further"), [(0.0, 0.0), (0.5, 0.05)])
def test_momentum_of_sgd_moves_words_on_that_a_batch_lacks(momentum, further):
    words, options = embedding(False), OptimiserOptions(name="sgd", lr=0.1, momentum=momentum)
    torch.nn.init.ones_(words.weight)
    made = optimiser(words, words.weight, options)
    for word in (1, 2):
        made.zero_grad()
        words(torch.tensor([word])).sum().backward()
        made.step()
    assert words.weight[1:4, 0].tolist() == pytest.approx([0.9 - further, 0.9, 1.0])
    assert takes_sparse(options) == (not momentum)


@pytest.mark.parametrize("longest", [0.1, 1e9])
def test_clipped_gradients_are_torchs_and_sparse_ones_the_same(longest):
    def gradients(sparse, clip):
        words, layer = embedding(sparse), torch.nn.Linear(3, 1)
        torch.nn.init.ones_(layer.weight)
        unused = torch.nn.Parameter(torch.ones(2))
        layer(words(torch.tensor([3, 1, 3]))).square().sum().backward()
        clip([words.weight, unused, *layer.parameters()], longest)
        return [words.weight.grad.to_dense(), layer.weight.grad, layer.bias.grad]

    wanted = gradients(False, torch.nn.utils.clip_grad_norm_)
    assert torch.cat([each.flatten() for each in wanted]).norm() < (0.11 if longest < 1 else 1e9)
    for sparse in (False, True):
        torch.testing.assert_close(gradients(sparse, clip_gradients), wanted)


def test_without_gradients_there_is_nothing_to_clip():
    weight = torch.nn.Parameter(torch.ones(2))
    clip_gradients([weight], 1.0)
    assert weight.grad is None


def test_gradients_of_zero_stay():
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.zeros(2)
    clip_gradients([weight], 1.0)
    assert weight.grad.tolist() == [0, 0]


def test_no_step_of_a_clipped_run_is_longer(tmp_path, program):
    """By SGD at a rate of 1, the steps of 2 epochs of 60 examples lead no farther than as many times the norm."""
    text, steps = f"{TINY}optimiser: {{name: sgd, lr: 1.0}}\n", 2 * math.ceil(60 / 8)
    weights = {}
    for clip in ("1e-30", "1e-3", "null"):
        program("fit", recipe(tmp_path, text), "--out", tmp_path / clip, "--training.clip", clip)
        weights[clip] = load_file(tmp_path / clip / "weights.safetensors")

    def far(clip):
        return math.sqrt(sum((weights[clip][key] - start).square().sum() for key, start in weights["1e-30"].items()))

    assert 0 < far("1e-3") <= steps * 1e-3 < far("null")


@pytest.mark.parametrize("clip", ["0", "-1", "long"])
def test_norms_that_cannot_be(clip, tmp_path, program):
    program.refuses(
        "fit", recipe(tmp_path, TINY), "--out", tmp_path / "run", "--training.clip", clip, saying=["training.clip"]
    )
