"""MSRpar: pairs of sentences from news with a similarity from 0 to 5.

Agirre et al. 2012, SemEval-2012 task 6.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.pair_files import PairFile, pair_examples, pair_texts, read_pair_files
from dglsent.corpora.rows import score
from dglsent.corpora.splits import with_dev
from graphs.errors import check_choice

_FOLDERS = ("sts2012_msrpar", "msrpar", "MSRpar", ".")
_FILES = {split: f"MSRpar.{split}.tsv" for split in ("train", "test")}
_SCORE, _SENTENCES = 0, (1, 2)


class MSRpar(Corpus):
    """Pairs of sentences by similarity, official test split; a tenth of train is dev (`corpora.splits`).

    The sentences come as raw text, so parses are needed, whatever the graphs.

    Args:
        score_range: "0-5", the scores as they are, for a task from 0 to 5; or "1-5", for one from 1 to 5, as Gupta,
            Zhang 2018 number their grades (r of eq. 29): a score y becomes 1 + 4/5 y.

    Raises:
        InputError: `score_range` is neither.
    """

    def __init__(self, score_range: Literal["0-5", "1-5"] = "0-5") -> None:
        check_choice("score_range", score_range, ("0-5", "1-5"))
        self.score_range = score_range

    def load(self, data: Path) -> Splits:
        """Reads `MSRpar.{train,test}.tsv` and parses `msrpar-{train,test}-{a,b}`."""
        files = self._files(data)
        texts = pair_texts("msrpar", files, _SENTENCES)
        return with_dev(pair_examples(data, "msrpar", files, texts, self._target))

    def texts(self, data: Path) -> dict[str, list[str]]:
        """The sentences by parse file."""
        return pair_texts("msrpar", self._files(data), _SENTENCES)

    @staticmethod
    def _files(data: Path) -> dict[str, PairFile]:
        """Rows of a score and two sentences."""
        return read_pair_files(data, "MSRpar", _FOLDERS, _FILES, 3, _SENTENCES)

    def _target(self, row: list[str], file: Path, line: int) -> dict[str, float]:
        read = score(row[_SCORE], file, line, 0, 5)
        return {"score": read if self.score_range == "0-5" else 1 + 4 * read / 5}
