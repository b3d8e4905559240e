from __future__ import annotations

import torch
from tiny_tags import TAGS

from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model


def test_nothing_is_dropped_of_what_is_predicted_even_in_the_midst_of_training():
    recipe = recipes.instantiate(recipes.resolve(TAGS, ["--embedding.dropout", "0.5", "--task.dropout", "0.5"]))
    inputs = load_inputs(recipe, None)
    model = make_model(recipe, inputs.vocabularies)
    found = []
    for training in (False, True, True):
        batch = inputs.sets["test"].batch([0, 1], model.encoder.directions, model.encoder.relations)
        found.append(model.train(training).infer(batch, []))
    for _, states, vectors, said in found[1:]:
        assert torch.equal(states, found[0][1])
        assert torch.equal(vectors, found[0][2])
        assert said == found[0][3]
