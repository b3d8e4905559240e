"""The examples of a store, read back: of every graph the parse that makes it, as far as the graph tells."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from dglsent.corpora.example import Example, Parsed
from dglsent.training.graphs import KINDS, GraphKind, of_tree
from graphs import fields
from graphs.columns import Constituency, Dependencies, IntArray, Tagged
from graphs.errors import InputError, Origin
from graphs.features import SPECIAL, tag_column
from graphs.store import Store
from graphs.store_shard import DST, ENCODED, PAIR_RELATION, SRC, Shard

_WORD, _TAG, _LABEL = (f"node.{name}" for name in (fields.WORD, fields.TAG, fields.LABEL))
_POSITION, _RELATION = f"node.{fields.POSITION}", f"edge.{fields.RELATION}"
_ROOT = "root"  # the relation of a word without a head, which no edge keeps


def read_back(store: Store, split: str, limit: int | None = None) -> list[Example]:
    """The examples of a split, which built again have the graphs of the store.

    What these do not hold is gone: lemmas and features, the parse of a chain or a window, the relation of a root, and
    of which kind a tag was.

    Args:
        store: the store.
        split: the name of the split.
        limit: only so many examples, the first ones.

    Raises:
        InputError: there is no such split, or the graphs are of one's own kind, which tell no parse.
    """
    kind, width = store.manifest["graph"], store.manifest["sentences"]
    if kind not in KINDS:
        raise InputError(
            f"{store.path}: holds graphs of one's own, {kind}, which tell no parse; train the recipe on its corpus, "
            "and not on a store"
        )
    if split not in store.splits:
        raise InputError(f"{store.path}: no split {split!r}; there are {', '.join(store.splits)}")
    found: list[Example] = []
    for shard in store.splits[split].shards:
        reader = _Reader(shard, kind, store.manifest["labels"])
        for row in range(0, len(shard), width):
            if len(found) == limit:
                return found
            found.append(reader.example(range(row, row + width)))
    return found


class _Reader:
    """Makes examples of the rows of a shard."""

    def __init__(self, shard: Shard, kind: GraphKind, labels: Sequence[str]) -> None:
        self._shard, self._kind = shard, kind
        self._texts = {name: shard.texts(name) for name in ("example", "file", "line", "sentence", "groups")}
        self._names = {column: shard.strings(column) for column in (*ENCODED, PAIR_RELATION) if column in shard.schema}
        self._classes = shard.classes(labels)

    def example(self, rows: Sequence[int]) -> Example:
        """The example of one row, or of the two of a pair."""
        sentences = tuple(self._parsed(row) for row in rows)
        groups = frozenset(self._texts["groups"][rows[0]])
        return Example(sentences, self._targets(rows[0]), self._texts["example"][rows[0]], groups)

    def _targets(self, row: int) -> dict[str, int | float]:
        targets = {name: self._shard.values(f"target.{name}")[row].item() for name in self._shard.names("target")}
        if "label" in targets and self._classes is not None:
            targets["label"] = int(self._classes[targets["label"]])
        return targets

    def _parsed(self, row: int) -> Parsed:
        origin = Origin(*(self._texts[name][row] for name in ("file", "line", "sentence")))
        words, tags, labels = self._of_nodes(row)
        if of_tree(self._kind):
            return self._tree(row, words, tags, labels, origin)
        if self._kind == "dependency" or PAIR_RELATION in self._shard.schema:
            head, relation = self._arcs(row, len(words)) if self._kind == "dependency" else self._pairs(row, len(words))
            tree = Dependencies(words, head, relation, xpos=tag_column(tags), origin=origin)
            # Only the trees of a document stand apart in a dependency graph.
            tree.forest = self._kind == "dependency" and int((head < 0).sum()) > 1
            return Parsed(dependencies=tree, labels=labels)
        tokens = Tagged(words, {"pos": tag_column(tags)}, origin)
        return Parsed(unparsed=tokens, labels=labels)

    def _of_nodes(self, row: int) -> tuple[list[str], list[str], list[int] | None]:
        """The words of the tokens; tags and classes of the nodes, without the padding node of a window."""
        position = self._list(_POSITION, row)
        nodes = np.arange(len(position)) if of_tree(self._kind) else np.flatnonzero(position >= 0)
        labels = self._list(_LABEL, row)[nodes] if _LABEL in self._shard.schema else None
        if labels is not None and self._classes is not None:
            labels = self._classes[labels]
        words, tags = self._strings(_WORD, row, np.flatnonzero(position >= 0)), self._strings(_TAG, row, nodes)
        return words, tags, None if labels is None else labels.tolist()

    def _arcs(self, row: int, size: int) -> tuple[IntArray, list[str]]:
        """Heads and relations of the words of a dependency graph."""
        head, relation = np.full(size, -1), [_ROOT] * size
        src = self._list(SRC, row)
        head[src] = self._list(DST, row)
        names = self._names[_RELATION]
        for word, name in zip(src.tolist(), self._list(_RELATION, row).tolist(), strict=True):
            relation[word] = names[name] if name >= len(SPECIAL) else "_"
        return head, relation

    def _pairs(self, row: int, size: int) -> tuple[IntArray, list[str]]:
        """The same of what each word of a complete graph is to each (`graphs.complete_graphs.token_relations`)."""
        head, relation = np.full(size, -1), [_ROOT] * size
        names = self._names[PAIR_RELATION]
        what = self._list(PAIR_RELATION, row).reshape(size, size)
        for receiver, sender in np.argwhere(what < len(names) // 2 - 1).tolist():
            name = int(what[receiver, sender])
            head[sender], relation[sender] = receiver, names[name] if name >= len(SPECIAL) else "_"
        return head, relation

    def _tree(
        self, row: int, words: Sequence[str], tags: Sequence[str], labels: list[int] | None, origin: Origin
    ) -> Parsed:
        """A tree, or those of a document as its parts."""
        parent = np.full(len(tags), -1)
        parent[self._list(SRC, row)] = self._list(DST, row)
        token = iter(words)
        word = [next(token) if position >= 0 else None for position in self._list(_POSITION, row).tolist()]
        begins = [*np.flatnonzero(parent < 0).tolist(), len(parent)]
        trees = [
            Constituency(tags[a:b], word[a:b], np.where(parent[a:b] < 0, -1, parent[a:b] - a), origin)
            for a, b in itertools.pairwise(begins)
        ]
        if len(trees) > 1:
            return Parsed(unparsed=Tagged(words, origin=origin), parts=[Parsed(constituency=tree) for tree in trees])
        return Parsed(constituency=trees[0], labels=labels)

    def _list(self, column: str, row: int) -> IntArray:
        """The values of a column of a sentence."""
        begin, end = self._shard.offsets(column)[row : row + 2]
        values: IntArray = self._shard.values(column)[begin:end].astype(np.int64)
        return values

    def _strings(self, column: str, row: int, nodes: IntArray) -> list[str]:
        """The strings of a column at some nodes, "" where there is none."""
        names = self._names[column]
        return [names[name] if name >= len(SPECIAL) else "" for name in self._list(column, row)[nodes].tolist()]
