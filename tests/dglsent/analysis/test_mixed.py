from __future__ import annotations

import json
import shutil

import pandas
from made import recording, run

from dglsent.analysis.mixed import mixed
from dglsent.analysis.trained_run import TrainedRun


def test_a_run_of_another_recipe_than_the_others_of_its_system_is_named():
    runs = [run("own/base", seed, {}, encoder={"hidden": hidden}) for seed, hidden in ((1, 6), (2, 6), (4, 7))]
    assert mixed([*runs, run("own/wide", 1, {}, encoder={"hidden": 9})]) == [
        "own/base, seed 4: encoder.hidden is 7, not 6, unlike own/base, seed 1; what is said of own/base mixes both"
    ]


def test_seeds_folds_and_keys_that_an_older_recipe_lacks_make_no_other_recipe():
    runs = [run("own/base", seed, {}, fold=fold) for seed in (1, 2) for fold in (0, 1)]
    for number, one in enumerate(runs):
        one.config.update(seed=one.seed, corpus={"class_path": "C", "init_args": {"fold": one.fold}})
        one.config["training"] = {"workers": number, "epochs": 2} | ({"clip": None} if number else {})
    assert mixed(runs) == []
    runs[3].config["training"]["epochs"] = 3
    assert [line.partition(",")[0] for line in mixed(runs)] == ["own/base"]


def test_names_of_classes_and_the_head_of_an_older_recipe_make_no_other():
    runs = [run("own/base", seed, {}) for seed in (1, 2, 3)]
    kinds = ("dglsent.models.sequence.BiLSTM", "BiLSTM", "LSTM")
    for number, (one, kind) in enumerate(zip(runs, kinds, strict=True)):
        one.config.update(encoder={"class_path": kind, "init_args": {}}, version=number)
    assert [line.partition(";")[0] for line in mixed(runs)] == [
        "own/base, seed 3: encoder is LSTM, not BiLSTM, unlike own/base, seed 1"
    ]


def test_a_graph_of_ones_own_is_another_than_a_chain():
    runs = [run("own/base", seed, {}) for seed in (1, 2)]
    for one, graph in zip(runs, ("chain", {"class_path": "own.Sides", "init_args": {}}), strict=True):
        one.config["graph"] = graph
    (line,) = mixed(runs)
    assert line.startswith("own/base, seed 2: graph is own.Sides, not chain,")


def test_a_file_that_lies_elsewhere_is_the_same(trees_run, tmp_path):
    runs = []
    for seed, (name, text) in enumerate((("a/own.vec", "then"), ("b/own.vec", "then"), ("c/own.vec", "now")), 1):
        folder = tmp_path / f"own/base/seed-{seed}"
        shutil.copytree(trees_run, folder)
        (folder / "sources.json").write_text(json.dumps({name: text}))
        runs.append(TrainedRun(**{**vars(TrainedRun.read(folder)), "seed": seed}))
        runs[-1].config["embedding"]["vectors"] = [name]
    (line,) = mixed(runs)
    assert line.startswith("own/base, seed 3: embedding.vectors is ['c/own.vec'], not ['a/own.vec'], unlike")


def test_recordings_are_told_apart_too(tmp_path):
    examples = pandas.DataFrame({"example": [0]})
    made = [recording(tmp_path, seed=seed, model=model, examples=examples) for seed, model in ((1, "A"), (2, "B"))]
    (line,) = mixed(made)
    assert line.startswith("corpus/model, seed 2: encoder is B, not A, unlike corpus/model, seed 1;")


def test_runs_of_files_that_have_changed_between_them_are_told(trees_run, tmp_path):
    for seed, text in ((1, "then"), (2, "then"), (3, "now")):
        folder = tmp_path / f"own/base/seed-{seed}"
        shutil.copytree(trees_run, folder)
        (folder / "sources.json").write_text(json.dumps({"train.csv": text}))
    runs = [TrainedRun.read(tmp_path / f"own/base/seed-{seed}") for seed in (1, 2, 3)]
    (line,) = mixed([*runs[:2], TrainedRun(**{**vars(runs[2]), "seed": 3})])
    assert line.startswith("own/base, seed 3: another train.csv, unlike own/base, seed 1;")


def test_the_command_tells_what_it_mixes(trees_run, tmp_path, program):
    for seed, epochs in ((1, 2), (2, 3)):
        folder = tmp_path / f"own/base/seed-{seed}"
        shutil.copytree(trees_run, folder)
        config = (folder / "config.yaml").read_text().replace("seed: 1", f"seed: {seed}")
        (folder / "config.yaml").write_text(config.replace("epochs: 2", f"epochs: {epochs}"))
    code, _, err = program("analyse", "dropout-curves", tmp_path / "own/base", "--out", tmp_path / "out")
    assert code == 0
    assert "own/base, seed 2: training.epochs is 3, not 2, unlike own/base, seed 1;" in err
