"""Words of options that are none: from Python nothing else looks at them, and another model would be made."""

from __future__ import annotations

from functools import partial

import pytest
from agreement import build
from random_graphs import TAGS

from dglsent.models.cn3 import CN3
from dglsent.models.decomposable_attention import DecomposableAttention
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.sata_tree_lstm import SATATreeLSTM
from dglsent.models.self_attention import Transformer
from dglsent.models.sequence import BiLSTM
from dglsent.models.tag_guided import TagGuidedHyperTreeLSTM
from dglsent.models.tree_lstm import BinaryTreeLSTM, ChildSumTreeLSTM
from dglsent.nn.node_attributes import Attributes, NodeAttributes
from dglsent.tasks.pair_classification import PairClassification
from dglsent.tasks.relatedness import Relatedness
from dglsent.tasks.tagging import Tagging
from graphs.errors import InputError


def characters(**options):
    return NodeAttributes(Attributes(**options))


OPTIONS = [
    (partial(build, CN3), "context"),
    (partial(build, CN3), "scorer"),
    (partial(build, CN3), "update"),
    (partial(build, Transformer), "positions"),
    (partial(build, BinaryTreeLSTM), "leaf_cell"),
    (partial(build, ChildSumTreeLSTM), "const_bias"),
    (partial(build, BiLSTM), "bilstm_readout"),
    (partial(build, SATATreeLSTM, tags=TAGS), "leaf"),
    (partial(build, TagGuidedHyperTreeLSTM, tags=TAGS), "z_scope"),
    (partial(build, TagGuidedHyperTreeLSTM, tags=TAGS), "fusion"),
    (partial(build, ProgressiveAttention, ChildSumTreeLSTM), "pa_mix"),
    (partial(build, DecomposableAttention, ChildSumTreeLSTM), "mda_G"),
    (characters, "characters"),
    (partial(Tagging, 4, ["B-X", "O"]), "score"),
    (partial(PairClassification, 4, 2), "target"),
    (partial(PairClassification, 4, 2), "binary_head"),
    (partial(PairClassification, 4, 2), "features"),
    (partial(PairClassification, 4, 2), "nonlinearity"),
    (partial(Relatedness, 4), "kl_reduction"),
]


@pytest.mark.parametrize(("make", "option"), OPTIONS, ids=lambda value: value if isinstance(value, str) else "")
def test_they_are_refused(make, option):
    make()
    with pytest.raises(InputError, match=f"{option} is 'sometimes'; use '"):
        make(**{option: "sometimes"})
