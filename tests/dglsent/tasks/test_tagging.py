from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F  # noqa: N812
from vocabularies import vocabularies_of

from dglsent.corpora.example import Example, Parsed
from dglsent.passing import Batch
from dglsent.tasks.tagging import Tagging
from dglsent.training.data import graph_set
from dglsent.training.model import gather
from graphs.builders import chain
from graphs.columns import Tagged
from graphs.errors import InputError, Origin
from graphs.features import Vocabularies

LABELS = ("O", "B-X", "I-X")
SENTENCES = [("a b c", [1, 2, 0]), ("d", [0]), ("e f", [0, 1])]


def batch_of(kind: str, sentences=SENTENCES):
    examples = [Example((Parsed(unparsed=Tagged(text.split()), labels=gold),)) for text, gold in sentences]
    vocabularies = vocabularies_of(examples, kind)
    return graph_set(examples, kind, vocabularies, 1, {}, token_labels=True).batch(range(len(examples)), ())


def task_of(**options) -> Tagging:
    torch.manual_seed(1)
    return Tagging(4, LABELS, **options).eval()


@pytest.mark.parametrize("kind", ["chain", "window", "complete"])
@pytest.mark.parametrize("crf", [False, True])
def test_loss_is_summed_over_tokens_and_averaged_over_sentences(kind, crf):
    batch, task = batch_of(kind), task_of(crf=crf, dropout=0.0)
    states = torch.randn(batch.num_nodes, 4)
    token = batch.nodes["position"] >= 0
    parts = task.output(states[token]).split([3, 1, 2])
    gold = [torch.tensor(gold) for _, gold in SENTENCES]
    if crf:
        ones = torch.ones(1, 3, dtype=torch.bool)
        losses = [
            task.crf.loss(part[None], tags[None], ones[:, : len(tags)]) for part, tags in zip(parts, gold, strict=True)
        ]
    else:
        losses = [F.cross_entropy(part, tags, reduction="sum") for part, tags in zip(parts, gold, strict=True)]
    wanted = sum(loss.item() for loss in losses) / 3
    assert task.loss(batch, states, states).item() == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("crf", [False, True])
def test_nodes_that_are_no_tokens_are_not_learnt(crf):
    batch, task = batch_of("window"), task_of(crf=crf, dropout=0.0)
    states = torch.randn(batch.num_nodes, 4)
    before, padding = task.loss(batch, states, states), batch.nodes["position"] < 0
    batch.nodes["label"] = batch.nodes["label"].masked_fill(padding, 1)
    assert padding.any()
    assert task.loss(batch, states, states) == before


def test_without_gold_classes_there_is_no_loss():
    sentence = Tagged(["a", "b"])
    batch = Batch.of([chain(sentence, Vocabularies.of([sentence]))])
    states = torch.randn(2, 4)
    with pytest.raises(KeyError, match=r"^node field 'label' .*; give the graphs this column: gold classes, -1 "):
        task_of().loss(batch, states, states)


def test_tokens_without_a_class_are_neither_learnt_nor_scored():
    whole, task = [("a b", [1, 0])], task_of(score="f1", dropout=0.0)
    partly = [*whole, ("c d", [-1, 1])]
    states = torch.randn(4, 4)
    one, two = batch_of("chain", whole), batch_of("chain", partly)
    extra = F.cross_entropy(task.output(states[3:]), torch.tensor([1]))
    loss = task.loss(two, states, states)
    assert 2 * loss.item() == pytest.approx((task.loss(one, states[:2], states) + extra).item(), rel=1e-5)
    outcomes = task.outcomes(two, choosing(task, [1, 0, 1, 1]), states)
    assert {name: counts.tolist() for name, counts in outcomes.items()} == {
        "tokens": [2, 1],
        "right_tokens": [2, 1],
        "predicted_spans": [1, 1],
        "gold_spans": [1, 1],
        "right_spans": [1, 1],
    }
    crf = task_of(crf=True, dropout=0.0)
    assert 2 * crf.loss(two, states, states).item() == pytest.approx(crf.loss(one, states[:2], states).item(), rel=1e-5)


def choosing(task: Tagging, tags) -> torch.Tensor:
    """States of tokens for which the task chooses some tags."""
    with torch.no_grad():
        task.output.weight.copy_(torch.eye(3, 4))
        task.output.bias.zero_()
    return 9 * torch.eye(4)[tags]


@pytest.mark.parametrize("crf", [False, True])
def test_scores_over_batches(crf):
    task = task_of(crf=crf, score="f1")
    if crf:
        for weight in task.crf.parameters():
            torch.nn.init.zeros_(weight)
    first, second = batch_of("chain"), batch_of("chain", [("g h", [1, 2])])
    # Gold spans: ab, f, gh. Predicted: ab, d, e, f, g.
    states = choosing(task, [1, 2, 0, 1, 1, 1]), choosing(task, [1, 0])
    outcomes = gather([task.outcomes(first, states[0], states[0]), task.outcomes(second, states[1], states[1])])
    assert {len(column) for column in outcomes.values()} == {4}
    scores = task.scores(outcomes)
    assert tuple(scores) == task.score_names
    assert scores == {
        "f1": pytest.approx(4 / 8),
        "precision": pytest.approx(2 / 5),
        "recall": pytest.approx(2 / 3, abs=1e-6),
        "accuracy": pytest.approx(5 / 8),
    }
    assert task.monitor == "f1"


def test_accuracy_alone_takes_any_names():
    task = Tagging(4, ("NN", "VB", "DT"))
    batch = batch_of("window")
    states = torch.randn(batch.num_nodes, 4)
    outcomes = task.eval().outcomes(batch, states, states)
    assert outcomes.keys() == {"tokens", "right_tokens"}
    assert task.scores(outcomes).keys() == {"accuracy"}
    assert (task.monitor, task.score_names) == ("accuracy", ("accuracy",))


def test_nothing_found_scores_zero():
    task = task_of(score="f1")
    batch = batch_of("chain", [("a b", [0, 0])])
    states = choosing(task, [0, 0])
    scores = task.scores(task.outcomes(batch, states, states))
    assert scores == {"f1": 0.0, "precision": 0.0, "recall": 0.0, "accuracy": 1.0}


@pytest.mark.parametrize("crf", [False, True])
@pytest.mark.parametrize("kind", ["chain", "window"])
def test_predictions_are_tags_by_name(kind, crf):
    batch, task = batch_of(kind), task_of(crf=crf)
    if crf:
        for weight in task.crf.parameters():
            torch.nn.init.zeros_(weight)
    states = torch.zeros(batch.num_nodes, 4)
    states[batch.nodes["position"] >= 0] = choosing(task, [1, 2, 0, 1, 0, 2])
    found = task.predict(batch, states, torch.empty(3, 4), ())
    assert [one["tags"] for one in found] == [["B-X", "I-X", "O"], ["B-X"], ["O", "I-X"]]


def test_with_a_crf_tags_are_predicted_together():
    batch, task = batch_of("chain"), task_of(crf=True)
    for weight in task.crf.parameters():
        torch.nn.init.zeros_(weight)
    states = choosing(task, [1, 2, 0, 1, 0, 2])
    task.crf.chain.start_transitions.data[2] = 1000.0
    found = task.predict(batch, states, torch.empty(3, 4), ())
    assert [one["tags"] for one in found] == [["I-X", "I-X", "O"], ["I-X"], ["I-X", "I-X"]]


@pytest.mark.parametrize("crf", [False, True])
@pytest.mark.parametrize("label", [3, 7, -2])
def test_a_class_that_is_none_is_named(crf, label):
    """Of the CRF it was a bare RuntimeError, and a negative one was learnt as the first class."""
    task, batch = task_of(crf=crf), batch_of("chain")
    states = torch.zeros(batch.num_nodes, 4)
    batch.nodes["label"] = batch.nodes["label"].index_fill(0, torch.tensor([1]), label)
    with pytest.raises(InputError, match=f"^class {label} is to be learnt, and the task has those from 0 to 2; give"):
        task.loss(batch, states, states)
    batch.nodes["label"] = batch.nodes["label"].float()
    with pytest.raises(InputError, match=r"^classes are torch\.float32; give torch\.int64, as label\.long\(\)$"):
        task.loss(batch, states, states)


@pytest.mark.parametrize("use", ["loss", "outcomes", "predict"])
def test_states_of_another_size(use):
    task, batch = task_of(), batch_of("chain")
    states = torch.zeros(batch.num_nodes, 5)
    with pytest.raises(InputError, match=r"^the states have 5 dimensions; 4 are wanted; make the task with"):
        getattr(task, use)(batch, states, states, *[()] * (use == "predict"))


def test_what_cannot_be_tagged_is_said():
    with pytest.raises(ValueError, match="no names of classes"):
        Tagging(4)
    with pytest.raises(ValueError, match="'NN' is none of O"):
        Tagging(4, ("O", "NN"), score="f1")
    with pytest.raises(ValueError, match="None is none of O"):
        Tagging(4, ("O", None), score="f1")
    with pytest.raises(InputError, match="size is 0; give a whole number from 1"):
        Tagging(0, ("O", "B-X"))
    with pytest.raises(InputError, match=r"^labels is 'OBI', whose letters would be the classes; give a list"):
        Tagging(4, "OBI")
    with pytest.raises(InputError, match=r"^labels is 3, the number of the classes; give a list of their names$"):
        Tagging(4, 3)
    with pytest.raises(InputError, match=r"^dropout is '0\.5'; give a number from 0 to 1$"):
        Tagging(4, LABELS, dropout="0.5")
    with pytest.raises(InputError, match="no gold class of any token"):
        batch_of("chain", [("a b", None)])
    example = Example((Parsed(unparsed=Tagged(["a"], origin=Origin("a.conllu", 7, "s1")), labels=[-1]),), id="dev-1")
    with pytest.raises(InputError, match=r"^a\.conllu:7, sentence s1: example dev-1 has no gold class of any token"):
        graph_set([example], "chain", vocabularies_of([example], "chain"), 1, {}, token_labels=True)


def test_scores_of_an_encoder_are_not_dropped():
    """It has dropped what it made them of already."""
    task, batch = task_of(head=False, dropout=0.5), batch_of("chain")
    states = torch.randn(batch.num_nodes, len(LABELS))
    wanted = task.loss(batch, states, states)
    assert all(task.train().loss(batch, states, states) == wanted for _ in range(5))


@pytest.mark.parametrize("use", ["loss", "outcomes", "predict"])
def test_states_that_are_no_scores_want_a_head(use):
    """More states than classes would be taken for scores of classes that there are not."""
    task, batch = task_of(head=False), batch_of("chain")
    states = torch.zeros(batch.num_nodes, len(LABELS) + 1)
    with pytest.raises(InputError, match=r"^task\.head: false .* these have \d+ dimensions; set --task\.head true"):
        getattr(task, use)(batch, states, states, *[()] * (use == "predict"))
