"""Runs of folds, as `dglsent reproduce` lays them out: FOLDER/SYSTEM/seed-N/fold-K."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made import pairs, read, recording

from dglsent.analysis.catalogue import find
from dglsent.analysis.runs import fold_of, model_name, name_of, system
from dglsent.analysis.sources import folders, recordings, trained_runs
from dglsent.analysis.trained_run import TrainedRun
from graphs.errors import InputError


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/runs/mr/recnn/seed-2", ("mr/recnn", None, "mr/recnn-seed-2")),
        ("/runs/mr/recnn/seed-2/fold-10", ("mr/recnn", 10, "mr/recnn-seed-2-fold-10")),
        ("/runs/own/fold-1", ("own", 1, "own-own-fold-1")),
        ("/runs/own", ("own", None, "own-own")),
        ("/runs/fold-1.stale", ("fold-1.stale", None, "fold-1.stale-fold-1.stale")),
    ],
)
def test_a_run_by_its_folder(path, wanted):
    assert (system(Path(path)), fold_of(Path(path)), name_of(Path(path))) == wanted


def test_a_model_has_one_name(attentive_run):
    inner = {"class_path": "dglsent.models.sequence.BiLSTM"}
    around = {"class_path": "dglsent.models.x.Around", "init_args": {"structure": inner}}
    assert (model_name(inner), model_name(around)) == ("BiLSTM", "Around(BiLSTM)")
    assert TrainedRun.read(attentive_run).model == "ProgressiveAttention(AttentiveTreeLSTM)"


def test_folders_of_folds(folded_runs, tmp_path):
    small = [folded_runs / f"small/seed-{seed}/fold-{fold}" for seed in (1, 2) for fold in (0, 1)]
    assert folders([folded_runs / "small"]) == small
    assert folders([folded_runs / "small/seed-2", folded_runs / "big"]) == [
        *small[2:],
        folded_runs / "big/seed-1/fold-0",
    ]
    shutil.copytree(folded_runs / "small", tmp_path / "other/small")
    (tmp_path / "other/small/seed-1/fold-0").rename(tmp_path / "other/small/seed-1/fold-0.stale")
    (tmp_path / "other/small/seed-2").rename(tmp_path / "other/small/seed-2.stale")
    (tmp_path / "other/small/seed-1/fold-1").rename(tmp_path / "other/small/seed-1/fold-10")
    shutil.copytree(small[1], tmp_path / "other/small/seed-1/fold-2")
    assert [path.name for path in folders([tmp_path / "other/small"])] == ["fold-2", "fold-10"]


def test_folds_of_different_systems_are_not_merged(folded_runs, tmp_path, program):
    of_seed_1 = ("small/seed-1", "big/seed-1")
    code, _, err = program("analyse", "A3", *(folded_runs / path for path in of_seed_1), "--out", tmp_path)
    assert code == 0, err
    said = read(tmp_path / "composition-results/composition-results.json")
    sources = [(source["system"], source["seed"], source["fold"]) for source in said["sources"]]
    assert sources == [("rf/small", 1, 0), ("rf/small", 1, 1), ("rf/big", 1, 0)]
    parameters = {row["system"]: row["parameters"] for row in said["tables"]["parameters"]}
    assert list(parameters) == ["rf/small", "rf/big"]
    assert parameters["rf/small"] < parameters["rf/big"]
    run = TrainedRun.read(folded_runs / "small/seed-2/fold-1")
    assert (run.system, run.seed, run.fold) == ("rf/small", 2, 1)


def test_folds_and_seeds_are_recorded_apart(folded_runs, tmp_path, program):
    command = ("analyse", "--trust", "--out", tmp_path)
    code, out, err = program(*command, "tree-heat", folded_runs / "small")
    assert code == 0, err
    runs = [(seed, fold) for seed in (1, 2) for fold in (0, 1)]
    recorded = {path.name for path in (tmp_path / "recordings").iterdir()}
    assert recorded == {f"rf-small-seed-{seed}-fold-{fold}-test-z_u" for seed, fold in runs}
    pictures = {Path(line).stem for line in out.splitlines() if line.endswith(".svg")}
    assert pictures == {f"tree-rf-small-seed-{seed}-fold-{fold}" for seed, fold in runs}
    trees = read(tmp_path / "tree-heat/tree-heat.json")["tables"]["tree"]
    assert [(seed, fold) for seed, fold in dict.fromkeys((row["seed"], row["fold"]) for row in trees)] == runs
    for run in runs:
        assert sum(row["parent"] < 0 for row in trees if (row["seed"], row["fold"]) == run) == 1
    svg = (tmp_path / "tree-heat/tree-rf-small-seed-1-fold-0.svg").read_text()
    assert "seeds 1, 2, folds 0, 1" in svg
    code, _, err = program(*command, "tag-pairs", folded_runs / "small", "--permutations", 2)
    assert (code, err.count("recorded already")) == (0, 4), err
    svg = (tmp_path / "tag-pairs/tag-pairs.svg").read_text()
    assert all(f"rf/small, seed {seed}, fold {fold}" in svg for seed, fold in runs)
    assert "Bars: rf/small, seed 1, fold 0." in svg
    code, _, err = program(*command, "B4", folded_runs / "small")
    assert code == 0, err
    svg = (tmp_path / "example-predictions/example-predictions.svg").read_text()
    assert "Drawn: rf/small, seed 1, fold 0." in " ".join(svg.split())
    assert svg.count(">seed 1, fold 0<") == 1
    program.refuses(
        *command,
        "A3",
        folded_runs / "small/seed-1",
        folded_runs / "small/seed-2/fold-1",
        saying=[f"{folded_runs / 'small/seed-2'}: without fold 0, which another seed of rf/small has"],
    )


def test_runs_of_one_name_are_not_merged(tag_guided_run, tmp_path, program):
    for root in ("a", "b", "copy"):
        shutil.copytree(tag_guided_run, tmp_path / root / "reviews/tag-guided/seed-1")
    runs = {root: tmp_path / root / "reviews/tag-guided/seed-1" for root in ("a", "b", "copy")}
    other = runs["b"] / "metrics.json"
    other.write_text(other.read_text().replace("accuracy", "accuracy "))
    weights = runs["b"] / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    said = [f"{runs['b']}: is not the same as {runs['a']}, and both are called reviews/tag-guided"]
    for name in ("A1", "A3"):
        program.refuses("analyse", name, runs["a"], runs["b"], "--out", tmp_path / "out", saying=said)
    assert [run.path for run in trained_runs([runs["a"], runs["copy"], runs["a"]])] == [runs["a"]]


def test_recordings_of_one_name_are_not_merged(tmp_path):
    one, other, again = (
        recording(tmp_path / name, examples=pairs(gold, gold))
        for name, gold in (("a", [1.0]), ("b", [1.0]), ("c", [1.0]))
    )
    about = other.path / "recording.json"
    about.write_text(about.read_text().replace("{", '{"weights": "0123",', 1))
    options = {"split": "test", "data": None, "trusted": False, "say": print}
    with pytest.raises(InputError, match=rf"^{other.path}: is not the same as {one.path}, .* corpus/model, seed 1; "):
        recordings(find("B1"), [one.path, other.path], tmp_path, **options)
    assert [each.path for each in recordings(find("B1"), [one.path, again.path], tmp_path, **options)] == [one.path]
