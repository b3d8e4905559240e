from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from reference import dynamic_window as reference
from tiny import PAIRS, recipe
from tiny_tags import TAGS
from window_sentences import SENTENCES, VOCABULARIES, embedding, spread, tokens

from dglsent.corpora.example import Example, Parsed
from dglsent.models.dynamic_window import WindowBiLSTM, WindowMLP, WindowOptions
from dglsent.models.window_rnn import WindowElman, WindowJordan
from dglsent.tasks.tagging import Tagging
from dglsent.training.assemble import load_inputs
from dglsent.training.data import graph_set
from dglsent.training.gates import GateLog, is_due, occurrences
from dglsent.training.model import SentenceModel
from dglsent.training.run import Run
from graphs.columns import Tagged
from graphs.errors import InputError
from graphs.features import Vocabularies

WINDOWS = (
    TAGS.replace("graph: chain", "graph: window-1")
    .replace(
        "class_path: dglsent.models.sequence.BiLSTM\n  init_args: {hidden: 8, tie_directions: false}",
        "class_path: dglsent.models.dynamic_window.WindowMLP\n  init_args: {hidden: 8, half_width: 1}",
    )
    .replace("embedding: {", "embedding: {dropout: 0.3, ")
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gates")


@pytest.fixture
def logged(folder, program):
    file = recipe(folder, WINDOWS)
    for name, options in (("plain", []), ("logged", ["--log-gates", "saw,Rome"])):
        if not (folder / name / "metrics.json").is_file():
            assert program("fit", file, "--out", folder / name, *options)[0] == 0
    return folder / "logged"


def test_training_is_the_same_with_and_without(logged):
    plain = Run(logged.parent / "plain")
    history = [[{**epoch, "seconds": 0} for epoch in run.metrics()["history"]] for run in (plain, Run(logged))]
    assert history[0] == history[1]
    weights = [run.load(trusted=True)[2].state_dict() for run in (plain, Run(logged))]
    for name, weight in weights[0].items():
        assert torch.equal(weight, weights[1][name])


def test_the_gates_are_those_of_the_model(logged):
    words = json.loads((logged / "gates" / "words.json").read_text())
    assert [(entry["word"], entry["count"], entry["classes"]) for entry in words] == [("saw", 8, 1), ("Rome", 8, 1)]
    files = sorted((logged / "gates").glob("step-*.parquet"))
    steps = [int(file.stem.partition("-")[2]) for file in files]
    assert steps == [0, 1, 2, 3, 4, 6, 7, 10, 13, 16]
    first, last = (pq.read_table(file).to_pandas() for file in (files[0], files[-1]))
    # "Rome" begins its sentence or ends it: what lies beyond has no word to open a gate for.
    offsets = {word: rows.offset.value_counts().to_dict() for word, rows in first.groupby("word", observed=True)}
    assert offsets == {"saw": {-1: 8, 0: 8, 1: 8}, "Rome": {-1: 4, 0: 8, 1: 4}}
    assert len(first) == len(last)
    assert first.gate.between(0, 1).all()
    assert not np.allclose(first.gate, last.gate)
    # Each sentence stands in training four times, and its gates are the same each time.
    spread = last[last.word == "saw"].round({"gate": 5}).groupby("offset").gate.nunique()
    assert (spread == 2).all()


@pytest.mark.parametrize("encoder_class", [WindowMLP, WindowBiLSTM, WindowElman, WindowJordan])
@pytest.mark.parametrize("filter", ["one_layer", "cnn"])
def test_each_place_of_a_word_has_the_gates_of_the_reference(encoder_class, filter, tmp_path):
    """Slot by slot in a model that trains; of gates by dimensions (cnn) their mean."""
    options = WindowOptions(filter=filter, cap_dim=2, character_dim=1)
    encoder = encoder_class(embedding(), hidden=4, half_width=2, options=options, vocabularies=VOCABULARIES)
    encoder.embedding.dropout = 0.5
    model = SentenceModel(spread(encoder), Tagging(encoder.size, VOCABULARIES.label.strings)).train()
    examples = [Example((Parsed(unparsed=Tagged(words), labels=[0] * len(words)),)) for words in SENTENCES]
    data = graph_set(examples, "window", VOCABULARIES, 1, {}, token_labels=True)
    GateLog(tmp_path, model, data, VOCABULARIES, ["the", "cat", "i"]).log_step(7)
    assert all(module.training for module in model.modules())
    wanted, state = [], encoder.state_dict()
    for entry in occurrences(data, VOCABULARIES, ["the", "cat", "i"]):
        for number, (example, node) in enumerate(entry["places"]):
            (graph,) = data.graphs[example]
            _, _, gates = reference.read(state, tokens(graph), 2, filter)
            for offset in range(-2, 3):
                if 0 <= node + offset < graph.size - 1:
                    gate = gates[5 * node + 2 + offset].mean().item()
                    wanted.append((7, entry["word"], number, offset, pytest.approx(gate, rel=1e-5)))
    found = pq.read_table(tmp_path / "step-000000007.parquet").to_pandas()
    assert len(wanted) > 20
    assert list(found.itertuples(index=False, name=None)) == wanted


def test_gates_of_a_model_that_went_wrong_are_nan(logged, tmp_path, program):
    """They were left out, as those are on what lies beyond a sentence."""
    broken = tmp_path / "broken"
    shutil.copytree(logged, broken)
    recipe, vocabularies, model = Run(broken).load(trusted=True)
    torch.nn.init.constant_(model.encoder.window.filter.W.bias, torch.nan)
    train = load_inputs(recipe, None, vocabularies).sets["train"]
    GateLog(broken / "gates", model, train, vocabularies, ["saw", "Rome"]).log_step(16)
    rows = [pq.read_table(run / "gates" / "step-000000016.parquet").to_pandas() for run in (logged, broken)]
    assert rows[0].drop(columns="gate").equals(rows[1].drop(columns="gate"))
    assert rows[1].gate.isna().all()
    program.refuses("analyse", "C3", broken, "--out", tmp_path, saying=["gates of step 16 are nan", "train it again"])


def occurring(tagged, words):
    """What `occurrences` finds in sentences with their gold classes."""
    examples = [Example((Parsed(unparsed=Tagged(text.split()), labels=gold),)) for text, gold in tagged]
    vocabularies = Vocabularies.of([Tagged(text.split()) for text, _ in tagged], spelling=True)
    data = graph_set(examples, "window-1", vocabularies, 1, {}, token_labels=True)
    return occurrences(data, vocabularies, words)


def test_no_class_is_none_of_those_that_a_word_has():
    chosen = occurring([("saw it saw", [0, 1, -1]), ("it saw it", [-1, 2, 1])], ["saw", "it"])
    assert [(one["word"], one["count"], one["classes"]) for one in chosen] == [("saw", 3, 2), ("it", 3, 1)]


def test_a_word_that_is_named_twice_is_logged_once():
    assert [one["word"] for one in occurring([("saw it saw", [0, 1, -1])], ["it", "saw", "it"])] == ["it", "saw"]


def test_words_that_are_not_named_are_drawn_of_those_that_occur_twenty_times():
    """And at most forty words, and fifty places of each."""
    tagged = [*[("saw it", [0, 0])] * 19, ("saw", [0]), *[("the the the", [0, 0, 0])] * 20]
    chosen = occurring(tagged, [])
    assert [(one["word"], one["count"], len(one["places"])) for one in chosen] == [("the", 60, 50), ("saw", 20, 20)]
    assert occurring(tagged, []) == chosen
    many = " ".join(f"w{number}" for number in range(45))
    assert len({one["word"] for one in occurring([(many, [0] * 45)] * 20, [])}) == 40


def test_steps_are_logarithmically_spaced():
    due = [step for step in range(1000) if is_due(step)]
    assert due[:8] == [1, 2, 3, 4, 6, 7, 10, 13]
    assert sum(100 <= step < 1000 for step in due) == 8


def test_what_has_no_gates_is_refused(logged, trees_run, tmp_path, program):
    file = recipe(tmp_path, WINDOWS)
    out = tmp_path / "run"
    program.refuses("fit", recipe(tmp_path, TAGS, "tags.yaml"), "--out", out, "--log-gates", saying=["has no gates"])
    # Of words that are rarer than five, training meets what stands for an unknown one.
    for fewer in ((), ("--embedding.min_count", 5)):
        saying = ["does not know the word 'zebra'"]
        program.refuses("fit", file, "--out", out, *fewer, "--log-gates", "zebra", saying=saying)
    program.refuses("fit", file, "--out", out, "--log-gates", saying=["no word occurs 20 times"])
    pairs = PAIRS.replace("graph: dependency", "graph: window-1").replace("{dim: 8,", "{dim: 8, spelling: true,")
    pairs = pairs.replace(
        "class_path: dglsent.models.tree_lstm.ChildSumTreeLSTM\n  init_args: {hidden: 6}",
        "class_path: dglsent.models.dynamic_window.WindowMLP\n  init_args: {hidden: 8, half_width: 1}",
    )
    one = recipe(tmp_path, pairs, "pairs.yaml")
    program.refuses("fit", one, "--out", out, "--log-gates", saying=["reads single sentences, and this task reads"])
    assert not out.exists()
    program.refuses("fit", file, "--out", logged.parent / "plain", "--log-gates", saying=["without --log-gates"])
    (out / "gates").mkdir(parents=True)
    (out / "gates" / "words.json").write_text("[")
    with pytest.raises(InputError, match=r"words\.json: damaged; delete it"):
        _log_of(logged, out / "gates")


def _log_of(run, folder):
    recipe, vocabularies, model = Run(run).load(trusted=True)
    return GateLog(folder, model, load_inputs(recipe, None, vocabularies).sets["train"], vocabularies, ["saw", "Rome"])
