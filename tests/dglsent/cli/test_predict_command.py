from __future__ import annotations

import gzip
import io
import json
import shutil
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny import TINY, recipe

from dglsent.corpora.example import Parsed
from dglsent.corpora.reviews import CLASSES, generate
from dglsent.passing import Batch
from dglsent.training.graphs import build, shape
from dglsent.training.run import Run
from graphs.formats.brackets import to_brackets

GOOD = "(S (NP (DT the) (NN film)) (VP (VBD was) (JJ good)))"
CONLLU = "1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tfilm\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("options", [[], ["--structure"]])
def test_without_numbers_there_is_no_prediction(trees_run, tmp_path, program, options):
    shutil.copytree(trees_run, tmp_path / "run")
    weights = load_file(tmp_path / "run" / "weights.safetensors")
    weights["encoder.embedding.weight"][Run(trees_run).load()[1].word["film"]] = float("nan")
    save_file(weights, tmp_path / "run" / "weights.safetensors")
    file = tmp_path / "trees.ptb"
    file.write_text("(S (DT this) (VBZ works))\n(S (DT this) (NN film))\n")
    code, out, err = program("predict", tmp_path / "run", file, *options)
    assert (code, err.count("\n")) == (2, 1)
    assert f"{file}:2, sentence 2: its probabilities are not finite numbers; the run's weights" in err
    works, film = lines(out)
    assert sum(works["probabilities"].values()) == pytest.approx(1)
    assert set(film) == {"id", "error"}


def test_predictions_are_those_of_the_model(trees_run, tmp_path, program):
    trees = [review.tree for review in generate(train=0, dev=0, test=70)["test"]]
    file = tmp_path / "trees.ptb"
    file.write_text("".join(to_brackets(tree) + "\n" for tree in trees))
    code, out, err = program("predict", trees_run, file)
    assert (code, err) == (0, "")
    recipe, vocabularies, model = Run(trees_run).load()
    for tree, line in zip(trees, lines(out), strict=True):
        parsed = Parsed(constituency=tree)
        batch = Batch.of([build(recipe.graph, shape(recipe.graph, parsed), vocabularies)])
        (alone,) = model.predict(batch, CLASSES)
        assert line["text"] == " ".join(tree.words)
        assert line["label"] == alone["label"]
        assert line["probabilities"] == pytest.approx(alone["probabilities"], abs=2e-6)
        assert max(line["probabilities"], key=line["probabilities"].get) == line["label"]
        assert sum(line["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert line["nodes"] == alone["nodes"]
        assert line["nodes"][0] == {"span": [0, len(tree.words)], "label": line["label"]}
        assert len(line["nodes"]) == len(tree)


def test_a_model_of_words_reads_what_has_tags_alone(trees_run, tmp_path, program):
    chain = TINY.replace("graph: constituency", "graph: chain").replace("tree_lstm.BinaryTreeLSTM", "sequence.SeqLSTM")
    assert program("fit", recipe(tmp_path, chain), "--out", tmp_path / "run")[0] == 0
    file = tmp_path / "film.tags.conllu"
    file.write_text("1\tfine\t_\t_\tJJ\t_\t_\t_\t_\t_\n2\tfilm\t_\t_\tNN\t_\t_\t_\t_\t_\n")
    code, out, _ = program("predict", tmp_path / "run", file)
    assert (code, lines(out)[0]["text"]) == (0, "fine film")
    code, _, err = program("predict", trees_run, file)
    said = f"{file}:1, sentence 1: the model reads constituency trees; give raw English text, or"
    assert (code, said in err) == (2, True)


def test_a_file_of_parses_that_the_model_does_not_read_is_one_error(trees_run, tmp_path, program):
    file = tmp_path / "films.conllu"
    file.write_text(f"{CONLLU}\n" * 3)
    said = f"{file}: the model reads constituency trees; give raw English text, or parses such as the .brackets.gz that"
    program.refuses("predict", trees_run, file, saying=[said])
    code, out, err = program("predict", trees_run, file, tmp_path / "none")
    assert (code, out, err.count("\n")) == (2, "", 1)


def shown(out: str) -> list[dict]:
    return lines(out)[0]["structure"]["nodes"]


def test_a_model_of_words_shows_the_heads_that_are_there(tmp_path, program):
    chain = TINY.replace("graph: constituency", "graph: chain").replace("tree_lstm.BinaryTreeLSTM", "sequence.SeqLSTM")
    assert program("fit", recipe(tmp_path, chain), "--out", tmp_path / "run")[0] == 0
    (tmp_path / "film.conllu").write_text(CONLLU)
    _, out, _ = program("predict", tmp_path / "run", tmp_path / "film.conllu", "--structure")
    assert [(node["head"], node["dependency"]) for node in shown(out)] == [(1, "det"), (-1, "root")]
    (tmp_path / "tags.conllu").write_text(CONLLU.replace("2\tdet", "_\t_").replace("0\troot", "_\t_"))
    _, out, _ = program("predict", tmp_path / "run", tmp_path / "tags.conllu", "--structure")
    assert [node["head"] for node in shown(out)] == [-2, -2]


def test_any_tree_is_made_binary(trees_run, tmp_path, program):
    file = tmp_path / "wide.ptb"
    file.write_text("(ROOT (S (NP (DT the) (JJ old) (NN film)) (VP (VBD failed))))\n(NN film)\n")
    code, out, _ = program("predict", trees_run, file)
    first, second = lines(out)
    assert code == 0
    assert [node["span"] for node in first["nodes"]] == [[0, 4], [0, 3], [0, 1], [1, 3], [1, 2], [2, 3], [3, 4]]
    assert [node["span"] for node in second["nodes"]] == [[0, 1]]


def test_a_bad_sentence_does_not_lose_the_others(trees_run, tmp_path, program):
    file = tmp_path / "some.ptb"
    file.write_text(f"{GOOD}\n(S (NP (DT the)\n{GOOD}\n(S the film)\n{GOOD}\n")
    code, out, err = program("predict", trees_run, file)
    assert code == 2
    found = lines(out)
    assert [line["id"] for line in found] == ["1", "2", "3", "4", "5"]
    assert ["error" in line for line in found] == [False, True, False, True, False]
    assert found[0]["probabilities"] == found[2]["probabilities"] == found[4]["probabilities"]
    assert "some.ptb:2, sentence 2" in found[1]["error"]
    assert "not closed" in found[1]["error"]
    assert err.splitlines() == [f"dglsent: {line['error']}" for line in found if "error" in line]


def test_trees_of_one_line_each_have_the_number_of_their_line(trees_run, tmp_path, program):
    file, other = tmp_path / "some.brackets", tmp_path / "other.brackets"
    file.write_text(f"{GOOD}\n\n{GOOD}\n(S (NN x\n")  # as `dglsent parse` leaves a line that it could not parse
    other.write_text(f"\n( (S\n (NN film)))\n{GOOD}\n")
    code, out, _ = program("predict", trees_run, file)
    assert code == 2
    found = lines(out)
    assert [(line["id"], "file" in line) for line in found] == [("1", False), ("3", False), ("4", False)]
    assert "some.brackets:4, sentence 4: " in found[2]["error"]
    code, out, _ = program("predict", trees_run, file, other)
    names = [(line["file"], line["id"]) for line in lines(out)]
    assert names == [*((str(file), number) for number in "134"), (str(other), "1"), (str(other), "2")]


def test_lines_name_what_was_drawn(trees_run, pairs_run, tmp_path, program):
    for run, text, suffix, ids in (
        (trees_run, f"\n{GOOD}\n{GOOD}\n", "brackets", "23"),
        (pairs_run, CONLLU * 4, "conllu", "13"),
    ):
        file, out = tmp_path / f"some.{suffix}", tmp_path / suffix
        file.write_text(text)
        code, said, _ = program("predict", run, file, "--draw", out)
        assert code == 0
        assert [line["id"] for line in lines(said)] == [*ids]
        drawn = [line["drawings"] for line in lines(said)]
        assert all(f"/000{number}" in path for number, paths in enumerate(drawn, 1) for path in paths)
        assert sorted(path for paths in drawn for path in paths) == sorted(map(str, out.iterdir()))


def test_standard_input(trees_run, program, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(f"{GOOD}\n(S\n".encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, _ = program("predict", trees_run)
    assert code == 2
    good, bad = lines(out)
    assert good["text"] == "the film was good"
    assert bad["error"].startswith("<stdin>:2, sentence 2: ")


def test_pairs_are_two_sentences_in_a_row(pairs_run, tmp_path, program):
    file = tmp_path / "pairs.conllu"
    broken = CONLLU.replace("\t2\tdet", "\t7\tdet")
    file.write_text(CONLLU * 2 + CONLLU + broken + CONLLU * 2 + CONLLU)
    code, out, _ = program("predict", pairs_run, file)
    assert code == 2
    first, second, third, fourth = lines(out)
    assert first["text"] == ["the film", "the film"]
    assert (
        first["score"]
        == third["score"]
        == pytest.approx(sum(int(grade) * share for grade, share in first["probabilities"].items()), abs=1e-4)
    )
    assert "head 7" in second["error"]
    assert "other sentence of the pair is missing" in fourth["error"]


def test_pairs_of_a_table(pairs_run, tmp_path, program):
    shutil.copytree(pairs_run, tmp_path / "run")
    config = tmp_path / "run/config.yaml"
    config.write_text(config.read_text().replace("graph: dependency", "graph: constituency"))
    file = tmp_path / "pairs.tsv"
    file.write_text(f"{GOOD}\t{GOOD}\n{GOOD}\n{GOOD}\t(S\n{GOOD}\t(NN film)\n")
    code, out, _ = program("predict", tmp_path / "run", file)
    assert code == 2
    found = lines(out)
    assert found[0]["text"] == ["the film was good"] * 2
    assert found[3]["text"] == ["the film was good", "film"]
    assert "1 column, expected" in found[1]["error"]
    assert "pairs.tsv:3" in found[2]["error"]


def test_a_chain_needs_no_parse(tmp_path, program):
    text = TINY.replace("graph: constituency", "graph: chain").replace("tree_lstm.BinaryTreeLSTM", "sequence.BiLSTM")
    assert program("fit", recipe(tmp_path, text), "--out", tmp_path / "run")[0] == 0
    for name, content in (("a.txt", "the film\n"), ("a.conllu", CONLLU), ("a.ptb", "(NP (DT the) (NN film))")):
        (tmp_path / name).write_text(content)
    answers = [program("predict", tmp_path / "run", tmp_path / name) for name in ("a.txt", "a.conllu", "a.ptb")]
    assert answers[0][0] == 0
    assert answers[0] == answers[1] == answers[2]


def test_a_run_whose_recipe_breaks_off(trees_run, tmp_path, program):
    """What is cut off had defaults, which the model card told as what the model was trained with."""
    shutil.copytree(trees_run, tmp_path / "run")
    config = tmp_path / "run/config.yaml"
    whole = config.read_text()
    for key in ("  lower:", "optimiser:", "seed:"):
        config.write_text(whole[: whole.index(f"\n{key}") + 1])
        program.refuses("predict", tmp_path / "run", saying=["config.yaml: breaks off before its last key, seed"])


def test_weights_of_another_model(trees_run, tmp_path, program):
    shutil.copytree(trees_run, tmp_path / "run")
    config = tmp_path / "run/config.yaml"
    config.write_text(config.read_text().replace("hidden: 6", "hidden: 5"))
    program.refuses(
        "predict", tmp_path / "run", saying=["weights of another model", "encoder.U.bias", "(30,)", "(25,)"]
    )
    shutil.copy(trees_run / "config.yaml", config)
    weights = load_file(trees_run / "weights.safetensors")
    save_file({**weights, "scale": torch.tensor(1.0)}, tmp_path / "run/weights.safetensors")
    program.refuses("predict", tmp_path / "run", saying=["(scale is (), expected none)"])
    whole = {**weights, "encoder.U.bias": weights["encoder.U.bias"].int()}
    save_file(whole, tmp_path / "run/weights.safetensors")
    program.refuses("predict", tmp_path / "run", saying=["(encoder.U.bias is (30,) of torch.int32, expected (30,))"])
    weights.pop("encoder.U.bias")
    save_file(weights, tmp_path / "run/weights.safetensors")
    program.refuses("predict", tmp_path / "run", saying=["(encoder.U.bias is missing, expected (30,))"])


def test_the_wrong_parse_is_said(trees_run, pairs_run, tmp_path, program):
    (tmp_path / "a.conllu").write_text(CONLLU)
    code, out, _ = program("predict", trees_run, tmp_path / "a.conllu")
    assert code == 2
    assert "constituency trees" in lines(out)[0]["error"]
    assert "dglsent parse" in lines(out)[0]["error"]


def test_text_without_a_parser_is_refused(pairs_run, tmp_path, program):
    (tmp_path / "a.txt").write_text("the film\nthe film\n")
    code, out, err = program("predict", pairs_run, tmp_path / "a.txt", "--stanza-dir", tmp_path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(part in err for part in ("needs parses", "resources.json", "dglsent parse"))


def test_every_line_end_a_mark_in_front_and_gzip(trees_run, tmp_path, program, monkeypatch):
    text = f"\ufeff{GOOD}\r{GOOD}\r\n{GOOD}\n".encode()
    (tmp_path / "mac.ptb").write_bytes(text)
    (tmp_path / "mac.ptb.gz").write_bytes(gzip.compress(text))
    code, out, _ = program("predict", trees_run, tmp_path / "mac.ptb")
    assert (code, len(lines(out))) == (0, 3)
    assert program("predict", trees_run, tmp_path / "mac.ptb.gz")[:2] == (0, out)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert program("predict", trees_run, "-")[:2] == (0, out)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(text))))
    program.refuses("predict", trees_run, "-", saying=["packed by gzip", "gunzip -c FILE |"])
    (tmp_path / "cut.ptb.gz").write_bytes(gzip.compress(text)[:-9])
    program.refuses("predict", trees_run, tmp_path / "cut.ptb.gz", saying=["cut.ptb.gz:", "fetch it again"])


def test_refused_inputs(trees_run, pairs_run, tmp_path, program):
    refuses = program.refuses
    refuses("predict", trees_run, tmp_path / "none.ptb", saying=["none.ptb", "cannot be read"])
    refuses("predict", tmp_path / "none", saying=["no run there", "dglsent fit"])
    (tmp_path / "empty.ptb").write_text("\n")
    refuses("predict", trees_run, tmp_path / "empty.ptb", saying=["empty.ptb", "no sentences"])
    (tmp_path / "mixed.txt").write_text(f"{GOOD}\ngood film\n{GOOD}\n")
    refuses(
        "predict", trees_run, tmp_path / "mixed.txt", saying=["mixed.txt:1: a tree in brackets, and line 2 is none"]
    )
    (tmp_path / "latin.ptb").write_bytes(b"(NN caf\xe9)")
    refuses("predict", trees_run, tmp_path / "latin.ptb", saying=["latin.ptb", "UTF-8"])
    (tmp_path / "pairs.tsv").write_text(f"{GOOD}\t{GOOD}\n")
    refuses("predict", trees_run, tmp_path / "pairs.tsv", saying=["pairs.tsv", "single sentences"])
    (tmp_path / "tags").write_text("Ann\tB-PER\nsang\tO\n\nBob\tB-PER\nslept\tO\n.\tO\n")
    for run in (trees_run, pairs_run):
        refuses("predict", run, tmp_path / "tags", saying=["tags: 2 columns in every line", "--format columns"])


def test_run_without_weights_or_with_broken_ones(trees_run, tmp_path, program):
    run = tmp_path / "run"
    shutil.copytree(trees_run, run)
    (run / "vocabularies.json").rename(run / "kept")
    program.refuses("predict", run, saying=["vocabularies.json: gone", "put the file of this run back"])
    (run / "vocabularies.json").write_text("{")
    program.refuses("predict", run, saying=["vocabularies.json: not ", "put back the file as it was saved, or make"])
    (run / "kept").rename(run / "vocabularies.json")
    weights = run / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    program.refuses("predict", run, saying=["weights.safetensors", "cannot be read", "another folder"])
    weights.unlink()
    program.refuses("predict", run, saying=["weights.safetensors", "no weights"])
    program.refuses("test", run, saying=["weights.safetensors", "no weights, as of runs that a ledger put back"])
    (run / "metrics.json").unlink()
    program.refuses("test", run, saying=["no weights; the run has not finished an epoch, repeat its `dglsent fit`"])
    (run / "config.yaml").write_text("corpus: 3\n")
    program.refuses("test", run, saying=["config.yaml"])


def test_a_model_reads_the_columns_that_it_was_trained_on(tmp_path, program, monkeypatch):
    table = tmp_path / "own.csv"
    table.write_text("stars,review\n" + "".join(f"{n % 2},{'good' if n % 2 else 'bad'} film\n" for n in range(30)))
    corpus = {"train": str(table), "dev": str(table), "test": str(table), "text": "review", "label": "stars"}
    file = tmp_path / "own.yaml"
    file.write_text(
        json.dumps(
            {
                "corpus": {"class_path": "LabelledText", "init_args": corpus},
                "graph": "chain",
                "embedding": {"dim": 4},
                "encoder": {"class_path": "SeqLSTM", "init_args": {"hidden": 4}},
                "task": {"class_path": "Classification", "init_args": {"classes": 2}},
                "training": {"epochs": 1},
            }
        )
    )
    code, _, err = program("fit", file, "--out", tmp_path / "run")
    assert code == 0, err
    code, out, err = program("predict", tmp_path / "run", table)
    assert code == 0, err
    assert [json.loads(line)["text"] for line in out.splitlines()[:2]] == ["bad film", "good film"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(table.read_bytes())))
    assert program("predict", tmp_path / "run")[:2] == (0, out)  # without a name to tell that it is a table
    corpus_gone = table.rename(tmp_path / "moved.csv")
    code, out, err = program("test", tmp_path / "run", corpus_gone, corpus_gone)
    assert code == 0, err
    (scores,) = json.loads(out).values()
    assert scores == json.loads((tmp_path / "run" / "metrics.json").read_text())["test"]
    program.refuses("test", tmp_path / "run", corpus_gone, "--split", "dev", saying=["--split: files have none"])
    other = tmp_path / "other.csv"
    other.write_text("text\ngood film\n")
    program.refuses(
        "predict", tmp_path / "run", other, saying=["no column 'review', which the model reads; there are text"]
    )
    code, out, err = program("predict", tmp_path / "run", other, "--columns", "text=text")
    assert (code, err, json.loads(out)["text"]) == (0, "", "good film")
    (tmp_path / "plain.txt").write_text("good film\n")
    program.refuses(
        "predict", tmp_path / "run", tmp_path / "plain.txt", "--columns", "text=text",
        saying=["plain.txt: --columns names columns of a table, and this is text", "--format csv"],
    )  # fmt: skip
    (tmp_path / "strange.txt").write_text("opinion,id\ngood film,1\n")
    program.refuses(
        "predict",
        tmp_path / "run",
        tmp_path / "strange.txt",
        saying=["strange.txt:1: opinion, id look", "text=opinion"],
    )
    assert len(lines(program("predict", tmp_path / "run", tmp_path / "strange.txt", "--format", "text")[1])) == 2
    (tmp_path / "table.txt").write_text("id,text\n1,good film\n")
    code, out, err = program("predict", tmp_path / "run", tmp_path / "table.txt", "--columns", "text=text")
    assert (code, err, json.loads(out)["text"]) == (0, "", "good film")
    columns = "text=text,label=id"  # as for a build, which reads the label too
    code, out, _ = program("predict", tmp_path / "run", tmp_path / "table.txt", "--columns", columns, "--format", "csv")
    assert (code, json.loads(out)["text"]) == (0, "good film")
    program.refuses(
        "predict", tmp_path / "run", other, "--columns", "first=text", saying=["--columns first: this model"]
    )
    (tmp_path / "run" / "resume.ckpt").touch()  # as a kill leaves it that comes right after the scores
    assert program("test", tmp_path / "run", corpus_gone)[::2] == (0, "")
    (tmp_path / "run" / "metrics.json").unlink()
    for command in ("predict", "test"):
        code, _, err = program(command, tmp_path / "run", corpus_gone)
        assert (code, err) == (0, f"{tmp_path / 'run'}: not finished; these are "
                                  "the weights of its best epoch so far\n")  # fmt: skip
