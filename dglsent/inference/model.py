"""A trained model in three lines: load it, predict, explain."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import torch
from huggingface_hub import ModelHubMixin, snapshot_download

from dglsent.inference.card import card
from dglsent.inference.explanation import Explanation, Explanations, explanations
from dglsent.inference.given import Given, Readable, examples_of
from dglsent.inference.memory import as_memory_allows
from dglsent.inference.predictor import Predictor, Seen, needs, with_text
from dglsent.inference.raw_text import readable
from dglsent.inference.states import States, states_of
from dglsent.training.class_paths import Trusted
from dglsent.training.device import pick_device
from dglsent.training.fit import Say
from dglsent.training.garbage_collection import collection_off
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import Recipe
from dglsent.training.run import FILES, Run, write
from graphs.errors import InputError, SentenceError, check_choice, check_kind, one_line
from graphs.features import Vocabularies
from graphs.files import replacing
from graphs.token_vectors import TokenVectors, VectorSource

BATCH = 64
"""Examples that a model reads together."""

_COUNTED = "config.json"  # by fetches of a file of this name the hub counts downloads
_Made = TypeVar("_Made")


class Model(ModelHubMixin):
    """A trained model.

    Its run folder can be saved elsewhere (`save_pretrained`), loaded from there or from the Hugging Face hub
    (`from_pretrained`) and put there (`push_to_hub`); all of it is data, nothing is pickled.

    Args:
        run: its folder.
        recipe: the recipe it was trained by.
        vocabularies: what it knows of words, tags and relations.
        model: encoder and task, on their device.
        stanza_dir: folder of Stanza's models for raw text; Stanza's own by default.
        trusted: which classes of others the run may name.
        vectors: of the tokens, for a model that reads such.

    Raises:
        InputError: vectors are given that the model does not read.

    Attributes:
        model, vocabularies, recipe, run: as given; `model.encoder` and `model.task` are modules of torch.
        needs: what it reads of a sentence: "words"; "tags", so that raw text is tagged first; or "parses".
        sentences: how many sentences an example has: 1, or 2 for a model of pairs.
        labels: names of the classes; empty where it predicts none.
    """

    def __init__(
        self,
        run: Run,
        recipe: Recipe,
        vocabularies: Vocabularies,
        model: SentenceModel,
        *,
        stanza_dir: str | os.PathLike[str] | None = None,
        trusted: Trusted = False,
        vectors: VectorSource | None = None,
    ) -> None:
        self.run, self.recipe, self.vocabularies, self.model = run, recipe, vocabularies, model
        self.stanza_dir, self.trusted = stanza_dir, trusted
        given = None if vectors is None else TokenVectors(vectors)
        self._predictor = Predictor(recipe, vocabularies, model, given)
        self.labels = tuple(self._predictor.labels)
        self.sentences = model.task.sentences
        self.needs = needs(recipe, vocabularies, model)

    @classmethod
    def of_run(
        cls,
        run: str | os.PathLike[str],
        *,
        device: str | torch.device = "auto",
        stanza_dir: str | os.PathLike[str] | None = None,
        trusted: Trusted = False,
        vectors: VectorSource | None = None,
    ) -> Model:
        """The model of a run folder; arguments and errors are those of `dglsent.load`."""
        check_kind(run, (str, os.PathLike), "give the folder that `dglsent fit` wrote")
        folder = Run(Path(run))
        recipe, vocabularies, model = folder.load(trusted=trusted)
        model = model.to(pick_device(device))
        return cls(folder, recipe, vocabularies, model, stanza_dir=stanza_dir, trusted=trusted, vectors=vectors)

    def predict(
        self, given: Any, *, on_error: Literal["raise", "keep"] = "raise", say: Say = lambda line: None
    ) -> list[dict[str, Any]]:
        """Predictions.

        Args:
            given: a list of texts, token lists, trees, Dependencies or Tagged of `graphs`, Stanza or spaCy documents,
                nltk trees; for a model of pairs, tuples of two of these. One of them may stand alone, but for a token
                list, which would be a list of texts. Raw text is parsed or tagged by Stanza where the model `needs`
                that, and a text is one sentence then; else cut into tokens. Trees in brackets and CoNLL-U may be
                given as text too.
            on_error: "raise" at the first example that cannot be used, or "keep" a dict with `error` in its place, as
                the lines of `dglsent predict`.
            say: is told by which models text is parsed or tagged.

        Returns:
            For each example a dict with `text`, its words with a space between each two, with `words` too where one
            itself holds a space, and with what the task predicts: `label` and `probabilities`, `score`, `tags`; with a
            classifier over trees `nodes`, each with its `span` and `label`. These are the nodes of the tree that the
            graph was made of, `explain(given)[k].sentences[0]`: for a model of binary trees without outer ROOT, unary
            chains collapsed and binarised. Match them with those of the tree given by `span`; even where
            there are as many, they may be others.

        Raises:
            InputError: an example cannot be used, and `on_error` is "raise"; the message says which and why. In any
                case: no list was given, or examples of another number of sentences; text is to be parsed or tagged,
                and there is no Stanza that could; or `on_error` is neither word.
        """
        check_choice("on_error", on_error, ("raise", "keep"))
        results = self._each(given, say, _predicted, keep=on_error == "keep")
        if on_error == "keep":
            return [{"error": str(one)} if isinstance(one, SentenceError) else one for one in results]
        return list(_none_wrong(results))

    def explain(self, given: Any, *, say: Say = lambda line: None) -> Explanations:
        """Predictions with what the model used for them, drawn in Jupyter; `given` and `say` as in `predict`.

        Raises:
            InputError: an example cannot be used, which `predict` may keep; the message says which and why.
        """
        return Explanations(_none_wrong(self._each(given, say, self._explained)))

    def states(self, given: Any, *, say: Say = lambda line: None) -> list[States]:
        """What the encoder makes of each sentence, as features for another model; `given` and `say` as in `predict`.

        Returns:
            The states of each sentence, of a model of pairs those of both sentences of an example one after the other.

        Raises:
            InputError: an example cannot be used, which `predict` may keep; the message says which and why.
        """
        return [one for of_example in _none_wrong(self._each(given, say, states_of)) for one in of_example]

    def attempt(
        self, examples: Sequence[tuple[Readable, ...]], *, explain: bool = False
    ) -> list[dict[str, Any] | Explanation | SentenceError]:
        """Examples that fit into memory together, each with its prediction or explanation, or why there is none."""
        return [*(self._attempt(examples, self._explained) if explain else self._attempt(examples, _predicted))]

    def readable(self, examples: list[tuple[Given, ...]], say: Say = lambda line: None) -> list[tuple[Readable, ...]]:
        """Examples with raw text parsed, tagged, or cut into tokens, as this model needs it.

        Raises:
            InputError: text is to be parsed or tagged, and there is no Stanza that could.
        """
        device = self.model.device
        return readable(
            examples,
            self.needs,
            cut=self.recipe.corpus.tokens,
            stanza_dir=self.stanza_dir,
            device=str(device) if device.type == "cuda" else "cpu",
            say=say,
        )

    @classmethod
    def from_pretrained(
        cls,
        pretrained_model_name_or_path: str | Path,
        *,
        force_download: bool = False,
        token: str | bool | None = None,
        cache_dir: str | Path | None = None,
        local_files_only: bool = False,
        revision: str | None = None,
        **options: Any,
    ) -> Model:
        """The model of a folder, or of the Hugging Face hub; see `huggingface_hub.ModelHubMixin`.

        Its own way would take options from the `config.json` that it finds, `trusted` too; here only the caller gives
        any.

        Args:
            pretrained_model_name_or_path: a folder, or the name that a model has on the hub.
            force_download: whether files are fetched that were fetched before.
            token: for the hub; by default the one of its login.
            cache_dir: where fetched files are kept; the hub's own folder by default.
            local_files_only: whether nothing but what was fetched before is used.
            revision: branch, tag or commit on the hub.
            options: as for `dglsent.load`.

        Raises:
            InputError: there is no such folder and the hub cannot be reached, or refuses; or there is no run.
        """
        folder = str(pretrained_model_name_or_path)
        if not Path(folder).is_dir():
            try:
                folder = snapshot_download(
                    folder,
                    revision=revision,
                    cache_dir=cache_dir,
                    force_download=force_download,
                    local_files_only=local_files_only,
                    token=token,
                    allow_patterns=[*FILES, _COUNTED],
                )
            except Exception as error:  # the hub's client, and what carries its requests, have many classes
                raise InputError(
                    f"{folder}: no folder here, and cannot be had from the hub ({one_line(error, 200)})"
                ) from error
        return cls.of_run(folder, **options)

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Puts the run folder with its model card on the Hugging Face hub; see `huggingface_hub.ModelHubMixin`.

        Raises:
            InputError: the hub cannot be reached, or refuses.
        """
        try:
            return str(super().push_to_hub(repo_id, **options))
        except Exception as error:  # as in `from_pretrained`
            raise InputError(f"{repo_id}: cannot be put on the hub ({one_line(error, 200)})") from error

    def _save_pretrained(self, save_directory: Path) -> None:
        for file in (self.run.path / name for name in FILES):
            there = save_directory / file.name
            if file.is_file() and file.resolve() != there.resolve():
                with replacing(there) as beside:
                    shutil.copyfile(file, beside)
        write(save_directory / "README.md", card(self))
        write(save_directory / _COUNTED, '{"library_name": "dglsent"}\n')

    def __repr__(self) -> str:
        encoder, task = type(self.model.encoder).__name__, type(self.model.task).__name__
        return f"<dglsent model {self.run.path}: {encoder} on {self.recipe.graph} graphs, {task}>"

    def _each(
        self, given: Any, say: Say, make: Callable[[Seen], Sequence[_Made]], keep: bool = False
    ) -> Iterator[_Made | SentenceError]:
        numbered = examples_of(given, self.sentences)
        if not keep:  # Stanza, which may take long or not be there, need not be asked first
            for number, example in numbered:
                for one in example:
                    if isinstance(one, SentenceError):
                        raise SentenceError(f"example {number}: {one}")
        examples = self.readable([example for _, example in numbered], say)
        for first in range(0, len(examples), BATCH):
            for place, result in enumerate(self._attempt(examples[first : first + BATCH], make), first):
                wrong = isinstance(result, SentenceError)
                yield SentenceError(f"example {numbered[place][0]}: {result}") if wrong else result

    @collection_off()
    def _attempt(
        self, examples: Sequence[tuple[Readable, ...]], make: Callable[[Seen], Sequence[_Made]]
    ) -> list[_Made | SentenceError]:
        return as_memory_allows(examples, lambda some: self._made(some, make))

    def _made(
        self, examples: Sequence[tuple[Readable, ...]], make: Callable[[Seen], Sequence[_Made]]
    ) -> list[_Made | SentenceError]:
        batches, errors = self._predictor.run(examples)
        results: dict[int, _Made | SentenceError] = dict(errors)
        for seen in batches:
            results.update(zip(seen.places, make(seen), strict=True))
        return [results[place] for place in range(len(examples))]

    def _explained(self, seen: Seen) -> list[Explanation]:
        return explanations(seen, self.model.encoder.shows, self.recipe.graph, self.labels)


def _none_wrong(results: Iterable[_Made | SentenceError]) -> Iterator[_Made]:
    for result in results:
        if isinstance(result, SentenceError):
            raise result
        yield result


def _predicted(seen: Seen) -> list[dict[str, Any]]:
    return [with_text(*each) for each in zip(seen.shaped, seen.predictions, strict=True)]
