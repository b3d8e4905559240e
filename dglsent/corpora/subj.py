"""SUBJ: sentences of plot summaries (objective) and of reviews (subjective) of movies.

Pang, Lee 2004, "A sentimental education": subjectivity dataset v1.0.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.example import Example
from dglsent.corpora.parses import parsed
from dglsent.corpora.rows import read_tokens
from dglsent.corpora.splits import check_fold, cross_validation
from graphs.errors import InputError

_FOLDERS = ("mr_subj_trec/subjectivity", "subjectivity", "rotten_imdb", "subj", "SUBJ", ".")
_CLASSES = ("plot", "quote")


class SUBJ(Corpus):
    """SUBJ, of which published accuracies are means over a ten-fold cross-validation.

    Sentence i of its class is in fold i mod 10; a tenth of the other nine folds is dev (`corpora.splits`).

    Args:
        fold: the fold that is test, 0 to 9.
    """

    labels = ("objective", "subjective")

    def __init__(self, fold: int = 0) -> None:
        self.fold = check_fold(fold)

    def load(self, data: Path) -> Splits:
        """Reads `plot.tok.gt9.5000` and `quote.tok.gt9.5000`, and parses `subj-plot` and `subj-quote`."""
        classes: list[list[Example | None]] = []
        for label, (name, texts) in enumerate(self.texts(data).items()):
            found = enumerate(parsed(data, "subj", name, texts), 1)
            target = {"label": label}
            classes.append([Example((one,), target, f"{name}-{line}") if one else None for line, one in found])
        return cross_validation(classes, self.fold)

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of the sentences by parse file, the objective ones first."""
        folder = find_folder(data, _FOLDERS, [f"{name}.tok.gt9.5000" for name in _CLASSES])
        if folder is None:
            raise InputError(
                f"{data}: SUBJ is missing; expected {data / _FOLDERS[0]}/{{plot,quote}}.tok.gt9.5000 (docs/data.md)"
            )
        return {f"subj-{name}": read_tokens(folder / f"{name}.tok.gt9.5000") for name in _CLASSES}
