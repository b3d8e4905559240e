"""Names of classes in recipes and run folders."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
import sys
from types import GenericAlias

import pytest
import yaml
from tiny import TINY, recipe

import dglsent.corpora
import dglsent.models
import dglsent.tasks
import dglsent.training
from dglsent import names, registry
from dglsent.corpora.corpus import Corpus
from dglsent.models.encoder import Encoder, PairEncoder
from dglsent.reproduction.jobs import jobs_of
from dglsent.reproduction.tables import Row
from dglsent.tasks.task import Task
from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from dglsent.training.graphs import OwnGraph
from dglsent.training.run import Run
from graphs.errors import InputError

TREE = "dglsent.models.tree_lstm.BinaryTreeLSTM"
BASES = {"OwnGraph", "Encoder", "PairEncoder", "Task", "Corpus", "WindowEncoder", "LabelledFiles"}
OWN = """
import dglsent
from dglsent.models.tree_lstm import BinaryTreeLSTM


@dglsent.register("{name}")
class Mine(BinaryTreeLSTM):
    pass
"""


def test_every_class_of_dglsent_has_a_name():
    found = {}
    for package in (dglsent.corpora, dglsent.models, dglsent.tasks, dglsent.training):
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            for name, made in vars(module).items():
                if isinstance(made, GenericAlias) or not isinstance(made, type):  # list[int] is a type to Python 3.10
                    continue
                if issubclass(made, Encoder | Task | Corpus | OwnGraph) and name not in BASES:
                    found[name] = made.__module__
    assert issubclass(PairEncoder, Encoder)
    assert found == names.HOMES


def test_every_file_of_models_is_told_of_where_they_are_listed():
    told = set(re.findall(r"`(\w+)`", dglsent.models.__doc__))
    assert told == {info.name for info in pkgutil.iter_modules(dglsent.models.__path__)}


def test_recipes_that_come_with_dglsent_say_names():
    """A class that moves would else have hundreds of files to change."""
    said = {
        (path.parent.name, name)
        for path in recipe_files.folder().glob("*/*.yaml")
        for name in re.findall(r"class_path: *([^\s,}]+)", path.read_text(encoding="utf-8"))
    }
    assert ("sst2", "RecNN") in said
    assert not [each for each in said if each[1] not in names.HOMES]


def test_a_run_folder_has_a_version_and_names(trees_run):
    config = yaml.safe_load((trees_run / "config.yaml").read_text())
    assert config["version"] == recipes.VERSION
    assert "classes" not in config
    assert config["encoder"]["class_path"] == "BinaryTreeLSTM"
    assert config["corpus"]["class_path"] == "Reviews"


@pytest.mark.parametrize("path", [TREE, "dglsent.models.before_it_moved.BinaryTreeLSTM", "BinaryTreeLSTM"])
def test_runs_of_before_are_read_and_stay_finished(path, trees_run, tmp_path, program):
    shutil.copytree(trees_run, tmp_path / "run")
    config = tmp_path / "run/config.yaml"
    keys = yaml.safe_load(config.read_text())
    del keys["version"]
    keys["encoder"]["class_path"] = path
    keys["corpus"]["class_path"] = "dglsent.corpora.built_in.Reviews"
    keys["task"]["class_path"] = "dglsent.tasks.classification.Classification"
    config.write_text(yaml.safe_dump(keys))
    assert type(Run(tmp_path / "run").load()[2].encoder).__name__ == "BinaryTreeLSTM"
    assert "finished already" in program("fit", recipe(tmp_path), "--out", tmp_path / "run")[2]
    assert program("fit", config, "--out", tmp_path / "run")[0] == 0


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("version", 99, "version 99: this dglsent reads versions up to"),
        ("version", "new", "version 'new'"),
        (
            "encoder",
            {"class_path": "BinaryTreLSTM"},
            "'BinaryTreLSTM' is no class of dglsent, nor registered; .*--trust .*; did you mean BinaryTreeLSTM",
        ),
        ("encoder", {"class_path": "dglsent.models.tree_lstm.Gone"}, "no class"),
        ("encoder", {"class_path": "Classification"}, "no subclass of Encoder"),
    ],
)
def test_heads_and_names_that_cannot_be(key, value, said, trees_run, tmp_path):
    keys = yaml.safe_load((trees_run / "config.yaml").read_text())
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({**keys, key: value}))
    with pytest.raises(InputError, match=said):
        Run(tmp_path).config()


def test_names_in_recipes_and_options():
    plain = recipes.resolve(TINY)
    named = TINY.replace(TREE, "BinaryTreeLSTM").replace("dglsent.corpora.built_in.Reviews", "Reviews")
    assert recipes.difference(plain, recipes.resolve(named)) is None
    for options in (
        ["--encoder", "ChildSumTreeLSTM", "--encoder.hidden", "5"],
        ["--encoder=ChildSumTreeLSTM", "--encoder.hidden=5"],
        ["--encoder.class_path", "ChildSumTreeLSTM", "--encoder.hidden", "5"],
        ["--encoder", '{"class_path": "ChildSumTreeLSTM", "init_args": {"hidden": 5}}'],
    ):
        encoder = recipes.resolve(TINY, options).encoder
        assert encoder.class_path == "dglsent.models.tree_lstm.ChildSumTreeLSTM"
        assert encoder.init_args.hidden == 5


def test_no_class_takes_a_name_of_dglsent():
    with pytest.raises(ValueError, match="dglsent's own"):
        dglsent.register("TREC")


@pytest.fixture
def as_before():
    """What a test imports and puts on the path goes again."""
    path, modules, classes = list(sys.path), set(sys.modules), dict(registry._classes)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    registry._classes.clear()
    registry._classes.update(classes)


@pytest.mark.usefixtures("as_before")
def test_classes_beside_a_recipe_and_in_the_working_folder(tmp_path, program, monkeypatch):
    beside, working = tmp_path / "beside", tmp_path / "working"
    for folder, module in ((beside, "lies_beside"), (working, "lies_here")):
        folder.mkdir()
        (folder / f"{module}.py").write_text(OWN.format(name=module.replace("_", "-")))
    monkeypatch.chdir(working)
    one_epoch = TINY.replace("epochs: 2", "epochs: 1")
    first = recipe(beside, one_epoch.replace(TREE, "lies_beside.Mine"))
    assert program("fit", first, "--out", tmp_path / "run")[0] == 0
    assert program("fit", first, "--out", tmp_path / "other", "--encoder", "lies_here.Mine")[0] == 0
    config = yaml.safe_load((tmp_path / "other/config.yaml").read_text())
    assert config["classes"] == {"lies-here": "lies_here.Mine"}
    assert config["encoder"]["class_path"] == "lies-here"
    assert "finished already" in program("fit", first, "--out", tmp_path / "run")[2]
    assert "registered: lies-beside (lies_beside.Mine)" in program("fit", first, "--help")[1]
    listed = program("recipes", "--classes")[1]
    assert "lies_here.Mine" in listed
    assert "encoder: AdaMCRNN, " in listed
    assert "graph: BinarisedTree\n" in listed
    # As another program finds it, which has registered nothing.
    registry._classes.clear()
    for name in ("lies_beside", "lies_here"):
        del sys.modules[name]
    sentence = tmp_path / "in.txt"
    sentence.write_text("(2 (1 a) (3 b))\n")
    program.refuses("predict", tmp_path / "other", sentence, saying=["'lies-here'", "registered", "--trust"])
    assert "lies_here" not in sys.modules
    assert program("predict", tmp_path / "other", sentence, "--trust")[0] == 0
    assert "lies_here" in sys.modules


@pytest.mark.usefixtures("as_before")
@pytest.mark.parametrize(
    "command",
    [
        ("build", "store", "--recipe", "config.yaml"),
        ("fit", "config.yaml", "--help"),
        ("recipes", "config.yaml", "--resolved"),
        None,
    ],
)
def test_all_that_reads_the_recipe_of_a_run_finds_the_classes_that_it_names(command, tmp_path, program, monkeypatch):
    """Some commands took the name of one for a class that there is not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lies_here.py").write_text(OWN.format(name="lies-here"))
    head = "version: 2\nclasses: {lies-here: lies_here.Mine}\n"
    file = recipe(tmp_path, head + TINY.replace(TREE, "lies-here"), "config.yaml")
    if command:
        code, _, err = program(*command)
        assert code == 0, err
    else:  # as `dglsent reproduce` does of a row
        ((job,),) = jobs_of(Row("Mine", "", recipe=str(file)), None, [1], tmp_path / "runs")
        assert job.run.path == tmp_path / "runs" / "config" / "seed-1"
        assert "class_path: lies-here" in job.text
