"""What keeps models from learning by heart: dropout where the papers have it, L2 on all weights but word vectors.

From a recipe to a step of its optimiser; a test that looked at the modules would not see that nobody uses them.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest
import torch
from tiny import Pairs
from torch import Tensor, nn

from dglsent.corpora.corpus import Splits
from dglsent.corpora.example import Example
from dglsent.passing import Batch
from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.module import Training
from dglsent.training.order import EpochSampler, Parts
from dglsent.training.processes import Place

DRAWS = 40
SMALL = ("--embedding.vectors", "null", "--embedding.dim", "8")
REVIEWS = (
    "--corpus",
    "dglsent.corpora.built_in.Reviews",
    "--corpus.train",
    "30",
    "--corpus.dev",
    "1",
    "--corpus.test",
    "1",
)
JUDGED = ("--corpus", "test_regularisation.Judged")
PAIRS = ("sick/tree-lstm", "sick-entailment/tree-lstm", "msrp/tree-lstm")
SENTENCES = ("sst/tree-lstm", "trec/tree-lstm")
TAGS = "conll2000/lstm"


class Judged(Pairs):
    """Pairs with all kinds of gold values."""

    def load(self, data: Path) -> Splits:
        return {
            split: [
                Example(each.sentences, {**each.targets, "label": number % 2, "entailment": number % 3}, each.id)
                for number, each in enumerate(examples)
            ]
            for split, examples in super().load(data).items()
        }


def training_of(name: str, *overrides: str, examples: int) -> tuple[recipes.Recipe, Training, Batch]:
    """A recipe on a small corpus, what trains its model, and a batch of its first examples."""
    corpus = JUDGED if name in PAIRS else REVIEWS if name in SENTENCES else ("--corpus", "tiny_tags.Tags")
    file = recipe_files.find(name)
    options = [*SMALL, *corpus, "--encoder.hidden", "6", *overrides]
    recipe = recipes.instantiate(recipes.resolve(file.read_text(), options, source=str(file)))
    torch.manual_seed(0)
    inputs = load_inputs(recipe, None)
    model = make_model(recipe, inputs.vocabularies)
    batch = inputs.sets["train"].batch(range(examples), model.encoder.directions, model.encoder.relations)
    parts = Parts(EpochSampler(examples, 0), examples, examples, Place())
    return recipe, Training(model, recipe.optimiser, parts, parts).train(), batch


def step_of(training: Training, batch: Batch) -> None:
    """A training step up to the gradients."""
    training.zero_grad()
    known = set(batch.nodes)
    training.training_step(batch, 0).backward()
    for name in set(batch.nodes) - known:
        del batch.nodes[name]


@pytest.mark.parametrize("name", PAIRS)
def test_dropout_of_a_head_of_pairs_drops_its_hidden_layer(name):
    """What is dropped there gives no gradient to the last weights: of all classes none, and of nothing else so."""
    _, training, batch = training_of(name, "--task.dropout", "0.4", "--embedding.dropout", "0", examples=1)
    weight = training.model.task.head.output.weight
    training.eval()
    step_of(training, batch)
    alive = weight.grad.abs().sum(0) > 0
    training.train()
    dropped = []
    for _ in range(DRAWS):
        step_of(training, batch)
        zero = weight.grad[:, alive] == 0
        assert (zero.all(0) == zero.any(0)).all()
        dropped.append(zero.all(0).double())
    assert alive.sum() > 10
    assert torch.stack(dropped).mean() == pytest.approx(0.4, abs=0.08)


@pytest.mark.parametrize("name", [*SENTENCES, TAGS])
def test_dropout_of_a_classifier_drops_states(name):
    """A state that is dropped gets no gradient from the loss."""
    phrases = ("--task.phrases", "false") if name in SENTENCES else ()
    options = ("--task.dropout", "0.4", "--embedding.dropout", "0", *phrases)
    _, training, batch = training_of(name, *options, examples=4)
    model = training.model
    with torch.no_grad():
        _, states, vectors = model(batch)
    dropped = []
    for _ in range(DRAWS):
        read = (vectors if name in SENTENCES else states).clone().requires_grad_()
        model.task.loss(batch, *((states, read) if name in SENTENCES else (read, vectors))).backward()
        dropped.append((read.grad == 0).double())
    share = torch.stack(dropped).mean(0)
    assert share.mean() == pytest.approx(0.4, abs=0.05)
    assert share.max() < 1


@pytest.mark.parametrize("name", ["sick/tree-lstm", "sst/tree-lstm"])
def test_dropout_of_word_vectors_drops_their_dimensions(name):
    _, training, batch = training_of(
        name, "--task.dropout", "0", "--embedding.dropout", "0.4", "--embedding.tune", "true", examples=1
    )
    weight = training.model.encoder.embedding.weight
    words = batch.nodes["word"][batch.nodes["word"] > 0].unique()
    dropped = []
    for _ in range(DRAWS):
        step_of(training, batch)
        dropped.append((weight.grad.to_dense()[words] == 0).double().mean())
    # A little less, as words that occur twice are dropped twice.
    assert torch.stack(dropped).mean() == pytest.approx(0.4, abs=0.08)


@pytest.mark.parametrize("name", [*PAIRS, *SENTENCES])
@pytest.mark.parametrize("tune", [False, True])
def test_l2_is_a_penalty_on_all_weights_but_word_vectors(name, tune):
    """Two steps of a recipe's optimiser are those of one without, lambda / 2 * ||weights||^2 added to the loss."""
    strength = 0.1
    options = ("--task.dropout", "0", "--embedding.dropout", "0", "--optimiser.weight_decay", str(strength))
    recipe, training, batch = training_of(name, *options, "--embedding.tune", str(tune).lower(), examples=4)
    start = deepcopy(training.state_dict())
    after = {decay: stepped(recipe, training, start, batch, decay, 0.0) for decay in (strength, 0.0)}
    recipe.optimiser.weight_decay = 0.0
    penalised = stepped(recipe, training, start, batch, 0.0, strength)
    words = "model.encoder.embedding.weight"
    for weight, value in after[strength].items():
        torch.testing.assert_close(value, penalised[weight], rtol=1e-4, atol=1e-5, msg=weight)
        if weight != words:
            assert (value - after[0.0][weight]).abs().max() > 1e-4, weight
    never_met = torch.ones(len(start[words]), dtype=torch.bool)
    never_met[batch.nodes["word"].unique()] = False
    assert never_met.any()
    assert (after[strength][words] == start[words])[never_met if tune else slice(None)].all()


def stepped(
    recipe: recipes.Recipe, training: Training, start: dict[str, Tensor], batch: Batch, decay: float, penalty: float
) -> dict[str, Tensor]:
    """The weights after two steps."""
    training.load_state_dict(start)
    training.options.weight_decay = decay
    optimiser = training.configure_optimizers()
    vectors = training.model.encoder.embedding.weight
    for _ in range(2):
        step_of(training, batch)
        others: list[nn.Parameter] = [weight for weight in training.parameters() if weight is not vectors]
        if penalty:
            (penalty / 2 * sum((weight.square().sum() for weight in others), torch.tensor(0.0))).backward()
        training.on_before_optimizer_step(optimiser)
        optimiser.step()
    return deepcopy(training.state_dict())
