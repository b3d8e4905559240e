"""PDGraph: the layers of contextualised non-local networks over the edges of a dependency parse alone."""

from __future__ import annotations

from dglsent.models.cn3 import CN3
from dglsent.nn.context import Context
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.node_attributes import Attributes
from dglsent.nn.non_local import Scorer, Update
from graphs.features import Vocabularies
from graphs.fields import NEIGHBOUR


class PDGraph(CN3):
    """A word hears its head, its dependents and itself, and learns whom of them to listen to.

    A baseline in the paper of `CN3`. The weights of layer l are kept as the edge field `attention_l` of the relation
    `neighbour` of dependency trees.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the states.
        layers: number L of layers.
        context: "lstm", "cnn", "none" or "concat", as in CN3.
        attributes: attributes of words.
        scorer: "additive", "dot" or "bilinear", as in CN3.
        update: "interp" or "gru_like", as in CN3.
        tie_layers: one set of weights for all layers.
        vocabularies: those of the graphs, where attributes need them.

    Raises:
        InputError: an option is none of its choices, a size or `layers` is no whole number, or the vocabularies lack
            what attributes need.
        ValueError: `hidden` does not go with `context`.
    """

    relation = NEIGHBOUR

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 100,
        layers: int = 2,
        context: Context = "lstm",
        attributes: Attributes = Attributes(),  # noqa: B008  # frozen
        scorer: Scorer = "additive",
        update: Update = "interp",
        tie_layers: bool = False,
        vocabularies: Vocabularies | None = None,
    ) -> None:
        super().__init__(
            embedding,
            hidden,
            layers,
            context,
            attributes,
            scorer=scorer,
            update=update,
            tie_layers=tie_layers,
            vocabularies=vocabularies,
        )
