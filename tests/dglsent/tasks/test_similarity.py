from __future__ import annotations

import pytest
import torch

from dglsent.tasks.similarity import SimilarityHead
from graphs.errors import InputError


def test_equations():
    torch.manual_seed(0)
    head = SimilarityHead(4, 3, hidden=6).double()
    left, right = torch.randn(2, 5, 4, dtype=torch.float64)
    weight, bias = head.hidden.weight, head.hidden.bias
    # W [h_x; h_a] + b, with a matrix for each as the equation has it.
    summed = (left * right) @ weight[:, :4].T + (left - right).abs() @ weight[:, 4:].T + bias
    expected = torch.sigmoid(summed) @ head.output.weight.T + head.output.bias
    assert torch.allclose(head(left, right), expected)
    assert torch.allclose(head(left, right), head(right, left))


def test_relu_in_place_of_the_sigmoid():
    torch.manual_seed(0)
    head = SimilarityHead(4, 3, hidden=6, nonlinearity="relu").double()
    left, right = torch.randn(2, 5, 4, dtype=torch.float64)
    summed = torch.cat([left * right, (left - right).abs()], -1) @ head.hidden.weight.T + head.hidden.bias
    expected = summed.clamp(min=0) @ head.output.weight.T + head.output.bias
    assert torch.allclose(head(left, right), expected)
    with pytest.raises(ValueError, match="nonlinearity is 'tanh'; use 'sigmoid' or 'relu'"):
        SimilarityHead(4, 3, nonlinearity="tanh")


def test_all_features():
    torch.manual_seed(0)
    head = SimilarityHead(4, 3, hidden=6, nonlinearity="relu", features="all").double()
    left, right = torch.randn(2, 5, 4, dtype=torch.float64)
    compared = torch.cat([left, right, (left - right).abs(), left * right], 1)
    hidden = torch.relu(compared @ head.hidden.weight.T + head.hidden.bias)
    assert torch.allclose(head(left, right), hidden @ head.output.weight.T + head.output.bias)
    assert not torch.allclose(head(left, right), head(right, left))
    with pytest.raises(ValueError, match=r"features is 'both'; use 'product_difference' or 'all'"):
        SimilarityHead(4, 3, features="both")


def test_dropout_is_off_at_evaluation():
    head = SimilarityHead(4, 3, dropout=0.5)
    left, right = torch.randn(2, 50, 4)
    assert not torch.equal(head(left, right), head(left, right))
    head.eval()
    assert torch.equal(head(left, right), head(left, right))


@pytest.mark.parametrize("name", ["size", "classes", "hidden"])
@pytest.mark.parametrize("value", [0, -1, "8"])
def test_sizes_that_are_none(name, value):
    """An empty head would give every pair the same logits, or none."""
    with pytest.raises(InputError, match=f"^{name} is {value!r}; give a whole number from 1$"):
        SimilarityHead(**{"size": 4, "classes": 3, "hidden": 6, name: value})


@pytest.mark.parametrize("features", ["product_difference", "all"])
def test_vectors_of_another_size(features):
    head = SimilarityHead(4, 3, features=features)
    with pytest.raises(InputError, match=r"^the states have 5 dimensions; 4 are wanted; make the task with"):
        head(torch.zeros(2, 5), torch.zeros(2, 5))


@pytest.mark.parametrize(("left", "right"), [(2, 1), (1, 2), (3, 2)])
def test_sentences_that_are_no_pairs(left, right):
    """torch would compare one with all."""
    with pytest.raises(InputError, match=f"^{left} left and {right} right sentences are no pairs; give them as "):
        SimilarityHead(4, 3)(torch.zeros(left, 4), torch.zeros(right, 4))


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), "0.5"])
def test_a_share_that_is_none(share):
    with pytest.raises(InputError, match=f"^dropout is {share!r}; give a number from 0 to 1$"):
        SimilarityHead(4, 3, dropout=share)
