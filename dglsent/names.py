"""The names under which dglsent's own classes stand in recipes and run folders, and where each is found today.

A run folder outlives the modules of its day: a class that moves keeps its name, and only its line moves here.
"""

from __future__ import annotations

_MODULES = {
    "corpora.ai2": "AI2",
    "corpora.built_in": "Reviews",
    "corpora.ccgbank": "CCGbank",
    "corpora.conll2000": "CoNLL2000",
    "corpora.conll2003": "CoNLL2003",
    "corpora.imdb": "IMDB",
    "corpora.labelled": "LabelledText LabelledTrees LabelledPairs TaggedColumns",
    "corpora.mr": "MR",
    "corpora.msrp": "MSRP",
    "corpora.msrpar": "MSRpar",
    "corpora.pmb": "PMB",
    "corpora.ptb_pos": "PTBPOS",
    "corpora.quora": "Quora",
    "corpora.quora_sample": "QuoraSample",
    "corpora.sick": "SICK",
    "corpora.snli": "SNLI",
    "corpora.sst": "SST",
    "corpora.stored": "Stored",
    "corpora.subj": "SUBJ",
    "corpora.trec": "TREC",
    "models.adamc_rnn": "AdaMCRNN AdaMCRNTN",
    "models.attentive_tree": "AttentiveTreeLSTM AttentiveTreeGRU",
    "models.bag_of_words": "BagOfWords",
    "models.bi_tree_lstm": "BiTreeLSTM",
    "models.cn3": "CN3",
    "models.cnn": "KimCNN",
    "models.decomposable_attention": "DecomposableAttention",
    "models.dynamic_compositional": "DCRecNN DCTreeLSTM",
    "models.dynamic_window": "WindowMLP WindowLSTM WindowBiLSTM",
    "models.elman": "SeqRNN",
    "models.lstmn": "LSTMN",
    "models.mv_rnn": "MVRNN",
    "models.pd_graph": "PDGraph",
    "models.progressive_attention": "ProgressiveAttention",
    "models.recnn": "RecNN",
    "models.rntn": "RNTN",
    "models.sata_tree_lstm": "SATATreeLSTM",
    "models.self_attention": "AttentiveBiLSTM Transformer",
    "models.sequence": "SeqLSTM SeqGRU BiLSTM",
    "models.tag_guided": "TagGuidedHyperRecNN TagGuidedHyperTreeLSTM",
    "models.te_lstm": "TELSTM",
    "models.te_rnn": "TERNN",
    "models.tg_rnn": "TGRNN",
    "models.tree_gru": "ChildSumTreeGRU",
    "models.tree_lstm": "BinaryTreeLSTM ChildSumTreeLSTM",
    "models.window_rnn": "WindowElman WindowJordan",
    "tasks.classification": "Classification",
    "tasks.pair_classification": "PairClassification",
    "tasks.question_answering": "QuestionAnswering",
    "tasks.relatedness": "Relatedness",
    "tasks.tagging": "Tagging",
    "training.binarised_tree": "BinarisedTree",
}

HOMES: dict[str, str] = {name: f"dglsent.{module}" for module, names in _MODULES.items() for name in names.split()}
"""The module of each name."""
