"""The model card of a run: what it is, what it was trained on, what it scores, and where it ends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dglsent.training.means import score_text

if TYPE_CHECKING:
    from dglsent.inference.model import Model

_TASKS = {
    "Classification": "text-classification",
    "PairClassification": "text-classification",
    "Relatedness": "sentence-similarity",
    "QuestionAnswering": "question-answering",
    "Tagging": "token-classification",
}


def card(model: Model) -> str:
    """A README in Markdown, with the head that the Hugging Face hub reads."""
    config, metrics = model.run.config(trusted=model.trusted), _metrics(model)
    encoder, task, corpus = (_name(config[part].class_path) for part in ("encoder", "task", "corpus"))
    inner = getattr(config.encoder.get("init_args"), "structure", None)
    files, own = _files(model), _own(config)
    again = f", where {', '.join(files)} {'is' if len(files) == 1 else 'are'}" if files else ""
    english = config.corpus.class_path.startswith("dglsent.") and not model.recipe.corpus.labels_from_files
    system = f"{encoder} over {_name(inner.class_path)}" if inner is not None else encoder
    lines = [
        "---",
        "library_name: dglsent",
        *([f"pipeline_tag: {_TASKS[task]}"] if task in _TASKS else []),
        *(["language: en"] if english else []),
        "tags: [dglsent, dgl, graph-neural-network, sentence-structure]",
        "---",
        "",
        f"# {system} on {corpus}",
        "",
        f"A sentence model of `dglsent`: {system} over {model.recipe.graph} graphs, trained for {task} on {corpus}.",
        "",
        "```python",
        "import dglsent",
        "",
        f'model = dglsent.load("PATH OF THIS FOLDER"{_told(model, own)})',
        f"model.predict([{_example(model)}])",
        "```",
        *(["", f"The code of {', '.join(own)} is not in this folder; put it where Python finds it."] if own else []),
        "",
        "## Scores",
        "",
        *_scores(metrics),
        "",
        "## Data and parser",
        "",
        f"- Corpus: {corpus}" + (f", classes {', '.join(model.labels)}." if model.labels else "."),
        f"- Sentences become {model.recipe.graph} graphs; " + _parser_of(model),
        f"- Vocabulary: {len(model.vocabularies.word)} words, {len(model.vocabularies.tag)} tags, "
        f"{len(model.vocabularies.relation)} relations; word vectors: {_vectors(config)}.",
        "",
        "## Recipe",
        "",
        f"`config.yaml` has all of it (`dglsent fit config.yaml` trains the model again{again}): "
        f"{config.training.epochs} epochs of batches of {config.training.batch_size}, {config.optimiser.name} with "
        f"learning rate {config.optimiser.lr}, seed {config.seed}." + _made(metrics),
        "",
        "## Limits",
        "",
        "- It knows sentences such as those of its corpus, in their language and domain; what it says of others was "
        "not measured.",
        "- Words that are neither in its training data nor in its vectors are one unknown word to it.",
        *(
            [f"- Its {model.needs} are those of a program, mistakes included; other programs give other predictions."]
            if model.needs != "words"
            else []
        ),
        "- Scores are those of one seed.",
        "",
    ]
    return "\n".join(lines)


def _own(config: Any) -> list[str]:
    """The dotted paths of its classes that are not of dglsent."""
    from dglsent.training import recipe as recipes
    from dglsent.training.class_paths import class_paths

    paths = dict.fromkeys(class_paths(recipes.tree(config, named=False)))
    return [path for path in paths if not path.startswith("dglsent.")]


def _files(model: Model) -> list[str]:
    """The names of the files that the recipe names."""
    from dglsent.training.source_files import saved

    return [_last(name) for name in saved(model.run.sources_file) if not name.startswith("code of ")]


def _last(path: str) -> str:
    """The last part of a path, of whatever system it is."""
    return path.replace("\\", "/").rpartition("/")[2]


def _told(model: Model, own: list[str]) -> str:
    """What else `load` is told."""
    from dglsent.training.words import are_given

    trusted = f", trusted={json.dumps(own)}" if own else ""
    return trusted + (", vectors=VECTORS" if are_given(model.recipe.embedding) else "")


def _name(class_path: str) -> str:
    return class_path.rpartition(".")[2]


def _metrics(model: Model) -> dict[str, Any]:
    return model.run.metrics() if model.run.metrics_file.is_file() else {}


def _scores(metrics: Mapping[str, Any]) -> list[str]:
    if not metrics:
        return ["None: the run was not finished."]
    names = list(metrics["test"])
    rows = [
        f"| {split} | " + " | ".join(score_text(metrics[split].get(name)) for name in names) + " |"
        for split in ("dev", "test")
    ]
    return [f"| split | {' | '.join(names)} |", f"|---|{'---|' * len(names)}", *rows]


def _example(model: Model) -> str:
    one = '"The movie was not as bad as I feared."'
    return f'({one}, "I feared worse.")' if model.sentences == 2 else one


def _parser_of(model: Model) -> str:
    if model.needs == "words":
        return "no parser is needed, text is cut into tokens."
    made = f"{model.needs} of raw text are made by Stanza's default English models"
    return f"{made}, those of the training data are those of its corpus."


def _vectors(config: Any) -> str:
    vectors = config.embedding.vectors
    named = [vectors] if isinstance(vectors, str) else vectors or []
    return ", ".join(map(_last, named)) or "random at the start"


def _made(metrics: Mapping[str, Any]) -> str:
    if not metrics:
        return ""
    versions = ", ".join(f"{name} {version}" for name, version in metrics["versions"].items())
    return f" The best of {metrics['epochs']} epochs was number {metrics['best_epoch']}. Made with {versions}."
