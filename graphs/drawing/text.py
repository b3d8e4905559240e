"""Trees as plain text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graphs.columns import Constituency, Dependencies
from graphs.drawing.given import wants
from graphs.drawing.letters import cells
from graphs.errors import SentenceError
from graphs.features import tags
from graphs.trees import heads, ordered_parents

_WIDEST: Final = 100  # column past which notes no longer line up


def tree_text(tree: Constituency, notes: Sequence[str] | None = None) -> str:
    """A constituency tree as lines of text, one for each node, children under their parent.

    Args:
        tree: a tree of N nodes.
        notes: [N] a note to the right of each node, "" for none.

    Raises:
        SentenceError: the tree is empty or broken, or there are not N notes.
        InputError: `tree` is no tree.
    """
    wants(tree, Constituency, "tree_text", "constituency trees, such as graphs.read_brackets gives")
    parents = ordered_parents(tree).tolist()
    if notes is not None and len(notes) != len(tree):
        raise SentenceError(f"{len(notes)} notes for {len(tree)} nodes; give one for each", tree.origin)
    last = {parent: node for node, parent in enumerate(parents)}  # parent -> its last child
    depth: list[int] = []
    open_bars: list[str] = []  # what stands to the left of a node, for each depth above it
    lines = []
    for node, parent in enumerate(parents):
        name = " ".join(part for part in (tree.label[node], tree.word[node]) if part) or "·"
        if parent < 0:
            depth.append(0)
            lines.append(name)
            continue
        depth.append(depth[parent] + 1)
        del open_bars[depth[parent] :]
        lines.append("".join(open_bars) + ("└─ " if last[parent] == node else "├─ ") + name)
        open_bars.append("   " if last[parent] == node else "│  ")
    if notes is None:
        return "\n".join(lines) + "\n"
    column = min(max(map(_cells, lines)), _WIDEST)
    return "".join(f"{_padded(line, column)}  {note}".rstrip() + "\n" for line, note in zip(lines, notes, strict=True))


def dependencies_text(sentence: Dependencies) -> str:
    """A dependency tree as a table: one line for each token, with its tag, its relation and its head.

    Raises:
        InputError: `sentence` is something else.
        SentenceError: a head is out of range.
    """
    wants(sentence, Dependencies, "dependencies_text", "dependency trees, such as graphs.read_conllu gives")
    rows = [("#", "word", "tag", "relation", "head")]
    for number, (word, tag, relation, head) in enumerate(
        zip(sentence.word, tags(sentence), sentence.relation, heads(sentence).tolist(), strict=True), 1
    ):
        # A root has no arrow: that and its relation say what it is.
        to = f"→ {head + 1} {sentence.word[head]}" if head >= 0 else ""
        rows.append((str(number), word, tag or "", relation, to))
    wide = [max(map(_cells, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            [
                row[0].rjust(wide[0]),
                *(_padded(cell, width) for cell, width in zip(row[1:], wide[1:], strict=True)),
            ]
        ).rstrip()
        + "\n"
        for row in rows
    )


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))


def _cells(text: str) -> int:
    return sum(map(cells, text))
