from __future__ import annotations

import pytest
from tiny import PAIRS, TINY, recipe
from tiny_tags import TAGS

from dglsent.training import recipe as recipes
from dglsent.training.checks import check, check_optimiser
from dglsent.training.recipe import OptimiserOptions
from graphs.errors import InputError


@pytest.mark.parametrize(("low", "high"), [(2, 4), (0, 4), (2, 6)])
def test_scores_beyond_the_scale_are_refused(low, high, tmp_path, program):
    """A target distribution would take each for the nearest end of the scale."""
    options = ["--out", tmp_path / "run", "--task.low", low, "--task.high", high]
    program.refuses("fit", recipe(tmp_path, PAIRS), *options, saying=[f"lie outside {low} to {high}", "--task.low"])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("split", ["dev", "test"])
def test_scores_beyond_the_scale_are_refused_in_every_split(split, tmp_path, program):
    """They are as far from what the task predicts as those to train on."""
    for name in ("train", "dev", "test"):
        scores = (1, 2, 3, 0.5 if name == split else 4) * 12
        rows = [f"a film {number}\tthe film\t{score}" for number, score in enumerate(scores)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["first\tsecond\tscore", *rows]) + "\n")
    named = [f"{name}: {tmp_path}/{name}.tsv" for name in ("train", "dev", "test")]
    corpus = f"corpus: {{class_path: LabelledPairs, init_args: {{{', '.join(named)}, score: score}}}}"
    text = PAIRS.replace("corpus: {class_path: tiny.Pairs}", corpus).replace("dependency", "chain")
    saying = [f"12 of 48 scores of {split} lie outside 1 to 5, such as 0.5; set --task.low"]
    program.refuses("fit", recipe(tmp_path, text), "--out", tmp_path / "run", saying=saying)
    assert not (tmp_path / "run").exists()


def test_settings_that_the_optimiser_would_pass_over_are_refused(tmp_path, program):
    program.refuses(
        "fit", recipe(tmp_path, TINY), "--out", tmp_path / "run", "--optimiser.momentum", 0.9,
        saying=["optimiser.momentum: 0.9 is for sgd alone, and optimiser.name is adagrad", "--optimiser.momentum 0"],
    )  # fmt: skip
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match=r"^optimiser\.initial_accumulator: 0.1 is for adagrad alone"):
        check_optimiser(OptimiserOptions("adam", initial_accumulator=0.1))
    check_optimiser(OptimiserOptions("sgd", momentum=0.9))
    check_optimiser(OptimiserOptions("adagrad", initial_accumulator=0.1))


def test_gradients_that_are_scaled_are_not_clipped():
    """Adam unscales them as it steps, after they were clipped."""
    options = ["--training.clip", "1", "--training.precision", "16-mixed", "--optimiser.name"]
    for name in ("adam", "adamw"):
        recipe = recipes.instantiate(recipes.resolve(TINY, [*options, name]))
        with pytest.raises(InputError, match=rf"^training\.clip: {name} with precision 16-mixed .* take bf16-mixed"):
            check(recipe, None, {})


def test_a_window_of_another_width_than_the_graphs_is_refused(tmp_path, program):
    """The encoder was built for the graph's, and what was asked for was passed over without a word."""
    text = TAGS.replace("graph: chain", "graph: window-4").replace("sequence.BiLSTM", "dynamic_window.WindowLSTM")
    (tmp_path / "tags.yaml").write_text(text.replace("tie_directions: false", "options: {cap_dim: 2}"))
    fit = ["fit", tmp_path / "tags.yaml", "--training.epochs", 1, "--out", tmp_path / "run", "--encoder.half_width"]
    saying = "encoder.half_width: 2, but windows of graph window-4 have 4 on either side; leave it out, or set --graph"
    program.refuses(*fit, 2, saying=[f"{saying} window"])
    program.refuses(*fit, 3, saying=["encoder.half_width: 3", "leave it out"])
    assert not (tmp_path / "run").exists()
    assert program(*fit, 4)[0] == 0


OWN = """\
import numpy as np

import graphs
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.corpus import Corpus
from dglsent.tasks.classification import Classification
from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import update_all
from dglsent.training.graphs import OwnGraph
from graphs.columns import Tagged
from graphs.door import fn
from torch import nn


class Short(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [(0, 1)])
        graph.edges["slot"] = graph.edges["slot"][:-1]
        return graph


class Wordless(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [(0, 1)])
        del graph.nodes["word"]
        return graph


class Nothings(OwnGraph):
    def build(self, sentence, vocabularies):
        graphs.over_words(sentence, vocabularies, [])  # and forgets to return it


class Flat(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [(0, 1)])
        graph.level = np.zeros_like(graph.level)
        return graph


class Backwards(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [])
        graph.nodes = {name: column[::-1].copy() for name, column in graph.nodes.items()}
        return graph


class Placeless(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [])
        del graph.nodes["position"]
        return graph


class Sided(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [])
        graph.nodes["sentence"] = graph.nodes["position"]
        return graph


class Fewer(OwnGraph):
    reads = "chain"

    def build(self, sentence, vocabularies):
        return graphs.over_words(Tagged(sentence.words[:-1]), vocabularies, [])


class FewerNodes(Fewer):
    reads = "constituency"


class Uneven(OwnGraph):
    def build(self, sentence, vocabularies):
        graph = graphs.over_words(sentence, vocabularies, [])
        if len(sentence) > 18:  # the last one of training alone
            graph.nodes["long"] = graph.nodes["position"]
        return graph


class Sums(Encoder):
    directions = ()

    def __init__(self, embedding: WordEmbedding, hidden: int) -> None:
        super().__init__(embedding, hidden)
        self.W = nn.Linear(embedding.dim, hidden)

    def encode(self, batch):
        batch.nodes["x"] = self.W(self.embedding.of(batch.nodes))
        update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "s"))
        return batch.nodes["s"]


class Wrong(Reviews):
    def __init__(self, change: str) -> None:
        super().__init__(train=20, dev=10, test=10)
        self.change = change

    def load(self, data):
        splits = super().load(data)
        exec(self.change)
        return splits


class Nothing(Reviews):
    def load(self, data):
        super().load(data)  # and forgets to return it


class Typed(Classification):
    targets = {"label": int}

    def __init__(self, size: int) -> None:
        super().__init__(size, 5)


class Listed(Classification):
    targets = ("label",)

    def __init__(self, size: int) -> None:
        super().__init__(size, 5)


class Empty(Corpus):
    needs_data = False


class Blind(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)
        self.monitor = "r2"
"""

FEW = "{class_path: Reviews, init_args: {train: 20, dev: 10, test: 10}}"
FIVE = "{class_path: Classification, init_args: {classes: 5}}"


def own_recipe(folder, *, corpus=FEW, graph="chain", encoder="BagOfWords", task=FIVE):
    """A recipe of parts of one's own, which stand beside it."""
    (folder / "own_parts.py").write_text(OWN)
    parts = {
        "corpus": corpus,
        "graph": graph,
        "encoder": f"{{class_path: {encoder}, init_args: {{hidden: 4}}}}",
        "task": task,
        "embedding": "{dim: 4}",
        "training": "{epochs: 1}",
    }
    (folder / "own.yaml").write_text("".join(f"{key}: {value}\n" for key, value in parts.items()))
    return folder / "own.yaml"


def changed(change):
    """The reviews, a little changed by a statement."""
    return f'{{class_path: own_parts.Wrong, init_args: {{change: "{change}"}}}}'


@pytest.mark.parametrize("workers", [0, 1])
def test_what_a_worker_cannot_batch_is_told_in_one_line(workers, tmp_path, program):
    fit = ("fit", own_recipe(tmp_path, graph="own_parts.Uneven"), "--out", tmp_path / "run")
    saying = ["dglsent: graph ", "of the batch has the fields word, ", "position, long, ", "; batch graphs of one kind"]
    program.refuses(*fit, "--training.workers", workers, saying=saying)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"corpus": "own_parts.Nothing"}, "corpus Nothing: gives a value of type NoneType; a dict of train, dev and"),
        ({"graph": "{class_path: own_parts.Short}"}, "edge field 'slot' has"),
        ({"graph": "own_parts.Wordless", "encoder": "SeqLSTM"}, "of this corpus (node field 'word' is not there"),
        (
            {"graph": "own_parts.Flat", "encoder": "ChildSumTreeLSTM"},
            "nothing is propagated; set directions = () in the encoder ChildSumTreeLSTM if",
        ),
        (
            {"graph": "own_parts.Sided", "encoder": "own_parts.Sums"},
            "Sided() makes it: the node field 'sentence' is the batch's own; give yours another name",
        ),
        ({"task": "{class_path: own_parts.Blind}"}, "it monitors 'r2', and its scores are accuracy"),
        ({"task": "{class_path: own_parts.Typed}"}, "targets['label'] is <class 'int'>, and no dtype; give such as"),
        ({"task": "{class_path: own_parts.Listed}"}, "task Listed: targets is of type tuple; give a dict: targets = {"),
        ({"corpus": "own_parts.Empty"}, "corpus Empty has no load; write load(self, data)"),
        ({"graph": "own_parts.FewerNodes"}, "nodes, and there are gold classes of"),
    ],
)
def test_parts_of_ones_own_are_looked_at_before_training(parts, said, tmp_path, program):
    program.refuses("fit", own_recipe(tmp_path, **parts), "--out", tmp_path / "run", saying=[said])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("del splits['test']", "corpus Wrong: no list of examples 'test'"),
        ("splits['dev'] = []", "corpus Wrong: no list of examples 'dev'"),
        ("splits['train'] = iter(splits['train'])", "corpus Wrong: no list of examples 'train'"),
        ("splits['test'][3].targets = {'label': 5}", "test: 1 of 10 gold values 'label' are no class, such as 5"),
        ("splits['dev'][0].targets = {'label': -1}", "dev: 1 of 10 gold values 'label' are no class, such as -1"),
        ("splits['train'][0].targets = {'label': -2}", "train: 1 of 20 gold values 'label' are no class, such as -2"),
        ("splits['test'][0].targets = {'label': 0.7}", "has 0.7 as its gold 'label', where a whole number is wanted"),
        ("splits['train'][9].targets = {'label': '1'}", "has '1' as its gold 'label', where a whole number is wanted"),
        (
            "splits['train'][9].targets = {'label': None}",
            "has None as its gold 'label', where a whole number is wanted",
        ),
        ("splits['dev'][0].sentences[0].labels[1] = 7", "gold values 'label of a phrase' are no class, such as 7"),
        ("splits['dev'][3] = 'fine'", "corpus Wrong: example 4 of dev is a value of type str; give a dglsent.corpora"),
        ("splits['dev'][3].sentences = splits['dev'][3].sentences[0]", "example 4 of dev has sentences that are none"),
        ("splits['train'][1].sentences = ('fine',)", "example 2 of train has sentences that are none; give a tuple of"),
        ("splits['test'][0].targets = 3", "example 1 of test has targets of type int; give gold values by name, such"),
        ("splits['test'][0].groups = 'quiet'", "example 1 of test has the groups 'quiet'; give a frozenset of names"),
    ],
)
def test_examples_of_ones_own_are_looked_at_before_training(change, said, tmp_path, program):
    file = own_recipe(tmp_path, corpus=changed(change), graph="constituency", encoder="BinaryTreeLSTM")
    program.refuses("fit", file, "--out", tmp_path / "run", saying=[said])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [("classes: 4", "task.classes: 4"), ("classes: 6, choose: 3", "task.choose: 3"), ("classes: 6", "task.classes: 6")],
)
def test_other_numbers_of_classes_than_the_corpus_has(arguments, said, tmp_path, program):
    file = own_recipe(tmp_path, task=FIVE.replace("classes: 5", arguments))
    setting = said.partition(":")[0]
    program.refuses(
        "fit", file, "--out", tmp_path / "run", saying=[f"{said}, and the corpus has the 5", f"set --{setting} 5"]
    )


def test_graphs_without_levels_go_with_encoders_that_propagate_nothing(tmp_path, program):
    file = own_recipe(tmp_path, graph="own_parts.Flat", encoder="own_parts.Sums")
    assert program("fit", file, "--out", tmp_path / "run")[0] == 0


def test_graphs_that_are_none_are_refused(tmp_path, program):
    own_recipe(tmp_path)
    (tmp_path / "pairs.yaml").write_text(PAIRS.replace("graph: dependency", "graph: own_parts.Nothings"))
    program.refuses(
        "fit", tmp_path / "pairs.yaml", "--out", tmp_path / "run",
        saying=["as Nothings() makes its graph: build gives a value of type NoneType; return a graphs.SentenceGraph"],
    )  # fmt: skip


@pytest.mark.parametrize("graph", ["Backwards", "Placeless", "Fewer"])
def test_gold_classes_of_tokens_want_the_tokens_first(graph, tmp_path, program):
    """They were laid on the first nodes, whatever these are."""
    own_recipe(tmp_path)
    (tmp_path / "tags.yaml").write_text(TAGS.replace("graph: chain", f"graph: own_parts.{graph}"))
    program.refuses(
        "fit", tmp_path / "tags.yaml", "--out", tmp_path / "run",
        saying=[f"as {graph}() makes its graph: gold classes are laid on its first nodes, which are not the tokens"],
    )  # fmt: skip


def test_a_sentence_to_learn_from_may_lack_a_class(tmp_path, program):
    file = own_recipe(tmp_path, corpus=changed("splits['train'][0].targets = {'label': -1}"))
    assert program("fit", file, "--out", tmp_path / "run")[0] == 0


def test_phrases_that_are_not_learnt_may_have_other_classes(tmp_path, program):
    file = own_recipe(
        tmp_path,
        corpus=changed("splits['train'][0].sentences[0].labels[1] = 7"),
        graph="constituency",
        encoder="BinaryTreeLSTM",
        task=FIVE.replace("classes: 5", "classes: 5, phrases: false"),
    )
    assert program("fit", file, "--out", tmp_path / "run")[0] == 0


@pytest.mark.parametrize("encoder", ["ChildSumTreeLSTM", "BiLSTM", "PDGraph"])
def test_encoders_that_would_hear_nothing_in_complete_graphs_are_refused(encoder, tmp_path, program):
    """Without this they train as bags of words, and their recurrent weights stay what they were."""
    recipe = own_recipe(tmp_path, graph="complete", encoder=encoder)
    program.refuses(
        "fit", recipe, "--out", tmp_path / "run",
        saying=[f"encoder {encoder} passes messages along the edges of trees or chains", "no word would hear another"],
    )  # fmt: skip
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("graph", ["constituency", "window-1"])
@pytest.mark.parametrize("encoder", ["CN3", "LSTMN", "PDGraph", "Transformer"])
def test_encoders_that_would_take_phrases_or_padding_for_words_are_refused(encoder, graph, tmp_path, program):
    recipe = own_recipe(tmp_path, graph=graph, encoder=encoder)
    program.refuses(
        "fit", recipe, "--out", tmp_path / "run",
        saying=[f"encoder {encoder} does not work on {graph} graphs of this corpus (", "choose another --graph"],
    )  # fmt: skip


def test_encoders_of_complete_graphs_are_not(tmp_path, program):
    assert program("fit", own_recipe(tmp_path, graph="complete", encoder="CN3"), "--out", tmp_path / "run")[0] == 0


TOKENS = """\
from dglsent.tasks.classification import Classification


class PerToken(Classification):
    def __init__(self, size: int) -> None:
        super().__init__(size, 5)

    def outcomes(self, batch, states, vectors):
        return {"token": states.sum(1)}
"""


def test_outcomes_of_tokens_are_refused(tmp_path, program):
    """Dev scores would be of the first tokens alone, as many as there are examples."""
    (tmp_path / "per_token.py").write_text(TOKENS)
    file = own_recipe(tmp_path, task="per_token.PerToken")
    program.refuses(
        "fit", file, "--out", tmp_path / "run", saying=["task PerToken: its outcomes 'token' are", "of 8 examples"]
    )
    assert not (tmp_path / "run").exists()


def test_states_that_score_no_classes_need_a_head(tmp_path, program):
    recipe = tmp_path / "tags.yaml"
    recipe.write_text(TAGS)
    program.refuses(
        "fit", recipe, "--task.head", "false", "--out", tmp_path / "run",
        saying=["task.head: false is for", "these have 16 dimensions", "--task.head true"],
    )  # fmt: skip
