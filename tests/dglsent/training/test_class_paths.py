"""Nothing that a recipe or a run folder names is called or imported before it is known to be a class that may be."""

from __future__ import annotations

import re
import shutil
import sys

import pytest
import yaml
from tiny import TINY, recipe

import dglsent
from dglsent import registry
from dglsent.models.tree_lstm import BinaryTreeLSTM
from dglsent.nn.embeddings import WordEmbedding
from dglsent.tasks.classification import Classification
from dglsent.training import class_paths
from dglsent.training import recipe as recipes
from dglsent.training.run import Run
from graphs.errors import InputError
from graphs.features import Vocabularies

TREE = "dglsent.models.tree_lstm.BinaryTreeLSTM"
PROGRESSIVE = "dglsent.models.progressive_attention.ProgressiveAttention"


@dglsent.register("own-tree")
class Own(BinaryTreeLSTM):
    """A class of a program's own."""


class Unregistered(BinaryTreeLSTM):
    """Another."""


class Optional(BinaryTreeLSTM):
    """One whose first argument is an option."""

    def __init__(self, hidden: int = 6):
        super().__init__(None, hidden)


class Greedy(BinaryTreeLSTM):
    """One that wants what is filled in."""

    def __init__(self, embedding: WordEmbedding, vocabularies: Vocabularies, hidden: int = 6):
        super().__init__(embedding, hidden)


class Untyped(BinaryTreeLSTM):
    """One of whose arguments nobody can tell what it holds."""

    def __init__(self, embedding: WordEmbedding, hidden):
        super().__init__(embedding, hidden)


class Unsized(Classification):
    """A task whose first argument is an option."""

    def __init__(self, weight: float = 0.5):
        super().__init__(6, 5)


class WithFunction(BinaryTreeLSTM):
    """One that takes a function, which no recipe brings."""

    def __init__(self, embedding, hidden: int = 6, then: class_paths.collections.abc.Callable = len):
        super().__init__(embedding, hidden)


@pytest.fixture
def marker(tmp_path, monkeypatch):
    """A file that stays away as long as no hostile module is imported; modules lie where Python looks for them."""
    (tmp_path / "hostile.py").write_text(
        "from pathlib import Path\nPath(__file__).with_name('marker').touch()\n"
        "from dglsent.models.tree_lstm import BinaryTreeLSTM\n"
        "class Tree(BinaryTreeLSTM):\n    pass\ndef run(*a, **b): pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "marker"
    sys.modules.pop("hostile", None)


def touch(marker):
    """A call of os.system as a recipe would have it."""
    return {"class_path": "os.system", "init_args": {"command": f"touch {marker}"}}


def hostile(marker):
    """Parts of a recipe that would do something if they could."""
    yield {"encoder": touch(marker)}
    yield {"task": touch(marker)}
    yield {"graph": touch(marker)}
    yield {"graph": "hostile.Tree"}
    yield {"corpus": touch(marker)}
    yield {"encoder": "os.system"}
    yield {"encoder": "posix.system"}
    yield {"encoder": f"{{class_path: os.system, init_args: {{command: touch {marker}}}}}"}
    yield {"encoder": "hostile.run"}
    yield {"encoder": {"class_path": PROGRESSIVE, "init_args": {"structure": touch(marker)}}}
    yield {"encoder": {"class_path": PROGRESSIVE, "init_args": {"structure": "subprocess.call"}}}
    yield {"encoder": {"class_path": PROGRESSIVE, "structure": touch(marker)}}
    yield {"encoder": {"class_path": PROGRESSIVE, "init_args": f"{{structure: {touch(marker)}}}"}}
    yield {"encoder": {"class_path": TREE, "init_args": {"leaf_cell": touch(marker)}, "dict_kwargs": {}}}
    yield {"encoder": {"class_path": "dglsent.models.cn3.CN3", "init_args": {"attributes": touch(marker)}}}
    yield {"encoder": {"class_path": "dglsent.models.cn3.CN3", "init_args": {"edges": [touch(marker)]}}}
    yield {"encoder": {"class_path": "dglsent.models.cn3.CN3", "init_args": {"vocabularies": touch(marker)}}}
    yield {"encoder": {"class_path": ["os.system"]}}
    yield {"encoder": "dglsent.cli.main.main"}
    yield {"encoder": "dglsent.cli.main.os.system"}
    yield {"encoder": "dglsent.tasks.classification.Classification"}
    yield {"task": TREE}
    yield {"embedding": touch(marker)}


@pytest.mark.parametrize("number", range(len(list(hostile("")))))
def test_hostile_recipes_and_folders(number, marker, tmp_path):
    part = list(hostile(marker))[number]
    text = yaml.safe_dump(yaml.safe_load(TINY) | part)
    (tmp_path / "config.yaml").write_text(text)
    for read in (
        lambda: Run(tmp_path).load(),
        lambda: Run(tmp_path).load(trusted=True),
        lambda: recipes.resolve(text),
    ):
        with pytest.raises(InputError) as refused:
            read()
        assert "\n" not in str(refused.value)
        assert "hostile" in text or not marker.exists()


def test_a_hostile_folder_is_one_line(marker, program, tmp_path):
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(yaml.safe_load(TINY) | {"encoder": touch(marker)}))
    for command in (["predict", tmp_path], ["test", tmp_path, "--trust"], ["fit", tmp_path / "config.yaml"]):
        program.refuses(*command, saying=["config.yaml", "os.system"])
    recipe(tmp_path)
    for text in (f"base: config\nencoder: {TREE}\n", f"base: tiny\nencoder: {touch(marker)}\n"):
        program.refuses("fit", recipe(tmp_path, text, "above.yaml"), saying=[".yaml", "os.system"])
    assert not marker.exists()


@pytest.mark.parametrize(
    "options",
    [
        ["--encoder", "os.system"],
        ["--encoder=os.system"],
        ["--encoder.class_path", "os.system"],
        ["--encoder.help", "hostile.run"],
        ["--encoder", '{"class_path": "os.system", "init_args": {"command": "touch MARKER"}}'],
        ["--encoder", PROGRESSIVE, "--encoder.structure", "os.system"],
        ["--encoder", PROGRESSIVE, "--encoder.structure.class_path=os.system"],
        ["--encoder", PROGRESSIVE, "--encoder.init_args.structure", "os.system", "--encoder.structure.command=a"],
        ["--task", "builtins.eval"],
        ["--corpus", "os.system", "--corpus.command", "touch MARKER"],
    ],
)
def test_hostile_options(options, marker, tmp_path, program):
    options = [option.replace("MARKER", str(marker)) for option in options]
    program.refuses("fit", recipe(tmp_path), "--out", tmp_path / "run", *options, saying=["no subclass of"])
    assert "hostile" in str(options) or not marker.exists()


def test_help_of_a_class(tmp_path, program):
    code, out, _ = program("fit", recipe(tmp_path), "--encoder.help", TREE)
    assert code == 0
    assert "--encoder.hidden HIDDEN" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--encoder.help"], "--encoder.help=dglsent.models.tree_lstm.BinaryTreeLSTM"),
        (["--encoder", "RecNN", "--encoder.help"], "--encoder.help=dglsent.models.recnn.RecNN"),
        (["--task.help"], "--task.help=dglsent.tasks.classification.Classification"),
    ],
)
def test_help_without_a_class_is_that_of_the_recipe(options, said, tmp_path, program):
    code, out, _ = program("fit", recipe(tmp_path), *options)
    assert code == 0
    assert f"Help for {said}\n" in out


@pytest.mark.parametrize("path", ["hostile.Tree", "hostile.run", "hostile.nothing", "hostile"])
def test_a_run_folder_imports_nothing_but_dglsent(path, marker, trees_run, program, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(trees_run, folder)
    text = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(text.replace("class_path: BinaryTreeLSTM", f"class_path: {path}"))
    sentence = tmp_path / "in.txt"
    sentence.write_text("(2 (1 a) (3 b))\n")
    for command in (("predict", folder, sentence), ("test", folder)):
        program.refuses(*command, saying=["config.yaml", path])
    program.refuses("fit", trees_run.parent / "tiny.yaml", "--out", folder, saying=["config.yaml", path])
    assert not marker.exists()
    if path == "hostile.Tree":
        assert program("predict", folder, sentence, "--trust")[0] == 0
        assert marker.exists()


def test_a_run_folder_does_not_run_the_program(trees_run, tmp_path, program):
    """To import `dglsent.__main__` is to run a command."""
    shutil.copytree(trees_run, tmp_path / "run")
    text = (tmp_path / "run/config.yaml").read_text()
    path = "dglsent.__main__.main"
    (tmp_path / "run/config.yaml").write_text(text.replace("class_path: BinaryTreeLSTM", f"class_path: {path}"))
    program.refuses("predict", tmp_path / "run", saying=[f"encoder: no class {path!r}"])
    assert "dglsent.__main__" not in sys.modules


def test_a_run_folder_has_no_base(trees_run, program, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(trees_run, folder)
    with (folder / "config.yaml").open("a") as file:
        file.write("base: sick/tree-lstm\n")
    program.refuses("predict", folder, saying=["config.yaml", "'base'"])


def test_a_recipe_brings_classes_of_the_users_own_and_no_functions(marker, tmp_path):
    text = TINY.replace(TREE, "hostile.Tree")
    assert recipes.resolve(text).encoder.class_path == "hostile.Tree"
    assert marker.exists()
    mine = f"{__name__}.WithFunction"
    assert recipes.resolve(TINY.replace(TREE, mine)).encoder.class_path == mine
    with pytest.raises(InputError, match=r"encoder\.then: os\.system is no class that belongs here"):
        recipes.resolve(TINY.replace(TREE, mine).replace("hidden: 6", "then: os.system"))
    with pytest.raises(InputError, match=r"no class 'gone\.Tree' \(No module named 'gone'\); put its file into"):
        recipes.resolve(TINY.replace(TREE, "gone.Tree"))
    with pytest.raises(InputError, match=r"no class 'hostile\.Bush' \(module 'hostile' has no attribute 'Bush'\)$"):
        recipes.resolve(TINY.replace(TREE, "hostile.Bush"))


def test_registered_classes_stand_under_their_names(trees_run, tmp_path, program):
    folder = tmp_path / "run"
    file = recipe(tmp_path, TINY.replace(TREE, "own-tree"))
    assert program("fit", file, "--out", folder)[0] == 0
    assert "class_path: own-tree" in (folder / "config.yaml").read_text()
    assert (folder / "weights.safetensors").read_bytes() == (trees_run / "weights.safetensors").read_bytes()
    assert isinstance(Run(folder).load()[2].encoder, Own)
    by_path = recipe(tmp_path, TINY.replace(TREE, f"{__name__}.Own"))
    assert "finished already" in program("fit", by_path, "--out", folder)[2]
    again = recipe(tmp_path, "base: tiny\nseed: 1\nencoder: own-tree\n", "again.yaml")
    assert "finished already" in program("fit", again, "--out", folder)[2]


def test_a_run_of_a_class_that_is_not_registered_goes_on_and_is_read_with_trust(tmp_path, program):
    file = recipe(tmp_path, TINY.replace(TREE, f"{__name__}.Unregistered").replace("epochs: 2", "epochs: 1"))
    folder = tmp_path / "run"
    assert program("fit", file, "--out", folder)[0] == 0
    assert "finished already" in program("fit", file, "--out", folder)[2]
    program.refuses("test", folder, saying=["Unregistered", "--trust"])
    assert program("test", folder, "--trust", "--split", "dev")[0] == 0


def test_a_class_that_a_trusted_run_names_is_found_where_the_command_stands(tmp_path, program, monkeypatch):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "standing.py").write_text(
        "from dglsent.models.tree_lstm import BinaryTreeLSTM\n\n\nclass Standing(BinaryTreeLSTM):\n    pass\n"
    )
    file = recipe(here, TINY.replace(TREE, "standing.Standing").replace("epochs: 2", "epochs: 1"))
    assert program("fit", file, "--out", tmp_path / "run")[0] == 0
    (here / "standing.py").rename(there / "standing.py")
    monkeypatch.delitem(sys.modules, "standing")
    monkeypatch.chdir(there)
    code, _, err = program("test", tmp_path / "run", "--trust", "--split", "dev")
    assert code == 0, err


def test_what_can_be_registered():
    with pytest.raises(ValueError, match="is no name"):
        dglsent.register("a.b")
    with pytest.raises(ValueError, match=r'the name that the class is to have: @dglsent\.register\("pooled"\)'):
        dglsent.register(Unregistered)
    with pytest.raises(ValueError, match="top of its module"):
        dglsent.register("inner")(type("Inner", (), {"__qualname__": "f.<locals>.Inner"}))


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (
            {"encoder": f"{__name__}.Optional"},
            "encoder: the first argument of Optional is hidden (int), and dglsent gives",
        ),
        (
            {"encoder": {"class_path": f"{__name__}.Optional", "init_args": {"hidden": 3}}},
            "a value of type WordEmbedding",
        ),
        (
            {"task": f"{__name__}.Unsized"},
            "task: the first argument of Unsized is weight (float), and dglsent gives it a",
        ),
        (
            {"encoder": {"class_path": f"{__name__}.Untyped", "init_args": {"hidden": 3}}},
            f"encoder: {__name__}.Untyped has the argument 'hidden' without a type; write hidden: int or such",
        ),
        ({"encoder": f"{__name__}.Greedy"}, "encoder.vocabularies is missing; dglsent fills it in if __init__ has a"),
    ],
)
def test_arguments_that_dglsent_fills_in(part, said):
    """A task whose size was forgotten had it as another argument, and an encoder did not know its own keys."""
    with pytest.raises(InputError, match=re.escape(said)):
        recipes.resolve(yaml.safe_dump({**yaml.safe_load(TINY), **part}))


def test_a_run_of_a_registered_class_names_where_it_stands(tmp_path, program, monkeypatch):
    """Its own recipe, and what `recipes --resolved` prints, train it again in a program that has not met the class."""
    (tmp_path / "own_registered.py").write_text(
        "import dglsent\nfrom dglsent.models.bag_of_words import BagOfWords\n\n\n"
        '@dglsent.register("own-bag")\nclass Mine(BagOfWords):\n    pass\n'
    )
    text = TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "own_registered.Mine")
    file = recipe(tmp_path, text.replace("graph: constituency", "graph: chain"))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert program("fit", file, "--out", tmp_path / "run")[0] == 0
    code, resolved, _ = program("recipes", file, "--resolved")
    assert (code, "own-bag: own_registered.Mine" in resolved) == (0, True)
    printed = recipe(tmp_path, resolved, "resolved.yaml")
    for again in (tmp_path / "run/config.yaml", printed):
        monkeypatch.setattr(registry, "_classes", {})
        code, _, err = program("fit", again, "--out", tmp_path / "run")
        assert (code, "finished already" in err) == (0, True)


def test_folders_to_look_in_are_kept_once(tmp_path, monkeypatch):
    monkeypatch.setattr(class_paths, "_folders", type(class_paths._folders)())
    for _ in range(3):  # a program may load many runs
        class_paths.look_in(tmp_path, tmp_path / "other")
    assert list(class_paths._folders) == [str(tmp_path), str(tmp_path / "other")]
