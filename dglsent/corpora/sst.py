"""The Stanford Sentiment Treebank: movie reviews as binary trees with a sentiment at every phrase.

Socher et al. 2013, "Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank". Its trees have no
syntactic labels; these come from parses of the same tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.parses import parsed
from graphs.columns import Constituency, Tagged
from graphs.errors import Origin, SentenceError, check_choice
from graphs.features import tag_column, tags
from graphs.formats.brackets import read_brackets
from graphs.formats.policy import Sentences
from graphs.transforms import drop_outer
from graphs.trees import spans

_FOLDERS = ("sst", "sst/trees", "trainDevTestTrees_PTB/trees", "trees", ".")
_SPLITS = ("train", "dev", "test")
_NEUTRAL = 2
_SEQUENCES = "corpus.phrases gives sequences of words; leave it out, trees learn their phrases anyway"
_POLARITY = {0: 0, 1: 0, 3: 1, 4: 1}


class SST(Corpus):
    """Sentences of film reviews as trees of labelled phrases: SST-1 (five classes) or SST-2 (negative and positive).

    In SST-2 sentences with a neutral root are left out of all splits. Where there are parses (`corpora.parses`), nodes
    have the tags of `tags_of` and sentences have dependencies. Where there are tags of words alone, only leaves have
    tags; otherwise all tags are "".

    Args:
        classes: 5 (SST-1) or 2 (SST-2).
        neutral_phrases: with two classes, "drop" leaves neutral phrases out of the loss; "third_class" makes
            them a class 2 that is learnt and never chosen, as the code released by Tai et al. does.
        tags: refuse to do without constituency parses, for models that read tags of phrases.
        phrases: training has, besides its sentences, each of their labelled phrases once, single words among them, as
            sequences of words: for chains and windows, which have no nodes to learn them at (Kim 2014; Tai et al.
            2015). The words of phrases count in vocabularies too.

    Raises:
        InputError: `classes` or `neutral_phrases` is none of its choices.
    """

    def __init__(
        self,
        classes: Literal[5, 2] = 5,
        neutral_phrases: Literal["drop", "third_class"] = "drop",
        tags: bool = False,
        phrases: bool = False,
    ) -> None:
        check_choice("classes", classes, (5, 2))
        check_choice("neutral_phrases", neutral_phrases, ("drop", "third_class"))
        self.classes = classes
        self.labels: Sequence[str] = (
            ("very negative", "negative", "neutral", "positive", "very positive")
            if classes == 5
            else ("negative", "positive")
        )
        self.tags, self.phrases = tags, phrases
        self._neutral = 2 if neutral_phrases == "third_class" else -1

    def load(self, data: Path) -> Splits:
        """Reads `train.txt`, `dev.txt` and `test.txt`, and parses `sst-{train,dev,test}` where there are any.

        Words are unescaped (`(` for `-LRB-`).
        """
        splits = {split: self._examples(data, split, trees) for split, trees in self._trees(data).items()}
        if self.phrases:
            splits["train"] += _phrases(splits["train"])
        return splits

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of the sentences by parse file; `_` stands for U+00A0."""
        return {
            f"sst-{split}": [[word.replace("\xa0", "_") for word in tree.words] for tree in trees]
            for split, trees in self._trees(data).items()
        }

    @staticmethod
    def _trees(data: Path) -> dict[str, Sentences[Constituency]]:
        files = {split: f"{split}.txt" for split in _SPLITS}
        layout = "{train,dev,test}.txt, or unpacked there trainDevTestTrees_PTB.zip of nlp.stanford.edu/sentiment"
        folder = require_folder(data, "SST", _FOLDERS, list(files.values()), layout)
        return {split: read_brackets(folder / file, unescape=True) for split, file in files.items()}

    def _examples(self, data: Path, split: str, trees: Sequence[Constituency]) -> list[Example]:
        sentences = parsed(data, "sst", f"sst-{split}", [tree.words for tree in trees])
        examples = []
        for number, (tree, sentence) in enumerate(zip(trees, sentences, strict=True), 1):
            sentiment = [self._sentiment(tree, node) for node in range(len(tree))]
            if sentence is None or (self.classes == 2 and sentiment[0] == _NEUTRAL):
                continue
            if self.classes == 2:
                sentiment = [_POLARITY.get(label, self._neutral) for label in sentiment]
            if self.tags and sentence.constituency is None:
                raise SentenceError(f"the model reads tags of phrases; {sentence.remedy}", tree.origin)
            # The numbers are gold labels, not tags: a model must not read them.
            tagged = Constituency(_tags(tree, sentence), tree.word, tree.parent, tree.origin)
            read = Parsed(tagged, sentence.dependencies, sentiment, remedy=sentence.remedy)
            examples.append(Example((read,), {"label": sentiment[0]}, f"{split}-{number}"))
        return examples

    @staticmethod
    def _sentiment(tree: Constituency, node: int) -> int:
        label = tree.label[node]
        if label not in ("0", "1", "2", "3", "4"):
            raise SentenceError(f"label {label!r} where SST has 0 to 4", tree.origin)
        return int(label)


def _phrases(examples: Iterable[Example]) -> list[Example]:
    """The labelled phrases within some sentences, those of the same words once, as sequences of words."""
    found: dict[tuple[str, ...], Example] = {}
    for example in examples:
        (sentence,) = example.sentences
        tree, labels = sentence.constituency, sentence.labels
        assert tree is not None
        assert labels is not None
        words, parse = tree.words, sentence.dependencies
        if parse:  # of a parser that may have cut words otherwise
            _require_as_many(len(parse), parse.origin, len(words), tree)
        pos = tag_column(tags(parse) if parse else tree.pos)
        for node, (start, end) in enumerate(spans(tree).tolist()):
            key = tuple(words[start:end])
            if node and labels[node] >= 0 and key not in found:
                read = Tagged(list(key), {"pos": pos[start:end]}, tree.origin)
                id_ = f"{example.id}-{start + 1}-{end}"
                found[key] = Example((Parsed(unparsed=read, remedy=_SEQUENCES),), {"label": labels[node]}, id_)
    return list(found.values())


def _tags(tree: Constituency, sentence: Parsed) -> list[str]:
    """Tags of the nodes of a tree: of its parse, or where there is none those of words that were tagged alone."""
    if sentence.constituency is not None:
        return tags_of(tree, sentence.constituency)
    found = [""] * len(tree)
    if sentence.unparsed is not None:
        leaves = [node for node, word in enumerate(tree.word) if word is not None]
        _require_as_many(len(sentence.unparsed), sentence.unparsed.origin, len(leaves), tree)
        for node, tag in zip(leaves, tags(sentence.unparsed), strict=True):
            found[node] = tag or ""
    return found


def tags_of(tree: Constituency, parse: Constituency) -> list[str]:
    """Tags of the nodes of a tree from a parse of the same words.

    A leaf has the part of speech of its word, a phrase the label of the smallest constituent that covers it, which
    where there is one with the same words is this; of a chain of single children, the label at its top.

    Args:
        tree: [N] nodes.
        parse: any tree over as many words; an outer ROOT counts for nothing.

    Returns:
        [N] tags.

    Raises:
        SentenceError: the parse has not as many words.
    """
    parse = drop_outer(parse)
    leaves = [node for node, word in enumerate(parse.word) if word is not None]
    first, end = spans(tree).T.tolist()
    _require_as_many(len(leaves), parse.origin, end[0], tree)
    above, label, extent = parse.parent.tolist(), parse.label, spans(parse).tolist()
    name = list(label)  # label at the top of each node's chain; parents come first in pre-order
    for node in range(1, len(parse)):
        if extent[node] == extent[above[node]]:
            name[node] = name[above[node]]
    tags = [""] * len(tree)
    cover = [0] * len(tree)  # the smallest constituent over each node of the tree
    for node in reversed(range(len(tree))):
        if tree.word[node] is not None:
            cover[node] = leaves[first[node]]
            tags[node] = label[cover[node]]
            continue
        # What covers a phrase covers its first child too, and that is the next node in pre-order.
        here = cover[node + 1]
        while extent[here][1] < end[node]:
            here = above[here]
        cover[node] = here
        tags[node] = name[here]
    return tags


def _require_as_many(words: int, origin: Origin | None, wanted: int, tree: Constituency) -> None:
    if words != wanted:
        raise SentenceError(f"{words} words where {tree.origin} has {wanted}", origin)
