from __future__ import annotations

import re

import pytest

from dglsent.models.sequence import BiLSTM
from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from dglsent.training.bases import Layer, merge
from graphs.errors import InputError

FIRST = """
corpus: {class_path: dglsent.corpora.built_in.Reviews, init_args: {train: 60}}
graph: chain
embedding: {dim: 8, dropout: 0.3}
encoder: {class_path: dglsent.models.sequence.BiLSTM, init_args: {hidden: 6, tie_directions: false}}
task: {class_path: dglsent.tasks.classification.Classification, init_args: {classes: 5, phrases: false}}
"""


class HandsOn(BiLSTM):
    """It has the arguments of its base without naming them."""

    def __init__(self, embedding, extra: int = 1, **options):
        super().__init__(embedding, **options)


class Open:
    """It takes whatever it is given."""

    def __init__(self, **options):
        self.options = options


@pytest.fixture
def resolved(tmp_path):
    """Writes files and resolves the last."""

    def resolve(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text)
        return recipes.resolve(text, source=str(tmp_path / f"{name}.yaml"))

    return resolve


def test_later_files_change_earlier_ones_key_by_key(resolved):
    config = resolved(
        first=FIRST,
        second="base: first\nembedding: {dim: 9}\noptimiser: {lr: 0.5}\nencoder: {init_args: {hidden: 7}}\n",
        third="base: second.yaml\noptimiser: {lr: 0.25}\ncorpus: {init_args: {dev: 20}}\n",
    )
    assert (config.embedding.dim, config.embedding.dropout, config.optimiser.lr) == (9, 0.3, 0.25)
    assert vars(config.encoder.init_args) | {"tie_directions": False, "hidden": 7} == vars(config.encoder.init_args)
    assert (config.corpus.init_args.train, config.corpus.init_args.dev) == (60, 20)
    assert "base" not in recipes.dump(config)


@pytest.mark.parametrize("value", ["dglsent.models.tree_lstm.ChildSumTreeLSTM", "{{class_path: {}}}"])
def test_another_class_keeps_the_arguments_that_it_takes(resolved, value):
    value = value.format("dglsent.models.tree_lstm.ChildSumTreeLSTM")
    config = resolved(first=FIRST, second=f"base: first\ngraph: dependency\nencoder: {value}\n")
    assert config.encoder.class_path.endswith("ChildSumTreeLSTM")
    assert config.encoder.init_args.hidden == 6
    assert "tie_directions" not in config.encoder.init_args


def test_a_class_that_stands_as_its_name_alone_may_be_given_arguments(resolved):
    first = re.sub("encoder: .*", "encoder: BiLSTM", FIRST)
    config = resolved(first=first, second="base: first\nencoder: {init_args: {hidden: 7}}\n")
    assert (config.encoder.class_path, config.encoder.init_args.hidden) == ("dglsent.models.sequence.BiLSTM", 7)


def test_what_a_class_takes_unnamed_stays_with_it_and_is_not_refused_as_another_comes():
    own, another = f"{__name__}.Open", "dglsent.models.sequence.BiLSTM"
    first = Layer("first", {"encoder": {"class_path": own, "init_args": {"hidden": 6, "odd": 1}}})
    again, other = (merge([first, Layer("second", {"encoder": name})])["encoder"] for name in (own, another))
    assert again == {"class_path": own, "init_args": {"hidden": 6, "odd": 1}}
    assert other == {"class_path": another, "init_args": {"hidden": 6}}


def test_a_base_beside_the_recipe_goes_before_one_with_a_name(resolved, tmp_path):
    (tmp_path / "sick").mkdir()
    (tmp_path / "sick/gru.yaml").write_text(FIRST)
    assert resolved(own="base: sick/gru\n").embedding.dim == 8


def test_what_is_no_class_is_replaced():
    first = Layer("first", {"training": {"epochs": 2}, "graph": "chain"})
    second = {"training": "long", "graph": {"half_width": 2}}
    assert merge([first, Layer("second", second)]) == second


def test_a_class_takes_what_it_hands_on_to_its_base(resolved):
    """What it has not named itself was lost without a word as it came, and refused as another class came for it."""
    config = resolved(first=FIRST, second=f"base: first\nencoder: {__name__}.HandsOn\n")
    assert vars(config.encoder.init_args).items() >= {"hidden": 6, "tie_directions": False, "extra": 1}.items()
    tree = "dglsent.models.tree_lstm.ChildSumTreeLSTM"
    third = f"base: second\ngraph: dependency\nencoder: {tree}\n"
    config = resolved(first=FIRST, second=f"base: first\nencoder: {__name__}.HandsOn\n", third=third)
    assert (config.encoder.class_path, config.encoder.init_args.hidden) == (tree, 6)
    with pytest.raises(InputError, match=r"unknown key 'encoder\.hiden'; HandsOn has extra, hidden, tie_directions"):
        resolved(
            first=FIRST, third=f"base: first\nencoder: {{class_path: {__name__}.HandsOn, init_args: {{hiden: 3}}}}\n"
        )


@pytest.mark.parametrize(
    ("given", "taken"), [("010", "8"), ("1:30", "90"), ("0x1F", "31"), ("0b11", "3"), ("-1:30.5", "-90.5")]
)
def test_numbers_of_other_bases_than_ten(resolved, given, taken):
    with pytest.raises(InputError, match=rf"own.yaml:3: {given} is {taken} in YAML; write {taken}, or put text"):
        resolved(first=FIRST, own=f"base: first\ntraining:\n  epochs: {given}\n")


@pytest.mark.parametrize("given", ["0.50", "0.5e0", "5e-1", ".5", "+0.5"])
def test_decimal_numbers(resolved, given):
    assert resolved(first=FIRST, own=f"base: first\noptimiser: {{lr: {given}}}\n").optimiser.lr == 0.5


def test_defaults_of_a_class_are_not_handed_on(resolved):
    # Classification drops 0.5 by default, Relatedness nothing.
    second = "base: first\ntask: {class_path: dglsent.tasks.relatedness.Relatedness}\n"
    assert resolved(first=FIRST, second=second).task.init_args.dropout == 0.0


@pytest.mark.parametrize(
    "options",
    [
        ["--task", "Relatedness", "--encoder.hidden", "7"],
        ["--encoder.hidden=7", "--task=dglsent.tasks.relatedness.Relatedness"],
        ["--task.class_path", "Relatedness", "--encoder", "ChildSumTreeLSTM", "--encoder.hidden", "7"],
    ],
)
def test_on_the_command_line_a_class_goes_with_its_defaults_too(options):
    config = recipes.resolve(FIRST, options)
    assert config.task.class_path == "dglsent.tasks.relatedness.Relatedness"
    assert config.task.init_args.dropout == 0.0
    assert config.encoder.init_args.hidden == 7


def test_on_the_command_line_an_encoder_within_another_changes_as_a_whole():
    text = recipe_files.find("trec/cn3").read_text(encoding="utf-8")
    pair = (
        "encoder: {class_path: DecomposableAttention, init_args: {structure: "
        "{class_path: ChildSumTreeLSTM, init_args: {hidden: 6}}}}\n"
    )
    config = recipes.resolve(
        text, ["--encoder", "DecomposableAttention", "--encoder.structure", "BiLSTM"], source="trec/cn3"
    )
    inner = config.encoder.init_args.structure
    assert inner.class_path == "dglsent.models.sequence.BiLSTM"
    config = recipes.resolve(FIRST.replace(FIRST.splitlines()[4] + "\n", pair), ["--encoder.structure", "BiLSTM"])
    inner = config.encoder.init_args.structure
    assert (inner.class_path, inner.init_args.hidden) == ("dglsent.models.sequence.BiLSTM", 6)


def test_a_recipe_with_a_name_is_a_base(resolved):
    config = resolved(mine="base: sick/tree-lstm\nencoder: {init_args: {hidden: 7}}\n")
    other = recipes.resolve(recipe_files.find("sick/tree-lstm").read_text())
    assert recipes.difference(other, config) == "encoder.init_args.hidden is 150 there and 7 here"


@pytest.mark.parametrize(
    ("files", "saying"),
    [
        ({"first": FIRST, "second": "base: fist\n"}, r"second\.yaml: no base 'fist'"),
        ({"second": "base: [a]\n"}, r"second\.yaml: no base \['a'\]"),
        ({"second": "base: /\n"}, r"second\.yaml: no base '/'"),
        ({"first": "base: second\n", "second": "base: first\n"}, r"first\.yaml: base 'second' builds on this file"),
        ({"second": "base: second\n"}, r"second\.yaml: base 'second' builds on this file"),
        ({"first": "a: [", "second": "base: first\n"}, r"first\.yaml: not YAML"),
        (
            {"first": FIRST + "optimiser: {lr: 1}\nseed: 3\noptimiser: {lr: 2}\n", "second": "base: first\n"},
            r"first\.yaml:\d+: 'optimiser' stands there again",
        ),
        (
            {"first": FIRST, "second": "base: first\noptimiser:\n  lr: 1\n  lr: 2\n"},
            r"second\.yaml:4: 'lr' stands there again",
        ),
        ({"first": "- a", "second": "base: first\n"}, r"first\.yaml: a recipe is a mapping"),
        ({"first": FIRST + "training: &own {epochs: *own}\n"}, r"first\.yaml: not YAML \(found unconstructable"),
        ({"first": FIRST + "sed: 2\n", "second": "base: first\nseed: 3\n"}, r"first\.yaml: unknown key 'sed'"),
        (
            {"first": FIRST + "optimiser: {rate: 2}\n", "second": "base: first\noptimiser: {lr: 3}\n"},
            r"first\.yaml: unknown key 'optimiser\.rate'",
        ),
        (
            {"first": FIRST, "second": "base: first\nencoder: {init_args: {hiden: 3}}\n"},
            r"second\.yaml: unknown key 'encoder\.hiden'",
        ),
        (
            {"first": FIRST, "second": "base: first\nencoder: {hidden: 7}\n"},
            r"second\.yaml: encoder\.hidden: stands beside class_path; put it under init_args",
        ),
        (
            {"second": FIRST.replace("init_args: {classes: 5,", "classes: 5, init_args: {")},
            r"task\.classes: stands beside",
        ),
        (
            {"second": FIRST.replace("class_path: dglsent.models.sequence.BiLSTM, ", "")},
            r"encoder\.class_path is missing",
        ),
        (
            {"first": FIRST.replace("hidden: 6", "hidden: six"), "second": "base: first\nseed: 3\n"},
            r"first\.yaml: encoder\.hidden: .*six",
        ),
        (
            {
                "first": FIRST.replace("hidden", "hiden"),
                "second": "base: first\nencoder: {class_path: dglsent.models.bag_of_words.BagOfWords}\n",
            },
            r"first\.yaml: unknown key 'encoder\.hiden'; dglsent\.models\.sequence\.BiLSTM takes no such",
        ),
        (
            {"first": FIRST, "second": "base: first\nencoder: dglsent.models.sequence.BiLTSM\n"},
            r"second\.yaml: encoder: no class 'dglsent\.models\.sequence\.BiLTSM'",
        ),
        (
            {"first": FIRST.replace("graph: chain\n", ""), "second": "base: first\nseed: 3\n"},
            r"second\.yaml: lacks graph; a recipe has at least corpus, graph, encoder and task",
        ),
    ],
)
def test_errors_name_the_file(resolved, files, saying):
    with pytest.raises(InputError, match=saying) as error:
        resolved(**files)
    assert "\n" not in str(error.value)
