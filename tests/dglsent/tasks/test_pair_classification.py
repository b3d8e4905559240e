from __future__ import annotations

import math

import pytest
import torch
from vocabularies import vocabularies_of

from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.tasks.pair_classification import PairClassification
from dglsent.training.data import graph_set
from graphs import fields
from graphs.errors import InputError
from graphs.formats.brackets import parse_brackets

TEXT = "(S (A a) (B b))\n(C c)\n(D d)\n(S (E e) (F f))\n(G g)\n(H h)"


def batch_of(task: PairClassification, labels: list[int], target: str = "label") -> Batch:
    sentences = [Parsed(constituency=tree) for tree in parse_brackets(TEXT)]
    examples = [Example((sentences[2 * i], sentences[2 * i + 1]), {target: label}) for i, label in enumerate(labels)]
    vocabularies = vocabularies_of(examples, "constituency")
    return graph_set(examples, "constituency", vocabularies, 2, task.targets).batch(range(len(labels)), ())


def logits_of(task: PairClassification, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    compared = torch.cat([left * right, (left - right).abs()])
    hidden = task.head.hidden.weight @ compared + task.head.hidden.bias
    hidden = hidden.clamp(min=0) if task.head.nonlinearity is torch.relu else 1 / (1 + (-hidden).exp())
    return (task.head.output.weight @ hidden + task.head.output.bias).detach()


@pytest.mark.parametrize(("nonlinearity", "target"), [("sigmoid", "label"), ("relu", "entailment")])
def test_loss_is_the_mean_cross_entropy(nonlinearity, target):
    torch.manual_seed(0)
    task = PairClassification(4, 3, hidden=6, nonlinearity=nonlinearity, target=target)
    labels = [2, 0, 1]
    batch = batch_of(task, labels, target)
    vectors = torch.randn(6, 4)
    total = 0.0
    for pair, label in enumerate(labels):
        scores = logits_of(task, vectors[2 * pair], vectors[2 * pair + 1]).exp()
        total -= math.log(scores[label] / scores.sum())
    assert task.loss(batch, vectors, vectors).item() == pytest.approx(total / 3, rel=1e-5)


def test_the_first_sentence_of_a_pair_is_the_left_one():
    torch.manual_seed(0)
    task, vectors = PairClassification(4, 3, features="all"), torch.randn(6, 4)
    wanted = task.head(vectors[[0, 2, 4]], vectors[[1, 3, 5]]).double().softmax(-1)
    torch.testing.assert_close(task.probabilities(vectors), wanted)


def test_loss_of_two_sigmoids():
    torch.manual_seed(0)
    task = PairClassification(4, 2, hidden=6, binary_head="sigmoid2_bce")
    labels = [1, 0, 1]
    batch = batch_of(task, labels)
    vectors = torch.randn(6, 4)
    total = 0.0
    for pair, label in enumerate(labels):
        yes = torch.sigmoid(logits_of(task, vectors[2 * pair], vectors[2 * pair + 1]))
        total -= math.log(yes[label]) + math.log(1 - yes[1 - label])
    assert task.loss(batch, vectors, vectors).item() == pytest.approx(total / 6, rel=1e-5)
    (row,) = task.predict(batch, vectors[:2], vectors[:2], ["no", "yes"])
    sigmoids = torch.sigmoid(logits_of(task, vectors[0], vectors[1]))
    assert row["label"] == ("no", "yes")[int(sigmoids.argmax())]
    assert list(row["probabilities"].values()) == pytest.approx((sigmoids / sigmoids.sum()).tolist(), abs=1e-5)


@pytest.mark.parametrize("binary_head", ["softmax_ce", "sigmoid2_bce"])
def test_a_pair_without_a_class_adds_nothing_to_the_loss(binary_head):
    """Two sigmoids learnt -1 as the first class twice and the second less than none."""
    torch.manual_seed(0)
    task = PairClassification(4, 2, hidden=6, binary_head=binary_head)
    vectors = torch.randn(6, 4)
    of_two = task.loss(batch_of(task, [1, 0]), vectors[:4], vectors[:4])
    assert task.loss(batch_of(task, [1, 0, -1]), vectors, vectors).item() == pytest.approx(of_two.item() * 2 / 3)
    assert task.loss(batch_of(task, [-1, -1, -1]), vectors, vectors) == 0


def test_two_sigmoids_refuse_a_class_beyond_them():
    task = PairClassification(4, 2, binary_head="sigmoid2_bce")
    with pytest.raises(InputError, match=r"^class 2 is to be learnt, and the task has those from 0 to 1"):
        task.loss(batch_of(task, [1, 2, 0]), torch.zeros(6, 4), torch.zeros(6, 4))


@pytest.mark.parametrize(("logits", "label"), [([-800.0, -790.0], "yes"), ([700.0, 3.0], "no")])
def test_two_sigmoids_of_large_numbers(logits, label, monkeypatch):
    """Both sigmoids may be 0 in float64."""
    task = PairClassification(4, 2, hidden=6, binary_head="sigmoid2_bce")
    monkeypatch.setattr(task, "_logits", lambda vectors: torch.tensor([logits]))
    (row,) = task.predict(batch_of(task, [1]), torch.empty(0), torch.zeros(2, 4), ["no", "yes"])
    assert sum(row["probabilities"].values()) == pytest.approx(1)
    assert row["label"] == label


def test_the_head_is_made_as_the_task_is_told():
    head = PairClassification(4, 3, hidden=7, dropout=0.25, features="all").head
    assert (head.hidden.in_features, head.hidden.out_features, head.dropout.p) == (16, 7, 0.25)


@pytest.mark.parametrize("classes", [1, 3])
def test_two_sigmoids_are_for_two_classes(classes):
    with pytest.raises(ValueError, match=f"sigmoid2_bce is for two classes, not {classes}"):
        PairClassification(4, classes, binary_head="sigmoid2_bce")


def test_the_label_of_a_pair_is_no_label_of_nodes():
    task = PairClassification(4, 2)
    batch = batch_of(task, [1, 0, 1])
    assert fields.LABEL not in batch.nodes
    assert batch.targets["label"].tolist() == [1, 0, 1]


def test_outcomes_and_predictions_agree():
    torch.manual_seed(1)
    task = PairClassification(4, 3).eval()
    batch = batch_of(task, [2, 0, 1])
    vectors = 10 * torch.randn(6, 4)
    outcomes = task.outcomes(batch, vectors, vectors)
    assert outcomes["label"].tolist() == [2, 0, 1]
    predictions = task.predict(batch, vectors, vectors, ["a", "b", "c"])
    assert [row["label"] for row in predictions] == ["abc"[number] for number in outcomes["predicted"].tolist()]
    for row in predictions:
        assert sum(row["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert row["label"] == max(row["probabilities"], key=row["probabilities"].get)
    assert set(task.predict(batch, vectors, vectors, [])[0]["probabilities"]) == {"0", "1", "2"}


def test_scores_of_two_classes():
    outcomes = {"predicted": torch.tensor([1, 1, 0, 1, 0]), "label": torch.tensor([1, 0, 1, 1, 0])}
    task = PairClassification(4, 2)
    expected = {"accuracy": 3 / 5, "f1": 2 / 3, "precision": 2 / 3, "recall": 2 / 3}
    assert task.scores(outcomes) == pytest.approx(expected, abs=1e-6)
    assert tuple(expected) == task.score_names
    nothing = {"predicted": torch.tensor([0, 0]), "label": torch.tensor([1, 1])}
    assert task.scores(nothing) == {"accuracy": 0, "f1": 0, "precision": 0, "recall": 0}


def test_scores_of_three_classes():
    outcomes = {"predicted": torch.tensor([0, 1, 2, 2]), "label": torch.tensor([0, 1, 1, 2])}
    task = PairClassification(4, 3, target="entailment")
    assert task.scores(outcomes) == {"accuracy": 0.75}
    assert task.score_names == ("accuracy",)
    assert list(task.targets) == ["entailment"]
