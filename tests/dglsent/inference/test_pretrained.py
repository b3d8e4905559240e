from __future__ import annotations

import shutil

import pytest
import yaml
from full_disk import full_disk
from untrained import TREES

import dglsent
from dglsent.corpora.built_in import Reviews
from dglsent.inference.card import card
from dglsent.inference.model import Model
from dglsent.training import recipe as recipes
from dglsent.training.assemble import make_model
from dglsent.training.run import Run
from graphs.errors import InputError
from graphs.features import Vocabularies


def test_there_and_back(trees_run, tmp_path):
    model = dglsent.load(trees_run, device="cpu")
    model.save_pretrained(tmp_path / "saved")
    again = Model.from_pretrained(tmp_path / "saved", device="cpu")
    assert again.predict(TREES[:3]) == model.predict(TREES[:3])
    for name in ("config.yaml", "weights.safetensors", "vocabularies.json", "metrics.json"):
        assert (tmp_path / "saved" / name).read_bytes() == (trees_run / name).read_bytes()
    again.save_pretrained(tmp_path / "saved")
    assert dglsent.load(tmp_path / "saved").predict(TREES[:1]) == model.predict(TREES[:1])
    _, head, body = (tmp_path / "saved/README.md").read_text().split("---\n", 2)
    assert yaml.safe_load(head)["library_name"] == "dglsent"
    accuracy = model.run.metrics()["test"]["accuracy"]
    for part in (f"| test | {accuracy:.4f}", "BinaryTreeLSTM", "Reviews", "Stanza", "seed 1", "## Limits"):
        assert part in body


def test_a_mistyped_option_is_no_fault_of_the_hub(trees_run, monkeypatch):
    asked = {}

    def fetched(name, **options):
        asked.update(options, name=name)
        return str(trees_run)

    monkeypatch.setattr("dglsent.inference.model.snapshot_download", fetched)
    for name in (trees_run, "me/tree-lstm"):
        with pytest.raises(TypeError, match="devise"):
            Model.from_pretrained(name, devise="cpu")
    again = Model.from_pretrained("me/tree-lstm", revision="v1", device="cpu")
    assert again.run.path == trees_run
    assert (asked["name"], asked["revision"]) == ("me/tree-lstm", "v1")
    assert {"config.json", "config.yaml", "weights.safetensors"} <= {*asked["allow_patterns"]}


def test_a_folder_does_not_say_itself_that_it_is_trusted(trees_run, tmp_path):
    """The hub's client hands what `config.json` says to the model as options."""
    shutil.copytree(trees_run, tmp_path / "run")
    (tmp_path / "run" / "config.json").write_text('{"trusted": true, "stanza_dir": "theirs"}')
    model = Model.from_pretrained(tmp_path / "run", device="cpu")
    assert (model.trusted, model.stanza_dir) == (False, None)


def test_a_full_disk_leaves_the_files_that_were_there(trees_run, tmp_path):
    """Each was cut to nothing before it was written."""
    model = dglsent.load(trees_run, device="cpu")
    model.save_pretrained(tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.name != "config.json"}  # that is the hub's
    with full_disk(10), pytest.raises(OSError, match="large"):
        model.save_pretrained(tmp_path)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_card_says_what_each_split_scores_and_which_epoch_was_best(trees_run, tmp_path):
    shutil.copytree(trees_run, tmp_path / "run")
    run = Run(tmp_path / "run")
    scores = {"dev": {"accuracy": 0.25}, "test": {"accuracy": 0.5}}
    run.save_metrics({**run.metrics(), **scores, "epochs": 9, "best_epoch": 4})
    said = card(dglsent.load(run.path, device="cpu"))
    assert "| dev | 0.2500 |\n| test | 0.5000 |\n" in said
    assert "The best of 9 epochs was number 4." in said


def test_a_card_is_that_of_its_task_and_language(trees_run, pairs_run):
    for run, task, language, example in (
        (trees_run, "text-classification", "en", '"The movie was not as bad as I feared."'),
        (pairs_run, "sentence-similarity", None, '("The movie was not as bad as I feared.", "I feared worse.")'),
    ):
        _, head, body = card(dglsent.load(run, device="cpu")).split("---\n", 2)
        assert (yaml.safe_load(head)["pipeline_tag"], yaml.safe_load(head).get("language")) == (task, language)
        assert f"model.predict([{example}])" in body
        assert "parses of raw text are made by Stanza's" in body
        assert "- Its parses are those of a program" in body
        assert "word vectors: random at the start." in body
    assert f"- Corpus: Reviews, classes {', '.join(Reviews.labels)}." in card(dglsent.load(trees_run, device="cpu"))


UNFINISHED = """
corpus: dglsent.corpora.built_in.Reviews
graph: chain
embedding: {dim: 4, vectors: 'C:\\vectors\\glove.txt'}
encoder: {class_path: DecomposableAttention, init_args: {structure: {class_path: BiLSTM, init_args: {hidden: 4}}}}
task: {class_path: PairClassification, init_args: {classes: 2}}
"""


def test_the_card_of_a_run_that_goes_on_and_has_a_structure_within(tmp_path):
    config = recipes.resolve(UNFINISHED)
    recipe, vocabularies, run = recipes.instantiate(config), Vocabularies.of(TREES), Run(tmp_path)
    run.path.joinpath("config.yaml").write_text(recipes.dump(config))
    said = card(Model(run, recipe, vocabularies, make_model(recipe, vocabularies)))
    assert "# DecomposableAttention over BiLSTM on Reviews\n" in said
    assert "## Scores\n\nNone: the run was not finished.\n" in said
    assert "word vectors: glove.txt.\n" in said
    assert "The best of" not in said
    assert "no parser is needed" in said
    assert "are those of a program" not in said


def test_what_is_neither_here_nor_on_the_hub(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="nowhere: no folder here, and cannot be had from the hub") as refused:
        Model.from_pretrained("nowhere")
    assert "\n" not in str(refused.value)


def test_the_card_of_a_model_of_ones_own_says_what_it_needs(tmp_path, program, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_bag.py").write_text(
        "from dglsent.models.bag_of_words import BagOfWords\n\n\nclass Mine(BagOfWords):\n    pass\n"
    )
    (tmp_path / "own.tsv").write_text("text\tlabel\n" + "good film\ta\nbad film\tb\n" * 9)
    table = f"{{train: {tmp_path}/own.tsv, dev: {tmp_path}/own.tsv, test: {tmp_path}/own.tsv}}"
    (tmp_path / "own.yaml").write_text(
        f"corpus: {{class_path: LabelledText, init_args: {table}}}\ngraph: chain\nembedding: {{dim: 4}}\n"
        "encoder: {class_path: own_bag.Mine, init_args: {hidden: 4}}\n"
        "task: {class_path: Classification, init_args: {classes: 2}}\ntraining: {epochs: 1}\n"
    )
    assert program("fit", tmp_path / "own.yaml", "--out", tmp_path / "run")[0] == 0
    said = card(dglsent.load(tmp_path / "run", device="cpu", trusted=True))
    assert "language:" not in said
    assert 'dglsent.load("PATH OF THIS FOLDER", trusted=["own_bag.Mine"])' in said
    assert "The code of own_bag.Mine is not in this folder" in said
    assert "trains the model again, where own.tsv is)" in said
    dglsent.load(tmp_path / "run", device="cpu", trusted=True).save_pretrained(tmp_path / "saved")
    assert card(dglsent.load(tmp_path / "saved", device="cpu", trusted=True)) == said
    (tmp_path / "saved" / "sources.json").write_text("{")
    with pytest.raises(InputError, match=r"sources\.json: damaged"):
        card(dglsent.load(tmp_path / "saved", device="cpu", trusted=True))
    with pytest.raises(InputError, match=r"own_bag\.Mine is neither of dglsent nor registered"):
        dglsent.load(tmp_path / "run", trusted="own_bag.Mine2")
    assert dglsent.load(tmp_path / "run", trusted="own_bag.Mine").labels == ("a", "b")


def test_nothing_is_pushed_where_there_is_no_hub(trees_run, monkeypatch):
    # An address of this machine at which nothing listens.
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="me/tree-lstm: cannot be put on the hub") as refused:
        dglsent.load(trees_run).push_to_hub("me/tree-lstm", token="hf_none")
    assert "\n" not in str(refused.value)
