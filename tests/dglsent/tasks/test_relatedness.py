from __future__ import annotations

import math

import pytest
import torch
from vocabularies import vocabularies_of

from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.tasks.relatedness import Relatedness, target_distribution
from dglsent.training.data import graph_set
from graphs.errors import InputError
from graphs.formats.conllu import parse_conllu

WORD = "1\t{}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def batch_of(scores: list[float]) -> Batch:
    sentences = [Parsed(dependencies=one) for one in parse_conllu("".join(map(WORD.format, "abcdef")))]
    examples = [Example((sentences[2 * i], sentences[2 * i + 1]), {"score": s}) for i, s in enumerate(scores)]
    vocabularies = vocabularies_of(examples, "dependency")
    return graph_set(examples, "dependency", vocabularies, 2, Relatedness.targets).batch(range(len(scores)), ())


def test_target_distribution_of_every_score():
    scores = [round(1 + step / 10, 1) for step in range(41)]
    wanted = target_distribution(torch.tensor(scores, dtype=torch.float64), 1, 5)
    assert wanted.shape == (41, 5)
    assert (wanted >= 0).all()
    assert torch.allclose(wanted.sum(-1), torch.ones(41, dtype=torch.float64))
    scale = torch.arange(1, 6, dtype=torch.float64)
    assert torch.allclose(wanted @ scale, torch.tensor(scores, dtype=torch.float64), atol=1e-9)
    for score, row in zip(scores, wanted.tolist(), strict=True):
        places = [place for place, share in enumerate(row, 1) if share]
        assert set(places) <= {math.floor(score), math.ceil(score)}


def test_target_distribution_at_the_ends_and_beyond():
    wanted = target_distribution(torch.tensor([0.0, 5.0, 7.5, 3.9999998], dtype=torch.float64), 1, 5)
    assert wanted.tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]]


@pytest.mark.parametrize("reduction", ["batchmean", "mean"])
def test_loss(reduction):
    torch.manual_seed(0)
    task = Relatedness(4, hidden=3, kl_reduction=reduction)
    batch = batch_of([4.5, 1.0, 3.2])
    vectors = torch.randn(6, 4)
    total = 0.0
    for pair, score in enumerate([4.5, 1.0, 3.2]):
        left, right = vectors[2 * pair], vectors[2 * pair + 1]
        compared = torch.cat([left * right, (left - right).abs()])
        hidden = torch.sigmoid(task.head.hidden.weight @ compared + task.head.hidden.bias)
        predicted = (task.head.output.weight @ hidden + task.head.output.bias).softmax(-1)
        low = min(math.floor(score), 4)
        for grade, share in ((low, low + 1 - score), (low + 1, score - low)):
            if share:
                total += share * (math.log(share) - math.log(predicted[grade - 1].item()))
    expected = total / 3 / (5 if reduction == "mean" else 1)
    assert task.loss(batch, vectors, vectors).item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("score", [1.0, 3.2, 4.5, 5.0])
def test_the_loss_of_a_right_prediction_is_zero(score):
    """KL(p || p) = 0, between grades and at a grade, where a share is 0."""
    task = Relatedness(4, hidden=3)
    low = min(math.floor(score), 4)
    shares = torch.zeros(5)
    shares[low - 1], shares[low] = low + 1 - score, score - low
    with torch.no_grad():
        task.head.output.weight.zero_()
        task.head.output.bias.copy_(shares.clamp(min=1e-30).log())
    assert task.loss(batch_of([score]), *[torch.randn(2, 4)] * 2).item() == pytest.approx(0, abs=1e-6)


def test_pairs_stand_side_by_side_and_their_order_does_not_matter():
    task = Relatedness(4)
    batch = batch_of([4.5, 1.0, 3.2])
    assert batch.size == 6
    vectors = torch.randn(6, 4)
    scores = task.outcomes(batch, vectors, vectors)
    swapped = vectors.view(3, 2, 4).flip(1).reshape(6, 4)
    assert torch.allclose(task.outcomes(batch, swapped, swapped)["predicted"], scores["predicted"])
    assert scores["score"].tolist() == [4.5, 1.0, 3.2]
    shuffled = vectors[[2, 3, 0, 1, 4, 5]]
    assert torch.allclose(task.outcomes(batch, shuffled, shuffled)["predicted"], scores["predicted"][[1, 0, 2]])


def test_a_prediction_is_the_mean_of_the_numbers_of_the_scale_by_their_probabilities():
    task, shares = Relatedness(4, low=2, high=5, hidden=3), [0.1, 0.2, 0.3, 0.4]
    with torch.no_grad():
        task.head.output.weight.zero_()
        task.head.output.bias.copy_(torch.tensor(shares).log())
    (said,) = task.predict(batch_of([3.0]), *[torch.randn(2, 4)] * 2, [])
    assert said["score"] == pytest.approx(4.0, abs=1e-5)
    assert said["probabilities"] == pytest.approx(dict(zip("2345", shares, strict=True)), abs=1e-5)


def test_the_head_has_the_sizes_and_the_dropout_of_the_task():
    head = Relatedness(4, low=2, high=5, hidden=7, dropout=0.25).head
    assert (head.hidden.out_features, head.output.out_features, head.dropout.p) == (7, 4, 0.25)


def test_scores():
    outcomes = {
        "predicted": torch.tensor([1.0, 2.0, 2.0, 4.0], dtype=torch.float64),
        "score": torch.tensor([1.0, 3.0, 2.0, 5.0], dtype=torch.float64),
    }
    # Ranks of the predictions 1, 2.5, 2.5, 4 and of the scores 1, 3, 2, 4.
    assert Relatedness(2).scores(outcomes) == pytest.approx(
        {"pearson": 6.25 / math.sqrt(4.75 * 8.75), "spearman": 4.5 / math.sqrt(4.5 * 5), "mse": 0.5}, abs=1e-9
    )


def test_constant_predictions_have_no_correlation():
    outcomes = {
        "predicted": torch.full((5,), 3.0, dtype=torch.float64),
        "score": torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.float64),
    }
    scores = Relatedness(2).scores(outcomes)
    assert math.isnan(scores["pearson"])
    assert math.isnan(scores["spearman"])
    assert scores["mse"] == pytest.approx(2.0)
    single = {name: value[:1] for name, value in outcomes.items()}
    assert math.isnan(Relatedness(2).scores(single)["pearson"])
    # Of seven the mean is another number than each, and a correlation of what is left would be 0.
    uneven = {"predicted": torch.full((7,), 2.7, dtype=torch.float64), "score": torch.arange(7.0, dtype=torch.float64)}
    for one in (uneven, {"predicted": uneven["score"], "score": uneven["predicted"]}):
        assert math.isnan(Relatedness(2).scores(one)["pearson"])


@pytest.mark.parametrize("shape", [(1,), (2, 1), ()])
def test_scores_of_another_shape_are_not_spread(shape):
    batch, vectors = batch_of([1.0, 2.0]), torch.zeros(4, 3)
    batch.targets["score"] = torch.ones(shape)
    with pytest.raises(InputError, match=r"^scores are of the shape \[.*\]; give one a pair, \[2\]$"):
        Relatedness(3).loss(batch, vectors, vectors)


def test_of_an_error_a_lower_one_is_better():
    task = Relatedness(2)
    assert task.mode == "max"
    task.monitor = "mse"
    assert task.mode == "min"


@pytest.mark.parametrize("low", [5, 6, 9])
def test_a_scale_of_no_two_grades_is_refused(low):
    with pytest.raises(ValueError, match=f"low {low} is not below high 5"):
        Relatedness(4, low=low, high=5)


@pytest.mark.parametrize(("end", "value"), [("low", 0.5), ("high", 4.5), ("high", "5")])
def test_a_scale_between_whole_numbers_is_refused(end, value):
    with pytest.raises(ValueError, match=f"^{end} is {value!r}; give a whole number$"):
        Relatedness(4, **{end: value})


def test_predictions_that_are_no_numbers_have_no_correlation():
    outcomes = {"predicted": torch.tensor([math.nan] * 3), "score": torch.tensor([1.0, 2.0, 3.0])}
    assert all(math.isnan(score) for score in Relatedness(4).scores(outcomes).values())
