"""Logging the gates of dynamic windows as training goes on: those of fixed occurrences of some words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightning.pytorch as lightning
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from lightning.pytorch.callbacks import Callback

from dglsent.models.dynamic_window import WindowEncoder
from dglsent.models.window_gates import GATE
from dglsent.training.data import GraphSet
from dglsent.training.model import SentenceModel
from dglsent.training.run import write
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.fields import CHILD, LABEL, NO_LABEL, POSITION, REAL, SLOT, WORD
from graphs.files import replacing
from graphs.vocabulary import SPECIAL

_WORDS, _LEAST, _MOST = 40, 20, 50
_BATCH = 128
_A_DECADE = 8  # logged steps between 10 and 100, between 100 and 1000, ...


class GateLog(Callback):
    """Writes the gates of each occurrence at logarithmically spaced steps, in evaluation mode and without a mask.

    Those on what lies beyond the sentence are left out; those of a model that went wrong are nan.

    Random states and the model stay as they are, so that a run is the same with and without it. In the folder are
    `words.json`, with the words, their number of classes in training and their occurrences, and a Parquet file a step.

    Args:
        folder: where to write.
        model: the model, whose encoder reads dynamic windows.
        data: the training split.
        vocabularies: of its words.
        words: which words; without any, 40 that occur at least 20 times are drawn, for all seeds the same.

    Raises:
        InputError: the encoder has no gates, the task reads pairs, training does not know a word or has none that is
            frequent enough, or others were logged before.
    """

    def __init__(
        self,
        folder: Path,
        model: SentenceModel,
        data: GraphSet,
        vocabularies: Vocabularies,
        words: Sequence[str],
    ) -> None:
        if not isinstance(model.encoder, WindowEncoder):
            raise InputError(
                f"--log-gates: {type(model.encoder).__name__} has no gates; train one over dynamic windows"
            )
        if model.task.sentences != 1:
            raise InputError("--log-gates: reads single sentences, and this task reads pairs; leave it out")
        self._folder, self._encoder, self._data = folder, model.encoder, data
        self._chosen = occurrences(data, vocabularies, words)
        if _logged(folder / "words.json") not in (None, self._chosen):
            raise InputError(f"{folder}: gates of other words were logged; name the same or choose another --out")

    def on_train_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Log the first weights."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write(self._folder / "words.json", json.dumps(self._chosen))
        if not trainer.global_step:
            self.log_step(0)

    def on_train_batch_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Log where it is time."""
        if is_due(trainer.global_step):
            self.log_step(trainer.global_step)

    def on_train_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Log the last weights."""
        self.log_step(trainer.global_step)

    def log_step(self, step: int) -> None:
        """Write the gates that the weights of now give."""
        modes = [(module, module.training) for module in self._encoder.modules()]
        self._encoder.eval()
        try:
            with torch.random.fork_rng(), torch.no_grad():
                gates = self._gates()
        finally:
            for module, training in modes:
                module.training = training
        word = [entry["word"] for entry in self._chosen for _ in entry["places"]]
        number = [i for entry in self._chosen for i in range(len(entry["places"]))]
        width = gates.shape[1]
        on_word = ~np.ma.getmaskarray(gates).ravel()
        table = pa.table(
            {
                "step": np.full(on_word.sum(), step),
                "word": pa.array(np.repeat(word, width)[on_word]).dictionary_encode(),
                "occurrence": np.repeat(number, width)[on_word],
                "offset": np.tile(np.arange(width) - width // 2, len(gates))[on_word],
                "gate": gates.compressed(),
            }
        )
        with replacing(self._folder / f"step-{step:09}.parquet") as beside:
            pq.write_table(table, beside)

    def _gates(self) -> np.ma.MaskedArray[Any, Any]:
        """[occurrences, slots], masked where a slot lies beyond the sentence."""
        places = [tuple(place) for entry in self._chosen for place in entry["places"]]
        examples = sorted({example for example, _ in places})
        device = next(self._encoder.parameters()).device
        rows: dict[tuple[int, int], np.ma.MaskedArray[Any, Any]] = {}
        for first in range(0, len(examples), _BATCH):
            some = examples[first : first + _BATCH]
            batch = self._data.batch(some, ()).to(device)
            self._encoder.read(batch)
            window = batch.relation(CHILD)
            gate = window.edges[GATE].float().reshape(len(window.ends[0]), -1).mean(1).cpu().numpy()
            table = np.ma.zeros((batch.num_nodes, self._encoder.window.slots), dtype=np.float32)
            beyond = batch.nodes[REAL].cpu().numpy()[window.ends[0]] == 0
            table[window.ends[1], window.edges[SLOT].cpu().numpy()] = np.ma.array(gate, mask=beyond)
            start = dict(zip(some, batch.first.tolist(), strict=True))
            rows |= {(example, node): table[start[example] + node] for example, node in places if example in start}
        return np.ma.stack([rows[place] for place in places])


def occurrences(data: GraphSet, vocabularies: Vocabularies, words: Sequence[str]) -> list[dict[str, Any]]:
    """Words with their `count` and number of `classes` in training, and `places`, (example, node) of some occurrences.

    Raises:
        InputError: a word is not there, or none is named and none occurs often enough to be drawn.
    """
    found: dict[int, list[tuple[int, int]]] = {}
    classes: dict[int, set[int]] = {}
    for example, (graph,) in enumerate(data.graphs):
        at = np.flatnonzero(graph.nodes[POSITION] >= 0)
        label = graph.nodes.get(LABEL, np.full(graph.size, NO_LABEL))
        for node in at.tolist():
            word = int(graph.nodes[WORD][node])
            found.setdefault(word, []).append((example, node))
            classes.setdefault(word, set()).add(int(label[node]))
    rng = np.random.default_rng(0)
    if words:
        numbers = vocabularies.word.ids(words).tolist()
        unknown = [name for name, word in zip(words, numbers, strict=True) if word < len(SPECIAL) or word not in found]
        if unknown:
            raise InputError(f"--log-gates: training does not know the word {unknown[0]!r}")
        numbers = [*dict.fromkeys(numbers)]
    else:
        frequent = sorted(word for word, places in found.items() if len(places) >= _LEAST and word >= len(SPECIAL))
        numbers = sorted(rng.permutation(frequent)[:_WORDS].tolist())
    if not numbers:
        raise InputError(f"--log-gates: no word occurs {_LEAST} times in training; name words")
    chosen = []
    for number in numbers:
        drawn = np.sort(rng.permutation(len(found[number]))[:_MOST])
        chosen.append(
            {
                "word": vocabularies.word.strings[number],
                "count": len(found[number]),
                "classes": len(classes[number] - {NO_LABEL}),
                "places": [list(found[number][i]) for i in drawn],
            }
        )
    return chosen


def is_due(step: int) -> bool:
    """Whether a step is one of those that stand at equal distances on a logarithmic scale."""
    if step < 1:
        return False
    place = round(_A_DECADE * np.log10(step))
    return step == round(10 ** (place / _A_DECADE))


def _logged(file: Path) -> Any:
    """The words of which gates were logged before; None where none were."""
    try:
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
    except (ValueError, RecursionError):
        raise InputError(f"{file}: damaged; delete it, and the words of this command are taken for those") from None
