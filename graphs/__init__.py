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

_MODULES = {
    "batching": "batch batch_pairs",
    "builders": "chain constituency dependency over_words",
    "complete_graphs": "complete",
    "converters": "from_nltk from_spacy from_stanza",
    "drawing": (
        "arcs_svg attention_svg dependencies_svg dependencies_text graph_svg "
        "heat_svg pair_svg tree_svg tree_text window_svg"
    ),
    "features": "Vocabularies Vocabulary",
    "formats.brackets": "parse_brackets read_brackets",
    "formats.ccgbank": "read_auto read_auto_trees",
    "formats.columns": "read_columns",
    "formats.conllu": "parse_conllu read_conllu",
    "formats.pipes": "read_pipes",
    "networkx_bridge": "from_dgl from_networkx to_networkx",
    "parsing": "parse",
    "sentence_graph": "SentenceGraph",
    "tagging": "tag",
    "token_vectors": "TokenVectors mean_of_pieces with_vectors",
    "vectors": "read_vectors",
    "windows": "window",
}
_HOMES = {name: f"graphs.{module}" for module, names in _MODULES.items() for name in names.split()}

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
