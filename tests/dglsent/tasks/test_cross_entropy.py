from __future__ import annotations

import math

import pytest
import torch

from dglsent.tasks.cross_entropy import cross_entropy
from graphs.errors import InputError


def test_it_is_summed_without_examples_that_have_no_class():
    logits, label = torch.tensor([[0.0, math.log(3)], [5.0, 7.0], [0.0, 0.0]]), torch.tensor([1, -1, 0])
    assert cross_entropy(logits, label).item() == pytest.approx(math.log(4 / 3) + math.log(2))


@pytest.mark.parametrize("label", [2, 7, -2])
def test_a_class_that_is_none_of_the_task_is_named(label):
    """It was a bare IndexError."""
    said = f"^class {label} is to be learnt, and the task has those from 0 to 1; "
    with pytest.raises(InputError, match=f"{said}give it as many as there are$"):
        cross_entropy(torch.zeros(3, 2), torch.tensor([0, -1, label]))
    with pytest.raises(InputError, match=f"{said}take others$"):
        cross_entropy(torch.zeros(3, 2), torch.tensor([0, -1, label]), hint="take others")


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (torch.zeros(2, dtype=torch.int64), r"classes are of the shape \[2\], and scores of \[3, 4\]; give \[3\]"),
        (
            torch.zeros(3, 1, dtype=torch.int64),
            r"classes are of the shape \[3, 1\], and scores of \[3, 4\]; give \[3\]",
        ),
        (torch.zeros(3), r"classes are torch\.float32; give torch\.int64, as label\.long\(\)"),
        (torch.zeros(3, dtype=torch.int32), r"classes are torch\.int32; give torch\.int64"),
    ],
)
def test_classes_of_another_shape_or_type(label, said):
    """What torch says of them names neither what they are of nor what to do."""
    with pytest.raises(InputError, match=f"^{said}"):
        cross_entropy(torch.zeros(3, 4), label)


def test_other_errors_of_torch_stay():
    with pytest.raises(RuntimeError, match="not implemented for"):
        cross_entropy(torch.zeros(3, 4, dtype=torch.int64), torch.zeros(3, dtype=torch.int64))
