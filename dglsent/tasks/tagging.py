"""Tagging: a class for every token of a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from torch import Tensor, nn

from dglsent.passing import Batch
from dglsent.tasks.crf import CRF
from dglsent.tasks.cross_entropy import cross_entropy, require_classes
from dglsent.tasks.spans import bio_kinds, span_counts
from dglsent.tasks.task import DIGITS, Task, check_states
from dglsent.tasks.token_table import TokenTable
from graphs import fields
from graphs.errors import InputError, check_choice, check_share, check_whole


class Tagging(Task):
    """Tags every token, by softmax(W dropout(h) + b) of its state h or a linear-chain CRF over these scores.

    The negative log-likelihood of a sentence, for softmax the sum over its tokens, is averaged over sentences (eq. 23
    of the dynamic window paper; with the CRF eq. 7 of the contextualized non-local network paper). Tokens without a
    gold class are neither learnt nor scored; with the CRF a sentence that has such a token is not learnt at all.

    Args:
        size: dimensions of a state.
        labels: names of the classes; those of the corpus.
        dropout: share of a state dropped before the classifier in training.
        head: False for encoders whose states are scores of the classes already, as `WindowJordan`: no classifier and
            no dropout then.
        crf: whether tags of neighbours are scored together.
        score: what chooses the best epoch: "accuracy" of tokens, or "f1" of the spans that BIO tags mark, with their
            precision and recall.

    Raises:
        ValueError: there are no labels, or with "f1" they are not BIO tags.
        InputError: `score` is neither, `labels` is a text or a number, `size` is no whole number from 1, or `dropout`
            is no share.
    """

    token_labels: ClassVar[bool] = True

    def __init__(
        self,
        size: int,
        labels: Sequence[str] = (),
        dropout: float = 0.5,
        head: bool = True,
        crf: bool = False,
        score: Literal["accuracy", "f1"] = "accuracy",
    ) -> None:
        super().__init__()
        if isinstance(labels, str | int):
            what = "whose letters would be the classes" if isinstance(labels, str) else "the number of the classes"
            raise InputError(f"labels is {labels!r}, {what}; give a list of their names")
        if not labels:
            raise ValueError("the corpus has no names of classes; choose one whose tokens are labelled")
        check_whole(size=size)
        check_share(dropout=dropout)
        check_choice("score", score, ("accuracy", "f1"))
        self.labels, self.head = tuple(labels), head
        self.dropout = nn.Dropout(dropout if head else 0)
        self.output = nn.Linear(size, len(labels)) if head else nn.Identity()
        self.crf = CRF(len(labels)) if crf else None
        self.monitor = score
        self.score_names = ("accuracy",)
        if score == "f1":
            self.score_names = ("f1", "precision", "recall", "accuracy")
            kind, begins = bio_kinds(labels)
            self.register_buffer("kind", kind, persistent=False)
            self.register_buffer("begins", begins, persistent=False)

    def loss(self, batch: Batch, states: Tensor, vectors: Tensor) -> Tensor:
        """Negative log-likelihood, summed over the tokens of a sentence, mean over sentences."""
        logits = self._logits(self.dropout(states))
        label = batch.nodes[fields.LABEL]
        if self.crf is None:
            gold = label.where(batch.nodes[fields.POSITION] >= 0, fields.NO_LABEL)
            return cross_entropy(logits, gold) / batch.size
        table = TokenTable(batch)
        gold = table.spread(label, fields.NO_LABEL)
        known = gold != fields.NO_LABEL
        whole = (known | ~table.mask).all(1)
        scores = table.spread(logits)
        try:
            losses = self.crf.loss(scores, gold.where(known, 0), table.mask)
        except (IndexError, RuntimeError):
            require_classes(scores, gold)
            raise
        return (losses * whole).sum() / batch.size

    def outcomes(self, batch: Batch, states: Tensor, vectors: Tensor) -> dict[str, Tensor]:
        """Counts of tokens, and of spans where these are scored, in each sentence."""
        table = TokenTable(batch)
        gold = table.spread(batch.nodes[fields.LABEL], fields.NO_LABEL)
        known = gold != fields.NO_LABEL
        predicted = self._best(table, states).where(known, fields.NO_LABEL)
        counts = {"tokens": known.sum(1), "right_tokens": ((predicted == gold) & known).sum(1)}
        if "f1" in self.score_names:
            counts |= span_counts(predicted, gold, self.get_buffer("kind"), self.get_buffer("begins"))
        return counts

    def scores(self, outcomes: Mapping[str, Tensor]) -> dict[str, float]:
        """Accuracy of tokens; F1, precision and recall of spans, 0 where one is 0 / 0."""
        total = {name: int(column.sum()) for name, column in outcomes.items()}
        scores = {"accuracy": _share(total["right_tokens"], total["tokens"])}
        if "f1" in self.score_names:
            right, predicted, gold = (total[f"{which}_spans"] for which in ("right", "predicted", "gold"))
            scores = {
                "f1": _share(2 * right, predicted + gold),
                "precision": _share(right, predicted),
                "recall": _share(right, gold),
                **scores,
            }
        return scores

    def predict(self, batch: Batch, states: Tensor, vectors: Tensor, labels: Sequence[str]) -> list[dict[str, Any]]:
        """Tags of the tokens of each sentence, by the names that the task was made with."""
        table = TokenTable(batch)
        rows = zip(self._best(table, states).tolist(), table.mask.sum(1).tolist(), strict=True)
        return [{"tags": [self.labels[tag] for tag in row[:length]]} for row, length in rows]

    def _logits(self, states: Tensor) -> Tensor:
        """[N, K]; where states are to be scores already, those of as many classes."""
        if isinstance(self.output, nn.Linear):
            check_states(states, self.output.in_features)
        logits: Tensor = self.output(states)
        if logits.shape[-1] != len(self.labels):
            raise InputError(
                f"task.head: false is for encoders whose states score the {len(self.labels)} classes, and these have "
                f"{logits.shape[-1]} dimensions; set --task.head true"
            )
        return logits

    def _best(self, table: TokenTable, states: Tensor) -> Tensor:
        """[B, T] tags."""
        logits = table.spread(self._logits(states))
        return logits.argmax(-1) if self.crf is None else self.crf.best(logits, table.mask)


def _share(part: int, whole: int) -> float:
    return round(part / whole, DIGITS) if whole else 0.0
