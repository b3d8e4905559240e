from __future__ import annotations

import pytest
import torch
from vocabularies import vocabularies_of

from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.tasks.classification import Classification
from dglsent.training.data import graph_set
from graphs.errors import InputError
from graphs.formats.brackets import parse_brackets

TEXT = "(4 (2 a) (3 (1 b) (0 c)))\n(1 d)\n(0 (3 a) (3 b))"


def batch_of(labels: list[list[int]], task: Classification) -> Batch:
    trees = parse_brackets(TEXT)
    examples = [
        Example((Parsed(constituency=tree, labels=label),), {"label": label[0]})
        for tree, label in zip(trees, labels, strict=True)
    ]
    vocabularies = vocabularies_of(examples, "constituency")
    return graph_set(examples, "constituency", vocabularies, 1, task.targets).batch([0, 1, 2], ())


@pytest.fixture
def labels() -> list[list[int]]:
    return [[int(label) for label in tree.label] for tree in parse_brackets(TEXT)]


def test_loss_is_summed_over_labelled_nodes_and_averaged_over_trees(labels):
    torch.manual_seed(0)
    task = Classification(4, 5, dropout=0.0)
    labels[0][3] = -1
    batch = batch_of(labels, task)
    states = torch.randn(batch.num_nodes, 4)
    vectors = batch.at_roots(states)
    logs = (states @ task.output.weight.T + task.output.bias).log_softmax(-1)
    flat = [label for tree in labels for label in tree]
    expected = -sum(logs[node, label] for node, label in enumerate(flat) if label >= 0) / 3
    assert task.loss(batch, states, vectors).item() == pytest.approx(expected.item(), rel=1e-6)


def test_a_hidden_layer_stands_between_state_and_classes(labels):
    task = Classification(4, 5, dropout=1.0, hidden=7)
    assert task.hidden.out_features == 7
    batch = batch_of(labels, task)
    states = torch.randn(batch.num_nodes, 4)
    compared = (states @ task.hidden.weight.T + task.hidden.bias).clamp(min=0)
    logits = compared @ task.output.weight.T + task.output.bias
    found = task.eval().outcomes(batch, states, batch.at_roots(states))["predicted"]
    assert torch.equal(found, batch.at_roots(logits).argmax(-1))
    bias = task.output.bias.log_softmax(-1)  # dropping all leaves the last bias alone
    wanted = -sum(bias[label] for tree in labels for label in tree) / 3
    assert task.train().loss(batch, states, batch.at_roots(states)).item() == pytest.approx(wanted.item(), rel=1e-5)


def test_states_are_dropped_before_a_hidden_layer_too(labels):
    """Of those that are, nothing reaches the loss."""
    torch.manual_seed(0)
    task = Classification(400, 5, dropout=0.25, hidden=70)
    vectors = torch.randn(3, 400, requires_grad=True)
    task.loss(batch_of(labels, task), torch.randn(9, 400), vectors).backward()
    assert 0.2 < (vectors.grad == 0).double().mean() < 0.3


def test_sentence_label_is_learnt_at_the_sentence_vector(labels):
    task = Classification(4, 5, dropout=0.0)
    batch = batch_of(labels, task)
    states = torch.randn(batch.num_nodes, 4, requires_grad=True)
    vectors = torch.randn(3, 4, requires_grad=True)
    task.loss(batch, states, vectors).backward()
    assert states.grad is not None
    assert vectors.grad is not None
    assert (states.grad[batch.roots] == 0).all()
    assert (states.grad.abs().sum(-1) > 0).sum() == batch.num_nodes - 3
    assert (vectors.grad.abs().sum(-1) > 0).all()


def test_without_phrases_only_sentences_are_learnt(labels):
    task = Classification(4, 5, dropout=0.0, phrases=False)
    batch = batch_of(labels, task)
    vectors = torch.randn(3, 4)
    logs = (vectors @ task.output.weight.T + task.output.bias).log_softmax(-1)
    wanted = -sum(logs[sentence, label[0]] for sentence, label in enumerate(labels)).item() / 3
    assert task.loss(batch, torch.randn(batch.num_nodes, 4), vectors).item() == pytest.approx(wanted, rel=1e-6)


def test_phrases_of_more_classes_than_sentences_have_can_be_left_out(labels):
    labels[1][0] = 0  # of a sentence
    states = torch.randn(9, 4)
    task = Classification(4, 4)
    labels[2][0] = labels[0][0] = 3
    labels[0][1] = 5
    batch = batch_of(labels, task)
    with pytest.raises(InputError, match=r"^class 5 is to be learnt, .* 0 to 3; where phrases have .*, phrases=False"):
        task.loss(batch, states, batch.at_roots(states))
    task.phrases = False
    assert task.loss(batch, states, batch.at_roots(states)).isfinite()


def test_a_class_that_is_never_chosen(labels):
    task = Classification(2, 3, choose=2).eval()
    with torch.no_grad():
        task.output.weight.copy_(torch.tensor([[0.0, 0.0], [1.0, 0.0], [100.0, 100.0]]))
        task.output.bias.zero_()
    batch, vectors = batch_of(labels, task), torch.tensor([[1.0, 1.0], [-1.0, 2.0], [1.0, 3.0]])
    states = torch.ones(batch.num_nodes, 2)
    assert task.outcomes(batch, states, vectors)["predicted"].tolist() == [1, 0, 1]
    said = task.predict(batch, states, vectors, ["a", "b"])
    assert [one["label"] for one in said] == ["b", "a", "b"]
    assert [sum(one["probabilities"].values()) for one in said] == pytest.approx([1, 1, 1], abs=1e-5)
    assert [node["label"] for node in said[0]["nodes"]] == ["b"] * 5


@pytest.mark.parametrize(
    ("predicted", "label", "expected"),
    [
        ([1, 1, 0, 1], [1, 0, 1, 1], {"accuracy": 0.5, "f1": 2 / 3, "precision": 2 / 3, "recall": 2 / 3}),
        ([0, 0], [1, 1], {"accuracy": 0, "f1": 0, "precision": 0, "recall": 0}),
        ([0, 0], [0, 0], {"accuracy": 1, "f1": 0, "precision": 0, "recall": 0}),
        ([1, 1, 1, 0], [1, 0, 0, 0], {"accuracy": 0.5, "f1": 0.5, "precision": 1 / 3, "recall": 1}),
    ],
)
def test_scores_of_two_classes(predicted, label, expected):
    outcomes = {"predicted": torch.tensor(predicted), "label": torch.tensor(label)}
    assert Classification(2, 2).scores(outcomes) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("task", [Classification(2, 1), Classification(2, 3, choose=1)])
def test_one_class_alone_cannot_be_scored(task):
    """The line was that of torchmetrics, which tells of num_classes."""
    right = torch.tensor([0, 0])
    with pytest.raises(InputError, match=r"^classes is 1; give a whole number from 2$"):
        task.scores({"predicted": right, "label": right})


@pytest.mark.parametrize("label", [-1, 2])
def test_a_class_that_is_none_cannot_be_scored(label):
    outcomes = {"predicted": torch.tensor([0, 1]), "label": torch.tensor([0, label])}
    with pytest.raises(
        InputError, match=f"^class {label} is to be scored, and there are those from 0 to 1; leave such"
    ):
        Classification(2, 2).scores(outcomes)


@pytest.mark.parametrize("hidden", [None, 3])
def test_states_of_another_size(labels, hidden):
    task = Classification(4, 5, hidden=hidden)
    batch = batch_of(labels, task)
    states = torch.zeros(batch.num_nodes, 6)
    with pytest.raises(
        InputError, match=r"^the states have 6 dimensions; 4 are wanted; make the task with the encoder's"
    ):
        task.loss(batch, states, states[:3])


def test_scores_of_five_classes():
    outcomes = {"predicted": torch.tensor([0, 1, 2, 3, 4, 0, 3]), "label": torch.tensor([0, 1, 2, 3, 4, 3, 3])}
    task = Classification(2, 5)
    assert task.scores(outcomes) == pytest.approx({"accuracy": 6 / 7}, abs=1e-6)
    assert task.score_names == ("accuracy",)


def test_phrases_are_said_to_be_what_their_states_say(labels):
    """And the root what the sentence is, whatever the readout made of it."""
    torch.manual_seed(0)
    task = Classification(4, classes=5).eval()
    batch = batch_of(labels, task)
    states, vectors = 9 * torch.randn(batch.num_nodes, 4), 9 * torch.randn(3, 4)
    for names, counted in (("ab", "2 names"), ("abcdef", "6 names"), ("a", "1 name")):
        with pytest.raises(InputError, match=f"^{counted} for 5 classes; give one a class$"):
            task.predict(batch, states, vectors, list(names))
    said = task.predict(batch, states, vectors, list("abcde"))
    wanted = task.output(states).argmax(-1)
    wanted[batch.roots] = task.output(vectors).argmax(-1)
    assert len(set(wanted.tolist())) > 2
    assert [node["label"] for one in said for node in one["nodes"]] == ["abcde"[each] for each in wanted]
    assert list(task.predict(batch, states, vectors, [])[0]["probabilities"]) == ["0", "1", "2", "3", "4"]


def test_more_classes_to_choose_from_than_there_are_are_refused():
    with pytest.raises(ValueError, match="choose 4; give a number of classes from 1 to 3, or none for all"):
        Classification(2, 3, choose=4)


@pytest.mark.parametrize("name", ["size", "classes"])
def test_sizes_that_are_none(name):
    with pytest.raises(InputError, match=f"^{name} is 0; give a whole number from 1$"):
        Classification(**{"size": 2, "classes": 3, name: 0})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"hidden": -1}, "hidden is -1; give a whole number from 0"),
        *(({"choose": choose}, f"choose is {choose!r}; give a whole number from 0") for choose in (-1, "2", 2.0)),
        ({"hidden": "8"}, "hidden is '8'; give a whole number from 0"),
        ({"dropout": float("nan")}, "dropout is nan; give a number from 0 to 1"),
    ],
)
def test_further_numbers_that_are_none(wrong, said):
    with pytest.raises(InputError, match=f"^{said}$"):
        Classification(2, 3, **wrong)
