from __future__ import annotations

from functools import cache

import pytest
import yaml
from shipped import classes, first_of_each, switches
from tiny import TINY
from torch import nn

from dglsent.corpora.example import Example, Parsed
from dglsent.nn.embeddings import WordEmbedding
from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from dglsent.training.assemble import make_model, make_task, make_vocabularies, strings_of
from dglsent.training.checks import check_optimiser
from dglsent.training.data import graph_set, loader
from graphs.columns import Tagged
from graphs.errors import InputError
from graphs.formats.brackets import parse_brackets
from graphs.formats.conllu import parse_conllu

TREES = """
(S (NP (DT the) (NN film)) (VP (VBZ is) (ADJP (RB not) (JJ bad))))
(S (NP (NN nobody)) (VP (VBZ laughs)))
"""

ARCS = """
1\tthe\t_\tDET\tDT\t_\t2\tdet\t_\t_
2\tfilm\t_\tNOUN\tNN\t_\t5\tnsubj\t_\t_
3\tis\t_\tAUX\tVBZ\t_\t5\tcop\t_\t_
4\tnot\t_\tPART\tRB\t_\t5\tadvmod\t_\t_
5\tbad\t_\tADJ\tJJ\t_\t0\troot\t_\t_

1\tnobody\t_\tPRON\tNN\t_\t2\tnsubj\t_\t_
2\tlaughs\t_\tVERB\tVBZ\t_\t0\troot\t_\t_
"""


@cache
def resolved(name):
    """A recipe that comes with the package; not to be changed."""
    return recipes.resolve(recipe_files.find(name).read_text(encoding="utf-8"), source=name)


@pytest.mark.parametrize("name", recipe_files.names())
def test_every_recipe_can_be_read(name):
    recipe = recipes.instantiate(resolved(name))
    assert recipe.seed == 1
    assert recipe_files.description(name)
    check_optimiser(recipe.optimiser)  # sets nothing that its optimiser passes over


@pytest.mark.parametrize("name", first_of_each(switches))
def test_every_model_of_a_recipe_learns(name):
    """Of recipes whose models run the same code the first."""
    recipe = recipes.instantiate(resolved(name))
    if not recipe.corpus.labels:
        recipe.corpus.labels = ("A", "B")  # what only its files would tell
    task = make_task(recipe, 1)
    sentences = [Parsed(*parses) for parses in zip(parse_brackets(TREES), parse_conllu(ARCS.lstrip()), strict=True)]
    if task.token_labels:
        texts = [sentence.dependencies.words for sentence in sentences]
        sentences = [Parsed(unparsed=Tagged(words), labels=[1] * len(words)) for words in texts]
    targets = {"label": 1, "score": 3.5, "entailment": 2, "question": 0, "hypothesis": 0}
    pair = [Example(tuple(sentences[: task.sentences]), targets), Example(tuple(sentences[-task.sentences :]), targets)]
    vocabularies = make_vocabularies(recipe, strings_of({"train": pair}, recipe.graph))
    data = graph_set(pair, recipe.graph, vocabularies, task.sentences, task.targets, token_labels=task.token_labels)
    model = make_model(recipe, vocabularies)
    # Torch's own N(0, 1) drowns the word vectors: every table has the first weights of its paper.
    tables = [module.weight for module in model.modules() if isinstance(module, nn.Embedding | nn.EmbeddingBag)]
    assert all(weight.std() < 0.2 for weight in tables)
    (batch,) = loader(data, 2, model.encoder.directions, model.encoder.relations)
    loss = model.loss(batch)
    loss.backward()
    assert loss.isfinite()
    assert any(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in model.encoder.parameters())


def test_bases_are_no_recipes():
    assert "sick/_base" not in recipe_files.names()
    assert "base" not in recipes.dump(recipes.resolve(recipe_files.find("sick/tree-lstm").read_text()))
    with pytest.raises(InputError, match=r"^recipe: lacks graph(, encoder)?; a recipe has at least corpus, graph, enc"):
        recipes.resolve(recipe_files.find("sick/_base").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", first_of_each(classes))
def test_resolved_recipe_says_everything_and_reads_back(name):
    text = recipes.dump(resolved(name))
    for key in ("seed", "weight_decay", "patience", "momentum", "min_count", "init_args"):
        assert f"{key}:" in text
    assert recipes.dump(recipes.resolve(text)) == text


def test_overrides():
    text = recipe_files.find("sick/tree-lstm").read_text(encoding="utf-8")
    config = recipes.resolve(text, ["--encoder.hidden", "7", "--optimiser.lr=0.5", "--training.patience", "3"])
    recipe = recipes.instantiate(config)
    assert recipe.encoder(WordEmbedding(5, 3)).size == 7
    assert recipe.optimiser.lr == 0.5
    assert recipe.optimiser.weight_decay == 1e-4
    assert recipe.training.patience == 3
    assert recipes.difference(recipes.resolve(text), config) == "encoder.init_args.hidden is 150 there and 7 here"


def test_another_encoder():
    text = recipe_files.find("sick/tree-lstm").read_text(encoding="utf-8")
    config = recipes.resolve(text, ["--encoder", "dglsent.models.bag_of_words.BagOfWords"])
    assert type(recipes.instantiate(config).encoder(WordEmbedding(5, 3))).__name__ == "BagOfWords"


@pytest.mark.parametrize("name", ["adagrad", "adam", "adamw", "sgd", "adadelta"])
def test_every_optimiser_tunes_word_vectors(name, tmp_path, program):
    from tiny import TINY, recipe

    text = TINY.replace("epochs: 2", "epochs: 1")
    file = recipe(tmp_path, text)
    more = ("--optimiser.name", name, "--optimiser.weight_decay", "1e-4", "--optimiser.lr", "0.01")
    assert program("fit", file, "--out", tmp_path / "run", *more)[0] == 0


def test_errors_name_the_key():
    with pytest.raises(InputError, match=r"somewhere: unknown key 'corps'"):
        recipes.resolve("corps: {}", source="somewhere")
    with pytest.raises(InputError, match=r"unknown key 'embedding\.dimension'"):
        recipes.resolve(recipe_files.find("reviews/tree-lstm").read_text() + "\nembedding: {dimension: 3}\n")
    with pytest.raises(InputError, match=r"--embedding\.dimension"):
        recipes.resolve(recipe_files.find("reviews/tree-lstm").read_text(), ["--embedding.dimension", "3"])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("BinaryTreLSTM", "did you mean BinaryTreeLSTM?"),
        ("own", "`dglsent recipes --classes` lists dglsent's; name one of your own with its module, as mine.Encoder"),
    ],
)
def test_a_name_of_no_class_is_told_with_what_to_write(name, said):
    with pytest.raises(InputError) as refused:
        recipes.resolve(TINY, ["--encoder", name])
    assert str(refused.value) == f"encoder: {name!r} is no class of dglsent, nor registered; {said}"


@pytest.mark.parametrize("part", ["corpus", "graph", "encoder", "task"])
def test_a_recipe_that_lacks_a_part_is_told_which_it_needs(part):
    others = {key: value for key, value in yaml.safe_load(TINY).items() if key != part}
    with pytest.raises(InputError) as refused:
        recipes.resolve(yaml.safe_dump(others), source="a.yaml")
    said = "a recipe has at least corpus, graph, encoder and task, its own or its base's"
    assert str(refused.value) == f"a.yaml: lacks {part}; {said}"


def test_a_required_key_that_is_missing_is_named():
    pairs = recipe_files.find("sick/tree-lstm").read_text()
    said = "task.classes is missing; give it in the recipe, or by --task.classes beside --task CLASS"
    with pytest.raises(InputError) as refused:
        recipes.resolve(pairs, ["--task", "PairClassification"])
    assert str(refused.value) == said
    changed = recipes.resolve(pairs, ["--task", "PairClassification", "--task.classes", "2"])
    assert changed.task.init_args.classes == 2
    with pytest.raises(InputError) as refused:
        recipes.resolve(TINY.replace("classes: 5, ", ""), ["--task.classes", "5"], source="a.yaml")
    assert str(refused.value) == f"a.yaml: {said}"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("training.epochs", "1.5", "expected a whole number, not 1.5"),
        ("training.patience", "often", "expected a whole number or null, not often"),
        ("training.epochs", "null", "expected a whole number, not null"),
        ("encoder.hidden", "null", "expected a whole number, not null"),
        ("task.dropout", "null", "expected a number, not null"),
        ("optimiser.lr", "fast", "expected a number, not fast"),
        ("optimiser.name", "rms", "expected 'adagrad', 'adam', 'adamw', 'sgd' or 'adadelta', not rms"),
        ("embedding.tune", "maybe", "expected true or false, not maybe"),
    ],
)
def test_errors_name_types_as_recipes_do(option, value, said):
    with pytest.raises(InputError) as refused:
        recipes.resolve(recipe_files.find("reviews/tree-lstm").read_text(), [f"--{option}", value])
    assert str(refused.value) == f"{option}: {said}"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("word,pos,tag", "word,pos,tag; write [word, pos, tag]"),
        ("word", "word; write [word]"),
        ("{a: b}", "{'a': 'b'}"),
    ],
)
def test_a_list_is_written_as_yaml_has_it(value, said):
    tags = "{class_path: TaggedColumns, init_args: {train: a, test: a}}"
    text = f"base: reviews/tree-lstm\ncorpus: {tags}\ntask: Tagging\n"
    with pytest.raises(InputError) as refused:
        recipes.resolve(text, ["--corpus.columns", value])
    assert str(refused.value) == f"corpus.columns: expected a list, not {said}"


def test_a_value_in_the_place_of_a_group_of_keys_is_refused():
    with pytest.raises(InputError, match=r"^mine\.yaml: training: expected keys with values, not 3; "):
        recipes.resolve("base: reviews/tree-lstm\ntraining: 3\n", source="mine.yaml")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("optimiser: {class_path: torch.optim.Adam}", "optimiser: expected keys with values, not 'torch.optim.Adam'; "),
        ("optimiser: {schedule: cosine}", "unknown key 'optimiser.schedule'; optimiser has name, lr, "),
        ("training: {precision: 32}", "training.precision: expected .*, not 32; put it in quotes, '32'$"),
    ],
)
def test_a_group_of_keys_that_is_none_of_ours(key, said):
    name = key.partition(":")[0]
    text = "\n".join(line for line in TINY.splitlines() if not line.startswith(f"{name}:")) + f"\n{key}\n"
    with pytest.raises(InputError, match=f"^mine.yaml: {said}"):
        recipes.resolve(text, source="mine.yaml")
