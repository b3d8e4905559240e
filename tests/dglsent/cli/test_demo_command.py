from __future__ import annotations

import re

from dglsent.cli import demo
from dglsent.corpora import reviews
from dglsent.inference.model import Model


def test_new_sentences_are_new_and_show_every_phenomenon():
    splits = reviews.generate()
    known = {tuple(review.tree.words) for split in splits.values() for review in split}
    fresh = demo._fresh()
    assert len(fresh) == len(reviews.PHENOMENA) == len({tuple(review.tree.words) for review in fresh})
    trained = {reviews.skeleton(review.tree) for review in splits["train"]}
    for phenomenon, review in zip(reviews.PHENOMENA, fresh, strict=True):
        assert phenomenon in review.phenomena
        assert tuple(review.tree.words) not in known
        assert reviews.skeleton(review.tree) not in trained


def test_what_is_printed(trees_run, capsys):
    model = Model.of_run(trees_run, device="cpu")
    models = {"tree-lstm": model, "other": model}
    demo._scores(models)
    table = capsys.readouterr().out.strip().splitlines()
    assert table[0].split()[-2:] == ["tree-lstm", "other"]
    rows = {re.split(r"  +", line)[0]: line.split()[-3:] for line in table[1:]}
    assert {"train", "dev", "test", "test, negation"} <= rows.keys()
    assert rows["test"][0] == "30"
    metrics = model.run.metrics()
    assert float(rows["test"][1]) == round(metrics["test"]["accuracy"], 3)
    tree, labels = demo._new_sentences(models)
    said = capsys.readouterr().out
    assert " ".join(tree.words) in said
    assert len(labels) == len(tree)
    assert set(labels) <= set(reviews.CLASSES)
    assert said.count("gold ") == len(reviews.PHENOMENA)
