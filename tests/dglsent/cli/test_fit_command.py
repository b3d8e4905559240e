from __future__ import annotations

import json
import statistics
from typing import ClassVar

import pytest
import torch
from tiny import PAIRS, TINY, Interrupted, recipe

from dglsent.models.tree_lstm import BinaryTreeLSTM


def test_a_run_folder_holds_what_is_promised(trees_run):
    files = {path.name for path in trees_run.iterdir()}
    assert files == {"config.yaml", "logs", "metrics.json", "vocabularies.json", "weights.safetensors"}
    metrics = json.loads((trees_run / "metrics.json").read_text())
    assert {"dev", "test", "seed", "epochs", "seconds", "parameters", "versions"} <= metrics.keys()
    assert metrics["seed"] == 1
    assert metrics["epochs"] == 2
    assert metrics["versions"].keys() >= {"python", "torch", "dgl", "lightning"}
    assert 0 <= metrics["test"]["accuracy"] <= 1
    assert set(metrics["test_groups"]) <= {"negation", "intensifier", "contrast", "distance"}
    # Embeddings [V, 8], W [18, 8], U [30, 12] and the classifier [5, 6], with their biases.
    words = len(json.loads((trees_run / "vocabularies.json").read_text())["word"]["strings"]) + 2
    assert metrics["parameters"] == words * 8 + 18 * 9 + 30 * 13 + 5 * 7
    (log,) = trees_run.glob("logs/version_0/metrics.csv")
    assert log.read_text().count("\n") == 3
    assert list(trees_run.glob("logs/version_0/events.*"))


def test_best_epoch_is_the_one_that_is_kept(trees_run):
    metrics = json.loads((trees_run / "metrics.json").read_text())
    scores = [epoch["dev"]["accuracy"] for epoch in metrics["history"]]
    assert metrics["dev"]["accuracy"] == max(scores)
    assert metrics["best_epoch"] == scores.index(max(scores)) + 1


def test_of_an_error_the_lowest_is_kept(tmp_path, program):
    options = ("--training.monitor", "mse", "--training.epochs", "3")
    assert program("fit", recipe(tmp_path, PAIRS), "--out", tmp_path / "run", *options)[0] == 0
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    errors = [epoch["dev"]["mse"] for epoch in metrics["history"]]
    assert metrics["dev"]["mse"] == min(errors) < errors[0]
    assert metrics["best_epoch"] == errors.index(min(errors)) + 1


def test_the_loss_of_an_epoch_is_the_mean_over_its_steps(tmp_path, program):
    """Where nothing is learnt or dropped, it is that of all examples in one step."""
    file = recipe(tmp_path, TINY.replace("dropout: 0.3", "dropout: 0.0") + "optimiser: {lr: 0.0}\n")
    losses = []
    for size in ("20", "60"):
        run = tmp_path / size
        assert program("fit", file, "--out", run, "--training.batch_size", size, "--training.epochs", "1")[0] == 0
        losses.append(json.loads((run / "metrics.json").read_text())["history"][0]["loss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_scores_of_pairs(pairs_run):
    metrics = json.loads((pairs_run / "metrics.json").read_text())
    for split in ("dev", "test"):
        assert metrics[split].keys() == {"pearson", "spearman", "mse"}


def test_finished_run_is_not_trained_again(trees_run, program):
    before = (trees_run / "weights.safetensors").stat().st_mtime_ns
    left = [trees_run / "resume.ckpt", trees_run.with_name("run.lock")]  # by a kill right after the scores
    for file in left:
        file.touch()
    code, out, err = program("fit", trees_run.parent / "tiny.yaml", "--out", trees_run)
    assert code == 0
    assert "finished already, not trained again" in err
    assert "test accuracy" in out
    assert (trees_run / "weights.safetensors").stat().st_mtime_ns == before
    assert not any(file.exists() for file in left)


def test_test_finds_the_same_scores(tmp_path, program):
    """Of a run that has learnt so much that the scores of its splits are neither 0 nor alike."""
    file = recipe(tmp_path, TINY.replace("epochs: 2", "epochs: 4") + "optimiser: {lr: 0.05}\n")
    assert program("fit", file, "--out", tmp_path / "run")[0] == 0
    code, out, _ = program("test", tmp_path / "run")
    metrics = json.loads((tmp_path / "run/metrics.json").read_text())
    assert code == 0
    assert 0 != metrics["dev"]["accuracy"] != metrics["test"]["accuracy"] != 0
    found = json.loads(out)
    assert found["dev"] == metrics["dev"]
    assert found["test"] == metrics["test"]
    assert found["test_groups"] == metrics["test_groups"]


def test_seeds_are_put_together(tmp_path, program):
    file = recipe(tmp_path, TINY.replace("epochs: 2", "epochs: 1"))
    code, out, _ = program("fit", file, "--out", tmp_path / "run", "--seeds", "3,1")
    assert code == 0
    together = json.loads((tmp_path / "run" / "metrics.json").read_text())
    single = [json.loads((tmp_path / "run" / f"seed-{n}" / "metrics.json").read_text()) for n in (1, 3)]
    assert [run["seed"] for run in single] == [1, 3]
    values = [run["test"]["accuracy"] for run in single]
    assert together["test"]["accuracy"] == {
        "mean": statistics.fmean(values),
        "sd": statistics.stdev(values),
        "values": values,
    }
    assert single[0]["history"][0]["loss"] != single[1]["history"][0]["loss"]
    assert "over 2 seeds" in out
    program.refuses("predict", tmp_path / "run", saying=["holds the runs seed-1, seed-3", "name one"])


def test_seeds_of_an_earlier_command_count_too(tmp_path, program):
    """The means were those of the last command's alone."""
    file, out = recipe(tmp_path, TINY.replace("epochs: 2", "epochs: 1")), tmp_path / "run"
    for seed, options in (("5", ["--optimiser.lr", "0.01"]), ("2", []), ("1", [])):
        code, _, said = program("fit", file, "--out", out, "--seeds", seed, *options)
        assert code == 0
        left_out = f"{out}: seed-5: of another configuration or other files, left out of the means"
        assert (left_out in said.splitlines()) == (seed != "5")
    (out / "seed-old").mkdir()
    assert json.loads((out / "metrics.json").read_text())["seeds"] == [1, 2]  # 5 was trained with another rate


def test_same_seed_same_run(trees_run, tmp_path, program):
    program("fit", trees_run.parent / "tiny.yaml", "--out", tmp_path / "run")
    assert (tmp_path / "run/weights.safetensors").read_bytes() == (trees_run / "weights.safetensors").read_bytes()


def test_ctrl_c_says_how_to_go_on_and_the_run_ends_as_if_nothing_had_happened(trees_run, tmp_path, program):
    file = recipe(tmp_path, TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "tiny.Interrupted"))
    command = ("fit", file, "--out", tmp_path / "run")
    # 60 trees in batches of 8: stopped in the first epoch, before there is a checkpoint, then in the second.
    for batches in (5, 12):
        Interrupted.batches_left = batches
        code, _, err = program(*command)
        assert code == 130
        assert f"to go on after the last whole epoch: dglsent {' '.join(map(str, command))}" in err
        assert not (tmp_path / "run/metrics.json").exists()
    assert (tmp_path / "run/resume.ckpt").exists()
    Interrupted.batches_left = None
    code, _, err = program(*command)
    assert code == 0
    assert "epoch 1/2" not in err
    history, expected = (
        json.loads((run / "metrics.json").read_text())["history"] for run in (tmp_path / "run", trees_run)
    )
    for mine, other in zip(history, expected, strict=True):
        assert (mine["loss"], mine["dev"]) == (other["loss"], other["dev"])
    assert (tmp_path / "run/weights.safetensors").read_bytes() == (trees_run / "weights.safetensors").read_bytes()


def test_early_stopping(tmp_path, program):
    text = TINY.replace("epochs: 2", "epochs: 30, patience: 2").replace(
        "embedding:", "optimiser: {lr: 0.0}\nembedding:"
    )
    code, _, _ = program("fit", recipe(tmp_path, text), "--out", tmp_path / "run")
    assert code == 0
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    # Nothing is learnt, so nothing after the first epoch is better.
    assert (metrics["epochs"], metrics["best_epoch"]) == (3, 1)


def test_patience_counts_from_the_first_epoch_where_no_score_is_a_number(tmp_path, program):
    text = PAIRS.replace("tiny.Pairs", "tiny.Alike").replace("graph: dependency", "graph: constituency")
    text = text.replace("dglsent.models.tree_lstm.ChildSumTreeLSTM", "tiny.Interrupted")
    file = recipe(tmp_path, text.replace("epochs: 2", "epochs: 30, patience: 3"))
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert program("fit", file, "--out", whole)[0] == 0
    for batches in (6, 5, 5):  # of 4 an epoch
        Interrupted.batches_left = batches
        assert program("fit", file, "--out", resumed)[0] == 130
    Interrupted.batches_left = None
    assert program("fit", file, "--out", resumed)[0] == 0
    found = [json.loads((run / "metrics.json").read_text()) for run in (whole, resumed)]
    assert [(one["epochs"], one["best_epoch"], one["dev"]["pearson"]) for one in found] == [(4, 1, None)] * 2
    assert [epoch["loss"] for epoch in found[0]["history"]] == [epoch["loss"] for epoch in found[1]["history"]]


def test_a_run_says_how_it_was_computed(trees_run, tmp_path, program):
    file = recipe(tmp_path, TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "tiny.Interrupted"))
    out, way = tmp_path / "run", {"device": "cpu", "threads": 1, "processes": 1}
    Interrupted.batches_left = 12  # in the second epoch
    assert program("fit", file, "--out", out, "--threads", 2)[0] == 130
    Interrupted.batches_left = None
    assert program("fit", file, "--out", out, "--threads", 1)[0] == 0
    whole, resumed = (json.loads((run / "metrics.json").read_text()) for run in (trees_run, out))
    assert {name: resumed[name] for name in way} == {name: whole[name] for name in way} == way
    assert "earlier" not in whole
    assert resumed["earlier"] == [way | {"threads": 2}]


@pytest.mark.parametrize(
    ("options", "saying"),
    [
        (["--training.epoch", "3"], ["unknown option --training.epoch; training has epochs, batch_size, "]),
        (["--max_epochs=3"], ["unknown option --max_epochs=3; did you mean --training.epochs?"]),
        (["--split", "dev"], ["unknown option --split; `dglsent fit RECIPE --help` lists the options"]),
        (["--batch", "3"], ["unknown option --batch; did you mean --training.batch_size?"]),
        (["--trainer.precision", "bf16-mixed"], ["--trainer.precision; did you mean --training.precision?"]),
        (["--optimiser", "torch.optim.Adam"], ["optimiser: expected keys with values, not 'torch.optim.Adam'"]),
        (["--training", "training.yaml"], ["training: expected keys with values, not 'training.yaml'"]),
        (["--encoder.hiden", "3"], ["unknown key 'encoder.hiden'; ", " has hidden, "]),
        (["--encoder.attributes.tag_dim", "3"], ["unknown key 'encoder.attributes.tag_dim'; ", " has hidden, "]),
        (["--encoder.hidden.x", "3"], ["encoder.hidden: expected a whole number, not {x: 3}"]),
        (["--corpus.clases", "3"], ["unknown key 'corpus.clases'"]),
        (["--training.epochs", "three"], ["training.epochs", "a whole number", "three"]),
        (["--graph", "forest"], ["graph", "'dependency'", "forest"]),
        (["--task.classes", "4", "--task", "nowhere.Task"], ["task"]),
        (["--embedding.vectors", "none.txt", "--data", "."], ["none.txt", "--embedding.vectors"]),
        (["--graph", "constituency", "--seeds", "1,1"], ["names a seed twice"]),
        (["--seed", "1", "--seeds", "1,2"], ["not allowed with"]),
        (["--device", "tpu"], ["--device", "'tpu' is none of auto, cpu, cuda"]),
        (["--threads", "0"], ["--threads", "'0'"]),
    ],
)
def test_refused_options(options, saying, tmp_path, program):
    program.refuses("fit", recipe(tmp_path), "--out", tmp_path / "run", *options, saying=saying)
    assert not (tmp_path / "run").exists()


def test_help_offers_no_file_of_a_group_of_keys(program):
    _, text, _ = program("fit", "--help")
    assert "--training KEYS" in text
    assert "configuration file" not in text


@pytest.mark.parametrize(
    ("text", "saying"),
    [
        (TINY + "optimizer: {}\n", ["tiny.yaml", "'optimizer'"]),
        (TINY + "optimiser: {rate: 1}\n", ["tiny.yaml", "'optimiser.rate'"]),
        (TINY.replace("graph: constituency\n", ""), ["tiny.yaml", "graph"]),
        (TINY.replace("hidden: 6", "hidden: six"), ["tiny.yaml", "hidden", "six"]),
        ("- a\n", ["tiny.yaml", "mapping"]),
        ("a: [", ["tiny.yaml", "not YAML"]),
        (PAIRS.replace("tiny.Pairs", "dglsent.corpora.built_in.Reviews"), ["train-1 has 1 sentences", "wants 2"]),
        (TINY.replace("epochs: 2", "epochs: 1, monitor: pearson"), ["monitor", "accuracy"]),
    ],
)
def test_refused_recipes(text, saying, tmp_path, program):
    program.refuses("fit", recipe(tmp_path, text), "--out", tmp_path / "run", saying=saying)


def test_unknown_recipe_suggests_near_ones(program):
    program.refuses("fit", "sick/tree-lsm", saying=["'sick/tree-lsm'", "did you mean sick/tree-lstm"])
    program.refuses("fit", "xxxxxx", saying=["'xxxxxx'", "dglsent recipes"])


def test_a_folder_is_no_recipe(trees_run, tmp_path, program):
    program.refuses("fit", tmp_path, saying=[f"{tmp_path}: is a folder", "dglsent recipes"])
    program.refuses(
        "fit", trees_run, saying=["is a run folder", f"`dglsent fit {trees_run}/config.yaml --out {trees_run}`"]
    )
    assert program("fit", trees_run / "config.yaml", "--out", trees_run)[0] == 0


def test_missing_data(tmp_path, program, monkeypatch):
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    out = ("--out", tmp_path / "run")
    program.refuses("fit", "sick/tree-lstm", *out, saying=["--data DIR", "DGLSENT_DATA"])
    program.refuses("fit", "sick/tree-lstm", *out, "--data", tmp_path / "no", saying=["no such folder"])
    for name, expected in (("sick", "{a,b}.{toks,parents,rels,ptb}"), ("sst", "{train,dev,test}.txt")):
        program.refuses("fit", f"{name}/tree-lstm", *out, "--data", tmp_path, saying=[str(tmp_path), expected])
    monkeypatch.setenv("DGLSENT_DATA", str(tmp_path / "gone"))
    program.refuses("fit", "sst/tree-lstm", *out, saying=["gone", "DGLSENT_DATA"])


def test_folder_of_something_else(trees_run, tmp_path, program):
    file = trees_run.parent / "tiny.yaml"
    program.refuses(
        "fit", file, "--out", trees_run, "--seed", "2", saying=["another configuration", "seed is 1 there and 2 here"]
    )
    program.refuses("fit", file, "--out", trees_run, "--seeds", "1,2", saying=["holds a single run"])
    (tmp_path / "notes.txt").write_text("mine")
    program.refuses("fit", file, "--out", tmp_path, saying=[str(tmp_path), "not a run of dglsent"])


def denormals():
    """Whether there are any."""
    return bool(torch.tensor(1e-30) * 1e-9 > 0)


class Watching(BinaryTreeLSTM):
    """Notes whether there are denormals where it computes."""

    met: ClassVar[set[bool]] = set()

    def encode(self, batch):
        """As ever."""
        self.met.add(denormals())
        return super().encode(batch)


def test_weights_that_only_l2_moves_become_denormal_unless_these_are_flushed():
    """With them a CPU computes a hundred times as slowly."""
    smallest = torch.finfo(torch.float32).tiny

    def shrunk():
        weight = torch.nn.Parameter(torch.full((3,), 0.1))
        rule = torch.optim.Adagrad([weight], lr=0.05, weight_decay=1e-4)
        for _ in range(400):
            weight.grad = torch.zeros(3)
            rule.step()
        return weight.detach().abs()

    assert ((shrunk() > 0) & (shrunk() < smallest)).all()
    torch.set_flush_denormal(True)
    try:
        assert (shrunk() >= smallest).all()
    finally:
        torch.set_flush_denormal(False)


def test_training_flushes_denormals_and_what_comes_after_does_not(tmp_path, program):
    text = TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "test_fit_command.Watching")
    assert denormals()
    assert program("fit", recipe(tmp_path, text), "--out", tmp_path / "run")[0] == 0
    assert Watching.met == {False}
    assert denormals()
