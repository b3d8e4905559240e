"""Parsed text in, DGLGraph out.

    >>> import graphs
    >>> trees = graphs.parse_brackets("(S (NP (DT the) (NN film)) (VP (VBD worked)))")
    >>> vocabularies = graphs.Vocabularies.of(trees)
    >>> graphs.constituency(trees[0], vocabularies).dgl().num_nodes()
    6

The names below are loaded when first used, so that `import graphs` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphs.batching import batch, batch_pairs
    from graphs.builders import chain, constituency, dependency, over_words
    from graphs.complete_graphs import complete
    from graphs.converters import from_nltk, from_spacy, from_stanza
    from graphs.drawing import (
        arcs_svg,
        attention_svg,
        dependencies_svg,
        dependencies_text,
        graph_svg,
        heat_svg,
        pair_svg,
        tree_svg,
        tree_text,
        window_svg,
    )
    from graphs.features import Vocabularies, Vocabulary
    from graphs.formats.brackets import parse_brackets, read_brackets
    from graphs.formats.ccgbank import read_auto, read_auto_trees
    from graphs.formats.columns import read_columns
    from graphs.formats.conllu import parse_conllu, read_conllu
    from graphs.formats.pipes import read_pipes
    from graphs.networkx_bridge import from_dgl, from_networkx, to_networkx
    from graphs.parsing import parse
    from graphs.sentence_graph import SentenceGraph
    from graphs.tagging import tag
    from graphs.token_vectors import TokenVectors, mean_of_pieces, with_vectors
    from graphs.vectors import read_vectors
    from graphs.windows import window

_HOMES = {
    "arcs_svg": "graphs.drawing",
    "attention_svg": "graphs.drawing",
    "batch": "graphs.batching",
    "batch_pairs": "graphs.batching",
    "chain": "graphs.builders",
    "complete": "graphs.complete_graphs",
    "constituency": "graphs.builders",
    "dependency": "graphs.builders",
    "from_nltk": "graphs.converters",
    "from_spacy": "graphs.converters",
    "from_stanza": "graphs.converters",
    "dependencies_svg": "graphs.drawing",
    "dependencies_text": "graphs.drawing",
    "graph_svg": "graphs.drawing",
    "heat_svg": "graphs.drawing",
    "pair_svg": "graphs.drawing",
    "tree_svg": "graphs.drawing",
    "tree_text": "graphs.drawing",
    "window_svg": "graphs.drawing",
    "Vocabularies": "graphs.features",
    "Vocabulary": "graphs.features",
    "parse_brackets": "graphs.formats.brackets",
    "read_brackets": "graphs.formats.brackets",
    "read_auto": "graphs.formats.ccgbank",
    "read_auto_trees": "graphs.formats.ccgbank",
    "read_columns": "graphs.formats.columns",
    "parse_conllu": "graphs.formats.conllu",
    "read_conllu": "graphs.formats.conllu",
    "read_pipes": "graphs.formats.pipes",
    "from_dgl": "graphs.networkx_bridge",
    "from_networkx": "graphs.networkx_bridge",
    "to_networkx": "graphs.networkx_bridge",
    "parse": "graphs.parsing",
    "SentenceGraph": "graphs.sentence_graph",
    "tag": "graphs.tagging",
    "TokenVectors": "graphs.token_vectors",
    "mean_of_pieces": "graphs.token_vectors",
    "with_vectors": "graphs.token_vectors",
    "over_words": "graphs.builders",
    "read_vectors": "graphs.vectors",
    "window": "graphs.windows",
}

__all__ = [
    "SentenceGraph",
    "TokenVectors",
    "Vocabularies",
    "Vocabulary",
    "arcs_svg",
    "attention_svg",
    "batch",
    "batch_pairs",
    "chain",
    "complete",
    "constituency",
    "dependencies_svg",
    "dependencies_text",
    "dependency",
    "from_dgl",
    "from_networkx",
    "from_nltk",
    "from_spacy",
    "from_stanza",
    "graph_svg",
    "heat_svg",
    "mean_of_pieces",
    "over_words",
    "pair_svg",
    "parse",
    "parse_brackets",
    "parse_conllu",
    "read_auto",
    "read_auto_trees",
    "read_brackets",
    "read_columns",
    "read_conllu",
    "read_pipes",
    "read_vectors",
    "tag",
    "to_networkx",
    "tree_svg",
    "tree_text",
    "window",
    "window_svg",
    "with_vectors",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphs' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
