"""Recording: a trained model runs over a split, and what it shows is written down, shard by shard.

A recording is a folder of Parquet files: `examples/`, `nodes/` and `edges/`, with one file a shard each, and
`recording.json`, which says of which run, split and fields they are.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import torch

from dglsent.analysis.finite import REMEDY, not_finite
from dglsent.analysis.recording import TABLES, begin, finish
from dglsent.analysis.rows import FieldError, Recorder, Shown
from dglsent.analysis.runs import fold_of, model_name, system
from dglsent.building.further_files import or_further, read_further
from dglsent.building.read_back import read_back
from dglsent.corpora.example import Example
from dglsent.corpora.stored import Stored
from dglsent.lock import locked
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_corpus
from dglsent.training.data import GraphSet, graph_set
from dglsent.training.device import pick_device
from dglsent.training.fit import Say
from dglsent.training.graphs import shape
from dglsent.training.model import SentenceModel
from dglsent.training.provenance import code_of, recipe_hash
from dglsent.training.run import Run
from dglsent.training.words import token_vectors
from dglsent.version import version
from graphs.errors import InputError, check_whole
from graphs.files import replacing
from graphs.store import digest

_SHARD = 500  # examples
_EXAMPLES, _CELLS = 64, 2**17  # most examples of a batch, and most pairs of nodes


def record(
    run: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    split: str = "test",
    files: Sequence[str] = (),
    stanza_dir: str | os.PathLike[str] | None = None,
    fields: Sequence[str] | None = None,
    tables: Sequence[str] = TABLES,
    limit: int | None = None,
    data: Path | None = None,
    device: str = "auto",
    trusted: bool = False,
    shard: int = _SHARD,
    say: Say = lambda line: None,
) -> Path:
    """Writes down what a run's model shows of a split, or of files of the form of those that it was trained on.

    Args:
        run: folder that `dglsent fit` wrote.
        out: folder of the recording; an interrupted one is resumed, a whole one is left as it is.
        split: "train", "dev" or "test".
        files: files to record in place of a split, in the form of those that the run was trained on, or that its store
            was built of; their names are the split of the recording.
        stanza_dir: Stanza's models, for raw sentences in files.
        fields: names such as "z_u" (nodes) or "child.attention" (edges of a relation), or patterns such as
            "*.attention*"; by default all that the encoder declares.
        tables: which of "examples", "nodes" and "edges" are written; the examples are in any case.
        limit: only so many examples, the first ones; one or more.
        data: the data folder; None for that of the environment.
        device: "auto", "cpu", "cuda", or one GPU by its number, such as "cuda:1".
        trusted: whether the run may name classes that are neither of dglsent nor registered.
        shard: examples of a shard.
        say: what is told on the way.

    Returns:
        The folder.

    Raises:
        InputError: run, split, files, fields, tables, limit, shard or folder cannot be used, the model shows nan or
            infinity, or another process is recording there. Of a recording that has no whole shard yet nothing is left
            then.
    """
    trained, out = Run(run), Path(out)
    for name in tables:
        if name not in TABLES:
            raise InputError(f"no table {name!r}; there are {', '.join(TABLES)}")
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit} examples: give 1 or more")
    check_whole(shard=shard)
    recipe, vocabularies, model = trained.load(trusted=trusted)
    names = chosen_fields(model, fields)
    model.to(pick_device(device))
    if files:
        found = read_further(files, recipe, vocabularies, model, stanza_dir=stanza_dir, say=say)
        examples: Sequence[Example] = list(chain.from_iterable(found.values()))[:limit]
    else:
        if warning := trained.changed_source(data, trusted=trusted):
            say(warning)
        with or_further(f"dglsent record {shlex.quote(str(run))} --out {shlex.quote(str(out))}"):
            examples = _examples(recipe, split, data, limit)
    about = {**provenance(trained, trusted), "split": ", ".join(files) or split}
    task = model.task
    labels = list(recipe.corpus.labels or tuple(vocabularies.label or ()) or getattr(task, "labels", ()))
    what = {"fields": names, "labels": labels, "tables": list(tables), "examples": len(examples), "shard": shard}
    if files:
        what["files"] = {file: _hash(Path(file)) for file in files}
    of_every_row = {name: value for name, value in about.items() if name not in ("config", "code")}
    target = next(iter(task.targets), "")
    recorder = Recorder(Shown.of(names), recipe.graph, target, labels, of_every_row, model.encoder.shows)
    vectors = token_vectors(recipe.embedding, data)
    with locked(out):
        if begin(out, {**about, **what}):
            say(f"{out}: recorded already")
            return out
        with _left_in_order(out):
            for first in range(0, len(examples), shard):
                if (out / "examples" / f"{first:08}.parquet").is_file():
                    continue
                part = examples[first : first + shard]
                graphs = graph_set(
                    part,
                    recipe.graph,
                    vocabularies,
                    task.sentences,
                    task.targets,
                    token_labels=task.token_labels,
                    vectors=vectors,
                )
                _write_shard(out, first, _rows(model, recorder, tables, first, part, graphs))
                say(f"{out}: {min(first + shard, len(examples))} of {len(examples)} examples")
        finish(out)
    return out


@contextmanager
def _left_in_order(out: Path) -> Iterator[None]:
    """Has what the disk refuses name the folder, and removes a recording that ends before its first whole shard."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(out)
        raise
    except InputError:
        if not any(out.glob("examples/*.parquet")):  # empty, it would only stand in the way of a corrected command
            shutil.rmtree(out)
        raise


def _examples(recipe: recipes.Recipe, split: str, data: Path | None, limit: int | None) -> Sequence[Example]:
    if isinstance(recipe.corpus, Stored):
        return read_back(recipe.corpus.open(), split, limit)
    splits = load_corpus(recipe, data)
    if split not in splits:
        raise InputError(f"no split {split!r}; there are {', '.join(splits)}")
    return splits[split][:limit]


def chosen_fields(model: SentenceModel, fields: Sequence[str] | None) -> list[str]:
    """The fields that patterns choose among those the encoder declares; a name may be another that it sets.

    Raises:
        FieldError: a pattern chooses none.
    """
    shows = list(model.encoder.shows)
    found = shows if fields is None else []
    for pattern in fields or ():
        matching = [name for name in shows if fnmatch(name, pattern)]
        if not matching and any(c in pattern for c in "*?["):
            raise FieldError(
                f"{type(model.encoder).__name__} shows no field {pattern!r}; it shows {', '.join(shows) or 'none'}"
            )
        found += matching or [pattern]
    return list(dict.fromkeys(found))


def provenance(run: Run, trusted: bool) -> dict[str, Any]:
    """Of which run something is: model, data, seed and fold, and hashes of its recipe, its weights and its code."""
    config = run.config(trusted=trusted)
    fold = fold_of(run.path)
    return {
        "system": system(run.path),
        "model": model_name(config.encoder.as_dict()),
        "data": str(config.corpus.class_path).rpartition(".")[2],
        "seed": int(config.seed),
        **({} if fold is None else {"fold": fold}),
        "recipe": recipe_hash(config),
        "weights": _hash(run.weights_file),
        "code": code_of(run.metrics() if run.metrics_file.is_file() else {}),
        "version": version(),
        "config": recipes.dump(config),
    }


def _hash(file: Path) -> str:
    return digest(file)[:16]


def _rows(
    model: SentenceModel,
    recorder: Recorder,
    tables: Sequence[str],
    first: int,
    examples: Sequence[Example],
    graphs: GraphSet,
) -> Iterator[dict[str, Any]]:
    """The tables of one batch after the other."""
    for index in _batches(graphs):
        some, of_some = [examples[i] for i in index], [graphs.graphs[i] for i in index]
        batch = graphs.batch(index, model.encoder.directions, model.encoder.relations).to(model.device)
        with torch.inference_mode():
            batch, states, _, said = model.infer(batch, recorder.labels)
            start = first + index[0]
            shaped = [[shape(recorder.kind, sentence) for sentence in example.sentences] for example in some]
            made = {"examples": recorder.examples(start, some, shaped, said)}
            if "nodes" in tables:
                made["nodes"] = recorder.nodes(start, some, shaped, of_some, said, batch)
            edges = recorder.edges(start, batch) if "edges" in tables else None
            broken = not_finite(batch, states, said, recorder.shown)
        if broken:
            number, name = next(iter(broken.items()))
            raise InputError(f"example {some[number].id!r}: its {name} are not finite numbers; {REMEDY}")
        yield made if edges is None else {**made, "edges": edges}


def _batches(graphs: GraphSet) -> Iterator[list[int]]:
    """Numbers of examples in order, few together where sentences are long."""
    batch: list[int] = []
    cells = 0
    for number, of_example in enumerate(graphs.graphs):
        size = sum(graph.size for graph in of_example) ** 2
        if batch and (len(batch) == _EXAMPLES or cells + size > _CELLS):
            yield batch
            batch, cells = [], 0
        batch.append(number)
        cells += size
    if batch:
        yield batch


def _write_shard(out: Path, first: int, parts: Iterator[dict[str, Any]]) -> None:
    """Batches are written as they come; the file of the examples is put in place last, and says that all is there."""
    writers: dict[str, pq.ParquetWriter] = {}
    # What is entered first is left last: examples are among the tables of every batch, and before the others.
    with ExitStack() as stack:
        for part in parts:
            for name, table in part.items():
                if name not in writers:
                    (out / name).mkdir(parents=True, exist_ok=True)
                    file = stack.enter_context(replacing(out / name / f"{first:08}.parquet"))
                    writers[name] = stack.enter_context(pq.ParquetWriter(file, table.schema, compression="zstd"))
                writers[name].write_table(table)
