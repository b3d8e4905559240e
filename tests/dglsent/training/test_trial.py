from __future__ import annotations

import json

import pytest
import torch
from test_checks import FEW, own_recipe
from tiny import PAIRS, recipe

from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.trial import try_encoder, try_task

OWN_MODEL = """\
import torch
from torch import nn

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.tasks.classification import Classification


class States(Encoder):
    directions = ()
    shows = ("strength",)

    def __init__(self, embedding: WordEmbedding, hidden: int, change: str = "") -> None:
        super().__init__(embedding, hidden)
        self.W = nn.Linear(embedding.dim, hidden)
        self.change = change
        exec(change if change.startswith("self") else "")

    def encode(self, batch):
        torch.rand(3)
        states = self.W(self.embedding.of(batch.nodes))
        batch.nodes["strength"] = states.sum(-1)
        return states if self.change.startswith("self") else eval(self.change or "states")


class Chosen(Classification):
    def __init__(
        self, size: int, scores: str = "found", predict: str = "found", loss: str = "found", outcomes: str = "found"
    ) -> None:
        super().__init__(size, 5)
        self.change = scores, predict, loss, outcomes

    def loss(self, batch, states, vectors):
        found = super().loss(batch, states, vectors)
        return eval(self.change[2])

    def outcomes(self, batch, states, vectors):
        found = super().outcomes(batch, states, vectors)
        return eval(self.change[3])

    def scores(self, outcomes):
        found = super().scores(outcomes)
        return eval(self.change[0])

    def predict(self, batch, states, vectors, labels):
        found = super().predict(batch, states, vectors, labels)
        torch.rand(3)
        return eval(self.change[1])
"""


def own_model(folder, *, encoder="", task=None):
    """A recipe of `States`, and of `Chosen` where `task` is given: what each is to do otherwise."""
    (folder / "own_model.py").write_text(OWN_MODEL)
    own = {} if task is None else {"task": json.dumps({"class_path": "own_model.Chosen", "init_args": task})}
    file = own_recipe(folder, encoder="own_model.States", **own)
    file.write_text(file.read_text().replace("{hidden: 4}", f'{{hidden: 4, change: "{encoder}"}}'))
    return file


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"encoder": "print(end='')"}, "encoder States: encode gives a value of type NoneType for"),
        ({"encoder": "batch.at_roots(states)[:3]"}, "encoder States: encode gives float32 [3, 4] for"),
        ({"encoder": "states[:, 1:]"}, "return the states of all nodes in floating point, [N, size], here ["),
        ({"encoder": "states.long()"}, "encoder States: encode gives int64 ["),
        ({"encoder": "self.shows = 'gate'"}, "shows is text; give a tuple: shows = ('gate',)"),
        ({"encoder": "self.directions = 'up'"}, "directions is text; give a tuple: directions = ('up',)"),
        ({"encoder": "self.shows = ('child.head',)"}, "it shows 'child.head', and recordings have a column 'head'"),
        ({"encoder": "self.shows = ('gate',)"}, "it shows 'gate', and sets no such field"),
        ({"encoder": "self.shows = ('child.gate',)"}, "it shows 'child.gate', and sets no such field"),
        ({"encoder": "self.shows = ('next.gate',)"}, "it shows 'next.gate', and sets no such field"),
        (
            {"encoder": "self.W = nn.LazyLinear(hidden)"},
            "encoder States: W is a LazyLinear, and of Lazy modules no run",
        ),
        (
            {"encoder": "self.layers = [self.W, nn.Linear(4, 4)]"},
            "encoder States: weights in layers, a list, would be neither trained nor saved; make it an nn.ModuleList",
        ),
        (
            {"encoder": "self.ways = {'up': (nn.Linear(4, 4),)}"},
            "encoder States: weights in ways, a dict, would be neither trained nor saved",
        ),
        (
            {"encoder": "self.W.scale = torch.ones(4, requires_grad=True)"},
            "encoder States: weights in W.scale, a Tensor, would be neither trained nor saved",
        ),
        (
            {"encoder": "states.detach()"},
            "encoder States: its states have no gradient, and nothing in it could learn; leave out .detach()",
        ),
        ({"encoder": "self.readout = lambda batch, states: states"}, "encoder States: readout gives ["),
        (
            {"encoder": "self.readout = lambda *both: None"},
            "readout gives a value of type NoneType for 8",
        ),
        ({"task": {"scores": "None"}}, "task Chosen: scores gives a value of type NoneType; return a dict of numbers"),
        (
            {"task": {"scores": "{'accuracy': torch.ones(1)}"}},
            "gives 'accuracy' as a value of type Tensor; give float(...)",
        ),
        ({"task": {"scores": "{'rmse': 1.0}"}}, "scores gives rmse, and 'accuracy' is monitored; give it too"),
        (
            {"task": {"loss": "None"}},
            "task Chosen: loss gives a value of type NoneType; return a tensor, the mean over",
        ),
        ({"task": {"loss": "found.item()"}}, "task Chosen: loss gives a value of type float; return a tensor"),
        ({"task": {"loss": "found.expand(8)"}}, "task Chosen: loss gives a tensor [8]; return one number, the mean"),
        (
            {"task": {"loss": "found.detach()"}},
            "loss gives a number without a gradient, and nothing could learn; leave",
        ),
        (
            {"task": {"outcomes": "None"}},
            "task Chosen: outcomes gives a value of type NoneType; return a dict of tensors",
        ),
        ({"task": {"outcomes": "{1: found}"}}, "outcomes gives a value of type dict as 1; give a tensor with a row an"),
        (
            {"task": {"outcomes": "{**found, 1: torch.tensor(1)}"}},
            "task Chosen: outcomes gives one number as 1; give a",
        ),
        (
            {"task": {"predict": "None"}},
            "task Chosen: predict gives a NoneType for 8 examples; return a list with a dict",
        ),
        ({"task": {"predict": "found[1:]"}}, "predict gives a list of 7 for 8 examples"),
        ({"task": {"predict": "[1] * 8"}}, "predict gives a value of type int; return a dict for each example"),
        (
            {"task": {"predict": "[{1: torch.ones(1)}] * 8"}},
            "predict gives what JSON does not have (Object of type Tensor",
        ),
    ],
)
def test_what_is_asked_of_models_of_ones_own_is_tried_before_training(change, said, tmp_path, program):
    """Each ended in a traceback after an epoch, or in a run that could not be used."""
    program.refuses("fit", own_model(tmp_path, **change), "--out", tmp_path / "run", saying=[said])
    assert not (tmp_path / "run").exists()


UNFINISHED = """\
from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.tasks.classification import Classification
from dglsent.tasks.task import Task


class Mute(Encoder):
    def __init__(self, embedding: WordEmbedding, hidden: int = 4) -> None:
        super().__init__(embedding, hidden)


class Lossless(Task):
    monitor, score_names = "accuracy", ("accuracy",)

    def __init__(self, size: int) -> None:
        super().__init__()


class Unscored(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)
        del self.score_names, self.monitor


class Lettered(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)
        self.score_names = "accuracy"


class Knowing(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)

    def predict(self, batch, states, vectors, labels):
        return [{"label": gold} for gold in batch.nodes["label"][batch.roots].tolist()]


class Told(Knowing):
    def predict(self, batch, states, vectors, labels):
        return [{"label": gold} for gold in batch.targets["label"].tolist()]


class Searching(Knowing):
    def predict(self, batch, states, vectors, labels):
        return [{"label": gold} for gold in {}["lexicon"]]
"""


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"encoder": "unfinished.Mute"}, "encoder Mute has no encode; write encode(self, batch)"),
        ({"task": "unfinished.Lossless"}, "task Lossless has no loss; write loss(self, batch, states, vectors)"),
        ({"task": "unfinished.Unscored"}, "task Unscored has no score_names; set it, a tuple of names"),
        ({"task": "unfinished.Lettered"}, "score_names is text; give a tuple: score_names = ('accuracy',)"),
        (
            {"task": "unfinished.Knowing", "graph": "constituency", "encoder": "BinaryTreeLSTM"},
            "task Knowing: predict reads the gold value 'label', and sentences that are to be predicted have none",
        ),
        (
            {"task": "unfinished.Told"},
            "task Told: predict reads the gold value 'label', and sentences that are to be predicted have none",
        ),
    ],
)
def test_what_a_class_of_ones_own_lacks_is_told_before_training(parts, said, tmp_path, program):
    """Most were errors without a message; the last was a run that could not predict."""
    (tmp_path / "unfinished.py").write_text(UNFINISHED)
    program.refuses("fit", own_recipe(tmp_path, **parts), "--out", tmp_path / "run", saying=[said])
    assert not (tmp_path / "run").exists()


def test_a_fault_of_ones_own_is_none_of_gold_values(tmp_path, program):
    (tmp_path / "unfinished.py").write_text(UNFINISHED)
    with pytest.raises(KeyError, match="lexicon"):
        program("fit", own_recipe(tmp_path, task="unfinished.Searching"), "--out", tmp_path / "run")


PARTS = """\
import torch

from dglsent.models.tree_lstm import ChildSumTreeLSTM
from dglsent.tasks.classification import Classification
from dglsent.tasks.relatedness import Relatedness


class Twofold(ChildSumTreeLSTM):
    def readout(self, batch, states):
        return batch.at_roots(states).repeat(1, 2)


class OfTwofold(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)

    def loss(self, batch, states, vectors):
        return super().loss(batch, states, vectors.chunk(2, 1)[0])

    def outcomes(self, batch, states, vectors):
        return super().outcomes(batch, states, vectors.chunk(2, 1)[0])

    def predict(self, batch, states, vectors, labels):
        return super().predict(batch, states, vectors.chunk(2, 1)[0], labels)


class Balanced(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)
        self.score_names = ("accuracy", "balanced")


class Near(Relatedness):
    pass
"""


def test_a_readout_may_be_what_ones_own_task_wants_and_examples_few(tmp_path, program):
    (tmp_path / "parts.py").write_text(PARTS)
    file = own_recipe(
        tmp_path, corpus=FEW.replace("train: 20", "train: 5"), encoder="parts.Twofold", task="parts.OfTwofold"
    )
    code, _, err = program("fit", file, "--out", tmp_path / "run")
    assert code == 0, err


def test_a_task_of_pairs_predicts_once_a_pair(tmp_path, program):
    (tmp_path / "parts.py").write_text(PARTS)
    file = recipe(tmp_path, PAIRS.replace("dglsent.tasks.relatedness.Relatedness", "parts.Near"))
    code, _, err = program("fit", file, "--out", tmp_path / "run", "--training.epochs", "1")
    assert code == 0, err


def test_the_score_that_training_monitors_is_asked_for(tmp_path, program):
    (tmp_path / "parts.py").write_text(PARTS)
    file = own_recipe(tmp_path, task="parts.Balanced")
    program.refuses(
        "fit", file, "--training.monitor", "balanced", "--out", tmp_path / "run",
        saying=["scores gives accuracy, and 'balanced' is monitored; give it too"],
    )  # fmt: skip


def test_graphs_along_which_an_encoder_of_ones_own_propagates_nothing_are_told(tmp_path, program):
    """The batch cannot be made, and no line of the encoder's is in the way of the error."""
    file = own_model(tmp_path, encoder="self.directions = ('up',)")
    program.refuses(
        "fit", file, "--graph", "window", "--out", tmp_path / "run",
        saying=["encoder States does not work on window graphs of this corpus (", "choose another --graph"],
    )  # fmt: skip
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "encoder",
    [
        "self.twice = [self.W, self.embedding]",
        "self.fixed = [nn.Linear(4, 4).requires_grad_(False)]",
        "self.readout = lambda batch, states, W=self.W: W(batch.at_roots(states.detach()))",
    ],
)
def test_lists_of_weights_that_are_known_or_fixed_are_fine(encoder, tmp_path, program):
    """And so are states without a gradient, where it is the readout that learns."""
    assert program("fit", own_model(tmp_path, encoder=encoder), "--out", tmp_path / "run")[0] == 0


def test_scores_that_a_few_examples_do_not_have_are_left_for_later(tmp_path, program):
    few = "vars(self).setdefault('seen', [0]).append(1) or (found if len(self.seen) > 2 else [].remove(1))"
    assert program("fit", own_model(tmp_path, task={"scores": few}), "--out", tmp_path / "run")[0] == 0


def test_what_is_tried_draws_no_random_numbers_of_training(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    config = recipes.resolve(own_model(tmp_path, task={}).read_text(), source=str(tmp_path / "own.yaml"))
    made = recipes.instantiate(config)
    inputs = load_inputs(made, None)
    model = make_model(made, inputs.vocabularies).train()
    before = torch.get_rng_state()
    try_encoder(made, model, inputs.sets["train"])
    try_task(made, model, inputs.sets["train"])
    assert torch.equal(torch.get_rng_state(), before)
    assert model.training
