"""The command, from runs to pictures."""

from __future__ import annotations

import importlib
import inspect
import math
import re
import shutil
from pathlib import Path

import pytest
from full_disk import full_disk
from made import pairs, read, recording, run

from dglsent.analysis.analyse import caption
from dglsent.analysis.catalogue import ANALYSES, find
from dglsent.analysis.pictures import panels, save
from dglsent.analysis.record import record
from dglsent.analysis.scores import scores
from dglsent.analysis.sources import folders
from dglsent.analysis.trained_run import TrainedRun
from dglsent.lock import locked
from dglsent.training.run import Run


def test_every_analysis_is_listed_with_its_paper(program):
    code, out, _ = program("analyse", "--list")
    assert code == 0
    for analysis in ANALYSES:
        assert f"  {analysis.code}  {analysis.name}" in out
        assert f"  runs: {analysis.runs}\n" in out
        assert analysis.paper in out
    codes = {"A1", "A2", "A3", "B1", "B2", "B3", "B4", "B5", "C1", "C2", "C3", "C4"}
    assert {analysis.code for analysis in ANALYSES} == codes | {f"{x}{n}" for x in "DE" for n in (1, 2, 3, 4)}


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.code)
def test_every_analysis_has_tables_and_figures(analysis):
    module = importlib.import_module(analysis.module)
    assert list(inspect.signature(module.figures).parameters) == ["tables"]
    taken = inspect.signature(module.tables).parameters.values()
    assert [each.name for each in taken if each.kind is not each.KEYWORD_ONLY] == ["sources"]
    assert find(analysis.code) == find(analysis.name) == analysis


def test_from_a_run_to_numbers_and_pictures(tag_guided_run, tmp_path, program):
    options = ["--out", tmp_path, "--top", 0.05, "--permutations", 3]
    code, out, err = program("analyse", "tag-pairs", tag_guided_run, *options)
    assert code == 0, err
    files = {line.rpartition("/")[2] for line in out.splitlines()}
    tables = {"dimensions.csv", "control.csv", "summary.csv"}
    assert files == tables | {"tag-pairs.json", "tag-pairs.svg", "tag-pairs.png"}
    said = read(tmp_path / "tag-pairs" / "tag-pairs.json")
    assert said["options"]["top"] == 0.05
    assert said["options"]["purity"] == 0.5
    (source,) = said["sources"]
    assert (source["system"], source["seed"], source["split"]) == ("reviews/tag-guided", 1, "test")
    assert {"recipe", "weights", "version", "path"} <= set(source)
    assert len(said["tables"]["dimensions"]) == 6
    svg = (tmp_path / "tag-pairs" / "tag-pairs.svg").read_text()
    assert "TagGuidedHyperRecNN" in svg
    # The recording is made once, and the same numbers make the same picture.
    again = program("analyse", "A1", tag_guided_run, *options)
    assert "recorded already" in again[2]
    assert (tmp_path / "tag-pairs" / "tag-pairs.svg").read_text() == svg


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.code)
@pytest.mark.parametrize("kind", ["trees_run", "attentive_run", "tags_run"])
def test_a_run_that_an_analysis_cannot_read_is_told(analysis, kind, request, tmp_path, program):
    """Files or one line, never an exception."""
    run = request.getfixturevalue(kind)
    code, out, err = program("analyse", "--trust", analysis.code, run, "--out", tmp_path)
    if code:
        assert (code, out) == (2, "")
        assert err.splitlines()[-1].startswith("dglsent: ")
    else:
        files = out.splitlines()
        assert files
        assert all((tmp_path / file).is_file() for file in files)


def test_options_stand_before_the_analysis_and_its_runs(tag_guided_run, tmp_path, program, monkeypatch):
    code, out, err = program("analyse", "--out", tmp_path, "A2", "--dimension", 2, tag_guided_run)
    assert code == 0, err
    assert set(read(tmp_path / "tree-heat" / "tree-heat.json")["tables"]["tree"][0]) >= {"dimension", "value"}
    (text,) = (file for file in out.splitlines() if file.endswith(".txt"))
    assert len(Path(text).read_text().splitlines()) == len(
        read(tmp_path / "tree-heat/tree-heat.json")["tables"]["tree"]
    )
    assert program("analyse", "--dimension", 1, "tree-heat", tag_guided_run, "--out", tmp_path)[0] == 0
    monkeypatch.chdir(tmp_path)
    assert program("analyse", "--out", "b1", "A2", "--dimension", 1, tag_guided_run)[0] == 0
    out = program("analyse", "--split", "dev", "A2", "--help")[1]
    assert "--dimension INT from 1, over all gates; 0 takes the one with the highest area" in " ".join(out.split())
    assert "--long FLOAT" in program("analyse", "length-bins", "--help")[1]
    assert program("analyse", "tag-pair", tag_guided_run, "--top", 0.1)[2].startswith(
        "dglsent: no analysis 'tag-pair'; did"
    )


def test_a_run_of_pairs(attentive_run, tmp_path, program):
    code, _, err = program("analyse", "child-attention", attentive_run, "--out", tmp_path, "--trust")
    assert code == 0, err
    assert list((tmp_path / "child-attention").glob("*.png"))


def test_parameters_leave_out_words(tag_guided_run):
    made = TrainedRun.read(tag_guided_run)
    model = Run(tag_guided_run).load()[2]
    words = model.encoder.embedding.weight.numel()
    assert made.parameters == sum(weight.numel() for weight in model.parameters()) - words


def test_a_table_without_rows_is_told_and_not_written(trees_run, tmp_path, program):
    code, out, err = program("analyse", "composition-results", trees_run, "--out", tmp_path)
    assert code == 0
    assert [Path(line).name for line in out.splitlines()] == ["parameters.csv", "composition-results.json"]
    assert err == "composition-results: not written, as of these runs they have no rows: results, fusion\n"
    older = tmp_path / "composition-results" / "fusion.csv"
    older.write_text("of other runs")
    assert program("analyse", "composition-results", trees_run, "--out", tmp_path)[0] == 0
    assert not older.exists()


def test_a_run_without_weights_counts_with_its_scores(tag_guided_run, tmp_path):
    for name in ("config.yaml", "metrics.json"):  # what is put back of a ledger
        (tmp_path / name).write_bytes((tag_guided_run / name).read_bytes())
    made, whole = TrainedRun.read(tmp_path), TrainedRun.read(tag_guided_run)
    assert math.isnan(made.parameters)
    assert made.metrics == whole.metrics
    assert scores([made]).value.tolist() == scores([whole]).value.tolist()


def test_what_reproduce_leaves_beside_a_run_is_no_system(tag_guided_run, tmp_path):
    for name in ("seed-1", "seed-1.stale", "seed-1.verify"):
        shutil.copytree(tag_guided_run, tmp_path / name)
    assert folders([tmp_path]) == [tmp_path / "seed-1"]
    assert folders([tmp_path / "seed-1.stale"]) == [tmp_path / "seed-1.stale"]


def test_what_cannot_be_analysed_is_refused(trees_run, tmp_path, program):
    program.refuses("analyse", saying=["--list"])
    program.refuses("analyse", "tag-pair", trees_run, saying=["did you mean tag-pairs"])
    program.refuses("analyse", "tag-pairs", saying=["wants runs"])
    program.refuses("analyse", "tag-pairs", tmp_path, saying=["neither a run nor a recording"])
    program.refuses(
        "analyse", "A1", trees_run, "--out", tmp_path, saying=["run: the model sets", "'z_u'; its encoder", "choose"]
    )
    program.refuses("analyse", "D1", trees_run, "--out", tmp_path, saying=["run: BinaryTreeLSTM shows no", "choose"])
    program.refuses("analyse", "C3", trees_run, "--out", tmp_path, saying=["no gates were logged", "--log-gates"])
    program.refuses("analyse", "D4", trees_run, "--out", tmp_path, saying=["nothing to show of 1 runs"])
    made = recording(tmp_path, examples=pairs([1.0], [1.0]))
    program.refuses("analyse", "A3", made.path, saying=["a recording", "run folders"])
    program.refuses("analyse", "D1", made.path, "--out", tmp_path, saying=["no weights between all words"])


def test_a_recording_without_what_an_analysis_reads_is_refused(tag_guided_run, tmp_path, program):
    record(tag_guided_run, tmp_path / "bare", tables=["examples"], limit=3)
    program.refuses(
        "analyse", "A1", tmp_path / "bare", "--out", tmp_path, saying=["bare: was recorded without its nodes"]
    )
    empty = recording(tmp_path, examples=pairs([], []))
    program.refuses("analyse", "B4", empty.path, "--out", tmp_path, saying=["has no examples; record the run again"])


def test_damaged_files_are_named(tag_guided_run, trees_run, tmp_path, program):
    cut, bare = tmp_path / "cut" / "seed-1", tmp_path / "one" / "trec" / "bare" / "seed-1"
    shutil.copytree(tag_guided_run, cut)
    shutil.copytree(tag_guided_run, bare)
    weights = cut / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    program.refuses("analyse", "A3", cut, "--out", tmp_path, saying=["weights.safetensors: damaged", "train the run"])
    (bare / "weights.safetensors").unlink()
    same = tmp_path / "other" / "trec" / "bare" / "seed-1"
    shutil.copytree(bare, same)
    program.refuses("analyse", "A1", bare, same, "--out", tmp_path, saying=["has no weights to record"])

    made = recording(tmp_path, examples=pairs([1.0], [1.0]))
    table = next((made.path / "examples").glob("*.parquet"))
    table.write_bytes(table.read_bytes()[:40])
    program.refuses("analyse", "B4", made.path, saying=["parquet: damaged", "record the run again"])

    gates = tmp_path / "gates-run"
    shutil.copytree(trees_run, gates)
    (gates / "gates").mkdir()
    (gates / "gates" / "step-1.parquet").write_bytes(b"PAR1")
    for words in ("[]", "{"):
        (gates / "gates" / "words.json").write_text(words)
        program.refuses("analyse", "C3", gates, "--out", tmp_path, saying=["gates: damaged", "train the run again"])


def test_a_full_disk_is_told_by_file_and_leaves_the_figure_before(tmp_path):
    figure, _ = panels()
    save(figure, tmp_path / "figure.svg", "of today")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for room in (100, len(before["figure.svg"]) + 200):
        with full_disk(room), pytest.raises(OSError, match=r"figure\.(svg|png)"):
            save(figure, tmp_path / "figure.svg", "of tomorrow")
        assert {path.name for path in tmp_path.iterdir()} == {*before}
        assert (tmp_path / "figure.png").read_bytes() == before["figure.png"]


def test_figures_of_other_runs_do_not_stay(tag_guided_run, tmp_path, program):
    shutil.copytree(tag_guided_run, tmp_path / "runs" / "seed-2")
    folder = tmp_path / "tree-heat"
    assert program("analyse", "tree-heat", tag_guided_run, tmp_path / "runs" / "seed-2", "--out", tmp_path)[0] == 0
    (folder / "mine.svg").write_text("mine")
    before = {path.name for path in folder.iterdir()}
    code, out, err = program("analyse", "tree-heat", tag_guided_run, "--out", tmp_path)
    assert code == 0, err
    left = {path.name for path in folder.iterdir()}
    assert left == {*(Path(line).name for line in out.splitlines()), "mine.svg"}
    assert len(before) > len(left)


def test_one_process_writes_an_analysis(tag_guided_run, tmp_path, program):
    with locked(tmp_path / "tree-heat"):
        program.refuses("analyse", "A2", tag_guided_run, "--out", tmp_path, saying=["tree-heat", "is writing it"])
        assert program("analyse", "composition-results", tag_guided_run, "--out", tmp_path)[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"composition-results"}


def test_captions_of_many_systems_count_them():
    of_few = caption(find("A3"), [run("trec/a", seed, {}) for seed in (11, 12, 14)], {})
    assert of_few == "A3 composition-results. Corpus: trec/a (Model, seeds 11, 12, 14)."
    many = [run(f"trec/{name}", seed, {}) for name in "abcdefghi" for seed in (11, 12, 13)]
    assert caption(find("A3"), many, {}).endswith(": 9 systems, 27 runs, seeds 11 to 13.")
    assert caption(find("A3"), many[::3], {}).endswith(": 9 systems, 9 runs, seed 11.")


def test_captions_have_the_options_that_nobody_named(tag_guided_run, tmp_path, program):
    assert program("analyse", "tag-pairs", tag_guided_run, "--out", tmp_path, "--permutations", 3)[0] == 0
    svg = (tmp_path / "tag-pairs" / "tag-pairs.svg").read_text()
    assert "large top, top 0.01, purity 0.5, least 20, permutations 3." in svg


def test_captions_leave_out_what_an_analysis_chooses_itself(tag_guided_run, tmp_path, program):
    file = tmp_path / "tree-heat" / "tree-heat.json"
    for named, said in ((), ""), (("--dimension", 3), " dimension 3."):
        assert program("analyse", "tree-heat", tag_guided_run, "--out", tmp_path, *named)[0] == 0
        (svg,) = (file.parent / name for name in read(file)["files"] if name.endswith(".svg"))
        title = re.findall("<dc:title>(.*)</dc:title>", svg.read_text())[0]
        assert re.fullmatch(rf"A2 tree-heat\. [^.]+\.{said} Drawn: [^.]+\.", title)
