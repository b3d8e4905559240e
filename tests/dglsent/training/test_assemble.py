from __future__ import annotations

import pytest
from tiny_tags import TAGS

from dglsent.tasks.tagging import Tagging
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model, make_task
from graphs import fields
from graphs.errors import InputError
from graphs.features import UNKNOWN, Vocabularies


def made(*overrides: str, text: str = TAGS) -> recipes.Recipe:
    return recipes.instantiate(recipes.resolve(text, overrides))


def test_spelling_and_cooccurrence_are_those_of_the_training_split(tmp_path):
    # "7" stands in dev and test alone, where it has a vector; "12" in training.
    (tmp_path / "v.txt").write_text("7 1 2\n")
    options = ("--embedding.vectors=v.txt", "--embedding.dim=2", "--embedding.fold_digits=false")
    recipe = made(*options, "--embedding.cooccurrence=true", "--graph", "complete")
    vocabularies = load_inputs(recipe, tmp_path).vocabularies
    assert {"7", "12"} <= set(vocabularies.word)
    assert "1" in vocabularies.spelling.character
    assert "7" not in vocabularies.spelling.character
    word = vocabularies.word.ids(["Bob", "Hill", "7"])
    # "saw" precedes "Bob" as often as in training; of "7" nothing is known.
    assert vocabularies.cooccurrence.bucket(word[:1], word[1:2])[0] > 0
    assert vocabularies.cooccurrence.bucket(word[1:2], word[2:])[0] == 0


def test_graphs_carry_spelling_where_it_is_asked_for():
    sets = load_inputs(made(), None).sets
    graph = sets["dev"].graphs[1][0]
    assert graph.nodes[fields.CHAR].shape == (5, 10)
    assert graph.nodes[fields.WORD][-1] == UNKNOWN  # 7 is read as 9, training has 12 as 99
    plain = load_inputs(made("--embedding.spelling", "false"), None)
    assert plain.vocabularies.spelling is None
    assert fields.CHAR not in plain.sets["dev"].graphs[1][0].nodes


def test_classes_of_tokens_come_from_the_corpus_and_stay_with_the_model(tmp_path):
    inputs = load_inputs(made(), None)
    inputs.vocabularies.save(tmp_path / "vocabularies.json")
    saved = Vocabularies.load(tmp_path / "vocabularies.json")
    assert saved == inputs.vocabularies
    # A recipe whose corpus was not loaded, as in prediction.
    task = make_model(made(), saved).task
    assert isinstance(task, Tagging)
    assert task.labels == ("B-LOC", "B-PER", "I-PER", "O")
    with pytest.raises(InputError, match="task: the corpus has no names of classes"):
        make_task(made(), 1)
    assert (
        make_task(made(text=TAGS.replace("tiny_tags.Tags", "dglsent.corpora.conll2000.CoNLL2000")), 1).labels[0] == "O"
    )


@pytest.mark.parametrize(("graph", "slots"), [("window-0", 1), ("window-1", 3), ("window", 5), ("window-4", 9)])
def test_an_encoder_of_windows_has_the_width_of_the_graph(graph, slots):
    text = TAGS.replace("sequence.BiLSTM", "dynamic_window.WindowLSTM").replace(", tie_directions: false", "")
    recipe = made("--graph", graph, text=text)
    inputs = load_inputs(recipe, None)
    model = make_model(recipe, inputs.vocabularies)
    assert model.encoder.window.slots == slots
    batch = inputs.sets["dev"].batch([0], model.encoder.directions, model.encoder.relations)
    assert model.loss(batch).isfinite()


def test_other_tasks_save_no_classes():
    text = TAGS.replace("{class_path: tiny_tags.Tags}", "{class_path: dglsent.corpora.built_in.Reviews}")
    task = "task: {class_path: dglsent.tasks.classification.Classification, init_args: {classes: 5}}\noptimiser:"
    text = text[: text.index("task:")] + task + text[text.index("optimiser:") + len("optimiser:") :]
    small = text.replace("built_in.Reviews}", "built_in.Reviews, init_args: {train: 3, dev: 1, test: 1}}")
    assert load_inputs(made(text=small), None).vocabularies.label is None


def test_corpus_with_other_classes_is_refused():
    vocabularies = load_inputs(made(), None).vocabularies
    with pytest.raises(InputError, match=r"has the classes .*B-ORG.*, and the model was trained with (?!.*B-ORG)"):
        load_inputs(made("--corpus.more", "B-ORG"), None, vocabularies)
