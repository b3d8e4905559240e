"""Classification of sentences, learnt from every labelled phrase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from dglsent.passing import Batch
from dglsent.tasks.class_scores import chosen, class_scores, score_names
from dglsent.tasks.cross_entropy import cross_entropy
from dglsent.tasks.task import Targets, Task, check_states
from graphs import fields
from graphs.errors import check_share, check_whole

_OF_PHRASES = "where phrases have other classes than sentences, phrases=False leaves them out"


class Classification(Task):
    """Classifies sentences and, in training, their labelled phrases, by softmax(W dropout(h) + b) of their states h.

    With a hidden layer, relu(W_s dropout(h) + b_s) takes the place of h.

    Cross-entropy is summed over all labelled nodes of a tree and averaged over trees. A sentence's own label
    is learnt at its sentence vector, which for trees is the state of the root; scores are of sentences alone.
    Classes of phrases are the node field `label` [N], -1 where there is none and at roots, which would count twice.

    Args:
        size: dimensions of a state.
        classes: number of classes.
        dropout: share of a state dropped before the classifier in training.
        choose: predict among the first `choose` classes only; all by default.
        phrases: whether phrases are learnt as well as sentences; False where the field `label` is of other classes, as
            those of a tagger over the same batch.
        hidden: dimensions of the hidden layer; none by default.

    Raises:
        ValueError: there are not as many classes as are to be chosen from.
        InputError: `size` or `classes` is no whole number from 1, `choose` or `hidden` none from 0, which is as None,
            or `dropout` is no share.
    """

    targets: ClassVar[Targets] = {"label": np.dtype(np.int64)}

    def __init__(
        self,
        size: int,
        classes: int,
        dropout: float = 0.5,
        choose: int | None = None,
        phrases: bool = True,
        hidden: int | None = None,
    ) -> None:
        super().__init__()
        check_whole(size=size, classes=classes)
        check_whole(0, hidden=hidden or 0, choose=choose or 0)  # 0, as None, is no layer, and no choice
        check_share(dropout=dropout)
        self.classes, self.choose, self.phrases = classes, choose or classes, phrases
        if self.choose > classes:
            raise ValueError(f"choose {choose}; give a number of classes from 1 to {classes}, or none for all")
        self.dropout = nn.Dropout(dropout)
        self.hidden = nn.Linear(size, hidden) if hidden else None
        self.output = nn.Linear(hidden or size, classes)
        self.monitor = "accuracy"
        self.score_names = score_names(self.choose)

    def loss(self, batch: Batch, states: Tensor, vectors: Tensor) -> Tensor:
        """Cross-entropy summed over labelled nodes, mean over trees."""
        total = cross_entropy(self._classified(vectors), batch.targets["label"])
        if self.phrases and fields.LABEL in batch.nodes:
            total = total + cross_entropy(self._classified(states), batch.nodes[fields.LABEL], hint=_OF_PHRASES)
        return total / batch.size

    def outcomes(self, batch: Batch, states: Tensor, vectors: Tensor) -> dict[str, Tensor]:
        """Predicted and gold class of each sentence."""
        return {"predicted": self._logits(vectors).argmax(-1), "label": batch.targets["label"]}

    def scores(self, outcomes: Mapping[str, Tensor]) -> dict[str, float]:
        """Accuracy, and with two classes F1, precision and recall of class 1."""
        return class_scores(outcomes["predicted"], outcomes["label"], self.choose)

    def predict(self, batch: Batch, states: Tensor, vectors: Tensor, labels: Sequence[str]) -> list[dict[str, Any]]:
        """Label and probabilities of each sentence, and of trees with spans the label at every node."""
        names = list(labels) or [str(number) for number in range(self.choose)]
        of_sentence = self._logits(vectors)
        predictions = chosen(of_sentence.double().softmax(-1), names)
        if fields.SPAN in batch.nodes:
            of_node = self._logits(states).argmax(-1)
            # A sentence is decided at its vector; its root says the same, whatever the readout.
            of_node[batch.roots] = of_sentence.argmax(-1)[batch.root_sentence]
            nodes = [
                {"span": span, "label": names[label]}
                for span, label in zip(batch.nodes[fields.SPAN].tolist(), of_node.tolist(), strict=True)
            ]
            first = 0
            for prediction, count in zip(predictions, batch.node_counts.tolist(), strict=True):
                prediction["nodes"] = nodes[first : first + count]
                first += count
        return predictions

    def _logits(self, states: Tensor) -> Tensor:
        """[n, choose] at evaluation."""
        return self._classified(states)[:, : self.choose]

    def _classified(self, states: Tensor) -> Tensor:
        """[n, classes], with dropout in training."""
        check_states(states, (self.hidden or self.output).in_features)
        if self.hidden is not None:
            states = torch.relu(self.hidden(self.dropout(states)))
        logits: Tensor = self.output(self.dropout(states))
        return logits
