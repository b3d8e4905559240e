"""Binary trees that are made in another way than those of `graph: constituency`."""

from __future__ import annotations

from typing import Literal

from dglsent.training.graphs import OwnGraph
from graphs.builders import constituency
from graphs.columns import Constituency, Sentence
from graphs.errors import check_choice
from graphs.features import Vocabularies
from graphs.heads import head_children_collapsed
from graphs.sentence_graph import SentenceGraph
from graphs.transforms import binarise, collapse_unary


class BinarisedTree(OwnGraph):
    """A constituency tree whose unary chains are collapsed, binarised as its arguments say.

    Trees whose nodes have gold classes, as those of SST and of the built-in reviews, stay as they are, whatever the
    arguments; so do trees that are binary already.

        graph: {class_path: BinarisedTree, init_args: {branching: head, label: at}}

    Args:
        branching: "right", as in `graph: constituency`, "left", or "head", which goes out from the head child.
        label: label of a phrase that is made under X: X itself ("parent"), or "@X" ("at"), a tag of its own.

    Raises:
        InputError: an argument is none of its choices.
    """

    reads = "constituency-nary"

    def __init__(
        self,
        branching: Literal["left", "right", "head"] = "right",
        label: Literal["parent", "at"] = "parent",
    ) -> None:
        check_choice("branching", branching, ("left", "right", "head"))
        check_choice("label", label, ("parent", "at"))
        self.branching, self.label = branching, label

    def prepare(self, sentence: Sentence) -> Sentence:
        """The tree, made binary."""
        assert isinstance(sentence, Constituency)
        collapsed = collapse_unary(sentence)
        heads = head_children_collapsed(sentence, collapsed) if self.branching == "head" else None
        return binarise(collapsed, self.branching, self.label, heads=heads)

    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        """Its graph."""
        assert isinstance(sentence, Constituency)
        return constituency(sentence, vocabularies, binary=True)
