from __future__ import annotations

import pytest
import torch

from dglsent.nn.embeddings import WordEmbedding
from dglsent.training.optimisers import DenseGradient, optimiser
from dglsent.training.recipe import OptimiserOptions

BATCHES = [[3, 1, 3], [2, 0], [0, 0], [1, 4, 2, 2]]


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
