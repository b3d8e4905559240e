from __future__ import annotations

import importlib
import json
import math
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from dglsent.analysis.finite import not_finite
from dglsent.analysis.record import record
from dglsent.analysis.recording import Recording
from dglsent.analysis.rows import Recorder, Shown
from dglsent.analysis.sources import trained_runs
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.example import Example, Parsed
from dglsent.lock import locked
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch
from dglsent.training.assemble import load_inputs
from dglsent.training.graphs import build, shape
from dglsent.training.provenance import code_digest
from dglsent.training.run import Run
from graphs.columns import Dependencies
from graphs.errors import InputError
from graphs.features import Vocabularies


def test_trees_are_recorded_as_the_model_sees_them(tag_guided_run, tmp_path, program):
    code, out, _ = program("record", tag_guided_run, "--out", tmp_path / "table")
    assert (code, out) == (0, f"{tmp_path / 'table'}\n")
    found = Recording(tmp_path / "table")
    assert (found.system, found.model, found.data) == ("reviews/tag-guided", "TagGuidedHyperRecNN", "Reviews")
    assert (found.seed, found.split) == (1, "test")
    assert [found.label(number) for number in range(5)] == list(Reviews.labels)
    assert found.label(1.5) == "1.5"
    examples, nodes = found.examples, found.nodes
    run = Run(tag_guided_run)
    metrics = run.metrics()
    assert len(examples) == 25
    assert (examples.gold == examples.predicted).mean() == pytest.approx(metrics["test"]["accuracy"])
    assert len(set(nodes.weights)) == len(set(nodes.recipe)) == 1
    assert found.about["code"] == code_digest(metrics["provenance"]["code"])
    assert trained_runs([tag_guided_run])[0].about["code"] == found.about["code"]
    roots = nodes[nodes.parent < 0].set_index("example")
    assert roots.index.tolist() == examples.example.tolist()
    assert roots.text.tolist() == examples.text.tolist()
    assert roots.predicted.tolist() == examples.predicted.tolist()
    assert roots.gold.tolist() == examples.gold.tolist()
    words = nodes[nodes.end - nodes.start == 1]
    assert (words.tag != "").all()
    inner = nodes[nodes.end - nodes.start > 1]
    assert inner.text.str.count(" ").add(1).equals(inner.end - inner.start)
    assert (nodes.gold >= 0).any()
    z = found.vectors("nodes", "z_u")
    assert z.shape == (len(nodes), 6)
    assert found.edges.empty

    config, vocabularies, model = run.load()
    data = load_inputs(config, None, vocabularies).sets["test"]
    batch = data.batch(range(len(data)), ("up",))
    with torch.inference_mode():
        model(batch)
        wanted = batch.nodes["z_u"].numpy()
    np.testing.assert_allclose(z, wanted, atol=1e-6)


def test_pairs_are_recorded_with_edges_of_every_relation(attentive_run, tmp_path):
    found = Recording(record(attentive_run, tmp_path / "table", trusted=True))
    assert found.fields == ["child.attention", "attend.attention_up"]
    assert found.model == "ProgressiveAttention(AttentiveTreeLSTM)"
    edges, nodes = found.edges, found.nodes
    child, attend = (edges[edges.relation == name] for name in ("child", "attend"))
    assert child.attention.notna().all()
    assert child.attention_up.isna().all()
    sums = child.groupby(["example", "sentence", "receiver"]).attention.sum()
    np.testing.assert_allclose(sums, 1, atol=1e-5)
    rows = attend.groupby(["example", "sentence", "receiver"]).attention_up
    np.testing.assert_allclose(rows.sum(), 1, atol=1e-5)
    sizes = nodes.groupby(["example", "sentence"]).size()
    example, sentence, _ = rows.sum().index[0]
    assert rows.size().iloc[0] == sizes[example, 1 - sentence]
    examples = found.examples
    said = nodes.groupby(["sentence", "example"]).text.agg(" ".join)
    assert [said[0].tolist(), said[1].tolist()] == [examples.text.tolist(), examples.other.tolist()]
    assert examples.gold.between(1, 5).all()
    assert (examples.gold == examples.target_score).all()
    joined = child.merge(nodes, left_on=["example", "sentence", "sender"], right_on=["example", "sentence", "node"])
    assert (joined.parent == joined.receiver).all()
    assert (joined["head"] == joined.receiver).all()


def test_the_class_of_a_sentence_is_that_of_its_root():
    parse = Dependencies(["good", "films", "work"], np.array([1, 2, -1]), ["amod", "nsubj", "root"])
    graph = build("dependency", parse, Vocabularies.of([parse]))
    recorder = Recorder(Shown((), {}), "dependency", "label", ["0", "1", "2"], {})
    example = Example((Parsed(dependencies=parse),), {"label": 2})
    nodes = recorder.nodes(0, [example], [[parse]], [[graph]], [{}], Batch.of([graph]))
    assert nodes["gold"].to_pylist() == [-1, -1, 2]
    assert nodes["head"].to_pylist() == nodes["parent"].to_pylist() == [1, 2, -1]


def test_a_broken_off_recording_keeps_its_whole_shards(tag_guided_run, tmp_path):
    def after_two(line):
        if "20 of 25" in line:
            raise KeyboardInterrupt

    whole = Recording(record(tag_guided_run, tmp_path / "whole", shard=10))
    with pytest.raises(KeyboardInterrupt):
        record(tag_guided_run, tmp_path / "broken", shard=10, say=after_two)
    with pytest.raises(InputError, match="not whole"):
        Recording(tmp_path / "broken")
    kept = {file: file.stat().st_mtime_ns for file in (tmp_path / "broken").rglob("*.parquet")}
    assert len(kept) == 4
    found = Recording(record(tag_guided_run, tmp_path / "broken", shard=10))
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    assert found.nodes.equals(whole.nodes)
    np.testing.assert_allclose(found.vectors("nodes", "z_u"), whole.vectors("nodes", "z_u"), atol=1e-6)
    said = []
    record(tag_guided_run, tmp_path / "broken", shard=10, say=said.append)
    assert said == [f"{tmp_path / 'broken'}: recorded already"]
    # One that was made before recordings said of which code their run is goes on, too.
    file = tmp_path / "broken" / "recording.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps({name: value for name, value in about.items() if name != "code"}))
    record(tag_guided_run, tmp_path / "broken", shard=10, say=said.append)
    assert len(said) == 2


def test_what_is_no_folder_of_a_recording(tmp_path):
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path))}: no recording there; make one with"):
        Recording(tmp_path)
    with pytest.raises(InputError, match=r"^str or PathLike is wanted, and NoneType was given; name the folder that"):
        Recording(None)


def test_rows_do_not_pile_up(tag_guided_run, tmp_path, monkeypatch):
    monkeypatch.setattr("dglsent.analysis.record._EXAMPLES", 2)
    held = []
    write = pq.ParquetWriter.write_table
    monkeypatch.setattr(
        pq.ParquetWriter,
        "write_table",
        lambda self, table: (write(self, table), held.append(pa.total_allocated_bytes())),
    )
    found = Recording(record(tag_guided_run, tmp_path / "table"))
    size = sum(found._table(name).nbytes for name in ("examples", "nodes"))
    assert len(held) == 2 * 13
    assert found.nodes.example.unique().tolist() == found.examples.example.tolist() == list(range(25))
    assert max(held) - min(held) < size / 4


def test_what_cannot_be_recorded_is_refused(tag_guided_run, trees_run, tmp_path, program):
    out = tmp_path / "table"
    program.refuses("record", tmp_path / "none", "--out", out, saying=["no run there"])
    program.refuses("record", tag_guided_run, "--out", out, "--fields", "x*x", saying=["shows no field", "z_u, z_b"])
    assert not out.exists()
    with locked(out):
        program.refuses("record", tag_guided_run, "--out", out, saying=[str(out), "is writing it; wait until it ends"])
    assert not out.exists()
    assert program("record", tag_guided_run, "--out", out, "--fields", "z_u", "--limit", 3)[0] == 0
    assert not list(tmp_path.glob("*.lock"))
    assert Recording(out).about["fields"] == ["z_u"]
    assert len(Recording(out).examples) == 3
    remedy = "delete it, or choose another --out"
    program.refuses("record", tag_guided_run, "--out", out, saying=["differs in fields", remedy])
    with pytest.raises(InputError, match=r"^no table 'edge'; there are examples, nodes, edges$"):
        record(tag_guided_run, tmp_path / "x", tables=["edge"])
    for shard in (0, -5):  # -5 made a whole recording of nothing
        with pytest.raises(InputError, match=rf"^shard is {shard}; give a whole number from 1$"):
            record(trees_run, tmp_path / "x", shard=shard)
        assert not (tmp_path / "x").exists()
    with pytest.raises(InputError, match=r"^a limit of 0 examples: give 1 or more$"):
        record(tag_guided_run, tmp_path / "x", limit=0)
    for run, field, said in (
        (trees_run, "zz", "the model sets no node field 'zz'; its encoder shows no field\n"),
        (tag_guided_run, "z", "the model sets no node field 'z'; its encoder shows z_u, z_b\n"),
        (tag_guided_run, "child.z", "the model sets no child field 'z'; its encoder shows z_u, z_b\n"),
        (tag_guided_run, "x.z", "the model has no edges of 'x'; its encoder shows z_u, z_b\n"),
    ):
        program.refuses("record", run, "--out", tmp_path / "x", "--fields", field, saying=[said])
        assert not (tmp_path / "x").exists()
    with pytest.raises(InputError, match=r"^.*table: the nodes have no field 'nope'; recorded are z_u$"):
        Recording(out).vectors("nodes", "nope")
    with pytest.raises(InputError, match=r"^.*table: the edges have no field 'z_u'; recorded are z_u$"):
        Recording(out).vectors("edges", "z_u")
    assert repr(Recording(out)) == f"<Recording {out}: reviews/tag-guided, seed 1, test, of z_u>"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    program.refuses("record", trees_run, "--out", tmp_path / "full", saying=["no recording"])
    about = json.loads((out / "recording.json").read_text())
    del about["seed"]
    (out / "recording.json").write_text(json.dumps(about))
    with pytest.raises(InputError, match=r"recording.json: not a recording of this version \(it lacks 'seed'\)"):
        Recording(out)
    (out / "recording.json").write_text(json.dumps({"format": "other"}))
    with pytest.raises(InputError, match="not a recording"):
        Recording(out)


def test_files_of_ones_own_are_recorded_and_analysed(tag_guided_run, tmp_path, program):
    trees = ["(S (NP (DT the) (NN film)) (VP (VBD was) (JJ good)))", "(S (NP (NN it)) (VP (VBD was) (JJ dull)))"]
    lines = [f"{row % 2}\t{trees[row % 2]}" for row in range(24)]
    for name, count in (("train", 24), ("more", 5)):
        (tmp_path / f"{name}.tsv").write_text("\n".join(["stars\treview", *lines[:count]]) + "\n")
    train, more = tmp_path / "train.tsv", tmp_path / "more.tsv"
    own = ["--corpus", "LabelledText", "--corpus.text", "review", "--corpus.label", "stars", "--task.classes", 2]
    own += [word for split in ("train", "dev", "test") for word in (f"--corpus.{split}", train)]
    code, _, err = program("fit", tag_guided_run / "config.yaml", *own, "--out", tmp_path / "run")
    assert code == 0, err
    train.unlink()  # the run's own files may be gone
    out = tmp_path / "table"
    code, said, err = program("record", tmp_path / "run", more, "--out", out)
    assert (code, said) == (0, f"{out}\n"), err
    found = Recording(out)
    assert found.split == str(more)
    assert found.about["labels"] == ["0", "1"]
    assert found.examples.id.tolist() == [f"{more}-{number}" for number in range(1, 6)]
    assert found.examples.gold.tolist() == [0, 1, 0, 1, 0]
    assert set(found.nodes.split) == {str(more)}
    code, _, err = program("analyse", "tag-pairs", out, "--least", 1, "--out", tmp_path / "analyses")
    assert code == 0, err
    program.refuses(
        "record", tmp_path / "run", more, "--split", "dev", "--out", out, saying=["--split: files have none"]
    )
    program.refuses("record", tmp_path / "run", tmp_path / "no.tsv", "--out", out, saying=["no.tsv: no such file"])
    more.write_text(more.read_text().replace("good", "bad"))  # another file of one name
    program.refuses("record", tmp_path / "run", more, "--out", out, saying=["differs in files"])


def test_a_recording_that_was_killed_as_it_began_is_begun_again(tag_guided_run, tmp_path, program):
    out = tmp_path / "table"
    out.mkdir()
    (out / "recording.json.box-7-7.part").touch()
    assert program("record", tag_guided_run, "--out", out)[0] == 0
    assert len(Recording(out).examples) == 25


def test_a_recording_that_is_stopped_says_how_to_go_on(tag_guided_run, tmp_path, program, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dglsent.analysis.record.graph_set", stopped)
    code, _, err = program("record", tag_guided_run, "--out", tmp_path / "table")
    assert (code, err.count("\n")) == (130, 2)
    assert f"stopped; to go on: dglsent record {tag_guided_run} --out {tmp_path / 'table'}" in err


def test_files_are_for_runs_of_files(tag_guided_run, tmp_path, program):
    file = tmp_path / "own.tsv"
    file.write_text("text\tlabel\ngood\t1\n")
    program.refuses("record", tag_guided_run, file, "--out", tmp_path / "table", saying=["this one is of Reviews"])
    assert not (tmp_path / "table").exists()


def test_a_model_that_shows_nothing_still_has_nodes(trees_run, tmp_path):
    found = Recording(record(trees_run, tmp_path / "table"))
    assert found.about["fields"] == []
    assert len(found.nodes) > len(found.examples) == 30
    with pytest.raises(InputError, match="'z_u' is not recorded; recorded are"):
        found.require("z_u")


def test_what_is_not_finite_is_refused(broken_run, tmp_path, program):
    out = tmp_path / "table"
    said = "example 'test-3': its probabilities are not finite numbers; the run's weights"
    program.refuses("record", broken_run, "--out", out, saying=[said])
    assert not out.exists()
    assert program("record", broken_run, "--out", out, "--limit", 2)[0] == 0


def test_what_is_not_finite_has_a_name():
    trees = [review.sentences[0] for review in Reviews(train=2, dev=2, test=3).load()["test"]]
    shaped = [shape("chain", each) for each in trees]
    batch = Batch.of([build("chain", each, Vocabularies.of(shaped)) for each in shaped])
    sound, broken = torch.ones(batch.num_nodes, 2), torch.ones(batch.num_nodes, 2)
    broken[-1, 1] = torch.inf
    batch.nodes["z"], batch.nodes["y"] = sound, broken
    shown, said = (
        Shown.of(["z", "y", "child.none", "x.none"]),
        [{"score": 1.0}, {"own": [{"x": math.nan}]}, {"tags": ["A"]}],
    )
    assert not_finite(batch, sound, said, shown) == {1: "own", 2: "y"}
    assert not_finite(batch, broken, [{}] * 3, Shown.of(["z"])) == {2: "states"}
    # Of several that of the first: of what is predicted, then of the fields that are shown, then of the states.
    twice = {"score": math.nan, "own": math.inf}
    assert not_finite(batch, broken, [{}, twice, twice], shown) == {1: "score", 2: "score"}
    assert not_finite(batch, broken, [{}] * 3, shown) == {2: "y"}
    relations = ["child", "next", "previous", "neighbour"]
    for relation in relations:
        edges = batch.relation(relation)
        edges.edges["w"] = torch.full((len(edges.ends[0]),), torch.nan)
    for first in range(4):  # in the order in which they are shown
        names = [f"{relation}.w" for relation in (*relations[first:], *relations[:first])]
        assert not_finite(batch, sound, [{}] * 3, Shown.of(names)) == dict.fromkeys(range(3), names[0])


ENCODERS = [
    "adamc_rnn.AdaMCRNN",
    "attentive_tree.AttentiveTreeGRU",
    "cn3.CN3",
    "dynamic_compositional.DCTreeLSTM",
    "lstmn.LSTMN",
    "pd_graph.PDGraph",
    "self_attention.AttentiveBiLSTM",
    "self_attention.Transformer",
    "tag_guided.TagGuidedHyperTreeLSTM",
]


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_set_what_they_declare(name):
    module, _, class_name = name.partition(".")
    encoder_class = getattr(importlib.import_module(f"dglsent.models.{module}"), class_name)
    pairs = name.startswith("attentive")
    kind = "constituency" if class_name in ("AdaMCRNN", "DCTreeLSTM", "TagGuidedHyperTreeLSTM") else "dependency"
    kind = "complete" if class_name in ("CN3", "Transformer") else "chain" if class_name in CHAINS else kind
    examples = Reviews(train=2, dev=2, test=2).load()["test"]
    shaped = [shape(kind, example.sentences[0]) for example in examples]
    vocabularies = Vocabularies.of(shaped)
    tags = {"tags": vocabularies.tag.strings} if "tag_guided" in name else {}
    encoder = encoder_class(WordEmbedding(len(vocabularies.word), 8), 8, **tags)
    batch = Batch.of([build(kind, each, vocabularies) for each in shaped], pairs=pairs)
    encoder.readout(batch, encoder.encode(batch))
    assert encoder.shows
    shown = Shown.of(encoder.shows)
    for field in shown.nodes:
        assert len(batch.nodes[field]) == batch.num_nodes
    for relation, names in shown.edges.items():
        for field in names:
            assert len(batch.relation(relation).edges[field]) == len(batch.relation(relation).ends[0])


CHAINS = ("LSTMN", "AttentiveBiLSTM")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("system", ["a"], "'system' is of type list"),
        ("fields", 3, "'fields' is of type int"),
        ("tables", [3], "'fields' and 'tables' are not names"),
    ],
)
def test_a_recording_of_something_else_is_refused(key, value, said, tag_guided_run, tmp_path):
    about = record(tag_guided_run, tmp_path / "table", limit=2) / "recording.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), key: value}))
    with pytest.raises(InputError, match=rf"recording.json: not a recording of this version \({re.escape(said)}\)"):
        Recording(about.parent)
    about.write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"recording.json: not a recording of this version \(maximum recursion"):
        Recording(about.parent)


def test_tables_with_large_strings_as_pandas_writes_them_are_read(tag_guided_run, tmp_path):
    out = record(tag_guided_run, tmp_path / "table", limit=2)
    (file,) = (out / "nodes").iterdir()
    table, known = pq.read_table(file), Recording(out).nodes
    large = [field.with_type(pa.large_string()) if field.type == pa.string() else field for field in table.schema]
    assert pa.schema(large) != table.schema
    pq.write_table(table.cast(pa.schema(large)), file)
    assert Recording(out).nodes.equals(known)


def test_tables_of_something_else_are_refused(tag_guided_run, tmp_path):
    out = record(tag_guided_run, tmp_path / "table", limit=2)
    (file,) = (out / "nodes").iterdir()
    table = pq.read_table(file)
    for other, said in (
        (table.drop_columns(["text"]), "its column 'text' is missing"),
        (table.set_column(0, "example", pa.array(["1"] * len(table))), "its column 'example' is of type string"),
    ):
        pq.write_table(other, file)
        with pytest.raises(InputError, match=rf"00000000.parquet: damaged \({said}\); record the run again$"):
            _ = Recording(out).nodes
    file.unlink()
    with pytest.raises(InputError, match=r"table.nodes: its files are gone; record the run again$"):
        _ = Recording(out).nodes
