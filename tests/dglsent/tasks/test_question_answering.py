from __future__ import annotations

import pytest
import torch
from vocabularies import vocabularies_of

from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.tasks.pair_classification import PairClassification
from dglsent.tasks.question_answering import QuestionAnswering
from dglsent.training.data import graph_set
from graphs.errors import InputError
from graphs.formats.brackets import parse_brackets

# question, hypothesis, its label, probability of "true" of a pair
PAIRS = [
    (0, 0, 0, 0.9),  # mean 0.5
    (0, 0, 0, 0.1),
    (0, 1, 1, 0.6),  # mean 0.6: right
    (1, 3, 1, 0.9),  # mean 0.5: the most probable pair is true, the most probable hypothesis is not
    (1, 2, 0, 0.6),  # mean 0.6: wrong
    (1, 3, 1, 0.1),
    (2, 4, 0, 0.2),  # no true hypothesis: wrong
    (3, 5, 1, 0.4),  # as probable as the next: the first answers, right
    (3, 6, 0, 0.4),
]


def outcomes(rows) -> dict[str, torch.Tensor]:
    question, hypothesis, label, probability = map(torch.tensor, zip(*rows, strict=True))
    return {
        "predicted": (probability > 0.5).long(),
        "label": label,
        "probability": probability.double(),
        "question": question,
        "hypothesis": hypothesis,
    }


def test_scores():
    task = QuestionAnswering(4)
    scores = task.scores(outcomes(PAIRS))
    # Pairs: true positives 2 of 4 true ones; 3 of 5 false ones are said to be false.
    assert scores == pytest.approx(
        {
            "accuracy": 5 / 9,
            "f1": 0.5,
            "precision": 0.5,
            "recall": 0.5,
            "balanced_accuracy": (2 / 4 + 3 / 5) / 2,
            "majority": 5 / 9,
            "question_accuracy": 2 / 4,
        },
        abs=1e-6,
    )
    assert tuple(scores) == task.score_names
    assert task.monitor == "accuracy"


def test_classes_count_alike_by_their_recall_and_the_majority_may_be_true():
    """By precision the balance would be 3 / 4."""
    scores = QuestionAnswering(4).scores(outcomes([(0, 0, 1, 0.9), (1, 1, 1, 0.8), (2, 2, 1, 0.1), (3, 3, 0, 0.2)]))
    assert scores["balanced_accuracy"] == pytest.approx((2 / 3 + 1) / 2, abs=1e-6)
    assert scores["majority"] == 0.75


def test_a_class_that_is_none_is_named():
    """NumPy, which counts the classes, told of a list that has negative elements."""
    with pytest.raises(InputError, match=r"^class -1 is to be scored, and there are those from 0 to 1; leave such"):
        QuestionAnswering(4).scores(outcomes([(0, 0, -1, 0.9)]))


def test_the_order_of_pairs_does_not_matter():
    task = QuestionAnswering(4)
    for seed in range(5):
        order = torch.randperm(len(PAIRS), generator=torch.Generator().manual_seed(seed))
        shuffled = {name: column[order] for name, column in outcomes(PAIRS).items()}
        assert task.scores(shuffled) == task.scores(outcomes(PAIRS))


@pytest.mark.parametrize(("question", "accuracy"), [(0, 1), (1, 0), (2, 0), (3, 1)])
def test_a_question_alone(question, accuracy):
    """By sums of probabilities in the place of means questions 0 and 1 would change places."""
    scores = QuestionAnswering(4).scores(outcomes([row for row in PAIRS if row[0] == question]))
    assert scores["question_accuracy"] == accuracy


def test_one_class_alone():
    scores = QuestionAnswering(4).scores(outcomes([(0, 0, 0, 0.2), (0, 1, 0, 0.7)]))
    assert (scores["balanced_accuracy"], scores["majority"], scores["question_accuracy"]) == (0.5, 1, 0)


def batch_of(task: QuestionAnswering) -> Batch:
    trees = [Parsed(constituency=tree) for tree in parse_brackets("(A a)\n(B b)\n(C c)\n(D d)")]
    examples = [
        Example((trees[0], trees[1]), {"label": 1, "question": 7, "hypothesis": 12}),
        Example((trees[2], trees[3]), {"label": 0, "question": 8, "hypothesis": 13}),
    ]
    vocabularies = vocabularies_of(examples, "constituency")
    return graph_set(examples, "constituency", vocabularies, 2, task.targets).batch([0, 1], ())


@pytest.mark.parametrize(
    "options", [{}, {"hidden": 70, "nonlinearity": "relu", "dropout": 0.5, "binary_head": "sigmoid2_bce"}]
)
def test_pairs_are_learnt_as_in_pair_classification(options):
    torch.manual_seed(0)
    task, pairs = QuestionAnswering(4, **options), PairClassification(4, 2, **options)
    pairs.load_state_dict(task.state_dict())
    batch, vectors, losses = batch_of(task), torch.randn(4, 4), []
    for each in (task, pairs):
        torch.manual_seed(1)
        losses.append(each.loss(batch, vectors, vectors).item())
    assert losses[0] == losses[1]


def test_outcomes_of_a_batch():
    torch.manual_seed(0)
    task = QuestionAnswering(4).eval()
    batch = batch_of(task)
    vectors = torch.randn(4, 4)
    found = task.outcomes(batch, vectors, vectors)
    assert found["question"].tolist() == [7, 8]
    assert found["hypothesis"].tolist() == [12, 13]
    assert found["label"].tolist() == [1, 0]
    logits = task.head(vectors[0::2], vectors[1::2])
    assert found["probability"].tolist() == pytest.approx(logits.softmax(-1)[:, 1].tolist(), abs=1e-6)
    assert set(task.scores(found)) == set(task.score_names)
