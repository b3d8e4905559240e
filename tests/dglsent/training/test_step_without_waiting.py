"""A training step and dev scoring ask the device for no value and mix no devices, whatever the encoder and the task."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import yaml
from families import encoder_of, merged, task_of
from tiny_tags import Tags
from waiting import OnDevice

from dglsent.corpora.built_in import Reviews
from dglsent.corpora.corpus import Corpus
from dglsent.corpora.example import Example
from dglsent.training import optimisers
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.data import Parts
from dglsent.training.module import Training
from dglsent.training.processes import Place

SIZE = 2


class Sentences(Reviews):
    """A few reviews."""

    def __init__(self) -> None:
        super().__init__(train=8, dev=1, test=1)


class PairsOfAll(Corpus):
    """A few pairs with all that a task may want."""

    needs_data = False

    def load(self, data):
        return {
            split: [
                Example(
                    (a.sentences[0], b.sentences[0]),
                    {"score": 2.5, "label": 1, "entailment": 1, "question": 0, "hypothesis": number},
                )
                for number, (a, b) in enumerate(zip(found[::2], found[1::2], strict=True))
            ]
            for split, found in Reviews(train=16, dev=2, test=2).load().items()
        }


def families() -> dict[str, dict]:
    """A recipe of each encoder, alone or on a structure, and of each task."""
    found: dict[str, dict] = {}
    met: set[str] = set()
    for known in merged():
        encoder, task = encoder_of(known), task_of(known)
        if {encoder, task} <= met:
            continue
        met |= {encoder, task}
        corpus = Sentences if task == "Classification" else Tags if task.startswith("Tagging") else PairsOfAll
        arguments = known["task"].get("init_args", {})
        if task == "Classification":
            arguments = {**arguments, "classes": 5}
        found[f"{encoder}-{task}"] = {
            "corpus": {"class_path": f"{corpus.__module__}.{corpus.__name__}"},
            "embedding": {"dim": 8, "spelling": True, "cooccurrence": known["graph"] == "complete"},
            "task": {**known["task"], "init_args": arguments},
            **{key: known[key] for key in ("graph", "encoder", "optimiser") if key in known},
        }
    return found


FAMILIES = families()


@pytest.mark.parametrize("family", FAMILIES)
def test_on_the_device(family, monkeypatch):
    """Of the optimisers the plain form: torch has no fused one for `meta`."""
    monkeypatch.setattr(optimisers, "_FUSED", ())
    made = recipes.instantiate(recipes.resolve(yaml.safe_dump(FAMILIES[family])))
    inputs = load_inputs(made, None)
    model, data = make_model(made, inputs.vocabularies), inputs.sets["train"]
    shortest = np.argsort(data.lengths)[:SIZE].tolist()
    batch, again = (data.batch(shortest, model.encoder.directions, model.encoder.relations) for _ in range(2))
    everything = Parts(range(SIZE), SIZE, SIZE, Place())
    training = Training(model, made.optimiser, everything, everything).to("meta")
    steps = training.configure_optimizers()
    with OnDevice():
        training.training_step(batch.to("meta", non_blocking=True), 0).backward()
        training.on_before_optimizer_step(steps)
        steps.step()
        steps.zero_grad()
        with torch.inference_mode():
            outcomes = training.eval().model.outcomes(again.to("meta", non_blocking=True))
    assert {column.device.type for column in outcomes.values()} == {"meta"}


def test_the_device_is_guarded():
    there, here = torch.ones(2, device="meta"), torch.ones(2)
    with OnDevice():
        for fault in (
            lambda: there.nonzero(),
            lambda: bool(there.sum()),
            lambda: here.to("meta"),
            lambda: there.new_zeros(2).copy_(here),
            lambda: there.index_select(0, torch.tensor([0])),
            lambda: there[torch.tensor([0])],
            lambda: there + here,
        ):
            with pytest.raises(AssertionError, match=r"waits|mixes devices"):
                fault()
        assert (there + torch.ones(())).device.type == "meta"
        assert here.to("meta", non_blocking=True).device.type == "meta"
