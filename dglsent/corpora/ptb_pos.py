"""POS tags of the Penn Treebank sample that comes with NLTK: 3914 sentences of the Wall Street Journal.

Marcus, Santorini, Marcinkiewicz 1993, "Building a Large Annotated Corpus of English: the Penn Treebank".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.tagged import tagged_examples
from graphs.columns import Tagged
from graphs.formats.brackets import read_brackets
from graphs.transforms import drop_traces

_FOLDERS = ("ptb_sample/treebank/combined", "treebank/combined", "corpora/treebank/combined")
_SPLITS = {"train": range(1, 160), "dev": range(160, 180), "test": range(180, 200)}
_TAGS = (
    "# $ '' , -LRB- -RRB- . : CC CD DT EX FW IN JJ JJR JJS LS MD NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP SYM TO "
    "UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB ``"
)


class PTBPOS(Corpus):
    """The sample of the Penn Treebank with the 45 POS tags of the treebank; traces are dropped.

    Its own split: files wsj_0001 to wsj_0159 are train, wsj_0160 to wsj_0179 dev, wsj_0180 to wsj_0199 test. Published
    scores are of the whole treebank, with some ten times the sentences to train on, and cannot be compared.
    """

    labels = tuple(_TAGS.split())

    def load(self, data: Path) -> Splits:
        """Reads `wsj_0001.mrg` to `wsj_0199.mrg`."""
        files = [_file(number) for numbers in _SPLITS.values() for number in numbers]
        folder = require_folder(data, "the Penn Treebank sample", _FOLDERS, files, "wsj_{0001..0199}.mrg")
        return {
            split: tagged_examples(
                split, (one for number in numbers for one in _sentences(folder / _file(number))), "pos", self.labels
            )
            for split, numbers in _SPLITS.items()
        }


def _file(number: int) -> str:
    return f"wsj_{number:04}.mrg"


def _sentences(file: Path) -> Iterator[Tagged]:
    """The words and tags of the trees of a file."""
    for tree in map(drop_traces, read_brackets(file, unescape=True)):
        yield Tagged(tree.words, {"pos": tree.pos}, tree.origin)
