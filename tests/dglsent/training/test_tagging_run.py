"""A tagger from its recipe to predictions."""

from __future__ import annotations

import json

import pytest
from tiny import recipe
from tiny_tags import TAGS

from dglsent.cli.main import main


@pytest.fixture(scope="module")
def tags_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tags")
    assert main(["fit", str(recipe(folder, TAGS)), "--out", str(folder / "run")]) == 0
    return folder / "run"


def test_it_learns_and_is_scored_by_spans(tags_run):
    metrics = json.loads((tags_run / "metrics.json").read_text())
    assert metrics["test"].keys() == {"f1", "precision", "recall", "accuracy"}
    assert metrics["test"]["f1"] == 1.0
    assert metrics["dev"]["f1"] == max(epoch["dev"]["f1"] for epoch in metrics["history"])


def test_a_run_folder_has_the_names_of_the_classes(tags_run):
    saved = json.loads((tags_run / "vocabularies.json").read_text())
    assert saved["label"]["strings"] == ["B-LOC", "B-PER", "I-PER", "O"]
    assert saved["word"]["fold_digits"]
    assert "99" in saved["word"]["strings"]
    assert saved.keys() >= {"spelling"}


def test_test_finds_the_same_scores(tmp_path, program):
    """Of a run that has not learnt all, whose scores differ."""
    text = TAGS.replace("lr: 0.05", "lr: 0.02").replace("epochs: 4", "epochs: 1")
    assert program("fit", recipe(tmp_path, text), "--out", tmp_path / "run")[0] == 0
    code, out, _ = program("test", tmp_path / "run")
    assert code == 0
    scores = json.loads((tmp_path / "run/metrics.json").read_text())["test"]
    assert len({*scores.values()}) == 4, scores
    assert json.loads(out)["test"] == scores


def test_prediction_of_tags(tags_run, program, tmp_path):
    (tmp_path / "words.txt").write_text("Bob Hill saw Rome\nAnn\n")
    code, out, err = program("predict", tags_run, tmp_path / "words.txt")
    assert (code, err) == (0, "")
    first, second = map(json.loads, out.splitlines())
    assert (first["text"], first["tags"]) == ("Bob Hill saw Rome", ["B-PER", "I-PER", "O", "B-LOC"])
    assert second["tags"] == ["B-PER"]


def test_another_corpus_is_refused(tags_run, program):
    config = tags_run / "config.yaml"
    before = config.read_text()
    config.write_text(before.replace("more: null", "more: B-ORG"))
    try:
        program.refuses("test", tags_run, saying=["has the classes B-LOC, B-ORG", "train it into another folder"])
    finally:
        config.write_text(before)


def test_a_corpus_without_classes_of_tokens_is_refused(tmp_path, program):
    text = TAGS.replace("{class_path: tiny_tags.Tags}", "{class_path: dglsent.corpora.built_in.Reviews}")
    text = text.replace("score: f1", "score: accuracy")
    program.refuses(
        "fit", recipe(tmp_path, text), "--out", tmp_path / "run", saying=["no gold class of any token", "choose a task"]
    )
