"""Which child heads a phrase: Collins's rules for Penn Treebank labels.

Source: Michael Collins, Head-Driven Statistical Models for Natural Language Parsing (1999), appendix A.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from graphs.columns import Constituency, IntArray
from graphs.errors import SentenceError
from graphs.trees import children, ordered_parents, require_one, require_pre_order, require_words, spans_below

# The children are searched for each wanted label in turn, from the first child on or from the last one back.
_FORWARD = {
    "ADJP": "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB",
    "INTJ": "",
    "NAC": "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW",
    "PRN": "",
    "QP": "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS",
    "S": "TO IN VP S SBAR ADJP UCP NP",
    "SBAR": "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG",
    "SBARQ": "SQ S SINV SBARQ FRAG",
    "SINV": "VBZ VBD VBP VB MD VP S SINV ADJP NP",
    "SQ": "VBZ VBD VBP VB MD VP SQ",
    "VP": "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP",
    "WHADJP": "CC WRB JJ ADJP",
    "WHNP": "WDT WP WP$ WHADJP WHPP WHNP",
}
_BACKWARD = {
    "ADVP": "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN",
    "CONJP": "CC RB IN",
    "FRAG": "",
    "LST": "LS :",
    "PP": "IN TO VBG VBN RP FW",
    "PRT": "RP",
    "RRC": "VP NP ADVP ADJP PP",
    "UCP": "",
    "WHADVP": "CC WRB",
    "WHPP": "IN TO FW",
}
_RULES = {label: (1, wanted.split()) for label, wanted in _FORWARD.items()}
_RULES |= {label: (-1, wanted.split()) for label, wanted in _BACKWARD.items()}

# Noun phrases have their own rules: sets of labels that are equally good, each with its direction.
_NOUN_PHRASES = {"NP", "NX", "NML"}
_NOUN_RULES = [
    (-1, {"NN", "NNP", "NNPS", "NNS", "NX", "NML", "POS", "JJR"}),
    (1, {"NP"}),
    (-1, {"$", "ADJP", "PRN"}),
    (-1, {"CD"}),
    (-1, {"JJ", "JJS", "RB", "QP"}),
]

_PUNCTUATION = {",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "-NONE-"}


def bare_label(label: str) -> str:
    """A label without functional tags and indices: "NP" of "NP-SBJ-1", "NP=2" and "NP"; "-LRB-" stays."""
    return label[:1] + re.split("[-=]", label[1:], maxsplit=1)[0] if label[:1] not in "-=" else label


def head_child(label: str, below: Sequence[str]) -> int:
    """The place of the head among the children of a phrase.

    Args:
        label: label of the phrase; functional tags do not matter.
        below: labels of its children, left to right, at least one.
    """
    names = [bare_label(name) for name in below]
    # Collins takes punctuation out of the trees beforehand: it heads nothing but a phrase made of it.
    able = [place for place, name in enumerate(names) if name not in _PUNCTUATION] or list(range(len(names)))
    head = _search(bare_label(label), names, able)
    rank = able.index(head)
    if rank >= 2 and names[able[rank - 1]] == "CC":  # a coordination is headed by what stands before it
        return able[rank - 2]
    return head


def head_children(tree: Constituency) -> list[int]:
    """[N] index of the child that heads each phrase, the node itself at a leaf.

    Raises:
        SentenceError: `ordered_parents` refuses the tree.
    """
    below = children(ordered_parents(tree))
    return heads_below(tree.label, below)


def heads_below(label: Sequence[str], below: Sequence[Sequence[int]]) -> list[int]:
    """[N] the same of labels [N] and the children of each node."""
    return [
        kids[head_child(label[node], [label[kid] for kid in kids])] if kids else node for node, kids in enumerate(below)
    ]


def head_children_collapsed(tree: Constituency, collapsed: Constituency) -> list[int]:
    """[M] the same for a tree of M nodes whose unary chains were collapsed: by the labels that it had before.

    Args:
        tree: as it was.
        collapsed: what `transforms.collapse_unary` made of it.

    Raises:
        SentenceError: it made it of another tree, or of a broken one.
    """
    parent, above = ordered_parents(tree), ordered_parents(collapsed)
    span = spans_below(tree, parent)
    heads, extent = heads_below(tree.label, children(parent)), [*map(tuple, span.tolist())]
    # Of the nodes over the same words one alone has several children, the lowest.
    head = {extent[node]: extent[heads[node]] for node in range(len(tree)) if extent[heads[node]] != extent[node]}
    below = [*map(tuple, spans_below(collapsed, above).tolist())]
    found = [
        next((kid for kid in kids if below[kid] == head.get(below[node])), -1) if kids else node
        for node, kids in enumerate(children(above))
    ]
    if -1 in found or tree.words != collapsed.words:
        require_words(tree, parent)  # of a broken tree that is what to say
        require_pre_order(parent, span, tree.origin)
        raise SentenceError(
            "the collapsed tree was not made of this one; give what transforms.collapse_unary makes of it", tree.origin
        )
    return found


def constituency_to_heads(tree: Constituency) -> IntArray:
    """[tokens] head of each token, -1 at the root: a phrase's other children hang on its head child.

    Raises:
        SentenceError: there are several trees, or `trees.parents` refuses the tree.
    """
    above = require_one(tree)
    require_words(tree, above)
    parent, head_of = above.tolist(), heads_below(tree.label, children(above))
    token = (np.cumsum([word is not None for word in tree.word]) - 1).tolist()
    lexical = [0] * len(tree)  # the token that heads each node
    for node in range(len(tree) - 1, -1, -1):
        lexical[node] = token[node] if tree.word[node] is not None else lexical[head_of[node]]
    head = np.full(token[-1] + 1, -1, dtype=np.int64)
    for node in range(1, len(tree)):
        if head_of[parent[node]] != node:
            head[lexical[node]] = lexical[parent[node]]
    return head


def _search(label: str, names: list[str], able: list[int]) -> int:
    if label in _NOUN_PHRASES:
        for direction, wanted_set in _NOUN_RULES:
            for place in able[::direction]:
                if names[place] in wanted_set:
                    return place
        return able[-1]
    direction, wanted = _RULES.get(label, (1, []))
    for want in wanted:
        for place in able[::direction]:
            if names[place] == want:
                return place
    return able[::direction][0]
