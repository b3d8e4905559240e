"""What the papers say of how they trained: every setting once, with their words.

A key is that of a recipe, without `init_args`. Where a dropout acts is part of the key: `embedding.dropout` on word
vectors, `task.dropout` on what the last layer reads (a state; of pairs, the hidden layer of the head),
`encoder.recurrent_dropout` on the candidate of a cell, in a RecNN on its children's states before the main network,
`encoder.options.gate_dropout` on the gates of a window.
`test_regularisation.py` sees that those of words and tasks do, the tests of the encoders that theirs do.

Not in the table, as the papers do not say it: epochs but for Zhou et al., rates and sizes of Liu et al., whether Zhou
et al. tune word vectors.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

PAIR_CORPORA = ("sick", "sick-entailment", "msrp", "msrpar", "quora", "ai2", "snli")
TAGGING = ("conll2000", "conll2003", "ptb-pos")
QUOTED = ("bi-tree-lstm",)  # a row of Shen et al. that they quote of Teng and Zhang 2017
TAG_GUIDED = ("tg-hrecnn-concat", "tg-hrecnn-multi", "tg-htreelstm-concat", "tg-htreelstm-multi")
ATTENTIVE = ("attentive-tree-lstm", "attentive-tree-gru")
NO_WINDOW = "stacked-bilstm-no-window"  # "We only get 93.9% on the development set without using context windows"
WINDOW_SIZES = (NO_WINDOW, "lstm-no-window", "lstm-window-2", "lstm-window-4")
JORDAN = ("jordan", "jordan-plain", "jordan-sgd", "jordan-sgd-plain")
STACKED = ("stacked-bilstm", "stacked-bilstm-plain", "stacked-bilstm-sgd", "stacked-bilstm-sgd-plain")
BASES = ("dependency", "constituency", "bilstm")  # of Gupta and Zhang, without attention


@dataclass(frozen=True)
class Setting:
    """A setting of a paper.

    Attributes:
        paper: how the titles of its tables begin.
        key: the key of a recipe.
        value: the paper's value; of files, how their names begin.
        says: its words, or where else it is known from.
        corpora: corpora for which it holds, all by default.
        but: corpora for which it does not.
        systems: recipes of these for which it holds, all by default.
        other_than: recipes for which it does not, such as ablations of just this.
    """

    paper: str
    key: str
    value: Any
    says: str
    corpora: Collection[str] = ()
    but: Collection[str] = ()
    systems: Collection[str] = ()
    other_than: Collection[str] = ()

    def holds_for(self, paper: str, recipe: str) -> bool:
        """Whether it is one of a row, `recipe` being corpus/system."""
        corpus, _, system = recipe.partition("/")
        return (
            paper.startswith(self.paper)
            and corpus not in self.but
            and system not in self.other_than
            and (not self.corpora or corpus in self.corpora)
            and (not self.systems or system in self.systems)
        )

    def is_kept(self, value: Any) -> bool:
        """Whether a recipe's value is the paper's."""
        if isinstance(self.value, str) and self.key == "embedding.vectors":
            files = [value] if isinstance(value, str) else list(value or ())
            return bool(files) and all(PurePath(file).name.startswith(self.value) for file in files)
        return bool(value == self.value)


SHEN, ZHOU, WU, LIU, GUPTA = "Shen, Deng", "Zhou, Liu", "Wu, Zhang", "Liu, Chang", "Gupta, Zhang"
KIM = "Kim, Choi"

_EMBEDDINGS = "In all experiments, we initialize word embeddings with 300-dimensional Glove 840B vectors"
_TUNED = "We only fine-tune word embeddings on SST during training"
_TENG = "the code of Teng and Zhang: AdamTrainer, alpha = 0.001"
_RATE = "We use AdaGrad optimizer with an initial learning rate of 0.05"
_DROPOUT = "We apply dropout on both embedding and output layer with a dropout rate of 0.5"
_FURTHER = (
    "Recurrent dropout with a dropout rate of 0.25 for main networks is applied for sentence classification and 3e-5 "
    "L2-regularization is applied for text semantic matching"
)
_CONFIGS = "Table 1: The training configs"
_SGD = "stochastic gradient descent (SGD) algorithm with an equal learning rate 0.02 for all layers"
_FIXED = "initialized the word embeddings with 300-dimensional Glove vectors; the word embeddings were held fixed"
_WITHOUT = "We incorporated a learning rate of 0.025 and regularization penalty of 10^-4 without dropout"
_SUPPLEMENT = "table 4 of the supplement"
_COLUMNS = ("encoder.tag_dim", "encoder.hidden", "task.hidden", "training.epochs", "optimiser.weight_decay")
_OF_CORPORA = (
    ("sst2", 50, 100, 500, 20, 1e-5),
    ("sst", 100, 300, 1200, 10, 5e-6),
    ("mr", 25, 100, 500, 30, 1e-5),
    ("subj", 25, 150, 1000, 40, 2e-5),
    ("trec", 50, 300, 800, 40, 5e-5),
)

SETTINGS = (
    Setting(SHEN, "embedding.vectors", "glove.840B.300d", _EMBEDDINGS),
    Setting(SHEN, "embedding.dim", 300, _EMBEDDINGS),
    Setting(SHEN, "embedding.tune", True, _TUNED, corpora=("sst", "sst2")),
    Setting(SHEN, "embedding.tune", False, _TUNED, but=("sst", "sst2")),
    Setting(SHEN, "optimiser.name", "adagrad", _RATE, other_than=QUOTED),
    Setting(SHEN, "optimiser.lr", 0.05, _RATE, other_than=QUOTED),
    Setting(SHEN, "optimiser.name", "adam", _TENG, systems=QUOTED),
    Setting(SHEN, "optimiser.lr", 0.001, _TENG, systems=QUOTED),
    Setting(SHEN, "optimiser.embedding_lr_scale", 1.0, _RATE, corpora=("sst", "sst2")),
    Setting(SHEN, "optimiser.weight_decay", 0.0, _FURTHER, but=PAIR_CORPORA),
    Setting(SHEN, "optimiser.weight_decay", 3e-5, _FURTHER, corpora=PAIR_CORPORA),
    Setting(SHEN, "training.batch_size", 50, "The minibatch size is always 50"),
    Setting(SHEN, "embedding.dropout", 0.5, _DROPOUT),
    Setting(SHEN, "task.dropout", 0.5, _DROPOUT),
    Setting(SHEN, "encoder.recurrent_dropout", 0.25, _FURTHER, but=PAIR_CORPORA, systems=TAG_GUIDED),
    Setting(SHEN, "encoder.recurrent_dropout", 0.0, _FURTHER, corpora=PAIR_CORPORA, systems=TAG_GUIDED),
    Setting(
        SHEN,
        "encoder.hidden",
        150,
        "The hidden size of main networks h is 150",
        systems=(*TAG_GUIDED, "recnn", "tree-lstm"),
    ),
    Setting(SHEN, "encoder.hyper", 50, "The hidden size of hyper networks is 50", systems=TAG_GUIDED),
    Setting(SHEN, "encoder.fusion_size", 100, "the input size of hyper networks is 100", systems=TAG_GUIDED),
    Setting(SHEN, "encoder.tag_dim", 50, "The dimension of tag embedding is 50", systems=TAG_GUIDED),
    Setting(
        SHEN,
        "encoder.head_in_main",
        False,
        "eq. 10 and 16: x is the word vector at leaves and zero at internal nodes",
        systems=("tg-htreelstm-concat", "tg-htreelstm-multi"),
    ),
    Setting(
        SHEN, "task.nonlinearity", "relu", "a network of one hidden layer with ReLU activation", corpora=PAIR_CORPORA
    ),
    #
    Setting(ZHOU, "embedding.vectors", "glove", f"{_CONFIGS}: word vectors Glove"),
    Setting(ZHOU, "embedding.dim", 300, f"{_CONFIGS}: dims of word vectors 300"),
    Setting(ZHOU, "encoder.hidden", 150, f"{_CONFIGS}: dims of hidden state 150"),
    Setting(ZHOU, "encoder.att_transform", True, "below eq. 4: h~ = tanh(W_a g + b_a)", systems=ATTENTIVE),
    Setting(ZHOU, "encoder.output_gate", True, "eq. 2: h = o * tanh(c)", systems=("tree-lstm", "attentive-tree-lstm")),
    Setting(ZHOU, "optimiser.name", "adagrad", f"{_CONFIGS}: optim method Adagrad"),
    Setting(ZHOU, "optimiser.lr", 0.05, f"{_CONFIGS}: learning rate 0.05"),
    Setting(ZHOU, "optimiser.weight_decay", 1e-4, "a per-minibatch L2 regularization strength of 10^-4"),
    Setting(ZHOU, "training.batch_size", 25, f"{_CONFIGS}: batch size 25"),
    Setting(ZHOU, "training.epochs", 10, "We train our models for 10 epochs"),
    Setting(ZHOU, "task.dropout", 0.5, "The dropout is used at the classifier with a dropout rate 0.5"),
    Setting(ZHOU, "embedding.dropout", 0.0, "The dropout is used at the classifier"),
    Setting(
        ZHOU,
        "corpus.version",
        "ck12v0",
        "evidence sentence extracted from a collection of CK12 textbooks",
        corpora=("ai2",),
    ),
    #
    Setting(
        WU, "embedding.vectors", "glove", "initialize word embeddings with the pre-trained 200-dimensional vectors"
    ),
    Setting(WU, "embedding.dim", 200, "The dimension of the word embeddings is 200"),
    Setting(WU, "embedding.lower", True, "all words are lowercased"),
    Setting(WU, "embedding.fold_digits", True, "All digits are mapped into the same digit '9'"),
    Setting(WU, "graph", "window-4", "For MLPs, we use a window size of 4", systems=("mlp", "mlp-plain")),
    Setting(
        WU,
        "graph",
        "window-1",
        "for vanilla RNNs and gated RNNs, a window size of 1 is enough",
        other_than=("mlp", "mlp-plain", *WINDOW_SIZES),
    ),
    Setting(
        WU, "encoder.options.cap_dim", 5, "The size of character embedding and capitalization embeddings are set to 5"
    ),
    Setting(
        WU,
        "encoder.options.character_dim",
        5,
        "The size of character embedding and capitalization embeddings are set to 5",
        other_than=("stacked-bilstm-no-characters",),
    ),
    Setting(
        WU,
        "encoder.hidden",
        512,
        "The number of cells of the stacked bi-LSTM is set to 512",
        systems=STACKED,
    ),
    Setting(WU, "optimiser.name", "sgd", _SGD),
    Setting(WU, "optimiser.lr", 0.02, _SGD),
    Setting(WU, "optimiser.embedding_lr_scale", 1.0, _SGD),
    Setting(WU, "optimiser.momentum", 0.0, "We also tried other optimization methods, such as momentum"),
    Setting(WU, "optimiser.weight_decay", 0.0, "Dropout is the only regularizer in our model"),
    Setting(
        WU,
        "embedding.dropout",
        0.0,
        "dropout on words is superior to dropout on word embeddings: that is a row of its own",
        other_than=("stacked-bilstm-embedding-dropout",),
    ),
    Setting(WU, "training.batch_size", 1, "the parameters will be updated on every training sequences, one at a time"),
    Setting(WU, "training.clip", None, "Gradient clipping is not used"),
    Setting(WU, "encoder.options.dropout_style", "classic", "At test time, weights are scaled with a factor"),
    Setting(
        WU,
        "encoder.options.gate_dropout",
        0.5,
        "We add a dropout mask to our filter gate with a drop rate 0.5",
        other_than=(
            *(f"{system}-plain" for system in ("mlp", "elman", "jordan", "lstm", "bilstm", "stacked-bilstm")),
            *("jordan-sgd-plain", "stacked-bilstm-sgd-plain"),
            *(NO_WINDOW, "lstm-no-window"),
            *("stacked-bilstm-embedding-dropout", "stacked-bilstm-no-gate-dropout", "lstm-no-gate-dropout"),
        ),
    ),
    Setting(
        WU,
        "task.dropout",
        0.5,
        "We also apply dropout to the output of the hidden layer with a 0.5 drop rate",
        other_than=JORDAN,
    ),
    Setting(
        WU,
        "encoder.dropout",
        0.5,
        "the same; Jordan's network has its own output layer",
        systems=JORDAN,
    ),
    Setting(
        WU,
        "encoder.between_layers",
        0.5,
        "the same, of the lower of two layers",
        systems=STACKED,
    ),
    #
    Setting(
        LIU, "optimiser.name", "adadelta", "we use stochastic gradient descent with the diagonal variant of AdaDelta"
    ),
    Setting(LIU, "embedding.vectors", "glove", "The word embeddings for all of the models are initialized with GloVe"),
    Setting(LIU, "task.crf", True, "eq. 7, a linear-chain CRF for node-level tasks", corpora=TAGGING),
    #
    Setting(GUPTA, "embedding.vectors", "glove", _FIXED),
    Setting(GUPTA, "embedding.dim", 300, _FIXED),
    Setting(GUPTA, "embedding.tune", False, _FIXED),
    Setting(GUPTA, "embedding.dropout", 0.0, _WITHOUT),
    Setting(GUPTA, "task.dropout", 0.0, _WITHOUT),
    Setting(GUPTA, "optimiser.name", "adagrad", "different optimizers, among which AdaGrad performed the best"),
    Setting(GUPTA, "optimiser.lr", 0.025, _WITHOUT, other_than=BASES),
    Setting(GUPTA, "optimiser.lr", 0.05, "the released code of the base systems", systems=BASES),
    Setting(GUPTA, "optimiser.weight_decay", 1e-4, _WITHOUT),
    Setting(GUPTA, "training.batch_size", 25, "the released code"),
    Setting(GUPTA, "training.epochs", 10, "the released code"),
    Setting(GUPTA, "encoder.hidden", 150, "the released code", systems=BASES),
    Setting(GUPTA, "encoder.structure.hidden", 150, "the released code", other_than=BASES),
    Setting(GUPTA, "task.hidden", 50, "the released code"),
    #
    *(
        Setting(KIM, key, value, _SUPPLEMENT, corpora=(corpus,))
        for corpus, *values in _OF_CORPORA
        for key, value in zip(_COLUMNS, values, strict=True)
    ),
    Setting(KIM, "encoder.normalise", True, f"beside {_SUPPLEMENT}: in the experiment on SST-5", corpora=("sst",)),
    Setting(KIM, "encoder.normalise", False, f"beside {_SUPPLEMENT}", but=("sst",)),
    Setting(KIM, "encoder.leaf", "lstm", "the released code: use_leafLSTM 1", but=PAIR_CORPORA),
    Setting(KIM, "embedding.vectors", "glove.840B.300d", "the released code", but=PAIR_CORPORA),
    Setting(KIM, "embedding.dim", 300, "the released code", but=PAIR_CORPORA),
    Setting(KIM, "training.batch_size", 64, _SUPPLEMENT, but=PAIR_CORPORA),
    Setting(KIM, "optimiser.name", "adadelta", _SUPPLEMENT, but=PAIR_CORPORA),
    Setting(KIM, "optimiser.lr", 1.0, _SUPPLEMENT, but=PAIR_CORPORA),
    Setting(KIM, "optimiser.embedding_lr_scale", 1.0, _SUPPLEMENT, but=PAIR_CORPORA),
    Setting(KIM, "embedding.tune", True, "the released code", but=PAIR_CORPORA),
    Setting(KIM, "embedding.dropout", 0.5, _SUPPLEMENT, but=PAIR_CORPORA),
    Setting(KIM, "task.dropout", 0.5, _SUPPLEMENT, but=PAIR_CORPORA),
)
